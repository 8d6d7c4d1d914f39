"""Snippets: the lines of a record's text that a query hit, with what matched in them. Fields, labels and
markup are left out.

Which words of a text match is asked of the same tokenizer that made the index, in a table in memory, so
endings, accents and case fold alike.
"""

from __future__ import annotations

import sqlite3

from memgit import TYPE_CHECKING
from memgit.cache.tokens import STOP_WORDS, TOKENIZER, Term, fold, is_unbroken, patterns, telling, terms
from memgit.formats.mem_skill.labels import LINE, name_of
from memgit.formats.plain_text import words_of_line
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

WIDTH = 200
"""Characters of a snippet, unless the caller says otherwise."""
MAX_TEXT = 200_000
"""Characters of a record that are looked at."""
MAX_LINE = 4_000
"""Characters of a line outside code that are looked at."""
TEXTS = ("context", "body")
"""Labelled fields of an entry that are text."""

_MARKS = "\u0300-\u036f\u0483-\u0487\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\u0900-\u0dff"
_SPACE = str.maketrans("\t\r\f\v\x85\u2028\u2029", "       ")


_ASCII_WORD = pattern("[A-Za-z0-9]+")
_WORD = pattern(f"[^\\W_](?:[^\\W_]|[{_MARKS}])*")
_SAYS = pattern(r"[A-Za-z0-9]|[^\x00-\x7f]")


class Snippet(NamedTuple):
    """A piece of a record: the line (from 1) in its file where the best match is, one line of text, and the
    parts of it that matched.
    """

    line: int
    text: str
    spans: tuple[tuple[int, int], ...] = ()

    def marked(self, start: str, end: str) -> str:
        """The text with marks around what matched."""
        out: list[str] = []
        done = 0
        for first, last in self.spans:
            out += [self.text[done:first], start, self.text[first:last], end]
            done = last
        return "".join([*out, self.text[done:]])


_Word = tuple[int, int, int, str]
"""Number of the line, start, end and text of a word."""


class _Found(NamedTuple):
    line: int
    start: int
    end: int
    term: int


