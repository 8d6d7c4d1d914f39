"""Reports: Mem Skill's health check, lines, JSON, SARIF, GitHub annotations."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import unquote

import pytest

from memgit.lint.engine import Result
from memgit.lint.reports.formats import FORMATS, pieces
from memgit.lint.reports.github import annotation
from memgit.lint.reports.report import Paint, Report, plain
from memgit.lint.rule import Finding, Related
from memgit.lint.rules import RULES
from memgit.lint.words import located, one_line
from tests.lint.support import TODAY

STALE = Finding(
    "MG302",
    "stale-record",
    "warning",
    "knowledge-base/a.md",
    3,
    9,
    "knowledge/a#Old",
    '"Old" is 8 months old',
)
BROKEN = Finding(
    "MG201",
    "broken-link",
    "error",
    "memory/b c.md",
    7,
    7,
    "memory/b c",
    "[[x]] is unresolved",
    False,
    (Related("memory/d.md", 2, "near it"),),
)
WAY = Finding(
    "MG202", "one-way-link", "warning", "memory/ü.md", 1, 1, None, "no link back, 100 %: really", True
)


def render(name: str, report: Report, paint: Paint = plain) -> str:
    return "".join(pieces(name, report, paint))


def report(*findings: Finding, whole: bool = True, allowed: int = 0, prefix: str = "") -> Report:
    return Report(
        Result(findings, 3, allowed),
        RULES,
        TODAY,
        ("12 knowledge records in 2 categories",),
        whole,
        prefix,
        "1.0",
    )


def test_a_health_check_groups_findings_and_says_what_is_well() -> None:
    assert render("text", report(BROKEN, STALE, WAY, allowed=1)) == (
        "memgit health check — 2026-06-01\n"
        "━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━\n"
        "✓ 12 knowledge records in 2 categories\n"
        "\n"
        "✗ BROKEN LINK (1) MG201\n"
        "  - memory/b c.md:7\n"
        "    [[x]] is unresolved\n"
        "\n"
        "⚠ ONE WAY LINK (1) MG202\n"
        "  - memory/ü.md:1\n"
        "    no link back, 100 %: really\n"
        "\n"
        "⚠ STALE RECORD (1) MG302\n"
        "  - knowledge-base/a.md:3\n"
        '    "Old" is 8 months old\n'
        "\n"
        "✓ All files can be read\n"
        "✓ Fields are complete and valid\n"
        "✓ Titles and ids are unique\n"
        "✓ Every file is in its place, under a name that every system can hold\n"
        "✓ Indexes are consistent\n"
        "✓ No orphans\n"
        "✓ No conflict markers\n"
        "✓ No missing cross-references\n"
        "✓ No duplicates\n"
        "✓ No contradictions\n"
        "✓ No knowledge gaps\n"
        "✓ Nothing is too large\n"
        "✓ History is as it should be\n"
        "✓ No secrets\n"
        "✓ No hidden text\n"
        "\n"
        "Summary: 3 issues found (1 error, 2 warnings, 0 notes)\n"
        "1 of them can be fixed: memgit lint --fix\n"
        "1 finding is allowed in place\n"
    )


def test_a_health_check_counts_what_it_does_not_list() -> None:
    many = [STALE._replace(line=number) for number in range(1, 31)]
    text = render("text", report(*many))
    assert (
        "⚠ STALE RECORD (30) MG302" in text
        and "… and 10 more" in text
        and text.count("knowledge-base/a.md:") == 20
    )


def test_a_run_over_a_change_prints_one_line_a_finding() -> None:
    assert render("text", report(BROKEN, whole=False)) == (
        "memory/b c.md:7: error: [[x]] is unresolved [MG201 broken-link]\nSummary: 1 issue found (1 "
        "error, 0 warnings, 0 notes)\n"
    )
    assert render("text", report(whole=False)) == ""


def test_colours_are_the_painters_business() -> None:
    painted = render("text", report(BROKEN), lambda text, colour: f"<{colour}>{text}</>")
    assert "<error>✗ BROKEN LINK (1)</>" in painted and "<good>✓</> No secrets" in painted


def test_json() -> None:
    value = json.loads(render("json", report(BROKEN, STALE, WAY, allowed=2)))
    assert value["checked"] == 3
    assert value["summary"] == {"errors": 1, "warnings": 2, "infos": 0, "allowed": 2}
    assert value["findings"][0] == {
        "rule": "MG201",
        "name": "broken-link",
        "severity": "error",
        "path": "memory/b c.md",
        "line": 7,
        "end_line": 7,
        "address": "memory/b c",
        "message": "[[x]] is unresolved",
        "fixable": False,
        "related": [{"path": "memory/d.md", "line": 2, "message": "near it"}],
    }


@pytest.mark.parametrize("form", sorted(FORMATS))
def test_a_path_that_is_no_utf_8_can_be_reported(form: str) -> None:
    text = render(form, report(STALE._replace(path="memory/caf\udce9.md")))
    assert form == "text" or text.encode()


def sarif(*findings: Finding, prefix: str = "") -> Any:
    return json.loads(render("sarif", report(*findings, prefix=prefix)))


def test_sarif_has_the_structure_that_its_schema_asks_for() -> None:
    """Checked against the official schema when this was written; here its requirements on what memgit writes."""
    value = sarif(BROKEN, STALE, WAY)
    assert value["version"] == "2.1.0" and value["$schema"].endswith("/sarif-schema-2.1.0.json")
    assert set(value) == {"$schema", "version", "runs"}
    (run,) = value["runs"]
    assert set(run) <= {"tool", "columnKind", "originalUriBaseIds", "results"} and run["columnKind"] in (
        "utf16CodeUnits",
        "unicodeCodePoints",
    )
    driver = run["tool"]["driver"]
    assert driver["name"] == "memgit" and driver["version"] == "1.0"
    ids = [rule["id"] for rule in driver["rules"]]
    assert ids == ["MG201", "MG202", "MG302"] and len(set(ids)) == len(ids)
    for rule in driver["rules"]:
        assert set(rule) == {
            "id",
            "name",
            "shortDescription",
            "fullDescription",
            "help",
            "defaultConfiguration",
        }
        assert rule["shortDescription"]["text"] and rule["fullDescription"]["text"] and rule["help"]["text"]
        assert rule["defaultConfiguration"]["level"] in ("none", "note", "warning", "error")
    for result in run["results"]:
        assert result["level"] in ("none", "note", "warning", "error") and result["message"]["text"]
        assert ids[result["ruleIndex"]] == result["ruleId"]
        for location in result["locations"] + result.get("relatedLocations", []):
            place = location["physicalLocation"]
            assert place["artifactLocation"]["uriBaseId"] in run["originalUriBaseIds"]
            uri = place["artifactLocation"]["uri"]
            assert uri.isascii() and " " not in uri and not uri.startswith("/")
            assert 1 <= place["region"]["startLine"] <= place["region"]["endLine"]
        assert all(isinstance(text, str) for text in result["partialFingerprints"].values())
        assert all(location["id"] >= 0 for location in result.get("relatedLocations", []))


def test_sarif_names_files_from_the_top_of_the_repository() -> None:
    (one,) = sarif(WAY, prefix="docs/kb/")["runs"][0]["results"]
    assert (
        unquote(one["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]) == "docs/kb/memory/ü.md"
    )


def test_a_fingerprint_survives_that_lines_move() -> None:
    def fingerprint(finding: Finding) -> str:
        return str(sarif(finding)["runs"][0]["results"][0]["partialFingerprints"]["memgit/v1"])

    moved = STALE._replace(line=40, message='"Old" is 9 months old')
    assert fingerprint(STALE) == fingerprint(moved) != fingerprint(STALE._replace(address="knowledge/a#New"))


def test_github_annotations() -> None:
    assert render("github", report(BROKEN, WAY, prefix="kb/")).splitlines() == [
        "::error file=kb/memory/b c.md,line=7,endLine=7,title=MG201 broken-link::[[x]] is unresolved",
        (
            "::warning file=kb/memory/ü.md,line=1,endLine=1,title=MG202 one-way-link::no link back, 100 "
            "%25: really"
        ),
    ]


def test_annotations_beyond_those_that_a_forge_shows() -> None:
    """Ten of a severity are shown: of more, the tenth counts the rest, which the log has, and no command is."""
    many = [BROKEN._replace(line=n, message="::warning::x") for n in range(1, 35)]
    lines = render("github", report(*many, WAY)).splitlines()
    commands = [line for line in lines if line.startswith("::")]
    assert [line.partition(" ")[0] for line in commands] == ["::error"] * 10 + ["::warning"]
    assert commands[9] == "::error title=memgit::25 more errors: see the log of this step and its summary"
    assert len(lines) == 36 and lines[-1] == f"{BROKEN.path}:34: error: ::warning::x [MG201]"


def test_code_quality_of_gitlab() -> None:
    """docs.gitlab.com: description, check_name, a fingerprint of its own, severity and location each."""
    twice = BROKEN._replace(line=9)
    found = json.loads(
        render("gitlab", report(BROKEN, twice, WAY, STALE._replace(severity="info"), prefix="kb/"))
    )
    assert [one["severity"] for one in found] == ["critical", "critical", "minor", "info"]
    assert found[0]["location"] == {"path": "kb/memory/b c.md", "lines": {"begin": 7}}
    assert found[0]["check_name"] == "MG201 broken-link" and found[0]["description"].startswith(
        "MG201 broken-link: "
    )
    assert len({one["fingerprint"] for one in found}) == 4
    assert json.loads(render("gitlab", report())) == []


def test_messages_name_paths_from_the_top_of_the_repository() -> None:
    other = Related("memory/c.md", 3, "in memory/c.md")
    words = "memory/c.md:3, notmemory/c.md, memory/c.md.bak and kb/memory/c.md; [x](memory/c.md)"
    one = BROKEN._replace(message=words, related=(other,))
    for form in ("github", "gitlab", "sarif"):
        found = render(form, report(one, prefix="docs/kb/"))
        assert "docs/kb/memory/c.md" in found, form
        assert f"docs/kb/{words[:66]}" in found, form


def test_github_escapes_what_would_end_a_command() -> None:
    odd = STALE._replace(path="a,b:c%\n.md", message="x\r\ny%0A::error::z", severity="info")
    assert annotation(odd) == (
        "::notice file=a%2Cb%3Ac%25%0A.md,line=3,endLine=9,title=MG302 stale-record::x%0D%0Ay%250A::error::z"
    )


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("a\n::error::b.md:1: warning", "a\\n::error::b.md:1: warning"),
        ("::error::b.md:1: warning", "./::error::b.md:1: warning"),
        ("a ##[error]b ##vso[task.complete]c", "a # #[error]b # #vso[task.complete]c"),
        ("## a heading [and] a \r", "## a heading [and] a \\r"),
        ("plain: text", "plain: text"),
    ],
)
def test_a_line_of_a_report_stays_one_and_is_no_command(line: str, shown: str) -> None:
    assert one_line(line) == shown


def test_a_path_outside_of_the_knowledge_root() -> None:
    assert located("", "a.md") == "a.md" and located("docs/kb/", "a.md") == "docs/kb/a.md"
    assert located("docs/kb/", "../.gitattributes") == "docs/.gitattributes"
    assert located("docs/kb/", "../../.gitattributes") == ".gitattributes"
