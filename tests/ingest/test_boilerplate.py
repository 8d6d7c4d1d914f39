"""What nobody looks up is known for what it is, and what only looks like it is not."""

from __future__ import annotations

import pytest

from memgit.ingest.boilerplate import kind_of, without_layout

MIT = "Permission is hereby granted, free of charge, to any person obtaining a copy of this software."


@pytest.mark.parametrize(
    ("title", "text", "kind"),
    [
        ("Table of Contents", "- [Install](#install)\n- [Use](#use)\n", "a table of contents"),
        ("Overview", "- [Install](#install)\n- [Use](#use)\n- [API](#api)\n", "a table of contents"),
        ("License", "MIT, see the file.", "a licence"),
        ("Small print", MIT, "a licence"),
        ("Contributors ✨", "- Ana\n- Ben\n", "credits"),
        ("Sponsors", "Thank you.", "credits"),
        ("Citing", "@article{x, title={y}}", "a way to cite it"),
        ("[1.4.2] - 2026-01-03", "- Fixed a leak", "a changelog"),
        ("Changelog", "text", "a changelog"),
        ("Settings", "This file is auto-generated, do not edit it by hand.", "generated"),
        ("widget", "![a](https://img.shields.io/a.svg)\n[![b](https://x/b.svg)](https://x)\n", "badges and layout"),
        ("Rotate the signing key", "1. Run `keyctl rotate`.", ""),
        ("License server", "The licence server listens on port 27000: `lmgrd -p 27000`.", ""),
        ("History of the outage", "At 10:02 the disk was full because logs were never rotated.", ""),
        ("Team quotas", "Each team has at most 40 machines.", ""),
        ("Steps", "- [docs](https://example.org/docs): read them\n- restart\n- wait\n", ""),
        ("Exit codes of make", "- 0 done\n- 1 failed\n- 2 wrong usage\n", ""),
    ],
)  # fmt: skip
def test_kinds(title: str, text: str, kind: str) -> None:
    assert kind_of(title, text) == kind


def test_layout_goes_and_everything_else_stays() -> None:
    body = (
        '<p align="center">\n  <a href="https://x"><img src="https://x/b.svg"></a>\n</p>\n\nA queue.\n\n'
        "![plan](plan.png)\n\n```html\n<p>\n</p>\n```\n\n<details>\n<summary>Limits</summary>\n\n40 jobs.\n</details>\n"
    )
    assert without_layout(body) == (
        "A queue.\n\n![plan](plan.png)\n\n```html\n<p>\n</p>\n```\n\n<summary>Limits</summary>\n\n40 jobs."
    )
    assert without_layout("no markup < here") == "no markup < here"


def test_thanks_to_sponsors_are_taken_out_of_a_body() -> None:
    thanks = '<div align="center">\n\t<a href="https://sponsors.example.org">Sponsors keep this alive</a>\n\t<b>Fast ropes.</b>\n</div>\n'
    assert without_layout(f"Ropes.\n\n{thanks}\nKnots.") == "Ropes.\n\nKnots."
    kept = "<div>\n\tA table of knots.\n</div>"
    assert without_layout(f"Ropes.\n\n{kept}") == "Ropes.\n\n\tA table of knots."


def test_a_page_that_moved_is_nothing() -> None:
    assert kind_of("tides", "This file was moved to https://example.org/tides.md") == "a pointer elsewhere"
    assert kind_of("Maintainers; License", "Ada") != "" and kind_of("About: Author; License", "Ada") != ""
    assert kind_of("Status", "Accepted") == ""
