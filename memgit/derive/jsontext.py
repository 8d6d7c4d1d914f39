"""JSON text that keeps its shape: an edit changes the values that differ and nothing else.

Indent, line ends, arrays on one line or one element a line, order and spelling of keys, unknown keys, spaces:
all stay as they are.
Grammar: RFC 8259.
"""

from __future__ import annotations

import json
import re

from memgit import TYPE_CHECKING
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any, TypeAlias

    Json: TypeAlias = Any
else:
    Json = object

MAX_DEPTH = 40

_BLANK = pattern(r"[ \t\r\n]*")
_TOKEN = pattern(
    r'(?P<text>"[^"\\\x00-\x1f]*(?:\\.[^"\\\x00-\x1f]*)*")|(?P<mark>[{}\[\],:])'
    r"|(?P<number>-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)|(?P<word>true|false|null)(?!\w)"
)
_WORDS = {"true": True, "false": False, "null": None}
_INDENT = pattern(r"\n([ \t]+)")
_FLAT_LIST = pattern(r'\[[ \t]*"[^\n]*\]')
_TALL_LIST = pattern(r'\[[ \t]*\r?\n\s*"')
_FLAT_ITEM = pattern(r'\n[ \t]*\{[ \t]*"[^\n]*\}')


class Style(NamedTuple):
    """How new text is laid out: one step of indent, line ends, lists of plain values and items of lists on
    one line or not.
    """

    unit: str = "  "
    newline: str = "\n"
    flat_lists: bool = False
    flat_items: bool = False
    ascii: bool = False


class Part(NamedTuple):
    """One member of an object or element of an array: its key, where it begins, and its value with where that
    starts and ends.
    """

    key: str | None
    begin: int
    start: int
    end: int
    value: Json


def loads(text: str) -> Json:
    """The value of a JSON text.

    Raises:
        ValueError: it is not JSON, or is nested too deeply; a `json.JSONDecodeError` names the line.
    """
    try:
        value = json.loads(text, parse_constant=_no_constant)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error
    if _deeper(value, MAX_DEPTH):
        raise ValueError("it is nested too deeply")
    return value


_scan = json.JSONDecoder().raw_decode


def _no_constant(name: str) -> Json:
    raise ValueError(f"{name} is not JSON")


def _deeper(value: Json, depth: int) -> bool:
    """Whether a value nests more levels of objects and arrays than `depth`."""
    if not isinstance(value, (dict, list)):
        return False
    parts = value.values() if isinstance(value, dict) else value
    return depth == 0 or any(_deeper(part, depth - 1) for part in parts if isinstance(part, (dict, list)))


def style_of(text: str) -> Style:
    """The layout of a JSON text, broken or not."""
    indent = _INDENT.search(text)
    flat = [match.start() for match in _FLAT_LIST.finditer(text)]
    tall = [match.start() for match in _TALL_LIST.finditer(text)]
    return Style(
        indent[1] if indent is not None else "  ",
        "\r\n" if "\r\n" in text else "\n",
        bool(flat) and (not tall or flat[-1] > tall[-1]),
        _FLAT_ITEM.search(text) is not None,
        text.isascii() and "\\u" in text,
    )


def dumps(value: Json, style: Style, indent: str = "", *, flat: bool = False) -> str:
    """A value as text; `indent` is that of the line on which it starts. No final newline."""
    if isinstance(value, dict):
        parts = [
            f"{_scalar(key, style)}: {dumps(item, style, indent + style.unit, flat=flat)}"
            for key, item in value.items()
        ]
        return _wrap("{", parts, "}", style, indent, flat)
    if isinstance(value, list):
        nested = any(isinstance(item, (dict, list)) for item in value)
        parts = [
            dumps(item, style, indent + style.unit, flat=flat or (nested and style.flat_items))
            for item in value
        ]
        return _wrap("[", parts, "]", style, indent, flat or (style.flat_lists and not nested))
    return _scalar(value, style)


def _wrap(first: str, parts: list[str], last: str, style: Style, indent: str, flat: bool) -> str:
    if not parts:
        return first + last
    if flat:
        return first + ", ".join(parts) + last
    edge = style.newline + indent
    return first + edge + style.unit + ("," + edge + style.unit).join(parts) + edge + last


