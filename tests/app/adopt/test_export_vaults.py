"""Notes with any links, exported and adopted, are the same records, to the byte."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import vaults
from tests.support import commit, examples, memgit, run_git, write

NUMBERS = itertools.count()


def texts(folder: Path) -> dict[str, tuple[str, str, Any]]:
    """Kind, text and fields of each record by its title and path."""
    found = memgit(folder, "list", "--archived", "--json").json
    return {
        f"{one['title']} {one['path']}": (
            one["kind"],
            memgit(folder, "show", one["address"], "--json").json["body"],
            one["fields"],
        )
        for one in found
    }


@settings(max_examples=examples(8))
@given(vaults(), st.booleans())
def test_the_same_records_come_back(
    tmp_path_factory: pytest.TempPathFactory, files: dict[str, str], adopts: bool
) -> None:
    folder = tmp_path_factory.mktemp(f"vault{next(NUMBERS)}")
    run_git(folder, "init", "-q")
    files = {f"notes/{path}": text for path, text in files.items()}
    for path, text in files.items():
        write(folder, path, text)
    memgit(folder, "init", "--no-hooks")
    commit(folder)
    out = folder.parent / f"{folder.name}-out"
    assert memgit(folder, "export", str(out), "--json").json["lost"] == []
    for path in files:
        assert (out / path).read_bytes() == (folder / path).read_bytes()
    run_git(out, "init", "-q")
    commit(out)
    if adopts:
        memgit(out, "adopt")
    else:
        memgit(out, "init", "--no-hooks")
    assert texts(out) == texts(folder)
