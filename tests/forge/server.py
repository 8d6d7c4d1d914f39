"""A forge on loopback: the comments of one change, as GitHub and GitLab keep them, with faults to order."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import MappingProxyType
from typing import Any, NamedTuple
from urllib.parse import parse_qs, urlsplit

GITHUB_BOT = {"login": "github-actions[bot]", "type": "Bot"}
ADA = {"login": "ada", "type": "User", "username": "ada"}
GITLAB_BOT = {"username": "project_7_bot", "bot": True}


class Request(NamedTuple):
    method: str
    path: str
    token: str
    value: Any


class Fault(NamedTuple):
    """What one request is answered in place of the truth; `done` carries it out all the same.

    `value` goes as JSON, bytes as they are.
    """

    status: int
    headers: Mapping[str, str] = MappingProxyType({})
    done: bool = False
    value: Any = None


FORBIDDEN = Fault(403, value={"message": "Resource not accessible by integration"})
"""What GitHub says to a token that may only read."""


class Server:
    """State of the forge.

    Attributes:
        me: who the token belongs to; None: it may not ask.
        comments: the oldest first.
        faults: answers that come first, by method.
        pulls: the open pull requests, as GitHub tells of them.
        readers: tokens that may only read, such as that of a fork.
    """

    def __init__(self, sort: str) -> None:
        self.sort = sort
        self.me: dict[str, Any] | None = None
        self.writer = GITHUB_BOT if sort == "github" else GITLAB_BOT
        self.comments: list[dict[str, Any]] = []
        self.pulls: list[dict[str, Any]] = []
        self.readers: set[str] = set()
        self.last = 999
        self.requests: list[Request] = []
        self.faults: dict[str, list[Fault]] = {}
        self.address = ""
        self.lock = threading.Lock()

    def add(self, body: str, author: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        self.last += 1
        number = self.last
        comment = {
            "id": number,
            "body": body,
            "user" if self.sort == "github" else "author": author or self.writer,
            "created_at": f"2026-03-01T00:{number // 60 % 60:02d}:{number % 60:02d}Z",
            "html_url": f"{self.address}/c/{number}",
            **more,
        }
        self.comments.append(comment)
        return comment

    @property
    def reviews(self) -> list[dict[str, Any]]:
        return [one for one in self.comments if one["body"].startswith("<!-- memgit-review")]

    def said(self, method: str) -> list[Request]:
        return [one for one in self.requests if one.method == method]

    def env(self) -> dict[str, str]:
        """What a job of this forge finds in its environment, but for files."""
        if self.sort == "github":
            return {
                "GITHUB_ACTIONS": "true",
                "GITHUB_API_URL": self.address,
                "GITHUB_REPOSITORY": "team/kb",
                "GITHUB_REF": "refs/pull/7/merge",
            }
        return {
            "GITLAB_CI": "true",
            "CI_API_V4_URL": self.address,
            "CI_PROJECT_ID": "42",
            "CI_MERGE_REQUEST_IID": "7",
        }

    def answer(self, method: str, target: str, value: Any, token: str) -> tuple[int, Mapping[str, str], Any]:
        if method != "GET" and token in self.readers:
            return FORBIDDEN.status, FORBIDDEN.headers, FORBIDDEN.value
        parts = urlsplit(target)
        listing = (
            "/repos/team/kb/issues/7/comments"
            if self.sort == "github"
            else "/projects/42/merge_requests/7/notes"
        )
        single = "/repos/team/kb/issues/comments/" if self.sort == "github" else listing + "/"
        if parts.path == "/user":
            return (200, {}, self.me) if self.me else (FORBIDDEN.status, {}, FORBIDDEN.value)
        if parts.path in ("/repos/team/kb/pulls", "/projects/42/merge_requests"):
            return 200, {}, self.pulls
        for one in self.pulls:
            if parts.path == f"/repos/team/kb/pulls/{one['number']}":
                return 200, {}, one
        if parts.path == listing and method == "GET":
            query = parse_qs(parts.query)
            size, page = int(query.get("per_page", ["30"])[0]), int(query.get("page", ["1"])[0])
            rows = self.comments if self.sort == "github" else self.comments[::-1]
            headers = (
                {}
                if page * size >= len(rows)
                else {"Link": f'<{self.address}{listing}?page={page + 1}>; rel="next"'}
            )
            return 200, headers, rows[(page - 1) * size : page * size]
        if parts.path == listing and method == "POST":
            return 201, {}, self.add(value["body"])
        if parts.path.startswith(single) and method == ("PATCH" if self.sort == "github" else "PUT"):
            for comment in self.comments:
                if str(comment["id"]) == parts.path.removeprefix(single):
                    comment["body"] = value["body"]
                    return 200, {}, comment
        if parts.path.startswith(single) and method == "DELETE":
            self.comments = [
                one for one in self.comments if str(one["id"]) != parts.path.removeprefix(single)
            ]
            return 204, {}, None
        return 404, {}, {"message": "Not Found"}


class _Handler(BaseHTTPRequestHandler):
    server: Any

    def _serve(self) -> None:
        state: Server = self.server.state
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        value = json.loads(data) if data else None
        with state.lock:
            token = self.headers.get("Authorization", "").removeprefix("Bearer ") or self.headers.get(
                "PRIVATE-TOKEN", ""
            )
            state.requests.append(Request(self.command, self.path, token, value))
            faults = state.faults.get(self.command, [])
            fault = faults.pop(0) if faults and not self.path.startswith("/user") else None
            status, headers, answer = (
                state.answer(self.command, self.path, value, token)
                if fault is None or fault.done
                else (0, {}, None)
            )
        if fault is not None:
            plain = {"message": f"fault {fault.status}"}
            status, headers, answer = (
                fault.status,
                fault.headers,
                plain if fault.value is None else fault.value,
            )
        body = b"" if status == 204 else answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        self.send_response(status)
        for name, text in headers.items():
            self.send_header(name, text)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_PATCH = do_PUT = do_DELETE = _serve  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Nothing: the test looks at the requests."""


@contextmanager
def serving(sort: str) -> Iterator[Server]:
    """A forge of that sort, listening on a free port."""
    state = Server(sort)
    http = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    http.daemon_threads = True
    http.state = state  # type: ignore[attr-defined]
    state.address = f"http://127.0.0.1:{http.server_address[1]}"
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield state
    finally:
        http.shutdown()
        thread.join()
        http.server_close()
