"""Posting a review under its pull or merge request, from a job of the forge's CI."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from memgit.app.workspace import Context
from memgit.errors import BadInput, Refused
from memgit.forge import comment
from memgit.forge.table import FORGES, Forge, here, named
from memgit.review.marker import marked
from memgit.review.values import Site


class Commented(NamedTuple):
    """Where a review went, and what became of it there (see `forge.comment.Posted`)."""

    forge: Forge
    number: str | None
    posted: comment.Posted

    def as_json(self) -> dict[str, Any]:
        return {"forge": self.forge.name, "number": self.number, **self.posted._asdict()}

    def words(self) -> str:
        """One line for people."""
        if self.posted.action == "skipped":
            return f"no comment: {self.posted.reason}"
        where = f"{self.forge.noun} {self.number}"
        return f"{self.posted.action} the comment on {where}" + (
            f": {self.posted.url}" if self.posted.url else ""
        )


def site_of(context: Context) -> Site | None:
    """Where the forge whose CI runs this job shows files; None outside of one."""
    found = here(context.env)
    return None if found is None else found.site(context.env)


def forge_of(context: Context, name: str | None) -> Forge:
    """The forge by name, or that whose CI runs this job.

    Raises:
        BadInput: no such forge, or none is told by the environment.
    """
    found = here(context.env) if name is None else named(name)
    if found is None:
        marks = ", ".join(forge.mark for forge in FORGES)
        what = (
            "no forge's CI runs here (none of " + marks + " is set)"
            if name is None
            else f"{name!r} is not a forge that memgit knows"
        )
        raise BadInput(what, hint=f"--forge {' or '.join(forge.name for forge in FORGES)}")
    return found


def token_of(found: Forge, env: Mapping[str, str]) -> str:
    """The token for a forge.

    Raises:
        Refused: there is none, or what is set cannot be one.
    """
    token = next(iter(_tokens(found, env)), None)
    if token is None:
        raise Refused(f"there is no token for {found.name}", hint=f"set {found.tokens[0]}")
    if not token.isascii() or not token.isprintable():
        raise Refused("the token holds characters that no token has", hint=f"look at {found.tokens[0]}")
    return token


def _tokens(found: Forge, env: Mapping[str, str]) -> list[str]:
    return [value for name in found.tokens if (value := env.get(name, "").strip())]


def post_review(
    context: Context, text: str, *, forge: str | None = None, number: str | None = None, key: str = ""
) -> Commented:
    """Posts a review as the one comment that it has under its change.

    Args:
        text: Markdown.
        forge: a name of `FORGES`; by default the one whose CI runs this job.
        number: of the change; by default the one that the job is about.
        key: tells several reviews of one change apart; by default what the text says, its knowledge root.

    Raises:
        Refused: there is no token, or the forge did not take the comment.
    """
    found = forge_of(context, forge)
    number = number or found.job(context.env).number
    if number is None:
        return Commented(
            found, None, comment.Posted("skipped", reason=f"this job is not about a {found.noun}")
        )
    if not number.isascii() or not number.isdigit():
        raise BadInput(f"{number!r} is not a number of a {found.noun}")
    if found.fork(context.env) and not _tokens(found, context.env):
        reason = "a change from a fork, and no token"
        return Commented(found, number, comment.Posted("skipped", reason=reason))
    token = token_of(found, context.env)
    return Commented(found, number, comment.post(found, context.env, token, number, marked(text, key)))
