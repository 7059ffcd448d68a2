"""Tests and clamps that ends of values make idle are left out of C, and only these."""

from __future__ import annotations

import re

import numpy as np
import pytest

from usl_c11.jit import jit
from usl_core import proc_from_source
from usl_core.interp.run import run

HARD = [np.nan, np.inf, -np.inf, -0.0, 0.99, -0.99, 254.9, 255.0, 255.5, 256.0, 1e30, -1e30, 2147483648.0, -2147483904.0, 77.7]
HEAD = "def f(n: size, m: index, x: f32[n], b: u8[n], c: i8[n], table: i32[256], y: i32[n]):\n    for i in seq(0, n):\n        "


def compiled(lines: str) -> tuple[str, np.ndarray]:
    """The C of statements on element i, and what they leave in y, which is what the interpreter leaves there."""
    procedure = proc_from_source(HEAD + "\n        ".join(lines.splitlines()) + "\n", {}, "intervals.py")
    n = len(HARD)
    given = {
        "n": n,
        "m": 3,
        "x": np.array(HARD, np.float32),
        "b": np.linspace(0, 255, n).astype(np.uint8),
        "c": np.linspace(-128, 127, n).astype(np.int8),
        "table": np.arange(256, dtype=np.int32) * 7,
        "y": np.zeros(n, np.int32),
    }
    ours, theirs = ({k: v.copy() if isinstance(v, np.ndarray) else v for k, v in given.items()} for _ in range(2))
    jit(procedure.ir)(*ours.values())
    run(procedure.ir, theirs)
    np.testing.assert_array_equal(ours["y"], theirs["y"])
    return procedure.c_code().partition("f_body(")[2].partition("return 0;")[0], ours["y"]


IDLE = [
    "y[i] = i32(max(min(x[i], 255.0), 0.0))",
    "y[i] = i32(u8(max(min(x[i], 255.9), -0.9)))",
    "y[i] = table[idx(i32(b[i]), 0, 256)]",
    "y[i] = table[idx(i32(max(min(x[i] * 3.0, 254.0), 1.0)) + 1, 0, 256)]",
    "y[i] = max(min(i32(b[i]), 255), 0)",
    "t: i32\nt = i32(max(min(x[i], 9.0), 0.0))\ny[i] = table[idx(t * 20, 0, 256)]",
    "y[i] = i32(max(rint(min(4.0, max(-4.0, x[i])) * 1.5), -8.0) + f32(b[i]))",
]
TRUNCATED_FIRST = [
    "y[i] = i32(u8(min(f32(b[i]) * 1.5, 255.0)))",
    "y[i] = i32(i8(max(-99.5, min(f32(c[i]) * -1.75, 77.75))))",
    "y[i] = i32(u16(min(9.5, abs(max(min(x[i], 255.0), -255.0)))))",
]
NEEDED = [
    "y[i] = i32(u8(f32(b[i]) * 1.5))",
    "y[i] = i32(max(0.0, min(255.0, x[i])))",
    "y[i] = i32(u8(max(min(x[i], 256.0), 0.0)))",
    "y[i] = i32(u8(max(min(x[i], 255.0), -1.0)))",
    "y[i] = table[idx(i32(b[i]), 0, 255)]",
    "y[i] = table[idx(i32(c[i]), 0, 256)]",
    "y[i] = table[idx(i32(u8(b[i] + 1)) + 1, 0, 256)]",
    "y[i] = i32(x[i] * 0.0)",
    "t: i32\nt = 3\nif m < 3:\n    t = 9\nelse:\n    t = i32(c[i])\ny[i] = table[idx(t, 0, 256)]",
    "t: i32\nt = 1\nfor j in seq(0, 3):\n    y[i] = table[idx(t, 0, 128)]\n    t = t * 8",
]


@pytest.mark.parametrize("lines", IDLE)
def test_what_cannot_matter_is_not_tested(lines: str) -> None:
    text, _ = compiled(lines)
    assert not re.search(r"usl_\w+_from_f32|usl_idx|usl_max_i32|usl_min_i32", text)


@pytest.mark.parametrize("lines", TRUNCATED_FIRST)
def test_fractions_are_dropped_before_values_are_compared(lines: str) -> None:
    text, _ = compiled(lines)
    assert not re.search(r"usl_\w+_from_f32", text)
    assert "(int32_t)usl_m" not in text


def test_a_limit_is_rounded_to_its_type_before_its_fraction_is_dropped() -> None:
    compiled("y[i] = i32(i16(min(max(min(x[i], 1000.0), 0.0), 255.99999999)))")  # 256 in f32


@pytest.mark.parametrize("lines", NEEDED)
def test_what_may_matter_is_tested(lines: str) -> None:
    text, _ = compiled(lines)
    assert re.search(r"usl_\w+_from_f32|usl_idx", text)


def test_places_are_kept_in_an_array_of_zeros() -> None:
    """An element that was never written is a place that there is."""
    text, _ = compiled(
        "at: i32[4]\nfor j in seq(0, 3):\n    at[j] = i32(b[i]) / 2 + i32(j)\n"
        "for j in seq(0, 3):\n    y[i] = table[idx(at[j], 0, 130)]"
    )
    assert "at[4] = {0};" in text
    assert "usl_idx" not in text
