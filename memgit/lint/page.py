"""One file as rules see it: bytes, text, what it parses to, links, and what it allows in place; each worked
out when it is asked for.
"""

from __future__ import annotations

from functools import cached_property

from memgit.errors import UnreadableFile
from memgit.formats.frontmatter import split
from memgit.formats.links import Link
from memgit.formats.links import find as find_links
from memgit.formats.text import decode
from memgit.lint.lines import Lines
from memgit.lint.suppress import Allowed, allowed
from memgit.model.layout import Layout, Place
from memgit.model.record import ParsedFile, Record

REGULAR, EXECUTABLE, LINK, SUBMODULE = 0o100644, 0o100755, 0o120000, 0o160000
FILES = (REGULAR, EXECUTABLE)
"""The modes of plain files."""


class Page:
    """One file of a corpus.

    Attributes:
        path: relative to the knowledge root.
        data: its bytes; empty for what is no regular file.
        mode: git's mode.
        place: where the layout puts it, with the key of its records; None for a file that holds none.
        parsed: what it parses to; empty where it holds no record.
    """

    def __init__(self, layout: Layout, path: str, data: bytes, mode: int, parsed: ParsedFile) -> None:
        self.layout = layout
        self.path = path
        self.data = data
        self.mode = mode
        self.parsed = parsed

    @cached_property
    def place(self) -> tuple[Place, str] | None:
        return self.layout.find(self.path)

    @cached_property
    def _decoded(self) -> tuple[str, UnreadableFile | None]:
        try:
            return decode(self.data), None
        except UnreadableFile as error:
            return "", error

    @property
    def unreadable(self) -> UnreadableFile | None:
        """Why the bytes are no text, None where they are."""
        return self._decoded[1]

    @property
    def text(self) -> str:
        """The text without a byte order mark; empty where the bytes are none."""
        return self._decoded[0]

    @cached_property
    def lines(self) -> list[str]:
        """The lines of the text without their ends."""
        lines = self.text.split("\n")
        return [line.removesuffix("\r") for line in lines] if "\r" in self.text else lines

    @property
    def place_is_entries(self) -> bool:
        """Whether the file holds several records, one a section."""
        return self.place is not None and self.place[0].form == "entries"

    @cached_property
    def body_start(self) -> int:
        """Where the text after the frontmatter starts, in characters; 0 where there is no block, or one that
        is never closed.
        """
        return split(self.text).body

    @cached_property
    def body_line(self) -> int:
        """The line on which the text after the frontmatter starts."""
        return self.text.count("\n", 0, self.body_start) + 1

    @cached_property
    def body(self) -> str:
        """The text after the frontmatter."""
        return self.text[self.body_start :]

    @cached_property
    def allowed(self) -> Allowed:
        return allowed(self.text, self.body_line)

    @cached_property
    def links(self) -> list[Link]:
        """The links of the text and the frontmatter, those to a place in the same file among them."""
        return find_links(self.text)

    @cached_property
    def wikilinks(self) -> list[Link]:
        """The wikilinks and embeds among them."""
        return [link for link in self.links if link.kind in ("wiki", "embed")]

    @cached_property
    def _places(self) -> Lines:
        return Lines(self.text)

    def line_of(self, text: str, within: tuple[int, int] | None = None) -> int | None:
        """The first line that holds a text, between two lines where given; None where none does."""
        start, stop = 0, len(self.text)
        if within is not None:
            first, after = self._places.start(within[0]), self._places.start(within[1] + 1)
            if first is None:
                return None
            start, stop = first, stop if after is None else after - 1 + len(text)
        found = self.text.find(text, start, stop)
        return self._places.of(found) if found >= 0 else None

    def record_at(self, line: int) -> Record | None:
        """The record that a line belongs to."""
        for record in self.parsed.records:
            if record.line <= line <= record.end_line:
                return record
        return None

    def address_at(self, line: int) -> str | None:
        """The address of the record that a line belongs to."""
        record = self.record_at(line)
        return None if record is None else record.address
