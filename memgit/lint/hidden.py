"""Text that a reader does not see: characters without width, controls of direction, comments that speak to an
agent.

Names and classes of characters are those of Unicode; why they matter: N. Boucher, R. Anderson, "Trojan
Source", 2021 (https://trojansource.codes), and Unicode TR 36.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter

from memgit.lint.lines import Lines
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

MAX_FOUND = 100
MAX_QUOTE = 100
MAX_INNER = 20_000
"""So much of a comment is looked into."""

_ANY = pattern(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\U000e0000-\U000e007f]"
)
_BIDI = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_CONTROLS = pattern("[\u202a-\u202e\u2066-\u2069]")
_OVERRIDES = frozenset("\u202d\u202e")
_TURNING = pattern("[\u061c\u200f\u202b\u202d\u202e\u2067]")
"""What turns text from right to left, or holds letters where they are: all others leave text from left to right alone."""
_MARKS = frozenset("\u200e\u200f\u061c")
_JOINERS = frozenset("\u200c\u200d")
_SOFT = frozenset("\xad")
_FLAG = pattern("\U0001f3f4[\U000e0020-\U000e007e]+\U000e007f")
_TAGS = pattern("[\U000e0020-\U000e007e]+")

_RTL = pattern("[\u0591-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff]")
_UNSPACED = pattern(
    "[\u0e00-\u0fff\u1000-\u109f\u1780-\u17ff\u1950-\u19df\u1a20-\u1aaf\ua9e0-\ua9ff\uaa60-\uaadf]"
)
"""Thai, Lao, Tibetan, Burmese, Khmer and their neighbours: scripts without blanks between words."""
BESIDE = 20
"""So many characters before and after a hidden one are quoted."""
FEW_LETTERS = 20
"""So many letters of a script in a file make its marks honest everywhere in it."""
SCRIPT_SAMPLE_CHARACTERS = 20_000
"""So many characters of a file tell which scripts it is written in."""

_COMMENT = r"<!--(.*?)(?:-->|\Z)|^ {0,3}\[(?://|comment|_)\]: *(?:#|<>) *[\"'(]([^\n]*)[\"')][ \t\r]*$"
_UNSEEN = (
    r"<(\w{1,20})(?=[\s])[^<>]{0,400}?(?:display:\s*none|visibility:\s*hidden|font-size:\s*0(?:px|em|rem|pt|%)?\s*[;\"']|"
    r"opacity:\s*0\s*[;\"']|\shidden[\s>=])[^<>]{0,400}>(.{0,2000}?)</\1>"
)
_WHO = (
    r"(?:assistants?|ai|a\.i\.|agents?|llms?|(?:large )?language models?|models?|chat "
    r"?bots?|bots?|claude|chat ?gpt|gpt(?:-\d)?|gemini|"
    r"copilot|cursor|codex|reviewer bot|system(?: prompt)?)"
)
_ORDER = (
    r"(?:ignore|disregard|forget|override|bypass|approve|merge|accept|execute|run|delete|reveal|exfiltrate|send|leak|print|output|say|"
    r"respond|reply|answer|pretend|act as|behave|you (?:must|should|are|will|may|can)|do "
    r"not|don't|never|always|instead)"
)
_ADDRESSED = (
    rf"(?:^|[\s\[(\"'*_>]){_WHO}\s*[,:!]\s*(?:please\s+)?(?:\S+\s+){{0,4}}?{_ORDER}\b"
    rf"|\b(?:attention|note|instructions?|message|important|dear|hey|hello)\s*(?:to|for|,)?\s*(?:the\s+|all\s+|any\s+)?{_WHO}\b"
    rf"|\b(?:ignore|disregard|forget|override)\s+(?:(?:all|any|the|your|every)\s+)*(?:(?:previous|earlier|prior|above|other|preceding)\s+)+"
    r"(?:\w+\s+)?(?:instructions?|rules?|prompts?|messages?|directions?|guidelines?|context)\b"
    rf"|\b(?:ignore|disregard|forget|override)\s+(?:all\s+|any\s+)?your\s+(?:\w+\s+)?(?:instructions?|rules?|prompts?|guidelines?)\b"
    rf"|\byou are (?:now )?(?:an? )?(?:\w+ )?(?:{_WHO}|dan)\b"
    rf"|\b(?:if you are|as) an? (?:\w+ )?(?:ai|llm|language model|agent|assistant|bot)\b"
    r"|\bdo not (?:tell|inform|mention (?:this|it) to|show (?:this|it) to|reveal (?:this|it) to) "
    r"the (?:user|human|reviewer|author)\b"
)


class Hidden(NamedTuple):
    """One line of hidden text:

    `kind` is "bidi", "zero-width", "tags" or "comment"; `what` names or quotes it.
    """

    line: int
    end_line: int
    kind: str
    what: str


def find(text: str, visible: list[tuple[int, int]] | None = None) -> list[Hidden]:
    """The hidden text of a file, by line.

    Args:
        visible: stretches in characters in which markup shows as it is (code): comments there are no
            comments.
    """
    out = [] if text.isascii() else _characters(text)
    if "<" in text or "]:" in text:
        out += _comments(text, visible or [])
    return sorted(out)[:MAX_FOUND]


class _Scripts:
    """What the scripts of a text need: marks of direction, or places where a line may break between words.

    Attributes:
        rtl, unspaced: whether the line that was looked at last, or the whole text, has letters that are written
            from right to left, or in a script without blanks.
        closes: whether that line closes every control of direction that it opens.
        ends: whether nothing that it opens goes on after that line.
        turns: whether anything on that line is not written from left to right, or made not to be.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._rtl = len(_RTL.findall(text, 0, SCRIPT_SAMPLE_CHARACTERS)) >= FEW_LETTERS
        self._unspaced = len(_UNSPACED.findall(text, 0, SCRIPT_SAMPLE_CHARACTERS)) >= FEW_LETTERS
        self._start, self._end = 0, -1
        self.rtl = self.unspaced = self.closes = self.ends = self.turns = False

    def look(self, place: int) -> None:
        """Looks at the line of a place; many places of one line cost one look."""
        if self._start <= place <= self._end:
            return
        text = self._text
        end = text.find("\n", place)
        start, end = text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end
        self._start, self._end = start, end
        self.rtl = self._rtl or _RTL.search(text, start, end) is not None
        self.unspaced = self._unspaced or _UNSPACED.search(text, start, end) is not None
        self.turns = self.rtl or _TURNING.search(text, start, end) is not None
        count = Counter(_CONTROLS.findall(text, start, end))
        opened = (count["\u202a"] + count["\u202b"], count["\u2066"] + count["\u2067"] + count["\u2068"])
        closed = (count["\u202c"], count["\u2069"])
        self.closes = opened == closed
        self.ends = opened[0] <= closed[0] and opened[1] <= closed[1]


