"""The content map: what a source holds, cut into segments.

Every line of it is in exactly one segment or among those that were dropped.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class Segment(NamedTuple):
    """One stretch of lines of one file, on one topic.

    Attributes:
        id: `seg-001`, counted through the whole map.
        first, last: its lines, counted from 1, both included.
        title: what a record made from it is called; it may stand in other segments too.
        context: the titles that it stands under, outermost first; empty where it is the whole file.
        tokens: see `model.tokens`.
        key_terms: three to five, fewer where the text has no more.
        text: its lines as the body of a record: Markdown without its own heading, code in a fence, lines
            ended by `\\n`.
        parts: what it is worth is made of; see `ingest.scoring`.
        subject: what the document is about, as titles name it; empty where that is not known.
        date: the day (YYYY-MM-DD) on which it was said; empty where the text does not tell.
    """

    id: str
    topic: str
    source_file: str
    first: int
    last: int
    title: str
    context: tuple[str, ...]
    summary: str
    tokens: int
    key_terms: tuple[str, ...]
    text: str
    parts: Mapping[str, int]
    subject: str = ""
    date: str = ""

    @property
    def worth(self) -> int:
        return sum(self.parts.values())

    @property
    def lines(self) -> str:
        return f"{self.first}-{self.last}"

    def as_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "topic": self.topic,
            "title": self.title,
            "source_file": self.source_file,
            "source_lines": self.lines,
            "summary": self.summary,
            "estimated_tokens": self.tokens,
            "key_terms": list(self.key_terms),
        }


class Dropped(NamedTuple):
    """Lines that are in no segment, and why: `blank` or `frontmatter`."""

    source_file: str
    first: int
    last: int
    reason: str

    def as_json(self) -> dict[str, Any]:
        return {
            "source_file": self.source_file,
            "source_lines": f"{self.first}-{self.last}",
            "reason": self.reason,
        }


class FileMap(NamedTuple):
    """The map of one file. `title` is that of the file as a whole, `tokens` those of its whole text; `fault`
    tells the line and the reason where its frontmatter cannot be read, `about` is a word for a category of it.
    """

    path: str
    title: str
    tokens: int
    segments: tuple[Segment, ...]
    dropped: tuple[Dropped, ...]
    fault: tuple[int, str] | None = None
    about: str = ""


def map_json(
    kind: str, path: str, files: Sequence[FileMap], skipped: Sequence[tuple[str, str]] = ()
) -> dict[str, Any]:
    """The content map of a source: `{source {type, path, total_tokens}, segments, dropped, skipped}`.

    Args:
        kind: file, directory, url or text.
        skipped: files that were not read, each with the reason.
    """
    return {
        "source": {"type": kind, "path": path, "total_tokens": sum(file.tokens for file in files)},
        "segments": [segment.as_json() for file in files for segment in file.segments],
        "dropped": [dropped.as_json() for file in files for dropped in file.dropped],
        "skipped": [{"source_file": name, "reason": reason} for name, reason in skipped],
    }


def numbered(files: Sequence[FileMap]) -> list[FileMap]:
    """The maps with the ids of their segments counted through."""
    out: list[FileMap] = []
    count = 0
    for file in files:
        segments = []
        for segment in file.segments:
            count += 1
            segments.append(segment._replace(id=f"seg-{count:03d}"))
        out.append(file._replace(segments=tuple(segments)))
    return out
