"""The GitLab job and the recipe for any CI: their own scripts, with the environment of a job and a forge on
loopback.

Of the job, the two lines that need the network (making a virtual environment and installing into it) are
replaced; see `ci.py`.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

from tests.forge.ci import ROOT, Forge, Pipeline, Ran, forge, install, load
from tests.forge.server import ADA, Fault, Server
from tests.forge.test_action import BAD, GOOD, check_sarif
from tests.support import Prepared, memgit, run_git

TOKEN = "glpat-nobodyMaySeeThis"
TEMPLATE = ROOT / "templates/gitlab-ci.yml"
PLAIN = ROOT / "templates/plain-ci.sh"


@pytest.fixture
def hub(prepared: Prepared) -> Forge:
    return forge(prepared)


def job(
    tmp_path: Path, server: Server, sides: dict[str, str], checkout: Path, token: str | None = TOKEN
) -> Pipeline:
    env = server.env() | {
        "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main",
        "CI_COMMIT_SHA": sides["head"],
        "CI_DEFAULT_BRANCH": "main",
    }
    if token:
        env["MEMGIT_FORGE_TOKEN"] = token
    (tmp_path / "runner").mkdir(exist_ok=True)
    return Pipeline(TEMPLATE, "memgit-review", checkout, tmp_path / "runner", env)


def ran(pipeline: Pipeline, shell: str = "bash", **variables: str) -> Ran:
    done = pipeline.run(shell, **variables)
    assert len(done.replaced) == 2 and TOKEN not in done.log
    return done


def test_a_note_created_then_updated(tmp_path: Path, hub: Forge, gitlab: Server) -> None:
    sides = hub.propose(GOOD)
    for number in range(150):
        gitlab.add(f"talk {number}", ADA)
    first = ran(
        job(tmp_path, gitlab, sides, hub.checkout(tmp_path / "one", depth=None, ref="refs/pull/7/head")), "sh"
    )
    assert first.ok and "verdict: pass" in first.log and "created the comment on merge request 7" in first.log
    assert (
        set(first.outputs) == {"codequality.json", "review.env", "review.json", "review.md", "review.sarif"}
        and check_sarif(first.outputs["review.sarif"]) == []
    )
    sides = hub.propose(["record", "memory", "One more", "-m", "x"])
    gitlab.faults = {"PUT": [Fault(502, {"Retry-After": "0"})]}
    second = ran(job(tmp_path, gitlab, sides, hub.checkout(tmp_path / "two", ref="refs/pull/7/head")), "sh")
    assert second.ok and "updated the comment" in second.log
    assert (
        len(gitlab.reviews) == 1
        and "One more" in gitlab.reviews[0]["body"]
        and {one.token for one in gitlab.requests} == {TOKEN}
    )


def test_the_verdict_decides(tmp_path: Path, hub: Forge, gitlab: Server) -> None:
    sides = hub.propose(write=BAD)
    pipeline = job(tmp_path, gitlab, sides, hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head"))
    assert ran(pipeline).failed == "1" and len(gitlab.reviews) == 1
    quality = json.loads((tmp_path / "checkout/memgit-review/codequality.json").read_text())
    assert "critical" in {one["severity"] for one in quality}
    assert {one["location"]["path"] for one in quality} >= {"knowledge-base/shell.md"}
    assert ran(pipeline, MEMGIT_FAIL_ON="never").ok
    refused = ran(pipeline, MEMGIT_FAIL_ON="sometimes")
    assert refused.failed == "2" and "sometimes" in refused.log


@pytest.mark.parametrize("path", sorted((ROOT / "templates").glob("*.yml")), ids=lambda path: path.stem)
def test_templates_install_memgit_from_where_it_is(path: Path) -> None:
    """Not by a name: the one on the package index is another's, or nobody's."""
    (package,) = re.findall(r"(?m)^\s+MEMGIT_PACKAGE: (.*?)(?: #.*)?$", path.read_text())
    assert re.fullmatch(r"(memgit-kb\[site\] @ )?git\+https://[a-z.]+/OWNER/memgit@(COMMIT|REF)", package)
    assert '"$MEMGIT_PACKAGE"' in path.read_text()


def test_a_token_that_may_not_write_and_none(tmp_path: Path, hub: Forge, gitlab: Server) -> None:
    sides = hub.propose(GOOD)
    gitlab.faults = {"POST": [Fault(403)]}
    done = ran(job(tmp_path, gitlab, sides, hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head")))
    assert done.ok and "may not comment on this merge request" in done.log
    done = ran(job(tmp_path, gitlab, sides, tmp_path / "checkout", token=None))
    assert done.ok and "no token for gitlab" in done.log and "among the artifacts" in done.log


def test_a_job_without_history(tmp_path: Path, hub: Forge, gitlab: Server) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head")
    run_git(checkout, "remote", "set-url", "origin", str(tmp_path / "gone"))
    done = ran(job(tmp_path, gitlab, sides, checkout))
    assert not done.ok and "set GIT_DEPTH to 0" in done.log and not gitlab.requests


def test_a_checkout_that_was_there_before_and_a_fork(tmp_path: Path, hub: Forge, gitlab: Server) -> None:
    """The target branch is fetched anew, also where origin is a fork; the commit that the forge names counts only
    where it cannot be had.
    """
    sides = hub.propose(["record", "knowledge", "Quote all", "--category", "shell", "-m", "One."])
    checkout = hub.checkout(tmp_path / "checkout", depth=None, ref="refs/pull/7/head")
    run_git(hub.seed, "switch", "-q", "main")
    memgit(hub.seed, "record", "memory", "On the target since", "-m", "x")
    run_git(hub.seed, "push", "-q", "--no-verify", str(hub.hub), "main")
    done = ran(job(tmp_path, gitlab, sides, checkout))
    assert json.loads(Path(done.outputs["review.json"]).read_text())["base"] == run_git(
        hub.seed, "rev-parse", "main"
    )
    fork = tmp_path / "fork.git"
    run_git(tmp_path, "clone", "-q", "--bare", str(checkout), "fork.git")
    run_git(checkout, "remote", "set-url", "origin", str(fork))
    told = {"CI_MERGE_REQUEST_PROJECT_PATH": "team/kb", "CI_MERGE_REQUEST_DIFF_BASE_SHA": sides["base"]}
    for url, base in (
        (f"file://{hub.hub}", run_git(hub.seed, "rev-parse", "main")),
        ("file:///nowhere", sides["base"]),
    ):
        pipeline = job(tmp_path, gitlab, sides, checkout)
        run_git(checkout, "update-ref", "-d", "refs/remotes/origin/main", check=False)
        done = ran(pipeline, **told, CI_MERGE_REQUEST_PROJECT_URL=url)
        assert json.loads(Path(done.outputs["review.json"]).read_text())["base"] == base
        assert ("main could not be fetched as it is now" in done.log) == (url == "file:///nowhere")


def test_the_job_keeps_what_it_made() -> None:
    job = load(TEMPLATE)["memgit-review"]
    assert job["artifacts"]["when"] == "always" and job["artifacts"]["paths"] == ["memgit-review/"]
    assert job["artifacts"]["reports"] == {"codequality": "memgit-review/codequality.json"}
    assert "merge_request_event" in job["rules"][0]["if"] and str(job["variables"]["GIT_DEPTH"]) == "0"


def test_any_ci(tmp_path: Path, hub: Forge) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", ref="refs/pull/7/head")
    env = {**os.environ, "PATH": f"{install(tmp_path / 'bin')}:{os.environ['PATH']}"}

    def go(shell: str, *args: str, **more: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [shell, str(PLAIN), *args],
            cwd=checkout,
            env={**env, **more},
            capture_output=True,
            text=True,
            check=False,
        )

    run_git(checkout, "config", "remote.origin.fetch", "+refs/heads/*:refs/remotes/origin/*")
    for shell in ("bash", "sh"):
        done = go(shell, "origin/main")
        assert done.returncode == 0 and "Trap on exit" in done.stdout, done.stderr
        assert go(shell).returncode == 2
    assert json.loads((checkout / "memgit-review/review.json").read_text())["head"] == sides["head"]
    assert (checkout / "memgit-review/review.md").read_text().startswith("<!-- memgit-review")
    hub.propose(write=BAD)
    run_git(checkout, "fetch", "-q", "origin", "refs/pull/7/head")
    assert (
        go("sh", "origin/main", "FETCH_HEAD", MEMGIT_OUT="out").returncode == 1
        and (checkout / "out/review.sarif").is_file()
    )
    assert go("sh", "origin/main", "FETCH_HEAD", MEMGIT_FAIL_ON="never").returncode == 0
    assert go("sh", "nowhere").returncode == 2
