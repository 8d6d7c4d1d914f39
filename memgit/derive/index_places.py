"""Which folders have an `INDEX.md`, what lies in them, and what its block is made of."""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.derive import managed
from memgit.derive.links import escape, target
from memgit.derive.managed import Markers
from memgit.derive.view import View
from memgit.errors import UnreadableFile
from memgit.formats.text import decode
from memgit.model.layout import Layout, Place
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from collections.abc import Iterator

NAME = "INDEX.md"
LISTED = ("memory", "decision")
"""The kinds whose folders list their records."""

MAX_LISTED = 300
"""As many lines as one list has; past it, a folder lists topics or months, and any other list ends in the
command for the rest.
"""

MARKERS = Markers(
    re.compile(r"<!-- memgit: generated\b(?:(?!-->).)*-->"),
    re.compile(r"<!-- memgit: end of generated part\b(?:(?!-->).)*-->"),
    "<!-- memgit: generated, do not edit; `memgit rebuild` writes it -->",
    "<!-- memgit: end of generated part -->",
)
EMPTY = ["", "No records.", ""]
AND_MORE = "- and more: "
HEADINGS = {
    "knowledge": "Knowledge",
    "experience": "Experience",
    "skill": "Skills",
    "memory": "Memories",
    "observation": "Observations",
    "decision": "Decisions",
    "note": "Notes",
}
_PLAIN = pattern(r"[^\W_][\w./-]*")


def lists(layout: Layout) -> bool:
    """Whether a layout may have an `INDEX.md` of ours at all."""
    return layout.name in ("memgit", "mem-skill")


def wanted(view: View, path: str) -> bool:
    """Whether a file is there because the layout has it, or because its owner put the markers in."""
    return view.layout.name == "memgit" or managed.has_block(view.data(path), MARKERS)


def root_path(layout: Layout) -> str:
    return layout.base + NAME


def listed_places(layout: Layout) -> list[Place]:
    return (
        [place for place in layout.places if place.kind in LISTED and place.form == "memgit"]
        if lists(layout)
        else []
    )


def tops(layout: Layout) -> list[str]:
    """The folders of the places whose records are listed, sorted."""
    return sorted({place.folder for place in listed_places(layout)})


def owner(layout: Layout, folder: str) -> Place | None:
    """The place that the records of a folder belong to, None where they are not listed."""
    fitting = [
        place
        for place in listed_places(layout)
        if folder == place.folder or (_deep(place) and folder.startswith(place.folder))
    ]
    return max(fitting, key=lambda place: len(place.folder), default=None)


def _deep(place: Place) -> bool:
    """Whether records of a place may lie in folders of its folder."""
    return "{path}" in place.pattern or "/" in place.pattern


def folder_of(layout: Layout, path: str) -> str | None:
    """The folder that an `INDEX.md` beside records is about, None for any other path."""
    if not path.endswith("/" + NAME) or path == root_path(layout):
        return None
    folder = path.removesuffix(NAME)
    return None if "/." in "/" + folder.removeprefix(layout.base) or owner(layout, folder) is None else folder


def kind_at(layout: Layout, path: str) -> str | None:
    """The kind of the records in a file; an index is none, even where notes may lie anywhere."""
    if not path.endswith(".md") or path == root_path(layout) or folder_of(layout, path) is not None:
        return None
    found = layout.find(path)
    return None if found is None else found[0].kind


def own(view: View, folder: str) -> Iterator[str]:
    """The names of the listed record files directly in a folder, sorted."""
    return (name for name in sorted(view.names(folder)) if kind_at(view.layout, folder + name) in LISTED)


def inner(view: View, folder: str) -> list[str]:
    """The names of the folders in a folder whose records belong to the same place, sorted."""
    place = owner(view.layout, folder)
    if place is None or not _deep(place):
        return []
    return [
        name
        for name in sorted(view.folders(folder))
        if not name.startswith(".") and owner(view.layout, f"{folder}{name}/") == place
    ]


def holds(view: View, folder: str) -> bool:
    """Whether a listed record that can be read lies in a folder, however deep."""
    return any(readable(view, folder + name) for name in own(view, folder)) or any(
        holds(view, f"{folder}{name}/") for name in inner(view, folder)
    )


def readable(view: View, path: str) -> bool:
    """Whether a file is text: not one that a filter encrypted, nor the pointer of a large-file store."""
    try:
        decode(view.data(path) or b"")
    except UnreadableFile:
        return False
    return True


def walk(view: View, folder: str) -> Iterator[str]:
    """A folder and those in it whose records belong to the same place."""
    yield folder
    for name in inner(view, folder):
        yield from walk(view, f"{folder}{name}/")


def scope(layout: Layout, folder: str) -> str:
    """The scope that a folder stands for, empty for the folder of the place itself."""
    place = owner(layout, folder)
    return "" if place is None else folder.removeprefix(place.folder).rstrip("/")


def command(kind: str, scope: str = "") -> str:
    """The command that lists records, as code; a scope that a shell would not take as it is, is left out."""
    text = f"memgit list --kind {kind}"
    return f"`{text} --scope {scope}`" if scope and _PLAIN.fullmatch(scope) else f"`{text}`"


def link(title: str, path: str) -> str:
    """One line of a list: a title that leads to a file."""
    return f"- [{escape(title) or escape(path)}]({target(path)})"


def bounded(lines: list[str], kind: str) -> list[str]:
    """A list of at most `MAX_LISTED` lines, the rest behind the command that lists it."""
    return lines if len(lines) <= MAX_LISTED else [*lines[:MAX_LISTED], AND_MORE + command(kind)]
