"""No writer stores a credential unasked: it is refused with its line, taken out, or written on demand;
examples and what was there pass.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support import Answer, count_commits, memgit, run_git, status

GITHUB = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
AWS = "AKIA" + "Z7Q2M4N6P8R1T3V5"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl"
KEY = (
    "-----BEGIN RSA "
    + "PRIVATE KEY-----\nMIIEpAIBAAKCAQEA1c7kq3v9ZTb1LwX\n-----END RSA "
    + "PRIVATE KEY-----"
)
EXPORT = "export SERVICE_TOKEN=7f3a09c4d1e8b25690af4c3d7e18b2f5"
SHAPES = (f"Log in with {GITHUB}.", f"key {AWS}", f"Send {JWT} along.", KEY, EXPORT)
EXAMPLES = (
    "The example is AKIAIOSFODNN7EXAMPLE.",
    "postgres://user:password@localhost/db",
    "API_TOKEN=<your-token>",
    "token: ${GITHUB_TOKEN}",
)


def refused(answer: Answer) -> None:
    assert answer.code == 3
    assert "not written: " in answer.err and "--redact" in answer.err and "--allow-secret" in answer.err
    for value in (GITHUB, AWS, JWT):
        assert value not in answer.err + answer.out, "no message shows the value"


def content(kb: Path) -> str:
    """Everything that git has of this repository."""
    return run_git(kb, "log", "-p", "--all", "--format=%B") + "".join(
        path.read_text() for path in kb.rglob("*.md")
    )


@pytest.mark.parametrize("text", SHAPES)
def test_a_credential_is_refused_before_anything_is_written(kb: Path, text: str) -> None:
    answer = memgit(kb, "record", "memory", "Deploy", "-m", f"First line.\n\n{text}", code=None)
    refused(answer)
    assert "memory/deploy.md:10: " in answer.err
    assert (count_commits(kb), status(kb)) == (1, "")
    assert not (kb / "memory" / "deploy.md").exists()


@pytest.mark.parametrize("text", EXAMPLES)
def test_documented_examples_and_placeholders_pass(kb: Path, text: str) -> None:
    assert memgit(kb, "record", "memory", "Deploy", "-m", text).code == 0


@pytest.mark.parametrize("text", SHAPES)
def test_redact_puts_a_placeholder_in_its_place(kb: Path, text: str) -> None:
    answer = memgit(
        kb, "record", "memory", "Deploy", "-m", f"Before.\n\n{text}\n\nAfter.", "--redact", "--json"
    )
    body = answer.json["record"]["body"]
    assert body.startswith("Before.\n\n") and body.endswith("\n\nAfter.") and "REDACTED-" in body
    assert "memory/deploy.md:10: a" in answer.err and "was taken out" in answer.err
    for word in text.split():
        assert len(word) < 20 or word not in content(kb)
    assert memgit(kb, "lint", "--select", "MG501").code == 0


def test_every_writer_looks(kb: Path) -> None:
    memgit(kb, "record", "knowledge", "Retry", "--category", "http", "-m", "Only timeouts.")
    memgit(kb, "record", "observation", "Seen", "-m", "A timeout.")
    name = "knowledge/http#Retry"
    seen = memgit(kb, "list", "observation", "--json").json[0]["address"]
    before = count_commits(kb)
    rows = "\n".join(
        json.dumps({"kind": "memory", "title": title, "body": body})
        for title, body in (("A", "a"), ("B", GITHUB))
    )
    for args in (
        ("update", name, "-m", f"Use {GITHUB}"),
        ("update", name, "--keyword", GITHUB),
        ("extend", name, "-m", EXPORT),
        ("record", "knowledge", "Other", "--category", "http", "-m", KEY),
        ("record", "memory", "M", "-m", "x", "--source", f"url:https://ann:{'kX93-vmQ_7pp'}@example.org"),
        ("promote", seen, "T", "-m", AWS),
        ("rename", name, f"Retry {AWS}"),
        ("archive", name, "--reason", f"it was {GITHUB}"),
    ):
        refused(memgit(kb, *args, code=None))
    refused(memgit(kb, "record", "--batch", "-", stdin=rows.encode(), code=None))
    assert (count_commits(kb), status(kb)) == (before, "")


def test_all_or_none_of_a_batch(kb: Path) -> None:
    rows = "\n".join(
        json.dumps({"kind": "memory", "title": title, "body": body})
        for title, body in (("A", "a"), ("B", GITHUB))
    )
    before = count_commits(kb)
    for more in ((), ("--each",)):
        refused(memgit(kb, "record", "--batch", "-", *more, stdin=rows.encode(), code=None))
    assert count_commits(kb) == before
    answer = memgit(kb, "record", "--batch", "-", "--redact", stdin=rows.encode())
    assert "memory/b.md" in answer.err and "was taken out" in answer.err
    assert GITHUB not in content(kb)


def test_only_what_is_added_counts(kb: Path) -> None:
    memgit(kb, "record", "memory", "Deploy", "-m", f"Log in with {GITHUB}.", "--allow-secret")
    assert memgit(kb, "extend", "memory/deploy", "-m", "More words.").code == 0
    assert memgit(kb, "update", "memory/deploy", "--topic", "ops").code == 0
    assert memgit(kb, "rename", "memory/deploy", "Deploying", "--slug", "deploying").code == 0
    refused(memgit(kb, "extend", "memory/deploying", "-m", f"And {AWS}.", code=None))


def test_an_allowance_in_place_or_in_the_configuration_counts(kb: Path) -> None:
    assert memgit(kb, "record", "memory", "One", "-m", f"{GITHUB} <!-- memgit: allow MG501 -->").code == 0
    (kb / ".memgit.yaml").write_text(
        (kb / ".memgit.yaml").read_text() + "lint:\n  severity:\n    MG501: warning\n"
    )
    answer = memgit(kb, "record", "memory", "Two", "-m", GITHUB)
    assert "memory/two.md:8: a GitHub token would be written (MG501)" in answer.err
    (kb / ".memgit.yaml").write_text(
        (kb / ".memgit.yaml").read_text().replace("severity:\n    MG501: warning", "ignore: [MG501]")
    )
    assert memgit(kb, "record", "memory", "Three", "-m", GITHUB).err == ""


def test_a_title_is_not_redacted(kb: Path) -> None:
    answer = memgit(kb, "record", "memory", f"The key {AWS}", "-m", "x", "--redact", code=3)
    assert "give it another title" in answer.err and AWS not in answer.err
    assert count_commits(kb) == 1


def test_the_two_options_exclude_each_other(kb: Path) -> None:
    assert (
        "exclude each other"
        in memgit(kb, "record", "memory", "A", "-m", "x", "--redact", "--allow-secret", code=2).err
    )


def test_hand_edits_are_looked_at_when_they_are_committed(kb: Path) -> None:
    memgit(kb, "record", "memory", "Deploy", "-m", "Words.")
    path = kb / "memory" / "deploy.md"
    path.write_bytes(path.read_bytes() + f"\n{EXPORT}\n".encode())
    answer = memgit(kb, "commit", code=3)
    assert "memory/deploy.md:10: not written: a secret value" in answer.err
    assert "--allow-secret" in answer.err and "--redact" not in answer.err
    assert status(kb) == " M memory/deploy.md"
    assert memgit(kb, "commit", "--allow-secret").code == 0
