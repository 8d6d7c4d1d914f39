"""The derived files of a state: what is kept in memory while they are made."""

from __future__ import annotations

import os
from pathlib import Path

from memgit.app.derived import files as derived_files
from memgit.app.workspace import open_workspace
from tests.support import closed_later, memgit


def test_no_text_of_a_record_is_kept(kb: Path) -> None:
    for number in range(3):
        memgit(kb, "record", "memory", f"Tide {number}", "--scope", "sea", "-m", "words " * 50)
        memgit(kb, "record", "knowledge", f"Grid {number}", "--category", "web", "-m", "- words of it")
    workspace = closed_later(open_workspace(str(kb), os.environ))
    repo = workspace.require_repository()
    state = derived_files.of_commit(workspace, repo, repo.head().commit)
    rendered, _ = derived_files.derive(state)
    assert {path: one.data for path, one in rendered.items()} == {
        path: state.before(path) for path in rendered
    }
    held = [
        record
        for files in (state._parsed, state._committed)
        for parsed in files.values()
        for record in parsed.records
    ]
    assert len(held) == 6 and {record.body for record in held} == {"…"}
