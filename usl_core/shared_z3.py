"""z3, imported when it is first needed, and used by one thread at a time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache, wraps
from traceback import clear_frames
from typing import Any, ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")

_used = threading.RLock()


@cache
def z3_module() -> Any:
    """z3, imported when it is first needed."""
    import z3

    return z3


def alone_in_z3(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator: a function whose objects of z3 are all gone when it returns or raises. All such objects belong to one context,
    so that no two threads may make, use or drop any at the same time."""

    @wraps(function)
    def alone(*args: P.args, **kwargs: P.kwargs) -> T:
        with _used:
            try:
                return function(*args, **kwargs)
            except BaseException as error:
                clear_frames(error.__traceback__)  # they would keep the objects
                raise

    return alone
