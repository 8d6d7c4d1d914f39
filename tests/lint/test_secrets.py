"""Credentials by shape, and what only looks like one."""

from __future__ import annotations

import importlib
import pkgutil
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.lint import secrets
from memgit.lint.secrets import SHAPES, entropy, find, mask

A36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
HEX32 = "7f3a09c4d1e8b25690af4c3d7e18b2f5"


def kinds(text: str) -> list[str]:
    return [secret.kind for secret in find(text)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("key AKIA" + "Q3EGWU5TB7XYZLM2", "AWS access key"),
        ("aws_secret_access_key = kq3v9ZTb1LwX/7Rf2+uYpH5mNcD8sGeJ0oAaQiWx", "AWS secret key"),
        ("ghp_" + A36, "GitHub token"),
        ("github_pat_" + A36[:22] + "_" + (A36 * 2)[:59], "GitHub fine-grained token"),
        ("glpat-" + A36[:20], "GitLab token"),
        ("xoxb-1234567890-" + A36[:24], "Slack token"),
        ("https://hooks.slack.com/services/T0AB1CD2E/B0FG3HI4J/" + A36[:24], "Slack webhook"),
        ("AIza" + A36[:35], "Google API key"),
        ("sk-" + A36 + A36[:12], "AI service key"),
        ("sk-ant-api03-" + A36 * 2, "AI service key"),
        ("sk_live_" + A36[:24], "Stripe key"),
        ("npm_" + A36, "npm token"),
        ("pypi-AgEIcHlwaS5vcmc" + A36 * 2, "PyPI token"),
        ("SG." + A36[:22] + "." + (A36 * 2)[:43], "SendGrid key"),
        ("SK" + HEX32, "Twilio key"),
        ("AccountKey=" + (A36 * 3)[:86] + "==", "Azure storage key"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl", "JSON web token"),
        ("-----BEGIN OPENSSH " + "PRIVATE KEY-----", "private key"),
        ("postgres://app:kX93-vmQ_7pp@db.internal/orders", "password in a URL"),
        ("export SERVICE_TOKEN=" + HEX32, "secret value"),
        ('"clientSecret": "Zk3-pQ9.vX7tLm2Rw8"', "secret value"),
        ("Authorization: Bearer " + A36, "secret value"),
    ],
)
def test_a_credential_is_known_by_its_shape(text: str, kind: str) -> None:
    found = find(f"Some words.\n{text}\nMore words.\n")
    assert [(secret.line, secret.kind, secret.example) for secret in found] == [(2, kind, False)]
    value = max(re.findall(r"[^\s=\"':@]+", text), key=len)
    assert len(value) < 16 or value not in found[0].masked or kind == "private key"


@pytest.mark.parametrize(
    "text",
    [
        "The limits are TOKEN_BUDGET=4000/MAX_FILES=10).",
        "the token lies in `vault/github`",
        "password: see the vault",
        "token = get_token(session)",
        "authored_by: 01890a5d-ac96-774b-bcce-b302099a8057",
        "secret: 01890a5d-ac96-774b-bcce-b302099a8057",
        "api_key: ${API_KEY}",
        "credentials_path = 'cloud-vision-ocr-382418-fee63d63124b.json'",
        "AUTH0_CLIENT_ID = 'DLXBMPbtamC2STUyV7R6OFJFDsSTHqEA'",
        "token: 2026-03-02T10:00:00.000Z",
        "git show 0123456789abcdef0123456789abcdef01234567",
        "sk-learn-style-names-in-a-long-sentence-of-words",
        "a task-force-of-people-that-is-very-long-indeed",
        "https://example.org/a:b@c",
        "user@example.org",
        "-----BEGIN CERTIFICATE-----",
        "-----BEGIN PUBLIC KEY-----",
        "eyJ is how such a token begins",
        "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
        "access_key: <your access key here, please>",
        "credentials: backup-2024-01-02T10-20-30Z",
        "auth-token: cache-v2-invalidations-1234-abcd",
        "auth: oauth2-client-credentials-flow-rfc6749",
        "token: 0x6B175474E89094C44Da98b954EedeAC495271d0F",
        "api_key_hash=5f4dcc3b5aa765d61d8327deb882cf99",
    ],
)
def test_what_only_looks_like_one_is_silent(text: str) -> None:
    assert find(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "AKIAIOSFODNN7EXAMPLE",
        "ghp_" + "x" * 36,
        "postgres://postgres:postgres@localhost/db",
        "mysql://root:changeme@db/x",
        "postgres://role:RANDOM_PASSWORD@db/x",
        "https://user:${TOKEN}@example.org/",
        "mysql://root:$MYSQL_ROOT_PASSWORD@db:3306/x",
        "redis://:p4ssw0rd@localhost",
    ],
)
def test_examples_and_placeholders_are_a_note(text: str) -> None:
    assert [secret.example for secret in find(text)] == [True]


def test_one_value_is_told_once_under_its_most_certain_name() -> None:
    assert kinds("export GITHUB_TOKEN=ghp_" + A36) == ["GitHub token"]


def test_the_secret_part_is_never_shown() -> None:
    assert mask("ghp_" + A36, 4) == "ghp_… (40 characters)"
    assert mask("hunter22", 0) == "… (8 characters)"
    assert mask("abcd", 4) == "abcd"


def test_entropy_in_bits() -> None:
    assert entropy("") == 0 and entropy("aaaa") == 0 and entropy("abcd") == 2


