"""How the records of one file are written: its keys or labels, what each became, and which known variant that
is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from memgit.formats import frontmatter
from memgit.formats.adr import stated
from memgit.formats.dialects import fields_of
from memgit.formats.frontmatter import Parts
from memgit.formats.mem_skill.entry_file import take_apart
from memgit.formats.mem_skill.labels import NAMES
from memgit.formats.mem_skill.sections import Span, fields
from memgit.formats.mnema_block import SHAPES
from memgit.formats.text import normal
from memgit.formats.vault import labels_at
from memgit.model.kinds import FIELDS
from memgit.model.layout import Place

_KEY = re.compile(
    r"^(?:\"([^\"\n]+)\"|'([^'\n]+)'|([^\s#\-\[{\"'][^:\n]*?))[ \t]*:(?=[ \t\r]|$)", re.MULTILINE
)
_INNER = re.compile(r"^  ([A-Za-z_][\w-]*)[ \t]*:(?=[ \t\r]|$)", re.MULTILINE)
_BLOCK = re.compile(r"^mnema:[ \t]*\r?$", re.MULTILINE)
_TEXTS = {piece.key: "body" for shape in SHAPES.values() for piece in shape}
"""The keys of a mirror that hold parts of a text."""


_LABELS = {"status": "Status:", "created": "Date:", "deciders": "Deciders:"}
"""The labels under the title of a decision, by field."""


class Shape(NamedTuple):
    """One record: its variant in words, empty where there is but one, and its keys with the canonical field
    of each, None for others.
    """

    variant: str
    keys: tuple[tuple[str, str | None], ...]


def of_document(text: str, place: Place) -> Shape:
    """The shape of a document, from its text without byte order mark."""
    parts = frontmatter.split(text)
    if place.form == "adr":
        return _of_decision(text, parts, fields_of("adr", place.kind))
    if parts.block is None:
        if place.form == "vault":
            labels = _vault_labels(text)
            known = fields_of("vault", place.kind)
            return Shape("F0: labels, no frontmatter", tuple((label, known.get(label)) for label in labels))
        return Shape("no frontmatter", ())
    keys = keys_of(parts.block)
    dialect = place.form
    variant = "frontmatter"
    if place.form == "mnema-block":
        mirrored = _BLOCK.search(parts.block) is not None
        variant = "writer B: one mnema: key" if mirrored else "written by hand"
        if mirrored:
            keys = [key for key in keys if key != "mnema"] + list(dict.fromkeys(_INNER.findall(parts.block)))
        dialect = "mnema-block" if mirrored else "memgit"
    elif place.form == "mnema":
        variant = "writer A: plain keys"
    elif place.form == "vault":
        variant = _vault_variant(keys)
    known = (
        {**_TEXTS, **fields_of(dialect, place.kind)}
        if dialect == "mnema-block"
        else fields_of(dialect, place.kind)
    )
    return Shape(variant, tuple((key, known.get(key)) for key in keys))


def _of_decision(text: str, parts: Parts, known: Mapping[str, str]) -> Shape:
    keys = [(key, known.get(key)) for key in keys_of(parts.block or "")]
    said = stated(text, parts.body)
    keys += [(_LABELS[field], field) for field in said.labels]
    if any(field == "status" for _, field in keys):
        where = "frontmatter" if ("status", "status") in keys else "a line"
    else:
        where = "a section" if said.section is not None else ""
        keys += [("## Status", "status")] if where else []
    return Shape(f"status in {where}" if where else "no status", tuple(keys))


def keys_of(block: str) -> list[str]:
    """The top-level keys of a frontmatter block, each once, in order."""
    return list(dict.fromkeys(next(filter(None, match.groups())) for match in _KEY.finditer(block)))


def _vault_labels(text: str) -> list[str]:
    found = re.search(r"^# [^\n]*\n", text, re.MULTILINE)
    return list(labels_at(text, found.end())) if found is not None else []


def _vault_variant(keys: list[str]) -> str:
    if "id" in keys and "topic" not in keys:
        return "F1: id, no topic"
    if "category" in keys:
        return "F5: with category"
    if "token_count" in keys:
        return "F4: with token_count"
    return "F3: with counters" if "retrieval_count" in keys else "F2: no counters"


def of_entries(text: str) -> Iterator[Shape]:
    """The shapes of the records of an entry file, one each: the variant is the order of their labels."""
    file = take_apart(normal(text))
    for section in file.records:
        spans: list[Span] = []
        read = fields(file.text, file.mask, section.head, section.end, spans)
        placed = [(span.start, span.label.strip(), span.name) for span in spans]
        others = [name for name in read.values if name not in FIELDS and name not in NAMES]
        keys = [*((label, name) for _, label, name in sorted(placed)), *((name, None) for name in others)]
        yield Shape(", ".join(label for label, _ in keys) or "no label", tuple(keys))
