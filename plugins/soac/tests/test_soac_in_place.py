"""Kernels that overwrite their own arrays, choose without branches, and compute several results where they are read."""

from __future__ import annotations

import numpy as np
import pytest

from usl_perceus import live_blocks
from usl_soac.decorators import parse_program

TEXT = """
@soac
def swapped_ends(x: i64[n], k: i64) -> i64[n]:
    for i in range(k):
        first = x[0]
        x = x.set(0, x[n - 1] + 1)
        x = x.set(n - 1, first)
    return x

@soac
def old_kept(x: i64[n], k: i64) -> tuple[i64[n], i64[n]]:
    y = x
    for i in range(k):
        old = x
        x = x.set(0, y[0] + 1)
        y = old
    return x, y

@soac
def row_turned(x: i64[n, m], k: i64) -> i64[n, m]:
    for i in range(k):
        r = rotate(x[0], 1)
        x = x.set(0, r)
    return x

@soac
def rows_mixed(x: i64[n, m], k: i64) -> i64[n, m]:
    for i in range(k):
        x = x.set(1, map(lambda a, b: a + b, x[0], rotate(x[1], 1)))
        x = x.set((0, 0), x[1, 1])
    return x

@soac
def sums_put(x: i64[n], k: i64) -> i64[n]:
    for i in range(k):
        s = reduce(add, 0, x)
        z = map(lambda v: v + s, x)
        x = x.set(0, z[1])
        x = x.set(1, s)
    return x

@soac
def in_rows(rows: i64[n, m], k: i64) -> i64[n, m]:
    def one(x):
        t = 0
        for i in range(k):
            v = x[0]
            x = x.set(0, x[1])
            x = x.set(1, v + t)
            t = t + v
        return x
    return map(one, rows)

@soac
def nested_loops(rows: i64[n, m], k: i64) -> i64[n, m]:
    def one(x):
        for i in range(k):
            for j in range(3):
                x = x.set(0, x[1] + x[0])
            y = x
            for j in range(2):
                y = y.set(1, x[0] + y[1])
            x = map(lambda a, b: a + b, y, x)
        return x
    return map(one, rows)

@soac
def exchanged(x: i64[n], k: i64) -> tuple[i64[n], i64[n]]:
    y = map(lambda v: v * 2, x)
    for i in range(k):
        x, y = y.set(0, x[0] + 1), x.set(0, y[0] + 2)
    return x, y

@soac
def least(rows: i64[n, m]) -> i64[n]:
    return reduce(lambda a, b: map(lambda u, v: min(u, v), a, b), replicate(n, 100), transpose(rows))

@soac
def best_and_sums(x: f64[n], y: f64[n]) -> tuple[f64, f64, i64]:
    def best(a, b):
        return b if b[0] < a[0] else a
    d, at = reduce(best, (inf, -1), map(lambda u, v: (u - v) * (u - v), x, y), iota(n))
    s, t = reduce(lambda a, b: (a[0] + b[0], max(a[1], b[1])), (0.0, -inf), map(lambda u, v: (u * v, u + v), x, y))
    return s, t, at

@soac
def large_sums(x: f64[n], y: f64[n]) -> f64[_]:
    return filter(lambda v: v > 0.5, map(lambda u, v: u + v, x, y))

@soac
def flagged(x: i64[n], keep: bool[n]) -> tuple[i64[_], f64[n]]:
    a, b = filter(lambda v, k: k, x, keep)
    return a, map(lambda v: f64(v) if v > 2 and v < 5 else 1.0 / f64(v - 1), x)

@soac
def large_rows(x: i64[n, m]) -> tuple[i64[_, m], f32[n]]:
    return filter(lambda r: r[0] > 1, x), map(lambda i: f32(i - 3) * 2.0, iota(n))

@soac
def pairs_read(x: f64[n], y: f64[m]) -> f64[n]:
    s, t = map(lambda v, i: (v + y[i], v * y[i]), x, iota(n))
    u = map(lambda a, b: a - b, s, t)
    return u[0:n]

@soac
def corner(x: i64[n, m]) -> i64[n, m]:
    return map(lambda i: map(lambda j: x[max(i - 1, 0), min(j + 1, m - 1)] + byte(i), iota(m)), iota(n))

@soac
def byte(i: i64) -> i64:
    return i64(u8(i - 3))
"""

programs = parse_program(TEXT)
rng = np.random.default_rng(1)
numbers, table = rng.integers(0, 9, 5), rng.integers(0, 9, (4, 5))
one, other = rng.random(6), rng.random(6)

RUNS = [
    *((name, (numbers, 3)) for name in ("swapped_ends", "old_kept", "sums_put", "exchanged")),
    *((name, (table, 3)) for name in ("row_turned", "rows_mixed", "in_rows", "nested_loops")),
    ("least", (table,)),
    ("best_and_sums", (one, other)),
    ("best_and_sums", (one[:0], other[:0])),
    ("large_sums", (one, other)),
    ("large_sums", (one[:0], other[:0])),
    ("flagged", (numbers, numbers > 3)),
    ("large_rows", (table,)),
    ("large_rows", (table[:0],)),
    ("pairs_read", (one, other)),
    ("corner", (table,)),
    ("corner", (table[:, :0],)),
    ("corner", (table[:1, :1],)),
]


@pytest.mark.parametrize(("name", "args"), RUNS)
def test_kernels_give_what_the_interpreter_gives(name, args):
    before = live_blocks()
    found, expected = programs[name](*args), programs[name].interpret(*args)
    several = isinstance(expected, tuple)
    for a, b in zip(found, expected, strict=True) if several else [(found, expected)]:
        np.testing.assert_array_equal(a, b)
    del found, a
    assert live_blocks() == before


def text(name: str) -> str:
    return "\n".join(map(str, programs[name].kernels.values()))


def test_an_update_in_a_loop_copies_nothing_where_the_old_array_is_not_read_again():
    assert text("in_rows").count("for") == 3  # over rows, over the copy of a row, over rounds
    assert text("nested_loops").count("for") > 4


def test_elements_of_several_results_are_computed_where_they_are_read():
    assert not any(line.endswith("]") and ": f64[" in line for line in text("best_and_sums").splitlines())
    assert text("best_and_sums").count("for") == 2


def test_a_filter_of_numbers_has_no_branch_but_one_of_rows_has():
    assert "if" not in text("large_sums")
    assert "if" in text("large_rows")


def test_the_larger_of_indices_in_bounds_is_in_bounds():
    assert "bad" not in text("corner")
