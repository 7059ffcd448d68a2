"""rfactor: which updates are proved to be associative, what refutes the others, and that the result is the same."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl
from usl_halide_lib.lang.associativity import reassociation
from usl_halide_lib.lang.collect import collect, inputs_of
from usl_halide_lib.lang.factoring import factored
from usl_halide_lib.lang.inference import infer
from usl_halide_lib.lang.interp import Oracle
from usl_halide_lib.lang.lower import lower
from usl_halide_lib.lang.target_interp import Machine

x = hl.Var("x")
DATA = np.random.default_rng(3).integers(-120, 120, (5, 7))


def reduced(typ, op, init=0, where=False):
    """f[x] over x and 7 by 5 values of a type, by an operation on two of them."""
    image = hl.Buffer(DATA.astype(str(typ)), "im")
    f, r = hl.Func("f"), hl.RDom([(0, 7), (0, 5)], "r")
    if where:
        r.where((r.x + r.y) % 2 == 0)
    f[x] = hl.cast(typ, init)
    f[x] = op(f[x], hl.cast(typ, image[r.x, r.y]) + hl.cast(typ, x))
    return f


PROVED = {
    "i8 sum": (hl.Int(8), lambda a, b: a + b, 0, "known"),
    "u8 product": (hl.UInt(8), lambda a, b: a * b, 1, "known"),
    "i16 min": (hl.Int(16), hl.min, 5, "known"),
    "u16 max": (hl.UInt(16), hl.max, 5, "known"),
    "i32 and": (hl.Int(32), lambda a, b: a & b, -1, "known"),
    "u8 or": (hl.UInt(8), lambda a, b: a | b, 0, "known"),
    "u32 xor": (hl.UInt(32), lambda a, b: a ^ b, 0, "known"),
    "f32 sum": (hl.Float(32), lambda a, b: a + b, 0, "known"),
    "f32 max": (hl.Float(32), hl.max, 5, "known"),
    "i32 a + b + a·b": (hl.Int(32), lambda a, b: a + b + a * b, 0, "polynomial"),
    "u8 saturating": (hl.UInt(8), hl.saturating_add, 0, "z3"),
    "i32 select": (hl.Int(32), lambda a, b: hl.select(a < b, b, a), -9, "z3"),
}


@pytest.mark.parametrize("name", PROVED)
@pytest.mark.parametrize("preserved", [["r$x"], ["r$y"], ["r$x", "r$y"]])
def test_a_factored_reduction_computes_the_same(name, preserved):
    typ, op, init, how = PROVED[name]
    f = reduced(typ, op, init, where=True)
    program = collect([f])
    law = reassociation(program.algorithm.func("f"), 1)
    assert not isinstance(law, str) and law.how == how and law.commutes, law
    assert law.is_exact == (name != "f32 sum")
    algorithm = factored(program.algorithm, "f", 1, [(each, f"u{place}") for place, each in enumerate(preserved)])
    assert [each.name for each in algorithm.funcs] == ["f_intm", "f"]
    inputs, window = inputs_of(program), [(-2, 3)]
    expected = Oracle(program.algorithm, inputs).realize("f", window)
    assert Oracle(algorithm, inputs).realize("f", window) == expected
    target = lower(algorithm)
    values = Machine(target, infer(target).fill, inputs, {"f": window}).run()["f"].values
    assert all(values[at] == expected[at] for at in expected)


REFUTED = {
    "-": (hl.Int(32), lambda a, b: a - b, "with a = "),
    "other -": (hl.Int(32), lambda a, b: b - a, "with a = "),
    "mean": (hl.Int(16), lambda a, b: (a + b) / 2, "with a = "),
    "min(a + b, 100)": (hl.Int(32), lambda a, b: hl.min(a + b, 100), "with a = "),
    "i8 saturating": (hl.Int(8), hl.saturating_add, "with a = "),
    "h·2 + r": (hl.Int(32), lambda a, b: a * 2 + b, "with a = "),
    "f32 difference": (hl.Float(32), lambda a, b: a - b, "with a = "),
}


@pytest.mark.parametrize("name", REFUTED)
def test_what_is_not_associative_is_refused_with_three_numbers(name):
    typ, op, part = REFUTED[name]
    program = collect([reduced(typ, op)])
    with pytest.raises(UslError) as caught:
        factored(program.algorithm, "f", 1, [("r$x", "u")])
    message = str(caught.value)
    assert caught.value.code == "E785" and part in message and "one order gives" in message
    assert "a = " in message and "b = " in message and "c = " in message


def test_the_user_may_answer_for_it_and_that_is_kept():
    f = reduced(hl.Int(8), hl.saturating_add)
    r = f.definition.stages[1].rvars
    with pytest.raises(UslError, match="not associative") as caught:
        f.update().rfactor([(r[0].name, "u")])
    assert caught.value.code == "E785" and caught.value.span.file == __file__
    f.update().rfactor([(r[0].name, "u")], assume="associative")
    assert [law.ground for law in f.laws] == ["user's word"] and "rfactor of f: user's word" in f.assurance()


def test_a_histogram_is_factored_over_all_its_bins():
    image = hl.Buffer(np.abs(DATA) % 8, "im")
    f, r = hl.Func("f"), hl.RDom([(0, 7), (0, 5)], "r")
    f[x] = 0
    f[hl.clamp(hl.i32(image[r.x, r.y]), 0, 7)] += 1
    program = collect([f])
    algorithm = factored(program.algorithm, "f", 1, [("r$y", "u")])
    inputs = inputs_of(program)
    expected = Oracle(program.algorithm, inputs).realize("f", [(0, 8)])
    assert sum(value for (value,) in expected.values()) == 35
    assert Oracle(algorithm, inputs).realize("f", [(0, 8)]) == expected


def test_complex_products_and_least_places_are_operations_on_tuples():
    f, r = hl.Func("f"), hl.RDom([(0, 4), (1, 3)], "r")
    f[x] = (1, 0)
    a, b = r.x + x, r.y
    f[x] = (f[x][0] * a - f[x][1] * b, f[x][0] * b + f[x][1] * a)
    law = reassociation(collect([f]).algorithm.func("f"), 1)
    assert not isinstance(law, str) and law.how == "polynomial" and law.commutes
    assert [each.value for each in law.identity] == [1, 0]

    g, s = hl.Func("g"), hl.RDom([(0, 4), (0, 3)], "s")
    value = (s.x * 5 + s.y * 3) % 4
    g[x] = (0, hl.Int(32).max())
    better = (value < g[x][1]) | ((value == g[x][1]) & (s.x < g[x][0]))
    g[x] = (hl.select(better, s.x, g[x][0]), hl.select(better, value, g[x][1]))
    law = reassociation(collect([g]).algorithm.func("g"), 1)
    assert not isinstance(law, str) and law.how == "z3" and law.commutes


def test_the_first_of_equal_places_keeps_its_order_so_only_outermost_variables_are_preserved():
    g, s = hl.Func("g"), hl.RDom([(0, 4), (0, 3)], "s")
    value = (s.x * 5 + s.y * 3) % 2
    g[x] = (0, hl.Int(32).max())
    g[x] = (hl.select(value < g[x][1], s.x, g[x][0]), hl.select(value < g[x][1], value, g[x][1]))
    program = collect([g])
    expected = Oracle(program.algorithm, {}).realize("g", [(0, 2)])
    assert Oracle(factored(program.algorithm, "g", 1, [("s$y", "u")]), {}).realize("g", [(0, 2)]) == expected
    with pytest.raises(UslError, match="only the outermost") as caught:
        factored(program.algorithm, "g", 1, [("s$x", "u")])
    assert caught.value.code == "E785"


def test_reads_of_the_func_elsewhere_are_no_operation():
    f, r = hl.Func("f"), hl.RDom([(1, 4)], "r")
    f[x] = x
    f[r] = f[r] + f[r - 1]
    assert "at another place too" in str(reassociation(collect([f]).algorithm.func("f"), 1))
    g, s = hl.Func("g"), hl.RDom([(1, 4)], "s")
    g[x] = x
    s.where(g[x] > 2)
    g[x] += s
    assert "reads g in" in str(reassociation(collect([g]).algorithm.func("g"), 1))


def test_the_least_of_floats_needs_a_number_to_begin_with():
    f, r = hl.Func("f"), hl.RDom([(0, 4)], "r")
    f[x] = hl.f32(x)
    f[x] = hl.min(f[x], hl.f32(r))
    assert "may be infinite" in str(reassociation(collect([f]).algorithm.func("f"), 1))


def test_rfactor_of_a_func_gives_the_intermediate_func():
    f, r, u = hl.Func("f"), hl.RDom([(0, 6), (0, 5)], "r"), hl.Var("u")
    f[x] = 0
    f[x] = hl.max(f[x], (r.x * 7 + r.y * 5 + x) % 11)
    before = f.interpret([4])
    intermediate = f.update().rfactor(r.y, u)
    assert intermediate.name() == "f_intm" and [v.name() for v in intermediate.args()] == ["x", "u"]
    assert (f.interpret([4]) == before).all()
    intermediate.compute_root()
    intermediate.update().unroll(u, 1)
    assert (np.asarray(f.realize([4])) == before).all()
