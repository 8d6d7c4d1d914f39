"""Bringing clones together through a bare repository: what comes and goes, what stands in the way, and many
at once.
"""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from memgit.git.history import usage
from tests.support import Prepared, copy_folder, count_commits, fsck, memgit, run_git, status

ROOT = Path(__file__).resolve().parents[2]
RACE = """\
#!/bin/sh
# Somebody else is always faster, so many times.
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
count=$(cat count 2>/dev/null || echo 0)
[ "$count" -ge {times} ] && exit 0
echo $((count + 1)) > count
new=$(git commit-tree -p main -m "faster $count" 'main^{{tree}}') && git update-ref refs/heads/main "$new"
"""


def connected(folder: Path) -> None:
    """In `kb` a repository that follows the bare one in `origin.git`, in `clone` a clone, both as `memgit
    init` makes them.
    """
    memgit(folder, "init", "kb")
    run_git(folder, "init", "-q", "--bare", "origin.git")
    run_git(folder / "kb", "remote", "add", "origin", "../origin.git")
    run_git(folder / "kb", "push", "-q", "-u", "origin", "main")
    run_git(folder, "clone", "-q", "origin.git", "clone")
    run_git(folder / "clone", "remote", "set-url", "origin", "../origin.git")
    memgit(folder / "clone", "init")


@pytest.fixture
def origin(prepared: Prepared) -> Path:
    """A bare repository to which `kb` was pushed, and which `kb` follows."""
    return prepared("connected", connected) / "origin.git"


@pytest.fixture
def kb(prepared: Prepared, request: pytest.FixtureRequest) -> Path:
    """A knowledge repository as `memgit init` makes it, beside `origin` where the test asks for that."""
    if "origin" not in request.fixturenames:
        return prepared("kb")
    origin: Path = request.getfixturevalue("origin")
    return origin.parent / "kb"


def clone(origin: Path, name: str) -> Path:
    """Another clone, with all that the bare repository has."""
    folder = copy_folder(origin.parent / "clone", origin.parent / name)
    run_git(folder, "pull", "-q", "--ff-only")
    return folder


def hook(origin: Path, name: str, text: str) -> None:
    path = origin / "hooks" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(text)
    path.chmod(0o755)


def record(folder: Path, title: str) -> None:
    memgit(folder, "record", "knowledge", title, "--category", "web", "-m", f"- text of {title}")


def titles(folder: Path) -> list[str]:
    return sorted(row["title"] for row in memgit(folder, "list", "--json").json)


def sound(folder: Path) -> None:
    assert memgit(folder, "rebuild", "--check").code == 0
    assert status(folder) == ""
    fsck(folder)


def test_there_and_back(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "use", "web#Theirs")
    sent = memgit(other, "sync")
    assert sent.out.startswith(
        "went to origin/main: 1 commit, 1 created\n  created knowledge/web#Theirs\nuses: those "
        "counted here went\n"
    )
    assert memgit(other, "sync").out == "origin/main: nothing new on either side\n"
    got = memgit(kb, "sync", "--json").json
    assert (got["status"], got["merge"], got["uses_came"], got["attempts"]) == (
        "synced",
        "fast-forward",
        1,
        0,
    )
    assert [change["address"] for change in got["came"]["records"]] == ["knowledge/web#Theirs"]
    assert got["went"] == {"commits": 0, "records": []}
    assert memgit(kb, "show", "web#Theirs", "--json").json["usage_count"] == 1
    sound(kb)


