"""Adopting in place: what is there becomes a knowledge root, no byte of a record changes, the user's edits
stay theirs.
"""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from memgit.app.adopt.adopt import adopt, look
from memgit.app.workspace import Context
from tests.support import Answer, count_commits, fsck, memgit, run_git, status

ENTRY = "## Quote every expansion\n**Date:** 2026-01-02\n**Best Practice:**\n- quote\n**Keywords:** shell\n"

COUNTS: dict[str, dict[str, int]] = {
    "mem-skill-1.1": {"knowledge": 8, "experience": 5},
    "mem-skill-1.2": {"knowledge": 12, "experience": 8},
    "auto-skill": {"experience": 6},
    "vault": {"memory": 12},
    "mnema": {"decision": 11, "memory": 6, "note": 117},
    "til": {"note": 577},
    "eips": {"note": 130},
}


def adopted(folder: Path, *args: str) -> Any:
    return memgit(folder, "adopt", "--yes", "--json", *args).json


def blobs(folder: Path) -> dict[str, str]:
    """Every file of the newest commit with its mode and hash, memgit's own left out."""
    rows = run_git(folder, "ls-tree", "-r", "-z", "HEAD").split("\0")
    found = {row.partition("\t")[2]: row.partition("\t")[0] for row in rows if row}
    return {
        path: entry
        for path, entry in found.items()
        if path.rpartition("/")[2] not in (".memgit.yaml", ".gitattributes")
    }


def on_disk(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode("utf-8", "surrogateescape"))


@pytest.fixture
def skill(repo: Path) -> Path:
    """A small Mem Skill workspace with one commit."""
    index = {
        "lastUpdated": "2026-01-02",
        "version": "1.1.0",
        "totalEntries": 1,
        "categories": [
            {"id": "shell", "name": "Shell & Co", "keywords": ["sh"], "file": "shell.md", "count": 4}
        ],
    }
    write(repo, {"knowledge-base/shell.md": ENTRY, "knowledge-base/_index.json": json.dumps(index, indent=2)})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "import")
    return repo


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] if name == "til" else []) for name in COUNTS]
)
def test_every_workspace_is_taken_over_as_it_is(name: str, workspace: Callable[[str], Path]) -> None:
    folder = workspace(name)
    files, disk = blobs(folder), on_disk(folder)
    done = adopted(folder)
    assert done["action"] == "adopted" and done["report"]["kinds"] == COUNTS[name]
    assert blobs(folder) == files and status(folder) == ""
    assert {path: data for path, data in on_disk(folder).items() if path in disk} == disk
    assert count_commits(folder) == 2
    assert run_git(folder, "log", "-1", "--format=%s").startswith("adopt: ")
    again = adopted(folder)
    assert (again["action"], again["commit"], count_commits(folder), status(folder)) == ("no_op", None, 2, "")
    listed = memgit(folder, "list", "--archived", "--json").json
    assert len(listed) == sum(COUNTS[name].values()) + len(done["report"]["bare"])
    first = memgit(folder, "log", "--json").json
    made = next(event for event in first if event["subject"] == "import")
    assert len(made["records"]) == len(listed)
    fsck(folder)


def test_the_indexes_of_a_vault_are_compared_field_by_field(workspace: Callable[[str], Path]) -> None:
    report = adopted(workspace("vault"))["report"]
    differing: dict[str, int] = {}
    for one in report["disagreements"]:
        if (
            one["path"] == ".memory/memory-index.json"
            and one["believed"] != "index"
            and one["what"] != "file"
        ):
            differing[one["what"]] = differing.get(one["what"], 0) + 1
    assert differing == {
        "retrieval_count": 3,
        "last_retrieved": 3,
        "topic": 2,
        "modified": 2,
        "title": 1,
        "status": 1,
        "entry_count": 1,
        "total_tokens": 1,
    }
    files = [(one["listed"], one["said"]) for one in report["disagreements"] if one["what"] == "file"]
    assert sorted(listed is None for listed, _ in files) == [False, True]
    larger = {
        one["about"]: (one["listed"], one["said"])
        for one in report["disagreements"]
        if one["what"] == "retrieval_count"
    }
    assert larger["MEM-pattern-idempotent-booking-endpoint"] == ("9", "0")
    assert len(report["tombstoned"]) == 2
    variants = {one["variant"][:2]: one["records"] for one in report["variants"]}
    assert variants == {"F0": 1, "F1": 1, "F2": 2, "F3": 2, "F4": 5, "F5": 1}
    left = {one["why"].partition(":")[0]: one["files"] for one in report["left"]}
    assert left == {"read-me": 5, "index": 1, "template": 2, "inbox": 1, "private": 2}


