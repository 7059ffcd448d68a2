"""The plain loop nests that this package has schedules for: what is computed, nothing about how."""

from __future__ import annotations

from usl_core import DRAM, proc


@proc
def sgemm(M: size, N: size, K: size, A: f32[M, K] @ DRAM, B: f32[K, N] @ DRAM, C: f32[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]


@proc
def gemm(M: size, N: size, K: size, alpha: R @ DRAM, A: R[M, K] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[i, k] * B[k, j])


@proc
def gemm_tn(M: size, N: size, K: size, alpha: R @ DRAM, A: R[K, M] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[k, i] * B[k, j])


@proc
def gemm_nt(M: size, N: size, K: size, alpha: R @ DRAM, A: R[M, K] @ DRAM, B: R[N, K] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[i, k] * B[j, k])


@proc
def gemm_tt(M: size, N: size, K: size, alpha: R @ DRAM, A: R[K, M] @ DRAM, B: R[N, K] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += alpha * (A[k, i] * B[j, k])


@proc
def gemm_first(M: size, N: size, K: size, alpha: R @ DRAM, A: R[M, K] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[i, k] * B[k, j])


@proc
def gemm_first_tn(M: size, N: size, K: size, alpha: R @ DRAM, A: R[K, M] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[k, i] * B[k, j])


@proc
def gemm_after(
    M: size, N: size, K: size, before: index, alpha: R @ DRAM, A: R[M, K] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM
):
    assert before >= 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if before + k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[i, k] * B[k, j])


@proc
def gemm_after_tn(
    M: size, N: size, K: size, before: index, alpha: R @ DRAM, A: R[K, M] @ DRAM, B: R[K, N] @ DRAM, C: R[M, N] @ DRAM
):
    assert before >= 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if before + k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[k, i] * B[k, j])


@proc
def gemm_after_nt(
    M: size, N: size, K: size, before: index, alpha: R @ DRAM, A: R[M, K] @ DRAM, B: R[N, K] @ DRAM, C: R[M, N] @ DRAM
):
    assert before >= 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if before + k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[i, k] * B[j, k])


@proc
def gemm_after_tt(
    M: size, N: size, K: size, before: index, alpha: R @ DRAM, A: R[K, M] @ DRAM, B: R[N, K] @ DRAM, C: R[M, N] @ DRAM
):
    assert before >= 0
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                if before + k == 0:
                    C[i, j] = 0.0
                C[i, j] += alpha * (A[k, i] * B[j, k])


@proc
def box_blur(H: size, W: size, src: u16[H + 2, W + 2] @ DRAM, dst: u16[H, W] @ DRAM):
    for y in seq(0, H):
        for x in seq(0, W):
            total: u32 @ DRAM
            total = 0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    total += u32(src[y + dy, x + dx])
            dst[y, x] = u16(total / 9)
