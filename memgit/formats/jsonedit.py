"""Edits of a JSON file that other programs and people own: one member or item is put in or taken out, and every
other byte stays, comments and trailing commas (JSON with comments) among them.

What `put` and `append` add, `drop` takes out again to the byte, whatever was changed elsewhere meanwhile.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, NamedTuple

from memgit.errors import UnreadableFile
from memgit.model.lazy_re import pattern

_SPACE = pattern(r"(?:[ \t\r\n]|//[^\n]*|/\*.*?\*/)*", 16)  # re.DOTALL
_STRING = pattern(r'"(?:[^"\\]|\\.)*"', 16)
_ATOM = pattern(r"[^\s,\]}/]+")
MAX_DEPTH = 100


class Node(NamedTuple):
    """One value: where it starts and ends; `members` of an object (key, start of the key, value) or of an array
    (with an empty key); None for anything else.
    """

    start: int
    end: int
    members: tuple[tuple[str, int, Node], ...] | None = None
    is_object: bool = False

    def member(self, key: str) -> Node | None:
        """The value of the last member of that name."""
        return next(
            (node for name, _, node in reversed(self.members or ()) if self.is_object and name == key), None
        )


def parse(text: str) -> Node:
    """The outline of a JSON text.

    Raises:
        UnreadableFile: it is not JSON; the line is named.
    """
    place = _SPACE.match(text, 1 if text.startswith("\ufeff") else 0)
    start = place.end() if place else 0
    node = _value(text, start, 0)
    rest = _space(text, node.end)
    if rest != len(text):
        raise _wrong(text, rest)
    return node


def value_of(text: str, node: Node) -> Any:
    """The value of a node as Python has it."""
    if node.members is None:
        return json.loads(text[node.start : node.end])
    if node.is_object:
        return {key: value_of(text, found) for key, _, found in node.members}
    return [value_of(text, found) for _, _, found in node.members]


def put(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with a member at a path of keys; objects on the way are made. A member that is there is replaced.

    Raises:
        UnreadableFile: it is not JSON, or something on the path is not an object.
    """
    node = parse(text)
    for depth, key in enumerate(path):
        if not node.is_object:
            raise UnreadableFile(
                f"{'.'.join(path[:depth]) or 'the file'} is not an object", line=_line(text, node.start)
            )
        found = node.member(key)
        if found is None:
            for name in reversed(path[depth + 1 :]):
                value = {name: value}
            return _insert(text, node, json.dumps(key) + ": ", value, depth + 1)
        node = found
    if value_of(text, node) == value:
        return text
    return text[: node.start] + _dumped(value, _indent(text), len(path)) + text[node.end :]


def append(text: str, path: tuple[str, ...], value: Any) -> str:
    """The text with an item at the end of the array at a path of keys, which is made where it is missing.

    Raises:
        UnreadableFile: it is not JSON, or what is at the path is not an array.
    """
    node: Node | None = parse(text)
    for key in path:
        node = node.member(key) if node is not None else None
    if node is None:
        return put(text, path, [value])
    if node.members is None or node.is_object:
        raise UnreadableFile(f"{'.'.join(path)} is not a list", line=_line(text, node.start))
    return _insert(text, node, "", value, len(path) + 1)


def drop(text: str, path: tuple[str, ...], which: Callable[[Any], bool]) -> str:
    """The text without what `put` and `append` added: the member at a path, or those items of the array there,
    for which `which` is true; then the containers that this leaves empty, where they were made for it.
    """
    for depth in range(len(path), 0, -1):
        node: Node | None = parse(text)
        for key in path[:depth]:
            node = node.member(key) if node is not None else None
        if node is None:
            continue
        if depth == len(path):
            if node.members is not None and not node.is_object:
                text = _without_items(text, path, which)
                node = _at(text, path)
                if node is None or node.members or not _made(text, node):
                    return text
            elif not which(value_of(text, node)):
                return text
        elif node.members or not _made(text, node):
            return text
        text = _without(text, _at(text, path[: depth - 1]) or parse(text), path[depth - 1])
    return text


def _at(text: str, path: tuple[str, ...]) -> Node | None:
    node: Node | None = parse(text)
    for key in path:
        node = node.member(key) if node is not None else None
    return node


