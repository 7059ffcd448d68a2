"""Algorithms: what may be written, what each mistake says and where, and what values there are."""

from __future__ import annotations

import warnings
from fractions import Fraction

import numpy as np
import pytest

from usl_core.errors import UslError
from usl_halide_lib import hl

x, y = hl.vars("x y")


def defined(value, name="g"):
    f = hl.Func(name)
    f[x] = value
    return f


def refused(code, fragment, act):
    """The error of act: its code, its text, and a place in this file."""
    with pytest.raises(UslError) as caught:
        act()
    assert caught.value.code == code
    assert fragment in str(caught.value)
    assert caught.value.span is not None and caught.value.span.file == __file__
    return caught.value


@pytest.mark.parametrize(
    ("a", "b", "result"),
    [
        (hl.Int(32), hl.Float(32), "float32"),
        (hl.Float(64), hl.Float(32), "float64"),
        (hl.UInt(8), hl.UInt(16), "uint16"),
        (hl.UInt(16), hl.Int(8), "int16"),
        (hl.UInt(32), hl.Int(32), "int32"),
        (hl.Int(64), hl.UInt(8), "int64"),
    ],
)
def test_types_meet_where_halide_says(a, b, result):
    assert str((hl.cast(a, x) + hl.cast(b, x)).type()) == result
    assert str((hl.cast(b, x) * hl.cast(a, x)).type()) == result


def test_a_python_number_takes_the_other_type():
    assert str((hl.u8(x) + 255).type()) == "uint8"
    assert str((3 - hl.f64(x)).type()) == "float64"
    assert str((hl.i16(x) * 0.5).type()) == "float32"
    assert str(x + 1) == "x + 1" and str((x + 1) * 2) == "(x + 1) * 2"


def test_a_number_that_its_type_cannot_hold_is_refused():
    refused("E772", "the number 300 as uint8 is 44", lambda: hl.u8(x) + 300)


@pytest.mark.parametrize("op", ["saturating_add", "halving_add", "widening_mul"])
def test_functions_for_fixed_point_widen(op):
    value = getattr(hl, op)(hl.u8(200), hl.u8(100))
    assert int(defined(value).interpret([1])[0]) == {"saturating_add": 255, "halving_add": 150, "widening_mul": 20000}[op]


def test_what_has_no_meaning_here_is_E770():
    refused("E770", "require is not supported; assert it", lambda: hl.require(x > 0, x))
    refused("E770", "UInt(128) is not supported", lambda: hl.UInt(128))


class TestValidity:
    """Defs. 2.7 to 2.10, and what was added to them."""

    def test_a_self_read_beside_the_pure_variable(self):
        g = defined(x)

        def act():
            g[x] = g[x + 1]

        error = refused(
            "E772", "g.update(0): every access to g must have x in dimension 0, as the left side has; here x + 1", act
        )
        assert str(error).count("\n") >= 2 and "^" in str(error)

    def test_a_pure_variable_that_the_left_side_has_elsewhere(self):
        h = hl.Func("h")
        h[x, y] = 0

        def act():
            h[y, x] = 1

        refused("E772", "dimension 0 of the left side must be x; here y", act)

    def test_the_same_variable_read_off_its_dimension(self):
        g, r = defined(x), hl.RDom([(0, 3)], "r")

        def act():
            g[x] = g[x] + g[r]

        refused("E772", "here r", act)

    def test_the_first_definition_does_not_read_itself(self):
        z = hl.Func("z")

        def act():
            z[x] = z[x] + 1

        refused("E788", "z has no definition yet", act)

    def test_the_bounds_of_a_domain_are_numbers_and_parameters(self):
        refused("E772", "may only consist of numbers and parameters", lambda: hl.RDom([(0, x)], "r"))
        hl.RDom([(0, hl.Param(hl.Int(32), "p"))], "r")

    def test_a_reduction_variable_with_the_name_of_a_pure_one(self):
        g = defined(0)

        def act():
            g[x] += hl.RDom([(0, 3)], "x")

        refused("E772", "has the name of a pure variable", act)

    def test_two_domains_in_one_stage(self):
        g = defined(0)

        def act():
            g[x] += hl.RDom([(0, 3)], "a") + hl.RDom([(0, 3)], "b")

        refused("E772", "one reduction domain", act)

    def test_a_free_variable(self):
        def act():
            hl.Func("f")[x] = y

        refused("E772", "y is no variable of the left side", act)

    def test_another_width_or_type_in_an_update(self):
        g = defined(hl.u8(0))

        def act():
            g[x] = hl.u16(x)

        refused("E772", "gives uint16, and the first definition gave uint8", act)

        def pair():
            g[x] = (hl.u8(1), hl.u8(2))

        refused("E772", "1 values at a place, not 2", pair)

    def test_arity(self):
        g = defined(x)

        def act():
            hl.Func("f")[x] = g[x, x]

        refused("E788", "g has 1 dimensions; 2 indices are given", act)

    def test_a_func_that_is_read_gets_no_more_definitions(self):
        a, b = defined(0, "a"), hl.Func("b")
        b[x] = a[x]

        def act():
            a[x] = b[x]

        refused("E788", "a is read by b already", act)

    def test_two_funcs_of_one_name(self):
        f = hl.Func("f")
        f[x] = defined(1, "g")[x] + defined(2, "g")[x]
        refused("E772", "the name g stands for two things", lambda: f.interpret([1]))

    def test_conditions_and_numbers_are_told_apart(self):
        refused("E772", "must be a condition", lambda: hl.select(x, 1, 2))
        refused("E772", "is a condition", lambda: (x < 1) + 1)
        refused("E772", "has no value while the algorithm is written", lambda: bool(x < 1))
        refused("E772", "indices are integers", lambda: defined(x)[hl.f32(x)] + 1)


