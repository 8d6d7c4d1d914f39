"""What an operation is: its plan, what the plan works with, and the answer."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.record_json import record_json
from memgit.app.workspace import Context, Workspace
from memgit.app.write.overlay import Overlay, OverlayReader
from memgit.errors import BadInput, Refused
from memgit.formats.codec import Form
from memgit.formats.codecs import form_named
from memgit.model import link
from memgit.model.ids import new_id
from memgit.model.layout import Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange
from memgit.model.record import Record

if TYPE_CHECKING:
    from typing import Any

    from memgit.app.write.entry_files import EntryFiles
    from memgit.app.write.similar import Close

MOST_IDS = 512
"""Twice as many ids as are looked up at once."""


class Plan(NamedTuple):
    """What an operation is to do. Its edits lie on the overlay; an empty plan (no changes) makes no commit.

    `record` names the record that the answer shows: its path and ordinal after the edits. `linked` are
    addresses of records that got a link back. `anyway` commits edits that change no record, such as new line
    ends. `derived` are the derived files among the edits, where the plan has seen to all that is affected itself.
    `detail` is what the message says beside the reason. `close` are records close to a new one.
    """

    op: str
    changes: tuple[RecordChange, ...]
    subject: str
    record: tuple[str, int] | None = None
    linked: tuple[str, ...] = ()
    source: str | None = None
    derived_from: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    anyway: bool = False
    derived: frozenset[str] | None = None
    detail: str | None = None
    close: tuple[Close, ...] = ()


class OperationResult(NamedTuple):
    """The answer of a write.

    `commit` is None where nothing had to change or the change was only staged; `notes` are for stderr.
    """

    op: str
    action: str
    record: Record | None
    commit: str | None
    linked: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    changes: tuple[RecordChange, ...] = ()
    staged: bool = False
    close: tuple[Close, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "op": self.op,
            "action": self.action,
            "record": None if self.record is None else record_json(self.record),
            "commit": self.commit,
            "related": list(self.linked),
            "changes": [change.as_json() for change in self.changes],
            "staged": self.staged,
            "close": [one.as_json() for one in self.close],
        }


class Session:
    """What a plan works with: a reader of the newest commit, the overlay of edits, and the context of the
    operation.
    """

    def __init__(
        self, workspace: Workspace, context: Context, overlay: Overlay, revision: str | None
    ) -> None:
        self.workspace = workspace
        self.context = context
        self.overlay = overlay
        self.reader = OverlayReader(workspace, overlay, revision)
        self.hasty = False  # a batch in one commit, which is read back once, at its end
        self.series = False  # one of several operations in one go
        self.trusting = False  # a series whose files are read back at its end
        self._held: dict[str, list[str]] = {}
        self._titles: dict[str, set[str]] = {}
        self._entry_files: EntryFiles | None = None
        self._ids: list[str] = []
        self._lot = 1
        self._spellings: dict[tuple[str, bool], dict[str, str]] = {}

    def titles(self, path: str) -> list[str]:
        """Titles of the records of a file in order, those added by this operation among them."""
        if path not in self._held:
            self._held[path] = [link.normal(record.title) for record in self.overlay.parsed(path).records]
            self._titles[path] = set(self._held[path])
        return self._held[path]

    def has_title(self, path: str, title: str) -> bool:
        """Whether a record of a file has a title, given in the form in which names are compared."""
        self.titles(path)
        return title in self._titles[path]

    def holds(self, path: str) -> bool:
        """Whether this operation has looked at a file or added to it before."""
        return path in self._held

    def added(self, path: str, title: str) -> None:
        """Notes that a record was appended to a file, so that a batch need not parse the file again for each."""
        self.titles(path).append(link.normal(title))
        self._titles[path].add(link.normal(title))

    @property
    def entry_files(self) -> EntryFiles:
        """The files that a batch appends to."""
        if self._entry_files is None:
            from memgit.app.write.entry_files import EntryFiles

            self._entry_files = EntryFiles(self.overlay)
        return self._entry_files

    def spelled(self, parent: str, name: str, *, folder: bool) -> str:
        """The name of a file or folder in `parent` as one that is there spells it, case and normal form aside; a new one is
        remembered as it is.

        The names are looked up once an operation, so that a batch does not list a folder again for each
        record.
        """
        there = self._spellings.get((parent, folder))
        if there is None:
            found = self.overlay.folders(parent) if folder else self.overlay.names(parent)
            there = self._spellings[parent, folder] = {
                **{link.normal(one).casefold(): one for one in reversed(found)},
                **{one: one for one in found},
            }
        return there.get(name) or there.setdefault(link.normal(name).casefold(), name)

    def verify(self) -> None:
        """Checks that every file that records were appended to reads back with exactly these records.

        Raises:
            BadInput: one does not; its path is named.
        """
        for path, titles in self._held.items():
            if [link.normal(record.title) for record in self.overlay.parsed(path).records] != titles:
                raise BadInput(
                    "a record would not read back as it was given",
                    path=path,
                    hint="look for headings or fences in the bodies",
                )

    def read_back(self) -> bool:
        """Whether every file that records were appended to without reading it again holds them so."""
        return self._entry_files is None or self._entry_files.read_back()

    def fresh_id(self) -> str:
        """An id that no record has had.

        Drawn in growing lots, each of which is looked up at once: a batch asks for many.
        """
        while not self._ids:
            self._lot = min(2 * self._lot, MOST_IDS)
            drawn = [new_id(self.context.entropy) for _ in range(self._lot // 2)]
            taken = self.reader.taken(drawn)
            self._ids = [one for one in reversed(drawn) if one not in taken]
        return self._ids.pop()

    def place_of(self, record: Record) -> Place:
        found = self.workspace.layout.find(record.path)
        if found is None:
            raise Refused("the file belongs to no kind of record", path=record.path)
        return found[0]

    def form_of(self, record: Record) -> Form:
        return form_named(self.place_of(record).form)

    def writable(self, record: Record) -> Record:
        """The record, where its file can be written to.

        Raises:
            Refused: the file or the record could not be understood; the line and cause are named.
        """
        problem = record.problem
        if problem is None or not problem.fatal:
            problem = next(
                (
                    found
                    for found in self.overlay.parsed(record.path).problems
                    if found.fatal and found.code != "MG104"
                ),
                None,
            )
        if problem is not None and problem.fatal:
            raise Refused(
                f"not written: {problem.message}",
                path=record.path,
                line=problem.line,
                hint="fix the file by hand, then try again",
            )
        return record

    def bytes_of(self, record: Record) -> bytes:
        data = self.overlay.data(record.path)
        if data is None:
            raise Refused("the file is gone", path=record.path)
        return data

    def again(self, path: str, ordinal: int) -> Record:
        """The record as it is after the edits so far."""
        return self.overlay.parsed(path).records[ordinal]
