"""Links of what is ingested from a folder beside the knowledge root."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.formats import links
from tests.support import commit, memgit, run_git, status, write

ALPHA = """# Alpha page

Tides and harbours: [Beta *x*](beta.md "tip"), [[beta]], [[beta#Lamps|L]], ![a picture](pic.png), [gone](<../other/x.md>),
[own](../kb/in/y.md) and [web](https://example.org/beta.md), `[code](beta.md)`.
"""
BETA = """# Beta page

Lighthouses and keepers, back to [Alpha](alpha.md#alpha-page).

## Lamps

The lamp is lit at dusk.
"""


@pytest.fixture
def folder(kb: Path) -> Path:
    write(kb, "in/y.md", "y\n")
    commit(kb)
    write(kb.parent, "folder/alpha.md", ALPHA)
    write(kb.parent, "folder/beta.md", BETA)
    write(kb.parent, "other/x.md", "x\n")
    write(kb.parent, "folder/pic.png", b"\x89PNG\r\n\x1a\n\0")
    return kb.parent / "folder"


def test_links_lead_to_records_and_what_is_outside_keeps_its_words(kb: Path, folder: Path) -> None:
    done = memgit(kb, "ingest", str(folder), "--yes", "--category", "folder", code=None)
    text = (kb / "knowledge-base/folder.md").read_text()
    for words in (
        '[Beta *x*](folder.md#beta-page "tip")',
        "[[folder#Beta page]], [[folder#Beta page|L]], a picture, gone,",
        "[own](../in/y.md) and [web](https://example.org/beta.md), `[code](beta.md)`",
        "back to [Alpha](folder.md#alpha-page)",
    ):
        assert words in text
    assert "the link to ../folder/pic.png leaves the knowledge root" in done.err
    assert "the link to ../other/x.md leaves the knowledge root" in done.err
    assert memgit(kb, "lint", "--select", "MG201,MG205", "--json").json["findings"] == []
    again = memgit(kb, "ingest", str(folder), "--yes", "--category", "folder", "--json", code=None).json
    assert again["commit"] is None and status(kb) == ""
    write(kb, "knowledge-base/folder.md", text.replace("Lighthouses", "By hand"))
    run_git(kb, "commit", "-qam", "by hand")


def test_links_of_other_records_in_the_file_stay(kb: Path, folder: Path) -> None:
    mine = "- Mine: [x](../../other/x.md) [[beta]] [y](../../folder/beta.md)"
    memgit(kb, "record", "knowledge", "Mine", "--category", "folder", "-m", mine)
    memgit(kb, "ingest", str(folder), "--yes", "--category", "folder", code=None)
    text = (kb / "knowledge-base/folder.md").read_text()
    assert mine in text and "[[folder#Beta page]]" in text


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[a](x)", "a"),
        ("![a](x 'tip') b", "a b"),
        (r"[a \] [b] `c`](<x y> (tip)) d", r"a \] [b] `c` d"),
        ("[a](x) [b](y)", "a b"),
        ("[a]\n\n[a]: x\n", "[a]\n\n[a]: x\n"),
        ("`[a](x)`", "`[a](x)`"),
    ],
)
def test_words_of_a_link_alone(text: str, words: str) -> None:
    found = [link for link in links.find(text) if link.kind == "file"]
    new, left = links.changed(text, {}, found)
    assert new == words and (not left or new == text)
