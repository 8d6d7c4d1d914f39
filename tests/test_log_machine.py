"""A random machine of operations, hand edits, squashes and cherry-picks: the log equals what was performed."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.support import examples, fsck, memgit, run_git, status

KINDS = {
    "memory": "memory/{slug}",
    "knowledge": "knowledge/web#{title}",
    "decision": "decision/20260302-{slug}",
}
TITLES = st.sampled_from(
    [
        "Grid",
        "Retry & backoff",
        "Über alles",
        "$1 \\1",
        "Tides: a table",
        "x" * 90,
        "日本語",
        'Say "no"',
        "a/b",
    ]
)
PHASES = [Phase.explicit, Phase.reuse, Phase.generate]
"""Without shrinking: a failure of real git is as readable at full length, and each step costs processes."""
Expected = set[tuple[str, str, str | None]]


class LogMachine(RuleBasedStateMachine):
    """Keeps, beside a real repository, the list of what each commit must have done to records."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="memgit-log-"))
        self.live: dict[str, dict[str, Any]] = {}
        self.events: list[tuple[str, Expected]] = []
        self.count = 0

    @initialize()
    def init(self) -> None:
        memgit(self.folder, "init", "--indexes", "local")

    def teardown(self) -> None:
        try:
            self.check()
        finally:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _title(self, stem: str) -> str:
        self.count += 1
        return f"{stem} {self.count}"

    def _record(self, kind: str, stem: str) -> tuple[str, Expected]:
        title = self._title(stem)
        done = memgit(
            self.folder,
            "record",
            kind,
            "-m",
            f"- text of {self.count}\n- more text",
            "--date",
            "2026-03-02",
            *(["--category", "web"] if kind == "knowledge" else []),
            "--json",
            "--",
            title,
        ).json
        record = done["record"]
        self.live[record["id"]] = {
            "kind": kind,
            "address": record["address"],
            "path": record["path"],
            "archived": False,
        }
        return record["id"], {("create", record["address"], None)}

    def _pick(self, data: st.DataObject, archived: bool | None = False) -> str | None:
        ids = sorted(
            id_ for id_, record in self.live.items() if archived is None or record["archived"] == archived
        )
        return data.draw(st.sampled_from(ids)) if ids else None

    @rule(kind=st.sampled_from(sorted(KINDS)), stem=TITLES)
    def record(self, kind: str, stem: str) -> None:
        _, expected = self._record(kind, stem)
        self.events.append(("record", expected))

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def update(self, data: st.DataObject) -> None:
        id_ = self._pick(data, None)
        assert id_ is not None
        self.count += 1
        memgit(self.folder, "update", id_, "-m", f"- quite another text, number {self.count}")
        self.events.append(("update", {("update", self.live[id_]["address"], None)}))

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def extend(self, data: st.DataObject) -> None:
        id_ = self._pick(data, None)
        assert id_ is not None
        self.count += 1
        memgit(self.folder, "extend", id_, "-m", f"Added {self.count}.")
        self.events.append(("extend", {("extend", self.live[id_]["address"], None)}))

    @precondition(lambda self: self.live)
    @rule(data=st.data())
    def archive_or_restore(self, data: st.DataObject) -> None:
        id_ = self._pick(data, None)
        assert id_ is not None
        command = "restore" if self.live[id_]["archived"] else "archive"
        memgit(self.folder, command, id_)
        self.live[id_]["archived"] = not self.live[id_]["archived"]
        self.events.append((command, {(command, self.live[id_]["address"], None)}))

    @precondition(lambda self: self.live)
    @rule(data=st.data(), stem=TITLES)
    def rename(self, data: st.DataObject, stem: str) -> None:
        id_ = self._pick(data, None)
        assert id_ is not None
        was = self.live[id_]["address"]
        done = memgit(self.folder, "rename", "--json", "--", id_, self._title(stem)).json
        assert done["record"]["id"] == id_
        self.live[id_].update(address=done["record"]["address"], path=done["record"]["path"])
        address = done["record"]["address"]
        # A long title keeps its slug: then only the title changed.
        self.events.append(
            ("rename", {("rename", address, was) if address != was else ("update", address, None)})
        )

    @precondition(lambda self: any(record["kind"] != "knowledge" for record in self.live.values()))
    @rule(data=st.data(), plain=st.booleans())
    def hand_edit(self, data: st.DataObject, plain: bool) -> None:
        ids = sorted(id_ for id_, record in self.live.items() if record["kind"] != "knowledge")
        id_ = data.draw(st.sampled_from(ids))
        path = self.folder / self.live[id_]["path"]
        self.count += 1
        head, fence, body = path.read_text().partition("\n---\n")
        path.write_text(f"{head}{fence}\nBy hand, number {self.count}.\n\n{body.split('By hand')[-1][:40]}\n")
        if plain:
            run_git(self.folder, "commit", "-qam", f"typed by a person {self.count}")
        else:
            memgit(self.folder, "commit")
        self.events.append(("update", {("update", self.live[id_]["address"], None)}))

    @rule(
        kinds=st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=3),
        stem=TITLES,
        trailers=st.booleans(),
    )
    def squash(self, kinds: list[str], stem: str, trailers: bool) -> None:
        run_git(self.folder, "switch", "-qc", "topic")
        expected: Expected = set()
        for kind in kinds:
            expected |= self._record(kind, stem)[1]
        run_git(self.folder, "switch", "-q", "main")
        run_git(self.folder, "merge", "-q", "--squash", "topic")
        message = (
            run_git(self.folder, "log", "--reverse", "--format=%B", "main..topic")
            if trailers
            else "squashed without a word"
        )
        run_git(self.folder, "commit", "-q", "-F", "-", data=message.encode())
        run_git(self.folder, "branch", "-qD", "topic")
        self.events.append(("record", expected))

    @rule(stem=TITLES)
    def cherry_pick(self, stem: str) -> None:
        run_git(self.folder, "switch", "-qc", "topic")
        _, expected = self._record("memory", stem)
        run_git(self.folder, "switch", "-q", "main")
        _, other = self._record("decision", stem)
        self.events.append(("record", other))
        run_git(self.folder, "cherry-pick", "topic")
        run_git(self.folder, "branch", "-qD", "topic")
        self.events.append(("record", expected))

    @precondition(lambda self: self.events)
    @rule()
    def amend(self) -> None:
        run_git(self.folder, "commit", "-q", "--amend", "--no-edit", "--date", "2026-03-03T00:00:00Z")

    def check(self) -> None:
        assert status(self.folder) == ""
        log = memgit(self.folder, "log", "--json").json
        got = [
            (event["op"], {(row["action"], row["address"], row["was"]) for row in event["records"]})
            for event in reversed(log)
        ]
        assert [row for row in got if row[1]] == self.events
        root = run_git(self.folder, "rev-list", "--max-parents=0", "HEAD")
        told = memgit(self.folder, "lint", "--since", root, "--select", "MG406", "--json", code=None).json
        assert told["findings"] == []
        fsck(self.folder)


def test_the_log_equals_what_was_performed() -> None:
    run_state_machine_as_test(
        LogMachine,
        settings=settings(
            max_examples=5,
            stateful_step_count=12,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=PHASES,
        ),
    )


@pytest.mark.slow
def test_the_log_equals_what_was_performed_at_length() -> None:
    run_state_machine_as_test(
        LogMachine,
        settings=settings(
            max_examples=examples(100),
            stateful_step_count=40,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=PHASES,
        ),
    )
