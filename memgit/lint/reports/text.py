"""For people: a health check of everything in the form of Mem Skill's, or one line a finding for what
changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.lint.reports.report import Paint, Report
from memgit.lint.rule import SEVERITIES, Finding
from memgit.lint.words import one_line, plural

MAX_LISTED = 20
"""So many findings of one rule are listed; the rest is counted, and `--json` has them all."""
MARKS = {"error": "✗", "warning": "⚠", "info": "·"}
FAMILIES = (
    ("All files can be read", ("MG001", "MG002")),
    ("Fields are complete and valid", ("MG003", "MG004")),
    ("Titles and ids are unique", ("MG005", "MG006")),
    ("Every file is in its place, under a name that every system can hold", ("MG007", "MG008")),
    ("Indexes are consistent", ("MG101",)),
    ("No orphans", ("MG102", "MG103")),
    ("No conflict markers", ("MG104",)),
    ("No broken or ambiguous links", ("MG201", "MG204", "MG205")),
    ("All links go both ways", ("MG202",)),
    ("No missing cross-references", ("MG203",)),
    ("No duplicates", ("MG301",)),
    ("Nothing is stale", ("MG302",)),
    ("No contradictions", ("MG303",)),
    ("No knowledge gaps", ("MG304",)),
    ("Nothing is too large", ("MG305",)),
    ("History is as it should be", ("MG401", "MG402", "MG403", "MG404", "MG405", "MG406")),
    ("No secrets", ("MG501",)),
    ("No hidden text", ("MG502",)),
)
"""What can be said where some rules ran and found nothing."""


def render(report: Report, paint: Paint) -> str:
    """The report."""
    lines = [one_line(line) for line in (_health(report, paint) if report.whole else _lines(report, paint))]
    return "\n".join(lines) + "\n" if lines else ""


def _health(report: Report, paint: Paint) -> Iterable[str]:
    title = f"memgit health check — {report.today}"
    yield paint(title, "bold")
    yield "━" * len(title)
    for count in report.counts:
        yield f"{paint('✓', 'good')} {count}"
    for line in report.mended:
        yield f"{paint('✓', 'good')} {line}"
    for group in _grouped(report.result.findings):
        yield ""
        yield from _group(group, paint)
    clean = list(_clean(report))
    if clean:
        yield ""
        yield from (f"{paint('✓', 'good')} {words}" for words in clean)
    yield ""
    yield from _summary(report, paint)


def _grouped(findings: Sequence[Finding]) -> list[list[Finding]]:
    """The findings by rule, those with the gravest first, then by code."""
    groups: dict[str, list[Finding]] = {}
    for finding in findings:
        groups.setdefault(finding.rule, []).append(finding)
    return sorted(groups.values(), key=lambda group: (_gravest(group), group[0].rule))


def _gravest(group: Sequence[Finding]) -> int:
    return min(SEVERITIES.index(finding.severity) for finding in group)


def _group(group: Sequence[Finding], paint: Paint) -> Iterable[str]:
    severity = SEVERITIES[_gravest(group)]
    first = group[0]
    head = f"{MARKS[severity]} {first.name.replace('-', ' ').upper()} ({len(group):,})"
    yield f"{paint(head, severity)} {paint(first.rule, 'faint')}"
    for finding in group[:MAX_LISTED]:
        yield f"  - {paint(f'{finding.path}:{finding.line}', 'bold')}"
        yield f"    {finding.message}"
    if len(group) > MAX_LISTED:
        yield f"  … and {len(group) - MAX_LISTED:,} more; --json lists them all"


def _clean(report: Report) -> Iterable[str]:
    """What the rules that ran and found nothing amount to."""
    ran = {rule.code for rule in report.rules}
    found = {finding.rule for finding in report.result.findings}
    for words, codes in FAMILIES:
        if ran.intersection(codes) and not found.intersection(codes):
            yield words


def _lines(report: Report, paint: Paint) -> Iterable[str]:
    """One line a finding, as compilers print them."""
    yield from (f"{paint('✓', 'good')} {line}" for line in report.mended)
    for finding in report.result.findings:
        where = paint(f"{finding.path}:{finding.line}", "bold")
        rule = paint(f"[{finding.rule} {finding.name}]", "faint")
        yield f"{where}: {paint(finding.severity, finding.severity)}: {finding.message} {rule}"
    if report.result.findings:
        yield from _summary(report, paint)


def _summary(report: Report, paint: Paint) -> Iterable[str]:
    result = report.result
    errors, warnings, infos = (result.count(severity) for severity in SEVERITIES)
    counts = f"{plural(errors, 'error')}, {plural(warnings, 'warning')}, {plural(infos, 'note')}"
    words = f"Summary: {plural(len(result.findings), 'issue')} found ({counts})"
    yield paint(words, "error" if errors else "warning" if warnings else "good")
    fixable = sum(finding.fixable for finding in result.findings)
    if fixable:
        yield f"{fixable:,} of them can be fixed: memgit lint --fix"
    if result.allowed:
        yield f"{plural(result.allowed, 'finding')} {'is' if result.allowed == 1 else 'are'} allowed in place"