class Snippets:
    """Makes snippets for one query; to be closed."""

    def __init__(self, query: str) -> None:
        wanted = terms(query)
        self._terms = telling(wanted)
        self._loose = [
            Term("", (word,), len(word) > 2)
            for word in dict.fromkeys(
                word for term in wanted for word in term.words if word.casefold() not in STOP_WORDS
            )
        ]
        self._forms: dict[tuple[str, bool], set[str]] = {
            (word, term.prefix and word == term.words[-1]): set()
            for term in (*self._terms, *self._loose)
            for word in term.words
        }
        self._hits: set[str] = set()
        self._seen: set[str] = set()
        self._count = 1
        self._database = sqlite3.connect(":memory:", isolation_level=None)
        self._database.execute(
            f"create virtual table words using fts5(word, content='', tokenize=\"{TOKENIZER}\")"
        )

    def __enter__(self) -> Snippets:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the table in memory."""
        self._database.close()

    def learn(self, pages: Iterable[Page]) -> None:
        """Looks up the words of many records at once, which takes less time than one after the other."""
        words: set[str] = set()
        for page in pages:
            for line in page.shown:
                words.update(_ASCII_WORD.findall(line) if line.isascii() else [w for *_, w in _words(line)])
        self._look_up(words)

    def of(self, page: Page, width: int = WIDTH) -> Snippet:
        """The best piece of a record, at most so many characters."""
        record, lines, shown = page
        found = self._matches(shown, self._terms) or self._matches(shown, self._loose)
        first = next((i for i, line in enumerate(shown) if line and not lines[i].startswith("#")), None)
        best = _best(lines, found) if found else first
        if best is None:
            return Snippet(record.line, *_trimmed(record.title.translate(_SPACE), (), width))
        return _cut(lines, shown, best, found, record.line, width)

    def _matches(self, lines: Sequence[str], wanted: Sequence[Term]) -> list[_Found]:
        """Where terms stand, in the order of lines."""
        stream = list(self._stream(lines))
        out: list[_Found] = []
        for index, term in enumerate(wanted):
            literal = _literal(term)
            if literal is not None:
                out += [
                    _Found(number, start, start + len(literal), index)
                    for number, start in _places(lines, literal)
                ]
                continue
            first, *others = [
                self._forms[word, term.prefix and word == term.words[-1]] for word in term.words
            ]
            size = len(term.words)
            for at in [at for at, word in enumerate(stream) if word[3] in first]:
                follow = stream[at + 1 : at + size]
                if len(follow) == len(others) and all(w[3] in s for w, s in zip(follow, others, strict=True)):
                    for number, words in _by_line(stream[at : at + size]):
                        out.append(_Found(number, words[0][1], words[-1][2], index))
        return sorted(out)

    def _stream(self, lines: Sequence[str]) -> Iterator[_Word]:
        """The words of those lines that may match; one that is none stands for the others."""
        for number, line in enumerate(lines):
            words = set(_ASCII_WORD.findall(line) if line.isascii() else [w for *_, w in _words(line)])
            self._look_up(words)
            if not self._hits.isdisjoint(words):
                for word in _words(line):
                    yield (number, *word)
            elif words:
                yield number, 0, 0, ""

    def _look_up(self, words: set[str]) -> None:
        """Finds out which of some words match each word of the query; each is looked up once."""
        new = sorted(_candidates(words - self._seen, self._forms))
        self._seen |= words
        if not new:
            return
        database, start = self._database, self._count
        self._count += len(new)
        database.execute("begin")
        database.executemany(
            "insert into words(rowid, word) values (?, ?)",
            ((start + number, fold(word)) for number, word in enumerate(new)),
        )
        database.execute("commit")
        for (word, prefix), forms in self._forms.items():
            match = f'"{word}"' + ("*" if prefix else "")
            rows = database.execute(
                "select rowid from words where words match ? and rowid >= ?", (match, start)
            )
            found = {new[number - start] for (number,) in rows}
            forms.update(found)
            self._hits |= found


class Page(NamedTuple):
    """A record with its lines as they are in its file, and in plain words (see `_shown`)."""

    record: Record
    lines: Sequence[str]
    shown: Sequence[str]


def page(record: Record, data: bytes | None) -> Page:
    """A record as found, laid out for snippets.

    Args:
        data: the bytes of its file; None where they are gone, which leaves the title.
    """
    lines = [] if data is None else [line.translate(_SPACE) for line in _lines(record, data)]
    left = MAX_TEXT
    for number, line in enumerate(lines):
        left -= len(line)
        if left < 0:
            lines[number] = line[: len(line) + left]
            del lines[number + 1 :]
            break
    return Page(record, lines, _shown(lines, record.title))


def _candidates(words: set[str], asked: Iterable[tuple[str, bool]]) -> set[str]:
    """Those of some words that may be forms of words of the query: stemming leaves the first letter."""
    firsts = "".join(word[0] for word, _ in asked).lower()
    if not firsts.isascii():
        return words
    return {word for word in words if word[0].lower() in firsts or not word.isascii()}


def text_of(record: Record, data: bytes | None) -> str:
    """Title and text of a record, its fields among it, from the bytes of its file."""
    return "\n".join((record.title, *(() if data is None else _lines(record, data))))


def _lines(record: Record, data: bytes) -> list[str]:
    return data.decode("utf-8-sig", "replace").split("\n")[record.line - 1 : record.end_line]


def _by_line(words: Sequence[_Word]) -> Iterator[tuple[int, list[_Word]]]:
    """Neighbouring words, those of one line together."""
    for number in dict.fromkeys(word[0] for word in words):
        yield number, [word for word in words if word[0] == number]


def _words(line: str) -> Iterator[tuple[int, int, str]]:
    """Start, end and text of the words of a line in scripts with blanks."""
    if line.isascii():
        for match in _ASCII_WORD.finditer(line):
            yield match.start(), match.end(), match[0]
        return
    start = 0
    for piece in [*patterns().pieces.finditer(line), None]:
        end = len(line) if piece is None else piece.start()
        for match in _WORD.finditer(line, start, end):
            yield match.start(), match.end(), match[0]
        start = end if piece is None else piece.end()


def _literal(term: Term) -> str | None:
    """The very characters that a term of a script without blanks, or an emoji, looks for; None for ordinary
    words.
    """
    if all(is_unbroken(word) for word in term.words):
        return "".join(word[0] for word in term.words[:-1]) + term.words[-1]
    if all(word.startswith("emoji") and not word.isalpha() for word in term.words):
        try:
            return "".join(chr(int(word[5:], 16)) for word in term.words)
        except (ValueError, OverflowError):
            return None
    return None


def _places(lines: Iterable[str], literal: str) -> Iterator[tuple[int, int]]:
    for number, line in enumerate(lines):
        start = line.find(literal)
        while start >= 0:
            yield number, start
            start = line.find(literal, start + 1)


def _lead(lines: Sequence[str]) -> int:
    """How many lines the frontmatter at the top takes."""
    if lines and lines[0].rstrip() == "---":
        for number in range(1, len(lines)):
            if lines[number].rstrip() in ("---", "..."):
                return number + 1
    return 0


def _shown(lines: Sequence[str], title: str) -> list[str]:
    """What each line says in plain words; empty for lines that are no text of the record: fields, its own
    heading, comments, fences, rules.
    """
    out: list[str] = []
    fence, field = "", False
    lead = _lead(lines)
    for number, line in enumerate(lines):
        mark = line.lstrip()[:3]
        if number < lead:
            out.append("")
        elif mark in ("```", "~~~"):
            fence = "" if fence == mark else fence or mark
            out.append("")
        elif fence:
            out.append(line.strip())
        else:
            label = LINE.match(f"\n{line}") if line.startswith("**") else None
            name = None if label is None else name_of(label[1])
            field = name not in (None, *TEXTS) or (field and name is None and mark.startswith(("- ", "* ")))
            said = "" if field else words_of_line(label[2] if label is not None and name else line[:MAX_LINE])
            own = line.startswith("#") and (number == 0 or said == title)
            out.append(said if _SAYS.search(said) and not own else "")
    return out


def _best(lines: Sequence[str], found: Sequence[_Found]) -> int:
    """The line where most terms stand; the next one counts a little, headings count half."""
    by_line: dict[int, set[int]] = {}
    for match in found:
        by_line.setdefault(match.line, set()).add(match.term)
    none: set[int] = set()

    def worth(number: int) -> tuple[float, int]:
        here = by_line[number]
        total = len(here) + len(by_line.get(number + 1, none) - here) / 2
        return total / (2 if lines[number].startswith("#") else 1), -number

    return max(by_line, key=worth)


def _cut(
    lines: Sequence[str],
    shown: Sequence[str],
    best: int,
    found: Sequence[_Found],
    first_line: int,
    width: int,
) -> Snippet:
    """The best line and those after it, up to the next heading, as one line of text, cut at blanks to the width."""
    text = ""
    spans: list[tuple[int, int]] = []
    for number in range(best, len(lines)):
        if number > best and (
            len(text) >= width or (text and lines[number].startswith(("## ", "```", "~~~")))
        ):
            break
        if shown[number]:
            text += " " if text else ""
            spans += [
                (len(text) + match.start, len(text) + match.end) for match in found if match.line == number
            ]
            text += shown[number]
    return Snippet(first_line + best, *_trimmed(text, _merged(spans), width))


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Spans in order, those that touch or overlap as one."""
    out: list[tuple[int, int]] = []
    for start, end in sorted(spans):
        if out and start <= out[-1][1]:
            out[-1] = (out[-1][0], max(end, out[-1][1]))
        else:
            out.append((start, end))
    return out


def _trimmed(
    text: str, spans: Sequence[tuple[int, int]], width: int
) -> tuple[str, tuple[tuple[int, int], ...]]:
    if len(text) <= width:
        return text, tuple(spans)
    first = spans[0][0] if spans else 0
    start = 0 if first < width * 2 // 3 else first - width // 3
    if start:
        blank = text.find(" ", start, first)
        start = blank + 1 if blank >= 0 else start
    head = "\u2026" if start else ""
    end = min(len(text), start + width - len(head) - 1)
    if end < len(text):
        blank = text.rfind(" ", start + width // 2, end + 1)
        end = blank if blank >= 0 else end
    tail = "\u2026" if end < len(text) else ""
    shift = len(head) - start
    kept = tuple(
        (max(one, start) + shift, min(two, end) + shift) for one, two in spans if two > start and one < end
    )
    return head + text[start:end] + tail, kept
