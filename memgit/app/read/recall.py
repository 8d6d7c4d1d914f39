"""Recall: what to load for a message.

Mem Skill's steps 1 to 4, with what a session has loaded already kept under the git directory.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence

from memgit import TYPE_CHECKING
from memgit.app.read import usage
from memgit.app.read.reader import Reader, open_reader
from memgit.app.read.record_json import record_json
from memgit.app.workspace import Context, Workspace
from memgit.errors import BadInput, Refused
from memgit.git.commit import leftovers
from memgit.model import topic
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import ParsedFile, Record

if TYPE_CHECKING:
    from typing import Any

DEFAULT_SESSION = "default"
KEPT_SESSIONS = 200
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}")


class Loaded(NamedTuple):
    """One file that is loaded: what it is (`knowledge` or `experience`), its category or skill, path and
    records in use.
    """

    kind: str
    name: str
    path: str
    records: tuple[Record, ...]


class Recalled(NamedTuple):
    """The answer to one message.

    Attributes:
        switch: why the topic counts as new, None where it does not.
        matched: the categories that match, loaded before or now.
        loaded: what was not loaded in this session before.
        already: what this message calls for too and was loaded before, without its records.
        missing: skills that were named and have no experience.
        suggestion: what to do where no category matches on a new topic.
    """

    session: str
    keywords: tuple[str, ...]
    switch: str | None
    matched: tuple[str, ...]
    loaded: tuple[Loaded, ...]
    already: tuple[Loaded, ...]
    missing: tuple[str, ...]
    suggestion: str | None
    revision: str | None
    fresh: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "session": self.session,
            "keywords": list(self.keywords),
            "fingerprint": list(self.keywords[:3]),
            "topic_switch": self.switch is not None,
            "reason": self.switch,
            "matched": list(self.matched),
            "loaded": [
                {
                    "kind": file.kind,
                    "name": file.name,
                    "path": file.path,
                    "records": [record_json(record) for record in file.records],
                }
                for file in self.loaded
            ],
            "already_loaded": [
                {"kind": file.kind, "name": file.name, "path": file.path} for file in self.already
            ],
            "missing_skills": list(self.missing),
            "suggestion": self.suggestion,
            "revision": self.revision,
            "fresh": self.fresh,
        }


class State(NamedTuple):
    """What a session remembers: the keywords of the last turn (None before the first), matched categories,
    loaded paths.
    """

    keywords: tuple[str, ...] | None = None
    matched: tuple[str, ...] = ()
    loaded: tuple[str, ...] = ()


class Category(NamedTuple):
    """One category or skill file: its key, path and keywords."""

    key: str
    path: str
    keywords: tuple[str, ...]


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
) -> Recalled:
    """What a message calls for.

    Args:
        session: its name; one file is loaded once in it.
        skills: skills that are used this turn; their experience is loaded whatever the topic.
        read: count the first load of a file in a session as a read.
        again: load what the message calls for as on a new topic, also what this session has loaded before.
        at: answer as of a revision. Looking back is no turn of a session: none is read or changed, and
            nothing is counted.

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
    reader = open_reader(workspace, at)
    categories = files_of(reader, "knowledge")
    experiences = files_of(reader, "experience")
    now = topic.keywords(text, [word for category in categories for word in category.keywords])
    switch = topic.switch_reason(text, now, state.keywords)
    matched = list(state.matched)
    if switch is not None or again:
        matched = [category.key for category in categories if matches(category, text, now)]
    named = [
        *skills,
        *(found.key for found in experiences if found.key not in skills and topic.holds(text, found.key)),
    ]
    wanted = [("experience", found) for found in experiences if found.key in named]
    if text.strip():
        wanted += [("knowledge", found) for found in categories if found.key in matched]
    known = () if again else state.loaded
    loaded = tuple(
        Loaded(
            kind,
            found.key,
            found.path,
            tuple(record for record in reader.file(found.path).records if not record.archived),
        )
        for kind, found in wanted
        if found.path not in known and (kind == "experience" or switch is not None or again)
    )
    already = tuple(Loaded(kind, found.key, found.path, ()) for kind, found in wanted if found.path in known)
    missing = tuple(skill for skill in skills if all(found.key != skill for found in experiences))
    suggestion = None
    if switch is not None and not matched and now and text.strip():
        suggestion = _suggestion(workspace, text, now)
    if at is None:
        first = [file for file in loaded if file.path not in state.loaded]
        _keep_state(
            path,
            State(
                tuple(now) if text.strip() else state.keywords,
                tuple(matched),
                (*state.loaded, *(file.path for file in first)),
            ),
        )
        if first and read:
            _count_reads(workspace, context, first)
    return Recalled(
        name,
        tuple(now),
        switch,
        tuple(matched),
        loaded,
        already,
        missing,
        suggestion,
        reader.revision,
        reader.fresh,
    )


def _suggestion(workspace: Workspace, text: str, now: Sequence[str]) -> str:
    """What to do where no category matches."""
    from shlex import quote

    if not workspace.layout.of("knowledge"):
        return (
            f"this workspace has no categories to recall; memgit search -- {quote(text)} looks through "
            "all records"
        )
    words = ", ".join(now)
    made = f"memgit record knowledge TITLE --category NAME --category-keywords {quote(words)}"
    return f"no category has one of these keywords: {words}; a new one: {made}"


def matches(category: Category, text: str, now: Sequence[str]) -> bool:
    """Whether a category matches: one of its keywords, as a whole and in any case, is a keyword of the
    message or stands in it.
    """
    return any(
        word.casefold() in now or topic.holds(text, word) for word in (*category.keywords, category.key)
    )


def files_of(reader: Reader, kind: str) -> list[Category]:
    """The files of a kind of entries with the keywords that the files and the index give them."""
    from memgit.derive.categories import known_keywords
    from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
    from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE

    spec = KNOWLEDGE if kind == "knowledge" else EXPERIENCE
    return [Category(*found) for found in known_keywords(ReaderView(reader), spec)]


class ReaderView:
    """A reader's files as `derive` looks at them."""

    def __init__(self, reader: Reader) -> None:
        self._reader = reader
        self.layout = reader.workspace.layout

    def names(self, folder: str) -> Sequence[str]:
        return self._reader.files.entries(folder)[0]

    def folders(self, folder: str) -> Sequence[str]:
        return self._reader.files.entries(folder)[1]

    def parsed(self, path: str) -> ParsedFile:
        return self._reader.file(path)

    def data(self, path: str) -> bytes | None:
        return self._reader.files.data(path)


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


def _keep_state(path: str, state: State) -> None:
    """Writes the session; the oldest sessions go where there are too many."""
    folder = os.path.dirname(path)
    try:
        os.makedirs(folder, exist_ok=True)
        spare = f"{path}.{os.getpid()}"
        with open(spare, "w", encoding="utf-8") as file:
            json.dump(state._asdict(), file)
        os.replace(spare, path)
        leftovers.sweep(folder)
        names = [os.path.join(folder, name) for name in os.listdir(folder)]
        for old in sorted(names, key=os.path.getmtime)[: max(0, len(names) - KEPT_SESSIONS)]:
            os.unlink(old)
    except OSError as error:
        raise Refused(f"{path}: {error.strerror}") from error


def _count_reads(workspace: Workspace, context: Context, loaded: Sequence[Loaded]) -> None:
    """One commit on the usage ref for the files that were loaded; where git knows no identity, nothing is
    counted.
    """
    records = [record for file in loaded for record in file.records]
    if records:
        try:
            usage.count(workspace, context, "read", records)
        except Refused:
            return
