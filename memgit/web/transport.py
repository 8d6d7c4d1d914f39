"""One GET over HTTP/1.1 with its redirects: what is sent, what is taken back, and where it stops."""

from __future__ import annotations

import http.client
import re
import zlib
from collections.abc import Callable
from contextlib import closing
from typing import NamedTuple
from urllib.parse import quote, urljoin, urlsplit

from memgit import __version__
from memgit.errors import BadInput, Refused
from memgit.web.connection import Wire, connect, words
from memgit.web.deadline import Deadline
from memgit.web.proxy import Proxies, Proxy
from memgit.web.url import Target, parse

CHUNK_BYTES = 65536
REDIRECTS = frozenset([301, 302, 303, 307, 308])
ACCEPT = "text/html, application/xhtml+xml, text/markdown, text/plain;q=0.9, */*;q=0.1"


class Limits(NamedTuple):
    """How far a fetch goes: see `memgit.web.fetch`."""

    allow_private: bool
    timeout: float
    max_bytes: int
    max_redirects: int


class Response(NamedTuple):
    """What a server gave: the URL at the end of all redirects, the `Content-Type` header as it came (""
    without), the decompressed body.
    """

    url: str
    content_type: str
    body: bytes


def get(
    url: str, limits: Limits, proxies: Proxies, wanted: Callable[[str], None] = lambda _: None
) -> Response:
    """Fetches one URL.

    Args:
        wanted: is given the `Content-Type` before the body is read, and raises where it is not to be.

    Raises:
        BadInput: the URL cannot be fetched.
        Refused: everything else that goes wrong, in words.
    """
    deadline = Deadline(limits.timeout)
    target = parse(url)
    for _ in range(limits.max_redirects + 1):
        proxy = proxies.of(target)
        try:
            with closing(connect(target, proxy, deadline, allow_private=limits.allow_private)) as sock:
                found = _ask(Wire(sock, deadline), target, proxy, limits.max_bytes, wanted)
        except TimeoutError:
            raise deadline.over() from None
        except http.client.RemoteDisconnected:
            raise Refused(f"{target.host} broke off without an answer") from None
        except http.client.BadStatusLine:
            raise Refused(f"{target.host} does not speak HTTP") from None
        except http.client.HTTPException as error:
            raise Refused(f"{target.host} broke the rules of HTTP: {_told(error)}") from None
        except OSError as error:
            raise Refused(f"the connection to {target.host} broke: {words(error)}") from None
        if isinstance(found, Response):
            return found
        target = found
    raise Refused(f"more than {limits.max_redirects} redirects from {url.strip()[:200]}")


def _ask(
    wire: Wire, target: Target, proxy: Proxy | None, max_bytes: int, wanted: Callable[[str], None]
) -> Response | Target:
    """The answer of one server: the page, or where it says that the page is."""
    connection = http.client.HTTPConnection(target.host, target.port)
    connection.sock = wire
    plain_proxy = proxy is not None and target.scheme == "http"
    path = f"http://{target.authority}{target.path}" if plain_proxy else target.path
    connection.putrequest("GET", path, skip_host=True, skip_accept_encoding=True)
    for name, value in (
        ("Host", target.authority),
        ("User-Agent", f"memgit/{__version__}"),
        ("Accept", ACCEPT),
        ("Accept-Encoding", "gzip, deflate"),
        ("Connection", "close"),
        *(
            (("Proxy-Authorization", proxy.authorization),)
            if plain_proxy and proxy is not None and proxy.authorization
            else ()
        ),
    ):
        connection.putheader(name, value)
    connection.endheaders()
    with closing(connection.getresponse()) as answer:
        if answer.status in REDIRECTS:
            return _redirect(target, answer.headers.get("Location"))
        if not 200 <= answer.status < 300:
            raise Refused(
                f"{target.host} answers {answer.status} {_printable(answer.reason)}".rstrip(),
                hint=_hint(answer.status),
            )
        kind = answer.headers.get("Content-Type", "")
        wanted(kind)
        return Response(target.url, kind, _body(answer, max_bytes))


