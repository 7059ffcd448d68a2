"""`lift_scope`: every pair of loops and ifs, with and without `else`."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.loops.lift_scope import lift_scope


def test_an_if_is_lifted_over_a_loop():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                if n > 4:
                    x[i] = 1.0
                    x[i] += 1.0
        """)
    loop, branch, stmt = p.find("i"), p.find("if _: _"), p.find("x[_] += _")
    q = lift_scope(p, branch)
    assert_body(
        q,
        """
        if n > 4:
            for i in seq(0, n):
                x[i] = 1.0
                x[i] += 1.0
        """,
    )
    assert_equivalent(p, q)
    assert (q.forward(loop), q.forward(branch), q.forward(stmt)) == (q.find("i"), q.find("if _: _"), q.find("x[_] += _"))
    assert str(lift_scope(q, "i")) == str(p)


def test_an_else_gets_a_loop_of_its_own():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in par(0, n):
                if n > 4:
                    x[i] = 1.0
                else:
                    t: f32
                    t = 2.0
                    x[i] = t
        """)
    other = p.find("x[_] = _ #1")
    q = lift_scope(p, "if _: _")
    assert_body(
        q,
        """
        if n > 4:
            for i in par(0, n):
                x[i] = 1.0
        else:
            for i in par(0, n):
                t: f32
                t = 2.0
                x[i] = t
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(other) == q.find("x[_] = _ #1")
    assert [c.node.mode for c in q.find_all("for _ in _: _")] == [LoopMode.PAR, LoopMode.PAR]


def test_a_loop_is_lifted_over_a_loop_as_by_reorder_loops():
    p = parse("""
        def foo(n: size, x: f32[n, 4]):
            for i in seq(0, n):
                for j in seq(0, 4):
                    x[i, j] = 1.0
        """)
    q = lift_scope(p, "j")
    assert_body(q, "for j in seq(0, 4):\n    for i in seq(0, n):\n        x[i, j] = 1.0")
    p = parse("""
        def foo(n: size, x: f32[n + 1, 5]):
            for i in seq(0, n):
                for j in seq(0, 4):
                    x[i + 1, j] = x[i, j + 1]
        """)
    with pytest.raises(SchedulingError, match="lift_scope: iterations of i and j that would change places do not commute"):
        lift_scope(p, "j")


IFS = """
    def foo(n: size, m: size, x: f32[8]):
        if n > 4:
            if m > 2:
                x[0] = 1.0
    """
INNER_ELSE = """
            else:
                x[1] = 1.0
                x[2] = 1.0
    """
OUTER_ELSE = """
        else:
            t: f32
            t = 3.0
            x[3] = t
    """


def ifs(*parts: str) -> str:
    return "\n".join(part.strip("\n").rstrip() for part in (IFS, *parts))


def test_an_if_is_lifted_over_an_if():
    p = parse(ifs())
    q = lift_scope(p, "if m > 2: _")
    assert_body(q, "if m > 2:\n    if n > 4:\n        x[0] = 1.0")
    assert_equivalent(p, q)


