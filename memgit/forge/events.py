"""What a CI job is about: each event of the forges that memgit knows, by name.

A change is compared with the branch that it goes into, never with the base commit that an event names: that
may be hours old. An event without a change asks for a check of everything.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

Env = Mapping[str, str]


class Job(NamedTuple):
    """What a CI job is about.

    Attributes:
        event: as the forge calls it.
        number: of the pull or merge request, None where the job is about none.
        branch: what the head goes into, by its name on the forge.
        base: the commit to compare with where no branch counts, or none can be fetched.
        head: the commit that is reviewed.
        now: the ref by which the forge tells whether that is still the head.
        repository: the path of the repository that the branch is in, such as `team/kb`.
        url: from where that repository is fetched if the checkout came from another one, such as a fork.
        whole: whether there is no change: everything is checked.
        nothing: why there is nothing to review, in words.
        query: the path of the API that answers with the pull request, or a list of those in question, where
            the event does not say enough; see `answered`.
    """

    event: str = ""
    number: str | None = None
    branch: str | None = None
    base: str | None = None
    head: str = "HEAD"
    now: str | None = None
    repository: str | None = None
    url: str | None = None
    whole: bool = False
    nothing: str | None = None
    query: str | None = None


def _payload(env: Env) -> Any:
    """What happened, as GitHub writes it for the job (docs.github.com, "Webhook events and payloads")."""
    try:
        with open(env["GITHUB_EVENT_PATH"], "rb") as file:
            return json.load(file)
    except (KeyError, OSError, ValueError, RecursionError):
        return {}


def _at(value: Any, *keys: str) -> str | None:
    """A text or number deep in a JSON value."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return (
        str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) and value != "" else None
    )


def _number(text: str | None) -> str | None:
    return text if text is not None and text.isascii() and text.isdigit() else None


# GitHub (docs.github.com, "Events that trigger workflows")


def github_job(env: Env) -> Job:
    """What a job of GitHub Actions is about."""
    event = _payload(env)
    name, ref = env.get("GITHUB_EVENT_NAME", ""), env.get("GITHUB_REF", "")
    repository = env.get("GITHUB_REPOSITORY") or None
    server = env.get("GITHUB_SERVER_URL")
    job = Job(name, repository=repository, url=f"{server}/{repository}" if server and repository else None)
    if name == "issue_comment" or (not name and _at(event, "issue", "number") is not None):
        return _of_comment(job, event)
    if name == "workflow_run":
        return _of_workflow_run(job, event)
    if _at(event, "pull_request", "number") is not None or ref.startswith("refs/pull/"):
        return _of_pull_request(job, env, event, ref)
    if _at(event, "merge_group", "base_sha") is not None:
        base, head = _at(event, "merge_group", "base_sha"), _at(event, "merge_group", "head_sha")
        return job._replace(base=base, head=head or "HEAD")
    if name == "push" or (not name and _at(event, "before") is not None):
        default = _at(event, "repository", "default_branch")
        branch = ref.removeprefix("refs/heads/") if ref.startswith("refs/heads/") else None
        return _of_push(job, branch, default, _at(event, "before"), _at(event, "after"))
    return job._replace(whole=True)


def _of_pull_request(job: Job, env: Env, event: Any, ref: str) -> Job:
    pull = event.get("pull_request") if isinstance(event, dict) else None
    part = ref.split("/")
    number = _number(_at(pull, "number") or (part[2] if ref.startswith("refs/pull/") else None))
    return job._replace(
        number=number,
        branch=_at(pull, "base", "ref") or env.get("GITHUB_BASE_REF") or None,
        head=_at(pull, "head", "sha") or "HEAD",
        now=f"refs/pull/{number}/head" if number else None,
    )


def _of_comment(job: Job, event: Any) -> Job:
    number = _number(_at(event, "issue", "number"))
    if _at(event, "issue", "pull_request", "url") is None or number is None:
        return job._replace(nothing="the comment is on an issue, not on a pull request")
    return job._replace(
        number=number, now=f"refs/pull/{number}/head", query=f"/repos/{job.repository}/pulls/{number}"
    )


def _of_workflow_run(job: Job, event: Any) -> Job:
    run = event.get("workflow_run") if isinstance(event, dict) else None
    cause, head = _at(run, "event") or "something else", _at(run, "head_sha")
    if not cause.startswith("pull_request") or head is None:
        return job._replace(nothing=f"the workflow ran on {cause}, not on a pull request")
    owner, branch = _at(run, "head_repository", "owner", "login"), _at(run, "head_branch")
    heads = quote(f"{owner}:{branch}", safe=":")
    return job._replace(
        head=head, query=f"/repos/{job.repository}/pulls?state=open&head={heads}&per_page=100"
    )


