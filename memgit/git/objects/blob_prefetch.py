"""Blobs read ahead: one `git cat-file --batch` beside the process that lists commits, so that reading goes on
while Python works.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TypeVar

from memgit.errors import Refused
from memgit.git import process
from memgit.git.objects.cat_file import READ, answers
from memgit.git.repository import Repository

T = TypeVar("T")

BATCH_SIZE = 32
"""Items that are asked for with one write."""


def ahead(
    repo: Repository,
    items: Iterable[T],
    wanted: Callable[[T], Sequence[str]],
    take: Callable[[str, bytes], None],
) -> Iterator[T]:
    """The items in their order, each after the blobs that it wants were handed to `take` by id and content.

    How far reading is ahead is bounded by what the pipes hold. A blob that is absent, or that git cannot
    read, is not handed over: whoever needs it finds out. An error of `items` is raised after the items before
    it.
    """
    items = iter(items)
    waiting: deque[tuple[T, int]] = deque()
    asked = answered = 0
    failure: Refused | None = None

    def requests() -> Iterator[bytes]:
        nonlocal asked, failure
        lines: list[str] = []
        count = 0
        try:
            for item in items:
                ids = wanted(item)
                lines += ids
                asked += len(ids)
                waiting.append((item, asked))
                count += 1
                if count % BATCH_SIZE == 0 and lines:
                    yield _lines(lines)
                    lines = []
        except Refused as error:
            failure = error
        if lines:
            yield _lines(lines)

    try:
        for oid, _, data in answers(process.stream([*READ, "--buffer"], repo=repo, data=requests())):
            answered += 1
            if data is not None:
                take(oid, data)
            while waiting and waiting[0][1] <= answered:
                yield waiting.popleft()[0]
    except Refused:
        # Of the reading ahead alone: what it did not bring is read when it is needed, and what is wrong with
        # it shows there.
        pass
    while waiting:
        yield waiting.popleft()[0]
    if failure is not None:
        raise failure
    yield from items


def _lines(ids: Iterable[str]) -> bytes:
    return ("\n".join(ids) + "\n").encode("ascii")
