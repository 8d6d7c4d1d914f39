"""Documents of other programs as Markdown; the only module that uses markitdown (extra `documents`).

What a file is, its first bytes tell, not its name.
"""

from __future__ import annotations

import io
import json
import zipfile

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
_PARTS = {"word/document.xml": "Word", "ppt/presentation.xml": "PowerPoint", "xl/workbook.xml": "Excel"}
_MAGIC = (
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "old Office"),
    (b"\x89PNG\r\n\x1a\n", "PNG"),
    (b"\xff\xd8\xff", "JPEG"),
    (b"GIF8", "GIF"),
    (b"RIFF", "RIFF"),
    (b"\x1f\x8b", "gzip"),
    (b"7z\xbc\xaf\x27\x1c", "7-Zip"),
    (b"\x7fELF", "ELF"),
    (b"SQLite format 3\0", "SQLite"),
    (b"{\\rtf", "RTF"),
)
SAMPLE = 1024


def kind_of(data: bytes) -> str:
    """What kind of document some bytes are: a key of `CONVERTERS`, HTML, another name, or empty for plain text."""
    head = data[:SAMPLE]
    if b"%PDF-" in head:
        return "PDF"
    if head.startswith(b"PK\x03\x04"):
        return _zipped(data)
    for magic, name in _MAGIC:
        if head.startswith(magic):
            return name
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if start.startswith((b"<!doctype html", b"<html")):
        return "HTML"
    if start.startswith(b"{") and b'"nbformat"' in data:
        return "Jupyter notebook" if _is_notebook(data) else ""
    return ""


def _zipped(data: bytes) -> str:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as held:
            names = set(held.namelist())
            for part, name in _PARTS.items():
                if part in names:
                    return name
            if "mimetype" in names and held.getinfo("mimetype").file_size < SAMPLE:
                kind = held.read("mimetype").decode("ascii", "replace")
                return "EPUB" if "epub" in kind else "OpenDocument" if "opendocument" in kind else "ZIP"
    except (zipfile.BadZipFile, OSError, NotImplementedError, RuntimeError):
        pass
    return "ZIP"


def _is_notebook(data: bytes) -> bool:
    try:
        held = json.loads(data)
    except (ValueError, RecursionError):
        return False
    return isinstance(held, dict) and isinstance(held.get("cells"), list)


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
