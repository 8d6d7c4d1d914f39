"""Which knowledge roots a change is about, as git has it: a configuration counts as it is staged or
committed, never as it lies on disk.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping

from memgit import TYPE_CHECKING
from memgit.app import config as configuration
from memgit.app.config import NAME, Config
from memgit.app.workspace import Workspace
from memgit.errors import BadInput
from memgit.git.objects.tree import FOLDER, LINK, Entry, Tree
from memgit.git.worktree.staged import staged

if TYPE_CHECKING:
    from memgit.git.repository import Repository
    from memgit.model.layout import Layout

_REGULAR = 0o100000


class State:
    """A whole repository at a commit, or as the index has it.

    Args:
        staged: what the index holds differently from the commit; None where the commit alone is meant.
    """

    def __init__(
        self, repo: Repository, commit: str | None, staged: Mapping[str, Entry | None] | None = None
    ) -> None:
        self._repo = repo
        self._commit = commit
        self._staged = staged
        self._tree = Tree(repo, None if commit is None else repo.tree_of(commit))

    def unstaged(self) -> State:
        """The same repository at the commit alone."""
        return State(self._repo, self._commit)

    def entry(self, path: str) -> Entry | None:
        """What lies at a path from the top: a file, link or submodule; of folders only those that the commit
        has.
        """
        if self._staged is not None and path in self._staged:
            return self._staged[path]
        return self._tree.get(path)

    def has_file(self, path: str) -> bool:
        """Whether a regular file lies there."""
        found = self.entry(path)
        return found is not None and found.mode & 0o170000 == _REGULAR

    def has_folder(self, path: str) -> bool:
        """Whether anything lies in a folder."""
        inside = f"{path}/"
        edits = {name: entry for name, entry in (self._staged or {}).items() if name.startswith(inside)}
        if any(entry is not None for entry in edits.values()):
            return True
        found = self._tree.get(path)
        if found is None or found.mode != FOLDER:
            return False
        return not edits or any(name not in edits for name, _, _ in self._tree.walk(path))

    def config(self, folder: str) -> Config | None:
        """The configuration in a folder, None where there is none.

        Raises:
            BadInput: it cannot be read.
        """
        path = f"{folder}/{NAME}" if folder else NAME
        entry = self.entry(path)
        if entry is None:
            return None
        if entry.mode == LINK or not entry.is_file:
            raise BadInput("it must be a plain file", path=path)
        try:
            return configuration.parse(self._repo.blob(entry.oid))
        except BadInput as error:
            error.path = path
            raise


def roots(repo: Repository, state: State, paths: Iterable[str]) -> Iterator[Workspace]:
    """The knowledge roots that some paths of a repository lie in: the nearest folders with a configuration.
    Files that lie in none are not memgit's business.

    Args:
        repo: with a working tree.
        paths: from the top of the working tree.

    Raises:
        BadInput: a configuration that cannot be read.
    """
    nearest: dict[str, str | None] = {}
    found = dict.fromkeys(_nearest(state, path.rpartition("/")[0], nearest) for path in paths)
    for folder in found:
        if folder is not None:
            yield _opened(repo, folder, state.config(folder))


def inside(workspace: Workspace, whole: Mapping[str, Entry | None]) -> dict[str, Entry | None]:
    """What of some staged paths lies in a knowledge root, named from there."""
    prefix = workspace.require_repository().prefix
    return {path[len(prefix) :]: entry for path, entry in whole.items() if path.startswith(prefix)}


def as_staged(workspace: Workspace, *, untracked: bool = False) -> None:
    """Makes a workspace the knowledge root that its folder lies in by what is staged, whatever lies on disk.

    Args:
        untracked: where git has no configuration, what was found on disk stays.

    Raises:
        BadInput: the configuration that is staged cannot be read.
    """
    if workspace.repo is None or workspace.root is None:
        return
    repo = workspace.repo.at("")
    head = repo.head().commit
    state = State(repo, head, staged(repo, head))
    folder = _nearest(state, workspace.inside.rstrip("/"), {})
    config = None if folder is None else state.config(folder)
    if config is None and untracked:
        return
    if config is None:
        above = [workspace.inside.rstrip("/")]
        while above[-1]:
            above.append(above[-1].rpartition("/")[0])
        shown = (
            (one, layout)
            for one in above
            if (layout := _detected(state, one) or _detected(state.unstaged(), one)) is not None
        )
        folder, layout = next(shown, ("", configuration.make_layout("notes")))
        config = Config(layout, found="detected")
    found = _opened(repo, folder or "", config)
    workspace.root, workspace.repo, workspace.config = found.root, found.repo, found.config


def _nearest(state: State, folder: str, known: dict[str, str | None]) -> str | None:
    if folder not in known:
        if state.entry(f"{folder}/{NAME}" if folder else NAME) is not None:
            known[folder] = folder
        else:
            known[folder] = _nearest(state, folder.rpartition("/")[0], known) if folder else None
    return known[folder]


def _detected(state: State, folder: str = "") -> Layout | None:
    start = f"{folder}/" if folder else ""
    return configuration.detect(
        lambda name: state.has_folder(start + name), lambda name: state.has_file(start + name)
    )


def _opened(repo: Repository, folder: str, config: Config | None) -> Workspace:
    assert repo.worktree is not None and config is not None
    top = os.path.realpath(repo.worktree)
    return Workspace(os.path.join(top, folder) if folder else top, repo.at(folder), config)
