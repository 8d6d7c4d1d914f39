"""How well memgit's search ranks, beside others on the same texts in the same run.

    python benchmarks/search_quality.py --til FOLDER --smart FOLDER --locomo FILE.zip
        [--baseline REVISION] [--engine NAME]... [--qmd COMMAND] [--split dev|test|all]

Prints recall@10 and nDCG@10, also by kind of query. The collections are public and are not part of memgit:

- `--til`: any folder of notes, such as github.com/simonw/til. The title of a note is the query, its text
  without the title the document.
- `--smart`: a folder with a collection in SMART format, such as Cranfield from
  github.com/noramtboraas/information-retrieval: documents `*.all*`, queries `*.qry`, judgements `*qrel*`
  (for Cranfield 1 to 4, 1 the best). Settings were chosen on the queries whose position modulo 5 is 1, 2 or 3.
- `--locomo`: `data/locomo10.zip` of github.com/snap-research/locomo: each turn of a conversation a record,
  questions with the turns that answer them. Settings were chosen on the conversations 26, 30 and 41 to 44.

`--split dev` takes these parts (the default), `test` the rest, `all` everything. `--baseline` measures the
command line of another revision of this repository beside it. Needs the package rank-bm25.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

CUT = 10
DEV_CONVERSATIONS = (26, 30, 41, 42, 43, 44)
DEV_POSITIONS = (1, 2, 3)
KINDS = {1: "several turns", 2: "time", 3: "inference", 4: "one turn", 5: "not answerable"}


class Collection(NamedTuple):
    """Documents (title, text), queries, for each query the documents that answer it with their grade (the
    higher the better), and the kind of each query.
    """

    name: str
    documents: Mapping[str, tuple[str, str]]
    queries: Mapping[str, str]
    answers: Mapping[str, Mapping[str, int]]
    kinds: Mapping[str, str]


def notes(folder: Path) -> Iterator[Collection]:
    """The notes of a folder that have a first-level heading."""
    documents, queries, answers = {}, {}, {}
    for path in sorted(folder.rglob("*.md")):
        text = path.read_text(encoding="utf-8", errors="replace")
        heading = re.search(r"^# (.+)$", text, re.MULTILINE)
        if heading is not None:
            name = str(path.relative_to(folder))
            documents[name] = ("", text[: heading.start()] + text[heading.end() :])
            queries[name] = heading[1]
            answers[name] = {name: 1}
    yield Collection(f"notes of {folder.name}", documents, queries, answers, {})


def smart(folder: Path, split: str) -> Iterator[Collection]:
    """A collection in SMART format; queries count from 1 in their order, as the judgements of Cranfield do."""
    [listing] = sorted(folder.glob("*.all*"))[:1]
    [asked] = sorted(folder.glob("*.qry"))[:1]
    [judged] = [path for path in sorted(folder.glob("*qrel*")) if path.suffix != ".readme"][:1]
    documents = {row["I"]: (row["T"], row["W"]) for row in _rows(listing)}
    queries = {
        str(number): row["W"]
        for number, row in enumerate(_rows(asked), 1)
        if split == "all" or ((number - 1) % 5 in DEV_POSITIONS) == (split == "dev")
    }
    answers: dict[str, dict[str, int]] = {}
    for line in judged.read_text(encoding="utf-8", errors="replace").splitlines():
        query, document, grade = line.split()[:3]
        if document in documents and query in queries and 1 <= int(grade) <= 4:
            answers.setdefault(query, {})[document] = 5 - int(grade)
    found = {query: text for query, text in queries.items() if query in answers}
    yield Collection("abstracts", documents, found, answers, {})


def _rows(path: Path) -> list[dict[str, str]]:
    out: list[dict[str, str]] = []
    field = "I"
    for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
        found = re.fullmatch(r"\.([A-Z])(?: (.*))?", line)
        if found and found[1] == "I":
            out.append(dict.fromkeys("ITABWX", "") | {"I": (found[2] or "").strip()})
        elif found:
            field = found[1]
        elif out:
            out[-1][field] = f"{out[-1].get(field, '')} {line}"
    return out


def locomo(archive: Path, split: str) -> Iterator[Collection]:
    """Each conversation of an archive by itself."""
    with zipfile.ZipFile(archive) as opened:
        for name in sorted(opened.namelist()):
            number = re.search(r"(\d+)\.json$", name)
            if number is None or not (
                split == "all" or (int(number[1]) in DEV_CONVERSATIONS) == (split == "dev")
            ):
                continue
            talk = json.loads(opened.read(name))
            documents = dict(_turns(talk))
            queries, answers, kinds = {}, {}, {}
            for place, question in enumerate(talk["qa"]):
                named = {turn for text in question["evidence"] for turn in re.findall(r"D\d+:\d+", text)}
                if named & documents.keys():
                    key = str(place)
                    queries[key] = question["question"]
                    answers[key] = dict.fromkeys(named & documents.keys(), 1)
                    kinds[key] = KINDS[question["category"]]
            yield Collection("conversation turns", documents, queries, answers, kinds)


def _turns(talk: Mapping[str, list[dict[str, str]]]) -> Iterator[tuple[str, tuple[str, str]]]:
    for key, turns in talk.items():
        if re.fullmatch(r"session_\d+", key):
            for turn in turns:
                picture = f" [{turn['blip_caption']}]" if turn.get("blip_caption") else ""
                yield turn["dia_id"], ("", f"{turn['speaker']}: {turn['text']}{picture}")


Ranker = Callable[[str], list[str]]


class Root:
    """A knowledge root that holds the documents of a collection as notes."""

    def __init__(self, collection: Collection, folder: Path) -> None:
        self.folder = folder
        self.names = {f"n{number}": name for number, name in enumerate(collection.documents)}
        folder.joinpath("notes").mkdir(parents=True)
        for stem, name in self.names.items():
            title, text = collection.documents[name]
            heading = f"# {' '.join(title.split())}\n\n" if title.strip() else ""
            folder.joinpath("notes", f"{stem}.md").write_text(heading + text + "\n", encoding="utf-8")
        author = ["-c", "user.name=B", "-c", "user.email=b@example.org"]
        for command in (["init", "-q"], ["add", "-A"], [*author, "commit", "-qm", "documents"]):
            subprocess.run(["git", *command], cwd=folder, check=True)

    def name(self, path: str) -> str:
        return self.names[path.rpartition("/")[2].removesuffix(".md")]


def memgit(root: Root, engine: str) -> Ranker:
    """memgit's search in this process."""
    from memgit.app.read.search import search
    from memgit.app.workspace import open_workspace
    from memgit.cache.search import Query

    workspace = open_workspace(str(root.folder), os.environ)

    def rank(query: str) -> list[str]:
        answer = search(workspace, Query(query, limit=CUT), at="HEAD", engine=engine)
        return [root.name(result.record.path) for result in answer.results]

    return rank


