"""The cache file: one SQLite database under the common git directory, disposable and never trusted over git.

`<common git directory>/memgit/cache.db` is shared by all worktrees of a clone. It may be deleted at any time;
a file that is broken or that another version of memgit wrote is thrown away and made anew. No caller ever
meets an error of SQLite: where the file cannot be used, the same tables live in memory for the rest of the
process (`memory_cache`, `Cache.recover`).

The journal is a write-ahead log with `synchronous=NORMAL`. A commit then waits for no disk (the log is
synchronised when it is carried over into the file), readers and the one writer do not block each other, and
neither `kill -9` nor a power cut tears the file. Opening it, one small transaction and closing cost about 2
ms; without any synchronisation it would be 0.5 ms, and a power cut could leave pages of two ages that no
check tells apart.

Other processes may have the file open while it is thrown away. SQLite binds a write-ahead log to its file by
name alone, so whoever opens the file holds a shared lock on `cache.lock` until it has opened the log too, and
whoever removes it holds an exclusive one.
"""

from __future__ import annotations

import os
import sqlite3
import time
from contextlib import contextmanager, suppress

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any, TypeVar

    T = TypeVar("T")

FAILURES = (sqlite3.Error, UnicodeDecodeError)
"""What a broken file raises: where its own bytes are part of a message, Python cannot decode it into an
`Error`.
"""
MAX_ROWS = 1 << 40
"""The largest number of rows that is asked for: SQLite counts no further than 2**63."""
MAX_KEPT = 8
"""Keys under which a process keeps something in memory."""
VERSION = 1
"""Of the tables in this module; part of the fingerprint."""

FOLDER = "memgit"
NAME = "cache.db"
LOCK = "cache.lock"
BUSY_SECONDS = 15.0
"""How long to wait for another process that is writing: a full build of a large repository fits in it."""
LOG_BYTES = 1 << 20
"""Size of the log from which on a commit carries it over into the file and empties it.

Not left to SQLite, which only begins such a log anew where one process carries it over and then writes again.
Processes here live for one write, and whoever opens the file after the last one has gone reads all of the
log: so it would grow without end, and every start with it.
"""
OPEN_TRIES = 5
"""How often a file is opened that others throw away at the same moment."""
OPEN_SECONDS = 5.0
"""How long to wait for another process that is making or removing the file, which takes a few milliseconds.
"""

PAGES = 2_000
"""KiB of pages that SQLite keeps in memory unless told otherwise."""

_CORRUPT = frozenset(
    [
        sqlite3.SQLITE_CORRUPT,
        sqlite3.SQLITE_NOTADB,
        sqlite3.SQLITE_ERROR,
        sqlite3.SQLITE_SCHEMA,
        sqlite3.SQLITE_FORMAT,
        sqlite3.SQLITE_CONSTRAINT,
        sqlite3.SQLITE_MISMATCH,
        sqlite3.SQLITE_INTERNAL,
    ]
)
_SCHEMA = """
create table meta(key text primary key, value text) without rowid;
create table part(name text primary key, version integer not null, made text not null) without rowid;
"""