def answered(job: Job, value: Any) -> Job | None:
    """A job whose event did not say enough, with what the forge answered to its query; None where that names
    no one pull request with this head.
    """
    rows = [value] if isinstance(value, dict) else value if isinstance(value, list) else []
    pulls = [one for one in rows if job.head in ("HEAD", _at(one, "head", "sha"))]
    number = _number(_at(pulls[0], "number")) if len(pulls) == 1 else None
    head, branch = (
        (_at(pulls[0], *keys) for keys in (("head", "sha"), ("base", "ref"))) if number else (None, None)
    )
    if not head or not branch:
        return None
    return job._replace(number=number, branch=branch, head=head, now=f"refs/pull/{number}/head", query=None)


def github_fork(env: Env) -> bool:
    """Whether a job is about a change from a fork, whose token may only read.

    From the event `pull_request_target` alone the token writes, wherever the change comes from.
    """
    event = _payload(env)
    head, base = (_at(event, "pull_request", side, "repo", "full_name") for side in ("head", "base"))
    return env.get("GITHUB_EVENT_NAME") != "pull_request_target" and base is not None and head != base


# What forges have in common


def _of_push(job: Job, branch: str | None, default: str | None, before: str | None, after: str | None) -> Job:
    """A push: against the commit before it, or, where that is none of its ancestors, against the default branch.

    A tag, and the first push of the default branch, are no change.
    """
    if after is not None and not after.strip("0"):
        return job._replace(nothing="the push deletes a branch")
    before = before if before and before.strip("0") else None
    into = default if default != branch else None
    if branch is None or (before is None and into is None):
        return job._replace(whole=True, head=after or "HEAD")
    return job._replace(branch=into, base=before, head=after or "HEAD")


# GitLab (docs.gitlab.com, "Predefined CI/CD variables")


def gitlab_job(env: Env) -> Job:
    """What a job of GitLab CI is about."""
    said = {name: value for name, value in env.items() if value}
    job = Job(
        said.get("CI_PIPELINE_SOURCE", ""),
        head=said.get("CI_COMMIT_SHA", "HEAD"),
        repository=said.get("CI_MERGE_REQUEST_PROJECT_PATH") or said.get("CI_PROJECT_PATH"),
        url=said.get("CI_MERGE_REQUEST_PROJECT_URL"),
    )
    if "CI_MERGE_REQUEST_IID" in said:
        return _of_merge_request(job, said)
    branch, default = said.get("CI_COMMIT_BRANCH"), said.get("CI_DEFAULT_BRANCH")
    if job.event == "push" or (not job.event and branch is not None):
        return _of_push(job, branch, default, said.get("CI_COMMIT_BEFORE_SHA"), said.get("CI_COMMIT_SHA"))
    return job._replace(whole=True)


def _of_merge_request(job: Job, said: Env) -> Job:
    """In a train the commit before counts, on which this one was merged; else the target branch as it is now."""
    number = _number(said["CI_MERGE_REQUEST_IID"])
    if said.get("CI_MERGE_REQUEST_EVENT_TYPE") == "merge_train":
        return job._replace(number=number, base=f"{job.head}^1")
    own = said.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") == said.get("CI_PROJECT_ID")
    source = said.get("CI_MERGE_REQUEST_SOURCE_BRANCH_NAME")
    return job._replace(
        number=number,
        branch=said.get("CI_MERGE_REQUEST_TARGET_BRANCH_NAME") or said.get("CI_DEFAULT_BRANCH"),
        base=said.get("CI_MERGE_REQUEST_TARGET_BRANCH_SHA") or said.get("CI_MERGE_REQUEST_DIFF_BASE_SHA"),
        head=said.get("CI_MERGE_REQUEST_SOURCE_BRANCH_SHA") or job.head,
        now=f"refs/heads/{source}" if own and source and "CI_PROJECT_ID" in said else None,
    )


def gitlab_fork(env: Env) -> bool:
    """Whether a job is about a change from a fork."""
    return env.get("CI_MERGE_REQUEST_SOURCE_PROJECT_ID") != env.get("CI_MERGE_REQUEST_PROJECT_ID")
