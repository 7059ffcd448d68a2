"""The parts of the conformance check: admissible inputs, rounding bounds, guarded storage, crashes."""

from __future__ import annotations

import math
import os
import signal
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

pytest.importorskip("numpy")

import kernels_conformance as kernels
import kernels_conformance_wrong as wrong
import numpy as np

from usl_conformance import data
from usl_conformance.arena import Arena, Place
from usl_conformance.bounds import Sized, bound, overflows, run_sized
from usl_conformance.cases import aliasable_pairs, cases
from usl_conformance.configs import find_setup
from usl_conformance.controls import admissible, evaluate
from usl_conformance.data import edges, largest
from usl_conformance.execute import elements
from usl_conformance.isolate import Stopped, run_isolated
from usl_conformance.layouts import layouts
from usl_conformance.names import name_problem
from usl_conformance.routes import with_preds
from usl_core.interp.buffers import Buffer
from usl_core.interp.machine import format_of, round_rational
from usl_core.ir.printer import show_expr
from usl_core.ir.types import BF16, BOOL, F16, F32, F64, INDEX
from usl_core.procedure import proc_from_source

FORM = format_of(F32)
floats = st.floats(-1e6, 1e6, width=32)


def values_of(text, limit=12):
    """The admissible values of each control argument of a procedure."""
    ir = proc_from_source(text).ir
    found = admissible(ir, limit)
    names = [arg.name for arg in ir.args if arg.name in found[0]] if found else []
    return [tuple(values[name] for name in names) for values in found]


# ---- control arguments


def test_constants_and_their_neighbours_are_tried():
    found = values_of("def f(n: size, x: f32[n]):\n    for i in seq(0, 16):\n        if i < n:\n            x[i] = 0.0\n")
    assert {(1,), (15,), (16,), (17,)} <= set(found)


def test_the_greatest_admissible_value_is_tried_and_none_beyond():
    found = values_of("def f(n: size, x: f32[n]):\n    assert n <= 16\n    x[0] = 0.0\n")
    assert {(1,), (15,), (16,)} <= set(found)
    assert max(found) == (16,)


def test_divisibility_is_respected():
    found = values_of("def f(n: size, x: f32[n]):\n    assert n % 8 == 0\n    x[0] = 0.0\n")
    assert found
    assert all(n % 8 == 0 for (n,) in found)
    assert {(8,), (16,), (24,)} <= set(found)


def test_relations_between_arguments_are_respected():
    text = "def f(n: size, m: size, k: index, flag: bool, x: f32[n, m]):\n"
    text += "    assert n < m\n    assert k >= n\n    assert k < n + 3\n    x[0, 0] = 0.0\n"
    found = values_of(text)
    assert found
    assert all(n < m and n <= k < n + 3 for n, m, k, _ in found)
    assert {flag for *_, flag in found} == {False, True}


def test_the_solver_finds_what_no_constant_is_near_to():
    found = values_of("def f(n: size, m: size, x: f32[4]):\n    assert 7 * n == 3 * m + 2901\n    x[0] = 0.0\n")
    assert found
    assert all(7 * n == 3 * m + 2901 for n, m in found)


def test_assertions_that_nothing_small_satisfies_give_no_input():
    assert values_of("def f(n: size, x: f32[n]):\n    assert n > 1000000\n    x[0] = 0.0\n") == []


# ---- strides


def strides_of(text, controls=()):
    ir = proc_from_source(text).ir
    given_controls = dict(zip([a.name for a in ir.args], controls, strict=False))
    tensors = [arg for arg in ir.args if arg.name not in given_controls]
    return [tuple(layout[arg.name] for arg in tensors) for layout in layouts(ir, given_controls, tensors)]


def test_the_first_layout_is_dense_and_others_follow():
    found = strides_of("def f(x: [f32][4, 8]):\n    x[0, 0] = 0.0\n")
    assert found[0] == ((8, 1),)
    assert any(row > 8 and element == 1 for ((row, element),) in found)
    assert any(element > 1 for ((_, element),) in found)


