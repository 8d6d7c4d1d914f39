"""`memgit propose`: the commit lies on a branch of its own; working tree, index and HEAD are as before."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import Prepared, fsck, memgit, run_git, status


def state(folder: Path) -> tuple[str, str, str, dict[str, bytes]]:
    """HEAD, the index, git's status, and every file of the working tree."""
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".git" not in path.relative_to(folder).parts
    }
    return (
        (folder / ".git/HEAD").read_text() + run_git(folder, "rev-parse", "HEAD"),
        run_git(folder, "ls-files", "-s"),
        status(folder),
        files,
    )


def propose(folder: Path, *args: str, code: int = 0) -> dict[str, Any]:
    answer: dict[str, Any] = memgit(folder, "propose", "--json", *args, code=code).json
    return answer


@pytest.fixture
def busy(prepared: Prepared) -> Path:
    """A workspace with a record, an edited file, a staged file and an untracked one."""
    return prepared("kb", make_busy)


def make_busy(kb: Path) -> None:
    memgit(
        kb,
        "record",
        "knowledge",
        "Quote every expansion",
        "--category",
        "shell",
        "-m",
        "Unquoted ones split.",
    )
    shell = kb / "knowledge-base/shell.md"
    shell.write_text(shell.read_text() + "\nA hand edit that nobody committed.\n")
    (kb / "foreign.txt").write_text("staged\n")
    run_git(kb, "add", "foreign.txt")
    (kb / "loose.txt").write_text("untracked\n")


