"""Errors of library functions: what was asked for, before what the operator inside says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from usl_core.errors import SchedulingError

P = ParamSpec("P")
R = TypeVar("R")


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """A library function whose refusals begin with its name: `interleave: fission: what follows the gap ...`.

    Place, notes and code stay those of the operator. `Undecided` is no refusal and passes.
    """
    name = function.__name__

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        try:
            return function(*args, **kwargs)
        except SchedulingError as error:
            if error.message.startswith(f"{name}: "):
                raise
            message = f"{name}: {error.message}"
            raise SchedulingError(message, span=error.span, notes=error.notes, code=error.code) from error

    return call
