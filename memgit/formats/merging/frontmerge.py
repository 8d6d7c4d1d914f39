"""Merge of a document: its frontmatter key by key, its text by lines.

Lists merge as sets, of two dates the newest and of two counters the largest stands, everything else is merged
three ways by what its lines say. Keys that nobody knows are treated like the rest. Comments go with the key
below them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from memgit.errors import MemgitError
from memgit.formats import yaml
from memgit.formats.frontmatter import split
from memgit.formats.frontmatter_block import Block
from memgit.formats.merging.textmerge import Markers, merge_lines
from memgit.formats.yaml import Entry
from memgit.model.lazy_re import pattern
from memgit.model.record import Value

_DATE = pattern(r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?(?:Z|[+-]\d\d:?\d\d)?)?")
_WORDS = ("keywords", "tags", "topics")
"""Lists that people also write as one text with commas."""


class _Key(NamedTuple):
    """One key with its lines, and the comments and blank lines above it; `path` is (key,) or (outer, key)."""

    path: tuple[str, ...]
    above: list[str]
    lines: list[str]
    entry: Entry | None


def merge_document(base: str, ours: str, theirs: str, inner: str, markers: Markers) -> str | None:
    """The merged text of a document, None where its blocks cannot be read; `inner` is the key under which its
    fields stand, if any.

    Texts are without byte order mark, every line ended by `\\n`.
    """
    clean = _by_lines(base, ours, theirs, inner)
    if clean is not None:
        return clean
    parts = [split(text) for text in (base, ours, theirs)]
    if any(part.fault is not None for part in parts) or parts[1].block is None or parts[2].block is None:
        return None
    try:
        block = _merge_blocks([part.block or "" for part in parts], inner, markers)
    except MemgitError:
        return None
    head = ours[: parts[1].start] + block + ours[parts[1].start + len(parts[1].block) : parts[1].body]
    rest = [text[part.body :].split("\n") for text, part in zip((base, ours, theirs), parts, strict=True)]
    lines, _ = merge_lines(
        rest[0],
        rest[1],
        rest[2],
        lambda left, right: markers.around(left, right, None, "both sides changed this part of the text"),
    )
    return head + "\n".join(lines)


def _by_lines(base: str, ours: str, theirs: str, inner: str) -> str | None:
    """The merge of whole texts by lines, where nothing conflicts and the block can be read after it."""
    lines, clean = merge_lines(base.split("\n"), ours.split("\n"), theirs.split("\n"), lambda left, right: [])
    if not clean:
        return None
    text = "\n".join(lines)
    parts = split(text)
    if parts.fault is not None:
        return None
    try:
        yaml.read(parts.block or "", inner)
    except MemgitError:
        return None
    return text


def _keys(block: str, inner: str) -> tuple[list[_Key], list[str]]:
    """The keys of a block in order, and what stands under the last one."""
    lines = block.split("\n")[:-1]
    keys: list[_Key] = []
    position = 0
    for entry in sorted(yaml.read(block, inner).values(), key=lambda entry: entry.start):
        nested = (
            sorted(entry.inner.values(), key=lambda one: one.start)
            if entry.key == inner and entry.inner
            else []
        )
        stop = nested[0].start if nested else entry.end
        keys.append(
            _Key(
                (entry.key,),
                lines[position : entry.start],
                lines[entry.start : stop],
                None if nested else entry,
            )
        )
        position = stop
        for one in nested:
            keys.append(
                _Key((entry.key, one.key), lines[position : one.start], lines[one.start : one.end], one)
            )
            position = one.end
    return keys, lines[position:]


def _merge_blocks(blocks: Sequence[str], inner: str, markers: Markers) -> str:
    """The merged text of three blocks.

    Raises:
        MemgitError: a block cannot be read, or a list cannot be written.
    """
    (base, base_end), (ours, ours_end), (theirs, theirs_end) = (_keys(block, inner) for block in blocks)
    before, left, right = ({key.path: key for key in keys} for keys in (base, ours, theirs))
    order = _order([key.path for key in ours], [key.path for key in theirs])
    lines: list[str] = []
    for path in order:
        b, o, t = before.get(path), left.get(path), right.get(path)
        chosen, value = _choose(b, o, t, markers, path)
        if chosen is None:
            continue
        lines += _above(b, o, t)
        lines += chosen if value is None else _with_value(chosen, path, value)
    lines += _three(base_end, ours_end, theirs_end)
    return "".join(f"{line}\n" for line in lines)


def _with_value(lines: list[str], path: tuple[str, ...], value: Value) -> list[str]:
    """The lines of a key with another value, written as they are."""
    inner = path[0] if len(path) > 1 else ""
    above = [f"{inner}:"] if inner else []
    block = Block("".join(f"{line}\n" for line in [*above, *lines]), "\n", inner)
    block.put(path[-1], value)
    return block.text.split("\n")[len(above) : -1]


def _order(ours: list[tuple[str, ...]], theirs: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Ours, and each key of theirs that is not among them under the one that it follows there."""
    out = list(ours)
    for number, path in enumerate(theirs):
        if path not in out:
            above = next((one for one in reversed(theirs[:number]) if one in out), None)
            out.insert(out.index(above) + 1 if above else 0, path)
    return out


