"""What a change says where no record is: on top of an entry file, in comments of frontmatter, in the parts of
an index that people write.

Agents read these files whole, so a review that told of records alone would be blind to it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator
from typing import Any

from memgit.app.review.state import Read, Sides
from memgit.lint.words import cut
from memgit.model.layout import Layout
from memgit.review.masked import masked_pieces
from memgit.review.words import GONE, NEW, difference

WIDTH = 200
CHOSEN = ("name", "keywords")
"""What people choose about a category; told by itself (`review_drift.chosen_by_hand`)."""
_WORD = re.compile(r"\w+")


def outside(
    layout: Layout, sides: Sides, read: Read, paths: Collection[str], concerned: Collection[str]
) -> Iterator[tuple[str, str]]:
    """Record files in which more changed than records and layout: path, and what, in words.

    Args:
        paths: the record files that the change touches.
        concerned: those of them that hold a record that changed.
    """
    for path in sorted(paths):
        old, new = sides.before.data(path), sides.merged.data(path)
        if new is None or (old is None and path in concerned and not _entries(layout, path)):
            continue
        before, after = _text(old), _text(new)
        if _entries(layout, path):
            before = _top(before, sides.before.parsed(path).records)
            after = _top(after, read.parsed(sides.merged, path).records)
            if old is None:
                after = _without_block(after)
        elif path in concerned:
            continue
        if Counter(_WORD.findall(before)) != Counter(_WORD.findall(after)):
            yield path, f"{path} changes where no record is: {told(before, after)}"


def by_hand(path: str, derived: bytes, there: bytes) -> str | None:
    """What people wrote into a derived file, in words; None where nothing is told by it.

    Args:
        derived: the file as it would be had the change left it alone.
        there: the file as it is.
    """
    if path.endswith(".json"):
        one, other = _beyond(derived), _beyond(there)
        if one == other:
            return None
        before, after = (
            json.dumps(one, ensure_ascii=False, indent=1),
            json.dumps(other, ensure_ascii=False, indent=1),
        )
    else:
        before, after = _text(derived), _text(there)
    if Counter(_WORD.findall(before)) == Counter(_WORD.findall(after)):
        return None
    return f"{path} changes in what no record gives: {told(before, after)}"


def told(before: str, after: str) -> str:
    """The words that came and went, on one line."""
    pieces = masked_pieces(difference(before, after))
    sides = (
        (sign, cut(" ".join(text for side, text in pieces if side == sign), WIDTH)) for sign in (NEW, GONE)
    )
    return ", ".join(f"{sign} {text!r}" for sign, text in sides if text)


def _entries(layout: Layout, path: str) -> bool:
    found = layout.find(path)
    return found is not None and found[0].form == "entries"


def _text(data: bytes | None) -> str:
    return (data or b"").decode("utf-8", "replace")


def _top(text: str, records: Collection[Any]) -> str:
    """What stands above the first entry."""
    first = min((record.line for record in records), default=None)
    return text if first is None else "\n".join(text.split("\n")[: first - 1])


def _without_block(text: str) -> str:
    """A text without its frontmatter: that of a new file gives the category its name and keywords."""
    return text.split("\n---", 1)[-1] if text.startswith("---") else text


def _beyond(data: bytes) -> Any:
    """An index without what is told by itself."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return value
    return {
        key: [_plain(item) for item in one] if isinstance(one, list) else one for key, one in value.items()
    }


def _plain(item: Any) -> Any:
    return (
        {key: value for key, value in item.items() if key not in CHOSEN} if isinstance(item, dict) else item
    )
