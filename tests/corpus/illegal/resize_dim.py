"""Illegal steps of `resize_dim`."""

from __future__ import annotations

from tests.corpus.callees import ROW4
from tests.corpus.case import Illegal, Wrong, interleaved
from usl_core.scheduling import resize_dim

CASES = [
    Illegal(
        "resize_dim",
        "fold_to_fewer_rows_than_are_alive",
        "n: size, x: f32[n + 2], y: f32[n]",
        """
        t: f32[n + 2]
        for i in seq(0, 2):
            t[i] = x[i]
        for i in seq(0, n):
            t[i + 2] = x[i + 2]
            y[i] = t[i] + t[i + 1] + t[i + 2]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E417",
        "is overwritten by another one while it is still needed",
        Wrong("""
        t: f32[2]
        for i in seq(0, 2):
            t[i] = x[i]
        for i in seq(0, n):
            t[i % 2] = x[i + 2]
            y[i] = t[i % 2] + t[(i + 1) % 2] + t[i % 2]
        """),
    ),
    Illegal(
        "resize_dim",
        "fold_of_what_is_read_after_the_loop",
        "n: size, x: f32[n], y: f32[n]",
        """
        t: f32[n]
        for i in seq(0, n):
            t[i] = x[i]
        for i in seq(0, n):
            y[i] = t[i]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E417",
        "is overwritten by another one while it is still needed",
        Wrong("""
        t: f32[2]
        for i in seq(0, n):
            t[i % 2] = x[i]
        for i in seq(0, n):
            y[i] = t[i % 2]
        """),
    ),
    Illegal(
        "resize_dim",
        "an_access_below_the_offset",
        "n: size, x: f32[n + 8], y: f32",
        """
        t: f32[n + 8]
        t[n] = x[n]
        t[n - 1] = x[n - 1]
        y = t[n] + t[n - 1]
        """,
        lambda p: resize_dim(p, "t", 0, 2, "n"),
        "E412",
        "lies in [n, ",
        Wrong("""
        t: f32[2]
        t[0] = x[n]
        t[-1] = x[n - 1]
        y = t[0] + t[-1]
        """),
    ),
    Illegal(
        "resize_dim",
        "a_gather_from_all_of_it",
        "k: i32, x: f32[8], y: f32",
        """
        t: f32[8]
        for i in seq(0, 8):
            t[i] = x[i]
        y = t[idx(k, 0, 8)]
        """,
        lambda p: resize_dim(p, "t", 0, 4, 0, fold=True),
        "E417",
        "is overwritten by another one while it is still needed",
        Wrong("""
        t: f32[4]
        for i in seq(0, 8):
            t[i % 4] = x[i]
        y = t[idx(k, 0, 8) % 4]
        """),
    ),
    Illegal(
        "resize_dim",
        "fold_under_a_parallel_loop",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        for i in par(0, n):
            t[i] = x[i]
            y[i] = t[i]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E411",
        "resize_dim",
        interleaved("""
        t: f32[2]
        for i in seq(0, n):
            t[i % 2] = x[i]
        for i in seq(0, n):
            y[i] = t[i % 2]
        """),
    ),
    Illegal(
        "resize_dim",
        "fold_with_a_window_over_the_seam",
        "n: size, v: f32, y: f32[8]",
        """
        t: f32[8]
        row4(t[2:6], v)
        for i in seq(2, 6):
            y[i] = t[i]
        """,
        lambda p, c: resize_dim(p, "t", 0, 4, 0, fold=True),
        "E455",
        "spans several elements",
        Wrong("""
        t: f32[4]
        row4(t[2:6], v)
        for i in seq(2, 6):
            y[i] = t[i % 4]
        """),
        callees=(ROW4,),
    ),
    Illegal(
        "resize_dim",
        "fold_of_an_element_that_is_read_after_all",
        "n: size, x: f32[n + 1], y: f32[n]",
        """
        t: f32[n + 1]
        t[0] = x[0]
        for i in seq(0, n):
            t[i + 1] = x[i + 1]
            y[i] = t[i + 1]
        y[0] = t[0]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E417",
        "is overwritten by another one while it is still needed",
        Wrong("""
        t: f32[2]
        t[0] = x[0]
        for i in seq(0, n):
            t[(i + 1) % 2] = x[i + 1]
            y[i] = t[(i + 1) % 2]
        y[0] = t[0]
        """),
    ),
    Illegal(
        "resize_dim",
        "fold_over_what_the_call_reads_in_the_next_iteration",
        "x: f32[2, 2], y: f32[2]",
        """
        t: f32[5, 2]
        for i in seq(0, 2):
            for k in seq(0, 2):
                t[i, k] = x[i, k]
        for i in seq(0, 2):
            next_row(t[i + 3, 0:2], t[i, 0:2])
        for k in seq(0, 2):
            y[k] = t[3, k] + t[4, k]
        """,
        lambda p, c: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E417",
        "is overwritten by another one while it is still needed",
        Wrong("""
        t: f32[2, 2]
        for i in seq(0, 2):
            for k in seq(0, 2):
                t[i % 2, k] = x[i, k]
        for i in seq(0, 2):
            next_row(t[(i + 3) % 2, 0:2], t[i % 2, 0:2])
        for k in seq(0, 2):
            y[k] = t[1, k] + t[0, k]
        """),
        callees=(
            """
            def next_row(dst: [f32][2], src: [f32][2]):
                for k in seq(0, 2):
                    dst[k] = src[k] + 1.0
            """,
        ),
    ),
    Illegal(
        "resize_dim",
        "fold_of_what_a_parallel_loop_reaches_through_windows",
        "x: f32[9], y: f32[9], z: f32[9]",
        """
        t: f32[4, 9]
        w = t[1, 0:9]
        v = t[3, 0:9]
        for i in par(0, 8):
            w[i] = x[i]
            y[i] = w[i]
            v[i + 1] = x[i] + 1.0
            z[i] = v[i + 1]
        """,
        lambda p: resize_dim(p, "t", 0, 2, 0, fold=True),
        "E411",
        "the iterations of parallel loop i would share elements of t",
        interleaved("""
        t: f32[2, 9]
        for i in seq(0, 8):
            t[1, i] = x[i]
        for i in seq(0, 8):
            y[i] = t[1, i]
            t[1, i + 1] = x[i] + 1.0
            z[i] = t[1, i + 1]
        """),
    ),
]
