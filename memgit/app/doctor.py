"""What is wrong with a clone, and the command that fixes each thing.

A check is one small function from a `Patient` to what it found, and one row in `CHECKS`. Nothing is changed
and nothing is fetched.
"""

from __future__ import annotations

import os
import shlex
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from functools import cached_property
from shutil import which
from typing import Any, NamedTuple

from memgit.app import config as configuration
from memgit.app.adopt.init import ATTRIBUTES, attributes
from memgit.app.check.push import check_range
from memgit.app.derived import files as derived_files
from memgit.app.derived.files import Kept
from memgit.app.hooks import install as hooks
from memgit.app.hooks import on_path
from memgit.app.merge.resolve import NEXT
from memgit.app.read.reader import open_reader
from memgit.app.workspace import Context, Workspace, open_workspace
from memgit.errors import BadInput, MemgitError, NotFound, Refused
from memgit.git import setup
from memgit.git.commit import identity, journal, lock
from memgit.git.history import usage
from memgit.git.history.default_branch import default_tips
from memgit.git.process import OLDEST_GIT, git_version
from memgit.git.remote import names as remote_names
from memgit.git.repository import Repository
from memgit.git.worktree import index
from memgit.git.worktree.filetrees import DiskTree
from memgit.git.worktree.unmerged import unmerged
from memgit.lint import gate
from memgit.model.duplicate_id import is_twin, merging
from memgit.model.printable import readable
from memgit.model.record import Record

RESOLVE = "memgit resolve"
STALE_LOCK_SECONDS = 60.0
"""Seconds after which a lock of git's is taken for one that a dead process left."""


class Trouble(NamedTuple):
    """One thing that is wrong.

    Attributes:
        check: the name of the check.
        message: what is wrong.
        command: what fixes it, to be typed as it is; where only a person can fix it, what to do in words.
        path, line: the file concerned, if it is about one.
        advice: nothing is broken, but something is missing by default.
    """

    check: str
    message: str
    command: str
    path: str | None = None
    line: int | None = None
    advice: bool = False

    def as_json(self) -> dict[str, Any]:
        return {**self._asdict(), "path": None if self.path is None else readable(self.path)}


class Patient:
    """What is examined: the environment, the folder, and what could be opened of it."""

    def __init__(
        self,
        env: Mapping[str, str],
        folder: str,
        workspace: Workspace | None,
        repo: Repository | None,
        failure: MemgitError | None,
    ) -> None:
        self.env, self.folder, self.workspace, self.repo, self.failure = env, folder, workspace, repo, failure

    @cached_property
    def unmerged(self) -> Collection[str]:
        """The files that git has left in conflict, from the top of the repository."""
        return () if self.repo is None or self.repo.bare else unmerged(self.repo)

    @cached_property
    def in_conflict(self) -> frozenset[str]:
        """Those of the knowledge root: what is wrong with them, settling it takes away."""
        prefix = "" if self.repo is None else self.repo.prefix
        return frozenset(path[len(prefix) :] for path in self.unmerged if path.startswith(prefix))


class Examined(NamedTuple):
    """The troubles found, in the order of the checks; `checked` are the names of the checks that were made."""

    troubles: tuple[Trouble, ...]
    checked: tuple[str, ...]

    @property
    def ill(self) -> bool:
        """Whether anything is broken."""
        return any(not trouble.advice for trouble in self.troubles)

    def as_json(self) -> dict[str, Any]:
        return {
            "ok": not self.ill,
            "troubles": [trouble.as_json() for trouble in self.troubles],
            "checked": list(self.checked),
        }


def examine(folder: str, env: Mapping[str, str]) -> Examined:
    """Looks at the clone that a folder lies in. A check that cannot be made says so as a trouble of its own.

    Raises:
        NotFound: the folder does not exist.
    """
    patient = _admit(folder, env)
    try:
        troubles: list[Trouble] = []
        for name, look in CHECKS.items():
            try:
                troubles += [trouble._replace(check=name) for trouble in look(patient)]
            except MemgitError as error:
                troubles.append(
                    Trouble(
                        name, f"cannot be checked: {error.message}", error.hint or "", error.path, error.line
                    )
                )
        return Examined(tuple(troubles), tuple(CHECKS))
    finally:
        if patient.workspace is not None:
            patient.workspace.close()


