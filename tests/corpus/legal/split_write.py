"""Legal steps of `split_write`."""

from __future__ import annotations

from tests.corpus.case import Legal
from usl_core.scheduling import split_write

CASES = [
    Legal("split_write", "a_sum", "x: f32, y: f32", "x = y + 1.0", lambda p: split_write(p, "x = _"), "x = y\nx += 1.0"),
    Legal("split_write", "a_difference", "x: u8, y: u8", "x = y - 7", lambda p: split_write(p, "x = _")),
    Legal(
        "split_write", "a_reduction", "x: f32, y: f32", "x += y + 1.0", lambda p: split_write(p, "x += _"), "x += y\nx += 1.0"
    ),
    Legal(
        "split_write",
        "the_first_part_reads_the_target",
        "x: f32, y: f32",
        "x = x + y",
        lambda p: split_write(p, "x = _"),
        "x = x\nx += y",
    ),
    Legal(
        "split_write",
        "a_sum_inside_of_a_product",
        "x: f32, y: f32, z: f32",
        "x = (y + z) * 2.0",
        lambda p: split_write(p, "x = _"),
        """
        x = y + z
        x *= 2.0
        """,
    ),
]
