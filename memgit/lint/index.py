"""What rules look up about records other than the one at hand: names, ids, who may mention something, and
what may be alike.

`Whole` answers from the facts of all files, worked out once; an app may answer from a cache instead, so that
checking one file costs one file. What may be alike is found among all records at once where these are at hand
(see `joins`), else the index gives candidates for one record: rules compare for themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property

from memgit import TYPE_CHECKING
from memgit.lint.facts import FileFacts, RecordFacts
from memgit.model.layout import Layout
from memgit.model.link import Names, Wikilink, file_names, normal
from memgit.model.record import Record

if TYPE_CHECKING:
    from typing import Protocol, TypeAlias

    from memgit.lint.alike.claims import Claim
else:
    Protocol = object

PAIRED = 12
"""So many words of a claim are looked up in pairs."""
EVERYWHERE = 5_000
"""A keyword that more records than this have says nothing about which of them are alike."""
REPEATED = 3
"""A sentence that so many records have word for word is compared no more: those before it have been."""


class Index(Protocol):
    """What rules may ask about all records."""

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        """The records that a link could mean."""

    def files(self, name: str) -> Sequence[str]:
        """The paths of files of any sort that a link could mean: the name is the path or a tail of it, with
        or without `.md`.
        """

    def spelled(self, name: str) -> str | None:
        """The name of a Markdown file that differs from another name by case alone; None where there is none."""

    def called(self, text: str) -> Iterable[Record]:
        """Records whose title is a text, or whose address ends in it, case aside; too many do no harm."""

    def holders(self, id_: str) -> Sequence[Record]:
        """The records with an identity, see `identity`."""

    def mentioning(self, names: Sequence[str]) -> Iterable[str]:
        """The paths of Markdown files whose text may hold one of the names; too many do no harm."""

    @property
    def peers(self) -> Peers | None:
        """What may be like one record; None where all records are at hand and can be joined (see `joins`)."""

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterable[RecordFacts]:
        """Records that have a keyword in common which at most `crowd` records have."""


class Peers(Protocol):
    """What may be like one record: candidates, too many of which do no harm."""

    def keyword_peers(self, facts: RecordFacts, share: float) -> Iterable[RecordFacts]:
        """Records that may have that share (0 to 1) of the keywords of the smaller set."""

    def title_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        """Records whose titles may be like that of this one."""

    def text_peers(self, facts: RecordFacts) -> Iterable[RecordFacts]:
        """Records whose text may be nearly the same."""

    def claim_peers(self, facts: RecordFacts, claim: Claim) -> Iterable[tuple[RecordFacts, Claim]]:
        """Claims that may be about the same thing as one of a record."""


Place: TypeAlias = tuple[str, int]
"""The path of a record and its number in the file."""


def place(record: Record) -> Place:
    """Where a record stands: what tells it from any other of one corpus."""
    return (record.path, record.ordinal)


def folded(name: str) -> str:
    """A name as it is compared where case does not count."""
    return normal(name).casefold()


def last_part(name: str) -> str:
    """What stands after the last slash or hash of an address or title, folded."""
    return folded(name.rpartition("#")[2].rpartition("/")[2])


def identity(record: Record, layout: Layout) -> str | None:
    """What tells a record from any other whatever file it lies in: its id, or the key that a mirror of Mnema
    gives it.
    """
    return record.id or (record.text("key") if layout.name == "mnema" else None)


SCANS = 4
"""So many names are looked for among all paths before these are sorted by the names that they answer to."""


class FileNames:
    """The names that files of any sort answer to in links: each path without `.md`, and every tail of it; see
    `Index`.
    """

    def __init__(self, paths: Callable[[], Iterable[str]]) -> None:
        self._paths = paths
        self._asked = 0

    @cached_property
    def _tails(self) -> dict[str, list[str]]:
        tails: dict[str, list[str]] = {}
        for path in self._paths():
            for tail in file_names(path):
                tails.setdefault(normal(tail), []).append(path)
        return tails

    def files(self, name: str) -> Sequence[str]:
        wanted = normal(name.removesuffix(".md"))
        self._asked += 1
        if self._asked > SCANS:
            return self._tails.get(wanted, ())
        # A change asks for a name or two: looking through all paths for them is a tenth of sorting their tails.
        tail = f"/{wanted}"
        stems = ((path, normal(path.removesuffix(".md"))) for path in self._paths())
        return [path for path, stem in stems if stem == wanted or stem.endswith(tail)]

    @cached_property
    def _spellings(self) -> dict[str, str]:
        """Names of Markdown files by what they are where case does not count; of several spellings, that of
        the first path.
        """
        found: dict[str, str] = {}
        for path in self._paths():
            if path.endswith(".md"):
                for tail in file_names(path):
                    found.setdefault(folded(tail), tail)
        return found

    def spelled(self, name: str) -> str | None:
        return self._spellings.get(folded(name.removesuffix(".md")))


class Whole:
    """The index over all files, from their facts."""

    def __init__(
        self,
        layout: Layout,
        facts: Mapping[str, FileFacts],
        paths: Callable[[], Iterable[str]],
        texts: Callable[[str], bytes | None],
    ) -> None:
        self._layout = layout
        self._facts = facts
        self._file_names = FileNames(paths)
        self._texts = texts
        self.peers: Peers | None = None

    @cached_property
    def records(self) -> list[RecordFacts]:
        """Every record in the order of paths and lines."""
        return [one for facts in self._facts.values() for one in facts.records]

    @cached_property
    def names(self) -> Names:
        return Names(one.record for one in self.records)

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        return self.names.resolve(link, origin).candidates

    def files(self, name: str) -> Sequence[str]:
        return self._file_names.files(name)

    def spelled(self, name: str) -> str | None:
        return self._file_names.spelled(name)

    @cached_property
    def _called(self) -> dict[str, list[Record]]:
        """Records by what they may be called: the last part of the address, and the title."""
        found: dict[str, list[Record]] = {}
        for one in self.records:
            for name in {last_part(one.record.address), folded(one.record.title)}:
                found.setdefault(name, []).append(one.record)
        return found

    def called(self, text: str) -> Iterable[Record]:
        return [*self._called.get(last_part(text), ()), *self._called.get(folded(text), ())]

    @cached_property
    def _ids(self) -> dict[str, list[Record]]:
        ids: dict[str, list[Record]] = {}
        for one in self.records:
            id_ = identity(one.record, self._layout)
            if id_ is not None:
                ids.setdefault(id_, []).append(one.record)
        return ids

    def holders(self, id_: str) -> Sequence[Record]:
        return self._ids.get(id_, ())

    def mentioning(self, names: Sequence[str]) -> Iterator[str]:
        wanted = [name.encode("utf-8", "surrogateescape") for name in names]
        for path in self._facts:
            data = self._texts(path)
            if data is not None and any(name in data for name in wanted):
                yield path

    @cached_property
    def _by_keyword(self) -> dict[str, list[RecordFacts]]:
        found: dict[str, list[RecordFacts]] = {}
        for one in self.records:
            for keyword in one.keywords:
                found.setdefault(keyword, []).append(one)
        return found

    def linked_keywords(self, facts: RecordFacts, crowd: int) -> Iterator[RecordFacts]:
        found = {
            id(one): one
            for keyword in facts.keywords
            if len(holders := self._by_keyword.get(keyword, ())) <= crowd
            for one in holders
        }
        return (one for one in found.values() if one is not facts)


def least(size: int, share: float) -> int:
    """How many of so many things make that share, rounded up."""
    whole = int(size * share)
    return whole + (size * share - whole > 1e-9)
