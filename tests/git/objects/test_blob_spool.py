"""A series that is written to git as it comes: the same commits, with one version of each file in memory."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from memgit.git.commit.commit import Change, make_commits
from memgit.git.commit.identity import Identity
from memgit.git.objects.blob_spool import Spill
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from tests.git.helpers import opened
from tests.support import run_git

WHO = Identity("Ada", "ada@example.org", 1_700_000_000, "+0000")


def series(seed: int, length: int = 40) -> list[Change]:
    """Changes that write, remove and bring back a few files."""
    chance = random.Random(seed)
    changes = []
    for number in range(length):
        names = chance.sample(["a.md", "b.md", "kb/a.md", "kb/c.md"], chance.randint(1, 3))
        edits = {
            name: None if chance.random() < 0.2 else f"{seed} {name} {chance.randrange(9)}\n".encode() * 50
            for name in names
        }
        changes.append(Change(edits, f"change {number}", frozenset(names[:1])))
    return changes


def commits(repo: Repository, changes: list[Change]) -> list[str]:
    return make_commits(repo, Tree(repo, None), None, changes, WHO, WHO)


@pytest.mark.parametrize("most", [0, 3000, 1 << 30])
def test_the_commits_are_those_of_all_changes_at_once(repo: Path, most: int) -> None:
    git = opened(repo)
    for seed in range(5):
        given = series(seed)
        spill = Spill(git, most)
        for change in given:
            spill.add(change)
        got = list(spill.changes())
        left = [data for change in got for data in change.edits.values() if data is not None]
        assert len(left) <= 4, "one version of each file"
        git.write_blobs(left)
        made = commits(git, got)
        # raises where a blob is not there
        run_git(repo, "fsck", "--no-dangling", "--connectivity-only", made[-1])
        git.write_blobs([data for change in given for data in change.edits.values() if data is not None])
        assert made == commits(git, given)
        assert [change.soft for change in got] == [change.soft for change in given]
        last, wanted = (
            {path: data for change in some for path, data in change.edits.items()} for some in (got, given)
        )
        assert last == wanted
