"""`memgit edit`: the record's own text in the editor, one operation, nothing else of the file touched."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from memgit.app.write.edit import Opened
from memgit.formats.codecs import parse_file
from memgit.model.layout import memgit as layout
from tests.support import count_commits, examples, memgit, run_git, status, write

ENTRIES = "## Alpha\n**Date:** 2026-03-02\n**Best Practice:**\n- one\n\n---\n\n## Beta\n**Date:** 2026-03-02\n**Best Practice:**\n- two\n"


def editor(monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    """Sets an editor: Python that gets the text as `t` and leaves another one there."""
    script = f"import sys; p = sys.argv[1]; t = open(p, newline='').read(); {code}; open(p, 'w', newline='').write(t)"
    monkeypatch.setenv("GIT_EDITOR", f"{shlex.quote(sys.executable)} -c {shlex.quote(script)}")


@pytest.fixture(autouse=True)
def own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts that are kept are kept in the folder of the test."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))


@pytest.fixture
def entries(kb: Path) -> Path:
    write(kb, "knowledge-base/c.md", ENTRIES)
    write(kb, "notes/n.md", "# N\n\nSee [[c#Alpha]].\n")
    memgit(kb, "commit")
    return kb


def test_an_entry_is_opened_alone(entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = entries.parent / "seen"
    editor(monkeypatch, f"open({str(seen)!r}, 'w').write(t); t = t.replace('one', '1')")
    before = count_commits(entries)
    done = memgit(entries, "edit", "c#Alpha", "--reason", "digits", "--json").json
    assert seen.read_text() == "## Alpha\n**Date:** 2026-03-02\n**Best Practice:**\n- one\n"
    assert (done["op"], done["record"]["body"]) == ("update", "- 1")
    text = (entries / "knowledge-base/c.md").read_text()
    assert text.endswith(ENTRIES[ENTRIES.index("\n\n---") :]) and "**Updated:** " in text
    assert count_commits(entries) == before + 1 and status(entries) == ""
    assert "digits" in run_git(entries, "log", "-1", "--format=%B")


def test_a_new_title_is_a_rename_and_links_follow(entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    editor(monkeypatch, "t = t.replace('## Alpha', '## Gamma')")
    done = memgit(entries, "edit", "c#Alpha", "--json").json
    assert (done["op"], done["record"]["address"]) == ("rename", "knowledge/c#Gamma")
    assert "[[c#Gamma]]" in (entries / "notes/n.md").read_text() and status(entries) == ""


@pytest.mark.parametrize("code", ["pass", "t = t + '\\n'", "t = t.replace('\\n', '\\r\\n')"])
def test_unchanged_makes_no_commit(entries: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    editor(monkeypatch, code)
    before = count_commits(entries)
    assert memgit(entries, "edit", "c#Alpha", "--json").json["action"] == "no_op"
    assert count_commits(entries) == before and status(entries) == ""


@pytest.mark.parametrize(
    ("code", "exit_code", "said"),
    [
        ("t = ' \\n'", 2, "the text is empty"),
        ("t = t + '\\n## More\\n**Date:** 2026-03-02\\n'", 2, "not one record"),
        ("t = t.replace('## Alpha', 'Alpha')", 2, "not one record"),
        ("t = t + '\\n```\\n'", 2, "not one record"),
        ("t = t + '<<<<<<< ours\\na\\n=======\\nb\\n>>>>>>> theirs\\n'", 3, "conflict marker"),
        ("t = t + '- ghp_' + 'a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8'", 3, "GitHub"),
        ("t = t.replace('## Alpha', '## Beta')", 3, "MG005"),
        ("sys.exit(3)", 3, "the editor failed"),
        ("import os; os.unlink(sys.argv[1]); os._exit(0)", 3, "the editor took its file away"),
    ],
)
def test_what_cannot_be_written(
    entries: Path, monkeypatch: pytest.MonkeyPatch, code: str, exit_code: int, said: str, tmp_path: Path
) -> None:
    editor(monkeypatch, code)
    before = count_commits(entries)
    err = memgit(entries, "edit", "c#Alpha", code=exit_code).err
    assert said in err
    assert count_commits(entries) == before and status(entries) == ""
    kept = list(tmp_path.glob("alpha-*.md"))
    if said in ("the text is empty", "the editor failed", "the editor took its file away"):
        assert kept == []
    else:  # what was typed is not lost
        assert len(kept) == 1 and str(kept[0]) in err


def test_an_id_stays(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memgit(kb, "record", "memory", "Mem", "-m", "x")
    editor(monkeypatch, "t = t.replace('id: ', 'id: z')")
    assert "the id of a record stays" in memgit(kb, "edit", "mem", code=2).err


def test_observations_are_never_edited(kb: Path) -> None:
    memgit(kb, "record", "observation", "Flaky", "-m", "x")
    address = memgit(kb, "list", "observation", "--json").json[0]["address"]
    assert "never edited" in memgit(kb, "edit", address, code=3).err  # before the editor, which would fail


def test_a_forbidden_status_is_stopped(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memgit(kb, "record", "decision", "D", "-m", "x", "--status", "rejected")
    address = memgit(kb, "list", "decision", "--json").json[0]["address"]
    editor(monkeypatch, "t = t.replace('status: rejected', 'status: accepted')")
    assert "MG405" in memgit(kb, "edit", address, code=3).err


def test_uncommitted_edits_stay(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memgit(kb, "record", "memory", "Mem", "-m", "first\n\nmiddle\n\nlast")
    path = kb / "memory/mem.md"
    path.write_text(path.read_text().replace("last", "mine"))
    editor(monkeypatch, "t = t.replace('first', 'edited')")
    memgit(kb, "edit", "mem")
    assert "edited" in run_git(kb, "show", "HEAD:memory/mem.md")
    assert "mine" not in run_git(kb, "show", "HEAD:memory/mem.md")
    assert "edited" in path.read_text() and "mine" in path.read_text()
    editor(monkeypatch, "t = t.replace('last', 'other')")
    assert memgit(kb, "edit", "mem", code=3).err and "mine" in path.read_text()


def test_another_write_meanwhile(entries: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = f"import subprocess; subprocess.run([sys.executable, '-m', 'memgit', '-C', {str(entries)!r}, 'update', "
    editor(monkeypatch, f"{other}'c#Beta', '-m', '- 2'], check=True); t = t.replace('one', '1')")
    memgit(entries, "edit", "c#Alpha")
    text = (entries / "knowledge-base/c.md").read_text()
    assert "- 1" in text and "- 2" in text and status(entries) == ""
    editor(monkeypatch, f"{other}'c#Alpha', '-m', '- 3'], check=True); t = t.replace('- 1', '- 4')")
    assert "while you edited it" in memgit(entries, "edit", "c#Alpha", code=1).err


def test_without_a_terminal_and_an_editor_it_says_so(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memgit(kb, "record", "memory", "Mem", "-m", "x")
    for name in ("GIT_EDITOR", "VISUAL", "EDITOR"):
        monkeypatch.delenv(name, raising=False)
    assert "there is no editor" in memgit(kb, "edit", "mem", code=3).err
    run_git(kb, "config", "core.editor", "sed -i '$s/x/y/'")
    assert "updated memory/mem" in memgit(kb, "edit", "mem").out


TEXT = st.text(st.sampled_from("ab \n-*é`\r"), max_size=30)


@given(
    st.lists(TEXT, min_size=1, max_size=3), st.sampled_from(["\n", "\r\n"]), st.booleans(), TEXT, st.data()
)
@settings(max_examples=examples(60))
def test_only_the_lines_of_the_record_change(
    bodies: list[str], newline: str, bom: bool, new: str, data: st.DataObject
) -> None:
    sections = [f"## T{number}\n**Date:** 2026-03-02\n\n{body}" for number, body in enumerate(bodies)]
    whole = "\n\n".join(sections).replace("\r", "").replace("\n", newline) + data.draw(
        st.sampled_from(["", newline, newline * 3])
    )
    raw = (b"\xef\xbb\xbf" if bom else b"") + whole.encode()
    records = parse_file(layout(), "knowledge-base/c.md", raw).records
    record = data.draw(st.sampled_from(records))
    opened = Opened(record, raw, record.line - 1, record.end_line)
    assert opened.holding(opened.text) == raw
    made = opened.holding(opened.text + new)
    lines = raw.split(b"\n")
    assert made.startswith(b"".join(line + b"\n" for line in lines[: record.line - 1]))
    assert made.endswith(b"\n".join(lines[record.end_line :]))
