"""Corpora for the tests of lint: from files in memory, or from a folder."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from pathlib import Path

from memgit.app import config
from memgit.formats.codecs import parse_file
from memgit.lint.corpus import Corpus
from memgit.lint.engine import run
from memgit.lint.page import REGULAR
from memgit.lint.rule import Finding
from memgit.lint.rules import RULES
from memgit.lint.settings import Settings
from memgit.model import layout as layouts
from memgit.model.layout import Layout
from memgit.model.record import ParsedFile

TODAY = "2026-06-01"
BY_CODE = {rule.code: rule for rule in RULES}


class MappingSource:
    """Files in memory."""

    def __init__(self, files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> None:
        self._files = dict(sorted(files.items()))
        self._modes = modes or {}
        self._names: dict[str, list[str]] = {}
        folders: dict[str, set[str]] = {}
        for path in sorted({*files, *self._modes}):
            folder, slash, name = path.rpartition("/")
            self._names.setdefault(folder + slash, []).append(name)
            while folder:
                above, slash, name = folder.rpartition("/")
                folders.setdefault(above + slash, set()).add(name)
                folder = above
        self._folders = {folder: sorted(found) for folder, found in folders.items()}

    def paths(self) -> Iterable[str]:
        return sorted({*self._files, *self._modes})

    def mode(self, path: str) -> int | None:
        return self._modes.get(path, REGULAR if path in self._files else None)

    def data(self, path: str) -> bytes | None:
        return self._files.get(path)

    def names(self, folder: str) -> Sequence[str]:
        return self._names.get(folder, ())

    def folders(self, folder: str) -> Sequence[str]:
        return self._folders.get(folder, ())


class MappingBefore:
    """What files in memory were before."""

    def __init__(self, layout: Layout, files: Mapping[str, bytes], after: Mapping[str, bytes]) -> None:
        self._layout = layout
        self._files = files
        self._differ = sorted(path for path in {*files, *after} if files.get(path) != after.get(path))

    def paths(self) -> Collection[str]:
        return self._differ

    def parsed(self, path: str) -> ParsedFile:
        data = self._files.get(path)
        return ParsedFile(()) if data is None else parse_file(self._layout, path, data)


def corpus(
    files: Mapping[str, str | bytes],
    layout: Layout | None = None,
    today: str = TODAY,
    *,
    before: Mapping[str, str | bytes] | None = None,
    changed: Sequence[str] | None = None,
    modes: Mapping[str, int] | None = None,
) -> Corpus:
    """A corpus of files in memory, in memgit's own layout unless another is given."""
    layout = layout or layouts.memgit()
    data = as_bytes(files)
    old = None if before is None else MappingBefore(layout, as_bytes(before), data)
    return Corpus(layout, MappingSource(data, modes), today, before=old, changed=changed)


def as_bytes(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: text.encode() if isinstance(text, str) else text for path, text in files.items()}


def check(given: Corpus, *codes: str, settings: Settings | None = None) -> list[Finding]:
    """What rules find; all of them where no code is given. A rule that fails fails the test."""
    found = run(given, settings or Settings(select=codes), RULES).findings
    broken = [finding for finding in found if "the rule itself failed" in finding.message]
    assert not broken, broken
    return list(found)


def at(findings: Sequence[Finding]) -> list[str]:
    """Where findings stand: `MG201 path:line`, sorted."""
    return sorted(f"{finding.rule} {finding.path}:{finding.line}" for finding in findings)


def folder(root: Path) -> dict[str, bytes]:
    """Every file of a folder by its path in it."""
    return {
        path.relative_to(root).as_posix(): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file()
    }


def workspace(root: Path, today: str = TODAY) -> Corpus:
    """A folder as memgit would open it: a workspace of one of the three systems, or plain notes."""
    files = folder(root)
    layout = config.detect(
        lambda name: any(path.startswith(f"{name}/") for path in files), files.__contains__
    )
    return Corpus(layout or config.make_layout("notes"), MappingSource(files), today)


def entry(
    title: str,
    text: str = "- First point",
    keywords: str = "alpha, beta",
    date: str = "2026-03-02",
    more: str = "",
) -> str:
    """One entry as Mem Skill writes it."""
    return f"## {title}\n**Date:** {date}\n**Best Practice:**\n{text}\n{more}**Keywords:** {keywords}\n\n"


def memory(title: str, text: str = "Text.", more: str = "") -> str:
    """One document."""
    return f"---\ntitle: {title}\ncreated: 2026-03-02\n{more}---\n{text}\n"
