"""`memgit rule`."""

from __future__ import annotations

from difflib import get_close_matches

import click

from memgit.app.check.settings import described, rules
from memgit.cli.options import json_option
from memgit.cli.output import echo, emit_json, faint, heading, print_notes
from memgit.errors import NotFound
from memgit.lint.pages import page


@click.command("rule")
@click.argument("name", metavar="[CODE]", required=False)
@json_option
def command(name: str | None, as_json: bool) -> None:
    """Show what a rule finds, why that is bad, and a bad and a good example; without a code, list the rules.

    Examples:

    \b
      memgit rule
      memgit rule MG301
    """
    known, notes = rules()
    print_notes(notes)
    if name is None:
        if as_json:
            emit_json([described(rule) for rule in known])
            return
        width = max(len(rule.name) for rule in known)
        for rule in known:
            click.echo(
                f"{heading(rule.code)} {rule.name:<{width}}  {faint(f'{rule.severity:<7}')} {rule.summary}"
            )
        return
    found = next((rule for rule in known if name.upper() == rule.code or name.lower() == rule.name), None)
    if found is None:
        near = get_close_matches(name, [text for rule in known for text in (rule.code, rule.name)], n=1)
        raise NotFound(
            f"no rule {name!r}", hint=f"did you mean {near[0]}?" if near else "memgit rule lists them"
        )
    if as_json:
        emit_json({**described(found), "page": page(found)})
    else:
        echo(page(found).rstrip("\n"))
