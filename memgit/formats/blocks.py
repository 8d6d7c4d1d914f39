"""Blocks of Markdown as CommonMark has them, as far as records need them: headings, fenced code, HTML,
containers.

Rules: https://spec.commonmark.org/0.31.2/. A `Scanner` reads line by line with its containers (quotes and
list items). Linear in the text, whatever it holds.
"""

from __future__ import annotations

import re

from memgit import TYPE_CHECKING
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator

BLANK, TEXT, HEADING, UNDERLINE, RULE, FENCE, CODE, HTML = range(8)
"""What a line is.

UNDERLINE makes a heading of the text above it; FENCE is fenced code with its fences, CODE is set in by four.
"""

MAX_DEPTH = 100
"""Quotes and list items inside one another; what is nested deeper is text."""

_ATX = pattern(r"(#{1,6})(?:[ \t]+|$)")
_FENCE = pattern(r"(`{3,})(?=[^`]*$)|(~{3,})")
_UNDERLINE = pattern(r"(?:=+|-+)[ \t]*$")
_MARKER = pattern(r"(?:[-+*]|([0-9]{1,9})[.)])(?= |$)")
_DEFINITION = (
    r"\[((?:[^\[\]\\]|\\.)+)\]:[ \t]*(<[^<>]*>|[^ \t<]\S*)(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*$"
)
"""Text, like `_TAG_ALONE`, until it is needed: compiling these would cost every start."""

_VERBATIM = pattern(r"<(?:script|pre|style|textarea)(?=[ \t>]|$)", re.IGNORECASE)
_VERBATIM_END = pattern(r"</(?:script|pre|style|textarea)>", re.IGNORECASE)
_TAG_NAME = pattern(r"</?([A-Za-z][A-Za-z0-9]*)(?=[ \t]|/?>|$)")
_BLOCK_TAGS = frozenset(
    """address article aside base basefont blockquote body caption center col colgroup dd details dialog dir div dl dt fieldset figcaption
    figure footer form frame frameset h1 h2 h3 h4 h5 h6 head header hr html iframe legend li link main menu menuitem nav noframes ol
    optgroup option p param search section summary table tbody td tfoot th thead title tr track ul""".split()
)
OPEN_TAG = (
    r"<[A-Za-z][A-Za-z0-9-]*+"
    r"(?:\s++[A-Za-z_:][A-Za-z0-9_.:-]*+(?:\s*+=\s*+(?:[^\s\"'=<>`]++|'[^']*+'|\"[^\"]*+\"))?+)*+\s*+/?>"
)
CLOSE_TAG = r"</[A-Za-z][A-Za-z0-9-]*+\s*+>"
_TAG_ALONE = rf"(?:{OPEN_TAG}|{CLOSE_TAG})[ \t]*$"
ENDS = {"<!--": "-->", "<?": "?>", "<![CDATA[": "]]>"}


class Heading(NamedTuple):
    """A heading outside code, quotes and lists.

    `title` is its text as typed, without hashes. `line` to `end_line` are its lines (an underlined one has
    several), `start` and `end` its place in the text in characters, the last line end not included.
    """

    level: int
    title: str
    line: int
    end_line: int
    start: int
    end: int


class Hidden(NamedTuple):
    """A stretch of whole lines, in characters, that is fenced code or HTML and not inside a quote or list.

    `weak` is HTML that ends at a blank line, where a reader of raw text still sees ordinary Markdown.
    """

    start: int
    end: int
    weak: bool


class Outline(NamedTuple):
    """Headings and hidden stretches of a text; `unclosed` is the line of a fence or comment that is open to
    the end, with what it is.
    """

    headings: list[Heading]
    hidden: list[Hidden]
    unclosed: tuple[int, str] | None


def atx(line: str) -> tuple[int, str] | None:
    """Level and title of a `#` heading; None for any other line. The line comes without its end."""
    stripped = line.lstrip(" ")
    match = _ATX.match(stripped)
    if match is None or len(line) - len(stripped) > 3:
        return None
    return len(match[1]), heading_text(stripped[match.end() :])


