"""Renderings of a review: nothing that a repository holds gets out of its place, and nothing is left out in
silence.
"""

from __future__ import annotations

import html
import json
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.formats import markdown as blocks
from memgit.lint.rule import Finding, Related
from memgit.model.change import Change
from memgit.model.record import Record
from memgit.review.marker import marker
from memgit.review.reports.formats import FORMATS, render
from memgit.review.reports.markdown import LIMIT, text
from memgit.review.values import Detail, Other, Place, Review, Side, Site, Who, reviewed
from memgit.review.words import Piece

HOSTILE = [
    "</details></summary></pre></code>",
    "| a | b |\n|---|---|",
    "```\n</pre>\n```",
    "@ada and @team/all, fixes #12, GH-7, org/repo#3, !4, $5, ~bug",
    "[click](javascript:alert(1)) <img src=x onerror=alert(1)> ![x](http://e.org/x.png)",
    "www.example.org http://example.org/?a=b&c=d",
    "/close\n/merge",
    "\u202egnp.exe\u202c \u200bzero \x1b[31mred\x07",
    "<!-- memgit-review -->\n# heading\n- list\n> quote\n***\nsetext\n===",
    "`code` **bold** _it_ \\ &lt; &#64; \udc80",
]


WHO = Who(
    ("Ada Moss <ada@example.org>",),
    ("claude-code",),
    ("5f2c",),
    ("file:notes.txt",),
    ("a word",),
    ("1234567890",),
)


def record(title: str, body: str, **fields: str) -> Record:
    return Record(
        "memory", f"memory/{title}", f"memory/{title}.md", title, 3, 9, 0, {"source": title, **fields}, body
    )


def review(
    *changes: Change, findings: tuple[Finding, ...] = (), conflicts: tuple[Place, ...] = (), **more: object
) -> Review:
    told = tuple(reviewed(change, WHO) for change in changes)
    return Review(
        Side("main", "a" * 40),
        Side("topic", "b" * 40),
        "a" * 40,
        "fail" if findings or conflicts else "pass",
        told,
        findings,
        conflicts=conflicts,
        commits=2,
        **more,  # type: ignore[arg-type]
    )


def hostile(words: str) -> Review:
    found = Finding("MG201", "broken-link", "error", f"memory/{words}.md", 3, 3, f"memory/{words}", words)
    other = Other(words, words, words, 1, (Piece(" ", words), Piece("+", words)))
    one = review(
        Change("update", record("Before", "old", context=words), record(words, f"new\n{words}", context="x")),
        Change("create", None, record(words, words)),
        findings=(found,),
        conflicts=(Place(words, 1, words, words),),
        notes=(words,),
        details={found: Detail(f"memgit edit {words}", (other,), (Piece("-", words),))},
    )
    who = WHO._replace(reasons=(words,), actors=(words,), runs=(words,))
    return one._replace(
        changes=tuple(each._replace(goes_back=("cafe123456", words), who=who) for each in one.changes)
    )


def without_text(comment: str) -> str:
    """A comment without its blocks of text, which Markdown does not look into."""
    return re.sub(r"(?s)<pre>.*?</pre>", "", comment)


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_text_stays_text_in_markdown(words: str) -> None:
    plain, found = (
        render("markdown", hostile(one)).replace("<details open>", "<details>") for one in ("harmless", words)
    )
    assert found.startswith(f"{marker()}\n") and found.count(marker()) == 1
    # Tags, tables and lines that could be commands are ours alone, whatever the text is.
    tags = r"</?[a-z][^>]*>"
    assert set(re.findall(tags, found)) == set(re.findall(tags, plain))
    for tag in ("<details", "</details>", "<summary>", "<pre>", "</pre>"):
        assert found.count(tag) == plain.count(tag)
    assert found.count("<code>") == found.count("</code>")
    # As many rows as without it, each with as many cells.
    rows, expected = (
        [line.count("|") for line in without_text(one).split("\n") if line.startswith("|")]
        for one in (found, plain)
    )
    assert rows == expected
    outside = re.sub(r"<code>.*?</code>", "", without_text(found))
    assert not re.search(r"[@#!$~]\w", outside.replace("###", "").replace("&#", ""))
    assert not re.search(r"(?m)^\s*/", re.sub(r"(?s)<!--.*?-->", "", found))
    assert not re.search(r"[\u202a-\u202e\u200b\x1b\x07\udc80-\udcff]", found)
    assert "http:" not in outside and "](" not in outside
    found.encode()


def test_headings_of_the_comment_are_its_own() -> None:
    found = render("markdown", hostile("# one\n\n## two\n\nthree\n==="))
    assert [heading.title for heading in blocks.headings(found)] == [
        "❌ memgit review: fail: 1 error, 1 conflict"
    ]


@given(st.text(max_size=60))
def test_text_is_one_line_and_says_what_it_says(words: str) -> None:
    found = text(words)
    assert "\n" not in found
    shown = html.unescape(found).replace("\u200b", "")
    if words.isprintable() and words.isascii():
        assert shown == " ".join(words.split())


