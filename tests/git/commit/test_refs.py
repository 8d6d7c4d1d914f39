"""Commits on refs that are not checked out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import Refused
from memgit.git.commit import refs
from tests.git.helpers import assert_in_order, commit_files, opened, put, reflogs
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[3]
USAGE = "refs/memgit/usage/k3"


USE = "use: skill/x\n\nMemgit-Op: use\n"


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"kb/a.md": b"a\n"})
    return repo


def test_empty_commits_on_a_ref_of_their_own(kb: Path) -> None:
    head = run_git(kb, "rev-parse", "HEAD")
    one = refs.commit_on(opened(kb), USAGE, USE)
    two = refs.commit_on(opened(kb), USAGE, USE)
    assert run_git(kb, "rev-list", USAGE).split("\n") == [two, one]
    assert run_git(kb, "ls-tree", "-r", USAGE) == ""
    assert run_git(kb, "log", "-1", "--format=%B|%an", USAGE) == "use: skill/x\n\nMemgit-Op: use\n|Ada Moss"
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert_in_order(kb)


def test_a_branch_that_is_checked_out_is_left_alone(kb: Path) -> None:
    with pytest.raises(Refused, match="is checked out"):
        refs.commit_on(opened(kb), "refs/heads/main", USE)


def test_many_at_once(kb: Path) -> None:
    script = (
        "import os, sys\nfrom memgit.git.commit import refs\nfrom memgit.git.repository import Repository\n"
        "for _ in range(5): refs.commit_on(Repository.open(sys.argv[1], os.environ), sys.argv[2], 'use: x\\n')"
    )
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    children = [
        subprocess.Popen([sys.executable, "-c", script, str(kb), USAGE], env=env, stderr=subprocess.PIPE)
        for _ in range(4)
    ]
    for child in children:
        _, err = child.communicate()
        assert child.returncode == 0, err.decode()
    assert run_git(kb, "rev-list", "--count", USAGE) == "20"


def test_in_a_bare_repository(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    assert refs.commit_on(opened(tmp_path / "bare.git"), USAGE, USE)


def test_message_is_stored_as_utf8() -> None:
    assert refs.message_bytes("a\0b\n\n\n") == b"ab\n"
    assert refs.message_bytes("Gr\u00f6\u00dfe") == "Größe\n".encode()
    assert refs.message_bytes("caf\udce9") == b"caf\\udce9\n"


@pytest.mark.parametrize("state", ["loose", "packed", "slash", "logs off", "logs always"])
def test_a_branch_is_moved_with_its_reflogs(kb: Path, state: str) -> None:
    if state == "packed":
        run_git(kb, "pack-refs", "--all", "--prune")
    elif state == "slash":
        run_git(kb, "branch", "main/side", check=False)  # refused: a file is in the way
        run_git(kb, "branch", "other/side")
    elif state != "loose":
        run_git(kb, "config", "core.logAllRefUpdates", "false" if state == "logs off" else "always")
    for number in range(3):
        put(kb, {"kb/a.md": b"%d\n" % number})
    assert [len(moves) for moves in reflogs(kb).values()] == [4, 4]
    assert_in_order(kb)


@pytest.mark.parametrize(
    "state", ["symbolic", "folder", "no log", "link", "linked log", "detached", "HEAD is a link", "hook"]
)
def test_odd_refs_are_moved(kb: Path, state: str) -> None:
    git = kb / ".git"
    if state == "symbolic":
        run_git(kb, "branch", "real")
        run_git(kb, "symbolic-ref", "refs/heads/main", "refs/heads/real")
    elif state == "folder":
        run_git(kb, "pack-refs", "--all", "--prune")
        (git / "refs/heads/main").mkdir()
    elif state == "no log":
        (git / "logs/HEAD").unlink()
    elif state == "link":
        (git / "refs/heads/main").rename(git / "refs/heads/real")
        (git / "refs/heads/main").symlink_to("real")
    elif state == "linked log":
        (git / "logs/HEAD").rename(git / "log")
        (git / "logs/HEAD").symlink_to("../log")
    elif state == "detached":
        run_git(kb, "checkout", "-q", "--detach")
    elif state == "HEAD is a link":
        (git / "HEAD").unlink()
        (git / "HEAD").symlink_to("refs/heads/main")
    else:
        (git / "hooks/reference-transaction").write_text(
            '#!/bin/sh\ncat >> "$(git rev-parse --git-dir)/heard"\n'
        )
        (git / "hooks/reference-transaction").chmod(0o755)
    done = put(kb, {"kb/a.md": b"new\n"})
    assert run_git(kb, "rev-parse", "HEAD") == done.commit
    if state == "symbolic":
        assert run_git(kb, "rev-parse", "real") == done.commit and (
            git / "refs/heads/main"
        ).read_text().startswith("ref:")
    if state == "hook":
        assert str(done.commit) in (git / "heard").read_text()
    assert_in_order(kb)


@pytest.mark.parametrize("locked", ["HEAD", "refs/heads/main"])
def test_a_lock_of_another_program_is_waited_for_and_named(
    kb: Path, monkeypatch: pytest.MonkeyPatch, locked: str
) -> None:
    """That on HEAD too: whoever holds it may be writing HEAD's reflog anew."""
    monkeypatch.setattr(refs, "LOCK_WAIT", 0.2)
    before = reflogs(kb)
    path = kb / f".git/{locked}.lock"
    path.touch()
    with pytest.raises(Refused, match=rf"another program holds .*{locked}\.lock is \d+ seconds old"):
        put(kb, {"kb/a.md": b"new\n"})
    assert path.exists() and reflogs(kb) == before
    path.unlink()
    put(kb, {"kb/a.md": b"new\n"})
    reflogs(kb)
    assert_in_order(kb)


def test_a_switch_to_another_branch_meanwhile(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is committed goes to the branch that is checked out then."""
    real = refs._swapped

    def swapped(*args: Any) -> str | None:
        run_git(kb, "switch", "-q", "-c", "side")
        return real(*args)

    monkeypatch.setattr(refs, "_swapped", swapped)
    main = run_git(kb, "rev-parse", "main")
    done = put(kb, {"kb/a.md": b"new\n"})
    assert run_git(kb, "rev-parse", "side") == done.commit and run_git(kb, "rev-parse", "main") == main
    assert (kb / ".git/logs/HEAD").read_text().count("\n") == 3
    assert_in_order(kb)


@pytest.mark.parametrize(
    "subject", ["a\tb", "a\r b", "caf\udce9", "half \ud800 pair", "\U0001f600", "x" * 5000]
)
def test_any_subject(kb: Path, subject: str) -> None:
    put(kb, {"kb/a.md": b"new\n"}, message=f"{subject}\n")
    assert [len(moves) for moves in reflogs(kb).values()] == [2, 2]
    assert_in_order(kb)


def test_a_reflog_whose_last_move_did_not_come(kb: Path) -> None:
    log = kb / ".git/logs/HEAD"
    before = log.read_bytes()
    refs.forget(str(log), "0" * 40)
    assert log.read_bytes() == before
    log.write_bytes(before * 400 + before[41:81] + b" " + b"1" * 40 + b" A <a@b> 1 +0000\tmemgit: x\n")
    refs.forget(str(log), "2" * 40)
    refs.forget(str(log), "1" * 40)
    refs.forget(str(log), "1" * 40)
    assert log.read_bytes() == before * 400