def baseline(root: Root, package: Path) -> Ranker:
    """The command line of another version of memgit."""
    environment = {**os.environ, "PYTHONPATH": str(package)}

    def rank(query: str) -> list[str]:
        command = [sys.executable, "-m", "memgit", "search", "--json", "-n", str(CUT), "--", query]
        done = subprocess.run(command, cwd=root.folder, env=environment, capture_output=True, check=True)
        return [root.name(result["path"]) for result in json.loads(done.stdout)["results"]]

    return rank


def library(collection: Collection) -> Ranker:
    """rank-bm25 with its defaults over lower-case words."""
    names = list(collection.documents)
    index = import_module("rank_bm25").BM25Okapi(
        [re.findall(r"\w+", f"{title} {text}".lower()) for title, text in collection.documents.values()]
    )

    def rank(query: str) -> list[str]:
        scores = index.get_scores(re.findall(r"\w+", query.lower()))
        best = sorted(range(len(names)), key=lambda number: -scores[number])[:CUT]
        return [names[number] for number in best if scores[number] > 0]

    return rank


def fts5(collection: Collection) -> Ranker:
    """SQLite's FTS5 as it comes, with Porter's stems: any word of the query."""
    database = sqlite3.connect(":memory:")
    database.execute("create virtual table words using fts5(name unindexed, title, body, tokenize=porter)")
    database.executemany(
        "insert into words values (?, ?, ?)", ((name, *both) for name, both in collection.documents.items())
    )

    def rank(query: str) -> list[str]:
        match = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", query))
        sql = f"select name from words where words match ? order by rank limit {CUT}"
        return [name for (name,) in database.execute(sql, (match,))]

    return rank


def qmd(root: Root, command: str, folder: Path) -> Ranker:
    """The keyword search of qmd; its other ways need models that it downloads."""
    folder.mkdir()
    environment = {**os.environ, "XDG_CACHE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [command, *words],
            env=environment,
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=True,
        )
        return done.stdout

    run("collection", "add", str(root.folder / "notes"), "--name", "notes")

    def rank(query: str) -> list[str]:
        found = run("search", query, "-c", "notes", "--json", "-n", str(CUT))
        listed = json.loads(found) if found.lstrip().startswith("[") else []
        return [root.name(one["file"]) for one in listed]

    return rank


