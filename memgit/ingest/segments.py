"""A text as a map of segments."""

from __future__ import annotations

import re
from typing import NamedTuple

from memgit.errors import UnreadableFile
from memgit.formats import frontmatter
from memgit.formats.messages.message import cut
from memgit.formats.titles import one_line
from memgit.ingest import chat, code, markdown, prose, python
from memgit.ingest.boilerplate import kind_of_title, without_layout
from memgit.ingest.content import Dropped, FileMap, Segment
from memgit.ingest.filetypes import language
from memgit.ingest.lines import Lines
from memgit.ingest.plain import plain
from memgit.ingest.rewrite import body_of, fenced
from memgit.ingest.scoring import parts
from memgit.ingest.size_limits import WHOLE, Piece, merge
from memgit.model.terms import STOP, key_terms, words

STDIN = "-"
"""The path of a text that has no name of its own: its first sentence is its title."""
UNTITLED = "Text"
SUMMARY = 60
"""Columns of a summary."""
APART_TOKENS = 12
"""Tokens that each section of a short text has at least, where they become segments of their own."""
MAX_TITLE = 100
TERMS = 5
_MARKS = re.compile(
    (
        r"[ \t]*(?:(?:[#>+-]+|\*+|\d{1,3}[.)])(?=[ "
        r"\t])|//+!?|/\*+!?|\*+/|--+(?=\s)|;+|%+|[rbuf]?\"{3}|[rbuf]?'{3}|`{3,}\w*|~{3,}\w*)[ \t]*"
    ),
    re.IGNORECASE,
)
_PLAIN_FOLDERS = frozenset(
    """
    docs doc documentation src lib source sources notes note content contents posts post pages page wiki articles text tmp temp files data
    knowledge-base . ..
    """.split()
)


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


def stem_of(path: str) -> str:
    """The name of a file without its extension: its title where it has no other."""
    name = path.rpartition("/")[2]
    return name.rpartition(".")[0] or name


def map_text(text: str, given: Given) -> FileMap:
    """The map of one text. Its lines end at `\\n`, a `\\r` before it belongs to the end; a byte order mark is
    not part of it.

    The same text and path always give the same map. Takes time in proportion to the text.
    """
    lines = Lines(text)
    kind = given.language or language(given.path)
    stem = "" if given.path == STDIN else stem_of(given.path)
    head = _Head(0, None) if kind != "markdown" else _frontmatter(text)
    title = _clean(given.title or head.title or "")
    total = lines.tokens(1, len(lines))
    first = head.lines + 1
    maker: _Markdown | _Code | _Chat
    dropped = [Dropped(given.path, 1, head.lines, "frontmatter")] if head.lines else []
    spoken = chat.turns(lines, first) if kind in ("markdown", "prose") else []
    if spoken:
        pieces = chat.pieces(lines, first, spoken)
        doc_title = title or stem
        maker = _Chat(lines, spoken, doc_title)
    elif kind == "markdown":
        body = text.split("\n", head.lines)[-1] if head.lines else text
        found = markdown.structure(body, first)
        headings = [heading for heading in found.headings if heading.title]
        tops = [heading for heading in headings if heading.level == 1]
        doc_title = (
            title
            or _clean(tops[0].title if tops else headings[0].title if len(headings) == 1 else "")
            or stem
        )
        if not headings or not tops:
            doc_title = title or _html_title(lines) or doc_title
        rest = lines.tokens(first, len(lines))
        if rest < WHOLE:
            pieces = _apart(lines, first, found) or [
                _whole(lines, first, ((), *((heading.title,) for heading in found.headings)))
            ]
        elif found.headings:
            pieces = markdown.pieces(
                lines, first, found, lambda one, other: _related(lines, one, other), title or None
            )
        else:
            pieces = prose.pieces(lines, first, found.hidden)
        maker = _Markdown(lines, found, doc_title)
    elif kind == "prose":
        pieces = [_whole(lines, 1)] if total < WHOLE else prose.pieces(lines, 1)
        doc_title = title or stem
        maker = _Markdown(lines, markdown.Structure([], frozenset()), doc_title)
    else:
        doc_title = title or given.path.rpartition("/")[2]
        pieces = _code_pieces(lines, text, kind, total)
        maker = _Code(lines, kind, doc_title)
    return _mapped(lines, given, pieces, dropped, maker, doc_title, total, first)._replace(fault=head.fault)


