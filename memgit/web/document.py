"""Documents of other programs as Markdown; the only module that uses markitdown (extra `documents`)."""

from __future__ import annotations

import io

from memgit.errors import Refused

CONVERTERS = {
    "PDF": "PdfConverter",
    "Word": "DocxConverter",
    "PowerPoint": "PptxConverter",
    "Excel": "XlsxConverter",
    "EPUB": "EpubConverter",
    "Jupyter notebook": "IpynbConverter",
}
"""Kinds that are converted, with the class that does it: none falls back to taking bytes as text."""


def convert(data: bytes, kind: str) -> tuple[str | None, str]:
    """Title and text of a document as Markdown.

    Raises:
        Refused: markitdown is missing, or fails over the document, or finds no text in it.
    """
    try:
        from markitdown import StreamInfo, converters
    except ImportError:
        raise missing(kind) from None
    try:
        made = getattr(converters, CONVERTERS[kind])().convert(io.BytesIO(data), StreamInfo())
    except Exception as error:  # what a hostile document may make the libraries below raise is in no list
        raise Refused(
            f"the {kind} document cannot be understood ({type(error).__name__})",
            hint="save it as text and ingest the file",
        ) from None
    text = (made.markdown or "").replace("\0", "").strip()
    if not any(char.isalnum() for char in text):
        raise Refused(f"the {kind} document holds no text", hint="a scanned page has to be read by OCR first")
    title = " ".join((made.title or "").split()) or None
    return title, f"{text}\n"


def missing(kind: str) -> Refused:
    """The error where there is no converter."""
    return Refused(
        f"{kind} documents need a converter that is not installed", hint="pip install 'memgit-kb[documents]'"
    )
