"""What a CI job is about, from what its forge tells it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from memgit.forge.table import FORGES, Job, here, named
from tests.support import memgit

PULL = {
    "number": 7,
    "pull_request": {"number": 7, "base": {"sha": "b" * 40, "ref": "main"}, "head": {"sha": "a" * 40}},
}
NOBODY = "0" * 40


@pytest.mark.parametrize(
    ("event", "env", "job"),
    [
        (PULL, {}, Job("7", "b" * 40, "a" * 40)),
        ({"merge_group": {"base_sha": "b" * 40, "head_sha": "a" * 40}}, {}, Job(None, "b" * 40, "a" * 40)),
        ({"before": "b" * 40, "after": "a" * 40}, {}, Job(None, "b" * 40, "a" * 40)),
        ({"before": NOBODY, "repository": {"default_branch": "main"}}, {}, Job(None, "origin/main", "HEAD")),
        (
            {},
            {"GITHUB_BASE_REF": "main", "GITHUB_REF": "refs/pull/12/merge"},
            Job("12", "origin/main", "HEAD"),
        ),
        ({"issue": {"number": 9, "pull_request": {"url": "https://x"}}}, {}, Job("9", None, "HEAD")),
        ({"issue": {"number": 9}}, {}, Job(None, None, "HEAD")),
        ({"number": "7; rm -rf /"}, {}, Job(None, None, "HEAD")),
        ([1, 2], {"GITHUB_REF": "refs/heads/pull/7"}, Job(None, None, "HEAD")),
        ({"pull_request": {"number": True, "base": 3}}, {}, Job(None, None, "HEAD")),
    ],
)
def test_a_job_of_github(tmp_path: Path, event: Any, env: dict[str, str], job: Job) -> None:
    (tmp_path / "event.json").write_text(json.dumps(event))
    row = named("github")
    assert row is not None and row.job({"GITHUB_EVENT_PATH": str(tmp_path / "event.json"), **env}) == job


def test_an_event_that_cannot_be_read(tmp_path: Path) -> None:
    row = named("github")
    assert row is not None
    (tmp_path / "event.json").write_text("[" * 100_000)
    for path in (str(tmp_path / "event.json"), str(tmp_path / "none"), ""):
        assert row.job({"GITHUB_EVENT_PATH": path}) == Job(None, None, "HEAD")


@pytest.mark.parametrize(
    ("env", "job"),
    [
        (
            {
                "CI_MERGE_REQUEST_IID": "7",
                "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
                "CI_COMMIT_SHA": "a" * 40,
                "CI_MERGE_REQUEST_PROJECT_ID": "1",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "1",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "b" * 40,
            },
            Job("7", "origin/main", "a" * 40),
        ),
        (
            {
                "CI_MERGE_REQUEST_IID": "7",
                "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
                "CI_COMMIT_SHA": "a" * 40,
                "CI_MERGE_REQUEST_PROJECT_ID": "1",
                "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "2",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "b" * 40,
            },
            Job("7", "b" * 40, "a" * 40),
        ),
        (
            {
                "CI_MERGE_REQUEST_IID": "7",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": "b" * 40,
                "CI_COMMIT_SHA": "m" * 40,
                "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": "t" * 40,
                "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": "a" * 40,
            },
            Job("7", "t" * 40, "a" * 40),
        ),
        ({"CI_DEFAULT_BRANCH": "main", "CI_COMMIT_SHA": "a" * 40}, Job(None, "origin/main", "a" * 40)),
        ({}, Job(None, None, "HEAD")),
    ],
)
def test_a_job_of_gitlab(env: dict[str, str], job: Job) -> None:
    row = named("gitlab")
    assert row is not None and row.job(env) == job


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


def test_the_range_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "event.json").write_text(json.dumps(PULL))
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_EVENT_PATH", str(tmp_path / "event.json"))
    assert memgit(tmp_path, "review-range").out == f"{'b' * 40}...{'a' * 40}\n"
    assert memgit(tmp_path, "review-range", "--json").json == {
        "number": "7",
        "base": "b" * 40,
        "head": "a" * 40,
    }
    monkeypatch.setenv("GITHUB_EVENT_PATH", "nowhere")
    assert "compared with" in memgit(tmp_path, "review-range", code=2).err
    for branch in ("-x", "a b", "a\x1bb"):
        monkeypatch.setenv("GITHUB_BASE_REF", branch)
        # it reads origin/-x, which is no option
        assert memgit(tmp_path, "review-range", code=None).code == (0 if branch == "-x" else 2)