def test_categories_without_a_file_and_wrong_counts_are_named(workspace: Callable[[str], Path]) -> None:
    old = adopted(workspace("mem-skill-1.1"))["report"]["disagreements"]
    assert [(one["what"], one["said"]) for one in old] == [("file", None)] * 3
    assert adopted(workspace("mem-skill-1.2"))["report"]["disagreements"] == []
    auto = adopted(workspace("auto-skill"))
    assert [(one["what"], one["listed"], one["said"]) for one in auto["report"]["disagreements"]] == [
        ("count", "1", "0"),
        ("totalEntries", "1", "0"),
    ]
    assert auto["found"]["system"] == "auto-skill" and auto["derived"] == ["knowledge-base/_index.json"]
    assert [place["line"] for place in auto["report"]["bare"]] == [1]


def test_labels_that_no_format_knows_are_named(workspace: Callable[[str], Path]) -> None:
    report = adopted(workspace("mem-skill-1.2"))["report"]
    unknown = {field["key"] for field in report["fields"] if field["field"] is None}
    assert unknown == {"Situation", "What Happened", "Lesson"} and len(report["variants"]) == 6


def test_the_lines_of_an_old_log_stay_in_the_log_and_come_back_from_a_clone(
    workspace: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = workspace("mem-skill-1.2")
    assert [log["events"] for log in adopted(folder)["report"]["old_logs"]] == [3]
    run_git(tmp_path, "clone", "-q", str(folder), "copy")
    for place in (folder, tmp_path / "copy"):
        events = memgit(place, "log", "--json").json
        old = [event for event in events if not event["commit"]]
        assert events[-3:] == old and [event["date"] for event in old] == ["2026-04-08"] * 3
        assert [event["source"] for event in old] == ["log.md:7", "log.md:6", "log.md:5"]
    (folder / "log.md").write_text((folder / "log.md").read_text() + "## [2026-05-01] lint | later\n")
    run_git(folder, "commit", "-q", "-am", "another tool goes on")
    assert len([event for event in memgit(folder, "log", "--json").json if not event["commit"]]) == 3
    assert len(memgit(folder, "log", "--json", "-n", "2").json) == 2
    assert [event["op"] for event in memgit(folder, "log", "--json", "--op", "upgrade").json] == ["upgrade"]
    text = memgit(folder, "log", "--format", "markdown").out
    assert "\n## [2026-04-08] recordnow | Manually recorded" in text


def test_what_an_old_log_tells_of_a_record_is_in_its_history(skill: Path) -> None:
    line = '## [2025-11-05] write | Recorded to knowledge-base/shell.md: "Quote every expansion"\n'
    write(skill, {"log.md": "# mem-skill Activity Log\n\n" + line})
    run_git(skill, "add", "log.md")
    run_git(skill, "commit", "-q", "-m", "log")
    adopted(skill)
    told = memgit(skill, "history", "knowledge/shell#Quote every expansion", "--json").json
    assert [(event["commit"] == "", event["records"][0]["action"]) for event in told] == [
        (False, "create"),
        (True, "create"),
    ]
    assert "log.md:3" in memgit(skill, "history", "knowledge/shell#Quote every expansion").out


def test_a_mirror_keeps_its_audit_in_the_log(workspace: Callable[[str], Path]) -> None:
    folder = workspace("mnema")
    assert [log["events"] for log in adopted(folder)["report"]["old_logs"]] == [50, 50]
    old = [event for event in memgit(folder, "log", "--json").json if not event["commit"]]
    assert len(old) == 100 and {event["author"] for event in old} == {"rafaelsouza", "claude-code"}
    assert any(event["run"] for event in old)


def test_a_key_in_two_folders_counts_once_and_none_is_deleted(repo: Path) -> None:
    task = "---\nmnema:\n  key: K-1\n  state: {}\n  title: Tide\n  updated_at: '{}'\n---\n# Tide\n"
    write(
        repo,
        {
            ".mnema/backlog/DRAFT/K-1.md": task.format("DRAFT", "2026-01-01T00:00:00.000Z"),
            ".mnema/backlog/DONE/K-1.md": task.format("DONE", "2026-02-01T00:00:00.000Z"),
        },
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    [doubled] = adopted(repo)["report"]["doubled"]
    assert doubled["path"] == ".mnema/backlog/DONE/K-1.md"
    assert [other["path"] for other in doubled["others"]] == [".mnema/backlog/DRAFT/K-1.md"]
    assert len(memgit(repo, "list", "--json").json) == 2


def test_names_that_only_an_index_has_stay_and_a_wrong_count_is_left_until_rebuilt(skill: Path) -> None:
    before = (skill / "knowledge-base/_index.json").read_bytes()
    done = adopted(skill)
    assert [(one["listed"], one["said"]) for one in done["report"]["disagreements"]] == [("4", "1")]
    assert (skill / "knowledge-base/_index.json").read_bytes() == before
    assert memgit(skill, "rebuild", "--check", code=1).out
    memgit(skill, "rebuild", "--commit")
    index = json.loads((skill / "knowledge-base/_index.json").read_text())
    assert (index["categories"][0]["name"], index["categories"][0]["count"]) == ("Shell & Co", 1)


@pytest.mark.parametrize("tracked", [True, False])
def test_uncommitted_edits_stay_uncommitted(skill: Path, tracked: bool) -> None:
    if tracked:
        write(skill, {".gitattributes": "*.png binary\n"})
        run_git(skill, "add", ".gitattributes")
        run_git(skill, "commit", "-q", "-m", "attributes")
    (skill / "knowledge-base/shell.md").write_text(ENTRY + "\n## Mine\n**Date:** 2026-01-03\n")
    write(skill, {"staged.txt": "s\n", "new.txt": "n\n", ".gitattributes": "*.jpg binary\n*.png binary\n"})
    run_git(skill, "add", "staged.txt")
    before = status(skill)
    done = adopted(skill)
    assert done["report"]["records"] == 1 and done["uncommitted"] == 1
    assert status(skill) == before
    assert (skill / ".gitattributes").read_text().startswith("*.jpg binary\n*.png binary\n")
    committed = run_git(skill, "show", "HEAD:.gitattributes", check=False)
    assert (
        committed.startswith("*.png binary\n# memgit")
        if tracked
        else committed == "" and ".gitattributes" in done["notes"][0]
    )


def test_a_knowledge_root_in_a_folder_of_a_code_repository(skill: Path) -> None:
    run_git(skill, "mv", "knowledge-base", "docs")
    (skill / "kb").mkdir()
    run_git(skill, "mv", "docs", "kb/knowledge-base")
    run_git(skill, "commit", "-q", "-m", "moved")
    adopted(skill, "kb")
    assert (
        status(skill) == ""
        and (skill / "kb/.memgit.yaml").is_file()
        and not (skill / ".memgit.yaml").exists()
    )
    assert [record["address"] for record in memgit(skill / "kb", "list", "--json").json] == [
        "knowledge/shell#Quote every expansion"
    ]


def test_a_folder_outside_git_gets_a_commit_of_its_files_first(corpora: Path, tmp_path: Path) -> None:
    folder = tmp_path / "mirror"
    shutil.copytree(corpora / "mnema", folder)
    for path in [folder, *folder.rglob("*")]:
        path.chmod(0o755 if path.is_dir() else 0o644)
    write(
        folder,
        {
            ".mnema/keys/id_ed25519": "private\n",
            ".gitignore": "scratch.md\n",
            ".mnema/memory/scratch.md": "# no\n",
            ".mnema/.obsidian/app.json": "{}",
            "photo.png": b"\x89PNG",
        },
    )
    os.symlink("/etc/hostname", folder / ".mnema/memory/outside.md")
    disk = on_disk(folder)
    seen = memgit(tmp_path, "adopt", "mirror", "--dry-run", "--json").json
    assert seen["report"]["kinds"] == COUNTS["mnema"] and not (folder / ".git").exists()
    done = adopted(tmp_path, "mirror")
    assert done["first"] == seen["first"] and count_commits(folder) == 2
    tracked = set(blobs(folder))
    assert not [
        path
        for path in tracked
        if "keys" in path or ".obsidian" in path or "scratch" in path or "outside" in path
    ]
    assert {path: data for path, data in on_disk(folder).items() if path in disk} == disk
    assert {line[3:] for line in status(folder).split("\n")} == {
        ".mnema/keys/id_ed25519",
        ".mnema/.obsidian/app.json",
        ".mnema/memory/outside.md",
        "photo.png",
        "NOTICE",
    }
    assert [event["op"] for event in memgit(folder, "log", "--json", "-n", "2").json] == ["adopt", "adopt"]
    fsck(folder)


def test_a_repository_without_a_commit_keeps_what_is_staged(repo: Path) -> None:
    write(repo, {"a.md": "# A\n", "code.py": "x = 1\n"})
    run_git(repo, "add", "code.py")
    adopted(repo)
    assert status(repo) == "A  code.py" and set(blobs(repo)) == {"a.md"}


def test_bytes_of_every_kind_are_kept_and_what_cannot_be_read_is_named(repo: Path) -> None:
    files: dict[str, str | bytes] = {
        "crlf.md": b"# A\r\n\r\ntext\r\n",
        "bom.md": b"\xef\xbb\xbf# B\n",
        "latin.md": b"# C\n\nCaf\xe9\n",
        "nul.md": b"# D\n\x00\n",
        "empty.md": b"",
        "broken.md": b"---\ntitle: a: b\n---\n# E\n",
        "end.md": b"# F",
        "odd \udce9 name.md": b"# G\n",
        "emoji \U0001f30a.md": b"# H\n",
        "tab\there.md": b"# I\n",
        "quote\"'.md": b"# J\n",
        "-dash.md": b"# K\n",
        ".hidden/x.md": b"# L\n",
        "big.md": b"# M\n" + b"x" * 5_000_000,
        "utf16.md": "# N\n".encode("utf-16"),
    }
    write(repo, files)
    os.symlink("crlf.md", repo / "link.md")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    before = blobs(repo)
    report = adopted(repo)["report"]
    assert blobs(repo) == before and status(repo) == ""
    unreadable = {place["path"]: place["line"] for place in report["unreadable"]}
    assert {name: unreadable[name] for name in ("latin.md", "nul.md", "broken.md")} == {
        "latin.md": 3,
        "nul.md": 2,
        "broken.md": 2,
    }
    assert set(unreadable) == {"latin.md", "nul.md", "broken.md", "big.md", "utf16.md"}
    left = {one["why"].partition(":")[0]: one["paths"] for one in report["left"]}
    assert (
        left["a link"] == ["link.md"]
        and left["empty"] == ["empty.md"]
        and left["in a hidden folder"] == [".hidden/x.md"]
    )


def test_it_asks_and_writes_nothing_without_a_terminal(skill: Path) -> None:
    answer = memgit(skill, "adopt", code=2)
    assert "Mem Skill workspace" in answer.out and "--yes" in answer.err
    assert memgit(skill, "adopt", "--json", code=2).json["error"]["code"] == "BadInput"
    memgit(skill, "adopt", "--dry-run")
    assert count_commits(skill) == 1 and status(skill) == "" and not (skill / ".memgit.yaml").exists()
    assert "merge.memgit.driver" not in run_git(skill, "config", "-l")


def refused(folder: Path, *args: str, code: int) -> Answer:
    before = on_disk(folder) if folder.is_dir() else {}
    answer = memgit(folder, "adopt", "--yes", *args, code=code)
    assert not folder.is_dir() or on_disk(folder) == before
    return answer


def test_refusals_write_nothing(skill: Path, tmp_path: Path) -> None:
    write(skill, {"knowledge-base/_index.json": '{"knowledgeBase": []}'})
    run_git(skill, "commit", "-q", "-am", "another tool")
    assert "another tool" in refused(skill, code=3).err
    assert "vault" in refused(skill, "--as", "vault", code=2).err
    (tmp_path / "empty").mkdir()
    refused(tmp_path / "empty", code=2)
    assert not (tmp_path / "empty/.git").exists()
    run_git(tmp_path, "init", "-q", "--bare", "bare.git")
    assert "bare" in memgit(tmp_path, "adopt", "bare.git", "--yes", code=3).err
    assert "no such folder" in memgit(tmp_path, "adopt", "nowhere", "--yes", code=2).err


def test_a_root_of_another_layout_is_said_to_be_one(kb: Path) -> None:
    assert memgit(kb, "adopt", "--yes", "--json").json["layout"] == "memgit"
    assert "layout memgit" in memgit(kb, "adopt", "--yes", "--as", "vault", code=2).err


def test_without_an_identity_nothing_is_made(tmp_path: Path, private_home: Path) -> None:
    (private_home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    write(tmp_path, {"notes/a.md": "# A\n"})
    assert memgit(tmp_path, "adopt", "notes", "--yes", code=3).err
    assert not (tmp_path / "notes/.git").exists()


def test_a_hook_that_refuses_the_first_commit_leaves_the_index_as_it_was(repo: Path) -> None:
    write(repo, {"a.md": "# A\n", "code.py": "x = 1\n"})
    run_git(repo, "add", "code.py")
    hook = repo / ".git/hooks/pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho not today >&2\nexit 1\n")
    hook.chmod(0o755)
    assert "not today" in memgit(repo, "adopt", "--yes", code=3).err
    assert status(repo).split("\n") == ["A  code.py", "?? a.md"]


def test_decision_records_in_a_code_repository(repo: Path) -> None:
    adr = "# 1. Use tides\n\nDate: 2026-01-02\n\n## Status\n\nAccepted\n"
    write(
        repo,
        {
            "docs/adr/0001-use-tides.md": adr,
            "docs/adr/0002-b.md": adr.replace("1.", "2."),
            "README.md": "# code\n",
            "a.py": "",
        },
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    done = adopted(repo)
    assert done["found"]["system"] == "adr" and done["report"]["kinds"] == {"decision": 2}
    assert [record["address"] for record in memgit(repo, "list", "--json").json] == [
        "decision/0001-use-tides",
        "decision/0002-b",
    ]
    assert memgit(repo, "record", "decision", "Use ebb", "-m", "Because.").code == 0
    assert [
        path
        for path in run_git(repo, "show", "--name-only", "--format=", "HEAD").split("\n")
        if path.startswith("docs/adr/")
    ]


def test_detached_head_linked_worktree_and_shallow_clone(skill: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{skill}", "shallow")
    assert adopted(tmp_path / "shallow")["report"]["records"] == 1
    run_git(skill, "worktree", "add", "-q", str(tmp_path / "linked"), "-b", "other")
    assert adopted(tmp_path / "linked")["action"] == "adopted" and status(tmp_path / "linked") == ""
    assert not (skill / ".memgit.yaml").exists()
    run_git(skill, "checkout", "-q", "--detach")
    answer = memgit(skill, "adopt", "--yes")
    assert "detached" in answer.err and status(skill) == ""


def test_of_two_that_adopt_at_once_one_does_it(skill: Path) -> None:
    env = dict(os.environ)
    first, second = look(str(skill), env), look(str(skill), env, "notes")
    context = Context("2026-01-02", "2026-01-02T00:00:00Z", env)
    assert adopt(first, context, hooks=False).commit is not None
    assert adopt(second, context, hooks=False).commit is None
    assert "layout: mem-skill" in (skill / ".memgit.yaml").read_text() and count_commits(skill) == 2


def test_a_merge_under_way_is_finished_first(skill: Path) -> None:
    run_git(skill, "checkout", "-q", "-b", "other")
    write(skill, {"knowledge-base/shell.md": ENTRY.replace("quote", "a")})
    run_git(skill, "commit", "-q", "-am", "a")
    run_git(skill, "checkout", "-q", "main")
    write(skill, {"knowledge-base/shell.md": ENTRY.replace("quote", "b")})
    run_git(skill, "commit", "-q", "-am", "b")
    run_git(skill, "merge", "other", check=False)
    before = status(skill)
    assert "merge" in memgit(skill, "adopt", "--yes", code=3).err
    assert status(skill) == before and "merge.memgit.driver" not in run_git(skill, "config", "-l")


def test_undo_takes_nothing_back_that_was_there_before(repo: Path) -> None:
    """Who adopts a folder and thinks better of it must not lose the newest file instead."""
    write(repo, {"a.md": "# A\n\ntext\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "by hand")
    first = run_git(repo, "rev-parse", "HEAD")
    adopted(repo)
    answer = memgit(repo, "undo", code=2)
    assert (
        "there is no operation to undo since this became a knowledge root" in answer.err
        and f"memgit undo {first[:10]}" in answer.err
    )
    assert (repo / "a.md").is_file() and status(repo) == ""
    memgit(repo, "update", "a", "-m", "other")
    memgit(repo, "undo")
    assert (repo / "a.md").read_text() == "# A\n\ntext\n"
    memgit(repo, "undo", first)
    assert not (repo / "a.md").exists()
