"""The functions that users of comparable systems know: what they make, what they refuse, where cursors go."""

from __future__ import annotations

from typing import Any

import pytest

from tests.primitives.equivalence import assert_body, assert_refines, parse
from usl_core import DRAM, Procedure, SchedulingError, UsageError, divide_loop, proc_from_source, simplify
from usl_stdlib import (
    binary_specialize,
    bound_loop_by_if,
    cleanup,
    cut_loop_and_unroll,
    dealias,
    divide_loop_recursive,
    fission_into_singles,
    fma_rule,
    reorder_stmt_backwards,
    reorder_stmt_forward,
    repeat,
    replace_once,
    round_loop,
    stage_compute,
    undo_divide_and_guard_loop,
    unroll_buffers,
    unroll_loops,
)


def increments(head: str = "n: size, x: f32[n]", lo: str = "0", hi: str = "n") -> Procedure:
    return parse(f"def f({head}):\n    for i in seq({lo}, {hi}):\n        x[i] += 1.0")


# ---- ranges


def test_round_loop_up_guards_the_iterations_that_it_adds() -> None:
    p = increments()
    q = round_loop(p, "i", 8)
    assert_body(q, "for i in seq(0, 8 * ((n + 7) / 8)):\n    if i < n:\n        x[i] += 1.0")
    assert q.forward(p.find("x[_] += _")) == q.find("x[_] += _")
    assert q.forward(p.find_loop("i")) == q.find_loop("i")
    assert_refines(p, q, 8)


def test_round_loop_down_cuts_off_what_is_left() -> None:
    p = increments()
    q = round_loop(p, "i", 4, up=False)
    assert_body(q, "for i in seq(0, n / 4 * 4):\n    x[i] += 1.0\nfor i in seq(n / 4 * 4, n):\n    x[i] += 1.0")
    assert_refines(p, q)
    p = increments("m: size, n: size, x: f32[m + n]", "m", "m + n")
    assert_refines(p, round_loop(p, "i", 4, up=False))


def test_round_loop_leaves_what_is_round() -> None:
    p = increments("n: size, x: f32[16 * n]", hi="16 * n")
    assert round_loop(p, "i", 8) is p


def test_round_loop_renumbers_a_loop_that_starts_elsewhere() -> None:
    p = increments("n: size, x: f32[n + 3]", "3", "n + 3")
    q = round_loop(p, "i", 4)
    assert_body(q, "for i in seq(0, 4 * ((n + 3) / 4)):\n    if i < n:\n        x[i + 3] += 1.0")
    assert_refines(p, q)


def test_undo_divide_and_guard_loop_joins_and_bound_loop_by_if_ends_where_it_began() -> None:
    p = increments()
    tiles = divide_loop(p, "i", 8, ["io", "ii"], tail="guard")
    joined = undo_divide_and_guard_loop(tiles, "io")
    assert str(joined) == str(round_loop(p, "i", 8))
    back = bound_loop_by_if(joined, "i")
    assert str(back) == str(p)
    assert back.forward(tiles.find("x[_] += _")) == back.find("x[_] += _")


def test_undo_divide_and_guard_loop_wants_a_nest() -> None:
    with pytest.raises(SchedulingError, match=r"undo_divide_and_guard_loop: mult_loops: the body of .* is not one loop"):
        undo_divide_and_guard_loop(increments(), "i")


def test_bound_loop_by_if_gives_instructions_their_number_of_rows() -> None:
    tiles = divide_loop(increments(), "i", 8, ["io", "ii"], tail="guard")
    q = bound_loop_by_if(tiles, "ii")
    assert_body(
        q,
        """
        for io in seq(0, (n + 7) / 8):
            for ii in seq(0, min(8, n - 8 * io)):
                x[8 * io + ii] += 1.0""",
    )
    assert_refines(tiles, q, 8)