class Cache:
    """An open cache. Used by one thread.

    Attributes:
        connection: in autocommit mode; write through `write`, and read rows to the end before writing.
        path: the file, None for one in memory.
        readonly: the file cannot be written; the first write moves on to a copy in memory.
        generation: grows whenever the contents were lost or moved; rows known from before mean nothing then.
        serial: grows with every read transaction; see `read`.
    """

    def __init__(
        self, connection: sqlite3.Connection, path: str | None, fingerprint: str, *, readonly: bool = False
    ) -> None:
        self.connection = connection
        self.path = path
        self.readonly = readonly
        self.generation = 0
        self.serial = 0
        self._fingerprint = fingerprint
        self._parts: dict[str, tuple[int, str]] = {}
        self._kept: dict[Any, dict[Any, Any]] = {}
        self._writing = False
        self._identity = _identity(path)

    def __enter__(self) -> Cache:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def kept(self, *key: Any) -> dict[Any, Any]:
        """What this process keeps in memory under a key: answers that follow from the key alone, such as a
        commit or the content of a file, so that they never grow old. The keys used least lately are dropped.
        """
        found = self._kept.pop(key, None)
        while len(self._kept) >= MAX_KEPT:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = {} if found is None else found
        return self._kept[key]

    def close(self) -> None:
        """Closes the file; the object cannot be used any more."""
        with suppress(*FAILURES):  # a log that cannot be carried over is carried over by the next process
            self.connection.close()

    def schema(self, name: str, version: int, ddl: str) -> None:
        """Makes the tables of one part of the cache, or makes them anew where another version of them is
        there.

        Args:
            name: of the part, unique.
            version: any change of `ddl` needs a new one.
            ddl: statements that create tables and indexes.

        Raises:
            sqlite3.Error: the file is broken; call it within `run`.
        """
        self._parts[name] = (version, ddl)
        row = self.connection.execute("select version from part where name = ?", (name,)).fetchone()
        if row == (version,):
            return
        with self.write() as connection:
            row = connection.execute("select version, made from part where name = ?", (name,)).fetchone()
            if row is not None and row[0] == version:
                return
            for kind, table in (
                line.split(" ", 1) for line in (row[1].split("\n") if row and row[1] else ())
            ):
                connection.execute(f'drop {kind} if exists "{table}"')
            before = _objects(connection)
            for statement in _statements(ddl):
                connection.execute(statement)
            made = [f"{kind} {table}" for kind, table in _objects(connection) if (kind, table) not in before]
            connection.execute(
                "insert or replace into part values (?, ?, ?)", (name, version, "\n".join(made))
            )

    @contextmanager
    def write(self) -> Iterator[sqlite3.Connection]:
        """One transaction that other processes wait for; rolled back where the block raises. Ends an open
        read transaction.

        Inside another `write` it is part of that one.

        Raises:
            sqlite3.Error: nothing was written; call it within `run`.
        """
        if self._writing:
            yield self.connection
            return
        if self.readonly:
            self._to_memory()
        connection = self.connection
        self.end_read()
        connection.execute("begin immediate")
        self._writing = True
        try:
            yield connection
            connection.execute("commit")
        except BaseException:
            if connection.in_transaction:
                connection.execute("rollback")
            raise
        finally:
            self._writing = False
        self._carry_over()

    def _carry_over(self) -> None:
        """Empties a long log; not where another process reads from it, which leaves that to a later write."""
        try:
            if self.path is None or os.path.getsize(f"{self.path}-wal") < LOG_BYTES:
                return
            self.connection.execute("pragma busy_timeout = 0")
            try:
                self.connection.execute("pragma wal_checkpoint(truncate)").fetchone()
            finally:
                self.connection.execute(f"pragma busy_timeout = {int(BUSY_SECONDS * 1000)}")
        except (OSError, *FAILURES):  # what was written is safe in the log
            return

    def read(self) -> int:
        """Opens a read transaction unless one is open: until the next write, every read sees one state.

        Gives its number (`serial`).
        """
        if not self.connection.in_transaction:
            self.connection.execute("begin")
            self.serial += 1
        return self.serial

    def end_read(self) -> None:
        """Ends the read transaction, if one is open."""
        if self.connection.in_transaction and not self._writing:
            self.connection.execute("commit")

    def run(self, work: Callable[[], T]) -> T:
        """The result of `work`.

        Where SQLite fails, the cache is fixed (see `recover`) and `work` starts again from its beginning.
        """
        for _ in range(3):
            try:
                return work()
            except FAILURES as error:
                # the outermost caller fixes: what was written before is lost with the transaction
                if self._writing:
                    raise
                self.recover(error)
        return work()

    def renew(self) -> None:
        """Throws the contents away and goes on with an empty file, which other processes then find too."""
        self.recover(sqlite3.DatabaseError("thrown away on purpose"))

    def fault(self) -> str | None:
        """What is wrong with the file, in words; None where nothing is. Reads all of it."""
        try:
            self.end_read()
            found = [str(row[0]) for row in self.connection.execute("pragma quick_check(1)")]
        except FAILURES as error:
            return str(error)
        return None if found == ["ok"] else "; ".join(found)

    def recover(self, error: Exception) -> None:
        """Goes on after an error of SQLite.

        A broken file is removed and made anew. A file that is locked, full or out of reach is left for
        others, and a copy in memory (an empty one, if it cannot be read) takes its place. Raises nothing; all
        parts are there again afterwards.
        """
        broken = self.path is None or _is_corrupt(error)
        if broken and self.path is not None and not self.readonly:
            self.close()
            anew = _open(self.path, self._fingerprint, discard=self._identity)
            if anew is not None:
                with suppress(*FAILURES):  # such as a full disk
                    self._move_to(anew, self.path)
                    return
        self._to_memory(empty=broken)

    def _to_memory(self, empty: bool = False) -> None:
        copy = sqlite3.connect(":memory:", isolation_level=None)
        try:
            if empty:
                raise sqlite3.DatabaseError
            self.end_read()
            self.connection.backup(copy)
        except FAILURES:
            copy.close()
            copy = _fresh(":memory:", self._fingerprint)
        else:
            _prepare(copy)
        self.close()
        self._move_to(copy, None)

    def _move_to(self, connection: sqlite3.Connection, path: str | None) -> None:
        self.connection, self.path, self.readonly = connection, path, False
        self._identity = _identity(path)
        self._writing = False
        self.generation += 1
        for name, (version, ddl) in list(self._parts.items()):
            self.schema(name, version, ddl)


