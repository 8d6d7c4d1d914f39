"""A managed block in a Markdown file that people write too: what stands outside of it is kept to the byte.

A marker counts where it is alone on its line, from the first column on, outside of code and of longer
comments. CR is ignored when markers are looked for, and the lines of the block end like those of the rest of
the file.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.derive import conflict
from memgit.derive.view import Rendered
from memgit.errors import UnreadableFile
from memgit.formats.blocks import Outline, conflict_markers, outline
from memgit.formats.text import decode, encode, has_bom, newline_of, split_lines
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Problem, problem_of

if TYPE_CHECKING:
    from collections.abc import Sequence


class Markers(NamedTuple):
    """The first and the last line of a block: what a line must fully match, and what to write into a file
    that has no block yet.
    """

    begin: re.Pattern[str]
    end: re.Pattern[str]
    first: str = ""
    last: str = ""


class Found(NamedTuple):
    """A file cut at its block: the lines before it and after it, its marker lines, and the lines between
    them.
    """

    before: list[str]
    begin: str
    inner: list[str]
    end: str
    after: list[str]


def find(text: str, markers: Markers) -> Found | Problem | None:
    """The one block of a text, None where there is none, or what is wrong with its markers."""
    lines = split_lines(text)
    begins, ends, position = [], [], 0
    places: dict[int, int] = {}
    for number, line in enumerate(lines):
        if line.startswith("<!--"):
            bare = line.rstrip()
            if markers.begin.fullmatch(bare):
                begins.append(number)
            elif markers.end.fullmatch(bare):
                ends.append(number)
            places[number] = position
        position += len(line)
    # A marker that stands in code, or inside a longer comment, is an example of one.
    bare_text = text.count("<") == len(begins) + len(ends) and "```" not in text and "~~~" not in text
    page = Outline([], [], None) if bare_text else outline(text)
    for span in page.hidden:
        if not span.weak:
            inside = {number for number, place in places.items() if span.start < place < span.end}
            begins = [number for number in begins if number not in inside]
            ends = [number for number in ends if number not in inside]
    if not begins and not ends:
        if page.unclosed is None:
            return None
        return Problem(
            "MG101",
            page.unclosed[0],
            f"a {page.unclosed[1]} is never closed: no place for the generated block",
        )
    if len(begins) == 1 and len(ends) == 1 and begins[0] < ends[0]:
        begin, end = begins[0], ends[0]
        return Found(lines[:begin], lines[begin], lines[begin + 1 : end], lines[end], lines[end + 1 :])
    if len(begins) > 1 or len(ends) > 1:
        second = begins[1] if len(begins) > 1 else ends[1]
        return Problem("MG101", second + 1, "the marker of the generated block occurs twice", fatal=True)
    where = min(begins + ends)
    what = (
        "its end comes first"
        if begins and ends
        else "its end is missing"
        if begins
        else "its start is missing"
    )
    return Problem("MG101", where + 1, f"the generated block is torn: {what}", fatal=True)


def read(data: bytes, markers: Markers) -> Found | None:
    """The block of a file that can be read and has exactly one; None for any other."""
    try:
        found = find(decode(data), markers)
    except UnreadableFile:
        return None
    return found if isinstance(found, Found) else None


def inner_lines(found: Found) -> list[str]:
    """The lines between the markers without their ends."""
    return [line.rstrip("\r\n") for line in found.inner]


def render(data: bytes | None, markers: Markers, content: Sequence[str], heading: str) -> Rendered:
    """The file with `content` as the lines between the markers.

    A file that is not there begins with `heading`; one without a block gets it at its end. A file whose
    markers are doubled or torn, or that cannot be read, comes back as it is with a problem.
    """
    if data is None:
        return Rendered(encode("\n".join([heading, "", markers.first, *content, markers.last, ""])))
    try:
        text = decode(data)
    except UnreadableFile as error:
        return Rendered(data, (problem_of(error),))
    problems: tuple[Problem, ...] = ()
    lines = conflict_markers(text)
    if lines:
        problems = (Problem("MG104", lines[0], "conflict markers in a derived file"),)
        settled = _settled(text, markers)
        if settled is None:
            return Rendered(data, (problems[0]._replace(fatal=True),))
        text = settled
    found = find(text, markers)
    if isinstance(found, Problem):
        return Rendered(data, (*problems, found._replace(fatal=True)))
    newline = newline_of(text)
    if found is None:
        text = text if text.strip() else heading + newline
        gap = "" if text.endswith("\n") else newline
        text += gap + newline + newline.join([markers.first, *content, markers.last, ""])
    elif inner_lines(found) != list(content):
        text = "".join(
            [*found.before, found.begin, *(line + newline for line in content), found.end, *found.after]
        )
    check = find(text, markers)
    if not isinstance(check, Found) or inner_lines(check) != list(content):
        problem = Problem(
            "MG101",
            1,
            "the generated block has no place in this file: something above it is never closed",
            fatal=True,
        )
        return Rendered(data, (*problems, problem))
    return Rendered(encode(text, has_bom(data)), problems)


def _settled(text: str, markers: Markers) -> str | None:
    """A conflict that touches nothing but the block, settled; None where people's own text is in conflict."""
    ours, theirs = conflict.sides(text)
    one, two = find(ours, markers), find(theirs, markers)
    if (
        isinstance(one, Found)
        and isinstance(two, Found)
        and one.before == two.before
        and one.after == two.after
    ):
        return ours
    if isinstance(one, Found) and two is None and not theirs.strip():
        return ours
    if isinstance(two, Found) and one is None and not ours.strip():
        return theirs
    return None


def only_generated(data: bytes, markers: Markers, heading: str) -> bool:
    """Whether a file holds nothing but its heading and the block: then nobody would miss it."""
    found = read(data, markers)
    if found is None:
        return False
    return [line.strip() for line in found.before if line.strip()] == [heading] and not any(
        line.strip() for line in found.after
    )


def has_block(data: bytes | None, markers: Markers) -> bool:
    """Whether a file has a block, be it torn or in conflict."""
    if data is None or b"<!--" not in data:
        return False
    try:
        text = decode(data)
    except UnreadableFile:
        return False
    if conflict_markers(text):
        return any(
            not isinstance(found, Problem) and found is not None
            for found in (find(side, markers) for side in conflict.sides(text))
        )
    found = find(text, markers)
    return isinstance(found, Found) or (isinstance(found, Problem) and found.fatal)


def outside(data: bytes, markers: Markers) -> str:
    """What people wrote: the text of a file without the block and its markers, line ends as `\n`; empty where
    it cannot be read.
    """
    try:
        text = decode(data)
        found = find(text, markers)
    except UnreadableFile:
        return ""
    lines = [*found.before, *found.after] if isinstance(found, Found) else [text]
    return "".join(lines).replace("\r\n", "\n")
