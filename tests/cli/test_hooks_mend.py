"""After the command that a hook names, the same commit passes: in every layout, for every name, whatever else
lies in the working tree.
"""

from __future__ import annotations

import shlex
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_hooks import Done, fact, git, mends, on_path, rest_of
from tests.support import memgit, run_git, status

__all__ = ["on_path"]  # a fixture that every test here uses

INDEX = "knowledge-base/_index.json"
NAMES = ["plain", "two words", "it's", 'a "quote"', "tab\there", "café \U0001f600", "-dash", "[b] *"]
MNEMA = "# Memories\n\n<!-- MNEMA: managed section -->\n<!-- /MNEMA -->\n"
VAULT = (
    '{\n  "version": "1.0.0",\n  "generated_at": null,\n  "entry_count": 0,\n  "total_tokens": 0,\n  '
    '"entries": []\n}\n'
)
PAGE = "# Index\n\n## Recent Memories\n\n(none)\n\n## Statistics\n\n- Total memories: 0\n"
DOCUMENT = "---\nid: {id}\ntitle: {title}\ncreated: 2026-11-02\n---\n\n# {title}\n\nText.\n"
DECISION = DOCUMENT.replace("created", "status: accepted\ncreated")
ENTRY = "## {title}\n**Date:** 2026-11-02\n**Best Practice:**\n- Text\n**Keywords:** a, b\n"


def paste(folder: Path, done: Done) -> list[str]:
    """Runs the commands that a refusal names, as a person would."""
    assert done.code == 1, done
    commands = mends(done)
    for command in commands:
        subprocess.run(["bash", "-c", command], cwd=folder, check=True, capture_output=True)
    return commands


def layout(repo: Path, name: str) -> Path:
    memgit(repo, "init", ".", "--layout", name)
    starts = {
        "mnema": {".mnema/memory/INDEX.md": MNEMA, ".mnema/memory/decisions/INDEX.md": MNEMA},
        "vault": {".memory/memory-index.json": VAULT, ".memory/20-Indices/index.md": PAGE},
    }
    for path, text in starts.get(name, {}).items():
        (repo / path).parent.mkdir(parents=True, exist_ok=True)
        (repo / path).write_text(text)
    memgit(repo, "rebuild", code=None)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qnm", "start", "--allow-empty")
    return repo


@pytest.mark.parametrize(
    ("kind", "folder", "text", "quote"),
    [
        ("memgit", "memory", DOCUMENT, "true"),
        ("memgit", "knowledge-base", ENTRY, "false"),
        ("mem-skill", "knowledge-base", ENTRY, "true"),
        ("mem-skill", "experience", ENTRY, "false"),
        ("vault", ".memory/10-Memories", DOCUMENT, "true"),
        ("mnema", ".mnema/memory", DOCUMENT, "true"),
        ("mnema", ".mnema/memory/decisions", DECISION, "false"),
    ],
)
def test_in_every_layout_with_every_name(repo: Path, kind: str, folder: str, text: str, quote: str) -> None:
    layout(repo, kind)
    run_git(repo, "config", "core.quotePath", quote)
    for number, name in enumerate(NAMES):
        path = repo / folder / f"{'skill-' if folder == 'experience' else ''}{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(
            text.format(title=f"Odd {number}", id=f"MEM-{number}" if kind == "vault" else f"odd-{number}")
        )
    run_git(repo, "add", "-A")
    done = git(repo, "commit", "-m", "x")
    commands = paste(repo, done)
    assert [command.partition(" && ")[0] for command in commands] == ["memgit rebuild"], done.err
    done = git(repo, "commit", "-m", "x")
    assert done.code == 0, done.err
    assert status(repo) == "", "nothing that was written is left out"
    assert memgit(repo, "rebuild", "--check").code == 0
    path.unlink()
    done = git(repo, "commit", "-am", "gone")
    if done.code:  # a category stays listed, so its index may be right
        paste(repo, done)
        done = git(repo, "commit", "-am", "gone")
    assert (done.code, status(repo)) == (0, ""), done.err


@pytest.mark.parametrize("name", ["-dash", "tab\there", "[b] *"])
def test_the_path_of_a_root_with_every_name(repo: Path, name: str) -> None:
    memgit(repo, "init", f"./{name}")
    fact(repo / name)
    run_git(repo, "add", "-A")
    paste(repo, git(repo, "commit", "-qm", "x"))
    assert git(repo, "commit", "-qm", "x").code == 0
    assert status(repo) == ""


