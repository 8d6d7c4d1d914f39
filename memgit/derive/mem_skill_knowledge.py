"""`knowledge-base/_index.json`, the categories of knowledge, in the shape of Mem Skill 1.2."""

from __future__ import annotations

from memgit.derive.jsontext import Style
from memgit.derive.mem_skill import Spec, derived

SPEC = Spec(
    kind="knowledge",
    items="categories",
    ids=("id",),
    prefix="",
    top={"lastUpdated": None, "version": "1.2.0", "totalEntries": 0, "categories": [], "absorbedSkills": []},
    item=("id", "name", "keywords", "file", "count"),
    style=Style(),
    grows=False,
)

KNOWLEDGE_INDEX = derived("knowledge index", SPEC)