def open_cache(common_dir: str, fingerprint: str) -> Cache | None:
    """The cache of a repository, made if need be; None where no file can be used (then `memory_cache` does
    the same, only slower).

    Args:
        common_dir: the common git directory.
        fingerprint: what the contents depend on besides git and the layout: a file with another one is thrown
            away.
    """
    folder = os.path.join(common_dir, FOLDER)
    path = os.path.join(folder, NAME)
    stamp = f"{VERSION} {fingerprint}"
    try:
        os.mkdir(folder)
    except FileExistsError:
        pass
    except OSError:
        return None
    still = not os.access(folder, os.W_OK) or _is_protected(path)
    if not still:
        connection = _open(path, stamp)
        if connection is not None:
            return Cache(connection, path, stamp)
    connection = _open_readonly(path, stamp, still=still)
    return None if connection is None else Cache(connection, path, stamp, readonly=True)


def memory_cache(fingerprint: str = "") -> Cache:
    """An empty cache in memory."""
    stamp = f"{VERSION} {fingerprint}"
    return Cache(_fresh(":memory:", stamp), None, stamp)


@contextmanager
def pages(connection: sqlite3.Connection, kibibytes: int) -> Iterator[None]:
    """Keeps more pages in memory within the block, for a connection that lives on after it, however it ends.

    Raises:
        sqlite3.Error: the file is broken; call it within `Cache.run`.
    """
    connection.execute(f"pragma cache_size = -{kibibytes}")
    try:
        yield
    finally:
        with suppress(*FAILURES):  # it may be closed by now
            connection.execute(f"pragma cache_size = -{PAGES}")


def _is_protected(path: str) -> bool:
    """Whether a file lies there that must not be written.

    One that others remove and make anew at this moment is not taken for such.
    """
    for _ in range(3):
        before = _identity(path)
        if before is None or os.access(path, os.W_OK) or _identity(path) != before:
            return False
    return True


def _open(path: str, stamp: str, discard: tuple[int, int] | None = None) -> sqlite3.Connection | None:
    """The file with the right fingerprint, made anew unless it is there; None where that cannot be.

    `discard` names a file (see `_identity`) that is known to be broken.
    """
    for left in reversed(range(OPEN_TRIES)):
        try:
            return _opened(path, stamp, discard)
        except (OSError, *FAILURES) as error:
            # Who closes a file that was thrown away takes the log of the new one along, if both had a name.
            if not left or _primary_code(error) != sqlite3.SQLITE_IOERR:
                return None
            time.sleep(0.01)
    return None


def _opened(path: str, stamp: str, discard: tuple[int, int] | None) -> sqlite3.Connection:
    """As `_open`.

    Raises:
        OSError: it is locked for long, or the folder cannot be written.
        sqlite3.Error: it cannot be read or made.
    """
    with _lock(path, exclusive=False):
        connection = _open_existing(path, stamp) if discard is None or _identity(path) != discard else None
    if connection is not None:
        return connection
    with _lock(path, exclusive=True):
        # somebody else may have been here between the two locks
        if discard is None or _identity(path) != discard:
            connection = _open_existing(path, stamp)
            if connection is not None:
                return connection
        for suffix in ("", "-wal", "-shm", "-journal"):
            with suppress(FileNotFoundError):
                os.unlink(path + suffix)
        return _fresh(_uri(path, "rwc"), stamp)


