"""Making a repository, and the settings that a clone needs."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Mapping
from functools import partial
from time import monotonic, sleep

from memgit.errors import Refused
from memgit.git import process
from memgit.git.repository import Repository

DRIVER = "merge.memgit.driver"
"""The key under which git finds the merge driver (gitattributes(5))."""
MARKED = 10
"""Exit code of the driver where it marked conflicts."""
_CALL = "memgit merge-driver --ours-name %X --theirs-name %Y %O %A %B %P"
# Any other code means that the driver failed (its package is gone, a signal): the file is then merged by lines,
# because git takes every code up to 128 for a conflict whose markers are in the file already.
_FALLBACK = (
    f"; case $? in 0) ;; {MARKED}) exit 1;;"
    " *) git merge-file -q -L ours -L base -L theirs %A %O %B || exit 1;; esac"
)
LOCK_WAIT = 3.0
"""Seconds to wait for another git that writes the configuration."""


def create_repository(folder: str, env: Mapping[str, str]) -> Repository:
    """A new repository in a folder, made by the user's own git with its templates and default branch."""
    _patiently(lambda: process.run(["init", "--quiet", "--", folder], env=env, write=True))
    return Repository.open(folder, env)


def _patiently(run: Callable[[], bytes]) -> None:
    """Runs a git command that gives up at once where another one holds the lock of the configuration; tries
    again for a while.

    Raises:
        Refused: it failed for another reason, or all the time.
    """
    end = monotonic() + LOCK_WAIT
    while True:
        try:
            run()
            return
        except Refused as error:
            if monotonic() > end or ("lock" not in error.message and "File exists" not in error.message):
                raise
        sleep(0.05)


def set_local_config(repo: Repository, values: Mapping[str, str]) -> bool:
    """Sets keys in the repository's own configuration; False where they all were so already."""
    missing = {
        key: value
        for key, value in values.items()
        if repo.config.get(key.lower()) != value and repo.config.get(key) != value
    }
    for key, value in missing.items():
        _patiently(partial(process.run, ["config", "--local", key, value], repo=repo, write=True))
    return bool(missing)


def set_up_driver(repo: Repository) -> bool:
    """Has git in this clone call the merge driver; False where it did so already.

    The folder of the memgit that runs now is searched after PATH.
    """
    folder = os.path.dirname(sys.executable)
    named = (
        f"PATH=$PATH:{shlex.quote(folder).replace('%', '%%')} "
        if os.access(f"{folder}/memgit", os.X_OK)
        else ""
    )
    return set_local_config(
        repo,
        {"merge.memgit.name": "memgit: records merge as records", DRIVER: f"{named}{_CALL}{_FALLBACK}"},
    )


def is_outdated(repo: Repository) -> bool:
    """Whether git calls the driver as an earlier version of memgit configured it."""
    present = repo.config.get(DRIVER)
    return present is not None and _CALL in present and not present.endswith(_FALLBACK)


def update_driver(repo: Repository) -> None:
    """Replaces the driver of an earlier version, which could lose a side of a merge."""
    if is_outdated(repo):
        set_up_driver(repo)
