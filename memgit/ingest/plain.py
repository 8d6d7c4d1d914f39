"""Plain text of a line of Markdown or HTML, and titles that stand alone."""

from __future__ import annotations

import re
import unicodedata

from memgit.formats.plain_text import unmarked
from memgit.model.overlap import telling

MAX_LINE = 400
"""Characters of a line that count."""
MAX_SUBJECT = 66
"""Characters of a document's title up to which it names the subject of its parts."""
MAX_TOGETHER, ENOUGH_WORDS = 100, 4
"""Characters of a title with its subject; words from which a long heading says enough without."""
_ANCHOR = re.compile(r"\s*\{#[\w-]+\}\s*$|\s*[\u00b6\u2693]\s*$")
_EMOJI_NAME = re.compile(r":[a-z][a-z0-9_+-]{1,30}:")
_EDGES = re.compile(r"^(?:[#|:;,\u2013\u2014]|-(?= ))[ ]*|[ ]*(?:[#|:;,\u2013\u2014]|(?<= )-)+$")
_NOTHING = re.compile(r"^[\W_]*$")
_GENERIC = re.compile(r"^(?:the|a|an|our|my|about)\s+", re.IGNORECASE)
_NUMBER = re.compile(r"^\d{1,3}(?:\.\d{1,3})*[.)]\s+(?=[^\W\d_])")


def plain(text: str) -> str:
    """One line as a title may have it: without markup, anchors, names and pictures of emoji, numbers and signs
    at both ends.
    """
    text = _EMOJI_NAME.sub(" ", _ANCHOR.sub("", unmarked(text[:MAX_LINE])))
    text = _NUMBER.sub("", _EDGES.sub("", " ".join(text.split())))
    return text if text.isascii() else _without_pictures(text)


def _without_pictures(text: str) -> str:
    """A line without emoji at its ends, unless there is nothing else."""
    start, stop = 0, len(text)
    while start < stop and _is_picture(text[start]):
        start += 1
    while stop > start and _is_picture(text[stop - 1]):
        stop -= 1
    return text[start:stop] or text


def _is_picture(char: str) -> bool:
    return char in " \ufe0f\u200d\u20e3" or unicodedata.category(char) in ("So", "Sk")


def says_nothing(text: str) -> bool:
    """Whether a plain text has no letter or digit."""
    return _NOTHING.match(text) is not None


def standing_alone(heading: str, subject: str) -> str:
    """A title that names its subject: `widget-queue: install on Alpine`.

    Args:
        heading: plain text.
        subject: what the document is about, plain; empty or long ones are left out.
    """
    subject = _GENERIC.sub("", subject).rstrip("!.?: ")
    if not subject or len(subject) > MAX_SUBJECT or heading.casefold() == subject.casefold():
        return heading
    own, about = telling(heading), telling(subject)
    if about and about <= own and ("; " not in heading or about <= telling(heading.partition("; ")[0])):
        return heading
    if subject.casefold().endswith(heading.casefold()):
        return subject
    if len(subject) + len(heading) + 2 > MAX_TOGETHER and len(own) >= ENOUGH_WORDS and "; " not in heading:
        return heading
    return f"{subject}: {_lowered(heading)}"


def _lowered(heading: str) -> str:
    """A heading after a colon: its first word in lower case where it is an ordinary word."""
    first, blank, rest = heading.partition(" ")
    ordinary = first[:1].isupper() and first[1:].islower() and first.isalpha() and len(first) > 1
    titled = sum(word[:1].isupper() for word in rest.split() if len(word) > 1) > 1
    return (
        f"{first.lower()}{blank}{rest}"
        if ordinary and blank and not titled and not rest[:1].isupper()
        else heading
    )


_CLAUSE = re.compile(
    r"[,;:]?\s(?=(?:that|which|who|for|based|using|with|from|to|of|in|on|at|by|between|so|if|when|as|due|where|while|until|without|into)\b|\()"
    r"|[,;:](?=\s)"
)
"""Where a sentence may end early."""
_DANGLING = re.compile(r"(?:\s(?:of|due|to|by|in|on|and|or|for|with|as|at|the|an?))+$")
MIN_PURPOSE = 4
"""Words of a sentence that was cut."""


def brief(said: str, width: int) -> str:
    """A sentence in at most so many columns: a longer one ends before a clause; empty where too little is left."""
    said = said.rstrip(" .:;")
    if len(said) > width:
        ends = [match.start() for match in _CLAUSE.finditer(said, 0, max(0, width))]
        said = _DANGLING.sub("", said[: ends[-1]]) if ends else ""
        return said if len(said.split()) >= MIN_PURPOSE else ""
    return said
