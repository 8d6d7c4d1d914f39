"""Templates for the text of new records: those of the knowledge root, and those that memgit ships."""

from __future__ import annotations

from importlib.resources import files

from memgit import TYPE_CHECKING
from memgit.app.workspace import Workspace
from memgit.errors import NotFound, UnreadableFile
from memgit.formats import markdown
from memgit.formats.frontmatter import split
from memgit.formats.text import decode, normal
from memgit.git.worktree.filetrees import DiskTree
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

FOLDER = "templates/"
"""The folder of the knowledge root with its own templates; one that is called as a shipped one goes before it."""
_NAME = pattern(r"[^\W_][\w-]{0,99}")


def template(workspace: Workspace, name: str, title: str, day: str) -> str:
    """The text of a template without frontmatter and title; `{{title}}` and `{{date}}` in it are filled in.

    Links are never followed, and no name leads out of the folder.

    Raises:
        NotFound: there is none of that name.
        UnreadableFile: it is not text.
    """
    name = name.removesuffix(".md")
    data = _found(workspace, name) if _NAME.fullmatch(name) else None
    if data is None:
        raise NotFound(
            f"there is no template {name!r}",
            hint=f"one of {', '.join(names(workspace))}; {FOLDER}NAME.md in the knowledge root makes another",
        )
    try:
        text = normal(decode(data))
    except UnreadableFile as error:
        error.path = f"{FOLDER}{name}.md"
        raise
    body = _without_title(text[split(text).body :]).strip("\n")
    return body.replace("{{date}}", day).replace("{{title}}", title)


def names(workspace: Workspace) -> list[str]:
    """The names of all templates, sorted."""
    shipped = [one.name for one in _shipped().iterdir()]
    root = workspace.root
    own = [] if root is None else DiskTree(root, None).names(FOLDER)
    found = {name.removesuffix(".md") for name in (*shipped, *own) if name.endswith(".md")}
    return sorted(name for name in found if _NAME.fullmatch(name) and _found(workspace, name) is not None)


def _found(workspace: Workspace, name: str) -> bytes | None:
    if workspace.root is not None:
        own = DiskTree(workspace.root, None).data(f"{FOLDER}{name}.md")
        if own is not None:
            return own
    shipped = _shipped() / f"{name}.md"
    return shipped.read_bytes() if shipped.is_file() else None


def _shipped() -> Traversable:
    return files("memgit") / "templates" / "records"


def _without_title(text: str) -> str:
    """A text without the heading of level one that it begins with: the record has its own title."""
    first = next(iter(markdown.headings(text)), None)
    if first is not None and first.level == 1 and not text[: first.start].strip():
        return text[first.end :]
    return text
