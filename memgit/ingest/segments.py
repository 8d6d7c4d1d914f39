"""A text as a map of segments."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.messages.message import cut
from memgit.formats.yaml import read
from memgit.ingest import markup
from memgit.ingest.boilerplate import is_generic_heading, kind_of_title, without_layout
from memgit.ingest.content import Dropped, FileMap, Segment
from memgit.ingest.cuts import chat, code, markdown, outline, prose, python
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import LARGE_TOKENS, SMALL_TOKENS, WHOLE, Piece, joined, merge
from memgit.ingest.filetypes import language
from memgit.ingest.keywords import SUMMARY, TERMS, keywords, summary_of, terms_of, topic_of
from memgit.ingest.namers import ChatNamer, CodeNamer, MixedNamer, OutlineNamer
from memgit.ingest.naming import MAX_TITLE, MarkdownNamer, Namer, Part, clean
from memgit.ingest.rewrite import body_of
from memgit.ingest.scoring import BOILERPLATE, parts
from memgit.ingest.signatures import LANGUAGES
from memgit.ingest.subject import is_generic, numbered, package_of, subject_of, subject_of_code, undated

STDIN = "-"
"""The path of a text that has no name of its own: its first sentence is its title."""
APART_TOKENS = 12
"""Tokens that each section of a short text has at least, where they become segments of their own."""
FILED = ("category", "topic", "topics", "tags", "tag")
"""Keys of frontmatter that say what a text is filed under."""
MAX_TAG = 40
MAX_TITLE_LINES = 40
"""Lines of a file in which its title may be a heading of HTML."""
_TARGET = re.compile(r"\]\([^()\s]*(?:\([^()\s]*\)[^()\s]*)*(?: \"[^\"]*\")?\)")
"""The target of a link, which is no word of the text."""
_H1 = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)

__all__ = ["MAX_TITLE", "STDIN", "Given", "has_folder", "map_text", "stem_of"]


class Given(NamedTuple):
    """What is known of a text from outside.

    Attributes:
        path: as it is shown.
        folders: those that tell its topic.
        title: one that was found with it.
        language: how it is read, where the path does not tell.
    """

    path: str
    folders: tuple[str, ...] = ()
    title: str | None = None
    language: str | None = None


class _Cut(NamedTuple):
    """A text cut in pieces, what names them, and the title of the whole."""

    pieces: list[Piece]
    namer: Namer
    title: str
    speakers: frozenset[str] = frozenset()


def stem_of(path: str) -> str:
    """The name of a file without its extension: its title where it has no other."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def has_folder(segment: Segment) -> bool:
    """Whether the topic of a segment names folders rather than key terms."""
    return segment.topic != "/".join(segment.key_terms[:2])


def map_text(text: str, given: Given, most: int | None = None) -> FileMap:
    """The map of one text. Its lines end at `\\n`, a `\\r` before it belongs to the end; a byte order mark is
    not part of it.

    The same text and path always give the same map. Takes time in proportion to the text.

    Args:
        most: join neighbouring segments where more than so many are worth recording, as far as they do not
            grow too large.
    """
    lines = Lines(text)
    kind = given.language or language(given.path)
    head = _frontmatter(text) if kind == "markdown" else _Head(0, None)
    title = clean(given.title or head.title or "")
    first = head.lines + 1
    found = _cut(lines, text, given, kind, title, first)
    series = undated if found.speakers else numbered
    subject = (
        subject_of_code(found.title, text)
        if isinstance(found.namer, CodeNamer)
        else subject_of(found.title, text, found.speakers, head.tag, series(stem_of(given.path)))
    )
    make = _Segments(lines, given, found, subject.name)
    segments = make.all(found.pieces)
    if most is not None and _worthy(segments) > most:
        segments = make.all(_joined(lines, found.pieces, segments, most))
    dropped = [Dropped(given.path, 1, head.lines, "frontmatter")] if head.lines else []
    end = head.lines
    for segment in segments:
        if segment.first > end + 1:
            dropped.append(Dropped(given.path, end + 1, segment.first - 1, "blank"))
        end = segment.last
    if end < len(lines):
        dropped.append(Dropped(given.path, end + 1, len(lines), "blank"))
    return FileMap(
        given.path,
        found.title,
        lines.tokens(1, len(lines)),
        tuple(segments),
        tuple(dropped),
        head.fault,
        subject.about,
    )


