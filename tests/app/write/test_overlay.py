"""The files of a commit with edits on top: what lies in a folder, however the edits came."""

from __future__ import annotations

import os

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.app.workspace import Workspace, open_workspace
from memgit.app.write.overlay import Overlay
from tests.support import closed_later, run_git

COMMITTED = ("a.md", "x/a.md", "x/b.md", "x/y/a.md", "x/y/z/a.md", "w/only.md")
paths = st.sampled_from((*COMMITTED, "b.md", "x/c.md", "x/y/b.md", "new/a.md", "new/deep/a.md", "w/z/a.md"))
steps = st.lists(st.tuples(paths, st.sampled_from([b"text", None, "back"]), st.booleans()), max_size=14)
FOLDERS = ("", "x/", "x/y/", "x/y/z/", "w/", "w/z/", "new/", "new/deep/", "none/")


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    folder = tmp_path_factory.mktemp("overlay") / "kb"
    for path in COMMITTED:
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text("# Text\n")
    (folder / ".memgit.yaml").write_text("layout: notes\n")
    run_git(folder, "init", "-q")
    run_git(folder, "add", ".")
    run_git(folder, "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-qm", "all")
    return closed_later(open_workspace(str(folder), os.environ))


@given(steps)
def test_folders_hold_what_the_paths_say(
    workspace: Workspace, edits: list[tuple[str, bytes | str | None, bool]]
) -> None:
    repo = workspace.require_repository()
    overlay = Overlay(workspace, repo, repo.tree(repo.head().commit))
    there = {*COMMITTED, ".memgit.yaml"}
    for path, data, look in edits:
        if data == "back":
            overlay.take_off(path)
            (there.add if path in COMMITTED else there.discard)(path)
        else:
            overlay.put(path, None if data is None else b"text")
            (there.discard if data is None else there.add)(path)
        if look:
            check(overlay, there)
    check(overlay, there)


def check(overlay: Overlay, there: set[str]) -> None:
    for folder in FOLDERS:
        inside = [path.removeprefix(folder) for path in there if path.startswith(folder)]
        assert overlay.names(folder) == sorted(name for name in inside if "/" not in name)
        assert overlay.folders(folder) == sorted({name.split("/")[0] for name in inside if "/" in name})
