"""`indexes: trunk`: derived files belong to the default branch, and no door asks a branch for them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.test_hooks import git, on_path
from tests.support import Prepared, commit, memgit, run_git, status, write

__all__ = ["on_path"]  # a fixture

DERIVED = ("INDEX.md", "_index.json")


def started(folder: Path) -> None:
    """On `main` two records and their indexes; on `topic`, which is checked out, nothing more."""
    memgit(folder.parent, "init", folder.name, "--indexes", "trunk")
    memgit(folder, "record", "knowledge", "One", "--category", "css", "-m", "First.")
    memgit(folder, "record", "memory", "Tides", "-m", "Twice a day.")
    run_git(folder, "switch", "-qc", "topic")


@pytest.fixture
def trunk(prepared: Prepared) -> Path:
    return prepared("trunk", started)


def touched(folder: Path, since: str = "main") -> set[str]:
    """The derived files that a branch changes."""
    return {
        path for path in run_git(folder, "diff", "--name-only", since).splitlines() if path.endswith(DERIVED)
    }


def drift(folder: Path, *args: str) -> list[str]:
    done = memgit(folder, "rebuild", "--check", "--json", *args, code=None)
    return [one["path"] for one in done.json["differences"]]


def test_init_names_the_branch_and_derives_on_it(trunk: Path) -> None:
    config = (trunk / ".memgit.yaml").read_text()
    assert "indexes: trunk\ndefault_branch: main\n" in config
    assert "css.md" in run_git(trunk, "show", "main:knowledge-base/_index.json")
    run_git(trunk, "switch", "-q", "main")
    assert drift(trunk) == []


def test_init_on_a_branch_leaves_indexes_to_the_default_one(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q")
    run_git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    run_git(tmp_path, "switch", "-qc", "topic")
    memgit(tmp_path, "init", "--indexes", "trunk")
    assert "default_branch: main" in (tmp_path / ".memgit.yaml").read_text()
    assert not (tmp_path / "INDEX.md").exists()


def write_records(folder: Path) -> None:
    """Every way of writing a record."""
    memgit(folder, "record", "knowledge", "Two", "--category", "css", "-m", "Second.")
    memgit(folder, "record", "knowledge", "New", "--category", "html", "-m", "Of another category.")
    memgit(folder, "record", "memory", "Moon", "--scope", "sky", "-m", "It pulls.")
    memgit(folder, "update", "knowledge/css#One", "-m", "Better.")
    memgit(folder, "rename", "memory/tides", "Sea tides")
    memgit(folder, "archive", "memory/sky/moon")
    memgit(folder, "undo")
    batch = '{"kind": "memory", "title": "A", "body": "a"}\n{"kind": "memory", "title": "B", "body": "b"}\n'
    write(folder.parent, "batch.jsonl", batch)
    memgit(folder, "record", "--batch", str(folder.parent / "batch.jsonl"))
    with (folder / "memory/a.md").open("a") as file:
        file.write("By hand.\n")
    memgit(folder, "commit")


def test_no_write_touches_them_on_a_branch_and_no_check_asks_for_them(trunk: Path) -> None:
    write_records(trunk)
    assert touched(trunk) == set()
    assert status(trunk) == ""
    assert drift(trunk) == []
    assert memgit(trunk, "rebuild", "--json").json["left_to"] == "main"
    assert status(trunk) == ""
    findings = memgit(trunk, "lint", "--json", code=None).json["findings"]
    assert not {one["rule"] for one in findings} & {"MG101", "MG102", "MG103"}
    assert "derived" not in memgit(trunk, "doctor").out


def test_rebuild_does_not_commit_them_on_a_branch(trunk: Path) -> None:
    done = memgit(trunk, "rebuild", "--commit", code=2)
    assert "on main alone" in done.err
    assert "git switch main" in done.err


def test_what_is_taken_back_on_a_branch_leaves_the_indexes_that_went_with_it(trunk: Path) -> None:
    memgit(trunk, "undo")  # an operation of the default branch, with its indexes
    assert not (trunk / "memory/tides.md").exists()
    assert touched(trunk) == set()
    memgit(trunk, "undo", "--redo")
    assert run_git(trunk, "diff", "--name-only", "main") == ""


def test_what_a_branch_says_of_a_category_is_what_the_index_says_in_the_end(trunk: Path) -> None:
    path = trunk / "knowledge-base/css.md"
    write(
        trunk, "knowledge-base/css.md", "---\nname: Style sheets\nkeywords: [grid]\n---\n" + path.read_text()
    )
    memgit(trunk, "commit")
    assert touched(trunk) == set()
    run_git(trunk, "switch", "-q", "main")
    run_git(trunk, "merge", "-q", "--no-ff", "--no-edit", "topic")
    memgit(trunk, "rebuild", "--commit")
    found = json.loads((trunk / "knowledge-base/_index.json").read_text())["categories"][0]
    assert (found["name"], found["keywords"]) == ("Style sheets", ["grid"])


@pytest.mark.usefixtures("on_path")
def test_hooks_leave_them_on_a_branch_and_derive_them_on_the_default_one(trunk: Path) -> None:
    write(trunk, "memory/hand.md", "---\ntitle: Hand\ncreated: 2026-01-01\n---\nText.\n")
    run_git(trunk, "add", "memory/hand.md")
    assert git(trunk, "commit", "-qm", "by hand").code == 0
    assert touched(trunk) == set()
    run_git(trunk, "switch", "-q", "main")
    done = git(trunk, "merge", "-q", "--no-ff", "--no-edit", "topic")
    assert done.code == 0, done.err
    assert "Hand" in run_git(trunk, "show", "HEAD:memory/INDEX.md")
    assert drift(trunk) == []
    assert status(trunk) == ""


@pytest.mark.usefixtures("on_path")
def test_after_a_merge_without_a_hook_the_default_branch_says_what_mends_it(trunk: Path) -> None:
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    run_git(trunk, "switch", "-q", "main")
    done = git(trunk, "merge", "-q", "topic")
    assert "fix: memgit rebuild --commit" in done.err
    assert drift(trunk) == ["memory/INDEX.md"]
    memgit(trunk, "rebuild", "--commit")
    assert drift(trunk) == []
    assert run_git(trunk, "log", "-1", "--format=%s") == "fix: indexes"


def test_a_category_that_goes_on_a_branch_leaves_no_broken_link_in_an_index(trunk: Path) -> None:
    memgit(trunk, "rename", "knowledge/css#One", "--category", "html", code=None)
    run_git(trunk, "rm", "-qf", "--ignore-unmatch", "knowledge-base/css.md")
    write(trunk, "knowledge-base/html.md", "## One\n**Date:** 2026-01-01\n\nFirst.\n")
    commit(trunk)
    findings = memgit(trunk, "lint", "--json", code=None).json["findings"]
    assert not {one["path"] for one in findings} & {"INDEX.md", "knowledge-base/_index.json"}
    report = memgit(trunk, "review", "main...topic", "--format", "json", code=None).json
    assert not {one["path"] for one in report["findings"]} & {"INDEX.md", "knowledge-base/_index.json"}


def test_what_no_door_lets_pass_is_found_in_them_all_the_same(trunk: Path) -> None:
    text = (trunk / "INDEX.md").read_text()
    write(trunk, "INDEX.md", f"<<<<<<< ours\n{text}=======\n{text}>>>>>>> theirs\n")
    findings = memgit(trunk, "lint", "--json", code=1).json["findings"]
    assert {one["rule"] for one in findings if one["path"] == "INDEX.md"} == {"MG104"}


def test_a_review_passes_a_branch_and_the_default_one_asked_by_name_is_checked(trunk: Path) -> None:
    memgit(trunk, "record", "knowledge", "New", "--category", "html", "-m", "Of another category.")
    for where in ("topic", "main"):
        run_git(trunk, "switch", "-q", where)
        report = memgit(trunk, "review", "main...topic", "--format", "json").json
        assert (report["verdict"], report["findings"]) == ("pass", [])
    run_git(trunk, "merge", "-q", "topic")
    run_git(trunk, "switch", "-q", "topic")
    assert drift(trunk) == []
    assert "knowledge-base/_index.json" in drift(trunk, "--at", "main")
    told = memgit(trunk, "lint", "--at", "main", "--json", code=None).json["findings"]
    assert "MG101" in {one["rule"] for one in told}
    assert "knowledge-base/_index.json" in drift(trunk, "--at", run_git(trunk, "rev-parse", "main"))
    assert drift(trunk, "--at", "topic") == []
    told = memgit(trunk, "lint", "--at", "main~1", "--json", code=None).json["findings"]
    assert "MG101" not in {one["rule"] for one in told}


def test_a_proposal_made_on_the_default_branch_holds_none(trunk: Path) -> None:
    run_git(trunk, "switch", "-q", "main")
    memgit(trunk, "propose", "--branch", "idea", "--", "record", "memory", "Idea", "-m", "Text.")
    assert touched(trunk, "main...idea") == set()
    assert run_git(trunk, "diff", "--name-only", "main", "idea") == "memory/idea.md"
    memgit(trunk, "record", "memory", "Fact", "-m", "Text.")
    assert "memory/INDEX.md" in touched(trunk, "HEAD~1")


def test_a_detached_head_is_no_branch_and_a_linked_worktree_has_its_own(trunk: Path, tmp_path: Path) -> None:
    side = tmp_path / "side"
    run_git(trunk, "worktree", "add", "-q", str(side), "main")
    memgit(side, "record", "memory", "Aside", "-m", "Text.")
    assert "memory/INDEX.md" in run_git(side, "show", "--name-only", "--format=")
    memgit(trunk, "record", "memory", "Here", "-m", "Text.")
    assert run_git(trunk, "show", "--name-only", "--format=") == "memory/here.md"
    run_git(side, "checkout", "-q", "--detach")
    memgit(side, "record", "memory", "Nowhere", "-m", "Text.")
    assert run_git(side, "show", "--name-only", "--format=") == "memory/nowhere.md"


def test_a_rebase_keeps_them_as_the_default_branch_has_them(trunk: Path) -> None:
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    run_git(trunk, "switch", "-q", "main")
    memgit(trunk, "record", "memory", "Sun", "-m", "It shines.")
    run_git(trunk, "switch", "-q", "topic")
    run_git(trunk, "rebase", "-q", "main")
    assert touched(trunk) == set()


def test_the_configured_branch_counts_whatever_git_says(trunk: Path) -> None:
    config = (trunk / ".memgit.yaml").read_text()
    write(trunk, ".memgit.yaml", config.replace("default_branch: main", "default_branch: topic"))
    commit(trunk)
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    assert "memory/INDEX.md" in run_git(trunk, "show", "--name-only", "--format=")


@pytest.mark.parametrize("name", ["--upload-pack=x", "a b", "x; rm -rf .", "$(x)", "a\\tb"])
def test_a_name_that_could_do_harm_in_a_command_is_none(trunk: Path, name: str) -> None:
    write(trunk, ".memgit.yaml", f'version: 1\nindexes: trunk\ndefault_branch: "{name}"\n')
    assert "default_branch" in memgit(trunk, "list", code=2).err


def test_lint_on_a_branch_notes_nothing_that_misleads_the_default_one(trunk: Path) -> None:
    """The tree of the branch becomes that of the default one; what was not checked there is not known."""
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    memgit(trunk, "lint")
    run_git(trunk, "switch", "-q", "main")
    run_git(trunk, "merge", "-q", "topic")
    memgit(trunk, "record", "memory", "Sun", "-m", "It shines.")
    assert drift(trunk) == []
    assert {"Moon", "Sun"} <= set(run_git(trunk, "show", "HEAD:memory/INDEX.md").replace("]", "[").split("["))


def test_a_default_branch_that_is_not_there_is_a_matter_for_the_doctor(trunk: Path) -> None:
    assert "default_branch" not in memgit(trunk, "doctor").out
    config = (trunk / ".memgit.yaml").read_text()
    write(trunk, ".memgit.yaml", config.replace("default_branch: main", "default_branch: develop"))
    assert "there is no branch develop" in memgit(trunk, "doctor", code=1).out


def test_a_branch_from_the_time_before_takes_the_indexes_of_the_default_one(kb: Path) -> None:
    """`indexes: committed` on a branch, `trunk` on the default one since."""
    run_git(kb, "switch", "-qc", "topic")
    memgit(kb, "record", "memory", "Moon", "-m", "It pulls.")
    assert touched(kb) == {"INDEX.md", "memory/INDEX.md"}
    run_git(kb, "switch", "-q", "main")
    config = (kb / ".memgit.yaml").read_text()
    write(kb, ".memgit.yaml", config.replace("committed", "trunk\ndefault_branch: main"))
    commit(kb, "trunk from now on")
    memgit(kb, "record", "memory", "Sun", "-m", "It shines.")
    run_git(kb, "switch", "-q", "topic")
    memgit(kb, "update-branch", "main")
    assert touched(kb) == set()
    assert run_git(kb, "diff", "--name-only", "main") == "memory/moon.md"
    assert status(kb) == ""


def test_sync_derives_what_a_forge_merged_into_the_default_branch(trunk: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "hub")
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    run_git(trunk, "remote", "add", "origin", str(tmp_path / "hub"))
    run_git(trunk, "push", "-q", "-u", "origin", "main")
    run_git(trunk, "push", "-q", "origin", "topic:main")  # as a forge fast-forwards
    run_git(trunk, "switch", "-q", "main")
    done = memgit(trunk, "sync")
    assert "derived files were out of date: committed" in done.err
    assert drift(trunk) == []
    assert run_git(tmp_path / "hub", "rev-parse", "main") == run_git(trunk, "rev-parse", "HEAD")
    head = run_git(trunk, "rev-parse", "HEAD")
    assert memgit(trunk, "sync", "--json").json["status"] == "up_to_date"
    assert run_git(trunk, "rev-parse", "HEAD") == head
    run_git(trunk, "switch", "-q", "topic")
    memgit(trunk, "record", "memory", "Star", "-m", "Far.")
    memgit(trunk, "sync")
    assert touched(trunk, "main...topic") == set()


@pytest.mark.usefixtures("on_path")
def test_a_push_asks_for_them_where_it_goes_to_the_default_branch(trunk: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "hub")
    run_git(trunk, "remote", "add", "origin", str(tmp_path / "hub"))
    run_git(trunk, "push", "-q", "--no-verify", "origin", "main")
    memgit(trunk, "record", "memory", "Moon", "-m", "It pulls.")
    assert "index-drift" not in git(trunk, "push", "origin", "topic").err
    assert "index-drift" in git(trunk, "push", "origin", "topic:main").err
