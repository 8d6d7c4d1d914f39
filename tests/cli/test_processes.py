"""Real processes: many writers at once, kills at random moments, a full disk, a folder that cannot be
written.
"""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.support import count_commits, fsck, memgit, run_git, status

COMMAND = [sys.executable, "-m", "memgit"]


def start(folder: Path, *args: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*COMMAND, "-C", str(folder), *args],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def write_many(folders: list[Path], writers: int, each: int) -> None:
    """Starts `writers` processes, in turn in each folder; every one records `each` records, one commit each."""
    running = []
    moment = time.monotonic_ns()
    for number in range(writers):
        lines = [
            (
                f'{{"kind": "{kind}", "title": "Writer {number} of round {moment} record {count}", {key} '
                f'"body": "- text {count}"}}'
            )
            for count in range(each)
            for kind, key in [
                (("knowledge", '"category": "shared",') if count % 2 else ("memory", '"scope": "team",'))
            ]
        ]
        path = folders[0].parent / f"batch-{number}-{moment}.jsonl"
        path.write_text("\n".join(lines) + "\n")
        running.append(start(folders[number % len(folders)], "record", "--batch", str(path), "--each"))
    for process in running:
        out, err = process.communicate(timeout=240)
        assert process.returncode == 0, (out, err)


def check_writers(kb: Path, writers: int, each: int, rounds: int) -> None:
    memgit(kb, "record", "memory", "Before all", "-m", "x")
    linked = kb.parent / "linked"
    run_git(kb, "worktree", "add", "-q", "-b", "other", str(linked))
    start_count = count_commits(kb)
    for _ in range(rounds):
        write_many([kb, linked], writers, each)
    made = (count_commits(kb) - start_count) + (count_commits(linked) - start_count)
    assert made == writers * each * rounds
    records = 0
    for folder in (kb, linked):
        assert status(folder) == ""
        fsck(folder)
        records += len(memgit(folder, "list", "-n", "100000", "--json").json) - 1
        assert memgit(folder, "rebuild", "--check", code=None).code == 0
    assert records == writers * each * rounds


def test_many_writers_lose_nothing(kb: Path) -> None:
    check_writers(kb, writers=6, each=4, rounds=1)


@pytest.mark.slow
def test_twelve_writers_twice_over(kb: Path) -> None:
    check_writers(kb, writers=12, each=10, rounds=2)


def check_kills(kb: Path, kills: int, seed: int) -> None:
    """Kills writers at random moments; after each, the repository is as before or as after, and the next
    command works.
    """
    chance = random.Random(seed)
    memgit(kb, "record", "knowledge", "First", "--category", "web", "-m", "- a")
    began = time.monotonic()
    start(kb, "record", "memory", "How long", "-m", "x").communicate(timeout=60)
    took = time.monotonic() - began
    hit = 0
    for number in range(kills):
        before = count_commits(kb)
        command = chance.choice(
            [
                (
                    "record",
                    "knowledge",
                    f"Killed {number}",
                    "--category",
                    "web",
                    "-m",
                    "- text",
                    "--related",
                    "web#First",
                ),
                ("record", "memory", f"Killed {number}", "-m", "text"),
                ("update", "web#First", "-m", f"- text {number}"),
                ("rename", "memory/how-long", f"How long {number}", "--keep-path"),
            ]
        )
        process = start(kb, *command)
        time.sleep(chance.uniform(0.1, 0.9) * took)
        process.send_signal(signal.SIGKILL)
        process.communicate(timeout=60)
        hit += process.returncode == -signal.SIGKILL
        assert count_commits(kb) in (before, before + 1)
        memgit(kb, "record", "memory", f"After kill {number}", "-m", "x")
        assert count_commits(kb) in (before + 1, before + 2)
        assert status(kb) == "", (number, command)
        fsck(kb)
        assert list((kb / ".git").glob("*.lock")) == []
    assert hit >= max(1, kills // 8)


def test_kills_leave_nothing_half_done(kb: Path) -> None:
    check_kills(kb, kills=6, seed=7)


@pytest.mark.slow
def test_two_hundred_kills(kb: Path) -> None:
    check_kills(kb, kills=200, seed=11)


@pytest.mark.skipif(os.geteuid() != 0, reason="mounting a small disk needs root")
def test_a_full_disk_changes_nothing(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=900k", "tmpfs", str(disk)], capture_output=True, check=False
    )
    if mounted.returncode:
        pytest.skip("no small disk can be mounted here")
    try:
        memgit(disk, "init", "kb")
        kb = disk / "kb"
        memgit(kb, "record", "memory", "Fits", "-m", "x")
        before = run_git(kb, "rev-parse", "HEAD")
        chance = random.Random(5)
        text = "".join(chance.choice("abcdefghij ") for _ in range(600_000))
        answer = memgit(kb, "record", "memory", "Does not fit", "-F", "-", stdin=text.encode(), code=3)
        assert "space" in answer.err or "disk" in answer.err
        assert run_git(kb, "rev-parse", "HEAD") == before
        assert status(kb) == ""
        fsck(kb)
        assert not (kb / "memory/does-not-fit.md").exists()
        memgit(kb, "record", "memory", "Fits too", "-m", "y")
        assert status(kb) == ""
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


@pytest.mark.skipif(os.geteuid() != 0, reason="a read-only mount needs root")
def test_a_disk_that_cannot_be_written_is_refused_and_can_be_read(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    disk.mkdir()
    if subprocess.run(
        ["mount", "-t", "tmpfs", "tmpfs", str(disk)], capture_output=True, check=False
    ).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        memgit(disk, "init", "kb")
        memgit(disk / "kb", "record", "memory", "One", "-m", "x")
        if subprocess.run(
            ["mount", "-o", "remount,ro", str(disk)], capture_output=True, check=False
        ).returncode:
            pytest.skip("nothing can be mounted read-only here")
        kb = disk / "kb"
        assert memgit(kb, "record", "memory", "Two", "-m", "y", code=3).err
        assert memgit(kb, "list", "--json").json[0]["address"] == "memory/one"
        assert memgit(kb, "search", "x", "--json").json["results"]
        assert memgit(kb, "log", "--json").json[0]["op"] == "record"
    finally:
        subprocess.run(["umount", "-l", str(disk)], check=False)


def test_a_pipe_that_nobody_reads_is_no_error(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    process = start(kb, "log", "--json")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=60) == 0


def test_the_body_comes_from_a_pipe(kb: Path) -> None:
    done = subprocess.run(
        [*COMMAND, "-C", str(kb), "record", "memory", "Piped"],
        input=b"From a pipe.\n",
        capture_output=True,
        check=True,
        timeout=60,
    )
    assert b"created memory/piped" in done.stdout
    assert memgit(kb, "show", "memory/piped", "--json").json["body"] == "From a pipe."


def test_an_open_pipe_that_stays_empty_does_not_hang(kb: Path) -> None:
    process = subprocess.Popen(
        [*COMMAND, "-C", str(kb), "record", "memory", "No body"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert process.wait(timeout=60) == 0
    process.communicate()


def test_interrupting_leaves_a_clean_state(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    process = start(kb, "record", "memory", "Two", "-m", "y")
    time.sleep(0.12)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    memgit(kb, "record", "memory", "Three", "-m", "z")
    assert status(kb) == ""
    fsck(kb)
