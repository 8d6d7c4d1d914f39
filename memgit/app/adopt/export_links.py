"""Links of an export lead to where their records went."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memgit.errors import MemgitError
from memgit.formats.codecs import parse_file
from memgit.formats.follow import Following, Key, key_of
from memgit.model.layout import Layout
from memgit.model.link import Names
from memgit.model.record import Record


class PlainNames(Names):
    """The names that records answer to in a system that knows no addresses and ids of memgit's."""

    def full(self, name: str) -> Sequence[Record]:
        return ()


def follow_links(
    files: dict[str, bytes],
    sources: Mapping[str, Sequence[Record]],
    layout: Layout,
    *,
    plain: bool,
) -> tuple[set[str], tuple[str, ...]]:
    """Rewrites the links of exported files that would not lead where they led; the paths of files that changed, and
    a line for each link that cannot follow.

    Args:
        sources: the records of the source that each exported file holds, in order.
        layout: that of the export.
        plain: whether addresses and ids are unresolved there.
    """
    made = {path: parse_file(layout, path, files[path]).records for path in sources}
    pairs = [
        (old, new)
        for path, records in sources.items()
        if len(records) == len(made[path])
        for old, new in zip(records, made[path], strict=True)
    ]
    now = {key_of(new): new for _, new in pairs}
    new_records = [new for _, new in pairs]
    following = Following(
        Names(old for old, _ in pairs),
        PlainNames(new_records) if plain else Names(new_records),
        {key_of(old): new for old, new in pairs if key_of(old) != key_of(new)},
        {key_of(new): old.path for old, new in pairs if old.path != new.path},
        now.get,
        lambda path: path in files or any(other.startswith(f"{path}/") for other in files),
    )
    changed = set()
    for path, records in made.items():
        found = layout.find(path)
        try:
            data = files[path]
            if found is not None:
                data = following.with_fields(data, path, found[0].form, records)
            data = following.rewritten(data, path, records)
        except MemgitError:
            continue  # a file that cannot be understood stays as it is
        if data != files[path]:
            files[path] = data
            changed.add(path)
    return changed, tuple(
        f"{path}:{line}: a link leads to {_name(want)}, which no link of the export can name"
        for path, line, want in following.unfollowed
    )


def _name(want: Key) -> str:
    return want.path if want.title is None else f"{want.path}#{want.title}"
