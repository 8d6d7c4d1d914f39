"""Ten pull requests on a forge that is emulated here, the events that start jobs for them, and checkouts as the
usual actions make them.

A job is run in two ways: by its own scripts (`ci.Action`, `ci.Pipeline`, `plain-ci.sh`), or by the same commands
in this process, which takes a tenth of the time.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.forge.ci import ROOT, Action, Pipeline, github_env, install
from tests.forge.server import Server
from tests.support import memgit, run_git

NOBODY = "0" * 40
TOKEN = "ghs_emulated"
KEY = "key AKIAZ7Q2M4N6P8R1T3V5"
Write = Callable[[Path], None]


class Hub(NamedTuple):
    """A repository on the forge with one request of it, 7: its hub, the fork that it may come from, and commits.

    Attributes:
        commits: `base` is main when the request was made, `main` what it is now, `head` the request's, `merge`
            what the forge made of both.
        folder: the knowledge root that the job looks at.
    """

    hub: Path
    fork: Path | None
    commits: Mapping[str, str]
    folder: str = "."


# The ten


def _entry(title: str, text: str) -> list[str]:
    return ["record", "knowledge", title, "--category", "shell", "--similar", "create", "-m", text]


def harmless(seed: Path) -> None:
    memgit(
        seed,
        *_entry("Trap on exit", "Remove the temporary folder in the trap, so that an error leaves none."),
    )


def broken_link(seed: Path) -> None:
    """A heading is renamed by hand, to which a memory links."""
    path = seed / "knowledge-base/shell.md"
    path.write_text(path.read_text().replace("## Quote every expansion", "## Quote them"))
    memgit(seed, "commit", "-m", "Shorter")


def duplicate(seed: Path) -> None:
    text = (
        "Unquoted expansions split at blanks and expand patterns: put double quotes around every one of them."
    )
    memgit(seed, *_entry("Quote each expansion", text), "--keyword", "shell,quoting,expansion")


def contradiction(seed: Path) -> None:
    memgit(seed, *_entry("Fail fast", "Never retry a failed upload; report it."), "--keyword", "http,error")


def secret(seed: Path) -> None:
    memgit(seed, *_entry("Deploy", KEY), "--allow-secret")


def drift(seed: Path) -> None:
    """An entry is added by hand, past the hooks, and no index with it."""
    path = seed / "knowledge-base/shell.md"
    path.write_text(
        f"{path.read_text()}\n## By hand\n\n**Date:** 2026-03-01\n**Best Practice:**\n- Do it twice.\n"
    )
    run_git(seed, "commit", "-q", "--no-verify", "-am", "by hand")


def rename_and_edit(seed: Path) -> None:
    memgit(seed, "rename", "Quote every expansion", "Quote all expansions")
    memgit(
        seed, "update", "Quote all expansions", "-m", "Double quotes, always: unquoted ones split at blanks."
    )


def code_alone(seed: Path) -> None:
    (seed / "src").mkdir()
    (seed / "src/main.py").write_text("print(1)\n")
    run_git(seed, "add", "src")
    run_git(seed, "commit", "-q", "--no-verify", "-m", "code")


def subfolder(seed: Path) -> None:
    memgit(seed / "docs/kb", "record", "memory", "Deep", "-m", "In the folder of the documentation.")


PULLS: dict[str, Write] = {
    "harmless": harmless,
    "broken link": broken_link,
    "duplicate": duplicate,
    "contradiction": contradiction,
    "secret": secret,
    "drift": drift,
    "rename and edit": rename_and_edit,
    "code alone": code_alone,
    "fork": harmless,
    "subfolder": subfolder,
}


def make_base(folder: Path) -> None:
    """The repository that the requests are made of: two knowledge roots, and a record of each sort that they touch."""
    seed = folder / "seed"
    memgit(folder, "init", "seed", "--no-hooks")
    text = (
        "Unquoted expansions split at blanks and expand patterns: put double quotes around every one of them."
    )
    memgit(seed, *_entry("Quote every expansion", text), "--keyword", "shell,quoting,expansion")
    memgit(seed, *_entry("Be patient", "Always retry a failed upload."), "--keyword", "http,upload")
    memgit(seed, "record", "memory", "Shells", "-m", "See [[knowledge/shell#Quote every expansion]].")
    memgit(seed, "init", str(seed / "docs/kb"), "--no-hooks")


def make_hub(folder: Path, name: str) -> Hub:
    """The forge with the request of that name open, in the folder that `make_base` has filled."""
    seed = folder / "seed"
    run_git(seed, "switch", "-q", "-c", "topic")
    PULLS[name](seed)
    run_git(seed, "switch", "-q", "-c", "merge", "main")
    run_git(seed, "merge", "-q", "--no-ff", "--no-verify", "-m", "Merge request 7", "topic")
    commits = {key: run_git(seed, "rev-parse", ref) for key, ref in (("base", "main"), ("head", "topic"))}
    commits["merge"] = run_git(seed, "rev-parse", "merge")
    hub = folder / "team/kb.git"
    refs = {
        "main": "main",
        "topic": "topic",
        "refs/pull/7/head": "topic",
        "refs/pull/7/merge": "merge",
        "refs/merge-requests/7/head": "topic",
        "refs/merge-requests/7/merge": "merge",
        "gh-readonly-queue/main/pr-7": "merge",
    }
    fork = folder / "somebody/kb.git" if name == "fork" else None
    if fork is not None:
        del refs["topic"]
        _bare(fork, seed, {"main": "main", "topic": "topic"})
    _bare(hub, seed, refs)
    return Hub(hub, fork, commits, "docs/kb" if name == "subfolder" else ".")


def _bare(place: Path, seed: Path, refs: Mapping[str, str]) -> None:
    place.parent.mkdir()
    run_git(place.parent, "init", "-q", "--bare", "-b", "main", place.name)
    for key in ("allowFilter", "allowAnySHA1InWant"):
        run_git(place, "config", f"uploadpack.{key}", "true")
    specs = [
        f"{here}:{ref if ref.startswith('refs/') else f'refs/heads/{ref}'}" for ref, here in refs.items()
    ]
    run_git(seed, "push", "-q", "--no-verify", str(place), *specs)


# Checkouts

CHECKOUTS: dict[str, tuple[str, ...]] = {
    "merge": ("--depth=1",),
    "head": ("--depth=1",),
    "full": (),
    "blobless": ("--filter=blob:none",),
    "treeless": ("--filter=tree:0",),
    "sparse": ("--depth=1", "--filter=blob:none"),
}
"""How actions/checkout and GitLab's runner fetch: what they ask for besides the ref."""


