"""What the hooks do in shell alone is what Python would do, in every shell that is there; in doubt they ask
Python.
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.app.hooks import hook_state
from tests.cli.test_hooks import fact, git, message, on_path, rest_of
from tests.support import examples, memgit, run_git, unprivileged

__all__ = ["on_path"]  # a fixture

SHELLS = [
    shell
    for shell in (
        ["sh"],
        ["dash"],
        ["bash"],
        ["bash", "--posix"],
        ["sh", "-eu"],
        ["busybox", "sh"],
        ["mksh"],
        ["ksh"],
        ["zsh"],
    )
    if shutil.which(shell[0])
]
STUB = '#!/bin/sh\necho "$*" >>"${0%/*}/calls"\nexit 1\n'
NOW = {"GIT_EDITOR": ":", "GIT_INDEX_FILE": ".git/index", "GIT_AUTHOR_DATE": "@1796041072 +0000"}

each = pytest.mark.parametrize("shell", SHELLS, ids=" ".join)


@pytest.fixture
def calls(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Callable[[], list[str]]:
    """A `memgit` on PATH that only notes how it is called; gives the calls since the last time."""
    folder = tmp_path_factory.mktemp("stub")
    (folder / "memgit").write_text(STUB)
    (folder / "memgit").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")

    def since() -> list[str]:
        noted = (folder / "calls").read_text().splitlines() if (folder / "calls").exists() else []
        (folder / "calls").write_text("")
        return noted

    return since


def checked(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A fact that is staged, and checked as if this process were the `git commit`."""
    fact(kb)
    rest_of(kb)
    for name, value in NOW.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv(hook_state.CALLER, str(os.getpid()))
    monkeypatch.chdir(kb)
    memgit(kb, "hook", "pre-commit")


def hook(kb: Path, shell: list[str], name: str, text: bytes, *args: str) -> tuple[int, bytes]:
    """Runs a hook over a message; its exit code and what it left of the message."""
    file = kb / ".git/COMMIT_EDITMSG"
    file.write_bytes(text)
    done = subprocess.run(
        [*shell, f".git/hooks/{name}", ".git/COMMIT_EDITMSG", *args], cwd=kb, capture_output=True, check=False
    )
    assert done.stderr == b"", done.stderr
    return done.returncode, file.read_bytes()


