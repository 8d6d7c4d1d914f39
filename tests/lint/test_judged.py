"""The judged cases of the rules: everything true is found, nothing false is reported."""

import pytest

from benchmarks.judged import Case, cases


@pytest.mark.parametrize("case", list(cases()), ids=lambda case: f"{case.rule.code}-{case.name}")
def test_each_case_is_judged_as_a_careful_reader_would(case: Case) -> None:
    found = case.findings()
    assert bool(found) == case.true, [one.message for one in found]