COMMANDS = {
    "record": (
        ["record", "memory", "Trap on exit", "-m", "Remove the folder."],
        "record(memory): Trap on exit",
        "memgit/record-trap-on-exit",
    ),
    "update": (
        ["update", "Quote every expansion", "-m", "Always."],
        "update(knowledge): Quote every expansion",
        "memgit/update-quote-every-expansion",
    ),
    "extend": (
        ["extend", "Quote every expansion", "-m", "More."],
        "extend(knowledge): Quote every expansion",
        "memgit/extend-quote-every-expansion",
    ),
    "archive": (
        ["archive", "Quote every expansion"],
        "archive(knowledge): Quote every expansion",
        "memgit/archive-quote-every-expansion",
    ),
    "rename": (
        ["rename", "Quote every expansion", "Quote all"],
        "rename(knowledge): Quote all",
        "memgit/rename-quote-all",
    ),
    "undo": (
        ["undo"],
        "revert: record(knowledge): Quote every expansion",
        "memgit/revert-record-knowledge-quote-every-expansion",
    ),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_an_operation_on_its_own_branch(busy: Path, name: str) -> None:
    args, subject, branch = COMMANDS[name]
    before, head = state(busy), run_git(busy, "rev-parse", "HEAD")
    done = propose(busy, "--", *args)
    assert state(busy) == before
    assert (done["branch"], done["base"], done["created"]) == (branch, head, True)
    assert run_git(busy, "rev-parse", branch) == done["commit"]
    assert run_git(busy, "log", "-1", "--format=%s %P", branch) == f"{subject} {head}"
    assert done["answer"]["commit"] == done["commit"]
    assert memgit(busy, "rebuild", "--check", "--at", branch).code == 0  # derived files came with it
    assert "hand edit" not in run_git(busy, "show", f"{branch}:knowledge-base/shell.md", check=False)
    fsck(busy)


def test_operations_stack_on_one_branch_and_read_it(busy: Path) -> None:
    before = state(busy)
    propose(
        busy, "--branch", "topic", "record", "knowledge", "First of two", "--category", "shell", "-m", "One."
    )
    second = propose(busy, "--branch", "topic", "--", "extend", "First of two", "-m", "And more.")
    linked = propose(busy, "--branch", "topic", "link", "First of two", "Quote every expansion")
    assert not second["created"] and second["base"] == linked["base"] == run_git(busy, "rev-parse", "HEAD")
    assert run_git(busy, "log", "--format=%s", "HEAD..topic").split("\n") == [
        "link(knowledge): First of two",
        "extend(knowledge): First of two",
        "record(knowledge): First of two",
    ]
    assert state(busy) == before
    memgit(busy, "show", "First of two", code=2)  # HEAD has no such record
    assert memgit(busy, "show", "First of two", "--at", "topic", "--json").json["related"] == [
        "shell#Quote every expansion"
    ]


def test_a_batch_is_one_commit_each_or_none(kb: Path) -> None:
    lines = [
        json.dumps({"kind": "knowledge", "title": f"Fact {number}", "body": "b", "category": "shell"})
        for number in range(3)
    ]
    (kb / "good.jsonl").write_text("\n".join(lines))
    done = propose(kb, "record", "--batch", str(kb / "good.jsonl"), "--each")
    assert (
        len(done["commits"]) == 3 and int(run_git(kb, "rev-list", "--count", f"main..{done['branch']}")) == 3
    )
    (kb / "bad.jsonl").write_text("\n".join([*lines, lines[0]]))  # the last is there already
    refs = run_git(kb, "for-each-ref")
    memgit(kb, "propose", "--branch", "bad", "record", "--batch", str(kb / "bad.jsonl"), "--each", code=1)
    assert run_git(kb, "for-each-ref") == refs


def test_lint_mends_on_the_branch(busy: Path) -> None:
    run_git(busy, "stash", "-q")
    index = busy / "knowledge-base/_index.json"
    index.write_text(
        index.read_text().replace('"entryCount": 1', '"entryCount": 7').replace('"count": 1', '"count": 7')
    )
    run_git(busy, "commit", "-q", "--no-verify", "-am", "a stale index")
    before = state(busy)
    done = propose(busy, "lint", "--fix", "--commit")
    assert done["branch"] == "memgit/fix-1-finding-of-mg101"
    assert not [one for one in done["answer"]["findings"] if one["rule"] == "MG101"]
    assert state(busy) == before and memgit(busy, "lint", "--select", "MG101", code=None).code == 1
    memgit(busy, "propose", "lint", "--fix", code=2)
    assert state(busy) == before


def test_duplicates_are_merged_and_labels_filled_on_the_branch(busy: Path) -> None:
    memgit(busy, "record", "knowledge", "Always quote", "--category", "bash", "-m", "Expansions split.")
    (busy / "knowledge-base/old.md").write_text("## Bare\n\n**Date:** 2026-01-01\n**Best Practice:**\n- x\n")
    run_git(busy, "add", "knowledge-base/old.md")
    run_git(busy, "commit", "-q", "--no-verify", "-m", "by hand", "knowledge-base/old.md")
    before = state(busy)
    merged = propose(busy, "--branch", "topic", "merge-records", "Quote every expansion", "Always quote")
    filled = propose(busy, "--branch", "topic", "upgrade")
    assert merged["commit"] and filled["answer"]["sources"] == 1 and state(busy) == before
    assert memgit(busy, "show", "Always quote", "--at", "topic", "--json").json["archived"]
    assert "**Source:**" in run_git(busy, "show", "topic:knowledge-base/old.md")


def test_an_ingest_on_its_own_branch(busy: Path, tmp_path: Path) -> None:
    source = (
        "# Notes\n\n## Pinning\n\nPin every dependency with `pip-compile`, so that builds are repeatable.\n"
    )
    (tmp_path / "notes.md").write_text(source)
    before = state(busy)
    done = propose(busy, "--", "ingest", str(tmp_path / "notes.md"), "--yes")
    assert str(done["branch"]).startswith("memgit/ingest-") and "created" not in str(done["branch"])
    assert done["answer"]["files"][0]["verdict"] == "created" and state(busy) == before
    assert "pip-compile" in run_git(busy, "log", "-1", "-p", "--format=", str(done["commit"]))


def test_nothing_to_change_makes_no_branch(busy: Path) -> None:
    propose(busy, "--branch", "gone", "archive", "Quote every expansion")
    refs = run_git(busy, "for-each-ref")
    done = propose(busy, "--branch", "gone", "archive", "Quote every expansion")
    assert done["commit"] is None and done["answer"]["action"] == "no_op"
    none = propose(busy, "restore", "Quote every expansion")
    assert none["branch"] is None and none["commit"] is None
    assert run_git(busy, "for-each-ref") == refs
    assert "no branch was touched" in memgit(busy, "propose", "restore", "Quote every expansion").out


def test_a_name_that_is_taken_gets_a_number(kb: Path) -> None:
    names = [
        propose(kb, "record", "memory", "Same", "--slug", f"s{number}", "-m", "x")["branch"]
        for number in range(3)
    ]
    assert names == ["memgit/record-same", "memgit/record-same-2", "memgit/record-same-3"]
    run_git(kb, "update-ref", "refs/remotes/origin/memgit/record-other", "HEAD")
    # somebody has pushed that name
    assert propose(kb, "record", "memory", "Other", "-m", "x")["branch"] == "memgit/record-other-2"


def test_a_branch_named_like_the_folder(kb: Path) -> None:
    run_git(kb, "branch", "memgit")
    assert propose(kb, "record", "memory", "Same", "-m", "x")["branch"] == "memgit-record-same"


@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    title=st.one_of(
        st.text(min_size=1, max_size=60),
        st.sampled_from(
            [
                "a..b",
                "~^:?*[\\",
                "-x",
                "x.lock",
                "@{",
                "/",
                "HEAD",
                "é" * 200,
                "学习",
                "😀😀",
                "$(id)",
                "`id`",
                "CON",
                "a/../b",
                "a\tb",
            ]
        ),
    )
)
def test_hostile_titles_give_safe_refs(kb: Path, title: str) -> None:
    answer = memgit(kb, "propose", "--json", "--", "record", "memory", "-m", "x", "--", title, code=None)
    if answer.code:
        assert answer.code == 2  # a title that no record can have
        return
    branch = answer.json["branch"]
    run_git(kb, "check-ref-format", f"refs/heads/{branch}")
    assert branch.startswith("memgit/record-") and not set(branch) & set(" $`'\"\\;|&<>()*?[]~^:\n\t")
    assert run_git(kb, "rev-parse", f"refs/heads/{branch}") == answer.json["commit"]


