"""The site of the working tree, live on loopback: read-only, brought up to date at each request."""

from __future__ import annotations

import json
import os
import posixpath
import re
import threading
from collections.abc import Callable
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from tempfile import TemporaryDirectory
from time import monotonic
from typing import Any, ClassVar
from urllib.parse import parse_qs, unquote, urlsplit

from memgit.app.read.search import search
from memgit.app.review.review import Request as ReviewRequest
from memgit.app.review.review import parse_range, review
from memgit.app.workspace import Context, Workspace
from memgit.cache.search import Query
from memgit.errors import MemgitError
from memgit.git.worktree.status import dirty
from memgit.site.build import build
from memgit.site.collect import settings_of
from memgit.site.pages import review_page
from memgit.site.render import visible
from memgit.site.urls import record_paths

HOSTS = re.compile(r"^(localhost|127\.0\.0\.1|\[::1\])(:\d{1,5})?$")
"""The Host headers that are answered: with any other one, a page elsewhere could read this site by rebinding."""
POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
TYPES = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".xml": "application/xml",
    ".txt": "text/plain; charset=utf-8",
    **{f".{name}": f"image/{name}" for name in ("png", "gif", "webp", "avif")},
    **{f".{name}": "image/jpeg" for name in ("jpg", "jpeg")},
}
LOOK_SECONDS = 1.0
"""The state of the working tree is looked at once in so long a time."""
RESULTS = 50


class Live:
    """The site of a working tree in a temporary folder, with the engine that searches it.

    Args:
        open_: opens the workspace anew, so that what other processes changed is seen.
    """

    def __init__(self, open_: Callable[[], Workspace], context: Context, folder: str) -> None:
        self._open, self._context, self.folder = open_, context, folder
        self._lock = threading.Lock()
        self._state = ""
        self._looked = 0.0

    def state(self) -> str:
        """Names the present state of the records; the site is brought up to date with it."""
        with self._lock:
            if monotonic() - self._looked < LOOK_SECONDS and self._state:
                return self._state
            workspace = self._open()
            try:
                now = _state_of(workspace)
                if now != self._state:
                    build(workspace, self._context, self.folder, settings_of(workspace), live=now)
                    self._state = now
            finally:
                workspace.close()
            self._looked = monotonic()
            return self._state

    def search(self, text: str) -> dict[str, Any]:
        """What the engine answers, in the form of the static search."""
        with self._lock:
            workspace = self._open()
            try:
                answer = search(workspace, Query(text, limit=RESULTS))
                settings = settings_of(workspace)
                records = [one for one in answer.reader.heads() if not settings.hides(one)]
                paths = record_paths({one.address: one for one in records}.values())
                rows = [
                    [
                        visible(one.record.title),
                        paths[one.record.address],
                        one.record.kind,
                        visible(one.snippet.marked("", "")),
                    ]
                    for one in answer.results
                    if one.record.address in paths
                ]
            finally:
                workspace.close()
        return {"count": len(rows), "rows": rows}

    def review(self, revisions: str) -> str:
        """The review of a range as a page."""
        with self._lock:
            workspace = self._open()
            try:
                base, head = parse_range(revisions or None)
                found = review(workspace, self._context, ReviewRequest(base, head, (), ()), lambda *_: None)
                return review_page(settings_of(workspace), found)
            finally:
                workspace.close()


def _state_of(workspace: Workspace) -> str:
    """A name for HEAD and what differs from it in the working tree, told by size and time of each file."""
    repo = workspace.require_repository()
    rows: list[Any] = [repo.head().commit]
    for path, kind in dirty(repo):
        try:
            found = os.lstat(os.path.join(workspace.root or "", path))
            rows.append([path, kind, found.st_size, found.st_mtime_ns])
        except OSError:
            rows.append([path, kind])
    return sha256(json.dumps(rows).encode()).hexdigest()[:16]


def handler(live: Live) -> type[BaseHTTPRequestHandler]:
    """A request handler for one live site."""

    class Handler(BaseHTTPRequestHandler):
        server_version = "memgit"
        sys_version = ""
        protocol_version = "HTTP/1.1"
        timeout: ClassVar[float] = 30.0

        def do_GET(self) -> None:
            if not HOSTS.match(self.headers.get("Host") or ""):
                self._answer(403, "text/plain; charset=utf-8", b"this host name is not answered\n")
                return
            address = urlsplit(self.path)
            query = {name: values[0] for name, values in parse_qs(address.query).items()}
            try:
                self._route(unquote(address.path), query)
            except MemgitError as error:
                self._answer(
                    422, "text/plain; charset=utf-8", f"{error.message}\n".encode("utf-8", "replace")
                )

        do_HEAD = do_GET  # noqa: N815  # the name that http.server calls

        def _route(self, path: str, query: dict[str, str]) -> None:
            if path == "/-/state":
                self._answer(200, "text/plain; charset=utf-8", live.state().encode())
            elif path == "/-/search":
                data = json.dumps(live.search(query.get("q", "")), ensure_ascii=False)
                self._answer(200, TYPES[".json"], data.encode("utf-8", "replace"))
            elif path == "/review":
                page = live.review(query.get("range", ""))
                self._answer(200, TYPES[".html"], page.encode("utf-8", "replace"))
            else:
                live.state()
                self._file(path)

        def _file(self, path: str) -> None:
            place = posixpath.normpath("/" + path).lstrip("/") or "index.html"
            full = os.path.join(live.folder, place)
            kind = TYPES.get(os.path.splitext(place)[1].lower())
            if os.path.isdir(full):
                place, full, kind = f"{place}/index.html", os.path.join(full, "index.html"), TYPES[".html"]
            try:
                if kind is None or any(part.startswith(".") for part in place.split("/")):
                    raise FileNotFoundError
                with open(full, "rb") as file:
                    self._answer(200, kind, file.read())
            except (OSError, ValueError):
                with open(os.path.join(live.folder, "404.html"), "rb") as file:
                    self._answer(404, TYPES[".html"], file.read())

        def _answer(self, code: int, kind: str, data: bytes) -> None:
            self.send_response(code)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(data)))
            self.send_header("Content-Security-Policy", POLICY)
            self.send_header("X-Content-Type-Options", "nosniff")
            self.send_header("Referrer-Policy", "no-referrer")
            self.send_header("Cache-Control", "no-store")
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(data)

        def log_message(self, format: str, *args: Any) -> None:
            """Requests are not logged."""

    return Handler


def serve(open_: Callable[[], Workspace], context: Context, port: int, ready: Callable[[str], None]) -> None:
    """Serves until it is interrupted. `ready` gets the address once requests are answered.

    Raises:
        OSError: the port is taken.
    """
    with TemporaryDirectory(prefix="memgit-serve-") as folder:
        live = Live(open_, context, folder)
        live.state()
        with ThreadingHTTPServer(("127.0.0.1", port), handler(live)) as server:
            server.daemon_threads = True
            ready(f"http://127.0.0.1:{server.server_port}/")
            server.serve_forever()
