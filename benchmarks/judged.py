"""Precision and recall of the rules on small judged cases.

    python benchmarks/judged.py [CODE ...]

`tests/lint/judged/` holds two files a rule: what it must find (`MG204.true.txt`) and what it must leave alone
(`MG204.false.txt`). Each case is a few files, written for this purpose. A rule finds a case where it reports
anything but a hint in it.

The format: `=== name` begins a case, `layout: notes` names its layout (memgit's own where it is left out), and
`--- path` begins a file, `--- before path` a file as it was before the change. In text `\\u200b` is that
character, and `{}` is nothing: it keeps scanners from taking a made-up credential for a real one.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from memgit.lint.engine import run  # noqa: E402
from memgit.lint.rule import Example, Finding, Rule  # noqa: E402
from memgit.lint.rules import RULES  # noqa: E402
from memgit.lint.settings import Settings  # noqa: E402
from tests.lint.examples import corpus_of  # noqa: E402

FOLDER = ROOT / "tests" / "lint" / "judged"
_CODE = re.compile(r"\\u([0-9a-fA-F]{4})")


class Case(NamedTuple):
    """One judged case of a rule: whether the rule must find it, and the files."""

    rule: Rule
    name: str
    true: bool
    example: Example

    def findings(self) -> list[Finding]:
        """What the rule reports in it, hints left out."""
        result = run(corpus_of(self.example), Settings(), [self.rule])
        return [one for one in result.findings if one.severity != "info"]


def cases(codes: tuple[str, ...] = ()) -> Iterator[Case]:
    """Every case, or those of some rules."""
    for rule in RULES:
        for true in (True, False):
            file = FOLDER / f"{rule.code}.{'true' if true else 'false'}.txt"
            if (not codes or rule.code in codes) and file.exists():
                yield from _read(rule, true, file.read_text(encoding="utf-8"))


def _read(rule: Rule, true: bool, text: str) -> Iterator[Case]:
    for block in re.split(r"(?m)^=== ", text)[1:]:
        head, *parts = re.split(r"(?m)^--- ", block)
        name, *settings = head.strip().split("\n")
        layout = dict(line.split(": ", 1) for line in settings).get("layout", "memgit")
        files: dict[str, str | bytes] = {}
        before: dict[str, str | bytes] = {}
        for part in parts:
            path, _, content = part.partition("\n")
            side = before if path.startswith("before ") else files
            plain = _CODE.sub(lambda match: chr(int(match[1], 16)), content.replace("{}", ""))
            side[path.removeprefix("before ")] = plain.rstrip("\n") + "\n" if plain.strip() else ""
        yield Case(rule, name, true, Example(files, before=before or None, layout=layout))


def main(argv: list[str]) -> int:
    """Prints one line a rule and what was judged wrongly; 1 where a rule errs."""
    wrong = []
    print(f"{'rule':<28}{'true':>6}{'found':>7}{'false':>7}{'fired':>7}{'precision':>11}{'recall':>8}")
    by_rule: dict[str, list[tuple[Case, list[Finding]]]] = {}
    for case in cases(tuple(argv)):
        by_rule.setdefault(case.rule.code, []).append((case, case.findings()))
    for code, judged in by_rule.items():
        true = [found for case, found in judged if case.true]
        false = [found for case, found in judged if not case.true]
        hits, alarms = sum(map(bool, true)), sum(map(bool, false))
        precision = hits / (hits + alarms) if hits + alarms else 1.0
        recall = hits / len(true) if true else 1.0
        name = f"{code} {judged[0][0].rule.name}"
        print(f"{name:<28}{len(true):>6}{hits:>7}{len(false):>7}{alarms:>7}{precision:>11.2f}{recall:>8.2f}")
        wrong += [(case, found) for case, found in judged if bool(found) != case.true]
    for case, found in wrong:
        print(f"{case.rule.code} {'missed' if case.true else 'false alarm'}: {case.name}")
        for one in found:
            print(f"    {one.path}:{one.line}: {one.message}")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
