"""A small knowledge base and its site."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, write

pytest.importorskip("jinja2")

PICTURE = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"


@pytest.fixture
def store(kb: Path) -> Path:
    """Records of several kinds that link to each other, one of them private, one archived."""
    memgit(
        kb, "record", "knowledge", "Retry with backoff", "--category", "backend", "--keywords", "http, retries",
        "-m", "Wait 1, 2, 4 seconds.\n\n| try | wait |\n|---|---|\n| 1 | 1 s |",
    )  # fmt: skip
    memgit(
        kb,
        "record",
        "memory",
        "Heron",
        "--scope",
        "team",
        "-m",
        "The build agent. See [[backend#Retry with backoff]].",
    )
    memgit(kb, "record", "memory", "Salary table", "--scope", "private", "-m", "Confidential figures.")
    memgit(kb, "record", "memory", "Forgotten", "-m", "Old.")
    memgit(kb, "archive", "memory/forgotten")
    memgit(
        kb, "--actor", "claude-code", "record", "decision", "Queue first", "--status", "accepted", "--reason", "Load",
        "-m", "## Context\n\nLoad grows. ^why\n\n![[heron]] [text](../memory/team/heron.md) ![[nothing]]",
    )  # fmt: skip
    key = next((kb / "decisions").glob("*-queue-first.md")).stem
    write(
        kb,
        "notes/Start.md",
        f"# Start\n\n[[{key}#Context]] and [[{key}#^why|why]] ![plan](img/plan.png)\n",
    )
    write(kb, "notes/img/plan.png", PICTURE)
    configuration = kb / ".memgit.yaml"
    configuration.write_text(
        configuration.read_text()
        + "site:\n  title: Team notes\n  url: https://notes.example.org\n  exclude: [memory/private/*]\n"
    )
    memgit(
        kb,
        "update",
        "memory/team/heron",
        "-m",
        "The build agent is slow. See [[backend#Retry with backoff]].",
    )
    return kb
