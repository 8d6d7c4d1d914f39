"""Commands declared once and called without click, whose import alone takes longer than most of memgit's
answers.

A module that is called often takes this one in click's place (`from memgit.cli.lean import click`): the
decorators have click's names and arguments, and only write down what they are given. From that, `attempt` reads
a command line that is plainly right and calls the command; everything else (help, completion, mistakes, options
that only click knows) is left to click, for which `Declared.click` makes the same command out of the same words.
"""

from __future__ import annotations

import os
import sys
from contextlib import suppress

from memgit import TYPE_CHECKING
from memgit.cli.root import split
from memgit.cli.terminal import coloured, for_people
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any

    import click as click  # noqa: PLC0414  # for the modules that import it from here
else:
    click = sys.modules[__name__]

HOT = {
    "show": "show",
    "list": "list_",
    "search": "search",
    "recall": "recall",
    "context": "context",
    "use": "use",
    "log": "log",
    "history": "history",
    "record": "record",
    "update": "update",
    "extend": "extend",
    "archive": "archive",
    "restore": "restore",
    "hook": "hook",
    "merge-driver": "merge_driver",
}
"""Commands that are declared here, with their modules: a part of `cli.main.COMMANDS`."""
ROOT_ENV = {"actor": "MEMGIT_ACTOR", "run": "MEMGIT_RUN"}
COMPLETION = "_MEMGIT_COMPLETE"

_PLAIN = frozenset(
    [
        "metavar",
        "help",
        "multiple",
        "envvar",
        "is_flag",
        "default",
        "type",
        "required",
        "show_default",
        "shell_complete",
        "nargs",
        "hidden",
        "callback",
        "expose_value",
    ]
)
_UTF8 = ("utf-8", "utf8")


class Choice(NamedTuple):
    """One of some texts."""

    choices: Sequence[str]


class IntRange(NamedTuple):
    """A whole number of at least `min` and at most `max`."""

    min: int | None = None
    max: int | None = None


class Context:
    """What a command is called with: as much of click's context as the commands use."""

    def __init__(self, obj: dict[str, Any], params: dict[str, Any]) -> None:
        self.obj, self.params = obj, params
        self._closing: list[Callable[[], Any]] = []

    def find_root(self) -> Context:
        return self

    def call_on_close(self, function: Callable[[], Any]) -> Callable[[], Any]:
        self._closing.append(function)
        return function

    def close(self) -> None:
        while self._closing:
            self._closing.pop()()


class _Words(NamedTuple):
    """One decorator as it was written: `option` or `argument`, and what it was given."""

    what: str
    decls: tuple[str, ...]
    attrs: Mapping[str, Any]

    def name(self) -> str:
        """The name under which a command gets the value; as click makes it."""
        for decl in self.decls:
            if decl.isidentifier():
                return decl
        longest = max((decl.split("/")[0] for decl in self.decls), key=lambda flag: flag.startswith("--"))
        return longest.lstrip("-").replace("-", "_").lower()

    def flags(self) -> tuple[list[str], list[str]]:
        """What switches an option on (or names it), and what switches it off."""
        on: list[str] = []
        off: list[str] = []
        for decl in self.decls:
            if not decl.isidentifier():
                first, _, second = decl.partition("/")
                on.append(first)
                off += [second] if second else []
        return on, off

    def empty(self) -> Any:
        """The value where none is given."""
        if self.attrs.get("multiple") or self.attrs.get("nargs") == -1:
            return ()
        return self.attrs.get("default", False if self.is_flag() else None)

    def is_told(self) -> bool:
        """Whether an option goes to a function of its own, which minds only a flag that is there, and not to
        the command.
        """
        return not self.attrs.get("expose_value", True)

    def is_flag(self) -> bool:
        return bool(self.attrs.get("is_flag")) or any("/" in decl for decl in self.decls)


class Declared:
    """A command as it was declared.

    Attributes:
        name: on the command line.
        callback: what it does, called with a context and the values of all options and arguments.
    """

    def __init__(self, name: str, callback: Callable[..., Any]) -> None:
        self.name = name
        self.callback = callback
        self._words: list[_Words] = list(getattr(callback, "__lean__", ()))
        self._click: Any = None

    def click(self) -> Any:
        """The same command for click."""
        if self._click is None:
            import click

            def called(*args: Any, **values: Any) -> Any:
                return self.callback(*args, **values)

            called.__doc__ = self.callback.__doc__
            made: Any = click.pass_context(called)
            for what, decls, attrs in self._words:
                made = getattr(click, what)(*decls, **_for_click(attrs))(made)
            self._click = click.command(self.name)(made)
        return self._click

    def parse(self, args: Sequence[str], env: Mapping[str, str]) -> dict[str, Any] | None:
        """The values that a command line gives to options and arguments; None where click must read it."""
        if any(
            not set(words.attrs) <= _PLAIN or ("callback" in words.attrs) != words.is_told()
            for words in self._words
        ):
            return None
        options: dict[str, tuple[_Words, bool]] = {}
        arguments: list[_Words] = []
        values: dict[str, Any] = {}
        for words in reversed(self._words):
            if words.is_told():
                continue
            values[words.name()] = words.empty()
            if words.what == "argument":
                arguments.append(words)
                continue
            for flags, on in zip(words.flags(), (True, False), strict=True):
                options.update((flag, (words, on)) for flag in flags)
        given: dict[str, Any] = {}
        rest: list[str] = []
        if not _split(args, options, given, rest) or not _arguments(arguments, rest, given):
            return None
        for words in self._words:
            name, variable = words.name(), words.attrs.get("envvar")
            if variable and name not in given and env.get(variable):
                if words.attrs.get("multiple") or words.is_flag():
                    return None
                given[name] = env[variable]
            if name in given and not words.is_flag():
                value = _converted(given[name], words.attrs.get("type"))
                if value is None:
                    return None
                given[name] = value
        return {**values, **given}


