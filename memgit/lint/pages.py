"""The page of a rule: what it finds, why that is bad, a bad and a good example, options, fixing.

`memgit rule` and docs/rules show it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from memgit.lint.rule import FILE, HISTORY, Example, Option, Rule

FOLDER = "docs/rules"
_FENCES = ("```", "````", "`````")


def page(rule: Rule) -> str:
    """The page as Markdown, with a newline at its end."""
    return "\n".join(_page(rule)).rstrip("\n") + "\n"


def index(rules: Sequence[Rule]) -> str:
    """The page that lists the rules."""
    rows = [
        (
            f"| [{rule.code}]({rule.code}.md) | {rule.name} | {rule.severity} | {rule.summary} | "
            f"{'yes' if rule.fix else ''} |"
        )
        for rule in rules
    ]
    return "\n".join(
        [
            "# Rules",
            "",
            "<!-- Written by docs/generate.py from the rules themselves. -->",
            "",
            "| code | name | severity | finds | fixes |",
            "|---|---|---|---|---|",
            *rows,
            "",
            (
                "A finding is allowed in place by `<!-- memgit: allow MG501 -->` on its line or the line "
                "before, or at the top of a file for"
            ),
            (
                "all of it; the name of the rule does as well as its code, and several take commas. "
                "Which rules run, how grave they are and"
            ),
            "their options go under `lint` in `.memgit.yaml`:",
            "",
            "```yaml",
            "lint:",
            "  ignore: [MG304]",
            "  severity: {stale-record: info}",
            "  options:",
            "    MG302: {months: 12}",
            "```",
            "",
        ]
    )


def files(rules: Sequence[Rule]) -> dict[str, str]:
    """Every generated page by its path from the top of the source."""
    return {f"{FOLDER}/README.md": index(rules), **{f"{FOLDER}/{rule.code}.md": page(rule) for rule in rules}}


def _page(rule: Rule) -> Iterable[str]:
    yield f"# {rule.code}: {rule.name}"
    yield ""
    yield f"Finds {rule.summary}."
    yield f"Severity: {rule.severity}."
    if rule.scope == HISTORY:
        yield (
            "Compares with the state before: with the newest commit in a hook, with the merge base in a "
            "review."
        )
    elif rule.scope == FILE:
        yield "Looks at one file at a time."
    yield ""
    yield "## Why"
    yield ""
    yield rule.why
    for head, examples in (("Bad", rule.bad), ("Good", rule.good)):
        if examples:
            yield ""
            yield f"## {head}"
        for example in examples:
            yield from _example(example)
    if rule.fix is not None:
        yield ""
        yield "## Fix"
        yield ""
        yield f"{rule.fix_help} `memgit lint --fix` does it."
    if rule.options:
        yield ""
        yield "## Options"
        yield ""
        yield "| option | default | meaning |"
        yield "|---|---|---|"
        for name, default in rule.options.items():
            yield f"| `{name}` | {_default(default)} | {rule.options_help.get(name, '')} |"


def _default(value: Option) -> str:
    if isinstance(value, tuple):
        return ", ".join(f"`{item}`" for item in value)
    return f"`{str(value).lower() if isinstance(value, bool) else value}`"


def _example(example: Example) -> Iterable[str]:
    at = {where.rpartition(":")[0]: where.rpartition(":")[2] for where in example.at}
    yield ""
    if example.shown is not None:
        yield example.shown
        return
    files = {
        path: text for path, text in example.files.items() if path in at or not at or len(example.files) < 3
    }
    for number, (path, text) in enumerate(files.items()):
        if number:
            yield ""
        line = f", line {at[path]}" if path in at else ""
        if example.before is not None and path in example.before:
            yield f"`{path}` before:"
            yield ""
            yield from _fenced(example.before[path])
            yield ""
            yield f"and after{line}:"
        else:
            yield f"`{path}`{line}:"
        yield ""
        yield from _fenced(text)
    if example.message:
        yield ""
        yield "in a commit whose message is:"
        yield ""
        yield from _fenced(example.message, "text")


def _fenced(text: str | bytes, language: str = "markdown") -> list[str]:
    shown = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    fence = next(mark for mark in _FENCES if mark not in shown)
    return [f"{fence}{language}", *shown.rstrip("\n").split("\n"), fence]
