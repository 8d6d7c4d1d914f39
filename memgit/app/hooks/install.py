"""memgit's git hooks in a clone: putting them in beside those of other tools, taking them out, and saying
which are there.

They go where git looks for hooks. What another tool wrote, and would write over again, is left alone: the
lines to add to its own configuration are printed instead.
"""

from __future__ import annotations

import os
import re
from typing import Any

from memgit.app.hooks.file import NAMES, has_block, is_shell, manager, with_block, without_block
from memgit.errors import Refused
from memgit.git import hooks as git_hooks
from memgit.git.repository import Repository
from memgit.git.setup import set_up_driver
from memgit.git.write_all import replace_file
from memgit.model.namedtuple import NamedTuple

INSTALLED, OUTDATED, MISSING, LEFT, OTHER = "installed", "outdated", "missing", "left", "elsewhere"

IDS = {
    "pre-commit": ("memgit-index", "memgit-lint"),
    "pre-merge-commit": ("memgit-index", "memgit-lint"),
    "prepare-commit-msg": ("memgit-message",),
    "commit-msg": ("memgit-commit-msg",),
    "post-commit": ("memgit-rebuild",),
    "post-merge": ("memgit-rebuild",),
    "post-checkout": ("memgit-rebuild",),
    "post-rewrite": ("memgit-rebuild",),
    "pre-push": ("memgit-review",),
}
"""The ids of `.pre-commit-hooks.yaml` that do what a hook does."""

_PRE_COMMIT = ".pre-commit-config.yaml"
_ASIDE = {"pre-commit": ".legacy", "lefthook": ".old"}
"""How hook managers name the hook that they found; pre-commit goes on running it, lefthook puts it back when
it is taken out.
"""
_LEFTHOOK = ("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml")


class Hook(NamedTuple):
    """One hook: its name and full path, and its state.

    `installed`; `outdated` (an older block); `missing`; `elsewhere` (another hook manager runs memgit);
    `left` (what is there is not memgit's to change: `words` say why, `add` is what to add by hand).
    """

    name: str
    path: str
    state: str
    words: str = ""
    add: str = ""
    changed: bool = False

    @property
    def works(self) -> bool:
        """Whether git runs memgit there."""
        return self.state in (INSTALLED, OTHER)

    def as_json(self) -> dict[str, Any]:
        return self._asdict()


def folder(repo: Repository) -> str:
    """The folder for hook files.

    Raises:
        Refused: the repository is bare, or `core.hooksPath` leads out of it: other repositories may use that
            folder too.
    """
    if repo.worktree is None:
        raise Refused(
            "this repository is bare: nothing is committed in it by hand", hint="install the hooks in a clone"
        )
    place = os.path.abspath(git_hooks.folder(repo))
    homes = [os.path.realpath(home) for home in (repo.worktree, repo.common_dir, repo.git_dir)]
    if not any((os.path.realpath(place) + "/").startswith(home + "/") for home in homes):
        raise Refused(
            f"core.hooksPath is {place}, which is not inside this repository",
            hint='add to each hook there: memgit hook NAME "$@"   (NAME as pre-commit)',
        )
    # husky starts the files beside its own folder, and writes that one anew.
    return (
        os.path.dirname(place) if os.path.basename(place) == "_" and os.path.exists(f"{place}/h") else place
    )


def status(repo: Repository) -> list[Hook]:
    """The state of every hook; Refused as by `folder`."""
    place = folder(repo)
    return [_look(repo, f"{place}/{name}", name) for name in NAMES]


def install(repo: Repository) -> list[Hook]:
    """Puts every hook in that can be, and has git call the merge driver; a second time changes nothing.

    Refused as by `folder`.
    """
    out = []
    found = status(repo)
    for hook in found:
        aside = f"{hook.path}{_ASIDE['pre-commit']}"
        if hook.state in (MISSING, OUTDATED):
            _write(hook.path, with_block(_read(hook.path), hook.name))
            out.append(hook._replace(state=INSTALLED, changed=True))
        elif (
            hook.state == OTHER
            and has_block(data := _plain(aside) or b"")
            and with_block(data, hook.name) != data
        ):
            _write(aside, with_block(data, hook.name))
            out.append(hook._replace(changed=True))
        else:
            out.append(hook)
    set_up_driver(repo)
    return out


def uninstall(repo: Repository) -> list[Hook]:
    """Takes memgit's lines out of every hook: each file is, to the byte, what it was without them.

    Refused as by `folder`.
    """
    out = []
    for hook in status(repo):
        taken = [_take_out(hook.path + suffix) for suffix in ("", *_ASIDE.values())]
        out.append(hook._replace(state=MISSING, changed=True) if any(taken) else hook)
    return out


