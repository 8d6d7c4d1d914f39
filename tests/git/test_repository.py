"""Finding and opening a repository of every kind, and reading from it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from memgit.errors import NotFound, Refused
from memgit.git.objects.tree import FILE, LINK, SUBMODULE
from memgit.git.repository import Head, Repository
from tests.git.helpers import commit_files, opened
from tests.support import memgit, run_git


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"README": b"top\n", "docs/kb/a.md": b"a\n", "docs/kb/sub/b.md": b"b\n"})
    return repo


def test_opened_from_a_folder_deep_inside(kb: Path) -> None:
    repo = opened(kb / "docs/kb/sub")
    assert (repo.git_dir, repo.common_dir, repo.worktree) == (str(kb / ".git"), str(kb / ".git"), str(kb))
    assert not repo.bare
    assert repo.prefix == ""
    assert repo.index_file == str(kb / ".git/index")


def test_knowledge_root(kb: Path) -> None:
    repo = opened(kb).at_root(str(kb / "docs/kb"))
    assert (repo.prefix, repo.root) == ("docs/kb/", str(kb / "docs/kb"))
    head = repo.head().commit
    assert [path for path, _, _ in repo.tree(head).walk()] == ["a.md", "sub/b.md"]
    assert opened(kb).at_root(str(kb)).prefix == ""
    with pytest.raises(Refused, match="is not inside"):
        opened(kb).at_root(str(kb.parent))
    with pytest.raises(Refused, match="is not inside"):
        opened(kb).at_root(f"{kb}-sibling")


def test_knowledge_root_by_way_of_a_symlink(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "short").symlink_to(kb / "docs")
    repo = opened(tmp_path / "short/kb").at_root(str(tmp_path / "short/kb"))
    assert repo.prefix == "docs/kb/"


def test_root_that_is_a_file_in_an_old_commit(kb: Path) -> None:
    repo = opened(kb).at_prefix("README")
    assert list(repo.tree(repo.head().commit).walk()) == []


def test_nothing_there(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no git repository") as caught:
        opened(tmp_path)
    assert "memgit init" in str(caught.value.hint)
    with pytest.raises(NotFound, match="is not a folder"):
        opened(tmp_path / "none")


def test_ceilings(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(kb / "docs"))
    with pytest.raises(NotFound):
        opened(kb / "docs/kb")


def test_linked_worktree(kb: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    run_git(kb, "worktree", "add", "-q", "-b", "side", str(linked))
    repo = opened(linked)
    assert (repo.git_dir, repo.common_dir, repo.worktree) == (
        str(kb / ".git/worktrees/linked"),
        str(kb / ".git"),
        str(linked),
    )
    assert repo.head().ref == "refs/heads/side"
    assert repo.index_file == str(kb / ".git/worktrees/linked/index")


def test_linked_worktree_with_relative_paths(kb: Path, tmp_path: Path) -> None:
    """What `worktree.useRelativePaths` of git 2.48 writes."""
    linked = tmp_path / "linked"
    run_git(kb, "worktree", "add", "-q", str(linked))
    (linked / ".git").write_text("gitdir: ../repo/.git/worktrees/linked\n")
    (kb / ".git/worktrees/linked/gitdir").write_text("../../../../linked/.git\n")
    run_git(kb, "config", "core.repositoryFormatVersion", "1")
    run_git(kb, "config", "extensions.relativeWorktrees", "true")
    repo = opened(linked)
    assert repo.common_dir == str(kb / ".git")
    assert repo.worktree == str(linked)


def test_submodule(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "outer")
    outer = tmp_path / "outer"
    run_git(outer, "submodule", "--quiet", "add", f"file://{kb}", "sub")
    repo = opened(outer / "sub/docs")
    assert (repo.git_dir, repo.worktree) == (str(outer / ".git/modules/sub"), str(outer / "sub"))


def test_separate_git_directory(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", f"--separate-git-dir={tmp_path}/elsewhere", "work")
    repo = opened(tmp_path / "work")
    assert (repo.git_dir, repo.worktree) == (str(tmp_path / "elsewhere"), str(tmp_path / "work"))


def test_bare(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    repo = opened(tmp_path / "bare.git").at_prefix("docs/kb")
    assert repo.bare
    assert repo.worktree is None
    assert repo.tree(repo.head().commit).data("a.md") == b"a\n"
    with pytest.raises(Refused, match="bare"):
        repo.at_root(str(tmp_path))
    with pytest.raises(Refused, match="bare"):
        _ = repo.root


def test_inside_a_git_directory(kb: Path) -> None:
    assert opened(kb / ".git").git_dir == str(kb / ".git")


@pytest.mark.parametrize(
    ("key", "value", "word"),
    [
        ("extensions.objectFormat", "sha256", "sha256"),
        ("extensions.refStorage", "reftable", "refstorage"),
        ("core.repositoryFormatVersion", "9", "version"),
    ],
)
def test_format_that_is_not_understood(kb: Path, key: str, value: str, word: str) -> None:
    run_git(kb, "config", "core.repositoryFormatVersion", "1")
    run_git(kb, "config", key, value)
    with pytest.raises(Refused, match="format that memgit cannot read") as caught:
        opened(kb)
    assert word in str(caught.value).lower()
    assert caught.value.exit_code == 3


def needs(*options: str) -> None:
    """Skips the test where the installed git has no such option of `git init`."""
    shown = subprocess.run(["git", "init", "-h"], capture_output=True, text=True, check=False).stdout
    if not all(option in shown for option in options):
        pytest.skip(f"this git has no {' '.join(options)}")


@pytest.mark.parametrize(
    ("option", "hint"),
    [
        ("--object-format", "SHA-1 objects"),
        ("--ref-format", "git refs migrate --ref-format=files"),
    ],
)
def test_format_of_a_newer_git_is_refused_with_a_way_out(tmp_path: Path, option: str, hint: str) -> None:
    needs(option)
    value = {"--object-format": "sha256", "--ref-format": "reftable"}[option]
    run_git(tmp_path, "init", "-q", f"{option}={value}", "new")
    (tmp_path / "new/a.md").write_text("# A\n")
    run_git(tmp_path / "new", "add", "a.md")
    run_git(tmp_path / "new", "commit", "-q", "-m", "a")
    before = sorted(path.name for path in (tmp_path / "new").iterdir())
    for command in (["init"], ["list"], ["record", "memory", "B", "-m", "b"]):
        refused = memgit(tmp_path / "new", *command, code=3)
        assert "format that memgit cannot read" in refused.err and hint in refused.err
    assert sorted(path.name for path in (tmp_path / "new").iterdir()) == before
    if option == "--ref-format":
        version = run_git(tmp_path, "version").split()[2].split(".")
        if (int(version[0]), int(version[1])) >= (2, 48):  # older ones do not migrate reflogs
            run_git(tmp_path / "new", *hint.split()[1:])
            memgit(tmp_path / "new", "init", "--no-hooks")
            assert memgit(tmp_path / "new", "log", "--format", "json").code == 0


def test_extensions_that_do_not_matter(kb: Path) -> None:
    run_git(kb, "config", "core.repositoryFormatVersion", "1")
    run_git(kb, "config", "extensions.partialClone", "origin")
    run_git(kb, "config", "extensions.worktreeConfig", "true")
    assert opened(kb).head().ref == "refs/heads/main"


def test_repository_of_another_user(kb: Path, private_home: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("giving a folder away needs root")
    for path in (kb, kb / ".git"):
        os.chown(path, 12345, 12345)
    with pytest.raises(Refused, match="belongs to another user") as caught:
        opened(kb)
    assert caught.value.hint == f"git config --global --add safe.directory '{kb}'"
    run_git(kb, "config", "--global", "--add", "safe.directory", str(kb))
    assert opened(kb).worktree == str(kb)


def test_variables_of_a_hook_of_this_repository(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(kb)
    monkeypatch.setenv("GIT_DIR", ".git")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/next-index-1.lock")
    repo = opened(kb / "docs")
    assert repo.index_file == str(kb / ".git/next-index-1.lock")
    assert repo.variables["GIT_INDEX_FILE"] == repo.index_file
    monkeypatch.delenv("GIT_DIR")
    assert opened(kb).index_file == str(kb / ".git/next-index-1.lock")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert "GIT_INDEX_FILE" not in opened(kb).variables


def test_variables_of_a_hook_of_another_repository(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_git(tmp_path, "init", "-q", "other")
    monkeypatch.chdir(tmp_path / "other")
    monkeypatch.setenv("GIT_INDEX_FILE", ".git/index")
    assert opened(kb).index_file == str(kb / ".git/index")
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "other/.git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(tmp_path / "other"))
    repo = opened(kb)
    assert (repo.git_dir, repo.worktree, repo.index_file) == (
        str(kb / ".git"),
        str(kb),
        str(kb / ".git/index"),
    )


def test_variables_of_a_linked_worktree_do_not_hold_for_the_main_one(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked = tmp_path / "linked"
    run_git(kb, "worktree", "add", "-q", str(linked))
    git_dir = kb / ".git/worktrees/linked"
    monkeypatch.chdir(linked)
    monkeypatch.setenv("GIT_DIR", str(git_dir))
    monkeypatch.setenv("GIT_INDEX_FILE", str(git_dir / "index"))
    assert opened(linked).git_dir == str(git_dir)
    assert opened(kb).git_dir == str(kb / ".git")
    assert opened(kb).index_file == str(kb / ".git/index")


def test_git_directory_and_working_tree_named_by_the_user(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for dotfiles: the working tree holds no `.git`."""
    home = tmp_path / "dotfiles"
    home.mkdir()
    monkeypatch.setenv("GIT_DIR", str(kb / ".git"))
    monkeypatch.setenv("GIT_WORK_TREE", str(home))
    repo = opened(home)
    assert (repo.git_dir, repo.worktree) == (str(kb / ".git"), str(home))


