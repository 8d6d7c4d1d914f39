"""The context for the start of a session: what is there, in one bounded answer (Mnema's bootstrap)."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.read.reader import CachedReader, open_searchable
from memgit.app.read.recall import files_of
from memgit.app.workspace import Workspace
from memgit.cache.usage import load
from memgit.derive import index_places, mnema
from memgit.derive.managed import outside
from memgit.errors import BadInput
from memgit.model.kinds import KINDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record
from memgit.model.tokens import estimate, half_words, of_half_words

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from memgit.cache.usage import Usage

    Item: TypeAlias = tuple[dict[str, Any], str]

DECISIONS, CATEGORIES, SKILLS, MEMORIES, NOTES, OBSERVATIONS = 20, 30, 20, 30, 10, 5
SAME_DAY = 500
"""Observations of the newest days that are put in the order of their times."""
INDEXES = {"memory_index": "memory", "decisions_index": "decision"}
"""The indexes of which the part that people wrote is shown, with their kind."""
INDEX_CHARACTERS = 4000
IN_FORCE = ("accepted",)
"""The status of decisions that bind, in any case."""
DEFAULT_TOKENS = 4000
MAX_WORDS = 8
"""Keywords of a category that are named."""


class Part(NamedTuple):
    """One part of the context: its name, its items as JSON and as lines, and how many records it could not
    name.
    """

    name: str
    items: list[dict[str, Any]]
    lines: list[str]
    left_out: int


class Bootstrap(NamedTuple):
    """The context: its parts, the indexes that people wrote (None where there is none), and what was left out
    for want of room.

    `tokens` is how many the whole of it has, as it is printed.
    """

    parts: tuple[Part, ...]
    indexes: dict[str, str | None]
    left_out: dict[str, int]
    health: str
    tokens: int
    revision: str | None
    fresh: bool

    def as_json(self) -> dict[str, Any]:
        return {
            **{part.name: part.items for part in self.parts},
            **self.indexes,
            "health": self.health,
            "left_out": self.left_out,
            "tokens": self.tokens,
            "revision": self.revision,
            "fresh": self.fresh,
        }

    def as_text(self) -> str:
        out: list[str] = []
        for part in self.parts:
            if part.lines:
                out += [_heading(part.name), "", *part.lines, ""]
        for name, text in self.indexes.items():
            if text:
                out += [_heading(name), "", text, ""]
        if out or self.left_out:
            out.append(self.health)
        if self.left_out:
            out.append(
                f"Left out: {', '.join(_left_out(name, count) for name, count in self.left_out.items())}"
            )
        return "\n".join(out).strip("\n")


class Manner(NamedTuple):
    """How the context is printed, of which its tokens are counted: all of it, and the JSON of one value in it
    (None where it is text).
    """

    whole: Callable[[Bootstrap], str]
    one: Callable[[Any], str] | None = None


TEXT = Manner(Bootstrap.as_text)


def _left_out(name: str, count: int) -> str:
    what = TITLES[name].lower()
    if name in INDEXES:
        return what
    one = what.removesuffix("ies") + "y" if what.endswith("ies") else what.removesuffix("s")
    return f"{count} {one if count == 1 else what}"


def _heading(name: str) -> str:
    return f"## {TITLES[name]}"


TITLES = {
    "decisions_in_force": "Decisions in force",
    "categories": "Categories",
    "notes": "Notes",
    "skills_inventory": "Skills",
    "memories_inventory": "Memories",
    "recent_observations": "Recent observations",
    "memory_index": "What people wrote about the memories",
    "decisions_index": "What people wrote about the decisions",
}


def context(
    workspace: Workspace, *, max_tokens: int = DEFAULT_TOKENS, at: str | None = None, manner: Manner = TEXT
) -> Bootstrap:
    """Decisions in force, categories of knowledge and experience, skills, memories, notes and observations, those
    made or changed last first, the human part of the indexes, and how the store is in one line.

    Where the whole, as it is printed, would have more than `max_tokens`, each part gives way from its end;
    what was left out is counted by name. `at` answers as of a revision; uses are counted as they are now.

    Raises:
        BadInput: not even what is left out can be named in so few tokens.
    """
    repo = workspace.require_repository()
    usage = load(repo, workspace.cache)
    return _context(open_searchable(workspace, at), usage, max_tokens, manner)


def _context(reader: CachedReader, usage: Usage, max_tokens: int, manner: Manner) -> Bootstrap:
    counts = reader.snapshot.in_use
    decisions = [record for record in reader.snapshot.recent("decision", SAME_DAY) if _in_force(record)]
    skills = reader.snapshot.recent("skill", SKILLS)
    memories = reader.snapshot.recent("memory", MEMORIES)
    notes = reader.snapshot.recent("note", NOTES)
    categories = [item for kind in ("knowledge", "experience") for item in _categories(reader, kind)]
    parts = [
        _part("decisions_in_force", [_decision(record) for record in decisions[:DECISIONS]], len(decisions)),
        _part("categories", categories[:CATEGORIES], len(categories)),
        _part(
            "skills_inventory",
            [_skill(record, usage.of(record.id, record.address, record.version)) for record in skills],
            counts("skill"),
        ),
        _part("memories_inventory", [_memory(record) for record in memories], counts("memory")),
        _part("notes", [_memory(record) for record in notes], counts("note")),
        _part("recent_observations", _observations(reader), counts("observation")),
    ]
    indexes = {name: _human(reader, kind) for name, kind in INDEXES.items()}
    return _Bounded(parts, indexes, _health(reader), reader, manner).within(max_tokens)


def _in_force(record: Record) -> bool:
    return (record.text("status") or "").strip().casefold() in IN_FORCE


def _decision(record: Record) -> Item:
    item = {"address": record.address, "title": record.title, "status": record.text("status")}
    return item, f"- {record.address}: {record.title}"


def _categories(reader: CachedReader, kind: str) -> list[Item]:
    """The categories of knowledge, or the skills with experience: how many records each has, and its keywords."""
    out: list[Item] = []
    counts = reader.snapshot.in_use_by_path(kind)
    for one in files_of(reader, kind):
        count = counts.get(one.path, 0)
        if not count:
            continue
        item = {"address": f"{kind}/{one.key}", "records": count, "keywords": list(one.keywords)}
        about = f" ({', '.join(one.keywords[:MAX_WORDS])})" if one.keywords else ""
        out.append((item, f"- {kind}/{one.key}: {count} record{'' if count == 1 else 's'}{about}"))
    return out


def _observations(reader: CachedReader) -> list[Item]:
    """The newest observations by their time."""
    heads = reader.snapshot.recent("observation", SAME_DAY)
    heads.sort(key=lambda head: (head.text("at") or "", head.address), reverse=True)
    return [_observation(reader.load(head)) for head in heads[:OBSERVATIONS]]


def _health(reader: CachedReader) -> str:
    """How many records there are and whether any file cannot be read, in one line."""
    counts = {kind: reader.snapshot.in_use(kind) for kind in KINDS}
    said = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count)
    broken = {path for path, problem in reader.problems() if problem.fatal}
    files = f"{len(broken)} file{'' if len(broken) == 1 else 's'}"
    return f"Records: {said or 'none'}." + (f" {files} cannot be read: memgit lint." if broken else "")


def _part(name: str, items: list[Item], total: int) -> Part:
    return Part(name, [item for item, _ in items], [line for _, line in items], max(0, total - len(items)))


def _skill(record: Record, count: Any) -> Item:
    last = (record.text("last_used"), count.last_used)
    item = {
        "slug": record.stem,
        "address": record.address,
        "name": record.title,
        "version": record.version,
        "description": record.text("description"),
        "usage_count": record.usage_count + count.uses,
        "last_used_at": max(filter(None, last), default=None),
    }
    about = f": {item['description']}" if item["description"] else ""
    times = "once" if item["usage_count"] == 1 else f"{item['usage_count']} times"
    return item, f"- {record.address}@{record.version or 1}{about} (used {times})"


def _memory(record: Record) -> Item:
    item = {
        "slug": record.address.partition("/")[2],
        "address": record.address,
        "title": record.title,
        "topics": list(record.topics),
    }
    topics = f" ({', '.join(record.topics)})" if record.topics else ""
    return item, f"- {record.address}: {record.title}{topics}"


def _observation(record: Record) -> Item:
    content = record.body or record.title
    item = {
        "id": record.id,
        "address": record.address,
        "title": record.title,
        "content": content,
        "topics": list(record.topics),
        "related_task_key": record.text("related_task"),
        "at": record.text("at"),
    }
    return item, f"- {record.address} ({(record.text('at') or '')[:10]}): {' '.join(content.split())[:300]}"


def _human(reader: CachedReader, kind: str) -> str | None:
    """What people wrote in the index of a kind's folder, outside of the generated part; None where there is
    nothing.
    """
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
    return outside(data, (mnema if layout == "mnema" else index_places).MARKERS)


class _Bounded:
    """Finds what of the context there is room for."""

    def __init__(
        self,
        parts: Sequence[Part],
        indexes: Mapping[str, str | None],
        health: str,
        reader: CachedReader,
        manner: Manner,
    ) -> None:
        self.parts, self.indexes, self.reader, self.manner = parts, indexes, reader, manner
        self.health = health

    def within(self, limit: int) -> Bootstrap:
        """A line of each part in turn, as long as there is room, then the indexes."""
        turns = [
            (number, part.name)
            for number in range(max(len(part.lines) for part in self.parts))
            for part in self.parts
        ]
        turns += [(0, name) for name, text in self.indexes.items() if text]
        everything = self._with({name: number + 1 for number, name in turns})
        if everything.tokens <= limit:
            return everything
        kept: dict[str, int] = {}
        least = self._with(kept)
        if least.tokens > limit:
            raise BadInput(
                (
                    f"{limit} token{'' if limit == 1 else 's'} cannot even name what is left out, which "
                    f"takes {least.tokens}"
                ),
                hint=f"--max-tokens {least.tokens} or more",
            )
        used, order = half_words(self.manner.whole(least)), []
        for number, name in turns:
            cost = self._cost(number, name)
            if cost is not None and kept.get(name, 0) == number and of_half_words(used + cost) <= limit:
                used += cost
                kept[name] = number + 1
                order.append(name)
        # Words can run together where values meet, so the sum is checked.
        while (found := self._with(kept)).tokens > limit:
            kept[order.pop()] -= 1
        return found

    def _cost(self, number: int, name: str) -> int | None:
        """Twice the words that one more line of a part costs; None where the part has no such line."""
        part = next((part for part in self.parts if part.name == name), None)
        text = (
            self.indexes[name] if part is None else part.lines[number] if number < len(part.lines) else None
        )
        if text is None:
            return None
        if self.manner.one is not None:
            return half_words(self.manner.one(text if part is None else part.items[number]))
        return half_words(text) + (0 if number else half_words(_heading(name)))

    def _with(self, kept: Mapping[str, int]) -> Bootstrap:
        """The context with so many lines of each part."""
        out: list[Part] = []
        left_out: dict[str, int] = {}
        for part in self.parts:
            count = min(kept.get(part.name, 0), len(part.lines))
            left = part.left_out + len(part.lines) - count
            out.append(Part(part.name, part.items[:count], part.lines[:count], left))
            if left:
                left_out[part.name] = left
        held = {name: text if kept.get(name) else None for name, text in self.indexes.items()}
        left_out.update((name, 1) for name, text in self.indexes.items() if text and held[name] is None)
        found = Bootstrap(tuple(out), held, left_out, self.health, 0, self.reader.revision, self.reader.fresh)
        return found._replace(tokens=estimate(self.manner.whole(found)))
