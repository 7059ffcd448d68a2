"""`block_scan` and `recursive_doubling`: running results by blocks and in steps of doubling length."""

from __future__ import annotations

import random

from tests.fuzz.kernels_operations import DECLARED
from tests.primitives.equivalence import assert_body, assert_equivalent, assert_refines, parse
from usl_core.equivalence import Relation
from usl_core.procedure import Procedure
from usl_core.scheduling import block_scan, divide_loop, recursive_doubling

SUMS = parse("""
    def sums(n: size, x: f32[n], y: f32[n], s: f32):
        for i in seq(0, n):
            s += x[i] * 0.5
            y[i] = s
""")


def steps(p: Procedure, loop: object, count: int) -> Procedure:
    for step in range(count):
        p = recursive_doubling(p, loop, f"u{step}")
        loop = p.forward(loop).next()
    return p


def test_a_scan_of_blocks_of_eight_takes_three_steps_each() -> None:
    p = divide_loop(SUMS, "i", 8, ["io", "ii"], tail="cut")
    p = block_scan(p, "ii", "t")
    p = steps(p, p.find_loop("j"), 3)
    assert_equivalent(SUMS, p, factor=8)
    assert str(p).count("t[j] += ") == 3


def test_cursors_stay_with_what_they_showed() -> None:
    p = block_scan(SUMS, "i", "t")
    loop, total, value, result = SUMS.find_loop("i"), SUMS.find("s += _"), SUMS.find("x[_] * _"), SUMS.find("y[_] = _")
    assert p.forward(loop) == p.find_loop("i #1")
    assert p.forward(total) == p.find("s += t[n - 1]")
    assert p.forward(value) == p.find("x[_] * 0.5")
    assert p.forward(result) == p.find("y[_] = _")
    assert p.forward(result.rhs()) == p.find("y[_] = _").rhs()
    q = divide_loop(SUMS, "i", 4, ["io", "ii"], tail="cut")
    q = block_scan(q, "ii", "t")
    running, read = q.find_loop("j"), q.find("t[j - 1]")
    r = recursive_doubling(q, running, "u")
    assert r.forward(running) == r.find("t[_] += u[_]").parent()
    assert r.forward(read) == r.find("u[_]")


def test_the_place_of_a_sum_may_have_an_index() -> None:
    p = parse("""
        def rows(m: size, n: size, x: i32[m, n], s: i32[m]):
            for r in seq(0, m):
                for i in seq(0, n):
                    s[r] += x[r, i]
                    x[r, i] = s[r]
        """)
    q = block_scan(p, "i", "t")
    assert_equivalent(p, q)
    assert q.forward(p.find("s[_] += _").idx()[0]) == q.find("s[_] += _").idx()[0]


def test_operations_of_users_are_scanned_and_what_is_written_out_may_have_more_values() -> None:
    for op in DECLARED:
        p = parse(
            f"""
            def f(n: size, x: {op.type}[n], y: {op.type}[n], s: {op.type}):
                for i in seq(0, n):
                    s @= {op}(x[i])
                    y[i] = s
            """,
            **{op.name: op},
        )
        q = block_scan(p, "i", "t")
        assert_refines(p, q)
        assert q.history()[-1].relation is Relation.REFINES


def test_uninitialised_elements_leave_all_after_them_without_a_value() -> None:
    p = parse("""
        def f(y: f32[8]):
            x: f32[8]
            x[0] = 1.0
            x[1] = 2.0
            for i in seq(3, 8):
                x[i] = 1.0
            s: f32
            s = 0.0
            for i in seq(0, 8):
                s += x[i]
                y[i] = s
        """)
    q = block_scan(p, "i #1", "t")
    q = steps(q, q.find_loop("j"), 3)
    assert_equivalent(p, q)


def test_all_chains_of_steps_over_short_loops_are_the_running_results() -> None:
    rng = random.Random(3)
    for _ in range(12):
        low, count = rng.randint(1, 4), rng.randint(1, 12)
        op = rng.choice(("+=", "*=", "^="))
        p = parse(f"""
            def f(x: i32[{low + count}]):
                for j in seq({low}, {low + count}):
                    x[j] {op} x[j - {low}]
            """)
        q, loop, step = p, p.find_loop("j"), low
        while True:
            q = recursive_doubling(q, loop, "u")
            if 2 * step >= low + count:
                break
            loop, step = q.forward(loop).next(), 2 * step
        assert_equivalent(p, q)


def test_an_extent_that_is_known_to_hold_another_step_may_be_a_size() -> None:
    p = parse("""
        def f(n: size, x: f32[n]):
            assert n >= 2
            for j in seq(1, n):
                x[j] += x[j - 1]
        """)
    q = recursive_doubling(p, "j", "u")
    assert_body(
        q,
        """
        u: f32[n]
        for j in seq(1, n):
            u[j] = x[j - 1]
        for j in seq(1, n):
            x[j] += u[j]
        for j in seq(2, n):
            x[j] += x[j - 2]
        """,
    )
    assert_equivalent(p, q)
