"""What happened to records between two versions: matching by id, then by address, then by likeness, and a
name for each difference.

Likeness follows git's rule for renames (https://git-scm.com/docs/git-diff, `-M`): two texts are one record
when at least half of the larger one is kept. It counts pairs of neighbouring words, so that a long line with
one new word stays alike.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import pairwise

from memgit.model import address as addresses
from memgit.model.ids import is_id
from memgit.model.kinds import KINDS
from memgit.model.lazy_re import pattern
from memgit.model.namedtuple import NamedTuple
from memgit.model.operation import RecordChange
from memgit.model.record import Record, Value

LIKENESS = 0.5
SKETCH = 32
MAX_SHARING_RECORDS = 24
"""A word pair that more records than this share says nothing about which of them is meant; it also bounds the
work.
"""
MAX_PAIRS = 64
"""Up to this many pairs are compared one by one; beyond it, only records that share rare word pairs."""

VERBS = {
    "create": "record",
    "update": "update",
    "extend": "extend",
    "archive": "archive",
    "restore": "restore",
    "rename": "rename",
    "promote": "promote",
    "link": "link",
    "remove": "remove",
}
STAMPS = frozenset(["updated", "usage_count", "last_used", "mirrored_count"])
"""Fields that change beside what a record says, with any write of it."""
_CONSISTENT = {
    "create": ("create", "promote", "restore"),
    "promote": ("promote", "create"),
    "update": ("update", "extend", "link"),
    "extend": ("extend", "update"),
    "link": ("link", "update"),
}
_WORD = pattern(r"[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]|[^\W\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+")
_WIKILINK = pattern(r"!?\[\[[^\]\n]*\]\]")


class Change(NamedTuple):
    """One record before and after:

    `old` is None for a new record, `new` for a removed one. `action` is one of `operation.ACTIONS`.
    """

    action: str
    old: Record | None
    new: Record | None

    def named(self) -> RecordChange:
        """The change by names alone, as the activity log and commit messages give it."""
        old, new = self.old, self.new
        if new is None:
            assert old is not None
            return RecordChange(self.action, identity(old), old.address)
        if old is None:
            return RecordChange(self.action, identity(new), new.address)
        moved = self.action == "rename" or old.address != new.address
        return RecordChange(
            self.action, identity(new) or identity(old), new.address, old.address if moved else None
        )


def diff_records(
    old: Sequence[Record], new: Sequence[Record], renames: Mapping[str, str] | None = None
) -> list[Change]:
    """The changes from the old records to the new ones, in the order of the new ones, removed ones last.

    Args:
        old: the records of every file that differs, before.
        new: the same files, after.
        renames: old path to new path of the files that git took for renamed. Where given, git's word decides
            about documents without an id; where None, their likeness is measured here.

    Records that are equal but for their place in the file give nothing, so a file that was only laid out anew
    does not show.
    """
    old, new = _unlike(old, new)
    if not old or not new:
        return [Change(classify(None, record) or "create", None, record) for record in new] + [
            Change("remove", record, None) for record in old
        ]
    if len(old) == len(new) == 1 and old[0].address == new[0].address and _one_identity(old[0], new[0]):
        action = classify(old[0], new[0])
        return [] if action is None else [Change(action, old[0], new[0])]
    matched = _Matching(old, new)
    matched.by_id()
    matched.by_address()
    if renames:
        matched.by_file(renames)
    matched.by_likeness(documents=renames is None)
    out: list[Change] = []
    for number, record in enumerate(new):
        partner = matched.partner.get(number)
        before = None if partner is None else old[partner]
        action = classify(before, record)
        if action is not None:
            out.append(Change(action, before, record))
    out += [Change("remove", old[number], None) for number in matched.old_left]
    return out


def identity(record: Record) -> str | None:
    """The id of a record where memgit gave it one. What other tools write there (a file stem, a number that
    counts up) is a field like any
    other: two branches could hand out the same.
    """
    found = record.id
    return found if found is not None and is_id(found) else None


def classify(old: Record | None, new: Record | None) -> str | None:
    """The action that leads from one version of a record to another, None where they say the same.

    `archive` and `restore` go before `rename`, which goes before changes of text. A change of the `updated`
    date alone is an update; beside another change it does not count.
    """
    if new is None:
        return None if old is None else "remove"
    if old is None:
        return "promote" if any(_names_record(origin) for origin in new.derived_from) else "create"
    if old == new:
        return None
    if bool(old.archived) != bool(new.archived):
        return "archive" if new.archived else "restore"
    if old.address != new.address or old.path != new.path:
        return "rename"
    fields = changed_fields(old, new)
    if not fields and old.body == new.body and old.title == new.title:
        return None
    content = [name for name in fields if name not in STAMPS]
    if old.title == new.title:
        if content == ["related"] and old.body == new.body:
            return "link"
        if (
            old.body != new.body
            and all(_grown(old, new, name) for name in content)
            and _appended(old.body, new.body)
        ):
            return "extend"
    return "update"


def changed_fields(old: Record, new: Record) -> list[str]:
    """The names of the fields that differ, in the order of the old record, then of the new; absent, null and
    empty are one.
    """
    return [
        name
        for name in {**old.fields, **new.fields}
        if (old.fields.get(name) or None) != (new.fields.get(name) or None)
    ]


def operation(changes: Iterable[RecordChange]) -> str:
    """The operation that a set of changes amounts to: one verb where they agree, else `edit`.

    Links beside other changes do not count.
    """
    actions = {change.action for change in changes}
    if len(actions) > 1:
        actions.discard("link")
    return VERBS.get(actions.pop(), "edit") if len(actions) == 1 else "edit"


def refine(
    changes: Sequence[Change], claims: Sequence[RecordChange], derived: bool = False
) -> tuple[RecordChange, ...]:
    """The changes by name, with the actions that a commit message claims for them where the records bear that
    out.

    What changed is what the records say: a claim about a record that did not change is dropped. A claim may
    tell an extension from an update, a promotion or a restored record from a new one, and may join a removed
    and a new record that are too unlike to match.

    Args:
        derived: whether the message names an origin, so that a new record may be a promotion.
    """
    if not claims:
        return tuple(change.named() for change in changes)
    plain = tuple(change.named() for change in changes)
    if plain == tuple(claims):
        return plain
    by_name: dict[str, list[RecordChange]] = {}
    for claim in claims:
        for name in {claim.address, claim.id} - {None, ""}:
            by_name.setdefault(name or "", []).append(claim)
    moves = {claim.was: claim for claim in claims if claim.action == "rename" and claim.was is not None}
    removed = {
        change.old.address: change.old for change in changes if change.new is None and change.old is not None
    }
    out: list[RecordChange] = []
    joined: set[str] = set()
    for change, named in zip(changes, plain, strict=True):
        claimed = by_name.get(named.address, []) + (by_name.get(named.id, []) if named.id else [])
        if change.old is None and change.new is not None:
            move = next(
                (claim for claim in claimed if claim.was in removed and moves.get(claim.was) == claim), None
            )
            if (
                move is not None
                and move.was is not None
                and move.was not in joined
                and _one_identity(removed[move.was], change.new)
            ):
                joined.add(move.was)
                out.append(
                    RecordChange("rename", named.id or identity(removed[move.was]), named.address, move.was)
                )
                continue
        out.append(named._replace(action=_claimed(change, [claim.action for claim in claimed], derived)))
    return tuple(change for change in out if not (change.action == "remove" and change.address in joined))


def _claimed(change: Change, claimed: Sequence[str], derived: bool) -> str:
    """The first claimed action that the records bear out, else the one that they show."""
    if change.action in claimed:
        return change.action
    for action in claimed:
        if action in _CONSISTENT.get(change.action, ()) and _borne_out(change, action, derived):
            return action
    return change.action


def _borne_out(change: Change, action: str, derived: bool) -> bool:
    old, new = change.old, change.new
    if action == "promote":
        return derived
    if old is None or new is None or action == "update":
        return True
    if action == "extend":
        return _inserted(old.body, new.body)
    return action != "link" or (
        old.title == new.title
        and not [name for name in changed_fields(old, new) if name not in ("updated", "related")]
        and _WIKILINK.sub("", old.body).split() == _WIKILINK.sub("", new.body).split()
    )


def _names_record(origin: str) -> bool:
    """Whether an origin is a record (an address or an id) and not some other source in words."""
    origin = origin.strip().removeprefix("[[").removesuffix("]]").partition("|")[0]
    return is_id(origin) or addresses.parse(origin) is not None


def _one_identity(old: Record, new: Record) -> bool:
    one, two = identity(old), identity(new)
    return one is None or two is None or one == two


def _grown(old: Record, new: Record, name: str) -> bool:
    """Whether a field is a list that lost nothing."""
    before, after = old.fields.get(name), new.fields.get(name)
    return isinstance(after, tuple) and (
        not before or (isinstance(before, tuple) and set(before) <= set(after))
    )


def _lines(text: str) -> list[str]:
    return [line for line in map(str.rstrip, text.split("\n")) if line]


def _appended(old: str, new: str) -> bool:
    """Whether text was only added, at the end or before the closing section of links that a vault has."""
    if new.startswith(old) and (not old or new[len(old) : len(old) + 1] == "\n"):
        return bool(new[len(old) :].strip())
    before, after = _lines(old), _lines(new)
    if len(after) <= len(before):
        return False
    if after[: len(before)] == before:
        return True
    tail = next(
        (number for number in range(len(before) - 1, -1, -1) if before[number].startswith("## ")), None
    )
    if tail is None or before[tail].lower() != "## connections":
        return False
    return after[:tail] == before[:tail] and after[len(after) - (len(before) - tail) :] == before[tail:]


def _inserted(old: str, new: str) -> bool:
    """Whether every line of the old text is still there, in order."""
    after = iter(_lines(new))
    return all(any(line == other for other in after) for line in _lines(old))


def likeness(old: Record, new: Record) -> float:
    """How much of the larger of two records the other one keeps, from 0 to 1."""
    return _overlap(_pairs(old), _pairs(new))


def _overlap(one: Counter[str], two: Counter[str]) -> float:
    sizes = sorted((one.total(), two.total()))
    if not sizes[0] or sizes[0] < LIKENESS * sizes[1]:
        return 0.0
    small, large = (one, two) if len(one) <= len(two) else (two, one)
    return sum(min(count, large[pair]) for pair, count in small.items()) / sizes[1]


def _pairs(record: Record) -> Counter[str]:
    """The pairs of neighbouring words of a record, dates of writing and id left out."""
    parts = [record.title]
    for name, value in record.fields.items():
        if name not in ("id", "title", "created", "updated", "at", "archived") and value:
            parts.append(value if isinstance(value, str) else " ".join(value))
    parts.append(record.body)
    words = _WORD.findall("\n".join(parts).lower())
    return Counter(map(" ".join, pairwise(words)))


def _content(record: Record) -> Hashable:
    """What a record says, its place and title left out."""
    fields: list[tuple[str, Value]] = sorted(
        (name, value) for name, value in record.fields.items() if value and name != "title"
    )
    return (record.body, tuple(fields))


def _unlike(old: Sequence[Record], new: Sequence[Record]) -> tuple[Sequence[Record], Sequence[Record]]:
    """The records of both sides without those that say the same at the same address, where each address
    stands once.
    """
    if len(old) < 2 or len(new) < 2:
        return old, new
    there = {record.address: record for record in old}
    here = {record.address for record in new}
    if len(there) < len(old) or len(here) < len(new):
        return old, new
    same = {
        record.address
        for record in new
        if (before := there.get(record.address)) is not None and _equal_records(before, record)
    }
    if not same:
        return old, new
    return [record for record in old if record.address not in same], [
        record for record in new if record.address not in same
    ]


def _equal_records(old: Record, new: Record) -> bool:
    return (
        old.body == new.body and old.fields == new.fields and old.path == new.path and old.title == new.title
    )


class _Matching:
    """Pairs of old and new records found so far:

    `partner` from new to old, by position; what is left on both sides in order.
    """

    def __init__(self, old: Sequence[Record], new: Sequence[Record]) -> None:
        self.old, self.new = old, new
        self.partner: dict[int, int] = {}
        self.old_left: dict[int, None] = dict.fromkeys(range(len(old)))
        self.new_left: dict[int, None] = dict.fromkeys(range(len(new)))

    def pair(self, old: int, new: int) -> None:
        self.partner[new] = old
        del self.old_left[old], self.new_left[new]

    def by_id(self) -> None:
        """Records of one id; where an id stands twice, those that also share the address first."""
        self._grouped(identity)

    def by_address(self) -> None:
        """Records of one address whose ids do not say otherwise."""
        self._grouped(lambda record: record.address)

    def by_file(self, renames: Mapping[str, str]) -> None:
        """Records of files that git paired: documents with each other, entries by title."""
        if not self.old_left or not self.new_left:
            return
        there: dict[tuple[str, str | None], list[int]] = {}
        for number in self.new_left:
            there.setdefault((self.new[number].path, _title(self.new[number])), []).append(number)
        for number in list(self.old_left):
            record = self.old[number]
            if record.path in renames:
                for candidate in there.get((renames[record.path], _title(record)), ()):
                    if candidate in self.new_left and _one_identity(record, self.new[candidate]):
                        self.pair(number, candidate)
                        break

    def by_likeness(self, documents: bool) -> None:
        """Records that say the same, then those that are at least half alike, the likeliest first.

        Entries take part, documents where `documents` says so, and whatever stands at one address with
        another id than before.
        """
        if not self.old_left or not self.new_left:
            return
        taken_over = {self.old[number].address for number in self.old_left} & {
            self.new[number].address for number in self.new_left
        }

        def left(records: Sequence[Record], numbers: Iterable[int]) -> list[int]:
            return [
                number
                for number in numbers
                if documents or _is_entry(records[number]) or records[number].address in taken_over
            ]

        for number, candidate in _equal(
            self.old, left(self.old, self.old_left), self.new, left(self.new, self.new_left)
        ):
            if self._may_be_one(number, candidate, documents):
                self.pair(number, candidate)
        before = {number: _pairs(self.old[number]) for number in left(self.old, self.old_left)}
        after = (
            {number: _pairs(self.new[number]) for number in left(self.new, self.new_left)} if before else {}
        )
        scored: list[tuple[float, bool, int, int]] = []
        for one, two in _candidates(before, after):
            if self._may_be_one(one, two, documents):
                score = _overlap(before[one], after[two])
                if score >= LIKENESS:
                    scored.append((-score, self.old[one].title != self.new[two].title, one, two))
        for _, _, one, two in sorted(scored):
            if one in self.old_left and two in self.new_left:
                self.pair(one, two)

    def _may_be_one(self, old: int, new: int, documents: bool) -> bool:
        """Whether likeness may join two records: both entries or both documents, and no ids that differ but
        at one address.
        """
        one, two = self.old[old], self.new[new]
        if one.address == two.address:
            return True
        return _is_entry(one) == _is_entry(two) and (documents or _is_entry(one)) and _one_identity(one, two)

    def _grouped(self, name: Callable[[Record], str | None]) -> None:
        """Pairs the records of one name: where there are several, equal ones first, then those of one
        address, then in order.
        """
        olds = _groups(self.old, self.old_left, name)
        news = _groups(self.new, self.new_left, name) if olds else {}
        for key, left in olds.items():
            right = news.get(key)
            if right is None:
                continue
            if len(left) > 1 or len(right) > 1:
                self._in_order(left, right, lambda record: (record.address, _content(record)))
                self._in_order(left, right, lambda record: record.address)
            self._in_order(left, right, lambda record: None)

    def _in_order(self, olds: Iterable[int], news: Iterable[int], key: Callable[[Record], Hashable]) -> None:
        """Pairs what is left of both lists by a key, in order, a record with the same id or none before any
        other.
        """
        free: dict[tuple[Hashable, str | None], list[int]] = {}
        for number in reversed([number for number in news if number in self.new_left]):
            record = self.new[number]
            free.setdefault((key(record), identity(record)), []).append(number)
            if identity(record) is not None:
                free.setdefault((key(record), ""), []).append(number)
        for number in [number for number in olds if number in self.old_left]:
            record = self.old[number]
            known = identity(record)
            for wanted in (None, "") if known is None else (known, None):
                queue = free.get((key(record), wanted), [])
                while queue and queue[-1] not in self.new_left:
                    queue.pop()
                if queue:
                    self.pair(number, queue.pop())
                    break


def _groups(
    records: Sequence[Record], numbers: Iterable[int], name: Callable[[Record], str | None]
) -> dict[str, list[int]]:
    out: dict[str, list[int]] = {}
    for number in numbers:
        key = name(records[number])
        if key:
            out.setdefault(key, []).append(number)
    return out


def _equal(
    old: Sequence[Record], olds: Sequence[int], new: Sequence[Record], news: Sequence[int]
) -> list[tuple[int, int]]:
    """Pairs of records that say the same under another title or in another file, each record once; empty
    bodies say nothing.
    """
    there: dict[Hashable, list[int]] = {}
    for number in reversed(news):
        there.setdefault(_content(new[number]), []).append(number)
    out: list[tuple[int, int]] = []
    for number in olds:
        found = there.get(_content(old[number])) if old[number].body else None
        if found:
            out.append((number, found.pop()))
    return out


def _is_entry(record: Record) -> bool:
    return "#" in record.address and KINDS[record.kind].stored == "entry"


def _title(record: Record) -> str | None:
    return record.title if _is_entry(record) else None


def _candidates(
    before: Mapping[int, Counter[str]], after: Mapping[int, Counter[str]]
) -> Iterable[tuple[int, int]]:
    """The pairs worth a comparison: all where they are few, else those that share several of their rarest
    word pairs.

    Each record is known by the word pairs with the smallest checksums, the same on every machine: two records
    that share half of their pairs share about a third of these. Pairs that a crowd shares are left out, so
    the work follows the number of records.
    """
    if len(before) * len(after) <= MAX_PAIRS:
        return [(one, two) for one in before for two in after]
    holders: dict[str, list[int]] = {}
    for number, pairs in after.items():
        for pair in _sketch(pairs):
            holders.setdefault(pair, []).append(number)
    out: list[tuple[int, int]] = []
    for number, pairs in before.items():
        shared: Counter[int] = Counter()
        for pair in _sketch(pairs):
            found = holders.get(pair, ())
            if len(found) <= MAX_SHARING_RECORDS:
                shared.update(found)
        out += [(number, other) for other, _ in shared.most_common(MAX_SHARING_RECORDS)]
    return out


def _sketch(pairs: Counter[str]) -> list[str]:
    if len(pairs) <= SKETCH:
        return list(pairs)
    return sorted(pairs, key=lambda pair: zlib.crc32(pair.encode("utf-8", "surrogatepass")))[:SKETCH]
