"""`memgit lint` and `memgit rule`: which state is looked at, exit codes, fixing, and that a part finds what
the whole finds.
"""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from memgit.lint.rules import RULES
from tests.support import Prepared, count_commits, fsck, memgit, run_git, status, write

DATE = "**Date:** 2026-03-02\n"


def entry(title: str, more: str = "", keywords: str = "alpha, beta") -> str:
    return f"## {title}\n{DATE}**Best Practice:**\n- Look first\n{more}**Keywords:** {keywords}\n\n"


@pytest.fixture
def kb(prepared: Prepared) -> Path:
    """A knowledge root with two linked entries and a memory, committed, with nothing to find but knowledge
    gaps.
    """
    return prepared("repo", with_records)


def with_records(repo: Path) -> None:
    memgit(repo, "init")
    write(
        repo,
        "knowledge-base/http.md",
        entry("Retry", "**Related:** [[http#Back off]]\n")
        + entry("Back off", "**Related:** [[http#Retry]]\n"),
    )
    write(
        repo,
        "memory/tides.md",
        "---\nid: k7m2q9x4dz\ntitle: Tides\ncreated: 2026-03-02\n---\nSee [[http#Retry]].\n",
    )
    memgit(repo, "commit")


def edit(folder: Path, path: str, old: str, new: str) -> None:
    text = (folder / path).read_text()
    assert old in text
    write(folder, path, text.replace(old, new))


def findings(folder: Path, *args: str, ignore: str = "MG302,MG304") -> list[str]:
    """What a run finds, as `MG201 path:line`."""
    answer = memgit(folder, "lint", "--json", "--ignore", ignore, *args, code=None)
    assert answer.code in (0, 1), answer.err
    return [f"{one['rule']} {one['path']}:{one['line']}" for one in answer.json["findings"]]


def test_a_clean_root_is_clean_in_every_state(kb: Path) -> None:
    for args in ((), ("--staged",), ("--changed",), ("--at", "HEAD"), ("--since", "HEAD"), ("memory",)):
        assert findings(kb, *args) == [], args
    answer = memgit(kb, "lint", "--ignore", "MG302")
    assert (
        answer.out.startswith("memgit health check — ")
        and "✓ 2 knowledge records in 1 category\n" in answer.out
    )
    assert "✓ Indexes are consistent" in answer.out and "Summary: 0 issues found" in answer.out
    assert memgit(kb, "lint", "--staged").out == "", "a hook with nothing to say says nothing"
    assert status(kb) == ""


def test_the_exit_code_follows_the_gravest_finding(kb: Path) -> None:
    edit(kb, "knowledge-base/http.md", "**Related:** [[http#Retry]]\n", "")
    assert memgit(kb, "lint", "--select", "MG202", code=0).out.count("⚠") == 1
    assert memgit(kb, "lint", "--select", "MG202", "--fail-on", "warning", code=1)
    edit(kb, "memory/tides.md", "[[http#Retry]]", "[[http#Gone]]")
    assert memgit(kb, "lint", "--select", "MG201", code=1)
    assert memgit(kb, "lint", "--select", "MG201", "--fail-on", "never", code=0)


def test_what_is_staged_is_read_from_the_index_and_not_from_disk(kb: Path) -> None:
    good = (kb / "memory/tides.md").read_text()
    write(kb, "memory/tides.md", good.replace("#Retry", "#Gone"))
    run_git(kb, "add", "memory/tides.md")
    write(kb, "memory/tides.md", good)
    assert findings(kb, "--staged", "--select", "MG201") == ["MG201 memory/tides.md:6"], (
        "bad in the index, good on disk"
    )
    assert findings(kb, "--select", "MG201") == []
    run_git(kb, "add", "memory/tides.md")
    write(kb, "memory/tides.md", good.replace("#Retry", "#Gone"))
    assert findings(kb, "--staged", "--select", "MG201") == [], "good in the index, bad on disk"
    assert findings(kb, "--changed", "--select", "MG201") == ["MG201 memory/tides.md:6"]


