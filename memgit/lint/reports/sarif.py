"""SARIF 2.1.0, which forges and editors read.

Form: https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html.
"""

from __future__ import annotations

import json
from hashlib import sha256
from typing import Any
from urllib.parse import quote

from memgit.lint.pages import page
from memgit.lint.reports.report import Report
from memgit.lint.rule import Finding, Rule
from memgit.model.printable import readable

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
LEVELS = {"error": "error", "warning": "warning", "info": "note"}
BASE = "SRCROOT"


def value(report: Report) -> dict[str, Any]:
    """The report as plain values."""
    report = report.at_top()
    found = {finding.rule for finding in report.result.findings}
    rules = [rule for rule in report.rules if rule.code in found]
    places = {rule.code: number for number, rule in enumerate(rules)}
    driver: dict[str, Any] = {"name": "memgit", "rules": [_rule(rule) for rule in rules]}
    if report.version:
        driver["version"] = report.version
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {BASE: {"description": {"text": "the top of the repository"}}},
        "results": [_result(finding, places.get(finding.rule)) for finding in report.result.findings],
    }
    return {"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}


def render(report: Report) -> str:
    """One JSON value and a newline."""
    text = json.dumps(value(report), ensure_ascii=False, indent=2)
    return readable(text) + "\n"


def _rule(rule: Rule) -> dict[str, Any]:
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": f"{rule.summary[0].upper()}{rule.summary[1:]}."},
        "fullDescription": {"text": " ".join(rule.why.split())},
        "help": {"text": page(rule), "markdown": page(rule)},
        "defaultConfiguration": {"level": LEVELS[rule.severity]},
    }


def _result(finding: Finding, number: int | None) -> dict[str, Any]:
    location: dict[str, Any] = {"physicalLocation": _place(finding.path, finding.line, finding.end_line)}
    if finding.address is not None:
        location["logicalLocations"] = [{"fullyQualifiedName": finding.address, "kind": "resource"}]
    out: dict[str, Any] = {
        "ruleId": finding.rule,
        "level": LEVELS[finding.severity],
        "message": {"text": finding.message},
        "locations": [location],
        "partialFingerprints": {"memgit/v1": fingerprint(finding)},
    }
    if number is not None:
        out["ruleIndex"] = number
    if finding.related:
        out["relatedLocations"] = [
            {
                "id": index,
                "physicalLocation": _place(place.path, place.line, place.line),
                "message": {"text": place.message},
            }
            for index, place in enumerate(finding.related)
        ]
    return out


def _place(path: str, line: int, end_line: int) -> dict[str, Any]:
    uri = quote(path.encode("utf-8", "surrogateescape"), safe="/")
    return {
        "artifactLocation": {"uri": uri, "uriBaseId": BASE},
        "region": {"startLine": line, "endLine": max(line, end_line)},
    }


def fingerprint(finding: Finding) -> str:
    """What stays the same when lines move: the rule, the record or file, and the words without numbers."""
    words = "".join(char for char in finding.message if not char.isdigit())
    text = "\0".join((finding.rule, finding.address or finding.path, words))
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
