"""Opening a knowledge root: which folder it is, how it is laid out, and the repository that it lies in."""

from __future__ import annotations

import os
from contextlib import suppress

from memgit import TYPE_CHECKING, __version__
from memgit.app import config as configuration
from memgit.app.config import Config
from memgit.errors import BadInput, NotFound, Refused
from memgit.git.history.default_branch import branch_of, current_branch, default_branch, default_tips
from memgit.git.repository import Repository
from memgit.git.worktree.status import edited
from memgit.model.layout import Layout
from memgit.model.namedtuple import NamedTuple
from memgit.model.shell import typed_path

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    from memgit.app.review.propose import Proposal
    from memgit.cache.db import Cache
    from memgit.git.worktree.status import Dirty
    from memgit.git.worktree.watch import WatchedStatus


class Context(NamedTuple):
    """Who acts and when: `today` is `YYYY-MM-DD`, `now` ISO 8601 in UTC; `actor` and `run` name the agent and
    its run.

    `reason` says why, `stage` whether a write is staged instead of committed; `secrets` what it does with
    credentials in what it adds: `refuse`, `allow` or `redact` (see `app.credentials`).
    """

    today: str
    now: str
    env: Mapping[str, str]
    actor: str | None = None
    run: str | None = None
    entropy: Callable[[int], bytes] = os.urandom
    secrets: str = "refuse"
    reason: str | None = None
    stage: bool = False


class Workspace:
    """An open knowledge root.

    Attributes:
        root: absolute path of the folder, None in a bare repository.
        repo: the repository, None where the folder lies in none (then it can only be read).
        proposal: the branch that is read and written in place of the working tree, None where there is no
            such.
        inside: the folder that it was opened from, inside the repository; empty for its top.
        cause: why no repository could be opened, in the words of libgit2.
    """

    def __init__(self, root: str | None, repo: Repository | None, config: Config) -> None:
        self.root = root
        self.repo = repo
        self.config = config
        self.proposal: Proposal | None = None
        self.inside = "" if repo is None else repo.prefix
        self.cause = ""

        self._cache: Cache | None = None
        self._spare: Cache | None = None
        self._tried = False
        self._status: WatchedStatus | None = None

    @property
    def layout(self) -> Layout:
        return self.config.layout

    @property
    def default_branch(self) -> str:
        """The short name of the branch that has derived files where `indexes` is `trunk`."""
        return default_branch(self.require_repository(), self.config.default_branch)

    def indexes(self, branch: str | None = None) -> str:
        """Where the derived files of what is committed on a branch belong: `committed` with it; `local`, in no
        commit; or `elsewhere`, on the default branch alone, and this is another one (or none).

        Args:
            branch: its full name, empty for none; by default that of the proposal, else the one that is checked
                out.
        """
        mode = self.config.indexes
        if mode != "trunk":
            return mode
        if self.repo is None:
            return "elsewhere"
        if branch is None:
            proposed = self.proposal
            branch = current_branch(self.repo) if proposed is None else proposed.ref
        if not branch:
            return "elsewhere"
        return "committed" if branch == f"refs/heads/{self.default_branch}" else "elsewhere"

    def branch_of(self, rev: str) -> str:
        """The full name of the branch whose derived files a revision has, as `indexes` takes it: the one that it names,
        or the default one where it is its newest commit; empty for none, and where that is no matter.
        """
        if self.config.indexes != "trunk":
            return ""
        repo, default = self.require_repository(), self.default_branch
        named = branch_of(repo, rev)
        if named is None and repo.resolve(rev) in default_tips(repo, default):
            return f"refs/heads/{default}"
        return named or ""

    @property
    def cache(self) -> Cache | None:
        """The cache of the repository, opened once; None where there is no repository, or no file can be
        used.
        """
        if not self._tried and self.repo is not None:
            from memgit.cache.db import open_cache

            self._tried = True
            self._cache = open_cache(self.repo.common_dir, __version__)
        return self._cache

    @property
    def records_cache(self) -> Cache:
        """The cache, or one in memory where no file can be used: the same answers, made anew by each command."""
        if self.cache is not None:
            return self.cache
        if self._spare is None:
            from memgit.cache.db import memory_cache

            self._spare = memory_cache()
        return self._spare

    def watch(self) -> None:
        """Says that this process stays: what is uncommitted is asked of git again only where files were touched."""
        with suppress(ImportError):  # a Python without ctypes asks git each time
            from memgit.git.worktree.watch import WatchedStatus

            if self.repo is not None:
                self._status = WatchedStatus(self.repo)

    def edited(self, repo: Repository, commit: str | None, folders: Sequence[str]) -> Sequence[Dirty]:
        """The Markdown files below some folders that differ from a commit; see `status.edited`."""
        if self._status is not None:
            return self._status.edited(commit, folders)
        return edited(repo, commit, folders)

    @property
    def kept(self) -> dict[Any, Any]:
        """What may be kept of an answer that counts uncommitted edits in, until something is touched; nothing in a
        process that does not stay. To be asked for after `edited`.
        """
        return {} if self._status is None else self._status.kept

    def propose(self, proposal: Proposal) -> None:
        """Reads and writes the branch of a proposal from now on, with the configuration that it has there.

        Raises as `Proposal.begin`.
        """
        self.config = proposal.begin(self.require_repository()) or self.config
        self.proposal = proposal

    def close(self) -> None:
        """Closes the cache, the one in memory and the watch, if they were opened."""
        if self._status is not None:
            self._status.close()
            self._status = None
        for cache in (self._cache, self._spare):
            if cache is not None:
                cache.close()
        self._cache = self._spare = None

    def mend(self) -> tuple[str, ...]:
        """Ends what a killed memgit left half done in this working tree; what was done, in words.

        One look at a file where nothing was.
        """
        if self.repo is None or not os.path.lexists(
            os.path.join(self.repo.git_dir, "memgit", "journal.json")
        ):
            return ()
        from memgit.git.commit.recovery import mend

        return mend(self.repo)

    def writable(self) -> Repository:
        """The repository to write to.

        Raises:
            Refused: the folder lies in no repository, or in a bare one.
        """
        if self.repo is None:
            raise self._refusal()
        if self.root is None and self.proposal is None:
            raise Refused(
                "this repository is bare: it has no working tree to write to",
                hint="clone it and work in the clone",
            )
        return self.repo

    def require_repository(self) -> Repository:
        """The repository to read history from; Refused where there is none."""
        if self.repo is None:
            raise self._refusal()
        return self.repo

    @property
    def damage(self) -> Refused | None:
        """What is wrong with the repository where one is there and git cannot use it: only the files are read."""
        return _damage(self.root or "", self.cause) if self.repo is None else None

    def _refusal(self) -> Refused:
        return self.damage or Refused(f"{self.root} is not in a git repository", hint="memgit init")


