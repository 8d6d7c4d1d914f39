"""Merging trees in memory: what comes over, what conflicts, and that derived files never do."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.app.merge.tree_merge import TreeMerge, merge_bases, merge_trees
from memgit.app.workspace import open_workspace
from memgit.git.objects.tree import Entry, Tree, rewrite
from memgit.git.repository import Repository
from memgit.model.layout import memgit as memgit_layout
from tests.support import Prepared, closed_later, memgit, run_git

A = "---\nid: {}\ntitle: {}\ncreated: 2026-03-02\n---\n{}\n"
HTTP = """\
---
name: HTTP
keywords: [http]
---
# HTTP

## Retry only timeouts
**Date:** 2026-03-02
**Best Practice:**
- A 4xx will not get better
**Keywords:** http, retry
**Id:** kb00000001

## Back off
**Date:** 2026-03-02
**Best Practice:**
- Double the pause
**Keywords:** http, pause
**Id:** kb00000002
"""


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    return prepared("kb", with_files)


def with_files(kb: Path) -> None:
    write(kb, "knowledge-base/http.md", HTTP)
    write(kb, "memory/a.md", A.format("kb0000000a", "A", "one\n\ntwo\n\nthree"))
    write(kb, "src/code.py", "one\ntwo\nthree\nfour\nfive\n")
    memgit(kb, "rebuild")
    commit(kb, "start")


def write(folder: Path, path: str, text: str) -> None:
    (folder / path).parent.mkdir(parents=True, exist_ok=True)
    (folder / path).write_text(text, encoding="utf-8")


def change(folder: Path, path: str, old: str, new: str) -> None:
    text = (folder / path).read_text(encoding="utf-8")
    assert old in text
    write(folder, path, text.replace(old, new))


def commit(folder: Path, message: str) -> str:
    run_git(folder, "add", "-A")
    run_git(folder, "commit", "-q", "-m", message, "--no-verify", "--allow-empty")
    return run_git(folder, "rev-parse", "HEAD")


class Sides:
    """Two branches from the newest commit; `ours` is checked out first."""

    def __init__(self, kb: Path) -> None:
        self.kb = kb
        self.base = run_git(kb, "rev-parse", "HEAD")
        run_git(kb, "checkout", "-q", "-b", "ours")

    def theirs(self) -> None:
        commit(self.kb, "ours")
        run_git(self.kb, "checkout", "-q", "-b", "theirs", self.base)

    def merge(self, **options: object) -> tuple[Repository, TreeMerge]:
        commit(self.kb, "theirs")
        workspace = closed_later(open_workspace(str(self.kb), {}))
        repo = workspace.require_repository()
        base, ours, theirs = (repo.tree(repo.resolve(rev)) for rev in (self.base, "ours", "theirs"))
        found = merge_trees(repo, workspace.layout, base, ours, theirs, **options)  # type: ignore[arg-type]
        return repo, found


@pytest.fixture
def sides(kb: Path) -> Sides:
    return Sides(kb)


def result(repo: Repository, found: TreeMerge, path: str) -> bytes | None:
    tree = Tree(
        repo,
        rewrite(
            repo,
            repo.tree_of(repo.resolve("ours")),
            {p: None if e is None else e.entry(repo) for p, e in found.edits.items()},
        ),
    )
    return tree.data(path)


def test_each_side_adds_an_entry_to_one_category(sides: Sides) -> None:
    write(sides.kb, "knowledge-base/http.md", HTTP + "\n## Ours\n**Date:** 2026-03-03\n**Keywords:** http\n")
    memgit(sides.kb, "rebuild")
    sides.theirs()
    write(
        sides.kb, "knowledge-base/http.md", HTTP + "\n## Theirs\n**Date:** 2026-03-04\n**Keywords:** http\n"
    )
    memgit(sides.kb, "rebuild")
    repo, found = sides.merge()
    assert found.conflicts == ()
    text = (result(repo, found, "knowledge-base/http.md") or b"").decode()
    assert "## Ours" in text and "## Theirs" in text
    index = (result(repo, found, "knowledge-base/_index.json") or b"").decode()
    assert '"count": 4' in index and "2026-03-04" in index
    assert '"count": 3' in (found.plain["knowledge-base/_index.json"] or b"").decode()


def test_what_one_side_alone_changed_comes_over_with_its_mode(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "one", "ours")
    sides.theirs()
    (sides.kb / "src/code.py").chmod(0o755)
    (sides.kb / "link").symlink_to("src/code.py")
    _, found = sides.merge()
    assert found.conflicts == ()
    assert {path: edit.mode for path, edit in found.edits.items() if edit} == {
        "src/code.py": 0o100755,
        "link": 0o120000,
    }


def test_a_rename_against_an_edit(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "three", "three, edited by ours")
    sides.theirs()
    run_git(sides.kb, "mv", "memory/a.md", "memory/b.md")
    change(sides.kb, "memory/b.md", "title: A", "title: B")
    repo, found = sides.merge()
    assert found.conflicts == ()
    assert found.renamed == {"memory/a.md": "memory/b.md"}
    assert result(repo, found, "memory/a.md") is None
    text = (result(repo, found, "memory/b.md") or b"").decode()
    assert "edited by ours" in text and "title: B" in text


def test_an_edit_against_a_rename(sides: Sides) -> None:
    run_git(sides.kb, "mv", "memory/a.md", "memory/b.md")
    sides.theirs()
    change(sides.kb, "memory/a.md", "three", "three, edited by theirs")
    repo, found = sides.merge()
    assert found.conflicts == ()
    assert result(repo, found, "memory/a.md") is None
    assert b"edited by theirs" in (result(repo, found, "memory/b.md") or b"")


def test_a_rename_that_changed_nearly_all_is_found_by_the_id(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "created: 2026-03-02", "created: 2026-03-02\nkeywords: [new]")
    sides.theirs()
    (sides.kb / "memory/a.md").unlink()
    write(
        sides.kb,
        "memory/z.md",
        A.format("kb0000000a", "Another title", "Nothing of what was said before.\n" * 9),
    )
    repo, found = sides.merge()
    assert found.renamed == {"memory/a.md": "memory/z.md"}
    assert b"keywords: [new]" in (result(repo, found, "memory/z.md") or b"")


def test_two_renames_conflict_and_lose_nothing(sides: Sides) -> None:
    run_git(sides.kb, "mv", "memory/a.md", "memory/b.md")
    sides.theirs()
    run_git(sides.kb, "mv", "memory/a.md", "memory/c.md")
    repo, found = sides.merge()
    assert [(one.path, one.address) for one in found.conflicts] == [("memory/b.md", "memory/b")]
    assert result(repo, found, "memory/b.md") is not None


def test_one_rename_on_both_sides(sides: Sides) -> None:
    run_git(sides.kb, "mv", "memory/a.md", "memory/b.md")
    change(sides.kb, "memory/b.md", "one", "one by ours")
    sides.theirs()
    run_git(sides.kb, "mv", "memory/a.md", "memory/b.md")
    change(sides.kb, "memory/b.md", "three", "three by theirs")
    repo, found = sides.merge()
    assert found.conflicts == ()
    text = (result(repo, found, "memory/b.md") or b"").decode()
    assert "one by ours" in text and "three by theirs" in text


@pytest.mark.parametrize("mover", ["ours", "theirs"])
def test_an_entry_that_moved_takes_the_edit_along(sides: Sides, mover: str) -> None:
    head, _, back = HTTP.partition("## Back off")

    def move() -> None:
        write(sides.kb, "knowledge-base/http.md", head)
        write(sides.kb, "knowledge-base/queue.md", "---\nname: Queue\n---\n# Queue\n\n## Back off" + back)

    def edit() -> None:
        change(sides.kb, "knowledge-base/http.md", "Double the pause", "Double the pause, at most a minute")

    (move if mover == "ours" else edit)()
    memgit(sides.kb, "rebuild")
    sides.theirs()
    (edit if mover == "ours" else move)()
    memgit(sides.kb, "rebuild")
    repo, found = sides.merge()
    assert found.conflicts == ()
    assert b"Back off" not in (result(repo, found, "knowledge-base/http.md") or b"")
    assert b"at most a minute" in (result(repo, found, "knowledge-base/queue.md") or b"")


def test_a_delete_against_an_edit_is_a_conflict(sides: Sides) -> None:
    (sides.kb / "memory/a.md").unlink()
    sides.theirs()
    change(sides.kb, "memory/a.md", "three", "four")
    _, found = sides.merge(labels=("main", "topic"))
    assert [(one.path, one.address) for one in found.conflicts] == [("memory/a.md", "memory/a")]
    assert "deleted by main, changed by topic" in found.conflicts[0].message


def test_a_conflict_names_the_record_and_its_line(sides: Sides) -> None:
    change(sides.kb, "knowledge-base/http.md", "Double the pause", "Triple the pause")
    sides.theirs()
    change(sides.kb, "knowledge-base/http.md", "Double the pause", "Halve the pause")
    repo, found = sides.merge()
    assert [one.address for one in found.conflicts] == ["knowledge/http#Back off"]
    lines = (result(repo, found, "knowledge-base/http.md") or b"").decode().split("\n")
    assert lines[found.conflicts[0].line - 1].startswith("<<<<<<< ")


def test_a_file_and_a_folder_of_one_name(sides: Sides) -> None:
    write(sides.kb, "docs", "a file\n")
    sides.theirs()
    write(sides.kb, "docs/page.txt", "below it\n")
    repo, found = sides.merge()
    assert [one.path for one in found.conflicts] == ["docs/page.txt"]
    assert result(repo, found, "docs") == b"a file\n"


def test_a_file_that_became_a_folder(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "one", "ours")
    sides.theirs()
    (sides.kb / "src/code.py").unlink()
    write(sides.kb, "src/code.py/main.txt", "now a folder\n")
    repo, found = sides.merge()
    assert found.conflicts == ()
    assert result(repo, found, "src/code.py/main.txt") == b"now a folder\n"


def test_merging_what_did_not_change(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "one", "ours")
    sides.theirs()
    _, found = sides.merge()
    assert found.edits == {} and found.conflicts == ()


def test_both_sides_alike(sides: Sides) -> None:
    change(sides.kb, "memory/a.md", "one", "both")
    sides.theirs()
    change(sides.kb, "memory/a.md", "one", "both")
    _, found = sides.merge()
    assert found.edits == {} and found.conflicts == ()


def test_bases(sides: Sides) -> None:
    sides.theirs()
    repo, _ = sides.merge()
    one, other = repo.resolve("ours"), repo.resolve("theirs")
    assert merge_bases(repo, one, other) == [sides.base]
    run_git(sides.kb, "checkout", "-q", "--orphan", "alone")
    alone = commit(sides.kb, "alone")
    assert merge_bases(repo, one, alone) == []


# Laws

PATHS = (
    "memory/a.md",
    "memory/b.md",
    "knowledge-base/http.md",
    "knowledge-base/db.md",
    "code/x.py",
    "code/y.bin",
    "plain",
)
DOCUMENTS = tuple(
    A.format("kb0000000a", title, body)
    for title in ("A", "B")
    for body in ("one\n\ntwo\n\nthree", "one\n\n2\n\nthree", "1\n\ntwo\n\nthree")
)
ENTRIES = tuple(
    "".join(
        f"## {title}\n**Date:** 2026-03-02\n**Best Practice:**\n- {word}\n**Id:** kb0000000{number}\n\n"
        for number, (title, word) in enumerate(picked)
    )
    for picked in (
        (),
        (("One", "a"),),
        (("One", "b"),),
        (("One", "a"), ("Two", "c")),
        (("One", "b"), ("Two", "d")),
    )
)
FILES = {
    "memory": st.sampled_from(DOCUMENTS),
    "knowledge-base": st.sampled_from(ENTRIES),
    "code": st.sampled_from(("one\ntwo\nthree\n", "one\n2\nthree\n", "1\ntwo\nthree\n", "\0")),
    "plain": st.just("text\n"),
}
TREES = st.fixed_dictionaries({}, optional={path: FILES[path.split("/")[0]] for path in PATHS})


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    folder = tmp_path_factory.mktemp("laws")
    run_git(folder, "init", "-q")
    return closed_later(open_workspace(str(folder), {})).require_repository()


def tree(repo: Repository, files: dict[str, str]) -> Tree:
    edits = {path: Entry(0o100644, repo.write_blob(text.encode())) for path, text in files.items()}
    return Tree(repo, rewrite(repo, None, edits))


def merged(repo: Repository, *trees: Tree) -> tuple[Tree, TreeMerge]:
    found = merge_trees(repo, memgit_layout(), *trees, derivation="lines")
    return Tree(
        repo,
        rewrite(
            repo,
            trees[1].oid,
            {path: None if edit is None else edit.entry(repo) for path, edit in found.edits.items()},
        ),
    ), found


@given(base=TREES, ours=TREES, theirs=TREES)
def test_laws(empty: Repository, base: dict[str, str], ours: dict[str, str], theirs: dict[str, str]) -> None:
    one, two, three = (tree(empty, files) for files in (base, ours, theirs))
    for sides, expected in (((one, two, one), two), ((one, one, two), two), ((one, two, two), two)):
        result, found = merged(empty, *sides)
        assert (result, found.conflicts) == (expected, ())
    result, found = merged(empty, one, two, three)
    swapped, back = merged(empty, one, three, two)
    assert sorted({(place.path, place.address) for place in found.conflicts}) == sorted(
        {(place.path, place.address) for place in back.conflicts}
    )
    torn = {place.path for place in found.conflicts}
    there, here = (
        {path: oid for path, _, oid in side.walk() if path not in torn} for side in (result, swapped)
    )
    assert there.keys() == here.keys()
    assert {path for path in there if there[path] != here[path]} <= {
        path for path in there if path.startswith("knowledge-base/")
    }
    for path in there:
        # A line that all three have is in the merge, but for those of an entry that one side took away or
        # moved.
        if path in base and path in ours and path in theirs and not path.startswith("knowledge-base/"):
            kept = set(base[path].split("\n")) & set(ours[path].split("\n")) & set(theirs[path].split("\n"))
            assert kept <= set((result.data(path) or b"").decode().split("\n"))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("mover", ["ours", "theirs"])
def test_a_moved_entry_keeps_the_form_of_its_file(
    empty: Repository, mover: str, mark: str, newline: str
) -> None:
    entry = "## Tides\n**Date:** 2026-01-02\n**Best Practice:**\n- twice a day\n**Id:** a1b2c3d4e5\n"
    moon = "## Moon\n**Date:** 2026-01-02\n**Best Practice:**\n- pulls\n"
    edited = entry.replace("twice a day", "twice a day\n- a bit later each day")

    def stored(files: dict[str, str]) -> Tree:
        return tree(empty, {path: (mark + text).replace("\n", newline) for path, text in files.items()})

    sea, sky = "knowledge-base/sea.md", "knowledge-base/sky.md"
    base = stored({sea: f"{entry}\n{moon}", sky: moon})
    moved = stored({sea: moon, sky: f"{moon}\n{entry}"})
    changed = stored({sea: f"{edited}\n{moon}", sky: moon})
    one, two = (moved, changed) if mover == "ours" else (changed, moved)
    found = merge_trees(empty, memgit_layout(), base, one, two, derivation="lines")
    assert found.conflicts == ()
    edits = {path: edit and edit.entry(empty) for path, edit in found.edits.items()}
    wanted = stored({sea: moon, sky: f"{moon}\n{edited}"})
    whole = Tree(empty, rewrite(empty, one.oid, edits))
    assert [whole.data(path) for path in (sea, sky)] == [wanted.data(path) for path in (sea, sky)]


# Derived files of branches that leave them to the default one


INDEX = "memory/INDEX.md"


def indexes(sides: Sides, ours: str, theirs: str, before: str = "") -> None:
    """Two versions of an index: what stands above its generated part, and the records that it lists."""

    def text(above: str, *names: str) -> str:
        listed = "".join(f"- [{name}]({name}.md)\n" for name in names)
        opening = "<!-- memgit: generated, do not edit; `memgit rebuild` writes it -->"
        return f"# Memories\n\n{above}\n{opening}\n\n{listed}\n<!-- memgit: end of generated part -->\n"

    kb = sides.kb
    run_git(kb, "checkout", "-q", "-B", "start", sides.base)
    write(kb, "memory/a.md", "---\ntitle: a\ncreated: 2026-01-01\n---\nText.\n")
    write(kb, INDEX, text(before, "a"))
    sides.base = commit(kb, "base")
    run_git(kb, "checkout", "-q", "-B", "ours")
    write(kb, "memory/b.md", "---\ntitle: b\ncreated: 2026-01-01\n---\nText.\n")
    write(kb, INDEX, text(ours, "a", "b"))
    sides.theirs()
    write(kb, "memory/c.md", "---\ntitle: c\ncreated: 2026-01-01\n---\nText.\n")
    write(kb, INDEX, text(theirs, "a", "c"))


def listed(repo: Repository, found: TreeMerge) -> tuple[str, list[str]]:
    """What stands above the generated part after merging, and what it lists."""
    text = (result(repo, found, INDEX) or b"").decode()
    above = text.partition("<!--")[0].removeprefix("# Memories").strip()
    return above, [line.partition("]")[0][3:] for line in text.splitlines() if line.startswith("- [")]


def test_what_both_sides_list_is_joined_where_neither_is_the_default_branch(sides: Sides) -> None:
    indexes(sides, "", "")
    assert listed(*sides.merge(derivation="sides")) == ("", ["a", "b", "c"])


def test_their_list_counts_where_theirs_is_the_default_branch(sides: Sides) -> None:
    """What ours left in it, from the time before `indexes: trunk`, would conflict with each later merge there."""
    indexes(sides, "", "")
    assert listed(*sides.merge(derivation="theirs")) == ("", ["a", "c"])


@pytest.mark.parametrize("derivation", ["sides", "theirs"])
def test_what_people_wrote_on_one_side_stays(sides: Sides, derivation: str) -> None:
    indexes(sides, "Read this first.", "")
    assert listed(*sides.merge(derivation=derivation))[0] == "Read this first."


@pytest.mark.parametrize("derivation", ["sides", "theirs"])
def test_what_people_wrote_on_both_sides_conflicts(sides: Sides, derivation: str) -> None:
    indexes(sides, "Read this first.", "Read this last.", "Read this.")
    _, found = sides.merge(derivation=derivation)
    assert [one.path for one in found.conflicts] == [INDEX]


def test_a_list_that_only_ours_changed_goes_back_to_that_of_the_default_branch(sides: Sides) -> None:
    indexes(sides, "Ours.", "")
    run_git(sides.kb, "checkout", "-q", sides.base, "--", INDEX)
    assert listed(*sides.merge(derivation="theirs")) == ("Ours.", ["a", "c"])
