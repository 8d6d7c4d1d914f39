"""Whether the derived files of a merge, as a forge would commit it, are what the records of the merge give."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, NamedTuple

from memgit.app.merge.tree_merge import TreeMerge
from memgit.app.review.non_record_changes import CHOSEN, by_hand
from memgit.app.review.state import Sides
from memgit.derive import is_derived, table
from memgit.derive.view import DerivedFile, Rendered, View
from memgit.formats.merging.linediff import first_line
from memgit.git.repository import Repository
from memgit.git.worktree.filetrees import CommitTree
from memgit.lint.corpus import Corpus
from memgit.lint.rule import Found
from memgit.lint.words import cut
from memgit.model.filetree import EditedTree
from memgit.model.layout import Layout
from memgit.review.masked import masked_pieces
from memgit.review.words import Pieces, differing_lines

RULE = "MG101"
WIDTH = 200
MAX_LISTED = 5
"""So many categories of one index are told one by one."""
MEND = "memgit rebuild fixes it"


class Drift(NamedTuple):
    """A derived file that is not as it should be; `old`: it is so in the base already, `differs`: the
    difference from what is in it to what the records give.

    Or (`note`) what people wrote into it, in words.
    """

    found: Found | None
    old: bool
    note: str = ""
    differs: Pieces = ()


def drifted(
    repo: Repository, layout: Layout, sides: Sides, merged: TreeMerge, after: Corpus, *, moved: bool
) -> Iterator[Drift]:
    """What is wrong with the derived files that the change affects or touches.

    Each is derived from that of the base and from what changed; only where that gives something else than a
    forge would commit are all of its records read.

    Args:
        after: the result of merging as a forge would commit it.
        moved: whether the base has commits that the head has not.
    """
    changed = frozenset(path for path in sides.changed if not is_derived(layout, path))
    base = View(layout, CommitTree(repo, sides.base))
    # The records of the merge beside the derived files of the base: what a quick derivation starts from.
    edits = {path: edit for path, edit in merged.edits.items() if path in changed}
    start = View(layout, EditedTree(base.files, edits))
    for path, derived in sorted(_concerned(layout, [*sides.changed, *merged.plain]).items()):
        if path in merged.clashing:
            continue  # a forge stops here and does not commit anything
        there = after.data(path)
        affected = derived.quick(start, base, path, changed) if derived.quick is not None else None
        if affected is not None and not affected.problems and affected.data == there:
            continue
        rendered = derived.build(after, path)
        wrong = _wrong(rendered, there, moved)
        if wrong is not None:
            was = _wrong(derived.build(base, path), base.data(path), moved)
            differs = _differing(there, rendered.data)
            found = Found(path, first_line(there, rendered.data), wrong, fixable=True)
            yield Drift(found, wrong == was, differs=differs)
        elif path in sides.changed and there is not None:
            affected = derived.build(start, path) if affected is None or affected.problems else affected
            note = by_hand(path, affected.data or b"", there) if affected.data != there else None
            if note is not None:
                yield Drift(None, False, note)


def chosen_by_hand(repo: Repository, layout: Layout, sides: Sides, after: Corpus) -> Iterator[str]:
    """What the change does to the names and keywords of categories, in words: it is said in an index or on
    top of a file, in no record.
    """
    base = View(layout, CommitTree(repo, sides.base))
    for path in sorted(path for path in sides.changed if path.endswith(".json") and is_derived(layout, path)):
        there, before = after.data(path), base.data(path)
        if there is None or before is None:
            continue
        folder = path.rpartition("/")[0] + "/"
        said = list(_chosen(_items(before), _items(there), partial(_keywords, after, folder)))
        more = f" and {len(said) - MAX_LISTED} more" if len(said) > MAX_LISTED else ""
        if said:
            yield f"categories are described in another way in {path}: {'; '.join(said[:MAX_LISTED])}{more}"


def _keywords(after: Corpus, folder: str, file: str) -> set[str]:
    """The keywords of the records of a file, which may become those of its category."""
    return {keyword for record in after.parsed(folder + file).records for keyword in record.keywords}


def _items(data: bytes) -> dict[str, dict[str, Any]]:
    """The items of an index by file, id or name."""
    try:
        value = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    lists = value.values() if isinstance(value, dict) else ()
    found: dict[str, dict[str, Any]] = {}
    for item in (item for one in lists if isinstance(one, list) for item in one if isinstance(item, dict)):
        name = next((item[key] for key in ("file", "id", "name") if isinstance(item.get(key), str)), None)
        if name is not None:
            found[name] = item
    return found


def _chosen(
    old: dict[str, dict[str, Any]], new: dict[str, dict[str, Any]], derived: Callable[[str], set[str]]
) -> Iterator[str]:
    for name, item in new.items():
        before = old.get(name)
        if before is None:
            continue
        for key in CHOSEN:
            one, other = before.get(key), item.get(key)
            if one == other or not (one or other):
                continue
            if isinstance(one, list) and isinstance(other, list):
                come = [value for value in other if value not in one]
                known = derived(name) if come else set()
                signs = [f"+{value}" for value in come if str(value) not in known] + [
                    f"-{value}" for value in one if value not in other
                ]
                if signs:
                    yield f"{name}: {key} {cut(', '.join(signs), WIDTH)}"
            else:
                yield f"{name}: {key} {cut(str(one), WIDTH)!r} is now {cut(str(other), WIDTH)!r}"


def _concerned(layout: Layout, changed: list[str]) -> dict[str, DerivedFile]:
    """The derived files that a change affects, each with its row in the table."""
    found: dict[str, DerivedFile] = {}
    for derived in table(layout):
        for path in sorted(changed):
            for affected in derived.affected(layout, path):
                found.setdefault(affected, derived)
    return found


def _differing(there: bytes | None, derived: bytes | None) -> Pieces:
    """What deriving the file again would change in it, line by line; empty where it would take it away."""
    if derived is None:
        return ()
    texts = ((data or b"").decode("utf-8", "replace") for data in (there, derived))
    return masked_pieces(differing_lines(*texts))


def _wrong(rendered: Rendered, there: bytes | None, moved: bool) -> str | None:
    """What is wrong with a derived file, None where nothing is."""
    said = "; ".join(problem.message for problem in rendered.problems if problem.code == RULE)
    if rendered.data == there:
        return f"a derived file that cannot be derived: {said}" if said else None
    if said:
        return f"{said}; {MEND}"
    if rendered.data is None:
        return f"a derived file of nothing: no record is left that it could list; {MEND}"
    if there is None:
        return f"this derived file is missing; {MEND}"
    if moved:
        return (
            "not what the records give once both sides are merged: memgit update-branch merges the base, then "
            f"{MEND}"
        )
    return f"not what the records give; {MEND}"
