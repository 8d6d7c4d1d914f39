"""What a configuration may say about rules."""

from __future__ import annotations

from typing import Any

import pytest

from memgit.app.check.settings import nested
from memgit.errors import BadInput
from memgit.lint.rules import RULES
from memgit.lint.settings import Settings, chosen, from_mapping, options_of, severity_of

BY_CODE = {rule.code: rule for rule in RULES}


def codes(settings: Settings) -> list[str]:
    return [rule.code for rule in chosen(settings, RULES)]


def test_all_rules_run_by_default() -> None:
    assert codes(Settings()) == [rule.code for rule in RULES]


def test_rules_are_named_by_code_beginning_and_name() -> None:
    assert codes(Settings(select=("MG40", "secret"))) == [
        "MG401",
        "MG402",
        "MG403",
        "MG404",
        "MG405",
        "MG406",
        "MG501",
    ]
    assert codes(Settings(select=("MG5",), ignore=("hidden-text",))) == ["MG501"]
    assert codes(Settings(select=("MG5",), severity={"MG501": "off"})) == ["MG502"]


def test_the_wishes_of_one_run_go_on_top() -> None:
    configured = Settings(select=("MG2",), ignore=("MG203",))
    assert codes(configured.narrowed(["MG203", "MG501"])) == ["MG501"]
    assert codes(configured.narrowed([], ["MG201"])) == ["MG202", "MG204", "MG205", "MG206"]


def test_the_longest_name_decides_about_severity() -> None:
    settings = Settings(severity={"MG3": "info", "MG301": "error"})
    assert severity_of(settings, BY_CODE["MG301"]) == "error"
    assert severity_of(settings, BY_CODE["MG302"]) == "info"
    assert severity_of(settings, BY_CODE["MG501"]) == "error"


def test_options_take_the_type_of_their_default() -> None:
    values = {
        "options": {
            "MG302": {"months": "12", "kinds": ["knowledge"]},
            "duplicate-record": {"keywords_share": "0.5"},
        }
    }
    settings = from_mapping(values, RULES)
    assert options_of(settings, BY_CODE["MG302"]) == {"months": 12, "kinds": ("knowledge",)}
    assert options_of(settings, BY_CODE["MG301"])["keywords_share"] == 0.5
    assert options_of(from_mapping({"options": {"MG101": {"committed": "no"}}}, RULES), BY_CODE["MG101"]) == {
        "committed": False
    }


@pytest.mark.parametrize(
    ("values", "words"),
    [
        ({"selct": ["MG1"]}, "lint.selct: it is not one of"),
        ({"select": ["MG9"]}, "no rule 'MG9'"),
        ({"ignore": "duplicate-records"}, "did you mean duplicate-record?"),
        ({"severity": {"MG301": "fatal"}}, "'fatal' is not one of error, warning, info, off"),
        ({"severity": ["MG301"]}, "must be a mapping"),
        ({"options": {"MG302": {"weeks": 3}}}, "no option 'weeks'; there are kinds, months"),
        ({"options": {"MG001": {"weeks": 3}}}, "it has none"),
        ({"options": {"MG302": {"months": "many"}}}, "options.MG302.months: it must be a number"),
        ({"options": {"MG302": {"months": "-1"}}}, "must not be negative"),
        (
            {"options": {"MG301": {"title_likeness": "nan"}}},
            "options.MG301.title_likeness: it must be a number",
        ),
        ({"options": {"MG301": {"title_likeness": "inf"}}}, "it must be a number"),
        (
            {"options": {"MG301": {"keywords_share": "70"}}},
            "options.MG301.keywords_share: it is a share, from 0 to 1",
        ),
        ({"options": {"MG101": {"committed": "maybe"}}}, "true or false"),
        ({"options": {"MG302": 3}}, "must be a mapping"),
    ],
)
def test_what_is_wrong_is_named(values: dict[str, Any], words: str) -> None:
    with pytest.raises(BadInput) as caught:
        from_mapping(values, RULES)
    assert words in str(caught.value) and caught.value.path == ".memgit.yaml"


def test_the_configuration_is_read_in_lines_and_in_braces() -> None:
    text = (
        "ignore: [MG304, no-such]\nseverity: {stale-record: info, 'MG303': off}\n"
        "options:\n  MG302: {months: 12, kinds: [knowledge, memory]}\n  MG405:\n    transitions:\n   "
        "   - a > b\n      - c > d"
    )
    assert nested(text) == {
        "ignore": ("MG304", "no-such"),
        "severity": {"stale-record": "info", "MG303": "off"},
        "options": {
            "MG302": {"months": "12", "kinds": ("knowledge", "memory")},
            "MG405": {"transitions": ("a > b", "c > d")},
        },
    }


@pytest.mark.parametrize("text", ["just words", "{a: {b: {c: {d: {e: {f: 1}}}}}}", "- a\n- b"])
def test_a_configuration_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(BadInput, match="lint"):
        nested(text)
