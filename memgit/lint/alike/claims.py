"""What a record advises, sentence by sentence, and when two pieces of advice are opposite.

A claim is one sentence of advice: the stems of its words, under which condition it holds, whether it says to
do something or not to, on which side of known antonyms it stands, and the values that it names. Two claims
are opposite where they speak of the same thing under the same condition and differ in exactly one of these
ways. Precision goes first: a sentence whose sense is not plain makes no claim.

English only: a record in another language makes no claims, so it is never called contradictory.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator

from memgit.lint.alike.likeness import stem
from memgit.lint.page import Page
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

MAX_WORDS = 40
MAX_CLAIMS = 60
"""More than so many claims in one record are not compared."""
MAX_QUOTE = 160
LOOKED = 1_000
"""So many characters of a record tell its language."""
MAX_SENTENCE = 400
VERSION_STEP = 100_000
"""A part of a version counts so many times the next one."""
BEFORE = 30
"""So many characters before a number are looked at for what makes it an amount."""

# --- words
# -----------------------------------------------------------------------------------------------------------------------------

_POLES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "enable": (
        ("enable", "enables", "enabled", "enabling", "activate", "activated"),
        ("disable", "disables", "disabled", "disabling", "deactivate", "deactivated"),
    ),
    "on": (("on_",), ("off_",)),
    "true": (("true",), ("false",)),
    "allow": (
        ("allow", "allows", "allowed", "permit", "permits", "permitted", "accept", "accepts", "accepted"),
        (
            "deny",
            "denies",
            "denied",
            "forbid",
            "forbids",
            "forbidden",
            "prohibit",
            "prohibited",
            "reject",
            "rejects",
            "rejected",
            "disallow",
            "disallowed",
        ),
    ),
    "include": (("include", "includes", "included"), ("exclude", "excludes", "excluded", "omit", "omitted")),
    "before": (("before",), ("after",)),
    "require": (("require", "requires", "required", "mandatory", "compulsory"), ("optional", "optionally")),
    "raise": (
        ("increase", "increases", "increased", "raise", "raises"),
        ("decrease", "decreases", "decreased", "reduce", "reduces", "lower"),
    ),
    "public": (("public", "publicly"), ("private", "privately")),
    "sync": (("synchronous", "synchronously", "sync"), ("asynchronous", "asynchronously", "async")),
    "safe": (("safe", "safely"), ("unsafe", "dangerous")),
    "support": (("supported",), ("unsupported",)),
    "automatic": (("automatic", "automatically", "automated"), ("manual", "manually")),
    "ascending": (("ascending",), ("descending",)),
    "upper": (("uppercase",), ("lowercase",)),
    "mutable": (("mutable",), ("immutable",)),
    "early": (("early", "eagerly", "eager"), ("late", "lazily", "lazy")),
    "first": (("first",), ("last",)),
    "more": (("more",), ("less", "fewer")),
    "recommend": (("recommended",), ("deprecated", "discouraged")),
}
POLES = {
    word: (family, side)
    for family, sides in _POLES.items()
    for side, words in zip((1, -1), sides, strict=True)
    for word in words
}

_NEGATIONS = frozenset(
    (
        "never not avoid avoiding cannot dont don't doesn't doesnt isn't isnt aren't won't can't cant "
        "mustn't shouldn't needn't refrain"
    ).split()
)
_UNCLEAR = frozenset(
    "without no nor neither none nothing nobody but except unless although though however unlike zero".split()
)
"""Words that turn or limit a part of a sentence: what it says as a whole takes more than counting negations.
"""
_JOINING = frozenset("and but or then so while".split())
_DIRECTIVES = frozenset(
    "always never must mustn't should shouldn't shall prefer preferred recommended required need "
    "needs ensure avoid "
    "cannot can't don't deprecated forbidden allowed mandatory optional".split()
)
_ASSIGN_SPAN = re.compile(r"([A-Za-z_-][\w.-]*)\s*[=:]\s*[\"']?[\w.+-]+%?[\"']?")
_FACTS = re.compile(
    r"\b(?:supports?|supported|requires?|required|accepts?|accepted|allows?|allowed|safe|automatically|manually|a?synchronously)\b"
)
"""Words that make a statement about how something is as good as advice."""
_FACT_PARTS = ("support", "requir", "accept", "allow", "safe", "automatically", "manually", "synchronously")
"""Of which one is in each of them: looked for first, which is much quicker."""
_IMPERATIVES = frozenset(
    """use set keep run put store write read add call check commit deploy disable enable turn switch include exclude allow deny forbid
    permit reject accept limit cap raise lower increase decrease reduce retry cache log pin lock quote sort name test validate escape
    encode hash sign rotate restart reload pass return throw catch import export mount open close create make build rebuild compile
    install upgrade update push pull merge rebase squash tag branch fetch clone stage stash format lint wrap split join start stop
    configure define declare document mark treat send publish subscribe ack acknowledge poll wait block unblock sleep flush drain scale
    shard index vacuum analyze backup restore encrypt compress serialize batch debounce throttle require prefer choose select pick
    apply register bind expose hide mask redact strip trim normalize convert round truncate drop skip ignore handle report raise fail
    verify review approve sync monitor measure schedule delete remove replace rename move copy load unload preload warm prefix suffix
    leave let give take ask tell accept adapt adjust adopt align allocate annotate append archive assert assign attach author authenticate
    authorize await back batch begin benchmark bind break bring bundle bump call cap cast centralize change choose clean clear collapse
    collect combine compare compile compose compute connect consider consult copy count cover crop cut deduplicate default defer delay
    delegate derive describe design detach detect disconnect distribute divide do download draft draw drive dump edit embed emit end
    enforce enter enumerate evaluate examine expand expect expire explain explore export express extend extract favor favour filter find
    finish fix flag focus follow fork format forward free freeze gate gather generate go grant group guard guess hardcode help hold
    identify implement improve indent inherit initialize inject inline insert inspect integrate intercept introduce invalidate invoke
    isolate iterate join jump justify kill label launch lead learn lift link list listen localize look loop maintain manage map match
    memoize migrate minimize mix mock modify mount name negotiate nest note notify number observe obtain offload omit order organize
    output overload override own pack package page paginate parallelize parse partition patch pause perform persist place plan populate
    post prepare present preserve press print prioritize process produce profile promote propagate protect prove provide prune purge
    query queue raise randomize rate re-run reach rebuild receive recheck record recover recreate recycle redirect refactor refer refresh
    refuse regenerate release rely rely repeat rerun reserve reset resize resolve respect respond retain retrieve retry reuse revert
    revoke rewrite roll route save scan scope score script search seed separate serve share ship shorten show shut signal silence simplify
    simulate size snapshot solve spawn specify squash standardize state step store stream structure stub style submit substitute
    supply suppress suspend swap tail target terminate throw tie time toggle track trace train transfer transform translate transmit
    traverse trigger trim trust try tune type uninstall unify unwrap upload validate vary version vet view visit walk warn watch weigh
    wipe wire work wrap zip""".split()
)
_LIGHT = frozenset(
    """use uses used using set sets keep keeps kept make makes made put do does done be is are was been being should must shall will would
    can could may might need needs have has always never only just simply please ensure sure prefer preferred recommended recommend
    the a an to of for in on at by from it its this that these those your our their you we they i and or with as into onto than then
    there here any all every each some both such via per so also too very much more most not no value option setting""".split()
) - {"more", "recommended"}

_NUMBERS = {
    word: str(number)
    for number, word in enumerate(
        "zero one two three four five six seven eight nine ten eleven twelve".split()
    )
} | {"twenty": "20", "thirty": "30", "sixty": "60", "twice": "2", "once": "1"}
_SPELLED = re.compile(r"\b(" + "|".join(_NUMBERS) + r")\b", re.IGNORECASE)
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

_COMMON = frozenset(
    """the a an to of and is are in for it that with you not be on this or use if when by from as at can will do does has have
    must should never always only no your we they its which""".split()
)
"""Words of which English text has one in eight."""
ENGLISH, JUDGED = 0.06, 12
"""A text of so many words has at least that share of them; a shorter one has no letters of other scripts."""
_FOREIGN = re.compile(r"[^\W\d_a-zA-Z]")
_STATED = re.compile(
    r"\b(?:lives?|lasts?|runs?|expires?|times out|takes?|waits?|holds?|keeps?|kept|stays?|is|are|uses?|deploys?|builds?|"
    r"needs?|limited|defaults?)\b"
)
"""Words that make a statement with a number as good as advice: what is, is what the other has wrong."""
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

# --- sentences
# -------------------------------------------------------------------------------------------------------------------------

_FENCE = re.compile(r"[ \t]*(?:[-+*][ \t]+|\d+[.)][ \t]+)*(`{3,}|~{3,})")
_ITEM = re.compile(r"[ \t]*(?:[-+*]|\d{1,9}[.)])[ \t]+(?:\[[ xX]\][ \t]+)?")
_LABEL = re.compile(r"\*\*(?:Context|Best Practices?|Solution|Lesson)(?::\*\*|\*\*:)[ \t]*", re.IGNORECASE)
_LABELLED = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*\s*:)")
"""A sentence with a label of its own (`**Root cause**: ...`) reports something, it advises nothing."""
_OTHER_LABEL = re.compile(r"\*\*[^*\n]{1,40}:\*\*")
_OLD = re.compile(r"#{2,3}[ \t]+(?:History\b|Previous Version\b|Rejected\b|Alternatives?\b)", re.IGNORECASE)
_HEAD = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]")
_POINTING = re.compile(
    r"\b(?:this|that|these|those|it|them|they|here|there|such|above|below)\b", re.IGNORECASE
)
"""Words that stand for something that another sentence named: with few other words, what it speaks of is not
known.
"""
_PRONOUN = re.compile(r"\W*(?:they|it|this|these|those|that)\b")
"""A sentence that begins so is about something that only the one before it names."""
_FORMULA = re.compile(r"[<>=!]=|[<>≤≥≠]")
_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`*]*[A-Z0-9`])|;\s+|\n")
_LINKS = re.compile(r"!?\[\[[^\]]*\]\]|\]\([^)\s]*\)|<https?://[^>]*>|https?://\S+")
_CODE = re.compile(r"`+([^`\n]+?)`+")
_TENTATIVE = frozenset(
    "maybe perhaps might sometimes could whether why previously formerly was were had did tried would".split()
)
"""Words that make a sentence a report of the past, a question or a guess: no advice."""
_MAYBE = re.compile(
    r"\b(?:not (?:all|every|each|any|always|necessarily|only|just|yet|sure|enough)|used to|no "
    r"longer|instead of asking|in the past)\b"
)
_DOUBLED = frozenset("forget fail hesitate neglect sure".split())
_DOUBLE = re.compile(
    r"\b(?:(?:do not|don't|never) (?:forget|fail|hesitate|neglect) to|make sure to|be sure to)\b",
    re.IGNORECASE,
)
_REASONS = frozenset("because since so otherwise as or which even avoid prevent keep".split())
_REASON = re.compile(
    r"(?:,|\s)\s*(?:because|since (?:it|they|this|the|that|we|you)|so that|otherwise|(?<!soon "
    r")(?<!long )as (?:it|they|this|that)|"
    r"or (?:it|they|you|the|else)|which|even if|even though|to "
    r"(?:avoid|prevent|keep))\b.*|\s+[—–]\s+.*|\s--?\s.*|:\s*$",
    re.IGNORECASE | re.DOTALL,
)
_CONDITIONS = frozenset(
    "if when whenever while unless until once where case long except soon during before after".split()
)
_VERSIONED = re.compile(r"\d\.\d")
_LEADING = re.compile(r"(?:to|for|in|on|with|under|at|during|as|by)\b")
_ORDERS = frozenset("over instead rather not".split())
_DIGIT = re.compile(r"\d")
_CONDITION = re.compile(
    r"(?:^|(?<=[\s,(]))(?:if|when|whenever|while|unless|until|once|where|in case|as long "
    r"as|except|as soon as|during|"
    r"(?:in|since|from|with|as of|on|for) (?:version )?v?\d+(?:\.\d+)+|before you|after "
    r"you)\b[^,]*(?:,|$)|\([^()]*\)|"
    r"^(?:to|for|in|on|with|under|at|during|as|by) [^,]{2,60},",
    re.IGNORECASE,
)
_SETTING = re.compile(
    r"`?([A-Za-z][\w.-]*[_.][\w.-]*\w|[A-Z][A-Z0-9]*_[A-Z0-9_]+|--[a-z][\w-]+|(?<=`)[A-Za-z][\w-]*(?=`))`?\s*(?:=|:|\bto\b)\s*"
    r"`?\"?'?([\w.+-]+%?)"
)
_FILE = re.compile(r"\.[a-z]{1,4}$|/")
_ASSIGN = re.compile(r"([A-Za-z_-][\w.-]*)\s*[=:]\s*[\"']?([\w.+-]+%?)[\"']?")
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
_PREFER = re.compile(
    (
        r"\b(?:prefer|use|choose|pick)\s+(.{2,60}?)\s+(?:over|instead of|rather "
        r"than)\s+(.{2,60}?)(?=[.,;:]|\s+(?:as|for|in|when|if|on)\b|$)"
    ),
    re.IGNORECASE,
)
_NOT_THIS = re.compile(
    (
        r"\b(?:use|choose|pick|prefer)\s+(.{2,60}?),\s+(?:and "
        r")?not\s+(.{2,60}?)(?=[.,;:]|\s+(?:as|for|in|when|if|on)\b|$)"
    ),
    re.IGNORECASE,
)
_PLAIN_WORD = re.compile(r"[a-z]+(?:['’-][a-z]+)*")
_TOKEN = re.compile(r"[A-Za-z0-9_À-ÿ]+(?:['’.+#/-]+[A-Za-z0-9_À-ÿ]+)*[+#]*|%")
_ONOFF = re.compile(
    r"\b(turn(?:ed)?|switch(?:ed)?)\s+(?:(on|off)\b|(.{1,40}?)\s+(on|off)(?=[.,;:\s]|$))|"
    r"\b(?:to|=|:|is|be|stay|stays|keep .{1,40}?)\s+(on|off)(?=[.,;:`'\"\s]|$)",
    re.IGNORECASE,
)


class Claim(NamedTuple):
    """One sentence of advice.

    Attributes:
        line: where it starts.
        text: the sentence as it stands, cut at 160 characters.
        core: stems of what it speaks of, sorted.
        condition: stems of when it holds, sorted.
        sign: 1 says to do it, -1 not to.
        poles: families of antonyms in it, each with its side.
        values: numbers as (dimension, comparison, amount in the base unit).
        settings: named settings with their values.
        order: what is preferred over what, as two texts of stems; empty where it says no such thing.
    """

    line: int
    text: str
    core: tuple[str, ...]
    condition: tuple[str, ...]
    sign: int
    poles: tuple[tuple[str, int], ...] = ()
    values: tuple[tuple[str, str, float], ...] = ()
    settings: tuple[tuple[str, str], ...] = ()
    order: tuple[str, str] | tuple[()] = ()


def of_record(page: Page, record: Record) -> tuple[Claim, ...]:
    """The claims of one record, in order; none for one that is archived or no longer holds."""
    if record.archived or (record.text("status") or "").lower() in (
        "superseded",
        "rejected",
        "tombstoned",
        "deprecated",
    ):
        return ()
    if not is_english(record.body):
        return ()
    out: list[Claim] = []
    for line, sentence in sentences(page.lines, max(record.line, page.body_line), record.end_line):
        claim = of_sentence(sentence, line)
        if claim is not None:
            out.append(claim)
            if len(out) == MAX_CLAIMS:
                break
    return tuple(out)


def is_english(text: str) -> bool:
    """Whether a text is in English, as far as its commonest words and its letters tell."""
    words = _PLAIN_WORD.findall(text[:LOOKED].lower())
    foreign = len(_FOREIGN.findall(text[:LOOKED]))
    if foreign * 20 > sum(map(len, words)):
        return False
    return len(words) < JUDGED or sum(word in _COMMON for word in words) >= ENGLISH * len(words)


def sentences(lines: list[str], start: int, end: int) -> Iterator[tuple[int, str]]:
    """The sentences of the lines from `start` to `end` (from 1, both included) with the line on which each
    begins.

    Code, headings, tables, quotes and sections that keep earlier versions are left out; a list item is a
    sentence of its own.
    """
    fence = ""
    unit: list[tuple[int, str]] = []
    old = 0
    for number in range(start, min(end, len(lines)) + 1):
        line = lines[number - 1]
        stripped = line.strip()
        opening = _FENCE.match(line) if "```" in line or "~~~" in line else None
        if fence:
            if opening is not None and opening[1].startswith(fence):
                fence = ""
            continue
        if opening is not None:
            yield from _split(unit)
            unit = []
            fence = opening[1]
            continue
        head = _HEAD.match(line) if stripped.startswith("#") else None
        if head is not None:
            yield from _split(unit)
            unit = []
            if _OLD.match(stripped):
                old = len(head[1])
            elif old and len(head[1]) <= old:
                old = 0
            continue
        if (
            old
            or not stripped
            or stripped[0] in "|><"
            or (line.startswith(("    ", "\t")) and not _ITEM.match(line))
        ):
            yield from _split(unit)
            unit = []
            continue
        item = _ITEM.match(line)
        if item is not None or stripped.startswith("**"):
            yield from _split(unit)
            unit = []
            stripped = line[item.end() :].strip() if item is not None else stripped
            label = _LABEL.match(stripped)
            if label is not None:
                stripped = stripped[label.end() :]
            elif item is None and _OTHER_LABEL.match(stripped):
                continue
        if stripped:
            unit.append((number, stripped))
    yield from _split(unit)


def _split(unit: list[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    """The sentences of one paragraph or list item."""
    if not unit:
        return
    if len(unit) == 1 and not _END.search(unit[0][1]):
        yield unit[0]
        return
    text = " ".join(line for _, line in unit)
    starts = []
    place = 0
    for _, line in unit:
        starts.append(place)
        place += len(line) + 1
    position = 0
    for match in [*_END.finditer(text), None]:
        stop = match.start() if match is not None else len(text)
        sentence = text[position:stop].strip()
        if sentence:
            yield unit[bisect_right(starts, position) - 1][0], sentence
        position = match.end() if match is not None else stop


def of_sentence(sentence: str, line: int = 1) -> Claim | None:
    """The claim of a sentence, None where it is no plain advice."""
    if (
        not 8 <= len(sentence) <= MAX_SENTENCE
        or sentence[-1] == ":"
        or (sentence[0] == "*" and _LABELLED.match(sentence))
    ):
        return None
    lowered = sentence.lower()
    words = _PLAIN_WORD.findall(lowered)
    if not words:
        return None
    present = set(words)
    advice = words[0] in _IMPERATIVES or not _DIRECTIVES.isdisjoint(present)
    stated = not advice and not (any(part in lowered for part in _FACT_PARTS) and _FACTS.search(lowered))
    if stated and not (
        (_DIGIT.search(lowered) or not _NUMBERS.keys().isdisjoint(present)) and _STATED.search(lowered)
    ):
        return None
    if not _UNCLEAR.isdisjoint(present) or not _TENTATIVE.isdisjoint(present) or "?" in lowered[-3:]:
        return None
    if ("not" in present or "used" in present or "instead" in present or "past" in present) and _MAYBE.search(
        lowered
    ):
        return None
    return _claim(sentence, lowered, present, line, advice, stated)


def _claim(
    sentence: str, lowered: str, present: set[str], line: int, advice: bool, stated: bool
) -> Claim | None:
    """The claim of a sentence that gives advice; `lowered` and its words `present` tell quickly what need not
    be looked for.
    """
    quote = sentence if len(sentence) <= MAX_QUOTE else sentence[: MAX_QUOTE - 1].rstrip() + "…"
    text = sentence.replace("**", "").replace("’", "'")
    if "[" in text or "://" in text:
        text = _LINKS.sub(" ", text)
    if not _DOUBLED.isdisjoint(present):
        text = _DOUBLE.sub(" ", text)
    if not _REASONS.isdisjoint(present) or "—" in text or "–" in text or " -" in text or text.endswith(":"):
        text = _REASON.sub("", text, count=1)
    conditions: list[str] = []

    def aside(match: re.Match[str]) -> str:
        conditions.append(match[0])
        return " "

    main = text
    if (
        not _CONDITIONS.isdisjoint(present)
        or "(" in text
        or ("," in text and _LEADING.match(lowered))
        or _VERSIONED.search(text)
    ):
        main = _CONDITION.sub(aside, text)
    order = _order(main) if not _ORDERS.isdisjoint(present) else ()
    settings = (
        _settings(main) if "`" in main or "=" in main or ":" in main or "_" in main or "--" in main else ()
    )
    poles: dict[str, int] = {}
    both: set[str] = set()

    def pole(family: str, side: int) -> None:
        if poles.setdefault(family, side) != side:
            both.add(family)

    if "off" in present or "on" in present:
        for match in _ONOFF.finditer(main):
            pole("enable", 1 if (match[2] or match[4] or match[5]).lower() == "on" else -1)
        main = _ONOFF.sub(lambda match: match[3] or "", main)
    formula = _FORMULA.search(main) is not None
    values, main = (
        _values(main) if _DIGIT.search(main) or not _NUMBERS.keys().isdisjoint(present) else ((), main)
    )
    tokens = [
        token.lower().strip("'")
        for token in _TOKEN.findall(_CODE.sub(_as_code, main) if "`" in main else main)
    ]
    if not 2 <= len(tokens) <= MAX_WORDS or not _UNCLEAR.isdisjoint(tokens):
        return None
    negations = [number for number, token in enumerate(tokens) if token in _NEGATIONS and not order]
    if len(negations) > 1 or (negations and not _governs(tokens, negations[0])):
        return None
    core: set[str] = set()
    for token in tokens:
        known = POLES.get(token)
        if known is not None:
            pole(*known)
        elif token not in _NEGATIONS and token not in _LIGHT and not _is_value(token, settings):
            core.add(stem(token) if token.isalpha() else token)
    for family in both:
        del poles[family]
    if (not core and not settings) or (len(core) < 4 and _POINTING.search(main)) or _PRONOUN.match(lowered):
        return None
    if both or (not advice and not stated and not _FACTS.search(main.lower())):
        return None
    if stated and (len(values) != 1 or not values[0][0] or negations):
        return None
    return Claim(
        line,
        quote,
        tuple(sorted(core)),
        tuple(sorted({stem(word) for part in conditions for word in _words(part)})),
        -1 if negations else 1,
        tuple(sorted(poles.items())),
        values if (advice or stated) and not formula else (),
        settings if advice else (),
        order,
    )


def _governs(tokens: list[str], place: int) -> bool:
    """Whether the negation at a place turns the whole sentence, and not the second half of one that began
    with something else.
    """
    before = tokens[:place]
    if not _JOINING.isdisjoint(before):
        return False
    start = before[1:] if before[:1] in (["always"], ["please"], ["just"]) else before
    return not start or start[0] not in _IMPERATIVES or start[0] in ("do", "ensure", "make")


def _as_code(match: re.Match[str]) -> str:
    """A code span as one word, so that `a b` is not two topics; of `name=value` the name."""
    assigned = _ASSIGN_SPAN.fullmatch(match[1].strip())
    if assigned is not None:
        return f" {assigned[1]} "
    return " " + re.sub(r"[^A-Za-z0-9_]+", "_", match[1]).strip("_") + " "


def _is_value(token: str, settings: tuple[tuple[str, str], ...]) -> bool:
    return any(token == value for _, value in settings)


def _words(text: str) -> list[str]:
    return [
        token
        for token in (found.lower() for found in _TOKEN.findall(text))
        if token not in _LIGHT or token in ("not", "no")
    ]


def _order(text: str) -> tuple[str, str] | tuple[()]:
    match = _PREFER.search(text) or _NOT_THIS.search(text)
    if match is None:
        return ()
    left, right = (" ".join(sorted({stem(word) for word in _words(part)})) for part in (match[1], match[2]))
    return (left, right) if left and right and left != right else ()


def _settings(text: str) -> tuple[tuple[str, str], ...]:
    """Named settings with plain values: `max_retries=5`, `LOG_LEVEL` to `debug`."""
    out: dict[str, str] = {}
    for match in _CODE.finditer(text):
        assigned = _ASSIGN.fullmatch(match[1].strip())
        if assigned is not None:
            out[assigned[1].lower().lstrip("-")] = assigned[2].lower()
    for match in _SETTING.finditer(text):
        value = match[2].lower().strip(".")
        if _FILE.search(match[1]):
            continue
        if value not in _LIGHT and value not in ("on", "off"):
            out.setdefault(match[1].lower().lstrip("-"), value)
    return tuple(sorted(out.items()))


def _values(text: str) -> tuple[tuple[tuple[str, str, float], ...], str]:
    """The numbers of a text with their units, and the text without them."""
    text = _SPELLED.sub(lambda match: _NUMBERS[match[1].lower()], text)
    text = _CODE.sub(lambda match: match[0] if _NUMERIC.fullmatch(match[1]) else _as_code(match), text)
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


# --- comparing
# -------------------------------------------------------------------------------------------------------------------------


def may_oppose(one: Claim, other: Claim) -> bool:
    """Whether two claims have anything in which they could differ: a quick look before they are compared."""
    return (
        one.sign != other.sign
        or bool(one.poles and other.poles)
        or bool(one.values and other.values)
        or bool(one.settings and other.settings)
        or bool(one.order and other.order)
    )


def opposite(one: Claim, other: Claim, *, related: bool = True) -> str | None:
    """How two claims contradict each other, in words, or None where they do not.

    Args:
        related: whether the records share a category, a keyword or a topic; if not, only claims about wholly
            the same thing count.
    """
    if one.condition != other.condition:
        return None
    swapped = _swapped(one, other)
    if swapped is not None:
        return swapped
    poles, others = dict(one.poles), dict(other.poles)
    against = [family for family in poles if others.get(family, poles[family]) != poles[family]]
    unshared = poles.keys() ^ others.keys()
    setting = _setting(one, other)
    if setting is not None and not against and one.sign == other.sign == 1:
        return setting
    if not _same_thing(one, other, related) or (unshared and not _weak(unshared)):
        return None
    if one.sign != other.sign:
        return None if against or _numbers_differ(one, other) else "one says to, the other not to"
    if len(against) == 1 and not _numbers_differ(one, other):
        words = _POLES[against[0]]
        return f"{words[0][0].strip('_')} against {words[1][0].strip('_')}"
    if not against and one.sign > 0 and len(one.values) == len(other.values) == 1:
        (dimension, how, amount), (dimension2, how2, amount2) = one.values[0], other.values[0]
        if dimension == dimension2 and how == how2 and amount != amount2:
            return "different values for one thing"
    return None


def _weak(families: set[str]) -> bool:
    """Whether families that only one side has say nothing about its topic."""
    return families <= {"first", "more", "automatic", "recommend"}


def _numbers_differ(one: Claim, other: Claim) -> bool:
    return bool(one.values and other.values) and one.values != other.values


def _swapped(one: Claim, other: Claim) -> str | None:
    if len(one.order) != 2 or len(other.order) != 2 or one.sign != other.sign:
        return None
    if one.order[0] == other.order[1] and one.order[1] == other.order[0] and not _apart(one, other):
        return "each prefers what the other passes over"
    return None


def _apart(one: Claim, other: Claim) -> bool:
    """Whether each has something that the other does not speak of."""
    left, right = set(one.core), set(other.core)
    return bool(left - right) and bool(right - left)


def _setting(one: Claim, other: Claim) -> str | None:
    theirs = dict(other.settings)
    for name, value in one.settings:
        if name in theirs and theirs[name] != value and _rest_agrees(one, other, name):
            return f"different values for {name}"
    return None


def _rest_agrees(one: Claim, other: Claim, name: str) -> bool:
    """Whether all else that two claims say about a setting agrees; of one whose name says little, something
    else must.
    """
    words = re.split(r"[_.-]", name)
    parts = {name, *words}
    if len(words) < 2 and not (set(one.core) & set(other.core)) - parts:
        return False
    left = {word for word in one.core if word not in parts}
    right = {word for word in other.core if word not in parts}
    return not (left - right and right - left) and len(left ^ right) <= 2


def _same_thing(one: Claim, other: Claim, related: bool) -> bool:
    """Whether two claims speak of the same thing: one may say more than the other, but not each something of
    its own.
    """
    left, right = set(one.core), set(other.core)
    shared = left & right
    if left == right:
        return len(shared) + bool(one.values and one.values[0][0]) >= (2 if related else 4)
    if not related or (one.values and other.values):
        return False
    return not (left - right and right - left) and len(shared) >= 2 and len(left ^ right) <= len(shared)
