"""Compiled programs: what they give is what the interpreter gives, with kernels and without."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from soac_compiled_fuzz import check, checked
from soac_form_programs import random_form_program
from soac_programs import random_program
from soac_size_programs import random_size_program

from usl_core import divide_loop
from usl_core.scheduling import simplify
from usl_perceus import live_blocks
from usl_soac.decorators import parse_program
from usl_soac.errors import ShapeError, SoacError
from usl_soac.running import Compiled

TEXT = """
@soac
def f(a: f64[N, M]) -> f64[2 * N]:
    sums, products = map(lambda x: (reduce(add, 0.0, x), reduce(mul, 1.0, x)), a)
    return concat(sums, products)

@soac
def main(A: f64[K, N, M]) -> f64[_]:
    return map(f, A)[5]

@soac
def product(A: f64[n, m], B: f64[m, p]) -> f64[n, p]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, map(mul, r, c)), transpose(B)), A)

@soac
def large(x: f64[n]) -> tuple[f64[_], bool[n]]:
    return filter(lambda v: v > 0.5, x), map(lambda v: v > 0.5, x)

@soac
def repeated(x: f64[n], k: i64) -> f64[n]:
    y = x
    for i in range(k):
        y = map(lambda a, b: a + b * 0.5, x, y)
    return y

@soac
def halvings(x: f64) -> i64:
    n = 0
    while x > 1.0:
        x = x / 2.0
        n = n + 1
    return n

@soac
def placed(x: i64[n]) -> i64[n]:
    assert n > 2, "too short"
    return scatter(scan(add, 0, x), [1, 7], [10, 20])
"""

TEXT += """
@soac
def gathered(x: f64[n], at: i64[m]) -> f64[m]:
    return map(lambda k: x[k] * 2.0, at)

@soac
def counted(x: i64[n], values: i64[m]) -> i64[n]:
    return reduce_by_index(x, add, 0, values, map(lambda v: v * v, values))
"""

TEXT += """
@soac
def turned(x: f64[n, m], k: i64) -> f64[n, m]:
    return map(lambda r, s: map(lambda a, b: a + b, rotate(r, -1), rotate(s, k)), x, rotate(x, k))
