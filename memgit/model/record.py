"""The record: one addressable piece of knowledge, as read from one version of one file."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgit.errors import UnreadableFile

Value = str | tuple[str, ...] | None
"""A field as typed: text is never turned into a number, a date or a truth value."""


class Problem(NamedTuple):
    """What is wrong with a file or a record, as a value: the rest of the file still counts.

    `code` is the lint rule that reports it, `line` counts from 1, `fatal` says that the record cannot be
    written to.
    """

    code: str
    line: int
    message: str
    fatal: bool = False


def problem_of(error: UnreadableFile) -> Problem:
    """Why nothing can be read of a file, as a value."""
    return Problem(error.code, error.line or 1, error.message, True)


def joined(value: Value) -> str:
    """A field as one text: the items of a list with commas."""
    return ", ".join(value) if isinstance(value, tuple) else value or ""


class Record(NamedTuple):
    """One record. Dates are `YYYY-MM-DD` or ISO 8601 text as found; `line` and `end_line` count from 1, both
    included.

    `fields` holds every field under its canonical name (see `kinds.FIELDS`), and unknown ones under the name
    that they have in the file, in file order. The properties below are views of it. `body` is the text
    without the fields and without the title's own heading, newlines as `\\n`, no blank line at either end.
    `ordinal` is its place among the records of its file, from 0: what `formats` needs to find it again.
    """

    kind: str
    address: str
    path: str
    title: str
    line: int
    end_line: int
    ordinal: int
    fields: Mapping[str, Value]
    body: str
    problem: Problem | None = None

    def text(self, name: str) -> str | None:
        """A field as one text; a list gives its items joined by `, `; absent, null or empty gives None."""
        value = self.fields.get(name)
        if isinstance(value, tuple):
            value = ", ".join(value)
        return value or None

    def items(self, name: str) -> tuple[str, ...]:
        """A field as a list; absent or null gives the empty one."""
        value = self.fields.get(name)
        if isinstance(value, str):
            return (value,) if value else ()
        return value or ()

    @property
    def stem(self) -> str:
        """The name of its file without `.md`."""
        return self.path.rpartition("/")[2].removesuffix(".md")

    @property
    def id(self) -> str | None:
        return self.text("id")

    @property
    def created(self) -> str | None:
        return self.text("created")

    @property
    def updated(self) -> str | None:
        """The last change that the file itself names, else its creation."""
        return self.text("updated") or self.text("created")

    @property
    def source(self) -> str | None:
        return self.text("source")

    @property
    def keywords(self) -> tuple[str, ...]:
        return self.items("keywords")

    @property
    def topics(self) -> tuple[str, ...]:
        return self.items("topics")

    @property
    def related(self) -> tuple[str, ...]:
        """Targets of the Related field without brackets, as typed: `file#heading`, `slug`, an address."""
        return self.items("related")

    @property
    def derived_from(self) -> tuple[str, ...]:
        return self.items("derived_from")

    @property
    def archived(self) -> str | None:
        """The date of archiving or another true text; None while the record is in use."""
        value = self.text("archived")
        return None if value is None or value.lower() in ("false", "no", "null", "~") else value

    @property
    def version(self) -> int | None:
        """The version of a skill; `2.0.0` and `v2` count as 2."""
        value = self.text("version")
        digits = value.lstrip("vV").split(".")[0] if value else ""
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 10 else None

    @property
    def usage_count(self) -> int:
        """Uses counted inside the file; memgit's own lie on the usage refs."""
        return self._number("usage_count")

    @property
    def mirrored_count(self) -> int:
        """How many of these memgit wrote there from the usage refs; the others are another tool's."""
        return min(self._number("mirrored_count"), self.usage_count)

    def _number(self, name: str) -> int:
        value = self.text(name)
        return int(value) if value and value.isascii() and value.isdigit() and len(value) < 16 else 0


class ParsedFile(NamedTuple):
    """What one file holds: its records in file order, what is wrong with it, and what it says about itself
    (category name, keywords).
    """

    records: tuple[Record, ...]
    problems: tuple[Problem, ...] = ()
    meta: Mapping[str, Value] = {}

    @property
    def fatal(self) -> bool:
        """Whether something in it cannot be read."""
        return any(problem.fatal for problem in self.problems)