class TestValues:
    """The table of values, which holds for all types at once."""

    @pytest.mark.parametrize(
        ("a", "b", "quotient", "remainder"),
        [(-7, -2, 4, 1), (7, -2, -3, 1), (-7, 2, -4, 1), (7, 0, 0, 0), (-(2**31), -1, -(2**31), 0)],
    )
    def test_division_is_euclidean_and_total(self, a, b, quotient, remainder):
        f = hl.Func("f")
        f[x] = (hl.i32(a) / hl.i32(b), hl.i32(a) % hl.i32(b))
        assert [int(each[0]) for each in f.interpret([1])] == [quotient, remainder]

    @pytest.mark.parametrize(
        ("value", "expected"),
        [
            (lambda: hl.u8(hl.f32(300.0)), 255),
            (lambda: hl.u8(hl.f32(-1.5)), 0),
            (lambda: hl.i32(hl.f32(-1.5)), -1),
            (lambda: hl.u8(300), 44),
            (lambda: hl.u8_sat(300), 255),
            (lambda: hl.i32(1) << 32, 0),
            (lambda: hl.i32(-8) >> 40, -1),
            (lambda: hl.i32(8) << -2, 2),
            (lambda: abs(hl.i8(-128)), 128),
            (lambda: hl.absd(hl.i8(-128), hl.i8(127)), 255),
            (lambda: hl.i32(2**31 - 1) + 1, -(2**31)),
            (lambda: hl.f32(-7.5) % 2, Fraction(1, 2)),
            (lambda: hl.select(x > 0, 1, x == 0, 2, 3), 2),
            (lambda: hl.clamp(x - 5, -2, 2), -2),
            (lambda: hl.mux(x, [4, 5]), 4),
        ],
    )
    def test_one_operation(self, value, expected):
        assert defined(value()).interpret([1])[0] == expected
        assert defined(value()).interpret([1], exact=False)[0] == expected

    def test_machine_values_are_rounded(self):
        f = defined(hl.f32(x) + 0.1)
        assert f.interpret([2])[1] == Fraction(11, 10)
        assert f.interpret([2], exact=False)[1] == np.float32(1) + np.float32(0.1)


