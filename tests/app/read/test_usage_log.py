"""Uses and reads in the log: from the usage refs of all clones, only where they are asked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git


@pytest.fixture
def used(kb: Path) -> Path:
    memgit(kb, "record", "knowledge", "Grid", "--category", "css", "-m", "- use grid for layout pages")
    memgit(kb, "record", "experience", "Loader order", "--skill", "webpack", "-m", "- order loaders")
    memgit(kb, "record", "memory", "Tide", "-m", "tide tables")
    memgit(kb, "--actor", "bot", "--run", "r1", "recall", "grid layout pages", "--session", "a")
    memgit(kb, "use", "tide", "--reason", "planning")
    memgit(kb, "recall", "which order of loaders in webpack", "--skill", "webpack", "--session", "a")
    return kb


def ops(kb: Path, *args: str) -> list[str]:
    return [event["op"] for event in memgit(kb, "log", *args, "--json").json]


def test_they_are_shown_where_they_are_asked_for(used: Path) -> None:
    assert not {"use", "read"} & set(ops(used))
    assert ops(used, "--op", "read") == ["read", "read"] and ops(used, "--op", "use") == ["use"]
    assert sorted(ops(used, "--op", "use", "--op", "init")) == ["init", "use"]
    assert ops(used, "--op", "read", "-n", "1") == ["read"]
    event = memgit(used, "log", "--op", "read", "--actor", "bot", "--json").json[0]
    assert (event["run"], event["records"][0]["address"]) == ("r1", "knowledge/css#Grid")
    assert memgit(used, "log", "--op", "use", "--json").json[0]["reason"] == "planning"
    assert ops(used, "--op", "read", "--run", "r2") == [] == ops(used, "--op", "read", "--until", "2020")
    assert ops(used, "--op", "read", "--kind", "experience") == ["read"]


def test_those_of_one_record(used: Path) -> None:
    found = memgit(used, "log", "--op", "read", "--record", "css#Grid", "--json").json
    assert [[one["address"] for one in event["records"]] for event in found] == [["knowledge/css#Grid"]]
    memgit(used, "rename", "tide", "Tides")
    assert len(memgit(used, "log", "--op", "use", "--record", "tides", "--json").json) == 1


def test_the_lines_of_a_mem_skill_log(used: Path) -> None:
    text = memgit(used, "log", "--op", "read", "--op", "use", "--format", "markdown").out
    assert "] read | Loaded knowledge: css.md\n" in text
    assert "] read | Retrieved experience: skill-webpack.md\n" in text
    assert '] use | Used memory: memory/tide.md: "tide"\n' in text


def test_those_of_other_clones_count_and_a_range_does_not(used: Path, tmp_path: Path) -> None:
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(used), str(clone))
    memgit(clone, "use", "tide")
    run_git(clone, "fetch", "-q", "origin", "refs/memgit/usage/*:refs/memgit/usage/*")
    assert ops(clone, "--op", "use") == ["use", "use"]
    assert "no revision bounds them" in memgit(used, "log", "HEAD~1..HEAD", "--op", "read", code=2).err
    assert "is not an operation" in memgit(used, "log", "--op", "reads", code=2).err
