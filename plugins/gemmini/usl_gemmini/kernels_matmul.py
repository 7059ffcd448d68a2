"""Matrix products as plain loops: what they compute, and nothing of how."""

from __future__ import annotations

from usl_core import DRAM, Procedure, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.kernels_registers import FENCE
from usl_gemmini.memories import GEMMINI_OUT
from usl_gemmini.rounding import rne


def product(with_relu: bool) -> Procedure:
    """`C = act(scale * (A B))`, rounded to the nearest integer and saturated."""
    act = ACTIVATIONS[with_relu]

    @proc
    def matmul(M: size, N: size, K: size, scale: f32, A: i8[M, K] @ DRAM, B: i8[K, N] @ DRAM, C: i8[M, N] @ GEMMINI_OUT):
        for i in seq(0, M):
            for j in seq(0, N):
                sum: i32
                sum = 0
                for k in seq(0, K):
                    sum += i32(A[i, k]) * i32(B[k, j])
                C[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return matmul


def product_and_sum(with_relu: bool) -> Procedure:
    """`C = act(scale * (A B + D))`, rounded to the nearest integer and saturated."""
    act = ACTIVATIONS[with_relu]

    @proc
    def matmul(
        M: size,
        N: size,
        K: size,
        scale: f32,
        A: i8[M, K] @ DRAM,
        B: i8[K, N] @ DRAM,
        D: i32[M, N] @ DRAM,
        C: i8[M, N] @ GEMMINI_OUT,
    ):
        for i in seq(0, M):
            for j in seq(0, N):
                sum: i32
                sum = D[i, j]
                for k in seq(0, K):
                    sum += i32(A[i, k]) * i32(B[k, j])
                C[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return matmul


def product_and_row(with_relu: bool) -> Procedure:
    """`C = act(scale * (A B + D))` with a row D for all rows."""
    act = ACTIVATIONS[with_relu]

    @proc
    def matmul(
        M: size,
        N: size,
        K: size,
        scale: f32,
        A: i8[M, K] @ DRAM,
        B: i8[K, N] @ DRAM,
        D: i32[N] @ DRAM,
        C: i8[M, N] @ GEMMINI_OUT,
    ):
        for i in seq(0, M):
            for j in seq(0, N):
                sum: i32
                sum = D[j]
                for k in seq(0, K):
                    sum += i32(A[i, k]) * i32(B[k, j])
                C[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return matmul


ALGORITHMS = {"none": product, "matrix": product_and_sum, "row": product_and_row}
"""By what is added to the product."""
