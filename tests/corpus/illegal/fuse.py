"""Illegal steps of `fuse`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Misuse, Wrong
from usl_core.scheduling import fuse

CASES = [
    Illegal(
        "fuse",
        "a_producer_whose_input_the_consumer_overwrites",
        "n: size, x: f32[n + 1], t: f32[n + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
        for i in seq(0, n):
            x[i + 1] = t[i] + t[i + 1]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        "E411",
        "do not commute with later iterations",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            x[i + 1] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "fuse",
        "a_producer_that_the_consumer_modifies",
        "n: size, x: f32[n + 1], t: f32[n + 1]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
        for i in seq(0, n):
            t[i + 1] += 1.0
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        "E411",
        "do not commute with later iterations",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            t[i + 1] += 1.0
        """),
    ),
    Illegal(
        "fuse",
        "a_producer_that_comes_too_late",
        "n: size, x: f32[n + 2], t: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
        for i in seq(0, n):
            y[i] = t[n - i]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        "E411",
        "do not commute with later iterations",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = t[n - i]
        """),
    ),
    Illegal(
        "fuse",
        "a_producer_under_a_guard",
        "n: size, x: f32[n + 2], t: f32[n + 2], y: f32[n]",
        """
        for i in seq(0, n):
            for j in seq(0, 2):
                if i > 1:
                    t[i + j] = x[i + j]
        for i in seq(0, n):
            y[i] = t[i + 1]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        "E411",
        "do not commute with later iterations",
        Wrong("""
        for i in seq(0, n):
            for j in seq(0, 2):
                if i > 1:
                    t[i + j] = x[i + j]
            y[i] = t[i + 1]
        """),
    ),
    Illegal(
        "fuse",
        "a_producer_read_ahead_through_a_window",
        "n: size, x: f32[n + 2], t: f32[n + 2], y: f32[n]",
        """
        w = t[1:n + 2]
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
        for i in seq(0, n):
            y[i] = w[i + 1]
        """,
        lambda p: fuse(p, p.find_loop("i"), p.find_loop("i #1")),
        "E411",
        "do not commute with later iterations",
        Wrong("""
        w = t[1:n + 2]
        for i in seq(0, n):
            for j in seq(0, 2):
                t[i + j] = x[i + j]
            y[i] = w[i + 1]
        """),
    ),
    Illegal(
        "fuse",
        "a_stencil_that_reads_ahead",
        "n: size, x: f32[n + 1], t: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            t[i] = x[i]
        for j in seq(0, n):
            y[j] = t[j] + t[j + 1]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411",
        "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            t[i] = x[i]
            y[i] = t[i] + t[i + 1]
        """),
    ),
    Illegal(
        "fuse",
        "different_lengths",
        "n: size, m: size, x: f32[n + m], y: f32[n + m]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, m):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412",
        "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "one_iteration_more",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(0, n + 1):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412",
        "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "equal_lengths_at_other_places",
        "n: size, x: f32[n + 1], y: f32[n + 1]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        for j in seq(1, n + 1):
            y[j] = 1.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E412",
        "cannot prove that the ranges",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "a_statement_in_between",
        "n: size, x: f32[n], y: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        x[0] = 2.0
        for j in seq(0, n):
            y[j] = x[j]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E404",
        "must directly follow the first",
        Wrong("""
        for i in seq(0, n):
            x[i] = 1.0
            y[i] = x[i]
        x[0] = 2.0
        """),
    ),
    Illegal(
        "fuse",
        "the_second_overwrites_what_the_first_still_reads",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        for i in seq(0, n):
            y[i] = x[i]
        for j in seq(0, n):
            x[j + 1] = 0.0
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411",
        "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            y[i] = x[i]
            x[i + 1] = 0.0
        """),
    ),
    Illegal(
        "fuse",
        "the_sum_is_used",
        "n: size, x: f32[n], y: f32[n], s: f32",
        """
        for i in seq(0, n):
            s += x[i]
        for j in seq(0, n):
            y[j] = s
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411",
        "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            s += x[i]
            y[i] = s
        """),
    ),
    Illegal(
        "fuse",
        "a_window_hides_the_stencil",
        "n: size, x: f32[n + 1], y: f32[n], z: f32[n]",
        """
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = z[i]
        for j in seq(0, n):
            y[j] = w[j]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411",
        "do not commute with later iterations of i",
        Wrong("""
        w = x[1:n + 1]
        for i in seq(0, n):
            x[i] = z[i]
            y[i] = w[i]
        """),
    ),
    Illegal(
        "fuse",
        "conditions_that_differ_at_the_limit",
        "n: size, x: f32[n], y: f32[n]",
        """
        if n < 4:
            x[0] = 1.0
        if n <= 4:
            y[0] = 1.0
        """,
        lambda p: fuse(p, "if n < 4: _", "if n <= 4: _"),
        "E412",
        "are equivalent",
        Wrong("""
        if n < 4:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "conditions_that_are_equal_only_if_division_truncates",
        "k: index, x: f32[1], y: f32[1]",
        """
        if (k - 4) / 2 == 0:
            x[0] = 1.0
        if k == 3 or k == 4 or k == 5:
            y[0] = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E412",
        "are equivalent",
        Wrong("""
        if (k - 4) / 2 == 0:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "a_condition_on_data_that_the_first_changes",
        "x: f32[1], y: f32[1]",
        """
        if x[0] < 0.0:
            x[0] = 1.0
        if x[0] < 0.0:
            y[0] = 1.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E411",
        "depends on data that the first `if` may change",
        Wrong("""
        if x[0] < 0.0:
            x[0] = 1.0
            y[0] = 1.0
        """),
    ),
    Illegal(
        "fuse",
        "a_scatter_and_a_gather",
        "n: size, k: i32[n], x: f32[n], y: f32[n], t: f32[4]",
        """
        for i in seq(0, n):
            t[idx(k[i], 0, 4)] = x[i]
        for j in seq(0, n):
            y[j] = t[idx(k[j], 0, 4)]
        """,
        lambda p: fuse(p, "for i in _: _", "for j in _: _"),
        "E411",
        "do not commute with later iterations of i",
        Wrong("""
        for i in seq(0, n):
            t[idx(k[i], 0, 4)] = x[i]
            y[i] = t[idx(k[i], 0, 4)]
        """),
    ),
    Illegal(
        "fuse",
        "a_loop_and_an_if",
        "n: size, x: f32[n]",
        """
        for i in seq(0, n):
            x[i] = 1.0
        if n > 2:
            x[0] = 2.0
        """,
        lambda p: fuse(p, p.body()[0], p.body()[1]),
        "E404",
        "two loops or two ifs are wanted",
        Misuse("no two heads that agree"),
    ),
]