def checkout(
    place: Path, hub: Hub, ref: str, options: tuple[str, ...] = ("--depth=1",), fork: bool = False
) -> Path:
    """One ref, detached; with full history all branches as well, as `fetch-depth: 0` brings them."""
    source = hub.fork if fork and hub.fork is not None else hub.hub
    run_git(place.parent, "init", "-q", place.name)
    run_git(place, "remote", "add", "origin", f"file://{source}")
    branches = [] if "--depth=1" in options else ["+refs/heads/*:refs/remotes/origin/*"]
    run_git(place, "fetch", "-q", "--no-tags", *options, "origin", f"+{ref}:refs/remotes/ci", *branches)
    run_git(place, "checkout", "-q", "--detach", "refs/remotes/ci")
    return place


# Events


class Event(NamedTuple):
    """One event: the ref that is checked out, and what the job is told of it."""

    ref: str
    told: Callable[[Hub], Mapping[str, Any]]


def _pull(hub: Hub, base: str = "base") -> dict[str, Any]:
    head = {"sha": hub.commits["head"], "ref": "topic"}
    head["repo"] = {"full_name": "somebody/kb" if hub.fork else "team/kb"}  # type: ignore[assignment]
    base_side = {"sha": hub.commits[base], "ref": "main", "repo": {"full_name": "team/kb"}}
    return {"number": 7, "state": "open", "head": head, "base": base_side}


def _run(hub: Hub) -> dict[str, Any]:
    owner = "somebody" if hub.fork else "team"
    run = {"event": "pull_request", "head_sha": hub.commits["head"], "head_branch": "topic"}
    return {"workflow_run": {**run, "head_repository": {"owner": {"login": owner}}, "pull_requests": []}}


def _pushed(hub: Hub) -> dict[str, Any]:
    sides = {"before": hub.commits["base"], "after": hub.commits["head"]}
    return {**sides, "repository": {"default_branch": "main"}}


GITHUB: dict[str, Event] = {
    "pull_request": Event("refs/pull/7/merge", lambda hub: {"number": 7, "pull_request": _pull(hub)}),
    "merge_group": Event(
        "refs/heads/gh-readonly-queue/main/pr-7",
        lambda hub: {"merge_group": {"base_sha": hub.commits["base"], "head_sha": hub.commits["merge"]}},
    ),
    "push": Event("refs/heads/topic", _pushed),
    "issue_comment": Event(
        "refs/heads/main",
        lambda hub: {"issue": {"number": 7, "pull_request": {"url": "https://api/pulls/7"}}},
    ),
    "workflow_run": Event("refs/heads/main", _run),
    "schedule": Event("refs/heads/main", lambda hub: {"schedule": "0 0 * * *"}),
}


