"""lift_alloc, sink_alloc and delete_buffer: where an allocation may stand."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, assert_refines, parse
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.delete_buffer import delete_buffer
from usl_core.primitives.buffers.expand_dim import expand_dim
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.sink_alloc import sink_alloc

NEST = """
    def f(n: size, x: R[n, n]):
        for i in seq(0, n):
            for j in seq(0, n):
                t: R[4]
                t[0] = x[i, j]
                x[i, j] = t[0] * 2.0
"""


def test_lift_alloc_moves_in_front_of_as_many_loops_as_asked():
    p = parse(NEST)
    q = lift_alloc(p, "t", 2)
    assert_body(
        q,
        """
        t: R[4]
        for i in seq(0, n):
            for j in seq(0, n):
                t[0] = x[i, j]
                x[i, j] = t[0] * 2.0
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(p.find("t: _")) == q.find("t: _")
    assert q.forward(p.find_loop("j")) == q.find_loop("j")
    assert q.forward(p.find("t[0] = _")) == q.find("t[0] = _")


def test_lift_alloc_leaves_a_branch_and_poison_may_become_an_old_value():
    p = parse("""
        def f(n: size, x: R[n]):
            for i in seq(0, n):
                if i > 2:
                    x[i] = 0.0
                else:
                    t: R
                    x[i] = t
                    t = 1.0
    """)
    q = lift_alloc(p, "t", 2)
    assert str(q).index("t: R") < str(q).index("for i")
    assert_refines(p, q)


def test_lift_alloc_refuses_an_extent_that_depends_on_the_loop():
    p = parse("""
        def f(n: size):
            for i in seq(0, n):
                t: R[i + 1]
                t[i] = 0.0
    """)
    with pytest.raises(SchedulingError, match="the extent of t depends on i"):
        lift_alloc(p, "t")


def test_lift_alloc_refuses_an_extent_that_is_positive_only_inside():
    p = parse("""
        def f(n: size):
            if n > 3:
                t: R[n - 3]
                t[0] = 0.0
    """)
    with pytest.raises(SchedulingError, match="an extent of buffer t may be below 1") as caught:
        lift_alloc(p, "t")
    assert "n = " in str(caught.value)


def test_lift_alloc_refuses_more_lifts_than_there_are_loops():
    with pytest.raises(SchedulingError, match="t stands inside 2 loops or branches, so it cannot be lifted 3 times"):
        lift_alloc(parse(NEST), "t", 3)


def test_lift_alloc_leaves_a_parallel_loop_only_with_an_element_for_each_iteration():
    p = parse("""
        def f(n: size, x: R[n, 4]):
            for i in par(0, n):
                for j in seq(0, 4):
                    t: R
                    t = x[i, j]
                    x[i, j] = t + 1.0
    """)
    with pytest.raises(SchedulingError, match="would share elements of t: expand it by i first"):
        lift_alloc(p, "t", 2)
    with pytest.raises(SchedulingError, match="would share"):
        lift_alloc(expand_dim(p, "t", 4, "j"), "t", 2)
    q = lift_alloc(expand_dim(p, "t", "n", "i"), "t", 2)
    assert str(q).index("t: R[n]") < str(q).index("par")
    assert_equivalent(p, q)


def test_sink_alloc_moves_into_the_loop_that_uses_the_buffer():
    p = parse("""
        def f(n: size, x: R[n]):
            t: R[4]
            x[0] = 1.0
            for i in seq(0, n):
                t[1] = x[i]
                x[i] = t[1] + 1.0
    """)
    q = sink_alloc(p, "t")
    assert_body(
        q,
        """
        x[0] = 1.0
        for i in seq(0, n):
            t: R[4]
            t[1] = x[i]
            x[i] = t[1] + 1.0
        """,
    )
    assert_equivalent(p, q)
    assert q.forward(p.find("t: _")) == q.find("t: _")


def test_sink_alloc_moves_into_the_branch_that_uses_the_buffer():
    p = parse("""
        def f(n: size, x: R[n]):
            t: R
            if n > 2:
                x[0] = 0.0
            else:
                t = x[0]
                x[0] = t
    """)
    q = sink_alloc(p, "t")
    assert str(q).index("else") < str(q).index("t: R")
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (
            "for i in seq(0, n):\n                x[i] += t\n                t = x[i]",
            "may see what an earlier iteration of i wrote",
        ),
        ("for i in seq(0, n):\n                t += x[i]", "may see what an earlier iteration of i wrote"),
        ("t = 0.0\n            for i in seq(0, n):\n                x[i] = t", "is used in 2 statements"),
        ("t = 0.0", "no loop and no `if`"),
        ("x[0] = 0.0", "t is not used"),
    ],
)
def test_sink_alloc_refuses(body, message):
    p = parse(f"""
        def f(n: size, x: R[n]):
            t: R
            {body}
    """)
    with pytest.raises(SchedulingError, match=message):
        sink_alloc(p, "t")


def test_sink_alloc_sees_a_read_through_a_window():
    p = parse("""
        def f(n: size, x: R[n]):
            t: R[4]
            for i in seq(0, n):
                w = t[1:3]
                x[i] = w[0]
                t[1] = x[i]
    """)
    with pytest.raises(SchedulingError, match="may see what an earlier iteration"):
        sink_alloc(p, "t")


def test_delete_buffer_drops_what_is_not_used_and_refuses_what_is():
    p = parse("def f(x: R[4]):\n    t: R[4]\n    u: R\n    u = 1.0\n    x[0] = u")
    q = delete_buffer(p, "t")
    assert_body(q, "u: R\nu = 1.0\nx[0] = u")
    assert_equivalent(p, q)
    assert not q.forward(p.find("t: _"))
    with pytest.raises(SchedulingError, match="u is used"):
        delete_buffer(p, "u")
