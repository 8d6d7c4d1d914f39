"""Talking to a remote through the user's own git: what it has, fetching from it, pushing to it.

Credential helpers, ssh, proxies and hooks are git's business. Every step ends within a time limit. Without a
terminal, nobody is asked for a password: git fails at once instead of waiting for an answer that cannot come.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, NamedTuple

from memgit.errors import Refused
from memgit.git import process
from memgit.git.backoff import pause
from memgit.git.hooks import MARK
from memgit.git.terminal import lent

if TYPE_CHECKING:
    from memgit.git.repository import Repository

_HELD = (
    "cannot lock",
    "unable to lock",
    "failed to lock",
    ".lock'",
    "failed to update ref",
    "incorrect old value",
    "reference already exists",  # since git 2.50, also where a lock is held
    "reference does not exist",
    "stale info",
)
"""Words by which git, or JGit, rejects a push while somebody else writes there."""
_LATE = ("fetch first", "non-fast-forward")
"""Words by which git rejects a push that came too late."""
MAX_ATTEMPTS = 6
"""How often a fetch is begun where another one holds what it needs."""
_AT_WORK = ("cannot lock ref", "File exists")
_SECRET = re.compile(r"(?<=://)[^/@\s]+@")
_PROGRESS = re.compile(rb"^(?:remote: )?[A-Z][a-z ]+: +\d.*?[\r\n]", re.MULTILINE)
_ASKED = (
    "could not read Username",
    "could not read Password",
    "Authentication failed",
    "terminal prompts disabled",
    "Permission denied (",
)


class Access(NamedTuple):
    """How to talk to a remote: its name, the seconds that one step may take, whether a person at a terminal can
    be asked, and what shows git's progress as it comes.
    """

    remote: str
    timeout: float
    terminal: bool = False
    progress: Callable[[bytes], object] | None = None


class Pushed(NamedTuple):
    """What became of one ref that was pushed: whether the remote has it now, and why not, in git's words and
    in those of its hooks.
    """

    done: bool
    why: str = ""
    said: str = ""

    @property
    def is_held(self) -> bool:
        """Whether it was rejected because somebody else writes there at this moment."""
        return any(words in self.why for words in _HELD)

    @property
    def is_late(self) -> bool:
        """Whether it was rejected because somebody else pushed first."""
        return any(words in self.why for words in _LATE)

    @property
    def words(self) -> str:
        """The reason for a person to read."""
        return (f"{self.why}: {self.said}" if self.said else self.why) or "no reason was given"


def names(repo: Repository) -> list[str]:
    """The remotes that are configured, as git lists them."""
    return [key[7:-4] for key in repo.config if key.startswith("remote.") and key.endswith(".url")]


def listed(repo: Repository, access: Access, patterns: Sequence[str]) -> dict[str, str]:
    """The refs of the remote that fit some patterns, with what they name.

    Raises:
        Refused: the remote cannot be reached, wants a password that nobody can give, or does not answer in
            time.
    """
    done = _network(repo, access, ["ls-remote", "--", access.remote, *patterns])
    rows = (line.split("\t") for line in done.out.decode("utf-8", "surrogateescape").splitlines())
    return {row[1]: row[0] for row in rows if len(row) == 2}


def fetch(repo: Repository, access: Access, refs: Sequence[str], options: Sequence[str] = ()) -> None:
    """Brings what some refs of the remote name, and its remote-tracking branch as git does; no branch is
    moved. `options` are more of git's own. Raises as `listed`.

    Where another fetch into this clone, such as that of an editor, was at work at the same time, it is done
    again.
    """
    shown = "--quiet" if access.progress is None else "--progress"
    for left in reversed(range(MAX_ATTEMPTS)):
        try:
            args = ["fetch", shown, "--no-auto-maintenance", *options, "--", access.remote, *refs]
            _network(repo, access, args)
            return
        except Refused as error:
            if not left or not any(words in error.message for words in _AT_WORK):
                raise
        pause(0.05 * 2 ** (MAX_ATTEMPTS - left))


def push(repo: Repository, access: Access, refs: Mapping[str, str]) -> dict[str, Pushed]:
    """Pushes refs (name there by name here), never by force; what became of each, by its name there.

    memgit's own pre-push hook does nothing then: the caller has asked the gate.

    Raises:
        Refused: as `listed`, or a hook of this clone refused the push.
    """
    specs = [f"{here}:{there}" for here, there in refs.items()]
    shown = "--no-progress" if access.progress is None else "--progress"
    args = ["push", "--porcelain", shown, "--", access.remote, *specs]
    done = _network(repo, access, args, answers=True, extra={MARK: "1"})
    out: dict[str, Pushed] = {}
    for line in done.out.decode("utf-8", "surrogateescape").splitlines():
        fields = line.split("\t")
        if len(fields) == 3 and len(fields[0]) == 1:
            why = fields[2].partition("(")[2].rstrip(")") or fields[2].strip("[] ")
            out[fields[1].rpartition(":")[2]] = (
                Pushed(True) if fields[0] != "!" else Pushed(False, why, _said(why, done.err))
            )
    if done.code and all(pushed.done for pushed in out.values()):
        raise _failure(access, "push", done)
    return out


def _said(why: str, err: bytes) -> str:
    """What the remote said about a reason that is that of one of its hooks."""
    if "declined" not in why:
        return ""
    said = [
        line.removeprefix("remote:").strip()
        for line in err.decode("utf-8", "replace").splitlines()
        if line.startswith("remote:")
    ]
    return "; ".join(line for line in said if line)[:500]


def _network(
    repo: Repository,
    access: Access,
    args: Sequence[str],
    *,
    answers: bool = False,
    extra: Mapping[str, str] | None = None,
) -> process.Done:
    """Runs one git command that talks to a remote. `answers`: exit code 1 is one, and not a failure."""
    argv, env = process.command(args, repo=repo, extra=extra, prompt=access.terminal, write=True)
    if access.terminal and "GIT_TERMINAL_PROMPT" in repo.env:
        env["GIT_TERMINAL_PROMPT"] = repo.env["GIT_TERMINAL_PROMPT"]
    if not access.terminal and not (
        env.get("GIT_SSH_COMMAND") or env.get("GIT_SSH") or "core.sshcommand" in repo.config
    ):
        env["GIT_SSH_COMMAND"] = "ssh -o BatchMode=yes"
    try:
        during = lent if access.terminal else nullcontext
        done = process.spawn(argv, env, timeout=access.timeout, tell=access.progress, during=during)
    except Refused as error:
        if "took longer than" not in error.message:
            raise
        raise Refused(
            f"{access.remote} did not answer within {access.timeout:g} s (git {args[0]} was stopped)",
            hint=f"look whether it can be reached: git ls-remote {access.remote}; --timeout gives it longer",
        ) from None
    if done.code and not (answers and done.code == 1):
        raise _failure(access, args[0], done)
    return done


def _failure(access: Access, step: str, done: process.Done) -> Refused:
    message, hint = process.words(_PROGRESS.sub(b"", done.err))
    message = _SECRET.sub("", message)
    if any(words in message for words in _ASKED):
        hint = (
            f"git {step} {access.remote} in a terminal asks for it; a credential helper or an ssh agent "
            "keeps it"
        )
        return Refused(
            f"{access.remote} wants a password or a key, and there is no terminal to ask on: {message}",
            hint=hint,
        )
    return Refused(
        f"git {step} {access.remote}: {message or f'failed with exit code {done.code}'}", hint=hint
    )
