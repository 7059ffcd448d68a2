"""Each refusal is one DirectiveError with a code, at the line of the directive; permuted directives give one procedure."""

from __future__ import annotations

import random

import pytest
from kernels_halide import blur, histogram, scaled

from usl_core.errors import SchedulingError
from usl_halide_lib import DirectiveError, TailStrategy, schedule


def on(p, *steps):
    def run():
        s = schedule(p)
        for step in steps:
            step(s)
        s.apply()

    return run


REFUSALS = {
    "E770 gpu_tile is not supported; tile and parallel are": on(blur, lambda s: s["out"].gpu_tile("x", "y", 8, 8)),
    "E770 there is no such directive": on(blur, lambda s: s["out"].vectorise("x", 8)),
    "E771 there is no func blurx": on(blur, lambda s: s["blurx"]),
    "E771 has 1 stages": on(blur, lambda s: s["out"].update().unroll("x", 2)),
    "E773 has no loop yi; its loops are y, x": on(blur, lambda s: s["blur_x"].compute_at("out", "yi")),
    "E773 is read outside of that loop": on(scaled, lambda s: s["a"].compute_at("b", "x")),
    "E771 there is no func output": on(blur, lambda s: s["blur_x"].compute_at("output", "y")),
    "E774 out is an argument": on(blur, lambda s: s["out"].split("x", "xo", "xi", 8, TailStrategy.RoundUp)),
    "E775 with 2 places": on(blur, lambda s: s["blur_x"].compute_at("out", "y").store_root().fold_storage("y", 2)),
    "E775 nothing slides": on(blur, lambda s: s["blur_x"].compute_root().fold_storage("y", 4)),
    "E775 cannot prove": on(blur, lambda s: s["blur_x"].bound_storage("x", 8)),
    "E775 is no number": on(blur, lambda s: s["blur_x"].store_in("Stack")),
    "E776 is local": on(blur, lambda s: s["blur_x"].bound("x", 0, 8)),
    "E777 did you mean": on(blur, lambda s: s["out"].split("x", "xo", "xi", 4).unroll("xl")),
    "E777 any more": on(blur, lambda s: s["out"].split("x", "xo", "xi", 4).unroll("x", 2)),
    "E777 the factor must be a positive number": on(blur, lambda s: s["out"].split("x", "xo", "xi", 0)),
    "E778 both use up the loop x": on(blur, lambda s: s["out"].split("x", "a", "b", 4).split("x", "c", "d", 4)),
    "E778 one place is enough": on(blur, lambda s: s["blur_x"].compute_root().compute_at("out", "y")),
    "E778 one loop of a stage can be vectorised": on(blur, lambda s: s["out"].vectorize("x", 16).vectorize("y", 16)),
    "E779 races are never allowed": on(blur, lambda s: s["out"].allow_race_conditions()),
    "E779 parallelize_loop": on(scaled, lambda s: s["c"].update().parallel("x")),
    "E780 which is no number": on(blur, lambda s: s["out"].vectorize("x")),
    "E781 the storage must enclose": on(blur, lambda s: s["blur_x"].store_at("out", "y")),
    "E782 computed with one of its own": on(histogram, lambda s: s["hist"].update().compute_with("hist", "y")),
    "E783 computed inline": on(blur, lambda s: s["blur_x"].compute_inline().unroll("x", 2)),
    "E783 is an argument": on(blur, lambda s: s["out"].compute_inline()),
    "E785 only one reduction": on(blur, lambda s: s["out"].rfactor("x", "u")),
}


@pytest.mark.parametrize("wanted", REFUSALS)
def test_a_refusal_is_one_error_with_a_code_at_the_line_of_the_directive(wanted):
    code, text = wanted.split(" ", 1)
    with pytest.raises(DirectiveError) as caught:
        REFUSALS[wanted]()
    error = caught.value
    assert isinstance(error, SchedulingError)
    assert error.code == code, str(error)
    assert text in str(error), str(error)
    assert error.span is not None and error.span.file == __file__ and error.span.line > 0


def test_a_loop_that_one_copy_of_a_specialised_stage_lacks_is_named_with_that_copy():
    with pytest.raises(DirectiveError) as caught:
        on(
            blur,
            lambda s: s["out"].specialize("W >= 1024").split("y", "yo", "yi", 4),
            lambda s: s["blur_x"].compute_at("out", "yo"),
        )()
    assert caught.value.code == "E773"
    assert "out has no loop yo; its loops are y, x" in str(caught.value)
    assert "this is for when W >= 1024 does not hold" in str(caught.value)


def test_what_an_operator_refuses_is_shown_with_its_counter_example():
    with pytest.raises(DirectiveError) as caught:
        on(scaled, lambda s: s["c"].update().parallel("x"))()
    assert any("parallelize_loop" in note for note in caught.value.notes), caught.value.notes


DIRECTIVES = (
    lambda s: s["out"].tile("x", "y", "xi", "yi", 8, 4),
    lambda s: s["out"].parallel("y"),
    lambda s: s["out"].unroll("xi", 2),
    lambda s: s["out"].split("yi", "ya", "yb", 2),
    lambda s: s["blur_x"].compute_at("out", "x"),
    lambda s: s["blur_x"].store_at("out", "y"),
    lambda s: s["blur_x"].split("x", "x", "xv", 2, TailStrategy.GuardWithIf),
    lambda s: s["blur_x"].reorder("x", "y"),
)


@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_directives_does_not_matter(seed):
    def scheduled(order):
        s = schedule(blur)
        for step in order:
            step(s)
        return str(s.apply())

    assert scheduled(random.Random(seed).sample(DIRECTIVES, len(DIRECTIVES))) == scheduled(DIRECTIVES)


def test_a_schedule_can_be_applied_again_and_leaves_the_procedure_as_it_was():
    before = str(blur)
    s = schedule(blur)
    s["out"].unroll("x", 2)
    assert str(s.apply()) == str(s.apply())
    assert str(blur) == before
