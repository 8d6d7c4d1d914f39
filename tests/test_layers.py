"""The house keeps its order: who may import whom, who owns a library, who starts processes, who reads the
environment.

All of it is read from the syntax tree, so an import inside a function or under `TYPE_CHECKING` counts like
any other.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "memgit"

ROWS = (
    ("errors",),
    ("fastpath",),
    ("model",),
    ("formats",),
    ("derive",),
    ("lint",),
    ("ingest", "review", "adopt"),
    ("git", "web", "forge"),
    ("cache",),
    ("engines",),
    ("app",),
    ("site",),
    ("mcp",),
    ("cli", "hooks"),
    ("__main__",),
)
"""Top to bottom: a row may import the rows above it and itself; two names in one row do not know each other.
"""

FACES = ("cli", "hooks", "mcp", "site", "__main__")

LIBRARIES = {
    "click": ("cli",),
    "jsonschema": ("mcp/tools.py",),
    "mcp": ("mcp/server.py",),
    "mcp_types": ("mcp/server.py",),
    "uvicorn": ("mcp/server.py",),
    "merge3": ("formats/merging/textmerge.py",),
    "jinja2": ("site/pages.py",),
    "markupsafe": ("site/pages.py",),
    "mistune": ("site/render.py",),
    "nh3": ("site/render.py",),
    "markitdown": ("web/document.py",),
    "pygit2": ("git",),
    "git": ("git",),
    "numpy": ("engines/semantic.py",),
    "rapidfuzz": ("lint/rules/mg301_duplicate_record.py",),
    "ruamel": ("formats/yaml.py",),
    "safetensors": ("engines/semantic.py",),
    "sqlite3": ("cache",),
    "_sqlite3": ("cache",),
    "tokenizers": ("engines/semantic.py",),
    "trafilatura": ("web/extract.py",),
    "yaml": ("formats/yaml.py",),
}
"""The owner of each library: a folder or a file under `memgit/`.

A library that is not named here may not be imported.
"""

PROCESSES = {
    "subprocess",
    "_posixsubprocess",
    "multiprocessing",
    "pty",
    "concurrent.futures.process",
    "asyncio.subprocess",
    "os.system",
    "os.popen",
    "os.fork",
    "os.forkpty",
    "os.posix_spawn",
    "os.posix_spawnp",
    "os.startfile",
    *(
        f"os.{verb}{end}"
        for verb in ("exec", "spawn")
        for end in ("l", "le", "lp", "lpe", "v", "ve", "vp", "vpe")
    ),
}
"""Whatever starts a process: `git` alone."""

NETWORK = {
    "socket",
    "socketserver",
    "ssl",
    "http",
    "urllib.request",
    "ftplib",
    "imaplib",
    "nntplib",
    "poplib",
    "smtplib",
    "telnetlib",
    "xmlrpc",
}
"""Whatever opens a network connection: `web` and `forge` alone (git makes those of its own remotes)."""

SURROUNDINGS = {
    "os.environ",
    "os.environb",
    "os.getenv",
    "os.getenvb",
    "os.putenv",
    "os.getcwd",
    "os.getcwdb",
    "os.chdir",
    "os.isatty",
    "os.get_terminal_size",
    "os.path.expanduser",
    "os.path.expandvars",
    "shutil.get_terminal_size",
    "pathlib.Path.cwd",
    "pathlib.Path.home",
    "sys.argv",
    "sys.stdin",
    "sys.stdout",
    "sys.stderr",
    "getpass",
    "curses",
}
"""The environment, the current directory and the terminal: faces alone."""

ALLOWED = {
    # The live site is served on loopback; it connects to nothing.
    *(("site/serve.py", f"http.server.{name}") for name in ("BaseHTTPRequestHandler", "ThreadingHTTPServer")),
    # a hook's GIT_INDEX_FILE belongs to the repository of the current directory, as for git itself
    ("git/repository.py", "os.getcwd"),
    # a copy of this process, with what it has at hand: no other program is started
    ("cache/parallel_events.py", "os.fork"),
    # A page is taken apart in a process of its own, for nothing else can be stopped.
    *(
        ("web/sandbox.py", f"subprocess{name}")
        for name in ("", ".run", ".PIPE", ".DEVNULL", ".TimeoutExpired")
    ),
}
"""What one module may use all the same, with the reason."""

FILES = {
    "open",
    "io.open",
    "time",
    "sys.modules",
    "tempfile",
    "shutil",
    "glob",
    *(
        f"os.{name}"
        for name in "open replace rename unlink remove access stat lstat listdir scandir walk getpid mkdir "
        "makedirs rmdir link symlink readlink chmod utime truncate".split()
    ),
    *(f".{name}" for name in "read_text write_text read_bytes write_bytes iterdir rglob unlink".split()),
}
"""Files, processes and the clock, which no pure layer looks at."""

PURE = ("model", "formats", "derive", "lint", "review", "ingest", "adopt")

PRIVATE = {
    # hashlib loads OpenSSL, which takes longer than all that a command hashes
    "_sha1": "git/objects/objects.py",
    # what `collections` itself makes named tuples of, without the code that it compiles for each
    "_collections": "model/namedtuple.py",
}
"""C modules that are not part of Python's interface, each with its one owner and the reason."""

