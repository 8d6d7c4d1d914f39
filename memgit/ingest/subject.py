"""What a document is about: the name that titles carry, and the word that names a category."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from typing import NamedTuple

from memgit.formats.messages.message import cut
from memgit.ingest.keywords import NOISE
from memgit.ingest.plain import MAX_SUBJECT, plain
from memgit.model.overlap import telling
from memgit.model.terms import STOP, words

MAX_CHARACTERS = 200_000
"""Characters of a text that are looked at."""
MAX_ABOUT = 40
MIN_USES = 3
"""So often a text names the package or the word that it is about."""
_PACKAGE = re.compile(
    r"(?:\b(?:npm (?:install|i|add)|yarn add|pnpm (?:add|install)|bun add|pip3? install|pipx install|cargo (?:add|install)|gem install"
    r"|brew install|uv add|poetry add)(?:[ \t]+-[\w-]+)*[ \t]+[\"']?(?P<got>@?[A-Za-z][\w./-]*)"
    r"|\bfrom[ \t]+['\"](?P<js>@?[A-Za-z][\w./-]*)['\"]"
    r"|\brequire\(['\"](?P<cjs>@?[A-Za-z][\w./-]*)['\"]\)"
    r"|^[ \t]*@(?P<deco>[a-z_]\w*)\.\w|^[ \t>]*from[ \t]+(?P<py>[A-Za-z_]\w*)[\w.]*[ \t]+import\b"
    r"|^[ \t>]*import[ \t]+(?P<mod>[A-Za-z_]\w*)[\w.]*[ \t]*(?:as \w+)?$)",
    re.MULTILINE,
)
_NAME = re.compile(r"(?<=[a-z,;] )[A-Z][\w+#-]{2,}")
"""A word that is spelled as a name within a sentence."""
_CASED = re.compile(r"\b\w*[a-z]\w*[A-Z]\w*|\b[A-Z]{2}\w*")
"""A word of a title whose letters say that it is a name: `DevSecOps`, `DNS`."""
MAX_NAMES = 12
SLICES = 4
"""Parts of a text, most of which speak of what it is about."""
_EVERYWHERE = frozenset(
    """
    os sys re json time datetime typing pathlib logging unittest pytest asyncio math random collections functools itertools
    subprocess io property staticmethod app string copy fs path http https util url react vue express lodash numpy
    pandas dataclasses abc contextlib warnings enum node
    """.split()
)
"""Packages that many texts import and few are about."""
_PARTS = re.compile(r"\s*(?::\s|\s[-\u2013\u2014|]\s)")
_LEAD = re.compile(
    r"^\d{4}-\d\d-\d\d\s*|^(?:chapter|part|section|lesson|unit|step|module)\s+\d+\s*[-:.\u2013\u2014]\s*",
    re.IGNORECASE,
)
_MONTHS = frozenset("jan feb mar apr may jun jul aug sep oct nov dec".split())
_SERIES = re.compile(r"([A-Za-z]{2,8})[-_ ]?\d{1,6}")
_SITE = re.compile(r"\s+[|\u00b7\u2022]\s+[^|]{1,40}$")
"""The name of a site behind the title of a page."""
_GENERIC_NAMES = frozenset(
    """
    readme index main utils util helpers common types models home page document untitled notes note test tests lib core base docs
    conversations conversation transcript chat example sample demo text
    memory source export report summary abstract introduction contents overview
    """.split()
)
"""File names and titles that say nothing about the subject."""
_GENERIC_WORDS = frozenset(
    """
    guide tutorial introduction overview using getting started how report incident postmortem post-mortem analysis reference manual
    documentation options api readme notes part chapter version update release support create remove add best new enabling running
    context decision status consequences summary abstract list table buy use import write read run build make install provision
    remove improve note case study model matter approach page issue phase test outside inside toward about case-study
    outage review audit proposal incident failure bug error sell time weekly edition survey finding findings day page
    """.split()
)
"""Words of titles that name a kind of text, and not what it is about."""


class Subject(NamedTuple):
    """What a document is about: its name in titles of its parts, and one word or two for a category; empty
    where neither is known.
    """

    name: str
    about: str


def subject_of(
    title: str, text: str, skip: frozenset[str] = frozenset(), tag: str = "", series: str = ""
) -> Subject:
    """The subject of a document.

    Args:
        title: of the document, plain; the name of its file where it has none.
        skip: words that are no subject, such as the names of those who speak.
        tag: the word that its author filed it under; it counts where the text uses it.
        series: what its file is one of, see `numbered`.
    """
    sample = text[:MAX_CHARACTERS]
    package = package_of(sample)
    name = "" if is_generic(title) else short_name(title)
    if package:
        own = telling(name)
        if not own:
            name = package
        elif len(own) <= 2 and not telling(package) & own:
            name = f"{package}: {name}" if len(own) > 1 else f"{package} {name[:1].lower()}{name[1:]}"
    about = package or series or (tag if _uses(sample, tag) >= MIN_USES else "")
    return Subject(name, about or _about(name, sample, skip))


def numbered(stem: str) -> str:
    """The series that a file's name is a number of, such as `rfc` of `rfc-2119`; empty where it is none."""
    match = _SERIES.fullmatch(stem)
    return (
        match[1].lower()
        if match is not None and not is_generic(match[1]) and _names(match[1].lower())
        else ""
    )


