"""MG201 says what a link that is unresolved may have meant: by the whole index as by the cache, so that a
hook and a run agree.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.model import layout as layouts
from tests.lint.support import check, corpus, memory
from tests.support import Prepared, memgit, run_git

ENTRY = "## {}\n**Date:** 2026-03-02\n\n- text\n\n"
PAGE = "---\ntitle: {}\ncreated: 2026-03-02\n---\n\ntext\n"
FILES = {
    "knowledge-base/web.md": "".join(
        ENTRY.format(title) for title in ("Alpha", "C# tips", "Moved here", "Twice", "Tcp/ip", "Übung")
    ),
    "knowledge-base/shell.md": "".join(ENTRY.format(title) for title in ("Twice",)),
    "memory/plain-page.md": PAGE.format("Plain page") + "\n## Part\n\ntext\n",
    "memory/infra/tls.md": PAGE.format("Renewal of certificates"),
    "memory/old.md": PAGE.format("Old way").replace("---\n\n", "archived: 2026-03-03\n---\n\n"),
    "memory/new.md": PAGE.format("Old way"),
    **{f"memory/many/n{number}.md": PAGE.format("Many") for number in range(20)},
    **{f"memory/few/f{number}.md": PAGE.format("Few") for number in range(5)},
}
MEANT = {
    "[[Alpha]]": "; did you mean [[web#Alpha]]?",
    "[[Alpha|the first one]]": "; did you mean [[web#Alpha]]?",
    "[[alpha]]": "; did you mean [[web#Alpha]]?",
    "[[ALPHA]]": "; did you mean [[web#Alpha]]?",
    "[[ÜBUNG]]": "; did you mean [[web#Übung]]?",
    "[[C# tips]]": "; did you mean [[web#C# tips]]?",
    "[[Tcp/ip]]": "; did you mean [[web#Tcp/ip]]?",
    "[[Plain page]]": "; did you mean [[plain-page]]?",
    "[[Plain page#Part]]": "; did you mean [[plain-page#Part]]?",
    "[[Renewal of certificates]]": "; did you mean [[tls]]?",
    "[[shell#Moved here]]": "; did you mean [[web#Moved here]]?",
    "[[gone#Moved here]]": "; did you mean [[web#Moved here]]?",
    "[[Twice]]": "; did you mean [[shell#Twice]] or [[web#Twice]]?",
    "[[Old way]]": "; did you mean [[new]]?",
    "[[Few]]": "; did you mean [[f0]] or [[f1]] or [[f2]], or 2 others?",
    "[[Many]]": "",
    "[[Alph]]": "",
    "[[pha]]": "",
    "[[page]]": "",
    "[[nonesuch]]": "",
    "[[shell#nonesuch]]": "",
}


@pytest.fixture
def linked(prepared: Prepared) -> Path:
    return prepared("kb", make_linked)


def make_linked(kb: Path) -> None:
    for path, text in FILES.items():
        (kb / path).parent.mkdir(parents=True, exist_ok=True)
        (kb / path).write_text(text)
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "records")
    (kb / "notes").mkdir(exist_ok=True)
    (kb / "notes/source.md").write_text("# Source\n\n" + "\n\n".join(MEANT) + "\n")
    run_git(kb, "add", "-A")


@pytest.mark.parametrize("args", [(), ("--staged",)], ids=["whole", "by the cache"])
def test_it_names_what_may_be_meant(linked: Path, args: tuple[str, ...]) -> None:
    found = memgit(linked, "lint", "--select", "MG201", "--json", *args, code=1).json["findings"]
    said = {one["line"]: one["message"] for one in found if one["path"] == "notes/source.md"}
    assert len(said) == len(MEANT)
    for line, (link, hint) in zip(range(3, 200, 2), MEANT.items(), strict=False):
        written = link.partition("|")[0].removesuffix("]]").replace("# ", "#") + "]]"
        assert said[line].startswith(f'"Source": {written} is unresolved: '), said[line]
        assert said[line].partition("; did you mean")[1:] == hint.partition("; did you mean")[1:], said[line]


def test_a_note_answers_to_its_title(linked: Path) -> None:
    (linked / "notes/called.md").write_text("---\naliases: [Also so]\n---\n# Called so\n\n## Part\n")
    (linked / "notes/source.md").write_text(
        "# Source\n\n[[Called so]] [[Called so#Part]] ![[Also so]] [[called so]]\n"
    )
    run_git(linked, "add", "-A")
    for args in ((), ("--staged",)):
        found = memgit(linked, "lint", "--select", "MG201,MG204", "--json", *args, code=1).json["findings"]
        assert [one["message"] for one in found] == [
            '"Source": [[called so]] is unresolved: no record answers to it; did you mean [[called]]?'
        ]


def test_what_it_names_is_a_link_that_leads_there(linked: Path) -> None:
    links = [
        one.removesuffix("?")
        for hint in MEANT.values()
        for one in hint.removeprefix("; did you mean ").split(" or ")
        if "[[" in one
    ]
    text = "# Source\n\n" + "\n\n".join(one.partition(",")[0] for one in links) + "\n"
    (linked / "notes/source.md").write_text(text)
    assert memgit(linked, "lint", "--select", "MG201,MG204", "--json").json["findings"] == []
    assert len(links) > 15


def test_it_is_a_hint_and_no_fix(linked: Path) -> None:
    """Links resolve strictly: what a person meant is not for a tool to decide."""
    found = memgit(linked, "lint", "--select", "MG201", "--json", code=1).json["findings"]
    assert found and not any(one["fixable"] for one in found)
    before = (linked / "notes/source.md").read_text()
    memgit(linked, "lint", "--select", "MG201", "--fix", code=1)
    assert (linked / "notes/source.md").read_text() == before


def pages(**more: str) -> dict[str, str | bytes]:
    files = {
        "memory/north/gates.md": memory("North"),
        "memory/a.md": memory("A", "See [[gates]] and [[north/gates]]."),
    }
    return {**files, **{path.replace("__", "/") + ".md": memory("Page", text) for path, text in more.items()}}


def test_a_new_file_that_makes_links_of_others_ambiguous() -> None:
    """A hook looks at what changed alone, so the rule looks for who links to the name."""
    after = pages(memory__south__gates="Text.")
    (found,) = check(corpus(after, before=pages(), changed=["memory/south/gates.md"]), "MG204")
    assert (found.path, found.line, found.address) == ("memory/a.md", 5, "memory/a")
    assert found.message.endswith("write more of the path, or give memory/south/gates.md another name")
    assert (
        check(
            corpus(pages(memory__south__weirs="Text."), before=pages(), changed=["memory/south/weirs.md"]),
            "MG204",
        )
        == []
    )
    edited = pages(memory__south__gates="Text, and more.")
    assert check(corpus(edited, before=after, changed=["memory/south/gates.md"]), "MG204") == [], (
        "it was there before"
    )
    third = pages(memory__south__gates="Text.", memory__east__gates="Text.")
    assert check(corpus(third, before=after, changed=["memory/east/gates.md"]), "MG204") == [], (
        "the link was ambiguous before"
    )
    moved = {path.replace("north", "south"): text for path, text in pages().items()}
    assert (
        check(
            corpus(moved, before=pages(), changed=["memory/north/gates.md", "memory/south/gates.md"]), "MG204"
        )
        == []
    )
    assert len(check(corpus(after), "MG204")) == 1, "a run over everything tells it once"


def test_a_link_to_a_folder_leads_to_its_own_page() -> None:
    files = {
        "css/border/index.md": "---\nrelated: [css/margin, css/gone]\n---\n# Border\n\n[[../margin]] [[css/empty]]\n",
        "css/margin/index.md": "# Margin\n",
        "css/empty/other.md": "# Other\n",
    }
    found = check(corpus(files, layouts.notes()), "MG201")
    assert [one.message.split(" is ")[0] for one in found] == [
        '"Border": [[css/gone]]',
        '"Border": [[css/empty]]',
    ]


def test_an_image_that_lies_there_from_a_folder_above_is_a_warning() -> None:
    files = {
        "css/practice/ada.md": "![grid](images/grid.png) ![gone](images/gone.png) [page](more/page.md)\n",
        "css/images/grid.png": "x",
        "css/more/page.md": "# Page\n",
    }
    found = check(corpus(files, layouts.notes()), "MG205")
    severity = {one.message.split(" is ")[0].removeprefix("the link to "): one.severity for one in found}
    assert severity == {"images/grid.png": "warning", "images/gone.png": "error", "more/page.md": "error"}
