"""Templates for the text of new records, those that are shipped and those of the knowledge root."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support import commit, memgit, run_git, status, write


def body(kb: Path, name: str) -> str:
    return str(memgit(kb, "show", name, "--json").json["body"])


@pytest.mark.parametrize(
    ("name", "headings"),
    [
        ("decision", ["## Context", "## Decision", "## Consequences"]),
        ("madr", ["## Context and Problem Statement", "## Considered Options", "## Decision Outcome"]),
    ],
)
def test_a_shipped_template_is_the_text(kb: Path, name: str, headings: list[str]) -> None:
    memgit(kb, "record", "decision", "One queue", "--template", name)
    text = body(kb, "One queue")
    assert [text.index(heading) for heading in headings] == sorted(map(text.index, headings))
    assert memgit(kb, "lint", "--json", code=None).json["findings"] == []


def test_the_root_has_templates_of_its_own(kb: Path) -> None:
    text = "---\ntags: [x]\n---\n# Title here\r\n\n## Why {{title}}\r\n\n{{date}} $1 \\1 {{other}}\n"
    write(kb, "templates/decision.md", text)
    write(kb, "templates/Runbook_2.md", "\ufeff## Steps\n")
    commit(kb)
    memgit(kb, "record", "decision", "A {{date}} $1", "--template", "decision", "--date", "2026-03-02")
    assert body(kb, "A {{date}} $1").startswith("## Why A {{date}} $1\n\n2026-03-02 $1 \\1 {{other}}")
    memgit(kb, "record", "memory", "M", "--template", "Runbook_2.md")
    assert body(kb, "memory/m") == "## Steps"
    assert [one["kind"] for one in memgit(kb, "list", "--json").json] == ["decision", "memory"]


@pytest.mark.parametrize(
    "name",
    [
        "../secret",
        "a/b",
        "/etc/passwd",
        "..",
        ".hidden",
        "link",
        "folder",
        "pipe",
        "",
        "x" * 300,
        "a\nb",
        "nosuch",
    ],
)
def test_no_name_leads_out_of_the_folder(kb: Path, tmp_path: Path, name: str) -> None:
    write(kb, "secret.md", "private")
    write(tmp_path, "outside.md", "private")
    write(kb, "templates/.hidden.md", "private")
    (kb / "templates/link.md").symlink_to(tmp_path / "outside.md")
    (kb / "templates/folder.md").mkdir()
    os.mkfifo(kb / "templates/pipe.md")
    head = run_git(kb, "rev-parse", "HEAD")
    error = memgit(kb, "record", "decision", "D", "--template", name, code=2).err
    assert "there is no template" in error and "one of decision, madr;" in error
    assert run_git(kb, "rev-parse", "HEAD") == head


def test_a_folder_that_is_a_link_holds_no_templates(kb: Path, tmp_path: Path) -> None:
    write(tmp_path, "t/own.md", "private")
    (kb / "templates").symlink_to(tmp_path / "t")
    memgit(kb, "record", "decision", "D", "--template", "own", code=2)


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a\0b"])
def test_a_template_that_is_no_text_is_named(kb: Path, data: bytes) -> None:
    write(kb, "templates/own.md", data)
    assert "templates/own.md:1:" in memgit(kb, "record", "decision", "D", "--template", "own", code=3).err
    assert "memory" not in status(kb)


def test_a_template_and_a_body_exclude_each_other(kb: Path) -> None:
    memgit(kb, "record", "decision", "D", "--template", "madr", "-m", "x", code=2)


def test_the_editor_starts_a_decision_with_a_template(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("editor", "record"):
        monkeypatch.setattr(f"memgit.cli.{name}.on_terminal", lambda: True)
    monkeypatch.setenv("GIT_EDITOR", "true")
    for args in ((), ("--template", "madr")):
        assert "the text is empty" in memgit(kb, "record", "decision", "D", *args, code=2).err
    monkeypatch.setenv("GIT_EDITOR", "sed -i s/Context/Why/")
    memgit(kb, "record", "decision", "D")
    assert body(kb, "D").startswith("## Why\n") and "## Consequences" in body(kb, "D")
