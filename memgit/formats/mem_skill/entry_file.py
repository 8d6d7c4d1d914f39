"""An entry file taken apart: its sections, its conflicts, and how it writes records."""

from __future__ import annotations

from bisect import bisect_left, bisect_right

from memgit import TYPE_CHECKING
from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.blocks import Outline, conflict_markers, outline
from memgit.formats.mem_skill import titles
from memgit.formats.mem_skill.compose import Habits
from memgit.formats.mem_skill.labels import LABELS, SOLUTION, written
from memgit.formats.mem_skill.sections import Section, Span, content_end, fields, hide, sections
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence


LOOK_BACK = 20
"""How many records at the end of a file show how it writes them."""


class EntryFile(NamedTuple):
    """An entry file taken apart.

    Places are characters of `text`, which has `\\n` for every line end and no byte order mark.
    """

    text: str
    mask: str
    outline: Outline
    sections: tuple[Section, ...]
    body: int
    fault: UnreadableFile | None
    conflicts: tuple[tuple[int, int], ...]
    markers: tuple[int, ...]

    @property
    def records(self) -> list[Section]:
        return [section for section in self.sections if section.record]


def take_apart(text: str) -> EntryFile:
    """Takes a text apart, frontmatter first."""
    start, fault, line = 0, None, 1
    rest = text
    if text.startswith("---"):
        parts = frontmatter.split(text)
        start, fault = parts.body, parts.fault
        rest = text[start:]
        line += text.count("\n", 0, start)
    found = outline(rest, setext=False, line=line)
    mask = hide(rest, found)
    if start:
        found = Outline(
            [
                heading._replace(start=heading.start + start, end=heading.end + start)
                for heading in found.headings
            ],
            found.hidden,
            found.unclosed,
        )
        mask = "\0" * start + mask
    markers = tuple(conflict_markers(rest, line=line))
    parts_ = tuple(sections(text, mask, found))
    if not markers:
        return EntryFile(text, mask, found, parts_, start, fault, (), ())
    conflicts = _conflicts(text, markers)
    return EntryFile(
        text,
        mask,
        found,
        tuple(_before_conflict(text, mask, section, markers) for section in parts_),
        start,
        fault,
        conflicts,
        markers,
    )


def _conflicts(text: str, markers: Iterable[int]) -> tuple[tuple[int, int], ...]:
    """The conflicts of a text as first and last line; one without end reaches to the end of the text."""
    lines = text.split("\n")
    out: list[tuple[int, int]] = []
    opened = 0
    for line in markers:
        mark = lines[line - 1][0]
        if mark == "<" and not opened:
            opened = line
        elif mark == ">":
            out.append((opened or line, line))
            opened = 0
    if opened:
        out.append((opened, len(lines)))
    return tuple(out)


def conflict_of(file: EntryFile, section: Section) -> int | None:
    """The first line of a conflict that a section is part of."""
    place = bisect_left(file.conflicts, section.line, key=lambda conflict: conflict[1])
    if place < len(file.conflicts) and file.conflicts[place][0] <= section.last:
        return file.conflicts[place][0]
    return None


def _before_conflict(text: str, mask: str, section: Section, markers: Sequence[int]) -> Section:
    """A section without a marker at its end that opens a conflict over the sections that follow."""
    place = bisect_right(markers, section.line)
    if markers[place : place + 1] != (section.last,):
        return section
    start = text.rfind("\n", section.head, section.end)
    if not text.startswith("<", start + 1):
        return section
    end = content_end(text, mask, section.head, start + 1)
    return section._replace(end=end, last=section.line + text.count("\n", section.start, end))


class Manner(NamedTuple):
    """How one record is written: its fields (name, label, whether a wide colon follows), a blank line below
    its title, a mark before it.
    """

    fields: tuple[tuple[str, str, bool], ...]
    blank: bool
    marked: bool


def manner_of(file: EntryFile, section: Section) -> Manner:
    text = file.text
    spans: list[Span] = []
    fields(text, file.mask, section.head, section.end, spans)
    return Manner(
        tuple((span.name, span.label, text[span.start + 2 + len(span.label)] == "：") for span in spans),
        not text[section.head + 1 : section.end + 1].partition("\n")[0].strip(" \t"),
        titles.MARK in text[section.start : section.start + 8],
    )


def habits_of(file: EntryFile, kind: str | None) -> Habits:
    """How a file writes records, from the last ones in it.

    `kind` is that of the new record, None for what the file tells.
    """
    return habits_from(
        [manner_of(file, section) for section in file.records[-LOOK_BACK:]], kind, lambda: file.text
    )


def habits_from(manners: Iterable[Manner], kind: str | None, text: Callable[[], str]) -> Habits:
    """The habits that the last records of a file show; `text` gives the file."""
    full = [manner for manner in manners if manner.fields]
    spans = [span for manner in full for span in manner.fields]
    chinese = sum(wide for _, _, wide in spans) * 2 > len(spans)
    if not spans:
        known = text()
        # what auto-skill writes into a category before its first record
        chinese = "最佳實踐" in known or "新的經驗條目" in known
    labels: dict[str, str] = {}
    bodies = [label for name, label, _ in spans if name == "body"]
    experience = kind == "experience" or (kind is None and any(name == "skill" for name, _, _ in spans))
    for name, label in LABELS.items():
        labels[name] = written(SOLUTION if name == "body" and experience else label, chinese)
    for name, typed, wide in spans:
        if name != "body" and wide == chinese:
            labels[name] = f"**{typed}{'：' if chinese else ':'}**"
    if bodies and labels["body"][2:-3] not in bodies:
        labels["body"] = f"**{max(bodies, key=bodies.count)}{'：' if chinese else ':'}**"
    related = any(name == "related" for name, _, _ in spans) if spans else not chinese
    blank = sum(manner.blank for manner in full) * 2 > len(full)
    marked = sum(manner.marked for manner in full) * 2 > len(full) if full else chinese
    return Habits(labels, blank, marked, related)
