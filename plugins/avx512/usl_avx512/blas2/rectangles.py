"""Products of whole matrices with vectors, and updates of them: what they compute, and their schedules.

Several rows are done at a time, so that a vector that goes along the rows is read (and written) once for all of them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.blas1 import LANES, instructions, reusing
from usl_avx512.blas2.row_sums import rows_together
from usl_avx512.memories import AVX512
from usl_core import Procedure, proc_from_source
from usl_core.cursors import ReadCursor
from usl_core.scheduling import (
    call_eqv,
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    expand_dim,
    fission,
    lift_alloc,
    merge_writes,
    rename,
    reorder_loops,
    replace,
    rewrite_expr,
    shift_loop,
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
def gemv_t(m: size, n: size, before: index, alpha: T, A: [T][m, n], x: [T][m], y: [T][n]):
    assert stride(A, 1) == 1
    assert before >= 0
    for i in seq(0, m):
        t: T
        t = alpha * x[i]
        for j in seq(0, n):
            if before + i == 0:
                y[j] = 0.0
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
"""The routines as object code: `y += alpha A x`, `y += alpha A^T x`, `A += alpha x y^T`. T stands for the type. Where
`before`, the number of terms that are in y already, is 0, gemv_t writes y."""

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
    names = ["y"] if routine == "gemv_t" else vectors(base)
    return Kernel(base, any_strides(base, names, dense(base, names, by_rows_at_a_time, routine, typ)))


@cache
def part(name: str, typ: str, reversed_rows: bool = False, minus: bool = False) -> Kernel:
    """One of PARTS, for dense vectors."""
    text = PARTS[name].replace("T", typ).replace("ROW", "m - 1 - i" if reversed_rows else "i")
    base = proc_from_source(text.replace("SIGN", "-" if minus else ""))
    base = rename(base, f"{name}{'_up' if reversed_rows else ''}{'_minus' if minus else ''}_{typ}")
    return dense(base, vectors(base), by_rows_at_a_time, name, typ)


def vectors(p: Procedure) -> list[str]:
    """The arguments that are vectors."""
    return [arg.name() for arg in p.args() if arg.is_tensor() and len(arg.shape()) == 1]


def dense(base: Procedure, names: list[str], schedule: Any, *arguments: Any) -> Kernel:
    """The kernel that a schedule makes where these vectors have stride 1."""
    for vector in names:
        base = base.add_assertion(f"stride({vector}, 0) == 1")
    base = rename(base, f"{base.name()}_dense")
    return Kernel(base, schedule(base, *arguments))


def any_strides(p: Procedure, names: list[str], kernel: Kernel) -> Procedure:
    """Call the kernel where these vectors are dense, and with dense copies of them where not."""
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
        return by_terms(p, i, typ)
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


PAGE = 4096 // 64
"""Registers after which elements are at the same place of a first-level cache. Where rows are a multiple of them long, eight
share places with each other and the vector: six at a time are then faster."""


def so_many_at_a_time(p: Procedure, most: int, least: int, some: Callable[[int], Kernel]) -> Procedure:
    """A loop `i` over rows: least or more of them at once, so that most at a time are left, as a loop of those.

    Rows fewer than least are done at once as well.
    """
    i = p.find_loop("i")
    counts = range(least, least + most)
    few = {rows: some(rows) for rows in range(1, least + most)}
    alone = [f"m == {rows}" for rows in range(1, least)]
    p = specialize(p, i, [*alone, *(f"m % {most} == {rows % most}" for rows in counts[:-1])])
    for rows, loop in zip(few, p.find("for i in _: _", many=True), strict=True):
        if rows in counts:
            p = cut_loop(p, p.forward(loop), rows)
            others = p.forward(loop).next()
            p = shift_loop(p, others, 0)
            p = divide_loop(p, p.forward(others), most, ["io", "ii"], perfect=True)
            p = replace(p, p.forward(others).body()[0], few[most].base)
        else:
            p = rewrite_expr(p, p.forward(loop).hi(), rows)
        p = replace(p, p.forward(loop), few[rows].base)
    for kernel in few.values():  # last of all, as each step before takes longer afterwards
        for call in p.find(f"{kernel.base.name()}(_)", many=True):
            p = call_eqv(p, p.forward(call), kernel.fast)
    return simplify(p)


def by_terms(p: Procedure, i: Any, typ: str) -> Procedure:
    """`gemv_t` by eight rows, or six, for each of which a register of y is read and written once."""

    def some(rows: int) -> Kernel:
        return terms_at_once(base, rows, typ)

    base = p
    sixes = Kernel(*(rename(each, f"{base.name()}_far") for each in (base, so_many_at_a_time(base, 6, 2, some))))
    eights = Kernel(*(rename(each, f"{base.name()}_near") for each in (base, so_many_at_a_time(base, 8, 1, some))))
    p = specialize(p, i, f"n % {PAGE * LANES[typ]} == 0")
    for kernel, loop in zip((sixes, eights), p.find("for i in _: _", many=True), strict=True):
        p = kernel.call(p, p.forward(loop))
    return p


@cache
def terms_at_once(p: Procedure, rows: int, typ: str) -> Kernel:
    """So many rows of `gemv_t`: each register of y is read, if there is something in it, and written once."""
    base = rename(p.partial_eval(m=rows), f"{p.name()}_{rows}")
    i = base.find_loop("i")
    t, (*_, j) = base.find("t: _"), i.body()
    p = base
    if rows > 1:
        p = lift_alloc(expand_dim(p, t, rows, i.name()), t)
        p = fission(p, p.forward(j).before())
        p = reorder_loops(unroll_loop(p, p.forward(i)), p.forward(j).parent())
        p = unroll_buffer(unroll_loop(p, p.forward(j).body()[0]), p.forward(t), 0)
    p = simplify(specialize(simplify(p), p.forward(j), "before == 0"))
    nothing_yet, something = p.find("for j in _: _", many=True)
    p = merge_writes(p, nothing_yet.body()[0].expand(0, 1))
    for loop in (nothing_yet, something):
        p = stage_mem(p, p.forward(loop).body(), "y[j]", "y_j")
        p, _ = in_vectors(p, p.forward(loop), typ)
    return Kernel(base, simplify(p))


def by_sums(p: Procedure, i: Any, typ: str) -> Procedure:
    """`gemv_n` by rows whose sums are added up across lanes at once: six of them, or eight where rows are short.

    Where there are so few columns that each can be loaded into a register, nothing is added up across lanes.
    """
    base = p
    kernels = [few_columns(base, columns, typ) for columns in FEW]
    short = eight_at_a_time(base, lambda rows: some_rows(base, rows, typ, "_short"))
    long = so_many_at_a_time(base, 6, 2, lambda rows: some_rows(base, rows, typ))
    for name, fast in (("short", short), ("long", long)):
        kernels.append(Kernel(rename(base, f"{base.name()}_{name}"), rename(fast, f"{base.name()}_{name}")))
    conditions = [f"n == {columns} and stride(A, 0) == {columns}" for columns in FEW]
    p = specialize(p, i, [*conditions, f"n < {SHORT * LANES[typ]}"])
    loops = p.find("for i in _: _", many=True)
    for columns, loop in zip(FEW, loops, strict=False):
        p = rewrite_expr(p, p.forward(loop).find("for j in _: _").hi(), columns)
    for kernel, loop in zip(kernels, loops, strict=True):
        p = kernel.call(p, p.forward(loop))
    return simplify(p)


SHORT = 8
"""Registers that a row of `gemv_n` fills from which six rows at a time are faster than eight."""


def eight_at_a_time(p: Procedure, some: Callable[[int], Kernel]) -> Procedure:
    """A loop `i` over rows as one for eight of them, and what is left over at once: vectors are stored without a mask."""
    i = p.find_loop("i")
    p = divide_loop(p, i, 8, ["io", "ii"], tail="cut")
    left = p.forward(i).next()
    p = some(8).call(p, p.forward(i).body()[0])
    p = specialize(p, left, [f"m % 8 == {rows}" for rows in range(1, 8)])
    *loops, none_left = p.find("for ii in _: _", many=True)
    for rows, loop in enumerate(loops, start=1):
        p = rewrite_expr(p, p.forward(loop).hi(), rows)
        p = some(rows).call(p, p.forward(loop))
    return simplify(eliminate_dead_code(p, none_left))


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
def some_rows(p: Procedure, rows: int, typ: str, name: str = "") -> Kernel:
    """So many rows of `gemv_n`, in a procedure of its own: within the loop gcc keeps more addresses than it has registers.

    One that is called at a single place, by its name, costs short rows no call.
    """
    base = rename(p.partial_eval(m=rows), f"{p.name()}_{rows}{name}")
    if rows > 1:
        return Kernel(base, rows_together(base, rows, typ, products(typ, reused=True)))
    p, vectors = vectorize(base, base.find_loop("j"), LANES[typ], AVX512, products(typ), tail="masked")
    p, _ = interleave(p, vectors.loop, 4, par_reduce=True)
    suffix = "ps" if typ == "f32" else "pd"
    return Kernel(base, simplify(replace_all(p, [getattr(isa, f"mm512_{name}_{suffix}") for name in ("setzero", "add")])))


FEW_SUMS = """\
def gemv_t_few(m: size, n: size, alpha: T, A: [T][m, n], x: [T][m], y: [T][n]):
    assert stride(A, 1) == 1
    assert stride(x, 0) == 1
    assert stride(y, 0) == 1
    for i in seq(0, n):
        s: T
        s = 0.0
        for j in seq(0, m):
            s += A[j, i] * x[j]
        y[i] += alpha * s
"""
"""`gemv_t` for the numbers of columns in FEW, without gaps between rows; else it is a plain loop."""


@cache
def few_sums(typ: str) -> Procedure:
    """FEW_SUMS, where a register holds a part of a column: a row of so few elements fills none."""
    letter, suffix = ("s", "ps") if typ == "f32" else ("d", "pd")
    base = proc_from_source(FEW_SUMS.replace("T", typ))
    p = specialize(base, base.body(), [f"n == {columns} and stride(A, 0) == {columns}" for columns in FEW])
    for columns, loop in zip(FEW, p.find("for i in _: _", many=True), strict=False):
        one = base.partial_eval(n=columns).add_assertion(f"stride(A, 0) == {columns}")
        one = rename(one, f"{base.name()}_{columns}")
        apart = [getattr(isa, f"mm512_{mask}load_of{columns}_{suffix}") for mask in ("", "mask_")]
        kernel = Kernel(one, rows_together(one, columns, typ, (*products(typ, reused=True), *apart)))
        p = rewrite_expr(p, p.forward(loop).hi(), columns)
        p = kernel.call(p, p.forward(loop))
    return rename(simplify(p), f"{letter}gemv_t_few")


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
