"""A random machine of operations, hand edits, merges and branch switches: what was built step by step is what
rebuild gives.

After each walk the newest commit is brought to what its records say (`memgit rebuild --commit`, which after
memgit's own writes has nothing to do), and a fresh clone must then agree with the original: derived files to
the byte, records and history field by field.
"""

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

from tests.support import fsck, memgit, run_git, status

PHASES = [Phase.explicit, Phase.reuse, Phase.generate]
"""Without shrinking: a failure of real git is as readable at full length, and each step costs processes."""
TITLES = st.sampled_from(
    [
        "Grid",
        "Retry & backoff",
        "Über alles",
        "$1 \\1",
        "Tides: a table",
        "日本語",
        'Say "no"',
        "a/b",
        "[[x]]",
    ]
)
CATEGORIES = st.sampled_from(["web", "http", "data"])
SCOPES = st.sampled_from(["", "sea", "sea/north"])
UNDER_WAY = {"rebase-merge": "rebase", "sequencer": "cherry-pick", "CHERRY_PICK_HEAD": "cherry-pick"}
"""What git has in its folder while an operation stops for a conflict."""
OURS = ("_index.json", "INDEX.md")


def derived(folder: Path) -> dict[str, bytes]:
    """The derived files that a working tree has."""
    found = [path for name in OURS for path in folder.rglob(name) if ".git" not in path.parts]
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in found}


