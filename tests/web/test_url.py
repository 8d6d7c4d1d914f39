"""URLs taken apart, and which addresses are public."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.errors import BadInput
from memgit.web import is_url
from memgit.web.address import public
from memgit.web.url import Target, parse


@pytest.mark.parametrize(
    ("text", "target"),
    [
        ("https://example.org", Target("https://example.org", "https", "example.org", 443, "/")),
        (
            " HTTP://A.ORG:8080/A?b=c&utm=1#d ",
            Target("HTTP://A.ORG:8080/A?b=c&utm=1#d", "http", "a.org", 8080, "/A?b=c&utm=1"),
        ),
        (
            "https://a.org/a%20b/ä?ö=ü",
            Target("https://a.org/a%20b/ä?ö=ü", "https", "a.org", 443, "/a%20b/%C3%A4?%C3%B6=%C3%BC"),
        ),
        ("http://a/b c", Target("http://a/b%20c", "http", "a", 80, "/b%20c")),
        (
            "https://bücher.example/",
            Target("https://bücher.example/", "https", "xn--bcher-kva.example", 443, "/"),
        ),
        ("http://[2001:DB8::1]:81/", Target("http://[2001:DB8::1]:81/", "http", "2001:db8::1", 81, "/")),
        ("http://192.0.2.7./", Target("http://192.0.2.7./", "http", "192.0.2.7", 80, "/")),
        ("http://127。0。0。1/", Target("http://127。0。0。1/", "http", "127.0.0.1", 80, "/")),
    ],
)
def test_a_url_is_taken_apart(text: str, target: Target) -> None:
    assert parse(text) == target


@pytest.mark.parametrize(
    ("target", "authority"),
    [
        ("http://a.org/", "a.org"),
        ("https://a.org:80/", "a.org:80"),
        ("https://[::1]/", "[::1]"),
        ("http://[::1]:9/", "[::1]:9"),
    ],
)
def test_the_host_header_names_a_port_where_it_is_not_the_usual_one(target: str, authority: str) -> None:
    assert parse(target).authority == authority


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ftp://example.org/a", "only http and https"),
        ("file:///etc/passwd", "only http and https"),
        ("example.org/a", "only http and https"),
        ("data:text/html,x", "only http and https"),
        ("http://user@example.org/", "user name or password"),
        ("http://:secret@example.org/", "user name or password"),
        ("http://example.org\\@127.0.0.1/", "user name or password"),
        ("http:///path", "no host name"),
        ("http://exa mple.org/", "no host name"),
        ("http://exa\nmple.org/", "control character"),
        ("http://example.org/\r\nHost: other", "control character"),
        ("http://example.org/\x7f", "control character"),
        ("http://example.org/\x85a", "control character"),
        ("http://example.org/\u202eb", "invisible"),
        ("http://example.org/a\u2028b", "invisible"),
        ("http://%31%32%37.0.0.1/", "no host name"),
        ("http://a..b/", "no host name"),
        ("http://-a.example/", "no host name"),
        ("http://\u2460.example.\u3002/", "no host name"),
        ("http://" + "a" * 64 + ".example/", "no host name"),
        ("http://" + "a." * 200 + "example/", "too long"),
        ("http://example.org/" + "a" * 9000, "9019 characters"),
        ("http://example.org:99999/", "no URL"),
        ("http://example.org:0/", "no such port"),
        ("http://example.org:x/", "no URL"),
        ("http://[::1/", "no URL"),
        ("http://[fe80::1%25eth0]/", "zone|no URL|no host"),
        ("http://2130706433/", "odd spelling"),
        ("http://0x7f000001/", "odd spelling"),
        ("http://0x7f.1/", "odd spelling"),
        ("http://0177.0.0.1/", "odd spelling"),
        ("http://127.1/", "odd spelling"),
        ("http://127.0.0.01/", "odd spelling"),
        ("http://1.2.3.4.5/", "odd spelling"),
        ("http://127.0.0.256/", "odd spelling"),
        ("http://example.0x/", "odd spelling"),
        ("http://１２７.1/", "odd spelling"),
    ],
)
def test_what_is_not_fetched_is_said_in_words(text: str, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        parse(text)


@given(st.text(max_size=60).map(lambda text: f"http://{text}"))
def test_any_text_is_taken_apart_or_refused(text: str) -> None:
    try:
        target = parse(text)
    except BadInput:
        return
    assert target.host.isascii() and target.path.isascii() and target.path.startswith("/")
    assert not any(char in target.host + target.path + target.authority for char in "\r\n\t \0")
    assert parse(target.url) == target


@pytest.mark.parametrize(
    "address",
    [
        "127.0.0.1",
        "127.9.9.9",
        "10.0.0.1",
        "172.16.0.1",
        "172.31.255.255",
        "192.168.1.1",
        "169.254.169.254",
        "100.64.0.1",
        "0.0.0.0",
        "0.1.2.3",
        "224.0.0.1",
        "239.1.1.1",
        "240.0.0.1",
        "255.255.255.255",
        "192.0.2.1",
        "198.18.0.1",
        "198.51.100.1",
        "203.0.113.1",
        "192.0.0.1",
        "192.88.99.1",
        "168.63.129.16",
        "192.0.0.170",
        "3fff::1",
        "5f00::1",
        "2001:2::1",
        "2001:10::1",
        "4000::1",
        "::1",
        "::",
        "fe80::1",
        "fe80::1%eth0",
        "fc00::1",
        "fd12::1",
        "ff02::1",
        "fec0::1",
        "2001:db8::1",
        "::127.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:10.0.0.1",
        "::ffff:7f00:1",
        "2002:7f00:1::",
        "2002:a00:1::1",
        "64:ff9b::7f00:1",
        "64:ff9b::10.0.0.1",
        "64:ff9b:1::1",
        "2001::1",
        "100::1",
    ],
)
def test_an_address_that_is_not_public_is_known(address: str) -> None:
    assert not public(address)


@pytest.mark.parametrize(
    "address",
    [
        "93.184.215.14",
        "1.1.1.1",
        "172.32.0.1",
        "2606:4700::1111",
        "::ffff:1.1.1.1",
        "2002:101:101::1",
        "64:ff9b::1.1.1.1",
    ],
)
def test_an_address_of_the_internet_is_public(address: str) -> None:
    assert public(address)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("https://a", True),
        ("HTTP://a", True),
        ("ftp://a", True),
        ("a/b", False),
        ("c:\\a", False),
        ("C://a", False),
        ("notes/http://a", False),
        ("-", False),
    ],
)
def test_a_source_is_known_as_a_url(text: str, verdict: bool) -> None:
    assert is_url(text) is verdict