def _open_existing(path: str, stamp: str) -> sqlite3.Connection | None:
    """The file if it has that fingerprint; None where it is absent, broken or another's.

    Raises:
        sqlite3.Error: it is locked.
    """
    if not os.path.isfile(path) or os.path.islink(path):
        return None
    connection = sqlite3.connect(_uri(path, "rw"), timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    try:
        _prepare(connection)
        row = connection.execute("select value from meta where key = 'fingerprint'").fetchone()
        if row == (stamp,):
            return connection
    except FAILURES as error:
        if not _is_corrupt(error):
            connection.close()
            raise
    connection.close()
    return None


def _open_readonly(path: str, stamp: str, *, still: bool) -> sqlite3.Connection | None:
    """A file that cannot be written now.

    `still`: nobody can write it, so SQLite need not look for the locks that it could not take.
    """
    try:
        logged = os.path.exists(path + "-wal") and os.path.getsize(path + "-wal") > 0
        mode = "ro&immutable=1" if still and not logged else "ro"
        connection = sqlite3.connect(_uri(path, mode), timeout=BUSY_SECONDS, isolation_level=None, uri=True)
    except (OSError, *FAILURES):
        return None
    try:
        _prepare(connection)
        if connection.execute("select value from meta where key = 'fingerprint'").fetchone() == (stamp,):
            return connection
    except FAILURES:
        pass
    connection.close()
    return None


def _fresh(uri: str, stamp: str) -> sqlite3.Connection:
    """A new database.

    The fingerprint is written with the tables, so one whose making was cut short is known by its absence.
    """
    connection = sqlite3.connect(uri, timeout=BUSY_SECONDS, isolation_level=None, uri=uri.startswith("file:"))
    try:
        _prepare(connection)
        # Where shared memory is not to be had (some network disks) this leaves a rollback journal, which
        # works as well, only slower.
        connection.execute("pragma journal_mode=wal")
        connection.execute("begin immediate")
        for statement in _statements(_SCHEMA):
            connection.execute(statement)
        connection.execute("insert into meta values ('fingerprint', ?)", (stamp,))
        connection.execute("commit")
    except BaseException:
        connection.close()
        raise
    return connection


def _prepare(connection: sqlite3.Connection) -> None:
    connection.execute("pragma synchronous=normal")
    connection.execute("pragma temp_store=memory")
    # A process that ends without closing leaves its log to the next one, which reads it before anything else
    # (see `LOG_BYTES`).
    connection.execute("pragma wal_autocheckpoint=0")


def _objects(connection: sqlite3.Connection) -> set[tuple[str, str]]:
    """Type and name of every table and view; what SQLite makes for itself and the inner tables of virtual
    ones are left out.
    """
    rows = connection.execute("select type, name, sql from sqlite_master where type in ('table', 'view')")
    found = [
        (kind, name, (sql or "").lower().startswith("create virtual"))
        for kind, name, sql in rows
        if not name.startswith("sqlite_")
    ]
    inner = tuple(f"{name}_" for _, name, is_virtual in found if is_virtual)
    return {(kind, name) for kind, name, is_virtual in found if is_virtual or not name.startswith(inner)}


def _statements(ddl: str) -> list[str]:
    return [statement for statement in (part.strip() for part in ddl.split(";")) if statement]


def _is_corrupt(error: Exception) -> bool:
    """Whether an error speaks of the contents rather than of locks, space or rights."""
    return _primary_code(error) in _CORRUPT


def _primary_code(error: Exception) -> int:
    """The primary code of an error of SQLite: the low byte of what it says."""
    code: int = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    return code & 0xFF


def _identity(path: str | None) -> tuple[int, int] | None:
    """Device and inode of a file, None where there is none."""
    if path is None:
        return None
    try:
        found = os.stat(path)
    except OSError:
        return None
    return found.st_dev, found.st_ino


def _uri(path: str, mode: str) -> str:
    plain = b"/-_.~0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    name = path.replace(os.sep, "/")
    quoted = "".join(
        chr(byte) if byte in plain else f"%{byte:02x}"
        for byte in os.fsencode(name if name.startswith("/") else f"/{name}")
    )
    return f"file:{quoted}?mode={mode}"


@contextmanager
def _lock(path: str, *, exclusive: bool) -> Iterator[None]:
    """Holds the lock beside the file; where the system or the disk has no such locks, nothing.

    Raises:
        OSError: somebody holds it for long, or the lock file cannot be made.
    """
    try:
        import fcntl
    except ImportError:  # Windows removes no file that is open
        yield
        return
    handle = os.open(os.path.join(os.path.dirname(path), LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
    try:
        flags = (fcntl.LOCK_EX if exclusive else fcntl.LOCK_SH) | fcntl.LOCK_NB
        until = time.monotonic() + OPEN_SECONDS
        while True:
            try:
                fcntl.flock(handle, flags)
                break
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.002)
            except OSError:  # no locks on this disk
                break
        yield
    finally:
        os.close(handle)
