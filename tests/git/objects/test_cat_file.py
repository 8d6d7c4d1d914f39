"""Objects as `git cat-file` gives them: whole, or none."""

from __future__ import annotations

import os
import sys
import zlib
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import process
from memgit.git.objects import cat_file
from memgit.git.objects.cat_file import CatFile, answers
from tests.git.helpers import commit_files, opened
from tests.support import run_git

MISSING = "12" * 20


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"a.md": b"a\n", "b/c.md": b"c\n"})
    return repo


def child_of(git: CatFile) -> process.Child:
    assert git._child is not None
    return git._child


@pytest.mark.parametrize("packed", [False, True])
def test_one_after_another(kb: Path, packed: bool) -> None:
    contents = [
        b"",
        b"\n",
        b"no newline",
        bytes(range(256)) * 3000,
        f"{MISSING} missing\n".encode(),
        f"{MISSING} blob 3\nabc\n".encode(),
    ]
    oids = [run_git(kb, "hash-object", "-w", "--stdin", data=data) for data in contents]
    if packed:
        run_git(
            kb,
            "tag",
            "kept",
            run_git(kb, "mktree", data="".join(f"100644 blob {oid}\t{oid}\n" for oid in oids).encode()),
        )
        run_git(kb, "gc", "-q", "--prune=now")
    git = CatFile(opened(kb))
    for oid, data in zip(oids, contents, strict=True):
        assert git.read(oid) == (b"blob", data)
        assert git.read(MISSING) is None
    found = git.read(run_git(kb, "rev-parse", "HEAD"))
    assert found is not None and found[0] == b"commit" and found[1].startswith(b"tree ")
    tree = git.read(run_git(kb, "rev-parse", "HEAD^{tree}"))
    assert tree is not None and tree[0] == b"tree"
    git.stop()
    assert git.read(oids[0]) is None


def test_nothing_is_started_before_it_is_asked_and_nothing_is_left(kb: Path) -> None:
    git = CatFile(opened(kb))
    assert git._child is None
    git.read(MISSING)
    pid = child_of(git).pid
    del git
    with pytest.raises(ChildProcessError):
        os.waitpid(pid, 0)


def test_what_replaces_an_object_is_not_read(kb: Path) -> None:
    old, new = run_git(kb, "rev-parse", "HEAD:a.md"), run_git(kb, "rev-parse", "HEAD:b/c.md")
    run_git(kb, "replace", old, new)
    assert CatFile(opened(kb)).read(old) == (b"blob", b"a\n")


def test_packs_that_change_meanwhile(kb: Path) -> None:
    git = CatFile(opened(kb))
    old = run_git(kb, "rev-parse", "HEAD:a.md")
    assert git.read(old) == (b"blob", b"a\n")
    run_git(kb, "repack", "-adq")
    commit_files(kb, {"new.md": b"new\n"})
    run_git(kb, "repack", "-adq")
    assert git.read(run_git(kb, "rev-parse", "HEAD:new.md")) == (b"blob", b"new\n")
    assert git.read(old) == (b"blob", b"a\n")


def test_a_damaged_object_is_none(kb: Path) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    path = kb / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"no zlib")
    assert CatFile(opened(kb)).read(oid) is None


def test_a_git_that_was_killed_has_no_object_any_more(kb: Path) -> None:
    git = CatFile(opened(kb))
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    assert git.read(oid) is not None
    child_of(git).kill()
    assert git.read(oid) is None
    assert git._child is None


@pytest.mark.parametrize("says", ["{} blob many", "no such thing", "{} blob 5\nabc", "0 blob 1\na", ""])
def test_a_git_that_says_something_else(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, says: str
) -> None:
    false = tmp_path / "bin/git"
    false.parent.mkdir()
    false.write_text(f"#!{sys.executable}\nprint({says.format(MISSING)!r})\n")
    false.chmod(0o755)
    repo = opened(kb, {**os.environ, "PATH": str(false.parent)})
    git = CatFile(repo)
    assert git.read(MISSING) is None and git._child is None


def test_a_git_that_says_nothing(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    false = tmp_path / "bin/git"
    false.parent.mkdir()
    false.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    false.chmod(0o755)
    monkeypatch.setattr(cat_file, "PATIENCE", 0.1)
    git = CatFile(opened(kb, {**os.environ, "PATH": str(false.parent)}))
    assert git.read(MISSING) is None and git._child is None


def test_interrupted_in_the_middle_of_an_answer(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The rest of that answer is never taken for the next one."""

    def interrupt(child: process.Child, timeout: float) -> bytes:
        raise KeyboardInterrupt

    git = CatFile(opened(kb))
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    assert git.read(oid) == (b"blob", b"a\n")
    with monkeypatch.context() as patch:
        patch.setattr(process.Child, "receive", interrupt)
        with pytest.raises(KeyboardInterrupt):
            git.read(oid)
    assert git._child is None and git.read(oid) is None


CONTENTS = [b"", b"one\n", b"\n\n\n", b"two words\n", bytes(range(256)), b"a blob 12\nblob 3\nxyz\n"]


@pytest.mark.parametrize("size", [1, 2, 7, 50, 1 << 16])
def test_answers_however_they_are_cut(size: int) -> None:
    said = b"".join(
        b"%040d blob %d\n%b\n" % (number, len(content), content) for number, content in enumerate(CONTENTS)
    )
    said += b"%040d missing\n" % 7 + b"%040d tree 3\nabc\n" % 8
    found = list(answers(said[start : start + size] for start in range(0, len(said), size)))
    whole = [(f"{number:040}", b"blob", content) for number, content in enumerate(CONTENTS)]
    assert found == [*whole, (f"{7:040}", b"", None), (f"{8:040}", b"tree", b"abc")]
    assert list(answers([said[:-1]])) == found[:-1]


@pytest.mark.parametrize(
    "said", [b"x ambiguous\n", b"x blob y\n", b"x blob -1\n", b"x\n", b"\n", b"x blob 3 4\n"]
)
def test_an_answer_of_another_form(said: bytes) -> None:
    with pytest.raises(Refused, match="git cat-file said"):
        list(answers([said]))


def lie(kb: Path, oid: str) -> None:
    """Has git promise more of an object than there is: it says its size, sends what there is, and waits for
    the next question.
    """
    path = kb / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(zlib.compress(b"blob 99\0a\n"))


def test_an_object_that_is_shorter_than_it_says(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    oid = run_git(kb, "rev-parse", "HEAD:a.md")
    lie(kb, oid)
    assert CatFile(opened(kb)).once(oid) is None
    monkeypatch.setattr(cat_file, "MIDWAY", 0.1)
    git = CatFile(opened(kb))
    assert git.read(oid) is None and git._child is None


def test_one_object_alone(kb: Path) -> None:
    git = CatFile(opened(kb))
    assert git.once(run_git(kb, "rev-parse", "HEAD:a.md")) == (b"blob", b"a\n")
    assert git.once(MISSING) is None and git._child is None
