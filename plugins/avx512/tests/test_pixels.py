"""Loops of image pipelines: vectorize finds the instructions by itself, for all vectors and for the masked rest."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from avx512_build import HOW, kernel

from usl_avx512 import AVX512, isa
from usl_core import Procedure, proc_from_source
from usl_core.cursors import CallCursor
from usl_core.errors import SchedulingError
from usl_core.interp.run import run
from usl_stdlib import vectorize

FORMALS = {
    16: "x: u8[2 * n + 2], c: u8[n, 3], p: i32[n + 2], q: f32[n + 2], s: i16[n + 2], h: u16[n + 2], t: f32[256], w: u16[300], "
    "yi: i32[n], yf: f32[n], yh: u16[n], yb: u8[2 * n], ys: i16[n]",
    32: "x: u8[2 * n + 2], c: u8[n, 3], d: u8[n, 4], s: i16[n + 2], h: u16[n + 2], w: u16[256], "
    "yh: u16[n], ys: i16[n], yb: u8[2 * n], yc: u8[n, 3]",
    64: "x: u8[2 * n + 2], z: i8[n + 1], t: u8[256], yb: u8[n + 1], yz: i8[n], yc: u8[n, 4], r: u8[n]",
}
LOOPS = {
    16: """
        yi[i] = p[i] // 4
        yf[i] = select(x[i], 128, 0.0, q[i])
        yb[i] = select(q[i], 0.5, 0, 255)
        ys[i] = select(x[i], x[i + 1], s[i], s[i + 1])
        yf[i] = f32(i) + select(i32((i + 1) % 2), 1, q[i], q[i + 1])
        yb[i] = u8(min(f32(x[i]) * 1.5, 255.0))
        yb[i] = u8(min(max(p[i] // 16, 0), 255))
        yh[i] = u16((u32(h[i]) + u32(h[i + 1])) // 9)
        yi[i] += i32(c[i, 1]) - i32(c[i, 2])
        yf[i] = t[idx(x[2 * i + 1], 0, 256)] * 2.0
        yh[i] = w[idx(h[i], 0, 300)]
        yf[i] = q[min(max(i - 1, 0), n + 1)] - q[max(i - 3, 1)]
        yf[i] = q[n + 1 - i] + q[i / 2]
        yb[2 * i + 1] = u8(h[(i + 1) / 2])
    """,
    32: """
        yh[i] = u16(x[i]) + u16(x[i + 1]) + u16(x[i + 2])
        yh[i] = (h[i] + h[i + 1] + h[i + 2]) // 3
        ys[i] = s[i] // 7 - s[i + 1] % 10
        yh[i] = u16(abs(i16(x[i + 2]) - i16(x[i])))
        yb[i] = u8(min(h[i], 255))
        yb[i] = u8((u16(c[i, 0]) * 77 + u16(c[i, 1]) * 150 + u16(c[i, 2]) * 29) / 256)
        yb[i] = u8((u16(x[2 * i]) + u16(x[2 * i + 1]) + 2) / 4)
        yb[2 * i] = u8((u16(x[i / 2]) * 3 + u16(x[(i + 1) / 2])) / 4)
        yh[i] = w[idx(x[i], 0, 256)]
        ys[i] = i16(clamp(i32(s[i]) - i32(s[i + 1]), -32768, 32767))
        yh[i] = h[min(i + 2, n - 1)]
        yc[i, 1] = max(d[i, 3], d[i, 0])
    """,
    64: """
        yb[i] = max(x[i], x[i + 1]) - min(x[i], x[i + 1])
        yb[i] = u8((u16(x[i]) + u16(x[i + 1]) + 1) / 2)
        yb[i] = u8(min(u16(x[i]) + u16(x[i + 1]), 255))
        yb[i] = x[i] / 3 + x[i + 1] % 10
        yz[i] = select(z[i], z[i + 1], -z[i], abs(z[i + 1]))
        yb[i] = t[idx(x[2 * i], 0, 256)]
        yb[i] = x[min(max(i - 1, 0), n - 1)]
        yc[i, 3] = u8(i) + x[n - 1 - i]
        yb[n - 1 - i] = r[i / 2]
    """,
}
"""Statements, each to be the body of a loop, by the width at which they are vectorised."""


def loops(width: int) -> Procedure:
    lines = [line.strip() for line in LOOPS[width].strip().splitlines()]
    text = "".join(f"    for i{number} in seq(0, n):\n        {_renamed(line, number)}\n" for number, line in enumerate(lines))
    return proc_from_source(f"def pixels{width}(n: size, {FORMALS[width]}):\n{text}")


def _renamed(line: str, number: int) -> str:
    """The statement with an iterator of its own."""
    return re.sub(r"\bi\b", f"i{number}", line)


@cache
def vectorised(width: int) -> Procedure:
    p = loops(width)
    for loop in list(p.body()):
        p, made = vectorize(p, loop, width, AVX512, isa.for_lanes(width), tail="masked")
        full = [stmt for each in (made.loop, made.tail) if each is not None for stmt in each.body()]
        assert all(isinstance(stmt, CallCursor) or hasattr(stmt, "shape") for stmt in full), str(made.loop)
    return p


def arrays(p: Procedure, n: int, random: np.random.Generator) -> list[Any]:
    """n, and random numbers over the whole range of each integer type."""
    found: list[Any] = [n]
    for _, scalar, shape in re.findall(r"(\w+): (\w\d+)\[([^\]]+)\]", str(p).partition(":\n")[0]):
        extents = [int(eval(each.strip(), {"n": n})) for each in shape.split(",")]
        dtype = np.dtype({"f": "f", "i": "i", "u": "u"}[scalar[0]] + str(int(scalar[1:]) // 8))
        if dtype.kind == "f":
            found.append(random.uniform(-300, 300, extents).astype(dtype))
        else:
            limits = np.iinfo(dtype)
            found.append(random.integers(limits.min, limits.max, extents, dtype, endpoint=True))
    return found


@pytest.mark.parametrize("how", HOW)
@pytest.mark.parametrize("width", LOOPS)
def test_every_loop_is_vectorised_without_help_and_keeps_its_meaning(width: int, how: str, tmp_path: Path) -> None:
    p = loops(width)
    call = kernel(vectorised(width), how, tmp_path)
    random = np.random.default_rng(width)
    for n in (1, 2, width - 1, width, 2 * width + 3):
        before = arrays(p, n, random)
        want, got = ([each if isinstance(each, int) else each.copy() for each in before] for _ in range(2))
        run(p.ir, want, mode="machine")
        call(*got)
        for name, a, b in zip(p.args(), want, got, strict=True):
            np.testing.assert_array_equal(a, b, err_msg=f"{name.name()} for n = {n}")


def test_narrow_values_live_in_parts_of_registers() -> None:
    p = proc_from_source(
        "def f(n: size, x: u8[n], y: f32[n]):\n    for i in seq(0, n):\n        y[i] = select(x[i], 9, 1.0, y[i])\n"
    )
    _, made = vectorize(p, "i", 16, AVX512, isa.for_lanes(16))
    assert {(str(each.type()), each.mem().name) for each in made.registers} == {("u8", "AVX512_XMM"), ("f32", "AVX512")}


def test_a_type_that_no_register_of_the_width_holds_is_named() -> None:
    p = proc_from_source("def f(n: size, x: u8[n], y: i32[n]):\n    for i in seq(0, n):\n        y[i] = i32(x[i])\n")
    with pytest.raises(SchedulingError, match="no instruction computes") as caught:
        vectorize(p, "i", 32, AVX512, isa.for_lanes(32))
    assert "the given instructions of this width compute b8, bf16, i16, i8, u16, u8, and this is i32" in str(caught.value)


def test_instructions_are_listed_by_their_lanes_and_by_what_the_processor_has() -> None:
    assert {"mm512_load3_epu8", "mm512_add3_epu8"} <= {each.name() for each in isa.for_lanes(64)}
    assert "mm512_lookup_bytes" not in {each.name() for each in isa.for_lanes(64)}
    more = isa.for_lanes(64, (*isa.PLAIN, "avx512vbmi"))
    assert "mm512_lookup_bytes" in {each.name() for each in more}
    with pytest.raises(Exception, match="no instruction works on 7 lanes; there are 8, 16, 32 and 64"):
        isa.for_lanes(7)
