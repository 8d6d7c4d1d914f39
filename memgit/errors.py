"""The error tree.

An error carries its exit code, where it happened and what to do next; the face prints it on one line and
shows no traceback. Exit codes: 0 done; 1 findings, drift or conflict; 2 wrong usage or bad input; 3 refused
or failed, nothing changed.
"""

from __future__ import annotations


class MemgitError(Exception):
    """Base of every error that a user may meet.

    Args:
        message: one sentence, without a final full stop.
        path: the file concerned, relative to the knowledge root.
        line: its line, counted from 1.
        hint: the next step, usually a command.
    """

    exit_code = 3

    def __init__(
        self, message: str, *, path: str | None = None, line: int | None = None, hint: str | None = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.path = path
        self.line = line
        self.hint = hint

    def as_json(self, code: str) -> dict[str, str | int | None]:
        """The error as a program reads it, under a name of its kind."""
        return {
            "code": code,
            "message": self.message,
            "path": self.path,
            "line": self.line,
            "hint": self.hint,
        }

    def __str__(self) -> str:
        where = "" if self.path is None else f"{self.path}:{self.line}: " if self.line else f"{self.path}: "
        return where + self.message


class Conflict(MemgitError):
    """Somebody else's change stands in the way: a lost update, a close record, an overlap (exit 1)."""

    exit_code = 1


class BadInput(MemgitError):
    """Wrong usage or input that cannot be taken (exit 2)."""

    exit_code = 2


class NotFound(BadInput):
    """An address, revision or file that is not there (exit 2)."""


class Broken(NotFound):
    """An object of the repository that is missing or damaged (exit 3)."""

    exit_code = 3


class Ambiguous(BadInput):
    """A short address that several records answer to (exit 2)."""


class Refused(MemgitError):
    """memgit will not, or cannot, do it; nothing was changed (exit 3)."""


class UnreadableFile(MemgitError):
    """A file whose text cannot be understood; it is reported and left alone (exit 3).

    Attributes:
        code: the lint rule that names this kind of fault (MG001 bytes, MG002 frontmatter, MG104 conflict
            markers).
        offset: byte offset of the fault where one is known, counted from 0.
    """

    def __init__(
        self,
        message: str,
        *,
        path: str | None = None,
        line: int | None = None,
        hint: str | None = None,
        code: str = "MG001",
        offset: int | None = None,
    ) -> None:
        super().__init__(message, path=path, line=line, hint=hint)
        self.code = code
        self.offset = offset
