"""Why a file of a workspace holds no record."""

from __future__ import annotations

from memgit.adopt.detect import Candidate
from memgit.model.layout import NEVER, Layout, hidden

LINK = "a link: it is never read or written through"
EMPTY = "empty"
NO_RECORD = "no record in it yet"
TEMPLATE = "template"
PRIVATE = "private: never read"

_VAULT = {"00-Inbox": "inbox: not taken up yet", "20-Indices": "index", "30-Templates": TEMPLATE}
_MNEMA = {"commands": "command of Mnema", "templates": TEMPLATE, "workflows": "workflow of Mnema"}
_NAMES = {
    "readme.md": "read-me",
    "index.md": "index",
    "log.md": "activity log",
    "skill.md": "written for people",
    "context.md": "written for people",
}


def private(path: str, found: Candidate) -> bool:
    """Whether a file is never opened or committed: plugin data of Obsidian, keys of a mirror, git's own."""
    parts = path.split("/")[:-1]
    return (
        ".obsidian" in parts
        or ".git" in parts
        or (found.system == "mnema" and path.startswith(f"{found.base}keys/"))
    )


def why(path: str, layout: Layout, found: Candidate) -> str:
    """Why a Markdown file that fits no place of the layout is not a record."""
    if private(path, found):
        return PRIVATE
    inner = path.removeprefix(layout.base)
    if not path.startswith(layout.base):
        return "outside the workspace"
    if hidden(inner):
        return "in a hidden folder"
    top = inner.partition("/")[0]
    words = (
        _VAULT.get(top) if found.system == "vault" else _MNEMA.get(top) if found.system == "mnema" else None
    )
    name = inner.rpartition("/")[2]
    if name in NEVER or name in ("SKILL.md", "context.md"):
        return _NAMES[name.lower()]
    return words or "fits no place of the layout"
