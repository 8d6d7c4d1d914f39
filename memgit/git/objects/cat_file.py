"""Objects as git itself reads them: the answers of `git cat-file --batch`, of the form in `git-cat-file(1)`,
"Batch output".
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import TypeAlias


READ = (*process.FRUGAL, "--no-replace-objects", "cat-file", "--batch")
"""As libgit2 reads: an object is what its hash says, whatever replaces it in this clone."""

Answer: TypeAlias = "tuple[str, bytes, bytes | None]"
"""What was asked for, the name of its type, its content; None (and no type) where it is missing."""


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
