"""Pages from the web as text: the only part of memgit that opens a network connection of its own.

`fetch` is the whole of it. What it takes from the network is hostile: where a URL leads, how long an answer
takes, how large it grows and in which characters it is written are all bounded or checked here, before
anything else of memgit sees the text.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

TIMEOUT = 30.0
"""Seconds for one page to arrive, redirects included; its text is to be found in as many again."""
MAX_BYTES = 5_000_000
"""The largest page, in bytes after decompression."""
MAX_REDIRECTS = 5


class Page(NamedTuple):
    """A page that was fetched.

    `url` is where it was found, after all redirects. `title` is None where the page names none, `date`
    (YYYY-MM-DD) where it states none. `text` is Markdown with `\\n` line ends: the main content of an HTML
    page, the whole of a text. `content_type` is in lower case, without parameters.
    """

    url: str
    title: str | None
    date: str | None
    text: str
    content_type: str


def is_url(text: str) -> bool:
    """Whether a source is meant as a URL, of whatever scheme, rather than as a path."""
    return re.match(r"[A-Za-z][A-Za-z0-9+.-]+://", text.strip()) is not None


def fetch(
    url: str,
    *,
    env: Mapping[str, str] | None = None,
    allow_private: bool = False,
    timeout: float = TIMEOUT,
    max_bytes: int = MAX_BYTES,
    max_redirects: int = MAX_REDIRECTS,
) -> Page:
    """The main content of one page, by HTTP or HTTPS.

    Args:
        url: an absolute URL; its fragment and its query are kept as they are.
        env: the environment, for its proxies (`HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY`); none
            without it.
        allow_private: also take pages from addresses that are not public (this machine, its networks).
        timeout: seconds for all that is waited for (name, connection, redirects, body), and as many to find
            the text in HTML.
        max_bytes: the size of the body at most, decompressed.
        max_redirects: how many redirects are followed.

    Raises:
        BadInput: not a URL that can be fetched: another scheme, credentials in it, an odd spelling of an
            address.
        Refused: an address that is not public, a limit, an answer that is not a page of text, a failure of the
            network or of TLS, or no extractor for HTML on this machine.
    """
    from memgit.web.page import check_type, page_of
    from memgit.web.proxy import proxies
    from memgit.web.transport import Limits, get

    limits = Limits(
        allow_private=allow_private, timeout=timeout, max_bytes=max_bytes, max_redirects=max_redirects
    )
    return page_of(get(url, limits, proxies(env or {}), check_type), timeout)
