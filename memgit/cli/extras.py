"""Optional libraries: checked before a command that needs them does anything."""

from __future__ import annotations

from importlib.util import find_spec

from memgit.errors import Refused


def need(*modules: str, extra: str) -> None:
    """Checks that the libraries of an extra are installed.

    Raises:
        Refused: one is missing; the hint names the command that installs it.
    """
    missing = [name for name in modules if find_spec(name) is None]
    if missing:
        raise Refused(f"this command needs {', '.join(missing)}", hint=f"pip install 'memgit-kb[{extra}]'")