VAULT = "---\nid: MEM-001\ntitle: Tides\ncreated: 2026-02-30\n---\nText.\n"


@pytest.mark.parametrize("inside", ["", "10-Memories", ".memory"])
def test_where_the_knowledge_root_is_comes_from_the_index_as_in_the_hook(repo: Path, inside: str) -> None:
    """No folder, configuration or layout counts that is not staged."""
    write(repo, ".memory/10-Memories/MEM-tides.md", VAULT)
    write(repo, ".memgit.yaml", "version: 1\nlayout: vault\n")
    run_git(repo, "add", "-A")
    shutil.rmtree(repo / ".memory")
    (repo / ".memgit.yaml").unlink()
    write(repo, "knowledge-base/http.md", "# not staged\n")
    if inside:
        write(repo, f"{inside}/.memgit.yaml", "version: 1\nlayout: mem-skill\n")
    wanted = [".memory/10-Memories/MEM-tides.md"]
    answer = memgit(repo / inside, "lint", "--staged", "--select", "MG004", "--json", code=1)
    assert [one["path"] for one in answer.json["findings"]] == wanted
    hook = memgit(repo, "hook", "pre-commit", code=None)
    assert f"{wanted[0]}:" in hook.out + hook.err and "MG004" in hook.out + hook.err


