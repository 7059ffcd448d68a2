"""`divide_loop(tail="shift_inwards")`: the last tile overlaps the one before it, and its iterations may run again."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.procedure import Procedure


def shifted(p: Procedure, factor: int = 4) -> Procedure:
    return divide_loop(p, "i", factor, ["io", "ii"], tail="shift_inwards")


def loop(body: str, formals: str = "x: f32[n + 1], y: f32[n + 1]", before: str = "") -> Procedure:
    lines = "\n".join(f"                {line}" for line in body.splitlines())
    return parse(f"""
        def foo(n: size, {formals}):
            assert n >= 4
            {before}
            for i in seq(0, n):
{lines}
        """)


def test_the_last_tile_moves_back_until_it_is_full():
    p = loop("t: f32\nt = x[i]\ny[i] = t * 2.0")
    q = shifted(p)
    assert_body(
        q,
        """
        for io in seq(0, (n + 3) / 4):
            for ii in seq(0, 4):
                t: f32
                t = x[min(4 * io, n - 4) + ii]
                y[min(4 * io, n - 4) + ii] = t * 2.0
        """,
    )
    assert_equivalent(p, q, factor=4, vectors=12)


def test_a_literal_extent_is_shifted_too():
    p = parse("""
        def foo(x: f32[10]):
            for i in seq(0, 10):
                x[i] = 1.0
        """)
    q = shifted(p)
    assert "for io in seq(0, 3):" in str(q)
    assert "x[min(4 * io, 6) + ii] = 1.0" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize("factor", [1, 2, 3, 4])
def test_each_factor_keeps_the_meaning(factor: int):
    p = loop("y[i] = x[i] + x[i + 1]")
    assert_equivalent(p, shifted(p, factor), factor=factor, vectors=12)


@pytest.mark.parametrize(
    "body",
    [
        "x[i + 1] = x[i] + 1.0",  # reads what earlier iterations wrote: their values stay
        "y[i] = 0.0\nfor j in seq(0, i):\n    y[i] += x[j]",  # a sum that starts anew
        "y[i] = x[i]\ny[i] += 1.0",
        "if i < 3:\n    y[i] = x[i]\nelse:\n    y[i] = x[0]",
        "if x[i] > 0.0:\n    y[i] = 1.0\nelse:\n    y[i] = 2.0",
        "y[i] = x[i]\nif x[i] > 0.0:\n    y[i] = 2.0",
        "w = y[i : i + 1]\nw[0] = x[i]",
        "y[n - 1 - i] = x[i]",
        "y[i % 4] = x[i]",  # an iteration runs again before the one that shares its place
        "if x[i] > 0.0:\n    y[i] = 1.0",
    ],
)
def test_iterations_that_repeat_themselves_are_accepted(body: str):
    p = loop(body)
    assert_equivalent(p, shifted(p), vectors=12)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("y[i] += x[i]", "adds again"),
        ("y[i] = y[i] * 2.0", "same location of y"),
        ("x[i] = x[i + 1]", "x may be modified between"),  # its input is overwritten by the next iteration
        ("y[i + 1] = 1.0\ny[i] = x[i]", "y may be modified between"),
        ("y[0] = x[i]", "y may be modified between"),  # the last value wins, but comes too early
        ("y[i % 2] = x[i]", "y may be modified between"),
        ("if x[i] > 0.0:\n    y[i] += 1.0", "adds again"),
        ("if y[i] > 0.0:\n    y[i] = x[i]", "same location of y"),
        ("y[i] = 0.0\nif i > 2:\n    y[i + 1] += 1.0", "adds again|modified"),
        ("for j in seq(0, 2):\n    y[i + j] = x[i]", "y may be modified between"),
        ("w = y[i : i + 2]\nw[1] = 0.0\nw[0] = x[i]", "y may be modified between"),
    ],
)
def test_iterations_whose_repetition_has_an_effect_are_refused(body: str, reason: str):
    with pytest.raises(SchedulingError, match=f"in the overlap(.|\n)*({reason})") as caught:
        shifted(loop(body))
    assert caught.value.code == "E411"


def test_a_temporary_of_all_iterations_is_refused_and_one_of_each_is_not():
    with pytest.raises(SchedulingError, match="t may be modified between"):
        shifted(loop("t = x[i]\ny[i] = t", before="t: f32"))
    shifted(loop("t: f32\nt = x[i]\ny[i] = t"))


def test_what_an_idx_may_write_counts():
    p = loop("y[idx(k[i], 0, n)] = x[i]", "x: f32[n], y: f32[n], k: i32[n]")
    with pytest.raises(SchedulingError, match="in the overlap"):
        shifted(p)
    q = loop("y[i] = x[idx(k[i], 0, n)]", "x: f32[n], y: f32[n], k: i32[n]")
    assert_equivalent(q, shifted(q))


@pytest.mark.parametrize("body", ["y[i] = y[i] * 2.0", "if y[i] > 0.0:\n    y[i] = x[i]", "y[i] = x[i]\nx[i] = 0.0"])
def test_an_overlap_of_one_iteration_counts(body: str):
    """Nothing runs between the two runs of that iteration, so that only it can disturb itself."""
    with pytest.raises(SchedulingError, match="same location"):
        shifted(loop(body), factor=2)


def test_without_a_remainder_there_is_no_overlap_to_check():
    p = parse("""
        def foo(n: size, x: f32[n], y: f32):
            assert n >= 4
            assert n % 4 == 0
            for i in seq(0, n):
                y += x[i]
        """)
    with pytest.raises(SchedulingError, match="adds again"):  # conservative: the body alone is looked at first
        shifted(p)


def test_a_loop_that_may_be_shorter_than_a_tile_is_refused_with_a_size():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = 1.0
        """)
    with pytest.raises(
        SchedulingError, match=r"cannot prove that n is at least 4(.|\n)*counter-example: n = [123]\b(.|\n)*specialize"
    ):
        shifted(p)


def test_a_nested_loop_may_depend_on_the_iterations_around_it():
    p = parse("""
        def foo(n: size, m: size, x: f32[m, n], y: f32[m, n]):
            assert n >= 4
            for k in seq(0, m):
                for i in seq(0, n):
                    y[k, i] = x[m - 1 - k, i]
        """)
    assert_equivalent(p, shifted(p))


def test_a_parallel_loop_stays_parallel():
    p = parse("""
        def foo(n: size, x: f32[n], y: f32[n]):
            assert n >= 4
            for i in par(0, n):
                y[i] = x[i]
        """)
    q = shifted(p)
    assert [c.node.mode for c in q.find_all("for _ in _: _")] == [LoopMode.PAR, LoopMode.SEQ]


def test_cursors_go_to_the_nest():
    p = loop("t: f32\nt = x[i]\ny[i] = t")
    old, stmt = p.find("i"), p.find("y = _")
    q = shifted(p)
    assert q.forward(old) == q.find("io")
    assert q.forward(stmt) == q.find("y = _")
    assert len(q.forward(old.body())) == 3
