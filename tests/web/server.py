"""A server on the loopback address that answers each path as a test says, byte for byte."""

from __future__ import annotations

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Answer = Callable[[socket.socket, bytes], None]
"""Writes to the socket; is given the head of the request too."""


def reply(status: str, headers: dict[str, str] | None = None, body: bytes = b"") -> bytes:
    """One whole response, without a Content-Length unless it is given."""
    lines = [
        f"HTTP/1.1 {status}",
        *(f"{name}: {value}" for name, value in (headers or {}).items()),
        "Connection: close",
        "",
        "",
    ]
    return "\r\n".join(lines).encode("latin-1") + body


class Server:
    """What is served:

    `routes` maps a path to the bytes of a response, or to a function that writes one; `seen` are the
    requests.
    """

    def __init__(self, port: int) -> None:
        self.port = port
        self.routes: dict[str, bytes | Answer] = {}
        self.seen: list[bytes] = []

    def url(self, path: str = "/", host: str = "127.0.0.1", scheme: str = "http") -> str:
        return f"{scheme}://{host}:{self.port}{path}"

    def page(
        self, path: str, body: bytes, content_type: str = "text/html; charset=utf-8", **headers: str
    ) -> str:
        """Serves a page; its URL."""
        given = {
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
            **{key.replace("_", "-"): v for key, v in headers.items()},
        }
        self.routes[path] = reply("200 OK", given, body)
        return self.url(path)

    def redirect(self, path: str, location: str, status: str = "302 Found") -> str:
        self.routes[path] = reply(status, {"Location": location, "Content-Length": "0"})
        return self.url(path)

    def answer(self, connection: socket.socket) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            data = connection.recv(65536)
            if not data:
                return
            head += data
            if head.startswith(b"\x16"):  # the first byte of TLS
                connection.sendall(reply("400 Bad Request"))
                return
        self.seen.append(head)
        path = head.split(b" ", 2)[1].decode("latin-1")
        answer = self.routes.get(
            path, reply("404 Not Found", {"Content-Type": "text/plain"}, b"nothing here")
        )
        if isinstance(answer, bytes):
            connection.sendall(answer)
        else:
            answer(connection, head)


@contextmanager
def serving(context: ssl.SSLContext | None = None) -> Iterator[Server]:
    """Serves until the block is left; one thread a connection."""
    listener = socket.create_server(("127.0.0.1", 0))
    server = Server(listener.getsockname()[1])
    threads: list[threading.Thread] = []
    over = threading.Event()

    def one(connection: socket.socket) -> None:
        with suppress(OSError), connection:
            connection.settimeout(5)
            if context is None:
                server.answer(connection)
            else:
                with context.wrap_socket(connection, server_side=True) as secure:
                    server.answer(secure)

    def accept() -> None:
        while not over.is_set():
            try:
                connection, _ = listener.accept()
            except OSError:
                return
            thread = threading.Thread(target=one, args=(connection,), daemon=True)
            threads.append(thread)
            thread.start()

    accepting = threading.Thread(target=accept, daemon=True)
    accepting.start()
    try:
        yield server
    finally:
        over.set()
        with suppress(OSError), socket.socket() as last:
            last.connect(("127.0.0.1", server.port))
        accepting.join(5)
        listener.close()
        for thread in threads:
            thread.join(5)
