"""Directives on procedures: what each is for, seen in the procedure that comes out, which computes what it did before."""

from __future__ import annotations

import math
import random

import pytest
from kernels_halide import blur, diagonal, reduced, roomy_blur, weighted

from usl_core import Procedure, proc_from_source
from usl_core.interp import Buffer, run
from usl_halide_lib import DirectiveError, TailStrategy, schedule
from usl_halide_lib.places import text_of


def random_arguments(p: Procedure, sizes: dict[str, int], seed: int) -> dict[str, object]:
    """Arguments of these sizes, with random data."""
    rng = random.Random(seed)
    data: dict[str, object] = dict(sizes)
    for arg in p.args():
        if arg.mem() is not None:
            extents = [eval(text_of(each), {}, sizes) for each in arg.shape()]
            data[arg.name()] = Buffer.of(arg.type(), [rng.randrange(200) for _ in range(math.prod(extents))], extents)
    return data


def require_same(p: Procedure, scheduled: Procedure, output: str, *sizes: dict[str, int]) -> None:
    """Both compute the same for these sizes."""
    for number, each in enumerate(sizes):
        before, after = random_arguments(p, each, number), random_arguments(p, each, number)
        run(p.ir, before, mode="exact")
        run(scheduled.ir, after, mode="exact")
        assert before[output].data == after[output].data, each


def sizes_of(*names: str):
    """Some sizes from 1 on."""
    return [dict(zip(names, each, strict=False)) for each in ((1, 1), (5, 3), (9, 18), (33, 2))]


@pytest.mark.parametrize("scalar", ["f32", "i32"])
@pytest.mark.parametrize("update", ["+= {}", "*= {}", "@= max({})", "@= min({})"])
def test_rfactor_is_for_every_reduction(scalar, update):
    p = reduced(scalar, update)
    s = schedule(p)
    s["a"].update().rfactor("r", "u")
    s["a_intm"].update().parallel("u")
    q = s.apply()
    assert "for u in par(0, 3)" in str(q)
    require_same(p, q, "out", *sizes_of("N"))


# ---- what the thesis's author leaves open (Qian 2024, §4.4); the fifth, the order of directives, is in test_halide_errors


def test_a_sliding_window_has_its_prologue_in_one_assignment_under_a_guard():
    s = schedule(blur)
    s["blur_x"].compute_at("out", "y").store_root()
    q = s.apply()
    lines = str(q).splitlines()
    at = [number for number, line in enumerate(lines) if " = (inp[" in line]
    assert len(at) == 1 and lines[at[0] - 2].strip().startswith("if y == 0 or ")
    require_same(blur, q, "out", *sizes_of("H", "W"))


@pytest.mark.parametrize("tail", list(TailStrategy), ids=lambda tail: tail.name)
def test_every_tail_goes_with_parallel_and_asserts_nothing_of_sizes(tail):
    func = "blur_x" if tail is TailStrategy.RoundUp else "out"
    p = roomy_blur if tail is TailStrategy.RoundUp else blur
    s = schedule(p)
    s[func].split("y", "yo", "yi", 4, tail).parallel("yo").unroll("x", 2, TailStrategy.GuardWithIf)
    q = s.apply()
    assert "in par(0, " in str(q) and "assert" not in str(q)
    require_same(p, q, "out", *sizes_of("H", "W"))


@pytest.mark.parametrize("asked, rows", [(None, 4), (3, 3), (5, 5)])
def test_circular_buffers_are_found_and_have_a_power_of_two_rows_unless_asked_otherwise(asked, rows):
    s = schedule(blur)
    s["blur_x"].compute_at("out", "y").store_root()
    if asked is not None:
        s["blur_x"].fold_storage("y", asked)
    q = s.apply()
    assert f"blur_x: u16[{rows}, W]" in str(q)
    require_same(blur, q, "out", *sizes_of("H", "W"))