UNSTABLE = {"_sre", "_json", "_functools", "_imp", "marshal"}
"""Modules that change with the interpreter, and may crash it on damaged data."""

INNER = {
    "app": (
        ("config",),
        ("workspace",),
        ("check",),
        ("read",),
        ("write",),
        ("derived",),
        ("ingest",),
        ("merge",),
        ("review", "adopt"),
        ("hooks",),
        ("doctor", "agents"),
        ("repair",),
    ),
    "git": (
        "command backoff config write_all leftovers permissions terminal process".split(),
        ("objects",),
        ("discovery",),
        ("repository",),
        "paths history worktree hooks setup remote commit".split(),
        ("commit/recovery",),
    ),
    "lint": (("",), ("rules",), ("engine",), ("reports",)),
}
"""The order inside a part, top to bottom; a row may import the rows above it and itself. "" is all the rest."""

OUT_OF_ORDER = {
    "app/adopt/init.py": {"hooks"},
    "app/check/lint.py": {"derived"},
    "app/read/counts.py": {"write"},
    "app/workspace.py": {"review"},
    "app/write/series.py": {"derived"},
    "app/write/write.py": {"derived"},
    "git/commit/commit.py": {"commit/recovery"},
    "git/commit/empty_commit.py": {"commit/recovery"},
    "git/objects/blob_prefetch.py": {"repository"},
    "git/objects/blob_spool.py": {"commit", "repository"},
    "git/objects/files.py": {"repository"},
    "git/objects/promisor.py": {"repository"},
    "git/worktree/checkout.py": {"commit/recovery"},
}
"""Imports against that order; a table that only shrinks."""

LONGEST, FULLEST, INSIDE = 600, 24, 177
"""Lines of a module, modules of a folder (but `cli` and `lint/rules`), imports inside functions: budgets that
only shrink. The aims are 400, 24 and 120.
"""

BUILTINS = {"input", "print", "breakpoint"}
METHODS = {".isatty", ".expanduser"}


def modules() -> list[str]:
    """Every module of the package, as a path under `memgit/`."""
    return sorted(path.relative_to(ROOT / PACKAGE).as_posix() for path in (ROOT / PACKAGE).rglob("*.py"))


def row(part: str) -> int | None:
    """The row of a first-level name of the package, or None where the table does not know it."""
    return next((number for number, names in enumerate(ROWS) if part in names), None)


def first(path: str) -> str:
    """The first-level name of a module: its folder, or its stem at the top."""
    return path.partition("/")[0].removesuffix(".py")


def dotted(node: ast.expr) -> str | None:
    """`os.path.expanduser` for such a chain of names, None for any other expression."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        left = dotted(node.value)
        return None if left is None else f"{left}.{node.attr}"
    return None


def imported(path: str, tree: ast.Module) -> Iterator[tuple[int, str, str]]:
    """Every import as (line, full dotted name of what is imported, the name that it gets in the module)."""
    package = [PACKAGE, *path.split("/")[:-1]]
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node.lineno, alias.name, alias.asname or alias.name.partition(".")[0]
        elif isinstance(node, ast.ImportFrom):
            base = package[: len(package) - node.level + 1] if node.level else []
            source = ".".join([*base, *([node.module] if node.module else [])])
            for alias in node.names:
                yield node.lineno, f"{source}.{alias.name}", alias.asname or alias.name
        elif isinstance(node, ast.Call) and dotted(node.func) in (
            "__import__",
            "import_module",
            "importlib.import_module",
            "c_module.alone",
        ):
            name = node.args[0].value if node.args and isinstance(node.args[0], ast.Constant) else None
            if isinstance(name, str):
                yield node.lineno, name, ""


def used(tree: ast.Module, names: dict[str, str]) -> Iterator[tuple[int, str]]:
    """Every use as (line, name): imported things by the name that they have where they come from, `.name` for
    methods, built-ins called.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute | ast.Name):
            head, dot, rest = (dotted(node) or "").partition(".")
            if head in names:
                yield node.lineno, names[head] + dot + rest
        if isinstance(node, ast.Attribute):
            yield node.lineno, f".{node.attr}"
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            yield node.lineno, node.func.id


