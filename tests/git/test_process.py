"""Starting git: a clean environment, git's own words, no deadlock, bounded time."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import process
from tests.git.helpers import commit_files, opened
from tests.support import run_git


def script(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text("#!/bin/sh\n" + text)
    path.chmod(0o755)
    return path


def test_output_and_error(repo: Path) -> None:
    commit_files(repo, {"a": b"x\n"})
    assert process.run(["cat-file", "blob", "HEAD:a"], repo=opened(repo)) == b"x\n"
    with pytest.raises(Refused) as caught:
        process.run(["cat-file", "blob", "HEAD:none"], repo=opened(repo))
    assert str(caught.value) == "git cat-file: path 'none' does not exist in 'HEAD'"
    assert caught.value.exit_code == 3


def test_exit_code_as_an_answer(repo: Path) -> None:
    assert process.attempt(["config", "no.such"], repo=opened(repo)) == process.Done(1, b"", b"")


def test_where_the_callers_variables_point_does_not_matter(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit_files(repo, {"a": b"x\n"})
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_COMMON_DIR"):
        monkeypatch.setenv(name, str(tmp_path / "nowhere"))
    for name in ("GIT_PREFIX", "GIT_NAMESPACE", "GIT_GLOB_PATHSPECS", "GIT_REPLACE_REF_BASE"):
        monkeypatch.setenv(name, "1")
    out = process.run(["ls-files", "--", "a"], repo=opened(repo))
    assert out == b"a\n"


def test_environment_of_the_child(repo: Path, tmp_path: Path) -> None:
    run_git(repo, "config", "alias.show-env", "!env")
    got = process.run(["show-env"], repo=opened(repo), env={}, extra={"X": "1"}).decode().splitlines()
    assert {
        "LC_ALL=C",
        "GIT_OPTIONAL_LOCKS=0",
        "GIT_TERMINAL_PROMPT=0",
        "GIT_LITERAL_PATHSPECS=1",
        "X=1",
    } <= set(got)
    assert f"GIT_WORK_TREE={repo}" in got
    got = process.run(["show-env"], repo=opened(repo), write=True).decode().splitlines()
    assert not any(line.startswith("GIT_OPTIONAL_LOCKS") for line in got)


def test_settings_of_git_c_are_kept(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git -c user.name=X commit` hands its settings to hooks in the environment; they are the user's will."""
    monkeypatch.setenv("GIT_CONFIG_PARAMETERS", "'user.name'='Somebody'")
    assert process.run(["config", "user.name"], repo=opened(repo)) == b"Somebody\n"


def test_much_in_and_much_out(repo: Path) -> None:
    """Both pipes are full at once: whoever writes first and reads then would hang."""
    data = b"".join(b"%d\n" % number for number in range(600_000))
    out = process.run(["stripspace"], repo=opened(repo), data=data)
    assert out == data


def test_much_on_standard_error(repo: Path) -> None:
    run_git(
        repo,
        "config",
        "alias.noise",
        (
            "!i=0; while [ $i -lt 3000 ]; do echo xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx "
            ">&2; i=$((i+1)); done; echo ok"
        ),
    )
    done = process.attempt(["noise"], repo=opened(repo))
    assert done.out == b"ok\n"
    assert len(done.err) == 3000 * 53


def test_child_that_does_not_read(repo: Path) -> None:
    assert process.run(["--version"], repo=opened(repo), data=b"x" * 1_000_000).startswith(b"git version")


def test_timeout_stops_the_child_and_its_children(repo: Path, tmp_path: Path) -> None:
    run_git(repo, "config", "alias.slow", f"!(sleep 1; echo late > '{tmp_path}/late') & sleep 30")
    start = time.monotonic()
    with pytest.raises(Refused, match=r"took longer than 0\.2 s and was stopped"):
        process.run(["slow"], repo=opened(repo), timeout=0.2)
    assert time.monotonic() - start < 5
    time.sleep(1.2)
    assert not (tmp_path / "late").exists()


