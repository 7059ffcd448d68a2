"""Products of short types as plain loops: what is computed, nothing about how. `gemm.short` has the schedules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from usl_core import Procedure

TYPES = {"u8s8": ("u8", "i8", 4), "s8s8": ("i8", "i8", 4), "s16s16": ("i16", "i16", 2), "bf16": ("bf16", "bf16", 2)}
"""Elements of A, elements of B, and how many neighbours of a row of A one instruction multiplies and adds up."""
SUMS = {"u8s8": "i32", "s8s8": "i32", "s16s16": "i32", "bf16": "f32"}
"""Types of sums."""

_PRODUCT = "{f} * {s}(W[j / 64, g, {n} * (j % 64) + q])"
_FACTOR = "{s}(A[i, {n} * g + q])"
_MATRICES = "M: size, N: size, G: size, A: [{a}][M, {n} * G] @ DRAM, W: [{b}][(N + 63) / 64, G, {w}] @ DRAM"


def _parsed(name: str, text: str, kind: str) -> Procedure:
    from usl_core import DRAM, proc_from_source

    a, b, n = TYPES[kind]
    factor = f"({_FACTOR} + 128)" if kind == "s8s8" else _FACTOR  # the instruction wants an unsigned one
    text = text.replace("PRODUCT", _PRODUCT.replace("{f}", factor)).replace("MATRICES", _MATRICES)
    return proc_from_source(
        text.format(a=a, b=b, s=SUMS[kind], n=n, m=n - 1, w=64 * n, name=name, zero="0.0" if b == "bf16" else "0"),
        {"DRAM": DRAM},
        f"<{name}>",
    )


@cache
def product(kind: str) -> Procedure:
    """`C += A B`, with B packed as `packing` does; kind is one of TYPES."""
    return _parsed(
        "gemm_bf16f32" if kind == "bf16" else f"gemm_{kind}s32",
        """
def {name}(MATRICES, C: [{s}][M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            for g in seq(0, G):
                for q in seq(0, {n}):
                    C[i, j] += PRODUCT
""",
        kind,
    )


@cache
def signed_product() -> Procedure:
    """`C += A B` of signed bytes: 128 is added to all of A, and taken off again by S, the sums of B's columns."""
    return _parsed(
        "gemm_s8s8s32",
        """
def {name}(MATRICES, S: [i32][N] @ DRAM, C: [i32][M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            sum: i32 @ DRAM
            sum = 0
            for g in seq(0, G):
                for q in seq(0, {n}):
                    sum += PRODUCT
            C[i, j] += sum - 128 * S[j]
""",
        "s8s8",
    )


@cache
def linear(kind: str, result: str) -> Procedure:
    """Each sum plus the bias of its column, times its scale, between two limits; integers are the nearest ones, ties even.

    Sums of floats are not scaled, and stay NaN between the limits: `max(low, x)` is the second where one is NaN.
    """
    integers = SUMS[kind] == "i32"
    value = "f32(sum + bias[j]) * scale[j]" if integers else "sum + bias[j]"
    value = f"min(max({value}, low), high)" if integers else f"min(high, max(low, {value}))"
    value = value if result == "f32" else f"{result}({f'rint({value})' if integers else value})"
    scale, zero = ("scale: [f32][N] @ DRAM, ", "0") if integers else ("", "0.0")
    return _parsed(
        f"linear_{kind}{result}",
        f"""
def {{name}}(MATRICES, bias: [{{s}}][N] @ DRAM, {scale}low: f32 @ DRAM, high: f32 @ DRAM,
             C: [{result}][M, N] @ DRAM):
    for i in seq(0, M):
        for j in seq(0, N):
            sum: {{s}} @ DRAM
            sum = {zero}
            for g in seq(0, G):
                for q in seq(0, {{n}}):
                    sum += PRODUCT
            C[i, j] = {value}
""",
        kind,
    )


@cache
def packing(kind: str) -> Procedure:
    """W: panels of 64 columns of B, in each groups of rows, with zeros where B has no element."""
    return _parsed(
        f"pack_{kind}",
        """
def {name}(K: size, N: size, B: [{b}][K, N] @ DRAM, W: [{b}][(N + 63) / 64, (K + {m}) / {n}, {w}] @ DRAM):
    for p in seq(0, (N + 63) / 64):
        for g in seq(0, (K + {m}) / {n}):
            for c in seq(0, {w}):
                W[p, g, c] = {zero}
    for k in seq(0, K):
        for j in seq(0, N):
            W[j / 64, k / {n}, {n} * (j % 64) + k % {n}] = B[k, j]
""",
        kind,
    )
