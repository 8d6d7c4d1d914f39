"""Answers to what people met: filters, archived records that are recorded again, foreign stamps, broken repositories."""

from __future__ import annotations

import re
import shutil
from pathlib import Path

import pytest

from tests.support import commit, memgit, run_git, status, write


def test_what_a_filter_stores_otherwise_is_refused_before_anything_is_written(kb: Path) -> None:
    run_git(kb, "config", "filter.enc.clean", "sed s/secret/XXXXXX/")
    run_git(kb, "config", "filter.enc.smudge", "sed s/XXXXXX/secret/")
    run_git(kb, "config", "filter.enc.required", "true")
    write(kb, ".gitattributes", (kb / ".gitattributes").read_text() + "memory/** filter=enc\n")
    head = commit(kb)
    for args in ((), ("--stage",)):
        error = memgit(kb, "record", "memory", "Pin", "-m", "my secret", *args, code=3).err
        assert "memory/pin.md: not written: the attribute filter=enc" in error
    assert (
        run_git(kb, "rev-parse", "HEAD") == head and status(kb) == "" and not (kb / "memory/pin.md").exists()
    )
    memgit(kb, "record", "knowledge", "Open", "--category", "c", "-m", "- x")


@pytest.mark.parametrize("tool", ["git-crypt", "git-lfs"])
def test_real_filters_never_get_plain_text_into_a_blob(kb: Path, tool: str) -> None:
    if shutil.which(tool) is None:
        pytest.skip(f"{tool} is not installed")
    attribute = "filter=lfs diff=lfs merge=lfs -text"
    if tool == "git-crypt":
        run_git(kb, "crypt", "init")
        attribute = "filter=git-crypt diff=git-crypt"
    else:
        run_git(kb, "lfs", "install", "--local", "--skip-repo")
    write(kb, ".gitattributes", (kb / ".gitattributes").read_text() + f"memory/** {attribute}\n")
    commit(kb)
    assert "filter=" in memgit(kb, "record", "memory", "Pin", "-m", "my secret text", code=3).err
    assert status(kb) == ""
    write(kb, "memory/pin.md", "---\ntitle: Pin\ncreated: 2026-01-01\n---\nmy secret text\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "by hand")
    memgit(kb, "hooks", "install")
    for args in (
        ("update", "memory/pin", "-m", "my secret text again"),
        ("extend", "memory/pin", "-m", "my secret text again", "--stage"),
        ("rename", "memory/pin", "Other"),
        ("undo",),
        ("rebuild",),
        ("lint", "--fix"),
        ("commit",),
    ):
        memgit(kb, *args, code=None)
    write(kb, "memory/two.md", "---\ntitle: Two\ncreated: 2026-01-01\n---\nmy secret text two\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "by hand, with the hooks", check=False)
    listed = run_git(kb, "cat-file", "--batch-check", "--batch-all-objects")
    blobs = [line.split()[0] for line in listed.split("\n") if " blob " in line]
    assert not [oid for oid in blobs if "secret text" in run_git(kb, "cat-file", "blob", oid)]
    words = "encrypted by git-crypt" if tool == "git-crypt" else "a pointer of git-lfs"
    found = memgit(kb, "lint", "--at", "HEAD", "--select", "MG001", "--json", code=1).json["findings"]
    assert {one["path"] for one in found} >= {"memory/pin.md"} and words in found[0]["message"]
    assert "memory/pin" not in memgit(kb, "list", "--at", "HEAD", code=None).out


def test_what_a_filter_hides_gets_no_index(kb: Path) -> None:
    memgit(kb, "record", "memory", "Open", "-m", "x")
    run_git(kb, "config", "filter.hide.clean", "printf '\\0GITCRYPT\\0'; tr a-z n-za-m")
    attributes = (kb / ".gitattributes").read_text() + "memory/private/** filter=hide\n"
    write(kb, ".gitattributes", attributes)
    commit(kb)
    write(kb, "memory/private/p.md", "---\ntitle: P\ncreated: 2026-01-01\n---\nx\n")
    for _ in range(2):
        assert memgit(kb, "rebuild", "--json").json["written"] == []
        assert memgit(kb, "lint", "--select", "MG101", "--json").json["findings"] == []
        memgit(kb, "rebuild", "--check")
        assert "derived" not in memgit(kb, "doctor", code=None).out
        run_git(kb, "add", "-A")
        run_git(kb, "commit", "-qn", "--allow-empty", "-m", "by hand")
    assert not (kb / "memory/private/INDEX.md").exists() and status(kb) == ""


def test_upsert_of_an_archived_record_puts_it_in_force(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "same")
    memgit(kb, "archive", "memory/a")
    done = memgit(kb, "record", "memory", "A", "-m", "same", "--upsert", "--json").json
    assert done["commit"] is not None
    assert [one["address"] for one in memgit(kb, "list", "--json").json] == ["memory/a"]
    assert memgit(kb, "record", "memory", "A", "-m", "same", "--upsert", "--json").json["action"] == "no_op"


@pytest.mark.parametrize(
    ("key", "old", "form"),
    [
        ("updated", "1670254035385", r"1[0-9]{12}"),
        ("updated", "1670254035", r"1[0-9]{9}"),
        ("updated_at", "'2026-03-02T16:24:47.894Z'", r"'[0-9-]{10}T[0-9:]{8}\.[0-9]{3}Z'"),
        ("modified", "2025-03-02 16:24", r"[0-9-]{10} [0-9]{2}:[0-9]{2}"),
        ("updated", "2025-03-02T16:24:47+02:00", r"[0-9-]{10}T[0-9:]{8}\+02:00"),
        ("updated", "2025-03-02", r"[0-9]{4}-[0-9]{2}-[0-9]{2}"),
    ],
)
def test_a_foreign_stamp_keeps_its_form(kb: Path, key: str, old: str, form: str) -> None:
    write(kb, "notes/n.md", f"---\n{key}: {old}\n---\n# N\n\nx\n")
    commit(kb)
    memgit(kb, "update", "note/notes/n", "-m", "y")
    (line,) = [one for one in (kb / "notes/n.md").read_text().split("\n") if one.startswith(f"{key}:")]
    assert re.fullmatch(f"{key}: {form}", line) and line != f"{key}: {old}"


def test_a_git_file_that_leads_nowhere_is_named_with_the_repair(kb: Path, tmp_path: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "x")
    other = tmp_path / "linked"
    run_git(kb, "worktree", "add", "-q", str(other))
    shutil.rmtree(kb / ".git/worktrees/linked")
    assert "memory/a" in memgit(other, "list").out
    error = memgit(other, "record", "memory", "B", "-m", "y", code=3).err
    assert "is not a git directory" in error and "git worktree repair" in error


@pytest.mark.parametrize("head", [b"\0\0\0\0", b"", b"garbage\n"])
def test_a_damaged_head_is_named_with_the_repair(kb: Path, head: bytes) -> None:
    memgit(kb, "record", "memory", "A", "-m", "x")
    right = (kb / ".git/HEAD").read_bytes()
    (kb / ".git/HEAD").write_bytes(head)
    listed = memgit(kb, "list")
    assert "memory/a" in listed.out and "without history" in listed.err
    assert "echo 'ref: refs/heads/main' >" in memgit(kb, "record", "memory", "B", "-m", "y", code=3).err
    assert ".git/HEAD is damaged" in memgit(kb, "doctor", code=1).out
    (kb / ".git/HEAD").write_bytes(right)
    assert status(kb) == "" and "without history" not in memgit(kb, "list").err


@pytest.mark.parametrize(
    "args", [("list", "--nosuch"), ("nosuch",), ("show",), ("list", "-n", "x"), ("links",)]
)
def test_wrong_usage_under_json_is_one_object(kb: Path, args: tuple[str, ...]) -> None:
    answer = memgit(kb, *args, "--json", code=2)
    assert set(answer.json["error"]) == {"code", "message", "path", "line", "hint"}
    assert "--help" in answer.json["error"]["hint"]


def test_hints_name_what_the_command_has(kb: Path, tmp_path: Path) -> None:
    error = memgit(kb, "record", "memory", "X", "-F", str(tmp_path), code=2).err
    assert "is a folder" in error and "memgit ingest" in error
    memgit(kb, "record", "observation", "Seen", "-m", "x")
    memgit(kb, "record", "memory", "Seen", "-m", "y")
    origin = memgit(kb, "list", "observation", "--json").json[0]["address"]
    error = memgit(kb, "promote", origin, code=1).err
    assert "--slug" in error and "--upsert" not in error
    memgit(kb, "promote", origin, "--slug", "other")
    assert (
        "--category" in memgit(kb, "record", "knowledge", "X", "--category", "INDEX", "-m", "- x", code=2).err
    )
    assert "--slug" in memgit(kb, "record", "memory", "X", "--slug", "INDEX", "-m", "x", code=2).err


def test_an_error_under_json_is_one_object(kb: Path) -> None:
    answer = memgit(kb, "show", "nope", "--json", code=2)
    assert answer.json == {
        "error": {
            "code": "NotFound",
            "message": "no record answers to 'nope'",
            "path": None,
            "line": None,
            "hint": "memgit list shows what is there",
        }
    }


def test_a_derived_file_is_never_a_record(repo: Path) -> None:
    memgit(repo, "init", "--notes", "**/*.md")
    memgit(repo, "record", "memory", "M", "-m", "x")
    write(repo, "inner/memory/INDEX.md", (repo / "memory/INDEX.md").read_text())
    write(repo, "notes/INDEX.md", "# Mine\n\nBy hand.\n")
    commit(repo)
    found = [one["address"] for one in memgit(repo, "list", "--json").json]
    assert found == ["memory/m", "note/notes/INDEX"]


def test_a_broken_configuration_of_git_is_named(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "x")
    write(kb, ".git/config", (kb / ".git/config").read_text() + "[core\n")
    assert "memory/a" in memgit(kb, "list").out
    error = memgit(kb, "record", "memory", "B", "-m", "y", code=3).err
    assert ".git/config:" in error and "HEAD" not in error
    assert ".git/config:" in memgit(kb, "doctor", code=1).out


@pytest.mark.parametrize("size", [0, 12, 100, 300])
def test_a_damaged_index_is_named_with_the_repair(kb: Path, size: int) -> None:
    for title in ("A", "B", "C"):
        memgit(kb, "record", "memory", title, "-m", "x")
    path = kb / ".git/index"
    path.write_bytes(path.read_bytes()[:size])
    told = memgit(kb, "doctor", "--json", code=1).json["troubles"]
    (found,) = [one for one in told if one["check"] == "index"]
    assert found["command"].startswith(f"rm {path} && git reset --quiet")
    answer = memgit(kb, "record", "memory", "D", "-m", "x", code=None)
    assert answer.code == 0 or "memgit doctor names the repair" in answer.err
    path.unlink()
    run_git(kb, "reset", "--quiet")
    assert status(kb) == "" and "damaged" not in memgit(kb, "doctor", code=None).out


def test_no_format_sends_a_control_sequence(kb: Path) -> None:
    write(
        kb,
        "memory/esc.md",
        '---\ntitle: "a\\e[31mRED"\ncreated: 2026-01-01\nrelated: ["[[no\\e[2Jsuch]]"]\n---\n\x1b[31m [[x\x1b]0;t\x07y]]\n',
    )
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "x \x1b[31m")
    for args in (
        *(("lint", "--format", form) for form in ("text", "json", "sarif", "github")),
        *(("review", "HEAD~1..HEAD", "--format", form) for form in ("text", "json", "markdown", "github")),
        *((name,) for name in ("list", "log", "context", "health", "tags", "doctor", "diff")),
        *((name, "memory/esc") for name in ("show", "history", "blame", "links")),
        ("search", "RED"),
        ("recall", "RED"),
        ("show", "nope\x1b[31m"),
        ("list", "--at", "nope\x1b[31m"),
        ("export", "/nope\x1b[31m/x"),
    ):
        answer = memgit(kb, *args, code=None)
        assert "\x1b" not in answer.out + answer.err, (args, answer)


def test_blame_names_who_wrote_through_a_squash(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "first")
    run_git(kb, "switch", "-qc", "topic")
    for actor, author, args in (
        ("claude", "Ann <a@x>", ("extend", "memory/a", "-m", "from claude")),
        ("codex", "Bob <b@x>", ("record", "memory", "B", "-m", "from codex")),
    ):
        memgit(kb, "--actor", actor, *args)
        run_git(kb, "commit", "-qn", "--amend", "--no-edit", f"--author={author}")
    message = memgit(kb, "review", "main..topic", "--squash-message").out
    run_git(kb, "switch", "-q", "main")
    run_git(kb, "merge", "-q", "--squash", "topic")
    run_git(kb, "commit", "-qnF", "-", "--cleanup=verbatim", data=message.encode())

    def last(name: str) -> tuple[str, str, str, str]:
        line = memgit(kb, "blame", name, "--json").json[-1]
        return line["text"], line["author"], line["actor"], line["op"]

    assert last("memory/a") == ("from claude", "Ann <a@x>", "claude", "extend")
    assert last("memory/b") == ("from codex", "Bob <b@x>", "codex", "record")
    assert memgit(kb, "blame", "memory/a", "--json").json[-5]["actor"] is None


def test_skip_worktree_stays_set(kb: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "x")
    run_git(kb, "update-index", "--skip-worktree", "memory/INDEX.md", "memory/a.md")
    memgit(kb, "record", "memory", "B", "-m", "y")
    memgit(kb, "update", "memory/a", "-m", "z")
    memgit(kb, "undo")
    listed = run_git(kb, "ls-files", "-v", "memory").split("\n")
    assert listed == ["S memory/INDEX.md", "S memory/a.md", "H memory/b.md"]


def test_what_a_partial_clone_left_out_is_fetched_for_a_write_and_never_lost(
    kb: Path, tmp_path: Path
) -> None:
    memgit(kb, "record", "memory", "Tide", "-m", "first text")
    memgit(kb, "update", "memory/tide", "-m", "second text")
    memgit(kb, "record", "note", "Other", "-m", "[[tide]]")
    run_git(kb, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{kb}", "partial")
    partial = tmp_path / "partial"
    run_git(partial, "sparse-checkout", "set", "--no-cone", "/.memgit.yaml", "/.gitattributes")
    run_git(partial, "checkout", "-q")
    assert not (partial / "memory/tide.md").exists()
    memgit(partial, "extend", "memory/tide", "-m", "third text")
    memgit(partial, "rename", "memory/tide", "Ebb")
    text = run_git(partial, "show", "HEAD:memory/ebb.md")
    assert "second text" in text and "third text" in text
    assert "[[ebb]]" in run_git(partial, "show", "HEAD:notes/other.md") and status(partial) == ""
    memgit(partial, "rebuild", "--check", "--at", "HEAD")


def test_a_nul_is_refused_by_the_hook_and_stops_no_other_write(kb: Path) -> None:
    memgit(kb, "record", "memory", "Tide", "-m", "x")
    path = kb / "memory/nul.md"
    path.write_bytes(b"---\ntitle: nul\ncreated: 2026-01-01\n---\na\0b [[tide]]\n")
    memgit(kb, "record", "memory", "Beside", "-m", "y")
    run_git(kb, "add", "-A")
    assert "memory/nul.md:5: error MG001" in memgit(kb, "hook", "pre-commit", code=1).err
    run_git(kb, "commit", "-qnm", "forced")
    data = path.read_bytes()
    for args in (
        ("rename", "memory/tide", "Ebb"),
        ("update", "memory/beside", "-m", "z"),
        ("undo",),
        ("rebuild",),
    ):
        memgit(kb, *args)
    assert path.read_bytes() == data
    memgit(kb, "update", "memory/nul", "-m", "over", code=2)
    assert path.read_bytes() == data