def test_bound_loop_by_if_takes_both_ends_from_a_conjunction() -> None:
    p = parse("""
        def f(n: size, k: index, x: f32[n]):
            for i in seq(0, n):
                if i >= k and i + 1 <= n - 1:
                    x[i] += 1.0
    """)
    q = bound_loop_by_if(p, "i")
    assert "if" not in str(q) and len(q.find("for _ in _: _", many=True)) == 1
    assert_refines(p, q)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("x[i] = 0.0", "is not one `if`"),
        ("if i < m:\n            x[i] = 0.0\n        else:\n            x[i] = 1.0", "is not one `if`"),
        ("if m < 4:\n            x[i] = 0.0", "does not bound the iterator i"),
        ("if 2 * i < m:\n            x[i] = 0.0", "does not bound the iterator i"),
        ("if i < m or i < 4:\n            x[i] = 0.0", "does not bound the iterator i"),
    ],
)
def test_bound_loop_by_if_refuses_other_bodies(body: str, reason: str) -> None:
    p = parse(f"def f(n: size, m: size, x: f32[n]):\n    for i in seq(0, n):\n        {body}")
    with pytest.raises(SchedulingError, match=f"bound_loop_by_if: .*{reason}") as caught:
        bound_loop_by_if(p, "i")
    assert caught.value.span is not None and caught.value.span.line >= 2


def test_bound_loop_by_if_refuses_a_condition_of_which_a_part_is_left() -> None:
    p = parse("""
        def f(n: size, m: size, b: bool, x: f32[n]):
            for i in seq(0, n):
                if i < m and b:
                    x[i] = 0.0
    """)
    with pytest.raises(SchedulingError, match="bound_loop_by_if: eliminate_dead_code"):
        bound_loop_by_if(p, "i")


def test_divide_loop_recursive_halves_the_tiles_of_what_is_left() -> None:
    p = increments()
    q = divide_loop_recursive(p, "i", 8)
    assert [str(loop.hi()) and loop.name() for loop in q.find("for io in _: _", many=True)] == ["io"] * 1
    assert len(q.find("x[_] += _", many=True)) == 4
    assert_refines(p, q, 8)
    last = divide_loop_recursive(p, "i", 4, tail="guard")
    assert len(last.find("if _: _", many=True)) == 1
    assert_refines(p, last)


def test_divide_loop_recursive_is_done_where_tiles_fill_the_loop() -> None:
    p = proc_from_source("def f(x: f32[4]):\n    for i in seq(0, 4):\n        x[i] = 0.0\n")
    q = divide_loop_recursive(p, "i", 4)
    assert "for io in seq(0, 1):" in str(q) and "for ii in seq(0, 4):" in str(q)
    assert len(q.body()) == 1


def test_divide_loop_recursive_refuses_what_it_cannot_do() -> None:
    with pytest.raises(SchedulingError, match="the factor must be at least 2"):
        divide_loop_recursive(increments(), "i", 1)
    with pytest.raises(UsageError, match="tail is one of"):
        divide_loop_recursive(increments(), "i", 4, "shift_inwards")


# ---- unrolling


def test_cut_loop_and_unroll_takes_the_first_iterations_out() -> None:
    p = increments("n: size, x: f32[n + 2]", hi="n + 2")
    q = cut_loop_and_unroll(p, "i", 2)
    assert_body(q, "x[0] += 1.0\nx[1] += 1.0\nfor i in seq(2, n + 2):\n    x[i] += 1.0")
    assert q.forward(p.find("x[_] += _")) == q.find("x[_] += _ #0")
    assert_refines(p, q)
    with pytest.raises(SchedulingError, match=r"cut_loop_and_unroll: cut_loop: cannot prove"):
        cut_loop_and_unroll(increments(), "i", 2)


def test_cut_loop_and_unroll_where_the_loop_starts_at_a_size() -> None:
    p = increments("n: size, x: f32[n + 4]", "n", "n + 4")
    q = cut_loop_and_unroll(p, "i", 2)
    assert len(q.find("x[_] += _", many=True)) == 3
    assert_refines(p, q)


NESTS = """
    def f(n: size, x: f32[4, n, 2]):
        for i in seq(0, 4):
            for j in seq(0, n):
                for k in seq(0, 2):
                    x[i, j, k] = 1.0
"""


def test_unroll_loops_unrolls_what_is_constant_and_short() -> None:
    p = parse(NESTS)
    assert len(unroll_loops(p).find("x[_] = _", many=True)) == 8
    q = unroll_loops(p, threshold=2)
    assert [loop.name() for loop in q.find("for _ in _: _", many=True)] == ["i", "j"]
    assert str(unroll_loops(p, p.find_loop("j"))) == str(q)
    assert_refines(p, unroll_loops(p))


