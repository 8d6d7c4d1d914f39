"""Signed commits: git makes and signs the object, whatever `gpg.format` and `user.signingKey` say."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.git.terminal import lent

if TYPE_CHECKING:
    from memgit.git.commit.identity import Identity
    from memgit.git.repository import Repository

TIMEOUT = 60.0
"""Seconds that signing may take, a passphrase included."""


def wanted(repo: Repository) -> bool:
    """Whether `commit.gpgSign` asks for signed commits."""
    return repo.settings.truth("commit.gpgsign")


def commit_tree(
    repo: Repository,
    tree: str,
    parents: list[str],
    author: Identity,
    committer: Identity,
    message: bytes,
) -> str:
    """Makes a signed commit and returns its hash; no ref moves.

    Raises:
        Refused: it could not be signed, or that took too long.
    """
    args = ["-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S", tree]
    for parent in parents:
        args += ["-p", parent]
    extra = {**author.environment("AUTHOR"), **committer.environment("COMMITTER")}
    argv, env = process.command(args, repo=repo, extra=extra, write=True)
    hint = "git config commit.gpgSign false to commit without a signature"
    try:
        done = process.spawn(argv, env, data=message, timeout=TIMEOUT, during=lent)
    except Refused as error:
        raise Refused(f"the commit was not signed: {error.message}", hint=hint) from None
    if done.code:
        said = process.words(done.err)[0]
        raise Refused(
            f"the commit could not be signed: {said or f'git commit-tree failed with exit code {done.code}'}",
            hint=hint,
        )
    return done.out.decode("ascii").strip()
