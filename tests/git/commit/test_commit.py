"""One commit: what it holds, who made it, on which branch, and when it is refused."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit.commit import Change, commit_series
from memgit.git.objects.tree import Tree
from memgit.git.repository import Head
from tests.git.helpers import (
    MESSAGE,
    assert_in_order,
    commit_files,
    committed,
    line_merge,
    opened,
    porcelain,
    put,
)
from tests.support import run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    """A repository with one commit."""
    commit_files(repo, {"README": b"top\n", "kb/a.md": b"one\ntwo\nthree\n"})
    return repo


def test_commit_holds_the_change_alone(kb: Path) -> None:
    (kb / "README").write_text("edited\n")
    (kb / "staged").write_text("new\n")
    run_git(kb, "add", "staged")
    (kb / "loose").write_text("untracked\n")
    before = porcelain(kb)
    done = put(kb, {"kb/b.md": b"# B\n", "kb/deep/er/c.md": b"# C\n"})
    assert done.commit == run_git(kb, "rev-parse", "HEAD")
    assert run_git(kb, "show", "--name-only", "--format=%s", "HEAD").split("\n") == [
        "record(knowledge): A title",
        "",
        "kb/b.md",
        "kb/deep/er/c.md",
    ]
    assert porcelain(kb) == before
    assert (kb / "kb/deep/er/c.md").read_bytes() == b"# C\n"
    assert_in_order(kb, clean=False)


def test_message_and_reflog(kb: Path) -> None:
    put(kb, {"kb/b.md": b"# B\n"}, message="record: Größe 大小\n\nWhy: because\n\n\nMemgit-Op: record\n")
    assert (
        run_git(kb, "log", "-1", "--format=%B")
        == "record: Größe 大小\n\nWhy: because\n\n\nMemgit-Op: record\n"
    )
    assert (
        run_git(kb, "log", "-1", "-g", "--format=%gs|%gn|%ge")
        == "memgit: record: Größe 大小|Ada Moss|ada@example.org"
    )
    assert run_git(kb, "log", "-1", "-g", "--format=%gs", "main") == "memgit: record: Größe 大小"


def test_commit_encoding_is_utf8_whatever_the_configuration_says(kb: Path) -> None:
    run_git(kb, "config", "i18n.commitEncoding", "ISO-8859-1")
    put(kb, {"kb/b.md": b"# B\n"}, message="record: Größe\n")
    assert b"encoding" not in run_git(kb, "cat-file", "commit", "HEAD").encode().partition(b"\n\n")[0]
    assert "Größe" in run_git(kb, "cat-file", "commit", "HEAD")


def test_update_and_removal_leave_a_clean_status(kb: Path) -> None:
    commit_files(kb, {"kb/only/one.md": b"x\n"})
    put(kb, {"kb/a.md": b"one\n2\nthree\n", "kb/only/one.md": None})
    assert committed(kb, "kb/a.md") == "one\n2\nthree\n"
    assert not (kb / "kb/only").exists()
    assert_in_order(kb)


def test_stat_data_is_recorded(kb: Path) -> None:
    """Scripts ask `git diff-index` and `git diff-files` without a refresh; memgit must not make them see an
    edit.
    """
    put(kb, {"kb/b.md": b"# B\n", "kb/a.md": b"other\n"})
    assert run_git(kb, "diff-files", "--name-only") == ""
    assert run_git(kb, "diff-index", "--name-only", "HEAD") == ""


def test_nothing_to_change_makes_no_commit(kb: Path) -> None:
    before = run_git(kb, "rev-parse", "HEAD")
    assert put(kb, {"kb/a.md": b"one\ntwo\nthree\n", "kb/none.md": None}).commit is None
    assert put(kb, {}, build=lambda tree, head: None).commit is None
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert_in_order(kb)


def test_build_gets_the_tree_of_the_knowledge_root(kb: Path) -> None:
    seen: list[tuple[list[str], Head]] = []

    def build(tree: Tree, head: Head) -> Change:
        seen.append(([path for path, _, _ in tree.walk()], head))
        return Change({"b.md": b"# B\n"}, MESSAGE)

    put(kb, {}, prefix="kb", build=build)
    assert seen[0][0] == ["a.md"]
    assert seen[0][1].ref == "refs/heads/main"
    assert committed(kb, "kb/b.md") == "# B\n"
    assert_in_order(kb)


def test_knowledge_root_that_is_not_there_yet(kb: Path) -> None:
    put(kb, {"notes/x.md": b"x\n"}, prefix="docs/kb/")
    assert committed(kb, "docs/kb/notes/x.md") == "x\n"
    assert_in_order(kb)


def test_executable_bit_and_permissions_stay(kb: Path) -> None:
    script = kb / "kb/run.sh"
    commit_files(kb, {"kb/run.sh": b"#!/bin/sh\n"})
    script.chmod(0o755)
    run_git(kb, "commit", "-qam", "x")
    (kb / "kb/a.md").chmod(0o640)
    put(kb, {"kb/run.sh": b"#!/bin/sh\nexit\n", "kb/a.md": b"new\n"})
    assert run_git(kb, "ls-tree", "HEAD", "kb/run.sh").startswith("100755")
    assert script.stat().st_mode & 0o777 == 0o755
    assert (kb / "kb/a.md").stat().st_mode & 0o777 == 0o640
    assert_in_order(kb)


def test_a_mode_that_the_user_changed_is_not_staged(kb: Path) -> None:
    (kb / "kb/a.md").chmod(0o755)
    put(kb, {"kb/a.md": b"new\n"})
    assert run_git(kb, "ls-tree", "HEAD", "kb/a.md").startswith("100644")
    assert porcelain(kb) == [" M kb/a.md"]


def test_umask_holds_for_new_files(kb: Path) -> None:
    was = os.umask(0o027)
    try:
        put(kb, {"kb/b.md": b"# B\n"})
    finally:
        os.umask(was)
    assert (kb / "kb/b.md").stat().st_mode & 0o777 == 0o640


def test_file_makes_place_for_a_folder_and_back(kb: Path) -> None:
    put(kb, {"kb/a.md": None, "kb/a.md/inner.md": b"x\n"})
    assert committed(kb, "kb/a.md/inner.md") == "x\n"
    assert_in_order(kb)
    put(kb, {"kb/a.md/inner.md": None, "kb/a.md": b"y\n"})
    assert committed(kb, "kb/a.md") == "y\n"
    assert_in_order(kb)


def test_author_and_committer_from_the_environment(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "Cy")
    monkeypatch.setenv("GIT_AUTHOR_DATE", "@1500000000 -0330")
    monkeypatch.setenv("GIT_COMMITTER_EMAIL", "dee@example.org")
    put(kb, {"kb/b.md": b"# B\n"})
    assert run_git(kb, "log", "-1", "--format=%an <%ae> %ad|%cn <%ce>", "--date=raw") == (
        "Cy <ada@example.org> 1500000000 -0330|Ada Moss <dee@example.org>"
    )
    assert run_git(kb, "log", "-1", "-g", "--format=%ge") == "dee@example.org"


def test_unborn_branch_is_created(repo: Path) -> None:
    run_git(repo, "symbolic-ref", "HEAD", "refs/heads/topic/knowledge")
    (repo / "mine.txt").write_text("mine\n")
    run_git(repo, "add", "mine.txt")
    done = put(repo, {"kb/a.md": b"# A\n"})
    assert run_git(repo, "rev-parse", "refs/heads/topic/knowledge") == done.commit
    assert run_git(repo, "rev-list", "--count", "HEAD") == "1"
    assert porcelain(repo) == ["A  mine.txt"]
    assert_in_order(repo, clean=False)


def test_detached_head_commits_and_says_so(kb: Path) -> None:
    main = run_git(kb, "rev-parse", "main")
    run_git(kb, "checkout", "-q", "--detach")
    done = put(kb, {"kb/b.md": b"# B\n"})
    assert run_git(kb, "rev-parse", "HEAD") == done.commit
    assert run_git(kb, "rev-parse", "main") == main
    assert "detached" in done.notes[0]
    assert_in_order(kb)


def test_bare_repository_is_refused(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    with pytest.raises(Refused, match="bare") as caught:
        put(tmp_path / "bare.git", {"kb/b.md": b"x\n"})
    assert caught.value.exit_code == 3
    assert "worktree" in str(caught.value.hint)


def start_merge(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "-b", "side")
    commit_files(kb, {"kb/a.md": b"side\n"})
    run_git(kb, "checkout", "-q", "main")
    commit_files(kb, {"kb/a.md": b"main\n"})


@pytest.mark.parametrize(
    ("command", "name"),
    [
        (["merge", "side"], "merge"),
        (["rebase", "side"], "rebase"),
        (["cherry-pick", "side"], "cherry-pick"),
        (["revert", "--no-edit", "HEAD~1"], "revert"),
    ],
)
def test_operation_under_way_is_refused(kb: Path, command: list[str], name: str) -> None:
    start_merge(kb)
    if name == "revert":
        run_git(kb, "commit", "-q", "--allow-empty", "-m", "empty")
        commit_files(kb, {"kb/a.md": b"later\n"})
        command = ["revert", "--no-edit", "HEAD~2"]
    run_git(kb, *command, check=False)
    before = run_git(kb, "status")
    with pytest.raises(Refused, match=f"git {name} is under way") as caught:
        put(kb, {"kb/b.md": b"# B\n"})
    assert f"git {name}" in str(caught.value.hint) or name == "merge"
    assert run_git(kb, "status") == before


def test_am_under_way_is_refused(kb: Path) -> None:
    start_merge(kb)
    patch = run_git(kb, "format-patch", "-1", "side", "--stdout").encode() + b"\n"
    run_git(kb, "am", data=patch, check=False)
    with pytest.raises(Refused, match="git am is under way"):
        put(kb, {"kb/b.md": b"# B\n"})


def test_shallow_clone(kb: Path, tmp_path: Path) -> None:
    commit_files(kb, {"kb/a.md": b"later\n"})
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{kb}", "shallow")
    clone = tmp_path / "shallow"
    assert opened(clone).shallow()
    put(clone, {"kb/b.md": b"# B\n"})
    assert_in_order(clone)


def test_partial_clone(kb: Path, tmp_path: Path) -> None:
    commit_files(kb, {"kb/a.md": b"later\n", "kb/old.md": b"old\n"})
    commit_files(kb, {"kb/a.md": b"latest\n"})
    run_git(kb, "config", "uploadpack.allowFilter", "true")
    run_git(kb, "config", "uploadpack.allowAnySHA1InWant", "true")
    run_git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{kb}", "partial")
    clone = tmp_path / "partial"
    repo = opened(clone)
    assert repo.partial()
    tree = repo.tree(repo.resolve("HEAD~1"))
    assert tree.data("kb/a.md") == b"later\n"
    run_git(clone, "checkout", "-q", "main")
    put(clone, {"kb/a.md": b"mine\n"})
    assert porcelain(clone) == []


def test_linked_worktree(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "worktree", "add", "-q", "-b", "side", str(tmp_path / "linked"))
    linked = tmp_path / "linked"
    done = put(linked, {"kb/b.md": b"# B\n"})
    assert run_git(kb, "rev-parse", "side") == done.commit
    assert run_git(linked, "log", "-1", "-g", "--format=%gs", "HEAD").startswith("memgit: ")
    assert_in_order(linked)
    assert_in_order(kb)
    assert not (kb / "kb/b.md").exists()


def test_separate_git_directory_on_another_file_system(tmp_path: Path) -> None:
    shm = Path("/dev/shm")
    if not os.access(shm, os.W_OK) or shm.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("no second file system to write to")
    import tempfile

    with tempfile.TemporaryDirectory(dir=shm) as elsewhere:
        run_git(tmp_path, "init", "-q", f"--separate-git-dir={elsewhere}/git", "work")
        work = tmp_path / "work"
        commit_files(work, {"kb/a.md": b"one\n"})
        put(work, {"kb/a.md": b"two\n", "kb/new/b.md": b"# B\n"})
        put(work, {"kb/a.md": None})
        assert_in_order(work)
        (work / "kb/new/b.md").write_bytes(b"# B\nmine\n")
        put(work, {"kb/new/b.md": b"top\n# B\n"})
        assert (work / "kb/new/b.md").read_bytes() == b"top\n# B\nmine\n"


def test_names_of_every_kind(kb: Path) -> None:
    names = [
        'a "quoted".md',
        "tab\there.md",
        "line\nbreak.md",
        "émoji 🎉.md",
        "nfd e\u0301.md",
        "back\\slash.md",
        "-dash.md",
        "*.md",
        ":(top)x.md",
        "[a].md",
        "latin \udce9.md",
        "名前/知識.md",
        " lead.md",
        "trail .md",
    ]
    put(kb, {f"kb/{name}": f"{number}\n".encode() for number, name in enumerate(names)})
    assert_in_order(kb)
    tree = opened(kb).tree(run_git(kb, "rev-parse", "HEAD"))
    for number, name in enumerate(names):
        assert tree.data(f"kb/{name}") == f"{number}\n".encode()
    for name in names:
        with open(os.fsencode(kb) + b"/kb/" + name.encode("utf-8", "surrogateescape"), "ab") as file:
            file.write(b"mine\n")
    put(kb, {f"kb/{name}": b"top\n" + f"{number}\n".encode() for number, name in enumerate(names)})
    assert len(porcelain(kb)) == len(names)
    run_git(kb, "checkout", "-q", ".")
    put(kb, {f"kb/{name}": None for name in names})
    assert_in_order(kb)


@pytest.mark.parametrize(
    "path",
    [
        "../x.md",
        "/etc/x",
        "kb/../../x",
        "",
        "kb//x.md",
        "kb/./x",
        ".git/hooks/pre-commit",
        "kb/.GIT/x",
        "kb/.g\u200cit/x",
        "kb/git~1/x",
        "kb/.git /x",
    ],
)
def test_paths_that_must_not_be_written(kb: Path, path: str) -> None:
    with pytest.raises(Refused) as caught:
        put(kb, {path: b"x\n"})
    assert caught.value.path == path
    assert_in_order(kb)


def test_symlinks_are_not_followed(kb: Path, tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "x.md").write_text("theirs\n")
    (kb / "link").symlink_to(outside)
    (kb / "kb/file-link.md").symlink_to(outside / "x.md")
    for path in ("link/x.md", "link/new.md", "kb/file-link.md"):
        with pytest.raises(Refused, match="symlink"):
            put(kb, {path: b"mine\n"})
    run_git(kb, "add", "link", "kb/file-link.md")
    run_git(kb, "commit", "-q", "-m", "links")
    for path in ("link/x.md", "kb/file-link.md"):
        with pytest.raises(Refused, match="symlink"):
            put(kb, {path: b"mine\n"})
    assert (outside / "x.md").read_text() == "theirs\n"
    assert list(outside.iterdir()) == [outside / "x.md"]
    assert_in_order(kb)


def test_submodule_border(kb: Path, tmp_path: Path) -> None:
    inner = tmp_path / "inner"
    inner.mkdir()
    run_git(inner, "init", "-q")
    commit_files(inner, {"kb/a.md": b"inner\n"})
    run_git(kb, "submodule", "--quiet", "add", f"file://{inner}", "sub")
    run_git(kb, "commit", "-q", "-m", "submodule")
    with pytest.raises(Refused, match="submodule"):
        put(kb, {"sub/kb/a.md": b"mine\n"})
    put(kb / "sub/kb", {"kb/b.md": b"# B\n"})
    assert run_git(kb / "sub", "log", "-1", "--format=%s") == "record(knowledge): A title"
    assert porcelain(kb) == [" M sub"]


def test_repository_inside_is_not_written_to(kb: Path) -> None:
    run_git(kb, "init", "-q", "nested")
    with pytest.raises(Refused, match="another repository"):
        put(kb, {"nested/a.md": b"x\n"})
    assert not (kb / "nested/a.md").exists()


def test_names_that_differ_by_case_where_case_is_ignored(kb: Path) -> None:
    run_git(kb, "config", "core.ignorecase", "true")
    for path in ("kb/A.md", "KB/new.md", "readme"):
        with pytest.raises(Refused, match="only by case"):
            put(kb, {path: b"x\n"})
    with pytest.raises(Refused, match="only by case"):
        put(kb, {"kb/new.md": b"x\n", "kb/New.md": b"x\n"})
    put(kb, {"kb/new.md": b"x\n"})
    assert_in_order(kb)


def test_folder_in_the_way(kb: Path) -> None:
    with pytest.raises(Refused, match="folder"):
        put(kb, {"kb": b"x\n"})
    (kb / "kb/loose").mkdir()
    with pytest.raises(Refused, match="folder"):
        put(kb, {"kb/loose": b"x\n"})
    (kb / "kb/file").write_text("untracked\n")
    with pytest.raises(Refused, match="is a file"):
        put(kb, {"kb/file/x.md": b"x\n"})
    with pytest.raises(Refused, match="is a file"):
        put(kb, {"README/x.md": b"x\n"})


def test_user_amends_between_two_writes(kb: Path) -> None:
    put(kb, {"kb/b.md": b"# B\n"})
    run_git(kb, "commit", "-q", "--amend", "-m", "in my words")
    put(kb, {"kb/c.md": b"# C\n"})
    assert run_git(kb, "log", "--format=%s").split("\n") == [
        "record(knowledge): A title",
        "in my words",
        "before",
    ]
    assert_in_order(kb)


def test_head_moves_while_the_change_is_built(kb: Path) -> None:
    calls: list[str | None] = []

    def build(tree: Tree, head: Head) -> Change:
        calls.append(head.commit)
        if len(calls) == 1:
            commit_files(kb, {"kb/a.md": b"one\ntwo\nthree\nfour\n"}, "theirs")
        text = tree.data("kb/a.md") or b""
        return Change({"kb/a.md": text + b"mine\n"}, MESSAGE)

    put(kb, {}, build=build)
    assert len(calls) == 2
    assert committed(kb, "kb/a.md") == "one\ntwo\nthree\nfour\nmine\n"
    assert_in_order(kb)


def test_branch_is_switched_while_the_change_is_built(kb: Path) -> None:
    run_git(kb, "branch", "side")
    calls: list[str | None] = []

    def build(tree: Tree, head: Head) -> Change:
        calls.append(head.ref)
        if len(calls) == 1:
            run_git(kb, "symbolic-ref", "HEAD", "refs/heads/side")
        return Change({"kb/b.md": b"# B\n"}, MESSAGE)

    put(kb, {}, build=build)
    assert run_git(kb, "log", "-1", "--format=%s", "HEAD") == "record(knowledge): A title"
    assert run_git(kb, "log", "-1", "--format=%s", "main") == "before"


def test_what_build_raises_changes_nothing(kb: Path) -> None:
    def build(tree: Tree, head: Head) -> Change:
        raise KeyError("bug")

    with pytest.raises(KeyError):
        put(kb, {}, build=build)
    assert_in_order(kb)


def test_many_files_at_once(kb: Path) -> None:
    edits: dict[str, bytes | None] = {
        f"kb/{number // 100}/{number}.md": f"{number}\n".encode() for number in range(3000)
    }
    put(kb, edits)
    assert_in_order(kb)
    put(kb, {path: (None if number % 3 else b"new\n") for number, path in enumerate(edits)})
    assert run_git(kb, "ls-files", "kb/*/*").count("\n") + 1 == 1000
    assert_in_order(kb)


def test_stage_without_a_commit(kb: Path) -> None:
    (kb / "other").write_text("x\n")
    run_git(kb, "add", "other")
    head = run_git(kb, "rev-parse", "HEAD")
    done = put(kb, {"kb/a.md": b"zero\none\ntwo\nthree\n", "kb/b.md": b"# B\n"}, stage=True)
    assert done.commit is None
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert porcelain(kb) == ["M  kb/a.md", "A  kb/b.md", "A  other"]
    assert_in_order(kb, clean=False)
    run_git(kb, "commit", "-q", "-m", "all of it")
    assert_in_order(kb)


def test_worktree_of_a_bare_repository(kb: Path, tmp_path: Path) -> None:
    """A common arrangement: a bare clone, and every branch in a linked worktree."""
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    linked = tmp_path / "linked"
    run_git(tmp_path / "bare.git", "worktree", "add", "-q", str(linked), "main")
    assert not opened(linked).bare
    put(linked, {"kb/b.md": b"# B\n"})
    assert_in_order(linked)


def test_series_of_commits(kb: Path) -> None:
    (kb / "kb/a.md").write_bytes(b"one\ntwo\nthree\nmine\n")

    def build(tree: Tree, head: Head) -> list[Change]:
        text = tree.data("kb/a.md") or b""
        same = Change({"README": b"top\n"}, "nothing\n")
        return [
            Change({"kb/a.md": b"%d\n" % n + text, f"kb/{n}.md": b"x\n", "kb/8.md": None}, f"record: {n}\n")
            for n in range(10)
        ] + [same]

    done = commit_series(opened(kb), build, merge=line_merge)
    assert run_git(kb, "log", "--reverse", "--format=%H %s").split("\n")[1:] == [
        f"{oid} record: {n}" for n, oid in enumerate(done.commits)
    ]
    assert done.commit == done.commits[-1]
    assert len(done.commits) == 10
    assert run_git(kb, "show", "--name-status", "--format=", "HEAD~4").split("\n") == [
        "A\tkb/5.md",
        "M\tkb/a.md",
    ]
    assert (kb / "kb/a.md").read_bytes() == b"9\none\ntwo\nthree\nmine\n"
    assert not (kb / "kb/8.md").exists()
    assert porcelain(kb) == [" M kb/a.md"]
    assert_in_order(kb, clean=False)


def test_series_that_comes_to_nothing(kb: Path) -> None:
    assert commit_series(opened(kb), lambda tree, head: [], merge=line_merge).commits == ()
    assert_in_order(kb)


def test_no_identity_is_needed_to_stage_or_to_change_nothing(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_AUTHOR_NAME", "")
    monkeypatch.setenv("GIT_COMMITTER_NAME", "")
    assert put(kb, {"README": b"top\n"}).commit is None
    put(kb, {"README": b"new\n"}, stage=True)
    assert porcelain(kb) == ["M  README"]


def test_path_of_an_error_counts_from_the_knowledge_root(kb: Path) -> None:
    (kb / "kb/link").symlink_to("a.md")
    for path in ("link", ".git/x", "a.md/x"):
        with pytest.raises(Refused) as caught:
            put(kb, {path: b"x\n"}, prefix="kb")
        assert caught.value.path == path


def test_large_changes_are_packed(kb: Path) -> None:
    put(kb, {f"kb/{number}.md": b"%d\n" % number for number in range(500)})
    assert len(list((kb / ".git/objects/pack").glob("*.pack"))) == 1
    assert_in_order(kb)
