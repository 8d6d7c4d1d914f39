"""Makes a synthetic knowledge repository, the same bytes for the same arguments.

    python benchmarks/generate.py DEST --records 10000

One record is one commit, as memgit makes them: files are written by its own forms, messages are its own, and
each commit carries the derived files that it affects. Beside new records there are updates, extensions, archives
and renames, about one commit in ten. Knowledge lies in categories of some fifty entries, memories in scopes
of some hundred, observations by month. What a benchmark needs to know about the repository lies in
`.git/benchmark.json`.
"""

from __future__ import annotations

import argparse
import bisect
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

ROOT = Path(__file__).resolve().parents[1]
if str(ROOT) not in sys.path:
    sys.path.insert(0, str(ROOT))

from benchmarks.words import TOPICS, Words  # noqa: E402
from memgit.adopt.settings import text_of  # noqa: E402
from memgit.app import config  # noqa: E402
from memgit.app.adopt.init import ATTRIBUTES, attributes  # noqa: E402
from memgit.derive import derive_affected, starters  # noqa: E402
from memgit.derive.view import View  # noqa: E402
from memgit.formats.codec import Draft, Form  # noqa: E402
from memgit.formats.codecs import form_named, parse_file  # noqa: E402
from memgit.formats.messages import message  # noqa: E402
from memgit.model.filetree import NO_FILES  # noqa: E402
from memgit.model.ids import new_id  # noqa: E402
from memgit.model.operation import RecordChange  # noqa: E402
from memgit.model.record import ParsedFile, Value  # noqa: E402
from memgit.model.slug import slug  # noqa: E402

START = 1_514_764_800
"""2018-01-01, when the first record is written."""
STEP = 2_400
"""Seconds from record to record: some three hundred observations a month."""
EVERY = 10
"""After so many new records comes one change of an older one."""
MIX = {
    "knowledge": 24,
    "experience": 6,
    "skill": 1,
    "memory": 34,
    "observation": 28,
    "decision": 1,
    "note": 6,
}
"""How many of a hundred records are of each kind."""
CATEGORY, SKILL, SCOPE, FOLDER = 50, 30, 300, 200
"""Entries of a category and of a skill's experience, memories of a scope, notes of a folder."""
PEOPLE = ("Ada Moss", "Ben Okoro", "Chen Li", "Dora Vance")
LAYOUT = config.make_layout("memgit")


class Files(View):
    """A working tree in memory, with what derived files may ask of it (`memgit.derive.View`)."""

    def __init__(self) -> None:
        super().__init__(LAYOUT, NO_FILES)
        self._data: dict[str, bytes] = {}
        self._names: dict[str, list[str]] = {}
        self._folders: dict[str, list[str]] = {}

    def data(self, path: str) -> bytes | None:
        return self._data.get(path)

    def parsed(self, path: str) -> ParsedFile:
        if path not in self._data:
            return ParsedFile(())
        if path not in self._parsed:
            self._parsed[path] = parse_file(LAYOUT, path, self._data[path])
        return self._parsed[path]

    def names(self, folder: str) -> Sequence[str]:
        return self._names.get(folder, ())

    def folders(self, folder: str) -> Sequence[str]:
        return self._folders.get(folder, ())

    def put(self, path: str, data: bytes | None, parsed: ParsedFile | None = None) -> None:
        """Writes a file, or deletes it where data is None; a folder never becomes empty here."""
        folder, name = split(path)
        self._parsed.pop(path, None)
        if data is None:
            del self._data[path]
            self._names[folder].remove(name)
            return
        if path not in self._data:
            if folder not in self._names:
                self._names[folder] = []
                self._grow(folder)
            bisect.insort(self._names[folder], name)
        self._data[path] = data
        if parsed is not None:
            self._parsed[path] = parsed

    def _grow(self, folder: str) -> None:
        while folder:
            folder, name = split(folder.removesuffix("/"))
            names = self._folders.setdefault(folder, [])
            if name not in names:
                bisect.insort(names, name)