def heading_text(content: str) -> str:
    """What is left of a heading's line after the opening hashes: closing hashes and outer blanks are dropped."""
    text = content.strip(" \t\r")
    if text.endswith("#"):
        bare = text.rstrip("#")
        if not bare or bare[-1] in " \t":
            return bare.rstrip(" \t")
    return text


class Scanner:
    """Reads blocks line by line: `feed` takes a line without its end and says what it is.

    After each line `depth` is the number of quotes and list items around it, and `block` a number that
    changes when a new paragraph or heading begins; lines of one paragraph share it. `setext=False` takes a
    line of dashes under text for a rule, as entry files mean it.
    """

    __slots__ = ("_containers", "_defined", "_end", "_fence", "_leaf", "_setext", "block", "depth", "weak")

    def __init__(self, *, setext: bool = True) -> None:
        # [columns of a list item's content, or -1 for a quote; 1 once it holds something]
        self._containers: list[list[int]] = []
        self._leaf = BLANK
        self._fence = ""
        self._end: str | re.Pattern[str] | None = None
        self._defined = False
        self._setext = setext
        self.block = 0
        self.depth = 0
        self.weak = False

    @property
    def open(self) -> str | None:
        """What is open, outside quotes and lists, and will swallow the next lines whatever they are:

        "fence" or "HTML", or None.
        """
        if self._containers:
            return None
        return "fence" if self._leaf == FENCE else "HTML" if self._leaf == HTML and not self.weak else None

    def feed(self, line: str) -> int:
        """What the next line is. A tab counts to the next multiple of four columns."""
        kind = self._feed(line.expandtabs(4) if "\t" in line else line)
        self.depth = len(self._containers)
        return kind

    def hidden_by(self, line: str) -> tuple[int, bool]:
        """FENCE or HTML where the next line, whatever it says, is inside such a block, else BLANK; and
        whether that HTML is weak.
        """
        if self._leaf not in (FENCE, HTML):
            return BLANK, False
        matched, rest = self._match(line.expandtabs(4) if "\t" in line else line)
        if matched < len(self._containers) or (self._leaf == HTML and self.weak and not rest.strip(" ")):
            return BLANK, False
        return self._leaf, self._leaf == HTML and self.weak

    def _match(self, rest: str) -> tuple[int, str]:
        """How many of the open containers a line continues, and what is left of it."""
        matched = 0
        for width, filled in self._containers:
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            if width < 0:
                if indent > 3 or not stripped.startswith(">"):
                    break
                rest = stripped[2:] if stripped.startswith("> ") else stripped[1:]
            elif not stripped:
                if not filled:
                    break
                rest = ""
            elif indent >= width:
                rest = rest[width:]
            else:
                break
            matched += 1
        return matched, rest

    def _feed(self, rest: str) -> int:
        containers = self._containers
        matched = 0
        if containers:
            matched, rest = self._match(rest)
        complete = matched == len(containers)
        if complete and self._leaf == FENCE:
            return self._in_fence(rest)
        if complete and self._leaf == HTML and self._in_html(rest):
            return HTML
        return self._open(rest, matched)

    def _in_fence(self, rest: str) -> int:
        stripped = rest.strip(" ")
        if (
            len(stripped) >= len(self._fence)
            and stripped.startswith(self._fence)
            and not stripped.strip(self._fence[0])
            and len(rest) - len(rest.lstrip(" ")) <= 3
        ):
            self._leaf = BLANK
        return FENCE

    def _in_html(self, rest: str) -> bool:
        """Whether a line goes on with the HTML block that is open; closes the block where it ends."""
        if self.weak:
            if rest.strip(" "):
                return True
            self._leaf = BLANK
            return False
        if self._ends_html(rest):
            self._leaf = BLANK
        return True

    def _ends_html(self, rest: str) -> bool:
        return self._end in rest if isinstance(self._end, str) else bool(self._end and self._end.search(rest))

    def _close(self, matched: int) -> None:
        """Leaves the containers that the line does not continue, and whatever paragraph or block was open."""
        del self._containers[matched:]
        self._leaf = BLANK

    def _open(self, rest: str, matched: int) -> int:
        """Opens what a line starts: containers first, then one block; a line that starts nothing is text."""
        containers = self._containers
        text_open = self._leaf == TEXT
        fresh = False
        while True:
            stripped = rest.lstrip(" ")
            indent = len(rest) - len(stripped)
            if not stripped:
                self._close(len(containers) if fresh else matched)
                return BLANK
            if indent > 3:
                if text_open:
                    break
                self._leave(matched, fresh)
                return CODE
            interrupts = text_open and matched == len(containers)
            first = stripped[0]
            deep = len(containers) >= MAX_DEPTH
            if first == ">" and not deep:
                self._leave(matched, fresh)
                containers.append([-1, 0])
                rest = stripped[2:] if stripped.startswith("> ") else stripped[1:]
                fresh, text_open = True, False
                continue
            if first not in "#`~<=-_*+0123456789":
                break
            kind = self._leaf_start(stripped, first, text_open, interrupts)
            if kind is not None:
                self._leave(matched, fresh)
                if kind == FENCE or (kind == HTML and (self.weak or not self._ends_html(stripped))):
                    self._leaf = kind
                elif kind == HEADING:
                    self.block += 1
                return kind
            marker = _MARKER.match(stripped)
            if marker is None or deep:
                break
            after = stripped[marker.end() :]
            if interrupts and (not after.strip(" ") or (marker[1] is not None and int(marker[1]) != 1)):
                break
            self._leave(matched, fresh)
            blanks = len(after) - len(after.lstrip(" "))
            if not after.strip(" ") or blanks > 4:
                blanks = 1
            containers.append([indent + marker.end() + blanks, 0])
            rest = after[blanks:]
            fresh, text_open = True, False
        return self._text(stripped, matched, fresh)

    def _leave(self, matched: int, fresh: bool) -> None:
        """Makes room for a new child at the place where the line stands."""
        self._close(len(self._containers) if fresh else matched)
        if self._containers:
            self._containers[-1][1] = 1

    def _leaf_start(self, stripped: str, first: str, text_open: bool, interrupts: bool) -> int | None:
        """The block that a line starts, with `_fence` or `_end` set for it; None for a list item or text."""
        if first == "#":
            return HEADING if _ATX.match(stripped) else None
        if first in "`~":
            fence = _FENCE.match(stripped)
            if fence is None:
                return None
            self._fence = fence[0]
            return FENCE
        if first == "<":
            start = _html_start(stripped, text_open)
            if start is None:
                return None
            self._end, self.weak = start
            return HTML
        if interrupts and self._setext and first in "=-" and not self._defined and _UNDERLINE.match(stripped):
            return UNDERLINE
        if first in "-_*" and _is_rule(stripped):
            return RULE
        return None

    def _text(self, stripped: str, matched: int, fresh: bool) -> int:
        """Text: it goes on with an open paragraph (even one in a container that the line left out), or begins
        one.
        """
        if not fresh and self._leaf == TEXT:
            if self._defined:
                self._defined = re.match(_DEFINITION, stripped) is not None
            return TEXT
        self._leave(matched, fresh)
        self._leaf = TEXT
        self._defined = stripped[0] == "[" and re.match(_DEFINITION, stripped) is not None
        self.block += 1
        return TEXT


