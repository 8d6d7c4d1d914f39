"""The health report: scores from dates, uses, sizes and keywords, and the commands that help."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support import memgit, run_git, status


def ago(days: int) -> str:
    return (date.today() - timedelta(days=days)).isoformat()


def memory(title: str, days: int | None, words: int = 50, keywords: str = "", extra: str = "") -> str:
    made = f"created: {ago(days)}\n" if days is not None else ""
    return f"---\ntitle: {title}\n{made}keywords: [{keywords}]\n{extra}---\n# {title}\n\n{'word ' * words}\n"


@pytest.fixture
def store(kb: Path) -> Path:
    """A memory of each sort."""
    for name, text in {
        "fresh": memory("Fresh", 5, keywords="alpha, beta"),
        "used": memory("Used", 50, extra=f"usage_count: 3\nlast_used: {ago(9)}\n"),
        "stale": memory("Stale", 200),
        "long": memory("Long", 1, words=1000),
        "one": memory("One", 120, keywords="Lock, queue, retry, timeout, worker"),
        "two": memory("Two it's", 120, keywords="lock, queue, retry, timeout"),
        "old/three": memory("Three", 400, words=900, keywords="lock, wait", extra="topics: [ops/queue]\n"),
        "gone": memory("Gone", 400, words=900, keywords="lock, queue", extra=f"archived: {ago(3)}\n"),
    }.items():
        path = kb / f"memory/{name}.md"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
    memgit(kb, "commit")
    return kb


def scored(folder: Path, *args: str) -> dict[str, Any]:
    return {one["title"]: one for one in memgit(folder, "health", "--json", *args).json["candidates"]}


def test_each_record_is_scored_and_named_with_what_helps(store: Path) -> None:
    found = scored(store)
    assert set(found) == {"Stale", "Long", "One", "Two it's", "Three"}
    assert {title: one["actions"] for title, one in found.items()} == {
        "Stale": ["look"],
        "Long": ["shorten"],
        "Three": ["archive", "shorten"],
        "One": ["archive", "merge"],
        "Two it's": ["archive", "merge"],
    }
    one = found["One"]
    assert (one["score"], one["staleness"], one["never_used"], one["size"], one["duplicate"]) == (
        0.75,
        1.0,
        1.0,
        0.0,
        0.8,
    )
    assert (one["age"], one["uses"], one["last_used"], one["duplicate_of"]) == (120, 0, None, "memory/two")
    assert found["Two it's"]["duplicate"] == 1.0
    assert found["Three"]["tokens"] == 1170 and found["Three"]["size"] == 0.95
    assert found["Long"]["command"] == "memgit update memory/long -F FILE"
    assert found["Three"]["command"] == "memgit archive memory/old/three"
    assert found["Stale"]["command"] == "memgit show memory/stale"
    assert (
        found["One"]["command"]
        == found["Two it's"]["command"]
        == "memgit merge-records memory/one memory/two"
    )


def test_the_health_of_the_store(store: Path) -> None:
    answer = memgit(store, "health", "--json").json
    assert answer["actions"] == {"archive": 3, "merge": 2, "shorten": 2, "look": 1}
    assert (answer["health"], answer["verdict"]) == (100 - 9 - 10 - 4, "manageable")
    assert (answer["records"], answer["undated"]) == (7, 0)
    assert answer["revision"] == run_git(store, "rev-parse", "HEAD") and answer["fresh"]
    groups = {group["name"]: group for group in answer["groups"]["category"]}
    assert groups["old"]["records"] == 1 and groups[""]["records"] == 6
    assert {group["name"] for group in answer["groups"]["topic"]} == {"ops", ""}
    assert [group["name"] for group in answer["groups"]["kind"]] == ["memory"]


def test_the_commands_that_are_named_do_help(store: Path) -> None:
    before = memgit(store, "health", "--json").json["health"]
    memgit(store, *shlex.split(scored(store)["One"]["command"])[1:])
    memgit(store, *shlex.split(scored(store)["Three"]["command"])[1:])
    after = memgit(store, "health", "--json").json
    assert after["health"] > before
    assert "Two it's" not in scored(store) and "Three" not in scored(store)


def test_a_use_takes_a_record_off_the_list(store: Path) -> None:
    assert "Stale" in scored(store)
    memgit(store, "use", "memory/stale")
    assert "Stale" not in scored(store)
    memgit(store, "use", "memory/two")
    two = scored(store)["Two it's"]
    assert (two["uses"], two["last_used"], two["never_used"]) == (1, ago(0), 0.0)
    assert two["command"] == "memgit merge-records memory/two memory/one"


def test_only_what_was_asked_for_is_scored(store: Path) -> None:
    assert set(scored(store, "--category", "old")) == {"Three"}
    assert scored(store, "--kind", "decision") == {}
    assert len(memgit(store, "health", "--json", "--limit", "2").json["candidates"]) == 2
    assert "'nope' is not a kind" in memgit(store, "health", "--kind", "nope", code=2).err
    assert "a category is empty" in memgit(store, "health", "--category", "", code=2).err


def test_the_text_names_the_worst_first_and_counts_the_rest(store: Path) -> None:
    text = memgit(store, "health").out
    assert text.startswith(
        "Health 77 of 100: manageable\n7 records in use: 3 to archive, 2 to merge, 2 to shorten, 1 "
        "to look at\n"
    )
    assert "To merge (2)\n" in text and "        memgit merge-records memory/one memory/two\n" in text
    assert "80% of its keywords are those of memory/two" in text
    assert "\n  0.80  memory/two  made 120 days ago, never used, 100%" in text
    assert "\x1b" not in text and "█" not in text
    short = memgit(store, "health", "-n", "1").out
    assert "To archive (3)\n" in short and "  and 2 more\n" in short
    assert "To archive" not in memgit(store, "health", "-n", "0").out


def test_a_threshold_decides_the_exit_code(store: Path) -> None:
    memgit(store, "health", "--fail-under", "77", code=0)
    memgit(store, "health", "--fail-under", "78", "--json", code=1)


def test_an_earlier_state_is_answered_for(store: Path) -> None:
    (store / "memory/stale.md").unlink()
    memgit(store, "commit")
    assert "Stale" not in scored(store)
    assert "Stale" in scored(store, "--at", "HEAD~1")
    assert memgit(store, "health", "--json", "--at", "HEAD~1").json["fresh"] is False


def test_edits_that_are_not_committed_count(store: Path) -> None:
    (store / "memory/draft.md").write_text(memory("Draft", 365, keywords="alpha, beta"))
    assert scored(store)["Draft"]["duplicate_of"] == "memory/fresh"
    assert "draft" in status(store)


def test_an_empty_store_is_healthy(kb: Path) -> None:
    assert memgit(kb, "health").out == "no records in use\n"
    answer = memgit(kb, "health", "--json").json
    assert (answer["health"], answer["records"], answer["candidates"]) == (100, 0, [])


def test_a_record_without_a_date_is_as_old_as_its_commit(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (repo / "notes").mkdir()
    (repo / "notes/one.md").write_text("# One\n\nText that says something of its own.\n")
    run_git(repo, "add", "-A")
    monkeypatch.setenv("GIT_AUTHOR_DATE", f"{ago(100)}T12:00:00Z")
    run_git(repo, "commit", "-q", "-m", "one")
    monkeypatch.delenv("GIT_AUTHOR_DATE")
    run_git(repo, "mv", "notes/one.md", "notes/two.md")
    run_git(repo, "commit", "-q", "-m", "move")
    (repo / "notes/new.md").write_text("# New\n")
    (one,) = scored(repo).values()
    assert (one["address"], one["age"], one["actions"]) == ("note/notes/two", 100, ["look"])
    assert memgit(repo, "health", "--json").json["undated"] == 1


def test_counts_in_the_files_of_a_vault_count(workspace: Callable[[str], Path]) -> None:
    folder = workspace("vault")
    extra = f"retrieval_count: 4\nlast_retrieved: {ago(200)}\ntags: [LESSON, ops]\n"
    (path,) = folder.rglob("10-Memories")
    (path / "MEM-long-ago.md").write_text(memory("Long ago", 300, words=900, extra=extra))
    one = scored(folder)["Long ago"]
    assert (one["uses"], one["last_used"], one["never_used"], one["staleness"]) == (4, ago(200), 0.0, 0.7)
    groups = memgit(folder, "health", "--json").json["groups"]
    assert "LESSON" in {group["name"] for group in groups["category"]}


def test_counts_that_only_the_index_of_a_vault_has_count(workspace: Callable[[str], Path]) -> None:
    folder = workspace("vault")
    (path,) = folder.rglob("10-Memories")
    (path / "MEM-long-ago.md").write_text(
        memory("Long ago", 300, words=900, extra="retrieval_count: 0\ntags: [LESSON]\n")
    )
    index = path.parent / "memory-index.json"
    whole = json.loads(index.read_text())
    whole["entries"].append(
        {
            "id": "MEM-long-ago",
            "path": "10-Memories/MEM-long-ago.md",
            "retrieval_count": 9,
            "last_retrieved": ago(200),
        }
    )
    index.write_text(json.dumps(whole))
    one = scored(folder)["Long ago"]
    assert (one["uses"], one["last_used"], one["never_used"], one["staleness"]) == (9, ago(200), 0.0, 0.7)
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-qm", "counted elsewhere")
    index.unlink()
    assert scored(folder)["Long ago"]["uses"] == 0
    assert scored(folder, "--at", "HEAD")["Long ago"]["uses"] == 9


def test_every_workspace_has_a_health(corpora: Path, workspace: Callable[[str], Path]) -> None:
    for name in ("mem-skill-1.2", "auto-skill", "mnema"):
        folder = workspace(name)
        answer = memgit(folder, "health", "--json").json
        assert answer["records"] == len(memgit(folder, "list", "--json").json)
        assert sum(group["records"] for group in answer["groups"]["kind"]) == answer["records"]
        assert memgit(folder, "health").out


def test_what_cannot_be_read_is_named(store: Path) -> None:
    (store / "memory/bad.md").write_bytes(b"---\ntitle: [\n---\n# Bad\n")
    (store / "memory/worse.md").write_bytes(b"\xff\xfe# Worse\n")
    answer = memgit(store, "health", "--json")
    assert "memory/bad.md:3: " in answer.err and "memory/worse.md:1: " in answer.err
    assert answer.json["records"] == 8


def test_records_that_share_an_address_are_named_so_that_it_works(kb: Path) -> None:
    twin = "\n## Twin\n\n**Date:** 2024-01-01\n**Best Practice:**\n- {}\n\n**Keywords:** lock, queue\n{}"
    path = kb / "knowledge-base/locks.md"
    path.write_text(twin.format("one", "") + twin.format("two", ""))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-q", "--no-verify", "-m", "twins")
    found = memgit(kb, "health", "--json").json["candidates"]
    assert [one["command"] for one in found] == ["memgit lint --select MG005"] * 2
    assert memgit(kb, *shlex.split(found[0]["command"])[1:], code=None).code == 1
    path.write_text(twin.format("one", "**Id:** kb7m2q9x4d\n") + twin.format("two", "**Id:** kb7m2q9x4e\n"))
    run_git(kb, "commit", "-q", "--no-verify", "-am", "named")
    command = memgit(kb, "health", "--json").json["candidates"][0]["command"]
    assert set(shlex.split(command)[2:]) == {"kb7m2q9x4d", "kb7m2q9x4e"}
    memgit(kb, *shlex.split(command)[1:])
    assert path.read_text().count("**Archived:**") == 1
