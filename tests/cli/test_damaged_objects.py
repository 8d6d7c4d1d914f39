"""Objects of the repository that are damaged: told at once, with the next step, and nothing is changed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support import memgit, run_git, status

DAMAGES: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "cut off": lambda data: data[: len(data) // 2],  # libgit2 never comes to its end
    "no zlib": lambda data: b"no zlib",
}


@pytest.fixture
def filled(kb: Path) -> Path:
    memgit(kb, "record", "memory", "One", "-m", "First.")
    memgit(kb, "record", "knowledge", "Two", "--category", "web", "-m", "Second.")
    memgit(kb, "extend", "memory/one", "-m", "More.")
    return kb


def damage(kb: Path, rev: str, how: str) -> Path:
    """Damages the object that a revision names; its file."""
    oid = run_git(kb, "rev-parse", rev)
    path = kb / ".git/objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(DAMAGES[how](path.read_bytes()))
    return path


@pytest.mark.parametrize("how", DAMAGES)
@pytest.mark.parametrize("name", ["memory/one", "one", "Two"])
def test_a_record_whose_file_is_damaged(filled: Path, how: str, name: str) -> None:
    """It is not taken for one that was never committed."""
    file = "knowledge-base/web.md" if name == "Two" else "memory/one.md"
    path = damage(filled, f"HEAD:{file}", how)
    head = (filled / ".git/refs/heads/main").read_text()
    for args in (("extend", name, "-m", "x"), ("update", name, "-m", "x"), ("archive", name)):
        said = memgit(filled, *args, code=3).err
        assert (
            f"{file}: object " in said
            and f" is damaged: {path}\n" in said
            and "git fsck" in said
            and "committed" not in said
        )
    assert (filled / ".git/refs/heads/main").read_text() == head
    assert status(filled) == ""


def test_a_record_whose_file_is_missing_from_the_repository(filled: Path) -> None:
    damage(filled, "HEAD:memory/one.md", "empty").unlink()
    said = memgit(filled, "extend", "memory/one", "-m", "x", code=3).err
    assert "memory/one.md: object " in said and "missing" in said and "git fsck" in said


@pytest.mark.parametrize("rev", ["HEAD", "HEAD^{tree}", "HEAD:memory", "HEAD:memory/INDEX.md"])
@pytest.mark.parametrize("how", DAMAGES)
def test_other_damage_in_the_way_of_a_write(filled: Path, rev: str, how: str) -> None:
    path = damage(filled, rev, how)
    said = memgit(filled, "record", "memory", "Three", "-m", "Third.", code=3).err
    assert f"is damaged: {path}\n" in said and "git fsck" in said
    assert not (filled / "memory/three.md").exists()


@pytest.mark.parametrize("how", DAMAGES)
def test_a_revision_that_is_damaged(filled: Path, how: str) -> None:
    run_git(filled, "tag", "-a", "-m", "x", "old", "HEAD~1")
    oid = run_git(filled, "rev-parse", "HEAD~1")
    path = damage(filled, "HEAD~1", how)
    for args in (
        *(("show", "memory/one", "--at", rev) for rev in (oid, oid.upper(), "old")),
        ("review", "old..HEAD"),
    ):
        said = memgit(filled, *args, code=3).err
        assert f"object {oid} is damaged: {path}\n" in said and "git fsck" in said


@pytest.mark.parametrize("how", DAMAGES)
def test_a_version_of_a_file_that_is_damaged_leaves_the_log_whole(filled: Path, how: str) -> None:
    damage(filled, "HEAD~1:memory/one.md", how)
    events = memgit(filled, "log", "--json").json
    assert [event["op"] for event in events][:3] == ["extend", "record", "record"]
