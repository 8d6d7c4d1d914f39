"""Documents of a memory vault: links in a section `## Connections`, earlier text under `## History`, a
tombstone for archiving.

The oldest variant (F0) has no frontmatter: `# Memory: Title`, then `**Label**: value` lines with the colon
outside the bold. Its labels are read and written in place of keys. See FORMATS, memory vaults.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import NamedTuple

from memgit.errors import BadInput
from memgit.formats import markdown
from memgit.formats.dialects import MANY, VAULT, fields_of, read_items
from memgit.formats.document import Document
from memgit.formats.frontmatter import Parts
from memgit.formats.page import Body, Page, find_body, heading, own_text, text_span, tidy
from memgit.formats.yaml import Entry
from memgit.model.kinds import FIELDS
from memgit.model.record import Problem, Value

COMMENT = "<!-- Add links to related memories using [[filename]] syntax -->"
TOMBSTONED = "tombstoned"
MERGED = "merged_into:"
"""What a `tombstone_reason` begins with where the memory was merged into another; the id of that one follows.
"""
_PREFIX = "Memory: "
_LABEL = r"\*\*([^*:\n]+)\*\*:[ \t]*([^\r\n]*)(\r?\n|$)"
_ITEM = r"[ \t]*[-*+][ \t]"
_PURE = r"[ \t]*[-*+][ \t]+\[\[[^\[\]]*\]\][ \t]*"


class Section(NamedTuple):
    """A section in offsets of the file's text: its heading's line, where its content begins, where it ends."""

    start: int
    content: int
    end: int


class Label(NamedTuple):
    """A `**Label**: value` line: its name as a key, its value, and where the value and the line lie."""

    value: str
    start: int
    stop: int
    line: int
    end: int


class Vault(Document):
    """The form of a vault's memories."""

    def __init__(self) -> None:
        super().__init__(VAULT)

    # Reading.

    def _content(
        self, text: str, parts: Parts, entries: Mapping[str, Entry], kind: str, problems: list[Problem]
    ) -> tuple[dict[str, Value], str | None, str]:
        fields, title, body = self._parts(text, parts.body, entries, problems, parts.block is None)
        section = connections(text, body.start)
        if section is not None:
            found = [inner for inner, _, _ in links_in(text, section)]
            own = fields.get("related")
            fields["related"] = tuple(dict.fromkeys([*(own if isinstance(own, tuple) else ()), *found]))
            prose = prose_in(text, section)
            if prose:
                fields["connections"] = prose
        if fields.get("status") == TOMBSTONED:
            fields["archived"] = fields.get("archived") or TOMBSTONED
        elif "tombstoned_at" in entries and "archived" not in entries:
            fields["tombstoned_at"] = fields.pop("archived")
        reason = fields.get("tombstone_reason")
        if fields.get("archived") and isinstance(reason, str) and reason.startswith(MERGED):
            fields.setdefault("merged_into", reason.removeprefix(MERGED).strip())
        return fields, title, join_body(text, body, section)

    def _parts(
        self, text: str, start: int, entries: Mapping[str, Entry], problems: list[Problem], labelled: bool
    ) -> tuple[dict[str, Value], str | None, Body]:
        """Fields, title and the place of the text, with labels in place of keys where there is no block."""
        fields = self._fields(entries, "memory", problems)
        title = fields.get("title")
        body = find_body(text, start, title if isinstance(title, str) else None)
        if not labelled or not body.own or body.title is None:
            return fields, title if isinstance(title, str) else body.title, body
        labels = labels_at(text, body.start)
        known = fields_of(VAULT.name, "memory")
        for key, label in labels.items():
            field = known.get(key)
            fields.setdefault(
                field or key, read_items(field, key, label.value) if field in MANY else unboxed(label.value)
            )
        named = body.title.removeprefix(_PREFIX) if body.title.startswith(_PREFIX) or labels else body.title
        if labels:
            body = body._replace(start=max(label.end for label in labels.values()))
        return fields, named, body

    # Writing.

    def _new_body(self, kind: str, title: str, body: str, fields: Mapping[str, Value]) -> str:
        related = fields.get("related") or ()
        targets = (related,) if isinstance(related, str) else related
        text = f"\n# {heading(title)}\n\n" + (f"{body}\n\n" if body else "")
        if connections(text, 0) is None:
            prose = fields.get("connections")
            text += f"## Connections\n{COMMENT}\n" + (
                f"\n{tidy(prose)}\n" if isinstance(prose, str) else "\n" if targets else ""
            )
        else:
            text = text.rstrip("\n") + "\n"
        section = connections(text, 0)
        linked = {inner for inner, _, _ in links_in(text, section)} if section is not None else set()
        return text + "".join(f"- [[{target}]]\n" for target in targets if target not in linked)

    def _spread(self, name: str, value: Value, page: Page | None) -> list[tuple[str, Value]]:
        if name == "archived" and (page is None or "archived" not in self._keys(page)):
            if value:
                present = page is not None and self._value(page, "tombstone_reason")
                reason: list[tuple[str, Value]] = [] if present else [("tombstone_reason", "purge")]
                return [("status", TOMBSTONED), ("archived", value), *reason]
            gone: list[tuple[str, Value]] = [("archived", None), ("tombstone_reason", None)]
            return (
                [("status", None), *gone]
                if page is not None and self._value(page, "status") == TOMBSTONED
                else gone
            )
        if name == "merged_into":
            return [("tombstone_reason", f"{MERGED}{value}" if value else None)]
        if name in ("related", "connections") and page is None:
            return []
        return [(name, value)]

    def edit(self, data: bytes, ordinal: int, changes: Mapping[str, Value]) -> bytes:
        # A reason that comes with a tombstone stands in place of the usual one.
        for name in ("tombstone_reason", "merged_into"):
            if changes.get("archived") and changes.get(name):
                changes = {name: changes[name], **changes}
        return super().edit(data, ordinal, changes)

    def replace(self, data: bytes, ordinal: int, body: str, date: str) -> bytes:
        """The file with another body; the old one moves under `## History`, `### Previous Version (date)`,
        the newest first.
        """
        page = self._page(data, ordinal)
        present = self._body(page)
        history = level_two(present, "History")
        old = present
        past = ""
        if history is not None:
            old = tidy(present[: history.start] + "\n" + present[history.end :])
            past = tidy(present[history.content : history.end])
        new = own_text(body, self._title(page))
        if new in (old, present):
            return data
        self._closed(page)
        versions = [f"### Previous Version ({date})\n\n{demoted(old)}"] if old else []
        parts = [new, "## History", *versions, past] if versions or past else [new]
        self._set_body(page, "\n\n".join(part for part in parts if part))
        return page.encode()

    def _title(self, page: Page) -> str | None:
        _, title, _ = self._parts(page.text, page.body, page.entries, [], page.block is None)
        return title

    def _place(self, page: Page) -> tuple[Body, Section | None]:
        _, _, body = self._parts(page.text, page.body, page.entries, [], page.block is None)
        return body, connections(page.text, body.start)

    def _body(self, page: Page) -> str:
        return join_body(page.text, *self._place(page))

    def _set_body(self, page: Page, new: str) -> None:
        new = own_text(new, self._title(page))
        if new == self._body(page):
            return
        body, section = self._place(page)
        main = new
        if section is not None:
            below = tidy(page.text[section.end :])
            if below and (new == below or new.endswith("\n\n" + below)):
                main = new[: -len(below)].rstrip("\n")
            elif below:
                page.graft(section.end, len(page.text), "")
        page.graft(body.start, section.start if section is not None else len(page.text), main)
        if self._body(page) != new:
            raise BadInput(
                "the text would not read back as it was given",
                hint="leave out a heading `## Connections`: links are a field",
            )

    def _set_title(self, page: Page, title: str, old: str | None) -> None:
        if page.block is None:
            found = find_body(page.text, page.body, None)
            if found.title is not None and found.title.startswith(_PREFIX) and found.own:
                page.put_heading(*found.heading, heading(_PREFIX + title))
                return
        super()._set_title(page, title, old)

    def _keys(self, page: Page) -> Mapping[str, object]:
        return page.entries if page.block is not None else self._labels(page)

    def _value(self, page: Page, key: str) -> Value:
        if page.block is not None:
            entry = page.entries.get(key)
            return entry.value if entry is not None else None
        label = self._labels(page).get(key)
        return label.value if label is not None else None

    def _labels(self, page: Page) -> dict[str, Label]:
        if page.block is not None:
            return {}
        body = find_body(page.text, page.body, None)
        return labels_at(page.text, body.start) if body.own else {}

    def _set_field(self, page: Page, field: str, value: Value) -> None:
        if field == "related":
            self._set_related(page, self._as_file(field, value, None))
            return
        if field == "connections":
            raise BadInput("the prose of a Connections section is not a field to set", hint="edit the file")
        labels = self._labels(page)
        if not labels:
            super()._set_field(page, field, value)
            return
        key = VAULT.key("memory", field, labels) if field in FIELDS else field
        if field == "created" and key not in labels:
            key = "date"
        label = labels.get(key)
        old = label.value if label is not None else ""
        new = self._as_file(field, value, old)
        if (new or None) == ((read_items(field, key, old) if field in MANY else unboxed(old)) or None):
            return
        text = page.text
        if not new:
            if label is not None:
                page.put_text(label.line, label.end, "")
            return
        written = " ".join((_listed(field, key, new) if isinstance(new, tuple) else new).split())
        if label is not None and not isinstance(new, tuple) and unboxed(label.value) != label.value:
            written = f"[{written}]"
        if label is not None:
            page.put_text(label.start, label.stop, written)
        else:
            last = max(labels.values(), key=lambda found: found.end)
            gap = "" if text[last.line : last.end].endswith("\n") else page.newline
            page.put_text(
                last.end,
                last.end,
                f"{gap}**{key.replace('_', ' ').capitalize()}**: {written}{page.newline if not gap else ''}",
            )
        read = self._value(page, key)
        if (read_items(field, key, read) if isinstance(new, tuple) else read) != (
            new if isinstance(new, tuple) else written
        ):
            raise BadInput(f"{field} cannot be written on one line", hint="give the file a frontmatter block")

    def _set_related(self, page: Page, wanted: Value) -> None:
        targets = (wanted,) if isinstance(wanted, str) else wanted or ()
        section = self._place(page)[1]
        linked = (
            list(dict.fromkeys(inner for inner, _, _ in links_in(page.text, section)))
            if section is not None
            else []
        )
        entry = page.entries.get("related")
        keyed = read_items("related", "related", entry.value) if entry is not None else ()
        if entry is not None and any(item not in targets for item in keyed):
            super()._set_field(page, "related", tuple(item for item in keyed if item in targets))
        for inner in linked:
            if inner not in targets:
                self._unlink(page, inner)
        new = [target for target in dict.fromkeys(targets) if target not in linked and target not in keyed]
        for target in new:
            if not target.strip() or any(mark in target for mark in ("[", "]", "\n")):
                raise BadInput(f"no link can name {target!r}")
        if new:
            self._link(page, new)
            section = self._place(page)[1]
            found = {inner for inner, _, _ in links_in(page.text, section)} if section is not None else set()
            for target in new:
                if target not in found:
                    raise BadInput(f"no link can name {target!r}")

    def _unlink(self, page: Page, inner: str) -> None:
        """Takes a link out of the Connections section: its list item, or the link alone where the item holds
        others.
        """
        while True:
            text = page.text
            section = self._place(page)[1]
            found = (
                next((link for link in links_in(text, section) if link[0] == inner), None)
                if section is not None
                else None
            )
            if section is None or found is None:
                return
            _, start, end = found
            line = text.rfind("\n", 0, start) + 1
            stop = text.find("\n", end) + 1 or len(text)
            others = [link for link in links_in(text, section) if line <= link[1] < stop and link[1] != start]
            if re.compile(_ITEM).match(text, line) and not others:
                while (
                    stop < section.end
                    and text[stop] in " \t"
                    and not re.compile(_ITEM).match(text, stop)
                    and text[stop : text.find("\n", stop)].strip()
                ):
                    stop = text.find("\n", stop) + 1 or len(text)
                page.put_text(line, stop, "")
                continue
            before = re.compile(r"[ \t]*,?[ \t]*$").search(text, line, start)
            after = re.compile(r"[ \t]*,[ \t]*").match(text, end)
            page.put_text(
                start if after else before.start() if before else start, after.end() if after else end, ""
            )

    def _link(self, page: Page, targets: list[str]) -> None:
        """Adds list items with links at the end of the Connections section, which is made where there is
        none.
        """
        text = page.text
        section = self._place(page)[1]
        nl = page.newline
        items = nl.join(f"- [[{target}]]" for target in targets)
        if section is None:
            self._closed(page)
            first, last = text_span(text[page.body :])
            end = page.body + last
            new = (nl + nl if last > first else "") + f"## Connections{nl}{COMMENT}{nl}{nl}{items}"
            rest = text[end:]
            page.put_text(end, len(text), new + (rest or ("" if last > first else nl)))
            return
        first, last = text_span(text[section.content : section.end])
        end = section.content + last
        line = text.rfind("\n", 0, end) + 1
        listed = last > first and re.compile(_ITEM).match(text, max(line, section.content)) is not None
        margin = ""
        if last == first:
            end = section.content
            gap = "" if text[:end].endswith("\n") else nl
            page.put_text(end, end, f"{gap}{items}{nl if not gap else ''}")
            return
        margin = nl if listed else nl + nl
        page.put_text(end, end, margin + items)


