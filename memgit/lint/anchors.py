"""Where the part of a link after `#` may lead in a Markdown file: what forges and editors make of its
headings, and names given by hand.

The first to count are GitHub's: the text of a heading in lower case, blanks as hyphens, all but letters,
digits, hyphens and underscores dropped, `-1`, `-2` and so on after the second and third of one name. Other
tools join several hyphens into one, leave out digits at the beginning, or link to the heading as it is typed.
What any of them takes leads somewhere: it is nothing to complain of.

`places` reads a text, once: what it finds is kept with the other facts of a file. Linear in the text, whatever
it holds.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from unicodedata import category, normalize

from memgit import TYPE_CHECKING
from memgit.formats.blocks import outline
from memgit.formats.plain_text import unescaped
from memgit.model.lazy_re import pattern
from memgit.model.link import normal
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from memgit.lint.page import Page

MAX_TITLE = 500
"""So many characters of a heading are looked at."""
LIKENESS_THRESHOLD = 0.75
"""How alike (0 to 1) a heading's name must be to be what was meant."""
MOST_ASKED, MOST_COMPARED = 30, 1_000
"""What was meant is told for so many broken links to one text, and where it has so many headings: each is
compared letter by letter.
"""

_HASHES = pattern(r"[ \t>]*(?:(?:[-*+]|\d{1,9}[.)])[ \t]+)*#{1,6}(?:[ \t]+|$)")
_TAGGED = pattern(r"(?is)<h[1-6](?:\s[^<>]{0,200})?>(.{0,500}?)</h[1-6]>")
_NAMED = pattern(
    r"(?i)<[a-z][^<>]{0,300}?\s(?:id|name)=(?:\"([^\"<>]{1,200})\"|'([^'<>]{1,200})'|([^\s\"'<>]{1,200}))"
)
_BRACES = pattern(r"\{([^{}\n]{2,200})\}")
_HASHED = pattern(r"#([^\s#]+)")
_LABEL = pattern(r"(?m)^[ \t]*\(([^()\s]{1,200})\)=[ \t]*\r?$")
_BLOCK = pattern(r"(?m)\^([\w-]{1,200})[ \t]*\r?$")

_IMAGE = pattern(r"!\[([^\[\]]*)\](?:\([^()]*\)|\[[^\[\]]*\])")
_LINK = pattern(r"\[([^\[\]]*)\](?:\([^()]*(?:\([^()]*\)[^()]*)*\)|\[[^\[\]]*\])")
_WIKILINK = pattern(r"\[\[(?:[^\[\]|]*\|)?([^\[\]]*)\]\]")
_TAG = pattern(r"</?[A-Za-z][^<>]*>|<!--.*?-->")
_EMPHASIS = pattern(r"(?<![^\W_])(_{1,3})(?=\S)(.+?)(?<=\S)\1(?![^\W_])")
_ATTRIBUTES = pattern(r"(?:\{[^{}]*\}|[ \t]\^[\w-]+)\s*$")
_CODE = pattern(r"(`+)((?:(?!`).)+)\1")
_BLANK = pattern(r"[^\S \n]")
_SELECTORS = pattern(r"[\ufe0e\ufe0f]")
"""Whether a sign is shown as text or in colours: some keep it in a name, some do not, and nobody sees it."""
_DROPPED = pattern(r"[^\w\- \u200d]")
_HYPHENS = pattern(r"-{2,}")
_SPECIAL = pattern(r"[\W_]+")
_LEADING = pattern(r"^[^a-z]+(?=[a-z])")
_ELSEWHERE = pattern(r"top|l\d+(?:c\d+)?(?:-l?\d+(?:c\d+)?)?|fn(?:ref)?[-:\d]\S*|page=.*|[/!].*")
"""The beginning of a page, lines of a source, footnotes, pages of a document, what a program in the page
takes for a path: no headings.
"""
_INCLUDES = pattern(
    r"(?m)\{%-?\s*include|\{\{\s*#include|\{\{[<%]|^[ \t]*-{1,2}8<-{1,2}[ \t]|\{include\}|\[!INCLUDE"
)
"""Text of other files that a tool puts in place: headings may come with it."""
_PREFIX = pattern(r"(?i)^(?:user-content-|markdown-header-)")
_APART = pattern(r"[\W_]+")
_CYRILLIC = pattern("[\u0430-\u045f\u0491]")
_LATIN = str.maketrans(
    dict(
        zip(
            "абвгґдеєёжзиіїйклмнопрстуфхцчшщъыьэюя",
            "a b v g g d e e o zh z i i i y k l m n o p r s t u f h c ch sh sh y y y e u a".split(),
            strict=True,
        )
    )
)
"""Cyrillic letters as most tables have them; where tables differ, `_sounds` makes them one."""
_UNSURE = pattern(r"[yj'-]|(?<=i)i|kh|x|shch|shh|sch|ts|tz|cz")


