"""Each refusal of an operator has a place: that of the code that stands in the way, or else that of the code it was given."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from usl_core.cursors.cursor import Cursor, place_of
from usl_core.errors import SchedulingError, Span, Undecided, UslError
from usl_core.procedure import Procedure

P = ParamSpec("P")
R = TypeVar("R")


def placed(operator: Callable[P, R]) -> Callable[P, R]:
    """Decorator: a refusal that names no place gets that of the first argument that shows code, or else the procedure's."""

    @functools.wraps(operator)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return operator(*args, **kwargs)
        except (SchedulingError, Undecided) as error:
            error.place(lambda: _given([*args, *kwargs.values()]))
            raise

    return call


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
