"""What a generated statement may refer to."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tests.fuzz.terms import Extent
from usl_core.ir.nodes import Expr
from usl_core.ir.sym import Sym
from usl_core.ir.types import ScalarType


@dataclass(frozen=True)
class Position:
    """A control value with `0 <= expr < below`: an iterator, or several put together (`4 * io + ii`)."""

    expr: Expr
    below: Extent


@dataclass(frozen=True)
class Data:
    """A buffer, window or scalar in scope. `input` marks what the program never writes; root is the buffer behind a window."""

    name: Sym
    scalar: ScalarType
    dims: tuple[Extent, ...]
    input: bool
    root: Sym
    window: bool = False

    def stride(self, dim: int) -> int | None:
        """How far apart elements of a dimension are, where that is a known number."""
        inner = self.dims[dim + 1 :]
        known = not self.window and all(extent.base is None for extent in inner)
        return math.prod(extent.offset for extent in inner) if known else None


@dataclass(frozen=True)
class Scope:
    """Names in scope at a statement, and inside a `par` loop what keeps its iterations apart.

    Within `par`, only `own` (declared inside the loop) and `owned` may be written, the latter at the iterator in one dimension
    and read nowhere.
    """

    positions: tuple[Position, ...] = ()
    data: tuple[Data, ...] = ()
    flags: tuple[Expr, ...] = ()
    owned: tuple[Data, int, Expr] | None = None
    own: frozenset[Sym] = frozenset()
    depth: int = 0

    def with_positions(self, *positions: Position) -> Scope:
        return replace(self, positions=(*self.positions, *positions), depth=self.depth + 1)

    def with_data(self, *data: Data) -> Scope:
        return replace(self, data=(*self.data, *data), own=self.own | {d.name for d in data})

    def deeper(self) -> Scope:
        return replace(self, depth=self.depth + 1)

    def inside_par(self, iterator: Position, owned: Data, dim: int) -> Scope:
        return replace(self.with_positions(iterator), owned=(owned, dim, iterator.expr), own=frozenset())

    def readable(self) -> list[Data]:
        return [d for d in self.data if self.owned is None or d.input or d.name in self.own]

    def writable(self) -> list[Data]:
        if self.owned is None:
            return [d for d in self.data if not d.input]
        return [d for d in self.data if d.name in self.own and not d.input] + [self.owned[0]]

    def fixed_index(self, target: Data) -> dict[int, Expr]:
        """The index that target must have in a dimension so that iterations of the `par` loop around stay apart."""
        if self.owned is None or target is not self.owned[0]:
            return {}
        return {self.owned[1]: self.owned[2]}
