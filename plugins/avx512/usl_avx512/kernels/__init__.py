"""Kernels to call: built from their schedules when they are first used, then taken from the build cache.

    from usl_avx512.kernels import dgemm, sgemm

They run on this machine's AVX-512 only and raise JitError where it has none.
"""

from __future__ import annotations

from usl_avx512.kernels.gemm import dgemm, sgemm

__all__ = ["dgemm", "sgemm"]
