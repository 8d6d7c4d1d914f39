"""What the pre-commit hook found out and the hooks after it need not find out again: the message block of the commit under way.

Files in the git directory, good for one index on one commit only; where anything differs it is as if they were not there. One is for
Python; the others say the same to the lines of the prepare-commit-msg hook, which so need no start of Python (see `hook_file`).
"""

from __future__ import annotations

import json
import os
from contextlib import suppress

from memgit.formats import message as messages
from memgit.formats import message_file
from memgit.formats.message_file import Style
from memgit.model.operation import RecordChange

NAME = "memgit/hook.json"
WRITTEN = "memgit/hook.block"
LINES, INDEX, HEAD = "memgit/hook.lines", "memgit/hook.index", "memgit/hook.head"
"""What to add to a message, the last bytes of the index, and the commit that HEAD is at with actor and run."""

Block = tuple[str, str, tuple[RecordChange, ...]]
"""Operation, subject and changes."""
_REVERTS = "\nThis reverts commit "


def written(text: str, block: Block | None, style: Style, actor: str | None, run: str | None) -> str:
    """A message file with the block in it; the same text where there is none."""
    if block is None:
        return text
    return message_file.with_block(text, block[1], _lines(text, block, actor, run), style)


def _lines(text: str, block: Block, actor: str | None, run: str | None) -> str:
    op, subject, changes = block
    return message_file.block_of(messages.build(subject, "revert" if _REVERTS in text else op, changes, actor=actor, run=run))


def write(text: str, git_dir: str, index_file: str, actor: str | None, run: str | None) -> str | None:
    """The message file of a commit that no editor is opened for, with the block that was kept; None where more has to be known."""
    known = load(git_dir, index_file)
    if known is None or "memgit-" in text.lower():
        return None
    return written(text, known[0], Style("#", comments=False), actor, run)


def note_written(message_path: str, old: str, new: str) -> None:
    """Keeps, beside the message file, the block that was written into it, for the commit-msg hook of the same commit to compare with."""
    path = os.path.join(os.path.dirname(message_path) or ".", WRITTEN)
    with suppress(OSError):
        if new == old:
            os.unlink(path)
            return
        ours = [line for line in new.split("\n") if line.lower().startswith("memgit-")]
        _put(path, "".join(f"{line}\n" for line in ours).encode("utf-8", "surrogateescape"))


def save(git_dir: str, index_file: str, block: Block | None, actor: str | None, run: str | None) -> None:
    """Keeps the block of what is staged; None: there is nothing to say of it."""
    key = _key(git_dir, index_file)
    if key is None:
        return
    with suppress(OSError, UnicodeEncodeError):
        _put(os.path.join(git_dir, NAME), json.dumps({"key": key, "block": block}).encode("utf-8", "surrogatepass"))
        head = os.path.join(git_dir, HEAD)
        with suppress(FileNotFoundError):
            os.unlink(head)
        lines = "" if block is None else f"{_lines('', block, actor, run)}\n"
        _put(os.path.join(git_dir, LINES), (f"\n{lines}" if lines else "").encode())
        _put(os.path.join(git_dir, WRITTEN), lines.encode())
        checksum, _, where = key.partition(" ")
        _put(os.path.join(git_dir, INDEX), bytes.fromhex(checksum))
        _put(head, f"{where.rpartition(' ')[2]} {actor or ''}/{run or ''}\n".encode())  # last: without it nothing of this counts


def _put(path: str, data: bytes) -> None:
    """Writes a file, whole or not at all."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(f"{path}.{os.getpid()}", "wb") as file:
        file.write(data)
    os.replace(f"{path}.{os.getpid()}", path)


def load(git_dir: str, index_file: str) -> tuple[Block | None] | None:
    """What was kept for this very state, in a tuple of one; None where nothing was."""
    try:
        with open(os.path.join(git_dir, NAME), encoding="utf-8", errors="surrogatepass") as file:
            held = json.load(file)
        if held["key"] != _key(git_dir, index_file):
            return None
        if held["block"] is None:
            return (None,)
        op, subject, changes = held["block"]
        return ((str(op), str(subject), tuple(RecordChange(*change) for change in changes)),)
    except (OSError, ValueError, KeyError, TypeError):
        return None


def _key(git_dir: str, index_file: str) -> str | None:
    """The checksum that ends the index, and the commit that HEAD is at; None where one of them cannot be told from files."""
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
