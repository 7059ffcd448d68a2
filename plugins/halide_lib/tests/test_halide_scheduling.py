"""Schedules as rewrites of lowered programs: their order does not matter, what lemmas 2.4 and 2.5 say holds after each step."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest
from halide_confluence import cells, check, pair
from test_halide_bounds import run

from usl_core.errors import UslError
from usl_halide_lib import LoopAlignStrategy, TailStrategy, hl
from usl_halide_lib.directives import Collected, Directive
from usl_halide_lib.directives import Func as Given
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.nodes import Read, walk
from usl_halide_lib.lang.scheduling import scheduled
from usl_halide_lib.lang.target import Allocate, Assign, For, If, Label, Let, Seq, expressions, statements, text
from usl_halide_lib.lang.target_interp import Machine

x, y = hl.vars("x y")


def three_stages():
    f, g, h = hl.Func("f"), hl.Func("g"), hl.Func("h")
    f[x, y] = x + 2 * y
    g[x, y] = f[x, y] + f[x + 1, y]
    g[x, y] += x
    h[x, y] = g[x, y] + g[x, y + 2]
    return h


def collected(*steps):
    """Directives from functions that give them to funcs by name."""
    given = Collected()
    for step in steps:
        step(lambda name: Given(given, name))
    return given.directives


STEPS = (
    lambda s: s("h").tile("x", "y", "xi", "yi", 4, 2),
    lambda s: s("h").parallel("y"),
    lambda s: s("h").vectorize("xi", 2),
    lambda s: s("h").split("yi", "ya", "yb", 2, TailStrategy.ShiftInwards),
    lambda s: s("f").compute_at("g", "y"),
    lambda s: s("g").compute_at("h", "x"),
    lambda s: s("f").store_at("h", "x"),
    lambda s: s("g").split("x", "x", "xv", 3),
    lambda s: s("g").update().fuse("x", "y", "z"),
    lambda s: s("g").bound_extent("x", 9),
    lambda s: s("f").align_bounds("y", 2),
    lambda s: s("h").prefetch("g", "ya", "ya", 1),
    lambda s: s("f").rename("x", "column"),
    lambda s: s("f").reorder("y", "column"),
)


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_directives_does_not_matter(seed):
    algorithm = collect([three_stages()]).algorithm
    chosen = random.Random(seed)
    steps = [step for step in STEPS if seed == 0 or chosen.random() < 0.8]

    def outcome(order):
        try:
            return text(scheduled(algorithm, collected(*order)).body)
        except UslError as error:
            return error.code

    first = outcome(steps)
    assert first.startswith("allocate") or seed, first
    for _ in range(4):
        assert outcome(chosen.sample(steps, len(steps))) == first


@pytest.mark.parametrize("seed", range(25))
def test_random_directives_in_any_order_give_one_program(seed):
    """All orders that keep the reorders of a func, and its specialisations, as they are."""
    every = cells()
    made = pair(9000 + seed, every[seed * 7 % len(every)])
    if made is None:
        return
    chosen = random.Random(seed)
    kept = [each for each in made.directives if each.name in ("reorder", "specialize")]
    rest = [each for each in made.directives if each.name not in ("reorder", "specialize")]
    for _ in range(3):
        order = [*rest]
        chosen.shuffle(order)
        for place, each in zip(sorted(chosen.sample(range(len(made.directives)), len(kept))), kept, strict=True):
            order.insert(place, each)
        again = scheduled(made.algorithm, [_at(each, place) for place, each in enumerate(order)])
        assert text(again.body) == text(made.target.body)


def _at(directive, place):
    return replace(directive, position=place)


def names_are_unique(target):
    """Lemma 2.4: each loop and each name is there once."""
    keys = [each.key for each in statements(target.body) if isinstance(each, For | Let)]
    return len(keys) == len(set(keys))


def dominates(target):
    """Lemma 2.5, by walking all paths: what is read was computed before it, and allocated before that."""

    def visit(stmt, allocated, computed):
        for expression in expressions(stmt):
            for node in walk(expression):
                if isinstance(node, Read) and node.stage is None:
                    assert node.func in computed and node.func in allocated, node
        match stmt:
            case Allocate(func=func):
                return allocated | {func}, computed - {func}
            case Assign(func=func):
                assert func in allocated
            case Seq(body=body):
                for each in body:
                    allocated, computed = visit(each, allocated, computed)
                return allocated, computed
            case If(then=then, other=other):
                both = [visit(each, allocated, computed) for each in (then, other)]
                return both[0][0] & both[1][0], both[0][1] & both[1][1]
            case For(body=inner) | Let(body=inner):
                visit(inner, allocated, computed)
            case Label(func=func, stage=stage, body=inner):
                allocated, computed = visit(inner, allocated, computed)
                return allocated, computed | ({func} if stage is None else set())
        return allocated, computed

    visit(target.body, frozenset(), frozenset())
    return True


@pytest.mark.parametrize("seed", range(25))
def test_lemmas_2_4_and_2_5_hold_after_each_directive(seed):
    every = cells()
    made = pair(500 + seed, every[seed * 13 % len(every)])
    if made is None:
        return
    for count in range(len(made.directives) + 1):
        target = scheduled(made.algorithm, made.directives[:count])
        assert names_are_unique(target) and dominates(target)


def test_a_schedule_of_all_directives_computes_what_the_oracle_says():
    output = three_stages()
    program = collect([output])
    target = scheduled(program.algorithm, collected(*STEPS))
    assert names_are_unique(target) and dominates(target)
    window = [(-3, 8), (2, 8)]
    expected = Oracle(program.algorithm, {}).realize("h", window)
    values = Machine(target, infer(target).fill, {}, {"h": window}).run()["h"].values
    assert all(values[at] == expected[at] for at in expected)


def refused(code, part, *steps):
    with pytest.raises(UslError) as caught:
        scheduled(collect([three_stages()]).algorithm, collected(*steps))
    error = caught.value
    assert error.code == code and part in str(error), str(error)
    assert error.span is not None and error.span.file == __file__ and error.span.column > 1


def test_each_refusal_names_the_directive_at_its_line():
    refused("E771", "no func k", lambda s: s("k").split("x", "a", "b", 2))
    refused("E771", "2 stages", lambda s: s("g").update(1).unroll("x", 2))
    refused("E773", "legal places: h.s0.y, h.s0.x", lambda s: s("g").compute_at("f", "x"))
    refused("E773", "g has no loop q", lambda s: s("f").compute_at("g", "q"))
    refused("E773", "no func that can be placed", lambda s: s("h").compute_at("g", "x"))
    refused("E777", "there is no loop", lambda s: s("h").unroll("q", 2))
    refused("E777", "positive", lambda s: s("h").split("x", "a", "b", 0))
    refused("E777", "is a loop of h already", lambda s: s("h").split("x", "y", "b", 2))
    shift = TailStrategy.ShiftInwards
    refused("E777", "done twice", lambda s: s("g").update().split("x", "a", "b", 2, shift))
    refused(
        "E778", "both use up the loop x", lambda s: s("h").split("x", "a", "b", 2), lambda s: s("h").split("x", "c", "d", 2)
    )
    refused("E778", "already", lambda s: s("h").parallel("x"), lambda s: s("h").unroll("x"))
    refused("E780", "the extent is no number", lambda s: s("h").vectorize("x"))
    refused("E781", "is not computed inside", lambda s: s("f").store_at("h", "x"))
    refused(
        "E781", "would share the buffer", lambda s: s("g").compute_at("h", "y").store_root(), lambda s: s("h").parallel("y")
    )
    refused("E782", "depends on", lambda s: s("g").compute_with("f", "x"))
    refused("E783", "g has updates", lambda s: s("g").compute_inline())
    refused("E777", "no reduction variable r", lambda s: s("g").rfactor("r", "u"))


def test_a_round_up_of_a_fused_loop_is_refused():
    """Found by the fuzzer: beyond the product of both extents the outer variable leaves its range."""
    fuse = (lambda s: s("h").fuse("x", "y", "z"),)
    refused("E777", "fused", *fuse, lambda s: s("h").split("z", "a", "b", 3, TailStrategy.RoundUp))
    refused("E777", "fused", *fuse, lambda s: s("h").split("z", "a", "b", 3).split("b", "c", "d", 2, TailStrategy.RoundUp))


def test_a_shifted_tile_of_a_small_extent_is_guarded():
    f = hl.Func("f")
    f[x] = x * 3
    algorithm = collect([f]).algorithm
    target = scheduled(algorithm, collected(lambda s: s("f").split("x", "xo", "xi", 8, TailStrategy.ShiftInwards)))
    for extent in range(1, 20):
        machine = Machine(target, infer(target).fill, {}, {"f": [(-4, extent)]})
        assert machine.run()["f"].box == ((-4, extent),)
        assert machine.trace.computed["f"] == (extent if extent < 8 else 8 * ((extent + 7) // 8))


class TestComputeWith:
    def pipeline(self):
        a, b, out = hl.Func("a"), hl.Func("b"), hl.Func("out")
        a[x] = x * 2
        a[x] += 1
        b[x] = x * 3
        out[x] = a[x - 2] + b[x + 5]
        return out

    @pytest.mark.parametrize("align", list(LoopAlignStrategy))
    def test_the_fused_loops_run_over_both_ranges(self, align):
        out = self.pipeline()
        program = collect([out])
        given = collected(lambda s: s("a").update().compute_with("b", "x", align))
        target = scheduled(program.algorithm, given)
        assert sum(isinstance(s, For) for s in statements(target.body)) == 3  # a.s0, both, out
        window = [(-1, 6)]
        values = Machine(target, infer(target).fill, {}, {"out": window}).run()["out"].values
        assert all(values[at,] == (2 * (at - 2) + 1 + 3 * (at + 5),) for at in range(-1, 5))

    def test_what_the_second_needs_moves_before_the_first(self):
        a, b, c, out = (hl.Func(name) for name in ("a", "b", "c", "out"))
        a[x] = x * 2
        c[x] = x * x
        b[x] = c[x + 1]
        out[x] = a[x] + b[x]
        program = collect([out])
        target = scheduled(program.algorithm, collected(lambda s: s("a").compute_with("b", "x")))
        labels = [s.func for s in statements(target.body) if isinstance(s, Label) and s.stage is None]
        assert labels[0] == "c" and set(labels[1:3]) == {"a", "b"}

    def test_dependence_by_another_func_is_refused(self):
        refused("E782", "h depends on f", lambda s: s("h").compute_with("f", "x"))


def test_bounds_of_a_local_func_are_widened_tested_or_refused():
    g, f = hl.Func("g"), hl.Func("f")
    g[x] = x
    f[x] = g[x] + g[x + 3]
    program = collect([f])

    def boxes(step, window):
        target = scheduled(program.algorithm, collected(step))
        machine = Machine(target, infer(target).fill, {}, {"f": [window]})
        machine.run()
        return machine.buffers["g"].box[0]

    assert boxes(lambda s: s("g").align_bounds("x", 8, 1), (3, 4)) == (1, 16)
    assert boxes(lambda s: s("g").bound("x", -2, 12), (0, 4)) == (-2, 12)
    with pytest.raises(Exception, match="assert"):
        boxes(lambda s: s("g").bound("x", -2, 12), (0, 9))
    output = hl.Func("output")
    output[x] = g[hl.clamp(x, 0, 20)]
    output[x] += g[30]
    with pytest.raises(UslError) as caught:
        infer(scheduled(collect([output]).algorithm, collected(lambda s: s("g").bound("x", 0, 20))))
    assert caught.value.code == "E775" and "needed beyond" in str(caught.value)


def test_a_prefetch_does_nothing_and_needs_a_read():
    given = collected(lambda s: s("h").prefetch("g", "y", "y", 2))
    output = three_stages()
    program = collect([output])
    target = scheduled(program.algorithm, given)
    assert "prefetch g for h.s0.y + 2\n" in text(target.body)
    made = type("Made", (), {"output": output, "window": [(0, 3), (0, 3)]})
    values, _ = run(target, infer(target).fill, made, inputs_of(program))
    assert values == Oracle(program.algorithm, {}).realize("h", made.window)
    refused("E773", "f is not read in this loop", lambda s: s("h").prefetch("f", "y", "y", 2))


def test_wrapped_cloned_and_inlined_funcs_compute_the_same():
    output = three_stages()
    program = collect([output])
    window = [(0, 4), (-2, 4)]
    expected = Oracle(program.algorithm, {}).realize("h", window)
    for step in (
        lambda s: s("g").in_("h").compute_at("h", "y"),
        lambda s: s("f").in_(),
        lambda s: s("f").clone_in("g").compute_at("g", "y"),
        lambda s: s("f").compute_inline(),
    ):
        target = scheduled(program.algorithm, collected(step))
        values = Machine(target, infer(target).fill, {}, {"h": window}).run()["h"].values
        assert all(values[at] == expected[at] for at in expected)


def test_the_loops_that_are_shown_are_those_after_the_directives():
    h = three_stages()
    h.split(y, "yo", "yi", 4).parallel("yo")
    assert "parallel h.s0.yo in (0, (?cpu h_1.len + 3) / 4):" in h.lowered("tgt?")
    assert "cpu h: " in h.lowered("bounds") and "?cpu h ⇒" in h.lowered("query")


def test_a_place_that_a_func_itself_gives_is_another_place():
    """Found by the fuzzer: both reads were one scalar, which was used before it was computed."""
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x * 3
    f[x] = f[x] + 1
    g[x] = f[hl.clamp(f[2 * x], 0, 9)]
    assert list(np.asarray(g.realize([(-1, 4)]))) == list(g.interpret([(-1, 4)])) == [1, 4, 22, 28]


def test_confluence_of_a_pair_for_each_cell():
    """Theorem 2.2 on a sample of what `make fuzz WHAT=halide_lang` runs: one pair of each cell whose directive applies."""
    done = 0
    for number, cell in enumerate(cells()):
        made = pair(40_000 + number, cell)
        done += made is not None and check(made, number)
    assert done > 80


def test_a_directive_knows_its_own_text():
    assert (
        str(Directive("split", "f", 1, ("r", "ro", "ri", 4, TailStrategy.Auto), None, 0)) == "f.update(0).split(r, ro, ri, 4)"
    )
