"""Outlines of bullets (Logseq and its like): every line belongs to a bullet. They are cut at bullets, never
within one.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from itertools import takewhile

from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import SMALL_TOKENS, Piece, merge, split

MIN_BULLETS, MIN_SHARE = 3, 0.9
"""Bullets that an outline has at least, and the share of its lines that belong to one or are properties."""
MAX_DEPTH = 6
PROPERTY = re.compile(r"^[ \t]*(?:- )?(?P<name>[A-Za-z][\w/-]{0,40})::(?:[ \t]+(?P<value>.*))?$")
_BULLET = re.compile(r"^(?P<margin>[ \t]*)- ?(?P<said>.*)$")
_MARK = re.compile(
    r"^(?P<lead>[ \t]*(?:- )?)#\+(?P<side>BEGIN|END)_(?P<kind>\w+)[ \t]*(?P<language>[\w-]*)[ \t]*$",
    re.IGNORECASE,
)
_BLOCK_LINK = re.compile(r"\[([^\[\]]*)\]\(\(\([0-9a-f-]{36}\)\)\)")
_BLOCK_REF = re.compile(r"\(\(([0-9a-f-]{36})\)\)")
_FENCED = re.compile(r"^[ \t]*(?:- )?(?P<mark>`{3,}|~{3,})[^`]*$")
_HEADING = re.compile(r"^#{1,6}\s+(?P<title>.*)$")


def bullets(lines: Lines, first: int = 1) -> list[tuple[int, int, str]]:
    """The bullets of an outline: line, depth from 0 and what it says; empty where the text is something else."""
    found: list[tuple[int, int, str]] = []
    full = apart = 0
    fenced = False
    for number in range(first, len(lines) + 1):
        line = lines[number]
        if not line.strip():
            continue
        full += 1
        fence = "```" in line or "#+BEGIN" in line.upper() or "#+END" in line.upper()
        match = _BULLET.match(line) if not fenced else None
        if match is not None:
            found.append((number, _depth(match["margin"]), match["said"].strip()))
        elif not fenced and line[0] not in " \t" and not PROPERTY.match(line):
            apart += 1
        if fence and (line.count("```") % 2 or "#+" in line):
            fenced = not fenced
    is_outline = len(found) >= MIN_BULLETS and apart <= (1 - MIN_SHARE) * full
    marked = any(_HEADING.match(said) or PROPERTY.match(said) for _, _, said in found) or any(
        PROPERTY.match(lines[number]) for number in range(first, min(len(lines), first + 8) + 1)
    )
    return found if is_outline and marked else []


def _depth(margin: str) -> int:
    return margin.count("\t") + margin.count(" ") // 2


def pieces(lines: Lines, first: int, found: list[tuple[int, int, str]]) -> list[Piece]:
    """The pieces of an outline: its outermost bullets, small ones together, large ones cut at inner bullets."""
    tops = [one for one in found if one[1] == 0] or found[:1]
    starts = [number for number, _, _ in tops]
    stops = [start - 1 for start in starts[1:]] + [len(lines)]
    said_at = {number: said for number, _, said in found}
    out: list[Piece] = []
    for (number, _, said), stop in zip(tops, stops, strict=True):
        start = first if not out else number
        piece = Piece(start, stop, lines.weight(start, stop), ((title_of(said),),))
        inner = [
            [line for line, depth, _ in found if depth == level and start < line <= stop]
            for level in range(1, MAX_DEPTH)
        ]
        for part in split(lines, piece, inner):
            inside = title_of(said_at.get(part.first, ""))
            heads = ((title_of(said), inside),) if part.first > start and inside else piece.heads
            out.append(part._replace(heads=heads, part=0))
    return merge(out, lambda one, other: min(one.tokens, other.tokens) < SMALL_TOKENS)


def title_of(said: str) -> str:
    """What a bullet is called: its heading, else its words."""
    match = _HEADING.match(said)
    return match["title"] if match is not None else said


def blocks(lines: Lines, found: list[tuple[int, int, str]]) -> dict[str, str]:
    """What the blocks of an outline say that have an id, which others of it refer to."""
    out: dict[str, str] = {}
    said = ""
    at = {number: text for number, _, text in found}
    for number in range(1, len(lines) + 1):
        said = title_of(at.get(number, said))
        match = PROPERTY.match(lines[number])
        if match is not None and match["name"] == "id" and match["value"]:
            out[match["value"].strip()] = said
    return out


def _fence(following: list[str], end: str) -> str:
    """A fence that the lines up to a mark cannot close."""
    inside = takewhile(lambda line: end not in line.casefold(), following)
    return "````" if any("```" in line for line in inside) else "```"


def as_list(text: str, known: Mapping[str, str] | None = None) -> str:
    """Some bullets as a list of Markdown at the margin, without properties (a description stays), marks of
    blocks and links to blocks, which are unresolved outside.

    Args:
        known: what blocks say, by id; a reference to another one stays as it is.
    """
    kept: list[str] = []
    closing = fence = ""  # the mark that ends the code that a line is in
    lines = text.split("\n")
    for number, raw in enumerate(lines):
        mark = _MARK.match(raw)
        if closing:
            ends = raw.strip() == closing or (mark is not None and mark["kind"].casefold() == closing)
            kept.append(f"{mark['lead']}{fence}" if ends and mark is not None else raw.rstrip())
            closing = "" if ends else closing
            continue
        fenced = _FENCED.match(raw)
        if fenced is not None:
            closing = fenced["mark"]
            kept.append(raw.rstrip())
            continue
        line = raw
        if "((" in raw:
            line = _BLOCK_REF.sub(
                lambda ref: (known or {}).get(ref[1]) or ref[0], _BLOCK_LINK.sub(r"\1", raw)
            )
        match = PROPERTY.match(line)
        if mark is not None:
            if mark["kind"].casefold() in ("src", "example", "query") and mark["side"].casefold() == "begin":
                closing = mark["kind"].casefold()
                fence = _fence(lines[number + 1 :], f"#+end_{closing}")
                kept.append(f"{mark['lead']}{fence}{mark['language'] or ''}")
            elif mark["lead"].strip():
                kept.append(mark["lead"].rstrip())
        elif match is None:
            kept.append(line.rstrip())
        elif match["name"] == "description" and match["value"]:
            kept += [line[: len(line) - len(line.lstrip())] + match["value"], ""]
    base: int | None = None
    out: list[str] = []
    for line in kept:
        margin = len(line) - len(line.lstrip("\t "))
        if line.lstrip().startswith("- ") and (base is None or margin < base):
            base = margin
        out.append(line[min(base or 0, margin) :])
    return "\n".join(line for line in out if line.strip() != "-")
