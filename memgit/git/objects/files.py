"""The files of a working tree as git sees them."""

from __future__ import annotations

from memgit.git import process
from memgit.git.repository import Repository


def listed_files(repo: Repository) -> list[str]:
    """Paths under the knowledge root that git tracks or would add, relative to the root, sorted; ignored
    files are left out.

    A tracked path is listed also where the working tree lacks it.
    """
    out = process.run(
        ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", repo.prefix or "."], repo=repo
    )
    found = {name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name}
    return sorted(name.removeprefix(repo.prefix) for name in found if name.startswith(repo.prefix))


def ignored_files(repo: Repository) -> list[str]:
    """Paths under the knowledge root that git ignores and does not track, relative to the root, sorted."""
    out = process.run(
        ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--", repo.prefix or "."], repo=repo
    )
    found = {name.decode("utf-8", "surrogateescape") for name in out.split(b"\0") if name}
    return sorted(name.removeprefix(repo.prefix) for name in found if name.startswith(repo.prefix))
