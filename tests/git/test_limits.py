"""A full disk, a read-only folder, a file that may not be read: refused in words, nothing lost, nothing half
done.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit import recovery
from tests.git.helpers import ROOT, assert_in_order, commit_files, opened, porcelain, put, put_unprivileged
from tests.support import run_git


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of two megabytes."""
    place = tmp_path / "small"
    place.mkdir()
    if (
        os.geteuid() != 0
        or subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=2m", "tmpfs", str(place)], check=False
        ).returncode
    ):
        pytest.skip("mounting needs root")
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def test_full_disk(small_disk: Path) -> None:
    kb = small_disk / "kb"
    kb.mkdir()
    run_git(kb, "init", "-q", "--template=")
    files = {f"kb/{number}.md": f"{number}\n".encode() * 10 for number in range(20)}
    commit_files(kb, files)
    (kb / "kb/1.md").write_bytes(b"mine\n" + files["kb/1.md"])
    head = run_git(kb, "rev-parse", "HEAD")
    filler = small_disk / "filler"
    refused = 0
    for left in range(24):
        run_git(kb, "prune")
        disk = os.statvfs(small_disk)
        filler.write_bytes(b"x" * ((disk.f_bavail - left) * disk.f_frsize))
        try:
            put(kb, {"kb/1.md": files["kb/1.md"] + b"new\n", "kb/big.md": os.urandom(8000), "kb/2.md": None})
        except Refused as error:
            refused += 1
            assert error.exit_code == 3
            assert str(error)
            filler.unlink()
            recovery.mend(opened(kb))
            assert run_git(kb, "rev-parse", "HEAD") == head
        filler.unlink(missing_ok=True)
        assert porcelain(kb) == [" M kb/1.md"]
        assert_in_order(kb, clean=False)
        run_git(kb, "reset", "-q", "--soft", head)
        run_git(kb, "reset", "-q", "--hard")
        run_git(kb, "reflog", "expire", "--expire=now", "--all")
        (kb / "kb/1.md").write_bytes(b"mine\n" + files["kb/1.md"])
    assert 8 < refused < 24
    put(kb, {"kb/1.md": files["kb/1.md"] + b"new\n"})
    assert_in_order(kb, clean=False)


SCRIPT = """
import resource, sys
from pathlib import Path
from memgit.errors import Refused
from tests.git.helpers import put
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[2]),) * 2)
try:
    put(Path(sys.argv[1]), {"kb/1.md": b"x" * 3000 + b"\\n", "kb/2.md": None})
except Refused as error:
    print(error)
    sys.exit(3)
"""


@pytest.mark.parametrize("limit", [0, 10, 100, 1000, 2000, 100_000])
def test_files_may_not_grow(repo: Path, limit: int) -> None:
    """What a quota does: every file is cut off at a size, so each step fails at another limit."""
    commit_files(repo, {f"kb/{number}.md": b"x\n" for number in range(30)})
    head = run_git(repo, "rev-parse", "HEAD")
    env = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(repo), str(limit)],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == (0 if limit == 100_000 else 3), done.stderr
    if done.returncode:
        assert done.stdout.strip()
        recovery.mend(opened(repo))
        assert run_git(repo, "rev-parse", "HEAD") == head
    assert_in_order(repo)


EDITS = {"kb/1.md": b"new\n", "kb/sub/2.md": b"new\n", "kb/gone.md": None}


@pytest.fixture
def kb(repo: Path) -> Iterator[Path]:
    commit_files(repo, {"kb/1.md": b"old\n", "kb/sub/1.md": b"old\n", "kb/gone.md": b"old\n"})
    yield repo
    writable(repo)


def writable(kb: Path) -> None:
    for path in [kb, *kb.rglob("*")]:
        if path.is_dir():
            path.chmod(0o755)


@pytest.mark.parametrize("locked", [".git", ".git/memgit", ".git/objects", ".git/refs/heads", "kb", "kb/sub"])
def test_read_only_folder(kb: Path, locked: str) -> None:
    (kb / ".git/memgit").mkdir()
    head = run_git(kb, "rev-parse", "HEAD")
    for path in [kb / locked, *(kb / locked).rglob("*")]:
        if path.is_dir():
            path.chmod(0o555)
    done = put_unprivileged(kb, EDITS)
    assert done.returncode == 3, done.stdout + done.stderr
    assert "ermission denied" in done.stdout or "cannot be written" in done.stdout
    writable(kb)
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert_in_order(kb)
    done = put_unprivileged(kb, EDITS)
    assert done.returncode == 0, done.stdout + done.stderr
    assert_in_order(kb)


def test_file_that_may_not_be_read(kb: Path) -> None:
    (kb / "kb/1.md").chmod(0o000)
    done = put_unprivileged(kb, EDITS)
    assert done.returncode == 3
    assert "Permission denied" in done.stdout
    (kb / "kb/1.md").chmod(0o644)
    assert_in_order(kb)
