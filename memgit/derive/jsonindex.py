"""Reading a JSON index that is there already: whole, broken, in conflict, or another tool's.

An index may hold what cannot be derived again, so the one that is there is an input. One that is broken or
full of conflict markers gives what can be made out of both sides, ours before theirs, and then of the last
good version in history; one without its list, all that it had when it was whole. A file of the same name that
is not such an index is left alone.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.derive import conflict, jsontext
from memgit.derive.jsontext import Json, Style
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.formats.text import decode, encode, has_bom
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

Item = dict[str, Json]


class Shape(NamedTuple):
    """What an index looks like.

    Attributes:
        items: the key of its list.
        top: a new index without items.
        style: how a new one is laid out.
        foreign: why a value is not such an index; None where it is one.
        name: what an item is about; two items of one name are one. None where an item does not say.
        whole: whether an index has all that it should have, so that one which lacks something can be
            completed from it.
    """

    items: str
    top: Mapping[str, Json]
    style: Style
    foreign: Callable[[Json], str | None]
    name: Callable[[Item], str | None]
    whole: Callable[[dict[str, Json]], bool] = lambda _: True


class Index(NamedTuple):
    """An index as found.

    Attributes:
        value: its content, as far as it could be made out; None where the file is not ours to write.
        text: well-formed text to keep the shape of; None where a new text has to be made.
        style: how that new text is to be laid out.
        bom: whether the file starts with a byte order mark.
        newline: whether it ends in a newline.
        problems: what is wrong with it.
    """

    value: dict[str, Json] | None
    text: str | None
    style: Style
    bom: bool = False
    newline: bool = True
    problems: tuple[Problem, ...] = ()

    def items(self, shape: Shape) -> list[Item]:
        return list((self.value or {}).get(shape.items) or [])

    def write(self, value: dict[str, Json], same: Callable[[Json, Json], bool]) -> bytes:
        """The bytes of the index with another value; `same` tells whether two items are one, before and
        after.
        """
        if self.text is not None:
            return encode(jsontext.reshape(self.text, value, same), self.bom)
        return encode(
            jsontext.dumps(value, self.style) + (self.style.newline if self.newline else ""), self.bom
        )


def read(view: View, path: str, shape: Shape) -> Index:
    """The index as it is in a view."""
    data = view.data(path)
    if data is None:
        return Index(dict(shape.top), None, shape.style)
    try:
        text = decode(data)
    except UnreadableFile as error:
        return _unreadable(view, path, shape, error)
    bom = has_bom(data)
    line = conflict.first_line(text)
    if line is not None:
        problem = Problem("MG104", line, "conflict markers in the index")
        return _mended(view, path, shape, text, dict.fromkeys(conflict.sides(text)), problem, bom)
    try:
        value = jsontext.loads(text)
    except ValueError as error:
        problem = Problem(
            "MG101", getattr(error, "lineno", 1), f"not valid JSON: {getattr(error, 'msg', error)}"
        )
        return _mended(view, path, shape, text, [text], problem, bom)
    why = shape.foreign(value)
    if why is not None:
        return Index(None, None, shape.style, problems=(_left_alone(why),))
    if value.get(shape.items) is None:
        older = from_history(view, path, shape, shape.whole) or shape.top
        value = {**older, **{key: item for key, item in value.items() if key != shape.items}}
        if text.strip(" \t\r\n{}") == "":  # shows no manner to keep
            return Index(value, None, shape.style, bom)
    return Index(value, text, shape.style, bom)


def _unreadable(view: View, path: str, shape: Shape, error: UnreadableFile) -> Index:
    problem = Problem(error.code, error.line or 1, error.message)
    value = from_history(view, path, shape)
    if value is None:
        return Index(None, None, shape.style, problems=(problem._replace(fatal=True),))
    return Index(value, None, shape.style, problems=(problem,))


def _mended(
    view: View, path: str, shape: Shape, text: str, sides: Iterable[str], problem: Problem, bom: bool
) -> Index:
    whole: str | None = None
    found: list[dict[str, Json]] = []
    reason: str | None = None
    for side in sides:
        try:
            value, good = jsontext.loads(side), True
        except ValueError:
            value, good = jsontext.salvage(side), False
        why = shape.foreign(value)
        if why is None:
            whole = side if good and not found else whole
            found.append(value)
        elif value:
            reason = why
    if not found and reason is not None:
        return Index(None, None, shape.style, problems=(problem, _left_alone(reason)))
    if whole is None or not any(shape.items in value for value in found):
        older = from_history(view, path, shape)
        if older is not None:
            found.append(older)
    merged = dict(found[0]) if found else dict(shape.top)
    for other in found[1:]:
        merged = _joined(merged, other, shape)
    style = jsontext.style_of(text) if text.strip() else shape.style
    return Index(merged, whole, style, bom, text.endswith("\n") or not text.strip(), (problem,))


def from_history(
    view: View, path: str, shape: Shape, whole: Callable[[dict[str, Json]], bool] = lambda _: True
) -> dict[str, Json] | None:
    """The last good version, which is to be whole too."""

    def parse(data: bytes) -> dict[str, Json] | None:
        try:
            value = jsontext.loads(decode(data))
        except (ValueError, UnreadableFile):
            return None
        return value if shape.foreign(value) is None and shape.items in value and whole(value) else None

    data = view.last_good(path, lambda data: parse(data) is not None)
    return None if data is None else parse(data)


def _joined(ours: dict[str, Json], theirs: dict[str, Json], shape: Shape) -> dict[str, Json]:
    """Ours with what only theirs has: keys, items, and keys and keywords of items."""
    out = {**ours, **{key: value for key, value in theirs.items() if key not in ours}}
    items: list[Item] = list(out.get(shape.items) or [])
    places = {shape.name(item): number for number, item in reversed(list(enumerate(items)))}
    for item in theirs.get(shape.items) or []:
        place = places.get(shape.name(item)) if shape.name(item) is not None else None
        if place is None:
            items.append(item)
        else:
            items[place] = joined(items[place], item)
    if items or shape.items in out:
        out[shape.items] = items
    return out


def joined(first: Item, second: Item) -> Item:
    """One item of two: the first, with the keys and the keywords that only the second has."""
    out = {**first, **{key: value for key, value in second.items() if key not in first}}
    one, two = first.get("keywords"), second.get("keywords")
    if isinstance(one, list) and isinstance(two, list):
        out["keywords"] = union(one, two)
    return out


def union(first: Iterable[Json], second: Iterable[Json], limit: int | None = None) -> list[Json]:
    """The first list and what only the second has, compared without regard to case; `limit` bounds what is
    added.
    """
    out = list(first)
    seen = {_folded(item) for item in out}
    for item in second:
        if limit is not None and len(out) >= limit:
            break
        if _folded(item) not in seen:
            seen.add(_folded(item))
            out.append(item)
    return out


def _folded(item: Json) -> str:
    return item.strip().casefold() if isinstance(item, str) else repr(item)


def _left_alone(why: str) -> Problem:
    return Problem("MG101", 1, f"another tool's file, left alone: {why}", fatal=True)
