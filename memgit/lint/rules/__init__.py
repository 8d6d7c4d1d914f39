"""The rules, one file each, in the order of their codes.

A new rule is one file and one line here. A retired number leaves a comment in its place and is never given
out again. All of them are loaded when `RULES` is asked for; who needs a few loads those.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from memgit.lint.rule import Options, Rule

    RULES: tuple[Rule, ...]

MODULES = (
    "mg001_unreadable_file",
    "mg002_invalid_frontmatter",
    "mg003_missing_field",
    "mg004_invalid_field",
    "mg005_duplicate_title",
    "mg006_duplicate_id",
    "mg007_misplaced_record",
    "mg008_unportable_name",
    "mg101_index_drift",
    "mg102_category_without_file",
    "mg103_file_without_category",
    "mg104_conflict_marker",
    "mg201_broken_link",
    "mg202_one_way_link",
    "mg203_missing_cross_reference",
    "mg204_ambiguous_link",
    "mg205_broken_file_link",
    "mg206_superseded_citation",
    "mg301_duplicate_record",
    "mg302_stale_record",
    "mg303_contradiction",
    "mg304_knowledge_gap",
    "mg305_oversized",
    "mg401_observation_edited",
    "mg402_version_regressed",
    "mg403_created_changed",
    "mg404_record_vanished",
    "mg405_decision_transition",
    "mg406_contradicted_trailer",
    "mg501_secret",
    "mg502_hidden_text",
)
"""The modules of the rules; each begins with the code."""


def load(module: str) -> Rule:
    """One rule, by its module."""
    # importlib takes as long to load as some rules
    found: Rule = __import__(f"{__name__}.{module}", fromlist=["RULE"]).RULE
    return found


class Listed:
    """A rule by code and name, as its module has them; loaded where its options are asked for."""

    __slots__ = ("_module", "code", "name")

    def __init__(self, module: str) -> None:
        code, _, name = module.partition("_")
        self.code, self.name, self._module = code.upper(), name.replace("_", "-"), module

    def load(self) -> Rule:
        return load(self._module)

    @property
    def options(self) -> Options:
        return self.load().options


def listed() -> tuple[Listed, ...]:
    """All rules, none of them loaded."""
    return tuple(map(Listed, MODULES))


def __getattr__(name: str) -> tuple[Rule, ...]:
    if name != "RULES":
        raise AttributeError(name)
    globals()["RULES"] = made = tuple(map(load, MODULES))
    return made