def unboxed(text: str) -> str:
    """A label's value without the brackets around the whole of it."""
    return text[1:-1].strip() if text[:1] == "[" and text[-1:] == "]" else text


def _listed(field: str, key: str, items: tuple[str, ...]) -> str:
    """A list on one line: `a, b`, or as JSON where an item holds a comma."""
    text = ", ".join(items)
    if read_items(field, key, text) == items:
        return text
    return json.dumps(items, ensure_ascii=False)


def labels_at(text: str, start: int) -> dict[str, Label]:
    """The label lines that a text begins with, blank lines before them aside, from an offset on."""
    found: dict[str, Label] = {}
    position = start
    while True:
        match = re.compile(_LABEL).match(text, position)
        if match is None:
            blank = re.compile(r"[ \t]*\r?\n").match(text, position)
            if blank is None or found:
                return found
            position = blank.end()
            continue
        key = "_".join(match[1].lower().split())
        found.setdefault(
            key,
            Label(
                match[2].rstrip(),
                match.start(2),
                match.start(2) + len(match[2].rstrip()),
                match.start(),
                match.end(),
            ),
        )
        position = match.end()
        if match.start() == match.end():
            return found


def connections(text: str, start: int) -> Section | None:
    """The last section `## Connections` of a text from an offset on."""
    if "onnections" not in text:
        return None
    return level_two(text[start:], "Connections", start)


