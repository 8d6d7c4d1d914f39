"""Mem Skill's upgrade of an entry file: the labels `Source` and `Related` in records that were written before
there were such labels.
"""

from __future__ import annotations

from typing import NamedTuple

from memgit.errors import MemgitError, Refused
from memgit.formats.mem_skill.entry import Entry
from memgit.formats.mem_skill.entry_file import habits_of, take_apart
from memgit.formats.mem_skill.sections import Span, fields
from memgit.formats.text import decode, encode, has_bom, newline_of, normal, split_lines

CONVERSATION = "conversation"
"""The source of a record that says nothing of it."""


class Filled(NamedTuple):
    """What became of one record, by its place among those of its file: what was added, or why nothing could
    be, with its line.
    """

    ordinal: int
    source: bool
    related: bool
    line: int = 0
    failure: str | None = None


class Backfilled(NamedTuple):
    """The file with the labels, and the records that were changed or could not be; `chinese` counts those of
    auto-skill, which has none.
    """

    data: bytes
    records: tuple[Filled, ...]
    chinese: int = 0


def backfill(data: bytes) -> Backfilled:
    """Adds `Source: conversation` under the date of each record that has no source, and an empty `Related`
    before its keywords.

    Goes record by record, so one that has the labels says nothing of the others; a second time changes
    nothing. A heading without a date is not a record of Mem Skill's and stays as it is, as does a record with
    Chinese labels.

    Raises:
        UnreadableFile: the file is not text.
        Refused: what follows a record would be read otherwise.
    """
    text = decode(data)
    file = take_apart(normal(text))
    if file.fault is not None:
        raise file.fault
    if file.markers:
        raise Refused(
            "the file has a merge conflict", line=file.markers[0], hint="resolve it, then upgrade again"
        )
    lines, newline, habits = split_lines(text), newline_of(text), habits_of(file, None)
    out: list[Filled] = []
    chinese = 0
    for ordinal, section in reversed(list(enumerate(file.records))):
        spans: list[Span] = []
        fields(file.text, file.mask, section.head, section.end, spans)
        names = {span.name: span for span in spans}
        date = names.get("created")
        if date is None or {"source", "related"} <= names.keys():
            continue
        if not date.label.isascii():
            chinese += 1
            continue
        taken = lines[section.line - 1 : section.last]
        open_end = not taken[-1].endswith("\n")
        if open_end:
            taken[-1] += newline
        entry = Entry(taken, newline, habits)
        updated = names.get("updated")
        try:
            if "source" not in names:
                below = updated is not None and updated.start == date.end + 1
                entry.backfill("source", CONVERSATION, "updated" if below else "created")
            if "related" not in names:
                entry.backfill("related", None)
        except MemgitError as error:
            out.append(Filled(ordinal, False, False, section.line, error.message))
            continue
        if open_end:
            entry.lines[-1] = entry.lines[-1].removesuffix(newline)
        lines[section.line - 1 : section.last] = entry.lines
        out.append(Filled(ordinal, "source" not in names, "related" not in names, section.line))
    whole = "".join(lines)
    if [section.title for section in take_apart(normal(whole)).sections] != [
        section.title for section in file.sections
    ]:
        raise Refused(
            "the labels would change what follows them", hint="put the next heading at the start of its line"
        )
    return Backfilled(encode(whole, has_bom(data)), tuple(reversed(out)), chinese)
