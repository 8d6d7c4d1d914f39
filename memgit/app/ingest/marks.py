"""What an ingest leaves behind to know its own work again: one line a record in the message of its commit.

A line is `<id> <digests of the segments> <digest of the body>`, and `edited` where the body was not what the
segments say. It lives in the history and nowhere else. Where a message was lost (another tool rewrote it),
whatever it would tell is unknown, and a person decides.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import sha256
from typing import NamedTuple

from memgit.app.read.log import log
from memgit.app.workspace import Workspace
from memgit.cache.event_text import Filter

INTRO = "Digests of lines and text, by record:"
FILES = "Digests of files that were taken whole:"
_LINE = re.compile(r" ?([0-9a-z]{10}) ((?:[0-9a-f]{12},)*[0-9a-f]{12}) ([0-9a-f]{12})( edited)?")
_FILE = re.compile(r"(?m)^ ?([0-9a-f]{16} [a-z]+)$")


class Mark(NamedTuple):
    """What the newest ingest of a record said: digests of its segments and of its body, and whether the body
    was edited before.
    """

    segments: tuple[str, ...]
    body: str
    edited: bool


class Marks:
    """The marks in the history of a commit, read when they are first asked for."""

    def __init__(self, workspace: Workspace, revision: str | None) -> None:
        self._workspace, self._revision = workspace, revision
        self._found: dict[str, Mark] | None = None
        self._segments: set[str] = set()
        self._files: set[str] = set()

    def of(self, record_id: str | None) -> Mark | None:
        """The mark of a record, None where there is none."""
        return self._read().get(record_id) if record_id is not None else None

    @property
    def segments(self) -> set[str]:
        """The digests of all segments that were ever written."""
        self._read()
        return self._segments

    @property
    def files(self) -> set[str]:
        """Digest and kind of files of which nothing was left to decide: the same bytes give no other record of
        that kind.
        """
        self._read()
        return self._files

    def _read(self) -> dict[str, Mark]:
        if self._found is None:
            self._found = {}
            if self._revision is not None:
                for event in log(
                    self._workspace,
                    self._revision,
                    cache=self._workspace.cache,
                    wanted=Filter(ops=("ingest",)),
                ):
                    self._take(event.reason or "")
        return self._found

    def _take(self, reason: str) -> None:
        assert self._found is not None
        _, _, files = reason.partition(FILES)
        self._files.update(_FILE.findall(files))
        for line in reason.split("\n") if INTRO in reason else ():
            match = _LINE.fullmatch(line)
            if match is not None:
                mark = Mark(tuple(match[2].split(",")), match[3], match[4] is not None)
                self._found.setdefault(match[1], mark)  # the newest comes first
                self._segments.update(mark.segments)


def written(marks: list[tuple[str, Mark]], files: Sequence[str] = ()) -> str:
    """The marks of one ingest as they stand in its message; empty where there are none.

    Args:
        files: digest and kind of the files that were taken whole.
    """
    if not marks:
        return ""
    whole = [FILES, *files] if files else []
    return "\n".join(
        [
            INTRO,
            *(
                f"{id_} {','.join(mark.segments)} {mark.body}{' edited' if mark.edited else ''}"
                for id_, mark in marks
            ),
            *whole,
        ]
    )


def digest(text: str) -> str:
    """Twelve hexadecimal digits that depend on the text alone, line ends and blanks at the ends of lines
    aside.
    """
    lines = (line.rstrip() for line in text.strip().split("\n"))
    return sha256("\n".join(lines).encode("utf-8", "surrogatepass")).hexdigest()[:12]
