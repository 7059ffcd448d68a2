"""Kernels to call: built from their schedules when they are first used, then taken from the build cache.

    from usl_avx512.kernels import conv2d, daxpy, sgemm

They run on this machine's AVX-512 only and raise JitError where it has none. `python -m usl_avx512.kernels` builds ahead.
"""

from __future__ import annotations

from usl_avx512.kernels.blas import (
    dasum,
    daxpy,
    dcopy,
    ddot,
    dgemv,
    dger,
    dnrm2,
    drot,
    dscal,
    dswap,
    dsymv,
    dtrmv,
    dtrsv,
    idamax,
    isamax,
    sasum,
    saxpy,
    scopy,
    sdot,
    sgemv,
    sger,
    snrm2,
    srot,
    sscal,
    sswap,
    ssymv,
    strmv,
    strsv,
)
from usl_avx512.kernels.conv import Conv2d, conv2d
from usl_avx512.kernels.gemm import dgemm, sgemm
from usl_avx512.kernels.short import Packed, QuantizedLinear, gemm_s8s8s32, gemm_s16s16s32, gemm_u8s8s32

__all__ = [
    "Conv2d",
    "Packed",
    "QuantizedLinear",
    "conv2d",
    "dasum",
    "daxpy",
    "dcopy",
    "ddot",
    "dgemm",
    "dgemv",
    "dger",
    "dnrm2",
    "drot",
    "dscal",
    "dswap",
    "dsymv",
    "dtrmv",
    "dtrsv",
    "gemm_s8s8s32",
    "gemm_s16s16s32",
    "gemm_u8s8s32",
    "idamax",
    "isamax",
    "sasum",
    "saxpy",
    "scopy",
    "sdot",
    "sgemm",
    "sgemv",
    "sger",
    "snrm2",
    "srot",
    "sscal",
    "sswap",
    "ssymv",
    "strmv",
    "strsv",
]
