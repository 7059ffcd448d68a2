"""Dividing a loop into tiles of one width, with the four tails that vector code has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor
from usl_core.errors import UsageError
from usl_core.inspect import prove
from usl_core.scheduling import divide_loop, shift_loop
from usl_stdlib.expressions import fresh, loop_at, require, starts_at_zero, text
from usl_stdlib.reporting import explained

TAILS = ("perfect", "cut", "guard", "masked")
"""What becomes of the last, partial tile. `vectorize` describes them."""


@dataclass(frozen=True, slots=True)
class Divided:
    """The loop over tiles, each of which is its whole body, and the loop over what is left; masked says that this is one tile
    with guards."""

    loop: ForCursor
    tail: ForCursor | None
    masked: bool

    def forward(self, p: Procedure) -> Divided:
        """The same loops in a later version."""
        return Divided(p.forward(self.loop), None if self.tail is None else p.forward(self.tail), self.masked)


def divide(p: Procedure, loop: Any, factor: int, tail: str, tails: Sequence[str] = TAILS) -> tuple[Procedure, Divided]:
    """Divide a loop into tiles; a tail of its own is a loop over single iterations ("cut") or one guarded tile ("masked").

    A loop that does not start at 0 is renumbered first. Where factor is known to divide the number of iterations,
    nothing is left. tails are those that the caller can handle.

    Raises:
        UsageError: an unknown tail. SchedulingError: factor is below 1; what `divide_loop` raises.
    """
    require(factor >= 1, f"factor must be at least 1, not {factor}")
    if tail not in tails:
        raise UsageError(f"tail is one of {', '.join(map(repr, tails))}, got {tail!r}")
    name = loop.name()
    if not starts_at_zero(loop):
        p = shift_loop(p, loop, 0)
    names = [fresh(p, f"{name}o"), fresh(p, f"{name}i")]
    if tail != "perfect" and _is_multiple(p.forward(loop), factor):
        tail = "perfect"
    if tail in ("perfect", "guard"):
        p = divide_loop(p, loop, factor, names, tail=tail)
        return p, Divided(p.forward(loop), None, False)
    p = divide_loop(p, loop, factor, names, tail="cut")
    rest = p.forward(loop).next()
    if tail == "masked":
        p = divide_loop(p, rest, factor, [fresh(p, f"{name}t"), names[1]], tail="guard")
        rest = p.forward(rest)
    return p, Divided(p.forward(loop), rest, tail == "masked")


def _is_multiple(loop: ForCursor, factor: int) -> bool:
    """Whether factor divides the number of iterations of a loop from 0 on, as far as is known where it stands."""
    return prove(loop, f"({text(loop.hi())}) % {factor} == 0") is True


@explained
def divide_loop_recursive(p: Procedure, loop: Any, factor: int, tail: str = "cut") -> Procedure:
    """Divide a loop into tiles of factor iterations, what is left into tiles of half as many, and so on.

                                       for io in seq(0, n / 4):
        for i in seq(0, n):                for ii in seq(0, 4): ...
            s                 ~>       for io in seq(0, n % 4 / 2):
                                           for ii in seq(0, 2): ...
                                       for ii in seq(0, n % 4 % 2): ...

    is `divide_loop_recursive(p, "i", 4)`. tail says what becomes of what is left below the smallest tiles, which have 2 or 3
    iterations: "cut" (single iterations), "guard", "masked", or "perfect" (there is nothing left).

    Forwarding: the loop goes to the first of the loops over tiles; the others follow it.

    Raises:
        SchedulingError: the factor is below 2; what `divide_loop` raises.
    """
    rest: ForCursor | None = loop_at(p, loop)
    require(factor >= 2, f"the factor must be at least 2, got {factor}")
    if tail not in TAILS:
        raise UsageError(f"tail is one of {', '.join(map(repr, TAILS))}, got {tail!r}")
    while factor >= 2 and rest is not None:  # tiles that fill the loop leave none
        p, divided = divide(p, rest, factor, "cut" if factor >= 4 else tail)
        rest, factor = divided.tail, factor // 2
    return p
