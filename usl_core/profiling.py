"""Where time goes: spans at the boundaries of operators, obligations and solver stages, told to whoever listens.

A span has a kind ("operator") and a name in it ("divide_loop"); spans nest as calls do. Without a listener a span costs one
look at a global.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Container, Iterator
from contextlib import contextmanager
from typing import ParamSpec, Protocol, TypeVar

P = ParamSpec("P")
R = TypeVar("R")


class Listener(Protocol):
    """Is told when a span begins and ends; only spans of these kinds."""

    @property
    def kinds(self) -> Container[str]:
        """The kinds of spans that it is told of."""

    def begin(self, kind: str, name: str) -> None:
        """A span begins."""

    def end(self, error: BaseException | None) -> None:
        """The innermost span ends; error is what leaves it, if it fails."""


_listener: Listener | None = None


@contextmanager
def listening(listener: Listener) -> Iterator[None]:
    """Tell listener, and no other, of every span that begins in the body of the `with`."""
    global _listener
    before, _listener = _listener, listener
    try:
        yield
    finally:
        _listener = before


def listen(listener: Listener) -> None:
    """Tell listener of every span from now on, except in a `listening`."""
    global _listener
    _listener = listener


def profiled(kind: str, name: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: each call of the function is a span. name is the function's own if none is given."""

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        label = name or function.__name__

        @functools.wraps(function)
        def inside(*args: P.args, **kwargs: P.kwargs) -> R:
            listener = _listener
            if listener is None or kind not in listener.kinds:
                return function(*args, **kwargs)
            listener.begin(kind, label)
            error: BaseException | None = None
            try:
                return function(*args, **kwargs)
            except BaseException as failure:
                error = failure
                raise
            finally:
                listener.end(error)

        return inside

    return decorate
