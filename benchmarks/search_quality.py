"""How well memgit's search ranks, beside a plain BM25 library on the same texts in the same run.

    python benchmarks/search_quality.py [--til FOLDER] [--smart FOLDER]

Prints recall@10 and nDCG@10. The notes of a folder are a collection with known answers: the title of a note
is the query, its text without the title the document. `--smart` is a folder with a test collection in SMART
format, such as Cranfield: `*.all*` documents, `*.qry` queries, `*qrel*` judgements (for Cranfield 1 to 4, 1
the best). Needs the package rank-bm25.
"""

from __future__ import annotations

import argparse
import math
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

TIL = ROOT.parent / "shared" / "corpora" / "til"
CUT = 10


class Collection(NamedTuple):
    """Documents (title, text), queries, and for each query the documents that answer it with their grade, the
    higher the better.
    """

    name: str
    documents: Mapping[str, tuple[str, str]]
    queries: Mapping[str, str]
    answers: Mapping[str, Mapping[str, int]]


def notes(folder: Path) -> Collection:
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
    return Collection(f"notes of {folder.name}", documents, queries, answers)


def smart(folder: Path) -> Collection:
    """A collection in SMART format; queries count from 1 in their order, as the judgements of Cranfield do."""
    [listing] = sorted(folder.glob("*.all*"))[:1]
    [asked] = sorted(folder.glob("*.qry"))[:1]
    [judged] = [path for path in sorted(folder.glob("*qrel*")) if path.suffix != ".readme"][:1]
    documents = {row["I"]: (row["T"], row["W"]) for row in _rows(listing)}
    queries = {str(number): row["W"] for number, row in enumerate(_rows(asked), 1)}
    answers: dict[str, dict[str, int]] = {}
    for line in judged.read_text(encoding="utf-8", errors="replace").splitlines():
        query, document, grade = line.split()[:3]
        if document in documents and 1 <= int(grade) <= 4:
            answers.setdefault(query, {})[document] = 5 - int(grade)
    return Collection(
        folder.name, documents, {query: text for query, text in queries.items() if query in answers}, answers
    )


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


Ranker = Callable[[str], list[str]]


def memgit(collection: Collection, folder: Path) -> Ranker:
    """memgit's search over the documents as notes of a knowledge root; by default settings."""
    from memgit.app.read.search import search
    from memgit.app.workspace import open_workspace
    from memgit.cache.search import Query

    names = {f"n{number}": name for number, name in enumerate(collection.documents)}
    folder.joinpath("notes").mkdir(parents=True)
    for stem, name in names.items():
        title, text = collection.documents[name]
        heading = f"# {' '.join(title.split())}\n\n" if title.strip() else ""
        folder.joinpath("notes", f"{stem}.md").write_text(heading + text + "\n", encoding="utf-8")
    for command in (
        ["init", "-q"],
        ["add", "-A"],
        ["-c", "user.name=B", "-c", "user.email=b@example.org", "commit", "-qm", "documents"],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    workspace = open_workspace(str(folder), os.environ)

    def rank(query: str) -> list[str]:
        answer = search(workspace, Query(query, limit=CUT), at="HEAD")
        return [names[result.record.path.rpartition("/")[2].removesuffix(".md")] for result in answer.results]

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


def measured(collection: Collection, rank: Ranker) -> tuple[float, float, float]:
    """recall@10, nDCG@10 (gain 2**grade - 1) and milliseconds a query."""
    recall = gain = 0.0
    began = time.perf_counter()
    ranked = {query: rank(text) for query, text in collection.queries.items()}
    took = (time.perf_counter() - began) / len(ranked) * 1e3
    for query, found in ranked.items():
        grades = collection.answers[query]
        ideal = sorted(grades.values(), reverse=True)[:CUT]
        best = sum((2**grade - 1) / math.log2(place + 2) for place, grade in enumerate(ideal))
        got = sum((2 ** grades.get(name, 0) - 1) / math.log2(place + 2) for place, name in enumerate(found))
        gain += got / best
        recall += len(grades.keys() & set(found)) / len(grades)
    return recall / len(ranked), gain / len(ranked), took


def main(argv: list[str] | None = None) -> int:
    """Prints the table; exits 1 where memgit ranks behind the library."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--til", type=Path, default=TIL, metavar="FOLDER")
    parser.add_argument("--smart", type=Path, action="append", default=[], metavar="FOLDER")
    options = parser.parse_args(argv)
    collections = ([notes(options.til)] if options.til.is_dir() else []) + [
        smart(folder) for folder in options.smart
    ]
    if not collections:
        parser.error("there is no collection: give --til or --smart")
    print(
        f"| collection | documents, queries | ranker | recall@{CUT} | nDCG@{CUT} | ms a query "
        "|\n|---|---|---|---|---|---|"
    )
    behind = False
    for collection in collections:
        with tempfile.TemporaryDirectory() as folder:
            rankers = {"memgit": memgit(collection, Path(folder) / "root"), "rank-bm25": library(collection)}
            figures = {name: measured(collection, rank) for name, rank in rankers.items()}
        size = f"{len(collection.documents)}, {len(collection.queries)}"
        for name, (recall, gain, took) in figures.items():
            print(f"| {collection.name} | {size} | {name} | {recall:.3f} | {gain:.3f} | {took:.1f} |")
        behind = behind or figures["memgit"][:2] < figures["rank-bm25"][:2]
    return 1 if behind else 0


if __name__ == "__main__":
    sys.exit(main())
