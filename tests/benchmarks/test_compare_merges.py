"""Comparing merges: what git merges comes out alike, and a conflict is met."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.compare_merges import main
from tests.support import run_git


def commit(repo: Path, name: str, text: str) -> None:
    (repo / name).write_text(text)
    run_git(repo, "add", name)
    run_git(repo, "commit", "-qm", name)


def branched(repo: Path, ours: str, theirs: str) -> None:
    """Merges two versions of one note; a conflict is settled for our side."""
    run_git(repo, "switch", "-qC", "topic")
    commit(repo, "a.md", theirs)
    run_git(repo, "switch", "-q", "main")
    commit(repo, "a.md", ours)
    run_git(repo, "merge", "-q", "--no-edit", "topic", check=False)
    (repo / "a.md").write_text((repo / "a.md").read_text() if not run_git(repo, "ls-files", "-u") else ours)
    run_git(repo, "add", "a.md")
    run_git(repo, "commit", "-q", "--no-edit", check=False)


def test_clean_and_conflicting_merges(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [f"line {number}\n" for number in range(20)]
    commit(repo, "a.md", "".join(lines))
    branched(repo, "".join(["first\n", *lines[1:]]), "".join([*lines[:-1], "last\n"]))
    branched(repo, "ours\n", "theirs\n")
    assert main([str(repo)]) == 0
    told = capsys.readouterr().out
    assert "git stops at 1 files; memgit at 1 places" in told
    assert (
        "clean for git: 1, exactly as recorded 1; conflicts in Markdown: 1, merged 0, stopped 1; "
        "skipped 0; 0 faults"
    ) in told


def test_a_merge_that_a_person_changed_is_a_fault(repo: Path, capsys: pytest.CaptureFixture[str]) -> None:
    commit(repo, "a.md", "a\n")
    run_git(repo, "switch", "-qc", "topic")
    commit(repo, "b.md", "b\n")
    run_git(repo, "switch", "-q", "main")
    commit(repo, "c.md", "c\n")
    run_git(repo, "merge", "-q", "--no-commit", "topic")
    commit(repo, "a.md", "changed in the merge\n")
    assert main([str(repo)]) == 1
    assert "a.md: not what was recorded" in capsys.readouterr().out
