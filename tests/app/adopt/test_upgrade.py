"""Mem Skill's upgrade over a whole workspace: counts, one commit, and nothing the second time."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.app.adopt.test_adopt import adopted, write
from tests.support import count_commits, memgit, run_git, status


def test_an_old_workspace_is_brought_to_the_newest_version(workspace: Callable[[str], Path]) -> None:
    folder = workspace("mem-skill-1.1")
    adopted(folder)
    before = {record["address"]: record for record in memgit(folder, "list", "--json").json}
    done = memgit(folder, "upgrade", "--json").json
    assert (done["action"], done["records"], done["sources"], done["related_labels"], done["left"]) == (
        "upgraded",
        13,
        13,
        13,
        [],
    )
    assert len(done["changes"]) == 13 and status(folder) == ""
    shown = run_git(folder, "show", "--format=%s", "HEAD")
    assert shown.startswith("upgrade: ")
    touched = [
        line for line in shown.split("\n") if line[:1] in ("+", "-") and line[:3] not in ("+++", "---")
    ]
    assert sorted(touched) == ["+**Related:**"] * 13 + ["+**Source:** conversation"] * 13
    after = {record["address"]: record for record in memgit(folder, "list", "--json").json}
    assert after.keys() == before.keys() and {record["source"] for record in after.values()} == {
        "conversation"
    }
    assert [record["keywords"] for record in after.values()] == [
        record["keywords"] for record in before.values()
    ]
    again = memgit(folder, "upgrade", "--json").json
    assert (again["action"], again["commit"], again["sources"], count_commits(folder)) == (
        "no_op",
        None,
        0,
        3,
    )
    assert memgit(folder, "log", "-n", "1", "--json").json[0]["op"] == "upgrade"
    memgit(folder, "rebuild", "--check")


@pytest.mark.parametrize("name", ["mem-skill-1.2", "auto-skill"])
def test_there_is_nothing_to_upgrade(name: str, workspace: Callable[[str], Path]) -> None:
    folder = workspace(name)
    adopted(folder)
    done = memgit(folder, "upgrade", "--json").json
    assert (done["action"], count_commits(folder), done["chinese"]) == (
        "no_op",
        2,
        6 if name == "auto-skill" else 0,
    )


def test_a_file_that_cannot_be_read_is_named_and_the_others_are_upgraded(repo: Path) -> None:
    entry = "## {}\n**Date:** 2026-01-02\n**Keywords:** k\n"
    write(
        repo,
        {
            "knowledge-base/_index.json": '{"categories": []}',
            "knowledge-base/a.md": entry.format("A"),
            "knowledge-base/b.md": "<<<<<<< x\n" + entry.format("B"),
            "knowledge-base/c.md": b"## C\n\xff\n",
        },
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    answer = memgit(repo, "upgrade", "--json")
    assert answer.json["sources"] == 1 and [(one["path"], one["line"]) for one in answer.json["left"]] == [
        ("knowledge-base/b.md", 1),
        ("knowledge-base/c.md", 2),
    ]
    assert "knowledge-base/c.md:2" in answer.err


def test_edits_that_are_not_committed_stay(repo: Path) -> None:
    entry = "## A\n**Date:** 2026-01-02\n**Keywords:** k\n\n## B\n**Date:** 2026-01-02\n**Keywords:** k\n"
    write(repo, {"knowledge-base/_index.json": '{"categories": []}', "knowledge-base/a.md": entry})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    (repo / "knowledge-base/a.md").write_text(entry + "\n## Mine\n**Date:** 2026-01-03\n")
    memgit(repo, "upgrade")
    assert status(repo) == " M knowledge-base/a.md"
    assert [
        line
        for line in run_git(repo, "diff").split("\n")
        if line.startswith("+") and not line.startswith("+++")
    ] == [
        "+",
        "+## Mine",
        "+**Date:** 2026-01-03",
    ]


def test_a_layout_without_entries_has_nothing_to_upgrade(workspace: Callable[[str], Path]) -> None:
    folder = workspace("vault")
    adopted(folder)
    assert "Mem Skill" in memgit(folder, "upgrade", code=2).err


CONFIG = ".mem-skill.config.json"


def test_a_new_workspace_has_mem_skills_configuration(tmp_path: Path) -> None:
    memgit(tmp_path, "init", "--layout", "mem-skill")
    assert (tmp_path / CONFIG).read_text() == '{\n  "engine": "default",\n  "version": "1.2.0"\n}\n'
    assert status(tmp_path) == ""
    assert memgit(tmp_path, "engine", "list", "--json").json[0]["configured"]
    assert memgit(tmp_path, "upgrade", "--json").json["action"] == "no_op"


def test_a_configuration_that_is_there_stays(tmp_path: Path) -> None:
    (tmp_path / CONFIG).write_text('{"engine": "qmd"}')
    memgit(tmp_path, "init", "--layout", "mem-skill")
    assert (tmp_path / CONFIG).read_text() == '{"engine": "qmd"}'


@pytest.mark.parametrize(
    ("before", "after", "was"),
    [
        ('{ "version" : "1.0.0", "engine": "qmd" }', '{ "version" : "1.2.0", "engine": "qmd" }', "1.0.0"),
        ('{"engine": "qmd"}\r\n', '{"engine": "qmd", "version": "1.2.0"}\r\n', ""),
        ('{"version": "1.10.0"}', '{"version": "1.10.0"}', None),
    ],
)
def test_the_version_is_raised(tmp_path: Path, before: str, after: str, was: str | None) -> None:
    memgit(tmp_path, "init", "--layout", "mem-skill")
    (tmp_path / CONFIG).write_bytes(before.encode())
    run_git(tmp_path, "commit", "-qam", "their own")
    done = memgit(tmp_path, "upgrade", "--json").json
    assert done["version"] == (None if was is None else {"from": was, "to": "1.2.0"})
    assert (tmp_path / CONFIG).read_bytes() == after.encode() and status(tmp_path) == ""
    assert memgit(tmp_path, "upgrade", "--json").json["action"] == "no_op"


def test_a_broken_configuration_is_named_and_left(tmp_path: Path) -> None:
    memgit(tmp_path, "init", "--layout", "mem-skill")
    (tmp_path / CONFIG).write_text('{"version" "1.0.0"}')
    run_git(tmp_path, "commit", "-qam", "broken")
    done = memgit(tmp_path, "upgrade")
    assert f"{CONFIG}:1: left as it is: this is not JSON" in done.err
    assert (tmp_path / CONFIG).read_text() == '{"version" "1.0.0"}'


def test_beyond_fifty_records_the_other_engines_are_named_once(tmp_path: Path) -> None:
    memgit(tmp_path, "init", "--layout", "mem-skill")
    batch = "".join(
        f'{{"kind": "knowledge", "title": "T{n}", "category": "c", "body": "- b{n}"}}\n' for n in range(50)
    )
    (tmp_path / "batch.jsonl").write_text(batch)
    said = memgit(tmp_path, "record", "--batch", "batch.jsonl").err
    assert "engine list" not in said
    said = memgit(tmp_path, "record", "knowledge", "Next", "-m", "- quite different").err
    assert (
        "51 records of knowledge: other search engines (semantic, qmd) may find more; memgit engine list"
        in said
    )
    assert "engine list" not in memgit(tmp_path, "record", "knowledge", "Last", "-m", "- once more").err


def test_qmd_is_written_as_mem_skill_has_it(tmp_path: Path) -> None:
    folder = tmp_path / "my app"
    options = ("--mem-engine", "qmd", "--qmd-scope", "project", "--qmd-experience", "exp")
    memgit(folder, "init", "--layout", "mem-skill", *options)
    assert json.loads((folder / CONFIG).read_text()) == {
        "engine": "qmd",
        "version": "1.2.0",
        "scope": "project",
        "mask": "**/*.md",
        "collections": {"knowledge": "my-app-knowledge", "experience": "exp"},
    }
    chosen = [row["name"] for row in memgit(folder, "engine", "list", "--json").json if row["configured"]]
    assert chosen == ["qmd"]
    again = memgit(folder, "init", "--mem-engine", "default").err
    assert f"{CONFIG} is there already and stays as it is" in again


@pytest.mark.parametrize(
    ("args", "said"),
    [
        (("--layout", "mem-skill", "--qmd-mask", "*.md"), "--qmd-mask needs --mem-engine qmd"),
        (("--layout", "mem-skill", "--mem-engine", "qmd", "--qmd-knowledge", "--json"), "cannot be the name"),
        (("--mem-engine", "qmd"), "is for the layout mem-skill"),
    ],
)
def test_options_of_qmd_that_cannot_be(tmp_path: Path, args: tuple[str, ...], said: str) -> None:
    assert said in memgit(tmp_path / "new", "init", *args, code=2).err
    assert not (tmp_path / "new/.memgit.yaml").exists()
