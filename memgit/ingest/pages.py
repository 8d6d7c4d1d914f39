"""The text of a PDF without what belongs to its pages: headers, footers and numbers of pages."""

from __future__ import annotations

import re
from collections import Counter

REPEATED = 3
"""So many pages have the same header or footer."""
MAX_WORDS = 12
"""Words of a title."""
MAX_LINE = 90
"""Characters of one."""
_PAGE = re.compile(
    r"^\W*(?:page\s*)?\d{1,4}(?:\s*(?:of|/)\s*\d{1,4})?\W*$|\bpage\s*\d+\s*(?:of|/)\s*\d+\s*$", re.IGNORECASE
)
_GLYPH = re.compile(r"\(cid:\d+\)")
_BULLET = re.compile(r"(?m)^[ \t]*[\uf0b7\uf0a7\u2022\u25cf\u25aa\u2023][ \t]*")


def title_of(text: str) -> str | None:
    """The first line of a document, where it may be its title."""
    line = next((line.strip(" -\t") for line in text.split("\n") if line.strip()), "")
    fits = 1 < len(line.split()) <= MAX_WORDS and line[:1].isupper() and line[-1:] not in ".,;:"
    return line if fits else None


def without_furniture(text: str) -> str:
    """The text without headers and footers; bullets become those of Markdown."""
    lines = _BULLET.sub("- ", _GLYPH.sub("", text.replace("\f", "\n\n"))).split("\n")
    counts = Counter(line.strip() for line in lines if 0 < len(line.strip()) <= MAX_LINE)
    title = title_of("\n".join(lines))
    footer = re.compile(rf"{re.escape(title)}[\W\d]+$") if title else None
    kept = [
        line
        for number, line in enumerate(lines)
        if not (footer is not None and footer.match(line.strip()) and _at_edge(lines, number))
        and not (_PAGE.search(line) or (counts[line.strip()] >= REPEATED and _at_edge(lines, number)))
    ]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(kept))


def _at_edge(lines: list[str], number: int) -> bool:
    """Whether a line stands apart from what is above or below it, and is no item, table or code."""
    above = lines[number - 1].strip() if number else ""
    below = lines[number + 1].strip() if number + 1 < len(lines) else ""
    return (not above or not below) and lines[number].lstrip()[:1] not in "-|`#*"
