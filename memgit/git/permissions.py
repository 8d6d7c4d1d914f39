"""Repositories that several users share (`core.sharedRepository`)."""

from __future__ import annotations

import os
from contextlib import contextmanager

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from memgit.git.config import Config

_GROUP, _ALL = 0o070, 0o075


@contextmanager
def shared(settings: Config) -> Iterator[None]:
    """While this holds, what is created in the git directory may be read and written by those whom the
    repository is shared with.
    """
    value = (settings.get("core.sharedrepository") or "").lower()
    if value in ("", "umask", "false", "0", "no", "off"):
        yield
        return
    if value in ("all", "world", "everybody", "2"):
        keep = _ALL
    elif value in ("group", "true", "1", "yes", "on"):
        keep = _GROUP
    else:
        try:
            mode = int(value, 8)
        except ValueError:
            mode = 0o660
        keep = (mode & 0o077) | ((mode & 0o044) >> 2)
    was = os.umask(0o077)
    os.umask(was & ~keep)
    try:
        yield
    finally:
        os.umask(was)
