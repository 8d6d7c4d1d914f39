"""A block of our own at the end of a text file that others own, between two marks; taken out again to the byte."""

from __future__ import annotations

import re
from typing import NamedTuple

NAME = "memgit"
JOINED, NEW = " (joined)", " (new)"


class Marks(NamedTuple):
    """How a comment of a format starts and ends."""

    before: str
    after: str

    def begin(self, note: str = "") -> str:
        """The first line; it notes what `put` found: a `(new)` file, or one `(joined)` for it had no last line end."""
        return f"{self.before} {NAME}: begin{note}{self.after}"

    @property
    def end(self) -> str:
        return f"{self.before} {NAME}: end{self.after}"


MARKDOWN = Marks("<!--", " -->")
HASH = Marks("#", "")


def put(text: str | None, block: str, marks: Marks) -> str:
    """The text (None: of a new file) with the block at its end, or in the place of the one that is there."""
    fresh, text = text is None, text or ""
    found = _find(text, marks)
    newline = "\r\n" if "\r\n" in text else "\n"
    lines = block.strip("\n").split("\n")
    if found is not None:
        inner = newline.join([found["begin"], *lines, marks.end]) + found["last"]
        return text[: found.start("begin")] + inner + text[found.end() :]
    joined = bool(text) and not text.endswith("\n")
    gap = newline * 2 if joined else "" if fresh else newline
    note = JOINED if joined else NEW if fresh else ""
    return text + gap + newline.join([marks.begin(note), *lines, marks.end]) + newline


def drop(text: str, marks: Marks) -> str | None:
    """The text without the block and what was put before it; as it is where there is none. None where `put` made
    the file and nothing else is in it.
    """
    found = _find(text, marks)
    if found is None:
        return text
    before = text[: found.start("begin")]
    if NEW in found["begin"]:
        return (before + text[found.end() :]) or None
    for gap in ("\r\n\r\n", "\n\n") if JOINED in found["begin"] else ("\r\n", "\n"):
        if before.endswith(gap):
            before = before[: -len(gap)]
            break
    return before + text[found.end() :]


def _find(text: str, marks: Marks) -> re.Match[str] | None:
    begin = "|".join(re.escape(marks.begin(note)) for note in ("", JOINED, NEW))
    form = rf"^(?P<begin>{begin})\r?\n(?P<inner>.*?)^{re.escape(marks.end)}(?P<last>\r?\n|\Z)"
    return re.search(form, text, re.MULTILINE | re.DOTALL)
