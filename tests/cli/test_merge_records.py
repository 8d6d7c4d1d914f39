"""Merging duplicates in every layout: what is kept, what stays behind, and that all of it can be taken back."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.support import Prepared, count_commits, fsck, memgit, run_git, status

ENTRY = "## {}\n**Date:** 2024-03-0{}\n**Best Practice:**\n{}\n**Related:**{}\n**Keywords:** {}\n\n"


@pytest.fixture
def twins(prepared: Prepared) -> Path:
    """Two entries that say one thing, an entry and a memory that are linked with the second one."""
    return prepared("kb", make_twins)


def make_twins(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Quote expansions",
        "--category",
        "shell",
        "-m",
        '- Write "$x".',
        "--keywords",
        "shell, Quote",
    )
    memgit(
        kb,
        "record",
        "knowledge",
        "Always quote",
        "--category",
        "bash",
        "-m",
        '- Write "$x".\n- And "$@".',
        "--keywords",
        "quote, args",
    )
    memgit(
        kb,
        "record",
        "knowledge",
        "Use arrays",
        "--category",
        "bash",
        "-m",
        "- After [[#Always quote]].",
        "--related",
        "Always quote",
    )
    memgit(
        kb,
        "record",
        "memory",
        "Shell habits",
        "-m",
        "See [[bash#Always quote|quoting]] and `[[bash#Always quote]]`.",
    )


def shown(folder: Path, name: str) -> Any:
    return memgit(folder, "show", name, "--json").json


def test_the_kept_record_has_what_both_had(twins: Path) -> None:
    before = shown(twins, "Quote expansions")
    answer = memgit(
        twins, "merge-records", "Quote expansions", "Always quote", "--reason", "one rule", "--json"
    ).json
    assert (answer["op"], answer["action"]) == ("merge", "merged")
    assert [(change["action"], change["address"]) for change in answer["changes"]] == [
        ("extend", "knowledge/shell#Quote expansions"),
        ("archive", "knowledge/bash#Always quote"),
        ("update", "knowledge/bash#Use arrays"),
        ("update", "memory/shell-habits"),
    ]
    kept = shown(twins, "Quote expansions")
    assert kept["body"] == '- Write "$x".\n- And "$@".'
    assert kept["keywords"] == ["shell", "Quote", "args"]
    assert kept["related"] == ["bash#Use arrays"]
    assert (kept["id"], kept["created"], kept["source"]) == (
        before["id"],
        before["created"],
        before["source"],
    )
    assert status(twins) == ""
    fsck(twins)
    assert memgit(twins, "rebuild", "--check", "--json").json["differences"] == []


def test_every_link_leads_to_the_kept_record(twins: Path) -> None:
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    assert shown(twins, "Use arrays")["body"] == "- After [[shell#Quote expansions]]."
    assert shown(twins, "Use arrays")["related"] == ["shell#Quote expansions"]
    assert (
        shown(twins, "Shell habits")["body"]
        == "See [[shell#Quote expansions|quoting]] and `[[bash#Always quote]]`."
    )
    found = memgit(twins, "lint", "--json", "--select", "MG2", code=None).json["findings"]
    assert [finding for finding in found if finding["severity"] != "info" or finding["fixable"]] == []


def test_the_other_record_stays_and_names_the_kept_one(twins: Path) -> None:
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    kept, other = shown(twins, "Quote expansions"), shown(twins, "Always quote")
    assert other["archived"] and other["fields"]["merged_into"] == kept["id"]
    assert other["body"] == '- Write "$x".\n- And "$@".'
    assert f"**Merged into:** {kept['id']}\n" in (twins / "knowledge-base/bash.md").read_text()
    assert "Always quote" not in memgit(twins, "list").out
    assert "Always quote" not in memgit(twins, "search", "args").out


def test_the_commit_tells_what_was_merged(twins: Path) -> None:
    before = count_commits(twins)
    memgit(twins, "merge-records", "Quote expansions", "Always quote", "--reason", "one rule")
    assert count_commits(twins) == before + 1
    message = run_git(twins, "log", "-1", "--format=%B")
    kept, other = shown(twins, "Quote expansions"), shown(twins, "Always quote")
    assert message.startswith("merge(knowledge): Quote expansions\n\none rule\n\nMemgit-Op: merge\n")
    assert f"Memgit-Record: extend {kept['id']} knowledge/shell#Quote expansions\n" in message
    assert f"Memgit-Record: archive {other['id']} knowledge/bash#Always quote\n" in message
    assert "Memgit-Derived-From: knowledge/bash#Always quote" in message
    assert (
        memgit(twins, "log", "--op", "merge", "--json").json[0]["subject"]
        == "merge(knowledge): Quote expansions"
    )


def test_history_and_uses_follow_both(twins: Path) -> None:
    for name, times in (("Quote expansions", 1), ("Always quote", 2), ("Use arrays", 4)):
        for _ in range(times):
            memgit(twins, "use", name)
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    told = memgit(twins, "history", "Quote expansions", "--json").json
    assert [event["subject"] for event in told] == [
        "merge(knowledge): Quote expansions",
        "record(knowledge): Use arrays",
        "record(knowledge): Always quote",
        "record(knowledge): Quote expansions",
    ]
    assert {change["address"] for change in told[0]["records"]} == {
        "knowledge/shell#Quote expansions",
        "knowledge/bash#Always quote",
    }
    assert [event["subject"] for event in memgit(twins, "history", "Always quote", "--json").json][1:] == [
        "record(knowledge): Use arrays",
        "record(knowledge): Always quote",
    ]
    assert shown(twins, "Quote expansions")["usage_count"] == 3
    assert shown(twins, "Always quote")["usage_count"] == 2
    listed = {record["title"]: record["usage_count"] for record in memgit(twins, "list", "--json").json}
    assert listed == {"Quote expansions": 3, "Use arrays": 4, "Shell habits": 0}
    memgit(twins, "rename", "Quote expansions", "Quote all", "--to", "posix")
    assert shown(twins, "Quote all")["usage_count"] == 3


def test_merges_follow_one_another(twins: Path) -> None:
    memgit(twins, "use", "Always quote")
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    memgit(twins, "merge-records", "Use arrays", "Quote expansions")
    assert shown(twins, "Use arrays")["usage_count"] == 1
    assert "record(knowledge): Always quote" in memgit(twins, "history", "Use arrays").out
    assert shown(twins, "Use arrays")["related"] == []
    assert shown(twins, "Shell habits")["body"].startswith("See [[bash#Use arrays|quoting]]")


def test_undo_takes_all_of_it_back(twins: Path) -> None:
    tree = run_git(twins, "rev-parse", "HEAD^{tree}")
    memgit(twins, "merge-records", "Quote expansions", "Always quote", "Use arrays")
    memgit(twins, "undo")
    assert run_git(twins, "rev-parse", "HEAD^{tree}") == tree
    assert status(twins) == ""


def test_restore_brings_the_other_back_and_its_uses_with_it(twins: Path) -> None:
    memgit(twins, "use", "Always quote")
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    memgit(twins, "restore", "Always quote")
    other = shown(twins, "Always quote")
    assert other["archived"] is None and "merged_into" not in other["fields"]
    assert (other["usage_count"], shown(twins, "Quote expansions")["usage_count"]) == (1, 0)
    assert "And" in shown(twins, "Quote expansions")["body"]


def test_a_text_of_ones_own_stands_in_place_of_all(twins: Path) -> None:
    memgit(twins, "merge-records", "Quote expansions", "Always quote", "-m", "- Quote everything.")
    assert shown(twins, "Quote expansions")["body"] == "- Quote everything."
    assert shown(twins, "Quote expansions")["keywords"] == ["shell", "Quote", "args"]
    memgit(twins, "undo")
    memgit(twins, "merge-records", "Quote expansions", "Always quote", "-F", "-", stdin=b"- From a pipe.\n")
    assert shown(twins, "Quote expansions")["body"] == "- From a pipe."


def test_a_dry_run_refuses_the_credential_that_the_run_would_refuse(twins: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    for args in (("-m", f"Use {token}."), ("--reason", f"as {token} says")):
        call = ("merge-records", "Quote expansions", "Always quote", *args)
        wet, dry = memgit(twins, *call, code=3), memgit(twins, *call, "--dry-run", code=3)
        assert dry == wet and "not written" in dry.err
        told, done = memgit(twins, *call, "--redact", "--dry-run"), memgit(twins, *call, "--redact")
        assert [line for line in told.err.splitlines() if "redact" in line] == [
            line for line in done.err.splitlines() if "redact" in line
        ]
        assert token not in run_git(twins, "log", "-p", "-1")
        memgit(twins, "undo")


def test_a_dry_run_writes_nothing(twins: Path) -> None:
    before = run_git(twins, "rev-parse", "HEAD")
    assert memgit(twins, "merge-records", "Quote expansions", "Always quote", "--dry-run").out == (
        "would be extended: knowledge/shell#Quote expansions\nwould be archived: "
        "knowledge/bash#Always quote\n"
        "would be updated: knowledge/bash#Use arrays\nwould be updated: memory/shell-habits\n"
    )
    answer = memgit(twins, "merge-records", "Quote expansions", "Always quote", "--dry-run", "--json").json
    assert (answer["action"], answer["commit"]) == ("dry_run", None)
    assert answer["record"]["body"] == '- Write "$x".\n- And "$@".'
    assert (run_git(twins, "rev-parse", "HEAD"), status(twins)) == (before, "")


def test_edits_that_are_not_committed_stay_so(twins: Path) -> None:
    path = twins / "memory/shell-habits.md"
    path.write_text(path.read_text() + "\nA line by hand.\n")
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    assert "A line by hand." in path.read_text() and "[[shell#Quote expansions|quoting]]" in path.read_text()
    assert "A line by hand." not in run_git(twins, "show", "HEAD:memory/shell-habits.md")
    assert status(twins) == " M memory/shell-habits.md"


def test_staging_commits_nothing(twins: Path) -> None:
    before = count_commits(twins)
    assert memgit(twins, "merge-records", "Quote expansions", "Always quote", "--stage", "--json").json[
        "staged"
    ]
    assert count_commits(twins) == before
    assert "M  knowledge-base/bash.md" in status(twins)


@pytest.mark.parametrize(
    ("keep", "others", "code", "words"),
    [
        ("Quote expansions", ("Quote expansions",), 2, "cannot be merged into itself"),
        ("Quote expansions", ("Always quote", "Quote expansions"), 2, "cannot be merged into itself"),
        ("Quote expansions", ("Shell habits",), 2, "is of another kind"),
        ("Quote expansions", ("nowhere",), 2, "no record answers to"),
        ("Quote expansions", ("Seen",), 3, "never edited"),
        ("Seen", ("Quote expansions",), 3, "never edited"),
        ("Quote expansions", (), 2, "Missing argument"),
    ],
)
def test_what_cannot_be_merged_is_said(
    twins: Path, keep: str, others: tuple[str, ...], code: int, words: str
) -> None:
    memgit(twins, "record", "observation", "Seen", "-m", "Unquoted names broke the job.")
    before = run_git(twins, "rev-parse", "HEAD")
    assert words in memgit(twins, "merge-records", keep, *others, code=code).err
    assert run_git(twins, "rev-parse", "HEAD") == before


def test_no_merge_goes_in_a_circle(twins: Path) -> None:
    memgit(twins, "merge-records", "Quote expansions", "Always quote")
    into = shown(twins, "Quote expansions")["id"]
    assert (
        f"is archived: it was merged into {into}"
        in memgit(twins, "merge-records", "Always quote", "Quote expansions", code=3).err
    )
    assert "is archived" in memgit(twins, "merge-records", "Use arrays", "Always quote", code=3).err


def test_a_circle_made_by_hand_is_read_all_the_same(twins: Path) -> None:
    one, two = shown(twins, "Quote expansions")["id"], shown(twins, "Always quote")["id"]
    for name, title, into in (("shell", "Quote expansions", two), ("bash", "Always quote", one)):
        path = twins / f"knowledge-base/{name}.md"
        path.write_text(
            path.read_text().replace(
                "**Id:**", f"**Archived:** 2024-01-01\n**Merged into:** {into}\n**Id:**", 1
            )
        )
        assert title in path.read_text()
    memgit(twins, "commit")
    memgit(twins, "use", "Use arrays")
    assert shown(twins, "Quote expansions")["usage_count"] == 0
    assert "Always quote" in memgit(twins, "history", "Quote expansions").out


def test_documents_take_over_text_under_headings(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "memory",
        "Friday CI",
        "-m",
        "Builds stop at noon.\n\n## Why\n\nNobody watches.",
        "--topics",
        "ci",
        "--tags",
        "A",
    )
    memgit(
        kb,
        "record",
        "memory",
        "CI on Fridays",
        "--similar",
        "create",
        "-m",
        "# Rule\n\nNone after twelve.\n\n```\n# no heading\n```",
        "--topics",
        "ci,team",
        "--summary",
        "no Friday merges",
        "--source",
        "url:https://example.org/ci",
    )
    memgit(kb, "record", "memory", "Friday builds", "--similar", "create", "-m", "Builds stop at noon.")
    memgit(kb, "merge-records", "friday-ci", "ci-on-fridays", "friday-builds")
    kept = shown(kb, "friday-ci")
    head, _, section = kept["body"].partition("\n\n## Extension (")
    assert head == "Builds stop at noon.\n\n## Why\n\nNobody watches."
    assert section.partition(")\n\n")[2] == (
        "### CI on Fridays\n\n#### Rule\n\nNone after twelve.\n\n```\n# no heading\n```"
    )
    assert (kept["topics"], kept["fields"]["summary"]) == (["ci", "team"], "no Friday merges")
    assert shown(kb, "friday-builds")["fields"]["merged_into"] == kept["id"]
    assert f"merged_into: {kept['id']}" in (kb / "memory/ci-on-fridays.md").read_text().replace('"', "")
    memgit(kb, "undo")
    assert shown(kb, "friday-ci")["body"] == head


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_entries_of_one_file_by_hand(repo: Path, newline: str) -> None:
    """Without ids, with an odd title, in one file, some of it with a byte order mark and CRLF."""
    text = (
        ENTRY.format("Retry (only) timeouts — `GET`", 1, "- Back off", "", "http, retry")
        + ENTRY.format(
            "When to ask 👩‍🚀 again: 50% | or not?",
            2,
            "Text.\n\n```\n## no heading\n```",
            " [[http#Pause]]",
            "HTTP, jitter",
        )
        + ENTRY.format("Pause", 3, "- Double it", " [[http#Retry (only) timeouts — `GET`]]", "http")
    )
    path = repo / "knowledge-base/http.md"
    path.parent.mkdir()
    (repo / "experience").mkdir()
    path.write_bytes(("\ufeff" + text).replace("\n", newline).encode())
    (repo / "knowledge-base/_index.json").write_text('{"version": "1.1.0", "categories": []}\n')
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "by hand")
    memgit(
        repo,
        "merge-records",
        "knowledge/http#Retry (only) timeouts — `GET`",
        "knowledge/http#When to ask 👩‍🚀 again: 50% | or not?",
    )
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf## Retry") and (b"\r\n" in data) == (newline == "\r\n")
    assert data.count(b"\n") == data.count(newline.encode())
    kept = shown(repo, "knowledge/http#Retry (only) timeouts — `GET`")
    assert kept["body"].startswith("- Back off\n\n### Extension (") and "## no heading" in kept["body"]
    assert "#### When to ask 👩‍🚀 again: 50% | or not?" in kept["body"]
    assert (kept["keywords"], kept["related"]) == (["http", "retry", "jitter"], ["http#Pause"])
    assert status(repo) == ""
    memgit(repo, "undo")
    assert [record["archived"] for record in memgit(repo, "list", "--archived", "--json").json] == [None] * 3


def test_real_entries_are_merged(workspace: Callable[[str], Path]) -> None:
    folder = workspace("mem-skill-1.2")
    records = memgit(folder, "list", "knowledge", "--json").json
    one, two = [
        record["address"] for record in records if record["address"].startswith("knowledge/workflow#")
    ][:2]
    broken = len(memgit(folder, "lint", "--select", "MG201", "--json", code=None).json["findings"])
    memgit(folder, "merge-records", one, two)
    assert shown(folder, two)["fields"]["merged_into"] == shown(folder, one)["id"]
    assert len(memgit(folder, "lint", "--select", "MG201", "--json", code=None).json["findings"]) <= broken
    assert memgit(folder, "rebuild", "--check", "--json").json["differences"] == []
    memgit(folder, "undo")
    assert {record["address"] for record in memgit(folder, "list", "knowledge", "--json").json} == {
        record["address"] for record in records
    }


def test_a_vault_keeps_a_tombstone_as_its_tools_write_it(workspace: Callable[[str], Path]) -> None:
    folder = workspace("vault")
    records = {record["address"]: record for record in memgit(folder, "list", "--json").json}
    counted = sorted(records, key=lambda address: -records[address]["usage_count"])
    one, two = counted[0], counted[1]
    total = records[one]["usage_count"] + records[two]["usage_count"]
    memgit(folder, "merge-records", one, two)
    kept, other = shown(folder, one), shown(folder, two)
    text = (folder / other["path"]).read_text()
    assert (
        "status: tombstoned" in text
        and f'tombstone_reason: "merged_into:{kept["id"]}"' in text
        and "tombstoned_at:" in text
    )
    assert "merged_into:" not in text.replace("merged_into:" + kept["id"], "")
    assert (other["fields"]["merged_into"], kept["usage_count"]) == (kept["id"], total)
    memgit(folder, "restore", two)
    text = (folder / other["path"]).read_text()
    assert "tombstone" not in text
    memgit(folder, "undo")
    memgit(folder, "undo", "HEAD~2")
    assert {
        address for address, record in records.items() if shown(folder, address)["body"] != record["body"]
    } == set()


@pytest.mark.parametrize("kind", ["memory", "decision"])
def test_records_of_a_mirror_are_merged(workspace: Callable[[str], Path], kind: str) -> None:
    folder = workspace("mnema")
    one, two = [record["address"] for record in memgit(folder, "list", kind, "--json").json][:2]
    before = shown(folder, two)
    memgit(folder, "merge-records", one, two)
    kept, other = shown(folder, one), shown(folder, two)
    assert other["archived"] and other["fields"]["merged_into"] == kept["id"]
    assert other["body"] == before["body"]
    assert before["title"] in kept["body"]
    memgit(folder, "undo")
    assert shown(folder, two)["body"] == before["body"] and not shown(folder, two)["archived"]


@pytest.mark.parametrize(
    "order", [("web#Alpha", "shell#Alpha"), ("shell#Alpha", "web#Alpha")], ids=["first", "second"]
)
def test_a_copy_is_taken_out_and_not_archived(kb: Path, order: tuple[str, str]) -> None:
    """Two records of one id are one, of which a merge of branches has left two: nothing is counted twice,
    nothing is lost.
    """
    memgit(kb, "record", "knowledge", "Alpha", "--category", "web", "-m", "- one")
    memgit(kb, "record", "knowledge", "Last", "--category", "web", "-m", "- last", "--related", "web#Alpha")
    memgit(kb, "record", "knowledge", "Tools", "--category", "shell", "-m", "- x")
    web, shell = kb / "knowledge-base/web.md", kb / "knowledge-base/shell.md"
    section = web.read_text().partition("\n## Last")[0]
    shell.write_text(section.replace("- one", "- one\n- two").strip() + "\n\n" + shell.read_text())
    memgit(kb, "rebuild")
    run_git(kb, "commit", "-qnam", "copied by hand")
    id_ = memgit(kb, "show", "web#Alpha", "--json").json["id"]
    done = memgit(kb, "merge-records", *order)
    assert f"took out knowledge/{order[1]}, a copy of it" in done.out
    rows = {row["address"]: row for row in memgit(kb, "list", "--archived", "--json").json}
    assert set(rows) == {f"knowledge/{order[0]}", "knowledge/web#Last", "knowledge/shell#Tools"}
    kept = rows[f"knowledge/{order[0]}"]
    assert (kept["id"], "- one" in kept["body"], "- two" in kept["body"]) == (id_, True, True)
    assert rows["knowledge/web#Last"]["related"] == [order[0]]
    assert memgit(kb, "lint", "--select", "MG0,MG2,MG4", "--json").json["findings"] == []
    assert memgit(kb, "rebuild", "--check").code == 0 and status(kb) == ""
    assert f"Memgit-Record: rename {id_} knowledge/{order[0]} <- knowledge/{order[1]}" in run_git(
        kb, "log", "-1", "--format=%B"
    )
    memgit(kb, "merge-records", *order, code=2)
