"""MG501: credentials in records."""

from __future__ import annotations

from collections.abc import Iterator

from memgit.lint.corpus import Corpus
from memgit.lint.parse_findings import address_at
from memgit.lint.rule import CORPUS, Example, Found, Options, Rule
from memgit.lint.secrets import with_article


def check(corpus: Corpus, options: Options) -> Iterator[Found]:
    for path in corpus.pages:
        facts = corpus.facts(path)
        for secret in facts.secrets:
            address = address_at(facts, secret.line)
            if secret.example:
                words = (
                    f"a value like {with_article(secret.kind)} ({secret.masked}), which looks like an example: "
                    "nothing to do if it is one"
                )
                yield Found(path, secret.line, words, address, severity="info")
            else:
                words = f"{with_article(secret.kind)} ({secret.masked}): revoke it, and write down where it is kept instead"
                yield Found(path, secret.line, words, address)


_TEXT = "---\ntitle: Deploy\ncreated: 2026-03-02\n---\n"

RULE = Rule(
    code="MG501",
    name="secret",
    severity="error",
    summary="a credential, recognised by the shape of its value",
    why="""What is committed is on every clone, and stays there when the line is deleted: a credential that got in must be revoked.
Records are also read aloud to every later session of an agent.
The message shows the value's fixed beginning at most. Documented examples and placeholders are a note, as are the first
line of a key that a sentence speaks of, the id of an access key in an address, and a token that names
nobody and no time; a value that is meant to be there is allowed in place, with a comment on its line.""",
    scope=CORPUS,
    check=check,
    good=(
        Example(
            {
                "memory/deploy.md": _TEXT
                + "The token lies in the vault under `deploy/github`; export it as `GITHUB_TOKEN`.\n"
            }
        ),
        Example(
            {
                "memory/deploy.md": _TEXT
                + "A token: "
                + "ghp_"
                + "x1Yz" * 9
                + " <!-- memgit: allow MG501 -->\n"
            }
        ),
    ),
    bad=(
        Example(
            {"memory/deploy.md": _TEXT + "Log in with " + "ghp_" + "x1Yz" * 9 + " and push.\n"},
            at=("memory/deploy.md:5",),
            shown="A line that holds `ghp_` and 36 letters and digits after it.",
        ),
        Example(
            {"memory/deploy.md": _TEXT + "```\n-----BEGIN " + "PRIVATE KEY-----\n```\n"},
            at=("memory/deploy.md:6",),
            shown="A line `-----BEGIN … PRIVATE KEY-----`.",
        ),
    ),
)
