"""Chats and transcripts: recognised by who speaks, cut where the topic turns, told as statements."""

from __future__ import annotations

import re
from collections import Counter

from memgit.formats.messages.message import cut
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.prose import shared, terms_of
from memgit.ingest.cuts.size_limits import SMALL_TOKENS, Piece
from memgit.ingest.keywords import telling_terms
from memgit.model.terms import words
from memgit.model.tokens import of_half_words

MIN_TURNS, MIN_SHARE = 4, 0.5
"""Turns that a chat has at least, and their share of its lines."""
MAX_TOKENS = 500
"""Tokens of a segment beyond which the next pause ends it."""
SAME_TOPIC = 0.2
"""The share of key terms from which a turn after a pause goes on with the topic."""
PAUSE_MINUTES = 4
"""Minutes without a word after which somebody may speak of something else."""
_STAMP = r"(?:\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d)?(?:\s*[AaPp][Mm])?\]?\s*[-\u2013]?\s*)?"
_TURN = re.compile(
    rf"^\s*(?:[-*>]\s+)?{_STAMP}(?:\*\*)?(?:<(?P<nick>[\w.-]{{1,30}})>|@?(?P<name>[A-Z\u00c0-\u024f][\w.'-]*(?: [A-Z][\w.'-]*){{0,2}}))"
    rf"(?:\*\*)?\s*(?:\(\d{{1,2}}:\d\d[^)]*\))?(?:(?<=>)|:)(?:\*\*)?\s+(?P<said>\S.*)$"
)
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)")
_NOTICE = re.compile(
    r"^\s*(?:\[?[\d:. T-]+\]?\s*)?(?:\*{1,3}|[\u2190\u2192\u21d0\u21d2\u2022]|-->|<--|-!-|=!=)\s|\b(?:has )?(?:joined|quit|left|parted) "
    r"(?:\(|#|the (?:channel|room))|\bis now known as\b"
)
"""Lines of a channel that nobody said."""
_TURNED = re.compile(
    r"\b(?:on another (?:matter|note|topic)|by the way|btw|another (?:thing|question|topic)|different topic|changing (?:the )?subject"
    r"|next (?:topic|item|question|up|on the agenda)|one more thing|separately|unrelated|moving on|new topic)\b",
    re.I,
)
_CHATTER = re.compile(
    r"(?:ok(?:ay)?|kk?|thanks?(?: you)?(?: a lot| so much)?|thx|ty|lol|haha+|great|nice|cool|perfect|awesome|done|will do|sure|yes|yep|yeah"
    r"|no problem|np|you'?re welcome|hi|hello|hey|good (?:morning|afternoon|evening)|bye|see you|got it|makes sense|sounds good|\+1"
    r"|finally|that works|works|agreed|[\W_])+(?:[,!. ]+(?:\w+)?)?",
    re.I,
)
_ADDRESSED = re.compile(
    r"^(?:(?:so|ok|okay|well|oh|and|but|yeah|also|now|right)[,:]?\s+)+|^[@\w.\[\]|^{}-]{2,20}[:,]\s+", re.I
)
MAX_TERMS = 40
FEW_TURNS, AGREED = 6, 2
"""Turns of a stretch that its first one names, and key terms that a statement has to name a longer one."""
SHORTEST, LONGEST = 4, 14
"""Words of a statement that names a longer stretch; a question is taken first."""
SUMMARY = 70
"""Columns of a title."""
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
    """One turn: the line, who speaks, what, and when in minutes of the day (None where it does not say)."""

    __slots__ = ("line", "minute", "said", "speaker")

    def __init__(self, line: int, speaker: str, said: str, minute: int | None = None) -> None:
        self.line, self.speaker, self.said, self.minute = line, speaker, said, minute

    @property
    def is_chatter(self) -> bool:
        """Whether it says nothing that anybody looks up."""
        said = self.said.strip()
        return _CHATTER.fullmatch(said) is not None or (len(said.split()) < 3 and not terms_of(said))


