"""Programs on numbers that C lacks."""

from __future__ import annotations

from usl_c11.low_precision import f8e4m3, f8e5m2, i4_high, i4_low, i4_pair, i4x2
from usl_core import config, proc
from usl_core.ir.types import FloatFormat, Kind, ScalarType

wide = ScalarType("wide", Kind.FLOAT, 16, format=FloatFormat(12, -17, 8))


@config
class SCALES:
    half: f16
    brain: bf16
    byte: f8e4m3


@proc
def scaled_by_fields(x: f32[3]):
    x[0] = f32(SCALES.half)
    x[1] = f32(SCALES.brain)
    x[2] = f32(SCALES.byte)
    SCALES.brain = 0.75


@proc
def widen_e4m3(n: size, x: f8e4m3[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = f32(x[i])


@proc
def widen_e5m2(n: size, x: f8e5m2[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = f32(x[i])


@proc
def widen_bf16(n: size, x: bf16[n], y: f32[n]):
    for i in seq(0, n):
        y[i] = f32(x[i])


@proc
def all_operations(n: size, x: f8e4m3[n], y: f8e4m3[n], r: f8e4m3[4, n]):
    for i in seq(0, n):
        r[0, i] = x[i] + y[i]
        r[1, i] = x[i] - y[i]
        r[2, i] = x[i] * y[i]
        r[3, i] = x[i] / y[i]


@proc
def all_operations_e5m2(n: size, x: f8e5m2[n], y: f8e5m2[n], r: f8e5m2[4, n]):
    for i in seq(0, n):
        r[0, i] = x[i] + y[i]
        r[1, i] = x[i] - y[i]
        r[2, i] = x[i] * y[i]
        r[3, i] = x[i] / y[i]


@proc
def narrowed(n: size, x: f32[n], d: f64[n], k: i64[n], u: u64[n], r: f8e4m3[4, n], s: f8e5m2[4, n], t: bf16[4, n]):
    for i in seq(0, n):
        r[0, i] = f8e4m3(x[i])
        r[1, i] = f8e4m3(d[i])
        r[2, i] = f8e4m3(k[i])
        r[3, i] = f8e4m3(u[i])
        s[0, i] = f8e5m2(x[i])
        s[1, i] = f8e5m2(d[i])
        s[2, i] = f8e5m2(k[i])
        s[3, i] = f8e5m2(u[i])
        t[0, i] = bf16(x[i])
        t[1, i] = bf16(d[i])
        t[2, i] = bf16(k[i])
        t[3, i] = bf16(u[i])


@proc
def fused(n: size, x: bf16[n], y: bf16[n], z: bf16[n], p: f16[n], q: f16[n], r: f16[n]):
    for i in seq(0, n):
        z[i] = fma(x[i], y[i], z[i])
        r[i] = fma(p[i], q[i], r[i])


@proc
def product(n: size, x: f8e4m3[n], y: f8e5m2[n], scale: bf16, total: f32):
    for i in seq(0, n):
        total += f32(x[i]) * f32(y[i]) * f32(scale)


@proc
def halved(n: size, x: i4x2[n], low: i8[n], high: i8[n], back: i4x2[n]):
    for i in seq(0, n):
        low[i] = i4_low(x[i])
        high[i] = i4_high(x[i])
        back[i] = i4_pair(low[i], high[i])


@proc
def too_wide(x: wide[4]):
    x[0] = x[1] + x[2]


@proc
def in_parallel(n: size, x: f8e4m3[n], total: f8e4m3):
    for i in par(0, n):
        total += x[i]
