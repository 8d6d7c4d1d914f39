"""What the pre-commit hook found out and the hooks after it need not find out again: the message block of the
commit under way.

Files in the git directory, good for one index on one commit only; where anything differs it is as if they
were not there. One is for Python; the others say the same to the lines of the prepare-commit-msg hook, which
so need no start of Python (see `hook_file`): those are good for one run of `git commit`, and taken once.
"""

from __future__ import annotations

import marshal
import os
from contextlib import suppress

from memgit import TYPE_CHECKING

NAME = "memgit/hook.memo"
WRITTEN = "memgit/hook.block"
INDEX, HEAD = "memgit/hook.index", "memgit/hook.head"
"""A second name of the index that was checked (who stages something puts another file in its place), and of
what it was checked.

That is told in two ways, each with actor and run: by the process of git and its time, and, where a hook
manager stands between git and the hook, by the commit that HEAD is at.
"""
CALLER = "MEMGIT_CALLER"
"""The variable that names the process that runs a hook, which runs the hooks after it as well."""
SHORT = 4096
"""A longer block is not for a shell, which reads byte by byte."""

if TYPE_CHECKING:
    from collections.abc import Mapping

    from memgit.formats.messages.message_file import Style
    from memgit.model.operation import RecordChange

    Block = tuple[str, str, tuple[RecordChange, ...]]
    """Operation, subject and changes."""

_REVERTS = "\nThis reverts commit "


def written(text: str, block: Block | None, style: Style, actor: str | None, run: str | None) -> str:
    """A message file with the block in it; the same text where there is none."""
    if block is None:
        return text
    from memgit.formats.messages import message_file

    return message_file.with_block(text, block[1], _lines(text, block, actor, run), style)


def _lines(text: str, block: Block, actor: str | None, run: str | None) -> str:
    from memgit.formats.messages import message as messages

    op, subject, changes = block
    return messages.block_of(
        messages.build(subject, "revert" if _REVERTS in text else op, changes, actor=actor, run=run)
    )


def write(text: str, git_dir: str, index_file: str, actor: str | None, run: str | None) -> str | None:
    """The message file of a commit that no editor is opened for, with the block that was kept; None where
    more has to be known.
    """
    known = load(git_dir, index_file)
    if known is None or "memgit-" in text.lower():
        return None
    from memgit.formats.messages.message_file import Style

    return written(text, known[0], Style("#", comments=False), actor, run)


def note_written(message_path: str, old: str, new: str) -> None:
    """Keeps, beside the message file, the block that was written into it, for the commit-msg hook of the same
    commit to compare with.
    """
    path = os.path.join(os.path.dirname(message_path) or ".", WRITTEN)
    with suppress(OSError):
        _remove(os.path.join(os.path.dirname(path), os.path.basename(HEAD)))
        if new == old:
            os.unlink(path)
            return
        ours = [line for line in new.split("\n") if line.lower().startswith("memgit-")]
        _put(path, "".join(f"{line}\n" for line in ours).encode("utf-8", "surrogateescape"))


def hold(git_dir: str, index_file: str) -> None:
    """Remembers the index that is about to be looked at."""
    held = os.path.join(git_dir, INDEX)
    _remove(os.path.join(git_dir, HEAD))
    _remove(held)
    with suppress(OSError):
        os.makedirs(os.path.dirname(held), exist_ok=True)
        os.link(index_file, held)


def save(
    git_dir: str,
    index_file: str,
    block: Block | None,
    actor: str | None,
    run: str | None,
    env: Mapping[str, str],
) -> None:
    """Keeps the block of what is staged; None: there is nothing to say of it.

    Args:
        env: the environment that git gave the hook.
    """
    key = _key(git_dir, index_file)
    if key is None:
        return
    with suppress(OSError, UnicodeEncodeError):
        plain = None if block is None else (*block[:2], [tuple(change) for change in block[2]])
        _put(os.path.join(git_dir, NAME), marshal.dumps((key, plain)))
        lines = "" if block is None else f"{_lines('', block, actor, run)}\n"
        _put(os.path.join(git_dir, WRITTEN), lines.encode())
        if len(lines) <= SHORT:  # last: without it nothing of this counts in the shell
            who = f"{actor or ''}/{run or ''}"
            which = (
                f"{env.get(CALLER, '')} {env.get('GIT_AUTHOR_DATE', '')} {who}\n{key.rpartition(' ')[2]} "
                f"{who}\n"
            )
            _put(os.path.join(git_dir, HEAD), which.encode("utf-8", "surrogateescape"))


def _remove(path: str) -> None:
    with suppress(OSError):
        os.unlink(path)


def _put(path: str, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)


def load(git_dir: str, index_file: str) -> tuple[Block | None] | None:
    """What was kept for this very state, in a tuple of one; None where nothing was."""
    from memgit.model.operation import RecordChange

    try:
        with open(os.path.join(git_dir, NAME), "rb") as file:
            key, block = marshal.loads(file.read())  # noqa: S302  (our own file beside the hooks, which are programs themselves)
        if key != _key(git_dir, index_file):
            return None
        if block is None:
            return (None,)
        op, subject, changes = block
        return ((str(op), str(subject), tuple(RecordChange(*change) for change in changes)),)
    except (OSError, ValueError, EOFError, TypeError):
        return None


def _key(git_dir: str, index_file: str) -> str | None:
    """The checksum that ends the index, and the commit that HEAD is at; None where one of them cannot be told
    from files.
    """
    try:
        with open(index_file, "rb") as file:
            file.seek(-20, os.SEEK_END)
            checksum = file.read()
        with open(os.path.join(git_dir, "HEAD"), "rb") as file:
            head = file.read().strip()
        if head.startswith(b"ref: "):
            with open(os.path.join(_common(git_dir), os.fsdecode(head[5:])), "rb") as file:
                head += b" " + file.read().strip()
    except OSError:
        return None
    return f"{checksum.hex()} {os.fsdecode(head)}" if any(checksum) else None


def _common(git_dir: str) -> str:
    try:
        with open(os.path.join(git_dir, "commondir"), "rb") as file:
            return os.path.join(git_dir, os.fsdecode(file.read().strip()))
    except FileNotFoundError:
        return git_dir
