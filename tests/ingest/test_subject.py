"""What a document is about, as titles and categories name it."""

from __future__ import annotations

import pytest

from memgit.ingest.subject import numbered, package_of, short_name, subject_of, subject_of_code, undated

USES = "The tidepool command waits. Run tidepool again. A tidepool client reads.\n"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"```sh\nnpm install tidepool\n```\n{USES * 2}", "tidepool"),
        (f"import tidepool\n\n@tidepool.task\n{USES}", "tidepool"),
        (
            f'import {{a}} from "@sea/tidepool";\nimport {{b}} from "@sea/tidepool/b";\n{USES} @sea/tidepool',
            "@sea/tidepool",
        ),
        ("import os\nimport sys\nos.path\n" * 4, ""),
        ("pip install tidepool\n", ""),
        ("Nothing of code here.\n", ""),
    ],
)
def test_the_package_that_a_text_is_about(text: str, wanted: str) -> None:
    assert package_of(text) == wanted


@pytest.mark.parametrize(
    ("title", "wanted"),
    [
        ("Chapter 6 - Watching Tides", "Watching Tides"),
        ("2024-03-05 Outage of the tide service!", "Outage of the tide service"),
        ("Reading tide tables by lamp | Harbour Blog", "Reading tide tables by lamp"),
        (
            "A long story of how the harbour came by its first lamp: what it cost and who paid for it",
            "A long story of how the harbour came by its first lamp",
        ),
    ],
)
def test_a_title_as_a_name(title: str, wanted: str) -> None:
    assert short_name(title) == wanted


@pytest.mark.parametrize(
    ("title", "text", "name", "about"),
    [
        ("Options", f"import tidepool\nimport tidepool\n{USES}", "tidepool options", "tidepool"),
        (
            "Watching tides",
            "A tide rises. The tide falls. No tides wait for a tide. Tides, tides.\n",
            "Watching tides",
            "tides",
        ),
        (
            "Load balancer tier",
            "The load balancer, a load balancer and one more load balancer.\n",
            "Load balancer tier",
            "load balancer",
        ),
        ("README", "Words.\n", "", ""),
    ],
)
def test_a_subject(title: str, text: str, name: str, about: str) -> None:
    assert subject_of(title, text) == (name, about)


def test_source_code_is_about_its_package() -> None:
    assert subject_of_code("pools.py", '"""\ntidepool.pools\n~~~~~~\n"""\n').about == "tidepool"
    assert subject_of_code("pools.py", "import os\n").about == "pools"
    assert subject_of_code("utils.py", "import os\n").about == ""


@pytest.mark.parametrize(
    ("stem", "wanted"),
    [("rfc-2119", "rfc"), ("PEP 8", "pep"), ("chapter-3", ""), ("0012-pumps", ""), ("a-1", "")],
)
def test_a_number_of_a_series(stem: str, wanted: str) -> None:
    assert numbered(stem) == wanted


@pytest.mark.parametrize(
    ("stem", "wanted"),
    [("PumpTalk-12-Mar-2018", "pumptalk"), ("2026-03-02 harbour crew", "harbour-crew"), ("chat-2026", "")],
)
def test_a_log_without_its_date(stem: str, wanted: str) -> None:
    assert undated(stem) == wanted


def test_a_tag_counts_where_the_text_uses_it() -> None:
    text = "Pumps run. A pump stops. The pump is old.\n"
    assert subject_of("Old iron", text, tag="pumps").about == "pumps"
    assert subject_of("Old iron", text, tag="final").about != "final"


def test_a_name_in_the_title_goes_before_a_word_of_it() -> None:
    text = "The survey asks. A survey asks again; surveys, survey. TideOps is asked: TideOps, TideOps.\n"
    assert subject_of("A wide survey of TideOps", text).about == "tideops"


def test_a_name_that_one_part_alone_speaks_of() -> None:
    text = (
        "Nothing is said here of anybody. " * 40
        + "We asked Harborlight, and then Harborlight, also Harborlight, dear Harborlight."
    )
    assert subject_of("Notes", text).about == ""
    assert subject_of("Notes", "We asked Harborlight again, that is. " * 9).about == "harborlight"
