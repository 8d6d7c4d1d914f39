"""Jobs of a forge's CI, run here: a repository with a change proposed, a checkout as the forge makes it, and
a runner for its steps.

What needs the network is replaced by the environment at hand, and only that: the step that sets Python up,
and installing with pip. A step is recognised by what it does (`uses: actions/setup-python`, `pip install`),
and each replacement must be used, or the test fails.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from ruamel.yaml import YAML

from tests.support import Prepared, memgit, run_git

ROOT = Path(__file__).resolve().parents[2]
EXPRESSION = re.compile(r"\$\{\{\s*(.*?)\s*\}\}")
BUSTED = re.compile(r"github\.(event|head_ref|base_ref|ref_name|actor)|inputs\.|steps\.|env\.")
"""What must not be put into the text of a script."""


class Ran(NamedTuple):
    """What a job left: whether it succeeded, what it logged, its outputs and summary."""

    ok: bool
    log: str
    outputs: dict[str, str]
    summary: str
    replaced: tuple[str, ...]
    failed: str | None


def load(path: Path) -> Any:
    return YAML(typ="safe").load(path)


def install(folder: Path) -> Path:
    """The folder `bin` that installing would have given: memgit and python of the environment at hand."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, command in (
        ("memgit", f'exec "{sys.executable}" -P -m memgit "$@"'),
        ("python", f'exec "{sys.executable}" "$@"'),
    ):
        (folder / name).write_text(f"#!/bin/sh\n{command}\n")
        (folder / name).chmod(0o755)
    return folder


class Forge(NamedTuple):
    """A repository on a forge: bare, with `main`, a pull request 7 and its merge; and the clone it came from."""

    hub: Path
    seed: Path

    def propose(self, *commands: list[str], write: Mapping[str, str] = {}) -> dict[str, str]:
        """Puts memgit commands and raw files on the branch of the pull request; base, head and merge."""
        if run_git(self.seed, "branch", "--list", "topic"):
            run_git(self.seed, "switch", "-q", "topic")
        else:
            run_git(self.seed, "switch", "-q", "-c", "topic", "main")
        for command in commands:
            memgit(self.seed, *command)
        for name, text in write.items():
            path = self.seed / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
            run_git(self.seed, "add", "-f", name)
        if write:
            run_git(self.seed, "commit", "-q", "--no-verify", "-m", "by hand")
        run_git(self.seed, "switch", "-q", "-C", "merge", "main")
        run_git(
            self.seed,
            "-c",
            "merge.memgit.driver=cp %B %A",
            "merge",
            "-q",
            "--no-ff",
            "--no-verify",
            "-m",
            "merge",
            "topic",
        )
        found = {
            "base": run_git(self.seed, "rev-parse", "main"),
            "head": run_git(self.seed, "rev-parse", "topic"),
        }
        run_git(
            self.seed,
            "push",
            "-q",
            "--no-verify",
            "-f",
            str(self.hub),
            "main",
            "topic:refs/pull/7/head",
            "merge:refs/pull/7/merge",
        )
        return found

    def checkout(self, folder: Path, depth: int | None = 1, ref: str = "refs/pull/7/merge") -> Path:
        """As actions/checkout leaves it: one ref, detached, without history unless asked for."""
        run_git(folder.parent, "init", "-q", folder.name)
        run_git(folder, "remote", "add", "origin", f"file://{self.hub}")
        limit = [f"--depth={depth}"] if depth else []
        refs = [
            f"+{ref}:refs/remotes/pull/7/merge",
            *([] if depth else ["+refs/heads/*:refs/remotes/origin/*"]),
        ]
        run_git(folder, "fetch", "-q", "--no-tags", *limit, "origin", *refs)
        run_git(folder, "checkout", "-q", "--detach", "refs/remotes/pull/7/merge")
        return folder


def forge(prepared: Prepared, name: str = "forge") -> Forge:
    """Both in a folder of that name."""
    folder = prepared(name, make_forge)
    return Forge(folder / "hub.git", folder / "seed")


def make_forge(folder: Path) -> None:
    run_git(folder, "init", "-q", "--bare", "hub.git")
    memgit(folder, "init", "seed", "--no-hooks")
    memgit(
        folder / "seed",
        "record",
        "knowledge",
        "Quote every expansion",
        "--category",
        "shell",
        "-m",
        "Unquoted ones split.",
    )


