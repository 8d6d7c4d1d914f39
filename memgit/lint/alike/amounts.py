"""The numbers of a sentence, each with what it measures, in the base unit."""

from __future__ import annotations

import re

VERSION_STEP = 100_000
"""A part of a version counts so many times the next one."""


BEFORE = 30
"""So many characters before a number are looked at for what makes it an amount."""


_ASSIGN_SPAN = re.compile(r"([A-Za-z_-][\w.-]*)\s*[=:]\s*[\"']?[\w.+-]+%?[\"']?")


NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"twenty": "20", "thirty": "30", "sixty": "60", "twice": "2", "once": "1"}


_SPELLED = re.compile(r"\b(" + "|".join(NUMBERS) + r")\b", re.IGNORECASE)


_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(("ms", "millisecond", "milliseconds"), ("time", 0.001)),
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds"), ("time", 1.0)),
    **dict.fromkeys(("m", "min", "mins", "minute", "minutes"), ("time", 60.0)),
    **dict.fromkeys(("h", "hour", "hours"), ("time", 3600.0)),
    **dict.fromkeys(("d", "day", "days"), ("time", 86400.0)),
    **dict.fromkeys(("week", "weeks"), ("time", 604800.0)),
    **dict.fromkeys(("month", "months"), ("time", 2592000.0)),
    **dict.fromkeys(("year", "years"), ("time", 31536000.0)),
    **dict.fromkeys(("b", "byte", "bytes"), ("size", 1.0)),
    **dict.fromkeys(("kb", "kib", "k"), ("size", 1024.0)),
    **dict.fromkeys(("mb", "mib"), ("size", 1024.0**2)),
    **dict.fromkeys(("gb", "gib", "g"), ("size", 1024.0**3)),
    **dict.fromkeys(("%", "percent"), ("share", 1.0)),
    **dict.fromkeys(("px", "pixel", "pixels"), ("px", 1.0)),
    **dict.fromkeys(("char", "chars", "character", "characters", "column", "columns"), ("characters", 1.0)),
    **dict.fromkeys(("time", "times", "attempt", "attempts", "retry", "retries"), ("times", 1.0)),
}


_NAMED_VERSION = re.compile(r"\b([A-Z][A-Za-z]+[+#]*)[ \t]+v?(\d+(?:\.\d+){0,2})\b(?![ \t]*[%A-Za-z-]*\d)")


_SINCE = frozenset("since from until before after in than".split())
"""Words before a product that make its version the time of something."""


_NO_PRODUCTS = frozenset(
    """step chapter version figure section table page part item day level phase line issue point rule case task option example note
    january february march april may june july august september october november december monday tuesday wednesday thursday friday
    saturday sunday week month year port error code http type class group stage round top no number only exactly about under over at
    set use keep limit cap retry wait allow add every each the""".split()
)
"""Words before a number that are no product of which it is the version."""


CODE = re.compile(r"`+([^`\n]+?)`+")


_VALUE = re.compile(r"(?<![\w.#/-])(\d[\d,]*(?:\.\d+)?)(?:[ \t-]?(%|[A-Za-z]+))?(?![\w.]*[.-]\d)")


_NUMERIC = re.compile(r"[\d.,]+\s*(?:%|[A-Za-z]{1,8})?")


_VALUED = re.compile(
    r"(?:\b(?:to|at|of|most|least|than|under|over|exactly|by|below|above|is|be)|[=:~])\s*[\"'`]?$",
    re.IGNORECASE,
)
"""What stands before a number without unit that is an amount, and not the number of a line, a step or a task.
"""


_COMPARE = re.compile(
    r"\b(?:(at most|no more than|not more than|up to|under|below|less than|fewer than|maximum|max|cap|limit)|"
    r"(at least|no less than|more than|over|above|minimum|min))\b",
    re.IGNORECASE,
)


def as_code(match: re.Match[str]) -> str:
    """A code span as one word, so that `a b` is not two topics; of `name=value` the name."""
    assigned = _ASSIGN_SPAN.fullmatch(match[1].strip())
    if assigned is not None:
        return f" {assigned[1]} "
    return " " + re.sub(r"[^A-Za-z0-9_]+", "_", match[1]).strip("_") + " "


def amounts_in(text: str) -> tuple[tuple[tuple[str, str, float], ...], str]:
    """The numbers of a text with their units, and the text without them."""
    text = _SPELLED.sub(lambda match: NUMBERS[match[1].lower()], text)
    text = CODE.sub(lambda match: match[0] if _NUMERIC.fullmatch(match[1]) else as_code(match), text)
    compare = _COMPARE.search(text)
    how = "=" if compare is None else "<" if compare[1] else ">"
    found: list[tuple[str, str, float]] = []

    def take(match: re.Match[str]) -> str:
        unit = (match[2] or "").lower()
        # A capital letter is no short unit: 3D, 4K, 5G.
        short = len(unit) == 1 and match[2] != unit
        dimension, factor = ("", 1.0) if short else _UNITS.get(unit, ("", 1.0))
        if not dimension and _VALUED.search(text, max(0, match.start() - BEFORE), match.start()) is None:
            return match[0]
        try:
            amount = float(match[1].replace(",", ""))
        except ValueError:
            return match[0]
        found.append((dimension, how, amount * factor))
        return f" {match[2]} " if match[2] and unit not in _UNITS else " "

    def version(match: re.Match[str]) -> str:
        before = text[: match.start()].rstrip().rpartition(" ")[2].lower()
        if match[1].lower() in _NO_PRODUCTS or before in _SINCE:
            return match[0]
        parts = [int(part) for part in match[2].split(".")]
        amount = sum(part * VERSION_STEP ** (2 - place) for place, part in enumerate(parts[:3]))
        found.append((f"version of {match[1].lower()}", "=", float(amount)))
        return f" {match[1]} "

    rest = _VALUE.sub(take, _NAMED_VERSION.sub(version, text))
    return tuple(found), _COMPARE.sub(" ", rest) if found else rest