def _characters(text: str) -> list[Hidden]:
    found: dict[tuple[int, str], dict[str, int]] = {}
    around: dict[tuple[int, str], str] = {}
    decoded: dict[int, str] = {}
    lines = Lines(text)
    scripts = _Scripts(text)
    flags = [match.span() for match in _FLAG.finditer(text)] if "\U0001f3f4" in text else []
    for match in _ANY.finditer(text):
        place, char = match.start(), match[0]
        scripts.look(place)
        kind = _kind(text, place, char, scripts)
        if kind is None or any(start <= place < end for start, end in flags):
            continue
        line = lines.of(place)
        names = found.setdefault((line, kind), {})
        names[char] = names.get(char, 0) + 1
        if (line, kind) not in around:
            around[line, kind] = _around(text, place)
        if kind == "tags" and line not in decoded:
            run = _TAGS.search(text, place)
            decoded[line] = "".join(chr(ord(tag) - 0xE0000) for tag in run[0]) if run is not None else ""
        if len(found) >= MAX_FOUND:
            break
    out = []
    for (line, kind), names in found.items():
        if kind == "tags":
            out.append(
                Hidden(line, line, kind, f"tag characters that spell {_quoted(decoded.get(line, ''))}")
            )
        else:
            out.append(
                Hidden(
                    line,
                    line,
                    kind,
                    ", ".join(_named(char, count) for char, count in names.items())
                    + f" in {around[line, kind]}",
                )
            )
    return out


