"""Lending the terminal to a process group, as a shell does with its jobs."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
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
