"""A record of a file of entries is read from its own lines: the same as from the whole file."""

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
    count = 0
    for kind in ("knowledge", "experience"):
        for head in snapshot.records(kind):
            assert snapshot.load(head) == snapshot.parsed(head.path).records[head.ordinal]
            count += 1
    assert count
    opened.close()
