"""Documents: one record a file, fields in YAML frontmatter, text under it. Forms "memgit" and "mnema"
(memories and skills of a mirror).

Vaults and the other records of a mirror do more; they build on the same `Document` in `vault` and `mirror`.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, Refused, UnreadableFile
from memgit.formats import yaml
from memgit.formats.blocks import heading_text, outline
from memgit.formats.codec import Draft
from memgit.formats.dialects import LINKS, MANY, Dialect, aliases, bare_item, fields_of, read_items
from memgit.formats.frontmatter import Block, Parts, Spell, Style, is_template, split, typed_value
from memgit.formats.text import decode, encode, has_bom, newline_of, normal, split_lines
from memgit.formats.yaml import Entry
from memgit.model.kinds import FIELDS
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Problem, Record, Value

if TYPE_CHECKING:
    from collections.abc import Mapping

_H1 = re.compile(r"(?:[ \t\r]*\n)* {0,3}#(?:[ \t]+([^\n]*))?(?:\n|$)")
_BLANK_LINES = pattern(r"(?:[ \t\r]*\n)*")


class Body(NamedTuple):
    """What stands under a block: a title from a heading, None where there is none to take, and the text, in
    offsets of the file's text.

    `heading` is the place of the first H1, (-1, -1) where it was not looked for or is not there; `own` says
    that the text starts after it.
    """

    title: str | None
    start: int
    end: int
    heading: tuple[int, int]
    own: bool


class Document:
    """The form of plain documents; see `form.Form` for what each method is given and gives."""

    inner = ""

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect

    # Reading.

    def parse(self, data: bytes, path: str, kind: str, key: str, note_address: str) -> ParsedFile:
        """The record of one file.

        A file that holds none gives problems alone; one whose block is broken is still listed.
        """
        try:
            text = decode(data)
        except UnreadableFile as error:
            return ParsedFile((), (Problem(error.code, error.line or 1, error.message, True),))
        if not text or text.isspace():
            # An editor makes a note before anything is written in it.
            return ParsedFile((), () if kind == "note" else (Problem("MG001", 1, "the file is empty"),))
        address = note_address if kind == "note" else f"{kind}/{key}"
        parts = split(text)
        if parts.block is not None and is_template(parts.block):
            return ParsedFile(())
        problems: list[Problem] = []
        fault = parts.fault
        entries: Mapping[str, Entry] = {}
        if fault is None and parts.block is not None:
            try:
                entries = yaml.read(parts.block, self.inner)
            except UnreadableFile as error:
                fault = error
        if fault is not None:
            return self._broken(text, parts, fault, path, kind, address)
        if parts.late:
            problems.append(
                Problem("MG002", parts.late, "looks like frontmatter, but does not begin on the first line")
            )
        markers = _markers(text, parts.body)
        problems += markers
        fields, title, body = self._content(text, parts, entries, kind, problems)
        if title is None:
            title = path.rpartition("/")[2].removesuffix(".md")
        elif "title" not in fields:
            fields["title"] = title
        if kind == "memory" and "scope" not in fields and "/" in key and self.dialect.name != "vault":
            fields["scope"] = key.rpartition("/")[0]
        record = Record(
            kind, address, path, title, 1, _count(text), 0, fields, body, markers[0] if markers else None
        )
        return ParsedFile((record,), tuple(problems))

    def _content(
        self, text: str, parts: Parts, entries: Mapping[str, Entry], kind: str, problems: list[Problem]
    ) -> tuple[dict[str, Value], str | None, str]:
        """Fields, title and body of a file whose block is understood; what is odd about them is added to
        `problems`.
        """
        fields = self._fields(entries, kind, problems)
        title = fields.get("title")
        body = find_body(text, parts.body, title if isinstance(title, str) else None)
        return fields, title if isinstance(title, str) else body.title, tidy(text[body.start : body.end])

    def _fields(self, entries: Mapping[str, Entry], kind: str, problems: list[Problem]) -> dict[str, Value]:
        """The fields of a block under their canonical names, others under their own."""
        known = fields_of(self.dialect.name, kind)
        out: dict[str, Value] = {}
        for key, entry in entries.items():
            field = known.get(key)
            value = entry.value
            if field is None:
                out.setdefault(key, value.rstrip("\n") if isinstance(value, str) else value)
                continue
            if field in MANY:
                if entry.style == "map":
                    problems.append(
                        Problem("MG004", entry.start + 2, f"{key} holds keys of its own, not a list")
                    )
                value = read_items(field, key, value)
            elif isinstance(value, tuple) or entry.style == "map":
                problems.append(
                    Problem(
                        "MG004",
                        entry.start + 2,
                        f"{key} is {'a list' if isinstance(value, tuple) else 'a mapping'}, not text",
                    )
                )
                if field == "title":
                    continue
            elif value is not None:
                value = value.rstrip("\n")
                if field == "title":
                    value = one_line(value)
                    if not value:
                        continue
            elif field == "title":
                continue
            if field in out:
                self._second(out, entries, kind, field, key, value, problems)
            else:
                out[field] = value
        return out

    def _second(
        self,
        out: dict[str, Value],
        entries: Mapping[str, Entry],
        kind: str,
        field: str,
        key: str,
        value: Value,
        problems: list[Problem],
    ) -> None:
        """Two keys for one field: the likelier one counts, the other keeps its own name."""
        ranks = aliases(self.dialect.name, kind, field)
        first = next(name for name in entries if name != key and name in ranks)
        if ranks.index(first) < ranks.index(key):
            if key == field:
                problems.append(
                    Problem("MG004", entries[key].start + 2, f"{key} is not read: {first} says the same")
                )
            else:
                out[key] = entries[key].value
        elif first == field:
            problems.append(
                Problem("MG004", entries[first].start + 2, f"{first} is not read: {key} says the same")
            )
            out[field] = value
        else:
            out[first] = out[field]
            out[field] = value

    def _broken(
        self, text: str, parts: Parts, fault: UnreadableFile, path: str, kind: str, address: str
    ) -> ParsedFile:
        """A file whose block cannot be read: one record that cannot be written to, its title as typed in the
        block.
        """
        block = parts.block or ""
        problems = _markers(text, 0) or [Problem(fault.code, fault.line or 1, fault.message, True)]
        body = find_body(text, parts.body, None)
        title = None
        for key in aliases(self.dialect.name, kind, "title"):
            title = title or typed_value(block, key)
        found = title or body.title
        name = found or path.rpartition("/")[2].removesuffix(".md")
        start = body.start if body.title == name else parts.body
        record = Record(
            kind,
            address,
            path,
            name,
            1,
            _count(text),
            0,
            {"title": found} if found else {},
            tidy(text[start:]),
            problems[0],
        )
        return ParsedFile((record,), tuple(problems))

    # Writing.

    def create(self, draft: Draft, existing: bytes | None) -> bytes:
        """A new file."""
        if existing is not None:
            raise BadInput("a document is a file of its own, and this file is there already")
        fields = {
            name: value for name, value in draft.fields.items() if value and name not in ("title", "body")
        }
        title = one_line(draft.title)
        block = Block.build(self._pairs(draft.kind, title, fields), "\n", self.inner)
        text = (
            f"---\n{block.text}---\n{self._new_body(draft.kind, title, own_text(draft.body, title), fields)}"
        )
        if split(text).fault is not None:
            raise BadInput(
                "the text begins with a frontmatter block of its own",
                hint="leave the block out, or set it in a code fence",
            )
        return encode(text)

    def _pairs(
        self, kind: str, title: str, fields: Mapping[str, Value]
    ) -> list[tuple[str, Value, Style, Spell]]:
        """Everything that the block of a new file holds, in the order of the dialect: key, value, how to
        write it and its items.
        """
        dialect = self.dialect
        found: dict[str, tuple[Value, str]] = {dialect.key(kind, "title"): (title, "title")}
        for name, value in fields.items():
            for field, part in self._spread(name, value, None):
                found[dialect.key(kind, field)] = (self._as_file(field, part, None), field)
        for key in dialect.keys(kind):
            field = fields_of(dialect.name, kind).get(key, key)
            if key in found:
                continue
            if field == "updated" and dialect.key(kind, "created") in found:
                found[key] = (found[dialect.key(kind, "created")][0], field)
            elif key in dialect.blank:
                found[key] = (dialect.blank[key], field)
        keys = [key for key in dialect.order if key in found]
        keys += [key for key in found if key not in dialect.order]
        out: list[tuple[str, Value, Style, Spell]] = []
        for key in keys:
            value, field = found[key]
            spell = spelling(field, None)
            if isinstance(value, tuple):
                value = one_text(field, key, value, spell, None)
            out.append((key, value, dialect.write_style(field, key), spell))
        return out

    def _new_body(self, kind: str, title: str, body: str, fields: Mapping[str, Value]) -> str:
        """What stands under the block of a new file."""
        if self.dialect.name == "mnema":
            head = f"# {heading(title)}\n" + ("\n" if body else "") if kind == "skill" else ""
            return head + (body + "\n" if body else "")
        return f"\n{body}\n" if body else ""

    def _spread(self, name: str, value: Value, page: Page | None) -> list[tuple[str, Value]]:
        """The fields of a file that a change of one field concerns, with their new values."""
        return [(name, value)]

    def _as_file(self, field: str, value: Value, old: Value) -> Value:
        """A value in the type that its field has: lists for some, text for others."""
        if field in MANY:
            return (value,) if isinstance(value, str) and value else value or ()
        if isinstance(value, tuple) and field in FIELDS:
            value = ", ".join(value)
        return self.dialect.to_file(field, value, old) if isinstance(value, str) else value

    def edit(self, data: bytes, ordinal: int, changes: Mapping[str, Value]) -> bytes:
        """The file with other fields; `title` and `body` count among them."""
        page = self._page(data, ordinal)
        before = page.text
        if "body" in changes:
            self._set_body(page, tidy(_joined(changes["body"])))
        if "title" in changes:
            self._set_title(page, _joined(changes["title"]))
        for name, value in changes.items():
            if name not in ("body", "title"):
                for field, part in self._spread(name, value, page):
                    self._set_field(page, field, part)
        return data if page.text == before else page.encode()

    def extend(self, data: bytes, ordinal: int, text: str, date: str) -> bytes:
        """The file with a section `## Extension (date)` at the end of its text."""
        page = self._page(data, ordinal)
        added = tidy(text)
        if not added:
            raise BadInput("there is no text to add")
        self._closed(page)
        parts = (self._body(page), f"## Extension ({date})\n\n{added}")
        self._set_body(page, "\n\n".join(part for part in parts if part))
        return page.encode()

    def replace(self, data: bytes, ordinal: int, body: str, date: str) -> bytes:
        """The file with another body; what was there is in the history of the repository."""
        return self.edit(data, ordinal, {"body": body})

    def remove(self, data: bytes, ordinal: int) -> bytes | None:
        """Always None: the file holds nothing but this record."""
        if ordinal:
            raise Refused("a document holds one record")
        return None

    def _page(self, data: bytes, ordinal: int) -> Page:
        if ordinal:
            raise Refused("a document holds one record")
        page = Page(data, self.inner)
        for problem in _markers(page.text, 0):
            raise UnreadableFile(
                problem.message, line=problem.line, code=problem.code, hint="resolve the conflict first"
            )
        return page

    def _kind(self, page: Page) -> str:
        """The kind that the keys of a file tell, as far as its dialect spells fields by kind."""
        keys = page.entries
        return (
            "skill"
            if "name" in keys and "title" not in keys and not keys.keys().isdisjoint(_OF_SKILLS)
            else ""
        )

    def _title(self, page: Page) -> str | None:
        """The title that a file has of its own."""
        fields = self._fields(
            {key: entry for key, entry in page.entries.items() if key in ("title", "name")},
            self._kind(page),
            [],
        )
        title = fields.get("title")
        return title if isinstance(title, str) else find_body(page.text, page.body, None).title

    def _body(self, page: Page) -> str:
        body = find_body(page.text, page.body, self._title(page))
        return tidy(page.text[body.start : body.end])

    def _set_body(self, page: Page, new: str) -> None:
        title = self._title(page)
        new = own_text(new, title)
        place = find_body(page.text, page.body, title)
        if new == tidy(page.text[place.start : place.end]):
            return
        page.graft(place.start, place.end, new, tight=self.dialect.name == "mnema" and not place.own)
        parts = split(page.text)
        if parts.fault is not None or parts.body != page.body:
            raise BadInput(
                "the text begins with a frontmatter block of its own",
                hint="leave the block out, or set it in a code fence",
            )
        if self._body(page) != new:
            raise BadInput(
                "the text would not read back as it was given",
                hint="look for headings and fences at its start",
            )

    def _closed(self, page: Page) -> None:
        """Refuses to add text under a fence or comment that is never closed: it would become part of that."""
        unclosed = outline(page.text[page.body :], line=page.text.count("\n", 0, page.body) + 1).unclosed
        if unclosed is not None:
            line, what = unclosed
            raise Refused(
                f"a {what} is never closed: text under it would be part of it",
                line=line,
                hint="close it first",
            )

    def _set_title(self, page: Page, title: str) -> None:
        from memgit.formats.markdown import headings

        title = one_line(title)
        if not title:
            raise BadInput("a record needs a title")
        old = self._title(page)
        if title == old:
            return
        key = self.dialect.key(self._kind(page), "title", page.entries)
        entry = page.entries.get(key)
        stated = entry is not None and isinstance(entry.value, str) and entry.style != "map"
        first = next((head for head in headings(page.text[page.body :]) if head.level == 1), None)
        if first is not None and (not stated or first.title == old):
            page.put_heading(page.body + first.start, page.body + first.end, heading(title))
        if stated or (page.block is not None and first is None):
            page.put(key, title, self.dialect, "title")
        elif first is None:
            page.insert_heading(heading(title))

    def _set_field(self, page: Page, field: str, value: Value) -> None:
        """Sets or removes one field; nothing where the file says so already."""
        kind = self._kind(page)
        key = self.dialect.key(kind, field, page.entries) if field in FIELDS else field
        entry = page.entries.get(key)
        old = entry.value if entry is not None else None
        if isinstance(value, tuple) and value == old:
            return
        new = self._as_file(field, value, old)
        if field in MANY:
            present: Value = read_items(field, key, old)
        else:
            present = old.rstrip("\n") if isinstance(old, str) else old
        if isinstance(new, str):
            new = new.rstrip("\n")
        if (new or None) == (present or None):
            return
        if not new:
            if key in self.dialect.blank and key in self.dialect.keys(kind) and key not in self.dialect.loose:
                page.put(key, self.dialect.blank[key], self.dialect, field)
            else:
                page.drop(key)
            return
        page.put(key, new, self.dialect, field)


_OF_SKILLS = frozenset(["version", "tools_used", "usage_count"])


class Page:
    """A file while it is being changed.

    Offsets are those of `text`, the whole file without byte order mark.
    """

    def __init__(self, data: bytes, inner: str) -> None:
        text = decode(data)
        if not text or text.isspace():
            raise UnreadableFile("the file is empty and holds no record", line=1)
        parts = split(text)
        if parts.block is not None and is_template(parts.block):
            raise Refused("a template holds no record", line=1)
        if parts.fault is not None:
            raise parts.fault
        self._bom = has_bom(data)
        self._inner = inner
        self.newline = newline_of(text)
        self.block: Block | None = None
        self._opening, self._closing, self._rest = "", "", text[parts.body :]
        if parts.block is not None:
            end = parts.start + len(parts.block)
            self.block = self._read(parts.block)
            self._opening, self._closing = text[: parts.start], text[end : parts.body]

    def _read(self, text: str) -> Block:
        try:
            return Block(text, self.newline, self._inner)
        except Refused:
            return Block(text, self.newline)

    @property
    def text(self) -> str:
        return self.head + self._rest

    @property
    def head(self) -> str:
        return self._opening + (self.block.text if self.block is not None else "") + self._closing

    @property
    def body(self) -> int:
        """Where the text under the block begins."""
        return len(self.head)

    @property
    def entries(self) -> Mapping[str, Entry]:
        return self.block.entries if self.block is not None else {}

    def encode(self) -> bytes:
        return encode(self.text, self._bom)

    def put(self, key: str, value: Value, dialect: Dialect, field: str) -> None:
        """Sets a key, in a new block where the file has none."""
        if self.block is None:
            gap = self.newline if self._rest and not self._rest.startswith(("\n", "\r\n")) else ""
            self._opening = f"---{self.newline}"
            self._closing = f"---{self.newline}{gap}"
            self.block = Block("", self.newline)
            if split(self.text).fault is not None:
                line = split(self._rest).late or 1
                raise Refused(
                    "a block here would hide the one that the text begins with",
                    line=line,
                    hint="move that one to the top",
                )
        entry = self.entries.get(key)
        spell = spelling(field, entry)
        if isinstance(value, tuple):
            value = one_text(field, key, value, spell, entry)
        self.block.put(key, value, dialect.write_style(field, key), dialect.order, bare_item(field), spell)

    def drop(self, key: str) -> None:
        if self.block is not None:
            self.block.drop(key)

    def graft(self, start: int, end: int, new: str, *, tight: bool = False) -> None:
        """Puts a text in place of the one between two offsets under the block; blank lines around it stay.

        Lines that it begins and ends with as before keep their bytes. Where there was no text, a blank line
        goes before it unless `tight`.
        """
        offset = self.body
        before, region, after = (
            self._rest[: start - offset],
            self._rest[start - offset : end - offset],
            self._rest[end - offset :],
        )
        first, last = text_span(region)
        if new and first < last:
            region = region[:first] + _grafted(region[first:last], new, self.newline) + region[last:]
        elif new:
            if not before and self._closing and not self._closing.endswith("\n"):
                self._closing += self.newline
            region = self.newline if before and not before.endswith("\n") else ""
            region += (
                ("" if tight or not (before or self._closing) else self.newline)
                + _lines(new, self.newline)
                + self.newline
            )
            region += self.newline if after else ""
        else:
            region = self.newline if after else ""
        self._rest = before + region + after

    def put_text(self, start: int, end: int, new: str) -> None:
        """Puts a text, as it is, in place of what stands between two offsets under the block."""
        offset = self.body
        self._rest = self._rest[: start - offset] + new + self._rest[end - offset :]

    def put_heading(self, start: int, end: int, title: str) -> None:
        """Puts an H1 in place of the one between two offsets; the end of its line stays."""
        old = self.text[start:end]
        self.put_text(start, start + len(old.rstrip("\r\n")), f"# {title}")

    def insert_heading(self, title: str) -> None:
        """Puts an H1 above the text."""
        self._rest = f"# {title}{self.newline}{self.newline}" + self._rest.lstrip("\r\n")


def find_body(text: str, start: int, title: str | None) -> Body:
    """Where the text of a document lies, from the offset `start` of its file's text on.

    A heading that the text begins with is left out where it says the title, or where there is no title and it
    gives one.
    """
    match = _H1.match(text, start)
    said = _said(match)
    if match is not None and said and (title is None or said == title):
        return Body(said, match.end(), len(text), (text.index("#", match.start()), match.end()), True)
    if title is None and not said:
        from memgit.formats.markdown import headings

        for head in headings(text[start:]):
            if head.level == 1 and head.title:
                own = not text[start : start + head.start].strip()
                return Body(
                    head.title,
                    start + head.end if own else start,
                    len(text),
                    (start + head.start, start + head.end),
                    own,
                )
    return Body(None, start, len(text), (-1, -1), False)


def text_span(text: str) -> tuple[int, int]:
    """Where the text begins and ends between the blank lines at either end, the end of its last line not
    counted.
    """
    blank = _BLANK_LINES.match(text)
    start = blank.end() if blank else 0
    end = len(text)
    while end > start:
        line = text.rfind("\n", start, end) + 1 or start
        if text[line:end].strip(" \t\r"):
            return start, end - (text[end - 1] == "\r")
        end = max(line - 1, start)
    return start, start


def tidy(text: str) -> str:
    """A text with `\\n` for every line end and without blank lines at either end."""
    text = normal(text).strip("\n")
    if text and (text[0] in " \t\r" or text[-1] in " \t\r"):
        start, end = text_span(text)
        return text[start:end]
    return text


def _grafted(old: str, new: str, newline: str) -> str:
    """The lines of `new` with the line ends that those of `old` have which it begins and ends with."""
    lines = [
        (line.rstrip("\r\n"), line) if line.endswith("\n") else (line, line) for line in split_lines(old)
    ]
    ends = [line[len(body) :] for body, line in lines]
    bodies = [body for body, _ in lines]
    wanted = new.split("\n")
    least = min(len(bodies), len(wanted))
    first = last = 0
    while first < least and bodies[first] == wanted[first]:
        first += 1
    while last < least - first and bodies[-1 - last] == wanted[-1 - last]:
        last += 1
    out: list[str] = []
    for number, line in enumerate(wanted):
        end = (
            ends[number]
            if number < first
            else ends[number - len(wanted)]
            if number >= len(wanted) - last
            else ""
        )
        out.append(line + (end or newline))
    out[-1] = wanted[-1]
    return "".join(out)


def own_text(body: str, title: str | None) -> str:
    """A body as it is to be stored: tidied, without a heading that only says the title again.

    Raises:
        BadInput: it holds a NUL.
    """
    text = tidy(body)
    if "\0" in text:
        raise BadInput("the text holds a NUL", line=text.count("\n", 0, text.index("\0")) + 1)
    if title is not None and text[:1] in "# ":
        match = _H1.match(text)
        if match is not None and _said(match) == title:
            return tidy(text[match.end() :])
    return text


def one_line(title: str) -> str:
    """A title without line ends; every other character stays."""
    return (
        " ".join(part.strip(" \t\r") for part in title.split("\n")) if "\n" in title else title.strip(" \t\r")
    )


def heading(title: str) -> str:
    """A title as the text of an H1: on one line, its last hashes kept from closing the heading."""
    text = one_line(title)
    return f"{text} #" if heading_text(text) != text else text


def _said(match: re.Match[str] | None) -> str:
    """The text of an H1 that `_H1` has found."""
    if match is None or not match[1]:
        return ""
    text = match[1].strip(" \t\r")
    if text[-1:] != "#":
        return text

    return heading_text(text)


def spelling(field: str, entry: Entry | None) -> Spell:
    """How a new item of a list is written: a link in brackets, unless those that are there have none."""
    if field not in LINKS:
        return str
    there = entry.value if entry is not None else None
    items = (there,) if isinstance(there, str) else there or ()
    bracketed = any(item[:1] == "[" for item in items) if items else field == "related"
    return (lambda item: f"[[{item}]]") if bracketed else str


def one_text(field: str, key: str, items: tuple[str, ...], spell: Spell, entry: Entry | None) -> Value:
    """A list of one item as plain text where the file has it so, or where the key is a vault's `topic`; else
    the list.
    """
    if (
        len(items) != 1
        or (entry is None and key != "topic")
        or (entry is not None and (entry.style not in SCALARS))
    ):
        return items
    text = spell(items[0])
    several = entry is not None and key != "topic" and len(read_items(field, key, entry.value)) > 1
    return items if several or read_items(field, key, text) != items else text


SCALARS = frozenset(["plain", "single", "double", "literal", "folded"])


def _markers(text: str, start: int) -> list[Problem]:
    """The conflict markers of a text from an offset on."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return []
    from memgit.formats.markdown import conflict_markers

    lines = conflict_markers(text[start:], line=text.count("\n", 0, start) + 1)
    return [Problem("MG104", line, "a conflict marker was left in", True) for line in lines]


def _joined(value: Value) -> str:
    return "\n".join(value) if isinstance(value, tuple) else value or ""


def _lines(text: str, newline: str) -> str:
    return text if newline == "\n" else text.replace("\n", newline)


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))
