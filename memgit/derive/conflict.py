"""Conflict markers in a derived file: what each side says.

Form: https://git-scm.com/docs/git-merge, "How conflicts are presented", with and without the base
    (`|||||||`).
"""

from __future__ import annotations

import re

from memgit.model.lazy_re import pattern

_START = pattern(r"<{7}( |\r?$)", re.MULTILINE)
_MARK = pattern(r"([<|=>])\1{6}(?: [^\n]*)?\r?\n?")


def first_line(text: str) -> int | None:
    """The line of the first conflict marker, counted from 1; None where there is none."""
    match = _START.search(text)
    return None if match is None else text.count("\n", 0, match.start()) + 1


def sides(text: str) -> tuple[str, str]:
    """The text as our side has it, and as theirs has it; a base between them is left out."""
    ours: list[str] = []
    theirs: list[str] = []
    state = ""
    for line in re.findall(r"[^\n]*\n|[^\n]+", text):
        match = _MARK.fullmatch(line)
        mark = match[1] if match is not None else ""
        if mark == "<" and not state:
            state = "<"
        elif mark == "|" and state == "<":
            state = "|"
        elif mark == "=" and state in ("<", "|"):
            state = "="
        elif mark == ">" and state == "=":
            state = ""
        else:
            if state in ("", "<"):
                ours.append(line)
            if state in ("", "="):
                theirs.append(line)
    return "".join(ours), "".join(theirs)
