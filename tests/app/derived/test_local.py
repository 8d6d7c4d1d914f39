"""What a clone keeps beside its commits follows plain git, where a hook exists, and servers; elsewhere the next command."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from memgit.mcp.desk import Desk
from tests.cli.test_hooks import on_path
from tests.support import memgit, run_git, status, write

__all__ = ["on_path"]

ENTRY = "## {}\n**Date:** 2026-01-01\n**Best Practice:**\n- x\n**Keywords:** a\n"


@pytest.fixture
def kept(tmp_path: Path) -> Path:
    folder = tmp_path / "kept"
    memgit(folder, "init", "--layout", "mem-skill", "--log", "--indexes", "local")
    write(folder, "knowledge-base/c.md", ENTRY.format("First"))
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "x")
    memgit(folder, "rebuild")
    return folder


def add(folder: Path, title: str, name: str = "c") -> None:
    path = folder / f"knowledge-base/{name}.md"
    path.write_text((path.read_text() + "\n" if path.exists() else "") + ENTRY.format(title))
    run_git(folder, "add", "-N", f"knowledge-base/{name}.md")


def found(folder: Path) -> tuple[int, int]:
    """How many entries the index counts, and how many lines the log has."""
    assert status(folder) == ""
    index = json.loads((folder / "knowledge-base/_index.json").read_text())
    return index["totalEntries"], (folder / "log.md").read_text().count("\n## [")


def is_right(folder: Path) -> bool:
    """Whether the next command finds nothing to do."""
    before = found(folder), (folder / "log.md").read_bytes()
    memgit(folder, "list")
    return before == (found(folder), (folder / "log.md").read_bytes())


def test_a_plain_commit_is_followed(kept: Path) -> None:
    entries, logged = found(kept)
    for number, args in enumerate((["-qam", "b"], ["-qm", "c", "--", "knowledge-base/c.md"]), 1):
        add(kept, f"New {number}")
        run_git(kept, "commit", *args)
        assert found(kept) == (entries + number, logged + number)
    add(kept, "Amended")
    run_git(kept, "commit", "-qa", "--amend", "--no-edit")
    assert found(kept)[0] == entries + 3 and is_right(kept)


def test_a_branch_and_its_merge_revert_and_rebase_are_followed(kept: Path) -> None:
    run_git(kept, "checkout", "-qb", "side")
    add(kept, "Aside", "z")
    run_git(kept, "commit", "-qam", "z")
    run_git(kept, "checkout", "-q", "-")
    assert found(kept)[0] == 1 and is_right(kept)
    add(kept, "Here")
    run_git(kept, "commit", "-qam", "f")
    run_git(kept, "merge", "-q", "--no-edit", "side")
    assert found(kept)[0] == 3 and is_right(kept)
    run_git(kept, "revert", "--no-edit", "-m", "1", "HEAD")
    assert found(kept)[0] == 2 and is_right(kept)
    picked = run_git(kept, "rev-parse", "side")
    run_git(kept, "checkout", "-qb", "third", "main~2")
    run_git(kept, "cherry-pick", picked)
    assert found(kept)[0] == 3 and is_right(kept)
    run_git(kept, "checkout", "-q", "main")
    run_git(kept, "checkout", "-q", "side")
    run_git(kept, "rebase", "-q", "HEAD@{1}")
    assert is_right(kept)


def test_what_no_hook_tells_follows_with_the_next_command(kept: Path) -> None:
    add(kept, "Undone")
    run_git(kept, "commit", "-qam", "b")
    run_git(kept, "reset", "-q", "--hard", "HEAD~1")
    memgit(kept, "list")
    assert found(kept)[0] == 1


def test_a_server_that_writes_is_followed(kept: Path) -> None:
    desk = Desk(str(kept), os.environ)
    with desk.writing():
        add(kept, "By a tool")
        run_git(kept, "-c", "core.hooksPath=/dev/null", "commit", "-qam", "b")
    desk.close()
    assert found(kept)[0] == 2 and is_right(kept)


def test_where_nothing_is_kept_the_hook_starts_nothing(kept: Path, on_path: Path, tmp_path: Path) -> None:
    config = (kept / ".memgit.yaml").read_text()
    (kept / ".memgit.yaml").write_text(config.replace("indexes: local", "").replace("log: local", ""))
    run_git(kept, "rm", "-q", "--cached", "knowledge-base/_index.json", check=False)
    run_git(kept, "commit", "-qnam", "off")
    add(kept, "Silent")
    run_git(kept, "commit", "-qnam", "b")
    assert not any((kept / ".git/memgit/kept").iterdir())
    shutil.move(on_path / "memgit", tmp_path / "memgit")
    (on_path / "memgit").write_text(f"#!/bin/sh\necho \"$2\" >> '{tmp_path}/called'\n")
    (on_path / "memgit").chmod(0o755)
    run_git(kept, "commit", "-qn", "--allow-empty", "-m", "c")
    assert "post-commit" not in (tmp_path / "called").read_text()
