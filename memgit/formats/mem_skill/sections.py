"""Entry files taken apart: sections, and the fields and the body of each.

A section runs from one `## ` line outside code to the next. Blank lines and rules `---` at its end stand
between records and belong to none. Fields are bold labels at column 0 (see `labels`), wherever they stand in
the section; everything else is the body.
"""

from __future__ import annotations

from memgit.formats.blocks import Heading, Outline
from memgit.formats.mem_skill import bodies, titles
from memgit.formats.mem_skill.labels import LINE, LISTS, NAMES, name_of
from memgit.model.kinds import FIELDS
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

_RULE = pattern(r"-{3,}[ \t]*")
_COMMAS = (",", "，", "、")
_ITEM = pattern(r"\n {0,3}(?:[-*+]|[0-9]{1,9}[.)])[ \t]+(.*)")
_MORE = pattern(r"\n(?: {2}|\t)[ \t]*([^ \t\n].*)")
_BLOCK = pattern(
    r"\n(?:[ \t]*(?:\n|$)| {0,3}(?:[-*+][ \t]|[0-9]{1,9}[.)][ \t]|#{1,6}[ "
    r"\t]|>|`{3}|~{3}|\||<|-{3,}[ \t]*(?:\n|$))|\*\*|\0)"
)
"""What ends a value that goes on below its line."""


_BLANKS = ("\n", " ", "\t", "")
_LONG = LISTS | {"context"}
_NEXT = ("\n**", "\n\n")


class Section(NamedTuple):
    """One section, in characters of the text with `\\n` for every line end.

    Its heading stands from `start` to `head`, its content ends at `end` (the last line end not included), the
    next section begins at `stop`. `line` and `last` are the lines of its heading and of the end of its
    content. `record` is false for lines of a log.
    """

    start: int
    head: int
    end: int
    stop: int
    line: int
    last: int
    title: str
    record: bool


class Span(NamedTuple):
    """A field where it stands: its name ("body" for the label of the body), label as typed, value, and the
    characters of its lines.

    `start` is the beginning of its line, `text` where its value begins on it, `end` the end of its last line.
    `items` says that the value stands as a list below the label.
    """

    name: str
    label: str
    value: Value
    start: int
    text: int
    end: int
    items: bool


class Fields(NamedTuple):
    """What a section says: fields by canonical name, unknown ones by label, the body, and labels that stand
    twice with their places.

    `free` are the stretches of text that the body is made of, in order; one that does not begin with a line
    end goes on a label's line.
    """

    values: dict[str, Value]
    body: str
    twice: list[tuple[str, int]]
    free: list[tuple[int, int]]


def hide(text: str, found: Outline) -> str:
    """The text with fenced code and HTML blotted out, so that nothing in it looks like a label; places stay
    the same.
    """
    if not found.hidden:
        return text
    parts: list[str] = []
    position = 0
    for span in found.hidden:
        if span.weak:
            continue
        parts += (text[position : span.start], _BLOT.sub("\0", text[span.start : span.end]))
        position = span.end
    return "".join((*parts, text[position:]))


_BLOT = pattern(r"[^\n]")


def sections(text: str, mask: str, found: Outline) -> list[Section]:
    """The sections of a text, in order."""
    heads = [heading for heading in found.headings if heading.level == 2]
    out: list[Section] = []
    size = len(text)
    for number, head in enumerate(heads):
        stop = heads[number + 1].start if number + 1 < len(heads) else size
        start, end = head.end, stop - 2
        if end <= start or text[end:stop] != "\n\n" or text[end - 1] in " \t\n-":
            end = content_end(text, mask, start, stop)
        last = head.line + text.count("\n", head.start, end)
        is_record = head.title[:1] != "[" or _is_record(mask, head, end)
        out.append(Section(head.start, start, end, stop, head.line, last, titles.read(head.title), is_record))
    return out


def _is_record(mask: str, head: Heading, end: int) -> bool:
    """A heading in the shape of a log line is a record all the same if fields follow it."""
    return not titles.is_log(head.title) or any(
        name_of(match[1]) for match in LINE.finditer(mask, head.end, end)
    )


def content_end(text: str, mask: str, start: int, stop: int) -> int:
    """Where the content of a section ends whose heading ends at `start`: before the blank lines and rules at
    its end.
    """
    end = stop
    while True:
        while end > start and text[end - 1] in " \t\n":
            end -= 1
        line = text.rfind("\n", start, end)
        if line < 0 or not _RULE.fullmatch(mask, line + 1, end):
            break
        end = line
    following = text.find("\n", end, stop)
    return stop if following < 0 else following


