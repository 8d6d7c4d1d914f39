"""The table of forms, and the one way to read a file of records."""

from __future__ import annotations

from functools import cache, lru_cache

from memgit.formats.codec import Form
from memgit.model.layout import Layout, Place
from memgit.model.record import ParsedFile

NAMES = ("entries", "memgit", "adr", "vault", "mnema", "mnema-block")


@cache
def form_named(name: str) -> Form:
    """The form of a name, one of `NAMES`. It is imported when it is first asked for: a run that touches entries
    alone never reads the rest.

    Raises:
        KeyError: there is none.
    """
    if name == "entries":
        from memgit.formats.mem_skill import entries

        return entries
    if name == "vault":
        from memgit.formats.vault import Vault

        return Vault()
    if name == "adr":
        from memgit.formats.adr import Adr

        return Adr()
    if name == "mnema-block":
        from memgit.formats.mnema_block import Mirror

        return Mirror()
    if name not in NAMES:
        raise KeyError(name)
    from memgit.formats.dialects import DIALECTS
    from memgit.formats.document import Document

    return Document(DIALECTS[name])


GENERATED = b"<!-- memgit: generated"
"""What begins the part of an `INDEX.md` that memgit writes; see `derive.index_places`."""


def parse_file(
    layout: Layout, path: str, data: bytes | None, found: tuple[Place, str] | None = None
) -> ParsedFile:
    """What a file holds; nothing for a file outside the layout. Never raises: what is wrong with a file is
    among its problems.

    Args:
        path: relative to the knowledge root.
        data: its bytes, whatever they are; None for a file that is not there.
        found: what the layout says of the path, where that was asked already.
    """
    found = found or layout.find(path)
    if found is None or data is None:
        return ParsedFile(())
    place, key = found
    if (
        path.endswith("INDEX.md") and GENERATED in data
    ):  # derived, whatever pattern it fits, of this root or one in it
        return ParsedFile(())
    note = f"note/{path.removeprefix(layout.base).removesuffix('.md')}"
    return _parsed(place.form, data, path, place.kind, key, note)


@lru_cache(maxsize=8)
def _parsed(form: str, data: bytes, path: str, kind: str, key: str, note: str) -> ParsedFile:
    """The last few are kept: rules, tables and messages ask for the file of a change one after another, and a
    category may hold thousands of records.
    """
    return form_named(form).parse(data, path, kind, key, note)
