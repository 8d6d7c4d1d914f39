"""Names: the same answers as from reading every record, without reading them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.cache.db import memory_cache
from memgit.cache.overlay import OverlaySnapshot
from memgit.cache.records import Snapshot, refresh
from memgit.git.repository import Repository
from memgit.model import link
from memgit.model.address import loosely
from memgit.model.layout import memgit, notes
from memgit.model.link import Names, normal
from memgit.model.record import Record
from tests.cache.trees import commit, document, entry, heads, opened, ordered, read
from tests.support import examples, run_git

LAYOUT = memgit()
FILES = {
    "knowledge-base/shell.md": (
        entry("Quote it", record_id="a000000001")
        + entry("Use A/B tests")
        + entry("C# tips")
        + entry("Quote it")
    ).encode(),
    "knowledge-base/web/css.md": (entry("Grid") + entry("Shell")).encode(),
    "experience/skill-pdf.md": (entry("Split pages", extra="**Skill:** pdf") + entry("Quote it")).encode(),
    "memory/team/api.md": document("API limits", "See [[shell#Quote it]] there.", id="b000000001"),
    "memory/other/api.md": document("API again", related="[shell]"),
    "memory/café.md": document("Café"),
    "memory/a#b.md": document("A hash"),
    "memory/caf\udce9.md": b"No text at all.\n",
    "decisions/20250102-use-git.md": document("Use git for all of it", status="accepted"),
    "notes/shell.md": b"# Grid\n",
    "notes/deep/skill-pdf.md": b"# Deep\n",
    "notes/other/deep.md": b'---\naliases: [Abyss, "The Deep"]\n---\n# Another deep\n',
}
RECORDS = read(FILES, LAYOUT)


@pytest.fixture(scope="module")
def git(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("names")
    run_git(folder, "init", "-q")
    return opened(folder)


@pytest.fixture(scope="module")
def snapshot(git: Repository) -> Iterator[Snapshot]:
    with memory_cache() as cache:
        yield refresh(cache, git, LAYOUT, commit(git, FILES))


def ends(address: str, wanted: str) -> bool:
    before = address[: len(address) - len(wanted)]
    return address.endswith(wanted) and (not before or before[-1] in "/#")


def slowly(text: str, records: list[Record]) -> list[Record]:
    """What a text means, found by looking at every record."""
    text = text.strip()
    wanted = normal(text)
    names = Names(records)
    if text.startswith("[[") and text.endswith("]]"):
        return list(names.resolve(link.parse(text[2:-2])).candidates)
    return (
        [record for record in records if record.address == text]
        or list(names.resolve(link.parse(text)).candidates)
        or [record for record in records if wanted and ends(normal(record.address), wanted)]
        or [record for record in records if wanted and normal(record.title) == wanted]
    )


def places(records: list[Record]) -> list[tuple[str, int]]:
    return [(record.path, record.ordinal) for record in ordered(records)]


@pytest.mark.parametrize(
    "text",
    [
        *(record.address for record in RECORDS),
        *(record.title for record in RECORDS),
        "a000000001",
        "b000000001",
        "c000000001",
        "api",
        "team/api",
        "other/api.md",
        "m/api",
        "[[shell]]",
        "[[shell#Quote it]]",
        "[[shell#Absent]]",
        "[[skill-pdf#Split pages]]",
        "skill-pdf",
        "pdf",
        "pdf#Split pages",
        "shell#Quote it",
        "B tests",
        "A/B tests",
        "b",
        "a#b",
        " tips",
        "# tips",
        "C#",
        "#Quote it",
        "Quote",
        "it",
        "cafe\u0301",
        "memory/cafe\u0301",
        "caf\udce9",
        "memory/caf\udce9",
        "20250102-use-git",
        "use-git",
        "notes/shell",
        "deep/skill-pdf",
        "note/notes/shell",
        "knowledge/shell",
        "web/css#Grid",
        "css#Shell",
        "css",
        "",
        " ",
        "#",
        "/",
        "[[]]",
        "[[#Grid]]",
        "memory/",
        "[[api|label]]",
        "Use git for all of it",
        "\0",
        "*",
        "%",
    ],
)
def test_a_name_means_what_reading_everything_says(snapshot: Snapshot, text: str) -> None:
    found = snapshot.lookup(text)
    expected = slowly(text, RECORDS)
    if expected:
        assert found == heads(expected)
    elif not found or not normal(found[0].title).endswith(normal(text)):
        named = [(normal(record.address), normal(record.title), record) for record in RECORDS]
        assert found == heads(loosely(named, normal(text)) if normal(text) else [])
    else:
        assert all(normal(record.title).endswith(normal(text)) for record in found)


def test_the_last_words_of_a_title_mean_it_where_nothing_else_does(snapshot: Snapshot) -> None:
    assert [record.title for record in snapshot.lookup("for all of it")] == ["Use git for all of it"]
    assert [record.title for record in snapshot.lookup("git for all of it")] == ["Use git for all of it"]
    assert snapshot.lookup("or all of it") == []
    assert snapshot.lookup("for all of") == []


NAMES = ["a", "b", "A", "a b", "é", "e\u0301", "x#y", "a/b", "#", "b#", "caf\udce9"]
keys = st.lists(
    st.sampled_from(["a", "b", "A", "é", "e\u0301", "x#y", "[a", "caf\udce9"]), min_size=1, max_size=3
).map("/".join)
entries = st.lists(st.sampled_from([name for name in NAMES if "\udce9" not in name]), max_size=3).map(
    lambda names: "".join(map(entry, names)).encode()
)
documents = st.sampled_from(["a", "b", "é", "A/B", "x#y"]).map(document)
some_files = st.dictionaries(
    st.one_of(keys.map(lambda key: f"memory/{key}.md"), keys.map(lambda key: f"notes/{key}.md")),
    documents,
    max_size=6,
).flatmap(
    lambda one: st.dictionaries(keys.map(lambda key: f"knowledge-base/{key}.md"), entries, max_size=3).map(
        lambda two: {**one, **two}
    )
)
queries = st.lists(
    st.sampled_from([*NAMES, "memory", "knowledge", "note", "notes", "/", "#", ".md", "c000000001"]),
    min_size=1,
    max_size=4,
).map("".join)


@given(some_files, st.lists(queries, min_size=1, max_size=6))
@settings(max_examples=examples(30))
def test_names_of_any_files(git: Repository, files: dict[str, bytes], texts: list[str]) -> None:
    # A path is not both a file and a folder.
    files = {
        path: data for path, data in files.items() if not any(other.startswith(path + "/") for other in files)
    }
    records = read(files, LAYOUT)
    with memory_cache() as cache:
        snapshot = refresh(cache, git, LAYOUT, commit(git, files))
        for text in [*texts, *(record.address for record in records), *(record.title for record in records)]:
            expected = slowly(text, records)
            found = snapshot.lookup(text)
            assert places(found) == places(expected) or not expected, text
            linked = link.parse(text)
            for origin in [None, *(record.path for record in records[:2])]:
                assert places(snapshot.named(linked, origin)) == places(
                    list(Names(records).resolve(linked, origin).candidates)
                ), text


def test_a_mistyped_address_has_suggestions(snapshot: Snapshot) -> None:
    assert snapshot.suggest("memory/team/apo")[0] == "memory/team/api"
    assert "decision/20250102-use-git" in snapshot.suggest("20250102-use-gti")
    assert "knowledge/shell#Quote it" in snapshot.suggest("knowledge/shell#Qoute it")
    assert "decision/20250102-use-git" in snapshot.suggest("Us git for all of it")
    assert "experience/pdf#Split pages" in snapshot.suggest("splitt pages")
    assert snapshot.suggest("zzzzzzzzzzzz") == []
    for text in ("", "[[", "\0", "\udce9", "🔧", "検索", "\U0010ffff\U0010ffff"):
        assert isinstance(snapshot.suggest(text), list)


def test_suggestions_do_not_read_every_record(git: Repository) -> None:
    files = {f"memory/s{n % 9}/word-{n}.md": document(f"Word number {n}") for n in range(3000)}
    files["memory/s1/kubernetes-notes.md"] = document("Kubernetes notes")
    with memory_cache() as cache:
        snapshot = refresh(cache, git, LAYOUT, commit(git, files))
        given_back = 0

        def count(sql: str) -> None:
            nonlocal given_back
            given_back += 1

        cache.connection.set_trace_callback(count)
        assert snapshot.suggest("memory/s1/kubernets-notes")[0] == "memory/s1/kubernetes-notes"
        cache.connection.set_trace_callback(None)
        assert given_back < 40


def test_files_that_hold_a_name(git: Repository) -> None:
    files = {
        "memory/target.md": document("Target"),
        "memory/one.md": document("One", "Look at [[target]]."),
        "memory/two.md": document("Two", related="[target]"),
        "memory/three.md": document("Three", "About a target that is no link."),
        "memory/four.md": document("Four", "Nothing."),
        "memory/broken.md": b"---\ntitle: A: b: [c\nrelated: [[target]]\n---\n\nText.\n",
        "knowledge-base/pre.md": b"---\nname: X\nsee: '[[target]]'\n---\n\n[[target]] before the first one.\n\n"
        + entry("Any").encode(),
        "knowledge-base/ent.md": (entry("First") + entry("Second", "See [[memory/target|it]].")).encode(),
        "notes/n.md": "Link to [[target]] and [[検索する]].\n".encode(),
    }
    with memory_cache() as cache:
        snapshot = refresh(cache, git, LAYOUT, commit(git, files))
        holding = {
            path
            for path, data in files.items()
            if b"[[target]]" in data or b"target|" in data or b"[target]" in data
        }
        assert holding <= set(snapshot.holding(["target"]))
        assert "memory/four.md" not in snapshot.holding(["target"])
        assert "notes/n.md" in snapshot.holding(["検索する"])
        assert snapshot.holding(["target", "..."]) == snapshot.paths()
        assert set(snapshot.holding([])) < set(snapshot.paths())


def test_names_count_uncommitted_edits_in(git: Repository, snapshot: Snapshot) -> None:
    overlay = OverlaySnapshot(
        snapshot, {"memory/team/api.md": None, "memory/new/fresh.md": document("Fresh", id="f000000001")}
    )
    assert [record.address for record in overlay.lookup("api")] == ["memory/other/api"]
    assert [record.address for record in overlay.lookup("fresh")] == ["memory/new/fresh"]
    assert [record.address for record in overlay.lookup("f000000001")] == ["memory/new/fresh"]
    assert overlay.lookup("b000000001") == overlay.with_id("b000000001") == []
    assert [record.address for record in snapshot.with_id("b000000001")] == ["memory/team/api"]
    assert overlay.taken("f000000001")
    assert snapshot.lookup("fresh") == []
    assert len(snapshot.lookup("api")) == 2


def test_notes_of_any_folder(git: Repository) -> None:
    files = {"README.md": b"# Top\n", "a/README.md": b"# Lower\n", "a/b.md": b"# Other\n"}
    records = read(files, notes())
    with memory_cache() as cache:
        snapshot = refresh(cache, git, notes(), commit(git, files))
        for text in ("README", "a/README", "b", "note/a/b", "Top", "[[README]]"):
            assert places(snapshot.lookup(text)) == places(slowly(text, records)), text


def test_a_corpus_of_links(workspace: object) -> None:
    assert callable(workspace)
    folder: Path = workspace("mem-skill-1.2")
    git = opened(folder)
    with memory_cache() as cache:
        snapshot = refresh(cache, git, LAYOUT, git.head().commit)
        records = [snapshot.load(record) for record in snapshot.records()]
        assert len(records) == 20
        names = Names(records)
        for record in records:
            for target in record.related:
                parsed = link.parse(target)
                assert places(snapshot.named(parsed, record.path)) == places(
                    list(names.resolve(parsed, record.path).candidates)
                )
