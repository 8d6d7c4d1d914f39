"""Merging one file for git, with the layout of the knowledge root that the file lies in."""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit.app.workspace import open_workspace
from memgit.errors import Refused
from memgit.formats.merge import Conflict, merge_file


def merge_paths(
    base: str, ours: str, theirs: str, path: str, labels: tuple[str, str], env: Mapping[str, str], cwd: str
) -> tuple[Conflict, ...]:
    """Merges three files on disk into `ours`; what conflicts is marked there and returned.

    Args:
        path: the file's name in the repository; it tells the record form.
        cwd: the top of the working tree, where git starts a driver.

    Raises:
        Refused: a file cannot be read or written.
    """
    folder = os.path.dirname(os.path.join(cwd, path))
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    workspace = open_workspace(folder, env)
    inside = path.removeprefix(workspace.repo.prefix) if workspace.repo is not None else path
    found = workspace.layout.find(inside)
    form, kind = (found[0].form, found[0].kind) if found is not None else ("", "")
    try:
        sides = []
        for name in (base, ours, theirs):
            with open(name, "rb") as file:
                sides.append(file.read())
        merged = merge_file(form, kind, sides[0], sides[1], sides[2], labels)
        with open(ours, "wb") as file:
            file.write(merged.data or b"")
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error
    return merged.conflicts
