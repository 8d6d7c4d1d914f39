"""`memgit list`: filters by date and task, orders, columns and formats."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, write

KINDS = (
    ("memory/a.md", '---\ntitle: "Zeta\\ttab"\ncreated: 2026-01-05\n---\n\nx\n'),
    (
        "memory/b.md",
        "---\ntitle: Alpha\ncreated: 2026-01-01\nupdated: 2026-03-01\nusage_count: 4\n---\n\nx\n",
    ),
    ("memory/c.md", "---\ntitle: Middle\n---\n\nx\n"),
    ("decisions/20260201-d.md", "---\ntitle: D\ncreated: 2026-02-01\nstatus: proposed\n---\n\nx\n"),
    ("decisions/20260202-e.md", "---\ntitle: E\ncreated: 2026-02-02\nstatus: accepted\n---\n\nx\n"),
    (
        "observations/2026/03/o1.md",
        "---\ntitle: One\nat: 2026-03-01T10:00:00Z\nrelated_task: WEB-1\n---\n\nx\n",
    ),
    (
        "observations/2026/03/o2.md",
        "---\ntitle: Two\nat: 2026-03-01T12:00:00Z\nrelated_task: WEB-2\n---\n\nx\n",
    ),
)


@pytest.fixture
def kept(kb: Path) -> Path:
    for path, text in KINDS:
        write(kb, path, text)
    memgit(kb, "commit", "--no-verify")
    return kb


def names(kb: Path, *args: str) -> str:
    """The file names of the records that are listed, joined by blanks."""
    return " ".join(row["path"].rpartition("/")[2][:-3] for row in memgit(kb, "list", *args, "--json").json)


@pytest.mark.parametrize(
    ("args", "found"),
    [
        (("memory", "--sort", "title"), "b c a"),
        (("memory", "--sort", "updated"), "b a c"),
        (("memory", "--sort", "updated", "--reverse"), "c a b"),
        (("memory", "--sort", "created", "-n", "1"), "a"),
        (("memory", "--sort", "uses", "-n", "1"), "b"),
        (("memory", "--reverse"), "c b a"),
        (("decision", "--sort", "status"), "20260202-e 20260201-d"),
        (("--sort", "kind", "-n", "2"), "20260201-d 20260202-e"),
        (("memory", "--since", "2026-01-05"), "a b"),
        (("memory", "--since", "2026-02"), "b"),
        (("decision", "--since", "2026-02-02"), "20260202-e"),
        (("observation", "--since", "2026-03-01T11:00Z"), "o2"),
        (("observation", "--since", "2026-03-01T13:00+02:00"), "o2"),
        (("memory", "--since", "2026-03-01T11:00Z"), "b"),
        (("observation", "--related-task", "WEB-1"), "o1"),
        (("observation", "--task", "WEB-3"), ""),
    ],
)
def test_filters_and_orders(kept: Path, args: tuple[str, ...], found: str) -> None:
    assert names(kept, *args) == found


def test_a_use_counts_in_the_order(kept: Path) -> None:
    for _ in range(5):
        memgit(kept, "use", "memory/c")
    assert names(kept, "memory", "--sort", "uses", "-n", "2") == "c b"


def test_formats(kept: Path) -> None:
    assert memgit(kept, "list", "decision").out.splitlines()[0] == "decision/20260201-d  D"
    table = memgit(kept, "list", "--format", "table", "--archived").out.splitlines()
    assert (
        "2026-01-05            memory/a  Zeta\ttab" in table
        and "2026-02-01  proposed  decision/20260201-d  D" in table
    )
    assert (
        memgit(kept, "list", "memory", "--format", "table").out.splitlines()[2]
        == f"{'':<10}  memory/c  Middle"
    )
    rows = [line.split("\t") for line in memgit(kept, "list", "--format", "tsv").out.splitlines()]
    assert all(len(row) == 8 for row in rows) and rows[2][2] == "Zeta\\ttab"
    assert ["memory", "memory/b", "Alpha", "", "2026-01-01", "2026-03-01", "", "memory/b.md"] in rows
    assert memgit(kept, "list", "--format", "json").json == memgit(kept, "list", "--json").json


def test_what_is_no_date_is_said(kept: Path) -> None:
    assert "is not a date" in memgit(kept, "list", "--since", "soon", code=2).err


def test_archived_is_a_status_in_the_table(kept: Path) -> None:
    memgit(kept, "archive", "memory/a")
    assert "archived  memory/a" in memgit(kept, "list", "--archived", "--format", "table").out
