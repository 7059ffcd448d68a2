"""Errors of library functions: their arguments, and what was asked for before what the operator inside says."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from usl_core.arguments import Parameters, plain_all
from usl_core.deep import deeply
from usl_core.errors import SchedulingError, UsageError

P = ParamSpec("P")
R = TypeVar("R")


def explained(function: Callable[P, R]) -> Callable[P, R]:
    """A library function whose refusals begin with its name: `interleave: fission: what follows the gap ...`.

    Place, notes and code stay those of the operator. `Undecided` is no refusal and passes. The number and names of arguments
    are checked, and their kinds, as for operators.
    """
    name, parameters = function.__name__, Parameters(function)

    @deeply
    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> R:
        args, kwargs = plain_all(args, kwargs)
        parameters.check(args, kwargs)
        try:
            return function(*args, **kwargs)
        except (SchedulingError, UsageError) as error:
            if error.message.startswith(f"{name}: "):
                raise
            message = f"{name}: {error.message}"
            kind = UsageError if isinstance(error, UsageError) else SchedulingError
            raise kind(message, span=error.span, notes=error.notes, code=error.code) from error

    return cast(Callable[P, R], call)
