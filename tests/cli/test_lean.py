"""Commands called without click: what is read from a command line is what click reads, and what click would
refuse is left to it.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout, suppress
from importlib import import_module
from pathlib import Path
from typing import Any

import click
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memgit.cli import lean
from memgit.cli.lean import HOT, Choice, Declared, IntRange
from memgit.cli.main import COMMANDS, call
from tests.support import memgit


def declared(name: str) -> Declared:
    command = import_module(f"memgit.cli.{HOT[name]}").command
    assert isinstance(command, Declared)
    return command


def by_click(command: Declared, args: list[str]) -> dict[str, Any] | None:
    """What click reads; None where it refuses."""
    made = command.click()
    try:
        with made.make_context(command.name, list(args)) as ctx:
            return dict(ctx.params)
    except click.exceptions.Exit:
        return None
    except click.ClickException:
        return None


def test_the_table_is_part_of_the_commands() -> None:
    assert all(COMMANDS[name][0] == module for name, module in HOT.items())


@st.composite
def lines(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A command and a command line for it: flags that it has, values, words, and now and then nonsense."""
    name = draw(st.sampled_from(sorted(HOT)))
    flags = [
        flag
        for param in declared(name).click().params
        for flag in (*param.opts, *param.secondary_opts)
        if flag.startswith("-")
    ]
    flag = st.sampled_from([*flags, "--help", "--no-such", "-x", "--"])
    value = st.sampled_from(
        [
            "",
            "3",
            "-1",
            "07",
            " 4",
            "x y",
            "a,b",
            "-",
            "--json",
            "-m",
            "=",
            "ask",
            "create",
            "json",
            "\u00e9",
            "memory",
        ]
    )
    piece = st.one_of(
        flag,
        value,
        st.builds("{}={}".format, flag, value),
        st.builds("{}{}".format, flag, value),
        st.builds("{} {}".format, flag, value),
    )
    return name, draw(st.lists(piece, max_size=7))


@given(lines())
def test_read_as_click_reads_it(drawn: tuple[str, list[str]]) -> None:
    name, args = drawn
    found = declared(name).parse(args, {})
    assert found is None or found == by_click(declared(name), args), args


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("show", ["memory/a", "--json"]),
        ("search", ["a", "-n", "3", "--kind", "memory", "--kind", "skill", "b"]),
        ("search", ["-n3", "--", "-x"]),
        ("record", ["knowledge", "T", "-m", "one", "-m", "two", "--keywords", "a,b", "--each"]),
        ("list", []),
        ("list", ["memory", "--limit=0"]),
        ("recall", ["how", "now"]),
        ("log", ["--format", "markdown"]),
        ("update", ["a", "-mtext"]),
        ("extend", ["a", "-F", "-"]),
    ],
)
def test_plain_lines_need_no_click(name: str, args: list[str]) -> None:
    found = declared(name).parse(args, {})
    assert found is not None
    assert found == by_click(declared(name), args)


@pytest.mark.parametrize("name", HOT)
def test_every_option_in_each_way_to_spell_it(name: str) -> None:
    command = declared(name)
    made = command.click()
    words = [value_of(param) for param in made.params if isinstance(param, click.Argument) and param.required]
    for param in made.params:
        if not isinstance(param, click.Option):
            continue
        for flag in (*param.opts, *param.secondary_opts):
            ways = (
                [[flag]]
                if param.is_flag
                else [[flag, value_of(param)], [f"{flag}{'=' * flag.startswith('--')}{value_of(param)}"]]
            )
            found = [
                command.parse([*before, *way, *after], {})
                for way in ways
                for before, after in ((words, []), ([], words))
            ]
            # One that goes to a function of its own is left to click.
            wanted = by_click(command, [*words, *ways[0]]) if param.expose_value else None
            assert found == [wanted] * len(found), flag
            assert (wanted is None) == (not param.expose_value), flag


def test_what_goes_to_a_function_of_its_own() -> None:
    told = {
        flag for param in declared("record").click().params if not param.expose_value for flag in param.opts
    }
    assert told == {"--allow-secret", "--redact", "--actor", "--run"}


def value_of(param: click.Parameter) -> str:
    """A value that an option or argument takes."""
    return str(param.type.choices[0]) if isinstance(param.type, click.Choice) else "3"


ROOT_WAYS = (
    "-C",
    "a",
    "-Cb",
    "-C=c",
    "--actor",
    "--actor=d",
    "--actor=",
    "--run",
    "--run=e",
    "-",
    "--",
    "show",
    "--json",
    "-h",
    "",
)


@given(st.lists(st.sampled_from(ROOT_WAYS), max_size=6).map(lambda words: [*words, "show", "x"]))
def test_the_options_of_memgit_itself_as_click_reads_them(args: list[str]) -> None:
    called: list[tuple[dict[str, Any], dict[str, Any]]] = []
    command = declared("show")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            command, "callback", lambda ctx, **values: called.append((dict(ctx.find_root().obj), values))
        )
        for variable in lean.ROOT_ENV.values():
            patch.setenv(variable, "from outside")
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            quick = lean.attempt(args, {})
            with suppress(SystemExit):
                call(args, {})
    assert len(called) == 2 and called[0] == called[1] if quick else len(called) <= 1, args


