from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from tests.support import Prepared, memgit, run_git


@pytest.fixture
def harbour(prepared: Prepared) -> Path:
    return prepared("kb", make_harbour)


def make_harbour(kb: Path) -> None:
    memgit(
        kb,
        "--actor",
        "bot",
        "record",
        "knowledge",
        "Lock the berth before quoting",
        "--category",
        "booking",
        "--keywords",
        "lock,berth",
        "-m",
        "- Take the lock, then quote a price",
        "--date",
        "2026-01-02",
    )
    memgit(
        kb,
        "record",
        "memory",
        "Version 1.0.21 breaks src/a.py",
        "--topics",
        "build/tools",
        "-m",
        "Pass --foo-bar or wait.\n\nСкорость важна. 泊位先鎖定。",
    )
    memgit(
        kb,
        "record",
        "memory",
        "Berth numbers are strings",
        "--scope",
        "data",
        "-m",
        "A harbour names its berths itself.",
    )


def found(folder: Path, *args: str) -> list[str]:
    return [result["address"] for result in memgit(folder, "search", "--json", *args).json["results"]]


def test_the_shape_of_the_answer(harbour: Path) -> None:
    answer = memgit(harbour, "search", "quote", "price", "--json").json
    assert answer["query"] == "quote price"
    assert answer["revision"] == run_git(harbour, "rev-parse", "HEAD")
    assert answer["fresh"] is True
    [result] = answer["results"]
    assert result["address"] == "knowledge/booking#Lock the berth before quoting"
    assert (result["kind"], result["path"]) == ("knowledge", "knowledge-base/booking.md")
    assert "**quote**" in result["snippet"]
    line = (harbour / result["path"]).read_text().split("\n")[result["line"] - 1]
    assert "quote" in line
    assert result["score"] > 0


def test_the_title_counts_most(harbour: Path) -> None:
    assert found(harbour, "berth")[0] in (
        "memory/data/berth-numbers-are-strings",
        "knowledge/booking#Lock the berth before quoting",
    )
    assert len(found(harbour, "berth")) == 2


@pytest.mark.parametrize(
    ("query", "address"),
    [
        ("1.0.21", "memory/version-1-0-21-breaks-src-a-py"),
        ("src/a.py", "memory/version-1-0-21-breaks-src-a-py"),
        ("--foo-bar", "memory/version-1-0-21-breaks-src-a-py"),
        ("скорость", "memory/version-1-0-21-breaks-src-a-py"),
        ("鎖定", "memory/version-1-0-21-breaks-src-a-py"),
        ('"harbour names"', "memory/data/berth-numbers-are-strings"),
    ],
)
def test_words_of_every_shape_are_found(harbour: Path, query: str, address: str) -> None:
    assert address in [
        result["address"] for result in memgit(harbour, "search", "--json", "--", query).json["results"]
    ]


@pytest.mark.parametrize(
    "query",
    [
        'AND NOT "x*',
        '"',
        "*",
        "(",
        "NEAR(",
        "a OR",
        "^",
        "{title}: x",
        "'; drop table record; --",
        "🌊",
        "\u0000",
        "-",
        "C:\\x",
    ],
)
def test_any_text_is_a_legal_query(harbour: Path, query: str) -> None:
    assert memgit(harbour, "search", "--json", "--", query).json["query"] == query


def test_filters(harbour: Path) -> None:
    assert found(harbour, "berth", "--kind", "memory") == ["memory/data/berth-numbers-are-strings"]
    assert found(harbour, "berth", "--category", "booking") == [
        "knowledge/booking#Lock the berth before quoting"
    ]
    assert found(harbour, "berth", "--scope", "data") == ["memory/data/berth-numbers-are-strings"]
    assert found(harbour, "breaks", "--topic", "build") == ["memory/version-1-0-21-breaks-src-a-py"]
    assert found(harbour, "berth", "--until", "2026-01-31") == [
        "knowledge/booking#Lock the berth before quoting"
    ]
    assert found(harbour, "berth", "--since", "2026-02-01") == ["memory/data/berth-numbers-are-strings"]
    assert found(harbour, "berth", "--since", "2026-02", "--until", "now") == found(
        harbour, "berth", "--since", "2026-02-01"
    )
    assert len(found(harbour, "berth", "--since", "99 years ago")) == 2
    assert found(harbour, "berth", "--until", "99 years ago") == []
    assert found(harbour, "berth", "--actor", "bot") == ["knowledge/booking#Lock the berth before quoting"]
    assert found(harbour, "berth", "-n", "1") == found(harbour, "berth")[:1]
    assert "is not a date" in memgit(harbour, "search", "berth", "--since", "soon", code=2).err