def test_constants_are_operands_of_instructions():
    pytest.importorskip("usl_avx512")
    s = schedule(weighted)
    s["out"].vectorize("x", 16, TailStrategy.ShiftInwards)
    q = s.apply()
    for call in ("mul_set1_ps(v_4[0:16], 0.25, ", "fmadd3_set1_ps(v_5[0:16], 0.5, ", "fmadd3_set1_ps(v_6[0:16], 0.25, "):
        assert f"mm512_{call}" in str(q)
    require_same(weighted, q, "out", *sizes_of("N"))


# ---- loops


def test_two_loops_of_any_extents_are_fused_to_be_parallel():
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 8, 4).fuse("x", "y", "tile").parallel("tile")
    q = s.apply()
    assert str(q).count("in par(") == 2
    assert "collapse(2)" in q.c_code()
    assert s.nest().count("parallel ") == 2
    require_same(blur, q, "out", *sizes_of("H", "W"))


def test_a_pair_of_loops_is_no_loop_for_other_directives():
    s = schedule(blur)
    s["out"].fuse("x", "y", "both").unroll("both", 2)
    with pytest.raises(DirectiveError, match="neither runs a constant number of times"):
        s.apply()


@pytest.mark.parametrize("divide", [lambda s: s.split("x", "xo", "xi", "W / 2"), lambda s: s.vectorize("x", "W / 2")])
def test_a_factor_that_is_an_expression_is_not_supported(divide):
    s = schedule(blur)
    divide(s["out"])
    with pytest.raises(DirectiveError, match="a factor that is an expression is not supported") as caught:
        s.apply()
    assert caught.value.code == "E770"


def test_what_is_less_than_a_tile_in_a_loop_of_another_func_is_cut_short_instead_of_shifted():
    s = schedule(blur)
    s["out"].split("y", "yo", "yi", 4, TailStrategy.GuardWithIf)
    s["blur_x"].compute_at("out", "yo").split("x", "xo", "xi", 8, TailStrategy.ShiftInwards)
    q = s.apply()
    assert "tiles of 8 are cut short" in s.explain()
    require_same(blur, q, "out", *sizes_of("H", "W"))


@pytest.mark.parametrize("lanes", [2, 3, 4, 8])
def test_vectors_shorter_than_a_register_are_masked(lanes):
    pytest.importorskip("usl_avx512")
    s = schedule(weighted)
    s["out"].vectorize("x", lanes)
    q = s.apply()
    assert "mm512_mask_storeu_ps(" in str(q)
    require_same(weighted, q, "out", *sizes_of("N"))


# ---- places


@pytest.mark.parametrize("tail", [None, TailStrategy.GuardWithIf, TailStrategy.ShiftInwards])
def test_of_two_dimensions_that_move_with_one_loop_both_are_narrowed(tail):
    s = schedule(diagonal)
    if tail is None:
        s["a"].compute_at("out", "x")
    else:
        s["out"].split("x", "xo", "xi", 4, tail)
        s["a"].compute_at("out", "xo")
    q = s.apply()
    assert f"a: f32[{'2, 3' if tail is None else '5, 6'}]" in str(q)
    require_same(diagonal, q, "out", *sizes_of("N"))


def test_stages_that_slide_together_can_be_divided_one_by_one():
    p = reduced("f32", "+= {}")
    s = schedule(p)
    s["out"].split("x", "xo", "xi", 4, TailStrategy.GuardWithIf)
    s["a"].compute_at("out", "xi").store_at("out", "xo").split("x", "xa", "xb", 2, TailStrategy.GuardWithIf)
    require_same(p, s.apply(), "out", *sizes_of("N"))


