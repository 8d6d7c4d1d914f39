"""`info/exclude`: what git ignores in this clone alone (`gitignore(5)`). memgit's part is one block a
knowledge root; the rest stays.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.write_all import replace_file
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from memgit.git.repository import Repository

LOCAL = "local derived files"
"""The block of the derived files that a clone keeps for itself."""
_SPECIAL = pattern(rb"([\\*?\[\]!# ])")
_QUOTED = pattern(rb"\\(.)")


def set_excluded(repo: Repository, paths: Iterable[str], what: str = LOCAL) -> None:
    """Makes git ignore exactly these files of the knowledge root, beside what others have it ignore; none
    takes the block away.

    Args:
        what: names the block.

    Raises:
        Refused: the file cannot be written.
    """
    root = repo.prefix.encode("utf-8", "surrogateescape")
    opening, closing = _marks(root, what)
    names = sorted(root + path.encode("utf-8", "surrogateescape") for path in paths if "\n" not in path)
    block = [opening, *(b"/" + _escaped(name) for name in names), closing] if names else []
    file = os.path.join(repo.common_dir, "info", "exclude")
    try:
        lines = _lines(file)
        start = lines.index(opening) if opening in lines else len(lines)
        end = lines.index(closing, start) + 1 if closing in lines[start:] else start
        new = lines[:start] + block + lines[end:]
        if new == lines:
            return
        replace_file(file, b"".join(line + b"\n" for line in new))
    except OSError as error:
        raise Refused(f"{file} cannot be written: {error.strerror}") from error


def excluded(repo: Repository, what: str = LOCAL) -> set[str]:
    """The files of the knowledge root that `set_excluded` has git ignore.

    Raises:
        OSError: the file cannot be read.
    """
    root = repo.prefix.encode("utf-8", "surrogateescape")
    opening, closing = _marks(root, what)
    lines = _lines(os.path.join(repo.common_dir, "info", "exclude"))
    if opening not in lines or closing not in lines:
        return set()
    names = lines[lines.index(opening) + 1 : lines.index(closing, lines.index(opening))]
    return {_QUOTED.sub(rb"\1", name)[1 + len(root) :].decode("utf-8", "surrogateescape") for name in names}


def _marks(root: bytes, what: str) -> tuple[bytes, bytes]:
    """The first and the last line of the block of a knowledge root."""
    return f"# memgit: {what} of /".encode() + _escaped(root), b"# /memgit: /" + _escaped(root)


def _lines(file: str) -> list[bytes]:
    try:
        with open(file, "rb") as found:
            data = found.read()
    except FileNotFoundError:
        return []
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _escaped(name: bytes) -> bytes:
    return _SPECIAL.sub(rb"\\\1", name)
