"""Findings that are allowed in place: `<!-- memgit: allow MG501 -->`.

The comment counts for its own line and for the next line of text; at the top of a file (after frontmatter,
before anything else) for the whole file. In frontmatter, where a comment of Markdown cannot stand, `# memgit:
allow MG004` does the same. Codes and names of rules count alike, several with commas; what follows a colon or
a dash is the reason.
"""

from __future__ import annotations

import re

from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

MARK = "memgit: allow"
_COMMENT = pattern(
    r"(?:<!--|#)[ \t]*memgit:[ \t]*allow[ \t]+([A-Za-z0-9]+(?:-[a-z0-9]+)*(?:[ \t]*,[ "
    r"\t]*[A-Za-z0-9]+(?:-[a-z0-9]+)*)*)"
)
_ALONE = pattern(r"[ \t]*(?:<!--|#)[ \t]*memgit:[ \t]*allow[^\n]*?(?:-->)?[ \t]*\r?")


class Allowed(NamedTuple):
    """What a file allows: codes and names for the whole of it, and by line."""

    everywhere: frozenset[str]
    lines: dict[int, frozenset[str]]

    def allows(self, code: str, name: str, line: int) -> bool:
        """Whether a finding of that rule at that line is allowed."""
        if code in self.everywhere or name in self.everywhere:
            return True
        here = self.lines.get(line)
        return here is not None and (code in here or name in here)


NOTHING = Allowed(frozenset(), {})


def allowed(text: str, body_line: int = 1) -> Allowed:
    """What a text allows in place; `body_line` is the first line after the frontmatter."""
    if MARK not in text:
        return NOTHING
    everywhere: set[str] = set()
    lines: dict[int, frozenset[str]] = {}
    waiting: frozenset[str] = frozenset()
    top = True
    for number, line in enumerate(text.split("\n"), 1):
        if number >= body_line:
            top = top and (not line.strip() or _ALONE.fullmatch(line) is not None)
        if not line.strip():
            continue
        match = _COMMENT.search(line) if MARK in line else None
        names = frozenset(re.split(r"[ \t]*,[ \t]*", match[1])) if match is not None else frozenset()
        lines[number] = names | waiting
        if match is not None and _ALONE.fullmatch(line):
            waiting = waiting | names
            if top and number >= body_line:
                everywhere |= names
        else:
            waiting = frozenset()
    return Allowed(frozenset(everywhere), {number: names for number, names in lines.items() if names})
