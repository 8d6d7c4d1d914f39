"""Who makes a commit, against `git var` and `git commit` themselves."""

from __future__ import annotations

from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.commit import identity
from tests.git.helpers import opened, put
from tests.support import run_git


def without_time(line: str) -> str:
    return line.rpartition("> ")[0] + ">"


@pytest.mark.parametrize(
    ("env", "settings"),
    [
        ({}, {}),
        ({"GIT_AUTHOR_NAME": "Env Name"}, {}),
        ({"GIT_AUTHOR_EMAIL": "env@example.org", "GIT_COMMITTER_NAME": "Env C"}, {"author.name": "Conf"}),
        ({}, {"author.name": "Conf A", "author.email": "a@example.org", "committer.name": "Conf C"}),
        ({"EMAIL": "mail@example.org"}, {}),
        ({"GIT_AUTHOR_NAME": '  ."Odd" <Name>, ', "GIT_AUTHOR_EMAIL": "<odd@example.org>"}, {}),
        ({"GIT_AUTHOR_NAME": "Zoë 大 Ø"}, {}),
    ],
)
def test_name_and_email(
    repo: Path, monkeypatch: pytest.MonkeyPatch, env: dict[str, str], settings: dict[str, str]
) -> None:
    for name, value in env.items():
        monkeypatch.setenv(name, value)
    for key, value in settings.items():
        run_git(repo, "config", key, value)
    for role, found in (
        ("AUTHOR", identity.author(opened(repo))),
        ("COMMITTER", identity.committer(opened(repo))),
    ):
        assert without_time(str(found)) == without_time(run_git(repo, "var", f"GIT_{role}_IDENT"))


@pytest.mark.parametrize(
    "date",
    [
        "@1700000000 +0100",
        "1700000000 -0330",
        "2024-02-03T04:05:06",
        "2024-02-03 04:05:06 +0200",
        "Sat, 3 Feb 2024 04:05:06 -0700",
        "@0 +0000",
    ],
)
def test_date_of_the_environment(repo: Path, monkeypatch: pytest.MonkeyPatch, date: str) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", date)
    assert str(identity.author(opened(repo))) == run_git(repo, "var", "GIT_AUTHOR_IDENT")


@pytest.mark.parametrize("zone", ["UTC", "Asia/Kolkata", "America/St_Johns"])
def test_date_of_now(repo: Path, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    import time

    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        ours, theirs = (
            str(identity.author(opened(repo))).split(),
            run_git(repo, "var", "GIT_AUTHOR_IDENT").split(),
        )
        assert ours[-1] == theirs[-1]
        assert abs(int(ours[-2]) - int(theirs[-2])) <= 2
    finally:
        monkeypatch.undo()
        time.tzset()


def test_date_that_git_does_not_understand(repo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_AUTHOR_DATE", "the day before")
    with pytest.raises(Refused, match="invalid date format"):
        put(repo, {"a": b"x\n"})


@pytest.mark.parametrize("use_config_only", [True, False])
def test_unknown(
    repo: Path, private_home: Path, monkeypatch: pytest.MonkeyPatch, use_config_only: bool
) -> None:
    (private_home / ".gitconfig").write_text(
        f"[init]\n\tdefaultBranch = main\n[user]\n\tuseConfigOnly = {str(use_config_only).lower()}\n"
    )
    monkeypatch.setenv("GIT_AUTHOR_NAME", "")
    with pytest.raises(Refused, match="git does not know who you are") as caught:
        put(repo, {"a": b"x\n"})
    assert "git config --global user.name" in str(caught.value.hint)
    assert not (repo / "a").exists()


def test_environment_for_git() -> None:
    who = identity.Identity("A", "a@example.org", 5, "+0100")
    assert who.environment("AUTHOR") == {
        "GIT_AUTHOR_NAME": "A",
        "GIT_AUTHOR_EMAIL": "a@example.org",
        "GIT_AUTHOR_DATE": "@5 +0100",
    }
    assert str(who) == "A <a@example.org> 5 +0100"
