"""Credentials in a text, by the shape of their values.

Shapes are those that vendors document (a fixed beginning and a length), and a value of high entropy that is
assigned to a name such as `API_TOKEN`. They are written out here rather than taken from a scanner's library:
the one that is kept for Python loads an HTTP client at import, which takes longer than a whole hook may, and
knows seven of the ten shapes that stand in ordinary notes. Its detectors check these in the tests instead.
"""

from __future__ import annotations

import json
import re
from math import log2

from memgit import TYPE_CHECKING
from memgit.lint.lines import Lines
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

MAX_FOUND = 200
"""More in one file say nothing more."""
CONTEXT_CHARACTERS = 200
"""So many characters of a line around a value are looked at for what it belongs to."""
AWS_ENTROPY = 4.0
"""Bits a character from which forty characters beside the name of AWS look like its secret key."""
MAX_URL = 2_000
"""A URL in text is shorter."""
SHORTEST_HEX = 20
"""Hexadecimal digits from which a value may be a credential; shorter ones are ids and checksums."""
ENTROPY = 3.0
"""Bits a character from which an assigned value looks random; English words stay below, hexadecimal digits
reach almost 4.
"""


class Secret(NamedTuple):
    """One credential: its line, what it is, the value without its secret part, and whether it is known to be
    an example.
    """

    line: int
    kind: str
    masked: str
    example: bool


class Shape(NamedTuple):
    """One kind of credential.

    The pattern begins with one of `anchors`, so that a text without them is not searched, and one with them
    quickly; nothing that belongs to a word may stand before a match, unless `inside` says so. `keep` is how
    many characters of the value may be shown.
    """

    kind: str
    anchors: tuple[str, ...]
    rest: str
    keep: int = 4
    check: Callable[[str], bool] | None = None
    inside: bool = False


