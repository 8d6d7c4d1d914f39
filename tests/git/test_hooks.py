"""Hooks of other tools around a memgit commit."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import hooks
from memgit.git.commit.commit import Change, commit_series
from tests.git.helpers import (
    MESSAGE,
    assert_in_order,
    commit_files,
    committed,
    line_merge,
    opened,
    porcelain,
    put,
    staged,
)
from tests.support import run_git

ROOT = Path(__file__).resolve().parents[2]
BASE = b"one\ntwo\nthree\n"


@pytest.fixture
def kb(repo: Path) -> Path:
    commit_files(repo, {"a.md": BASE, "other": b"x\n", ".gitignore": b"seen-*\n"})
    return repo


def hook(kb: Path, name: str, script: str, folder: str = ".git/hooks") -> None:
    path = kb / folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def test_hooks_see_the_commit_as_git_would_show_it(kb: Path) -> None:
    (kb / "other").write_text("staged\n")
    run_git(kb, "add", "other")
    (kb / "loose").write_text("loose\n")
    for name in ("pre-commit", "prepare-commit-msg", "commit-msg"):
        hook(
            kb,
            name,
            f'{{ echo "args: $*"; pwd; echo "$MEMGIT_COMMIT $GIT_EDITOR $GIT_AUTHOR_NAME"; echo '
            f'"dir: ${{GIT_DIR-none}}";'
            " git diff --cached --name-only; git show :a.md | head -1; head -1 a.md; git diff "
            f"--name-only; }} > seen-{name}",
        )
    hook(kb, "post-commit", 'echo "$GIT_INDEX_FILE" > seen-post; git log -1 --format=%s >> seen-post')
    put(kb, {"a.md": b"ONE\ntwo\nthree\n", "new.md": b"new\n"})
    for name, args in (
        ("pre-commit", ""),
        ("prepare-commit-msg", ".git/COMMIT_EDITMSG message"),
        ("commit-msg", ".git/COMMIT_EDITMSG"),
    ):
        seen = (kb / f"seen-{name}").read_text().split("\n")
        assert seen == [
            f"args: {args}",
            str(kb),
            "1 : Ada Moss",
            "dir: none",
            "a.md",
            "new.md",
            "ONE",
            "ONE",
            "other",
            "",
        ]
    assert (kb / "seen-post").read_text().split("\n") == [
        str(kb / ".git/index"),
        "record(knowledge): A title",
        "",
    ]
    assert porcelain(kb) == ["M  other", "?? loose"]
    assert_in_order(kb, clean=False)


def test_hooks_in_a_linked_worktree(kb: Path, tmp_path: Path) -> None:
    linked = tmp_path / "linked"
    run_git(kb, "worktree", "add", "-q", str(linked))
    hook(
        kb,
        "pre-commit",
        'echo "$GIT_DIR" > seen-it; pwd >> seen-it; git diff --cached --name-only >> seen-it',
    )
    hook(kb, "commit-msg", 'echo "$1" >> seen-it')
    put(linked, {"a.md": b"ONE\n"})
    git_dir = kb / ".git/worktrees/linked"
    assert (linked / "seen-it").read_text().split("\n") == [
        str(git_dir),
        str(linked),
        "a.md",
        str(git_dir / "COMMIT_EDITMSG"),
        "",
    ]
    assert_in_order(linked)


def test_failing_hook_puts_everything_back_and_the_next_write_works(kb: Path) -> None:
    (kb / "a.md").write_bytes(BASE + b"four\n")
    (kb / "other").write_text("staged\n")
    run_git(kb, "add", "other")
    before = porcelain(kb)
    head = run_git(kb, "rev-parse", "HEAD")
    hook(
        kb,
        "pre-commit",
        "if git show :a.md | grep -q bad; then echo 'no bad words' >&2; echo 'on stdout'; exit 1; fi",
    )
    with pytest.raises(
        Refused, match="the pre-commit hook refused the commit: no bad words\non stdout"
    ) as caught:
        put(kb, {"a.md": b"bad\ntwo\nthree\n", "sub/new.md": b"new\n", ".gitignore": None})
    assert caught.value.exit_code == 3
    assert porcelain(kb) == before
    assert (kb / "a.md").read_bytes() == BASE + b"four\n"
    assert not (kb / "sub").exists()
    assert run_git(kb, "rev-parse", "HEAD") == head
    assert_in_order(kb, clean=False)
    put(kb, {"a.md": b"good\ntwo\nthree\n"})
    assert (kb / "a.md").read_bytes() == b"good\ntwo\nthree\nfour\n"
    assert porcelain(kb) == [" M a.md", "M  other"]
    assert_in_order(kb, clean=False)


def test_failing_message_hook(kb: Path) -> None:
    hook(kb, "commit-msg", 'grep -q TICKET "$1" || { echo "no ticket"; exit 1; }')
    with pytest.raises(Refused, match="the commit-msg hook refused the commit: no ticket"):
        put(kb, {"a.md": b"ONE\n"})
    assert_in_order(kb)
    put(kb, {"a.md": b"ONE\n"}, message="record: TICKET-1\n")
    assert_in_order(kb)


def test_hook_that_modifies_and_stages(kb: Path) -> None:
    hook(kb, "pre-commit", "sed -i s/bad/good/ a.md && echo extra > extra.md && git add a.md extra.md")
    put(kb, {"a.md": b"bad\ntwo\nthree\n"})
    assert committed(kb, "a.md") == "good\ntwo\nthree\n"
    assert committed(kb, "extra.md") == "extra\n"
    assert_in_order(kb)


def test_hook_that_modifies_without_staging(kb: Path) -> None:
    hook(kb, "pre-commit", "sed -i s/bad/good/ a.md")
    put(kb, {"a.md": b"bad\ntwo\nthree\n"})
    assert committed(kb, "a.md") == "bad\ntwo\nthree\n"
    assert staged(kb, "a.md") == "bad\ntwo\nthree\n"
    assert (kb / "a.md").read_text() == "good\ntwo\nthree\n"
    assert porcelain(kb) == [" M a.md"]
    assert_in_order(kb, clean=False)


def test_hook_that_modifies_and_fails(kb: Path) -> None:
    """As formatters do: the file is put back, and what the hook had made of it is kept where the message
    says.
    """
    hook(kb, "pre-commit", "sed -i s/bad/good/ a.md; echo 'files were modified by this hook'; exit 1")
    with pytest.raises(Refused, match="files were modified by this hook") as caught:
        put(kb, {"a.md": b"bad\ntwo\nthree\n"})
    assert (kb / "a.md").read_bytes() == BASE
    kept = Path(caught.value.message.rpartition(" is in ")[2])
    assert kept.read_text() == "good\ntwo\nthree\n"
    assert_in_order(kb)


def test_hook_beside_edits_of_the_user(kb: Path) -> None:
    """The commit holds the change alone, so the hook is shown that in the index, and the user's edits in the
    working tree.
    """
    (kb / "a.md").write_bytes(BASE + b"mine\n")
    hook(kb, "pre-commit", "git show :a.md > seen-it")
    put(kb, {"a.md": b"top\n" + BASE})
    assert (kb / "seen-it").read_bytes() == b"top\n" + BASE
    assert porcelain(kb) == [" M a.md"]


def test_hook_that_changes_the_message(kb: Path) -> None:
    hook(kb, "prepare-commit-msg", 'printf "\\n\\nTicket: 7  \\n\\n" >> "$1"')
    hook(kb, "commit-msg", 'sed -i "1s/^/[kb] /" "$1"')
    put(kb, {"a.md": b"ONE\n"}, message="record: x\n\nMemgit-Op: record\n")
    assert run_git(kb, "log", "-1", "--format=%B") == "[kb] record: x\n\nMemgit-Op: record\n\nTicket: 7\n"


def test_hook_that_empties_the_message(kb: Path) -> None:
    hook(kb, "commit-msg", ': > "$1"')
    with pytest.raises(Refused, match="empty commit message"):
        put(kb, {"a.md": b"ONE\n"})
    assert_in_order(kb)


def test_hook_that_takes_everything_out_again(kb: Path) -> None:
    hook(kb, "pre-commit", "git reset -q")
    with pytest.raises(Refused, match="left nothing to commit"):
        put(kb, {"a.md": b"ONE\n"})
    assert_in_order(kb)


def test_hook_that_takes_one_path_out(kb: Path) -> None:
    hook(kb, "pre-commit", "git reset -q -- a.md")
    put(kb, {"a.md": b"ONE\n", "new.md": b"new\n"})
    assert run_git(kb, "show", "--name-only", "--format=", "HEAD") == "new.md"
    assert porcelain(kb) == [" M a.md"]


def test_hooks_path(kb: Path) -> None:
    run_git(kb, "config", "core.hooksPath", ".husky")
    hook(kb, "pre-commit", "echo wrong > seen-wrong; exit 1")
    hook(kb, "pre-commit", "echo right > seen-right", ".husky")
    put(kb, {"a.md": b"ONE\n"})
    assert (kb / "seen-right").exists()
    assert not (kb / "seen-wrong").exists()
    assert porcelain(kb) == ["?? .husky/pre-commit"]


def test_samples_and_files_that_may_not_be_run_are_no_hooks(kb: Path) -> None:
    hook(kb, "pre-commit.sample", "exit 1")
    hook(kb, "pre-commit", "exit 1")
    (kb / ".git/hooks/pre-commit").chmod(0o644)
    put(kb, {"a.md": b"ONE\n"})
    assert_in_order(kb)


def test_hook_without_a_shebang(kb: Path) -> None:
    path = kb / ".git/hooks/pre-commit"
    path.write_text("echo ran > seen-it\n")
    path.chmod(0o755)
    put(kb, {"a.md": b"ONE\n"})
    assert (kb / "seen-it").exists()


def test_what_hooks_say_is_passed_on(kb: Path) -> None:
    hook(kb, "pre-commit", "echo all is well")
    hook(kb, "post-commit", "echo pushed; exit 1")
    assert put(kb, {"a.md": b"ONE\n"}).notes == ("pre-commit: all is well", "post-commit: pushed")


def test_no_hook_runs_for_staging(kb: Path) -> None:
    hook(kb, "pre-commit", "exit 1")
    put(kb, {"a.md": b"ONE\n"}, stage=True)
    assert porcelain(kb) == ["M  a.md"]


def test_hook_that_leaves_a_process_behind(kb: Path) -> None:
    hook(kb, "pre-commit", "sleep 20 & echo started")
    assert put(kb, {"a.md": b"ONE\n"}).notes == ("pre-commit: started",)


def test_reference_transaction_hook_is_told(kb: Path) -> None:
    hook(kb, "reference-transaction", '[ "$1" = committed ] && cat >> seen-refs; exit 0')
    done = put(kb, {"a.md": b"ONE\n"})
    assert f"{done.commit} refs/heads/main" in (kb / "seen-refs").read_text()
    hook(kb, "reference-transaction", '[ "$1" = prepared ] && { echo "frozen" >&2; exit 1; }; exit 0')
    with pytest.raises(Refused, match=r"frozen|ref updates aborted"):
        put(kb, {"a.md": b"TWO\n"})
    assert_in_order(kb)


def test_hooks_on_an_unborn_branch(repo: Path) -> None:
    hook(repo, "pre-commit", "git diff --cached --name-only > ../seen")
    (repo / "mine").write_text("x\n")
    run_git(repo, "add", "mine")
    put(repo, {"a.md": b"a\n"})
    assert (repo / "../seen").read_text() == "a.md\n"
    assert porcelain(repo) == ["A  mine"]
    assert_in_order(repo, clean=False)


def test_index_changed_while_a_hook_runs(kb: Path) -> None:
    hook(kb, "pre-commit", "echo late > late; GIT_INDEX_FILE=.git/index git add late")
    put(kb, {"a.md": b"ONE\n"})
    assert run_git(kb, "show", "--name-only", "--format=", "HEAD") == "a.md"
    assert porcelain(kb) == ["A  late"]


def test_head_moves_while_a_hook_runs(kb: Path) -> None:
    hook(
        kb,
        "pre-commit",
        (
            "[ -e ../moved ] && exit 0; touch ../moved; env -u GIT_INDEX_FILE git commit -q --no-verify "
            "--allow-empty -m theirs"
        ),
    )
    put(kb, {"a.md": b"ONE\n"}, message=MESSAGE)
    assert run_git(kb, "log", "--format=%s").split("\n") == ["record(knowledge): A title", "theirs", "before"]
    assert_in_order(kb)


def test_hook_of_memgit_alone_is_not_started(kb: Path) -> None:
    for name in (*hooks.BEFORE, "post-commit"):
        hook(kb, name, f"{hooks.ALONE.decode()}\nexit 1")
    put(kb, {"a.md": b"ONE\n"})
    assert hooks.present(opened(kb)) == {}
    hook(kb, "pre-commit", "exit 1")
    assert list(hooks.present(opened(kb))) == ["pre-commit"]


def test_series_is_not_for_where_hooks_want_to_see_each_commit(kb: Path) -> None:
    hook(kb, "pre-commit", "exit 0")
    with pytest.raises(ValueError, match="each commit"):
        commit_series(opened(kb), lambda tree, head: [Change({"a.md": b"x\n"}, MESSAGE)], merge=line_merge)


WRITE = (
    "import sys; from pathlib import Path; from tests.git.helpers import put; put(Path(sys.argv[1]), "
    "{sys.argv[2]: b'x\\n'})"
)


def test_memgit_that_writes_in_a_hook_does_not_wait_for_itself(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    hook(kb, "pre-commit", f'"{sys.executable}" -c "{WRITE}" "{kb}" inner.md')
    start = time.monotonic()
    with pytest.raises(Refused, match="another memgit"):
        put(kb, {"a.md": b"ONE\n"})
    assert time.monotonic() - start < 10
    assert_in_order(kb)


def test_memgit_that_writes_after_a_commit(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    hook(kb, "post-commit", f'[ -e inner.md ] || exec "{sys.executable}" -c "{WRITE}" "{kb}" inner.md')
    put(kb, {"a.md": b"ONE\n"})
    assert run_git(kb, "rev-list", "--count", "HEAD") == "3"
    assert_in_order(kb)


def test_memgit_that_writes_in_a_hook_of_plain_git(kb: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """git exports its index to the hook, by a path that counts from the top of the working tree."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    (kb / "sub").mkdir()
    hook(kb, "post-commit", f'[ -e inner.md ] || exec "{sys.executable}" -c "{WRITE}" "{kb}/sub" inner.md')
    (kb / "a.md").write_bytes(b"ONE\n")
    done = subprocess.run(
        ["git", "commit", "-q", "-a", "-m", "plain"],
        cwd=kb / "sub",
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert run_git(kb, "log", "--format=%s").split("\n") == ["record(knowledge): A title", "plain", "before"]
    assert_in_order(kb)