class _Head(NamedTuple):
    """The frontmatter of a file: how many lines it takes, the title that it names, and where and why it
    cannot be read.
    """

    lines: int
    title: str | None
    fault: tuple[int, str] | None = None


_TYPED = re.compile(r"[^\s\[\]{}&*!|>%@`#\"'][^\[\]{}]*")
"""What a title may be that was typed into a block which is no YAML: words, and not the beginning of a list or
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
        from memgit.formats.yaml import read

        try:
            entry = read(parts.block).get("title")
        except UnreadableFile as error:
            typed = frontmatter.typed_value(parts.block, "title")
            title = typed if typed is not None and _TYPED.fullmatch(typed) else None
            fault = fault or (error.line or 1, error.message)
        else:
            title = entry.value if entry is not None and isinstance(entry.value, str) else None
    return _Head(count, title, fault)


def _whole(lines: Lines, first: int, heads: tuple[tuple[str, ...], ...] = ((),)) -> Piece:
    """All lines from one on as one piece."""
    return Piece(first, len(lines), lines.weight(first, len(lines)), heads)


_H1 = re.compile(r"<h1\b[^>]*>(.*?)</h1>", re.IGNORECASE | re.DOTALL)
LOOKED = 40
"""Lines of a file in which its title may be a heading of HTML."""


def _html_title(lines: Lines) -> str:
    """The title of a document whose first heading is HTML, as in many a README; empty where there is none."""
    match = _H1.search(lines.text(1, min(LOOKED, len(lines))))
    return _clean(match[1]) if match is not None else ""


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
    """Whether two neighbouring sections of a short text are one segment: they share a key term, or one of
    them is hardly a sentence; licences and credits stay apart from all else.
    """
    dull = [bool(kind_of_title(piece.heads[-1][-1])) for piece in (one, other)]
    if any(dull):
        return all(dull)
    if any(lines.tokens(piece.first, piece.last) < APART_TOKENS for piece in (one, other)):
        return True
    return bool(
        prose.terms_of(lines.text(one.first, one.last)) & prose.terms_of(lines.text(other.first, other.last))
    )


def _related(lines: Lines, one: Piece, other: Piece) -> bool:
    """Whether two pieces under different headings of the first level speak of the same things."""
    terms = [prose.terms_of(lines.text(piece.first, piece.last)) for piece in (one, other)]
    return prose.shared(terms[0], terms[1]) > prose.SAME_TOPIC


def _code_pieces(lines: Lines, text: str, kind: str, total: int) -> list[Piece]:
    if kind == "python":
        found = python.pieces(lines, text)
        pieces = found if found is not None else code.pieces(lines)
    else:
        pieces = code.pieces(lines)
    if total >= WHOLE or not pieces:
        return pieces
    heads = tuple(head for piece in pieces for head in piece.heads if head)
    return [_whole(lines, 1, heads or ((),))]


class _Markdown:
    """Titles and bodies of segments of Markdown and prose."""

    def __init__(self, lines: Lines, found: markdown.Structure, title: str) -> None:
        self._lines = lines
        self._headings = {heading.line: heading for heading in found.headings}
        self._title = title

    def of(self, piece: Piece, only: bool) -> tuple[str, tuple[str, ...], str, int]:
        """Title, the titles above it, the body, and how much code and steps it has; `only` says that it is
        the whole file.
        """
        first = self._headings.get(piece.first)
        heads = [head for head in dict.fromkeys(piece.heads) if head]
        while not only and first is not None and len(heads) > 1 and len(_common(heads[1:])) > len(heads[0]):
            # A heading with nothing of its own: the one under it says what this is about.
            line, _ = self._lines.trimmed(first.end_line + 1, piece.last)
            if line not in self._headings:
                break
            first, heads = self._headings[line], heads[1:]
            piece = piece._replace(first=line)
        title, context = self._named(piece, heads, only)
        leading = first is not None and (len(heads) == 1 or _clean(first.title) == title)
        body = self._lines.text(
            first.end_line + 1 if leading and first is not None else piece.first, piece.last
        )
        return title, context, body, 0

    def _named(self, piece: Piece, heads: list[tuple[str, ...]], only: bool) -> tuple[str, tuple[str, ...]]:
        if only or not heads:
            name = (self._title if only else "") or self._sentence(piece)
            return name, () if only or name == self._title or not self._title else (self._title,)
        shared = _common(heads)
        if shared and (heads[0] == shared or len(heads) > 2):
            path = shared
        elif (
            heads[0]
            and len(heads) == 2
            and not shared[:-1]
            and len("; ".join(head[-1] for head in heads)) <= SUMMARY
        ):
            path = (*shared, "; ".join(head[-1] for head in heads if head))
        else:
            path = heads[0]
        name = _clean(path[-1]) or self._title or self._sentence(piece)
        if name == self._title and heads[0] != path:
            # Several sections of the whole document: it is about the first ones of them.
            below = [_clean(head[len(path)]) for head in heads if len(head) > len(path)]
            name = cut("; ".join(dict.fromkeys(below)), SUMMARY) or name
        above = tuple(text for part in path[:-1] if (text := _clean(part)))
        if self._title and self._title not in above and self._title != name:
            above = (self._title, *above)
        return name, above

    def _sentence(self, piece: Piece) -> str:
        """The beginning of a piece without a heading."""
        return (
            summary_of(self._lines.text(piece.first, min(piece.last, piece.first + 20)))
            or self._title
            or UNTITLED
        )


class _Chat:
    """Titles and bodies of stretches of a chat."""

    def __init__(self, lines: Lines, spoken: list[chat.Turn], title: str) -> None:
        self._lines, self._spoken, self._title = lines, spoken, title

    def of(self, piece: Piece, only: bool) -> tuple[str, tuple[str, ...], str, int]:
        body, subject = chat.statements(self._spoken, self._lines, piece.first, piece.last)
        name = _clean(cut(subject, SUMMARY)) or self._title or UNTITLED
        name = name[:1].upper() + name[1:]
        return name, (), body, 0


class _Code:
    """Titles and bodies of segments of code."""

    def __init__(self, lines: Lines, kind: str, title: str) -> None:
        self._lines, self._kind, self._title = lines, kind, title

    def of(self, piece: Piece, only: bool) -> tuple[str, tuple[str, ...], str, int]:
        names = [head[-1] for head in dict.fromkeys(piece.heads) if head]
        more = f" and {len(names) - 3} more" if len(names) > 3 else ""
        title = self._title if only or not names else f"{', '.join(names[:3])}{more} in {self._title}"
        text = self._lines.text(piece.first, piece.last)
        documented = (
            bool(names) and re.search(r"^\s*(?:#|//|/\*|\*|--|\"{3}|'{3}|;)", text, re.MULTILINE) is not None
        )
        return (
            title,
            () if title == self._title else (self._title,),
            fenced(text, self._kind),
            2 if documented else 1,
        )


def _mapped(
    lines: Lines,
    given: Given,
    pieces: list[Piece],
    dropped: list[Dropped],
    maker: _Markdown | _Code | _Chat,
    title: str,
    total: int,
    first: int,
) -> FileMap:
    segments: list[Segment] = []
    end = first - 1
    trimmed = [(piece, *lines.trimmed(piece.first, piece.last)) for piece in pieces]
    trimmed = [one for one in trimmed if one[1] <= one[2]]
    for number, (piece, start, stop) in enumerate(trimmed, 1):
        name, context, body, coded = maker.of(piece._replace(first=start, last=stop), len(trimmed) == 1)
        heading = name
        if piece.part:
            name = f"{name} ({piece.part + 1})"
        raw = lines.text(start, stop)
        body = body if coded else body_of(without_layout(body))
        if not body:
            body = raw.strip()  # a heading with nothing under it
        terms = keywords(name, body, title) or terms_of(raw) or terms_of(name)
        tokens = lines.tokens(start, stop)
        if start > end + 1:
            dropped.append(Dropped(given.path, end + 1, start - 1, "blank"))
        end = stop
        segments.append(
            Segment(
                f"seg-{number:03d}",
                topic_of(given.folders, terms),
                given.path,
                start,
                stop,
                name,
                context,
                _summary(body, coded, name),
                tokens,
                tuple(terms),
                body,
                parts(heading, body, tokens, code=bool(coded), documented=coded == 2),
            )
        )
    if end < len(lines):
        dropped.append(Dropped(given.path, end + 1, len(lines), "blank"))
    return FileMap(given.path, title, total, tuple(segments), tuple(dropped))


def terms_of(text: str) -> list[str]:
    """Three to five key terms; shorter words count where longer ones do not give three."""
    found = key_terms(text, TERMS)
    if len(found) < 3:
        found += [term for term in key_terms(text, TERMS, 3) if term not in found]
    return found[:TERMS]


def keywords(title: str, text: str, subject: str) -> list[str]:
    """Three to five terms that a person would search for: what the title and the document are called, then
    the key terms of the text that are no words of every text.
    """
    told = [term for term in key_terms(f"{title}.", TERMS) if _telling(term)]
    held = {*words(text), *words(title)}
    named = [word for word in words(subject) if len(word) > 2 and word in held and word not in STOP]
    found = [term for term in key_terms(text, TERMS * 3) if _telling(term)]
    return list(dict.fromkeys([*told[:2], *named[:1], *found]))[:TERMS]


def _telling(term: str) -> bool:
    """Whether a term says what a text is about, and is not a value, an address or a word of every text."""
    bare = term.strip("._-/#+")
    return (
        term not in NOISE
        and bare not in NOISE
        and not term.replace(".", "").replace(",", "").isdigit()
        and not re.fullmatch(r"[\d.,/x-]+[a-z]{0,3}", term)
        and "//" not in term
        and term.count("/") < 3
    )


NOISE = frozenset(
    """
    false true null none nil undefined string strings number numbers object objects array arrays boolean booleans function functions
    type types value values return returns example examples e.g i.e etc note notes default option options default param params
    parameter parameters argument arguments license licence http https www com org readme click table contents const require import
    export console.log usage install installation description name names following given above below section file files line lines
    self todo fixme code page pages item items thing things something anything everything today yesterday tomorrow without already
    """.split()
)
"""Words that nobody searches for."""


def topic_of(folders: tuple[str, ...], terms: list[str]) -> str:
    """The topic: the folders of the file but for those whose names say nothing, else the first two key terms."""
    telling = [folder for folder in folders if folder.lower() not in _PLAIN_FOLDERS]
    return "/".join(telling) if telling else "/".join(terms[:2])


def summary_of(text: str) -> str:
    """The first line that says something, without the marks of its markup, in at most `SUMMARY` columns."""
    for raw in text.split("\n"):
        line = raw[:1000]
        while (match := _MARKS.match(line)) and match.end():
            line = line[match.end() :]
        said = one_line(line).removesuffix('"""').rstrip()
        if any(char.isalnum() for char in said):
            return cut(said, SUMMARY)
    return ""


def _summary(body: str, coded: int, title: str) -> str:
    return summary_of("\n".join(body.split("\n")[1:]) if coded else body) or cut(title, SUMMARY)


def _common(paths: list[tuple[str, ...]]) -> tuple[str, ...]:
    shared = paths[0]
    for path in paths[1:]:
        size = 0
        for one, other in zip(shared, path, strict=False):
            if one != other:
                break
            size += 1
        shared = shared[:size]
    return shared


def _clean(text: str) -> str:
    """A title as plain text on one line, not endless."""
    return cut(plain(one_line(text)), MAX_TITLE)
