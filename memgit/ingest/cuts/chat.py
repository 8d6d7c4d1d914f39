"""Chats and transcripts: recognised by who speaks, cut where the topic turns, told as statements."""

from __future__ import annotations

import re
from collections import Counter
from itertools import accumulate, pairwise
from math import log

from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.prose import terms_of
from memgit.ingest.cuts.size_limits import SMALL_TOKENS, Piece
from memgit.ingest.keywords import NOISE
from memgit.ingest.plain import shortened
from memgit.model.terms import STOP, words
from memgit.model.tokens import of_half_words

MIN_TURNS, MIN_SHARE, MIN_HEADED = 4, 0.5, 0.2
"""Turns that a chat has at least, and their share of its lines, where each names its speaker in its line or above
it.
"""
MIN_LOG, LOG_SHARE = 12, 0.8
"""The same of a log inside another text."""
MAX_TOKENS = 700
"""Tokens of a segment beyond which it is cut where its topic turns the most."""
PAUSE_MINUTES = 4
"""Minutes without a word after which somebody may speak of something else."""
WINDOW = 8
"""Turns on either side of a place that are compared."""
_DATE = r"(?:\d{4}-\d\d-\d\d|\d{1,2}/\d{1,2}/\d{2,4})"
_TIME = r"\d{1,2}:\d\d(?::\d\d)?(?:\.\d+)?Z?(?:\s*[AaPp]\.?[Mm]\.?)?"
_STAMP = rf"(?:[\[(]?(?:{_DATE},?[T ]\s*)?{_TIME}[\])]?\s*[-\u2013|]?\s*)?"
_NAME = r"[A-Z\u00c0-\u024f][\w.'-]*(?: [A-Z][\w.'-]*){0,2}"
_TURN = re.compile(
    rf"^\s*(?:[-*>]\s+)?{_STAMP}(?:\*\*)?(?:<\s*[@+%&~]?(?P<nick>[^<>\s=/\"][^<>=\"]{{0,39}})>"
    rf"|(?P<id>@[\w.=/-]+:[\w.-]+(?=:\s))|@?(?P<name>{_NAME}))"
    rf"(?:\*\*)?\s*(?:\(\d{{1,2}}:\d\d[^)]*\))?(?:(?<=>)|:)(?:\*\*)?\s+(?P<said>\S.*)$"
)
_HEAD = re.compile(
    rf"^\s*(?:#+\s+)?(?:\*\*)?(?P<name>[\w@\u00c0-\u024f][^:<>|\n]{{0,38}}?)(?:\*\*)?\s*(?:\u2014|\u2013|-|\s|\s[\[(])\s*(?:[\[(])?"
    rf"(?:(?:today|yesterday|{_DATE})(?:,| at)?\s+)?{_TIME}[\])]?\s*$"
    rf"|^On\s.{{6,60}}?,\s*\"?(?P<wrote>{_NAME})\"?\s*(?:<[^<>\s]*>)?\s*wrote:\s*$",
    re.IGNORECASE,
)
"""A line that names the speaker of those below it: copies of Slack and Discord, answers to mails."""
_TOPIC = re.compile(r"^(?:.{0,60}?>\s*#(?:topic|subtopic)\s+|#{1,6}\s+)(.*\w.*)$", re.I)
"""A heading between the turns, or what a bot takes for one."""
_CLOCK = re.compile(r"(\d{1,2}):(\d\d)(?::\d\d)?(?:\.\d+)?\s*([AaPp])?")
_DAY = re.compile(r"\d{4}-\d\d-\d\d")
_NOTICE = re.compile(
    r"^\s*(?:\[?[\d:. T-]+\]?\s*)?(?:\*{1,3}|[\u2190\u2192\u21d0\u21d2\u2022]|-->|<--|-!-|=!=)\s|\b(?:has )?(?:joined|quit|left|parted) "
    r"(?:\(|#|the (?:channel|room))|\bis now known as\b|^\s*(?:`{3}|~{3}|\{%|--- (?:Log|Day) )"
)
"""Lines of a channel that nobody said."""
_TURNED = re.compile(
    r"^(?:\W*(?:so|ok(?:ay)?|well|all ?right|right|now|and|oh|anyway|folks|then|#\w+)\b[,:.!]*\s*)*(?:on another (?:matter|note|topic)"
    r"|by the way|another (?:thing|question|topic)|different topic|changing (?:the )?subject"
    r"|(?:and )?(?:the )?next (?:topic|item|question|up"
    r"|on the agenda)|one more thing|separately|unrelated(?:ly)?|moving on|new topic|lastly|on ?to\b|#topic|last thing)\b[,:]?",
    re.I,
)
_CHATTER = re.compile(
    r"(?:ok(?:ay)?|kk?|thanks?(?: you)?(?: a lot| so much)?|thx|ty|plz|lol|ha(?:ha)*|heh|great|nice|cool|perfect|awesome|done|will do|sure"
    r"|y(?:es|ep|eah?|o)|no|nope|nah|no problem|np"
    r"|you'?re welcome|hi+|hello|hey|howdy|good (?:morning|afternoon|evening|meeting)|bye|see you"
    r"|got it|makes sense|sounds good|\+1|o/|finally|that works|works|agreed|indeed|welcome|right|[\W_])+(?:[,!. ]+(?:\w+)?)?",
    re.I,
)
_ANSWER = re.compile(
    r"(?:y(?:es|ep|eah?)|no|nope|nah|sure|agreed|correct|right|exactly|indeed|done|both|maybe|[+-]1)\b", re.I
)
_ADDRESSED = re.compile(
    r"^(?:(?:so|ok|okay|well|oh|and|but|yeah|yes|also|now|right|alright|all?right|sure|folks|anyway|in that case"
    r"|here'?s|here (?:is|are))\b[,:]?\s+)+"
    r"|^[@\w.\[\]|^{}-]{2,20}[:,]\s+|^\w{0,2}\d+[.)]\s+|^q:\s+|^you mean\s+"
    r"|^(?:i|we)(?:'d| would| just)* (?:want(?:ed)?|like|love|need) to (?:talk|speak|ask|know|hear|mention|discuss)\w*"
    r"(?: about)?(?: how(?: to)?)?\s+",
    re.I,
)
_LEANS = re.compile(
    r"^(?:it|that|this|they|he|she|these|those|which|and|but|or|because|then|there|yes|no|if so|who)\b|\b(?:i|me|my|you|your)\b"
    r"|\b(?:it|that|this one|them|they|he|she)[.?!]*$",
    re.I,
)
"""A statement that leans on what was said before."""
_COURTESY = re.compile(r"\b(?:thanks?|thx|sorry|welcome|haha\w*|lol|heh|brb)\b", re.I)
_DECIDES = re.compile(
    r"\b(?:let'?s|should|decided?|agree(?:d|ment)?|propose[ds]?|plan(?:s|ning)? (?:to|on)|will (?:need|be|use|have)|need(?:s)? to"
    r"|agenda|goal|must)\b"
    r"|:$",
    re.I,
)
_ITEM = re.compile(r"^\"?\d{1,2}[.)]\s")
SHORTEST, LONGEST = 4, 14
"""Words of a statement that names a stretch."""
SUMMARY = 70
"""Columns of a title."""
THINGS = 4
"""Things that a title names where no question does."""
MIN_ITEMS = 3
"""Items of a list that what introduces it names."""
AGREED = 3
"""Statements of a stretch that is named by its first."""
_LIGHT = frozenset(
    """
    stuff lot bit kind sort way case far later least best good better bad nice point sense part rest side fact idea mean head matter
    end future past same due new old big long short high low few more most next last main real able one two three four five person guy
    folk man hand place world life word name today yesterday tomorrow morning night talk chat meeting look try reason moment couple
    amount number set list level area option chance deal rule order term effect topic subject context discussion feedback comment
    question answer update work working done need want use user yeah okay hmm sorry please thank lol
    """.split()
)
"""Words that name nothing to look up by themselves; with another one they may."""
_WORD = re.compile(r"[^\W_](?:[\w.+#/-]*\w)?")
_BEFORE_NOUN = re.compile(
    r"\b(?:the|an?|this|these|those|our|your|my|their|its|his|her|of|for|about|on|in|with|any|some|no|from|per|via|by|each|every|which|what"
    r"|few|several|many|more|other|between|into|under|at)"
    r"\s+(?:[\w'-]+\s+)?$",
    re.I,
)
NOUN_SHARE = 0.35
"""The share of its uses in which a thing stands where nouns stand."""
_LABELS = frozenset(
    "note warning tip important example date context solution source status title usage".split()
)


