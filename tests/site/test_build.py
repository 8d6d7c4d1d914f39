"""The static site: what is in it, what stays out, and what a change writes."""

from __future__ import annotations

import json
import os
import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import pytest

from tests.support import Answer, memgit, run_git, write


def site(store: Path, *args: str, code: int = 0) -> tuple[Path, Answer]:
    folder = store.parent / "site"
    return folder, memgit(store, "site", str(folder), *args, code=code)


def pages(folder: Path) -> dict[str, str]:
    return {path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*.html")}


class Targets(HTMLParser):
    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.ids: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in ("href", "src", "action") and value:
                self.links.append(value)
            elif name == "id" and value:
                self.ids.add(value)


def check_links(folder: Path) -> int:
    """Every internal link leads to a file of the site, and to an anchor that is there; how many there are."""
    read = {name: Targets(text) for name, text in pages(folder).items()}
    count = 0
    for name, found in read.items():
        for link in found.links:
            if re.match("[a-z]+:", link):
                continue
            path, _, fragment = link.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(name), unquote(path))) if path else name
            assert (folder / place).is_file(), (name, link)
            assert not fragment or unquote(fragment) in read[place].ids, (name, link)
            count += 1
    return count


def test_pages_links_and_history(store: Path) -> None:
    folder, done = site(store)
    assert "4 records" in done.out
    heron = (folder / "records/memory/team/heron.html").read_text()
    assert "Linked from" in heron and ">Start<" not in heron
    assert 'href="../../../records/knowledge/backend/retry-with-backoff.html">Retry with backoff</a>' in heron
    assert "<ins> is slow</ins>" in heron and "updated by" in heron
    [decision] = [text for name, text in pages(folder).items() if name.startswith("records/decision/2")]
    assert (
        "with claude-code" in decision and "Load</p>" in decision and '<blockquote class="embed">' in decision
    )
    assert '<span class="unresolved">nothing</span>' in decision
    start = next(folder.rglob("start.html")).read_text()
    assert "#h-context" in start and "#b-why" in start
    assert 'files/notes/img/plan.png"' in start and (folder / "files/notes/img/plan.png").is_file()
    assert check_links(folder) > 150


def test_what_is_excluded_or_archived_leaves_no_trace(store: Path) -> None:
    folder, _ = site(store)
    for path in folder.rglob("*"):
        if path.is_file() and path.suffix in (".html", ".json", ".xml"):
            text = path.read_text()
            assert "alary" not in text and "Confidential" not in text and "salary" not in text, path
            assert "Forgotten" not in text, path


def test_lists_board_feed_and_graph(store: Path) -> None:
    folder, _ = site(store)
    assert "accepted" in (folder / "decisions.html").read_text()
    assert ">retries</bdi>" in (folder / "tags/index.html").read_text()
    graph = json.loads((folder / "graph.json").read_text())
    names = [title for title, _, _ in graph["nodes"]]
    assert [names.index("Heron"), names.index("Retry with backoff")] in graph["edges"]
    feed = ElementTree.parse(folder / "feed.xml").getroot()
    atom = "{http://www.w3.org/2005/Atom}"
    assert len(feed.findall(f"{atom}entry")) >= 4 and feed.find(f"{atom}title") is not None
    places = [
        one.text or "" for one in ElementTree.parse(folder / "sitemap.xml").getroot().iter() if one.text
    ]
    assert "https://notes.example.org/records/memory/team/heron.html" in places


def test_a_second_build_writes_nothing_and_a_change_what_it_touches(store: Path) -> None:
    folder, _ = site(store)
    stamp = {path: path.stat().st_mtime_ns for path in folder.rglob("*.html")}
    _, again = site(store, "--json")
    assert (again.json["written"], again.json["removed"]) == (0, 0)
    assert stamp == {path: path.stat().st_mtime_ns for path in folder.rglob("*.html")}
    memgit(store, "update", "Retry with backoff", "-m", "Wait longer.")
    site(store)
    changed = {
        path.relative_to(folder).as_posix() for path, was in stamp.items() if path.stat().st_mtime_ns != was
    }
    assert "records/knowledge/backend/retry-with-backoff.html" in changed
    assert not any(name.endswith("start.html") for name in changed)
    memgit(store, "rename", "memory/team/heron", "Grey heron")
    site(store)
    assert not (folder / "records/memory/team/heron.html").exists()
    check_links(folder)


def test_a_site_that_grew_is_that_of_a_fresh_folder(store: Path) -> None:
    """Whatever a build takes over from the last one, by blob or by digest, it writes what a first build does."""
    folder, _ = site(store)
    text = "Spread [[Retry with backoff]]."
    memgit(store, "record", "knowledge", "Jitter", "--category", "backend", "-m", text)
    site(store)
    write(store, "memory/team/heron.md", "---\ntitle: Grey heron\n---\n\nIt moved, see [[#Grey heron]].\n")
    site(store)
    memgit(store, "archive", "Jitter", "--reason", "old")
    config = (store / ".memgit.yaml").read_text()
    (store / ".memgit.yaml").write_text(config.replace("exclude: [", "exclude: [decision, ", 1))
    site(store)
    fresh = store.parent / "fresh"
    memgit(store, "site", str(fresh))
    assert pages(folder) == pages(fresh)
    assert json.loads((folder / "graph.json").read_text()) == json.loads((fresh / "graph.json").read_text())


def test_at_an_earlier_commit(store: Path) -> None:
    commit = run_git(store, "rev-parse", "HEAD~1")
    folder, _ = site(store, "--at", commit)
    assert "The build agent. See" in (folder / "records/memory/team/heron.html").read_text()


def test_a_folder_of_something_else_is_left_alone(store: Path) -> None:
    write(store.parent, "site/mine.txt", "mine")
    _, done = site(store, code=3)
    assert "did not make it" in done.err and os.listdir(store.parent / "site") == ["mine.txt"]


@pytest.mark.parametrize("text", ['{"version": 1', "[]", "", '{"files": {"../../kb/.memgit.yaml": "x"}}'])
def test_a_damaged_manifest_is_built_again_and_removes_nothing_outside(store: Path, text: str) -> None:
    folder, _ = site(store)
    (folder / ".memgit-site.json").write_text(text)
    site(store)
    assert (store / ".memgit.yaml").exists() and check_links(folder) > 150


def test_titles_that_differ_by_case_or_in_nothing_a_file_name_keeps_get_pages_of_their_own(kb: Path) -> None:
    for number, title in enumerate(("Tide", "tide?", "<script>alert(1)</script>", "\u202eevil", "..", "CON")):
        write(kb, f"notes/{number}.md", f"---\ntitle: '{title}'\n---\n\ntext {number}\n")
        write(kb, f"notes/{'sub' if number else 'Sub'}/same.md", "# Same\n")
    folder, _ = site(kb)
    found = [
        name for name in pages(folder) if name.startswith("records/note/") and not name.endswith("index.html")
    ]
    assert len({name.casefold() for name in found}) == len(found) == 8
    for text in pages(folder).values():
        assert "<script>alert" not in text and "\u202e" not in text
    check_links(folder)


def test_an_unknown_key_is_named(store: Path) -> None:
    configuration = store / ".memgit.yaml"
    configuration.write_text(configuration.read_text().replace("exclude:", "exlude:"))
    _, done = site(store, code=2)
    assert "site.exlude" in done.err
