"""Asking about an ingest on a terminal: first which files, in pages, then each segment.

Nothing is written before the last answer.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from memgit.app.ingest.homes import named
from memgit.app.ingest.proposal import committed, taken
from memgit.app.read.reader import kinds_of
from memgit.app.read.record_json import version_id
from memgit.app.workspace import Workspace
from memgit.app.write.record import MAX_TITLE, safe_key
from memgit.cli.editor import edited
from memgit.cli.output import cut_line, echo, faint, heading
from memgit.errors import MemgitError
from memgit.formats.messages.message import one_line
from memgit.ingest.proposal import UNCHANGED, Category, Item, Proposal, decided
from memgit.model.kinds import KINDS
from memgit.model.link import normal

PAGE = 15
"""Files that are listed at a time."""
MAX_UNASKED_FILES = 5
"""Files up to which each is gone through without asking which."""
VIEWED = 60
"""Lines of a segment that are shown."""
HELP = """\
  c create a new record          u update a record (its text is replaced)   e extend a record (text is added)
  s skip                         m merge into another segment               v view the text
  t another title                k another kind                             g another category, scope or folder
  w another text (in an editor)  a take this and all that follow as --yes would: none that needs a decision
  q cancel: nothing is written"""


def ask(proposal: Proposal, workspace: Workspace) -> Proposal:
    """The proposal as a person decided it.

    Raises:
        click.Abort: it was cancelled.
    """
    files = [file.path for file in proposal.files if not file.skipped]
    for file in proposal.files:
        if file.skipped:
            echo(f"not read: {file.path}: {file.skipped}")
    by_path = {path: [item for item in proposal.items if item.path == path] for path in files}
    open_ = [path for path in files if any(item.action != UNCHANGED for item in by_path[path])]
    if len(open_) < len(files):
        echo(f"{len(files) - len(open_)} files say nothing new")
    wanted = set(open_ if len(open_) <= MAX_UNASKED_FILES else _files(open_, by_path))
    asker = _Asker(proposal, workspace)
    try:
        for path in open_:
            if path in wanted:
                asker.file(path, by_path[path])
            else:
                asker.leave(by_path[path])
        return asker.confirmed()
    except click.Abort:
        echo(f"\nmemgit: nothing was written: {asker.standing()}", err=True)
        raise


def _files(paths: Sequence[str], by_path: dict[str, list[Item]]) -> list[str]:
    """The files to go through, chosen from pages."""
    chosen: list[str] = []
    start = 0
    while start < len(paths):
        page = paths[start : start + PAGE]
        echo(f"files {start + 1} to {start + len(page)} of {len(paths)}:")
        for number, path in enumerate(page, start + 1):
            count = sum(item.acts for item in by_path[path])
            click.echo(f"  {number:3}. {heading(path)} {faint(f'{count} proposed of {len(by_path[path])}')}")
        text = click.prompt(
            "which (a all on this page, A all files, n none here, 1,3-5, q cancel)",
            default="a",
            show_default=True,
        ).strip()
        if text in ("q", "Q"):
            raise click.Abort
        if text == "A":
            return [*chosen, *paths[start:]]
        numbers = _numbers(text, start + 1, start + len(page))
        if numbers is None:
            echo(
                f"give numbers from {start + 1} to {start + len(page)}, such as "
                f"{start + 1},{start + len(page)}"
            )
            continue
        chosen += [paths[number - 1] for number in numbers]
        start += PAGE
    return chosen


def _numbers(text: str, first: int, last: int) -> list[int] | None:
    """The numbers that a text lists, None where it lists something else."""
    if text in ("a", "n"):
        return list(range(first, last + 1)) if text == "a" else []
    out: set[int] = set()
    for part in text.replace(" ", ",").split(","):
        low, dash, high = part.partition("-")
        if not part:
            continue
        if (
            not (low.isascii() and low.isdigit() and (not dash or (high.isascii() and high.isdigit())))
            or len(part) > 12
        ):
            return None
        found = range(int(low), int(high if dash else low) + 1)
        if not found or found[0] < first or found[-1] > last:
            return None
        out.update(found)
    return sorted(out)


def _left_out(item: Item, reason: str) -> Item:
    """The item, skipped because a person chose so."""
    return item._replace(action="skip", reason=reason, chosen=True)


class _Asker:
    """Goes through the segments and remembers what was decided."""

    def __init__(self, proposal: Proposal, workspace: Workspace) -> None:
        self._proposal, self._workspace = proposal, workspace
        self._done: dict[str, Item] = {}
        self._order = [item.segment for item in proposal.items]
        self._categories = {one.key: one for one in proposal.categories}
        self._rest = False
        self._taken: set[str] = set()

    def standing(self) -> str:
        """How far the questions came, in words."""
        acting = sum(item.acts for item in self._proposal.items)
        return (
            f"{len(self._taken)} of {acting} proposals were taken and are forgotten; "
            "memgit ingest SOURCE --plan FILE keeps decisions"
        )

    def leave(self, items: Sequence[Item]) -> None:
        for item in items:
            self._done[item.segment] = item if item.action == UNCHANGED else _left_out(item, "not chosen")

    def file(self, path: str, items: Sequence[Item]) -> None:
        """Asks about each segment of one file for which something is proposed; the others can be had too."""
        asked = [item for item in items if item.acts]
        more = [item for item in items if item.action == "skip"]
        click.echo(f"\n{heading(path)} {faint(f'{len(asked)} proposed of {len(items)} segments')}")
        if (
            more
            and not self._rest
            and click.confirm(f"also ask about the {len(more)} that are not proposed?", default=False)
        ):
            asked = [item for item in items if item.action != UNCHANGED]
        names = {item.segment for item in asked}
        for item in items:
            is_asked = item.segment in names and not self._rest
            done = self._done[item.segment] = self._segment(item) if is_asked else decided(item)
            if is_asked and done.acts:
                self._taken.add(item.segment)

    def _segment(self, given: Item) -> Item:
        """Asks until something is decided about one segment."""
        item = given
        while True:
            self._print(item)
            default = "s" if item.action == "skip" or item.reason else item.action[0]
            answer = click.prompt(
                "c/u/e/s/m/v/t/k/g/w/a/q, ? for help", default=default, show_default=True
            ).strip()
            done, item = self._answer(answer, item)
            if done:
                return item

    def _print(self, item: Item) -> None:
        click.echo(
            f"\n{heading(item.title)} {faint(f'{item.segment}, lines {item.lines}, {item.tokens} tokens, topic {item.topic}')}"
        )
        echo(f"  {item.summary}")
        echo(f"  key terms: {', '.join(item.keywords)}")
        for number, candidate in enumerate(item.candidates, 1):
            said = f"{candidate.overlap:.0%} of the terms, {candidate.likeness:.0%} alike"
            echo(f"  {number}. {candidate.address} ({said}): {candidate.advice}")
        if item.into and not item.candidates:
            echo(f"  made {item.into} before")
        if item.reason:
            echo(f"  {item.reason}")
        where = (
            item.into
            if item.action in ("update", "extend")
            else f"{item.kind}/{item.group}"
            if item.group
            else item.kind
        )
        echo(f"  proposed: {item.action} {where if item.action != 'skip' else ''}".rstrip())

    def _answer(self, answer: str, item: Item) -> tuple[bool, Item]:
        """What an answer makes of an item, and whether that decides about it."""
        if answer == "q":
            raise click.Abort
        if answer == "s":
            return True, _left_out(item, "as decided")
        if answer == "c":
            made = self._created(item)
            return not self._is_taken(made), made
        if answer in ("u", "e"):
            found = self._into(item, "update" if answer == "u" else "extend")
            return found is not None, found or item
        if answer == "m":
            return self._merged(item)
        if answer == "a":
            self._rest = True
            return True, decided(item)
        if answer == "v":
            lines = item.body.split("\n")
            for line in lines[:VIEWED]:
                echo(f"  | {cut_line(line)}")
            if len(lines) > VIEWED:
                echo(f"  and {len(lines) - VIEWED} more lines")
        elif answer == "t":
            item = self._retitled(item)
        elif answer == "k":
            item = self._kind(item)
        elif answer == "g":
            item = self._grouped(item)
        elif answer == "w":
            try:
                with edited(self._workspace, item.body + "\n") as text:
                    body = text.strip("\n")
            except MemgitError as error:  # what was decided so far is not lost for it
                echo(f"  {error}")
                body = ""
            if body.strip() and body != item.body:
                item = item._replace(body=body, edited=True)
        else:
            echo(HELP)
        return False, item

    def _created(self, item: Item) -> Item:
        """The item as a new record; related are the records that share enough with it."""
        group = item.group or (self._proposal_group(item) if item.kind == "knowledge" else "")
        return item._replace(action="create", into="", version="", reason="", group=group)

    def _retitled(self, item: Item) -> Item:
        """The item with another title; with its old one where that cannot be a title."""
        title = one_line(click.prompt("title", default=item.title)) or item.title
        if len(title) > MAX_TITLE:
            echo(f"  a title has at most {MAX_TITLE:,} characters, this one {len(title):,}")
            return item
        return item._replace(title=title)

    def _is_taken(self, item: Item) -> bool:
        """Whether a new record cannot have its title, which is said then."""
        known = self._place(item)
        twin = next(
            (
                one.segment
                for one in self._done.values()
                if one.action == "create" and self._place(one) == known
            ),
            None,
        )
        found = twin or taken(self._workspace, item)
        if found:
            echo(f"  {found} has that title: give it another one (t), or choose another place (g, k)")
        return found is not None

    @staticmethod
    def _place(item: Item) -> tuple[str, str, str]:
        return item.kind, item.group, normal(item.title)

    def _proposal_group(self, item: Item) -> str:
        return (
            item.into.partition("/")[2].partition("#")[0] if item.into.startswith("knowledge/") else "general"
        )

    def _kind(self, item: Item) -> Item:
        choices = [kind for kind in ("knowledge", "memory", "note") if self._workspace.layout.of(kind)]
        kind = kinds_of(click.prompt("kind", type=click.Choice(choices), default=item.kind)) or item.kind
        if kind == item.kind:
            return item
        action = item.action if item.action == "skip" else "create"
        return item._replace(
            kind=kind, group="general" if kind == "knowledge" else "", action=action, into="", version=""
        )

    def _grouped(self, item: Item) -> Item:
        """The item in another category, scope or folder; a category that is new is named and keyworded."""
        what = {"knowledge": "category", "memory": "scope"}.get(item.kind, "folder")
        known = committed(self._workspace).snapshot.groups(item.kind)
        if known:
            echo(f"  there are: {', '.join(name for name in known if name)}")
        key = click.prompt(what, default=item.group or "", show_default=bool(item.group)).strip()
        try:
            key = safe_key(key, what) if key or item.kind == "knowledge" else ""
        except MemgitError as error:
            echo(f"  {error.message}" + (f" ({error.hint})" if error.hint else ""))
            return item
        if item.kind == "knowledge" and key not in known and key not in self._categories:
            name = one_line(click.prompt("name of the new category", default=named(key)))
            words = click.prompt("its keywords, with commas", default=", ".join(item.keywords))
            self._categories[key] = Category(
                key, name, tuple(word for part in words.split(",") if (word := one_line(part)))
            )
        return item._replace(group=key)

    def _into(self, item: Item, action: str) -> Item | None:
        """The item as an update or extension of a record that the person names."""
        numbers = {str(number): one.address for number, one in enumerate(item.candidates, 1)}
        default = item.into or (item.candidates[0].address if item.candidates else None)
        text = click.prompt(f"{action} which record (a number or an address)", default=default).strip()
        try:
            record = committed(self._workspace).find(numbers.get(text, text))
        except MemgitError as error:
            echo(f"  {error.message}")
            return None
        if record.kind not in KINDS or record.kind == "observation":
            echo(f"  {record.address} is never edited")
            return None
        related = tuple(one for one in item.related if one != record.address)
        return item._replace(
            action=action, into=record.address, version=version_id(record), reason="", related=related
        )

    def _merged(self, item: Item) -> tuple[bool, Item]:
        """The item as a part of another one of the same file."""
        earlier = [one for one in self._done.values() if one.acts and one.path == item.path]
        coming = [
            one
            for one in self._proposal.items
            if one.path == item.path and one.acts and one.segment not in self._done
        ]
        others = [one for one in (*earlier, *coming) if one.segment != item.segment]
        if not others:
            echo("  there is no other segment to merge it into")
            return False, item
        for one in others:
            echo(f"  {one.segment}: {one.title}")
        choice = click.prompt(
            "into which", type=click.Choice([one.segment for one in others]), default=others[0].segment
        )
        return True, item._replace(action="merge", into=choice, reason="")

    def confirmed(self) -> Proposal:
        """The proposal, once the person has seen what it comes to."""
        items = tuple(
            self._done.get(segment, item)
            for segment, item in zip(self._order, self._proposal.items, strict=True)
        )
        items = self._apart(self._loose_ends(items))
        acting = [item for item in items if item.acts]
        result: dict[str, Any] = {"items": items, "categories": tuple(self._categories.values())}
        if not acting:
            return self._proposal._replace(**result)
        counts = ", ".join(
            f"{count} to {action}"
            for action in ("create", "update", "extend")
            if (count := sum(item.action == action for item in acting))
        )
        if not click.confirm(f"\n{counts}. Write them in one commit?", default=True):
            raise click.Abort
        return self._proposal._replace(**result)

    def _apart(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """The items with a number behind the title of each new record that would have that of an earlier one."""
        seen: set[tuple[str, str, str]] = set()
        out = []
        for item in items:
            new, number = item, 1
            while new.action == "create" and self._place(new) in seen:
                number += 1
                new = item._replace(title=f"{item.title} ({number})")
            if new is not item:
                echo(f"{item.segment} has the title of another new record: it becomes {new.title}")
            if new.action == "create":
                seen.add(self._place(new))
            out.append(new)
        return tuple(out)

    def _loose_ends(self, items: tuple[Item, ...]) -> tuple[Item, ...]:
        """Items that were to go into one that was skipped after all become records of their own."""
        acting = {item.segment for item in items if item.acts or item.action == "merge"}
        out = []
        for item in items:
            if item.action == "merge" and item.into not in acting:
                echo(
                    f"{item.segment} was to go into {item.into}, which is skipped: it becomes a "
                    "record of its own"
                )
                out.append(self._created(item))
            else:
                out.append(item)
        return tuple(out)
