"""Names and keywords of categories that were changed in `_index.json` alone are never lost."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support import Prepared, memgit, run_git, status

INDEX = "knowledge-base/_index.json"


@pytest.fixture
def web(prepared: Prepared) -> Path:
    """A knowledge repository with the category `web`, called "Web", whose file says so, and `http`, whose
    file says nothing.
    """
    return prepared("kb", make_web)


def make_web(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Grid",
        "--category",
        "web",
        "--category-name",
        "Web",
        "--category-keywords",
        "css, grid",
        "-m",
        "- auto-fit",
    )
    memgit(
        kb,
        "record",
        "knowledge",
        "Retry",
        "--category",
        "http",
        "-m",
        "- timeouts only",
        "--keywords",
        "http",
    )


def item(folder: Path, category: str = "web") -> dict[str, Any]:
    found = json.loads((folder / INDEX).read_text())["categories"]
    return next(row for row in found if row["id"] == category)


def in_index(folder: Path, **values: Any) -> None:
    """Edits the item of `web` as a person would, and no other byte."""
    path = folder / INDEX
    text = path.read_text()
    start = text.index('"id": "web"')
    head, rest = text[:start], text[start:]
    for key, value in values.items():
        old = item(folder)[key]
        before = next(
            form
            for form in (json.dumps(old), json.dumps(old, indent=2).replace("\n", "\n      "))
            if form in rest
        )
        rest = rest.replace(before, json.dumps(value), 1)
    path.write_text(head + rest)
    assert {**item(folder)} | values == item(folder)


def in_file(folder: Path, old: str, new: str) -> None:
    path = folder / "knowledge-base/web.md"
    assert old in path.read_text()
    path.write_text(path.read_text().replace(old, new))


def commit(folder: Path) -> None:
    run_git(folder, "commit", "-qam", "with plain git")


def meta(folder: Path) -> str:
    return (folder / "knowledge-base/web.md").read_text().partition("\n---\n")[0]


def test_a_name_changed_in_the_index_survives_the_next_record(web: Path) -> None:
    in_index(web, name="Web craft")
    commit(web)
    answer = memgit(web, "record", "knowledge", "Flex", "--category", "web", "-m", "- gap works too")
    assert "took over the name" in answer.err
    assert "name: Web craft" in meta(web)
    assert item(web)["name"] == "Web craft"
    assert item(web)["count"] == 2
    assert "[Web craft](knowledge-base/web.md)" in (web / "INDEX.md").read_text()
    assert status(web) == ""
    assert memgit(web, "rebuild", "--check", "--json").json["differences"] == []


def test_a_name_changed_long_ago_in_the_index_is_found_in_history(web: Path) -> None:
    in_index(web, name="Web craft")
    commit(web)
    for number in range(3):
        memgit(web, "record", "memory", f"Tides {number}", "-m", "Twice a day.")
    (web / ".git/memgit/derived").unlink(missing_ok=True)
    memgit(web, "record", "knowledge", "Flex", "--category", "web", "-m", "- gap works too")
    assert item(web)["name"] == "Web craft"
    assert "name: Web craft" in meta(web)


def test_a_name_changed_in_the_index_survives_in_a_fresh_clone(web: Path, tmp_path: Path) -> None:
    in_index(web, name="Web craft")
    commit(web)
    run_git(tmp_path, "clone", "-q", str(web), "clone")
    memgit(tmp_path / "clone", "record", "knowledge", "Flex", "--category", "web", "-m", "- gap works too")
    assert "name: Web craft" in meta(tmp_path / "clone")


@pytest.mark.parametrize("committed", [True, False])
def test_a_name_changed_in_the_index_survives_rebuild(web: Path, committed: bool) -> None:
    in_index(web, name="Web craft")
    if committed:
        commit(web)
    found = memgit(web, "rebuild", "--check", "--json", code=1).json["differences"]
    assert {row["path"] for row in found} == {"INDEX.md", "knowledge-base/web.md"}
    assert "name: Web\n" in meta(web) + "\n"
    answer = memgit(web, "rebuild")
    assert "wrote knowledge-base/web.md" in answer.out
    assert "took over the name" in answer.err
    assert "name: Web craft" in meta(web)
    assert item(web)["name"] == "Web craft"
    assert memgit(web, "rebuild", "--json").json["written"] == []


def test_rebuild_commits_what_it_took_over(web: Path) -> None:
    in_index(web, name="Web craft")
    commit(web)
    memgit(web, "rebuild", "--commit")
    assert status(web) == ""
    assert "name: Web craft" in meta(web)
    assert memgit(web, "rebuild", "--check", "--at", "HEAD", "--json").json["differences"] == []


def test_a_keyword_taken_out_of_the_index_stays_out(web: Path) -> None:
    in_index(web, keywords=["css", "layout"])
    commit(web)
    memgit(web, "record", "knowledge", "Flex", "--category", "web", "-m", "- gap works too")
    assert item(web)["keywords"] == ["css", "layout"]
    assert "grid" not in meta(web)
    assert "layout" in meta(web)


@pytest.mark.parametrize("way", ["record", "rebuild"])
def test_where_both_were_edited_the_frontmatter_counts_and_it_is_said(web: Path, way: str) -> None:
    in_index(web, name="From the index")
    in_file(web, "name: Web", "name: From the file")
    commit(web)
    args = (
        ["rebuild"]
        if way == "rebuild"
        else ["record", "knowledge", "Flex", "--category", "web", "-m", "- gap"]
    )
    answer = memgit(web, *args)
    assert '"From the file" in its frontmatter and "From the index"' in answer.err
    assert item(web)["name"] == "From the file"
    assert "name: From the file" in meta(web)
    assert "counts" not in memgit(web, "rebuild").err


def test_a_name_changed_in_the_frontmatter_alone_is_no_question(web: Path) -> None:
    in_file(web, "name: Web", "name: From the file")
    commit(web)
    answer = memgit(web, "rebuild")
    assert answer.err == ""
    assert item(web)["name"] == "From the file"


def test_a_category_whose_file_says_nothing_keeps_the_name_of_the_index(web: Path) -> None:
    path = web / INDEX
    path.write_text(path.read_text().replace('"Http"', '"The wire"'))
    commit(web)
    assert memgit(web, "rebuild", "--json").json["written"] == ["INDEX.md"]
    memgit(web, "record", "knowledge", "Backoff", "--category", "http", "-m", "- with jitter")
    assert item(web, "http")["name"] == "The wire"
    assert memgit(web, "record", "knowledge", "Caching", "--category", "cache", "-m", "- etag").err == ""
    assert not (web / "knowledge-base/cache.md").read_text().startswith("---")


# memgit commit


def test_commit_takes_an_edited_index(web: Path) -> None:
    in_index(web, name="Web craft")
    answer = memgit(web, "commit")
    assert "took over the name" in answer.err
    assert status(web) == ""
    assert "name: Web craft" in meta(web)
    assert item(web)["name"] == "Web craft"
    assert run_git(web, "log", "-1", "--format=%s") == "fix: indexes"
    assert memgit(web, "rebuild", "--check", "--json").json["differences"] == []


def test_commit_takes_prose_outside_the_block_and_derives_the_block(web: Path) -> None:
    page = web / "INDEX.md"
    page.write_text("Our words.\n\n" + page.read_text().replace("[Web]", "[Wrong]"))
    memgit(web, "commit", "INDEX.md")
    assert status(web) == ""
    assert page.read_text().startswith("Our words.\n")
    assert "[Web]" in page.read_text()
    assert run_git(web, "show", "HEAD:INDEX.md") + "\n" == page.read_text()


def test_commit_mends_a_broken_index(web: Path) -> None:
    right = (web / INDEX).read_bytes()
    (web / INDEX).write_text("{ broken")
    memgit(web, "commit")
    assert (web / INDEX).read_bytes() == right.rstrip()
    assert status(web) == ""


def test_commit_takes_records_and_indexes_together(web: Path) -> None:
    in_index(web, name="Web craft")
    in_file(web, "auto-fit", "auto-fill")
    memgit(web, "commit")
    assert status(web) == ""
    assert "name: Web craft" in meta(web)
    assert run_git(web, "log", "-1", "--format=%s") == "update(knowledge): Grid"


def test_commit_leaves_out_a_derived_file_that_it_cannot_derive_over(web: Path) -> None:
    page = web / "INDEX.md"
    page.write_text(page.read_text().replace("<!-- memgit: end of generated part -->", ""))
    in_file(web, "auto-fit", "auto-fill")
    answer = memgit(web, "commit")
    assert "INDEX.md:3: not committed: the generated block is torn" in answer.err
    assert status(web) == " M INDEX.md"


def test_commit_takes_what_rebuild_wrote(web: Path) -> None:
    (web / "INDEX.md").write_text("# Index\n")
    run_git(web, "commit", "-qam", "drift")
    memgit(web, "rebuild")
    assert status(web) == " M INDEX.md"
    memgit(web, "commit")
    assert status(web) == ""


@pytest.mark.parametrize("committed", [False, True])
def test_half_a_character_in_an_index_is_told_of_once(web: Path, committed: bool) -> None:
    """As a tool leaves it that cuts a name within an emoji: no file can hold it, so a mark for it is taken
    over.
    """
    in_index(web, name="Web \ud83d", keywords=["css", "gr\udce9id", "\U0001f578"])
    if committed:
        commit(web)
    answer = memgit(web, "rebuild")
    assert answer.err == f"memgit: knowledge-base/web.md: took over the name and keywords set in {INDEX}\n"
    assert meta(web).split("\n")[1:] == ["name: Web \ufffd", "keywords: [css, gr\ufffdid, \U0001f578]"]
    assert (item(web)["name"], item(web)["keywords"]) == ("Web \ufffd", ["css", "gr\ufffdid", "\U0001f578"])
    again = memgit(web, "rebuild")
    assert ("0 written" in again.out, again.err) == (True, "")
    assert memgit(web, "rebuild", "--check").err == ""
    commit(web)
    assert memgit(web, "lint", "--select", "MG101", "--json", code=None).json["findings"] == []


def test_half_a_character_where_the_file_says_nothing(web: Path) -> None:
    path = web / INDEX
    path.write_text(path.read_text().replace('"Http"', '"Ht \\ud800tp"'))
    commit(web)
    for _ in range(2):
        assert memgit(web, "rebuild").err == ""
    assert "[Ht \ufffdtp](knowledge-base/http.md)" in (web / "INDEX.md").read_text()
    memgit(web, "record", "knowledge", "Backoff", "--category", "http", "-m", "- With jitter")
    assert item(web, "http")["count"] == 2
    assert memgit(web, "rebuild", "--check").err == ""


@pytest.mark.parametrize("way", ["record", "rebuild", "commit"])
@pytest.mark.parametrize(
    "thin", ["{}", '{"categories": [{"file": "http.md"}, {"id": "web"}], "totalEntries": 2}']
)
def test_an_index_that_lost_its_keys_gets_them_back(web: Path, thin: str, way: str) -> None:
    path = web / INDEX
    told = json.loads(path.read_text())
    for row in told["categories"]:
        if row["id"] == "http":
            row.update(name="Over the wire", keywords=["http", "latency"])  # what only the index knows
    path.write_text(json.dumps({**told, "absorbedSkills": ["one"]}, indent=2) + "\n")
    commit(web)
    path.write_text(thin)
    if way == "commit":
        memgit(web, "commit")
    else:
        commit(web)
        memgit(web, "rebuild", "--check", code=1)
        memgit(
            web,
            *(
                ("rebuild", "--commit")
                if way == "rebuild"
                else ("record", "knowledge", "Flex", "--category", "web", "-m", "- gap")
            ),
        )
    value = json.loads(path.read_text())
    assert set(value) == set(told) and value["absorbedSkills"] == ["one"]
    assert all(set(row) == {"id", "name", "keywords", "file", "count"} for row in value["categories"])
    assert {key: item(web, "http")[key] for key in ("name", "keywords")} == {
        "name": "Over the wire",
        "keywords": ["http", "latency"],
    }
    assert {key: item(web)[key] for key in ("name", "keywords", "file")} == {
        "name": "Web",
        "keywords": ["css", "grid"],
        "file": "web.md",
    }
    assert memgit(web, "rebuild", "--check", "--json").json["differences"] == []
    assert status(web) == ""
