"""Titles and bodies of the segments of chats, outlines and code."""

from __future__ import annotations

import re

from memgit.formats.messages.message import cut
from memgit.ingest.cuts import chat, outline
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import Piece
from memgit.ingest.keywords import summary_of
from memgit.ingest.naming import MAX_TITLE, UNTITLED, Part, clean
from memgit.ingest.rewrite import fenced
from memgit.ingest.signatures import signatures

NAMES = 3
"""Names of definitions in a title."""
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|--|\"{3}|'{3}|;)", re.MULTILINE)


class ChatNamer:
    """Names stretches of a chat by what is said in them."""

    def __init__(self, lines: Lines, spoken: list[chat.Turn], title: str) -> None:
        self._lines, self._spoken, self._title = lines, spoken, title

    def of(self, piece: Piece, only: bool) -> Part:
        """What was said as a list of statements."""
        body, subject = chat.statements(self._spoken, self._lines, piece.first, piece.last)
        name = clean(chat.as_title(subject)) or self._title or UNTITLED
        return Part(name[:1].upper() + name[1:], (self._title,) if self._title else (), body)


class OutlineNamer:
    """Names pieces of an outline by its bullets."""

    def __init__(self, lines: Lines, found: list[tuple[int, int, str]], title: str) -> None:
        self._lines, self._title = lines, title
        self._bullets = {number: (depth, said) for number, depth, said in found}

    def of(self, piece: Piece, only: bool) -> Part:
        """The bullets of a piece, set out to the margin; a first one that is the title alone is left out."""
        body = [self._lines[number] for number in range(piece.first, piece.last + 1)]
        heads = [head for head in dict.fromkeys(piece.heads) if head]
        name = "; ".join(dict.fromkeys(clean(head[-1]) for head in heads if clean(head[-1])))
        top = next((line for line in range(piece.first, piece.last + 1) if line in self._bullets), None)
        if (
            top is not None
            and len(heads) == 1
            and clean(outline.title_of(self._bullets[top][1])) == clean(name)
        ):
            del body[top - piece.first]
        text = outline.as_list("\n".join(body))
        if only or not name:
            return Part(self._title or clean(name) or UNTITLED, (), text)
        above = tuple(clean(part) for part in heads[0][:-1]) if len(heads) == 1 else ()
        context = tuple(dict.fromkeys(part for part in (self._title, *above) if part))
        return Part(clean(cut(name, 80)), context, text)


class CodeNamer:
    """Names pieces of code by what they define."""

    def __init__(self, lines: Lines, kind: str, title: str) -> None:
        self._lines, self._kind, self._title = lines, kind, title

    def of(self, piece: Piece, only: bool) -> Part:
        """Signatures and what is said of them; of a language without them, the code as it is."""
        text = self._lines.text(piece.first, piece.last)
        heads = [head[-1] for head in dict.fromkeys(piece.heads) if head]
        found = signatures(text, self._kind)
        if found is None:
            documented = bool(heads) and _COMMENT.search(text) is not None
            return Part(
                self._named(heads, "", only), self._context(heads, only), fenced(text, self._kind), documented
            )
        names = [
            name
            for name in heads
            if name.rpartition(".")[2] in {one.rpartition(".")[2] for one in found.names}
        ]
        names = names or list(found.names) or ([] if found.whole else heads)
        if len(heads) == 1 and len(found.names) > 1 and piece.part:
            names = [name if "." in name else f"{heads[0]}.{name}" for name in found.names]
        if not found.text.strip():
            return Part(
                self._named(heads, "", only),
                self._context(heads, only),
                fenced(text, self._kind),
                False,
                "imports and private parts alone",
            )
        return Part(
            self._named(names, ((only or not found.names) and found.whole) or found.purpose, only),
            self._context(names, only),
            fenced(found.text, self._kind),
            found.documented,
        )

    def _context(self, names: list[str], only: bool) -> tuple[str, ...]:
        return () if only or not names else (self._title,)

    def _named(self, names: list[str], purpose: str, only: bool) -> str:
        more = f" and {len(names) - NAMES} more" if len(names) > NAMES else ""
        name = self._title if only or not names else f"{', '.join(names[:NAMES])}{more} in {self._title}"
        if not purpose or (len(names) > 1 and not only):
            return name
        said = summary_of(purpose, MAX_TITLE - len(name) - 2) if len(name) < MAX_TITLE - 20 else ""
        return f"{name}: {said[:1].lower()}{said[1:]}".rstrip(".") if said else name
