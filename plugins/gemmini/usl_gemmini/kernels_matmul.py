"""Matrix products as plain loops: what they compute, and nothing of how. Ports say where matrices lie."""

from __future__ import annotations

from usl_core import DRAM, Procedure, proc
from usl_gemmini.kernels_activation import ACTIVATIONS
from usl_gemmini.ports import OUT, PLAIN, Port
from usl_gemmini.rounding import rne


def product(with_relu: bool, a: Port = PLAIN, b: Port = PLAIN, out: Port = OUT) -> Procedure:
    """`C = act(scale * (A B))`, rounded to the nearest integer and saturated."""
    act, LEFT, RIGHT, GOAL, FENCE = ACTIVATIONS[with_relu], a.memory, b.memory, out.memory, out.fence
    BEFORE_A, BEFORE_B = a.fence, b.fence

    @proc
    def matmul(M: size, N: size, K: size, scale: f32, A: i8[M, K] @ LEFT, B: i8[K, N] @ RIGHT, C: i8[M, N] @ GOAL):
        if {a is not PLAIN}:
            BEFORE_A.pending = False
        if {b is not PLAIN and b is not a}:
            BEFORE_B.pending = False
        for i in seq(0, M):
            for j in seq(0, N):
                sum: i32
                sum = 0
                for k in seq(0, K):
                    sum += i32(A[i, k]) * i32(B[k, j])
                C[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return matmul


def product_and_sum(with_relu: bool, a: Port = PLAIN, b: Port = PLAIN, out: Port = OUT) -> Procedure:
    """`C = act(scale * (A B + D))`, rounded to the nearest integer and saturated."""
    act, LEFT, RIGHT, GOAL, FENCE = ACTIVATIONS[with_relu], a.memory, b.memory, out.memory, out.fence
    BEFORE_A, BEFORE_B = a.fence, b.fence

    @proc
    def matmul(
        M: size,
        N: size,
        K: size,
        scale: f32,
        A: i8[M, K] @ LEFT,
        B: i8[K, N] @ RIGHT,
        D: i32[M, N] @ DRAM,
        C: i8[M, N] @ GOAL,
    ):
        if {a is not PLAIN}:
            BEFORE_A.pending = False
        if {b is not PLAIN and b is not a}:
            BEFORE_B.pending = False
        for i in seq(0, M):
            for j in seq(0, N):
                sum: i32
                sum = D[i, j]
                for k in seq(0, K):
                    sum += i32(A[i, k]) * i32(B[k, j])
                C[i, j] = i8(rne(f32(act(sum)) * scale))
        FENCE.pending = False

    return matmul


def product_and_row(with_relu: bool, a: Port = PLAIN, b: Port = PLAIN, out: Port = OUT) -> Procedure:
    """`C = act(scale * (A B + D))` with a row D for all rows."""
    act, LEFT, RIGHT, GOAL, FENCE = ACTIVATIONS[with_relu], a.memory, b.memory, out.memory, out.fence
    BEFORE_A, BEFORE_B = a.fence, b.fence

    @proc
    def matmul(
        M: size,
        N: size,
        K: size,
        scale: f32,
        A: i8[M, K] @ LEFT,
        B: i8[K, N] @ RIGHT,
        D: i32[N] @ DRAM,
        C: i8[M, N] @ GOAL,
    ):
        if {a is not PLAIN}:
            BEFORE_A.pending = False
        if {b is not PLAIN and b is not a}:
            BEFORE_B.pending = False
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
