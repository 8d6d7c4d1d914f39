"""Whatever becomes of the driver's program, git never leaves a side out: only conflicts that memgit marked count as such."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.support import memgit, run_git, status

DRIVERS = {
    "no such program": "",
    "a Python without the package": "#!{python} -I\nfrom memgit.__main__ import main\nmain()\n",
    "a package that is half upgraded": "#!/bin/sh\necho 'ImportError: cannot import name Side' >&2\nexit 1\n",
    "killed": "#!/bin/sh\nkill -9 $$\n",
    "a crash of the interpreter": "#!/bin/sh\nkill -SEGV $$\n",
    "out of memory, with a code of its own": "#!/bin/sh\nexit 3\n",
    "another program by that name": "#!/bin/sh\nexit 2\n",
}


@pytest.fixture(params=list(DRIVERS))
def driver(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A `memgit` on PATH that cannot merge."""
    text = DRIVERS[request.param]
    folder = tmp_path / "bin"
    folder.mkdir()
    if text:
        python = tmp_path / "python"
        python.symlink_to(os.path.realpath(sys.executable))
        script = folder / "memgit"
        script.write_text(text.format(python=python))
        script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setattr(
        sys, "executable", str(folder / "python")
    )  # the memgit beside it is not called instead


def two_sides(kb: Path, *, apart: bool) -> None:
    """Two branches that change one category, far apart or at one place."""
    run_git(kb, "config", "--remove-section", "merge.memgit")
    memgit(kb, "hooks", "install")
    for title in ("Start", "Middle one", "Middle two", "End"):
        memgit(kb, "record", "knowledge", title, "--category", "web", "-m", f"- text of {title}")
    for path in (kb / ".git/hooks").glob("*"):
        path.unlink()  # they are another matter
    run_git(kb, "switch", "-qc", "side")
    if apart:
        memgit(kb, "update", "web#Start", "-m", "- theirs")
    else:
        memgit(kb, "record", "knowledge", "Theirs", "--category", "web", "-m", "- theirs")
    run_git(kb, "switch", "-q", "main")
    if apart:
        memgit(kb, "update", "web#End", "-m", "- ours")
    else:
        memgit(kb, "record", "knowledge", "Ours", "--category", "web", "-m", "- ours")


@pytest.mark.usefixtures("driver")
def test_a_clean_merge_has_both_sides(kb: Path) -> None:
    two_sides(kb, apart=True)
    run_git(kb, "merge", "-q", "--no-edit", "side", check=False)
    text = (kb / "knowledge-base/web.md").read_text()
    assert "- theirs\n" in text and "- ours\n" in text


@pytest.mark.usefixtures("driver")
def test_what_conflicts_has_both_sides_between_markers(kb: Path) -> None:
    two_sides(kb, apart=False)
    run_git(kb, "merge", "-q", "--no-edit", "side", check=False)
    assert "UU knowledge-base/web.md" in status(kb)
    text = (kb / "knowledge-base/web.md").read_text()
    assert "- theirs\n" in text and "- ours\n" in text and "<<<<<<< " in text
    run_git(kb, "add", "-A")
    run_git(kb, "commit", "-qnm", "as it is")
    assert "## Theirs" in run_git(kb, "show", "HEAD:knowledge-base/web.md")


@pytest.mark.usefixtures("driver")
def test_a_stopped_merge_is_finished_by_memgit(kb: Path) -> None:
    two_sides(kb, apart=False)
    run_git(kb, "merge", "-q", "--no-edit", "side", check=False)
    assert memgit(kb, "resolve").code == 0
    run_git(kb, "commit", "-q", "--no-edit")
    assert memgit(kb, "rebuild", "--check").code == 0
    assert {"Ours", "Theirs"} <= {row["title"] for row in memgit(kb, "list", "knowledge", "--json").json}


OLD = (
    "memgit merge-driver --ours-name %X --theirs-name %Y %O %A %B %P"
    " || { [ $? -ge 126 ] && git merge-file -q -L ours -L base -L theirs %A %O %B; }"
)


def test_a_clone_with_the_line_of_an_earlier_version_gets_the_present_one(kb: Path) -> None:
    now = run_git(kb, "config", "merge.memgit.driver")
    assert now != OLD
    run_git(kb, "config", "merge.memgit.driver", OLD)
    assert "merge driver" in memgit(kb, "doctor", code=1).out
    memgit(kb, "record", "memory", "Any write", "-m", "x")
    assert run_git(kb, "config", "merge.memgit.driver") == now
    run_git(kb, "config", "merge.memgit.driver", "something of the user's %A")
    memgit(kb, "record", "memory", "Another", "-m", "x")
    assert run_git(kb, "config", "merge.memgit.driver") == "something of the user's %A"


def test_a_driver_of_today_with_the_line_of_an_earlier_version(
    kb: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its conflicts are still conflicts there, and their markers stay."""
    script = tmp_path / "bin/memgit"
    script.parent.mkdir()
    root = Path(__file__).resolve().parents[3]
    script.write_text(f'#!/bin/sh\nPYTHONPATH="{root}" exec "{sys.executable}" -m memgit "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("PATH", f"{script.parent}{os.pathsep}{os.environ['PATH']}")
    memgit(kb, "record", "memory", "Fact", "-m", "base")
    run_git(kb, "switch", "-qc", "side")
    memgit(kb, "update", "memory/fact", "-m", "theirs")
    run_git(kb, "switch", "-q", "main")
    memgit(kb, "update", "memory/fact", "-m", "ours")
    for line in (OLD, run_git(kb, "config", "merge.memgit.driver")):
        run_git(kb, "config", "merge.memgit.driver", line)
        run_git(kb, "merge", "-q", "--no-edit", "side", check=False)
        assert "UU memory/fact.md" in status(kb)
        text = (kb / "memory/fact.md").read_text()
        assert text.count("<<<<<<<") == 1 and "ours\n=======\ntheirs\n" in text
        run_git(kb, "merge", "--abort")