class Places(NamedTuple):
    """What links may name in a text.

    Attributes:
        headings: as typed, wherever they are nested.
        in_directives: those of them in fences that some tools take for directives; for editors they are code.
        by_hand: names that were given: `id` and `name` of tags, `{#name}`, `(name)=`, `^name`; folded.
        includes: whether there may be more, for a tool puts other text in place; or it is no text.
    """

    headings: tuple[str, ...] = ()
    in_directives: tuple[str, ...] = ()
    by_hand: tuple[str, ...] = ()
    includes: bool = False


class Anchors:
    """The places of one Markdown text that a link may name.

    Args:
        titles: names that the whole has beside its headings: tools that show a title make a heading of it.
    """

    def __init__(self, found: Places, titles: Sequence[str] = ()) -> None:
        self.headings, self._in_directives, by_hand, self._includes = found
        self._by_hand = set(by_hand)
        self._titles = titles
        self._made: dict[Callable[[str], str], set[str]] = {}
        self._asked = 0

    def leads(self, fragment: str) -> bool:
        """Whether a fragment (decoded, without its `#`) leads somewhere in the text."""
        wanted = _folded(_PREFIX.sub("", fragment.partition(":~:")[0].strip()))
        if not wanted or "{" in wanted or _ELSEWHERE.fullmatch(wanted) or self._includes:
            return True
        if wanted in self._slugs(slug) or wanted in self._by_hand:
            return True
        # A path of headings, as Obsidian writes it: the last one counts.
        return (
            _plain(wanted.rpartition("#")[2]) in self._typed
            or any(wanted in self._slugs(make) for make in _VARIANTS)
            or (wanted.isascii() and _sounds(wanted) in self._latin)
        )

    def has_heading(self, heading: str) -> bool:
        """Whether a wikilink to a heading (or, after `^`, to a block of that name) leads somewhere, as editors
        compare it; of a path of headings the last one counts.
        """
        last = normal(heading.rpartition("#")[2])
        if last.startswith("^"):
            return _folded(last) in self._by_hand
        return not self._compared.isdisjoint((_as_compared(last), _as_compared(heading)))

    @cached_property
    def _compared(self) -> set[str]:
        seen = Counter(self.headings) - Counter(self._in_directives) if self._in_directives else self.headings
        return {_as_compared(title) for title in (*seen, *self._titles)}

    @cached_property
    def _latin(self) -> set[str]:
        """What tools make of headings in Cyrillic that write names in Latin letters."""
        names = [name for name in self._slugs(_joined) if _CYRILLIC.search(name) is not None]
        return {_sounds(one.translate(_LATIN)) for name in names for one in (name, name.replace("ё", "е"))}

    def lost_in(self, other: Anchors) -> bool:
        """Whether some name leads somewhere in this text that is unresolved in another one."""
        if not self._by_hand <= other.names:
            return True
        if (self.headings, self._in_directives, self._titles) == (
            other.headings,
            other._in_directives,
            other._titles,
        ):
            return False
        return not (self.names <= other.names and self._compared <= other._compared)

    @cached_property
    def names(self) -> set[str]:
        """Every name that leads somewhere, in the form in which fragments are compared."""
        return {
            *self._typed,
            *self._by_hand,
            *(name for make in (slug, *_VARIANTS) for name in self._slugs(make)),
        }

    def near(self, fragment: str) -> str | None:
        """The name of a heading that a fragment may have meant; None where none is close, or there are too
        many to compare with each.
        """
        names = self._slugs(slug)
        self._asked += 1
        if self._asked > MOST_ASKED or len(names) > MOST_COMPARED:
            return None
        from difflib import get_close_matches  # every write loads this module, and only a finding needs it

        return next(
            iter(get_close_matches(_folded(fragment)[:MAX_TITLE], sorted(names), 1, LIKENESS_THRESHOLD)), None
        )

    def _slugs(self, make: Callable[[str], str]) -> set[str]:
        """What a tool makes of the headings, repeated ones numbered past those that are there anyway."""
        known = self._made.get(make)
        if known is None:
            times: dict[str, int] = {}
            others: set[str] = set()
            for one in map(make, self.headings):
                name = one
                while name in times:
                    times[one] += 1
                    name = f"{one}-{times[one]}"
                    others.add(f"{one}_{times[one]}")  # of Python-Markdown
                times[name] = 0
            known = self._made[make] = {
                *times,
                *map(make, self._titles),
                *(others if make is not slug else ()),
            }
        return known

    @cached_property
    def _typed(self) -> set[str]:
        return {_plain(_folded(title)) for title in (*self.headings, *self._titles)}


