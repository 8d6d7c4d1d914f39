"""What users of such tools suffered, end to end: each test is one kind of fault with its smallest input."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path

import pytest

from tests.support import count_commits, fsck, memgit, run_git, status


def hook(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def test_a_squash_without_trailers_loses_no_record(kb: Path) -> None:
    run_git(kb, "switch", "-qc", "topic")
    for title in ("One", "Two", "Three"):
        memgit(kb, "record", "memory", title, "-m", "x")
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "merge", "-q", "--squash", "topic")
    run_git(kb, "commit", "-qm", "squashed")
    event = memgit(kb, "log", "-n", "1", "--json").json[0]
    assert sorted(row["address"] for row in event["records"]) == ["memory/one", "memory/three", "memory/two"]
    assert all(row["action"] == "create" and row["id"] for row in event["records"])


def test_messages_glued_together_by_a_forge_are_all_read(kb: Path) -> None:
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "--actor", "one", "record", "memory", "One", "-m", "x")
    memgit(kb, "--actor", "two", "record", "memory", "Two", "-m", "x")
    glued = "\n\n".join(
        f"* {part}"
        for part in run_git(kb, "log", "--reverse", "--format=%B%x00", "main..topic").split("\0")
        if part.strip()
    )
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "merge", "-q", "--squash", "topic")
    run_git(kb, "commit", "-q", "-F", "-", data=f"Two facts (#12)\n\n{glued}\n\nSome prose.\n".encode())
    event = memgit(kb, "log", "-n", "1", "--json").json[0]
    assert event["op"] == "record"
    assert event["actor"] == "one, two"
    assert len(event["records"]) == 2


def test_a_commit_can_be_amended(kb: Path) -> None:
    id_ = memgit(kb, "record", "memory", "One", "-m", "x", "--json").json["record"]["id"]
    run_git(kb, "commit", "-q", "--amend", "--no-edit", "--date", "2026-03-03T00:00:00Z")
    assert memgit(kb, "history", id_, "--json").json[0]["records"][0]["id"] == id_
    memgit(kb, "record", "memory", "Two", "-m", "x")
    assert status(kb) == ""


def test_a_shallow_clone_says_that_history_is_incomplete(kb: Path, tmp_path: Path) -> None:
    for title in ("One", "Two", "Three"):
        memgit(kb, "record", "memory", title, "-m", "x")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{kb}", "shallow")
    shallow = tmp_path / "shallow"
    for command in (("log",), ("history", "memory/one")):
        answer = memgit(shallow, *command)
        assert "complete: false" in answer.err
    assert memgit(shallow, "rebuild", "--check", "--json", code=None).json["complete"] is False
    assert [record["title"] for record in memgit(shallow, "list", "--json").json] == ["One", "Three", "Two"]
    memgit(shallow, "record", "memory", "Four", "-m", "x")
    assert status(shallow) == ""
    assert "shallow" in memgit(shallow, "undo", "HEAD~1", code=3).err


def test_a_detached_head_takes_commits_and_says_so(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "--detach")
    (kb / "dirty.txt").write_text("mine")
    answer = memgit(kb, "record", "memory", "One", "-m", "x")
    assert "detached" in answer.err
    assert status(kb) == "?? dirty.txt"
    assert run_git(kb, "log", "-1", "--format=%s") == "record(memory): One"
    assert run_git(kb, "log", "-1", "--format=%s", "main") != "record(memory): One"


@pytest.mark.parametrize("operation", ["merge", "rebase", "cherry-pick", "revert"])
def test_an_operation_under_way_refuses_writes(kb: Path, operation: str) -> None:
    memgit(kb, "record", "memory", "One", "-m", "first")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "update", "memory/one", "-m", "theirs")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "update", "memory/one", "-m", "ours")
    run_git(kb, "config", "--remove-section", "merge.memgit")
    args = {
        "merge": ["merge", "topic"],
        "rebase": ["rebase", "topic"],
        "cherry-pick": ["cherry-pick", "topic"],
        "revert": ["revert", "HEAD~1"],
    }
    run_git(kb, *args[operation], check=False)
    before = run_git(kb, "rev-parse", "HEAD")
    answer = memgit(kb, "record", "memory", "Two", "-m", "x", code=3)
    assert f"{operation} is under way" in answer.err
    assert f"git {operation} --abort" in answer.err
    assert run_git(kb, "rev-parse", "HEAD") == before
    run_git(kb, operation, "--abort")
    memgit(kb, "record", "memory", "Two", "-m", "x")
    assert status(kb) == ""


def test_a_stale_lock_is_named_with_its_age_and_never_removed(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from memgit.git.worktree import index

    monkeypatch.setattr(index, "LOCK_WAIT", 0.2)
    lock = kb / ".git/index.lock"
    lock.touch()
    os.utime(lock, (time.time() - 4000, time.time() - 4000))
    before = count_commits(kb)
    answer = memgit(kb, "record", "memory", "One", "-m", "x", code=3)
    assert "index.lock" in answer.err
    assert lock.exists()
    assert count_commits(kb) == before
    lock.unlink()
    memgit(kb, "record", "memory", "One", "-m", "x")
    assert status(kb) == ""


def test_the_hook_of_another_tool_runs_and_its_no_counts(kb: Path) -> None:
    (kb / "foreign.txt").write_text("staged\n")
    run_git(kb, "add", "foreign.txt")
    path = hook(
        kb / ".git/hooks",
        "pre-commit",
        "echo seen: $(git diff --cached --name-only | grep memory/one); echo no >&2; exit 1",
    )
    before = count_commits(kb)
    answer = memgit(kb, "record", "memory", "One", "-m", "x", code=3)
    assert "seen: memory/one.md" in answer.err
    assert count_commits(kb) == before
    assert status(kb) == "A  foreign.txt"
    path.unlink()
    memgit(kb, "record", "memory", "One", "-m", "x")
    assert status(kb) == "A  foreign.txt"


def test_the_hooks_path_that_is_set_is_used_and_never_changed(kb: Path) -> None:
    run_git(kb, "config", "core.hooksPath", ".husky")
    hook(kb / ".husky", "commit-msg", 'echo "Ticket: 7" >> "$1"')
    memgit(kb, "record", "memory", "One", "-m", "x")
    assert run_git(kb, "log", "-1", "--format=%(trailers:key=Ticket,valueonly)").strip() == "7"
    assert run_git(kb, "config", "core.hooksPath") == ".husky"
    assert memgit(kb, "log", "-n", "1", "--json").json[0]["op"] == "record"


def test_a_record_that_is_a_link_is_neither_read_nor_written(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "outside.md").write_text("---\ntitle: Secret\n---\nsecret\n")
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/link.md").symlink_to(tmp_path / "outside.md")
    (kb / "memory/loop.md").symlink_to("loop.md")
    assert memgit(kb, "list", "--json").json == []
    assert "no record" in memgit(kb, "show", "memory/link", code=2).err
    memgit(kb, "record", "memory", "Link", "-m", "x", code=3)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "links")
    assert memgit(kb, "list", "--json").json == []
    assert "secret" not in memgit(kb, "search", "secret", "--json").out.replace('"query": "secret"', "")
    (kb / "scoped").mkdir()
    (kb / "memory/team").symlink_to("../scoped")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "folder link")
    memgit(kb, "record", "memory", "Through", "--scope", "team", "-m", "x", code=3)
    assert list((kb / "scoped").iterdir()) == []


def test_a_submodule_is_a_repository_of_its_own(kb: Path, tmp_path: Path) -> None:
    memgit(tmp_path, "init", "part")
    run_git(kb, "submodule", "--quiet", "add", str(tmp_path / "part"), "memory/part")
    run_git(kb, "commit", "-qm", "submodule")
    before = count_commits(kb)
    assert memgit(kb, "record", "memory", "Inside", "--scope", "part", "-m", "x", code=3).err
    assert count_commits(kb) == before
    memgit(kb / "memory/part", "record", "memory", "Own", "-m", "x")
    assert count_commits(kb) == before
    assert run_git(kb / "memory/part", "log", "-1", "--format=%s") == "record(memory): Own"


@pytest.mark.parametrize(
    "name",
    [
        "café – ünï.md",
        "🌊⚓.md",
        "tab\there.md",
        'it\'s "quoted".md',
        "-dash.md",
        "#hash.md",
        "$HOME.md",
        "..md",
        "a\nb.md",
    ],
)
def test_any_file_name_is_added_edited_renamed_and_found(kb: Path, name: str) -> None:
    run_git(kb, "config", "core.quotePath", "true")
    (kb / "memory").mkdir(exist_ok=True)
    path = kb / "memory" / name
    path.write_text("---\ntitle: Odd name\ncreated: 2026-01-02\n---\n\nFirst words.\n")
    memgit(kb, "commit")
    [record] = memgit(kb, "list", "--json").json
    assert record["path"] == f"memory/{name}"
    memgit(kb, "update", "Odd name", "-m", "Other words.")
    assert memgit(kb, "search", "other", "--json").json["results"][0]["path"] == f"memory/{name}"
    assert "Other words." in path.read_text()
    assert memgit(kb, "blame", "Odd name", "--json").json
    memgit(kb, "rename", "Odd name", "Plain name")
    assert not path.exists()
    history = memgit(kb, "history", "memory/plain-name", "--json").json
    assert [event["op"] for event in history] == ["rename", "update", "record"]
    assert status(kb) == ""
    fsck(kb)


def test_line_ends_of_a_windows_checkout_are_kept(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "knowledge", "One", "--category", "web", "-m", "- a")
    run_git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(kb), "win")
    win = tmp_path / "win"
    assert b"\r\n" in (win / "knowledge-base/web.md").read_bytes()
    memgit(win, "update", "web#One", "-m", "- b")
    memgit(win, "record", "knowledge", "Two", "--category", "web", "-m", "- c")
    data = (win / "knowledge-base/web.md").read_bytes()
    assert data.count(b"\r\n") == data.count(b"\n")
    assert b"\r" not in run_git(win, "cat-file", "blob", "HEAD:knowledge-base/web.md").encode()
    assert status(win) == ""
    assert run_git(win, "diff") == ""


def test_a_colon_typed_by_hand_is_listed_and_refused_with_the_fix(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/a.md").write_text("---\ntitle: A: b\n---\ntext\n")
    (kb / "memory/b.md").write_text("---\ntitle: 'user's'\n---\ntext\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "typed")
    answer = memgit(kb, "list", "--json")
    assert [record["title"] for record in answer.json] == ["A: b", "user's"]
    refused = memgit(kb, "update", "memory/a", "-m", "x", code=3)
    assert "memory/a.md:2" in refused.err
    assert (kb / "memory/a.md").read_text() == "---\ntitle: A: b\n---\ntext\n"


def test_values_are_taken_as_typed(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/a.md").write_text("---\ntitle: 2026-03-06\ntags: [2025-10-24, 1.0, yes, null]\n---\ntext\n")
    memgit(kb, "commit")
    record = memgit(kb, "show", "memory/a", "--json").json
    assert record["title"] == "2026-03-06"
    assert record["fields"]["tags"] == ["2025-10-24", "1.0", "yes"]


def test_a_write_that_changes_nothing_makes_no_commit(kb: Path) -> None:
    line = json.dumps({"kind": "memory", "title": "Same", "body": "Text.", "topics": ["a"]})
    memgit(kb, "record", "--batch", "-", "--upsert", stdin=line.encode())
    before = count_commits(kb)
    memgit(kb, "record", "--batch", "-", "--upsert", stdin=line.encode())
    assert count_commits(kb) == before


def test_two_branches_that_add_to_one_category_both_survive(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Base", "--category", "web", "-m", "- a")
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "record", "knowledge", "Theirs", "--category", "web", "-m", "- b")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "record", "knowledge", "Ours", "--category", "web", "-m", "- c")
    driver = f"{sys.executable} -m memgit merge-driver --ours-name %X --theirs-name %Y %O %A %B %P"
    run_git(kb, "config", "merge.memgit.driver", driver)
    run_git(kb, "merge", "-q", "topic", check=False)
    assert sorted(
        line for line in (kb / "knowledge-base/web.md").read_text().split("\n") if line.startswith("## ")
    ) == [
        "## Base",
        "## Ours",
        "## Theirs",
    ]
    memgit(kb, "rebuild")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "merged")
    assert memgit(kb, "rebuild", "--check").code == 0
    index = json.loads((kb / "knowledge-base/_index.json").read_text())
    assert (index["totalEntries"], index["categories"][0]["count"]) == (3, 3)


def test_writers_beside_git_add_and_fetch(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "origin.git")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "origin.git"))
    for number in range(5):
        (kb / f"foreign-{number}.txt").write_text("x")
        run_git(kb, "add", f"foreign-{number}.txt")
        run_git(kb, "fetch", "-q", "origin")
        memgit(kb, "record", "memory", f"Fact {number}", "-m", "x")
    assert status(kb).split("\n") == [f"A  foreign-{number}.txt" for number in range(5)]