def _scalar(value: Json, style: Style) -> str:
    text = json.dumps(value, ensure_ascii=style.ascii)
    try:
        text.encode()
    except UnicodeEncodeError:
        text = json.dumps(value)
    return text


def _skip(text: str, position: int) -> int:
    match = _BLANK.match(text, position)
    return match.end() if match is not None else position


def parts(text: str, start: int) -> list[Part]:
    """The parts of the object or array that starts at a position of a text that `loads` accepts."""
    close = "}" if text[start] == "{" else "]"
    out: list[Part] = []
    position = _skip(text, start + 1)
    while text[position] != close:
        begin, key = position, None
        if close == "}":
            key, position = _scan(text, position)
            position = _skip(text, _skip(text, position) + 1)
        value, end = _scan(text, position)
        out.append(Part(key, begin, position, end, value))
        position = _skip(text, end)
        if text[position] == ",":
            position = _skip(text, position + 1)
    return out


def reshape(text: str, value: Json, same: Callable[[Json, Json], bool]) -> str:
    """The text with another value: only what differs is written anew, in the manner of its neighbours.

    Args:
        text: JSON that `loads` accepts.
        value: the value that the text shall have. Keys that are new come last in their object. A list of
            plain values that only grew is appended to; one that changed otherwise is written anew.
        same: whether two items of a list of objects are one and the same thing, before and after. Items keep
            their order; new ones come last.
    """
    start = _skip(text, 0)
    old, end = _scan(text, start)
    edits: list[tuple[int, int, str]] = []
    _Shaper(text, style_of(text), same, edits).change(start, end, old, value)
    for first, last, new in sorted(edits, reverse=True):
        text = text[:first] + new + text[last:]
    return text


def _equal(old: Json, new: Json) -> bool:
    """Equality that tells 1, 1.0 and true apart.

    Two objects that differ in the order of their keys may count as different.
    """
    return bool(old == new) and repr(old) == repr(new)


class _Shaper:
    """Finds the edits from a text to a value, descending only where something differs."""

    def __init__(
        self, text: str, style: Style, same: Callable[[Json, Json], bool], edits: list[tuple[int, int, str]]
    ) -> None:
        self.text = text
        self.style = style
        self.same = same
        self.edits = edits

    def change(self, start: int, end: int, old: Json, value: Json) -> None:
        if _equal(old, value):
            return
        if old and value and isinstance(old, dict) and isinstance(value, dict):
            self._object(start, end, value)
        elif old and value and isinstance(old, list) and isinstance(value, list):
            self._array(start, end, old, value)
        else:
            self.edits.append((start, end, dumps(value, self.style, self._indent(start))))

    def _object(self, start: int, end: int, value: dict[str, Json]) -> None:
        found = parts(self.text, start)
        last = {part.key: number for number, part in enumerate(found)}
        kept: list[int] = []
        for number, part in enumerate(found):
            if part.key is not None and part.key in value:
                kept.append(number)
                if last[part.key] == number:
                    self.change(part.start, part.end, part.value, value[part.key])
        added = [
            f"{_scalar(key, self.style)}: {self._new(start, found, item)}"
            for key, item in value.items()
            if key not in last
        ]
        self._splice(start, end, found, kept, added, value)

    def _array(self, start: int, end: int, old: list[Json], value: list[Json]) -> None:
        found = parts(self.text, start)
        if not any(isinstance(item, dict) for item in [*old, *value]):
            size = len(old)
            if _equal(old, value[:size]):
                self._splice(
                    start,
                    end,
                    found,
                    range(size),
                    [self._new(start, found, item) for item in value[size:]],
                    value,
                )
            else:
                flat = "\n" not in self.text[start:end]
                self.edits.append(
                    (
                        start,
                        end,
                        dumps(value, self.style._replace(flat_lists=flat), self._indent(start), flat=flat),
                    )
                )
            return
        kept: list[int] = []
        following = 0
        for number, part in enumerate(found):
            if following < len(value) and self.same(part.value, value[following]):
                kept.append(number)
                self.change(part.start, part.end, part.value, value[following])
                following += 1
        self._splice(
            start, end, found, kept, [self._new(start, found, item) for item in value[following:]], value
        )

    def _splice(
        self, start: int, end: int, found: list[Part], kept: Sequence[int], added: list[str], value: Json
    ) -> None:
        """Drops the parts that are not kept and adds new ones after the last that is."""
        if not kept:
            self.edits.append((start, end, dumps(value, self.style, self._indent(start))))
            return
        for number in set(range(len(found))).difference(kept):
            if number > kept[0]:
                self.edits.append((found[number - 1].end, found[number].end, ""))
            else:
                self.edits.append((found[number].begin, found[number + 1].begin, ""))
        if added:
            place = found[kept[-1]].end
            self.edits.append((place, place, "".join(self._gap(start, found) + text for text in added)))

    def _gap(self, start: int, found: list[Part]) -> str:
        """What stands between two parts, comma included."""
        if len(found) > 1:
            return self.text[found[-2].end : found[-1].begin]
        blank = self.text[start + 1 : found[0].begin]
        return "," + (blank if "\n" in blank else " ")

    def _new(self, start: int, found: list[Part], value: Json) -> str:
        """A new part, laid out like the last one of its kind beside it."""
        gap = self._gap(start, found)
        flat = "\n" not in gap
        indent = "" if flat else gap.rpartition("\n")[2]
        twin = found[-1]
        if isinstance(value, dict) and twin.value and isinstance(twin.value, dict):
            own = self.text[twin.start : twin.end]
            flat = "\n" not in own
            style = self.style
            lists = [
                part for part in parts(self.text, twin.start) if part.value and isinstance(part.value, list)
            ]
            if lists:
                style = style._replace(flat_lists="\n" not in self.text[lists[-1].start : lists[-1].end])
            inner = _INDENT.search(own)
            if inner is not None and inner[1].startswith(indent) and inner[1] != indent:
                style = style._replace(unit=inner[1][len(indent) :])
            return dumps(value, style, indent, flat=flat)
        return dumps(value, self.style, indent, flat=flat)

    def _indent(self, position: int) -> str:
        """The blanks at the start of the line that holds a position."""
        line = self.text[self.text.rfind("\n", 0, position) + 1 : position]
        return line[: len(line) - len(line.lstrip(" \t"))]


