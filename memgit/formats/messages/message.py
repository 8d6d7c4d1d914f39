"""Commit messages: building the subject, the reason and the one trailer block, and reading them back from any
message.

Form: https://git-scm.com/docs/git-interpret-trailers, keys `Memgit-*`. Values stand on one line, escaped as
in `escape`. Nothing that a user typed can become a trailer: in the reason, lines that git or memgit could
take for structure are set in by one blank.
"""

from __future__ import annotations

import re
import unicodedata

from memgit import TYPE_CHECKING
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import ACTIONS, OPS, PAST, USAGE, Operation, RecordChange

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

SUBJECT_COLUMNS = 72
ARROW = " <- "
MAX_DEPTH = 4
"""How many squashes inside one another are read."""

# What git, a forge or memgit could take for structure at the start of a line: trailers, the dividers of
# git-interpret-trailers, git-mailinfo and git-am, the scissors of git-commit, the headings of a squash.
_MARKS = (
    r"(?:memgit-|---|diff -|index: |\S*-by: |(?:from|subject|date): |from |\(cherry picked from "
    r"|squashed commit of "
    r"|commit [0-9a-f]{7}|# -+ >8 -)"
)
_STRUCTURE = pattern(rf"^( *)(?={_MARKS})", re.IGNORECASE | re.MULTILINE)
_SET_IN = pattern(rf"^ ( *)(?={_MARKS})", re.IGNORECASE | re.MULTILINE)
_TRAILER = pattern(r"([A-Za-z0-9][A-Za-z0-9-]*): ?(.*)")
_NOTED = pattern(r"\(cherry picked from commit [0-9a-f]+\)")
_OP = pattern(r"^ *memgit-op:", re.IGNORECASE | re.MULTILINE)
_BLANKS = pattern(r"\n\s+\n")
_SQUASHED = pattern(r"commit [0-9a-f]{40,64}")
_AUTHOR = "Author: "
_ACTIONS = frozenset([*ACTIONS, *USAGE])
_ESCAPES = {"\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_UNESCAPES = {"\\": "\\", "n": "\n", "r": "\r", "t": "\t"}
_KEYS = {
    f"Memgit-{name}": name.lower() for name in ("Op", "Record", "Derived-From", "Source", "Actor", "Run")
}
_SUBJECT = pattern(rf"(?:[*-] )?(?:{'|'.join(OPS)})(?:\([a-z]+\))?: ")


Block = Operation
"""One trailer block of a message: one operation as memgit wrote it, with the subject that stood above it."""


class Message(NamedTuple):
    """A message as read: the first line, the prose between it and the blocks, and every block in order."""

    subject: str
    reason: str | None
    blocks: tuple[Block, ...]


def columns(text: str) -> int:
    """Width of a text on a terminal: wide characters count two, combining ones none."""
    if text.isascii():
        return len(text)
    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


def cut(text: str, width: int) -> str:
    """The text in at most `width` columns, an ellipsis in place of what was cut."""
    if columns(text) <= width:
        return text
    while columns(text) > width - 1:
        text = text[: -max(1, (columns(text) - width) // 2)]
    return text.rstrip() + "…"


def one_line(text: str) -> str:
    """The text on one line: control characters and line ends become blanks, runs of blanks one."""
    if text.isprintable():
        return " ".join(text.split()) if "  " in text or not text.isascii() else text.strip()
    return " ".join("".join(char if char.isprintable() else " " for char in text).split())


def escape(value: str) -> str:
    """A value on one line: backslash, newline, return and tab by letter, other control characters and line
    ends as `\\uXXXX`.

    Blanks at either end are escaped too, for readers of trailers strip them.
    """
    if value.isascii() and value.isprintable() and "\\" not in value and value == value.strip():
        return value
    text = "".join(
        _ESCAPES.get(char)
        or (f"\\u{ord(char):04x}" if unicodedata.category(char) in ("Cc", "Zl", "Zp", "Cs") else char)
        for char in value
    )
    inner = text.strip()
    before, _, after = text.partition(inner) if inner else (text, "", "")
    return _spelled(before) + inner + _spelled(after)


def _spelled(blanks: str) -> str:
    return "".join(f"\\u{ord(char):04x}" for char in blanks)


def unescape(value: str) -> str:
    """The inverse of `escape`; a backslash that starts no escape stands for itself."""
    if "\\" not in value:
        return value
    return re.sub(
        r"\\(?:u([0-9a-f]{4})|([\\nrt]))",
        lambda match: chr(int(match[1], 16)) if match[1] else _UNESCAPES[match[2]],
        value,
    )


def subject(op: str, kind: str | None, title: str) -> str:
    """`<op>(<kind>): <title>` in at most 72 columns."""
    head = f"{op}({kind}): " if kind else f"{op}: "
    return head + cut(one_line(title), SUBJECT_COLUMNS - len(head))


def summary(op: str, what: str, changes: Sequence[RecordChange]) -> str:
    """The subject of an operation on several records:

    `<op>: <what> (3 created, 1 updated)`, at most 72 columns.
    """
    counts = [(sum(change.action == action for change in changes), PAST[action]) for action in ACTIONS]
    head = f"{op}: "
    tail = f" ({', '.join(f'{count} {past}' for count, past in counts if count)})" if changes else ""
    if len(head) + len(tail) > SUBJECT_COLUMNS - 12:
        tail = f" ({len(changes)} records)"
    return head + cut(one_line(what), SUBJECT_COLUMNS - len(head) - len(tail)) + tail


def record_trailer(change: RecordChange) -> str:
    """The value of a `Memgit-Record` trailer:

    `<action> <id> <address>`, `-` for no id, ` <- <old address>` after a rename.
    """
    text = f"{change.action} {change.id or '-'} {_shield(escape(change.address))}"
    return text if change.was is None else f"{text}{ARROW}{_shield(escape(change.was))}"


def _shield(value: str) -> str:
    """An address in which the arrow between two addresses cannot occur."""
    return value.replace("<-", "\\u003c-")


def build(
    subject_line: str,
    op: str,
    changes: Sequence[RecordChange],
    *,
    reason: str | None = None,
    source: str | None = None,
    actor: str | None = None,
    run: str | None = None,
    derived_from: Sequence[str] = (),
) -> str:
    """A whole commit message, ending in the trailer block and a newline. Lines end in `\\n` alone; a reason
    loses blanks at the ends of its lines and all but one of several blank lines, as git itself would take
    them off.
    """
    first = _unpaired(one_line(subject_line)) or op
    parts = [f"{op}: {first}" if _STRUCTURE.match(first) else first]
    reason = tidy(reason or "")
    if reason:
        parts.append(_STRUCTURE.sub(r" \1", reason))
    lines = [f"Memgit-Op: {op}"]
    lines += [f"Memgit-Record: {record_trailer(change)}" for change in changes]
    lines += [f"Memgit-Derived-From: {escape(address)}" for address in derived_from]
    lines += [
        f"Memgit-{key}: {escape(value)}"
        for key, value in (("Source", source), ("Actor", actor), ("Run", run))
        if value
    ]
    parts.append("\n".join(lines))
    return "\n\n".join(parts) + "\n"


def tidy(text: str) -> str:
    """A text as it stands in a message:

    `\\n` between lines, none blank at either end, never two blank ones in a row, no NUL.
    """
    text = _unpaired(text.replace("\r\n", "\n").replace("\r", "\n").replace("\0", ""))
    lines = [line.rstrip() for line in text.split("\n")]
    return "\n".join(
        line for number, line in enumerate(lines) if line or (number and lines[number - 1])
    ).strip("\n")


def _unpaired(text: str) -> str:
    """The text with what UTF-8 cannot write replaced."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode("utf-8")


def parse(text: str) -> Message:
    """Subject, reason and every memgit block of a message, wherever it stands.

    A forge that squashes leaves several blocks with prose between; `git merge --squash` sets each message in
    by four blanks under a line `commit <hash>`; other tools add their own trailers and notes to a block.
    """
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    return _plain(text) or _parse(text, 0)


def _plain(text: str) -> Message | None:
    """As `_parse`, for a message in the very form that `build` gives; None for any other."""
    head, _, last = text.rstrip("\n").rpartition("\n\n")
    first, _, reason = head.partition("\n")
    if not last.startswith("Memgit-Op: ") or not first.strip() or (reason and reason[0] != "\n"):
        return None
    if "emgit-" in head.lower() or (reason and ("\ncommit " in head or _BLANKS.search(head) is not None)):
        return None
    trailers: list[tuple[str, str]] = []
    for line in last.split("\n"):
        key, colon, value = line.partition(": ")
        name = _KEYS.get(key)
        if name is None:
            if not key.startswith("Memgit-"):
                return None
            name = key[7:].lower()
        if not colon or (name == "op" and key == "Memgit-Op" and trailers):
            return None
        trailers.append((name, value.strip()))
    first = first.strip()
    reason = reason.strip("\n")
    heading = (
        next((line for line in reversed(reason.split("\n")) if _SUBJECT.match(line.strip())), None)
        if ": " in reason
        else None
    )
    return Message(first, _set_out(reason), (_block(trailers, _unmarked(heading) if heading else first),))


def _set_out(reason: str) -> str | None:
    """A reason without the blanks that `build` put before what looked like structure; None for none."""
    if reason.startswith(" ") or "\n " in reason:
        reason = _SET_IN.sub(r"\1", reason)
    return reason or None


def _unmarked(heading: str) -> str:
    return heading.strip().removeprefix("* ").removeprefix("- ")


def _parse(text: str, depth: int) -> Message:
    lines = text.split("\n")
    first = next((number for number, line in enumerate(lines) if line.strip()), None)
    if first is None:
        return Message("", None, ())
    subject_line = lines[first].strip()
    if "emgit-" not in text.lower() or _OP.search(text) is None:
        return Message(subject_line, _set_out("\n".join(lines[first + 1 :]).strip("\n")), ())
    blocks: list[Block] = []
    reasons: list[str | None] = []
    prose: list[str] = []
    since: list[str] = []
    heading = subject_line
    paragraph: list[str] = []
    position = first + 1
    while position <= len(lines):
        line = lines[position] if position < len(lines) else ""
        position += 1
        if line.strip():
            paragraph.append(line)
            continue
        if paragraph and _SQUASHED.fullmatch(paragraph[0]) and depth < MAX_DEPTH:
            inner, position = _set_in(lines, position)
            within = _parse(inner, depth + 1)
            author = next(
                (line[len(_AUTHOR) :].strip() for line in paragraph if line.startswith(_AUTHOR)), None
            )
            blocks += [block._replace(author=block.author or author) for block in within.blocks]
            reasons += (
                [within.reason] if len(within.blocks) == 1 else [block.reason for block in within.blocks]
            )
            since = []
            prose += [text for text in (within.subject, within.reason) if text]
        elif paragraph:
            marked = any(_OP.match(line) and line[0] != " " for line in paragraph)
            found, rest = _blocks(paragraph) if marked else ([], paragraph)
            named = next((line for line in reversed(rest) if _SUBJECT.match(line.strip())), None)
            heading = _unmarked(named) if named else heading
            if named:
                since = ["\n".join(rest[len(rest) - rest[::-1].index(named) :])]
            elif rest:
                since.append("\n".join(rest))
            if found:
                why = None if found[0].subject else _set_out("\n\n".join(text for text in since if text))
                blocks += [block._replace(subject=block.subject or heading) for block in found]
                reasons += [why] + [None] * (len(found) - 1)
                since = []
            if rest:
                prose.append("\n".join(rest))
        paragraph = []
    if len(blocks) > 1:  # of one alone, the reason is that of the message
        blocks = [
            block._replace(reason=block.reason or reason)
            for block, reason in zip(blocks, reasons, strict=True)
        ]
    return Message(subject_line, _set_out("\n\n".join(prose).strip("\n")), tuple(blocks))


def _set_in(lines: Sequence[str], position: int) -> tuple[str, int]:
    """The message that stands set in by four blanks from a position on, without them, and the position behind
    it.
    """
    out: list[str] = []
    while position < len(lines) and (not lines[position].strip() or lines[position].startswith("    ")):
        out.append(lines[position][4:])
        position += 1
    return "\n".join(out).strip("\n"), position


def _blocks(paragraph: Sequence[str]) -> tuple[list[Block], list[str]]:
    """The blocks of a paragraph, each from its `Memgit-Op` on, and the lines that are no trailers.

    A value may go on in lines that are set in (https://git-scm.com/docs/git-interpret-trailers, folding), or
    after a line that `folded` has ended.
    """
    blocks: list[list[tuple[str, str]]] = []
    prose: list[str] = []
    waiting: list[tuple[str, str]] = []
    current = waiting
    last = False
    for line in paragraph:
        if last and _open(current[-1][1]):
            current[-1] = (current[-1][0], current[-1][1][:-1] + line.strip())
            continue
        match = _TRAILER.fullmatch(line.rstrip())
        if match is not None:
            key, value = match[1].lower(), match[2].strip()
            if key == "memgit-op":
                current = []
                blocks.append(current)
            last = key.startswith("memgit-")
            if last:
                current.append((key[7:], value))
        elif line[:1] in " \t" and last:
            current[-1] = (current[-1][0], f"{current[-1][1]} {line.strip()}".strip())
        else:
            last = False
            if not _NOTED.fullmatch(line.strip()):
                prose.append(line)
    blocks[0][1:1] = waiting
    return [_block(trailers) for trailers in blocks], prose


def _block(trailers: Iterable[tuple[str, str]], subject_line: str = "") -> Block:
    records: list[RecordChange] = []
    derived: list[str] = []
    single: dict[str, str] = {}
    for key, value in trailers:
        if key == "record":
            change = read_record(value)
            if change is not None:
                records.append(change)
        elif key == "derived-from":
            derived.append(unescape(value))
        else:
            single.setdefault(key, unescape(value))
    return Block(
        single.get("op", ""),
        tuple(records),
        single.get("source"),
        single.get("actor"),
        single.get("run"),
        tuple(derived),
        one_line(single.get("subject", "")) or subject_line,
        single.get("reason"),
        single.get("author"),
    )


def folded(line: str, width: int = SUBJECT_COLUMNS) -> list[str]:
    """A trailer as lines of at most `width` columns (of one word, if need be, more), which `parse` reads as
    the one that was given.

    Each line but the last ends in a backslash, the others are set in by one blank: so the value survives
    whoever takes blanks off either end of a line, and who breaks long lines finds none. An `escape`d value
    never ends in a backslash that stands alone.
    """
    out: list[str] = []
    while columns(line) > width:
        at = _break(line, width)
        if at is None:
            break
        out.append(line[:at] + "\\")
        line = " " + line[at:]
    return [*out, line]


def _break(line: str, width: int) -> int | None:
    """Where to break a line: behind the last blank that leaves room for the backslash, else anywhere; None
    where it cannot be broken.
    """
    end = len(line)
    while columns(line[:end]) > width - 1:
        end -= max(1, (columns(line[:end]) - width + 1) // 2)
    start = line.find(": ") + 2 if line[:1] != " " else 1
    for blank in (True, False):
        for at in range(end, start, -1):
            if (line[at - 1] == " ") is blank and not line[at].isspace() and not _open(line[:at]):
                return at
    return None


def _open(value: str) -> bool:
    """Whether a value goes on in the next line: it ends in a backslash that no other one escapes."""
    return (len(value) - len(value.rstrip("\\"))) % 2 == 1


def read_record(value: str) -> RecordChange | None:
    """The inverse of `record_trailer`; None for a value of another form."""
    action, _, rest = value.partition(" ")
    id_, _, rest = rest.partition(" ")
    if action not in _ACTIONS or not id_ or not rest:
        return None
    address, arrow, was = rest.partition(ARROW)
    return RecordChange(
        action, None if id_ == "-" else id_, unescape(address), unescape(was) if arrow else None
    )


def block_of(whole: str) -> str:
    """The trailer block of a message that `build` made."""
    return whole.rstrip("\n").rpartition("\n\n")[2]
