"""Logs of the time before memgit: Mem Skill's `log.md`, and the audit files of a mirror.

They stay in the log of operations. The configuration names each as `path@blob`, by the content that it had
when the workspace was adopted: what another tool appends later is in the history of the repository already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from memgit.adopt.systems import mem_skill, mnema
from memgit.model.layout import Layout
from memgit.model.operation import Event

_REF = re.compile(r"(.+)@([0-9a-f]{40,64})")


class Old(NamedTuple):
    """One reference of the configuration: the path of a log, and the blob that it was."""

    path: str
    blob: str


def references(texts: tuple[str, ...]) -> list[Old]:
    """The references that the configuration holds; what is none is left out."""
    return [Old(match[1], match[2]) for text in texts if (match := _REF.fullmatch(text)) is not None]


def events(path: str, data: bytes, layout: Layout) -> Iterator[Event]:
    """The operations that a log tells, in the order of its lines; each names its line as `source`, and has no
    commit.
    """
    text = data.decode("utf-8", "replace").removeprefix("\ufeff")
    read = (mnema if path.endswith(".jsonl") else mem_skill).LOG.read
    for number, line in enumerate(text.split("\n"), 1):
        event = read(line.rstrip("\r"), layout)
        if event is not None:
            yield event._replace(source=f"{path}:{number}")