def _take_out(path: str) -> bool:
    """Takes memgit's lines out of one file, and the file away where it held nothing else; whether they were
    there.
    """
    data = _plain(path)
    if data is None or not has_block(data):
        return False
    rest = without_block(data)
    if rest is None:
        os.unlink(path)
    else:
        _write(path, rest)
    return True


def _look(repo: Repository, path: str, name: str) -> Hook:
    line = f'memgit hook {name} -- "$@"'
    if not os.path.lexists(path):
        return Hook(name, path, MISSING)
    if os.path.islink(path) or not os.path.isfile(path):
        what = f"a link to {os.readlink(path)}" if os.path.islink(path) else "no plain file"
        return Hook(name, path, LEFT, f"the hook is {what}", line)
    data = _read(path) or b""
    other = manager(data)
    if (
        other == "pre-commit"
        and has_block(_plain(f"{path}{_ASIDE[other]}") or b"")
        and os.access(f"{path}{_ASIDE[other]}", os.X_OK)
    ):
        return Hook(name, path, OTHER, "pre-commit runs it, as the hook that it found")
    if other is not None and not has_block(data):
        done, add = _pre_commit(repo, name) if other == "pre-commit" else _lefthook(repo, name)
        return (
            Hook(name, path, OTHER, f"{other} runs it")
            if done
            else Hook(name, path, LEFT, f"the hook is {other}'s", add)
        )
    if not is_shell(data):
        return Hook(name, path, LEFT, "the hook is not a shell script", line)
    if not has_block(data):
        if f"memgit hook {name}".encode() in data:
            return Hook(name, path, OTHER, "the hook calls memgit itself")
        return (
            Hook(name, path, MISSING)
            if _runs(path)
            else Hook(name, path, LEFT, "git leaves the hook out", f"chmod +x '{path}'")
        )
    if not _runs(path):
        return Hook(name, path, LEFT, "git leaves the hook out", f"chmod +x '{path}'")
    return Hook(name, path, INSTALLED if with_block(data, name) == data else OUTDATED)


def _runs(path: str) -> bool:
    """Whether git would start a hook file: it may be executed, or husky starts it."""
    return os.access(path, os.X_OK) or os.path.exists(f"{os.path.dirname(path)}/_/h")


def _pre_commit(repo: Repository, name: str) -> tuple[bool, str]:
    """Whether the pre-commit framework runs memgit for a hook, and what to add to its configuration."""
    held = _read(f"{repo.worktree}/{_PRE_COMMIT}") or b""
    if all(_has_id(held, id_, name) or f"memgit hook {name}".encode() in held for id_ in IDS[name]):
        return True, ""
    rows = ["  - repo: local", "    hooks:"]
    for id_ in IDS[name]:
        entry = f"memgit hook {name}" + (
            f" --only {id_.removeprefix('memgit-')}" if len(IDS[name]) > 1 else ""
        )
        takes = "" if name in ("prepare-commit-msg", "commit-msg") else ", pass_filenames: false"
        rows.append(
            f"      - {{id: {id_}, name: {id_}, language: system, entry: {entry}, always_run: "
            f"true{takes}, stages: [{name}]}}"
        )
    return False, "\n".join([f"in {_PRE_COMMIT}, under repos:", *rows])


def _has_id(held: bytes, id_: str, stage: str) -> bool:
    """Whether a configuration of the framework has a hook, and does not say that it runs in other stages."""
    return any(
        b"stages:" not in row or stage.encode() in row.partition(b"stages:")[2] for row in _rows(held, id_)
    )


def _rows(held: bytes, id_: str) -> list[bytes]:
    """What a configuration says of the hooks with an id: the text up to the next hook or repository."""
    return [
        row
        for row in re.split(rb"(?m)\bid:|^\s*-\s*repo:", held)
        if row.split(None, 1)[:1] and row.split(None, 1)[0].strip(b"'\",}") == id_.encode()
    ]


def _lefthook(repo: Repository, name: str) -> tuple[bool, str]:
    held = b"\n".join(_read(f"{repo.worktree}/{file}") or b"" for file in _LEFTHOOK)
    if f"memgit hook {name}".encode() in held:
        return True, ""
    reads = "\n      use_stdin: true" if name == "pre-push" else ""
    return (
        False,
        f"in {_LEFTHOOK[0]}:\n{name}:\n  commands:\n    memgit:\n      run: memgit hook {name} {{0}}{reads}",
    )


def _plain(path: str) -> bytes | None:
    """The bytes of a file that is no link, None where there is none."""
    return None if os.path.islink(path) else _read(path)


def _read(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except (FileNotFoundError, NotADirectoryError):
        return None


def _write(path: str, data: bytes) -> None:
    """A hook file, whole or not at all, with the mode that it has."""
    mode = os.stat(path).st_mode & 0o7777 if os.path.exists(path) else 0o755
    replace_file(path, data, mode)
