"""The main content of an HTML page; the only module that uses trafilatura, which the extra `web` brings."""

from __future__ import annotations

import re
from typing import Any

from memgit.errors import Refused

LOGGERS = ("trafilatura", "htmldate", "justext", "courlan")

BLANK = "\u2424\u2424\u2424"
"""Stands in the blank lines of code on the way through the extractor, which would drop them; symbols for a
newline, as no code has them.
"""

TICKS = "\u2426\u2426\u2426"
"""Stands for a fence inside code, which would close the fence around it."""
DEPTH = "\u2425"
"""Stands at the start of an item of a nested list, once a level: the extractor would drop the list."""

_PRE, _PRE_END = re.compile(r"<pre[\s>]", re.IGNORECASE), re.compile(r"</pre", re.IGNORECASE)
_ITEM = re.compile(
    rf"[ \t]*(?:[-*+]|(?P<number>\d{{1,9}})\.)[ \t]+(?P<depth>{DEPTH}*)[ \t]*(?P<own>(?<={DEPTH})\d+\.[ \t]+)?"
)
_FENCED = re.compile(r"(?ms)^```([^\n]*\n)(.*?)^```$")
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6", "dt")
_BLOCKS = frozenset(["p", "div", "ul", "ol", "pre", "table", "blockquote", "dl"])
MIN_MAIN = 250
"""Characters of a main part of a page from which headings outside of it are none of its text."""
_GAP = re.compile(r"\n(?=[ \t]*\r?\n)")
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)


def extract(html: str, url: str) -> tuple[str | None, str | None, str]:
    """Title, date (YYYY-MM-DD) and main content as Markdown; "" where there is none.

    A date is taken from what the page states, not guessed from numbers in its text.

    Raises:
        Refused: trafilatura is missing, or fails over the page.
    """
    try:
        from trafilatura import bare_extraction, load_html
        from trafilatura.settings import set_date_params
    except ImportError:
        raise missing() from None
    _silence()
    try:
        # Characters are decoded by now: a declaration of others would be believed.
        text = _hold_blanks(_DECLARATION.sub("", html, count=1))
        tree = load_html(text)
        if tree is None:
            return None, None, ""
        _unwrap_anchors(tree)
        _join_definitions(tree)
        _flatten_lists(tree)
        document = bare_extraction(
            tree,
            url=url,
            with_metadata=True,
            include_comments=False,
            include_formatting=True,
            include_links=True,
            include_tables=True,
            date_extraction_params=set_date_params(extensive=False),
        )
    except Exception as error:  # what a hostile page may make the libraries below raise is in no list
        raise Refused(
            f"the page cannot be understood ({type(error).__name__})",
            hint="save it as text and ingest the file",
        ) from None
    if document is None or isinstance(document, dict):
        return None, None, ""
    title = " ".join((document.title or "").split()) or None
    date = document.date if document.date and _DATE.fullmatch(document.date) else None
    made = _at_margin((document.text or "").replace(BLANK, ""))
    return title, date, _nested(_FENCED.sub(_longer, made))


def _longer(match: re.Match[str]) -> str:
    """Code with a fence that it cannot close."""
    fence = "````" if TICKS in match[2] else "```"
    return f"{fence}{match[1]}{match[2]}{fence}".replace(TICKS, "```")


def _nested(text: str) -> str:
    """The text with its marked items set in, and the others numbered without them."""
    if DEPTH not in text:
        return text
    out: list[str] = []
    inner = 0
    for raw in text.split("\n"):
        line = raw
        match = _ITEM.match(raw)
        if match is not None and match["depth"]:
            inner += 1
            line = "    " * len(match["depth"]) + (match["own"] or "- ") + raw[match.end() :]
        elif match is not None and match["number"]:
            line = f"{int(match['number']) - inner}. {raw[match.end() :]}"
        elif match is None:
            inner = 0
        out.append(line.replace(DEPTH, ""))
    return "\n".join(out)


