"""For programs; the keys stand in docs/json.md."""

from __future__ import annotations

import json
from typing import Any

from memgit.lint.rule import Finding
from memgit.model.printable import readable
from memgit.model.record import Value
from memgit.review.masked import masked, masked_value
from memgit.review.values import Detail, Review, Reviewed
from memgit.review.words import Pieces, counted


def value(review: Review) -> dict[str, Any]:
    """A review as plain values."""
    severities = review.severities()
    return {
        "base": review.base.commit,
        "head": review.head.commit,
        "base_name": review.base.name,
        "head_name": review.head.name,
        "merge_base": review.merge_base,
        "verdict": review.verdict,
        "complete": review.complete,
        "concerned": review.concerned,
        "commits": review.commits,
        "summary": {
            "records": review.counts(),
            "errors": severities["error"],
            "warnings": severities["warning"],
            "infos": severities["info"],
        },
        "changes": [_change(one, review) for one in review.changes],
        "findings": [_finding(finding, review) for finding in review.findings],
        "preexisting": review.preexisting,
        "conflicts": [one._asdict() for one in review.conflicts],
        "files": {"derived": review.derived, "laid_out": review.laid_out, "other": review.other},
        "notes": list(review.notes),
    }


def render(review: Review) -> str:
    """One JSON value and a newline; bytes of file names that are no UTF-8 become U+FFFD."""
    text = json.dumps(value(review), ensure_ascii=False, indent=2)
    return readable(text) + "\n"


def _finding(one: Finding, review: Review) -> dict[str, Any]:
    detail = review.details.get(one, Detail())
    others = [other._asdict() | {"text": _pieces(other.text)} for other in detail.others]
    return {
        **one.as_json(),
        "url": review.file_url(one.path, one.line),
        "command": detail.command or None,
        "others": others,
        "drift": _pieces(detail.drift),
    }


def _change(one: Reviewed, review: Review) -> dict[str, Any]:
    record = one.record
    new, gone = counted(one.body)
    return {
        "change": one.change,
        "id": record.id,
        "address": record.address,
        "was": one.was,
        "kind": record.kind,
        "title": record.title,
        "path": record.path,
        "line": record.line,
        "url": review.file_url(record.path, record.line),
        "fields": one.names(),
        "values": {
            field.name: {"before": _plain(field.before), "after": _plain(field.after)} for field in one.fields
        },
        "body": {"words_added": new, "words_removed": gone, "pieces": _pieces(one.body)},
        "linked": list(one.linked),
        "unlinked": list(one.unlinked),
        "source": masked_value(record.source),
        "actor": ", ".join(one.who.actors) or None,
        "authors": list(one.who.authors),
        "runs": list(one.who.runs),
        "sources": [masked(source) for source in one.who.sources],
        "reasons": [masked(reason) for reason in one.who.reasons],
        "commits": list(one.who.commits),
        "goes_back": None
        if one.goes_back is None
        else dict(zip(("commit", "subject"), one.goes_back, strict=True)),
    }


def _pieces(pieces: Pieces) -> list[list[str]]:
    return [list(piece) for piece in pieces]


def _plain(value: Value) -> str | list[str] | None:
    return list(value) if isinstance(value, tuple) else value
