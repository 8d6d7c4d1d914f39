"""Checking: everything, what changed, what is staged, or a commit; and fixing what can be fixed."""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from memgit import TYPE_CHECKING, __version__
from memgit.app.check import settings as lint_settings
from memgit.app.check.source import (
    CachedIndex,
    Kept,
    staged_edits,
)
from memgit.app.derived import state as derived_state
from memgit.app.workspace import Context, Workspace
from memgit.derive import affected_paths, is_derived
from memgit.derive.view import View
from memgit.errors import BadInput, NotFound, Refused
from memgit.git import process
from memgit.git.history import history
from memgit.git.objects.tree import Tree
from memgit.git.worktree.filetrees import CommitTree, DiskTree, disk_mode
from memgit.git.worktree.filters import filtered
from memgit.git.worktree.staged import staged
from memgit.git.worktree.status import Dirty, dirty
from memgit.lint import facts as lint_facts
from memgit.lint.corpus import Before, Corpus
from memgit.lint.engine import Result, run
from memgit.lint.rule import SEVERITIES
from memgit.lint.settings import Settings, chosen, configured
from memgit.lint.words import plural
from memgit.model.filetree import Edit, EditedTree, FileTree
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from memgit.git.objects.tree import Entry
    from memgit.git.repository import Repository
    from memgit.lint.reports.report import Report
    from memgit.lint.rule import Finding, Rule
    from memgit.model.claim import Contradiction

BULK_THRESHOLD = 200
"""From so many changed files on, lookups work out everything once instead of asking the cache for each."""


ELSEWHERE = ("notes", "vault")
"""Layouts of which the records were written in an editor, by its own habits."""


class Request(NamedTuple):
    """What to check.

    Attributes:
        paths: only these files and folders, from the knowledge root; empty for all.
        staged: what is staged, as a commit would take it.
        changed: what differs from the newest commit.
        since: what differs from this commit, or from where the present branch left it.
        at: a commit, instead of the working tree.
        select, ignore: rules by code, beginning of a code, or name.
        entries: what is staged, where that is known already.
    """

    paths: tuple[str, ...] = ()
    staged: bool = False
    changed: bool = False
    since: str | None = None
    at: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    entries: Mapping[str, Entry | None] | None = None


class Checked(NamedTuple):
    """The report of a run, and words for standard error."""

    report: Report
    notes: tuple[str, ...] = ()
    commit: str | None = None


Progress = Callable[[str], None]


def lint(
    workspace: Workspace, context: Context, request: Request, progress: Progress = lambda _: None
) -> Checked:
    """Checks and changes nothing.

    Raises:
        BadInput: a rule or path that is not there, or a configuration that cannot be read.
        NotFound: no such commit.
    """
    known, notes = lint_settings.rules()
    settings = settings_for(workspace, request, known)
    comparing = [rule.compares for rule in chosen(settings, known)]
    corpus = corpus_of(workspace, context, request, compare=any(comparing))
    if request.since is not None or request.at is not None:
        corpus.claims = _claims(workspace, request)
    # Where derived files are known to be right, no rule looks at many records again.
    corpus.forgets = all(comparing) or (corpus.changed is None and bool(corpus.right))
    result = run(corpus, settings, known, progress)
    if isinstance(corpus.memo, Kept):
        corpus.memo.save()
    _note_right(workspace, corpus, settings, known, (*result.findings, *result.in_place))
    return Checked(
        report_of(
            workspace,
            context,
            corpus,
            settings,
            known,
            _by_layout(workspace, settings, known, result.findings),
            result.files,
            result.allowed,
        ),
        notes,
    )


def _claims(workspace: Workspace, request: Request) -> list[Contradiction]:
    """What messages say in vain of the commits that a request is about: the one that it names, or those since another."""
    from memgit.git.history.activity import Activity

    repo = workspace.require_repository()
    newest = repo.resolve(request.at or "HEAD")
    activity = Activity(repo, workspace.layout)
    if request.since is None:
        found = history.listed(repo, [newest])
    else:
        found = history.commits(repo, [newest, f"^{_fork(repo, request.since, newest)}"])
    return [claim for commit in found for claim in activity.contradictions(commit)]


