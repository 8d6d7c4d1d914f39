"""From what a server gave to a page: by its content type, in the right characters, the main content alone."""

from __future__ import annotations

import re

from memgit.errors import Refused
from memgit.formats.markdown import headings
from memgit.web import Page
from memgit.web.charset import decode
from memgit.web.transport import Response

HTML = frozenset(["text/html", "application/xhtml+xml"])
TEXT = frozenset(["text/plain", "text/markdown", "text/x-markdown"])

_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")
_LOOKS_HTML = re.compile(
    rb"\s*(<\?xml[^>]*>\s*)?(<!--.*?-->\s*)*<(!doctype\s+html|html|head|body)\b", re.IGNORECASE | re.DOTALL
)


def media_type(content_type: str) -> str:
    """`text/html` for `Text/HTML; charset=utf-8`."""
    return content_type.partition(";")[0].strip().lower()


def check_type(content_type: str) -> None:
    """Raises Refused where a `Content-Type` is that of something else than a page of text; a missing one
    passes.
    """
    kind = media_type(content_type)
    if kind and kind not in HTML | TEXT:
        shown = "".join(char for char in kind if char.isprintable())[:60]
        raise Refused(f"{shown} is not a page of text", hint="HTML, plain text and Markdown are taken")


def page_of(response: Response, seconds: float) -> Page:
    """The page in a response; its text is found within so many seconds.

    Raises:
        Refused: it holds no text, takes too long, or no extractor for HTML is installed.
    """
    kind = media_type(response.content_type) or (
        "text/html" if _LOOKS_HTML.match(response.body[:2000]) else "text/plain"
    )
    text = decode(response.body, response.content_type)
    if kind in HTML:
        from memgit.web.sandbox import extract_within

        title, date, text = extract_within(text, response.url, seconds)
    else:
        if "\0" in text[:2000]:
            raise Refused(f"{kind} with NUL bytes in it is not a page of text")
        title, date = _first_heading(text), None
    text = _tidy(text)
    if not text:
        raise Refused(
            "the page has no text", hint="it may need JavaScript: save it from a browser and ingest the file"
        )
    return Page(response.url, title, date, text, kind)


def _tidy(text: str) -> str:
    """Text with `\\n` line ends, without control characters and lone surrogates."""
    lines = re.sub(r"\r\n?", "\n", text)
    return _CONTROLS.sub("", lines).encode("utf-8", "replace").decode().strip("\n")


def _first_heading(text: str) -> str | None:
    """The title of a Markdown text: its first heading of the first level."""
    lines = re.sub(r"\r\n?", "\n", text[:20_000])
    return next(
        (
            " ".join(found.title.split())
            for found in headings(lines)
            if found.level == 1 and found.title.strip()
        ),
        None,
    )
