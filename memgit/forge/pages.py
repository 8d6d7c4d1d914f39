"""Lists of a forge, which come in pages."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from memgit.forge.http import Client, Failed, TooLarge

PAGE = 100
"""Rows asked for at once: the most that the forges give."""
PAGES = 100
"""Pages that are looked through."""


def listed(client: Client, path: str, what: str) -> list[Mapping[str, Any]]:
    """Every row of a list that has a number, each once; fewer are asked for at once where a hundred are too large
    an answer.

    Args:
        path: where the list is, perhaps with a query.
        what: the rows are, in words.

    Raises:
        Failed: the answer is not a list, or has no end: what is not in it cannot be told.
    """
    size = PAGE
    while True:
        try:
            return _read(client, path, what, size)
        except TooLarge:  # a hundred long ones
            if size == 1:
                raise
            size //= 10


def _read(client: Client, path: str, what: str, size: int) -> list[Mapping[str, Any]]:
    seen: dict[int, Mapping[str, Any]] = {}
    query = f"{path}{'&' if '?' in path else '?'}per_page={size}"
    for number in range(1, PAGES * PAGE // size + 1):
        answer = client.get(f"{query}&page={number}")
        if not isinstance(answer.value, list):
            raise Failed(f"{client.base} gives no list of {what}", answer.status, again=False)
        before = len(seen)
        for row in answer.value:
            if isinstance(row, dict) and type(row.get("id")) is int:
                seen.setdefault(row["id"], row)
        link = answer.headers.get("link")
        more = 'rel="next"' in link if link is not None else len(answer.value) >= size
        if not more or len(seen) == before:
            return list(seen.values())
    raise Failed(f"{client.base} lists more than {PAGES * PAGE} {what}", 200, again=False)
