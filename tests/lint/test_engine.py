"""The engine: order, severities, allowances in place, a rule that fails, fixing of several rules together."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

import pytest

from memgit.lint.corpus import Corpus
from memgit.lint.engine import mend, outside, run
from memgit.lint.page import Page
from memgit.lint.rule import FILE, Example, Found, Options, Rule
from memgit.lint.rules import RULES
from memgit.lint.settings import Settings
from tests.lint.support import at, check, corpus, entry, memory


def shouting(page: Page, options: Options) -> Iterator[Found]:
    for number, line in enumerate(page.lines, 1):
        if line.isupper() and len(line) >= int(str(options["least"])):
            yield Found(page.path, number, "a line in capitals: say it quietly", page.address_at(number))


LOUD = Rule(
    code="XY001",
    name="shouting",
    severity="warning",
    summary="lines in capitals",
    why="Nobody likes them.",
    scope=FILE,
    check=shouting,
    good=(Example({"notes/a.md": "quiet\n"}),),
    bad=(Example({"notes/a.md": "LOUD\n"}, at=("notes/a.md:1",)),),
    options={"least": 3},
)


def broken(given: Corpus, options: Options) -> Iterable[Found]:
    yield Found("notes/a.md", 1, "found before it failed")
    raise ValueError("no more")


BROKEN = LOUD._replace(code="XY002", name="failing", scope="corpus", check=broken)


def test_a_rule_from_outside_sees_one_page_at_a_time() -> None:
    given = corpus({"notes/a.md": "# Title\n\nQUIET PLEASE\nHI\n"})
    assert at(run(given, Settings(), [LOUD]).findings) == ["XY001 notes/a.md:3"]
    assert run(given, Settings(options={"shouting": {"least": 20}}), [LOUD]).findings == ()
    assert run(given, Settings(), [LOUD]).findings[0].address == "note/notes/a"


def test_a_rule_that_fails_costs_only_the_rest_of_its_own_findings() -> None:
    given = corpus({"notes/a.md": "SAY IT\n"})
    found = run(given, Settings(), [BROKEN, LOUD]).findings
    assert [one.rule for one in found] == ["XY001", "XY002", "XY002"]
    failure = next(one for one in found if "itself failed" in one.message)
    assert failure.severity == "error" and "ValueError: no more" in failure.message


@pytest.mark.parametrize(
    "gives",
    [[Found(None, None, None)], [7], 5, [Found("notes/a.md", "one", "words")], SystemExit(3)],  # type: ignore[arg-type]
)
def test_a_rule_that_gives_no_findings_but_something_else_costs_nothing_but_itself(gives: object) -> None:
    def odd(given: Corpus, options: Options) -> Iterable[Found]:
        if isinstance(gives, BaseException):
            raise gives
        return gives  # type: ignore[return-value]

    found = run(corpus({"notes/a.md": "SAY IT\n"}), Settings(), [BROKEN._replace(check=odd), LOUD]).findings
    assert sorted(one.rule for one in found) == ["XY001", "XY002"]
    assert "the rule itself failed" in next(one for one in found if one.rule == "XY002").message


def test_a_severity_that_is_none_is_that_of_the_rule() -> None:
    odd = LOUD._replace(check=lambda page, options: [Found(page.path, 1, "words", severity="fatal")])
    assert [one.severity for one in run(corpus({"notes/a.md": "x\n"}), Settings(), [odd]).findings] == [
        "warning"
    ]


def test_a_rule_that_cannot_mend_is_told_of_and_the_others_mend() -> None:
    def fails(*_: object) -> Mapping[str, bytes | None]:
        raise KeyError("no\nmore")

    found = [Found("notes/a.md", 1, "words", fixable=True)]
    failing = LOUD._replace(code="XY003", name="no-mending", check=lambda page, options: found, fix=fails)
    works = failing._replace(
        code="XY004", name="mending", fix=lambda state, _, __: {"notes/a.md": b"fixed\n"}
    )
    mended = mend(corpus({"notes/a.md": "x\n"}), Settings(), [failing, works])
    assert mended.edits == {"notes/a.md": b"fixed\n"}
    assert mended.failed == ("XY003 no-mending failed to fix: KeyError: 'no\\nmore'",)
    assert {one.rule for one in mended.findings} == {"XY004"}


def test_findings_come_in_the_order_of_paths_lines_and_codes() -> None:
    given = corpus(
        {"memory/b.md": memory("B", "[[x]] and [a](b.txt)"), "memory/a.md": memory("A", "one\n[[y]]")}
    )
    found = run(given, Settings(select=("MG201", "MG205")), RULES).findings
    assert [f"{one.path}:{one.line} {one.rule}" for one in found] == [
        "memory/a.md:6 MG201",
        "memory/b.md:5 MG201",
        "memory/b.md:5 MG205",
    ]


def test_severities_come_from_the_configuration_but_a_note_stays_a_note() -> None:
    text = memory("A", "AKIAIOSFODNN7EXAMPLE and ghp_" + "a1B2" * 9)
    given = corpus({"memory/a.md": text})
    assert sorted(one.severity for one in check(given, "MG501")) == ["error", "info"]
    softened = run(given, Settings(select=("MG501",), severity={"secret": "warning"}), RULES).findings
    assert sorted(one.severity for one in softened) == ["info", "warning"]
    assert run(given, Settings(select=("MG501",), severity={"MG5": "off"}), RULES).findings == ()


@pytest.mark.parametrize(
    "text",
    [
        "[[gone]] <!-- memgit: allow MG201 -->",
        "<!-- memgit: allow broken-link -->\n[[gone]]",
        "<!-- memgit: allow MG201 -->\n\n[[gone]]",
        "<!-- memgit: allow MG205, MG201: it comes next week -->\n[[gone]]",
        "<!-- memgit: allow MG201 -->\n\nText.\n\n[[gone]]",
    ],
)
def test_a_finding_is_allowed_in_place(text: str) -> None:
    given = corpus({"memory/a.md": memory("A", text)})
    result = run(given, Settings(select=("MG201",)), RULES)
    assert result.findings == () and result.allowed == 1


@pytest.mark.parametrize(
    "text",
    [
        "Text.\n<!-- memgit: allow MG201 -->\n\nOther text.\n[[gone]]",
        "<!-- memgit: allow MG202 -->\n[[gone]]",
        "<!-- memgit: allowed MG201 -->\n[[gone]]",
        "[[gone]]\n<!-- memgit: allow MG201 -->",
    ],
)
def test_an_allowance_reaches_no_further(text: str) -> None:
    given = corpus({"memory/a.md": memory("A", text)})
    assert len(run(given, Settings(select=("MG201",)), RULES).findings) == 1


def test_an_allowance_in_frontmatter() -> None:
    text = "---\ntitle: A\ncreated: 2026-02-30 # memgit: allow MG004\n---\nText.\n"
    assert run(corpus({"memory/a.md": text}), Settings(select=("MG004",)), RULES).allowed == 1


def test_the_result_counts() -> None:
    given = corpus({"memory/a.md": memory("A", "[[x]]"), "README.md": "# R\n"})
    result = run(given, Settings(select=("MG201", "MG304")), RULES)
    assert (result.files, result.count("error"), result.count("info"), result.worst) == (2, 1, 0, "error")
    assert run(corpus({}), Settings(ignore=("MG101",)), RULES).worst is None


def test_mending_ends_with_derived_files_that_follow_from_the_rest() -> None:
    one = entry("One", more="**Related:** [[a#Two]]\n", keywords="http, retry, timeout")
    two = entry("Two", keywords="css, grid, layout")
    given = corpus({"knowledge-base/a.md": one + two})
    mended = mend(given, Settings(), RULES)
    assert {finding.rule for finding in mended.findings} == {"MG202", "MG101"}
    assert not [found for found in run(mended.after, Settings(), RULES).findings if found.fixable]
    assert b"[[a#One]]" in (mended.edits["knowledge-base/a.md"] or b"")
    assert mend(mended.after, Settings(), RULES).edits == {}


def test_mending_gives_no_edit_where_there_is_nothing_to_mend() -> None:
    files = {"memory/a.md": memory("A")}
    clean = mend(corpus(files), Settings(), RULES).after
    assert mend(clean, Settings(), RULES).edits == {}


def test_mending_leaves_a_broken_file_alone() -> None:
    one = entry("One", more="**Related:** [[b]]\n")
    given = corpus({"knowledge-base/a.md": one, "memory/b.md": "---\ntitle: a: b\n---\nText.\n"})
    assert "memory/b.md" not in mend(given, Settings(select=("MG202",)), RULES).edits


def test_rules_from_outside_are_checked_before_they_are_taken() -> None:
    taken, wrong = outside(
        RULES,
        lambda: [
            LOUD,
            [BROKEN],
            RULES[0],
            3,
            "x = y: ImportError: z",
            LOUD._replace(code="XY009", severity="bad"),
        ],
    )
    assert [rule.code for rule in taken[len(RULES) :]] == ["XY001", "XY002"]
    assert len(wrong) == 4 and any("already" in words for words in wrong) and "x = y: ImportError: z" in wrong
