"""BLAS level 1 on AVX-512: what the routines compute, and one schedule for all of them and both types.

    from usl_avx512.blas1 import kernel

    saxpy = kernel("axpy", "f32")

Vectors are windows, so that elements may lie apart; where they do not, vector code runs, several registers at a time, with a
mask for the last elements. Sums go into `out`. Sizes are at least 1: an entry with BLAS's interface returns at once for 0.
Reference: Lawson, Hanson, Kincaid, Krogh 1979, Basic Linear Algebra Subprograms for Fortran Usage, ACM TOMS 5(3).
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from usl_avx512.isa import movement
from usl_avx512.memories import AVX512
from usl_core import Procedure, proc_from_source
from usl_core.cursors import ForCursor, IfCursor
from usl_core.scheduling import rename, replace, simplify, specialize
from usl_stdlib import cse, interleave, replace_all, vectorize

LANES = {"f32": 16, "f64": 8}
"""The lanes of a register."""

ROUTINES = {
    "axpy": """\
def axpy(n: size, a: T, x: [T][n], y: [T][n]):
    for i in seq(0, n):
        y[i] += a * x[i]
""",
    "dot": """\
def dot(n: size, x: [T][n], y: [T][n], out: T):
    out = 0.0
    for i in seq(0, n):
        out += x[i] * y[i]
""",
    "scal": """\
def scal(n: size, a: T, x: [T][n]):
    for i in seq(0, n):
        x[i] = a * x[i]
""",
    "asum": """\
def asum(n: size, x: [T][n], out: T):
    out = 0.0
    for i in seq(0, n):
        out += abs(x[i])
""",
    "copy": """\
def copy(n: size, x: [T][n], y: [T][n]):
    for i in seq(0, n):
        y[i] = x[i]
""",
    "swap": """\
def swap(n: size, x: [T][n], y: [T][n]):
    for i in seq(0, n):
        t: T
        t = x[i]
        x[i] = y[i]
        y[i] = t
""",
    "rot": """\
def rot(n: size, c: T, s: T, x: [T][n], y: [T][n]):
    for i in seq(0, n):
        t: T
        t = c * x[i] + s * y[i]
        y[i] = c * y[i] - s * x[i]
        x[i] = t
""",
}
"""The routines as object code; T stands for the type."""

SHARED = ("rot",)
"""Those that read elements more than once."""


REGISTERS = {"axpy": 8}
"""Registers at a time, where more than 4 help: loads and stores of y leave room to hide their latency."""

LARGE_COPY = 2**24
"""Bytes from which on a copy goes past the caches: with the original it is as much as the last one holds."""


@cache
def instructions() -> tuple[Procedure, ...]:
    """The instructions on f32 and f64 that level 1 is made of."""
    from usl_avx512 import isa

    return (*isa.instructions("basics"), *isa.instructions("floats"))


@cache
def reusing() -> tuple[Procedure, ...]:
    """`instructions`, with loads that compilers do once where registers are used more than once."""
    kept = movement.mm512_loadu_kept_ps, movement.mm512_loadu_kept_pd
    return (*kept, *(each for each in instructions() if each.name() not in ("mm512_loadu_ps", "mm512_loadu_pd")))


def algorithm(routine: str, typ: str) -> Procedure:
    """What a routine of `ROUTINES` computes with elements of a type of `LANES`, as a plain loop."""
    return proc_from_source(ROUTINES[routine].replace("T", typ))


def blas1_schedule(p: Procedure, typ: str, unroll: int = 4, available: Iterable[Procedure] = ()) -> Procedure:
    """A loop `i` over windows of one type in vector registers, `unroll` of them at a time, where all strides are 1.

    available are the instructions to choose from, by default `instructions()`.
    """
    loop = p.find_loop("i")
    vectors = [arg.name() for arg in p.args() if arg.is_tensor()]
    p = specialize(p, loop, " and ".join(f"stride({name}, 0) == 1" for name in vectors))
    p = elements_apart(p, loop)
    if p.name() in SHARED:
        p, _ = cse(p, loop)
    if p.name() == "copy":
        p = past_the_cache(p, loop, typ)
    chosen = tuple(available) or (reusing() if p.name() in SHARED else instructions())
    p, vectorized = vectorize(p, loop, LANES[typ], AVX512, chosen, tail="masked")
    p, _ = interleave(p, vectorized.loop, unroll, par_reduce=True)
    return simplify(replace_all(p, chosen))


def elements_apart(p: Procedure, loop: ForCursor) -> Procedure:
    """The other branch of a specialised loop, for strides: four elements at a time, whose loads and sums do not wait for each
    other."""
    branch = p.forward(loop).parent()
    assert isinstance(branch, IfCursor)
    return interleave(p, branch.orelse()[0], 4, par_reduce=True)[0]


def past_the_cache(p: Procedure, loop: ForCursor, typ: str) -> Procedure:
    """Copies of more than the last cache holds do not go through it: a line to be written would be read first."""
    p = specialize(p, p.forward(loop), f"n < {LARGE_COPY // (64 // LANES[typ])}")
    branch = p.forward(loop).parent()
    assert isinstance(branch, IfCursor)
    return replace(p, branch.orelse()[0], getattr(movement, f"mm512_stream_copy_{'ps' if typ == 'f32' else 'pd'}"))


@cache
def kernel(routine: str, typ: str) -> Procedure:
    """The scheduled routine under BLAS's name: `kernel("axpy", "f64")` is daxpy."""
    scheduled = blas1_schedule(algorithm(routine, typ), typ, REGISTERS.get(routine, 4))
    return rename(scheduled, f"{'s' if typ == 'f32' else 'd'}{routine}")
