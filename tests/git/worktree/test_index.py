"""The user's index: every format of it, its locks, and other programs at it."""

from __future__ import annotations

import os
import subprocess
import time
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit.commit import Change
from memgit.git.objects.tree import Entry, Tree
from memgit.git.repository import Head
from memgit.git.worktree import index
from memgit.git.worktree.index import Staged
from tests.git.helpers import (
    MESSAGE,
    assert_in_order,
    commit_files,
    committed,
    opened,
    porcelain,
    put,
    staged,
)
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {f"kb/{number:03}.md": f"{number}\n".encode() for number in range(50)})
    return repo


def exercise(kb: Path) -> None:
    """An update, a new file, a removal, and an edit that stays."""
    (kb / "kb/003.md").write_bytes(b"3\nmine\n")
    run_git(kb, "add", "kb/003.md")
    put(
        kb,
        {
            "kb/001.md": b"new\n",
            "kb/000.md": None,
            "kb/new.md": b"new\n",
            "kb/zz/deep.md": b"deep\n",
            "kb/003.md": b"top\n3\n",
        },
    )
    assert porcelain(kb) == ["M  kb/003.md"]
    assert staged(kb, "kb/003.md") == "top\n3\nmine\n"
    assert_in_order(kb, clean=False)


@pytest.mark.parametrize("version", ["2", "3", "4"])
def test_index_versions(kb: Path, version: str) -> None:
    run_git(kb, "update-index", "--index-version", version)
    exercise(kb)
    if version == "4":
        assert (kb / ".git/index").read_bytes()[4:8] == b"\0\0\0\4"


def test_split_index(kb: Path) -> None:
    run_git(kb, "config", "core.splitIndex", "true")
    run_git(kb, "update-index", "--split-index")
    exercise(kb)
    assert b"link\0" in (kb / ".git/index").read_bytes()


def test_untracked_cache(kb: Path) -> None:
    run_git(kb, "config", "core.untrackedCache", "true")
    run_git(kb, "update-index", "--force-untracked-cache")
    run_git(kb, "status")
    exercise(kb)


def test_no_hash_at_the_end_of_the_index(kb: Path) -> None:
    run_git(kb, "config", "index.skipHash", "true")
    run_git(kb, "update-index", "--force-write-index", check=False)
    exercise(kb)


@pytest.mark.parametrize("sparse_index", [False, True])
def test_sparse_checkout(kb: Path, sparse_index: bool) -> None:
    commit_files(kb, {"out/a.md": b"a\n", "out/b.md": b"b\n"})
    run_git(kb, "sparse-checkout", "init", "--cone", *(["--sparse-index"] if sparse_index else []))
    run_git(kb, "sparse-checkout", "set", "kb")
    assert not (kb / "out").exists()
    put(kb, {"out/a.md": b"new\n", "kb/001.md": b"new\n"})
    assert committed(kb, "out/a.md") == "new\n"
    assert not (kb / "out").exists()
    assert_in_order(kb)
    exercise(kb)


def test_assume_unchanged_stays(kb: Path) -> None:
    run_git(kb, "update-index", "--assume-unchanged", "kb/001.md")
    put(kb, {"kb/001.md": b"new\n"})
    assert run_git(kb, "ls-files", "-v", "kb/001.md") == "h kb/001.md"
    assert_in_order(kb)


def test_missing_index_means_that_all_is_removed_from_it(kb: Path) -> None:
    """As for git: without an index, everything counts as `git rm --cached`; new files are still added."""
    (kb / ".git/index").unlink()
    put(kb, {"kb/new.md": b"new\n", "kb/001.md": b"new\n"})
    assert run_git(kb, "ls-files") == "kb/new.md"
    assert (kb / "kb/001.md").read_bytes() == b"new\n"
    run_git(kb, "reset", "-q")
    assert_in_order(kb)


