"""Long output through the user's own pager, and colours, on a real pseudo-terminal."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

import pytest

from memgit.cli.pager import chosen
from tests.cli.test_ingest_terminal import Terminal
from tests.support import Prepared, memgit, run_git, write

pytestmark = pytest.mark.usefixtures("pseudo_terminals")

MARK = "sed s/^/P:/"


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    return prepared("kb", with_decision)


def with_decision(kb: Path) -> None:
    memgit(kb, "record", "decision", "Use SQLite", "-m", "x", "--status", "accepted")


def shown(kb: Path, *args: str, env: Mapping[str, str], code: int = 0) -> str:
    """What a terminal shows of one command."""
    run = Terminal(kb, *args, **{"TERM": "xterm", **env})
    try:
        assert run.end() == code, run.text
    finally:
        run.close()
    return run.text


def test_the_pager_gets_output_and_messages_in_colour(kb: Path) -> None:
    text = shown(kb, "list", env={"GIT_PAGER": MARK})
    assert text.startswith("P:\x1b[2m20") and "accepted" in text and "Use SQLite" in text
    assert shown(kb, "show", "nosuch", env={"GIT_PAGER": MARK}, code=2).startswith("P:memgit: no record")
    assert "\nP:" in shown(kb, "lint", env={"GIT_PAGER": MARK}) and "P:{" in shown(
        kb, "tags", "--json", env={"GIT_PAGER": "sed s/^./P:{/"}
    )


@pytest.mark.parametrize(
    ("args", "env"),
    [
        (("--no-pager", "list"), {"GIT_PAGER": MARK}),
        (("list",), {"GIT_PAGER": "cat"}),
        (("list",), {"GIT_PAGER": ""}),
        (("list",), {"GIT_PAGER": "there-is-no-such-pager"}),
        (("list",), {"GIT_PAGER": "there-is-no-such-pager -F -X"}),
        (("list",), {"PAGER": MARK, "TERM": "dumb"}),
        (("engine", "list"), {"GIT_PAGER": MARK}),
    ],
)
def test_where_there_is_no_pager(kb: Path, args: tuple[str, ...], env: dict[str, str]) -> None:
    assert "P:" not in (text := shown(kb, *args, env=env)) and text


def test_a_pager_that_ends_early_ends_the_command(kb: Path) -> None:
    assert shown(kb, "log", env={"GIT_PAGER": "head -1"}).count("\n") == 1
    write(kb, "memory/bad.md", "---\ntitle: [\n---\n")
    assert shown(kb, "lint", env={"GIT_PAGER": "true"}, code=1) == ""


@pytest.mark.parametrize("env", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_no_colour_where_none_is_wanted(kb: Path, env: dict[str, str]) -> None:
    for command in (("list",), ("lint",), ("health",), ("log",), ("show", "Use SQLite")):
        assert "\x1b[" not in shown(kb, "--no-pager", *command, env=env).replace("\r\x1b[K", "")


def test_git_chooses_the_pager(kb: Path) -> None:
    env = {"TERM": "xterm", "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PAGER": "sed s/^/E:/"}
    assert chosen(env, str(kb)) == "sed s/^/E:/"
    run_git(kb, "config", "core.pager", "sed s/^/C:/")
    assert chosen(env, str(kb)) == "sed s/^/C:/"
    assert chosen({**env, "GIT_PAGER": MARK}, str(kb)) == MARK
    assert chosen({**env, "TERM": "dumb"}, str(kb)) == ""
    assert chosen(env, str(kb / "nowhere")) == "sed s/^/E:/"


def test_a_repository_that_was_cloned_with_another_does_not(kb: Path) -> None:
    """A bare repository may lie in a checkout as plain files, with a configuration of its own."""
    inner = kb / "inner"
    run_git(kb, "init", "-q", "--bare", str(inner))
    run_git(inner, "config", "core.pager", "touch pwned")
    env = {"TERM": "xterm", "PATH": os.environ["PATH"], "HOME": os.environ["HOME"], "PAGER": "cat"}
    assert chosen(env, str(inner)) == ""
