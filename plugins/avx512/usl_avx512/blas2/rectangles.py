"""Products of whole matrices with vectors, and updates of them: what they compute, and their schedules.

Several rows are done at a time, so that a vector that goes along the rows is read (and written) once for all of them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.blas1 import LANES, instructions, reusing
from usl_avx512.blas2.row_sums import rows_together
from usl_avx512.memories import AVX512
from usl_core import Procedure, proc_from_source
from usl_core.cursors import IfCursor, ReadCursor
from usl_core.scheduling import (
    call_eqv,
    delete_buffer,
    divide_loop,
    inline_assign,
    lift_reduce_constant,
    rename,
    reorder_loops,
    replace,
    rewrite_expr,
    simplify,
    specialize,
    stage_mem,
    unroll_buffer,
    unroll_loop,
)
from usl_stdlib import attempt, cse, interleave, replace_all, unroll_and_jam, vectorize

RECTANGLES = {
    "gemv_n": """\
def gemv_n(m: size, n: size, alpha: T, A: [T][m, n], x: [T][n], y: [T][m]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        s: T
        s = 0.0
        for j in seq(0, n):
            s += A[i, j] * x[j]
        y[i] += alpha * s
""",
    "gemv_t": """\
def gemv_t(m: size, n: size, alpha: T, A: [T][m, n], x: [T][m], y: [T][n]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        t: T
        t = alpha * x[i]
        for j in seq(0, n):
            y[j] += t * A[i, j]
""",
    "ger": """\
def ger(m: size, n: size, alpha: T, x: [T][m], y: [T][n], A: [T][m, n]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        t: T
        t = alpha * x[i]
        for j in seq(0, n):
            A[i, j] += t * y[j]
""",
}
"""The routines as object code: `y += alpha A x`, `y += alpha A^T x`, `A += alpha x y^T`. T stands for the type."""

PARTS = {
    "rows": """\
def rows(m: size, n: size, A: [T][m, n], x: [T][n], y: [T][m]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[ROW] += SIGNA[ROW, j] * x[j]
""",
    "columns": """\
def columns(m: size, n: size, A: [T][m, n], x: [T][m], y: [T][n]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[j] += SIGNx[ROW] * A[ROW, j]
""",
    "both": """\
def both(m: size, n: size, alpha: T, A: [T][m, n], x: [T][n], y: [T][n], xr: [T][m], yr: [T][m]):
    assert stride(A, 1) == 1
    for i in seq(0, m):
        for j in seq(0, n):
            y[j] += alpha * xr[i] * A[i, j]
            yr[i] += alpha * x[j] * A[i, j]
""",
}
"""What rows of a triangle do with the rectangle beside it. ROW is `i`, or `m - 1 - i` where rows are done from the last one up;
SIGN is empty or `-`."""


@dataclass(frozen=True, slots=True)
class Kernel:
    """A procedure before scheduling, and the same procedure as it is to run."""

    base: Procedure
    fast: Procedure

    def call(self, p: Procedure, block: Any) -> Procedure:
        """Do a block of p that says what base says by the fast one."""
        p = replace(p, block, self.base)
        return call_eqv(p, p.forward(block), self.fast)


@cache
def rectangle(routine: str, typ: str) -> Kernel:
    """One of RECTANGLES, for vectors of any strides."""
    base = proc_from_source(RECTANGLES[routine].replace("T", typ))
    return Kernel(base, any_strides(base, dense(base, by_rows_at_a_time, routine, typ)))


@cache
def part(name: str, typ: str, reversed_rows: bool = False, minus: bool = False) -> Kernel:
    """One of PARTS, for dense vectors."""
    text = PARTS[name].replace("T", typ).replace("ROW", "m - 1 - i" if reversed_rows else "i")
    base = proc_from_source(text.replace("SIGN", "-" if minus else ""))
    base = rename(base, f"{name}{'_up' if reversed_rows else ''}{'_minus' if minus else ''}_{typ}")
    return dense(base, by_rows_at_a_time, name, typ)


def vectors(p: Procedure) -> list[str]:
    """The arguments that are vectors."""
    return [arg.name() for arg in p.args() if arg.is_tensor() and len(arg.shape()) == 1]


def dense(base: Procedure, schedule: Any, *arguments: Any) -> Kernel:
    """The kernel that a schedule makes where all vectors have stride 1."""
    for vector in vectors(base):
        base = base.add_assertion(f"stride({vector}, 0) == 1")
    base = rename(base, f"{base.name()}_dense")
    return Kernel(base, schedule(base, *arguments))


def any_strides(p: Procedure, kernel: Kernel) -> Procedure:
    """Call the kernel for dense vectors, with dense copies of those that are not."""
    names = vectors(p)
    body = p.body()
    p = specialize(p, body, " and ".join(f"stride({name}, 0) == 1" for name in names))
    branch = p.body()[0]
    copied = branch.orelse()[0]
    for name in names:
        extent = next(arg for arg in p.args() if arg.name() == name).shape()[0]
        assert isinstance(extent, ReadCursor)
        p = stage_mem(p, p.forward(copied), f"{name}[0:{extent.name()}]", f"{name}_dense")
    p = kernel.call(p, p.forward(branch).body()[0])
    return kernel.call(p, p.forward(copied))


# ---- schedules


ROWS = (8, 4)
"""How many rows are done at a time, as long as there are as many."""


def by_rows_at_a_time(p: Procedure, name: str, typ: str) -> Procedure:
    """A nest `for i: for j` with several rows at a time, and j in vectors, the last one masked."""
    i = p.find_loop("i")
    if name == "gemv_t":
        p = specialize(p, i, f"n <= {FEW_COLUMNS}")
        branch = p.forward(i).parent()
        assert isinstance(branch, IfCursor)
        i = branch.orelse()[0]
        p = by_columns(p, branch.body()[0], typ)
    if name == "gemv_n":
        return by_sums(p, i, typ)
    if name == "rows":
        p, _ = in_vectors(p, p.find_loop("j"), typ)
        return simplify(jammed(p, i, ROWS)[0])
    if name == "both":
        p = stage_mem(p, p.find_loop("j"), "yr[i]", "s", accum=True)
    p, groups = jammed(p, p.forward(i), ROWS)
    for rows in groups:
        if name == "both" and rows != groups[-1]:
            p = unroll_buffer(p, p.forward(rows).find("s: _"), 0)
        j = p.forward(rows).find("for j in _: _")
        p = attempt(lambda q, loop: cse(q, loop)[0])(p, j)
        if name != "ger":
            p = stage_mem(p, p.forward(j).body(), "y[j]", "y_j")
        p, _ = in_vectors(p, j, typ, reused=name == "both")
    return simplify(p)


FEW_COLUMNS = 128
"""Up to as many, a transposed matrix is done by columns: its rows lie so near to each other that going down costs nothing."""


def by_columns(p: Procedure, i: Any, typ: str) -> Procedure:
    """The transposed product with each register of y held while all rows go by, four of them, or four sums of one."""
    p = inline_assign(p, p.forward(i).find("t = _"))
    p = delete_buffer(p, p.forward(i).find("t: _"))
    j = p.forward(i).find("for j in _: _")
    p = reorder_loops(p, i)
    p = rewrite_expr(p, p.forward(i).find("y[_] += _").rhs(), "alpha * (x[i] * A[i, j])")
    p = stage_mem(p, p.forward(i), "y[j]", "s", accum=True)
    p = lift_reduce_constant(p, p.forward(i).expand(1, 0))
    wanted = {f"mm512_{mask}{name}_{'ps' if typ == 'f32' else 'pd'}" for name in ("add", "mul_set1") for mask in ("", "mask_")}
    available = (*products(typ), *(each for each in instructions() if each.name() in wanted))
    p, vectors = vectorize(p, j, LANES[typ], AVX512, available, tail="masked")
    p, jam = unroll_and_jam(p, vectors.loop, 4)
    loops = []
    for registers in filter(None, (jam.tail, vectors.tail)):
        p, four = interleave(p, p.forward(registers).find("for i in _: _"), 4, par_reduce=True)
        loops.append(four.loop)
    p = replace_all(p, available)
    for loop in loops:
        p = unroll_buffer(p, p.forward(loop).body()[0], 0)
    return p


def by_sums(p: Procedure, i: Any, typ: str) -> Procedure:
    """`gemv_n` by eight rows, whose sums are added up across lanes at once, or four where eight share places of a cache.

    Where there are so few columns that each can be loaded into a register, nothing is added up across lanes.
    """
    base, page = p, 4096 // 64 * LANES[typ]
    few = [f"n == {columns} and stride(A, 0) == {columns}" for columns in FEW]
    p = specialize(p, i, [*few, f"n % {page} == 0"])
    *narrow, far, near = p.find("for i in _: _", many=True)
    for columns, loop in zip(FEW, narrow, strict=True):
        p = rewrite_expr(p, p.forward(loop).find("for j in _: _").hi(), columns)
        p = few_columns(base, columns, typ).call(p, p.forward(loop))
    for loop, heights in ((far, ROWS[1:]), (near, ROWS)):
        rest = loop
        for rows in heights:
            p = divide_loop(p, rest, rows, ["io", "ii"], tail="cut")
            p, rest = some_rows(base, rows, typ).call(p, p.forward(rest).body()[0]), p.forward(rest).next()
        p, _ = in_vectors(p, p.forward(rest).find("for j in _: _"), typ)
    return simplify(p)


FEW = (2, 3, 4)
"""Columns of a matrix without gaps that there are loads for."""


@cache
def few_columns(p: Procedure, columns: int, typ: str) -> Kernel:
    """`gemv_n` for so many columns without gaps, each of which is loaded into a register by itself."""
    base = p.partial_eval(n=columns).add_assertion(f"stride(A, 0) == {columns}")
    base = rename(base, f"{p.name()}_of_{columns}")
    j = base.find_loop("j")
    p = rewrite_expr(base, j.body()[0].rhs(), "x[j] * A[i, j]")
    p = simplify(unroll_loop(p, p.forward(j)))
    apart = [getattr(isa, f"mm512_{mask}load_of{columns}_{'ps' if typ == 'f32' else 'pd'}") for mask in ("", "mask_")]
    p, _ = vectorize(p, p.find_loop("i"), LANES[typ], AVX512, (*products(typ), *apart), tail="masked")
    return Kernel(base, simplify(p))


@cache
def some_rows(p: Procedure, rows: int, typ: str) -> Kernel:
    """So many rows of `gemv_n`, in a procedure of its own: within the loop gcc keeps more addresses than it has registers."""
    base = rename(p.partial_eval(m=rows), f"{p.name()}_{rows}")
    return Kernel(base, rows_together(base, rows, typ, products(typ, reused=True)))


def jammed(p: Procedure, i: Any, heights: tuple[int, ...]) -> tuple[Procedure, list[Any]]:
    """The loop over rows as one loop for each number of rows at a time, and one for single rows."""
    groups = []
    for rows in heights:
        p, unrolled = unroll_and_jam(p, i, rows)
        groups.append(unrolled.loop)
        i = unrolled.tail
    return p, [*groups, i]


def in_vectors(p: Procedure, j: Any, typ: str, reused: bool = False) -> tuple[Procedure, Any]:
    """The loop along the rows by vector instructions. reused: each element of the matrix counts twice."""
    return vectorize(p, j, LANES[typ], AVX512, products(typ, reused), tail="masked")


@cache
def products(typ: str, reused: bool = False) -> tuple[Procedure, ...]:
    """The instructions that products are made of: among fewer of them the choice is sooner made."""
    names = "setzero loadu storeu fmadd fmadd_set1 fnmadd fnmadd_set1 mul_set1 reduce_add".split()
    suffix = "ps" if typ == "f32" else "pd"
    wanted = {f"mm512_{mask}{name}_{suffix}" for name in names for mask in ("", "mask_")}
    if reused:
        wanted = wanted - {f"mm512_loadu_{suffix}"} | {f"mm512_loadu_kept_{suffix}"}
    return tuple([each for each in (*instructions(), *reusing()[:2]) if each.name() in wanted])