def level_two(text: str, title: str, offset: int = 0) -> Section | None:
    """The last section of level two with a title, in offsets counted from `offset`."""
    found: Section | None = None
    wanted = title.lower()
    open_ = False
    for head in markdown.headings(text):
        if open_ and found is not None and head.level <= 2:
            found = found._replace(end=head.start + offset)
            open_ = False
        if head.level == 2 and head.title.lower() == wanted:
            end = text.find("\n", head.end) + 1 or len(text)
            found = Section(head.start + offset, end + offset, len(text) + offset)
            open_ = True
    return found


def links_in(text: str, section: Section) -> list[tuple[str, int, int]]:
    """The links of a section: what stands between the brackets, and where the brackets begin and end."""
    found = markdown.find_wikilinks(text[section.content : section.end])
    return [
        (
            text[section.content + link.start + 2 : section.content + link.end - 2].strip(),
            section.content + link.start,
            section.content + link.end,
        )
        for link in found
    ]


def prose_in(text: str, section: Section) -> str:
    """The lines of a Connections section that say more than a link."""
    lines = text[section.content : section.end].replace("\r\n", "\n").split("\n")
    return "\n".join(
        line
        for line in lines
        if line.strip() and not re.fullmatch(_PURE, line) and not line.lstrip().startswith("<!--")
    )


def join_body(text: str, body: Body, section: Section | None) -> str:
    """The text of a memory: what stands before and after its Connections."""
    if section is None:
        return tidy(text[body.start : body.end])
    main, below = tidy(text[body.start : section.start]), tidy(text[section.end :])
    return f"{main}\n\n{below}" if main and below else main or below


def demoted(text: str) -> str:
    """A text whose headings all lie deeper than level three, so that it can stand under one."""
    out: list[str] = []
    position = 0
    for head in markdown.headings(text):
        out += (text[position : head.start], "#" * max(4, min(6, head.level + 2)) + " " + heading(head.title))
        position = head.end
    return "".join((*out, text[position:]))
