"""The product that the GEMM schedule starts from, and the microkernel whose variants do the work."""

from __future__ import annotations

from usl_core import proc


@proc
def sgemm(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]


@proc
def microkernel(M: size, N: size, K: size, A: [f32][M, K], B: [f32][K, N], C: [f32][M, N]):
    assert stride(B, 1) == 1
    assert stride(C, 1) == 1
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]
