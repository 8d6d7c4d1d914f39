"""URLs that may be fetched, taken apart: nothing in them is left for a server, a proxy or a resolver to
understand in its own way.
"""

from __future__ import annotations

import re
from ipaddress import AddressValueError, IPv4Address, IPv6Address
from typing import NamedTuple
from urllib.parse import quote, urlsplit

from memgit.errors import BadInput

PORTS = {"http": 80, "https": 443}
MAX_LENGTH = 8000
"""Characters of a URL, as servers commonly take."""

_NAME = re.compile(r"[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*", re.ASCII)
_NUMBER = re.compile(r"0x[0-9a-f]*|[0-9]+", re.ASCII)


class Target(NamedTuple):
    """One URL to ask for.

    `url` is the text that is stored; `host` an ASCII name in lower case or an address without brackets;
    `path` the path with the query, as it goes into the request line.
    """

    url: str
    scheme: str
    host: str
    port: int
    path: str

    @property
    def authority(self) -> str:
        """Host and port as the `Host` header names them."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == PORTS[self.scheme] else f"{host}:{self.port}"


def parse(text: str) -> Target:
    """Takes a URL apart.

    Raises:
        BadInput: no absolute http or https URL; credentials in it; no host, or one in an odd spelling; a
            wrong port.
    """
    url = text.strip().replace(" ", "%20")
    shown = url if len(url) <= 200 else url[:200] + "…"
    if len(url) > MAX_LENGTH:
        raise BadInput(f"the URL has {len(url)} characters; the limit is {MAX_LENGTH}")
    if not url.isprintable():
        raise BadInput(f"a control character or an invisible one in the URL {shown!r}")
    try:
        parts = urlsplit(url)
        port, name = parts.port, parts.hostname
    except ValueError as error:
        raise BadInput(f"no URL: {shown!r}: {error}") from None
    if parts.scheme not in PORTS:
        raise BadInput(f"{parts.scheme or 'no scheme'} in {shown!r}: only http and https URLs are fetched")
    if "@" in parts.netloc:
        raise BadInput(
            "a user name or password in the URL: it would be stored with the record",
            hint="leave it out of the URL",
        )
    if port == 0:
        raise BadInput(f"no such port in {shown!r}")
    host = _host(name or "", shown)
    path = quote(parts.path or "/", safe="/%:@!$&'()*+,;=-._~")
    query = quote(parts.query, safe="/%:@!$&'()*+,;=-._~?[]")
    return Target(
        url, parts.scheme, host, port or PORTS[parts.scheme], f"{path}?{query}" if parts.query else path
    )


def _host(name: str, shown: str) -> str:
    """A host in the one spelling that everything after this agrees on."""
    try:
        if ":" in name:
            if "%" in name:
                raise BadInput(f"an address with a zone in {shown!r}")
            return IPv6Address(name).compressed
        if len(name) > 253:
            raise BadInput("the host name is too long")
        host = name.removesuffix(".").encode("idna").decode("ascii").lower()
    except (AddressValueError, UnicodeError):
        raise BadInput(f"no host name in {shown!r}") from None
    if _NAME.fullmatch(host) is None:
        raise BadInput(f"no host name in {shown!r}")
    if _NUMBER.fullmatch(host.rpartition(".")[2]):
        try:
            return IPv4Address(host).compressed
        except AddressValueError:
            # Resolvers read 127.1, 0177.0.0.1 and 2130706433 as addresses, each in its own way.
            raise BadInput(
                f"an odd spelling of an address in {shown!r}",
                hint="write it as four decimal numbers: 192.0.2.1",
            ) from None
    return host
