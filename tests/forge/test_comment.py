"""One comment for each review: created, then replaced, never doubled, whatever the forge does."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.forge.comment import Posted, fitting, post
from memgit.forge.http import MAX_TOTAL_SECONDS, MAX_TRIES, MAX_WAIT_SECONDS, Failed
from memgit.forge.table import FORGES, named
from memgit.review.marker import QUIET, marked, marker
from tests.forge.server import ADA, GITHUB_BOT, Fault, Server, serving
from tests.support import memgit

TOKEN = "ghs_aTokenThatNobodyMaySee"
TEXT = "<!-- memgit-review -->\n# Review\n\n| record | change |\n|---|---|\n| é 学习 😀 | added |\n"
WAITS: list[float] = []


@pytest.fixture(params=[forge.name for forge in FORGES])
def forge(request: pytest.FixtureRequest) -> Iterator[Server]:
    WAITS.clear()
    with serving(request.param) as state:
        yield state


def put(state: Server, text: str = TEXT, **env: str) -> Posted:
    row = named(state.sort)
    assert row is not None
    return post(row, {**state.env(), **env}, TOKEN, "7", text, WAITS.append)


def from_fork(state: Server, folder: Path) -> dict[str, str]:
    """What the environment of a job says about a change from a fork."""
    if state.sort == "gitlab":
        return {"CI_MERGE_REQUEST_PROJECT_ID": "42", "CI_MERGE_REQUEST_SOURCE_PROJECT_ID": "43"}
    sides = {side: {"repo": {"full_name": name}} for side, name in (("head", "x/kb"), ("base", "team/kb"))}
    (folder / "fork.json").write_text(json.dumps({"pull_request": {"number": 7, **sides}}))
    return {"GITHUB_EVENT_PATH": str(folder / "fork.json")}


def test_created_then_updated_then_left(forge: Server) -> None:
    first = put(forge)
    assert first.action == "created" and forge.comments[0]["body"] == TEXT
    second = put(forge, TEXT + "\nmore\n")
    assert (second.action, second.id) == ("updated", first.id)
    assert put(forge, TEXT + "\nmore\n").action == "unchanged"
    assert len(forge.comments) == 1 and {one.token for one in forge.requests} == {TOKEN}
    assert not WAITS


def test_among_250_comments(forge: Server) -> None:
    for number in range(250):
        forge.add(f"talk {number}" if number != 203 else TEXT, None if number == 203 else ADA)
    assert put(forge, TEXT + "new\n").action == "updated"
    assert len(forge.comments) == 250 and forge.comments[203]["body"] == TEXT + "new\n"
    assert len([one for one in forge.said("GET") if "page=" in one.path]) == 3


def test_a_fault_in_between(forge: Server) -> None:
    method = "PATCH" if forge.sort == "github" else "PUT"
    forge.faults = {"GET": [Fault(502), Fault(503)], "POST": [Fault(500)]}
    assert put(forge).action == "created"
    forge.faults = {method: [Fault(502), Fault(429, {"Retry-After": "7"}), Fault(504)]}
    assert put(forge, TEXT + "new\n").action == "updated"
    assert len(forge.comments) == 1
    assert WAITS == [1, 2, 4, 1, 7, 4]


def test_an_answer_that_is_lost_after_the_comment_was_written(forge: Server) -> None:
    forge.faults = {"POST": [Fault(502, done=True)]}
    assert put(forge).action == "created"
    assert len(forge.reviews) == 1 and len(forge.said("POST")) == 1


def test_a_forge_that_is_down(forge: Server) -> None:
    forge.faults = {"GET": [Fault(503)] * 100}
    with pytest.raises(Failed, match="503"):
        put(forge)
    assert len(forge.requests) == MAX_TRIES and WAITS == [1, 2, 4, 8, 16] and max(WAITS) <= MAX_WAIT_SECONDS
    assert not forge.comments


def test_a_wait_that_is_too_long_is_said_and_not_tried(forge: Server) -> None:
    forge.faults = {"GET": [Fault(429, {"Retry-After": "3000"})]}
    with pytest.raises(Failed, match=r"429: fault 429 \(asked to wait 50 minutes\)"):
        put(forge)
    assert len([one for one in forge.requests if "page=" in one.path]) == 1 and not WAITS


def test_nobody_listens() -> None:
    row = named("github")
    assert row is not None
    WAITS.clear()
    with serving("github") as state:
        env = state.env()
    with pytest.raises(Failed, match="cannot be reached"):
        post(row, env, TOKEN, "7", TEXT, WAITS.append)
    assert len(WAITS) == MAX_TRIES - 1


def test_a_server_that_is_silent(monkeypatch: pytest.MonkeyPatch) -> None:
    row = named("github")
    assert row is not None
    WAITS.clear()
    monkeypatch.setattr("memgit.forge.http.MAX_SILENT_SECONDS", 0.05)
    with socket.create_server(("127.0.0.1", 0)) as silent:
        env = {
            "GITHUB_API_URL": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "GITHUB_REPOSITORY": "team/kb",
        }
        with pytest.raises(Failed, match="timed out"):
            post(row, env, TOKEN, "7", TEXT, WAITS.append)
    assert len(WAITS) == MAX_TRIES - 1


def test_a_token_that_may_only_read(forge: Server, tmp_path: Path) -> None:
    """Of a fork it is to be expected; else it is a failure, told in the server's own words."""
    forge.faults = {"POST": [Fault(403, value={"message": "Resource not accessible by integration"})] * 2}
    done = put(forge, **from_fork(forge, tmp_path))
    assert done.action == "skipped" and "token of a fork" in (done.reason or "")
    with pytest.raises(Failed, match=r"may not comment on this .*: Resource not accessible by") as failed:
        put(forge)
    assert failed.value.hint and not forge.comments and not WAITS


