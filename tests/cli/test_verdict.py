"""A verdict survives its reader: whoever reads the output, or closes it, the exit code is that of the check."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.simulations.conftest import on_path
from tests.support import memgit, run_git, write

__all__ = ["on_path"]  # a fixture that every test here uses

SECRET = "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzq3vT9xLp\n"
BROKEN = "---\ntitle: [a\n---\n\ntext\n"

Run = Callable[[Path, str], int]


def shell(folder: Path, command: str) -> int:
    """The exit code of a line of bash."""
    return subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, check=False, timeout=120
    ).returncode


def through_true(folder: Path, command: str) -> int:
    return shell(folder, f"set -o pipefail; {command} 2>&1 | true; exit ${{PIPESTATUS[0]}}")


def through_head(folder: Path, command: str) -> int:
    return shell(folder, f"set -o pipefail; {command} 2>&1 | head -1; exit ${{PIPESTATUS[0]}}")


def without_stderr(folder: Path, command: str) -> int:
    return shell(folder, f"{command} 2>&-")


def without_any(folder: Path, command: str) -> int:
    return shell(folder, f"{command} >&- 2>&- <&-")


def by_a_parent_that_closes(folder: Path, command: str) -> int:
    """Started by a program that closes its ends of the pipes at once."""
    running = subprocess.Popen(
        ["bash", "-c", f"exec {command}"], cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout is not None and running.stderr is not None
    running.stdout.close()
    running.stderr.close()
    return running.wait(timeout=120)


READERS = [through_true, through_head, without_stderr, without_any, by_a_parent_that_closes]


@pytest.fixture
def secret(kb: Path) -> Path:
    """A knowledge repository with a secret staged."""
    write(kb, "memory/key.md", f"# Key\n\n{SECRET}")
    run_git(kb, "add", "-A")
    return kb


def refused_commits(folder: Path, run: Run, times: int) -> None:
    before = run_git(folder, "rev-parse", "HEAD")
    for _ in range(times):
        assert run(folder, "git commit -qm x") != 0
        assert run_git(folder, "rev-parse", "HEAD") == before


def refused_pushes(folder: Path, run: Run, times: int) -> None:
    run_git(folder.parent, "init", "-q", "--bare", "there.git")
    run_git(folder, "remote", "add", "origin", "../there.git")
    run_git(folder, "push", "-q", "origin", "main")
    run_git(folder, "commit", "-qnm", "past the hook")
    for _ in range(times):
        assert run(folder, "git push -q origin main") != 0
        assert run_git(folder.parent / "there.git", "rev-parse", "main") == run_git(
            folder, "rev-parse", "HEAD~1"
        )


@pytest.mark.parametrize("run", READERS)
def test_a_staged_secret_is_refused(secret: Path, run: Run) -> None:
    refused_commits(secret, run, 2)


@pytest.mark.parametrize("run", READERS)
def test_a_secret_is_not_pushed(secret: Path, run: Run) -> None:
    refused_pushes(secret, run, 1)


@pytest.mark.slow
@pytest.mark.parametrize("run", READERS)
def test_a_staged_secret_is_refused_thirty_times(secret: Path, run: Run) -> None:
    refused_commits(secret, run, 30)
    refused_pushes(secret, run, 30)


@pytest.mark.parametrize("run", [through_true, by_a_parent_that_closes])
@pytest.mark.parametrize(
    "command",
    ["lint", "lint --format json", "rebuild --check", "doctor", "doctor --json", "review HEAD~1..HEAD"],
)
def test_checks_answer_as_they_do_alone(kb: Path, command: str, run: Run) -> None:
    write(kb, "memory/broken.md", BROKEN)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "past the hook")
    (kb / "memory/INDEX.md").write_text("by hand\n")
    (kb / ".git/hooks/pre-commit").unlink()
    assert memgit(kb, *command.split(), code=None).code == 1
    assert run(kb, f"memgit {command}") == 1


@pytest.mark.parametrize("run", [through_true, through_head, without_any, by_a_parent_that_closes])
def test_an_error_is_one_whoever_reads_it(kb: Path, run: Run) -> None:
    assert run(kb, "memgit show nosuch") == 2


def test_what_only_reads_may_be_cut_short(kb: Path) -> None:
    for number in range(3):
        memgit(kb, "record", "memory", f"Fact {number}", "-m", "x\n" * 20_000)
    for command in ("list", "show fact-1", "log"):
        assert through_true(kb, f"memgit {command}") == 0, command


def test_a_closed_stream_is_no_file_of_the_repository(kb: Path) -> None:
    """A descriptor that is free at the start would be given to the next file that is opened, and messages be written into that."""
    write(kb, "memory/broken.md", BROKEN)
    for closed in ("2>&-", "1>&- 2>&-", "0<&- 1>&- 2>&-"):
        shell(
            kb,
            f"memgit lint {closed}; memgit rebuild --check {closed}; memgit record memory 'Fact {closed[0]}' -m x {closed}",
        )
    assert len(memgit(kb, "list", "memory", "--json").json) == 4
    run_git(kb, "fsck", "--strict")
