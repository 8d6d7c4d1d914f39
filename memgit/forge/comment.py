"""One comment for each review: found by its marker, replaced in place, never written a second time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

from memgit.errors import Refused
from memgit.forge.events import Env
from memgit.forge.http import Answer, Client, Failed
from memgit.forge.pages import listed
from memgit.forge.table import Forge
from memgit.review.marker import is_quiet

CONCERNS_NOTHING = "the change concerns no record, derived file, configuration or finding"
_CUT = "\n\n… cut here: the comment would be longer than the forge takes.\n"


class Posted(NamedTuple):
    """What became of a comment:

    `created`, `updated`, `unchanged`, or `skipped`, with the reason in words; `url` where it stands.
    """

    action: str
    url: str | None = None
    id: str | None = None
    reason: str | None = None


def fitting(text: str, limit: int) -> str:
    """The text in at most so many characters, cut at a line's end (in a line where that would cost most of
    it), and said so.
    """
    if len(text) <= limit:
        return text
    kept = text[: limit - len(_CUT)]
    end = kept.rfind("\n")
    return (kept[:end] if end > len(kept) // 2 else kept) + _CUT


def post(
    forge: Forge, env: Env, token: str, number: str, text: str, pause: Callable[[float], None] | None = None
) -> Posted:
    """Puts a review (with its marker in the first line) under a change, in place of the one that stands
    there.

    Before each try to write, what is there is read anew: a server that answered with an error may have
    written all the same. A review that concerns nothing is not posted where none stands.

    Args:
        env: the job's environment, which says which server and repository are meant.
        pause: waits so many seconds.

    Raises:
        Failed: the forge does not answer, or refuses; a token of a fork, which may only read, is not a failure.
        Refused: the environment does not say where the change is.
    """
    base, path = forge.api(env), forge.comments(env, number)
    if base is None or path is None:
        raise Refused(
            f"the environment does not say which repository on {forge.name} is meant",
            hint="run it in a job of that forge",
        )
    client = Client(base, forge.headers(token), token, pause)
    body = fitting(text, forge.limit)
    done: list[Posted] = []
    added = False
    foreign: set[str] = set()

    def once() -> Answer:
        nonlocal added
        for comment in _ours(forge, client, path, body.partition("\n")[0]):
            if str(comment.get("body", "")).replace("\r\n", "\n").rstrip() == body.rstrip():
                done.append(_posted("created" if added else "unchanged", comment, client))
                return Answer(200, {}, comment)
            try:
                answer = client.ask(forge.method, forge.one(env, number, comment), {"body": body})
            except Failed as error:
                if error.status in (403, 404) and not error.again:  # another's after all, or gone meanwhile
                    foreign.add(str(comment.get("id")))
                    continue
                raise
            done.append(_posted("updated", answer.value, client))
            return answer
        if is_quiet(body):
            done.append(Posted("skipped", reason=CONCERNS_NOTHING))
            return Answer(200, {}, None)
        added = True
        answer = client.ask("POST", path, {"body": body})
        done.append(_posted("created", answer.value, client))
        # Another job may have done the same meanwhile: the oldest comment stays, for all of them.
        ours = (str(comment.get("id")) for comment in _ours(forge, client, path, body.partition("\n")[0]))
        there = [one for one in ours if one not in foreign]
        if done[-1].id in there[1:]:
            client.ask("DELETE", forge.one(env, number, {"id": done[-1].id}))
            answer = client.ask(forge.method, forge.one(env, number, {"id": there[0]}), {"body": body})
            done.append(_posted("updated", answer.value, client))
        return answer

    try:
        client.patiently(once)
    except Failed as error:
        if error.status != 403 or error.again:
            raise
        if "locked" in error.said.lower():
            raise _refused(error, f"the conversation of {forge.noun} {number} is locked", _UNLOCK) from None
        if forge.fork(env):
            return Posted("skipped", reason=f"the token of a fork may not comment on this {forge.noun}")
        raise _refused(error, f"the token may not comment on this {forge.noun}", forge.advice) from None
    return done[-1]


_UNLOCK = "unlock it to have the review posted there; the job has it as well"


def _refused(error: Failed, what: str, hint: str) -> Failed:
    """The error in words of ours before those of the server."""
    return Failed(f"{what}: {error.message}", error.status, again=False, said=error.said, hint=hint)


def _posted(action: str, value: Any, client: Client) -> Posted:
    """What became of a comment, by the forge's answer.

    Raises:
        Failed: the answer is none about a comment.
    """
    if not isinstance(value, dict) or type(value.get("id")) is not int:
        raise Failed(f"{client.base} does not say that it has the comment", 200, again=False)
    url = value.get("html_url")
    return Posted(action, url if isinstance(url, str) and url else None, str(value["id"]))


def _ours(forge: Forge, client: Client, path: str, marker: str) -> Iterator[Mapping[str, Any]]:
    """The comments that hold the marker and were written by whom the token belongs to, the oldest first."""
    me: str | None = None
    asked = False
    for comment in _all(client, path):
        if not str(comment.get("body") or "").lstrip().startswith(marker) or comment.get("system"):
            continue
        author = comment.get(forge.author)
        author = author if isinstance(author, dict) else {}
        if not asked:
            me, asked = _me(forge, client), True
        if author.get(forge.me) == me if me is not None else forge.robot(author):
            yield comment


def _me(forge: Forge, client: Client) -> str | None:
    """Whom the token belongs to; None where it may not ask, as the token of a job may not."""
    try:
        value = client.get("/user").value
    except Failed as error:
        if error.again:
            raise
        return None
    name = value.get(forge.me) if isinstance(value, dict) else None
    return name if isinstance(name, str) else None


def _all(client: Client, path: str) -> Iterator[Mapping[str, Any]]:
    """Every comment; all pages are read before the first is given, so that one listing is judged."""
    found = listed(client, path, "comments")
    # Newest first is how GitLab lists them.
    yield from sorted(found, key=lambda comment: str(comment.get("created_at", "")))
