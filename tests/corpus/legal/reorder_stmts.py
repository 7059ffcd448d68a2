"""Legal steps of `reorder_stmts`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import reorder_stmts

CASES = [
    Legal(
        "reorder_stmts",
        "different_buffers",
        "x: f32, y: f32",
        """
        x = 1.0
        y = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        y = 2.0
        x = 1.0
        """,
    ),
    Legal(
        "reorder_stmts",
        "different_elements",
        "n: size, x: f32[n + 1]",
        """
        x[n] = 1.0
        x[n - 1] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x[n - 1] = 2.0
        x[n] = 1.0
        """,
    ),
    Legal(
        "reorder_stmts",
        "two_reductions_into_one_place",
        "x: u8, y: u8",
        """
        x += y
        x += 7
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x += 7
        x += y
        """,
    ),
    Legal(
        "reorder_stmts",
        "windows_side_by_side",
        "x: f32[8]",
        """
        v = x[0:4]
        w = x[4:8]
        v[3] = 1.0
        w[0] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()[2:4]),
        """
        v = x[0:4]
        w = x[4:8]
        w[0] = 2.0
        v[3] = 1.0
        """,
    ),
    Legal(
        "reorder_stmts",
        "an_allocation_and_a_statement",
        "x: f32",
        """
        x = 1.0
        t: f32
        t = x
        """,
        lambda p: reorder_stmts(p, p.body()[0:2]),
        """
        t: f32
        x = 1.0
        t = x
        """,
    ),
    Legal(
        "reorder_stmts",
        "loops_over_ranges_side_by_side",
        "n: size, m: size, x: f32[n]",
        """
        assert m < n
        for i in seq(0, m):
            x[i] = 1.0
        for j in seq(m, n):
            x[j] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    Legal(
        "reorder_stmts",
        "branches_that_exclude_each_other",
        "n: size, x: f32",
        """
        if n < 4:
            x = 1.0
        if n > 6:
            x = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    Legal(
        "reorder_stmts",
        "two_reads_through_data",
        "k: i32[2], x: f32[4], y: f32[2]",
        """
        y[0] = x[idx(k[0], 0, 4)]
        y[1] = x[idx(k[1], 0, 4)]
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        y[1] = x[idx(k[1], 0, 4)]
        y[0] = x[idx(k[0], 0, 4)]
        """,
    ),
    Legal(
        "reorder_stmts",
        "even_and_odd_places",
        "k: index, x: f32[17]",
        """
        assert 0 <= k and k < 8
        x[2 * k] = 1.0
        x[2 * (k / 3) + 1] = 2.0
        """,
        lambda p: reorder_stmts(p, p.body()),
    ),
    Legal(
        "reorder_stmts",
        "a_loop_behind_several_allocations",
        "n: size, x: f32[n], y: f32[n]",
        """
        s: f32[n]
        for i in seq(0, n):
            s[i] = x[i]
        t: f32[n]
        u: f32[n]
        y[0] = 1.0
        for i in seq(0, n):
            y[i] = s[i]
        """,
        lambda p: reorder_stmts(p, p.body()[1:5], 1),
        """
        s: f32[n]
        t: f32[n]
        u: f32[n]
        y[0] = 1.0
        for i in seq(0, n):
            s[i] = x[i]
        for i in seq(0, n):
            y[i] = s[i]
        """,
    ),
    Legal(
        "reorder_stmts",
        "two_statements_over_a_third",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32
        t = x[0]
        y[0] = t
        z[0] = x[0]
        """,
        lambda p: reorder_stmts(p, p.body(), split=3),
        """
        z[0] = x[0]
        t: f32
        t = x[0]
        y[0] = t
        """,
    ),
    Legal(
        "reorder_stmts",
        "two_greatest_values_of_one_place",
        "x: f32, y: f32",
        """
        x @= max(y)
        x @= max(7.0)
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x @= max(7.0)
        x @= max(y)
        """,
    ),
    Legal(
        "reorder_stmts",
        "two_wrapping_products",
        "x: u8, y: u8",
        """
        x *= y
        x *= 7
        """,
        lambda p: reorder_stmts(p, p.body()),
        """
        x *= 7
        x *= y
        """,
    ),
]
