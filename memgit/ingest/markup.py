"""Headings and code of reStructuredText, AsciiDoc and Org, as those of Markdown."""

from __future__ import annotations

import re

from memgit.formats.blocks import Heading
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.markdown import Structure
from memgit.ingest.filetypes import extension

_RULE = re.compile(r"^([=\-~^\"'`#*+.:_])\1{2,}\s*$")
_ADOC = re.compile(r"^(={1,6})\s+(\S.*)$")
_ORG = re.compile(r"^(\*{1,6})\s+(\S.*)$")
_LABEL = re.compile(r"^\.\. (?:_[^:]+:\s*$|\[[^\]]+\]|(?:contents|index|toctree|image|figure)::)")
_CODE = re.compile(
    r"^(?P<margin>[ \t]*)\.\. (?:code-block|code|sourcecode|highlight)::[ \t]*(?P<language>\w*)\s*$"
)
_NUMBERED = re.compile(r"^(\d{1,2}(?:\.\d{1,2}){0,3})\.?[ \t]+([A-Z](?:[^.:;|]|\.(?!\s))*[^\s.,:;|])[ \t]*$")
MAX_HEADING, MIN_NUMBERED = 70, 3
"""Characters of a numbered heading, and how many of them a text has at least."""


def structure(lines: Lines, path: str) -> Structure | None:
    """The headings of a text; None where its name says that it is none of these, or it has none."""
    kind = extension(path.rpartition("/")[2])
    if kind == "rst":
        found = _underlined(lines)
    elif kind in ("adoc", "asciidoc", "org"):
        found = _marked(lines, _ORG if kind == "org" else _ADOC)
    else:
        return None
    return Structure(found, frozenset()) if found else None


def numbered(lines: Lines, first: int) -> Structure | None:
    """The numbered headings of a text that has no others, such as `3 Results` and `3.1 Speed`; None where there
    are fewer than three, or they do not count up.
    """
    out: list[Heading] = []
    last: tuple[int, ...] = ()
    for number in range(first, len(lines) + 1):
        match = _NUMBERED.match(lines[number]) if len(lines[number]) <= MAX_HEADING else None
        if match is None or (number < len(lines) and lines[number + 1][:1].islower()):
            continue
        places = tuple(int(part) for part in match[1].split("."))
        if places > last and (places[0] - (last[0] if last else 0)) in (0, 1):
            out.append(Heading(min(6, len(places) + 1), match[2].strip(), number, number, 0, 0))
            last = places
    return Structure(out, frozenset()) if len(out) >= MIN_NUMBERED else None


def _underlined(lines: Lines) -> list[Heading]:
    """Headings of reStructuredText: a line with a line of one mark below it; marks have levels as they come."""
    levels: list[str] = []
    out: list[Heading] = []
    for number in range(2, len(lines) + 1):
        rule = _RULE.match(lines[number])
        title = lines[number - 1]
        over = number > 2 and _RULE.match(lines[number - 2]) is not None
        if rule is None or not title.strip() or (title[0] in " \t" and not over) or _RULE.match(title):
            continue
        if len(lines[number].rstrip()) < len(title.rstrip()) - 1 or title.startswith((".. ", "|", "+")):
            continue
        mark = rule[1] * (2 if over else 1)
        if mark not in levels:
            levels.append(mark)
        line = number - 2 if over else number - 1
        out.append(Heading(min(6, levels.index(mark) + 1), title.strip(), line, number, 0, 0))
    return out


def _marked(lines: Lines, pattern: re.Pattern[str]) -> list[Heading]:
    out: list[Heading] = []
    fenced = False
    for number in range(1, len(lines) + 1):
        line = lines[number]
        if line.startswith("----") or line[:7].lower() in ("#+begin", "#+end_s"):
            fenced = not fenced
        match = None if fenced else pattern.match(line)
        if match is not None:
            out.append(Heading(len(match[1]), match[2].strip(), number, number, 0, 0))
    return out


def _heading(lines: list[str], number: int) -> tuple[str, int] | None:
    """The heading that is underlined from a line on, or has a line above it too, and the number of the line after."""
    over = _RULE.match(lines[number]) is not None
    title, rule = (lines[place] if place < len(lines) else "" for place in (number + over, number + over + 1))
    if not title.strip() or title.startswith((".. ", "|", "+")) or (title[0] in " \t" and not over):
        return None
    if _RULE.match(title) or not _RULE.match(rule) or len(rule.rstrip()) < len(title.rstrip()) - 1:
        return None
    return title.strip(), number + over + 2


def as_markdown(text: str) -> str:
    """A body of reStructuredText with its code in fences, without labels and images."""
    out: list[str] = []
    lines = text.split("\n")
    number = 0
    while number < len(lines):
        line = lines[number]
        code = _CODE.match(line)
        heading = _heading(lines, number) if code is None else None
        if heading is not None:
            out.append(f"### {heading[0]}")
            number = heading[1]
            continue
        if code is None:
            if not _LABEL.match(line):
                out.append(line)
            number += 1
            continue
        number += 1
        margin = len(code["margin"])
        inside: list[str] = []
        while number < len(lines) and (
            not lines[number].strip() or len(lines[number]) - len(lines[number].lstrip()) > margin
        ):
            inside.append(lines[number])
            number += 1
        while inside and (not inside[0].strip() or inside[0].lstrip().startswith(":")):
            del inside[0]
        while inside and not inside[-1].strip():
            del inside[-1]
        depth = min((len(one) - len(one.lstrip()) for one in inside if one.strip()), default=0)
        body = [one[depth:] for one in inside]
        out += [f"```{code['language']}", *body, "```", ""] if body else []
    return "\n".join(out)
