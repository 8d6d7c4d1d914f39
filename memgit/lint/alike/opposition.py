"""Whether two claims give opposite advice."""

from __future__ import annotations

import re

from memgit.lint.alike.claims import FAMILIES, Claim


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
        words = FAMILIES[against[0]]
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