@pytest.mark.parametrize(
    "name", ["-x", "a..b", "a b", "HEAD", "x.lock", "a//b", "/", "", "a\udcffb", "@{-1}"]
)
def test_bad_branch_names(kb: Path, name: str) -> None:
    refs = run_git(kb, "for-each-ref")
    memgit(kb, "propose", f"--branch={name}", "record", "memory", "T", "-m", "x", code=2)
    assert run_git(kb, "for-each-ref") == refs


def test_branches_that_are_checked_out_are_refused(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "worktree", "add", "-q", "-b", "elsewhere", str(tmp_path / "linked"))
    refs = run_git(kb, "for-each-ref")
    for folder, name in (
        (kb, "main"),
        (kb, "elsewhere"),
        (tmp_path / "linked", "main"),
        (tmp_path / "linked", "elsewhere"),
        (kb, "refs/heads/main"),
    ):
        answer = memgit(folder, "propose", "--branch", name, "record", "memory", "T", "-m", "x", code=3)
        assert "checked out in" in answer.err
    assert run_git(kb, "for-each-ref") == refs
    done = propose(tmp_path / "linked", "record", "memory", "T", "-m", "x")
    assert done["branch"] == "memgit/record-t" and not status(tmp_path / "linked")


def test_a_name_for_the_branch_that_is_checked_out_is_refused(kb: Path) -> None:
    """A symbolic ref is written through: what would move is the branch that it stands for."""
    run_git(kb, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    run_git(kb, "symbolic-ref", "refs/heads/longer", "refs/heads/alias")
    run_git(kb, "branch", "free")
    run_git(kb, "symbolic-ref", "refs/heads/other", "refs/heads/free")
    before = state(kb)
    for name in ("alias", "longer"):
        assert (
            "checked out in"
            in memgit(kb, "propose", "--branch", name, "record", "memory", "T", "-m", "x", code=3).err
        )
    done = propose(kb, "--branch", "other", "record", "memory", "T", "-m", "x")
    assert run_git(kb, "rev-parse", "free") == done["commit"] and state(kb) == before
    run_git(kb, "symbolic-ref", "HEAD", "refs/heads/alias")
    memgit(kb, "propose", "--branch", "main", "record", "memory", "U", "-m", "x", code=3)


def test_the_configuration_counts_that_the_branch_has(busy: Path) -> None:
    (busy / ".memgit.yaml").write_text("kinds: {\n<<<<<<< HEAD\n")
    before = state(busy)
    done = propose(busy, "record", "memory", "Trap on exit", "-m", "x")
    assert run_git(busy, "show", f"{done['commit']}:memory/trap-on-exit.md") and state(busy) == before


def test_a_branch_that_is_being_rebased_is_refused(kb: Path) -> None:
    run_git(kb, "switch", "-q", "-c", "side")
    memgit(kb, "record", "memory", "On the side", "-m", "x")
    run_git(kb, "-c", "sequence.editor=sed -i s/^pick/edit/", "rebase", "-q", "-i", "main")
    answer = memgit(kb, "propose", "--branch", "side", "record", "memory", "T", "-m", "x", code=3)
    assert "being rebased" in answer.err
    # a branch of its own is no matter of the rebase
    assert propose(kb, "record", "memory", "T", "-m", "x")["created"]
    run_git(kb, "rebase", "--continue")


def test_detached_head_and_a_named_base(kb: Path) -> None:
    first = run_git(kb, "rev-parse", "HEAD")
    memgit(kb, "record", "memory", "Second commit", "-m", "x")
    run_git(kb, "switch", "-q", "--detach")
    head = run_git(kb, "rev-parse", "HEAD")
    assert propose(kb, "record", "memory", "A", "-m", "x")["base"] == head
    done = propose(kb, "--base", first, "record", "memory", "B", "-m", "x")
    assert done["base"] == first and run_git(kb, "rev-parse", f"{done['commit']}^") == first
    # that base has no such record
    memgit(kb, "propose", "--base", first, "update", "Second commit", "-m", "y", code=2)
    memgit(kb, "propose", "--base", "nowhere", "record", "memory", "C", "-m", "x", code=2)
    assert run_git(kb, "rev-parse", "HEAD") == head and not status(kb)


def test_an_unborn_branch(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "new")
    answer = memgit(tmp_path / "new", "propose", "record", "note", "T", "-m", "x", code=3)
    assert "no commit yet" in answer.err and not run_git(tmp_path / "new", "for-each-ref")


def test_a_bare_repository(busy: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(busy), "bare.git")
    bare = tmp_path / "bare.git"
    done = propose(bare, "update", "Quote every expansion", "-m", "In a bare one.")
    assert run_git(bare, "log", "-1", "--format=%P", str(done["branch"])) == run_git(
        bare, "rev-parse", "main"
    )
    memgit(bare, "propose", "--branch", "main", "record", "memory", "T", "-m", "x", code=3)
    fsck(bare)


def test_a_knowledge_root_in_a_folder_with_the_configuration_of_the_base(repo: Path) -> None:
    (repo / "code.py").write_text("print(1)\n")
    run_git(repo, "add", ".")
    run_git(repo, "commit", "-qm", "code")
    memgit(repo, "init", "docs/kb")
    (repo / "docs/kb/.memgit.yaml").write_text("layout: notes\n")  # on the disk alone
    done = propose(repo / "docs/kb", "record", "knowledge", "Deep", "--category", "shell", "-m", "x")
    names = run_git(repo, "diff", "--name-only", f"HEAD..{done['branch']}").split("\n")
    assert "docs/kb/knowledge-base/shell.md" in names and all(name.startswith("docs/kb/") for name in names)
    assert (repo / "docs/kb/.memgit.yaml").read_text() == "layout: notes\n"


def test_a_branch_known_from_the_remote_goes_on(busy: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", str(busy), "clone")
    propose(busy, "--branch", "topic", "record", "memory", "Begun elsewhere", "-m", "x")
    run_git(tmp_path / "clone", "fetch", "-q")
    done = propose(tmp_path / "clone", "--branch", "topic", "extend", "Begun elsewhere", "-m", "y")
    assert run_git(tmp_path / "clone", "rev-parse", "topic^") == run_git(busy, "rev-parse", "topic")
    assert done["push"] == ["git", "push", "-u", "origin", "topic"] and done["created"]
    run_git(tmp_path / "clone", *done["push"][1:])
    assert run_git(busy, "rev-parse", "topic") == done["commit"]


@pytest.mark.parametrize(
    "more", [[], ["--json"], ["--plan", "plan.yaml"], ["--map"], ["--plan", "-"]], ids=" ".join
)
@pytest.mark.parametrize("before", [[], ["--branch", "topic"], ["--json"]], ids=" ".join)
def test_an_ingest_that_nobody_agreed_to_is_refused(
    busy: Path, tmp_path: Path, before: list[str], more: list[str]
) -> None:
    """Without a terminal nobody is asked, so that nothing would be written: that is no success."""
    (tmp_path / "notes.md").write_text("# Notes\n\nRun `make test` first.\n")
    was = state(busy)
    answer = memgit(busy, "propose", *before, "--", "ingest", str(tmp_path / "notes.md"), *more, code=2)
    assert "--yes" in answer.err and "--plan" in answer.err and "--apply" in answer.err
    assert (
        answer.out == "" if "--json" not in (*before, *more) else answer.json["error"]["code"] == "BadInput"
    )
    assert run_git(busy, "for-each-ref", "--format=%(refname)") == "refs/heads/main"
    assert state(busy) == was and not (busy / "plan.yaml").exists() and not Path("plan.yaml").exists()


def test_an_ingest_by_a_plan_that_was_edited(busy: Path, tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("# Notes\n\nRun `make test` first.\n")
    plan = tmp_path / "plan.yaml"
    memgit(busy, "ingest", str(tmp_path / "notes.md"), "--plan", str(plan))
    plan.write_text(plan.read_text().replace("title: Notes", "title: Tests first"))
    done = propose(busy, "--branch", "topic", "--", "ingest", "--apply", str(plan))
    assert "create" in run_git(busy, "log", "-1", "--format=%B", "topic") and "#Tests first" in str(
        done["answer"]["changes"]
    )
    assert (
        "no branch was touched"
        in memgit(busy, "propose", "--", "ingest", str(tmp_path / "notes.md"), "--dry-run").out
    )


def test_the_push_command_is_safe_to_paste(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "hub.git")
    run_git(kb, "remote", "add", "hub", str(tmp_path / "hub.git"))
    answer = memgit(kb, "propose", "--branch", "a;touch$IFS'x'", "record", "memory", "T", "-m", "x")
    line = answer.out.strip().split("\n")[-1]
    assert line.startswith("publish: git push -u hub ")
    assert os.system(f"cd {kb} && {line.removeprefix('publish: ')} 2>/dev/null") == 0
    assert run_git(tmp_path / "hub.git", "for-each-ref", "--format=%(refname)") == "refs/heads/a;touch$IFS'x'"
    assert "no remote" in memgit(tmp_path_repo(tmp_path), "propose", "record", "memory", "T", "-m", "x").out


def tmp_path_repo(tmp_path: Path) -> Path:
    memgit(tmp_path, "init", "lonely")
    return tmp_path / "lonely"


def test_several_at_once(kb: Path) -> None:
    """Every proposal arrives: on one branch they stack, unnamed ones of one title get branches of their own."""
    from memgit.app.review.propose import Proposal
    from memgit.app.workspace import Context, open_workspace
    from memgit.app.write.record import Request, record

    failed: list[BaseException] = []

    def one(number: int) -> None:
        try:
            for branch in ("shared", None):
                workspace = open_workspace(str(kb), os.environ)
                workspace.propose(Proposal(branch))
                record(
                    workspace,
                    Context("2026-03-01", "2026-03-01T00:00:00Z", os.environ),
                    Request("memory", "Same", "x", slug=f"m{number}"),
                )
                workspace.close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=one, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failed, failed
    assert run_git(kb, "rev-list", "--count", "main..shared") == "6"
    assert len(run_git(kb, "for-each-ref", "refs/heads/memgit").split("\n")) == 6
    assert not status(kb)
    fsck(kb)


def test_commits_are_signed_where_the_user_wants_that(kb: Path, tmp_path: Path) -> None:
    signer = tmp_path / "signer"
    armour = "echo '-----BEGIN PGP SIGNATURE-----'; echo x; echo '-----END PGP SIGNATURE-----'"
    signer.write_text(f"#!/bin/sh\ncat >/dev/null\necho '[GNUPG:] SIG_CREATED ' >&2\n{armour}\n")
    signer.chmod(0o755)
    for key, value in (("commit.gpgsign", "true"), ("gpg.program", str(signer)), ("user.signingkey", "k")):
        run_git(kb, "config", key, value)
    done = propose(kb, "record", "memory", "Signed", "-m", "x")
    assert "gpgsig -----BEGIN PGP SIGNATURE-----" in run_git(kb, "cat-file", "commit", str(done["commit"]))
    signer.write_text("#!/bin/sh\nexit 1\n")
    refs = run_git(kb, "for-each-ref")
    assert "signed" in memgit(kb, "propose", "record", "memory", "Unsigned", "-m", "x", code=3).err
    assert run_git(kb, "for-each-ref") == refs


@pytest.mark.parametrize("args", [["init"], ["commit"], ["nothing"], ["list"], ["propose", "record"], []])
def test_what_cannot_be_proposed(kb: Path, args: list[str]) -> None:
    before = state(kb)
    memgit(kb, "propose", *args, code=2)
    memgit(kb, "propose", "record", "memory", "T", "-m", "x", "--stage", code=2)
    assert state(kb) == before
