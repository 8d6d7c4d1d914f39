"""The live site: what it answers, to whom, and that it follows the working tree."""

from __future__ import annotations

import http.client
import json
import os
import threading
from collections.abc import Iterator
from http.server import ThreadingHTTPServer
from pathlib import Path

import pytest

from memgit.app.workspace import Context, open_workspace
from memgit.site import serve
from tests.support import memgit, run_git, write

NOW = Context("2026-12-01", "2026-12-01T00:00:00Z", dict(os.environ))


@pytest.fixture
def port(store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    monkeypatch.setattr(serve, "LOOK_SECONDS", 0.0)
    live = serve.Live(lambda: open_workspace(str(store), dict(os.environ)), NOW, str(tmp_path / "live"))
    with ThreadingHTTPServer(("127.0.0.1", 0), serve.handler(live)) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


def ask(
    port: int, path: str, host: str | None = None, method: str = "GET"
) -> tuple[int, dict[str, str], str]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    try:
        connection.request(method, path, headers={"Host": host or f"127.0.0.1:{port}"})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read().decode()
    finally:
        connection.close()


def test_pages_follow_the_working_tree(store: Path, port: int) -> None:
    code, headers, page = ask(port, "/")
    assert code == 200 and "Team notes" in page and "default-src 'none'" in headers["Content-Security-Policy"]
    before = ask(port, "/-/state")[2]
    path = store / "memory/team/heron.md"
    path.write_text(path.read_text().replace("is slow", "was replaced"))
    assert ask(port, "/-/state")[2] != before
    assert "was replaced" in ask(port, "/records/memory/team/heron.html")[2]
    assert " M memory/team/heron.md" in run_git(store, "status", "--porcelain").splitlines()


def test_search_is_that_of_the_engine(port: int) -> None:
    found = json.loads(ask(port, "/-/search?q=backoff")[2])
    assert found["rows"][0][:3] == [
        "Retry with backoff",
        "records/knowledge/backend/retry-with-backoff.html",
        "knowledge",
    ]
    assert json.loads(ask(port, "/-/search?q=salary")[2]) == {"count": 0, "rows": []}


@pytest.mark.parametrize(
    "host", ["evil.example.org", "127.0.0.1.evil.org", "localhost.evil:80", "", "0.0.0.0:1"]
)
def test_another_host_name_is_refused(port: int, host: str) -> None:
    assert ask(port, "/", host or " ")[0] == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../kb/.memgit.yaml",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/.memgit-site.json",
        "/static/..%2f..%2fx",
        "/\0x",
        "//etc/passwd",
        "/x.exe",
    ],
)
def test_nothing_but_the_site_is_served(port: int, path: str) -> None:
    code, _, page = ask(port, path.replace("\0", "%00"))
    assert code == 404 and "root:" not in page and "layout" not in page


def test_it_is_read_only(port: int) -> None:
    assert ask(port, "/", method="POST")[0] == 501
    assert ask(port, "/", method="HEAD")[2] == ""


def test_a_review_as_a_page(store: Path, port: int) -> None:
    run_git(store, "add", "-A")
    run_git(store, "commit", "-q", "-m", "notes")
    run_git(store, "branch", "base")
    memgit(store, "update", "Retry with backoff", "-m", "Wait 2, 4, 8 seconds. <script>alert(1)</script>")
    write(store, "memory/team/x.md", "---\ntitle: New\n---\n\n[[nowhere]]\n")
    run_git(store, "add", "-A")
    run_git(store, "commit", "-q", "-m", "more", "--no-verify")
    code, _, page = ask(port, "/review?range=base..HEAD")
    assert code == 200 and "Verdict:" in page and "<script>alert" not in page
    assert "<ins>" in page and 'class="sides"' in page and "MG201" in page
    assert ask(port, "/review?range=nosuch..HEAD")[0] == 422
