"""Timing whole processes in turn: wall time, and the peak memory of the process and of what it waited for.

The standard library alone, and little of it: a process cannot read less peak memory than the one that started
it had.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import NamedTuple


class Case(NamedTuple):
    """One thing to time.

    `argv` gives the command line of a round, `before` prepares it outside of the measure, `per` divides the
    time (commits in one call).
    """

    argv: Callable[[int], Sequence[str]]
    cwd: str
    before: Callable[[int], None] | None = None
    per: int = 1


class Timing(NamedTuple):
    """Milliseconds of every round, by the clock and of processor time, and the highest peak memory in MiB."""

    ms: tuple[float, ...]
    cpu: tuple[float, ...]
    peak: float

    @property
    def median(self) -> float:
        return median(self.ms)

    def beside(self, other: Timing) -> float:
        """How many times as long as another case, round by round: what slows the machine for a while slows
        both.
        """
        return median(mine / theirs for mine, theirs in zip(self.ms, other.ms, strict=True))

    def work(self, other: Timing) -> float:
        """The same of processor time, which a busy machine changes less; work that runs side by side counts
        in full.
        """
        return median(mine / theirs for mine, theirs in zip(self.cpu, other.cpu, strict=True))


def run(
    argv: Sequence[str], cwd: str, env: Mapping[str, str], out: str = os.devnull
) -> tuple[float, float, float]:
    """Runs one command to its end.

    Args:
        out: the file that gets its standard output.

    Returns:
        Milliseconds by the clock, those of processor time, and peak memory in MiB.

    Raises:
        RuntimeError: it failed; the message holds what it wrote to standard error.
    """
    errors = os.memfd_create("errors")
    actions = [
        (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
        (os.POSIX_SPAWN_OPEN, 1, out, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644),
        (os.POSIX_SPAWN_DUP2, errors, 2),
    ]
    # posix_spawn knows no folder to start in: the child inherits ours.
    os.chdir(cwd)
    start = time.perf_counter()
    child = os.posix_spawnp(argv[0], list(argv), dict(env), file_actions=actions)
    _, status, usage = os.wait4(child, 0)
    took = time.perf_counter() - start
    code = os.waitstatus_to_exitcode(status)
    os.lseek(errors, 0, os.SEEK_SET)
    words = os.read(errors, 1 << 16).decode(errors="replace")
    os.close(errors)
    if code:
        raise RuntimeError(f"exit code {code}: {' '.join(argv)[:300]}\n{words}")
    return took * 1000, (usage.ru_utime + usage.ru_stime) * 1000, usage.ru_maxrss / 1024


def alternate(
    cases: Mapping[str, Case], env: Mapping[str, str], rounds: int, warm: int = 1, out: str = os.devnull
) -> dict[str, Timing]:
    """Times every case once a round, in turn, after `warm` rounds that do not count."""
    ms: dict[str, list[float]] = {name: [] for name in cases}
    cpu: dict[str, list[float]] = {name: [] for name in cases}
    peak = dict.fromkeys(cases, 0.0)
    for number in range(warm + rounds):
        for name, case in cases.items():
            if case.before is not None:
                case.before(number)
            took, work, memory = run(case.argv(number), case.cwd, env, out)
            if number >= warm:
                ms[name].append(took / case.per)
                cpu[name].append(work / case.per)
                peak[name] = max(peak[name], memory)
    return {name: Timing(tuple(ms[name]), tuple(cpu[name]), peak[name]) for name in cases}
