from __future__ import annotations

from pathlib import Path

from tests.support import count_commits, fsck, memgit, run_git, status


def test_init_makes_a_repository_with_one_commit(tmp_path: Path) -> None:
    answer = memgit(tmp_path, "init", "kb", "--json")
    folder = tmp_path / "kb"
    assert answer.json["commit"] == run_git(folder, "rev-parse", "HEAD")
    assert count_commits(folder) == 1
    assert status(folder) == ""
    fsck(folder)
    assert run_git(folder, "log", "-1", "--format=%s") == "init: knowledge repository"
    assert (folder / ".memgit.yaml").is_file()
    assert "merge=memgit" in (folder / ".gitattributes").read_text()
    assert run_git(folder, "config", "merge.memgit.driver").endswith("|| exit 1;; esac")


def test_a_second_init_changes_nothing(kb: Path) -> None:
    before = run_git(kb, "rev-parse", "HEAD")
    assert "already" in memgit(kb, "init").out
    assert run_git(kb, "rev-parse", "HEAD") == before
    assert status(kb) == ""


def test_init_adds_to_a_repository_and_leaves_the_rest_alone(repo: Path) -> None:
    (repo / "code.py").write_text("x = 1\n")
    (repo / ".gitattributes").write_bytes(b"*.png binary\r\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "code")
    (repo / "code.py").write_text("x = 2\n")
    (repo / "new.txt").write_text("mine\n")
    run_git(repo, "add", "new.txt")
    memgit(repo, "init")
    assert status(repo) == " M code.py\nA  new.txt"
    attributes = (repo / ".gitattributes").read_bytes()
    assert attributes.startswith(b"*.png binary\r\n")
    assert b"\r\n# /memgit\r\n" in attributes
    assert attributes.count(b"merge=memgit\r\n") == attributes.count(b"merge=memgit")
    memgit(repo, "init")
    assert (repo / ".gitattributes").read_bytes() == attributes


def test_init_in_a_folder_of_a_code_repository(repo: Path) -> None:
    (repo / "code.py").write_text("x = 1\n")
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qm", "code")
    memgit(repo, "init", "docs/kb")
    memgit(repo / "docs" / "kb", "record", "memory", "Where it lies", "-m", "Inside.")
    assert (repo / "docs/kb/memory/where-it-lies.md").is_file()
    assert status(repo) == ""
    assert memgit(repo / "docs" / "kb", "list", "--json").json[0]["path"] == "memory/where-it-lies.md"


def test_init_without_an_identity_says_what_to_do(tmp_path: Path, private_home: Path) -> None:
    (private_home / ".gitconfig").write_text("[user]\n\tuseConfigOnly = true\n")
    answer = memgit(tmp_path, "init", "kb", code=3)
    assert "user.name" in answer.err or "user.email" in answer.err
    (private_home / ".gitconfig").write_text("[user]\n\tname = Ada\n\temail = a@example.org\n")
    memgit(tmp_path, "init", "kb")
    assert count_commits(tmp_path / "kb") == 1


def test_an_unknown_layout_is_wrong_usage(tmp_path: Path) -> None:
    assert "layout" in memgit(tmp_path, "init", "kb", "--layout", "zettel", code=2).err


def test_a_bare_repository_is_refused(tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "bare")
    assert "bare" in memgit(tmp_path, "init", "bare", code=3).err


def test_a_workspace_of_another_system_keeps_its_layout(tmp_path: Path) -> None:
    folder = tmp_path / "ws"
    (folder / ".memory" / "10-Memories").mkdir(parents=True)
    memgit(tmp_path, "init", "ws")
    assert "layout: vault" in (folder / ".memgit.yaml").read_text()
