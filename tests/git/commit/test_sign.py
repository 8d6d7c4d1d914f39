"""Signed commits, with a key made for the test."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit import sign
from tests.cli.test_ingest_terminal import Terminal
from tests.git.helpers import assert_in_order, commit_files, put
from tests.support import run_git


@pytest.fixture
def kb(repo: Path, tmp_path: Path) -> Path:
    if shutil.which("ssh-keygen") is None:
        pytest.skip("ssh-keygen is not installed")
    commit_files(repo, {"a.md": b"one\n"})
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "ada", "-f", str(key)], check=True)
    signers = tmp_path / "signers"
    signers.write_text(f"ada@example.org {(tmp_path / 'key.pub').read_text()}")
    for name, value in {
        "gpg.format": "ssh",
        "user.signingKey": str(key),
        "gpg.ssh.allowedSignersFile": str(signers),
        "commit.gpgSign": "true",
    }.items():
        run_git(repo, "config", name, value)
    return repo


def test_signed(kb: Path) -> None:
    put(kb, {"a.md": b"two\n"}, message="record: Größe\n\nMemgit-Op: record\n")
    run_git(kb, "verify-commit", "HEAD")
    assert (
        run_git(kb, "log", "-1", "--format=%B|%an|%cn")
        == "record: Größe\n\nMemgit-Op: record\n|Ada Moss|Ada Moss"
    )
    assert_in_order(kb)


def test_signed_with_a_hook_that_changes_the_message(kb: Path) -> None:
    hook = kb / ".git/hooks/commit-msg"
    hook.write_text('#!/bin/sh\necho "Ticket: 7" >> "$1"\n')
    hook.chmod(0o755)
    put(kb, {"a.md": b"two\n"})
    run_git(kb, "verify-commit", "HEAD")
    assert run_git(kb, "log", "-1", "--format=%B").endswith("Ticket: 7\n")


def test_signed_on_an_unborn_branch(kb: Path) -> None:
    run_git(kb, "checkout", "-q", "--orphan", "fresh")
    run_git(kb, "rm", "-q", "-r", "--cached", ".")
    (kb / "a.md").unlink()
    put(kb, {"b.md": b"b\n"})
    run_git(kb, "verify-commit", "HEAD")
    assert_in_order(kb)


def test_failure_is_told_and_changes_nothing(kb: Path, tmp_path: Path) -> None:
    (tmp_path / "key").unlink()
    (tmp_path / "key.pub").unlink()
    with pytest.raises(Refused, match="could not be signed") as caught:
        put(kb, {"a.md": b"two\n"})
    assert "commit.gpgSign" in str(caught.value.hint)
    assert caught.value.exit_code == 3
    assert_in_order(kb)


def test_timeout(kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign, "TIMEOUT", 0.3)
    slow = tmp_path / "slow"
    slow.write_text("#!/bin/sh\nsleep 30\n")
    slow.chmod(0o755)
    run_git(kb, "config", "gpg.ssh.program", str(slow))
    start = time.monotonic()
    with pytest.raises(Refused, match=r"took longer than 0\.3 s"):
        put(kb, {"a.md": b"two\n"})
    assert time.monotonic() - start < 10
    assert_in_order(kb)


def test_not_asked_for(kb: Path) -> None:
    run_git(kb, "config", "commit.gpgSign", "no")
    put(kb, {"a.md": b"two\n"})
    assert b"gpgsig" not in run_git(kb, "cat-file", "commit", "HEAD").encode()


def test_a_hung_program_ends_with_its_children(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign, "TIMEOUT", 1.5)
    slow = tmp_path / "slow"
    slow.write_text(f'#!/bin/sh\nsleep 300 & echo $! $$ >"{tmp_path}/pids"\nwait\n')
    slow.chmod(0o755)
    run_git(kb, "config", "gpg.ssh.program", str(slow))
    with pytest.raises(Refused, match="took longer than"):
        put(kb, {"a.md": b"two\n"})
    for pid in (tmp_path / "pids").read_text().split():
        for _ in range(100):
            if not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text():
                break
            time.sleep(0.05)
        else:
            raise AssertionError(f"process {pid} lives on")


PASSPHRASE = """\
#!/bin/sh
# Signs once the right word was typed at the terminal.
printf 'passphrase: ' >/dev/tty; read word </dev/tty
[ "$word" = sesame ] || exit 1
for file; do :; done
printf -- '-----BEGIN SSH SIGNATURE-----\\nsigned\\n-----END SSH SIGNATURE-----\\n' >"$file.sig"
"""


@pytest.mark.usefixtures("pseudo_terminals")
def test_a_passphrase_is_asked_on_the_terminal(kb: Path, tmp_path: Path) -> None:
    asking = tmp_path / "asking"
    asking.write_text(PASSPHRASE)
    asking.chmod(0o755)
    run_git(kb, "config", "gpg.ssh.program", str(asking))
    (kb / ".memgit.yaml").write_text("layout: notes\n")
    typed = Terminal(kb, "record", "note", "Signed", "-m", "x")
    typed.answer("passphrase: ", "sesame")
    assert typed.end() == 0, typed.text
    typed.close()
    assert "gpgsig -----BEGIN SSH SIGNATURE-----" in run_git(kb, "cat-file", "commit", "HEAD")
