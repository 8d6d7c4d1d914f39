"""The two states that a review looks at, the base and the result of merging, as rules see them; and lookups
that find what is alike.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from memgit.app.check.lint import made_of
from memgit.app.check.source import MAX_BY_KEYWORD, CachedIndex, Kept, light
from memgit.app.merge.tree_merge import Edit, TreeMerge
from memgit.app.workspace import Workspace
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.records import Snapshot
from memgit.cache.scores import count
from memgit.cache.search import closest
from memgit.cache.tokens import phrase
from memgit.derive import is_derived, table
from memgit.derive.view import View
from memgit.formats.codecs import parse_file
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree
from memgit.lint import anchors
from memgit.lint import facts as lint_facts
from memgit.lint.alike.likeness import words as word_list
from memgit.lint.corpus import Before, Corpus
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.lint.index import Index, Place, Whole
from memgit.lint.page import REGULAR, Page
from memgit.lint.resolve import all_links, links_of
from memgit.lint.rules.mg205_broken_file_link import BEHEADED
from memgit.model.filetree import EditedTree, FileTree
from memgit.model.layout import Layout
from memgit.model.link import file_names
from memgit.model.record import ParsedFile, Record
from memgit.model.terms import STOP

if TYPE_CHECKING:
    from memgit.cache.records import Snapshot
    from memgit.lint.alike.claims import Claim

FEW_FILES = 800
"""In a repository of so few Markdown files everything is compared with everything: it takes half a second."""
FILES_A_RECORD = 60
"""In one of at most so many files for each changed record, that is cheaper than looking up what may be alike
for each.
"""
PEERS = 12
"""So many records that share words with one are compared with it."""
RUNS, RUN = 6, 5
"""So many runs of so many words of a text are looked for: a copy that was changed a little keeps most of
them.
"""
CLAIM_WORDS = 4
"""Of so many of the rarest words of a claim, one that may oppose it has two."""
MOST_KEYWORDS = 10
MANY_NAMES = 16
"""From so many names on, what links to them is looked up among all links, not in the texts of all files."""


class Read:
    """What was read of both states, each version of a file once: most files are the same in both."""

    def __init__(self, layout: Layout) -> None:
        self._layout = layout
        self._parsed: dict[Version, ParsedFile] = {}
        self._pages: dict[Version, Page] = {}
        self._records: dict[tuple[Version, int], RecordFacts | None] = {}
        self.full: dict[Version, FileFacts] = {}

    def version(self, source: FileTree, path: str) -> Version:
        """What tells one version of a file from any other."""
        entry = source.entry(path)
        if entry is None:
            return (path, None)
        return (path, entry[1] or Repository.hash_blob(source.data(path) or b""))

    def parsed(self, source: FileTree, path: str) -> ParsedFile:
        """What a file holds; empty for one that is not there or holds no record."""
        version = self.version(source, path)
        found = self._parsed.get(version)
        if found is None:
            data = source.data(path) if self._layout.find(path) is not None else None
            found = self._parsed[version] = parse_file(self._layout, path, data)
        return found

    def facts(self, source: FileTree, record: Record) -> RecordFacts | None:
        """One record with what comparing takes; None where it is not there any more."""
        version = self.version(source, record.path)
        key = (version, record.ordinal)
        if key not in self._records:
            page = self._pages.get(version)
            if page is None:
                data = source.data(record.path)
                if data is None:
                    return None
                page = self._pages[version] = Page(
                    self._layout, record.path, data, REGULAR, self.parsed(source, record.path)
                )
            held = page.parsed.records
            self._records[key] = (
                lint_facts.unlinked(page, held[record.ordinal]) if record.ordinal < len(held) else None
            )
        return self._records[key]


Version: TypeAlias = tuple[str, str | None]
"""The path of a file and its blob."""


class Sides(NamedTuple):
    """Before and after, as far as paths differ:

    `before` has what a path held: in the base, or where both sides changed a file and it conflicts, where the two
    parted.
    """

    base: Tree
    merged: FileTree
    before: Before
    changed: frozenset[str]


class ReviewedBefore(Before):
    """What the files that differ were."""

    def __init__(self, layout: Layout, files: FileTree, paths: Collection[str], read: Read) -> None:
        super().__init__(layout, files, paths)
        self._read = read

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        return self._read.parsed(self.files, path)


class ReviewedCorpus(Corpus):
    """One state in which only some records are looked at closely: those that the change touches."""

    def __init__(
        self,
        layout: Layout,
        source: FileTree,
        today: str,
        changed: Collection[str],
        read: Read,
        *,
        full: bool,
        compare: bool,
        before: Before | None = None,
        memo: Kept | None = None,
        outside: Callable[[str], bool] = lambda _: False,
    ) -> None:
        super().__init__(
            layout, source, today, changed=changed, before=before, memo=memo, outside=outside, compare=compare
        )
        self._full, self._read = full, read
        self._lookups: Index | None = None
        self.closely: frozenset[Place] | None = None
        """The records that are compared with others, by path and number; None for all of the changed files.
        """

    @cached_property
    def index(self) -> Index:
        return self._lookups or WholeIndex(self)

    def look_up(self, index: Index) -> None:
        """Takes the lookups beyond the changed files."""
        self._lookups = index

    def records(self) -> Iterator[RecordFacts]:
        wanted = self.closely
        for one in super().records():
            if wanted is None or (one.record.path, one.record.ordinal) in wanted:
                yield one

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        return self._read.parsed(self.files, path)  # the same version in the other state may have been parsed

    def parsed_before(self, base: FileTree, path: str) -> ParsedFile:
        """What a file held in the base."""
        return self._read.parsed(base, path)

    def facts(self, path: str) -> FileFacts:
        found = self._facts.get(path)
        if found is None:
            found = self._facts[path] = self._new_facts(path)
        return found

    def _new_facts(self, path: str) -> FileFacts:
        if self._full or not self.compare:
            version = self._read.version(self.files, path)
            found = self._read.full.get(version)
            if found is None:
                found = super().facts(path)
                if self._full:
                    self._read.full[version] = found
            return found
        # What comparing takes is worked out for the records that are compared alone: a category may hold
        # hundreds of others.
        page = self.page(path)
        found = lint_facts.of_page(page, False)
        return found._replace(records=tuple(self._worked_out(page, one) for one in found.records))

    def _worked_out(self, page: Page, one: RecordFacts) -> RecordFacts:
        if self.closely is not None and (one.record.path, one.record.ordinal) not in self.closely:
            return one
        found = lint_facts.unlinked(page, page.parsed.records[one.record.ordinal])
        return found._replace(record=one.record, links=one.links)


class WholeIndex(Whole):
    """Lookups over everything for a change that takes many names away."""

    def __init__(self, corpus: ReviewedCorpus) -> None:
        super().__init__(corpus.layout, corpus.all_facts, lambda: corpus.all_paths, corpus.data)

    @cached_property
    def _linked(self) -> dict[str, list[str]]:
        """The files that link to something, by each name that the link may mean it by."""
        found: dict[str, list[str]] = {}
        for path, facts in self._facts.items():
            targets = [link.target for _, link in facts.links()] + [
                file.rstrip("/") for _, file, _ in facts.files
            ]
            names = {name for target in targets for name in (target, target.rpartition("/")[2])}
            for linked in {
                spelled
                for name in names
                for spelled in (name, name.removesuffix(".md"), name.replace(" ", "%20"))
            }:
                found.setdefault(linked, []).append(path)
        return found

    def mentioning(self, names: Sequence[str]) -> Iterator[str]:
        if len(names) < MANY_NAMES:
            yield from super().mentioning(names)
            return
        for name in names:
            yield from self._linked.get(name, ())


class NearIndex(CachedIndex):
    """Lookups by the cache that find what is alike without ranking anything: by words that both must have,
    the rarest ones first.
    """

    def __init__(
        self,
        layout: Layout,
        snapshot: Snapshot,
        source: FileTree,
        body: Callable[[Record], str],
        read: Read,
    ) -> None:
        super().__init__(layout, snapshot, source)
        self._body = body
        self._read = read
        self._counts: dict[str, int] = {}
        self._matched: dict[str, list[Record]] = {}

    def title_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        # Titles that are alike differ in one word at most: of any three, two are in both.
        rarest = self._rarest(facts.record.title)[:3]
        for record in self._sharing(facts, rarest if len(rarest) > 1 else [], "{title} : "):
            yield light(record)

    def text_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        words = word_list(f"{facts.record.text('context') or ''} {self._body(facts.record)}")
        last = max(1, len(words) - RUN)
        starts = dict.fromkeys(last * number // RUNS for number in range(RUNS))
        runs = [match for start in starts if (match := _phrase(" ".join(words[start : start + RUN])))]
        return self._full_ones(self._others(facts, " OR ".join(runs), runs))

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterable[tuple[RecordFacts, Claim]]:
        rarest = self._rarest(claim.text)[:CLAIM_WORDS]
        for other in self._full_ones(self._sharing(facts, rarest)):
            for theirs in other.claims:
                yield other, theirs

    def _by_keywords(self, facts: RecordFacts, most: int) -> Iterable[RecordFacts]:
        # Whoever asks wants two keywords in common at least.
        keywords = [
            match for keyword in sorted(facts.keywords)[:MOST_KEYWORDS] if (match := _phrase(keyword))
        ]
        return [light(record) for record in self._sharing(facts, keywords, "{keywords} : ", MAX_BY_KEYWORD)]

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterable[RecordFacts]:
        few = {
            keyword
            for keyword in facts.keywords
            if (match := _phrase(keyword)) and self._count(f"{{keywords}} : {match}") <= crowd
        }
        return [other for other in self._by_keywords(facts, crowd) if few & other.keywords]

    def _rarest(self, text: str) -> list[str]:
        """The words of a text that say something, as terms of a query, the rarest first."""
        words = dict.fromkeys(word for word in word_list(text) if word not in STOP)
        matches = dict.fromkeys(match for word in words if (match := _phrase(word)))
        return sorted(matches, key=lambda match: (self._count(match), match))

    def _count(self, match: str) -> int:
        if match not in self._counts:
            self._counts[match] = count(self._snapshot, match)
        return self._counts[match]

    def _sharing(
        self, facts: RecordFacts, matches: Sequence[str], column: str = "", most: int = PEERS
    ) -> list[Record]:
        """The heads of the records that have any two of some terms (the one term where there is one alone) in
        a column.
        """
        asked = [f"({one} AND {other})" for one, other in combinations(matches, 2)] or list(matches)
        return self._others(
            facts,
            f"{column}({' OR '.join(asked)})" if asked else "",
            [f"{column}{match}" for match in matches],
            most,
        )

    def _others(
        self, facts: RecordFacts, match: str, terms: Iterable[str], most: int = PEERS
    ) -> list[Record]:
        """The heads of the records that a query finds, but for the one at hand; those with most of some terms
        first.
        """
        if not match:
            return []
        found = self._matched.get(match)
        if found is None:
            held = {term: self._count(term) for term in terms}
            found = self._matched[match] = closest(self._snapshot, match, held, most + 1)
        here = (facts.record.path, facts.record.ordinal)
        return [record for record in found if (record.path, record.ordinal) != here]

    def _full_ones(self, records: Iterable[Record]) -> list[RecordFacts]:
        return [full for record in records if (full := self._full(record)) is not None]

    def _full(self, record: Record) -> RecordFacts | None:
        return self._read.facts(self._source, record)


def _phrase(text: str) -> str:
    """Some words side by side as a term of a query; empty where there is no word."""
    term = phrase(text)
    return term.match if term.words else ""


def sides_of(
    repo: Repository,
    layout: Layout,
    read: Read,
    parted: Tree,
    base: Tree,
    head: Tree,
    merged: TreeMerge,
    commit: str | None,
) -> Sides:
    """The state before, and the result of merging as a forge would commit it.

    Where a file conflicts, its change is told between where the two parted and the head; derived files are as
    a merge of lines leaves them.
    """
    edits = dict(merged.edits)
    torn = {one.path for one in merged.conflicts if not is_derived(layout, one.path)}
    for path in torn:
        entry = head.get(path)
        if entry is not None and not entry.is_tree:
            edits[path] = Edit(entry.mode, entry.oid)
        elif entry is None and base.file(path) is not None:
            edits[path] = None
        else:
            edits.pop(path, None)
    for path in [path for path in edits if is_derived(layout, path) and path not in merged.plain]:
        del edits[path]
    for path, data in merged.plain.items():
        held, entry = edits.get(path), base.get(path)
        mode = held.mode if held is not None else entry.mode if entry is not None else REGULAR
        edits[path] = None if data is None else Edit(mode, None, data)
    for path, data in _settled(repo, layout, base, edits, merged.clashing).items():
        edits[path] = None if data is None else Edit(REGULAR, None, data)
    changed = frozenset(edits)
    below = CommitTree(repo, base, commit)
    was = {path: None if (entry := parted.get(path)) is None else Edit(*entry) for path in torn}
    before = ReviewedBefore(layout, EditedTree(below, was), sorted(changed), read)
    return Sides(base, EditedTree(below, edits), before, changed)


def _settled(
    repo: Repository, layout: Layout, base: Tree, edits: Mapping[str, Edit | None], clashing: Collection[str]
) -> dict[str, bytes | None]:
    """Derived files whose lines conflict, as they are once somebody has derived them again."""
    if not clashing:
        return {}
    view = View(layout, EditedTree(CommitTree(repo, base), edits))
    rows = {
        path: derived
        for path in clashing
        for derived in table(layout)
        if path in derived.affected(layout, path)
    }
    return {path: derived.build(view, path).data for path, derived in rows.items()}


class Lookups:
    """Lookups in the two states: over everything where that is quick, else by the cache."""

    def __init__(
        self,
        workspace: Workspace,
        repo: Repository,
        base: str,
        sides: Sides,
        read: Read,
        changed_records: int,
    ) -> None:
        self._workspace, self._repo, self._base, self._sides = workspace, repo, base, sides
        self._read = read
        self.full = workspace.cache is None or self._few_files(
            max(FEW_FILES, FILES_A_RECORD * changed_records)
        )

    def _few_files(self, most: int) -> bool:
        count = 0
        for path, _, _ in self._sides.base.walk():
            count += path.endswith(".md")
            if count > most:
                return False
        return True

    def memo(self, source: FileTree) -> Kept | None:
        """Where facts are kept from one run to the next; None where not everything is looked at."""
        return Kept(self._workspace, source, self._made) if self.full else None

    @cached_property
    def _made(self) -> str:
        return made_of(self._workspace)

    @cached_property
    def _snapshot(self) -> Snapshot:
        return Snapshot(
            self._workspace.records_cache, self._repo, self._workspace.layout, self._base, label="review"
        )

    def after(self, corpus: ReviewedCorpus) -> None:
        """Gives the result of merging its lookups."""
        if not self.full:
            layout, source = self._workspace.layout, self._sides.merged
            edited = {path: source.data(path) for path in self._sides.changed if layout.holds(path)}
            snapshot = OverlaySnapshot(self._snapshot, edited) if edited else self._snapshot
            corpus.look_up(NearIndex(layout, snapshot, source, corpus.body, self._read))

    def before(self, corpus: ReviewedCorpus, source: FileTree) -> None:
        """Gives the base its lookups."""
        if not self.full:
            corpus.look_up(NearIndex(self._workspace.layout, self._snapshot, source, corpus.body, self._read))


def outside_of(repo: Repository, base: str, merged: tuple[str, str] | None = None) -> Callable[[str], bool]:
    """Whether a path that leads out of the knowledge root is in the tree of a commit.

    Args:
        merged: where the two sides parted, and the head; then it is asked of the result of merging.
    """

    def ask(path: str) -> bool:
        whole = os.path.normpath(repo.prefix + path)
        if whole.startswith(".."):
            return False

        def holds(commit: str) -> bool:
            return Tree(repo, repo.tree_of(commit)).get(whole) is not None

        if merged is None:
            return holds(base)
        parted, head = merged
        return (holds(base) and holds(head)) if holds(parted) else (holds(base) or holds(head))

    return ask


def note_links_elsewhere(corpus: ReviewedCorpus, base: FileTree) -> None:
    """Counts links in unchanged files among those that rules look at, where a heading went away."""
    beheaded = {path for path in corpus.pages if _lost_heading(corpus, base, path)}
    corpus.shared[BEHEADED] = beheaded  # who links to them in Markdown
    documents = {
        path
        for path in beheaded
        if (found := corpus.layout.find(path)) is not None and found[0].form != "entries"
    }
    if documents:
        paths = corpus.mentioning({file_names(path)[0] for path in documents})
        all_links(corpus).extend(led for path in paths for led in links_of(corpus, path) if led.target.near)


def _lost_heading(corpus: ReviewedCorpus, base: FileTree, path: str) -> bool:
    """Whether something in a page that a link may name is not there any more."""
    old = base.data(path)
    if not old:
        return False
    page, now = Page(corpus.layout, path, old, REGULAR, corpus.parsed_before(base, path)), corpus.page(path)
    return anchors.of_page(page).lost_in(anchors.of_page(now))
