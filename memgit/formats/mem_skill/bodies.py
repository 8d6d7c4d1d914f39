"""Bodies of entries: any Markdown, of which nothing may be read as the next entry, as a field or as the end
of one.

A line that would be is escaped with one backslash on writing, as Markdown itself has it, and freed of one on
reading. A line that already has backslashes before such text gets one more, so that every body comes back as
it was.
"""

from __future__ import annotations

import re

from memgit.errors import BadInput
from memgit.formats.blocks import BLANK, FENCE, TEXT, Scanner
from memgit.formats.mem_skill.labels import name_of
from memgit.model.lazy_re import pattern

_SET_IN = pattern(
    (
        r"( {0,3})(\\*)(?:(#{1,2})(?=[ "
        r"\t]|$)|(<!--)|(<\?)|(<!\[CDATA\[)|(<![A-Za-z])|(<(?:script|pre|style|textarea)(?=[ \t>]|$)))"
    ),
    re.IGNORECASE,
)
_ENDS = (
    None,
    None,
    None,
    None,
    "-->",
    "?>",
    "]]>",
    ">",
    re.compile(r"</(?:script|pre|style|textarea)>", re.IGNORECASE),
)
"""By group of `_SET_IN`: what ends the HTML that it starts."""
_FLUSH = pattern(r"(\\*)(?:\*\*([^*:：\n]+)[:：]\*\*|(-{3,})[ \t]*$|(?:<{7}|>{7})(?= |$))")
_TABLE_OR_LABEL = pattern(r" {0,3}(?:\||\*\*[^*\n]+[:：]\*\*)")
_RETURNS = pattern(r"\r+\n")


def trim(text: str) -> str:
    """The text without blank lines at its ends; the first and the last line keep their blanks."""
    left = len(text) - len(text.lstrip(" \t\n"))
    right = len(text.rstrip(" \t\n"))
    if left >= right:
        return ""
    stop = text.find("\n", right)
    return text[text.rfind("\n", 0, left) + 1 : len(text) if stop < 0 else stop]


def normal(text: str) -> str:
    """A body as it is kept: lines ended by `\\n`, no blank line at either end."""
    return trim(_RETURNS.sub("\n", text).rstrip("\r") if "\r" in text else text)


def is_plain(text: str) -> bool:
    """Whether a text is paragraphs and nothing else: no list, code, heading, table, quote or label."""
    scanner = Scanner(setext=False)
    for line in text.split("\n"):
        if scanner.feed(line) not in (TEXT, BLANK) or scanner.depth or _TABLE_OR_LABEL.match(line):
            return False
        if _SET_IN.match(line) or _FLUSH.match(line):
            return False
    return True


def as_list(text: str, marker: str = "-") -> str:
    """The paragraphs of a plain text as the items of a list."""
    indent = " " * (len(marker) + 1)
    out: list[str] = []
    fresh = True
    for line in text.split("\n"):
        words = line.strip(" \t")
        if words:
            out.append(f"{marker} {words}" if fresh else indent + words)
        fresh = not words
    return "\n".join(out)


def of(text: str) -> str:
    """The body that a new entry gets for a text: plain paragraphs become the items of a list, anything else
    stays as it is.

    `of(of(x)) == of(x)`.
    """
    body = normal(text)
    return as_list(body) if body and is_plain(body) else body


def escape(body: str) -> str:
    """The lines of a body as they stand in a file.

    Raises:
        BadInput: a code fence is never closed, with its line in the body.
    """
    lines = body.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line) + 1)
    last_ends: dict[int, int] = {}
    scanner = Scanner(setext=False)
    opened = 0
    for index, raw in enumerate(lines):
        line = raw
        was_open = scanner.open == "fence"
        place = _place(line, scanner)
        if place is not None:
            at, escaped, group = place
            if escaped or _must(body, group, starts[index], index == len(lines) - 1, last_ends):
                lines[index] = line = f"{line[:at]}\\{line[at:]}"
        scanner.feed(line)
        if scanner.open == "fence" and not was_open:
            opened = index + 1
    if scanner.open == "fence":
        raise BadInput(
            f"a code fence opens in line {opened} of the text and is never closed",
            line=opened,
            hint="close the fence",
        )
    return "\n".join(lines)


def unescape(text: str) -> str:
    """The body behind the lines of a file; undoes `escape`."""
    if "\\" not in text:
        return text
    lines = text.split("\n")
    scanner = Scanner(setext=False)
    for index, line in enumerate(lines):
        if "\\" in line:
            place = _place(line, scanner)
            if place is not None and place[1]:
                lines[index] = line[: place[0]] + line[place[0] + 1 :]
        scanner.feed(line)
    return "\n".join(lines)


def ends_in_list(body: str) -> bool:
    """Whether the last line of a body belongs to a list, so that a label may follow without a blank line, as
    Mem Skill writes it.
    """
    scanner = Scanner(setext=False)
    last = ""
    for line in body.split("\n"):
        scanner.feed(line)
        last = line
    return scanner.depth > 0 and not last.lstrip(" ").startswith(">")


def starts_with_item(body: str) -> bool:
    """Whether a body begins with a list that may stand right under its label."""
    return re.match(r" {0,3}(?:[-*+]|1[.)])[ \t]+[^ \t\n]", body) is not None


_HEADING, _LABEL, _BODY_LABEL, _RULE_GROUP, _CONFLICT = 3, -1, -2, -3, -4


def _place(line: str, scanner: Scanner) -> tuple[int, bool, int] | None:
    """Where a line takes its backslash, whether it has one there already, and what it would be; None where
    nothing reads it.
    """
    match = _SET_IN.match(line)
    if match is not None:
        hidden, _ = scanner.hidden_by(line)
        return None if hidden else (match.end(1), bool(match[2]), match.lastindex or _HEADING)
    flush = _FLUSH.match(line)
    if flush is None:
        return None
    group = _CONFLICT
    if flush[2] is not None:
        name = name_of(flush[2])
        if name is None:
            return None
        group = _BODY_LABEL if name == "body" else _LABEL
    elif flush[3] is not None:
        group = _RULE_GROUP
    hidden, weak = scanner.hidden_by(line)
    # Markers of a conflict, and a rule at the end of a section, are read by their look, also within HTML.
    if hidden == FENCE or (
        hidden and group not in (_CONFLICT, _RULE_GROUP) and not (weak and group in (_LABEL, _BODY_LABEL))
    ):
        return None
    return 0, bool(flush[1]), group


def _must(body: str, group: int, start: int, last: bool, last_ends: dict[int, int]) -> bool:
    """Whether a line without a backslash would be read as something else than text of the body."""
    if group == _BODY_LABEL:
        return start == 0
    if group == _RULE_GROUP:
        return last
    if group < 0 or group == _HEADING:
        return True
    if group not in last_ends:
        ending = _ENDS[group]
        if isinstance(ending, str):
            last_ends[group] = body.rfind(ending)
        else:
            last_ends[group] = (
                max((match.start() for match in ending.finditer(body)), default=-1) if ending else -1
            )
    return last_ends[group] < start