def violations(path: str, source: str) -> list[str]:
    """What a module does that its place in the house forbids, each as `path:line: words`.

    Args:
        path: where the module lies (or would lie) under `memgit/`.
        source: its text.
    """
    here = first(path)
    rank = row(here)
    if path == "__init__.py":
        rank = -1
    elif rank is None:
        return [f"{path}:1: {here} has no row in the house"]
    tree = ast.parse(source)
    found: list[str] = []
    names: dict[str, str] = {}
    for line, name, local in imported(path, tree):
        top, _, rest = name.partition(".")
        names[local] = name if local != top else top
        if top == PACKAGE:
            part = rest.partition(".")[0]
            if part in ("", "TYPE_CHECKING", "__version__") or part == here:
                continue
            other = row(part)
            if other is None or other >= rank:
                found.append(f"{path}:{line}: {here} may not import {name}")
        elif top in LIBRARIES:
            if not any(path == owner or path.startswith(f"{owner}/") for owner in LIBRARIES[top]):
                found.append(f"{path}:{line}: {top} belongs to {' and '.join(LIBRARIES[top])}")
        elif top not in sys.stdlib_module_names:
            found.append(f"{path}:{line}: {top} has no owner")
        elif top in UNSTABLE:
            found.append(f"{path}:{line}: {top} changes with the interpreter")
        elif top.startswith("_") and not top.startswith("__") and PRIVATE.get(top) != path:
            found.append(f"{path}:{line}: {top} is private to Python")
        if (path, name) not in ALLOWED:
            found += [f"{path}:{line}: {words}" for words in forbidden(here, name)]
    for line, name in used(tree, names):
        if (path, name) not in ALLOWED:
            found += [f"{path}:{line}: {words}" for words in forbidden(here, name)]
    return sorted(set(found))


def forbidden(here: str, name: str) -> Iterator[str]:
    """Why a part of the package may not use a thing of that full name; nothing where it may."""
    if here != "git" and within(name, PROCESSES):
        yield f"{name} starts processes, which git alone does"
    if here not in ("web", "forge") and within(name, NETWORK):
        yield f"{name} reaches the network, which web and forge alone do"
    if here in PURE and (name in FILES or name.partition(".")[0] in FILES):
        yield f"{name} looks at files or the clock, which no pure layer does"
    if here not in FACES and (within(name, SURROUNDINGS) or name in BUILTINS | METHODS):
        yield f"{name} reaches the user's surroundings, which faces alone do"


def within(name: str, table: set[str]) -> bool:
    """Whether a dotted name is in the table or below a name that is."""
    parts = name.split(".")
    return any(".".join(parts[:end]) in table for end in range(1, len(parts) + 1))


@cache
def parsed(path: str) -> ast.Module:
    return ast.parse((ROOT / PACKAGE / path).read_text(encoding="utf-8"))


@cache
def known_imports(path: str) -> set[str]:
    """The modules of the package that one of them imports, as names below `memgit`."""
    names = {name.removeprefix(f"{PACKAGE}.") for _, name, _ in imported(path, parsed(path))}
    found = {module for name in names for module in (name, name.rpartition(".")[0]) if module in NAMES}
    # A package's own module runs with each of those in it: only the module counts.
    found = {one for one in found if not any(other.startswith(f"{one}.") for other in found)}
    return found - {dotted_name(path)}


def dotted_name(path: str) -> str:
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


NAMES = {dotted_name(path): path for path in modules() if "/" in path or path != "__init__.py"}


