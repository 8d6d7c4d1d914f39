"""Talking to a remote: what git is told, and what is said when it fails."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git import remote
from memgit.git.remote import Access
from memgit.git.repository import Repository
from tests.support import run_git

SSH = (
    "#!/bin/sh\nprintf '%s\\n' \"$@\" > {0}\nenv > {0}.env\necho 'ada@example.org: Permission denied "
    "(publickey).' >&2\nexit 255\n"
)


@pytest.fixture
def ssh(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A remote behind an `ssh` that writes down how it was called and lets nobody in."""
    bin_ = tmp_path / "bin"
    bin_.mkdir()
    called = tmp_path / "called"
    (bin_ / "ssh").write_text(SSH.format(called))
    (bin_ / "ssh").chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_), prepend=":")
    monkeypatch.delenv("GIT_TERMINAL_PROMPT")
    run_git(kb, "remote", "add", "origin", "ssh://ada@example.org/kb.git")
    return called


def asked(kb: Path, *, terminal: bool) -> str:
    repo = Repository.open(str(kb), dict(os.environ))
    with pytest.raises(Refused) as caught:
        remote.listed(repo, Access("origin", 20, terminal), ["refs/heads/main"])
    return f"{caught.value} {caught.value.hint}"


def test_ssh_asks_nobody_where_there_is_no_terminal(kb: Path, ssh: Path) -> None:
    assert "origin wants a password or a key, and there is no terminal to ask on" in asked(kb, terminal=False)
    assert ssh.read_text().startswith("-o\nBatchMode=yes\n")
    assert "GIT_TERMINAL_PROMPT=0" in Path(f"{ssh}.env").read_text()
    asked(kb, terminal=True)
    assert "BatchMode" not in ssh.read_text()
    assert "GIT_TERMINAL_PROMPT" not in Path(f"{ssh}.env").read_text()


@pytest.mark.parametrize("way", ["GIT_SSH_COMMAND", "core.sshCommand"])
def test_the_users_own_ssh_is_left_as_it_is(
    kb: Path, ssh: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if way == "GIT_SSH_COMMAND":
        monkeypatch.setenv(way, "ssh -o Mine=yes")
    else:
        run_git(kb, "config", way, "ssh -o Mine=yes")
    asked(kb, terminal=False)
    assert ssh.read_text().startswith("-o\nMine=yes\n")


def test_what_became_of_each_ref(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "origin.git")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "origin.git"))
    repo, access = Repository.open(str(kb), dict(os.environ)), Access("origin", 60)
    assert remote.names(repo) == ["origin"]
    assert remote.listed(repo, access, ["refs/heads/main"]) == {}
    done = remote.push(repo, access, {"refs/heads/main": "refs/heads/main"})
    assert done == {"refs/heads/main": remote.Pushed(True)}
    run_git(kb, "commit", "-q", "--amend", "-m", "another")
    run_git(kb, "branch", "topic")
    done = remote.push(
        repo, access, {"refs/heads/main": "refs/heads/main", "refs/heads/topic": "refs/heads/topic"}
    )
    assert done == {
        "refs/heads/main": remote.Pushed(False, "non-fast-forward"),
        "refs/heads/topic": remote.Pushed(True),
    }
    with pytest.raises(Refused, match="git push origin"):
        remote.push(repo, access, {"refs/heads/nothing": "refs/heads/nothing"})


def test_words_of_a_hook_stand_beside_those_of_git(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "--bare", "origin.git")
    hook = tmp_path / "origin.git/hooks/pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho push blocked: ask Ada >&2\nexit 1\n")
    hook.chmod(0o755)
    run_git(kb, "remote", "add", "origin", str(tmp_path / "origin.git"))
    repo = Repository.open(str(kb), dict(os.environ))
    (pushed,) = remote.push(repo, Access("origin", 60), {"refs/heads/main": "refs/heads/main"}).values()
    assert pushed == remote.Pushed(False, "pre-receive hook declined", "push blocked: ask Ada")
    assert (
        pushed.words == "pre-receive hook declined: push blocked: ask Ada"
        and remote.Pushed(False).words == "no reason was given"
    )


def test_a_name_is_no_option(kb: Path) -> None:
    repo = Repository.open(str(kb), dict(os.environ))
    with pytest.raises(Refused):
        remote.listed(repo, Access("--upload-pack=touch x", 20), [])
    assert not (kb / "x").exists()
