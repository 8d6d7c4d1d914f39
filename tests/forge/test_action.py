"""The GitHub Action: its own steps, run in order by bash, with the environment of a job and a forge on
loopback.

`ci.py` replaces two steps, for they need the network: setting Python up, and installing with pip. Everything
else is what GitHub would run.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.forge.ci import BUSTED, EXPRESSION, ROOT, Action, Forge, Ran, forge, github_env, load, pull
from tests.forge.server import ADA, FORBIDDEN, Fault, Server, serving
from tests.support import Prepared, memgit, run_git, status

TOKEN = "ghs_nobodyMaySeeThis"
GOOD = ["record", "knowledge", "Trap on exit", "--category", "shell", "-m", "Remove the folder in the trap."]
BROKEN = """\
## Broken

**Date:** 2026-01-01
**Best Practice:**
- See [[nowhere at all]].
<<<<<<< HEAD
- one
=======
- two
>>>>>>> x
"""
BAD = {"knowledge-base/shell.md": BROKEN}
REVIEWED: list[Action] = []
TRAPS = (
    "json.py",
    "pip.py",
    "venv.py",
    "memgit.py",
    "sitecustomize.py",
    "memgit/__init__.py",
    "encodings.py",
)


@pytest.fixture
def hub(prepared: Prepared) -> Forge:
    return forge(prepared)


def job(tmp_path: Path, server: Server, sides: dict[str, str], checkout: Path, **event: Any) -> Action:
    env = github_env(tmp_path / "runner", server.address, pull(sides, **event))
    return Action(ROOT / "action.yml", checkout, tmp_path / "runner", env, TOKEN)


def ran(action: Action, start: str | None = None, **inputs: str) -> Ran:
    done = action.run(start, **inputs)
    assert done.replaced == (("setup-python", "pip install") if start is None else ())
    assert TOKEN not in done.log + done.summary
    return done


@pytest.fixture
def reviewed(tmp_path_factory: pytest.TempPathFactory, prepared: Prepared) -> Action:
    """A job whose review of a good change stands, under a forge that is gone: for what the steps after it do.

    Made once.
    """
    if not REVIEWED:
        folder = tmp_path_factory.mktemp("reviewed")
        hub = forge(prepared, "reviewed")
        with serving("github") as server:
            action = job(folder, server, hub.propose(GOOD), hub.checkout(folder / "checkout"))
            assert ran(action, comment="false").ok and not server.requests
        REVIEWED.append(action)
    return REVIEWED[0]


def under(action: Action, server: Server) -> Action:
    action.env["GITHUB_API_URL"] = server.address
    return action


def fork(action: Action, sides: dict[str, str]) -> None:
    """Makes the change one that comes from a fork."""
    event = pull(sides)
    event["pull_request"]["head"]["repo"] = {"full_name": "somebody/kb"}
    event["pull_request"]["base"]["repo"] = {"full_name": "team/kb"}
    Path(action.env["GITHUB_EVENT_PATH"]).write_text(json.dumps(event))


def check_sarif(path: str) -> list[Any]:
    """The results of a report, after what the schema of SARIF 2.1.0 asks of each part that memgit writes."""
    value = json.loads(Path(path).read_text())
    assert (
        value["version"] == "2.1.0"
        and value["$schema"].endswith("sarif-schema-2.1.0.json")
        and len(value["runs"]) == 1
    )
    run = value["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert run["tool"]["driver"]["name"] == "memgit" and len(rules) == len(set(rules))
    for result in run["results"]:
        assert result["level"] in ("none", "note", "warning", "error") and isinstance(
            result["message"]["text"], str
        )
        assert rules[result["ruleIndex"]] == result["ruleId"]
        for location in result["locations"]:
            place = location["physicalLocation"]
            assert not place["artifactLocation"]["uri"].startswith("/") and place["region"]["startLine"] >= 1
    return list(run["results"])


def test_created_then_updated_never_doubled(tmp_path: Path, hub: Forge, github: Server) -> None:
    sides = hub.propose(GOOD)
    action = job(tmp_path, github, sides, hub.checkout(tmp_path / "one"))
    first = ran(action)
    assert first.ok and first.outputs["verdict"] == "pass"
    assert first.summary == Path(first.outputs["markdown"]).read_text() and "Trap on exit" in first.summary
    assert github.comments[0]["body"].rstrip() == first.summary.rstrip() and first.summary.startswith(
        "<!-- memgit-review -->\n"
    )
    assert check_sarif(first.outputs["sarif"]) == []
    assert json.loads(Path(first.outputs["json"]).read_text())["verdict"] == "pass"
    again = ran(action, "Comment")
    assert again.ok and "unchanged the comment" in again.log
    sides = hub.propose(["record", "memory", "One more", "-m", "x"])
    third = ran(job(tmp_path, github, sides, hub.checkout(tmp_path / "two")))
    assert third.ok and "updated the comment" in third.log
    assert (
        len(github.comments) == 1
        and "One more" in github.comments[0]["body"]
        and {one.token for one in github.requests} == {TOKEN}
    )
    assert not status(tmp_path / "two")


def test_a_verdict_of_fail_fails_the_job_after_everything_was_said(
    tmp_path: Path, hub: Forge, github: Server
) -> None:
    sides = hub.propose(write=BAD)
    action = job(tmp_path, github, sides, hub.checkout(tmp_path / "checkout"))
    done = ran(action)
    assert not done.ok and done.failed == "Verdict" and done.outputs["verdict"] == "fail"
    assert (
        "::error file=knowledge-base/shell.md,line=6" in done.log
        and "::error title=memgit review::the verdict is fail" in done.log
    )
    assert len(github.reviews) == 1 and "MG104" in done.summary
    results = check_sarif(done.outputs["sarif"])
    assert "MG104" in {result["ruleId"] for result in results}
    assert {
        unquote(result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) for result in results
    } >= {"knowledge-base/shell.md"}
    assert ran(action, "Review", comment="false", fail_on="never").ok
    assert ran(action, "Review", fail_on="sometimes").failed == "Review" and len(github.reviews) == 1
    # From a fork the token may only read: no comment, and the verdict is as it is.
    github.comments.clear()
    github.faults = {"POST": [FORBIDDEN]}
    fork(action, sides)
    done = ran(action, "Review")
    assert (
        "no comment: the token of a fork may not comment on this pull request" in done.log
        and "::warning title=memgit" not in done.log
        and not github.comments
        and done.failed == "Verdict"
    )


def test_fail_on_warn(tmp_path: Path, hub: Forge, github: Server) -> None:
    sides = hub.propose(["update", "Quote every expansion", "-m", "See [[nowhere at all]]."])
    action = job(tmp_path, github, sides, hub.checkout(tmp_path / "checkout"))
    found = ran(action)
    assert found.outputs["verdict"] in ("warn", "fail")
    assert ran(action, "Review", fail_on="warn").failed == "Verdict"


def test_among_250_comments_with_a_fault_in_between(reviewed: Action, github: Server) -> None:
    for number in range(250):
        github.add(
            "<!-- memgit-review -->\nold" if number == 230 else f"talk {number}",
            None if number == 230 else ADA,
        )
    github.faults = {"GET": [Fault(502)], "PATCH": [Fault(502, {"Retry-After": "0"})]}
    done = ran(under(reviewed, github), "Comment")
    assert done.ok and len(github.comments) == 250 and "Trap on exit" in github.comments[230]["body"]
    assert not github.said("POST")


def test_a_token_that_may_only_read_is_a_warning(reviewed: Action, github: Server) -> None:
    github.faults = {"POST": [FORBIDDEN]}
    done = ran(under(reviewed, github), "Comment")
    assert done.ok and not github.comments and "it stands in the job summary" in done.log
    assert re.search(
        "::warning title=memgit::no comment: the token may not comment on this pull request: .*Resource not "
        "accessible by integration; give the job",
        done.log,
    )


def test_a_forge_that_refuses_the_token_fails_nothing(reviewed: Action, github: Server) -> None:
    github.faults = {"GET": [Fault(401)]}
    done = ran(under(reviewed, github), "Comment")
    assert done.ok and "::warning title=memgit::no comment: " in done.log and "answers 401" in done.log


def test_without_a_comment(reviewed: Action, github: Server) -> None:
    done = ran(under(reviewed, github), "Review", comment="false", sarif="out/x.sarif")
    assert (
        done.ok and not github.requests and done.outputs["sarif"] == str(reviewed.workspace / "out/x.sarif")
    )
    check_sarif(done.outputs["sarif"])


def test_a_full_checkout_and_a_named_base(tmp_path: Path, hub: Forge, github: Server) -> None:
    hub.propose(GOOD)
    action = job(
        tmp_path,
        github,
        {"base": "0" * 40, "head": "0" * 40},
        hub.checkout(tmp_path / "checkout", depth=None),
    )
    action.env["GITHUB_EVENT_PATH"] = "nowhere"
    done = ran(action, base="main")
    assert done.ok and "Trap on exit" in done.summary


def test_a_base_that_the_checkout_lacks(tmp_path: Path, hub: Forge, github: Server) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", depth=None)
    run_git(checkout, "update-ref", "-d", "refs/remotes/origin/main")
    run_git(checkout, "config", "--unset-all", "remote.origin.fetch", check=False)
    action = job(tmp_path, github, sides, checkout)
    action.env["GITHUB_EVENT_PATH"] = "nowhere"
    done = ran(action)
    assert done.ok and "Trap on exit" in done.summary and len(github.reviews) == 1


def test_history_that_cannot_be_fetched_is_said_in_words(tmp_path: Path, hub: Forge, github: Server) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout")
    run_git(checkout, "remote", "set-url", "origin", str(tmp_path / "gone"))
    done = ran(job(tmp_path, github, sides, checkout))
    assert done.failed == "Review" and "fetch-depth: 0" in done.log and not github.requests


def test_a_knowledge_root_in_a_folder(tmp_path: Path, hub: Forge, github: Server) -> None:
    memgit(hub.seed, "init", str(hub.seed / "docs/kb"), "--no-hooks")
    deep = ["-C", str(hub.seed / "docs/kb"), "record", "memory", "Deep", "-m", "x"]
    sides = hub.propose(deep)
    checkout = hub.checkout(tmp_path / "checkout")
    for folder in ("./docs/kb/", "docs/kb/memory", "."):
        done = ran(job(tmp_path, github, sides, checkout), working_directory=folder)
        assert done.ok and ("concerns no record" in done.log) is (folder == ".")
    assert [one["body"].partition("\n")[0] for one in github.comments] == ["<!-- memgit-review: docs/kb -->"]
    sides = hub.propose(GOOD)
    assert ran(job(tmp_path, github, sides, hub.checkout(tmp_path / "second"))).ok
    assert [one["body"].partition("\n")[0] for one in github.comments] == [
        "<!-- memgit-review: docs/kb -->",
        "<!-- memgit-review -->",
    ]
    assert "Deep" in github.comments[0]["body"]


def test_nothing_in_the_change_reaches_a_shell_or_is_imported(
    tmp_path: Path, hub: Forge, github: Server
) -> None:
    trap = f"open({str(tmp_path / 'pwned')!r}, 'w')\n"
    title = (
        f"$(touch {tmp_path}/pwned) `touch {tmp_path}/pwned`; ::error::x %0A ${{{{ github.token }}}} "
        f"<!-- memgit-review -->"
    )
    sides = hub.propose(
        ["record", "memory", title, "-m", f"::set-output name=verdict::pass\n\n$(touch {tmp_path}/pwned)"],
        write=dict.fromkeys(TRAPS, trap),
    )
    event = {
        "title": title,
        "body": title,
        "head": {"sha": sides["head"], "ref": f"x;touch {tmp_path}/pwned"},
    }
    done = ran(job(tmp_path, github, sides, hub.checkout(tmp_path / "checkout"), **event))
    assert done.outputs["verdict"] in ("pass", "warn") and len(github.reviews) == 1
    assert not (tmp_path / "pwned").exists()
    assert not [line for line in done.log.splitlines() if line.startswith(("::set-output", "::error::x"))]


def test_a_push_and_a_job_about_nothing(tmp_path: Path, hub: Forge, github: Server) -> None:
    sides = hub.propose(GOOD)
    checkout = hub.checkout(tmp_path / "checkout", depth=None)
    action = job(tmp_path, github, sides, checkout)
    action.env |= {"GITHUB_REF": "refs/heads/main", "GITHUB_EVENT_NAME": "push"}
    Path(action.env["GITHUB_EVENT_PATH"]).write_text(
        json.dumps({"before": sides["base"], "after": sides["head"]})
    )
    done = ran(action)
    assert done.ok and "Trap on exit" in done.summary and not github.requests
    Path(action.env["GITHUB_EVENT_PATH"]).write_text("{}")
    action.env |= {"GITHUB_EVENT_NAME": "schedule"}
    done = ran(action)
    assert (
        done.ok
        and "schedule is about no change: the whole root was checked" in done.log
        and not github.requests
    )


def test_scripts_hold_no_expression() -> None:
    """What is chosen outside reaches a script through its environment alone."""
    action = load(ROOT / "action.yml")
    scripts = [step["run"] for step in action["runs"]["steps"] if "run" in step]
    assert len(scripts) == 4
    for script in scripts:
        assert not EXPRESSION.search(script) and not BUSTED.search(script)
    for step in action["runs"]["steps"]:
        assert "run" not in step or step["shell"] == "bash"
        for text in step.get("env", {}).values():
            assert "github.event" not in str(text)
    assert set(action["inputs"]) == {
        "token",
        "base",
        "fail-on",
        "comment",
        "sarif",
        "working-directory",
        "python-version",
    }
    assert all(row["description"] for row in (*action["inputs"].values(), *action["outputs"].values()))
