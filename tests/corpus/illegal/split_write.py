"""Illegal steps of `split_write`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import split_write

CASES = [
    Illegal(
        "split_write",
        "the_second_part_reads_the_target",
        "x: f32, y: f32",
        "x = y + x",
        lambda p: split_write(p, "x = _"),
        "E411",
        "the second part would read x",
        Wrong("""
        x = y
        x += x
        """),
    ),
    Illegal(
        "split_write",
        "a_sum_inside_of_a_quotient",
        "x: f32, y: f32, z: f32",
        "x = (y + z) / 2.0",
        lambda p: split_write(p, "x = _"),
        "E404",
        "the right side is not a sum",
        Wrong("""
        x = y
        x += z / 2.0
        """),
    ),
    Illegal(
        "split_write",
        "the_index_reads_the_target",
        "k: i32[4]",
        "k[idx(k[0], 0, 2)] = 1 + 2",
        lambda p: split_write(p, p.body()[0]),
        "E411",
        "the second part would read k",
        Wrong("""
        k[idx(k[0], 0, 2)] = 1
        k[idx(k[0], 0, 2)] += 2
        """),
    ),
    Illegal(
        "split_write",
        "a_sum_under_a_cast",
        "x: i32, y: u8, z: u8",
        "x = i32(y + z)",
        lambda p: split_write(p, "x = _"),
        "E404",
        "the right side is not a sum",
        Wrong("""
        x = i32(y)
        x += i32(z)
        """),
    ),
    Illegal(
        "split_write",
        "the_second_part_reads_the_target_through_a_window",
        "x: f32[4]",
        """
        w = x[0:2]
        x[0] = 1.0 + w[0]
        """,
        lambda p: split_write(p, p.body()[1]),
        "E411",
        "the second part would read x",
        Wrong("""
        w = x[0:2]
        x[0] = 1.0
        x[0] += w[0]
        """),
    ),
    Illegal(
        "split_write",
        "a_sum_that_multiplies",
        "x: f32, y: f32, z: f32",
        "x *= y + z",
        lambda p: split_write(p, "x *= _"),
        "E404",
        "cannot be split where its right side combines by +",
        Wrong("""
        x *= y
        x *= z
        """),
    ),
]
