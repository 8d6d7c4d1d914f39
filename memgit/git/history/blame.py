"""Which commit each line of a file comes from, read from `git blame --porcelain`.

Form: https://git-scm.com/docs/git-blame#_the_porcelain_format
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from memgit.git import process
from memgit.git.repository import Repository


class Line(NamedTuple):
    """One line of a file: number from 1, the commit (None: not committed yet), `Name <mail>`, the author's
    date in UTC, the text.
    """

    number: int
    commit: str | None
    author: str
    date: str
    text: str


def blame_lines(repo: Repository, path: str, first: int, last: int, revision: str | None) -> Iterator[Line]:
    """The origin of lines `first` to `last` of a file, at a revision or (None) in the working tree.

    Raises:
        Refused: git cannot tell, in its own words.
    """
    args = ["blame", "--porcelain", "--encoding=UTF-8", f"-L{first},{last}"]
    if revision is not None:
        args.append(revision)
    out = process.run([*args, "--", repo.prefix + path], repo=repo)
    known: dict[str, dict[str, str]] = {}
    commit, number = "", 0
    for raw in out.split(b"\n"):
        line = raw.decode("utf-8", "replace")
        if line.startswith("\t"):
            about = known[commit]
            when = (
                datetime.fromtimestamp(int(about.get("author-time", "0")), UTC)
                .isoformat()
                .replace("+00:00", "Z")
            )
            author = f"{about.get('author', '')} {about.get('author-mail', '')}".strip()
            yield Line(
                number, None if set(commit) == {"0"} else commit, author, when, line[1:].removesuffix("\r")
            )
        elif len(line) > 40 and line[40] == " " and all(char in "0123456789abcdef" for char in line[:40]):
            commit, number = line[:40], int(line.split(" ")[2])
            known.setdefault(commit, {})
        elif commit:
            key, _, value = line.partition(" ")
            known[commit].setdefault(key, value)
