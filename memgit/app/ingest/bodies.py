"""The text of a segment as a record of some place holds it, and what may not be written unseen."""

from __future__ import annotations

import os

from memgit.app.workspace import Workspace
from memgit.errors import MemgitError
from memgit.formats.blocks import conflict_markers, outline
from memgit.formats.codec import Draft
from memgit.formats.codecs import form_named, parse_file
from memgit.ingest.content import Segment
from memgit.ingest.filetypes import language
from memgit.ingest.proposal import Item
from memgit.ingest.rewrite import relinked
from memgit.lint import hidden, secrets
from memgit.model.layout import Place
from memgit.model.record import Record

MIN_LINE = 12
"""Characters of a line that tells two texts apart."""
HELD = 0.5
"""The share of a segment's lines that a record holds already from which a person decides whether the rest
belongs there too.
"""
UNSEEN = {
    "comment": "hidden text in it speaks to an agent:",
    "bidi": "it turns the direction of text:",
    "tags": "it holds hidden text:",
}
"""Kinds of hidden text that nobody should record unseen, in words."""


class Bodies:
    """Texts of segments as records hold them."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace
        self._stored: dict[tuple[str, str], str] = {}

    def text_for(self, segment: Segment, path: str) -> str:
        """The text of a segment as it stands in a file: relative links lead where they led."""
        if "://" in segment.source_file or segment.source_file == "-":
            return segment.text
        root = self._workspace.root or ""
        return relinked(
            segment.text, segment.source_file, path, lambda there: os.path.lexists(os.path.join(root, there))
        )

    def stored(self, record: Record, segment: Segment) -> str:
        """The body that a record of that place would have if it were made of the segment; empty where it
        cannot be stored.
        """
        found = self._workspace.layout.find(record.path)
        if found is None:
            return ""
        key = segment.id, record.path
        if key not in self._stored:
            self._stored[key] = self.in_place(found[0], record.path, self.text_for(segment, record.path))
        return self._stored[key]

    def in_place(self, place: Place, path: str, text: str) -> str:
        """A text as the body of a record at a path; empty where it cannot be stored."""
        fields = {"id": "a000000000", "created": "2000-01-01"}
        if place.kind == "experience":
            fields["skill"] = "x"
        elif place.kind == "skill":
            fields["version"] = "1"
        try:
            data = form_named(place.form).create(Draft(place.kind, "Title", fields, text), None)
            records = parse_file(self._workspace.layout, path, data).records
        except MemgitError:
            return ""
        return records[0].body if len(records) == 1 else ""

    def holds(self, record: Record, segment: Segment) -> bool:
        """Whether a record says all that a segment does, in the same words."""
        if lines_held(record, segment) < HELD:
            return False
        spellings = {self.stored(record, segment), self.text_for(segment, record.path)} - {""}
        return any(f"\n{text}\n" in f"\n{record.body}\n" for text in spellings)

    def checked(self, item: Item, place: Place) -> Item:
        """A new record, skipped where its text cannot be stored."""
        path = place.path(item.group or "x", year="2000", month="01")
        if self.in_place(place, path, item.body):
            return item
        return item._replace(
            action="skip",
            reason="its text does not fit into a record of that kind: look for comments or fences that are not closed",
        )


def lines_held(record: Record, segment: Segment) -> float:
    """The share (0 to 1) of the lines of a segment that a record has."""
    lines = {bare for line in segment.text.split("\n") if len(bare := line.strip(' -*\t`"')) >= MIN_LINE}
    held = {line.strip(' -*\t`"') for line in record.body.split("\n")}
    return len(lines & held) / len(lines) if lines else 0.0


def checked_for_secrets(item: Item, refuse_secrets: bool) -> Item:
    """The item, skipped where it holds a credential that may not be written, left to a person where it holds
    what nobody would see.
    """
    unseen = _unseen(item.body)
    if unseen:
        return item._replace(reason=unseen)
    if not refuse_secrets or not secrets.suspect(item.body):
        return item
    found = secrets.spans(item.body)
    if not found:
        return item
    return item._replace(
        action="skip",
        reason=f"it holds what looks like a credential ({found[0][2]}): --redact, --allow-secret",
    )


def _unseen(body: str) -> str:
    """Why a person should look at a text before it becomes a record; empty where nothing is hidden in it."""
    if body.isascii() and "<" not in body and "]:" not in body:
        return ""
    code = [
        (one.start, one.end) for one in outline(body).hidden if body[one.start : one.end].lstrip()[:1] in "`~"
    ]
    found = next((one for one in hidden.find(body, code) if one.kind in UNSEEN), None)
    return "" if found is None else f"{UNSEEN[found.kind]} {found.what}"


def torn_lines(text: str, path: str, kind: str | None) -> list[int]:
    """The lines of a text that are markers of merge conflicts. In code they may be data."""
    return conflict_markers(text) if (kind or language(path)) in ("markdown", "prose") else []
