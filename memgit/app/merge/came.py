"""What one side of a merge brings to the other, and how that side is called."""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.app.merge.tree_merge import merge_bases
from memgit.app.workspace import Workspace
from memgit.derive import is_derived
from memgit.formats.codecs import parse_file
from memgit.git.history.default_branch import HEADS, REMOTES
from memgit.git.repository import Repository
from memgit.model.change import diff_records
from memgit.model.operation import RecordChange
from memgit.model.record import Record


class Came(NamedTuple):
    """What one side brought to the other: how many commits, and what they did to records, taken together."""

    commits: int = 0
    records: tuple[RecordChange, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {"commits": self.commits, "records": [change.as_json() for change in self.records]}


def common(repo: Repository, one: str | None, other: str | None) -> str | None:
    """The commit from which two others went on; None where there is none."""
    if one is None or other is None:
        return None
    return next(iter(merge_bases(repo, one, other)), None)


def between(workspace: Workspace, old: str | None, new: str | None) -> Came:
    """What lies between two commits."""
    if new is None or old == new:
        return Came()
    repo, layout = workspace.require_repository(), workspace.layout
    count = int(repo.git("rev-list", "--count", new, *([f"^{old}"] if old is not None else [])))
    before: list[Record] = []
    after: list[Record] = []
    for path, one, two in repo.tree(old).diff(repo.tree(new)):
        if layout.holds(path) and not is_derived(layout, path):
            before += parse_file(layout, path, repo.blob(one)).records if one is not None else ()
            after += parse_file(layout, path, repo.blob(two)).records if two is not None else ()
    return Came(count, tuple(change.named() for change in diff_records(before, after)))


def name_of(repo: Repository, commit: str, tracking: str) -> str:
    """The remote-tracking branch where it is at a commit, which makes for a better message and labels; else
    the commit.

    So too where its name would mean something else to git: an option, a tag, a branch.
    """
    short = tracking.removeprefix(REMOTES)
    others = (f"refs/{short}", f"refs/tags/{short}", HEADS + short)
    if (
        repo.ref(tracking) != commit
        or short.startswith("-")
        or any(repo.ref(other) is not None for other in others)
    ):
        return commit
    return short