def _is_rule(stripped: str) -> bool:
    """Whether a line is a thematic break; counted instead of matched, so that it is linear."""
    first = stripped[0]
    return not stripped.strip(f"{first} \t\r") and stripped.count(first) > 2


def _html_start(stripped: str, text_open: bool) -> tuple[str | re.Pattern[str] | None, bool] | None:
    """How the HTML block that a line starts will end (text in a line; None and True: a blank line), or None
    for no HTML block.
    """
    for start, end in ENDS.items():
        if stripped.startswith(start):
            return end, False
    if stripped.startswith("<!"):
        return (">", False) if stripped[2:3].isascii() and stripped[2:3].isalpha() else None
    if _VERBATIM.match(stripped):
        return _VERBATIM_END, False
    name = _TAG_NAME.match(stripped)
    if (name and name[1].lower() in _BLOCK_TAGS) or (not text_open and re.match(_TAG_ALONE, stripped)):
        return None, True
    return None


def lines(text: str) -> Iterator[tuple[int, str]]:
    """The lines of a text without their ends, each with its place."""
    start = 0
    for part in text.split("\n"):
        yield start, part[:-1] if part.endswith("\r") else part
        start += len(part) + 1


def outline(text: str, *, setext: bool = True, line: int = 1) -> Outline:
    """Headings, code and HTML outside quotes and lists; `line` is the number of the text's first line."""
    found: list[Heading] = []
    hidden: list[Hidden] = []
    scanner = Scanner(setext=setext)
    span: tuple[int, int] | None = None  # place and line of the fence or HTML block that is open
    block, block_start = -1, 0
    weak = False
    size = len(text)
    for number, (start, row) in enumerate(lines(text), line):
        if start == size and number > line:
            break
        was_open = span is not None
        kind = scanner.feed(row)
        if kind == TEXT and scanner.block != block:
            block, block_start = scanner.block, start
        if scanner.depth == 0 and kind in (FENCE, HTML):
            if not was_open:
                span = start, number
            weak = kind == HTML and scanner.weak
            if scanner.open is None and not (kind == HTML and scanner.weak) and span is not None:
                stop = text.find("\n", start)
                hidden.append(Hidden(span[0], size if stop < 0 else stop + 1, False))
                span = None
        elif span is not None:
            hidden.append(Hidden(span[0], start, weak))
            span = None
        if scanner.depth:
            continue
        if kind == HEADING:
            heading = atx(row)
            if heading is not None:
                found.append(Heading(*heading, number, number, start, start + len(row)))
        elif kind == UNDERLINE:
            parts = [part.strip(" \t\r") for part in text[block_start : start - 1].split("\n")]
            while re.match(_DEFINITION, parts[0]):  # what stands above the heading in the same paragraph
                del parts[0]
                block_start = text.index("\n", block_start) + 1
            title = " ".join(parts)
            found.append(
                Heading(
                    1 if "=" in row else 2,
                    title,
                    number - len(parts),
                    number,
                    block_start,
                    start + len(row),
                )
            )
    if span is None:
        return Outline(found, hidden, None)
    hidden.append(Hidden(span[0], size, weak))
    what = (
        "fence"
        if scanner.open == "fence"
        else "comment"
        if text.startswith("<!--", first_character(text, span[0]))
        else "HTML block"
    )
    return Outline(found, hidden, None if weak else (span[1], what))