def test_the_inner_else_gets_the_outer_condition():
    p = parse(ifs(INNER_ELSE))
    stmt = p.find("x[2] = _")
    q = lift_scope(p, "if m > 2: _")
    assert_body(
        q,
        """
        if m > 2:
            if n > 4:
                x[0] = 1.0
        elif n > 4:
            x[1] = 1.0
            x[2] = 1.0
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(stmt) == q.find("x[2] = _")


def test_the_outer_else_is_in_both_branches():
    p = parse(ifs(OUTER_ELSE))
    stmt = p.find("x[3] = _")
    q = lift_scope(p, "if m > 2: _")
    assert_body(
        q,
        """
        if m > 2:
            if n > 4:
                x[0] = 1.0
            else:
                t: f32
                t = 3.0
                x[3] = t
        elif n > 4:
            pass
        else:
            t: f32
            t = 3.0
            x[3] = t
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(stmt) == q.find("x[3] = _ #0")


def test_both_else_branches_are_kept():
    p = parse(ifs(INNER_ELSE, OUTER_ELSE))
    q = lift_scope(p, "if m > 2: _")
    assert_equivalent(p, q)
    assert str(q).count("x[3] = ") == 2 and str(q).count("x[1] = ") == 1


def test_a_condition_on_the_iterator_is_refused():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                if i < n - 1:
                    x[i] = 1.0
        """)
    with pytest.raises(SchedulingError, match="the condition i < n - 1 depends on the iterator i"):
        lift_scope(p, "if _: _")


def test_a_condition_on_data_that_the_loop_changes_is_refused():
    text = """
        def foo(n: size, x: f32[n], s: f32, t: f32):
            for i in seq(0, n):
                if s < 1.0:
                    TARGET += x[i]
        """
    p = parse(text.replace("TARGET", "t"))
    q = lift_scope(p, "if _: _")
    assert_equivalent(p, q)
    assert_equivalent(q, lift_scope(q, "i"))
    with pytest.raises(SchedulingError, match=r"the loop may change the data that s < 1.0 depends on"):
        lift_scope(parse(text.replace("TARGET", "s")), "if _: _")


def test_data_that_may_be_poison_is_not_looked_at_where_it_was_not():
    p = parse("""
        def foo(n: size, x: f32[n]):
            s: f32
            for i in seq(0, n / 2):
                if s < 1.0:
                    x[i] = 1.0
        """)
    with pytest.raises(SchedulingError, match=r"depends on data, and the loop i may not run(.|\n)*n = 1"):
        lift_scope(p, "if _: _")
    p = parse("""
        def foo(n: size, x: f32[n], s: f32):
            if n > 4:
                if s < 1.0:
                    x[0] = 1.0
        """)
    with pytest.raises(SchedulingError, match=r"the condition s < 1.0 depends on data"):
        lift_scope(p, "if s < 1.0: _")


def test_an_access_that_only_the_outer_condition_keeps_in_bounds_is_not_lifted_out():
    p = parse("""
        def foo(n: size, x: f32[n]):
            if n > 4:
                for i in seq(4, n):
                    x[i] = 1.0
        """)
    with pytest.raises(SchedulingError, match="would not be safe: the range of loop i may be negative"):
        lift_scope(p, "i")


@pytest.mark.parametrize(("cond", "other"), [("n > 4", "n <= 4"), ("n <= 4", "n > 4")])
def test_a_loop_leaves_the_other_branch_behind(cond: str, other: str):
    p = parse(f"""
        def foo(n: size, x: f32[n]):
            if {cond}:
                for i in seq(0, n):
                    x[i] = 1.0
            else:
                x[0] = 2.0
        """)
    q = lift_scope(p, "i")
    assert_body(q, f"for i in seq(0, n):\n    if {cond}:\n        x[i] = 1.0\nif {other}:\n    x[0] = 2.0")
    assert_equivalent(p, q)
    assert q.forward(p.find("x[0] = _")) == q.find("x[0] = _")
    assert q.forward(p.find("i")) == q.find("i")


def test_the_statement_must_be_alone_in_a_loop_or_if():
    p = parse("""
        def foo(n: size, x: f32[n]):
            for i in seq(0, n):
                x[i] = 0.0
                if n > 4:
                    x[i] = 1.0
            if n > 4:
                x[0] = 0.0
            else:
                for j in seq(0, n):
                    x[j] = 0.0
        """)
    with pytest.raises(SchedulingError, match=r"must be alone in the loop or `if` around it(.|\n)*fission"):
        lift_scope(p, "if _: _")
    with pytest.raises(SchedulingError, match="no loop or `if` around the statement"):
        lift_scope(p, "i")
    with pytest.raises(SchedulingError, match="a loop or an `if` is wanted here"):
        lift_scope(p, "x[_] = _")
