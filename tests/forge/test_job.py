"""`memgit review-job`: what each event is compared with, in checkouts as the forges make them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.forge.ci import Forge, forge, github_env, pull
from tests.forge.server import Server
from tests.support import Answer, Prepared, memgit, run_git

GOOD = ["record", "knowledge", "Trap on exit", "--category", "shell", "-m", "Remove the folder."]
LINKED = ["record", "memory", "Shells", "-m", "See [[knowledge/shell#Quote every expansion]]."]
NOBODY = "0" * 40


@pytest.fixture
def hub(prepared: Prepared) -> Forge:
    return forge(prepared)


def on(
    monkeypatch: pytest.MonkeyPatch, folder: Path, event: Any, name: str = "pull_request", **env: str
) -> None:
    """Sets the environment of a job of GitHub."""
    told = github_env(folder / "runner", "http://127.0.0.1:9", event) | {"GITHUB_EVENT_NAME": name, **env}
    for key, value in told.items():
        monkeypatch.setenv(key, value)


def job(folder: Path, *args: str, code: int | None = 0) -> Any:
    answer = memgit(folder, "review-job", *args, "--json", code=code)
    return answer.json


def words(folder: Path, *args: str, code: int) -> Answer:
    return memgit(folder, "review-job", *args, code=code)


def on_main(hub: Forge, *command: str) -> str:
    """Puts one command on the hub's main; its commit."""
    run_git(hub.seed, "switch", "-q", "main")
    memgit(hub.seed, *command)
    run_git(hub.seed, "push", "-q", "--no-verify", str(hub.hub), "main")
    return run_git(hub.seed, "rev-parse", "main")


TEXT = "Remove the temporary folder in a trap on EXIT, so that an error half-way leaves nothing behind."
ENTRY = ["record", "knowledge", "Trap on exit", "--category", "shell", "-m", TEXT, "--similar", "create"]
MOVES = {
    "a link": (LINKED, ["rename", "Quote every expansion", "Quote all of them"], "MG201", 1),
    "a duplicate": (
        ENTRY,
        ["record", "memory", "A trap on exit", "-m", TEXT, "--similar", "create"],
        "MG301",
        None,
    ),
}


@pytest.mark.parametrize("move", MOVES)
def test_a_base_that_moved_on_since_the_event(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch, move: str
) -> None:
    """What is wrong in the merge alone, with what came to main meanwhile, is found."""
    change, meanwhile, rule, code = MOVES[move]
    sides = hub.propose(change)
    checkout = hub.checkout(tmp_path / "checkout")
    moved = on_main(hub, *meanwhile)
    on(monkeypatch, tmp_path, pull(sides, base={"sha": sides["base"], "ref": "main"}))
    found = job(checkout, "--also", f"json={tmp_path / 'out.json'}", code=code)
    assert (found["base"], found["head"], found["number"]) == (moved, sides["head"], "7")
    assert rule in {one["rule"] for one in json.loads((tmp_path / "out.json").read_text())["findings"]}
    assert (
        memgit(checkout, "review", f"{sides['base']}...{sides['head']}", "--json").json["verdict"] == "pass"
    )