def undated(stem: str) -> str:
    """What the name of a log says without its date: the series of meetings or the channel that it is one of."""
    parts = [
        part for part in re.split(r"[-_. ]+", stem) if part.isalpha() and part.casefold()[:3] not in _MONTHS
    ]
    name = "-".join(parts)
    return "" if is_generic(" ".join(parts)) else name[:MAX_ABOUT].casefold()


def _uses(text: str, word: str) -> int:
    """How often a text says a word, or another form of it."""
    stem = word.casefold().rstrip("s")
    return text.casefold().count(stem) if stem else 0


def subject_of_code(title: str, text: str) -> Subject:
    """The subject of source code: the package that its first words name, else its file; where the file's name says
    nothing, the package that it uses the most.
    """
    match = re.match(r"\W*([a-z_]\w*)\.\w[\w.]*\s*$", text[:300].lstrip("\"'#/* \n").partition("\n")[0])
    stem = title.partition(".")[0]
    if match is not None:
        return Subject(match[1], match[1])
    package = package_of(text) if is_generic(stem) else ""
    return Subject(package, package or ("" if is_generic(stem) else stem))


def is_generic(title: str) -> bool:
    """Whether a title or the name of a file says nothing about the subject."""
    return not set(words(title)) - _GENERIC_NAMES


def short_name(title: str) -> str:
    """A title as the name of a subject: one that is too long is cut at a colon or dash, else after a word."""
    bare = _SITE.sub("", _LEAD.sub("", plain(title))).rstrip("!.?: ")
    if len(bare) <= MAX_SUBJECT:
        return bare
    first = _PARTS.split(bare)[0]
    if len(first) <= MAX_SUBJECT and telling(first):
        return first
    kept = bare[:MAX_SUBJECT].rpartition(" ")[0]
    while kept and not telling(kept.rpartition(" ")[2]):
        kept = kept.rpartition(" ")[0]
    return kept


def package_of(text: str) -> str:
    """The package that the code of a text installs or imports the most, where the text is about it."""
    counts: Counter[str] = Counter()
    for match in _PACKAGE.finditer(text):
        raw = next(group for group in match.groups() if group is not None)
        name = "/".join(raw.split("/")[: 2 if raw.startswith("@") else 1])
        if name.casefold() not in _EVERYWHERE:
            counts[name.rstrip(".")] += 1
    for name, count in counts.most_common(3):
        uses = len(re.findall(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text, re.IGNORECASE))
        if uses >= MIN_USES and (count > 1 or uses >= 2 * MIN_USES):
            return name
    return ""


def _about(name: str, text: str, skip: frozenset[str]) -> str:
    """The word of a title that the text uses the most, with the one beside it where they go together; else the
    proper name that the text uses the most.
    """
    lowered = text.casefold()
    said = telling(name)
    own = [word for word in words(name) if word in said and _names(word)]
    counts = Counter(words(lowered))
    for one, other in pairwise(own):
        together = lowered.count(f"{one} {other}")
        if together >= MIN_USES and together * 2 >= max(counts[one], counts[other]):
            return f"{one} {other}"
    cased = {word.casefold() for word in _CASED.findall(name)}
    best = max(
        own,
        key=lambda word: (word in cased and counts[word] >= MIN_USES, counts[word], -own.index(word)),
        default="",
    )
    if best and counts[best] >= MIN_USES:
        return cut(best, MAX_ABOUT)
    names = Counter(name.casefold() for name in _NAME.findall(text))
    size = len(lowered) // SLICES + 1
    slices = [lowered[start : start + size] for start in range(0, len(lowered), size)]
    return next(
        (
            cut(name, MAX_ABOUT)
            for name, count in names.most_common(MAX_NAMES)
            if count > MIN_USES
            and name not in skip | NOISE | STOP
            and _names(name)
            and sum(name in part for part in slices) > SLICES // 2
        ),
        "",
    )


def _names(word: str) -> bool:
    """Whether a word may name a subject."""
    return (
        len(word) > 2
        and word not in _GENERIC_WORDS
        and not word.endswith("ly")
        and not any(char.isdigit() for char in word)
    )
