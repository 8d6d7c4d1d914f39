"""The table of record kinds and the fields that each may have.

A new kind is one row here and a place for it in `layout`.
"""

from __future__ import annotations

from memgit.model.namedtuple import NamedTuple


class Field(NamedTuple):
    """One canonical field: its name, whether it holds a list, and one line of help."""

    name: str
    many: bool
    help: str


class Kind(NamedTuple):
    """One kind: how it is stored, the fields that a person may set, those that must be there, and what
    addresses look like.
    """

    name: str
    stored: str
    fields: tuple[str, ...]
    required: tuple[str, ...]
    address: str
    help: str


FIELDS: dict[str, Field] = {
    field.name: field
    for field in (
        Field("id", False, "random id that follows the record"),
        Field("title", False, "title"),
        Field("created", False, "day of recording, YYYY-MM-DD"),
        Field("updated", False, "day of the last change, YYYY-MM-DD"),
        Field("source", False, "conversation, file:<path> or url:<link>"),
        Field("context", False, "when this applies, one paragraph"),
        Field("keywords", True, "keywords"),
        Field("related", True, "records that belong together"),
        Field("derived_from", True, "address of the record that this one grew out of"),
        Field("archived", False, "day of archiving"),
        Field("merged_into", False, "id of the record that this one was merged into"),
        Field("skill", False, "skill that the experience belongs to"),
        Field("files", True, "key files or paths"),
        Field("version", False, "version number"),
        Field("description", False, "what the skill is for, one line"),
        Field("tools_used", True, "tools that the skill uses"),
        Field("topics", True, "topics"),
        Field("scope", False, "scope of a memory"),
        Field("tags", True, "tags"),
        Field("summary", False, "one line that sums the record up"),
        Field("at", False, "moment of the observation, ISO 8601"),
        Field("related_task", False, "key of the task that an observation belongs to"),
        Field("status", False, "proposed, accepted, rejected or superseded"),
        Field("deciders", True, "who decided"),
        Field("supersedes", True, "decisions that this one replaces"),
        Field("superseded_by", False, "decision that replaces this one"),
        Field("impacts", True, "files or parts that the decision touches"),
        Field("usage_count", False, "uses counted in the file"),
        Field("last_used", False, "last use counted in the file"),
    )
}

NAMING = ("related", "derived_from", "supersedes", "superseded_by")
"""Fields that name other records."""

_COMMON = ("source", "keywords", "related", "derived_from")

KINDS: dict[str, Kind] = {
    kind.name: kind
    for kind in (
        Kind(
            "knowledge",
            "entry",
            ("source", "context", "keywords", "related"),
            ("created",),
            "knowledge/<category>#<title>",
            "a reusable practice, one section of a category file",
        ),
        Kind(
            "experience",
            "entry",
            ("source", "context", "files", "keywords", "related"),
            ("created",),
            "experience/<skill>#<title>",
            "what was learned with one skill, one section of its file",
        ),
        Kind(
            "skill",
            "document",
            ("description", "tools_used", *_COMMON),
            ("title", "version"),
            "skill/<slug>",
            "a procedure to repeat, with versions",
        ),
        Kind(
            "memory",
            "document",
            ("topics", "scope", "tags", "summary", *_COMMON),
            ("title", "created"),
            "memory/[<scope>/]<slug>",
            "a fact that holds until it is changed",
        ),
        Kind(
            "observation",
            "document",
            ("topics", "related_task", "source"),
            ("at",),
            "observation/<id>",
            "a signal, written once and never edited",
        ),
        Kind(
            "decision",
            "document",
            ("status", "deciders", "supersedes", "superseded_by", "impacts", *_COMMON),
            ("title", "status"),
            "decision/<YYYYMMDD>-<slug>",
            "a choice, its reasons and its consequences",
        ),
        Kind(
            "note", "document", ("tags", *_COMMON), (), "note/<path without .md>", "any other Markdown file"
        ),
    )
}

FOLLOWING: dict[str, tuple[str, ...]] = {
    "proposed": ("accepted", "rejected", "superseded"),
    "accepted": ("superseded", "deprecated"),
    "rejected": ("proposed",),
    "superseded": (),
    "deprecated": ("superseded",),
}
"""Every status of a decision, with those that may follow it."""

ADR_STATUSES = tuple(FOLLOWING)
STATUSES = tuple(status for status in FOLLOWING if status != "deprecated")
"""Those of memgit's own decisions; decision records of other tools may be deprecated as well: such a one no
longer holds, and nothing took its place.
"""
TRANSITIONS = tuple(f"{before} > {after}" for before, then in FOLLOWING.items() for after in then)

GROUPS = {"knowledge": "category", "experience": "skill", "memory": "scope", "note": "folder"}
"""What the group of a record is called, by kind: the option or argument that names it."""
