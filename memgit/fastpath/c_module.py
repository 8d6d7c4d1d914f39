"""A package's C module without the Python around it, which may take ten times as long to import.

Processor time on Python 3.11: pygit2 12 ms instead of 70, PyYAML 2 ms instead of 13.
"""

from __future__ import annotations

import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.util import find_spec, module_from_spec

from memgit import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from types import ModuleType
    from typing import Any


@contextmanager
def alone(
    package: str,
    module: str,
    real: Sequence[str],
    stubs: Callable[[ModuleType], Mapping[str, Mapping[str, Any]]],
) -> Iterator[Any]:
    """The C module of a package; the package's own code runs when something else of it is first asked for.

    The stubs are there for as long as the context is open.

    Args:
        real: submodules that the C module needs as they are; their names are those of the package as well.
        stubs: given the package, the contents of the submodules that only have to be there meanwhile.

    Raises:
        ImportError: the package is not installed, or its C module does not load in this way.
    """
    if package in sys.modules:
        yield import_module(f"{package}.{module}")
        return
    spec = find_spec(package)
    if spec is None or spec.loader is None:
        raise ImportError(package)
    loader, top = spec.loader, module_from_spec(spec)
    sys.modules[package] = top
    made: list[str] = []
    try:
        for name in real:
            found = vars(import_module(f"{package}.{name}"))
            top.__dict__.update((key, value) for key, value in found.items() if not key.startswith("_"))
        for name, content in stubs(top).items():
            stub = type(sys)(f"{package}.{name}")
            stub.__dict__.update(content)
            setattr(top, name, stub)
            sys.modules[stub.__name__] = stub
            made.append(name)
        yield import_module(f"{package}.{module}")
    except BaseException:
        del sys.modules[package]
        raise
    finally:
        for name in made:
            del sys.modules[f"{package}.{name}"]
            delattr(top, name)

    def complete(name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        del top.__getattr__
        loader.exec_module(top)
        return getattr(top, name)

    top.__getattr__ = complete  # type: ignore[method-assign]