class Edited(View):
    """The same with edits on top, while the files below stay as they were."""

    def __init__(self, base: Files, edits: Mapping[str, bytes | None]) -> None:
        super().__init__(LAYOUT, NO_FILES)
        self._base = base
        self._edits = edits

    def data(self, path: str) -> bytes | None:
        return self._edits[path] if path in self._edits else self._base.data(path)

    def parsed(self, path: str) -> ParsedFile:
        if path not in self._edits:
            return self._base.parsed(path)
        if path not in self._parsed:
            data = self._edits[path]
            self._parsed[path] = ParsedFile(()) if data is None else parse_file(LAYOUT, path, data)
        return self._parsed[path]

    def names(self, folder: str) -> Sequence[str]:
        found = set(self._base.names(folder))
        for path, data in self._edits.items():
            parent, name = split(path)
            if parent == folder:
                (found.discard if data is None else found.add)(name)
        return sorted(found)

    def folders(self, folder: str) -> Sequence[str]:
        found = set(self._base.folders(folder))
        found.update(
            path[len(folder) :].partition("/")[0]
            for path in self._edits
            if path.startswith(folder) and "/" in path[len(folder) :]
        )
        return sorted(found)


def split(path: str) -> tuple[str, str]:
    """Folder (empty or ending in a slash) and name of a path."""
    parent, slash, name = path.rpartition("/")
    return parent + slash, name


class Made(NamedTuple):
    """One record as the generator remembers it."""

    kind: str
    id: str | None
    address: str
    path: str
    ordinal: int
    title: str
    topic: str


class Step(NamedTuple):
    """One commit: its message, its author and the changed files (None: deleted)."""

    message: str
    author: str
    when: int
    edits: Mapping[str, bytes | None]


