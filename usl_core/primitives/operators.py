"""What runs as an operator: a refusal in it has its name, and a place.

The place is that of the code that stands in the way, or else that of the code that the operator was given.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, ParamSpec, TypeVar

from usl_core.cursors.cursor import Cursor, place_of
from usl_core.errors import SchedulingError, Span, Undecided, UslError
from usl_core.procedure import Procedure

P = ParamSpec("P")
R = TypeVar("R")


_running = ContextVar("_running", default="an operator")


def operator_name() -> str:
    """The name of the operator that runs: of the inner one where operators are made of others."""
    return _running.get()


@contextmanager
def running(name: str) -> Iterator[None]:
    """Refusals in the body of the `with` are those of an operator with this name."""
    around = _running.set(name)
    try:
        yield
    finally:
        _running.reset(around)


def as_operator(name: str = "") -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Decorator: refusals are those of an operator with this name, or else with the function's own.

    A refusal that names no place gets that of the first argument that shows code, or else the procedure's.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        label = name or function.__name__

        @functools.wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                with running(label):
                    return function(*args, **kwargs)
            except (SchedulingError, Undecided) as error:
                error.place(lambda: _given([*args, *kwargs.values()]))
                raise

        return call

    return decorate


def _given(values: Sequence[Any]) -> Span | None:
    """The place of what an operator was given: the procedure is the first of it."""
    procedures = [value for value in values if isinstance(value, Procedure)]
    found = [place_of(value) for value in values if isinstance(value, Cursor)]
    found += [_matched(procedures[0], value) for value in values[1:2] if isinstance(value, str)]
    return next((span for span in found if span is not None), procedures[0].ir.span)


def _matched(proc: Procedure, pattern: str) -> Span | None:
    try:
        return place_of(proc.find(pattern))
    except UslError:
        return None
