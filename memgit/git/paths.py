"""What a path must be before memgit writes to it, and how a path is named to the user."""

from __future__ import annotations

from unicodedata import normalize

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.objects.tree import FOLDER, LINK, SUBMODULE, Tree

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgit.git.repository import Repository

# Code points that HFS+ leaves out when it compares names, so that `.g<one of them>it` is `.git` (git's own
# list in utf8.c).
_UNSEEN = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])


def check(repo: Repository, tree: Tree, edits: Mapping[str, bytes | None]) -> None:
    """Refuses paths that must not be written.

    Args:
        tree: HEAD's whole tree.
        edits: new content by path from the top of the working tree, None for a removal.

    Raises:
        Refused: a path is not a plain one below the top, leads into `.git`, through a symlink or a submodule,
            or differs from another only by case where the file system does not tell them apart.
    """
    for path in edits:
        _check_shape(path)
        _check_tree(tree, path, edits)
    if repo.settings.truth("core.ignorecase"):
        _check_case(tree, edits)


def _check_shape(path: str) -> None:
    for name in path.split("/"):
        if name in ("", ".", "..") or "\0" in name:
            raise Refused("is not a path inside the repository", path=path)
        if name[0] in ".gG" and _is_git(name):
            raise Refused("leads into a git directory", path=path)


def _is_git(name: str) -> bool:
    plain = name.translate(_UNSEEN).lower().rstrip(". ").partition(":")[0]
    return plain in (".git", "git~1")


def _check_tree(tree: Tree, path: str, edits: Mapping[str, bytes | None]) -> None:
    names = path.split("/")
    for count in range(1, len(names) + 1):
        here = "/".join(names[:count])
        entry = tree.get(here)
        if entry is None:
            return
        if entry.mode == SUBMODULE:
            raise Refused(f"is in the submodule {here}", path=path, hint="run memgit inside the submodule")
        if entry.mode == LINK:
            raise Refused(f"leads through the symlink {here}" if here != path else "is a symlink", path=path)
        if here != path and entry.is_file and edits[path] is not None and edits.get(here, b"") is not None:
            raise Refused(f"cannot be written: {here} is a file", path=path)
        if (
            here == path
            and entry.mode == FOLDER
            and edits[path] is not None
            and not all(edits.get(inner, b"") is None for inner, _, _ in tree.walk(path))
        ):
            raise Refused("is a folder", path=path)


def _check_case(tree: Tree, edits: Mapping[str, bytes | None]) -> None:
    """Looks at the names beside every part of a new path."""
    gone = {path for path, data in edits.items() if data is None}
    folded: dict[str, str] = {}
    for path, data in edits.items():
        if data is None or tree.get(path) is not None:
            continue
        other = folded.setdefault(fold(path), path)
        if other != path:
            raise Refused(
                f"differs from {other} only by case, which this file system does not tell apart", path=path
            )
        names = path.split("/")
        for count in range(len(names)):
            above = "/".join(names[:count])
            for name, _, _ in tree.list(above):
                if name != names[count] and fold(name) == fold(names[count]):
                    sibling = f"{above}/{name}".lstrip("/")
                    if sibling not in gone:
                        raise Refused(
                            (
                                f"differs from {sibling} only by case, which this file system does not "
                                "tell apart"
                            ),
                            path=path,
                        )


def fold(path: str) -> str:
    """A path as a file system that ignores case and normal form sees it."""
    return normalize("NFC", path).casefold()