def gain(found: list[str], grades: Mapping[str, int]) -> tuple[float, float]:
    """recall@10 and nDCG@10 (gain 2**grade - 1) of one query."""
    ideal = sorted(grades.values(), reverse=True)[:CUT]
    best = sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(ideal))
    got = sum((2 ** grades.get(name, 0) - 1) / math.log2(place + 2) for place, name in enumerate(found))
    return len(grades.keys() & set(found)) / len(grades), got / best


Figures = dict[tuple[str, str, str], list[tuple[float, float, float]]]
"""recall, gain and seconds of each query, by collection, ranker and kind of query."""


def measure(collection: Collection, rankers: Mapping[str, Ranker], figures: Figures) -> None:
    """Asks every ranker every query of a collection."""
    for ranker, rank in rankers.items():
        for query, text in collection.queries.items():
            began = time.perf_counter()
            found = rank(text)
            row = (*gain(found, collection.answers[query]), time.perf_counter() - began)
            for kind in ("all", *([collection.kinds[query]] if collection.kinds else [])):
                figures.setdefault((collection.name, ranker, kind), []).append(row)


def report(figures: Figures) -> dict[tuple[str, str], dict[str, float]]:
    """Prints the table; gives nDCG@10 by collection and kind of query, of each ranker."""
    out: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    print(
        f"| collection | queries | ranker | recall@{CUT} | nDCG@{CUT} | ms a query |\n|---|---|---|---|---|---|"
    )
    for (name, ranker, kind), rows in sorted(figures.items(), key=lambda one: (one[0][0], one[0][2])):
        recall, worth, took = (sum(row[part] for row in rows) / len(rows) for part in range(3))
        label = name if kind == "all" else f"{name}: {kind}"
        print(f"| {label} | {len(rows)} | {ranker} | {recall:.3f} | {worth:.3f} | {took * 1e3:.1f} |")
        out[name, kind][ranker] = worth
    return out


def exported(revision: str, folder: Path) -> Path:
    """The package as it was at a revision."""
    folder.mkdir()
    archive = subprocess.run(
        ["git", "archive", revision, "memgit"], cwd=ROOT, capture_output=True, check=True
    ).stdout
    subprocess.run(["tar", "-x"], cwd=folder, input=archive, check=True)
    return folder


def main(argv: list[str] | None = None) -> int:
    """Prints the table; exits 1 where memgit's default ranks behind another or the baseline."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--til", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--smart", type=Path, action="append", default=[], metavar="FOLDER")
    parser.add_argument("--locomo", type=Path, action="append", default=[], metavar="FILE")
    parser.add_argument("--split", choices=("dev", "test", "all"), default="dev")
    parser.add_argument("--baseline", metavar="REVISION")
    parser.add_argument("--engine", action="append", default=[], metavar="NAME", help="beside default")
    parser.add_argument("--qmd", metavar="COMMAND", help="qmd, to be measured beside it")
    parser.add_argument("--only", action="store_true", help="memgit alone, without the other rankers")
    options = parser.parse_args(argv)
    collections = [
        *(one for folder in options.til for one in notes(folder)),
        *(one for folder in options.smart for one in smart(folder, options.split)),
        *(one for archive in options.locomo for one in locomo(archive, options.split)),
    ]
    if not collections:
        parser.error("there is no collection: give --til, --smart or --locomo")
    figures: Figures = {}
    with tempfile.TemporaryDirectory() as scratch:
        package = exported(options.baseline, Path(scratch, "package")) if options.baseline else None
        for number, collection in enumerate(collections):
            root = Root(collection, Path(scratch, f"root{number}"))
            rankers = {engine: memgit(root, engine) for engine in ("default", *options.engine)}
            if package is not None:
                rankers[options.baseline] = baseline(root, package)
            if not options.only:
                rankers |= {"FTS5": fts5(collection), "rank-bm25": library(collection)}
            if options.qmd:
                rankers["qmd"] = qmd(root, options.qmd, Path(scratch, f"qmd{number}"))
            measure(collection, rankers, figures)
    worths = report(figures)
    behind = [
        f"{name}: {other} {rankers[other]:.3f}, default {rankers['default']:.3f}"
        for (name, kind), rankers in worths.items()
        for other in rankers.keys() - {"default", *options.engine}
        if rankers[other] > rankers["default"] + (0 if kind == "all" else 0.01)
    ]
    print(*behind, sep="\n", file=sys.stderr)
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
