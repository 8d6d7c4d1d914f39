"""The documents keep step with the code: every command is there and has help, and what is generated is
current.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import click
import pytest

from docs import reference, tour
from tests.test_layers import ROWS

ROOT = Path(__file__).resolve().parents[1]


def tiny() -> click.Group:
    """A small command tree with one of each thing that the reference shows."""

    @click.group(help="A tool.\n\nWith two paragraphs.")
    @click.option("-C", "folder", metavar="DIR", default=".", help="Work in DIR.")
    def tool() -> None: ...

    @tool.command(help="Adds a thing. It takes | literally.")
    @click.argument("kind")
    @click.argument("titles", nargs=-1, required=True)
    @click.option(
        "--similar", type=click.Choice(["ask", "fail"]), default="ask", help="What to do about a | like one."
    )
    @click.option("-k", "--keyword", multiple=True, help="A keyword.")
    @click.option("--json", "as_json", is_flag=True, help="Answer in JSON.")
    @click.option("--times", type=int, required=True, help="How often.")
    @click.option("--secret", hidden=True)
    def add() -> None: ...

    @tool.group(help="Hooks.")
    def hooks() -> None: ...

    @hooks.command(help="Installs them.\n\n\b\na\n  b")
    @click.argument("name", required=False)
    def install() -> None: ...

    @tool.command(hidden=True)
    def inner() -> None: ...

    return tool


def every_command() -> list[tuple[str, click.Command]]:
    from memgit.cli.main import cli

    return list(reference.commands(cli))


def test_the_reference_shows_the_whole_tree() -> None:
    text = reference.render(tiny(), "tool")
    assert re.findall(r"^## (.*)$", text, re.MULTILINE) == [
        "tool",
        "tool add",
        "tool hooks",
        "tool hooks install",
    ]
    assert "- [`tool add`](#tool-add): Adds a thing\n" in text
    assert "tool [OPTIONS] COMMAND [ARGS]...\n" in text
    assert "tool add [OPTIONS] KIND TITLES...\n" in text
    assert "tool hooks install [OPTIONS] [NAME]\n" in text
    assert "A tool.\n\nWith two paragraphs.\n" in text
    assert "Installs them.\n\n```text\na\n  b\n```\n" in text
    assert "| `-C` `DIR` | Work in DIR. (default: `.`) |" in text
    assert r"| `--similar` `ask\|fail` | What to do about a \| like one. (default: `ask`) |" in text
    assert "| `-k`, `--keyword` `TEXT` | A keyword. |" in text
    assert "| `--json` | Answer in JSON. |" in text
    assert "| `--times` `INTEGER` | How often. (required) |" in text
    assert "secret" not in text and "inner" not in text


def test_the_tour_runs_what_the_readme_shows() -> None:
    readme = (
        "# T\n\n```console\n$ echo one\nold\n$ printf 'a\\n' && \\\n  echo b\n```\n\n"
        "```sh\nexit 9\n```\n```python\nkept\n```\n"
        "\n```console\n$ mkdir b && cd b\n$ pwd\n```\nend\n"
    )
    assert tour.update(readme) == (
        "# T\n\n```console\n$ echo one\none\n$ printf 'a\\n' && \\\n  echo b\na\nb\n```\n\n"
        "```sh\nexit 9\n```\n```python\nkept\n```\n"
        "\n```console\n$ mkdir b && cd b\n$ pwd\n/home/ada/b\n```\nend\n"
    )


def test_the_tour_leaves_what_differs_by_hashes_ids_and_dates_alone() -> None:
    block = "```console\n$ echo $(printf %s 0123abc) kb7m2q9x4d 2026-11-30\n{}\n```\n"
    old = block.format("89abcde zz7m2q9x4d 2025-01-31")
    assert tour.update(old) == old
    wrong = block.format("89abcde zz7m2q9x4d yesterday")
    assert tour.update(wrong) == block.format("0123abc kb7m2q9x4d 2026-11-30")


def test_ids_of_a_tour_agree_with_each_other_after_one_example_changed() -> None:
    tale = "```console\n$ echo kb7m2q9x4d\n{0}\n```\n```console\n$ echo kb7m2q9x4d again\n{0}{1}\n```\n"
    assert tour.update(tale.format("zz7m2q9x4d", "")) == tale.format("kb7m2q9x4d", " again")


def test_the_tour_stops_at_a_command_that_is_not_there() -> None:
    with pytest.raises(RuntimeError, match="no-such-command"):
        tour.update("```console\n$ no-such-command\n```\n")


def test_every_command_has_help() -> None:
    for name, command in every_command():
        assert command.help, f"{name} has no help"
        assert command.help.strip()[0].isupper() and len(command.help) > 10, (
            f"{name}: {command.help!r} says nothing"
        )


def test_every_option_has_help() -> None:
    for name, command in every_command():
        for option in reference.options(command):
            assert option.help, f"{name} {option.opts[-1]} has no help"


def test_every_command_of_the_readme_exists() -> None:
    known = {name for name, _ in every_command()}
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    named = set(re.findall(r"(?:^\$ |\.venv/bin/|`)(memgit(?: -C \S+)? [a-z][a-z-]*)", text, re.MULTILINE))
    assert {re.sub(r" -C \S+", "", one) for one in named} - known == set()


def test_the_readme_names_the_command_that_ci_runs() -> None:
    lines = re.findall(
        r"^```sh\n(.*?)^```$", (ROOT / "README.md").read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
    )
    assert any(line.strip() in (ROOT / ".ci" / "run").read_text(encoding="utf-8") for line in lines)


PAGES = (
    "README.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
    *(f"docs/{path.name}" for path in sorted((ROOT / "docs").glob("*.md"))),
)


@pytest.mark.parametrize("page", PAGES)
def test_every_file_that_a_page_names_exists(page: str) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    links = {
        ((ROOT / page).parent / target).resolve()
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", text)
    }
    named = {
        ROOT / path for path in re.findall(r"`((?:memgit|tests|docs|benchmarks|\.ci)/[\w./-]+)`", text)
    } - {ROOT / "memgit/lint"}
    assert sorted(str(path) for path in links | named if not path.exists()) == []


def test_the_map_has_every_folder_in_the_order_of_the_layers() -> None:
    page = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("```\nmemgit/\n")[2]
        .partition("```")[0]
    )
    listed = re.findall(r"^  ([a-z_]+)/", page, re.MULTILINE)
    folders = {
        path.name for path in (ROOT / "memgit").iterdir() if path.is_dir() and path.name != "__pycache__"
    }
    assert set(listed) == folders
    rows = [set(row) for row in ROWS]
    at = [
        next(place for place, row in enumerate(rows) if name in row) for name in listed if name != "templates"
    ]
    assert at == sorted(at)


def test_a_record_walks_through_twelve_files_at_most() -> None:
    page = (
        (ROOT / "CONTRIBUTING.md")
        .read_text(encoding="utf-8")
        .partition("### One record")[2]
        .partition("\nFour ")[0]
    )
    walk = re.findall(r"^\d+\. `(memgit/[\w./]+)`", page, re.MULTILINE)
    assert 8 <= len(walk) <= 12
    assert len(set(walk)) == len(walk)


def test_every_page_that_the_code_names_exists() -> None:
    code = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "memgit").rglob("*.py"))
    assert (
        sorted(
            name for name in set(re.findall(r"\bsee (docs/[\w.-]+\.md)", code)) if not (ROOT / name).exists()
        )
        == []
    )


def keys(page: str, heading: str) -> set[str]:
    """The names in backticks in the first column of the tables under a heading."""
    section = (
        (ROOT / page).read_text(encoding="utf-8").partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    )
    cells = re.findall(r"^\| (`[^|]*`) \|", section, re.MULTILINE)
    return {name for cell in cells for name in re.findall(r"`([^`]+)`", cell)}


def test_the_shapes_of_json_are_described() -> None:
    from memgit.app.read.record_json import record_json
    from memgit.app.write.session import OperationResult
    from memgit.model.operation import Event
    from memgit.model.record import Record

    record = Record("note", "note/a", "a.md", "A", 1, 2, 0, {}, "")
    assert keys("docs/json.md", "A record") == set(record_json(record))
    assert keys("docs/json.md", "The answer of a write") == set(
        OperationResult("record", "created", record, None).as_json()
    )
    assert keys("docs/json.md", "The log") == set(
        Event("0", "2026-11-30T00:00:00Z", "record", "s", "a", ()).as_json()
    )


def test_every_layout_and_kind_of_the_configuration_is_described() -> None:
    from memgit.app import config
    from memgit.model.kinds import KINDS

    page = (ROOT / "docs" / "configuration.md").read_text(encoding="utf-8")
    assert set(config.BASES) <= set(re.findall(r"^\| `([\w-]+)` \|", page, re.MULTILINE))
    assert {name for name in config.FORM_NAMES if f"`{name}`" not in page} == set()
    assert set(KINDS) <= set(re.findall(r"`(\w+)`", (ROOT / "docs" / "json.md").read_text(encoding="utf-8")))


def test_what_is_generated_is_current() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "docs" / "generate.py", "--check"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
