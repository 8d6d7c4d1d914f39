"""Looking for credentials in what an operation adds, before anything is written: what is committed once is on
every clone.

Rule MG501 finds the same in files; what it is told to leave alone (in the configuration, or by a comment in
place) is left alone here.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING
from memgit.app.check.settings import settings_of
from memgit.errors import Refused
from memgit.lint import secrets
from memgit.lint.lines import Lines
from memgit.lint.page import REGULAR, Page
from memgit.lint.secrets import with_article
from memgit.lint.settings import chosen, severity_of
from memgit.lint.suppress import MARK
from memgit.model.namedtuple import NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from memgit.app.workspace import Workspace
    from memgit.app.write.overlay import Overlay
    from memgit.app.write.session import Plan

REFUSE, ALLOW, REDACT = "refuse", "allow", "redact"
"""What a writer does where it is about to write a credential."""
HINT = (
    "leave it out and say where it is kept; --redact puts a placeholder in its place, --allow-secret "
    "writes it all the same"
)
BY_HAND = "take it out and say where it is kept; --allow-secret commits it all the same"
"""The same for what a person has written into a file."""
_RULE = "MG501"


class Held(NamedTuple):
    """One credential in a file that is about to be written: path, line, place in the text, and kind."""

    path: str
    line: int
    start: int
    end: int
    kind: str


def checked_for_secrets(
    workspace: Workspace,
    overlay: Overlay,
    plan: Plan,
    reason: str | None,
    mode: str,
    old: Callable[[str], bytes | None],
    paths: Sequence[str],
) -> str | None:
    """Looks at what a plan adds to files and at the reason that is given for it; the reason, without what had
    to be taken out of it.

    With `redact`, the credentials on the overlay are replaced and the overlay notes what was; with `allow`
    nothing is looked at.

    Args:
        old: the bytes of a file before the operation.
        paths: the files that the plan edits; derived files are not among them.

    Raises:
        Refused: something looks like a credential. Nothing was written.
    """
    if mode == ALLOW:
        return reason
    found = [held for path in paths for held in _added(overlay, path, old(path))]
    said = secrets.spans(reason) if reason is not None else []
    if not found and not said:
        return reason
    severity = _severity(workspace)
    if severity is None:
        return reason
    known = {
        text[held.start : held.end]
        for path in paths
        if (text := _text(old(path)))
        for held in _held(path, text, None)
    }
    texts = {path: _text(overlay.data(path)) for path in {held.path for held in found}}
    # moved from one file to another
    found = [held for held in found if texts[held.path][held.start : held.end] not in known]
    if mode == REDACT:
        _redact(overlay, plan, found, texts)
        return _without(reason, said)
    if not found and not said:
        return reason
    words = (
        f"{with_article(found[0].kind)} would be written"
        if found
        else f"the reason holds {with_article(said[0][2])}"
    )
    more = len(found) + len(said) - 1
    words += f", and {more} more" if more else ""
    path, line = (found[0].path, found[0].line) if found else (None, None)
    if severity != "error":
        where = f"{path}:{line}: " if path else ""
        overlay.notes += (f"{where}{words} ({_RULE})",)
        return reason
    raise Refused(f"not written: {words}", path=path, line=line, hint=HINT)


def _added(overlay: Overlay, path: str, old: bytes | None) -> list[Held]:
    """The credentials on lines of a file that it has not had before, but for those that a comment allows."""
    data = overlay.data(path)
    if data is None or data == old:
        return []
    text = _text(data)
    if old is None:
        return _allowed_out(overlay, path, _held(path, text, None))
    if old.endswith(b"\n") and data.startswith(old) and not secrets.suspect(_text(data[len(old) :])):
        return []  # as after each of many records that are appended to one file
    before = set(_text(old).split("\n"))
    lines = {number for number, line in enumerate(text.split("\n"), 1) if line not in before}
    fresh = "\n".join(line for line in text.split("\n") if line not in before)
    return _allowed_out(overlay, path, _held(path, text, lines)) if secrets.suspect(fresh) else []


def _held(path: str, text: str, lines: set[int] | None) -> list[Held]:
    """The credentials of a text, on some of its lines or on all of them."""
    spans = secrets.spans(text)
    if not spans:
        return []
    at = Lines(text)
    found = [Held(path, at.of(start), start, end, kind) for start, end, kind in spans]
    return found if lines is None else [held for held in found if held.line in lines]


def _allowed_out(overlay: Overlay, path: str, found: list[Held]) -> list[Held]:
    if not found:
        return found
    data = overlay.data(path) or b""
    if MARK.encode() not in data:
        return found
    allowed = Page(overlay.layout, path, data, REGULAR, overlay.parsed(path)).allowed
    return [held for held in found if not allowed.allows(_RULE, "secret", held.line)]


def _redact(overlay: Overlay, plan: Plan, found: Sequence[Held], texts: dict[str, str]) -> None:
    """Replaces credentials on the overlay."""
    told = "\n".join([plan.subject, plan.source or "", *(change.address for change in plan.changes)])
    for held in found:
        if texts[held.path][held.start : held.end] in told:
            raise Refused(
                f"not written: title or name would hold {with_article(held.kind)}",
                path=held.path,
                line=held.line,
                hint="give it another title",
            )
    for path in dict.fromkeys(held.path for held in found):
        text, end = [], 0
        for held in sorted((one for one in found if one.path == path), key=lambda one: one.start):
            text += [texts[path][end : held.start], secrets.placeholder(held.kind)]
            end = held.end
        overlay.put(path, "".join([*text, texts[path][end:]]).encode("utf-8", "surrogateescape"))
        overlay.notes += tuple(
            f"{path}:{held.line}: {with_article(held.kind)} was taken out"
            for held in found
            if held.path == path
        )


def _without(reason: str | None, said: Sequence[tuple[int, int, str]]) -> str | None:
    for start, end, kind in reversed(said):
        assert reason is not None
        reason = reason[:start] + secrets.placeholder(kind) + reason[end:]
    return reason


def _severity(workspace: Workspace) -> str | None:
    """How grave a credential is by the configuration; None where the rule is turned off."""
    from memgit.lint.rules import RULES

    rule = next(rule for rule in RULES if rule.code == _RULE)
    settings = settings_of(workspace, RULES)
    return severity_of(settings, rule) if rule in chosen(settings, [rule]) else None


def _text(data: bytes | None) -> str:
    return "" if data is None else data.decode("utf-8", "surrogateescape")
