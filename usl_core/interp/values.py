"""Poison, and what the interpreter raises.

A data value is an int (integer types), an int or Fraction or what `exponentials` makes of them (R and floating types in exact
mode), a float (floating types in machine mode), or POISON.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, Final

from usl_core.errors import InterpError


class PoisonBranch(InterpError):
    """Control depends on uninitialised data: an `if` on poison, an `idx` of poison, an unset configuration field as an index.

    Such a run yields nothing, so whatever a rewritten procedure does there refines it.
    """

    code = "E901"


class ValueTooLarge(InterpError):
    """An exact number has outgrown the limit that the caller of `run` has set. Repeated squaring doubles it each time."""

    code = "E902"


class Fault(Exception):
    """Raised below `run`, which turns it into an InterpError with the place and the values of the iterators."""


class PoisonFault(Fault):
    """A Fault that becomes a PoisonBranch."""


class SizeFault(Fault):
    """A Fault that becomes a ValueTooLarge."""


class Poison:
    """The value of uninitialised data: arithmetic gives poison again, a decision on it is a PoisonFault.

    Operators are defined so that evaluated code needs no test per operation. `==` stays identity; evaluated code
    compares data with `equal`.
    """

    __slots__ = ()

    def _poison(self, *_: object) -> Poison:
        return self

    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = __rtruediv__ = _poison
    __floordiv__ = __rfloordiv__ = __mod__ = __rmod__ = _poison
    __and__ = __rand__ = __or__ = __ror__ = __xor__ = __rxor__ = _poison
    __neg__ = __abs__ = _poison
    __lt__ = __le__ = __gt__ = __ge__ = _poison

    def __bool__(self) -> bool:
        raise PoisonFault("control depends on uninitialised data")

    def __index__(self) -> int:
        raise PoisonFault("uninitialised data is used as an index")

    def __repr__(self) -> str:
        return "POISON"

    def __copy__(self) -> Poison:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Poison:
        return self

    def __reduce__(self) -> str:
        return "POISON"


POISON: Final = Poison()
"""The only instance; test with `is`."""

Value = int | Fraction | float | Poison
