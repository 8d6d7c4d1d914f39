"""Memory vaults of Skill Memory: memories alone, beside an inbox, indices and templates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from memgit.adopt.systems.system import TEMPLATE, Candidate, Export, Read, System
from memgit.derive.jsonindex import read as read_index
from memgit.derive.vault import SHAPE
from memgit.derive.view import view_of
from memgit.model.layout import Layout, Place

WORDS = "memory vault"
_VAULT = re.compile(r"(?P<above>(?:.*/)?)(?:10-Memories/[^/]+\.md|memory-index\.json)")


def _find(paths: Sequence[str], read: Read, _: str) -> Iterator[Candidate]:
    held: dict[str, list[str]] = {}
    for path in paths:
        if "10-Memories/" in path or path.endswith("memory-index.json"):
            match = _VAULT.fullmatch(path)
            if match is not None:
                held.setdefault(match["above"], []).append(path)
    for above, files in sorted(held.items()):
        memories = [path for path in files if path.endswith(".md")]
        index = f"{above}memory-index.json"
        base = ".memory/" if above.endswith(".memory/") else ""
        if not memories and not base:
            continue
        evidence = [f"{base}10-Memories/ with {len(memories)} files"] if memories else []
        refusal = None
        if index in files:
            evidence.append(f"{base}memory-index.json")
            refusal = _refusal(index, read)
        folder = above.removesuffix(base) if base else above
        yield Candidate("vault", WORDS, folder, base, tuple(evidence), len(memories), refusal=refusal)


def _refusal(index: str, read: Read) -> str | None:
    found = read_index(view_of(Layout("", ()), {index: read(index) or b""}), index, SHAPE)
    return None if found.value is not None else f"{index}: {found.problems[0].message}"


SYSTEM = System(
    WORDS,
    "vault",
    _find,
    skipped={"00-Inbox": "inbox: not taken up yet", "20-Indices": "index", "30-Templates": TEMPLATE},
)

_FIELDS = frozenset(
    [
        "created",
        "updated",
        "tags",
        "topics",
        "source",
        "usage_count",
        "last_used",
        "keywords",
        "summary",
        "archived",
        "related",
    ]
)


def _fields(place: Place) -> frozenset[str] | None:
    return _FIELDS if place.form == "vault" else None


EXPORT = Export(frozenset(), "memory", _fields, tagged=True)
