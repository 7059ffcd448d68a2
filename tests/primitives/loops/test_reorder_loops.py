"""`reorder_loops`: which iterations may change places."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.errors import SchedulingError
from usl_core.ir.nodes import LoopMode
from usl_core.primitives.loops.reorder_loops import reorder_loops
from usl_core.procedure import Procedure


def nest(
    body: str, head: str = "n: size, m: size, x: f32[n + 2, m + 2], y: f32[n], z: f32", outer: str = "seq(0, n)"
) -> Procedure:
    return parse(f"""
        def nest({head}):
            for i in {outer}:
                for j in seq(0, m):
                    {body}
        """)


MATVEC = nest("y[i] += x[i, j]")


def test_the_loops_change_places():
    q = reorder_loops(MATVEC, "i j")
    assert_body(
        q,
        """
        for j in seq(0, m):
            for i in seq(0, n):
                y[i] += x[i, j]
        """,
    )
    assert_equivalent(MATVEC, q)
    assert str(reorder_loops(q, "j i")) == str(MATVEC)


def test_each_loop_and_the_body_keep_their_cursors():
    i, j, stmt, block = MATVEC.find("i"), MATVEC.find("j"), MATVEC.find("y[_] += _"), MATVEC.find("j").body()
    q = reorder_loops(MATVEC, i)
    assert (q.forward(i), q.forward(j)) == (q.find_loop("i"), q.find_loop("j"))
    assert q.forward(stmt) == q.find("y[_] += _")
    assert q.forward(block) == q.find_loop("i").body()


def test_each_loop_keeps_its_mode():
    q = reorder_loops(nest("x[i, j] = 1.0", outer="par(0, n)"), "i j")
    assert [c.node.mode for c in q.find_all("for _ in _: _")] == [LoopMode.SEQ, LoopMode.PAR]


@pytest.mark.parametrize(
    "body", ["x[i, j] = 1.0", "x[i + 1, j + 1] = x[i, j]", "z += x[i, j]", "y[i] = z", "y[i] = y[i] * 2.0 + z"]
)
def test_iterations_that_do_not_meet_in_the_wrong_order_are_accepted(body: str):
    p = nest(body)
    assert_equivalent(p, reorder_loops(p, "i j"))


@pytest.mark.parametrize("body", ["z = x[i, j]", "x[i + 1, j] = x[i, j + 1]", "z = z * 2.0 + y[i]"])
def test_a_dependence_that_would_turn_around_is_refused(body: str):
    p = nest(body)
    with pytest.raises(SchedulingError, match="would change places do not commute") as caught:
        reorder_loops(p, "i j")
    assert any(note.startswith("counter-example: ") for note in caught.value.notes)


def test_a_loop_that_starts_late_is_judged_by_its_own_range():
    p = nest("x[i, j] = x[2, 0]", outer="seq(3, n + 3)", head="n: size, m: size, x: f32[n + 3, m]")
    assert_equivalent(p, reorder_loops(p, "i j"))
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(nest("x[i, j] = x[2, 0]"), "i j")


@pytest.mark.parametrize(
    ("low", "high"),
    [("0", "i"), ("0", "i + 1"), ("i", "n"), ("i + 1", "n + 1"), ("n - i", "n + 1"), ("max(0, i - 1)", "min(n, i + 2)")],
)
@pytest.mark.parametrize("outer", ["seq(0, n)", "seq(0, n / 2)", "seq(1, n)"])
def test_a_triangular_nest_runs_the_same_iterations(low: str, high: str, outer: str):
    p = parse(f"""
        def foo(n: size, x: f32[n + 2, n + 2], y: f32[n + 2]):
            for i in {outer}:
                for j in seq({low}, {high}):
                    x[i, j] += y[j] * 2.0
        """)
    q = reorder_loops(p, "i j")
    assert [c.name() for c in q.find_all("for _ in _: _")] == ["j", "i"]
    assert_equivalent(p, q)


def test_a_range_that_depends_on_the_outer_iterator_otherwise_is_refused():
    p = parse("""
        def foo(n: size, x: f32[n, n]):
            for i in seq(0, n):
                for j in seq(0, i / 2):
                    x[i, j] = 0.0
        """)
    with pytest.raises(SchedulingError, match=r"the range of j depends on i: i / 2"):
        reorder_loops(p, "i j")


def test_other_statements_in_the_outer_loop_are_refused():
    p = parse("""
        def foo(n: size, x: f32[n, n], y: f32[n]):
            for i in seq(0, n):
                y[i] = 0.0
                for j in seq(0, n):
                    x[i, j] = 0.0
        """)
    with pytest.raises(SchedulingError, match=r"must be one loop and nothing else(.|\n)*fission"):
        reorder_loops(p, "i")


def test_aliasing_through_a_window_is_seen():
    p = parse("""
        def foo(n: size, x: f32[n + 1, n + 1]):
            w = x[1:n + 1, 0:n]
            for i in seq(0, n):
                for j in seq(0, n):
                    w[i, j] = x[i, j + 1]
        """)
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(p, "i j")


def test_a_check_in_the_body_is_refused():
    p = nest("check(i + j < 100)")
    with pytest.raises(SchedulingError, match=r"do not commute(.|\n)*check"):
        reorder_loops(p, "i j")


def test_an_index_that_depends_on_data_may_be_any_in_its_range():
    head = "n: size, m: size, a: i32[n, m], h: f32[8], y: f32[n, m]"
    histogram = nest("h[idx(a[i, j], 0, 8)] += 1.0", head=head)
    assert_equivalent(histogram, reorder_loops(histogram, "i j"))
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(nest("h[idx(a[i, j], 0, 8)] = y[i, j]", head=head), "i j")


def test_a_call_is_judged_by_its_body():
    callee = parse("""
        def shift(n: size, dst: [f32][n], src: [f32][n]):
            for k in seq(0, n):
                dst[k] = src[k]
        """)
    p = parse(
        """
        def foo(n: size, x: f32[n + 1, n, 4]):
            for i in seq(0, n):
                for j in seq(0, n):
                    shift(4, x[i + 1, j, 0:4], x[i, j, 0:4])
        """,
        shift=callee,
    )
    assert_equivalent(p, reorder_loops(p, "i j"))
    p = parse(
        """
        def foo(n: size, x: f32[n + 1, n + 1, 4]):
            for i in seq(0, n):
                for j in seq(0, n):
                    shift(4, x[i + 1, j, 0:4], x[i, j + 1, 0:4])
        """,
        shift=callee,
    )
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(p, "i j")


def test_the_stride_of_a_local_buffer_is_not_the_same_in_every_iteration():
    p = parse("""
        def foo(n: size, x: f32[n + 1], y: f32[n]):
            for i in seq(0, 4):
                for j in seq(0, n):
                    t: f32[2, i + 1]
                    if stride(t, 0) == 1:
                        x[j] = 1.0
                    else:
                        y[j] = x[j + 1]
        """)
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(p, "i j")


def test_a_window_of_a_local_buffer_has_its_strides():
    p = parse("""
        def foo(n: size, x: f32[n + 1], y: f32[n]):
            for i in seq(0, 4):
                for j in seq(0, n):
                    t: f32[2, i + 1, 2]
                    w = t[0:2, i, 0:2]
                    if stride(w, 0) == 2:
                        x[j] = 1.0
                    else:
                        y[j] = x[j + 1]
        """)
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_loops(p, "i j")
