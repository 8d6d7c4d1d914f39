"""Objects read and written without libgit2."""

from __future__ import annotations

import os
import subprocess
import time
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from memgit.errors import NotFound, Refused
from memgit.git import libgit
from memgit.git.objects import FEW
from tests.git.helpers import commit_files, opened, put
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"a.md": b"a\n", "b/c.md": b"c\n"})
    return repo


def loose(repo: Path, oid: str) -> Path:
    return repo / ".git/objects" / oid[:2] / oid[2:]


@pytest.mark.parametrize("data", [b"", b"x\n", bytes(range(256)) * 500])
def test_what_is_written_is_what_git_writes(kb: Path, data: bytes) -> None:
    repo = opened(kb)
    oid = repo.write_blob(data)
    assert oid == run_git(kb, "hash-object", "--stdin", data=data)
    assert subprocess.run(["git", "cat-file", "blob", oid], cwd=kb, capture_output=True, check=True).stdout == data
    assert loose(kb, oid).stat().st_mode & 0o777 == 0o444 & ~os.umask(os.umask(0o022))
    assert opened(kb).read(oid) == (libgit.BLOB, data)
    assert repo._raw is None
    run_git(kb, "fsck", "--strict", "--no-dangling")
    assert list((kb / ".git/objects").rglob("tmp_obj_*")) == []


def test_an_object_that_is_there_is_not_written_again_but_kept(kb: Path) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    os.utime(loose(kb, oid), (1, 1))
    before = loose(kb, oid).stat().st_ino
    assert opened(kb).write_blob(b"a\n") == oid
    assert loose(kb, oid).stat().st_ino == before and loose(kb, oid).stat().st_mtime > 1_000_000
    run_git(kb, "gc", "-q")
    assert opened(kb).write_blob(b"a\n") == oid
    assert not loose(kb, oid).exists()


def test_a_whole_commit_needs_no_libgit2(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def loaded(place: str, *, trusted: bool = False) -> None:
        raise AssertionError("libgit2 was asked")

    for packed in (False, True):
        if packed:
            run_git(kb, "gc", "-q")
        with monkeypatch.context() as patch:
            patch.setattr(libgit, "open_repository", loaded)
            done = put(kb, {"a.md": b"more\n" if packed else b"new\n", "d/e/f.md": b"f\n" if packed else b"g\n"})
        assert run_git(kb, "rev-parse", "HEAD") == done.commit
    run_git(kb, "fsck", "--strict", "--no-dangling")
    assert len(run_git(kb, "reflog").split("\n")) == len(run_git(kb, "rev-list", "HEAD").split("\n")) == 3


@pytest.mark.parametrize("damage", [b"", b"no zlib", *map(zlib.compress, (b"blob 3\0a\n", b"blob 2\0b\n", b"blob x"))])
def test_a_damaged_object_is_never_taken_for_a_whole_one(kb: Path, damage: bytes) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    loose(kb, oid).chmod(0o644)
    loose(kb, oid).write_bytes(damage)
    start = time.monotonic()
    with pytest.raises(NotFound, match="missing or broken"):
        opened(kb).read(oid)
    assert time.monotonic() - start < 60  # git, asked for one that is shorter than it says, waits for ever


@pytest.mark.parametrize("taken", ["folder", "file", "always"])
def test_a_prune_that_removes_what_is_half_written(kb: Path, monkeypatch: pytest.MonkeyPatch, taken: str) -> None:
    """It removes empty folders and files under way alike; both are made once more."""
    real, seen = os.rename, []

    def rename(old: str, new: str) -> None:
        seen.append(old)
        if len(seen) == 1 or taken == "always":
            Path(old).unlink()
            if taken == "folder":
                with suppress(OSError):  # another object lies in it
                    Path(old).parent.rmdir()
        real(old, new)

    monkeypatch.setattr(os, "rename", rename)
    repo = opened(kb)
    if taken == "always":
        with pytest.raises(Refused, match="cannot be written: No such file"):
            repo.write_blob(b"new\n")
    else:
        assert opened(kb).blob(repo.write_blob(b"new\n")) == b"new\n"
        assert len(seen) == 2
    assert list((kb / ".git/objects").rglob("tmp_obj_*")) == []


def test_objects_of_another_repository(kb: Path, tmp_path: Path) -> None:
    """What only alternates hold is left to libgit2."""
    run_git(tmp_path, "clone", "-q", "--shared", str(kb), "second")
    second = tmp_path / "second"
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    assert not loose(second, oid).exists()
    assert opened(second).read(oid) == (libgit.BLOB, b"a\n")
    put(second, {"a.md": b"new\n"})
    run_git(second, "fsck", "--strict", "--no-dangling")


def test_many_are_left_to_libgit2(kb: Path) -> None:
    repo = opened(kb)
    for number in range(FEW + 2):
        repo.read(repo.write_blob(b"%d\n" % number))
    assert repo._raw is not None


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_an_object_folder_that_cannot_be_written(kb: Path) -> None:
    (kb / ".git/objects").chmod(0o555)
    try:
        with pytest.raises(Refused, match="cannot be written"):
            put(kb, {"a.md": b"new\n"})
    finally:
        (kb / ".git/objects").chmod(0o755)


def test_a_user_who_wants_everything_on_the_disk(kb: Path) -> None:
    run_git(kb, "config", "core.fsyncObjectFiles", "true")
    repo = opened(kb)
    assert repo.hardened
    repo.write_blob(b"new\n")
    assert repo._raw is not None
