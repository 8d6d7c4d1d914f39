"""The context for the start of a session: what is there, in one bounded answer (Mnema's bootstrap)."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.reader import CachedReader, answered, open_searchable
from memgit.app.workspace import Workspace
from memgit.model.record import Record
from memgit.model.tokens import estimate
from memgit.model.tuples import NamedTuple

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    from memgit.cache.usage import Usage

    Item: TypeAlias = tuple[dict[str, Any], str]

SKILLS, MEMORIES, OBSERVATIONS = 20, 30, 5
INDEX_CHARACTERS = 4000
KINDS = ("skill", "memory", "observation")
"""Of the records that are named."""
DEFAULT_TOKENS = 4000


class Part(NamedTuple):
    """One part of the context: its name, its items as JSON and as lines, and how many records it could not name."""

    name: str
    items: list[dict[str, Any]]
    lines: list[str]
    left_out: int


class Bootstrap(NamedTuple):
    """The context: its parts, the indexes that people wrote (None where there is none), and what was left out for want of room."""

    parts: tuple[Part, ...]
    indexes: dict[str, str | None]
    left_out: dict[str, int]
    tokens: int
    revision: str | None
    fresh: bool

    def as_json(self) -> dict[str, Any]:
        return {
            **{part.name: part.items for part in self.parts},
            **self.indexes,
            "left_out": self.left_out,
            "tokens": self.tokens,
            "revision": self.revision,
            "fresh": self.fresh,
        }

    def as_text(self) -> str:
        out: list[str] = []
        for part in self.parts:
            if part.lines:
                out += [f"## {TITLES[part.name]}", "", *part.lines, ""]
        for name, text in self.indexes.items():
            if text:
                out += [f"## {TITLES[name]}", "", text, ""]
        if self.left_out:
            out.append("Left out: " + ", ".join(f"{count} of {TITLES[name].lower()}" for name, count in self.left_out.items()))
        return "\n".join(out).strip("\n")


TITLES = {
    "skills_inventory": "Skills", "memories_inventory": "Memories", "recent_observations": "Recent observations",
    "memory_index": "What people wrote about the memories", "decisions_index": "What people wrote about the decisions",
}  # fmt: skip


def tokens(text: str) -> int:
    """Tokens of a text as memgit counts them everywhere."""
    return estimate(text)


def context(workspace: Workspace, *, max_tokens: int = DEFAULT_TOKENS, at: str | None = None) -> Bootstrap:
    """Up to 20 skills, 30 memories and 5 recent observations, those changed or used last first, and the human part of the indexes.

    Each part gives way from its end where the whole would have more than `max_tokens`; what was left out is counted by name.
    `at` answers as of a revision; uses are counted as they are now.
    """
    from memgit.cache.usage import load

    repo = workspace.require_repository()
    reader = open_searchable(workspace, at)
    reader.narrow(*KINDS)
    usage = load(repo, workspace.cache)
    return answered(reader, lambda reader: _context(reader, usage, max_tokens))


def _context(reader: CachedReader, usage: Usage, max_tokens: int) -> Bootstrap:
    counts = _counts(reader)
    skills = reader.snapshot.recent("skill", SKILLS)
    memories = reader.snapshot.recent("memory", MEMORIES)
    seen = [reader.load(record) for record in reader.snapshot.recent("observation", OBSERVATIONS)]
    parts = [
        _part(
            "skills_inventory", [_skill(record, usage.of(record.id, record.address, record.version)) for record in skills], counts["skill"]
        ),
        _part("memories_inventory", [_memory(record) for record in memories], counts["memory"]),
        _part("recent_observations", [_observation(record) for record in seen], counts["observation"]),
    ]
    indexes = {"memory_index": _human(reader, "memory"), "decisions_index": _human(reader, "decision")}
    return _bounded(parts, indexes, max_tokens, reader)


def _counts(reader: CachedReader) -> dict[str, int]:
    return {kind: reader.snapshot.in_use(kind) for kind in KINDS}


def _part(name: str, items: list[Item], total: int) -> Part:
    return Part(name, [item for item, _ in items], [line for _, line in items], max(0, total - len(items)))


def _skill(record: Record, count: Any) -> Item:
    last = (record.text("last_used"), count.last_used)
    item = {
        "slug": record.path.rpartition("/")[2].removesuffix(".md"),
        "address": record.address,
        "name": record.title,
        "version": record.version,
        "description": record.text("description"),
        "usage_count": record.usage_count + count.uses,
        "last_used_at": max(filter(None, last), default=None),
    }
    about = f": {item['description']}" if item["description"] else ""
    return item, f"- {record.address}@{record.version or 1}{about} (used {item['usage_count']} times)"


def _memory(record: Record) -> Item:
    item = {"slug": record.address.partition("/")[2], "address": record.address, "title": record.title, "topics": list(record.topics)}
    topics = f" ({', '.join(record.topics)})" if record.topics else ""
    return item, f"- {record.address}: {record.title}{topics}"


def _observation(record: Record) -> Item:
    content = record.body or record.title
    item = {
        "id": record.id, "address": record.address, "title": record.title, "content": content, "topics": list(record.topics),
        "related_task_key": record.text("related_task"), "at": record.text("at"),
    }  # fmt: skip
    return item, f"- {record.address} ({(record.text('at') or '')[:10]}): {' '.join(content.split())[:300]}"


def _human(reader: CachedReader, kind: str) -> str | None:
    """What people wrote in the index of a kind's folder, outside of the generated part; None where there is nothing."""
    layout = reader.workspace.layout
    folders = dict.fromkeys(place.folder for place in layout.of(kind))
    for folder in folders:
        data = reader.files.data(f"{folder}INDEX.md")
        if data is None:
            continue
        text = _outside(data, layout.name)
        lines = [line for line in text.strip().split("\n") if line.strip()]
        if any(not line.startswith("# ") for line in lines):
            return text.strip()[:INDEX_CHARACTERS]
    return None


def _outside(data: bytes, layout: str) -> str:
    """What stands in an index outside of its generated part."""
    from memgit.derive.managed import outside

    if layout == "mnema":
        from memgit.derive.mnema import MARKERS
    else:
        from memgit.derive.index_places import MARKERS
    return outside(data, MARKERS)


def _bounded(parts: list[Part], indexes: dict[str, str | None], limit: int, reader: CachedReader) -> Bootstrap:
    """The parts that fit, in turn: a line of each part as long as there is room, then the indexes."""
    room = limit
    kept: dict[str, int] = {part.name: 0 for part in parts}
    order = [(number, part) for part in parts for number in range(len(part.lines))]
    for number, part in sorted(order, key=lambda pair: (pair[0], parts.index(pair[1]))):
        cost = tokens(part.lines[number])
        if cost <= room and kept[part.name] == number:
            kept[part.name] += 1
            room -= cost
    out = []
    left_out: dict[str, int] = {}
    for part in parts:
        count = kept[part.name]
        out.append(Part(part.name, part.items[:count], part.lines[:count], part.left_out + len(part.lines) - count))
        if out[-1].left_out:
            left_out[part.name] = out[-1].left_out
    held: dict[str, str | None] = {}
    for name, text in indexes.items():
        if text and tokens(text) > room:
            left_out[name] = 1
            held[name] = None
            continue
        held[name] = text
        room -= tokens(text or "")
    return Bootstrap(tuple(out), held, left_out, limit - room, reader.revision, reader.fresh)
