"""Where the sources err or leave something open (halide.md §15): rows that no other test has, each with what is wrong there.

docs/halide.md lists which test each of the other rows has.
"""

from __future__ import annotations

import numpy as np
import pytest
from kernels_halide import blur

from usl_core import proc_from_source
from usl_core.errors import UslError
from usl_halide_lib import TailStrategy, hl, schedule
from usl_halide_lib.infer import bounds
from usl_halide_lib.lang import rewrites
from usl_halide_lib.lang.collect import collect
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.rewrites import Tail
from usl_halide_lib.lang.target import LoopKey
from usl_halide_lib.lang.target_interp import Machine

x, y = hl.vars("x y")


def test_shift_is_for_the_first_stage_of_any_func_and_for_no_other_stage() -> None:
    """§2.8.2 says "pure stages", lemma 2.14 "single-stage funcs"."""
    f = hl.Func("f")
    f[x] = x
    f[x] = f[x] * 2 + x
    program = collect([f])
    target = rewrites.split(lower(program.algorithm), LoopKey("f", 0, "x"), "xo", "xi", 4, Tail.SHIFT)
    for extent in (1, 3, 4, 7):
        values = Machine(target, infer(target).fill, {}, {"f": [(-2, extent)]}).run()["f"].values
        expected = Oracle(program.algorithm, {}).realize("f", [(-2, extent)])
        assert all(values[at] == expected[at] for at in expected)
    with pytest.raises(UslError, match="done twice where tiles overlap"):
        rewrites.split(target, LoopKey("f", 1, "x"), "xo", "xi", 4, Tail.SHIFT)


def test_a_tile_of_the_blur_needs_two_more_rows_of_its_producer() -> None:
    """[Q] §2.2 and §4.1 say "for each 32 x 256 blur_x ... inputs 34 x 256 of blur_y": the names are exchanged."""
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32, TailStrategy.GuardWithIf)
    s["blur_x"].compute_at("out", "x")
    assert "blur_x: u16[34, 256]" in str(s.apply())


def test_the_places_after_a_tile_s_first_one_end_one_later() -> None:
    """[Q] 4.2.2 has the window [32·io + 1 : 32·io + 32] next to half-open ones; its end is 32·io + 33."""
    p = proc_from_source("""
def shifted(n: size, x: f32[n + 1], y: f32[n]):
    assert n % 32 == 0
    for io in seq(0, n / 32):
        for ii in seq(0, 32):
            y[32 * io + ii] = x[32 * io + ii + 1]
""")
    assert str(bounds(p, "x", p.find_loop("io").body())) == "x[32 * io + 1:32 * io + 33]"


def test_fusion_is_proved_and_nothing_is_left_unchecked() -> None:
    """[Q] 4.2.3 calls `fuse(unsafe_disable_check=True)` and an unchecked `_divide_with_recompute`."""
    s = schedule(blur)
    s["out"].tile("x", "y", "xi", "yi", 256, 32)
    s["blur_x"].compute_at("out", "x").store_at("out", "y")
    assert s.apply().assurance() == "every step proved"


@pytest.mark.parametrize("tail", [TailStrategy.GuardWithIf, TailStrategy.ShiftInwards])
def test_what_is_beyond_the_last_whole_tile_is_computed(tail: TailStrategy) -> None:
    """[Q] fig. 4.5 has `par(0, N / 32)` for both tails: for N = 33 the last place would never be computed."""
    f = hl.Func("f")
    f[x] = x * x
    f.split(x, "xo", "xi", 32, tail).parallel("xo")
    for extent in (31, 32, 33, 65):
        assert (np.asarray(f.realize([extent])) == np.arange(extent) ** 2).all()


def test_seven_rows_are_kept_if_asked_and_else_a_power_of_two() -> None:
    """[Q] §4.3.2 folds to 7 rows and says "8 in Halide": both can be had."""
    rows = " + ".join(f"a[y + {k}, x]" for k in range(7))
    p = proc_from_source(f"""
def tall(H: size, W: size, inp: i32[H + 6, W], out: i32[H, W]):
    a: i32[H + 6, W]
    for y in seq(0, H + 6):
        for x in seq(0, W):
            a[y, x] = inp[y, x] * 2
    for y in seq(0, H):
        for x in seq(0, W):
            out[y, x] = {rows}
""")
    for asked, kept in ((None, 8), (7, 7)):
        s = schedule(p)
        s["a"].compute_at("out", "y").store_root()
        if asked is not None:
            s["a"].fold_storage("y", asked)
        assert f"a: i32[{kept}, W]" in str(s.apply())
    s = schedule(p)
    s["a"].compute_at("out", "y").store_root().fold_storage("y", 6)
    with pytest.raises(UslError) as caught:
        s.apply()
    assert caught.value.code == "E775"


def test_a_bound_of_an_output_is_no_way_to_leave_places_out() -> None:
    """Halide 21 gives 0 … 3 and then zeros, without a word."""
    f = hl.Func("f")
    f[x] = x + 1
    f.bound(x, 0, 4)
    with pytest.raises(UslError, match="the places 0:8 are needed of f"):
        f.realize([8])