def fields(text: str, mask: str, start: int, end: int, spans: list[Span] | None = None) -> Fields:
    """The fields and the body between the end of a heading and the end of its content; `spans` gets every
    field with its place.
    """
    values: dict[str, Value] = {}
    twice: list[tuple[str, int]] = []
    free: list[tuple[int, int]] = []
    position = start
    bodied = False
    for match in LINE.finditer(mask, start, end):
        label, value = match.groups()
        at, after = match.span()
        name = NAMES.get(label) or name_of(label)
        if name is None:
            label = label.strip()
            if label not in FIELDS:
                values.setdefault(label, _unknown(text, after - len(value), after, end))
            continue
        if name == "body":
            if bodied or free or (at > position and text[position:at].strip(" \t\n")):
                continue
            bodied = True
            if spans is not None:
                spans.append(Span(name, label, None, at + 1, after - len(value), after, False))
            position = after - len(value) if value else after
            continue
        if name in values:
            twice.append((label, at + 1))
            continue
        if at > position:
            if free:
                _add(text, free, position, at)
            elif text[position:at].strip(" \t\n"):
                free.append((position, at))
        position = after
        items: str | tuple[str, ...] = value.strip()
        below = False
        if name in _LONG:
            if after < end and not mask.startswith(_NEXT, after):
                if name != "context":
                    items, position, below = _list(name, text, mask, after - len(value), after, end)
                else:
                    position = _continued(mask, after, end)
                    items = _folded(text[after - len(value) : position])
            elif name != "context":
                items = targets(value) if name == "related" else split(value)
        values[name] = items
        if spans is not None:
            spans.append(Span(name, label, items, at + 1, after - len(value), position, below))
    if position < end:
        _add(text, free, position, end)
    return Fields(values, _body(text, free), twice, free)


def _add(text: str, free: list[tuple[int, int]], start: int, end: int) -> None:
    """Adds a stretch to those that make the body; where a field stood between two blank lines, one of them
    counts.
    """
    if free and text[free[-1][0] : free[-1][1]].rpartition("\n")[2].strip(" \t") == "":
        while start < end:
            following = text.find("\n", start + 1, end)
            following = end if following < 0 else following
            if text[start:following].strip(" \t\n"):
                break
            start = following
    if start < end:
        free.append((start, end))


def _body(text: str, free: list[tuple[int, int]]) -> str:
    """The body that stretches of text make."""
    if not free:
        return ""
    if len(free) == 1:
        left, right = free[0]
        body = text[left:right]
        if body[:1] == "\n" and body[1:2] not in _BLANKS and body[-1] not in _BLANKS:
            return bodies.unescape(body[1:]) if "\\" in body else body[1:]
    else:
        body = "".join(
            text[left:right] if text[left] == "\n" else f"\n{text[left:right]}" for left, right in free
        )
    return bodies.unescape(bodies.trim(body))


def _unknown(text: str, start: int, after: int, end: int) -> str:
    """The value of a label that no format knows: what follows on its line and under it, up to a blank line or
    another label.
    """
    while after < end and not text.startswith(("\n\n", "\n**", "\n#"), after):
        following = text.find("\n", after + 1, end)
        after = end if following < 0 else following
        if not text[text.rfind("\n", 0, after) + 1 : after].strip(" \t"):
            break
    return text[start:after].strip()


def _folded(text: str) -> str:
    return " ".join(part.strip() for part in text.split("\n")).strip()


def _continued(mask: str, position: int, end: int) -> int:
    """Where a paragraph ends that begins on the line before a place: at a blank line, a label or another
    block.
    """
    while position < end and not _BLOCK.match(mask, position, end):
        following = mask.find("\n", position + 1, end)
        position = end if following < 0 else following
    return position


def _list(
    name: str, text: str, mask: str, start: int, after: int, end: int
) -> tuple[tuple[str, ...], int, bool]:
    """A field that holds several values: on its line after commas, or below it as a list; and where it ends."""
    value = text[start:after].strip()
    if value:
        tail = value
        while (
            after < end
            and not _BLOCK.match(mask, after, end)
            and (tail.endswith(_COMMAS) or mask.startswith("\n[[", after))
        ):
            following = text.find("\n", after + 1, end)
            following = end if following < 0 else following
            tail = text[after:following].strip()
            after = following
        value = text[start:after].strip()
        return targets(value) if name == "related" else split(value), after, False
    items: list[str] = []
    position = after
    while position < end:
        match = _ITEM.match(mask, position, end)
        if match is not None:
            items.append(match[1].strip())
        else:
            match = _MORE.match(mask, position, end) if items else None
            if match is None:
                break
            items[-1] = f"{items[-1]} {match[1].strip()}"
        position = match.end()
    if name == "related":
        return tuple(target for item in items for target in targets(item)), position, bool(items)
    return tuple(item for item in items if item), position, bool(items)


def split(value: str) -> tuple[str, ...]:
    """The items of a comma list; full-width commas separate too."""
    parts = value.replace("，", ",").replace("、", ",").split(",")
    return tuple([part for part in map(str.strip, parts) if part])


class LinkPlace(NamedTuple):
    """A link in the value of `Related`: its target as typed, and its brackets in characters of the value."""

    target: str
    start: int
    end: int


def link_places(value: str) -> list[LinkPlace]:
    """The links of a value in double brackets; a title may hold commas, backticks and single brackets."""
    out: list[LinkPlace] = []
    left = value.find("[[")
    while left >= 0:
        right = value.find("]]", left + 2)
        if right < 0:
            break
        while value.startswith("]", right + 2):
            right += 1
        inner = value[left + 2 : right].partition("|")[0].removesuffix("\\").strip()
        if inner:
            out.append(LinkPlace(inner, left, right + 2))
        left = value.find("[[", right + 2)
    return out


def targets(value: str) -> tuple[str, ...]:
    """The targets that a value names: those in brackets, or, where there is no bracket, the items of a comma
    list.
    """
    if "[[" not in value:
        return split(value)
    if (
        value.count("[[") == 1
        and value.endswith("]]")
        and value.startswith("[[")
        and "|" not in value
        and value.count("]]") == 1
    ):
        inner = value[2:-2].strip()
        return (inner,) if inner else ()
    return tuple([place.target for place in link_places(value)])
