"""What each dialect of documents calls a field, in which order its keys stand and how it writes their values.

A key that is in the file wins over the dialect's own name for the field: `modified` stays `modified`. Forms
and variants as found on
disk: memory vaults (skill-memory) and mirrors (Mnema, two writers).
"""

from __future__ import annotations

import json
import re
from functools import lru_cache

from memgit import TYPE_CHECKING
from memgit.formats.frontmatter_block import Spell, Style
from memgit.formats.text import whole
from memgit.model.kinds import FIELDS
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Value

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MANY = frozenset(field.name for field in FIELDS.values() if field.many)
WORDS = frozenset(["keywords", "tags", "topics"])
"""Lists whose items are also written as one text: `a, b`, `#a #b`, `["a", "b"]`."""
COMMAS = frozenset(["deciders", "files", "impacts", "tools_used"])
"""Lists that people write as `a, b` but never with hashes."""
LINKS = frozenset(["related", "supersedes", "derived_from"])
"""Lists of links or addresses, with or without brackets; an address may hold a comma."""
BARE = frozenset(["created", "updated", "archived", "at", "version", "usage_count", "last_used"])
"""Fields whose text looks like a date or a number and is written without quotes."""
STAMPS = frozenset(["created", "updated", "archived", "at", "last_used"])

_ALIASES: Mapping[str, tuple[str, ...]] = {
    "id": ("id",),
    "title": ("title",),
    "created": ("created", "created_at", "date"),
    "updated": ("updated", "modified", "updated_at"),
    "topics": ("topics", "topic"),
    "archived": ("archived", "archived_at"),
    "usage_count": ("usage_count", "retrieval_count"),
    "last_used": ("last_used", "last_used_at", "last_retrieved"),
    "related_task": ("related_task", "related_task_key"),
}
"""Keys that mean a field, the first to be taken first. Every other field is called by its own name alone."""


class Dialect(NamedTuple):
    """One way of writing documents.

    names: field, or `kind.field`, -> key, where the dialect calls a field otherwise. order: the usual order
        of keys.
    always: the keys that a new document has in any case, by kind. blank: what stands in such a key in place
        of nothing.
    styles: how to write new values, by key or field; `style` for the rest. stamp: dates are written with a
    time of day. loose: keys that a new document has and that go all the same when they are emptied.
    """

    name: str
    names: Mapping[str, str]
    order: tuple[str, ...]
    always: Mapping[str, tuple[str, ...]]
    blank: Mapping[str, Value]
    style: Style
    styles: Mapping[str, Style]
    stamp: bool = False
    loose: frozenset[str] = frozenset()

    def keys(self, kind: str) -> tuple[str, ...]:
        """The keys that a document has in any case."""
        return self.always.get(kind) or self.always.get("", ())

    def key(self, kind: str, field: str, present: Iterable[str] = ()) -> str:
        """The key for a field: one that is in the file, else the dialect's own."""
        if present:
            there = set(present)
            for key in aliases(self.name, kind, field):
                if key in there:
                    return key
        return self.names.get(f"{kind}.{field}") or self.names.get(field) or field

    def write_style(self, field: str, key: str) -> Style:
        """How to write a new value of a field."""
        style = self.styles.get(key) or self.styles.get(field) or self.style
        return _bare(style) if field in BARE and self.name != "mnema-block" else style

    def to_file(self, field: str, value: str, old: Value) -> str:
        """A text as the dialect spells it: dates with a time where it has them, versions as `N.0.0`.

        A day that an old time stamp falls on already leaves the stamp as it is.
        """
        if field in STAMPS and re.fullmatch(_DAY, value):
            if isinstance(old, str) and old.startswith(value) and re.match(_STAMPED, old):
                return old
            if self.stamp or (isinstance(old, str) and re.fullmatch(_ZULU, old)):
                return f"{value}T00:00:00.000Z"
        if field == "version" and value.isascii() and value.isdigit():
            if isinstance(old, str) and old.lstrip("vV").split(".")[0] == value:
                return old
            if self.name == "mnema" or (isinstance(old, str) and re.fullmatch(_SEMANTIC, old)):
                return f"{value}.0.0"
        return value


@lru_cache(maxsize=16)
def _bare(style: Style) -> Style:
    return style._replace(bare=True)


_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_STAMPED = r"[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]"
_ZULU = r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{3}Z"
_SEMANTIC = r"[0-9]+\.0\.0"

_ONE_A_LINE = Style(lists="block")
_DOUBLE = Style(text="double")
_NUMBER = Style(bare=True)

