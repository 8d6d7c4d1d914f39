"""Titles and bodies of the segments of chats, outlines and code."""

from __future__ import annotations

import re

from memgit.formats.messages.message import cut
from memgit.ingest.cuts import chat, outline
from memgit.ingest.cuts.lines import Lines
from memgit.ingest.cuts.size_limits import Piece
from memgit.ingest.naming import MAX_TITLE, UNTITLED, Namer, Part, clean
from memgit.ingest.plain import plain, shortened
from memgit.ingest.rewrite import fenced
from memgit.ingest.signatures import signatures

MIN_PURPOSE, MIN_WORDS = 20, 4
"""Columns that are left for what a definition is for, and words of it that a title holds at least."""
NAMES = 3
"""Names of definitions in a title."""
_COMMENT = re.compile(r"^\s*(?:#|//|/\*|\*|--|\"{3}|'{3}|;)", re.MULTILINE)


class ChatNamer:
    """Names stretches of a chat by what is said in them."""

    def __init__(self, lines: Lines, spoken: list[chat.Turn], title: str) -> None:
        self._lines, self._spoken, self._title = lines, spoken, title

    def of(self, piece: Piece, only: bool) -> Part:
        """What was said as a list of statements."""
        said = chat.Stretch(self._spoken, piece.first, piece.last)
        name = clean(said.title) or self._title or UNTITLED
        context = (self._title,) if self._title else ()
        return Part(name[:1].upper() + name[1:], context, said.body, day=said.day)


class MixedNamer:
    """Names pieces of a text that ends with a log."""

    def __init__(self, above: Namer, log: ChatNamer, start: int) -> None:
        self._above, self._log, self._start = above, log, start

    def of(self, piece: Piece, only: bool) -> Part:
        return (self._log if piece.first >= self._start else self._above).of(piece, only)


class OutlineNamer:
    """Names pieces of an outline by its bullets."""

    def __init__(self, lines: Lines, found: list[tuple[int, int, str]], title: str) -> None:
        self._lines, self._title = lines, title
        self._bullets = {number: (depth, said) for number, depth, said in found}
        self._blocks = outline.blocks(lines, found)

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
        text = outline.as_list("\n".join(body), self._blocks)
        if only or not name:
            return Part(self._title or clean(name) or UNTITLED, (), text)
        above = tuple(clean(part) for part in heads[0][:-1]) if len(heads) == 1 else ()
        context = tuple(dict.fromkeys(part for part in (self._title, *above) if part))
        return Part(clean(cut(name, 80)), context, text)


class CodeNamer:
    """Names pieces of code by what they define."""

    def __init__(self, lines: Lines, kind: str, title: str) -> None:
        self._lines, self._kind, self._title = lines, kind, title
        self._all = signatures(lines.text(1, len(lines)), kind)

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
        if not found.text:
            return Part(
                self._named(heads, "", only),
                self._context(heads, only),
                fenced(text, self._kind),
                False,
                f"{found.left or 'code'} alone",
            )
        tops = {one.rpartition(".")[2] for one in found.purposes}
        names = [name for name in heads if name.rpartition(".")[2] in tops] or list(found.purposes) or heads
        if len(heads) == 1 and piece.part:
            inner = [name for name in found.purposes if name != heads[0]]
            own = heads[0].rpartition(".")[2]
            names = [
                heads[0] if name == own else name if "." in name else f"{heads[0]}.{name}" for name in inner
            ] or heads
        names = [name for name in names if name.rpartition(".")[0] not in names]
        names = [name for name in names if name.rpartition(".")[2][:1] not in "_#"] or names
        names.sort(key=lambda name: not _said(found.purposes, name))  # what is told of first
        purpose = self._purpose(names, found.purposes)
        if piece.first == 1 and found.whole and (only or not any(found.purposes.values())):
            names, purpose = [], found.whole
        return Part(
            self._named(names, purpose, only and bool(purpose)),
            self._context(names, only),
            fenced(found.text, self._kind),
            found.documented,
        )

    def _purpose(self, names: list[str], purposes: dict[str, str]) -> str:
        """What is said of the first of some names of which anything is, else of what they belong to."""
        told = [_said(purposes, name) for name in names]
        if self._all is not None:
            told += [self._all.purposes.get(name.partition(".")[0], "") for name in names[:1]]
            told.append(self._all.whole)
        return next((said for said in told if said and not said.startswith(("If ", "Use ", "See "))), "")

    def _context(self, names: list[str], only: bool) -> tuple[str, ...]:
        return () if only or not names else (self._title,)

    def _named(self, names: list[str], purpose: str, only: bool) -> str:
        """Some names in their file, as many as leave room for what the first of them is for."""
        title = self._title
        for count in range(NAMES, 0, -1) if names and not only else ():
            title, place = self._titled(names, count)
            title += place if not self._is_own(names) else ""
            room = MAX_TITLE - len(title) - 2
            own = re.escape(names[0].rpartition(".")[2])
            said = re.sub(rf"^{own} (?:is |are |will )?", "", plain(purpose).rstrip(" .:;"))
            if len(said) > room:
                said = shortened(said, room) if room > MIN_PURPOSE else ""
                said = said if len(said.split()) >= MIN_WORDS else ""
            if said:
                return _joined(title, said)
        if names and not only:
            return "".join(self._titled(names, NAMES))
        return _joined(title, shortened(plain(purpose).rstrip(" .:;"), MAX_TITLE - len(title) - 2))

    def _titled(self, names: list[str], count: int) -> tuple[str, str]:
        """Some names as a title, and the file that they are in."""
        owners = {name.rpartition(".")[0] for name in names}
        owner = owners.pop() if len(owners) == 1 and len(names) > 1 else ""
        listed = [name.rpartition(".")[2] for name in names] if owner else names
        more = f" and {len(listed) - count} more" if len(listed) > count else ""
        return f"{owner}: " * bool(owner) + ", ".join(listed[:count]) + more, f" in {self._title}"

    def _is_own(self, names: list[str]) -> bool:
        """Whether the file is called after what the names begin with."""
        return names[0].partition(".")[0] == self._title.partition(".")[0]


def _said(purposes: dict[str, str], name: str) -> str:
    return purposes.get(name) or purposes.get(name.rpartition(".")[2]) or ""


def _joined(name: str, said: str) -> str:
    """A name with what it is for."""
    ordinary = said[1:2].islower() or said[1:2] == " "
    return f"{name}: {said[:1].lower() if ordinary else said[:1]}{said[1:]}" if said else name