def test_index_named_by_the_environment(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = tmp_path / "other-index"
    other.write_bytes((kb / ".git/index").read_bytes())
    before = (kb / ".git/index").read_bytes()
    monkeypatch.setenv("GIT_DIR", str(kb / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    put(kb, {"kb/001.md": b"new\n"})
    assert (kb / ".git/index").read_bytes() == before
    assert porcelain(kb) == []


def test_index_of_another_repository_is_not_touched(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    other.mkdir()
    run_git(other, "init", "-q")
    commit_files(other, {"theirs.md": b"x\n"})
    before = (other / ".git/index").read_bytes()
    head = run_git(other, "rev-parse", "HEAD")
    monkeypatch.setenv("GIT_DIR", str(other / ".git"))
    monkeypatch.setenv("GIT_INDEX_FILE", str(other / ".git/index"))
    monkeypatch.setenv("GIT_WORK_TREE", str(other))
    put(kb, {"kb/001.md": b"new\n"})
    monkeypatch.undo()
    assert (other / ".git/index").read_bytes() == before
    assert run_git(other, "rev-parse", "HEAD") == head
    assert_in_order(kb)


def test_stale_lock_is_named_and_left_alone(kb: Path) -> None:
    lock = kb / ".git/index.lock"
    lock.write_bytes(b"")
    long_ago = time.time() - 3 * 3600
    os.utime(lock, (long_ago, long_ago))
    head = run_git(kb, "rev-parse", "HEAD")
    start = time.monotonic()
    with pytest.raises(Refused, match=r"index\.lock is 3 hours old") as caught:
        put(kb, {"kb/001.md": b"new\n"})
    assert time.monotonic() - start < 2
    assert f"rm '{lock}'" in str(caught.value.hint)
    assert lock.exists()
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert (kb / "kb/001.md").read_bytes() == b"1\n"
    lock.unlink()
    put(kb, {"kb/001.md": b"new\n"})
    assert_in_order(kb)


def test_young_lock_is_waited_for(kb: Path) -> None:
    lock = kb / ".git/index.lock"
    lock.write_bytes(b"")
    remover = subprocess.Popen(["sh", "-c", f"sleep 0.4; rm '{lock}'"])
    put(kb, {"kb/001.md": b"new\n"})
    remover.wait()
    assert_in_order(kb)


def test_young_lock_that_stays_is_refused_in_bounded_time(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index, "LOCK_WAIT", 0.3)
    lock = kb / ".git/index.lock"
    lock.write_bytes(b"")
    with pytest.raises(Refused, match=r"index\.lock is \d seconds? old"):
        put(kb, {"kb/001.md": b"new\n"})
    assert lock.exists()


def test_lock_taken_at_the_last_moment_takes_the_change_back(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index, "LOCK_WAIT", 0.2)
    real = index.build

    def build(*args: object, **options: object) -> bool:
        (kb / ".git/index.lock").write_bytes(b"")
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "build", build)
    head = run_git(kb, "rev-parse", "HEAD")
    with pytest.raises(Refused, match="holds git's index"):
        put(kb, {"kb/001.md": b"new\n", "kb/new.md": b"x\n", "kb/000.md": None})
    (kb / ".git/index.lock").unlink()
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert_in_order(kb)


def test_git_add_while_the_change_is_made(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The index is replaced after it was read: what was added meanwhile must still be staged."""
    real = index.build
    calls = []

    def build(*args: object, **options: object) -> bool:
        calls.append(1)
        if len(calls) == 1:
            (kb / "late").write_bytes(b"late\n")
            run_git(kb, "add", "late")
        return real(*args, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(index, "build", build)
    put(kb, {"kb/001.md": b"new\n"})
    assert len(calls) == 2
    assert porcelain(kb) == ["A  late"]
    assert_in_order(kb, clean=False)


def test_fetch_and_add_all_the_time(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(kb), "clone")
    clone = tmp_path / "clone"
    script = (
        "i=0; while [ ! -e stop ]; do i=$((i+1)); echo $i > busy-$((i%5)); git add . 2>/dev/null; git "
        "fetch -q; git status >/dev/null; done"
    )
    other = subprocess.Popen(["sh", "-c", script], cwd=clone, stderr=subprocess.DEVNULL)
    try:
        for number in range(25):
            put(clone, {f"kb/{number:03}.md": f"new {number}\n".encode()})
    finally:
        (clone / "stop").write_text("")
        other.wait()
    run_git(clone, "add", ".")
    assert all(row[3:].startswith(("busy-", "stop")) for row in porcelain(clone))
    assert run_git(clone, "rev-list", "--count", "HEAD") == "26"
    assert_in_order(clone, clean=False)


def test_edit_made_while_the_change_is_made(kb: Path) -> None:
    """The file is edited between the look at it and its replacement."""
    from memgit.git.commit import journal

    real = journal.write
    calls = []

    def write(*args: object) -> None:
        real(*args)  # type: ignore[arg-type]
        calls.append(1)
        if len(calls) == 1:
            (kb / "kb/001.md").write_bytes(b"1\nmine\n")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(journal, "write", write)
        put(kb, {"kb/001.md": b"top\n1\n"})
    assert (kb / "kb/001.md").read_bytes() == b"top\n1\nmine\n"
    assert committed(kb, "kb/001.md") == "top\n1\n"
    assert porcelain(kb) == [" M kb/001.md"]
    assert_in_order(kb, clean=False)


def test_what_is_staged_is_read_without_git_only_where_it_is_certain(kb: Path, tmp_path: Path) -> None:
    commit_files(kb, {"001.md": b"suffix of kb/001.md\n", "link": b"a name like that of an extension\n"})
    (kb / "kb/002.md").write_bytes(b"edited\n")
    run_git(kb, "add", "kb/002.md")
    repo = opened(kb)
    tree = repo.tree(run_git(kb, "rev-parse", "HEAD"))
    pinned = index.pin(repo, str(tmp_path / "pinned"))
    expected = {
        path: tree.get(path)
        for path in ("kb/001.md", "kb/002.md", "001.md", "1.md", "kb/none.md", "link", "md")
    }
    got = index.staged(repo, pinned, expected)
    listed = {}
    for row in run_git(kb, "ls-files", "-s", "-z").split("\0"):
        if row:
            meta, path = row.split("\t")
            mode, oid, _ = meta.split()
            listed[path] = Staged(Entry(int(mode, 8), oid))
    assert got == {path: listed.get(path) for path in expected}


def test_build_that_gives_no_change_is_called_once(kb: Path) -> None:
    calls = []

    def build(tree: Tree, head: Head) -> Change:
        calls.append(head)
        return Change({"kb/001.md": b"1\n"}, MESSAGE)

    assert put(kb, {}, build=build).commit is None
    assert len(calls) == 1


def test_file_system_without_links(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "link", refuse)
    exercise(kb)


def test_file_system_monitor_that_tells_nothing(kb: Path, tmp_path: Path) -> None:
    """git then trusts bits in its index rather than to look at files."""
    monitor = tmp_path / "monitor"
    monitor.write_text("#!/bin/sh\nprintf 'token\\0'\n")
    monitor.chmod(0o755)
    run_git(kb, "config", "core.fsmonitor", str(monitor))
    run_git(kb, "update-index", "--fsmonitor")
    run_git(kb, "status")
    put(kb, {"kb/001.md": b"new\n", "kb/000.md": None, "kb/new.md": b"new\n"})
    assert staged(kb, "kb/001.md") == "new\n"
    assert_in_order(kb)
    run_git(kb, "config", "--unset", "core.fsmonitor")
    assert_in_order(kb)


def test_a_write_of_git_makes_another_signature(repo: Path) -> None:
    commit_files(repo, {"a.md": b"a\n"})
    path = str(repo / ".git/index")
    before = index.signature_at(path)
    (repo / "c.md").write_text("c\n")
    run_git(repo, "add", "c.md")
    assert before is not None and index.signature_at(path) not in (None, before)
    assert index.signature_at(str(repo / "none")) is None
    assert index.signature_at(str(repo / "a.md/none")) is None


def test_a_hard_link_makes_no_other_signature(repo: Path) -> None:
    """Each write pins the index by a second name for a while."""
    commit_files(repo, {"a.md": b"a\n"})
    path = repo / ".git/index"
    before, changed = index.signature_at(str(path)), path.stat().st_ctime_ns
    while path.stat().st_ctime_ns == changed:  # as far as the file system tells times apart
        os.link(path, repo / ".git/second")
        (repo / ".git/second").unlink()
    assert index.signature_at(str(path)) == before
    assert index.pin(opened(repo), str(repo / ".git/pinned")).signature == before
