"""What a person waits for in a large repository: the rows of the aims, on clones of the reader's choice.

    python benchmarks/large.py REPOSITORY ... [--memgit PATH] [--rounds 2]

Each REPOSITORY is cloned into a temporary folder and made a knowledge root there, unless it is one; the original is
only read. Rows are processor time (user and system, children included), time by the clock and peak memory, once a
round. The change of a row is one line and one link appended to a note in the middle. `markdownlint-cli2` and `rumdl`
are run beside `lint` where they are installed.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple


class Row(NamedTuple):
    """What is run: its name, the aim, the command line, and whether the cache is taken away before it."""

    name: str
    aim: str
    argv: tuple[str, ...]
    cold: bool = False


def rows(memgit: str) -> tuple[list[Row], list[Row]]:
    """What is run with a change staged, and what is run once it is committed."""
    staged = [
        Row("hook, one file, cold", "<= 1 s", (memgit, "hook", "pre-commit"), True),
        Row("hook, one file, warm", "<= 2 x a bare Python hook", (memgit, "hook", "pre-commit")),
        Row("lint --staged, warm", "<= 0.5 s", (memgit, "lint", "--staged", "--json")),
    ]
    committed = [
        Row("review of one file, cold", "<= 1 s", (memgit, "review", "HEAD~1..HEAD"), True),
        Row("review of one file, warm", "<= 0.5 s", (memgit, "review", "HEAD~1..HEAD")),
        Row("lint, cold", "< markdownlint-cli2", (memgit, "lint", "--json"), True),
        Row("lint, warm", "<= 2 x rumdl", (memgit, "lint", "--json")),
        Row("git log --raw", "-", ("git", "log", "--raw", "-M")),
        Row("log, first 20, cold", "<= 1 s", (memgit, "log", "-n", "20"), True),
        Row("log, cold", "<= 4 x git log --raw", (memgit, "log", "--json"), True),
        Row("rebuild from nothing", "<= 4 x git log --raw", (memgit, "rebuild"), True),
        Row("rebuild again", "<= 1 s", (memgit, "rebuild")),
        Row("rebuild --check", "<= 1 s", (memgit, "rebuild", "--check")),
        Row("list --json", "<= 20 us a record", (memgit, "list", "--json")),
        Row("first search in a clone", "<= 3 s", (memgit, "search", "example"), True),
        Row("search", "<= 0.1 s", (memgit, "search", "example")),
        Row("health", "<= 1 s at 10,000", (memgit, "health", "--json")),
    ]
    others = (("rumdl", "check", "--no-cache", "--silent", "."), ("markdownlint-cli2", "**/*.md"))
    committed[4:4] = [Row(f"{one[0]} beside it", "-", one) for one in others if shutil.which(one[0])]
    return staged, committed


def measured(row: Row, folder: Path) -> tuple[float, float, int]:
    """Processor time and time by the clock in seconds, and peak memory in MiB."""
    if row.cold:
        shutil.rmtree(folder / ".git" / "memgit", ignore_errors=True)
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    with subprocess.Popen(
        row.argv, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        _, _, usage = os.wait4(process.pid, 0)
        process.returncode = 0
    wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, wall, usage.ru_maxrss // 1024


def prepared(source: str, folder: Path, memgit: str) -> list[str]:
    """Clones a repository, adopts it where it is not a knowledge root; its Markdown files."""
    subprocess.run(["git", "clone", "-q", source, str(folder)], check=True)
    for name, value in (("user.name", "Bench"), ("user.email", "bench@example.org"), ("gc.auto", "0")):
        _git(folder, "config", name, value)
    if not (folder / ".memgit.yaml").exists():
        subprocess.run([memgit, "adopt", "--yes", "--no-hooks"], cwd=folder, check=True, capture_output=True)
    return _git(folder, "ls-files", "-z", "*.md").split("\0")[:-1]


def _git(folder: Path, *args: str) -> str:
    done = subprocess.run(["git", *args], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode("utf-8", "surrogateescape")


def results(source: str, memgit: str, rounds: int) -> Iterator[str]:
    """The table of one repository, a line at a time."""
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary, "clone")
        files = prepared(source, folder, memgit)
        commits = _git(folder, "rev-list", "--count", "HEAD").strip()
        yield f"\n{Path(source).name}: {len(files):,} Markdown files, {int(commits):,} commits\n"
        yield "| what | processor s | clock s | MiB | aim |\n|---|---|---|---|---|"
        path = files[len(files) // 2]
        with (folder / path).open("a", encoding="utf-8") as file:
            file.write(f"\n\nA line more; see [another]({Path(files[0]).name.replace(' ', '%20')}).\n")
        _git(folder, "add", "--", path)
        staged, committed = rows(memgit)
        for number, row in enumerate((*staged, *committed)):
            if number == len(staged):
                _git(folder, "commit", "-qnm", "a change")
            runs = [measured(row, folder) for _ in range(rounds)]
            columns = [" / ".join(f"{run[place]:.2f}" for run in runs) for place in (0, 1)]
            yield f"| {row.name} | {columns[0]} | {columns[1]} | {max(run[2] for run in runs)} | {row.aim} |"


def main(argv: Sequence[str]) -> int:
    """Prints one table a repository."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("repositories", nargs="+", metavar="REPOSITORY")
    parser.add_argument("--memgit", default=str(Path(sys.executable).with_name("memgit")))
    parser.add_argument("--rounds", type=int, default=2)
    given = parser.parse_args(argv)
    for source in given.repositories:
        for line in results(source, given.memgit, given.rounds):
            print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
