"""What a change takes away from others that link to it: the hook stops what a run over everything finds
afterwards, and nothing else.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git

PAGE = "---\ntitle: {}\ncreated: 2026-03-02\n---\n\n{}\n"
WITH_ID = PAGE.replace("---\n", "---\nid: k7m2q9x4dz\n", 1)


def write(kb: Path, files: dict[str, str]) -> None:
    for path, text in files.items():
        (kb / path).parent.mkdir(parents=True, exist_ok=True)
        (kb / path).write_text(text)
    memgit(kb, "rebuild", code=None)
    run_git(kb, "add", "-A")


def errors(text: str, code: str) -> list[str]:
    return [
        line.removeprefix("memgit: ").partition(": ")[0]
        for line in text.splitlines()
        if f" warning {code} " in line
    ]


AWAY = {
    "the id of a record": (
        "MG201",
        "See [[k7m2q9x4dz]].",
        {"memory/b.md": WITH_ID.format("B", "t")},
        {"memory/b.md": PAGE.format("B", "t")},
    ),
    "an image": ("MG201", "![[chart.png]]", {"memory/chart.png": "png"}, {}),
    "a page beside the records": ("MG201", "See [[README]].", {"README.md": "# Read me\n"}, {}),
    "a folder": (
        "MG205",
        "See [all](parts/deep/) of them.",
        {"memory/parts/deep/b.md": PAGE.format("B", "t")},
        {},
    ),
    "a folder of a folder": ("MG205", "See [all](../src).", {"src/a/b.py": "1\n"}, {}),
    "a name in percent signs": (
        "MG205",
        "See [b](%C3%A9t%C3%A9%20(1).md).",
        {"memory/été (1).md": PAGE.format("B", "t")},
        {},
    ),
    "a name all in percent signs": (
        "MG205",
        "See [b](b%20%281%29.md).",
        {"memory/b (1).md": PAGE.format("B", "t")},
        {},
    ),
}


@pytest.mark.parametrize("code,link,before,after", AWAY.values(), ids=AWAY)
def test_who_links_to_it_is_told(
    kb: Path, code: str, link: str, before: dict[str, str], after: dict[str, str]
) -> None:
    write(
        kb,
        {
            **before,
            "memory/a.md": PAGE.format("A", link),
            "memory/other.md": PAGE.format("Other", "Nothing."),
        },
    )
    run_git(kb, "commit", "-qnm", "records")
    assert memgit(kb, "hook", "pre-commit").err == ""
    for path in before:
        run_git(kb, "rm", "-q", path)
    write(kb, after)
    said = memgit(kb, "hook", "pre-commit").err
    assert errors(said, code) == ["memory/a.md:6"]
    found = memgit(kb, "lint", "--json", "--select", code, code=1).json["findings"]
    assert [(one["path"], one["line"]) for one in found] == [("memory/a.md", 6)]


def test_an_id_that_moved_with_its_record_is_not_away(kb: Path) -> None:
    write(
        kb, {"memory/b.md": WITH_ID.format("B", "t"), "memory/a.md": PAGE.format("A", "See [[k7m2q9x4dz]].")}
    )
    run_git(kb, "commit", "-qnm", "records")
    run_git(kb, "mv", "memory/b.md", "memory/c.md")
    write(kb, {})
    assert errors(memgit(kb, "hook", "pre-commit", code=None).err, "MG201") == []


def test_files_that_lint_does_not_look_at_stop_nothing(kb: Path) -> None:
    """A mention in a hidden folder is nobody's finding."""
    link = "See [[b]], [b](../memory/b.md).\n"
    write(kb, {"memory/b.md": PAGE.format("B", "t"), ".drafts/x.md": link, "memory/.old/x.md": link})
    run_git(kb, "commit", "-qnm", "records")
    run_git(kb, "rm", "-q", "memory/b.md")
    write(kb, {})
    said = memgit(kb, "hook", "pre-commit").err
    assert "MG404" in said and "MG201" not in said and "MG205" not in said
    assert not any(
        one["rule"].startswith("MG2") for one in memgit(kb, "lint", "--json", code=None).json["findings"]
    )
