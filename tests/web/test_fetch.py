"""Pages fetched from a server on this machine: what is taken, what is refused, and that nothing makes it
wait, grow or break.
"""

from __future__ import annotations

import gzip
import socket
import ssl
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memgit.errors import BadInput, Refused
from memgit.web import Page, fetch
from tests.web.server import Server, reply, serving

pytest.importorskip("trafilatura")

PARAGRAPHS = [
    (
        "A restore that nobody has tried is a hope and no backup. Each week one table goes into an empty "
        "database, and its rows are counted."
    ),
    (
        "The first trial found that the dump held the schema but not the sequences, so that every insert "
        "after it failed on its key."
    ),
    (
        "Since then the job writes the sequences into a file of their own and sets them with setval "
        "after the rows have been loaded."
    ),
]
ARTICLE = f"""<!DOCTYPE html>
<html lang="en"><head><title>Restores are the test – Field notes</title>
<meta property="og:title" content="Restores are the test">
<meta property="article:published_time" content="2024-03-05T10:00:00Z"></head>
<body><nav><ul><li><a href="/">Home</a></li><li><a href="/all">All notes</a></li></ul></nav>
<article><h1>Restores are the test</h1>
<p>{PARAGRAPHS[0]}</p><h2>What broke</h2><p>{PARAGRAPHS[1]}</p>
<pre><code>pg_restore --section=data dump.pgc

if test $? -ne 0; then
    exit 1
fi</code></pre>
<h2>What we do</h2><p>{PARAGRAPHS[2]}</p></article>
<footer>Copyright, imprint and a newsletter that nobody reads</footer></body></html>"""


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as one:
        yield one


def take(url: str, **options: Any) -> Page:
    return fetch(url, **{"allow_private": True, "timeout": 20.0, **options})


def test_an_article_gives_title_date_and_main_content(server: Server) -> None:
    page = take(server.page("/a?utm_source=feed", ARTICLE.encode()) + "#what")
    assert (page.title, page.date, page.content_type) == ("Restores are the test", "2024-03-05", "text/html")
    assert page.url == server.url("/a?utm_source=feed#what")
    assert "## What broke" in page.text
    assert (
        "```\npg_restore --section=data dump.pgc\n\nif test $? -ne 0; then\n    exit 1\nfi\n```" in page.text
    )
    assert all(paragraph in page.text for paragraph in PARAGRAPHS)
    assert "newsletter" not in page.text and "All notes" not in page.text
    head = server.seen[0].decode()
    assert (
        head.startswith("GET /a?utm_source=feed HTTP/1.1\r\n")
        and f"\r\nHost: 127.0.0.1:{server.port}\r\n" in head
    )


@pytest.mark.parametrize("kind", ["text/plain", "text/markdown; charset=utf-8", "Text/X-Markdown"])
def test_text_is_taken_as_it_is(server: Server, kind: str) -> None:
    page = take(server.page("/notes.md", b"# Bisect  runs\r\n\r\nOne *script*.\r\n", kind))
    assert page == Page(
        server.url("/notes.md"),
        "Bisect runs",
        None,
        "# Bisect  runs\n\nOne *script*.",
        kind.partition(";")[0].lower(),
    )


def test_a_text_without_a_heading_has_no_title(server: Server) -> None:
    assert take(server.page("/", b"```\n# no heading\n```\n", "text/plain")).title is None


@pytest.mark.parametrize(("body", "kind"), [(ARTICLE.encode(), "text/html"), (b"just words\n", "text/plain")])
def test_without_a_content_type_the_body_tells(server: Server, body: bytes, kind: str) -> None:
    server.routes["/"] = reply("200 OK", {}, body)
    assert take(server.url()).content_type == kind


@pytest.mark.parametrize(
    "kind", ["image/png", "application/pdf", "application/json", "text/css", "application/octet-stream"]
)
def test_what_is_no_page_of_text_is_refused_unread(server: Server, kind: str) -> None:
    def endless(connection: socket.socket, _: bytes) -> None:
        connection.sendall(reply("200 OK", {"Content-Type": kind}))
        assert connection.recv(1) == b""

    server.routes["/"] = endless
    with pytest.raises(Refused, match=f"{kind} is not a page of text"):
        take(server.url())


