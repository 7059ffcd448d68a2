"""The same programs in Halide and here give the same pixels."""

from __future__ import annotations

import numpy as np
import pytest

from usl_halide_lib import hl

halide = pytest.importorskip("halide", reason="Halide's Python package is not installed")

IMAGE = np.random.default_rng(7).integers(0, 255, (24, 30), np.uint8)


def blur(lang, source, x, y):
    rows, both = lang.Func("rows"), lang.Func("both")
    rows[x, y] = (lang.cast(lang.UInt(16), source[x, y]) + source[x + 1, y] + source[x + 2, y]) / 3
    both[x, y] = lang.cast(lang.UInt(8), (rows[x, y] + rows[x, y + 1] + rows[x, y + 2]) / 3)
    return both, [20, 18]


def histogram(lang, source, x, y):
    h, r, s = lang.Func("h"), lang.RDom([(0, 30), (0, 24)], "r"), lang.RDom([(1, 255)], "s")
    h[x] = 0
    h[lang.cast(lang.Int(32), source[r.x, r.y])] += 1
    h[s.x] += h[s.x - 1]
    return h, [256]


def edges(lang, source, x, y):
    f, g = lang.Func("f"), lang.Func("g")
    f[x, y] = lang.cast(lang.Int(16), source[lang.clamp(x, 0, 29), lang.clamp(y, 0, 23)])
    g[x, y] = lang.absd(f[x - 1, y], f[x + 1, y]) + lang.absd(f[x, y - 1], f[x, y + 1])
    return g, [30, 24]


def signs(lang, source, x, y):
    f = lang.Func("f")
    a, b = x - 8, y - 8
    f[x, y] = a / b * 1000 + a % b * 10 + lang.select((a < b) & (b != 3), 1, 2) + lang.min(a, 3) - lang.max(b, -2)
    return f, [17, 17]


def maxima(lang, source, x, y):
    f, r = lang.Func("f"), lang.RDom([(0, 24)], "r")
    r.where(r.x % 3 == 1)
    f[x] = lang.cast(lang.UInt(8), 0)
    f[x] = lang.max(f[x], source[x, r.x])
    return f, [30]


def ordered(lang, source, x, y):
    # no NaN: Halide 21 makes `not b < a` of `a <= b`, in strict_float too; here it is false, as IEEE 754 has it
    values = lang.Buffer(np.array([7.0, np.inf, -np.inf, 0.0, -0.0, 1.5, -2.0], np.float32))
    a, b, f = values[x], values[y], lang.Func("f")
    tests = [a < b, a <= b, a == b, a != b, a >= 1.5, a <= 0.0]
    chosen = (lang.strict_float(lang.select(each, 1 << place, 0)) for place, each in enumerate(tests))
    f[x, y] = sum(chosen, lang.Expr(0))
    return f, [7, 7]


def blends(lang, source, x, y):
    f, weight = lang.Func("f"), lang.cast(lang.UInt(8), x * 8)
    wide = [lang.cast(lang.Int(16), source[x, y]) * 100 - 9000, lang.cast(lang.Int(16), source[x, y + 1]) * 90]
    blended = lang.lerp(*wide, weight) + lang.cast(lang.Int(16), lang.lerp(source[x, y], source[x, y + 1], weight))
    f[x, y] = lang.cast(lang.Int(32), blended) ^ lang.cast(lang.Int(32), lang.concat_bits([source[x, y], weight]))
    return f, [30, 23]


@pytest.mark.parametrize("program", [blur, histogram, edges, signs, maxima, ordered, blends])
def test_same_pixels(program):
    theirs, size = program(halide, halide.Buffer(IMAGE), halide.Var("x"), halide.Var("y"))
    ours, _ = program(hl, hl.Buffer(IMAGE, "im"), hl.Var("x"), hl.Var("y"))
    expected = np.array(theirs.realize(size))
    result = np.asarray(ours.realize(size))
    assert result.dtype == expected.dtype
    np.testing.assert_array_equal(result, expected)
