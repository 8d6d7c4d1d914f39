"""A connection to the very address that was checked, bounded in time as a whole."""

from __future__ import annotations

import io
import socket
from collections.abc import Sequence
from typing import TYPE_CHECKING

from memgit.errors import Refused
from memgit.web.address import Address, addresses, check, check_unresolved, known
from memgit.web.deadline import Deadline
from memgit.web.proxy import Proxy
from memgit.web.url import Target

if TYPE_CHECKING:
    from ssl import SSLSocket

MAX_HEAD = 65536
"""The longest answer of a proxy to CONNECT, in bytes."""


class Wire:
    """A socket as `http.client` uses one. Every send and every receive waits only as long as the deadline
    leaves.

    Closing it does nothing: `http.client` closes at its own times, and the socket belongs to whoever opened
    it.
    """

    def __init__(self, sock: socket.socket | SSLSocket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def sendall(self, data: bytes) -> None:
        self._sock.settimeout(self._deadline.left())
        self._sock.sendall(data)

    def makefile(self, mode: str) -> io.BufferedReader:
        return io.BufferedReader(_Incoming(self._sock, self._deadline))

    def close(self) -> None:
        pass


class _Incoming(io.RawIOBase):
    """What the socket receives, as a stream."""

    def __init__(self, sock: socket.socket | SSLSocket, deadline: Deadline) -> None:
        self._sock = sock
        self._deadline = deadline

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        self._sock.settimeout(self._deadline.left())
        return self._sock.recv_into(buffer)


def connect(
    target: Target, proxy: Proxy | None, deadline: Deadline, *, allow_private: bool
) -> socket.socket | SSLSocket:
    """A socket over which the target can be asked for a page; for https it speaks TLS, and the certificate
    was checked.

    Raises:
        Refused: no public address, no connection, a proxy that refuses, TLS that fails, or no time left.
    """
    if proxy is None:
        sock = _open(
            target.host, addresses(target.host, target.port, deadline, allow_private=allow_private), deadline
        )
    else:
        # The name is looked up by the proxy in the end; what this machine knows about it is checked all the
        # same.
        there = known(target.host, target.port, deadline)
        if not allow_private:
            for address in there:
                check(target.host, address.sockaddr[0])
            if not there:
                check_unresolved(target.host)
        # The proxy is the user's own choice, wherever it is.
        sock = _open(proxy.host, addresses(proxy.host, proxy.port, deadline, allow_private=True), deadline)
    try:
        if target.scheme == "http":
            return sock
        if proxy is not None:
            _tunnel(sock, target, proxy, deadline)
        return _secure(sock, target.host, deadline)
    except BaseException:
        sock.close()
        raise


def _open(host: str, there: Sequence[Address], deadline: Deadline) -> socket.socket:
    """Connects to the first address that answers; each gets its share of the time."""
    reason: OSError | None = None
    for number, address in enumerate(there):
        sock = socket.socket(address.family, socket.SOCK_STREAM)
        try:
            sock.settimeout(deadline.left() / (len(there) - number))
            sock.connect(address.sockaddr)
            return sock
        except OSError as error:
            sock.close()
            reason = error
        except BaseException:
            sock.close()
            raise
    deadline.left()
    raise Refused(f"no connection to {host}: {words(reason)}", hint="check the address and the network")


def _tunnel(sock: socket.socket, target: Target, proxy: Proxy, deadline: Deadline) -> None:
    """Asks a proxy to pass everything on to the target."""
    name = f"[{target.host}]:{target.port}" if ":" in target.host else f"{target.host}:{target.port}"
    lines = [
        f"CONNECT {name} HTTP/1.1",
        f"Host: {name}",
        *([f"Proxy-Authorization: {proxy.authorization}"] if proxy.authorization else []),
    ]
    wire = Wire(sock, deadline)
    wire.sendall("\r\n".join([*lines, "", ""]).encode("ascii"))
    head = bytearray()
    while not head.endswith((b"\r\n\r\n", b"\n\n")):
        # Byte by byte: what follows the head belongs to the target.
        sock.settimeout(deadline.left())
        byte = sock.recv(1)
        if not byte or len(head) >= MAX_HEAD:
            raise Refused(f"the proxy {proxy.host} broke off")
        head += byte
    status = head.split(b"\n", 1)[0].decode("latin-1").strip().split(" ", 2)
    if len(status) < 2 or not status[0].startswith("HTTP/1.") or not status[1].startswith("2"):
        raise Refused(
            f"the proxy {proxy.host} passes nothing on to {target.host}: {' '.join(status[1:])[:80]}"
        )


def _secure(sock: socket.socket, host: str, deadline: Deadline) -> SSLSocket:
    """TLS for the name of the target, whatever address it was found at."""
    import ssl

    try:
        context = ssl.create_default_context()
        sock.settimeout(deadline.left())
        return context.wrap_socket(sock, server_hostname=host)
    except ssl.SSLCertVerificationError as error:
        raise Refused(f"the certificate of {host} does not hold: {error.verify_message}") from None
    except ssl.SSLError as error:
        raise Refused(
            f"TLS with {host} failed: {(error.reason or str(error)).replace('_', ' ').lower()}"
        ) from None


def words(error: OSError | None) -> str:
    """An error of the system as a person reads it."""
    return (error.strerror or str(error) or type(error).__name__) if error is not None else "no answer"
