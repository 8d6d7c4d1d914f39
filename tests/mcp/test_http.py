"""`memgit mcp --http`: streamable HTTP on loopback, behind a token."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("mcp")

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import Implementation

from tests.mcp.test_server import call, refused
from tests.support import memgit, status

pytestmark = pytest.mark.filterwarnings("default")
TOKEN = "0123456789abcdef"
START_SECONDS = 120
"""A server starts in two seconds; a busy machine takes its time."""


@pytest.fixture
def address(kb: Path) -> Iterator[str]:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [sys.executable, "-m", "memgit", "-C", str(kb), "mcp", "--http", str(port)]
    env = {**os.environ, "MEMGIT_MCP_TOKEN": TOKEN, "PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen(command, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as server:
        end = time.monotonic() + START_SECONDS
        while server.poll() is None and time.monotonic() < end:
            with socket.socket() as tried:
                if tried.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}/mcp"
        server.send_signal(signal.SIGTERM)
        out, err = server.communicate(timeout=20)
        assert out == b"" and b"Traceback" not in err


def test_clients_with_the_token_are_served_each_as_a_run(kb: Path, address: str) -> None:
    async def one(name: str) -> None:
        async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {TOKEN}"}) as http:
            transport = streamable_http_client(address, http_client=http)
            async with Client(
                transport, client_info=Implementation(name=name, version="1"), mode="legacy"
            ) as client:
                for number in range(4):
                    await call(client, "record", kind="memory", title=f"{name} {number}", body="x")
                assert (await refused(client, "show", address="nope"))["code"] == "not_found"

    async def all_of_them() -> None:
        await asyncio.gather(*(one(f"agent-{number}") for number in range(4)))

    asyncio.run(all_of_them())
    assert len(memgit(kb, "list", "memory", "--json").json) == 16 and status(kb) == ""
    events = memgit(kb, "log", "--json").json[:-1]
    assert len({(event["actor"], event["run"]) for event in events}) == 4


@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer wrong"}, {"Authorization": TOKEN}])
def test_without_the_token_nothing_is_answered(address: str, headers: dict[str, str]) -> None:
    request = urllib.request.Request(address, data=b"{}", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request)
    assert raised.value.code == 401
    raised.value.close()


def test_another_host_name_is_refused(address: str) -> None:
    headers = {"Authorization": f"Bearer {TOKEN}", "Host": "evil.example", "Content-Type": "application/json"}
    request = urllib.request.Request(address, data=b"{}", headers=headers)
    with pytest.raises(urllib.error.HTTPError) as raised:
        urllib.request.urlopen(request)
    assert raised.value.code == 421
    raised.value.close()


def test_a_token_is_needed(kb: Path) -> None:
    answer = memgit(kb, "mcp", "--http", "9", code=2)
    assert "--http needs a token" in answer.err and "MEMGIT_MCP_TOKEN" in answer.err
