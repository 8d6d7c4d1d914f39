"""Terms, topic and summary of a segment."""

from __future__ import annotations

import re

from memgit.formats.messages.message import cut
from memgit.ingest.boilerplate import is_layout
from memgit.ingest.plain import plain
from memgit.model.terms import STOP, key_terms, words

SUMMARY = 60
"""Columns of a summary."""
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
MACHINE_MADE = re.compile(r"[\d.,:/x-]+[a-z]{0,3}|[0-9a-f]{7,}|[0-9a-f-]{20,}|[a-z]?\d+-\w+")
"""Numbers, sizes, hashes and identifiers made by machines."""
NOISE = frozenset(
    """
    false true null none nil undefined string strings number numbers object objects array arrays boolean booleans function functions
    type types value values return returns example examples e.g i.e etc note notes default option options default param params
    parameter parameters argument arguments license licence http https www com org readme click table contents const require import
    export console.log usage install installation description name names following given above below section file files line lines
    self todo fixme code page pages item items thing things something anything everything today yesterday tomorrow without already
    sometimes always never often usually really actually probably maybe perhaps quite rather simply basically currently recently
    different various several certain general specific particular possible available important interesting useful common similar
    existing additional appropriate necessary current previous next first second third last final another others around because
    before during while although however therefore instead anyway otherwise together likely better using used works working running
    going getting making taking coming looking trying wanted needs allow allows allowed provide provides provided include includes
    including included consider contains containing applying applied change changes changed setting settings people person someone
    chapter content document documents details information overview introduction summary background context decision status
    consequences postmortem resolution conclusion accepted feature features result results reason reasons problem problems question
    questions answer answers issue issues start started begin beginning end ended create created creates update updated remove
    removed write written read reading support supported supports version versions simple basic advanced multi multiple single full
    whole right wrong think thought learn great small large little surprising opportunity write-up afaiui hello world lorem ipsum
    dolor code-block eval-rst list lists text texts time times month months year years week weeks hour hours minute minutes
    """.split()
)
"""Words that nobody searches for."""


def terms_of(text: str) -> list[str]:
    """Three to five key terms; shorter words count where longer ones do not give three."""
    found = key_terms(text, TERMS)
    if len(found) < 3:
        found += [term for term in key_terms(text, TERMS, 3) if term not in found]
    return found[:TERMS]


def keywords(title: str, text: str, subject: str, skip: frozenset[str] = frozenset()) -> list[str]:
    """Three to five terms that a person would search for: what the title and the document are called, then
    the key terms of the text that are no words of every text. `skip` are others that nobody searches for.
    """
    told = [term for term in key_terms(f"{title}.", TERMS) if _telling(term)]
    held = {*words(text), *words(title)}
    named = [
        word
        for word in words(subject)
        if len(word) > 2 and word in held and word not in STOP and _telling(word)
    ]
    found = [term for term in key_terms(text, TERMS * 4) if _telling(term)]
    return list(dict.fromkeys(term for term in (*told[:2], *named[:1], *found) if term not in skip))[:TERMS]


def telling_terms(text: str, limit: int = 8) -> list[str]:
    """The key terms of a text that say what it is about, the weightiest first."""
    return [term for term in key_terms(text, limit * 3) if _telling(term)][:limit]


def _telling(term: str) -> bool:
    """Whether a term says what a text is about, and is not a value, an address or a word of every text."""
    bare = term.strip("._-/#+")
    return (
        term not in NOISE
        and bare not in NOISE
        and not MACHINE_MADE.fullmatch(bare)
        and "//" not in term
        and term.count("/") < 2
        and not term.endswith((".com", ".org", ".io", ".html"))
    )


def topic_of(folders: tuple[str, ...], terms: list[str]) -> str:
    """The topic: the folders of the file but for those whose names say nothing, else the first two key terms."""
    telling = [folder for folder in folders if folder.lower() not in _PLAIN_FOLDERS]
    return "/".join(telling) if telling else "/".join(terms[:2])


def summary_of(text: str, width: int = SUMMARY) -> str:
    """The first line that says something, without the marks of its markup, in at most so many columns."""
    for raw in text.split("\n"):
        line = raw[:1000]
        if is_layout(line):
            continue
        while (match := _MARKS.match(line)) and match.end():
            line = line[match.end() :]
        said = plain(line.removesuffix('"""')).rstrip()
        if any(char.isalnum() for char in said):
            return cut(said, width)
    return ""
