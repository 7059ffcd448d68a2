"""stage_mem: the copies it makes, the accesses it redirects, and what it refuses."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.cursors.path import BlockLoc
from usl_core.errors import SchedulingError
from usl_core.primitives.buffers.stage_mem import stage_mem

MATMUL = """
    def f(n: size, A: R[4 * n, n], B: R[n, 8], C: R[4 * n, 8]):
        for i in seq(0, n):
            for k in seq(0, n):
                for ii in seq(0, 4):
                    for j in seq(0, 8):
                        C[4 * i + ii, j] += A[4 * i + ii, k] * B[k, j]
"""


def test_a_block_that_reads_and_writes_gets_both_copies():
    p = parse(MATMUL)
    q = stage_mem(p, "for k in _: _", "C[4 * i:4 * i + 4, 0:8]", "t")
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: R[4, 8]
            for i0 in seq(0, 4):
                for i1 in seq(0, 8):
                    t[i0, i1] = C[4 * i + i0, i1]
            for k in seq(0, n):
                for ii in seq(0, 4):
                    for j in seq(0, 8):
                        t[ii, j] += A[4 * i + ii, k] * B[k, j]
            for i0 in seq(0, 4):
                for i1 in seq(0, 8):
                    C[4 * i + i0, i1] = t[i0, i1]
        """,
    )
    assert_equivalent(p, q)


def test_accum_starts_at_zero_and_adds_at_the_end():
    p = parse(MATMUL)
    q = stage_mem(p, "for k in _: _", "C[4 * i:4 * i + 4, 0:8]", "t", accum=True)
    text = str(q)
    assert "t[i0, i1] = 0.0" in text and "C[4 * i + i0, i1] += t[i0, i1]" in text
    assert_equivalent(p, q)


def test_a_block_that_only_reads_is_not_copied_out_and_a_point_drops_its_dimension():
    p = parse(MATMUL)
    q = stage_mem(p, "for ii in _: _", "A[4 * i:4 * i + 4, k]", "a")
    assert_body(
        q,
        """
        for i in seq(0, n):
            for k in seq(0, n):
                a: R[4]
                for i0 in seq(0, 4):
                    a[i0] = A[4 * i + i0, k]
                for ii in seq(0, 4):
                    for j in seq(0, 8):
                        C[4 * i + ii, j] += a[ii] * B[k, j]
        """,
    )
    assert_equivalent(p, q)


def test_one_element_is_staged_in_a_scalar():
    p = parse(MATMUL)
    q = stage_mem(p, "for j in _: _", "A[4 * i + ii, k]", "a")
    assert "a = A[4 * i + ii, k]" in str(q) and "+= a * B[k, j]" in str(q)
    assert_equivalent(p, q)


