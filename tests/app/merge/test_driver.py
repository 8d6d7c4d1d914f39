"""The merge driver on files: whatever goes wrong, there is a merge by lines, and nothing is half written."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.app.adopt.init import attributes
from memgit.app.config import make_layout
from memgit.app.merge.driver import merge_one, merge_paths
from memgit.git.setup import DRIVER, MARKED
from tests.support import memgit, run_git

ENTRY = "## {title}\n**Date:** 2026-01-01\n**Context:** about {title}\n- text\n"
INDEX = (
    '{\n  "categories": [\n    {\n      "id": "web",\n      "file": "web.md",\n      "count": COUNT\n    '
    "}\n  ]\n}\n"
)


def sides(folder: Path, base: bytes, ours: bytes, theirs: bytes) -> tuple[str, str, str]:
    out = []
    for name, data in zip((".merge_base", ".merge_ours", ".merge_theirs"), (base, ours, theirs), strict=True):
        (folder / name).write_bytes(data)
        out.append(str(folder / name))
    return out[0], out[1], out[2]


def entries(*titles: str) -> bytes:
    return "\n".join(ENTRY.format(title=title) for title in titles).encode()


def test_records_and_indexes(kb: Path) -> None:
    names = sides(kb, entries("A"), entries("A", "B"), entries("A", "C"))
    assert merge_paths(*names, "knowledge-base/web.md", ("ours", "theirs"), os.environ, str(kb)) == ((), "")
    assert Path(names[1]).read_bytes() == entries("A", "B", "C")
    names = sides(kb, *(INDEX.replace("COUNT", count).encode() for count in "123"))
    assert merge_paths(*names, "knowledge-base/_index.json", ("ours", "theirs"), os.environ, str(kb)) == (
        (),
        "",
    )
    assert Path(names[1]).read_text() == INDEX.replace("COUNT", "4")


def test_a_root_in_a_folder_and_a_folder_that_is_not_there(repo: Path) -> None:
    memgit(repo, "init", str(repo / "docs/kb"))
    names = sides(repo, entries("A"), entries("A", "B"), entries("A", "C"))
    assert merge_paths(
        *names, "docs/kb/knowledge-base/deep/er/web.md", ("a", "b"), os.environ, str(repo)
    ) == ((), "docs/kb")
    assert Path(names[1]).read_bytes().count(b"## ") == 3


def test_what_cannot_be_written_stays_as_it_was(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    names = sides(tmp_path, b"a\n", b"b\n", b"a\nc\n")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device", "x")

    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(OSError, match="No space left"):
        merge_paths(*names, "x.md", ("ours", "theirs"), os.environ, str(tmp_path))
    assert Path(names[1]).read_bytes() == b"b\n"
    assert sorted(os.listdir(tmp_path)) == [".merge_base", ".merge_ours", ".merge_theirs"]
    assert (
        memgit(tmp_path, "merge-driver", names[0], names[1], str(tmp_path / "gone"), "x.md", code=3).out == ""
    )


def test_the_command_names_what_conflicts(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(kb)
    text = entries("A")
    names = sides(kb, text, text.replace(b"- text", b"- mine"), text.replace(b"- text", b"- yours"))
    answer = memgit(
        kb,
        "merge-driver",
        "--ours-name",
        "%X",
        "--theirs-name",
        "topic",
        *names,
        "knowledge-base/web.md",
        code=MARKED,
    )
    assert answer.err.startswith("memgit: knowledge-base/web.md:4: both sides changed")
    assert b"<<<<<<< ours\n- mine\n=======\n- yours\n>>>>>>> topic\n" in Path(names[1]).read_bytes()


def test_another_record_is_not_merged_into_one() -> None:
    layout = make_layout("memgit")
    one, other = (
        f"---\nid: {id_}\ntitle: {id_}\n---\n\nText.\n".encode() for id_ in ("aaaaaaaaaa", "bbbbbbbbbb")
    )
    changed = one.replace(b"Text.", b"Other text.")
    for ours, theirs in ((other, changed), (changed, other)):
        result = merge_one(layout, "memory/x.md", one, ours, theirs)
        assert result.data == other
        assert [found.message[:28] for found in result.conflicts] == ["git took record aaaaaaaaaa f"]
    assert (
        merge_one(
            layout, "memory/x.md", one, one.replace(b"id: a", b"id: c"), one.replace(b"id: a", b"id: c")
        ).conflicts
        == ()
    )


@pytest.mark.parametrize("name", ["memgit", "mem-skill", "vault", "mnema", "notes"])
def test_git_asks_the_driver_for_every_record_and_derived_file(repo: Path, name: str) -> None:
    layout = make_layout(name)
    (repo / ".gitattributes").write_bytes(attributes(None, layout))
    paths = {
        "memgit": [
            "knowledge-base/a.md",
            "knowledge-base/b/c.md",
            "knowledge-base/_index.json",
            "experience/_index.json",
            "INDEX.md",
            "memory/INDEX.md",
            "memory/x/INDEX.md",
            "decisions/INDEX.md",
        ],
        "mem-skill": ["knowledge-base/a.md", "knowledge-base/_index.json", "INDEX.md"],
        "vault": [
            ".memory/10-Memories/MEM-a.md",
            ".memory/10-Memories/README.md",
            ".memory/memory-index.json",
            ".memory/20-Indices/index.md",
        ],
        "mnema": [".mnema/memory/a.md", ".mnema/memory/INDEX.md", ".mnema/memory/notes/INDEX.md"],
        "notes": ["a.md", "b/c.md"],
    }[name]
    for path in paths:
        assert run_git(repo, "check-attr", "merge", "--", path) == f"{path}: merge: memgit"
    assert run_git(repo, "check-attr", "merge", "--", "src/code.py") == "src/code.py: merge: unspecified"


def test_the_hooks_bring_the_driver(kb: Path) -> None:
    run_git(kb, "config", "--remove-section", "merge.memgit")
    memgit(kb, "hooks", "install", code=None)
    assert run_git(kb, "config", DRIVER).endswith("|| exit 1;; esac")