class Turn:
    """One turn: the line, who speaks, what, when in minutes and on which day (None and empty where it does not
    say).
    """

    __slots__ = ("day", "line", "minute", "said", "speaker", "terms", "topic")

    def __init__(self, line: int, speaker: str, said: str, minute: int | None = None, day: str = "") -> None:
        self.line, self.speaker, self.said, self.minute, self.day = line, speaker, said, minute, day
        self.terms: set[str] = set()
        self.topic = ""  # the heading above it

    @property
    def is_chatter(self) -> bool:
        """Whether it says nothing that anybody looks up."""
        said = self.said.strip()
        return _CHATTER.fullmatch(said) is not None or (len(said.split()) < 3 and not terms_of(said))


def turns(lines: Lines, first: int = 1) -> list[Turn]:
    """The turns of a chat, or of a log that another text ends with; empty where the text is something else."""
    spoken = {
        number: one for number in range(first, len(lines) + 1) if (one := _speaker(lines[number])) is not None
    }
    kinds = Counter(one[0] for one in spoken.values()).most_common(1)
    if not kinds:
        return []
    found: list[Turn] = []
    full = [0] * (len(lines) + 1)
    topic = ""
    for number in range(first, len(lines) + 1):
        line = lines[number][:2000]
        heading = _TOPIC.match(line)
        if lines.blank(number) or _NOTICE.search(line[:200]) or (heading is not None and found):
            topic = heading[1].strip(" #") if heading is not None and found else topic
            continue
        full[number] = 1
        kind, name, said, stamp = spoken.get(number, ("", "", "", ""))
        if kind == kinds[0][0]:
            found.append(_turn(number, name, said, stamp))
            found[-1].topic, topic = topic, ""
        elif found and not topic:
            found[-1].said = f"{found[-1].said} {line.strip().lstrip('> ')}".strip()
    found = [turn for turn in found if turn.said]
    counts = list(accumulate(full))
    if len(found) >= (MIN_HEADED if kinds[0][0] == "head" else MIN_SHARE) * counts[-1]:
        return _with_terms(found) if _are_speakers(found) else []
    for start, turn in enumerate(found[:-MIN_LOG]):
        if len(found) - start >= LOG_SHARE * (counts[-1] - counts[turn.line - 1]):
            turn.topic = ""  # its heading is one of the text above
            return _with_terms(found[start:]) if _are_speakers(found[start:]) else []
    return []