def _kind(text: str, place: int, char: str, scripts: _Scripts) -> str | None:
    """What sort of hidden character stands there; None where it does honest work."""
    if char in _BIDI:
        if scripts.ends and not scripts.turns:
            return "zero-width"  # nothing is shown in another place than where it stands
        return None if scripts.rtl and scripts.closes and char not in _OVERRIDES else "bidi"
    if char >= "\U000e0000":
        return "tags"
    before = text[place - 1] if place else "\n"
    after = text[place + 1] if place + 1 < len(text) else "\n"
    if char in _MARKS:
        return None if scripts.rtl else "bidi" if scripts.turns else "zero-width"
    if char == "\u200b" and scripts.unspaced:
        return None
    if char in _JOINERS:
        return None if _joins(before, after) else "zero-width"
    if char in _SOFT:
        # It shows where a line may break, and hides nothing: only a run of them is no typesetting.
        return "zero-width" if _SOFT & {before, after} else None
    if char == "\ufeff" and place == 0:
        return None
    if char in "\u180b\u180c\u180d\u180e" and "\u1800" <= before <= "\u18af":
        return None
    if char in "\u115f\u1160" and ("\u1100" <= after <= "\u11ff" or "\u1100" <= before <= "\u11ff"):
        return None
    return "zero-width"


def _joins(before: str, after: str) -> bool:
    """Whether a joiner stands in an emoji or in a script that needs joiners (Arabic, the scripts of India and
    their neighbours).
    """
    if before in "\ufe0f\u20e3" or _emoji(before):
        return _emoji(after)
    return _shaped(before) or _shaped(after)


def _emoji(char: str) -> bool:
    return unicodedata.category(char) in ("So", "Sk") or "\U0001f000" <= char <= "\U0001faff"


def _shaped(char: str) -> bool:
    return (
        "\u0600" <= char <= "\u08ff"
        or "\u0900" <= char <= "\u109f"
        or "\u1780" <= char <= "\u18af"
        or "\ufb50" <= char <= "\ufeff"
    )


def _around(text: str, place: int) -> str:
    """The text beside a hidden character, which is written out in its place."""
    before = text[max(0, place - BESIDE) : place].rpartition("\n")[2]
    after = text[place + 1 : place + 1 + BESIDE].partition("\n")[0]
    return _quoted(f"{before}[U+{ord(text[place]):04X}]{after}")


def _named(char: str, count: int) -> str:
    name = unicodedata.name(char, "") or "without a name"
    return f"U+{ord(char):04X} {name}" + (f" ({count} times)" if count > 1 else "")


def _comments(text: str, visible: list[tuple[int, int]]) -> list[Hidden]:
    """Comments and elements that are not shown and speak to an agent.

    Patterns are compiled where they are needed: few texts hold any.
    """
    out = []
    lines = Lines(text)
    found: list[tuple[re.Match[str], str]] = []
    if "<!--" in text or "]:" in text:
        found += [
            (match, match[1] or match[2] or "")
            for match in re.compile(_COMMENT, re.DOTALL | re.MULTILINE).finditer(text)
        ]
    if any(mark in text for mark in ("display", "visibility", "font-size", "opacity", " hidden")):
        found += [
            (match, match[2]) for match in re.compile(_UNSEEN, re.DOTALL | re.IGNORECASE).finditer(text)
        ]
    for match, inner in found:
        if re.compile(_ADDRESSED, re.IGNORECASE).search(inner[:MAX_INNER]) is None:
            continue
        if not any(start <= match.start() < end for start, end in visible):
            line = lines.of(match.start())
            out.append(Hidden(line, line + match[0].count("\n"), "comment", _quoted(inner)))
    return out


def _quoted(text: str) -> str:
    """A hidden text as data: on one line, cut, in quotes, nothing in it that a terminal or a reader could
    take for more than text.
    """
    kept = " ".join("".join(char if char.isprintable() else " " for char in text).split())
    kept = kept if len(kept) <= MAX_QUOTE else kept[: MAX_QUOTE - 1] + "…"
    return f"“{kept}”"
