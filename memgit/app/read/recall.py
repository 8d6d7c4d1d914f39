"""Recall: what a message calls for.

Mem Skill's steps 1 to 4 on stems (keywords, topic switch, experience of skills, categories), then the records
of every kind that have to do with the message, found by the search engine and held to a floor of relevance.
What a session was shown already is kept under the git directory.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import lru_cache
from shlex import quote

from memgit import TYPE_CHECKING
from memgit.app.read import usage
from memgit.app.read.reader import CachedReader
from memgit.app.read.relevance import FLOOR, is_chatter, relevance, weighed
from memgit.app.read.search import ranked
from memgit.app.workspace import Context, Workspace
from memgit.cache.rows import group_of
from memgit.cache.search import Query, holding
from memgit.derive.categories import known_keywords
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.view import View
from memgit.errors import BadInput, Refused
from memgit.git import leftovers
from memgit.git.write_all import replace_file
from memgit.lint.alike.likeness import content, stem, words
from memgit.model import topic
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Record, Value
from memgit.model.tokens import estimate

if TYPE_CHECKING:
    from typing import Any

DEFAULT_SESSION = "default"
KEPT_SESSIONS = 200
CANDIDATES = 12
"""Results of the search that are looked at."""
MAX_WHOLE_CATEGORY = 10
"""Records of a category that a keyword of it recalls as a whole; of a larger one, only those over the floor."""
MAX_SHOWN, MAX_NAMED = 5, 6
MAX_LOADED = 2000
MIN_SHARE = 30
"""Tokens below which a record is named rather than cut."""
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Shown(NamedTuple):
    """One record that is shown: its relevance, and its text, perhaps cut (see `cut`) to fit."""

    record: Record
    relevance: float
    text: str
    cut: bool

    def as_json(self) -> dict[str, Any]:
        return {
            **_named(self.record),
            "relevance": round(self.relevance, 2),
            "text": self.text,
            "cut": self.cut,
        }

    def as_text(self) -> str:
        record = self.record
        lines = [f"## {record.title}", f"({record.address}{_dated(record)})"]
        lines += [record.text("context") or ""] if record.text("context") else []
        lines += ["", self.text] if self.text else []
        return "\n".join(lines + ([f"(cut: memgit show {quote(record.address)})"] if self.cut else []))


class Recalled(NamedTuple):
    """The answer to one message.

    Attributes:
        switch: why the topic counts as new, None where it does not.
        matched: the categories that match, now or on an earlier turn of the topic.
        shown: the records that are shown, the most relevant first.
        rest: the heads of those that fit as well and had no room.
        already: those that fit and were shown in this session before.
        missing: skills that were named and have no experience.
        suggestion: what to do where a new topic finds nothing.
        tokens: of the text form.
        notes: for standard error.
        named: how many of the rest the text form names; below 0 it does not speak of them.
    """

    session: str
    keywords: tuple[str, ...]
    switch: str | None
    matched: tuple[str, ...]
    shown: tuple[Shown, ...]
    rest: tuple[Record, ...]
    already: tuple[Record, ...]
    missing: tuple[str, ...]
    suggestion: str | None
    revision: str | None
    fresh: bool
    notes: tuple[str, ...] = ()
    named: int = MAX_NAMED

    def within(self, limit: int) -> Recalled:
        """The same with as many names as there is room for beside what is shown."""
        found = self
        while found.named >= 0 and found.tokens > limit:
            found = found._replace(named=found.named - 1)
        return found

    @property
    def tokens(self) -> int:
        return estimate(self.as_text())

    def as_text(self) -> str:
        """What a model reads; empty where nothing fits."""
        if not self.shown:
            return ""
        parts = [one.as_text() for one in self.shown]
        if self.rest and self.named >= 0:
            parts.append(_more(self.rest, self.named))
        return "\n\n".join(parts)

    def as_json(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "keywords": list(self.keywords),
            "fingerprint": list(self.keywords[:3]),
            "topic_switch": self.switch is not None,
            "reason": self.switch,
            "matched": list(self.matched),
            "records": [one.as_json() for one in self.shown],
            "rest": [_named(record) for record in self.rest],
            "already_loaded": [record.address for record in self.already],
            "missing_skills": list(self.missing),
            "suggestion": self.suggestion,
            "tokens": self.tokens,
            "revision": self.revision,
            "fresh": self.fresh,
        }


def _named(record: Record) -> dict[str, Any]:
    return {"address": record.address, "title": record.title, "kind": record.kind, "id": record.id}


def _dated(record: Record) -> str:
    day = record.updated or record.created or (record.text("at") or "")[:10]
    status = record.text("status") if record.kind == "decision" else None
    return "".join(f", {text}" for text in (status, day) if text)


def _more(rest: Sequence[Record], count: int = MAX_NAMED) -> str:
    """The first records of those that had no room, named with the command that shows them, and how many more."""
    named = [f"- memgit show {quote(record.address)}" for record in rest[:count]]
    more = [f"- and {len(rest) - count} more"] if len(rest) > count else []
    return "\n".join(["Also relevant:", *named, *more])


class State(NamedTuple):
    """What a session remembers: the keywords of the last turn (None before the first), matched categories, and
    the records that were shown, by id or address.
    """

    keywords: tuple[str, ...] | None = None
    matched: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()


class Category(NamedTuple):
    """One category or skill file: its key, path and keywords."""

    key: str
    path: str
    keywords: tuple[str, ...]

    @property
    def stems(self) -> frozenset[str]:
        return stems_of("\n".join((self.key, *self.keywords)))


def recall(
    workspace: Workspace,
    context: Context,
    text: str,
    *,
    session: str | None = None,
    skills: Sequence[str] = (),
    read: bool = True,
    again: bool = False,
    at: str | None = None,
    max_tokens: int | None = None,
) -> Recalled:
    """What a message calls for: on a new topic, the records that have to do with it, of every kind; and the
    experience of the skills that are used or named, whatever the topic.

    Args:
        session: its name; a record is shown once in it. A message that speaks of nothing (thanks, "go on") is
            no turn of it.
        skills: skills that are used this turn.
        read: count the first showing of a record in a session as a read.
        again: show what the message calls for as on a new topic, also what this session was shown before.
        at: answer as of a revision. Looking back is not a turn of a session: none is read or changed, and
            nothing is counted.
        max_tokens: of the text form; by default as configured.

    Raises:
        BadInput: an empty message, or a session name that cannot be a file name.
        NotFound: no such revision.
    """
    if not text.strip() and not skills:
        raise BadInput("there is nothing to recall for", hint="memgit recall 'what the task is about'")
    name = session or context.run or DEFAULT_SESSION
    if not _NAME.fullmatch(name):
        raise BadInput(
            f"{name!r} cannot be the name of a session", hint="letters, digits, dots, dashes and underscores"
        )
    repo = workspace.require_repository()
    path = os.path.join(repo.git_dir, "memgit", "sessions", f"{name}.json")
    state = _recall_state(path) if at is None else State()
    chatter = is_chatter(text)
    reader, hits = ranked(workspace, Query(text, limit=0 if chatter else CANDIDATES), at=at)
    turn = _Turn(reader, [hit.record for hit in hits], text, skills, state, again=again, chatter=chatter)
    limit = workspace.config.recall_tokens if max_tokens is None else max_tokens
    fresh = [one for one in turn.found if key_of(one[0]) not in turn.known]
    shown, rest = fitted(fresh, limit)
    notes: tuple[str, ...] = ()
    if at is None and not (chatter and not shown):
        first = [one.record for one in shown if key_of(one.record) not in state.loaded]
        loaded = (*state.loaded, *map(key_of, first))
        notes = _keep_state(path, State(turn.last, turn.matched, loaded[-MAX_LOADED:]))
        if first and read:
            _count_reads(workspace, context, first)
    nothing = not turn.found and turn.switch is not None and not chatter and not turn.matched
    return Recalled(
        name,
        turn.keywords,
        turn.switch,
        turn.matched,
        shown,
        rest,
        tuple(record for record, _ in turn.found if key_of(record) in turn.known),
        turn.missing,
        _suggestion(text) if nothing else None,
        reader.revision,
        reader.fresh,
        notes,
    ).within(limit)


class _Turn:
    """One message of a session: its keywords, whether the topic is new, and what has to do with it.

    Attributes:
        found: records with their relevance, experience of named skills first, then the most relevant first.
        known: those that this session was shown before.
        last: the keywords that the session remembers.
    """

    def __init__(
        self,
        reader: CachedReader,
        hits: Sequence[Record],
        text: str,
        skills: Sequence[str],
        state: State,
        *,
        again: bool,
        chatter: bool,
    ) -> None:
        self._reader = reader
        self._text = text
        categories, experiences = files_of(reader, "knowledge"), files_of(reader, "experience")
        vocabulary = [word for category in categories for word in category.keywords]
        self.keywords = () if chatter else tuple(topic.keywords(text, vocabulary))
        self.switch = None if chatter else switched(text, self.keywords, state.keywords)
        self.last = self.keywords if not chatter else state.keywords
        self.known = frozenset() if again else frozenset(state.loaded)
        looking = (self.switch is not None or again) and not chatter
        matched = [one for one in categories if matches(one, text)] if looking else []
        self.matched = tuple(one.key for one in matched) if looking else state.matched
        named = [one for one in experiences if one.key in skills or spoken(text, one.key)]
        self.missing = tuple(skill for skill in skills if all(one.key != skill for one in experiences))
        self.found = [(record, 1.0) for one in named for record in self._entries(one)]
        if looking:
            groups = {one.path: one.stems for one in (*categories, *experiences)}
            self.found += self._relevant(hits, matched, groups)
        self.found = list(
            {key_of(record): (record, share) for record, share in reversed(self.found)}.values()
        )
        self.found.reverse()

    def _entries(self, file: Category) -> list[Record]:
        heads = self._reader.snapshot.file(file.path)
        return [self._reader.load(head) for head in heads if not head.archived]

    def _relevant(
        self, hits: Sequence[Record], matched: Sequence[Category], groups: Mapping[str, frozenset[str]]
    ) -> list[tuple[Record, float]]:
        """What is relevant among what was found; of a small category that people gave keywords, everything."""
        reader = self._reader
        snapshot = reader.snapshot
        message = weighed(self._text, snapshot.total(), lambda word: holding(snapshot, word))
        small = [
            record
            for one in matched
            if one.keywords and snapshot.size(one.path) <= MAX_WHOLE_CATEGORY
            for record in self._entries(one)
        ]
        sure = set(map(key_of, small))
        full = {key_of(record): record for record in (*(reader.load(hit) for hit in hits), *small)}
        scored = [
            (record, relevance(message, record, groups.get(record.path) or stems_of(group_of(record))))
            for record in full.values()
        ]
        scored.sort(key=lambda one: (-one[1], one[0].address))
        return [one for one in scored if one[1] >= FLOOR or key_of(one[0]) in sure]


def key_of(record: Record) -> str:
    """What a session knows a record by: a version of its own is another record."""
    return f"{record.id or record.address}@{record.version or 1}"


@lru_cache(4096)
def stems_of(text: str) -> frozenset[str]:
    return frozenset(content(words(text)))


def switched(text: str, now: Sequence[str], last: Sequence[str] | None) -> str | None:
    """Why a message turns to another topic, None where it stays; keywords compare on stems."""
    before = None if last is None else [_stemmed(word) for word in last]
    return topic.switch_reason(text, [_stemmed(word) for word in now], before)


@lru_cache(4096)
def _stemmed(text: str) -> str:
    return " ".join(map(stem, words(text)))


def spoken(text: str, keyword: str) -> bool:
    """Whether a text speaks of a keyword: its words stand in the text side by side, in any of their forms."""
    return bool(wanted := _stemmed(keyword)) and f" {wanted} " in f" {_stemmed(text)} "


def matches(category: Category, text: str) -> bool:
    """Whether a message speaks of one of a category's keywords, or of the category by name."""
    return any(spoken(text, word) for word in (*category.keywords, category.key))


