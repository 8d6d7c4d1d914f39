"""From a host to the addresses to connect to, each of them checked."""

from __future__ import annotations

import socket
import threading
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple

from memgit.errors import Refused
from memgit.web.deadline import Deadline

_NAT64 = IPv6Network("64:ff9b::/96")
_UNICAST = IPv6Network("2000::/3")
"""All that is given out as global unicast."""
_SPECIAL_4 = tuple(
    map(
        IPv4Network,
        """
        0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24
        192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/4 240.0.0.0/4
        168.63.129.16/32
        """.split(),
    )
)
"""https://www.iana.org/assignments/iana-ipv4-special-registry as published in 2025: what is not globally reachable or
deprecated, whole blocks; multicast (RFC 5771); and the address at which a cloud's machines reach their host,
which is public by its number alone. A list of our own: what Python calls global has changed between releases.
"""
_SPECIAL_6 = tuple(map(IPv6Network, "2001::/23 2001:db8::/32 2002::/16 3fff::/20".split()))
"""https://www.iana.org/assignments/iana-ipv6-special-registry as published in 2025: the same within global unicast."""
LOCAL_NAMES = ("localhost", "local", "internal", "intranet", "lan", "home", "corp", "private", "home.arpa")
"""Ends of names that are of some network's own; what a proxy would look up is judged by them."""


class Address(NamedTuple):
    """What `socket.connect` takes: the family and the numeric address with the port."""

    family: int
    sockaddr: tuple[str, int] | tuple[str, int, int, int]


def addresses(host: str, port: int, deadline: Deadline, *, allow_private: bool) -> list[Address]:
    """The addresses of a host; all of them public unless `allow_private`.

    Raises:
        Refused: the name is not known, or one of its addresses is not public.
    """
    found = _resolve(host, port, deadline)
    if not found:
        raise Refused(f"no address is known for {host}", hint="check the name and the network")
    if not allow_private:
        for address in found:
            check(host, address.sockaddr[0])
    return found


def check(host: str, address: str) -> None:
    """Raises Refused where an address is not one of the public internet."""
    if not public(address):
        at = "is" if host == address else f"is at {address},"
        raise Refused(
            f"{host} {at} not a public address: not fetched",
            hint="--allow-private also fetches from this machine and its networks",
        )


def public(text: str) -> bool:
    """Whether an address belongs to the public internet, whatever it is wrapped in (IPv4 in IPv6, 6to4,
    NAT64).
    """
    address = ip_address(text.partition("%")[0])
    if isinstance(address, IPv6Address):
        inner = address.ipv4_mapped or address.sixtofour
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFFFFFF)
        if inner is not None:
            return public(str(inner))
        return address in _UNICAST and not any(address in one for one in _SPECIAL_6)
    return not any(address in one for one in _SPECIAL_4)


def check_unresolved(host: str) -> None:
    """Raises Refused where a name that only a proxy can look up is plainly that of an inner network."""
    if "." not in host or any(host == end or host.endswith(f".{end}") for end in LOCAL_NAMES):
        raise Refused(
            f"{host} is not a public name: not fetched",
            hint="--allow-private also fetches from this machine and its networks",
        )


def known(host: str, port: int, deadline: Deadline) -> list[Address]:
    """The addresses that this machine knows for a host, which may be none."""
    return _resolve(host, port, deadline)


def _resolve(host: str, port: int, deadline: Deadline) -> list[Address]:
    """Looks a host up.

    The resolver knows no time limit of its own, so it works on a thread that is left behind when time is
    over.
    """
    answers: list[Address] = []

    def work() -> None:
        try:
            found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
        except (OSError, UnicodeError):
            return
        for family, _, _, _, sockaddr in found:
            if family in (socket.AF_INET, socket.AF_INET6) and isinstance(sockaddr[0], str):
                answers.append(Address(family, sockaddr))

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(deadline.left())
    deadline.left()
    return list(answers)
