"""Trees, read and rewritten as git would."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memgit.errors import NotFound, Refused
from memgit.git.objects.tree import (
    EMPTY_TREE,
    EXECUTABLE,
    FILE,
    FOLDER,
    LINK,
    SUBMODULE,
    Delta,
    Entry,
    Tree,
    format_tree,
    parse_tree,
    rewrite,
    rewritten,
)
from tests.git.helpers import commit_files, opened
from tests.support import examples, run_git

NAMES = st.binary(min_size=1, max_size=6).map(
    lambda raw: raw.replace(b"\0", b"x").replace(b"/", b"y").decode("utf-8", "surrogateescape")
)
ENTRIES = st.dictionaries(
    NAMES,
    st.builds(
        Entry,
        st.sampled_from([FILE, EXECUTABLE, LINK, FOLDER, SUBMODULE]),
        st.binary(min_size=20, max_size=20).map(bytes.hex),
    ),
)


@given(ENTRIES)
def test_parse_gives_back_what_was_formatted(entries: dict[str, Entry]) -> None:
    data = format_tree(entries)
    assert parse_tree(data) == entries
    assert format_tree(parse_tree(data)) == data


PATHS = st.lists(st.sampled_from("abc"), min_size=1, max_size=4).map("/".join)


@given(st.lists(st.tuples(PATHS, st.one_of(st.none(), st.binary(max_size=3))), max_size=12))
@settings(
    max_examples=examples(12), suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_rewrite_is_what_git_would_write(
    tmp_path_factory: pytest.TempPathFactory, edits: list[tuple[str, bytes | None]]
) -> None:
    """One edit after the other, against an index that git keeps."""
    folder = tmp_path_factory.getbasetemp() / "rewrite"
    if not folder.exists():
        folder.mkdir()
        run_git(folder, "init", "-q")
    run_git(folder, "read-tree", "--empty")
    repo = opened(folder)
    tree = EMPTY_TREE
    for path, data in edits:
        entry = None if data is None else Entry(FILE, repo.write_blob(data))
        held = [name for name in run_git(folder, "ls-files", "-z").split("\0") if name]
        clash = entry is not None and any(
            name.startswith(path + "/") or path.startswith(name + "/") for name in held
        )
        try:
            unwritten = rewritten(repo, tree, {path: entry})
            tree = rewrite(repo, tree, {path: entry})
        except Refused:
            assert clash
            continue
        assert unwritten == tree
        assert not clash
        line = f"0 {'0' * 40}\t{path}\0" if entry is None else f"{FILE:o} {entry.oid}\t{path}\0"
        if entry is not None or path in held:
            run_git(folder, "update-index", "-z", "--index-info", data=line.encode())
        assert tree == run_git(folder, "write-tree")


def test_rewrite_of_names_that_are_not_utf8(repo: Path) -> None:
    opened_repo = opened(repo)
    blob = opened_repo.write_blob(b"x\n")
    tree = rewrite(opened_repo, None, {"caf\udce9/\udcff.md": Entry(FILE, blob), "café": Entry(FILE, blob)})
    rows = run_git(repo, "ls-tree", "-r", "-z", "--name-only", tree).split("\0")
    assert rows == ["caf\udce9/\udcff.md", "café", ""] or rows == ["café", "caf\udce9/\udcff.md", ""]
    run_git(repo, "fsck", "--strict")


def test_folder_sorts_as_if_its_name_ended_in_a_slash(repo: Path) -> None:
    opened_repo = opened(repo)
    entry = Entry(FILE, opened_repo.write_blob(b"x\n"))
    tree = rewrite(opened_repo, None, {"a/x": entry, "a.md": entry, "a0": entry, "a-b": entry})
    assert [name for name, _, _ in Tree(opened_repo, tree).list()] == ["a-b", "a.md", "a", "a0"]
    run_git(repo, "commit-tree", "-m", "x", tree)
    run_git(repo, "fsck", "--strict")


def test_get_list_walk(repo: Path) -> None:
    commit_files(repo, {"a.md": b"a\n", "b/c.md": b"c\n", "b/d/e.md": b"e\n"})
    opened_repo = opened(repo)
    tree = opened_repo.tree(opened_repo.head().commit)
    assert tree.get("b/d/e.md") == Entry(FILE, opened_repo.hash_blob(b"e\n"))
    assert tree.get("b") == Entry(FOLDER, run_git(repo, "rev-parse", "HEAD:b"))
    for path in ("none", "a.md/x", "b/none", "", "b/", "/a.md"):
        assert tree.get(path) is None
    assert [row[0] for row in tree.list()] == ["a.md", "b"]
    assert (
        tree.list("b/")
        == tree.list("b")
        == [
            ("c.md", FILE, opened_repo.hash_blob(b"c\n")),
            ("d", FOLDER, run_git(repo, "rev-parse", "HEAD:b/d")),
        ]
    )
    assert tree.list("a.md") == tree.list("none") == []
    assert [path for path, _, _ in tree.walk()] == ["a.md", "b/c.md", "b/d/e.md"]
    assert [path for path, _, _ in tree.walk("b/d/")] == ["b/d/e.md"]
    assert list(tree.listing()) == list(tree.listing(("",))) == list(tree.walk())
    assert list(tree.listing(("b/d/", "none/"))) == list(tree.walk("b/d/"))
    assert list(opened_repo.tree(None).listing()) == []
    assert list(opened_repo.at_prefix("b").tree(opened_repo.head().commit).listing(("d/",))) == [
        ("d/e.md", FILE, opened_repo.hash_blob(b"e\n"))
    ]
    opened_repo.at_prefix("")
    assert tree.data("a.md") == b"a\n"
    assert tree.data("b") is None
    assert tree == opened_repo.tree(opened_repo.head().commit)
    assert list(opened_repo.tree(None).walk()) == []


def test_diff_and_changes(repo: Path) -> None:
    commit_files(
        repo,
        {
            "same": b"s\n",
            "gone": b"g\n",
            "edit/a": b"1\n",
            "to-link": b"l\n",
            "to-folder": b"f\n",
            "mode": b"m\n",
            "caf\u00e9": b"c\n",
        },
    )
    opened_repo = opened(repo)
    old = opened_repo.tree(opened_repo.head().commit)
    for name in ("gone", "to-link", "to-folder"):
        (repo / name).unlink()
    (repo / "to-link").symlink_to("same")
    (repo / "mode").chmod(0o755)
    commit_files(repo, {"edit/a": b"2\n", "to-folder/x": b"x\n", "new": b"n\n"})
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "rest")
    new = opened_repo.tree(opened_repo.head().commit)
    blob = opened_repo.hash_blob
    assert old.diff(new) == [
        ("edit/a", blob(b"1\n"), blob(b"2\n")),
        ("gone", blob(b"g\n"), None),
        ("new", None, blob(b"n\n")),
        ("to-folder", blob(b"f\n"), None),
        ("to-folder/x", None, blob(b"x\n")),
        ("to-link", blob(b"l\n"), None),
    ]
    assert Delta("to-link", Entry(FILE, blob(b"l\n")), Entry(LINK, blob(b"same"))) in old.changes(new)
    assert Delta("mode", Entry(FILE, blob(b"m\n")), Entry(EXECUTABLE, blob(b"m\n"))) in old.changes(new)
    assert {(path, two, one) for path, one, two in old.diff(new)} == set(new.diff(old))
    assert old.diff(old) == []
    everything = [(path, None, oid) for path, _, oid in old.walk()]
    assert opened_repo.tree(None).diff(old) == everything
    assert old.diff(opened_repo.tree(None)) == [(path, oid, None) for path, _, oid in everything]


def test_diff_below_a_prefix(repo: Path) -> None:
    commit_files(repo, {"kb/a": b"1\n", "x": b"1\n"})
    opened_repo = opened(repo).at_prefix("kb")
    old = opened_repo.tree(opened_repo.head().commit)
    commit_files(repo, {"kb/a": b"2\n", "x": b"2\n"})
    new = opened_repo.tree(opened_repo.head().commit)
    assert [path for path, _, _ in old.diff(new)] == ["a"]


def test_missing_tree(repo: Path) -> None:
    opened_repo = opened(repo)
    broken = opened_repo.write(2, format_tree({"sub": Entry(FOLDER, "1" * 40), "f": Entry(FILE, "2" * 40)}))
    tree = Tree(opened_repo, broken)
    with pytest.raises(NotFound, match="missing"):
        tree.get("sub/x")
    with pytest.raises(NotFound, match="missing"):
        tree.data("f")
    with pytest.raises(NotFound, match="missing"):
        Tree(opened_repo, "3" * 40).diff(tree)


def test_a_comparison_of_commits_is_the_one_of_their_trees_and_is_kept(repo: Path) -> None:
    folders = 40
    names = [f"{number % 7}/{number}/\x01 ü\n{number}.md" for number in range(folders)]
    old = commit_files(
        repo, {f"kb/{name}": b"x\n" for name in names} | {"kb/a": b"a\n", "kb/b/c": b"c\n", "away/1": b"1\n"}
    )
    for number, name in enumerate(names):
        path = repo / "kb" / name
        if number % 3 == 0:
            path.write_bytes(b"y\n")
        elif number % 3 == 1:
            path.unlink()
        else:
            path.unlink()
            path.symlink_to("nowhere")
    (repo / "kb/a").unlink()
    (repo / "kb/b/c").unlink()
    run_git(repo, "add", "-A")
    new = commit_files(repo, {"kb/a/b": b"a\n", "kb/d/e/f": b"f\n", "away/1": b"2\n"})
    for one, two in ((old, new), (new, old), (old, None), (None, new), (old, old)):
        other = opened(repo).at_prefix("kb")
        found = other.compare(one, two)
        assert other.compare(one, two) is found
        assert found == other.tree(one).changes(other.tree(two))
    for missing in ("0" * 39 + "1", "--help", "5"):
        with pytest.raises(NotFound):
            opened(repo).compare(new, missing)
