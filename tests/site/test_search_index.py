"""The search index of the site: parts, updates, and the stems of the browser."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgit.site.search_index import PARTS, part_of
from tests.support import memgit

STATIC = Path(__file__).resolve().parents[2] / "memgit" / "site" / "static"


def index(folder: Path) -> dict[str, list[int]]:
    found: dict[str, Any] = {}
    for number in range(PARTS):
        part = json.loads((folder / f"search/terms-{number}.json").read_text())
        assert all(part_of(term) == number for term in part)
        found |= part
    return found


def records(folder: Path) -> dict[str, str]:
    return {
        number: row[0]
        for path in folder.glob("search/docs-*.json")
        for number, row in json.loads(path.read_text()).items()
    }


def holding(folder: Path, stem: str) -> set[str]:
    names = records(folder)
    return {names[str(number)] for number in index(folder).get(stem, [])[::3]}


def test_stems_lead_to_records_and_follow_a_change(store: Path) -> None:
    folder = store.parent / "site"
    memgit(store, "site", str(folder))
    assert holding(folder, "retri") == {"Heron", "Retry with backoff"}
    assert holding(folder, "confidenti") == set()
    memgit(store, "update", "Retry with backoff", "-m", "Sleep.", "--keywords", "http")
    memgit(store, "record", "memory", "Ebb", "-m", "Tides retreat.")
    memgit(store, "site", str(folder))
    fresh = store.parent / "fresh"
    memgit(store, "site", str(fresh))
    assert holding(folder, "second") == set() and holding(folder, "tide") == {"Ebb"}
    for stem in index(fresh):
        assert holding(folder, stem) == holding(fresh, stem), stem
    assert set(index(folder)) == set(index(fresh))


@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_the_browser_cuts_words_as_the_engine_does(store: Path) -> None:
    folder = store.parent / "site"
    words = (
        "connections",
        "retries",
        "running",
        "generalizations",
        "hopping",
        "oscillate",
        "ponies",
        "relational",
        "sky",
        "agreed",
    )
    memgit(store, "record", "memory", "Words", "-m", " ".join(words))
    memgit(store, "site", str(folder))
    script = f"import {{ stemmer }} from '{STATIC}/vendor/stemmer.js'; console.log(JSON.stringify({json.dumps(words)}.map(stemmer)))"
    done = subprocess.run(
        ["node", "--input-type=module", "-e", script], capture_output=True, text=True, check=True
    )
    for stem in json.loads(done.stdout):
        assert "Words" in holding(folder, stem), stem
