"""The C module of a package without its Python, and the whole package afterwards."""

from __future__ import annotations

import subprocess
import sys

import pytest

ALONE = {
    "yaml": "from memgit.formats import yaml as reader; assert reader.read('a: [b]\\n')['a'].value == ('b',)",
    "pygit2": "from memgit.git.objects import libgit; assert libgit.raw.LIBGIT2_VERSION",
}
HEAVY = {"yaml": ("yaml.reader", "yaml.loader"), "pygit2": ("pygit2.repository", "pygit2.ffi", "cffi")}
WHOLE = {
    "yaml": "import yaml\n"
    "assert yaml.safe_load('a: [1]') == {'a': [1]}\n"
    "try: yaml.load('a: b: c', Loader=yaml.CSafeLoader)\n"
    "except yaml.scanner.ScannerError as error: assert isinstance(error, yaml.YAMLError)\n"
    "assert reader._libyaml()[1] is yaml.YAMLError and yaml.reader.Reader",
    "pygit2": "import pygit2\n"
    "assert pygit2.Repository and pygit2.enums.FileMode.BLOB == 0o100644\n"
    "assert pygit2._pygit2 is libgit._this.raw",
}


def ran(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.mark.parametrize("package", ALONE)
def test_the_python_of_the_package_stays_unloaded(package: str) -> None:
    code = (
        f"{ALONE[package]}; import sys; print([name for name in {HEAVY[package]!r} if name in sys.modules])"
    )
    assert ran(code) == "[]"


@pytest.mark.parametrize("package", ALONE)
def test_the_whole_package_is_there_for_others_afterwards(package: str) -> None:
    ran(f"{ALONE[package]}\n{WHOLE[package]}")


@pytest.mark.parametrize("package", ALONE)
def test_a_package_that_is_loaded_already_is_used(package: str) -> None:
    ran(f"import {package}\n{ALONE[package]}\n{WHOLE[package]}")


def test_a_package_that_is_not_there() -> None:
    code = (
        "from memgit.fastpath import c_module; import sys\n"
        "try:\n    with c_module.alone('no_such_package', 'x', (), dict): pass\n"
        "except ImportError: print('no_such_package' in sys.modules)"
    )
    assert ran(code) == "False"