MEMGIT = Dialect(
    "memgit",
    {"skill.title": "name"},
    (
        "id",
        "name",
        "title",
        "version",
        "status",
        "description",
        "tools_used",
        "at",
        "created",
        "updated",
        "source",
        "topics",
        "scope",
        "tags",
        "keywords",
        "related",
        "related_task",
        "derived_from",
        "deciders",
        "supersedes",
        "superseded_by",
        "impacts",
        "summary",
        "archived",
        "merged_into",
        "usage_count",
        "last_used",
    ),
    {},
    {},
    Style(),
    {"related": _ONE_A_LINE, "derived_from": _ONE_A_LINE, "supersedes": _ONE_A_LINE, "impacts": _ONE_A_LINE},
)

ADR = MEMGIT._replace(name="adr")
"""Decision records of other tools; see `formats.adr`."""

VAULT = Dialect(
    "vault",
    {
        "updated": "modified",
        "topics": "topic",
        "usage_count": "retrieval_count",
        "last_used": "last_retrieved",
        "archived": "tombstoned_at",
    },
    (
        "id",
        "title",
        "created",
        "tags",
        "topic",
        "source",
        "modified",
        "retrieval_count",
        "last_retrieved",
        "mirrored_count",
        "keywords",
        "summary",
        "token_count",
        "category",
        "derived_from",
        "status",
        "tombstoned_at",
        "tombstone_reason",
    ),
    {"": ("tags", "topic", "source", "modified", "retrieval_count", "last_retrieved", "keywords", "summary")},
    {
        "tags": (),
        "keywords": (),
        "source": "",
        "topic": "",
        "summary": "",
        "last_retrieved": None,
        "retrieval_count": "0",
    },
    Style(),
    {
        "title": _DOUBLE,
        "topic": _DOUBLE,
        "source": _DOUBLE,
        "summary": _DOUBLE,
        "tombstone_reason": _DOUBLE,
        "retrieval_count": _NUMBER,
        "mirrored_count": _NUMBER,
        "token_count": _NUMBER,
    },
    loose=frozenset(["keywords", "summary"]),
)

MNEMA = Dialect(
    "mnema",
    {
        "skill.title": "name",
        "created": "created_at",
        "updated": "updated_at",
        "last_used": "last_used_at",
        "archived": "archived_at",
    },
    (
        "name",
        "title",
        "version",
        "description",
        "tools_used",
        "invocable",
        "dynamic_context",
        "topics",
        "usage_count",
        "last_used_at",
        "scope",
        "created_at",
        "updated_at",
        "id",
        "source",
        "tags",
        "keywords",
        "related",
        "derived_from",
        "summary",
        "archived_at",
        "merged_into",
    ),
    {
        "skill": ("version", "description", "tools_used", "usage_count", "created_at", "updated_at"),
        "": ("topics", "created_at", "updated_at"),
    },
    {"topics": (), "tools_used": (), "usage_count": "0", "description": "", "version": "1.0.0"},
    Style(lists="json", text="json"),
    {"usage_count": Style("json", "json", True)},
    stamp=True,
)

_TYPED = Style("block", "folded", True)

MNEMA_BLOCK = Dialect(
    "mnema-block",
    {
        "id": "key",
        "observation.id": "id",
        "sprint.title": "name",
        "created": "created_at",
        "decision.created": "at",
        "updated": "updated_at",
        "archived": "archived_at",
        "related_task": "related_task_key",
    },
    (
        "id",
        "key",
        "kind",
        "status",
        "state",
        "title",
        "name",
        "content",
        "description",
        "goal",
        "context",
        "decision",
        "rationale",
        "consequences",
        "acceptance_criteria",
        "labels",
        "depends_on",
        "topics",
        "related_task_key",
        "starts_at",
        "ends_at",
        "capacity",
        "estimate",
        "priority",
        "assignee",
        "reporter",
        "epic_key",
        "sprint_key",
        "reopen_count",
        "superseded_by",
        "authored_by",
        "created_by",
        "impacts",
        "metadata",
        "at",
        "archived_at",
        "created_at",
        "closed_at",
        "updated_at",
    ),
    {
        "observation": ("content", "topics", "related_task_key", "at", "archived_at"),
        "decision": (
            "status",
            "context",
            "decision",
            "rationale",
            "consequences",
            "superseded_by",
            "impacts",
            "metadata",
            "at",
        ),
        "epic": ("description", "metadata", "created_at", "closed_at"),
        "sprint": ("goal", "starts_at", "ends_at", "capacity", "metadata", "created_at", "closed_at"),
        "task": (
            "description",
            "acceptance_criteria",
            "estimate",
            "priority",
            "assignee",
            "reporter",
            "epic_key",
            "sprint_key",
            "reopen_count",
            "metadata",
            "updated_at",
        ),
    },
    {
        "acceptance_criteria": (),
        "archived_at": None,
        "assignee": None,
        "capacity": None,
        "closed_at": None,
        "consequences": "",
        "content": "",
        "context": "",
        "decision": "",
        "description": "",
        "ends_at": None,
        "epic_key": None,
        "estimate": None,
        "goal": "",
        "impacts": (),
        "metadata": "{}",
        "priority": None,
        "rationale": None,
        "related_task_key": None,
        "reopen_count": "0",
        "reporter": None,
        "sprint_key": None,
        "starts_at": None,
        "status": "proposed",
        "superseded_by": None,
        "topics": (),
    },
    Style("block", "folded"),
    {
        "estimate": _TYPED,
        "priority": _TYPED,
        "reopen_count": _TYPED,
        "capacity": _TYPED,
        "metadata": Style(text="raw"),
    },
    stamp=True,
)


