"""Puts the hook shims into what is built; everything else is in pyproject.toml."""

from __future__ import annotations

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

SHIPPED = ("hooks",)


class WithShared(build_py):
    """Copies folders from the top of the source tree to `memgit/share` of the package."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            for name in SHIPPED:
                target = Path(self.build_lib, "memgit", "share", name)
                shutil.copytree(Path(__file__).parent / name, target, dirs_exist_ok=True)


setup(cmdclass={"build_py": WithShared})
