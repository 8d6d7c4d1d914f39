"""`experience/_index.json`, the skills that experience was made with, in the shape of Mem Skill 1.2."""

from __future__ import annotations

from memgit.derive.jsontext import Style
from memgit.derive.mem_skill import Spec, derived

SPEC = Spec(
    kind="experience",
    items="skills",
    ids=("skillId", "skill-id"),
    prefix="skill-",
    top={"lastUpdated": None, "version": "1.2.0", "skills": []},
    item=("skillId", "file", "keywords", "count"),
    style=Style(flat_lists=True),
    grows=True,
)

EXPERIENCE_INDEX = derived("experience index", SPEC)
