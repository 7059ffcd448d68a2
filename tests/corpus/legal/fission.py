"""Legal steps of `fission`."""

from __future__ import annotations

from tests.corpus.callees import TOTAL
from tests.corpus.case import Legal, Step
from usl_core.scheduling import fission


def _after(pattern: str, n_lifts: int = 1) -> Step:
    return lambda p: fission(p, p.find(pattern).after(), n_lifts)


CASES = [
    Legal(
        "fission",
        "independent_statements",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            x[i] = 1.0
        for i in seq(0, n):
            y[i] = 2.0
        """,
    ),
    Legal(
        "fission",
        "a_value_per_iteration",
        "n: size, x: f32[n], y: f32[n], t: f32[n]",
        """
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = t[i] * t[i]
        """,
        _after("t[_] = _"),
        """
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n):
            y[i] = t[i] * t[i]
        """,
    ),
    Legal(
        "fission",
        "a_read_of_what_an_earlier_iteration_wrote",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            x[i + 1] = 1.0
            y[i] = x[i]
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            x[i + 1] = 1.0
        for i in seq(0, n):
            y[i] = x[i]
        """,
    ),
    Legal(
        "fission",
        "the_initialisation_of_a_sum_through_two_loops",
        "n: size, m: size, x: f32[n, m], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = 0.0
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
        _after("y[_] = _"),
        """
        for i in seq(0, n):
            y[i] = 0.0
        for i in seq(0, n):
            for j in seq(0, m):
                y[i] += x[i, j]
        """,
    ),
    Legal(
        "fission",
        "two_lifts",
        "n: size, m: size, x: f32[n, m], y: f32[n, m]",
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
                y[i, j] = x[i, j]
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            for j in seq(0, m):
                x[i, j] = 1.0
        for i in seq(0, n):
            for j in seq(0, m):
                y[i, j] = x[i, j]
        """,
    ),
    Legal(
        "fission",
        "an_invariant_assignment",
        "n: size, x: f32[n], a: f32, b: f32",
        """
        for i in seq(0, n):
            a = b
            x[i] = a
        """,
        _after("a = _"),
        """
        for i in seq(0, n):
            a = b
        for i in seq(0, n):
            x[i] = a
        """,
    ),
    Legal(
        "fission",
        "through_a_guard",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
                y[i] = 2.0
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            if i < 3:
                x[i] = 1.0
        for i in seq(0, n):
            if i < 3:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission",
        "through_an_invariant_if_with_else",
        "n: size, m: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
                y[i] = 2.0
            else:
                z[i] = 3.0
        """,
        _after("x[_] = _", 2),
        """
        for i in seq(0, n):
            if m < 3:
                x[i] = 1.0
            else:
                z[i] = 3.0
        for i in seq(0, n):
            if m < 3:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission",
        "a_condition_on_data_that_stays",
        "n: size, c: f32[n], x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                x[i] = 1.0
                y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                x[i] = 1.0
            if c[i] < 0.0:
                y[i] = 2.0
        """,
    ),
    Legal(
        "fission",
        "two_reductions_into_one_sum",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            s += y[i]
        """,
        _after("s += x[_]"),
        """
        for i in seq(0, n):
            s += x[i]
        for i in seq(0, n):
            s += y[i]
        """,
    ),
    Legal(
        "fission",
        "a_triangle",
        "n: size, x: f32[n, n], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, i):
                x[i, j] = 1.0
            y[i] = 2.0
        """,
        lambda p: fission(p, p.find("for j in _: _").after()),
    ),
    Legal(
        "fission",
        "a_parallel_loop_stays_parallel",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in par(0, n):
            x[i] = 1.0
            y[i] = 2.0
        """,
        _after("x[_] = _"),
        """
        for i in par(0, n):
            x[i] = 1.0
        for i in par(0, n):
            y[i] = 2.0
        """,
    ),
    Legal(
        "fission",
        "halves_of_a_window_in_turn",
        "n: size, x: f32[2 * n]",
        """
        lo = x[0:n]
        hi = x[n:2 * n]
        for i in seq(0, n):
            lo[i] = 1.0
            hi[i] = 2.0
        """,
        _after("lo[_] = _"),
    ),
    Legal(
        "fission",
        "a_sum_that_each_iteration_computes_anew",
        "n: size, m: size, x: f32[m], a: f32, y: f32[n]",
        """
        for i in seq(0, n):
            a = 0.0
            for j in seq(0, m):
                a += x[j]
            y[i] = a
        """,
        lambda p: fission(p, p.find_loop("j").after()),
        """
        for i in seq(0, n):
            a = 0.0
            for j in seq(0, m):
                a += x[j]
        for i in seq(0, n):
            y[i] = a
        """,
    ),
    Legal(
        "fission",
        "an_else_in_no_loop",
        "n: size, a: f32[n], b: f32",
        """
        if n > 4:
            a[0] = 1.0
        else:
            a[0] = 2.0
            b = a[0]
        """,
        lambda p: fission(p, p.find("a[0] = 2.0").after()),
        """
        if n > 4:
            a[0] = 1.0
        else:
            a[0] = 2.0
        if n <= 4:
            b = a[0]
        """,
    ),
    Legal(
        "fission",
        "an_else_on_data",
        "n: size, c: f32[n], a: f32[n], b: f32[n]",
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                a[i] = 1.0
            else:
                a[i] = 2.0
                b[i] = a[i] + c[i]
        """,
        lambda p: fission(p, p.find("a[_] = 2.0").after(), n_lifts=2),
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                a[i] = 1.0
            else:
                a[i] = 2.0
        for i in seq(0, n):
            if c[i] < 0.0:
                pass
            else:
                b[i] = a[i] + c[i]
        """,
    ),
    Legal(
        "fission",
        "an_if_with_else_under_a_condition_on_the_iterator",
        "n: size, a: f32[n], b: f32[n]",
        """
        for i in seq(0, n):
            if i > 4:
                a[i] = 1.0
                b[i] = a[i]
            else:
                a[i] = 3.0
        """,
        lambda p: fission(p, p.find("a[_] = _").after(), n_lifts=2),
        """
        for i in seq(0, n):
            if i > 4:
                a[i] = 1.0
            else:
                a[i] = 3.0
        for i in seq(0, n):
            if i > 4:
                b[i] = a[i]
        """,
    ),
    Legal(
        "fission",
        "a_call_that_starts_its_sum_anew",
        "n: size, m: size, x: f32[n], y: f32[1], z: f32[m]",
        """
        for j in seq(0, m):
            total(n, y[0:1], x[0:n])
            z[j] = y[0]
        """,
        lambda p, c: fission(p, p.find("total(_)").after()),
        callees=(TOTAL,),
    ),
    Legal(
        "fission",
        "two_parts_of_a_parity",
        "n: size, x: u8[n], y: u8[n], m: u8",
        """
        for i in seq(0, n):
            m ^= x[i]
            m ^= y[i]
        """,
        lambda p: fission(p, p.find("m ^= _").after()),
        """
        for i in seq(0, n):
            m ^= x[i]
        for i in seq(0, n):
            m ^= y[i]
        """,
    ),
    Legal(
        "fission",
        "two_parts_of_a_greatest_value",
        "n: size, x: f32[n], y: f32[n], m: f32",
        """
        for i in seq(0, n):
            m @= max(x[i])
            m @= max(y[i])
        """,
        lambda p: fission(p, p.find("m @= _").after()),
        """
        for i in seq(0, n):
            m @= max(x[i])
        for i in seq(0, n):
            m @= max(y[i])
        """,
    ),
]
