"""The states that lint looks at: a commit, what is staged, a working tree; and lookups in them that do not
grow with their size.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.formats.codecs import parse_file
from memgit.git.objects.tree import LINK, SUBMODULE
from memgit.lint import facts as lint_facts
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.lint.index import FileNames
from memgit.lint.page import Page
from memgit.model.filetree import Edit, FileTree
from memgit.model.link import Wikilink
from memgit.model.record import Record

if TYPE_CHECKING:
    from memgit.app.workspace import Workspace
    from memgit.cache.records import Snapshot
    from memgit.git.objects.tree import Entry
    from memgit.lint.alike.claims import Claim
    from memgit.lint.index import Peers
    from memgit.model.layout import Layout

REGULAR = 0o100644
BATCH = 5_000
"""The facts of so many files are written to the cache at once, and held no longer."""
MAX_CANDIDATES = 8
"""So many records that share words with one are compared with it where not everything is looked at."""
MAX_BY_KEYWORD = 400
"""So many records of one keyword are looked at."""


class CachedIndex:
    """Lookups by the cache: what one record costs does not grow with the number of the others.

    What is alike is asked of full-text search: the few records that share most words with the one at hand are
    compared with it. A run over everything finds more.
    """

    def __init__(self, layout: Layout, snapshot: Snapshot, source: FileTree) -> None:
        self._layout, self._snapshot, self._source = layout, snapshot, source
        self._near: dict[tuple[str, int], list[RecordFacts]] = {}
        self.peers: Peers | None = self

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        return self._snapshot.named(link, origin)

    # Only a link that no record answers to asks for files, so what this costs is paid for a finding, or for
    # the link to an image.

    @cached_property
    def _file_names(self) -> FileNames:
        return FileNames(self._source.paths)

    def files(self, name: str) -> Sequence[str]:
        return self._file_names.files(name)

    def spelled(self, name: str) -> str | None:
        return self._file_names.spelled(name)

    def called(self, text: str) -> Iterable[Record]:
        from memgit.cache.rows import FROM_WORDS
        from memgit.cache.tokens import phrase

        yield from self._snapshot.lookup(text)
        term = phrase(text)
        if term.words:
            sql = f"select {{head}} {FROM_WORDS} where words match ? and {{visible}} limit {MAX_BY_KEYWORD}"
            yield from self._snapshot.heads(sql, [f"{{title}} : {term.match}"])

    def holders(self, id_: str) -> Sequence[Record]:
        from memgit.cache.rows import FROM_RECORDS

        return self._snapshot.heads(
            f"select {{head}} {FROM_RECORDS} where record.id = ? and {{visible}}", [id_]
        )

    def mentioning(self, names: Sequence[str]) -> Iterable[str]:
        # Asked only where a change took something away. Pages beside the records (README.md, INDEX.md) are
        # not in the cache; they are few.
        yield from self._snapshot.holding(names)
        wanted = [name.encode("utf-8", "surrogateescape") for name in names]
        for path in self._source.paths():
            if (
                path.endswith(".md")
                and path.startswith(self._layout.base)
                and self._layout.find(path) is None
            ):
                data = self._source.data(path)
                if data is not None and any(name in data for name in wanted):
                    yield path

    def keyword_peers(self, facts: RecordFacts, share: float) -> Iterable[RecordFacts]:
        return self._by_keywords(facts, MAX_BY_KEYWORD)

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterable[RecordFacts]:
        return self._by_keywords(facts, crowd)

    def _by_keywords(self, facts: RecordFacts, most: int) -> Iterable[RecordFacts]:
        """Records with a keyword that at most so many have, without their text."""
        here = (facts.record.path, facts.record.ordinal)
        seen: dict[tuple[str, int], RecordFacts] = {}
        for keyword in sorted(facts.keywords):
            found = [light(record) for record in self._snapshot.records(topic=keyword)]
            having = [one for one in found if keyword in one.keywords]
            if len(having) <= most:
                seen.update(((one.record.path, one.record.ordinal), one) for one in having)
        seen.pop(here, None)
        return seen.values()

    def title_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        return self._like(facts)

    def text_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        return self._like(facts)

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterable[tuple[RecordFacts, Claim]]:
        return ((other, theirs) for other in self._like(facts) for theirs in other.claims)

    def _like(self, facts: RecordFacts) -> list[RecordFacts]:
        """The few records that share most words with one."""
        from memgit.cache.search import Query, search

        here = (facts.record.path, facts.record.ordinal)
        found = self._near.get(here)
        if found is None:
            words = " ".join([facts.record.title, *facts.record.keywords])
            hits = search(self._snapshot, Query(words, (), limit=MAX_CANDIDATES + 1))
            others = [hit.record for hit in hits if (hit.record.path, hit.record.ordinal) != here]
            found = self._near[here] = [
                full for record in others[:MAX_CANDIDATES] if (full := self._full(record)) is not None
            ]
        return found

    def _full(self, record: Record) -> RecordFacts | None:
        """The facts of one record, without working out those of the others in its file."""
        data = self._source.data(record.path)
        if data is None:
            return None
        page = Page(self._layout, record.path, data, REGULAR, parse_file(self._layout, record.path, data))
        held = page.parsed.records
        return lint_facts.unlinked(page, held[record.ordinal]) if record.ordinal < len(held) else None


def light(record: Record) -> RecordFacts:
    """The facts that the head of a record gives: title and keywords, nothing of its text."""
    from memgit.lint.alike import likeness

    return RecordFacts(
        record,
        0,
        (),
        tuple(likeness.content(likeness.words(record.title))),
        lint_facts.folded(record.keywords),
        (),
        0,
        (),
    )


class Kept:
    """Facts that the cache kept, by path and blob; new ones are gathered until `save`."""

    def __init__(self, workspace: Workspace, source: FileTree, made: str) -> None:
        self._cache, self._source, self._made = workspace.cache, source, made
        self._new: dict[tuple[str, str], bytes] = {}
        self._present: set[tuple[str, str]] = set()

    @cached_property
    def _known(self) -> dict[tuple[str, str], bytes]:
        if self._cache is None:
            return {}
        from memgit.cache.facts import LINT, load

        return load(self._cache, LINT, self._made)

    def _key(self, path: str) -> tuple[str, str] | None:
        found = self._source.entry(path)
        return (
            None if found is None or found[1] is None or found[0] in (LINK, SUBMODULE) else (path, found[1])
        )

    def get(self, path: str) -> FileFacts | None:
        key = self._key(path)
        if key is None:
            return None
        self._present.add(key)
        data = self._known.pop(key, None)  # asked for once: whoever reads the facts of all files keeps them
        return None if data is None else lint_facts.load(data)

    def put(self, path: str, facts: FileFacts) -> FileFacts:
        key = self._key(path)
        if key is None:
            return facts
        data = self._new[key] = lint_facts.dump(facts)
        if len(self._new) >= BATCH:
            self._write(None)
        return lint_facts.load(data) or facts  # words that many files have are then one text

    def save(self) -> None:
        """Writes what is new to the cache."""
        if self._new:
            self._write(self._present)

    def _write(self, present: set[tuple[str, str]] | None) -> None:
        if self._cache is not None:
            from memgit.cache.facts import LINT, keep

            keep(self._cache, LINT, self._made, self._new, present)
        self._new.clear()


def staged_edits(found: Mapping[str, Entry | None]) -> dict[str, Edit | None]:
    """What is staged, as edits of the newest commit."""
    return {path: None if entry is None else Edit(entry.mode, entry.oid) for path, entry in found.items()}
