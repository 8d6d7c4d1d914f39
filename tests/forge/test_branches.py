"""The jobs that keep pull requests mergeable: their own scripts, with a bare repository that merges as a forge does,
and a forge on loopback that lists what is open.
"""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.forge.ci import ROOT, install, load, machine
from tests.forge.server import Server
from tests.support import Prepared, memgit, run_git

GITHUB, GITLAB = ROOT / "templates/github-branches.yml", ROOT / "templates/gitlab-branches.yml"
TOKEN = "nobody-may-see-this"
TOPICS = ("one", "two", "three")


def proposed(folder: Path, mode: str) -> None:
    """In `hub.git` a repository with `main` and three branches that each add to one category, a memory of one scope and
    a decision; in `dev` the clone that they come from.
    """
    dev = folder / "dev"
    memgit(folder, "init", "dev", "--indexes", mode, "--no-hooks")
    memgit(dev, "record", "knowledge", "Start", "--category", "css", "-m", "Where all begin.")
    run_git(folder, "init", "-q", "--bare", "hub.git")
    run_git(dev, "remote", "add", "origin", "../hub.git")
    for name in TOPICS:
        run_git(dev, "switch", "-qc", name, "main")
        memgit(dev, "record", "knowledge", f"Part {name}", "--category", "css", "-m", f"About {name}.")
        memgit(dev, "record", "memory", f"Memory {name}", "--scope", "team", "-m", f"About {name}.")
        memgit(dev, "record", "decision", f"Decision {name}", "-m", f"About {name}.")
    run_git(dev, "push", "-q", "origin", "--all")


def trunk(folder: Path) -> None:
    proposed(folder, "trunk")


def committed(folder: Path) -> None:
    proposed(folder, "committed")


class Hub(NamedTuple):
    """A forge: the bare repository, a developer's clone of it, and what it tells of its requests."""

    folder: Path
    server: Server

    @property
    def dev(self) -> Path:
        return self.folder / "dev"

    @property
    def bare(self) -> Path:
        return self.folder / "hub.git"

    def open(self, *branches: str, fork: Sequence[str] = ()) -> None:
        """Says which requests are open."""
        self.server.pulls = [
            self._row(number, branch, branch in fork) for number, branch in enumerate((*branches, *fork), 1)
        ]

    def _row(self, number: int, branch: str, fork: bool) -> dict[str, Any]:
        if self.server.sort == "gitlab":
            both = {"source_branch": branch, "target_branch": "main"}
            return {
                "id": 900 + number,
                "iid": number,
                **both,
                "source_project_id": 1 + fork,
                "target_project_id": 1,
            }
        head, base = {"ref": branch, "repo": {"id": 1 + fork}}, {"ref": "main", "repo": {"id": 1}}
        return {"id": 900 + number, "number": number, "head": head, "base": base}

    def can_merge(self, branch: str, base: str = "main") -> bool:
        return not subprocess.run(
            ["git", "merge-tree", "--write-tree", base, branch],
            cwd=self.bare,
            capture_output=True,
            check=False,
        ).returncode

    def merge(self, branch: str) -> None:
        """Merges as a forge does, by lines alone, with no step by hand."""
        assert self.can_merge(branch), branch
        tree = run_git(self.bare, "merge-tree", "--write-tree", "main", branch).splitlines()[0]
        made = run_git(self.bare, "commit-tree", "-p", "main", "-p", branch, "-m", f"Merge {branch}", tree)
        run_git(self.bare, "update-ref", "refs/heads/main", made)
        run_git(self.bare, "update-ref", "-d", f"refs/heads/{branch}")

    def tip(self, branch: str) -> str:
        return run_git(self.bare, "rev-parse", branch)

    def drift(self) -> list[str]:
        """What is wrong with the derived files of the default branch."""
        run_git(self.dev, "fetch", "-q")
        found = memgit(self.dev, "rebuild", "--check", "--at", "origin/main", "--json", code=None).json
        return [one["path"] for one in found["differences"]]


def scripts(path: Path) -> list[tuple[str, str]]:
    """Name and text of each script of a template that needs no network to begin with, in order."""
    read = load(path)
    if path == GITHUB:
        steps = read["jobs"]["branches"]["steps"]
        found = [(step["name"], step["run"]) for step in steps if "run" in step]
    else:
        shared = read[".memgit-branches"]["before_script"]
        names = [name for name in read if not name.startswith(".")]
        found = [
            (name, "\n".join([*shared[1:], *read[name]["script"]]).replace("$bin", "$MEMGIT_BIN"))
            for name in names
        ]
    kept = [(name, text) for name, text in found if "pip install" not in text]
    assert len(kept) == 2
    return kept


def run_jobs(hub: Hub, home: Path, only: str = "") -> str:
    """Runs a template's scripts in a new checkout, as the forge's runner does; the log."""
    forge = hub.server.sort
    path = GITHUB if forge == "github" else GITLAB
    folder = home / f"checkout{len(list(home.glob('checkout*')))}"
    home.mkdir(exist_ok=True)
    run_git(home, "clone", "-q", f"file://{hub.bare}", str(folder))
    run_git(folder, "checkout", "-q", "--detach")
    given = load(path)["env"] if forge == "github" else load(path)[".memgit-branches"]["variables"]
    env = machine() | {
        name: str(text).replace("$CI_SERVER_HOST", "forge.example") for name, text in given.items()
    }
    env |= hub.server.env() | {"MEMGIT_FORGE_TOKEN": TOKEN, "CI": "true"}
    if forge == "github":
        bin_ = install(home / "memgit/bin")
        env |= {"RUNNER_TEMP": str(home), "BRANCH": "main"}
    else:
        bin_ = install(home / "memgit-1/bin")
        env |= {"CI_BUILDS_DIR": str(home), "CI_JOB_ID": "1", "CI_DEFAULT_BRANCH": "main"}
        env |= {"CI_PROJECT_URL": f"file://{hub.bare}".removesuffix(".git"), "MEMGIT_BIN": str(bin_)}
    log = ""
    for name, text in scripts(path):
        if only in name:
            done = subprocess.run(
                ["bash", "--noprofile", "--norc", "-e", "-c", text],
                cwd=folder,
                env=env,
                capture_output=True,
                text=True,
                check=False,
            )
            log += done.stdout + done.stderr
            assert done.returncode == 0, f"{name}:\n{log}"
    assert TOKEN not in log
    return log