def test_the_first_parent_counts_where_nothing_can_be_fetched(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", depth=None)
    run_git(checkout, "update-ref", "-d", "refs/remotes/origin/main")
    run_git(checkout, "remote", "set-url", "origin", str(tmp_path / "gone"))
    on(monkeypatch, tmp_path, pull({**sides, "base": NOBODY}))
    found = job(checkout)
    assert (found["verdict"], found["base"]) == ("pass", sides["base"])
    assert "main could not be fetched as it is now" in found["notes"][0]
    assert "::warning title=memgit::main could not be" in words(checkout, "--format", "github", code=0).out


def test_a_pull_request_that_has_moved_on_and_one_that_is_merged(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout")
    on(monkeypatch, tmp_path, pull(sides))
    newer = hub.propose(["record", "memory", "One more", "-m", "x"])
    found = job(checkout)
    assert found["verdict"] == "none" and f"7 has moved on to {newer['head'][:10]}" in found["notes"][0]
    on(monkeypatch, tmp_path, pull(newer))
    run_git(hub.hub, "update-ref", "refs/heads/main", "refs/pull/7/merge")
    found = job(checkout)
    assert found["verdict"] == "none" and "has nothing that origin/main lacks" in found["notes"][0]
    answer = words(checkout, "--format", "github", code=0).out
    assert answer.startswith("::notice title=memgit::nothing to review")


@pytest.mark.parametrize("kept", [True, False], ids=["kept", "collected"])
def test_a_push_by_force(tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch, kept: bool) -> None:
    """To a branch: what goes into the default one counts. To the default one: what is gone is told, if it can be."""
    sides = hub.propose(GOOD)
    before = sides["head"]
    run_git(hub.seed, "switch", "-q", "-C", "topic", "main")
    after = hub.propose(LINKED)["head"]
    if not kept:
        run_git(hub.hub, "reflog", "expire", "--expire=now", "--all")
        run_git(hub.hub, "gc", "-q", "--prune=now")
    event = {"before": before, "after": after, "forced": True, "repository": {"default_branch": "main"}}
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head")
    on(monkeypatch, tmp_path, event, "push", GITHUB_REF="refs/heads/topic")
    found = job(checkout)
    assert (found["base"], found["head"], found["number"]) == (sides["base"], after, None)
    on(monkeypatch, tmp_path, event, "push", GITHUB_REF="refs/heads/main")
    found = job(checkout, "--also", f"json={tmp_path / 'out.json'}", code=None)
    changes = json.loads((tmp_path / "out.json").read_text())["changes"]
    if kept:
        assert found["base"] == before and "by force" in found["notes"][0]
        assert [(one["change"], one["title"]) for one in changes] == [
            ("removed", "Trap on exit"),
            ("added", "Shells"),
        ]
    else:
        assert found["base"] is None and "cannot be fetched" in found["notes"][0] and not changes


def test_a_comment_asks_for_the_pull_request_itself(
    tmp_path: Path, hub: Forge, github: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/heads/main")
    issue = {"number": 7, "pull_request": {"url": "x"}}
    on(monkeypatch, tmp_path, {"issue": issue}, "issue_comment", GITHUB_REF="refs/heads/main")
    monkeypatch.setenv("GITHUB_API_URL", github.address)
    answer = words(checkout, code=3)
    assert "there is no token for github" in answer.err
    monkeypatch.setenv("MEMGIT_FORGE_TOKEN", "t")
    github.pulls = [{"number": 7, "head": {"sha": sides["head"]}, "base": {"ref": "main"}}]
    found = job(checkout)
    assert (found["number"], found["base"], found["head"]) == ("7", sides["base"], sides["head"])
    github.pulls = []
    assert "answers 404" in words(checkout, code=3).err
    on(monkeypatch, tmp_path, {"issue": {"number": 7}}, "issue_comment", GITHUB_REF="refs/heads/main")
    assert job(checkout)["verdict"] == "none"


def test_a_workflow_run_of_a_fork(
    tmp_path: Path, hub: Forge, github: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/heads/main")
    run = {"event": "pull_request", "head_sha": sides["head"], "head_branch": "topic"}
    event = {"workflow_run": {**run, "head_repository": {"owner": {"login": "ada"}}}}
    on(monkeypatch, tmp_path, event, "workflow_run", GITHUB_REF="refs/heads/main")
    monkeypatch.setenv("GITHUB_API_URL", github.address)
    monkeypatch.setenv("MEMGIT_FORGE_TOKEN", "t")
    other = {"number": 6, "head": {"sha": NOBODY}, "base": {"ref": "main"}}
    github.pulls = [other, {"number": 7, "head": {"sha": sides["head"]}, "base": {"ref": "main"}}]
    found = job(checkout)
    assert (found["number"], found["base"], found["head"]) == ("7", sides["base"], sides["head"])
    github.pulls = [other]
    assert "does not say which open pull request" in words(checkout, code=3).err


@pytest.mark.parametrize("spelled", ["main", "origin/main", "refs/heads/main", "refs/remotes/origin/main"])
def test_a_base_by_any_of_its_names_in_a_checkout_of_one_branch(
    tmp_path: Path, hub: Forge, spelled: str
) -> None:
    sides = hub.propose(GOOD)
    run_git(hub.seed, "push", "-q", "--no-verify", str(hub.hub), "topic")
    run_git(tmp_path, "clone", "-q", "--depth=1", "--branch=topic", f"file://{hub.hub}", "checkout")
    found = job(tmp_path / "checkout", "--base", spelled, "--head", "HEAD")
    assert (found["base"], found["head"]) == (sides["base"], sides["head"])


def test_a_base_that_is_nowhere_is_told_before_anything_is_fetched(tmp_path: Path, hub: Forge) -> None:
    hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout")
    for name in ("nowhere", "origin/nowhere", "-x", "refs/heads/ma:in"):
        answer = words(checkout, f"--base={name}", "--head", "HEAD", code=2)
        assert name in answer.err and (checkout / ".git/shallow").exists()
    for head in ("-x", "topic~1", "--upload-pack=x"):
        assert head in words(checkout, "--base", "main", f"--head={head}", code=3).err
    run_git(checkout, "remote", "set-url", "origin", str(tmp_path / "gone"))
    run_git(checkout, "update-ref", "-d", "refs/remotes/origin/main")
    assert "origin cannot be asked" in words(checkout, "--base", "main", "--head", "HEAD", code=3).err
    assert "--base" in words(checkout, "--head", "HEAD", code=2).err


def test_a_branch_that_is_gone_and_one_that_is_none(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head")
    for branch, code, said in (
        ("gone", 3, "no branch gone"),
        ("main:refs/heads/x", 2, "is not a name of a branch"),
    ):
        on(monkeypatch, tmp_path, pull(sides, base={"sha": sides["base"], "ref": branch}))
        assert said in words(checkout, code=code).err
    assert "refs/heads/x" not in run_git(checkout, "for-each-ref")


def test_a_checkout_of_a_fork_is_compared_with_the_branch_of_the_other_repository(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    sides = hub.propose(GOOD)
    run_git(tmp_path, "clone", "-q", "--bare", str(hub.hub), "fork.git")
    run_git(tmp_path / "fork.git", "update-ref", "refs/heads/main", sides["head"])
    (tmp_path / "team").mkdir()
    (tmp_path / "team/kb.git").symlink_to(hub.hub)
    checkout = Forge(tmp_path / "fork.git", hub.seed).checkout(tmp_path / "checkout", ref="refs/heads/main")
    on(monkeypatch, tmp_path, pull(sides), GITHUB_SERVER_URL=f"file://{tmp_path}")
    found = job(checkout)
    assert (found["verdict"], found["base"], found["head"]) == ("pass", sides["base"], sides["head"])


def test_what_is_given_to_the_steps_that_follow(tmp_path: Path, hub: Forge) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout")
    (tmp_path / "outputs").write_text("before=1\n")
    words(checkout, "--base", "main", "--head", sides["head"], "--outputs", str(tmp_path / "outputs"), code=0)
    assert (tmp_path / "outputs").read_text() == (
        f"before=1\nverdict=pass\nnumber=\nbase={sides['base']}\nhead={sides['head']}\n"
    )
    assert (
        "No such file"
        in words(checkout, "--base", "main", "--head", "HEAD", "--outputs", str(tmp_path / "a/b"), code=3).err
    )


def test_a_job_on_a_schedule_checks_everything(
    tmp_path: Path, hub: Forge, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the commit, at any depth: what a step before has left in the working tree does not count."""
    run_git(hub.seed, "rm", "-q", "INDEX.md")
    run_git(hub.seed, "commit", "-q", "--no-verify", "-m", "by hand")
    on_main(hub, "record", "memory", "Links", "-m", "See [[nowhere at all]].")
    hub.propose(GOOD)
    run_git(hub.seed, "switch", "-q", "main")
    run_git(hub.seed, "rm", "-q", "-f", "memory/INDEX.md")
    run_git(hub.seed, "commit", "-q", "--no-verify", "-m", "by hand")
    run_git(hub.seed, "push", "-q", "--no-verify", str(hub.hub), "main")
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/heads/main")
    (checkout / "notes").mkdir()
    (checkout / "notes/left.md").write_text("<<<<<<< left by a step\n")
    on(monkeypatch, tmp_path, {"schedule": "0 0 * * *"}, "schedule", GITHUB_REF="refs/heads/main")
    found = job(checkout, "--also", f"json={tmp_path / 'out.json'}", code=1)
    assert (found["verdict"], found["base"], found["number"]) == ("fail", None, None)
    findings = json.loads((tmp_path / "out.json").read_text())["findings"]
    assert {(one["rule"], one["path"]) for one in findings} >= {
        ("MG101", "memory/INDEX.md"),
        ("MG201", "memory/links.md"),
    }
    assert not [one for one in findings if "left" in one["path"]]
    said = words(checkout, "--format", "github", code=1).out
    assert "::notice title=memgit::schedule is about no change: the whole root was checked" in said
