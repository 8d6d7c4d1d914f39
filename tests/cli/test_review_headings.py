"""`memgit review` of a change that takes away a heading to which others link."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.test_review import change, commit, review
from tests.support import memgit, run_git, write

MANY = 900
"""Files from which on a review asks the cache, and does not look into all of them."""


def repository(kb: Path, others: int = 0) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Retry only timeouts",
        "--category",
        "http",
        "--keyword",
        "http",
        "-m",
        "Never retry a 4xx.",
    )
    memgit(
        kb,
        "record",
        "memory",
        "Staging",
        "--slug",
        "staging",
        "-m",
        "## Three nodes\n\nIn the northern hall.",
    )
    write(kb, "notes/README.md", "# Notes\n\n## How to write one\n\nShortly.\n")
    links = "[a](../memory/staging.md#three-nodes), [b](README.md#how-to-write-one), [[staging#Three nodes]]"
    entry = "[c](../knowledge-base/http.md#retry-only-timeouts)"
    write(kb, "notes/deploy.md", f"# How we deploy\n\nSee {links}\nand {entry}.\n")
    for number in range(others):
        write(kb, f"notes/more/{number}.md", f"# Note {number}\n\nNothing of note.\n")
    memgit(kb, "rebuild")
    commit(kb, "notes")
    run_git(kb, "checkout", "-q", "-b", "topic")


@pytest.mark.parametrize("others", [0, pytest.param(MANY, marks=pytest.mark.slow)])
def test_a_heading_that_went_away_is_told_where_others_link_to_it(kb: Path, others: int) -> None:
    repository(kb, others)
    assert review(kb)["findings"] == []
    change(kb, "memory/staging.md", "## Three nodes", "## Four nodes")
    change(kb, "notes/README.md", "## How to write one", "## How to write two")
    change(kb, "knowledge-base/http.md", "## Retry only timeouts", "## Retry timeouts")
    memgit(kb, "rebuild")
    commit(kb)
    found = [
        (one["rule"], one["path"], one["line"], one["severity"]) for one in review(kb, code=None)["findings"]
    ]
    assert sorted(one for one in found if one[0] in ("MG201", "MG205")) == [
        ("MG201", "notes/deploy.md", 3, "warning"),
        ("MG205", "notes/deploy.md", 3, "warning"),
        ("MG205", "notes/deploy.md", 3, "warning"),
        ("MG205", "notes/deploy.md", 4, "warning"),
    ]


def test_what_was_broken_before_is_not_the_change_s(kb: Path) -> None:
    repository(kb)
    write(kb, "notes/old.md", "# Old\n\nSee [x](README.md#never-was).\n")
    commit(kb)
    run_git(kb, "branch", "-f", "main", "topic")
    change(kb, "notes/README.md", "Shortly.", "In short.")
    commit(kb)
    assert [one for one in review(kb)["findings"] if one["rule"] == "MG205"] == []
    change(kb, "notes/README.md", "## How to write one", "## How to write two")
    commit(kb)
    broken = [one for one in review(kb, code=None)["findings"] if one["rule"] == "MG205"]
    assert [(one["path"], "how-to-write-one" in one["message"]) for one in broken] == [
        ("notes/deploy.md", True)
    ]


@pytest.mark.parametrize(
    "before,after",
    [
        ("Part\n====\n", "Parts\n=====\n"),
        ("Part\n----\n", "Part\n\n----\n"),
        ("> ## Part\n", "> ## Parts\n"),
        ("1. ## Part\n", "1. Part\n"),
        ("<h2>Part</h2>\n", "<p>Part</p>\n"),
        ('<a id="part"></a>\n', '<a id="parts"></a>\n'),
        ("## Own {#part}\n", "## Own {#parts}\n"),
        ("(part)=\n\nText\n", "(parts)=\n\nText\n"),
        ("## Part\n", "```\n## Part\n```\n"),
        ("## Part\n", "<!--\n## Part\n-->\n"),
        ("- " * 12 + "## Part\n", "Part\n"),
        ("<h2\nclass=x>Part</h2>\n", "Part\n"),
    ],
)
def test_places_of_every_sort(kb: Path, before: str, after: str) -> None:
    write(kb, "notes/README.md", f"# Notes\n\n{before}")
    write(kb, "notes/deploy.md", "# Deploy\n\nSee [it](README.md#part).\n")
    memgit(kb, "rebuild")
    commit(kb, "notes")
    run_git(kb, "checkout", "-q", "-b", "topic")
    change(kb, "notes/README.md", before, after)
    commit(kb)
    (found,) = [one for one in review(kb, code=None)["findings"] if one["rule"] == "MG205"]
    assert (found["path"], found["severity"]) == ("notes/deploy.md", "warning")


def test_a_wikilink_to_a_heading_that_becomes_code(kb: Path) -> None:
    """In a fence that some tools take for a directive, it is a heading for a relative link and none for a
    wikilink.
    """
    write(kb, "notes/plan.md", "# Plan\n\n## Part\n")
    write(kb, "notes/deploy.md", "# Deploy\n\nSee [[plan#Part]] and [it](plan.md#part).\n")
    memgit(kb, "rebuild")
    commit(kb, "notes")
    run_git(kb, "checkout", "-q", "-b", "topic")
    change(kb, "notes/plan.md", "## Part\n", "```{note}\n## Part\n```\n")
    commit(kb)
    (found,) = review(kb, code=None)["findings"]
    assert (found["rule"], found["path"], found["severity"]) == ("MG201", "notes/deploy.md", "warning")


def test_one_of_two_headings_of_one_name(kb: Path) -> None:
    write(kb, "notes/README.md", "# Notes\n\n## Use\n\n### Use\n\n## Use\n")
    write(kb, "notes/deploy.md", "# Deploy\n\nSee [it](README.md#use-2).\n")
    memgit(kb, "rebuild")
    commit(kb, "notes")
    run_git(kb, "checkout", "-q", "-b", "topic")
    change(kb, "notes/README.md", "### Use\n\n## Use\n", "### Use\n")
    commit(kb)
    (found,) = [one for one in review(kb, code=None)["findings"] if one["rule"] == "MG205"]
    assert "README.md#use-2" in found["message"]
