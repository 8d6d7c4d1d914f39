"""What is proposed for the segments of a source: values that a person or an agent may change before they are
carried out.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.ingest.content import FileMap

ACTIONS = ("create", "update", "extend", "skip", "merge")
"""What may be done with a segment: a record of its own, the text of a record replaced or added to, nothing,
or part of another segment.
"""
UNCHANGED = "unchanged"
"""The action of a segment whose record says what it says already."""


class Candidate(NamedTuple):
    """A record that shares key terms with a segment: the share (0 to 1) of the segment's terms, what the
    thresholds advise, and the likeness (0 to 1) of the two.
    """

    address: str
    overlap: float
    advice: str
    likeness: float = 0.0

    def as_json(self) -> dict[str, Any]:
        return {
            "address": self.address,
            "overlap": round(self.overlap, 2),
            "likeness": round(self.likeness, 2),
            "advice": self.advice,
        }


class Item(NamedTuple):
    """One segment with what is proposed for it.

    Attributes:
        segment: its id in the map.
        path, source, lines: where it comes from: as shown, as the Source field has it, `first-last`.
        action: one of `ACTIONS`, or `UNCHANGED`.
        into: the record to update or extend; for `merge` the id of the segment that takes it in.
        version: what the record to update or extend must be, see `app.present.version_id`.
        advice: what the thresholds advise, whatever the action is.
        reason: why it is skipped, or why it needs a person's decision.
        chosen: the reason is a choice; any other one says what stands in the way.
        foreign: the record to update was not made from this source: where nobody decides, it is extended
            instead.
        group: the category, scope or folder.
        related: addresses of records to link with.
        fingerprint: digests of the segments that are in the body.
        worth_parts: what its worth is made of: code, a table, steps, error messages, and so on.
        edited: the body is not what the segments say.
    """

    segment: str
    path: str
    source: str
    lines: str
    action: str
    kind: str
    title: str
    group: str
    keywords: tuple[str, ...]
    body: str
    topic: str = ""
    context: str = ""
    summary: str = ""
    tokens: int = 0
    worth: int = 0
    worth_parts: tuple[tuple[str, int], ...] = ()
    into: str = ""
    version: str = ""
    advice: str = "create"
    reason: str = ""
    chosen: bool = False
    foreign: bool = False
    overlap: float = 0.0
    candidates: tuple[Candidate, ...] = ()
    related: tuple[str, ...] = ()
    fingerprint: tuple[str, ...] = ()
    edited: bool = False
    date: str = ""

    @property
    def acts(self) -> bool:
        """Whether it writes something."""
        return self.action in ("create", "update", "extend")

    @property
    def stopped(self) -> bool:
        """Whether it is skipped because something stands in its way, and not by choice."""
        return self.action == "skip" and bool(self.reason) and not self.chosen

    def as_json(self) -> dict[str, Any]:
        return {
            "segment": self.segment,
            "source_file": self.path,
            "source_lines": self.lines,
            "action": self.action,
            "advice": self.advice,
            "into": self.into or None,
            "version": self.version or None,
            "overlap": round(self.overlap, 2),
            "reason": self.reason or None,
            "kind": self.kind,
            "group": self.group or None,
            "title": self.title,
            "topic": self.topic,
            "summary": self.summary,
            "keywords": list(self.keywords),
            "estimated_tokens": self.tokens,
            "worth": self.worth,
            "worth_parts": dict(self.worth_parts),
            "candidates": [candidate.as_json() for candidate in self.candidates],
            "related": list(self.related),
        }


class Category(NamedTuple):
    """A category that does not exist yet."""

    key: str
    name: str
    keywords: tuple[str, ...]


class File(NamedTuple):
    """One text of the source: its path, the digest of its bytes (empty for a page), and why it was not read
    (empty where it was).

    `failed` says that it should have been read and could not be; others are left out because they are no
    source. `unchanged` says that the same bytes were taken whole before.
    """

    path: str
    digest: str
    skipped: str = ""
    failed: bool = False
    unchanged: bool = False


class Proposal(NamedTuple):
    """All that is proposed for one ingest.

    `sources` are the Source values of what was named on the command line, `what` is how the commit calls
    them. `left` are addresses of records that were made from one of the files and whose segment is not there
    any more, `faults` the maps of files whose frontmatter cannot be read.
    """

    what: str
    sources: tuple[str, ...]
    files: tuple[File, ...]
    items: tuple[Item, ...]
    categories: tuple[Category, ...] = ()
    left: tuple[str, ...] = ()
    faults: tuple[FileMap, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "source": self.what,
            "files": [{"path": file.path, "skipped": file.skipped or None} for file in self.files],
            "items": [item.as_json() for item in self.items],
            "new_categories": [
                {"key": one.key, "name": one.name, "keywords": list(one.keywords)} for one in self.categories
            ],
            "left": list(self.left),
        }


def decided(item: Item) -> Item:
    """The item as it is carried out where nobody decides: what needs a decision is skipped, a record of
    another source is only added to.
    """
    if item.acts and item.reason:
        return item._replace(action="skip")
    return item._replace(action="extend") if item.action == "update" and item.foreign else item


def gathered(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """The items with those that are merged put into the bodies of the ones that take them in; a chain ends at
    its last.

    Raises:
        ValueError: one is to go into a segment that is not there or is not written, or into itself.
    """
    by_id = {item.segment: item for item in items}
    bodies: dict[str, list[Item]] = {}
    for item in items:
        if item.action != "merge":
            continue
        goal, seen = item, {item.segment}
        while goal.action == "merge":
            found = by_id.get(goal.into)
            if found is None or found.segment in seen:
                raise ValueError(f"{item.segment} cannot be merged into {item.into or 'nothing'}")
            seen.add(found.segment)
            goal = found
        if not goal.acts:
            raise ValueError(f"{item.segment} cannot be merged into {goal.segment}, which is not written")
        bodies.setdefault(goal.segment, []).append(item)
    out = []
    for item in items:
        parts = bodies.get(item.segment, [])
        if parts:
            body = "\n\n".join((item.body, *(f"### {part.title}\n\n{part.body}" for part in parts)))
            marks = tuple(
                dict.fromkeys((*item.fingerprint, *(mark for part in parts for mark in part.fingerprint)))
            )
            words = tuple(
                dict.fromkeys((*item.keywords, *(word for part in parts for word in part.keywords)))
            )
            lines = ", ".join((item.lines, *(part.lines for part in parts)))
            out.append(item._replace(body=body, fingerprint=marks, keywords=words, lines=lines, edited=True))
        else:
            out.append(item)
    return tuple(out)
