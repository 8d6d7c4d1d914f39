"""Making a repository, and the settings that a clone needs."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.git import process
from memgit.git.repository import Repository


def create_repository(folder: str, env: Mapping[str, str]) -> Repository:
    """A new repository in a folder, made by the user's own git with its templates and default branch."""
    process.run(["init", "--quiet", "--", folder], env=env, write=True)
    return Repository.open(folder, env)


def set_local_config(repo: Repository, values: Mapping[str, str]) -> bool:
    """Sets keys in the repository's own configuration; False where they all were so already."""
    missing = {key: value for key, value in values.items() if repo.config.get(key.lower()) != value and repo.config.get(key) != value}
    for key, value in missing.items():
        process.run(["config", "--local", key, value], repo=repo, write=True)
    return bool(missing)


def author(repo: Repository) -> str:
    """`Name <mail>` of the person who would author a commit now.

    Raises:
        Refused: git knows no identity; in git's own words.
    """
    return process.run(["var", "GIT_AUTHOR_IDENT"], repo=repo).decode("utf-8", "replace").rpartition(">")[0] + ">"