def _merge_request(hub: Hub, sort: str) -> dict[str, str]:
    own = {"CI_PROJECT_ID": "42", "CI_PROJECT_PATH": "team/kb"}
    fork = {"CI_PROJECT_ID": "99", "CI_PROJECT_PATH": "somebody/kb"}
    merged = {
        "CI_COMMIT_SHA": hub.commits["merge"],
        "CI_MERGE_REQUEST_SOURCE_BRANCH_SHA": hub.commits["head"],
        "CI_MERGE_REQUEST_TARGET_BRANCH_SHA": hub.commits["base"],
    }
    return {
        **(fork if hub.fork else own),
        "CI_PIPELINE_SOURCE": "merge_request_event",
        "CI_MERGE_REQUEST_EVENT_TYPE": sort,
        "CI_MERGE_REQUEST_IID": "7",
        "CI_MERGE_REQUEST_PROJECT_ID": "42",
        "CI_MERGE_REQUEST_PROJECT_PATH": "team/kb",
        "CI_MERGE_REQUEST_PROJECT_URL": f"file://{hub.hub}",
        "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "99" if hub.fork else "42",
        "CI_MERGE_REQUEST_SOURCE_BRANCH_NAME": "topic",
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_MERGE_REQUEST_DIFF_BASE_SHA": hub.commits["base"],
        "CI_COMMIT_SHA": hub.commits["head"],
        **(merged if sort != "detached" else {}),
    }


def _branch(hub: Hub, source: str, branch: str, **more: str) -> dict[str, str]:
    commit = hub.commits["head" if branch == "topic" else "base"]
    told = {"CI_PIPELINE_SOURCE": source, "CI_COMMIT_BRANCH": branch, "CI_COMMIT_SHA": commit}
    return {**told, "CI_DEFAULT_BRANCH": "main", "CI_PROJECT_ID": "42", "CI_PROJECT_PATH": "team/kb", **more}


GITLAB: dict[str, Event] = {
    "detached": Event("refs/merge-requests/7/head", lambda hub: _merge_request(hub, "detached")),
    "merged result": Event("refs/merge-requests/7/merge", lambda hub: _merge_request(hub, "merged_result")),
    "merge train": Event("refs/merge-requests/7/merge", lambda hub: _merge_request(hub, "merge_train")),
    "push": Event("refs/heads/topic", lambda hub: _branch(hub, "push", "topic", CI_COMMIT_BEFORE_SHA=NOBODY)),
    "schedule": Event("refs/heads/main", lambda hub: _branch(hub, "schedule", "main")),
    "web": Event("refs/heads/main", lambda hub: _branch(hub, "web", "main")),
}


# Jobs


class Row(NamedTuple):
    """What came of one job: verdict, exit code, the findings that the forge is told in the lines, and the comment."""

    verdict: str
    code: int
    shown: str
    comment: str

    def __str__(self) -> str:
        return f"{self.verdict:4}  {self.code}  {self.shown or '-':10}  {self.comment or '-'}"


def run_github(
    folder: Path, hub: Hub, name: str, server: Server, *, scripts: bool, way: str = "merge"
) -> Row:
    """One job of GitHub with a checkout made in one of the `CHECKOUTS`."""
    event = GITHUB[name]
    ref = "refs/pull/7/head" if way == "head" else event.ref
    place = checkout(folder / "checkout", hub, ref, CHECKOUTS[way], fork=name == "push")
    server.pulls = [_pull(hub)]
    server.readers = {TOKEN} if hub.fork and name == "pull_request" else set()
    env = github_env(folder / "runner", server.address, event.told(hub)) | {
        "GITHUB_EVENT_NAME": name,
        "GITHUB_REF": event.ref,
        "GITHUB_SERVER_URL": f"file://{hub.hub.parents[1]}",
    }
    if name != "pull_request":
        del env["GITHUB_BASE_REF"]
    if scripts:
        action = Action(ROOT / "action.yml", place, folder / "runner", env, TOKEN)
        done = action.run(working_directory=hub.folder)
        assert done.failed in (None, "Verdict"), done.log
        return _row(done.outputs["verdict"], int(not done.ok), _annotations(done.log), server, done.log)
    return _in_process(folder, place / hub.folder, {**env, "MEMGIT_FORGE_TOKEN": TOKEN}, server, "github")


