"""An ordinary repository read without libgit2, whose loading alone takes longer than most answers.

Ordinary: a folder with `.git` in it, be that a folder or a file that names one (a linked working tree, a
submodule, a git directory put elsewhere); format version 0, refs in files, no setting that leads to another
working tree, and all of it this user's. Whatever is otherwise, or unclear, is left to libgit2 and git
(`None`); nothing here decides anything by guessing.
"""

from __future__ import annotations

import os
import stat

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

ACROSS, CEILINGS = "GIT_DISCOVERY_ACROSS_FILESYSTEM", "GIT_CEILING_DIRECTORIES"
"""Variables that say how far up git looks."""
HOOK = frozenset(["GIT_DIR", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_REFLOG_ACTION"])
"""Variables that git gives its hooks, and that leave no doubt where they are about the repository at hand."""
ELSEWHERE = (b"extensions", b"include", b"partialclone")
"""Words of a configuration that may change where the repository lies or how it is read."""
REFS = 5
"""Symbolic refs that may lead to each other."""
OWN = ("refs/bisect/", "refs/worktree/", "refs/rewritten/")
"""Refs that a linked working tree has for itself (`git-worktree(1)`)."""


def find(start: str, env: Mapping[str, str], local: frozenset[str]) -> tuple[str, str] | None:
    """The git directory and the working tree of the ordinary repository that holds a folder.

    Args:
        start: an absolute path.
        local: the variables that name a repository; one that is set makes this one unclear.
    """
    if any(env.get(name) for name in (*local, ACROSS)):
        return None
    ceilings = {
        top
        for name in env.get(CEILINGS, "").split(os.pathsep)
        if name
        for top in (os.path.normpath(name), os.path.realpath(name))
    }
    folder = os.path.realpath(start)
    try:
        device = os.stat(folder).st_dev
        while True:
            git_dir = f"{folder}/.git" if folder != "/" else "/.git"
            try:
                found = os.lstat(git_dir)
            except FileNotFoundError:
                # Inside a git directory, or a bare repository, is another matter.
                if os.path.lexists(f"{folder}/HEAD") and os.path.lexists(f"{folder}/objects"):
                    return None
            else:
                led = (
                    git_dir
                    if stat.S_ISDIR(found.st_mode)
                    else _led(git_dir, folder)
                    if stat.S_ISREG(found.st_mode)
                    else None
                )
                return (led, folder) if led is not None and _ordinary(led, folder, found.st_uid) else None
            above = os.path.dirname(folder)
            if above == folder or above in ceilings or os.stat(above).st_dev != device:
                return None
            folder = above
    except OSError:
        return None


def find_in_hook(
    start: str, here: str, env: Mapping[str, str], local: frozenset[str]
) -> tuple[str, str, str | None] | None:
    """As `find`, where the variables that git gives a hook name the repository of the current folder; with
    the index file that they name.

    The index is None where it is the repository's own. In other words: of the variables, those count that say
    which index is in use.

    Args:
        here: the current folder.
    """
    found = find(start, env, local - HOOK)
    if found is None or (
        os.path.realpath(start) != os.path.realpath(here) and find(here, env, local - HOOK) != found
    ):
        return None
    named, index = env.get("GIT_DIR"), env.get("GIT_INDEX_FILE")
    if named and os.path.realpath(os.path.join(here, named)) != found[0]:
        return None
    full = os.path.join(found[1], index) if index else None
    return (
        *found,
        None if full is None or os.path.realpath(full) == os.path.realpath(f"{found[0]}/index") else full,
    )


def _led(path: str, folder: str) -> str | None:
    """The git directory that a `.git` file names."""
    text = (_content(path) or b"").removesuffix(b"\n")
    if not text.startswith(b"gitdir: ") or b"\n" in text or b"\r" in text:
        return None
    return os.path.realpath(os.path.join(folder, os.fsdecode(text[8:])))


def common_dir(git_dir: str) -> str | None:
    """The git directory that all working trees of a repository share; None where it is unclear."""
    text = _content(f"{git_dir}/commondir")
    if text is None:
        return None if os.path.lexists(f"{git_dir}/commondir") else git_dir
    return os.path.realpath(os.path.join(git_dir, os.fsdecode(text.rstrip(b"\r\n"))))


def is_hash(text: str) -> bool:
    """Whether a text is the full hash of an object, as git writes it."""
    return len(text) == 40 and not text.strip("0123456789abcdef")


def _ordinary(git_dir: str, worktree: str, owner: int) -> bool:
    common = common_dir(git_dir)
    if common is None:
        return False
    me = os.geteuid()
    if owner != me or any(os.stat(place).st_uid != me for place in {worktree, git_dir, common}):
        return False
    if not (os.path.isdir(f"{common}/objects") and os.path.isdir(f"{common}/refs")):
        return False
    if common != git_dir and not _leads_back(git_dir, worktree):
        return False
    newest = _content(f"{git_dir}/HEAD") or b""
    # for git, no repository is here, but perhaps above
    if not newest.startswith(b"ref: refs/") and _oid(newest) is None:
        return False
    with open(f"{common}/config", "rb") as file:
        settings = file.read()
    config = settings.lower()
    if any(word in config for word in ELSEWHERE) or (
        b"worktree" in config and not _is_worktree(settings, common, git_dir, worktree)
    ):
        return False
    lines = {b"".join(line.split()) for line in config.split(b"\n")}
    # a setting on its section's line
    if any(line.startswith(b"[") and (not line.endswith(b"]") or b"bare" in line) for line in lines):
        return False
    versions = {line for line in lines if line.startswith(b"repositoryformatversion")}
    return versions == {b"repositoryformatversion=0"} and {
        line for line in lines if line.startswith(b"bare")
    } <= {b"bare=false"}


def _leads_back(git_dir: str, worktree: str) -> bool:
    """Whether the git directory of a linked working tree names that working tree."""
    text = (_content(f"{git_dir}/gitdir") or b"").removesuffix(b"\n")
    return bool(text) and os.path.realpath(os.path.join(git_dir, os.fsdecode(text))) == os.path.realpath(
        f"{worktree}/.git"
    )


def _is_worktree(settings: bytes, common: str, git_dir: str, worktree: str) -> bool:
    """Whether `core.worktree`, as git writes it for a submodule, is the only setting of that kind, and names
    the working tree at hand.
    """
    section, values = b"", []
    for row in settings.split(b"\n"):
        if row.startswith(b"["):
            section = row
        if b"worktree" in row.lower():
            values.append(row.removeprefix(b"\tworktree = ") if section == b"[core]" else row)
    value = values[0]
    odd = value != value.strip() or any(char in value for char in b'"\\#;[]')
    if common != git_dir or len(values) > 1 or odd or b"\tworktree = " + value not in settings:
        return False
    return os.path.realpath(os.path.join(git_dir, os.fsdecode(value))) == worktree


def head(git_dir: str, common: str | None = None) -> tuple[str | None, str | None] | None:
    """The branch's full name (None: detached) and the commit (None: unborn) of HEAD; None where it is
    unclear.

    Args:
        common: the git directory that all working trees share, where that is another one.
    """
    text = _content(f"{git_dir}/HEAD")
    if text is None or os.path.islink(f"{git_dir}/HEAD"):
        return None
    if text.startswith(b"ref:"):
        name = text[4:].strip()
        found = ref(git_dir, name, common)
        return None if found is None else (name.decode("utf-8", "surrogateescape"), found or None)
    oid = _oid(text)
    return None if oid is None else (None, oid)


def ref(git_dir: str, name: bytes, common: str | None = None) -> str | None:
    """The object that a full ref name stands for, empty where there is no such ref; None where it is unclear.

    Arguments as in `head`.
    """
    shared = common or git_dir
    if not name.startswith(b"refs/") or b".." in name or not name.isascii():
        return None
    for _ in range(REFS):
        if shared != git_dir and name.startswith(tuple(map(str.encode, OWN))):
            return None
        path = f"{shared}/{name.decode('ascii')}"
        text = _content(path)
        if text is None:
            return None if os.path.isfile(path) else _packed(shared, name)
        if not text.startswith(b"ref:"):
            return _oid(text)
        name = text[4:].strip()
        if not name.startswith(b"refs/") or b".." in name or not name.isascii():
            return None
    return None


def _packed(git_dir: str, name: bytes) -> str | None:
    """As `ref`, of a ref that has no file of its own."""
    text = _content(f"{git_dir}/packed-refs")
    if text is None:
        return None if os.path.lexists(f"{git_dir}/packed-refs") else ""
    end = text.find(b" " + name + b"\n")
    if end < 0:
        return ""
    oid = _oid(text[max(0, end - 40) : end])
    return oid if oid is not None and (end == 40 or text[end - 41 : end - 40] == b"\n") else None


def refs(git_dir: str, prefix: str, common: str | None = None) -> dict[str, str] | None:
    """The refs below a prefix that ends in a slash, with the objects that they name; None where it is
    unclear. Arguments as in `head`.

    Loose refs are looked at first: whoever packs a ref writes it there before he removes its file.
    """
    if common not in (None, git_dir):
        if any(own.startswith(prefix) or prefix.startswith(own) for own in OWN):
            return None
        git_dir = common
    found: dict[str, str] = {}
    root = f"{git_dir}/{prefix}"
    try:
        for folder, folders, names in os.walk(root):
            below = folder[len(git_dir) + 1 :].rstrip("/")
            if any(os.path.islink(f"{folder}/{name}") for name in (*folders, *names)):
                return None
            for name in names:
                if name.endswith(".lock"):
                    continue
                oid = _oid(_content(f"{folder}/{name}") or b"")
                if oid is None or not f"{below}/{name}".isascii():
                    return None
                found[f"{below}/{name}"] = oid
        packed = _content(f"{git_dir}/packed-refs")
        if packed is None and os.path.lexists(f"{git_dir}/packed-refs"):
            return None
    except OSError:
        return None
    wanted = b" " + prefix.encode()
    if packed is not None and wanted in packed:
        for line in packed.split(b"\n"):
            oid = _oid(line[:40]) if line.startswith(wanted, 40) and len(line) > 40 + len(wanted) else None
            if oid is None:
                continue
            if not line.isascii():
                return None
            found.setdefault(line[41:].decode("ascii"), oid)
    return dict(sorted(found.items()))


def _content(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _oid(text: bytes) -> str | None:
    oid = text.strip().decode("ascii", "replace")
    return oid if is_hash(oid) else None