def of_page(page: Page) -> Anchors:
    """The places in a page that a link may name."""
    return Anchors(places_of(page), [one.title for one in page.parsed.records])


def places_of(page: Page) -> Places:
    """What links may name in the text of a page."""
    return places(page.body) if page.unreadable is None else Places(includes=True)


def places(text: str) -> Places:
    """What links may name in a text without its frontmatter."""
    text, directives = _uncoded(text)
    return Places(
        tuple(_headings(text)),
        tuple(_headings(directives)) if directives else (),
        tuple(_by_hand(text)),
        _INCLUDES.search(text) is not None,
    )


def _headings(text: str) -> Iterator[str]:
    found: list[str] = []
    above = lines = ""
    for line in text.split("\n"):
        stripped = line.strip(" \t\r>")
        if "#" in stripped and (match := _HASHES.match(line)) is not None:
            found.append(_unclosed(line[match.end() :].strip()))
            lines = ""
        elif above and stripped and (stripped.strip("=") == "" or stripped.strip("-") == ""):
            # of a heading of several lines, some tools take the last
            found += [lines, above] if lines != above else [above]
            lines = ""
        else:
            lines = f"{lines} {stripped}".strip()[:MAX_TITLE] if stripped else ""
        above = stripped if stripped.strip("=-") else ""
    if "<" in text:
        found += [match[1] for match in _TAGGED.finditer(text)]
    return (title[:MAX_TITLE] for title in found if title)


def _by_hand(text: str) -> Iterable[str]:
    named: list[str] = []
    if "<" in text:
        named += [unescaped(match[1] or match[2] or match[3]) for match in _NAMED.finditer(text)]
    if "{" in text:
        named += [name for match in _BRACES.finditer(text) for name in _HASHED.findall(match[1])]
    if ")=" in text:
        named += _LABEL.findall(text)
    if "^" in text:
        named += [f"^{name}" for name in _BLOCK.findall(text)]
    return dict.fromkeys(map(_folded, named))


def _uncoded(text: str) -> tuple[str, str]:
    """A text without fenced code and comments, and the directives in it: they are written as fences and stay,
    for there may be headings in them.
    """
    if not any(mark in text for mark in ("```", "~~~", "<!--")):
        return text, ""
    kept: list[str] = []
    directives: list[str] = []
    done = 0
    for start, end, _ in outline(text).hidden:
        first = text[start : start + MAX_TITLE].lstrip()
        if first[:1] in "`~" and first.lstrip("`~ ").startswith("{"):
            directives.append(text[start:end])
        elif first.startswith("<!--") or first[:1] in "`~":
            kept.append(text[done:start])
            done = end
    return "".join(kept) + text[done:], "\n".join(directives)


