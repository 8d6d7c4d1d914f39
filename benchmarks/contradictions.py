"""How well MG303 tells opposite advice from advice that only sounds alike.

    python benchmarks/contradictions.py [--show]

Each row is two pieces of advice as two records of one category would give them, and whether a careful reader
calls them opposite. The negatives are hard ones: another condition, another object, another environment, one
the reason for the other, two steps of one procedure, two limits of one range. `HELD_OUT` was written after
the rule was tuned on the others; it was changed once more for what it called wrong in public repositories,
and once because a held-out row showed that `on` counted as a word of the topic. The rows that it was tuned on
are then one corpus in one category, where whatever is reported between different rows is wrong as well.

`--show` prints the rows that the rule gets wrong.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from memgit.lint.corpus import Corpus  # noqa: E402
from memgit.lint.engine import run  # noqa: E402
from memgit.lint.rules.mg303_contradiction import RULE  # noqa: E402
from memgit.lint.settings import Settings  # noqa: E402
from memgit.model import layout  # noqa: E402
from tests.lint.support import in_memory  # noqa: E402


class Row(NamedTuple):
    """Two pieces of advice, and whether they are opposite."""

    one: str
    other: str
    opposite: bool


def rows(text: str, opposite: bool) -> list[Row]:
    """The rows of a block: two lines each, blank lines between."""
    out = []
    for block in text.strip().split("\n\n"):
        one, other = block.split("\n")
        out.append(Row(one.strip(), other.strip(), opposite))
    return out


OPPOSITE = rows(
    """
    Always run the migrations before the new image is rolled out.
    Never run the migrations before the new image is rolled out; old pods would meet a schema they do not know.

    Always validate the frontmatter with `quick_validate.py` before packaging.
    Validate the frontmatter with `quick_validate.py` after packaging, never before packaging.

    Use an include-list in `package.json` for what is shipped.
    Do not use an include-list in `package.json` for what is shipped; it always misses a file.

    Enable gzip on the reverse proxy.
    Disable gzip on the reverse proxy, the application compresses already.

    Retry failed uploads three times.
    Retry failed uploads five times.

    Set the connection timeout to 30 seconds.
    Set the connection timeout to 5 seconds.

    Set `max_connections` to 100.
    Set `max_connections` to 400 and restart the database.

    Prefer tabs over spaces in Makefile snippets.
    Prefer spaces over tabs in Makefile snippets.

    Commit the lock file of the front end.
    Never commit the lock file of the front end.

    The staging database should be public to the office network.
    The staging database should be private to the office network.

    Store session tokens in local storage.
    Do not store session tokens in local storage.

    Squash feature branches on merge.
    Never squash feature branches on merge, the history is the documentation.

    Turn on foreign keys in SQLite for every connection.
    Turn off foreign keys in SQLite for every connection.

    Include the tests in the published package.
    Exclude the tests from the published package.

    Log request bodies in the payment service.
    Never log request bodies in the payment service.

    Use `LOG_LEVEL=debug` in production.
    Use `LOG_LEVEL=warning` in production.

    Keep functions under 30 lines.
    Keep functions under 60 lines.

    Code review is mandatory for documentation changes.
    Code review is optional for documentation changes.

    Use UUIDs instead of integers as primary keys.
    Use integers instead of UUIDs as primary keys.

    Pin every dependency in the library to an exact version.
    Don't pin dependencies in the library to an exact version.

    Rebase long-lived branches onto main daily.
    Avoid rebasing long-lived branches onto main.

    Call the vendor API synchronously from the checkout.
    Call the vendor API asynchronously from the checkout.

    Allow direct pushes to main for maintainers.
    Forbid direct pushes to main for maintainers.

    Wrap commit messages at 72 characters.
    Wrap commit messages at 100 characters.

    Mocks should be used for the database in unit tests.
    Mocks should not be used for the database in unit tests.

    Let the agent delete generated files without asking.
    The agent must not delete generated files without asking.

    Quote every variable in shell scripts.
    You don't need to quote every variable in shell scripts.

    Always ask for the scope when a collection is created.
    Never ask for the scope when a collection is created.

    Cache the authentication tokens for 10 minutes.
    Cache the authentication tokens for 24 hours.

    Increase the worker count when the queue grows.
    Decrease the worker count when the queue grows.

    Sort search results in ascending order of date.
    Sort search results in descending order of date.

    Run the linter before the formatter.
    Run the linter after the formatter.

    Use the `--no-verify` flag for generated commits.
    Never use the `--no-verify` flag for generated commits.

    Set `retry_backoff: exponential` in the job configuration.
    Set `retry_backoff: fixed` in the job configuration.

    Make the health endpoint require authentication.
    The health endpoint must not require authentication.

    Write dates in local time in the audit log.
    Don't write dates in local time in the audit log.

    Add a summary line to every record.
    Do not add a summary line to every record.

    Backups run automatically before each deploy.
    Backups must be run manually before each deploy.

    Keep at most 20 open connections per worker.
    Keep at most 50 open connections per worker.

    The importer supports CSV files with a header.
    The importer does not support CSV files with a header.

    Restart the agent after each configuration change.
    Never restart the agent after a configuration change.

    Generated code should be checked in.
    Generated code should not be checked in.

    Use `printf` instead of `echo` in portable scripts.
    Use `echo` instead of `printf` in portable scripts.

    Treat warnings as errors in CI.
    Don't treat warnings as errors in CI.

    Archive observations as soon as they are promoted.
    Do not archive observations as soon as they are promoted.

    Keep the description under 1024 characters.
    Keep the description under 200 characters.
    """,
    True,
)

ALIKE = rows(
    """
    Always retry a failed request that only reads.
    Never retry a failed request that writes.

    Use tabs in Makefiles.
    Use spaces in Python files.

    Never include angle brackets in the frontmatter description.
    Always include a trigger phrase in the frontmatter description.

    Set the connection timeout of the importer to 30 seconds.
    Set the connection timeout of the checkout to 5 seconds.

    In staging, set `LOG_LEVEL` to `debug`.
    In production, set `LOG_LEVEL` to `warning`.

    Disable the cron job before the migration starts.
    Enable the cron job after the migration ends.

    To enable the feature flag, run `flags on checkout`.
    To disable the feature flag, run `flags off checkout`.

    Keep at least 2 replicas running.
    Keep at most 10 replicas running.

    Avoid `head -n -1`; use `awk` for cross-platform scripts.
    Use `head -n 1` to read the first line in scripts.

    Do not commit `.env` files.
    Commit `.env.example` files.

    On macOS, pass an empty string to `sed -i`.
    On Linux, do not pass an empty string to `sed -i`.

    Never deploy on Friday without running the smoke tests.
    Always run the smoke tests before a deploy on Friday.

    Don't forget to run the validator after every edit.
    Run the validator after every edit.

    The timeout was raised from 30 to 60 seconds last spring.
    Set the timeout to 60 seconds.

    Always quote the berth number before the price.
    Never quote a price before the berth is locked.

    Use Redis for the queue.
    Do not use Redis for the sessions.

    Version 1.1 does not support the Source field.
    Version 1.2 supports the Source field.

    Prefer `rg` over `grep` in large repositories.
    Prefer `grep` over `awk` in small scripts.

    Never edit a generated index by hand.
    Always rebuild a generated index after a merge.

    If the cache is cold, warm it before the test.
    If the cache is warm, do not warm it before the test.

    Use a batch of 500 for inserts.
    Use a batch of 50 for deletes.

    Skip files that already have the field.
    Do not skip files that lack the field.

    Don't store secrets in the repository.
    Store secrets in the vault.

    Open the connection before the transaction.
    Close the connection after the transaction.

    Ask for the scope interactively unless a flag is given.
    Do not ask for the scope if a flag is given.

    Never use `float` for money.
    Use `float` for coordinates.

    Retry a timeout three times.
    Wait five seconds between retries of a timeout.

    Test scripts on macOS.
    Test scripts on Linux.

    Not every warning must be fixed before the release.
    Every error must be fixed before the release.

    Include only SKILL.md, references and scripts in the package.
    Never include tests, examples or `node_modules` in the package.

    Commit small changes often.
    Do not push small changes often; push once a feature is done.

    The read replica must not be used for reports that need fresh data.
    The read replica should be used for nightly reports.

    We used to disable the cache during a deploy.
    Keep the cache enabled during a deploy.

    Some teams never write tests for scripts.
    Always write tests for scripts that delete data.

    Why not run the migrations in the container?
    Run the migrations in the container.

    Limit uploads to 10 MB for guests.
    Limit uploads to 100 MB for members.

    Use `git push --force-with-lease` instead of `git push --force`.
    Never use `git push --force` on shared branches.

    Keep titles under 80 characters.
    Keep summaries under 120 characters.

    Enable WAL mode for the cache database.
    Disable WAL mode for databases on network drives.

    Do not block the event loop with file reads.
    Read files in a thread so that the event loop is not blocked.

    Put the most important keyword first.
    Put the date last.

    Allow archived records in search with `--all`.
    Do not allow archived records in `context`.

    Never trust the count in `_index.json`.
    The count in `_index.json` must equal the number of headings.

    An observation is never edited.
    A memory is edited whenever the truth changes.

    Use exactly one H1 per note.
    Use at least one H2 per guide.

    Return 404 when the record does not exist.
    Return 409 when the record exists.

    The worker should not start before the database is ready.
    The worker should start after the database is ready.

    Avoid long transactions in the importer.
    Prefer long transactions over many short ones in the nightly batch.

    Run `npm ci` in CI.
    Run `npm install` on your machine.

    Do not lower the isolation level to fix a deadlock.
    Lower the batch size to fix a deadlock.

    Use port 8080 for the web container.
    Use port 5432 for the database container.

    Compress images before they are uploaded.
    Do not compress PDF files before they are uploaded.

    Cache successful responses for 60 seconds.
    Do not cache error responses.

    Lock the berth, then quote the price.
    Do not lock the whole harbour to quote the price.

    It is safe to delete the cache folder.
    It is not safe to delete the `.git` folder.
    """,
    False,
)

HELD_OUT = rows(
    """
    Always pass an explicit encoding to `open()`.
    Never pass an explicit encoding to `open()`, the default is right everywhere now.

    Set `worker_prefetch` to 1 for long jobs.
    Set `worker_prefetch` to 16 for long jobs.

    Publish release notes before the tag is pushed.
    Publish release notes after the tag is pushed.

    Feature flags must be removed within 30 days.
    Feature flags must be removed within 90 days.

    Let the scheduler overlap runs of the nightly export.
    Do not let the scheduler overlap runs of the nightly export.

    Allow self-signed certificates in the test environment.
    Reject self-signed certificates in the test environment.

    Prefer composition over inheritance in the domain model.
    Prefer inheritance over composition in the domain model.

    Translate error messages that end up in the log.
    Don't translate error messages that end up in the log.

    Use `yarn` rather than `npm` in this repository.
    Use `npm` rather than `yarn` in this repository.

    The webhook handler should answer before it does the work.
    The webhook handler should answer after it does the work.

    Keep the index in memory.
    Avoid keeping the index in memory.

    Vacuum the table every 6 hours.
    Vacuum the table every 24 hours.

    Tombstoned memories may be edited.
    Tombstoned memories must not be edited.

    Signing commits is required for agents.
    Signing commits is optional for agents.

    Turn autosave off in the editor.
    Turn autosave on in the editor.

    Name branches after the issue number.
    Never name branches after the issue number.

    Give every endpoint its own rate limit.
    Do not give every endpoint its own rate limit.

    Ship source maps to production.
    Never ship source maps to production; they leak comments.

    A migration should drop unused columns in the same release.
    A migration should not drop unused columns in the same release.

    Include the lock file in the cache key.
    Leave the lock file out of the cache key.
    """,
    True,
) + rows(
    """
    Always pass an explicit encoding to `open()`.
    Never pass a bare path to `open()`.

    Set `worker_prefetch` to 1 for long jobs.
    Set `worker_prefetch` to 16 for short jobs.

    Publish release notes before the tag is pushed.
    Announce the release after the tag is pushed.

    Feature flags must be removed within 30 days.
    Experiment flags must be removed within 90 days.

    Let the scheduler overlap runs of the hourly import.
    Do not let the scheduler overlap runs of the nightly export.

    Allow self-signed certificates in the test environment.
    Reject self-signed certificates in production.

    Prefer composition over inheritance in the domain model.
    Prefer inheritance over a registry for plugins.

    Translate error messages that users see.
    Don't translate error messages that end up in the log.

    Use `yarn` rather than `npm` in the web client.
    Use `npm` rather than `pnpm` in the scripts folder.

    Do not answer the webhook before the signature is checked.
    Answer the webhook before the work is done.

    Keep the index in memory during a search.
    Do not keep the index in memory between searches.

    Vacuum the events table every 6 hours.
    Vacuum the users table every 24 hours.

    Never tombstone a memory without a reason.
    Tombstone a memory with the reason `purge` or `merged`.

    Signing commits is required on release branches.
    Signing commits is optional on topic branches.

    Turn autosave off before a bulk rename.
    Turn autosave on again after a bulk rename.

    Never rename a branch that has an open pull request.
    Rename a branch once its pull request is merged.

    Give every public endpoint a rate limit.
    Do not give the health endpoint a rate limit.

    Ship source maps to the error tracker.
    Never ship source maps to browsers.

    A migration should not drop a column that old code reads.
    A migration should drop a column once no code reads it.

    Include the lock file in the cache key.
    Exclude the build folder from the cache key.

    It is not enough to check the exit code; read the log.
    Check the exit code of every step.

    Do not use more than 3 levels of headings.
    Use no more than 3 levels of headings.

    The first request after a deploy is slow.
    The last request before a deploy is fast.

    Nobody but the release manager should push tags.
    The release manager should push tags.
    """,
    False,
)

ROWS: tuple[Row, ...] = (*OPPOSITE, *ALIKE, *HELD_OUT)


def corpus(pieces: Sequence[Row]) -> Corpus:
    """The rows as one category: the two pieces of row n are the entries `n one` and `n other`."""
    parts = []
    for number, row in enumerate(pieces):
        for side, text in (("one", row.one), ("other", row.other)):
            parts.append(
                f"## Entry {number} {side}\n**Date:** 2026-03-02\n**Best Practice:**\n- "
                f"{text}\n**Keywords:** practice\n"
            )
    return Corpus(
        layout.memgit(),
        in_memory({"knowledge-base/practice.md": "\n".join(parts).encode()}),
        "2026-06-01",
    )


def fires(row: Row) -> bool:
    """Whether the rule calls a row opposite."""
    return bool(run(corpus([row]), Settings(), [RULE]).findings)


class Score(NamedTuple):
    """Rows that are opposite and were found, that are and were not, that are not and were called so."""

    hits: int
    missed: int
    wrong: int

    @property
    def precision(self) -> float:
        return self.hits / (self.hits + self.wrong) if self.hits + self.wrong else 1.0

    @property
    def recall(self) -> float:
        return self.hits / (self.hits + self.missed) if self.hits + self.missed else 1.0


def score(found: Sequence[tuple[Row, bool]]) -> Score:
    hits = sum(fired and row.opposite for row, fired in found)
    missed = sum(row.opposite and not fired for row, fired in found)
    return Score(hits, missed, sum(fired and not row.opposite for row, fired in found))


def across(pieces: Sequence[Row]) -> list[str]:
    """What is reported between different rows when all of them are one category."""
    out = []
    for finding in run(corpus(pieces), Settings(), [RULE]).findings:
        numbers = {(line - 1) // 6 // 2 for line in (finding.line, finding.related[0].line)}
        if len(numbers) > 1:
            out.append(finding.message)
    return out


def main(argv: Sequence[str]) -> int:
    found = [(row, fires(row)) for row in ROWS]
    print("| rows | opposite | alike | precision | recall |")
    print("|---|---:|---:|---:|---:|")
    for name, part in (
        ("all", found),
        ("tuned on", found[: -len(HELD_OUT)]),
        ("held out", found[-len(HELD_OUT) :]),
    ):
        result = score(part)
        count = sum(row.opposite for row, _ in part)
        print(f"| {name} | {count} | {len(part) - count} | {result.precision:.0%} | {result.recall:.0%} |")
    between = across(ROWS[: -len(HELD_OUT)])
    print(
        f"\nThe rows that it was tuned on, in one category: {len(between)} reported between different rows."
    )
    if "--show" in argv:
        for row, fired in found:
            if fired != row.opposite:
                print(f"\n{'missed' if row.opposite else 'wrong'}:\n  {row.one}\n  {row.other}")
        print(*(["", "between rows:", *between] if between else []), sep="\n  ")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
