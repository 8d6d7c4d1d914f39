"""Renaming and moving: fields that name the record and relative links to its file follow, and its own links
lead where they led.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.formats.follow import reached, relative, relocated
from memgit.formats.links import encoded
from tests.app.adopt.test_adopt import adopted, write
from tests.support import memgit, run_git, status


@pytest.fixture
def notes(repo: Path) -> Path:
    write(
        repo,
        {
            "kb/a.md": "# A\n\n[b](sub/b.md) ![p](p.png) [x](sub/) [none](zz.md) [up](../code.py)"
            ' [q](<sub/b.md#top> "t") `[b](sub/b.md)`\n',
            "kb/sub/b.md": "# B\n\n[a](../a.md#top) [c](c%20d.md) [me](#top)\n",
            "kb/sub/c d.md": "# C\r\n\r\n[b][1]\r\n\r\n[1]: ./b.md\r\n",
            "kb/p.png": b"\x89PNG",
            "code.py": "",
        },
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo / "kb")
    return repo / "kb"


def test_relative_links_to_a_moved_file_follow(notes: Path) -> None:
    answer = memgit(notes, "rename", "note/sub/b", "--to", "deep/er", "--json").json
    assert sorted(change["address"] for change in answer["changes"] if change["action"] == "link") == [
        "note/a",
        "note/sub/c d",
    ]
    text = (notes / "a.md").read_text()
    assert "[b](deep/er/b.md)" in text and '[q](<deep/er/b.md#top> "t")' in text and "`[b](sub/b.md)`" in text
    assert (notes / "sub/c d.md").read_bytes() == b"# C\r\n\r\n[b][1]\r\n\r\n[1]: ../deep/er/b.md\r\n"
    assert (
        (notes / "deep/er/b.md")
        .read_text()
        .endswith("[a](../../a.md#top) [c](../../sub/c%20d.md) [me](#top)\n")
    )
    assert status(notes) == ""


def test_a_moved_file_links_to_what_it_linked_to(notes: Path) -> None:
    memgit(notes, "rename", "note/a", "--to", "other")
    text = (notes / "other/a.md").read_text()
    assert "[b](../sub/b.md) ![p](../p.png) [x](../sub/) [none](zz.md) [up](../../code.py)" in text
    assert "[a](../other/a.md#top)" in (notes / "sub/b.md").read_text()
    found = memgit(notes, "lint", "--select", "MG205", "--json", code=None).json["findings"]
    assert [one["message"].split()[3] for one in found] == ["zz.md"]


def test_links_by_tags_follow(notes: Path) -> None:
    text = (
        "<p align=center>\n<a href=\"sub/b.md#top\"><img src='p.png'></a> <A HREF=sub/b.md>\n</p>\n\n"
        'x <a class="y" href="sub/c%20d.md?raw">z</a> `<a href="sub/b.md">` <!-- <a href="sub/b.md"> -->\n'
    )
    (notes / "t.md").write_text(text)
    run_git(notes, "add", "-A")
    run_git(notes, "commit", "-q", "-m", "t")
    memgit(notes, "rename", "note/sub/b", "--slug", "b & 'c' = d")
    memgit(notes, "rename", "note/sub/c d", "--to", "")
    new = "sub/b%20&amp;%20%27c%27%20%3D%20d.md"
    expected = (
        text.replace('"sub/b.md#', f'"{new}#').replace("=sub/b.md", f"={new}").replace("sub/c%20d", "c%20d")
    )
    assert (notes / "t.md").read_text() == expected
    memgit(notes, "rename", "note/t", "--to", "deep")
    moved = expected.replace(f'"{new}', f'"../{new}').replace(f"={new}", f"=../{new}")
    moved = moved.replace("'p.png'", "'../p.png'").replace('"c%20d', '"../c%20d')
    assert (notes / "deep/t.md").read_text().endswith(moved)
    found = memgit(notes, "links", "note/deep/t", "--json").json
    assert {"note/sub/b & 'c' = d", "note/c d"} == {one["to"] for one in found["links"]}
    (notes / "sub/b & 'c' = d.md").unlink()
    answer = memgit(notes, "lint", "--select", "MG205", "deep", "--json", code=None).json["findings"]
    assert [one["line"] for one in answer] == [7, 7]
    memgit(notes, "undo")
    assert (notes / "t.md").read_text() == expected


def test_marks_in_a_file_name_are_encoded(notes: Path) -> None:
    memgit(notes, "rename", "note/sub/c d", "--slug", "see (me)")
    assert "[c](see%20%28me%29.md)" in (notes / "sub/b.md").read_text()
    memgit(notes, "rename", "note/sub/see (me)", "--slug", "plain")
    assert "[c](plain.md)" in (notes / "sub/b.md").read_text()


def test_fields_that_name_a_record_follow(kb: Path) -> None:
    memgit(kb, "record", "decision", "Paper", "--status", "accepted", "-m", "x")
    second = memgit(kb, "record", "decision", "Radio", "--status", "accepted", "-m", "x", "--json").json[
        "record"
    ]["address"]
    first = memgit(kb, "list", "--json").json[0]["address"]
    memgit(kb, "update", first, "--status", "superseded", "--superseded-by", second)
    memgit(kb, "update", second, "--supersedes", first)
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    promoted = memgit(kb, "promote", "memory/tides", "--to", "decision", "--json").json["record"]["address"]
    memgit(kb, "rename", second, "Radio and post")
    memgit(kb, "rename", first, "Paper tables")
    memgit(kb, "rename", "memory/tides", "Tide tables")
    found = {one["address"]: one["fields"] for one in memgit(kb, "list", "--json").json}
    old, new = (next(key for key in found if end in key) for end in ("paper-tables", "radio-and-post"))
    assert (found[old]["superseded_by"], found[new]["supersedes"]) == (new, [old])
    assert found[promoted]["derived_from"] == ["memory/tide-tables"]
    assert memgit(kb, "lint", "--select", "MG201,MG204", "--json").json["findings"] == [] and status(kb) == ""


@pytest.mark.parametrize(
    ("path", "target", "to", "expected"),
    [
        ("a.md", "b.md", "x/a.md", "../b.md"),
        ("x/y/a.md", "../b.md", "a.md", "x/b.md"),
        ("a.md", "../../c", "x/y/a.md", "../../../../c"),
        ("x/a.md", "./b.md", "x/c.md", "./b.md"),
        ("x/a.md", "b/", "c.md", "x/b/"),
        ("x/a.md", "b%20c.md#d%20e", "c.md", "x/b%20c.md#d%20e"),
    ],
)
def test_a_link_in_a_file_that_moves(path: str, target: str, to: str, expected: str) -> None:
    assert relocated(f"[x]({target})", path, to) == f"[x]({expected})"


def test_paths_in_links() -> None:
    assert (
        reached("x/a.md", "../b.md") == "b.md"
        and reached("a.md", "../b.md") == "../b.md"
        and reached("a.md", "") is None
    )
    assert relative("x/y/a.md", "x/b.md") == "../b.md" and relative("a.md", "../b.md") == "../b.md"
    assert encoded("é/a b(c)#d%.md") == "é/a%20b%28c%29%23d%25.md"


@pytest.mark.parametrize("above", [0, 1, 2])
def test_an_entry_is_not_moved_to_where_its_title_is_taken(kb: Path, above: int) -> None:
    """Wherever in its file the other record of that title stands."""
    memgit(kb, "record", "knowledge", "Alpha", "--category", "web", "-m", "- one")
    for number in range(above):
        memgit(kb, "record", "knowledge", f"Above {number}", "--category", "shell", "-m", "- x")
    memgit(kb, "record", "knowledge", "Alpha", "--category", "shell", "-m", "- another")
    head = run_git(kb, "rev-parse", "HEAD")
    answer = memgit(kb, "rename", "web#Alpha", "--to", "shell", code=1)
    assert "knowledge-base/shell.md has a record of that title already" in answer.err
    assert run_git(kb, "rev-parse", "HEAD") == head and status(kb) == ""
    memgit(kb, "rename", "web#Alpha", "--to", "api")
    memgit(kb, "rename", "api#Alpha", "Beta", "--to", "shell")


def test_a_note_is_moved_to_a_folder_as_record_names_it(kb: Path) -> None:
    """`--to` takes the folder below that of notes, as `record --folder` does, or one from the root."""
    memgit(kb, "record", "note", "Hub", "--folder", "one", "-m", "x")
    for folder, path in (
        ("two/deep", "notes/two/deep/hub.md"),
        ("notes/three", "notes/three/hub.md"),
        ("", "notes/hub.md"),
    ):
        memgit(kb, "rename", "hub", "--to", folder)
        assert (kb / path).is_file() and memgit(kb, "list", "--json").json[0]["path"] == path
    memgit(kb, "rename", "hub", "Another", "--to", "four")
    assert (kb / "notes/four/another.md").is_file()
    for folder in ("../x", "/etc", "a//b", "..", "notes/../.."):
        memgit(kb, "rename", "another", "--to", folder, code=2)
    assert status(kb) == ""
