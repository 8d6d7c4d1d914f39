"""Posting a review under its pull or merge request, from a job of the forge's CI."""

from __future__ import annotations

from typing import Any, NamedTuple

from memgit.app.workspace import Context
from memgit.errors import BadInput, Refused
from memgit.forge import comment
from memgit.forge.table import FORGES, Forge, Job, here, named
from memgit.review.marker import marked


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
            else f"{name!r} is no forge that memgit knows"
        )
        raise BadInput(what, hint=f"--forge {' or '.join(forge.name for forge in FORGES)}")
    return found


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
        raise BadInput(f"{number!r} is no number of a {found.noun}")
    token = next((value for name in found.tokens if (value := context.env.get(name, "").strip())), None)
    if token is None:
        if found.fork(context.env):
            return Commented(
                found, number, comment.Posted("skipped", reason="a change from a fork, and no token")
            )
        raise Refused(f"there is no token for {found.name}", hint=f"set {found.tokens[0]}")
    if not token.isascii() or not token.isprintable():
        raise Refused("the token holds characters that no token has", hint=f"look at {found.tokens[0]}")
    return Commented(found, number, comment.post(found, context.env, token, number, marked(text, key)))


def job_of(context: Context, forge: str | None = None, base: str | None = None) -> Job:
    """What the CI job is about; `base` counts for more than what the forge says.

    Raises:
        BadInput: there is no job of a known forge, or nothing says what its change is compared with.
    """
    found = forge_of(context, forge)
    job = found.job(context.env)
    job = job._replace(base=base or job.base)
    if not job.base:
        raise BadInput(
            f"this job of {found.name} does not say what its change is compared with",
            hint="name it with --base",
        )
    if any(
        revision.startswith("-") or not revision.isprintable() or " " in revision
        for revision in (job.base, job.head or "HEAD")
    ):
        raise BadInput(f"this job of {found.name} names a revision that is none")
    return job
