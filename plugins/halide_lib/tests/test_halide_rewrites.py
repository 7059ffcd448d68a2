"""Directives on target programs: each keeps what the oracle says, and the figures of the source come out with their numbers."""

from __future__ import annotations

import random

import pytest
from halide_pipelines import pipeline
from test_halide_bounds import run

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang import placement, restrictions, rewrites
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.nodes import number
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.reference_engine import reference
from usl_halide_lib.lang.rewrites import Tail
from usl_halide_lib.lang.target import For, Label, LoopKey, Mode, statements
from usl_halide_lib.lang.target_interp import Machine

x, y = hl.vars("x y")


def two_stage():
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x * x
    f[x] = g[x] + g[x + 1]
    return lower(collect([f]).algorithm)


X = LoopKey("f", 0, "x")
XO = LoopKey("f", 0, "xo")


def traced(target, window):
    machine = Machine(target, infer(target).fill, {}, {"f": [window]})
    values = machine.run()["f"].values
    low, extent = window
    assert all(values[at,] == (at * at + (at + 1) ** 2,) for at in range(low, low + extent))
    return machine.trace


def test_figure_2_2_recomputes_four_values_for_each_tile():
    target = rewrites.split(two_stage(), X, "xo", "xi", 3)
    target = placement.store_at(placement.compute_at(target, "g", XO), "g", XO)
    trace = traced(target, (0, 6))
    assert trace.computed == {"g": 8, "f": 6} and trace.allocated == {"f": 6, "g": 4}


def test_figure_2_3_computes_what_is_asked_for_and_allocates_what_is_touched():
    target = rewrites.split(two_stage(), X, "xo", "xi", 4, Tail.ROUND)
    trace = traced(target, (0, 6))
    assert trace.computed == {"g": 7, "f": 8} and trace.allocated == {"f": 8, "g": 9}
    assert trace.poison_reads == 3  # g(7) twice, g(8) once


def test_the_reference_engine_is_not_tight_for_figure_2_3():
    """The source says that it is. Without the antecedent it computes g on all that is touched, and `/` is wide."""
    target = rewrites.split(two_stage(), X, "xo", "xi", 4, Tail.ROUND)
    machine = Machine(target, reference(target).fill, {}, {"f": [(0, 6)]})
    machine.run()
    assert machine.trace.computed["g"] >= 9


def test_shifted_tiles_compute_no_more_than_is_asked_for():
    target = rewrites.split(two_stage(), X, "xo", "xi", 4, Tail.SHIFT)
    for window in ((0, 6), (-3, 9), (2, 4), (0, 2)):
        assert traced(target, window).computed["g"] == window[1] + 1


def test_an_update_is_not_rounded_up_within_a_tile():
    """A part of a loop that runs on would do the next tile's first updates twice."""
    f = hl.Func("f")
    f[x] = x
    f[x] = f[x] * 2
    target = rewrites.split(lower(collect([f]).algorithm), LoopKey("f", 1, "x"), "xo", "xi", 4, Tail.ROUND)
    refused("E777", lambda: rewrites.split(target, LoopKey("f", 1, "xi"), "a", "b", 3, Tail.ROUND))


def refused(code, act):
    with pytest.raises(UslError) as caught:
        act()
    assert caught.value.code == code and caught.value.span.file == __file__


def test_side_conditions():
    target = two_stage()
    refused("E777", lambda: rewrites.split(target, X, "xo", "xi", 0))
    refused("E777", lambda: rewrites.split(target, X, "x", "xi", 2))
    refused("E777", lambda: rewrites.split(target, LoopKey("f", 0, "z"), "xo", "xi", 2))
    refused("E773", lambda: placement.compute_at(target, "f", LoopKey("g", 0, "x")))
    refused("E773", lambda: placement.compute_at(target, "g", LoopKey("g", 0, "x")))
    refused("E781", lambda: placement.store_at(target, "g", X))
    refused("E777", lambda: rewrites.swap(target, X))
    inside = placement.compute_at(target, "g", X)
    refused("E781", lambda: rewrites.traverse(inside, X, Mode.PARALLEL))
    rewrites.traverse(placement.store_at(inside, "g", X), X, Mode.PARALLEL)


