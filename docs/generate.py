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


def gate_page(text: str) -> str:
    """docs/gate.md: the table of the gate, and that of the statuses of a decision."""
    from memgit.lint import gate
    from memgit.model.kinds import FOLLOWING

    doors = [["what the change brings", *gate.DOORS]]
    rows = [[row.what, *(row.verdicts[door] for door in gate.DOORS)] for row in gate.TABLE]
    text = _between(text, "gate", doors + rows)
    statuses = [[status, ", ".join(then) or "nothing"] for status, then in FOLLOWING.items()]
    return _between(text, "statuses", [["status", "may become"], *statuses])


def _between(text: str, name: str, rows: list[list[str]]) -> str:
    """A page with a table between two of its comments."""
    first, last = f"<!-- {name}: table -->\n", f"<!-- {name}: end -->"
    before, _, rest = text.partition(first)
    head, *body = (f"| {' | '.join(row)} |\n" for row in rows)
    return (
        before + first + head + "|---" * len(rows[0]) + "|\n" + "".join(body) + last + rest.partition(last)[2]
    )


FILES: dict[str, Callable[[str], str]] = {
    "docs/commands.md": commands,
    "docs/gate.md": gate_page,
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
