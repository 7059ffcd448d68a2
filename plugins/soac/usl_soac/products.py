"""Matrix products in tiles that stay in registers while the sums run: `map(map(reduce(+, map(*))))` for vectors of AVX-512.

Each element is still summed in the order of its terms, each of which is multiplied and added with one rounding. Only operators
are composed here.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from usl_core import Procedure
from usl_core.cursors import AllocCursor, AssignCursor, BinaryOpCursor, ForCursor, ReadCursor, ReduceCursor
from usl_core.errors import UslError
from usl_core.ir.printer import show_expr
from usl_core.scheduling import (
    divide_dim,
    divide_loop,
    expand_dim,
    fission,
    lift_alloc,
    rearrange_dim,
    reorder_loops,
    set_memory,
    simplify,
    stage_mem,
)
from usl_stdlib import replace_all

LANES, SUFFIXES = {"f32": 16, "f64": 8}, {"f32": "ps", "f64": "pd"}
INSTRUCTIONS = ("setzero", "copyu", "loadu", "fmadd_set1", "storeu")
ROWS, REGISTERS = 8, 2
"""Rows of a tile, and registers in each: sixteen sums under way hide how long one takes, and 21 of 32 registers are used."""


@dataclass(frozen=True, slots=True)
class Product:
    """The loops of `C[i, j] = the sum over k of A[i, k] * B[k, j]`, the number that is summed up, and how B is read."""

    i: Any
    j: Any
    k: Any
    total: Any
    b: Any
    """The read of B."""


def product(k: Any) -> Product | None:
    """The product of which this is the innermost loop; None if it is that of none."""
    j = k.parent()
    i = j.parent() if isinstance(j, ForCursor) else None
    if not isinstance(i, ForCursor) or len(i.body()) != 1 or len(j.body()) != 4 or len(k.body()) != 1:
        return None
    total, start, _, end = j.body()
    add = k.body()[0]
    if not (isinstance(total, AllocCursor) and isinstance(start, AssignCursor) and isinstance(end, AssignCursor)):
        return None
    if not isinstance(add, ReduceCursor) or add.op() != "+" or str(add.rhs().type()) not in LANES:
        return None
    terms = add.rhs()
    if add.name() != total.name() or not isinstance(terms, BinaryOpCursor) or terms.op() != "*":
        return None
    names = [loop.name() for loop in (i, j, k)]
    factors = [terms.lhs(), terms.rhs()]
    uses = [[name in _index(factor) for name in names] for factor in factors]
    if uses == [[False, True, True], [True, False, True]]:
        factors, uses = factors[::-1], uses[::-1]
    if uses != [[True, False, True], [False, True, True]] or sorted(_index(factors[1])[-2:]) != sorted(names[1:]):
        return None
    return Product(i, j, k, total, factors[1])


def _index(read: Any) -> list[str]:
    """The places of an element, as text; nothing of what is no element."""
    return [show_expr(each.node) for each in read.idx()] if isinstance(read, ReadCursor) else []


def tiled(p: Procedure, k: Any, in_vectors: Callable[[Procedure, Any], Procedure]) -> Procedure | None:
    """The product around the loop `k` in tiles; None if it is none, or an operator refuses. in_vectors is what does the rest.

    Tiles of rows x columns of the result stay in registers while k runs; as many columns of B are copied for them, and stay in
    a cache while all rows of A pass by. Rows and columns that fill no tile are done apart, in vectors.
    """
    found = product(k)
    if found is None:
        return None
    try:
        return _tiled(p, found, in_vectors)
    except UslError:
        return None


def _tiled(p: Procedure, of: Product, in_vectors: Callable[[Procedure, Any], Procedure]) -> Procedure:
    kind = str(of.total.type())
    columns = REGISTERS * LANES[kind]
    p = reorder_loops(p, of.i)
    p = divide_loop(p, of.j, columns, ["jo", "ji"], tail="cut")
    panels = p.forward(of.j)
    edge, inner = panels.next(), panels.body()[0]
    p = reorder_loops(p, inner)
    p = divide_loop(p, of.i, ROWS, ["io", "ii"], tail="cut")
    tiles = p.forward(of.i)
    last = tiles.next().body()[0]
    for extent, loop in ((columns, inner), (ROWS, tiles.body()[0])):
        p = expand_dim(p, p.forward(of.total), extent, p.forward(loop).name())
    p = lift_alloc(p, p.forward(of.total), 2)
    p = fission(p, p.forward(of.k).before(), 2)
    p = fission(p, p.forward(of.k).after(), 2)
    for _ in range(2):
        p = reorder_loops(p, p.forward(of.k).parent())
    p = panel_copied(p, p.forward(tiles), of, p.forward(panels).name(), columns)
    p = in_registers(p, of, columns, kind)
    for loop in (last, edge):
        p = in_vectors(p, p.forward(loop))
    return simplify(p)


def panel_copied(p: Procedure, tiles: Any, of: Product, panels: str, columns: int) -> Procedure:
    """The columns of B for a panel, copied row by row."""
    whole = f"0:{show_expr(of.k.hi().node)}"
    ends = {of.j.name(): f"{columns} * {panels}:{columns} * {panels} + {columns}", of.k.name(): whole}
    window = ", ".join(ends.get(each, each) for each in _index(of.b))
    p = stage_mem(p, tiles.as_block(), f"{of.b.name()}[{window}]", "panel")
    if _index(of.b)[-1] == of.k.name():
        panel = next(each for each in p.forward(tiles).parent().body() if isinstance(each, AllocCursor))
        p = rearrange_dim(p, panel, [1, 0])
    return p


def in_registers(p: Procedure, of: Product, columns: int, kind: str) -> Procedure:
    """The sums of a tile, and the row of the panel that they all need, in registers."""
    from usl_avx512 import AVX512, isa

    k = p.forward(of.k)
    p = stage_mem(p, k.body(), f"panel[{k.name()}, 0:{columns}]", "row")
    total, row = p.forward(of.total), next(each for each in p.forward(k).body() if isinstance(each, AllocCursor))
    for loop in p.find(f"for _ in seq(0, {columns}): _", many=True):
        if len(loop.body()) == 1:
            p = divide_loop(p, loop, LANES[kind], ["jt", "jl"], perfect=True)
    for buffer in (total, row):
        p = set_memory(divide_dim(p, buffer, len(buffer.shape()) - 1, LANES[kind]), buffer, AVX512)
    return replace_all(p, [getattr(isa, f"mm512_{name}_{SUFFIXES[kind]}") for name in INSTRUCTIONS])
