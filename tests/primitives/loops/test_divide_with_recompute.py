"""`divide_with_recompute`: tiles that overlap, of what may be computed twice."""

from __future__ import annotations

from typing import Any

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.divide_with_recompute import divide_with_recompute
from usl_core.procedure import Procedure

STAGE = parse("""
    def stage(m: size, x: f32[4 * m + 4], b: f32[4 * m + 2]):
        for i in seq(0, 4 * m + 2):
            b[i] = x[i] + x[i + 2]
    """)


def loop(body: str, extent: str = "4 * m + 2") -> Procedure:
    lines = "\n".join(f"                {line}" for line in body.splitlines())
    return parse(f"""
        def foo(m: size, x: f32[4 * m + 8], b: f32[4 * m + 8]):
            for i in seq(0, {extent}):
{lines}
        """)


def tiled(p: Procedure, outer_hi: str | int = "m", stride: int = 4, **options: Any) -> Procedure:
    return divide_with_recompute(p, "i", outer_hi, stride, ["io", "ii"], **options)


def test_by_default_each_tile_has_the_halo_of_the_whole():
    q = tiled(STAGE)
    assert_body(
        q,
        """
        for io in seq(0, m):
            for ii in seq(0, 4 * m + 2 - 4 * (m - 1)):
                b[4 * io + ii] = x[4 * io + ii] + x[4 * io + ii + 2]
        """,
    )
    assert_equivalent(STAGE, q)


def test_base_and_extent_may_be_given_and_mention_the_tile():
    p = parse("""
        def stage(n: size, x: f32[n + 4], b: f32[n + 2]):
            assert n >= 4
            for i in seq(0, n + 2):
                b[i] = x[i] + x[i + 2]
        """)
    q = tiled(p, "(n + 3) / 4", base="min(4 * io, n - 4)", extent=6)
    assert_body(
        q,
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 6):
                b[min(4 * io, n - 4) + ii] = x[min(4 * io, n - 4) + ii] + x[min(4 * io, n - 4) + ii + 2]
        """,
    )
    assert_equivalent(p, q, vectors=12)
    r = tiled(p, "(n + 3) / 4", extent="min(6, n + 2 - 4 * io)")
    assert "for ii in seq(0, min(6, n + 2 - 4 * io)):" in str(r)
    assert_equivalent(p, r, vectors=12)


def test_tiles_in_any_order_fill_a_buffer_with_values_of_its_places():
    q = tiled(STAGE, base="4 * (m - 1 - io)", extent=6)
    assert_equivalent(STAGE, q)


@pytest.mark.parametrize(
    "body",
    [
        "b[i] = x[i + 1]",
        "x[i + 1] = x[i] + 1.0",  # not a pure producer, but the tiles follow each other and repetitions change nothing
        "b[i] = 0.0\nfor k in seq(0, 3):\n    b[i] += x[i + k]",
        "t: f32\nt = x[i]\nb[i] = t * t",
        "b[i] = x[i]\nx[i + 1] = 0.0",
        "if x[i] > 0.0:\n    b[i] = x[i]",
    ],
)
def test_what_may_run_again_is_accepted(body: str):
    p = loop(body)
    assert_equivalent(p, tiled(p))


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("b[i] += x[i]", "adds again"),
        ("b[0] = x[i]", "b may be modified between"),
        ("b[i] = x[i]\nb[i + 1] = 0.0", "may have an effect"),
        ("x[i] = x[i + 1]", "x may be modified between"),
        ("b[i / 2] = x[i]", "b may be modified between"),
        ("b[i] = x[i]\nx[i] = 0.0", "same location of x"),
        ("b[i] = x[i + 2]\nx[i + 1] = 0.0", "x may be modified between"),
    ],
)
def test_what_may_not_run_again_is_refused(body: str, reason: str):
    with pytest.raises(SchedulingError, match=f"lies in two tiles(.|\n)*{reason}"):
        tiled(loop(body))


def test_an_overlap_of_one_iteration_counts():
    """Nothing runs between the two runs of that iteration, so that only it can disturb itself."""
    p = loop("if b[i] > 0.0:\n    b[i] = x[i] - b[i]")
    with pytest.raises(SchedulingError, match="same location of b"):
        tiled(p, "4 * m + 1", 1, extent=2)


def test_a_loop_whose_repetitions_matter_needs_tiles_in_order():
    p = loop("x[i + 1] = x[i] + 1.0")
    assert_equivalent(p, tiled(p))
    with pytest.raises(SchedulingError, match="not proved to follow each other"):
        tiled(p, base="4 * (m - 1 - io)", extent=6)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"extent": 3}, "may leave out iterations of i"),
        ({"extent": 5}, "may leave out iterations of i"),  # the last iteration
        ({"extent": 7}, r"lies within 0 \.\. 4 \* m \+ 2"),
        ({"extent": "io"}, "of a tile is at least 1"),
        ({"base": "4 * io - 1", "extent": 6}, "lies within"),
        ({"base": "4 * io + 1", "extent": 5}, "may leave out iterations of i"),
        ({"base": "0", "extent": 6}, "may leave out iterations of i"),
        ({"outer_hi": "m - 1"}, "may leave out|lies within|at least 1"),
        ({"outer_hi": "m - 2", "extent": 6}, "number of tiles m - 2 is not negative"),
        ({"base": "4 * jo", "extent": 6}, "jo"),
        ({"stride": 0}, "at least 1, got 0"),
    ],
)
def test_tiles_that_do_not_fit_are_refused(options: dict[str, Any], message: str):
    with pytest.raises(SchedulingError, match=message):
        tiled(STAGE, **options)


def test_refusals_show_sizes():
    with pytest.raises(SchedulingError, match=r"may leave out(.|\n)*counter-example: (.|\n)*m = "):
        tiled(STAGE, extent=3)


def test_cursors_go_to_the_nest():
    loop_cursor, stmt = STAGE.find("i"), STAGE.find("b = _")
    q = tiled(STAGE)
    assert q.forward(loop_cursor) == q.find("io")
    assert q.forward(stmt) == q.find("b = _")