def slug(title: str) -> str:
    """What GitHub makes of a heading (as typed, without hashes), before repeats are numbered."""
    return _slug(_EMPHASIS.sub(r"\2", _shown(title)))


def _shown(title: str) -> str:
    """A heading without the marks of links, images and tags; what is code is none."""
    if "`" in title:
        title = _CODE.sub(lambda match: _DROPPED.sub(_mark, match[2]), title)
    for shape, kept in ((_IMAGE, ""), (_WIKILINK, r"\1"), (_LINK, r"\1"), (_TAG, "")):
        title = shape.sub(kept, title)
    return unescaped(title)


def _slug(text: str) -> str:
    return _DROPPED.sub(_mark, _folded(text.strip())).replace(" ", "-")


def _mark(match: re.Match[str]) -> str:
    """A sign that belongs to the letter before it (most scripts of India and South East Asia write vowels
    so), or nothing.
    """
    return match[0] if category(match[0])[0] == "M" else ""


def _with_underscores(title: str) -> str:
    return _slug(_shown(title))


def _with_alternatives(title: str) -> str:
    """Of tools for which the words count that stand for an image."""
    return slug(_IMAGE.sub(r"\1", title))


def _with_blanks(title: str) -> str:
    """Of tools for which every blank is one, be it a tab or one that does not break."""
    return slug(_BLANK.sub(" ", _shown(title)))


def _without_attributes(title: str) -> str:
    """Of tools that read a name or a class in braces."""
    return slug(_unattributed(title))


def _unattributed(title: str) -> str:
    return _ATTRIBUTES.sub("", title)


def _joined(title: str) -> str:
    """Of Python-Markdown and its like: hyphens joined, those at the ends dropped."""
    return _HYPHENS.sub("-", _without_attributes(title)).strip("-")


def _in_ascii(title: str) -> str:
    """Of Python-Markdown as it is set by default: letters without their marks, other scripts dropped."""
    return _joined(normalize("NFKD", title).encode("ascii", "ignore").decode())


def _apart(title: str) -> str:
    """Of VuePress, VitePress, Zola and their like: whatever is not a letter or digit becomes a hyphen, letters
    lose their marks.
    """
    text = normalize("NFKD", _shown(_unattributed(title)))
    return _SPECIAL.sub("-", "".join(char for char in text if category(char) != "Mn")).strip("-").casefold()


def _sounds(name: str) -> str:
    """A name in Latin letters as it is compared with one that another table gave: signs that tables differ in are dropped."""
    return _UNSURE.sub(lambda match: _SAME.get(match[0], ""), name)


_SAME = {"kh": "h", "x": "h", "shch": "sh", "shh": "sh", "sch": "sh", "ts": "c", "tz": "c", "cz": "c"}


def _from_digit(title: str) -> str:
    """Of those of them in which no name begins with a digit."""
    return f"_{_apart(title)}"


def _from_letter(title: str) -> str:
    """Of kramdown and Pandoc: what stands before the first letter is dropped as well."""
    return _LEADING.sub("", _joined(title))


_VARIANTS = (
    _slug,
    _with_underscores,
    _with_alternatives,
    _with_blanks,
    _without_attributes,
    _joined,
    _in_ascii,
    _apart,
    _from_digit,
    _from_letter,
)


def _unclosed(title: str) -> str:
    """The text of a heading without the hashes that close it."""
    bare = title.rstrip("#")
    return bare.rstrip() if not bare or bare[-1] in " \t" else title


def _folded(text: str) -> str:
    return normalize("NFC", _SELECTORS.sub("", text)).casefold()


def _as_compared(heading: str) -> str:
    """A heading as editors compare it: neither case, punctuation nor the number of blanks counts."""
    return _APART.sub(" ", normal(heading)).strip().casefold() or heading.strip()


def _plain(text: str) -> str:
    return " ".join(text.split())
