"""Files of the working tree, by folder handles."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.worktree.worktree import Worktree, write_new


def ready(folder: Path, data: bytes) -> bytes:
    path = os.fsencode(folder / "0.new")
    write_new(path, data, None)
    return path


def test_read(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a/f").write_bytes(b"x" * 100_000)
    (tmp_path / "a/f").chmod(0o640)
    with Worktree(str(tmp_path)) as tree:
        found = tree.read("a/f")
        assert found is not None
        assert (found.data, found.mode) == (b"x" * 100_000, 0o640)
        assert found.signature == tree.signature("a/f")
        for path in ("a/none", "none/f", "a/f/below", "none"):
            assert tree.read(path) is None
        with pytest.raises(Refused, match="is a folder"):
            tree.read("a")
        os.mkfifo(tmp_path / "pipe")
        with pytest.raises(Refused, match="special file"):
            tree.read("pipe")


def test_symlink_that_appears_after_the_folder_was_opened(tmp_path: Path) -> None:
    """The handle still names the folder that was checked: nothing is written where the link leads."""
    top, outside = tmp_path / "top", tmp_path / "outside"
    (top / "a").mkdir(parents=True)
    outside.mkdir()
    with Worktree(str(top)) as tree:
        assert tree.read("a/f") is None
        (top / "a").rename(top / "b")
        (top / "a").symlink_to(outside)
        tree.put("a/f", ready(tmp_path, b"x\n"))
    assert list(outside.iterdir()) == []
    assert (top / "b/f").read_bytes() == b"x\n"


def test_put_makes_folders_and_remove_takes_them_away(tmp_path: Path) -> None:
    top = tmp_path / "top"
    (top / "keep").mkdir(parents=True)
    (top / "keep/f").write_bytes(b"")
    with Worktree(str(top)) as tree:
        tree.put("keep/new/er/f", ready(tmp_path, b"1\n"))
        assert (top / "keep/new/er/f").read_bytes() == b"1\n"
        tree.remove("keep/new/er/f")
        assert [path.name for path in (top / "keep").iterdir()] == ["f"]
        tree.remove("keep/new/er/f")
        tree.put("keep/new/er/f", ready(tmp_path, b"2\n"))
        assert (top / "keep/new/er/f").read_bytes() == b"2\n"


def test_remove_leaves_the_current_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a/b").mkdir(parents=True)
    (tmp_path / "a/b/f").write_bytes(b"")
    monkeypatch.chdir(tmp_path / "a/b")
    with Worktree(str(tmp_path)) as tree:
        tree.remove("a/b/f")
    assert (tmp_path / "a/b").is_dir()


def test_more_folders_than_handles(tmp_path: Path) -> None:
    top = tmp_path / "top"
    top.mkdir()
    with Worktree(str(top)) as tree:
        for number in range(300):
            tree.put(f"{number}/x/f", ready(tmp_path, b"%d\n" % number))
        for number in range(300):
            found = tree.read(f"{number}/x/f")
            assert found is not None
            assert found.data == b"%d\n" % number
        assert len(tree._folders) <= 64
    assert len(list(top.iterdir())) == 300


def test_keep_is_a_second_name(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"old\n")
    aside = os.fsencode(tmp_path / "aside")
    with Worktree(str(tmp_path)) as tree:
        tree.keep("f", aside)
        tree.put("f", ready(tmp_path, b"new\n"))
        with pytest.raises(FileNotFoundError):
            tree.keep("none/f", os.fsencode(tmp_path / "other"))
    assert (tmp_path / "aside").read_bytes() == b"old\n"
    assert (tmp_path / "f").read_bytes() == b"new\n"


def test_keep_without_links(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> None:
        raise PermissionError(1, "Operation not permitted")

    (tmp_path / "f").write_bytes(b"old\n")
    (tmp_path / "f").chmod(0o600)
    monkeypatch.setattr(os, "link", refuse)
    with Worktree(str(tmp_path)) as tree:
        tree.keep("f", os.fsencode(tmp_path / "aside"))
    assert (tmp_path / "aside").read_bytes() == b"old\n"
    assert (tmp_path / "aside").stat().st_mode & 0o777 == 0o600


def test_write_new_never_overwrites(tmp_path: Path) -> None:
    path = os.fsencode(tmp_path / "f")
    write_new(path, b"1\n", None, executable=True)
    assert (tmp_path / "f").stat().st_mode & 0o100
    with pytest.raises(FileExistsError):
        write_new(path, b"2\n", None)
