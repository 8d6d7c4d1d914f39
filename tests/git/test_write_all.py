"""All of it, or an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git.write_all import replace_file, write_all


@pytest.mark.parametrize("most", [1, 3, 1 << 20])
def test_a_part_at_a_time(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    real = os.write
    data = bytes(range(256)) * 5
    handle = os.open(tmp_path / "f", os.O_WRONLY | os.O_CREAT)
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, rest: real(handle, rest[:most]))
        write_all(handle, data)
        write_all(handle, b"")
    os.close(handle)
    assert (tmp_path / "f").read_bytes() == data


def test_a_disk_that_is_full(monkeypatch: pytest.MonkeyPatch) -> None:
    """It may take a part first, and then nothing at all."""
    taken = iter([4, 0])
    with monkeypatch.context() as patch:
        patch.setattr(os, "write", lambda handle, rest: next(taken))
        with pytest.raises(OSError, match="No space left"):
            write_all(1, b"line\n")
    if os.path.exists("/dev/full"):
        handle = os.open("/dev/full", os.O_WRONLY)
        with pytest.raises(OSError, match="No space left"):
            write_all(handle, b"line\n")
        os.close(handle)


def test_a_file_in_one_piece(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "deep/er/file"
    replace_file(str(path), b"one")
    replace_file(str(path), b"two", 0o750)
    assert path.read_bytes() == b"two" and path.stat().st_mode & 0o777 == 0o750
    with monkeypatch.context() as patch, pytest.raises(OSError, match="No space"):
        patch.setattr(os, "write", lambda handle, rest: 0)
        replace_file(str(path), b"three")
    assert path.read_bytes() == b"two" and list(path.parent.iterdir()) == [path]


def test_a_link_in_the_place_of_its_neighbour_is_not_followed(tmp_path: Path) -> None:
    path, outside = tmp_path / "in/file", tmp_path / "outside"
    path.parent.mkdir()
    link = path.parent / f".memgit-file.{os.getpid()}"
    link.symlink_to(outside)
    with pytest.raises(FileExistsError):
        replace_file(str(path), b"one")
    assert not outside.exists() and link.is_symlink()
