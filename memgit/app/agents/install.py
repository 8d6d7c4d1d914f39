"""Installing memgit for an agent: its parts are put into the files that are there, and taken out to the byte."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.resources import files
from typing import Any, NamedTuple

from memgit.app.agents.table import AGENTS, Agent, Part
from memgit.errors import BadInput, MemgitError, Refused, UnreadableFile
from memgit.formats import jsonedit, marked_block
from memgit.formats.marked_block import HASH, MARKDOWN
from memgit.formats.text import decode
from memgit.git.write_all import replace_file


class Place(NamedTuple):
    """Where an agent is installed.

    Attributes:
        folder: the project, or the home folder.
        user: whether it is the home folder.
        args: what stands between `memgit` and `mcp`: how the knowledge root is named where it must be.
    """

    folder: str
    user: bool = False
    args: tuple[str, ...] = ()


class Outcome(NamedTuple):
    """What became of one file: `installed`, `unchanged`, `removed`, `missing`, `outdated`."""

    path: str
    state: str


def agent_of(name: str) -> Agent:
    """An agent by name; BadInput where memgit knows none."""
    if name not in AGENTS:
        raise BadInput(f"{name!r} is not an agent that memgit knows", hint=f"one of {', '.join(AGENTS)}")
    return AGENTS[name]


def install(name: str, place: Place) -> list[Outcome]:
    """Puts everything of an agent in; files that cannot be merged are named before any is written.

    Raises:
        UnreadableFile: a file that is there cannot be understood.
        Refused: there is an entry called memgit that is somebody else's, or a file cannot be written.
    """
    changes: list[tuple[str, str | None, str | None]] = []
    for path, parts, text in _files(name, place):
        with _named(path):
            changes.append((path, text, _installed(parts, text, place)))
    return _written(place, changes)


def uninstall(name: str, place: Place) -> list[Outcome]:
    """Takes out what `install` put in, and nothing else; raises what `install` raises."""
    changes: list[tuple[str, str | None, str | None]] = []
    for path, parts, text in _files(name, place):
        kept = [part for part in parts if part.form == "block" and _shared(name, path, place)]
        with _named(path):
            changes.append((path, text, _removed([part for part in parts if part not in kept], text)))
    return _written(place, changes)


def status(name: str, place: Place) -> list[Outcome]:
    """What is there of an agent, by file."""
    out: list[Outcome] = []
    for path, parts, text in _files(name, place):
        with _named(path):
            if text is None or _removed(parts, text) == text:
                out.append(Outcome(path, "missing"))
            else:
                out.append(
                    Outcome(path, "installed" if _installed(parts, text, place) == text else "outdated")
                )
    return out


@contextmanager
def _named(path: str) -> Iterator[None]:
    """Names the file in what is raised."""
    try:
        yield
    except MemgitError as error:
        error.path = path
        raise


def _files(name: str, place: Place) -> list[tuple[str, list[Part], str | None]]:
    """Each file of an agent with its parts and its text; None where it is not there."""
    grouped: dict[str, list[Part]] = {}
    for part in agent_of(name).parts:
        path = part.user if place.user else part.path
        if path:
            grouped.setdefault(path, []).append(part)
    if not grouped:
        raise BadInput(f"{AGENTS[name].title} has no files in the home folder", hint="leave --user out")
    return [(path, parts, _text(place, path)) for path, parts in grouped.items()]


def _shared(name: str, path: str, place: Place) -> bool:
    """Whether Codex, which reads the same block, is installed beside the bare AGENTS.md."""
    if name != "agents-md" or path != "AGENTS.md":
        return False
    return any(one.state != "missing" for one in status("codex", place) if one.path != path)


def _installed(parts: Sequence[Part], text: str | None, place: Place) -> str:
    for part in parts:
        text = _put(part, text, place)
    return text or ""


def _removed(parts: Sequence[Part], text: str | None) -> str | None:
    """The text without our parts; None where nothing is left of a file that we made."""
    for part in reversed(parts):
        if text is not None:
            text = _dropped(part, text)
    return text


def _put(part: Part, text: str | None, place: Place) -> str:
    if part.form == "file":
        return _template(part.value)
    if part.form == "block":
        return marked_block.put(text, _template(part.value), MARKDOWN)
    if part.form == "toml":
        return _toml(part, text, place)
    value = _filled(part.value, place)
    text = "{\n}\n" if text is None or not text.strip() else text
    if part.form == "item":
        return (
            jsonedit.append(jsonedit.drop(text, part.key, _ours), part.key, value)
            if not _held(part, text, value)
            else text
        )
    node = jsonedit.parse(text)
    for key in part.key:
        found = node.member(key)
        if found is None:
            return jsonedit.put(text, part.key, value)
        node = found
    there = jsonedit.value_of(text, node)
    if part.key[-1] != "memgit" or there == value:
        return text  # the version of a file that others made is theirs
    if not _ours(there):
        raise Refused(
            f"{'.'.join(part.key)} is there already and does not start memgit",
            hint="rename or remove it first",
        )
    return jsonedit.put(text, part.key, value)


def _held(part: Part, text: str, value: Any) -> bool:
    """Whether an array has exactly that item of ours."""
    there: Any = jsonedit.value_of(text, jsonedit.parse(text))
    for key in part.key:
        there = there.get(key) if isinstance(there, dict) else None
    return isinstance(there, list) and [one for one in there if _ours(one)] == [value]


def _toml(part: Part, text: str | None, place: Place) -> str:
    """TOML and JSON write texts and lists of texts alike."""
    block = part.value.replace("$COMMAND", json.dumps("memgit")).replace(
        "$ARGS", json.dumps([*place.args, "mcp"])
    )
    bare = marked_block.drop(text, HASH) if text is not None else None
    try:
        there: Any = tomllib.loads(bare or "")
    except tomllib.TOMLDecodeError as error:
        raise UnreadableFile(f"this is not TOML: {error}", hint="fix it by hand, then try again") from None
    for key in part.key:
        there = there.get(key) if isinstance(there, dict) else None
    if there is not None:
        raise Refused(f"[{'.'.join(part.key)}] is there already", hint="rename or remove it first")
    return marked_block.put(text, block, HASH)


def _dropped(part: Part, text: str) -> str | None:
    if part.form == "file":
        return None
    if part.form in ("block", "toml"):
        return marked_block.drop(text, MARKDOWN if part.form == "block" else HASH)
    if not text.strip():
        return text
    if part.key == ("version",):
        root = jsonedit.parse(text)
        alone = [name for name, _, _ in root.members or ()] == ["version"] and text.startswith(
            '{\n  "version": 1\n}'
        )
        return None if alone else text
    left = jsonedit.drop(text, part.key, _ours)
    return None if left.rstrip() == "{\n}" and left != text else left


def _ours(value: Any) -> bool:
    """Whether a value of an agent's file starts memgit."""
    if isinstance(value, dict):
        if "hooks" in value:
            return isinstance(value["hooks"], list) and any(map(_ours, value["hooks"]))
        command = str(value.get("command") or value.get("bash") or "")
        return command == "memgit" or command.startswith("memgit agent hook ")
    return False


