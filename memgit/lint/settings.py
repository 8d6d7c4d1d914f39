"""What a configuration says about rules: which run, how grave they are, and their options."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from memgit import TYPE_CHECKING
from memgit.errors import BadInput
from memgit.lint.rule import SEVERITIES, Option, Options, Rule
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from typing import Any, Protocol

    class Known(Protocol):
        """As much of a rule as a configuration is about."""

        @property
        def code(self) -> str: ...
        @property
        def name(self) -> str: ...
        @property
        def options(self) -> Options: ...


KEYS = ("select", "ignore", "severity", "options")
WHERE = ".memgit.yaml"


class Settings(NamedTuple):
    """Rules are named by code (`MG301`), by the beginning of one (`MG3`) or by name (`duplicate-record`).

    Attributes:
        select: the rules that run; empty means all.
        ignore: rules that do not, even if selected.
        severity: severity by rule; `off` is the same as ignoring it.
        options: options by rule.
        derived: whether what is found in derived files counts, beyond what no door lets pass: where they belong to
            another branch, it does not.
    """

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    severity: Mapping[str, str] = {}
    options: Mapping[str, Mapping[str, Any]] = {}
    derived: bool = True

    def narrowed(self, select: Iterable[str] = (), ignore: Iterable[str] = ()) -> Settings:
        """The same with the wishes of one run on top: its selection replaces the configured one, what it
        ignores is added.
        """
        return self._replace(select=tuple(select) or self.select, ignore=(*self.ignore, *ignore))


def names(pattern: str, rule: Known) -> bool:
    """Whether a pattern names a rule."""
    return (
        pattern == rule.name
        or (pattern.startswith("MG") and rule.code.startswith(pattern))
        or pattern == rule.code
    )


def chosen(settings: Settings, rules: Sequence[Rule]) -> list[Rule]:
    """The rules that run, in the order of their codes."""
    return [rule for rule in rules if is_chosen(settings, rule)]


def is_chosen(settings: Settings, rule: Known) -> bool:
    """Whether a rule runs."""
    if settings.select and not any(names(pattern, rule) for pattern in settings.select):
        return False
    return (
        not any(names(pattern, rule) for pattern in settings.ignore) and configured(settings, rule) != "off"
    )


def severity_of(settings: Settings, rule: Rule) -> str:
    """The severity of a rule, `off` where the configuration turns it off."""
    return configured(settings, rule) or rule.severity


def configured(settings: Settings, rule: Known) -> str | None:
    """The severity that the configuration gives a rule; of several that name it, by the longest name."""
    for pattern, severity in sorted(settings.severity.items(), key=lambda item: -len(item[0])):
        if names(pattern, rule):
            return severity
    return None


def options_of(settings: Settings, rule: Rule) -> Options:
    """The options of a rule, defaults included."""
    merged: dict[str, Option] = dict(rule.options)
    for pattern, given in settings.options.items():
        if names(pattern, rule):
            merged.update({name: value for name, value in given.items() if name in rule.options})
    return merged


def from_mapping(values: Mapping[str, Any], rules: Sequence[Known]) -> Settings:
    """The settings from the `lint` key of a configuration.

    Raises:
        BadInput: a key, rule, severity or option that is not there, or a value of the wrong type.
    """
    for key in values:
        if key not in KEYS:
            raise _bad(str(key), f"it is not one of {', '.join(KEYS)}")
    select, ignore = _list(values, "select"), _list(values, "ignore")
    severity = {str(key): str(value) for key, value in _mapping(values, "severity").items()}
    for pattern in (*select, *ignore, *severity):
        _check_name(
            "select" if pattern in select else "ignore" if pattern in ignore else "severity", pattern, rules
        )
    for pattern, wanted in severity.items():
        if wanted not in (*SEVERITIES, "off"):
            raise _bad(f"severity.{pattern}", f"{wanted!r} is not one of {', '.join(SEVERITIES)}, off")
    options: dict[str, dict[str, Option]] = {}
    for pattern, given in _mapping(values, "options").items():
        _check_name("options", str(pattern), rules)
        if not isinstance(given, Mapping):
            raise _bad(f"options.{pattern}", "it must be a mapping from option to value")
        named = [rule for rule in rules if names(str(pattern), rule)]
        options[str(pattern)] = {
            str(name): _option(str(pattern), str(name), value, named) for name, value in given.items()
        }
    return Settings(select, ignore, severity, options)


def check_names(patterns: Iterable[str], rules: Sequence[Known], where: str = "") -> None:
    """Raises BadInput where a pattern names no rule."""
    for pattern in patterns:
        _check_name(where, pattern, rules)


def _check_name(key: str, pattern: str, rules: Sequence[Known]) -> None:
    if not any(names(pattern, rule) for rule in rules):
        from difflib import get_close_matches

        near = get_close_matches(pattern, [name for rule in rules for name in (rule.code, rule.name)], n=1)
        raise _bad(key, f"no rule {pattern!r}" + (f"; did you mean {near[0]}?" if near else ""))


def _option(pattern: str, name: str, value: Any, rules: Sequence[Known]) -> Option:
    for rule in rules:
        if name in rule.options:
            return _typed(f"options.{pattern}.{name}", value, rule.options[name])
    known = sorted({option for rule in rules for option in rule.options})
    raise _bad(
        f"options.{pattern}",
        f"no option {name!r}" + (f"; there are {', '.join(known)}" if known else "; it has none"),
    )


def _typed(key: str, value: Any, default: Option) -> Option:
    """A value as the type that the default has; configuration gives text."""
    if isinstance(default, tuple):
        if isinstance(value, str):
            return (value,)
        if isinstance(value, Sequence):
            return tuple(str(item) for item in value)
        raise _bad(key, "it must be a list")
    text = str(value).strip() if isinstance(value, str | int | float | bool) else None
    if text is None:
        raise _bad(key, f"it must be of the kind of {default!r}")
    if isinstance(default, bool):
        if text.lower() in ("true", "yes", "on", "false", "no", "off"):
            return text.lower() in ("true", "yes", "on")
        raise _bad(key, "it must be true or false")
    if isinstance(default, int | float):
        try:
            number = type(default)(text)
        except ValueError:
            raise _bad(key, "it must be a number") from None
        if number < 0:
            raise _bad(key, "it must not be negative")
        if not number < float("inf"):
            raise _bad(key, "it must be a number")
        if isinstance(default, float) and default <= 1 < number:
            raise _bad(key, "it is a share, from 0 to 1")
        return number
    return text


def _list(values: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = values.get(key) or ()
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(",") if part.strip())
    if not isinstance(value, Sequence):
        raise _bad(key, "it must be a list of rules")
    return tuple(str(item) for item in value)


def _mapping(values: Mapping[str, Any], key: str) -> Mapping[str, Any]:
    value = values.get(key) or {}
    if not isinstance(value, Mapping):
        raise _bad(key, "it must be a mapping from rule to value")
    return value


def _bad(key: str, message: str) -> BadInput:
    if key.startswith("-"):  # an option of the command line
        return BadInput(f"{key}: {message}", hint="memgit rule lists them")
    return BadInput(f"lint.{key}: {message}" if key else message, path=WHERE, hint="memgit rule lists them")
