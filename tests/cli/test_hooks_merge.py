"""A merge that git commits by itself: its derived files are right, and the gate judges what it brings."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from memgit.git.repository import Repository
from memgit.git.worktree.unmerged import merged_heads
from tests.cli.test_hooks import BAD, fact, framework, git, mends, message, on_path, rest_of
from tests.support import memgit, run_git, status

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


def is_right(folder: Path) -> None:
    assert status(folder) == ""
    assert memgit(folder, "rebuild", "--check").code == 0


def went_through(folder: Path, *args: str, sides: int = 2) -> None:
    """Has git make a merge commit, of that many sides, with the index right and no step by hand."""
    done = git(folder, *args)
    assert done.code == 0, done.out + done.err
    assert len(run_git(folder, "rev-list", "--parents", "-1", "HEAD").split()) == sides + 1
    is_right(folder)


@pytest.mark.parametrize(
    "args", [("--no-edit",), ("--no-ff", "-m", "by hand"), ("--no-edit", "-s", "ort", "-X", "ours")]
)
def test_a_clean_merge_of_indexes_that_counts_wrong_goes_through(split: Path, args: tuple[str, ...]) -> None:
    before = git(split, "show", "-s", "--format=%an %ae %cn", "HEAD").out
    went_through(split, "merge", *args, "side-a")
    assert git(split, "show", "-s", "--format=%an %ae %cn", "HEAD").out == before
    assert message(split) == ("by hand" if "by hand" in args else "Merge branch 'side-a'")


@pytest.mark.parametrize("signed", [False, True])
def test_two_sides_that_add_alike_to_one_category(kb: Path, tmp_path: Path, signed: bool) -> None:
    """Both indexes count one more, in the same bytes: git sees nothing to merge in them."""
    memgit(kb, "record", "knowledge", "Start", "-m", "Text.", "--category", "c")
    if signed:
        signer = tmp_path / "signer"
        signer.write_text(
            "#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n"
            "echo '-----BEGIN PGP SIGNATURE-----'; echo; echo x; echo '-----END PGP SIGNATURE-----'\n"
        )
        signer.chmod(0o755)
        run_git(kb, "config", "gpg.program", str(signer))
        run_git(kb, "config", "commit.gpgsign", "true")
    run_git(kb, "checkout", "-qb", "side")
    memgit(kb, "record", "knowledge", "One", "-m", "Text.", "--category", "c")
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "knowledge", "Two", "-m", "Text.", "--category", "c")
    went_through(kb, "merge", "-q", "--no-edit", "side")
    assert ("gpgsig" in run_git(kb, "cat-file", "-p", "HEAD")) == signed
    assert run_git(kb, "fsck", "--strict") == ""


def test_two_sides_that_write_the_first_record_of_one_scope(kb: Path) -> None:
    run_git(kb, "checkout", "-qb", "side")
    memgit(kb, "record", "memory", "One", "--scope", "fresh", "-m", "x")
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "memory", "Two", "--scope", "fresh", "-m", "x")
    went_through(kb, "merge", "-q", "--no-edit", "side")
    listed = (kb / "memory/fresh/INDEX.md").read_text()
    assert "(one.md)" in listed and "(two.md)" in listed


def test_edits_beside_a_merge_are_not_derived_from(split: Path) -> None:
    """git merges beside edits in other files, and `memgit rebuild` would count these in."""
    note = split / "memory/mine.md"
    fact(split, "mine")
    assert git(split, "merge", "--no-edit", "side-a").code == 0
    assert status(split) == "?? memory/mine.md"
    assert not run_git(split, "ls-tree", "HEAD", "memory/INDEX.md")
    note.unlink()
    is_right(split)


def test_an_octopus(split: Path) -> None:
    run_git(split, "reset", "-q", "--hard", "HEAD~1")
    run_git(split, "checkout", "-qb", "third")
    memgit(split, "record", "knowledge", "Third of c", "-m", "Text.", "--category", "c")
    went_through(split, "merge", "--no-edit", "side-a", "side-b", sides=3)


def test_a_pull_goes_through_and_no_verify_is_not_looked_at(split: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(split), "there")
    run_git(split, "remote", "add", "origin", str(tmp_path / "there"))
    went_through(split, "pull", "-q", "--no-rebase", "--no-edit", "origin", "side-a")
    run_git(split, "reset", "-q", "--hard", "HEAD^")
    done = git(split, "pull", "-q", "--no-rebase", "--no-edit", "--no-verify", "origin", "side-a")
    assert (done.code, f"after this merge, {INDEX} is not" in done.err) == (0, True)


def test_a_merge_in_a_linked_worktree(split: Path, tmp_path: Path) -> None:
    other = tmp_path / "linked tree"
    run_git(split, "worktree", "add", "-q", str(other), "side-b")
    went_through(other, "merge", "--no-edit", "side-a")
    assert status(split) == ""


def test_a_merge_that_a_person_commits(split: Path) -> None:
    assert git(split, "merge", "--no-commit", "side-a").code == 0
    went_through(split, "commit", "--no-edit")


def test_a_merge_commit_with_something_else_staged_stays_as_it_is(split: Path) -> None:
    run_git(split, "-c", "core.hooksPath=/dev/null", "merge", "-q", "--no-edit", "side-a")
    head = run_git(split, "rev-parse", "HEAD")
    memgit(split, "rebuild")
    fact(split)
    run_git(split, "add", "-A")
    memgit(split, "hook", "post-merge", "0")
    assert run_git(split, "rev-parse", "HEAD") == head


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


def test_what_a_side_has_itself_stops_no_merge(kb: Path) -> None:
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, "bad", "Bad", BAD)
    memgit(kb, "rebuild")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "unchecked")
    run_git(kb, "checkout", "-q", "main")
    memgit(kb, "record", "knowledge", "Retry", "-m", "Text.")
    done = git(kb, "merge", "-q", "--no-edit", "side")
    assert (done.code, done.err) == (0, "")
    # The same of a merge that a person commits.
    run_git(kb, "reset", "-q", "--hard", "HEAD^")
    run_git(kb, "merge", "-q", "--no-commit", "side")
    assert git(kb, "commit", "--no-edit").code == 0


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
    assert (done.code, "MG104" in done.err) == (0, False), done
    assert git(kb, "merge-base", "--is-ancestor", "side", "HEAD").code == 0


def test_what_the_merge_alone_makes_wrong_is_told(kb: Path) -> None:
    """One side links to a record that the other side takes away; one more broken link came with it."""
    memgit(kb, "record", "decision", "Target", "-m", "Text.")
    memgit(kb, "record", "decision", "Other", "-m", "Text.")
    (target,) = (kb / "decisions").glob("*target.md")
    run_git(kb, "checkout", "-qb", "side")
    fact(kb, "link", "Link", f"See [[{target.stem}]].\n\nSee [[No such record]].")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "links")
    run_git(kb, "checkout", "-q", "main")
    run_git(kb, "rm", "-q", f"decisions/{target.name}")
    run_git(kb, "commit", "-qm", "gone")
    done = git(kb, "merge", "-q", "--no-edit", "side")
    assert done.code == 0
    assert "memory/link.md:6: warning MG201" in done.err and "memory/link.md:8" not in done.err
    assert "1 more were there before" in done.err


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


def test_which_commits_are_merged(kb: Path) -> None:
    one, two = "1" * 40, "2" * 40
    repo = Repository.open(str(kb), {})
    assert merged_heads(repo, {}) == ()
    assert merged_heads(repo, {f"GITHEAD_{one}": "side", "GITHEAD_x": "y", "GIT_DIR": "."}) == (one,)
    (kb / ".git/MERGE_HEAD").write_text(f"{one}\n{two}\n")
    assert merged_heads(repo, {}) == (one, two)


def test_the_framework_stops_a_merge_until_the_index_is_added(split: Path) -> None:
    pytest.importorskip("pre_commit")
    memgit(split, "hooks", "uninstall")
    framework(split)
    done = git(split, "merge", "--no-edit", "side-a")
    said = done.out + done.err
    assert (done.code, f"rewrote {INDEX}" in said, "memgit index" in said) == (1, True, True)
    (command,) = mends(done._replace(err=said))
    subprocess.run(["bash", "-c", command], cwd=split, check=True, capture_output=True)
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
