"""Many records in one process: the same as one after another, all or none, and not slower the more there are."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Callable, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from memgit.app.workspace import Context, open_workspace
from memgit.app.write import batch, series
from memgit.app.write import record as recording
from memgit.app.write.overlay import OverlayReader
from memgit.app.write.record import Request
from memgit.errors import Conflict
from memgit.formats.mem_skill import entry_file
from memgit.formats.mem_skill.entry_file import EntryFile
from memgit.git.objects.blob_spool import Spill
from tests.support import count_commits, fsck, memgit, run_git, status

WORDS = ("queue", "worker", "lag", "canary", "cache", "shard")


def entropy() -> Callable[[int], bytes]:
    return random.Random(5).randbytes


def mixed(count: int) -> list[Request]:
    """Requests of every kind; the category of some goes by their keywords, and by those of records before
    them.
    """
    rng = random.Random(3)
    out = []
    for number in range(count):
        kind = ("knowledge", "knowledge", "memory", "experience", "observation", "decision", "note", "skill")[
            number % 8
        ]
        fields: dict[str, Any] = (
            {"keywords": tuple(rng.sample(WORDS, 2))} if kind in ("knowledge", "memory", "experience") else {}
        )
        keys: dict[str, list[str | None]] = {
            "knowledge": ["ops", None, None],
            "experience": ["deploy"],
            "memory": ["team/a", "b", None],
        }
        title = f"{rng.choice(WORDS).title()} {rng.choice(WORDS)} {number}"
        body = f"Text of {title}.\n\nA second paragraph.\n\n```\ncode\n```" if number % 3 else f"- {title}"
        out.append(Request(kind, title, body, fields, rng.choice(keys.get(kind, [None]))))
    return out


def record_all(kb: Path, requests: Sequence[Request], way: str) -> list[str]:
    """The files that come of recording the requests in one way, with their blobs."""
    workspace = open_workspace(str(kb), os.environ)
    context = Context("2026-03-04", "2026-03-04T05:06:07Z", os.environ, entropy=entropy())
    with closing(workspace):
        if way == "one commit":
            batch.record_many(workspace, context, requests, "all")
        elif way == "one commit each":
            batch.record_each(workspace, context, requests)
        else:
            for request in requests:
                recording.record(workspace, context, request)
    assert status(kb) == ""
    fsck(kb)
    # The index of categories is left out: its keywords of a new one are those of the records that make it.
    return [
        line
        for line in run_git(kb, "ls-tree", "-r", "HEAD").split("\n")
        if not line.endswith("knowledge-base/_index.json")
    ]


def test_a_batch_gives_the_files_of_one_record_after_another(kb: Path, tmp_path: Path) -> None:
    requests = mixed(32)
    found = []
    for way in ("one commit", "one commit each", "one process each"):
        folder = tmp_path / way
        run_git(tmp_path, "clone", "-q", str(kb), str(folder))
        found.append(record_all(folder, requests, way))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) > 20


def test_versions_of_a_file_that_are_written_early_are_those_of_the_commits(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    requests = [Request("knowledge", f"Entry {number}", f"Text {number}.", {}, "one") for number in range(12)]
    trees = []
    for way, most in (("early", 0), ("late", 1 << 30)):
        monkeypatch.setattr(series, "Spill", partial(Spill, most=most))
        run_git(tmp_path, "clone", "-q", str(kb), way)
        record_all(tmp_path / way, requests, "one commit each")
        trees.append(run_git(tmp_path / way, "log", "--format=%T", "-12"))
    assert trees[0] == trees[1]
    assert len(set(trees[0].split("\n"))) == 12


def test_what_was_written_early_is_no_harm_where_the_series_fails(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(series, "Spill", partial(Spill, most=0))
    before = run_git(kb, "rev-parse", "HEAD")
    requests = [Request("knowledge", title, "Text.", {}, "one") for title in ("One", "Two", "Three", "One")]
    with pytest.raises(Conflict, match="record 4"):
        record_all(kb, requests, "one commit each")
    assert (run_git(kb, "rev-parse", "HEAD"), status(kb)) == (before, "")
    assert run_git(kb, "fsck", "--unreachable", "--no-progress").count("blob") > 2
    fsck(kb)


def lines(*records: dict[str, Any]) -> bytes:
    return "".join(json.dumps(record) + "\n" for record in records).encode()


def facts(count: int) -> list[dict[str, Any]]:
    return [
        {"kind": "memory", "title": f"Fact {number}", "scope": f"s{number % 7}", "body": "Text."}
        for number in range(count)
    ]


def refused(kb: Path, data: bytes, code: int) -> str:
    before = run_git(kb, "rev-parse", "HEAD")
    told = memgit(kb, "record", "--batch", "-", stdin=data, code=code).err
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == ""
    fsck(kb)
    return told


def test_a_bad_line_among_many_is_named_and_nothing_is_written(kb: Path) -> None:
    many = lines(*facts(600)).splitlines(keepends=True)
    many[450] = b'{"kind": "memory", "title": 5}\n'
    assert "-:451:" in refused(kb, b"".join(many), 2)
    many[450] = lines({"kind": "memory", "title": "Markers", "body": "<<<<<<< a\n=======\n>>>>>>> b"})
    assert "-:451: 'Markers'" in refused(kb, b"".join(many), 2)
    many[450] = lines({"kind": "knowledge", "title": "Open", "category": "web", "body": "```\ncode"})
    assert "-:451: 'Open'" in refused(kb, b"".join(many), 2)


@pytest.mark.parametrize(
    "record", [{"kind": "memory"}, {"kind": "knowledge", "category": "web"}], ids=["document", "entry"]
)
def test_two_lines_of_one_title(kb: Path, record: dict[str, Any]) -> None:
    two = lines({**record, "title": "Same", "body": "first"}, {**record, "title": "Same", "body": "second"})
    told = refused(kb, two, 1)
    assert "-:2: 'Same'" in told
    assert "the same operation records it" in told
    memgit(kb, "record", "--batch", "-", "--upsert", stdin=two)
    assert [found["title"] for found in memgit(kb, "list", "--json").json] == ["Same"]
    assert "second" in memgit(kb, "show", "Same").out
    assert status(kb) == ""


def test_a_title_that_a_category_has_already(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Known", "--category", "web", "-m", "text")
    told = refused(
        kb,
        lines(*({"kind": "knowledge", "title": title, "category": "web"} for title in ("New", "Known"))),
        1,
    )
    assert "-:2: 'Known'" in told
    assert "memgit update or extend" in told


def test_a_link_to_a_record_of_the_same_batch(kb: Path) -> None:
    both = lines(
        {"kind": "knowledge", "title": "One", "category": "web", "body": "text"},
        {
            "kind": "knowledge",
            "title": "Two",
            "category": "web",
            "body": "text",
            "related": ["knowledge/web#One"],
        },
        {"kind": "knowledge", "title": "Three", "category": "web", "body": "text"},
    )
    memgit(kb, "record", "--batch", "-", stdin=both)
    assert [found["title"] for found in memgit(kb, "list", "--json").json] == ["One", "Two", "Three"]
    assert memgit(kb, "show", "knowledge/web#One", "--json").json["related"]
    assert memgit(kb, "lint").code == 0


def test_keywords_of_a_record_of_the_batch_count_for_the_next_one(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Start", "--category", "ops", "--keywords", "queue", "-m", "text")
    memgit(
        kb,
        "record",
        "--batch",
        "-",
        stdin=lines(
            {"kind": "knowledge", "title": "Second", "keywords": ["Queue", "lag, drain"]},
            {"kind": "knowledge", "title": "Third", "keywords": ["drain"]},
            {"kind": "knowledge", "title": "Fourth", "keywords": ["other"]},
        ),
    )
    assert {
        found["title"]: found["address"].partition("#")[0] for found in memgit(kb, "list", "--json").json
    } == {
        "Start": "knowledge/ops",
        "Second": "knowledge/ops",
        "Third": "knowledge/ops",
        "Fourth": "knowledge/general",
    }


def test_a_category_is_not_read_again_for_each_record(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real, read = entry_file.take_apart, []

    def counting(text: str) -> EntryFile:
        read.append(len(text))
        return real(text)

    monkeypatch.setattr(entry_file, "take_apart", counting)
    records = [
        {"kind": "knowledge", "title": f"Title {number}", "keywords": ["queue"], "body": "- text"}
        for number in range(300)
    ]
    before = count_commits(kb)
    memgit(kb, "record", "--batch", "-", stdin=lines(*({**one, "category": "ops"} for one in records)))
    memgit(
        kb,
        "record",
        "--batch",
        "-",
        stdin=lines(*({**one, "title": f"{one['title']} again"} for one in records)),
    )
    assert count_commits(kb) == before + 2
    size = (kb / "knowledge-base/ops.md").stat().st_size
    assert sum(read) < 12 * size


def test_ids_are_looked_up_in_lots(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    taken = OverlayReader.taken

    def counting(self: OverlayReader, ids: Sequence[str]) -> set[str]:
        asked.append(len(ids))
        return taken(self, ids) | set(ids[:1])  # the first of each lot counts as taken

    monkeypatch.setattr(OverlayReader, "taken", counting)
    memgit(kb, "record", "--batch", "-", stdin=lines(*facts(100)))
    assert asked == [1, 2, 4, 8, 16, 32, 64]
    ids = [found["id"] for found in memgit(kb, "list", "--json").json]
    assert len(set(ids)) == 100


TOKEN = "the key AKIAQ3EGRZXNVLOYB4XQ"
MIXED = b'{"kind": "memory", "title": "One", "body": "x"}\n{"kind": "memory"\n\n' + lines(
    {"kind": "memory", "title": "Token", "body": TOKEN},
    {"kind": "decision", "title": "Odd", "body": "x", "status": "odd"},
    {"kind": "memory", "title": "Later", "body": "x", "date": "2999-01-01"},
    {"kind": "memory", "title": "Alone", "body": "x", "related": ["nosuch"]},
    {"kind": "memory", "title": "Two", "body": "y"},
)
WRONG = {2: "no JSON", 4: "AWS access key", 5: "not a status", 6: "future", 7: "'nosuch'"}


@pytest.mark.parametrize("each", [(), ("--each",)])
def test_each_fault_of_a_batch_is_named_by_the_line_of_the_input(kb: Path, each: tuple[str, ...]) -> None:
    for number, words in WRONG.items():
        line = MIXED.split(b"\n")[number - 1]
        data = MIXED.split(b"\n")[0] + b"\n\n" + line
        told = memgit(kb, "record", "--batch", "-", *each, stdin=data, code=None)
        assert told.code in (2, 3) and "-:3: " in told.err and words in told.err, told.err
        assert "memory/token.md" not in told.err and memgit(kb, "list").out == ""


@pytest.mark.parametrize("each", [(), ("--each",)])
def test_keep_going_records_the_rest_and_names_what_it_left(kb: Path, each: tuple[str, ...]) -> None:
    done = memgit(kb, "record", "--batch", "-", "--keep-going", "--json", *each, stdin=MIXED, code=1)
    assert {one["line"]: one["path"] for one in done.json["failed"]} == dict.fromkeys(WRONG, "-")
    assert all(words in done.err for words in WRONG.values())
    assert [one["title"] for one in memgit(kb, "list", "--json").json] == ["One", "Two"]
    assert len(done.json["written"]) == (2 if each else 1)
    assert status(kb) == "" and memgit(kb, "rebuild", "--check").code == 0
    nothing = memgit(
        kb, "record", "--batch", "-", "--keep-going", "--json", *each, stdin=b'{"kind": 1}\n', code=1
    )
    assert nothing.json["written"] == [] and len(nothing.json["failed"]) == 1
