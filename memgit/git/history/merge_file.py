"""Git's own merge of one file by lines (`git-merge-file(1)`)."""

from __future__ import annotations

from collections.abc import Mapping

from memgit.formats.merging.merge import Conflict, Merged
from memgit.git import process


def merge_by_git(
    ours: str, base: str, theirs: str, labels: tuple[str, str], env: Mapping[str, str], *favour: str
) -> Merged:
    """Merges three files on disk as git does; none of them is changed.

    Args:
        ours, base, theirs: their paths.
        labels: what the markers call the sides.
        favour: `--ours` or `--theirs` settles every conflict so.

    Raises:
        Refused: git cannot merge them, such as where one is not text.
    """
    args = [
        "merge-file",
        "-p",
        "-q",
        *favour,
        "-L",
        labels[0],
        "-L",
        "base",
        "-L",
        labels[1],
        "--",
        ours,
        base,
        theirs,
    ]
    done = process.attempt(args, env=env)
    if not 0 <= done.code <= 127:
        raise process.failure(args, done, env)
    if done.code == 0:
        return Merged(done.out)
    mark = f"<<<<<<< {labels[0]}".encode()
    lines = [number for number, line in enumerate(done.out.split(b"\n"), 1) if line.rstrip(b"\r") == mark]
    return Merged(
        done.out, tuple(Conflict(line, None, "both sides changed these lines") for line in lines or [1])
    )
