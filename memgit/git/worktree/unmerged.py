"""Paths that git left in conflict: their stages in the index, what git wrote of them, and putting an end to
it.
"""

from __future__ import annotations

import os
from collections.abc import Mapping

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import leftovers, process
from memgit.git.commit import journal
from memgit.git.history.merge_file import merge_by_git
from memgit.git.objects.tree import Entry, Tree
from memgit.git.worktree import index

if TYPE_CHECKING:
    from memgit.git.repository import Repository

BASE, OURS, THEIRS = 1, 2, 3
"""The stages of a path in conflict (`git-ls-files(1)`, --unmerged)."""

NAMED = "GITHEAD_"
"""What begins the variables by which `git merge` names the commits that it merges to the programs that it
starts (`git-merge(1)`).
"""

Stages = Mapping[int, Entry]


def unmerged(repo: Repository) -> dict[str, Stages]:
    """The stages of every path in conflict, by path from the top of the working tree, sorted."""
    out: dict[str, dict[int, Entry]] = {}
    for row in repo.git("ls-files", "--unmerged", "-z").split(b"\0"):
        meta, tab, name = row.partition(b"\t")
        if tab:
            mode, oid, stage = meta.split()
            out.setdefault(name.decode("utf-8", "surrogateescape"), {})[int(stage)] = Entry(
                int(mode, 8), oid.decode("ascii")
            )
    return dict(out)


def merged_heads(repo: Repository, env: Mapping[str, str]) -> tuple[str, ...]:
    """The commits that are being merged into HEAD; empty where none is.

    Before a merge that goes through by itself is committed, git has written no MERGE_HEAD yet, only the
    variables.

    Args:
        env: the environment that git gave the hook or the merge driver.
    """
    named = [name[len(NAMED) :] for name in env if name.startswith(NAMED)]
    if not named:
        try:
            with open(f"{repo.git_dir}/MERGE_HEAD", "rb") as file:
                named = file.read().decode("ascii", "replace").split()
        except OSError:
            return ()
    return tuple(name for name in named if len(name) == 40 and not name.strip("0123456789abcdef"))


def left_by_git(repo: Repository) -> Tree | None:
    """The whole tree of files as git left them when it stopped, markers among them; None where git noted
    none.
    """
    done = process.attempt(["rev-parse", "--verify", "--quiet", "AUTO_MERGE^{tree}"], repo=repo)
    return None if done.code else Tree(repo, done.out.decode("ascii").strip())


def settlements(repo: Repository, stages: Stages) -> tuple[bytes, bytes]:
    """The merge of a path by lines with every conflict settled for our side, and for theirs.

    Raises:
        Refused: git cannot merge it.
    """
    work = leftovers.scratch(journal.folder(repo.git_dir))
    files: list[str] = []
    try:
        os.makedirs(work)
        for stage in (OURS, BASE, THEIRS):
            path = f"{work}/{stage}"
            with open(path, "xb") as file:
                file.write(repo.blob(stages[stage].oid) if stage in stages else b"")
            files.append(path)
        one, two = (
            merge_by_git(files[0], files[1], files[2], ("ours", "theirs"), repo.env, side).data
            for side in ("--ours", "--theirs")
        )
        return one or b"", two or b""
    except OSError as error:
        raise Refused(f"{error.filename}: {error.strerror}") from error
    finally:
        journal.remove_work(work)


def stage(repo: Repository, entries: Mapping[str, Entry | None], *, refresh: bool = True) -> None:
    """Stages contents as they are given (None: the path is gone), which also ends what conflict there was;
    the working tree is not touched.

    Args:
        entries: by path from the top of the working tree.
        refresh: have git look at the files as well, so that it need not read them again to know them.

    Raises:
        Refused: another program holds the index.
    """
    if not entries:
        return
    index.wait_until_free(repo)
    index.set_entries(repo, entries)
    if refresh:
        process.attempt(["update-index", "-q", "--refresh"], repo=repo, write=True)
