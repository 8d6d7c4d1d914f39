"""What several tests need: git as a user runs it."""

from __future__ import annotations

import subprocess
from pathlib import Path


def run_git(folder: Path, *args: str, data: bytes | None = None, check: bool = True) -> str:
    """Standard output of the user's own git in a folder, trailing newline dropped."""
    done = subprocess.run(["git", *args], cwd=folder, input=data, capture_output=True, check=False)
    if check and done.returncode:
        raise AssertionError(f"git {' '.join(args)}: {done.returncode}\n{done.stderr.decode(errors='replace')}")
    return done.stdout.decode("utf-8", "surrogateescape").removesuffix("\n")
