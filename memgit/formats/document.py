"""Documents: one record a file, fields in YAML frontmatter, text under it. Forms "memgit" and "mnema"
(memories and skills of a mirror).

Vaults and the other records of a mirror do more; they build on the same `Document` in `vault` and `mirror`.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import BadInput, Refused, UnreadableFile
from memgit.formats import yaml
from memgit.formats.blocks import outline
from memgit.formats.codec import Draft
from memgit.formats.dialects import MANY, Dialect, aliases, fields_of, read_items
from memgit.formats.frontmatter import Parts, is_template, split, typed_value
from memgit.formats.frontmatter_block import Block, Spell, Style
from memgit.formats.text import decode, encode
from memgit.formats.yaml import Entry
from memgit.model.kinds import FIELDS
from memgit.model.record import ParsedFile, Problem, Record, Value, problem_of

if TYPE_CHECKING:
    from collections.abc import Mapping
from memgit.formats.page import Page, find_body, heading, one_line, one_text, own_text, spelling, tidy

OWN_BLOCK = "the text begins with a frontmatter block of its own"


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
            return ParsedFile((), (problem_of(error),))
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
            raise BadInput(OWN_BLOCK, hint="leave the block out, or set it in a code fence")
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
            title, old = one_line(_joined(changes["title"])), self._title(page)
            if not title:
                raise BadInput("a record needs a title")
            if title != old:
                self._set_title(page, title, old)
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
            raise BadInput(OWN_BLOCK, hint="leave the block out, or set it in a code fence")
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

    def _set_title(self, page: Page, title: str, old: str | None) -> None:
        from memgit.formats.markdown import headings

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


def _markers(text: str, start: int) -> list[Problem]:
    """The conflict markers of a text from an offset on."""
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return []
    from memgit.formats.markdown import conflict_markers

    lines = conflict_markers(text[start:], line=text.count("\n", 0, start) + 1)
    return [Problem("MG104", line, "a conflict marker was left in", True) for line in lines]


def _joined(value: Value) -> str:
    return "\n".join(value) if isinstance(value, tuple) else value or ""


def _count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n"))