def test_unroll_buffers_makes_variables_of_all_dimensions() -> None:
    p = unroll_loops(
        parse("""
        def f(x: f32[2, 3]):
            t: f32[2, 3]
            for i in seq(0, 2):
                for j in seq(0, 3):
                    t[i, j] = 2.0 * x[i, j]
            for i in seq(0, 2):
                for j in seq(0, 3):
                    x[i, j] = t[1 - i, 2 - j]
    """)
    )
    q = unroll_buffers(p)
    allocations = q.find("_: _", many=True)
    assert len(allocations) == 6 and not any(each.is_tensor() for each in allocations)
    assert_refines(p, q)


def test_unroll_buffers_keeps_what_is_not_indexed_by_literals() -> None:
    p = parse("""
        def f(x: f32[2, 4]):
            t: f32[2, 4]
            for j in seq(0, 4):
                t[0, j] = x[0, j]
                t[1, j] = x[1, j]
            for j in seq(0, 4):
                x[0, j] = t[1, j]
                x[1, j] = t[0, j]
    """)
    q = unroll_buffers(p, memory=DRAM)
    assert [len(each.shape()) for each in q.find("_: _", many=True)] == [1, 1]
    assert_refines(p, q)


# ---- statements


def test_fission_into_singles_gives_every_statement_its_nest() -> None:
    p = parse("""
        def f(n: size, m: size, A: f32[n, m], y: f32[n], z: f32[n]):
            for i in seq(0, n):
                t: f32
                t = 2.0
                y[i] = 0.0
                for j in seq(0, m):
                    A[i, j] = A[i, j] * t
                    y[i] += A[i, j]
                z[i] = y[i]
    """)
    q = fission_into_singles(p, "i")
    assert [len(loop.body()) for loop in q.find("for _ in _: _", many=True)] == [1] * 7
    assert q.forward(p.find("y[_] += _")) == q.find("y[_] += _")
    assert_refines(p, q)


def test_fission_into_singles_refuses_what_needs_the_order() -> None:
    p = parse("""
        def f(n: size, x: f32[n + 1], y: f32[n + 1]):
            for i in seq(0, n):
                x[i + 1] = y[i]
                y[i + 1] = x[i]
    """)
    with pytest.raises(SchedulingError, match="fission_into_singles: fission: "):
        fission_into_singles(p, "i")


def test_stage_compute_has_one_operation_in_each_statement() -> None:
    p = parse("""
        def f(n: size, a: f32[n], b: f32[n], y: f32[n]):
            for i in seq(0, n):
                y[i] = a[i] * b[i] + a[i]
    """)
    q = stage_compute(p, "y[_] = _")
    assert_body(
        q,
        """
        for i in seq(0, n):
            v: f32
            v1: f32
            a_v: f32
            a_v = a[i]
            b_v: f32
            b_v = b[i]
            v1 = a_v * b_v
            a_v1: f32
            a_v1 = a[i]
            v = v1 + a_v1
            y[i] = v""",
    )
    assert_refines(p, q)


def test_stage_compute_keeps_together_what_rules_say() -> None:
    p = parse("""
        def f(n: size, a: f32[n], b: f32[n], y: f32[n]):
            for i in seq(0, n):
                y[i] += a[i] * b[i]
    """)
    q = stage_compute(p, p.find_loop("i"), rules=[fma_rule])
    assert "y_v += a_v * b_v" in str(q) and str(q).count("*") == 1
    assert_refines(p, q)


def test_dealias_names_every_buffer_once() -> None:
    p = parse("""
        def f(n: size, x: f32[n + 2]):
            for i in seq(0, n):
                x[i] = x[i + 1] * x[i + 1] + x[i + 2]
    """)
    q = dealias(p, "x[_] = _")
    assert_body(
        q,
        """
        for i in seq(0, n):
            x_v: f32
            x_v = x[i + 1]
            x_v1: f32
            x_v1 = x[i + 2]
            x[i] = x_v * x_v + x_v1""",
    )
    assert_refines(p, q)
    with pytest.raises(SchedulingError, match="dealias: an assignment or a reduction is wanted here"):
        dealias(p, "for i in _: _")


