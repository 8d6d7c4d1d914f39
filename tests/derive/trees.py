"""Small trees for the tests of derived files, in memory, and real ones from a folder."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from memgit.derive import derive_all, view_of
from memgit.derive.view import View
from memgit.model.filetree import NO_FILES, EditedTree
from memgit.model.layout import Layout
from tests.support import run_git

Files = dict[str, bytes]


def entry(title: str, date: str = "2026-03-01", keywords: str = "", skill: str = "") -> str:
    """One entry with the fields of Mem Skill 1.2."""
    lines = [
        f"## {title}",
        f"**Date:** {date}",
        *([f"**Skill:** {skill}"] if skill else []),
        "**Source:** conversation",
    ]
    return "\n".join(
        [
            *lines,
            "**Context:** When the tide turns.",
            "**Best Practice:**",
            "- Look at the table",
            f"**Keywords:** {keywords}",
            "",
        ]
    )


def document(title: str, **fields: str) -> str:
    """One document; underscores in a value stay, its text is written as it is given."""
    lines = [
        f"{key}: {value}" for key, value in {"title": f'"{title}"', "created": "2026-03-01", **fields}.items()
    ]
    return "\n".join(["---", *lines, "---", "", "Some words.", ""])


def files(texts: Mapping[str, str | bytes]) -> Files:
    return {path: text if isinstance(text, bytes) else text.encode() for path, text in texts.items()}


def applied(tree: Mapping[str, bytes], edits: Mapping[str, bytes | None]) -> Files:
    """A tree with edits."""
    out = {**tree, **edits}
    return {path: data for path, data in out.items() if data is not None}


def derived(layout: Layout, tree: Mapping[str, bytes]) -> Files:
    """A tree with its derived files as they should be."""
    return applied(tree, derive_all(view_of(layout, tree)))


def on_disk(folder: Path) -> Files:
    """Every file under a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def merged(tmp_path: Path, base: Files, *sides: Files) -> tuple[int, Files]:
    """What plain git makes of two branches, with no driver."""
    run_git(tmp_path, "init", "-q")
    for number, tree in enumerate((base, *sides)):
        if number:
            run_git(tmp_path, "checkout", "-q", "-b", f"side{number}", "main")
        for path, data in tree.items():
            (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / path).write_bytes(data)
        run_git(tmp_path, "add", "-A")
        run_git(tmp_path, "commit", "-q", "-m", f"commit {number}")
    run_git(tmp_path, "merge", "-q", "side1", check=False)
    conflicts = run_git(tmp_path, "ls-files", "-u").count("\n")
    tree = {path: data for path, data in on_disk(tmp_path).items() if not path.startswith(".git/")}
    return conflicts, tree


class OlderView(View):
    """Files in memory, with earlier versions of some, the newest first."""

    def __init__(
        self, layout: Layout, files: Mapping[str, bytes], older: Mapping[str, Sequence[bytes]]
    ) -> None:
        super().__init__(layout, EditedTree(NO_FILES, files))
        self._older = older

    def last_good(self, path: str, is_good: Callable[[bytes], bool]) -> bytes | None:
        return next((data for data in self._older.get(path, ()) if is_good(data)), None)
