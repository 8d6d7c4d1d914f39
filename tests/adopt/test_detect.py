"""What a folder is, from its file names and a glance: which system, where, and what is refused."""

from __future__ import annotations

import pytest

from memgit.adopt.detect import candidates, choose, without_project_files
from memgit.adopt.settings import configuration
from memgit.adopt.systems.system import Candidate
from memgit.app import config
from memgit.errors import BadInput, MemgitError, NotFound, Refused

KNOWLEDGE = b'{"lastUpdated": "2026-01-02", "version": "1.2.0", "categories": []}\n'
ENTRY = b"## A\n**Date:** 2026-01-02\n"
ADR = b"# 1. Use tides\n\n## Status\n\nAccepted\n"

Files = dict[str, bytes]


def found_in(files: Files, name: str = "folder") -> tuple[Candidate, ...]:
    return candidates(sorted(files), files.get, name)


def chosen(files: Files, wanted: str | None = None, name: str = "folder") -> Candidate:
    found = found_in(files, name)
    return choose(without_project_files(found, sorted(files)) if wanted is None else found, wanted)


CASES: tuple[tuple[Files, str, str], ...] = (
    ({"knowledge-base/_index.json": KNOWLEDGE, "README.md": b"# x\n"}, "mem-skill", ""),
    ({"data/knowledge-base/_index.json": KNOWLEDGE, "data/knowledge-base/a.md": ENTRY}, "mem-skill", "data/"),
    ({".self-improving/experience/skill-x.md": ENTRY}, "mem-skill", ".self-improving/"),
    ({"experience/skill-x.md": "## 🔧 甲\n**日期：** 2026-01-02\n".encode()}, "auto-skill", ""),
    ({".memory/10-Memories/MEM-a.md": b"# a\n", "code.md": b"# c\n"}, "vault", ".memory/"),
    ({"10-Memories/MEM-a.md": b"# a\n"}, "vault", ""),
    ({".mnema/backlog/DONE/K-1.md": b"---\nmnema:\n  key: K-1\n---\n"}, "mnema", ".mnema/"),
    ({"mnema.config.json": b"{}", "backlog/DONE/K-1.md": b"# x\n"}, "mnema", ""),
    ({"docs/adr/0001-tides.md": ADR, "README.md": b"# x\n", "src/a.py": b""}, "adr", "docs/adr/"),
    ({".adr-dir": b"doc/arch\n", "doc/arch/0001-tides.md": b"# 1. x\n"}, "adr", "doc/arch/"),
    ({"a/b.md": b"# b\n", ".obsidian/app.json": b"{}"}, "notes", ""),
    ({"0001-a.md": b"# a\n", "0002-b.md": b"# b\n"}, "notes", ""),
    ({"knowledge-base/how-to.md": b"# How to\n\nText.\n"}, "notes", ""),
)


@pytest.mark.parametrize(("files", "system", "base"), CASES)
def test_a_workspace_is_known_by_its_marks(files: Files, system: str, base: str) -> None:
    found = chosen(files)
    assert (found.system, found.folder, found.base) == (system, "", base)
    assert found.evidence and all(found.evidence)


@pytest.mark.parametrize(("files", "system", "base"), CASES)
def test_the_configuration_of_a_candidate_is_one_that_memgit_reads(
    files: Files, system: str, base: str
) -> None:
    found = chosen(files)
    layout = config.parse(configuration(found, old_log=["log.md@" + "a" * 40])).layout
    assert layout.base == (base if system not in ("adr", "notes") else "")
    assert config.parse(configuration(found, old_log=["log.md@" + "a" * 40])).old_log == (
        "log.md@" + "a" * 40,
    )
    records = [path for path in files if path.endswith(".md") and layout.find(path) is not None]
    assert bool(records) == any(path.endswith(".md") and path != "README.md" for path in files)


def test_decision_records_get_a_place_of_their_own_and_leave_the_rest_of_the_repository_alone() -> None:
    layout = config.parse(configuration(chosen(CASES[8][0]))).layout
    kinds = {
        path: found[0].kind
        for path in ("docs/adr/0001-tides.md", "docs/adr/README.md", "README.md")
        if (found := layout.find(path))
    }
    assert kinds == {"docs/adr/0001-tides.md": "decision", "docs/adr/README.md": "note"}


@pytest.mark.parametrize("folder", ['a "b" c/adr', "it's: odd/adr", "ünï/adr", "- x/adr"])
def test_a_folder_of_any_name_is_written_so_that_it_reads_back(folder: str) -> None:
    files = {f"{folder}/0001-tides.md": ADR}
    layout = config.parse(configuration(chosen(files))).layout
    place = layout.find(f"{folder}/0001-tides.md")
    assert place is not None and place[0].kind == "decision"


def test_several_workspaces_are_named_with_the_commands_that_choose() -> None:
    files = {".memory/10-Memories/MEM-a.md": b"# a\n", "knowledge-base/_index.json": KNOWLEDGE}
    with pytest.raises(BadInput) as error:
        chosen(files)
    assert (
        error.value.hint is not None
        and "--as vault" in error.value.hint
        and "--as mem-skill" in error.value.hint
    )
    assert chosen(files, "vault").system == "vault"


def test_a_workspace_further_down_is_named_with_its_folder() -> None:
    files = {"tools/skill/knowledge-base/_index.json": KNOWLEDGE, "docs/a.md": b"# a\n"}
    with pytest.raises(BadInput) as error:
        chosen(files)
    assert (
        error.value.hint is not None
        and "memgit adopt tools/skill/" in error.value.hint
        and "--as notes" in error.value.hint
    )
    with pytest.raises(BadInput, match="tools/skill/"):
        chosen(files, "mem-skill")


def test_decisions_among_much_other_markdown_are_not_chosen_by_themselves() -> None:
    with pytest.raises(BadInput, match="several"):
        chosen({"docs/adr/0001-tides.md": ADR, "docs/guide.md": b"# g\n"})


def test_a_second_pair_nested_by_accident_is_no_workspace_of_its_own() -> None:
    files = {"knowledge-base/_index.json": KNOWLEDGE, "knowledge-base/knowledge-base/_index.json": KNOWLEDGE}
    assert [one.system for one in found_in(files)] == ["mem-skill"]


@pytest.mark.parametrize(
    ("path", "data"),
    [
        (
            "knowledge-base/_index.json",
            b'{"version": "2.0", "knowledgeBase": [{"skill_id": "x", "title": "y"}]}',
        ),
        ("knowledge-base/_index.json", b'{"knowledge_bases": [], "last_updated": "2026-01-01"}'),
        (".memory/memory-index.json", b"[1, 2]"),
        (".memory/memory-index.json", b'{"memories": {}}'),
    ],
)
def test_another_tools_files_of_the_same_name_are_refused(path: str, data: bytes) -> None:
    files = {path: data, "a.md": b"# a\n"}
    with pytest.raises(Refused, match="another tool"):
        chosen(files)
    assert chosen(files, "notes").system == "notes"


def test_a_broken_index_is_no_reason_to_refuse() -> None:
    assert (
        chosen({"knowledge-base/_index.json": b'{"categories": [', "knowledge-base/a.md": ENTRY}).system
        == "mem-skill"
    )


def test_nothing_to_adopt_is_said() -> None:
    with pytest.raises(NotFound):
        chosen({"a.py": b""})
    with pytest.raises(MemgitError):
        chosen({"a.md": b"# a\n"}, "vault")
