"""Whether two records say the same thing, and what says so; or whether they are meant to stand beside each
other: translations, versions of one manual, one page a product, the days of a journal.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from difflib import SequenceMatcher

from memgit.lint.alike.likeness import LONG, content, resemblance, sketched
from memgit.lint.alike.likeness import words as word_list
from memgit.lint.alike.matching import likeness, profile
from memgit.lint.corpus import Corpus
from memgit.lint.facts import RecordFacts
from memgit.lint.words import cut, is_titled_by_section
from memgit.model.lazy_re import pattern

SHORT, EDITED = 180, 240
"""Characters from which a text, and one that was changed a little, says enough to be called a copy whatever the
titles are.
"""
SERIES = 0.6
"""A share of the words of two titles that makes them parts of one series where each has words of its own."""
COMPARED = 2_000
"""Words up to which two texts are aligned word by word."""
SAME_NAMES = 3
"""So many file names that two folders share beside the one at hand make them parallel, or half of theirs."""
CLOSE, ELSEWHERE = 0.45, 0.6
"""Likeness (see `matching`) of two texts under the same title from which they are about one thing: in one
folder, and in two folders or under titles of another order.
"""
SIBLINGS, USUAL, FORM = 40, 0.25, 0.6
"""So many records beside one are looked at for words that all pages there have: a stem that more than this
share of them has says nothing; the larger share is that of the words of a form.
"""
SAID, LONG_ENOUGH = 4, 12
"""So many other stems two texts under like titles must share, of so many that each has."""
WIDE, SURE = 0.2, 0.92
"""A text with a larger share of characters that are words by themselves (Chinese, Japanese, Korean) is compared
by its text alone, and must be the same in more than this share of it.
"""
QUOTED = 90
"""So many characters of what two texts share are quoted."""

_NUMBER = pattern(r"\d+")
_NAME = pattern(r"\w+(?:-\w+)*")
_SYMBOL = pattern(r"[+#<>=&|!%*^~/-]+")
_DAY = pattern(r"\d{4}[-_.]\d\d[-_.]\d\d")
_SERIAL = pattern(r"\d+(?:[._-]\d+)+|\b[A-Za-z]*0\d+\b")
"""A version, a date, or a number with zeros before it."""
_PART = pattern(r"(\D{2,40}?)(\d+[a-z]?)\s*[:：.)–—-]")
"""The beginning of a title that numbers the parts of a series."""
_VERSION = pattern(r"v\d+(?:\.\d+)*|\d+(?:\.\d+)+")
_LANGUAGE = pattern(r"(?:.+\.)?(?P<code>[a-z]{2})(?:[-_][A-Za-z]{2,4})?")
_LANGUAGES = frozenset(
    (
        "aa ab af am an ar as av ay az ba be bg bh bi bm bn bo br bs ca ce ch co cr cs cu cv cy da de dv dz ee el en eo es et "
        "eu fa ff fi fj fo fr fy ga gd gl gn gu gv ha he hi ho hr ht hu hy hz ia id ie ig ii ik io is it iu ja jv ka kg ki kj "
        "kk kl km kn ko kr ks ku kv kw ky la lb lg li ln lo lt lu lv mg mh mi mk ml mn mr ms mt my na nb nd ne ng nl nn no nr "
        "nv ny oc oj om or os pa pi pl ps pt qu rm rn ro ru rw sa sc sd se sg si sk sl sm sn so sq sr ss st su sv sw ta te tg "
        "th ti tk tl tn to tr ts tt tw ty ug uk ur uz ve vi vo wa wo xh yi yo za zh zu"
    ).split()
)
"""ISO 639-1."""
_WAYS = frozenset(("from", "to", "into"))
_SMALL = frozenset("a an and have in of that the to with your".split())
_TEMPLATE = pattern(r"(?i)(?:^|/)[^/]*templates?(?:/|\b)|<%|\{\{|\{%")


def apart(corpus: Corpus, one: RecordFacts, other: RecordFacts) -> bool:
    """Whether two records stand beside each other on purpose, as far as their places and titles say."""
    left, right = one.record, other.record
    if left.archived or right.archived or _grew_out(one, other):
        return True
    if left.title != right.title and (not left.title.strip("0123456789-_.: TZ") or _serial(one, other)):
        return True
    if left.stem != right.stem and _DAY.fullmatch(left.stem) and _DAY.fullmatch(right.stem):
        return True  # two days of a journal
    if any(_TEMPLATE.search(f"{record.path} {record.title}") for record in (left, right)):
        return True
    return left.path != right.path and (
        _other_edition(left.path, right.path)
        or parallel(corpus, left.path, right.path)
        or _of_versions(corpus, left.path, right.path)
    )


def _serial(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether two titles are numbered, or differ in signs alone: version, date, part, operator, language (C, C++)."""
    left, right = one.record.title, other.record.title
    parts = [_PART.match(title) for title in (left, right)]
    if parts[0] and parts[1] and parts[0][1] == parts[1][1] and parts[0][2] != parts[1][2]:
        return True
    return _SERIAL.findall(left) != _SERIAL.findall(right) or (
        one.title == other.title and (not word_list(left) or _SYMBOL.findall(left) != _SYMBOL.findall(right))
    )


