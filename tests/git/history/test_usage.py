"""Which clone this is, as its usage ref is named: a copy is another one."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from memgit.errors import Refused
from memgit.git.history import usage
from memgit.git.repository import Repository
from tests.support import run_git


def opened(folder: Path) -> Repository:
    return Repository.open(str(folder), {"PATH": "/usr/bin:/bin", "HOME": str(folder.parent)})


@pytest.fixture
def made(tmp_path: Path) -> Path:
    run_git(tmp_path, "init", "-q", "made")
    return tmp_path / "made"


def noted(folder: Path) -> Path:
    return folder / ".git/memgit" / usage.CLONE_ID


def test_an_id_stays_and_a_copy_gets_its_own(made: Path, tmp_path: Path) -> None:
    assert usage.own_ref(opened(made)) is None
    first = usage.clone_id(opened(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    assert usage.own_ref(opened(copy)) is None
    second = usage.clone_id(opened(copy))
    assert second != first == usage.clone_id(opened(made))
    assert usage.clone_id(opened(copy)) == second
    assert usage.own_ref(opened(made.rename(tmp_path / "moved"))) == usage.PREFIX + first


def test_many_at_once_agree(made: Path, tmp_path: Path) -> None:
    usage.clone_id(opened(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    for folder in (made, copy):
        with ThreadPoolExecutor(8) as pool:
            assert len(set(pool.map(lambda _, folder=folder: usage.clone_id(opened(folder)), range(16)))) == 1


def test_a_file_without_a_directory_becomes_that_of_its_clone(made: Path) -> None:
    noted(made).parent.mkdir(parents=True)
    noted(made).write_text("k3m2p4q6r8")
    assert usage.clone_id(opened(made)) == "k3m2p4q6r8"
    assert usage.own_ref(opened(made)) == usage.PREFIX + "k3m2p4q6r8"


def test_what_is_no_id_is_passed_over(made: Path) -> None:
    noted(made).parent.mkdir(parents=True)
    noted(made).write_bytes(b"\xff\xfe nonsense\n\n../../heads/main 1:2\nk3m2p4q6r8 1:2 3\nhalf")
    found = usage.clone_id(opened(made))
    assert found not in ("half", "k3m2p4q6r8")
    assert usage.clone_id(opened(made)) == found


def test_where_directories_are_numbered_anew_each_time_the_last_id_stays(made: Path) -> None:
    noted(made).parent.mkdir(parents=True)
    noted(made).write_text(
        "".join(f"k3m2p4q6{number:02} 1:{number + 1}\n" for number in range(usage.MAX_CLONE_IDS))
    )
    assert usage.clone_id(opened(made)) == f"k3m2p4q6{usage.MAX_CLONE_IDS - 1}"
    usage.renew(opened(made))
    assert usage.clone_id(opened(made)) == f"k3m2p4q6{usage.MAX_CLONE_IDS - 1}"


def test_another_id_takes_the_place_of_the_one_that_is_shared(made: Path, tmp_path: Path) -> None:
    first = usage.clone_id(opened(made))
    copy = Path(shutil.copytree(made, tmp_path / "copy"))
    second = usage.clone_id(opened(copy))
    usage.renew(opened(copy))
    third = usage.clone_id(opened(copy))
    assert len({first, second, third}) == 3
    assert len(noted(copy).read_text().splitlines()) == 2
    assert usage.clone_id(opened(made)) == first


def test_a_git_directory_that_cannot_be_written(made: Path) -> None:
    (made / ".git/memgit").write_text("no folder")
    with pytest.raises(Refused, match="memgit/clone-id: "):
        usage.clone_id(opened(made))