def test_archived_records_are_found_on_request(harbour: Path) -> None:
    memgit(harbour, "archive", "berth-numbers-are-strings")
    assert found(harbour, "strings") == []
    assert found(harbour, "strings", "--archived") == ["memory/data/berth-numbers-are-strings"]
    memgit(harbour, "restore", "berth-numbers-are-strings")
    assert found(harbour, "strings") == ["memory/data/berth-numbers-are-strings"]


def test_the_answer_is_right_after_anything_that_git_does(harbour: Path) -> None:
    before = run_git(harbour, "rev-parse", "HEAD")
    path = harbour / "memory/data/berth-numbers-are-strings.md"
    path.write_text(path.read_text().replace("harbour", "marina"))
    assert found(harbour, "marina") == ["memory/data/berth-numbers-are-strings"]
    assert found(harbour, "marina", "--at", "HEAD") == []
    path.unlink()
    assert found(harbour, "strings") == []
    run_git(harbour, "checkout", "-q", "--", ".")
    assert found(harbour, "strings") == ["memory/data/berth-numbers-are-strings"]
    run_git(harbour, "switch", "-qc", "other", "HEAD~1")
    assert found(harbour, "strings") == []
    assert found(harbour, "strings", "--at", before) == ["memory/data/berth-numbers-are-strings"]
    run_git(harbour, "reset", "-q", "--hard", before)
    assert found(harbour, "strings") == ["memory/data/berth-numbers-are-strings"]
    for file in (harbour / ".git/memgit").glob("cache.db*"):
        file.unlink()
    assert found(harbour, "strings") == ["memory/data/berth-numbers-are-strings"]
    (harbour / ".git/memgit/cache.db").write_bytes(b"no database")
    assert found(harbour, "strings") == ["memory/data/berth-numbers-are-strings"]


@pytest.mark.parametrize("limit", [2**31, 2**63 - 1, 2**63, 10**30])
def test_a_limit_may_be_of_any_size(harbour: Path, limit: int) -> None:
    assert len(memgit(harbour, "search", "berth", "--json", "-n", str(limit)).json["results"]) == 2
    assert len(memgit(harbour, "list", "--json", "-n", str(limit)).json) == 3
    for options in ([], ["memory/data/berth-numbers-are-strings"]):
        told = memgit(
            harbour, "log", "--json", "-n", str(limit), *(["--record", *options] if options else [])
        ).json
        assert len(told) == (1 if options else len(memgit(harbour, "log", "--json").json))


def test_halves_of_surrogate_pairs_spoil_no_answer(harbour: Path) -> None:
    """YAML can name them by an escape, and nothing can be written that holds one."""
    path = harbour / "memory" / "half.md"
    path.write_text('---\ntitle: "Quay \\ud800 \\ud83d\\ude00"\ntopics: ["\\udc80"]\n---\n\nA quay text.\n')
    for _ in range(2):
        (result,) = memgit(harbour, "search", "quay", "--json").json["results"]
        assert result["title"] == "Quay \ufffd \U0001f600"
        assert [item["title"] for item in memgit(harbour, "list", "--json").json].count(result["title"]) == 1
        assert memgit(harbour, "show", "memory/half", "--json").json["topics"] == ["\ufffd"]
        assert result["title"] in memgit(harbour, "context").out
        memgit(harbour, "rebuild", "--check", code=None)
        run_git(harbour, "add", "-A")
        run_git(harbour, "commit", "-qm", "half", "--no-verify", "--allow-empty")
    assert memgit(harbour, "search", "quay \ud800", "--json").json["query"].startswith("quay \ufffd")