@pytest.mark.parametrize("kind", ["memgit", "mem-skill"])
@pytest.mark.parametrize("name", ["two words", "it's"])
def test_the_file_of_a_category_is_named_where_its_index_was_edited(repo: Path, kind: str, name: str) -> None:
    """A name that was set in the index alone is taken over into the file, and both have to be staged."""
    layout(repo, kind)
    path = repo / f"knowledge-base/{name}.md"
    path.write_text("---\nname: Old\nkeywords: [http]\n---\n" + ENTRY.format(title="Retry"))
    rest_of(repo)
    assert git(repo, "commit", "-qm", "x").code == 0
    index = repo / INDEX
    index.write_text(index.read_text().replace('"Old"', '"New name"'))
    run_git(repo, "add", "-A")
    done = git(repo, "commit", "-qm", "a name")
    (command,) = paste(repo, done)
    assert shlex.quote(f"knowledge-base/{path.name}") in command
    done = git(repo, "commit", "-qm", "a name")
    assert (done.code, status(repo)) == (0, ""), done.err
    assert "New name" in path.read_text() and "New name" in index.read_text()


def test_edits_that_are_not_staged_are_not_derived_from(kb: Path) -> None:
    """As after `git add -p`: deriving from the working tree would name what the commit does not hold, again
    and again.
    """
    fact(kb, "one", "One")
    rest_of(kb)
    assert git(kb, "commit", "-qm", "one").code == 0
    path = fact(kb, "one", "One as staged")
    run_git(kb, "add", "memory/one.md")
    path.write_text(path.read_text().replace("One as staged", "One on disk"))
    fact(kb, "new", "Not staged at all")
    assert paste(kb, git(kb, "commit", "-qm", "half")) == ["memgit resolve"]
    assert git(kb, "commit", "-qm", "half").code == 0
    assert "One as staged" in run_git(kb, "show", "HEAD:memory/INDEX.md")
    assert "Not staged" not in run_git(kb, "show", "HEAD:memory/INDEX.md")
    assert "One on disk" in path.read_text()
    assert status(kb).splitlines() == [" M memory/one.md", "?? memory/new.md"]


@pytest.mark.parametrize("beside", [False, True])
def test_commit_a(kb: Path, beside: bool) -> None:
    path = fact(kb, "one", "One")
    rest_of(kb)
    assert git(kb, "commit", "-qm", "one").code == 0
    path.write_text(path.read_text().replace("One", "Another"))
    if beside:
        fact(kb, "new", "Not known to git")
    wanted = "git add -u && memgit resolve" if beside else "memgit rebuild && git add memory/INDEX.md"
    assert paste(kb, git(kb, "commit", "-qam", "two")) == [wanted]
    assert git(kb, "commit", "-qam", "two").code == 0
    assert status(kb) == ("?? memory/new.md" if beside else "")


def test_commit_include(kb: Path) -> None:
    for name in ("one", "two"):
        fact(kb, name, name.title())
    rest_of(kb)
    assert git(kb, "commit", "-qm", "both").code == 0
    for name in ("one", "two"):
        fact(kb, name, f"{name} again")
    assert paste(kb, git(kb, "commit", "-qm", "x", "-i", "memory/one.md")) == [
        "git add memory/one.md && memgit resolve"
    ]
    assert git(kb, "commit", "-qm", "x").code == 0
    assert status(kb) == " M memory/two.md"


@pytest.mark.parametrize("beside", [False, True])
def test_commit_of_named_files(kb: Path, beside: bool) -> None:
    for name in ("one", "two"):
        fact(kb, name, name.title())
    rest_of(kb)
    assert git(kb, "commit", "-qm", "both").code == 0
    fact(kb, "one", "One again")
    if beside:
        fact(kb, "two", "Two again")
    done = git(kb, "commit", "-qm", "x", "--", "memory/one.md")
    commands = paste(kb, done)
    if beside:
        assert commands == ["git add memory/one.md && memgit resolve"]
        assert "then git commit without naming files" in done.err
        assert git(kb, "commit", "-qm", "x").code == 0
        assert status(kb) == " M memory/two.md"
    else:
        assert commands == ["memgit rebuild && git add memory/INDEX.md"]
        assert "and name them in git commit as well" in done.err
        assert git(kb, "commit", "-qm", "x", "--", "memory/one.md", "memory/INDEX.md").code == 0
        assert status(kb) == ""


