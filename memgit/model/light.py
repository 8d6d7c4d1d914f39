"""What memgit uses of `contextlib`, `functools` and `enum`: their import takes longer than most commits take to write.

Whatever a start must not wait for takes these in their place.
"""

from __future__ import annotations

from memgit import TYPE_CHECKING

__all__ = ("Enum", "cache", "closing", "contextmanager", "lru_cache", "suppress")

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import closing, contextmanager, suppress
    from enum import Enum
    from functools import cache, lru_cache
    from typing import Any
else:

    class suppress:  # noqa: N801  # as it is called there
        """Errors of some classes end the block, and nothing else."""

        def __init__(self, *errors: type[BaseException]) -> None:
            self._errors = errors

        def __enter__(self) -> None:
            pass

        def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
            return kind is not None and issubclass(kind, self._errors)

    class closing:  # noqa: N801
        """Closes what it is given at the end of the block."""

        def __init__(self, held: Any) -> None:
            self._held = held

        def __enter__(self) -> Any:
            return self._held

        def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
            self._held.close()

    class _Block:
        """A generator around a block: what comes before its `yield`, and what comes after it."""

        def __init__(self, steps: Iterator[Any]) -> None:
            self._steps = steps

        def __enter__(self) -> Any:
            for value in self._steps:
                return value
            raise RuntimeError("generator didn't yield")

        def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> bool:
            if error is None:
                for _ in self._steps:
                    raise RuntimeError("generator didn't stop")
                return False
            try:
                self._steps.throw(error)
            except StopIteration as ended:
                return ended is not error
            except RuntimeError as raised:
                # A StopIteration that passes through a generator comes out as the cause of a RuntimeError.
                if raised is error or (isinstance(error, StopIteration) and raised.__cause__ is error):
                    error.__traceback__ = trace
                    return False
                raise
            except BaseException as raised:
                if raised is error:
                    error.__traceback__ = trace
                    return False
                raise
            raise RuntimeError("generator didn't stop after throw()")

    def contextmanager(function: Callable[..., Iterator[Any]]) -> Callable[..., _Block]:
        """A function whose generator runs around a block of `with`."""

        def opened(*args: Any, **named: Any) -> _Block:
            return _Block(function(*args, **named))

        opened.__doc__, opened.__name__, opened.__qualname__ = function.__doc__, function.__name__, function.__qualname__
        opened.__module__, opened.__wrapped__ = function.__module__, function
        return opened

    try:
        from _functools import _lru_cache_wrapper
    except ImportError:  # another Python than the one in C
        from functools import cache, lru_cache
    else:

        def lru_cache(maxsize: int | None) -> Callable[..., Any]:
            """Keeps the latest `maxsize` answers of a function, all for None; `cache_clear` forgets them."""

            def kept(function: Callable[..., Any]) -> Any:
                made = _lru_cache_wrapper(function, maxsize, False, lambda *numbers: numbers)
                for name in ("__module__", "__name__", "__qualname__", "__doc__"):
                    if hasattr(function, name):
                        setattr(made, name, getattr(function, name))
                made.__wrapped__ = function
                return made

            return kept

        cache = lru_cache(None)

    class Enum:
        """Its subclasses have one member for each attribute that is neither private nor a function or property."""

        def __init_subclass__(cls) -> None:
            for name, value in list(vars(cls).items()):
                if not name.startswith("_") and not hasattr(value, "__get__"):
                    member = object.__new__(cls)
                    member.name, member.value = name, value
                    setattr(cls, name, member)

        def __repr__(self) -> str:
            return f"<{type(self).__name__}.{self.name}: {self.value!r}>"
