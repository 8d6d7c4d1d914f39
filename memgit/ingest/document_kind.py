"""What kind of document some bytes are: their content tells, not the name of the file."""

from __future__ import annotations

import io
import json
import zipfile

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
SAMPLE_BYTES = 1024


def kind_of(data: bytes) -> str:
    """What kind of document some bytes are: one that `web.document` converts, HTML, another name, or empty for plain text."""
    head = data[:SAMPLE_BYTES]
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
            if "mimetype" in names and held.getinfo("mimetype").file_size < SAMPLE_BYTES:
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
