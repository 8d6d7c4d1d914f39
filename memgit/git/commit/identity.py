"""Who makes a commit: git's own rules (`git-commit(1)`, "Commit Information"), without a process in the usual
case.
"""

from __future__ import annotations

import re
import time

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from memgit.git.repository import Repository

_SPACE = "".join(map(chr, range(33)))
_PLAIN_NAME = pattern(r"[^\n<>\0.,:;\"\\']|[^\n<>\0.,:;\"\\'][^\n<>\0]*[^\n<>\0.,:;\"\\']")
"""What every version of git takes as it is; which signs at the ends it drops differs between them."""
_PLAIN_DATE = pattern(r"(?:@(\d+)|(\d{9,})) ([+-](?:0\d|1[0-4])[0-5]\d)")


class Identity(NamedTuple):
    """Name, email, seconds since 1970 and offset from UTC as `+hhmm`."""

    name: str
    email: str
    seconds: int
    zone: str

    def __str__(self) -> str:
        return f"{self.name} <{self.email}> {self.seconds} {self.zone}"

    def environment(self, role: str) -> dict[str, str]:
        """The variables by which git is told to use this identity; `role` is AUTHOR or COMMITTER."""
        return {
            f"GIT_{role}_NAME": self.name,
            f"GIT_{role}_EMAIL": self.email,
            f"GIT_{role}_DATE": f"@{self.seconds} {self.zone}",
        }


def author(repo: Repository) -> Identity:
    """The author of a commit made now. Raises Refused where git does not know who the user is."""
    return _identity(repo, "author")


def committer(repo: Repository) -> Identity:
    """The committer of a commit made now. Raises Refused where git does not know who the user is."""
    return _identity(repo, "committer")


def _identity(repo: Repository, role: str) -> Identity:
    env, settings, upper = repo.env, repo.settings, role.upper()
    name = env.get(f"GIT_{upper}_NAME")
    if name is None:
        name = settings.get(f"{role}.name") or settings.get("user.name") or ""
    email = env.get(f"GIT_{upper}_EMAIL")
    if email is None:
        email = settings.get(f"{role}.email") or settings.get("user.email") or env.get("EMAIL") or ""
    name, email = name.strip(_SPACE), email.strip(_SPACE)
    when = _date(env.get(f"GIT_{upper}_DATE"))
    if when is None or not all(map(_PLAIN_NAME.fullmatch, (name, email))):
        return _ask_git(repo, role)
    return Identity(name, email, *when)


def _date(text: str | None) -> tuple[int, str] | None:
    """Seconds and zone of now, or of a date in git's internal form; None for the many other forms that git
    reads.
    """
    if not text:
        now = int(time.time())
        offset = time.localtime(now).tm_gmtoff // 60
        sign = "-" if offset < 0 else "+"
        return now, f"{sign}{abs(offset) // 60:02d}{abs(offset) % 60:02d}"
    match = _PLAIN_DATE.fullmatch(text.strip())
    return (int(match[1] or match[2]), match[3]) if match else None


def _ask_git(repo: Repository, role: str) -> Identity:
    done = process.attempt(["var", f"GIT_{role.upper()}_IDENT"], repo=repo)
    text = done.out.decode("utf-8", "surrogateescape").rstrip("\n")
    match = re.fullmatch(r"(.*?) ?<(.*)> (\d+) ([+-]\d{4})", text, re.DOTALL)
    if done.code or match is None:
        said = [
            line.strip()
            for line in done.err.decode("utf-8", "replace").splitlines()
            if line.startswith("fatal:")
        ]
        reason = (
            said[-1].removeprefix("fatal: ")
            if said
            else process.words(done.err)[0] or "no name and email are set"
        )
        raise Refused(
            f"git does not know who you are: {reason}",
            hint=(
                'git config --global user.name "Your Name" && git config --global user.email you@example.org'
            ),
        )
    return Identity(match[1], match[2], int(match[3]), match[4])
