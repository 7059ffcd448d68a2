"""Illegal steps of `merge_writes`."""

from __future__ import annotations

from tests.corpus.case import Illegal, Wrong
from usl_core.scheduling import merge_writes

CASES = [
    Illegal(
        "merge_writes",
        "the_second_reads_the_first",
        "x: f32, y: f32",
        """
        x = y
        x = x * 2.0
        """,
        lambda p: merge_writes(p, p.body()),
        "E411",
        "the second statement reads x",
        Wrong("x = x * 2.0"),
    ),
    Illegal(
        "merge_writes",
        "a_reduction_of_itself",
        "x: f32, y: f32",
        """
        x = y
        x += x
        """,
        lambda p: merge_writes(p, p.body()),
        "E411",
        "the second statement reads x",
        Wrong("x = y + x"),
    ),
    Illegal(
        "merge_writes",
        "places_that_may_differ",
        "n: size, i: index, x: f32[n]",
        """
        assert 0 <= i and i < n
        x[i] = 1.0
        x[0] += 2.0
        """,
        lambda p: merge_writes(p, p.body()),
        "E412",
        "not proved to write the same location",
        Wrong("x[i] = 1.0 + 2.0"),
    ),
    Illegal(
        "merge_writes",
        "reads_through_a_window",
        "x: f32[4], y: f32",
        """
        w = x[0:2]
        x[0] = y
        x[0] += w[0]
        """,
        lambda p: merge_writes(p, p.body()[1:3]),
        "E411",
        "the second statement reads x",
        Wrong("""
        w = x[0:2]
        x[0] = y + w[0]
        """),
    ),
    Illegal(
        "merge_writes",
        "a_scatter_to_two_places",
        "k: i32[2], x: f32[4]",
        """
        x[idx(k[0], 0, 4)] = 1.0
        x[idx(k[1], 0, 4)] = 2.0
        """,
        lambda p: merge_writes(p, p.body()),
        "E412",
        "not proved to write the same location",
        Wrong("x[idx(k[1], 0, 4)] = 2.0"),
    ),
    Illegal(
        "merge_writes",
        "the_index_is_overwritten_in_between",
        "k: i32[4]",
        """
        k[idx(k[0], 0, 2)] = 1
        k[idx(k[0], 0, 2)] = 3
        """,
        lambda p: merge_writes(p, p.body()),
        "E411",
        "the second statement reads k",
        Wrong("k[idx(k[0], 0, 2)] = 3"),
    ),
    Illegal(
        "merge_writes",
        "a_sum_and_a_product",
        "x: f32, y: f32, z: f32",
        """
        x += y
        x *= z
        """,
        lambda p: merge_writes(p, p.body()),
        "E412",
        "combine by different operations",
        Wrong("x += y * z"),
    ),
]
