"""Ending a change that was interrupted: finished where its commit is in place, taken back where it is not.

Judged path by path: where HEAD has what the change was to bring, the index is brought along; where HEAD still
has what was before, the working tree is put back. What somebody touched since is left as it is, and what
memgit had kept of it is laid where the note says.
"""

from __future__ import annotations

import os
from contextlib import suppress
from time import sleep, time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git.commit import journal, lock, refs
from memgit.git.commit.journal import Journal, Step
from memgit.git.objects.tree import Tree
from memgit.git.worktree import index
from memgit.git.worktree.worktree import Worktree, write_new

if TYPE_CHECKING:
    from memgit.git.repository import Repository

WAIT = 30.0
"""Seconds that somebody who is going to write waits for another writer, as `put` does."""
_ORPHAN = 1.5  # seconds after which an empty ref lock of a dead writer is taken for its


def mend(repo: Repository, wait: float = 0) -> tuple[str, ...]:
    """Ends what a killed memgit left in this working tree, and says so; does nothing while its writer is
    alive.

    A git process that it started may outlive it for a moment, and has its lock so long: who is going to write
    waits for that. Cheap where there is nothing to do: one look at a file. Where it cannot be done (a
    read-only disk), it says so and goes on.

    Args:
        wait: seconds to wait for whoever is at work; a reader does not.
    """
    if repo.bare or not journal.pending(repo.git_dir):
        return ()
    try:
        with lock.hold(repo, wait):
            return mend_locked(repo)
    except lock.Busy:
        return ()
    except (Refused, OSError) as error:
        return (f"a change was interrupted here, and could not be ended: {error}",)


def mend_locked(repo: Repository) -> tuple[str, ...]:
    """As `mend`, for a caller that holds the lock: a journal is then a dead writer's."""
    found = journal.read(repo.git_dir)
    if found is None:
        journal.sweep(repo.git_dir)
        return ()
    _free_ref(repo, found)
    notes = _mend_staged(repo, found) if found.stage else _mend_committed(repo, found)
    journal.clear(repo.git_dir)
    journal.sweep(repo.git_dir)
    return tuple(notes)


def _mend_committed(repo: Repository, found: Journal) -> list[str]:
    commit = repo.head().commit
    tree = Tree(repo, None if commit is None else repo.tree_of(commit))
    done, undone, other = [], [], []
    for number, step in enumerate(found.steps):
        entry = tree.get(step.path)
        if entry == step.new:
            done.append((number, step))
        elif entry == step.old:
            undone.append((number, step))
        else:
            other.append((number, step))
    notes = []
    if index.is_ours(repo, found.own_index):
        if done and not undone:
            index.publish(repo)
        else:
            index.unlock(repo)
            _restage(repo, found, [step for _, step in done])
    else:
        _restage(repo, found, [step for _, step in done])
    changed = [step for _, step in done if step.old != step.new]
    if changed:
        name = f" {found.commit[:10]}" if found.commit else ""
        notes.append(f"finished the commit{name} that process {found.pid} was making when it was interrupted")
    return notes + _undo_steps(repo, found, undone) + _leave_steps(repo, found, other)


def _mend_staged(repo: Repository, found: Journal) -> list[str]:
    if index.is_ours(repo, found.own_index):
        index.publish(repo)
        return [f"finished what process {found.pid} was staging when it was interrupted"]
    if _all_staged(repo, found):
        return []
    return _undo_steps(repo, found, list(enumerate(found.steps)))


def _all_staged(repo: Repository, found: Journal) -> bool:
    steps = [step for step in found.steps if step.now != step.was]
    if not steps:
        return False
    pinned = index.pin(repo, found.own_index)
    held = index.staged(repo, pinned, [step.path for step in steps])
    return all(_entry(held[step.path]) == step.now for step in steps)


def _restage(repo: Repository, found: Journal, steps: list[Step]) -> None:
    """Brings the index along where the change had not got so far; entries that changed since stay."""
    steps = [step for step in steps if step.now != step.was]
    if not steps:
        return
    for _ in range(10):
        index.wait_until_free(repo)
        pinned = index.pin(repo, found.own_index)
        held = index.staged(repo, pinned, [step.path for step in steps])
        flagged = {
            path: row for path, row in held.items() if row is not None and (row.assumed or row.skipped)
        }
        entries = {step.path: step.now for step in steps if _entry(held[step.path]) == step.was}
        if not index.build(repo, pinned, entries, (), flagged):
            return
        if index.lock(repo, pinned):
            index.publish(repo)
            return
    raise Refused("git's index keeps changing", hint="try again when the other git commands are done")


def _entry(row: index.Staged | None) -> object:
    return None if row is None else "conflicted" if row.conflicted else row.entry


def undo(repo: Repository, found: Journal) -> list[str]:
    """Takes the change back in this process: the working tree is as it was; the index was not touched yet."""
    if index.is_ours(repo, found.own_index):
        index.unlock(repo)
    notes = _undo_steps(repo, found, list(enumerate(found.steps)), quiet=True)
    journal.clear(repo.git_dir)
    return notes


