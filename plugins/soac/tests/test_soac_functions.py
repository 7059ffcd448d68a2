"""Calls of what other languages define: procedures, functional functions, C functions, numbers of the module."""

from __future__ import annotations

import numpy as np
import pytest

from usl_core import proc_from_source
from usl_perceus import program
from usl_soac import ShapeError, SoacError, parse_program

SCALE = proc_from_source(
    """
def scale(n: size, m: size, a: f64, x: f64[n, m], y: f64[n, m]):
    for i in seq(0, n):
        for j in seq(0, m):
            y[i, j] = a * x[i, j]
"""
)
OTHERS = program(
    """
@foreign("hypot", header="math.h")
def hypotenuse(x: f64, y: f64) -> f64: ...

@fun
def collatz(n: i64) -> i64:
    steps = 0
    while n > 1:
        n = n // 2 if n % 2 == 0 else 3 * n + 1
        steps += 1
    return steps

@fun
def sums(xs: array[f64]) -> f64:
    return xs[0]
"""
)
SCOPE = {"scale": SCALE, **OTHERS, "SIZE": 3, "HALF": 0.5, "YES": True}


def made(body: str, head: str = "x: f64[n, m]", result: str = "f64[_, _]"):
    lines = "\n".join(f"    {line}" for line in body.split("\n"))
    return parse_program(f"@soac\ndef f({head}) -> {result}:\n{lines}\n", scope=SCOPE)["f"]


def test_a_procedure_is_called_and_gives_what_it_writes():
    f = made("return scale(n, m, 2, x, x)")
    np.testing.assert_array_equal(f.interpret([[1.0, 2.0]]), [[2.0, 4.0]])


def test_arrays_for_a_procedure_have_the_sizes_that_it_declares():
    with pytest.raises(ShapeError, match=r"scale: x has 1 elements, but .* 2"):
        made("return scale(k, m, 2, x, x)", "k: i64, x: f64[n, m]").interpret(2, [[1.0, 2.0]])
    with pytest.raises(SoacError, match=r"<program>:3:12: scale: x has n elements, but its size is n \+ 1") as caught:
        made("return scale(n + 1, m, 2, x, x)").interpret([[1.0, 2.0]])
    assert caught.value.code == "E762"


def test_a_procedure_takes_no_empty_arrays():
    with pytest.raises(ShapeError, match="n is 0, which no size of a kernel can be"):
        made("return scale(n, m, 2, x, x)").interpret(np.zeros((0, 2)))


def test_functions_of_scalars_are_called_also_in_map():
    assert made("return hypotenuse(x, 4)", "x: f64", "f64").interpret(3) == 5
    assert made("return hypotenuse(x, 4)", "x: f64", "f64").interpret(3, exact=True) == 5
    found = made("return map(collatz, x)", "x: i64[n]", "i64[n]").interpret([1, 6, 7])
    np.testing.assert_array_equal(found, [0, 8, 16])


def test_compiled_programs_call_them_too():
    f = made("return map(lambda v: f64(collatz(i64(v))) + hypotenuse(v, 4), x)", "x: f64[n]", "f64[n]")
    np.testing.assert_array_equal(f(np.array([3.0])), f.interpret([3.0]))


def test_numbers_of_the_module_are_constants_of_the_type_that_they_meet():
    f = made("return map(lambda v: v * HALF if YES else v, x) + SIZE", "x: f32[n]", "f32[n]")
    np.testing.assert_array_equal(f.interpret([1.0, 4.0]), [3.5, 5.0])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("scale(n, m, 2, x)", "<program>:3:12: scale takes 5 arguments, 4 given"),
        ("scale(n, m, True, x, x)", "<program>:3:12: scale: a is f64, not bool"),
        ("scale(n, m, 2, x[0], x)", r"<program>:3:12: scale: x is f64\[_, _\], not f64\[_\]"),
        ("hypotenuse(1, True)", "<program>:3:12: hypotenuse: argument 1 is f64, not bool"),
        ("sums(x[0])", r"<program>:3:12: sums is no function of scalars: array\[f64\]"),
        ("f(x, x)", "<program>:3:12: f takes 1 arguments, 2 given"),
        ("f(x[0])", r"<program>:3:12: f: x is f64\[_, _\], not f64\[_\]"),
    ],
)
def test_arguments_are_those_that_the_function_takes(call, message):
    with pytest.raises(SoacError, match=message) as caught:
        made(f"return {call}").core()
    assert caught.value.code == "E761"
