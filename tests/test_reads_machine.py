"""After any edits, by hand or by git, a read answers what it would answer without its cache, from a whole
`git status`.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from tests.support import memgit, run_git

READS = {
    "list": ["list", "--json", "--archived"],
    "memories": ["list", "--kind", "memory", "--json"],
    "title": ["show", "t3", "--json"],
    "address": ["show", "memory/x/1", "--json"],
    "search": ["search", "alpha", "-n", "100", "--json"],
    "context": ["context", "--json"],
    "recall": ["recall", "alpha beta shell", "--no-count", "--json"],
}
WORDS = ("alpha", "beta", "gamma", "shell")
NAMES = ("1.md", "2.md", "3.md", "t.tmp.md", "K.md", "K.MD", "1.txt")


def answers(folder: Path, reads: Sequence[str], session: str) -> dict[str, Any]:
    out: dict[str, Any] = {}
    for name in reads:
        done = memgit(folder, *READS[name], *(["--session", session] if name == "recall" else []), code=None)
        text: Any = done.out
        if name == "search":  # ranks are counted over all that the cache holds, other commits' records too
            text = sorted(
                (found["address"], found["title"], found["path"], found["line"])
                for found in done.json["results"]
            )
        elif name == "recall":
            text = {**json.loads(done.out), "session": ""}
        out[name] = done.code, text, done.err
    return out


def from_nothing(folder: Path, reads: Sequence[str]) -> dict[str, Any]:
    """The same without anything that memgit remembers."""

    kept = folder / ".git/memgit"
    aside = folder / ".git/aside"
    kept.rename(aside)
    try:
        return answers(folder, reads, "other")
    finally:
        shutil.rmtree(kept, ignore_errors=True)
        aside.rename(kept)


class Hands:
    """Somebody who edits a knowledge root, in every way but memgit's."""

    def __init__(self, top: Path, layout: str, chance: random.Random) -> None:
        self.top, self.chance = top, chance
        base = {"vault": ".memory/10-Memories/", "notes": ""}.get(layout)
        own = ("memory/x", "memory/x/y", "memory/x/y/z", "notes", "notes/n", "knowledge-base", "decisions")
        self.folders = own if base is None else (f"{base}x", f"{base}x/y", f"{base}x/y/z", f"{base}w")
        self.acts: list[Callable[[Path, Path], object]] = [
            self.write,
            self.write,
            self.write,
            self.unseen,
            self.unseen,
            self.over,
            self.unlink,
            self.rmtree,
            self.move,
            self.link,
            self.link_folder,
            self.mode,
            self.ignore,
            self.index,
            self.index,
            self.git,
            self.git,
            self.bits,
            self.inner,
            self.past,
            self.beside,
            self.nested,
            self.swap,
        ]

    def run(self, *args: str) -> None:
        run_git(self.top, *args, check=False)

    def step(self) -> str:
        folder = self.top / self.chance.choice(self.folders)
        act = self.chance.choice(self.acts)
        file = folder / self.chance.choice(NAMES)
        with suppress(OSError, UnicodeDecodeError):
            act(folder, file)
        return f"{act.__name__} {file.relative_to(self.top)}"

    def text(self) -> str:
        word, other, number = self.chance.choice(WORDS), self.chance.choice(WORDS), self.chance.randrange(10)
        return f"---\ntitle: t{number}\nkeywords: [{word}]\n---\n\n{other} text\n\n## t{number}\n\n{word}\n"

    def write(self, folder: Path, file: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        if not file.is_symlink():
            file.write_text(self.text())

    def unseen(self, folder: Path, file: Path) -> None:
        """Another text of the same size, with the times put back."""
        if file.is_file() and not file.is_symlink():
            found = file.stat()
            file.write_text(file.read_text().translate(str.maketrans("0123456789", "1234567890")))
            os.utime(file, ns=(found.st_atime_ns, found.st_mtime_ns))

    def over(self, folder: Path, file: Path) -> None:
        found = sorted(path for path in self.top.rglob("*.md") if ".git" not in path.parts and path.is_file())
        if found:
            folder.mkdir(parents=True, exist_ok=True)
            self.chance.choice(found).rename(file)

    def unlink(self, folder: Path, file: Path) -> None:
        file.unlink()

    def rmtree(self, folder: Path, file: Path) -> None:
        if not folder.is_symlink():
            shutil.rmtree(folder)

    def move(self, folder: Path, file: Path) -> None:
        folder.rename(self.top / self.chance.choice(self.folders) / "moved")

    def link(self, folder: Path, file: Path) -> None:
        file.symlink_to("1.md")

    def link_folder(self, folder: Path, file: Path) -> None:
        if folder.is_symlink():
            folder.unlink()
        elif folder.is_dir():
            aside = self.top.parent / f"{self.top.name}-{self.chance.randrange(10**9)}"
            folder.rename(aside)
            folder.symlink_to(aside)

    def mode(self, folder: Path, file: Path) -> None:
        file.chmod(self.chance.choice([0o644, 0o755, 0]))

    def ignore(self, folder: Path, file: Path) -> None:
        rules = self.chance.choice(["", "*.tmp.md\n", "y/\n", "3.md\nmoved/\n", "*\n!*/\n"])
        aside = self.top.parent / f"{self.top.name}-ignored"
        self.chance.choice(
            [self.top / ".gitignore", folder / ".gitignore", self.top / ".git/info/exclude", aside]
        ).write_text(rules)
        self.run("config", "core.excludesFile", str(aside))

    def index(self, folder: Path, file: Path) -> None:
        self.run(
            *self.chance.choice(
                [
                    ["add", "-A"],
                    ["add", "-f", str(file)],
                    ["add", "-N", str(file)],
                    ["rm", "-rq", "--cached", str(folder)],
                    ["reset", "-q"],
                    ["commit", "-q", "--allow-empty", "-m", "x"],
                    ["commit", "-qam", "x"],
                    ["commit", "-q", "--amend", "-m", "x"],
                ]
            )
        )

    def git(self, folder: Path, file: Path) -> None:
        self.run(
            *self.chance.choice(
                [
                    ["reset", "-q", "--soft", "HEAD~1"],
                    ["reset", "-q", "--hard", "one"],
                    ["stash", "-q", "-u"],
                    ["stash", "pop", "-q"],
                    ["checkout", "-q", "HEAD", "--", "."],
                    ["checkout", "-qf", "-B", "one"],
                    ["checkout", "-qf", "two"],
                    ["merge", "-q", "one"],
                    ["merge", "--abort"],
                    ["rebase", "-q", "one"],
                    ["rebase", "--abort"],
                    ["checkout", "-q", "--detach"],
                    ["checkout", "-q", "--orphan", f"o{self.chance.randrange(10**6)}"],
                    ["pack-refs", "--all"],
                    ["branch", "-f", "two", "one"],
                    ["replace", "-f", "HEAD", "one"],
                    ["clean", "-qfd"],
                ]
            )
        )

    def bits(self, folder: Path, file: Path) -> None:
        bit = self.chance.choice(["", "no-"]) + self.chance.choice(["assume-unchanged", "skip-worktree"])
        self.run(
            *self.chance.choice(
                [
                    ["update-index", f"--{bit}", str(file)],
                    ["update-index", "--index-version", "4"],
                    ["update-index", "--split-index"],
                    ["sparse-checkout", "set", "--no-cone", "/*", "!y/"],
                    ["sparse-checkout", "disable"],
                    ["config", "core.untrackedCache", "true"],
                ]
            )
        )

    def inner(self, folder: Path, file: Path) -> None:
        """A repository of its own, or none any more."""
        if (folder / ".git").exists():
            shutil.rmtree(folder / ".git")
        elif folder.is_dir():
            run_git(folder, "init", "-q")
            run_git(folder, "commit", "-q", "--allow-empty", "-m", "inner")

    def past(self, folder: Path, file: Path) -> None:
        for path in (folder, file):
            os.utime(path, ns=(10**18 + 1, 10**18 + 1), follow_symlinks=False)

    def beside(self, folder: Path, file: Path) -> None:
        """As tools do that put the time of a folder back, and those that copy times."""
        found = folder.stat()
        (folder / "beside.md").write_text(self.text())
        os.utime(folder, ns=(found.st_atime_ns, found.st_mtime_ns))
        shutil.copytree(folder, folder.parent / "copied", symlinks=True)

    def nested(self, folder: Path, file: Path) -> None:
        below = folder / "new" / self.chance.choice("ab")
        below.mkdir(parents=True, exist_ok=True)
        (below / file.name).write_text(self.text())

    def swap(self, folder: Path, file: Path) -> None:
        """A folder where a file was."""
        file.unlink()
        file.mkdir()
        (file / "1.md").write_text(self.text())


@pytest.mark.parametrize(
    ("layout", "seed", "steps"),
    [
        ("memgit", 1, 14),
        ("notes", 2, 10),
        ("vault", 3, 12),
        *[
            pytest.param(("memgit", "notes", "vault")[seed % 3], seed, 60, marks=pytest.mark.slow)
            for seed in range(10, 19)
        ],
    ],
)
def test_a_read_after_anything(repo: Path, layout: str, seed: int, steps: int) -> None:
    chance = random.Random(seed)
    if layout == "memgit":
        memgit(repo, "init")
        shutil.rmtree(repo / ".git/hooks", ignore_errors=True)
    else:
        (repo / ".memgit.yaml").write_text(f"version: 1\nlayout: {layout}\n")
        run_git(repo, "add", ".")
        run_git(repo, "commit", "-q", "-m", "first")
    run_git(repo, "branch", "one")
    run_git(repo, "branch", "two")
    (repo / ".git/memgit").mkdir(exist_ok=True)
    (repo / ".git/info").mkdir(exist_ok=True)
    hands = Hands(repo, layout, chance)
    done: list[str] = []
    for step in range(steps):
        for _ in range(chance.choice([1, 1, 2, 4])):
            done += [hands.step()]
        if chance.random() < 0.15:
            time.sleep(0.11)  # folders that rest for so long are taken to be known
        reads = ["list", chance.choice(sorted(READS))]
        assert answers(repo, reads, f"s{step}") == from_nothing(repo, reads), done[-8:]
