"""Chats and transcripts: recognised by who speaks, cut where the topic turns, told as statements."""

from __future__ import annotations

import re

from memgit.ingest.lines import Lines
from memgit.ingest.prose import shared, terms_of
from memgit.ingest.size_limits import Piece
from memgit.model.tokens import of_half_words

MIN_TURNS, MIN_SHARE = 4, 0.5
"""Turns that a chat has at least, and their share of its lines."""
MAX_TOKENS = 500
"""Tokens of a segment beyond which the next pause ends it."""
SAME_TOPIC = 0.2
"""The share of key terms from which a turn after a pause goes on with the topic."""
_STAMP = r"(?:\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d)?(?:\s*[AaPp][Mm])?\]?\s*[-\u2013]?\s*)?"
_TURN = re.compile(
    rf"^\s*(?:[-*>]\s+)?{_STAMP}(?:\*\*)?(?:<(?P<nick>[\w.-]{{1,30}})>|@?(?P<name>[A-Z\u00c0-\u024f][\w.'-]*(?: [A-Z][\w.'-]*){{0,2}}))"
    rf"(?:\*\*)?\s*(?:\(\d{{1,2}}:\d\d[^)]*\))?(?:(?<=>)|:)(?:\*\*)?\s+(?P<said>\S.*)$"
)
_TURNED = re.compile(
    r"\b(?:on another (?:matter|note|topic)|by the way|btw|another (?:thing|question|topic)|different topic|changing (?:the )?subject"
    r"|next (?:topic|item|question)|one more thing|separately|unrelated|moving on|new topic)\b",
    re.I,
)
_CHATTER = re.compile(
    r"(?:ok(?:ay)?|kk?|thanks?(?: you)?(?: a lot| so much)?|thx|ty|lol|haha+|great|nice|cool|perfect|awesome|done|will do|sure|yes|yep|yeah"
    r"|no problem|np|you'?re welcome|hi|hello|hey|good (?:morning|afternoon|evening)|bye|see you|got it|makes sense|sounds good|\+1"
    r"|finally|that works|works|agreed|[\W_])+(?:[,!. ]+(?:\w+)?)?",
    re.I,
)
_LABELS = frozenset(
    [
        "note",
        "warning",
        "tip",
        "important",
        "example",
        "date",
        "context",
        "solution",
        "source",
        "status",
        "title",
        "usage",
    ]
)


class Turn:
    """One turn: the line, who speaks, and what."""

    __slots__ = ("line", "said", "speaker")

    def __init__(self, line: int, speaker: str, said: str) -> None:
        self.line, self.speaker, self.said = line, speaker, said

    @property
    def is_chatter(self) -> bool:
        """Whether it says nothing that anybody looks up."""
        return _CHATTER.fullmatch(self.said.strip()) is not None


def turns(lines: Lines, first: int = 1) -> list[Turn]:
    """The turns of a chat; empty where the text is something else."""
    found: list[Turn] = []
    full = 0
    for number in range(first, len(lines) + 1):
        if lines.blank(number):
            continue
        full += 1
        match = _TURN.match(lines[number][:2000])
        if match is not None:
            found.append(Turn(number, match["nick"] or match["name"], match["said"]))
    speakers = [turn.speaker for turn in found]
    often = {name for name in speakers if speakers.count(name) > 1}
    is_chat = (
        len(found) >= MIN_TURNS
        and len(found) >= MIN_SHARE * full
        and 2 <= len(set(speakers)) <= max(2, len(found) // 2)
        and len(often) >= 2
        and not _LABELS.intersection(name.casefold() for name in speakers)
    )
    return found if is_chat else []


def pieces(lines: Lines, first: int, found: list[Turn]) -> list[Piece]:
    """The pieces of a chat: a new one where a turn says so, or where after a pause nothing is shared any more."""
    starts = [first]
    terms: set[str] = set()
    for turn, before in zip(found, [None, *found], strict=False):
        own = terms_of(turn.said)
        if before is not None and _turns_away(lines, starts[-1], turn, before, terms, own):
            starts.append(_after_pause(lines, turn.line))
            terms = set()
        terms |= own
    stops = [start - 1 for start in starts[1:]] + [len(lines)]
    return [
        Piece(start, stop, lines.weight(start, stop), ((),))
        for start, stop in zip(starts, stops, strict=True)
    ]


def _turns_away(lines: Lines, start: int, turn: Turn, before: Turn, terms: set[str], own: set[str]) -> bool:
    if _TURNED.search(turn.said[:80]):
        return True
    paused = any(lines.blank(number) for number in range(before.line + 1, turn.line))
    if not paused:
        return False
    long = of_half_words(lines.weight(start, turn.line - 1)) > MAX_TOKENS
    return long or shared(terms, own) < SAME_TOPIC


def _after_pause(lines: Lines, line: int) -> int:
    while line > 1 and lines.blank(line - 1):
        line -= 1
    return line


def statements(found: list[Turn], lines: Lines, first: int, last: int) -> tuple[str, str]:
    """A stretch of a chat as a list of who said what, without what says nothing, and what it is about: the
    first statement.
    """
    told: list[str] = []
    subject = ""
    inside = [turn for turn in found if first <= turn.line <= last]
    for turn, following in zip(inside, [*inside[1:], None], strict=True):
        if turn.is_chatter:
            continue
        stop = following.line - 1 if following is not None else last
        more = [lines[number].strip() for number in range(turn.line + 1, stop + 1) if not lines.blank(number)]
        said = " ".join([turn.said.strip(), *more])
        told.append(f"- {turn.speaker}: {said}")
        subject = subject or turn.said
    return "\n".join(told), _TURNED.sub("", subject).strip(" ,.:;-\u2013\u2014")