class Action:
    """A composite action, run step by step (docs.github.com, "Metadata syntax for GitHub Actions")."""

    def __init__(self, path: Path, workspace: Path, home: Path, env: Mapping[str, str], token: str) -> None:
        self.action = load(path)
        self.workspace, self.home, self.token = workspace, home, token
        self.env = dict(env)
        self.before: dict[str, str] = {}
        home.mkdir(exist_ok=True)

    def run(self, start: str | None = None, **inputs: str) -> Ran:
        """All steps, or those from one on, after what the steps before it gave in the last run: no input of
        theirs may be another.
        """
        given = {name: str(row.get("default", "")) for name, row in self.action["inputs"].items()}
        unknown = set(inputs) - {name.replace("-", "_") for name in given}
        assert not unknown, f"no such inputs: {unknown}"
        given |= {name: inputs[name.replace("-", "_")] for name in given if name.replace("-", "_") in inputs}
        values = {
            f"inputs.{name}": self._expand(text, {"github.token": self.token}) for name, text in given.items()
        }
        log: list[str] = []
        replaced: list[str] = []
        failed = None
        steps = self.action["runs"]["steps"]
        if start is not None:
            number = next(place for place, step in enumerate(steps) if step["name"] == start)
            earlier, steps = json.dumps(steps[:number]), steps[number:]
            assert self.before and not [
                name for name in inputs if f"inputs.{name.replace('_', '-')} " in earlier
            ]
            values = {**self.before, **values}
        else:
            (self.home / "summary").write_text("")
        for step in steps:
            if "if" in step and self._expand(step["if"], values) != "true":
                continue
            outputs = self.home / "output"
            outputs.write_text("")
            if "uses" in step:
                assert step["uses"].startswith("actions/setup-python@"), step["uses"]
                replaced.append("setup-python")
                outputs.write_text(f"python-path={sys.executable}\n")
            elif "pip install" in step["run"]:
                replaced.append("pip install")
                outputs.write_text(f"bin={install(self.home / 'memgit/bin')}\n")
            else:
                failed = self._script(step, values, outputs, log)
            for line in outputs.read_text().splitlines():
                name, _, text = line.partition("=")
                values[f"steps.{step.get('id')}.outputs.{name}"] = text
            if failed:
                break
        self.before = values
        found = {name: self._expand(row["value"], values) for name, row in self.action["outputs"].items()}
        return Ran(
            failed is None, "".join(log), found, (self.home / "summary").read_text(), tuple(replaced), failed
        )

    def _script(self, step: Any, values: dict[str, str], outputs: Path, log: list[str]) -> str | None:
        assert step["shell"] == "bash"
        script = self.home / "script.sh"
        script.write_text(step["run"])
        env = machine()
        env |= self.env
        env |= {
            "GITHUB_OUTPUT": str(outputs),
            "GITHUB_STEP_SUMMARY": str(self.home / "summary"),
            "RUNNER_TEMP": str(self.home),
        }
        env |= {"GITHUB_ACTION_PATH": str(ROOT), "GITHUB_WORKSPACE": str(self.workspace), "CI": "true"}
        env |= {name: self._expand(str(text), values) for name, text in step.get("env", {}).items()}
        cwd = self.workspace / self._expand(step.get("working-directory", "."), values)
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=cwd,
            env=env,
            capture_output=True,
            text=True,
            check=False,
        )
        log.append(done.stdout + done.stderr)
        return step["name"] if done.returncode else None

    @staticmethod
    def _expand(text: str, values: Mapping[str, str]) -> str:
        """A text with its expressions worked out: names, and comparisons joined by `&&`."""

        def term(words: str) -> str:
            name, sign, wanted = re.fullmatch(r"(\S+)(?:\s*([!=]=)\s*'([^']*)')?", words.strip()).groups()  # type: ignore[union-attr]
            if sign is None:
                return values.get(name, "")
            return str((values.get(name, "") == wanted) == (sign == "==")).lower()

        def one(match: re.Match[str]) -> str:
            terms = [term(words) for words in match[1].split("&&")]
            return terms[0] if len(terms) == 1 else str(all(found == "true" for found in terms)).lower()

        return EXPRESSION.sub(one, text)


def machine() -> dict[str, str]:
    """What a runner's shell has of this machine: where things are, and the clock, be it a pretended one."""
    kept = ("PATH", "HOME", "LANG", "GIT_CONFIG_NOSYSTEM", "TMPDIR", "TZ", "LD_PRELOAD")
    return {name: value for name, value in os.environ.items() if name in kept or name.startswith("FAKE")}


def github_env(home: Path, address: str, event: Any) -> dict[str, str]:
    """What GitHub tells a job of a pull request."""
    home.mkdir(exist_ok=True)
    (home / "event.json").write_text(json.dumps(event))
    return {
        "GITHUB_ACTIONS": "true",
        "GITHUB_API_URL": address,
        "GITHUB_REPOSITORY": "team/kb",
        "GITHUB_REF": "refs/pull/7/merge",
        "GITHUB_EVENT_NAME": "pull_request",
        "GITHUB_EVENT_PATH": str(home / "event.json"),
        "GITHUB_BASE_REF": "main",
    }


def pull(sides: Mapping[str, str], **more: Any) -> Any:
    return {
        "number": 7,
        "pull_request": {"number": 7, "base": {"sha": sides["base"]}, "head": {"sha": sides["head"]}, **more},
    }


class Pipeline:
    """One job of a `.gitlab-ci.yml`: its script in one shell, as the runner starts it (docs.gitlab.com,
    "Runner Shells").
    """

    def __init__(self, path: Path, name: str, workspace: Path, home: Path, env: Mapping[str, str]) -> None:
        self.job = load(path)[name]
        self.workspace, self.home = workspace, home
        self.env = machine()
        self.env |= {name: str(text) for name, text in self.job["variables"].items()}
        self.env |= {
            "CI": "true",
            "CI_PROJECT_DIR": str(workspace),
            "CI_BUILDS_DIR": str(home),
            "CI_JOB_ID": "1",
            **env,
        }
        install(home / "memgit-1/bin")

    def run(self, shell: str = "bash", **variables: str) -> Ran:
        replaced = []
        lines = []
        for line in "\n".join(self.job["script"]).split("\n"):
            if "-m venv" in line or "pip install" in line:
                replaced.append(line.strip())
            else:
                lines.append(line)
        script = self.home / "script.sh"
        script.write_text("set -e\n" + "\n".join(lines))
        env = {**self.env, **variables}
        done = subprocess.run(
            [shell, str(script)], cwd=self.workspace, env=env, capture_output=True, text=True, check=False
        )
        found = {path.name: str(path) for path in sorted((self.workspace / "memgit-review").glob("*"))}
        log = done.stdout + done.stderr
        return Ran(
            done.returncode == 0,
            log,
            found,
            "",
            tuple(replaced),
            None if done.returncode == 0 else str(done.returncode),
        )
