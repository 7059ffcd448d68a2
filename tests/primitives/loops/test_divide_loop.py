"""`divide_loop`: the four ways to divide, what is proved, where cursors go."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.loops.divide_loop import divide_loop

COPY = parse("""
    def copy(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
    """)


def test_perfect_division_makes_a_nest_of_two():
    p = parse("""
        def foo(n: size, x: f32[n]):
            assert n % 4 == 0
            for i in seq(0, n):
                x[i] = 0.0
        """)
    q = divide_loop(p, "i", 4, ["io", "ii"], perfect=True)
    assert str(q) == str(divide_loop(p, "i", 4, ["io", "ii"], tail="perfect"))
    assert_body(
        q,
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
        """,
    )
    assert_equivalent(p, q)


def test_a_literal_extent_is_divided_at_once():
    p = parse("""
        def foo(x: f32[8]):
            for i in seq(0, 8):
                x[i] = 0.0
        """)
    assert_body(
        divide_loop(p, "i", 4, ("io", "ii"), perfect=True),
        """
        for io in seq(0, 2):
            for ii in seq(0, 4):
                x[4 * io + ii] = 0.0
        """,
    )


def test_guard_runs_the_last_tile_under_a_condition():
    q = divide_loop(COPY, "i", 8, ["io", "ii"])
    assert_body(
        q,
        """
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, 8):
                if 8 * io + ii < n:
                    t: f32
                    t = x[8 * io + ii]
                    y[8 * io + ii] = t
        """,
    )


def test_cut_adds_a_loop_over_the_rest():
    q = divide_loop(COPY, "i", 4, ["io", "ii"], tail="cut")
    assert_body(
        q,
        """
        for io in seq(0, n / 4):
            for ii in seq(0, 4):
                t: f32
                t = x[4 * io + ii]
                y[4 * io + ii] = t
        for ii in seq(0, n % 4):
            t: f32
            t = x[ii + n / 4 * 4]
            y[ii + n / 4 * 4] = t
        """,
    )


def test_cut_and_guard_puts_the_rest_under_a_condition():
    q = divide_loop(COPY, "i", 4, ["io", "ii"], tail="cut_and_guard")
    assert [str(c.name()) for c in q.find_all("for _ in _: _")] == ["io", "ii", "ii"]
    assert "if n % 4 > 0:\n        for ii in seq(0, n % 4):" in str(q)


@pytest.mark.parametrize("tail", ["guard", "cut", "cut_and_guard"])
@pytest.mark.parametrize("factor", [1, 3, 4])
def test_every_tail_keeps_the_meaning(tail: str, factor: int):
    assert_equivalent(COPY, divide_loop(COPY, "i", factor, ["io", "ii"], tail=tail), factor=factor)


def test_the_order_of_iterations_stays():
    p = parse("""
        def scan(n: size, x: f32[n + 1]):
            for i in seq(0, n):
                x[i + 1] = x[i] + 1.0
        """)
    for tail in ("guard", "cut", "cut_and_guard"):
        assert_equivalent(p, divide_loop(p, "i", 4, ["io", "ii"], tail=tail))


def test_a_parallel_loop_stays_parallel_over_the_tiles():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in par(0, n):
                x[i] = 0.0
        """)
    q = divide_loop(p, "i", 4, ["io", "ii"], tail="cut")
    assert [c.node.mode for c in q.find_all("for _ in _: _")] == [LoopMode.PAR, LoopMode.SEQ, LoopMode.PAR]


def test_the_loop_goes_to_the_outer_and_its_body_to_the_tiles_body():
    loop, stmt, body = COPY.find("i"), COPY.find("y = _"), COPY.find("i").body()
    for tail in ("guard", "cut", "cut_and_guard"):
        q = divide_loop(COPY, loop, 4, ["io", "ii"], tail=tail)
        assert q.forward(loop) == q.find("io")
        assert q.forward(stmt) == q.find("y = _")
        assert q.forward(body)[0] == q.find("t : _")
        assert len(q.forward(body)) == 3


def test_an_extent_that_may_not_divide_is_refused_with_a_size():
    with pytest.raises(SchedulingError, match="cannot prove that 4 divides n") as caught:
        divide_loop(COPY, "i", 4, ["io", "ii"], perfect=True)
    assert caught.value.span is not None and caught.value.span.line == 2
    assert any(note.startswith("counter-example: n = ") for note in caught.value.notes)


def test_a_loop_that_does_not_start_at_zero_is_refused():
    p = parse("""
        def foo(n: size, x: f32[n + 1]):
            for i in seq(1, n + 1):
                x[i] = 0.0
        """)
    with pytest.raises(SchedulingError, match=r"must start at 0, not at 1(.|\n)*shift_loop"):
        divide_loop(p, "i", 4, ["io", "ii"])


def test_a_start_that_is_proved_to_be_zero_is_enough():
    p = parse("""
        def foo(n: size, x: f32[n + 1]):
            assert n == 1
            for i in seq(n - 1, n + 1):
                x[i] = 0.0
        """)
    q = divide_loop(p, "i", 4, ["io", "ii"])
    assert "for io in seq(0, (n + 4) / 4):" in str(q)
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("factor", "names", "tail", "message"),
    [
        (0, ["io", "ii"], "cut", "at least 1, got 0"),
        (True, ["io", "ii"], "cut", "factor must be an int"),
        (4, ["io"], "cut", "a list of 2 names"),
        (4, "ab", "cut", "names must be a list of names"),
        (4, ["io", "io"], "cut", "must differ"),
        (4, ["io", "for"], "cut", "must be an identifier"),
        (4, ["io", "ii"], "mask", "unknown tail 'mask'"),
    ],
)
def test_bad_arguments_are_refused(factor: int, names: list[str], tail: str, message: str):
    with pytest.raises(
        UsageError if tail == "mask" or "must be a list" in message or "an int" in message else SchedulingError, match=message
    ):
        divide_loop(COPY, "i", factor, names, tail=tail)
