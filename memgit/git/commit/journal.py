"""The journal of one commit under way, one per working tree: what it is about to do, so that a killed one can
be ended either way.

`<git_dir>/memgit/journal.json`, written in one piece before anything that the user can see is touched, gone
when all is done. Beside it lies `work.<pid>/` with the files made ready (`<n>.new`), the files replaced
(`<n>.old`) and the index made ready (`index`).
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import leftovers
from memgit.git.commit import lock
from memgit.git.objects.tree import Entry
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from typing import Any

VERSION = 1
NAME = "journal.json"
WORK = "work."
"""How the names of work folders begin."""


class Step(NamedTuple):
    """One path of the change.

    Attributes:
        path: from the top of the working tree.
        old: HEAD's entry before, None where there was none.
        new: the commit's entry.
        written: hash of the bytes put into the working tree; "" where the file is removed; None where it is
            left alone.
        had: whether the file was there before.
        was: the staged entry before.
        now: the staged entry after; the same as `was` where it is left alone.
    """

    path: str
    old: Entry | None
    new: Entry | None
    written: str | None
    had: bool
    was: Entry | None
    now: Entry | None


class Journal(NamedTuple):
    """One change under way.

    Attributes:
        pid: the process that makes it.
        stage: it is to be staged, not committed.
        hooks: the user's hooks ran or may have run, and may have changed files.
        ref: the branch, None for a detached HEAD.
        commit: the new commit, None until it is known.
        work: full path of the folder with its files.
        steps: its paths; the number of a step names its files.
    """

    pid: int
    stage: bool
    hooks: bool
    ref: str | None
    commit: str | None
    work: str
    steps: tuple[Step, ...]

    def ready(self, number: int) -> str:
        """The file made ready for a step."""
        return f"{self.work}/{number}.new"

    def aside(self, number: int) -> str:
        """The file that a step replaced."""
        return f"{self.work}/{number}.old"

    @property
    def own_index(self) -> str:
        """The index made ready."""
        return f"{self.work}/index"


def folder(git_dir: str) -> str:
    """memgit's own folder in the git directory of a working tree."""
    return f"{git_dir}/{lock.FOLDER}"


def pending(git_dir: str) -> bool:
    """Whether a change is under way or was interrupted. Costs one look at a file."""
    return os.path.exists(f"{folder(git_dir)}/{NAME}")


def new_work(git_dir: str) -> str:
    """A fresh folder for the files of one change."""
    work = f"{folder(git_dir)}/{WORK}{os.getpid()}"
    try:
        os.mkdir(work)
    except FileNotFoundError:
        os.makedirs(work)
    except FileExistsError:
        remove_work(work)
        os.mkdir(work)
    return work


def sweep(git_dir: str) -> None:
    """Removes work folders and files that nobody owns any more.

    Only under the lock, and once no journal is left.
    """
    for name in leftovers.sweep(folder(git_dir)):
        path = f"{folder(git_dir)}/{name}"
        if name.startswith((WORK, f"{NAME}.")) or (
            name.startswith(leftovers.SCRATCH) and leftovers.is_old(path)
        ):
            remove_work(path)


def remove_work(path: str) -> None:
    """Removes a work folder (or a file) as far as that is possible."""
    if os.path.isdir(path):
        try:
            for name in os.listdir(path):
                os.unlink(f"{path}/{name}")
            os.rmdir(path)
        except OSError:
            from shutil import rmtree

            rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):
            os.unlink(path)


def write(git_dir: str, journal: Journal) -> None:
    """Writes the journal in one piece."""
    rows = [
        [
            step.path,
            _plain(step.old),
            _plain(step.new),
            step.written,
            step.had,
            _plain(step.was),
            _plain(step.now),
        ]
        for step in journal.steps
    ]
    text = json.dumps(
        {"version": VERSION, **journal._asdict(), "work": os.path.basename(journal.work), "steps": rows}
    )
    path = f"{folder(git_dir)}/{NAME}"
    own = f"{path}.{os.getpid()}"
    try:
        with open(own, "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(own, path)
    except BaseException:
        remove_work(own)
        raise


def read(git_dir: str) -> Journal | None:
    """The journal that is there, or None.

    Raises:
        Refused: it cannot be read: a newer memgit wrote it, or the disk is damaged.
    """
    path = f"{folder(git_dir)}/{NAME}"
    try:
        with open(path, encoding="utf-8") as file:
            held: dict[str, Any] = json.loads(file.read())
        if held.pop("version") != VERSION:
            raise ValueError
        steps = tuple(
            Step(path, _entry(old), _entry(new), written, had, _entry(was), _entry(now))
            for path, old, new, written, had, was, now in held.pop("steps")
        )
        work = f"{folder(git_dir)}/{os.path.basename(held.pop('work'))}"
        return Journal(steps=steps, work=work, **held)
    except FileNotFoundError:
        return None
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        raise Refused(
            f"an interrupted change is recorded in {path}, but not in a form that this memgit reads",
            hint=f"see what git status says; when nothing is missing, remove it: rm '{path}'",
        ) from None


def clear(git_dir: str) -> None:
    """Removes the journal: the change is done, or taken back."""
    with suppress(FileNotFoundError):
        os.unlink(f"{folder(git_dir)}/{NAME}")


def _plain(entry: Entry | None) -> list[int | str] | None:
    return None if entry is None else [entry.mode, entry.oid]


def _entry(held: Any) -> Entry | None:
    return None if held is None else Entry(int(held[0]), str(held[1]))
