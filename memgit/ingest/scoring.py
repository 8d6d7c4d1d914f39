"""What is worth recording, by Mem Skill's criterion ("will this save time next time?"): steps, parameters,
error messages and code count, plain description does not.
"""

from __future__ import annotations

import re

MOST = 10
LEAST = 3
THRESHOLD = 2
"""Worth from which a segment is proposed; below it only where its source has fewer than `LEAST` better ones.
"""

_SIGNS: tuple[tuple[int, re.Pattern[str]], ...] = (
    (3, re.compile(r"^ {0,3}(?:`{3}|~{3})", re.MULTILINE)),  # code
    (2, re.compile(r"^ {0,3}(?:[-*+]|\d{1,3}[.)])[ \t]+\S", re.MULTILINE)),  # points
    (1, re.compile(r"^ {0,3}1[.)][ \t]", re.MULTILINE)),  # steps
    (
        2,
        re.compile(
            r"\b(?:\w*Error|\w*Exception|[Ee]rror:|[Tt]raceback|[Ff]ail(?:s|ed|ure)|fatal:|panic|segfault|[Ww]arning:)"
        ),
    ),
    # parameters, names
    (2, re.compile(r"(?<![\w-])--?[a-z][\w-]+|\b[A-Z][A-Z0-9]+_[A-Z0-9_]+\b|\b\w+=\S|`[^`\n]+`")),
    (
        1,
        re.compile(
            (
                r"\b(?:fix|solution|workaround|instead|because|caused? "
                r"by|solved|avoid|never|always|must|make sure|important)\b"
            ),
            re.I,
        ),
    ),
    (1, re.compile(r"^[ \t]*\$ \S", re.MULTILINE)),  # commands
    (1, re.compile(r"^\|.*\|[ \t]*$", re.MULTILINE)),  # tables
)
_BOILERPLATE = re.compile(
    r"(?:table of contents|contents|licen[cs]e|copyright|contributing|contributors|acknowledge?ments?|thanks|changelog|release notes"
    r"|code of conduct|sponsors?|badges?|credits|authors?|see also|further reading|references|links)\W*$",
    re.IGNORECASE,
)
BOUND = 20_000
"""Characters of a segment that are looked at."""


def worth(title: str, text: str, tokens: int, *, code: bool = False, documented: bool = False) -> int:
    """A whole number, the higher the better.

    Args:
        text: the segment as Markdown.
        code: it is code as such; a fence around it says nothing then.
        documented: code that defines something and says what.
    """
    sample = f"{text[:BOUND]}\n"
    score = sum(points for points, sign in _SIGNS if sign.search(sample))
    if code:
        score = min(score, 4) - 3 + (3 if documented else 1)
    if tokens < 15:
        score -= 3
    if tokens > 2000:
        score -= 3
    if _BOILERPLATE.match(title.strip()):
        score -= 6
    return score


def chosen(worths: list[int], taken: int = 0) -> set[int]:
    """The places of the segments of one source that are proposed: three to ten, the best first, the earlier
    of two alike.

    `taken` counts those that were recorded before and need no proposal: they count among the ten.
    """
    ranked = sorted(range(len(worths)), key=lambda place: (-worths[place], place))
    enough = [place for place in ranked if worths[place] >= THRESHOLD][: max(0, MOST - taken)]
    least = max(0, LEAST - taken)
    return set(enough if len(enough) >= least else ranked[:least])