@pytest.mark.parametrize("tail", [each for each in TailStrategy if each is not TailStrategy.RoundUp])
def test_each_copy_of_a_specialised_stage_has_its_own_producer(tail):
    s = schedule(blur)
    wide = s["out"].specialize("W >= 8")
    wide.tile("x", "y", "xi", "yi", 4, 4, tail).parallel("y")
    wide.specialize("H >= 12").reorder("y", "x")
    s["out"].split("y", "y", "yi", 2, tail)
    s["blur_x"].compute_at("out", "y").store_at("out", "y").split("x", "xo", "xi", 2)
    q = s.apply()
    assert str(q).count("blur_x: u16") >= 3
    assert str(q).count("in par(") >= 1
    require_same(blur, q, "out", *sizes_of("H", "W"), {"H": 12, "W": 8}, {"H": 13, "W": 9}, {"H": 3, "W": 17})


def test_a_producer_goes_to_the_stage_that_reads_it():
    p = proc_from_source("""
def first(n: size, inp: f32[n + 1], out: f32[n]):
    a: f32[n + 1]
    for x in seq(0, n + 1):
        a[x] = inp[x] + inp[x]
    for x in seq(0, n):
        out[x] = a[x + 1] + a[x]
    for x in seq(0, n):
        out[x] += inp[x]
""")
    s = schedule(p)
    s["a"].compute_at("out", "x")
    q = s.apply()
    assert "a: f32[2]" in str(q)
    require_same(p, q, "out", *({"n": n} for n in (1, 2, 9)))


@pytest.mark.parametrize("loop", ["ro", "ri"])
def test_a_reduction_is_factored_over_a_loop_that_a_split_makes(loop):
    p = proc_from_source("""
def total(n: size, inp: i32[n], out: i32[1]):
    out[0] = 0
    for r in seq(0, n):
        out[0] += inp[r]
""")
    s = schedule(p)
    s["out"].update().split("r", "ro", "ri", 8).rfactor(loop, "u")
    s["out_intm"].update().parallel("u")
    q = s.apply()
    assert "for u in par(0, " in str(q)
    require_same(p, q, "out", *({"n": n} for n in (1, 7, 8, 9, 33)))


def test_both_steps_of_a_factored_reduction_are_computed_where_they_are_read():
    p = reduced("f32", "+= {}")
    s = schedule(p)
    s["a"].update().rfactor("r", "u")
    s["a_intm"].compute_at("a", "x")
    s["a"].compute_at("out", "x")
    q = s.apply()
    assert "a: f32[1]" in str(q)
    assert "a_intm: f32[3, 1]" in str(q)
    require_same(p, q, "out", *sizes_of("N"))


TAILS = TailStrategy.GuardWithIf, TailStrategy.ShiftInwards


@pytest.mark.parametrize("inner", TAILS, ids=lambda tail: tail.name)
@pytest.mark.parametrize("outer", TAILS, ids=lambda tail: tail.name)
@pytest.mark.parametrize("factor", [4, 3])
def test_a_func_is_computed_in_tiles_of_tiles_whether_factors_divide_each_other_or_not(factor, outer, inner):
    s = schedule(blur)
    s["out"].tile("x", "y", "xo", "yo", "xi", "yi", 8, 2, outer).split("xi", "xi", "xii", factor, inner)
    s["blur_x"].compute_at("out", "xi").store_at("out", "xo")
    require_same(blur, s.apply(), "out", *sizes_of("H", "W"), {"H": 3, "W": 13}, {"H": 2, "W": 8})


def test_extents_smaller_than_tiles_may_keep_their_loops():
    s = schedule(blur, small="plain")
    s["out"].tile("x", "y", "xi", "yi", 8, 4, TailStrategy.ShiftInwards)
    s["blur_x"].compute_at("out", "x")
    q = s.apply()
    _, small = str(q).split("else:")
    assert small.count("for ") == str(blur).count("for ")
    assert "loops are as they were unless" in s.explain()
    require_same(blur, q, "out", *sizes_of("H", "W"))
    with pytest.raises(DirectiveError, match='small is "guarded" or "plain"'):
        schedule(blur, small="none")