def _by_layout(
    workspace: Workspace, settings: Settings, rules: Sequence[Rule], findings: Sequence[Finding]
) -> list[Finding]:
    """Findings with the severity that their rules have in a layout that memgit did not make."""
    if workspace.layout.name not in ELSEWHERE:
        return list(findings)
    most = {
        rule.code: rule.elsewhere
        for rule in rules
        if rule.elsewhere is not None and configured(settings, rule) is None
    }
    rank = SEVERITIES.index
    return [
        one._replace(severity=max(one.severity, most.get(one.rule, one.severity), key=rank))
        for one in findings
    ]


def check_staged(workspace: Workspace, context: Context, request: Request) -> Result:
    """What `lint` finds in what is staged.

    Args:
        request: of what is staged, with its entries.

    Raises:
        BadInput: a configuration that cannot be read.
    """
    known, _ = lint_settings.rules()
    settings = settings_for(workspace, request, known)
    compare = any(rule.compares for rule in chosen(settings, known))
    corpus = corpus_of(workspace, context, request, compare=compare)
    return run(corpus, settings, known)


def _note_right(
    workspace: Workspace,
    corpus: Corpus,
    settings: Settings,
    rules: Sequence[Rule],
    findings: Sequence[Finding],
) -> None:
    """Notes that the derived files of the newest commit are right, where a run over everything found them so:
    a hook then looks at less.
    """
    repo, source = workspace.repo, corpus.files
    if (
        repo is None
        or workspace.indexes() != "committed"
        or corpus.changed is not None
        or not isinstance(source, CommitTree)
        or source.commit is None
        or source.commit != repo.head().commit
    ):
        return
    if any(rule.code == "MG101" for rule in chosen(settings, rules)) and not any(
        one.rule in ("MG101", "MG104") for one in findings
    ):
        right = [path for path in corpus.subjects if is_derived(workspace.layout, path)]
        derived_state.note(repo, source.tree, (), right)


def settings_for(workspace: Workspace, request: Request, known: tuple[Rule, ...]) -> Settings:
    lint_settings.check_names(request.select, request.ignore, known)
    # A hook does not keep a person waiting for what a review tells as well, nor repeat at each commit what
    # the commit did not bring about.
    left_out = (
        [rule.code for rule in known if rule.compares or rule.ages]
        if request.staged and not request.select
        else []
    )
    asked = request.at is not None and workspace.repo is not None
    branch = workspace.branch_of(request.at or "") if asked else None
    settings = lint_settings.settings_of(workspace, known, branch)
    return settings.narrowed(request.select, [*request.ignore, *left_out])


def corpus_of(
    workspace: Workspace, context: Context, request: Request, *, disk: bool = False, compare: bool = True
) -> Corpus:
    """The state that a request is about.

    Args:
        compare: whether any rule compares records with each other.
        disk: read every file from disk, with the line ends that it has there: what fixing must start from.
    """
    repo, layout, today = workspace.repo, workspace.layout, context.today
    if request.at is not None or repo is None or workspace.root is None:
        return _of_commit(workspace, context, request)
    head = repo.head().commit
    tree = repo.tree(head)
    staging = request.staged and not disk
    entries = request.entries if request.entries is not None else staged(repo, head) if staging else {}
    rows = [] if staging else dirty(repo)
    edits = staged_edits(entries) if staging else _on_disk(workspace.root, rows)
    committed = CommitTree(repo, tree, head, workspace.root, disk=disk)
    source: FileTree = EditedTree(committed, edits) if edits else committed
    changed: Collection[str] | None = None
    before_tree, differ = tree, set(edits)
    if request.since is not None:
        before_tree = repo.tree(_fork(repo, request.since, head))
        differ |= {path for path, _, _ in before_tree.diff(tree)}
        changed = differ
    elif request.staged:
        changed = set(staged(repo, head)) if disk else set(edits)
    elif request.changed:
        changed = set(edits)
    if request.paths:
        changed = under(request.paths, changed, source)
    before = Before(
        layout, CommitTree(repo, before_tree), sorted(differ if changed is None else differ & set(changed))
    )
    memo = None if disk or changed is not None else Kept(workspace, source, made_of(workspace))
    index: Callable[[], CachedIndex | None] | None = None
    if changed is not None and len(changed) < BULK_THRESHOLD and not disk:

        def index() -> CachedIndex | None:
            return _index(workspace, repo, head, source, edits)

    base = View(layout, CommitTree(repo, tree, head))
    right = derived_state.known(repo, layout, tree)
    if changed is None:
        right -= affected_paths(layout, edits)
    return Corpus(
        layout,
        source,
        today,
        changed=changed,
        before=before,
        memo=memo,
        index=index,
        base=base,
        right=right,
        tracked=(lambda: _tracked(workspace, repo, rows)) if edits and not staging else None,
        outside=_outside(workspace),
        compare=compare,
    )


