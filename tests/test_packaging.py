"""What is shipped: the wheel holds the package with its marker of types and nothing else, the source archive
what the tests need.
"""

from __future__ import annotations

import importlib.metadata
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import Any

import pytest

import memgit

ROOT = Path(__file__).resolve().parents[1]
SHIPPED = (
    "memgit",
    "tests",
    "docs",
    "benchmarks",
    "hooks",
    "setup.py",
    "pyproject.toml",
    "MANIFEST.in",
    "README.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "LICENSE",
)


def project() -> dict[str, object]:
    table: dict[str, object] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    return table


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """A wheel and a source archive built without a network, from a copy: an old `build/` beside the code
    would get into the wheel.
    """
    need = int(re.findall(r"setuptools>=(\d+)", (ROOT / "pyproject.toml").read_text(encoding="utf-8"))[0])
    try:
        have = int(importlib.metadata.version("setuptools").split(".")[0])
    except importlib.metadata.PackageNotFoundError:
        have = 0
    if have < need:
        pytest.skip(f"needs setuptools {need} or newer in this environment")
    source = tmp_path_factory.mktemp("source")
    for name in SHIPPED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    out = tmp_path_factory.mktemp("dist")
    code = (
        "import sys; from setuptools import build_meta; out = sys.argv[1]; build_meta.build_wheel(out); "
        "build_meta.build_sdist(out)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(out)], cwd=source, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Warning" not in done.stderr, done.stderr
    (wheel,), (sdist,) = out.glob("*.whl"), out.glob("*.tar.gz")
    return wheel, sdist


def test_the_wheel_holds_the_package_alone(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        names = set(wheel.namelist())
    info = f"memgit_kb-{memgit.__version__}.dist-info/"
    code = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "memgit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    code |= {f"memgit/share/hooks/{path.name}" for path in (ROOT / "hooks").iterdir()}
    assert {name for name in names if not name.startswith(info)} == code
    assert "memgit/py.typed" in code
    assert {f"{info}METADATA", f"{info}entry_points.txt", f"{info}licenses/LICENSE"} <= names


def test_the_wheel_says_what_it_is(archives: tuple[Path, Path]) -> None:
    with zipfile.ZipFile(archives[0]) as wheel:
        info = f"memgit_kb-{memgit.__version__}.dist-info/"
        metadata = wheel.read(f"{info}METADATA").decode()
        assert (
            wheel.read(f"{info}entry_points.txt").decode()
            == "[console_scripts]\nmemgit = memgit.__main__:main\n"
        )
    assert f"Version: {memgit.__version__}\n" in metadata
    assert "License-Expression: MIT\n" in metadata
    assert "Requires-Python: >=3.11\n" in metadata
    assert "Description-Content-Type: text/markdown\n" in metadata


def test_the_source_archive_can_run_its_own_tests(archives: tuple[Path, Path]) -> None:
    with tarfile.open(archives[1]) as sdist:
        names = {name.partition("/")[2] for name in sdist.getnames()}
    assert {
        "pyproject.toml",
        "README.md",
        "LICENSE",
        "CHANGELOG.md",
        "memgit/py.typed",
        "tests/conftest.py",
        "docs/generate.py",
    } <= names
    assert not [name for name in names if name.endswith(".pyc") or name.startswith((".", "build/"))]


def test_the_installed_command_runs(archives: tuple[Path, Path], tmp_path: Path) -> None:
    """The wheel in an environment of its own that sees the libraries of this one; console script and `python
    -m` answer alike.
    """
    venv.create(tmp_path / "env", symlinks=True, with_pip=False)
    python = tmp_path / "env" / "bin" / "python"
    site = next((tmp_path / "env" / "lib").glob("python*/site-packages"))
    libraries = sysconfig.get_path("purelib")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "--python",
            str(python),
            "install",
            "--quiet",
            "--no-index",
            "--no-deps",
            str(archives[0]),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    env = {**os.environ, "PYTHONPATH": libraries}
    for command in ([str(tmp_path / "env" / "bin" / "memgit")], [str(python), "-m", "memgit"]):
        out = subprocess.run(
            [*command, "--version"], cwd=tmp_path, env=env, capture_output=True, text=True, check=False
        )
        assert (out.returncode, out.stdout, out.stderr) == (0, f"memgit {memgit.__version__}\n", "")
    assert (site / "memgit" / "py.typed").is_file()
    subprocess.run(["git", "init", "-q", "kb"], cwd=tmp_path, check=True)
    installed = [str(python), "-m", "memgit", "-C", "kb", "hooks", "install"]
    subprocess.run(installed, cwd=tmp_path, env=env, check=True, capture_output=True)
    for shim in (ROOT / "hooks").iterdir():
        text = (tmp_path / "kb" / ".git" / "hooks" / shim.name).read_text(encoding="utf-8")
        assert text == shim.read_text(encoding="utf-8").replace("@python@", str(python))


def test_the_version_is_written_once() -> None:
    assert project()["dynamic"] == ["version"]
    assert re.fullmatch(r"\d+\.\d+\.\d+(?:\.dev\d+)?", memgit.__version__)
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## \[{re.escape(memgit.__version__)}\] ", changes, re.MULTILINE), (
        "CHANGELOG.md has no section for this version"
    )


def test_the_libraries_that_are_imported_are_those_that_are_declared() -> None:
    from tests.test_layers import LIBRARIES

    names = {"ruamel": "ruamel.yaml", "git": "gitpython", "yaml": "pyyaml", "mcp_types": "mcp-types"}
    table: Any = project()
    extras = [
        lines for name, lines in table["optional-dependencies"].items() if name not in ("dev", "browser")
    ]
    asked = [*table["dependencies"], *(line for lines in extras for line in lines)]
    declared = {re.split(r"[<>=!~ \[;]", line)[0].lower() for line in asked}
    source = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "memgit").rglob("*.py"))
    found = r"^\s*(?:(?:import|from) {0}\b|with c_module\.alone\(\s*\"{0}\")"
    used = {
        name
        for name in LIBRARIES
        if name not in sys.stdlib_module_names and re.search(found.format(name), source, re.M)
    }
    assert {names.get(name, name) for name in used} == declared - {"lxml-html-clean", "wordllama"}
