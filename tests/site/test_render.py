"""Markdown as HTML that can do nothing."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.site.render import Target, anchors, html, visible

ALLOWED = re.compile(r"^(#|\.\./|files/|x\.html|https?:|mailto:)")


class Resolver:
    def wikilink(self, inner: str, embed: bool) -> Target | None:
        return Target("x.html", "X") if inner.startswith("x") else None

    def relative(self, url: str) -> Target | None:
        return Target("files/a.png", image=True) if url.endswith(".png") else None


class Parts(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))


def harmless(text: str) -> None:
    parts = Parts()
    parts.feed(html(text, Resolver()))
    for tag, attrs in parts.tags:
        assert tag not in (
            "script",
            "style",
            "svg",
            "iframe",
            "object",
            "embed",
            "form",
            "link",
            "meta",
            "base",
            "math",
        )
        for name, value in attrs.items():
            assert not name.startswith("on") and name not in (
                "style",
                "srcset",
                "formaction",
                "ping",
                "action",
            )
            if name in ("href", "src"):
                assert ALLOWED.match(value or ""), (tag, name, value)
            if name == "id":
                assert (value or "").startswith(("h-", "b-", "fn-", "fnref-"))


HOSTILE = (
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "<svg/onload=alert(1)>", "[a](javascript:alert(1))",
    "[a](JaVaScRiPt:alert(1))", "[a](java\tscript:alert(1))", "[a](data:text/html;base64,PHNjcmlwdD4=)", "![a](data:image/svg+xml,x)",
    "<a href='vbscript:x'>x</a>", "<iframe src='https://example.org'></iframe>", "<style>*{display:none}</style>",
    "<p style='position:fixed'>x</p>", "<form action='https://example.org'><input type=submit></form>",
    "<a id='main' name='location'>x</a>", "<div id=q>x</div>", "<base href='https://example.org'>", "<meta http-equiv=refresh content='0'>",
    "<math><mi//xlink:href='javascript:alert(1)'>", "<details open ontoggle=alert(1)>", "<a href='//example.org/x'>x</a>",
    "![x](https://example.org/track.gif)", "<img src='https://example.org/track.gif'>", "<img srcset='https://example.org/a 1x'>",
    "<object data='x.swf'>", "<embed src='x.swf'>", "<video src='https://example.org/v'>", "<b><i><u>" * 40, "</div></main></body>",
    "[x]: javascript:alert(1)\n\n[x]", "<javascript:alert(1)>", "[[x|<img src=x onerror=alert(1)>]]", "[[<script>]]",
    "# <img src=x onerror=alert(1)>", "| <script>x</script> |\n|---|\n| <svg onload=x> |", "- [ ] <script>x</script>",
    "`<script>`", "```html\n<script>alert(1)</script>\n```", "[^1]\n\n[^1]: <script>x</script>", "$<script>x</script>$",
    "==<script>x</script>==", "<!-- <script>x</script> -->", "<![CDATA[<script>x</script>]]>", "%%<script>x</script>%%",
)  # fmt: skip


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_inert(text: str) -> None:
    harmless(text)
    harmless(f"before {text} after\n\n> {text}\n\n1. {text}\n")


@given(
    st.lists(
        st.sampled_from([*HOSTILE, " ", "\n", "\n\n", "**", "[", "](", "<", ">", "'", '"', "|", "`"]),
        max_size=12,
    )
)
def test_no_mixture_of_hostile_pieces_does_anything(pieces: list[str]) -> None:
    harmless("".join(pieces))


def test_links_embeds_blocks_and_headings() -> None:
    made = html("# A & B\n\nSee [[x|label]], [[x]] and [[gone]]. ^here\n\n## A & B\n", Resolver())
    assert 'id="h-a-b">A &amp; B</h2>' in made and 'id="h-a-b-2"' in made
    assert '<a class="wikilink" href="x.html">label</a>' in made and 'href="x.html">X</a>' in made
    assert '<span class="unresolved">gone</span>' in made and 'id="b-here"' in made
    assert anchors("# A & B\n\ntext ^here\n") == {"h-a-b", "b-here"}


def test_tables_footnotes_tasks_math_and_diagrams_stay_readable() -> None:
    made = html(
        "|a|\n|-|\n|[[x\\|y]]|\n\n- [x] done\n\n$e^2$ [^n]\n\n[^n]: note\n\n```mermaid\na-->b\n```\n",
        Resolver(),
    )
    assert '<div class="scroll"><table>' in made and 'href="x.html">y</a>' in made
    assert 'checked=""' in made and "e^2" in made and "note" in made
    assert '<code class="language-mermaid">a--&gt;b' in made


def test_a_very_long_text_is_shown_as_it_is() -> None:
    assert html("<b>" + "x" * 500_000, Resolver()).startswith("<pre>&lt;b&gt;")


def test_controls_in_names_are_spelled_out() -> None:
    assert visible("a\u202eb\x1b\udc80") == "a\\u202eb\\u001b?"
