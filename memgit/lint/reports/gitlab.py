"""GitLab's code quality report, which a merge request shows beside its lines.

Form: docs.gitlab.com, "Code Quality", "Code Quality report format".
"""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from memgit.lint.reports.report import Report
from memgit.lint.reports.sarif import fingerprint
from memgit.lint.rule import Finding
from memgit.model.printable import readable

SEVERITIES = {"error": "critical", "warning": "minor", "info": "info"}


def render(report: Report) -> str:
    """One JSON list and a newline."""
    seen: Counter[str] = Counter()
    rows = []
    for finding in report.at_top().result.findings:
        print_ = fingerprint(finding)
        seen[print_] += 1
        # The same words on several lines of one record are as many findings.
        rows.append(_row(finding, print_ if seen[print_] == 1 else f"{print_}-{seen[print_]}"))
    text = json.dumps(rows, ensure_ascii=False, indent=2)
    return readable(text) + "\n"


def _row(finding: Finding, print_: str) -> dict[str, Any]:
    return {
        "description": f"{finding.rule} {finding.name}: {finding.message}",
        "check_name": f"{finding.rule} {finding.name}",
        "fingerprint": print_,
        "severity": SEVERITIES[finding.severity],
        "location": {"path": finding.path, "lines": {"begin": finding.line}},
    }
