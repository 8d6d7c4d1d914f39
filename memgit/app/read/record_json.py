"""Records as JSON: the stable shape that programs read."""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.model.printable import readable
from memgit.model.record import Record, Value

if TYPE_CHECKING:
    from typing import Any


def version_id(record: Record) -> str:
    """What `--if-version` compares: twelve hexadecimal digits that depend on the title, the fields and the
    text of a record alone.
    """
    from hashlib import sha1  # loads OpenSSL

    parts = [record.title, record.body]
    parts += [f"{name}={value!r}" for name, value in record.fields.items()]
    return sha1("\0".join(parts).encode("utf-8", "surrogatepass"), usedforsecurity=False).hexdigest()[:12]


def record_json(record: Record, usage: int = 0) -> dict[str, Any]:
    """`{id, kind, address, title, path, line, fields, body, created, updated, source, keywords, topics,
    related, derived_from, archived, version, usage_count}` and `end_line`, `version_id`, `problem`.

    `usage` are the uses counted on the usage refs, added to those that another tool counted in the file.
    """
    return {
        "id": record.id,
        "kind": record.kind,
        "address": record.address,
        "title": record.title,
        "path": readable(record.path),
        "line": record.line,
        "end_line": record.end_line,
        "fields": {name: _plain(value) for name, value in record.fields.items()},
        "body": record.body,
        "created": record.created,
        "updated": record.updated,
        "source": record.source,
        "keywords": list(record.keywords),
        "topics": list(record.topics),
        "related": list(record.related),
        "derived_from": list(record.derived_from),
        "archived": record.archived,
        "version": record.version,
        "usage_count": record.usage_count + usage,
        "version_id": version_id(record),
        "problem": None if record.problem is None else record.problem.message,
    }


def _plain(value: Value) -> Any:
    return list(value) if isinstance(value, tuple) else value
