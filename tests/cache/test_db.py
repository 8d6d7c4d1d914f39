"""The cache file: made once however many ask, thrown away when it is of no use, and never a reason to fail."""

from __future__ import annotations

import ast
import os
import re
import signal
import sqlite3
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from memgit.cache import db
from memgit.cache.db import Cache, memory_cache, open_cache

ROOT = Path(__file__).resolve().parents[2]
DDL = (
    "create table number(n integer primary key); create index number_n on number(n); create virtual "
    "table text using fts5(word)"
)


def opened(folder: Path, fingerprint: str = "one") -> Cache:
    cache = open_cache(str(folder), fingerprint)
    assert cache is not None
    cache.schema("numbers", 1, DDL)
    return cache


def add(cache: Cache, *numbers: int) -> None:
    with cache.write() as connection:
        connection.executemany("insert into number values (?)", [(number,) for number in numbers])


def numbers(cache: Cache) -> list[int]:
    return [row[0] for row in cache.connection.execute("select n from number order by n")]


def child(code: str, *args: str) -> subprocess.Popen[str]:
    """Another process that runs some code with this module's imports; it prints a line when it is ready."""
    start = "import os, signal, sys, time, sqlite3\nfrom memgit.cache.db import open_cache\n"
    return subprocess.Popen(
        [sys.executable, "-c", start + textwrap.dedent(code), *args],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )


def finish(process: subprocess.Popen[str]) -> str:
    out = process.communicate(timeout=60)[0]
    assert process.returncode == 0, out
    return out


def sound(path: Path) -> bool:
    """Whether SQLite finds nothing wrong with a file."""
    connection = sqlite3.connect(path)
    try:
        return bool(connection.execute("pragma integrity_check").fetchone()[0] == "ok")
    finally:
        connection.close()


def test_what_is_written_is_there_when_it_is_opened_again(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1, 2)
    with opened(tmp_path) as cache:
        assert numbers(cache) == [1, 2]
        assert cache.path == str(tmp_path / "memgit" / "cache.db")
        assert cache.connection.execute("pragma journal_mode").fetchone() == ("wal",)
    assert not (tmp_path / "memgit" / "cache.db-wal").exists()


def test_a_path_with_characters_that_mean_something_in_a_uri(tmp_path: Path) -> None:
    folder = tmp_path / "a?b#c%20 é\udce9"
    folder.mkdir()
    with opened(folder) as cache:
        add(cache, 3)
    with opened(folder) as cache:
        assert numbers(cache) == [3]
    assert (folder / "memgit" / "cache.db").is_file()


