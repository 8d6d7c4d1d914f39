"""Annotations that GitHub Actions shows beside the lines of a pull request.

Form: https://docs.github.com/actions/reference/workflow-commands-for-github-actions; escapes as in its own
    toolkit.
"""

from __future__ import annotations

from memgit.lint.reports.report import Report
from memgit.lint.rule import Finding
from memgit.lint.words import located
from memgit.model.printable import safe

COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """One line a finding."""
    return "".join(annotation(finding, report.prefix) + "\n" for finding in report.result.findings)


def annotation(finding: Finding, prefix: str = "") -> str:
    """The command that shows one finding."""
    properties = {
        "file": located(prefix, finding.path),
        "line": str(finding.line),
        "endLine": str(max(finding.line, finding.end_line)),
        "title": f"{finding.rule} {finding.name}",
    }
    listed = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[finding.severity]} {listed}::{escape(finding.message)}"


def escape(text: str) -> str:
    """A message: no percent sign, no line end, no other control character."""
    readable = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return safe(readable.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def escape_property(text: str) -> str:
    """A property: no colon and no comma either."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")
