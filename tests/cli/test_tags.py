"""Tags: of the frontmatter and in the text."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import memgit, run_git

FILES = {
    "notes/a.md": "---\ntags: [Boats, sea/harbour]\n---\n\n# A\n\nAbout a storm #weather, not#this.\n",
    "notes/b.md": "# B\n\n#weather and a storm; `#code` and #42 are none.\n\n```sh\n#no\n```\n\n#sea/wind\n",
    "notes/c.md": "# C\n\nA storm, see https://example.org/#part and [x](a.md#sea).\n",
}


@pytest.fixture
def tagged(kb: Path) -> Path:
    for name, text in FILES.items():
        (kb / name).parent.mkdir(exist_ok=True)
        (kb / name).write_text(text, encoding="utf-8")
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "notes", "--no-verify")
    return kb


def test_tags_with_counts(tagged: Path) -> None:
    assert memgit(tagged, "tags", "--json").json == [
        {"tag": "weather", "records": 2},
        {"tag": "Boats", "records": 1},
        {"tag": "sea/harbour", "records": 1},
        {"tag": "sea/wind", "records": 1},
    ]
    assert memgit(tagged, "tags").out.splitlines()[0].split() == ["2", "#weather"]


@pytest.mark.parametrize(
    ("tag", "titles"),
    [("weather", {"A", "B"}), ("#BOATS", {"A"}), ("sea", {"A", "B"}), ("sea/wind", {"B"}), ("code", set())],
)
def test_list_and_search_by_tag(tagged: Path, tag: str, titles: set[str]) -> None:
    assert {one["title"] for one in memgit(tagged, "list", "--tag", tag, "--json").json} == titles
    found = memgit(tagged, "search", "storm", "--tag", tag, "--json").json["results"]
    assert {one["title"] for one in found} == titles
