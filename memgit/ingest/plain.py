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
_PARTS = re.compile(r"\s*(?::\s|\s[-\u2013\u2014|]\s)")
_GENERIC = re.compile(r"^(?:the|a|an|our|my|about)\s+", re.IGNORECASE)
_BREAK = re.compile(r"(?:[.;!?](?=\s)|\s(?=[-(\u2013\u2014]\s?))")
_PAUSE = re.compile(r"[:,](?=\s)")
_CLAUSE = re.compile(
    r"\s(?=(?:that|which|who|because|when|where|while|if|unless|until|so|and|but|or|by|with|without|from|for|using)\s)"
)
MIN_LEFT, MIN_BEFORE = 3, 4
"""Words that are left at least where a title is shortened at the end of a thought, and before a colon or comma."""
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


def shortened(text: str, width: int) -> str:
    """A title in at most so many characters that ends where a thought does: at a sign, else before a word that
    begins a clause, else after a word that says something. No word is cut, nor a bracket left open.
    """
    if len(text) <= width:
        return text
    kept = text[: width + 1].rpartition(" ")[0] or text[:width]
    for shape, least in ((_BREAK, MIN_LEFT), (_PAUSE, MIN_BEFORE), (_CLAUSE, MIN_LEFT)):
        ends = [match.start() for match in shape.finditer(f"{kept} ")]
        if ends and ends[-1] * 2 >= len(kept) and len(kept[: ends[-1]].split()) >= least:
            kept = kept[: ends[-1]]
            break
    if kept.count("(") > kept.count(")"):
        kept = kept.rpartition("(")[0].rstrip() or kept.replace("(", "")
    while " " in kept and not telling(kept.rpartition(" ")[2]):
        kept = kept.rpartition(" ")[0]
    return kept.rstrip(" ,.;:-\u2013\u2014(")


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
    if len(subject) + len(heading) + 2 > MAX_TOGETHER:
        if len(own) >= ENOUGH_WORDS and "; " not in heading:
            return shortened(heading, MAX_TOGETHER)
        subject = max(_PARTS.split(subject), key=lambda part: len(telling(part)))
        heading = shortened(heading, max(MAX_TOGETHER - len(subject) - 2, MAX_TOGETHER // 3))
    return f"{subject}: {_lowered(heading)}"


def _lowered(heading: str) -> str:
    """A heading after a colon: its first word in lower case where it is an ordinary word."""
    first, blank, rest = heading.partition(" ")
    ordinary = (
        "; " not in heading
        and first[:1].isupper()
        and first[1:].islower()
        and first.isalpha()
        and len(first) > 1
    )
    titled = sum(word[:1].isupper() for word in rest.split() if len(word) > 1) > 1
    return (
        f"{first.lower()}{blank}{rest}"
        if ordinary and blank and not titled and not rest[:1].isupper()
        else heading
    )
