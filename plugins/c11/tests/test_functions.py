"""Functions, roundings, multiply-adds and bits of floats, compiled: what the interpreter gives, with all warnings as errors."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from c11_compile import WARNINGS

from usl_core import proc_from_source
from usl_core.interp import run
from usl_core.ir.externs import ATAN2, FUNCTIONS, POW, RSQRT, SQRT

EXACT = [
    *(f"{name}(x[i])" for name in ("rint", "floor", "ceil", "trunc", "sqrt", "rsqrt")),
    *("fma(x[i], y[i], z[i])", "fma(x[i], x[i], -0.1)", "from_bits(bits(x[i]) >> 1)", "from_bits(bits(x[i]) ^ bits(y[i]))"),
]
ROUNDED = [f"{fn.name}({'x[i], y[i]' if fn in (POW, ATAN2) else 'x[i]'})" for fn in FUNCTIONS if fn not in (SQRT, RSQRT)]


def compiled(typ: str, expressions: list[str]) -> Any:
    body = "\n".join(f"        out[{k}, i] = {text}" for k, text in enumerate(expressions))
    head = f"def f(n: size, x: {typ}[n], y: {typ}[n], z: {typ}[n], out: {typ}[{len(expressions)}, n]):"
    return proc_from_source(f"{head}\n    for i in seq(0, n):\n{body}\n")


def numbers(dtype: Any) -> list[Any]:
    rng = np.random.default_rng(4)
    special = np.array([0.0, -0.0, 0.5, -0.5, 1.5, 2.5, -2.5, np.inf, -np.inf, np.nan, 1e-42, 3e38, 1e30, -1e30], dtype)
    return [np.concatenate([rng.permutation(special), (rng.normal(size=120) * 8).astype(dtype)]) for _ in range(3)]


@pytest.mark.parametrize("typ", ["f32", "f64"])
def test_roundings_multiply_adds_and_bits_are_the_interpreters_bit_for_bit(typ: str) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[typ]
    p, inputs = compiled(typ, EXACT), numbers(dtype)
    ours, theirs = (np.zeros((len(EXACT), len(inputs[0])), dtype) for _ in range(2))
    p.jit(flags=[*WARNINGS])(len(inputs[0]), *inputs, ours)
    run(p.ir, [len(inputs[0]), *inputs, theirs], mode="machine")
    for text, mine, wanted in zip(EXACT, ours, theirs, strict=True):
        nan = np.isnan(mine) & np.isnan(wanted)
        assert (nan | (mine.view(f"u{mine.itemsize}") == wanted.view(f"u{mine.itemsize}"))).all(), text


@pytest.mark.parametrize("typ", ["f32", "f64"])
def test_functions_of_the_c_library_are_the_interpreters_to_a_few_places(typ: str) -> None:
    dtype = {"f32": np.float32, "f64": np.float64}[typ]
    p, inputs = compiled(typ, ROUNDED), numbers(dtype)
    ours, theirs = (np.zeros((len(ROUNDED), len(inputs[0])), dtype) for _ in range(2))
    p.jit(flags=[*WARNINGS])(len(inputs[0]), *inputs, ours)
    run(p.ir, [len(inputs[0]), *inputs, theirs], mode="machine")
    for text, mine, wanted in zip(ROUNDED, ours, theirs, strict=True):
        np.testing.assert_allclose(mine, wanted, rtol=8 * np.finfo(dtype).eps, atol=0, err_msg=text)


def test_an_index_from_a_number_without_a_sign_is_clamped_below_its_limit() -> None:
    p = proc_from_source(
        "def f(n: size, k: u64[n], x: i32[8], y: i32[n]):\n    for i in seq(0, n):\n        y[i] = x[idx(k[i], 0, 8)]\n"
    )
    k = np.array([0, 3, 7, 8, 2**63 - 1, 2**63, 2**64 - 1], np.uint64)
    x, y = np.arange(8, dtype=np.int32), np.zeros(7, np.int32)
    p.jit(flags=[*WARNINGS])(7, k, x, y)
    assert y.tolist() == [0, 3, 7, 7, 7, 7, 7]
