"""Moving a snapshot to another commit: from the one that it stands for by what differs, or from the whole
tree.
"""

from __future__ import annotations

import os
import sqlite3
import time

from memgit import TYPE_CHECKING
from memgit.cache import rows
from memgit.cache.rows import Content, Parse
from memgit.cache.writer import Writer
from memgit.errors import MemgitError
from memgit.model.layout import Layout, Place
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import TypeAlias

    from memgit.git.objects.tree import Tree
    from memgit.git.repository import Repository

Progress: TypeAlias = "Callable[[int, int], None]"
"""Told now and then how many files of how many are done."""

MAX_SNAPSHOTS = 24
"""How many worktrees, knowledge roots, layouts and revisions are kept; the one that was unused for longest
makes room.
"""
WORTH_TELLING = 200
"""Fewer files are done before anybody has read a message about them."""

_KIND, _REGULAR, _LINK, _SUBMODULE = 0o170000, 0o100000, 0o120000, 0o160000


def name_of(repo: Repository, layout: Layout, label: str = "") -> tuple[str, str]:
    """Name and family of a snapshot: its worktree, root and layout (and what it is for); those of one family
    differ in commit alone.
    """
    places = [rows.place_text(layout, place) for place in layout.places]
    family = rows.to_json([repo.prefix, places])
    worktree = "" if repo.git_dir == repo.common_dir else os.path.relpath(repo.git_dir, repo.common_dir)
    return rows.to_json([worktree, label, family]), family


class Job(NamedTuple):
    """What the steps of one move share; `flag` is the bit of the snapshot in file rows."""

    connection: sqlite3.Connection
    repo: Repository
    layout: Layout
    flag: int
    parse: Parse
    progress: Progress | None


Unread = tuple[str, Place, str, Content]
"""Path, place, key and content of a file that has no row yet."""


def move(
    connection: sqlite3.Connection,
    repo: Repository,
    layout: Layout,
    commit: str | None,
    name: tuple[str, str],
    parse: Parse,
    progress: Progress | None = None,
) -> None:
    """Makes the snapshot of that name stand for a commit. Within a write transaction.

    Raises:
        sqlite3.Error: nothing is lost but the transaction.
        MemgitError: the commit or one of its files cannot be read.
    """
    now = int(time.time())
    wanted = commit or ""
    row = connection.execute("select bit, commit_id from snapshot where name = ?", (name[0],)).fetchone()
    if row is not None and row[1] == wanted:
        return
    bit, start = row if row is not None else _begin(connection, name, now)
    job = Job(connection, repo, layout, 1 << bit, parse, progress)
    steps = _steps(repo, layout, start, commit) if start is not None else None
    if steps is None or len(steps) >= rows.BULK:
        if steps is None:
            _whole(job, repo.tree(commit))
        else:
            _apply(job, steps)
        _count(job, bit)
    else:
        paths = [path for path, _ in steps]
        before = _live(job, paths)
        _apply(job, steps)
        after = _live(job, paths)
        for kind in {*before, *after}:
            connection.execute(
                (
                    "insert into tally values (?, ?, ?) on conflict(bit, kind) do update set live = live "
                    "+ excluded.live"
                ),
                (bit, kind, after.count(kind) - before.count(kind)),
            )
    connection.execute("update snapshot set commit_id = ?, used = ? where bit = ?", (wanted, now, bit))


def _begin(connection: sqlite3.Connection, name: tuple[str, str], now: int) -> tuple[int, str | None]:
    """A new snapshot's bit, and the commit of the sister whose rows it starts with, if there is one."""
    known = connection.execute(
        "select bit, family, commit_id, records, length from snapshot order by used desc"
    ).fetchall()
    if len(known) >= MAX_SNAPSHOTS:
        old = known.pop()[0]
        connection.execute(
            (
                "update file set snapshots = snapshots & ~:bit, stale = case when snapshots & ~:bit then "
                "null else :now end where snapshots & :bit"
            ),
            {"bit": 1 << old, "now": now},
        )
        connection.execute(
            "update measure set snapshots = snapshots & ~:bit where snapshots & :bit", {"bit": 1 << old}
        )
        connection.execute("delete from held where name = (select name from snapshot where bit = ?)", (old,))
        connection.execute("delete from snapshot where bit = ?", (old,))
        connection.execute("delete from tally where bit = ?", (old,))
    taken = {row[0] for row in known}
    bit = next(bit for bit in range(62) if bit not in taken)
    sister = next((row for row in known if row[1] == name[1]), None)
    if sister is not None:
        for table in ("file", "measure"):
            sql = f"update {table} set snapshots = snapshots | ? where snapshots & ?"
            connection.execute(sql, (1 << bit, 1 << sister[0]))
        connection.execute(
            "insert into tally select ?, kind, live from tally where bit = ?", (bit, sister[0])
        )
    records, length = (0, 0) if sister is None else sister[3:]
    connection.execute(
        "insert into snapshot values (?, ?, ?, '', ?, ?, ?)", (bit, *name, now, records, length)
    )
    return bit, None if sister is None else sister[2]