def _redirect(target: Target, location: str | None) -> Target:
    if not location:
        raise Refused(f"{target.host} redirects to nowhere")
    try:
        # Headers are read as Latin-1; servers write UTF-8 into them, and blanks.
        there = urljoin(target.url, quote(location.strip().encode("latin-1"), safe="%/:=&?~#+!$,;'@()*[]"))
        fragment = urlsplit(target.url).fragment
        return parse(f"{there}#{fragment}" if fragment and not urlsplit(there).fragment else there)
    except BadInput as error:
        raise Refused(f"{target.host} redirects to what is not fetched: {error.message}") from None
    except ValueError:
        raise Refused(f"{target.host} redirects to no URL") from None


def _body(answer: http.client.HTTPResponse, max_bytes: int) -> bytes:
    """The decompressed body.

    Raises:
        Refused: it is larger than `max_bytes`, breaks off, or is compressed in another way than was asked
            for.
    """
    declared = answer.length
    encoding = answer.headers.get("Content-Encoding", "").strip().lower()
    unpack = _unpacker(encoding)
    if unpack is None and declared is not None and declared > max_bytes:
        raise _too_large(max_bytes)
    body = bytearray()
    received = 0
    while declared is None or received < declared:
        chunk = answer.read1(CHUNK_BYTES if declared is None else min(CHUNK_BYTES, declared - received))
        if not chunk:
            break
        received += len(chunk)
        if unpack is None:
            body += chunk
        else:
            unpack.feed(chunk, body, max_bytes)
        if len(body) > max_bytes or received > max_bytes:
            raise _too_large(max_bytes)
    if (declared is not None and received < declared) or (
        unpack is not None and received and not unpack.whole
    ):
        raise Refused("the page broke off before its end", hint="try again")
    return bytes(body)


class _Unpacker:
    """A gzip or deflate stream, never unpacked further than there is room for."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj(47)  # gzip or zlib, as the head says
        self._started = False

    @property
    def whole(self) -> bool:
        return self._stream.eof

    def feed(self, data: bytes, body: bytearray, max_bytes: int) -> None:
        """Appends what `data` unpacks to, to one byte more than `max_bytes` at most."""
        while data and len(body) <= max_bytes:
            if self._stream.eof:
                if not b"\x1f\x8b".startswith(data[:2]):
                    return  # padding after the end
                self._stream = zlib.decompressobj(47)  # one more member
            try:
                body += self._stream.decompress(data, max_bytes + 1 - len(body))
            except zlib.error:
                if self._started:
                    raise Refused("the page is compressed in a broken way") from None
                # "deflate" without its head, as some servers send it
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
                self._started = True
                continue
            self._started = True
            data = self._stream.unconsumed_tail or self._stream.unused_data


def _unpacker(encoding: str) -> _Unpacker | None:
    if encoding in ("", "identity"):
        return None
    if encoding in ("gzip", "x-gzip", "deflate"):
        return _Unpacker()
    raise Refused(f"the page is compressed in a way that was not asked for: {_printable(encoding)}")


def _too_large(max_bytes: int) -> Refused:
    return Refused(f"the page has more than {max_bytes} bytes", hint="--max-bytes N takes larger ones")


def _hint(status: int) -> str | None:
    return (
        "check the URL"
        if status in (404, 410)
        else "save the page and ingest the file"
        if status in (401, 402, 403, 429, 451)
        else None
    )


def _told(error: http.client.HTTPException) -> str:
    return (
        "the page broke off before its end"
        if isinstance(error, http.client.IncompleteRead)
        else _printable(str(error))
    )


def _printable(text: str) -> str:
    """Words of a server, on one line and without controls."""
    return re.sub(r"[^\x20-\x7e\xa0-\uffff]+", " ", text)[:80].strip()