class _Head(NamedTuple):
    """The frontmatter of a file: how many lines it takes, the title that it names, where and why it cannot be
    read, and the first word that it is filed under.
    """

    lines: int
    title: str | None
    fault: tuple[int, str] | None = None
    tag: str = ""


_TYPED = re.compile(r"[^\s\[\]{}&*!|>%@`#\"'][^\[\]{}]*")
"""What a title may be that was typed into a block which is not YAML: words, and not the beginning of a list or
of quotes that never end.
"""


def _frontmatter(text: str) -> _Head:
    parts = frontmatter.split(text)
    fault = None if parts.fault is None else (parts.fault.line or 1, parts.fault.message)
    if not parts.body:
        return _Head(0, None, fault)
    count = text.count("\n", 0, parts.body)
    if not text[: parts.body].endswith("\n"):
        count += 1
    title = None
    if parts.block is not None:
        try:
            entries = read(parts.block)
            entry = entries.get("title")
        except UnreadableFile as error:
            typed = frontmatter.typed_value(parts.block, "title")
            title = typed if typed is not None and _TYPED.fullmatch(typed) else None
            fault = fault or (error.line or 1, error.message)
        else:
            title = entry.value if entry is not None and isinstance(entry.value, str) else None
            filed = (entries[name].value for name in FILED if name in entries)
            tag = next((clean(value if isinstance(value, str) else value[0]) for value in filed if value), "")
            return _Head(count, title, fault, tag if 0 < len(tag) <= MAX_TAG else "")
    return _Head(count, title, fault)


def _cut(lines: Lines, text: str, given: Given, kind: str, title: str, first: int) -> _Cut:
    """A text cut by what it is: a chat, an outline, Markdown, prose or code."""
    stem = "" if given.path == STDIN else stem_of(given.path)
    if kind not in ("markdown", "prose"):
        name = title or given.path.rpartition("/")[2]
        return _Cut(_code_pieces(lines, text, kind), CodeNamer(lines, kind, name), name)
    spoken = chat.turns(lines, first)
    if spoken:
        start = spoken[0].line
        name = title or _first_heading(lines, first, start) or stem
        speakers = frozenset(turn.speaker.casefold() for turn in spoken)
        named = ChatNamer(lines, spoken, name)
        if lines.tokens(first, start - 1) <= SMALL_TOKENS:
            return _Cut(chat.pieces(lines, first, spoken), named, name, speakers)
        head = lines.text(1, start - 1)
        above = _cut(Lines(head), head, given, kind, title, first)
        log = chat.pieces(lines, start, spoken)
        return _Cut([*above.pieces, *log], MixedNamer(above.namer, named, start), above.title, speakers)
    bullets = outline.bullets(lines, first) if kind == "markdown" else []
    if bullets:
        name = title or stem
        pieces = [_whole(lines, first)]
        if lines.tokens(first, len(lines)) >= WHOLE:
            pieces = outline.pieces(lines, first, bullets)
        return _Cut(pieces, OutlineNamer(lines, bullets, name), name)
    if kind == "prose":
        marked = markup.structure(lines, given.path)
        if marked is None:
            whole = lines.tokens(1, len(lines)) < WHOLE
            name = title or stem
            pieces = [_whole(lines, 1)] if whole else prose.pieces(lines, 1)
            return _Cut(pieces, MarkdownNamer(lines, markdown.Structure([], frozenset()), name), name)
        return _sections(lines, marked, first, title, stem, "", markup.as_markdown)
    body = text.split("\n", first - 1)[-1] if first > 1 else text
    found = markdown.structure(body, first)
    if not found.headings:
        found = markup.numbered(lines, first) or found
    return _sections(lines, found, first, title, stem, text)


def _sections(
    lines: Lines,
    found: markdown.Structure,
    first: int,
    title: str,
    stem: str,
    text: str,
    spelled: Callable[[str], str] = str,
) -> _Cut:
    """A text with headings; `spelled` makes Markdown of a body."""
    name = title or _title_of(lines, found, stem, text)
    if lines.tokens(first, len(lines)) < WHOLE:
        heads = ((), *((heading.title,) for heading in found.headings))
        pieces = _apart(lines, first, found) or [_whole(lines, first, heads)]
    elif found.headings:
        pieces = markdown.pieces(
            lines, first, found, lambda one, other: _related(lines, one, other), title or None
        )
    else:
        pieces = prose.pieces(lines, first, found.hidden)
    return _Cut(pieces, MarkdownNamer(lines, found, name, spelled), name)


