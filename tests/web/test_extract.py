"""The main content of a page as Markdown."""

from __future__ import annotations

import pytest

pytest.importorskip("trafilatura")

from memgit.web.extract import extract

WORDS = "<p>\n            " + "The pump of the lock needs oil before the spring tide. " * 8 + "\n        </p>"


def test_what_follows_code_is_no_code() -> None:
    page = (
        f"<html><body><article><h1>Pumps</h1>{WORDS}<div>\n<pre>oil --all\n    --twice\n</pre>\n"
        f"            </div>\n        {WORDS}<h2>After</h2>{WORDS}</article></body></html>"
    )
    lines = extract(page, "")[2].split("\n")
    end = lines.index("```", lines.index("```") + 1)
    assert lines[end - 2 : end] == ["oil --all", "    --twice"]
    assert lines[end + 1].startswith("The pump of the lock")
