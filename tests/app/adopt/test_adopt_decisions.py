"""Folders of decision records as other tools write them: the status is read where it stands, and changed
there.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.adopt.test_adopt import adopted, blobs, write
from tests.support import memgit, run_git, status

ADR = "# {0}. {1}\n\nDate: 2026-01-0{0}\n\n## Status\n\n{2}\n\n## Context\n\nBoats and tides.\n"
FILES = {
    "docs/adr/0001-paper.md": ADR.format(1, "Paper tables", "Superceded by [2. Radio](0002-radio.md)"),
    "docs/adr/0002-radio.md": ADR.format(
        2, "Radio", "Accepted\n\nSupercedes [1. Paper tables](0001-paper.md)"
    ),
    "docs/adr/0003-post.md": ADR.format(3, "Post", "Proposed").replace("\n", "\r\n"),
    "docs/adr/0004-metres.md": "---\nstatus: deprecated\ndecision-makers: [Ada]\n---\n# Metres\n\n## Decision\n\nMetres.\n",
    "docs/adr/0005-feet.md": "# Feet\n\n* Status: rejected\n* Deciders: Ada, Bo\n\n## Decision\n\nNo.\n",
    "README.md": "# code\n",
}


@pytest.fixture
def adrs(repo: Path) -> Path:
    write(repo, FILES)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    return repo


def fields(folder: Path) -> dict[str, Any]:
    return {
        one["address"].removeprefix("decision/"): one["fields"]
        for one in memgit(folder, "list", "--json").json
    }


def findings(folder: Path, *args: str) -> list[str]:
    found = memgit(folder, "lint", "--json", *args, code=None).json["findings"]
    return [f"{one['rule']} {one['path']}:{one['line']}" for one in found]


def test_the_status_is_read_wherever_it_stands(adrs: Path) -> None:
    files = blobs(adrs)
    report = adopted(adrs)["report"]
    assert blobs(adrs) == files and status(adrs) == ""
    assert {one["variant"]: one["records"] for one in report["variants"]} == {
        "status in a section": 3,
        "status in frontmatter": 1,
        "status in a line": 1,
    }
    found = fields(adrs)
    assert {key: one["status"] for key, one in found.items()} == {
        "0001-paper": "superseded",
        "0002-radio": "accepted",
        "0003-post": "proposed",
        "0004-metres": "deprecated",
        "0005-feet": "rejected",
    }
    assert (found["0001-paper"]["superseded_by"], found["0002-radio"]["supersedes"]) == (
        "0002-radio",
        ["0001-paper"],
    )
    assert (
        found["0001-paper"]["title"] == "1. Paper tables" and found["0001-paper"]["created"] == "2026-01-01"
    )
    assert [one["address"] for one in memgit(adrs, "list", "--status", "accepted", "--json").json] == [
        "decision/0002-radio"
    ]
    assert findings(adrs, "--select", "MG00,MG2,MG4") == []


def test_a_change_of_status_is_a_change_of_its_line(adrs: Path) -> None:
    adopted(adrs)
    memgit(adrs, "update", "0003-post", "--status", "accepted")
    diff = run_git(adrs, "show", "--format=", "HEAD").split("\n")
    touched = [line.rstrip("\r") for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line for line in touched if not line.startswith(("+id: ", "+updated: ", "+---"))] == [
        "+",
        "-Proposed",
        "+Accepted",
    ]
    assert status(adrs) == "" and b"\n" not in (adrs / "docs/adr/0003-post.md").read_bytes().replace(
        b"\r\n", b""
    )
    memgit(adrs, "update", "0002-radio", "--status", "superseded", "--superseded-by", "decision/0003-post")
    assert "Superseded by [0003-post](0003-post.md)\n" in (adrs / "docs/adr/0002-radio.md").read_text()
    assert "not a status" in memgit(adrs, "update", "0003-post", "--status", "agreed", code=2).err
    memgit(adrs, "rename", "0003-post", "3. Post and parcels")
    assert fields(adrs)["0003-post"]["title"] == "3. Post and parcels"
    assert findings(adrs, "--select", "MG00,MG2") == []


def test_what_history_forbids_is_found(adrs: Path) -> None:
    adopted(adrs)
    run_git(adrs, "checkout", "-q", "-b", "other")
    path = adrs / "docs/adr/0001-paper.md"
    path.write_text(path.read_text().replace("Superceded by [2. Radio](0002-radio.md)", "Proposed"))
    run_git(adrs, "commit", "-q", "-am", "take it up again")
    answer = memgit(adrs, "review", "main..other", code=1)
    assert (
        "docs/adr/0001-paper.md:5" in answer.out
        and "MG405" in answer.out
        and "from superseded to proposed" in answer.out
    )
    path.write_text(path.read_text().replace("Proposed", "Agreed"))
    assert findings(adrs, "--select", "MG004") == ["MG004 docs/adr/0001-paper.md:7"]


def test_new_records_and_texts(adrs: Path) -> None:
    adopted(adrs)
    made = memgit(
        adrs, "record", "decision", "Use ebb", "--status", "accepted", "-m", "Because.", "--json"
    ).json
    path = adrs / made["record"]["path"]
    assert (
        path.read_text().endswith("---\n\n# Use ebb\n\nBecause.\n")
        and "\nstatus: accepted\n" in path.read_text()
    )
    memgit(adrs, "update", "0002-radio", "-m", "Only words.")
    assert fields(adrs)["0002-radio"]["status"] == "accepted"


def test_exported_they_have_the_fields_of_a_decision(adrs: Path, tmp_path: Path) -> None:
    adopted(adrs)
    done = memgit(adrs, "export", str(tmp_path / "out"), "--as", "memgit", "--json").json
    assert done["converted"] == {"decision": 5} and done["without_place"] == {} and done["lost"] == []
    text = (tmp_path / "out/decisions/0002-radio.md").read_text()
    assert (
        "status: accepted\n" in text
        and "## Status" not in text
        and text.endswith("## Context\n\nBoats and tides.\n")
    )


@pytest.mark.parametrize(
    "name",
    ["my docs: #1 [a]", 'q"uote', "[x]", "?x", "* star", "back\\slash", "{key}", "nl\nfolder", "日本語"],
)
def test_folders_of_any_name_are_merged_as_records(repo: Path, name: str) -> None:
    write(repo, {f"{name}/adr/0001-paper.md": FILES["docs/adr/0001-paper.md"], "x/adr.md": "no record\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo, "--as", "adr")
    assert (
        run_git(repo, "check-attr", "-z", "merge", "--", f"{name}/adr/0001-paper.md").split("\0")[2]
        == "memgit"
    )
    assert run_git(repo, "check-attr", "-z", "merge", "--", "x/adr.md").split("\0")[2] == "unspecified"
    assert "0001-paper" in fields(repo)
    assert not any(
        row["check"] == "attributes" for row in memgit(repo, "doctor", "--json", code=None).json["troubles"]
    )


AREAS = {
    "docs/adr/0001-paper.md": ADR.format(1, "Paper tables", "Accepted"),
    "docs/adr/backend/0001-api.md": ADR.format(1, "Api", "Superseded by [2. Db](0002-db.md)"),
    "docs/adr/backend/0002-db.md": ADR.format(2, "Db", "Accepted\n\nSupersedes [1. Api](0001-api.md)"),
    "docs/adr/backend/minutes.md": "# Minutes\n\nText.\n",
    "docs/adr/frontend/2024/0001-forms.md": ADR.format(1, "Forms", "Proposed"),
    "docs/adr/templates/template.md": "# NUMBER. Title\n\n## Status\n\nProposed\n",
    "docs/adr/README.md": "# Decisions\n",
    "README.md": "# code\n",
}


@pytest.fixture
def areas(repo: Path) -> Path:
    write(repo, AREAS)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    return repo


def test_decisions_by_area(areas: Path) -> None:
    """The numbered files of a folder's folders are decisions, with the area in the address; what lies beside
    them is not.
    """
    files = blobs(areas)
    found = adopted(areas)
    assert (found["found"]["system"], found["report"]["kinds"]) == ("adr", {"decision": 4, "note": 3})
    assert blobs(areas) == files and status(areas) == ""
    rows = memgit(areas, "list", "--json").json
    assert {row["address"]: row["fields"].get("status") for row in rows if row["kind"] == "decision"} == {
        "decision/0001-paper": "accepted",
        "decision/backend/0001-api": "superseded",
        "decision/backend/0002-db": "accepted",
        "decision/frontend/2024/0001-forms": "proposed",
    }
    assert {row["path"] for row in rows if row["kind"] == "note"} == {
        "docs/adr/README.md",
        "docs/adr/backend/minutes.md",
        "docs/adr/templates/template.md",
    }
    assert findings(areas, "--select", "MG00,MG2,MG4") == []
    assert run_git(areas, "check-attr", "merge", "--", "docs/adr/backend/0002-db.md").endswith(": memgit")
    made = memgit(areas, "record", "decision", "Use ebb", "-m", "Because.", "--json").json["record"]
    assert made["path"].startswith("docs/adr/2") and made["path"].endswith("-use-ebb.md")
    memgit(areas, "update", "backend/0002-db", "--status", "deprecated")
    assert "\nDeprecated\n" in (areas / "docs/adr/backend/0002-db.md").read_text()
    assert memgit(areas, "rebuild", "--check").code == 0 and status(areas) == ""
    memgit(areas, "rename", "decision/backend/0001-api", "1. Interface")
    assert memgit(areas, "history", "decision/backend/0001-api").out.count("1. Interface")


@pytest.mark.parametrize(
    ("files", "folder", "pattern"),
    [
        (["docs/adr/0001-a.md", "docs/adr/0002-b.md"], "docs/adr", "{key}.md"),
        (["docs/adr/x/0001-a.md"], "docs/adr", "**/[0-9]*-*.md"),
        (["docs/decisions/adr/0001-a.md"], "docs/decisions/adr", "{key}.md"),
        (["adr/x/decisions/0001-a.md", "adr/y/decisions/0001-b.md"], "adr", "**/[0-9]*-*.md"),
        (
            ["architecture/decisions/2023/001-a.md", "architecture/decisions/2024/002-b.md"],
            "architecture/decisions",
            "**/[0-9]*-*.md",
        ),
    ],
)
def test_where_the_decisions_of_a_repository_begin(
    repo: Path, files: list[str], folder: str, pattern: str
) -> None:
    write(repo, {name: ADR.format(1, "Paper", "Accepted") for name in files})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    config = (repo / ".memgit.yaml").read_text()
    assert f"    folder: {folder}\n" in config and f'    pattern: "{pattern}"\n' in config
    assert {row["kind"] for row in memgit(repo, "list", "--json").json} == {"decision"}


@pytest.mark.parametrize(
    "files",
    [
        {"docs/adr/backend/0001-a.md": "# A\n\nText.\n", "docs/adr/backend/0002-b.md": "# B\n\nText.\n"},
        {"docs/guide/backend/0001-a.md": ADR.format(1, "Paper", "Accepted")},
        {"docs/adr/.drafts/0001-a.md": ADR.format(1, "Paper", "Accepted"), "docs/x.md": "# X\n"},
        {"docs/adr/backend/a.md": ADR.format(1, "Paper", "Accepted")},
    ],
    ids=["no shape", "no folder of decisions", "hidden", "no number"],
)
def test_what_does_not_look_like_decisions_is_notes(repo: Path, files: dict[str, str]) -> None:
    write(repo, files)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    assert adopted(repo)["found"]["system"] == "notes"
