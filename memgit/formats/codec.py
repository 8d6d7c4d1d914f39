"""What every way of writing records can do: the protocol behind `codecs.form_named`."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Value

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Protocol
else:
    Protocol = object


class Draft(NamedTuple):
    """A record to be written.

    `fields` has canonical names; a value of None, empty text or an empty list is left out.
    """

    kind: str
    title: str
    fields: Mapping[str, Value]
    body: str


class Form(Protocol):
    """Pure functions from bytes to bytes, for one form of file.

    `ordinal` is the place of a record among those of its file, from 0 (`Record.ordinal`). A file that cannot
    be understood raises `UnreadableFile`; a record that must not be written to (`Problem.fatal`) raises
    `Refused`; text that has no place in the form raises `BadInput`. A change that changes nothing gives back
    the same bytes.
    """

    def parse(self, data: bytes, path: str, kind: str, key: str, note_address: str) -> ParsedFile:
        """The records of one file; `kind` and `key` come from its place, `note_address` is the address that a
        note there has.
        """

    def create(self, draft: Draft, existing: bytes | None) -> bytes:
        """The file with a new record at its end; `existing` is None for a new file, and must be for one
        record a file.
        """

    def edit(self, data: bytes, ordinal: int, changes: Mapping[str, Value]) -> bytes:
        """The file with fields of one record changed, `title` and `body` among them; None or `()` removes a
        field.
        """

    def extend(self, data: bytes, ordinal: int, text: str, date: str) -> bytes:
        """The file with text appended to one record, dated."""

    def replace(self, data: bytes, ordinal: int, body: str, date: str) -> bytes:
        """The file with a new body for one record; where the form keeps a history, the old one moves there
        under its date.
        """

    def remove(self, data: bytes, ordinal: int) -> bytes | None:
        """The file without one record, or None where nothing is left to keep."""