def test_two_loops_of_a_reduction_keep_their_order():
    f, r = hl.Func("f"), hl.RDom([(0, 3), (0, 2)], "r")
    f[x] = 0
    f[x] = f[x] * 2 + r.x
    target = lower(collect([f]).algorithm)
    refused("E777", lambda: rewrites.swap(target, LoopKey("f", 1, "r$y")))
    refused("E779", lambda: rewrites.traverse(target, LoopKey("f", 1, "r$y"), Mode.PARALLEL))
    refused("E777", lambda: rewrites.split(target, LoopKey("f", 1, "r$x"), "ro", "ri", 2, Tail.ROUND))
    rewrites.swap(target, LoopKey("f", 1, "x"))


def test_a_bound_is_tested_and_a_specialisation_chosen():
    f, p = hl.Func("f"), hl.Param(hl.Int(32), "p", 3)
    f[x] = x
    f[x] += p
    program = collect([f])
    target = restrictions.specialize(lower(program.algorithm), "f", [(p == 3).node])
    target = rewrites.split(target, LoopKey("f", 1, "x", 1), "xo", "xi", 4)
    target = restrictions.bound(target, "f", 0, None, number(5))
    assert Family("cpu", "f", 0, 1) in infer(target).boxes
    values = Machine(target, infer(target).fill, inputs_of(program), {"f": [(2, 5)]}).run()["f"].values
    assert values[4,] == (7,)
    with pytest.raises(Exception, match="assert"):
        Machine(target, infer(target).fill, inputs_of(program), {"f": [(2, 6)]}).run()


def random_step(target, at, func, number, chosen):
    """One random directive's name, and the program after it.

    Raises:
        UslError: a side condition does not hold.
    """
    name = chosen.choice(["split", "split", "fuse", "swap", "parallel", "compute_at", "store_at"])
    match name:
        case "split":
            factor, tail = chosen.randint(1, 4), chosen.choice(list(Tail))
            return name, rewrites.split(target, at, f"o{number}", f"i{number}", factor, tail)
        case "fuse":
            return name, rewrites.fuse(target, at, f"z{number}")
        case "swap":
            return name, rewrites.swap(target, at)
        case "parallel":
            return name, rewrites.traverse(target, at, Mode.PARALLEL)
        case "compute_at":
            return name, placement.compute_at(target, func, at)
        case _:
            return name, placement.store_at(target, func, at)


def random_schedule(target, chosen):
    """Up to six directives that apply, and their names."""
    done = []
    for _ in range(12):
        loops = [s.key for s in statements(target.body) if isinstance(s, For)]
        funcs = [s.func for s in statements(target.body) if isinstance(s, Label) and s.stage is None]
        try:
            name, target = random_step(target, chosen.choice(loops), chosen.choice(funcs), len(done), chosen)
        except UslError:
            continue
        done.append(name)
        if len(done) == 6:
            break
    return target, done


def check_schedule(seed):
    """A random schedule of a random pipeline computes what the oracle says."""
    made, chosen = pipeline(seed), random.Random(seed)
    program = collect([made.output])
    inputs = inputs_of(program)
    expected = Oracle(program.algorithm, inputs).realize(made.output.name(), made.window)
    target, done = random_schedule(lower(program.algorithm), chosen)
    try:
        bounds = infer(target)
    except UslError as error:
        assert error.code == "E784"
        return ["E784"]
    values, _ = run(target, bounds.fill, made, inputs)
    assert values == expected, done
    return done


@pytest.mark.parametrize("seed", [*range(12), 32])
def test_random_schedules_change_nothing(seed):
    check_schedule(seed)