def place_inside(top: str, path: str) -> tuple[int, str] | None:
    """The row of a module inside a part, and the name that the table has for it; None where it has none."""
    inner = path.removesuffix(".py").partition("/")[2]
    for name in (inner, inner.partition("/")[0], ""):
        for rank, names in enumerate(INNER[top]):
            if name in names:
                return rank, name
    return None


def against_the_order(top: str) -> dict[str, set[str]]:
    """What modules of a part import of rows below their own, by module."""
    found: dict[str, set[str]] = {}
    for path in modules():
        if first(path) != top or path == f"{top}/__init__.py":
            continue
        here = place_inside(top, path)
        assert here is not None, f"{path} has no row in the order of {top}"
        for name in known_imports(path):
            there = place_inside(top, NAMES[name]) if first(NAMES[name]) == top else None
            if there is not None and there[0] > here[0]:
                found.setdefault(path, set()).add(there[1])
    return found


@pytest.mark.parametrize("top", INNER)
def test_a_part_keeps_its_inner_order(top: str) -> None:
    allowed = {path: names for path, names in OUT_OF_ORDER.items() if first(path) == top}
    assert against_the_order(top) == allowed


def test_no_modules_import_each_other_in_a_circle() -> None:
    edges = {name: known_imports(path) for name, path in NAMES.items()}

    def reached(start: str) -> set[str]:
        seen: set[str] = set()
        left = [start]
        while left:
            for name in edges[left.pop()] - seen:
                seen.add(name)
                left.append(name)
        return seen

    below = {name: reached(name) for name in edges}
    assert {name for name in edges if name in below[name]} == set()


def _outermost(tree: ast.Module) -> Iterator[ast.AST]:
    """The functions of a module that are in no other one."""
    left: list[ast.AST] = [tree]
    while left:
        for node in ast.iter_child_nodes(left.pop()):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield node
            else:
                left.append(node)


def test_sizes_stay_within_their_budgets() -> None:
    lengths = {path: (ROOT / PACKAGE / path).read_text(encoding="utf-8").count("\n") for path in modules()}
    assert {path: count for path, count in lengths.items() if count > LONGEST} == {}
    folders = Counter(path.rpartition("/")[0] for path in modules())
    del folders["cli"], folders["lint/rules"]
    assert {folder: count for folder, count in folders.items() if count > FULLEST} == {}
    inside = sum(
        isinstance(node, ast.Import | ast.ImportFrom)
        for path in modules()
        for function in _outermost(parsed(path))
        for node in ast.walk(function)
    )
    assert inside <= INSIDE


@pytest.mark.parametrize("path", modules())
def test_module_keeps_the_order(path: str) -> None:
    assert violations(path, (ROOT / PACKAGE / path).read_text(encoding="utf-8")) == []


def test_every_row_is_known() -> None:
    assert [path for path in modules() if path != "__init__.py" and row(first(path)) is None] == []


