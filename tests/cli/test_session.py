"""recall, use, context: what a session asks for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import memgit, run_git, status


@pytest.fixture
def kb2(kb: Path) -> Path:
    memgit(
        kb,
        "record",
        "knowledge",
        "Grid",
        "--category",
        "web",
        "--category-keywords",
        "CSS,layout",
        "-m",
        "- auto-fit",
        "--keywords",
        "grid",
    )
    memgit(
        kb, "record", "knowledge", "Retry", "--category", "api", "--category-keywords", "Java,http", "-m", "- thrice", "--keywords", "retry"
    )
    memgit(kb, "record", "experience", "Loader order", "--skill", "webpack", "-m", "- right to left", "--keywords", "loader")
    return kb


def loaded(answer: dict[str, object]) -> list[str]:
    files = answer["loaded"]
    assert isinstance(files, list)
    return [file["name"] for file in files]


def test_each_file_is_loaded_once_a_session(kb2: Path) -> None:
    def recall(text: str, *args: str) -> dict[str, object]:
        answer = memgit(kb2, "recall", text, "--session", "s1", "--json", *args).json
        assert isinstance(answer, dict)
        return answer

    first = recall("How do I lay out cards with CSS?")
    assert (loaded(first), first["topic_switch"], first["matched"]) == (["web"], True, ["web"])
    assert first["loaded"][0]["records"][0]["title"] == "Grid"  # type: ignore[index]
    again = recall("lay out cards with CSS")
    assert (loaded(again), again["topic_switch"], again["matched"]) == ([], False, ["web"])
    other = recall("by the way, a Java client")
    assert (loaded(other), other["topic_switch"]) == (["api"], True)
    back = recall("also the CSS layout again")
    assert (loaded(back), back["matched"]) == ([], ["web"])
    fresh = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s2", "--json").json
    assert loaded(fresh) == ["web"]


def test_a_keyword_counts_as_a_whole(kb2: Path) -> None:
    answer = memgit(kb2, "recall", "JavaScript modules", "--json").json
    assert loaded(answer) == []
    assert "--category" in answer["suggestion"]


def test_a_named_skill_is_loaded_whatever_the_topic(kb2: Path) -> None:
    memgit(kb2, "recall", "cards with CSS", "--session", "s")
    answer = memgit(kb2, "recall", "cards with CSS", "--session", "s", "--skill", "webpack", "--skill", "vite", "--json").json
    assert (loaded(answer), answer["topic_switch"], answer["missing_skills"]) == (["webpack"], False, ["vite"])
    assert loaded(memgit(kb2, "recall", "webpack again", "--session", "s", "--json").json) == []


def test_recall_touches_no_file_and_counts_first_reads(kb2: Path) -> None:
    before = run_git(kb2, "rev-parse", "HEAD")
    memgit(kb2, "recall", "cards with CSS", "--session", "s")
    memgit(kb2, "recall", "cards with CSS", "--session", "s")
    assert run_git(kb2, "rev-parse", "HEAD") == before
    assert status(kb2) == ""
    [ref] = run_git(kb2, "for-each-ref", "--format=%(refname)", "refs/memgit/usage").split("\n")
    assert run_git(kb2, "rev-list", "--count", ref) == "1"
    assert "Memgit-Record: read " in run_git(kb2, "log", "-1", "--format=%B", ref)


def test_wrong_usage(kb2: Path) -> None:
    assert "nothing to recall" in memgit(kb2, "recall", code=2).err
    assert "name of a session" in memgit(kb2, "recall", "x", "--session", "../up", code=2).err


def test_uses_of_two_clones_add_up_without_a_conflict(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "skill", "Safe migration", "-m", "1. back up")
    run_git(tmp_path, "clone", "-q", str(kb), "other")
    other = tmp_path / "other"
    memgit(kb, "use", "safe-migration")
    memgit(kb, "use", "safe-migration")
    assert memgit(other, "use", "safe-migration", "--json").json["record"]["usage_count"] == 1
    spec = "refs/memgit/usage/*:refs/memgit/usage/*"
    run_git(other, "fetch", "-q", "origin", spec)
    run_git(kb, "fetch", "-q", str(other), spec)
    for clone in (kb, other):
        assert memgit(clone, "show", "safe-migration", "--json").json["usage_count"] == 3
        assert memgit(clone, "list", "--json").json[0]["usage_count"] == 3
    memgit(kb, "use", "safe-migration")
    assert memgit(kb, "show", "safe-migration", "--json").json["usage_count"] == 4


def test_a_new_version_starts_at_zero_and_the_old_one_keeps_its_uses(kb: Path) -> None:
    memgit(kb, "record", "skill", "Safe migration", "-m", "1. back up")
    memgit(kb, "use", "safe-migration")
    memgit(kb, "update", "safe-migration", "--new-version", "-m", "2. check")
    assert memgit(kb, "show", "safe-migration", "--json").json["usage_count"] == 0
    assert memgit(kb, "show", "skill/safe-migration@1", "--json").json["usage_count"] == 1
    memgit(kb, "use", "safe-migration")
    memgit(kb, "rename", "safe-migration", "Safer migration")
    assert memgit(kb, "show", "safer-migration", "--json").json["usage_count"] == 1


def test_uses_leave_branch_index_and_files_alone(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    before = run_git(kb, "rev-parse", "HEAD")
    (kb / "dirty.txt").write_text("x")
    assert "used memory/one (1 time)" in memgit(kb, "use", "memory/one").out
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == "?? dirty.txt"
    assert [event["op"] for event in memgit(kb, "log", "--json").json] == ["record", "init"]
    memgit(kb, "archive", "memory/one")
    assert "archived" in memgit(kb, "use", "memory/one", code=3).err


def test_context_is_bounded_and_names_what_it_leaves_out(kb: Path) -> None:
    lines = [json.dumps({"kind": "memory", "title": f"Fact number {n}", "topics": ["t"], "body": "Text."}) for n in range(40)]
    lines += [json.dumps({"kind": "observation", "title": f"Seen {n}", "body": "Word " * 20}) for n in range(7)]
    lines += [json.dumps({"kind": "skill", "title": f"Skill {n}", "description": "What it does.", "body": "1. x"}) for n in range(22)]
    memgit(kb, "record", "--batch", "-", stdin="\n".join(lines).encode())
    memgit(kb, "use", "skill/skill-3")
    whole = memgit(kb, "context", "--json").json
    assert [len(whole[name]) for name in ("skills_inventory", "memories_inventory", "recent_observations")] == [20, 30, 5]
    assert whole["left_out"] == {"skills_inventory": 2, "memories_inventory": 10, "recent_observations": 2}
    assert set(whole["skills_inventory"][0]) >= {"slug", "name", "version", "description", "usage_count", "last_used_at"}
    assert whole["memory_index"] is None
    small = memgit(kb, "context", "--max-tokens", "60", "--json").json
    assert small["tokens"] <= 60
    assert 0 < len(small["skills_inventory"]) < 20
    assert small["left_out"]["memories_inventory"] > 10
    assert "Left out:" in memgit(kb, "context", "--max-tokens", "60").out


def test_context_holds_what_people_wrote_in_the_index(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    path = kb / "memory/INDEX.md"
    path.write_text(path.read_text().replace("<!-- memgit: generated", "Read `one` first.\n\n<!-- memgit: generated", 1))
    answer = memgit(kb, "context", "--json").json
    assert "Read `one` first." in answer["memory_index"]
    assert "generated" not in answer["memory_index"]
    assert answer["decisions_index"] is None


def test_context_as_of_a_revision(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    memgit(kb, "record", "memory", "Two", "-m", "x")
    assert [item["title"] for item in memgit(kb, "context", "--at", "HEAD~1", "--json").json["memories_inventory"]] == ["One"]


def test_recall_as_of_a_revision_is_no_turn_of_a_session(kb2: Path) -> None:
    before = run_git(kb2, "rev-parse", "HEAD")
    memgit(kb2, "record", "knowledge", "Flex", "--category", "web", "-m", "- one axis", "--keywords", "flex")
    sessions = kb2 / ".git/memgit/sessions"
    found = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--at", before, "--json").json
    assert (found["revision"], found["fresh"], loaded(found)) == (before, False, ["web"])
    assert [record["title"] for record in found["loaded"][0]["records"]] == ["Grid"]
    assert not sessions.exists() and run_git(kb2, "for-each-ref", "refs/memgit") == ""
    now = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--json").json
    assert [record["title"] for record in now["loaded"][0]["records"]] == ["Grid", "Flex"]
    again = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--at", "HEAD", "--json").json
    assert loaded(again) == ["web"], "what the session has loaded does not count"
    memgit(kb2, "recall", "x", "--at", "none", code=2)
