"""The library's vectorize on AVX-512: the box blur and matrix-vector products in two calls each."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from avx512_build import HOW, kernel

from usl_avx512 import AVX512, box_blur, isa, kernels_int
from usl_core import Procedure, if_to_select, proc_from_source, simplify
from usl_core.interp.run import run
from usl_stdlib import interleave, replace_all, unroll_and_jam, vectorize

FLOATS = (*isa.instructions("basics"), *isa.instructions("floats"))

GEMV = proc_from_source("""\
def gemv(M: size, N: size, A: f32[M, N], x: f32[N], y: f32[M]):
    for i in seq(0, M):
        for j in seq(0, N):
            y[i] += A[i, j] * x[j]
""")
GEMV_T = proc_from_source("""\
def gemv_t(M: size, N: size, A: f32[M, N], x: f32[M], y: f32[N]):
    for i in seq(0, M):
        for j in seq(0, N):
            y[j] += A[i, j] * x[i]
""")


@cache
def blur() -> Procedure:
    p, _ = vectorize(box_blur, "x", 16, AVX512, kernels_int.INSTRUCTIONS, tail="masked")
    p, _ = unroll_and_jam(p, "y", 4)
    return simplify(p)


@cache
def product(transposed: bool) -> Procedure:
    p, _ = vectorize(GEMV_T if transposed else GEMV, "j", 16, AVX512, FLOATS, tail="masked")
    p, _ = unroll_and_jam(p, "i", 4)
    return simplify(p)


def test_four_rows_of_the_blur_share_the_loads_of_their_columns() -> None:
    assert str(blur()).count("mm512_mask_div9_epu32(W % 16 - 16 * xt, ") == 5
    assert "u32(src" not in str(blur())


@pytest.mark.parametrize("how", HOW)
def test_blurred_pictures_are_equal_to_the_pixel(how: str, tmp_path: object) -> None:
    call = kernel(blur(), how, tmp_path)  # type: ignore[arg-type]
    random = np.random.default_rng(9)
    for h, w in ((1, 1), (4, 16), (5, 33), (9, 47)):
        source = random.integers(0, 65535, (h + 2, w + 2), np.uint16, endpoint=True)
        got = np.zeros((h, w), np.uint16)
        call(h, w, source, got)
        sums = sum(source[y : y + h, x : x + w].astype(np.uint32) for y in range(3) for x in range(3))
        assert np.array_equal(got, sums // 9), (h, w)


@pytest.mark.parametrize("transposed", [False, True], ids=["N", "T"])
def test_products_of_matrices_and_vectors_are_exact(transposed: bool) -> None:
    random = np.random.default_rng(2)
    for m, n in ((1, 1), (3, 15), (4, 16), (9, 50)):
        a, x, y = (
            random.integers(-8, 9, shape).astype(np.float32)
            for shape in ((m, n), m if transposed else n, n if transposed else m)
        )
        want = y + (a.T if transposed else a) @ x
        run(product(transposed).ir, [m, n, a, x, y])
        assert np.array_equal(y, want), (m, n)


PLAIN = {"max": np.max, "min": np.min, "mul": np.prod}
KINDS = {"f32": ("floats", 16, np.float32), "f64": ("floats", 8, np.float64), "i32": ("integers", 16, np.int32)}


@cache
def extreme(op: str, typ: str) -> Procedure:
    """The least or greatest value, or the product, of a vector and s, in two registers."""
    table, lanes, _ = KINDS[typ]
    stmt = "s *= x[i]" if op == "mul" else f"s @= {op}(x[i])"
    p = proc_from_source(f"def f(n: size, x: {typ}[n], s: {typ}):\n    for i in seq(0, n):\n        {stmt}\n")
    instructions = (*isa.instructions("basics"), *isa.instructions(table))
    p, vectors = vectorize(p, "i", lanes, AVX512, instructions, tail="masked")
    p, _ = interleave(p, vectors.loop, 2, par_reduce=True)
    return simplify(replace_all(p, instructions))


@pytest.mark.parametrize(("op", "typ"), [("max", "f32"), ("min", "f32"), ("mul", "f32"), ("max", "f64"), ("min", "i32")])
def test_extremes_and_products_are_kept_in_lanes(op: str, typ: str) -> None:
    p = extreme(op, typ)
    assert str(p).count(f"_{op}_into_") == 6  # two registers, both onto the first one, a single one left, and the tail
    random = np.random.default_rng(3)
    for n in (1, 15, 16, 40, 90):
        x = random.choice([-1, 1] if op == "mul" else range(-50, 50), n).astype(KINDS[typ][2])
        for start in (-7, 60):
            s = np.array(start, KINDS[typ][2])
            run(p.ir, [n, x, s])
            expected = PLAIN[op](x) * start if op == "mul" else PLAIN[op]([*x, start])
            assert s == expected, (n, start)


@pytest.mark.parametrize("how", HOW)
def test_the_greatest_of_a_vector_in_c(how: str, tmp_path: object) -> None:
    call = kernel(extreme("max", "f32"), how, tmp_path)  # type: ignore[arg-type]
    for n in (1, 15, 33, 200):
        x, s = np.random.default_rng(n).normal(size=n).astype(np.float32), np.array(-np.inf, np.float32)
        call(n, x, s)
        assert s == x.max()


@pytest.mark.parametrize("how", HOW)
def test_branches_on_data_are_choices_in_lanes(how: str, tmp_path: object) -> None:
    """The sum of what lies in a range, which is copied, where the rest becomes 0."""
    p = proc_from_source("""\
def f(n: size, x: f32[n], y: f32[n], s: f32):
    for i in seq(0, n):
        if x[i] > -3.0 and x[i] <= 3.0:
            s += x[i]
            y[i] = x[i]
        else:
            s += 0.0
            y[i] = 0.0
""")
    p, _ = vectorize(if_to_select(p, "if _: _"), "i", 16, AVX512, FLOATS, tail="masked")
    assert "select(" not in str(p) and "if " not in str(p)
    call = kernel(p, how, tmp_path)  # type: ignore[arg-type]
    for n in (1, 16, 45):
        x = np.random.default_rng(n).integers(-6, 7, n).astype(np.float32)
        y, s = np.empty_like(x), np.array(1, np.float32)
        call(n, x, y, s)
        inside = np.where((x > -3) & (x <= 3), x, 0)
        assert np.array_equal(y, inside) and s == 1 + inside.sum()
