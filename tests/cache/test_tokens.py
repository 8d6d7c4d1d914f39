"""Words and terms: what a text is found by, and that every query is a legal one."""

from __future__ import annotations

import sqlite3
import unicodedata
from collections.abc import Iterator

import pytest
from hypothesis import example, given

from memgit.cache.tokens import MAX_REPEATS, MAX_TERMS, TOKENIZER, fold, phrase, telling, terms, words_of
from tests.strategies import queries


@pytest.fixture(scope="module")
def index() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:", isolation_level=None)
    connection.execute(f"create virtual table words using fts5(word, content='', tokenize=\"{TOKENIZER}\")")
    connection.execute("create virtual table vocabulary using fts5vocab(words, 'instance')")
    yield connection
    connection.close()


def tokens(index: sqlite3.Connection, text: str) -> list[str]:
    """The words of a text as they get into the index."""
    index.execute("insert into words(words) values ('delete-all')")
    index.execute("insert into words(rowid, word) values (1, ?)", (fold(text),))
    return [row[0] for row in index.execute("select term from vocabulary order by offset")]


def matches(index: sqlite3.Connection, text: str, query: str) -> bool:
    """Whether any term of a query is found in a text."""
    tokens(index, text)
    return any(
        index.execute("select 1 from words where words match ?", (term.match,)).fetchone()
        for term in terms(query)
    )


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Café crème", "cafe"),
        ("cafe", "CAFÉ"),
        (unicodedata.normalize("NFD", "Café"), "café"),
        ("Łódź", "łódź"),
        ("Ёлка и ёж", "елка"),
        ("ΣΊΣΥΦΟΣ", "σίσυφος"),
        ("مُحَمَّد", "محمد"),
        ("שָׁלוֹם", "שלום"),
        ("हिन्दी में खोज", "हिन्दी"),
        ("全文検索を設定する", "検索"),
        ("全文検索を設定する", "る"),
        ("全文検索を設定する", "全文検索"),
        ("如何配置缓存失效策略", "缓存策略"),
        ("데이터베이스를 백업한다", "데이터베이스"),
        ("ที่ทำงานของเรา", "ทำงาน"),
        ("Python入門", "python"),
        ("Python入門", "入門"),
        ("ＡＢＣ１２", "abc12"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("fix 🔧 it", "🔧"),
        ("✅done", "done"),
        ("✅done", "✅"),
        ("caching of hooks", "hook cache"),
        ("version 1.0.21 of it", "1.0.21"),
        ("see src/a.py there", "src/a.py"),
        ("use --foo-bar now", "--foo-bar"),
        ("the git_dir variable", "git_dir"),
        ("don't panic", "don't"),
        ("the user's shell", "user"),
        ("configuration", "configurati* configur*"),
        ("C:\\Users\\Ada", "C:\\Users"),
        ("a\0b", "b"),
    ],
)
def test_a_text_is_found(index: sqlite3.Connection, text: str, query: str) -> None:
    assert matches(index, text, query)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("version 1.0.21 of it", "1.0.2"),
        ("version 1.0.21 of it", "0.1"),
        ("全文検索", "検全"),
        ("検査", "索"),
        ("🔧", "🔨"),
        ("JavaScript", "java"),
        ("foo then bar", '"foo bar"'),
    ],
)
def test_a_text_is_not_found(index: sqlite3.Connection, text: str, query: str) -> None:
    assert not matches(index, text, query)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("", []),
        ("  \t\n", []),
        ("-- ... !?", []),
        ('"', []),
        ('""', []),
        ("*", []),
        ("\0\0", []),
        ("AND NOT OR", ['"AND"', '"NOT"', '"OR"']),
        ('AND NOT "x*', ['"AND"', '"NOT"', '"x"*']),
        ("1.0.21", ['"1 0 21"']),
        ("src/a.py", ['"src a py"', '"src"']),
        ("--dry-run", ['"dry run"', '"dry"', '"run"']),
        ("client-side", ['"client"', '"side"']),
        ("begin*", ['"begin"*']),
        ("a:b NEAR(x y)", ['"a b"', '"NEAR x"', '"NEAR"', '"y"']),
        ('col : "two words" ^x', ['"col"', '"two words"', '"x"']),
        ("don’t", ['"don t"']),
        ("users' team's", ['"users"', '"team"']),
        ("検索", ['"検索"']),
        ("検", ['"検"*']),
        ("検索する", ['"検索"', '"索す"', '"する"']),
        ('"検索する"', ['"検索 索す する"']),
        ("🔧", ['"emoji1f527"']),
    ],
)
def test_a_query_has_terms(query: str, expected: list[str]) -> None:
    assert [term.match for term in terms(query)] == expected


def test_a_quoted_phrase_is_required_and_an_open_quote_is_not() -> None:
    assert [(term.match, term.required) for term in terms('"a phrase" word "open')] == [
        ('"a phrase"', True),
        ('"word"', False),
        ('"open"', False),
    ]


def test_words_that_come_again_count_more_up_to_a_limit() -> None:
    assert [(term.match, term.weight) for term in terms("disk " * 9 + "cache disk")] == [
        ('"disk"', MAX_REPEATS),
        ('"cache"', 1),
    ]


def test_a_long_query_is_cut() -> None:
    assert len(terms(" ".join(f"word{number}" for number in range(5000)))) == MAX_TERMS


def test_stop_words_count_where_little_else_is_left() -> None:
    assert [term.match for term in telling(terms("how to cache the index of a record"))] == [
        '"cache"',
        '"index"',
        '"record"',
    ]
    assert [term.match for term in telling(terms("how to cache"))] == ['"how"', '"to"', '"cache"']
    assert [term.match for term in telling(terms('to be "or not"'))] == ['"or not"']


def test_plain_text_is_not_touched() -> None:
    text = 'Plain -- text, with "quotes" and 100 % of it.\n'
    assert fold(text) is text
    assert fold("Größe — naïve “quoted” … é") == "Größe — naïve “quoted” … é"


def test_half_characters_of_file_names_are_blanks() -> None:
    assert fold("caf\udce9 noir") == "caf  noir"


@given(queries)
@example('"a" AND ((((')
@example("a* b** *c")
@example('""""')
@example("\ud800")
@example("NEAR(a, 3")
@example("é\u0301\u0301")
@example("\u0301")
@example("ⓐ ₀ ๏ ฿")
def test_every_text_is_a_legal_query(index: sqlite3.Connection, text: str) -> None:
    for term in terms(text):
        index.execute("select 1 from words where words match ?", (term.match,)).fetchall()
        assert term.words
    index.execute("select 1 from words where words match ?", (phrase(text).match,)).fetchall()


@given(queries)
def test_every_text_can_be_indexed_and_is_found_by_its_words(index: sqlite3.Connection, text: str) -> None:
    found = tokens(index, text)
    for word in words_of(fold(text)):
        if word.isascii():
            assert index.execute("select 1 from words where words match ?", (f'"{word}"',)).fetchone(), (
                word,
                found,
            )