def test_child_that_ignores_a_polite_end(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_GRACE_SECONDS", 0.2)
    run_git(repo, "config", "alias.stubborn", "!trap '' TERM; while :; do sleep 1; done")
    start = time.monotonic()
    with pytest.raises(Refused, match="was stopped"):
        process.run(["stubborn"], repo=opened(repo), timeout=0.2)
    assert time.monotonic() - start < 5


def test_child_that_closes_its_pipes_and_goes_on(repo: Path) -> None:
    run_git(repo, "config", "alias.quiet", "!exec >&- 2>&-; sleep 30")
    with pytest.raises(Refused, match="was stopped"):
        process.run(["quiet"], repo=opened(repo), timeout=0.3)


def test_process_left_behind_is_not_waited_for(repo: Path) -> None:
    run_git(repo, "config", "alias.leave", "!sleep 20 & echo done")
    start = time.monotonic()
    assert process.run(["leave"], repo=opened(repo)) == b"done\n"
    assert time.monotonic() - start < 5


def test_signal_is_told(tmp_path: Path) -> None:
    script(tmp_path, "git", "kill -9 $$\n")
    with pytest.raises(Refused, match=r"^git status was stopped by signal 9$"):
        process.run(["status"], env={"PATH": str(tmp_path)})


def test_signals_that_python_ignores_are_not_ignored_by_the_child(repo: Path) -> None:
    """A child that inherits an ignored SIGPIPE would write for ever to nobody."""
    run_git(repo, "config", "alias.yes", "!yes | head -1")
    assert process.run(["yes"], repo=opened(repo), timeout=10) == b"y\n"


def test_stream(repo: Path) -> None:
    lines = (b"%d\n" % number for number in range(200_000))
    got = b"".join(process.stream(["stripspace"], repo=opened(repo), data=lines))
    assert got.startswith(b"0\n1\n")
    assert got.endswith(b"\n199999\n")


def test_stream_that_is_left_early_stops_git(repo: Path) -> None:
    run_git(repo, "config", "alias.endless", "!yes")
    pieces = process.stream(["endless"], repo=opened(repo))
    assert next(pieces).startswith(b"y\n")
    pieces.close()  # type: ignore[attr-defined]


def test_stream_that_fails(repo: Path) -> None:
    with pytest.raises(Refused, match="git log: ambiguous argument 'none'"):
        list(process.stream(["log", "none"], repo=opened(repo)))


def test_no_file_handle_is_left_open(repo: Path) -> None:
    opened_repo = opened(repo)
    process.run(["--version"], repo=opened_repo)
    before = len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0
    for _ in range(20):
        process.run(["--version"], repo=opened_repo, data=b"x")
        process.attempt(["nonsense"], repo=opened_repo)
        pieces = process.stream(["help", "-a"], repo=opened_repo)
        next(pieces)
        pieces.close()  # type: ignore[attr-defined]
    assert (len(os.listdir("/proc/self/fd")) if sys.platform == "linux" else 0) == before


def test_git_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="git is not installed") as caught:
        process.run(["--version"], env={"PATH": str(tmp_path)})
    assert "2.30" in str(caught.value.hint)


@pytest.mark.parametrize(
    "text",
    [
        "echo \"error: unknown option 'z'\" >&2; exit 129",
        "echo \"git: 'maintenance' is not a git command.\" >&2; exit 1",
    ],
)
def test_git_is_too_old(repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    script(folder, "git", f'[ "$1" = --version ] && {{ echo git version 2.17.1; exit 0; }}\n{text}\n')
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    with pytest.raises(Refused, match=r"git 2\.17\.1 is too old for memgit"):
        process.run(["config", "--list", "-z"], repo=opened(repo))


def test_version() -> None:
    found = process.git_version(os.environ)
    assert found >= process.OLDEST_GIT
    assert run_git(Path(), "--version").startswith("git version " + ".".join(map(str, found)))


def test_names_that_are_not_utf8(repo: Path) -> None:
    with open(os.fsencode(repo) + b"/caf\xe9", "wb") as file:
        file.write(b"x\n")
    process.run(["add", "--", "caf\udce9"], repo=opened(repo), write=True)
    assert process.run(["ls-files", "-z"], repo=opened(repo)) == b"caf\xe9\0"


def test_path_is_taken_literally(repo: Path) -> None:
    commit_files(repo, {"a.md": b"x\n", "*.md": b"star\n"})
    assert process.run(["ls-files", "-z", "--", "*.md"], repo=opened(repo)) == b"*.md\0"


@pytest.mark.parametrize(
    ("err", "message", "hint"),
    [
        (b"fatal: bad revision 'x'\n", "bad revision 'x'", None),
        (
            b"error: one\nwarning: skip me\nfatal: two.\nhint: do this\nhint: or that\n",
            "one; two",
            "do this or that",
        ),
        (b"", "", None),
        (b"caf\xe9\r50%\r100%\n", "caf\ufffd; 50%; 100%", None),
    ],
)
def test_words(err: bytes, message: str, hint: str | None) -> None:
    assert process.words(err) == (message, hint)


def test_file_handle_that_the_child_keeps(tmp_path: Path) -> None:
    reading, writing = os.pipe()
    try:
        done = process.spawn(
            [b"/bin/sh", b"-c", b"ls -l /proc/self/fd 2>/dev/null || ls /dev/fd"], os.environ, keep=writing
        )
        without = process.spawn(
            [b"/bin/sh", b"-c", b"ls -l /proc/self/fd 2>/dev/null || ls /dev/fd"], os.environ
        )
        assert len(done.out.splitlines()) == len(without.out.splitlines()) + 1
    finally:
        os.close(reading)
        os.close(writing)
