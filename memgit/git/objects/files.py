"""The files of a working tree, or of a folder in one, as git sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memgit.errors import MemgitError
from memgit.git import process
from memgit.git.repository import Repository


def listed_files(repo: Repository) -> list[str]:
    """Paths under the knowledge root that git tracks or would add, relative to the root, sorted; ignored
    files are left out.

    A tracked path is listed also where the working tree lacks it.
    """
    return _listed(repo, "--cached", "--others")


def ignored_files(repo: Repository) -> list[str]:
    """Paths under the knowledge root that git ignores and does not track, relative to the root, sorted."""
    return _listed(repo, "--others", "--ignored")


def tracked_or_new(folder: str, env: Mapping[str, str]) -> list[str] | None:
    """Paths in a folder that the git repository around it tracks or would add, relative to the folder,
    sorted; None where there is none. Nothing that the configuration of that repository names is run.

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
    return _listed(repo, "--cached", "--others", config=("-c", "core.fsmonitor=false"))


def _listed(repo: Repository, *which: str, config: Sequence[str] = ()) -> list[str]:
    args = [*config, "ls-files", "-z", *which, "--exclude-standard", "--", repo.prefix or "."]
    names = process.run(args, repo=repo).decode("utf-8", "surrogateescape").split("\0")
    return sorted({name.removeprefix(repo.prefix) for name in names if name and name.startswith(repo.prefix)})
