"""For programs: `{checked, findings[...], summary{errors, warnings, infos}}`."""

from __future__ import annotations

import json
from collections.abc import Iterator

from memgit.lint.reports.report import Report
from memgit.model.printable import readable

BATCH_SIZE = 500
"""So many findings make one piece of a report."""


def pieces(report: Report) -> Iterator[str]:
    """One JSON value and a newline, in pieces: of ten thousands of findings only a few are laid out at a
    time.

    `checked` counts the Markdown files looked at; `findings` have rule, name, severity, path, line, end_line,
    address, message, fixable and related (path, line, message); `summary` counts them, and those allowed in
    place. Bytes of file names that are no UTF-8 become U+FFFD.
    """
    # One finding a line: set in, a report of ten thousands would take as long as finding them.
    encode = json.JSONEncoder(ensure_ascii=False).encode
    result = report.result
    yield f'{{\n  "checked": {result.files},\n  "findings": ['
    for start in range(0, len(result.findings), BATCH_SIZE):
        lines = [
            f"\n    {encode(finding.as_json())}" for finding in result.findings[start : start + BATCH_SIZE]
        ]
        text = ("," if start else "") + ",".join(lines)
        yield readable(text)
    counts = {
        "errors": result.count("error"),
        "warnings": result.count("warning"),
        "infos": result.count("info"),
        "allowed": result.allowed,
    }
    end = "\n  ]" if result.findings else "]"
    yield f'{end},\n  "summary": {encode(counts)}\n}}\n'