"""

programs = parse_program(TEXT)
cube = np.arange(72.0).reshape(6, 3, 4) / 7


@pytest.fixture(autouse=True)
def _empty_heap():
    before = live_blocks()
    yield
    assert live_blocks() == before


def same(found: Any, expected: Any) -> None:
    if isinstance(expected, tuple):
        for a, b in zip(found, expected, strict=True):
            same(a, b)
        return
    assert np.shape(found) == np.shape(expected)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    if isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype


RUNS = [
    ("main", (cube,)),
    ("main", (np.zeros((6, 3, 0)),)),
    ("main", (np.zeros((6, 0, 3)),)),
    ("product", (cube[0], cube[1].T)),
    ("product", (cube[0, :, :0], cube[1, :, :0].T)),
    ("large", (cube[0, 0] / 2,)),
    ("large", (np.zeros(0),)),
    ("repeated", (cube[0, 0], 3)),
    ("repeated", (cube[0, 0], -1)),
    ("halvings", (37.0,)),
    ("placed", (np.arange(5),)),
    ("gathered", (cube[0, 0], np.array([3, 0]))),
    ("gathered", (cube[0, 0, :0], np.array([], np.int64))),
    ("turned", (cube[0], 4)),
    ("turned", (cube[0], -(2**63))),
    ("turned", (cube[0], 2**63 - 1)),
    ("turned", (cube[0, :0], 1)),
    ("turned", (cube[0, :, :0], 1)),
    ("counted", (np.ones(3, np.int64), np.array([2, -1, 0, 2, 3]))),
]


@pytest.mark.parametrize(("name", "args"), RUNS)
def test_programs_give_what_the_interpreter_gives(name, args):
    same(programs[name](*args), programs[name].interpret(*args))


def test_the_first_example_is_one_kernel_that_writes_both_halves_of_the_result():
    assert set(programs["main"].kernels) == {"main.k0"}
    assert "t[N + i] = total_2" in str(programs["main"].kernels["main.k0"])
    assert not programs["main"].compiled().outer.not_kernels


def test_rotation_is_a_function_of_indices_in_the_kernel_that_reads_it():
    compiled = programs["turned"].compiled()
    assert len(compiled.kernels) == 1
    assert len(programs["turned"].allocations()) == 1


@pytest.mark.parametrize("name", ["main", "product", "placed"])
def test_without_kernels_the_result_is_the_same(name):
    args = next(args for each, args in RUNS if each == name)
    (found,) = Compiled(programs[name].core(), kernels=False)(args)
    same(found, programs[name].interpret(*args))


def test_a_test_in_a_kernel_is_noted_and_the_first_that_failed_is_reported():
    (kernel,) = programs["gathered"].kernels.values()
    assert "bad[0] |= 1" in str(kernel)
    with pytest.raises(IndexError, match="index 7 is out of range: dimension 0 of x has 4 elements") as caught:
        programs["gathered"](cube[0, 0], np.array([0, 7, 9]))
    with pytest.raises(IndexError) as expected:
        programs["gathered"].interpret(cube[0, 0], np.array([0, 7, 9]))
    assert str(caught.value) == str(expected.value)
    with pytest.raises(IndexError, match="index 0 is out of range"):
        programs["gathered"](cube[0, 0, :0], np.array([0]))


def test_failures_are_those_of_the_interpreter():
    with pytest.raises(IndexError, match=r"index 5 is out of range: dimension 0 of the array has 3 elements"):
        programs["main"](cube[:3])
    with pytest.raises(AssertionError, match="AssertionError: too short"):
        programs["placed"](np.arange(2))
    with pytest.raises(ShapeError, match=r"product: B has 3 elements, but m is 4 \(from A, dimension 1\)"):
        programs["product"](cube[0], cube[1])
    with pytest.raises(SoacError, match="repeated takes 2 arguments"):
        programs["repeated"](cube[0, 0])


def test_a_schedule_made_by_operators_takes_the_place_of_a_kernel():
    plain = programs["product"]
    fast = plain.schedule("k0", lambda kernel: divide_loop(kernel, "i", 2, ["io", "ii"], tail="cut"))
    assert "for io in" in str(fast.kernels["product.k0"])
    assert "for io in" not in str(plain.kernels["product.k0"])
    args = (cube[0], cube[1].T)
    same(fast(*args), plain(*args))
    assert fast.kernels["product.k0"].name() in fast.c_code()
    other = plain.schedule(lambda kernel, by: divide_loop(kernel, "i", by, ["io", "ii"], tail="cut"), by=3)
    same(other(*args), plain(*args))


def test_what_was_not_made_from_the_kernel_is_refused():
    product, repeated = programs["product"], programs["repeated"]
    (stranger,) = repeated.kernels.values()
    with pytest.raises(SoacError, match=r"the schedule of product\.k0 does not belong to it: .* was not made from") as caught:
        product.schedule("k0", lambda kernel: stranger)
    assert caught.value.code == "E768"
    with pytest.raises(SoacError, match="returns None, not a procedure"):
        product.schedule("k0", lambda kernel: None)
    with pytest.raises(SoacError, match="None is no function that schedules 'k0'") as caught:
        product.schedule("k0")
    assert caught.value.code == "E768"
    with pytest.raises(SoacError, match=r"product has no kernel k7; its kernels: product\.k0"):
        product.schedule("k7", lambda kernel: kernel)


def test_allocations_name_arrays_their_bytes_and_the_loops_around():
    assert list(map(str, programs["product"].allocations())) == ["product: t, 8 * (n) * (p) bytes"]


def test_a_loop_over_an_argument_has_two_more_arrays_as_python_needs_it_afterwards():
    assert [each.depth for each in programs["repeated"].allocations()] == [0, 0]
    x = np.arange(5000.0)
    for rounds in range(4):
        same(programs["repeated"](x, rounds), programs["repeated"].interpret(x, rounds))
    assert np.array_equal(x, np.arange(5000.0))


def test_random_programs_give_in_c_what_the_interpreter_gives():
    programs = [random_program(seed) for seed in (17, 41, 70)] + [random_form_program(seed) for seed in range(1000, 1006)]
    counts, wrong = checked(programs)
    assert wrong == []
    assert counts["programs"] == 9
    assert counts["well"] >= 18
    assert counts["kernels"] >= 15


def test_arrays_of_a_loop_are_not_those_of_the_same_statement_behind_it():
    _, wrong = checked([random_size_program(810010)])  # the sizes of a map are found in a loop, and its rows are made behind it
    assert wrong == []


@pytest.mark.parametrize("options", [{"kernels": False}, {"simplify": False}], ids=str)
def test_without_a_pass_random_programs_do_the_same(options):
    assert check(70, **options)[1] == []


@pytest.mark.parametrize("function", ["min", "max"])
def test_the_smaller_of_a_number_and_nan_or_of_two_zeros_is_the_same_everywhere(function):
    text = f"""
