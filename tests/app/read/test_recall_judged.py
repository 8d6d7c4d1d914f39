"""Recall over 353 real notes in 15 categories, judged by hand: `judged/recall.tsv`.

The messages marked `tune` fitted the numbers of `app.read.relevance`. Those marked `test` were looked at once while
its list of asking words was written; those marked `held` were written afterwards.
"""

from __future__ import annotations

import json
import os
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from memgit.app.read.recall import recall
from memgit.app.workspace import Context, open_workspace
from tests.support import memgit

MESSAGES = Path(__file__).parent / "judged" / "recall.tsv"
CATEGORIES = (
    "bash cloudflare datasette django docker fly git github github-actions gpt3 javascript llms macos pytest "
    "python sqlite"
).split()


class Message(NamedTuple):
    """One message: which set it is of, the notes that answer it (none where none does), its text."""

    part: str
    notes: tuple[str, ...]
    text: str


def messages() -> list[Message]:
    rows = [line.split("\t") for line in MESSAGES.read_text(encoding="utf-8").splitlines() if line[:1] != "#"]
    return [
        Message(part, () if notes == "-" else tuple(notes.split("|")), text) for part, notes, text in rows[1:]
    ]


@pytest.fixture(scope="module")
def notes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    til = Path(__file__).resolve().parents[4] / "shared" / "corpora" / "til"
    if not til.is_dir():
        pytest.skip("the corpora are not beside this checkout")
    lines = []
    for folder in CATEGORIES:
        for path in sorted((til / folder).glob("*.md")):
            title, _, body = path.read_text(encoding="utf-8").partition("\n")
            category = "git" if folder == "github" else folder
            fields = {"title": title.lstrip("# "), "body": body.strip(), "category": category}
            lines.append(json.dumps({"kind": "knowledge", **fields}))
    kb = tmp_path_factory.mktemp("judged")
    memgit(kb, "init")
    memgit(kb, "record", "--batch", "-", "--allow-secret", stdin="\n".join(lines).encode())
    return kb


@pytest.mark.parametrize("parts", [("tune",), ("test", "held")], ids="-".join)
def test_the_right_record_is_shown_and_nothing_where_none_is_called_for(
    notes: Path, parts: tuple[str, ...]
) -> None:
    context = Context("2026-01-01", "2026-01-01T00:00:00Z", os.environ)
    right: dict[bool, list[bool]] = {True: [], False: []}
    with closing(open_workspace(str(notes), os.environ)) as workspace:
        for message in messages():
            if message.part not in parts:
                continue
            found = recall(workspace, context, message.text, session="judge", again=True, read=False)
            assert found.tokens <= 1500
            titles = [shown.record.address.casefold() for shown in found.shown]
            wanted = [note.partition("/")[::2] for note in message.notes]
            hit = any(
                title.startswith(f"knowledge/{category}#") and words.casefold() in title
                for category, words in wanted
                for title in titles
            )
            right[bool(wanted)].append(hit if wanted else not titles)
    assert sum(right[True]) >= 0.85 * len(right[True]) > 0
    assert sum(right[False]) >= 0.95 * len(right[False]) > 0