def _three(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """Comments of the side that changed them, or those of both."""
    if base == ours:
        return theirs
    if theirs in (base, ours):
        return ours
    return [*ours, *(line for line in theirs if line not in ours)]


def _above(b: _Key | None, o: _Key | None, t: _Key | None) -> list[str]:
    if o is None or t is None:
        return (o or t or b).above if o or t else []  # type: ignore[union-attr]
    return _three(b.above if b else [], o.above, t.above)


def _choose(
    b: _Key | None, o: _Key | None, t: _Key | None, markers: Markers, path: tuple[str, ...]
) -> tuple[list[str] | None, Value]:
    """The lines of a key, None where it is gone; and the value to write into them where both sides changed a
    list.
    """
    before, left, right = (None if key is None else key.lines for key in (b, o, t))
    if right in (left, before):
        return left, None
    if left == before:
        return right, None
    old, mine, other = (_value(key) for key in (b, o, t))
    if o is not None and t is not None and mine == other:
        return left, None
    items = _lists(path[-1], old, mine, other)
    if items is not None:
        kept = left if left is not None else right
        merged = merge_sets(*items)
        if merged == (items[1] if left is not None else items[2]):
            return kept, None
        if isinstance(mine if left is not None else other, str):
            return kept, ", ".join(merged)
        return kept, merged
    if left is not None and right is not None and isinstance(mine, str) and isinstance(other, str):
        if _DATE.fullmatch(mine) and _DATE.fullmatch(other):
            return (left if mine >= other else right), None
        # both sides began one and the same document, which goes on under one id
        if b is None and path[-1] == "id":
            return (left if mine <= other else right), None
        if path[-1].endswith("_count") and mine.isdecimal() and other.isdecimal():
            return (left if int(mine) >= int(other) else right), None
    name = path[-1]
    message = (
        f"both sides changed {name!r}"
        if left is not None and right is not None
        else f"one side removed {name!r}, one changed it"
    )
    return markers.around(left or [], right or [], None, message), None


def _value(key: _Key | None) -> Value:
    return key.entry.value if key is not None and key.entry is not None else None


def _lists(name: str, *values: Value) -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None:
    """Three values as lists, None where this is not a list."""
    if not any(isinstance(value, tuple) for value in values) and name not in _WORDS:
        return None
    out: list[tuple[str, ...]] = []
    for value in values:
        if isinstance(value, tuple) or value is None:
            out.append(value or ())
        elif name in _WORDS and not value.startswith(("[", "#")):
            out.append(tuple(part for part in (part.strip() for part in value.split(",")) if part))
        else:
            return None
    return out[0], out[1], out[2]


def merge_sets(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> tuple[str, ...]:
    """Lists as sets: what either side added is there, what either took away is not; in the order of ours."""
    kept = [item for item in ours if item not in base or item in theirs]
    return tuple(kept + [item for item in theirs if item not in base and item not in ours])
