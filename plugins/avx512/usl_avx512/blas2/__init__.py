"""BLAS level 2 on AVX-512: matrices with vectors, by schedules that do several rows at a time.

    from usl_avx512.blas2 import kernel

    sgemv = kernel("gemv_n", "f32")

`rectangles` has products with whole matrices and updates of them; `triangles` has triangular and symmetric matrices, as rows of
rectangles with a small triangle at the end of each. Matrices are row-major. Sizes are at least 1, and vectors may have any
strides: dense copies are made of those whose elements lie apart.
Reference: Dongarra, Du Croz, Hammarling, Hanson 1988, An Extended Set of Fortran Basic Linear Algebra Subprograms, ACM TOMS
14(1).
"""

from __future__ import annotations

from functools import cache

from usl_avx512.blas2.rectangles import RECTANGLES, few_sums, rectangle
from usl_avx512.blas2.triangles import TRIANGLES, triangle
from usl_core import Procedure
from usl_core.scheduling import rename

__all__ = ["ROUTINES", "few_sums", "kernel"]

ROUTINES = (*RECTANGLES, *TRIANGLES)
"""The names that `kernel` knows."""


@cache
def kernel(routine: str, typ: str) -> Procedure:
    """The scheduled routine of `ROUTINES` on f32 or f64; `kernel("gemv_n", "f64")` is called dgemv_n."""
    scheduled = rectangle(routine, typ).fast if routine in RECTANGLES else triangle(routine, typ)
    return rename(scheduled, f"{'s' if typ == 'f32' else 'd'}{routine}")
