"""`replace` looks into `idx`: callees that gather, scatter, expand and compress stand for loops over any data and sizes."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.procedure import Procedure
from usl_core.scheduling import replace

CALLEES = {
    "gather": """
        def gather(n: size, dst: [f32][8], src: [f32][n], k: [i32][8]):
            for l in seq(0, 8):
                dst[l] = src[idx(k[l], 0, n)]
        """,
    "gather_between": """
        def gather_between(lo: index, hi: index, n: size, dst: [f32][8], src: [f32][n], k: [i32][8]):
            assert 0 <= lo and lo < hi and hi <= n
            for l in seq(0, 8):
                dst[l] = src[idx(k[l], lo, hi)]
        """,
    "gather_in_two": """
        def gather_in_two(n: size, m: size, dst: [f32][8], src: [f32][n, m], k: [i32][8], j: [i32][8]):
            for l in seq(0, 8):
                dst[l] = src[idx(k[l], 0, n), idx(j[l], 0, m)]
        """,
    "gather_by_gathered": """
        def gather_by_gathered(n: size, m: size, dst: [f32][8], src: [f32][n], k: [i32][m], j: [i32][8]):
            for l in seq(0, 8):
                dst[l] = src[idx(k[idx(j[l], 0, m)], 0, n)]
        """,
    "scatter": """
        def scatter(n: size, dst: [f32][n], src: [f32][8], k: [i32][8]):
            for l in seq(0, 8):
                dst[idx(k[l], 0, n)] += src[l]
        """,
    "expand": """
        def expand(n: size, c: i32, dst: [f32][8], src: [f32][n], k: [i32][8]):
            for l in seq(0, 8):
                if k[l] > 0:
                    dst[l] = src[idx(c, 0, n)]
                    c += 1
        """,
    "compress": """
        def compress(n: size, c: i32, dst: [f32][n], src: [f32][8], k: [i32][8]):
            for l in seq(0, 8):
                dst[idx(c, 0, n)] = src[l]
                c += select(0, k[l], 1, 0)
        """,
}
USE = """
    def use(n: size, m: size, t: f32[2, m, n + 3], key: i32[4, 16], x: f32[24], c: i32, r: index):
        assert 0 <= r and r < m and n > 2
        for i in seq(0, 2):
            for l in seq(0, 8):
                {0}
    """


@pytest.mark.parametrize(
    ("name", "statement", "call"),
    [
        ("gather", "x[8 * i + l + 3] = t[1, r, idx(key[2, 8 * i + l], 0, n)]",
         "gather(n, x[8 * i + 3:8 * i + 11], t[1, r, 0:n], key[2, 8 * i:8 * i + 8])"),
        ("gather", "x[l] = t[1, r, idx(key[i, l], 0, n) + 3]", "gather(n, x[0:8], t[1, r, 3:n + 3], key[i, 0:8])"),
        ("gather", "x[l] = t[i, idx(key[l / 8, l], 0, m), 2]", "gather(m, x[0:8], t[i, 0:m, 2], key[0, 0:8])"),
        ("gather_between", "x[l] = t[1, r, 1 + idx(key[i, l], 2, n)]",
         "gather_between(2, n, n + 2, x[0:8], t[1, r, 1:n + 3], key[i, 0:8])"),
        ("gather_in_two", "x[l] = t[i, idx(key[0, l], 0, m), idx(key[1, l + 8], 0, n + 1)]",
         "gather_in_two(m, n + 1, x[0:8], t[i, 0:m, 0:n + 1], key[0, 0:8], key[1, 8:16])"),
        ("gather_by_gathered", "x[l] = t[i, 0, idx(key[1, idx(key[i, l], 0, 16)], 0, n)]",
         "gather_by_gathered(n, 16, x[0:8], t[i, 0, 0:n], key[1, 0:16], key[i, 0:8])"),
        ("scatter", "t[1, r, idx(key[i, l], 0, n) + 1] += x[16 + l]", "scatter(n, t[1, r, 1:n + 1], x[16:24], key[i, 0:8])"),
        ("expand", "if key[3, l] > 0:\n                    x[l] = t[0, r, idx(c, 0, n)]\n                    c += 1",
         "expand(n, c, x[0:8], t[0, r, 0:n], key[3, 0:8])"),
        ("compress", "t[0, r, idx(c, 0, n)] = x[8 * i + l]\n                c += select(0, key[i, l], 1, 0)",
         "compress(n, c, t[0, r, 0:n], x[8 * i:8 * i + 8], key[i, 0:8])"),
    ],
)  # fmt: skip
def test_a_loop_over_other_data_and_sizes_is_found(name: str, statement: str, call: str) -> None:
    callee: Procedure = parse(CALLEES[name])
    p = parse(USE.format(statement))
    q = replace(p, "l", callee)
    assert call in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize("name", CALLEES)
def test_each_stands_for_its_own_body(name: str) -> None:
    callee = parse(CALLEES[name])
    p = parse(CALLEES[name].replace(f"def {name}", "def use"))
    assert f"{name}(" in str(replace(p, "l", callee))
