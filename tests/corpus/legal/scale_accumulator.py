"""Legal steps of `scale_accumulator`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import scale_accumulator

CASES = [
    Legal(
        "scale_accumulator",
        "a_sum_of_exponentials",
        "n: size, x: f32[n], a: f32",
        """
        m: f32
        m = -40.0
        s: f32
        s = 0.0
        for i in seq(0, n):
            m @= max(x[i])
            s += exp(x[i])
        a = exp(-m) * s
        """,
        lambda p: scale_accumulator(p, "s", "exp(-m)"),
        """
        m: f32
        m = -40.0
        s: f32
        s = 0.0 * exp(-m)
        for i in seq(0, n):
            m_old: f32
            m_old = m
            m @= max(x[i])
            s *= exp(-m) / exp(-m_old)
            s += exp(x[i]) * exp(-m)
        a = exp(-m) * (s / exp(-m))
        """,
    ),
    Legal(
        "scale_accumulator",
        "a_whole_buffer_and_a_factor_that_changes_in_a_loop",
        "n: size, x: f32[n], y: f32[n, 2], m: f32",
        """
        t: f32[n, 2]
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i, j] = y[i, j]
        for i in seq(0, n):
            m += x[i]
        for i in seq(0, n):
            for j in seq(0, 2):
                y[i, j] = t[i, j] * m
        """,
        lambda p: scale_accumulator(p, "t", "2.0 * exp(m)"),
        """
        t: f32[n, 2]
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i, j] = y[i, j] * (2.0 * exp(m))
        m_old: f32
        m_old = m
        for i in seq(0, n):
            m += x[i]
        for k in seq(0, n):
            for k1 in seq(0, 2):
                t[k, k1] *= 2.0 * exp(m) / (2.0 * exp(m_old))
        for i in seq(0, n):
            for j in seq(0, 2):
                y[i, j] = t[i, j] / (2.0 * exp(m)) * m
        """,
    ),
    Legal(
        "scale_accumulator",
        "branches_and_sums_in_parallel",
        "n: size, x: f64[n], c: f64, y: f64",
        """
        s: f64
        s = c
        for i in par(0, n):
            s += x[i]
        for i in seq(0, n):
            if x[i] < 0.0:
                s *= x[i]
            else:
                c *= 0.5
        y += s * c
        """,
        lambda p: scale_accumulator(p, "s", "exp(-c) / 4.0"),
        """
        s: f64
        s = c * (exp(-c) / 4.0)
        for i in par(0, n):
            s += x[i] * (exp(-c) / 4.0)
        for i in seq(0, n):
            if x[i] < 0.0:
                s *= x[i]
            else:
                c_old: f64
                c_old = c
                c *= 0.5
                s *= exp(-c) / 4.0 / (exp(-c_old) / 4.0)
        y += s / (exp(-c) / 4.0) * c
        """,
    ),
]