@pytest.mark.parametrize(
    ("path", "source", "words"),
    [
        (
            "model/record.py",
            "from memgit.formats.messages import message",
            "model may not import memgit.formats.messages.message",
        ),
        ("model/record.py", "import memgit.app", "model may not import memgit.app"),
        (
            "model/record.py",
            "from ..formats.message import parse",
            "model may not import memgit.formats.message.parse",
        ),
        (
            "errors.py",
            "from memgit.model.record import Record",
            "errors may not import memgit.model.record.Record",
        ),
        (
            "formats/yaml.py",
            "def f():\n    from memgit.git import process",
            "formats may not import memgit.git.process",
        ),
        (
            "derive/index.py",
            "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from memgit.cache.db import Cache",
            "derive may not import memgit.cache.db.Cache",
        ),
        ("git/commit/commit.py", "from memgit.app import config", "git may not import memgit.app.config"),
        ("cache/db.py", "from memgit.cli import main", "cache may not import memgit.cli.main"),
        ("cli/main.py", "import memgit.hooks.commit", "cli may not import memgit.hooks.commit"),
        (
            "app/read/show.py",
            "import importlib\nimportlib.import_module('memgit.cli.main')",
            "app may not import memgit.cli.main",
        ),
        ("stray/new.py", "", "stray has no row in the house"),
        ("formats/other.py", "from ruamel.yaml import YAML", "ruamel belongs to formats/yaml.py"),
        ("formats/other.py", "c_module.alone('yaml', '_yaml')", "yaml belongs to formats/yaml.py"),
        ("formats/yaml.py", "import mistune", "mistune belongs to site/render.py"),
        ("app/merge.py", "def f():\n    import merge3", "merge3 belongs to formats/merging/textmerge.py"),
        ("app/read/show.py", "import sqlite3", "sqlite3 belongs to cache"),
        ("cache/db.py", "import pygit2", "pygit2 belongs to git"),
        ("app/read/show.py", "from click import echo", "click belongs to cli"),
        ("git/process.py", "import requests", "requests has no owner"),
        ("app/ingest/ingest.py", "import trafilatura", "trafilatura belongs to web/extract.py"),
        ("git/remote.py", "from memgit.web import fetch", "git may not import memgit.web.fetch"),
        ("web/page.py", "from memgit.cache import db", "web may not import memgit.cache.db"),
        ("app/ingest/ingest.py", "import socket", "socket reaches the network"),
        (
            "ingest/source.py",
            "from urllib.request import urlopen",
            "urllib.request.urlopen reaches the network",
        ),
        ("app/read/show.py", "import subprocess", "subprocess starts processes"),
        ("app/read/show.py", "from subprocess import run as go", "subprocess.run starts processes"),
        ("cli/edit.py", "import os\nos.execvp('vi', ['vi'])", "os.execvp starts processes"),
        ("cache/db.py", "from os import posix_spawn", "os.posix_spawn starts processes"),
        ("git/process.py", "import os\nhome = os.environ['HOME']", "os.environ reaches"),
        ("git/process.py", "from os import environ as env\nhome = env", "os.environ reaches"),
        ("app/read/show.py", "import os as system\nsystem.getcwd()", "os.getcwd reaches"),
        ("app/read/show.py", "from pathlib import Path\nhere = Path.cwd()", "pathlib.Path.cwd reaches"),
        (
            "app/read/show.py",
            "from pathlib import Path\nhere = Path('~').expanduser()",
            ".expanduser reaches",
        ),
        ("app/write/record.py", "import sys\nbody = sys.stdin.read()", "sys.stdin reaches"),
        ("app/write/record.py", "def f(stream):\n    return stream.isatty()", ".isatty reaches"),
        ("app/write/record.py", "answer = input('sure? ')", "input reaches"),
        ("model/record.py", "data = open('x').read()", "open looks at files"),
        ("lint/engine.py", "import os\nos.unlink('x')", "os.unlink looks at files"),
        ("derive/dates.py", "from time import time\nnow = time()", "time.time looks at files or the clock"),
        ("formats/text.py", "from pathlib import Path\nPath('x').read_text()", ".read_text looks at files"),
        ("model/record.py", "import _sre", "_sre changes with the interpreter"),
        ("app/hooks/check.py", "import marshal", "marshal changes with the interpreter"),
        ("git/process.py", "from _socket import socket", "_socket is private to Python"),
    ],
)
def test_a_module_that_breaks_the_order_is_named(path: str, source: str, words: str) -> None:
    found = violations(path, source)
    assert any(words in one for one in found), found


@pytest.mark.parametrize(
    ("path", "source"),
    [
        (
            "app/read/show.py",
            (
                "from memgit.git.repository import Repository\nfrom memgit.cache import db\nfrom "
                "memgit.app import config"
            ),
        ),
        ("model/record.py", "from memgit import __version__\nfrom memgit.errors import MemgitError"),
        ("model/record.py", "from .kinds import KINDS\nfrom . import slug"),
        ("git/process.py", "import os, subprocess\nos.posix_spawn('git', [], {})"),
        ("git/object.py", "import pygit2"),
        ("web/address.py", "import socket, ssl, http.client\nsocket.getaddrinfo('localhost', 80)"),
        ("lint/reports/sarif.py", "from urllib.parse import quote"),
        ("cache/db.py", "import sqlite3"),
        ("cli/main.py", "import click, os, sys\nos.getcwd(), sys.stdin.isatty(), os.environ"),
        ("__main__.py", "import sys\nfrom memgit.cli.main import cli\nsys.argv"),
        ("model/slug.py", "def f(input):\n    return input.lower()"),
        ("app/read/show.py", "import os\nos.path.join('a', 'b'), os.urandom(4), os.getpid()"),
    ],
)
def test_a_module_that_keeps_the_order_passes(path: str, source: str) -> None:
    assert violations(path, source) == []
