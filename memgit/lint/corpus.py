"""What rules look at: one state of a knowledge root, what changed in it, and what it was before."""

from __future__ import annotations

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.derive import is_derived
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.lint import facts as facts_
from memgit.lint.anchors import Anchors, of_page
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.lint.index import Whole
from memgit.lint.page import FILES, Page
from memgit.lint.suppress import MARK, NOTHING, Allowed
from memgit.model.filetree import FOLDER, EditedTree, FileTree
from memgit.model.layout import Layout, hidden
from memgit.model.record import ParsedFile, Record

if TYPE_CHECKING:
    from typing import Any, Protocol

    from memgit.lint.index import Index
    from memgit.model.claim import Contradiction
else:
    Protocol = object

KEPT_PAGES = 8


class Memo(Protocol):
    """Where facts are kept from one run to the next; all of it may be forgotten at any time."""

    def get(self, path: str) -> FileFacts | None:
        """The facts of a file as it is in the state at hand, where they are known."""

    def put(self, path: str, facts: FileFacts) -> FileFacts:
        """Keeps the facts of a file of the state at hand, and gives them back, maybe in less room."""


class Before(View):
    """The state that history rules compare with, as far as it differs.

    Args:
        paths: those that differ.
    """

    def __init__(self, layout: Layout, files: FileTree, paths: Collection[str]) -> None:
        super().__init__(layout, files)
        self.paths = paths