def test_a_page_without_text_is_refused(server: Server) -> None:
    with pytest.raises(Refused, match="has no text"):
        take(server.page("/", b"<html><body><script>draw()</script><div id=app></div></body></html>"))
    with pytest.raises(Refused, match="has no text"):
        take(server.page("/empty", b"", "text/plain"))
    with pytest.raises(Refused, match="NUL"):
        take(server.page("/binary", b"a\0b", "text/plain"))


# --- redirects


def test_redirects_are_followed_and_the_last_url_is_kept(server: Server) -> None:
    server.page("/end", b"words", "text/plain")
    server.redirect("/two", "end")
    url = server.redirect("/one", "/two", "308 Permanent Redirect")
    assert take(f"{url}#part").url == server.url("/end#part")


def test_a_location_with_blanks_and_umlauts_leads_there(server: Server) -> None:
    server.page("/k%C3%A4se%20rad", b"words", "text/plain")
    server.routes["/"] = reply("301 Moved", {}).replace(
        b"\r\n\r\n", "\r\nLocation: /käse rad\r\n\r\n".encode()
    )
    assert take(server.url()).url == server.url("/k%C3%A4se%20rad")


def test_a_redirect_loop_ends(server: Server) -> None:
    url = server.redirect("/a", "/b")
    server.redirect("/b", "/a")
    with pytest.raises(Refused, match="more than 5 redirects"):
        take(url)
    assert len(server.seen) == 6
    with pytest.raises(Refused, match="more than 0 redirects"):
        take(url, max_redirects=0)


@pytest.mark.parametrize(
    ("location", "words"),
    [
        ("file:///etc/hostname", "only http and https"),
        ("javascript:alert(1)", "only http and https"),
        ("http://user:secret@example.org/", "user name or password"),
        ("http://2130706433/", "odd spelling"),
        ("//[::1", "redirects to no URL"),
    ],
)
def test_a_redirect_to_what_is_not_fetched_is_refused(server: Server, location: str, words: str) -> None:
    with pytest.raises(Refused, match=words):
        take(server.redirect("/", location))


def test_a_redirect_without_a_location_is_refused(server: Server) -> None:
    server.routes["/"] = reply("302 Found")
    with pytest.raises(Refused, match="redirects to nowhere"):
        take(server.url())


def test_a_redirect_to_a_private_address_is_refused(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first hop counts as public here, the second is judged by its own address."""
    from memgit.web import address

    private = address.public
    monkeypatch.setattr(address, "public", lambda text: text == "127.0.0.1" or private(text))
    url = server.redirect("/", f"http://127.0.0.2:{server.port}/secret")
    with pytest.raises(Refused, match=r"127\.0\.0\.2 is not a public address"):
        fetch(url, timeout=5.0)
    assert len(server.seen) == 1


# --- addresses


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "LOCALHOST."]
)
def test_this_machine_is_refused_unless_allowed(server: Server, host: str) -> None:
    with pytest.raises(Refused, match="not a public address") as caught:
        fetch(server.url("/", host), timeout=5.0)
    assert "--allow-private" in str(caught.value.hint)
    assert server.seen == []


def test_the_address_that_was_checked_is_the_one_connected_to(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A name that is answered differently a second time is not asked for a second time."""
    asked: list[str] = []

    def once(host: str, port: int, *_: object, **__: object) -> list[Any]:
        asked.append(host)
        address = "127.0.0.1" if len(asked) == 1 else "127.9.9.9"
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))]

    monkeypatch.setattr(socket, "getaddrinfo", once)
    server.page("/", b"words", "text/plain")
    assert take(server.url("/", "rebind.example.org")).text == "words"
    assert asked == ["rebind.example.org"]
    assert f"\r\nHost: rebind.example.org:{server.port}\r\n".encode() in server.seen[0]