class Generator:
    """The sequence of commits that makes a repository of so many records."""

    def __init__(self, records: int, seed: int) -> None:
        self.records = records
        self.words = Words(seed)
        self.rng = self.words.rng
        self.files = Files()
        self.made: list[Made] = []
        self.archived: set[int] = set()
        self._count = dict.fromkeys(MIX, 0)
        self._paths: set[str] = set()
        self._titles: set[str] = set()
        self._kinds = [kind for kind, share in MIX.items() for _ in range(share)]

    def steps(self) -> Iterator[Step]:
        """Every commit in order, the first of them the configuration."""
        self._when = START
        edits = {config.NAME: text_of("memgit"), ATTRIBUTES: attributes(None, LAYOUT), **starters(LAYOUT)}
        yield self._step(edits, message.build("init: knowledge repository", "init", ()))
        for number in range(self.records):
            self._when = START + number * STEP
            yield self._create(self.rng.choice(self._kinds))
            if number % EVERY == EVERY - 1:
                self._when += STEP // 2
                yield self._change(self.rng.randrange(len(self.made)))

    def _step(self, edits: Mapping[str, bytes | None], text: str) -> Step:
        """Puts edits and the derived files that they affect on the files; the commit that does so."""
        after = Edited(self.files, edits)
        derived = derive_affected(after, edits, self.files)
        for path, data in edits.items():
            self.files.put(path, data, None if data is None else after.parsed(path))
        for path, data in derived.items():
            self.files.put(path, data)
        return Step(text, self.rng.choice(PEOPLE), self._when, {**edits, **derived})

    @property
    def _day(self) -> str:
        return time.strftime("%Y-%m-%d", time.gmtime(self._when))

    def _create(self, kind: str) -> Step:
        number = self._count[kind]
        self._count[kind] += 1
        topic = self._topic(kind, number)
        title = self._title(topic)
        id_ = new_id(self.rng.randbytes)
        path, address = self._place(kind, number, topic, title, id_)
        place = LAYOUT.find(path)
        assert place is not None, path
        draft = Draft(kind, title, self._fields(kind, topic, id_), self._body(kind, topic))
        entry = place[0].form == "entries"
        existing = self.files.data(path) if entry else None
        ordinal = len(self.files.parsed(path).records) if existing is not None else 0
        data = form_named(place[0].form).create(draft, existing)
        self.made.append(Made(kind, id_, address, path, ordinal, title, topic))
        change = RecordChange("create", id_, address)
        text = message.build(
            message.subject("record", kind, title),
            "record",
            [change],
            source=str(draft.fields.get("source") or "") or None,
            actor="agent" if number % 2 else None,
            run=f"{number // 8:04x}" if number % 2 else None,
        )
        return self._step({path: data}, text)

    def _topic(self, kind: str, number: int) -> str:
        """One topic for each group of records that share a file or folder."""
        group = {
            "knowledge": self._category(number),
            "experience": number // SKILL,
            "memory": number // SCOPE,
            "note": number // FOLDER,
        }
        topics = list(TOPICS)
        return topics[group.get(kind, self.rng.randrange(len(topics))) % len(topics)]

    @staticmethod
    def _category(number: int) -> int:
        """Four categories grow side by side, five entries at a time."""
        return number // (4 * CATEGORY) * 4 + number // 5 % 4

    def _title(self, topic: str) -> str:
        while True:
            title = self.words.title(topic)
            if title not in self._titles:
                self._titles.add(title)
                return title

    def _place(self, kind: str, number: int, topic: str, title: str, id_: str) -> tuple[str, str]:
        """Path and address of the number-th record of a kind."""
        if kind == "knowledge":
            name = f"{topic}-{self._category(number)}"
            return f"knowledge-base/{name}.md", f"knowledge/{name}#{title}"
        if kind == "experience":
            name = f"{topic}-{number // SKILL}"
            return f"experience/skill-{name}.md", f"experience/{name}#{title}"
        if kind == "observation":
            return time.strftime(
                f"observations/%Y/%m/{id_}.md", time.gmtime(self._when)
            ), f"observation/{id_}"
        stem = {"decision": self._day.replace("-", "") + "-"}.get(kind, "") + slug(title)
        folder = {
            "memory": f"memory/{topic}-{number // SCOPE}/",
            "skill": "skills/",
            "decision": "decisions/",
        }.get(kind, f"notes/{topic}-{number // FOLDER}/")
        path = f"{folder}{stem}.md"
        while path in self._paths:
            stem += "-2"
            path = f"{folder}{stem}.md"
        self._paths.add(path)
        return (
            path,
            f"{kind}/{path.partition('/')[2].removesuffix('.md')}"
            if kind != "note"
            else f"note/{path.removesuffix('.md')}",
        )

    def _fields(self, kind: str, topic: str, id_: str) -> dict[str, Value]:
        words, day = self.words, self._day
        common: dict[str, Value] = {"id": id_, "created": day, "source": "conversation"}
        if kind == "knowledge":
            return {
                **common,
                "context": words.sentence(topic),
                "related": self._related(),
                "keywords": words.keywords(topic),
            }
        if kind == "experience":
            return {
                **common,
                "skill": topic,
                "context": words.sentence(topic),
                "files": (f"src/{words.rare()}.py",),
                "keywords": words.keywords(topic),
            }
        if kind == "skill":
            return {
                **common,
                "version": "1",
                "description": words.sentence(topic),
                "tools_used": ("git", words.rare()),
            }
        if kind == "memory":
            return {
                **common,
                "topics": (f"{topic}/{words.rare()}",),
                "keywords": words.keywords(topic),
                "summary": words.sentence(topic),
            }
        if kind == "observation":
            at = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self._when))
            return {"id": id_, "at": at, "topics": (topic, words.rare()), "source": "conversation"}
        if kind == "decision":
            return {
                **common,
                "status": "accepted",
                "deciders": (self.rng.choice(PEOPLE),),
                "impacts": (f"{topic}/{words.rare()}",),
            }
        return {**common, "tags": (topic, words.rare())}

    def _related(self) -> tuple[str, ...]:
        """A link to an earlier entry, from every third one."""
        if self._count["knowledge"] < 4 or self.rng.random() > 0.3:
            return ()
        other = next(one for one in reversed(self.made) if one.kind == "knowledge")
        return (other.address.removeprefix("knowledge/"),)

    def _body(self, kind: str, topic: str) -> str:
        words = self.words
        if kind in ("knowledge", "experience"):
            return words.points(topic, self.rng.randint(2, 5))
        if kind == "skill":
            steps = "\n".join(f"{number}. {words.sentence(topic)}" for number in range(1, 6))
            return (
                f"## Steps\n\n{steps}\n\n## Example\n\n```sh\n{words.rare()} --{words.rare()} "
                f"{words.rare()}\n```"
            )
        if kind == "decision":
            return "\n\n".join(
                f"## {head}\n\n{words.paragraph(topic)}" for head in ("Context", "Decision", "Consequences")
            )
        if kind == "observation":
            return words.paragraph(topic, 2)
        return (
            f"{words.paragraph(topic, 4)}\n\n## "
            f"Details\n\n{words.points(topic, 4)}\n\n{words.paragraph(topic, 3)}"
        )

    def _change(self, number: int) -> Step:
        """One later change: an update, an extension, an archive or a rename, whichever the record takes."""
        one = self.made[number]
        dice = self.rng.random()
        if one.kind == "observation" or (dice < 0.15 and number not in self.archived):
            return self._archive(number)
        if dice < 0.3 and one.kind in ("memory", "note"):
            return self._rename(number)
        form, data = self._form(one), self._data(one)
        if dice < 0.6:
            new = form.extend(data, one.ordinal, self.words.paragraph(one.topic, 2), self._day)
            return self._edit(one, "extend", form.edit(new, one.ordinal, {"updated": self._day}))
        return self._edit(
            one,
            "update",
            form.edit(data, one.ordinal, {"updated": self._day, "body": self._body(one.kind, one.topic)}),
        )

    def _archive(self, number: int) -> Step:
        one = self.made[number]
        self.archived.add(number)
        return self._edit(
            one, "archive", self._form(one).edit(self._data(one), one.ordinal, {"archived": self._day})
        )

    def _rename(self, number: int) -> Step:
        one = self.made[number]
        title = self._title(one.topic)
        folder = one.path.rpartition("/")[0]
        path = f"{folder}/{slug(title)}.md"
        if path in self._paths:
            return self._archive(number)
        self._paths.add(path)
        data = self._form(one).edit(self._data(one), 0, {"title": title, "updated": self._day})
        address = f"{one.address.rpartition('/')[0]}/{slug(title)}"
        self.made[number] = one._replace(path=path, address=address, title=title)
        text = message.build(
            message.subject("rename", one.kind, title),
            "rename",
            [RecordChange("rename", one.id, address, one.address)],
        )
        return self._step({one.path: None, path: data}, text)

    def _edit(self, one: Made, op: str, data: bytes) -> Step:
        text = message.build(
            message.subject(op, one.kind, one.title), op, [RecordChange(op, one.id, one.address)]
        )
        return self._step({one.path: data}, text)

    def _data(self, one: Made) -> bytes:
        data = self.files.data(one.path)
        assert data is not None, one
        return data

    @staticmethod
    def _form(one: Made) -> Form:
        place = LAYOUT.find(one.path)
        assert place is not None, one
        return form_named(place[0].form)

    def facts(self) -> dict[str, object]:
        """What a benchmark needs: how many commits, and addresses and paths of records in use, by kind, the
        same ones each time.
        """
        rng = self.rng.__class__(1)
        alive = [one for number, one in enumerate(self.made) if number not in self.archived]
        by_kind = {kind: [one for one in alive if one.kind == kind] for kind in MIX}
        return {
            "records": self.records,
            "kinds": self._count,
            "some": {
                kind: [
                    {"address": one.address, "path": one.path}
                    for one in rng.sample(found, min(len(found), 400))
                ]
                for kind, found in by_kind.items()
            },
        }


