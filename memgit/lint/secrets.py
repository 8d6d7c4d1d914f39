"""Credentials in a text, by the shape of their values.

Shapes are those that vendors document (a fixed beginning and a length), and a value of high entropy that is assigned to a name such as
`API_TOKEN`. They are written out here rather than taken from a scanner's library: the one that is kept for Python loads an HTTP client
at import, which takes longer than a whole hook may, and knows seven of the ten shapes that stand in ordinary notes. Its detectors check
these in the tests instead.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from memgit.lint.lines import Lines

MAX_FOUND = 200
"""More in one file say nothing more."""
NEAR = 200
"""So many characters of a line around a value are looked at for what it belongs to."""
ENTROPY = 3.0
"""Bits a character from which an assigned value looks random; English words stay below, hexadecimal digits reach almost 4."""


class Secret(NamedTuple):
    """One credential: its line, what it is, the value without its secret part, and whether it is known to be an example."""

    line: int
    kind: str
    masked: str
    example: bool


class Shape(NamedTuple):
    """One kind of credential.

    The pattern begins with one of `anchors`, so that a text without them is not searched, and one with them quickly; nothing that belongs
    to a word may stand before a match, unless `inside` says so. `keep` is how many characters of the value may be shown.
    """

    kind: str
    anchors: tuple[str, ...]
    rest: str
    keep: int = 4
    check: Callable[[str], bool] | None = None
    inside: bool = False


def _json_head(token: str) -> bool:
    """Whether the first part of a JSON web token is one: base64url of an object that names its algorithm."""
    head = token.split(".", maxsplit=1)[0]
    try:
        value = json.loads(base64.urlsafe_b64decode(head + "=" * (-len(head) % 4)))
    except (ValueError, binascii.Error):
        return False
    return isinstance(value, dict) and "alg" in value


def _no_words(value: str) -> bool:
    """Whether a key is more than words with dashes, such as a name of a class: `sk-learn-style-names-in-a-long-sentence`."""
    return re.fullmatch(r"sk-[a-z_]+(?:-[a-z_]+)*", value) is None


_END = r"(?![A-Za-z0-9_])"
SHAPES: tuple[Shape, ...] = (
    Shape("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"[A-Z0-9]{{16}}{_END}"),
    Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"[A-Za-z0-9]{{36,251}}{_END}"),
    Shape("GitHub fine-grained token", ("github_pat_",), rf"[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}}{_END}", 11),
    Shape("GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-"), r"[A-Za-z0-9_-]{20,300}", 6),
    Shape("Slack token", tuple(f"xox{letter}-" for letter in "abeoprs"), r"(?:\d{1,20}-)*[A-Za-z0-9-]{10,200}", 5),
    Shape("Slack webhook", ("hooks.slack.com/services/", "hooks.slack.com/workflows/"), r"[A-Za-z0-9/_+-]{30,200}", 15, inside=True),
    Shape("Google API key", ("AIza",), r"[A-Za-z0-9_-]{35}(?![A-Za-z0-9_-])"),
    Shape("Google OAuth secret", ("GOCSPX-",), r"[A-Za-z0-9_-]{28}", 7),
    Shape("AI service key", ("sk-",), r"[A-Za-z0-9_-]{32,250}", 3, _no_words),
    Shape("Stripe key", ("sk_live_", "rk_live_", "whsec_"), rf"[A-Za-z0-9]{{24,200}}{_END}", 8),
    Shape("npm token", ("npm_",), rf"[A-Za-z0-9]{{36}}{_END}"),
    Shape("PyPI token", ("pypi-AgE",), r"[A-Za-z0-9_-]{60,300}", 5),
    Shape("SendGrid key", ("SG.",), r"[A-Za-z0-9_-]{22}\.[A-Za-z0-9_-]{43}", 3),
    Shape("Twilio key", ("SK", "AC"), rf"[0-9a-f]{{32}}{_END}", 2),
    Shape("Telegram bot token", (":AA",), r"[A-Za-z0-9_-]{33}(?![A-Za-z0-9_-])", 0, inside=True),
    Shape("Azure storage key", ("AccountKey=",), r"[A-Za-z0-9+/]{86}==", 11),
    Shape("Hugging Face token", ("hf_",), rf"[A-Za-z]{{34}}{_END}", 3),
    Shape("age secret key", ("AGE-SECRET-KEY-1",), rf"[A-Z0-9]{{58}}{_END}", 16),
    Shape("JSON web token", ("eyJ",), r"[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]*", 3, _json_head),
    Shape("private key", ("-----BEGIN ",), r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----", 64, inside=True),
)

_URL = re.compile(r"://[^\s/:@\"'<>`]{0,64}:([^\s/:@\"'<>`]{3,128})@(?=[A-Za-z0-9\[])")
_AWS_SECRET = re.compile(r"(?<![A-Za-z0-9/+=_-])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])")
_AWS_NEAR = re.compile(r"aws|AKIA|ASIA", re.IGNORECASE)
_NAMED = ("passw", "secret", "token", "api", "access", "private", "credential", "auth")
_NAMES = re.compile("passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|auth")
_ASSIGNED = re.compile(
    r"(?:s|[A-Z_.-][A-Za-z0-9_.-]{0,40})?[\"'`]?\s{0,3}(?::=|=>|[:=])\s{0,3}[\"'`]?"
    r"((?:Bearer |Basic )?[A-Za-z0-9_+/=.~!@#$%^&*-]{16,200})(?=[\"'`\s,;)\]}]|$)"
)
_KNOWN = frozenset([
    "AKIAIOSFODNN7EXAMPLE", "AKIAI44QH8DHBEXAMPLE", "ASIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
    "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
])  # fmt: skip
"""Values that their vendor prints in its own documentation."""
_PLACEHOLDERS = frozenset(
    """password passwd pass pwd secret user username token apikey key changeme change-me example test testing guest admin root postgres
    mysql redis hunter2 letmein foobar foo bar yourpassword your-password mypassword my-password some-password pw s3cret xxx""".split()
)
_PLACEHOLDER = re.compile(
    r"\$\{|\{\{|%\(|<[^>]+>|\.\.\.|…|(?i:\b(?:your|my|some|the|insert|replace|dummy|sample|placeholder|redacted|change)[_-])|"
    r"^(?:0123456789|1234567890|abcdef)[0-9a-z]*$|^\*+$|^[A-Z]+(?:_[A-Z]+)*$|^[a-z]+[-_](?:password|pass|secret|token|key)$"
)
_PLAIN = re.compile(
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|"
    r"[a-z]+(?:[_.-][a-z]+)*|[A-Za-z_.]+\(.*|(?:[\w.-]+/)+[\w.-]*|v?\d+(?:\.\d+)*|\d{4}-\d\d-\d\d.*|[\w./-]+\.(?:[a-z]{2,4}|json|yaml|toml)"
)


def find(text: str) -> list[Secret]:
    """The credentials in a text, by line; one value is reported once a line."""
    out: dict[tuple[int, str], Secret] = {}
    lines = Lines(text)
    for start, kind, value, keep in _matches(text):
        line = lines.of(start)
        known = out.get((line, value))
        if known is None:
            known = out[line, value] = Secret(line, kind, mask(value, keep), _is_example(value, kind))
        if known.kind == "secret value" and kind != known.kind:
            out[line, value] = known._replace(kind=kind)
        if len(out) >= MAX_FOUND:
            break
    covered = list(out)
    return sorted(
        secret
        for (line, value), secret in out.items()
        if not any(line == other and value != whole and value in whole for other, whole in covered)
    )


def _matches(text: str) -> Iterator[tuple[int, str, str, int]]:
    """Place, kind and value of everything that has a shape, with the number of characters that may be shown."""
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in text:
                # Compiled where it is needed: few texts hold an anchor, and thirty patterns are a tenth of a hook's time.
                for match in re.compile(re.escape(anchor) + shape.rest).finditer(text):
                    start = match.start()
                    if (shape.inside or not start or not _is_word(text[start - 1])) and (shape.check is None or shape.check(match[0])):
                        yield start, shape.kind, match[0], shape.keep
    if "://" in text:
        for match in _URL.finditer(text):
            yield match.start(1), "password in a URL", match[1], 0
    if "AKIA" in text or "ASIA" in text or "aws" in text or "AWS" in text:
        for match in _AWS_SECRET.finditer(text):
            before = text[max(0, match.start() - NEAR) : match.start()].rpartition("\n")[2]
            after = text[match.end() : match.end() + NEAR].partition("\n")[0]
            if _AWS_NEAR.search(f"{before} {after}") and entropy(match[1]) > 3.5 and not match[1].isalnum():
                yield match.start(1), "AWS secret key", match[1], 0
    lowered = text.lower()
    if len(lowered) == len(text) and any(
        name in lowered for name in _NAMED
    ):  # a few letters change their length; then places would not agree
        for named in _NAMES.finditer(lowered):
            assigned = _ASSIGNED.match(text, named.end())
            if assigned is not None:
                value = assigned[1].removeprefix("Bearer ").removeprefix("Basic ").rstrip(".")
                if _looks_random(value):
                    yield assigned.start(1), "secret value", value, 0


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _looks_random(value: str) -> bool:
    """Whether an assigned value is random text and not a name, a path, a call, a number or a date."""
    if len(value) < 16 or _PLAIN.fullmatch(value) or value.startswith(("http", "$", "%", "@", "/", "./", "--")):
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    return digits >= 2 and letters >= 2 and entropy(value) >= ENTROPY and value.count("/") <= 4 and "(" not in value


def _is_example(value: str, kind: str) -> bool:
    if value in _KNOWN or (kind == "password in a URL" and value.strip("*<>[]{}$").lower() in _PLACEHOLDERS | {""}):
        return True
    return kind != "private key" and (_PLACEHOLDER.search(value) is not None or len(set(value[4:] or value)) <= 3)


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(value)
    return -sum(count / size * math.log2(count / size) for count in Counter(value).values()) if size else 0.0


def mask(value: str, keep: int) -> str:
    """A value without its secret part: at most its fixed beginning, and how long it is."""
    shown = value[: min(keep, len(value) // 2) if keep < len(value) else keep]
    return f"{shown}… ({len(value)} characters)" if len(shown) < len(value) else shown