def turns(lines: Lines, first: int = 1) -> list[Turn]:
    """The turns of a chat; empty where the text is something else."""
    found: list[Turn] = []
    full = 0
    for number in range(first, len(lines) + 1):
        if lines.blank(number) or _NOTICE.search(lines[number][:200]):
            continue
        full += 1
        line = lines[number][:2000]
        match = _TURN.match(line)
        if match is not None:
            start = match.start("nick") if match["nick"] else match.start("name")
            clock = _CLOCK.search(line[:start])
            minute = int(clock[1]) * 60 + int(clock[2]) if clock is not None else None
            found.append(Turn(number, match["nick"] or match["name"], match["said"], minute))
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
    size = of_half_words(lines.weight(start, turn.line - 1))
    gone = 0 if turn.minute is None or before.minute is None else (turn.minute - before.minute) % (24 * 60)
    paused = gone >= PAUSE_MINUTES or any(lines.blank(number) for number in range(before.line + 1, turn.line))
    apart = shared(terms, own) < SAME_TOPIC
    if turn.minute is not None:
        return (paused and size >= SMALL_TOKENS and apart) or (size > MAX_TOKENS and (paused or apart))
    return paused and (size > MAX_TOKENS or apart)


def _after_pause(lines: Lines, line: int) -> int:
    while line > 1 and lines.blank(line - 1):
        line -= 1
    return line


def statements(found: list[Turn], lines: Lines, first: int, last: int) -> tuple[str, str]:
    """A stretch of a chat as a list of who said what, without what says nothing, and what it is about: the
    first statement.
    """
    told: list[str] = []
    inside = [turn for turn in found if first <= turn.line <= last]
    for turn, following in zip(inside, [*inside[1:], None], strict=True):
        if turn.is_chatter:
            continue
        stop = following.line - 1 if following is not None else last
        more = [
            lines[number].strip()
            for number in range(turn.line + 1, stop + 1)
            if not lines.blank(number) and not _NOTICE.search(lines[number][:200])
        ]
        said = " ".join([turn.said.strip(), *more])
        told.append(f"- {turn.speaker}: {said}")
    return "\n".join(told), _subject([turn for turn in inside if not turn.is_chatter])


def _subject(inside: list[Turn]) -> str:
    """The statement that says what a stretch is about: the first of a short one, else the one that has the
    most of its key terms in few words.
    """
    if len(inside) <= FEW_TURNS:
        return inside[0].said if inside else ""
    speakers = {turn.speaker.casefold() for turn in inside}
    counts = Counter(word for turn in inside for word in set(words(turn.said)))
    found = telling_terms("\n".join(turn.said for turn in inside), MAX_TERMS)
    often = [term for term in found if counts[term] > 1 and len(term) > 2 and term not in speakers]
    wanted = sorted(often, key=lambda term: -counts[term])[:8]

    def held(turn: Turn) -> int:
        return len(set(wanted).intersection(words(turn.said)))

    for asked, least in ((True, 1), (False, AGREED)):
        fitting = [
            turn
            for turn in inside
            if SHORTEST <= len(turn.said.split()) <= LONGEST
            and held(turn) >= least
            and turn.said.rstrip().endswith("?") >= asked
        ]
        if fitting:
            return max(fitting, key=held).said
    return ", ".join(wanted[: AGREED + 1]) or inside[0].said


def as_title(said: str) -> str:
    """A statement as a title: without what is only said to begin with, up to the end of its first sentence."""
    bare = re.sub(_ADDRESSED, "", _TURNED.sub("", said)).strip(" ,.:;-\u2013\u2014")
    first = re.split(r"(?<=[.!?])\s+(?=\S)", bare)[0]
    return cut(first if len(first.split()) > 2 else bare, SUMMARY).strip(" ,.:;-\u2013\u2014")
