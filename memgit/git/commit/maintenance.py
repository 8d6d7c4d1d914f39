"""Packing loose objects now and then, as `git commit` has it done."""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process

if TYPE_CHECKING:
    from memgit.git.repository import Repository

_SAMPLE = "objects/17"  # the folder by which git itself guesses the number of loose objects (builtin/gc.c)


def after_commit(repo: Repository) -> None:
    """Starts `git maintenance run --auto` where git would find enough loose objects; costs one look at a
    folder where not.

    A failure is git's business at the next occasion, not this commit's.
    """
    try:
        count = len(os.listdir(f"{repo.common_dir}/{_SAMPLE}"))
    except OSError:
        return
    limit = repo.settings.number("gc.auto", 6700)
    if limit <= 0 or count <= (limit + 255) // 256 or not repo.settings.truth("maintenance.auto", True):
        return
    try:
        process.attempt(["maintenance", "run", "--auto", "--quiet"], repo=repo, write=True, timeout=600)
    except Refused:
        return