def _json_part(token: str, place: int) -> dict[str, Any]:
    """A part of a JSON web token, which is base64url of an object; empty where it is no such thing."""
    import base64
    import binascii

    part = token.split(".")[place]
    try:
        value = json.loads(base64.urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (ValueError, RecursionError, binascii.Error):
        return {}
    return value if isinstance(value, dict) else {}


def _json_head(token: str) -> bool:
    """Whether the first part of a JSON web token is one: it names its algorithm."""
    return "alg" in _json_part(token, 0)


def _says_nothing(token: str) -> bool:
    """Whether a JSON web token names neither whom it is for nor how long it holds, or whom all introductions name:
    one that shows the format.
    """
    payload = _json_part(token, 1)
    claims = {name.lower().replace("_", "") for name in payload}
    return bool(claims) and (claims.isdisjoint(_CLAIMS) or payload.get("sub") == "1234567890")


def _no_words(value: str) -> bool:
    """Whether a key is more than words with dashes, such as a name of a class:

    `sk-learn-style-names-in-a-long-sentence`.
    """
    return re.fullmatch(r"sk-[a-z_]+(?:-[a-z_]+)*", value) is None


_END = r"(?![A-Za-z0-9_])"
SHAPES: tuple[Shape, ...] = (
    Shape("AWS access key", ("AKIA", "ASIA", "ABIA", "ACCA"), rf"[A-Z0-9]{{16}}{_END}"),
    Shape("GitHub token", ("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), rf"[A-Za-z0-9]{{36,251}}{_END}"),
    Shape("GitHub fine-grained token", ("github_pat_",), rf"[A-Za-z0-9]{{22}}_[A-Za-z0-9]{{59}}{_END}", 11),
    Shape("GitLab token", ("glpat-", "gldt-", "glrt-", "glptt-"), r"[A-Za-z0-9_-]{20,300}", 6),
    Shape(
        "Slack token",
        tuple(f"xox{letter}-" for letter in "abeoprs"),
        r"(?:\d{1,20}-)*[A-Za-z0-9-]{10,200}",
        5,
    ),
    Shape(
        "Slack webhook",
        ("hooks.slack.com/services/", "hooks.slack.com/workflows/"),
        r"[A-Za-z0-9/_+-]{30,200}",
        15,
        inside=True,
    ),
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
    Shape("Square key", ("sq0csp-", "sq0atp-"), r"[A-Za-z0-9_-]{22,43}", 7),
    Shape("DigitalOcean token", ("dop_v1_", "doo_v1_", "dor_v1_"), rf"[0-9a-f]{{64}}{_END}", 7),
    Shape("Shopify token", ("shpat_", "shpca_", "shppa_", "shpss_"), rf"[0-9a-fA-F]{{32}}{_END}", 6),
    Shape("Databricks token", ("dapi",), rf"[0-9a-f]{{32}}{_END}"),
    Shape("Vault token", ("hvs.", "hvb."), r"[A-Za-z0-9_-]{90,200}"),
    Shape("Artifactory token", ("AKCp",), rf"[A-Za-z0-9]{{60,73}}{_END}"),
    Shape(
        "Discord bot token",
        ("MT", "Mz", "Mj", "ND", "NT", "Nj", "Nz", "OD", "OT"),
        r"[A-Za-z0-9]{21,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])",
        2,
    ),
    Shape(
        "JSON web token",
        ("eyJ",),
        r"[A-Za-z0-9_-]{8,2000}\.eyJ[A-Za-z0-9_-]{8,4000}\.[A-Za-z0-9_-]*",
        3,
        _json_head,
    ),
    Shape(
        "private key",
        ("-----BEGIN ",),
        r"(?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----",
        64,
        inside=True,
    ),
)

ANCHORS = tuple(anchor for shape in SHAPES for anchor in shape.anchors)
SHORTEST_SHAPE = 12
"""A little less than the shortest value that has one of the shapes, a private key aside."""
SHORTEST = 16
"""No credential but a password in a URL, or a key that starts with a line of its own, has fewer characters or
a blank in them.
"""

_URL = r"://[^\s/:@\"'<>`]{0,64}(?<!mailto):([^\s/:@\"'<>`]{3,128})@(?=[A-Za-z0-9\[])"
_AWS_OTHER = r"(?<![A-Za-z0-9/+=_-])([A-Za-z0-9/+]{40})(?![A-Za-z0-9/+=_-])"
_AWS_NEAR = r"(?i:aws|AKIA|ASIA)"
_SHOWN_ID = r"[?&;](?:SubscriptionId|AWSAccessKeyId|X-Amz-Credential)=\Z"
"""Before an id of an access key in an address: there everybody sees it, and the secret half does not go with it."""
_KEY_MATERIAL = r"[A-Za-z0-9+/]{32}"
_URL_EDGE = r"[\s\"'<>()`]"
_EMAIL = r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+"
_HEX = r"[0-9a-fA-F]+"
_MIXED = r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)"
_NAMED = ("passw", "secret", "token", "api", "access", "private", "credential", "auth")
_NAMES = "passw(?:or)?d|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential|authorization|auth"
_ASSIGNED = (
    r"(?P<rest>s|[A-Z_.-][A-Za-z0-9_.-]{0,40})?[\"'`]?\s{0,3}(?::=|=>|[:=])\s{0,3}[\"'`]?"
    r"(?P<value>(?:Bearer |Basic )?[A-Za-z0-9_+/=.~!@#$%^&*-]{16,200})(?=[\"'`\s,;)\]}]|$)"
)
_TAKEN_FROM = ("hash", "digest", "checksum", "fingerprint")
"""What the name of a value ends in that was worked out from a credential and gives nothing of it away."""
_KNOWN = frozenset(
    [
        "AKIAIOSFODNN7EXAMPLE",
        "AKIAI44QH8DHBEXAMPLE",
        "ASIAIOSFODNN7EXAMPLE",
        "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY",
        "je7MtGbClwBF/2Zp9Utk/h3yCo8nvbEXAMPLEKEY",
    ]
)
"""Values that their vendor prints in its own documentation."""
_PLACEHOLDERS = frozenset(
    """password passwd pass pwd secret user username token apikey key changeme change-me example test testing guest admin root postgres
    mysql redis hunter2 letmein foobar foo bar yourpassword your-password mypassword my-password some-password pw s3cret
    p4ssw0rd passw0rd pa55word xxx
    passwort kennwort contraseña contrasena clave senha motdepasse mot_de_passe mdp parola haslo hasło wachtwoord heslo lösenord
    adgangskode salasana şifre sifre kata_sandi пароль парола 비밀번호 パスワード 密码 密碼""".split()
)
_CLAIMS = frozenset(
    """iss sub aud exp nbf iat jti azp sid uid user userid username email name id role roles admin isadmin group groups scope scopes scp
    permissions tenant tenantid client clientid account accountid org orgid session sessionid token apikey key""".split()
)
"""What the claims of a token are called that lets somebody in: those of RFC 7519, and whom or what it is for."""
_HOSTS = ("host/", "host:", "hostname")
"""What the host of a URL in an example begins with."""
_PLACEHOLDER = (
    r"\$\{|\{\{|%\(|<[^>]+>|\.\.\.|…|(?i:\b(?:your|my|some|the|insert|replace|dummy|sample|placeholder|redacted|change)[_-])|"
    r"^[spr]k_test_|^pk_live_|^(?i:my|your|some|random|bad|secret|strong)[A-Za-z]*(?i:passw(?:or)?d)|"
    r"^(?:0123456789|1234567890|abcdef)[0-9a-z]*$|^\*+$|^\$?[A-Z]+(?:_[A-Z]+)*$|^[a-z]+[-_](?:password|pass|secret|token|key)$"
)
_PLAIN = (
    r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}|0x[0-9a-fA-F]{40}|"
    r"(?=.*[a-z]{4})(?:[a-z]+\d{0,4}|\d+(?:T\d*)?Z?)(?:[_.-](?:[a-z]+\d{0,4}|\d+(?:T\d*)?Z?)){2,}|"
    r"[a-z]+(?:[_.-][a-z]+)*|[A-Za-z_.]+\(.*|(?:[\w.-]+/)+[\w.-]*|v?\d+(?:\.\d+)*|\d{4}-\d\d-\d\d.*|[\w./-]+\.(?:[a-z]{2,4}|json|yaml|toml)"
)


# A pattern is compiled where it is needed: few texts come near a credential, and thirty patterns are a tenth
# of a hook's time.
_compiled = re.compile  # which keeps them


def suspect(text: str) -> bool:
    """Whether a text may hold a credential: false for most texts, and never for one in which `find` sees
    something.

    It compiles no pattern, so that what is about to be written costs next to nothing.
    """
    return _suspect(text, _long(text))


def _long(text: str) -> list[str]:
    """The words of a text that may hold a value that has one of the shapes; a private key alone has blanks in
    it.
    """
    return [word for word in text.split() if len(word) >= SHORTEST_SHAPE]


def _suspect(text: str, long: list[str]) -> bool:
    if "-----BEGIN " in text or ("://" in text and "@" in text):
        return True
    for word in long:
        if len(word) >= SHORTEST and (
            sum(char.isdigit() for char in word) > 1
            or any(anchor in word for anchor in ANCHORS)
            or (len(word) >= 40 and ("/" in word or "+" in word))
        ):
            return True
    return False


def find(text: str) -> list[Secret]:
    """The credentials in a text, by line; one value is reported once a line."""
    out: dict[tuple[int, str], Secret] = {}
    lines = Lines(text)
    for start, kind, value, keep in _matches(text):
        line = lines.of(start)
        known = out.get((line, value))
        if known is None:
            known = out[line, value] = Secret(
                line, kind, mask(value, keep), _in_example(text, start, value, kind)
            )
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
    words = _long(text)
    if not _suspect(text, words):
        return
    long = "\n".join(words)
    for shape in SHAPES:
        for anchor in shape.anchors:
            if anchor in (text if " " in anchor else long):
                for match in _compiled(re.escape(anchor) + shape.rest).finditer(text):
                    start = match.start()
                    if (
                        shape.inside
                        or ((not start or not _is_word(text[start - 1])) and not _in_url_path(text, start))
                    ) and (shape.check is None or shape.check(match[0])):
                        yield start, shape.kind, match[0], shape.keep
    if "://" in text:
        for match in _compiled(_URL).finditer(text):
            yield match.start(1), "password in a URL", match[1], 0
    if "AKIA" in text or "ASIA" in text or "aws" in text or "AWS" in text:
        for match in _compiled(_AWS_OTHER).finditer(text):
            before = text[max(0, match.start() - CONTEXT_CHARACTERS) : match.start()].rpartition("\n")[2]
            after = text[match.end() : match.end() + CONTEXT_CHARACTERS].partition("\n")[0]
            if (
                _compiled(_AWS_NEAR).search(f"{before} {after}")
                and entropy(match[1]) > AWS_ENTROPY
                and not match[1].isalnum()
                and _compiled(_MIXED).match(match[1])
                # The end of a host may be its beginning: `some.com/page/1234…`.
                and not _in_url_path(
                    text, match.end(1) if text[max(0, match.start() - 1)] == "." else match.start(1)
                )
            ):
                yield match.start(1), "AWS secret key", match[1], 0
    lowered = text.lower()
    if len(lowered) == len(text) and any(
        name in lowered for name in _NAMED
    ):  # a few letters change their length; then places would not agree
        for named in _compiled(_NAMES).finditer(lowered):
            assigned = _compiled(_ASSIGNED).match(text, named.end())
            if lowered.endswith("public", max(0, named.start() - 7), named.start()) or lowered.endswith(
                ("public_", "public-"), max(0, named.start() - 7), named.start()
            ):
                continue
            if assigned is not None and not (assigned["rest"] or "").lower().endswith(_TAKEN_FROM):
                value = assigned["value"].removeprefix("Bearer ").removeprefix("Basic ").rstrip(".")
                if _looks_random(value) and not _in_url_path(text, assigned.start("value")):
                    yield assigned.start("value"), "secret value", value, 0


def _in_url_path(text: str, place: int) -> bool:
    """Whether a place lies in the path of a URL: pages and posts have names that look random."""
    before = text[max(0, place - MAX_URL) : place]
    word = _compiled(_URL_EDGE).split(before)[-1]
    return "/" in word.partition("://")[2] and "?" not in word and "#" not in word


def _is_word(char: str) -> bool:
    return char.isascii() and (char.isalnum() or char == "_")


def _looks_random(value: str) -> bool:
    """Whether an assigned value is random text and not a name, a path, a call, a number or a date."""
    if (
        len(value) < 16
        or _compiled(_PLAIN).fullmatch(value)
        or value.startswith(("http", "$", "%", "@", "/", "./", "--"))
        or _compiled(_EMAIL).fullmatch(value)
    ):
        return False
    if _compiled(_HEX).fullmatch(value) and len(value) < SHORTEST_HEX:
        return False
    if "=" in value.rstrip("="):  # several settings in one word, such as `BUDGET=4000/FILES=10`
        return False
    digits = sum(char.isdigit() for char in value)
    letters = sum(char.isalpha() for char in value)
    return (
        digits >= 2
        and letters >= 2
        and entropy(value) >= ENTROPY
        and value.count("/") <= 4
        and "(" not in value
    )


def _in_example(text: str, start: int, value: str, kind: str) -> bool:
    """Whether what stands around a value says that it is an example: a placeholder, or a host of examples."""
    if _is_example(value, kind):
        return True
    if kind == "private key":
        return _is_mentioned(text, start + len(value))
    if kind == "AWS access key":
        return _compiled(_SHOWN_ID).search(text, max(0, start - CONTEXT_CHARACTERS), start) is not None
    if kind == "JSON web token":
        return _says_nothing(value)
    if kind == "password in a URL":
        host = text[start + len(value) + 1 : start + len(value) + 40]
        opened = text[max(0, start - MAX_URL) : start].rpartition("\n")[2]
        return (
            host.startswith(_HOSTS)
            or opened.endswith("://anonymous:")
            or opened.rfind("{{") > opened.rfind("}}")
            or any(mark in value for mark in "[]{}<>")
        )
    return kind == "secret value" and _decoded_example(value)


def _is_mentioned(text: str, end: int) -> bool:
    """Whether the first line of a private key, which ends at a place, is only spoken of: its line goes on in words,
    and no key follows.
    """
    after = text[end : end + CONTEXT_CHARACTERS]
    rest = after.partition("\n")[0].replace("\\n", "").replace("\\r", "")
    return _compiled(_KEY_MATERIAL).search(after) is None and any(map(str.isalnum, rest))


def _decoded_example(value: str) -> bool:
    """Whether a value of basic authentication spells placeholders: `username:password`."""
    import base64
    import binascii

    try:
        plain = base64.b64decode(value, validate=True).decode("ascii").strip()
    except (ValueError, binascii.Error):
        return False
    user, colon, password = plain.partition(":")
    return bool(colon) and (password.lower() in _PLACEHOLDERS or user.lower() in ("aladdin", "foo"))


def _is_example(value: str, kind: str) -> bool:
    if value in _KNOWN or (
        kind == "password in a URL" and value.strip("*<>[]{}$").lower() in _PLACEHOLDERS | {""}
    ):
        return True
    return kind != "private key" and (
        _compiled(_PLACEHOLDER).search(value) is not None or len(set(value[4:] or value)) <= 3
    )


def with_article(kind: str) -> str:
    """The kind of a secret in a message: `an API key`."""
    return f"{'an' if kind[0] in 'AEIOaeio' else 'a'} {kind}"


def entropy(value: str) -> float:
    """Shannon entropy in bits a character."""
    size = len(value)
    return -sum(count / size * log2(count / size) for count in map(value.count, set(value))) if size else 0.0


_KEY_END = r"-----END (?:[A-Z0-9]{1,20} ){0,4}PRIVATE KEY(?: BLOCK)?-----"
_KEY_TEXT = (
    r"(?:[ \t>]*(?:[A-Za-z0-9+/=]{16,}|[A-Za-z-]{3,20}: [^\n]*|=?[A-Za-z0-9+/]{1,15}={0,2})?[ "
    r"\t]*\r?(?:\n|$))*"
)
MAX_KEY = 20_000
"""A private key in text is shorter."""


def spans(text: str) -> list[tuple[int, int, str]]:
    """Where in a text the credentials stand that are no examples: start, end and kind, in order; none lies in
    another.

    A private key reaches to its last line, or where that is missing as far as lines look like one.
    """
    found = []
    for start, kind, value, _ in _matches(text):
        end = start + len(value)
        if kind == "private key":
            last = _compiled(_KEY_END).search(text, end, end + MAX_KEY)
            inside = None if last is not None else _compiled(_KEY_TEXT).match(text, end, end + MAX_KEY)
            end = (
                last.end()
                if last is not None
                else max(end, len(text[: inside.end()].rstrip()))
                if inside is not None
                else end
            )
        if not _in_example(text, start, value, kind):
            found.append((start, end, kind))
    out: list[tuple[int, int, str]] = []
    for start, end, kind in sorted(found, key=lambda one: (one[0], -one[1])):
        if not out or start >= out[-1][1]:
            out.append((start, end, kind))
        elif end > out[-1][1]:
            out[-1] = (out[-1][0], end, out[-1][2])
    return out


def placeholder(kind: str) -> str:
    """What stands in the place of a credential that was taken out; no credential itself, in any format."""
    return f"REDACTED-{kind.upper().replace(' ', '-')}"


def mask(value: str, keep: int) -> str:
    """A value without its secret part: at most its fixed beginning, and how long it is."""
    shown = value[: min(keep, len(value) // 2) if keep < len(value) else keep]
    return f"{shown}… ({len(value)} characters)" if len(shown) < len(value) else shown