@pytest.mark.parametrize("value", ["{home}", "../../dotfiles"])
def test_git_directory_named_by_the_user_and_working_tree_by_its_configuration(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    home = kb.parent / "dotfiles"
    (home / "folder").mkdir(parents=True)
    run_git(kb, "config", "core.worktree", value.format(home=home))
    monkeypatch.setenv("GIT_DIR", str(kb / ".git"))
    for place in (home, home / "folder"):
        repo = opened(place)
        assert (repo.git_dir, repo.worktree) == (str(kb / ".git"), str(home))
    (tmp_path / "elsewhere").mkdir()
    with pytest.raises(NotFound):
        opened(tmp_path / "elsewhere")


def test_objects_in_quarantine(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A pre-receive hook reads what a push brings before git lets it in."""
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    bare = tmp_path / "bare.git"
    quarantine = bare / "objects/incoming-x"
    quarantine.mkdir()
    environ = {
        **os.environ,
        "GIT_OBJECT_DIRECTORY": str(quarantine),
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(bare / "objects"),
    }
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    oid = run_git(bare, "hash-object", "-w", "--stdin", data=b"incoming\n")
    monkeypatch.chdir(bare)
    monkeypatch.setenv("GIT_DIR", ".")
    monkeypatch.setenv("GIT_QUARANTINE_PATH", str(quarantine))
    repo = opened(bare)
    assert repo.blob(oid) == b"incoming\n"
    assert repo.git("cat-file", "blob", oid) == b"incoming\n"
    monkeypatch.delenv("GIT_DIR")
    monkeypatch.delenv("GIT_OBJECT_DIRECTORY")
    with pytest.raises(NotFound):
        opened(kb).blob(oid)


def test_head(kb: Path, tmp_path: Path) -> None:
    commit = run_git(kb, "rev-parse", "HEAD")
    assert opened(kb).head() == Head("refs/heads/main", commit)
    run_git(kb, "checkout", "-q", "--detach")
    assert opened(kb).head() == Head(None, commit)
    run_git(kb, "checkout", "-q", "--orphan", "new")
    assert opened(kb).head() == Head("refs/heads/new", None)
    run_git(kb, "symbolic-ref", "HEAD", "refs/heads/alias")
    run_git(kb, "symbolic-ref", "refs/heads/alias", "refs/heads/main")
    assert opened(kb).head() == Head("refs/heads/alias", commit)
    (kb / ".git/HEAD").write_text("nonsense\n")
    with pytest.raises((Refused, NotFound)):
        opened(kb).head()


def test_resolve(kb: Path) -> None:
    one = run_git(kb, "rev-parse", "HEAD")
    two = commit_files(kb, {"x": b"x\n"})
    run_git(kb, "tag", "-a", "-m", "tag", "v1", one)
    repo = opened(kb)
    for rev, commit in {
        "HEAD": two,
        "main": two,
        "HEAD~1": one,
        "v1": one,
        one: one,
        one[:8]: one,
        "main@{1}": one,
        ":/before": two,
    }.items():
        assert repo.resolve(rev) == commit
    blob = run_git(kb, "rev-parse", "HEAD:x")
    for rev in ("none", "HEAD~9", "-x", "--all", "", "f" * 40, blob, "HEAD:x"):
        with pytest.raises(NotFound, match="no commit is named"):
            repo.resolve(rev)


def test_resolve_on_an_unborn_branch(repo: Path) -> None:
    with pytest.raises(NotFound, match="no commit yet"):
        opened(repo).resolve("HEAD")


def test_refs(kb: Path) -> None:
    commit = run_git(kb, "rev-parse", "HEAD")
    run_git(kb, "update-ref", "refs/memgit/usage/b", commit)
    run_git(kb, "update-ref", "refs/memgit/usage/a", commit)
    run_git(kb, "pack-refs", "--all")
    repo = opened(kb)
    assert list(repo.refs("refs/memgit/")) == ["refs/memgit/usage/a", "refs/memgit/usage/b"]
    assert repo.ref("refs/memgit/usage/a") == commit
    assert repo.ref("refs/memgit/none") is None


def test_ancestors(kb: Path) -> None:
    one = run_git(kb, "rev-parse", "HEAD")
    two = commit_files(kb, {"x": b"x\n"})
    repo = opened(kb)
    assert repo.is_ancestor(one, two)
    assert repo.is_ancestor(one, one)
    assert not repo.is_ancestor(two, one)
    assert not repo.is_ancestor("0" * 40, one)
    assert repo.parents_of(two) == [one]
    assert repo.parents_of(one) == []


def test_objects(kb: Path) -> None:
    repo = opened(kb)
    data = b"\0binary \xff" * 100
    oid = repo.write_blob(data)
    assert oid == repo.hash_blob(data) == run_git(kb, "hash-object", "--stdin", data=data)
    assert repo.blob(oid) == data
    with pytest.raises(NotFound, match="missing"):
        repo.blob("0" * 39 + "1")
    with pytest.raises(NotFound, match="is not a file"):
        repo.blob(run_git(kb, "rev-parse", "HEAD"))


def test_many_blobs(kb: Path) -> None:
    repo = opened(kb)
    wanted = {repo.write_blob(os.urandom(number * 37)): number for number in range(300)}
    missing, commit = "0" * 39 + "1", run_git(kb, "rev-parse", "HEAD")
    got = list(repo.blobs([*wanted, missing, commit]))
    assert [oid for oid, _ in got] == list(wanted)
    assert all(len(data) == wanted[oid] * 37 and repo.hash_blob(data) == oid for oid, data in got)


def test_object_packed_by_another_process(kb: Path) -> None:
    repo = opened(kb)
    oid = repo.write_blob(b"new\n")
    commit_files(kb, {"new": b"new\n"})
    run_git(kb, "gc", "-q", "--prune=now")
    assert repo.blob(oid) == b"new\n"
    assert repo.tree(repo.head().commit).data("new") == b"new\n"


def test_message(kb: Path) -> None:
    run_git(
        kb,
        "-c",
        "i18n.commitEncoding=ISO-8859-1",
        "commit",
        "-q",
        "--allow-empty",
        "-F",
        "-",
        data="Größe\n".encode("latin-1"),
    )
    repo = opened(kb)
    assert repo.message_of(str(repo.head().commit)) == "Größe\n"


def test_in_progress(kb: Path) -> None:
    repo = opened(kb)
    assert repo.in_progress() is None
    for name, operation in {
        "MERGE_HEAD": "merge",
        "CHERRY_PICK_HEAD": "cherry-pick",
        "REVERT_HEAD": "revert",
        "BISECT_LOG": "bisect",
    }.items():
        (kb / ".git" / name).write_text("x\n")
        assert repo.in_progress() == operation
        (kb / ".git" / name).unlink()
    for names, operation in (
        (["rebase-merge"], "rebase"),
        (["rebase-apply"], "rebase"),
        (["rebase-apply", "rebase-apply/applying"], "am"),
    ):
        for name in names:
            (kb / ".git" / name).mkdir()
        assert repo.in_progress() == operation
        for name in reversed(names):
            (kb / ".git" / name).rmdir()
    (kb / ".git/sequencer").mkdir()
    (kb / ".git/sequencer/todo").write_text("revert abc\n")
    assert repo.in_progress() == "revert"
    (kb / ".git/sequencer/todo").write_text("pick abc\n")
    assert repo.in_progress() == "cherry-pick"


def test_shallow_and_partial(kb: Path, tmp_path: Path) -> None:
    assert not opened(kb).shallow()
    assert not opened(kb).partial()
    run_git(kb, "config", "uploadpack.allowFilter", "true")
    run_git(tmp_path, "clone", "-q", "--depth=1", "--filter=blob:none", f"file://{kb}", "clone")
    assert opened(tmp_path / "clone").shallow()
    assert opened(tmp_path / "clone").partial()


def test_configuration(kb: Path) -> None:
    run_git(kb, "config", "--add", "Memgit.List", "one")
    run_git(kb, "config", "--add", "memgit.list", "two\nlines")
    run_git(kb, "config", "branch.Topic/X.remote", "origin")
    with (kb / ".git/config").open("a") as file:
        file.write("[memgit]\n\tflag\n\tsize = 2k\n\toff = no\n\tbroken = maybe\n")
    repo = opened(kb)
    assert repo.config["memgit.list"] == "two\nlines"
    assert repo.config["branch.Topic/X.remote"] == "origin"
    settings = repo.settings
    assert settings.truth("memgit.flag")
    assert not settings.truth("memgit.off", True)
    assert settings.truth("memgit.broken", True)
    assert settings.truth("memgit.size")
    assert not settings.truth("memgit.none")
    assert settings.number("memgit.size", 0) == 2048
    assert settings.number("memgit.broken", 7) == 7


def test_opening_starts_no_process(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: object, **options: object) -> int:
        raise AssertionError("a process was started")

    monkeypatch.setattr(os, "posix_spawn", refuse)
    repo = opened(kb)
    assert repo.tree(repo.head().commit).data("README") == b"top\n"


def test_tree_of_links_and_submodules(kb: Path) -> None:
    (kb / "link").symlink_to("README")
    run_git(kb, "add", "link")
    run_git(kb, "update-index", "--add", "--cacheinfo", f"160000,{run_git(kb, 'rev-parse', 'HEAD')},sub")
    run_git(kb, "commit", "-q", "-m", "odd")
    repo = opened(kb)
    tree = repo.tree(repo.head().commit)
    modes = {path: mode for path, mode, _ in tree.walk()}
    assert modes == {
        "README": FILE,
        "docs/kb/a.md": FILE,
        "docs/kb/sub/b.md": FILE,
        "link": LINK,
        "sub": SUBMODULE,
    }
    assert tree.file("link") is None
    assert tree.data("sub") is None
    assert Repository.hash_blob(b"") == "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391"
