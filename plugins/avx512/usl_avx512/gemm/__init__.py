"""The schedule of matrix products: `C += A B` for any sizes and leading dimensions, in single or double precision.

`gemm_schedule` takes the three loops of `kernels_algorithms.sgemm` to a family of procedures that call each other, from the
inside out: `tiles` (registers), `panels` (all rows of a panel of columns), `blocks` (caches, packing, threads).
"""

from __future__ import annotations

from usl_avx512.gemm.blocks import Blocking, gemm_schedule, gemm_ways, worth_bands, worth_packing
from usl_avx512.gemm.tiles import DOUBLE, SINGLE, Lanes

__all__ = ["DOUBLE", "SINGLE", "Blocking", "Lanes", "gemm_schedule", "gemm_ways", "worth_bands", "worth_packing"]
