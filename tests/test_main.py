"""What is begun before anything is loaded."""

from __future__ import annotations

import pytest

from memgit.__main__ import ROOT, looks, writes
from memgit.cli import lean


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("search a word", "."), ("context", "."), ("list", "."), ("list --json", "."), ("show title", "."), ("show --json title", "."),
        ("-C kb search x", "kb"), ("--actor a -C kb --run r show title --json", "kb"), ("show title -C x", "."),
        ("show memory/a/b", None), ("show memory/a/b --json", None), ("show --json memory/a/b", None), ("search x --at HEAD", None),
        ("list memory", None), ("recall x", None), ("record memory x", None), ("-C kb", None), ("-C", None), ("", None),
        ("--version", None),
    ],
)  # fmt: skip
def test_only_a_command_that_will_surely_ask(line: str, folder: str | None) -> None:
    assert looks(line.split()) == folder


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("record memory x", "."), ("-C kb --actor a update memory/x -m y", "kb"), ("archive memory/x", "."),
        ("record --batch x.jsonl", None), ("show title", None), ("propose record memory x", None), ("-C kb", None), ("", None),
    ],
)  # fmt: skip
def test_only_a_command_that_changes_a_file(line: str, folder: str | None) -> None:
    assert writes(line.split()) == folder


def test_the_options_of_memgit_itself() -> None:
    assert set(ROOT) == set(lean.ROOT)
