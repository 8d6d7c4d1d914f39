"""Words: how text is laid out for the full-text index, and how any text typed by a person becomes a query of
terms.

The index is SQLite's FTS5 with `TOKENIZER`: Unicode letters, digits and marks make words, case and accents of
Latin letters fold, English endings are cut (Porter). What the tokenizer cannot do is done to the text
beforehand, alike for records and queries (`fold`):

- scripts written without blanks (Chinese, Japanese, Thai, Lao, Khmer, Burmese) and Korean, whose words carry
their particles, become pairs
  of neighbouring characters, and a last single one, so that every substring can be found;
- full-width and other compatibility forms become the ordinary ones; accents and vowel points of Greek,
Cyrillic, Hebrew and Arabic go;
- an emoji becomes a word of its own.
"""

from __future__ import annotations

import unicodedata
from itertools import pairwise

from memgit import TYPE_CHECKING
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    import re
    from collections.abc import Sequence

TOKENIZER = "porter unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc'"

MAX_QUERY = 20_000
"""Characters of a query that count."""
MAX_TERMS = 200
"""Different terms of a query that count, the first ones."""
MAX_REPEATS = 3
"""A word that stands in a query more often than this counts no more."""

_UNBROKEN = (
    "\u0e00-\u0e3e\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17b3\u17b6-\u17d3\u2e80-\u2fdf\u3005-\u3007\u3041-\u3096\u309d-\u309f"
    "\u30a1-\u30fa\u30fc-\u30ff\u3105-\u312f\u3131-\u318e\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff"
    "\uf900-\ufaff\U00016fe0-\U00018cff\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
_PICTURES = "\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001f3fa\U0001f400-\U0001faff"
_POINTS = "\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06ed\ufe00-\ufe0f\U0001f3fb-\U0001f3ff"
_SPECIAL = "\u0370-\u1fff\u2300-\u23ff\u2600-\u27bf\u2b00-\u2bff\u2e80-\U0010ffff"


class Patterns:
    """Regular expressions, each compiled when it is first used: together they take some milliseconds.

    Attributes:
        special: a run of characters that the tokenizer cannot be given as they are.
        pieces: a run of characters of a script without blanks (group 1), or an emoji (group 2).
        points: accents and vowel points, and variants of emoji.
        quoted: a phrase in quotes (group 1), or a word.
        apostrophe: at the end of a word, with or without an s.
        compound: words joined by hyphens or slashes.
        letters: a word of three letters or more.
    """

    special = pattern(f"[{_SPECIAL}]+")
    pieces = pattern(f"([{_UNBROKEN}]+)|([{_PICTURES}])")
    points = pattern(f"[{_POINTS}]")
    quoted = pattern(r'"([^"]*)"|[^\s"]+|"')
    apostrophe = pattern(r"['\u2019](?:s|S)?(?!\w)")
    compound = pattern(r"[^\W\d_]{3,}(?:[-\u2010\u2011/][^\W\d_]{3,})+[.,;:!?)]*")
    letters = pattern(r"[^\W\d_]{3,}")


def patterns() -> type[Patterns]:
    """The regular expressions of this module."""
    return Patterns


STOP_WORDS = frozenset(
    """
    a about above after again against all am an and any are as at be because been before being below between both but by can could did do
    does doing done down during each few for from further had has have having he her here hers herself him himself his how i if in into is
    it its itself just me might more most must my myself no nor not now of off on once only or other our ours ourselves out over own same
    shall she should so some such than that the their theirs them themselves then there these they this those through to too under until
    up upon us very was we were what when where which while who whom why will with would you your yours yourself yourselves
    aren't can't couldn't didn't doesn't don't hadn't hasn't haven't isn't it's let's shouldn't that's there's wasn't weren't what's won't
    wouldn't i'm i've i'll i'd you're you've we're we've they're
    """.split()
)
"""English words that say little about a question; they count only where hardly another word is left."""


class Term(NamedTuple):
    """One part of a query.

    Attributes:
        match: an expression of FTS5, safe to put together with others.
        words: what it looks for, one after the other, folded; the last one is a beginning of a word where
            `prefix` is true.
        prefix: whether any word that begins so counts.
        required: a phrase that was put in quotes.
        weight: how much it counts: how often it stands in the query, at most `MAX_REPEATS`.
        stop: whether it says little.
    """

    match: str
    words: tuple[str, ...]
    prefix: bool = False
    required: bool = False
    weight: float = 1
    stop: bool = False


def fold(text: str) -> str:
    """Text laid out for the tokenizer; plain Latin text comes back as it is."""
    return text if text.isascii() else patterns().special.sub(_spread, text)


def terms(text: str) -> list[Term]:
    """The terms of a query, in order; any text is a legal one. Empty where it holds no letter, digit or
    emoji.

    `"two words"` is a required phrase, `begin*` a prefix. Everything else, operators and punctuation too, is
    taken literally: `src/a.py` or `1.0.21` looks for its parts side by side.
    """
    text = text[:MAX_QUERY].replace("\0", " ")
    found: dict[tuple[str, bool], Term] = {}
    for match in patterns().quoted.finditer(text):
        for term in [phrase(match[1], required=True)] if match[1] is not None else _word(match[0]):
            if not term.words:
                continue
            key = (term.match, term.required)
            known = found.get(key)
            if known is not None:
                found[key] = known._replace(weight=min(known.weight + 1, MAX_REPEATS))
            elif len(found) < MAX_TERMS:
                found[key] = term
    return list(found.values())


def phrases(text: str) -> list[str]:
    """The phrases in double quotes of a query, as they were typed, each once."""
    quoted = (match[1] for match in patterns().quoted.finditer(text[:MAX_QUERY]) if match[1] is not None)
    return list(dict.fromkeys(said for said in quoted if phrase(said).words))


def words_of(text: str) -> tuple[str, ...]:
    """The words of a folded text as the tokenizer cuts them, before case and endings."""
    out: list[str] = []
    start = -1
    for position, char in enumerate(text):
        inside = _in_word(char)
        if inside and start < 0:
            start = position
        elif not inside and start >= 0:
            out.append(text[start:position])
            start = -1
    if start >= 0:
        out.append(text[start:])
    return tuple(out)


def telling(wanted: Sequence[Term]) -> list[Term]:
    """The terms that count: without stop words, unless hardly anything else is there."""
    found = [term for term in wanted if not term.stop]
    return found if len(found) > 2 or any(term.required for term in found) else list(wanted)


def neighbours(wanted: Sequence[Term]) -> list[Term]:
    """The words that follow each other in a query, two by two, where neither is a stop word, as phrases."""
    out: dict[str, Term] = {}
    known = {term.match for term in wanted}
    for one, two in pairwise(wanted):
        if not (one.stop or two.stop or one.prefix or two.prefix or one.required or two.required):
            words = (one.words[-1], two.words[0])
            match = _quote(" ".join(words))
            if match not in known:
                out.setdefault(match, Term(match, words))
    return list(out.values())


def is_unbroken(word: str) -> bool:
    """Whether a folded word is a pair (or single) of characters of a script written without blanks."""
    return not word.isascii() and patterns().pieces.fullmatch(word) is not None


def _spread(match: re.Match[str]) -> str:
    run = unicodedata.normalize("NFKC", match[0])
    out: list[str] = []
    end = 0
    for piece in patterns().pieces.finditer(run):
        if piece.start() > end:
            out.append(_bare(run[end : piece.start()]))
        end = piece.end()
        out.append(f" {' '.join(pairs(piece[1]))} " if piece[1] else f" emoji{ord(piece[2]):x} ")
    if end < len(run):
        out.append(_bare(run[end:]))
    return "".join(out)


def pairs(run: str) -> list[str]:
    """Neighbouring characters of a run, two by two, then the last one alone."""
    return [run[i : i + 2] for i in range(len(run) - 1)] + [run[-1]]


def _bare(text: str) -> str:
    """Letters without points and accents.

    What is no letter becomes a blank, half characters and signs too new for SQLite among it.
    """
    bare = unicodedata.normalize("NFC", patterns().points.sub("", unicodedata.normalize("NFD", text)))
    return bare if bare.isalnum() else "".join(char if _in_word(char) else " " for char in bare)


def _in_word(char: str) -> bool:
    return char.isalnum() or unicodedata.category(char) in ("Mn", "Mc", "Co")


def _word(word: str) -> list[Term]:
    """The terms of one word that stands in no quotes."""
    if word == '"':
        return []
    prefix = len(word) > 1 and word.endswith("*")
    plain = word.rstrip("*").replace("\u2019", "'")
    lower = plain.casefold().strip("'.,;:!?()[]{}<>*`")
    if lower in STOP_WORDS and not prefix:
        return [phrase(plain)._replace(stop=True)]
    if "'" in plain:
        plain = patterns().apostrophe.sub(" ", plain)
    folded = fold(plain)
    cut = words_of(folded)
    if not cut:
        return []
    if not plain.isascii() and any(is_unbroken(part) for part in cut):
        return _unbroken(cut, prefix)
    if len(cut) > 1 and not prefix and patterns().compound.fullmatch(plain):
        return [single(part) for part in dict.fromkeys(cut)]
    whole = Term(
        _quote(" ".join(cut)) + ("*" if prefix else ""),
        cut,
        prefix,
        stop=all(part.casefold() in STOP_WORDS for part in cut),
    )
    if len(cut) == 1 or prefix:
        return [whole]
    # The parts of `--dry-run` or `git_dir` count too, but not the numbers of a version.
    return [whole, *(single(part) for part in dict.fromkeys(cut) if patterns().letters.fullmatch(part))]


def single(word: str) -> Term:
    """One folded word."""
    return Term(_quote(word), (word,), stop=word.casefold() in STOP_WORDS)


def _unbroken(cut: tuple[str, ...], prefix: bool) -> list[Term]:
    """Each pair of characters by itself: a sentence without blanks is found by what it shares with a record,
    as one with blanks is.
    """
    out: list[Term] = []
    for position, part in enumerate(cut):
        last = position == len(cut) - 1
        if not is_unbroken(part):
            out.append(Term(_quote(part) + ("*" if prefix and last else ""), (part,), prefix and last))
        elif len(part) > 1:
            out.append(Term(_quote(part), (part,)))
        elif position == 0 or len(cut[position - 1]) < 2 or not is_unbroken(cut[position - 1]):
            out.append(Term(_quote(part) + "*", (part,), prefix=True))
    return out


def phrase(text: str, required: bool = False) -> Term:
    """The words of a text side by side; without words, it matches nothing."""
    cut = words_of(fold(text))
    if len(cut) > 1 and is_unbroken(cut[-1]) and len(cut[-1]) == 1 and is_unbroken(cut[-2]):
        cut = cut[:-1]  # the last single character stands for the end of a run only
    prefix = len(cut) == 1 and len(cut[0]) == 1 and is_unbroken(cut[0])
    return Term(_quote(" ".join(cut)) + ("*" if prefix else ""), cut, prefix, required)


def _quote(text: str) -> str:
    return '"' + text.replace('"', '""') + '"'