def test_a_configuration_that_is_broken_on_disk_alone_stops_no_look_at_what_is_staged(kb: Path) -> None:
    write(kb, "memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(kb, "add", "memory/bad.md")
    write(kb, ".memgit.yaml", "layout: [none\n")
    assert findings(kb, "--staged", "--select", "MG004") == ["MG004 memory/bad.md:3"]
    memgit(kb, "lint", code=2)
    run_git(kb, "add", ".memgit.yaml")
    memgit(kb, "lint", "--staged", code=2)


def test_a_root_that_only_the_disk_has_is_none_for_what_is_staged(repo: Path) -> None:
    write(repo, "docs/memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(repo, "add", "-A")
    write(repo, "docs/.memgit.yaml", "version: 1\nlayout: memgit\n")
    assert (
        memgit(repo / "docs", "lint", "--staged", "--json", code=None).json["findings"]
        == memgit(repo, "lint", "--staged", "--json", code=None).json["findings"]
    )
    run_git(repo, "add", "-A")
    assert findings(repo / "docs", "--staged", "--select", "MG004") == ["MG004 memory/bad.md:3"]


def test_another_index_is_honoured(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(kb, "memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(kb, "add", "memory/bad.md")
    other = kb / ".git" / "other-index"
    shutil.copy(kb / ".git" / "index", other)
    run_git(kb, "reset", "-q")
    assert findings(kb, "--staged", "--select", "MG004") == []
    monkeypatch.setenv("GIT_INDEX_FILE", str(other))
    monkeypatch.chdir(kb)  # as git starts its hooks
    assert findings(kb, "--staged", "--select", "MG004") == ["MG004 memory/bad.md:3"]


def test_a_linked_worktree_has_an_index_of_its_own(kb: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    run_git(kb, "worktree", "add", "-q", str(other), "-b", "side")
    write(other, "memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(other, "add", "memory/bad.md")
    assert findings(other, "--staged", "--select", "MG004") == ["MG004 memory/bad.md:3"]
    assert findings(kb, "--staged", "--select", "MG004") == []


def test_names_that_git_quotes(kb: Path) -> None:
    names = ["café.md", "a b.md", 'it\'s "x".md', "tab\there.md", "🗂️ box.md", "-dash.md", "#h.md", "a\nb.md"]
    for name in names:
        write(kb, f"memory/{name}", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(kb, "config", "core.quotePath", "true")
    run_git(kb, "add", "-A")
    answer = memgit(kb, "lint", "--staged", "--json", "--select", "MG004", code=1)
    assert {one["path"] for one in answer.json["findings"]} == {f"memory/{name}" for name in names}


def test_a_name_that_is_no_utf_8(kb: Path) -> None:
    name = os.path.join(os.fsencode(kb), b"memory", b"caf\xe9.md")
    with open(name, "wb") as file:
        file.write(b"---\ntitle: Bad\ncreated: 2026-02-30\n---\n[[gone]]\n")
    run_git(kb, "add", "-A")
    for args in (("--staged",), ("--changed",), (), ()):
        found = findings(kb, *args, "--select", "MG004,MG201,MG008")
        assert sorted(one.split()[0] for one in found) == ["MG004", "MG008", "MG201"], args


def test_a_link_to_what_a_change_takes_away_is_found_in_the_file_that_did_not_change(kb: Path) -> None:
    edit(kb, "knowledge-base/http.md", "## Retry", "## Ask again")
    run_git(kb, "add", "-A")
    for args in (("--staged",), ("--changed",), ()):
        found = findings(kb, *args, "--select", "MG201")
        assert "MG201 memory/tides.md:6" in found and any(
            one.startswith("MG201 knowledge-base/http.md:") for one in found
        ), args
    write(kb, "notes/a.md", "# A\n\n[t](../memory/tides.md)\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "x", "--no-verify")
    run_git(kb, "rm", "-q", "memory/tides.md")
    both = ["MG205 memory/INDEX.md:5", "MG205 notes/a.md:3"]
    assert findings(kb, "--staged", "--select", "MG205") == both == findings(kb, "--select", "MG205")


def test_one_id_twice_is_found_from_the_copy_alone(kb: Path) -> None:
    shutil.copy(kb / "memory/tides.md", kb / "memory/copy.md")
    run_git(kb, "add", "-A")
    assert findings(kb, "--staged", "--select", "MG006") == ["MG006 memory/copy.md:2"]


def test_a_change_answers_for_ids_that_it_makes_more_of(kb: Path) -> None:
    entry = "## {}\n**Date:** 2026-03-02\n**Id:** ab00000001\n\n- Wait.\n\n"
    write(kb, "knowledge-base/twins.md", entry.format("One") + entry.format("Two"))
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "x", "--no-verify")
    write(kb, "knowledge-base/twins.md", entry.format("One") + entry.format("Second"))
    run_git(kb, "add", "-A")
    assert findings(kb, "--staged", "--select", "MG006") == []
    write(kb, "knowledge-base/twins.md", "".join(map(entry.format, ("One", "Two", "Three"))))
    run_git(kb, "add", "-A")
    found = findings(kb, "--staged", "--select", "MG006")
    assert found == [f"MG006 knowledge-base/twins.md:{line}" for line in (3, 9, 15)]


def test_what_history_forbids(kb: Path) -> None:
    write(kb, "observations/2026/03/o.md", "---\nat: 2026-03-02T10:00:00Z\n---\nRed.\n")
    write(kb, "decisions/20260302-q.md", "---\ntitle: Q\nstatus: accepted\ncreated: 2026-03-02\n---\nText.\n")
    write(kb, "skills/s.md", "---\ntitle: S\nversion: 2\ncreated: 2026-03-02\n---\nText.\n")
    memgit(kb, "commit")
    edit(kb, "observations/2026/03/o.md", "Red", "Green")
    edit(kb, "decisions/20260302-q.md", "accepted", "rejected")
    edit(kb, "skills/s.md", "version: 2", "version: 1")
    edit(kb, "memory/tides.md", "created: 2026-03-02", "created: 2026-04-02")
    edit(kb, "knowledge-base/http.md", entry("Back off", "**Related:** [[http#Retry]]\n"), "")
    wanted = [
        "MG401 observations/2026/03/o.md:1",
        "MG402 skills/s.md:3",
        "MG403 memory/tides.md:4",
        "MG404 knowledge-base/http.md:8",
        "MG405 decisions/20260302-q.md:3",
    ]
    assert (
        sorted(findings(kb, "--select", "MG4"))
        == wanted
        == sorted(findings(kb, "--changed", "--select", "MG4"))
    )
    run_git(kb, "add", "-A")
    assert sorted(findings(kb, "--staged", "--select", "MG4")) == wanted
    run_git(kb, "commit", "-qm", "by hand", "--no-verify")
    assert findings(kb, "--select", "MG4") == [], "it is history now"
    assert sorted(findings(kb, "--at", "HEAD", "--select", "MG4")) == wanted, (
        "a commit is compared with its parent"
    )
    assert sorted(findings(kb, "--since", "HEAD~1", "--select", "MG4")) == wanted


def test_since_looks_at_what_a_branch_changed(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "-b", "side")
    write(kb, "memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    memgit(kb, "commit", "--no-verify")
    run_git(kb, "checkout", "-q", "main")
    write(kb, "memory/also.md", "---\ntitle: Also\ncreated: 2026-02-31\n---\nText.\n")
    memgit(kb, "commit", "--no-verify")
    run_git(kb, "checkout", "-q", "side")
    assert findings(kb, "--since", "main", "--select", "MG004") == ["MG004 memory/bad.md:3"]
    assert findings(kb, "--at", "main", "--select", "MG004") == ["MG004 memory/also.md:3"]


def test_since_a_branch_without_a_common_history_compares_with_it(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "--orphan", "alone")
    write(kb, "memory/bad.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "alone")
    assert findings(kb, "--since", "main", "--select", "MG004") == ["MG004 memory/bad.md:3"]


def test_wrong_wishes_are_named_as_they_were_typed(kb: Path) -> None:
    answer = memgit(kb, "lint", "--select", "MG9", code=2)
    assert answer.err.startswith("memgit: --select: no rule 'MG9'")
    assert "exclude each other" in memgit(kb, "lint", "--at", "HEAD", "--changed", code=2).err


def test_paths_narrow_a_run(kb: Path) -> None:
    for folder in ("a", "b"):
        write(kb, f"memory/{folder}/x.md", "---\ntitle: Bad\ncreated: 2026-02-30\n---\nText.\n")
    assert findings(kb, "memory/a", "--select", "MG004") == ["MG004 memory/a/x.md:3"]
    assert findings(kb, "memory/a/x.md", "memory/b", "--select", "MG004") == [
        "MG004 memory/a/x.md:3",
        "MG004 memory/b/x.md:3",
    ]
    assert findings(kb / "memory", "a", "--select", "MG004") == ["MG004 memory/a/x.md:3"], (
        "paths count from where one stands"
    )
    assert "no such file" in memgit(kb, "lint", "memory/none", code=2).err
    assert "outside the knowledge root" in memgit(kb, "lint", "../x", code=2).err


def test_links_out_of_a_root_in_a_code_repository(repo: Path) -> None:
    write(repo, "src/a.py", "x = 1\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "code")
    root = repo / "docs"
    memgit(repo, "init", "docs")
    write(root, "notes/a.md", "# A\n\n[code](../../src/a.py), [gone](../../src/b.py), [out](../../../x.md)\n")
    assert findings(root, "--select", "MG205") == ["MG205 notes/a.md:3"] * 2
    annotated = memgit(root, "lint", "--format", "github", "--select", "MG205", code=1).out
    assert "file=docs/notes/a.md,line=3" in annotated
    memgit(root, "commit", "--no-verify")
    assert findings(root, "--at", "HEAD", "--select", "MG205") == ["MG205 notes/a.md:3"] * 2


def test_symbolic_links_and_submodules_are_never_followed(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("---\ntitle: S\ncreated: 2026-02-30\n---\nghp_" + "a1B2" * 9 + "\n")
    (kb / "memory/out.md").symlink_to(tmp_path / "secret.md")
    (kb / "memory/self.md").symlink_to("self.md")
    run_git(kb, "add", "-A")
    for args in (("--staged",), ()):
        assert findings(kb, *args, "--select", "MG001,MG004,MG501") == [
            "MG001 memory/out.md:1",
            "MG001 memory/self.md:1",
        ], args


def test_mending_writes_the_working_tree_and_nothing_else(kb: Path) -> None:
    edit(kb, "knowledge-base/http.md", "**Related:** [[http#Retry]]\n", "")
    write(kb, "knowledge-base/_index.json", "{}\n")
    run_git(kb, "add", "knowledge-base/_index.json")
    before = run_git(kb, "ls-files", "-s")
    answer = memgit(kb, "lint", "--fix", "--ignore", "MG302,MG304")
    assert (
        "✓ fixed 1 finding of MG202 one-way-link" in answer.out
        and "✓ fixed 1 finding of MG101 index-drift" in answer.out
    )
    assert run_git(kb, "ls-files", "-s") == before and count_commits(kb) == 2
    assert "[[http#Retry]]" in (kb / "knowledge-base/http.md").read_text()
    assert findings(kb) == []
    disk = {path: path.read_bytes() for path in kb.rglob("*.md")}
    memgit(kb, "lint", "--fix", "--ignore", "MG302,MG304")
    assert {path: path.read_bytes() for path in kb.rglob("*.md")} == disk, "a second time changes nothing"
    assert not list(kb.rglob(".memgit-*"))


def test_mending_keeps_line_ends_and_permissions(kb: Path) -> None:
    path = kb / "knowledge-base/http.md"
    text = path.read_text().replace("**Related:** [[http#Retry]]\n", "").replace("\n", "\r\n")
    write(kb, "knowledge-base/http.md", text)
    path.chmod(0o600)
    memgit(kb, "lint", "--fix", "--select", "MG202")
    mended = path.read_bytes()
    assert b"[[http#Retry]]\r\n" in mended and mended.count(b"\n") == mended.count(b"\r\n")
    assert path.stat().st_mode & 0o777 == 0o600


def test_mending_as_a_commit(kb: Path) -> None:
    edit(kb, "knowledge-base/http.md", "**Related:** [[http#Retry]]\n", "")
    run_git(kb, "commit", "-qam", "by hand", "--no-verify")
    edit(kb, "memory/tides.md", "See", "Do see")
    memgit(kb, "lint", "--fix", "--commit", "--select", "MG202", "--reason", "Links go both ways")
    message = run_git(kb, "log", "-1", "--format=%B")
    assert (
        message.startswith("fix: 1 finding of MG202\n\nLinks go both ways\n") and "Memgit-Op: fix" in message
    )
    assert "Memgit-Record: link - knowledge/http#Back off" in message
    assert status(kb) == " M memory/tides.md", "the edit of another file stays uncommitted"
    commits = count_commits(kb)
    memgit(kb, "lint", "--fix", "--commit", "--select", "MG202")
    assert count_commits(kb) == commits, "nothing to fix makes no commit"
    fsck(kb)


def test_an_index_that_was_found_right_is_looked_at_again_once_it_or_a_record_changes(kb: Path) -> None:
    assert findings(kb) == [], "now the indexes of this commit are known to be right"
    index = (kb / "memory/INDEX.md").read_text()
    edit(kb, "memory/INDEX.md", "Tides", "Tidal tables")
    for args in ((), ("--changed",)):
        assert findings(kb, *args, "--select", "MG101") == ["MG101 memory/INDEX.md:5"], args
    run_git(kb, "commit", "-qam", "by hand", "--no-verify")
    for state in ((), ("--at", "HEAD")):
        assert findings(kb, *state, "--select", "MG101") == ["MG101 memory/INDEX.md:5"], state
    write(kb, "memory/INDEX.md", index)
    write(kb, "memory/gates.md", "---\ntitle: Gates\ncreated: 2026-03-02\n---\nText.\n")
    run_git(kb, "add", "-A")
    for args in ((), ("--staged",), ("--changed",)):
        assert findings(kb, *args, "--select", "MG101") == ["MG101 memory/INDEX.md:5"], args
    (kb / "memory/INDEX.md").unlink()
    assert findings(kb, "--select", "MG101") == ["MG101 memory/INDEX.md:1"]


def test_what_can_be_mended_only_in_a_working_tree(kb: Path, tmp_path: Path) -> None:
    assert "--at looks at a commit" in memgit(kb, "lint", "--fix", "--at", "HEAD", code=2).err
    assert "--commit goes with --fix" in memgit(kb, "lint", "--commit", code=2).err
    assert "exclude each other" in memgit(kb, "lint", "--staged", "--changed", code=2).err
    bare = tmp_path / "bare.git"
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), str(bare))
    assert "bare" in memgit(bare, "lint", "--fix", code=3).err
    assert findings(bare) == [] and "no working tree" in memgit(bare, "lint", "--staged", code=3).err


def test_before_the_first_commit(repo: Path) -> None:
    write(repo, "memory/a.md", "---\ntitle: A\ncreated: 2026-02-28\n---\n[x](y.md)\n")
    run_git(repo, "add", "-A")
    assert (
        findings(repo, "--staged", "--select", "MG205")
        == ["MG205 memory/a.md:5"]
        == findings(repo, "--select", "MG205")
    )


def test_a_folder_outside_any_repository(tmp_path: Path) -> None:
    write(tmp_path, "a.md", "# A\n\n[[gone]] [x](y.md)\n")
    assert sorted(findings(tmp_path)) == ["MG201 a.md:3", "MG205 a.md:3"]
    assert "not in a git repository" in memgit(tmp_path, "lint", "--staged", code=3).err


def test_the_configuration_decides(kb: Path) -> None:
    edit(kb, "memory/tides.md", "[[http#Retry]]", "[[gone]]")
    config = kb / ".memgit.yaml"
    text = config.read_text()
    config.write_text(text + "lint:\n  severity: {broken-link: info}\n")
    assert memgit(kb, "lint", "--select", "MG201", code=0).out.count("·") == 1
    config.write_text(text + "lint:\n  ignore: [MG201]\n")
    assert "MG201" not in " ".join(findings(kb))
    config.write_text(text + "lint:\n  ignore: [MG999]\n")
    assert "no rule 'MG999'" in memgit(kb, "lint", code=2).err
    config.write_text(text + "lint: nothing\n")
    assert ".memgit.yaml: lint:" in memgit(kb, "lint", code=2).err
    config.write_text(text)
    assert "no rule 'x'" in memgit(kb, "lint", "--select", "x", code=2).err


def test_indexes_that_are_not_committed_are_not_checked(kb: Path) -> None:
    edit(kb, ".memgit.yaml", "indexes: committed", "indexes: local")
    (kb / "INDEX.md").unlink()
    assert "MG101 INDEX.md:1" not in findings(kb)


def test_what_the_cache_kept_gives_the_same_answer(workspace: Any) -> None:
    folder = workspace("vault")
    first = memgit(folder, "lint", "--json", code=1).out
    assert memgit(folder, "lint", "--json", code=1).out == first
    shutil.rmtree(folder / ".git" / "memgit")
    assert memgit(folder, "lint", "--json", code=1).out == first
    edit(folder, ".memory/10-Memories/MEM-001.md", "Two harbours", "[[gone]] Two harbours")
    second = memgit(folder, "lint", "--json", "--select", "MG201", code=0).json  # hints in a vault
    assert len(second["findings"]) == 2


def test_facts_are_kept_a_batch_at_a_time(workspace: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = workspace("vault")
    first = memgit(folder, "lint", "--json", code=1).out
    shutil.rmtree(folder / ".git" / "memgit")
    monkeypatch.setattr("memgit.app.check.source.BATCH", 3)
    assert memgit(folder, "lint", "--json", code=1).out == first
    read: list[str] = []
    monkeypatch.setattr("memgit.lint.facts.of_page", lambda page, compare: read.append(page.path))
    assert (memgit(folder, "lint", "--json", code=1).out, read) == (first, [])


def test_a_part_finds_what_the_whole_finds(workspace: Any) -> None:
    """Every file in turn as the only change: certain findings are those of a run over everything."""
    folder = workspace("mem-skill-1.2")
    certain = "MG001,MG002,MG003,MG004,MG005,MG006,MG201,MG202,MG204,MG205,MG302"
    whole = memgit(folder, "lint", "--json", "--select", certain, code=1).json["findings"]
    for path in (
        "knowledge-base/workflow.md",
        "knowledge-base/design-layout.md",
        "experience/skill-mem-skill.md",
    ):
        with (folder / path).open("a") as file:
            file.write("\n")
        part = memgit(folder, "lint", "--changed", "--json", "--select", certain, code=None).json["findings"]
        run_git(folder, "checkout", "-q", "--", path)
        assert {(one["rule"], one["line"]) for one in part if one["path"] == path} == {
            (one["rule"], one["line"]) for one in whole if one["path"] == path
        }


def test_reports_go_to_a_file_and_in_every_form(kb: Path, tmp_path: Path) -> None:
    edit(kb, "memory/tides.md", "[[http#Retry]]", "[[gone]]")
    out = tmp_path / "out.sarif"
    answer = memgit(kb, "lint", "--format", "sarif", "-o", str(out), code=1)
    assert answer.out == "" and json.loads(out.read_text())["version"] == "2.1.0"
    assert memgit(kb, "lint", "--format", "json", code=1).json == memgit(kb, "lint", "--json", code=1).json
    assert "exclude each other" in memgit(kb, "lint", "--json", "--format", "text", code=2).err


def test_a_report_sends_no_control_sequence_to_the_terminal(kb: Path) -> None:
    write(kb, "memory/odd.md", '---\ntitle: "Red \\e[31m"\ncreated: 2026-02-30\n---\n[[\x1b[31mgone]]\n')
    answer = memgit(kb, "lint", "--changed", code=1)
    assert "\x1b" not in answer.out


def test_rule_prints_pages_and_the_list() -> None:
    listed = memgit(Path("/"), "rule").out
    assert [line.split()[0] for line in listed.splitlines()] == [rule.code for rule in RULES]
    page = memgit(Path("/"), "rule", "MG301").out
    assert page.startswith("# MG301: duplicate-record\n") and "## Why" in page and "## Bad" in page
    assert memgit(Path("/"), "rule", "duplicate-record").out == page
    value = memgit(Path("/"), "rule", "mg302", "--json").json
    assert (
        value["code"] == "MG302" and value["options"]["months"] == 6 and value["page"].startswith("# MG302")
    )
    assert len(memgit(Path("/"), "rule", "--json").json) == len(RULES)
    answer = memgit(Path("/"), "rule", "duplicate-recrod", code=2)
    assert "did you mean duplicate-record?" in answer.err


def test_a_hook_leaves_comparisons_to_a_review_unless_asked(kb: Path) -> None:
    write(
        kb,
        "memory/again.md",
        (
            "---\ntitle: Tide tables\ncreated: 2026-03-02\nkeywords: [a, b, c]\n---\nAlways print the "
            "tide tables.\n"
        ),
    )
    write(
        kb,
        "memory/more.md",
        (
            "---\ntitle: More tables\ncreated: 2026-03-02\nkeywords: [a, b, c]\n---\nNever print the "
            "tide tables.\n"
        ),
    )
    run_git(kb, "add", "-A")
    assert not [one for one in findings(kb, "--staged") if one.startswith(("MG203", "MG301", "MG303"))]
    selected = ["MG301 memory/more.md:1", "MG303 memory/more.md:6"]
    assert findings(kb, "--staged", "--select", "MG203,MG301,MG303") == selected
    assert [one for one in findings(kb) if one.startswith(("MG203", "MG301", "MG303"))] == selected
    assert [
        one for one in findings(kb, "--changed") if one.startswith(("MG203", "MG301", "MG303"))
    ] == selected


def test_what_a_narrow_run_kept_does_not_blind_a_whole_one(kb: Path) -> None:
    write(
        kb,
        "memory/again.md",
        (
            "---\ntitle: Tide tables\ncreated: 2026-03-02\nkeywords: [a, b, c]\n---\nAlways print the "
            "tide tables.\n"
        ),
    )
    write(
        kb,
        "memory/more.md",
        (
            "---\ntitle: More tables\ncreated: 2026-03-02\nkeywords: [a, b, c]\n---\nNever print the "
            "tide tables.\n"
        ),
    )
    memgit(kb, "commit")
    assert findings(kb, "--select", "MG201") == []
    assert findings(kb, "--select", "MG303") == ["MG303 memory/more.md:6"]