@pytest.mark.parametrize("inner", ["10.1.2.3", "192.168.0.9", "169.254.169.254", "100.64.0.1"])
def test_a_name_with_one_private_address_among_its_addresses_is_refused(
    inner: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = [
        (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in ("93.184.215.14", inner)
    ]
    monkeypatch.setattr(socket, "getaddrinfo", lambda *_, **__: found)
    with pytest.raises(Refused, match=f"is at {inner}"):
        fetch("http://twofold.example.org/", timeout=5.0)


def test_an_unknown_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> list[Any]:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    with pytest.raises(Refused, match=r"no address is known for nowhere\.example\.org"):
        fetch("http://nowhere.example.org/", timeout=5.0)


def test_a_resolver_that_hangs_does_not_hang_the_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    over = threading.Event()

    def hang(*_: object, **__: object) -> list[Any]:
        over.wait(5)
        return []

    monkeypatch.setattr(socket, "getaddrinfo", hang)
    start = time.monotonic()
    with pytest.raises(Refused, match=r"within 0\.2 s"):
        fetch("http://slow.example.org/", timeout=0.2)
    assert time.monotonic() - start < 4
    over.set()


def test_nobody_listening_is_said_in_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    with pytest.raises(Refused, match=r"no connection to 127\.0\.0\.1: Connection refused"):
        take(f"http://127.0.0.1:{port}/")


# --- size and time


def test_a_large_body_is_refused_by_what_it_declares(server: Server) -> None:
    server.routes["/"] = reply("200 OK", {"Content-Type": "text/html", "Content-Length": str(50_000_000)})
    with pytest.raises(Refused, match="more than 5000000 bytes"):
        take(server.url())


@pytest.mark.parametrize("declared", [True, False])
def test_fifty_megabytes_are_not_read(server: Server, declared: bool) -> None:
    sent = 0

    def pour(connection: socket.socket, _: bytes) -> None:
        nonlocal sent
        headers = {"Content-Type": "text/html", **({"Transfer-Encoding": "chunked"} if declared else {})}
        connection.sendall(reply("200 OK", headers))
        piece = b"<p>" + b"word " * 13_000 + b"</p>"
        for _number in range(50_000_000 // len(piece)):
            connection.sendall(b"%x\r\n%s\r\n" % (len(piece), piece) if declared else piece)
            sent += len(piece)

    server.routes["/"] = pour
    with pytest.raises(Refused, match="more than 1000000 bytes") as caught:
        take(server.url(), max_bytes=1_000_000)
    assert "--max-bytes" in str(caught.value.hint)
    assert sent < 20_000_000


@pytest.mark.parametrize("layers", [1, 2])
def test_a_gzip_bomb_is_not_unpacked(server: Server, layers: int) -> None:
    packed = gzip.compress(b"\0" * 50_000_000)
    if layers == 2:
        packed *= 3
    server.page("/", packed, "text/html", Content_Encoding="gzip")
    before = peak()
    with pytest.raises(Refused, match="more than 2000000 bytes"):
        take(server.url(), max_bytes=2_000_000)
    assert peak() - before < 20_000_000


def peak() -> int:
    """The most memory that this process ever held, in bytes."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def drip(data: bytes, pause: float) -> Any:
    def answer(connection: socket.socket, _: bytes) -> None:
        for number in range(len(data)):
            connection.sendall(data[number : number + 1])
            time.sleep(pause)

    return answer


@pytest.mark.parametrize("part", ["head", "body", "silence"])
def test_time_is_limited_as_a_whole(server: Server, part: str) -> None:
    """Every byte comes in good time, all of them together do not."""
    whole = reply("200 OK", {"Content-Type": "text/plain"}, b"word " * 100)
    body = drip(b"word " * 100, 0.05)

    def answer(connection: socket.socket, head: bytes) -> None:
        if part == "silence":
            time.sleep(0.8)
        elif part == "head":
            drip(whole[:30], 0.05)(connection, head)
        else:
            connection.sendall(reply("200 OK", {"Content-Type": "text/plain"}))
            body(connection, head)

    server.routes["/"] = answer
    start = time.monotonic()
    with pytest.raises(Refused, match=r"did not arrive within 0\.4 s") as caught:
        take(server.url(), timeout=0.4)
    assert time.monotonic() - start < 4
    assert "--timeout" in str(caught.value.hint)


# --- how a body comes


@pytest.mark.parametrize(
    "way", ["length", "close", "chunked", "gzip", "deflate", "raw deflate", "two members", "padded gzip"]
)
def test_a_body_arrives_however_it_is_sent(server: Server, way: str) -> None:
    body = "".join(f"line {number} – käse\n" for number in range(3000)).encode()
    raw = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": gzip.compress(body),
        "deflate": zlib.compress(body),
        "raw deflate": raw.compress(body) + raw.flush(),
        "two members": gzip.compress(body[:20_000]) + gzip.compress(body[20_000:]),
        "padded gzip": gzip.compress(body) + b"\0" * 40,
    }.get(way)
    headers = {"Content-Type": "text/plain; charset=utf-8"}
    if packed is not None:
        headers["Content-Encoding"] = "deflate" if "deflate" in way else "gzip"
        server.routes["/"] = reply("200 OK", headers, packed)
    elif way == "chunked":
        pieces = b"".join(
            b"%x;note=1\r\n%s\r\n" % (len(body[i : i + 999]), body[i : i + 999])
            for i in range(0, len(body), 999)
        )
        server.routes["/"] = reply(
            "200 OK", {**headers, "Transfer-Encoding": "chunked"}, pieces + b"0\r\nTrailer: x\r\n\r\n"
        )
    else:
        server.routes["/"] = reply(
            "200 OK", {**headers, **({"Content-Length": str(len(body))} if way == "length" else {})}, body
        )
    assert take(server.url()).text + "\n" == body.decode()


@pytest.mark.parametrize(
    ("headers", "body"),
    [
        ({"Content-Length": "500"}, b"half of it"),
        ({"Transfer-Encoding": "chunked"}, b"10\r\nhalf of it"),
        ({"Transfer-Encoding": "chunked"}, b"4\r\nhalf\r\n"),
        ({"Content-Encoding": "gzip"}, gzip.compress(b"half of it" * 100, mtime=0)[:-12]),
    ],
)
def test_a_body_that_breaks_off_is_refused(server: Server, headers: dict[str, str], body: bytes) -> None:
    server.routes["/"] = reply("200 OK", {"Content-Type": "text/plain", **headers}, body)
    with pytest.raises(Refused, match="broke off before its end"):
        take(server.url())


@pytest.mark.parametrize(
    ("encoding", "words"),
    [
        ("br", "was not asked for: br"),
        ("gzip, gzip", "not asked for"),
        ("gzip", "compressed in a broken way"),
    ],
)
def test_a_body_that_cannot_be_unpacked_is_refused(server: Server, encoding: str, words: str) -> None:
    server.routes["/"] = reply(
        "200 OK", {"Content-Type": "text/plain", "Content-Encoding": encoding}, b"\xff\xffnothing of the kind"
    )
    with pytest.raises(Refused, match=words):
        take(server.url())


# --- answers that are none


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("404 Not Found", "answers 404 Not Found"),
        ("500 Oh\x1b[31m no", r"answers 500 Oh \[31m no"),
        ("304 Not Modified", "answers 304"),
        ("204 No Content", "has no text"),
        ("429 Slow down", "answers 429"),
    ],
)
def test_a_status_that_is_no_page_is_refused(server: Server, status: str, words: str) -> None:
    server.routes["/"] = reply(status, {"Content-Type": "text/html"})
    with pytest.raises(Refused, match=words):
        take(server.url())


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"<html>an answer of HTTP/0.9</html>", "does not speak HTTP"),
        (b"SSH-2.0-OpenSSH_9.2\r\n", "does not speak HTTP"),
        (b"HTTP/1.1 twohundred OK\r\n\r\n", "does not speak HTTP"),
        (b"", "broke off without an answer"),
        (b"HTTP/1.1 200 OK\r\nX: " + b"x" * 70_000, "broke the rules of HTTP"),
        (b"HTTP/1.1 200 OK\r\n" + b"X: y\r\n" * 200 + b"\r\n", "broke the rules of HTTP"),
        (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
            "broke off before its end",
        ),
        (b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: -5\r\n\r\n", "has no text"),
    ],
)
def test_nonsense_is_refused_in_words(server: Server, data: bytes, words: str) -> None:
    server.routes["/"] = lambda connection, _: connection.sendall(data)
    with pytest.raises(Refused, match=words):
        take(server.url())


# --- characters


@pytest.mark.parametrize(
    ("text", "encoding", "header"),
    [
        ("Grüße – “quoted”", "utf-8", "charset=utf-8"),
        ("Grüße – “quoted”", "cp1252", "charset=iso-8859-1"),
        ("Grüße – “quoted”", "utf-8", "charset=iso-8859-1"),
        ("Grüße – “quoted”", "cp1252", "charset=utf-8"),
        ("Grüße – “quoted”", "utf-8-sig", ""),
        ("Grüße – “quoted”", "utf-16", ""),
        ("Grüße – “quoted”", "utf-16-le", "charset=utf-16le"),
        ("日本語の文字", "shift_jis", 'charset="Shift_JIS"'),
        ("日本語の文字", "iso2022_jp", "charset=iso-2022-jp"),
        ("русский текст", "koi8-r", "charset=KOI8-R"),
        ("plain words", "ascii", "charset=no-such-thing"),
        ("plain words", "ascii", "charset=undefined"),
        ("plain words", "ascii", "charset=zip"),
        ("plain words", "ascii", "charset="),
    ],
)
def test_characters_are_read_in_the_right_set(server: Server, text: str, encoding: str, header: str) -> None:
    assert take(server.page("/", text.encode(encoding), f"text/plain; {header}")).text == text


@pytest.mark.parametrize(
    "where",
    [
        '<meta charset="windows-1251">',
        '<meta http-equiv="Content-Type" content="text/html; charset=windows-1251">',
    ],
)
def test_the_charset_of_a_page_may_stand_in_it(server: Server, where: str) -> None:
    words = (
        "Проверка восстановления каждую неделю показывает, что копия годится для работы, а не только "
        "лежит на диске."
    )
    html = f"<html><head>{where}<title>Копия</title></head><body><article><p>{words}</p><p>{words}</p></article></body></html>"
    page = take(server.page("/", html.encode("cp1251"), "text/html"))
    assert page.title == "Копия" and words in page.text


def test_a_declaration_of_characters_in_xhtml_does_no_harm(server: Server) -> None:
    page = take(
        server.page(
            "/", b'<?xml version="1.0" encoding="utf-16"?>\n' + ARTICLE.encode(), "application/xhtml+xml"
        )
    )
    assert PARAGRAPHS[0] in page.text


def test_bytes_of_no_charset_are_replaced(server: Server) -> None:
    body = "café, naïveté ".encode() + b"\xff\xfe end"
    assert take(server.page("/", body, "text/plain; charset=utf-8")).text == "café, naïveté \ufffd\ufffd end"


# --- TLS


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A self-signed certificate for `localhost`, and its key."""
    folder = tmp_path_factory.mktemp("tls")
    cert, key = folder / "cert.pem", folder / "key.pem"
    try:
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
                "-nodes",
                "-days",
                "3650",
                "-subj",
                "/CN=localhost",
                "-addext",
                "subjectAltName=DNS:localhost",
                "-keyout",
                str(key),
                "-out",
                str(cert),
            ],
            check=True,
            capture_output=True,
        )
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("no openssl to make a certificate with")
    return cert, key


@pytest.fixture
def secure(certificate: tuple[Path, Path]) -> Iterator[Server]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(*certificate)
    with serving(context) as one:
        one.page("/", b"secret words", "text/plain")
        yield one


def test_a_certificate_that_nobody_vouches_for_is_refused(secure: Server) -> None:
    with pytest.raises(Refused, match=r"the certificate of localhost does not hold: self.signed certificate"):
        take(secure.url("/", "localhost", "https"))
    assert secure.seen == []


def test_a_certificate_that_is_vouched_for_is_taken(
    secure: Server, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    assert take(secure.url("/", "localhost", "https")).text == "secret words"
    with pytest.raises(Refused, match=r"does not hold: .*127"):
        take(secure.url("/", "127.0.0.1", "https"))


def test_plain_http_where_tls_was_asked_for_is_refused(server: Server) -> None:
    with pytest.raises(Refused, match=r"TLS with 127\.0\.0\.1 failed: wrong version number"):
        take(server.url("/", scheme="https"))


# --- proxies


def test_a_page_comes_through_the_proxy_of_the_environment(server: Server) -> None:
    server.page("http://127.0.0.1:9/words", b"by proxy", "text/plain")
    env = {"HTTP_PROXY": f"http://ada:p%40ss@127.0.0.1:{server.port}"}
    assert take("http://127.0.0.1:9/words", env=env).text == "by proxy"
    assert b"\r\nHost: 127.0.0.1:9\r\n" in server.seen[0]
    assert b"\r\nProxy-Authorization: Basic YWRhOnBAc3M=\r\n" in server.seen[0]
    with pytest.raises(Refused, match="no connection"):
        take("http://127.0.0.1:9/words", env={**env, "NO_PROXY": "example.org,127.0.0.1"})


def test_a_proxy_does_not_lift_the_refusal_of_private_addresses(server: Server) -> None:
    env = {"http_proxy": f"127.0.0.1:{server.port}"}
    for url in ("http://192.168.1.1/", "http://localhost/", "http://wiki/", "http://wiki.internal/"):
        with pytest.raises(Refused, match="not a public"):
            fetch(url, env=env, timeout=5.0)
    assert server.seen == []


def test_tls_goes_through_a_proxy(
    server: Server, secure: Server, certificate: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def tunnel(connection: socket.socket, _: bytes) -> None:
        with socket.create_connection(("127.0.0.1", secure.port)) as onward:
            connection.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            connection.setblocking(False)
            onward.setblocking(False)
            end = time.monotonic() + 4
            while time.monotonic() < end:
                for one, other in ((connection, onward), (onward, connection)):
                    try:
                        data = one.recv(65536)
                    except BlockingIOError:
                        time.sleep(0.002)
                        continue
                    if not data:
                        return
                    other.sendall(data)

    server.routes[f"localhost:{secure.port}"] = tunnel
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate[0]))
    url = secure.url("/", "localhost", "https")
    assert take(url, env={"HTTPS_PROXY": server.url()}).text == "secret words"
    server.routes[f"localhost:{secure.port}"] = reply("403 Not for you")
    with pytest.raises(Refused, match="passes nothing on to localhost: 403 Not for you"):
        take(url, env={"HTTPS_PROXY": server.url()})


@pytest.mark.parametrize(
    "setting", ["socks5://127.0.0.1:1080", "https://proxy.example.org", "http://[", "http://"]
)
def test_a_proxy_that_is_not_understood_is_named(setting: str) -> None:
    with pytest.raises(BadInput, match=r"the proxy for http is not an http:// URL"):
        take("http://example.org/", env={"all_proxy": setting})


# --- what the extractor costs


def test_a_page_that_takes_too_long_is_given_up(server: Server) -> None:
    page = "<html><body><article>" + "<p>some text that is long enough to be kept, maybe</p>" * 60_000
    started = time.monotonic()
    with pytest.raises(Refused, match="too complex: its text was not found within 2 s") as caught:
        take(server.page("/", page.encode()), timeout=2.0)
    assert time.monotonic() - started < 5 and "--timeout" in (caught.value.hint or "")


@pytest.mark.parametrize("tag", ["div", "b", "table><tr><td"])
def test_a_page_of_endless_depth_breaks_nothing(server: Server, tag: str) -> None:
    try:
        assert take(server.page("/", f"<body>{f'<{tag}>' * 50_000}deep".encode())).text
    except Refused as error:
        assert "has no text" in error.message or "cannot be understood" in error.message


def test_an_extractor_that_dies_is_said(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("memgit.web.sandbox._START", "import os; os.abort()")
    with pytest.raises(Refused, match="the extractor broke down"):
        take(server.page("/", ARTICLE.encode()))


# --- without the extractor


def test_without_the_extractor_text_is_still_fetched(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "trafilatura", None)
    assert take(server.page("/t", b"words", "text/plain")).text == "words"
    with pytest.raises(Refused, match="not installed") as caught:
        take(server.page("/h", ARTICLE.encode()))
    assert caught.value.hint == "pip install 'memgit-kb[web]'"
