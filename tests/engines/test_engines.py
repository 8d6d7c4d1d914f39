"""Engines: each answers the same question, and where one cannot, the default does and says so."""

from __future__ import annotations

import json
import os
import shutil
import sys
from contextlib import closing
from importlib.util import find_spec
from pathlib import Path

import pytest

from memgit.app.read.engines import ahead
from memgit.app.read.reader import open_searchable
from memgit.app.workspace import open_workspace
from memgit.cache import vectors
from memgit.engines import semantic
from tests.support import memgit, run_git

ENTRIES = (
    ("Retry with growing pauses", "Wait twice as long after each failed request."),
    ("Lock before quoting", "Take the lock, then quote a price."),
    ("Feed the cat", "The kitten eats twice a day."),
)


@pytest.fixture
def store(kb: Path) -> Path:
    for title, text in ENTRIES:
        memgit(kb, "record", "knowledge", title, "--category", "work", "-m", text)
    memgit(kb, "record", "memory", "Aeroplanes", "-m", "The pilot lands the aircraft on the runway.")
    return kb


def titles(folder: Path, *args: str) -> list[str]:
    return [one["title"] for one in memgit(folder, "search", "--json", *args).json["results"]]


def configure(folder: Path, text: str) -> None:
    with (folder / ".memgit.yaml").open("a", encoding="utf-8") as file:
        file.write(text)


def test_an_unknown_engine_is_named(store: Path) -> None:
    answer = memgit(store, "search", "--engine", "none", "lock", code=2)
    assert "there is no engine 'none'" in answer.err
    assert "default, semantic, qmd" in answer.err
    configure(store, "search:\n  motor: qmd\n")
    assert "search.motor: unknown key" in memgit(store, "search", "lock", code=2).err


def test_the_configuration_chooses_and_the_option_overrules_it(store: Path) -> None:
    configure(store, "search:\n  engine: semantic\n")
    answer = memgit(store, "search", "lock", "--json").json
    assert (answer["engine"] == "semantic") == (answer["note"] is None)
    assert memgit(store, "search", "lock", "--engine", "default", "--json").json["engine"] == "default"
    listed = {one["name"]: one["configured"] for one in memgit(store, "engine", "list", "--json").json}
    assert listed == {"default": False, "semantic": True, "qmd": False}


def test_mem_skills_own_file_chooses_too(store: Path, qmd: Path) -> None:
    (store / ".mem-skill.config.json").write_text('{"engine": "qmd", "collections": {"knowledge": "mine"}}')
    answer = memgit(store, "search", "lock", "--json").json
    assert answer["engine"] == "qmd"
    assert ["search", "-c", "mine", "--json", "-n", "10", "--", "lock"] in calls(qmd)