class TestOracle:
    """Fig. 2.6 on algorithms whose values are known otherwise."""

    def test_a_blur(self):
        image = np.random.default_rng(1).integers(0, 256, (12, 14), np.uint8)
        source = hl.Buffer(image, "im")
        bx, by = hl.Func("bx"), hl.Func("by")
        bx[x, y] = (hl.u16(source[x, y]) + source[x + 1, y] + source[x + 2, y]) / 3
        by[x, y] = hl.u8((bx[x, y] + bx[x, y + 1] + bx[x, y + 2]) / 3)
        wide = image.astype(int)
        rows = (wide[:, :-2] + wide[:, 1:-1] + wide[:, 2:]) // 3
        assert (by.interpret([12, 10]) == (rows[:-2] + rows[1:-1] + rows[2:]) // 3).all()

    def test_a_histogram_and_its_sums(self):
        image = np.random.default_rng(2).integers(0, 16, (6, 7), np.uint8)
        source = hl.Buffer(image, "im")
        h, r, s = hl.Func("h"), hl.RDom(source, "r"), hl.RDom([(1, 15)], "s")
        h[x] = 0
        h[hl.i32(source[r.x, r.y])] += 1
        h[s] += h[s - 1]
        assert (h.interpret([16]) == np.cumsum(np.bincount(image.ravel(), minlength=16))).all()

    def test_an_update_on_a_part_of_the_rows(self):
        f, r = hl.Func("f"), hl.RDom([(0, 4)], "r")
        f[x, y] = x + 10 * y
        f[x, r] = f[x, r] * 2
        r.where(r > 1)
        expected = np.array([[(2 if y in range(4) else 1) * (x + 10 * y) for x in range(-1, 3)] for y in range(-1, 6)])
        assert (f.interpret([(-1, 4), (-1, 7)]) == expected).all()

    def test_a_domain_with_a_predicate_that_reads_the_func(self):
        f, r = hl.Func("f"), hl.RDom([(0, 10)], "r")
        f[x] = x % 3
        r.where(f[r] == 1)
        f[r] = f[r - 1] + 10
        values = [place % 3 for place in range(-1, 10)]
        for place in range(10):
            if values[place + 1] == 1:
                values[place + 1] = values[place] + 10
        assert list(f.interpret([10])) == values[1:]

    def test_the_first_variable_of_a_domain_runs_fastest(self):
        f, r = hl.Func("f"), hl.RDom([(0, 3), (0, 2)], "r")
        f[x] = 0
        f[0] = f[0] * 10 + r.x + 3 * r.y
        assert f.interpret([2])[0] == 12345

    def test_tuples_and_inline_reductions(self):
        image = np.array([[3, 1, 4, 1, 5]], np.int32)
        source, r = hl.Buffer(image[0], "im"), hl.RDom([(0, 5)], "r")
        f = hl.Func("f")
        f[x] = hl.argmin(source[r])
        assert [int(each[0]) for each in f.interpret([1])] == [1, 1]
        g = hl.Func("g")
        g[x] = hl.sum(source[r] * x) + hl.maximum(source[r])
        assert g.interpret([(2, 1)])[0] == 14 * 2 + 5

    def test_parameters_and_extents(self):
        p, image = hl.Param(hl.Int(32), "p", 7), hl.ImageParam(hl.UInt(8), 1, "im")
        f = defined(image.width() * p)
        image.set(np.zeros(5, np.uint8))
        assert f.interpret([1])[0] == 35
        p.set(-1)
        assert f.interpret([1])[0] == -5

    def test_an_input_that_is_too_small(self):
        source = hl.Buffer(np.zeros(4, np.uint8), "im")
        f = defined(source[x + 1])
        error = refused("E786", "im[x + 1] reads (4,)", lambda: f.interpret([4]))
        assert "im has the places 0:4" in str(error)

    def test_a_negative_domain_and_no_window(self):
        p = hl.Param(hl.Int(32), "p", -3)
        f, r = hl.Func("f"), hl.RDom([(0, p)], "r")
        f[x] = 0
        f[x] += r
        refused("E787", "rdom r: extent p = -3 is negative", lambda: f.interpret([1]))
        refused("E787", "the window has 2 dimensions", lambda: f.interpret([1, 1]))
        refused("E787", "no range of 32-bit places", lambda: f.interpret([2**31]))

    def test_a_long_chain(self):
        f = defined(x, "f0")
        for k in range(300):
            g = hl.Func(f"c{k}")
            g[x] = f[x] + 1
            f = g
        assert f.interpret([1])[0] == 300


def test_an_update_that_a_schedule_has_forgotten_is_a_warning_unless_that_is_meant():
    f = hl.Func("f")
    f[x] = x
    f[x] += 1
    f.vectorize(x, 4)
    with pytest.warns(UserWarning, match=r"^f.update\(0\) has no directive, and other stages have") as caught:
        f.procedure()
    assert len(caught) == 1 and caught[0].filename == __file__
    g = hl.Func("g")
    g[x] = x
    g[x] += 1
    g.vectorize(x, 4).update().unscheduled()
    h, r, u = hl.Func("h"), hl.RDom([(0, 9), (0, 5)], "r"), hl.Var("u")
    h[x] = 0
    h[x] += r.x * r.y
    h.vectorize(x, 4).update().rfactor(r.y, u).compute_root()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g.procedure()
        h.procedure()


def test_an_explanation_says_which_places_there_are_and_what_became_of_tails():
    f, g = hl.Func("f"), hl.Func("g")
    f[x] = x
    g[x] = f[x] + f[x + 1]
    f.compute_root()
    g.split(x, "xo", "xi", 4)
    lines = hl.Pipeline(g).explain().splitlines()
    assert lines[lines.index("f: computed at root") + 1] == "  in all at g.min.0 … g.len.0 + g.min.0"
    assert any(line.startswith("g.split(x, xo, xi, 4): ") and line.endswith("(tail: bound)") for line in lines)
