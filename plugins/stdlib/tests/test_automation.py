"""Tiling, jamming, interleaving, staging, hoisting, common expressions, pipelining: results, refusals, and kept meaning."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from stdlib_vector_machine import LANES, MACHINE, Reg, program

from tests.primitives.equivalence import assert_body, assert_refines
from usl_core import SchedulingError, UsageError, divide_loop
from usl_core.procedure import proc_from_source
from usl_stdlib import (
    auto_stage_mem,
    cse,
    double_buffer,
    hoist_from_loop,
    interleave,
    parallelize_reduction,
    replace_all,
    software_pipeline,
    tile_loops,
    unroll_and_jam,
    vectorize,
)

MATMUL = program("""
def matmul(M: size, N: size, K: size, A: f32[M, K], B: f32[K, N], C: f32[M, N]):
    for i in seq(0, M):
        for j in seq(0, N):
            C[i, j] = 0.0
            for k in seq(0, K):
                C[i, j] += A[i, k] * B[k, j]
""")
DOT = program("""
def dot(n: size, x: f32[n], y: f32[n], out: f32):
    for i in seq(0, n):
        out += x[i] * y[i]
""")


# ---- tile_loops


def test_tiles_have_their_loops_outside_and_rests_get_loops_of_their_own() -> None:
    before = program("""
