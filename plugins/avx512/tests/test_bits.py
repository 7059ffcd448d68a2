"""Loops over bits become vector code by `vectorize` alone, reductions of bits included."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from avx512_build import require

from usl_avx512 import AVX512, isa
from usl_core import proc_from_source
from usl_stdlib import vectorize

TYPES = {"u8": 64, "i16": 32, "u32": 16, "i32": 16, "u64": 8}


def data(typ: str, n: int) -> Any:
    return np.frombuffer(np.random.default_rng(5).bytes(n * int(typ[1:]) // 8), np.dtype(f"{typ[0]}{int(typ[1:]) // 8}")).copy()


@pytest.mark.parametrize("typ", ["u8", "i16", "u64"])
def test_lanes_of_bits(typ: str) -> None:
    require("native")
    wide = "" if typ == "u8" else " ^ (x[i] << y[i]) ^ (y[i] >> 3)"
    body = f"for i in seq(0, n):\n        z[i] = ~x[i] & y[i] | x[i] & 7{wide}"
    before = proc_from_source(f"def f(n: size, x: {typ}[n], y: {typ}[n], z: {typ}[n]):\n    {body}\n")
    p, _ = vectorize(before, "i", TYPES[typ], AVX512, isa.for_lanes(TYPES[typ], types=(typ,)), tail="masked")
    n = 3 * TYPES[typ] + 5
    x, y, ours, theirs = data(typ, n), data(typ, n)[::-1].copy(), data(typ, n), data(typ, n)
    y[:9] = np.arange(9)
    p.jit()(n, x, y, ours)
    before.jit()(n, x, y, theirs)
    np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize(("op", "typ"), [("&", "u8"), ("|", "i32"), ("^", "u64"), ("^", "i16")])
def test_reductions_of_bits_in_lanes(op: str, typ: str) -> None:
    require("native")
    before = proc_from_source(f"def f(n: size, x: {typ}[n], s: {typ}):\n    for i in seq(0, n):\n        s {op}= x[i]\n")
    lanes = TYPES[typ]
    p, _ = vectorize(before, "i", lanes, AVX512, isa.for_lanes(lanes, types=(typ,)), tail="masked")
    n = 4 * lanes + 3
    x = data(typ, n)
    x = x | 0x2A if op == "&" else x & 0x55 if op == "|" else x
    ours, theirs = np.array(0x3B, x.dtype), np.array(0x3B, x.dtype)
    p.jit()(n, x, ours)
    before.jit()(n, x, theirs)
    assert ours == theirs == {"&": np.bitwise_and, "|": np.bitwise_or, "^": np.bitwise_xor}[op].reduce(x, initial=0x3B)


def test_roundings_and_multiply_adds_in_lanes() -> None:
    require("native")
    value = "fma(rint(x[i]), floor(y[i]), ceil(x[i]) - trunc(y[i]))"
    before = proc_from_source(f"def f(n: size, x: f32[n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = {value}\n")
    p, _ = vectorize(before, "i", 16, AVX512, isa.for_lanes(16, types=("f32",)), tail="masked")
    assert all(f"mm512_{name}_ps" in str(p) for name in ("rint", "floor", "ceil", "trunc", "fma"))
    x = (np.random.default_rng(2).normal(size=75) * 9).astype(np.float32)
    ours, theirs = x[::-1].copy(), x[::-1].copy()
    p.jit()(75, x, ours)
    before.jit()(75, x, theirs)
    np.testing.assert_array_equal(ours.view(np.uint32), theirs.view(np.uint32))
