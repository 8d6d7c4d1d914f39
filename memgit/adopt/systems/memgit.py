"""memgit's own layout, as what others can be written in."""

from __future__ import annotations

from memgit.adopt.systems.mem_skill import entry_fields
from memgit.adopt.systems.system import Export
from memgit.model.kinds import KINDS

EXPORT = Export(frozenset(KINDS), "note", entry_fields, ids=True)
