"""Mnema: a mirror of its database, with records written by two programs and by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from memgit.adopt.systems.system import TEMPLATE, Candidate, Export, Log, Read, System
from memgit.derive import dates
from memgit.formats.messages.message import one_line
from memgit.model.layout import Layout, Place
from memgit.model.operation import Event

WORDS = "Mnema workspace"
_MNEMA = re.compile(
    r"(?P<above>.*?)\.mnema/(?:mnema\.config\.json|(?:memory|backlog|roadmap|skills|sprints|observations)/.+)"
)


def _find(paths: Sequence[str], _read: Read, _: str) -> Iterator[Candidate]:
    held: dict[str, Counter[str]] = {}
    for path in paths:
        match = _MNEMA.fullmatch(path) if ".mnema/" in path else None
        if match is not None and (not match["above"] or match["above"].endswith("/")):
            held.setdefault(match["above"], Counter())[path[len(match["above"]) + 7 :].partition("/")[0]] += (
                path.endswith(".md")
            )
        elif path == "mnema.config.json":
            held.setdefault("|", Counter())
    if "|" in held:  # the folder is the mirror itself
        held["|"].update(path.partition("/")[0] for path in paths if path.endswith(".md") and "/" in path)
    for above, folders in sorted(held.items()):
        inside = above != "|"
        top = ".mnema/" if inside else ""
        evidence = [f"{top}{name}/" if count else f"{top}{name}" for name, count in sorted(folders.items())]
        files = sum(folders.values())
        yield Candidate(
            "mnema",
            WORDS,
            above if inside else "",
            top,
            tuple(evidence or ["mnema.config.json"]),
            files,
        )


# Its audit files.


def _is_log(path: str, base: str) -> bool:
    folder = f"{base}audit/"
    return path.startswith(folder) and path.endswith(".jsonl") and "/" not in path[len(folder) :]


def _audited(line: str, _: Layout) -> Event | None:
    """One line of an audit file; the chain of its hashes is not looked at."""
    if not line.startswith("{"):
        return None
    try:
        said = json.loads(line)
    except (ValueError, RecursionError):
        return None
    at, kind, actor = (said.get(name) for name in ("at", "kind", "actor"))
    if not isinstance(at, str) or not isinstance(kind, str) or dates.day(at) is None:
        return None
    held = said.get("data")
    data = held if isinstance(held, dict) else {}
    named = [
        str(data[name]) for name in ("key", "slug", "title", "goal") if isinstance(data.get(name), str | int)
    ]
    op = (
        "record"
        if kind.endswith(("_created", "_recorded"))
        else "archive"
        if kind.endswith("_archived")
        else "update"
    )
    author, run = (actor if isinstance(actor, str) else ""), said.get("run")
    return Event(
        "",
        at,
        op if named else kind,
        one_line(f"{kind} | {' '.join(named)}"),
        one_line(author),
        (),
        actor=one_line(said["via"]) if isinstance(said.get("via"), str) else None,
        run=one_line(run) if isinstance(run, str) else None,
    )


LOG = Log(_is_log, _audited)

SYSTEM = System(
    WORDS,
    "mnema",
    _find,
    skipped={"commands": "command of Mnema", "templates": TEMPLATE, "workflows": "workflow of Mnema"},
    private=("keys/",),
    log=LOG,
)

_FIELDS = {
    "memory": frozenset(["topics", "scope", "created", "updated"]),
    "skill": frozenset(
        ["version", "description", "tools_used", "usage_count", "last_used", "scope", "created", "updated"]
    ),
    "observation": frozenset(["topics", "related_task", "created", "at", "archived"]),
}


def _fields(place: Place) -> frozenset[str] | None:
    return None if place.form == "memgit" else _FIELDS.get(place.kind)


EXPORT = Export(
    frozenset(["skill", "decision", "observation"]),
    "memory",
    _fields,
    last=frozenset(["decision"]),  # Mnema counts those of its roadmap; those by hand lie beside the memories
)
