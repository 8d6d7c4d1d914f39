"""All of it, or an error."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.git.write_all import write_all


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