def _admit(folder: str, env: Mapping[str, str]) -> Patient:
    if not os.path.isdir(folder):
        raise NotFound(f"{folder}: no such folder")
    failure: MemgitError | None = None
    workspace: Workspace | None = None
    repo: Repository | None = None
    try:
        workspace = open_workspace(folder, env)
        repo = workspace.repo
    except (BadInput, Refused) as error:
        failure = error
        with suppress(MemgitError):
            repo = Repository.open(folder, env)
    return Patient(env, folder, workspace, repo, failure)


Check = Callable[[Patient], Iterator[Trouble]]


def _git(patient: Patient) -> Iterator[Trouble]:
    found, wanted = git_version(patient.env), ".".join(map(str, OLDEST_GIT))
    if found and found < OLDEST_GIT:
        yield Trouble(
            "", f"git {'.'.join(map(str, found))} is too old for memgit", f"install git {wanted} or newer"
        )


def _repository(patient: Patient) -> Iterator[Trouble]:
    if patient.repo is None:
        error = patient.failure
        if error is not None and not isinstance(error, BadInput):
            yield Trouble("", error.message, error.hint or "", error.path, error.line)
        elif error is None:
            damage = None if patient.workspace is None else patient.workspace.damage
            if damage is not None:
                yield Trouble("", damage.message, damage.hint or "")
            else:
                yield Trouble("", f"{patient.folder} is not in a git repository", "memgit init")


def _configuration(patient: Patient) -> Iterator[Trouble]:
    error = patient.failure
    if error is not None and error.path == configuration.NAME:
        yield Trouble("", error.message, error.hint or "edit the file", error.path, error.line)
    elif error is not None and patient.repo is not None:
        yield Trouble("", error.message, error.hint or "", error.path, error.line)
    for key, line in () if patient.workspace is None else patient.workspace.config.unknown:
        meant = get_close_matches(key, configuration.KEYS, 1)
        fix = f"call it {meant[0]}" if meant else "delete it, or see docs/configuration.md"
        yield Trouble("", f"the key {key!r} means nothing to memgit", fix, configuration.NAME, line, True)


def _default_branch(patient: Patient) -> Iterator[Trouble]:
    """A default branch that is not there: no branch would get derived files."""
    workspace, repo = _initialised(patient), patient.repo
    if workspace is None or repo is None or workspace.config.indexes != "trunk":
        return
    name = workspace.default_branch
    if not default_tips(repo, name) and repo.head().ref != f"refs/heads/{name}":
        message = f"indexes: trunk: there is no branch {name} that derived files could be committed on"
        yield Trouble("", message, "edit default_branch in the file, or git fetch", configuration.NAME)


def _identity(patient: Patient) -> Iterator[Trouble]:
    if patient.repo is None:
        return
    try:
        identity.author(patient.repo)
        identity.committer(patient.repo)
    except Refused as error:
        yield Trouble("", error.message, error.hint or "git config --global user.name 'Your Name'")


def _attributes(patient: Patient) -> Iterator[Trouble]:
    workspace = _initialised(patient)
    if workspace is None:
        return
    present = DiskTree(workspace.root or "", None).data(ATTRIBUTES)
    if attributes(present, workspace.layout) != (present or b""):
        yield Trouble(
            "", "the lines that have records merged as records are missing", "memgit init", ATTRIBUTES
        )


def _merge_driver(patient: Patient) -> Iterator[Trouble]:
    workspace = _initialised(patient)
    if workspace is None or patient.repo is None:
        return
    if b"merge=memgit" not in (DiskTree(workspace.root or "", None).data(ATTRIBUTES) or b""):
        return
    driver = patient.repo.config.get("merge.memgit.driver")
    if not driver:
        yield Trouble(
            "", "the merge driver that .gitattributes names is not configured in this clone", "memgit init"
        )
        return
    if setup.is_outdated(patient.repo):
        yield Trouble("", "the merge driver of an earlier version can lose a side of a merge", "memgit init")
    try:
        words = shlex.split(driver)
    except ValueError:
        words = []
    added = words[0].partition(":")[2] if words and words[0].startswith("PATH=$PATH:") else ""
    program = next((word for word in words if not word.startswith("PATH=")), "")
    if not program or which(program, path=f"{patient.env.get('PATH', '')}:{added}") is None:
        message = f"the merge driver calls {program or 'nothing'}, which is not on PATH"
        yield Trouble("", message, on_path.missing(patient.env) or "memgit init")


