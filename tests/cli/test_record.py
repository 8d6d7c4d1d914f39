from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import count_commits, fsck, memgit, run_git, status


def test_knowledge_is_an_entry_in_the_file_of_its_category(kb: Path) -> None:
    answer = memgit(
        kb,
        "record",
        "knowledge",
        "Responsive grid without media queries",
        "--category",
        "frontend-dev",
        "--context",
        "Cards in a grid.",
        "--keywords",
        "css,grid",
        "-m",
        "- Use auto-fit\n- Use minmax",
        "--json",
    ).json
    record = answer["record"]
    assert answer["op"] == "record"
    assert answer["action"] == "created"
    assert answer["related"] == []
    assert answer["commit"] == run_git(kb, "rev-parse", "HEAD")
    assert record["address"] == "knowledge/frontend-dev#Responsive grid without media queries"
    assert record["path"] == "knowledge-base/frontend-dev.md"
    assert record["keywords"] == ["css", "grid"]
    assert record["source"] == "conversation"
    assert record["body"] == "- Use auto-fit\n- Use minmax"
    text = (kb / "knowledge-base/frontend-dev.md").read_text()
    assert text.startswith(
        f"## Responsive grid without media queries\n**Date:** {record['created']}\n**Source:** conversation\n"
    )
    assert "**Context:** Cards in a grid.\n**Best Practice:**\n- Use auto-fit\n- Use minmax\n" in text
    assert status(kb) == ""
    fsck(kb)


def test_the_commit_says_what_happened(kb: Path) -> None:
    answer = memgit(
        kb,
        "--actor",
        "claude-code",
        "--run",
        "5f2c",
        "record",
        "knowledge",
        "Retry only on timeouts",
        "--category",
        "api",
        "-m",
        "- Thrice",
        "--reason",
        "Seen twice.\nMemgit-Op: archive",
        "--json",
    ).json
    message = run_git(kb, "log", "-1", "--format=%B")
    id_ = answer["record"]["id"]
    assert message.split("\n\n") == [
        "record(knowledge): Retry only on timeouts",
        "Seen twice.\n Memgit-Op: archive",
        "Memgit-Op: record\n"
        f"Memgit-Record: create {id_} knowledge/api#Retry only on timeouts\n"
        "Memgit-Source: conversation\nMemgit-Actor: claude-code\nMemgit-Run: 5f2c\n",
    ]
    trailers = run_git(kb, "log", "-1", "--format=%(trailers:key=Memgit-Op,valueonly)")
    assert trailers.strip() == "record"


@pytest.mark.parametrize(
    ("args", "path", "address"),
    [
        (
            ("experience", "Loader order", "--skill", "webpack"),
            "experience/skill-webpack.md",
            "experience/webpack#Loader order",
        ),
        (
            ("skill", "Safe migration", "--description", "d"),
            "skills/safe-migration.md",
            "skill/safe-migration",
        ),
        (
            ("memory", "Friday CI", "--scope", "team/ci"),
            "memory/team/ci/friday-ci.md",
            "memory/team/ci/friday-ci",
        ),
        (
            ("decision", "One lock", "--date", "2026-03-02"),
            "decisions/20260302-one-lock.md",
            "decision/20260302-one-lock",
        ),
        (("note", "On tides", "--folder", "sea"), "notes/sea/on-tides.md", "note/notes/sea/on-tides"),
        (("knowledge/web", "By path"), "knowledge-base/web.md", "knowledge/web#By path"),
    ],
)
def test_every_kind_has_its_place(kb: Path, args: tuple[str, ...], path: str, address: str) -> None:
    record = memgit(kb, "record", *args, "-m", "Some text.", "--json").json["record"]
    assert (record["path"], record["address"]) == (path, address)
    assert (kb / path).is_file()
    assert memgit(kb, "show", address, "--json").json["id"] == record["id"]
    assert status(kb) == ""