class Corpus(View):
    """One state as rules see it.

    Attributes:
        layout: where records lie.
        today: `YYYY-MM-DD`.
        files: the files.
        changed: the paths that the run is about (those that are gone among them); None for all.
        before: the other side for rules that compare; None where there is none.
        base: the state before the change, as derived files see it; None where there is none.
        right: the derived files known to be right in the base (in a run over everything, in the state
            itself); None where none is known.
        index: lookups beyond the subjects, or what makes them once a rule asks; worked out from all files
            where there are none.
        compare: whether any rule compares records with each other; if not, the facts of records lack what
            that takes.
        tracked: the same without records that git does not have yet or stores in another form, where there may be
            such: a derived file may be without them.
        outside: whether a path that leads out of the knowledge root (`../src/a.py`) is there.
        forgets: what a file parses to is not kept once its facts are known: no rule of the run looks at many
            of them again, and the texts of all records take more room than anything else.
    """

    def __init__(
        self,
        layout: Layout,
        files: FileTree,
        today: str,
        *,
        changed: Collection[str] | None = None,
        before: Before | None = None,
        index: Callable[[], Index | None] | Index | None = None,
        memo: Memo | None = None,
        base: View | None = None,
        right: Container[str] | None = None,
        tracked: Callable[[], View] | None = None,
        outside: Callable[[str], bool] = lambda _: False,
        compare: bool = True,
    ) -> None:
        super().__init__(layout, files)
        self.today = today
        self.changed = None if changed is None else frozenset(changed)
        self.before = before
        self.base = base
        self.right = right
        self.tracked = tracked
        self.outside = outside
        self.compare = compare
        self.forgets = False
        self.memo = memo
        self._given_index = index
        self._facts: dict[str, FileFacts] = {}
        self._pages: dict[str, Page] = {}
        self._anchors: dict[str, Anchors] = {}
        self._allowed: dict[str, Allowed] = {}
        self.claims: Sequence[Contradiction] = ()
        """What messages of the commits behind the change say and the trees contradict."""
        self.shared: dict[str, Any] = {}
        """What one rule worked out and others need as well, by name."""

    def data(self, path: str) -> bytes | None:
        try:
            return super().data(path)
        except UnreadableFile:
            return None

    # What rules ask.

    def listed(self, folder: str) -> list[str]:
        """What lies directly in a folder, links too; the names of folders end in a slash."""
        found = sorted(self.files.listing(folder).items())
        return [f"{name}/" if mode == FOLDER else name for name, mode in found]

    @cached_property
    def all_paths(self) -> list[str]:
        """Every path of the state."""
        return list(self.files.paths())

    @cached_property
    def subjects(self) -> list[str]:
        """The paths that the run is about and that are there, sorted; those outside the reach of the layout
        left out.
        """
        if self.changed is None:
            return [path for path in self.all_paths if self.reaches(path)]
        return [
            path for path in sorted(self.changed) if self.files.mode(path) is not None and self.reaches(path)
        ]

    def reaches(self, path: str) -> bool:
        """Whether a path lies where records, derived files or the pages beside them lie; hidden folders do
        not.
        """
        layout = self.layout
        if hidden(path.removeprefix(layout.base)) or not path.startswith(layout.base):
            return False
        return (
            bool(layout.base)
            or "/" not in path
            or path.startswith(layout.folders())
            or is_derived(layout, path)
        )

    @cached_property
    def pages(self) -> list[str]:
        """The Markdown files among the subjects: the pages that file rules check, links and submodules in
        their place included.
        """
        return [path for path in self.subjects if path.endswith(".md")]

    def page(self, path: str) -> Page:
        """One file; the last few are kept."""
        found = self._pages.get(path)
        if found is None:
            mode = self.files.mode(path) or 0
            data = self.data(path) if mode in FILES else None
            found = Page(
                self.layout,
                path,
                data or b"",
                mode,
                self._parsed_from(path, data),
            )
            if len(self._pages) >= KEPT_PAGES:
                del self._pages[next(iter(self._pages))]
            self._pages[path] = found
        return found

    def _parsed_from(self, path: str, data: bytes | None) -> ParsedFile:
        if path not in self._parsed:
            self._parsed[path] = self._parse(path, data)
        return self._parsed[path]

    def facts(self, path: str) -> FileFacts:
        """What rules on all records need to know of one file."""
        found = self._facts.get(path)
        if found is None:
            found = self.memo.get(path) if self.memo is not None else None
            if found is None:
                found = facts_.of_page(self.page(path), self.compare)
                if self.memo is not None and self.compare:
                    found = self.memo.put(path, found)
                if self.forgets:
                    self._parsed.pop(path, None)
            self._facts[path] = found
        return found

    def anchors(self, path: str) -> Anchors:
        """What links may name in one file: of its facts where these are kept, else of its text."""
        found = self._anchors.get(path)
        if found is None:
            facts = self.facts(path) if self.memo is not None else self._facts.get(path)
            found = self._anchors[path] = (
                of_page(self.page(path))
                if facts is None or facts.places is None
                else Anchors(facts.places, [one.record.title for one in facts.records])
            )
        return found

    @cached_property
    def all_facts(self) -> dict[str, FileFacts]:
        """The facts of every Markdown file, in the order of paths: what only a run over everything should ask
        for.
        """
        if self.changed is None:
            return {path: self.facts(path) for path in self.pages}
        return {
            path: self.facts(path) for path in self.all_paths if path.endswith(".md") and self.reaches(path)
        }

    @cached_property
    def index(self) -> Index:
        """Lookups beyond the subjects."""
        given = self._given_index() if callable(self._given_index) else self._given_index
        if given:
            return given
        return Whole(self.layout, self.all_facts, lambda: self.all_paths, self.data)

    def records(self) -> Iterator[RecordFacts]:
        """The records of the subjects, in the order of paths and lines."""
        for path in self.pages:
            yield from self.facts(path).records

    def all_records(self) -> list[RecordFacts]:
        """Every record of the state, in the order of paths and lines."""
        return [one for facts in self.all_facts.values() for one in facts.records]

    @cached_property
    def _about(self) -> frozenset[tuple[str, int]]:
        return frozenset((one.record.path, one.record.ordinal) for one in self.records())

    def concerns(self, one: RecordFacts, other: RecordFacts) -> bool:
        """Whether the run is about one of two records."""
        return self.changed is None or any(
            (each.record.path, each.record.ordinal) in self._about for each in (one, other)
        )

    def body(self, record: Record) -> str:
        """The text of a record that came without it."""
        found = self.parsed_once(record.path).records
        return found[record.ordinal].body if record.ordinal < len(found) else ""

    def parsed_once(self, path: str) -> ParsedFile:
        """What a file holds, kept only where that is needed again."""
        known = path in self._parsed
        found = self.parsed(path)
        if self.forgets and not known:
            self._parsed.pop(path, None)
        return found

    def allowed(self, path: str) -> Allowed:
        """What a file allows in place."""
        found = self._allowed.get(path)
        if found is None:
            found = self._allowed[path] = self.page(path).allowed if self._may_allow(path) else NOTHING
        return found

    def _may_allow(self, path: str) -> bool:
        """Whether a file holds the mark of an allowance: the facts say so where they are at hand."""
        facts = self._facts.get(path)
        if facts is not None:
            return facts.allows
        data = self.data(path)
        return data is not None and MARK.encode() in data

    def mentioning(self, names: Collection[str]) -> list[str]:
        """The pages beside the subjects whose text may hold one of some names: where a link may stand to what
        the change took away.
        """
        found = set(self.index.mentioning(sorted(names))) if names else set()
        return sorted(path for path in found if not self.is_subject(path) and self.reaches(path))

    def is_subject(self, path: str) -> bool:
        """Whether the run is about a path."""
        return self.changed is None or path in self.changed

    def edited(self, edits: Mapping[str, bytes | None]) -> Corpus:
        """The same state with some files edited; what is known of the others is kept."""
        changed = None if self.changed is None else self.changed | edits.keys()
        new = Corpus(
            self.layout, EditedTree(self.files, edits), self.today, changed=changed, before=self.before
        )
        new._parsed = {path: parsed for path, parsed in self._parsed.items() if path not in edits}
        new._facts = {path: facts for path, facts in self._facts.items() if path not in edits}
        return new
