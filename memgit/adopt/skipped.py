"""Why a file of a workspace holds no record."""

from __future__ import annotations

from memgit.adopt.systems import SYSTEMS
from memgit.adopt.systems.system import Candidate
from memgit.model.layout import NEVER, Layout, hidden

LINK = "a link: it is never read or written through"
EMPTY = "empty"
NO_RECORD = "no record in it yet"
PRIVATE = "private: never read"

_NAMES = {
    "readme.md": "read-me",
    "index.md": "index",
    "log.md": "activity log",
    "skill.md": "written for people",
    "context.md": "written for people",
}


def private(path: str, system: str, base: str) -> bool:
    """Whether a file of a system's workspace is never opened or committed: plugin data of Obsidian, keys of a
    mirror, git's own.
    """
    parts = path.split("/")[:-1]
    folders = SYSTEMS[system].private if system in SYSTEMS else ()
    return (
        ".obsidian" in parts or ".git" in parts or any(path.startswith(base + folder) for folder in folders)
    )


def why(path: str, layout: Layout, found: Candidate) -> str:
    """Why a Markdown file that fits no place of the layout is not a record."""
    if private(path, found.system, found.base):
        return PRIVATE
    inner = path.removeprefix(layout.base)
    if not path.startswith(layout.base):
        return "outside the workspace"
    if hidden(inner):
        return "in a hidden folder"
    top = inner.partition("/")[0]
    words = SYSTEMS[found.system].skipped.get(top)
    name = inner.rpartition("/")[2]
    if name in NEVER or name in ("SKILL.md", "context.md"):
        return _NAMES[name.lower()]
    return words or "fits no place of the layout"
