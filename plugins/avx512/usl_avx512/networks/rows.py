"""Rows of networks on AVX-512: softmax, norms, activations and sums as plain loops, and one schedule for all of them.

    from usl_avx512.networks.rows import kernel

    softmax = kernel("softmax")

Each loop `j` over the N elements of a row runs in vector registers, several at a time, with a mask for the last ones. exp is
within 1 ulp, sums are taken in several parts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from usl_avx512 import isa
from usl_avx512.blas1 import instructions
from usl_avx512.memories import AVX512
from usl_avx512.scanning import scan_schedule
from usl_core import Procedure, proc_from_source
from usl_core.scheduling import divide_loop, fold_into_argreduce, insert_noop_call, rename, replace, simplify
from usl_stdlib import interleave, replace_all, vectorize

ROWS = {
    "softmax": """\
def softmax(R: size, N: size, x: f32[R, N], y: f32[R, N]):
    for i in seq(0, R):
        m: f32
        m = -3.4028235e38
        for j in seq(0, N):
            m @= max(x[i, j])
        z: f32
        z = 0.0
        for j in seq(0, N):
            e: f32
            e = exp(x[i, j] - m)
            y[i, j] = e
            z += e
        w: f32
        w = 1.0 / z
        for j in seq(0, N):
            y[i, j] = y[i, j] * w
""",
    "log_softmax": """\
def log_softmax(R: size, N: size, x: f32[R, N], y: f32[R, N]):
    for i in seq(0, R):
        m: f32
        m = -3.4028235e38
        for j in seq(0, N):
            m @= max(x[i, j])
        z: f32
        z = 0.0
        for j in seq(0, N):
            z += exp(x[i, j] - m)
        w: f32
        w = log(z) + m
        for j in seq(0, N):
            y[i, j] = x[i, j] - w
""",
    "cross_entropy": """\
def cross_entropy(R: size, N: size, x: f32[R, N], target: i64[R], loss: f32[R]):
    for i in seq(0, R):
        m: f32
        m = -3.4028235e38
        for j in seq(0, N):
            m @= max(x[i, j])
        z: f32
        z = 0.0
        for j in seq(0, N):
            z += exp(x[i, j] - m)
        loss[i] = log(z) + m - x[i, idx(target[i], 0, N)]
""",
    "layer_norm": """\
def layer_norm(R: size, N: size, eps: f32, x: f32[R, N], weight: f32[N], bias: f32[N], y: f32[R, N]):
    for i in seq(0, R):
        s: f32
        s = 0.0
        for j in seq(0, N):
            s += x[i, j]
        mean: f32
        mean = s / f32(N)
        v: f32
        v = 0.0
        for j in seq(0, N):
            v += (x[i, j] - mean) * (x[i, j] - mean)
        w: f32
        w = 1.0 / sqrt(v / f32(N) + eps)
        for j in seq(0, N):
            y[i, j] = (x[i, j] - mean) * w * weight[j] + bias[j]
""",
    "rms_norm": """\
def rms_norm(R: size, N: size, eps: f32, x: f32[R, N], weight: f32[N], y: f32[R, N]):
    for i in seq(0, R):
        s: f32
        s = 0.0
        for j in seq(0, N):
            s += x[i, j] * x[i, j]
        w: f32
        w = 1.0 / sqrt(s / f32(N) + eps)
        for j in seq(0, N):
            y[i, j] = x[i, j] * w * weight[j]
""",
    "silu": """\
def silu(N: size, x: f32[N], y: f32[N]):
    for j in seq(0, N):
        y[j] = x[j] / (1.0 + exp(-x[j]))
""",
    "sigmoid": """\
def sigmoid(N: size, x: f32[N], y: f32[N]):
    for j in seq(0, N):
        y[j] = 1.0 / (1.0 + exp(-x[j]))
""",
    "gelu_tanh": """\
def gelu_tanh(N: size, x: f32[N], y: f32[N]):
    for j in seq(0, N):
        y[j] = x[j] / (1.0 + exp(x[j] * (-1.5957691216 - 0.0713548163 * (x[j] * x[j]))))
""",
    "gelu": """\
def gelu(N: size, x: f32[N], y: f32[N]):
    for j in seq(0, N):
        a: f32
        a = abs(x[j])
        t: f32
        t = fma(a, -2.83491385e-06, 3.93777019e-05)
        t = fma(a, t, -1.86180284e-04)
        t = fma(a, t, -1.36936285e-04)
        t = fma(a, t, 7.06342004e-03)
        t = fma(a, t, -5.24961783e-02)
        t = fma(a, t, -4.59208197e-01)
        t = fma(a, t, -1.15110521)
        t = fma(a, t, -1.0)
        y[j] = max(x[j], 0.0) - a * exp2(t)
""",
    "from_bf16": """\
def from_bf16(N: size, x: bf16[N], y: f32[N]):
    for j in seq(0, N):
        y[j] = f32(x[j])
""",
    "to_bf16": """\
def to_bf16(N: size, x: f32[N], y: bf16[N]):
    for j in seq(0, N):
        y[j] = bf16(x[j])
""",
    "row_sums": """\
def row_sums(R: size, N: size, x: f32[R, N], y: f32[R]):
    for i in seq(0, R):
        y[i] = 0.0
        for j in seq(0, N):
            y[i] += x[i, j]
""",
    "row_maxima": """\
def row_maxima(R: size, N: size, x: f32[R, N], y: f32[R]):
    for i in seq(0, R):
        y[i] = x[i, 0]
        for j in seq(0, N):
            y[i] @= max(x[i, j])
""",
    "argmax": """\