def _count(job: Job, bit: int) -> None:
    """Counts the records of a snapshot that are not archived."""
    job.connection.execute("delete from tally where bit = ?", (bit,))
    job.connection.execute(
        "insert into tally select ?, file.kind, count(*) from file join record on record.f = file.f"
        " where file.snapshots & ? and not record.archived group by file.kind",
        (bit, job.flag),
    )


def _live(job: Job, paths: Sequence[str]) -> list[str]:
    """The kind of each record of some files that is in the snapshot and not archived."""
    sql = (
        f"select file.kind {rows.FROM_FILES} where file.path = ? and file.snapshots & ? and not "
        "record.archived"
    )
    return [kind for path in paths for (kind,) in job.connection.execute(sql, (rows.to_text(path), job.flag))]


def _steps(
    repo: Repository, layout: Layout, start: str, commit: str | None
) -> list[tuple[str, Content | None]] | None:
    """What differs between two commits among paths of records: the new content of each, None where there is
    none any more.

    None where the old commit cannot be read: it was pruned from a rewritten history.
    """
    try:
        changes = repo.compare(start or None, commit)
    except MemgitError:
        return None
    return [
        (path, None if new is None else content_of(new.mode, new.oid))
        for path, _, new in changes
        if layout.find(path) is not None
    ]


def _apply(job: Job, steps: Sequence[tuple[str, Content | None]]) -> None:
    """Takes the old contents out of the snapshot and the new ones in."""
    with Writer.writing(job.connection, job.repo, job.parse, bulk=len(steps) >= rows.BULK) as writer:
        unread: list[Unread] = []
        for path, content in steps:
            select = "select f from file where path = ? and snapshots & ?"
            for (f,) in job.connection.execute(select, (rows.to_text(path), job.flag)).fetchall():
                writer.drop(f, job.flag)
            found = job.layout.find(path) if content is not None else None
            if (
                content is not None
                and found is not None
                and writer.known(job.layout, path, found[0], content, job.flag) is None
            ):
                unread.append((path, *found, content))
        _read(job, writer, unread)


def _whole(job: Job, tree: Tree) -> None:
    """Compares the snapshot with every path of the tree."""
    there = {
        (rows.from_text(path), blob, place): f
        for path, blob, place, f in job.connection.execute(
            "select path, blob, place, f from file where snapshots & ?", (job.flag,)
        )
    }
    files: list[Unread] = []
    for path, mode, oid in tree.listing(job.layout.roots()):
        found = job.layout.find(path)
        content = content_of(mode, oid) if found is not None else None
        if found is not None and content is not None:
            files.append((path, *found, content))
    with Writer.writing(
        job.connection, job.repo, job.parse, bulk=len(files) - len(there) >= rows.BULK
    ) as writer:
        unread: list[Unread] = []
        for path, place, key, content in files:
            held = there.pop((path, content.blob, writer.place(job.layout, place)), None) if there else None
            if held is None and writer.known(job.layout, path, place, content, job.flag) is None:
                unread.append((path, place, key, content))
        for f in there.values():
            writer.drop(f, job.flag)
        _read(job, writer, unread)


def _read(job: Job, writer: Writer, unread: Sequence[Unread]) -> None:
    total = len(unread)
    told = job.progress if total >= WORTH_TELLING else None
    for done, (item, data) in enumerate(_with_data(job.repo, unread)):
        if told is not None and done % 100 == 0:
            told(done, total)
        path, place, key, content = item
        writer.read(job.layout, path, place, key, content, job.flag, data)
    if told is not None:
        told(total, total)


def _with_data(repo: Repository, unread: Sequence[Unread]) -> Iterator[tuple[Unread, bytes | None]]:
    """Files with their bytes.

    Many come from one git process, which reads ahead while this one parses; few are read by the writer.
    """
    blobs: Iterator[tuple[str, bytes]] = iter(())
    if len(unread) >= rows.BULK:
        blobs = repo.blobs(item[3].blob.hex() for item in unread if item[3].problem is None)
    waiting = next(blobs, None)
    for item in unread:
        content = item[3]
        if waiting is not None and content.problem is None and waiting[0] == content.blob.hex():
            yield item, waiting[1]
            waiting = next(blobs, None)
        else:
            yield item, None


def content_of(mode: int, oid: str) -> Content | None:
    """What a tree entry holds: a file to read, a link or submodule that is never followed; None for a folder."""
    kind = mode & _KIND
    if kind == _REGULAR:
        return Content(bytes.fromhex(oid))
    if kind == _LINK:
        return Content(
            b"l" + bytes.fromhex(oid),
            problem=Problem("MG001", 1, "is a symbolic link, which is never followed", True),
        )
    if kind == _SUBMODULE:
        return Content(
            b"s" + bytes.fromhex(oid),
            problem=Problem("MG001", 1, "is a submodule, which holds no records", True),
        )
    return None
