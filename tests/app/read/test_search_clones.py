"""Every clone answers a search alike: by the records of the commit, not by what its cache has seen on the way
there.
"""

from __future__ import annotations

from pathlib import Path

from tests.support import memgit, run_git

QUERIES = (
    ["proxy"],
    ["cache", "proxy", "certificate"],
    ['"build cache"', "slow"],
    ["缓存"],
    ["rec*"],
    ["cache", "--kind", "memory", "--limit", "2"],
    ["the", "cache", "--archived"],
    ["certifcate prox"],
)


def answers(folder: Path, *options: str) -> list[str]:
    """What `search --json` prints for every query."""
    return [memgit(folder, "search", "--json", *query, *options).out for query in QUERIES]


def memory(folder: Path, name: str, text: str) -> None:
    memgit(
        folder,
        "record",
        "memory",
        name,
        "-m",
        text,
        "--topics",
        "build",
        "--date",
        "2026-01-02",
        "--similar",
        "create",
    )


def grown(folder: Path) -> dict[str, list[str]]:
    """Makes a history with a branch, an amended and a lost commit and a merge; gives what was answered while
    each commit was the newest.
    """
    then: dict[str, list[str]] = {}

    def look() -> None:
        then[run_git(folder, "rev-parse", "HEAD")] = answers(folder)

    for number in range(6):
        memory(folder, f"Record {number}", "The build cache is slow. " * number + "A proxy helps.")
        look()
    memory(folder, "缓存失效策略", "如何配置缓存，避免缓存雪崩。 cache")
    look()
    options = ["--category", "tls", "--keywords", "proxy,tls", "--date", "2026-01-02", "--similar", "create"]
    for number in range(3):
        memgit(
            folder,
            "record",
            "knowledge",
            f"Certificate {number}",
            "-m",
            f"- Trust the proxy {number}",
            *options,
        )
        look()
    run_git(folder, "switch", "-q", "-c", "side")
    memgit(
        folder,
        "update",
        "memory/record-2",
        "-m",
        "The certificate of the proxy ran out, and the cache with it.",
    )
    look()
    memory(folder, "Only on the side", "cache cache cache proxy")
    look()
    run_git(folder, "switch", "-q", "-")
    memgit(folder, "archive", "memory/record-3")
    look()
    memgit(folder, "update", "memory/record-4", "-m", "Nothing of that kind any more.")
    look()
    path = folder / "memory" / "record-5.md"
    path.write_text(
        path.read_text(encoding="utf-8") + "\nAnd a proxy certificate, by hand.\n", encoding="utf-8"
    )
    run_git(folder, "commit", "-qa", "--no-verify", "--amend", "-m", "amended")
    look()
    memory(folder, "Lost again", "proxy proxy proxy cache")
    look()
    run_git(folder, "reset", "-q", "--hard", "HEAD~1")
    assert answers(folder) == then[run_git(folder, "rev-parse", "HEAD")]
    run_git(folder, "merge", "-q", "--no-edit", "side")
    look()
    return then


def test_clones_worktrees_and_looks_back_answer_alike(kb: Path, tmp_path: Path) -> None:
    then = grown(kb)
    tip = run_git(kb, "rev-parse", "HEAD")
    assert len(set(map(tuple, then.values()))) == len(then) > 12
    run_git(tmp_path, "clone", "-q", str(kb), "new")
    new = tmp_path / "new"
    assert answers(new) == then[tip]

    # As it would have answered then: in a new clone, and in the one where all of it happened.
    kept = [commit for commit in then if run_git(kb, "branch", "--contains", commit, check=False)]
    assert len(kept) > 10
    for number, commit in enumerate(kept[::2]):
        before = [answer.replace('"fresh": true', '"fresh": false') for answer in then[commit]]
        assert answers(new, "--at", commit) == before
        assert number % 2 or answers(kb, "--at", commit) == before

    # A linked worktree on another branch has its cache in common with the first.
    run_git(kb, "worktree", "add", "-q", str(tmp_path / "linked"), "side")
    run_git(tmp_path, "clone", "-q", "-b", "side", str(kb), "of-side")
    side = run_git(kb, "rev-parse", "side")
    for folder in (tmp_path / "linked", tmp_path / "of-side"):
        assert answers(folder) == then[side]
    assert answers(kb) == then[tip]

    # Uncommitted edits count in alike.
    for folder in (kb, new):
        (folder / "memory" / "record-1.md").unlink()
        block = "---\ntitle: {0}\ncreated: 2026-01-02\n---\n\n# {0}\n\n"
        (folder / "memory" / "record-0.md").write_text(
            "---\ntitle: Record 0\ncreated: 2026-01-02\n---\n\n# Record 0\n\nrecent proxy cache\n"
        )
        (folder / "memory" / "hand.md").write_text(block.format("By hand") + "proxy certificate\n")
    edited = answers(kb)
    assert edited == answers(new) != then[tip]
    assert answers(tmp_path / "linked") == then[side]
    memgit(new, "rebuild")
    assert answers(new) == edited
    (new / ".git" / "memgit" / "cache.db").unlink()
    assert answers(new) == edited
