"""Reviewing a change of knowledge: the records, links and indexes of the result of merging, against the base."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import NamedTuple

from memgit import __version__
from memgit.app.check import settings as lint_settings
from memgit.app.check.change import Lines, came_from, held_at, news, weighed
from memgit.app.check.source import Kept
from memgit.app.config import Config
from memgit.app.merge.tree_merge import TreeMerge, merge_bases, merge_trees
from memgit.app.read.log import incomplete
from memgit.app.review import settings as review_settings
from memgit.app.review.comment import site_of
from memgit.app.review.commits import Commits, commits_of
from memgit.app.review.details import details, explained, going_back
from memgit.app.review.drift import RULE as DRIFT
from memgit.app.review.drift import chosen_by_hand, drifted
from memgit.app.review.non_record_changes import outside
from memgit.app.review.state import (
    Lookups,
    Read,
    ReviewedCorpus,
    Sides,
    note_links_elsewhere,
    outside_of,
    sides_of,
)
from memgit.app.workspace import Context, Workspace
from memgit.derive import is_derived
from memgit.errors import BadInput, Broken, NotFound, Refused
from memgit.git.history.default_branch import default_branch
from memgit.git.objects.promisor import obtain
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree
from memgit.lint import gate
from memgit.lint.corpus import Before
from memgit.lint.engine import run
from memgit.lint.rule import HISTORY, Finding, Found, Rule
from memgit.lint.settings import chosen, severity_of
from memgit.lint.words import listed, plural
from memgit.model.change import Change, diff_records
from memgit.model.filetree import EditedTree, FileTree
from memgit.model.record import Record
from memgit.review.values import (
    CONFIGURATION,
    NOTHING,
    Place,
    Review,
    Reviewed,
    Side,
    allowance_findings,
    reviewed,
    verdict,
)
from memgit.review.words import Pieces

MOST_NOTES = 10
"""So many files in which something changes outside of records are told one by one."""
READ = (".md", ".json", ".yaml", ".gitattributes")
"""The files that a review may read, by how their names end."""

Progress = Callable[[str], None]


class Request(NamedTuple):
    """What to review: two revisions (None: the defaults), and wishes about rules.

    Attributes:
        sides: base and head, where they are known already.
        direct: the head replaces the base, and is not merged into it: what it lacks is gone.
    """

    base: str | None = None
    head: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    sides: tuple[Side, Side] | None = None
    direct: bool = False


def parse_range(text: str | None) -> tuple[str | None, str | None]:
    """Base and head of `BASE..HEAD`, `BASE...HEAD` or `BASE`; what is left out is None.

    Two and three dots mean the same: the head is compared as it would be merged.
    """
    if text is None or not text:
        return None, None
    base, dots, head = text.partition("..")
    return base or None, (head.removeprefix(".") or None) if dots else None


def review(
    workspace: Workspace, context: Context, request: Request, progress: Progress = lambda _: None
) -> Review:
    """Reviews what merging the head into the base would do to records.

    Raises:
        NotFound: a revision that is not there, or no base to take.
        Refused: no common ancestor, no repository.
        BadInput: the base's configuration cannot be read.
    """
    repo = workspace.require_repository()
    base, head = request.sides or sides(repo, request)
    bases = [base.commit] if request.direct else merge_bases(repo, base.commit, head.commit)
    if not bases:
        raise _no_base(repo, base, head)
    if head.commit in bases:
        words = f"nothing to review: {head.short} has nothing that {base.short} lacks"
        return Review(
            base, head, head.commit, NOTHING, notes=(words,), prefix=repo.prefix, version=__version__
        )
    opened = repo.prefix
    root = review_settings.root_of(repo, base.commit, workspace.inside)
    reviewing = None
    try:
        repo.at_prefix(opened if root is None else root)
        reviewing = _Reviewing(workspace, repo, context, request, base, head, bases, progress)
        return reviewing.review()
    finally:
        repo.at_prefix(opened)
        if reviewing is not None and reviewing.workspace is not workspace:
            reviewing.workspace.close()


def sides(repo: Repository, request: Request) -> tuple[Side, Side]:
    """Base and head of a request, the defaults put in.

    Raises:
        NotFound: a revision that is not there, or no base to take.
    """
    head = _side(repo, request.head or "HEAD")
    return _side(repo, request.base or _default_base(repo, head)), head


def _side(repo: Repository, name: str) -> Side:
    """One side by its name; a branch that only origin has goes by its name there."""
    try:
        return Side(name, _resolved(repo, name))
    except NotFound as error:
        there = f"origin/{name}"
        try:
            return Side(there, repo.resolve(there))
        except NotFound:
            raise error from None


def not_itself(repo: Repository, name: str) -> None:
    """Raises BadInput where the only revision given, which is taken for the base, is the present branch by
    name: it would be compared with itself, and pass whatever is in it."""
    head = repo.head()
    spellings = {"HEAD", "@"}
    if head.ref is not None:
        spellings |= {head.ref, head.ref.removeprefix("refs/"), head.ref.removeprefix("refs/heads/")}
    if name not in spellings or head.commit is None or _resolved(repo, name) != head.commit:
        return
    try:
        base = _default_base(repo, Side("HEAD", head.commit))
    except NotFound:
        base = "BASE"
    raise BadInput(
        f"{name} is what is reviewed: nothing to compare it with",
        hint=f"to review it against {base}: memgit review {base}...{name}",
    )


def _resolved(repo: Repository, name: str) -> str:
    try:
        return repo.resolve(name)
    except NotFound as error:
        if name == "HEAD" or isinstance(error, Broken):
            raise
        shallow = ", or is older than this shallow clone reaches" if repo.shallow() else ""
        remote, slash, branch = name.partition("/")
        known = bool(slash) and f"remote.{remote}.url" in repo.config
        hint = f"git fetch {remote} {branch}" if known else "git fetch; git branch -a lists what is here"
        raise NotFound(f"{error.message}: it was deleted, was never fetched{shallow}", hint=hint) from None


def _default_base(repo: Repository, head: Side) -> str:
    """The upstream of the branch, else what is usually merged into."""
    branch = repo.head().ref if head.name == "HEAD" else f"refs/heads/{head.name}"
    short = (
        branch.removeprefix("refs/heads/")
        if branch is not None and branch.startswith("refs/heads/")
        else None
    )
    if short is not None:
        remote, merge = repo.config.get(f"branch.{short}.remote"), repo.config.get(f"branch.{short}.merge")
        if remote and merge:
            ref = merge if remote == "." else f"refs/remotes/{remote}/{merge.removeprefix('refs/heads/')}"
            if repo.ref(ref) is not None:
                return ref.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    default = default_branch(repo)
    for ref in (f"refs/remotes/origin/{default}", f"refs/heads/{default}"):
        if ref != branch and repo.ref(ref) is not None:
            return ref.removeprefix("refs/remotes/").removeprefix("refs/heads/")
    raise NotFound(
        "there is nothing to compare with: no upstream, and no default branch but this one",
        hint="memgit review BASE..HEAD",
    )


def _no_base(repo: Repository, base: Side, head: Side) -> Refused:
    said = f"{base.name} and {head.name} have no commit in common"
    if repo.shallow():
        return Refused(
            f"{said} in this shallow clone, so what {head.name} brings cannot be told",
            hint="git fetch --unshallow; in a GitHub workflow, fetch-depth: 0 for actions/checkout",
        )
    return Refused(
        f"{said}: their histories never met, so nothing says what {head.name} changes",
        hint="name another base: memgit review BASE..HEAD",
    )


class _Reviewing:
    """One review under way."""

    def __init__(
        self,
        workspace: Workspace,
        repo: Repository,
        context: Context,
        request: Request,
        base: Side,
        head: Side,
        bases: Sequence[str],
        progress: Progress,
    ) -> None:
        self.repo, self.context, self.request, self.base, self.head, self.bases = (
            repo,
            context,
            request,
            base,
            head,
            bases,
        )
        self.progress = progress
        self.base_tree, self.head_tree, self.parted = (
            repo.tree(base.commit),
            repo.tree(head.commit),
            repo.tree(bases[0]),
        )
        self._obtain()
        self.ruled = review_settings.ruled(
            repo, workspace.config, self.parted, self.base_tree, self.head_tree
        )
        self.workspace = (
            workspace if self.ruled.config == workspace.config else self._under(self.ruled.config)
        )
        self.layout = self.workspace.layout
        self.read = Read(self.layout)
        self.known, self.wrong = lint_settings.rules()
        self.by_hand: list[str] = []
        self.differs: dict[str, Pieces] = {}
        lint_settings.check_names(request.select, request.ignore, self.known)
        # A forge that merges derives nothing: with `indexes: trunk` that is done after the merge.
        configured = lint_settings.settings_of(self.workspace, self.known, "")
        ignored = [rule.code for rule in self.known if rule.ages and not request.select]
        self.settings = configured.narrowed(request.select, [*request.ignore, *ignored])

    def _obtain(self) -> None:
        """Has what a partial clone left out fetched at once."""
        if not self.repo.partial():
            return
        self.progress("fetching")
        wanted = [oid for path, _, oid in self.base_tree.walk() if path.endswith(READ)]
        for delta in self.parted.changes(self.head_tree):
            wanted += [entry.oid for entry in (delta.old, delta.new) if entry is not None and entry.is_file]
        obtain(self.repo, wanted)

    def _under(self, config: Config) -> Workspace:
        return Workspace(None if self.repo.bare else self.repo.root, self.repo, config)

    def review(self) -> Review:
        own = review_settings.settings_of(self.ruled.config)
        self.progress("merging")
        labels = (self.base.name, self.head.name)
        merged = merge_trees(
            self.repo,
            self.layout,
            self.parted,
            self.base_tree,
            self.head_tree,
            labels=labels,
            derivation="lines",
            commit=self.head.commit,
        )
        merged = self._with_plain(merged)
        sides = sides_of(
            self.repo,
            self.layout,
            self.read,
            self.parted,
            self.base_tree,
            self.head_tree,
            merged,
            self.head.commit,
        )
        self.progress("comparing records")
        changes, files = self._changes(sides)
        self.progress("who changed them")
        commits = commits_of(self.repo, self.layout, self.base.commit, self.head.commit)
        findings, old, allowed, after = self._findings(sides, merged, changes, commits)
        told = self._told(sides, changes, commits, after)
        findings = [one for one in findings if not explained(one, told)]
        conflicts = tuple(Place(*one) for one in merged.conflicts)
        findings = sorted(
            [*findings, *self._configuration()], key=lambda one: (one.path, one.line, one.rule, one.message)
        )
        derived = sum(is_derived(self.layout, path) for path in sides.changed)
        records = {path for path in sides.changed if self._holds_records(path)}
        beside = dict(outside(self.layout, sides, self.read, records, files))
        alike = sum(self._reads(sides, path) for path in records - files - beside.keys())
        unread = sum(not self._reads(sides, path) for path in records - files)
        described = chosen_by_hand(self.repo, self.layout, sides, after)
        notes = (*_few([*beside.values(), *described, *self.by_hand]), *self._notes(merged, allowed, unread))
        return Review(
            self.base,
            self.head,
            self.bases[0],
            verdict(own, findings, len(conflicts)),
            tuple(told),
            tuple(findings),
            old,
            conflicts,
            commits.number,
            len(sides.changed) - derived - len(records),
            alike,
            derived,
            len(records),
            not self._incomplete(),
            notes,
            chosen(self.settings, self.known),
            self.context.today,
            self.repo.prefix,
            __version__,
            details(findings, after, told, self.differs),
            frozenset(path for path in sides.changed if self.head_tree.file(path) is not None),
            site_of(self.context),
            bool(self.context.env.get("CI")),
        )

    # The change

    def _with_plain(self, merged: TreeMerge) -> TreeMerge:
        """Derived files as a merge of lines leaves them, those that one side alone changed among them."""
        source = EditedTree(CommitTree(self.repo, self.base_tree), merged.edits)
        plain = {
            path: source.data(path)
            for path in merged.edits
            if is_derived(self.layout, path) and path not in merged.plain
        }
        return merged._replace(plain={**merged.plain, **plain})

    def _holds_records(self, path: str) -> bool:
        return not is_derived(self.layout, path) and self.layout.find(path) is not None

    def _changes(self, sides: Sides) -> tuple[list[Change], set[str]]:
        """What happened to records, in the order of their paths, and the files concerned."""
        paths = sorted(path for path in sides.changed if self._holds_records(path))
        old = [record for path in paths for record in sides.before.parsed(path).records]
        new = [record for path in paths for record in self.read.parsed(sides.merged, path).records]
        found = diff_records(old, new)
        found.sort(key=_place)
        files = {record.path for change in found for record in (change.old, change.new) if record is not None}
        return found, files

    def _told(
        self, sides: Sides, changes: Sequence[Change], commits: Commits, after: ReviewedCorpus
    ) -> list[Reviewed]:
        """The changes with who made them, and with the links that came and went."""
        before = self._corpus(self._base_source(), sides.changed, compare=False)
        out = []
        for change in changes:
            one = reviewed(change, commits.of(change))
            if change.new is not None:
                new = _links(after, change.new)
                old = _links(before, change.old) if change.old is not None else {}
                one = one._replace(
                    linked=tuple(link for link in new if link not in old),
                    unlinked=tuple(link for link in old if link not in new),
                )
            out.append(one)
        return list(going_back(self.repo, self.layout, self.base.commit, out))

    # Findings

    def _base_source(self) -> FileTree:
        return CommitTree(self.repo, self.base_tree, self.base.commit)

    def _corpus(
        self,
        source: FileTree,
        changed: Collection[str],
        *,
        compare: bool,
        lookups: Lookups | None = None,
        before: Before | None = None,
    ) -> ReviewedCorpus:
        outside = outside_of(
            self.repo, self.base.commit, None if before is None else (self.bases[0], self.head.commit)
        )
        full = lookups is not None and lookups.full and compare
        return ReviewedCorpus(
            self.layout,
            source,
            self.context.today,
            changed,
            self.read,
            full=full,
            before=before,
            outside=outside,
            compare=compare,
            memo=lookups.memo(source) if lookups is not None and compare else None,
        )

    def _findings(
        self, sides: Sides, merged: TreeMerge, changes: Sequence[Change], commits: Commits
    ) -> tuple[list[Finding], int, int, ReviewedCorpus]:
        """What is wrong after merging and was not before, how much was before, how much the change allows in
        place; and the state after.
        """
        rules = [rule for rule in self.known if rule.code != DRIFT]
        compare = any(rule.compares for rule in chosen(self.settings, self.known))
        closely = frozenset(
            (change.new.path, change.new.ordinal) for change in changes if change.new is not None
        )
        lookups = Lookups(self.workspace, self.repo, self.base.commit, sides, self.read, len(closely))
        changed = sides.changed | self._gone_outside()
        after = self._corpus(sides.merged, changed, compare=compare, lookups=lookups, before=sides.before)
        after.closely, after.claims = closely, commits.claims
        lookups.after(after)
        note_links_elsewhere(after, self._base_source())
        result = run(after, self.settings, rules, self.progress)
        if isinstance(after.memo, Kept):
            after.memo.save()
        drift, drift_old = self._drift(sides, merged, after)
        if not result.findings and not result.in_place:
            return drift, drift_old, 0, after
        told = [*result.findings, *result.in_place]
        codes = {finding.rule for finding in told}
        asked = [rule for rule in rules if rule.scope != HISTORY and rule.code in codes]
        concerned = {finding.path for finding in told} - sides.changed
        source = self._base_source()
        before = self._corpus(
            source, sides.changed | concerned, compare=any(rule.compares for rule in asked), lookups=lookups
        )
        earlier = {(change.old.path, change.old.ordinal) for change in changes if change.old is not None}
        before.closely = frozenset(
            earlier
            | {(record.path, record.ordinal) for path in concerned for record in before.parsed(path).records}
        )
        lookups.before(before, source)
        known = run(before, self.settings, asked, self.progress)
        lines = Lines(sides.before.data, after.data, came_from(changes))
        fresh, old = news(result.findings, known.findings, changes, lines)
        fresh = self._weighed(fresh, lines, after)
        brought, _ = news(result.in_place, [*known.findings, *known.in_place], changes, lines)
        allowed = max(0, result.allowed - known.allowed - len(brought))
        return [*fresh, *allowance_findings(brought), *drift], old + drift_old, allowed, after

    def _weighed(self, fresh: Sequence[Finding], lines: Lines, after: ReviewedCorpus) -> list[Finding]:
        """New findings as the review judges them: a link that the head resolves by itself is broken by the
        merge, as one that resolved before is.
        """
        links = [one for one in fresh if one.rule in gate.LINKS]
        sides = [(fresh, [lines])]
        if links and self.base.commit not in self.bases:
            head, there = self.head.commit, Lines(self.head_tree.data, after.data)
            pair = (head, self.bases[0])
            held = held_at(self.workspace, self.context, self.settings, head, pair, links, ())
            broken, _ = news(links, held, (), there)
            sides = [([one for one in fresh if one not in broken], [lines]), (broken, [lines, there])]
        return [
            one
            for found, states in sides
            for one in weighed(self.workspace, self.settings, gate.REVIEW, found, states)
        ]

    def _gone_outside(self) -> frozenset[str]:
        """What the head takes away outside of the knowledge root, as seen from there: records may link to it."""
        repo = self.repo
        if not repo.prefix:
            return frozenset()
        old, new = (Tree(repo, repo.tree_of(commit)) for commit in (self.bases[0], self.head.commit))
        up = "../" * repo.prefix.count("/")
        return frozenset(
            up + delta.path
            for delta in old.changes(new)
            if delta.new is None and not delta.path.startswith(repo.prefix)
        )

    def _drift(self, sides: Sides, merged: TreeMerge, after: ReviewedCorpus) -> tuple[list[Finding], int]:
        rule = next((rule for rule in chosen(self.settings, self.known) if rule.code == DRIFT), None)
        if rule is None or self.workspace.indexes("") != "committed":
            return [], 0
        found = list(
            drifted(self.repo, self.layout, sides, merged, after, moved=self.bases[0] != self.base.commit)
        )
        severity = severity_of(self.settings, rule)
        self.by_hand = [one.note for one in found if one.note]
        self.differs = {one.found.path: one.differs for one in found if one.found is not None}
        wrong = [one.found for one in found if one.found is not None and not one.old]
        return [_finding(rule, severity, one) for one in wrong], sum(one.old for one in found)

    def _incomplete(self) -> str | None:
        """Why not all is known that a review speaks of; a partial clone lacks nothing once its files are
        fetched.
        """
        return None if not self.repo.shallow() and self.repo.partial() else incomplete(self.repo)

    def _configuration(self) -> Iterable[Finding]:
        if self.ruled.fault is not None:
            line, message = self.ruled.fault
            yield Finding(CONFIGURATION, "configuration", "error", ".memgit.yaml", line, line, None, message)
        elif self.ruled.edited is not None:
            yield Finding(
                CONFIGURATION, "configuration", "warning", ".memgit.yaml", 1, 1, None, self.ruled.edited
            )
        for path, line, words in review_settings.attributes(self.repo, self.bases[0], self.head.commit):
            yield Finding(CONFIGURATION, "configuration", "warning", path, line, line, None, words)

    def _reads(self, sides: Sides, path: str) -> bool:
        """Whether a file holds records that can be read, before and after."""
        return bool(sides.before.parsed(path).records and self.read.parsed(sides.merged, path).records)

    def _notes(self, merged: TreeMerge, allowed: int, unread: int) -> Iterable[str]:
        stops = sorted({*merged.clashing, *merged.by_record})
        if stops:
            yield (
                f"both sides changed the same lines of {listed(stops)}, where a forge cannot merge by itself:"
                " memgit update-branch merges the base into the branch, record by record"
            )
        if unread:
            yield f"{plural(unread, 'file')} changed in which no record is, or none that can be read"
        if len(self.bases) > 1:
            yield (
                f"the two have {len(self.bases)} merge bases after crossing merges; {self.bases[0][:10]} "
                "was taken"
            )
        if allowed:
            yield (
                f"the change allows {plural(allowed, 'finding')} of before in place, by comments in its files"
            )
        missing = self._incomplete()
        if missing is not None:
            yield missing
        yield from self.wrong


def _place(change: Change) -> tuple[str, int]:
    record = change.new or change.old
    assert record is not None
    return (record.path, record.line)


def _links(corpus: ReviewedCorpus, record: Record) -> dict[str, None]:
    """The links of one record, as typed, each once."""
    records = corpus.facts(record.path).records
    return (
        {str(link): None for link in records[record.ordinal].links} if record.ordinal < len(records) else {}
    )


def _few(told: Sequence[str]) -> list[str]:
    """The first notes, the rest counted."""
    more = len(told) - MOST_NOTES
    return (
        [*told[:MOST_NOTES], f"{plural(more, 'file')} more change where no record is"]
        if more > 0
        else list(told)
    )


def _finding(rule: Rule, severity: str, found: Found) -> Finding:
    return Finding(
        rule.code,
        rule.name,
        found.severity or severity,
        found.path,
        found.line,
        found.line,
        found.address,
        found.message,
        found.fixable,
    )