@given(st.text(max_size=300))
def test_any_text_is_searched(text: str) -> None:
    for secret in find(text):
        assert 1 <= secret.line <= text.count("\n") + 1


@given(st.text(alphabet="sk-:=AKIA eyJ./@\n\"'0aZ", max_size=2000))
def test_text_made_of_beginnings_is_searched(text: str) -> None:
    assert len(find(text)) <= 200


def test_a_long_line_takes_no_longer_than_its_length() -> None:
    import time

    for part in (
        "token token= xoxb- sk- eyJ :// password:",
        "ghp_" + A36 + " ",
        "a://b:c@d ",
        "token=" + HEX32 + "\n",
        "aws AKIA ",
        "-----BEGIN ",
    ):
        text = part * (300_000 // len(part))
        start = time.process_time()
        find(text)
        assert time.process_time() - start < 4, part


def test_every_shape_is_kept_in_order() -> None:
    assert len({shape.kind for shape in SHAPES}) == len(SHAPES)


def detectors() -> list[Any]:
    """The detectors of detect-secrets that go by the shape of a value alone."""
    plugins = pytest.importorskip("detect_secrets.plugins")
    base = importlib.import_module("detect_secrets.plugins.base")
    found = {
        value
        for module in pkgutil.iter_modules(plugins.__path__)
        for value in vars(importlib.import_module(f"detect_secrets.plugins.{module.name}")).values()
        if isinstance(value, type)
        and issubclass(value, base.RegexBasedDetector)
        and not getattr(value, "__abstractmethods__", None)
    }
    return [detector() for detector in sorted(found, key=lambda value: value.__name__)]


OTHERS = {
    "ArtifactoryDetector",
    "CloudantDetector",
    "DiscordBotTokenDetector",
    "IbmCloudIamDetector",
    "IbmCosHmacDetector",
    "IPPublicDetector",
    "MailchimpDetector",
    "SoftlayerDetector",
    "SquareOAuthDetector",
}
"""Vendors that are not in our table, and addresses that are no secret."""


@pytest.mark.filterwarnings("ignore")
def test_what_a_well_kept_scanner_finds_is_found(corpora: Any) -> None:
    """Every line of the corpora in which detect-secrets sees a value of a shape that both know."""
    found = detectors()
    seen = 0
    for path in sorted([*corpora.glob("til/**/*.md"), *corpora.glob("oddities/secrets/*.md")]):
        lines = path.read_text(encoding="utf-8").split("\n")
        ours = {secret.line for secret in find("\n".join(lines))}
        for number, line in enumerate(lines, 1):
            theirs = [
                type(one).__name__
                for one in found
                if type(one).__name__ not in OTHERS and list(one.analyze_string(line))
            ]
            seen += bool(theirs)
            assert not theirs or number in ours, f"{path}:{number}: {theirs}"
    assert seen >= 10


TEXTS = st.text(alphabet="sk-:=AKIA eyJ./@\n\"'0aZgph_", max_size=400)


@given(
    st.lists(
        st.one_of(
            TEXTS,
            st.sampled_from(
                ["ghp_" + A36, "password=" + HEX32, "a://b:cdefgh@i", "aws " + A36 + "+/" + A36[:2]]
            ),
        )
    )
)
def test_no_text_with_a_credential_is_called_harmless(parts: list[str]) -> None:
    text = " ".join(parts)
    seen = list(secrets._matches(text))
    assert not seen or secrets.suspect(text)


def test_ordinary_text_is_not_looked_at_closely() -> None:
    assert not secrets.suspect(
        "Retry only timeouts; the token lies in the vault: see memory/deploy (2026-03-02), `GITHUB_TOKEN`.\n"
    )


@given(
    st.lists(
        st.one_of(
            TEXTS, st.sampled_from(["ghp_" + A36, "token=ghp_" + A36, "-----BEGIN " + "PRIVATE KEY-----"])
        )
    )
)
def test_places_lie_one_after_the_other_and_nothing_is_left_once_they_are_replaced(parts: list[str]) -> None:
    text = " ".join(parts)
    end, out = 0, []
    for start, stop, kind in secrets.spans(text):
        assert end <= start < stop <= len(text)
        out += [text[end:start], secrets.placeholder(kind)]
        end = stop
    assert not [
        one for one in find("".join([*out, text[end:]])) if not one.example and one.kind != "secret value"
    ]


@pytest.mark.parametrize(
    ("text", "left"),
    [
        (
            "a -----BEGIN RSA "
            + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7k\nabcd==\n-----END RSA "
            + "PRIVATE KEY----- b",
            "a X b",
        ),
        (
            "-----BEGIN " + "PRIVATE KEY-----\r\nMIIEpAIBAAKCAQEA1c7k\r\nabcd==\r\n\r\nWords follow.\n",
            "X\r\n\r\nWords follow.\n",
        ),
        (
            "-----BEGIN RSA " + "PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA1c7k\n# next\n",
            "X\n# next\n",
        ),
    ],
)
def test_a_key_reaches_to_its_end(text: str, left: str) -> None:
    ((start, end, _),) = secrets.spans(text)
    assert text[:start] + "X" + text[end:] == left


def test_a_value_shorter_than_most_is_found_beside_others() -> None:
    short = "xoxb-" + "a1b2c3d4e5"  # the shortest value of any shape
    assert [found.kind for found in find(f"Build 20260102030405060 used ({short}).")] == ["Slack token"]