def fitted(found: Sequence[tuple[Record, float]], limit: int) -> tuple[tuple[Shown, ...], tuple[Record, ...]]:
    """The records that there is room for, and the rest.

    The first may take two thirds of the room beside the names of the others (all where there are none), each
    further one half of what is left; none is cut to less than `MIN_SHARE` tokens.
    """
    shown: list[Shown] = []
    rest: list[Record] = []
    names = estimate(_more([record for record, _ in found[1:]])) if len(found) > 1 else 0
    room = limit - min(names, limit // 3)
    for record, score in found:
        share = room if len(found) == 1 else room * 2 // 3 if not shown else room // 2
        one = cut(record, score, share) if len(shown) < MAX_SHOWN and share >= MIN_SHARE else None
        if one is None:
            rest.append(record)
            continue
        shown.append(one)
        room -= estimate(one.as_text())
    return tuple(shown), tuple(rest)


def cut(record: Record, score: float, limit: int) -> Shown | None:
    """A record in at most so many tokens: whole, or cut after a line; None where not even its head fits."""
    whole = Shown(record, score, record.body, False)
    if estimate(whole.as_text()) <= limit:
        return whole
    bare = whole._replace(text="", cut=True)
    spare = limit - estimate(bare.as_text()) - 1
    if spare < MIN_SHARE // 2:
        return None
    kept: list[str] = []
    for line in record.body.split("\n"):
        spare -= estimate(line) + 1 if line.strip() else 0
        if spare < 0:
            break
        kept.append(line)
    if sum(line.lstrip().startswith("```") for line in kept) % 2:
        kept.append("```")
    return bare._replace(text="\n".join(kept).rstrip())


def _suggestion(text: str) -> str:
    """What to do where nothing fits a new topic."""
    return f"no record is about this; memgit search -- {quote(text[:200])} looks closer"


def files_of(reader: CachedReader, kind: str) -> list[Category]:
    """The files of a kind of entries with the keywords that the files and the index give them."""
    snapshot = reader.snapshot
    kept = reader.workspace.kept if reader.fresh else {}
    if (snapshot.commit, kind) not in kept:
        spec = KNOWLEDGE if kind == "knowledge" else EXPERIENCE
        kept[snapshot.commit, kind] = [Category(*found) for found in known_keywords(ReaderView(reader), spec)]
    files: list[Category] = kept[snapshot.commit, kind]
    return files


class ReaderView(View):
    """A cached reader's files as `derive` looks at them; the texts of records are left out."""

    def __init__(self, reader: CachedReader) -> None:
        super().__init__(reader.workspace.layout, reader.files)
        self._reader = reader
        kinds = ("knowledge", "experience")
        self._metas = {path: meta for kind in kinds for path, _, meta in reader.snapshot.metas(kind)}

    def known_meta(self, path: str) -> Mapping[str, Value]:
        return self._metas.get(path, {})

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        return ParsedFile(tuple(self._reader.snapshot.file(path)), (), self.known_meta(path))


def _recall_state(path: str) -> State:
    try:
        with open(path, encoding="utf-8") as file:
            data = json.load(file)
        last = data["keywords"]
        return State(
            None if last is None else tuple(map(str, last)),
            tuple(map(str, data["matched"])),
            tuple(map(str, data["loaded"])),
        )
    except (OSError, ValueError, KeyError, TypeError):
        return State()


def _keep_state(path: str, state: State) -> tuple[str, ...]:
    """Writes the session; the oldest sessions go where there are too many. A note where it cannot be written."""
    folder = os.path.dirname(path)
    try:
        replace_file(path, json.dumps(state._asdict()).encode())
        leftovers.sweep(folder)
        names = [os.path.join(folder, name) for name in os.listdir(folder)]
        for old in sorted(names, key=os.path.getmtime)[: max(0, len(names) - KEPT_SESSIONS)]:
            os.unlink(old)
    except OSError as error:
        return (f"this session cannot be kept, its next turn starts anew: {path}: {error.strerror}",)
    return ()


def _count_reads(workspace: Workspace, context: Context, records: Sequence[Record]) -> None:
    """One commit on the usage ref for the records that were shown; where git knows no identity, or nothing can
    be written, nothing is counted.
    """
    with suppress(Refused, OSError):
        usage.count(workspace, context, "read", records)
