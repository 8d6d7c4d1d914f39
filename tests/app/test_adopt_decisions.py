"""Folders of decision records as other tools write them: the status is read where it stands, and changed there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.app.test_adopt import adopted, blobs, write
from tests.support import memgit, run_git, status

ADR = "# {0}. {1}\n\nDate: 2026-01-0{0}\n\n## Status\n\n{2}\n\n## Context\n\nBoats and tides.\n"
FILES = {
    "docs/adr/0001-paper.md": ADR.format(1, "Paper tables", "Superceded by [2. Radio](0002-radio.md)"),
    "docs/adr/0002-radio.md": ADR.format(2, "Radio", "Accepted\n\nSupercedes [1. Paper tables](0001-paper.md)"),
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
    return {one["address"].removeprefix("decision/"): one["fields"] for one in memgit(folder, "list", "--json").json}


def findings(folder: Path, *args: str) -> list[str]:
    found = memgit(folder, "lint", "--json", *args, code=None).json["findings"]
    return [f"{one['rule']} {one['path']}:{one['line']}" for one in found]


def test_the_status_is_read_wherever_it_stands(adrs: Path) -> None:
    files = blobs(adrs)
    report = adopted(adrs)["report"]
    assert blobs(adrs) == files and status(adrs) == ""
    assert {one["variant"]: one["records"] for one in report["variants"]} == {
        "status in a section": 3, "status in frontmatter": 1, "status in a line": 1,
    }  # fmt: skip
    found = fields(adrs)
    assert {key: one["status"] for key, one in found.items()} == {
        "0001-paper": "superseded", "0002-radio": "accepted", "0003-post": "proposed", "0004-metres": "deprecated", "0005-feet": "rejected",
    }  # fmt: skip
    assert (found["0001-paper"]["superseded_by"], found["0002-radio"]["supersedes"]) == ("0002-radio", ["0001-paper"])
    assert found["0001-paper"]["title"] == "1. Paper tables" and found["0001-paper"]["created"] == "2026-01-01"
    assert [one["address"] for one in memgit(adrs, "list", "--status", "accepted", "--json").json] == ["decision/0002-radio"]
    assert findings(adrs, "--select", "MG00,MG2,MG4") == []


def test_a_change_of_status_is_a_change_of_its_line(adrs: Path) -> None:
    adopted(adrs)
    memgit(adrs, "update", "0003-post", "--status", "accepted")
    diff = run_git(adrs, "show", "--format=", "HEAD").split("\n")
    touched = [line.rstrip("\r") for line in diff if line[:1] in "+-" and line[:3] not in ("+++", "---")]
    assert [line for line in touched if not line.startswith(("+id: ", "+updated: ", "+---"))] == ["+", "-Proposed", "+Accepted"]
    assert status(adrs) == "" and b"\n" not in (adrs / "docs/adr/0003-post.md").read_bytes().replace(b"\r\n", b"")
    memgit(adrs, "update", "0002-radio", "--status", "superseded", "--superseded-by", "decision/0003-post")
    assert "Superseded by [0003-post](0003-post.md)\n" in (adrs / "docs/adr/0002-radio.md").read_text()
    assert "no status" in memgit(adrs, "update", "0003-post", "--status", "agreed", code=2).err
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
    assert "docs/adr/0001-paper.md:5" in answer.out and "MG405" in answer.out and "from superseded to proposed" in answer.out
    path.write_text(path.read_text().replace("Proposed", "Agreed"))
    assert findings(adrs, "--select", "MG004") == ["MG004 docs/adr/0001-paper.md:7"]


def test_new_records_and_texts(adrs: Path) -> None:
    adopted(adrs)
    made = memgit(adrs, "record", "decision", "Use ebb", "--status", "accepted", "-m", "Because.", "--json").json
    path = adrs / made["record"]["path"]
    assert path.read_text().endswith("---\n\n# Use ebb\n\nBecause.\n") and "\nstatus: accepted\n" in path.read_text()
    memgit(adrs, "update", "0002-radio", "-m", "Only words.")
    assert fields(adrs)["0002-radio"]["status"] == "accepted"


def test_exported_they_have_the_fields_of_a_decision(adrs: Path, tmp_path: Path) -> None:
    adopted(adrs)
    done = memgit(adrs, "export", str(tmp_path / "out"), "--as", "memgit", "--json").json
    assert done["converted"] == {"decision": 5} and done["without_place"] == {} and done["lost"] == []
    text = (tmp_path / "out/decisions/0002-radio.md").read_text()
    assert "status: accepted\n" in text and "## Status" not in text and text.endswith("## Context\n\nBoats and tides.\n")


@pytest.mark.parametrize("name", ["my docs: #1 [a]", 'q"uote', "[x]", "?x", "* star", "back\\slash", "{key}", "nl\nfolder", "日本語"])
def test_folders_of_any_name_are_merged_as_records(repo: Path, name: str) -> None:
    write(repo, {f"{name}/adr/0001-paper.md": FILES["docs/adr/0001-paper.md"], "x/adr.md": "no record\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo, "--as", "adr")
    assert run_git(repo, "check-attr", "-z", "merge", "--", f"{name}/adr/0001-paper.md").split("\0")[2] == "memgit"
    assert run_git(repo, "check-attr", "-z", "merge", "--", "x/adr.md").split("\0")[2] == "unspecified"
    assert "0001-paper" in fields(repo)
    assert not any(row["check"] == "attributes" for row in memgit(repo, "doctor", "--json", code=None).json["troubles"])
