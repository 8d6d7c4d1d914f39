"""Packing now and then, and repositories that several users share."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.git.helpers import assert_in_order, commit_files, put
from tests.support import run_git


@pytest.fixture
def kb(repo: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for role in ("AUTHOR", "COMMITTER"):  # or an object of each run's own would lie in the folder that counts
        monkeypatch.setenv(f"GIT_{role}_DATE", "1767225600 +0000")
    commit_files(repo, {"a.md": b"a\n"})
    run_git(repo, "config", "gc.auto", "300")
    run_git(repo, "config", "gc.autoDetach", "false")
    run_git(repo, "config", "maintenance.auto", "true")
    run_git(repo, "config", "maintenance.autoDetach", "false")
    return repo


def packs(kb: Path) -> int:
    return len(list((kb / ".git/objects/pack").glob("*.pack")))


def fill(kb: Path, count: int) -> None:
    folder = kb / ".git/objects/17"
    folder.mkdir(exist_ok=True)
    for number in range(count):
        (folder / f"{number:038x}").write_bytes(b"")


def test_git_is_asked_only_where_it_would_pack(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git guesses by the number of files in one of 256 folders (gc.auto / 256); so does memgit, before it
    starts anything.
    """
    from memgit.git import process

    asked = []
    real = process.attempt

    def attempt(args: list[str], **options: object) -> object:
        if "maintenance" in args:
            asked.append(args)
            return process.Done(0, b"", b"")
        return real(args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "attempt", attempt)
    put(kb, {"a.md": b"b\n"})
    fill(kb, 2)
    put(kb, {"a.md": b"c\n"})
    assert asked == []
    fill(kb, 3)
    put(kb, {"a.md": b"d\n"})
    assert asked == [["maintenance", "run", "--auto", "--quiet"]]
    run_git(kb, "config", "gc.auto", "0")
    put(kb, {"a.md": b"e\n"})
    run_git(kb, "config", "gc.auto", "300")
    run_git(kb, "config", "maintenance.auto", "false")
    put(kb, {"a.md": b"f\n"})
    assert len(asked) == 1


def test_git_packs(kb: Path) -> None:
    run_git(kb, "config", "gc.auto", "1")
    number = 0
    while len(list((kb / ".git/objects").glob("17/*"))) < 2:
        number += 1
        data = b"%d\n" % number
        if run_git(kb, "hash-object", "--stdin", data=data).startswith("17"):
            run_git(kb, "hash-object", "-w", "--stdin", data=data)
    put(kb, {"a.md": b"b\n"})
    assert packs(kb) >= 1
    assert_in_order(kb)


@pytest.mark.parametrize(("value", "bits"), [("group", 0o020), ("all", 0o024), ("0660", 0o020)])
def test_shared_repository(kb: Path, value: str, bits: int) -> None:
    run_git(kb, "config", "core.sharedRepository", value)
    was = os.umask(0o077)
    try:
        put(kb, {"kb/new.md": b"shared %s\n" % value.encode()})
    finally:
        os.umask(was)
    oid = run_git(kb, "rev-parse", "HEAD:kb/new.md")
    folder = kb / ".git/objects" / oid[:2]
    assert folder.stat().st_mode & bits == bits
    assert (kb / ".git/refs/heads/main").stat().st_mode & bits == bits
    assert (kb / ".git/index").stat().st_mode & bits == bits
    assert (kb / ".git/memgit/lock").stat().st_mode & 0o020 == 0o020
    assert (kb / "kb/new.md").stat().st_mode & 0o077 == 0
    assert_in_order(kb)
