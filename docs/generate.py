"""Writes the generated documentation: docs/commands.md from the commands, docs/rules/ from the rules, the
examples in README.md from running them.

    python docs/generate.py [--check]

`--check` writes nothing and exits 1 with a difference where a file is not current.
"""

from __future__ import annotations

import difflib
import sys
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from docs import reference, tour  # noqa: E402


def commands(_: str) -> str:
    """docs/commands.md."""
    from memgit.cli.main import cli

    return reference.render(cli)


def rule_pages() -> dict[str, Callable[[str], str]]:
    """docs/rules/: one page a rule, and the one that lists them."""
    from memgit.lint.pages import files
    from memgit.lint.rules import RULES

    pages = files(RULES)

    def page(path: str) -> Callable[[str], str]:
        return lambda _: pages[path]

    return {path: page(path) for path in pages}


FILES: dict[str, Callable[[str], str]] = {
    "docs/commands.md": commands,
    "README.md": tour.update,
    **rule_pages(),
}
"""Each generated file, with the function from its present text to the one that it should have."""


def main(argv: list[str]) -> int:
    check = "--check" in argv
    stale = 0
    for name, generate in FILES.items():
        path = ROOT / name
        old = path.read_text(encoding="utf-8") if path.exists() else ""
        new = generate(old)
        if new == old:
            continue
        stale += 1
        if check:
            sys.stdout.writelines(
                difflib.unified_diff(old.splitlines(True), new.splitlines(True), name, f"{name} (generated)")
            )
        else:
            path.parent.mkdir(exist_ok=True)
            path.write_text(new, encoding="utf-8")
            print(f"wrote {name}")
    if check and stale:
        print("run: python docs/generate.py", file=sys.stderr)
    return 1 if check and stale else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