def f(n: size, m: size, x: f32[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            x[i, j] += 1.0
""")
    q, made = tile_loops(before, ["i", "j"], [4, 8])
    assert_body(
        q,
        """
        for io in seq(0, n / 4):
            for jo in seq(0, m / 8):
                for ii in seq(0, 4):
                    for ji in seq(0, 8):
                        x[4 * io + ii, 8 * jo + ji] += 1.0
            for ii in seq(0, 4):
                for ji in seq(0, m % 8):
                    x[4 * io + ii, ji + m / 8 * 8] += 1.0
        for ii in seq(0, n % 4):
            for j in seq(0, m):
                x[ii + n / 4 * 4, j] += 1.0
        """,
    )
    assert [each.name() for each in made.outer] == ["io", "jo"] and [each.name() for each in made.inner] == ["ii", "ji"]
    assert [str(each.hi().op()) for each in made.tails] == ["%", "%"]
    assert_refines(before, q)


@settings(max_examples=6, deadline=None)
@given(st.permutations(["i", "j"]), st.integers(2, 5), st.integers(2, 5), st.sampled_from(["cut", "guard", "cut_and_guard"]))
def test_tiling_keeps_the_meaning(order: list[str], a: int, b: int, tail: str) -> None:
    if order == ["i", "j"]:
        q, made = tile_loops(MATMUL, order, [a, b], tail=tail)
        assert made.outer[1].parent() == made.outer[0]
        assert_refines(MATMUL, q, factor=a, vectors=3)
    else:
        with pytest.raises(SchedulingError, match="tile_loops: the loops must contain each other"):
            tile_loops(MATMUL, order, [a, b], tail=tail)


def test_the_perfect_tail_has_one_name_everywhere() -> None:
    before = program("""
def f(n: size, x: f32[n], out: f32):
    assert n % 8 == 0
    for i in seq(0, n):
        out += x[i]
""")
    for divided in (
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="perfect"),
        lambda p: tile_loops(p, ["i"], [4], tail="perfect")[0],
        lambda p: unroll_and_jam(p, "i", 4, tail="perfect")[0],
        lambda p: interleave(p, "i", 4, tail="perfect")[0],
        lambda p: parallelize_reduction(p, "i", 4, tail="perfect")[0],
    ):
        assert "seq(0, n / 4)" in str(divided(before)) and "n % 4" not in str(divided(before))
        with pytest.raises(
            SchedulingError, match=r"cannot prove that 4 divides n(.|\n)*use tail='cut' instead of tail='perfect'"
        ):
            divided(program("def f(n: size, x: f32[n], out: f32):\n    for i in seq(0, n):\n        out += x[i]\n"))
    with pytest.raises(UsageError, match=r"interleave: tail is one of 'perfect', 'cut', 'guard', got 'masked'"):
        interleave(before, "i", 4, tail="masked")
    with pytest.raises(UsageError, match=r"tile_loops: .*unknown tail 'masked': use one of 'guard', .*'perfect'"):
        tile_loops(before, ["i"], [4], tail="masked")
    with pytest.raises(UsageError, match="tile_loops: loops must be a list, got 'i j'"):
        tile_loops(before, "i j", [4, 4])


def test_tiling_refuses_what_does_not_commute() -> None:
    before = program("""
def f(n: size, x: f32[n + 1, n + 1]):
    for i in seq(0, n):
        for j in seq(0, n):
            x[i + 1, j] = x[i, j + 1]
""")
    with pytest.raises(SchedulingError, match=r"tile_loops: fission: .* does not commute"):
        tile_loops(before, ["i", "j"], [2, 2])
    with pytest.raises(SchedulingError, match="a factor for each loop"):
        tile_loops(before, ["i", "j"], [2])


# ---- unroll_and_jam, interleave


def test_unroll_and_jam_repeats_the_innermost_body_for_several_outer_iterations() -> None:
    q, made = unroll_and_jam(MATMUL, "i", 2)
    assert_body(
        q,
        """
        for io in seq(0, M / 2):
            for j in seq(0, N):
                C[2 * io + 0, j] = 0.0
                C[2 * io + 1, j] = 0.0
                for k in seq(0, K):
                    C[2 * io + 0, j] += A[2 * io + 0, k] * B[k, j]
                    C[2 * io + 1, j] += A[2 * io + 1, k] * B[k, j]
        for ii in seq(0, M % 2):
            for j in seq(0, N):
                C[ii + M / 2 * 2, j] = 0.0
                for k in seq(0, K):
                    C[ii + M / 2 * 2, j] += A[ii + M / 2 * 2, k] * B[k, j]
        """,
    )
    assert made.loop == q.find_loop("io") and made.tail == q.find_loop("ii") and made.buffers == ()
    assert_refines(MATMUL, q)


def test_interleave_repeats_each_statement_and_gives_each_iteration_its_own_buffers() -> None:
    before = program("""
def f(n: size, x: f32[n], y: f32[n]):
    for i in seq(0, n):
        t: f32
        t = x[i] * x[i]
        y[i] = t + t
""")
    q, made = interleave(before, "i", 2)
    assert_body(
        q,
        """
        for io in seq(0, n / 2):
            t: f32[2]
            t[0] = x[2 * io + 0] * x[2 * io + 0]
            t[1] = x[2 * io + 1] * x[2 * io + 1]
            y[2 * io + 0] = t[0] + t[0]
            y[2 * io + 1] = t[1] + t[1]
        for ii in seq(0, n % 2):
            t: f32
            t = x[ii + n / 2 * 2] * x[ii + n / 2 * 2]
            y[ii + n / 2 * 2] = t + t
        """,
    )
    assert [each.name() for each in made.buffers] == ["t"]
    assert_refines(before, q)


def test_interleaved_vectors_have_partial_sums_of_their_own() -> None:
    p, vectors = vectorize(DOT, "i", LANES, Reg, MACHINE, tail="masked")
    q, made = interleave(p, vectors.loop, 3, par_reduce=True)
    assert made.reduction is not None and made.reduction.sums[0].mem() is Reg
    q = replace_all(q, MACHINE)
    assert [str(q).count(f"fma(out_sum1[{i}, 0:4], x_v[{i}, 0:4], y_v[{i}, 0:4])") for i in range(3)] == [1, 1, 1]
    assert "accumulate(out_sum[0:4], out_sum1[2, 0:4])" in str(q)
    assert_refines(DOT, q, factor=12)


def test_interleaving_refuses_iterations_that_depend_on_each_other() -> None:
    before = program("""
def f(n: size, x: f32[n + 1], y: f32[n]):
    for i in seq(0, n):
        y[i] = x[i]
        x[i + 1] = y[i]
""")
    with pytest.raises(SchedulingError, match="interleave: fission: ") as caught:
        interleave(before, "i", 2)
    assert caught.value.code == "E411"
    with pytest.raises(UsageError, match="tail is one of 'perfect', 'cut', 'guard', got 'masked'"):
        unroll_and_jam(before, "i", 2, tail="masked")


# ---- parallelize_reduction


@settings(max_examples=6, deadline=None)
@given(
    st.integers(2, 5),
    st.sampled_from(["cut", "guard", "masked"]),
    st.booleans(),
    st.sampled_from(["+= {}", "*= {}", "@= max({})"]),
)
def test_partial_sums_keep_the_meaning(factor: int, tail: str, second: bool, op: str) -> None:
    more = "\n        y[i] += 1.0\n        s[j] += y[i] * 2.0" if second else ""
    before = program(f"""
def f(n: size, j: size, x: f32[n], y: f32[n], s: f32[n], out: f32):
    assert j < n
    for i in seq(0, n):
        out {op.format("x[i]")}{more}
""")
    q, made = parallelize_reduction(before, "i", factor, tail=tail)
    assert len(made.sums) == len(made.starts) == len(made.ends) == 1 + second
    assert_refines(before, q, factor=factor, vectors=4)


def test_extremes_of_reals_start_at_the_value_of_their_target() -> None:
    before = program("""
def f(n: size, x: f32[n], out: f32):
    for i in seq(0, n):
        out @= min(x[i])
""")
    q, _ = parallelize_reduction(before, "i", 4)
    assert "out_sum[ii] = out" in str(q) and "out_sum_start" not in str(q)


@settings(max_examples=4, deadline=None)
@given(st.integers(2, 5), st.sampled_from(["cut", "masked"]), st.sampled_from("&|^"), st.sampled_from(["i8", "u32"]))
def test_partial_operations_on_bits_keep_the_meaning(factor: int, tail: str, op: str, typ: str) -> None:
    before = program(f"""
def f(n: size, x: {typ}[n], out: {typ}):
    for i in seq(0, n):
        out {op}= ~x[i]
""")
    q, _ = parallelize_reduction(before, "i", factor, tail=tail)
    assert f"out_sum[ii] = {0 if op != '&' else -1 if typ == 'i8' else 2**32 - 1}" in str(q)
    assert_refines(before, q, factor=factor, vectors=4)


def test_integers_start_at_the_least_number_of_their_type() -> None:
    before = program("""
def f(n: size, x: i8[n], out: i8):
    for i in seq(0, n):
        out @= max(x[i])
""")
    q, _ = parallelize_reduction(before, "i", 4)
    assert "out_sum[ii] = -128" in str(q)


@pytest.mark.parametrize(
    "body",
    ["x[i] += 1.0", "out += x[i]\n        x[0] = out", "out += out", "out = x[i]", "out += x[i]\n        out *= x[i]"],
    ids=["no", "read", "self", "set", "two"],
)
def test_what_is_no_sum_is_refused(body: str) -> None:
    before = program(f"def f(n: size, x: f32[n], out: f32):\n    for i in seq(0, n):\n        {body}\n")
    with pytest.raises(SchedulingError, match="parallelize_reduction: the loop i adds to no location"):
        parallelize_reduction(before, "i", 4)


def test_sums_in_neighbouring_locations_of_one_buffer_get_partial_sums_each() -> None:
    before = program("""
def f(m: size, n: size, x: f32[n], y: f32[m + 1, 9]):
    for k in seq(0, m):
        for i in seq(0, n):
            y[k, 3] += x[i]
            y[k, 4] += 2.0 * x[i]
            y[k + 1, 3] += 3.0 * x[i]
            y[k + 1, 4] += x[i] * x[i]
""")
    q, made = parallelize_reduction(before, "i", 2)
    assert len(made.sums) == 1 and len(made.starts) == len(made.ends) == 4
    assert_refines(before, q, factor=2, vectors=4)
    q, _ = interleave(before, "i", 2, par_reduce=True)
    assert "y_sum[1, 1, 0] += x[2 * io + 0] * x[2 * io + 0]" in str(q)
    assert "y_sum[1, 1, 1] += x[2 * io + 1] * x[2 * io + 1]" in str(q)
    assert_refines(before, q, factor=2, vectors=4)


def test_sums_of_several_rows_are_vectorised_and_interleaved() -> None:
    before = program("""
def f(m: size, n: size, A: f32[m, n], x: f32[n], y: f32[m]):
    assert m % 2 == 0
    for i in seq(0, m):
        for k in seq(0, n):
            y[i] += A[i, k] * x[k]
""")
    jammed, unrolled = unroll_and_jam(before, "i", 2, tail="perfect")
    q, vectors = vectorize(jammed, unrolled.loop.body()[0], LANES, Reg, MACHINE, tail="masked")
    assert q.find("y_sum: _").shape()[0].value() == 2
    q, _ = interleave(q, vectors.loop, 3, par_reduce=True)
    q = replace_all(q, MACHINE)
    for copy, row in [(copy, row) for copy in range(3) for row in range(2)]:
        assert f"fma(y_sum1[{copy}, {row}, 0:4]" in str(q)
    assert_refines(before, q, factor=24, vectors=2)


@pytest.mark.parametrize("function", [parallelize_reduction, interleave])
def test_sums_of_one_buffer_that_are_no_block_are_refused(function: Any) -> None:
    before = program("""
def f(n: size, x: f32[n], y: f32[9]):
    for i in seq(0, n):
        y[3] += x[i]
        y[7] += x[i]
""")
    options = {"par_reduce": True} if function is interleave else {}
    with pytest.raises(SchedulingError, match=r"adds to several locations of y that are no block: y\[3\], y\[7\]") as refused:
        function(before, "i", 2, **options)
    assert "buffer of its own" in str(refused.value)


@pytest.mark.parametrize("function", [parallelize_reduction, interleave])
def test_a_sum_beside_a_callee_that_adds_to_the_whole_buffer_is_refused(function: Any) -> None:
    adds = program("""
def adds(n: size, y: f32[n]):
    for i in seq(0, n):
        y[i] += 1.0
""")
    before = proc_from_source(
        "def f(n: size, x: f32[n], y: f32[9]):\n    for i in seq(0, n):\n        y[3] += x[i]\n        adds(9, y)\n",
        {"adds": adds},
    )
    options = {"par_reduce": True} if function is interleave else {}
    with pytest.raises(SchedulingError, match=r"adds to several locations of y that are no block: y, y\[3\]"):
        function(before, "i", 2, **options)


# ---- auto_stage_mem


def test_the_window_that_a_block_needs_is_found_and_copied() -> None:
    before = program("""
def f(n: size, x: f32[n + 2], y: f32[n]):
    assert n % 8 == 0
    for io in seq(0, n / 8):
        for ii in seq(0, 8):
            y[8 * io + ii] = x[8 * io + ii] + x[8 * io + ii + 2]
""")
    q, made = auto_stage_mem(before, "ii", "x", memory=Reg)
    assert_body(
        q,
        """
        for io in seq(0, n / 8):
            x_tile: f32[10] @ Reg
            for i0 in seq(0, 10):
                x_tile[i0] = x[8 * io + i0]
            for ii in seq(0, 8):
                y[8 * io + ii] = x_tile[ii] + x_tile[ii + 2]
        """,
    )
    assert made.load == q.find_loop("i0") and made.store is None and made.block[0] == q.find_loop("ii")
    assert_refines(before, q, factor=8)
    q, made = auto_stage_mem(before, "ii", "y", "out")
    assert made.load is None and made.store == q.find_loop("i0") and made.buffer.name() == "out"
    with pytest.raises(SchedulingError, match=r"auto_stage_mem: infer_bounds: the code does not .* z"):
        auto_stage_mem(before, "ii", "z")


# ---- hoist_from_loop


def test_a_buffer_that_the_block_does_not_use_is_answered_by_those_it_does() -> None:
    with pytest.raises(SchedulingError, match=r"auto_stage_mem: .* does not read or reduce or write z") as caught:
        auto_stage_mem(DOT, "i", "z")
    assert caught.value.notes == ("those it does: x, y, out",)


def test_what_does_not_depend_on_the_loop_moves_in_front_of_it() -> None:
    before = program("""
def f(n: size, a: f32, b: f32, x: f32[n]):
    for i in seq(0, n):
        t: f32
        x[i] += 1.0
        t = a * b
        x[i] = t * x[i]
""")
    q, made = hoist_from_loop(before, "i")
    assert_body(
        q,
        """
        t: f32
        t = a * b
        for i in seq(0, n):
            x[i] += 1.0
            x[i] = t * x[i]
        """,
    )
    assert made.statements == (q.find("t = _"),) and made.kept == ()
    assert_refines(before, q)


def test_several_statements_move_in_their_order_and_the_loop_is_found_again() -> None:
    before = program("""
def f(n: size, a: f32, x: f32[n], t: f32, u: f32):
    for i in seq(0, n):
        t = a
        x[i] = u
        u = t * 2.0
        x[i] += t
""")
    q, made = hoist_from_loop(before, "i")
    assert [str(each.name()) for each in made.statements] == ["t"] and len(made.kept) == 1
    assert made.loop == q.find_loop("i")
    assert_refines(before, q)
    both = program("def f(n: size, t: f32, u: f32):\n    for i in seq(0, n):\n        t = 1.0\n        u = t\n")
    q, made = hoist_from_loop(both, "i")
    assert_body(q, "t = 1.0\nu = t")
    assert made.loop is None


def test_where_the_loop_may_not_run_what_moves_asks_whether_it_does() -> None:
    before = program("""
def f(n: size, a: f32, x: f32[n], y: f32[1]):
    for i in seq(0, n / 4):
        y[0] = a
        x[i] = a
""")
    q, _ = hoist_from_loop(before, "i")
    assert_body(
        q,
        """
        if 0 < n / 4:
            y[0] = a
        for i in seq(0, n / 4):
            x[i] = a
        """,
    )
    assert_refines(before, q)


def test_a_value_that_changes_in_the_loop_stays() -> None:
    before = program("""
def f(n: size, x: f32[n], s: f32, t: f32):
    for i in seq(0, n):
        t = s
        s += x[i]
""")
    with pytest.raises(SchedulingError, match="hoist_from_loop: nothing can leave the loop i") as caught:
        hoist_from_loop(before, "i")
    assert any(note.startswith("t = s: ") for note in caught.value.notes)


# ---- cse


def test_what_occurs_twice_is_computed_once_the_largest_first() -> None:
    before = program("""
def f(n: size, a: f32, x: f32[n], y: f32[n], z: f32[n]):
    for i in seq(0, n):
        y[i] = x[i] * a + 1.0
        z[i] = x[i] * a - x[i]
""")
    q, made = cse(before, "i")
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: f32
            t1: f32
            t1 = x[i]
            t = t1 * a
            y[i] = t + 1.0
            z[i] = t - t1
        """,
    )
    assert [each.name() for each in made.scalars] == ["t", "t1"]
    assert_refines(before, q)


def test_uses_between_which_a_value_changes_do_not_share_it() -> None:
    before = program("""
def f(n: size, x: f32[n], y: f32[n], z: f32[n]):
    for i in seq(0, n):
        y[i] = x[i]
        z[i] = x[i]
        x[i] = 1.0
        y[i] += x[i]
        z[i] += x[i]
""")
    q, made = cse(before, "i")
    assert len(made.scalars) == 2
    assert_refines(before, q)
    changing = program("def f(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] += 1.0\n        x[i] = x[i]\n")
    with pytest.raises(SchedulingError, match="cse: nothing is computed twice"):
        cse(changing, "i")


# ---- software_pipeline

PIPE = """
def f(n: size, x: f32[n, 4], y: f32[n]):
    assert n >= {least}
    for i in seq(0, n):
        b: f32[4]
        for j in seq(0, 4):
            b[j] = x[i, j]
        y[i] = b[0] * b[3]
"""


def test_a_double_buffer_is_filled_one_iteration_ahead() -> None:
    before = program(PIPE.format(least=1))
    q, made = double_buffer(before, "i", "y[_] = _")
    assert_body(
        q,
        """
        b: f32[2, 4]
        for i in seq(0, 1):
            for j in seq(0, 4):
                b[i, j] = x[i, j]
        for i in seq(0, n - 1):
            for j in seq(0, 4):
                b[(i + 1) % 2, j] = x[i + 1, j]
            y[i] = b[i % 2, 0] * b[i % 2, 3]
        for i in seq(n - 1, n):
            y[i] = b[i % 2, 0] * b[i % 2, 3]
        """,
    )
    loops = q.find("for i in _: _", many=True)
    assert [made.prologue, made.loop, made.epilogue] == loops and made.buffers == (q.find("b: _"),)
    assert_refines(before, q)


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_pipelines_of_any_depth_keep_the_meaning(distance: int) -> None:
    before = program(PIPE.format(least=distance))
    q, made = software_pipeline(before, "i", "y[_] = _", distance)
    assert made.buffers[0].shape()[0].value() == distance + 1
    assert_refines(before, q)


@pytest.mark.parametrize("distance", [1, 2, 3])
def test_a_pipeline_with_a_guard_is_one_loop_over_all_iterations(distance: int) -> None:
    before = program(PIPE.format(least=distance))
    q, made = software_pipeline(before, "i", "y[_] = _", distance, tail="guard")
    ahead = f"i + {distance}"
    assert_body(
        q,
        f"""
        b: f32[{distance + 1}, 4]
        for i in seq(0, {distance}):
            for j in seq(0, 4):
                b[i, j] = x[i, j]
        for i in seq(0, n):
            if {f"i + {distance - 1}" if distance > 1 else "i"} < n - 1:
                for j in seq(0, 4):
                    b[({ahead}) % {distance + 1}, j] = x[{ahead}, j]
            y[i] = b[i % {distance + 1}, 0] * b[i % {distance + 1}, 3]
        """,
    )
    assert made.epilogue is None and [made.prologue, made.loop] == q.find("for i in _: _", many=True)
    assert_refines(before, q)


TURNS = """
def f(n: size, x: f32[n, 4], y: f32[n], z: f32[n]):
    assert n >= 2
    b: f32[{parts}, 4]
    for i in seq(0, n):
        for j in seq(0, 4):
            b[i % {parts}, j] = x[i, j]
        y[i] = b[i % {parts}, 0] * b[i % {parts}, 3]
"""


@pytest.mark.parametrize("tail", ["cut", "guard"])
@pytest.mark.parametrize("distance", [1, 2])
def test_a_buffer_whose_parts_are_used_in_turn_already_is_filled_ahead(distance: int, tail: Any) -> None:
    before = program(TURNS.format(parts=distance + 1))
    q, _ = software_pipeline(before, "i", "y[_] = _", distance, tail=tail)
    assert f"b[(i + {distance}) % {distance + 1}, j] = x[i + {distance}, j]" in str(q)
    assert_refines(before, q)


def test_parts_that_are_needed_still_are_not_filled_ahead() -> None:
    with pytest.raises(SchedulingError, match="software_pipeline: reorder_stmts: "):
        software_pipeline(program(TURNS.format(parts=2)), "i", "y[_] = _", 2)


@pytest.mark.parametrize(
    ("gap", "distance", "message"),
    [
        ("y[_] = _", 2, "software_pipeline: rotate_loop: cannot prove that the loop over i runs: 0 < n - 1"),
        ("b[_] = _", 1, "the gap must be directly in the loop i"),
        ("for j in _: _", 1, "there must be code on both sides of the gap"),
        ("y[_] = _", 0, "the distance must be at least 1, got 0"),
    ],
)
def test_pipelines_that_do_not_fit_are_refused(gap: str, distance: int, message: str) -> None:
    with pytest.raises(SchedulingError, match=message):
        software_pipeline(program(PIPE.format(least=1)), "i", gap, distance)


def test_the_gap_of_a_pipeline_is_also_given_by_the_statement_after_it() -> None:
    before = program(PIPE.format(least=1))
    consumer = before.find("y[_] = _")
    made = software_pipeline(before, "i", consumer.before())[0]
    for gap in (consumer, consumer.as_block(), "y[_] = _"):
        assert str(software_pipeline(before, "i", gap)[0]) == str(made)
    for wrong in (3, consumer.rhs()):
        with pytest.raises(SchedulingError, match=r"software_pipeline: a gap is wanted, `c.before\(\)` or `c.after\(\)`"):
            software_pipeline(before, "i", wrong)


def test_a_producer_that_needs_the_consumer_is_refused() -> None:
    before = program("""
def f(n: size, x: f32[n + 1]):
    for i in seq(0, n):
        t: f32
        t = x[i]
        x[i + 1] = t
""")
    with pytest.raises(SchedulingError, match="software_pipeline: reorder_stmts: "):
        software_pipeline(before, "i", "x[_] = _")


@pytest.mark.parametrize("function", [vectorize, interleave, unroll_and_jam, parallelize_reduction, hoist_from_loop])
def test_a_place_that_is_no_loop_is_refused(function: Any) -> None:
    arguments = {vectorize: (4, Reg), hoist_from_loop: ()}.get(function, (4,))
    with pytest.raises(SchedulingError, match=rf"{function.__name__}: "):
        function(DOT, DOT.find("out += _"), *arguments)