def test_reorder_stmt_moves_a_statement_by_one() -> None:
    p = parse("def f(x: f32[3]):\n    x[0] = 0.0\n    x[1] = 1.0\n    x[2] = 2.0")
    q = reorder_stmt_forward(p, "x[0] = _")
    assert_body(q, "x[1] = 1.0\nx[0] = 0.0\nx[2] = 2.0")
    assert str(reorder_stmt_backwards(q, p.find("x[0] = _"))) == str(p)
    assert_body(repeat(reorder_stmt_forward)(p, "x[0] = _"), "x[1] = 1.0\nx[2] = 2.0\nx[0] = 0.0")
    with pytest.raises(SchedulingError, match="the last of its block"):
        reorder_stmt_forward(p, "x[2] = _")
    with pytest.raises(SchedulingError, match="the first of its block"):
        reorder_stmt_backwards(p, "x[0] = _")


# ---- copies, instructions, repetitions


def test_binary_specialize_makes_a_tree_of_comparisons() -> None:
    p = increments()
    q = binary_specialize(p, "i", "n", [16, 4, 8])
    assert_body(
        q,
        """
        if n < 8:
            if n == 4:
                for i in seq(0, n):
                    x[i] += 1.0
            else:
                for i in seq(0, n):
                    x[i] += 1.0
        elif n < 16:
            if n == 8:
                for i in seq(0, n):
                    x[i] += 1.0
            else:
                for i in seq(0, n):
                    x[i] += 1.0
        elif n == 16:
            for i in seq(0, n):
                x[i] += 1.0
        else:
            for i in seq(0, n):
                x[i] += 1.0""",
    )
    assert_refines(p, q, 8)


def test_binary_specialize_leaves_out_what_the_place_rules_out() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    assert n >= 4\n    assert n <= 5\n    for i in seq(0, n):\n        x[i] = 1.0")
    q = binary_specialize(p, "i", "n", [4, 5])
    assert_body(q, "if n < 5:\n    for i in seq(0, n):\n        x[i] = 1.0\nelse:\n    for i in seq(0, n):\n        x[i] = 1.0")


@pytest.mark.parametrize("values", [[], [4, 4]])
def test_binary_specialize_wants_different_values(values: list[int]) -> None:
    with pytest.raises(SchedulingError, match="binary_specialize: "):
        binary_specialize(increments(), "i", "n", values)


def test_cleanup_leaves_nothing_that_does_nothing() -> None:
    p = parse("""
        def f(n: size, x: f32[n]):
            t: f32[n]
            pass
            for i in seq(0, n):
                if i >= n:
                    x[i] = 1.0
            for i in seq(0, n):
                for j in seq(0, 3):
                    pass
                if i < n:
                    x[i] = 2.0
                else:
                    pass
    """)
    q = cleanup(p)
    assert_body(q, "for i in seq(0, n):\n    x[i] = 2.0")
    assert_refines(p, q)
    assert str(cleanup(q)) == str(simplify(q))


def test_replace_once_replaces_the_first_match_only() -> None:
    clear = parse("def clear(x: [f32][4]):\n    for i in seq(0, 4):\n        x[i] = 0.0")
    p = parse("""
        def f(x: f32[4], y: f32[4]):
            for i in seq(0, 4):
                x[i] = 0.0
            for i in seq(0, 4):
                y[i] = 0.0
    """)
    q = replace_once(p, clear)
    assert_body(q, "clear(x[0:4])\nfor i in seq(0, 4):\n    y[i] = 0.0")
    with pytest.raises(SchedulingError, match=r"replace_once: nothing in f is a call of clear"):
        replace_once(replace_once(q, [clear]), [clear])


def test_repeat_n_times_applies_as_often_and_no_less() -> None:
    p = parse("def f(x: f32[3]):\n    x[0] = 0.0\n    x[1] = 1.0\n    x[2] = 2.0")
    assert repeat(reorder_stmt_forward, n_times=0)(p, "x[0] = _") is p
    assert_body(repeat(reorder_stmt_forward, n_times=2)(p, "x[0] = _"), "x[1] = 1.0\nx[2] = 2.0\nx[0] = 0.0")
    with pytest.raises(SchedulingError, match="the last of its block"):
        repeat(reorder_stmt_forward, n_times=3)(p, "x[0] = _")
    with pytest.raises(UsageError, match="n_times must be a number"):
        repeat(reorder_stmt_forward, n_times=-1)


@pytest.mark.parametrize("function", [unroll_loops, unroll_buffers, cleanup])
def test_functions_on_a_whole_procedure_leave_it_where_there_is_nothing_to_do(function: Any) -> None:
    p = increments()
    assert str(function(p)) == str(p)
