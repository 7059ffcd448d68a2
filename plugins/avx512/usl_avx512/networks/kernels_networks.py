"""The plain loops: what is computed, nothing about how. -3e38 stands for minus infinity, which has no difference to itself."""

from __future__ import annotations

from usl_core import DRAM, proc


@proc
def softmax(N: size, x: f32[N] @ DRAM, y: f32[N] @ DRAM):
    m: f32 @ DRAM
    m = -3.0e38
    for j in seq(0, N):
        m @= max(x[j])
    z: f32 @ DRAM
    z = 0.0
    for j in seq(0, N):
        z += exp(x[j] - m)
    for j in seq(0, N):
        y[j] = exp(x[j] - m) / z


@proc
def attention(M: size, N: size, D: size, q: f32[M, D] @ DRAM, k: f32[N, D] @ DRAM, v: f32[N, D] @ DRAM, out: f32[M, D] @ DRAM):
    for i in seq(0, M):
        s: f32[N] @ DRAM
        for j in seq(0, N):
            s[j] = 0.0
            for d in seq(0, D):
                s[j] += q[i, d] * k[j, d]
        m: f32 @ DRAM
        m = -3.0e38
        for j in seq(0, N):
            m @= max(s[j])
        z: f32 @ DRAM
        z = 0.0
        for j in seq(0, N):
            z += exp(s[j] - m)
        for d in seq(0, D):
            out[i, d] = 0.0
            for j in seq(0, N):
                out[i, d] += exp(s[j] - m) / z * v[j, d]
