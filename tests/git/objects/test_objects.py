"""Objects read and written: what git reads and writes, damaged or removed as they may be."""

from __future__ import annotations

import os
import subprocess
import time
import zlib
from contextlib import suppress
from pathlib import Path

import pytest

from memgit.errors import Broken, Refused
from memgit.git import process
from memgit.git.commit import lock
from memgit.git.commit.commit import Change, commit
from memgit.git.objects import libgit, objects
from tests.git.helpers import (
    MESSAGE,
    assert_in_order,
    commit_files,
    leftovers,
    line_merge,
    opened,
    porcelain,
    put,
    put_unprivileged,
)
from tests.support import childless, run_git


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
    assert (
        subprocess.run(["git", "cat-file", "blob", oid], cwd=kb, capture_output=True, check=True).stdout
        == data
    )
    assert loose(kb, oid).stat().st_mode & 0o777 == 0o444 & ~os.umask(os.umask(0o022))
    assert opened(kb).read(oid) == (libgit.BLOB, data)
    run_git(kb, "fsck", "--strict", "--no-dangling")
    assert list((kb / ".git/objects").rglob("tmp_obj_*")) == []


def test_an_object_that_is_there_is_not_written_again_but_kept(kb: Path) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    os.utime(loose(kb, oid), (1, 1))
    before = loose(kb, oid).stat().st_ino
    assert opened(kb).write_blob(b"a\n") == oid
    assert loose(kb, oid).stat().st_ino == before and loose(kb, oid).stat().st_mtime > 1_000_000