def test_an_index_of_ones_own(kb: Path, tmp_path: Path) -> None:
    """GIT_INDEX_FILE, as tools set it that commit beside the user."""
    own = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    assert git(kb, "read-tree", "HEAD", env=own).code == 0
    fact(kb)
    assert git(kb, "add", "memory", env=own).code == 0
    done = git(kb, "commit", "-qm", "x", env=own)
    (command,) = mends(done)
    subprocess.run(
        ["env", f"GIT_INDEX_FILE={own['GIT_INDEX_FILE']}", "bash", "-c", command],
        cwd=kb,
        check=True,
        capture_output=True,
    )
    assert git(kb, "commit", "-qm", "x", env=own).code == 0
    assert run_git(kb, "ls-tree", "-r", "--name-only", "HEAD", "memory").split() == [
        "memory/INDEX.md",
        "memory/fact.md",
    ]


def test_an_index_that_git_ignores(kb: Path) -> None:
    """`git add` refuses it, and with it everything else on the line."""
    (kb / ".gitignore").write_text("memory/INDEX.md\n")
    fact(kb)
    run_git(kb, "add", ".gitignore", "memory/fact.md")
    assert paste(kb, git(kb, "commit", "-qm", "x")) == ["memgit resolve"]
    assert git(kb, "commit", "-qm", "x").code == 0


def test_a_root_in_a_folder_with_an_odd_name(repo: Path) -> None:
    memgit(repo, "init", "it's - kb")
    folder = repo / "it's - kb"
    fact(folder)
    run_git(repo, "add", "-A")
    assert paste(folder / "memory", git(folder / "memory", "commit", "-qm", "x")) == [
        "memgit -C .. rebuild && git add ../INDEX.md INDEX.md"
    ]
    assert git(folder / "memory", "commit", "-qm", "x").code == 0
    fact(folder, "two", "Two")
    run_git(repo, "add", "-A")
    fact(folder, "three", "Three")
    assert paste(repo, git(repo, "commit", "-qm", "x")) == ["""memgit -C 'it'"'"'s - kb' resolve"""]
    assert git(repo, "commit", "-qm", "x").code == 0


def test_a_line_that_is_wrong_in_a_derived_file_alone_is_derived_anew(kb: Path) -> None:
    """A link to nothing in an index is not to be edited by hand."""
    fact(kb)
    rest_of(kb)
    (kb / "memory/INDEX.md").write_text((kb / "memory/INDEX.md").read_text().replace("fact.md", "nowhere.md"))
    run_git(kb, "add", "-A")
    done = git(kb, "commit", "-qm", "x")
    assert "MG205" in done.err
    assert paste(kb, done) == ["memgit rebuild && git add memory/INDEX.md"]
    assert git(kb, "commit", "-qm", "x").code == 0


@pytest.mark.parametrize("rule", ["MG102", "MG103", "MG202"])
def test_rules_that_fix_other_files_name_these(repo: Path, rule: str) -> None:
    """What mends is not where the fault was found: the index of a folder, the record that is linked to."""
    layout(repo, "memgit")
    config = repo / ".memgit.yaml"
    config.write_text(config.read_text() + f"lint:\n  severity: {{{rule}: error}}\n")
    for name in ("a", "b"):
        memgit(repo, "record", "knowledge", f"Entry {name}", "-m", "Text.", "--category", name)
    run_git(repo, "add", "-A")
    run_git(repo, "commit", "-qnm", "configuration")
    if rule == "MG102":
        (repo / "knowledge-base/b.md").unlink()
    elif rule == "MG103":
        (repo / "knowledge-base/new.md").write_text(ENTRY.format(title="New"))
    else:
        (repo / "knowledge-base/new.md").write_text(
            ENTRY.format(title="New") + "**Related:** [[b#Entry b]]\n"
        )
    run_git(repo, "add", "-A")
    done = git(repo, "commit", "-qm", "x")
    assert f"error {rule}" in done.err, done.err
    commands = paste(repo, done)
    assert commands[0].startswith("memgit lint --staged --fix && git add ")
    done = git(repo, "commit", "-qm", "x")
    assert (done.code, status(repo)) == (0, ""), done.err
    assert memgit(repo, "rebuild", "--check").code == 0


