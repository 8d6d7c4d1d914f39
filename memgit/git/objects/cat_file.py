"""Objects as git itself reads them, for those few that are not worth loading libgit2: one `git cat-file
--batch`, asked for one by one.

Form of the answers: `git-cat-file(1)`, "Batch output".
"""

from __future__ import annotations

from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias

    from memgit.git.repository import Repository

PATIENCE = 120.0
"""Seconds until an answer begins: git may look through many packs for an object."""
MIDWAY = 10.0
"""Seconds that the next piece of an answer may take.

Of a damaged object, git may promise more than it has.
"""

READ = (*process.FRUGAL, "--no-replace-objects", "cat-file", "--batch")
"""As libgit2 reads: an object is what its hash says, whatever replaces it in this clone."""

Answer: TypeAlias = "tuple[str, bytes, bytes | None]"
"""What was asked for, the name of its type, its content; None (and no type) where it is missing."""


class CatFile:
    """It is started when first asked.

    Where it fails it has no object any more, and whoever asks must look elsewhere.
    """

    def __init__(self, repo: Repository) -> None:
        self._command = process.command(READ, repo=repo)
        self._child: process.Child | None = None
        self._ended = False

    def read(self, oid: str) -> tuple[bytes, bytes] | None:
        """Name of the type and content of an object; None where it is not there or cannot be read."""
        if self._ended:
            return None
        try:
            if self._child is None:
                self._child = process.Child(*self._command, stdin=True, group=True)
            self._child.send(oid.encode("ascii") + b"\n")
            about, kind, data = next(answers(_pieces(self._child)))
            if about != oid:
                raise Refused(f"git was asked for {oid}")
            return None if data is None else (kind, data)
        except (OSError, StopIteration, Refused):
            self.stop()
            return None
        except BaseException:  # a Ctrl-C: what is left of this answer must not be taken for the next one
            self.stop()
            raise

    def once(self, oid: str) -> tuple[bytes, bytes] | None:
        """As `read`, by a git that is asked for this object alone: it ends, however much less it has of it
        than it promises.
        """
        try:
            done = process.spawn(*self._command, data=oid.encode("ascii") + b"\n", timeout=PATIENCE)
            about, kind, data = next(answers([done.out]))
        except (StopIteration, Refused):
            return None
        return None if data is None or about != oid else (kind, data)

    def stop(self) -> None:
        """Ends it."""
        child, self._child, self._ended = self._child, None, True
        if child is not None:
            child.kill()

    def __del__(self) -> None:
        if getattr(self, "_child", None) is not None:
            with suppress(Exception):  # at the end of the interpreter, little is left to work with
                self.stop()


def _pieces(child: process.Child) -> Iterator[bytes]:
    """What it says, until it ends. Raises Refused where it takes too long."""
    piece = child.receive(PATIENCE)
    while piece:
        yield piece
        piece = child.receive(MIDWAY)


def answers(pieces: Iterable[bytes]) -> Iterator[Answer]:
    """The answers of `git cat-file --batch`, each as soon as all of it is there.

    Raises:
        Refused: git says something else.
    """
    held: list[bytes] = []
    have = need = 0
    for piece in pieces:
        held.append(piece)
        have += len(piece)
        if have < need:
            continue
        data = piece if len(held) == 1 else b"".join(held)
        start = need = 0
        while True:
            end = data.find(b"\n", start)
            if end < 0:
                break
            words = data[start:end].split(b" ")
            about = words[0].decode("ascii", "replace")
            if len(words) == 2 and words[1] == b"missing":
                yield about, b"", None
                start = end + 1
                continue
            if len(words) != 3 or not words[2].isdigit():
                raise Refused(f"git cat-file said {data[start:end][:80]!r}")
            stop = end + 1 + int(words[2])
            if len(data) <= stop:
                need = stop + 1 - start
                break
            yield about, words[1], data[end + 1 : stop]
            start = stop + 1
        rest = data[start:]
        held, have = [rest], len(rest)
