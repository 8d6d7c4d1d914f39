"""What a CI job is about, from what its forge tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgit.forge.events import Job, answered, github_job, gitlab_job
from memgit.forge.table import FORGES, here, named

B, A, NOBODY = "b" * 40, "a" * 40, "0" * 40
PULL = {
    "number": 7,
    "pull_request": {"number": 7, "base": {"sha": "c" * 40, "ref": "main"}, "head": {"sha": A}},
}
SEVEN = {"number": "7", "branch": "main", "head": A, "now": "refs/pull/7/head"}
DEFAULT = {"repository": {"default_branch": "main"}}
MERGE = {
    "CI_MERGE_REQUEST_IID": "7",
    "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
    "CI_MERGE_REQUEST_DIFF_BASE_SHA": B,
    "CI_COMMIT_SHA": A,
}


@pytest.mark.parametrize(
    ("name", "ref", "event", "wanted"),
    [
        ("pull_request", "refs/pull/7/merge", PULL, SEVEN),
        ("pull_request_target", "refs/heads/main", PULL, SEVEN),
        ("pull_request_review", "refs/pull/7/merge", PULL, SEVEN),
        ("pull_request", "refs/pull/7/merge", {}, {"number": "7", "now": "refs/pull/7/head"}),
        ("merge_group", "", {"merge_group": {"base_sha": B, "head_sha": A}}, {"base": B, "head": A}),
        ("push", "refs/heads/main", {"before": B, "after": A, **DEFAULT}, {"base": B, "head": A}),
        (
            "push",
            "refs/heads/topic",
            {"before": B, "after": A, "forced": True, **DEFAULT},
            {"base": B, "head": A, "branch": "main"},
        ),
        (
            "push",
            "refs/heads/topic",
            {"before": NOBODY, "after": A, **DEFAULT},
            {"head": A, "branch": "main"},
        ),
        ("push", "refs/heads/main", {"before": NOBODY, "after": A, **DEFAULT}, {"head": A, "whole": True}),
        ("push", "refs/tags/v1", {"before": NOBODY, "after": A, **DEFAULT}, {"head": A, "whole": True}),
        (
            "push",
            "refs/heads/topic",
            {"before": B, "after": NOBODY, **DEFAULT},
            {"nothing": "the push deletes a branch"},
        ),
        (
            "issue_comment",
            "refs/heads/main",
            {"issue": {"number": 9, "pull_request": {"url": "https://x"}}},
            {"number": "9", "now": "refs/pull/9/head", "query": "/repos/team/kb/pulls/9"},
        ),
        (
            "issue_comment",
            "refs/heads/main",
            {"issue": {"number": 9}},
            {"nothing": "the comment is on an issue, not on a pull request"},
        ),
        (
            "workflow_run",
            "refs/heads/main",
            {
                "workflow_run": {
                    "event": "pull_request",
                    "head_sha": A,
                    "head_branch": "a&b",
                    "head_repository": {"owner": {"login": "ada"}},
                }
            },
            {"head": A, "query": "/repos/team/kb/pulls?state=open&head=ada:a%26b&per_page=100"},
        ),
        (
            "workflow_run",
            "refs/heads/main",
            {"workflow_run": {"event": "push", "head_sha": A}},
            {"nothing": "the workflow ran on push, not on a pull request"},
        ),
        ("schedule", "refs/heads/main", {}, {"whole": True}),
        ("workflow_dispatch", "refs/heads/main", DEFAULT, {"whole": True}),
        ("release", "refs/tags/v1", [1, 2], {"whole": True}),
        ("issues", "refs/heads/pull/7", {"number": "7; rm -rf /"}, {"whole": True}),
        ("pull_request", "", {"pull_request": {"number": True, "base": 3}}, {"whole": True}),
    ],
)
def test_each_event_of_github(
    tmp_path: Path, name: str, ref: str, event: Any, wanted: dict[str, Any]
) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event))
    env = {"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "GITHUB_EVENT_NAME": name, "GITHUB_REF": ref}
    env |= {"GITHUB_REPOSITORY": "team/kb", "GITHUB_SERVER_URL": "https://forge.example"}
    always: dict[str, Any] = {"event": name, "repository": "team/kb", "url": "https://forge.example/team/kb"}
    assert github_job(env) == Job(**always, **wanted)


def test_an_event_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "event.json").write_text("[" * 100_000)
    for path in (str(tmp_path / "event.json"), str(tmp_path / "none"), ""):
        env = {"GITHUB_EVENT_PATH": path, "GITHUB_REF": "refs/pull/12/merge", "GITHUB_BASE_REF": "main"}
        assert github_job(env) == Job(number="12", branch="main", now="refs/pull/12/head")
        assert github_job({"GITHUB_EVENT_PATH": path}) == Job(whole=True)


def test_a_pull_request_that_the_forge_is_asked_for() -> None:
    """No other head than that of the event is taken, nor a guess between two."""
    pull = {"number": 9, "head": {"sha": A}, "base": {"ref": "main"}}
    found: dict[str, Any] = {"number": "9", "branch": "main", "head": A, "now": "refs/pull/9/head"}
    for job in (Job(query="/x"), Job(head=A, query="/x")):
        assert answered(job, pull) == answered(job, [pull]) == Job(**found)
    other = {**pull, "head": {"sha": B}}
    assert answered(Job(head=A, query="/x"), [other, pull]) == Job(**found)
    for value in (
        [],
        None,
        "x",
        [pull, pull],
        [other],
        {"number": 9},
        [{**pull, "base": 1}],
        [{**pull, "number": "x"}],
    ):
        assert answered(Job(head=A, query="/x"), value) is None


@pytest.mark.parametrize(
    ("env", "wanted"),
    [
        (MERGE, {"number": "7", "branch": "main", "base": B, "head": A}),
        (
            {**MERGE, "CI_PROJECT_ID": "1", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1"}
            | {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic"},
            {"number": "7", "branch": "main", "base": B, "head": A, "now": "refs/heads/topic"},
        ),
        (
            {**MERGE, "CI_PROJECT_ID": "2", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1"}
            | {"CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic", "CI_MERGE_REQUEST_PROJECT_PATH": "team/kb"}
            | {"CI_MERGE_REQUEST_PROJECT_URL": "https://forge.example/team/kb"},
            {"number": "7", "branch": "main", "base": B, "head": A}
            | {"repository": "team/kb", "url": "https://forge.example/team/kb"},
        ),
        (
            {
                **MERGE,
                "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "d" * 40,
                "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "e" * 40,
            },
            {"number": "7", "branch": "main", "base": "d" * 40, "head": "e" * 40},
        ),
        (
            {**MERGE, "CI_MERGE_REQUEST_EVENT_TYPE": "merge_train"},
            {"number": "7", "base": f"{A}^1", "head": A},
        ),
        (
            {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "topic", "CI_DEFAULT_BRANCH": "main"}
            | {"CI_COMMIT_SHA": A, "CI_COMMIT_BEFORE_SHA": NOBODY},
            {"event": "push", "branch": "main", "head": A},
        ),
        (
            {"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_BRANCH": "main", "CI_DEFAULT_BRANCH": "main"}
            | {"CI_COMMIT_SHA": A, "CI_COMMIT_BEFORE_SHA": B},
            {"event": "push", "base": B, "head": A},
        ),
        ({"CI_PIPELINE_SOURCE": "push", "CI_COMMIT_TAG": "v1"}, {"event": "push", "whole": True}),
        (
            {"CI_PIPELINE_SOURCE": "schedule", "CI_COMMIT_BRANCH": "main", "CI_COMMIT_SHA": A},
            {"event": "schedule", "head": A, "whole": True},
        ),
        ({"CI_PIPELINE_SOURCE": "web"}, {"event": "web", "whole": True}),
        ({}, {"whole": True}),
    ],
)
def test_each_pipeline_of_gitlab(env: dict[str, str], wanted: dict[str, Any]) -> None:
    assert gitlab_job(env) == Job(**wanted)


def test_paths_take_nothing_hostile() -> None:
    github, gitlab = FORGES
    for name in ("a/b/c", "../x", "a/b?c=d", "", "a b/c", "a/b\n"):
        assert github.comments({"GITHUB_REPOSITORY": name}, "7") is None
    assert (
        gitlab.comments({"CI_PROJECT_PATH": "team/sub/kb?x=1"}, "7")
        == "/projects/team%2Fsub%2Fkb%3Fx%3D1/merge_requests/7/notes"
    )


def test_which_forge_runs_the_job() -> None:
    assert here({}) is None and named("sourcehut") is None
    for forge in FORGES:
        found = here({forge.mark: "true"})
        assert found is forge is named(forge.name)


def test_where_a_forge_shows_files() -> None:
    """Addresses that HTML or Markdown would read otherwise than as an address are left out."""
    github, gitlab = named("github"), named("gitlab")
    assert github is not None and gitlab is not None
    env = {"GITHUB_SERVER_URL": "https://github.example.org/", "GITHUB_REPOSITORY": "team/kb"}
    rules = {"MEMGIT_RULES_URL": "https://forge.example.org/o/memgit/blob/v1/docs/rules/"}
    found = github.site({**env, **rules})
    assert found is not None and found.annotations == 10
    assert found.file == "https://github.example.org/team/kb/blob/{commit}/{path}#L{line}"
    assert found.rules == "https://forge.example.org/o/memgit/blob/v1/docs/rules"
    both = {"CI_PROJECT_URL": "https://gitlab.example.org/fork/kb"}
    target = {"CI_MERGE_REQUEST_PROJECT_URL": "https://gitlab.example.org/team/kb"}
    sites = [gitlab.site(both), gitlab.site({**both, **target})]
    assert [site.commit for site in sites if site is not None] == [
        "https://gitlab.example.org/fork/kb/-/commit/{commit}",
        "https://gitlab.example.org/team/kb/-/commit/{commit}",
    ]
    for bad in ('https://x"onclick=y', "javascript:x", "https://x y", "https://x\n", "https://x>", ""):
        assert github.site({**env, "GITHUB_SERVER_URL": bad}) is None
        assert gitlab.site({"CI_PROJECT_URL": bad}) is None
        site = github.site({**env, "MEMGIT_RULES_URL": bad})
        assert site is not None and site.rules == ""
    assert github.site({**env, "GITHUB_REPOSITORY": "team/kb/../x"}) is None