def _tracked(workspace: Workspace, repo: Repository, rows: Sequence[Dirty]) -> Corpus:
    """The working tree without the records that git does not have yet, or stores in another form."""
    layout, head = workspace.layout, repo.head().commit
    records = {
        row.path for row in rows if layout.find(row.path) is not None and not is_derived(layout, row.path)
    }
    left = {row.path for row in rows if row.kind == "untracked"} & records
    whole = Tree(repo, None if head is None else repo.tree_of(head))
    stored = filtered(repo, whole, [repo.prefix + path for path in records])
    left |= {path.removeprefix(repo.prefix) for path in stored}
    edits = _on_disk(workspace.root or "", [row for row in rows if row.path not in left])
    return Corpus(layout, EditedTree(CommitTree(repo, repo.tree(head), head, workspace.root), edits), "")


def _of_commit(workspace: Workspace, context: Context, request: Request) -> Corpus:
    """A commit, with its first parent as the state before; or a folder that lies in no repository."""
    layout, today = workspace.layout, context.today
    if workspace.repo is None and workspace.root is not None:
        if request.at is not None or request.staged or request.changed or request.since is not None:
            workspace.require_repository()
        folder = DiskTree(workspace.root, None)
        asked = under(request.paths, None, folder) if request.paths else None
        return Corpus(layout, folder, today, changed=asked, outside=_outside(workspace))
    repo = workspace.require_repository()
    if request.at is not None and (request.staged or request.changed):
        raise BadInput(
            "--at looks at a commit, --staged and --changed at what is not committed yet: they "
            "exclude each other"
        )
    if request.staged or request.changed:
        raise Refused("there is no working tree to look at", hint="memgit lint --at REV")
    commit = repo.resolve(request.at) if request.at is not None else repo.head().commit
    tree = repo.tree(commit)
    parent = next(iter(repo.parents_of(commit)), None) if commit is not None else None
    if request.since is not None:
        parent = _fork(repo, request.since, commit)
    old = repo.tree(parent)
    differ = [path for path, _, _ in old.diff(tree)]
    source = CommitTree(repo, tree, commit)
    changed: Collection[str] | None = differ if request.since is not None else None
    if request.paths:
        changed = under(request.paths, changed, source)
    memo = Kept(workspace, source, made_of(workspace)) if changed is None else None
    return Corpus(
        layout,
        source,
        today,
        changed=changed,
        before=Before(layout, CommitTree(repo, old), differ),
        memo=memo,
        outside=_outside(workspace, commit),
    )


def corpus_at(
    workspace: Workspace, context: Context, commit: str, paths: Collection[str], *, since: str | None = None
) -> Corpus:
    """Some files of a commit, looked up by the cache.

    Args:
        paths: from the knowledge root.
        since: the state before is where the histories of the commit and of this one parted; None for no such
            state.

    Raises:
        NotFound: no such commit.
    """
    repo = workspace.require_repository()
    tree = repo.tree(commit)
    source = CommitTree(repo, tree, commit)
    before = None
    if since is not None:
        old = repo.tree(_fork(repo, since, commit))
        before = Before(
            workspace.layout,
            CommitTree(repo, old),
            [path for path in paths if old.get(path) != tree.get(path)],
        )
    return Corpus(
        workspace.layout,
        source,
        context.today,
        changed=set(paths),
        before=before,
        index=lambda: _index(workspace, repo, commit, source, {}),
        outside=_outside(workspace, commit),
        compare=False,
    )


def _fork(repo: Repository, rev: str, head: str | None) -> str:
    """The commit where the present branch left another one; the other one itself where their histories do not
    meet.
    """
    other = repo.resolve(rev)
    if head is None:
        return other
    if repo.is_ancestor(other, head):
        return other
    return process.attempt(["merge-base", other, head], repo=repo).out.decode("ascii").strip() or other


