"""Where the indexes of a workspace and its files disagree, and which is believed.

Text comes from the files, counters are the larger of both, a last use is the newer one. What only an index
has stays there: names and keywords of categories (also of one without a file, which stays listed with a count
of 0) and counters of a memory that has none of its own. An entry for a memory that is gone goes when the
index is derived again.
"""

from __future__ import annotations

from collections.abc import Iterator

from memgit.adopt.report import Disagreement
from memgit.derive import CATEGORY_INDEX, dates, vault
from memgit.derive.jsonindex import Item, read
from memgit.derive.jsontext import Json
from memgit.derive.mem_skill import Spec, facts, file_of, files, folders
from memgit.derive.mem_skill_experience import SPEC as EXPERIENCE
from memgit.derive.mem_skill_knowledge import SPEC as KNOWLEDGE
from memgit.derive.view import View
from memgit.model.record import Record

TOKENS = "token_count"


def disagreements(view: View) -> Iterator[Disagreement]:
    """Everything that an index of the workspace says otherwise than its files."""
    for spec in (KNOWLEDGE, EXPERIENCE):
        for folder in folders(view.layout, spec):
            if view.data(folder + CATEGORY_INDEX) is not None:
                yield from _entries(view, folder, spec)
    place = vault.place_of(view.layout)
    if place is not None and view.data(vault.index_path(view.layout)) is not None:
        yield from _vault(view, vault.index_path(view.layout))


def _entries(view: View, folder: str, spec: Spec) -> Iterator[Disagreement]:
    path = folder + CATEGORY_INDEX
    index = read(view, path, spec.shape)
    if index.value is None:
        return
    found = {file.removeprefix(folder): key for file, key in sorted(files(view, folder, spec))}
    listed: set[str] = set()
    total = 0
    newest: list[str | None] = []
    for item in index.items(spec.shape):
        file = file_of(item, spec, found.__contains__)
        about = _about(item, spec, file)
        if file is None or file not in found:
            yield Disagreement(path, "file", about, file, None, "index")
            continue
        listed.add(file)
        said = facts(view, folder + file, found[file])
        count = item.get("count")
        if type(count) is int and said.entries is not None and count != said.entries:
            yield Disagreement(path, "count", about, str(count), str(said.entries), "files")
        if said.name is not None and isinstance(item.get("name"), str) and item["name"] != said.name:
            yield Disagreement(path, "name", about, str(item["name"]), said.name, "files")
        if spec.kind == "experience":
            skills = {text for record in said.records if (text := record.text("skill")) is not None}
            for other in sorted(
                skills - {said.key, str(item.get("skillId") or item.get("skill-id") or said.key)}
            ):
                yield Disagreement(path, "skill", about, said.key, other, "files")
    for file, key in found.items():
        said = facts(view, folder + file, key)
        total += said.entries or 0
        newest.append(said.newest)
        if file not in listed:
            yield Disagreement(path, "file", key, None, file, "files")
    claimed = index.value.get("totalEntries")
    if type(claimed) is int and claimed != total:
        yield Disagreement(path, "totalEntries", "", str(claimed), str(total), "files")
    stamp, last = index.value.get("lastUpdated"), dates.newest(newest)
    if isinstance(stamp, str) and last is not None and dates.day(stamp) != last:
        yield Disagreement(path, "lastUpdated", "", stamp, last, "files")


def _about(item: Item, spec: Spec, file: str | None) -> str:
    for key in (*spec.ids, "id", "name"):
        text = item.get(key)
        if isinstance(text, str) and text:
            return text
    return file or "an item without a name"


def _vault(view: View, path: str) -> Iterator[Disagreement]:
    index = read(view, path, vault.SHAPE)
    place = vault.place_of(view.layout)
    if index.value is None or place is None:
        return
    held: dict[str, Record] = {}
    for name in view.names(place.folder):
        record = next(iter(view.parsed(place.folder + name).records), None) if name.endswith(".md") else None
        if record is not None:
            held[name] = record
    listed: set[str] = set()
    for item in index.items(vault.SHAPE):
        file = vault.SHAPE.name(item)
        if file is None or file not in held:
            yield Disagreement(
                path, "file", _text(item.get("id")) or file or "an entry without a name", file, None, "files"
            )
            continue
        listed.add(file)
        yield from _memory(path, file.removesuffix(".md"), item, held[file])
    for name in sorted(held):
        if name not in listed:
            yield Disagreement(path, "file", name.removesuffix(".md"), None, name, "files")
    items = index.items(vault.SHAPE)
    claimed = index.value.get("entry_count")
    if type(claimed) is int and claimed != len(held):
        yield Disagreement(path, "entry_count", "", str(claimed), str(len(held)), "files")
    counts = [item.get(TOKENS) for item in items]
    tokens = sum(count for count in counts if type(count) is int)
    total = index.value.get("total_tokens")
    if type(total) is int and total != tokens:
        yield Disagreement(path, "total_tokens", "", str(total), str(tokens), "files")


def _memory(path: str, name: str, item: Item, record: Record) -> Iterator[Disagreement]:
    texts = {
        "title": record.title,
        "topic": record.text("topics"),
        "summary": record.text("summary"),
        "created": dates.day(record.created),
        "modified": dates.day(record.text("updated")),
    }
    for key, said in texts.items():
        there = _text(item.get(key))
        there = dates.day(there) or there if key in ("created", "modified") else there
        if said and there and said != there:
            yield Disagreement(path, key, name, there, said, "files")
    status = _text(item.get("status")) or "active"
    own = (
        vault.TOMBSTONED
        if record.archived is not None or record.text("status") == vault.TOMBSTONED
        else "active"
    )
    if status != own:
        yield Disagreement(path, "status", name, status, own, "files")
    uses, counted = item.get("retrieval_count"), "usage_count" in record.fields
    if type(uses) is int and uses != record.usage_count:
        said = str(record.usage_count) if counted else None
        yield Disagreement(path, "retrieval_count", name, str(uses), said, "larger" if counted else "index")
    last, used = dates.day(_text(item.get("last_retrieved"))), dates.day(record.text("last_used"))
    if last != used:
        yield Disagreement(
            path, "last_retrieved", name, last, used, "newest" if "last_used" in record.fields else "index"
        )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) and value else None