def _hooks(patient: Patient) -> Iterator[Trouble]:
    if _initialised(patient) is None or patient.repo is None:
        return
    try:
        found = hooks.status(patient.repo)
    except Refused as error:
        yield Trouble("", error.message, error.hint or "", advice=True)
        return
    groups: dict[tuple[str, str, str], list[str]] = {}
    for hook in found:
        if hook.state == hooks.OUTDATED:
            what = (
                "is of another version of memgit",
                "are of another version of memgit",
                "memgit hooks install",
            )
        elif not hook.works:
            words = f"run memgit{f': {hook.words}' if hook.words else ''}"
            left = hook.state == hooks.LEFT
            command = f"memgit hooks {'status (it says what to add)' if left else 'install'}"
            what = (f"does not {words}", f"do not {words}", command)
        else:
            continue
        groups.setdefault(what, []).append(hook.name)
    for (one, several, command), names in groups.items():
        said = f"the {names[0]} hook {one}" if len(names) == 1 else f"the hooks {', '.join(names)} {several}"
        yield Trouble("", said, command, advice=True)


def _initialised(patient: Patient) -> Workspace | None:
    """The workspace, where `memgit init` was run in it: one that was opened in place owes nothing."""
    workspace = patient.workspace
    return (
        workspace
        if workspace is not None and workspace.root is not None and workspace.config.found == "file"
        else None
    )


def _derived(patient: Patient) -> Iterator[Trouble]:
    workspace, repo = patient.workspace, patient.repo
    if workspace is None or repo is None or workspace.root is None or workspace.indexes() == "elsewhere":
        return
    state = derived_files.of_working_tree(workspace, repo, Kept(repo))
    rendered, _ = derived_files.derive(state)
    left = {path: problem for path, one in rendered.items() for problem in one.problems if problem.fatal}
    mend = RESOLVE if patient.in_conflict else "memgit rebuild"
    for found in derived_files.differences(state, rendered):
        fatal = found.path in left and mend != RESOLVE
        yield Trouble(
            "", found.message, "edit the file, then memgit rebuild" if fatal else mend, found.path, found.line
        )


def _cache(patient: Patient) -> Iterator[Trouble]:
    if patient.workspace is None or patient.repo is None:
        return
    folder = os.path.join(patient.repo.common_dir, lock.FOLDER)
    cache = patient.workspace.cache
    if cache is None:
        yield Trouble(
            "",
            f"there can be no cache in {folder}, so every answer is slow",
            f"make the folder writable: ls -ld '{folder}'",
        )
    elif cache.readonly:
        yield Trouble(
            "",
            f"the cache in {folder} cannot be written, so every answer is slow",
            f"make it writable: ls -l '{folder}'",
        )
    elif (fault := cache.fault()) is not None:
        yield Trouble("", f"the cache is broken: {fault}", "memgit rebuild")