@pytest.mark.parametrize("many", [3, 400, 4000])
def test_the_comment_is_cut_honestly(many: int) -> None:
    changes = [
        Change("create", None, record(f"Record {number} 🦉", "Many words. " * 40)) for number in range(many)
    ]
    findings = tuple(
        Finding("MG301", "duplicate-record", "warning", f"m{n}.md", 1, 1, None, "like another " * 9)
        for n in range(many)
    )
    found = render("markdown", review(*changes, findings=findings))
    assert len(found.encode("utf-16-le")) // 2 <= 65_536
    assert len(re.findall("<details(?: open)?>", found)) == found.count("</details>")
    told = found.count("<summary>added ")
    assert told > 0 and (many == 3 or found.count("more</summary>") == 2)
    left = re.search(r"\*\*([\d,]+) blocks? of ([\d,]+) left out", found)
    if many == 3:
        assert left is None and told == 3
    else:
        assert left is not None
        assert int(left[1].replace(",", "")) == many - told and int(left[2].replace(",", "")) == many
        assert re.search(r"records? of [\d,]+ left out", found) and re.search(
            r"lines? of [\d,]+ left out", found
        )


def test_one_long_body_is_cut_honestly() -> None:
    found = render("markdown", review(Change("create", None, record("Long", "word " * 50_000))))
    assert len(found) < LIMIT and "characters left out" in found


def test_records_with_errors_come_first() -> None:
    changes = [Change("create", None, record(name, "text")) for name in ("fine", "worse", "bad")]
    findings = (
        Finding("MG201", "broken-link", "error", "memory/bad.md", 3, 3, "memory/bad", "x"),
        Finding("MG202", "one-way-link", "warning", "memory/worse.md", 3, 3, "memory/worse", "x"),
    )
    found = render("markdown", review(*changes, findings=findings))
    assert re.findall(r"<summary>added <code>(\w+)</code>", found) == ["bad", "worse", "fine"]


@pytest.mark.parametrize("form", FORMATS)
def test_every_form_takes_hostile_text_and_nothing(form: str) -> None:
    for words in HOSTILE:
        assert render(form, hostile(words)).encode("utf-8", "surrogateescape")
    empty = render(form, review())
    assert empty == "" if form == "github" else empty.endswith("\n")


def test_json() -> None:
    one = review(
        Change("rename", record("Old", "one two"), record("New", "one three", keywords="x")),
        Change("remove", record("Gone", "text"), None),
        conflicts=(Place("a.md", 4, "memory/a", "both sides changed these lines"),),
        preexisting=3,
    )
    found = json.loads(render("json", one))
    assert (found["base"], found["head"], found["base_name"], found["verdict"]) == (
        "a" * 40,
        "b" * 40,
        "main",
        "fail",
    )
    assert found["conflicts"] == [
        {"path": "a.md", "line": 4, "address": "memory/a", "message": "both sides changed these lines"}
    ]
    first, second = found["changes"]
    assert (first["change"], first["address"], first["was"]) == ("renamed", "memory/New", "memory/Old")
    assert first["fields"] == ["title", "source", "keywords", "body"]
    assert first["values"]["keywords"] == {"before": None, "after": "x"}
    assert first["body"] == {
        "words_added": 1,
        "words_removed": 1,
        "pieces": [[" ", "one "], ["-", "two"], ["+", "three"]],
    }
    assert (first["actor"], first["authors"]) == ("claude-code", ["Ada Moss <ada@example.org>"])
    assert (second["change"], second["was"], second["fields"], second["path"]) == (
        "removed",
        None,
        ["source", "body"],
        "memory/Gone.md",
    )
    assert second["body"]["pieces"] == [["-", "text"]] and second["reasons"] == ["a word"]
    assert found["summary"]["records"] == {"renamed": 1, "removed": 1} and found["preexisting"] == 3


def test_conflicts_are_findings_for_forges() -> None:
    one = review(conflicts=(Place("a.md", 4, None, "both, sides: 100%"),), prefix="kb/")
    assert (
        render("github", one)
        == "::error file=kb/a.md,line=4,endLine=4,title=conflict merge-conflict::both, sides: 100%25\n"
    )
    result = json.loads(render("sarif", one))["runs"][0]["results"][0]
    assert (result["ruleId"], result["level"], result["message"]["text"]) == (
        "conflict",
        "error",
        "both, sides: 100%",
    )


def test_text() -> None:
    found = render(
        "text",
        review(Change("update", record("A", "Wait 2 seconds."), record("A", "Wait 3 seconds.", topics="x"))),
    )
    assert found.split("\n") == [
        "review main..topic: 1 record changed",
        "",
        "~ changed memory/A  memory/A.md:3",
        "    by Ada Moss with claude-code, run 5f2c, in 1234567890, source A, source file:notes.txt",
        "    why: a word",
        "    │ topics: {+x+}",
        "    │ Wait [-2-]{+3+} seconds.",
        "",
        "verdict: pass",
        "",
    ]