def test_an_observation_lies_by_month_under_its_id(kb: Path) -> None:
    record = memgit(
        kb, "record", "observation", "The build is flaky", "--topics", "ci", "-m", "On Fridays.", "--json"
    ).json["record"]
    year, month = record["fields"]["at"][:7].split("-")
    assert record["path"] == f"observations/{year}/{month}/{record['id']}.md"
    assert record["address"] == f"observation/{record['id']}"


def test_a_related_record_is_linked_both_ways_in_the_same_commit(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "First", "--category", "web", "-m", "- a")
    before = count_commits(kb)
    answer = memgit(
        kb,
        "record",
        "knowledge",
        "Second",
        "--category",
        "web",
        "-m",
        "- b",
        "--related",
        "knowledge/web#First",
        "--json",
    ).json
    assert count_commits(kb) == before + 1
    assert answer["related"] == ["knowledge/web#First"]
    assert answer["record"]["related"] == ["web#First"]
    assert memgit(kb, "show", "knowledge/web#First", "--json").json["related"] == ["web#Second"]


def test_links_join_entries_and_documents(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "It is flaky.")
    answer = memgit(
        kb,
        "record",
        "experience",
        "Retry jobs",
        "--skill",
        "ci",
        "-m",
        "- twice",
        "--related",
        "friday-ci",
        "--json",
    ).json
    assert answer["record"]["related"] == ["friday-ci"]
    assert memgit(kb, "show", "memory/friday-ci", "--json").json["related"] == ["skill-ci#Retry jobs"]


def test_the_same_address_again_is_a_conflict_unless_upsert(kb: Path) -> None:
    memgit(kb, "record", "memory", "Friday CI", "-m", "One.")
    answer = memgit(kb, "record", "memory", "Friday CI", "-m", "Two.", code=1)
    assert "memory/friday-ci is there already" in answer.err
    assert "--upsert" in answer.err
    upserted = memgit(kb, "record", "memory", "Friday CI", "-m", "Two.", "--upsert", "--json").json
    assert upserted["action"] == "updated"
    assert upserted["record"]["body"] == "Two."
    before = count_commits(kb)
    again = memgit(kb, "record", "memory", "Friday CI", "-m", "Two.", "--upsert", "--json").json
    assert again["action"] == "no_op"
    assert again["commit"] is None
    assert again["record"]["id"] == upserted["record"]["id"]
    assert count_commits(kb) == before


def test_two_titles_of_one_slug_get_two_files(kb: Path) -> None:
    one = memgit(kb, "record", "memory", "C++ rules", "-m", "a", "--json").json["record"]
    two = memgit(kb, "record", "memory", "C: rules", "-m", "b", "--json").json["record"]
    assert one["path"] == "memory/c-rules.md"
    assert two["path"].startswith("memory/c-rules-")
    again = memgit(kb, "record", "memory", "C: rules", "-m", "b", "--upsert", "--json").json
    assert (again["action"], again["record"]["path"]) == ("no_op", two["path"])


def test_stage_leaves_the_commit_to_the_person(kb: Path) -> None:
    before = count_commits(kb)
    answer = memgit(kb, "record", "memory", "Friday CI", "-m", "One.", "--stage", "--json").json
    assert answer["staged"] is True
    assert answer["commit"] is None
    assert count_commits(kb) == before
    assert run_git(kb, "diff", "--cached", "--name-only").split() == [
        "INDEX.md",
        "memory/INDEX.md",
        "memory/friday-ci.md",
    ]
    assert run_git(kb, "diff", "--name-only") == ""


def test_a_batch_is_one_commit(kb: Path) -> None:
    lines = [
        json.dumps({"kind": "knowledge", "title": f"Title {n}", "category": "web", "body": f"- point {n}"})
        for n in range(20)
    ]
    lines += [
        json.dumps({"kind": "memory", "title": f"Fact {n}", "scope": "a", "topics": ["x"], "body": "Text."})
        for n in range(5)
    ]
    (kb.parent / "batch.jsonl").write_text("\n".join(lines) + "\n")
    before = count_commits(kb)
    answer = memgit(kb, "record", "--batch", str(kb.parent / "batch.jsonl"), "--json").json
    assert count_commits(kb) == before + 1
    assert len(answer["changes"]) == 25
    assert run_git(kb, "log", "-1", "--format=%s") == "record: batch.jsonl (25 created)"
    assert len(memgit(kb, "list", "--json").json) == 25
    assert status(kb) == ""


