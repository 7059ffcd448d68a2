"""Running the text of a program that another program has written."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

from usl_core import Procedure
from usl_perceus.decorators import Foreign, Function
from usl_perceus.errors import PerceusError
from usl_perceus.front.definitions import DataDef, ExceptionDef, ForeignDef, FunDef, PrimDef
from usl_perceus.front.kernels import NotEmpty
from usl_perceus.front.module import parse_program
from usl_perceus.front.types import ARRAY, FLOATS, INTEGERS, App


def program(text: str, names: Mapping[str, Any] | None = None, *, file: str = "<program>") -> dict[str, Any]:
    """What a text of decorated classes and functions defines, by name, as the decorators would have made it.

    Python does not run the text. names: what it may use besides its own definitions: `@proc`s to call, constants, data types,
    exceptions and functions of other programs. Messages call the text `file` and show its lines.

        made = program("@fun\\ndef twice(n: i64, x: array[f32]) -> array[f32]:\\n    return scale(n, 2.0, x)", {"scale": scale})
        made["twice"](4, x)

    Raises:
        PerceusError: the text is not in the language; what its types do not allow is found when a function is first used.
    """
    for name in names or {}:
        if not name.isidentifier():
            raise PerceusError(f"{name!r} cannot be the name of anything", code="E711")
    return {name: _as_decorated(made) for name, made in parse_program(text, file, names).items()}


def not_empty(kernel: Procedure) -> NotEmpty:
    """The `@proc` for a program that asks itself for sizes 0 before it calls it: a size 0 raises ValueError.

    Else the program has a form of the kernel for each combination of sizes that are 0, which takes time to compile.
    """
    return NotEmpty(kernel)


@cache
def not_written(element: str) -> PrimDef:
    """A function of a number n >= 0 for the names of a program: an array of n numbers of a type that are yet to be written.

    `array(n, 0)` is that by itself where a kernel gets it that is seen to write all of it. Here the program that wrote the text
    knows that nothing reads what is not written.

    Raises:
        PerceusError: there are no such numbers.
    """
    if element not in INTEGERS and element not in FLOATS:
        raise PerceusError(f"{element!r} is no type of numbers", code="E712")
    return PrimDef(f"not_written_{element}", "array_blank", (App("i64"),), App(ARRAY, (App(element),)))


def _as_decorated(made: Any) -> Any:
    match made:
        case FunDef():
            return Function(made)
        case ForeignDef():
            return Foreign(made)
        case DataDef(python=python):
            return python
        case ExceptionDef(python=python):
            python.__usl_definition__ = made  # type: ignore[attr-defined]
            return python
        case _:
            return made
