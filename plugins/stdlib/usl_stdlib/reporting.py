"""What library functions say: errors, with what was asked for before what the operator inside says; records of places."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, cast

from usl_core.arguments import Parameters, plain_all
from usl_core.cursors import Cursor
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


class Places:
    """A record with cursors. It prints a line for each: a cursor by itself prints as the whole procedure."""

    __slots__ = ()

    def __repr__(self) -> str:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]  # what derives from this is a dataclass
        lines = [f"    {field.name}={_brief(getattr(self, field.name))}," for field in fields]
        return "\n".join([f"{type(self).__name__}(", *lines, ")"])


def _brief(value: object) -> str:
    match value:
        case Cursor():
            return repr(value).splitlines()[0].removesuffix(">") + ">"
        case tuple():
            shown = "".join(f"\n        {_brief(each)}," for each in value)
            return f"({shown}\n    )" if shown else "()"
        case Places():
            return repr(value).replace("\n", "\n    ")
        case _:
            return repr(value)
