"""A merge that git commits by itself is checked before that: `pre-merge-commit`, with real git."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memgit.app.hooks.merge import heads
from memgit.git.repository import Repository
from tests.cli.test_hooks import fact, framework, git, mends, message, on_path, rest_of
from tests.support import count_commits, memgit, run_git, status

__all__ = ["on_path"]  # a fixture that every test here uses

INDEX = "knowledge-base/_index.json"


@pytest.fixture
def split(kb: Path) -> Path:
    """Two branches that each added an entry, to another category: their indexes merge by lines into one that
    counts too few.
    """
    for name in ("a", "b", "c"):
        memgit(kb, "record", "knowledge", f"Start of {name}", "-m", "Text.", "--category", name)
    for name in ("a", "b"):
        run_git(kb, "checkout", "-qb", f"side-{name}", "main")
        memgit(kb, "record", "knowledge", f"More of {name}", "-m", "Text.", "--category", name)
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "knowledge", "More of c", "-m", "Text.", "--category", "c")
    # A clone whose git does not know the driver, as that of a person without memgit.
    run_git(kb, "config", "--remove-section", "merge.memgit")
    return kb


def stopped(folder: Path, *args: str) -> list[str]:
    """Has git make a merge commit that is stopped; the commands that are named."""
    before, counted = run_git(folder, "rev-parse", "HEAD"), count_commits(folder)
    done = git(folder, *args)
    assert done.code != 0
    assert f"{INDEX}:4: error MG101 index-drift" in done.err, done.err
    assert (run_git(folder, "rev-parse", "HEAD"), count_commits(folder)) == (before, counted)
    return mends(done)


def pasted(folder: Path, command: str) -> None:
    subprocess.run(["bash", "-c", command], cwd=folder, check=True, capture_output=True)


def is_right(folder: Path) -> None:
    assert status(folder) == ""
    assert memgit(folder, "rebuild", "--check").code == 0


@pytest.mark.parametrize(
    "args", [("--no-edit",), ("--no-ff", "-m", "by hand"), ("--no-edit", "-s", "ort", "-X", "ours")]
)
def test_a_clean_merge_of_indexes_that_counts_wrong_is_stopped_and_goes_on(
    split: Path, args: tuple[str, ...]
) -> None:
    assert stopped(split, "merge", *args, "side-a") == ["memgit resolve"]
    assert run_git(split, "rev-parse", "MERGE_HEAD") == run_git(split, "rev-parse", "side-a")
    assert run_git(split, "diff", "--cached", "--name-only").split() == [INDEX, "knowledge-base/a.md"], (
        "nothing was staged but by git"
    )
    again = git(split, "commit", "--no-edit")
    assert (again.code, mends(again)) == (1, ["memgit resolve"])
    pasted(split, "memgit resolve")
    assert git(split, "commit", "--no-edit").code == 0
    assert len(run_git(split, "rev-list", "--parents", "-1", "HEAD").split()) == 3
    is_right(split)


def test_rebuild_and_add_mend_a_merge_as_well(split: Path) -> None:
    stopped(split, "merge", "--no-edit", "side-a")
    memgit(split, "rebuild")
    run_git(split, "add", INDEX)
    assert git(split, "commit", "--no-edit").code == 0
    is_right(split)


def test_edits_beside_a_merge_are_not_derived_from(split: Path) -> None:
    """git merges beside edits in other files, and `memgit rebuild` would count these in."""
    note = split / "memory/mine.md"
    fact(split, "mine")
    (command,) = stopped(split, "merge", "--no-edit", "side-a")
    pasted(split, command)
    assert git(split, "commit", "--no-edit").code == 0
    assert status(split) == "?? memory/mine.md"
    note.unlink()
    is_right(split)


def test_an_octopus_is_checked(split: Path) -> None:
    run_git(split, "reset", "-q", "--hard", "HEAD~1")
    run_git(split, "checkout", "-qb", "third")
    memgit(split, "record", "knowledge", "Third of c", "-m", "Text.", "--category", "c")
    (command,) = stopped(split, "merge", "--no-edit", "side-a", "side-b")
    pasted(split, command)
    assert git(split, "commit", "--no-edit").code == 0
    assert len(run_git(split, "rev-list", "--parents", "-1", "HEAD").split()) == 4
    is_right(split)


def test_a_pull_is_checked_and_no_verify_is_not(split: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(split), "there")
    run_git(split, "remote", "add", "origin", str(tmp_path / "there"))
    stopped(split, "pull", "-q", "--no-rebase", "--no-edit", "origin", "side-a")
    run_git(split, "merge", "--abort")
    done = git(split, "pull", "-q", "--no-rebase", "--no-edit", "--no-verify", "origin", "side-a")
    assert (done.code, f"after this merge, {INDEX} is not" in done.err) == (0, True)


def test_a_merge_in_a_linked_worktree_is_checked_there(split: Path, tmp_path: Path) -> None:
    other = tmp_path / "linked tree"
    run_git(split, "worktree", "add", "-q", str(other), "side-b")
    (command,) = stopped(other, "merge", "--no-edit", "side-a")
    pasted(other, command)
    assert git(other, "commit", "--no-edit").code == 0
    is_right(other)
    assert status(split) == ""


def test_a_rebase_that_makes_merges_anew_comes_through(split: Path) -> None:
    """git runs no hook for the merges of two sides that a rebase makes; the hook after it tells of what
    drifted.
    """
    run_git(split, "merge", "-q", "--no-edit", "--no-verify", "side-a")
    memgit(split, "rebuild", "--commit")
    run_git(split, "checkout", "-qb", "base", "side-b")
    run_git(split, "checkout", "-q", "main")
    done = git(split, "-c", "sequence.editor=true", "rebase", "--rebase-merges", "side-b")
    while done.code:
        assert "CONFLICT" in done.out + done.err, done.out + done.err
        memgit(split, "resolve", code=None)
        done = git(split, "-c", "core.editor=true", "rebase", "--continue")
    assert not (split / ".git/rebase-merge").exists()
    memgit(split, "rebuild", "--commit", code=None)
    is_right(split)


def test_a_stopped_octopus_of_a_rebase_goes_on(split: Path) -> None:
    """Those of more sides git leaves to `git merge`, and so to the hook."""
    run_git(split, "merge", "-q", "--no-edit", "--no-verify", "side-a", "side-b")
    memgit(split, "rebuild", code=None)
    run_git(split, "commit", "-qam", "indexes")
    run_git(split, "checkout", "-qb", "base", "HEAD~2")
    (split / "elsewhere.txt").write_text("x\n")
    run_git(split, "add", "-A")
    run_git(split, "commit", "-qnm", "elsewhere")
    run_git(split, "checkout", "-q", "main")
    done = git(split, "rebase", "--rebase-merges", "base")
    assert (done.code, "MG101" in done.err, mends(done)) == (1, True, ["memgit resolve"])
    pasted(split, "memgit resolve")
    assert git(split, "commit", "--no-edit").code == 0
    done = git(split, "-c", "core.editor=true", "rebase", "--continue")
    assert not (split / ".git/rebase-merge").exists(), done.err
    is_right(split)


def test_what_a_side_has_itself_is_told_and_stops_no_merge(kb: Path) -> None:
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, "bad", "Bad", "See [[No such record]].")
    memgit(kb, "rebuild")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "knowledge", "Retry", "-m", "Text.")
    done = git(kb, "merge", "-q", "--no-edit", "side")
    assert done.code == 0, done.err
    assert "memory/bad.md:6: error MG201 broken-link" in done.err
    assert "memgit: 1 of these is in what is merged already, and no reason to stop the merge\n" in done.err
    # The same of a merge that a person commits.
    run_git(kb, "reset", "-q", "--hard", "HEAD^")
    run_git(kb, "merge", "-q", "--no-commit", "side")
    done = git(kb, "commit", "--no-edit")
    assert (done.code, "no reason to stop" in done.err) == (0, True)


def test_what_a_side_has_itself_may_stand_on_other_lines_after_the_merge(kb: Path) -> None:
    text = "\n\n".join(f"Paragraph {number}." for number in range(9))
    fact(kb, body=text)
    rest_of(kb)
    assert git(kb, "commit", "-qm", "base").code == 0
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, body=f"{text}\n\n<<<<<<< HEAD\na\n=======\nb\n>>>>>>> side")
    assert git(kb, "commit", "-qanm", "let through").code == 0
    run_git(kb, "checkout", "-q", "main")
    fact(kb, body=f"More.\n\n{text}")
    assert git(kb, "commit", "-qam", "above").code == 0
    done = git(kb, "merge", "--no-edit", "side")
    assert done.code == 0 and "MG104" in done.err and "1 of these is in what is merged already" in done.err, (
        done
    )
    assert git(kb, "merge-base", "--is-ancestor", "side", "HEAD").code == 0


def test_what_the_merge_alone_makes_wrong_stops_it(kb: Path) -> None:
    """One side links to a record that the other side takes away; one more error of that file came with it."""
    memgit(kb, "record", "decision", "Target", "-m", "Text.")
    memgit(kb, "record", "decision", "Other", "-m", "Text.")
    (target,) = (kb / "decisions").glob("*target.md")
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, "link", "Link", f"See [[{target.stem}]].\n\nSee [[No such record]].")
    memgit(kb, "rebuild")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    run_git(kb, "checkout", "-q", "main")
    run_git(kb, "rm", "-q", f"decisions/{target.name}")
    rest_of(kb)
    run_git(kb, "commit", "-qnm", "gone")
    done = git(kb, "merge", "-q", "--no-edit", "side")
    assert done.code == 1
    assert "memory/link.md:6: error MG201" in done.err
    assert "1 of these is in what is merged already" in done.err
    assert "edit, then git add memory/link.md" in mends(done)


def test_two_sides_that_gave_one_id_are_stopped(kb: Path) -> None:
    text = "---\nid: abcdefghij\ntitle: {}\ncreated: 2026-11-02\nstatus: accepted\n---\n\nText.\n"
    for name, folder in (("one", "memory"), ("two", "decisions")):
        run_git(kb, "checkout", "-qb", name, "main")
        (kb / folder).mkdir(exist_ok=True)
        (kb / f"{folder}/{name}.md").write_text(text.format(name.title()))
        rest_of(kb)
        assert git(kb, "commit", "-qm", name).code == 0
    done = git(kb, "merge", "-q", "--no-edit", "one")
    assert (done.code, "MG006" in done.err) == (1, True), done


def test_what_was_found_before_a_merge_is_not_written_under_the_next_commit(split: Path) -> None:
    stopped(split, "merge", "--no-edit", "side-a")
    run_git(split, "merge", "--abort")
    fact(split)
    rest_of(split)
    assert git(split, "commit", "-m", "a fact").code == 0
    assert message(split) == "a fact\n\nMemgit-Op: record\nMemgit-Record: create - memory/fact"


def test_which_commits_are_merged(kb: Path) -> None:
    one, two = "1" * 40, "2" * 40
    repo = Repository.open(str(kb), {})
    assert heads(repo, {}) == ()
    assert heads(repo, {f"GITHEAD_{one}": "side", "GITHEAD_x": "y", "GIT_DIR": "."}) == (one,)
    (kb / ".git/MERGE_HEAD").write_text(f"{one}\n{two}\n")
    assert heads(repo, {}) == (one, two)


def test_the_framework_checks_a_merge(split: Path) -> None:
    pytest.importorskip("pre_commit")
    memgit(split, "hooks", "uninstall")
    framework(split)
    done = git(split, "merge", "--no-edit", "side-a")
    said = done.out + done.err
    assert (done.code, f"{INDEX}:4: error MG101" in said, "memgit index" in said) == (1, True, True)
    assert "mend: memgit resolve" in said
    pasted(split, "memgit resolve")
    assert git(split, "commit", "--no-edit").code == 0
    is_right(split)


def test_a_configuration_of_the_framework_that_names_other_stages_does_not_run_it(kb: Path) -> None:
    pytest.importorskip("pre_commit")
    memgit(kb, "hooks", "uninstall")
    (kb / ".pre-commit-config.yaml").write_text(
        "default_install_hook_types: [pre-commit, pre-merge-commit]\nrepos:\n  - repo: local\n    hooks:\n"
        "      - {id: memgit-index, name: i, language: system, entry: memgit hook pre-commit, "
        "stages: [pre-commit]}\n"
        "      - {id: memgit-lint, name: l, language: system, entry: memgit hook pre-commit, stages: "
        "[pre-commit]}\n"
    )
    subprocess.run([sys.executable, "-m", "pre_commit", "install"], cwd=kb, check=True, capture_output=True)
    states = {row["name"]: row for row in memgit(kb, "hooks", "status", "--json", code=1).json}
    assert states["pre-commit"]["state"] == "elsewhere"
    assert states["pre-merge-commit"]["state"] == "left"
    assert "entry: memgit hook pre-merge-commit --only index" in states["pre-merge-commit"]["add"]
    assert "stages: [pre-merge-commit]" in states["pre-merge-commit"]["add"]
