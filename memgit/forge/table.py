"""The forges that memgit knows, one row each: how a CI job there is told what it is about, and how comments
are read and written.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

from memgit.forge.events import Env, Job, github_fork, github_job, gitlab_fork, gitlab_job
from memgit.lint.reports.github import MAX_ANNOTATIONS
from memgit.review.values import Site


class Forge(NamedTuple):
    """One forge.

    Attributes:
        name: as given on the command line.
        noun: what it calls a proposed change.
        mark: the variable that its CI sets.
        job: what a job is about.
        fork: whether a job is about a change from a fork, whose token may only read.
        site: where it shows files and commits; None where the environment does not say.
        api: the address of its interface.
        tokens: the variables that may hold a token, the first one that is set counts.
        headers: what a token is sent in.
        comments: the path at which the comments of a change are listed and added, given its number.
        one: the path of one comment, given its number and the comment.
        method: by which a comment is replaced.
        me: what of the answer of `/user`, and of a comment's author, says who it is.
        author: the author of a comment.
        robot: whether an author is a program: for tokens that may not ask who they are.
        requests: the path at which the open changes of the repository are listed.
        request: number, base and branch of a change that comes from the repository itself; None for one from a fork.
        limit: characters that a comment may have.
        advice: what to do where writing is not allowed.
    """

    name: str
    noun: str
    mark: str
    job: Callable[[Env], Job]
    fork: Callable[[Env], bool]
    site: Callable[[Env], Site | None]
    api: Callable[[Env], str | None]
    tokens: tuple[str, ...]
    headers: Callable[[str], dict[str, str]]
    comments: Callable[[Env, str], str | None]
    one: Callable[[Env, str, Mapping[str, Any]], str]
    method: str
    me: str
    author: str
    robot: Callable[[Mapping[str, Any]], bool]
    requests: Callable[[Env], str | None]
    request: Callable[[Mapping[str, Any]], tuple[Any, Any, Any] | None]
    limit: int
    advice: str


def _github_repository(env: Env) -> str | None:
    name = env.get("GITHUB_REPOSITORY", "")
    return name if re.fullmatch(r"[.-]*\w[\w.-]*/[.-]*\w[\w.-]*", name, re.ASCII) else None


def _github_site(env: Env) -> Site | None:
    server, name = _web(env.get("GITHUB_SERVER_URL")), _github_repository(env)
    if server is None or name is None:
        return None
    top = f"{server}/{name}"
    return Site(
        f"{top}/blob/{{commit}}/{{path}}#L{{line}}", f"{top}/commit/{{commit}}", _rules(env), MAX_ANNOTATIONS
    )


def _gitlab_site(env: Env) -> Site | None:
    """The project that a merge request goes into has the commits of both sides, those of a fork too."""
    top = _web(env.get("CI_MERGE_REQUEST_PROJECT_URL")) or _web(env.get("CI_PROJECT_URL"))
    if top is None:
        return None
    return Site(f"{top}/-/blob/{{commit}}/{{path}}#L{{line}}", f"{top}/-/commit/{{commit}}", _rules(env))


def _rules(env: Env) -> str:
    """The folder of the pages of rules, where the job knows where memgit came from."""
    return _web(env.get("MEMGIT_RULES_URL")) or ""


def _web(url: str | None) -> str | None:
    """An address that may stand in a comment as it is; None for any other."""
    found = re.fullmatch(r"https?://[\w.:/@%+~-]+?/*", url or "", re.ASCII)
    return found[0].rstrip("/") if found else None


def _github_comments(env: Env, number: str) -> str | None:
    name = _github_repository(env)
    return None if name is None else f"/repos/{name}/issues/{number}/comments"


def _gitlab_comments(env: Env, number: str) -> str | None:
    project = env.get("CI_MERGE_REQUEST_PROJECT_ID") or env.get("CI_PROJECT_ID") or env.get("CI_PROJECT_PATH")
    return None if not project else f"/projects/{quote(project, safe='')}/merge_requests/{number}/notes"


def _github_requests(env: Env) -> str | None:
    name = _github_repository(env)
    return None if name is None else f"/repos/{name}/pulls?state=open"


def _github_request(row: Mapping[str, Any]) -> tuple[Any, Any, Any] | None:
    head, base = (row.get(side) or {} for side in ("head", "base"))
    repository = head.get("repo") or {}  # null where the fork is gone
    if repository.get("id") != (base.get("repo") or {}).get("id"):
        return None
    return row.get("number"), base.get("ref"), head.get("ref")


def _gitlab_requests(env: Env) -> str | None:
    project = env.get("CI_PROJECT_ID") or env.get("CI_PROJECT_PATH")
    return None if not project else f"/projects/{quote(project, safe='')}/merge_requests?state=opened"


def _gitlab_request(row: Mapping[str, Any]) -> tuple[Any, Any, Any] | None:
    if row.get("source_project_id") != row.get("target_project_id"):
        return None
    return row.get("iid"), row.get("target_branch"), row.get("source_branch")


FORGES = (
    Forge(
        "github",
        "pull request",
        "GITHUB_ACTIONS",
        github_job,
        github_fork,
        _github_site,
        lambda env: env.get("GITHUB_API_URL") or "https://api.github.com",
        ("MEMGIT_FORGE_TOKEN", "GITHUB_TOKEN", "GH_TOKEN"),
        lambda token: {
            "Authorization": f"Bearer {token}",
            "Accept": "application/vnd.github+json",
            "X-GitHub-Api-Version": "2022-11-28",
        },
        _github_comments,
        lambda env, number, comment: f"/repos/{_github_repository(env)}/issues/comments/{comment['id']}",
        "PATCH",
        "login",
        "user",
        lambda author: author.get("type") == "Bot",
        _github_requests,
        _github_request,
        65_536,
        "give the job `permissions: pull-requests: write`",
    ),
    Forge(
        "gitlab",
        "merge request",
        "GITLAB_CI",
        gitlab_job,
        gitlab_fork,
        _gitlab_site,
        lambda env: env.get("CI_API_V4_URL"),
        ("MEMGIT_FORGE_TOKEN", "GITLAB_TOKEN"),
        lambda token: {"PRIVATE-TOKEN": token},
        _gitlab_comments,
        lambda env, number, comment: f"{_gitlab_comments(env, number)}/{comment['id']}",
        "PUT",
        "username",
        "author",
        lambda author: bool(author.get("bot")),
        _gitlab_requests,
        _gitlab_request,
        1_000_000,
        (
            "give the job a project access token with the scope api as MEMGIT_FORGE_TOKEN (a "
            "CI_JOB_TOKEN may not write notes)"
        ),
    ),
)
"""Another forge is another row."""


def here(env: Env) -> Forge | None:
    """The forge whose CI runs this job."""
    return next((forge for forge in FORGES if env.get(forge.mark)), None)


def named(name: str) -> Forge | None:
    return next((forge for forge in FORGES if forge.name == name), None)
