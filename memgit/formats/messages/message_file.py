"""The file in which git shows a commit message to hooks and editors: the person's text, comments, scissors.

Comments count as such only where git will take them off. Form: https://git-scm.com/docs/git-commit,
`--cleanup`.
"""

from __future__ import annotations

import re

from memgit.formats.messages import message as messages
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import OPS

_TRAILER = pattern(r"[A-Za-z0-9][A-Za-z0-9-]*: \S|\(cherry picked from commit ")
_OURS = pattern(r"memgit-([a-z-]+) *:(.*)", re.IGNORECASE)


class Style(NamedTuple):
    """How git reads the file: the comment character, and whether it takes comments off."""

    comment: str = "#"
    comments: bool = True


def split(text: str, style: Style) -> tuple[str, str]:
    """The message, and what follows it for the eyes of the person: comments at the end, everything from the
    scissors on.
    """
    lines = text.split("\n")
    scissors = f"{style.comment} ------------------------ >8 ------------------------"
    end = next((number for number, line in enumerate(lines) if line.rstrip("\r") == scissors), len(lines))
    if style.comments:
        while end and (not lines[end - 1].strip() or lines[end - 1].startswith(style.comment)):
            end -= 1
    return "\n".join(lines[:end]), "\n".join(lines[end:])


def cleaned(text: str, style: Style) -> str:
    """The message as git will store it, but for blanks."""
    message, _ = split(text, style)
    if not style.comments:
        return message
    return "\n".join(line for line in message.split("\n") if not line.startswith(style.comment))


def with_reason(text: str, subject: str, reason: str, style: Style) -> str:
    """The file with a reason as the last paragraph of its prose, unless the message says it; with a subject
    where the person has written none.
    """
    message, rest = split(text, style)
    if reason in cleaned(text, style):
        return text
    paragraphs = re.split(r"\n[ \t\r]*\n", message.strip("\n")) if message.strip() else [subject]
    last = paragraphs[-1].split("\n")
    at = len(paragraphs) - 1 if len(paragraphs) > 1 and all(map(_TRAILER.match, last)) else len(paragraphs)
    paragraphs[at:at] = [reason]
    return "\n\n".join(paragraphs) + "\n" + rest


def with_block(text: str, subject: str, block: str, style: Style) -> str:
    """The file with a trailer block at the end of the message, and a subject where the person has written
    none.

    Trailers that end the message already (`git commit --signoff`) and the block make one paragraph, as git
    wants it.
    """
    message, rest = split(text, style)
    body = message.strip("\n")
    paragraphs = re.split(r"\n[ \t\r]*\n", body) if body.strip() else []
    written = [line for line in cleaned(text, style).split("\n") if line.strip()]
    trailing = bool(paragraphs) and all(_TRAILER.match(line) for line in paragraphs[-1].split("\n"))
    alone = len(paragraphs) == 1
    if not written or (
        alone and trailing and (message.startswith("\n") or paragraphs[0].startswith("Signed-off-by: "))
    ):
        body = f"{subject}\n\n{body}" if written else subject
        alone = False
        trailing = bool(written)
    new = body.rstrip() + ("\n" if trailing and not alone else "\n\n") + block + "\n"
    return new + ("\n" + rest.lstrip("\n") if rest.strip() else "")


def faults(message: str) -> list[str]:
    """What is wrong with the lines `Memgit-…` of a message that has a block; nothing where it has none."""
    lines = [
        (match[1].lower(), match[2].strip())
        for line in message.split("\n")
        if (match := _OURS.match(line.rstrip())) is not None
    ]
    if not any(key == "op" for key, _ in lines):
        return []
    out = []
    if _OURS.match(next((line for line in message.split("\n") if line.strip()), "")):
        out.append("the block has no subject above it")
    for key, value in lines:
        if key == "op" and value not in OPS:
            out.append(f"Memgit-Op: {value}: no operation of that name")
        elif key == "record" and messages.read_record(value) is None:
            out.append(f"Memgit-Record: {value}: not of the form <action> <id or -> <address>")
        elif not value:
            out.append(f"Memgit-{key.title()}: nothing is said there")
    return out