def test_only_strides_that_the_assertions_admit_are_tried():
    text = "def f(ld: size, x: [f32][4, 8]):\n    assert stride(x, 1) == 1\n    assert stride(x, 0) == ld\n    x[0, 0] = 0.0\n"
    assert strides_of(text, [24]) == [((24, 1),)]
    assert strides_of(text, [7]) == []


def test_dense_formals_have_dense_strides():
    assert strides_of("def f(x: f32[4, 8]):\n    x[0, 0] = 0.0\n") == [((8, 1),)]


def test_every_case_satisfies_the_assertions():
    setters = [each.ir for each in (*kernels.RIGHT, wrong.set_other_stride)]
    for instruction in (*kernels.RIGHT, *wrong.WRONG):
        inputs = with_preds(instruction.ir, find_setup(instruction.ir, setters))
        for case in cases(inputs, admissible(inputs)):
            strides = {(name, dim): s for name, each in case.layout.items() for dim, s in enumerate(each)}
            assert all(evaluate(pred, case.controls, strides) for pred in inputs.preds), instruction.name()


def test_every_declared_pair_of_one_type_is_shared_apart_too():
    (pair,) = aliasable_pairs(kernels.add_in_place.ir)
    assert [arg.name.name for arg in pair] == ["dst", "a"]
    shifts = {
        case.sharing.shift for case in cases(kernels.add_in_place.ir, admissible(kernels.add_in_place.ir)) if case.sharing
    }
    assert shifts == {-1, 0, 1}


# ---- configuration


def test_a_register_is_set_to_what_the_assertion_demands():
    found = find_setup(kernels.load_by_register.ir, [each.ir for each in kernels.RIGHT])
    assert [setter.name for setter in found.setters] == ["set_stride"]
    assert [str(show_expr(pred)) for pred in found.preds(kernels.load_by_register.ir)] == ["stride(src, 0) == stride(src, 0)"]


def test_a_register_of_data_gets_a_value_of_its_own():
    found = find_setup(kernels.scale.ir, [each.ir for each in kernels.RIGHT])
    assert [(config.name, name, arg.type) for (config, name), arg in found.data.items()] == [("Regs", "scale", F32)]


def test_a_register_that_no_assertion_fixes_is_an_input_within_what_its_setter_takes():
    found = find_setup(kernels.double_or_negate.ir, [each.ir for each in kernels.RIGHT])
    assert [(arg.name.name, arg.type) for arg in found.free] == [("Regs_lanes", INDEX), ("Regs_negate", BOOL)]
    tried = admissible(with_preds(kernels.double_or_negate.ir, found))
    lanes, negate = (arg.name for arg in found.free)
    assert {(values[lanes], values[negate]) for values in tried} == {(n, on) for n in (1, 2, 3) for on in (False, True)}


def test_an_assertion_that_leaves_a_register_open_still_limits_it():
    open_register = wrong.leaves_its_register_open.ir
    inputs = with_preds(open_register, find_setup(open_register, [each.ir for each in kernels.RIGHT]))
    (register,) = (arg.name for arg in inputs.args if arg.name.name == "Regs_stride")
    (src,) = (arg.name for arg in inputs.args if arg.name.name == "src")
    tried = [(case.controls[register], case.layout[src][0]) for case in cases(inputs, admissible(inputs))]
    assert all(held >= step for held, step in tried)
    assert any(held > step for held, step in tried)


def test_a_register_that_nothing_sets_is_a_reason():
    assert find_setup(kernels.scale.ir, [kernels.scale.ir]) == "no instruction of the plugin only sets Regs.scale"


def test_a_field_that_c_reads_back_is_a_reason():
    reads = kernels.reads_back.ir
    assert find_setup(reads, [reads]) == "C reads Readable.shift, so a call needs a context, which tests do not have"


# ---- rounding bounds


