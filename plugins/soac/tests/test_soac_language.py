"""The language, item by item: what each form gives, by the interpreter."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from usl_soac import parse_program

X = [1, 2, 3, 4]
M = [[1, 2, 3], [4, 5, 6]]


def made(body: str, head: str, result: str):
    lines = "\n".join(f"    {line}" for line in body.strip("\n").split("\n"))
    return parse_program(f"@soac\ndef f({head}) -> {result}:\n{lines}\n")["f"]


def expect(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for each, other in zip(found, expected, strict=True):
            expect(each, other)
    else:
        np.testing.assert_array_equal(found, expected)
        assert np.shape(found) == np.shape(expected)


VECTOR = [
    # creation
    ("iota(n)", [0, 1, 2, 3]),
    ("iota(0)", []),
    ("replicate(2, 7)", [7, 7]),
    ("[x[0], 9, -1]", [1, 9, -1]),
    # structure
    ("concat(x, x[:1], [5])", [1, 2, 3, 4, 1, 5]),
    ("split(x, 1)[1]", [2, 3, 4]),
    ("rotate(x, 1)", [2, 3, 4, 1]),
    ("rotate(x, -5)", [4, 1, 2, 3]),
    ("flatten([x, x])", [1, 2, 3, 4, 1, 2, 3, 4]),
    # parts
    ("x[1:3]", [2, 3]),
    ("x[1:]", [2, 3, 4]),
    ("x[:n - 1]", [1, 2, 3]),
    ("x[::2]", [1, 3]),
    ("x[1::2]", [2, 4]),
    ("x[::-1]", [4, 3, 2, 1]),
    ("x[1:4:-2]", [4, 2]),
    ("x[4:]", []),
    # functions over arrays
    ("map(lambda v: v * v, x)", [1, 4, 9, 16]),
    ("map(lambda v, w: v - w, x, rotate(x, 1))", [-1, -1, -1, 3]),
    ("scan(add, 0, x)", [1, 3, 6, 10]),
    ("scan(lambda a, b: a * b, 1, x)", [1, 2, 6, 24]),
    ("filter(lambda v: v % 2 == 0, x)", [2, 4]),
    ("filter(lambda v: v > 9, x)", []),
    # updates
    ("x.set(0, 9).set(n - 1, 8)", [9, 2, 3, 8]),
    ("scatter(x, [0, 7, 0, -1], [5, 6, 7, 8])", [7, 2, 3, 4]),
    ("reduce_by_index(replicate(3, 0), add, 0, map(lambda v: v % 3, x), x)", [3, 5, 2]),
    ("reduce_by_index(replicate(2, 9), min, 9, [0, 0, 5], [4, 3, 1])", [3, 9]),
    # lifting
    ("x + x", [2, 4, 6, 8]),
    ("10 - x", [9, 8, 7, 6]),
    ("-x", [-1, -2, -3, -4]),
    ("min(x, 2)", [1, 2, 2, 2]),
    ("i64(f64(x) / 2)", [0, 1, 1, 2]),
    ("map(lambda b: 1 if b else 0, x > 2)", [0, 0, 1, 1]),
    # conditions
    ("x if n > 3 else iota(1)", [1, 2, 3, 4]),
    ("iota(n) if n > 9 else x[:2]", [1, 2]),
]


@pytest.mark.parametrize(("body", "expected"), VECTOR, ids=[body for body, _ in VECTOR])
def test_expressions_on_a_vector(body, expected):
    expect(made(f"return {body}", "x: i64[n]", "i64[_]").interpret(X), np.array(expected, "i8"))


MATRIX = [
    ("transpose(x)", [[1, 4], [2, 5], [3, 6]]),
    ("rearrange(x, (1, 0))", [[1, 4], [2, 5], [3, 6]]),
    ("rearrange(x, (0, 1))", M),
    ("reshape(x, (3, 2))", [[1, 2], [3, 4], [5, 6]]),
    ("reshape(x, (m, n))", [[1, 2], [3, 4], [5, 6]]),
    ("concat(x, x[:1])", [*M, M[0]]),
    ("x[:, 1:]", [[2, 3], [5, 6]]),
    ("x[1:, ::-1]", [[6, 5, 4]]),
    ("x.set(0, x[1])", [M[1], M[1]]),
    ("x.set((1, 2), 0)", [[1, 2, 3], [4, 5, 0]]),
    ("replicate(2, x[0])", [M[0], M[0]]),
    ("map(lambda r: map(lambda v: v + 1, r), x)", [[2, 3, 4], [5, 6, 7]]),
    ("map(lambda r: scan(add, 0, r), x)", [[1, 3, 6], [4, 9, 15]]),
    ("scan(lambda a, b: map(add, a, b), replicate(m, 0), x)", [[1, 2, 3], [5, 7, 9]]),
    ("filter(lambda r: r[0] > 1, x)", [M[1]]),
    ("scatter(x, [1], x[:1])", [M[0], M[0]]),
    ("[x[0], x[1], x[0]]", [M[0], M[1], M[0]]),
    ("x * x", [[1, 4, 9], [16, 25, 36]]),
]


@pytest.mark.parametrize(("body", "expected"), MATRIX, ids=[body for body, _ in MATRIX])
def test_expressions_on_a_matrix(body, expected):
    expect(made(f"return {body}", "x: i64[n, m]", "i64[_, _]").interpret(M), np.array(expected, "i8"))


SCALARS = [
    ("len(x)", 2),
    ("shape(x, 1)", 3),
    ("x[1, 2]", 6),
    ("x[1][2]", 6),
    ("n * m", 6),
    ("reduce(add, 0, flatten(x))", 21),
    ("reduce(max, -99, x[:, 0])", 4),
    ("reduce(lambda a, b: a + b, replicate(m, 0), x)[1]", 7),
    ("reduce(add, 0, map(mul, x[0], x[1]), commutative=True)", 32),
    ("reduce(lambda a, i, b, j: (a, i) if a > b else (b, j), (0, 0), x[0], iota(m))[1]", 2),
    ("reduce(lambda p, q: (p[0] + q[0], p[1] * q[1]), (0, 1), x[0], x[1])[1]", 120),
    ("7 // 2 + 7 % 2 + (-7) // 2 + (-7) % 2", 1),
    ("2 ** 5 + (5 & 3) + (5 | 3) + (5 ^ 3) + (1 << 3) + (9 >> 1) + ~0", 32 + 1 + 7 + 6 + 8 + 4 - 1),
    ("abs(-3) + min(1, 2, -3) + max(1, 2)", 2),
    ("1 if 0 <= n < 2 or not n == 2 else 2", 2),
    ("1 if reduce(and_, True, map(lambda v: v > 0, x[0])) else 2", 1),
    ("i64(u8(300)) + i64(2.9) + i64(-2.9)", 44),
    ("i64(floor(2.5) + ceil(2.5)) + i64(pow(2.0, 3.0))", 13),
]


@pytest.mark.parametrize(("body", "expected"), SCALARS, ids=[body for body, _ in SCALARS])
def test_expressions_for_a_number(body, expected):
    assert made(f"return {body}", "x: i64[n, m]", "i64").interpret(M) == expected


STATEMENTS = [
    ("a, b = split(x, 1)\na += 10\nreturn concat(b, a)", [2, 3, 4, 11]),
    ("(a, b), c = (x, 1), 2\nreturn a * b * c", [2, 4, 6, 8]),
    ("y: i64[n] = x\nz: i64[_] = y\nreturn z", [1, 2, 3, 4]),
    ("if n > 2:\n    y = x\nelif n > 1:\n    y = iota(1)\nelse:\n    y = iota(2)\nreturn y", [1, 2, 3, 4]),
    ("if n > 2:\n    return x[:1]\ny = x\nreturn y", [1]),
    ("if n > 9:\n    return x[:1]\nelif n == 4:\n    y = x + 1\nelse:\n    return x\nreturn y", [2, 3, 4, 5]),
    ("for i in range(n):\n    x = x.set(i, x[i] * i)\nreturn x", [0, 2, 6, 12]),
    ("for i in range(1, 3):\n    x = concat(x, [i])\nreturn x", [1, 2, 3, 4, 1, 2]),
    ("for i in range(2):\n    x = concat(x, x)\nreturn x[:5]", [1, 2, 3, 4, 1]),
    ("for i in range(-3):\n    x = x[1:]\nreturn x", [1, 2, 3, 4]),
    ("s = 0\nfor i in range(n):\n    s += x[i]\n    if s > 5:\n        break\nreturn [s, i64(s > 5)]", [6, 1]),
    ("while len(x) > 2:\n    x = x[1:]\nreturn x", [3, 4]),
    ("s, p = 0, 1\nfor i in range(n):\n    t = x[i]\n    s, p = s + t, p * t\nreturn [s, p]", [10, 24]),
    ("for i in range(2):\n    for j in range(2):\n        x = rotate(x, i + j)\nreturn x", [1, 2, 3, 4]),
    ("def g(v):\n    if v > 2:\n        return v\n    return 0\nreturn map(g, x)", [0, 0, 3, 4]),
    ("k = 10\ndef g(a, b):\n    c = a + b\n    return c * k\nreturn map(g, x, x)", [20, 40, 60, 80]),
    ("m = 2\ndef g(r: i64[m]) -> i64:\n    return reduce(add, 0, r)\nreturn map(lambda v: g([v, v]), x)", [2, 4, 6, 8]),
    ("def twice(v):\n    return v + v\nreturn twice(twice(x))", [4, 8, 12, 16]),
    ('assert n == 4, "four"\nreturn x', [1, 2, 3, 4]),
    ('"A text that explains."\npass\nreturn x', [1, 2, 3, 4]),
    ("a, b = map(lambda v: (v, v + 1), x)\nreturn a * b", [2, 6, 12, 20]),
    ("p = map(lambda v: (v, (v, 1)), x)\nreturn map(lambda q: q[0] + q[1][0] + q[1][1], p)", [3, 5, 7, 9]),
    ("a, b = filter(lambda v, w: v < w, x, rotate(x, 1))\nreturn b", [2, 3, 4]),
    ("y = concat(map(lambda v: (v, -v), x), map(lambda v: (v, v), x))\nreturn y[1][3:5]", [-4, 1]),
]


@pytest.mark.parametrize(("body", "expected"), STATEMENTS, ids=lambda each: str(each)[:40])
def test_statements(body, expected):
    expect(made(body, "x: i64[n]", "i64[_]").interpret(X), np.array(expected, "i8"))


def test_numbers_take_the_type_of_what_they_meet():
    f = made("s = 0\nfor i in range(n):\n    s = s + x[i] * 0.5\nreturn max(s, 1 / 3)", "x: f32[n]", "f32")
    assert f.interpret([1.0, 2.0]) == 1.5
    assert f.interpret([]) == float(np.float32(1 / 3))
    assert f.interpret([], exact=True) == Fraction(1, 3)
    g = made("return reduce(lambda a, b: map(add, a, b), replicate(m, 0), x)", "x: f32[n, m]", "f32[m]")
    assert g.interpret(np.ones((2, 3), "f4")).dtype == np.float32


def test_integers_wrap_and_real_numbers_are_rounded_to_their_type():
    assert made("return x * x", "x: i64", "i64").interpret(2**62) == 0
    assert made("return x + 1", "x: u8", "u8").interpret(255) == 0
    assert made("return x + 1", "x: f32", "f32").interpret(2.0**24) == 2.0**24
    assert made("return x + 1", "x: f32", "f32").interpret(2.0**24, exact=True) == 2**24 + 1
    assert made("return 1 / x", "x: f64", "f64").interpret(0.0) == np.inf
    assert made("return x / -0.0", "x: f32", "f32").interpret(1.0) == -np.inf


def test_parameters_may_be_tuples_whose_arrays_share_sizes():
    f = made("a, b = p\nreturn a + b, p[1]", "p: tuple[f64, i64][n]", "tuple[f64, i64][n]".replace("f64", "i64"))
    g = made("a, b = p\nreturn map(lambda q: i64(q[0]) + q[1], p), b", "p: tuple[f64, i64][n]", "tuple[i64[n], i64[n]]")
    expect(g.interpret(([1.5, 2.5], [1, 2])), (np.array([2, 4]), np.array([1, 2])))
    with pytest.raises(Exception, match="two values of one type"):
        f.core()


def test_sizes_of_parameters_are_numbers_of_the_program():
    f = made("return n * 100 + m * 10 + k", "k: i64, x: f64[n, 2 * m], y: f64[m, k]", "i64")
    assert f.interpret(3, np.zeros((1, 4)), np.zeros((2, 3))) == 123
    with pytest.raises(ValueError, match=r"f: x has 5 elements in dimension 1, but 2\*m is 4"):
        f.interpret(3, np.zeros((1, 5)), np.zeros((2, 3)))
    with pytest.raises(ValueError, match="f: y has 2 elements in dimension 1, but k is 3"):
        f.interpret(3, np.zeros((1, 4)), np.zeros((2, 2)))


def test_functions_call_each_other_and_themselves():
    program = parse_program(
        """
