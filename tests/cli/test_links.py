"""The graph of links, and times as revisions."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git

FILES = {
    "notes/a.md": "# Alpha\n\nSee [[b]], [[missing]] and\n[the work](../knowledge-base/work.md#lock-first).\n",
    "notes/b.md": '---\naliases: [second]\nrelated:\n  - "[[c]]"\n---\n\n# Beta "quoted"\n\n`[[a]]` is code.\n',
    "notes/c.md": "# Gamma\n\nBack to [[second]], and [alpha](a.md).\n",
    "notes/d.md": "# Delta\n\nAlone, but for [a page](https://example.org/a.md).\n",
    "knowledge-base/work.md": "## Lock first\n\n**Date:** 2026-01-02\n\nText [[#Then quote]].\n\n## Then quote\n\nText.\n",
}


@pytest.fixture
def web(kb: Path) -> Path:
    for name, text in FILES.items():
        (kb / name).parent.mkdir(parents=True, exist_ok=True)
        (kb / name).write_text(text, encoding="utf-8")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "notes", "--no-verify")
    return kb


def edges(folder: Path, *args: str) -> list[tuple[str, str, int]]:
    found = memgit(folder, "links", *args, "--format", "json").json
    return [(edge["from"], edge["to"], edge["line"]) for edge in found["links"]]


def test_links_to_and_from_with_their_lines(web: Path) -> None:
    assert edges(web, "notes/a") == [
        ("note/notes/a", "knowledge/work#Lock first", 4),
        ("note/notes/a", "note/notes/b", 3),
        ("note/notes/c", "note/notes/a", 3),
    ]
    assert edges(web, "note/notes/b") == [
        ("note/notes/a", "note/notes/b", 3),
        ("note/notes/b", "note/notes/c", 4),
        ("note/notes/c", "note/notes/b", 3),
    ]
    assert memgit(web, "links", "note/notes/a").out.splitlines() == [
        "linked from:",
        "  note/notes/c  (notes/c.md:3)",
        "links to:",
        "  knowledge/work#Lock first  (notes/a.md:4)",
        "  note/notes/b  (notes/a.md:3)",
    ]


def test_the_neighbourhood_grows_with_the_depth(web: Path) -> None:
    near = memgit(web, "links", "knowledge/work#Then quote", "--json").json
    assert [one["address"] for one in near["records"]] == [
        "knowledge/work#Lock first",
        "knowledge/work#Then quote",
    ]
    far = memgit(web, "links", "knowledge/work#Then quote", "--depth", "3", "--json").json
    assert [one["title"] for one in far["records"]] == [
        "Lock first",
        "Then quote",
        "Alpha",
        'Beta "quoted"',
        "Gamma",
    ]


def test_orphans(web: Path) -> None:
    assert memgit(web, "links", "--orphans").out.splitlines() == ["note/notes/d  Delta"]


def test_graphs_for_other_programs(web: Path) -> None:
    dot = memgit(web, "links", "note/notes/b", "--format", "dot").out
    assert '  "note/notes/b" [label="Beta \\"quoted\\""];' in dot
    assert '  "note/notes/a" -> "note/notes/b";' in dot
    mermaid = memgit(web, "links", "note/notes/b", "--format", "mermaid").out
    assert mermaid.splitlines()[:2] == ["flowchart LR", '  n0["Beta #34;quoted#34;"]']
    assert sum("-->" in line for line in mermaid.splitlines()) == 3


def test_uncommitted_links_and_old_ones(web: Path) -> None:
    (web / "notes/d.md").write_text("# Delta\n\n[[a]]\n", encoding="utf-8")
    assert ("note/notes/d", "note/notes/a", 3) in edges(web, "note/notes/a")
    assert ("note/notes/d", "note/notes/a", 3) not in edges(web, "note/notes/a", "--at", "HEAD")


def test_show_names_what_links_here(web: Path) -> None:
    assert memgit(web, "show", "note/notes/b").out.endswith("\nLinked from: note/notes/a, note/notes/c\n")
    assert memgit(web, "show", "note/notes/d", "--json").json["linked_from"] == []


def test_an_address_or_orphans(web: Path) -> None:
    assert "give an ADDRESS, or --orphans alone" in memgit(web, "links", code=2).err
    memgit(web, "links", "note/notes/a", "--orphans", code=2)


def test_a_time_is_a_revision(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for day in (1, 15):
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2024-02-{day:02}T12:00:00Z")
        monkeypatch.setenv("TZ", "UTC")
        (kb / "notes").mkdir(exist_ok=True)
        (kb / "notes/n.md").write_text(f"# N\n\nDay {day}.\n", encoding="utf-8")
        run_git(kb, "add", "-A")
        run_git(kb, "commit", "-qm", f"day {day}", "--no-verify", "--date", f"2024-02-{day:02}T12:00:00Z")
    first = run_git(kb, "rev-parse", "HEAD~1")
    for at in ("2024-02-01", "2024-02-14", "2024-02-15 11:59", "2024-02-01T12:00Z"):
        answer = memgit(kb, "show", "note/notes/n", "--at", at, "--json").json
        assert (answer["revision"], "Day 1." in answer["body"]) == (first, True), at
    assert "Day 15." in memgit(kb, "show", "note/notes/n", "--at", "2024-02-15").out
    assert "Day 15." in memgit(kb, "show", "note/notes/n", "--at", "2 weeks ago").out
    assert memgit(kb, "search", "day", "--at", "2024-02-01", "--json").json["revision"] == first
    assert (
        "no commit is as old as '1999-01-01'"
        in memgit(kb, "show", "note/notes/n", "--at", "1999-01-01", code=2).err
    )
    assert "no commit is named 'someday'" in memgit(kb, "show", "note/notes/n", "--at", "someday", code=2).err


@pytest.fixture
def named(kb: Path) -> Path:
    memgit(kb, "record", "decision", "Use git as the store", "-m", "Because.", "--date", "2025-01-02")
    memgit(kb, "record", "memory", "Retry policy", "-m", "Wait.")
    memgit(kb, "record", "memory", "Cache policy", "-m", "Keep.")
    return kb


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("use-git-as-the-store", "Use git as the store"),
        ("decision/use-git-as-the-store", "Use git as the store"),
        ("the-store", "Use git as the store"),
        ("MEMORY/RETRY-POLICY", "Retry policy"),
        ("Cache-Policy", "Cache policy"),
        ("cache POLICY", "Cache policy"),
    ],
)
def test_any_unique_ending_is_an_address(named: Path, text: str, title: str) -> None:
    assert memgit(named, "show", text, "--json").json["title"] == title


def test_two_candidates_are_both_named(named: Path) -> None:
    error = memgit(named, "show", "policy", code=2).err
    assert "memory/retry-policy" in error
    assert "memory/cache-policy" in error
    assert "no record" in memgit(named, "show", "polic", code=2).err
    assert "no record" in memgit(named, "show", "%", code=2).err
