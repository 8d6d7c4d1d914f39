"""The command reference as Markdown, from the click commands themselves.

Only names, help and defaults are taken from click, not its layout, so that another version of click gives the
same bytes.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Sequence

import click

HEAD = """\
# Commands

<!-- Written by docs/generate.py from the commands themselves; edit their help instead. -->

What `memgit` itself takes (see the first section) stands before the name of the command. Results go to standard output, messages to
standard error.
"""


def commands(root: click.Command, name: str = "memgit") -> Iterator[tuple[str, click.Command]]:
    """Every command of the tree that is not hidden, each with its whole name (`memgit hooks install`),
    parents first, then by name.
    """
    yield name, root
    if isinstance(root, click.Group):
        context = click.Context(root, info_name=name)
        for child in root.list_commands(context):
            command = root.get_command(context, child)
            if command is not None and not command.hidden:
                yield from commands(command, f"{name} {child}")


def options(command: click.Command) -> list[click.Option]:
    """The options that a user sees, in the order in which they are declared; `--help` stands nowhere, every
    command has it.
    """
    return [param for param in command.params if isinstance(param, click.Option) and not param.hidden]


def arguments(command: click.Command) -> list[click.Argument]:
    """The arguments in order."""
    return [param for param in command.params if isinstance(param, click.Argument)]


def usage(name: str, command: click.Command) -> str:
    """The usage line: `memgit record [OPTIONS] KIND TITLE`."""
    words = [name, "[OPTIONS]", *(_argument(argument) for argument in arguments(command))]
    if isinstance(command, click.Group):
        words += ["COMMAND", "[ARGS]..."]
    return " ".join(words)


def render(root: click.Command, name: str = "memgit") -> str:
    """The whole reference."""
    every = list(commands(root, name))
    parts = [HEAD]
    parts.append(
        "\n".join(f"- [`{full}`](#{full.replace(' ', '-')}): {summary(command)}" for full, command in every)
        + "\n"
    )
    parts += [_section(full, command) for full, command in every]
    return "\n".join(parts)


def summary(command: click.Command) -> str:
    """The first sentence of the help, without its full stop."""
    return (
        " ".join((command.help or command.short_help or "").split("\n\n")[0].split())
        .split(". ")[0]
        .removesuffix(".")
    )


def _section(name: str, command: click.Command) -> str:
    lines = [f"## {name}", "", "```", usage(name, command), "```", "", *_prose(command.help or ""), ""]
    rows = [(_spelling(option), _meaning(option)) for option in options(command)]
    if rows:
        lines += ["| option | meaning |", "|---|---|", *(f"| {left} | {right} |" for left, right in rows), ""]
    return "\n".join(lines)


def _prose(help_text: str) -> Iterator[str]:
    r"""The paragraphs of a help text; what stands after `\b` keeps its lines, as click does.

    Python 3.13 and later take the indentation off docstrings by themselves.
    """
    paragraphs = inspect.cleandoc(help_text.partition("\f")[0]).split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        if number:
            yield ""
        if paragraph.startswith("\b\n"):
            yield from ("```text", paragraph[2:], "```")
        else:
            yield " ".join(paragraph.split())


def _argument(argument: click.Argument) -> str:
    text = argument.metavar or (argument.name or "").upper()
    text += "..." if argument.nargs != 1 and not text.endswith("...") else ""
    return text if argument.required or text.startswith("[") else f"[{text}]"


def _spelling(option: click.Option) -> str:
    """`-m`, `--message TEXT`, with every other name of the option."""
    names = ", ".join(f"`{name}`" for name in (*option.opts, *option.secondary_opts))
    if option.is_flag or option.count:
        return names
    if option.metavar:
        value = option.metavar
    elif isinstance(option.type, click.Choice):
        value = "\\|".join(map(str, option.type.choices))
    else:
        value = option.type.name.upper()
    return f"{names} `{value}`"


def _meaning(option: click.Option) -> str:
    text = " ".join((option.help or "").split()).replace("|", "\\|")
    notes: Sequence[str] = (
        *(["required"] if option.required else []),
        *([f"default: `{option.default}`"] if _shown(option.default) and not option.is_flag else []),
    )
    return f"{text} ({'; '.join(notes)})" if notes else text


def _shown(default: object) -> bool:
    """Whether a default tells something: click marks the absent ones in its own ways."""
    return isinstance(default, str | int | float) and not isinstance(default, bool) and default != ""
