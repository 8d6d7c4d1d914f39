"""A record's text is cut out of the bytes of its file: the same as by parsing it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.app.read.reader import open_searchable
from memgit.app.workspace import open_workspace


@pytest.mark.parametrize("name", ["mem-skill-1.2", "mem-skill-1.1", "auto-skill"])
def test_a_section_reads_as_in_its_file(workspace: Callable[[str], Path], name: str) -> None:
    opened = open_workspace(str(workspace(name)), os.environ)
    snapshot = open_searchable(opened).snapshot
    count = pieces = 0
    for kind in ("knowledge", "experience"):
        for head in snapshot.records(kind):
            (text,) = snapshot.rows(
                "select record.start is not null from record join file on file.f = record.f "
                "where file.path = ? and record.n = file.f + ? and {visible}",
                [head.path, head.ordinal],
            )
            pieces += not text[0]
            assert snapshot.load(head) == snapshot.parsed(head.path).records[head.ordinal]
            count += 1
    assert count and pieces < count
    opened.close()