def _other_edition(one: str, other: str) -> bool:
    """Whether two paths part at folders, or in an ending of the name, that stand for languages or versions."""
    left, right = (path.removesuffix(".md").split("/") for path in (one, other))
    pairs = [(mine, theirs) for mine, theirs in zip(left, right, strict=False) if mine != theirs]
    if not pairs:
        return False
    mine, theirs = pairs[0]
    if _VERSION.fullmatch(mine) and _VERSION.fullmatch(theirs):
        return True
    return (_language(mine) or _language(theirs)) is not None and (
        (_language(mine) is not None and _language(theirs) is not None)
        or mine.partition(".")[0] == theirs.partition(".")[0]
    )


def _language(part: str) -> str | None:
    """The code of a language that a part of a path names."""
    match = _LANGUAGE.fullmatch(part)
    return match["code"] if match is not None and match["code"] in _LANGUAGES else None


def parallel(corpus: Corpus, one: str, other: str) -> bool:
    """Whether two files of one name lie in folders that hold pages of the same names: translations, versions
    of a manual, the members of two classes.
    """
    (here, _, name), (there, _, other_name) = one.rpartition("/"), other.rpartition("/")
    if name != other_name or here == there:
        return False
    pair = (min(here, there), max(here, there))
    known: dict[tuple[str, str], bool] = corpus.shared.setdefault("parallel", {})
    if pair not in known:
        left, right = (_names_below(corpus, f"{folder}/" if folder else "") for folder in pair)
        same = len(left & right)
        known[pair] = (
            same > SAME_NAMES
            or (same > 1 and same * 2 >= min(len(left), len(right)))
            or _mirrored(corpus, *pair)
        )
    return known[pair]


def _names_below(corpus: Corpus, folder: str) -> set[str]:
    return set(corpus.listed(folder))


def _mirrored(corpus: Corpus, here: str, there: str) -> bool:
    """Whether two folders differ in one part of the path, and the folders that they differ in hold the same
    names.
    """
    left, right = here.split("/"), there.split("/")
    differ = [place for place, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]]
    if len(left) != len(right) or len(differ) != 1 or differ[0] == len(left) - 1:
        return False
    tops = ["/".join(parts[: differ[0] + 1]) for parts in (left, right)]
    names = [_names_below(corpus, f"{top}/") for top in tops]
    return len(names[0] & names[1]) >= SAME_NAMES