@each
def test_the_block_goes_under_a_plain_message(
    kb: Path, shell: list[str], calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(kb, monkeypatch)
    block = (kb / ".git" / hook_state.WRITTEN).read_bytes()
    assert block == b"Memgit-Op: record\nMemgit-Record: create - memory/fact\n"
    for text in (
        b"Why\n",
        (
            "Subject: \xc4rger \U0001f600\n\nText, with \\ and 'quotes' $(echo no).\n  Indented: no trailer\n"
        ).encode(),
    ):
        monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
        memgit(kb, "hook", "pre-commit")
        assert hook(kb, shell, "prepare-commit-msg", text, "message") == (0, text + b"\n" + block)
        assert calls() == []
        assert hook(kb, shell, "commit-msg", text + b"\n" + block)[0] == 0
        assert calls() == []
    # Once: whatever comes next is another commit.
    hook(kb, shell, "prepare-commit-msg", b"Why\n", "message")
    assert calls() == ["hook prepare-commit-msg -- .git/COMMIT_EDITMSG message"]


@each
def test_another_index_commit_actor_or_kind_of_message_is_for_python(
    kb: Path, shell: list[str], calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(kb, monkeypatch)
    head, index = kb / ".git" / hook_state.HEAD, kb / ".git" / hook_state.INDEX
    key = head.read_text()
    assert key == f"{os.getpid()} {NOW['GIT_AUTHOR_DATE']} /\n{run_git(kb, 'rev-parse', 'HEAD')} /\n"
    assert index.samefile(kb / ".git/index")

    def asks(*args: str, text: bytes = b"Why\n", **env: str) -> bool:
        head.write_text(key)
        with monkeypatch.context() as inner:
            for name, value in env.items():
                inner.setenv(name, value)
            left = hook(kb, shell, "prepare-commit-msg", text, *(args or ("message",)))[1]
        asked = calls() != []
        assert (left == text) is asked
        return asked

    assert not asks()
    assert asks("merge") and asks("commit", "HEAD") and asks("template")
    assert asks(GIT_EDITOR="vi")
    assert (
        asks(MEMGIT_ACTOR="robot")
        and asks(MEMGIT_RUN="r1")
        and asks(GIT_INDEX_FILE=".git/HEAD")
        and asks(GIT_INDEX_FILE="")
    )
    assert not asks(GIT_AUTHOR_DATE="@1796041073 +0000"), "a hook manager may keep that from its hooks"
    mine, head_is = key.split("\n")[:2]
    key = f"1{mine}\n{head_is}\n"
    assert not asks() and asks(MEMGIT_ACTOR="robot")
    key = f"1{mine}\n{head_is[::-1]}\n"
    assert asks(), "another process, and another commit"
    key = f"{mine}\n\n"
    assert not asks() and asks(GIT_AUTHOR_DATE="@1796041073 +0000")
    key = mine
    assert asks(), "half a file"
    key = f"{mine}\n{head_is}\n"
    (kb / "more.txt").write_text("x\n")
    with monkeypatch.context() as inner:
        inner.delenv("GIT_INDEX_FILE")
        run_git(kb, "add", "more.txt")
    assert asks(), "another tool staged something"


def cleaned(text: str) -> list[str]:
    """The lines of a message as git stores them: no blanks at line ends, one empty line for several."""
    lines = [line.rstrip() for line in text.rstrip().split("\n")]
    return [line for number, line in enumerate(lines) if line or number == 0 or lines[number - 1]]


LINES = st.one_of(
    st.sampled_from(
        [
            "",
            " ",
            "Why",
            "Signed-off-by: A <a@b>",
            "signed-off-by: x",
            "Memgit-Op: record",
            "x memgit-y",
            "Key: value",
            "key : v",
            "-a: b",
            "This reverts commit 12.",
            "this REVERTS x",
            "(cherry picked from commit 1)",
            "# comment",
            "tab\there",
            "cr\r",
            "fix: a",
            "a-b-1: c",
            "\u00e4: b",
            "\\",
            "'",
            '"',
            "$x",
            "`x`",
            "--- a",
            "Memgit-Record: create - memory/fact",
            "memgit-op: record",
            "Memgit-Record: create - memory/other",
        ]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\n\0"), max_size=12),
)
MESSAGES = st.builds(
    lambda lines, end: "\n".join(lines) + end,
    st.lists(LINES, min_size=1, max_size=5),
    st.sampled_from(["\n", "\n", ""]),
)


@given(MESSAGES)
@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_message_becomes_what_python_makes_of_it(
    kb: Path, calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    if not (kb / ".git" / hook_state.WRITTEN).exists():
        checked(kb, monkeypatch)
    (kb / ".git" / hook_state.HEAD).write_text(f"{os.getpid()} {NOW['GIT_AUTHOR_DATE']} /\n\n")
    data = text.encode()
    left = hook(kb, SHELLS[0], "prepare-commit-msg", data, "message")[1]
    if calls() == []:
        made = hook_state.write(text, f"{kb}/.git", f"{kb}/.git/index", None, None)
        assert made is not None and cleaned(left.decode()) == cleaned(made)
    else:
        assert left == data


@given(MESSAGES, st.booleans())
@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_any_block_but_the_one_that_was_written_is_checked(
    kb: Path, calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch, text: str, whole: bool
) -> None:
    block = "Memgit-Op: record\nMemgit-Record: create - memory/fact\n"
    (kb / ".git" / hook_state.WRITTEN).write_text(block)
    text = f"{text}\n\n{block}" if whole else text
    code, _ = hook(kb, SHELLS[0], "commit-msg", text.encode())
    ours = [line for line in text.split("\n") if line.lower().startswith("memgit-")]
    due = (
        any(line.lower().startswith("memgit-op:") for line in ours)
        and "".join(f"{line}\n" for line in ours) != block
    )
    assert (calls() != [], code) == (due, int(due))


@each
def test_a_long_message_is_read_by_programs(
    kb: Path, shell: list[str], calls: Callable[[], list[str]]
) -> None:
    block = b"Memgit-Op: record\nMemgit-Record: create - memory/fact\n"
    (kb / ".git" / hook_state.WRITTEN).write_bytes(block)
    assert hook(kb, shell, "commit-msg", b"x\n" * 500 + block)[0] == 0
    assert calls() == []
    assert (
        hook(kb, shell, "commit-msg", b"x\n" * 500 + block + b"Memgit-Record: create - memory/other\n")[0]
        == 1
    )
    assert calls() != []
    (kb / ".git" / hook_state.WRITTEN).unlink()
    assert hook(kb, shell, "commit-msg", b"x\n\n" + block)[0] == 1
    assert hook(kb, shell, "commit-msg", b"x\n")[0] == 0


@each
def test_where_nothing_can_be_written_nothing_is_stopped(
    kb: Path, shell: list[str], calls: Callable[[], list[str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    checked(kb, monkeypatch)
    (kb / ".git" / hook_state.HEAD).chmod(0o444)
    file = kb / ".git/COMMIT_EDITMSG"
    file.write_bytes(b"Why\n")
    hooked = [*unprivileged(), *shell, ".git/hooks/prepare-commit-msg", ".git/COMMIT_EDITMSG", "message"]
    assert subprocess.run(hooked, cwd=kb, check=False).returncode == 0
    assert calls() != [] and file.read_bytes() == b"Why\n"


def test_a_hook_of_another_tool_that_stages_more_gets_a_true_message(kb: Path) -> None:
    """It stands below memgit's lines, so what they found out is of an index that is no more."""
    path = kb / ".git/hooks/pre-commit"
    path.write_text(path.read_text() + "git add -A\n")
    fact(kb, "one", "One")
    rest_of(kb)
    fact(kb, "two", "Two")
    memgit(kb, "rebuild", code=None)
    done = git(kb, "commit", "-qm", "both")
    assert done.code == 0, done.err
    assert message(kb).endswith("Memgit-Record: create - memory/one\nMemgit-Record: create - memory/two")