def run_gitlab(
    folder: Path, hub: Hub, name: str, server: Server, *, scripts: bool, way: str = "merge"
) -> Row:
    """One job of GitLab; a pipeline of a fork runs there, with the fork's checkout and without a token."""
    event = GITLAB[name]
    fork = hub.fork is not None and name not in ("schedule", "web")
    ref = "refs/heads/topic" if fork and name == "detached" else event.ref
    place = checkout(folder / "checkout", hub, ref, CHECKOUTS[way], fork and name in ("detached", "push"))
    env = {"GITLAB_CI": "true", "CI_API_V4_URL": server.address, **event.told(hub)}
    if hub.fork is None:
        env["MEMGIT_FORGE_TOKEN"] = TOKEN
    (folder / "runner").mkdir()
    if scripts:
        job = Pipeline(ROOT / "templates/gitlab-ci.yml", "memgit-review", place, folder / "runner", env)
        done = job.run("sh", MEMGIT_FOLDER=hub.folder)
        assert done.ok or done.failed == "1", done.log
        told = dict(line.split("=", 1) for line in Path(done.outputs["review.env"]).read_text().splitlines())
        return _row(
            told["verdict"],
            int(not done.ok),
            _reported(place / "memgit-review/codequality.json"),
            server,
            done.log,
        )
    return _in_process(folder, place / hub.folder, env, server, "gitlab")


def run_plain(folder: Path, hub: Hub, *, scripts: bool, way: str = "head") -> Row:
    """The recipe for any CI, in a checkout of the branch alone."""
    fork = hub.fork is not None
    place = checkout(folder / "checkout", hub, "refs/heads/topic", CHECKOUTS[way], fork)
    if scripts:
        path = f"{install(folder / 'bin')}:{os.environ['PATH']}"
        env = {**os.environ, "PATH": path, "MEMGIT_FOLDER": hub.folder, "MEMGIT_OUT": str(folder / "out")}
        command = ["sh", str(ROOT / "templates/plain-ci.sh"), "main"]
        done = subprocess.run(command, cwd=place, env=env, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return Row(json.loads((folder / "out/review.json").read_text())["verdict"], done.returncode, "", "")
    done_ = memgit(place / hub.folder, "review-job", "--base", "main", "--head", "HEAD", "--json", code=None)
    assert done_.code in (0, 1), done_.err
    return Row(done_.json["verdict"], done_.code, "", "")


def _in_process(folder: Path, root: Path, env: Mapping[str, str], server: Server, forge: str) -> Row:
    """The commands of a job, in the order and under the conditions of `action.yml` and `gitlab-ci.yml`."""
    out = folder / "outputs"
    report = ("--also", f"markdown={folder / 'review.md'}", "--also", f"json={folder / 'review.json'}")
    quality = folder / "codequality.json"
    form = ("--format", "github") if forge == "github" else ("--also", f"gitlab={quality}")
    with pytest.MonkeyPatch.context() as patch:
        for key, value in env.items():
            patch.setenv(key, value)
        done = memgit(root, "review-job", "--forge", forge, *form, *report, "--outputs", str(out), code=None)
        assert done.code in (0, 1), done.err
        told = dict(line.split("=", 1) for line in out.read_text().splitlines())
        log = done.out
        if told["number"] and told["verdict"] != "none":
            review = str(folder / "review.md")
            posted = memgit(
                root, "review-comment", review, "--forge", forge, "--number", told["number"], code=None
            )
            log += posted.out + posted.err
    shown = _annotations(done.out) if forge == "github" else _reported(quality)
    return _row(told["verdict"], done.code, shown, server, log)


def _row(verdict: str, code: int, shown: str, server: Server, log: str) -> Row:
    """Reads what became of the comment: written once, or why not."""
    said = [one.partition("no comment: ")[2] for one in log.splitlines() if "no comment: " in one]
    comment = said[0] if said else ""
    if server.reviews:
        assert [one.method for one in server.requests if one.method != "GET"] == ["POST"] and not said
        comment = server.reviews[0]["body"].partition("\n")[0]
    return Row(verdict, code, shown, comment)


def _annotations(log: str) -> str:
    """How many lines of each sort GitHub shows beside the change."""
    kinds = [(kind, sum(line.startswith(f"::{kind} file=") for line in log.splitlines())) for kind in LEVELS]
    return " ".join(f"{number} {kind}" for kind, number in kinds if number)


LEVELS = ("error", "warning", "notice")


def _reported(report: Path) -> str:
    """How many findings of each severity GitLab shows beside the change, by the code quality report."""
    told = [one["severity"] for one in json.loads(report.read_text())]
    return " ".join(f"{told.count(kind)} {kind}" for kind in dict.fromkeys(told))
