"""What a record advises, sentence by sentence, and when two pieces of advice are opposite.

A claim is one sentence of advice: the stems of its words, under which condition it holds, whether it says to
do something or not to, on which side of known antonyms it stands, and the values that it names. Two claims
are opposite where they speak of the same thing under the same condition and differ in exactly one of these
ways. Precision goes first: a sentence whose sense is not plain makes no claim.

English only: a record in another language makes no claims, so it is never called contradictory.
"""

from __future__ import annotations

import re

from memgit.lint.alike.amounts import CODE, NUMBERS, amounts_in, as_code
from memgit.lint.alike.likeness import stem
from memgit.lint.alike.sentences import MAX_SENTENCE, PLAIN_WORD, is_english, sentences
from memgit.lint.page import Page
from memgit.model.namedtuple import NamedTuple
from memgit.model.record import Record

MAX_WORDS = 40


MAX_CLAIMS = 60
"""More than so many claims in one record are not compared."""


MAX_QUOTE = 160


FAMILIES: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
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
    for family, sides in FAMILIES.items()
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
    "without no nor neither none nothing nobody but except unless although though however unlike differ differs differing zero".split()
)
"""Words that turn or limit a part of a sentence: what it says as a whole takes more than counting negations.
"""


_JOINING = frozenset("and but or then so while".split())


_DIRECTIVES = frozenset(
    "always never must mustn't should shouldn't shall prefer preferred recommended required need "
    "needs ensure avoid "
    "cannot can't don't deprecated forbidden allowed mandatory optional".split()
)


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


_STATED = re.compile(
    r"\b(?:lives?|lasts?|runs?|expires?|times out|takes?|waits?|holds?|keeps?|kept|stays?|is|are|uses?|deploys?|builds?|"
    r"needs?|limited|defaults?)\b"
)
"""Words that make a statement with a number as good as advice: what is, is what the other has wrong."""


_LABELLED = re.compile(r"\*\*[^*\n]{1,40}(?::\*\*|\*\*\s*:)")
"""A sentence with a label of its own (`**Root cause**: ...`) reports something, it advises nothing."""


_CLOCK = re.compile(r"\W{0,4}\d{1,2}:\d\d(?::\d\d)?(?:\s*[ap]\.?m\b)?\W", re.IGNORECASE)
"""A line that begins with a time of the day tells what was done then, as in a journal."""


_POINTING = re.compile(
    r"\b(?:this|that|these|those|it|them|they|here|there|such|above|below)\b", re.IGNORECASE
)
"""Words that stand for something that another sentence named: with few other words, what it speaks of is not
known.
"""


_PRONOUN = re.compile(r"\W*(?:they|it|this|these|those|that)\b")
"""A sentence that begins so is about something that only the one before it names."""


_FORMULA = re.compile(r"[<>=!]=|[<>≤≥≠]")


_LINKS = re.compile(r"!?\[\[[^\]]*\]\]|\]\([^)\s]*\)|<https?://[^>]*>|https?://\S+")


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


def of_sentence(sentence: str, line: int = 1) -> Claim | None:
    """The claim of a sentence, None where it is no plain advice."""
    if (
        not 8 <= len(sentence) <= MAX_SENTENCE
        or sentence[-1] == ":"
        or sentence.endswith((" or", ",or"))
        or _CLOCK.match(sentence)
        or (sentence[0] == "*" and _LABELLED.match(sentence))
    ):
        return None
    lowered = sentence.lower()
    words = PLAIN_WORD.findall(lowered)
    if not words:
        return None
    present = set(words)
    advice = words[0] in _IMPERATIVES or not _DIRECTIVES.isdisjoint(present)
    stated = not advice and not (any(part in lowered for part in _FACT_PARTS) and _FACTS.search(lowered))
    if stated and not (
        (_DIGIT.search(lowered) or not NUMBERS.keys().isdisjoint(present)) and _STATED.search(lowered)
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
        amounts_in(main) if _DIGIT.search(main) or not NUMBERS.keys().isdisjoint(present) else ((), main)
    )
    tokens = [
        token.lower().strip("'") for token in _TOKEN.findall(CODE.sub(as_code, main) if "`" in main else main)
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
    for match in CODE.finditer(text):
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
