"""Merges again what a repository of Markdown merged, in memory, and compares with git and with what was
recorded.

    python benchmarks/compare_merges.py CLONE [--clean N]

CLONE is a clone or a bare repository without a memgit configuration: every `.md` file is one note. Of the
merges that git makes cleanly, the newest N (100 by default) must give exactly the recorded tree; on those
where git stops at a conflict in Markdown, memgit merges or stops, and no line that both parents have may be
missing afterwards. Nothing is written into the clone. Exits 1 where a merge falls short. Needs git 2.38 or
newer.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Iterator
from tempfile import TemporaryDirectory
from typing import NamedTuple

from memgit.app.merge.tree_merge import TreeMerge, merge_bases, merge_trees
from memgit.errors import NotFound
from memgit.formats.merging.textmerge import lost
from memgit.git import process
from memgit.git.objects.tree import Tree
from memgit.git.repository import Repository
from memgit.model.layout import notes


class Merge(NamedTuple):
    """One merge of two parents, what git says of it (the files in conflict), and the three trees and the
    recorded one.
    """

    commit: str
    stopped: tuple[str, ...]
    base: Tree
    ours: Tree
    theirs: Tree
    recorded: Tree


def merges(repo: Repository, scratch: str) -> Iterator[Merge]:
    """Every merge of two parents with one merge base, newest first; git's own merges go into a folder of
    objects for this alone.
    """
    extra = {
        "GIT_OBJECT_DIRECTORY": scratch,
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": f"{repo.common_dir}/objects",
    }
    rows = process.run(
        ["rev-list", "--parents", "--min-parents=2", "--max-parents=2", "HEAD"], repo=repo, timeout=None
    )
    for row in rows.decode("ascii").splitlines():
        commit, one, other = row.split()
        bases = merge_bases(repo, one, other)
        if len(bases) != 1 or bases[0] in (one, other):
            continue
        done = process.attempt(
            ["merge-tree", "--write-tree", "--name-only", "--no-messages", "-z", one, other],
            repo=repo,
            extra=extra,
            timeout=None,
        )
        if done.code > 1:
            continue
        names = done.out.decode("utf-8", "surrogateescape").split("\0")[1:]
        stopped = tuple(name for name in names if name) if done.code else ()
        yield Merge(
            commit, stopped, *(Tree(repo, repo.tree_of(found)) for found in (bases[0], one, other, commit))
        )


def exact(repo: Repository, merge: Merge, got: TreeMerge) -> list[str]:
    """The paths in which a merge is not what was recorded."""
    wanted = {
        delta.path: None if delta.new is None else (delta.new.mode, delta.new.oid)
        for delta in merge.ours.changes(merge.recorded)
    }
    found = {
        path: None if edit is None else (edit.mode, edit.oid or repo.hash_blob(edit.data or b""))
        for path, edit in got.edits.items()
    }
    return sorted(
        path
        for path in wanted.keys() | found.keys()
        if wanted.get(path) != found.get(path) or (path in wanted) != (path in found)
    )


def missing(merge: Merge, got: TreeMerge) -> list[str]:
    """The merged files in which a line is missing that both parents have."""
    before = {new: old for old, new in got.renamed.items()}
    out = []
    for path, edit in got.edits.items():
        if edit is None or edit.data is None:
            continue
        ours, theirs = (
            tree.data(path) or tree.data(before.get(path, path)) or b"" for tree in (merge.ours, merge.theirs)
        )
        versions = (ours, theirs, edit.data)
        one, two, three = (
            data.replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape").split("\n") for data in versions
        )
        if lost(one, two, three):
            out.append(path)
    return out


def main(args: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("clone", help="a clone or a bare repository")
    parser.add_argument(
        "--clean", type=int, default=100, metavar="N", help="how many clean merges to compare"
    )
    parser.add_argument(
        "--limit",
        type=float,
        default=float("inf"),
        metavar="SECONDS",
        help="stop looking for merges after so long",
    )
    given = parser.parse_args(args)
    with TemporaryDirectory() as scratch:
        return compare(Repository.open(given.clone, os.environ), given.clean, given.limit, scratch)


def compare(repo: Repository, most: int, limit: float, scratch: str) -> int:
    """Makes the merges again and prints what came of each, and the sums."""
    layout = notes()
    clean = same = stopped = resolved = skipped = 0
    bad: list[str] = []
    slowest = spent = 0.0
    start = time.monotonic()
    for merge in merges(repo, scratch):
        conflict = [path for path in merge.stopped if path.endswith(".md")]
        if time.monotonic() - start > limit:
            break
        if (merge.stopped and not conflict) or (not merge.stopped and clean >= most):
            continue
        began = time.monotonic()
        try:
            got = merge_trees(repo, layout, merge.base, merge.ours, merge.theirs, derivation="lines")
        except NotFound:
            skipped += 1  # the clone lacks an object
            continue
        took = time.monotonic() - began
        spent, slowest = spent + took, max(slowest, took)
        if merge.stopped:
            bad += [
                f"{merge.commit[:10]} {path}: a line that both parents have is missing"
                for path in missing(merge, got)
            ]
            stopped, resolved = stopped + bool(got.conflicts), resolved + (not got.conflicts)
            print(
                f"{merge.commit[:10]} git stops at {len(merge.stopped)} files; memgit "
                + (f"at {len(got.conflicts)} places" if got.conflicts else "merges")
            )
        else:
            clean += 1
            wrong = exact(repo, merge, got)
            same += not wrong and not got.conflicts
            bad += [f"{merge.commit[:10]} {path}: not what was recorded" for path in wrong[:5]]
            bad += [f"{merge.commit[:10]} {one.path}:{one.line}: {one.message}" for one in got.conflicts[:5]]
    for line in bad:
        print(line.encode("utf-8", "replace").decode())
    print(
        f"clean for git: {clean}, exactly as recorded {same}; conflicts in Markdown: {stopped + resolved}, "
        f"merged {resolved}, stopped {stopped}; skipped {skipped}; {len(bad)} faults; {spent:.1f} s "
        f"in all, {slowest * 1000:.0f} ms at most"
    )
    return 1 if bad else 0


if __name__ == "__main__":
    raise SystemExit(main())
