"""`memgit doctor`: each check finds its trouble, and the command that it names fixes it."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
from pathlib import Path
from typing import Any

import pytest

from memgit.app import doctor
from memgit.app.doctor import CHECKS
from memgit.git.repository import Repository
from memgit.git.worktree.unmerged import Stages, unmerged
from tests.support import commit, memgit, run_git, write


@pytest.fixture(autouse=True)
def memgit_on_path(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program called memgit on PATH, for the merge driver."""
    folder = tmp_path_factory.mktemp("bin")
    (folder / "memgit").write_text("#!/bin/sh\nexit 0\n")
    (folder / "memgit").chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def troubles(folder: Path) -> list[dict[str, Any]]:
    answer = memgit(folder, "doctor", "--json", code=None)
    found: list[dict[str, Any]] = answer.json["troubles"]
    assert answer.json["ok"] is all(row["advice"] for row in found)
    assert answer.code == (0 if answer.json["ok"] else 1)
    return found


def only(folder: Path, check: str) -> dict[str, Any]:
    found = troubles(folder)
    assert [row["check"] for row in found] == [check], found
    return found[0]


def carry_out(folder: Path, command: str) -> None:
    """Types the command that was named."""
    for part in command.split(" && "):
        words = shlex.split(part)
        if words[0] == "memgit":
            memgit(folder, *words[1:])
        else:
            subprocess.run(words, cwd=folder, check=True, capture_output=True)


def test_a_sound_clone(kb: Path) -> None:
    assert memgit(kb, "doctor").out == f"nothing is wrong ({len(CHECKS)} checks)\n"
    assert memgit(kb, "doctor", "--json").json == {"ok": True, "troubles": [], "checked": list(CHECKS)}