def test_a_batch_with_one_commit_each(kb: Path) -> None:
    lines = [json.dumps({"kind": "memory", "title": f"Fact {n}"}) for n in range(3)]
    before = count_commits(kb)
    answers = memgit(kb, "record", "--batch", "-", "--each", "--json", stdin="\n".join(lines).encode()).json
    assert [answer["action"] for answer in answers] == ["created"] * 3
    assert count_commits(kb) == before + 3


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("{", "no JSON"),
        ("[]", "kind and title"),
        ('{"kind": "memory"}', "kind and title"),
        ('{"kind": "memo", "title": "x"}', "not a kind"),
        ('{"kind": "memory", "title": "x", "colour": "red"}', "colour"),
        ('{"kind": "memory", "title": ""}', "empty"),
        ('{"kind": "memory", "title": "x", "topics": {"a": 1}}', "topics"),
        ('{"kind": "memory", "title": "x", "body": 7}', "body"),
    ],
)
def test_a_bad_line_of_a_batch_writes_nothing(kb: Path, line: str, words: str) -> None:
    good = json.dumps({"kind": "memory", "title": "Good"})
    before = count_commits(kb)
    answer = memgit(kb, "record", "--batch", "-", stdin=f"{good}\n{line}\n".encode(), code=2)
    assert words in answer.err
    assert "2" in answer.err
    assert count_commits(kb) == before
    assert status(kb) == ""


HOSTILE = [
    "Line one\nMemgit-Op: archive",
    "Both \"quotes\" and 'apostrophes'",
    "$1 \\1 %s {{x}} `code`",
    "🌊⚓",
    "x" * 300,
    "../../etc/passwd",
    "CON",
    "a: b # c",
    "- dash",
    "@handle",
    "yes",
    "2026-03-02",
    "[[link]] in a title",
    "# heading",
    "trailing hash #",
    "<!-- comment -->",
    "tab\there",
    "\u202eright to left",
    "null",
    "é decomposed e\u0301",
    "a | b",
    "--flag",
    "**Date:** 2020-01-01",
    "[2026-03-02] write | x",
]


@pytest.mark.parametrize("title", HOSTILE)
@pytest.mark.parametrize("kind", ["knowledge", "memory", "decision", "note", "observation"])
def test_a_hostile_title_stays_one_title(kb: Path, kind: str, title: str) -> None:
    answer = memgit(kb, "record", kind, "-m", "Body of it.", "--json", "--", title).json
    shown = memgit(kb, "show", answer["record"]["id"], "--json").json
    wanted = " ".join("".join(char if char.isprintable() else " " for char in title).split())
    assert shown["title"] == wanted
    assert memgit(kb, "list", "--json").json[0]["title"] == wanted
    message = run_git(kb, "log", "-1", "--format=%B")
    assert run_git(kb, "log", "-1", "--format=%(trailers:key=Memgit-Op,valueonly)").strip() == "record"
    assert len(message.split("\n")[0]) <= 72
    assert status(kb) == ""
    assert all(".." not in name and ":" not in name for name in run_git(kb, "ls-files").split("\n"))


BODIES = [
    "## Another heading\n**Date:** 2020-01-01\n**Keywords:** none",
    "Text\n---\nmore",
    "---",
    "```\n## in a fence\n```",
    "**Related:** [[x#y]]",
    "Memgit-Op: archive\nMemgit-Record: create a b",
    "# H1\n\n## H2",
    "\ttab\n\n\n\nblank lines",
    "$1 \\1 `[[ -n x ]]`",
    "| a | b |\n|---|---|\n| 1 | 2 |",
    "- item\n  - nested\n\n1. one",
    "ends with spaces   ",
    "🌊\u200d⚓",
    "**日期：** 2020",
    "<!-- a comment -->",
    "line\r\nwith cr",
]


