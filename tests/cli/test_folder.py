"""`-C DIR`: every path that is typed counts from there, as for git."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest


def away(folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Runs memgit from another folder, by `-C`."""
    command = [sys.executable, "-m", "memgit", "-C", str(folder), *args]
    done = subprocess.run(
        command, cwd=folder.parent, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done


@pytest.fixture
def text(kb: Path) -> Path:
    (kb / ".git" / "scratch").mkdir()
    (kb / ".git/scratch/body.md").write_text("Restart the proxy with `systemctl restart proxy`.\n")
    (kb / ".git/scratch/batch.jsonl").write_text(
        '{"kind": "memory", "title": "From a batch", "body": "One."}\n'
    )
    return kb


def test_texts_are_read_from_there(text: Path) -> None:
    away(text, "record", "memory", "From a file", "-F", ".git/scratch/body.md")
    away(text, "extend", "From a file", "-F", ".git/scratch/body.md")
    away(text, "record", "--batch", ".git/scratch/batch.jsonl")
    assert away(text, "list", "memory").stdout.count("From a ") == 2


def test_plans_and_reports_are_written_there(text: Path) -> None:
    away(text, "ingest", ".git/scratch/body.md", "--plan", ".git/scratch/plan.yaml")
    assert (text / ".git/scratch/plan.yaml").is_file()
    away(text, "ingest", "--apply", ".git/scratch/plan.yaml")
    away(text, "lint", "--format", "sarif", "-o", ".git/scratch/lint.sarif")
    away(
        text,
        "review",
        "HEAD~1..HEAD",
        "-o",
        ".git/scratch/review.txt",
        "--also",
        "json=.git/scratch/review.json",
    )
    assert {path.name for path in (text / ".git/scratch").iterdir()} >= {
        "plan.yaml",
        "lint.sarif",
        "review.txt",
        "review.json",
    }
