"""The files of a folder that may lie in any repository, or in none.

Nothing that the configuration of that repository names is run.
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.errors import MemgitError
from memgit.git import process
from memgit.git.repository import Repository


def tracked_or_new(folder: str, env: Mapping[str, str]) -> list[str] | None:
    """Paths in a folder that the git repository around it tracks or would add, relative to the folder,
    sorted; None where there is none.

    A tracked path is listed also where it is gone; submodules are listed as they are, links too.
    """
    env = {
        name: value
        for name, value in env.items()
        if name not in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX")
    }
    try:
        repo = Repository.open(folder, env).at_root(folder)
    except MemgitError:
        return None
    args = [
        "-c",
        "core.fsmonitor=false",
        "ls-files",
        "-z",
        "--cached",
        "--others",
        "--exclude-standard",
        "--",
        repo.prefix or ".",
    ]
    out = process.run(args, repo=repo)
    found = {name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name}
    return sorted(name.removeprefix(repo.prefix) for name in found if name.startswith(repo.prefix))
