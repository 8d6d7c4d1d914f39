"""The terminal: lending it to a process group, as a shell does with its jobs, and to the user's own editor."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress


@contextmanager
def lent(group: int) -> Iterator[None]:
    """While this holds, a process group may read from the terminal, if this process could."""
    try:
        terminal = os.open("/dev/tty", os.O_RDWR | os.O_NOCTTY | os.O_CLOEXEC)
    except OSError:
        yield
        return
    ours = os.getpgrp()
    try:
        if os.tcgetpgrp(terminal) != ours:
            yield
            return
        _give(terminal, group)
        try:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(group, signal.SIGCONT)  # it may have stopped at a question that came before
            yield
        finally:
            _give(terminal, ours)
    finally:
        os.close(terminal)


def _give(terminal: int, group: int) -> None:
    mask = signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGTTOU])
    try:
        with suppress(OSError):  # the group may have ended
            os.tcsetpgrp(terminal, group)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, mask)


def editor(env: Mapping[str, str], configured: str | None) -> str:
    """The person's editor as git chooses it, a command line for the shell; empty where none is known.

    Args:
        configured: `core.editor` of the user's git.
    """
    dumb = env.get("TERM", "dumb") == "dumb"
    return (
        env.get("GIT_EDITOR")
        or configured
        or ("" if dumb else env.get("VISUAL", ""))
        or env.get("EDITOR")
        or ("" if dumb else "vi")
    )


def run_on_file(command: str, path: str, env: Mapping[str, str]) -> int:
    """Runs a command line of the user's own on a file, in the terminal; its exit code.

    As git does, an interrupt is left to the program.
    """
    keep = (signal.SIGINT, signal.SIGQUIT)
    before = [signal.signal(number, signal.SIG_IGN) for number in keep]
    try:
        argv = ["/bin/sh", "-c", f'{command} "$@"', command, path]
        pid = os.posix_spawn(argv[0], argv, env, setsigdef=(*keep, signal.SIGPIPE))
        return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    finally:
        for number, handler in zip(keep, before, strict=True):
            signal.signal(number, handler)


def start_pager(command: str, env: Mapping[str, str], handles: Sequence[int]) -> int:
    """Starts a command line of the user's own that reads all that this process writes to some file handles from
    now on; its process id.

    Raises:
        OSError: it cannot be started.
    """
    theirs, ours = os.pipe()
    try:
        argv = ["/bin/sh", "-c", command]
        actions = [(os.POSIX_SPAWN_DUP2, theirs, 0)]
        pid = os.posix_spawn(argv[0], argv, env, file_actions=actions, setsigdef=(signal.SIGPIPE,))
        for handle in handles:
            os.dup2(ours, handle)
    finally:
        os.close(theirs)
        os.close(ours)
    return pid