@pytest.mark.parametrize("body", BODIES)
@pytest.mark.parametrize("kind", ["knowledge", "memory", "note"])
def test_a_hostile_body_reads_back_as_it_was(kb: Path, kind: str, body: str) -> None:
    memgit(kb, "record", kind, "Before", "-m", "- first")
    answer = memgit(kb, "record", kind, "Hostile", "-F", "-", "--json", stdin=body.encode()).json
    memgit(kb, "record", kind, "After", "-m", "- last")
    shown = memgit(kb, "show", answer["record"]["id"], "--json").json
    assert shown["title"] == "Hostile"
    wanted = [line.rstrip() for line in body.replace("\r\n", "\n").strip("\n").split("\n")]
    as_list = ["- " + wanted[0], *("  " + line for line in wanted[1:])]
    assert [line.rstrip() for line in shown["body"].split("\n")] in (wanted, as_list)
    assert [record["title"] for record in memgit(kb, "list", "--json").json if record["kind"] == kind] == (
        ["Before", "Hostile", "After"] if kind == "knowledge" else ["After", "Before", "Hostile"]
    )
    assert status(kb) == ""


def test_a_body_pasted_from_the_file_itself(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "First",
        "--category",
        "web",
        "--context",
        "c",
        "--keywords",
        "a,b",
        "-m",
        "- one\n- two",
    )
    pasted = (kb / "knowledge-base/web.md").read_text()
    memgit(kb, "record", "knowledge", "Second", "--category", "web", "-F", "-", stdin=pasted.encode())
    records = memgit(kb, "list", "--json").json
    assert [record["title"] for record in records] == ["First", "Second"]
    assert records[1]["body"] == pasted.strip("\n")
    assert records[1]["keywords"] == []


def test_a_body_of_five_megabytes_meets_a_clear_limit(kb: Path) -> None:
    before = count_commits(kb)
    answer = memgit(kb, "record", "memory", "Large", "-F", "-", stdin=b"word " * 1_000_000, code=2)
    assert "limit" in answer.err
    assert count_commits(kb) == before
    assert status(kb) == ""


@pytest.mark.parametrize(
    ("args", "words"),
    [
        (("record",), "KIND and a TITLE"),
        (("record", "memo", "x"), "not a kind"),
        (("record", "memory", " \n "), "empty"),
        (("record", "experience", "x"), "--skill"),
        (("record", "memory", "x", "--category", "y"), "--category belongs"),
        (("record", "memory", "x", "--status", "accepted"), "no field 'status'"),
        (("record", "decision", "x", "--status", "maybe"), "not a status"),
        (("record", "memory", "x", "--date", "2026-02-30"), "not a date"),
        (("record", "knowledge", "x", "--category", "../up"), "cannot be a category"),
        (("record", "knowledge", "x", "--category", "con"), "cannot be a category"),
        (("record", "memory", "x", "--scope", "/abs"), "cannot be a scope"),
        (("record", "memory", "x", "--slug", "a/b/../c"), "cannot be a file name"),
        (("record", "memory", "x", "--related", "nothing/like-it"), "no record answers"),
        (("record", "memory", "x", "-m", "a", "-F", "b"), "exclude each other"),
        (("record", "memory", "x", "-F", "absent.txt"), "no such file"),
        (("record", "memory", "x", "--similar", "ask"), "terminal"),
        (("record", "knowledge", "x", "-m", "```\nnever closed"), "fence"),
    ],
)
def test_wrong_usage_writes_nothing(kb: Path, args: tuple[str, ...], words: str) -> None:
    memgit(kb, "record", "memory", "Something else", "-m", "x x x")
    before = count_commits(kb)
    assert words in memgit(kb, *args, code=2).err
    assert count_commits(kb) == before
    assert status(kb) == ""


