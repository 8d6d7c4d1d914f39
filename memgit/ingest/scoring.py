"""What is worth recording, by Mem Skill's criterion ("will this save time next time?"): steps, parameters,
error messages and code count, plain description does not.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from memgit.ingest.boilerplate import kind_of

MAX_RECORDS = 10
MIN_RECORDS = 3
BOILERPLATE = -20
"""Points of a licence, a table of contents and their like: nothing makes up for them."""
THRESHOLD = 0
"""Score from which a segment is proposed; below it only where its source has fewer than `MIN_RECORDS` better
ones.
"""

_SIGNS: tuple[tuple[str, int, re.Pattern[str]], ...] = (
    ("code", 3, re.compile(r"^ {0,3}(?:`{3}|~{3})", re.MULTILINE)),
    ("points", 2, re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)),
    ("steps", 1, re.compile(r"^ {0,3}1[.)][ \t]", re.MULTILINE)),
    (
        "error messages",
        2,
        re.compile(
            r"\b(?:\w*Error|\w*Exception|[Ee]rror:|[Tt]raceback|[Ff]ail(?:s|ed|ure)|fatal:|panic|segfault|[Ww]arning:)"
        ),
    ),
    (
        "parameters",
        2,
        re.compile(r"(?<![\w-])--?[a-z][\w-]+|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b|\b\w+=\S|`[^`\n]+`"),
    ),
    (
        "reasons",
        1,
        re.compile(
            r"\b(?:fix|solution|workaround|instead|because|caused? by|solved|avoid|never|always|must|make sure|important"
            r"|decided|chose|trade-?off|rather than)\b",
            re.I,
        ),
    ),
    (
        "limits",
        1,
        re.compile(
            r"\b(?:at most|at least|maximum|minimum|limit(?:ed)?|time-?out|defaults? (?:to|is))\b", re.I
        ),
    ),
    ("commands", 1, re.compile(r"^[ \t]*\$ \S", re.MULTILINE)),
    ("table", 3, re.compile(r"^ {0,3}\|? ?:?-{3,}:? ?\|", re.MULTILINE)),
)
MAX_CHARACTERS = 20_000
"""Characters of a segment that are looked at."""


def parts(title: str, text: str, tokens: int, *, documented: bool | None = None) -> dict[str, int]:
    """What a segment is worth, by what it has; the sum is its worth.

    Args:
        text: the segment as Markdown.
        documented: None for text; of code, whether it says what it defines. A fence around it says nothing.
    """
    sample = f"{text[:MAX_CHARACTERS]}\n"
    found = {name: points for name, points, sign in _SIGNS if sign.search(sample)}
    if documented is not None:
        found = {"code": min(sum(found.values()), 4) - 3 + (3 if documented else 0)}
    if tokens < 15:
        found["hardly a sentence"] = -3
    if tokens > 2000:
        found["too long to read at once"] = -3
    kind = kind_of(title, text) if documented is None else ""
    if kind:
        found[kind] = BOILERPLATE
    return found


def boilerplate(found: Mapping[str, int]) -> str:
    """What a segment is that is never proposed; empty for any other. `found` is what `parts` gave."""
    return next((name for name, points in found.items() if points == BOILERPLATE), "")


def chosen(worths: list[int], taken: int = 0, most: int | None = MAX_RECORDS) -> set[int]:
    """The places of the segments of one source that are proposed: three to ten, the best first, the earlier
    of two alike.

    Args:
        taken: those that were recorded before and need no proposal: they count among the ten.
        most: ten; None takes all but boilerplate.
    """
    if most is None:
        return {place for place, worth in enumerate(worths) if worth > BOILERPLATE // 2}
    ranked = sorted(range(len(worths)), key=lambda place: (-worths[place], place))
    enough = [place for place in ranked if worths[place] >= THRESHOLD][: max(0, most - taken)]
    least = max(0, MIN_RECORDS - taken)
    some = [place for place in ranked if worths[place] > BOILERPLATE // 2]
    return set(enough if len(enough) >= least else some[:least])