def sized(text, *numbers):
    """What a procedure `(out, x, ...)` on scalars leaves in out, with its size."""
    ir = proc_from_source(text).ir
    buffers = [Buffer(F32, (), [Sized.of(0)])] + [Buffer(F32, (), [Sized.of(number)]) for number in numbers]
    run_sized(ir, buffers)
    return buffers[0].data[0]


@given(floats, floats, floats)
def test_one_rounding_is_half_a_unit_in_the_last_place(a, b, c):
    number = sized("def f(out: f32, a: f32, b: f32, c: f32):\n    out = a * b + c\n", a, b, c)
    exact = Fraction(a) * Fraction(b) + Fraction(c)
    assert number.value == exact
    nearest = np.float32(float(exact))  # f64 holds a product of two f32; the sum may round, far below half a unit
    slack = bound(number, 1, FORM) * Fraction(1, 1 << 20)
    assert abs(Fraction(float(nearest)) - exact) <= bound(number, 1, FORM) + slack
    beyond = np.nextafter(np.nextafter(nearest, np.float32(np.inf)), np.float32(np.inf))
    assert abs(Fraction(float(beyond)) - exact) > bound(number, 1, FORM)


@given(st.lists(st.tuples(floats, floats), min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_sums_in_any_order_stay_within_one_rounding_for_each_operation(pairs, random):
    n = len(pairs)
    formals = ", ".join(f"a{k}: f32, b{k}: f32" for k in range(n))
    total = " + ".join(f"a{k} * b{k}" for k in range(n))
    number = sized(f"def f(out: f32, {formals}):\n    out = {total}\n", *[x for pair in pairs for x in pair])
    random.shuffle(pairs)
    rounded = np.float32(0)
    for a, b in pairs:
        rounded = np.float32(rounded + np.float32(np.float32(a) * np.float32(b)))
    assert abs(Fraction(float(rounded)) - Fraction(number.value)) <= bound(number, n + 1, FORM)


@given(floats, floats, floats)
def test_sizes_ignore_cancellation(a, b, c):
    number = sized("def f(out: f32, a: f32, b: f32, c: f32):\n    out = a * b - c * b + abs(c)\n", a, b, c)
    assert number.size >= abs(Fraction(number.value))
    assert number.size == abs(Fraction(a) * Fraction(b)) + abs(Fraction(c) * Fraction(b)) + abs(Fraction(c))


@given(floats, st.floats(0.125, 1e3, width=32), floats)
def test_divisions_carry_the_errors_of_both_sides(a, b, c):
    number = sized("def f(out: f32, a: f32, b: f32, c: f32):\n    out = (a + c) / b\n", a, b, c)
    rounded = np.float32(np.float32(np.float32(a) + np.float32(c)) / np.float32(b))
    assert abs(Fraction(float(rounded)) - Fraction(number.value)) <= bound(number, 2, FORM)


def test_no_rounding_at_all_admits_the_exact_value_only():
    assert bound(Sized.of(3), 0, FORM) == 0


def test_numbers_near_the_end_of_the_range_count_as_overflowing():
    assert overflows(Sized.of(3e38), FORM)
    assert not overflows(Sized.of(1e38), FORM)


def test_relu_and_select_keep_sizes():
    number = sized("def f(out: f32, a: f32):\n    out = relu(a) + select(a, 0.0, 1.0, 2.0)\n", 3.0)
    assert (number.value, number.size) == (5, 5)


# ---- guarded storage and crashes


def test_a_write_beside_the_elements_is_seen():
    arena = Arena(64, 4)
    arena.fill(0)
    view = arena.view(np.float32, (4, 2), (4, 1), arena.start(56, Place.ZONE, 4))
    view[...] = 1
    arena.snapshot()
    view[0, 0] = 2
    assert arena.changed_outside([view]) == []
    wide = arena.view(np.float32, (16,), (1,), arena.start(56, Place.ZONE, 4))
    wide[2] = 3
    assert arena.changed_outside([view]) == [8, 9, 10, 11]


@pytest.mark.parametrize("place", [Place.LEFT, Place.RIGHT])
def test_the_pages_around_the_elements_must_not_be_touched(place):
    arena = Arena(16, 4)
    view = arena.view(np.float32, (4,), (1,), arena.start(16, place, 0))
    address = view.__array_interface__["data"][0] + (-4 if place is Place.LEFT else 16)
    import ctypes

    assert run_isolated(lambda _: view.sum() * 0) == 0
    result = run_isolated(lambda _: ctypes.c_float.from_address(address).value)
    assert isinstance(result, Stopped)
    assert result.signal in ("SIGSEGV", "SIGBUS")


def test_results_come_back_from_the_child():
    assert run_isolated(lambda progress: [progress(1), math.pi]) == [None, math.pi]


def test_a_child_that_is_killed_tells_how_far_it_came():
    def crash(progress):
        progress("first")
        progress("second")
        os.kill(os.getpid(), signal.SIGKILL)

    assert run_isolated(crash) == Stopped("SIGKILL", "second", "")


def test_a_child_that_does_not_end_is_stopped():
    result = run_isolated(lambda _: any(iter(int, 1)), seconds=1)  # int() is never 1
    assert isinstance(result, Stopped)
    assert result.signal == "SIGPROF"


def test_an_exception_in_the_child_is_one_here():
    with pytest.raises(RuntimeError, match="ZeroDivisionError"):
        run_isolated(lambda _: 1 // 0)


# ---- names


@pytest.mark.parametrize("name", ["x", "my_accel", "A9", "loadu_ps"])
def test_identifiers_are_names(name):
    assert name_problem(name) == ""


@pytest.mark.parametrize("name", ["", "9a", "a-b", "é", "int", "lambda", "_Bool", "a b", "x\n"])
def test_what_is_not_usable_in_c_and_python_is_no_name(name):
    assert name_problem(name) != ""


# ---- data


@pytest.mark.parametrize("scalar", [F16, BF16, F32, F64], ids=str)
def test_the_edges_of_a_type_are_those_of_its_own_format(scalar):
    form = format_of(scalar)
    found = set(edges(form))
    assert all(round_rational(Fraction(number), form) == number for number in found), "each is a number of the type"
    normal = 2.0 ** (form.least + form.precision - 1)
    assert {2.0**form.least, normal - 2.0**form.least, normal, largest(form), 1 + 2.0 ** (1 - form.precision)} <= found
    assert any(0 < a < normal and a * b >= 0.25 for a in found for b in found), "a subnormal number has a product that is not"
    assert any(a * b < normal <= min(a, b) for a in found for b in found if a and b), "and normal ones have one that is"
    sums = {Fraction(a) + Fraction(b) for a in found for b in found if a >= 1 > b}
    assert any(round_rational(total, form) not in (total, 0) and _is_halfway(total, form) for total in sums)


def _is_halfway(number, form):
    step = Fraction(2) ** (math.frexp(float(number))[1] - form.precision)
    return (number / step).denominator == 2


def test_the_edges_of_a_wide_type_are_also_where_narrower_ones_round():
    found = edges(format_of(F32))
    for narrow in (format_of(F16), format_of(BF16)):
        assert sum(_is_halfway(Fraction(number), narrow) for number in found if 1 < number < 2) >= 2
        half_of_least = 2.0 ** (narrow.least - 1)
        assert {half_of_least, half_of_least + max(half_of_least * 2.0**-23, 2.0**-149)} <= set(found)


@pytest.mark.parametrize("scalar", [F16, BF16, F32, F64], ids=str)
def test_data_at_the_edges_has_subnormal_numbers_of_the_type(scalar):
    source = np.random.default_rng(0)
    drawn = elements(data.values(scalar, 512, data.Fill.EDGES, source), scalar)
    form = format_of(scalar)
    assert 2.0**form.least in drawn and -(2.0**form.least) in drawn
    assert any(2.0**form.least < abs(value) < 2.0 ** (form.least + form.precision - 1) for value in drawn)
