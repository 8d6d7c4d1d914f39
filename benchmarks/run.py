"""Times memgit beside git, or beside the least that could do the job, and prints a table.

    python benchmarks/run.py [--sizes 1000,10000,100000] [--rows
    version,read,first,log,check,rebuild,compare,write,batch] [--json FILE]

The present code is built into a wheel and installed, compiled, into an environment of its own; memgit runs as
the console script there. What is compared runs in turn in one run: compare the ratios, not the times.
Repositories are kept under the work folder and made again when the code that makes them changes.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks.clock import Case, Timing, alternate  # noqa: E402
from benchmarks.floors import QUERY  # noqa: E402

SOURCES = ("memgit", "hooks", "templates", "pyproject.toml", "setup.py", "README.md", "LICENSE")
MAKERS = (
    "benchmarks/generate.py",
    "benchmarks/words.py",
    "memgit/model",
    "memgit/formats",
    "memgit/derive",
    "memgit/app/adopt/init.py",
)
"""What the bytes of a generated repository depend on."""
GITCONFIG = """\
[user]
\tname = Ada Moss
\temail = ada@example.org
[gc]
\tauto = 0
[maintenance]
\tauto = false
[commit]
\tgpgsign = false
[advice]
\tdetachedHead = false
"""
GIT_COMMIT = 'printf "%s\\n" "$2" > "$1" && git add -- "$1" && git commit -q -m "$3"'
BODY = "\n".join(
    "- Drain the queue before the worker is rolled, then compare the lag with what the dashboard had."
    for _ in range(5)
)
WORD = "canary"
"""A word that some of the records hold."""


class Result(NamedTuple):
    """One line of the table: memgit beside something else, at one size."""

    size: int
    what: str
    ms: float
    beside: str
    beside_ms: float | None
    ratio: float | None
    work: float | None
    aim: str
    peak: float
    rounds: int


class Bench:
    """What the rows share: the environment that memgit is installed in, and private copies of the repository
    of one size.
    """

    def __init__(self, work: Path, rounds: int, *, reuse: bool = False) -> None:
        self.work = work
        self.reuse = reuse
        self.rounds = rounds
        self.venv = work / "venv"
        self.python = str(self.venv / "bin" / "python")
        self.memgit = str(self.venv / "bin" / "memgit")
        self.size = 0
        self.facts: dict[str, Any] = {}
        home = work / "home"
        home.mkdir(parents=True, exist_ok=True)
        (home / ".gitconfig").write_text(GITCONFIG)
        self.env = {
            "HOME": str(home),
            "PATH": f"{self.venv / 'bin'}{os.pathsep}{os.environ['PATH']}",
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_TERMINAL_PROMPT": "0",
        }

    def install(self) -> None:
        """The present code as a wheel in the environment, from a copy, so that no old build gets in."""
        if not (self.venv / "bin" / "pip").exists():
            # The pip that comes with Python may be years old, and the scripts that such a one makes load `re`
            # at every start.
            subprocess.run([sys.executable, "-m", "venv", "--upgrade-deps", str(self.venv)], check=True)
        source = self.work / "source"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for name in SOURCES:
            copy: Callable[..., Any] = shutil.copytree if (ROOT / name).is_dir() else shutil.copy
            copy(
                ROOT / name,
                source / name,
                **({"ignore": shutil.ignore_patterns("__pycache__")} if (ROOT / name).is_dir() else {}),
            )
        env = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
        pip = [str(self.venv / "bin" / "python"), "-m", "pip", "install", "--quiet"]
        subprocess.run([*pip, str(source)], check=True, env=env)
        subprocess.run([*pip, "--force-reinstall", "--no-deps", str(source)], check=True, env=env)
        compiled = list(self.venv.glob("lib/python*/site-packages/memgit/cli/__pycache__/*.pyc"))
        if not compiled:
            raise SystemExit(
                "memgit was installed without compiled files: every start would compile it again"
            )

    def repository(self, size: int) -> Path:
        """The generated repository of that size; made where it is not there yet."""
        key = hashlib.sha256()
        for name in MAKERS:
            for path in sorted([ROOT / name, *(ROOT / name).rglob("*.py")]):
                if path.is_file():
                    key.update(path.read_bytes())
        made = self.work / "repositories" / f"{size}-{key.hexdigest()[:12]}"
        if self.reuse:
            lying = [
                path.parents[1] for path in (self.work / "repositories").glob(f"{size}-*/.git/benchmark.json")
            ]
            made = lying[0] if lying else made
        if not (made / ".git" / "benchmark.json").exists():
            for old in (self.work / "repositories").glob(f"{size}-*"):
                shutil.rmtree(old)
            say(f"making a repository of {size} records")
            subprocess.run(
                [self.python, str(ROOT / "benchmarks" / "generate.py"), str(made), "--records", str(size)],
                check=True,
                env=self.env,
            )
        return made

    def use(self, size: int) -> None:
        """Fresh copies for one size: one for memgit, one for what it is compared with."""
        made = self.repository(size)
        self.size = size
        self.facts = json.loads((made / ".git" / "benchmark.json").read_text())
        for name in ("mine", "theirs"):
            shutil.rmtree(self.work / name, ignore_errors=True)
            subprocess.run(["cp", "-a", "--reflink=auto", str(made), str(self.work / name)], check=True)
            self.git(name, "update-index", "-q", "--refresh")
        self.mine, self.theirs = str(self.work / "mine"), str(self.work / "theirs")
        self.index = str(self.work / f"index-{made.name}.db")
        if not os.path.exists(self.index):
            subprocess.run(
                [
                    self.python,
                    str(ROOT / "benchmarks" / "floors.py"),
                    "index",
                    f"{self.index}.part",
                    str(made),
                ],
                check=True,
            )
            os.replace(f"{self.index}.part", self.index)

    def git(self, copy: str, *args: str) -> str:
        done = subprocess.run(
            ["git", *args], cwd=self.work / copy, env=self.env, check=True, capture_output=True, text=True
        )
        return done.stdout

    def some(self, kind: str, number: int, what: str = "address") -> str:
        """The address (or path) of the number-th record of a kind, counted around."""
        found = self.facts["some"][kind]
        return str(found[number % len(found)][what])

    def time(
        self, cases: dict[str, Case], rounds: int | None = None, out: str = os.devnull
    ) -> dict[str, Timing]:
        return alternate(cases, self.env, rounds or self.rounds, out=out)

    def call(self, *argv: str, before: Callable[[int], None] | None = None, per: int = 1) -> Case:
        """memgit with the same arguments every round."""
        return Case(lambda _: [self.memgit, *argv], self.mine, before, per)

    def calls(self, argv: Callable[[int], Sequence[str]]) -> Case:
        """memgit with arguments that follow the round."""
        return Case(lambda number: [self.memgit, *argv(number)], self.mine)

    def query(self) -> Case:
        """The floor of a read: a bare interpreter and one query of a full-text index."""
        return Case(lambda _: [self.python, "-I", "-S", "-c", QUERY, self.index, WORD], self.mine)

    def result(self, what: str, mine: Timing, beside: str, theirs: Timing | None, aim: str) -> Result:
        ratio, work = (None, None) if theirs is None else (mine.beside(theirs), mine.work(theirs))
        return Result(
            self.size,
            what,
            mine.median,
            beside,
            theirs.median if theirs else None,
            ratio,
            work,
            aim,
            mine.peak,
            len(mine.ms),
        )


def version(bench: Bench) -> Iterator[Result]:
    """Starting up; the same at every size."""
    timed = bench.time(
        {
            "memgit": bench.call("--version"),
            "python": Case(lambda _: [bench.python, "-c", "pass"], bench.mine),
        },
        rounds=21,
    )
    yield bench.result("`--version`", timed["memgit"], "`python -c pass`", timed["python"], "–")


def write(bench: Bench) -> Iterator[Result]:
    """One change as a whole process, derived files and cache included, beside `git add` and `git commit` of
    one file.
    """
    aim = "≤ 0.6" if bench.size >= 100_000 else "≤ 3"
    scope = bench.some("memory", 0).split("/")[1]
    category = bench.some("knowledge", 0).partition("/")[2].partition("#")[0]
    folder = os.path.dirname(bench.some("memory", 0, "path"))
    stamp = time.time_ns()
    cases = {
        "git": Case(
            lambda number: [
                "sh",
                "-c",
                GIT_COMMIT,
                "sh",
                f"{folder}/git-{stamp}-{number}.md",
                BODY,
                f"A note {number}",
            ],
            bench.theirs,
        ),
        "`record` of a memory": bench.calls(
            lambda number: [
                "record",
                "memory",
                f"Drain before a roll {stamp} {number}",
                "--scope",
                scope,
                "--keywords",
                "queue,lag",
                "-m",
                BODY,
            ]
        ),
        "`record` of knowledge": bench.calls(
            lambda number: [
                "record",
                "knowledge",
                f"Drain before a roll {stamp} {number}",
                "--category",
                category,
                "--keywords",
                "queue",
                "-m",
                BODY,
            ]
        ),
        "`update` of a memory": bench.calls(
            lambda number: ["update", bench.some("memory", 100 + number), "-m", f"{BODY}\n- {stamp}"]
        ),
        "`update` of knowledge": bench.calls(
            lambda number: ["update", bench.some("knowledge", 100 + number), "-m", f"{BODY}\n- {stamp}"]
        ),
        "`archive`": bench.calls(lambda number: ["archive", bench.some("memory", 200 + number)]),
        "`extend`": bench.calls(
            lambda number: ["extend", bench.some("knowledge", 300 + number), "-m", f"More {stamp}"]
        ),
        "`use`": bench.calls(lambda number: ["use", bench.some("memory", 400 + number)]),
    }
    timed = bench.time(cases)
    for name in list(cases)[1:]:
        yield bench.result(name, timed[name], "`git add` + `git commit`", timed["git"], aim)


def batch(bench: Bench) -> Iterator[Result]:
    """Many records in one process: one commit each beside pygit2 in process, one commit for all in records a
    second.
    """
    folder = os.path.dirname(bench.some("memory", 0, "path"))
    each, whole = 200, 2000
    file = bench.work / "batch.jsonl"

    def prepare(count: int) -> Callable[[int], None]:
        def fill(number: int) -> None:
            scope = folder.partition("/")[2]
            with file.open("w") as lines:
                for row in range(count):
                    title = f"Batch {time.time_ns()} {number} {row}"
                    # Two thousand in one folder would be no scope that anybody keeps.
                    own = scope if count == each else f"{scope}-{row // 300}"
                    lines.write(
                        json.dumps(
                            {
                                "kind": "memory",
                                "title": title,
                                "scope": own,
                                "keywords": ["queue"],
                                "body": BODY,
                            }
                        )
                        + "\n"
                    )

        return fill

    floors = str(ROOT / "benchmarks" / "floors.py")
    out = str(bench.work / "floor.out")
    floor: list[float] = []
    mine: list[Timing] = []
    for _ in range(3):
        alternate(
            {
                "floor": Case(
                    lambda _: [bench.python, floors, "commit", bench.theirs, folder, "50"], bench.theirs
                )
            },
            bench.env,
            1,
            0,
            out,
        )
        floor.append(float(Path(out).read_text()))
        case = bench.call("record", "--batch", str(file), "--each", before=prepare(each), per=each)
        mine.append(alternate({"each": case}, bench.env, 1, 0)["each"])
    timing = Timing(
        tuple(one.ms[0] for one in mine), tuple(one.cpu[0] for one in mine), max(one.peak for one in mine)
    )
    yield bench.result(
        f"`--batch` of {each}, one commit each (a record)",
        timing,
        "pygit2 in process",
        Timing(tuple(floor), tuple(floor), 0),
        "≤ 10 ms",
    )
    together = bench.time(
        {"all": bench.call("record", "--batch", str(file), "--one-commit", before=prepare(whole), per=whole)},
        rounds=3,
    )["all"]
    line = bench.result(
        f"`--batch` of {whole}, one commit (a record)",
        together,
        f"{1000 / together.median:.0f} records/s",
        None,
        "–",
    )
    yield line


def reads(bench: Bench) -> dict[str, Case]:
    category = bench.some("knowledge", 0).partition("/")[2].partition("#")[0]
    return {
        "`show` of an entry": bench.calls(lambda number: ["show", bench.some("knowledge", number)]),
        "`show` of a document": bench.calls(lambda number: ["show", bench.some("memory", number)]),
        "`show` by the ending of an address": bench.calls(
            lambda number: ["show", bench.some("memory", number).rpartition("/")[2]]
        ),
        "`list` of one category": bench.call("list", "knowledge", "--category", category),
        "`search`, a word of some records": bench.call("search", WORD),
        "`recall`": bench.call(
            "recall", "--no-count", "How do I drain a queue before a canary is rolled out?"
        ),
        "`context`": bench.call("context"),
    }


def read(bench: Bench) -> Iterator[Result]:
    """Reading with a fresh cache, beside a bare interpreter with one full-text query."""
    alternate({"warm": bench.call("list", "--json")}, bench.env, 1, 0)
    cases = reads(bench)
    timed = bench.time({"floor": bench.query(), **cases})
    aim = "≤ 250 ms" if bench.size >= 100_000 else "≤ 100 ms"
    for name in cases:
        yield bench.result(name, timed[name], "`python -I -S`, one FTS5 query", timed["floor"], aim)
    everything = bench.time({"list": bench.call("list", "--json")}, rounds=3)["list"]
    each = f"{1000 * everything.median / bench.size:.0f} µs a record"
    yield bench.result("`list --json` of all", everything, each, None, "≤ 20 µs a record")


def first(bench: Bench) -> Iterator[Result]:
    """The first read after something changed, beside the same floor."""
    switch = [bench.some("memory", number, "path") for number in range(50)]
    bench.git("mine", "checkout", "-q", "-b", "other")
    for path in switch:
        append(bench.mine, path, "One more sentence on a branch.")
    bench.git("mine", "commit", "-q", "-m", "Fifty files", "--", *switch)
    edited = [bench.some("memory", number, "path") for number in range(60, 120)]

    def by_hand(number: int) -> None:
        append(bench.mine, edited[30 + number % 30], f"One more sentence by hand, {number}.")

    def one_commit(number: int) -> None:
        path = edited[number % 30]
        append(bench.mine, path, f"One more sentence to commit, {number}.")
        bench.git("mine", "commit", "-q", "-m", "By hand", "--", path)

    def branch(number: int) -> None:
        bench.git("mine", "checkout", "-q", "main" if number % 2 else "other")

    def no_cache(_: int) -> None:
        shutil.rmtree(os.path.join(bench.mine, ".git", "memgit"), ignore_errors=True)

    name = bench.some("memory", 250).rpartition("/")[2]
    cases: dict[str, tuple[Callable[[int], None] | None, str, int]] = {
        "after one commit": (one_commit, "follows the change", bench.rounds),
        "after a branch switch of 50 files": (branch, "follows the change", bench.rounds),
        "after a hand edit": (by_hand, "follows the change", bench.rounds),
        "without a cache": (no_cache, "≤ 3 s at 100,000", 3),
    }
    for what, (before, aim, rounds) in cases.items():
        timed = bench.time(
            {"floor": bench.query(), "first": bench.call("show", name, before=before)}, rounds=rounds
        )
        yield bench.result(
            f"first read {what}", timed["first"], "`python -I -S`, one FTS5 query", timed["floor"], aim
        )
        if what == "after a hand edit":
            bench.git("mine", "checkout", "-q", "--", *edited)
    bench.git("mine", "checkout", "-q", "main")


def append(folder: str, path: str, line: str) -> None:
    """A paragraph at the end of a file."""
    with Path(folder, path).open("a", encoding="utf-8") as file:
        file.write(f"\n{line}\n")


def log(bench: Bench) -> Iterator[Result]:
    """The whole activity log as JSON, written to a file, beside `git log --raw`."""
    out = str(bench.work / "log.out")
    raw = ["git", "log", "--raw", "--no-abbrev", "-M", "--format=%H %ct %an%n%B"]

    def no_cache(_: int) -> None:
        shutil.rmtree(os.path.join(bench.mine, ".git", "memgit"), ignore_errors=True)

    rounds = bench.rounds if bench.size <= 10_000 else 3
    for state, before, aim in (("cold", no_cache, "≤ 4"), ("warm", None, "–")):
        cases = {"git": Case(lambda _: raw, bench.mine), "memgit": bench.call("log", "--json", before=before)}
        timed = bench.time(cases, rounds=rounds, out=out)
        yield bench.result(f"`log --json`, {state}", timed["memgit"], "`git log --raw`", timed["git"], aim)


HOOK = """
import subprocess, sys
def git(*args): return subprocess.run(["git", *args], stdout=subprocess.PIPE).stdout
names = git("diff", "--cached", "--name-only", "-z", "--diff-filter=ACMR").split(b"\\0")[:-1]
texts = [git("show", b":" + name) for name in names]
sys.exit(any(text.endswith(b".md") and not text.startswith(b"---") for text in texts))
"""
"""The least that a hook could do with what is staged."""


def check(bench: Bench) -> Iterator[Result]:
    """Checking everything with all rules, beside rumdl where it is installed; and one staged file, beside a
    bare hook in Python.
    """
    out = str(bench.work / "lint.out")

    def no_cache(_: int) -> None:
        shutil.rmtree(os.path.join(bench.mine, ".git", "memgit"), ignore_errors=True)

    rounds = bench.rounds if bench.size <= 10_000 else 3
    other = (
        ["rumdl", "check", "--no-cache", "--silent", "--fail-on", "never", "."]
        if shutil.which("rumdl")
        else ["git", "grep", "-c", "", "HEAD"]
    )
    beside = f"`{' '.join(other[:2])}`"
    for state, before, aim in (("cold", no_cache, "< markdownlint-cli2"), ("warm", None, "≤ 2 × rumdl")):
        cases = {
            "other": Case(lambda _: other, bench.theirs),
            "memgit": bench.call("lint", "--json", before=before),
        }
        timed = bench.time(cases, rounds=min(rounds, 5), out=out)
        yield bench.result(f"`lint`, all rules, {state}", timed["memgit"], beside, timed["other"], aim)
    for kind in ("memory", "knowledge"):
        yield commits_with_hooks(bench, kind)


def rebuild(bench: Bench) -> Iterator[Result]:
    """Every index from history, beside reading that history, and again with nothing to do."""

    def no_cache(_: int) -> None:
        shutil.rmtree(os.path.join(bench.mine, ".git", "memgit"), ignore_errors=True)

    cases = {
        "git": Case(lambda _: ["git", "log", "--raw", "-M"], bench.mine),
        "`rebuild` from nothing": bench.call("rebuild", before=no_cache),
        "`rebuild` again": bench.call("rebuild"),
        "`rebuild --check`": bench.call("rebuild", "--check"),
    }
    timed = bench.time(cases, rounds=3)
    for name, aim in zip(list(cases)[1:], ("≤ 4", "≤ 1 s", "≤ 1 s"), strict=True):
        yield bench.result(name, timed[name], "`git log --raw`", timed["git"], aim)


def compare(bench: Bench) -> Iterator[Result]:
    """What compares all records with each other: duplicates and contradictions, and the health of the store."""
    out = str(bench.work / "compare.out")

    def no_cache(_: int) -> None:
        shutil.rmtree(os.path.join(bench.mine, ".git", "memgit"), ignore_errors=True)

    rounds, aim = (3, "≤ 1 s") if bench.size <= 10_000 else (1, "≤ 10 s")
    work = {
        "`lint --select MG301,MG303`": (
            ("lint", "--select", "MG301,MG303", "--json"),
            aim,
        ),
        "`health --json`": (("health", "--json"), aim),
    }
    for what, (argv, aim) in work.items():
        for state, before in (("cold", no_cache), ("warm", None)):
            timed = bench.time({"memgit": bench.call(*argv, before=before)}, rounds=rounds, out=out)["memgit"]
            yield bench.result(
                f"{what}, {state}", timed, f"{1000 * timed.median / bench.size:.0f} µs a record", None, aim
            )


def commits_with_hooks(bench: Bench, kind: str) -> Result:
    """`git commit` of one edited file of a kind through memgit's hooks, and through one bare hook in Python."""
    staged = [bench.some(kind, number, "path") for number in range(100, 130)]
    script = bench.work / "hook.py"
    script.write_text(HOOK)
    hook = Path(bench.theirs) / ".git" / "hooks" / "pre-commit"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text(f"#!/bin/sh\nexec {bench.python} {script}\n")
    hook.chmod(0o755)
    subprocess.run(
        [bench.memgit, "-C", bench.mine, "hooks", "install"], env=bench.env, check=True, capture_output=True
    )

    def stage(copy: str, number: int) -> None:
        path = staged[number % len(staged)]
        append(str(bench.work / copy), path, f"One more sentence to stage, {number}.")
        bench.git(copy, "add", "--", path)

    git = ["git", "commit", "-q", "-m", "One more sentence"]
    timed = bench.time(
        {
            "hook": Case(lambda _: git, bench.theirs, lambda number: stage("theirs", number)),
            "memgit": Case(lambda _: git, bench.mine, lambda number: stage("mine", number)),
        }
    )
    hook.unlink()
    subprocess.run(
        [bench.memgit, "-C", bench.mine, "hooks", "uninstall"], env=bench.env, check=True, capture_output=True
    )
    return bench.result(
        f"`git commit` of one file of {kind}, with hooks",
        timed["memgit"],
        "one bare Python hook",
        timed["hook"],
        "≤ 2",
    )