def _unwrap_anchors(tree: Any) -> None:
    """Takes out links of headings to themselves, anchors that lead nowhere, and headings outside the main part."""
    for heading in list(tree.iter(*_HEADINGS)):
        for link in list(heading.iter("a")):
            if any(char.isalnum() for char in link.text_content()):
                link.drop_tag()
            else:
                link.drop_tree()
    for link in list(tree.iter("a")):
        if link.get("href") is None:
            link.drop_tag()
    mains = list(tree.iter("main"))
    if len(mains) == 1 and len(mains[0].text_content()) >= MIN_MAIN:
        inside = set(mains[0].iter(*_HEADINGS))
        for heading in [one for one in tree.iter(*_HEADINGS[:-1]) if one not in inside]:
            heading.drop_tree()


def _join_definitions(tree: Any) -> None:
    """Puts each term of a definition list before its definition, in bold."""
    for terms in list(tree.iter("dl")):
        named: list[Any] = []
        for part in list(terms.iter("dt", "dd")):
            if part.tag == "dt":
                named.append(part)
                continue
            part.tag = "div"
            first = next((child for child in part if isinstance(child.tag, str)), None)
            if (part.text or "").strip() or first is None or first.tag not in ("p", "div"):
                first = part
                if not any(child.tag in _BLOCKS for child in part):
                    part.tag = "p"
            for term in named:
                term.tag = "strong"
                _strip(term)
                term.tail = ", " if term is not named[-1] else ": " + (first.text or "").lstrip()
            if named:
                first.text = None
                first[:0] = named
            named = []
            if part.tag == "div":
                part.drop_tag()  # the extractor would take a list at its end for links to elsewhere
        for term in named:
            term.tag = "p"
        terms.tag = "div"


def _strip(part: Any) -> None:
    """Takes out the blanks at both ends of an element."""
    part.text = (part.text or "").lstrip()
    if len(part):
        part[-1].tail = (part[-1].tail or "").rstrip()
    else:
        part.text = part.text.rstrip()


def _flatten_lists(tree: Any) -> None:
    """Puts the items of nested lists after the item that they are in, with a mark for each level."""
    for item in reversed(list(tree.iter("li"))):
        place = item
        for inner in [child for child in item if child.tag in ("ul", "ol")]:
            number = 0
            for one in list(inner):
                if one.tag != "li":
                    continue
                marks = (one.text or "").lstrip()
                own = not marks.startswith(DEPTH)
                number += own
                lead = f"{number}. " if inner.tag == "ol" and own else ""
                one.text = f"{DEPTH}{lead}{marks}"
                one.tail = None
                place.addnext(one)
                place = one
            inner.drop_tree()


def missing() -> Refused:
    """The error where there is no extractor."""
    return Refused("the extractor for HTML pages is not installed", hint="pip install 'memgit-kb[web]'")


def _hold_blanks(html: str) -> str:
    """The page with something in the blank lines of its code."""
    out: list[str] = []
    position = 0
    while (start := _PRE.search(html, position)) is not None and (
        end := _PRE_END.search(html, start.end())
    ) is not None:
        code = html[start.end() : end.start()].replace("```", TICKS)
        out += (html[position : start.end()], _GAP.sub(f"\n{BLANK}", code))
        position = end.start()
    return "".join((*out, html[position:]))


def _at_margin(text: str) -> str:
    """The text without the blanks that the extractor leaves before what follows code: as Markdown, it would be
    code too.
    """
    out: list[str] = []
    inside = after = False
    for line in text.split("\n"):
        fence = line.startswith("```")
        out.append(line.lstrip(" ") if after and not fence else line)
        after = inside and fence
        inside ^= fence
    return "\n".join(out)


def _silence() -> None:
    """Keeps what the libraries log about a page off the user's terminal: what matters of it is raised."""
    import logging

    for name in LOGGERS:
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
