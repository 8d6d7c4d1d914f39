"""Giving a workspace back: untouched records to the byte, everything else converted with a report, nothing
written over.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from memgit.app.adopt.export_folder import write_files
from memgit.errors import Refused
from tests.app.adopt.test_adopt import COUNTS, adopted, on_disk, write
from tests.support import memgit, run_git, status

OWN = {
    "mem-skill-1.1": "mem-skill",
    "mem-skill-1.2": "mem-skill",
    "auto-skill": "mem-skill",
    "vault": "vault",
    "mnema": "mnema",
}


def exported(folder: Path, dest: Path, *args: str) -> Any:
    return memgit(folder, "export", str(dest), "--json", *args).json


def records(folder: Path) -> list[tuple[str, str, str, str]]:
    """Kind, title, body and path of every record."""
    found = memgit(folder, "list", "--archived", "--json").json
    return sorted(
        (
            one["kind"],
            one["title"],
            memgit(folder, "show", one["address"], "--json").json["body"],
            one["path"],
        )
        for one in found
    )


@pytest.mark.parametrize("name", OWN)
def test_a_workspace_comes_back_as_it_was(
    name: str, workspace: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = workspace(name)
    disk = on_disk(folder)
    report = adopted(folder)["report"]
    done = exported(folder, tmp_path / "out")
    assert (done["system"], done["lost"], done["converted"], done["stripped"]) == (OWN[name], [], {}, 0)
    assert done["records"] == report["records"] + len(report["bare"])
    out = on_disk(tmp_path / "out")
    assert not {".memgit.yaml", ".gitattributes"} & set(out)
    derived = set(done["derived"])
    assert {path: data for path, data in out.items() if path not in derived} == {
        path: disk[path] for path in out if path not in derived
    }
    gone = {path for path in disk if path not in out}
    assert all(".obsidian/" in path or path == "NOTICE" for path in gone)
    assert adopted(tmp_path / "out")["report"]["kinds"] == COUNTS[name]
    again = exported(tmp_path / "out", tmp_path / "again")
    assert again["derived"] == [] and on_disk(tmp_path / "again") == out
    assert status(folder) == ""


@pytest.mark.parametrize("system", ["mem-skill", "vault", "mnema", "memgit"])
@pytest.mark.parametrize("name", ["mem-skill-1.2", "vault", pytest.param("mnema", marks=pytest.mark.slow)])
def test_every_record_gets_to_every_system(
    name: str, system: str, workspace: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = workspace(name)
    adopted(folder)
    done = exported(folder, tmp_path / "out", "--as", system)
    total = sum(COUNTS[name].values())
    assert (done["records"], done["lost"]) == (total, [])
    if system == "memgit":
        memgit(tmp_path, "init", "out", "--no-hooks")
        assert len(memgit(tmp_path / "out", "list", "--archived", "--json").json) == total
        memgit(tmp_path / "out", "rebuild", "--check")
    else:
        taken = adopted(tmp_path / "out")
        assert (
            taken["report"]["records"] == total
            and taken["report"]["unreadable"] == []
            and taken["derived"] == []
        )
    was = sorted(one["title"] for one in memgit(folder, "list", "--archived", "--json").json)
    assert (
        sorted(one["title"] for one in memgit(tmp_path / "out", "list", "--archived", "--json").json) == was
    )


def test_what_memgit_adds_goes_and_what_people_said_stays(kb: Path, tmp_path: Path) -> None:
    body = "Text.\n\n## Deep\n\nMore on [[shell#Quote]]."
    memgit(kb, "record", "knowledge", "Quote", "--category", "shell", "--keyword", "sh", "-m", "Quote it.")
    memgit(kb, "record", "memory", "Tide table", "--topic", "sea/tide", "-m", body, "--related", "Quote")
    memgit(kb, "record", "memory", "Ebb", "--topic", "sea", "-m", "See [[tide-table|the table]].")
    memgit(kb, "record", "decision", "Use ebb", "-m", "Because.")
    path = kb / "knowledge-base/shell.md"
    path.write_text("---\nname: Shell & Co\nkeywords: [sh, posix]\n---\n" + path.read_text())
    memgit(kb, "commit")
    done = exported(kb, tmp_path / "out", "--as", "mem-skill")
    assert (done["records"], done["stripped"], done["relinked"], done["converted"]) == (
        4,
        1,
        1,
        {"decision": 1, "memory": 2},
    )
    assert done["without_place"] == {"status": 1}
    out = {name: data.decode() for name, data in on_disk(tmp_path / "out").items()}
    shell, sea = out["knowledge-base/shell.md"], out["knowledge-base/sea.md"]
    assert "Id:" not in shell and not shell.startswith("---") and "**Related:** [[sea#Tide table]]" in shell
    assert (
        '"name": "Shell & Co"' in out["knowledge-base/_index.json"]
        and '"posix"' in out["knowledge-base/_index.json"]
    )
    assert "### Deep" in sea and "More on [[shell#Quote]]." in sea and "[[sea#Tide table|the table]]" in sea
    assert 'write | Recorded to knowledge-base/shell.md: "Quote"' in out["log.md"]
    assert set(out) == {
        "knowledge-base/_index.json",
        "knowledge-base/shell.md",
        "knowledge-base/sea.md",
        "knowledge-base/decisions.md",
        "experience/_index.json",
        "log.md",
    }
    assert adopted(tmp_path / "out")["report"]["records"] == 4
    assert memgit(tmp_path / "out", "lint", "--json", code=None).json["summary"]["errors"] == 0


def test_a_whole_memgit_repository_comes_back(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "knowledge", "Quote", "--category", "shell", "-m", "Quote it.")
    memgit(kb, "record", "memory", "Tide", "-m", "Text.")
    done = exported(kb, tmp_path / "out")
    assert done["derived"] == [] and done["stripped"] == 0
    disk = {path: data for path, data in on_disk(kb).items() if path != ".gitattributes"}
    assert on_disk(tmp_path / "out") == disk


def test_notes_keep_their_bytes_in_memgits_layout(repo: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "a/b.md": b"# A\r\n\r\nx",
        "notes/c.md": b"\xef\xbb\xbf# C\n",
        "odd \U0001f30a.md": b"---\ntitle: a: b\n---\n",
    }
    write(repo, files)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    assert "--as" in memgit(repo, "export", str(tmp_path / "none"), code=2).err
    assert exported(repo, tmp_path / "out", "--as", "memgit")["copied"] == 3
    out = on_disk(tmp_path / "out")
    assert out["notes/a/b.md"] == files["a/b.md"] and out["notes/c.md"] == files["notes/c.md"]
    assert out["notes/odd \U0001f30a.md"] == files["odd \U0001f30a.md"]
    done = exported(repo, tmp_path / "vault", "--as", "vault")
    assert done["records"] == 2 and [one["path"] for one in done["lost"]] == ["odd \U0001f30a.md"]


def test_as_of_a_commit_and_without_uncommitted_edits(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "knowledge", "One", "--category", "k", "-m", "x")
    memgit(kb, "record", "knowledge", "Two", "--category", "k", "-m", "y")
    (kb / "knowledge-base/k.md").write_text((kb / "knowledge-base/k.md").read_text() + "\nmine\n")
    assert exported(kb, tmp_path / "old", "--as", "mem-skill", "--at", "HEAD~1")["records"] == 1
    done = exported(kb, tmp_path / "new", "--as", "mem-skill")
    assert done["records"] == 2 and "uncommitted" in done["notes"][0]
    assert "mine" not in (tmp_path / "new/knowledge-base/k.md").read_text()
    assert "Two" not in (tmp_path / "old/log.md").read_text()


def test_nothing_is_written_over(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full/mine.txt").write_text("mine")
    assert "not an empty folder" in memgit(kb, "export", str(tmp_path / "full"), code=2).err
    assert on_disk(tmp_path / "full") == {"mine.txt": b"mine"}
    assert "inside" in memgit(kb, "export", str(kb / "sub"), code=2).err
    (tmp_path / "file").write_text("x")
    memgit(kb, "export", str(tmp_path / "file"), code=2)
    os.symlink(tmp_path / "elsewhere", tmp_path / "link")
    memgit(kb, "export", str(tmp_path / "link"), code=2)
    (tmp_path / "empty").mkdir()
    memgit(kb, "export", str(tmp_path / "empty"))
    memgit(kb, "export", str(tmp_path / "new/deep"))
    assert (tmp_path / "new/deep/.memgit.yaml").is_file() and (tmp_path / "empty/.memgit.yaml").is_file()


def test_names_that_the_disk_takes_for_one_leave_nothing_behind(tmp_path: Path) -> None:
    with pytest.raises(Refused):
        write_files(str(tmp_path / "out"), {"a/b": b"1", "a": b"2"})
    assert not (tmp_path / "out").exists()
    for path in ("../x", "a/../../x", ".git/config", "a/.GIT/hooks/x", "/etc/x", "a//b"):
        with pytest.raises(Refused, match="must not be written"):
            write_files(str(tmp_path / "out"), {path: b""})


WRITING = """\
import os, sys, time
from memgit.app.adopt import export_folder