def test_close_records(kb: Path) -> None:
    words = ("--keywords", "retry,timeout,backoff")
    memgit(
        kb,
        "record",
        "knowledge",
        "Retry with backoff",
        "--category",
        "api",
        *words,
        "-m",
        "- Retry a timeout with backoff",
    )
    refused = memgit(
        kb,
        "record",
        "knowledge",
        "Back off",
        "--category",
        "net",
        *words,
        "-m",
        "- wait",
        "--similar",
        "fail",
        code=1,
    )
    assert "knowledge/api#Retry with backoff (70%)" in refused.err
    extended = memgit(
        kb,
        "record",
        "knowledge",
        "Back off",
        "--category",
        "net",
        *words,
        "-m",
        "- wait",
        "--similar",
        "extend",
        "--json",
    ).json
    assert (extended["action"], extended["record"]["address"]) == (
        "extended",
        "knowledge/api#Retry with backoff",
    )
    assert "- wait" in extended["record"]["body"]
    updated = memgit(
        kb,
        "record",
        "knowledge",
        "Back off",
        "--category",
        "net",
        *words,
        "-m",
        "- new",
        "--similar",
        "update",
        "--json",
    ).json
    assert (updated["action"], updated["record"]["body"]) == ("updated", "- new")
    created = memgit(
        kb,
        "record",
        "knowledge",
        "Back off",
        "--category",
        "net",
        *words,
        "-m",
        "- other",
        "--similar",
        "create",
        "--json",
    ).json
    assert created["action"] == "created"
    far = memgit(
        kb,
        "record",
        "knowledge",
        "Tides",
        "--category",
        "sea",
        "--keywords",
        "tide",
        "-m",
        "- x",
        "--similar",
        "fail",
        "--json",
    ).json
    assert far["action"] == "created"


def test_a_category_is_found_by_its_keywords(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Grid",
        "--category",
        "web",
        "--category-name",
        "Web & Layout",
        "--category-keywords",
        "css, html",
        "-m",
        "- x",
    )
    record = memgit(kb, "record", "knowledge", "Flex", "--keywords", "CSS", "-m", "- y", "--json").json[
        "record"
    ]
    assert record["address"] == "knowledge/web#Flex"
    text = (kb / "knowledge-base/web.md").read_text()
    assert text.startswith("---\nname: ")
    assert "css" in text.split("---")[1]
    assert (
        memgit(kb, "record", "knowledge", "Else", "-m", "- z", "--json").json["record"]["address"]
        == "knowledge/general#Else"
    )


def test_a_category_of_another_case_is_the_same(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "One", "--category", "web", "-m", "- x")
    assert (
        memgit(kb, "record", "knowledge", "Two", "--category", "Web", "-m", "- y", "--json").json["record"][
            "path"
        ]
        == "knowledge-base/web.md"
    )


@pytest.mark.parametrize("group", ["shell", "git"])
def test_one_shared_keyword_never_makes_an_update(kb: Path, group: str) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Colour matches",
        "--category",
        "shell",
        "--keywords",
        "grep",
        "-m",
        "- set it",
    )
    title = "List files that do not contain a pattern"
    text = ("-m", "- Use -L to print the names.", "--similar", "update", "--json")
    done = memgit(kb, "record", "knowledge", title, "--category", group, "--keywords", "grep", *text)
    assert (done.json["action"], done.json["close"], done.err) == ("created", [], "")


def test_a_close_record_is_named_when_nobody_is_asked(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "memory",
        "Deploy freeze on Friday",
        "-m",
        "No deploy after noon on Friday: nobody watches.",
    )
    text = ("-m", "Nobody watches a deploy after Friday noon, so there is a freeze.", "--json")
    done = memgit(kb, "record", "memory", "Freeze of deploys on Fridays", *text)
    (close,) = done.json["close"]
    assert (close["address"], close["path"]) == (
        "memory/deploy-freeze-on-friday",
        "memory/deploy-freeze-on-friday.md",
    )
    assert "memory/deploy-freeze-on-friday.md:1) is about the same matter" in done.err
    assert done.json["action"] == "created" and done.json["close"][0]["advice"] in ("update", "extend")
    far = memgit(
        kb, "record", "memory", "Tides of the harbour", "-m", "High water comes twice a day.", "--json"
    )
    assert (far.json["close"], far.err) == ([], "")
