"""What differs in record folders, found from a look at the folders: the same as a whole `git status` says, at
any moment.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from memgit.git.repository import Repository
from memgit.git.worktree import status, untracked
from memgit.git.worktree.status import Dirty, Look, dirty
from memgit.git.worktree.untracked import Walk
from tests.git.helpers import commit_files, opened
from tests.support import run_git
from tests.support import status as status_of

ROOTS = ("a/", "b/deep/", "n/")


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(
        repo,
        {
            f"{folder}{name}.md": f"{name}\n".encode()
            for folder in ("a/", "a/x/", "b/", "b/deep/", "b/deep/er/", "c/")
            for name in "123"
        },
    )
    commit_files(repo, {".gitignore": b"*.tmp.md\nignored/\n", "a/other.txt": b"x\n"})
    return repo


def names(repo: Repository, roots: tuple[str, ...] = ROOTS) -> list[str]:
    return [row.path for row in Look(repo, repo.head().commit, roots).rows()]


def told(repo: Repository, roots: tuple[str, ...] = ROOTS) -> list[str]:
    """The same by a `git status` of everything."""
    return [row.path for row in dirty(repo) if row.path.endswith(".md") and row.path.startswith(roots)]


def known(folder: Path) -> dict[str, list[object]]:
    """The folders that are written down, with what stands for each."""
    (file,) = (folder / ".git/memgit").glob("folders-*.json")
    found: dict[str, list[object]] = json.loads(file.read_text())["folders"]
    return found


def test_every_kind(kb: Path) -> None:
    (kb / "a/1.md").write_text("changed\n")
    (kb / "a/2.md").unlink()
    (kb / "a/new.md").write_text("new\n")
    (kb / "a/new.txt").write_text("no record\n")
    (kb / "a/x.tmp.md").write_text("ignored\n")
    (kb / "a/ignored").mkdir()
    (kb / "a/ignored/y.md").write_text("ignored\n")
    (kb / "a/staged.md").write_text("staged\n")
    run_git(kb, "add", "a/staged.md")
    (kb / "a/meant.md").write_text("meant\n")
    run_git(kb, "add", "-N", "a/meant.md")
    run_git(kb, "rm", "-q", "--cached", "a/3.md")
    (kb / "b/deep/new/er").mkdir(parents=True)
    (kb / "b/deep/new/er/z.md").write_text("new\n")
    (kb / "b/outside.md").write_text("not below a root\n")
    (kb / "a/.hidden").mkdir()
    (kb / "a/.hidden/h.md").write_text("no record lies in a hidden folder\n")
    (kb / "a/link.md").symlink_to("1.md")
    run_git(kb, "init", "-q", "a/inner")
    (kb / "a/inner/i.md").write_text("of a repository of its own\n")
    opened_ = opened(kb)
    want = [
        "a/1.md",
        "a/2.md",
        "a/3.md",
        "a/link.md",
        "a/meant.md",
        "a/new.md",
        "a/staged.md",
        "b/deep/new/er/z.md",
    ]
    assert names(opened_) == want
    assert [path for path in told(opened_) if "hidden" not in path] == want
    assert Dirty("a/new.md", "untracked") in Look(opened_, opened_.head().commit, ROOTS).rows()


def test_folders_are_read_once(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    time.sleep(0.15)
    repo = opened(kb)
    assert names(repo) == []
    assert all(row[0] for row in known(kb).values()), "folders that nobody touched are settled"
    read: list[str] = []
    real = Walk._read

    def noted(walk: Walk, path: str, *rest: Any) -> Any:
        read.append(path)
        return real(walk, path, *rest)

    monkeypatch.setattr(Walk, "_read", noted)
    assert names(opened(kb)) == []
    assert read == []
    (kb / "a/x/new.md").write_text("new\n")
    assert names(opened(kb)) == ["a/x/new.md"]
    assert read == ["a/x/"]
    # It was read too soon after its change to be sure, and is read again until it is not.
    time.sleep(0.15)
    assert names(opened(kb)) == ["a/x/new.md"] == names(opened(kb))
    assert read == ["a/x/", "a/x/"]


def test_a_folder_that_changes_while_it_is_young(kb: Path) -> None:
    """Many changes within one tick of the clock: none is missed, however the times fall."""
    for number in range(60):
        path = kb / f"a/{number}-young.md"
        path.write_text("x\n")
        assert names(opened(kb)) == told(opened(kb)) and f"a/{path.name}" in names(opened(kb))
        path.unlink()
        assert names(opened(kb)) == []


def test_the_same_after_anything(kb: Path) -> None:
    """Random changes of files, folders, index, branches and ignore rules: after each, both ways tell the
    same.
    """
    chance = random.Random(5)
    folders = ["a", "a/x", "a/y", "a/y/z", "b", "b/deep", "b/deep/er", "n", "n/m"]
    repo = opened(kb)
    git = ("-c", "core.safecrlf=false")
    for step in range(110):
        folder = kb / chance.choice(folders)
        file = folder / f"{chance.choice('1234')}{chance.choice(['.md', '.md', '.tmp.md', '.txt'])}"
        act = chance.choice(
            [
                "write",
                "write",
                "drop",
                "rmtree",
                "add",
                "uncache",
                "commit",
                "switch",
                "ignore",
                "touch",
                "soft",
                "mv",
                "link",
            ]
        )
        if act == "write" and not file.is_symlink():
            folder.mkdir(parents=True, exist_ok=True)
            file.write_text(f"{step}\n")
        elif act == "drop":
            file.unlink(missing_ok=True)
        elif act == "rmtree" and chance.random() < 0.4:
            shutil.rmtree(folder, ignore_errors=True)
        elif act == "add" and file.exists():
            run_git(kb, *git, "add", "-f" if chance.random() < 0.3 else "--", str(file), check=False)
        elif act == "uncache":
            run_git(kb, "rm", "-q", "--cached", "--ignore-unmatch", "--", str(file))
        elif act == "commit":
            run_git(kb, *git, "commit", "-q", "-a", "-m", str(step), "--allow-empty")
        elif act == "switch":
            run_git(kb, "checkout", "-q", "-B", f"branch-{chance.randrange(3)}", check=False)
            run_git(kb, "checkout", "-q", f"branch-{chance.randrange(3)}", check=False)
        elif act == "ignore":
            (kb / ".gitignore").write_text(chance.choice(["", "*.tmp.md\n", "y/\n", "a/x/\n*.tmp.md\n"]))
        elif act == "touch" and file.exists():
            os.utime(file)
        elif act == "soft":
            run_git(kb, "reset", "-q", "--soft", "HEAD~1", check=False)
        elif act == "mv" and folder.is_dir() and not (kb / "n/moved").exists():
            (kb / "n").mkdir(exist_ok=True)
            os.rename(folder, kb / "n/moved") if folder.name != "n" else None
        elif act == "link" and not file.exists() and folder.is_dir():
            file.symlink_to("1.md")
        if step % 9 == 0:
            time.sleep(0.11)
        repo = opened(kb) if chance.random() < 0.7 else repo
        assert names(repo) == told(repo), (step, act, file)


def test_a_root_inside_the_working_tree_and_narrow_roots(kb: Path) -> None:
    (kb / "b/deep/er/new.md").write_text("x\n")
    (kb / "a/new.md").write_text("x\n")
    inside = opened(kb).at_prefix("b")
    assert names(inside, ("deep/",)) == ["deep/er/new.md"]
    assert names(inside, ("",)) == ["deep/er/new.md"]
    assert names(opened(kb), ("",)) == ["a/new.md", "b/deep/er/new.md"]
    assert names(opened(kb), ("none/",)) == []
    assert len(list((kb / ".git/memgit").glob("folders-*.json"))) >= 3


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b'{"key": 1}', b"\xff\xfe"])
def test_what_is_written_down_may_be_spoilt(kb: Path, data: bytes) -> None:
    time.sleep(0.15)
    (kb / "a/new.md").write_text("x\n")
    assert names(opened(kb)) == ["a/new.md"]
    (file,) = (kb / ".git/memgit").glob("folders-*.json")
    whole = file.read_bytes()
    file.write_bytes(data)
    assert names(opened(kb)) == ["a/new.md"]
    file.write_bytes(whole.replace(b'"commit": "', b'"commit": "0'))
    assert names(opened(kb)) == ["a/new.md"]


def test_without_a_place_to_write_git_is_asked(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (kb / ".git/memgit").write_text("a file where the folder should be\n")
    (kb / "a/new.md").write_text("x\n")
    assert names(opened(kb)) == ["a/new.md"]
    (kb / ".git/memgit").unlink()
    monkeypatch.setattr(untracked, "MAX_FOLDERS", 2)
    assert names(opened(kb)) == ["a/new.md"]


def test_many_untracked_files_and_unborn_branches(kb: Path, tmp_path: Path) -> None:
    for number in range(250):
        (kb / f"a/many-{number}.md").write_text("x\n")
    assert names(opened(kb)) == told(opened(kb))
    run_git(tmp_path, "init", "-q", "fresh")
    (tmp_path / "fresh/a").mkdir()
    (tmp_path / "fresh/a/1.md").write_text("x\n")
    assert names(opened(tmp_path / "fresh")) == ["a/1.md"]


def test_a_commit_that_lets_go_of_a_file_that_stays(kb: Path) -> None:
    """Nothing in the folder changes, only what the commit has of it."""
    time.sleep(0.15)
    assert names(opened(kb)) == []
    run_git(kb, "rm", "-q", "--cached", "b/deep/er/1.md")
    run_git(kb, "commit", "-q", "-m", "let go")
    assert Look(opened(kb), opened(kb).head().commit, ROOTS).rows() == [Dirty("b/deep/er/1.md", "untracked")]
    run_git(kb, "checkout", "-q", "--orphan", "bare")
    run_git(kb, "rm", "-r", "-q", "--cached", "a")
    run_git(kb, "commit", "-q", "-m", "let go of a folder")
    assert names(opened(kb)) == told(opened(kb))
    assert "a/x/1.md" in names(opened(kb))


def test_folders_know_what_a_commit_changed(kb: Path) -> None:
    (kb / ".memgit.yaml").write_text("version: 1\n")
    assert names(opened(kb)) == []
    run_git(kb, "rm", "-q", "--cached", "b/deep/er/1.md")
    (kb / "a/4.md").write_text("new\n")
    run_git(kb, "add", "a/4.md")
    run_git(kb, "commit", "-q", "-m", "one out, one in")
    repo = opened(kb)
    assert Look(repo, repo.head().commit, ROOTS).rows() == [Dirty("b/deep/er/1.md", "untracked")]
    assert names(opened(kb)) == told(opened(kb)) == ["b/deep/er/1.md"]


@pytest.mark.parametrize("gone", ["0" * 39 + "1", "HEAD", "--help", ""])
def test_folders_of_a_commit_that_is_gone_are_read_again(kb: Path, gone: str) -> None:
    time.sleep(0.15)
    assert names(opened(kb)) == []
    (file,) = (kb / ".git/memgit").glob("folders-*.json")
    written = json.loads(file.read_text())
    written["folders"]["a/"][2] = ["never.md"]
    file.write_text(json.dumps({**written, "commit": gone}))
    assert names(opened(kb)) == []
    assert json.loads(file.read_text())["folders"]["a/"][2] == []


def meanwhile(monkeypatch: pytest.MonkeyPatch, act: Any) -> None:
    """Does something once between the look at tracked files and the look at the others."""
    real = Walk.extra
    left = [act]

    def extra(walk: Walk) -> list[str]:
        found = real(walk)
        if left:
            left.pop()()
        return found

    monkeypatch.setattr(Walk, "extra", extra)


def test_a_file_that_is_staged_meanwhile_is_in_one_of_the_two(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (kb / ".memgit.yaml").write_text("version: 1\n")
    (kb / "a/new.md").write_text("new\n")
    meanwhile(monkeypatch, lambda: run_git(kb, "add", "a/new.md"))
    assert names(opened(kb)) == ["a/new.md"]


def test_an_edit_that_is_committed_meanwhile_still_differs_from_the_commit_that_was_asked_for(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo = opened(kb)
    before = repo.head().commit
    (kb / "a/1.md").write_text("changed\n")
    (kb / "a/2.md").unlink()
    (kb / "a/new.md").write_text("new\n")
    (kb / "a/other.md").write_text("never staged\n")

    def commit() -> None:
        run_git(kb, "add", "a/1.md", "a/2.md", "a/new.md")
        run_git(kb, "commit", "-q", "-m", "meanwhile")

    meanwhile(monkeypatch, commit)
    want = [
        Dirty("a/1.md", "modified"),
        Dirty("a/2.md", "deleted"),
        Dirty("a/new.md", "added"),
        Dirty("a/other.md", "untracked"),
    ]
    assert Look(repo, before, ROOTS).rows() == want
    assert Look(repo, before, ROOTS).rows() == want
    assert names(opened(kb)) == ["a/other.md"]


def test_times_as_fat_has_them_are_not_relied_upon(kb: Path) -> None:
    """Windows leaves the time of such a folder as it is when a file comes; the folder at the top of the disk
    has no time at all.
    """
    for nanoseconds in (0, 1_700_000_000_000_000_000, 1_700_000_000_010_000_000):
        os.utime(kb / "a", ns=(nanoseconds, nanoseconds))
        time.sleep(0.12)
        assert names(opened(kb)) == []
        assert known(kb)["a/"][0] == []
        assert known(kb)["a/x/"][0] != []


@pytest.mark.parametrize("how", ["in parts", "listed", "first"])
def test_what_was_staged_and_is_committed_while_git_looks(
    kb: Path, monkeypatch: pytest.MonkeyPatch, how: str
) -> None:
    """HEAD alone moves: git names the commit from before, compares with the one from after, and finds nothing
    that differs.
    """
    if how == "first":
        run_git(kb, "switch", "-q", "--orphan", "empty")
        (kb / "a").mkdir()
    (kb / "a/new.md").write_text("new\n")
    run_git(kb, "add", "a/new.md")
    repo = opened(kb)
    before = repo.head().commit
    assert (before is None) == (how == "first")

    def commit() -> None:
        parent = ["-p", before] if before is not None else []
        run_git(
            kb,
            "update-ref",
            "HEAD",
            run_git(kb, "commit-tree", run_git(kb, "write-tree"), *parent, "-m", "meanwhile"),
        )

    def unsure(walk: Walk) -> list[str]:
        raise untracked.Unsure

    def late(repo: Repository) -> list[Dirty]:
        commit()
        return dirty(repo)

    if how == "in parts":
        commit()
        monkeypatch.setattr(status, "_compared_with", lambda told: before)
    else:
        monkeypatch.setattr(Walk, "extra", unsure)
        monkeypatch.setattr(status, "dirty", late)
    assert Look(repo, before, ("a/",)).rows() == [Dirty("a/new.md", "added")]
    assert status_of(kb) == ""


@pytest.mark.parametrize("prefix", ["", "a"])
def test_what_is_listed_counts_from_the_knowledge_root(
    kb: Path, monkeypatch: pytest.MonkeyPatch, prefix: str
) -> None:
    repo = opened(kb).at_prefix(prefix)
    before = repo.head().commit
    (kb / "a/x/1.md").write_text("changed\n")
    (kb / "b/1.md").write_text("changed\n")
    run_git(kb, "commit", "-qam", "meanwhile")
    (kb / "a/x/2.md").write_text("changed\n")

    def unsure(walk: Walk) -> list[str]:
        raise untracked.Unsure

    monkeypatch.setattr(Walk, "extra", unsure)
    root = "x/" if prefix else "a/x/"
    assert Look(repo, before, (root,)).rows() == [
        Dirty(f"{root}1.md", "modified"),
        Dirty(f"{root}2.md", "modified"),
    ]
