"""Legal steps of `merge_writes`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import merge_writes

CASES = [
    Legal(
        "merge_writes",
        "a_write_and_a_reduction",
        "x: f32, y: f32",
        "x = y\nx += 1.0",
        lambda p: merge_writes(p, p.body()),
        "x = y + 1.0",
    ),
    Legal("merge_writes", "two_writes", "x: f32, y: f32", "x = 1.0\nx = y", lambda p: merge_writes(p, p.body()), "x = y"),
    Legal(
        "merge_writes",
        "two_reductions",
        "x: u8, y: u8",
        "x += 200\nx += y",
        lambda p: merge_writes(p, p.body()),
        "x += 200 + y",
    ),
    Legal(
        "merge_writes",
        "a_reduction_that_is_overwritten",
        "x: f32, y: f32",
        "x += 1.0\nx = y",
        lambda p: merge_writes(p, p.body()),
        "x = y",
    ),
    Legal(
        "merge_writes",
        "through_a_window",
        "x: f32[4], y: f32",
        "w = x[1:3]\nw[0] = y\nx[1] += 2.0",
        lambda p: merge_writes(p, p.body()[1:3]),
    ),
    Legal(
        "merge_writes",
        "two_least_values",
        "x: f32, y: f32, z: f32",
        """
        x @= min(y)
        x @= min(z)
        """,
        lambda p: merge_writes(p, p.body()),
        "x @= min(min(y, z))",
    ),
]