def test_a_locked_conversation(forge: Server, tmp_path: Path) -> None:
    locked = Fault(403, value={"message": "Unable to create comment because issue is locked."})
    forge.faults = {"POST": [locked] * 2}
    for env in ({}, from_fork(forge, tmp_path)):
        with pytest.raises(Failed, match=r"the conversation of .* 7 is locked: .*issue is locked") as failed:
            put(forge, **env)
        assert "unlock" in (failed.value.hint or "")


def test_too_much_asked_at_once_is_not_forbidden(github: Server) -> None:
    """The secondary limits, in the three ways in which they are said."""
    WAITS.clear()
    until = {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": str(int(time.time()) + 50)}
    github.faults = {
        "POST": [
            Fault(403, {"Retry-After": "3"}),
            Fault(403, until),
            Fault(403, value={"message": "You have exceeded a secondary rate limit. Please wait."}),
            Fault(429, {"X-RateLimit-Remaining": "0"}),
        ]
    }
    assert put(github).action == "created"
    assert (WAITS[0], *WAITS[2:]) == (3, 60, 60) and 40 <= WAITS[1] <= 51
    github.faults = {"PATCH": [Fault(403, {"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": "9" * 400})]}
    with pytest.raises(Failed, match="asked to wait more than a day"):
        put(github, TEXT + "new\n")


def test_nothing_to_review_makes_no_comment_and_replaces_one(forge: Server) -> None:
    quiet = TEXT.replace("\n", f"\n{QUIET}\n", 1)
    done = put(forge, quiet)
    assert done.action == "skipped" and "concerns no record" in (done.reason or "")
    assert not forge.said("POST")
    put(forge)
    assert put(forge, quiet).action == "updated" and forge.comments[0]["body"] == quiet
    assert put(forge, quiet).action == "unchanged" and len(forge.comments) == 1


def test_the_marker_in_a_comment_of_somebody_else(forge: Server) -> None:
    forge.add(TEXT, ADA)
    assert put(forge, TEXT + "new\n").action == "created"
    assert [one["body"] for one in forge.comments] == [TEXT, TEXT + "new\n"]
    assert put(forge, TEXT + "newer\n").action == "updated"
    assert [one["body"] for one in forge.comments] == [TEXT, TEXT + "newer\n"]


def test_a_token_of_a_person(forge: Server) -> None:
    """Who may ask who they are replaces their own comments alone, not those of a program."""
    forge.me = forge.writer = ADA
    forge.add(TEXT, GITHUB_BOT if forge.sort == "github" else {"username": "x", "bot": True})
    forge.add(TEXT)
    assert put(forge, TEXT + "new\n").action == "updated"
    assert [one["body"] for one in forge.comments] == [TEXT, TEXT + "new\n"]


def test_a_comment_that_goes_or_cannot_be_changed(forge: Server) -> None:
    method = "PATCH" if forge.sort == "github" else "PUT"
    forge.add(TEXT)
    forge.faults = {method: [Fault(404)]}
    assert put(forge, TEXT + "new\n").action == "created"
    forge.faults = {method: [Fault(403)]}
    assert put(forge, TEXT + "newer\n").action == "updated"
    assert len(forge.comments) == 2


def test_a_marker_elsewhere_in_a_comment_is_talk(forge: Server) -> None:
    forge.add(f"look:\n{TEXT}")
    forge.add(f"x {TEXT}", system=True)
    assert put(forge).action == "created"
    assert forge.comments[0]["body"].startswith("look")


def test_several_jobs_at_once(forge: Server) -> None:
    """Whichever came first, one comment is left, with the text of one of them."""
    gate = threading.Barrier(4)
    failed: list[BaseException] = []
    row = named(forge.sort)
    assert row is not None

    def one(number: int) -> None:
        try:
            gate.wait()
            post(row, forge.env(), TOKEN, "7", f"{TEXT}{number}\n", lambda _: None)
        except BaseException as error:
            failed.append(error)

    for _ in range(3):
        forge.comments.clear()
        threads = [threading.Thread(target=one, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed and len(forge.comments) == 1 and forge.comments[0]["body"].startswith(TEXT)


def test_several_reviews_of_one_change(forge: Server) -> None:
    for key in ("docs/kb", "", "docs/kb", "--> <b>", ""):
        put(forge, marked(TEXT, key))
    assert [one["body"].partition("\n")[0] for one in forge.comments] == [
        "<!-- memgit-review: docs/kb -->",
        "<!-- memgit-review -->",
        "<!-- memgit-review: -%2D%3E%20%3Cb%3E -->",
    ]


def test_markers() -> None:
    """Each root has its own, in which no comment ends, and which a text keeps unless another key is named."""
    keys = ["", "kb", "a-b", "a b", "a--b", "a---b", "a-%2Db", "-->", "學習", "a\nb", "kb/x", "\udcff"]
    markers = [marker(key) for key in keys]
    assert len({*markers}) == len(keys)
    assert all(one.count("--") == 2 and "\n" not in one for one in markers)
    assert marked(f"{marker('kb')}\nx") == f"{marker('kb')}\nx"
    assert marked(f"{marker('kb')}\nx", "two") == f"{marker('two')}\nx"


def test_the_token_is_in_no_message(forge: Server) -> None:
    forge.faults = {"GET": [Fault(401, value={"message": f"bad credentials: {TOKEN}"})]}
    with pytest.raises(Failed) as failed:
        put(forge)
    assert "bad credentials: ***" in str(failed.value) and TOKEN not in str(failed.value)


def test_the_token_goes_to_no_other_server(forge: Server) -> None:
    with serving("github") as other:
        forge.faults = {"GET": [Fault(302, {"Location": f"{other.address}/repos/team/kb/issues/7/comments"})]}
        with pytest.raises(Failed, match="another server"):
            put(forge)
        assert not other.requests
    forge.faults = {"GET": [Fault(301, {"Location": forge.requests[0].path})]}
    assert put(forge).action == "created"  # the same server may move things


def test_a_listing_without_end(github: Server) -> None:
    """A server that ignores the page gives the same comments again and again."""
    for number in range(120):
        github.add(f"talk {number}", ADA)
    github.faults = {"GET": [Fault(200, {"Link": '<x>; rel="next"'}, value=github.comments[:100])] * 1000}
    assert put(github).action == "created"
    assert len([one for one in github.said("GET") if "page=" in one.path]) == 4


@pytest.mark.parametrize("value", [{"message": 5}, "text", b"<html>log in</html>", b"", b"[" * 100_000])
def test_a_listing_that_is_none(forge: Server, value: object) -> None:
    """Whether a comment stands there cannot be told: none is added, for it might be the second."""
    forge.faults = {"GET": [Fault(200, value=value)]}
    with pytest.raises(Failed):
        put(forge)
    assert not forge.said("POST") and not WAITS


@pytest.mark.parametrize(
    "value",
    [
        [None, 3, {"body": None}, {"body": TEXT}],
        [{"id": "../x y", "body": TEXT}],
        [{"id": 1, "body": 5, "user": 3}],
    ],
)
def test_comments_of_another_form_are_nobodys(forge: Server, value: object) -> None:
    forge.faults = {"GET": [Fault(200, value=value)]}
    assert put(forge).action == "created"


@pytest.mark.parametrize("value", [[], {"id": "7"}, b"<html>log in</html>", b""])
def test_a_comment_is_made_only_where_the_forge_says_so(forge: Server, value: object) -> None:
    forge.faults = {"POST": [Fault(201, value=value)]}
    with pytest.raises(Failed):
        put(forge)


@pytest.mark.parametrize(
    "where", ["http://[::1", "//[", "/a b", "/\x07", "", "file:///etc/passwd", "http://127.0.0.1:99999999/"]
)
def test_redirects_to_no_address(forge: Server, where: str) -> None:
    forge.faults = {"GET": [Fault(302, {"Location": where})] * 9}
    with pytest.raises(Failed, match="redirects"):
        put(forge)


def test_long_comments_are_listed_a_few_at_a_time(forge: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(30):
        forge.add(TEXT if number == 25 else "talk " * 200, None if number == 25 else ADA)
    monkeypatch.setattr("memgit.forge.http.MAX_ANSWER_BYTES", 15_000)
    assert put(forge, TEXT + "new\n").action == "updated" and len(forge.comments) == 30
    monkeypatch.setattr("memgit.forge.http.MAX_ANSWER_BYTES", 500)
    with pytest.raises(Failed, match="more than 500 bytes"):
        put(forge)


def test_a_server_that_says_little_by_little(monkeypatch: pytest.MonkeyPatch) -> None:
    row = named("github")
    assert row is not None
    WAITS.clear()
    monkeypatch.setattr("memgit.forge.http.MAX_REQUEST_SECONDS", 0.2)
    monkeypatch.setattr("memgit.forge.http.MAX_TRIES", 2)
    over = threading.Event()
    with socket.create_server(("127.0.0.1", 0)) as server:

        def drip() -> None:
            with contextlib.ExitStack() as held, contextlib.suppress(OSError):
                taken = [held.enter_context(server.accept()[0]) for _ in range(2)]
                for sock in taken:
                    sock.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
                while not over.is_set():
                    time.sleep(0.02)
                    for sock in taken:
                        sock.sendall(b" ")

        thread = threading.Thread(target=drip)
        thread.start()
        env = {
            "GITHUB_API_URL": f"http://127.0.0.1:{server.getsockname()[1]}",
            "GITHUB_REPOSITORY": "team/kb",
        }
        with pytest.raises(Failed, match="does not come to an end"):
            post(row, env, TOKEN, "7", TEXT, WAITS.append)
        over.set()
        thread.join()
    assert len(WAITS) == 1


@pytest.mark.parametrize("wait", ["9" * 400, "\xb2", "-1", "soon", "Wed, 21 Oct 2026 07:28:00 GMT"])
def test_waits_that_nobody_waits(github: Server, wait: str, monkeypatch: pytest.MonkeyPatch) -> None:
    WAITS.clear()
    github.faults = {"GET": [Fault(429, {"Retry-After": wait})] * MAX_TRIES}
    with pytest.raises(Failed, match="429"):
        put(github)
    assert all(0 <= one <= MAX_TOTAL_SECONDS for one in WAITS)
    monkeypatch.setattr("memgit.forge.http.MAX_TOTAL_SECONDS", -1.0)
    WAITS.clear()
    github.faults = {"GET": [Fault(502)] * MAX_TRIES}
    with pytest.raises(Failed, match="502"):
        put(github)
    assert not WAITS


def test_a_text_that_is_too_long_is_cut_and_says_so() -> None:
    text = TEXT + "line\n" * 20_000
    short = fitting(text, 65_536)
    assert len(short) <= 65_536 and short.startswith(TEXT) and "cut here" in short.split("\n")[-2]
    assert fitting(TEXT, 65_536) == TEXT
    assert len(fitting(TEXT + "word " * 20_000, 65_536)) == 65_536  # one line of it is too long


@pytest.mark.parametrize(
    "address",
    [
        "ftp://h",
        "http://[::1",
        "http://h:99999",
        "http://h:0",
        "http://h/\u00e9",
        "http://h/\nx",
        "http://me:hidden@h",
        "h",
        "http://",
    ],
)
def test_an_address_that_is_none(address: str) -> None:
    row = named("github")
    assert row is not None
    with pytest.raises(Refused) as refused:
        post(row, {"GITHUB_API_URL": address, "GITHUB_REPOSITORY": "team/kb"}, TOKEN, "7", TEXT, WAITS.append)
    assert not isinstance(refused.value, Failed) and "hidden" not in str(refused.value)


def test_on_the_command_line(forge: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "review.md").write_text("# no marker yet\n")
    for name, value in forge.env().items():
        monkeypatch.setenv(name, value)
    assert "no token" in memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), code=3).err
    monkeypatch.setenv("MEMGIT_FORGE_TOKEN", TOKEN)
    assert memgit(tmp_path, "review-comment", str(tmp_path / "review.md")).out.startswith(
        "created the comment on "
    )
    assert forge.comments[0]["body"] == "<!-- memgit-review -->\n# no marker yet\n"
    answer = memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), "--json", "--key", "kb")
    assert answer.json["action"] == "created" and answer.json["number"] == "7"
    assert TOKEN not in answer.out + answer.err
    forge.faults = {"POST": [Fault(403)]}
    refused = memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), "--key", "x", code=3)
    assert "the token may not comment" in refused.err and "fault 403" in refused.err
    assert refused.err.startswith("::warning title=memgit::no comment: ") is (forge.sort == "github")
    with monkeypatch.context() as fork:
        for name, value in from_fork(forge, tmp_path).items():
            fork.setenv(name, value)
        fork.delenv("MEMGIT_FORGE_TOKEN")
        done = memgit(tmp_path, "review-comment", str(tmp_path / "review.md"))
        assert done.out == "no comment: a change from a fork, and no token\n"
    forge.faults = {"GET": [Fault(401)]}
    assert "401" in memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), code=3).err
    memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), "--number", "7/../8", code=2)
    (tmp_path / "empty.md").write_text("\n")
    memgit(tmp_path, "review-comment", str(tmp_path / "empty.md"), code=2)
    monkeypatch.setenv("MEMGIT_FORGE_TOKEN", "a\nb")
    assert "characters" in memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), code=3).err


def test_a_job_that_is_about_no_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "review.md").write_text(TEXT)
    assert "no forge" in memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), code=2).err
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    assert "not about a pull request" in memgit(tmp_path, "review-comment", str(tmp_path / "review.md")).out
    assert (
        "not about a merge request"
        in memgit(tmp_path, "review-comment", str(tmp_path / "review.md"), "--forge", "gitlab").out
    )
    assert not [name for name in os.environ if name == "MEMGIT_FORGE_TOKEN"]
