"""Precision and recall of `memgit.lint.alike.matching` on reworded duplicates and related texts.

Usage: likeness.py FOLDER, a checkout of simonw/til. The first 346 notes of the folders below are the records;
`likeness_pairs.txt` has texts that reword one of them (`=`) and texts on a related matter that none of them
has (`~`), written for this purpose. The pairs are split in two by turns; for each half the threshold is set
on the other half (where precision and recall are best together), so no pair is judged by a threshold that was
set on it. The last line judges all pairs by the threshold in force.
"""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

from memgit.lint.alike.matching import CLOSE, likeness, profile
from memgit.model.overlap import rarity

FOLDERS = """
python sqlite github-actions macos llms pytest github django datasette javascript gpt3 bash fly cloudflare docker
aws git jq cloudrun
"""
NAMED = 3
Judged = tuple[str, float]


def pairs() -> list[tuple[str, str, str, str]]:
    """Sign, path, title and text of each pair."""
    out = []
    for line in (Path(__file__).parent / "likeness_pairs.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            path, title, text = (part.strip() for part in line[4:].split("|", 2))
            out.append((line[2], path, title, text))
    return out


def judged(folder: Path) -> list[Judged]:
    """Each pair with its sign and the likeness of the record that would be named: the original of a duplicate, else the closest."""
    found = [path for name in FOLDERS.split() for path in sorted((folder / name).glob("*.md"))][:346]
    records = {}
    for file in found:
        title, _, body = file.read_text().partition("\n")
        records[f"{file.parent.name}/{file.name}"] = profile(title.lstrip("# "), (), body)
    holding = Counter(stem for record in records.values() for stem in record.stems)

    def weight(stem: str) -> float:
        return rarity(len(records), holding[stem])

    out = []
    for sign, path, title, text in pairs():
        new = profile(title, (), text)
        ranked = sorted(
            ((likeness(new, record, weight), name) for name, record in records.items()), reverse=True
        )[:NAMED]
        own = next((share for share, name in ranked if name == path), 0.0)
        out.append((sign, own if sign == "=" else ranked[0][0]))

    return out


def measured(some: list[Judged], threshold: float) -> tuple[float, float]:
    """Precision and recall at a threshold."""
    right = sum(sign == "=" and share >= threshold for sign, share in some)
    wrong = sum(sign == "~" and share >= threshold for sign, share in some)
    return right / max(right + wrong, 1), right / sum(sign == "=" for sign, _ in some)


def main() -> None:
    found = judged(Path(sys.argv[1]))
    halves = (found[::4] + found[1::4], found[2::4] + found[3::4])
    right: list[tuple[str, float]] = []
    for number, (here, there) in enumerate((halves, halves[::-1]), 1):
        threshold = max(
            (step / 100 for step in range(20, 80)),
            key=lambda one: (min(measured(there, one)), sum(measured(there, one))),
        )
        precision, recall = measured(here, threshold)
        print(
            f"half {number}: {len(here)} pairs, threshold {threshold:.2f} set on the other: precision {precision:.3f}, recall {recall:.3f}"
        )
        right += [(sign, share - threshold) for sign, share in here]
    print("both halves: precision {:.3f}, recall {:.3f}".format(*measured(right, 0.0)))
    print("threshold in force {:.2f}: precision {:.3f}, recall {:.3f}".format(CLOSE, *measured(found, CLOSE)))


if __name__ == "__main__":
    main()
