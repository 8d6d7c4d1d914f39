"""Standard streams that outlive their readers, so that the exit code of a check depends on the check alone."""

from __future__ import annotations

import errno
import io
import os
import sys

from memgit import TYPE_CHECKING
from memgit.cli.root import split

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TextIO

READERS = frozenset(
    "show search recall context list history blame diff log links tags rule health completion export".split()
)
"""Commands whose exit code says nothing about the repository: they may stop, with 0, once nobody reads on."""
_GONE = frozenset([errno.EPIPE, errno.EBADF, errno.EIO])


class _Lasting(io.FileIO):
    """A descriptor that drops what is written once its reader has gone."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError as error:
            if error.errno not in _GONE:
                raise
            return memoryview(data).nbytes


def secure(args: Sequence[str]) -> None:
    """Prepares the standard streams of this process for a command line.

    A closed descriptor is opened on `/dev/null`, as the next file that is opened would get its number. Standard error, and
    standard output unless the command only reads, go on without their reader.
    """
    while (handle := os.open(os.devnull, os.O_RDWR)) <= 2:
        pass
    os.close(handle)
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    sys.stderr = _lasting(sys.stderr, 2)
    words = split(args)
    if sys.stdout is None or words is None or not READERS.intersection(words[1][:1]):
        sys.stdout = _lasting(sys.stdout, 1)


def _lasting(stream: TextIO | None, handle: int) -> TextIO:
    encoding, errors = ("utf-8", "strict") if stream is None else (stream.encoding, stream.errors)
    raw = io.BufferedWriter(_Lasting(handle, "w", closefd=False))
    return io.TextIOWrapper(raw, encoding=encoding, errors=errors, line_buffering=handle == 2 or raw.isatty())
