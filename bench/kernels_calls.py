"""Procedures that do next to nothing, so that a call of one costs what a call costs."""

from __future__ import annotations

from usl_core import proc


@proc
def matmul(n: size, m: size, k: size, A: f32[n, k], B: f32[k, m], C: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            C[i, j] = 0.0
            for p in seq(0, k):
                C[i, j] += A[i, p] * B[p, j]


@proc
def matmul_of_windows(n: size, m: size, k: size, A: [f32][n, k], B: [f32][k, m], C: [f32][n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            C[i, j] = 0.0
            for p in seq(0, k):
                C[i, j] += A[i, p] * B[p, j]


@proc
def axpy(n: size, a: f32, x: [f32][n], y: [f32][n]):
    for i in seq(0, n):
        y[i] += a * x[i]
