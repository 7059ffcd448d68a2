"""Legal steps of `inline_producer`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import clone_buffer, inline_producer

CASES = [
    Legal(
        "inline_producer",
        "at_other_indices",
        "n: size, x: f32[n + 1], y: f32[2 * n]",
        """
        d: f32[n + 1]
        for i in seq(0, n + 1):
            d[i] = x[i] * 2.0
        for i in seq(0, 2 * n):
            y[i] = d[i / 2] + d[(i + 1) / 2]
        """,
        lambda p: inline_producer(p, "d"),
        """
        for i in seq(0, 2 * n):
            y[i] = x[i / 2] * 2.0 + x[(i + 1) / 2] * 2.0
        """,
    ),
    Legal(
        "inline_producer",
        "a_table_that_is_gathered_from",
        "n: size, x: f32[16], k: u8[n], y: f32[n]",
        """
        t: f32[16]
        for i in seq(0, 16):
            t[i] = x[15 - i] * 2.0
        for i in seq(0, n):
            y[i] = t[idx(k[i], 0, 16)]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            y[i] = x[15 - idx(k[i], 0, 16)] * 2.0
        """,
    ),
    Legal(
        "inline_producer",
        "a_gather_that_is_inlined",
        "n: size, x: f32[16], k: u8[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[idx(k[i], 0, 16)]
        for i in seq(0, n):
            y[i] = t[n - 1 - i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            y[i] = x[idx(k[n - i - 1], 0, 16)]
        """,
    ),
    Legal(
        "inline_producer",
        "the_exterior_of_an_image",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n + 1]
        for i in seq(0, n + 1):
            if i >= 1:
                t[i] = x[i - 1]
            else:
                t[i] = 0.0
        for i in seq(0, n):
            y[i] = t[i] + 1.0
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            if i >= 1:
                y[i] = x[i - 1] + 1.0
            else:
                y[i] = 0.0 + 1.0
        """,
    ),
    Legal(
        "inline_producer",
        "a_condition_on_data_in_tiles",
        "n: size, c: f32, x: f32[4 * n], y: f32[4 * n]",
        """
        t: f32[4 * n]
        for io in seq(0, n):
            for ii in seq(0, 4):
                if x[4 * io + ii] < c:
                    t[4 * io + ii] = x[4 * io + ii]
                else:
                    t[4 * io + ii] = c
        for i in seq(0, 4 * n):
            y[i] += t[i]
        """,
        lambda p: inline_producer(p, "t"),
    ),
    Legal(
        "inline_producer",
        "two_dimensions_and_a_reader_in_a_condition",
        "n: size, m: size, x: f32[m, n], y: f32[n]",
        """
        t: f32[n, m + 2]
        for i in seq(0, n):
            for j in seq(0, m):
                t[i, j + 2] = x[j, i]
        for i in seq(0, n):
            for j in seq(0, m):
                if t[i, j + 2] < 0.0:
                    y[i] += t[i, j + 2]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            for j in seq(0, m):
                if x[j, i] < 0.0:
                    y[i] += x[j, i]
        """,
    ),
    Legal(
        "inline_producer",
        "for_one_of_two_consumers",
        "n: size, x: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            z[i] = t[i] + y[i]
        """,
        lambda p: inline_producer(clone_buffer(p, "t", "z[_] = _", "u"), "u"),
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i] * 2.0
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            z[i] = x[i] * 2.0 + y[i]
        """,
    ),
    Legal(
        "inline_producer",
        "a_constant_and_every_second_element",
        "n: size, y: i32[n]",
        """
        t: i32[2 * n]
        for i in seq(0, n):
            t[2 * i] = i32(i) * 3
        for i in seq(0, n):
            y[i] = t[2 * (n - 1 - i)]
        """,
        lambda p: inline_producer(p, "t"),
    ),
    Legal(
        "inline_producer",
        "an_element_that_was_not_filled",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        t: f32[n + 1]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n + 1):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n + 1):
            y[i] = x[i]
        """,
    ),
    Legal(
        "inline_producer",
        "two_halves_and_readers_of_one_and_of_both",
        "n: size, a: f32[n], b: f32[n], y: f32[n], z: f32[2 * n]",
        """
        t: f32[2 * n]
        for i in seq(0, n):
            t[i] = a[i] * 2.0
        for i in seq(0, n):
            t[n + i] = b[i]
        for i in seq(0, n):
            y[i] = t[n - 1 - i] + t[i + n]
        for i in seq(0, 2 * n):
            z[i] += t[i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            y[i] = a[n - i - 1] * 2.0 + b[i]
        for i in seq(0, 2 * n):
            if n <= i:
                z[i] += b[i - n]
            else:
                z[i] += a[i] * 2.0
        """,
    ),
    Legal(
        "inline_producer",
        "an_element_that_a_later_statement_overwrites",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        t[0] = 4.0
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            if i == 0:
                y[i] = 4.0
            else:
                y[i] = x[i]
        """,
    ),
    Legal(
        "inline_producer",
        "the_border_of_an_image",
        "n: size, m: size, x: f32[n, m], y: f32[n, m]",
        """
        t: f32[n + 1, m]
        for i in seq(0, n + 1):
            for j in seq(0, m):
                t[i, j] = 0.0
        for i in seq(0, n):
            for j in seq(0, m):
                t[i + 1, j] = x[i, j]
        for i in seq(0, n):
            for j in seq(0, m):
                y[i, j] = t[i + 1, j] - t[i, j]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            for j in seq(0, m):
                if 1 <= i:
                    y[i, j] = x[i, j] - x[i - 1, j]
                else:
                    y[i, j] = x[i, j] - 0.0
        """,
    ),
    Legal(
        "inline_producer",
        "some_elements_over_an_initialisation",
        "n: size, c: f32[n], x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = 1.0
        for i in seq(0, n):
            if c[i] < 0.0:
                t[i] = x[i]
        for i in seq(0, n):
            y[i] += t[i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            if c[i] < 0.0:
                y[i] += x[i]
            else:
                y[i] += 1.0
        """,
    ),
    Legal(
        "inline_producer",
        "elements_that_are_filled_under_a_condition_and_chosen_by_another",
        "x: f32[8], y: f32[8]",
        """
        t: f32[8]
        for i in seq(0, 8):
            if i >= 3:
                t[i] = x[i]
        for i in seq(0, 8):
            y[i] = select(x[0], x[0], t[i], x[1])
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, 8):
            if i >= 3:
                y[i] = select(x[0], x[0], x[i], x[1])
            else:
                y[i] = select(x[0], x[0], 0.0, x[1])
        """,
    ),
    Legal(
        "inline_producer",
        "even_and_odd_elements",
        "n: size, a: i32[n], b: i32[n], y: i32[2 * n], z: i32[n]",
        """
        t: i32[2 * n]
        for i in seq(0, n):
            t[2 * i] = a[i]
        for i in seq(0, n):
            t[2 * i + 1] = b[i]
        for i in seq(0, 2 * n):
            y[i] = t[i]
        for i in seq(0, n):
            z[i] = t[2 * i] * t[2 * i + 1]
        """,
        lambda p: inline_producer(p, "t"),
    ),
    Legal(
        "inline_producer",
        "readers_between_the_nests",
        "n: size, a: f32[n], b: f32[n], y: f32[n], z: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = a[i]
        for i in seq(0, n):
            y[i] = t[i]
        for i in seq(0, n):
            t[n - 1 - i] = b[i]
        for i in seq(0, n):
            if t[i] < 0.0:
                z[i] = t[n - 1 - i]
        """,
        lambda p: inline_producer(p, "t"),
        """
        for i in seq(0, n):
            y[i] = a[i]
        for i in seq(0, n):
            if b[n - i - 1] < 0.0:
                z[i] = b[i]
        """,
    ),
]
