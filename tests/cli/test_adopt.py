"""`memgit adopt` in a real terminal: what is shown, the question, and what each answer does."""

from __future__ import annotations

import fcntl
import os
import pty
import select
import signal
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from tests.support import count_commits, memgit, run_git, status

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 60.0


def _in_front() -> None:
    """Makes the child the foreground of its terminal, as a shell does, with an interrupt key that works."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def in_terminal(folder: Path, typed: str, *args: str) -> tuple[int, str]:
    """Exit code and screen of one run in a pseudo-terminal; the answer is typed once the question stands
    there.
    """
    master, slave = pty.openpty()
    env = {**os.environ, "PYTHONPATH": str(ROOT), "TERM": "dumb"}
    child = subprocess.Popen(
        [sys.executable, "-m", "memgit", "-C", str(folder), *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        env=env,
        start_new_session=True,
        preexec_fn=_in_front,  # noqa: PLW1509
    )
    os.close(slave)
    screen, asked, end = b"", False, time.monotonic() + PATIENCE
    typed_at = 0.0
    while time.monotonic() < end:
        if not select.select([master], [], [], 0.2)[0]:
            if child.poll() is not None:
                break
            # Python may miss a ^C as it begins to read
            if asked and typed == "\x03" and time.monotonic() > typed_at + 3:
                typed_at = time.monotonic()
                os.write(master, typed.encode())
            continue
        try:
            screen += os.read(master, 65536)
        except OSError:
            break
        if not asked and b"[y/N]" in screen:
            asked, typed_at = True, time.monotonic()
            os.write(master, typed.encode())
    os.close(master)
    return child.wait(timeout=PATIENCE), screen.decode()


@pytest.fixture
def notes(repo: Path) -> Path:
    for name in ("a", "b"):
        (repo / f"{name}.md").write_text(f"# {name}\n\n\x1b[31mtext\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    return repo


@pytest.mark.usefixtures("pseudo_terminals")
def test_yes_adopts_and_shows_what_it_found_first(notes: Path) -> None:
    code, screen = in_terminal(notes, "y\n", "adopt")
    assert code == 0 and screen.index("2 records") < screen.index("[y/N]") < screen.index("adopted")
    assert count_commits(notes) == 2 and status(notes) == ""


@pytest.mark.usefixtures("pseudo_terminals")
@pytest.mark.parametrize(("typed", "expected"), [("n\n", 3), ("\n", 3), ("\x03", 130), ("\x04", 130)])
def test_anything_else_writes_nothing(notes: Path, typed: str, expected: int) -> None:
    code, screen = in_terminal(notes, typed, "adopt")
    assert code == expected and "[y/N]" in screen
    assert ("not adopted: nothing was written" in screen) == (expected == 3)
    assert count_commits(notes) == 1 and status(notes) == "" and not (notes / ".memgit.yaml").exists()


def test_names_never_reach_the_terminal_as_they_are(repo: Path) -> None:
    (repo / "esc\x1b[2Jape.md").write_bytes(b"# A\n\xff\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    (repo / "two\nlines.md").write_bytes(b"# B\n\0")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "y")
    answer = memgit(repo, "adopt", "--yes")
    assert "  two\\nlines.md:2: a NUL" in answer.out and "note/two\\nlines" not in answer.out
    assert "\x1b[2J" not in answer.out + answer.err and "ape.md:2" in answer.out
