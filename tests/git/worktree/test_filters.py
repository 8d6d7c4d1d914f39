"""Line ends, filters and encodings between the repository and the working tree."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.worktree.filters import Conversion, cleaned, in_force
from tests.git.helpers import assert_in_order, commit_files, committed, opened, porcelain, put
from tests.support import run_git

BASE = b"one\ntwo\nthree\nfour\nfive\n"
NEW = b"ONE\ntwo\nthree\nfour\nfive\n"


def crlf(data: bytes) -> bytes:
    return data.replace(b"\n", b"\r\n")


@pytest.fixture
def clone(repo: Path, tmp_path: Path) -> Path:
    """A clone with core.autocrlf=true: LF in the repository, CR LF in the working tree."""
    commit_files(repo, {"a.md": BASE, "b.md": BASE})
    run_git(tmp_path, "clone", "-q", "-c", "core.autocrlf=true", str(repo), "clone")
    assert (tmp_path / "clone/a.md").read_bytes() == crlf(BASE)
    return tmp_path / "clone"


def test_autocrlf_update_stays_crlf(clone: Path) -> None:
    put(clone, {"a.md": NEW, "new.md": b"x\ny\n"})
    assert (clone / "a.md").read_bytes() == crlf(NEW)
    assert (clone / "new.md").read_bytes() == b"x\r\ny\r\n"
    assert committed(clone, "a.md") == NEW.decode()
    assert run_git(clone, "diff") == ""
    assert_in_order(clone)


def test_autocrlf_edits_stay(clone: Path) -> None:
    (clone / "a.md").write_bytes(crlf(BASE) + b"six\r\n")
    put(clone, {"a.md": NEW})
    assert (clone / "a.md").read_bytes() == crlf(NEW + b"six\n")
    assert committed(clone, "a.md") == NEW.decode()
    assert porcelain(clone) == [" M a.md"]
    assert run_git(clone, "diff", "--numstat") == "1\t0\ta.md"


def test_autocrlf_removal_and_many(clone: Path) -> None:
    put(clone, {"a.md": None, "b.md": NEW, **{f"n/{number}.md": b"x\n" for number in range(150)}})
    assert (clone / "n/149.md").read_bytes() == b"x\r\n"
    assert_in_order(clone)


def test_autocrlf_input_takes_cr_for_no_edit(repo: Path) -> None:
    commit_files(repo, {"a.md": BASE})
    run_git(repo, "config", "core.autocrlf", "input")
    (repo / "a.md").write_bytes(crlf(BASE))
    put(repo, {"a.md": NEW})
    assert (repo / "a.md").read_bytes() == NEW
    assert_in_order(repo)


@pytest.mark.parametrize(
    "attributes",
    [
        "* text=auto\n",
        "*.md text eol=lf\n",
        "*.md text eol=crlf\n",
        "*.md -text\n",
        "*.md ident\n",
        "* text=auto eol=crlf\n",
    ],
)
def test_attributes(repo: Path, attributes: str) -> None:
    commit_files(repo, {".gitattributes": attributes.encode(), "a.md": b"$Id$\n" + BASE})
    (repo / "a.md").unlink()
    run_git(repo, "checkout", "-q", "a.md")
    put(repo, {"a.md": b"$Id$\n" + NEW, "new.md": b"$Id$\nx\n"})
    for name in ("a.md", "new.md"):
        before = (repo / name).read_bytes()
        (repo / name).unlink()
        run_git(repo, "checkout", "-q", name)
        assert (repo / name).read_bytes() == before
    assert_in_order(repo)


def test_encoding(repo: Path) -> None:
    commit_files(repo, {".gitattributes": b"*.txt working-tree-encoding=UTF-16LE\n"})
    put(repo, {"b.txt": "grüß\n".encode()})
    assert (repo / "b.txt").read_bytes() == "grüß\n".encode("utf-16-le")
    assert_in_order(repo)
    (repo / "b.txt").write_bytes("grüß\nmine\n".encode("utf-16-le"))
    put(repo, {"b.txt": "top\ngrüß\n".encode()})
    assert (repo / "b.txt").read_bytes() == "top\ngrüß\nmine\n".encode("utf-16-le")
    assert porcelain(repo) == [" M b.txt"]


def test_crlf_in_the_repository_itself(repo: Path) -> None:
    """Without attributes, git leaves CR LF in a blob alone, also under autocrlf."""
    commit_files(repo, {"a.md": crlf(BASE)})
    run_git(repo, "config", "core.autocrlf", "true")
    assert porcelain(repo) == []
    put(repo, {"a.md": crlf(NEW)})
    assert (repo / "a.md").read_bytes() == crlf(NEW)
    assert_in_order(repo)


@pytest.mark.parametrize("installed", [True, False])
def test_what_a_filter_stores_otherwise_is_refused(repo: Path, installed: bool) -> None:
    """Whether or not this clone has the driver: without it git would store a secret as it is."""
    commit_files(repo, {".gitattributes": b"*.md filter=stamp\n*.txt -filter\n"})
    if installed:
        run_git(repo, "config", "filter.stamp.clean", "sed s/x/y/")
        run_git(repo, "config", "filter.stamp.smudge", "cat")
    with pytest.raises(Refused, match="filter=stamp"):
        put(repo, {"b.txt": b"x\n", "a.md": b"x\n"})
    assert porcelain(repo) == [] and not (repo / "b.txt").exists()
    put(repo, {"b.txt": b"x\n"})
    assert committed(repo, "b.txt") == "x\n"


@pytest.mark.parametrize(
    ("attributes", "settings", "level"),
    [
        ("", {}, Conversion.NONE),
        ("*.md merge=memgit\n*.json -diff\n", {}, Conversion.NONE),
        ("*.md -text\n", {}, Conversion.NONE),
        ("* text=auto\n", {}, Conversion.LINE_ENDS),
        ("* text=auto\n", {"core.eol": "crlf"}, Conversion.ANY),
        ("*.md text eol=lf\n", {}, Conversion.LINE_ENDS),
        ("*.md eol=crlf\n", {}, Conversion.ANY),
        ("*.bin filter=lfs diff=lfs\n", {}, Conversion.ANY),
        ("[attr]mine filter=x\n", {}, Conversion.ANY),
        ("", {"core.autocrlf": "input"}, Conversion.LINE_ENDS),
        ("", {"core.autocrlf": "true"}, Conversion.ANY),
    ],
)
def test_level(repo: Path, attributes: str, settings: dict[str, str], level: Conversion) -> None:
    commit_files(repo, {"kb/deep/a.md": b"x\n"})
    (repo / "kb/.gitattributes").write_text(attributes)
    for key, value in settings.items():
        run_git(repo, "config", key, value)
    opened_repo = opened(repo)
    tree = opened_repo.tree(opened_repo.head().commit)
    assert in_force(opened_repo, tree, ["kb/deep/a.md"]) is level
    if not settings:
        assert in_force(opened_repo, tree, ["other/a.md"]) is Conversion.NONE


def test_attributes_of_the_user_and_of_the_clone(repo: Path, private_home: Path) -> None:
    commit_files(repo, {"a.md": b"x\n"})
    tree = opened(repo).tree(opened(repo).head().commit)
    (repo / ".git/info").mkdir(exist_ok=True)
    (repo / ".git/info/attributes").write_text("*.md text\n")
    assert in_force(opened(repo), tree, ["a.md"]) is Conversion.LINE_ENDS
    (repo / ".git/info/attributes").unlink()
    (private_home / ".config/git").mkdir(parents=True)
    (private_home / ".config/git/attributes").write_text("*.md text\n")
    assert in_force(opened(repo), tree, ["a.md"]) is Conversion.LINE_ENDS
    run_git(repo, "config", "core.attributesFile", "~/mine")
    assert in_force(opened(repo), tree, ["a.md"]) is Conversion.NONE
    (private_home / "mine").write_text("* filter=x\n")
    assert in_force(opened(repo), tree, ["a.md"]) is Conversion.ANY


def test_an_edit_at_the_very_time_of_the_index_is_seen(clone: Path) -> None:
    """Its size and times are those that the index has: only the time of the index tells."""
    run_git(clone, "config", "core.trustctime", "false")
    file, earlier = clone / "a.md", 1_700_000_000
    os.utime(file, (earlier, earlier))
    run_git(clone, "update-index", "--refresh")
    size = file.stat().st_size
    file.write_bytes(crlf(NEW))
    assert file.stat().st_size == size
    for path in (file, clone / ".git/index"):
        os.utime(path, (earlier, earlier))
    assert cleaned(opened(clone), "a.md", crlf(NEW)) == NEW


def test_cleaned_is_what_git_add_would_store(clone: Path) -> None:
    repo = opened(clone)
    (clone / "a.md").write_bytes(crlf(NEW))
    assert cleaned(repo, "a.md", crlf(NEW)) == NEW
    assert cleaned(repo, "a.md", crlf(BASE)) == BASE  # not what lies there
    run_git(clone, "config", "core.autocrlf", "false")
    assert cleaned(opened(clone), "a.md", crlf(NEW)) == crlf(NEW)
    assert_in_order(clone, clean=False)


def test_cleaned_leaves_a_cr_alone_that_is_committed(repo: Path) -> None:
    commit_files(repo, {"a.md": crlf(BASE)})
    run_git(repo, "config", "core.autocrlf", "true")
    (repo / "a.md").write_bytes(crlf(NEW))
    assert cleaned(opened(repo), "a.md", crlf(NEW)) == crlf(NEW)
