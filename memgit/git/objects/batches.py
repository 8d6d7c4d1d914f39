"""Many blobs at once: when they go into one pack, and in what pieces git is given them."""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator


_MAX_LOOSE_BLOBS = 200  # blobs from which on a process and a pack are cheaper than files


_MAX_LOOSE_BYTES = 1 << 23  # bytes of them likewise


_BATCH_BYTES = 1 << 20  # bytes that are handed to git in one piece


def is_much(contents: Collection[bytes]) -> bool:
    """Whether blobs are that many, or that large, that they are written into one pack."""
    return len(contents) >= _MAX_LOOSE_BLOBS or sum(map(len, contents)) >= _MAX_LOOSE_BYTES


def batched(lines: Iterable[bytes]) -> Iterator[bytes]:
    """Joins small pieces to larger ones."""
    batch: list[bytes] = []
    size = 0
    for line in lines:
        batch.append(line)
        size += len(line)
        if len(batch) >= 512 or size >= _BATCH_BYTES:
            yield b"".join(batch)
            batch, size = [], 0
    if batch:
        yield b"".join(batch)