def salvage(text: str) -> Json:
    """What can be made out of a text that is not quite JSON: commas too many or too few, brackets never
    closed, lines of junk.

    Of two equal keys in one object the lists are joined, of other values the last counts. None where nothing
    can be made out.
    """
    tokens = list(_TOKEN.finditer(text))
    start = next((number for number, token in enumerate(tokens) if token["mark"] in ("{", "[")), None)
    return None if start is None else _Salvage(tokens, start).value(0)


class _Salvage:
    """A reader that takes every mistake for the smallest one."""

    def __init__(self, tokens: list[re.Match[str]], position: int) -> None:
        self._tokens = tokens
        self._position = position

    def _peek(self, ahead: int = 0) -> re.Match[str] | None:
        position = self._position + ahead
        return self._tokens[position] if position < len(self._tokens) else None

    def value(self, depth: int) -> Json:
        token = self._peek()
        if token is None:
            return None
        self._position += 1
        if token["mark"] == "{" and depth < MAX_DEPTH:
            return self._object(depth + 1)
        if token["mark"] == "[" and depth < MAX_DEPTH:
            return self._array(depth + 1)
        if token["word"] is not None:
            return _WORDS[token[0]]
        try:
            return loads(token[0])
        except ValueError:
            return None

    def _object(self, depth: int) -> dict[str, Json]:
        out: dict[str, Json] = {}
        while (token := self._peek()) is not None:
            after = self._peek(1)
            if token["mark"] == "}":
                self._position += 1
                break
            if token["mark"] in ("]", "{"):
                break
            self._position += 1
            if token["text"] is None or after is None or after["mark"] != ":":
                continue
            self._position += 1
            following = self._peek()
            if following is None or following["mark"] in ("}", "]", ",", ":"):
                continue
            try:
                key = loads(token[0])
            except ValueError:
                continue
            item = self.value(depth)
            held = out.get(key)
            out[key] = held + item if isinstance(held, list) and isinstance(item, list) else item
        return out

    def _array(self, depth: int) -> list[Json]:
        out: list[Json] = []
        while (token := self._peek()) is not None:
            if token["mark"] == "]":
                self._position += 1
                break
            if token["mark"] == "}":
                break
            if token["mark"] in (",", ":"):
                self._position += 1
                continue
            after = self._peek(1)
            if token["text"] is not None and after is not None and after["mark"] == ":":
                break
            out.append(self.value(depth))
        return out