def argmax(R: size, N: size, x: f32[R, N], position: i64[R]):
    assert N <= 2147483647
    for i in seq(0, R):
        m: f32
        m = x[i, 0]
        k: i32
        k = 0
        for b in seq(0, N / 2048):
            t: f32
            t = m
            for j in seq(0, 2048):
                t @= max(x[i, 2048 * b + j])
            if t > m:
                m = t
                first: i32
                first = 2147483647
                for j in seq(0, 2048):
                    first @= min(select(x[i, 2048 * b + j], m, 2147483647, i32(2048 * b + j)))
                k = first
        for j in seq(0, N % 2048):
            if x[i, N / 2048 * 2048 + j] > m:
                m = x[i, N / 2048 * 2048 + j]
                k = i32(N / 2048 * 2048 + j)
        position[i] = i64(k)
""",
}
"""The kernels as object code. -3.4028235e38 is the least f32.

argmax passes over blocks of 2048 elements none of which is greater than what was found before; only the others are searched.

GELU by tanh is x times the logistic function of twice the tanh's argument, sqrt(8 / pi) (x + 0.044715 x^3), with which no
digits are lost where it is negative. GELU by erf is max(x, 0) - |x| erfc(|x| / sqrt(2)) / 2, and its last factor 2^t for a
polynomial t of |x|: of all of its degree the one with the least error on 0 to 9, 8e-9; beyond, 2^t falls to 0.
"""


BF16 = (
    isa.mm512_loadu_cvtbf16_ps,
    isa.mm512_mask_loadu_cvtbf16_ps,
    isa.mm512_cvtps_storeu_bf16,
    isa.mm512_mask_cvtps_storeu_bf16,
)
"""Conversions."""

Ahead = tuple[str, int, int]
"""An array, rows, elements."""

ASK: dict[str, dict[int, Ahead]] = {
    "log_softmax": {1: ("y", 0, 0)},
    "cross_entropy": {1: ("x", 1, 0)},
}
"""What the loops of kernels ask the cache for, by their number. `log_softmax` for the row of y that it writes next: the lines
come while it computes exponentials, which saves an eighth to a third where no cache holds y. `cross_entropy` for the next row
of x, which saves a seventh to a half on a Zen 5 and up to a tenth on a Zen 4; softmax, which writes meanwhile, gains nothing.
Loops that read a row once ask for nothing: 8 KB ahead, sums and maxima of what no cache holds gain a fifth on a Zen 5 and lose
a fifth on a Zen 4."""


def algorithm(name: str) -> Procedure:
    """What a kernel of `ROWS` computes, as plain loops."""
    return proc_from_source(ROWS[name])


@cache
def available() -> tuple[Procedure, ...]:
    """The instructions to choose from."""
    from usl_avx512.isa import functions, lookups

    names = (f"mm512_{form}{name}_ps" for name in ("exp", "exp2") for form in ("", "mask_"))
    of_functions = (getattr(functions, name) for name in names)
    return (*of_functions, *BF16, lookups.mm512_mask_iota_epi32, *instructions(), *isa.instructions("integers"))


def rows_schedule(
    p: Procedure, registers: int = 4, *, more: Sequence[Procedure] = (), ask: Mapping[int, Ahead] | None = None
) -> Procedure:
    """Each loop `j` in vector registers, so many of them at a time, with more instructions where they are needed.

    ask: what loops ask the cache for, by their number.
    """
    instructions = (*available(), *more)
    for number, loop in enumerate(p.find("for j in _: _", many=True)):
        p, vectorized = vectorize(p, p.forward(loop), 16, AVX512, instructions, tail="masked")
        if ask and number in ask:
            p = _asked_for(p, p.forward(vectorized.loop), ask[number])
        p, _ = interleave(p, vectorized.loop, registers, par_reduce=True)
    return simplify(replace_all(p, instructions))


def _asked_for(p: Procedure, loop: Any, ahead: Ahead) -> Procedure:
    """The loop over vectors asks for an array so many rows and elements ahead."""
    array, rows, elements = ahead
    at = f"16 * {loop.name()}:16 * {loop.name()} + 1"
    if rows:
        return insert_noop_call(p, loop.body()[0].before(), isa.mm_prefetch_row_t0_f32, [rows, f"{array}[i:i + 1, {at}]"])
    return insert_noop_call(p, loop.body()[0].before(), isa.mm_prefetch_t0_f32, [elements, f"{array}[i, {at}]"])


@cache
def cumsum() -> Procedure:
    """The sums of the elements of a row up to each one, 16 at a time."""
    p = proc_from_source("""\
def cumsum(R: size, N: size, x: f32[R, N], y: f32[R, N]):
    for i in seq(0, R):
        s: f32
        s = 0.0
        for j in seq(0, N):
            s += x[i, j]
            y[i, j] = s
""")
    return scan_schedule(p, "j")


@cache
def compress() -> Procedure:
    """The elements of a vector that are to be kept, and how many they are, 16 at a time."""
    p = proc_from_source("""\
def compress(N: size, x: f32[N], keep: u8[N], y: f32[N], count: i64):
    c: i64
    c = 0
    for j in seq(0, N):
        if 0 < keep[j]:
            y[idx(c, 0, N)] = x[j]
            c += 1
    count = c
""")
    p = divide_loop(p, "j", 16, ["jo", "ji"], tail="cut")
    return simplify(replace(p, "ji", isa.mm512_compressu_ps))


@cache
def kernel(name: str) -> Procedure:
    """A scheduled kernel of `ROWS`."""
    p = algorithm(name)
    if name == "argmax":
        p = fold_into_argreduce(p, p.find("for j in _: _", many=True)[-1])
    return rename(rows_schedule(p, ask=ASK.get(name)), name)