class RebuildMachine(RuleBasedStateMachine):
    """Keeps a repository that memgit and people write to in turn."""

    def __init__(self) -> None:
        super().__init__()
        self.top = Path(tempfile.mkdtemp(prefix="memgit-rebuild-"))
        self.folder = self.top / "kb"
        self.count = 0
        self.right = True
        """Whether memgit alone has written since the derived files were last right: then there must be
        nothing to rebuild.
        """

    @initialize()
    def init(self) -> None:
        memgit(self.top, "init", "kb")
        for key in ("name", "driver"):  # as in a clone that nobody told of the driver, or on a forge
            run_git(self.folder, "config", "--unset", f"merge.memgit.{key}")

    def teardown(self) -> None:
        try:
            if self.folder.is_dir():
                self.check()
        finally:
            shutil.rmtree(self.top, ignore_errors=True)

    def _records(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = memgit(self.folder, "list", "--archived", "--json").json
        return sorted(found, key=lambda record: str(record["address"]))

    def _pick(self, data: st.DataObject) -> dict[str, Any] | None:
        # those are never edited
        records = [record for record in self._records() if record["id"] and record["kind"] != "observation"]
        return data.draw(st.sampled_from(records)) if records else None

    def _record(self, kind: str, *options: str, title: str) -> None:
        self.count += 1
        date = f"2026-03-{self.count % 28 + 1:02d}"
        memgit(
            self.folder, "record", kind, *options, "-m", f"- text {self.count}", "--date", date, "--", title
        )

    # memgit's own writes

    @rule(title=TITLES, category=CATEGORIES, named=st.booleans())
    def knowledge(self, title: str, category: str, named: bool) -> None:
        name = (
            ["--category-name", f"Name {self.count}", "--category-keywords", f"one, k{self.count}"]
            if named
            else []
        )
        self._record(
            "knowledge",
            "--category",
            category,
            *name,
            "--keywords",
            f"k{self.count}, css",
            title=f"{title} {self.count}",
        )

    @rule(title=TITLES, scope=SCOPES)
    def memory(self, title: str, scope: str) -> None:
        self._record(
            "memory", "--scope", scope, "--topics", f"t{self.count % 3}", title=f"{title} {self.count}"
        )

    @rule(title=TITLES, kind=st.sampled_from(["experience", "decision", "observation"]))
    def other(self, title: str, kind: str) -> None:
        options = ["--skill", "pdf", "--keywords", f"k{self.count}"] if kind == "experience" else []
        self._record(kind, *options, title=f"{title} {self.count}")

    @rule(data=st.data(), action=st.sampled_from(["archive", "update", "extend", "rename"]), title=TITLES)
    def change(self, data: st.DataObject, action: str, title: str) -> None:
        record = self._pick(data)
        if record is None:
            return
        self.count += 1
        if action == "archive":
            memgit(self.folder, "restore" if record["archived"] else "archive", record["id"], code=None)
        elif action == "rename":
            memgit(self.folder, "rename", "--", record["id"], f"{title} {self.count}")
        else:
            memgit(self.folder, action, record["id"], "-m", f"Changed {self.count}.")

    # People

    @rule(data=st.data(), how=st.sampled_from(["plain", "memgit"]), remove=st.booleans())
    def hand_edit(self, data: st.DataObject, how: str, remove: bool) -> None:
        paths = sorted(
            path for path in self.folder.rglob("*.md") if path.name != "INDEX.md" and ".git" not in path.parts
        )
        if not paths:
            return
        self.count += 1
        path = data.draw(st.sampled_from(paths))
        if remove:
            path.unlink()
        elif "observations" in path.parts:
            return  # MG401: an observation stays as it was made, and the gate says so
        else:
            path.write_text(path.read_text() + f"\nBy hand {self.count}.\n")
        self._commit(how)

    @rule(data=st.data(), how=st.sampled_from(["plain", "memgit"]))
    def hand_edit_of_an_index(self, data: st.DataObject, how: str) -> None:
        paths = sorted(derived(self.folder))
        if not paths:
            return
        self.count += 1
        path = self.folder / data.draw(st.sampled_from(paths))
        text = path.read_text()
        if path.name == "INDEX.md":
            path.write_text(f"Words of a person, number {self.count}.\n\n{text}")
        elif '"name": "' in text:
            head, mark, rest = text.partition('"name": "')
            path.write_text(f"{head}{mark}Chosen {self.count} {rest}")
        else:
            path.write_text(text.replace('"version": "1.2.0"', '"version": "1.2"'))
        if status(self.folder):
            self._commit(how)

    @rule(data=st.data())
    def damage(self, data: st.DataObject) -> None:
        paths = sorted(derived(self.folder))
        if not paths:
            return
        path = self.folder / data.draw(st.sampled_from(paths))
        if data.draw(st.booleans()) and path.name == "_index.json":
            path.write_text(f"<<<<<<< a\n{path.read_text()}=======\n>>>>>>> b\n")
        else:
            path.unlink()
        self._commit("plain")

    def _commit(self, how: str) -> None:
        if how == "memgit":
            memgit(self.folder, "commit")
        else:
            run_git(self.folder, "add", "-A")
            run_git(self.folder, "commit", "-qm", f"typed by a person {self.count}")
            self.right = False

    # Branches

    @rule(
        title=TITLES, category=CATEGORIES, how=st.sampled_from(["merge", "squash", "rebase", "cherry-pick"])
    )
    def branches(self, title: str, category: str, how: str) -> None:
        self.right = False
        run_git(self.folder, "switch", "-qc", "topic")
        self.knowledge(title, category, False)
        self.memory(title, "sea")
        run_git(self.folder, "switch", "-q", "main")
        self.memory(f"{title} too", "sea")
        if how == "rebase":
            run_git(self.folder, "switch", "-q", "topic")
            self._settled("rebase", "main")
            run_git(self.folder, "switch", "-q", "main")
            run_git(self.folder, "merge", "-q", "--ff-only", "topic")
        elif how == "cherry-pick":
            self._settled("cherry-pick", "main..topic")
        else:
            self._settled("merge", *(["--squash"] if how == "squash" else ["--no-edit"]), "topic")
            if run_git(self.folder, "diff", "--cached", "--name-only"):
                run_git(self.folder, "commit", "-qm", "squashed" if how == "squash" else "merged")
        run_git(self.folder, "branch", "-qD", "topic")

    def _settled(self, *command: str) -> None:
        """A merge as somebody without a driver finishes it: every conflict is settled by taking both sides of
        records, any of an index.
        """
        run_git(self.folder, *command, check=False)
        for _ in range(20):
            paths = run_git(self.folder, "diff", "--name-only", "--diff-filter=U", "-z").split("\0")[:-1]
            for path in paths:
                if Path(path).name in OURS:
                    run_git(self.folder, "checkout", "-q", "--ours", "--", path, check=False)
                else:
                    lines = (self.folder / path).read_text().split("\n")
                    (self.folder / path).write_text(
                        "\n".join(line for line in lines if line[:7] not in ("<<<<<<<", "=======", ">>>>>>>"))
                    )
                run_git(self.folder, "add", "-A", "--", path)
            git_dir = self.folder / ".git"
            verb = next((verb for name, verb in UNDER_WAY.items() if (git_dir / name).exists()), None)
            if verb is None:
                return
            if (git_dir / "CHERRY_PICK_HEAD").exists() or paths:
                run_git(self.folder, "commit", "-q", "--no-edit", "--allow-empty")
            run_git(self.folder, verb, "--continue", check=False)
        raise AssertionError(f"{command} does not come to an end")

    @rule(back=st.integers(1, 4))
    def look_at_an_old_commit(self, back: int) -> None:
        if int(run_git(self.folder, "rev-list", "--count", "--first-parent", "HEAD")) > back:
            run_git(self.folder, "switch", "-q", "--detach", f"HEAD~{back}")
            memgit(self.folder, "list", "--json")
            run_git(self.folder, "switch", "-q", "main")

    @rule()
    def amend(self) -> None:
        run_git(self.folder, "commit", "-q", "--amend", "--no-edit", "--date", "2026-03-03T00:00:00Z")

    @precondition(lambda self: self.count)
    @rule()
    def forget(self) -> None:
        shutil.rmtree(self.folder / ".git/memgit", ignore_errors=True)

    # The law

    def check(self) -> None:
        assert status(self.folder) == ""
        found = memgit(self.folder, "rebuild", "--check", "--json", code=None)
        if self.right:
            assert found.json["differences"] == [], found.out
        memgit(self.folder, "rebuild", "--commit")
        assert status(self.folder) == ""
        assert memgit(self.folder, "rebuild", "--check", "--json").json["differences"] == []
        run_git(self.top, "clone", "-q", str(self.folder), "clone")
        clone = self.top / "clone"
        assert memgit(clone, "rebuild", "--check", "--json").json["differences"] == []
        memgit(clone, "rebuild")
        assert status(clone) == ""
        self.same(clone)
        for path in derived(clone):
            (clone / path).unlink()
        shutil.rmtree(clone / ".git/memgit")
        memgit(clone, "rebuild")
        assert status(clone) == ""
        self.same(clone)
        fsck(self.folder)

    def same(self, clone: Path) -> None:
        assert derived(clone) == derived(self.folder)
        assert memgit(clone, "log", "--json").json == memgit(self.folder, "log", "--json").json
        records = memgit(self.folder, "list", "--archived", "--json").json
        assert memgit(clone, "list", "--archived", "--json").json == records
        for record in records[:4]:
            if record["id"]:
                for verb in ("show", "history"):
                    assert (
                        memgit(clone, verb, record["id"], "--json").json
                        == memgit(self.folder, verb, record["id"], "--json").json
                    )


def _run(examples: int, steps: int) -> None:
    run_state_machine_as_test(
        RebuildMachine,
        settings=settings(
            max_examples=examples,
            stateful_step_count=steps,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            phases=PHASES,
        ),
    )


def test_what_was_built_step_by_step_is_what_rebuild_gives() -> None:
    _run(6, 12)


@pytest.mark.slow
def test_what_was_built_step_by_step_is_what_rebuild_gives_at_length() -> None:
    _run(60, 40)