def test_both_sides_added(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    for folder, title in ((other, "Theirs"), (kb, "Ours")):
        record(folder, title)
        memgit(folder, "use", f"web#{title}")
    run_git(kb, "config", "--remove-section", "merge.memgit")
    memgit(other, "sync")
    done = memgit(kb, "sync", "--json").json
    assert (done["status"], done["merge"], done["attempts"]) == ("synced", "merge", 1)
    assert [change["address"] for change in done["came"]["records"]] == ["knowledge/web#Theirs"]
    assert [change["address"] for change in done["went"]["records"]] == ["knowledge/web#Ours"]
    assert len(run_git(kb, "rev-list", "--parents", "-1", "HEAD").split()) == 3
    memgit(other, "sync")
    for folder in (kb, other):
        assert titles(folder) == ["Ours", "Theirs"]
        assert memgit(folder, "show", "web#Ours", "--json").json["usage_count"] == 1
        sound(folder)
    assert json.loads((other / "knowledge-base/_index.json").read_text())["totalEntries"] == 2


def test_no_push(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    record(kb, "Ours")
    memgit(kb, "sync")
    record(other, "Theirs")
    assert memgit(other, "sync", "--no-push", "--json").json["status"] == "synced"
    assert titles(other) == ["Ours", "Theirs"]
    assert run_git(origin, "rev-parse", "main") == run_git(kb, "rev-parse", "HEAD")


def test_a_conflict_leaves_an_ordinary_merge(kb: Path, origin: Path) -> None:
    record(kb, "Tides")
    memgit(kb, "sync")
    other = clone(origin, "other")
    memgit(other, "update", "web#Tides", "-m", "- theirs")
    memgit(other, "sync")
    memgit(kb, "update", "web#Tides", "-m", "- ours")
    before = run_git(kb, "rev-parse", "HEAD")
    done = memgit(kb, "sync", code=1)
    assert "conflict knowledge-base/web.md:6: knowledge/web#Tides: both sides changed" in done.out
    assert (run_git(kb, "rev-parse", "HEAD"), run_git(origin, "rev-parse", "main")) == (
        before,
        run_git(other, "rev-parse", "HEAD"),
    )
    assert "git merge is under way" in memgit(kb, "sync", code=3).err
    path = kb / "knowledge-base/web.md"
    text = path.read_text()
    start, end = text.index("<<<<<<< "), text.index(">>>>>>> ")
    path.write_text(text[:start] + "- both\n" + text[text.index("\n", end) + 1 :])
    run_git(kb, "add", str(path))
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit")
    memgit(kb, "sync")
    assert memgit(kb, "show", "web#Tides", "--json").json["body"] == "- both"
    sound(kb)


def test_edits_that_are_not_committed_survive(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    record(kb, "Ours")
    (kb / "draft.txt").write_text("mine\n")
    path = kb / "knowledge-base/web.md"
    path.write_text(path.read_text() + "\nnot committed\n")
    before = path.read_text()
    answer = memgit(kb, "sync", code=3)
    assert "edited or staged, but not committed: knowledge-base/web.md" in answer.err
    assert (path.read_text(), run_git(kb, "log", "-1", "--format=%s")) == (before, "record(knowledge): Ours")
    run_git(kb, "checkout", "-q", "--", str(path))
    record_file = kb / "skills" / "odd.md"
    record_file.parent.mkdir(exist_ok=True)
    record_file.write_text("half written")
    memgit(kb, "sync")
    assert status(kb) == "?? draft.txt\n?? skills/odd.md"
    assert titles(kb)[:2] == ["Ours", "Theirs"]
    run_git(kb, "add", "draft.txt")
    record(other, "Again")
    memgit(other, "sync")
    memgit(kb, "sync")
    record(kb, "More")
    record(other, "Most")
    memgit(other, "sync")
    memgit(kb, "sync")  # `git merge` would ask for a clean index
    assert {"More", "Most"} <= set(titles(kb))
    assert status(kb) == "A  draft.txt\n?? skills/odd.md"


def test_hooks_see_the_merge(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    record(kb, "Ours")
    hooks = kb / ".git/hooks"
    (hooks / "pre-commit").write_text("#!/bin/sh\necho not now >&2\nexit 1\n")
    (hooks / "pre-commit").chmod(0o755)
    answer = memgit(kb, "sync", code=3)
    assert "the merge is ready, but its commit was refused: not now" in answer.err
    (hooks / "pre-commit").unlink()
    run_git(kb, "commit", "-q", "--no-edit")
    memgit(kb, "sync")
    sound(kb)


SIGNER = """\
#!/bin/sh
# Stands for gpg: signs what it is given, or refuses.
cat >/dev/null
[ -e "{refuse}" ] && {{ echo "no key for you" >&2; exit 1; }}
echo "[GNUPG:] SIG_CREATED " >&2
printf -- "-----BEGIN PGP SIGNATURE-----\n\nsigned\n-----END PGP SIGNATURE-----\n"
"""


def test_the_merge_is_signed_as_the_user_has_it(kb: Path, origin: Path, tmp_path: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    record(kb, "Ours")
    signer, refuse = tmp_path / "signer", tmp_path / "refuse"
    signer.write_text(SIGNER.format(refuse=refuse))
    signer.chmod(0o755)
    refuse.touch()
    run_git(kb, "config", "gpg.program", str(signer))
    run_git(kb, "config", "commit.gpgsign", "true")
    before = run_git(kb, "rev-parse", "HEAD")
    assert "the commit could not be signed: gpg failed to sign the data" in memgit(kb, "sync", code=3).err
    assert (run_git(kb, "rev-parse", "HEAD"), status(kb)) == (before, "")
    refuse.unlink()
    memgit(kb, "sync")
    raw = run_git(kb, "cat-file", "commit", "HEAD")
    assert raw.count("parent ") == 2 and "gpgsig -----BEGIN PGP SIGNATURE-----" in raw
    assert run_git(origin, "rev-parse", "main") == run_git(kb, "rev-parse", "HEAD")


def test_an_entry_that_moved_meanwhile_is_followed(kb: Path, origin: Path) -> None:
    record(kb, "Tides")
    record(kb, "Stays")
    memgit(kb, "sync")
    other = clone(origin, "other")
    path = other / "knowledge-base/web.md"
    tides, _, stays = path.read_text().partition("## Stays")
    path.write_text(f"## Stays{stays}")
    (other / "knowledge-base/sea.md").write_text(tides)
    memgit(other, "commit")
    memgit(other, "sync")
    memgit(kb, "update", "web#Tides", "-m", "- changed")
    assert memgit(kb, "sync", "--json").json["status"] == "synced"
    assert memgit(kb, "show", "sea#Tides", "--json").json["body"] == "- changed"
    sound(kb)


def test_an_entry_that_both_sides_moved_is_not_doubled(kb: Path, origin: Path) -> None:
    for title in ("Tides", "Stays"):
        record(kb, title)
    memgit(kb, "sync")
    other = clone(origin, "other")
    for folder, name in ((other, "sea"), (kb, "moon")):
        path = folder / "knowledge-base/web.md"
        tides, _, stays = path.read_text().partition("## Stays")
        path.write_text(f"## Stays{stays}")
        (folder / f"knowledge-base/{name}.md").write_text(tides)
        memgit(folder, "commit")
    memgit(other, "sync")
    done = memgit(kb, "sync", "--json", code=1).json
    assert done["status"] == "conflict"
    (left,) = done["left"]
    assert (left["path"], left["address"]) == ("knowledge-base/sea.md", "knowledge/sea#Tides")
    assert "is in knowledge-base/moon.md as well" in left["message"]
    assert memgit(kb, "resolve", "--json", code=1).json["left"] == [left]
    run_git(kb, "rm", "-qf", "knowledge-base/sea.md")
    memgit(kb, "resolve")
    run_git(kb, "commit", "-q", "--no-edit")
    memgit(kb, "sync")
    assert sorted(row["address"] for row in memgit(kb, "list", "--json").json) == [
        "knowledge/moon#Tides",
        "knowledge/web#Stays",
    ]
    sound(kb)


# The gate.


def test_a_link_to_a_page_not_yet_written_holds_nothing_back(kb: Path, origin: Path) -> None:
    memgit(kb, "record", "memory", "A", "-m", "See [[later]].")
    memgit(kb, "record", "memory", "B", "-m", "x")
    assert memgit(kb, "sync", "--json").json["status"] == "synced"
    assert run_git(origin, "rev-parse", "main") == run_git(kb, "rev-parse", "HEAD")


@pytest.mark.parametrize("hooks", [True, False])
def test_a_secret_stays_here_and_the_rest_goes_on(kb: Path, origin: Path, hooks: bool) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    memgit(kb, "record", "memory", "Key", "-m", "x")
    memgit(kb, "use", "memory/key")
    before = run_git(kb, "rev-parse", "HEAD")
    path = kb / "memory/key.md"
    path.write_text(f"{path.read_text()}\naws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYzzq3vT9xLp\n")
    run_git(kb, "commit", "-qanm", "past the hook")
    if not hooks:
        memgit(kb, "hooks", "uninstall")
    there = run_git(origin, "rev-parse", "main")
    done = memgit(kb, "sync", "--json", code=1)
    assert (done.json["status"], done.json["merge"]) == ("refused", "merge")
    (found,) = done.json["findings"]
    assert (found["rule"], found["address"], found["path"]) == ("MG501", "memory/key", "memory/key.md")
    assert f"memory/key.md:{found['line']}: error MG501" in done.err and "memory/key" in done.err
    assert run_git(origin, "rev-parse", "main") == there
    assert titles(kb) == ["Key", "Theirs"] and usage_refs(origin)
    path.write_text("\n".join(path.read_text().split("\n")[:-2]) + "\n")
    memgit(kb, "commit")
    memgit(kb, "sync")
    assert run_git(origin, "merge-base", "main", before) == before
    sound(kb)


# What must never be lost.


def test_a_merge_overwrites_nothing_that_is_not_in_git(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    (other / "memory").mkdir(exist_ok=True)
    for name in ("secret.txt", "folder", "memory/plan.md"):
        (other / name).write_text("theirs\n")
    (other / "file").mkdir()
    (other / "file/inside").write_text("theirs\n")
    run_git(other, "add", "-A")
    run_git(other, "commit", "-qnm", "files")
    memgit(other, "sync")
    (kb / ".git/info/exclude").write_text("secret.txt\nfolder/\nfile\n")
    (kb / "folder").mkdir()
    mine = [kb / "secret.txt", kb / "folder/inside", kb / "file", kb / "memory/plan.md"]
    for path in mine:
        path.parent.mkdir(exist_ok=True)
        path.write_text("mine\n")
    for title in ("One", "Two"):  # at first a fast-forward, then a merge
        answer = memgit(kb, "sync", code=3)
        assert (
            "overwrite files that are not in git: file, folder/inside, memory/plan.md, secret.txt\n"
            in answer.err
        )
        assert [path.read_text() for path in mine] == ["mine\n"] * 4
        record(kb, title)
    for path in mine:
        path.unlink()
    (kb / "folder").rmdir()
    (kb / "secret.txt").write_text("theirs\n")  # the same is not in the way
    memgit(kb, "sync")
    sound(kb)


@pytest.mark.parametrize("options", [pytest.param("--squash", marks=pytest.mark.slow), "-s ours"])
def test_options_of_a_branch_do_not_make_less_of_a_merge(kb: Path, origin: Path, options: str) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    run_git(kb, "config", "branch.main.mergeOptions", options)
    run_git(kb, "config", "merge.ff", "only")
    run_git(kb, "config", "merge.autoStash", "true")
    record(kb, "Ours")
    assert memgit(kb, "sync", "--json").json["status"] == "synced"
    assert titles(kb) == ["Ours", "Theirs"]
    sound(kb)


def test_a_merge_that_git_could_not_do_is_never_committed(
    kb: Path, origin: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    record(kb, "Ours")
    lock = kb / ".git/index.lock"
    # Another program takes the index for the time of the merge.
    real = shutil.which("git")
    busy = tmp_path / "bin/git"
    busy.parent.mkdir()
    text = (
        f'case "$*" in *"merge --ff-only"*) touch "{lock}"; "{real}" "$@"; code=$?; rm "{lock}"; exit '
        f'$code;; esac\nexec "{real}" "$@"\n'
    )
    busy.write_text(f"#!/bin/sh\n{text}")
    busy.chmod(0o755)
    with monkeypatch.context() as patch:
        patch.setenv("PATH", f"{busy.parent}:{os.environ['PATH']}")
        assert "git refused the merge" in memgit(kb, "sync", code=3).err
    assert (count_commits(kb), status(kb), (kb / ".git/MERGE_HEAD").exists()) == (2, "", False)
    memgit(kb, "sync")
    assert titles(kb) == ["Ours", "Theirs"]


# What stands in the way.


def test_defined_answers(kb: Path, tmp_path: Path) -> None:
    assert "there is no remote" in memgit(kb, "sync", code=3).err
    assert "no remote is called '--upload-pack=x'" in memgit(kb, "sync", "--", "--upload-pack=x", code=2).err
    empty = tmp_path / "empty.git"
    run_git(tmp_path, "init", "-q", "--bare", str(empty))
    run_git(kb, "remote", "add", "backup", str(empty))
    first = memgit(kb, "sync")  # the only remote, without an upstream, without a branch
    assert "backup had no branch main yet" in first.err
    assert run_git(empty, "rev-parse", "main") == run_git(kb, "rev-parse", "HEAD")
    run_git(kb, "remote", "add", "other", str(empty))
    assert "which of backup, other?" in memgit(kb, "sync", code=3).err
    run_git(kb, "config", "remote.pushDefault", "other")
    run_git(kb, "branch", "-q", "-u", "backup/main")
    record(kb, "Here")
    assert "main is pushed to other, not to backup" in memgit(kb, "sync").err
    run_git(kb, "checkout", "-q", "--detach")
    assert "HEAD is detached" in memgit(kb, "sync", code=3).err
    run_git(tmp_path, "clone", "-q", "--bare", str(kb), "bare.git")
    assert "bare" in memgit(tmp_path / "bare.git", "sync", code=3).err


def test_names_that_mean_something_else_to_git(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    run_git(kb, "remote", "rename", "origin", "Up")
    run_git(kb, "tag", "Up/main")
    run_git(kb, "config", "branch.main.merge", "main")
    record(kb, "Ours")
    assert memgit(kb, "sync", "--json").json["merge"] == "merge"
    assert titles(kb) == ["Ours", "Theirs"]
    assert run_git(origin, "rev-parse", "main") == run_git(kb, "rev-parse", "HEAD")
    config = kb / ".git/config"
    config.write_text(
        config.read_text().replace('[remote "Up"]', '[remote "-x"]').replace("remotes/Up/", "remotes/-x/")
    )
    record(other, "More")
    memgit(other, "sync")
    record(kb, "Most")
    memgit(kb, "sync", "--no-push", "--", "-x")
    assert titles(kb) == ["More", "Most", "Ours", "Theirs"]


def test_an_unborn_branch_takes_what_is_there(kb: Path, origin: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    run_git(tmp_path, "init", "-q", str(new))
    run_git(new, "remote", "add", "origin", str(origin))
    assert "origin" in memgit(new, "sync").out
    assert run_git(new, "rev-parse", "HEAD") == run_git(kb, "rev-parse", "HEAD")
    assert status(new) == ""
    nothing = tmp_path / "nothing.git"
    run_git(tmp_path, "init", "-q", "--bare", str(nothing))
    other = tmp_path / "other"
    run_git(tmp_path, "clone", "-q", str(nothing), "other", check=False)
    assert memgit(other, "sync").out == "origin/main: nothing new on either side\n"


def test_histories_without_a_common_commit(kb: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "init", "-q", "stranger")
    run_git(tmp_path / "stranger", "commit", "-q", "--allow-empty", "-m", "another beginning")
    memgit(tmp_path, "init", "stranger")
    record(tmp_path / "stranger", "Strange")
    run_git(kb, "remote", "add", "origin", str(tmp_path / "stranger"))
    record(kb, "Ours")
    answer = memgit(kb, "sync", code=3)
    assert "no commit in common: their histories are unrelated" in answer.err
    assert status(kb) == ""


def test_a_shallow_clone(kb: Path, origin: Path, tmp_path: Path) -> None:
    for number in range(3):
        record(kb, f"Early {number}")
    memgit(kb, "sync")
    run_git(tmp_path, "clone", "-q", "--depth", "1", f"file://{origin}", "shallow")
    shallow = tmp_path / "shallow"
    record(shallow, "From the shallow one")
    record(kb, "Late")
    memgit(kb, "sync")
    memgit(shallow, "sync")
    assert len(titles(shallow)) == 5
    sound(shallow)


def test_a_linked_worktree_and_a_root_in_a_folder(repo: Path, tmp_path: Path) -> None:
    memgit(repo, "init", str(repo / "docs/kb"))
    run_git(tmp_path, "clone", "-q", "--bare", str(repo), "origin.git")
    run_git(repo, "remote", "add", "origin", str(tmp_path / "origin.git"))
    linked = tmp_path / "linked"
    run_git(repo, "worktree", "add", "-q", "-b", "topic", str(linked))
    record(linked / "docs/kb", "Of the topic")
    memgit(linked / "docs/kb", "sync")
    assert run_git(tmp_path / "origin.git", "rev-parse", "topic") == run_git(linked, "rev-parse", "HEAD")
    sound(linked / "docs/kb")


def test_a_remote_that_refuses_is_not_asked_for_ever(kb: Path, origin: Path) -> None:
    hook(origin, "pre-receive", "#!/bin/sh\necho x >> calls\necho the freeze ends on Monday >&2\nexit 1\n")
    record(kb, "Ours")
    start = time.monotonic()
    answer = memgit(kb, "sync", code=3)
    assert (
        "origin/main rejected the push 2 times in a row: pre-receive hook declined: the freeze ends on Monday"
        in answer.err
    )
    assert time.monotonic() - start < 30
    assert count_commits(kb) == 2
    assert memgit(kb, "sync", "--json", code=3).json["status"] == "rejected"


@pytest.mark.parametrize("name", ["pre-receive", "update"])
def test_words_of_a_hook_are_not_taken_for_those_of_git(kb: Path, origin: Path, name: str) -> None:
    hook(origin, name, "#!/bin/sh\necho push blocked by policy: cannot lock ref, fetch first >&2\nexit 1\n")
    record(kb, "Ours")
    answer = memgit(kb, "sync", "--json", code=3).json
    assert (answer["status"], answer["attempts"]) == ("rejected", 2)
    assert "declined: push blocked by policy: cannot lock ref, fetch first" in answer["why"]


def test_uses_that_a_policy_blocks_are_pushed_once(kb: Path, origin: Path) -> None:
    hook(
        origin, "update", '#!/bin/sh\ncase "$1" in refs/memgit/*) echo blocked by policy >&2; exit 1;; esac\n'
    )
    record(kb, "Ours")
    use(kb)
    answer = memgit(kb, "sync")
    assert "origin did not take the uses counted here: hook declined: blocked by policy" in answer.err
    assert memgit(kb, "sync", "--json").json["attempts"] == 1
    assert usage_refs(origin) == []


def test_uses_that_came_too_late_once_are_not_pushed_for_ever(kb: Path, origin: Path) -> None:
    """The ref is locked at the first push; at the second the remote does not want it."""
    locked = '[ -e "$1.lock" ] && rm "$1.lock" && exit 1; mkdir -p "${1%/*}"; touch "$1.lock"'
    hook(origin, "update", f'#!/bin/sh\ncase "$1" in refs/memgit/*) echo x >> calls; {locked};; esac\n')
    record(kb, "Ours")
    use(kb)
    answer = memgit(kb, "sync", "--json")
    assert (answer.json["status"], answer.json["attempts"]) == ("synced", 2)
    assert "origin did not take the uses counted here: hook declined" in answer.err
    assert (origin / "calls").read_text() == "x\nx\n"


def test_a_push_that_goes_elsewhere_is_not_late_for_ever(kb: Path, origin: Path, tmp_path: Path) -> None:
    run_git(tmp_path, "clone", "-q", "--bare", str(origin), "elsewhere.git")
    there = tmp_path / "elsewhere.git"
    run_git(
        there,
        "update-ref",
        "refs/heads/main",
        run_git(there, "commit-tree", "-p", "main", "-m", "ahead", "main^{tree}"),
    )
    run_git(kb, "config", "remote.origin.pushurl", str(there))
    record(kb, "Ours")
    answer = memgit(kb, "sync", "--json", code=3).json
    assert (answer["status"], answer["attempts"], answer["why"]) == ("rejected", 3, "fetch first")


@pytest.mark.slow
def test_others_are_faster_for_a_while(kb: Path, origin: Path) -> None:
    hook(origin, "pre-receive", RACE.format(times=3))
    record(kb, "Ours")
    done = memgit(kb, "sync", "--json").json
    assert (done["status"], done["attempts"]) == ("synced", 4)
    sound(kb)


def test_others_are_always_faster(kb: Path, origin: Path) -> None:
    hook(origin, "pre-receive", RACE.format(times=1000))
    record(kb, "Ours")
    answer = memgit(kb, "sync", "--patience", "0.02", code=3)
    assert re.search(r"rejected the push \d times in a row", answer.err)
    assert "memgit sync tries again" in answer.err


@pytest.mark.slow
def test_rejected_seven_times_in_a_row(kb: Path, origin: Path) -> None:
    hook(origin, "pre-receive", RACE.format(times=7))
    record(kb, "Ours")
    assert memgit(kb, "sync", "--json").json["attempts"] == 8
    sound(kb)


def test_a_hook_of_this_clone_refuses_the_push(kb: Path, origin: Path) -> None:
    record(kb, "Ours")
    path = kb / ".git/hooks/pre-push"
    path.write_text("#!/bin/sh\necho never on Friday >&2\nexit 1\n")
    path.chmod(0o755)
    assert "git push origin: never on Friday" in memgit(kb, "sync", code=3).err


# Uses that are counted in copies


def uses(folder: Path, name: str = "web#Ours") -> int:
    count: int = memgit(folder, "show", name, "--json").json["usage_count"]
    return count


def use(folder: Path, times: int = 1) -> None:
    for _ in range(times):
        memgit(folder, "use", "web#Ours", "--reason", folder.name)


def usage_refs(folder: Path) -> list[str]:
    return run_git(folder, "for-each-ref", "--format=%(refname)", usage.PREFIX).split()


def copied(folder: Path, name: str) -> Path:
    """A copy of a clone as `cp -r` makes it."""
    return copy_folder(folder, folder.parent / name)


@pytest.mark.parametrize("first", ["kb", "copy"])
def test_a_copy_of_a_clone_counts_for_itself(kb: Path, origin: Path, tmp_path: Path, first: str) -> None:
    record(kb, "Ours")
    use(kb)
    memgit(kb, "sync")
    use(kb)  # goes into the copy, and to the remote from either
    copy = copied(kb, "copy")
    use(kb, 2)
    use(copy, 3)
    assert (uses(kb), uses(copy)) == (4, 5)
    order = [kb, copy] if first == "kb" else [copy, kb]
    for folder in (*order, *order):
        answer = memgit(folder, "sync")
        assert answer.err == ""
    assert (uses(kb), uses(copy), len(usage_refs(origin))) == (7, 7, 2)
    fresh = clone(origin, "fresh")
    memgit(fresh, "sync")
    assert uses(fresh) == 7
    for folder in (kb, copy):
        assert memgit(folder, "sync").out == "origin/main: nothing new on either side\n"
        sound(folder)


def test_what_only_a_copy_has_left_of_a_lost_clone_is_kept(kb: Path, origin: Path, tmp_path: Path) -> None:
    record(kb, "Ours")
    use(kb)
    memgit(kb, "sync")
    use(kb, 2)
    copy = copied(kb, "copy")  # as a restored backup, or a move to another file system
    shutil.rmtree(kb)
    assert memgit(copy, "sync").out.splitlines()[0] == "uses: those counted here went"
    use(copy)
    memgit(copy, "sync")
    fresh = clone(origin, "fresh")
    memgit(fresh, "sync")
    assert uses(fresh) == 4


def test_a_moved_clone_keeps_its_id(kb: Path, origin: Path) -> None:
    record(kb, "Ours")
    use(kb)
    moved = kb.rename(kb.parent / "moved")
    run_git(moved, "worktree", "add", "-q", "../linked", "-b", "side")
    use(moved)
    use(moved.parent / "linked")
    assert (uses(moved), len(usage_refs(moved))) == (3, 1)


def test_clones_that_share_an_id_are_joined_and_parted(kb: Path, origin: Path) -> None:
    """As left by an earlier version, which noted no directory, or by a copied disk, on which the directories
    are numbered alike.
    """
    record(kb, "Ours")
    use(kb)
    path = kb / ".git/memgit" / usage.CLONE_ID
    path.write_text(path.read_text().split()[0] + "\n")
    copy = copied(kb, "copy")
    use(kb)
    use(copy)
    assert usage_refs(kb) == usage_refs(copy)
    for folder in (kb, copy):
        assert memgit(folder, "sync").err == ""
    assert uses(copy) == 3
    use(copy, 2)
    use(kb)
    for folder in (kb, copy, kb):
        assert memgit(folder, "sync").err == ""
        sound(folder)
    assert (uses(kb), uses(copy), len(usage_refs(origin))) == (6, 6, 2)


def test_a_refspec_that_fetches_usage_refs_by_force_loses_none(kb: Path, origin: Path) -> None:
    record(kb, "Ours")
    use(kb)
    path = kb / ".git/memgit" / usage.CLONE_ID
    path.write_text(path.read_text().split()[0] + "\n")
    run_git(kb, "config", "--add", "remote.origin.fetch", "+refs/memgit/*:refs/memgit/*")
    copy = copied(kb, "copy")
    use(kb)
    use(copy, 2)
    for folder in (kb, copy, kb):
        memgit(folder, "sync")
    assert (uses(kb), uses(copy)) == (4, 4)
    use(copy)
    memgit(copy, "sync")
    assert memgit(kb, "sync", "--json").json["uses_came"] == 1
    assert uses(kb) == 5


def test_uses_that_were_lost_here_or_there_come_back(kb: Path, origin: Path) -> None:
    record(kb, "Ours")
    use(kb)
    memgit(kb, "sync")
    (ref,) = usage_refs(kb)
    run_git(origin, "update-ref", "-d", ref)
    assert memgit(kb, "sync", "--json").json["uses_went"]
    run_git(kb, "update-ref", "-d", ref)
    assert memgit(kb, "sync", "--json").json["uses_came"] == 1
    use(kb)
    assert memgit(kb, "sync", "--json").json["uses_went"]
    assert uses(kb) == 2
    other = clone(origin, "other")
    memgit(other, "sync")
    tip = run_git(other, "rev-parse", ref)
    another = run_git(origin, "commit-tree", "-m", "another", "main^{tree}")
    run_git(origin, "update-ref", ref, another)
    assert memgit(other, "sync", "--json").json["uses_went"]
    for commit in (tip, another):
        run_git(origin, "merge-base", "--is-ancestor", commit, ref)
    memgit(kb, "sync")
    assert uses(kb) == uses(other) == 2


@pytest.mark.parametrize(
    "seed", [1, pytest.param(2, marks=pytest.mark.slow), pytest.param(3, marks=pytest.mark.slow)]
)
def test_no_use_is_lost_or_counted_twice_whatever_is_copied(kb: Path, origin: Path, seed: int) -> None:
    """Clones are made, copied, put back from copies, moved and lost, with ids that know their directory and
    such that do not.
    """
    chance = random.Random(seed)
    record(kb, "Ours")
    memgit(kb, "sync")
    there: set[int] = set()
    held: dict[Path, set[int]] = {kb: set()}
    for step in range(30):
        folder = chance.choice(sorted(held))
        what = chance.choice(
            ("use", "use", "use", "sync", "sync", "clone", "copy", "copy", "forget", "back", "move", "lose")
        )
        if what == "use":
            use(folder)
            held[folder] = held[folder] | {step}
        elif what == "sync":
            assert memgit(folder, "sync").err == ""
            there = held[folder] = held[folder] | there
        elif what == "clone" and len(held) < 6:
            held[clone(origin, f"clone{step}")] = set()
        elif what == "copy" and len(held) < 6:
            held[copied(folder, f"copy{step}")] = held[folder]
        elif what == "forget" and (path := folder / ".git/memgit" / usage.CLONE_ID).exists():
            path.write_text(path.read_text().split()[0])  # as an earlier version left it
        elif what == "back":
            other = chance.choice(sorted(held))
            # its files are put back from those of another clone, into the directory that it has
            if other != folder:
                shutil.rmtree(folder / ".git/refs/memgit", ignore_errors=True)
                shutil.copytree(other / ".git", folder / ".git", symlinks=True, dirs_exist_ok=True)
                held[folder] = held[other]
        elif what == "move":
            held[folder.rename(folder.parent / f"moved{step}")] = held.pop(folder)
        elif (
            what == "lose"
            and len(held) > 1
            and held[folder] <= there.union(*(held[one] for one in held if one != folder))
        ):
            shutil.rmtree(folder)
            del held[folder]
        for one, counted in held.items():
            if (one / ".memgit.yaml").exists():
                assert uses(one) == len(counted), (step, what, one)
    for folder in [*held, *held]:
        assert memgit(folder, "sync").err == ""
    everything = there.union(*held.values())
    for folder in held:
        assert uses(folder) == len(everything)
        sound(folder)


def test_two_that_join_the_same_make_the_same(kb: Path, origin: Path) -> None:
    record(kb, "Ours")
    use(kb)
    memgit(kb, "sync")
    (ref,) = usage_refs(kb)
    others = [clone(origin, "one"), clone(origin, "two")]
    run_git(origin, "update-ref", ref, run_git(origin, "commit-tree", "-m", "another", "main^{tree}"))
    for other in others:
        run_git(other, "fetch", "-q", str(kb), f"{ref}:{ref}")
        memgit(other, "sync", "--no-push")
    assert (
        run_git(others[0], "rev-parse", ref)
        == run_git(others[1], "rev-parse", ref)
        != run_git(kb, "rev-parse", ref)
    )


def test_what_a_remote_lists_beside_is_not_taken(kb: Path, origin: Path) -> None:
    blob = run_git(origin, "hash-object", "-w", "--stdin", data=b"no commit")
    for ref, target in (
        (f"{usage.PREFIX}no-id", "main"),
        (f"{usage.PREFIX}aaaaaaaaa1", blob),
        ("refs/memgit/other", "main"),
    ):
        run_git(origin, "update-ref", ref, target)
    assert memgit(kb, "sync").out == "origin/main: nothing new on either side\n"
    assert run_git(kb, "for-each-ref", "refs/memgit/") == ""


@contextmanager
def served(port_of: HTTPServer) -> Iterator[str]:
    thread = threading.Thread(target=port_of.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://ada:hunter2@127.0.0.1:{port_of.server_address[1]}/kb.git"
    finally:
        port_of.shutdown()
        port_of.server_close()
        thread.join()


class Asks(BaseHTTPRequestHandler):
    """A server that wants a password and takes none."""

    def do_GET(self) -> None:
        self.send_response(401)
        self.send_header("WWW-Authenticate", 'Basic realm="kb"')
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        pass


def test_a_remote_that_asks_for_a_password(kb: Path) -> None:
    with served(HTTPServer(("127.0.0.1", 0), Asks)) as url:
        run_git(kb, "remote", "add", "origin", url.replace("ada:hunter2@", ""))
        start = time.monotonic()
        answer = memgit(kb, "sync", code=3)
        assert "origin wants a password or a key, and there is no terminal to ask on" in answer.err
        assert "git ls-remote origin in a terminal asks for it" in answer.err
        run_git(kb, "remote", "set-url", "origin", url)
        assert "hunter2" not in memgit(kb, "sync", code=3).err
        assert time.monotonic() - start < 30


def test_a_remote_that_never_answers(kb: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        run_git(kb, "remote", "add", "origin", f"http://127.0.0.1:{server.getsockname()[1]}/kb.git")
        start = time.monotonic()
        answer = memgit(kb, "sync", "--timeout", "1", code=3)
        assert "origin did not answer within 1 s (git ls-remote was stopped)" in answer.err
        assert time.monotonic() - start < 15
    assert status(kb) == ""


def test_a_remote_that_is_not_there(kb: Path, tmp_path: Path) -> None:
    run_git(kb, "remote", "add", "origin", str(tmp_path / "nowhere.git"))
    assert "git ls-remote origin:" in memgit(kb, "sync", code=3).err


# Many at once.


def together(kb: Path, origin: Path, clones: int, notes: int, rounds: int) -> None:
    """Clones that record and sync at once, each in a process of its own; at the end all have everything."""
    record(kb, "Counted")
    memgit(kb, "sync")
    folders = [clone(origin, f"clone{number}") for number in range(clones)]
    program = (
        "import sys; from memgit.cli.start import run\n"
        "folder, number, notes, rounds = sys.argv[1], *map(int, sys.argv[2:])\n"
        "for note in range(notes):\n"
        "    kind = ['knowledge', '--category', f'c{note % 3}'] if note % 2 else ['memory', "
        "'--scope', f's{note % 3}']\n"
        "    code = run(['-C', folder, 'record', kind[0], f'Note {note} of {number}', *kind[1:], "
        "'-m', f'- text {note}'])\n"
        "    code = code or (run(['-C', folder, 'use', 'web#Counted']) if note % 5 == 0 else 0)\n"
        "    code = code or (run(['-C', folder, 'sync']) if (note + 1) % (notes "
        "// rounds) == 0 else 0)\n"
        "    if code: sys.exit(code)\n"
    )
    running = [
        subprocess.Popen(
            [sys.executable, "-c", program, str(folder), str(number), str(notes), str(rounds)],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for number, folder in enumerate(folders)
    ]
    for process in running:
        out, err = process.communicate(timeout=600)
        assert process.returncode == 0, (out, err)
    uses = clones * len(range(0, notes, 5))
    for folder in [kb, *folders]:
        memgit(folder, "sync")
        assert len(memgit(folder, "list", "-n", "10000", "--json").json) == clones * notes + 1
        assert memgit(folder, "show", "web#Counted", "--json").json["usage_count"] == uses
        sound(folder)
    assert len({run_git(folder, "rev-parse", "HEAD^{tree}") for folder in [kb, *folders]}) == 1


def test_two_clones_at_once(kb: Path, origin: Path) -> None:
    together(kb, origin, clones=2, notes=2, rounds=1)


@pytest.mark.slow
def test_eight_clones_at_once(kb: Path, origin: Path) -> None:
    together(kb, origin, clones=8, notes=25, rounds=5)


@pytest.mark.slow
def test_who_records_in_the_same_clone_meanwhile_is_not_stopped(kb: Path, origin: Path) -> None:
    other = clone(origin, "other")
    program = (
        "import sys; from memgit.cli.start import run\n"
        "for note in range(6):\n"
        "    code = run(['-C', sys.argv[1], 'record', 'memory', f'Meanwhile {note}', '-m', 'x'])\n"
        "    if code: sys.exit(code)\n"
    )
    writer = subprocess.Popen(
        [sys.executable, "-c", program, str(kb)],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    for number in range(2):
        record(other, f"Theirs {number}")
        memgit(other, "sync")
        memgit(kb, "sync")
    out, err = writer.communicate(timeout=120)
    assert writer.returncode == 0, (out, err)
    memgit(kb, "sync")
    assert len(titles(kb)) == 8
    sound(kb)


def test_another_fetch_at_the_same_time_is_waited_for(kb: Path, origin: Path, tmp_path: Path) -> None:
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    lock = kb / ".git/refs/remotes/origin/main.lock"
    lock.touch()
    # What the other side is asked for by the fetch takes its time, and by then the other fetch is over.
    upload = tmp_path / "upload-pack"
    upload.write_text(
        f'#!/bin/sh\necho >>"{tmp_path}/asked"\n[ $(wc -l <"{tmp_path}/asked") -gt 2 ] && rm -f '
        f'"{lock}"\nexec git-upload-pack "$@"\n'
    )
    upload.chmod(0o755)
    run_git(kb, "config", "remote.origin.uploadpack", str(upload))
    assert memgit(kb, "sync", "--json").json["merge"] == "fast-forward"
    assert not lock.exists()


KILLER = """\
#!/bin/sh
# git, in place of which memgit is killed at one of its calls: before git does its work, or after it.
echo >>"{folder}/calls"
[ "$(wc -l <"{folder}/calls")" -eq {call} ] || exec "{git}" "$@"
[ {when} = before ] || "{git}" "$@"
kill -9 "$(cat "{folder}/victim")"
[ {when} = after ] || exec "{git}" "$@"
"""


def run_sync(kb: Path, folder: Path) -> int:
    """The exit code of a sync that finds the git of a folder, which is told its process."""
    done = subprocess.run(
        ["sh", "-c", 'echo $$ >"$0/victim"; exec "$@"', folder, sys.executable, "-m", "memgit", "sync"],
        cwd=kb,
        capture_output=True,
        check=False,
        timeout=120,
        env={**os.environ, "PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": str(ROOT)},
    )
    return done.returncode


def killed_sync(kb: Path, folder: Path, call: int, when: str) -> bool:
    """Kills a sync before or after it has git do something for the so-manieth time; whether there was such a call."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    (folder / "git").write_text(KILLER.format(folder=folder, git=shutil.which("git"), call=call, when=when))
    (folder / "git").chmod(0o755)
    return run_sync(kb, folder) != 0


def check_kills(kb: Path, origin: Path, tmp_path: Path, step: int) -> None:
    """Kills a sync that has to merge at every so-manieth call of git; the next commands go through."""
    other = clone(origin, "other")
    number = 0
    for when in ("before", "after"):
        for call in range(1, 100, step):
            record(other, f"Theirs {number}")
            memgit(other, "sync")
            record(kb, f"Ours {number}")
            killed = killed_sync(kb, tmp_path / "bin", call, when)
            record(kb, f"Next {number}")
            assert memgit(kb, "sync", "--json").json["status"] in ("synced", "up_to_date")
            assert status(kb) == ""
            memgit(other, "sync")
            sound(kb)
            number += 1
            assert len(titles(kb)) == 3 * number
            if not killed:
                break
    assert number > 4


def test_killed_at_some_calls_of_git(kb: Path, origin: Path, tmp_path: Path) -> None:
    check_kills(kb, origin, tmp_path, 4)


@pytest.mark.slow
def test_killed_at_every_call_of_git(kb: Path, origin: Path, tmp_path: Path) -> None:
    check_kills(kb, origin, tmp_path, 1)


MERGE_KILLER = """\
#!/bin/sh
"{git}" "$@"; code=$?
case "$*" in *"merge --no-commit"*) kill -9 "$(cat "{folder}/victim")"; exit 0 ;; esac
exit $code
"""


@pytest.mark.parametrize("staged", [False, True])
def test_a_merge_by_git_that_was_killed_is_finished_by_the_next_command(
    kb: Path, origin: Path, tmp_path: Path, staged: bool
) -> None:
    """git merges by itself where a hook of another tool wants to see the commit."""
    hook(kb / ".git", "commit-msg", "#!/bin/sh\nexit 0\n")
    other = clone(origin, "other")
    record(other, "Theirs")
    memgit(other, "sync")
    record(kb, "Ours")
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "git").write_text(MERGE_KILLER.format(folder=folder, git=shutil.which("git")))
    (folder / "git").chmod(0o755)
    assert run_sync(kb, folder) != 0 and (kb / ".git/MERGE_HEAD").exists()
    if staged:
        (kb / "draft.txt").write_text("mine\n")
        run_git(kb, "add", "draft.txt")
        assert "left a merge under way: memgit resolve says how" in memgit(kb, "list").err
        assert "draft.txt" in run_git(kb, "diff", "--cached", "--name-only")
        return
    answer = memgit(kb, "record", "memory", "Next", "-m", "x")
    assert "finished the merge that an interrupted sync had begun" in answer.err
    memgit(kb, "sync")
    assert titles(kb) == ["Next", "Ours", "Theirs"]
    sound(kb)
