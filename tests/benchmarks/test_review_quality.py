"""Reviews catch what is wrong and let pass what is not: a pull request for each rule, and harmless ones; all
of them on real workspaces.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import review_cases, review_quality
from benchmarks.review_cases import Case


def chosen() -> list[Case]:
    """The first case for each rule on the workspace that is made here, and every third harmless one."""
    own = [case for case in review_cases.every_case() if case.corpus == review_cases.OWN]
    first = {case.rules[0]: case for case in reversed(own) if case.rules}
    return [*first.values(), *[case for case in own if not case.rules][::3]]


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> review_cases.Bench:
    found = review_cases.prepare(Path("/nowhere"), tmp_path_factory.mktemp("benches"))
    return found[review_cases.OWN]


@pytest.mark.parametrize("case", chosen(), ids=lambda case: case.name)
def test_one_pull_request(case: Case, bench: review_cases.Bench) -> None:
    verdict = review_quality.judge(bench, case)
    assert verdict.right, verdict


def test_there_are_cases_enough() -> None:
    cases = review_cases.every_case()
    assert (
        len([case for case in cases if case.rules]) >= 60
        and len([case for case in cases if not case.rules]) >= 60
    )
    assert len({(case.corpus, case.name) for case in cases}) == len(cases)


@pytest.mark.slow
def test_every_pull_request(corpora: Path) -> None:
    wrong = [verdict for verdict in review_quality.run(corpora) if not verdict.right]
    assert wrong == []