@pytest.mark.parametrize("args", [["-Cx", "show", "a"], ["--actor=a", "--run=r", "-C", "x", "show", "a"]])
def test_joined_options_before_the_command_need_no_click(
    args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(declared("show"), "callback", lambda ctx, **values: 0)
    assert lean.attempt(args, {})


@pytest.mark.parametrize(
    ("name", "args"),
    [
        ("show", []),
        ("show", ["a", "b"]),
        ("show", ["--help"]),
        ("show", ["a", "--at"]),
        ("search", ["a", "-n", "-1"]),
        ("search", ["a", "-n", "x"]),
        ("record", ["memory", "t", "--similar", "other"]),
        ("record", ["memory", "t", "--allow-secret"]),
        ("show", ["a", "--json=1"]),
        ("list", ["--jso"]),
        ("search", ["--kind"]),
    ],
)
def test_what_is_not_plain_is_left_to_click(name: str, args: list[str]) -> None:
    assert declared(name).parse(args, {}) is None


def test_variables_count_as_with_click(monkeypatch: pytest.MonkeyPatch) -> None:
    for value in ("one", ""):
        monkeypatch.setenv("MEMGIT_SESSION", value)
        found = declared("recall").parse(["x"], os.environ)
        assert found is not None
        assert found["session"] == (value or None) == by_click(declared("recall"), ["x"])["session"]  # type: ignore[index]
    assert declared("recall").parse(["x", "--session", "two"], {"MEMGIT_SESSION": "one"})["session"] == "two"  # type: ignore[index]


def test_types_are_compared_as_click_does() -> None:
    assert lean._converted("b", Choice(("a", "b"))) == "b"
    assert lean._converted("c", Choice(("a", "b"))) is None
    assert lean._converted("7", IntRange(min=0)) == 7
    assert lean._converted("7", IntRange(min=8)) is None
    assert lean._converted("9", IntRange(max=8)) is None
    assert lean._converted("99999999999", IntRange()) is None


@pytest.mark.parametrize("options", [[], ["--actor", "agent", "--run", "r1"]])
def test_the_options_before_the_command(
    repo: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    memgit(repo, "init")
    monkeypatch.setenv("MEMGIT_RUN", "r0")
    memgit(repo, *options, "record", "memory", "One", "--scope", "x", "-m", "text")
    (event,) = memgit(repo, "log", "--json", "-n", "1").json
    assert (event["actor"], event["run"]) == (("agent", "r1") if options else (None, "r0"))


def run(folder: Path, *args: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "memgit", *args],
        cwd=folder,
        env={**os.environ, **env},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )


def test_a_process_says_the_same_with_and_without_click(repo: Path) -> None:
    memgit(repo, "init")
    memgit(
        repo,
        "record",
        "memory",
        "Caf\u00e9 \x1b[31mred",
        "--scope",
        "x",
        "-m",
        "text of the caf\u00e9\n\x07bell",
    )
    code = (
        "import sys; from memgit.cli import start, lean; lean.attempt = lambda *_: False; "
        "sys.exit(start.run())"
    )
    cases: list[tuple[list[str], dict[str, str]]] = [
        (["show", "memory/x/cafe-31mred"], {}),
        (["show", "memory/x/cafe-31mred"], {"PYTHONIOENCODING": "ascii"}),
        (["show", "none"], {}),
        (["search", "caf\u00e9", "--json"], {"PYTHONIOENCODING": "ascii"}),
        (["search", "caf\u00e9"], {}),
        (["show"], {}),
    ]
    for args, env in cases:
        mine = run(repo, *args, **env)
        clicked = subprocess.run(
            [sys.executable, "-c", code, *args],
            cwd=repo,
            env={**os.environ, **env},
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        assert (mine.returncode, mine.stdout, mine.stderr) == (
            clicked.returncode,
            clicked.stdout,
            clicked.stderr,
        ), args


def test_no_click_is_loaded_where_a_line_is_plain(repo: Path) -> None:
    memgit(repo, "init")
    memgit(repo, "record", "memory", "One", "--scope", "x", "-m", "text")
    code = (
        "import sys; from memgit.cli.start import run; run(sys.argv[1:]); print('click' in sys.modules, "
        "file=sys.stderr)"
    )
    for args, loaded in (
        (["show", "memory/x/one"], False),
        (["search", "text"], False),
        (["search", "--help"], True),
        (["--help"], True),
    ):
        done = subprocess.run(
            [sys.executable, "-c", code, *args], cwd=repo, capture_output=True, text=True, check=True
        )
        assert done.stderr.strip() == str(loaded), args


def test_whoever_stops_reading_is_no_failure(repo: Path) -> None:
    memgit(repo, "init")
    for number in range(40):
        (repo / "memory/x").mkdir(parents=True, exist_ok=True)
        (repo / f"memory/x/{number}-{'long' * 40}.md").write_text(f"# Title {number}\n")
    with subprocess.Popen(
        [sys.executable, "-m", "memgit", "list"], cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        assert process.wait() == 0
        assert process.stderr.read() == b""


def test_a_line_goes_to_streams_of_any_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    for encoding in ("utf-8", "ascii", "latin-1"):
        out = io.BytesIO()
        monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(out, encoding=encoding, errors="replace"))
        lean.echo("plain")
        sys.stdout.flush()
        assert out.getvalue() == b"plain\n"
    assert lean.style("text", bold=True) == "text"


def test_the_two_streams_keep_their_order_in_one_file(repo: Path) -> None:
    code = "from memgit.cli import lean; lean.echo('one'); lean.echo('two', err=True); lean.echo('three')"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=repo, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True
    )
    assert done.stdout.split() == [b"one", b"two", b"three"]
