"""What git does to a file between the repository and the working tree: line ends, filters, encodings
(`gitattributes(5)`).

Whether anything of the kind can be in force is found out by looking at configuration and attribute files;
where it can, git itself does the work, in both directions (`index.cleaned`, `index.checked_out`). Where it
cannot, a file and its blob are the same bytes.
"""

from __future__ import annotations

import os
import re
from contextlib import suppress
from enum import Enum

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import leftovers, process
from memgit.git.commit import lock
from memgit.git.objects.tree import Tree
from memgit.git.worktree import index
from memgit.model.lazy_re import pattern

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from memgit.git.repository import Repository

_STRONG = pattern(
    rb"(?:^|[\s])(?:filter|ident|working-tree-encoding|eol=crlf)(?:=|\s|$)|\[attr\]", re.MULTILINE
)
_WEAK = pattern(rb"(?:^|[\s])(?:text|eol|crlf)(?:=|\s|$)", re.MULTILINE)


class Conversion(Enum):
    """How much may lie between a file and its blob."""

    NONE = 0  # nothing
    # CR LF becomes LF on the way in, nothing on the way out: text without a CR is the same on both sides
    LINE_ENDS = 1
    ANY = 2

    def concerns(self, data: bytes) -> bool:
        """Whether this file may be another one in the repository."""
        return self is Conversion.ANY or (self is Conversion.LINE_ENDS and b"\r" in data)


def in_force(repo: Repository, tree: Tree, paths: Iterable[str]) -> Conversion:
    """The most that may be converted in some paths (from the top of the working tree).

    Args:
        tree: HEAD's whole tree, where an attribute file counts that the working tree lacks.
    """
    settings = repo.settings
    if settings.get("attr.tree") or repo.env.get("GIT_ATTR_SOURCE"):
        return Conversion.ANY
    autocrlf = (settings.get("core.autocrlf") or "").lower()
    if autocrlf == "input":
        level = Conversion.LINE_ENDS
    elif settings.truth("core.autocrlf"):
        return Conversion.ANY
    else:
        level = Conversion.NONE
    for text in _attribute_files(repo, tree, paths):
        if _STRONG.search(text):
            return Conversion.ANY
        if _WEAK.search(text):
            if (settings.get("core.eol") or "").lower() == "crlf":
                return Conversion.ANY
            level = Conversion.LINE_ENDS
    return level


def require_unfiltered(repo: Repository, tree: Tree, paths: Sequence[str]) -> None:
    """Refuses paths that a filter (`git-crypt`, `git-lfs`) stores in another form: memgit writes blobs itself.

    Args:
        tree: HEAD's whole tree.
        paths: from the top of the working tree.

    Raises:
        Refused: one of them has the attribute `filter`, whether or not its driver is set up in this clone.
    """
    for path, value in filtered(repo, tree, paths).items():
        raise Refused(
            f"not written: the attribute filter={value} says that git stores another form of this file",
            path=path,
            hint="records are text in git: take the attribute off this path in .gitattributes, or keep what the "
            "filter is for where no records are",
        )


def filtered(repo: Repository, tree: Tree, paths: Collection[str]) -> dict[str, str]:
    """The paths that a filter stores in another form, each with its value; arguments as for `require_unfiltered`."""
    if not paths or in_force(repo, tree, paths) is not Conversion.ANY:
        return {}
    names = b"".join(path.encode("utf-8", "surrogateescape") + b"\0" for path in paths)
    fields = repo.git("check-attr", "-z", "--stdin", "filter", data=names).split(b"\0")
    found = {
        path.decode("utf-8", "surrogateescape"): value.decode("utf-8", "replace")
        for path, value in zip(fields[::3], fields[2::3], strict=False)
    }
    return {path: value for path, value in found.items() if value not in ("unspecified", "unset")}


def _attribute_files(repo: Repository, tree: Tree, paths: Iterable[str]) -> Iterable[bytes]:
    env = repo.env
    home = env.get("HOME", "")
    named = repo.settings.get("core.attributesfile")
    if named is None:
        named = f"{env.get('XDG_CONFIG_HOME') or f'{home}/.config'}/git/attributes"
    elif named.startswith("~/"):
        named = home + named[1:]
    files = [named, f"{repo.common_dir}/info/attributes"]
    if not env.get("GIT_ATTR_NOSYSTEM"):
        installed = os.path.dirname(os.path.dirname(process.executable(env.get("PATH", os.defpath))))
        files.append("/etc/gitattributes" if installed in ("/usr", "/") else f"{installed}/etc/gitattributes")
    for file in files:
        text = _content(os.fsencode(file))
        if text is not None:
            yield text
    top = os.fsencode(repo.worktree or "")
    for folder in _folders(paths):
        text = _content(b"/".join([top, folder.encode("utf-8", "surrogateescape"), b".gitattributes"]))
        if text is None:
            text = tree.data(f"{folder}/.gitattributes".lstrip("/"))
        if text is not None:
            yield text


def _folders(paths: Iterable[str]) -> Iterable[str]:
    found = {""}
    for path in paths:
        folder = path.rpartition("/")[0]
        while folder not in found:
            found.add(folder)
            folder = folder.rpartition("/")[0]
    return sorted(found)


def _content(path: bytes) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def cleaned(repo: Repository, path: str, data: bytes) -> bytes:
    """What git would store of a file of the working tree: line ends, encoding and filters as `git add` would
    apply them.

    Args:
        path: from the knowledge root.
        data: what the file holds; returned as it is where nothing is to be converted.

    Raises:
        Refused: a filter failed, in git's words.
    """
    full = repo.prefix + path
    commit = repo.head().commit
    whole = Tree(repo, None if commit is None else repo.tree_of(commit))
    if not in_force(repo, whole, [full]).concerns(data):
        return data
    if _content(os.fsencode(f"{repo.worktree}/") + full.encode("utf-8", "surrogateescape")) != data:
        oid = (
            repo.git("hash-object", "-w", "--stdin", f"--path={full}", data=data, write=True)
            .decode("ascii")
            .strip()
        )
        return repo.blob(oid)
    # The file itself is asked after where it lies: `hash-object` does not know that git leaves a CR alone
    # that is in the index already.
    folder = f"{repo.git_dir}/{lock.FOLDER}"
    os.makedirs(folder, exist_ok=True)
    scratch = leftovers.scratch(folder)
    pinned = index.pin(repo, f"{scratch}.index")
    try:
        found = index.cleaned(repo, pinned, scratch, [full])[full]
    finally:
        with suppress(FileNotFoundError):
            os.unlink(pinned.path)
    return data if found is None else repo.blob(found)
