"""Links in one paragraph or heading of Markdown: code spans, tags and escapes come first, as in CommonMark.

Rules: https://spec.commonmark.org/0.31.2/#inlines, and for wikilinks what Obsidian takes for one, less what
only looks like one: shell tests, arrays, subscripts, classes of regular expressions. Linear in the text,
whatever it holds.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Mapping

from memgit.formats.blocks import CLOSE_TAG, ENDS, OPEN_TAG, first_character
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

MAX_LINK = 1000
"""Longest wikilink in characters; what is longer between two brackets is text."""
MAX_LABEL = 999
"""Longest label of a reference, as in the specification."""
MAX_PARENTHESES = 32
"""Depth of parentheses in the target of a link, as in the reference implementations."""

_INLINE_TAG = pattern(rf"{OPEN_TAG}|{CLOSE_TAG}|<[A-Za-z][A-Za-z0-9+.-]{{1,31}}:[^\s<>]*+>")


class Link(NamedTuple):
    """A link in a text, in characters: "wiki" or "embed" with its brackets, "link" with its target, which may
    stand in a definition, "tag" with the value of the attribute of an HTML tag.

    `place` is where the link itself stands.
    """

    kind: str
    start: int
    end: int
    place: int


def definitions(text: str, start: int, end: int, found: dict[str, tuple[int, int]]) -> int:
    """Adds the reference definitions at the start of a paragraph, by label, and returns the place after them;
    the first one counts.
    """
    while start < end:
        head = first_character(text, start)
        match = _DEFINITION.match(text, head, end) if text.startswith("[", head) else None
        if match is None:
            break
        if not match[1].startswith("^"):  # a footnote, whatever follows
            left, right = match.span(2)
            found.setdefault(_label(match[1]), (left + 1, right - 1) if text[left] == "<" else (left, right))
        start = match.end() + 1
    return min(start, end)


def _label(text: str) -> str:
    return " ".join(text.split()).casefold()


_DEFINITION = pattern(
    r"\[((?:[^\[\]\\]|\\.){1,999})\]:[ \t\r]*\n?[ \t]*(<[^<>\n]*>|[^\s<]\S*)(?:[ "
    r"\t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t\r]*(?=\n|\Z)"
)
_LABEL = pattern(r"\[((?:[^\[\]\\]|\\.){0,999})\]", re.DOTALL)
_TOKEN = pattern(r"\\.|`+|<|!?\[\[|!?\[|\]")


class _Ticks:
    """The runs of backticks of a block by length: where does a code span that opens here close?"""

    def __init__(self, text: str, start: int, end: int) -> None:
        self._runs: dict[int, list[int]] = {}
        for match in re.compile("`+").finditer(text, start, end):
            self._runs.setdefault(match.end() - match.start(), []).append(match.start())

    def close(self, length: int, after: int) -> int | None:
        """The start of the first run of that length at or after a place."""
        runs = self._runs.get(length, [])
        index = bisect_left(runs, after)
        return runs[index] if index < len(runs) else None


def links(
    text: str, start: int, end: int, defined: Mapping[str, tuple[int, int]] | None = None
) -> Iterator[Link]:
    """Links of one paragraph or heading, in order of their ends; `defined` are the targets that references
    lead to, by label.
    """
    ticks: _Ticks | None = None
    # for each open bracket whether it is an image's, and the place after it
    brackets: list[tuple[bool, int]] = []
    dead = 0  # so many of them may not become links any more: a link holds no link
    closing = -1  # place of the next `]]`, kept so that many openings look for it once
    ends: dict[str, int] = {}
    last = text.rfind(")", start, end)
    position = start
    while True:
        match = _TOKEN.search(text, position, end)
        if match is None:
            return
        mark, left = match[0], match.start()
        position = match.end()
        first = mark[0]
        if first == "\\":
            continue
        if first == "`":
            ticks = ticks or _Ticks(text, start, end)
            close = ticks.close(len(mark), position)
            if close is not None:
                position = close + len(mark)
        elif first == "<":
            position = _skip_tag(text, left, end, ends)
            yield from _linked_by_tag(text, left, position)
        elif mark.endswith("[["):
            opening = position - 2
            if closing < position:
                closing = text.find("]]", position, end)
                closing = end if closing < 0 else closing
            right = _wiki_end(text, opening, closing, end)
            if right is not None and "`" in text[opening:right]:
                ticks = ticks or _Ticks(text, start, end)
                right = _outside_code(text, opening, right, ticks)
            if right is not None:
                yield Link("embed" if first == "!" else "wiki", opening, right, opening)
                position = right
            else:
                position = opening + 1
                brackets.append((first == "!", position))
        elif mark != "]":
            brackets.append((first == "!", position))
        elif brackets:
            image, inside = brackets.pop()
            alive = image or len(brackets) >= dead
            dead = min(dead, len(brackets))
            if not alive:
                continue
            target = (
                _target(text, position + 1, end)
                if position < last and text.startswith("(", position)
                else None
            )
            if target is None and defined:
                target = _reference(text, inside, left, end, defined)
            if target is not None:
                yield Link("link", target[0], target[1], inside)
                position = target[2]
                dead = dead if image else len(brackets)


def _reference(
    text: str, inside: int, closing: int, end: int, defined: Mapping[str, tuple[int, int]]
) -> tuple[int, int, int] | None:
    """The target that `[text][label]`, `[label][]` or `[label]` leads to, as `_target` gives it."""
    after = closing + 1
    label = _LABEL.match(text, after, end)
    if label is not None and label[1].strip():
        name, after = label[1], label.end()
    elif closing - inside > MAX_LABEL:
        return None
    else:
        name = text[inside:closing]
        if "[" in name.replace("\\[", ""):
            return None
        after = after if label is None else label.end()
    place = defined.get(_label(name))
    return None if place is None else (*place, after)


def _skip_tag(text: str, left: int, end: int, ends: dict[str, int]) -> int:
    """The place after a tag, comment or address in angle brackets that starts here, else after its first
    character.

    `ends` remembers where the end of each sort stands, so that a thousand openings without end look for it
    once.
    """
    match = _INLINE_TAG.match(text, left, end)
    if match is not None:
        return match.end()
    for opening, ending in (*ENDS.items(), ("<!", ">")):
        if not text.startswith(opening, left):
            continue
        if opening == "<!--":
            if text.startswith(("<!-->", "<!--->"), left):
                return text.index(">", left) + 1
        elif opening == "<!" and not (
            text[left + 2 : left + 3].isascii() and text[left + 2 : left + 3].isalpha()
        ):
            break
        place = ends.get(opening, -1)
        if place < left + len(opening):
            place = text.find(ending, left + len(opening), end)
            ends[opening] = place = end if place < 0 else place
        return place + len(ending) if place < end else left + 1
    return left + 1


TAG = pattern(r"<(a|img)(?=\s)", re.IGNORECASE)
"""The beginning of a tag that links to a file."""
_ATTRIBUTE = pattern(
    r"\s([A-Za-z_:][A-Za-z0-9_.:-]*+)(?:\s*+=\s*+(?:\"([^\"]*+)\"|'([^']*+)'|([^\s\"'=<>`]++)))?"
)


def tags(text: str, start: int, end: int) -> Iterator[Link]:
    """The links of an HTML block: `href` of `<a>` and `src` of `<img>`, comments left out."""
    ends: dict[str, int] = {}
    position = start
    while (left := text.find("<", position, end)) >= 0:
        position = _skip_tag(text, left, end, ends)
        yield from _linked_by_tag(text, left, position)


def _linked_by_tag(text: str, left: int, right: int) -> Iterator[Link]:
    """What the tag between two places links to; nothing where it is none of those that link."""
    tag = TAG.match(text, left, right)
    wanted = "" if tag is None else "href" if tag[1].lower() == "a" else "src"
    for found in _ATTRIBUTE.finditer(text, left, right) if wanted else ():
        if found[1].lower() == wanted and found.lastindex != 1:  # of two of a name the first counts
            start, end = found.span(found.lastindex or 0)
            start += len(text[start:end]) - len(text[start:end].lstrip())
            yield Link("tag", start, start + len(text[start:end].strip()), left)
            return


_NOT_TARGET = pattern(r"[{}\[\]]")
_ARRAY_ITEM = r"(?:[-+]?\d[\w.+-]*|\"[^\"]*+\"|'[^']*+'|true|false|null|None|True|False)"
_ARRAY = pattern(rf"\s*{_ARRAY_ITEM}(?:\s*,\s*{_ARRAY_ITEM})+\s*,?\s*|\s*(?:\"[^\"]*\"|'[^']*')\s*")
_DIGITS = pattern(r"\d+")


def _wiki_end(text: str, opening: int, closing: int, end: int) -> int | None:
    """The place after the brackets of a wikilink that opens here, or None for a shell test, an array, a
    subscript, an empty one.
    """
    if closing >= end or closing - opening > MAX_LINK:
        return None
    inner = text[opening + 2 : closing]
    if text.startswith("]", closing + 2) and inner.count("[") > inner.count("]"):
        closing += 1
        inner = text[opening + 2 : closing]
    before = text[opening - 1 : opening]
    if not inner.strip() or inner[0] in " \t" or "\n" in inner or "[[" in inner or before == "[":
        return None
    if text.startswith("(", closing + 2):  # the text of a link, in brackets of its own
        return None
    target, _, rest = inner.partition("#")
    target, bar, _ = target.partition("|")
    if bar:
        rest = ""
    if _NOT_TARGET.search(target) or (not target.strip(" .") and not rest.strip()) or _ARRAY.fullmatch(inner):
        return None
    if len(target) > 1 and target[0] == ":" == target[-1]:  # a class in a regular expression
        return None
    if _DIGITS.fullmatch(inner) and before.isascii() and (before.isalnum() or before in ("_", ")", "]")):
        return None
    return closing + 2


def _outside_code(text: str, opening: int, right: int, ticks: _Ticks) -> int | None:
    """The end of a wikilink, or None where a code span that opens inside it reaches beyond: code binds closer
    than brackets.
    """
    position = opening
    while True:
        position = text.find("`", position, right)
        if position < 0:
            return right
        stop = position
        while text.startswith("`", stop):
            stop += 1
        close = ticks.close(stop - position, stop)
        if close is not None and close >= right:
            return None
        position = stop if close is None else close + stop - position


_TITLE = pattern(
    r"[ \t\r\n]+(?:\"(?:[^\"\\]|\\.)*+\"|'(?:[^'\\]|\\.)*+'|\((?:[^()\\]|\\.)*+\))[ \t\r\n]*\)", re.DOTALL
)
_SPACES = pattern(r"[ \t\r\n]*")
_ANGLE = pattern(r"<((?:[^<>\\\n]|\\.)*+)>")
_BARE = pattern(r"[^\\()\x00-\x20\x7f]++|\\[!-~]?|[()]")


def _target(text: str, left: int, end: int) -> tuple[int, int, int] | None:
    """The target of a link whose parenthesis opens just before: where it starts and ends, and the place after
    the parenthesis.
    """
    left = _skip(text, left, end)
    angle = _ANGLE.match(text, left, end)
    if angle is not None:
        start, stop = angle.span(1)
        after = angle.end()
    else:
        if text.startswith("<", left):
            return None
        start = after = left
        depth = 0
        while (match := _BARE.match(text, after, end)) is not None:
            if match[0] == "(":
                depth += 1
                if depth > MAX_PARENTHESES:
                    return None
            elif match[0] == ")":
                if depth == 0:
                    break
                depth -= 1
            after = match.end()
        if depth:
            return None
        stop = after
    title = _TITLE.match(text, after, end) if stop > start or angle is not None else None
    if title is not None:
        return start, stop, title.end()
    after = _skip(text, after, end)
    return (start, stop, after + 1) if text.startswith(")", after) and after < end else None


def _skip(text: str, position: int, end: int) -> int:
    match = _SPACES.match(text, position, end)
    return position if match is None else match.end()
