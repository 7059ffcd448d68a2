"""Triangular and symmetric matrices with vectors: blocks of rows, each a rectangle and a small triangle.

What a triangle does to a vector in place has an order: rows go from the first to the last, or (`d`) from the last to the first;
and of the rows of a block the rectangle comes before the triangle, or after it. The schedule is told neither: `fission` accepts
the one that is right.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from usl_avx512.blas2.rectangles import Kernel, any_strides, dense, part, vectors
from usl_core import Procedure, proc_from_source
from usl_core.cursors import ReduceCursor
from usl_core.scheduling import (
    cut_loop,
    divide_loop,
    eliminate_dead_code,
    fission,
    lift_scope,
    reorder_stmts,
    shift_loop,
    simplify,
    specialize,
    stage_mem,
    unroll_loop,
)
from usl_stdlib import first_of, walk

HEAD = "(n: size, unit: index, A: [T][n, n], x: [T][n]):\n    assert stride(A, 1) == 1\n"
SYMMETRIC = "(n: size, alpha: T, A: [T][n, n], x: [T][n], y: [T][n]):\n    assert stride(A, 1) == 1\n"

TRIANGLES = {
    "symv_lower": f"""\
def symv_lower{SYMMETRIC}
    for i in seq(0, n):
        for j in seq(0, i):
            y[j] += alpha * x[i] * A[i, j]
            y[i] += alpha * x[j] * A[i, j]
        y[i] += alpha * x[i] * A[i, i]
""",
    "symv_upper": f"""\
def symv_upper{SYMMETRIC}
    for i in seq(0, n):
        y[i] += alpha * x[i] * A[i, i]
        for j in seq(i + 1, n):
            y[j] += alpha * x[i] * A[i, j]
            y[i] += alpha * x[j] * A[i, j]
""",
    "trmv_n_upper": f"""\
def trmv_n_upper{HEAD}
    for i in seq(0, n):
        if unit == 0:
            x[i] = A[i, i] * x[i]
        for j in seq(i + 1, n):
            x[i] += A[i, j] * x[j]
""",
    "trmv_n_lower": f"""\
def trmv_n_lower{HEAD}
    for d in seq(0, n):
        if unit == 0:
            x[n - 1 - d] = A[n - 1 - d, n - 1 - d] * x[n - 1 - d]
        for j in seq(0, n - 1 - d):
            x[n - 1 - d] += A[n - 1 - d, j] * x[j]
""",
    "trmv_t_upper": f"""\
def trmv_t_upper{HEAD}
    for d in seq(0, n):
        for j in seq(n - d, n):
            x[j] += x[n - 1 - d] * A[n - 1 - d, j]
        if unit == 0:
            x[n - 1 - d] = A[n - 1 - d, n - 1 - d] * x[n - 1 - d]
""",
    "trmv_t_lower": f"""\
def trmv_t_lower{HEAD}
    for i in seq(0, n):
        for j in seq(0, i):
            x[j] += x[i] * A[i, j]
        if unit == 0:
            x[i] = A[i, i] * x[i]
""",
    "trsv_n_upper": f"""\
def trsv_n_upper{HEAD}
    for d in seq(0, n):
        for j in seq(n - d, n):
            x[n - 1 - d] += -A[n - 1 - d, j] * x[j]
        if unit == 0:
            x[n - 1 - d] = x[n - 1 - d] / A[n - 1 - d, n - 1 - d]
""",
    "trsv_n_lower": f"""\
def trsv_n_lower{HEAD}
    for i in seq(0, n):
        for j in seq(0, i):
            x[i] += -A[i, j] * x[j]
        if unit == 0:
            x[i] = x[i] / A[i, i]
""",
    "trsv_t_upper": f"""\
def trsv_t_upper{HEAD}
    for i in seq(0, n):
        if unit == 0:
            x[i] = x[i] / A[i, i]
        for j in seq(i + 1, n):
            x[j] += -x[i] * A[i, j]
""",
    "trsv_t_lower": f"""\
def trsv_t_lower{HEAD}
    for d in seq(0, n):
        if unit == 0:
            x[n - 1 - d] = x[n - 1 - d] / A[n - 1 - d, n - 1 - d]
        for j in seq(0, n - 1 - d):
            x[j] += -x[n - 1 - d] * A[n - 1 - d, j]