def test_no_line_of_the_text_is_a_command_of_a_ci_system() -> None:
    one = record("::error::x", "::stop-commands::x\n##[section]x\n::warning::y")
    found = Finding("MG201", "broken-link", "error", "::error::x.md", 3, 3, None, "::error::x")
    text = render(
        "text",
        review(
            Change("update", record("A", "old"), one),
            findings=(found,),
            conflicts=(Place("::x.md", 1, None, "::x"),),
            notes=("::x",),
        ),
    )
    assert [line for line in text.split("\n") if line.strip().startswith(("::", "##["))] == []


DUPLICATE = Finding(
    "MG301",
    "duplicate-record",
    "warning",
    "memory/b.md",
    3,
    3,
    "memory/b",
    "b is like a (memory/a.md:3), memory/a.md.bak; memgit merge-records memory/a 'memory/x#b' joins them",
    related=(Related("memory/a.md", 3, "a"),),
)
SITE = Site(
    "https://forge.org/team/kb/blob/{commit}/{path}#L{line}",
    "https://forge.org/team/kb/commit/{commit}",
    "https://forge.org/memgit/docs/rules",
    10,
)


def on_a_forge() -> Review:
    other = Other("memory/a", "a", "memory/a.md", 3, (Piece(" ", "Wait "), Piece("-", "2"), Piece("+", "3")))
    return review(
        Change("create", None, record("b", "Wait 3")),
        Change("remove", record("{line} é]()", "gone"), None),
        findings=(DUPLICATE,),
        details={DUPLICATE: Detail("memgit merge-records memory/a 'memory/x#b'", (other,))},
        at_head=frozenset(["memory/b.md"]),
        prefix="docs/kb/",
        site=SITE,
        in_ci=True,
        notes=("memory/b.md changes where no record is",),
    )


def test_links_of_the_forge_and_paths_from_its_top() -> None:
    """What is the head's is shown there, what is gone or the base's in the base; a command can be copied."""
    found = render("markdown", on_a_forge())
    head, base = ("https://forge.org/team/kb/blob/" + side * 40 for side in "ba")
    assert found.startswith("<!-- memgit-review: docs/kb -->\n")
    assert f'<a href="{head}/docs/kb/memory/b.md#L3">' in found
    assert f'<a href="{base}/docs/kb/memory/a.md#L3">' in found
    assert f'<a href="{base}/docs/kb/memory/%7Bline%7D%20%C3%A9%5D%28%29.md#L3">' in found
    assert '<a href="https://forge.org/team/kb/commit/1234567890">' in found
    assert '<a href="https://forge.org/memgit/docs/rules/MG301.md">MG301 duplicate-record</a>' in found
    shown = html.unescape(found)
    assert "is like a (docs/kb/memory/a.md:3), memory/a.md.bak; <code>memgit merge-records" in shown
    assert "<code>memgit merge-records memory/a 'memory/x#b'</code> joins them" in shown
    assert "docs/kb/memory/b.md changes where no record is" in shown
    assert "Wait <del>2</del><ins>3</ins>" in found
    text = render("text", on_a_forge())
    assert (
        "docs/kb/memory/b.md:3: warning" in text
        and "from the other record to this one: a, docs/kb/memory/a.md:3" in text
    )
    value = json.loads(render("json", on_a_forge()))
    assert value["changes"][0]["url"] == f"{head}/docs/kb/memory/b.md#L3"
    assert value["findings"][0]["others"][0]["text"] == [[" ", "Wait "], ["-", "2"], ["+", "3"]]
    assert value["findings"][0]["path"] == "memory/b.md"


def test_the_same_facts_in_every_form() -> None:
    drift = Finding("MG101", "index-drift", "error", "INDEX.md", 2, 2, None, "not what the records give")
    back = reviewed(Change("update", record("A", "one two"), record("A", "one three")), WHO)
    found = Review(
        Side("main", "a" * 40),
        Side("b" * 40, "b" * 40),
        "a" * 40,
        "fail",
        (back._replace(goes_back=("cafe123456", "update(memory): A")),),
        (drift,),
        details={
            drift: Detail(
                "memgit rebuild", (), (Piece(" ", "one\n"), Piece("-", "row 1\n"), Piece("+", "row 2\n"))
            )
        },
    )
    for form in ("text", "markdown", "json"):
        shown = re.sub(r"</?(?:del|ins|code)>", "", html.unescape(render(form, found)))
        for fact in ("cafe123456", "update(memory): A", "row 1", "row 2", "memgit rebuild", "5f2c", "a word"):
            assert fact in shown, (form, fact)
        assert form == "json" or f"main...{'b' * 10} " in shown or f"main..{'b' * 10}:" in shown


def test_annotations_that_a_forge_does_not_show_are_counted() -> None:
    many = tuple(
        Finding("MG201", "broken-link", "warning", f"m{n}.md", 1, 1, None, "broken") for n in range(34)
    )
    assert "9 of 34 warnings are shown beside the lines" in render(
        "markdown", review(findings=many, site=SITE)
    )
    assert "shown beside the lines" not in render("markdown", review(findings=many))
