"""Who writes a link to nothing is told at once, in the words of MG201, and what was written stays written."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import Prepared, memgit, run_git, status

BROKEN = '"Beta": [[Alpha]] is unresolved: no record answers to it; did you mean [[web#Alpha]]? (MG201)\n'


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    return prepared("kb", with_records)


def with_records(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Alpha", "--category", "web", "-m", "first")
    memgit(kb, "record", "note", "Plain page", "-m", "## Part\n\ntext")


def warned(err: str) -> list[str]:
    return [line for line in err.splitlines() if "(MG201)" in line]


def test_recording_a_link_to_nothing_warns(kb: Path) -> None:
    done = memgit(kb, "record", "knowledge", "Beta", "--category", "web", "-m", "See [[Alpha]].")
    assert done.err.startswith("memgit: knowledge-base/web.md:") and done.err.endswith(BROKEN)
    line = int(done.err.split(":")[2])
    assert "[[Alpha]]" in (kb / "knowledge-base/web.md").read_text().split("\n")[line - 1]
    (finding,) = memgit(kb, "lint", "--select", "MG201", "--json", code=1).json["findings"]
    assert f"{finding['path']}:{finding['line']}: {finding['message']} (MG201)" in done.err
    assert status(kb) == ""


@pytest.mark.parametrize(
    "text",
    [
        "[[web#Alpha]]",
        "[[plain-page]]",
        "[[plain-page#Part]]",
        "[[knowledge/web#Alpha|label]]",
        "`[[nope]]`",
        "if [[ -n $x ]]; then",
        "<!-- [[nope]] -->",
        "```\n[[nope]]\n```",
        "[[nope]] <!-- memgit: allow MG201 -->",
        "no link",
    ],
)
def test_what_leads_somewhere_or_is_no_link_is_not_told_of(kb: Path, text: str) -> None:
    assert memgit(kb, "record", "note", "Beta", "-m", text).err == ""
    assert memgit(kb, "record", "knowledge", "Beta", "--category", "web", "-m", text).err == ""


def test_updating_and_extending_tell_of_new_lines_alone(kb: Path) -> None:
    memgit(kb, "record", "note", "Beta", "-m", "See [[gone]].")
    assert warned(memgit(kb, "extend", "beta", "-m", "Nothing new.").err) == []
    assert len(warned(memgit(kb, "extend", "beta", "-m", "See [[Alpha]].").err)) == 1
    done = memgit(kb, "update", "beta", "-m", "See [[gone]] and [[nope#part]].", "--json")
    assert [line.split('": ')[1].split(" is unresolved")[0] for line in warned(done.err)] == [
        "[[gone]]",
        "[[nope#part]]",
    ]
    assert done.json["action"] == "updated"
    assert memgit(kb, "archive", "beta").err == "", "it wrote no text"


def test_decisions_that_a_decision_names(kb: Path) -> None:
    memgit(kb, "record", "decision", "One", "--slug", "20260101-one", "-m", "x")
    args = ("record", "decision", "Two", "-m", "x", "--supersedes", "20260101-one")
    assert memgit(kb, *args).err == ""
    names = ("--supersedes", "20260101-one", "--supersedes", "One")
    done = memgit(kb, "record", "decision", "Three", "-m", "x", *names, "--json")
    assert done.err == "" and done.json["record"]["fields"]["supersedes"] == ["decision/20260101-one"]


@pytest.mark.parametrize("how", ["--one-commit", "--each"])
def test_a_batch_may_link_to_what_it_brings(kb: Path, how: str) -> None:
    rows = [
        {
            "kind": "knowledge",
            "title": "One",
            "category": "new",
            "body": "[[new#Two]] [[two-page]] [[new#Three]]",
        },
        {"kind": "knowledge", "title": "Two", "category": "new", "body": "[[One]]"},
        {"kind": "note", "title": "Two page", "body": "[[new#One]]"},
    ]
    done = memgit(kb, "record", "--batch", "-", how, stdin="\n".join(map(json.dumps, rows)).encode())
    assert [line.partition(": ")[2].split(": ", 1)[1] for line in warned(done.err)] == [
        '"One": [[new#Three]] is unresolved: knowledge-base/new.md has no entry "Three" (MG201)',
        '"Two": [[One]] is unresolved: no record answers to it; did you mean [[new#One]]? (MG201)',
    ]


def test_many_are_counted(kb: Path) -> None:
    done = memgit(kb, "record", "note", "Beta", "-m", "\n".join(f"[[nope {number}]]" for number in range(30)))
    assert len(warned(done.err)) == 5 and done.err.endswith(
        "and 25 more of MG201: memgit lint --select MG201\n"
    )


def test_where_the_rule_is_off_nothing_is_told(kb: Path) -> None:
    config = kb / ".memgit.yaml"
    config.write_text(config.read_text() + "lint:\n  ignore: [broken-link]\n")
    assert memgit(kb, "record", "note", "Beta", "-m", "[[nope]]").err == ""


def test_staging_and_proposing_tell_too(kb: Path) -> None:
    assert len(warned(memgit(kb, "record", "note", "Beta", "-m", "[[nope]]", "--stage").err)) == 1
    run_git(kb, "commit", "-qnm", "x")
    memgit(kb, "propose", "--branch", "topic", "--", "record", "note", "Gamma", "-m", "text")
    done = memgit(
        kb, "propose", "--branch", "topic", "--", "record", "note", "Delta", "-m", "[[gamma]] [[GAMMA]]"
    )
    assert len(warned(done.err)) == 1 and "did you mean [[gamma]]?" in done.err


def test_ingesting_tells_too(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "guide.md").write_text("# Guide\n\nIf `502` stays, run `make restart` and read [[nope]].\n")
    done = memgit(kb, "ingest", str(tmp_path / "guide.md"), "--yes")
    assert warned(done.err) == [] and "the link to nope is unresolved in the knowledge root" in done.err
    assert "read nope" in memgit(kb, "show", "Guide").out


def test_a_line_that_the_file_had_already_is_told_of_in_a_new_record(kb: Path) -> None:
    for title in ("Beta", "Gamma", "Delta"):
        done = memgit(kb, "record", "knowledge", title, "--category", "web", "-m", "See [[nope]].")
        assert [line.partition(": ")[2].split(": ", 1)[1] for line in warned(done.err)] == [
            f'"{title}": [[nope]] is unresolved: no record answers to it (MG201)'
        ]
    assert warned(memgit(kb, "update", "Gamma", "-m", "See [[nope]].\n\nMore.").err) == []


def test_a_page_or_image_beside_the_records_is_no_fault(kb: Path) -> None:
    (kb / "notes/img").mkdir()
    (kb / "notes/img/Tide chart.png").write_bytes(b"png")
    (kb / "README.md").write_text("# Read me\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "x")
    assert (
        memgit(
            kb, "record", "note", "Beta", "-m", "![[Tide chart.png]] ![[img/Tide chart.png]] [[README]]"
        ).err
        == ""
    )
    (line,) = warned(memgit(kb, "record", "note", "Gamma", "-m", "[[Readme]]").err)
    assert "did you mean [[README]]?" in line


@pytest.mark.parametrize("link", ["readme", "NOTES/ReadMe", "CAFÉ", "cafe\u0301.md", "2026/PLAN"])
def test_of_several_spellings_the_same_is_meant_everywhere(kb: Path, link: str) -> None:
    """A writer, a run over a change and one over everything look files up in three ways."""
    for path in (
        "notes/a/README.md",
        "notes/Readme.md",
        "README.md",
        "notes/Cafe\u0301.md",
        "notes/2026/plan.md",
        "notes/2027/Plan.md",
    ):
        (kb / path).parent.mkdir(parents=True, exist_ok=True)
        (kb / path).write_text("# Page\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "x")
    (line,) = warned(memgit(kb, "record", "note", "Beta", "-m", f"[[{link}]]").err)
    assert "did you mean [[" in line
    (whole,) = memgit(kb, "lint", "--select", "MG201", "--json", code=None).json["findings"]
    (changed,) = memgit(kb, "lint", "--select", "MG201", "--since", "HEAD~1", "--json", code=None).json[
        "findings"
    ]
    assert whole["message"] == changed["message"] == line.split(": ", 2)[2].removesuffix(" (MG201)")


@pytest.mark.parametrize("lines", ["ignore: [from-another-package]", "select: 7\n  what: x"])
def test_a_configuration_that_lint_will_not_take_stops_nobody_who_writes(kb: Path, lines: str) -> None:
    config = kb / ".memgit.yaml"
    config.write_text(f"{config.read_text()}lint:\n  {lines}\n")
    assert len(warned(memgit(kb, "record", "note", "Beta", "-m", "[[nope]]").err)) == 1
    memgit(kb, "lint", code=2)


def test_telling_loads_no_other_rule(kb: Path) -> None:
    """Each of them costs every writer of a broken link some milliseconds."""
    code = (
        "import sys; from memgit.cli.start import run\n"
        f"run(['-C', {str(kb)!r}, 'record', 'note', 'Beta', '-m', '[[nope]]'])\n"
        "print([name for name in sys.modules if name.startswith('memgit.lint.rules.mg')])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert (
        "(MG201)" in done.stderr and done.stdout.splitlines()[-1] == "['memgit.lint.rules.mg201_broken_link']"
    )


@pytest.mark.parametrize("link", ["[[{}]]", "[[web#{}]]", "[[#{}]]", "[[a|{}]]", "[[{}|label]]"])
@pytest.mark.parametrize("size", [1, 150, 400, 5_000, 300_000])
def test_a_long_link_makes_a_short_line(kb: Path, link: str, size: int) -> None:
    found = warned(memgit(kb, "record", "note", "Beta", "-m", link.format("b" * size)).err)
    assert len(found) == (size < 1_000) and all(len(line) < 500 for line in found)


def test_control_characters_in_a_link_are_shown_and_not_sent(kb: Path) -> None:
    (line,) = warned(memgit(kb, "record", "note", "Beta", "-m", "[[\x07bell\x1b]]").err)
    assert line.isprintable()
