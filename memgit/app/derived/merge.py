"""Three-way merge of a derived file by what it says, where the records that it is derived from are not at
hand.

git merges path after path, so while one derived file is merged, the records may not be. What comes out here
is what both sides say taken
together: items and lines as sets, counts by what each side added, dates by the newest. So it is what the
merged records give, except where they did more than come together (one record on both sides, or too many for
a list): that is drift, which every check finds and `rebuild` fixes. What people wrote (names, keywords, the
text around a generated block) merges as text does; only that can conflict.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple
from urllib.parse import unquote_to_bytes

from memgit.derive import CATEGORY_INDEX, dates, index_places, jsontext, managed, mem_skill, mnema, vault
from memgit.derive.jsonindex import Item, Shape, joined
from memgit.derive.jsontext import Json
from memgit.derive.managed import Found
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.mnema import collation
from memgit.errors import UnreadableFile
from memgit.formats.merging.merge import Conflict, Merged, merge_file
from memgit.formats.merging.textmerge import Markers, between, merge_lines
from memgit.formats.text import decode, encode, has_bom, newline_of
from memgit.model.layout import Layout

_NEWEST = frozenset(["lastUpdated", "last_updated", "generated_at", "modified", "last_retrieved"])
_ADDED = frozenset(["count", "token_count"])
_LARGEST = frozenset(["retrieval_count"])
_FOLLOWS = frozenset(["id", "path", "file", "title", "category", "status", "created", "entry_count"])
"""Keys that the record files give: where both sides changed one, they say which is right."""
_CLASH = object()
_TOTALS = {"totalEntries": "count", "total_tokens": "token_count"}

_LINE = re.compile(r"- \[.*\]\(([^()]*)\)")
_GENERATED = re.compile(
    r"(?:[-*] (?:\[|Total |Last updated)|### |\*\*(?:Title|Topic|Tags|Created)\*\*:|_?\(none\)_?$)|\s*$",
    re.IGNORECASE,
)
_BY_FOLDER = frozenset(f"## {index_places.HEADINGS[kind]}" for kind in index_places.LISTED)


def merge_derived(
    layout: Layout,
    path: str,
    base: bytes | None,
    ours: bytes | None,
    theirs: bytes | None,
    labels: tuple[str, str] = ("ours", "theirs"),
) -> Merged:
    """Merges two versions of a derived file with their common ancestor.

    A file that is gone on one side and changed on the other stays: whether it should be there, the records
    tell. What cannot be understood is merged by lines.

    Args:
        path: from the knowledge root; one for which `derive.is_derived` holds.
        labels: what the markers call the sides.
    """
    if theirs in (ours, base):
        return Merged(ours)
    if ours == base:
        return Merged(theirs)
    if ours is None or theirs is None:
        return Merged(theirs if ours is None else ours)
    merged = None
    try:
        texts = _Texts(
            decode(base) if base else None,  # git gives a driver an empty file where there is none
            decode(ours),
            decode(theirs),
            has_bom(ours),
            Markers(*labels),
        )
        shape = _shape(layout, path)
        merged = _pages(layout, texts) if shape is None else _index(shape, texts)
    except (UnreadableFile, ValueError):
        pass  # broken, in conflict already, or another tool's: what follows takes it for lines
    return merged or merge_file("", "", base, ours, theirs, labels)


class _Texts(NamedTuple):
    """The three versions as text, whether the result begins with a byte order mark, and the markers."""

    base: str | None
    ours: str
    theirs: str
    bom: bool
    markers: Markers

    def lines(self) -> tuple[list[str], list[str], list[str]]:
        """The three versions as lines, line ends aside."""
        first, second, third = (
            text.replace("\r\n", "\n").split("\n") for text in (self.base or "", self.ours, self.theirs)
        )
        return first, second, third

    def finish(self, lines: list[str]) -> Merged:
        """The bytes of merged lines, which end as those of our side do."""
        conflicts = tuple(Conflict(*found) for found in self.markers.settle(lines))
        return Merged(encode(newline_of(self.ours).join(lines), self.bom), conflicts)


# Indexes in JSON.


def _shape(layout: Layout, path: str) -> Shape | None:
    """What the index at a path looks like; None for a page."""
    if not path.endswith(".json"):
        return None
    for spec in (KNOWLEDGE, EXPERIENCE):
        if any(path == folder + CATEGORY_INDEX for folder in mem_skill.folders(layout, spec)):
            return spec.shape
    return vault.SHAPE


def _index(shape: Shape, texts: _Texts) -> Merged | None:
    before = {} if texts.base is None else jsontext.loads(texts.base)
    mine, other = jsontext.loads(texts.ours), jsontext.loads(texts.theirs)
    if any(shape.foreign(value) is not None for value in (before, mine, other) if value):
        return None
    clashes: list[str] = []
    first = _top(shape, before, mine, other, 0, clashes)
    text = jsontext.reshape(texts.ours, first, lambda old, new: _name(shape, old) == _name(shape, new))
    if not clashes:
        return Merged(encode(text, texts.bom))
    second = jsontext.reshape(
        text, _top(shape, before, mine, other, 1, []), lambda old, new: _name(shape, old) == _name(shape, new)
    )
    message = f"both sides changed {', '.join(dict.fromkeys(clashes))}"
    one, other = (side.replace("\r\n", "\n").split("\n") for side in (text, second))
    return texts.finish(
        between(one, other, lambda left, right: texts.markers.around(left, right, None, message))
    )


def _name(shape: Shape, item: Item) -> str:
    """What an item is about; one that does not say is about what it holds."""
    return shape.name(item) or repr(item)


def _top(shape: Shape, base: Item, ours: Item, theirs: Item, side: int, clashes: list[str]) -> Item:
    """The merged index; where both sides changed what people chose, that of `side` (0: ours), which `clashes`
    tells.
    """
    was, mine, other = (
        {key: value for key, value in one.items() if key != shape.items and key not in _TOTALS}
        for one in (base, ours, theirs)
    )
    out = _merged(was, mine, other, side, clashes, "")
    held = {key: value for key, value in {**theirs, **ours}.items() if key in _TOTALS or key == shape.items}
    if shape.items in held:
        held[shape.items] = items = _items(shape, base, ours, theirs, side, clashes)
        for total, part in _TOTALS.items():
            counts = [item.get(part, 0) for item in items]
            if total in held and all(type(count) is int for count in counts):
                held[total] = sum(counts)
        if "entry_count" in out:
            out["entry_count"] = len(items)
    order = [key for key in dict.fromkeys([*ours, *theirs]) if key in out or key in held]
    return {key: held[key] if key in held else out[key] for key in order}


def _items(shape: Shape, base: Item, ours: Item, theirs: Item, side: int, clashes: list[str]) -> list[Item]:
    sides = [_named(shape, one.get(shape.items) or []) for one in (base, ours, theirs)]
    before, mine, other = sides
    out: list[Item] = []
    for name in dict.fromkeys([*mine, *other]):
        was, one, two = before.get(name), mine.get(name), other.get(name)
        if one is not None and two is not None:
            out.append(_merged(was or {}, one, two, side, clashes, f"of {name}"))
        elif was is None or was not in (one, two):  # new, or gone on one side and changed on the other
            out.append(one or two or {})
    return out


def _named(shape: Shape, items: Iterable[Item]) -> dict[str, Item]:
    out: dict[str, Item] = {}
    for item in items:
        name = _name(shape, item)
        out[name] = joined(out[name], item) if name in out else item
    return out


def _merged(base: Item, ours: Item, theirs: Item, side: int, clashes: list[str], where: str) -> Item:
    """One object, key by key."""
    out: Item = {}
    for key in dict.fromkeys([*ours, *theirs]):
        was, one, two = base.get(key), ours.get(key), theirs.get(key)
        if key in ours and key in theirs:
            found = _value(key, was, one, two)
            if found is _CLASH:
                clashes.append(" ".join(filter(None, (f"`{key}`", where))))
                found = (one, two)[side]
            out[key] = found
        elif key not in base or was != (one if key in ours else two):
            out[key] = one if key in ours else two
    return out


def _value(key: str, base: Json, ours: Json, theirs: Json) -> Json:
    """The merged value of a key; `_CLASH` where both sides changed it and a person has to choose."""
    numbers = type(ours) is int and type(theirs) is int
    if key in _ADDED and numbers and (type(base) is int or base is None):
        return ours + theirs - (base or 0)
    if _same(theirs, base) or _same(ours, theirs):
        return ours
    if _same(ours, base):
        return theirs
    if key in _LARGEST and numbers:
        return max(ours, theirs)
    if key in _NEWEST and dates.day(_text(ours)) and dates.day(_text(theirs)):
        return max(ours, theirs, key=lambda value: dates.day(value) or "")
    if all(isinstance(value, list) for value in (ours, theirs)):
        return _union(base if isinstance(base, list) else [], ours, theirs)
    return ours if key in _FOLLOWS or key in _NEWEST or key in _ADDED else _CLASH


def _same(one: Json, other: Json) -> bool:
    return bool(one == other) and type(one) is type(other)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None


def _union(base: Sequence[Json], ours: Sequence[Json], theirs: Sequence[Json]) -> list[Json]:
    """Lists as sets: what neither side took out, ours first."""
    return [item for item in ours if item in theirs or item not in base] + [
        item for item in theirs if item not in ours and item not in base
    ]


# Pages.


def _pages(layout: Layout, texts: _Texts) -> Merged | None:
    if any(place.form == "vault" for place in layout.places):
        return _by_lines(texts)
    if layout.name == "mnema":
        return _by_block(texts, mnema.MARKERS, _mirror_block)
    return _by_block(texts, index_places.MARKERS, _block)


Block = Callable[[list[str], list[str], list[str]], list[str]]


def _by_block(texts: _Texts, markers: managed.Markers, block: Block) -> Merged | None:
    """A page with one generated block; what stands around it merges by lines."""
    sides: list[Found] = []
    for lines in texts.lines():
        found = managed.find("\n".join(lines), markers)
        if found is None and texts.base is None and not sides:
            found = Found([], "", [], "", [])
        if not isinstance(found, Found):
            return None
        sides.append(found)
    base, ours, theirs = sides

    def around(left: Sequence[str], right: Sequence[str]) -> list[str]:
        return texts.markers.around(
            left, right, None, "both sides changed the text around the generated part"
        )

    before = merge_lines(_bare(base.before), _bare(ours.before), _bare(theirs.before), around)[0]
    after = merge_lines(_bare(base.after), _bare(ours.after), _bare(theirs.after), around)[0]
    inner = block(*(managed.inner_lines(found) for found in sides))
    lines = [*before, ours.begin.rstrip("\n"), *inner, ours.end.rstrip("\n"), *after]
    open_end = "\n".join(texts.lines()[1]).endswith("\n")
    return texts.finish([*lines, ""] if open_end else lines)


def _bare(lines: Iterable[str]) -> list[str]:
    return [line.removesuffix("\n") for line in lines]


def _block(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """The block of an `INDEX.md`: lines of links under headings, each sorted as the index sorts them."""
    before, mine, other = _sections(base), _sections(ours), _sections(theirs)
    order = {f"## {heading}": number for number, heading in enumerate(index_places.HEADINGS.values())}
    out = [""]
    for head in sorted(
        dict.fromkeys([*mine, *other]), key=lambda head: (head != "", order.get(head, len(order)))
    ):
        lines = _set(before.get(head, []), mine.get(head, []), other.get(head, []))
        more = [line for line in lines if line.startswith(index_places.AND_MORE)]
        lines = sorted((line for line in lines if line not in more), key=_sorting(head))
        scopes = [line for line in lines if head == "" and _target(line).endswith(f"/{index_places.NAME}")]
        rest = [line for line in lines if line not in scopes]
        for group in (scopes, [*rest, *more[:1]]):
            if group:
                out += [*([head, ""] if head else []), *group, ""]
    return out if len(out) > 1 else index_places.EMPTY


def _sections(lines: Iterable[str]) -> dict[str, list[str]]:
    """The lines of a block by the line that stands above them."""
    out: dict[str, list[str]] = {}
    head = ""
    for line in lines:
        if line.startswith("- "):
            out.setdefault(head, []).append(line)
        elif line.strip() and line not in index_places.EMPTY:
            head = line
    return out


def _target(line: str) -> str:
    """The path that a line leads to; the line itself where it is unresolved."""
    match = _LINE.match(line)
    if match is None:
        return line
    if "%" not in match[1]:
        return match[1]
    return unquote_to_bytes(match[1]).decode("utf-8", "surrogateescape")


def _sorting(head: str) -> Callable[[str], tuple[str, ...]]:
    if head in _BY_FOLDER:
        return lambda line: tuple(_target(line).removesuffix(index_places.NAME).split("/"))
    if head:
        return lambda line: (line,)
    return lambda line: (_target(line).removesuffix(f"/{index_places.NAME}"),)


def _set(base: Sequence[str], ours: Sequence[str], theirs: Sequence[str]) -> list[str]:
    """Lines as a set by what they lead to; of two versions of one line ours, unless only they changed it."""
    before, mine, other = ({_target(line): line for line in lines} for lines in (base, ours, theirs))
    out: list[str] = []
    for target in dict.fromkeys([*mine, *other]):
        was, one, two = before.get(target), mine.get(target), other.get(target)
        if one is None or two is None:
            if was is None or was not in (one, two):
                out.append(one or two or "")
        else:
            out.append(two if one == was else one)
    return out


def _mirror_block(base: list[str], ours: list[str], theirs: list[str]) -> list[str]:
    """The block of an `INDEX.md` of a mirror: one line a file in Mnema's order."""
    sides = [[line for line in lines if line.startswith("- ")] for lines in (base, ours, theirs)]
    lines = sorted(_set(*sides), key=lambda line: collation(_target(line)))
    frame = [""] if not any(line.strip() for line in ours) or not ours[0].strip() else []
    return [*frame, *(lines or ["_(no files yet)_"]), *frame]


def _by_lines(texts: _Texts) -> Merged:
    """A page of a vault, which has no markers: where both sides added generated lines at one place, all of
    them stay.
    """

    def around(left: Sequence[str], right: Sequence[str]) -> list[str]:
        if all(_GENERATED.match(line) for line in (*left, *right)):
            return _both(left, right)
        return texts.markers.around(left, right, None, "both sides changed these lines")

    base, ours, theirs = texts.lines()
    return texts.finish(merge_lines(base, ours, theirs, around)[0])


def _both(left: Sequence[str], right: Sequence[str]) -> list[str]:
    """Two versions of generated lines as one: a line that counts something stands once, and so does one that
    both have.
    """
    labels = {_label(line) for line in left}
    if any(line.startswith("### ") for line in right) and not labels & {
        _label(line) for line in right if line.startswith("### ")
    }:
        return [*left, *right]
    return [*left, *(line for line in right if line.strip() and _label(line) not in labels)]


def _label(line: str) -> str:
    """What makes a generated line that of one thing: its link, or the words before its number."""
    return _target(line) if _LINE.match(line) else line.partition(":")[0]