def _title_of(lines: Lines, found: markdown.Structure, stem: str, text: str) -> str:
    """The title of a document without one in its frontmatter: its first heading of the first level, one in
    HTML, its only heading, the package that it is about where its file's name says nothing, else that name.
    """
    headings = [heading for heading in found.headings if heading.title]
    tops = [heading for heading in headings if heading.level == 1]
    if not tops or tops[0] is not headings[0]:
        in_html = _html_title(lines)
        if in_html:
            return in_html
    typed = clean(tops[0].title if tops else headings[0].title if len(headings) == 1 else "")
    if typed and not is_generic_heading(typed):
        return typed
    above = _title_line(lines, headings[0].line if headings else len(lines) + 1)
    if typed or above:
        return above or typed
    return (package_of(text) if is_generic(stem) else "") or stem


def _title_line(lines: Lines, before: int) -> str:
    """A first line that stands alone above all headings and is short, as the title of a converted document."""
    first, last = lines.trimmed(1, min(before - 1, MAX_TITLE_LINES))
    if first > last or (first < len(lines) and not lines.blank(first + 1)):
        return ""
    line = lines[first]
    is_title = len(line) <= MAX_TITLE and line[:1].isupper() and line.rstrip()[-1:] not in ".:!?;,"
    return clean(line) if is_title and len(line.split()) > 2 else ""


def _html_title(lines: Lines) -> str:
    """The title of a document whose first heading is HTML, as in many a README; empty where there is none."""
    match = _H1.search(lines.text(1, min(MAX_TITLE_LINES, len(lines))))
    found = clean(match[1]) if match is not None else ""
    return found if any(char.isalnum() for char in found) else ""


def _first_heading(lines: Lines, first: int, last: int) -> str:
    """The title that a chat has above its first turn."""
    above = (lines[number] for number in range(first, last))
    return next((clean(line.lstrip("# ")) for line in above if line.startswith("# ")), "")


def _whole(lines: Lines, first: int, heads: tuple[tuple[str, ...], ...] = ((),)) -> Piece:
    """All lines from one on as one piece."""
    return Piece(first, len(lines), lines.weight(first, len(lines)), heads)


def _apart(lines: Lines, first: int, found: markdown.Structure) -> list[Piece]:
    """The sections of a short text as pieces of their own, where no two neighbours speak of the same things;
    empty where they belong together.
    """
    levels = [heading.level for heading in found.headings]
    level = next((one for one in sorted(set(levels)) if levels.count(one) > 1), 0)
    starts = [heading for heading in found.headings if heading.level == level]
    if len(starts) < 2:
        return []
    stops = [heading.line - 1 for heading in starts[1:]] + [len(lines)]
    parts = [
        Piece(heading.line, stop, lines.weight(heading.line, stop), ((heading.title,),))
        for heading, stop in zip(starts, stops, strict=True)
    ]
    before = lines.trimmed(first, starts[0].line - 1)
    if before[0] <= before[1]:
        parts[0] = parts[0]._replace(first=first, weight=lines.weight(first, parts[0].last))
    together = merge(parts, lambda one, other: _belong(lines, one, other))
    return together if len(together) > 1 else []


def _belong(lines: Lines, one: Piece, other: Piece) -> bool:
    """Whether two neighbouring sections of a short text are one segment: they share a key term, one of them
    is hardly a sentence, or a heading names a part of any text; licences and credits stay apart from all else.
    """
    dull = [bool(kind_of_title(piece.heads[-1][-1])) for piece in (one, other)]
    if any(dull):
        return all(dull)
    if any(is_generic_heading(piece.heads[-1][-1]) for piece in (one, other)):
        return True
    if any(lines.tokens(piece.first, piece.last) < APART_TOKENS for piece in (one, other)):
        return True
    return bool(
        prose.terms_of(lines.text(one.first, one.last)) & prose.terms_of(lines.text(other.first, other.last))
    )


