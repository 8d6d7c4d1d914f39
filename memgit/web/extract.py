"""The main content of an HTML page; the only module that uses trafilatura, which the extra `web` brings."""

from __future__ import annotations

import re

from memgit.errors import Refused

LOGGERS = ("trafilatura", "htmldate", "justext", "courlan")

BLANK = "\u2424\u2424\u2424"
"""Stands in the blank lines of code on the way through the extractor, which would drop them; symbols for a
newline, as no code has them.
"""

_PRE, _PRE_END = re.compile(r"<pre[\s>]", re.IGNORECASE), re.compile(r"</pre", re.IGNORECASE)
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
        from trafilatura import bare_extraction
        from trafilatura.settings import set_date_params
    except ImportError:
        raise missing() from None
    _silence()
    try:
        # Characters are decoded by now: a declaration of others would be believed.
        text = _hold_blanks(_DECLARATION.sub("", html, count=1))
        document = bare_extraction(
            text,
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
    return title, date, _at_margin((document.text or "").replace(BLANK, ""))


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
        out += (html[position : start.end()], _GAP.sub(f"\n{BLANK}", html[start.end() : end.start()]))
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
