"""The managed block of `INDEX.md` in a mirror of Mnema: `memory/`, `memory/decisions/` and `memory/notes/`.

Mnema itself writes these blocks (`mnema memory consolidate`), so what stands in them is what it would write:
one line a file, sorted as its collation does, title as typed, status and tags of decisions after it. Only
where such a block is there already; the text around it is kept to the byte. The index of `memory/` lists the
scopes one level down as well, but not `decisions/` and `notes/`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from memgit.derive import managed
from memgit.derive.links import escape_structure, target
from memgit.derive.managed import Markers
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.errors import UnreadableFile
from memgit.formats.text import decode
from memgit.model.layout import Layout
from memgit.model.lazy_re import pattern

MARKERS = Markers(
    re.compile(r"<!-- MNEMA: managed section\b(?:(?!-->).)*-->"), re.compile(r"<!-- /MNEMA -->")
)
NAME = "INDEX.md"
_NEVER = frozenset([NAME, "SKILL.md"])
_CURATED = ("decisions", "notes")
_HEADING = pattern(r"^#\s+(.+)$", re.MULTILINE)
# The order of punctuation in the root collation of Unicode (https://www.unicode.org/charts/collation/), which
# JavaScript sorts by.
_PUNCTUATION = "_-,;:!?.'\"()[]{}@*/\\&#%`^+<=>|~$"


def _folders(layout: Layout) -> list[str]:
    top = layout.base + "memory/"
    return [top, *(f"{top}{name}/" for name in _CURATED)] if layout.name == "mnema" else []


def _paths(view: View) -> Iterator[str]:
    for folder in _folders(view.layout):
        if managed.has_block(view.data(folder + NAME), MARKERS):
            yield folder + NAME


def _affected(layout: Layout, path: str) -> Iterator[str]:
    if not path.endswith((".md", ".markdown")):
        return
    for folder in _folders(layout):
        if path == folder + NAME or (
            path.startswith(folder) and _listed(layout, folder, path.removeprefix(folder))
        ):
            yield folder + NAME


def _listed(layout: Layout, folder: str, file: str) -> bool:
    """Whether an index lists a file, given relative to its folder."""
    above, _, name = file.rpartition("/")
    if name.startswith(".") or name in _NEVER:
        return False
    return not above or (
        folder == _folders(layout)[0]
        and "/" not in above
        and above not in _CURATED
        and not above.startswith(".")
    )


def _files(view: View, folder: str) -> list[str]:
    found = list(view.names(folder))
    if folder == _folders(view.layout)[0]:
        found += [
            f"{name}/{file}" for name in view.folders(folder) for file in view.names(f"{folder}{name}/")
        ]
    found = [
        file for file in found if file.endswith((".md", ".markdown")) and _listed(view.layout, folder, file)
    ]
    return sorted(found, key=collation)


def collation(text: str) -> tuple[list[tuple[int, str]], str, str]:
    """A key that sorts as the root collation of Unicode does, as far as file names need it: letters before
    accents before case.
    """
    plain = "".join(char for char in unicodedata.normalize("NFD", text) if not unicodedata.combining(char))
    primary = [
        (0, chr(_PUNCTUATION.index(char)))
        if char in _PUNCTUATION
        else (1, char)
        if char.isdigit()
        else (2, char.casefold())
        for char in plain
    ]
    return primary, unicodedata.normalize("NFD", text).casefold(), text.swapcase()


def _build(view: View, path: str) -> Rendered:
    data = view.data(path)
    if data is None or not managed.has_block(data, MARKERS):
        return Rendered(data)
    folder = path.removesuffix(NAME)
    lines = [_line(view, folder, file) for file in _files(view, folder)] or ["_(no files yet)_"]
    found = managed.read(data, MARKERS)
    held = managed.inner_lines(found) if found is not None else []
    if [line for line in held if line.strip()] == lines:
        return Rendered(data)
    blank = [""] if not any(line.strip() for line in held) or not held[0].strip() else []
    return managed.render(data, MARKERS, [*blank, *lines, *blank], "")


def _line(view: View, folder: str, file: str) -> str:
    title, status, tags = _said(view, folder + file)
    meta = [f"status: {escape_structure(status)}"] if status else []
    meta += [f"tags: {escape_structure(', '.join(tags))}"] if tags else []
    name = file.rpartition("/")[2].rpartition(".")[0]
    return f"- [{escape_structure(title) or escape_structure(name)}]({target(file)})" + (
        f"  _({' · '.join(meta)})_" if meta else ""
    )


def _said(view: View, path: str) -> tuple[str, str | None, tuple[str, ...]]:
    """Title, status and tags of a file, be it a record or a page that people wrote."""
    record = next(iter(view.parsed(path).records), None)
    if record is not None:
        return record.title, record.text("status"), record.items("tags")
    try:
        heading = _HEADING.search(decode(view.data(path) or b""))
    except UnreadableFile:
        heading = None
    return heading[1].strip() if heading is not None else "", None, ()


MNEMA_INDEX = DerivedFile("INDEX.md of a mirror", _paths, _affected, _build)
