"""The only import of pygit2: its C module alone, which costs a tenth of the whole package.

The package's own Python (about 60 ms) is loaded only where something needs it: repositories with extensions
that libgit2 must be told about, and installations whose C module cannot be loaded on its own.
"""

from __future__ import annotations

import sys

from memgit import TYPE_CHECKING
from memgit.errors import NotFound, Refused
from memgit.fastpath import c_module

if TYPE_CHECKING:
    from typing import Any

    from pygit2._pygit2 import Repository as RawRepository

COMMIT, TREE, BLOB, TAG = 1, 2, 3, 4
"""Object types as libgit2 numbers them."""
NAMES = {COMMIT: b"commit", TREE: b"tree", BLOB: b"blob", TAG: b"tag"}
"""The types as git names them."""
KINDS = {name: kind for kind, name in NAMES.items()}

_NO_SEARCH = 1
_ENUMS = (
    "DeltaStatus",
    "DiffFlag",
    "FileMode",
    "FileStatus",
    "MergeAnalysis",
    "MergePreference",
    "ObjectType",
    "ReferenceType",
)
# Extensions that change nothing for a reader who can ask git itself for a missing object, but that libgit2
# refuses unless told.
_HARMLESS = ["partialclone", "relativeworktrees", "preciousobjects", "worktreeconfig"]


def _load() -> Any:
    """The C module, from the loaded package if there is one, else by itself, else by way of the whole
    package.
    """
    loaded = sys.modules.get("pygit2._pygit2")
    if loaded is not None and "pygit2" in sys.modules:
        return loaded
    try:
        with c_module.alone(
            "pygit2", "_pygit2", (), lambda _: {"enums": dict.fromkeys(_ENUMS, int)}
        ) as module:
            module._cache_enums()  # plain integers, where the package has enums
        return module
    except Exception:
        from pygit2 import _pygit2

        return _pygit2


def __getattr__(name: str) -> Any:
    """`raw` and `FAILURES`, made when they are first asked for: loading the C module takes longer than many
    answers, which need none.
    """
    if name == "raw":
        globals()["raw"] = _load()
    elif name == "FAILURES":
        globals()["FAILURES"] = (_this.raw.GitError, OSError, KeyError, ValueError)
    else:
        raise AttributeError(name)
    return globals()[name]


if TYPE_CHECKING:
    raw: Any
    """The C module `pygit2._pygit2`."""
    FAILURES: tuple[type[Exception], ...]
    """What a call of the C module may raise; a missing object or ref is a KeyError among them."""

_this: Any = sys.modules[__name__]


class NotOwned(Refused):
    """The repository belongs to another user."""


def discover(start: str, *, across: bool = False, ceilings: str = "") -> str | None:
    """The git directory of the repository that holds a folder, or None.

    Args:
        across: whether to look beyond the border of a file system.
        ceilings: folders at which to stop looking, in the form of GIT_CEILING_DIRECTORIES.
    """
    try:
        found: str | None = (
            _this.raw.discover_repository(start, across, ceilings)
            if ceilings
            else _this.raw.discover_repository(start, across)
        )
    except _this.FAILURES:
        return None
    return (found.rstrip("/") or "/") if found else None


def open_repository(place: str, *, trusted: bool = False) -> RawRepository:
    """Opens the repository of a working tree's top folder, or a git directory.

    Args:
        trusted: git was asked and does not mind who owns it, so libgit2 need not either.

    Raises:
        NotFound: there is no repository.
        NotOwned: it belongs to another user (git's safe.directory).
        Refused: it uses a format that libgit2 cannot read.
    """
    if trusted:
        _set_option("SET_OWNER_VALIDATION", False)
    try:
        return _open(place)
    except _this.FAILURES as error:
        words = str(error)
    if "not owned by" in words:
        folder = place.removesuffix("/.git")
        raise NotOwned(
            f"the repository in {folder} belongs to another user",
            hint=f"git config --global --add safe.directory '{folder}'",
        )
    if "extension" in words and any(name in words.lower() for name in _HARMLESS):
        try:
            _set_option("SET_EXTENSIONS", _HARMLESS, len(_HARMLESS))
            return _open(place)
        except _this.FAILURES as error:
            words = str(error)
    if any(
        word in words
        for word in ("extension", "object format", "repository version", "repositoryformatversion")
    ):
        raise Refused(
            f"the repository in {place} uses a format that memgit cannot read ({words.rpartition(': ')[2]})",
            hint=(
                "with git 2.48 or newer: git refs migrate --ref-format=files"
                if "refstorage" in words.lower()
                else "memgit reads repositories with SHA-1 objects and refs in files"
            ),
        )
    raise NotFound(f"{place} is not a git repository: {words}")


def _open(place: str) -> RawRepository:
    opened: RawRepository = _this.raw.Repository(_this.raw.init_file_backend(place, _NO_SEARCH))
    return opened


def _set_option(name: str, *values: Any) -> None:
    """Sets an option of libgit2 itself, which only the whole package can do."""
    from pygit2 import option
    from pygit2.enums import Option

    option(Option[name], *values)