def _undo_steps(
    repo: Repository, found: Journal, steps: list[tuple[int, Step]], *, quiet: bool = False
) -> list[str]:
    """Puts back what the steps did to the working tree, the last one first."""
    back: list[str] = []
    notes: list[str] = []
    if repo.worktree is None:
        return notes
    with Worktree(repo.worktree) as files:
        for number, step in reversed(steps):
            if step.written is None:
                continue
            ready, aside = os.fsencode(found.ready(number)), os.fsencode(found.aside(number))
            files.drop_neighbour(step.path, ready)
            if step.written and os.path.lexists(ready):
                continue  # not put yet
            if _undo(repo, files, found, step, aside, notes):
                back.append(step.path)
    if back and not quiet:
        more = f" and {len(back) - 1} more" if len(back) > 1 else ""
        notes.insert(
            0,
            (
                f"took back a change to {back[-1]}{more} that process {found.pid} was making when it was "
                "interrupted"
            ),
        )
    return notes


def _leave_steps(repo: Repository, found: Journal, steps: list[tuple[int, Step]]) -> list[str]:
    """Leaves the files as they are where HEAD has something else by now; what the user had in them before is
    kept.
    """
    notes = []
    for number, step in steps:
        data = _content(os.fsencode(found.aside(number)))
        if data is not None and (step.old is None or repo.hash_blob(data) != step.old.oid):
            notes.append(_keep(repo, step.path, data, "another commit came first; what it held before"))
    return notes


def _undo(
    repo: Repository, files: Worktree, found: Journal, step: Step, aside: bytes, notes: list[str]
) -> bool:
    """Puts one file back; whether there was anything to put back."""
    if step.had and not os.path.lexists(aside):
        return False
    try:
        now = files.read(step.path)
    except Refused:
        notes.append(_set_aside(repo, step.path, aside))
        return False
    if now is None and not step.had:
        return False
    if now is not None and step.had and _content(aside) == now.data:
        os.unlink(aside)
        return False
    if now is not None and repo.hash_blob(now.data) != step.written:
        if not found.hooks:
            if step.had:
                notes.append(_set_aside(repo, step.path, aside))
            return False
        notes.append(_keep(repo, step.path, now.data, "what a hook had made of it"))
    if step.had:
        files.put(step.path, aside)
    else:
        files.remove(step.path)
    return True


def _set_aside(repo: Repository, path: str, aside: bytes) -> str:
    data = _content(aside)
    return (
        _keep(repo, path, data, "it was edited meanwhile; what it held before")
        if data is not None
        else f"{path} was edited meanwhile"
    )


def _keep(repo: Repository, path: str, data: bytes, what: str) -> str:
    folder = f"{journal.folder(repo.git_dir)}/kept"
    os.makedirs(folder, exist_ok=True)
    name = f"{int(time())}-{os.getpid()}-{path.rpartition('/')[2]}"
    target = os.fsencode(f"{folder}/") + name.encode("utf-8", "surrogateescape")
    for count in range(1000):
        try:
            write_new(target + (b".%d" % count if count else b""), data, None)
            break
        except FileExistsError:
            continue
    return f"{path}: {what} is in {folder}/{name}"


def _content(path: bytes) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except FileNotFoundError:
        return None


def _free_ref(repo: Repository, found: Journal) -> None:
    """Removes the locks on the branch and on HEAD that the dead writer held: one names the writer's commit,
    or nothing and for too long.

    HEAD's is made when the branch's is, and removed last. An empty one is the writer's where that one was, or
    where it is no younger than the branch that the writer moved. Any other is that of a git that is alive,
    which writes nothing into it and holds it for as long as a `reference-transaction` hook runs.

    What the writer noted in their reflogs of a move that did not come goes with them.
    """
    if found.commit is None:
        return
    end = time() + _ORPHAN
    ours = False
    for name, path in (
        (found.ref, f"{repo.common_dir}/{found.ref}.lock"),
        ("HEAD", f"{repo.git_dir}/HEAD.lock"),
    ):
        named = _named_in(path, end) if name is not None else None
        if (
            named == found.commit
            and (repo.ref(found.ref) if found.ref else repo.head().commit) != found.commit
        ):
            refs.forget(f"{repo.git_dir}/logs/{name}", found.commit)
        ours = named == found.commit or (
            named == "" and (ours or name == (found.ref or "HEAD") or _before_move(repo, found, path))
        )
        if ours:
            with suppress(FileNotFoundError):
                os.unlink(path)


def _before_move(repo: Repository, found: Journal, lock_file: str) -> bool:
    """Whether a lock is no younger than the branch's file, which is where the dead writer moved it."""
    if found.ref is None or repo.ref(found.ref) != found.commit:
        return False
    with suppress(FileNotFoundError):
        return os.stat(lock_file).st_mtime_ns <= os.stat(f"{repo.common_dir}/{found.ref}").st_mtime_ns
    return False


def _named_in(path: str, end: float) -> str | None:
    """What a lock file names, None where there is none; it may be empty until `end`, a time, while its holder
    is about to write it.
    """
    while (data := _content(os.fsencode(path))) is not None:
        if data.strip() or time() > end:
            return data.strip().decode("ascii", "replace")
        sleep(0.05)
    return None
