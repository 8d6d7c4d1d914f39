"""The least that could do the job, as programs of their own: what memgit is measured beside.

    python floors.py index DATABASE REPOSITORY        a full-text index of every Markdown file python
    floors.py commit REPOSITORY FOLDER COUNT   commits of one small file through pygit2; prints the median of
    each, in ms

Run with the interpreter of the environment that memgit is installed in. `QUERY` is for `python -I -S -c`.
"""

from __future__ import annotations

import sqlite3
import sys
import time
from pathlib import Path
from statistics import median

QUERY = (
    "import sqlite3, sys\n"
    "db = sqlite3.connect(f'file:{sys.argv[1]}?mode=ro', uri=True)\n"
    "rows = 'SELECT rowid AS r, rank AS k FROM texts WHERE texts MATCH ? ORDER BY rank LIMIT 10'\n"
    "for row in db.execute(f'SELECT path FROM ({rows}) JOIN files ON id = r ORDER BY k', "
    "(sys.argv[2],)): print(*row)\n"
)
"""One query of a full-text index: what a whole process that reads one thing costs at least."""


def index(database: str, repository: str) -> None:
    db = sqlite3.connect(database)
    db.execute("PRAGMA synchronous = OFF")
    db.execute("CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT)")
    db.execute("CREATE VIRTUAL TABLE texts USING fts5 (body, content = '')")
    root = Path(repository)
    for number, path in enumerate(sorted(root.glob("[!.]*/**/*.md")), 1):
        db.execute("INSERT INTO files VALUES (?, ?)", (number, str(path.relative_to(root))))
        db.execute(
            "INSERT INTO texts (rowid, body) VALUES (?, ?)", (number, path.read_text(encoding="utf-8"))
        )
    db.commit()
    db.close()


def commit(repository: str, folder: str, count: int) -> None:
    import pygit2

    repo = pygit2.Repository(repository)
    body = b"# A note\n\n" + b"A few words on one more line of the text.\n" * 12
    took: list[float] = []
    for number in range(count):
        start = time.perf_counter()
        path = f"{folder}/{time.time_ns()}-{number}.md"
        Path(repository, path).write_bytes(body)
        head = repo.lookup_reference("HEAD").resolve()
        parent = repo[head.target]
        assert isinstance(parent, pygit2.Commit)
        oid, mode = repo.create_blob(body), 0o100644
        parts = path.split("/")
        for depth in range(len(parts) - 1, -1, -1):
            tree = parent.tree
            for part in parts[:depth]:
                tree = tree[part]
            builder = repo.TreeBuilder(tree)
            builder.insert(parts[depth], oid, mode)
            oid, mode = builder.write(), 0o040000
        sign = pygit2.Signature("Ada Moss", "ada@example.org", int(time.time()), 0)
        repo.create_commit(head.name, sign, sign, "A note\n", oid, [parent.id])
        took.append((time.perf_counter() - start) * 1000)
    print(f"{median(took):.3f}")


if __name__ == "__main__":
    if sys.argv[1] == "index":
        index(sys.argv[2], sys.argv[3])
    else:
        commit(sys.argv[2], sys.argv[3], int(sys.argv[4]))
