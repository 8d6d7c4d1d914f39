"""show, list, history, blame, diff, log and the shapes of their JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from memgit.derive import vault
from memgit.derive.view import View
from tests.support import memgit, run_git, status

RECORD_KEYS = {
    "id",
    "kind",
    "address",
    "title",
    "path",
    "line",
    "fields",
    "body",
    "created",
    "updated",
    "source",
    "keywords",
    "topics",
    "related",
    "derived_from",
    "archived",
    "version",
    "usage_count",
}
EVENT_KEYS = {"commit", "date", "op", "subject", "author", "actor", "run", "reason", "source", "records"}


def test_json_shapes(kb: Path) -> None:
    memgit(kb, "--actor", "bot", "--run", "r1", "record", "memory", "One", "-m", "x", "--reason", "why")
    shown = memgit(kb, "show", "memory/one", "--json").json
    assert set(shown) >= RECORD_KEYS
    assert set(memgit(kb, "list", "--json").json[0]) >= RECORD_KEYS
    event = memgit(kb, "log", "--json").json[0]
    assert set(event) >= EVENT_KEYS
    assert (event["op"], event["actor"], event["run"], event["reason"], event["source"]) == (
        "record",
        "bot",
        "r1",
        "why",
        "conversation",
    )
    assert event["author"] == "Ada Moss <ada@example.org>"
    assert event["records"] == [{"action": "create", "id": shown["id"], "address": "memory/one", "was": None}]
    assert memgit(kb, "history", "memory/one", "--json").json == [event]


@pytest.mark.parametrize(
    "name",
    [
        "memory/team/friday-ci",
        "team/friday-ci",
        "friday-ci",
        "[[friday-ci]]",
        "[[memory/team/friday-ci|x]]",
        "Friday CI",
    ],
)
def test_every_way_to_name_a_record(kb: Path, name: str) -> None:
    id_ = memgit(kb, "record", "memory", "Friday CI", "--scope", "team", "-m", "x", "--json").json["record"][
        "id"
    ]
    assert memgit(kb, "show", name, "--json").json["id"] == id_
    assert memgit(kb, "show", id_, "--json").json["id"] == id_


def test_an_ambiguous_ending_names_all(kb: Path) -> None:
    for scope in ("north", "south"):
        memgit(kb, "record", "memory", "Notes", "--scope", scope, "-m", "x")
    answer = memgit(kb, "show", "notes", code=2)
    assert "memory/north/notes" in answer.err
    assert "memory/south/notes" in answer.err


def test_reading_counts_uncommitted_edits_in(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "committed")
    path = kb / "memory/one.md"
    path.write_text(path.read_text().replace("committed", "edited"))
    (kb / "memory/two.md").write_text("---\ntitle: Two\n---\ntext\n")
    assert memgit(kb, "show", "memory/one", "--json").json["body"] == "edited"
    assert memgit(kb, "show", "memory/one", "--at", "HEAD", "--json").json["body"] == "committed"
    assert [record["title"] for record in memgit(kb, "list", "--json").json] == ["One", "Two"]
    assert [record["title"] for record in memgit(kb, "list", "--at", "HEAD", "--json").json] == ["One"]
    path.unlink()
    assert [record["title"] for record in memgit(kb, "list", "--json").json] == ["Two"]
    assert "no record" in memgit(kb, "show", "memory/one", code=2).err


def test_list_filters(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "--keywords", "css", "-m", "- x")
    memgit(kb, "record", "knowledge", "B", "--category", "api", "-m", "- x")
    memgit(kb, "record", "experience", "C", "--skill", "webpack", "-m", "- x")
    memgit(kb, "record", "memory", "D", "--scope", "team/ci", "--topics", "ci/nightly", "-m", "x")
    memgit(kb, "record", "decision", "E", "--status", "accepted", "-m", "x")

    def titles(*args: str) -> list[str]:
        return [record["title"] for record in memgit(kb, "list", *args, "--json").json]

    assert titles("--kind", "knowledge") == ["B", "A"]
    assert titles("knowledge") == ["B", "A"]
    assert titles("--category", "web") == ["A"]
    assert titles("--skill", "webpack") == ["C"]
    assert titles("--scope", "team") == ["D"]
    assert titles("--topic", "ci") == ["D"]
    assert titles("--keyword", "CSS") == ["A"]
    assert titles("--status", "accepted") == ["E"]
    assert len(titles("-n", "2")) == 2
    assert "not a kind" in memgit(kb, "list", "--kind", "memo", code=2).err


def test_a_broken_file_is_named_and_the_rest_still_works(kb: Path) -> None:
    memgit(kb, "record", "memory", "Good", "-m", "x")
    (kb / "memory/bad.md").write_text("---\ntitle: A: b\n---\ntext\n")
    (kb / "memory/nul.md").write_bytes(b"---\ntitle: n\n---\n\0\n")
    answer = memgit(kb, "list")
    assert "memory/good" in answer.out
    assert "memory/bad.md:2" in answer.err
    assert "memory/nul.md:4" in answer.err
    assert "memory/bad" in answer.out
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "broken", "--no-verify")
    assert "memory/bad.md:2" in memgit(kb, "update", "memory/bad", "-m", "y", code=3).err


def test_control_characters_never_reach_the_terminal(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/evil.md").write_text("---\ntitle: evil\n---\n\x1b[31mred\x1b[0m \x07 \u202e\n")
    answer = memgit(kb, "show", "memory/evil")
    assert "\x1b" not in answer.out
    assert "\x07" not in answer.out
    assert "\\x1b[31mred" in answer.out


def test_blame_names_commit_and_agent(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- one\n- two")
    memgit(kb, "--actor", "bot", "update", "web#A", "-m", "- one\n- three")
    lines = memgit(kb, "blame", "web#A", "--json").json
    by_text = {line["text"]: line for line in lines}
    assert by_text["- three"]["actor"] == "bot"
    assert by_text["- three"]["op"] == "update"
    assert by_text["- one"]["op"] == "record"
    path = kb / "knowledge-base/web.md"
    path.write_text(path.read_text().replace("- one", "- zero"))
    assert [
        line["commit"] for line in memgit(kb, "blame", "web#A", "--json").json if line["text"] == "- zero"
    ] == [None]


def test_diff_shows_records_not_lines(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "A", "--category", "web", "-m", "- one", "--keywords", "k")
    memgit(kb, "record", "knowledge", "B", "--category", "web", "-m", "- two")
    path = kb / "knowledge-base/web.md"
    path.write_text(
        path.read_text().replace("- one", "- changed").replace("**Keywords:** k", "**Keywords:** k, l")
    )
    [change] = memgit(kb, "diff", "--json").json
    assert (change["change"], change["address"], change["fields"]) == (
        "update",
        "knowledge/web#A",
        ["keywords"],
    )
    assert "-- one" in change["diff"]
    assert "+- changed" in change["diff"]
    assert memgit(kb, "diff", "web#B", "--json").json == []
    memgit(kb, "commit")
    assert memgit(kb, "diff", "--json").json == []
    [change] = memgit(kb, "diff", "--from", "HEAD~1", "--to", "HEAD", "--json").json
    assert change["address"] == "knowledge/web#A"
    assert memgit(kb, "diff", "HEAD~1..HEAD", "--json").json == [change]


def test_log_filters_and_forms(kb: Path) -> None:
    memgit(kb, "--actor", "bot", "record", "memory", "One", "-m", "x")
    memgit(kb, "update", "memory/one", "-m", "y")
    memgit(kb, "record", "knowledge", "Two", "--category", "web", "-m", "- z")

    def ops(*args: str) -> list[str]:
        return [event["op"] for event in memgit(kb, "log", *args, "--json").json]

    assert ops()[:3] == ["record", "update", "record"]
    assert ops("-n", "1") == ["record"]
    assert ops("--op", "update") == ["update"]
    assert ops("--kind", "memory") == ["update", "record"]
    assert ops("--actor", "bot") == ["record"]
    assert ops("--record", "memory/one") == ["update", "record"]
    assert ops("HEAD~1..HEAD") == ["record"]
    assert ops("--since", "2000-01-01")[:1] == ["record"]
    assert ops("--until", "2000-01-01") == []
    markdown = memgit(kb, "log", "--format", "markdown").out
    assert '] write | Recorded to knowledge-base/web.md: "Two"' in markdown
    assert "record(knowledge): Two" in memgit(kb, "log").out


def test_an_empty_repository_and_a_plain_folder_can_be_read(tmp_path: Path) -> None:
    (tmp_path / "plain").mkdir()
    (tmp_path / "plain/a.md").write_text("# Title A\n\ntext\n")
    assert memgit(tmp_path / "plain", "list", "--json").json[0]["title"] == "Title A"
    assert "not in a git repository" in memgit(tmp_path / "plain", "log", code=3).err
    assert (
        "not in a git repository" in memgit(tmp_path / "plain", "record", "note", "x", "-m", "y", code=3).err
    )
    run_git(tmp_path, "init", "-q", "empty")
    assert memgit(tmp_path / "empty", "list", "--json").json == []
    assert memgit(tmp_path / "empty", "log", "--json").json == []
    assert "no such folder" in memgit(tmp_path / "absent", "list", code=2).err


def test_a_bare_repository_is_read_and_not_written(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    bare = tmp_path / "bare.git"
    assert memgit(bare, "list", "--json").json[0]["address"] == "memory/one"
    assert memgit(bare, "show", "memory/one", "--json").json["fresh"] is False
    assert memgit(bare, "log", "--json").json[0]["op"] == "record"
    assert "bare" in memgit(bare, "record", "memory", "Two", "-m", "x", code=3).err


def test_reading_writes_nothing_into_the_working_tree(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    before = run_git(kb, "rev-parse", "HEAD")
    for command in (
        ("list",),
        ("show", "memory/one"),
        ("log",),
        ("history", "memory/one"),
        ("blame", "memory/one"),
        ("diff",),
    ):
        memgit(kb, *command)
        memgit(kb, *command, "--json")
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == ""


COUNTS = [
    ("mem-skill-1.2", {"knowledge": 12, "experience": 8}),
    ("mem-skill-1.1", {"knowledge": 8, "experience": 5}),
    ("mnema", {"decision": 11, "memory": 6, "note": 117}),
    ("vault", {"memory": 12}),
    ("til", {"note": 577}),
    ("eips", {"note": 130}),
]


@pytest.mark.parametrize(("name", "counts"), COUNTS)
def test_real_workspaces_open_in_place(
    workspace: Callable[[str], Path], name: str, counts: dict[str, int]
) -> None:
    folder = workspace(name)
    records = memgit(folder, "list", "--archived", "--json").json
    found: dict[str, int] = {}
    for record in records:
        found[record["kind"]] = found.get(record["kind"], 0) + 1
    assert found == counts
    assert status(folder) == ""


def test_one_entry_into_a_real_workspace_changes_that_entry_and_its_index(
    workspace: Callable[[str], Path],
) -> None:
    folder = workspace("mem-skill-1.2")
    before = (folder / "knowledge-base/workflow.md").read_text()
    memgit(
        folder,
        "record",
        "knowledge",
        "One more",
        "--category",
        "workflow",
        "--context",
        "c",
        "--keywords",
        "a, b",
        "-m",
        "- x",
    )
    assert run_git(folder, "diff", "--name-only", "HEAD~1").split("\n") == [
        "knowledge-base/_index.json",
        "knowledge-base/workflow.md",
    ]
    after = (folder / "knowledge-base/workflow.md").read_text()
    assert after.startswith(before.rstrip("\n"))
    changed = [
        line
        for line in run_git(folder, "diff", "-U0", "HEAD~1", "--", "knowledge-base/_index.json").split("\n")
        if line[:1] in "+-"
    ][2:]
    assert all(any(key in line for key in ("lastUpdated", "totalEntries", "count")) for line in changed)
    assert status(folder) == ""


@pytest.mark.parametrize("kind", ["knowledge", "memory"])
def test_history_goes_on_where_a_hand_took_the_id_away(kb: Path, kind: str) -> None:
    memgit(
        kb,
        "record",
        kind,
        "Quote all",
        "-m",
        "- One.",
        *(("--category", "shell") if kind == "knowledge" else ()),
    )
    path = kb / ("knowledge-base/shell.md" if kind == "knowledge" else "memory/quote-all.md")
    lines = [
        line
        for line in path.read_text().splitlines(keepends=True)
        if not line.lower().replace("*", "").startswith("id:")
    ]
    path.write_text("".join(lines))
    run_git(kb, "commit", "-q", "--no-verify", "-am", "by hand")
    memgit(kb, "update", "Quote all", "-m", "- Another.")
    memgit(kb, "archive", "Quote all")
    assert [one["op"] for one in memgit(kb, "history", "Quote all", "--json").json] == [
        "archive",
        "update",
        "update",
        "record",
    ]
    # Another record that was at this address before, and gone, is another one still.
    run_git(kb, "rm", "-q", "-f", str(path))
    run_git(kb, "commit", "-q", "--no-verify", "-am", "gone")
    memgit(
        kb,
        "record",
        kind,
        "Quote all",
        "-m",
        "- New.",
        *(("--category", "shell") if kind == "knowledge" else ()),
    )
    memgit(kb, "update", "Quote all", "-m", "- Newer.")
    assert [one["op"] for one in memgit(kb, "history", "Quote all", "--json").json] == ["update", "record"]


def test_uses_that_only_the_index_of_a_vault_counts(workspace: Callable[[str], Path]) -> None:
    """A vault counts in its index what its files need not: the larger counter is believed, and uses counted
    here come on top.
    """
    folder = workspace("vault")
    (index,) = folder.rglob("memory-index.json")
    whole = json.loads(index.read_text())
    for name, uses in (
        ("MEM-settings-round-trip-loses-comments", 7),
        ("MEM-quote-rounding-follows-the-currency", 1),
    ):
        next(entry for entry in whole["entries"] if entry["path"].endswith(f"/{name}.md"))[
            "retrieval_count"
        ] = uses
    index.write_text(json.dumps(whole))

    def shown(*args: str) -> list[int]:
        names = ("MEM-settings-round-trip-loses-comments", "MEM-quote-rounding-follows-the-currency")
        rows = {
            row["path"].rpartition("/")[2][:-3]: row["usage_count"]
            for row in memgit(folder, "list", "--json", *args).json
        }
        single = [memgit(folder, "show", name, "--json", *args).json["usage_count"] for name in names]
        assert single == [rows[name] for name in names]
        return single

    assert shown() == [7, 4], "the file of the second one counts four"
    assert shown("--at", "HEAD") == [0, 4]
    assert "\nusage_count: 7\n" in memgit(folder, "show", "MEM-settings-round-trip-loses-comments").out
    memgit(folder, "use", "MEM-settings-round-trip-loses-comments")
    assert shown() == [8, 4]
    assert "\nusage_count: 8\n" in memgit(folder, "show", "MEM-settings-round-trip-loses-comments").out
    assert (
        memgit(folder, "use", "MEM-settings-round-trip-loses-comments", "--json").json["record"][
            "usage_count"
        ]
        == 9
    )
    index.write_text("{broken")
    assert shown() == [2, 4]
    index.unlink()
    assert shown() == [2, 4]


@pytest.mark.parametrize("uses", [0, 3])
def test_the_index_of_a_vault_is_read_once(
    workspace: Callable[[str], Path], uses: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = workspace("vault")
    name = "MEM-settings-round-trip-loses-comments"
    (index,) = folder.rglob("memory-index.json")
    whole = json.loads(index.read_text())
    next(entry for entry in whole["entries"] if entry["path"].endswith(f"/{name}.md"))["retrieval_count"] = (
        uses
    )
    index.write_text(json.dumps(whole))
    real, read = vault.counted, []

    def counting(view: View) -> Mapping[str, tuple[int, str | None]]:
        read.append(view)
        return real(view)

    monkeypatch.setattr(vault, "counted", counting)
    assert ("usage_count: 3" in memgit(folder, "show", name).out) is (uses == 3)
    assert len(read) == 1


def test_a_new_title_is_told_once(kb: Path) -> None:
    """Documents have the title among their fields as well."""
    for kind, name in (("note", "one"), ("memory", "one"), ("knowledge", "general#One")):
        memgit(kb, "record", kind, "One", "-m", "x")
        memgit(kb, "rename", f"{kind}/notes/one" if kind == "note" else f"{kind}/{name}", "Two")
        (change,) = memgit(kb, "diff", "--from", "HEAD~1", "--json").json
        assert change["fields"].count("title") == 1
        assert [line for line in change["diff"] if "title:" in line] == ["-title: One", "+title: Two"]


def test_a_commit_that_is_given_for_an_address_is_told(kb: Path) -> None:
    memgit(kb, "record", "note", "One", "-m", "x")
    assert (
        "hint: to compare with that commit: memgit diff --from HEAD~1"
        in memgit(kb, "diff", "HEAD~1", code=2).err
    )
    assert "--from" not in memgit(kb, "diff", "nonesuch", code=2).err
