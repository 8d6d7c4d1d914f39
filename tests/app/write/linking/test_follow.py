"""After a rename, a move or a merge, every link leads where it led, and nothing but its target has changed."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support import commit, memgit, run_git, status, write


@pytest.fixture
def folder(repo: Path) -> Path:
    """A folder of plain notes."""
    memgit(repo, "init", "--layout", "notes")
    return repo


def note(folder: Path, path: str, text: str) -> None:
    write(folder, path, text)
    commit(folder)


FORMS = "[[target#Part]] ![[target#Part]] [[target#^blk]] [[target#Part|label]] ![[target]] [[target | l ]]\n"


def test_headings_blocks_labels_and_embeds_stay(kb: Path) -> None:
    write(kb, "notes/target.md", "# target\n\n## Part\n\nText. ^blk\n")
    write(
        kb, "notes/other.md", f"# Other\n\n{FORMS}\n| a | b |\n|---|---|\n| [[target\\|x]] | `[[target]]` |\n"
    )
    commit(kb)
    memgit(kb, "rename", "note/notes/target", "moved")
    text = (kb / "notes/other.md").read_text()
    assert FORMS.replace("target", "moved") in text
    assert "| [[moved\\|x]] | `[[target]]` |" in text and status(kb) == ""


@pytest.mark.parametrize(
    ("line", "after"),
    [
        ('author:\n  - "[[Target]]"', 'author:\n  - "[[New name]]"'),
        ("author: [[Target]]", "author: [[New name]]"),
        ("up: 'see [[Target#Part|it''s]]' # [[Target]]", "up: 'see [[New name#Part|it''s]]' # [[Target]]"),
        ("related: [Target, other]", "related: [New name, other]"),
        ('deep: {a: [{b: "![[Target]]"}]}', 'deep: {a: [{b: "![[New name]]"}]}'),
        ('md: "[x](Target.md#part)"', 'md: "[x](New%20name.md#part)"'),
        (
            "text: |\n  one [[Target]]\n  # two [[Target]]",
            "text: |\n  one [[New name]]\n  # two [[New name]]",
        ),
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_links_in_frontmatter_follow(folder: Path, line: str, after: str, newline: str) -> None:
    write(folder, "Target.md", "# Target\n")
    before = f"---\n{line}\nx: 1\n---\nNo link.\n"
    note(folder, "a.md", before.replace("\n", newline))
    memgit(folder, "rename", "Target", "New name", "--slug", "New name")
    assert (folder / "a.md").read_bytes().decode() == before.replace(line, after).replace("\n", newline)


def test_a_plain_value_gets_quotes_where_the_new_name_needs_them(folder: Path) -> None:
    write(folder, "Target.md", "# Target\n")
    note(folder, "a.md", "---\nauthor: [[Target]]\nnote: see [[Target]] here\n---\n")
    memgit(folder, "rename", "Target", "--slug", "A, b")
    assert (folder / "a.md").read_text() == '---\nauthor: "[[A, b]]"\nnote: see [[A, b]] here\n---\n'


def test_a_link_that_still_resolves_is_left_as_it_is(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tide", "-m", "x")
    memgit(kb, "record", "memory", "B", "-m", "[[tide]] [x](tide.md) [[memory/tide|t]]")
    head = run_git(kb, "rev-parse", "HEAD:memory/b.md")
    memgit(kb, "rename", "tide", "Tide tables", "--keep-path")
    assert run_git(kb, "rev-parse", "HEAD:memory/b.md") == head


def test_links_to_itself_follow(kb: Path) -> None:
    memgit(kb, "record", "memory", "Mem A", "-m", "[[mem-a]] [m](mem-a.md) [h](#part) [[#part]]\n\n## part")
    memgit(kb, "rename", "Mem A", "Mem B")
    assert "[[mem-b]] [m](mem-b.md) [h](#part) [[#part]]" in (kb / "memory/mem-b.md").read_text()
    assert memgit(kb, "lint", "--json").json["findings"] == []


def test_a_name_that_is_still_unique_stays_after_a_move_and_a_path_becomes_the_name(kb: Path) -> None:
    write(kb, "notes/Alpha.md", "# Alpha\n")
    note(kb, "notes/b.md", "[[Alpha]] [[notes/Alpha#x]] [a](Alpha.md)\n")
    memgit(kb, "rename", "notes/Alpha", "--to", "sub")
    assert (kb / "notes/b.md").read_text() == "[[Alpha]] [[Alpha#x]] [a](sub/Alpha.md)\n"


def test_a_name_that_is_no_longer_unique_becomes_the_path_from_the_root(kb: Path) -> None:
    write(kb, "notes/x/Alpha.md", "# Alpha\n")
    write(kb, "notes/y/Beta.md", "# Beta\n")
    write(kb, "notes/c.md", "[[Alpha]] [[Beta|b]]\n")
    commit(kb)
    memgit(kb, "rename", "notes/y/Beta", "--slug", "Alpha")
    assert (kb / "notes/c.md").read_text() == "[[notes/x/Alpha]] [[notes/y/Alpha|b]]\n"


def test_entries_follow_by_title_and_by_anchor(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Use grid",
        "--category",
        "web",
        "-m",
        "See [[#Not flex]] and [[web#Not flex]].",
    )
    memgit(
        kb,
        "record",
        "knowledge",
        "Not flex",
        "--category",
        "web",
        "-m",
        "[[#Use grid]] [[knowledge/web#Use grid|g]]",
    )
    memgit(
        kb,
        "record",
        "memory",
        "M",
        "-m",
        "[g](../knowledge-base/web.md#use-grid) [w](../knowledge-base/web.md)",
    )
    memgit(kb, "rename", "web#Use grid", "Take a grid", "--to", "css")
    web, css = (kb / "knowledge-base/web.md").read_text(), (kb / "knowledge-base/css.md").read_text()
    assert "[[css#Take a grid]] [[css#Take a grid|g]]" in web
    assert "See [[web#Not flex]] and [[web#Not flex]]." in css
    assert (
        "[g](../knowledge-base/css.md#take-a-grid) [w](../knowledge-base/web.md)"
        in (kb / "memory/m.md").read_text()
    )
    assert memgit(kb, "lint", "--select", "MG201,MG204,MG205", "--json").json["findings"] == []


def test_merged_records_are_followed_with_heading_and_label(kb: Path) -> None:
    memgit(kb, "record", "memory", "Kept", "-m", "x [[other]]")
    memgit(kb, "record", "memory", "Other", "--scope", "deep", "-m", "y [k](../kept.md)\n\n## Part")
    memgit(kb, "record", "memory", "Third", "-m", "[[other#Part|p]] ![[deep/other]] [o](deep/other.md#part)")
    memgit(kb, "merge-records", "kept", "other")
    assert "[[kept#Part|p]] ![[kept]] [o](kept.md#part)" in (kb / "memory/third.md").read_text()
    kept = (kb / "memory/kept.md").read_text()
    assert "x [[kept]]" in kept and "y [k](kept.md)" in kept


def test_no_link_names_an_id_where_a_name_serves(kb: Path) -> None:
    memgit(kb, "record", "memory", "One", "-m", "x")
    memgit(kb, "record", "memory", "Two", "-m", "[[one]] [[memory/one]]")
    memgit(kb, "rename", "one", "Two", "--to", "s")
    text = (kb / "memory/two.md").read_text()
    assert re.findall(r"\[\[(.*?)\]\]", text) == ["memory/s/two", "memory/s/two"]


def test_lint_sees_the_same_links(folder: Path) -> None:
    note(folder, "a.md", '---\nup: "[[nowhere]]"\nlist:\n  - see [[#gone]] and [x](none.md)\n---\n# A\n')
    found = memgit(folder, "lint", "--select", "MG201,MG205", "--json", code=None).json["findings"]
    assert [(one["rule"], one["line"]) for one in found] == [("MG201", 2), ("MG201", 4), ("MG205", 4)]


def test_a_note_is_named_as_its_neighbours_are(folder: Path) -> None:
    for name in ("Kevin Kelly", "Ann O'Hara", "Zoë"):
        write(folder, f"People/{name}.md", f"# {name}\n\n[[Kevin Kelly]]\n")
    write(folder, "posts/first-post.md", "# First post\n")
    commit(folder)
    memgit(folder, "record", "note", "Bob Jones: a *life*?", "--folder", "People", "-m", "x")
    assert (folder / "People/Bob Jones a life.md").is_file()
    memgit(folder, "record", "note", "Second Post", "--folder", "posts", "-m", "x")
    assert (folder / "posts/second-post.md").is_file()
    memgit(folder, "rename", "Kevin Kelly", "Kay Kay")
    assert (folder / "People/Kay Kay.md").is_file()
    assert "[[Kay Kay]]" in (folder / "People/Zoë.md").read_text()


def test_names_are_written_in_one_normal_form(kb: Path) -> None:
    for text in ("caf\u00e9", "cafe\u0301"):
        memgit(kb, "record", "knowledge", f"In {len(text)}", "--category", text, "-m", "- x")
        memgit(kb, "record", "memory", f"In {len(text)}", "--scope", text, "-m", "x")
    names = run_git(kb, "-c", "core.quotePath=false", "ls-files").split("\n")
    assert [name for name in names if name.startswith("knowledge-base/caf")] == [
        "knowledge-base/caf\u00e9.md"
    ]
    assert sum(name.startswith("memory/caf\u00e9/in-") for name in names) == 2
