"""Commits made from objects alone, fast enough for property tests, and what the cache should say of them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from memgit.formats.codecs import parse_file
from memgit.git.objects import libgit, tree
from memgit.git.repository import Repository
from memgit.model.layout import Layout
from memgit.model.record import Record

Files = Mapping[str, bytes | None]


def opened(folder: Path) -> Repository:
    return Repository.open(str(folder), dict(os.environ))


def commit(
    repo: Repository, files: Files, parent: str | None = None, modes: Mapping[str, int] | None = None
) -> str:
    """A commit with some files changed against its parent; None takes a file away. No ref is moved."""
    edits = {
        path: None if data is None else tree.Entry((modes or {}).get(path, tree.FILE), repo.write_blob(data))
        for path, data in files.items()
    }
    root = tree.rewrite(repo, repo.tree_of(parent) if parent else None, edits)
    lines = [f"tree {root}", *([f"parent {parent}"] if parent else [])]
    lines += [f"{who} Ada Moss <ada@example.org> 1700000000 +0000" for who in ("author", "committer")]
    return repo.write(libgit.COMMIT, ("\n".join(lines) + "\n\nmade by a test\n").encode())


def heads(records: list[Record]) -> list[Record]:
    """Records as the cache gives them when it lists: without their bodies, in the order of paths, those that
    are not UTF-8 last.
    """
    return [record._replace(body="", fields=dict(record.fields)) for record in ordered(records)]


def ordered(records: list[Record]) -> list[Record]:
    """Records in the order in which the cache lists them."""

    def place(record: Record) -> tuple[bool, bytes, int]:
        raw = record.path.encode("utf-8", "surrogateescape")
        return any("\udc80" <= char <= "\udcff" for char in record.path), raw, record.ordinal

    return sorted(records, key=place)


def read(files: Files, layout: Layout) -> list[Record]:
    """The records of some files, in full, read from their bytes."""
    return [
        record
        for path, data in sorted(files.items())
        if data is not None
        for record in parse_file(layout, path, data).records
    ]


def entry(
    title: str, body: str = "Some text.", keywords: str = "", record_id: str = "", extra: str = ""
) -> str:
    lines = [
        f"## {title}",
        "**Date:** 2025-03-04",
        extra,
        "**Context:** Any.",
        "**Best Practice:**",
        f"- {body}",
        "",
    ]
    lines += [f"**Keywords:** {keywords}", f"**Id:** {record_id}" if record_id else "", ""]
    return "\n".join(line for line in lines if line or lines.index(line) > 3) + "\n"


def document(title: str, body: str = "Some text.", **fields: str) -> bytes:
    block = "".join(
        f"{name}: {value}\n" for name, value in {"title": title, "created": "2025-03-04", **fields}.items()
    )
    return f"---\n{block}---\n\n# {title}\n\n{body}\n".encode()
