"""The generated repository is one that memgit could have made: sound for git, readable, with the derived
files that its tree gives.
"""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from benchmarks import generate
from memgit.derive import derive_all
from memgit.formats.codecs import parse_file
from memgit.formats.messages import message
from tests.support import run_git

RECORDS = 300


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One repository for all tests here: they only read it."""
    folder = tmp_path_factory.mktemp("made") / "repo"
    generate.generate(folder, RECORDS)
    return folder


def files(folder: Path) -> dict[str, bytes]:
    names = run_git(folder, "ls-files", "-z").split("\0")
    return {name: (folder / name).read_bytes() for name in names if name}


def test_git_finds_it_sound(made: Path) -> None:
    assert run_git(made, "fsck", "--strict", "--no-dangling") == ""
    assert run_git(made, "status", "--porcelain") == ""


def test_every_record_is_one_commit_and_every_tenth_commit_a_change(made: Path) -> None:
    facts = json.loads((made / ".git" / "benchmark.json").read_text())
    blocks = [
        message.parse(text).blocks
        for text in run_git(made, "log", "-z", "--format=%B").split("\0")
        if text.strip()
    ]
    assert all(len(found) == 1 for found in blocks)
    ops = Counter(found[0].op for found in blocks)
    assert ops["init"] == 1
    assert ops["record"] == RECORDS
    assert sum(ops.values()) == facts["commits"] == 1 + RECORDS + RECORDS // generate.EVERY
    assert {"update", "extend", "archive", "rename"} <= set(ops)


def test_every_file_reads_back(made: Path) -> None:
    parsed = {path: parse_file(generate.LAYOUT, path, data) for path, data in files(made).items()}
    assert [(path, found.problems) for path, found in parsed.items() if found.problems] == []
    records = [record for found in parsed.values() for record in found.records]
    assert len(records) == RECORDS
    assert {record.kind for record in records} == set(generate.MIX)
    assert len({record.id for record in records}) == RECORDS
    assert any(record.archived for record in records)
    facts = json.loads((made / ".git" / "benchmark.json").read_text())
    named = {(one["address"], one["path"]) for found in facts["some"].values() for one in found}
    assert named <= {(record.address, record.path) for record in records if not record.archived}


def test_the_derived_files_are_those_of_the_tree(made: Path) -> None:
    tree = generate.Files()
    for path, data in files(made).items():
        tree.put(path, data)
    assert {path: data for path, data in derive_all(tree).items() if data != tree.data(path)} == {}


def test_the_same_arguments_give_the_same_commits(made: Path, tmp_path: Path) -> None:
    generate.generate(tmp_path / "again", RECORDS, checkout=False)
    assert run_git(tmp_path / "again", "rev-parse", "main") == run_git(made, "rev-parse", "main")
    generate.generate(tmp_path / "other", RECORDS, seed=8, checkout=False)
    assert run_git(tmp_path / "other", "rev-parse", "main") != run_git(made, "rev-parse", "main")
