"""What an ingest leaves behind: links that lead somewhere, sources that another clone can follow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git

ONE = """\
# Mooring

1. Throw the rope, see [the knots](knots.md#bowline-knot) and [all of them](knots.md).
2. ![the wharf](wharf.png) is shown in [the plan](../plan.pdf).
3. See [[knots]] and [[Nowhere|somewhere else]], or [steps](#mooring).
"""
TWO = """\
# Knots of the harbour

## Bowline knot

- Make a loop, then [moor](mooring.md "back").

## Clove hitch

- Two turns round the post.
"""


@pytest.fixture
def texts(tmp_path: Path) -> Path:
    folder = tmp_path / "handbook"
    folder.mkdir()
    (folder / "mooring.md").write_text(ONE)
    (folder / "knots.md").write_text(TWO)
    (folder / "wharf.png").write_bytes(b"\x89PNG")
    (tmp_path / "plan.pdf").write_bytes(b"%PDF-")
    return folder


@pytest.fixture
def kb(tmp_path: Path) -> Path:
    memgit(tmp_path, "init", "kb")
    return tmp_path / "kb"


def test_a_link_to_a_heading_of_the_same_text(kb: Path, texts: Path) -> None:
    words = "harbour lamp rope anchor wharf crane barge ferry pilot buoy " * 12
    other = "flour oven dough yeast crust salt water loaf basket steam " * 12
    (texts / "book.md").write_text(
        f"# Book\n\n## Ropes\n\n1. See [bread](#bread) or [gone](#nowhere).\n\n{words}\n"
        f"\n## Bread\n\n1. Bake.\n\n{other}\n{other}\n{words}\n"
    )
    memgit(kb, "ingest", str(texts / "book.md"), "--yes", "--category", "harbour")
    text = (kb / "knowledge-base/harbour.md").read_text()
    assert "[bread](harbour.md#book-bread)" in text and "](#" not in text


def test_a_wikilink_to_nothing_keeps_its_words(kb: Path, texts: Path) -> None:
    memgit(kb, "record", "knowledge", "Knots", "--category", "ropes", "-m", "A loop.")
    answer = memgit(kb, "ingest", str(texts / "mooring.md"), "--yes", "--category", "harbour")
    text = (kb / "knowledge-base/harbour.md").read_text()
    assert "See knots and somewhere else, or" in text and "knots is unresolved" in answer.err
    assert "MG201" not in memgit(kb, "lint", code=None).out


def test_what_ingest_wrote_stops_no_commit(kb: Path, texts: Path) -> None:
    memgit(kb, "hooks", "install")
    memgit(kb, "ingest", str(texts), "--yes", "--category", "harbour")
    path = kb / "knowledge-base/harbour.md"
    path.write_text(path.read_text().replace("Two turns", "Three turns"))
    run_git(kb, "commit", "-qam", "by hand")
    assert "by hand" in run_git(kb, "log", "-1", "--format=%B")


def test_links_to_files_of_the_root_lead_there_still(kb: Path) -> None:
    (kb / "docs").mkdir()
    (kb / "docs/mooring.md").write_text(ONE)
    (kb / "docs/wharf.png").write_bytes(b"\x89PNG")
    memgit(kb, "ingest", str(kb / "docs/mooring.md"), "--yes", "--category", "harbour")
    text = (kb / "knowledge-base/harbour.md").read_text()
    assert "](../docs/wharf.png)" in text and "**Source:** file:docs/mooring.md" in text


def test_a_file_outside_is_known_by_name_and_hash(kb: Path, texts: Path) -> None:
    def sources() -> set[str]:
        return {one["source"] for one in memgit(kb, "list", "--json").json}

    memgit(kb, "ingest", str(texts / "knots.md"), "--yes")
    (before,) = sources()
    assert before.startswith("file:knots.md@") and str(texts) not in run_git(kb, "log", "-1", "--format=%B")
    assert "nothing to write" in memgit(kb, "ingest", str(texts / "knots.md"), "--yes").out
    (texts / "knots.md").write_text(TWO.replace("Two turns", "Three turns"))
    memgit(kb, "ingest", str(texts / "knots.md"), "--yes")
    assert len(sources()) in (1, 2) and sources() != {before}
    other = texts / "other"
    other.mkdir()
    (other / "knots.md").write_text(
        "# Knots of the harbour\n\n- Nothing but sailing boats with masts live here.\n"
    )
    answer = memgit(kb, "ingest", str(other / "knots.md"), "--yes")
    assert "updated" not in answer.out  # another file of the same name replaces nothing


def test_a_page_in_a_file_has_its_date(kb: Path, tmp_path: Path) -> None:
    pytest.importorskip("trafilatura")
    words = "<p>" + "The pump of the lock needs oil before the spring tide comes in. " * 8 + "</p>"
    day = '<time datetime="2024-03-05">5 March 2024</time>'
    page = f"<html><body><article><h1>Pumps</h1>{day}{words}</article></body></html>"
    (tmp_path / "pumps.html").write_text(page)
    memgit(kb, "ingest", str(tmp_path / "pumps.html"), "--yes")
    (record,) = memgit(kb, "list", "--json").json
    assert record["created"] == "2024-03-05"


def test_the_day_in_the_name_of_a_file_is_that_of_its_records(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "2024-03-05-pumps.md").write_text("# Pumps\n\nOil the pump before the spring tide.\n")
    memgit(kb, "ingest", str(tmp_path / "2024-03-05-pumps.md"), "--yes")
    (record,) = memgit(kb, "list", "--json").json
    assert record["created"] == "2024-03-05"
