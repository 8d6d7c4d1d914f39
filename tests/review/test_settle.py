"""The command that settles a finding: one that a shell takes as it is."""

from __future__ import annotations

import shlex

import pytest

from memgit.cli.main import COMMANDS
from memgit.lint.rule import Finding
from memgit.lint.rules import RULES
from memgit.review.settle import MERGE, command

ADDRESS = "knowledge/a b#it's $(x) `y`"


def found(rule: str, address: str | None = ADDRESS, *, fixable: bool = False) -> Finding:
    return Finding(rule, "name", "error", "a.md", 1, 1, address, "words", fixable)


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ("MG101", ["rebuild"]),
        ("MG104", ["resolve"]),
        ("MG201", ["edit", ADDRESS]),
        ("MG301", ["merge-records", "memory/x", ADDRESS]),
        ("MG303", ["update", ADDRESS]),
        ("MG404", ["undo", "c2"]),
    ],
)
def test_command(rule: str, words: list[str]) -> None:
    assert shlex.split(command(found(rule), ["memory/x"], ["c1", "c2"])) == ["memgit", *words]


def test_every_command_is_there() -> None:
    told = [command(found(rule.code), ["memory/x"], ["c"]) for rule in RULES]
    told += [MERGE, command(found("MG202", fixable=True))]
    assert {shlex.split(line)[1] for line in told} <= set(COMMANDS)
    assert command(found("config", None)) == command(found("MG404")) == ""
