"""Which proxy a URL is fetched through, as the environment says."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from memgit.errors import BadInput
from memgit.web.url import Target


class Proxy(NamedTuple):
    """Where a proxy listens, and the value of the header by which it knows the user."""

    host: str
    port: int
    authorization: str | None = None


class Proxies(NamedTuple):
    """The settings: scheme to URL of the proxy, and the hosts that are reached without one."""

    urls: Mapping[str, str]
    bypass: str

    def of(self, target: Target) -> Proxy | None:
        """The proxy for a URL, or None where it is asked directly.

        Raises:
            BadInput: the setting is not understood.
        """
        url = self.urls.get(target.scheme) or self.urls.get("all")
        if not url or self._bypassed(target):
            return None
        try:
            parts = urlsplit(url if "://" in url else f"http://{url}")
            port, host = parts.port, parts.hostname
        except ValueError:
            host = port = None
            parts = urlsplit("")
        if parts.scheme != "http" or not host:
            raise BadInput(
                f"the proxy for {target.scheme} is not an http:// URL",
                hint="set the variable HTTPS_PROXY, or NO_PROXY for this host",
            )
        user, password = (unquote(text or "") for text in (parts.username, parts.password))
        token = b64encode(f"{user}:{password}".encode()).decode("ascii") if parts.username else None
        return Proxy(host, port or 80, token and f"Basic {token}")

    def _bypassed(self, target: Target) -> bool:
        """Whether `NO_PROXY` names the host, with or without its port, or a domain that it is in."""
        for entry in self.bypass.lower().split(","):
            name = entry.strip().removeprefix("*.").lstrip(".").strip("[]")
            if (
                name == "*"
                or name in (target.host, target.authority)
                or (name and target.host.endswith(f".{name}"))
            ):
                return True
        return False


def proxies(env: Mapping[str, str]) -> Proxies:
    """The proxies of an environment; a variable in lower case goes before the same one in capitals."""

    def value(name: str) -> str:
        return env.get(f"{name}_proxy") or env.get(f"{name.upper()}_PROXY") or ""

    return Proxies({name: value(name) for name in ("http", "https", "all")}, value("no"))
