"""Bounds of a func's accesses in one scope of a procedure: per dimension a first place and a number of places.

    box = bounds(p, "blur_x", loop.body())      # str(box) == "blur_x[32 * io:32 * io + 34]"

Nothing has to trust them: an operator that is given one proves what it needs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, Protocol

from usl_core import Procedure
from usl_core.cursors import Cursor
from usl_stdlib import infer_bounds

KINDS = ("read", "write", "reduce")


class Value(Protocol):
    """A control value: its text, the number that it is or None, and the names that it depends on."""

    @property
    def constant(self) -> Any:
        """The number, if it is one."""

    def names(self) -> frozenset[str]:
        """What it depends on."""

    def at(self, **values: int) -> Value:
        """It for given values of names."""

    def __add__(self, other: Any) -> Any: ...


@dataclass(frozen=True, slots=True)
class Box:
    """Places of a buffer: in each dimension, outermost first, `extent` places from `lo`.

    They contain all accesses. Their values are in the names that are visible at the scope: `str` of one is a text that
    operators accept, `constant` the number that it is or None, `names()` what it depends on, `at(n=8)` it for given values. An
    extent may be less than 1 where nothing is accessed. most are numbers that the extents do not exceed, None where there is
    none: 10 for `min(8 * io + 9, n) - max(0, 8 * io - 1)`. exact says that both ends of each dimension are accessed.
    """

    buffer: str
    lo: tuple[Value, ...]
    extent: tuple[Value, ...]
    reached: Callable[[], bool] = field(repr=False, compare=False)
    most: tuple[int | None, ...] = ()

    @property
    def exact(self) -> bool:
        """Whether both ends of each dimension are accessed."""
        return self.reached()

    @property
    def hi(self) -> tuple[Value, ...]:
        """The places behind the last ones."""
        return tuple(lo + extent for lo, extent in zip(self.lo, self.extent, strict=True))

    def __str__(self) -> str:
        ranges = ", ".join(f"{lo}:{hi}" for lo, hi in zip(self.lo, self.hi, strict=True))
        return f"{self.buffer}[{ranges}]" if self.lo else self.buffer


def bounds(p: Procedure, buffer: str | Cursor, at: Procedure | Cursor | None = None, kinds: Iterable[str] = KINDS) -> Box:
    """The places of a buffer that the code `at` accesses: a statement with all its iterations, a block, or all of p.

    buffer is a name, or a cursor to a formal or an allocation; kinds chooses among "read", "write" and "reduce" (`+=`).

    Raises:
        SchedulingError: the code does not access the buffer so, or has several of that name.
    """
    scope = p if at is None or isinstance(at, Procedure) else p.forward(at)
    found = infer_bounds(scope, buffer, kinds)
    lo, extent = tuple(each.lo for each in found.ranges), tuple(each.size for each in found.ranges)
    return Box(found.buffer, lo, extent, found.reached, tuple(each.most for each in found.ranges))
