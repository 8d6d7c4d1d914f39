"""Which branch of a repository is the default one, and which one HEAD is on."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.git.objects import libgit

if TYPE_CHECKING:
    from memgit.git.repository import Repository

HEADS, REMOTES = "refs/heads/", "refs/remotes/"
USUAL = ("main", "master")
REBASED = ("rebase-merge/head-name", "rebase-apply/head-name")
"""Files in which git notes the branch that a rebase moves at its end; HEAD is detached until then."""


def default_branch(repo: Repository, configured: str = "") -> str:
    """The short name of the branch that is cloned and merged into by default.

    The first answer counts: what is configured; the branch that HEAD of `origin`, or of another remote, names;
    `init.defaultBranch`, main and master, where there is such a branch here or on a remote; the only branch that
    there is, or the unborn one; what git would call it.
    """
    if configured:
        return configured
    named = _head_of(repo, f"{REMOTES}origin/HEAD")
    refs = {} if named else repo.refs(REMOTES)
    named = named or next(filter(None, (_head_of(repo, name) for name in refs if name.endswith("/HEAD"))), "")
    if named:
        return named
    there = {name.removeprefix(REMOTES).partition("/")[2] for name in refs} - {"HEAD"}
    here = {name.removeprefix(HEADS) for name in repo.refs(HEADS)}
    own = repo.config.get("init.defaultbranch", "")
    found = next((name for name in (own, *USUAL) if name in here | there), None)
    if found is not None:
        return found
    if len(here | there) == 1:
        return next(iter(here | there))
    return (repo.head().ref or "").removeprefix(HEADS) if not here | there else own or USUAL[0]


def default_tips(repo: Repository, branch: str) -> set[str]:
    """The commits that the default branch is known to be at: here, and on each remote."""
    refs = {HEADS + branch: repo.ref(HEADS + branch)}
    refs |= {
        name: commit
        for name, commit in repo.refs(REMOTES).items()
        if name.removeprefix(REMOTES).partition("/")[2] == branch
    }
    return {commit for commit in refs.values() if commit is not None}


def current_branch(repo: Repository) -> str | None:
    """The full name of the branch that HEAD is on, or that the rebase under way will move; None where HEAD is
    detached.
    """
    ref = repo.head().ref
    if ref is not None:
        return ref
    return next(filter(None, (_line(f"{repo.git_dir}/{name}") for name in REBASED)), None)


def branch_of(repo: Repository, rev: str) -> str | None:
    """The full name of the branch that a revision names, here or on a remote; None where it names none."""
    if rev in ("HEAD", "@"):
        return current_branch(repo)
    for ref in (rev, HEADS + rev, REMOTES + rev):
        if ref.startswith(HEADS) and is_there(repo, ref):
            return ref
        if ref.startswith(REMOTES) and is_there(repo, ref):
            return HEADS + ref.removeprefix(REMOTES).partition("/")[2]
    return None


def is_there(repo: Repository, ref: str) -> bool:
    """Whether a ref is there, of a name that may be none."""
    try:
        return bool(libgit.raw.reference_is_valid_name(ref)) and repo.ref(ref) is not None
    except UnicodeError:
        return False


def _head_of(repo: Repository, name: str) -> str:
    """The short name of the branch that a remote's HEAD, a symbolic ref, names; empty where there is none."""
    try:
        target = repo.raw.lookup_reference(name).raw_target
    except libgit.FAILURES:
        return ""
    return os.fsdecode(target).removeprefix(REMOTES).partition("/")[2] if isinstance(target, bytes) else ""


def _line(path: str) -> str | None:
    try:
        with open(path, "rb") as file:
            return os.fsdecode(file.readline().rstrip(b"\n")) or None
    except OSError:
        return None
