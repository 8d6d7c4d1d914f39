"""Extraction in a process of its own, which can be stopped: what a hostile page costs the libraries is
bounded by nothing in them.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from base64 import b64decode, b64encode
from typing import Any

from memgit.errors import Refused
from memgit.web import document
from memgit.web.extract import extract, missing

MEMORY = 2 << 30
"""Bytes of memory that the process may have, where the system can bound it; hostile pages of 5 MB were seen
to take 0.6 GB.
"""

_START = """
import json, sys
job = json.load(sys.stdin.buffer)
sys.path[:] = job["path"]
from memgit.web.sandbox import work
json.dump(work(job), sys.stdout)
"""


def extract_within(html: str, url: str, seconds: float) -> tuple[str | None, str | None, str]:
    """As `extract.extract`, in at most so many seconds.

    Raises:
        Refused: also where it takes longer, or more memory than `MEMORY`.
    """
    if importlib.util.find_spec("trafilatura") is None:
        raise missing()
    told = _run({"what": "page", "html": html, "url": url}, "the page", seconds)
    return told["title"], told["date"], told["text"]


def convert_within(data: bytes, kind: str, seconds: float) -> tuple[str | None, str]:
    """As `document.convert`, in at most so many seconds.

    Raises:
        Refused: also where it takes longer, or more memory than `MEMORY`.
    """
    if importlib.util.find_spec("markitdown") is None:
        raise document.missing(kind)
    job = {"what": "document", "data": b64encode(data).decode("ascii"), "kind": kind}
    told = _run(job, f"the {kind} document", seconds)
    return told["title"], told["text"]


def _run(job: dict[str, Any], what: str, seconds: float) -> dict[str, Any]:
    import subprocess

    hint = "save it as text and ingest the file"
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-c", _START],
            input=json.dumps({**job, "path": sys.path, "seconds": seconds}).encode(),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=seconds,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise Refused(
            f"{what} is too complex: its text was not found within {seconds:g} s",
            hint=f"{hint}; --timeout SECONDS gives it longer",
        ) from None
    try:
        told: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        raise Refused(f"{what} cannot be understood: the extractor broke down", hint=hint) from None
    if "refused" in told:
        raise Refused(told["refused"], hint=told["hint"])
    return told


def work(job: dict[str, Any]) -> dict[str, Any]:
    """What the process does."""
    _bound(job["seconds"])
    try:
        if job["what"] == "document":
            title, text = document.convert(b64decode(job["data"]), job["kind"])
            return {"title": title, "text": text}
        title, date, text = extract(job["html"], job["url"])
    except Refused as error:
        return {"refused": error.message, "hint": error.hint}
    return {"title": title, "date": date, "text": text}


def _bound(seconds: float) -> None:
    """Bounds this process by itself too: whoever started it may be killed, and then stops nothing."""
    try:
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (int(seconds) + 2, int(seconds) + 2))
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    except (ImportError, OSError, ValueError):  # Windows has none, and some systems know no bound of memory
        return