def first_character(text: str, start: int) -> int:
    """The place of the first character of a line that is not a blank."""
    while text.startswith(" ", start):
        start += 1
    return start


_CONFLICT = pattern(r"^(<{7}|\|{7}|={7}|>{7})(?= |\r?$)", re.MULTILINE)


def conflict_markers(text: str, *, line: int = 1) -> list[int]:
    """The lines of merge conflict markers outside fenced code.

    `=======` and `|||||||` count between `<<<<<<<` and `>>>>>>>` alone: elsewhere a line of equal signs
    underlines a heading.
    """
    if "<<<<<<<" not in text and ">>>>>>>" not in text:
        return []
    hidden = [
        (span.start, span.end)
        for span in outline(text, setext=False).hidden
        if text[first_character(text, span.start)] in "`~"
    ]
    out: list[int] = []
    inside = False
    counted, position = line, 0
    index = 0
    for match in _CONFLICT.finditer(text):
        start = match.start()
        while index < len(hidden) and hidden[index][1] <= start:
            index += 1
        if index < len(hidden) and hidden[index][0] <= start:
            continue
        mark = match[1][0]
        if mark in "=|" and not inside:
            continue
        inside = mark != ">" and (inside or mark == "<")
        counted += text.count("\n", position, start)
        position = start
        out.append(counted)
    return out
