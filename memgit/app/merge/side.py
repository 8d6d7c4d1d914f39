"""What one side of a merge changed."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from memgit.formats.sniff import peek
from memgit.git.objects.tree import Delta, Tree
from memgit.git.repository import Repository

RENAME_LIMIT = 1000
"""How many new times removed files git compares; beyond it only equal ones are paired (its own default)."""


class Side:
    """What one side changed: its deltas by path, and files whose text was put right before merging (entries
    that moved).
    """

    def __init__(
        self, repo: Repository, base: Tree, tree: Tree, wanted: Callable[[str], bool] = lambda _: True
    ) -> None:
        self.repo, self.base, self.tree = repo, base, tree
        self.deltas: dict[str, Delta] = {
            delta.path: delta for delta in base.changes(tree) if wanted(delta.path)
        }
        self.texts: dict[str, bytes] = {}

    def data(self, path: str) -> bytes | None:
        found = self.texts.get(path)
        return self.tree.data(path) if found is None else found

    def gone(self, path: str) -> bool:
        delta = self.deltas.get(path)
        return delta is not None and delta.new is None

    def added(self) -> list[str]:
        return [
            path
            for path, delta in self.deltas.items()
            if delta.old is None and delta.new is not None and delta.new.is_file
        ]

    def renames(self, wanted: Iterable[str]) -> dict[str, str]:
        """Where files that this side took away went: by the id that both hold, else as git pairs them."""
        left = set(wanted)
        added = self.added()
        if not left or not added:
            return {}
        ids = {path: _id(self.tree.data(path)) for path in added[:RENAME_LIMIT]}
        by_id = {id_: path for path, id_ in ids.items() if id_ is not None}
        were = {old: _id(self.base.data(old)) for old in left}
        found = {old: by_id[id_] for old, id_ in were.items() if id_ is not None and id_ in by_id}
        if left == found.keys():
            return found
        listing = self.repo.git(
            "diff-tree",
            "-r",
            "-M",
            f"-l{RENAME_LIMIT}",
            "--raw",
            "-z",
            "--no-abbrev",
            "--diff-filter=R",
            self.base.oid,
            self.tree.oid,
        )
        fields = iter(listing.split(b"\0"))
        for head in fields:
            if not head.startswith(b":"):
                continue
            old, new = (next(fields, b"").decode("utf-8", "surrogateescape") for _ in range(2))
            other = were.get(old) is not None and ids.get(new) is not None  # two ids are two records
            if old in left - found.keys() and new in self.deltas and not other:
                found[old] = new
        return found


def _id(data: bytes | None) -> str | None:
    return None if data is None else peek(data) or None