def test_a_packed_object_is_written_without_asking_git(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run_git(kb, "gc", "-q")
    with monkeypatch.context() as patch:
        patch.setattr(process, "Child", lambda *args, **options: pytest.fail("git was asked"))
        repo = opened(kb)
        oid = repo._objects.write(libgit.BLOB, b"a\n")
    assert loose(kb, oid).exists() and oid == run_git(kb, "rev-parse", "HEAD:a.md")
    run_git(kb, "fsck", "--strict")
    run_git(kb, "gc", "-q")
    assert not loose(kb, oid).exists()


def deflated(data: bytes) -> bytes:
    return zlib.compress(b"blob %d\0%b" % (len(data), data))


WHOLE = deflated(b"a\n")
DAMAGES = {
    "empty": b"",
    "no zlib": b"no zlib",
    "cut off": WHOLE[:-7],
    "cut in the head": WHOLE[:6],
    "flipped": WHOLE[:-1] + b"?",
    "promises more": zlib.compress(b"blob 3\0a\n"),
    "promises less": zlib.compress(b"blob 1\0a\n"),
    "other": deflated(b"b\n"),
    "other type": zlib.compress(b"tree 2\0a\n"),
    "no type": zlib.compress(b"x 2\0a\n"),
    "no head": zlib.compress(b"blob x"),
}


def damage(kb: Path, oid: str, data: bytes) -> None:
    loose(kb, oid).chmod(0o644)
    loose(kb, oid).write_bytes(data)


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_object_is_never_taken_for_a_whole_one(kb: Path, name: str) -> None:
    """And it is told at once: libgit2 never comes to the end of one that was cut off."""
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    damage(kb, oid, DAMAGES[name])
    repo = opened(kb)
    start = time.monotonic()
    for go in (lambda: repo.read(oid), lambda: repo.write_blob(b"a\n")):
        with pytest.raises(Broken, match=r"is damaged: .*/objects/") as caught:
            go()
        assert (
            caught.value.exit_code == 3
            and caught.value.hint == "git fsck"
            and str(loose(kb, oid)) in caught.value.message
        )
    assert time.monotonic() - start < 9
    assert childless()


@pytest.mark.parametrize("name", DAMAGES)
def test_a_damaged_object_that_a_pack_has_too(kb: Path, name: str) -> None:
    """It is read from there, though newer versions of git stumble over the damaged one."""
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    held = loose(kb, oid).read_bytes()
    run_git(kb, "gc", "-q")
    loose(kb, oid).parent.mkdir(exist_ok=True)
    loose(kb, oid).write_bytes(held)
    damage(kb, oid, DAMAGES[name])
    assert opened(kb).blob(oid) == b"a\n"
    assert opened(kb).write_blob(b"a\n") == oid


def test_an_object_that_cannot_be_read(kb: Path) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    loose(kb, oid).unlink()
    loose(kb, oid).mkdir()
    with pytest.raises(Broken, match=r"cannot be read \(Is a directory\)"):
        opened(kb).read(oid)
    with pytest.raises(Broken, match="cannot be read"):
        opened(kb).write_blob(b"a\n")


def test_a_write_that_meets_a_damaged_object_changes_nothing(kb: Path) -> None:
    repo = opened(kb)
    oid = repo.write_blob(b"new\n")
    damage(kb, oid, DAMAGES["cut off"])
    head = run_git(kb, "rev-parse", "HEAD")
    with pytest.raises(Broken, match="is damaged"):
        put(kb, {"a.md": b"new\n"})
    assert run_git(kb, "rev-parse", "HEAD") == head and porcelain(kb) == [] and list(leftovers(kb)) == []
    loose(kb, oid).unlink()
    put(kb, {"a.md": b"new\n"})
    assert_in_order(kb)


def test_a_missing_object_is_no_wrong_usage(kb: Path) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    loose(kb, oid).unlink()
    with pytest.raises(Broken, match="missing or broken") as caught:
        opened(kb).read(oid)
    assert caught.value.exit_code == 3


@pytest.mark.parametrize("taken", ["folder", "file", "always"])
def test_a_prune_that_removes_what_is_half_written(
    kb: Path, monkeypatch: pytest.MonkeyPatch, taken: str
) -> None:
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

    monkeypatch.setattr(os, "replace", rename)
    repo = opened(kb)
    if taken == "always":
        with pytest.raises(Refused, match="cannot be written: No such file"):
            repo.write_blob(b"new\n")
    else:
        assert opened(kb).blob(repo.write_blob(b"new\n")) == b"new\n"
        assert len(seen) == 2
    assert list((kb / ".git/objects").rglob("tmp_obj_*")) == []


def test_objects_of_another_repository(kb: Path, tmp_path: Path) -> None:
    """They are read where they lie, by way of one that borrows them itself, too."""
    run_git(tmp_path, "clone", "-q", "--shared", str(kb), "first")
    run_git(tmp_path, "clone", "-q", "--shared", "first", "second")
    second = tmp_path / "second"
    (second / ".git/objects/info/alternates").write_bytes(
        b'# one\n\n"/odd"\n../../../first/.git/objects\n/nowhere\n' * 2
    )
    (kb / ".git/objects/info/alternates").write_text(f"{second}/.git/objects\n")  # and in a circle
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    assert not loose(second, oid).exists()
    assert opened(second).read_loose(oid) == opened(second).read(oid) == (libgit.BLOB, b"a\n")
    (kb / ".git/objects/info/alternates").unlink()
    put(second, {"a.md": b"new\n"})
    run_git(second, "fsck", "--strict", "--no-dangling")
    damage(kb, oid, DAMAGES["cut off"])
    for _ in range(2):
        with pytest.raises(Broken, match="is damaged") as caught:
            opened(second).read(oid)
        assert str(loose(kb, oid)) in caught.value.message


def test_what_was_written_is_held_until_a_ref_leads_to_it(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(objects, "_MAX_HELD", 10_000)
    repo = opened(kb)
    own = repo._objects
    for number in range(50):
        repo.write_blob(b"%d\n" % number * 500)
        assert sum(len(data) for _, data in own.written.values()) <= 10_000
    assert repo.hash_blob(b"49\n" * 500) in own.written
    commit(repo, lambda tree, head: Change({"a.md": b"new\n"}, MESSAGE), merge=line_merge)
    assert not own.written
    repo.write_blob(b"more\n")
    assert len(own.written) == 1


def test_another_view_of_a_repository_holds_no_lock(kb: Path) -> None:
    """The handle is closed by whom it belongs to."""
    repo = opened(kb)
    with lock.hold(repo, 0):
        assert repo.lock_handle is not None and repo.at("b").lock_handle is None


def test_an_object_folder_that_cannot_be_written(kb: Path) -> None:
    (kb / ".git/objects").chmod(0o555)
    try:
        done = put_unprivileged(kb, {"a.md": b"new\n"})
        assert done.returncode == 3 and "cannot be written" in done.stdout, done.stderr
    finally:
        (kb / ".git/objects").chmod(0o755)


def test_a_user_who_wants_everything_on_the_disk(kb: Path) -> None:
    run_git(kb, "config", "core.fsyncObjectFiles", "true")
    repo = opened(kb)
    assert repo.hardened
    assert opened(kb).blob(repo.write_blob(b"new\n")) == b"new\n"
