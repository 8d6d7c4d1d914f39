"""Running rules: findings in order, allowances in place, and fixing."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from memgit.derive import is_derived
from memgit.lint.corpus import Corpus
from memgit.lint.gate import SOUND
from memgit.lint.rule import FILE, HISTORY, SEVERITIES, CorpusCheck, FileCheck, Finding, Found, Rule
from memgit.lint.settings import Settings, chosen, options_of, severity_of
from memgit.model.namedtuple import NamedTuple

ROUNDS = 5
"""Fixing one thing may make another thing mendable; after so many rounds it is enough."""
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


class Result(NamedTuple):
    """What a run gave: findings by path, line and code, how many files were looked at, and how many findings
    were allowed in place.

    `in_place` are those that were allowed, in no order; whoever joins several results may leave it empty.
    """

    findings: tuple[Finding, ...]
    files: int
    allowed: int = 0
    in_place: tuple[Finding, ...] = ()

    def count(self, severity: str) -> int:
        """How many findings have a severity."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def worst(self) -> str | None:
        """The gravest severity that was found, None where nothing was."""
        return min((finding.severity for finding in self.findings), key=_RANK.__getitem__, default=None)


def run(
    corpus: Corpus,
    settings: Settings,
    rules: Sequence[Rule],
    progress: Callable[[str], None] = lambda _: None,
) -> Result:
    """Runs the chosen rules over a corpus.

    A rule that fails costs only its own findings: the failure is reported as an error of that rule.

    Args:
        progress: told the name of each rule before it runs.
    """
    out: list[Finding] = []
    allowed: list[Finding] = []
    for rule in chosen(settings, rules):
        if rule.scope == HISTORY and corpus.before is None:
            continue
        progress(rule.name)
        severity = severity_of(settings, rule)
        found: list[Found] = []
        try:
            found.extend(  # what a rule gave before it failed stays
                one
                for one in map(_sound, _checked(corpus, settings, rule))
                if settings.derived or rule.code in SOUND or not is_derived(corpus.layout, one.path)
            )
        except (Exception, SystemExit) as error:  # one broken rule never stops the rest
            message = f"the rule itself failed, nothing further was checked for it: {_said(error)}"
            out.append(Finding(rule.code, rule.name, "error", _where(corpus), 1, 1, None, message))
        for one in found:
            (allowed if _is_allowed(corpus, rule, one) else out).append(_finding(rule, severity, one))
    out.sort(key=lambda one: (one.path, one.line, one.rule, one.message))
    return Result(tuple(out), len(corpus.pages), len(allowed), tuple(allowed))


def _checked(corpus: Corpus, settings: Settings, rule: Rule) -> Iterable[Found]:
    options = options_of(settings, rule)
    if rule.scope == FILE:
        of_file: FileCheck = rule.check  # type: ignore[assignment]
        for path in corpus.pages:
            yield from of_file(corpus.page(path), options)
    else:
        of_all: CorpusCheck = rule.check  # type: ignore[assignment]
        yield from of_all(corpus, options)


def _sound(found: object) -> Found:
    """What a check gave, where it is a finding that can be told: rules of other packages may give anything."""
    if (
        isinstance(found, Found)
        and isinstance(found.path, str)
        and isinstance(found.line, int)
        and isinstance(found.message, str)
    ):
        return found if found.severity in (None, *SEVERITIES) else found._replace(severity=None)
    raise TypeError(f"{found!r} is not a finding")


def _said(error: BaseException) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())


def _where(corpus: Corpus) -> str:
    return next(iter(corpus.subjects), ".")


def _is_allowed(corpus: Corpus, rule: Rule, found: Found) -> bool:
    return found.path.endswith(".md") and corpus.allowed(found.path).allows(rule.code, rule.name, found.line)


def _finding(rule: Rule, severity: str, found: Found) -> Finding:
    graver = severity if found.severity is None or _RANK[severity] > _RANK[found.severity] else found.severity
    fixable = found.fixable and rule.fix is not None
    end = max(found.line, found.end_line)
    return Finding(
        rule.code,
        rule.name,
        graver,
        found.path,
        found.line,
        end,
        found.address,
        found.message,
        fixable,
        found.related,
    )


class Mended(NamedTuple):
    """The edits that fixing amounts to, what they took away, the state after them, and words about rules
    that failed to fix.
    """

    edits: Mapping[str, bytes | None]
    findings: tuple[Finding, ...]
    after: Corpus
    failed: tuple[str, ...] = ()


def mend(corpus: Corpus, settings: Settings, rules: Sequence[Rule]) -> Mended:
    """The smallest edits that take every fixable finding away; none where there is nothing to fix.

    Rules fix one after the other, each seeing what those before it did; derived files come last, since they
    follow from the rest.
    """
    edits: dict[str, bytes | None] = {}
    mended: list[Finding] = []
    fixing = [rule for rule in chosen(settings, rules) if rule.fix is not None]
    fixing.sort(key=lambda rule: (rule.code.startswith("MG1"), rule.code == "MG101"))
    state = corpus
    failed: dict[str, str] = {}
    for _ in range(ROUNDS):
        before = dict(edits)
        for rule in fixing:
            found = [one for one in run(state, settings, [rule]).findings if one.fixable]
            if not found or rule.fix is None or rule.code in failed:
                continue
            try:
                given = rule.fix(state, found, options_of(settings, rule))
                new = {path: data for path, data in given.items() if data != state.data(path)}
            except (Exception, SystemExit) as error:  # what it finds is still told
                failed[rule.code] = f"{rule.code} {rule.name} failed to fix: {_said(error)}"
                continue
            if new:
                mended += found
                edits.update(new)
                state = state.edited(new)
        if edits == before:
            break
    edits = {path: data for path, data in edits.items() if data != corpus.data(path)}
    return Mended(edits, tuple(dict.fromkeys(mended)), state, tuple(failed.values()))


def outside(
    rules: Sequence[Rule], load: Callable[[], Iterable[object]]
) -> tuple[tuple[Rule, ...], tuple[str, ...]]:
    """The rules with those of other packages after them, and words about those that could not be taken.

    Args:
        load: gives what the entry points of the group `memgit.rules` name: rules, lists of rules, or words
            about one that failed.
    """
    out = list(rules)
    wrong: list[str] = []
    taken = {rule.code for rule in rules} | {rule.name for rule in rules}
    for loaded in load():
        for one in loaded if isinstance(loaded, list | tuple) and not isinstance(loaded, Rule) else (loaded,):
            if not isinstance(one, Rule):
                wrong.append(one if isinstance(one, str) else f"{one!r} is not a rule")
            elif one.code in taken or one.name in taken:
                wrong.append(f"the rule {one.code} ({one.name}) is there already")
            elif one.severity not in SEVERITIES:
                wrong.append(f"the rule {one.code} has no severity {one.severity!r}")
            else:
                taken |= {one.code, one.name}
                out.append(one)
    return tuple(out), tuple(wrong)
