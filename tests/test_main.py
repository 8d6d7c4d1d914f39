"""What is begun before anything is loaded."""

from __future__ import annotations

from importlib import import_module

import click
import pytest

from memgit.__main__ import looks, writes
from memgit.cli.lean import HOT


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("search a word", "."), ("context", "."), ("list", "."), ("list --json", "."), ("show title", "."), ("show --json title", "."),
        ("-C kb search x", "kb"), ("--actor a -C kb --run r show title --json", "kb"), ("show title -C x", "."),
        ("show memory/a/b", None), ("show memory/a/b --json", None), ("show --json memory/a/b", None), ("search x --at HEAD", None),
        ("list memory", None), ("recall x", None), ("record memory x", None), ("-C kb", None), ("-C", None), ("", None),
        ("--version", None), ("-Ckb search x", "kb"), ("--actor=a -Ckb --run=r show title", "kb"), ("-C a -Cb context", "b"),
        ("search x --at=HEAD", None), ("context --at=HEAD", None), ("show title --at=HEAD", None), ("search -- x --at=HEAD", "."),
        ("-C kb -h", None), ("--actor", None), ("--actorx search x", None),
    ],
)  # fmt: skip
def test_only_a_command_that_will_surely_ask(line: str, folder: str | None) -> None:
    assert looks(line.split()) == folder


@pytest.mark.parametrize(
    ("line", "folder"),
    [
        ("record memory x", "."), ("-C kb --actor a update memory/x -m y", "kb"), ("archive memory/x", "."),
        ("record --batch x.jsonl", None), ("record --batch=x.jsonl", None),
        ("-Ckb --run=r record memory x", "kb"), ("show title", None), ("propose record memory x", None), ("-C kb", None), ("", None),
    ],
)  # fmt: skip
def test_only_a_command_that_changes_a_file(line: str, folder: str | None) -> None:
    assert writes(line.split()) == folder


@pytest.mark.parametrize("name", HOT)
def test_an_option_counts_however_it_is_spelled(name: str) -> None:
    for option in options_of(name):
        for flag in option.opts:
            args = [flag] if option.is_flag else [flag, "word"]
            guesses = {(looks([name, *spelled]), writes([name, *spelled])) for spelled in [args, *joined(args)]}
            assert len(guesses) == 1, (name, args)


@pytest.mark.parametrize("name", HOT)
def test_help_neither_looks_nor_writes(name: str) -> None:
    for flag in ("-h", "--help"):
        assert (looks([name, flag]), writes([name, flag])) == (None, None)
        assert (looks([name, "title", flag]), writes([name, "title", flag])) == (None, None)
    assert (looks([name, "--", "--help"]), writes([name, "--", "--help"])) == (looks([name, "word"]) and ".", writes([name, "word"]))


def options_of(name: str) -> list[click.Option]:
    command = import_module(f"memgit.cli.{HOT[name]}").command.click()
    return [param for param in command.params if isinstance(param, click.Option)]


def joined(args: list[str]) -> list[list[str]]:
    """The other spellings of an option with a value."""
    if len(args) != 2:
        return []
    return [["".join(args)]] if not args[0].startswith("--") else [["=".join(args)]]
