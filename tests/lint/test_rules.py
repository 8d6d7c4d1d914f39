"""The registry: every rule is named by convention, documented, and does what its examples say."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from memgit.lint.corpus import Corpus
from memgit.lint.engine import mend, run
from memgit.lint.pages import FOLDER, files
from memgit.lint.rule import FILE, HISTORY, SEVERITIES, Example, Rule
from memgit.lint.rules import RULES
from memgit.lint.settings import Settings
from tests.lint.examples import corpus_of

ROOT = Path(__file__).resolve().parents[2]
TABLE = (
    "MG001 MG002 MG003 MG004 MG005 MG006 MG007 MG008 MG101 MG102 MG103 MG104 MG201 MG202 MG203 MG204 "
    "MG205 MG206 MG301 MG302 MG303 MG304 MG305 "
    "MG401 MG402 MG403 MG404 MG405 MG406 MG501 MG502"
).split()
MENDING = {"MG101", "MG102", "MG103", "MG202", "MG203"}

each = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
bad = pytest.mark.parametrize(
    ("rule", "example"),
    [(rule, example) for rule in RULES for example in rule.bad],
    ids=lambda value: getattr(value, "code", ""),
)
good = pytest.mark.parametrize(
    ("rule", "example"),
    [(rule, example) for rule in RULES for example in rule.good],
    ids=lambda value: getattr(value, "code", ""),
)


def found(rule: Rule, corpus: Corpus) -> list[str]:
    findings = run(corpus, Settings(), [rule]).findings
    assert not [finding for finding in findings if "the rule itself failed" in finding.message], findings
    return sorted({f"{finding.path}:{finding.line}" for finding in findings})


def test_the_table_is_complete_and_in_order() -> None:
    assert [rule.code for rule in RULES] == TABLE
    assert {rule.code for rule in RULES if rule.fix is not None} == MENDING
    assert len({rule.name for rule in RULES}) == len(RULES)


@each
def test_a_rule_is_named_by_convention(rule: Rule) -> None:
    assert re.fullmatch(r"MG\d{3}", rule.code)
    assert re.fullmatch(r"[a-z]+(-[a-z]+){0,2}", rule.name)
    module = f"memgit/lint/rules/{rule.code.lower()}_{rule.name.replace('-', '_')}.py"
    assert (ROOT / module).is_file(), module
    assert rule.severity in SEVERITIES
    assert rule.scope in (FILE, "corpus", HISTORY)


@each
def test_a_rule_is_documented(rule: Rule) -> None:
    assert rule.summary and rule.summary[-1] not in ".!" and rule.summary[0].islower()
    assert len(rule.why.split(". ")) >= 1 and rule.why.endswith(".")
    assert rule.bad and all(example.at for example in rule.bad), "an example says where the rule fires"
    assert rule.good and not any(example.at for example in rule.good)
    assert set(rule.options) == set(rule.options_help), "every option has help"
    assert bool(rule.fix) == bool(rule.fix_help)


@bad
def test_a_bad_example_fires_at_its_lines(rule: Rule, example: Example) -> None:
    assert found(rule, corpus_of(example)) == sorted(example.at)


@good
def test_a_good_example_is_silent(rule: Rule, example: Example) -> None:
    assert found(rule, corpus_of(example)) == []


@bad
def test_messages_name_the_place_and_what_to_do(rule: Rule, example: Example) -> None:
    for finding in run(corpus_of(example), Settings(), [rule]).findings:
        assert finding.line >= 1 and finding.end_line >= finding.line
        assert len(finding.message) > 10 and "\n" not in finding.message
        assert finding.fixable <= (rule.fix is not None)
        assert finding.rule == rule.code and finding.name == rule.name


@pytest.mark.parametrize(
    ("rule", "example"),
    [(rule, example) for rule in RULES if rule.fix for example in rule.bad],
    ids=lambda value: getattr(value, "code", ""),
)
def test_mending_makes_a_bad_example_clean_once(rule: Rule, example: Example) -> None:
    corpus = corpus_of(example)
    mended = mend(corpus, Settings(), [rule])
    assert mended.edits
    assert found(rule, mended.after) == []
    assert mend(mended.after, Settings(), [rule]).edits == {}
    for path, data in mended.edits.items():
        old = corpus.data(path)
        if old is not None and data is not None and path.endswith(".md") and path != "INDEX.md":
            kept = [line for line in old.split(b"\n") if line in data.split(b"\n")]
            assert len(kept) >= len(old.split(b"\n")) - 2, "an edit touches one line of each record"


@pytest.mark.parametrize(
    ("rule", "example"),
    [(rule, example) for rule in RULES for example in rule.good if rule.fix],
    ids=lambda value: getattr(value, "code", ""),
)
def test_mending_leaves_a_good_example_alone(rule: Rule, example: Example) -> None:
    assert mend(corpus_of(example), Settings(), [rule]).edits == {}


def test_the_pages_are_current() -> None:
    pages = files(RULES)
    for path, text in pages.items():
        assert (ROOT / path).read_text(encoding="utf-8") == text, f"{path}: run python docs/generate.py"
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / FOLDER).iterdir()}
    assert there == set(pages), "a page without a rule"


def test_a_page_shows_everything() -> None:
    for rule in RULES:
        page = files(RULES)[f"{FOLDER}/{rule.code}.md"]
        assert page.startswith(f"# {rule.code}: {rule.name}\n")
        assert "## Why" in page and "## Bad" in page and "## Good" in page
        assert all(f"`{option}`" in page for option in rule.options)
        assert page.endswith("\n") and not page.endswith("\n\n") and "\n\n\n" not in page
