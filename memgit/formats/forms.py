"""The table of forms, and the one way to read a file of records."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.formats.dialects import MEMGIT, MNEMA
from memgit.formats.document import Document
from memgit.formats.entries import Entries
from memgit.formats.form import Form
from memgit.formats.mirror import Mirror
from memgit.formats.vault import Vault
from memgit.model.layout import Layout
from memgit.model.record import ParsedFile

FORMS: Mapping[str, Form] = {
    "entries": Entries(),
    "memgit": Document(MEMGIT),
    "vault": Vault(),
    "mnema": Document(MNEMA),
    "mnema-block": Mirror(),
}


def parse_file(layout: Layout, path: str, data: bytes) -> ParsedFile:
    """What a file holds; nothing for a file outside the layout. Never raises: what is wrong with a file is among its problems.

    Args:
        path: relative to the knowledge root.
        data: its bytes, whatever they are.
    """
    found = layout.find(path)
    if found is None:
        return ParsedFile(())
    place, key = found
    return FORMS[place.form].parse(data, path, place.kind, key, f"note/{path.removeprefix(layout.base).removesuffix('.md')}")