def _without_items(text: str, path: tuple[str, ...], which: Callable[[Any], bool]) -> str:
    node = _at(text, path)
    assert node is not None
    for place, (_, _, found) in reversed(list(enumerate(node.members or ()))):
        if which(value_of(text, found)):
            node = _at(text, path)
            assert node is not None
            text = _cut(text, node, place)
    return text


def _without(text: str, node: Node, key: str) -> str:
    places = [place for place, (name, _, _) in enumerate(node.members or ()) if name == key]
    return _cut(text, node, places[-1])


def _cut(text: str, node: Node, place: int) -> str:
    """The text without one member, with the comma and the blanks that came with it."""
    members = node.members or ()
    _, start, found = members[place]
    if place:
        return text[: members[place - 1][2].end] + text[found.end :]
    if len(members) > 1:
        return text[:start] + text[members[1][1] :]
    before = text[node.start + 1 : start]
    kept = before.rstrip(" \t\r\n")
    end = found.end
    comma = _space(text, end)
    if text[comma : comma + 1] == ",":
        end = comma + 1
    return text[: node.start + 1] + kept + text[end:]


def _made(text: str, node: Node) -> bool:
    """Whether an empty container was made by `put`: it spreads over lines, as people's empty ones do not."""
    inner = text[node.start + 1 : node.end - 1]
    return not inner.strip() and "\n" in inner


def _insert(text: str, node: Node, name: str, value: Any, depth: int) -> str:
    """The text with one member more at the end of an object or array."""
    indent, newline = _indent(text), "\r\n" if "\r\n" in text else "\n"
    shown = _dumped(value, indent, depth)
    if newline != "\n":
        shown = shown.replace("\n", newline)
    if node.members:
        end = node.members[-1][2].end
        first = node.members[0][1]
        spread = "\n" in text[node.start : first]
        gap = newline + indent * depth if spread else " "
        return f"{text[:end]},{gap}{name}{shown}{text[end:]}"
    start = node.start + 1
    gap = newline + indent * depth if "\n" in text[start : node.end - 1] else ""
    return f"{text[:start]}{gap}{name}{shown}{text[start:]}"


def _dumped(value: Any, indent: str, depth: int) -> str:
    lines = json.dumps(value, indent=indent, ensure_ascii=False).split("\n")
    return f"\n{indent * depth}".join(lines)


def _indent(text: str) -> str:
    """What one level is indented by: as the first member that is."""
    for line in text.split("\n"):
        bare = line.lstrip(" \t")
        if bare.startswith('"') and bare != line:
            return line[: len(line) - len(bare)]
    return "  "


def _space(text: str, place: int) -> int:
    found = _SPACE.match(text, place)
    return found.end() if found else place


def _value(text: str, start: int, depth: int) -> Node:
    char = text[start : start + 1]
    if depth > MAX_DEPTH or not char:
        raise _wrong(text, start)
    if char in "{[":
        return _container(text, start, depth)
    found = _STRING.match(text, start) if char == '"' else _ATOM.match(text, start)
    if found is None:
        raise _wrong(text, start)
    try:
        json.loads(found[0], strict=False)
    except ValueError:
        raise _wrong(text, start) from None
    return Node(start, found.end())


def _container(text: str, start: int, depth: int) -> Node:
    is_object, close = text[start] == "{", "}" if text[start] == "{" else "]"
    members: list[tuple[str, int, Node]] = []
    place = _space(text, start + 1)
    while text[place : place + 1] != close:
        begin, key = place, ""
        if is_object:
            found = _STRING.match(text, place)
            if found is None:
                raise _wrong(text, place)
            key = json.loads(found[0], strict=False)
            place = _space(text, found.end())
            if text[place : place + 1] != ":":
                raise _wrong(text, place)
            place = _space(text, place + 1)
        node = _value(text, place, depth + 1)
        members.append((key, begin, node))
        place = _space(text, node.end)
        if text[place : place + 1] == ",":
            place = _space(text, place + 1)
        elif text[place : place + 1] != close:
            raise _wrong(text, place)
    return Node(start, place + 1, tuple(members), is_object)


def _line(text: str, place: int) -> int:
    return text.count("\n", 0, place) + 1


def _wrong(text: str, place: int) -> UnreadableFile:
    return UnreadableFile("this is not JSON", line=_line(text, place), hint="fix it by hand, then try again")