def test_copying_in_is_left_out_where_the_block_first_writes_all_of_the_window():
    p = parse("""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                x[i] = 0.0
            for i in seq(0, n):
                x[i] += y[i]
    """)
    q = stage_mem(p, p.body(), "x[0:n]", "t")
    assert_body(
        q,
        """
        t: R[n]
        for i in seq(0, n):
            t[i] = 0.0
        for i in seq(0, n):
            t[i] += y[i]
        for i0 in seq(0, n):
            x[i0] = t[i0]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize(
    "body",
    [
        "if i > 0:\n                    x[i] = 0.0",  # not all of it
        "x[i] += 1.0",  # reads
        "if y[i] < 1.0:\n                    x[i] = 0.0",  # perhaps
    ],
)
def test_copying_in_stays_where_the_block_may_leave_or_read_an_old_value(body):
    p = parse(f"""
        def f(n: size, x: R[n], y: R[n]):
            for i in seq(0, n):
                {body}
    """)
    q = stage_mem(p, "for i in _: _", "x[0:n]", "t")
    assert "t[i0] = x[i0]" in str(q)
    assert_equivalent(p, q)


def test_a_window_over_the_end_of_the_buffer_has_guarded_copies():
    p = parse("""
        def f(n: size, x: R[n]):
            for io in seq(0, (n + 3) / 4):
                for ii in seq(0, 4):
                    if 4 * io + ii < n:
                        x[4 * io + ii] += 1.0
    """)
    q = stage_mem(p, "for ii in _: _", "x[4 * io:4 * io + 4]", "t")
    assert_body(
        q,
        """
        for io in seq(0, (n + 3) / 4):
            t: R[4]
            for i0 in seq(0, 4):
                if 4 * io + i0 < n:
                    t[i0] = x[4 * io + i0]
            for ii in seq(0, 4):
                if 4 * io + ii < n:
                    t[ii] += 1.0
            for i0 in seq(0, 4):
                if 4 * io + i0 < n:
                    x[4 * io + i0] = t[i0]
        """,
    )
    assert_equivalent(p, q)


def test_calls_and_windows_in_the_block_work_on_the_copy():
    g = parse("""
        def g(m: size, dst: [R][m], src: [R][m]):
            for i in seq(0, m):
                dst[i] += src[i]
    """)
    p = parse(
        """
        def f(n: size, x: R[n + 4, 8], y: R[8]):
            for i in seq(0, n):
                w = x[i + 1, 0:8]
                g(4, x[i, 0:4], y[2:6])
                g(4, w[4:8], y[0:4])
                w[0] = 1.0
    """,
        g=g,
    )
    q = stage_mem(p, p.find_loop("i").body(), "x[i:i + 2, 0:8]", "t")
    assert "g(4, t[0, 0:4], y[2:6])" in str(q) and "w = t[1, 0:8]" in str(q)
    assert_equivalent(p, q)


def test_a_whole_buffer_as_an_argument_becomes_the_whole_copy():
    g = parse("""
        def g(m: size, x: R[m]):
            for i in seq(0, m):
                x[i] = 1.0
    """)
    p = parse(
        """
        def f(n: size, x: R[n]):
            g(n, x)
    """,
        g=g,
    )
    q = stage_mem(p, "g(_)", "x", "t")
    assert "g(n, t)" in str(q) and "t[i0] = x[i0]" not in str(q)
    assert_equivalent(p, q)


def test_staging_through_a_window_of_the_same_buffer():
    p = parse("""
        def f(n: size, x: R[n, 8]):
            for i in seq(0, n):
                w = x[i, 2:6]
                for j in seq(0, 4):
                    w[j] = w[j] * 2.0
    """)
    q = stage_mem(p, "for j in _: _", "w[0:4]", "t")
    assert "t[i0] = w[i0]" in str(q) and "t[j] = t[j] * 2.0" in str(q)
    assert_equivalent(p, q)


def test_integers_are_staged_at_their_own_type_and_clamped_indices_stay_inside():
    p = parse("""
        def f(n: size, x: u8[n], h: i32[256]):
            for i in seq(0, n):
                h[idx(x[i], 0, 256)] += i32(1)
    """)
    q = stage_mem(p, "for i in _: _", "h[0:256]", "t", accum=True)
    assert "t[idx(x[i], 0, 256)] += 1" in str(q)
    assert_equivalent(p, q)


def test_an_access_outside_of_the_window_is_refused_with_values():
    p = parse(MATMUL)
    with pytest.raises(SchedulingError, match=r"stage_mem: cannot prove that C\[4 \* i \+ ii, j\] lies inside") as caught:
        stage_mem(p, "for k in _: _", "C[4 * i:4 * i + 4, 0:7]", "t")
    assert "j = 7" in str(caught.value)


def test_a_point_must_be_the_index_of_every_access():
    p = parse(MATMUL)
    with pytest.raises(SchedulingError, match="in dimension 1"):
        stage_mem(p, "for k in _: _", "A[4 * i:4 * i + 4, 0]", "t")


def test_a_block_that_uses_a_window_from_before_it_is_refused():
    p = parse("""
        def f(x: R[8]):
            w = x[0:4]
            for i in seq(0, 4):
                x[i] = w[i] + 1.0
    """)
    with pytest.raises(SchedulingError, match="also reaches x under the name w"):
        stage_mem(p, "for i in _: _", "x[0:8]", "t")


def test_a_window_made_in_the_block_and_used_after_it_is_refused():
    p = parse("""
        def f(x: R[8]):
            w = x[0:4]
            w[0] = 1.0
            w[1] = 2.0
    """)
    with pytest.raises(SchedulingError, match="a window of x that the block makes is used after it"):
        stage_mem(p, p.body()[0:2], "x[0:8]", "t")


def test_an_empty_window_is_refused():
    p = parse("""
        def f(n: size, x: R[n]):
            for i in seq(0, n):
                for j in seq(0, i):
                    x[j] = 0.0
    """)
    with pytest.raises(SchedulingError, match=r"may be empty: cannot prove 0 < i") as caught:
        stage_mem(p, "for j in _: _", "x[0:i]", "t")
    assert "i = 0" in str(caught.value)


def test_accum_refuses_a_block_that_reads_or_assigns():
    p = parse("""
        def f(n: size, x: R[n]):
            for i in seq(0, n):
                x[i] = 1.0
                x[i] += 2.0
    """)
    with pytest.raises(SchedulingError, match="only reduces into x, but there is a write"):
        stage_mem(p, p.find_loop("i").body(), "x[i]", "t", accum=True)


def test_a_condition_on_a_stride_is_refused():
    p = parse("""
        def f(x: [R][8]):
            if stride(x, 0) == 1:
                x[0] = 1.0
    """)
    with pytest.raises(SchedulingError, match="depends on strides of x"):
        stage_mem(p, "if _: _", "x[0:8]", "t")


def test_a_callee_that_needs_the_old_stride_is_refused():
    g = parse("""
        def g(x: [R][4, 4]):
            assert stride(x, 0) == 8
            x[0, 0] = 1.0
    """)
    p = parse("def f(x: R[8, 8]):\n    g(x[0:4, 0:4])", g=g)
    with pytest.raises(SchedulingError, match="may break its assertion"):
        stage_mem(p, "g(_)", "x[0:4, 0:4]", "t")


def test_a_block_without_the_buffer_and_a_window_of_nothing_are_refused():
    p = parse("def f(x: R[8], y: R[8]):\n    x[0] = 1.0")
    with pytest.raises(SchedulingError, match="does not use y"):
        stage_mem(p, "x[_] = _", "y[0:8]", "t")
    with pytest.raises(SchedulingError, match="identifier"):
        stage_mem(p, "x[_] = _", "x[0:8]", "1t")


def test_a_window_given_by_a_cursor_must_be_in_scope_before_the_block_and_not_depend_on_data():
    p = parse("""
        def f(n: size, x: R[n], y: R[n], k: i32[1]):
            for i in seq(0, n):
                y[i] = x[i]
            y[0] = x[idx(k[0], 0, n)]
    """)
    with pytest.raises(SchedulingError, match="i is not in scope before the block"):
        stage_mem(p, "for i in _: _", p.find("x[i]"), "t")
    with pytest.raises(SchedulingError, match="depends on data"):
        stage_mem(p, "y[0] = _", p.find("x[idx(_, _, _)]"), "t")


def test_cursors_stay_with_their_statements():
    p = parse(MATMUL)
    write, loop = p.find("C[_] += _"), p.find_loop("k")
    q = stage_mem(p, loop, "C[4 * i:4 * i + 4, 0:8]", "t")
    assert q.forward(write) == q.find("t[_] += _")
    assert q.forward(loop) == q.find_loop("k")
    assert isinstance(q.forward(loop.as_block()).loc, BlockLoc) and len(q.forward(loop.as_block())) == 1
    assert q.forward(p.find("A[_]")) == q.find("A[_]")


def test_a_named_window_that_the_block_writes_whole_is_not_copied_in():
    p = parse("""
        def f(x: R[8]):
            w = x[2:6]
            for i in seq(0, 4):
                w[i] = 1.0
    """)
    q = stage_mem(p, "for i in _: _", "w[0:4]", "t")
    assert_body(
        q,
        """
        w = x[2:6]
        t: R[4]
        for i in seq(0, 4):
            t[i] = 1.0
        for i0 in seq(0, 4):
            w[i0] = t[i0]
        """,
    )
    assert_equivalent(p, q)


@pytest.mark.parametrize(("window", "argument"), [("x[0:n]", "t"), ("x[0:n + 2]", "t[0:n]"), ("x[-1:n]", "t[1:n + 1]")])
def test_a_whole_buffer_as_an_argument_is_its_part_of_a_larger_copy(window: str, argument: str):
    g = parse("def g(n: size, d: [R][n]):\n    d[0] = 1.0")
    p = parse("def f(n: size, x: R[n]):\n    g(n, x)", g=g)
    q = stage_mem(p, "g(_)", window, "t")
    assert f"g(n, {argument})" in str(q)
    assert_equivalent(p, q)