def _of_versions(corpus: Corpus, one: str, other: str) -> bool:
    """Whether two paths part at folders whose names differ in a number alone and that hold the same names: the
    manuals of two versions (`server2022`, `server2025`), whatever became of the names below.
    """
    left, right = one.split("/"), other.split("/")
    place = next((at for at, pair in enumerate(zip(left, right, strict=False)) if pair[0] != pair[1]), -1)
    if not 0 <= place < min(len(left), len(right)) - 1:
        return False
    if _NUMBER.sub("", left[place]) != _NUMBER.sub("", right[place]):
        return False
    names = [_names_below(corpus, "/".join((*parts[: place + 1], ""))) for parts in (left, right)]
    return len(names[0] & names[1]) >= SAME_NAMES


def _grew_out(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether one record grew out of the other: then likeness is meant."""
    return any(
        bool(sources := this.record.derived_from)
        and (that.record.address in sources or that.record.id in sources)
        for this, that in ((one, other), (other, one))
    )


def same_text(corpus: Corpus, one: RecordFacts, other: RecordFacts, share: float) -> str | None:
    """That two texts are the same, or a share (0 to 1) of their runs of four words is, in words; None where
    they are not, or where each text names a subject of its own.
    """
    equal = bool(one.digest) and one.digest == other.digest
    if not equal and sketched(one.sketch, other.sketch) < share - 0.25:
        return None
    left, right = (word_list(corpus.body(facts.record)) for facts in (one, other))
    alike = 1.0 if equal else resemblance(left, right)
    like_titled = set(one.title) == set(other.title)
    if alike < (max(share, SURE) if _is_wide(left) else share) or (
        min(len(" ".join(found)) for found in (left, right)) < (SHORT if equal else EDITED)
        and not like_titled
    ):
        return None
    if not equal and own_codes(corpus, one, other):
        return None
    if not like_titled and not equal:
        if _own_subjects(one, other, left, right) or _in_series(one, other) or _filled_in(left, right):
            return None
        said = set(content(left)) & set(content(right))
        if len(said - _usual(corpus, one, FORM)) < LONG_ENOUGH:
            return None
    return f"{'the same text' if equal else f'text {alike:.0%} the same'}, “{_shared(left, right)}”"


def _is_wide(found: Sequence[str]) -> bool:
    """Whether many words of a text are single characters of a script without blanks."""
    return sum(len(word) == 1 and word > "\u2fff" for word in found) > WIDE * len(found)


def _own_subjects(one: RecordFacts, other: RecordFacts, left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether each title has a word that its own text says and the other text does not."""
    mine, theirs = set(content(left)), set(content(right))
    own, others = set(one.title) - set(other.title), set(other.title) - set(one.title)
    return bool(own & (mine - theirs)) and bool(others & (theirs - mine))


def _in_series(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether two titles say nearly the same and each says something of its own: two laws, two regulations."""
    left, right = (set(word_list(facts.record.title)) for facts in (one, other))
    return bool(left - right and right - left) and len(left & right) >= SERIES * min(len(left), len(right))


def own_codes(corpus: Corpus, one: RecordFacts, other: RecordFacts) -> bool:
    """Whether each title names a code of its own (`E1042`, `not_equal_to`, `OpenFile`), as pages of a reference do;
    one without a digit counts where the text says it too, for names of files look like that as well.
    """
    left, right = (set(_NAME.findall(facts.record.title)) for facts in (one, other))
    return all(
        any(_is_code(word) and (_NUMBER.search(word) or word in corpus.body(facts.record)) for word in own)
        for facts, own in ((one, left - right), (other, right - left))
    )


def _is_code(word: str) -> bool:
    """Whether a part of a word is written as no word of a language is: digits or low lines in it, or a capital inside it."""
    return any(
        any(map(str.isalpha, part))
        and (
            "_" in part
            or any(map(str.isdigit, part))
            or (any(map(str.isupper, part[1:])) and not part.removesuffix("s").isupper())
        )
        for part in word.split("-")
    )


def _filled_in(left: Sequence[str], right: Sequence[str]) -> bool:
    """Whether two texts are one form with other words filled in: one page a product, a town, a day. Half of
    the places in which they differ are then the same words instead of the same others.
    """
    if max(len(left), len(right)) > COMPARED:
        return False
    matcher = SequenceMatcher(None, left, right, autojunk=False)
    changes = Counter(
        (tuple(left[start:end]), tuple(right[begin:stop]))
        for kind, start, end, begin, stop in matcher.get_opcodes()
        if kind != "equal"
    )
    repeated = sum(times for times in changes.values() if times > 1)
    return repeated * 2 >= changes.total() > 1


def _shared(left: Sequence[str], right: Sequence[str]) -> str:
    """The beginning of the longest run of words that two texts share."""
    match = SequenceMatcher(None, left[:LONG], right[:LONG], autojunk=False).find_longest_match()
    return cut(" ".join(left[match.a : match.a + match.size]), QUOTED)


def like_titles(corpus: Corpus, one: RecordFacts, other: RecordFacts) -> str | None:
    """That two records whose titles are alike are about one thing by their texts as well, in words."""
    if _NUMBER.findall(one.record.title) != _NUMBER.findall(other.record.title):
        return None
    if own_codes(corpus, one, other) or _turned(one, other):
        return None
    if one.record.stem != other.record.stem and all(
        is_titled_by_section(each.record) for each in (one, other)
    ):
        return None
    bodies = [corpus.body(facts.record) for facts in (one, other)]
    if any(_is_wide(word_list(body)) for body in bodies):
        return None
    usual = _usual(corpus, one, USUAL) | _usual(corpus, other, USUAL)
    left, right = (
        profile(facts.record.title, facts.keywords, body)
        for facts, body in zip((one, other), bodies, strict=True)
    )
    left, right = (
        each._replace(body={stem: times for stem, times in each.body.items() if stem not in usual})
        for each in (left, right)
    )
    both = (left.body.keys() & right.body.keys()) - left.subject
    same = word_list(bodies[0]) == word_list(bodies[1])
    if not same and (len(both) < SAID or min(len(left.body), len(right.body)) < LONG_ENOUGH):
        return None
    share = min(likeness(left, right, _alike), likeness(right, left, _alike))
    titles = [
        [word for word in word_list(facts.record.title) if word not in _SMALL] for facts in (one, other)
    ]
    near = titles[0] == titles[1] and _folder(one) == _folder(other)
    if share < (CLOSE if near else ELSEWHERE) or (set(titles[0]) != set(titles[1]) and not same):
        return None
    telling = sorted(both or left.body, key=lambda stem: (-len(stem), stem))
    return f"like titles, and texts that share {', '.join(telling[:5])}" if telling else None


def _turned(one: RecordFacts, other: RecordFacts) -> bool:
    """Whether two titles go from one thing to another, in opposite ways."""
    left, right = (word_list(facts.record.title) for facts in (one, other))
    return left != right and sorted(left) == sorted(right) and not _WAYS.isdisjoint(left)


def _folder(one: RecordFacts) -> str:
    return one.record.path.rpartition("/")[0]


def _alike(stem: str) -> float:
    """Every stem counts the same: those that all pages of a folder have are left out already."""
    return 1.0


def _usual(corpus: Corpus, one: RecordFacts, share: float) -> set[str]:
    """The stems that more than a share of the records beside one have: the words of a form, not of a subject."""
    known: dict[str, tuple[int, Counter[str]]] = corpus.shared.setdefault("usual", {})
    folder = _folder(one)
    if folder not in known:
        slash = f"{folder}/" if folder else ""
        names = [name for name in corpus.names(slash) if name.endswith(".md")]
        step = max(1, len(names) // SIBLINGS)
        bodies = [
            record.body
            for name in names[::step][:SIBLINGS]
            for record in corpus.parsed_once(slash + name).records[:SIBLINGS]
        ]
        known[folder] = (
            len(bodies),
            Counter(stem for body in bodies for stem in set(content(word_list(body)))),
        )
    size, count = known[folder]
    return {stem for stem, times in count.items() if times > max(3.0, share * size)}
