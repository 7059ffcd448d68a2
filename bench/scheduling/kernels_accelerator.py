"""The product that goes onto the accelerator."""

from __future__ import annotations

from usl_core import proc


@proc
def gemm(M: size, N: size, K: size, A: i8[M, K], B: i8[K, N], C: i32[M, N]):
    assert M % 64 == 0
    assert N % 64 == 0
    assert K % 16 == 0
    for i in seq(0, M):
        for j in seq(0, N):
            C[i, j] = 0
            for k in seq(0, K):
                C[i, j] += i32(A[i, k]) * i32(B[k, j])