def _history(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None:
        return
    if repo.shallow():
        yield Trouble(
            "",
            "the clone is shallow: history ends early, and answers about it are incomplete",
            "git fetch --unshallow",
        )
    if repo.partial():
        for remote in _promisors(repo):
            name = f"remote.{remote}"
            commands = [f"git fetch --refetch --no-filter {shlex.quote(remote)}"]
            commands += [
                f"git config --unset {shlex.quote(f'{name}.{key}')}"
                for key in ("promisor", "partialclonefilter")
                if repo.config.get(f"{name}.{key}") is not None
            ]
            if repo.config.get("extensions.partialclone") == remote:
                commands.append("git config --unset extensions.partialclone")
            yield Trouble(
                "",
                "the clone was made with a filter: files that it left out are not known here",
                " && ".join(commands),
            )


def _promisors(repo: Repository) -> list[str]:
    named = [
        key[7:-9]
        for key in repo.config
        if key.startswith("remote.") and key.endswith(".promisor") and repo.settings.truth(key)
    ]
    held = repo.config.get("extensions.partialclone")
    return list(dict.fromkeys([*named, *([held] if held else [])]))


def _operation(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None or repo.bare:
        return
    operation, count = repo.in_progress(), len(patient.unmerged)
    if count:
        where = f" in a {operation}" if operation in NEXT else ""
        yield Trouble("", f"{count} file{' is' if count == 1 else 's are'} in conflict{where}", RESOLVE)
    elif operation in NEXT:
        yield Trouble(
            "",
            f"a {operation} is under way, and nothing is in conflict any more",
            NEXT[operation],
            advice=True,
        )


def _unreadable(patient: Patient) -> Iterator[Trouble]:
    if patient.workspace is None:
        return
    waiting = patient.in_conflict
    for path, problem in open_reader(patient.workspace).problems():
        if problem.fatal:
            command = RESOLVE if path in waiting else f"edit the file (memgit rule {problem.code} says more)"
            yield Trouble("", problem.message, command, path, problem.line)


def _identities(patient: Patient) -> Iterator[Trouble]:
    if patient.workspace is None:
        return
    held: dict[str, list[Record]] = {}
    for record in open_reader(patient.workspace).heads():
        if record.id:
            held.setdefault(record.id, []).append(record)
    waiting = patient.in_conflict
    for id_, records in sorted(held.items()):
        first = records[0]
        for record in records[1:]:
            if waiting & {first.path, record.path}:
                command = RESOLVE
            elif is_twin(record, first):
                command = merging(first.address, record.address)
            else:
                command = "take it out of the copy"
            where = f"{readable(first.path)}:{first.line}"
            yield Trouble(
                "", f"the id {id_} is claimed here and in {where}", command, record.path, record.line
            )


def _locks(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None or repo.bare:
        return
    ref = repo.head().ref
    for path in [
        index.lock_path(repo),
        f"{repo.git_dir}/HEAD.lock",
        *([f"{repo.common_dir}/{ref}.lock"] if ref else []),
    ]:
        try:
            age = time.time() - os.stat(path).st_mtime
        except OSError:
            continue
        if age > STALE_LOCK_SECONDS:
            message = f"{path} is {_words(age)} old: git takes it for a command under way"
            yield Trouble("", message, f"if no git is running: rm {shlex.quote(path)}")


def _index(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None or repo.bare or not index.is_damaged(repo):
        return
    path = shlex.quote(repo.index_file)
    yield Trouble(
        "",
        f"{repo.index_file} is damaged: it is not what git wrote",
        f"rm {path} && git reset --quiet (files stay as they are; what was staged is staged no more)",
    )


def _words(seconds: float) -> str:
    for size, unit in ((86400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size:
            count = int(seconds // size)
            return f"{count} {unit}{'s' if count > 1 else ''}"
    return f"{seconds:.0f} seconds"


def _interrupted(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None or repo.bare or not journal.pending(repo.git_dir):
        return
    try:
        with lock.hold(repo, 0):
            found = journal.read(repo.git_dir)
    except lock.Busy:
        return  # its writer is alive
    except Refused as error:
        yield Trouble("", error.message, error.hint or "git status")
        return
    if found is not None:
        yield Trouble(
            "",
            f"process {found.pid} was interrupted while it wrote; the next write ends the change first",
            "memgit rebuild",
        )


def _usage(patient: Patient) -> Iterator[Trouble]:
    repo = patient.repo
    if repo is None or patient.workspace is None:
        return
    own = usage.own_ref(repo)
    if set(repo.refs(usage.PREFIX)) - {own}:
        return
    for remote in remote_names(repo):
        command = shlex.join(["memgit", "sync", "--no-push", remote])
        yield Trouble(
            "",
            f"no uses that other clones counted are known here; {remote} may have some",
            command,
            advice=True,
        )


def _push(patient: Patient) -> Iterator[Trouble]:
    """What a push of the present branch would be stopped for."""
    repo, workspace = patient.repo, _initialised(patient)
    if repo is None or workspace is None or repo.bare:
        return
    head = repo.head()
    name = (head.ref or "").removeprefix("refs/heads/")
    remote = repo.config.get(f"branch.{name}.remote")
    base = None if remote is None else repo.ref(f"refs/remotes/{remote}/{name}")
    if head.commit is None or base is None or base == head.commit:
        return
    context = Context(
        time.strftime("%Y-%m-%d"), time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), patient.env
    )
    verdict = check_range(workspace, context, gate.PUSH, base, head.commit, head.ref)
    errors = [one for one in verdict.findings if one.severity == "error"]
    if errors:
        first, more = errors[0], f", and {len(errors) - 1:,} more" if len(errors) > 1 else ""
        message = f"a push would be stopped: {first.rule} {first.name}: {first.message}{more}"
        command = f"edit {readable(first.path)}, then memgit commit (memgit rule {first.rule} explains it)"
        yield Trouble("", message, command, first.path, first.line)


CHECKS: dict[str, Check] = {
    "git": _git,
    "repository": _repository,
    "configuration": _configuration,
    "default-branch": _default_branch,
    "identity": _identity,
    "attributes": _attributes,
    "merge-driver": _merge_driver,
    "hooks": _hooks,
    "interrupted": _interrupted,
    "operation": _operation,
    "locks": _locks,
    "index": _index,
    "history": _history,
    "cache": _cache,
    "unreadable": _unreadable,
    "ids": _identities,
    "derived": _derived,
    "push": _push,
    "usage": _usage,
}
"""Every check by name, in the order in which they are made and shown.

A new one is one function and one row.
"""