_FILES_ALONE = "only the files are read, without history"


def _damage(folder: str, cause: str) -> Refused | None:
    """What is wrong with the nearest `.git` above a folder; None where there is none."""
    while folder:
        link = os.path.join(folder, ".git")
        if os.path.isfile(link):
            try:
                with open(link, encoding="utf-8", errors="replace") as file:
                    named = file.read(4096).strip().removeprefix("gitdir: ")
            except OSError as error:
                return Refused(f"{link} cannot be read: {error.strerror}: {_FILES_ALONE}")
            return Refused(
                f"{link} names {named}, which is not a git directory: {_FILES_ALONE}",
                hint="git worktree repair in the main working tree, or git worktree add again",
            )
        if os.path.isdir(link):
            return _damaged_folder(link, cause)
        folder = os.path.dirname(folder) if os.path.dirname(folder) != folder else ""
    return None


def _damaged_folder(folder: str, cause: str) -> Refused:
    """What is wrong with a `.git` folder that git cannot use."""
    head = os.path.join(folder, "HEAD")
    if "config" in cause:
        return Refused(
            f"{cause.rpartition(': ')[2]}: {_FILES_ALONE}",
            hint="git config --edit, or correct the file by hand",
        )
    if os.path.isdir(f"{folder}/objects") and os.path.isdir(f"{folder}/refs"):
        return Refused(
            f"{head} is damaged: it names neither a branch nor a commit: {_FILES_ALONE}",
            hint=f"write the name of the branch into it again: echo 'ref: refs/heads/main' > {typed_path(head)}",
        )
    return Refused(
        f"{folder} is not a git directory that git can read: {_FILES_ALONE}",
        hint="restore it from a backup, or clone again and copy your files over",
    )


