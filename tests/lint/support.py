"""Corpora for the tests of lint: from files in memory, or from a folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from memgit.app import config
from memgit.lint.corpus import Before, Corpus
from memgit.lint.engine import run
from memgit.lint.rule import Finding
from memgit.lint.rules import RULES
from memgit.lint.settings import Settings
from memgit.model import layout as layouts
from memgit.model.filetree import NO_FILES, Edit, EditedTree
from memgit.model.layout import Layout

TODAY = "2026-06-01"
BY_CODE = {rule.code: rule for rule in RULES}


def in_memory(files: Mapping[str, bytes], modes: Mapping[str, int] | None = None) -> EditedTree:
    """Files in memory."""
    edits: dict[str, bytes | Edit | None] = dict(files)
    edits.update({path: Edit(mode, None, files.get(path)) for path, mode in (modes or {}).items()})
    return EditedTree(NO_FILES, edits)


def before_in_memory(layout: Layout, files: Mapping[str, bytes], after: Mapping[str, bytes]) -> Before:
    """What files in memory were before."""
    differ = sorted(path for path in {*files, *after} if files.get(path) != after.get(path))
    return Before(layout, in_memory(files), differ)


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
    old = None if before is None else before_in_memory(layout, as_bytes(before), data)
    return Corpus(layout, in_memory(data, modes), today, before=old, changed=changed)


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
    return Corpus(layout or config.make_layout("notes"), in_memory(files), today)


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
