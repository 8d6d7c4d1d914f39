"""Telling a writer of links to nothing in what was just written, in the words in which rule MG201 would tell
of them later.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property

from memgit.app.check.settings import known, settings_of
from memgit.app.check.source import CachedIndex
from memgit.app.workspace import Workspace
from memgit.app.write.session import Session
from memgit.errors import BadInput
from memgit.lint.corpus import Corpus
from memgit.lint.facts import links_of_page
from memgit.lint.index import FileNames, folded
from memgit.lint.resolve import Led, target
from memgit.lint.rules.mg201_broken_link import RULE, said
from memgit.lint.settings import is_chosen
from memgit.model.link import Names, Wikilink
from memgit.model.record import ParsedFile, Record

MAX_TOLD = 5
"""So many links are told of, the others counted."""


class WrittenIndex(CachedIndex):
    """Lookups by the cache in which the files of the operation at hand count as they will be."""

    def __init__(self, session: Session) -> None:
        overlay = session.overlay
        super().__init__(overlay.layout, session.reader.snapshot, overlay.files.below)
        self._edits = overlay.edits
        self._written = list(overlay.written())
        self._names = Names(self._written)

    def resolve(self, link: Wikilink, origin: str | None) -> Sequence[Record]:
        return [*self._kept(super().resolve(link, origin)), *self._names.resolve(link, origin).candidates]

    def called(self, text: str) -> Iterable[Record]:
        return [*self._kept(super().called(text)), *self._written]

    # For one or two names, all paths are looked through: to sort them by name would take several times as
    # long.

    @cached_property
    def _paths(self) -> list[tuple[str, str]]:
        return [(path, path.casefold()) for path in self._source.paths()]

    def _called_near(self, name: str) -> FileNames:
        """The names of the files that may be called so."""
        last = folded(name.removesuffix(".md")).rpartition("/")[2]
        return FileNames(
            lambda: [path for path, plain in self._paths if last in plain or not plain.isascii()]
        )

    def files(self, name: str) -> Sequence[str]:
        return self._called_near(name).files(name)

    def spelled(self, name: str) -> str | None:
        return self._called_near(name).spelled(name)

    def _kept(self, records: Iterable[Record]) -> list[Record]:
        return [record for record in records if record.path not in self._edits]


class _Written(Corpus):
    """The files as the operation leaves them; what it has understood of them itself is not parsed again."""

    def __init__(self, session: Session, suspect: Mapping[str, set[int]]) -> None:
        overlay = session.overlay
        super().__init__(
            overlay.layout,
            overlay.files,
            session.context.today,
            changed=suspect,
            index=lambda: WrittenIndex(session),
            compare=False,
        )
        self._overlay = overlay

    def _parse(self, path: str, data: bytes | None = None) -> ParsedFile:
        return self._overlay.parsed(path)


def _is_asked(workspace: Workspace) -> bool:
    """Whether the configuration has the rule run. One that lint will not take stops nobody who writes."""
    try:
        return is_chosen(settings_of(workspace, known()), RULE)
    except BadInput:
        return True


def told(session: Session, suspect: Mapping[str, set[int]]) -> tuple[str, ...]:
    """What the rule would find on some lines of files, unless the configuration or a comment in place has it
    silent.
    """
    corpus = _Written(session, suspect)
    words: dict[str, None] = {}
    for path, lines in suspect.items():
        for facts, link in links_of_page(corpus.page(path)).links():
            if link.line not in lines or corpus.allowed(path).allows(RULE.code, RULE.name, link.line):
                continue
            led = Led(
                path, facts, link, target(corpus, path, facts.record if facts is not None else None, link)
            )
            if led.target.fault is not None:
                words[f"{path}:{link.line}: {said(led)} ({RULE.code})"] = None
    if not words or not _is_asked(session.workspace):
        return ()
    more = len(words) - MAX_TOLD
    rest = (f"and {more} more of {RULE.code}: memgit lint --select {RULE.code}",) if more > 0 else ()
    return (*list(words)[:MAX_TOLD], *rest)