@pytest.fixture(params=["github", "gitlab"])
def server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(request.param)
    return found


@pytest.mark.parametrize("mode", ["trunk", "committed"])
def test_three_that_add_to_one_category_are_merged_one_after_the_other(
    tmp_path: Path, prepared: Prepared, server: Server, mode: str
) -> None:
    hub = Hub(prepared(mode, trunk if mode == "trunk" else committed), server)
    stopped = 0
    for number, name in enumerate(TOPICS):
        hub.merge(name)
        left = TOPICS[number + 1 :]
        stopped += sum(not hub.can_merge(one) for one in left)
        hub.open(*left)
        log = run_jobs(hub, tmp_path / "runner")
        assert hub.drift() == [], log
        assert all(map(hub.can_merge, left)), log
        if mode == "trunk":
            changed = [run_git(hub.bare, "diff", "--name-only", f"main...{one}") for one in left]
            assert not [one for one in changed if "INDEX" in one or "_index" in one]
    assert stopped, "no branch ever needed its base"
    run_git(hub.dev, "switch", "-qC", "main", "origin/main")
    titles = {one["title"] for one in memgit(hub.dev, "list", "--json").json}
    assert titles == {"Start"} | {
        f"{kind} {name}" for kind in ("Part", "Memory", "Decision") for name in TOPICS
    }
    assert memgit(hub.dev, "lint", "--json", code=None).json["summary"]["errors"] == 0


def test_one_whose_records_conflict_is_left_and_the_others_are_not(
    tmp_path: Path, prepared: Prepared, server: Server
) -> None:
    hub = Hub(prepared("trunk", trunk), server)
    run_git(hub.dev, "switch", "-q", "two")
    memgit(hub.dev, "record", "memory", "Memory one", "--scope", "team", "-m", "Another text.")
    run_git(hub.dev, "push", "-q", "origin", "two")
    hub.merge("one")
    hub.open("two", "three")
    before = hub.tip("two")
    log = run_jobs(hub, tmp_path / "runner")
    assert hub.tip("two") == before
    assert "memory/team/memory-one" in log
    assert "left to a person" in log
    assert hub.can_merge("three")
    assert hub.drift() == []


def test_forks_and_branches_that_are_gone_or_no_names_are_passed_over(
    tmp_path: Path, prepared: Prepared, server: Server
) -> None:
    hub = Hub(prepared("trunk", trunk), server)
    hub.merge("one")
    hub.open("gone", "--upload-pack=touch pwned", "a b", "x\ny", "..", "", fork=["two"])
    before = hub.tip("two"), hub.tip("three")
    run_jobs(hub, tmp_path / "runner")
    assert (hub.tip("two"), hub.tip("three")) == before
    assert not list(tmp_path.rglob("pwned"))


def test_a_name_that_a_shell_would_run_is_a_name(tmp_path: Path, prepared: Prepared, server: Server) -> None:
    hub = Hub(prepared("trunk", trunk), server)
    name = "feat/$(touch${IFS}pwned)`touch${IFS}pwned`;'\"&été"
    run_git(hub.bare, "branch", "-m", "two", name)
    hub.merge("one")
    assert not hub.can_merge(name)
    hub.open(name)
    run_jobs(hub, tmp_path / "runner")
    assert hub.can_merge(name)
    assert not list(tmp_path.rglob("pwned"))


def test_deriving_goes_on_from_a_merge_that_comes_first(
    tmp_path: Path, prepared: Prepared, github: Server
) -> None:
    hub = Hub(prepared("trunk", trunk), github)
    hub.merge("one")
    faster = run_git(hub.bare, "commit-tree", "-p", "main", "-m", "faster", "main^{tree}")
    hook = hub.bare / "hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(
        "#!/bin/sh\nunset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES\n"
        f"[ -e done ] || {{ touch done; git update-ref refs/heads/main {faster}; }}\n"
    )
    hook.chmod(0o755)
    run_jobs(hub, tmp_path / "runner", "Derive")
    assert hub.drift() == []
    assert run_git(hub.bare, "log", "-2", "--format=%s", "main").splitlines() == ["fix: indexes", "faster"]


def test_branches_that_can_be_merged_are_left_as_they_are(
    tmp_path: Path, prepared: Prepared, github: Server
) -> None:
    hub = Hub(prepared("trunk", trunk), github)
    hub.open(*TOPICS)
    before = [hub.tip(name) for name in ("main", *TOPICS)]
    run_jobs(hub, tmp_path / "runner")
    assert [hub.tip(name) for name in ("main", *TOPICS)] == before


def test_what_a_template_may_do_and_runs_is_pinned_and_small() -> None:
    text = GITHUB.read_text()
    job = load(GITHUB)
    assert job["permissions"] == {"contents": "write", "pull-requests": "read"}
    assert all(re.search(r"@[0-9a-f]{40} # v\d", line) for line in text.splitlines() if "uses:" in line)
    for path in (GITHUB, GITLAB):
        assert not [name for name, script in scripts(path) if "${{" in script]
        assert "memgit-kb" not in path.read_text()
