"""Reading records: of a commit, or of the newest commit with the uncommitted edits of the working tree
counted in.

A reader answers for exactly one state: `revision` names the commit (None before the first), `fresh` says
whether uncommitted edits are part of the answer.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.workspace import Workspace
from memgit.cache.ids import seen
from memgit.errors import Ambiguous, BadInput, NotFound, UnreadableFile
from memgit.formats.codecs import parse_file
from memgit.formats.tags import has_tag, tags_of
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree, DiskTree
from memgit.model import address as addresses
from memgit.model import link
from memgit.model.address import Address
from memgit.model.filetree import FileTree
from memgit.model.kinds import KINDS
from memgit.model.link import Names, Wikilink
from memgit.model.record import ParsedFile, Problem, Record, problem_of

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
    from typing import TypeVar

    from memgit.cache.records import Snapshot

    T = TypeVar("T")
    R = TypeVar("R", bound="Reader")

REGULAR = (0o100644, 0o100755)
MAX_NAMED = 5
MAX_CLOSE = 20
"""Records that are compared with a new text."""
FEWEST = 100
"""Records that a workspace counts for at least: among a few records no word is rare."""
MOST_OUTSIDE = 20_000
"""Files of a folder outside any repository that are looked at."""
MAX_COMPARED = 5000
"""Records up to which a mistyped address is compared with every one of them."""


class Reader:
    """Records of one state.

    Files are parsed once; what cannot be read becomes a problem, never an exception.
    """

    def __init__(self, workspace: Workspace, files: FileTree, revision: str | None, fresh: bool) -> None:
        self.workspace = workspace
        self.files = files
        self.revision = revision
        self.fresh = fresh
        self._parsed: dict[str, ParsedFile] = {}
        self._names: Names | None = None

    def file(self, path: str) -> ParsedFile:
        """What one file holds; empty for a file that is not there or belongs to no kind."""
        if path not in self._parsed:
            try:
                data = self.files.data(path)
            except UnreadableFile as error:
                self._parsed[path] = ParsedFile((), (problem_of(error),))
            else:
                self._parsed[path] = parse_file(self.workspace.layout, path, data)
        return self._parsed[path]

    def paths(self) -> Iterator[str]:
        """The paths of files that may hold records, sorted."""
        layout = self.workspace.layout
        return (path for path in self.files.paths() if layout.holds(path))

    def records(self, kind: str | None = None) -> Iterator[Record]:
        """Every record, in the order of paths and lines."""
        for path in self.paths():
            for record in self.file(path).records:
                if kind is None or record.kind == kind:
                    yield record

    def heads(
        self,
        kind: str | None = None,
        group: str | None = None,
        *,
        archived: bool = True,
        topic: str | None = None,
    ) -> Iterator[Record]:
        """Records that may lack their text (see `load`).

        The filters leave out what surely does not fit; the caller looks closely.
        """
        return (record for record in self.records(kind) if archived or not record.archived)

    def narrow(self, *kinds: str) -> None:
        """Says that only records of some kinds will be asked for, before any is: uncommitted edits of others
        are not looked for then.
        """

    def load(self, record: Record) -> Record:
        """A record with its text."""
        return record

    def tags(self) -> Iterator[tuple[Record, Sequence[str]]]:
        """Heads of the records that have tags, with these."""
        return ((record, tags) for record in self.records() if (tags := tags_of(record)))

    def with_tag(self, tag: str) -> frozenset[tuple[str, int]]:
        """Path and ordinal of the records that have a tag or one under it."""
        return frozenset((record.path, record.ordinal) for record, tags in self.tags() if has_tag(tags, tag))

    def blobs(self) -> Mapping[str, str]:
        """The blob of each file with records, by path, as far as it is known without reading the file."""
        return {}

    def merged(self) -> Iterator[Record]:
        """The records that were merged into another and archived; they may lack their text."""
        return (record for record in self.heads() if record.archived and record.text("merged_into"))

    def taken(self, ids: Collection[str]) -> set[str]:
        """Those of some ids that were ever handed out, as far as this reader can tell."""
        return set()

    def problems(self) -> Iterator[tuple[str, Problem]]:
        """What cannot be understood, by path."""
        for path in self.paths():
            parsed = self.file(path)
            for problem in parsed.problems:
                yield path, problem

    def names(self) -> Names:
        """The names that all records answer to."""
        if self._names is None:
            self._names = Names(self.records())
        return self._names

    def named(self, target: Wikilink, origin: str | None = None) -> list[Record]:
        """The records that a link in the file `origin` could mean: one where it resolves, none or several where it does not."""
        return link.resolved(self.names(), target, origin)

    def find(self, text: str) -> Record:
        """The record that a text names: an address, any unique ending of one, an id, or a wikilink; of a
        skill, also with its version.

        Raises:
            NotFound: nothing answers to it; the nearest addresses are named.
            Ambiguous: several records do; they are named.
            BadInput: a version that is not the present one, which only history can answer (see
                `app.show.at_version`).
        """
        text = text.strip()
        if not text:
            raise BadInput("an address is empty", hint="memgit list")
        if text.startswith("[[") and text.endswith("]]"):
            return self._one(text, self.named(link.parse(text[2:-2])))
        name, version = addresses.versioned(text)
        if version is not None and not self.literal(text):
            return self._present(text, self.find(name), version)
        exact = addresses.parse(text)
        if exact is not None:
            found = self.at(exact)
            if found:
                return self._one(text, found)
        return self._one(text, self._lookup(text))

    def literal(self, text: str) -> list[Record]:
        """The records that a text with a version at its end means as it stands: those whose own name ends so."""
        exact = addresses.parse(text)
        if exact is None:
            return self._lookup(text)
        return self.at(
            exact
            if exact.version is None
            else exact._replace(key=f"{exact.key}@{exact.version}", version=None)
        )

    def _present(self, text: str, record: Record, version: int) -> Record:
        """A skill that was asked for by a version, where it is at that one."""
        if record.kind != "skill":
            return self._one(text, [])
        now = record.version or 1
        if version != now:
            hint = f"{record.address} names the present one"
            hint += (
                f", and memgit show {record.address}@{version} shows that of before"
                if 0 < version < now
                else ""
            )
            raise BadInput(
                f"{record.address} is at version {now}, not {version}",
                path=record.path,
                line=record.line,
                hint=hint,
            )
        return record

    def at(self, address: Address) -> list[Record]:
        """The records at a full address: read from the files where they must lie, without looking at any
        other.
        """
        wanted = str(address._replace(version=None))
        found: list[Record] = []
        for path in self._candidates(address):
            found += [record for record in self.file(path).records if record.address == wanted]
        return found

    def _candidates(self, address: Address) -> list[str]:
        """The paths at which a record of that address may lie."""
        layout = self.workspace.layout
        out: list[str] = []
        for place in layout.of(address.kind):
            guess = f"{layout.base}{address.key}.md" if address.kind == "note" else place.path(address.key)
            if "{" in guess:
                continue
            if guess not in out and layout.find(guess) is not None:
                out.append(guess)
        return out

    def lookup(self, text: str) -> list[Record]:
        """The records that a short form may mean."""
        return self._lookup(text)

    def _lookup(self, text: str) -> list[Record]:
        """Records that a short form means: an id or address anywhere, a link target, or an ending of an
        address or title.
        """
        linked = self.named(link.parse(text))
        if linked:
            return linked
        wanted = link.normal(text)
        endings = [record for record in self.records() if addresses.ends(link.normal(record.address), wanted)]
        return (
            endings
            or [record for record in self.records() if link.normal(record.title) == wanted]
            or addresses.loosely(
                ((link.normal(one.address), link.normal(one.title), one) for one in self.records()), wanted
            )
        )

    def _one(self, text: str, found: list[Record]) -> Record:
        found = list({(record.path, record.ordinal): record for record in found}.values())
        if len(found) == 1:
            return found[0]
        if found:
            named = ", ".join(
                f"{record.address} ({record.path}:{record.line})" for record in found[:MAX_NAMED]
            )
            more = f" and {len(found) - MAX_NAMED} more" if len(found) > MAX_NAMED else ""
            alike = len({record.address for record in found}) == 1
            hint = (
                "edit the file and give one of them another title"
                if alike
                else "give more of the address, or an id"
            )
            raise Ambiguous(f"{text!r} names {len(found)} records: {named}{more}", hint=hint)
        near = self.suggest(text)
        state = f" at {self.revision[:10]}" if self.revision and not self.fresh else ""
        hint = f"did you mean {', '.join(near)}?" if near else "memgit list shows what is there"
        raise NotFound(f"no record answers to {text!r}{state}", hint=hint)

    def paths_holding(self, names: Sequence[str]) -> list[str]:
        """The paths of record files whose text holds one of the names, sorted: candidates for links to a
        record.
        """
        wanted = [name.encode("utf-8", "surrogateescape") for name in names]
        out = []
        for path in self.paths():
            data = self.files.data(path)
            if data is not None and any(name in data for name in wanted):
                out.append(path)
        return out

    def similar_candidates(self, kind: str, terms: Iterable[str]) -> Iterable[Record]:
        """Records of a kind that may share terms with a new text."""
        return self.records(kind)

    def rarity(self, stem: str) -> float:
        """How much a stem says about a text: the more, the fewer records hold it. 1 where that is not known."""
        return 1.0

    def suggest(self, text: str) -> list[str]:
        """Addresses near a mistyped one, the likeliest first."""
        return addresses.nearest(text, (record.address for record in self.records()))


class CachedReader(Reader):
    """Answers from the cache, brought up to date in proportion to what changed; full addresses are read from
    their files alone.

    Records of `records` and `find` by a short form are complete; `heads` gives them without their text, which
    is cheaper.
    """

    def __init__(
        self,
        workspace: Workspace,
        repo: Repository,
        files: FileTree,
        revision: str | None,
        fresh: bool,
        *,
        label: str = "at",
    ) -> None:
        super().__init__(workspace, files, revision, fresh)
        self._repo, self._label = repo, "" if fresh else label
        self._snapshot: Snapshot | None = None
        self._kinds: tuple[str, ...] = ()
        self._total: int | None = None
        self._rarity: dict[str, float] = {}

    def narrow(self, *kinds: str) -> None:
        self._kinds = kinds

    @property
    def snapshot(self) -> Snapshot:
        """The records of the state, with uncommitted edits on top where they count."""
        if self._snapshot is None:
            from memgit.cache.records import Snapshot

            self._snapshot = Snapshot(
                self.workspace.records_cache,
                self._repo,
                self.workspace.layout,
                self.revision,
                label=self._label,
            )
            edits = self._uncommitted() if self.fresh else {}
            if edits:
                self.count_in(edits)
        return self._snapshot

    def count_in(self, edits: Mapping[str, bytes | Problem | None]) -> None:
        """Counts edits of files in that are no part of the commit."""
        from memgit.cache.overlay import OverlaySnapshot

        self._snapshot = OverlaySnapshot(self.snapshot, dict(edits))

    def _uncommitted(self) -> dict[str, bytes | Problem | None]:
        """Every file that differs from the commit: its bytes, None where it is gone, or why it is not read."""
        found: dict[str, bytes | Problem | None] = {}
        layout = self.workspace.layout
        for path, kind in self.workspace.edited(self._repo, self.revision, layout.roots(self._kinds)):
            if layout.find(path) is None:
                continue
            try:
                data = self.files.data(path)
            except UnreadableFile as error:
                found[path] = Problem(error.code, 1, error.message, True)
                continue
            if (
                data is None
                and kind != "deleted"
                and os.path.lexists(os.path.join(self.workspace.root or "", path))
            ):
                found[path] = Problem("MG001", 1, "it is not a plain file: a link or a folder", True)
            else:
                found[path] = data
        return found

    def heads(
        self,
        kind: str | None = None,
        group: str | None = None,
        *,
        archived: bool = True,
        topic: str | None = None,
    ) -> Iterator[Record]:
        return self.snapshot.records(kind, group, archived=archived, topic=topic)

    def load(self, record: Record) -> Record:
        return self.snapshot.load(record)

    def tags(self) -> Iterator[tuple[Record, Sequence[str]]]:
        return self.snapshot.tags()

    def blobs(self) -> Mapping[str, str]:
        return self.snapshot.blobs()

    def merged(self) -> Iterator[Record]:
        return iter(self.snapshot.merged())

    def records(self, kind: str | None = None) -> Iterator[Record]:
        return map(self.load, self.heads(kind))

    def paths(self) -> Iterator[str]:
        return iter(self.snapshot.paths())

    def problems(self) -> Iterator[tuple[str, Problem]]:
        return self.snapshot.problems()

    def named(self, target: Wikilink, origin: str | None = None) -> list[Record]:
        return link.nearest(self.snapshot.named(target, origin), origin)

    def paths_holding(self, names: Sequence[str]) -> list[str]:
        return self.snapshot.holding(names)

    def similar_candidates(self, kind: str, terms: Iterable[str]) -> Iterable[Record]:
        from memgit.cache.search import similar

        return similar(self.snapshot, terms, kind=kind, limit=MAX_CLOSE)

    def rarity(self, stem: str) -> float:
        from memgit.cache.search import holding
        from memgit.model.overlap import rarity

        if self._total is None:
            self._total = max(FEWEST, self.snapshot.total())
        if stem not in self._rarity:
            self._rarity[stem] = rarity(self._total, holding(self.snapshot, stem))
        return self._rarity[stem]

    def suggest(self, text: str) -> list[str]:
        near = self.snapshot.suggest(text)
        if not near and self.snapshot.total() <= MAX_COMPARED:
            near = addresses.nearest(text, (record.address for record in self.heads()))
        return near

    def taken(self, ids: Collection[str]) -> set[str]:
        return seen(self.workspace.records_cache, ids)

    def _lookup(self, text: str) -> list[Record]:
        return [self.load(record) for record in self.snapshot.lookup(text)]


def open_reader(workspace: Workspace, at: str | None = None) -> Reader:
    """A reader for a revision, or for the newest commit with uncommitted edits counted in.

    Raises:
        NotFound: no such revision.
    """
    repo = workspace.repo
    if at is None and workspace.proposal is not None:
        at = workspace.proposal.tip
    if at is None and workspace.root is not None:
        revision = repo.head().commit if repo is not None else None
        disk = DiskTree(workspace.root, repo, MOST_OUTSIDE)
        return (
            Reader(workspace, disk, revision, True)
            if repo is None
            else CachedReader(workspace, repo, disk, revision, True)
        )
    repo = workspace.require_repository()
    commit = repo.resolve(at) if at is not None else repo.head().commit
    return CachedReader(workspace, repo, CommitTree(repo, repo.tree(commit)), commit, False)


def open_searchable(workspace: Workspace, at: str | None = None) -> CachedReader:
    """As `open_reader`, of a repository, whose records can be searched.

    Raises:
        NotFound: no such revision.
        Refused: the folder lies in no repository.
    """
    workspace.require_repository()
    reader = open_reader(workspace, at)
    assert isinstance(reader, CachedReader)
    return reader


def kinds_of(text: str | None) -> str | None:
    """A kind by name, checked; a plural counts (`memories`, `decisions`).

    Raises:
        BadInput: no such kind.
    """
    if text is None or text in KINDS:
        return text
    singular = {"memories": "memory", "knowledge-base": "knowledge"}.get(text, text.removesuffix("s"))
    if singular in KINDS:
        return singular
    raise BadInput(f"{text!r} is not a kind of record", hint=f"one of {', '.join(KINDS)}")
