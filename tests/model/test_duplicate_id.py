"""One record in two places, and the command that makes one of it again."""

from __future__ import annotations

import shlex

from memgit.model.duplicate_id import is_twin, merging
from memgit.model.record import Record


def made(path: str, title: str = "Tides", kind: str = "memory", **fields: str) -> Record:
    return Record(
        kind, f"{kind}/{path}", f"{kind}/{path}.md", title, 1, 3, 0, {"id": "k7m2q9x4dz", **fields}, ""
    )


def test_a_moved_record_is_known_by_its_title() -> None:
    one = made("tides")
    assert is_twin(made("harbour/tides"), one)
    assert not is_twin(made("ebb", "Ebb"), one), "a copy that became another record"
    assert not is_twin(made("tides", kind="note"), one)
    assert not is_twin(made("tides"), one), "merge-records tells them apart by their addresses"
    assert not is_twin(made("old/tides", archived="2026-03-02"), one)


def test_the_command_can_be_typed_whatever_the_names() -> None:
    assert merging("memory/a", "memory/b", "memory/c") == "memgit merge-records memory/a memory/b memory/c"
    names = ["knowledge/web#It's $HOME; `x`", "knowledge/web#\n"]
    assert shlex.split(merging(*names, folder="my docs")) == [
        "memgit",
        "-C",
        "my docs",
        "merge-records",
        *names,
    ]
