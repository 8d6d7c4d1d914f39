"""What a memory vault keeps in its own files: indexes from the start, reasons of tombstones, counters."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import memgit, run_git, status

MEMORY = ".memory/10-Memories/MEM-tele.md"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    memgit(tmp_path, "init", "--layout", "vault", "--no-hooks")
    memgit(tmp_path, "record", "memory", "Tele", "-m", "words", "--topic", "a/b")
    return tmp_path


def key(vault: Path, name: str) -> str | None:
    lines = (vault / MEMORY).read_text().splitlines()
    return next((line.partition(": ")[2] for line in lines if line.startswith(f"{name}: ")), None)


def uses(vault: Path) -> int:
    return int(memgit(vault, "show", "tele", "--json").json["usage_count"])


def test_init_writes_the_three_indexes(vault: Path) -> None:
    index = json.loads((vault / ".memory/memory-index.json").read_text())
    assert index["entry_count"] == 1 and index["entries"][0]["id"] == "MEM-tele"
    assert "[MEM-tele](../10-Memories/MEM-tele.md)" in (vault / ".memory/20-Indices/index.md").read_text()
    assert "### [MEM-tele](MEM-tele.md)" in (vault / ".memory/10-Memories/README.md").read_text()
    assert memgit(vault, "rebuild", "--check").code == 0 and status(vault) == ""
    memgit(vault, "init")
    assert status(vault) == ""


def test_a_tombstone_has_the_reason_that_was_given(vault: Path) -> None:
    memgit(vault, "archive", "tele", "--reason", "wrong since\nversion 2")
    assert key(vault, "tombstone_reason") == '"wrong since version 2"'
    memgit(vault, "restore", "tele")
    assert key(vault, "tombstone_reason") is None
    memgit(vault, "archive", "tele")
    assert key(vault, "tombstone_reason") == '"purge"'


def test_counters_are_written_at_the_next_write_and_never_counted_twice(vault: Path) -> None:
    for _ in range(2):
        memgit(vault, "use", "tele")
    assert key(vault, "retrieval_count") == "0" and uses(vault) == 2
    memgit(vault, "extend", "tele", "-m", "more")
    assert (key(vault, "retrieval_count"), uses(vault)) == ("2", 2)
    last = key(vault, "last_retrieved")
    assert last is not None and last.startswith("20")
    assert "3 times" in memgit(vault, "use", "tele").out
    assert (key(vault, "retrieval_count"), uses(vault)) == ("2", 3)
    memgit(vault, "update", "tele", "--summary", "s")
    assert (key(vault, "retrieval_count"), uses(vault)) == ("3", 3)
    index = json.loads((vault / ".memory/memory-index.json").read_text())
    assert index["entries"][0]["retrieval_count"] == 3 and uses(vault) == 3


def test_what_another_tool_counted_stays(vault: Path) -> None:
    path = vault / MEMORY
    path.write_text(path.read_text().replace("retrieval_count: 0", "retrieval_count: 7"))
    memgit(vault, "commit")
    memgit(vault, "use", "tele")
    assert uses(vault) == 8
    memgit(vault, "extend", "tele", "-m", "more")
    assert (key(vault, "retrieval_count"), key(vault, "mirrored_count"), uses(vault)) == ("8", "1", 8)


def test_a_clone_without_the_usage_refs_counts_what_the_file_says(vault: Path, tmp_path: Path) -> None:
    memgit(vault, "use", "tele")
    memgit(vault, "extend", "tele", "-m", "more")
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(vault), str(clone))
    assert uses(clone) == 1
    memgit(clone, "extend", "tele", "-m", "again")
    assert uses(clone) == 1 and "retrieval_count: 1" in (clone / MEMORY).read_text()


def test_merged_duplicates_keep_the_sum(vault: Path) -> None:
    memgit(vault, "record", "memory", "Scope", "-m", "other", "--similar", "create")
    for name in ("tele", "tele", "scope"):
        memgit(vault, "use", name)
    memgit(vault, "extend", "tele", "-m", "more")
    memgit(vault, "extend", "scope", "-m", "more")
    memgit(vault, "merge-records", "tele", "scope")
    assert uses(vault) == 3
    memgit(vault, "extend", "tele", "-m", "once more")
    assert uses(vault) == 3


def test_two_branches_that_counted_merge(vault: Path) -> None:
    memgit(vault, "use", "tele")
    run_git(vault, "branch", "other")
    memgit(vault, "extend", "tele", "-m", "one")
    memgit(vault, "use", "tele")
    run_git(vault, "checkout", "-q", "other")
    memgit(vault, "update", "tele", "--summary", "two")
    run_git(vault, "merge", "-q", "main")
    assert (key(vault, "retrieval_count"), uses(vault)) == ("2", 2)