def _filled(value: Any, place: Place) -> Any:
    """A value of the table with the command in it."""
    if isinstance(value, dict):
        return {key: _filled(one, place) for key, one in value.items()}
    if isinstance(value, list):
        return [_filled(one, place) for one in value]
    return (
        {"$COMMAND": "memgit", "$ARGS": [*place.args, "mcp"]}.get(value, value)
        if isinstance(value, str)
        else value
    )


def _template(names: Sequence[str]) -> str:
    """The texts of some templates, one after the other."""
    folder = files("memgit") / "templates" / "agents"
    return "".join((folder / name).read_text(encoding="utf-8") for name in names)


def template(name: str) -> str:
    """The text of one template."""
    return _template((name,))


def _text(place: Place, path: str) -> str | None:
    full = os.path.join(place.folder, path)
    if os.path.islink(full) or any(os.path.islink(os.path.join(place.folder, part)) for part in _above(path)):
        raise Refused("it is a symbolic link, or behind one", path=path, hint="install into the real folder")
    try:
        with open(full, "rb") as file:
            data = file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise Refused(str(error.strerror), path=path) from error
    try:
        return ("\ufeff" if data.startswith(b"\xef\xbb\xbf") else "") + decode(data).removeprefix("\ufeff")
    except UnreadableFile as error:
        error.path = path
        raise


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _written(place: Place, changes: Sequence[tuple[str, str | None, str | None]]) -> list[Outcome]:
    """Writes each file that changes, whole or not at all; folders that are left empty go."""
    out: list[Outcome] = []
    for path, before, after in changes:
        if before == after:
            out.append(Outcome(path, "unchanged"))
            continue
        full = os.path.join(place.folder, path)
        try:
            if after is None:
                os.unlink(full)
                for folder in reversed(_above(path)):
                    if os.listdir(os.path.join(place.folder, folder)):
                        break
                    os.rmdir(os.path.join(place.folder, folder))
            else:
                mode = None if before is None else os.stat(full).st_mode & 0o7777
                replace_file(full, after.encode(), mode)
        except OSError as error:
            raise Refused(str(error.strerror), path=path) from error
        out.append(
            Outcome(
                path,
                "installed"
                if after is not None and (before is None or len(after) >= len(before))
                else "removed",
            )
        )
    return out
