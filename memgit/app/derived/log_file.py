"""`log.md` in the form of Mem Skill, kept from the log where the configuration asks for it (`log: local`).

It lies in the working tree of each clone and in no commit: what it says follows from the commits, which have
no place for it, and two branches never conflict in it. A `log.md` that is committed, or that another hand
began, is left alone.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.app.derived import noted
from memgit.app.read.log import HEADER, as_markdown, entries
from memgit.git.worktree.exclude import set_excluded
from memgit.git.write_all import replace_file

if TYPE_CHECKING:
    from memgit.app.workspace import Workspace

NAME = "log.md"
WHAT = "log"
MARK = "<!-- memgit writes this file from the commits and keeps it out of them; edits are lost. -->"
MAX_APPENDED = 50
"""Commits of one line that are appended; after more, or a merge, the file is written anew."""


def keep_log(workspace: Workspace) -> str | None:
    """Brings the file up to date with HEAD; why it is left alone, None where it is not.

    Raises:
        MemgitError: history cannot be read.
        OSError: the file cannot be written.
    """
    repo = workspace.repo
    if (
        workspace.config.log != "local"
        or workspace.root is None
        or repo is None
        or workspace.proposal is not None
    ):
        return None
    head = repo.head().commit
    if head is None:
        return None
    name = workspace.layout.base + NAME
    path = os.path.join(workspace.root, name)
    folder = os.path.dirname(path)
    if os.path.realpath(folder) != folder or not os.path.isdir(folder):
        return f"{workspace.layout.base} is no folder of this root, so no {NAME} is kept there"
    if repo.tree(head).get(name) is not None:
        return f"{name} is committed and stays as it is; git rm --cached {name} has memgit keep it"
    base, size = noted.noted(repo, WHAT) or (None, -1)
    present = _read(path)
    if present is None and os.path.lexists(path):
        return f"{name} is no plain file and stays as it is"
    if present is not None and MARK.encode() not in present[:1000]:
        return f"{name} is not memgit's and stays as it is; move it away to have memgit keep one"
    if present is None or size != len(present):
        base = None
    if base == head:
        return None
    if base is not None and _follows(workspace, base, head):
        data = (present or b"") + _lines(workspace, f"{base}..{head}")
    else:
        data = "".join(f"{line}\n" for line in (*HEADER, MARK, "")).encode() + _lines(workspace, head)
        set_excluded(repo, [name], WHAT)
    if data != present:
        replace_file(path, data)
    noted.note(repo, WHAT, head, len(data))
    return None


def _lines(workspace: Workspace, revisions: str) -> bytes:
    found = [entry.event for entry in entries(workspace, revisions, cache=workspace.cache)]
    lines = as_markdown(reversed(found), workspace.layout)
    return "".join(f"{line}\n" for line in lines).encode("utf-8", "replace")


def _follows(workspace: Workspace, base: str, head: str) -> bool:
    """Whether few commits of one line lead from one to the other."""
    repo = workspace.require_repository()
    for _ in range(MAX_APPENDED):
        if head == base:
            return True
        parents = repo.parents_of(head)
        if len(parents) != 1:
            return False
        head = parents[0]
    return False


def _read(path: str) -> bytes | None:
    """A plain file; None for anything else."""
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            return None
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None
