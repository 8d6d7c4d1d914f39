"""The lines of a segment as the body of a record: alone they must stand, and what they say must not change."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable

from memgit.formats.blocks import outline
from memgit.formats.links import anchor
from memgit.formats.markdown import relative_links
from memgit.formats.text import normal

_FENCE = re.compile(r"^ {0,3}(`{3,}|~{3,})")
_RUN = re.compile(r"`{3,}")
_MAYBE_RELATIVE = re.compile(
    r"\]\([ \t]*<?(?![/\\]|[A-Za-z][A-Za-z0-9+.-]+:)|\]:|<(?:a|img)\s", re.IGNORECASE
)
TOP = 3
"""The level of the highest heading in a body: above it are titles, and the sections that extensions add."""


def body_of(text: str) -> str:
    """Markdown as a body: no blank line at either end, a fence that is cut off closed, headings set down to
    `TOP` and what follows it.
    """
    text = _closed(_trimmed(normal(text)))
    found = outline(text)
    least = min((heading.level for heading in found.headings), default=TOP)
    if least >= TOP:
        return text
    parts: list[str] = []
    position = 0
    for heading in found.headings:
        level = min(6, heading.level + TOP - least)
        parts += (text[position : heading.start], f"{'#' * level} {heading.title}".rstrip())
        position = heading.end
    return "".join((*parts, text[position:]))


def fenced(text: str, language: str) -> str:
    """Code in a fence that nothing in it can close."""
    longest = max((len(run) for run in _RUN.findall(text)), default=2)
    fence = "`" * (longest + 1)
    return f"{fence}{language}\n{text}\n{fence}"


def relinked(text: str, origin: str, target: str, there: Callable[[str], bool]) -> str:
    """Markdown with its relative links as they must be to lead where they led.

    Args:
        origin: the path of the file that the text comes from.
        target: the path of the file that it goes into, relative to the same folder.
        there: whether something lies at a path; links of a file in the folder that led nowhere stay as they are.
            A link to a heading of the same text leads to that file, unless the heading is in this part of it.
    """
    if _MAYBE_RELATIVE.search(text) is None:
        return text
    name, outside = posixpath.basename(origin), origin.startswith("../")
    origin, target = posixpath.dirname(origin), posixpath.dirname(target)
    own = {anchor(heading.title) for heading in outline(text).headings} if "](#" in text else set()
    parts: list[str] = []
    position = 0
    for found in sorted(relative_links(text, within=True), key=lambda one: one.start):
        path = found.target if found.path else name + found.target
        there_already = not found.path and (found.tag or found.fragment in own)
        led = outside or there(posixpath.normpath(posixpath.join(origin, found.path or name)))
        if found.start < position or there_already or not led:
            continue
        new = posixpath.relpath(posixpath.join(origin, path), target or ".") + "/" * found.target.endswith(
            "/"
        )
        if new != found.target and "\\" not in found.target:
            parts += (text[position : found.start], new)
            position = found.end
    return "".join((*parts, text[position:]))


def _closed(text: str) -> str:
    """The text with the fence closed that is open at its end."""
    unclosed = outline(text).unclosed
    if unclosed is None or unclosed[1] != "fence":
        return text
    line = text.split("\n")[unclosed[0] - 1]
    match = _FENCE.match(line)
    return f"{text}\n{match[1]}" if match is not None else text


def _trimmed(text: str) -> str:
    lines = text.split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines)