def test_another_fingerprint_makes_it_anew(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
    with opened(tmp_path, "two") as cache:
        assert numbers(cache) == []


def test_another_version_of_this_module_makes_it_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
    monkeypatch.setattr(db, "VERSION", db.VERSION + 1)
    with opened(tmp_path) as cache:
        assert numbers(cache) == []


def test_a_part_with_another_version_is_made_anew_and_the_others_stay(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
        cache.schema("other", 1, "create table other(x)")
        cache.schema("other", 2, "create table other(x, y); create view both_of as select x, y from other")
        cache.schema("numbers", 1, DDL)
        assert numbers(cache) == [1]
        with cache.write() as connection:
            connection.execute("insert into other values (1, 2)")
        cache.schema(
            "numbers", 2, DDL.replace("number(n integer primary key)", "number(n integer primary key, more)")
        )
        assert numbers(cache) == []
        assert cache.connection.execute("select * from both_of").fetchall() == [(1, 2)]


def test_a_write_that_fails_leaves_nothing(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        with pytest.raises(KeyError), cache.write() as connection:
            connection.execute("insert into number values (1)")
            raise KeyError
        assert numbers(cache) == []
        add(cache, 2)
        assert numbers(cache) == [2]


def test_a_write_inside_a_write_is_part_of_it(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        with pytest.raises(KeyError), cache.write():
            add(cache, 1)
            raise KeyError
        assert numbers(cache) == []


def test_reads_see_one_state_until_the_next_write(tmp_path: Path) -> None:
    with opened(tmp_path) as reader, opened(tmp_path) as writer:
        serial = reader.read()
        assert numbers(reader) == []
        add(writer, 1)
        assert reader.read() == serial
        assert numbers(reader) == []
        reader.end_read()
        assert reader.read() == serial + 1
        assert numbers(reader) == [1]
        add(reader, 2)
        assert numbers(reader) == [1, 2]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(b"this is not a database at all" * 400),
        lambda path: path.write_bytes(path.read_bytes()[:5000]),
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(b"\0" * path.stat().st_size),
        lambda path: path.write_bytes(path.read_bytes()[:4096] + b"\xff" * 4096 + path.read_bytes()[8192:]),
        lambda path: (path.unlink(), path.symlink_to("elsewhere.db")),
    ],
    ids=["empty", "text", "cut", "header only", "zeros", "second page", "link"],
)
def test_a_spoilt_file_is_made_anew(tmp_path: Path, spoil: Callable[[Path], object]) -> None:
    with opened(tmp_path) as cache:
        add(cache, *range(3000))
    path = tmp_path / "memgit" / "cache.db"
    spoil(path)

    def work() -> list[int]:
        cache.schema("numbers", 1, DDL)
        add(cache, 7)
        return numbers(cache)

    found = open_cache(str(tmp_path), "one")
    assert found is not None
    with found as cache:
        assert cache.run(work) == [7]
        assert cache.path == str(path)
    assert path.is_file()
    assert not path.is_symlink()
    assert sound(path)


def test_damage_deep_inside_is_found_when_it_is_read_and_the_work_is_done_again(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, *range(20000))
    path = tmp_path / "memgit" / "cache.db"
    data = bytearray(path.read_bytes())
    for page in range(12, len(data) // 4096):
        data[page * 4096 : page * 4096 + 200] = b"\xee" * 200
    path.write_bytes(data)
    tries = []
    with opened(tmp_path) as cache:

        def work() -> list[int]:
            tries.append(cache.generation)
            return numbers(cache)

        assert cache.run(work) == []
        assert tries == [0, 1]
        assert cache.path == str(path)
    assert sound(path)


def test_a_folder_in_its_place_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "memgit" / "cache.db" / "inner").mkdir(parents=True)
    assert open_cache(str(tmp_path), "one") is None
    assert (tmp_path / "memgit" / "cache.db" / "inner").is_dir()


def test_where_no_folder_can_be_made_there_is_none(tmp_path: Path) -> None:
    (tmp_path / "memgit").write_text("a file in its place")
    assert open_cache(str(tmp_path), "one") is None
    assert open_cache(str(tmp_path / "absent" / "deeper"), "one") is None


def test_a_log_without_its_file_is_never_taken_for_that_of_a_new_one(tmp_path: Path) -> None:
    process = child(
        f"""
        cache = open_cache(sys.argv[1], "one")
        cache.schema("numbers", 1, {DDL!r})
        with cache.write() as connection:
            connection.executemany("insert into number values (?)", [(n,) for n in range(5000)])
        print("ready", flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
        """,
        str(tmp_path),
    )
    process.communicate(timeout=60)
    path = tmp_path / "memgit" / "cache.db"
    assert (tmp_path / "memgit" / "cache.db-wal").stat().st_size > 0
    path.unlink()
    with opened(tmp_path) as cache:
        assert numbers(cache) == []
        add(cache, 1)
    assert sound(path)


def test_killed_in_the_middle_of_a_write_it_is_as_before(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
    process = child(
        """
        cache = open_cache(sys.argv[1], "one")
        with cache.write() as connection:
            connection.executemany("insert into number values (?)", [(n,) for n in range(100, 200000)])
            os.kill(os.getpid(), signal.SIGKILL)
        """,
        str(tmp_path),
    )
    process.communicate(timeout=60)
    assert process.returncode == -signal.SIGKILL
    with opened(tmp_path) as cache:
        assert numbers(cache) == [1]
        add(cache, 2)
    assert sound(tmp_path / "memgit" / "cache.db")


def test_killed_while_it_is_made_it_is_made_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "memgit"
    folder.mkdir()
    # What a process leaves that was killed between the creation of the file and its first transaction.
    connection = sqlite3.connect(folder / "cache.db")
    connection.execute("pragma journal_mode=wal")
    connection.execute("create table half(x)")
    connection.commit()
    connection.close()
    with opened(tmp_path) as cache:
        assert cache.path is not None
        assert ("half",) not in cache.connection.execute("select name from sqlite_master").fetchall()


def test_many_processes_at_once_make_one_file(tmp_path: Path) -> None:
    code = f"""
        from memgit.cache import db
        db.OPEN_SECONDS = db.BUSY_SECONDS = 60  # of real time, on a machine that may be busy
        while not os.path.exists(sys.argv[1] + "/go"):
            time.sleep(0.001)
        for turn in range(20):
            cache = open_cache(sys.argv[1], "one")
            cache.schema("numbers", 1, {DDL!r})
            with cache.write() as connection:
                connection.execute("insert into number values (?)", (int(sys.argv[2]) * 100 + turn,))
            cache.close()
        """
    processes = [child(code, str(tmp_path), str(number)) for number in range(6)]
    time.sleep(0.2)
    (tmp_path / "go").touch()
    for process in processes:
        finish(process)
    with opened(tmp_path) as cache:
        assert numbers(cache) == [number * 100 + turn for number in range(6) for turn in range(20)]
    assert sound(tmp_path / "memgit" / "cache.db")


def test_processes_that_throw_each_others_file_away_do_not_spoil_it(tmp_path: Path) -> None:
    code = f"""
        from memgit.cache import db
        db.OPEN_SECONDS = db.BUSY_SECONDS = 60  # of real time, on a machine that may be busy
        while not os.path.exists(sys.argv[1] + "/go"):
            time.sleep(0.001)
        for turn in range(25):
            cache = open_cache(sys.argv[1], sys.argv[2])
            assert cache is not None
            def work():
                cache.schema("numbers", 1, {DDL!r})
                with cache.write() as connection:
                    connection.executemany("insert or ignore into number values (?)", [(n,) for n in range(500)])
                assert cache.connection.execute("select count(*) from number").fetchone()[0] == 500
            cache.run(work)
            cache.close()
        """
    processes = [child(code, str(tmp_path), fingerprint) for fingerprint in ("one", "two", "one", "two")]
    time.sleep(0.2)
    (tmp_path / "go").touch()
    for process in processes:
        process.communicate(timeout=60)
    assert [process.returncode for process in processes] == [0] * 4
    with opened(tmp_path) as cache:
        add(cache, 1000)
    assert sound(tmp_path / "memgit" / "cache.db")


def test_a_file_that_others_make_anew_at_this_moment_is_not_taken_for_protected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened(tmp_path).close()
    real, left = os.access, [1]

    def access(path: str, mode: int) -> bool:
        if not path.endswith("cache.db") or not left:
            return real(path, mode)
        left.pop()  # it is absent for a moment
        os.unlink(path)
        opened(tmp_path).close()
        return False

    monkeypatch.setattr(os, "access", access)
    with opened(tmp_path) as cache:
        assert not left and not cache.readonly and cache.path is not None
        add(cache, 1)
        assert numbers(cache) == [1]


def test_a_file_whose_errors_are_no_text_is_made_anew(tmp_path: Path) -> None:
    """SQLite quotes names from the file in its messages, and Python cannot decode these."""
    path = tmp_path / "memgit" / "cache.db"
    with opened(tmp_path) as cache:
        add(cache, 1)
    data = path.read_bytes()
    broken = data.replace(b"indexnumber_n", b"indexnumber\x90n").replace(b"on number(n)", b"on numbex(n)")
    assert broken != data
    path.write_bytes(broken)
    connection = sqlite3.connect(path)
    with pytest.raises(UnicodeDecodeError):
        connection.execute("select * from number")
    connection.close()
    with opened(tmp_path) as cache:
        assert cache.path is not None and numbers(cache) == []
        add(cache, 2)
    assert sound(path)


def test_deleted_while_open_both_go_on(tmp_path: Path) -> None:
    with opened(tmp_path) as old:
        add(old, 1)
        for path in sorted((tmp_path / "memgit").iterdir()):
            path.unlink()
        add(old, 2)
        assert numbers(old) == [1, 2]
        with opened(tmp_path) as new:
            assert numbers(new) == []
            add(new, 3)
            add(old, 4)
            assert numbers(new) == [3]
        assert numbers(old) == [1, 2, 4]
    with opened(tmp_path) as again:
        assert numbers(again) == [3]
    assert sound(tmp_path / "memgit" / "cache.db")


def test_where_another_process_writes_for_long_the_work_goes_on_in_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(db, "BUSY_SECONDS", 0.1)
    with opened(tmp_path) as other, opened(tmp_path) as cache:
        add(other, 1)
        other.connection.execute("begin immediate")
        cache.run(lambda: add(cache, 2))
        assert cache.path is None
        assert numbers(cache) == [1, 2]
        other.connection.execute("commit")
        assert numbers(other) == [1]


def test_a_writer_waits_for_another(tmp_path: Path) -> None:
    with opened(tmp_path) as other, opened(tmp_path) as cache:
        ready, done = threading.Event(), threading.Event()

        def hold() -> None:
            own = sqlite3.connect(tmp_path / "memgit" / "cache.db", isolation_level=None)
            own.execute("begin immediate")
            own.execute("insert into number values (5)")
            ready.set()
            time.sleep(0.3)
            own.execute("commit")
            own.close()
            done.set()

        thread = threading.Thread(target=hold)
        thread.start()
        ready.wait()
        cache.run(lambda: add(cache, 6))
        assert done.is_set()
        thread.join()
        assert cache.path is not None
        assert numbers(other) == [5, 6]


def test_where_the_disk_is_full_the_work_goes_on_in_memory(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
        pages = cache.connection.execute("pragma page_count").fetchone()[0]
        cache.connection.execute(f"pragma max_page_count = {pages}")
        cache.run(lambda: add(cache, *range(10, 5000)))
        assert cache.path is None
        assert numbers(cache) == [1, *range(10, 5000)]
    with opened(tmp_path) as cache:
        assert numbers(cache) == [1]


def test_what_cannot_be_opened_for_writing_is_read_and_copied_to_memory_on_the_first_write(
    tmp_path: Path,
) -> None:
    with opened(tmp_path) as cache:
        add(cache, 1)
    folder = tmp_path / "memgit"
    before = (folder / "cache.db").read_bytes()
    for path in (tmp_path, folder):
        path.chmod(0o555)
    for path in folder.iterdir():
        path.chmod(0o444)
    try:
        code = f"""
            if os.getuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            assert open_cache(sys.argv[1], "two") is None
            cache = open_cache(sys.argv[1], "one")
            assert cache is not None and cache.readonly
            cache.schema("numbers", 1, {DDL!r})
            assert cache.readonly and cache.path is not None
            assert cache.connection.execute("select n from number").fetchall() == [(1,)]
            with cache.write() as connection:
                connection.execute("insert into number values (2)")
            assert cache.path is None and not cache.readonly
            assert cache.connection.execute("select n from number").fetchall() == [(1,), (2,)]
            cache.close()
            print("fine")
            """
        for parent in tmp_path.parents:  # the other user must be able to reach it
            if parent.stat().st_uid == os.getuid() and parent != Path("/"):
                parent.chmod(parent.stat().st_mode | 0o055)
        assert finish(child(code, str(tmp_path))) == "fine\n"
    finally:
        for path in (tmp_path, folder, *folder.iterdir()):
            path.chmod(0o755 if path.is_dir() else 0o644)
    assert (folder / "cache.db").read_bytes() == before


def test_in_memory_it_is_the_same(tmp_path: Path) -> None:
    with memory_cache("one") as cache:
        cache.schema("numbers", 1, DDL)
        add(cache, 1)
        assert cache.run(lambda: numbers(cache)) == [1]

        def broken() -> list[int]:
            if cache.generation == 0:
                raise sqlite3.DatabaseError("database disk image is malformed")
            return numbers(cache)

        assert cache.run(broken) == []
        assert cache.path is None


def test_an_error_that_comes_again_and_again_is_not_hidden(tmp_path: Path) -> None:
    with opened(tmp_path) as cache, pytest.raises(sqlite3.OperationalError, match="no such table"):
        cache.run(lambda: cache.connection.execute("select * from nowhere"))


def test_the_lock_is_not_waited_for_without_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fcntl = pytest.importorskip("fcntl")
    monkeypatch.setattr(db, "OPEN_SECONDS", 0.05)
    (tmp_path / "memgit").mkdir()
    with (tmp_path / "memgit" / "cache.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert open_cache(str(tmp_path), "one") is None
    with opened(tmp_path) as cache:
        assert cache.path is not None


def test_a_log_is_emptied_by_the_write_that_makes_it_long(tmp_path: Path) -> None:
    """Processes that end without closing leave their log to all that come after them: it must not grow from
    one to the next.
    """
    log = tmp_path / "memgit" / "cache.db-wal"
    code = (
        "import os, sys\nfrom memgit.cache.db import open_cache\ncache = open_cache(sys.argv[1], 'one')\n"
        f"cache.schema('numbers', 1, {DDL!r})\n"
        "with cache.write() as db: db.executemany('insert into number values (?)', "
        "((int(sys.argv[2]) + i,) for i in range(30_000)))\n"
        "os._exit(0)\n"
    )
    for number in range(4):
        finish(child(code, str(tmp_path), str(number * 30_000)))
        assert log.stat().st_size < db.LOG_BYTES
    with opened(tmp_path) as cache:
        assert cache.connection.execute("select count(*) from number").fetchone() == (120_000,)
    assert sound(tmp_path / "memgit" / "cache.db")


def test_a_long_log_that_another_reads_is_left(tmp_path: Path) -> None:
    with opened(tmp_path) as reader, opened(tmp_path) as cache:
        add(cache, 1)
        reader.read()
        assert numbers(reader) == [1]
        started = time.monotonic()
        with cache.write() as connection:
            connection.executemany(
                "insert into number values (?)", ((number,) for number in range(2, 60_000))
            )
        assert time.monotonic() - started < 5, "a write does not wait for readers"
        assert numbers(reader) == [1]
        assert (tmp_path / "memgit" / "cache.db-wal").stat().st_size > db.LOG_BYTES
        reader.end_read()
        add(cache, 60_000)
        assert (tmp_path / "memgit" / "cache.db-wal").stat().st_size < db.LOG_BYTES


def test_more_pages_in_memory_for_a_while(tmp_path: Path) -> None:
    with opened(tmp_path) as cache:
        connection = cache.connection

        def size() -> int:
            return int(connection.execute("pragma cache_size").fetchone()[0])

        assert size() == -db.PAGES, "what SQLite has by itself"
        with pytest.raises(KeyboardInterrupt), db.pages(connection, 9_000):
            assert size() == -9_000
            raise KeyboardInterrupt
        assert size() == -db.PAGES
        with db.pages(connection, 9_000):
            connection.close()


def test_no_placeholder_of_sql_has_a_number() -> None:
    """Bound by a sequence, they are deprecated since Python 3.12 and an error from 3.14 on."""
    package = Path(db.__file__).parents[1]
    numbered = [
        f"{path.relative_to(package)}:{node.lineno}"
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
        if re.search(r"[\s(=~]\?\d", node.value)
    ]
    assert numbered == []