def generate(dest: Path, records: int, seed: int = 7, *, checkout: bool = True) -> dict[str, object]:
    """Makes the repository in a folder that does not exist yet.

    Returns:
        The facts that also lie in `.git/benchmark.json`.
    """
    git = ["git", "-C", str(dest)]
    subprocess.run(["git", "init", "-q", "-b", "main", "--template=", str(dest)], check=True)
    settings = {
        "user.name": PEOPLE[0],
        "user.email": "ada@example.org",
        "gc.auto": "0",
        "maintenance.auto": "false",
        "commit.gpgsign": "false",
    }
    for key, value in settings.items():
        subprocess.run([*git, "config", key, value], check=True)
    maker = Generator(records, seed)
    commits = 0
    with subprocess.Popen(
        [*git, "fast-import", "--quiet", "--done", "--date-format=raw"], stdin=subprocess.PIPE
    ) as child:
        assert child.stdin is not None
        for step in maker.steps():
            commits += 1
            write(child.stdin, step)
        child.stdin.write(b"done\n")
    if child.returncode:
        raise SystemExit("git fast-import failed")
    if checkout:
        subprocess.run([*git, "reset", "-q", "--hard", "main"], check=True)
    facts = {**maker.facts(), "commits": commits, "seed": seed}
    (dest / ".git" / "benchmark.json").write_text(json.dumps(facts))
    return facts


def write(stream: IO[bytes], step: Step) -> None:
    """One commit in the language of `git fast-import`."""
    sign = f"{step.author} <{step.author.split()[0].lower()}@example.org> {step.when} +0000"
    text = step.message.encode()
    stream.write(
        b"commit refs/heads/main\nauthor %s\ncommitter %s\ndata %d\n%s\n"
        % (sign.encode(), sign.encode(), len(text), text)
    )
    for path, data in step.edits.items():
        name = json.dumps(path, ensure_ascii=False).encode()
        if data is None:
            stream.write(b"D %s\n" % name)
        else:
            stream.write(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(data), data))


def main(argv: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("dest", type=Path)
    parser.add_argument("--records", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--bare", action="store_true", help="leave the working tree empty")
    options = parser.parse_args(argv)
    start = time.perf_counter()
    facts = generate(options.dest, options.records, options.seed, checkout=not options.bare)
    print(f"{facts['records']} records in {facts['commits']} commits, {time.perf_counter() - start:.1f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
