"""What memgit knows of one system of other people: a row of `adopt.systems.SYSTEMS`, one module each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from memgit.model.layout import Layout, Place
from memgit.model.operation import Event

Read = Callable[[str], bytes | None]
"""The bytes of a file by path, None where there is none."""

FLAT = "{key}.md"
TEMPLATE = "template"
GLANCE = 5
"""Files of a folder that are opened to tell what they are."""


class Candidate(NamedTuple):
    """One workspace that was found.

    Attributes:
        system: a key of `SYSTEMS`.
        words: what it is, for people.
        folder: where its knowledge root would be, relative to the folder that was looked at; empty or ending
            in a slash.
        base: the folder in that root that its layout starts in, as `Layout.base`.
        evidence: what it was known by, in words.
        files: Markdown files in it.
        version: the version that it names, where it does.
        refusal: why it cannot be adopted: another tool's files under the same names.
        pattern: the names of decision records in `base`, as in the configuration.
    """

    system: str
    words: str
    folder: str
    base: str
    evidence: tuple[str, ...]
    files: int
    version: str | None = None
    refusal: str | None = None
    pattern: str = FLAT

    def as_json(self) -> dict[str, object]:
        return {
            "system": self.system,
            "words": self.words,
            "folder": self.folder,
            "base": self.base,
            "version": self.version,
            "evidence": list(self.evidence),
            "files": self.files,
            "refusal": self.refusal,
        }


class Log(NamedTuple):
    """A log of operations that a system keeps in files: which paths they have under a base, and what one line
    says, None where it says nothing.
    """

    is_log: Callable[[str, str], bool]
    read: Callable[[str, Layout], Event | None]


class System(NamedTuple):
    """A system whose workspaces can be adopted in place.

    Attributes:
        words: what a workspace is called.
        layout: the layout that it becomes, a key of `app.config.BASES`.
        find: the workspaces among the files of a folder, by the name of the folder itself.
        strong: it is known by marks that nothing else has; the others are a guess from file names.
        skipped: folders under the base that hold no records, with the reason.
        private: folders under the base that are never opened or committed.
    """

    words: str
    layout: str
    find: Callable[[Sequence[str], Read, str], Iterator[Candidate]]
    strong: bool = True
    skipped: Mapping[str, str] = {}
    private: tuple[str, ...] = ()
    log: Log | None = None


class Export(NamedTuple):
    """How records of any system are written as those of this one.

    Attributes:
        kinds: the kinds that stay what they are; any other becomes `rest`.
        fields: the fields that records have in a place, None for any.
        keeps: the forms of the files that stay where they are in a workspace of the same system; None for all.
        last: kinds that are written to the last of their places, not to the first.
        tagged: records without a tag get their kind as one.
        ids: records keep memgit's own ids.
    """

    kinds: frozenset[str]
    rest: str
    fields: Callable[[Place], frozenset[str] | None]
    keeps: frozenset[str] | None = None
    last: frozenset[str] = frozenset()
    tagged: bool = False
    ids: bool = False
