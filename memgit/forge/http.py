"""JSON over HTTP for the interfaces of forges: bounded in time and tries, and the token never leaves for
another host or a message.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Mapping
from time import monotonic, sleep
from typing import Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from memgit.errors import Refused

MAX_SILENT_SECONDS = 20.0
"""Seconds that one request may be silent."""
MAX_REQUEST_SECONDS = 60.0
"""Seconds that one request may take in all: a server that sends a byte now and then is never silent."""
MAX_TOTAL_SECONDS = 300.0
"""Seconds after which nothing is tried again."""
MAX_TRIES = 6
MAX_WAIT_SECONDS = 30.0
"""Seconds that a wait may take where the server names none; such waits grow from one second, doubling."""
LIMIT_SECONDS = 60.0
"""Seconds to wait where a server says that too much was asked, and not for how long."""
MAX_ANSWER_BYTES = 16 << 20
"""Bytes that an answer may have: the longest comment that a forge takes, each character of it escaped, fits
in.
"""
_AGAIN = frozenset([429, 500, 502, 503, 504])
_MOVED = frozenset([301, 302, 307, 308])
_HOPS = 3


class Answer(NamedTuple):
    """Status, headers by lower-cased name, and the JSON value (None where there is no body)."""

    status: int
    headers: Mapping[str, str]
    value: Any


class Failed(Refused):
    """A request that came to nothing.

    `status` is what the server said, 0 where it said nothing, `said` its words; `again` whether it may go
    better later, `wait` after how many seconds at the earliest.
    """

    def __init__(
        self,
        message: str,
        status: int,
        *,
        again: bool,
        wait: float | None = None,
        said: str = "",
        hint: str | None = None,
    ) -> None:
        super().__init__(message, hint=hint)
        self.status = status
        self.again = again
        self.wait = wait
        self.said = said


class TooLarge(Failed):
    """An answer of more than `MAX_ANSWER_BYTES` bytes."""


class Client:
    """Requests to one server with one token.

    Args:
        base: the interface's address, such as `https://api.github.com`.
        headers: sent with each request, the token among them.
        secret: the token itself, which is struck out of every message.
        pause: waits so many seconds.
    """

    def __init__(
        self, base: str, headers: Mapping[str, str], secret: str, pause: Callable[[float], None] | None = None
    ) -> None:
        self.base = base.rstrip("/")
        try:
            parts = urlsplit(self.base)
            good = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
        except ValueError:
            good = False
        if "@" in base:
            raise Refused(
                "the address of the forge's API holds a user name",
                hint="an https address; the token goes by itself",
            )
        if not good or not base.isascii() or not base.isprintable() or " " in base:
            raise Refused(f"{base!r} is not the address of a forge's API", hint="an https address")
        self._origin = (parts.scheme, parts.netloc.lower())
        self._headers = {"Accept": "application/json", "User-Agent": "memgit", **headers}
        self._secret = secret
        self._pause = pause or sleep
        self._failures = 0
        self._end = monotonic() + MAX_TOTAL_SECONDS

    def get(self, path: str) -> Answer:
        """Reads; tried again where the server is busy. Raises Failed."""
        return self.patiently(lambda: self.ask("GET", path))

    def patiently(self, work: Callable[[], Answer]) -> Answer:
        """Does something until it works or fails for good.

        All that a client does has `MAX_TRIES` failures and `MAX_TOTAL_SECONDS` seconds together.
        """
        while True:
            try:
                return work()
            except Failed as error:
                self._failures += error.again
                wait = error.wait
                if wait is None:
                    wait = min(MAX_WAIT_SECONDS, 2.0 ** (self._failures - 1))
                if not error.again or self._failures >= MAX_TRIES or monotonic() + wait > self._end:
                    raise
                self._pause(wait)

    def ask(self, method: str, path: str, value: Any = None) -> Answer:
        """One request, once; `path` counts from the base.

        Raises:
            Failed: no answer, or one of 400 and above.
        """
        url = self.base + path
        for _ in range(_HOPS + 1):
            answer = self._send(method, url, value)
            if answer.status not in _MOVED:
                return answer
            url = self._moved(url, answer)
        raise Failed(f"{self.base} redirects in a circle", answer.status, again=False)

    def _moved(self, url: str, answer: Answer) -> str:
        """Where an answer sends us, on the same server only: the token is not for others."""
        try:
            new = urljoin(url, answer.headers.get("location", ""))
            parts = urlsplit(new)
            there = (parts.scheme, parts.netloc.lower())
        except ValueError:
            there = None
        if there is None or not new.isascii() or not new.isprintable() or " " in new:
            raise Failed(f"{self.base} redirects to an invalid address", answer.status, again=False)
        if there != self._origin:
            raise Failed(
                f"{self.base} redirects to another server, which must not get the token",
                answer.status,
                again=False,
            )
        return new

    def _send(self, method: str, url: str, value: Any) -> Answer:
        """One request to one address, on a thread: the libraries know a limit for each wait alone, not for
        all of them together.
        """
        found: list[Answer | BaseException] = []

        def work() -> None:
            try:
                found.append(self._exchange(method, url, value))
            except BaseException as error:
                found.append(error)

        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        thread.join(MAX_REQUEST_SECONDS)
        if not found:
            raise Failed(f"{self.base} does not come to an end", 0, again=True)
        if isinstance(found[0], BaseException):
            raise found[0]
        return found[0]

    def _exchange(self, method: str, url: str, value: Any) -> Answer:
        from http.client import HTTPException
        from urllib.error import HTTPError, URLError
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Stay(HTTPRedirectHandler):
            def http_error_302(self, req: Any, fp: Any, code: int, msg: str, headers: Any) -> None:
                """Redirects are followed by `ask` alone: before it is asked, the library takes the address
                apart, which may fail.
                """

            http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

        data = None if value is None else json.dumps(value).encode()
        headers = self._headers if data is None else {**self._headers, "Content-Type": "application/json"}
        request = Request(url, data=data, headers=dict(headers), method=method)  # noqa: S310 (the scheme was checked)
        try:
            with build_opener(Stay).open(request, timeout=MAX_SILENT_SECONDS) as response:
                return Answer(
                    response.status,
                    _lowered(response.headers),
                    self._value(response.status, response.read(MAX_ANSWER_BYTES + 1)),
                )
        except HTTPError as error:
            with error:
                headers = _lowered(error.headers)
                if error.code in _MOVED:
                    return Answer(error.code, headers, None)
                raise self._failed(error.code, headers, _read(error.read(MAX_ANSWER_BYTES))) from None
        except (URLError, HTTPException, OSError) as error:
            why = getattr(error, "reason", None) or error
            raise Failed(f"{self.base} cannot be reached: {self._clean(str(why))}", 0, again=True) from None

    def _value(self, status: int, data: bytes) -> Any:
        """The JSON of an answer that says that all is well.

        What is something else, such as a page to log in, comes from somebody else.
        """
        if len(data) > MAX_ANSWER_BYTES:
            raise TooLarge(f"{self.base} returned more than {MAX_ANSWER_BYTES} bytes", status, again=False)
        value = _read(data)
        if value is None and data.strip():
            raise Failed(
                f"{self.base} returned invalid JSON",
                status,
                again=False,
                hint="is it the address of a forge's API?",
            )
        return value

    def _failed(self, status: int, headers: Mapping[str, str], value: Any) -> Failed:
        said = value.get("message") or value.get("error") if isinstance(value, dict) else None
        words = self._clean(str(said))[:300] if said else ""
        wait = _limit(status, headers, words)
        message = f"{self.base} answers {status}" + (f": {words}" if words else "")
        if wait is not None and wait > MAX_TOTAL_SECONDS:
            message += f" (asked to wait {_span(wait)})"
        return Failed(message, status, again=status in _AGAIN or wait is not None, wait=wait, said=words)

    def _clean(self, text: str) -> str:
        return " ".join(text.replace(self._secret, "***").split()) if self._secret else " ".join(text.split())


def _lowered(headers: Any) -> dict[str, str]:
    return {str(name).lower(): str(text) for name, text in headers.items()}


def _read(data: bytes) -> Any:
    """The JSON value; None where there is none."""
    try:
        return json.loads(data)
    except (ValueError, RecursionError):
        return None


def _limit(status: int, headers: Mapping[str, str], said: str) -> float | None:
    """Seconds to wait before the next try; None where the server does not ask to wait.

    Form: docs.github.com, "Rate limits for the REST API": 403 or 429, with `Retry-After`, else with the time
    at which the limit ends (an epoch, counted from the server's own `Date`), else with words alone.
    """
    found = _seconds(headers.get("retry-after"))
    if found is not None or status not in (403, 429):
        return found
    if headers.get("x-ratelimit-remaining") == "0":
        from email.utils import parsedate_to_datetime

        try:
            now = parsedate_to_datetime(headers.get("date", "")).timestamp()
            return max(1.0, float(headers.get("x-ratelimit-reset", "")) - now)
        except (ValueError, OverflowError):
            return LIMIT_SECONDS
    return LIMIT_SECONDS if "rate limit" in said.lower() or "abuse detection" in said.lower() else None


def _seconds(text: str | None) -> float | None:
    """`Retry-After` in seconds; a date is left out, for clocks differ."""
    return float(text) if text is not None and text.isascii() and text.strip().isdigit() else None


def _span(seconds: float) -> str:
    return f"{seconds / 60:,.0f} minutes" if seconds < 86_400 else "more than a day"
