"""Filters and running sums in blocks of lanes give what the interpreter gives, at all lengths; other loops stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from usl_soac import schedules
from usl_soac.decorators import parse_program

LENGTHS = (0, 1, 7, 8, 9, 15, 16, 17, 31, 33, 100)

pytestmark = pytest.mark.skipif(not schedules.has_vectors(), reason="AVX-512 is not there")


TEXT = """
@soac
def kept32(x: f32[n]) -> f32[_]:
    return filter(lambda v: v > 0.0, x)

@soac
def kept64(x: f64[n], y: f64[n]) -> f64[_]:
    return filter(lambda v: v < 2.0, map(lambda a, b: a * b + 1.0, x, y))

@soac
def whole(x: i32[n], k: i32) -> i32[_]:
    return filter(lambda v: v * 2 > k, x)

@soac
def long(x: i64[n]) -> i64[_]:
    return filter(lambda v: v >= 3, x)

@soac
def rounds(x: f32[n], y: f32[m]) -> f32[_]:
    for i in range(3):
        x = concat(filter(lambda v: v > 0.5, x), y)
    return x

@soac
def pairs(x: f32[n], y: f32[n]) -> tuple[f32[k], f32[k]]:
    return filter(lambda a, b: a < b, x, y)

@soac
def sums32(x: f32[n]) -> f32[n]:
    return scan(add, 1.0, x)

@soac
def sums64(x: f64[n], y: f64[n]) -> f64[n]:
    return scan(add, 0.0, map(lambda a, b: a * b + 1.0, x, y))

@soac
def products(x: f64[n]) -> f64[n]:
    return scan(mul, 1.0, x)

@soac
def rows(x: f32[n, m]) -> f32[n, m]:
    return map(lambda r: scan(add, 0.0, r), x)
"""

FUNCTIONS = parse_program(TEXT)
INSTRUCTIONS = {
    "kept32": "mm512_filter_ps",
    "kept64": "mm512_filter_pd",
    "whole": "mm512_filter_epi32",
    "long": "mm512_filter_epi64",
    "rounds": "mm512_filter_ps",
    "pairs": "",
    "sums32": "mm512_scan_add_ps",
    "sums64": "mm512_scan_add_pd",
    "products": "",
    "rows": "mm512_scan_add_ps",
}


def _given(function: Any, length: int, seed: int) -> list[Any]:
    """Arguments of whole numbers, whose sums are exact."""
    rng = np.random.default_rng(seed)
    args: list[Any] = []
    for param in function.core().functions[-1].params:
        dtype = np.dtype(str(param.type.scalar).replace("f", "float").replace("i", "int"))
        if not param.type.dims:
            args.append(3)
            continue
        shape = (length,) if len(param.type.dims) == 1 else (3, length)
        low = (-4, 4, -9, 0)[seed]  # some are kept, all, none
        args.append(rng.integers(low, -3 if seed == 2 else 5, shape).astype(dtype))
    return args


@pytest.mark.parametrize("name", INSTRUCTIONS)
def test_blocks_give_what_the_interpreter_gives(name: str) -> None:
    function, instruction = FUNCTIONS[name], INSTRUCTIONS[name]
    tuned = function.schedule(schedules.soac_default)
    text = "".join(map(str, tuned.kernels.values()))
    assert instruction in text if instruction else "mm512_filter" not in text and "mm512_scan" not in text
    for length in LENGTHS:
        for seed in range(4):
            args = _given(function, length, seed)
            found, expected = tuned(*args), function.interpret(*args)
            for a, b in zip(*(each if isinstance(each, tuple) else (each,) for each in (found, expected)), strict=True):
                assert a.dtype == b.dtype and np.array_equal(a, b), (length, seed)


def test_a_filter_is_cut_off_where_it_is_and_makes_no_second_array() -> None:
    kept32 = FUNCTIONS["kept32"]
    assert [each.array for each in kept32.allocations()] == ["k", "t"]
    large = np.arange(100_000, dtype=np.float32) - 90_000
    found = kept32(large)
    assert len(found) == 9_999 and np.array_equal(found, large[large > 0])
    assert found.flags.owndata or found.base is not None
    found[:] = 7.0  # nobody else has it
    assert np.array_equal(kept32(large), large[large > 0])
