"""The plan file: a proposal as YAML that a person or an agent edits. A stream of small documents between
lines `---`.

The first document says what the plan is for, then comes one for each file that should have been read and
could not be, one for each new category, and one for each segment. Bodies stand as literal blocks. What is
read back is exactly what is carried out, and what it skips is skipped by choice; a key that is not known is
refused, so that no typing error goes unseen.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from memgit.errors import BadInput, UnreadableFile
from memgit.formats import yaml, yaml_text
from memgit.formats.text import decode
from memgit.ingest.proposal import ACTIONS, UNCHANGED, Category, File, Item, Proposal
from memgit.model.kinds import KINDS
from memgit.model.record import Value

VERSION = "1"
HEAD = """\
# What memgit would do with {what}. Edit it, then: memgit ingest --apply FILE
#
# Each segment has an action:
#   create  makes a new record of kind, group (the category of knowledge) and title
#   update  replaces the text of the record named by `into`; its version must be the one given here
#   extend  adds the text to the record named by `into` as a dated section
#   merge   adds the text to the segment named by `into`, such as seg-002
#   skip    does nothing; so does deleting the whole segment
# Title, group, kind, keywords, related and body may be changed at will. Leave source, origin, lines, version and fingerprint as they are.
"""
_SEGMENT = (
    "segment",
    "source",
    "origin",
    "lines",
    "action",
    "into",
    "version",
    "kind",
    "group",
    "title",
    "context",
    "keywords",
    "related",
    "date",
    "fingerprint",
    "body",
)
_CATEGORY = ("new-category", "name", "keywords")
_FAILED = ("not-read", "reason")
_TOP = ("plan", "source", "files", "sources")
_LISTS = ("keywords", "related", "files", "sources")
_FORMS = {
    "lines": (r"\d+-\d+(?:, \d+-\d+)*", "no lines such as 3-17"),
    "date": (r"\d{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])", "no date of the form YYYY-MM-DD"),
    "fingerprint": (
        r"(?:[0-9a-f]{12}(?:,[0-9a-f]{12})*)? (?:[0-9a-f]{12}|edited)",
        "not what memgit wrote there",
    ),
}
"""Keys whose values have a form, and that form in words."""


class Document(NamedTuple):
    """One document of a plan: its first line, its values, and the line of each."""

    line: int
    values: Mapping[str, Value]
    lines: Mapping[str, int]


def dump(proposal: Proposal) -> str:
    """The plan as text. Segments that need no change are left out."""
    out = [
        HEAD.format(what=proposal.what.replace("\n", " ")),
        f"plan: {VERSION}\n",
        _pair("source", proposal.what),
    ]
    out.append(_pair("sources", proposal.sources))
    read = [file for file in proposal.files if not (file.skipped or file.failed or file.unchanged)]
    named = [f"\n  - {yaml_text.quoted(' '.join((file.digest or '-', file.path)))}" for file in read]
    out.append(f"files:{''.join(named) or ' []'}\n")
    out += [
        f"# not read: {_comment(file.path)}: {_comment(file.skipped)}\n"
        for file in proposal.files
        if file.skipped and not file.failed
    ]
    for file in proposal.files:
        if file.failed:
            out += ["---\n# It is told again when the plan is applied; delete this part to do without it.\n"]
            out += [_pair("not-read", file.path), _pair("reason", file.skipped)]
    for category in proposal.categories:
        out += [
            "---\n",
            _pair("new-category", category.key),
            _pair("name", category.name),
            _pair("keywords", category.keywords),
        ]
    for item in proposal.items:
        if item.action == UNCHANGED:
            out.append(
                f"# unchanged: {_comment(item.segment)}, lines {item.lines} of "
                f"{_comment(item.path)}: {_comment(item.into)}\n"
            )
        else:
            out += _segment(item)
    return "".join(out)


def _segment(item: Item) -> Iterator[str]:
    yield (
        f"---\n# {_comment(item.summary)} ({item.tokens} tokens, worth {item.worth}, topic "
        f"{_comment(item.topic)})\n"
    )
    if item.worth_parts:
        yield f"#   worth: {', '.join(f'{name} {points:+d}' for name, points in item.worth_parts)}\n"
    for candidate in item.candidates:
        yield (
            f"#   {candidate.overlap:.0%} of the key terms in {_comment(candidate.address)}, "
            f"{candidate.likeness:.0%} alike: {candidate.advice}\n"
        )
    action = item.action
    if item.acts and item.reason:
        # A person decides: applied as it is, the plan must not do it.
        yield f"# {item.action} would fit, but {_comment(item.reason)}; set the action to do it\n"
        action = "skip"
    elif item.reason:
        yield f"# {_comment(item.reason)}\n"
    elif item.action == "update" and item.foreign:
        yield "# update replaces what others wrote (git keeps it); extend adds to it\n"
    values: dict[str, Value] = {
        "segment": item.segment,
        "source": item.path,
        "origin": "" if item.source in (f"file:{item.path}", f"url:{item.path}") else item.source,
        "lines": item.lines,
        "action": action,
        "into": item.into,
        "version": item.version,
        "kind": item.kind,
        "group": item.group,
        "title": item.title,
        "context": item.context,
        "keywords": item.keywords,
        "related": item.related,
        "date": item.date,
        "fingerprint": " ".join((",".join(item.fingerprint), _body_mark(item))),
    }
    for name, value in values.items():
        if value or name in ("group", "title", "keywords"):
            yield _pair(name, value)
    yield f"body: {_block(item.body)}"


def _body_mark(item: Item) -> str:
    return "edited" if item.edited else text_mark(item.body)


def text_mark(text: str) -> str:
    """Twelve hexadecimal digits by which a body that was edited in the plan is known."""
    return sha256(text.strip("\n").encode("utf-8", "surrogatepass")).hexdigest()[:12]


def _pair(name: str, value: Value) -> str:
    if isinstance(value, tuple):
        return f"{name}: {yaml_text.dump_list(value)}\n"
    return f"{name}: {yaml_text.dump_scalar(value or '')}\n"


def _block(text: str) -> str:
    """A text as a literal block, or in quotes where a block could not hold it."""
    plain = text.replace("\t", "")
    if not text.strip() or not yaml_text.printable(plain) or text != text.strip("\n") or text[:1] in " \t":
        return f"{yaml_text.double(text)}\n"
    return "|-\n" + "".join(f"  {line}\n" if line.strip() else "\n" for line in text.split("\n"))


def _comment(text: str) -> str:
    return "".join(char if char.isprintable() else " " for char in text)


def load(data: bytes, path: str) -> Proposal:
    """The proposal in a plan file, as it was edited.

    Raises:
        BadInput: it is not a plan, or something in it is not known; the line is named.
    """
    try:
        text = decode(data).replace("\r\n", "\n")
        documents = [_read(block, line) for line, block in _documents(text)]
    except UnreadableFile as error:
        raise BadInput(error.message, path=path, line=error.line, hint=error.hint) from None
    documents = [document for document in documents if document.values]
    if not documents or "plan" not in documents[0].values:
        raise BadInput(
            "this is not a plan of memgit ingest",
            path=path,
            hint="memgit ingest SOURCE --plan FILE writes one",
        )
    head = documents[0]
    if head.values["plan"] != VERSION:
        raise BadInput(
            f"a plan of version {head.values['plan']}, which this memgit does not know",
            path=path,
            line=head.lines["plan"],
        )
    items: list[Item] = []
    categories: list[Category] = []
    failed: list[File] = []
    _check(head, _TOP, path)
    for document in documents[1:]:
        if "new-category" in document.values:
            _check(document, _CATEGORY, path)
            key = _text(document, "new-category")
            categories.append(Category(key, _text(document, "name") or key, _list(document, "keywords")))
        elif "not-read" in document.values:
            _check(document, _FAILED, path)
            failed.append(
                File(
                    _text(document, "not-read"),
                    "",
                    _text(document, "reason") or "it could not be read",
                    failed=True,
                )
            )
        else:
            items.append(_item(document, path))
    twice = next(
        (
            item.segment
            for number, item in enumerate(items)
            if item.segment in {one.segment for one in items[:number]}
        ),
        None,
    )
    if twice is not None:
        raise BadInput(f"{twice} is in the plan twice", path=path)
    files = tuple(
        File(entry.partition(" ")[2], entry.partition(" ")[0].replace("-", ""))
        for entry in _list(head, "files")
    )
    return Proposal(
        _text(head, "source"), _list(head, "sources"), (*files, *failed), tuple(items), tuple(categories)
    )


def _documents(text: str) -> Iterator[tuple[int, str]]:
    """The documents of a stream with the number of their first line."""
    block: list[str] = []
    start = 1
    for number, line in enumerate(text.split("\n"), 1):
        if line.rstrip() == "---":
            yield start, "\n".join(block) + "\n"
            block, start = [], number + 1
        else:
            block.append(line)
    yield start, "\n".join(block) + "\n"


def _read(block: str, line: int) -> Document:
    entries = yaml.read(block, first_line=line)
    return Document(
        line,
        {key: entry.value for key, entry in entries.items()},
        {key: line + entry.start for key, entry in entries.items()},
    )


def _check(document: Document, known: tuple[str, ...], path: str) -> None:
    for key, value in document.values.items():
        line = document.lines[key]
        if key not in known:
            raise BadInput(
                f"{key!r} is not known here", path=path, line=line, hint=f"one of {', '.join(known)}"
            )
        if isinstance(value, tuple) and key not in _LISTS:
            raise BadInput(f"{key} is one text, not a list", path=path, line=line)


def _item(document: Document, path: str) -> Item:
    _check(document, _SEGMENT, path)

    def fail(key: str, message: str) -> BadInput:
        return BadInput(message, path=path, line=document.lines.get(key, document.line))

    segment, action, kind = _text(document, "segment"), _text(document, "action"), _text(document, "kind")
    if not segment:
        raise fail("segment", "a segment without its name")
    if action not in ACTIONS:
        raise fail("action", f"{action!r} is not an action: one of {', '.join(ACTIONS)}")
    if kind not in KINDS and action == "create":
        raise fail("kind", f"{kind!r} is not a kind of record: one of {', '.join(KINDS)}")
    into = _text(document, "into")
    if action in ("update", "extend", "merge") and not into:
        raise fail(
            "action",
            f"{action} needs `into`: {'a segment' if action == 'merge' else 'the address of a record'}",
        )
    if action == "create" and not _text(document, "title").strip():
        raise fail("title", "a new record needs a title")
    for key, (form, words) in _FORMS.items():
        if _text(document, key) and not re.fullmatch(form, _text(document, key)):
            raise fail(key, f"{_text(document, key)!r} is {words}")
    body = str(document.values.get("body") or "").strip("\n")
    marks, _, mark = _text(document, "fingerprint").partition(" ")
    source = _text(document, "source")
    return Item(
        segment,
        source,
        " ".join(_text(document, "origin").split()),
        _text(document, "lines"),
        action,
        kind,
        _text(document, "title"),
        _text(document, "group"),
        _list(document, "keywords"),
        body,
        context=_text(document, "context"),
        into=into,
        version=_text(document, "version"),
        related=_list(document, "related"),
        fingerprint=tuple(mark for mark in marks.split(",") if mark),
        edited=mark != text_mark(body),
        date=_text(document, "date"),
        chosen=action == "skip",
    )


def _text(document: Document, key: str) -> str:
    value = document.values.get(key)
    return value if isinstance(value, str) else ""


def _list(document: Document, key: str) -> tuple[str, ...]:
    value = document.values.get(key)
    if isinstance(value, str):
        return tuple(part for part in (piece.strip() for piece in value.split(",")) if part)
    return value or ()
