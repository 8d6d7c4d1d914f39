"""recall, use, context: what a session asks for."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from memgit.model.tokens import estimate
from tests.support import Prepared, memgit, run_git, status
from tests.test_docs import keys


@pytest.fixture
def kb2(prepared: Prepared) -> Path:
    return prepared("kb", make_kb2)


def make_kb2(kb: Path) -> None:
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
        kb,
        "record",
        "knowledge",
        "Retry",
        "--category",
        "api",
        "--category-keywords",
        "Java,http",
        "-m",
        "- thrice",
        "--keywords",
        "retry",
    )
    memgit(
        kb,
        "record",
        "experience",
        "Loader order",
        "--skill",
        "webpack",
        "-m",
        "- right to left",
        "--keywords",
        "loader",
    )


def loaded(answer: dict[str, Any]) -> list[str]:
    """The titles of the records that are shown."""
    return [record["title"] for record in answer["records"]]


def test_each_record_is_shown_once_a_session(kb2: Path) -> None:
    def recall(text: str, *args: str) -> dict[str, Any]:
        answer = memgit(kb2, "recall", text, "--session", "s1", "--json", *args).json
        assert isinstance(answer, dict)
        return answer

    first = recall("How do I lay out cards with CSS?")
    assert (loaded(first), first["topic_switch"], first["matched"]) == (["Grid"], True, ["web"])
    assert first["records"][0]["text"] == "- auto-fit"
    again = recall("lay out cards with CSS")
    assert (loaded(again), again["topic_switch"], again["matched"]) == ([], False, ["web"])
    other = recall("by the way, a Java client")
    assert (loaded(other), other["topic_switch"]) == (["Retry"], True)
    back = recall("also the CSS layout again")
    assert (loaded(back), back["matched"]) == ([], ["web"])
    fresh = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s2", "--json").json
    assert loaded(fresh) == ["Grid"]


def test_what_was_shown_already_is_named_and_comes_again(kb2: Path) -> None:
    words = ("-", "lay out cards", "with CSS")
    assert memgit(kb2, "recall", "--session", "s", "--", *words).err == ""
    answer = memgit(kb2, "recall", "--again", "--session", "s", "--skill", "webpack", "--", *words)
    assert answer.out.startswith("## Loader order\n(experience/webpack#Loader order, ")
    assert "## Grid\n(knowledge/web#Grid, " in answer.out
    answer = memgit(kb2, "recall", "by the way", *words[1:], "--session", "s")
    assert answer.out == ""
    said, hint = answer.err.splitlines()
    assert said == "memgit: this session (s) was shown 1 record before: knowledge/web#Grid"
    command = hint.removeprefix("  hint: ").removesuffix(" shows them again")
    assert "\n- auto-fit\n" in memgit(kb2, *shlex.split(command)[1:]).out
    found = memgit(kb2, "recall", "--session", "s", "--json", "by the way", *words[1:]).json
    assert found["already_loaded"] == ["knowledge/web#Grid"]
    answer = memgit(kb2, "recall", "--session", "s", "also", "nothing like it")
    assert (answer.out, answer.err.splitlines()[0]) == ("", "memgit: nothing fits")
    assert memgit(kb2, "--run", "r1", "recall", "CSS").err == ""
    again = memgit(kb2, "--run", "r1", "recall", "by the way, CSS").err
    assert "memgit recall --again --session r1 'by the way, CSS' shows" in again
    [ref] = run_git(kb2, "for-each-ref", "--format=%(refname)", "refs/memgit/usage").split("\n")
    assert run_git(kb2, "rev-list", "--count", ref) == "3", "a record counts as read once a session"


def test_chatter_is_no_turn(kb2: Path) -> None:
    def recall(text: str) -> dict[str, Any]:
        found: dict[str, Any] = memgit(kb2, "recall", text, "--session", "s", "--json").json
        return found

    assert loaded(recall("thanks, great!")) == []
    assert recall("ok, go on")["reason"] is None
    assert not (kb2 / ".git/memgit/sessions").exists()
    assert recall("lay out cards with CSS")["reason"] == "first turn of the session"
    assert recall("yes please")["topic_switch"] is False
    assert recall("lay out the cards with CSS")["topic_switch"] is False
    assert recall("thanks")["suggestion"] is None


def test_words_match_in_any_of_their_forms(kb: Path) -> None:
    arguments = ("--category", "git", "--category-keywords", "commit,rebase", "-m", "- squash first")
    memgit(kb, "record", "knowledge", "Tidy a branch", *arguments)
    for number, text in enumerate(("how are commits signed here", "rebasing onto main", "commit")):
        found = memgit(kb, "recall", text, "--session", f"s{number}", "--json").json
        assert (found["matched"], loaded(found)) == (["git"], ["Tidy a branch"]), text


def test_every_kind_is_recalled(kb: Path) -> None:
    memgit(kb, "record", "memory", "Invoices are stored for ten years", "-m", "Never purge invoices earlier.")
    memgit(kb, "record", "decision", "Postgres for the ledger", "-m", "The ledger lives in Postgres.")
    memgit(kb, "record", "observation", "Nightly backup of the ledger failed", "-m", "The disk was full.")
    memgit(kb, "record", "skill", "Rotate the signing key", "-m", "1. make a key", "--description", "How to.")
    memgit(kb, "record", "note", "Glossary of billing", "-m", "Dunning: reminding of open invoices.")
    for session, (text, wanted) in enumerate(
        (
            ("may I purge old invoices?", "Invoices are stored for ten years"),
            ("which database holds the ledger, postgres?", "Postgres for the ledger"),
            ("the backup of the ledger failed tonight", "Nightly backup of the ledger failed"),
            ("rotate our signing keys", "Rotate the signing key"),
            ("what is dunning in the billing glossary", "Glossary of billing"),
        )
    ):
        found = memgit(kb, "recall", text, "--session", f"s{session}", "--json").json
        assert wanted in loaded(found), text


def test_recall_keeps_to_its_tokens_and_names_the_rest(kb: Path) -> None:
    line = "line of text\n"
    lines = [
        json.dumps(
            {
                "kind": "knowledge",
                "category": "mail",
                "title": f"Mail relay {name}",
                "body": f"The relay {name} retries mail.\n\n```\n{'word ' * 40}\n{line * 200}```",
            }
        )
        for name in ("alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta")
    ]
    memgit(kb, "record", "--batch", "-", stdin="\n".join(lines).encode())
    for limit in (120, 200, 700, 1500, 4000):
        args = ("recall", "why does the mail relay retry", "--again", "--max-tokens", str(limit))
        found = memgit(kb, *args, "--json").json
        text = memgit(kb, *args).out
        assert found["tokens"] == estimate(text) <= limit and text
        assert len(found["records"]) + len(found["rest"]) == 8
        if found["rest"]:
            assert "Also relevant:\n- memgit show 'knowledge/mail#Mail relay" in text
        assert all(record["text"].count("```") % 2 == 0 for record in found["records"])
    assert found["records"][0]["cut"] is False and found["records"][-1]["cut"] is True
    cut = re.findall(r"\(cut: (memgit show .*)\)", text)
    assert memgit(kb, *shlex.split(cut[-1])[1:]).out.count("line of text") == 200
    config = kb / ".memgit.yaml"
    config.write_text(config.read_text() + "recall_tokens: 300\n")
    assert memgit(kb, "recall", "why does the mail relay retry", "--again", "--json").json["tokens"] <= 300
    config.write_text(config.read_text().replace("300", "many"))
    assert "recall_tokens" in memgit(kb, "recall", "mail", code=2).err


def test_recall_reads_standard_input(kb2: Path) -> None:
    assert "## Grid" in memgit(kb2, "recall", "-", stdin=b"lay out cards\nwith CSS\n").out


def test_a_session_that_cannot_be_kept_is_said_and_answered(kb2: Path) -> None:
    (kb2 / ".git/memgit").mkdir(exist_ok=True)
    (kb2 / ".git/memgit/sessions").write_text("in the way")
    answer = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s")
    assert "## Grid" in answer.out
    assert "memgit: this session cannot be kept" in answer.err


def test_a_keyword_counts_as_a_whole(kb2: Path) -> None:
    answer = memgit(kb2, "recall", "JavaScript modules", "--json").json
    assert loaded(answer) == []
    assert answer["suggestion"].startswith("no record is about this; memgit search -- ")


def test_plain_notes_are_recalled(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "notes")
    (tmp_path / "notes/tides.md").write_text("# Tides\n\nThe ebb.\n")
    run_git(tmp_path / "notes", "add", ".")
    run_git(tmp_path / "notes", "commit", "-q", "-m", "Notes")
    assert memgit(tmp_path / "notes", "recall", "the ebb's tide").out.startswith("## Tides\n(note/tides)\n")
    answer = memgit(tmp_path / "notes", "recall", "how deep is the harbour?")
    assert answer.out == ""
    command = answer.err.splitlines()[1].partition("; ")[2].partition(" looks closer")[0]
    assert shlex.split(command)[1:] == ["search", "--", "how deep is the harbour?"]


def test_a_named_skill_is_loaded_whatever_the_topic(kb2: Path) -> None:
    memgit(kb2, "recall", "cards with CSS", "--session", "s")
    answer = memgit(
        kb2, "recall", "cards with CSS", "--session", "s", "--skill", "webpack", "--skill", "vite", "--json"
    ).json
    assert (loaded(answer), answer["topic_switch"], answer["missing_skills"]) == (
        ["Loader order"],
        False,
        ["vite"],
    )
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


def test_a_person_is_shown_how_often_a_record_was_used(kb: Path) -> None:
    memgit(kb, "record", "skill", "Safe migration", "-m", "1. back up")
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/counted.md").write_text("---\ntitle: Counted\nusage_count: 0\n---\n\nx\n")
    run_git(kb, "add", ".")
    run_git(kb, "commit", "-q", "-m", "By hand")
    assert "usage_count" not in memgit(kb, "show", "safe-migration").out
    assert "\nusage_count: 0\n" in memgit(kb, "show", "counted").out
    for name in ("safe-migration", "safe-migration", "counted"):
        memgit(kb, "use", name)
    assert "\nusage_count: 2\n" in memgit(kb, "show", "safe-migration").out
    assert "\nusage_count: 1\n" in memgit(kb, "show", "counted").out
    memgit(kb, "update", "safe-migration", "--new-version", "-m", "2. check")
    assert "usage_count" not in memgit(kb, "show", "safe-migration").out
    assert "\nusage_count: 2\n" in memgit(kb, "show", "safe-migration@1").out


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
    lines = [
        json.dumps({"kind": "memory", "title": f"Fact number {n}", "topics": ["t"], "body": "Text."})
        for n in range(40)
    ]
    lines += [
        json.dumps({"kind": "observation", "title": f"Seen {n}", "body": "Word " * 20}) for n in range(7)
    ]
    lines += [
        json.dumps({"kind": "skill", "title": f"Skill {n}", "description": "What it does.", "body": "1. x"})
        for n in range(22)
    ]
    memgit(kb, "record", "--batch", "-", stdin="\n".join(lines).encode())
    memgit(kb, "use", "skill/skill-3")
    whole = memgit(kb, "context", "--json").json
    assert [
        len(whole[name]) for name in ("skills_inventory", "memories_inventory", "recent_observations")
    ] == [20, 30, 5]
    assert whole["left_out"] == {"skills_inventory": 2, "memories_inventory": 10, "recent_observations": 2}
    assert set(whole["skills_inventory"][0]) >= {
        "slug",
        "name",
        "version",
        "description",
        "usage_count",
        "last_used_at",
    }
    assert whole["memory_index"] is None
    small = memgit(kb, "context", "--max-tokens", "90", "--json").json
    assert small["tokens"] <= 90
    assert 0 < len(small["skills_inventory"]) < 20
    assert small["left_out"]["memories_inventory"] > 10
    assert "Left out:" in memgit(kb, "context", "--max-tokens", "60").out


def fill(kb: Path) -> None:
    """A repository with more than a context has room for: long words, lines and indexes, two scripts."""
    lines = [
        json.dumps({"kind": "memory", "title": f"Fact {n}", "topics": [f"t{n}", "事実 と 記憶"], "body": "x"})
        for n in range(35)
    ]
    lines += [
        json.dumps({"kind": "observation", "title": f"Seen {n}", "body": "Word " * 90 + "y" * 300})
        for n in range(6)
    ]
    lines += [
        json.dumps(
            {"kind": "skill", "title": f"Skill {n}", "description": "What it does, in short.", "body": "x"}
        )
        for n in range(22)
    ]
    memgit(kb, "record", "--batch", "-", stdin="\n".join(lines).encode())
    memgit(kb, "record", "decision", "One way", "-m", "x")
    for folder, words in (("memory", 40), ("decisions", 400)):
        path = kb / folder / "INDEX.md"
        path.write_text(
            path.read_text().replace(
                "<!-- memgit: generated", f"{'Said ' * words}\n\n<!-- memgit: generated", 1
            )
        )


def test_no_context_has_more_tokens_than_it_may(kb: Path) -> None:
    fill(kb)
    for as_json in ([], ["--json"]):
        answer = memgit(kb, "context", "--max-tokens", "1", *as_json, code=2)
        least = int(re.search(r"--max-tokens (\d+) or more", answer.err)[1])  # type: ignore[index]
        for limit in (
            least,
            least + 1,
            least + 9,
            60,
            75,
            99,
            150,
            222,
            333,
            500,
            750,
            1000,
            1500,
            3000,
            100_000,
        ):
            if limit < least:
                continue
            out = memgit(kb, "context", "--max-tokens", str(limit), *as_json).out
            assert limit / 2 < estimate(out) <= limit or 1600 < estimate(out) < limit
            assert ("Left out:" in out) if not as_json else json.loads(out)["tokens"] == estimate(out)
        assert "Said" in out and ("Skill 3" if as_json else "skill/skill-3@1") in out
    assert (
        "Left out: 22 skills, 35 memories, 6 recent observations"
        in memgit(kb, "context", "--max-tokens", "45").out
    )


def test_a_context_of_nothing(kb: Path) -> None:
    answer = memgit(kb, "context", "--max-tokens", "1")
    assert (answer.out, answer.err) == ("", "memgit: nothing is recorded yet\n")


def test_context_holds_what_people_wrote_in_the_index(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    path = kb / "memory/INDEX.md"
    path.write_text(
        path.read_text().replace("<!-- memgit: generated", "Read `one` first.\n\n<!-- memgit: generated", 1)
    )
    answer = memgit(kb, "context", "--json").json
    assert "Read `one` first." in answer["memory_index"]
    assert "generated" not in answer["memory_index"]
    assert answer["decisions_index"] is None


def test_the_keys_of_json_are_described(kb2: Path) -> None:
    for heading, command in (
        ("Recalling", ["recall", "CSS"]),
        ("The context", ["context"]),
        ("Searching", ["search", "Grid"]),
    ):
        assert keys("docs/json.md", heading) == set(memgit(kb2, *command, "--json").json)


def test_context_as_of_a_revision(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    memgit(kb, "record", "memory", "Two", "-m", "x")
    assert [
        item["title"] for item in memgit(kb, "context", "--at", "HEAD~1", "--json").json["memories_inventory"]
    ] == ["One"]


def test_recall_as_of_a_revision_is_no_turn_of_a_session(kb2: Path) -> None:
    before = run_git(kb2, "rev-parse", "HEAD")
    memgit(kb2, "record", "knowledge", "Flex", "--category", "web", "-m", "- one axis", "--keywords", "flex")
    sessions = kb2 / ".git/memgit/sessions"
    found = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--at", before, "--json").json
    assert (found["revision"], found["fresh"], loaded(found)) == (before, False, ["Grid"])
    assert not sessions.exists() and run_git(kb2, "for-each-ref", "refs/memgit") == ""
    now = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--json").json
    assert set(loaded(now)) == {"Grid", "Flex"}
    again = memgit(kb2, "recall", "lay out cards with CSS", "--session", "s1", "--at", "HEAD", "--json").json
    assert set(loaded(again)) == {"Grid", "Flex"}, "what the session has loaded does not count"
    memgit(kb2, "recall", "x", "--at", "none", code=2)


def test_context_names_decisions_in_force_categories_notes_and_observations_by_time(kb2: Path) -> None:
    memgit(kb2, "record", "decision", "Ledger in Postgres", "-m", "x", "--status", "accepted")
    memgit(kb2, "record", "decision", "Maybe later", "-m", "x")
    memgit(kb2, "record", "note", "Glossary", "-m", "x")
    for hour in range(8):
        name = f"{'qwertyzp'[hour]}bcdefghjk"
        path = kb2 / f"observations/2026/01/{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"---\nid: {name}\nat: 2026-01-02T{9 - hour:02}:00:00Z\n---\n\nseen at {9 - hour}\n")
    found = memgit(kb2, "context", "--json").json
    assert [item["title"] for item in found["decisions_in_force"]] == ["Ledger in Postgres"]
    assert [(item["address"], item["records"], item["keywords"]) for item in found["categories"]] == [
        ("knowledge/api", 1, ["Java", "http"]),
        ("knowledge/web", 1, ["CSS", "layout"]),
        ("experience/webpack", 1, ["loader"]),
    ]
    assert [item["title"] for item in found["notes"]] == ["Glossary"]
    assert [item["content"] for item in found["recent_observations"]] == [
        f"seen at {n}" for n in (9, 8, 7, 6, 5)
    ]
    assert found["health"] == "Records: 2 knowledge, 1 experience, 8 observation, 2 decision, 1 note."
    text = memgit(kb2, "context").out
    assert (
        "## Decisions in force\n\n- decision/" in text and "- knowledge/web: 1 record (CSS, layout)" in text
    )
    (kb2 / "memory").mkdir(exist_ok=True)
    (kb2 / "memory/bad.md").write_bytes(b"\xff\xfe\x00")
    assert "1 file cannot be read: memgit lint." in memgit(kb2, "context").out


def test_a_short_message_needs_one_word_of_a_title(kb: Path) -> None:
    memgit(kb, "record", "memory", "Quote rounding follows the currency", "-m", "Half a cent goes up.")
    memgit(kb, "record", "memory", "Berths are locked first", "-m", "Before a quote.")
    assert loaded(memgit(kb, "recall", "how is the price rounded?", "--json").json) == [
        "Quote rounding follows the currency"
    ]
