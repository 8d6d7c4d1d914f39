"""Documents of other programs: known by content, converted in a process of their own, refused by name."""

from __future__ import annotations

import io
import json
import zipfile
from pathlib import Path

import pytest

from memgit.ingest.document_kind import kind_of
from tests.support import memgit

WORD = (
    '<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    '<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>Rotate the signing key</w:t></w:r></w:p>'
    "<w:p><w:r><w:t>Run keyctl rotate --all on each node, because old keys expire after 90 days.</w:t></w:r></w:p>"
    "</w:body></w:document>"
)
NOTEBOOK = {
    "nbformat": 4,
    "nbformat_minor": 5,
    "metadata": {},
    "cells": [
        {
            "cell_type": "markdown",
            "metadata": {},
            "source": ["# Load the tide tables\n", "\n", "Use `pandas`, never `csv`."],
        },
        {
            "cell_type": "code",
            "metadata": {},
            "outputs": [],
            "execution_count": 1,
            "source": ["df = read('tides')"],
        },
    ],
}


def zipped(**files: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as held:
        for name, text in files.items():
            held.writestr(name, text)
    return out.getvalue()


def word() -> bytes:
    types = (
        '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Override PartName="/word/document.xml" ContentType='
        '"application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = (
        '<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">'
        '<Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" '
        'Target="word/document.xml"/></Relationships>'
    )
    return zipped(**{"[Content_Types].xml": types, "_rels/.rels": relations, "word/document.xml": WORD})


def pdf(text: str) -> bytes:
    """A one-page PDF (ISO 32000-1, 7.5) that shows a text."""
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET"
    objects = [
        "<</Type/Catalog/Pages 2 0 R>>", "<</Type/Pages/Kids[3 0 R]/Count 1>>",
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        f"<</Length {len(stream)}>>stream\n{stream}\nendstream", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip
    out, places = "%PDF-1.4\n", []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n{body}\nendobj\n"
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    out += (
        f"xref\n0 6\n0000000000 65535 f \n{rows}trailer<</Size 6/Root 1 0 R>>\nstartxref\n{len(out)}\n%%EOF\n"
    )
    return out.encode()


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b"%PDF-1.7\n", "PDF"),
        (word(), "Word"),
        (zipped(**{"ppt/presentation.xml": "x"}), "PowerPoint"),
        (zipped(**{"xl/workbook.xml": "x"}), "Excel"),
        (zipped(mimetype="application/epub+zip"), "EPUB"),
        (zipped(mimetype="application/vnd.oasis.opendocument.text"), "OpenDocument"),
        (zipped(readme="x"), "ZIP"),
        (b"PK\x03\x04broken", "ZIP"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "old Office"),
        (b"\x89PNG\r\n\x1a\nrest", "PNG"),
        (b"\xef\xbb\xbf<!DOCTYPE html><p>x", "HTML"),
        (json.dumps(NOTEBOOK).encode(), "Jupyter notebook"),
        (b'{"nbformat": 4, broken', ""),
        (b"# PDF\n\nHow to read %PDF files.\n", ""),
        (b"", ""),
    ],
)
def test_kinds_are_told_by_content(data: bytes, kind: str) -> None:
    assert kind_of(data) == kind


@pytest.mark.parametrize(
    ("name", "data", "words"),
    [
        ("guide.docx", word(), "keyctl rotate --all"),
        ("no-ending", word(), "keyctl rotate --all"),
        ("tides.txt", json.dumps(NOTEBOOK).encode(), "never `csv`"),
        ("limits.pdf", pdf("The proxy drops a request after 30 seconds: set timeout=60."), "timeout=60"),
    ],
)
def test_documents_become_records(kb: Path, name: str, data: bytes, words: str) -> None:
    pytest.importorskip("markitdown")
    (kb.parent / name).write_bytes(data)
    memgit(kb, "ingest", str(kb.parent / name), "--yes")
    [row] = memgit(kb, "list", "--json").json
    shown = memgit(kb, "show", row["address"], "--json").json
    assert words in shown["body"] and shown["source"].startswith(f"file:{name}@")
    assert "nothing to write" in memgit(kb, "ingest", str(kb.parent / name), "--yes").out


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1rest", "old Office files cannot be read"),
        (zipped(readme="x"), "ZIP files cannot be read"),
        (b"\x89PNG\r\n\x1a\nrest", "PNG files cannot be read"),
        (b"%PDF-1.4\nobjects that are none", "PDF document"),
        (b"<html><body></body></html>", "holds no text"),
    ],
)
def test_what_cannot_be_read_is_refused_by_its_kind(kb: Path, data: bytes, words: str) -> None:
    pytest.importorskip("markitdown")
    (kb.parent / "x.md").write_bytes(data)
    done = memgit(kb, "ingest", str(kb.parent / "x.md"), "--yes", code=3)
    assert words in done.err and "hint" in done.err and memgit(kb, "list").out == ""


def test_without_the_extra_the_command_that_installs_it_is_named(
    kb: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = __import__("importlib.util", fromlist=["find_spec"]).find_spec
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None if name == "markitdown" else real(name))
    (kb.parent / "x.pdf").write_bytes(pdf("text"))
    done = memgit(kb, "ingest", str(kb.parent / "x.pdf"), "--yes", code=3)
    assert "memgit-kb[documents]" in done.err
