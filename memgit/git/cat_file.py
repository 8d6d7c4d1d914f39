"""Objects as git itself reads them, for those few that are not worth loading libgit2: one `git cat-file --batch`, asked for one by one.

Form of the answers: `git-cat-file(1)`, "Batch output".
"""

from __future__ import annotations

from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process

if TYPE_CHECKING:
    from memgit.git.repository import Repository

PATIENCE = 120.0
"""Seconds that one piece of an answer may take."""

_READ = (*process.FRUGAL, "--no-replace-objects", "cat-file", "--batch")
"""As libgit2 reads: an object is what its hash says, whatever replaces it in this clone."""


class CatFile:
    """It is started when first asked. Where it fails it has no object any more, and whoever asks must look elsewhere."""

    def __init__(self, repo: Repository) -> None:
        self._command = process.command(_READ, repo=repo)
        self._child: process.Child | None = None
        self._ended = False

    def read(self, oid: str) -> tuple[bytes, bytes] | None:
        """Name of the type and content of an object; None where it is not there or cannot be read."""
        if self._ended:
            return None
        try:
            if self._child is None:
                self._child = process.Child(*self._command, stdin=True, group=True)
            return _answer(self._child, oid.encode("ascii"))
        except (OSError, ValueError, Refused):
            self.stop()
            return None
        except BaseException:  # a Ctrl-C: what is left of this answer must not be taken for the next one
            self.stop()
            raise

    def stop(self) -> None:
        """Ends it."""
        child, self._child, self._ended = self._child, None, True
        if child is not None:
            child.kill()

    def __del__(self) -> None:
        if getattr(self, "_child", None) is not None:
            with suppress(Exception):  # at the end of the interpreter, little is left to work with
                self.stop()


def _answer(child: process.Child, oid: bytes) -> tuple[bytes, bytes] | None:
    """What it says of one object.

    Raises:
        Refused: it takes too long.
        ValueError: it ended, or said something else.
    """
    child.send(oid + b"\n")
    said = bytearray()
    end = -1
    while end < 0:
        said += _piece(child)
        end = said.find(b"\n")
    words = bytes(said[:end]).split(b" ")
    if len(words) == 2 and words[0] == oid:  # "missing"
        return None
    if len(words) != 3 or words[0] != oid:
        raise ValueError(words)
    start, stop = end + 1, end + 1 + int(words[2])
    while len(said) <= stop:
        said += _piece(child)
    return words[1], bytes(said[start:stop])


def _piece(child: process.Child) -> bytes:
    piece = child.receive(PATIENCE)
    if not piece:
        raise ValueError("it ended")
    return piece
