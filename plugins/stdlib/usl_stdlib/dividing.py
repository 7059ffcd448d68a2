"""Dividing a loop into tiles of one width, with the four tails that vector code has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import ForCursor, LiteralCursor
from usl_core.errors import UsageError
from usl_core.scheduling import divide_loop, shift_loop
from usl_stdlib.expressions import fresh

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

    A loop that does not start at 0 is renumbered first. tails are those that the caller can handle.

    Raises:
        UsageError: an unknown tail. SchedulingError: what `divide_loop` raises.
    """
    if tail not in tails:
        raise UsageError(f"tail is one of {', '.join(map(repr, tails))}, got {tail!r}")
    lo, name = loop.lo(), loop.name()
    if not (isinstance(lo, LiteralCursor) and lo.value() == 0):
        p = shift_loop(p, loop, 0)
    names = [fresh(p, f"{name}o"), fresh(p, f"{name}i")]
    if tail in ("perfect", "guard"):
        p = divide_loop(p, loop, factor, names, tail=tail)
        return p, Divided(p.forward(loop), None, False)
    p = divide_loop(p, loop, factor, names, tail="cut")
    rest = p.forward(loop).next()
    if tail == "masked":
        p = divide_loop(p, rest, factor, [fresh(p, f"{name}t"), names[1]], tail="guard")
        rest = p.forward(rest)
    return p, Divided(p.forward(loop), rest, tail == "masked")