@soac
def main(x: f64[n], y: f64[n], a: f64, b: f64) -> tuple[f64[n], f64, f64, f64[n]]:
    return map({function}, x, y), {function}(a, b), reduce({function}, a, y), scan({function}, b, x)
"""
    main = parse_program(text, "<test>")["main"]
    values = [1.5, np.nan, 0.0, -0.0, np.nan]
    for a, b in ((1.5, np.nan), (np.nan, 1.5), (0.0, -0.0), (-0.0, 0.0)):
        args = values, values[::-1], a, b
        for one, other in zip(main(*args), main.interpret(*args), strict=True):
            assert np.array_equal(one, other, equal_nan=True) and np.array_equal(np.signbit(one), np.signbit(other))


def test_short_functions_are_part_of_a_kernel_however_often_they_are_called():
    text = """\
@soac
def last(x: f64[m]) -> f64:
    y = x
    for k in range(m - 1):
        i = m - k
        y = y.set(k + 1, y[k] + y[min(i, m - 1)])
    return y[m - 1]

@soac
def f(A: f64[n, m]) -> f64[n]:
    assert m > 0
    return map(lambda r: last(r) + last(map(lambda v: v * 2.0, r)), A)
"""
    f = parse_program(text)["f"]
    assert [*f.kernels] == ["f.k0"] and "idx(" not in str(f.kernels["f.k0"])
    for shape in ((3, 4), (2, 1), (0, 2)):
        x = np.ones(shape).cumsum(1)
        np.testing.assert_array_equal(f(x), f.interpret(x))


def test_a_kernel_behind_a_loop_in_a_branch_does_not_run_in_each_round():
    text = """\
@soac
def f(x: i64[n], k: i64) -> tuple[i64, i64[n]]:
    found = 0
    for i in range(k):
        if i % 2 == 1:
            for j in range(i):
                found = found + reduce(add, 0, x) // (j + 1)
            found = found + len(filter(lambda v: v > i, x))
        x = map(lambda v: v + 1, x)
    return found, x
"""
    f = parse_program(text)["f"]
    assert any(each.depth for each in f.allocations())
    for args in (([1, 5, 2], 4), ([], 3), ([7], 0)):
        for one, other in zip(f(*args), f.interpret(*args), strict=True):
            np.testing.assert_array_equal(one, other)


def test_a_filter_that_keeps_nothing_whatever_there_is():
    text = "@soac\ndef f(x: i64[n]) -> i64[_]:\n    return filter(lambda v: False, map(lambda v: v + 1, x))\n"
    f = parse_program(text)["f"]
    for function in (f, f.schedule(simplify)):
        for args in ([1, 2, 3], []):
            assert function(args).shape == f.interpret(args).shape == (0,)


def test_a_dimension_that_is_another_one_and_a_number_is_known_as_such_in_kernels():
    """What is joined in rounds of a loop has sizes that are no parameters, and no sums of formals."""
    text = """
@soac
def grown(x: i64[n], k: i64, c: i64) -> i64[_]:
    for i in range(k):
        x = concat(x, [i + c, i])
    return x

@soac
def inner(x: i64[n], k: i64, c: i64) -> i64[_]:
    for i in range(k):
        x = concat(map(lambda v: v + c, x[1:len(x) - 1]), [c], x)
    return x
"""
    for function in parse_program(text).values():
        compiled = Compiled(function.core())
        assert not any("refused" in why for reasons in compiled.outer.not_kernels.values() for why in reasons)
        for k in range(4):
            assert function(np.arange(3), k, 7).tolist() == function.interpret(np.arange(3), k, 7).tolist()


def test_a_map_whose_rows_have_a_size_that_is_passed_is_a_kernel() -> None:
    # The rows of nothing have max(0, width) elements, and others pass the test that width is not negative.
    text = """
@soac
def f(x: f64[n], width: i64) -> f64[n, _]:
    return map(lambda v: map(lambda i: v * f64(i), iota(width)), x)
"""
    function = parse_program(text)["f"]
    assert "test is made inside" not in function.show("fusion")
    assert "outer code" not in function.show("fusion")
    for count, width in ((0, 0), (0, -3), (2, 0), (2, 3), (1, 40)):
        x = np.arange(float(count)) + 1
        assert np.array_equal(function(x, width), function.interpret(x, width))
        assert function(x, width).shape == (count, max(width, 0))
    for run in (function, function.interpret):
        with pytest.raises(ValueError, match="iota: the size -3 is negative"):
            run(np.ones(2), -3)