@pytest.mark.parametrize(("option", "many"), [("-i", False), ("--", True)])
def test_what_the_commit_does_not_name_is_not_staged_with_it(kb: Path, option: str, many: bool) -> None:
    """-i looks to a hook as -a does; a long list was once told as `git add -u`, which stages every edit."""
    names = [f"named{number}" for number in range(25 if many else 1)]
    (kb / "code.txt").write_text("as committed\n")
    fact(kb, "held", "Held")
    rest_of(kb)
    assert git(kb, "commit", "-qm", "start").code == 0
    (kb / "code.txt").write_text("not for this commit\n")
    fact(kb, "loose", "Not known to git")
    held = fact(kb, "held", "Held as staged")
    if option == "-i":
        run_git(kb, "add", "memory/held.md")
    held.write_text(held.read_text().replace("as staged", "as edited since"))
    paths = [f"memory/{name}.md" for name in names]
    for name in names:
        fact(kb, name)
        run_git(kb, "add", f"memory/{name}.md")
    before = held.read_bytes()
    paste(kb, git(kb, "commit", "-qm", "x", option, *paths))
    assert git(kb, "commit", "-qm", "x").code == 0
    assert run_git(kb, "show", "HEAD:code.txt") == "as committed"
    assert "since" not in run_git(kb, "show", "HEAD:memory/held.md") and held.read_bytes() == before
    assert (kb / "code.txt").read_text() == "not for this commit\n"
    assert status(kb).splitlines() == [" M code.txt", " M memory/held.md", "?? memory/loose.md"]


def test_commit_a_with_an_index_of_ones_own(kb: Path, tmp_path: Path) -> None:
    own = {"GIT_INDEX_FILE": str(tmp_path / "index")}
    fact(kb)
    rest_of(kb)
    assert git(kb, "commit", "-qm", "start").code == 0
    assert git(kb, "read-tree", "HEAD", env=own).code == 0
    fact(kb, "fact", "Another title")
    fact(kb, "loose")
    (command,) = mends(git(kb, "commit", "-qam", "x", env=own))
    subprocess.run(
        ["env", f"GIT_INDEX_FILE={own['GIT_INDEX_FILE']}", "bash", "-c", command],
        cwd=kb,
        check=True,
        capture_output=True,
    )
    assert git(kb, "commit", "-qam", "x", env=own).code == 0
    assert "Another title" in run_git(kb, "show", "HEAD:memory/INDEX.md")


@pytest.mark.parametrize(
    "edit", ["version: 1\nlayout: memgit\nindexes: local\n", "version: [\n", "version: 1\nlayout: notes\n"]
)
def test_an_edit_of_the_configuration_that_is_not_staged(kb: Path, edit: str) -> None:
    """`memgit resolve` derives by the configuration of the commit to be, as the hook asks for."""
    fact(kb)
    run_git(kb, "add", "memory")
    (kb / ".memgit.yaml").write_text(edit)
    assert paste(kb, git(kb, "commit", "-qm", "x")) == ["memgit resolve"]
    assert git(kb, "commit", "-qm", "x").code == 0
    assert (kb / ".memgit.yaml").read_text() == edit
    assert "memory/INDEX.md" in run_git(kb, "ls-tree", "-r", "--name-only", "HEAD")


def test_what_is_fixed_beside_an_edit_that_is_not_staged_is_taken_in_parts(kb: Path) -> None:
    (kb / ".memgit.yaml").write_text(
        (kb / ".memgit.yaml").read_text() + "lint:\n  severity: {MG202: error}\n"
    )
    for name in ("one", "two"):
        # git shows near edits as one
        fact(kb, name, body="\n\n".join(f"Paragraph {number}." for number in range(9)))
    rest_of(kb)
    assert git(kb, "commit", "-qm", "start").code == 0
    one, two = (kb / "memory" / f"{name}.md" for name in ("one", "two"))
    two.write_text(two.read_text().replace("---\n\n", "related:\n  - memory/one\n---\n\n"))
    run_git(kb, "add", "memory/two.md")
    one.write_text(one.read_text() + "\nNot staged.\n")
    done = git(kb, "commit", "-qm", "x")
    (command,) = mends(done)
    assert (command, "take only what was fixed" in done.err) == (
        "memgit lint --staged --fix && git add -p memory/one.md",
        True,
    )
    subprocess.run(["bash", "-c", command], cwd=kb, input=b"y\nn\n", check=True, capture_output=True)
    assert git(kb, "commit", "-qm", "x").code == 0
    assert status(kb) == " M memory/one.md"
    assert "related" in run_git(kb, "show", "HEAD:memory/one.md") and "Not staged" not in run_git(
        kb, "show", "HEAD:memory/one.md"
    )
