"""Paths looked up in index files of every kind."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.git.worktree.index_file import IndexFile, Row
from tests.git.helpers import commit_files
from tests.support import examples, run_git


@pytest.fixture
def wide(repo: Path) -> Path:
    """Some hundred entries, with names of all lengths."""
    commit_files(
        repo,
        {
            f"{folder}/{number:03}{'-long' * (number % 40)}.md": b"x" * number
            for folder in "abcd"
            for number in range(150)
        },
    )
    return repo


def found(repo: Path, name: str) -> list[Row] | None:
    return IndexFile(str(repo / ".git/index")).find(name.encode())


def check(repo: Path) -> None:
    """Every entry is found as git lists it, and its neighbours in name are not."""
    index = IndexFile(str(repo / ".git/index"))
    rows = [row.split("\t") for row in run_git(repo, "ls-files", "--stage").split("\n")]
    names = {name for _, name in rows}
    for meta, name in rows:
        mode, oid, _ = meta.split()
        assert [(row.mode, row.oid, row.name) for row in index.find(name.encode()) or []] == [
            (int(mode, 8), oid, name.encode())
        ]
        for other in (f"{name}x", name[:-1], f"{name}/y"):
            assert other in names or index.find(other.encode()) == []


def test_every_entry(wide: Path) -> None:
    check(wide)
    assert found(wide, "") == found(wide, "0") == found(wide, "zzz") == []


@pytest.mark.parametrize("extension", ["none", "TREE", "UNTR", "FSMN"])
def test_what_follows_the_entries(wide: Path, extension: str) -> None:
    if extension == "none":
        run_git(wide, "read-tree", "--empty")
        run_git(wide, "add", ".")
    elif extension == "TREE":
        run_git(wide, "read-tree", "HEAD")
    elif extension == "UNTR":
        run_git(wide, "update-index", "--force-untracked-cache")
        run_git(wide, "status")
    else:
        run_git(wide, "update-index", "--fsmonitor-valid", "a/000.md")
        run_git(wide, "update-index", "--fsmonitor")
    assert extension == "none" or extension.encode() in (wide / ".git/index").read_bytes()
    check(wide)


def test_flags_and_stages(wide: Path) -> None:
    run_git(wide, "update-index", "--assume-unchanged", "a/000.md")
    run_git(wide, "update-index", "--skip-worktree", "b/000.md")  # which makes it version 3
    (wide / "c/new.md").write_text("new\n")
    run_git(wide, "add", "-N", "c/new.md")
    oid = run_git(wide, "rev-parse", "HEAD:a/001-long.md")
    run_git(wide, "rm", "-q", "--cached", "d/000.md")
    run_git(
        wide,
        "update-index",
        "--index-info",
        data="".join(f"100644 {oid} {stage}\td/000.md\n" for stage in (1, 2, 3)).encode(),
    )
    assert (wide / ".git/index").read_bytes()[7] == 3
    for name, count in (
        ("a/000.md", 1),
        ("b/000.md", 1),
        ("c/new.md", 1),
        ("d/000.md", 3),
        ("d/001-long.md", 1),
    ):
        rows = found(wide, name)
        assert rows is not None and len(rows) == count
        assert all(row.plain for row in rows) == (name == "d/001-long.md")


def test_a_folder_that_a_sparse_index_leaves_out(wide: Path) -> None:
    run_git(wide, "sparse-checkout", "set", "--cone", "--sparse-index", "a")
    assert b"sdir" in (wide / ".git/index").read_bytes()
    assert found(wide, "b/000.md") is found(wide, "b/none.md") is None
    assert [row.mode for row in found(wide, "a/000.md") or []] == [0o100644] and found(
        wide, "a/none.md"
    ) == []


def test_other_versions_and_small_ones(wide: Path, repo: Path) -> None:
    run_git(wide, "update-index", "--index-version", "4")
    assert not IndexFile(str(wide / ".git/index")).known
    run_git(repo, "read-tree", "--empty")
    assert found(repo, "a") in ([], None)
    (repo / "only").write_text("x\n")
    run_git(repo, "add", "only")
    assert found(repo, "a") == found(repo, "z") == [] and len(found(repo, "only") or []) == 1


def test_a_name_as_long_as_git_takes(repo: Path) -> None:
    """From 4095 bytes on, the length is not in the flags; here it is left to git."""
    long = "/".join(["n" * 250] * 17)
    oid = run_git(repo, "hash-object", "-w", "--stdin", data=b"x\n")
    run_git(repo, "update-index", "--index-info", data=f"100644 {oid}\t{long}\n100644 {oid}\tz\n".encode())
    assert found(repo, long) is None
    assert found(repo, "z") is None


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=examples(30))
@given(data=st.data())
def test_damage_is_never_an_error(wide: Path, data: st.DataObject) -> None:
    whole = bytearray((wide / ".git/index").read_bytes())
    for _ in range(30):
        whole[data.draw(st.integers(12, len(whole) - 1))] = data.draw(st.integers(0, 255))
    path = wide / "damaged"
    path.write_bytes(whole)
    index = IndexFile(str(path))
    for name in (b"a/000.md", b"b/077", b"zzz"):
        index.find(name)


def test_what_looks_like_an_entry_inside_another(repo: Path) -> None:
    """A group that reads as a mode, and a name in which flags and another name lie: found from the middle, it
    would lead past "m".
    """
    blob = run_git(repo, "hash-object", "-w", "--stdin", data=b"x")
    names = ["m", *(f"zzzzzz !{'a' * 30}{number:03}" for number in range(200))]
    run_git(
        repo,
        "update-index",
        "--index-info",
        data="".join(f"100644 {blob}\t{name}\n" for name in names).encode(),
    )
    path = repo / ".git/index"
    data, index, start = bytearray(path.read_bytes()), IndexFile(str(path)), 12
    starts = []
    while row := index._row(start):
        data[start + 32 : start + 36] = (0x8000).to_bytes(4, "big")
        starts.append(start)
        start = row.end
    assert len(starts) == len(names)
    path.write_bytes(data)
    index = IndexFile(str(path))
    assert all(index._row(start + 8) is None for start in starts)
    assert [len(index.find(name.encode()) or []) for name in names] == [1] * len(names)
