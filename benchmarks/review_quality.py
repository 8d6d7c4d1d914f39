"""How well a review tells good changes from bad ones, on pull requests with one known defect or one harmless
change each.

    python benchmarks/review_quality.py [CORPORA] [--only NAME] [--verbose]

CORPORA is a folder with the workspaces mem-skill-1.2, vault, mnema, til and eips; those that are absent are
left out. Prints how many defects are caught (by the rule meant for them, or as a conflict) and how many
harmless changes get another verdict than pass; exits with 1 unless all and none are.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks.review_cases import CONFLICT, CORPORA, TODAY, Bench, Case, every_case, prepare  # noqa: E402


class Verdict(NamedTuple):
    """What a review said of one case: the verdict, the rules of what is at least a warning, and how long it
    took.
    """

    case: Case
    verdict: str
    rules: tuple[str, ...]
    told: tuple[str, ...]
    seconds: float

    @property
    def right(self) -> bool:
        """Whether a defect was caught by a rule meant for it, or a harmless change passed."""
        if self.case.rules:
            return self.verdict != "pass" and bool(set(self.case.rules) & set(self.rules))
        return self.verdict == "pass"


def judge(bench: Bench, one: Case) -> Verdict:
    """Makes one pull request and reviews it."""
    from memgit.app.review.review import Request, review
    from memgit.app.workspace import Context, open_workspace

    bench.git("checkout", "-q", "-f", "main")
    bench.git("clean", "-qfdx")
    bench.git("branch", "-f", "moved", "main")
    bench.git("checkout", "-q", "-B", "topic", "main")
    one.make(bench)
    bench.commit()
    workspace = open_workspace(str(bench.folder), os.environ, lenient=True)
    started = time.monotonic()
    found = review(workspace, Context(TODAY, f"{TODAY}T12:00:00Z", os.environ), Request("moved", "topic"))
    seconds = time.monotonic() - started
    workspace.close()
    rules = [finding.rule for finding in found.findings if finding.severity != "info"] + [
        CONFLICT for _ in found.conflicts
    ]
    told = [
        f"{finding.rule} {finding.path}:{finding.line} {finding.message}"
        for finding in found.findings
        if finding.severity != "info"
    ]
    told += [f"{CONFLICT} {place.path}:{place.line} {place.message}" for place in found.conflicts]
    return Verdict(one, found.verdict, tuple(dict.fromkeys(rules)), tuple(told), seconds)


def run(corpora: Path, only: str | None = None) -> Iterator[Verdict]:
    """Judges every case on the workspaces that are there."""
    with tempfile.TemporaryDirectory() as scratch:
        benches = prepare(corpora, Path(scratch))
        for one in every_case():
            if one.corpus in benches and (only is None or only in f"{one.corpus}: {one.name}"):
                yield judge(benches[one.corpus], one)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("corpora", nargs="?", type=Path, default=CORPORA)
    parser.add_argument("--only", help="only cases whose name holds this text")
    parser.add_argument("--verbose", action="store_true", help="tell what each review found")
    options = parser.parse_args()
    verdicts = []
    for one in run(options.corpora, options.only):
        verdicts.append(one)
        if options.verbose or not one.right:
            kind = "defect" if one.case.rules else "harmless"
            mark = "right" if one.right else "WRONG"
            print(f"{mark}  {kind}  {one.case.corpus}: {one.case.name}: {one.verdict} {', '.join(one.rules)}")
            if not one.right or options.verbose:
                print("".join(f"         {line[:200]}\n" for line in one.told[:6]), end="")
    defects = [one for one in verdicts if one.case.rules]
    harmless = [one for one in verdicts if not one.case.rules]
    print(f"{len(verdicts)} pull requests on {len({one.case.corpus for one in verdicts})} workspaces")
    print(f"defects caught: {sum(one.right for one in defects)} of {len(defects)}")
    print(f"harmless changes flagged: {sum(not one.right for one in harmless)} of {len(harmless)}")
    if verdicts:
        times = sorted(one.seconds for one in verdicts)
        print(f"a review takes {times[len(times) // 2]:.2f} s (median), {times[-1]:.2f} s (longest)")
    return 0 if all(one.right for one in verdicts) else 1


if __name__ == "__main__":
    sys.exit(main())
