"""Frontmatter: where the block of a file ends, and changes to it key by key.

A block stands between a line `---` at the very start of the file and the next line `---` or `...` at column
0. A change replaces the lines of its own key alone and keeps what they are like: quotes, list form,
indentation, comments, line ends.
"""

from __future__ import annotations

import json
import re

from memgit import TYPE_CHECKING
from memgit.errors import UnreadableFile
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    pass


_OPEN = pattern(r"---[ \t]*\r?\n")


# Patterns for what is rare are compiled where they are used: every start pays for those that are compiled
# here.
_KEY = r"[\w\"'][^\n:]{0,100}:(?:[ \t\r\n]|$)"


_FIRST_KEY = r"(?:#[^\n]*\n)*" + _KEY


_INSIDE_LINE = _KEY + r"|[ \t]*\r?$|[ \t]+\S|- |#"


_SECOND = r"(?:[ \t]*\r?\n)*---[ \t]*\r?\n(?=" + _KEY + ")"


_LATE = r"(?:[ \t]*\r?\n)+---[ \t]*\r?\n(?=" + _KEY + ")"


_TEMPLATE = r"(?m)^(?:[^\n#:'\"]+:|[ \t]*-)[ \t]+\{\{[^\n]*\}\}"


class Parts(NamedTuple):
    """A file taken apart.

    `block` is the text between the fences, None where there is none; it begins at offset `start` of the
    file's text, and what follows the closing fence begins at `body`. `fault` says why the block cannot be
    read, `late` is the line of a block that comes too late.
    """

    block: str | None
    start: int
    body: int
    fault: UnreadableFile | None = None
    late: int = 0


def split(text: str) -> Parts:
    """Takes the text of a file (without byte order mark) apart; never raises.

    A file that starts with `---` and has no second fence has a block only if a key follows the first:
    otherwise it is a rule.
    """
    if text[:3] != "---":
        return _without(text)
    match = _OPEN.match(text)
    if match is None:
        return Parts(None, 0, 0)
    start = match.end()
    close, body = _closing(text, start)
    if close < 0:
        if not re.compile(_FIRST_KEY).match(text, start):
            return Parts(None, 0, 0)
        return Parts(
            text[start:],
            start,
            0,
            _fault("the frontmatter is never closed", 1, "add a line --- after its last key"),
        )
    block = text[start:close]
    second = text.find("---", body, body + 200)
    if second >= 0 and not text[body:second].strip() and _is_block(text, body):
        line = text.count("\n", 0, second) + 1
        return Parts(
            block,
            start,
            body,
            _fault(
                f"double block: a second frontmatter block begins on line {line}", line, "join the two blocks"
            ),
        )
    return Parts(block, start, body)


def _closing(text: str, start: int) -> tuple[int, int]:
    """Where the closing fence begins and where the line after it does; -1 where there is none."""
    dashes = text.find("\n---", start - 1)
    dots = text.find("\n...", start - 1, dashes if dashes >= 0 else len(text))
    while dashes >= 0 or dots >= 0:
        found = dots if dots >= 0 else dashes
        end = text.find("\n", found + 1)
        if not text[found + 4 : end if end >= 0 else len(text)].strip(" \t\r"):
            return found + 1, len(text) if end < 0 else end + 1
        if found == dashes:
            dashes = text.find("\n---", found + 1)
        dots = text.find("\n...", found + 1, dashes if dashes >= 0 else len(text))
    return -1, -1


def _is_block(text: str, position: int) -> bool:
    """Whether what begins at a position, blank lines aside, looks like a frontmatter block and not like a
    rule.
    """
    match = re.compile(_SECOND).match(text, position)
    if match is None:
        return False
    close, _ = _closing(text, match.end())
    if close < 0:
        return False
    return all(re.match(_INSIDE_LINE, line) for line in text[match.end() : close].split("\n")[:-1])


def _without(text: str) -> Parts:
    first = text[:1]
    if first == "+" and re.match(r"\+\+\+[ \t]*\r?\n", text):
        close = re.compile(r"^\+\+\+[ \t]*\r?$\n?", re.MULTILINE).search(text, text.index("\n") + 1)
        if close:
            fault = _fault("TOML frontmatter is not supported", 1, "write it as YAML between two lines ---")
            return Parts(text[text.index("\n") + 1 : close.start()], 0, close.end(), fault)
    elif first == "{" and re.match(r"\{[ \t]*(?:\r?\n|\")", text):
        end = _json_end(text)
        if end:
            return Parts(
                None,
                0,
                end,
                _fault("JSON frontmatter is not supported", 1, "write it as YAML between two lines ---"),
            )
    elif first in " \t\r\n" and first:
        match = re.match(_LATE, text)
        if match is not None and _closing(text, match.end())[0] >= 0:
            return Parts(None, 0, 0, None, text.count("\n", 0, match.end()))
    return Parts(None, 0, 0)


def _json_end(text: str) -> int:
    """Where an object at the start of a text ends; 0 where there is none."""
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return 0
    return end if isinstance(value, dict) and value else 0


def is_template(block: str) -> bool:
    """Whether a block is that of a template: a value that is a bare `{{…}}`."""
    return "{{" in block and re.search(_TEMPLATE, block) is not None


def typed_value(text: str, key: str) -> str | None:
    """What stands after a key in a block that cannot be read, as typed; quotes around the whole are left out."""
    match = re.compile(rf"^[ \t]*{re.escape(key)}[ \t]*[:=][ \t]*([^\r\n]*)", re.MULTILINE).search(
        text[:8192]
    )
    value = match[1].strip() if match else ""
    if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
        value = value[1:-1].strip()
    return value or None


def _fault(message: str, line: int, hint: str) -> UnreadableFile:
    return UnreadableFile(message, line=line, hint=hint, code="MG002")
