"""Hooks of the user's other tools around a commit, run as `git commit -- paths` would run them
(`githooks(5)`).

memgit's own hooks skip their work where they see MEMGIT_COMMIT in the environment: what memgit commits, it
has checked.
"""

from __future__ import annotations

import os

from memgit import TYPE_CHECKING
from memgit.errors import Refused
from memgit.git import process
from memgit.git.commit import identity

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from memgit.git.commit.identity import Identity
    from memgit.git.repository import Repository

MARK = "MEMGIT_COMMIT"
"""The variable by which a hook learns that memgit commits."""

BEFORE = ("pre-commit", "prepare-commit-msg", "commit-msg")
ALONE = b"# memgit and nothing else"
"""A line by which a hook says that it runs memgit's own checks alone, so that memgit's own commits need not
start it.
"""
END = b"# memgit: end"
"""The line that ends memgit's own lines in a hook."""

_SHELL = b"/bin/sh"
_IN_FOLDER = b'cd "$1" && shift && exec "$@"'


def folder(repo: Repository) -> str:
    """Where the hooks of a repository lie:

    `core.hooksPath`, relative to the top of the working tree, or the common git directory's.
    """
    named = repo.settings.get("core.hookspath")
    if not named:
        return f"{repo.common_dir}/hooks"
    if named.startswith("~/"):
        named = repo.env.get("HOME", "~") + named[1:]
    return os.path.join(repo.worktree or repo.git_dir, named)


def present(repo: Repository, names: Sequence[str] = BEFORE) -> dict[str, str]:
    """Full paths of those hooks that are there and may be run; memgit's own are left out where they say that
    they are nothing more.
    """
    place = folder(repo)
    found = {}
    for name in names:
        path = f"{place}/{name}"
        if os.access(path, os.X_OK) and os.path.isfile(path) and not _is_memgit_alone(path):
            found[name] = path
    return found


def _is_memgit_alone(path: str) -> bool:
    """Whether a hook says so, and nobody has added lines to it since."""
    try:
        with open(path, "rb") as file:
            data = file.read(4096)
    except OSError:
        return False
    after = data.partition(END)[2].split(b"\n")[1:]
    return (
        ALONE in data
        and len(data) < 4096
        and all(not line.strip() or line.startswith(b"#") for line in after)
    )


def run(
    repo: Repository, path: str, args: Sequence[str], index_file: str, author: Identity
) -> tuple[int, str]:
    """Runs one hook, for as long as it takes, and returns its exit code and what it said.

    Args:
        index_file: the index that holds what is to be committed.
    """
    env = process.clean(repo.env)
    env.update(author.environment("AUTHOR"))
    env.update({"GIT_INDEX_FILE": index_file, "GIT_EDITOR": ":", "GIT_PREFIX": "", MARK: "1"})
    top = repo.worktree or repo.git_dir
    if repo.git_dir != f"{top}/.git" or "GIT_DIR" in repo.env:
        env["GIT_DIR"] = repo.git_dir
        if "GIT_WORK_TREE" in repo.env:
            env["GIT_WORK_TREE"] = top
    argv = [_SHELL, b"-c", _IN_FOLDER, b"sh", os.fsencode(top), os.fsencode(path), *map(os.fsencode, args)]
    done = process.spawn(argv, env, group=False, merged=True)
    return done.code, done.err.decode("utf-8", "replace").strip("\n")


def message_file(repo: Repository) -> str:
    """The file in which a commit's message is shown to hooks."""
    return f"{repo.git_dir}/COMMIT_EDITMSG"


def before(
    repo: Repository, found: Mapping[str, str], message: bytes, index_file: str, author: Identity
) -> tuple[bytes, list[str]]:
    """Runs the hooks that may refuse or change a commit.

    Args:
        found: what `present` gave.
        index_file: the index that holds what is to be committed; a hook may stage more into it.

    Returns:
        The message, as the hooks left it, and what they said.

    Raises:
        Refused: a hook refused the commit (with what it said), or left an empty message.
    """
    file = message_file(repo)
    shown = ".git/COMMIT_EDITMSG" if file == f"{repo.worktree}/.git/COMMIT_EDITMSG" else file
    with open(file, "wb") as out:
        out.write(message)
    said: list[str] = []
    for name, args in (
        ("pre-commit", []),
        ("prepare-commit-msg", [shown, "message"]),
        ("commit-msg", [shown]),
    ):
        if name not in found:
            continue
        code, text = run(repo, found[name], args, index_file, author)
        if code:
            raise Refused(
                f"the {name} hook refused the commit{f': {text}' if text else ''}",
                hint=f"fix what {found[name]} reports, then try again",
            )
        if text:
            said.append(f"{name}: {text}")
    with open(file, "rb") as held:
        left = held.read()
    return (message if left == message else _tidied(left)), said


def _tidied(message: bytes) -> bytes:
    """The message as `git commit --cleanup=whitespace` stores it."""
    lines: list[bytes] = []
    for line in message.split(b"\n"):
        text = line.rstrip()
        if text or (lines and lines[-1]):
            lines.append(text)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise Refused("a hook left an empty commit message")
    return b"\n".join(lines) + b"\n"


def after(repo: Repository) -> list[str]:
    """Runs `post-commit`, whose failure changes nothing, and returns what it said."""
    found = present(repo, ("post-commit",))
    if not found:
        return []
    _, text = run(repo, found["post-commit"], [], repo.index_file, identity.author(repo))
    return [f"post-commit: {text}"] if text else []
