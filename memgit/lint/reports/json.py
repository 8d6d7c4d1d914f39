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
    text = json.dumps(value(report), ensure_ascii=False, indent=2)
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") + "\n"
