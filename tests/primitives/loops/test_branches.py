"""`specialize`, `eliminate_dead_code`: making branches and dropping them."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.cursor import InvalidCursor
from usl_core.errors import SchedulingError
from usl_core.primitives.loops.eliminate_dead_code import eliminate_dead_code
from usl_core.primitives.loops.specialize import specialize

# ---- specialize

COPY = parse("""
    def copy(n: size, x: f32[n], y: f32[n]):
        for i in seq(0, n):
            t: f32
            t = x[i]
            y[i] = t
    """)


def test_specialize_makes_a_copy_per_condition_and_one_for_the_rest():
    loop, stmt = COPY.find("i"), COPY.find("y[_] = _")
    q = specialize(COPY, loop, ["n == 8", "n % 4 == 0"])
    assert_body(
        specialize(COPY, "y[_] = _", "i < 3"),
        """
        for i in seq(0, n):
            t: f32
            t = x[i]
            if i < 3:
                y[i] = t
            else:
                y[i] = t
        """,
    )
    assert_equivalent(COPY, q)
    assert str(q).count("for i in seq(0, n):") == 3
    assert "if n == 8:" in str(q) and "elif n % 4 == 0:" in str(q)
    assert q.forward(loop) == q.find("i #0")
    assert q.forward(stmt) == q.find("y[_] = _ #0")


def test_specialize_refuses_conditions_on_data_and_none():
    p = parse("""
        def foo(n: size, x: f32[n], s: f32):
            x[0] = s
        """)
    with pytest.raises(SchedulingError, match="must depend on control values only"):
        specialize(p, "x[_] = _", "s < 1.0")
    with pytest.raises(SchedulingError, match="at least one condition"):
        specialize(p, "x[_] = _", [])


def test_specialize_refuses_a_block_whose_names_are_used_after_it():
    with pytest.raises(SchedulingError, match="t is bound in the block and used after it"):
        specialize(COPY, COPY.find("i").body()[0:2], "n > 4")


# ---- eliminate_dead_code


def test_an_if_whose_condition_holds_gives_its_body():
    p = parse("""
        def foo(n: size, x: f32[n]):
            assert n > 4
            for i in seq(0, 4):
                if i < n:
                    t: f32
                    t = 1.0
                    x[i] = t
                else:
                    x[0] = 2.0
        """)
    branch, stmt, other = p.find("if _: _"), p.find("x[i] = _"), p.find("x[0] = _")
    q = eliminate_dead_code(p, branch)
    assert_body(q, "for i in seq(0, 4):\n    t: f32\n    t = 1.0\n    x[i] = t")
    assert_equivalent(p, q)
    assert q.forward(stmt) == q.find("x[i] = _")
    assert isinstance(q.forward(other), InvalidCursor) and isinstance(q.forward(branch), InvalidCursor)


def test_an_if_whose_condition_never_holds_gives_its_else():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                if i >= n:
                    x[0] = 1.0
                else:
                    x[i] = 2.0
            if n < 1:
                x[0] = 3.0
        """)
    q = eliminate_dead_code(eliminate_dead_code(p, "if _: _"), "if n < 1: _")
    assert_body(q, "for i in seq(0, n):\n    x[i] = 2.0")
    assert_equivalent(p, q)


def test_a_dead_branch_that_is_alone_leaves_a_pass():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                if i >= n:
                    x[0] = 1.0
        """)
    assert_body(eliminate_dead_code(p, "if _: _"), "for i in seq(0, n):\n    pass")


def test_a_loop_that_never_runs_goes():
    p = parse("""
        def foo(n: size, x: f32[n]):
            assert n % 4 == 0
            x[0] = 1.0
            for i in seq(0, n % 4):
                x[i] = 0.0
        """)
    q = eliminate_dead_code(p, "i")
    assert_body(q, "x[0] = 1.0")
    assert_equivalent(p, q)


def test_a_check_counts_from_where_it_stands():
    p = parse("""
        def foo(n: size, x: f32[n]):
            if n < 5:
                x[0] = 1.0
            check(n < 5)
            if n < 5:
                x[0] = 2.0
        """)
    with pytest.raises(SchedulingError, match="neither always true nor always false"):
        eliminate_dead_code(p, "if _: _")
    assert "x[0] = 2.0" in str(eliminate_dead_code(p, "if _: _ #1"))


def test_a_condition_that_may_go_either_way_is_refused_with_values_for_both():
    p = parse("""
        def foo(n: size, x: f32[n], s: f32):
            if n > 4:
                x[0] = 1.0
            if s < 1.0:
                x[0] = 2.0
            for i in seq(0, n):
                x[i] = 0.0
        """)
    with pytest.raises(SchedulingError, match="n > 4 is neither always true nor always false") as caught:
        eliminate_dead_code(p, "if _: _")
    assert [note.split(":")[0] for note in caught.value.notes] == ["it holds for", "it does not hold for"]
    with pytest.raises(SchedulingError, match=r"the condition s < 1.0 depends on data"):
        eliminate_dead_code(p, "if _: _ #1")
    with pytest.raises(SchedulingError, match="the loop i may run: cannot prove n <= 0"):
        eliminate_dead_code(p, "i")
    with pytest.raises(SchedulingError, match="an `if` or a loop is wanted"):
        eliminate_dead_code(p, "x[_] = _")