def _outside(workspace: Workspace, commit: str | None = None) -> Callable[[str], bool]:
    """Whether a path that leads out of the knowledge root is there: on disk, or in the tree of a commit."""

    def ask(path: str) -> bool:
        repo = workspace.repo
        whole = os.path.normpath(repo.prefix + path) if repo is not None else path
        if repo is not None and whole.startswith(".."):
            return False
        if commit is not None and repo is not None:
            return Tree(repo, repo.tree_of(commit)).get(whole) is not None
        return workspace.root is not None and os.path.lexists(os.path.join(workspace.root, path))

    return ask


def _on_disk(root: str, rows: Iterable[Dirty]) -> dict[str, Edit | None]:
    """Edited files as they lie on disk."""
    out: dict[str, Edit | None] = {}
    for path, _ in rows:
        mode = disk_mode(os.path.join(root, path))
        out[path] = None if mode is None else Edit(mode, None)
    return out


def under(wanted: Sequence[str], changed: Collection[str] | None, source: FileTree) -> set[str]:
    """The paths under some files and folders; among those that changed where only these are looked at.

    Raises:
        NotFound: nothing lies there.
    """
    among = source.paths() if changed is None else changed
    out: set[str] = set()
    for want in wanted:
        clean = os.path.normpath(want).replace(os.sep, "/")
        if clean == ".":
            return set(among)
        if clean.startswith(("../", "/")):
            raise BadInput(f"{want} is outside the knowledge root")
        found = {path for path in among if path == clean or path.startswith(clean + "/")}
        if not found and changed is None:
            raise NotFound("no such file or folder here", path=want)
        out |= found
    return out


def made_of(workspace: Workspace) -> str:
    """What kept facts depend on beside path and content: the code, and where records lie."""
    places = [(*place[:4], sorted(place.never), place.new) for place in workspace.layout.places]
    return f"{__version__} {lint_facts.VERSION} {workspace.layout.base} {places}"


def _index(
    workspace: Workspace,
    repo: Repository,
    head: str | None,
    source: FileTree,
    edits: Mapping[str, Edit | None],
) -> CachedIndex | None:
    """Lookups by the cache, None where no cache file can be used."""
    cache = workspace.cache
    if cache is None:
        return None
    from memgit.cache.overlay import OverlaySnapshot
    from memgit.cache.records import Snapshot

    label = "" if head == repo.head().commit else "at"
    base = Snapshot(cache, repo, workspace.layout, head, label=label)
    dirty_ = {path: source.data(path) for path in edits if workspace.layout.holds(path)}
    return CachedIndex(workspace.layout, OverlaySnapshot(base, dirty_) if dirty_ else base, source)


def report_of(
    workspace: Workspace,
    context: Context,
    corpus: Corpus,
    settings: Settings,
    rules: tuple[Rule, ...],
    findings: Sequence[Finding],
    files: int,
    allowed: int,
) -> Report:
    """The report of some findings."""
    from memgit.lint.reports.report import Report

    ran = [rule for rule in chosen(settings, rules) if rule.scope != "history" or corpus.before is not None]
    prefix = workspace.repo.prefix if workspace.repo is not None else ""
    whole = corpus.changed is None
    counts = _counts(corpus) if whole else ()
    return Report(
        Result(tuple(findings), files, allowed), ran, context.today, counts, whole, prefix, __version__
    )


_GROUPS = {
    "knowledge": ("category", "categories"),
    "experience": ("skill", "skills"),
    "memory": ("scope", "scopes"),
    "note": ("folder", "folders"),
}


def _counts(corpus: Corpus) -> list[str]:
    """How many records of each kind there are, and in how many categories, skills, scopes or folders."""
    count: dict[str, int] = {}
    groups: dict[str, set[str]] = {}
    for one in corpus.records():
        record = one.record
        count[record.kind] = count.get(record.kind, 0) + 1
        groups.setdefault(record.kind, set()).add(
            record.path if "#" in record.address else record.path.rpartition("/")[0]
        )
    out = []
    for kind, number in count.items():
        words = (
            plural(number, f"{kind} record")
            if kind in ("knowledge", "experience", "memory")
            else plural(number, kind)
        )
        if kind in _GROUPS:
            words += f" in {plural(len(groups[kind]), *_GROUPS[kind])}"
        out.append(words)
    return out
