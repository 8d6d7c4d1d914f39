"""Documents of a mirror's second writer: every field under one key `mnema:`, the text among them; see
FORMATS, mirrors, writer B.

The body of such a record is put together from those fields and from what stands below the title: the content
of an observation, the context, decision, rationale and consequences of a decision, the description and
acceptance criteria of a task. A file of a mirror without that key is read as a plain document.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from memgit.errors import BadInput
from memgit.formats import markdown
from memgit.formats.codec import Draft
from memgit.formats.dialects import MEMGIT, MNEMA_BLOCK
from memgit.formats.document import Document
from memgit.formats.frontmatter import Parts
from memgit.formats.frontmatter_block import Block
from memgit.formats.page import Page, find_body, heading, one_line, own_text, tidy
from memgit.formats.text import encode
from memgit.formats.yaml import Entry
from memgit.model.record import Problem, Value


class Piece(NamedTuple):
    """One field that is part of the body: its key, the heading over it (None: it stands first, without one),
    whether it is a list.
    """

    key: str
    heading: str | None
    many: bool = False


SHAPES: Mapping[str, tuple[Piece, ...]] = {
    "observation": (Piece("content", None),),
    "decision": (
        Piece("context", "Context"),
        Piece("decision", "Decision"),
        Piece("rationale", "Rationale"),
        Piece("consequences", "Consequences"),
    ),
    "sprint": (Piece("goal", None),),
    "": (Piece("description", None), Piece("acceptance_criteria", "Acceptance criteria", True)),
}


class Mirror(Document):
    """The form of observations, decisions, tasks, epics and sprints of a mirror."""

    inner = "mnema"

    def __init__(self) -> None:
        super().__init__(MNEMA_BLOCK)

    # Reading.

    def _content(
        self, text: str, parts: Parts, entries: Mapping[str, Entry], kind: str, problems: list[Problem]
    ) -> tuple[dict[str, Value], str | None, str]:
        block = entries.get(self.inner)
        if block is None or block.inner is None:
            return _PLAIN._content(text, parts, entries, kind, problems)
        fields = self._fields(block.inner, kind, problems)
        for key, entry in entries.items():
            if key != self.inner:
                fields.setdefault(key, entry.value)
        title = fields.get("title")
        shape = shape_of(block.inner)
        below = find_body(text, parts.body, title if isinstance(title, str) else None)
        if isinstance(title, str) and not below.own:
            other = find_body(text, parts.body, None)
            if other.own:
                line = text.count("\n", 0, other.heading[0]) + 1
                problems.append(
                    Problem("MG004", line, f"the heading {other.title!r} differs from the title {title!r}")
                )
        rest = tidy(text[below.start : below.end])
        if shape == SHAPES["observation"]:
            fields.pop("content", None)
            name = title
        else:
            name = title if isinstance(title, str) else below.title
        return (
            fields,
            name if isinstance(name, str) else None,
            compose(values_of(block.inner, shape), rest, shape),
        )

    # Writing.

    def create(self, draft: Draft, existing: bytes | None) -> bytes:
        """A new file. A note is an epic or a sprint where its own field `kind` says so, else a task."""
        if existing is not None:
            raise BadInput("a document is a file of its own, and this file is there already")
        fields: dict[str, Value] = {
            name: value for name, value in draft.fields.items() if value and name not in ("title", "body")
        }
        kind = draft.kind if draft.kind in ("observation", "decision") else str(fields.get("kind") or "task")
        if kind != "task":
            fields["kind"] = kind
        shape = SHAPES.get(kind, SHAPES[""])
        title = one_line(draft.title)
        values, rest = decompose(own_text(draft.body, title), shape, {}, "")
        for key, value in values.items():
            fields.setdefault(key, value)
        block = Block.build(
            self._pairs(kind, title, {name: value for name, value in fields.items() if value}),
            "\n",
            self.inner,
        )
        if kind == "observation":
            content = fields.get("content")
            return encode(f"---\n{block.text}---\n{content}\n" if content else f"---\n{block.text}---\n")
        return encode(f"---\n{block.text}---\n# {heading(title)}\n" + (f"\n{rest}\n" if rest else ""))

    def edit(self, data: bytes, ordinal: int, changes: Mapping[str, Value]) -> bytes:
        return (
            super().edit(data, ordinal, changes)
            if _mirrored(self._page(data, ordinal))
            else _PLAIN.edit(data, ordinal, changes)
        )

    def extend(self, data: bytes, ordinal: int, text: str, date: str) -> bytes:
        """The file with a section below its title; the content of an observation, which stands twice, is
        extended in both places.
        """
        page = self._page(data, ordinal)
        if not _mirrored(page):
            return _PLAIN.extend(data, ordinal, text, date)
        if shape_of(page.entries) == SHAPES["observation"]:
            return super().extend(data, ordinal, text, date)
        added = tidy(text)
        if not added:
            raise BadInput("there is no text to add")
        start, rest = self._rest(page)
        self._closed(page)
        page.graft(
            start,
            len(page.text),
            "\n\n".join(part for part in (rest, f"## Extension ({date})\n\n{added}") if part),
        )
        return page.encode()

    def _kind(self, page: Page) -> str:
        kind = page.entries.get("kind")
        return kind.value if kind is not None and isinstance(kind.value, str) else "task"

    def _title(self, page: Page) -> str | None:
        if shape_of(page.entries) == SHAPES["observation"]:
            title = page.entries.get("title")
            return title.value if title is not None and isinstance(title.value, str) else None
        return super()._title(page)

    def _rest(self, page: Page) -> tuple[int, str]:
        """Where the text below the title begins, and that text."""
        place = find_body(page.text, page.body, self._title(page))
        if shape_of(page.entries) == SHAPES["observation"] and not place.own:
            place = place._replace(start=page.body)
        return place.start, tidy(page.text[place.start : place.end])

    def _body(self, page: Page) -> str:
        shape = shape_of(page.entries)
        return compose(values_of(page.entries, shape), self._rest(page)[1], shape)

    def _set_body(self, page: Page, new: str) -> None:
        new = own_text(new, self._title(page))
        if new == self._body(page):
            return
        shape = shape_of(page.entries)
        start, old = self._rest(page)
        values, rest = decompose(new, shape, values_of(page.entries, shape), old)
        if rest != old:
            page.graft(start, len(page.text), rest, tight=shape == SHAPES["observation"])
        for piece in shape:
            self._set_field(page, piece.key, values.get(piece.key))
        if bare(self._body(page), shape) != bare(new, shape):
            raise BadInput(
                "the text would not read back as it was given",
                hint="look for headings that the fields of the record have",
            )

    def _set_title(self, page: Page, title: str, old: str | None) -> None:
        place = find_body(page.text, page.body, old)
        if place.own and place.title == old:
            page.put_heading(*place.heading, heading(title))
        page.put(self.dialect.key(self._kind(page), "title", page.entries), title, self.dialect, "title")


_PLAIN = Document(MEMGIT)


def _mirrored(page: Page) -> bool:
    return page.block is not None and page.block.inner != ""


def shape_of(entries: Mapping[str, Entry]) -> tuple[Piece, ...]:
    """Which fields make up the body of a record with these keys."""
    kind = entries.get("kind")
    name = kind.value if kind is not None and isinstance(kind.value, str) else ""
    return SHAPES.get(name, SHAPES[""])


def values_of(entries: Mapping[str, Entry], shape: Sequence[Piece]) -> dict[str, Value]:
    """The fields that make up the body."""
    return {piece.key: entries[piece.key].value for piece in shape if piece.key in entries}


def compose(values: Mapping[str, Value], rest: str, shape: Sequence[Piece]) -> str:
    """The body from its fields and the text below the title, which is left out where it only repeats them."""
    parts: list[str] = []
    for piece in shape:
        text = _as_text(values.get(piece.key))
        if text:
            parts.append(text if piece.heading is None else f"## {piece.heading}\n\n{text}")
    if rest and rest.split() != "\n\n".join(parts).split():
        parts.append(rest)
    return "\n\n".join(parts)


def decompose(
    body: str, shape: Sequence[Piece], old: Mapping[str, Value], rest: str
) -> tuple[dict[str, Value], str]:
    """The fields and the text below the title that make up a body: `compose` undone.

    Args:
        old: the fields as they are; where the last of them still stands there unchanged, what follows goes
            below the title.
        rest: the text below the title as it is.
    """
    if shape == SHAPES["observation"]:
        return {"content": body}, body
    found: list[tuple[Piece, int, int]] = []
    waiting = [piece for piece in shape if piece.heading is not None]
    heads = [head for head in markdown.headings(body) if head.level <= 2]
    for head in heads:
        index = next(
            (
                number
                for number, piece in enumerate(waiting)
                if head.level == 2 and piece.heading == head.title
            ),
            None,
        )
        if index is not None:
            found.append((waiting[index], head.start, head.end))
            waiting = waiting[index + 1 :]
    first = shape[0] if shape[0].heading is None else Piece("decision" if not found else "context", None)
    sections = [(first, 0, found[0][1] if found else len(body))]
    sections += [
        (piece, end, found[number + 1][1] if number + 1 < len(found) else len(body))
        for number, (piece, _, end) in enumerate(found)
    ]
    out: dict[str, Value] = {}
    below = ""
    for number, (piece, start, end) in enumerate(sections):
        text = tidy(body[start:end])
        if number == len(sections) - 1:
            text, below = _cut(text, _as_text(old.get(piece.key)), rest)
        if piece.many:
            items, other = _as_items(text)
            below = "\n\n".join(part for part in (other, below) if part)
            out[piece.key] = items
        elif text:
            before = out.get(piece.key)
            out[piece.key] = f"{before}\n\n{text}" if isinstance(before, str) else text
    return out, below


def _cut(text: str, old: str, rest: str) -> tuple[str, str]:
    """The last field and the text below the title, which follows it without a mark of its own."""
    if old and (text == old or text.startswith(old + "\n\n")):
        return old, tidy(text[len(old) :])
    if rest and (text == rest or text.endswith("\n\n" + rest)):
        return text[: -len(rest)].rstrip("\n"), rest
    head = next((head for head in markdown.headings(text) if head.level <= 2), None)
    return (text, "") if head is None else (tidy(text[: head.start]), text[head.start :])


def bare(text: str, shape: Sequence[Piece]) -> list[str]:
    """The words of a body without the headings that its fields have."""
    titles = {f"## {piece.heading}" for piece in shape if piece.heading is not None}
    return " ".join(line for line in text.split("\n") if line.strip() not in titles).split()


def _as_text(value: Value) -> str:
    if isinstance(value, tuple):
        return "\n".join("- " + item.rstrip("\n").replace("\n", "\n  ") for item in value)
    return tidy(value) if value else ""


def _as_items(text: str) -> tuple[tuple[str, ...], str]:
    """The items of a list of one level, and the text that is no part of it."""
    items: list[str] = []
    lines = text.split("\n") if text else []
    for number, line in enumerate(lines):
        if line[:2] in ("- ", "* ", "+ "):
            items.append(line[2:].strip())
        elif items and line[:2] == "  " and line.strip():
            items[-1] += "\n" + line[2:]
        elif line.strip():
            return tuple(items), tidy("\n".join(lines[number:]))
    return tuple(items), ""