@soac
def even(n: i64) -> bool:
    return True if n == 0 else odd(n - 1)

@soac
def odd(n: i64) -> bool:
    return False if n == 0 else even(n - 1)

@soac
def sorted_(x: i64[n]) -> i64[_]:
    if n < 2:
        return x
    p = x[0]
    less = filter(lambda v: v < p, x)
    more = filter(lambda v: v > p, x)
    return concat(sorted_(less), filter(lambda v: v == p, x), sorted_(more))
"""
    )
    assert program["even"].interpret(11) is False
    expect(program["sorted_"].interpret([3, 1, 2, 3, 0]), [0, 1, 2, 3, 3])


def test_deep_recursion_is_no_limit_of_the_interpreter():
    f = parse_program("@soac\ndef f(n: i64) -> i64:\n    return 0 if n == 0 else 1 + f(n - 1)\n")["f"]
    assert f.interpret(3000) == 3000


def test_empty_maps_keep_the_sizes_that_do_not_depend_on_elements():
    assert made("return map(lambda r: concat(r, r), replicate(0, iota(3)))", "", "i64[_, _]").interpret().shape == (0, 6)
    assert made("return map(lambda n: iota(n), iota(0))", "", "i64[_, _]").interpret().shape == (0, 0)
    assert made("return map(lambda v: iota(k * 2), x)", "x: i64[n], k: i64", "i64[_, _]").interpret([], 3).shape == (0, 6)
    f = made("r = x\nreturn concat(r, map(lambda v: [v[0]], r))", "x: i64[n, m]", "i64[_, _]")
    assert f.interpret(np.zeros((0, 1))).shape == (0, 1)
