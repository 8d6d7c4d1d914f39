"""What the user has edited or staged in the same files stays theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.errors import Refused
from tests.git.helpers import assert_in_order, commit_files, committed, porcelain, put, staged
from tests.support import run_git

BASE = b"one\ntwo\nthree\nfour\nfive\n"
OURS = b"one\ntwo\nthree\nfour\nFIVE\n"
NEW = b"ONE\ntwo\nthree\nfour\nfive\n"
BOTH = b"ONE\ntwo\nthree\nfour\nFIVE\n"
CLASH = b"uno\ntwo\nthree\nfour\nfive\n"


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"a.md": BASE, "b.md": b"b\n"})
    return repo


def test_edits_in_the_working_tree_stay_uncommitted(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    put(kb, {"a.md": NEW})
    assert (kb / "a.md").read_bytes() == BOTH
    assert committed(kb, "a.md") == NEW.decode()
    assert staged(kb, "a.md") == NEW.decode()
    assert porcelain(kb) == [" M a.md"]
    assert_in_order(kb, clean=False)


def test_staged_version_stays_staged(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    run_git(kb, "add", "a.md")
    put(kb, {"a.md": NEW})
    assert committed(kb, "a.md") == NEW.decode()
    assert staged(kb, "a.md") == BOTH.decode()
    assert (kb / "a.md").read_bytes() == BOTH
    assert porcelain(kb) == ["M  a.md"]
    assert_in_order(kb, clean=False)


def test_staged_and_edited_further(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    run_git(kb, "add", "a.md")
    (kb / "a.md").write_bytes(OURS + b"six\n")
    put(kb, {"a.md": NEW})
    assert staged(kb, "a.md") == BOTH.decode()
    assert (kb / "a.md").read_bytes() == BOTH + b"six\n"
    assert porcelain(kb) == ["MM a.md"]


def test_overlap_is_refused_with_its_lines(kb: Path) -> None:
    (kb / "a.md").write_bytes(CLASH)
    (kb / "b.md").write_bytes(b"mine\n")
    head = run_git(kb, "rev-parse", "HEAD")
    with pytest.raises(Refused, match=r"a\.md:1: uncommitted edits overlap .*line 1") as caught:
        put(kb, {"a.md": NEW, "c.md": b"new\n"})
    assert (caught.value.path, caught.value.line, caught.value.exit_code) == ("a.md", 1, 3)
    assert (kb / "a.md").read_bytes() == CLASH
    assert not (kb / "c.md").exists()
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert porcelain(kb) == [" M a.md", " M b.md"]
    assert_in_order(kb, clean=False)


def test_overlap_with_what_is_staged_is_refused(kb: Path) -> None:
    (kb / "a.md").write_bytes(CLASH)
    run_git(kb, "add", "a.md")
    (kb / "a.md").write_bytes(BASE)
    with pytest.raises(Refused, match="staged edits overlap"):
        put(kb, {"a.md": NEW})
    assert porcelain(kb) == ["MM a.md"]
    assert (kb / "a.md").read_bytes() == BASE


def test_overlap_in_a_derived_file_keeps_the_users(kb: Path) -> None:
    (kb / "a.md").write_bytes(CLASH)
    put(kb, {"a.md": NEW, "c.md": b"new\n"}, soft=frozenset(["a.md"]))
    assert (kb / "a.md").read_bytes() == CLASH
    assert committed(kb, "a.md") == NEW.decode()
    assert staged(kb, "a.md") == NEW.decode()
    assert porcelain(kb) == [" M a.md"]


def test_staged_overlap_in_a_derived_file_keeps_the_users(kb: Path) -> None:
    (kb / "a.md").write_bytes(CLASH)
    run_git(kb, "add", "a.md")
    put(kb, {"a.md": NEW, "c.md": b"new\n"}, soft=frozenset(["a.md"]))
    assert staged(kb, "a.md") == CLASH.decode()
    assert (kb / "a.md").read_bytes() == CLASH
    assert porcelain(kb) == ["M  a.md"]


def test_working_tree_has_the_new_content_already(kb: Path) -> None:
    (kb / "a.md").write_bytes(NEW)
    put(kb, {"a.md": NEW})
    assert_in_order(kb)


def test_committing_an_edited_file_replaces_what_was_staged_of_it(kb: Path) -> None:
    """As `git commit -- path`: an earlier version of the same edit was staged."""
    (kb / "a.md").write_bytes(CLASH)
    run_git(kb, "add", "a.md")
    (kb / "a.md").write_bytes(NEW)
    put(kb, {"a.md": NEW})
    assert_in_order(kb)


def test_committing_a_deletion_removes_what_was_staged(kb: Path) -> None:
    (kb / "a.md").write_bytes(CLASH)
    run_git(kb, "add", "a.md")
    (kb / "a.md").unlink()
    put(kb, {"a.md": None})
    assert_in_order(kb)


def test_deleted_by_the_user(kb: Path) -> None:
    (kb / "a.md").unlink()
    with pytest.raises(Refused, match="was deleted in the working tree") as caught:
        put(kb, {"a.md": NEW})
    assert "git restore -- a.md" in str(caught.value.hint)
    put(kb, {"a.md": NEW, "c.md": b"new\n"}, soft=frozenset(["a.md"]))
    assert not (kb / "a.md").exists()
    assert committed(kb, "a.md") == NEW.decode()
    assert porcelain(kb) == [" D a.md"]


def test_deleted_and_staged_by_the_user(kb: Path) -> None:
    run_git(kb, "rm", "-q", "a.md")
    with pytest.raises(Refused, match="was deleted"):
        put(kb, {"a.md": NEW})
    assert porcelain(kb) == ["D  a.md"]


def test_removed_from_the_index_stays_so(kb: Path) -> None:
    run_git(kb, "rm", "-q", "--cached", "a.md")
    put(kb, {"a.md": NEW})
    assert (kb / "a.md").read_bytes() == NEW
    assert porcelain(kb) == ["D  a.md", "?? a.md"]


def test_untracked_file_is_never_overwritten(kb: Path) -> None:
    (kb / "c.md").write_bytes(b"precious\n")
    with pytest.raises(Refused, match="is there already, but not committed") as caught:
        put(kb, {"c.md": b"new\n"})
    assert "memgit commit" in str(caught.value.hint)
    assert (kb / "c.md").read_bytes() == b"precious\n"
    put(kb, {"c.md": b"new\n", "d.md": b"d\n"}, soft=frozenset(["c.md"]))
    assert (kb / "c.md").read_bytes() == b"precious\n"
    assert porcelain(kb) == [" M c.md"]


def test_ignored_file_is_never_overwritten(kb: Path) -> None:
    commit_files(kb, {".gitignore": b"*.tmp\n"})
    (kb / "c.tmp").write_bytes(b"precious\n")
    with pytest.raises(Refused, match="not committed"):
        put(kb, {"c.tmp": b"new\n"})
    put(kb, {"d.tmp": b"new\n"})
    assert_in_order(kb)


def test_staged_new_file_is_never_overwritten(kb: Path) -> None:
    (kb / "c.md").write_bytes(b"precious\n")
    run_git(kb, "add", "c.md")
    (kb / "c.md").unlink()
    with pytest.raises(Refused, match="is staged with other content"):
        put(kb, {"c.md": b"new\n"})
    assert staged(kb, "c.md") == "precious\n"


@pytest.mark.parametrize("add", [["add", "c.md"], ["add", "-N", "c.md"], []])
def test_untracked_file_with_the_same_content_is_taken_in(kb: Path, add: list[str]) -> None:
    (kb / "c.md").write_bytes(b"new\n")
    if add:
        run_git(kb, *add)
    put(kb, {"c.md": b"new\n"})
    assert_in_order(kb)


def test_intent_to_add_of_a_file_that_is_gone(kb: Path) -> None:
    (kb / "c.md").write_bytes(b"draft\n")
    run_git(kb, "add", "-N", "c.md")
    (kb / "c.md").unlink()
    put(kb, {"c.md": b"new\n"})
    assert_in_order(kb)


def test_staged_empty_file_is_not_taken_for_intent_to_add(kb: Path) -> None:
    (kb / "c.md").write_bytes(b"")
    run_git(kb, "add", "c.md")
    with pytest.raises(Refused, match="not committed"):
        put(kb, {"c.md": b"new\n"})


def test_edited_file_is_not_removed(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    with pytest.raises(Refused, match="has uncommitted edits, and would be removed"):
        put(kb, {"a.md": None})
    put(kb, {"a.md": None, "c.md": b"c\n"}, soft=frozenset(["a.md"]))
    assert (kb / "a.md").read_bytes() == OURS
    assert porcelain(kb) == ["?? a.md"]


def test_staged_file_is_not_removed(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    run_git(kb, "add", "a.md")
    (kb / "a.md").write_bytes(BASE)
    with pytest.raises(Refused, match="has staged edits, and would be removed"):
        put(kb, {"a.md": None})


def test_unresolved_conflict_in_the_index(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "-b", "side")
    commit_files(kb, {"a.md": CLASH})
    run_git(kb, "checkout", "-q", "main")
    (kb / "a.md").write_bytes(NEW)
    run_git(kb, "stash", "-q")
    commit_files(kb, {"a.md": CLASH})
    run_git(kb, "stash", "pop", check=False)
    assert porcelain(kb) == ["UU a.md"]
    (kb / "a.md").write_bytes(CLASH)
    with pytest.raises(Refused, match="unresolved merge conflict"):
        put(kb, {"a.md": CLASH + b"six\n"})
    put(kb, {"a.md": CLASH + b"six\n", "c.md": b"c\n"}, soft=frozenset(["a.md"]))
    assert porcelain(kb) == ["UU a.md"]
    (kb / "a.md").write_bytes(b"resolved\n")
    put(kb, {"a.md": b"resolved\n"})
    assert_in_order(kb)


def test_other_staged_paths_stay(kb: Path) -> None:
    (kb / "b.md").write_bytes(b"B\n")
    (kb / "new.md").write_bytes(b"new\n")
    run_git(kb, "add", "b.md", "new.md")
    run_git(kb, "rm", "-q", "--cached", "a.md")
    before = porcelain(kb)
    put(kb, {"c.md": b"c\n"})
    assert porcelain(kb) == before


def test_stage_carries_edits_too(kb: Path) -> None:
    (kb / "a.md").write_bytes(OURS)
    put(kb, {"a.md": NEW}, stage=True)
    assert staged(kb, "a.md") == NEW.decode()
    assert (kb / "a.md").read_bytes() == BOTH
    assert porcelain(kb) == ["MM a.md"]
    put(kb, {"a.md": CLASH}, stage=True)  # what is staged may be changed again
    assert staged(kb, "a.md") == CLASH.decode()
    assert (kb / "a.md").read_bytes() == CLASH.replace(b"five", b"FIVE")
    with pytest.raises(Refused, match="overlap"):
        put(kb, {"a.md": CLASH.replace(b"five", b"fifth")}, stage=True)
    assert_in_order(kb, clean=False)
