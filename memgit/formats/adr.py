"""Decision records as adr-tools, MADR and people by hand write them: the status stands in the text.

Known places, the first that a file has counts: `status` in frontmatter (MADR); a section `## Status` whose
lines say `Accepted`, `Superseded by [3. Title](0003-title.md)`, `Supersedes [1. Title](0001-title.md)`
(adr-tools, which spells both with a c); lines between the title and the first section, `* Status: accepted`,
`Date: 2026-03-02`, `**Deciders:** Ada, Bo` (MADR before version 3, adr-tools).

What the text says stays part of the body, and a change of a field changes its line there. The title keeps its
number: it is what people call the decision by, and the heading is theirs.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from memgit.errors import BadInput
from memgit.formats.blocks import outline
from memgit.formats.dialects import ADR
from memgit.formats.document import Document
from memgit.formats.frontmatter import Parts
from memgit.formats.frontmatter_block import Spell, Style
from memgit.formats.page import Page, find_body, heading, own_text, tidy
from memgit.formats.yaml import Entry
from memgit.model.ids import is_id
from memgit.model.kinds import ADR_STATUSES
from memgit.model.record import ParsedFile, Problem, Value, joined

_WORD = re.compile(rf"({'|'.join(ADR_STATUSES)}|superceded)\b", re.IGNORECASE)
_BY = re.compile(r"super[sc]eded[ \t]+by\b", re.IGNORECASE)
_OVER = re.compile(r"super[sc]edes\b", re.IGNORECASE)
_MARKER = re.compile(r"(?:[ \t]*(?:[-*+]|\d{1,9}[.)])[ \t]+|[ \t]+)?")
_STRUCK = re.compile(r"~~[^~\n]*~~[ \t]*")
_LINK = re.compile(
    r"\[\[([^\[\]|\n]+)(?:\|[^\[\]\n]*)?\]\]"
    r"|\[(?:[^\[\]\n]|\[[^\[\]\n]*\])*\]\(<?([^()<>\s]+?)>?\)"
    r"|(?<![\w/.-])([\w][\w.-]*\.md)\b"
)
_ELSEWHERE = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:|/|#")
_LABEL = re.compile(
    r"[ \t]{0,3}(?:[-*+][ \t]+)?(?P<open>\*\*|__|)(?P<label>Status|Date|Deciders|Decision[- ]makers)[ \t]*"
    r"(?::(?P=open)|(?P=open):)[ \t]*(?P<value>.*)",
    re.IGNORECASE,
)
_FIELDS = {
    "status": "status",
    "date": "created",
    "deciders": "deciders",
    "decision-makers": "deciders",
    "decision makers": "deciders",
}
_TO_FILL_IN = re.compile(r"(?:ADR[- ]?\w*:? )?(?:\{[^{}]* [^{}]*\}|\[[^\[\]]* [^\[\]]*\]|<[^<>]* [^<>]*>)")
_DAY = re.compile(r"\d{4}-\d\d-\d\d(?!\d)")
_STEM = re.compile(r"[^\s\[\]()<>#|/\\]+")


TOP_LINES = 30
"""Lines under the title among which a label is looked for; what comes later is text."""


class Line(NamedTuple):
    """One line that says something: its text without marker, and where that and the whole line lie, the line
    end included.
    """

    text: str
    start: int
    stop: int
    line: int
    end: int


class Stated(NamedTuple):
    """What the text of a decision says about it.

    Attributes:
        section: where its status section lies, heading included; None where it has none.
        content: where the lines of that section begin.
        lines: the lines of the section that say something.
        labels: field to line, of those between the title and the first section; the text is the value alone.
    """

    section: tuple[int, int] | None
    content: int
    lines: tuple[Line, ...]
    labels: Mapping[str, Line]

    @property
    def placed(self) -> bool:
        """Whether the text has a place for the status."""
        return self.section is not None or "status" in self.labels

    @property
    def fields(self) -> dict[str, Value]:
        """The fields that the text gives."""
        out: dict[str, Value] = {}
        for field, line in self.labels.items():
            if field == "deciders":
                out[field] = tuple(item.strip() for item in line.text.split(",") if item.strip())
            elif field == "created":
                day = _DAY.match(line.text)  # any other date is prose
                if day is not None:
                    out[field] = day[0]
            elif line.text:
                out[field] = line.text
        texts = (
            [line.text for line in self.lines] if self.section is not None else [str(out.pop("status", ""))]
        )
        out |= said(texts)
        return {field: value for field, value in out.items() if value}


class Adr(Document):
    """The form of decision records whose status stands in the text or in frontmatter."""

    def __init__(self) -> None:
        super().__init__(ADR)

    # Reading.

    def parse(self, data: bytes, path: str, kind: str, key: str, note_address: str) -> ParsedFile:
        """The record of one file; none in a template such as MADR's, whose title is a text in braces or
        brackets to be filled in.
        """
        found = super().parse(data, path, kind, key, note_address)
        record = found.records[0] if found.records else None
        if record is not None and record.problem is None and _TO_FILL_IN.fullmatch(record.title):
            return ParsedFile(())
        return found

    def _content(
        self, text: str, parts: Parts, entries: Mapping[str, Entry], kind: str, problems: list[Problem]
    ) -> tuple[dict[str, Value], str | None, str]:
        fields, title, body = super()._content(text, parts, entries, kind, problems)
        status = fields.get("status")
        found = stated(text, parts.body).fields
        if isinstance(status, str) and status:
            fields |= {
                name: value
                for name, value in said([status]).items()
                if name == "status" or not fields.get(name)
            }
            found = {name: value for name, value in found.items() if name not in ("status", "superseded_by")}
        fields |= {name: value for name, value in found.items() if not fields.get(name)}
        return fields, title, body

    # Writing.

    def _pairs(
        self, kind: str, title: str, fields: Mapping[str, Value]
    ) -> list[tuple[str, Value, Style, Spell]]:
        return [pair for pair in super()._pairs(kind, title, fields) if pair[0] != "title"]

    def _new_body(self, kind: str, title: str, body: str, fields: Mapping[str, Value]) -> str:
        return f"\n# {heading(title)}\n" + (f"\n{body}\n" if body else "")

    def _set_body(self, page: Page, new: str) -> None:
        """Sets the text; what the old one says about the decision stays where the new one does not say it."""
        old = stated(page.text, page.body)
        new = own_text(new, self._title(page))
        super()._set_body(
            page, kept(page.text, old, new) if old.placed and not stated(new, 0).placed else new
        )

    def _set_field(self, page: Page, field: str, value: Value) -> None:
        if field == "superseded_by" and isinstance(value, str):
            value = name_in(value)
        elif field == "supersedes":
            value = tuple(map(name_in, (value,) if isinstance(value, str) else value or ()))
        held = page.entries.get(self.dialect.key("decision", field, page.entries))
        there = page.entries.get("status")
        if (
            there is not None
            and isinstance(there.value, str)
            and there.value
            and field in ("status", "superseded_by")
        ):
            read = said([there.value])
            if field == "status" and value == read.get("status"):
                return
            if field == "superseded_by" and read.get("superseded_by"):
                if value == read["superseded_by"] and held is None:
                    return
                super()._set_field(page, "status", "superseded")
        elif held is None and field in ("status", "superseded_by", "supersedes", "created", "deciders"):
            found = stated(page.text, page.body)
            if (value or None) == (found.fields.get(field) or None):
                return
            if self._state(page, found, field, value):
                if (value or None) != (stated(page.text, page.body).fields.get(field) or None):
                    raise BadInput(f"{field} would not read back as it was given: {value!r}")
                return
        super()._set_field(page, field, value)

    def _state(self, page: Page, found: Stated, field: str, value: Value) -> bool:
        """Changes what the text says about a field; False where it says nothing and has no place for it."""
        if field == "supersedes":
            items = (value,) if isinstance(value, str) else value or ()
            return (
                found.section is not None and bool(found.lines) and self._put_supersedes(page, found, items)
            )
        text = joined(value)
        if "\n" in text:
            raise BadInput(f"{field} is one line")
        if field in ("created", "deciders"):
            if field not in found.labels:
                return False
            self._put_line(page, found.labels[field], text)
            return True
        if not found.placed:
            return False
        if field == "superseded_by":
            text = f"superseded by {link_to(text)}" if text else "superseded"
        lines = found.lines if found.section is not None else (found.labels["status"],)
        self._put_status(page, found, lines, text)
        return True

    def _put_status(self, page: Page, found: Stated, lines: tuple[Line, ...], text: str) -> None:
        """Says the status in the line that says it, or under the heading; a line that says who supersedes the
        decision goes with it.
        """
        over = [line for line in lines if _BY.match(_unstruck(line.text))]
        target = next(
            (
                line
                for line in (over if text.startswith("superseded") else ()) or lines
                if says_status(line.text)
            ),
            None,
        )
        # From the last to the first, so that the places before stay right.
        for line in reversed(over):
            if line != target and text:
                _drop(page, line)
        if target is not None:
            self._put_line(page, target, text if target.text[:1].islower() else text[:1].upper() + text[1:])
        elif text and found.section is not None:
            after = page.text[found.content :].split("\n", 1)[0].strip()
            gap = page.newline if found.content and page.text[found.content - 1] == "\n" else page.newline * 2
            written = f"{gap}{text[:1].upper()}{text[1:]}{page.newline}"
            page.put_text(found.content, found.content, written + (page.newline if after else ""))

    def _put_supersedes(self, page: Page, found: Stated, items: tuple[str, ...]) -> bool:
        """One line each for the decisions that this one supersedes, below the others."""
        said_by = [(line, targets(line.text)) for line in found.lines if _OVER.match(line.text)]
        missing = [item for item in items if not any(item in there for _, there in said_by)]
        last = found.lines[-1]
        added = "".join(f"{page.newline * 2}Supersedes {link_to(item)}" for item in missing)
        page.put_text(last.stop, last.stop, added)
        for line, there in reversed(said_by):
            staying = [item for item in there if item in items]
            if staying and staying != list(there):
                self._put_line(page, line, "Supersedes " + ", ".join(map(link_to, staying)))
            elif not staying:
                _drop(page, line)
        return True

    def _put_line(self, page: Page, line: Line, text: str) -> None:
        page.put_text(line.start, line.stop, text)


def stated(text: str, start: int) -> Stated:
    """What the text of a decision, from an offset on, says about it."""
    low = text.casefold()
    if "status" not in low and "date" not in low and "deci" not in low:
        return Stated(None, 0, (), {})
    seen = outline(text[start:])
    heads = seen.headings
    hidden = [(start + one.start, start + one.end) for one in seen.hidden]
    section: tuple[int, int] | None = None
    content, lines = 0, tuple[Line, ...]()
    for number, head in enumerate(heads):
        if head.title.rstrip(": \t").casefold() == "status":
            end = start + heads[number + 1].start if number + 1 < len(heads) else len(text)
            section, content = (start + head.start, end), _next_line(text, start + head.end)
            lines = tuple(line for line in _lines(text, content, end, hidden) if _unstruck(line.text))
            break
    title = find_body(text, start, None)
    above = title.heading[1] if title.own else start
    first = next((start + head.start for head in heads if start + head.start >= above), len(text))
    labels: dict[str, Line] = {}
    for line in islice(_lines(text, above, first, hidden, marked=True), TOP_LINES):
        match = _LABEL.fullmatch(line.text)
        if match is not None:
            field = _FIELDS[match["label"].lower()]
            at = line.start + match.start("value")
            labels.setdefault(
                field,
                Line(match["value"].rstrip(), at, at + len(match["value"].rstrip()), line.line, line.end),
            )
    if section is not None:
        labels.pop("status", None)
    return Stated(section, content, lines, labels)


def said(texts: list[str]) -> dict[str, Value]:
    """The fields that the lines of a status give.

    A word that adr-tools and MADR know is in lower case, any other text as typed.
    """
    out: dict[str, Value] = {}
    over: list[str] = []
    for typed in texts:
        text = _unstruck(typed)
        match = _WORD.match(text)
        if _OVER.match(text):
            over += targets(text)
        elif match is not None:
            word = match[1].lower().replace("superceded", "superseded")
            if word == "superseded" or "status" not in out or out["status"] not in ADR_STATUSES:
                out["status"] = word
            if _BY.match(text):
                out.setdefault("superseded_by", next(iter(targets(text)), None))
        elif says_status(text):
            out.setdefault("status", text)
    if over:
        out["supersedes"] = tuple(dict.fromkeys(over))
    return out


def says_status(text: str) -> bool:
    """Whether a line says a status: it is no `Supersedes`, and no other relation such as `Amends [2.

    Title](0002-title.md)`.
    """
    text = _unstruck(text)
    return bool(text) and not _OVER.match(text) and (_WORD.match(text) is not None or not targets(text))


def targets(text: str) -> list[str]:
    """The names of the files that the links of a line lead to, in the order of the line; links that leave the
    folder tree are left out.
    """
    out: list[str] = []
    for wiki, target, name in _LINK.findall(text):
        path = target.partition("#")[0]
        if wiki:
            out.append(wiki.strip().removesuffix(".md"))
        elif name or (path.endswith(".md") and not _ELSEWHERE.match(path)):
            out.append(_decoded(name or path).rpartition("/")[2].removesuffix(".md"))
    return list(dict.fromkeys(out))


def name_in(text: str) -> str:
    """The name of a decision from how a person gives it: a name, an address, a wikilink."""
    return (
        text.strip()
        .removeprefix("[[")
        .removesuffix("]]")
        .strip()
        .removeprefix("decision/")
        .removesuffix(".md")
    )


def link_to(name: str) -> str:
    """A link to a decision as it stands in a line of a status.

    Raises:
        BadInput: the name cannot stand in a link.
    """
    inner = name_in(name)
    if _STEM.fullmatch(inner) and not is_id(inner):
        return f"[{inner}]({inner}.md)"
    if not inner or any(char in inner for char in "[]|\n"):
        raise BadInput(
            f"{name!r} cannot be linked to", hint="give the file name of the decision, or its address"
        )
    return f"[[{inner}]]"


def kept(text: str, old: Stated, new: str) -> str:
    """A new body with what the old text says about the decision: the section before the first of its level,
    the lines at the top.
    """
    if old.section is None:
        lines = "\n".join(
            text[line.line : line.end].rstrip("\r\n")
            for line in sorted(old.labels.values(), key=lambda line: line.line)
        )
        return f"{lines}\n\n{new}" if new else lines
    section = tidy(text[old.section[0] : old.section[1]])
    level = len(section) - len(section.lstrip("#")) or 2
    at = next((head.start for head in outline(new).headings if head.level <= level), len(new))
    return "\n\n".join(part for part in (new[:at].rstrip("\n"), section, new[at:]) if part)


def without(body: str) -> str:
    """A body without what its fields say as well, for a form that has fields for that; a section that says
    more stays whole.
    """
    found = stated(body, 0)
    spans = [
        (line.line, line.end)
        for field, line in found.labels.items()
        if field == "deciders" or _DAY.fullmatch(line.text) or _plain(line)
    ]
    if found.section is not None and all(map(_plain, found.lines)):
        start, end = found.section
        written = [line for line in body[found.content : end].split("\n") if line.strip()]
        if len(written) == len(found.lines):
            spans.append((start, end))
    for start, end in sorted(spans, reverse=True):
        body = body[:start] + body[end:]
    return tidy(body)


def _plain(line: Line) -> bool:
    """Whether a line says a status, or what is superseded, and nothing more."""
    text = _unstruck(line.text)
    relation = _BY.match(text) or _OVER.match(text)
    if relation is not None and targets(text):
        return not _LINK.sub("", text[relation.end() :]).replace(" and ", "").strip(" \t,:;.")
    return text.rstrip(".").lower() in ADR_STATUSES and text == line.text.strip()


def _lines(
    text: str, start: int, end: int, hidden: list[tuple[int, int]], *, marked: bool = False
) -> Iterator[Line]:
    """The lines that say something between two offsets, without what code and comments hide; `marked` leaves
    list markers on.
    """
    over = iter(hidden)
    blind = next(over, None)
    while start < end:
        stop = text.find("\n", start, end)
        stop = end if stop < 0 else stop
        line = text[start:stop]
        match = None if marked else _MARKER.match(line)
        first = match.end() if match is not None else 0
        body = line[first:].rstrip(" \t\r")
        while blind is not None and blind[1] <= start:
            blind = next(over, None)
        if body and (blind is None or start < blind[0]):
            yield Line(body, start + first, start + first + len(body), start, min(stop + 1, end))
        start = stop + 1


def _drop(page: Page, line: Line) -> None:
    """Takes a line out, and one of two blank lines that would then follow each other."""
    before, after = page.text[: line.line], page.text[line.end :]
    blank = before.endswith(("\n\n", "\n\r\n")) and (not after or after.startswith(("\n", "\r\n")))
    start = before.rindex("\n", 0, line.line - 1) + 1 if blank else line.line
    page.put_text(start, line.end, "")


def _unstruck(text: str) -> str:
    """A line without what is struck through, and without emphasis around it."""
    return _STRUCK.sub("", text).strip(" \t*_`")


def _next_line(text: str, at: int) -> int:
    end = text.find("\n", at)
    return len(text) if end < 0 else end + 1


def _decoded(path: str) -> str:
    if "%" not in path:
        return path
    return unquote(path)
