"""The systems of other people, one module each. A new one is a module with a `SYSTEM`, an `EXPORT`, or both, and
a row here.
"""

from __future__ import annotations

from collections.abc import Mapping

from memgit.adopt.systems import decisions, markdown, mem_skill, memgit, mnema, vault
from memgit.adopt.systems.system import Export, System

SYSTEMS: Mapping[str, System] = {
    "mem-skill": mem_skill.SYSTEM,
    "auto-skill": mem_skill.AUTO_SKILL,
    "vault": vault.SYSTEM,
    "mnema": mnema.SYSTEM,
    "adr": decisions.SYSTEM,
    "notes": markdown.SYSTEM,
}
"""What can be adopted, those that stand out first."""

EXPORTS: Mapping[str, Export] = {
    "mem-skill": mem_skill.EXPORT,
    "vault": vault.EXPORT,
    "mnema": mnema.EXPORT,
    "memgit": memgit.EXPORT,
}
"""What records can be exported to."""