@pytest.mark.skipif(find_spec("wordllama") is None, reason="install memgit-kb[semantic]")
class TestSemantic:
    def test_meaning_finds_what_shares_no_word(self, store: Path) -> None:
        assert titles(store, "airport plane flying") == []
        assert titles(store, "airport plane flying", "--engine", "semantic", "-n", "1") == ["Aeroplanes"]
        assert titles(store, "pets", "--engine", "semantic", "-n", "1") == ["Feed the cat"]

    def test_words_still_count_most(self, store: Path) -> None:
        assert titles(store, "lock price", "--engine", "semantic")[0] == "Lock before quoting"

    def test_filters_hold(self, store: Path) -> None:
        found = titles(store, "airport plane flying", "--engine", "semantic", "--kind", "knowledge")
        assert set(found) == {title for title, _ in ENTRIES}

    def test_a_change_is_seen_at_once(self, store: Path) -> None:
        titles(store, "pets", "--engine", "semantic")
        memgit(store, "update", "Aeroplanes", "-m", "Cheese, milk and bread for breakfast.")
        assert titles(store, "food for lunch", "--engine", "semantic", "-n", "1") == ["Aeroplanes"]
        assert "4 records with vectors" in memgit(store, "engine", "test", "semantic").out

    def test_without_the_package_the_default_answers(
        self, store: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        semantic.table.cache_clear()
        monkeypatch.setitem(sys.modules, "tokenizers", None)
        answer = memgit(store, "search", "lock", "--engine", "semantic")
        assert "the default engine answers" in answer.err
        assert "pip install 'memgit-kb[semantic]'" in answer.err
        assert "Lock before quoting" in answer.out
        assert memgit(store, "engine", "test", "semantic", code=1).out.strip().startswith("semantic")


FAKE = """\
#!{python}
import json, os, sys, time
args = sys.argv[1:]
here = os.path.dirname(os.path.abspath(__file__))
with open(os.path.join(here, "calls"), "a") as file:
    file.write(json.dumps(args) + "\\n")
{body}
"""
ANSWER = """
if args[0] == "search":
    name = args[args.index("-c") + 1]
    print(json.dumps([{"docid": "#1", "score": 0.5, "file": f"qmd://{name}/work.md", "line": LINE}]))
elif args[0] == "--version":
    print("qmd 9.9")
elif args[0] == "collection":
    print("Collections (2):\\n\\nkb-knowledge (qmd://kb-knowledge/)\\nkb-experience (qmd://kb-experience/)")
"""


def install(folder: Path, body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in the place of qmd, which speaks as qmd 2.8 does."""
    program = folder / "qmd"
    program.write_text(FAKE.format(python=sys.executable, body=body))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


def calls(folder: Path) -> list[list[str]]:
    return [json.loads(line) for line in (folder / "calls").read_text().splitlines()]


@pytest.fixture
def qmd(tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "bin"
    folder.mkdir()
    lines = (store / "knowledge-base" / "work.md").read_text(encoding="utf-8").splitlines()
    at = next(number for number, line in enumerate(lines, 1) if "kitten" in line)
    install(folder, ANSWER.replace("LINE", str(at)), monkeypatch)
    return folder


class TestQmd:
    def test_the_record_at_its_line_comes_first_and_the_default_fills_the_rest(
        self, store: Path, qmd: Path
    ) -> None:
        assert titles(store, "lock price", "--engine", "qmd") == ["Feed the cat", "Lock before quoting"]
        assert calls(qmd)[0] == ["update"]
        assert ["search", "-c", "kb-knowledge", "--json", "-n", "10", "--", "lock price"] in calls(qmd)

    def test_scope_and_mode_are_mem_skills(self, store: Path, qmd: Path) -> None:
        configure(store, "search:\n  engine: qmd\n  scope: global\n  mode: query\n")
        memgit(store, "search", "lock")
        asked = [call for call in calls(qmd) if call[0] == "query"]
        assert asked[0] == [
            "query",
            "-c",
            "mem-knowledge",
            "--json",
            "-n",
            "10",
            "--min-score",
            "0.3",
            "--",
            "lock",
        ]

    def test_a_query_is_never_an_option_nor_a_command(self, store: Path, qmd: Path) -> None:
        memgit(store, "search", "--engine", "qmd", "--", "--full; touch x $(id)")
        assert calls(qmd)[1][-2:] == ["--", "--full; touch x $(id)"]

    @pytest.mark.parametrize(
        ("body", "words"),
        [
            ("sys.exit('it is broken')", "qmd update failed: it is broken"),
            ("print('no json')", "did not answer with a list in JSON"),
            ("time.sleep(20)", "qmd update: "),
            (
                "sys.exit('Collection not found: kb-knowledge') if args[0] == 'search' else 0",
                "qmd collection add",
            ),
        ],
    )
    def test_a_failing_or_slow_one_is_stood_in_for(
        self, store: Path, qmd: Path, monkeypatch: pytest.MonkeyPatch, body: str, words: str
    ) -> None:
        seconds = 0.7 if "sleep" in body else 60
        configure(store, f"search:\n  engine: qmd\n  timeout: {seconds}\n")
        install(qmd, body, monkeypatch)
        answer = memgit(store, "search", "lock")
        assert words in answer.err
        assert answer.err.count("\n") == 1
        assert "Lock before quoting" in answer.out

    def test_taken_away_in_the_middle(self, store: Path, qmd: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        configure(store, "search:\n  engine: qmd\n")
        assert memgit(store, "search", "lock", "--json").json["engine"] == "qmd"
        monkeypatch.setenv("PATH", os.path.dirname(shutil.which("git") or ""))
        if shutil.which("qmd"):
            pytest.skip("qmd is where git is")
        answer = memgit(store, "search", "lock", "--json").json
        assert (answer["engine"], answer["results"][0]["title"]) == ("default", "Lock before quoting")
        assert "qmd is not installed" in answer["note"]
        assert "npm install -g @tobilu/qmd" in answer["note"]

    def test_an_old_revision_is_for_the_default(self, store: Path, qmd: Path) -> None:
        answer = memgit(store, "search", "lock", "--engine", "qmd", "--at", "HEAD", "--json").json
        assert answer["engine"] == "default"
        assert "qmd knows the working tree alone" in answer["note"]

    def test_what_it_says_of_itself(self, store: Path, qmd: Path) -> None:
        tested = memgit(store, "engine", "test", "qmd").out
        assert "qmd 9.9, collections kb-knowledge and kb-experience" in tested
        assert " ms a query" in tested

    def test_the_real_one(self, tmp_path: Path, store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        if shutil.which("qmd") is None:
            pytest.skip("qmd is not installed: npm install -g @tobilu/qmd")
        import subprocess

        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
        monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
        for name, folder in (("kb-knowledge", "knowledge-base"), ("kb-experience", "experience")):
            command = ["qmd", "collection", "add", str(store / folder), "--name", name, "--mask", "**/*.md"]
            subprocess.run(command, check=True, capture_output=True)
        answer = memgit(store, "search", "kitten", "--engine", "qmd", "--json").json
        assert (answer["engine"], answer["note"]) == ("qmd", None)
        assert answer["results"][0]["title"] == "Feed the cat"


@pytest.mark.skipif(find_spec("wordllama") is None, reason="install memgit-kb[semantic]")
def test_nothing_of_it_is_committed(store: Path) -> None:
    titles(store, "pets", "--engine", "semantic")
    assert run_git(store, "status", "--porcelain") == ""


def without_vectors(folder: Path) -> int:
    with closing(open_workspace(str(folder), os.environ)) as workspace:
        return len(vectors.missing(open_searchable(workspace).snapshot, 100))


@pytest.mark.skipif(find_spec("wordllama") is None, reason="install memgit-kb[semantic]")
def test_vectors_are_made_beside_other_work_and_never_by_a_write(store: Path) -> None:
    configure(store, "search:\n  engine: semantic\n")
    memgit(store, "record", "memory", "Trains", "-m", "The engine pulls the carriages.")
    assert without_vectors(store) == 5
    memgit(store, "rebuild")
    assert without_vectors(store) == 0
    memgit(store, "record", "memory", "Ships", "-m", "The tug pulls the barge.")
    assert without_vectors(store) == 1
    with closing(open_workspace(str(store), os.environ)) as workspace:
        assert ahead(workspace, 0.0)
        assert not ahead(workspace, 60.0)
    assert without_vectors(store) == 0


def test_other_engines_leave_nothing_to_be_done_ahead(store: Path, qmd: Path) -> None:
    for name in ("default", "qmd", "none"):
        (store / ".memgit.yaml").write_text(f"search: {{engine: {name}}}\n", encoding="utf-8")
        with closing(open_workspace(str(store), os.environ)) as workspace:
            assert not ahead(workspace, 1.0)
