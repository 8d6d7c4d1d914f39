"""A process that writes, for tests with many of them and for those that kill one: `python -m tests.git.writer
FOLDER NAME COUNT [KILL_AT]`.

Each commit adds a file of its own and one line to a file that all writers share. With KILL_AT, the process
kills itself at that point of its first commit, counted in the events of Python's audit hooks that touch a
file or start a process.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable

from memgit.git.commit.commit import Change, commit
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head, Repository
from tests.git.helpers import line_merge

SHARED = "kb/shared.md"
EVENTS = frozenset(
    ["os.rename", "os.link", "os.remove", "os.mkdir", "os.rmdir", "os.posix_spawn", "os.truncate", "open"]
)


def add(name: str, number: int) -> Callable[[Tree, Head], Change]:
    """A build that adds one file, and one line to the shared one."""

    def build(tree: Tree, head: Head) -> Change:
        shared = tree.data(SHARED) or b""
        edits = {
            SHARED: shared + f"{name} {number}\n".encode(),
            f"kb/{name}/{number}.md": f"# {name} {number}\n".encode(),
        }
        return Change(edits, f"record: {name} {number}\n\nMemgit-Op: record\n")

    return build


def arm(kill_at: int) -> None:
    """Has the process kill itself at an event."""
    sys.dont_write_bytecode = True  # what Python keeps of a module is not a step
    seen = 0

    def watch(event: str, args: tuple[object, ...]) -> None:
        nonlocal seen
        if event not in EVENTS or (event == "open" and not _writes(args)):
            return
        seen += 1
        if seen == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.addaudithook(watch)


def _writes(args: tuple[object, ...]) -> bool:
    flags = args[2]
    return isinstance(flags, int) and bool(flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def main(folder: str, name: str, count: str, kill_at: str = "") -> None:
    sys.stdout.write("begin\n")
    sys.stdout.flush()
    if kill_at:
        arm(int(kill_at))
    for number in range(int(count)):
        done = commit(
            Repository.open(folder, os.environ), add(name, number), merge=line_merge, lock_timeout=120
        )
        for note in done.notes:
            sys.stderr.write(note + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
