"""The open pull or merge requests of a repository, for the job that keeps them mergeable."""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.app.review.comment import forge_of, token_of
from memgit.app.workspace import Context
from memgit.errors import BadInput, Refused
from memgit.forge.http import Client
from memgit.forge.pages import listed
from memgit.git.history.branches import checked


class Open(NamedTuple):
    """One open request: its number, the branch that it goes into and the one that it comes from, both of the
    repository itself.
    """

    number: int
    base: str
    head: str

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def open_requests(context: Context, forge: str | None = None, base: str | None = None) -> list[Open]:
    """The open requests from branches of the repository itself, by number; those from forks are left out.

    Args:
        forge: by default the one whose CI runs this job.
        base: only those into this branch.

    Raises:
        BadInput: no such forge. Refused: there is no token, or the forge does not answer.
    """
    found = forge_of(context, forge)
    path, address = found.requests(context.env), found.api(context.env)
    if path is None or address is None:
        raise Refused(f"the environment does not say which repository of {found.name} this is")
    token = token_of(found, context.env)
    client = Client(address, found.headers(token), token)
    rows = (found.request(row) for row in listed(client, path, f"{found.noun}s"))
    kept = [Open(*row) for row in rows if row is not None and _is_sound(*row)]
    return sorted(one for one in kept if base is None or one.base == base)


def _is_sound(number: object, base: object, head: object) -> bool:
    """Whether an answer names what a job may put into a command: a number and two branches."""
    if type(number) is not int or not isinstance(base, str) or not isinstance(head, str):
        return False
    try:
        return all(checked(name) and name.isprintable() for name in (base, head))
    except BadInput:
        return False