DIALECTS: Mapping[str, Dialect] = {
    dialect.name: dialect for dialect in (MEMGIT, ADR, VAULT, MNEMA, MNEMA_BLOCK)
}


@lru_cache(maxsize=512)
def aliases(name: str, kind: str, field: str) -> tuple[str, ...]:
    """The keys that mean a field in a dialect, the first to be taken first."""
    if name == "mnema-block":
        if field == "id":
            return ("id", "key")
        if field == "title":
            return ("title", "name")
        if field == "created" and kind == "decision":
            return ("created", "created_at", "at")
    elif field == "title" and kind == "skill":
        return ("name", "title")
    elif name == "adr" and field == "deciders":
        return ("deciders", "decision-makers")
    elif name == "vault" and field == "archived":
        return ("archived", "tombstoned_at")
    return _ALIASES.get(field, (field,))


@lru_cache(maxsize=64)
def fields_of(name: str, kind: str) -> Mapping[str, str]:
    """Key -> field, for every key that means a field in a dialect."""
    out: dict[str, str] = {}
    for field in FIELDS:
        for key in aliases(name, kind, field):
            out.setdefault(key, field)
    return out


def read_items(field: str, key: str, value: Value) -> tuple[str, ...]:
    """The items of a list field, in whichever way they are written.

    Known ways: a list, one text `a, b` or `#a #b`, a JSON list inside a text. A hash before a tag and
    brackets around a link are left out. A vault's `topic` is one text.
    """
    if isinstance(value, tuple):
        if field == "tags":
            return tuple(bare_tag(item) for item in value)
        return tuple(bare_link(item) for item in value) if field in LINKS else value
    text = value.strip() if value else ""
    if not text:
        return ()
    if text[0] == "[" and text[-1] == "]" and text[:2] != "[[":
        listed = _json_list(text)
        return read_items(field, key, listed if listed is not None else text[1:-1])
    if field in LINKS:
        if "[[" not in text and "#" in text:
            return (text,)
        return tuple(bare_link(item) for item in _at_commas(text))
    if field in WORDS and text[0] == "#":
        return tuple(word.strip("#,") for word in text.split() if word.strip("#,"))
    if key == "topic" or (field not in WORDS and field not in COMMAS):
        return (text,)
    return tuple(_unquoted(item.strip()) for item in text.split(",") if item.strip())


def bare_tag(item: str) -> str:
    """A tag without the hash before it."""
    return item[1:] if item[:1] == "#" and len(item) > 1 else item


def bare_link(item: str) -> str:
    """What stands between the brackets of a link; YAML reads the outer pair of an unquoted `[[x]]` as a list."""
    depth = 2 if item[:2] == "[[" else 1 if item[:1] == "[" else 0
    if depth and len(item) > 2 * depth and item.endswith("]" * depth):
        return item[depth:-depth].strip()
    return item


def _at_commas(text: str) -> list[str]:
    """The parts of a text between its commas; a comma inside `[[…]]` parts nothing."""
    out: list[str] = []
    start = position = 0
    last = text.rfind("]]")
    while position < len(text):
        comma = text.find(",", position)
        opened = text.find("[[", position, comma if comma >= 0 else len(text))
        closed = text.find("]]", opened) if 0 <= opened <= last else -1
        if closed >= 0:
            position = closed + 2
            continue
        end = comma if comma >= 0 else len(text)
        out.append(text[start:end].strip())
        start = position = end + 1
    if start < len(text):
        out.append(text[start:].strip())
    return [part for part in out if part]


def bare_item(field: str) -> Spell:
    """What a list item as typed stands for, as `read_items` has it."""
    return bare_tag if field == "tags" else bare_link if field in LINKS else _same


def _same(item: str) -> str:
    return item


def _unquoted(item: str) -> str:
    return item[1:-1] if len(item) > 1 and item[0] == item[-1] and item[0] in "'\"" else item


def _json_list(text: str) -> tuple[str, ...] | None:
    try:
        items = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(items, list) or not all(isinstance(item, str) for item in items):
        return None
    return tuple(map(whole, items))
