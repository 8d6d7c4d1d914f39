"""Files without what memgit alone writes into them, for a system that has no such fields."""

from __future__ import annotations

from memgit.errors import MemgitError
from memgit.formats.codecs import form_named
from memgit.formats.mem_skill.entries import set_meta
from memgit.formats.mem_skill.entry_file import take_apart
from memgit.formats.mem_skill.sections import Span, fields
from memgit.formats.text import decode, encode, has_bom, normal, split_lines
from memgit.model.ids import is_id
from memgit.model.record import Record


def plain_entries(data: bytes) -> tuple[bytes, int]:
    """An entry file without the label `Id` of its records and without name and keywords in frontmatter, and
    how many records had an id.

    A file that cannot be understood comes back as it is.
    """
    try:
        text = decode(data)
        file = take_apart(normal(text))
        if file.fault is not None or file.markers:
            return data, 0
        drop: list[int] = []
        for section in file.records:
            spans: list[Span] = []
            fields(file.text, file.mask, section.head, section.end, spans)
            drop += [
                file.text.count("\n", 0, span.start)
                for span in spans
                if span.name == "id" and is_id(str(span.value or ""))
            ]
        if drop:
            lines = split_lines(text)
            ended = lines[-1].endswith("\n")
            for number in reversed(drop):
                del lines[number]
            text = "".join(lines)
            text = text if ended or not text.endswith("\n") else text.rstrip("\r\n")
            data = encode(text, has_bom(data))
        return set_meta(data, {"name": None, "keywords": None}), len(drop)
    except MemgitError:
        return data, 0


def plain_document(data: bytes, record: Record, form: str) -> bytes:
    """A document without the id and the origin that memgit gave it; one without these, or that cannot be
    changed, as it is.
    """
    if not is_id(record.id or ""):
        return data
    try:
        return form_named(form).edit(data, 0, {"id": None, "derived_from": None})
    except MemgitError:
        return data