def test_git_is_asked_for_conflicts_once(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def ask(repo: Repository) -> dict[str, Stages]:
        asked.append(repo.prefix)
        return unmerged(repo)

    monkeypatch.setattr(doctor, "unmerged", ask)
    memgit(kb, "record", "memory", "Tides", "-m", "x", "--slug", "tides")
    (kb / "memory/ebb.md").write_bytes((kb / "memory/tides.md").read_bytes())
    run_git(kb, "add", "memory/ebb.md")
    assert {row["check"] for row in troubles(kb)} == {"ids", "derived"}
    assert asked == [""]


def test_text_names_trouble_and_mend(kb: Path) -> None:
    run_git(kb, "config", "--unset", "merge.memgit.driver")
    assert memgit(kb, "doctor", code=1).out == (
        "merge-driver: the merge driver that .gitattributes names is not configured in this clone\n  "
        "fix: memgit init\nmemgit doctor --fix runs memgit init\n"
    )


def test_a_clone_without_the_merge_driver(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(kb), "clone")
    found = [row for row in troubles(tmp_path / "clone") if not row["advice"]]
    assert [row["check"] for row in found] == ["merge-driver"]
    carry_out(tmp_path / "clone", found[0]["command"])
    assert not [row for row in troubles(tmp_path / "clone") if not row["advice"]]


def test_a_merge_driver_whose_program_is_gone(kb: Path) -> None:
    run_git(kb, "config", "merge.memgit.driver", "/nowhere/memgit merge-driver %O %A %B %P")
    assert "/nowhere/memgit" in only(kb, "merge-driver")["message"]


def test_missing_attributes(kb: Path) -> None:
    (kb / ".gitattributes").write_text("*.png binary\n")
    row = only(kb, "attributes")
    assert row["path"] == ".gitattributes"
    run_git(kb, "commit", "-qam", "lost")
    carry_out(kb, row["command"])
    assert troubles(kb) == []


def test_a_configuration_that_cannot_be_read(kb: Path) -> None:
    (kb / ".memgit.yaml").write_text("layout: nothing\n")
    row = only(kb, "configuration")
    assert (row["path"], "nothing" in row["message"]) == (".memgit.yaml", True)


def test_a_key_that_means_nothing(kb: Path) -> None:
    text = (kb / ".memgit.yaml").read_text()
    write(kb, ".memgit.yaml", f"{text}lnit:\n  ignore: [MG302]\nzzzz: 1\n")
    commit(kb)
    found = memgit(kb, "doctor", "--json").json
    assert found["ok"]
    lines = len(text.splitlines())
    assert [(one["line"], one["command"]) for one in found["troubles"]] == [
        (lines + 1, "call it lint"),
        (lines + 3, "delete it, or see docs/configuration.md"),
    ]


def test_no_identity(kb: Path, private_home: Path) -> None:
    (private_home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    assert "user.name" in only(kb, "identity")["command"]


def test_no_repository(tmp_path: Path) -> None:
    row = only(tmp_path, "repository")
    assert row["command"] == "memgit init"
    assert memgit(tmp_path / "nowhere", "doctor", code=2).err


def test_an_old_git(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "old").mkdir()
    real = next(
        f"{folder}/git"
        for folder in os.environ["PATH"].split(os.pathsep)
        if os.access(f"{folder}/git", os.X_OK)
    )
    (tmp_path / "old/git").write_text(
        f'#!/bin/sh\n[ "$1" = --version ] && echo git version 2.17.1 && exit\nexec {real} "$@"\n'
    )
    (tmp_path / "old/git").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}/old{os.pathsep}{os.environ['PATH']}")
    row = only(kb, "git")
    assert "2.17.1 is too old" in row["message"]
    assert "2.30" in row["command"]


def test_drifted_derived_files(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    (kb / "memory/INDEX.md").unlink()
    row = only(kb, "derived")
    assert (row["path"], row["command"]) == ("memory/INDEX.md", "memgit rebuild")
    carry_out(kb, row["command"])
    assert troubles(kb) == []


def test_a_derived_file_that_only_a_person_can_mend(kb: Path) -> None:
    (kb / "INDEX.md").write_text(
        (kb / "INDEX.md").read_text().replace("<!-- memgit: end of generated part -->", "")
    )
    row = only(kb, "derived")
    assert (row["path"], row["line"]) == ("INDEX.md", 3)
    assert row["command"].startswith("edit the file")


def test_a_shallow_clone(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{kb}", "clone")
    memgit(tmp_path / "clone", "init")
    found = [row for row in troubles(tmp_path / "clone") if not row["advice"]]
    assert [row["check"] for row in found] == ["history"]
    carry_out(tmp_path / "clone", found[0]["command"])
    assert not [row for row in troubles(tmp_path / "clone") if not row["advice"]]
    assert memgit(tmp_path / "clone", "rebuild", "--json").json["complete"] is True


def test_a_partial_clone(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    memgit(kb, "update", "tides", "-m", "Four times a day.")
    run_git(kb, "config", "uploadpack.allowFilter", "true")
    run_git(kb, "config", "uploadpack.allowAnySHA1InWant", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", f"file://{kb}", "clone")
    clone = tmp_path / "clone"
    memgit(clone, "init")
    found = [row for row in troubles(clone) if not row["advice"]]
    assert [row["check"] for row in found] == ["history"]
    carry_out(clone, found[0]["command"])
    assert not [row for row in troubles(clone) if not row["advice"]]
    run_git(clone, "remote", "set-url", "origin", "/nowhere")
    assert run_git(clone, "fsck", "--connectivity-only", "--no-dangling") == ""
    assert memgit(clone, "rebuild", "--json").json["complete"] is True


def test_an_unusable_cache(kb: Path) -> None:
    memgit(kb, "list")
    for path in (kb / ".git/memgit").iterdir():
        path.unlink()
    (kb / ".git/memgit").rmdir()
    (kb / ".git/memgit").write_text("in the way")
    assert only(kb, "cache")["check"] == "cache"


def test_two_files_that_claim_one_id(kb: Path) -> None:
    record = memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.", "--json").json["record"]
    (kb / "memory/copy.md").write_bytes((kb / "memory/tides.md").read_bytes())
    memgit(kb, "rebuild")
    row = only(kb, "ids")
    assert record["id"] in row["message"]
    assert {row["path"], row["message"].split()[-1].partition(":")[0]} == {
        "memory/copy.md",
        "memory/tides.md",
    }


def test_unreadable_files_are_named(kb: Path) -> None:
    (kb / "memory").mkdir(exist_ok=True)
    (kb / "memory/latin.md").write_bytes(b"---\ntitle: caf\xe9\n---\n")
    (kb / "memory/torn.md").write_text('---\ntitle: "open\n---\n\nText.\n')
    memgit(kb, "rebuild")
    found = troubles(kb)
    assert {row["check"] for row in found} == {"unreadable"}
    assert {row["path"] for row in found} == {"memory/latin.md", "memory/torn.md"}


def test_a_stale_lock_is_named_with_its_age(kb: Path) -> None:
    lock = kb / ".git/index.lock"
    lock.touch()
    assert troubles(kb) == []
    past = lock.stat().st_mtime - 7200
    os.utime(lock, (past, past))
    row = only(kb, "locks")
    assert "2 hours old" in row["message"]
    carry_out(kb, row["command"].removeprefix("if no git is running: "))
    assert troubles(kb) == []


def test_an_interrupted_write(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    work = kb / ".git/memgit/work.99999"
    work.mkdir()
    note = {
        "version": 1,
        "pid": 99999,
        "stage": False,
        "hooks": False,
        "ref": "refs/heads/main",
        "commit": None,
        "work": str(work),
    }
    note["steps"] = []
    (kb / ".git/memgit/journal.json").write_text(json.dumps(note))
    row = only(kb, "interrupted")
    assert "99999" in row["message"]
    memgit(kb, "rebuild")
    assert troubles(kb) == []


def test_usage_that_is_not_fetched_is_advice(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    run_git(tmp_path, "clone", "-q", str(kb), "clone")
    clone = tmp_path / "clone"
    memgit(clone, "init")
    memgit(clone, "use", "tides")
    row = only(clone, "usage")
    assert row["advice"] is True
    assert "advice usage" in memgit(clone, "doctor").out
    memgit(kb, "use", "tides")
    run_git(clone, "push", "-q", "origin", "refs/memgit/usage/*")
    memgit(clone, "use", "tides")  # now the own ref is ahead of the remote's
    carry_out(clone, row["command"])
    assert troubles(clone) == []
    memgit(clone, "rebuild")
    assert memgit(clone, "show", "tides", "--json").json["usage_count"] == 3


def test_a_workspace_opened_in_place_owes_no_settings(repo: Path) -> None:
    (repo / "note.md").write_text("# A note\n")
    assert troubles(repo) == []


def test_fix_carries_out_what_needs_no_decision(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    clone = tmp_path / "clone"
    run_git(tmp_path, "clone", "-q", str(kb), "clone")
    (clone / "memory/INDEX.md").unlink()
    (clone / "mine.txt").write_text("mine")
    before = run_git(clone, "rev-parse", "HEAD")
    assert memgit(clone, "doctor", code=1).out.endswith(
        "memgit doctor --fix runs memgit init, memgit hooks install, memgit rebuild\n"
    )
    told = memgit(clone, "doctor", "--fix").out
    assert told.startswith("done: memgit init\ndone: memgit hooks install\ndone: memgit rebuild\n")
    assert not [row for row in troubles(clone) if row["check"] != "usage"]
    assert (clone / "mine.txt").read_text() == "mine"
    assert run_git(clone, "rev-parse", "HEAD") == before
    assert run_git(clone, "status", "--short") == "?? mine.txt"
    assert memgit(clone, "doctor", "--fix", "--json").json["fixed"] == []


def test_fix_leaves_to_a_person_what_is_a_persons(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "x", "--slug", "tides")
    (kb / "memory/ebb.md").write_bytes((kb / "memory/tides.md").read_bytes())
    run_git(kb, "add", "memory/ebb.md")
    told = memgit(kb, "doctor", "--fix", code=1).out
    assert told.startswith("done: memgit rebuild\nids: ")
    assert (kb / "memory/ebb.md").read_bytes() == (kb / "memory/tides.md").read_bytes()
    (tmp_path / "plain").mkdir()
    memgit(tmp_path / "plain", "doctor", "--fix", code=1)
    assert list((tmp_path / "plain").iterdir()) == []


def test_a_fix_that_fails_is_named_and_the_others_are_made(kb: Path, private_home: Path) -> None:
    memgit(kb, "record", "memory", "Tides", "-m", "Twice a day.")
    (kb / ".gitattributes").write_text("*.png binary\n")
    run_git(kb, "commit", "-qam", "lost")
    (kb / "memory/INDEX.md").unlink()
    (private_home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    answer = memgit(kb, "doctor", "--fix", "--json", code=1).json
    assert [row["command"] for row in answer["failed"]] == ["memgit init"]
    assert "memgit rebuild" in answer["fixed"] and (kb / "memory/INDEX.md").exists()
