"""Legal steps of `block_scan`, `recursive_doubling` and `bound_counter`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.procedure import Procedure
from usl_core.scheduling import block_scan, bound_counter, recursive_doubling


def _all_steps(p: Procedure) -> Procedure:
    loop = p.find_loop("j")
    for _ in range(2):
        p = recursive_doubling(p, loop, "a")
        loop = p.forward(loop).next()
    return recursive_doubling(p, loop, "a")


CASES = [
    Legal(
        "block_scan",
        "sums_up_to_each_element",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
            y[i] = s * 2.0
        """,
        lambda p: block_scan(p, "i", "t"),
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = (s + t[i]) * 2.0
        s += t[n - 1]
        """,
    ),
    Legal(
        "block_scan",
        "greatest_bytes_into_an_element_that_others_are_neighbours_of",
        "n: size, x: u8[n], y: u8[n + 1], m: u8[2], k: u8[n]",
        """
        for i in seq(0, n):
            pass
            m[1] @= max(x[i] + m[0])
            y[i + 1] = m[1]
            k[n - 1 - i] += y[i + 1] - m[1]
        """,
        lambda p: block_scan(p, "i", "t"),
        """
        t: u8[n]
        for i in seq(0, n):
            t[i] = x[i] + m[0]
        for j in seq(1, n):
            t[j] @= max(t[j - 1])
        for i in seq(0, n):
            pass
            y[i + 1] = max(m[1], t[i])
            k[n - 1 - i] += y[i + 1] - max(m[1], t[i])
        m[1] @= max(t[n - 1])
        """,
    ),
    Legal(
        "block_scan",
        "in_place",
        "n: size, x: i32[n], s: i32",
        """
        for i in seq(0, n):
            s ^= x[i]
            x[i] = s
        """,
        lambda p: block_scan(p, "i", "t"),
        """
        t: i32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(1, n):
            t[j] ^= t[j - 1]
        for i in seq(0, n):
            x[i] = s ^ t[i]
        s ^= t[n - 1]
        """,
    ),
    Legal(
        "block_scan",
        "sums_without_and_with_the_element",
        "n: size, x: i32[n], y: i32[n + 1], z: i32[n], s: i32",
        """
        for i in seq(0, n):
            y[i] = s + z[i]
            s += x[i] & 7
            z[i] += s
        """,
        lambda p: block_scan(p, "i", "t"),
        """
        t: i32[n + 1]
        t[0] = 0
        for i in seq(0, n):
            t[i + 1] = x[i] & 7
        for j in seq(1, n + 1):
            t[j] += t[j - 1]
        for i in seq(0, n):
            y[i] = s + t[i] + z[i]
            z[i] += s + t[i + 1]
        s += t[n]
        """,
    ),
    Legal(
        "block_scan",
        "places_of_what_is_kept_in_a_block",
        "n: size, x: f32[n, 4], y: f32[4 * n], k: i32[n, 4]",
        """
        assert n <= 1000
        c: i32
        c = 0
        for io in seq(0, n):
            for ii in seq(0, 4):
                y[idx(c, 0, 4 * n)] = x[io, ii]
                c += select(0, k[io, ii], 1, 0)
        """,
        lambda p: block_scan(bound_counter(p, "idx(c, _, _)"), "ii", "t"),
        """
        c: i32
        c = 0
        for io in seq(0, n):
            t: i32[5]
            t[0] = 0
            for ii in seq(0, 4):
                t[ii + 1] = select(0, k[io, ii], 1, 0)
            for j in seq(1, 5):
                t[j] += t[j - 1]
            for ii in seq(0, 4):
                y[idx(c + t[ii], 0, 4 * io + ii + 1)] = x[io, ii]
            c += t[4]
        """,
    ),
    Legal(
        "recursive_doubling",
        "the_first_step_of_eight",
        "x: f32[8]",
        """
        for j in seq(1, 8):
            x[j] *= x[j - 1]
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        """
        u: f32[8]
        for j in seq(1, 8):
            u[j] = x[j - 1]
        for j in seq(1, 8):
            x[j] *= u[j]
        for j in seq(2, 8):
            x[j] *= x[j - 2]
        """,
    ),
    Legal(
        "recursive_doubling",
        "the_last_step_of_six_from_the_end_in_every_second_column",
        "x: i32[2, 12], r: index",
        """
        assert 0 <= r and r < 2
        for j in seq(4, 6):
            pass
            x[r, 11 - 2 * j] @= min(x[r, 19 - 2 * j])
        """,
        lambda p: recursive_doubling(p, "j", "u"),
        """
        u: i32[6]
        for j in seq(4, 6):
            u[j] = x[r, 19 - 2 * j]
        for j in seq(4, 6):
            pass
            x[r, 11 - 2 * j] @= min(u[j])
        """,
    ),
    Legal(
        "recursive_doubling",
        "all_steps_of_a_row_through_a_window",
        "n: size, x: u8[n, 6], r: index",
        """
        assert 0 <= r and r < n
        w = x[r, 1:6]
        for j in seq(1, 5):
            w[j] |= w[j - 1]
        """,
        _all_steps,
        """
        w = x[r, 1:6]
        a: u8[5]
        for j in seq(1, 5):
            a[j] = w[j - 1]
        for j in seq(1, 5):
            w[j] |= a[j]
        a_1: u8[5]
        for j in seq(2, 5):
            a_1[j] = w[j - 2]
        for j in seq(2, 5):
            w[j] |= a_1[j]
        a_2: u8[5]
        for j in seq(4, 5):
            a_2[j] = w[j - 4]
        for j in seq(4, 5):
            w[j] |= a_2[j]
        """,
    ),
    Legal(
        "bound_counter",
        "elements_that_are_kept",
        "n: size, x: f32[n], k: i32[n], y: f32[n]",
        """
        assert n <= 2147483647
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, n)] = x[i]
            c += select(0, k[i], 1, 0)
        """,
        lambda p: bound_counter(p, "idx(c, _, _)"),
        """
        c: i32
        c = 0
        for i in seq(0, n):
            y[idx(c, 0, i + 1)] = x[i]
            c += select(0, k[i], 1, 0)
        """,
    ),
    Legal(
        "bound_counter",
        "blocks_and_what_is_left",
        "n: size, x: f32[n], y: f32[n + 4], c: i32",
        """
        assert n <= 1000
        c = 3
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                if x[4 * io + ii] > 0.0:
                    c += 1
                else:
                    y[0] = 1.0
        for ii in seq(0, n % 4):
            y[idx(c, 0, n + 4)] = x[n / 4 * 4 + ii]
            if x[n / 4 * 4 + ii] > 0.0:
                c += 1
        """,
        lambda p: bound_counter(p, "idx(c, _, _)", 3, "n / 4 * 4 + ii + 4"),
        """
        c = 3
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                if x[4 * io + ii] > 0.0:
                    c += 1
                else:
                    y[0] = 1.0
        for ii in seq(0, n % 4):
            y[idx(c, 3, n / 4 * 4 + ii + 4)] = x[n / 4 * 4 + ii]
            if x[n / 4 * 4 + ii] > 0.0:
                c += 1
        """,
    ),
    Legal(
        "bound_counter",
        "what_is_not_kept_goes_to_the_end",
        "n: size, x: f32[n], y: f32[n]",
        """
        assert n < 100
        c: i8
        c = 0
        for i in seq(0, n):
            if x[i] > 0.0:
                c += 1
            else:
                y[idx(i8(n - 1) - (i8(i) - c), 0, n)] = x[i]
        """,
        lambda p: bound_counter(p, "idx(_, _, _)"),
        """
        c: i8
        c = 0
        for i in seq(0, n):
            if x[i] > 0.0:
                c += 1
            else:
                y[idx(i8(n - 1) - (i8(i) - c), n - i - 1, n)] = x[i]
        """,
    ),
]
