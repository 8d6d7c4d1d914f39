"""Words and key terms of a text: what overlap, ranking and grouping count."""

from __future__ import annotations

from collections import Counter

from memgit.model.lazy_re import pattern

_WORD = pattern(r"[^\W_](?:[\w.+#/-]*[\w+#])?")
_WIDE = pattern(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af]{2,}")

MAX_TERM_LENGTH = 60
"""Characters of the longest key term: what is longer is an address or encoded data."""
STOP = frozenset(
    """
    a about above after again all also an and any are as at be because been before being below between both but by can could did do
    does doing don down during each either else ever every few for from further get gets had has have having he her here hers him his
    how however i if in into is it its itself just less let like made make makes many may me might more most much must my need needs
    new no nor not now of off often on once one only onto or other our out over own per please rather same see set she should since so
    some still such than that the their them then there these they this those through thus to too two under until up upon us use used
    uses using very via was way we well were what when where whether which while who whom whose why will with within without would yet
    you your
    """.split()
)


def words(text: str) -> list[str]:
    """The words of a text, folded in case; inner dots, dashes, slashes, `+` and `#` belong to a word. Scripts
    that are written without blanks give their pairs of characters."""
    if text.isascii():
        return _WORD.findall(text.lower())
    out: list[str] = []
    for match in _WORD.finditer(text):
        word = match[0].casefold()
        wide = _WIDE.findall(word)
        if wide:
            out += [run[start : start + 2] for run in wide for start in range(len(run) - 1)]
        else:
            out.append(word)
    return out


def key_terms(text: str, limit: int = 5, shortest: int = 5) -> list[str]:
    """Up to `limit` significant terms: proper nouns and technical terms before common nouns, then by
    frequency and first place.

    A term has at least `shortest` characters, unless its spelling marks it as technical (`CSS`, `k8s`,
    `io_uring`, `a.py`), and at most `MAX_TERM_LENGTH`.
    """
    count: Counter[str] = Counter()
    rank: dict[str, tuple[int, int]] = {}
    for match in _WORD.finditer(text):
        raw = match[0]
        folded = raw.casefold()
        odd = not raw.isalpha() and any(char in "._+#/-" or char.isdigit() for char in raw)
        technical = odd or raw[1:] != raw[1:].lower()
        if (
            folded in STOP
            or raw.isdigit()
            or (
                (len(raw) > MAX_TERM_LENGTH or (len(raw) < shortest and not technical))
                and not _WIDE.search(raw)
            )
        ):
            continue
        proper = raw[0].isupper() and not _starts_sentence(text, match.start())
        for term in words(raw) if _WIDE.search(raw) else [folded]:
            count[term] += 1
            best = 0 if proper else 1 if technical else 2
            old = rank.get(term, (3, match.start()))
            rank[term] = (min(old[0], best), old[1])
    return sorted(count, key=lambda term: (rank[term][0], -count[term], rank[term][1]))[:limit]


def _starts_sentence(text: str, position: int) -> bool:
    before = text[max(0, position - 3) : position].rstrip(" \t*_`\"'(#>-")
    return not before or before[-1] in ".!?:\n"
