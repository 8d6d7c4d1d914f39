"""`memgit update-branch`: the base of a branch is merged into it, record by record."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import Prepared, commit, fsck, memgit, run_git, status, write


def parted(folder: Path) -> None:
    """In `hub` a bare repository; in `kb` the branch `topic`, that adds to the category that `main`, there, adds to as
    well. `main` here has none of that.
    """
    kb = folder / "kb"
    memgit(folder, "init", "kb")
    memgit(kb, "record", "knowledge", "One", "--category", "css", "-m", "First.")
    run_git(folder, "init", "-q", "--bare", "hub")
    run_git(kb, "remote", "add", "origin", "../hub")
    run_git(kb, "push", "-q", "-u", "origin", "main")
    run_git(kb, "switch", "-qc", "other")
    memgit(kb, "record", "knowledge", "Two", "--category", "css", "-m", "Second.")
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    run_git(kb, "push", "-q", "origin", "other:main")
    run_git(kb, "update-ref", "refs/remotes/origin/main", "main")  # as before the push of somebody else
    run_git(kb, "switch", "-qc", "topic", "main")
    run_git(kb, "branch", "-qD", "other")
    memgit(kb, "record", "knowledge", "Three", "--category", "css", "-m", "Third.")


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    return prepared("parted", parted) / "kb"


def mergeable(folder: Path, base: str = "origin/main", head: str = "HEAD") -> bool:
    """Whether a forge, which runs no driver, can merge: `git merge-tree` in a clone that knows none."""
    hub = folder.parent / "plain"
    if not hub.exists():
        run_git(folder.parent, "clone", "-q", "--bare", "hub", "plain")
    commits = [run_git(folder, "rev-parse", rev) for rev in (base, head)]
    run_git(hub, "fetch", "-q", str(folder), *commits)
    return "CONFLICT" not in run_git(hub, "merge-tree", "--write-tree", *commits, check=False)


def titles(folder: Path) -> list[str]:
    return [one["title"] for one in memgit(folder, "list", "knowledge", "--json").json]


def test_it_fetches_and_merges_the_default_branch_in_one_commit(kb: Path) -> None:
    start = run_git(kb, "rev-parse", "HEAD")
    run_git(kb, "fetch", "-q")
    assert not mergeable(kb)
    run_git(kb, "update-ref", "refs/remotes/origin/main", "main")
    done = memgit(kb, "update-branch", "--json").json
    assert (done["status"], done["branch"], done["base"], done["merge"]) == (
        "updated",
        "topic",
        "origin/main",
        "merge",
    )
    assert done["came"]["commits"] == 2
    assert {one["address"] for one in done["came"]["records"]} == {"knowledge/css#Two", "memory/tides"}
    assert run_git(kb, "rev-parse", "HEAD^1") == start
    assert run_git(kb, "rev-parse", "HEAD^2") == run_git(kb, "rev-parse", "origin/main")
    assert run_git(kb, "log", "-1", "--format=%s") == "Merge remote-tracking branch 'origin/main' into topic"
    assert sorted(titles(kb)) == ["One", "Three", "Two"]
    assert memgit(kb, "rebuild", "--check").code == 0
    assert mergeable(kb)
    assert status(kb) == ""
    fsck(kb)


def test_with_nothing_to_merge_it_makes_no_commit(kb: Path) -> None:
    memgit(kb, "update-branch")
    head = run_git(kb, "rev-parse", "HEAD")
    done = memgit(kb, "update-branch")
    assert "nothing to merge" in done.out
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert memgit(kb, "update-branch", "--json").json["status"] == "up_to_date"


@pytest.mark.parametrize("name", ["main", "origin/main", "refs/remotes/origin/main"])
def test_the_base_by_any_of_its_names_where_only_that_of_the_remote_is_there(kb: Path, name: str) -> None:
    run_git(kb, "branch", "-qD", "main")
    assert memgit(kb, "update-branch", name, "--json").json["base"] == "origin/main"
    assert "Two" in titles(kb)


def test_a_branch_here_is_taken_as_it_is_and_told_to_be_behind(kb: Path) -> None:
    run_git(kb, "fetch", "-q")
    done = memgit(kb, "update-branch", "main")
    assert "nothing to merge" in done.out
    assert "main is behind origin/main: memgit update-branch origin/main" in done.err
    assert "Two" not in titles(kb)


def test_in_a_clone_of_one_branch_the_base_is_fetched(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "push", "-q", "origin", "topic")
    run_git(tmp_path, "clone", "-q", "--single-branch", "-b", "topic", kb.parent.as_uri() + "/hub", "one")
    assert run_git(tmp_path / "one", "branch", "-r") == "  origin/topic"
    memgit(tmp_path / "one", "update-branch", "main")
    assert "Two" in titles(tmp_path / "one")


def test_without_fetching_it_takes_what_was_fetched_last(kb: Path) -> None:
    assert memgit(kb, "update-branch", "--no-fetch", "--json").json["status"] == "up_to_date"
    run_git(kb, "update-ref", "-d", "refs/remotes/origin/main")
    done = memgit(kb, "update-branch", "origin/main", "--no-fetch", code=2)
    assert "git fetch origin main" in done.err


def test_a_remote_that_cannot_be_reached_is_said_with_what_would_do(kb: Path) -> None:
    (kb.parent / "hub").rename(kb.parent / "gone")
    done = memgit(kb, "update-branch", code=3)
    assert "--no-fetch merges origin/main as it was last fetched" in done.err


@pytest.mark.parametrize("name", ["nope", "origin/nope", "-x", "*", "a..b", "ma in"])
def test_a_base_that_is_not_there(kb: Path, name: str) -> None:
    head = run_git(kb, "rev-parse", "HEAD")
    memgit(kb, "update-branch", "--", name, code=2)
    assert run_git(kb, "rev-parse", "HEAD") == head


def test_any_revision_will_do(kb: Path) -> None:
    run_git(kb, "fetch", "-q")
    there = run_git(kb, "rev-parse", "origin/main~1")
    done = memgit(kb, "update-branch", "origin/main~1", "--json").json
    assert done["base_commit"] == there
    assert run_git(kb, "rev-parse", "HEAD^2") == there
    run_git(kb, "tag", "v1", "origin/main")
    assert memgit(kb, "update-branch", "v1", "--json").json["status"] == "updated"


def test_the_branch_itself_is_no_base(kb: Path) -> None:
    assert "is the branch that is checked out" in memgit(kb, "update-branch", "topic", code=2).err


def test_the_default_branch_takes_what_the_remote_has(kb: Path) -> None:
    run_git(kb, "switch", "-q", "main")
    assert memgit(kb, "update-branch", "--json").json["merge"] == "fast-forward"
    assert run_git(kb, "rev-parse", "HEAD") == run_git(kb, "rev-parse", "origin/main")


def test_without_a_remote_the_base_is_here(kb: Path) -> None:
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "merge", "-q", "--ff-only", "FETCH_HEAD", check=False)
    memgit(kb, "record", "memory", "Here", "-m", "Text.")
    run_git(kb, "remote", "remove", "origin")
    assert "name another BASE" in memgit(kb, "update-branch", code=2).err
    run_git(kb, "switch", "-q", "topic")
    memgit(kb, "update-branch")
    assert run_git(kb, "log", "-1", "--format=%s") == "Merge branch 'main' into topic"
    assert (kb / "memory/here.md").exists()


def test_records_that_conflict_are_named_and_a_merge_is_under_way(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Once a day.")
    head = run_git(kb, "rev-parse", "HEAD")
    done = memgit(kb, "update-branch", code=1)
    assert "memory/tides" in done.out
    assert "a merge of origin/main is under way" in done.out
    assert run_git(kb, "rev-parse", "MERGE_HEAD") == run_git(kb, "rev-parse", "origin/main")
    assert "merge is under way" in memgit(kb, "update-branch", code=3).err
    run_git(kb, "merge", "--abort")
    assert run_git(kb, "rev-parse", "HEAD") == head
    done = memgit(kb, "update-branch", "--json", code=1)
    assert done.json["status"] == "conflict"
    assert {one["path"] for one in done.json["left"]} == {"memory/tides.md"}


def test_what_is_edited_or_staged_is_not_swept_in(kb: Path) -> None:
    write(kb, "notes.txt", "staged")
    run_git(kb, "add", "notes.txt")
    write(kb, "other.txt", "untracked")
    memgit(kb, "record", "memory", "Mine", "-m", "Text.")
    with (kb / "memory/mine.md").open("a") as file:
        file.write("Edited.\n")
    memgit(kb, "update-branch")
    assert not {"notes.txt", "other.txt"} & set(run_git(kb, "ls-tree", "-r", "--name-only", "HEAD").split())
    assert "Edited" not in run_git(kb, "show", "HEAD:memory/mine.md")
    assert sorted(status(kb).splitlines()) == [" M memory/mine.md", "?? other.txt", "A  notes.txt"]


def test_edits_that_it_would_touch_are_refused(kb: Path) -> None:
    with (kb / "knowledge-base/css.md").open("a") as file:
        file.write("\nEdited.\n")
    before = (kb / "knowledge-base/css.md").read_bytes(), run_git(kb, "rev-parse", "HEAD")
    done = memgit(kb, "update-branch", code=3)
    assert "knowledge-base/css.md" in done.err
    assert "again" in done.err
    assert ((kb / "knowledge-base/css.md").read_bytes(), run_git(kb, "rev-parse", "HEAD")) == before


def test_a_detached_head_has_no_branch_to_update(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "--detach")
    assert "no branch to update" in memgit(kb, "update-branch", code=3).err


def test_in_a_linked_worktree_it_updates_the_branch_of_that(kb: Path) -> None:
    side, head = kb.parent / "side", run_git(kb, "rev-parse", "HEAD")
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "worktree", "add", "-q", str(side), "topic")
    memgit(side, "update-branch")
    assert run_git(kb, "rev-parse", "topic^1") == head
    assert (status(kb), status(side)) == ("", "")
    assert "Two" in titles(side)
    assert "Two" not in titles(kb)


def test_where_a_shallow_clone_ends_too_early_it_says_so(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "push", "-q", "origin", "topic")
    url = kb.parent.as_uri() + "/hub"
    run_git(tmp_path, "clone", "-q", "--depth", "1", "--no-single-branch", "-b", "topic", url, "one")
    done = memgit(tmp_path / "one", "update-branch", code=3)
    assert "shallow" in done.err
    assert "git fetch --unshallow" in done.err
    run_git(tmp_path / "one", "fetch", "-q", "--unshallow")
    memgit(tmp_path / "one", "update-branch")
    assert "Two" in titles(tmp_path / "one")


def test_a_base_of_another_history_is_refused(kb: Path) -> None:
    run_git(kb, "switch", "-q", "--orphan", "apart")
    write(kb, "apart.md", "Apart.")
    commit(kb)
    run_git(kb, "switch", "-q", "topic")
    assert "unrelated" in memgit(kb, "update-branch", "apart", code=3).err


def test_sync_merges_the_base_as_well_and_sends_the_branch(kb: Path) -> None:
    run_git(kb, "push", "-q", "-u", "origin", "topic")
    done = memgit(kb, "sync", "--base", "--json").json
    assert done["status"] == "synced"
    assert done["base"]["base"] == "origin/main"
    assert run_git(kb.parent / "hub", "rev-parse", "topic") == run_git(kb, "rev-parse", "HEAD")
    assert "Two" in titles(kb)
    again = memgit(kb, "sync", "--base", "--json").json
    assert (again["status"], again["base"]["status"]) == ("up_to_date", "up_to_date")
    run_git(kb, "switch", "-q", "main")
    assert memgit(kb, "sync", "--base", "--json").json["base"] is None


def test_sync_that_meets_a_conflict_in_the_base_pushes_nothing(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Once a day.")
    run_git(kb, "push", "-q", "-u", "origin", "topic")
    memgit(kb, "record", "memory", "Later", "-m", "Text.")
    sent = run_git(kb.parent / "hub", "rev-parse", "topic")
    done = memgit(kb, "sync", "--base", code=1)
    assert "a merge of origin/main is under way" in done.out
    assert run_git(kb.parent / "hub", "rev-parse", "topic") == sent


def test_the_keys_of_json_are_described() -> None:
    from memgit.app.merge.update_branch import Updated
    from tests.test_docs import keys

    assert keys("docs/json.md", "Updating a branch") == set(Updated("", "", "", "", None).as_json())