""",
}
"""The routines as object code: `y += alpha A x`, `x = A x`, `x = A^T x`, and x for which A (or A^T) times it is what x was. Of
A the triangle named is read, and its diagonal only where unit is 0: it is all ones otherwise. T stands for the type."""

BLOCK = 8
"""Rows of a block."""


@cache
def triangle(routine: str, typ: str) -> Procedure:
    """One of TRIANGLES, for vectors of any strides."""
    base = proc_from_source(TRIANGLES[routine].replace("T", typ))
    names = vectors(base)
    return any_strides(base, names, dense(base, names, in_blocks, routine, typ))


def beside(routine: str, typ: str) -> Kernel:
    """What the rectangles beside the triangles of a routine do."""
    what, *way = routine.split("_")
    if what == "symv":
        return part("both", typ)
    name = "rows" if way[0] == "n" else "columns"
    return part(name, typ, is_upwards(routine), what == "trsv")


def is_upwards(routine: str) -> bool:
    """Whether rows are done from the last one up."""
    return "for d in" in TRIANGLES[routine]


def in_blocks(p: Procedure, routine: str, typ: str) -> Procedure:
    """BLOCK rows at a time, and the rows that are left over: the rectangle by a kernel, the triangle written out."""
    lower, up, kernel = routine.endswith("lower"), is_upwards(routine), beside(routine, typ)
    rows = p.find_loop("d" if up else "i")
    p = divide_loop(p, rows, BLOCK, ["io", "ii"], tail="cut")
    whole, rest = p.forward(rows).body()[0], p.forward(rows).next()
    first = f"{BLOCK} * io + {BLOCK}" if up == lower else f"{BLOCK} * io"
    p, small = rectangle_apart(p, whole, lower, f"n - ({first})" if up else first, kernel)
    p = written_out(p, small, routine)
    if up != lower:  # otherwise the rows left over are beside no rectangle
        p = specialize(p, rest, f"n % {BLOCK} > 0")
        p = eliminate_dead_code(p, p.forward(rest).parent().orelse()[0])
        first = f"n / {BLOCK} * {BLOCK}"
        p, rest = rectangle_apart(p, rest, lower, f"n - {first}" if up else first, kernel)
    if routine.split("_")[1] == "n":  # sums in a variable: in memory, each term would wait for the one before to be written
        row = f"n / {BLOCK} * {BLOCK} + {p.forward(rest).name()}"
        p = stage_mem(p, p.forward(rest).find("for j in _: _"), f"x[{f'n - 1 - ({row})' if up else row}]", "s")
    return simplify(p)


def rectangle_apart(p: Procedure, rows: Any, lower: bool, column: str, kernel: Kernel) -> tuple[Procedure, Any]:
    """Of a block of rows, the columns before (or after) the given one by the kernel: the procedure, and the rest's loop."""
    j = p.forward(rows).find("for j in _: _")
    p = cut_loop(p, j, column)
    parts = p.forward(j), p.forward(j).next()
    square, small = parts if lower else parts[::-1]
    p = first_of(at_first, at_last)(p, square)
    p = specialize(p, p.forward(square), f"{column} > 0" if lower else f"{column} < n")
    p = eliminate_dead_code(p, p.forward(square).parent().orelse()[0])
    p = lift_scope(p, p.forward(square).parent())
    return kernel.call(p, p.forward(square).parent()), p.forward(small).parent()


def at_first(p: Procedure, stmt: Any) -> Procedure:
    """A statement for all rows before the others."""
    while p.forward(stmt).prev():
        p = reorder_stmts(p, p.forward(stmt).expand(1, 0))
    return fission(p, p.forward(stmt).after())


def at_last(p: Procedure, stmt: Any) -> Procedure:
    """A statement for all rows after the others."""
    while p.forward(stmt).next():
        p = reorder_stmts(p, p.forward(stmt).expand(0, 1))
    return fission(p, p.forward(stmt).before())


def written_out(p: Procedure, rows: Any, routine: str) -> Procedure:
    """The triangle of a block of BLOCK rows without loops, on a copy of its elements of the vector that is changed."""
    rows = p.forward(rows)
    changed = "y" if routine.startswith("symv") else "x"
    first = f"n - {BLOCK} * io - {BLOCK}" if is_upwards(routine) else f"{BLOCK} * io"
    p = stage_mem(p, rows, f"{changed}[{first}:{first} + {BLOCK}]", f"{changed}_block")
    p = shift_loop(p, p.forward(rows).find("for j in _: _"), 0)
    p = unroll_loop(simplify(p), rows)
    for loop in walk(p.find(f"{changed}_block: _").parent(), "loops"):
        if loop.name() == "j":
            p = unroll_loop(p, loop)
    return latest_last(p, f"{changed}_block") if routine == "trsv_n_upper" else p


def latest_last(p: Procedure, block: str) -> Procedure:
    """The terms of each sum in reverse order: first those that are long known, last that of the element solved just before."""
    run: list[Any] = []
    for stmt in p.find(f"{block}: _").parent().body():
        if not isinstance(stmt, ReduceCursor):
            run = []
            continue
        for _ in run:
            p = reorder_stmts(p, p.forward(stmt).expand(1, 0))
        run.append(stmt)
    return p