ROWS: dict[str, Callable[[Bench], Iterator[Result]]] = {
    "version": version,
    "read": read,
    "first": first,
    "log": log,
    "check": check,
    "rebuild": rebuild,
    "compare": compare,
    "write": write,
    "batch": batch,
}


def table(results: Sequence[Result]) -> str:
    """The results as Markdown."""
    lines = [
        "| records | what | ms | beside | ms | ratio | of processor time | aim | peak MiB |",
        "|---:|---|---:|---|---:|---:|---:|---|---:|",
    ]
    for one in results:
        theirs = "" if one.beside_ms is None else f"{one.beside_ms:.1f}"
        ratio, work = ("" if value is None else f"{value:.2f}" for value in (one.ratio, one.work))
        lines.append(
            f"| {one.size:,} | {one.what} | {one.ms:.1f} | {one.beside} | {theirs} | {ratio} | "
            f"{work} | {one.aim} | {one.peak:.0f} |"
        )
    return "\n".join(lines)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", default="1000,10000", help="numbers of records, with commas (default: %(default)s)"
    )
    parser.add_argument("--rows", default=",".join(ROWS), help="which rows (default: %(default)s)")
    parser.add_argument(
        "--rounds", type=int, default=9, help="how often each case runs (default: %(default)s)"
    )
    parser.add_argument(
        "--work", type=Path, default=ROOT / ".benchmarks", help="where repositories and the environment lie"
    )
    parser.add_argument(
        "--reuse",
        action="store_true",
        help="take repositories as they lie, though the code that makes them has changed",
    )
    parser.add_argument("--json", type=Path, help="write the results to this file as well")
    options = parser.parse_args(argv)
    rows = options.rows.split(",")
    if unknown := set(rows) - set(ROWS):
        parser.error(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(ROWS)}")
    bench = Bench(options.work.resolve(), options.rounds, reuse=options.reuse)
    say("installing memgit")
    bench.install()
    results: list[Result] = []
    for size in map(int, options.sizes.split(",")):
        bench.use(size)
        for row in rows:
            if row == "version" and results:
                continue
            say(f"{size}: {row}")
            results += ROWS[row](bench)
    print(table(results))
    if options.json is not None:
        options.json.write_text(json.dumps([one._asdict() for one in results], indent=1) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