def _speaker(raw: str) -> tuple[str, str, str, str] | None:
    """How a line names who speaks (`nick`, `id`, `name`, or in a line of its own: `head`), the name, what is said
    and what stands before that; None where it names nobody.
    """
    line = raw[:2000].lstrip("\ufeff")
    if not line.strip() or _NOTICE.search(line[:200]):
        return None
    match = _TURN.match(line)
    if match is not None:
        kind = next(one for one in ("nick", "id", "name") if match[one])
        return kind, match[kind], match["said"], line[: match.start("said")]
    head = _HEAD.match(line)
    return ("head", (head["name"] or head["wrote"]).strip(" @*"), "", line) if head is not None else None


def _turn(number: int, speaker: str, said: str, stamp: str) -> Turn:
    clock, day = _CLOCK.search(stamp), _DAY.search(stamp)
    minute = None
    if clock is not None:
        hour = int(clock[1]) % 12 + 12 * (clock[3] in ("p", "P")) if clock[3] else int(clock[1])
        minute = hour * 60 + int(clock[2])
    return Turn(number, speaker, said, minute, day[0] if day is not None else "")


def _are_speakers(found: list[Turn]) -> bool:
    """Whether turns are of two people or more who speak more than once."""
    counts = Counter(turn.speaker for turn in found)
    return (
        len(found) >= MIN_TURNS
        and 2 <= len(counts) <= max(2, len(found) // 2)
        and sum(count > 1 for count in counts.values()) >= 2
        and not _LABELS.intersection(name.casefold() for name in counts)
    )


def _with_terms(found: list[Turn]) -> list[Turn]:
    """The turns with the things that each names: words that stand behind an article, a preposition or another such
    word, or are spelled as names; no names of those who speak.
    """
    speakers = {part for turn in found for part in words(turn.speaker)}
    uses: Counter[str] = Counter()
    named: Counter[str] = Counter()
    for turn in found:
        said = _spoken(turn.said)
        for match in _WORD.finditer(said):
            if match[0].casefold() in STOP:
                continue
            term = _stem(match[0].casefold())
            uses[term] += 1
            name = match[0][1:] != match[0][1:].lower() or (
                match[0][0].isupper() and said[: match.start()][-2:-1].isalpha()
            )
            named[term] += (
                name or _BEFORE_NOUN.search(said[max(0, match.start() - 40) : match.start()]) is not None
            )
    things = {
        term
        for term, count in uses.items()
        if len(term) > 1
        and term not in _LIGHT
        and named[term] >= NOUN_SHARE * count
        and not term.isdigit()
        and term not in STOP
        and term not in NOISE
        and term not in speakers
        and not term.endswith("ly")
    }
    for turn in found:
        turn.terms = {_stem(word.casefold()) for word in _WORD.findall(_spoken(turn.said))} & things
    return found


def _spoken(said: str) -> str:
    """A statement without addresses and code."""
    return re.sub(r"https?://\S+|`[^`]*`", "", said)


def _stem(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def pieces(lines: Lines, first: int, found: list[Turn]) -> list[Piece]:
    """The pieces of a chat: a new one where a turn says so, or where after a pause nothing is shared any more;
    what is too large still is cut where its topic turns the most.
    """
    starts = [0]
    for number in range(1, len(found)):
        if _turns_away(lines, found, starts[-1], number):
            starts.append(number)
    weights = _rarity(found)
    out: list[int] = []
    for start, stop in pairwise([*starts, len(found)]):
        out += _divided(lines, found, weights, start, stop)
    borders = [first, *(_after_pause(lines, found[start].line) for start in out if start)]
    stops = [border - 1 for border in borders[1:]] + [len(lines)]
    return [
        Piece(start, stop, lines.weight(start, stop), ((),))
        for start, stop in zip(borders, stops, strict=True)
    ]


def _turns_away(lines: Lines, found: list[Turn], start: int, number: int) -> bool:
    turn, before = found[number], found[number - 1]
    if turn.topic:
        return True
    if _TURNED.match(turn.said) and len(turn.said.split()) > 2:
        return True
    before_terms = set().union(*(one.terms for one in found[start:number]))
    apart = not before_terms & turn.terms and not turn.is_chatter
    if turn.minute is not None and before.minute is not None:
        paused = (turn.minute - before.minute) % (24 * 60) >= PAUSE_MINUTES or turn.day != before.day
        return paused and apart and _tokens(lines, found, start, number) >= SMALL_TOKENS
    return apart and any(lines.blank(one) for one in range(before.line + 1, turn.line))


def _tokens(lines: Lines, found: list[Turn], start: int, stop: int) -> int:
    last = found[stop].line - 1 if stop < len(found) else len(lines)
    return of_half_words(lines.weight(found[start].line, last))


def _divided(lines: Lines, found: list[Turn], weights: dict[str, float], start: int, stop: int) -> list[int]:
    """The starts of the parts of a stretch of turns that is too large, cut where the sides share the least."""
    if _tokens(lines, found, start, stop) <= MAX_TOKENS:
        return [start]
    places = [
        place
        for place in range(start + 1, stop)
        if min(_tokens(lines, found, start, place), _tokens(lines, found, place, stop)) >= 2 * SMALL_TOKENS
    ]
    if not places:
        return [start]
    place = min(places, key=lambda one: _cohesion(found, weights, start, one, stop))
    return _divided(lines, found, weights, start, place) + _divided(lines, found, weights, place, stop)


def _cohesion(found: list[Turn], weights: dict[str, float], start: int, place: int, stop: int) -> float:
    """How much the turns on either side of a place speak of the same things, the rarer words more; a question
    belongs to what follows, an item to its list.
    """
    sides = found[max(start, place - WINDOW) : place], found[place : min(stop, place + WINDOW)]
    left, right = (Counter(term for turn in side for term in turn.terms) for side in sides)
    both = sum(weights[term] * min(left[term], right[term]) for term in left.keys() & right.keys())
    all_ = [sum(weights[term] * count for term, count in side.items()) for side in (left, right)]
    share = both / (min(all_) or 1)
    turn, before = found[place], found[place - 1]
    near = found[max(start, place - 3) : place]
    if any(one.said.rstrip().endswith("?") and one.speaker != turn.speaker for one in near):
        share += 0.3
    if _ITEM.match(turn.said) and any(
        _ITEM.match(one.said) for one in found[max(start, place - WINDOW) : place]
    ):
        share += 0.3
    if turn.is_chatter or (
        turn.speaker == before.speaker and before.said.rstrip().endswith((":", ",", "..."))
    ):
        share += 0.3
    if turn.minute is not None and before.minute is not None:
        share -= min(0.2, 0.05 * ((turn.minute - before.minute) % (24 * 60)))
    return share - 0.15 * turn.said.rstrip().endswith("?")


def _rarity(found: list[Turn]) -> dict[str, float]:
    """What each term weighs: the rarer in all turns, the more."""
    counts = Counter(term for turn in found for term in turn.terms)
    return {term: log(1 + len(found) / count) for term, count in counts.items()}


def _after_pause(lines: Lines, line: int) -> int:
    while line > 1 and (lines.blank(line - 1) or _TOPIC.match(lines[line - 1])):
        line -= 1
    return line


class Stretch:
    """A stretch of a chat in words: what was said, what it is about, and on which day."""

    __slots__ = ("body", "day", "title")

    def __init__(self, found: list[Turn], first: int, last: int) -> None:
        opened = [turn.said for turn in found if turn.line <= first + 2 and _TURNED.match(turn.said)]
        headed = [turn.topic for turn in found if turn.topic and turn.line <= last]
        inside = [turn for turn in found if first <= turn.line <= last]
        weights = _rarity(found)
        counts = Counter(term for turn in inside for term in turn.terms)
        voices = {term: len({turn.speaker for turn in inside if term in turn.terms}) for term in counts}
        ranked = sorted(counts, key=lambda term: (-counts[term] * weights[term] * voices[term] ** 0.5, term))
        wanted = [term for term in ranked if counts[term] > 1][:8]
        kept = [turn for number, turn in enumerate(inside) if _says(inside, number, counts)]
        self.body = "\n".join(f"- {turn.speaker}: {turn.said}" for turn in kept)
        self.day = next((turn.day for turn in inside if turn.day), "")
        self.title = _subject(kept, wanted, counts, weights)
        if headed:
            under = len([turn for turn in inside if turn.topic])
            self.title = (
                headed[-1]
                if under == 1
                else "; ".join(headed[-under:])
                if under
                else f"{headed[-1]}: {self.title}"
            )
            return
        items = [
            number
            for number, turn in enumerate(found)
            if first <= turn.line <= last and _ITEM.match(turn.said)
        ]
        if len(items) >= MIN_ITEMS:
            before = [turn for turn in found[: items[0]][-LONGEST:] if turn.said.rstrip().endswith(":")]
            intro = as_title(before[-1].said) if before else ""
            self.title = (
                intro if intro and before[-1].line >= first else ": ".join(filter(None, (intro, self.title)))
            )
        topic = as_title(opened[-1]).strip("?") if opened else ""
        if 0 < len(topic.split()) < AGREED < len(kept) and topic.casefold() not in self.title.casefold():
            self.title = f"{topic}: {self.title}"


def _says(inside: list[Turn], number: int, counts: Counter[str]) -> bool:
    """Whether a turn says something: it is no chatter, or answers a question; a few words have to share one with
    others.
    """
    turn = inside[number]
    before = [one for one in inside[max(0, number - 3) : number] if one.speaker != turn.speaker]
    asked = any(one.said.rstrip().endswith("?") and len(one.said.split()) > 2 for one in before)
    if turn.is_chatter:
        return asked and (_ANSWER.match(turn.said) is not None or not _CHATTER.fullmatch(turn.said.strip()))
    if (
        len(turn.said.split()) > 4
        or asked
        or turn.said.rstrip().endswith("?")
        or re.search(r"[\d`]|://", turn.said)
    ):
        return True
    return any(counts[term] > 1 for term in turn.terms) or len(inside) <= WINDOW


def _subject(kept: list[Turn], wanted: list[str], counts: Counter[str], weights: dict[str, float]) -> str:
    """What a stretch is about: the first statement of a short one, else the things that most of its statements
    name, before a question or a decision about them where there is one.
    """
    if len(kept) <= AGREED:
        return as_title(kept[0].said) if kept else ""
    best, told = "", ""
    most = [0.0, 0.0]
    for turn in kept:
        for said in re.split(r"(?<=[.!?])\s+", turn.said):
            bare = _lead(said)
            terms = turn.terms.intersection(_stem(word.casefold()) for word in _WORD.findall(bare))
            held = terms.intersection(wanted)
            size, leans = len(bare.split()), _LEANS.search(bare) is not None
            if not SHORTEST <= size <= 2 * LONGEST or "://" in bare or _COURTESY.search(bare):
                continue
            score = sum(counts[term] * weights[term] for term in terms) * (0.5 if leans else 1) / (size + 8)
            if score > most[0]:
                told, most[0] = bare, score
            asks = bare.endswith("?") or _DECIDES.search(bare) is not None
            fits = size <= LONGEST and len(bare) <= SUMMARY - 10
            if asks and fits and len(held) > 1 + leans and score > most[1]:
                best, most[1] = bare, score
    things = _phrases(kept, wanted)
    if not best and len(things) > 1 and len(kept) > AGREED:
        return ", ".join(things[:THINGS])
    title = (best or shortened(told, SUMMARY)).strip(" .:") or as_title(kept[0].said)
    named = next((one for one in things[:1] if " " in one or one != one.lower()), "")
    return title if named.casefold() in title.casefold() else f"{named}: {title}"


def _phrases(kept: list[Turn], wanted: list[str]) -> list[str]:
    """Things as they are written the most, two that go together as one."""
    pairs: Counter[tuple[str, str]] = Counter()
    spelled: dict[str, Counter[str]] = {}
    for turn in kept:
        found = _WORD.findall(_spoken(turn.said))
        for word in found:
            spelled.setdefault(_stem(word.casefold()), Counter())[word] += 1
        stems = ["" if word.casefold() in STOP else _stem(word.casefold()) for word in found]
        pairs.update({pair for pair in pairwise(stems) if pair[0] != pair[1]})
    out: list[str] = []
    used: set[str] = set()
    for term in wanted:
        if term in used:
            continue
        other = max(
            (
                pair
                for pair, count in pairs.items()
                if count > 1 and term in pair and all(_is_thing(one) for one in pair)
            ),
            key=lambda pair: (pairs[pair], pair),
            default=(term,),
        )
        used.update(other)
        out.append(" ".join(spelled[one].most_common(1)[0][0] for one in other))
    return out


def _is_thing(term: str) -> bool:
    return len(term) > 1 and term not in STOP and not term.isdigit()


def _lead(said: str) -> str:
    """A statement without what is only said to begin with."""
    before = ""
    bare = _TURNED.sub("", said)
    while bare != before:
        bare, before = _ADDRESSED.sub("", bare, count=1).strip(" ,;-\u2013\u2014"), bare
    return bare


def as_title(said: str) -> str:
    """A statement as a title: without what is only said to begin with, up to the end of its first sentence; one
    that is too long ends before a clause.
    """
    bare = _lead(said).strip(" ,.:;-\u2013\u2014")
    first = re.split(r"(?<=[.!?])\s+(?=\S)", bare)[0]
    name = first if len(first.split()) > 2 else bare
    return shortened(name, SUMMARY).strip(" ,.:;-\u2013\u2014")
