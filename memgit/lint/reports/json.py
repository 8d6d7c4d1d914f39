"""For programs: `{checked, findings[...], summary{errors, warnings, infos}}`."""

from __future__ import annotations

import json
from typing import Any

from memgit.lint.reports import Report


def value(report: Report) -> dict[str, Any]:
    """The report as plain values.

    `checked` counts the Markdown files looked at; `findings` have rule, name, severity, path, line, end_line, address, message, fixable
    and related (path, line, message); `summary` counts them, and those allowed in place.
    """
    result = report.result
    return {
        "checked": result.files,
        "findings": [finding.as_json() for finding in result.findings],
        "summary": {
            "errors": result.count("error"),
            "warnings": result.count("warning"),
            "infos": result.count("info"),
            "allowed": result.allowed,
        },
    }


def render(report: Report) -> str:
    """One JSON value and a newline; bytes of file names that are no UTF-8 become U+FFFD."""
    whole = value(report)
    # One finding a line: set in, a report of ten thousands would take as long as finding them.
    encode = json.JSONEncoder(ensure_ascii=False).encode
    findings = ",\n".join([f"    {encode(finding)}" for finding in whole["findings"]])
    listed = f"[\n{findings}\n  ]" if findings else "[]"
    text = f'{{\n  "checked": {whole["checked"]},\n  "findings": {listed},\n  "summary": {encode(whole["summary"])}\n}}\n'
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