def _related(lines: Lines, one: Piece, other: Piece) -> bool:
    """Whether two pieces under different headings of the first level speak of the same things."""
    terms = [prose.terms_of(lines.text(piece.first, piece.last)) for piece in (one, other)]
    return prose.shared(terms[0], terms[1]) > prose.SAME_TOPIC


def _code_pieces(lines: Lines, text: str, kind: str) -> list[Piece]:
    found = python.pieces(lines, text) if kind == "python" else None
    pieces = found if found is not None else code.pieces(lines, kind in LANGUAGES)
    if lines.tokens(1, len(lines)) >= WHOLE or not pieces:
        return pieces
    heads = tuple(head for piece in pieces for head in piece.heads if head)
    return [_whole(lines, 1, heads or ((),))]


class _Segments:
    """Makes the segments of one file from its pieces."""

    def __init__(self, lines: Lines, given: Given, found: _Cut, subject: str) -> None:
        self._lines, self._given, self._found, self._subject = lines, given, found, subject

    def all(self, pieces: list[Piece]) -> list[Segment]:
        trimmed = [(piece, *self._lines.trimmed(piece.first, piece.last)) for piece in pieces]
        trimmed = [one for one in trimmed if one[1] <= one[2]]
        seen: dict[str, int] = {}
        out: list[Segment] = []
        for number, (piece, start, stop) in enumerate(trimmed, 1):
            only = len(trimmed) == 1
            part = self._found.namer.of(piece._replace(first=start, last=stop), only)
            seen[part.title] = seen.get(part.title, 0) + 1
            again = seen[part.title]
            name = f"{part.title} ({again})" if again > 1 and piece.part else part.title
            out.append(self._segment(number, start, stop, part, name))
        return out

    def _segment(self, number: int, start: int, stop: int, part: Part, name: str) -> Segment:
        raw = self._lines.text(start, stop)
        is_code = part.documented is not None
        body = part.body if is_code else body_of(without_layout(part.body))
        if not body.strip():
            body = raw.strip()  # a heading with nothing under it
        speakers = self._found.speakers
        seen = _TARGET.sub("]", body)
        terms = keywords(part.title, seen, self._subject, speakers) or terms_of(raw) or terms_of(name)
        if numbered(stem := stem_of(self._given.path)) and stem.casefold() not in terms:
            terms = [*terms[: TERMS - 1], stem.casefold()]
        tokens = self._lines.tokens(start, stop)
        said = "\n".join(body.split("\n")[1:]) if is_code else body
        return Segment(
            f"seg-{number:03d}",
            topic_of(self._given.folders, terms),
            self._given.path,
            start,
            stop,
            name,
            part.context,
            summary_of(said) or cut(part.title, SUMMARY),
            tokens,
            tuple(terms),
            body,
            {part.dull: BOILERPLATE}
            if part.dull
            else parts(part.title, body, tokens, documented=part.documented),
            self._subject,
            part.day,
        )


def _worthy(segments: list[Segment]) -> int:
    return sum(segment.worth > BOILERPLATE // 2 for segment in segments)


def _joined(lines: Lines, pieces: list[Piece], segments: list[Segment], most: int) -> list[Piece]:
    """The pieces with neighbours joined until no more than `most` are worth recording: those under one
    heading first, the smallest first.
    """
    worth = {segment.first: segment.worth > BOILERPLATE // 2 for segment in segments}
    out = [(piece, worth.get(lines.trimmed(piece.first, piece.last)[0], False)) for piece in pieces]
    cost: Callable[[int], tuple[int, int]] = lambda place: (  # noqa: E731
        -_depth(out[place][0], out[place + 1][0]),
        out[place][0].tokens + out[place + 1][0].tokens,
    )
    while sum(is_worthy for _, is_worthy in out) > most:
        pairs = [
            place
            for place in range(len(out) - 1)
            if out[place][1]
            and out[place + 1][1]
            and out[place][0].tokens + out[place + 1][0].tokens <= LARGE_TOKENS
        ]
        if not pairs:
            break
        place = min(pairs, key=cost)
        out[place : place + 2] = [(joined(out[place][0], out[place + 1][0]), True)]
    return [piece for piece, _ in out]


def _depth(one: Piece, other: Piece) -> int:
    """How many headings two neighbours have in common."""
    depth = 0
    for left, right in zip(one.heads[0], other.heads[-1], strict=False):
        if left != right:
            break
        depth += 1
    return depth
