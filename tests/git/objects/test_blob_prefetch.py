"""Blobs read ahead arrive before the item that wants them, whatever is missing or fails."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.objects.blob_prefetch import ahead
from memgit.git.repository import Repository
from tests.support import childless, run_git


@pytest.fixture
def opened(repo: Path) -> Repository:
    return Repository.open(str(repo), dict(os.environ))


def blobs(repo: Path, *contents: bytes) -> list[str]:
    return [run_git(repo, "hash-object", "-w", "--stdin", data=content) for content in contents]


def read(
    opened: Repository, items: Sequence[tuple[str, ...]]
) -> list[tuple[tuple[str, ...], dict[str, bytes]]]:
    """Each item with everything that had arrived when it came."""
    arrived: dict[str, bytes] = {}
    return [(item, dict(arrived)) for item in ahead(opened, items, lambda item: item, arrived.__setitem__)]


CONTENTS = [
    b"",
    b"one\n",
    b"\n\n\n",
    b"two words\n",
    bytes(range(256)),
    b"a blob 12\nblob 3\nxyz\n",
    b"x" * 200_000,
    "中文\n".encode(),
]


def test_each_item_comes_after_its_blobs(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, *CONTENTS)
    known = dict(zip(ids, CONTENTS, strict=True))
    items = [(ids[1],), (), (ids[0], ids[2], ids[6]), (), (), (ids[5], ids[4]), (ids[3], ids[7]), ()]
    found = read(opened, items)
    assert [item for item, _ in found] == items
    for item, arrived in found:
        assert all(arrived[oid] == known[oid] for oid in item)


def test_many_items(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, *(b"%d\n" % number * 50 for number in range(40)))
    items = [(ids[number % 40],) for number in range(5000)]
    found = list(ahead(opened, items, lambda item: item, lambda oid, data: None))
    assert found == items


def test_what_is_missing_is_left_out(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, b"here\n")
    items = [("1" * 40,), (ids[0], "2" * 40), ("3" * 40,)]
    found = read(opened, items)
    assert [item for item, _ in found] == items
    assert found[-1][1] == {ids[0]: b"here\n"}


def test_a_broken_blob_ends_the_reading_ahead_and_nothing_else(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, b"one\n" * 500, b"two\n" * 500, b"three\n" * 500)
    target = repo / ".git" / "objects" / ids[1][:2] / ids[1][2:]
    target.chmod(0o644)
    target.write_bytes(target.read_bytes()[:20])
    items = [(ids[0],), (ids[1],), (ids[2],)] * 40
    assert [item for item, _ in read(opened, items)] == items


def test_a_failure_of_the_items_comes_after_them(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, b"one\n", b"two\n")

    def items() -> Iterator[tuple[str, ...]]:
        yield (ids[0],)
        yield ()
        yield (ids[1],)
        raise Refused("broke off")

    came = []
    with pytest.raises(Refused, match="broke off"):
        for item in ahead(opened, items(), lambda item: item, lambda oid, data: None):
            came.append(item)  # noqa: PERF402
    assert came == [(ids[0],), (), (ids[1],)]


def test_nothing_at_all(repo: Path, opened: Repository) -> None:
    assert read(opened, []) == []
    assert [item for item, _ in read(opened, [(), ()])] == [(), ()]


def test_a_reader_that_stops_early_leaves_no_process(repo: Path, opened: Repository) -> None:
    ids = blobs(repo, b"x" * 100_000)
    stream = ahead(opened, [(ids[0],)] * 500, lambda item: item, lambda oid, data: None)
    next(stream)
    stream.close()  # type: ignore[attr-defined]
    assert childless()
