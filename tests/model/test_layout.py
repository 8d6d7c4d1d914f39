from __future__ import annotations

import pytest

from memgit.model.layout import Layout, Place, mem_skill, memgit, mnema, notes, vault

ADRS = Layout(
    "notes", (Place("decision", "docs/adr/", "**/[0-9]*-*.md", "adr"), *notes(("docs/**/*.md",)).places)
)
FITS: list[tuple[Layout, str, str | None, str | None]] = [
    (ADRS, "docs/adr/0001-x.md", "decision", "0001-x"),
    (ADRS, "docs/adr/a/b/12-x-y.md", "decision", "a/b/12-x-y"),
    (ADRS, "docs/adr/a/\u0661-x.md", "note", None),
    (ADRS, "docs/adr/a/template.md", "note", None),
    (ADRS, "docs/adr/a/[0-9]-x.md", "note", None),
    (ADRS, "docs/adr/0001.md", "note", None),
    (memgit(), "knowledge-base/frontend-dev.md", "knowledge", "frontend-dev"),
    (memgit(), "knowledge-base/web/css.md", "knowledge", "web/css"),
    (memgit(), "knowledge-base/_index.json", None, None),
    (memgit(), "knowledge-base/README.md", None, None),
    (memgit(), "experience/skill-webpack.md", "experience", "webpack"),
    (memgit(), "experience/webpack.md", None, None),
    (memgit(), "skills/safe-migration.md", "skill", "safe-migration"),
    (memgit(), "memory/friday-ci.md", "memory", "friday-ci"),
    (memgit(), "memory/team/api/friday-ci.md", "memory", "team/api/friday-ci"),
    (memgit(), "memory/INDEX.md", None, None),
    (memgit(), "memory/..md", "memory", "."),
    (memgit(), "memory/.obsidian/plugin.md", None, None),
    (memgit(), "observations/2026/03/kb7m2q9x4d.md", "observation", "kb7m2q9x4d"),
    (memgit(), "decisions/20260302-one-lock.md", "decision", "20260302-one-lock"),
    (memgit(), "notes/deep/er/x.md", "note", "notes/deep/er/x"),
    (memgit(), "notes/x.md", "note", "notes/x"),
    (memgit(), "README.md", None, None),
    (memgit(), "notes/x.txt", None, None),
    (mem_skill("data/"), "data/knowledge-base/workflow.md", "knowledge", "workflow"),
    (vault(), ".memory/10-Memories/MEM-lock.md", "memory", "MEM-lock"),
    (vault(), ".memory/10-Memories/README.md", None, None),
    (vault(), ".memory/00-Inbox/x.md", None, None),
    (vault(), ".memory/.obsidian/x.md", None, None),
    (mnema(), ".mnema/backlog/DONE/NOTA-1.md", "note", ".mnema/backlog/DONE/NOTA-1"),
    (mnema(), ".mnema/roadmap/NOTA-ADR-1.md", "decision", "NOTA-ADR-1"),
    (mnema(), ".mnema/roadmap/NOTA-EPIC-1.md", "note", ".mnema/roadmap/NOTA-EPIC-1"),
    (mnema(), ".mnema/roadmap/README.md", None, None),
    (mnema(), ".mnema/memory/decisions/one.md", "decision", "one"),
    (mnema(), ".mnema/memory/decisions/INDEX.md", None, None),
    (mnema(), ".mnema/memory/team/x.md", "memory", "team/x"),
    (mnema(), ".mnema/skills/default/adr.md", "skill", "adr"),
    (mnema(), ".mnema/skills/SKILL.md", None, None),
    (mnema(), ".mnema/keys/x.md", None, None),
    (notes(), "a/b/c.md", "note", "a/b/c"),
    (notes(), "README.md", "note", "README"),
    (notes(), ".github/x.md", None, None),
    (notes(), ".hidden.md", "note", ".hidden"),
    (notes(), "new\nline.md", "note", "new\nline"),
    (notes(("docs/*.md",)), "docs/x.md", "note", "docs/x"),
    (notes(("docs/*.md",)), "docs/deep/x.md", None, None),
]


@pytest.mark.parametrize(("layout", "path", "kind", "key"), FITS)
def test_the_place_of_a_path(layout: Layout, path: str, kind: str | None, key: str | None) -> None:
    found = layout.find(path)
    if kind is None:
        assert found is None
    else:
        assert found is not None
        place, actual = found
        assert place.kind == kind
        if kind != "note":
            assert actual == key
        address = layout.address(place, path, actual, "T")
        assert address.startswith(f"{kind}/")


NEW = [
    (ADRS, "decision", "20260302-x", "docs/adr/20260302-x.md"),
    (ADRS, "decision", "area/0001-x", "docs/adr/area/0001-x.md"),
    (memgit(), "knowledge", "web/css", "knowledge-base/web/css.md"),
    (memgit(), "experience", "webpack", "experience/skill-webpack.md"),
    (memgit(), "memory", "team/x", "memory/team/x.md"),
    (memgit(), "observation", "kb7m2q9x4d", "observations/2026/03/kb7m2q9x4d.md"),
    (memgit(), "decision", "20260302-x", "decisions/20260302-x.md"),
    (memgit(), "note", "x", "notes/x.md"),
    (vault(), "memory", "lock", ".memory/10-Memories/MEM-lock.md"),
    (mnema(), "skill", "adr", ".mnema/skills/authored/adr.md"),
    (mnema(), "memory", "x", ".mnema/memory/x.md"),
    (notes(), "note", "x", "x.md"),
]


@pytest.mark.parametrize(("layout", "kind", "key", "path"), NEW)
def test_a_new_record_lies_where_it_is_found_again(layout: Layout, kind: str, key: str, path: str) -> None:
    place = layout.of(kind)[0]
    assert place.path(key, year="2026", month="03") == path
    found = layout.find(path)
    assert found is not None
    assert found[0].kind == kind


def test_folders_hold_no_folder_of_another() -> None:
    assert mnema().folders() == (
        ".mnema/backlog/",
        ".mnema/memory/",
        ".mnema/observations/",
        ".mnema/roadmap/",
        ".mnema/skills/",
        ".mnema/sprints/",
    )
    assert notes().folders() == ("",)
    assert memgit().folders() == ("",)


@pytest.mark.parametrize(
    "layout",
    [memgit(), mem_skill("data/"), vault(), mnema(), notes(), notes(("docs/**/*.md", "docs/api/{key}.md"))],
)
def test_nothing_lies_outside_the_roots(layout: Layout) -> None:
    assert all(root == "" or root.endswith("/") for root in layout.roots())
    for place in layout.places:
        for key in ("a", "a/b"):
            path = place.path(key, year="2026", month="03")
            found = layout.find(path)
            if found is not None:
                assert path.startswith(layout.roots()) and path.startswith(layout.roots((found[0].kind,)))
    kept = layout.roots()
    assert not any(one != other and one.startswith(other) for one in kept for other in kept)


def test_roots_are_as_deep_as_the_patterns() -> None:
    assert memgit().roots() == (
        "decisions/",
        "experience/",
        "knowledge-base/",
        "memory/",
        "notes/",
        "observations/",
        "skills/",
    )
    assert memgit().roots(("memory", "note")) == ("memory/", "notes/")
    assert notes().roots() == ("",)
    assert notes(("docs/**/*.md", "docs/api/{key}.md")).roots() == ("docs/",)