def stop(*args, **options):
    print("ready", flush=True)
    time.sleep(60)

os.{stop} = stop
export_folder.write_files(sys.argv[1], {{"a/b.md": b"1", "c.md": b"2"}})
"""


@pytest.fixture
def stopped() -> Iterator[Callable[[Path, str], subprocess.Popen[bytes]]]:
    """Starts an export that stops in the middle; it is killed in the end."""
    started: list[subprocess.Popen[bytes]] = []

    def start(dest: Path, before: str) -> subprocess.Popen[bytes]:
        root = Path(__file__).resolve().parents[3]
        code = WRITING.format(stop=before)
        process = subprocess.Popen([sys.executable, "-c", code, str(dest)], stdout=subprocess.PIPE, cwd=root)
        started.append(process)
        assert process.stdout is not None and process.stdout.readline() == b"ready\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.wait()
        assert process.stdout is not None
        process.stdout.close()


@pytest.mark.parametrize("there", [False, True], ids=["new", "empty"])
@pytest.mark.parametrize("before", ["rename", "makedirs"])
def test_a_killed_export_leaves_no_half_of_one(
    kb: Path,
    tmp_path: Path,
    stopped: Callable[[Path, str], subprocess.Popen[bytes]],
    there: bool,
    before: str,
) -> None:
    dest = tmp_path / "x/out"
    dest.parent.mkdir()
    if there:
        dest.mkdir(mode=0o700)
    mine = dest.parent / ".memgit-export-mine"
    mine.mkdir()
    (mine / "keep").write_text("no marker: not of an export\n")
    home = dest if there else dest.parent
    process = stopped(dest, before)
    (work,) = [path for path in home.iterdir() if path.name.startswith(".memgit-export-") and path != mine]
    if there:
        memgit(kb, "export", str(dest), code=2)  # another one is being written
    process.kill()
    process.wait()
    assert work.is_dir() and not (dest / "a").exists() and not (dest / "c.md").exists()
    memgit(kb, "export", str(dest))
    assert (dest / ".memgit.yaml").is_file() and not work.exists()
    assert not [path for path in dest.iterdir() if path.name.startswith(".memgit-export")]
    assert (
        sorted(path.name for path in dest.parent.iterdir()) == [mine.name, "out"] and (mine / "keep").exists()
    )
    assert dest.stat().st_mode & 0o777 == (0o700 if there else 0o777 & ~umask())


def umask() -> int:
    now = os.umask(0)
    os.umask(now)
    return now


def test_two_exports_side_by_side(
    kb: Path, tmp_path: Path, stopped: Callable[[Path, str], subprocess.Popen[bytes]]
) -> None:
    """The work folder of one that lives is left alone."""
    stopped(tmp_path / "one", "rename")
    memgit(kb, "export", str(tmp_path / "two"))
    assert (tmp_path / "two/.memgit.yaml").is_file()
    (work,) = tmp_path.glob(".memgit-export-*")
    assert (work / "tree/a/b.md").read_bytes() == b"1"


def test_a_folder_that_comes_to_be_meanwhile_is_not_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rename = os.rename

    def late(source: str, target: str) -> None:
        (tmp_path / "out").mkdir()
        (tmp_path / "out/mine").write_text("x")
        rename(source, target)

    monkeypatch.setattr(os, "rename", late)
    with pytest.raises(Refused, match="came to be meanwhile"):
        write_files(str(tmp_path / "out"), {"a": b"1"})
    assert [path.name for path in tmp_path.iterdir()] == ["out"] and (
        tmp_path / "out/mine"
    ).read_text() == "x"


def test_an_interrupted_export_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []

    def interrupted(source: str, target: str) -> None:
        calls.append(target)
        if len(calls) == 2:
            raise KeyboardInterrupt
        os.replace(source, target)

    monkeypatch.setattr(os, "rename", interrupted)
    (tmp_path / "out").mkdir()
    with pytest.raises(KeyboardInterrupt):
        write_files(str(tmp_path / "out"), {"a/x": b"1", "b": b"2", "c": b"3"})
    assert list(tmp_path.rglob("*")) == [tmp_path / "out"]


def test_titles_that_meet_in_one_file_are_told_apart(repo: Path, tmp_path: Path) -> None:
    write(
        repo,
        {
            "x/a.md": "# Tide\n\none\n",
            "x/b.md": "# Tide\n\ntwo\n",
            "x/c.md": "# [a] | ]] #b\n\n```\n## not a heading\n```\n\n## h\n",
        },
    )
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-q", "-m", "x")
    adopted(repo)
    for system, kind in (("mem-skill", "knowledge"), ("vault", "memory"), ("mnema", "memory")):
        done = exported(repo, tmp_path / system, "--as", system)
        assert (done["records"], done["lost"]) == (3, [])
        adopted(tmp_path / system)
        found = records(tmp_path / system)
        assert len(found) == 3 and {one[0] for one in found} == {kind}
        assert {"one", "two"} <= {word for one in found for word in one[2].replace("-", " ").split()}


def test_beside_a_record_that_was_written_to_the_others_keep_every_byte(
    workspace: Callable[[str], Path], tmp_path: Path
) -> None:
    folder = workspace("mem-skill-1.2")
    before = on_disk(folder)
    adopted(folder)
    address = memgit(folder, "list", "knowledge", "--json").json[4]["address"]
    memgit(folder, "update", address, "--keyword", "ebb,flood")
    assert b"**Id:**" in b"".join(on_disk(folder).values())
    done = exported(folder, tmp_path / "out")
    out = on_disk(tmp_path / "out")
    changed = [
        path for path in out if out[path] != before[path] and path.endswith(".md") and path != "log.md"
    ]
    assert done["stripped"] == 1 and len(changed) == 1
    old, new = before[changed[0]].decode().split("\n"), out[changed[0]].decode().split("\n")
    added = [line for line in new if line not in old]
    assert sorted(line.partition(":")[0] for line in added) == ["**Keywords", "**Updated"]
    assert (
        out["log.md"].startswith(before["log.md"])
        and out["log.md"].count(b"\n") == before["log.md"].count(b"\n") + 1
    )


LINKS = {
    "vault": (
        ".memory/10-Memories/MEM-mem-a.md",
        "[[MEM-kay]] [[MEM-kay|x]] `[[c#Kay]]` [k](MEM-kay.md) ![[MEM-mem-b#Part|y]] [b](MEM-mem-b.md#part) "
        "[[MEM-mem-b]] [[nosuch]] [me](MEM-mem-a.md) [out](../img/a.png)",
    ),
    "mem-skill": (
        "knowledge-base/memories.md",
        "[[c#Kay]] [[c#Kay|x]] `[[c#Kay]]` [k](c.md#kay) ![[memories#Mem B|y]] [b](memories.md#mem-b) "
        "[[memories#Mem B]] [[nosuch]] [me](memories.md#mem-a) [out](../img/a.png)",
    ),
    "mnema": (
        ".mnema/memory/mem-a.md",
        "[[kay]] [[kay|x]] `[[c#Kay]]` [k](kay.md) ![[mem-b#Part|y]] [b](mem-b.md#part) "
        "[[mem-b]] [[nosuch]] [me](mem-a.md) [out](../img/a.png)",
    ),
}


@pytest.mark.parametrize("system", LINKS)
def test_links_of_every_form_follow_into_another_system(kb: Path, tmp_path: Path, system: str) -> None:
    memgit(kb, "record", "memory", "Mem B", "-m", "## Part\n\nText.")
    id_ = memgit(kb, "show", "mem-b", "--json").json["id"]
    memgit(kb, "record", "knowledge", "Kay", "--category", "c", "-m", "- [m](../memory/mem-b.md#part)")
    body = (
        f"[[c#Kay]] [[knowledge/c#Kay|x]] `[[c#Kay]]` [k](../knowledge-base/c.md#kay) ![[mem-b#Part|y]] "
        f"[b](mem-b.md#part) [[{id_}]] [[nosuch]] [me](mem-a.md) [out](../img/a.png)"
    )
    memgit(kb, "record", "memory", "Mem A", "-m", body)
    memgit(kb, "export", str(tmp_path / "out"), "--as", system)
    path, line = LINKS[system]
    assert f"{line}\n" in (tmp_path / "out" / path).read_text()


def test_a_link_that_cannot_follow_is_told(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Deep", "--scope", "a", "-m", "x")
    memgit(kb, "record", "memory", "Deep", "--scope", "b", "-m", "y")
    memgit(kb, "record", "note", "N", "-m", "[[a/deep]] [[b/deep]]")
    done = exported(kb, tmp_path / "out", "--as", "vault")
    text = (tmp_path / "out/.memory/10-Memories/MEM-n.md").read_text()
    assert "[[MEM-deep]]" in text and "[[MEM-deep-2]]" in text and done["notes"] == []
    memgit(kb, "record", "memory", "C | d", "--slug", "c", "-m", "x")
    memgit(kb, "update", "note/notes/n", "-m", "[[memory/c]]")
    done = exported(kb, tmp_path / "more", "--as", "mem-skill")
    assert len(done["notes"]) == 1 and "knowledge-base/notes.md:" in done["notes"][0]
    assert "C | d" in done["notes"][0]
