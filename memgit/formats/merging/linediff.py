"""Which lines two texts have in common.

Lines that are unique in both anchor the rest (patience); between them Myers' algorithm finds a shortest edit,
and where that would be long, the rarest common lines split the stretch further (histogram). Near linear on
text that people write, bounded on any other.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

MAX_EDITS = 64
"""Most differing lines between two anchors for which a shortest edit is looked for."""
MAX_REPEATS = 16
"""How often a line may stand in a stretch and still split it."""
MAX_WORK = 2_000_000
"""Lines looked at in splitting before the rest is taken for different."""


def matching(a: Sequence[str], b: Sequence[str]) -> list[tuple[int, int, int]]:
    """Stretches of equal lines, as (place in a, place in b, length), in rising order; none of length 0, no
    two that touch in both.
    """
    found: list[tuple[int, int, int]] = []
    todo = [(0, len(a), 0, len(b))]
    work = 0
    while todo:
        left, right, low, high = todo.pop()
        start = left
        while left < right and low < high and a[left] == b[low]:
            left, low = left + 1, low + 1
        if left > start:
            found.append((start, low - (left - start), left - start))
        stop = right
        while left < right and low < high and a[right - 1] == b[high - 1]:
            right, high = right - 1, high - 1
        if stop > right:
            found.append((right, high, stop - right))
        if left == right or low == high:
            continue
        anchors = _anchors(a, left, right, b, low, high)
        if not anchors:
            shortest = _myers(a, left, right, b, low, high)
            if shortest is not None:
                found += shortest
                continue
            work += right - left + high - low
            split = _rarest(a, left, right, b, low, high) if work < MAX_WORK else None
            if split is not None:
                i, j, n = split
                found.append(split)
                todo += [(left, i, low, j), (i + n, right, j + n, high)]
            continue
        for i, j in anchors:
            todo.append((left, i, low, j))
            found.append((i, j, 1))
            left, low = i + 1, j + 1
        todo.append((left, right, low, high))
    return _joined(_settled(a, b, _joined(sorted(found))))


def _settled(
    a: Sequence[str], b: Sequence[str], blocks: list[tuple[int, int, int]]
) -> list[tuple[int, int, int]]:
    """The same stretches, with everything that was only put in or only taken out moved down as far as it
    goes.

    So the same change is found at the same place, whatever else was changed; git's own comparison does it
    too.
    """
    out: list[tuple[int, int, int]] = []
    end_a = end_b = 0
    for i, j, n in blocks:
        start = 0
        if i == end_a:
            while start < n and b[end_b + start] == b[j + start]:
                start += 1
        elif j == end_b:
            while start < n and a[end_a + start] == a[i + start]:
                start += 1
        if start:
            out.append((end_a, end_b, start))
        if start < n:
            out.append((i + start, j + start, n - start))
            end_a, end_b = i + n, j + n
        else:
            end_a, end_b = end_a + start, end_b + start
    return out


def _joined(blocks: list[tuple[int, int, int]]) -> list[tuple[int, int, int]]:
    out: list[tuple[int, int, int]] = []
    for i, j, n in blocks:
        if out and out[-1][0] + out[-1][2] == i and out[-1][1] + out[-1][2] == j:
            out[-1] = (out[-1][0], out[-1][1], out[-1][2] + n)
        else:
            out.append((i, j, n))
    return out


def _anchors(
    a: Sequence[str], left: int, right: int, b: Sequence[str], low: int, high: int
) -> list[tuple[int, int]]:
    """Lines that occur once on each side, as many of them as stand in the same order on both."""
    places: dict[str, list[int]] = {}
    for i in range(left, right):
        entry = places.setdefault(a[i], [0, 0, 0, 0])
        entry[0] += 1
        entry[1] = i
    for j in range(low, high):
        known = places.get(b[j])
        if known is not None:
            known[2] += 1
            known[3] = j
    pairs = [(known[1], known[3]) for known in places.values() if known[0] == known[2] == 1]
    ends: list[int] = []  # the smallest end in b of a rising run of each length
    index: list[int] = []
    before: list[int] = [-1] * len(pairs)
    for number, (_, j) in enumerate(pairs):
        length = bisect_left(ends, j)
        if length == len(ends):
            ends.append(j)
            index.append(number)
        else:
            ends[length] = j
            index[length] = number
        before[number] = index[length - 1] if length else -1
    out: list[tuple[int, int]] = []
    number = index[-1] if index else -1
    while number >= 0:
        out.append(pairs[number])
        number = before[number]
    out.reverse()
    return out


def _rarest(
    a: Sequence[str], left: int, right: int, b: Sequence[str], low: int, high: int
) -> tuple[int, int, int] | None:
    """The common stretch around the line that stands least often, of several the longest."""
    places: dict[str, list[int]] = {}
    for i in range(left, right):
        places.setdefault(a[i], []).append(i)
    best: tuple[int, int, int] | None = None
    rank = (MAX_REPEATS + 1, 0)
    passed = low
    for j in range(low, high):
        known = places.get(b[j], ())
        if j < passed or not known or len(known) > MAX_REPEATS:
            continue
        for i in known:
            n, rarest = 1, len(known)
            while i + n < right and j + n < high and a[i + n] == b[j + n]:
                rarest = min(rarest, len(places[a[i + n]]))
                n += 1
            passed = max(passed, j + n)
            if (rarest, -n) < rank:
                best, rank = (i, j, n), (rarest, -n)
    return best


def _myers(
    a: Sequence[str], left: int, right: int, b: Sequence[str], low: int, high: int
) -> list[tuple[int, int, int]] | None:
    """A shortest edit between two stretches, None where it is too long; http://www.xmailserver.org/diff2.pdf."""
    n, m = right - left, high - low
    limit = min(n + m, MAX_EDITS)
    reach = {1: 0}
    trace: list[dict[int, int]] = []
    for edits in range(limit + 1):
        trace.append(dict(reach))
        for k in range(-edits, edits + 1, 2):
            x = (
                reach[k + 1]
                if k == -edits or (k != edits and reach[k - 1] < reach[k + 1])
                else reach[k - 1] + 1
            )
            y = x - k
            while x < n and y < m and a[left + x] == b[low + y]:
                x, y = x + 1, y + 1
            reach[k] = x
            if x >= n and y >= m:
                return _walk(trace, edits, n, m, left, low)
    return [] if limit == n + m else None


def _walk(
    trace: list[dict[int, int]], edits: int, x: int, y: int, left: int, low: int
) -> list[tuple[int, int, int]]:
    """The stretches that the shortest edit leaves alone, from its end back to its start."""
    out: list[tuple[int, int, int]] = []
    for step in range(edits, -1, -1):
        reach = trace[step]
        k = x - y
        down = k == -step or (k != step and reach[k - 1] < reach[k + 1])
        previous = k + 1 if down else k - 1
        before_x = reach[previous] if step else 0
        before_y = before_x - previous if step else 0
        start_x = before_x if not step or down else before_x + 1
        if x > start_x:
            out.append((left + start_x, low + start_x - k, x - start_x))
        x, y = before_x, before_y
    return out


def first_line(before: bytes | None, after: bytes | None) -> int:
    """The first line in which two contents differ, counted from 1."""
    if before is None or after is None:
        return 1
    one, other = before.split(b"\n"), after.split(b"\n")
    for number, (left, right) in enumerate(zip(one, other, strict=False), 1):
        if left != right:
            return number
    return min(len(one), len(other))