def test_a_phrase_that_nothing_has_is_named(harbour: Path) -> None:
    answer = memgit(harbour, "search", '"lock the berth"')
    assert "Lock the berth before quoting" in answer.out and answer.err == ""
    answer = memgit(harbour, "search", '"the lock berth" price "a quote"')
    assert "Lock the berth before quoting" in answer.out
    assert answer.err == (
        'memgit: nothing that was searched has "the lock berth" and "a quote" all as they stand; '
        "these have some of the words\n"
    )
    answer = memgit(harbour, "search", '"lock the berth"', "--kind", "memory")
    assert answer.out.startswith("memory/data/berth")
    assert answer.err == (
        'memgit: nothing that was searched has "lock the berth" as it stands; these have some of the words\n'
    )
    answer = memgit(harbour, "search", '"xyzzy plugh"')
    assert (answer.out, answer.err) == (
        "",
        'memgit: nothing that was searched has "xyzzy plugh" as it stands, nor any of the words\n',
    )
    for query, missing in (
        ('"lock the berth"', []),
        ('"the lock"', []),
        ('"berth the"', ["berth the"]),
        ('"', []),
        ('""', []),
        ('"--" x', []),
    ):
        assert memgit(harbour, "search", "--json", query).json["missing_phrases"] == missing
    identity = memgit(harbour, "list", "--json").json[0]["id"]
    assert memgit(harbour, "search", "--json", identity).json["missing_phrases"] == []


def test_nothing_found_is_said(harbour: Path) -> None:
    answer = memgit(harbour, "search", "xyzzy")
    assert (answer.out, answer.err) == ("", "memgit: nothing was found\n")
    assert memgit(harbour, "search", "xyzzy", "--json").err == ""


def test_a_query_that_looks_like_an_option(harbour: Path) -> None:
    for args, hint in (
        (("search", "--foo-bar"), "search -- --foo-bar"),
        (
            ("search", "-n", "3", "--foo-bar", "or wait", "--kind=memory"),
            "search -n 3 --kind=memory -- --foo-bar 'or wait'",
        ),
        (("recall", "-v"), "recall -- -v"),
        (("search", "-n3", "-foo"), "search -n3 -- -foo"),
        (("search", "-foo", "-n3", "-n", "4", "or"), "search -n3 -n 4 -- -foo or"),
        (("search", "-foo", "--kind=memory", "--", "-n3"), "search --kind=memory -- -foo -n3"),
    ):
        answer = memgit(harbour, *args, code=2)
        assert answer.err.endswith(
            f"  hint: put a text that begins with a dash after --: memgit -C {harbour} {hint}\n"
        )
    (harbour / "search").mkdir()
    err = memgit(harbour, "-C", "search", "--run=search", "search", "-foo bar", code=2).err
    assert err.endswith(f": memgit -C {harbour} -C search --run=search search -- '-foo bar'\n")
    words = shlex.split("search -n 3 --kind=memory -- --foo-bar 'or wait'")
    assert memgit(harbour, *words).out.startswith("memory/version-1-0-21")
    for other in (
        ("list", "--foo-bar"),
        ("record", "memory", "--foo-bar"),
        ("hooks", "install", "--foo bar"),
    ):
        assert "stands after" not in memgit(harbour, *other, code=2).err
    assert "record -- memory '--foo bar'" in memgit(harbour, "record", "memory", "--foo bar", code=2).err


def test_filters_that_exclude_each_other_are_refused(harbour: Path) -> None:
    for args in (
        ("--kind", "memory", "--category", "booking"),
        ("--scope", "data", "--category", "booking"),
        ("--kind", "skill", "--scope", "x"),
    ):
        for command in (("search", "berth"), ("list",)):
            assert " is for records of kind" in memgit(harbour, *command, *args, code=2).err
    assert found(harbour, "berth", "--kind", "knowledge", "--category", "booking") == [
        "knowledge/booking#Lock the berth before quoting"
    ]


def test_an_alias_gives_its_note_first(kb: Path) -> None:
    (kb / "notes").mkdir(exist_ok=True)
    (kb / "notes/a.md").write_text("---\naliases: [Second Try]\n---\n\n# Alpha\n\nWords.\n", encoding="utf-8")
    (kb / "notes/b.md").write_text("# Beta\n\nA second try, and a second try.\n", encoding="utf-8")
    assert found(kb, "Second Try") == ["note/notes/a", "note/notes/b"]
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qm", "notes", "--no-verify")
    assert found(kb, "Second Try") == ["note/notes/a", "note/notes/b"]


def test_snippets_are_text_without_labels_or_markup(harbour: Path) -> None:
    results = memgit(harbour, "search", "quote", "--json").json["results"]
    assert results[0]["snippet"] == "Take the lock, then **quote** a price"
    assert "Take the lock, then quote a price" in memgit(harbour, "search", "quote").out