def open_workspace(start: str, env: Mapping[str, str], *, lenient: bool = False) -> Workspace:
    """The knowledge root that a folder lies in.

    The nearest folder upwards with a `.memgit.yaml` is the root, or the folder that its `root` names; else the
    nearest with one in its folder `kb`; else the nearest that looks like a workspace of one of the three systems;
    else the top of the repository (or, outside any, the folder itself), read as
    plain notes.

    Args:
        lenient: take a root whose configuration cannot be read as if it had none, for whoever goes by that of
            a commit.

    Raises:
        NotFound: the folder does not exist.
        BadInput: its configuration cannot be read.
    """
    if not os.path.isdir(start):
        raise NotFound(f"{start}: no such folder")
    cause = ""
    try:
        repo: Repository | None = Repository.open(start, env)
    except NotFound as error:
        repo, cause = None, error.message
    if repo is not None and repo.worktree is not None and repo.headless:
        repo = None
    if repo is not None and repo.worktree is None:
        return Workspace(None, repo, _config_in_tree(repo, lenient))
    start = os.path.realpath(start)
    top = os.path.realpath(repo.worktree) if repo is not None and repo.worktree is not None else None
    workspace = _opened(start, repo, top, lenient)
    workspace.cause = cause
    if top is not None and start.startswith(top.rstrip("/") + "/"):
        workspace.inside = os.fsencode(start[len(top) :].strip("/")).decode("utf-8", "surrogateescape")
    return workspace


def _opened(start: str, repo: Repository | None, top: str | None, lenient: bool) -> Workspace:
    """The knowledge root that a folder of a working tree, or outside any, lies in."""
    folders = list(_upwards(start, top))
    for folder in (*folders, *(os.path.join(folder, configuration.SUBFOLDER) for folder in folders)):
        if os.path.lexists(os.path.join(folder, configuration.NAME)):
            config = _config_on_disk(folder, lenient)
            root = _named_root(folder, config.root) if config.root else folder
            return Workspace(
                root, _at(repo, root, top), _config_on_disk(root, lenient) if config.root else config
            )
    for folder in folders:
        layout = detect_on_disk(folder)
        if layout is not None:
            return Workspace(folder, _at(repo, folder, top), Config(layout, found="detected"))
    root = top or start
    return Workspace(root, _at(repo, root, top), Config(configuration.make_layout("notes"), found="detected"))


def _named_root(folder: str, name: str) -> str:
    """The folder that a configuration names as the knowledge root.

    Raises:
        BadInput: it is none: it has no configuration of its own, or a link leads to it.
    """
    found = os.path.join(folder, name)
    if os.path.realpath(found) != found or not os.path.isfile(os.path.join(found, configuration.NAME)):
        raise BadInput(
            f"root: {name!r} is not a knowledge root", path=configuration.NAME, hint=f"memgit init {name}"
        )
    return found


def detect_on_disk(folder: str) -> Layout | None:
    """The layout of a workspace of one of the three systems that lies in a folder, None where none does."""
    return configuration.detect(
        lambda name: os.path.isdir(os.path.join(folder, name)),
        lambda name: os.path.isfile(os.path.join(folder, name)),
    )


def _upwards(start: str, top: str | None) -> list[str]:
    """The folders from start up to the top of the working tree; outside any, only the folder itself and those
    above it.
    """
    out = [start]
    while out[-1] != top and os.path.dirname(out[-1]) != out[-1]:
        out.append(os.path.dirname(out[-1]))
    return out if top is None or out[-1] == top else [start]


def _at(repo: Repository | None, folder: str, top: str | None) -> Repository | None:
    if repo is not None and top is not None:
        repo.at_root(folder)
    return repo


def _config_on_disk(folder: str, lenient: bool) -> Config:
    path = os.path.join(folder, configuration.NAME)
    try:
        if os.path.islink(path) or not os.path.isfile(path):
            raise BadInput("it must be a plain file", path=configuration.NAME)
        try:
            with open(path, "rb") as file:
                return configuration.parse(file.read())
        except OSError as error:
            raise Refused(f"cannot be read: {error.strerror}", path=configuration.NAME) from error
    except (BadInput, Refused):
        if not lenient:
            raise
    return Config(detect_on_disk(folder) or configuration.make_layout("notes"), found="detected")


def _config_in_tree(repo: Repository, lenient: bool) -> Config:
    tree = repo.tree(repo.head().commit)
    entry = tree.get(configuration.NAME)
    if entry is not None:
        try:
            return configuration.parse(repo.blob(entry.oid))
        except BadInput:
            if not lenient:
                raise
    layout = configuration.detect(
        lambda name: (found := tree.get(name)) is not None and found.mode == 0o040000,
        lambda name: (found := tree.get(name)) is not None and found.mode & 0o170000 == 0o100000,
    )
    return Config(layout or configuration.make_layout("notes"), found="detected")
