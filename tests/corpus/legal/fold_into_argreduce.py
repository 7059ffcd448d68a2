"""Legal steps of `fold_into_argreduce`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import fold_into_argreduce

CASES = [
    Legal(
        "fold_into_argreduce",
        "the_greatest_element",
        "n: size, x: f32[n], m: f32, k: i64",
        """
        assert n <= 1000
        for i in seq(0, n):
            if x[i] > m:
                m = x[i]
                k = i64(i)
        """,
        lambda p: fold_into_argreduce(p, "i"),
        """
        m_before: f32
        m_before = m
        for i in seq(0, n):
            m @= max(x[i])
        k_first: i64
        k_first = 9223372036854775807
        for i in seq(0, n):
            k_first @= min(select(x[i], m, 9223372036854775807, i64(i)))
        k = select(m_before, m, k_first, k)
        """,
    ),
    Legal(
        "fold_into_argreduce",
        "the_least_element_of_a_row_that_may_be_empty",
        "n: size, x: i8[4, n], m: i8[4], k: i8[4]",
        """
        assert n <= 40
        for r in seq(0, 4):
            for i in seq(1, n):
                if m[r] > x[r, i]:
                    k[r] = i8(3 * i + r)
                    m[r] = x[r, i]
        """,
        lambda p: fold_into_argreduce(p, "i"),
        """
        for r in seq(0, 4):
            m_before: i8
            m_before = m[r]
            for i in seq(1, n):
                m[r] @= min(x[r, i])
            k_first: i8
            k_first = 127
            for i in seq(1, n):
                k_first @= min(select(m[r], x[r, i], 127, i8(3 * i + r)))
            if 1 < n:
                k[r] = select(m[r], m_before, k_first, k[r])
        """,
    ),
    Legal(
        "fold_into_argreduce",
        "a_position_that_rises_by_steps_in_a_parallel_loop",
        "x: f32[3, 8], m: f32[3], k: i32[3]",
        """
        for r in par(0, 3):
            for i in seq(0, 8):
                if m[r] < 2.0 * x[r, 7 - i] - 1.0:
                    m[r] = 2.0 * x[r, 7 - i] - 1.0
                    k[r] = i32(i / 2)
        """,
        lambda p: fold_into_argreduce(p, "i"),
    ),
]
