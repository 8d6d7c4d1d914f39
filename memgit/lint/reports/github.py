"""Annotations that GitHub Actions shows beside the lines of a pull request.

Form: https://docs.github.com/actions/reference/workflow-commands-for-github-actions; escapes as in its own
    toolkit.
"""

from __future__ import annotations

from memgit.lint.reports.report import Report
from memgit.lint.rule import SEVERITIES, Finding
from memgit.lint.words import one_line, plural
from memgit.model.printable import readable, safe

MAX_ANNOTATIONS = 10
"""Annotations of one severity that a step of a job may show; the rest would be dropped without a word."""
COMMANDS = {"error": "error", "warning": "warning", "info": "notice"}


def render(report: Report) -> str:
    """One line a finding, the gravest first. Of more than `MAX_ANNOTATIONS` of a severity, the last annotation
    counts the rest, which follow as plain lines of the log.
    """
    found = report.at_top().result.findings
    out: list[str] = []
    log: list[str] = []
    for severity in SEVERITIES:
        alike = [one for one in found if one.severity == severity]
        most = len(alike) if len(alike) <= MAX_ANNOTATIONS else MAX_ANNOTATIONS - 1
        out += map(annotation, alike[:most])
        if rest := alike[most:]:
            noun = plural(len(rest), f"more {severity if severity != 'info' else 'note'}")
            out.append(
                f"::{COMMANDS[severity]} title=memgit::{noun}: see the log of this step and its summary"
            )
            log += [
                one_line(safe(f"{one.path}:{one.line}: {severity}: {one.message} [{one.rule}]"))
                for one in rest
            ]
    return "".join(f"{line}\n" for line in (*out, *log))


def annotation(finding: Finding) -> str:
    """The command that shows one finding, whose path is as seen from the top of the repository."""
    properties = {
        "file": finding.path,
        "line": str(finding.line),
        "endLine": str(max(finding.line, finding.end_line)),
        "title": f"{finding.rule} {finding.name}",
    }
    listed = ",".join(f"{name}={escape_property(value)}" for name, value in properties.items())
    return f"::{COMMANDS[finding.severity]} {listed}::{escape(finding.message)}"


def escape(text: str) -> str:
    """A message: no percent sign, no line end, no other control character."""
    return safe(readable(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def escape_property(text: str) -> str:
    """A property: no colon and no comma either."""
    return escape(text).replace(":", "%3A").replace(",", "%2C")