def _split(
    args: Sequence[str], options: Mapping[str, tuple[_Words, bool]], given: dict[str, Any], rest: list[str]
) -> bool:
    """Takes the options out of a command line; false where it is not plain."""
    waiting = list(reversed(args))
    while waiting:
        arg = waiting.pop()
        if arg == "--":
            rest += reversed(waiting)
            return True
        if len(arg) < 2 or arg[0] != "-":
            rest.append(arg)
            continue
        flag, equals, value = arg.partition("=") if arg.startswith("--") else (arg[:2], "", arg[2:])
        if flag not in options:
            return False
        words, on = options[flag]
        name = words.name()
        if words.is_flag():
            if equals or value:
                return False
            given[name] = on
            continue
        if not equals and not value:
            if not waiting:
                return False
            value = waiting.pop()
        if words.attrs.get("multiple"):
            given[name] = (*given.get(name, ()), value)
        else:
            given[name] = value
    return True


def _arguments(arguments: Sequence[_Words], rest: Sequence[str], given: dict[str, Any]) -> bool:
    """Gives what is left to the arguments, in their order; false where it does not fit."""
    left = list(rest)
    for words in arguments:
        if words.attrs.get("nargs", 1) == -1:
            if words is not arguments[-1] or (words.attrs.get("required") and not left):
                return False
            given[words.name()] = tuple(left)
            left = []
        elif left:
            given[words.name()] = left.pop(0)
        elif words.attrs.get("required", "default" not in words.attrs):
            return False
    return not left


def _converted(value: Any, kind: Any) -> Any:
    """A value of the type that an option has; None where click must say."""
    if kind is None:
        return value
    if not isinstance(value, str):
        return None
    if isinstance(kind, Choice):
        return value if value in kind.choices else None
    if isinstance(kind, IntRange) and value.isascii() and value.isdigit() and len(value) < 10:
        number = int(value)
        return (
            number
            if (kind.min is None or number >= kind.min) and (kind.max is None or number <= kind.max)
            else None
        )
    return None


def _for_click(attrs: Mapping[str, Any]) -> dict[str, Any]:
    """What a decorator was given, with click's own types."""
    import click

    kind = attrs.get("type")
    if isinstance(kind, Choice):
        return {**attrs, "type": click.Choice(kind.choices)}
    if isinstance(kind, IntRange):
        return {**attrs, "type": click.IntRange(min=kind.min, max=kind.max)}
    return dict(attrs)


# Click's decorators and functions, under click's names


def command(name: str) -> Callable[[Callable[..., Any]], Declared]:
    return lambda callback: Declared(name, callback)


def pass_context(callback: Callable[..., Any]) -> Callable[..., Any]:
    return callback


def option(*decls: str, **attrs: Any) -> Callable[[Any], Any]:
    """As click's; a function that it is put on may become a command of either."""
    return _noting(_Words("option", decls, attrs))


def argument(*decls: str, **attrs: Any) -> Callable[[Any], Any]:
    return _noting(_Words("argument", decls, attrs))


def _noting(words: _Words) -> Callable[[Any], Any]:
    def note(function: Any) -> Any:
        function.__dict__.setdefault("__lean__", []).append(words)
        if "click" in sys.modules:
            import click

            getattr(click, words.what)(*words.decls, **_for_click(words.attrs))(function)
        return function

    return note


def echo(message: str = "", *, err: bool = False) -> None:
    """One line to a standard stream; a stream that does not take UTF-8 is left to click."""
    stream = sys.stderr if err else sys.stdout
    if (stream.encoding or "").lower() not in _UTF8 or (
        "\x1b" in message and not (stream.isatty() or for_people())
    ):
        import click

        click.echo(message, err=err)
        return
    if err:  # as click, which keeps the order of the two where both go to one file
        with suppress(OSError):
            sys.stdout.flush()
    stream.write(message + "\n")
    if err or stream.isatty():
        stream.flush()


def style(text: str, *, fg: str | None = None, bold: bool | None = None, dim: bool | None = None) -> str:
    """Text for standard output with the codes of a terminal, where it gets colours."""
    if not coloured():
        return text
    import click

    return click.style(text, fg=fg, bold=bold, dim=dim)


def __getattr__(name: str) -> Any:
    """Whatever else click has."""
    if name == "__path__":  # an import from this module asks whether it is a package
        raise AttributeError(name)
    import click

    return getattr(click, name)


# Calling a command


def attempt(args: Sequence[str], obj: dict[str, Any]) -> bool:
    """Calls the command of a command line that is plainly right; false where click must read it (nothing was
    done then).

    Args:
        obj: what the command's context holds besides the options of memgit itself; gets the exit code as
            `code`.
    """
    if os.environ.get(COMPLETION):
        return False
    rooted = split(args)
    if rooted is None or not rooted[1] or rooted[1][0] not in HOT:
        return False
    given, (name, *rest) = rooted
    # importlib takes as long as two commands
    found = __import__(f"memgit.cli.{HOT[name]}", fromlist=["command"]).command
    values = found.parse(rest, os.environ)
    if values is None:
        return False
    root: dict[str, Any] = {"folder": ".", **given}
    for option, variable in ROOT_ENV.items():
        root[option] = root.get(option, os.environ.get(variable)) or None
    context = Context({**obj, **root}, values)
    try:
        code = found.callback(context, **values)
        obj["code"] = code if isinstance(code, int) else 0
    finally:
        context.close()
    return True
