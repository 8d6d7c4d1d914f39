"""The people of the simulations: what each does with git, an editor or memgit, and how often that was stopped."""

from __future__ import annotations

import subprocess
from pathlib import Path

from tests.support import fsck, memgit, run_git, status

ROOT = Path(__file__).resolve().parents[2]


class Person:
    """Somebody with a clone, who counts operations and the ones that were stopped."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.done = 0
        self.stopped: list[str] = []

    def git(self, *args: str) -> bool:
        """One git command as a person types it; whether it went through."""
        done = subprocess.run(["git", *args], cwd=self.folder, capture_output=True, text=True, check=False)
        return self._count(done.returncode, f"git {' '.join(args)}: {done.stdout}{done.stderr}")

    def memgit(self, *args: str) -> bool:
        """One memgit command; whether it went through."""
        answer = memgit(self.folder, *args, code=None)
        return self._count(answer.code, f"memgit {' '.join(args)}: {answer.out}{answer.err}")

    def _count(self, code: int, words: str) -> bool:
        self.done += 1
        if code:
            self.stopped.append(f"{self.folder.name}: exit {code}: {words}")
        return not code

    def backup(self) -> None:
        """What an editor's git plugin does every minute: add, commit, pull, push."""
        self.git("add", "-A")
        if status(self.folder):
            self.git("commit", "-q", "-m", "vault backup")
        self.git("pull", "-q", "--no-rebase", "--no-edit")
        self.git("push", "-q")

    def write(self, path: str, text: str) -> None:
        """Saves a file in the editor."""
        target = self.folder / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    def append(self, path: str, text: str) -> None:
        """Adds text at the end of a file, in the editor."""
        target = self.folder / path
        self.write(path, (target.read_text(encoding="utf-8") if target.exists() else "") + text)

    def addresses(self, kind: str = "") -> set[str]:
        """The addresses of all records here."""
        rows = memgit(self.folder, "list", "--json", "-n", "100000", *([kind] if kind else [])).json
        return {row["address"] for row in rows}


class Hub:
    """A bare repository, and clones of it as `git clone` and `memgit init` make them."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def publish(self, source: Path) -> None:
        """Makes the hub of a repository, which follows it from then on."""
        run_git(self.folder, "init", "-q", "--bare", "hub.git")
        run_git(source, "remote", "add", "origin", str(self.folder / "hub.git"))
        run_git(source, "push", "-q", "-u", "origin", "main")

    def clone(self, name: str) -> Path:
        run_git(self.folder, "clone", "-q", "hub.git", name)
        memgit(self.folder / name, "init")
        return self.folder / name


def settled(people: list[Person], rounds: int = 2) -> None:
    """Brings all clones together by plain git, then raises where they are not the same, or not right."""
    for _ in range(rounds):
        for person in people:
            person.git("pull", "-q", "--no-rebase", "--no-edit")
            person.git("push", "-q")
    for person in people:
        assert status(person.folder) == ""
        check = memgit(person.folder, "rebuild", "--check", code=None)
        assert check.code == 0, check.out + check.err
        fsck(person.folder)
    assert len({run_git(person.folder, "rev-parse", "HEAD^{tree}") for person in people}) == 1
