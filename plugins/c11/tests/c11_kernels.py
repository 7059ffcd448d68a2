"""Procedures that several tests use, and a memory of registers with instructions in portable C."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from usl_c11.memory import Stack
from usl_core.errors import Span
from usl_core.frontend.parser import parse_source
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.ir.traverse import update


class Registers(Memory):
    """Vectors of 16 floats that plain C cannot address; the last dimension is the lane."""

    name = "Registers"
    addressable = False

    @classmethod
    def header(cls) -> str:
        return "struct vec16 {\n    float lane[16];\n};"

    @classmethod
    def alloc(cls, name: str, ctype: str, shape: Sequence[str], span: Span) -> str:
        return f"struct vec16 {name}{''.join(f'[{extent}]' for extent in shape[:-1])};"

    @classmethod
    def window(cls, base: str, ctype: str, indices: Sequence[str], strides: Sequence[str], span: Span) -> str:
        return base + "".join(f"[{index}]" for index in indices[:-1])


SCOPE: dict[str, Any] = {"DRAM": DRAM, "Stack": Stack, "Registers": Registers}


def parse(text: str, **scope: Any) -> Proc:
    return parse_source(text, {**SCOPE, **scope}, "<string>")


def instruction(text: str, template: str, **options: Any) -> Proc:
    return update(parse(text), instr=InstrTemplate(template, **options))


LOAD = instruction(
    """
def load16(dst: [f32][16] @ Registers, src: [f32][16]):
    assert stride(src, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]
""",
    "vec16_load(&{dst}, {src.ptr});",
    c_global="""\
static inline void vec16_load(struct vec16 *dst, const float *src)
{
    for (int i = 0; i < 16; i++)
        dst->lane[i] = src[i];
}""",
)

STORE = instruction(
    """
def store16(dst: [f32][16], src: [f32][16] @ Registers):
    assert stride(dst, 0) == 1
    for i in seq(0, 16):
        dst[i] = src[i]
""",
    "for (int lane = 0; lane < 16; lane++) {{\n    {dst.ptr}[lane] = {src}.lane[lane];\n}}",
)

SGEMM = parse("""
def sgemm(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
    for i in seq(0, M):
        for j in seq(0, N):
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]
""")

BLUR = parse("""
def blur(H: size, W: size, src: u16[H + 2, W + 2], dst: u16[H, W]):
    for y in seq(0, H):
        for x in seq(0, W):
            total: u32
            total = 0
            for dy in seq(0, 3):
                for dx in seq(0, 3):
                    total += u32(src[y + dy, x + dx])
            dst[y, x] = u16(total / 9)
""")

SCALE = parse("""
def scale(n: size, shift: index, x: [f32][n, 4], s: f32, enabled: bool):
    if enabled:
        for i in seq(0, n):
            for j in seq(0, 4):
                x[i, (j + shift) % 4] = x[i, (j + shift) % 4] * s
""")

TILES = parse(
    """
def tiles(n: size, A: f32[n, 64], out: [f32][n, 64], s: f32):
    assert n % 4 == 0
    assert stride(out, 1) == 1
    for i in seq(0, n):
        r: f32[4, 16] @ Registers
        for j in seq(0, 4):
            load16(r[j, 0:16], A[i, 16*j:16*j+16])
        w = r[0:4, 0:16]
        for j in seq(0, 4):
            store16(out[i, 16*j:16*j+16], w[j, 0:16])
    left = out[0:n, 4:8]
    scale(n, -3, left, s, n < 9)
    scale(n, 1, out[0:n, 60:64], 2.5, True)
""",
    load16=LOAD,
    store16=STORE,
    scale=SCALE,
)

PARALLEL = parse("""
def row_sums(n: size, m: size, x: i32[n, m], y: i32[n], total: i32):
    total = 0
    for i in par(0, n):
        row: i32[m]
        for j in seq(0, m):
            row[j] = x[i, j] * x[i, j]
        y[i] = 0
        for j in seq(0, m):
            y[i] += row[j]
        total += y[i]
""")

CHECKED = parse("""
def checked(n: size, k: index, x: f32[n]):
    t: f32[n]
    for i in seq(0, n):
        t[i] = x[i]
    check(0 <= k and k < n)
    x[0] = t[0] + 1.0
""")

CALLS_CHECKED = parse(
    """
def calls_checked(n: size, x: f32[n]):
    u: f32[n]
    for i in seq(0, n):
        u[i] = 2.0 * x[i]
    checked(n, 3, u)
    for i in seq(0, n):
        x[i] = u[i]
""",
    checked=CHECKED,
)
