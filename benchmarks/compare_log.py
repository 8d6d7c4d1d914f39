"""Compares `memgit log` with `git log --name-status -M`, commit by commit, over a whole repository of
Markdown notes.

    python benchmarks/compare_log.py FOLDER

FOLDER is the top of a clone without a memgit configuration: every `.md` file is one note. Merges are left
out, since git lists no changes for them. Symbolic links and folders whose name starts with a dot hold no
records. Exits 1 where a commit differs.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LINK = "120000"

Row = tuple[str, str, str | None]


def git_rows(folder: Path) -> dict[str, set[Row]]:
    """What git says of each commit: action, address and old address of every note."""
    command = ["git", "log", "--no-merges", "--format=%x01%H", "--raw", "-M", "-z", "--no-abbrev"]
    listing = subprocess.run(command, cwd=folder, capture_output=True, check=True).stdout.decode(
        "utf-8", "surrogateescape"
    )
    out: dict[str, set[Row]] = {}
    for part in listing.split("\x01")[1:]:
        commit, _, rest = part.partition("\0")
        words = iter(word.lstrip("\n") for word in rest.split("\0") if word.strip("\n"))
        out[commit.strip()] = {
            row
            for head in words
            for row in _rows(head, [next(words) for _ in range(1 + (head.split()[4][0] in "RC"))])
        }
    return out


def _rows(head: str, paths: list[str]) -> list[Row]:
    old_mode, new_mode, _, _, status = head.removeprefix(":").split()
    old = paths[0] if status[0] not in "AC" and _is_note(paths[0], old_mode) else None
    new = paths[-1] if status[0] != "D" and _is_note(paths[-1], new_mode) else None
    if old is None and new is None:
        return []
    if new is None:
        return [("remove", _address(old or ""), None)]
    if old is None:
        return [("create", _address(new), None)]
    return [("rename", _address(new), _address(old)) if old != new else ("update", _address(new), None)]


def _is_note(path: str, mode: str) -> bool:
    return path.endswith(".md") and mode not in (LINK, "160000") and "/." not in f"/{path.rpartition('/')[0]}"


def _address(path: str) -> str:
    return "note/" + path.removesuffix(".md").encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def memgit_rows(folder: Path) -> dict[str, set[Row]]:
    """What memgit says of each commit; what it tells apart more finely than git counts as an update."""
    command = [sys.executable, "-m", "memgit", "-C", str(folder), "log", "--json"]
    listing = json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout)
    same = {"create": "create", "promote": "create", "remove": "remove", "rename": "rename"}
    return {
        event["commit"]: {
            ("rename", row["address"], row["was"])
            if row["was"]
            else (same.get(row["action"], "update"), row["address"], None)
            for row in event["records"]
        }
        for event in listing
    }


def main(argv: list[str]) -> int:
    """Prints the first differences and a count."""
    if len(argv) != 1:
        print(__doc__)
        return 2
    folder = Path(argv[0])
    ours, theirs = memgit_rows(folder), git_rows(folder)
    different = 0
    for commit, wanted in theirs.items():
        got = ours.get(commit, set())
        if got != wanted:
            different += 1
            if different <= 10:
                print(
                    f"{commit}: memgit alone {sorted(map(str, got - wanted))[:5]}, git alone "
                    f"{sorted(map(str, wanted - got))[:5]}"
                )
    print(
        f"{len(theirs)} commits, {sum(map(len, theirs.values()))} changes of notes, {different} "
        "commits differ"
    )
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
