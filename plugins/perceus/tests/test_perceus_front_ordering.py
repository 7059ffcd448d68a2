"""The order of tuples, data, lists, arrays and strings: that of Python, constructors as they are declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program, run

from usl_perceus import PerceusError, fun, live_blocks
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program

# ruff: noqa: F821

SORTED = """
    @fun
    def insert(xs: List[T], x: T) -> List[T]:
        match xs:
            case Cons(y, rest) if y < x:
                return Cons(y, insert(rest, x))
            case _:
                return Cons(x, xs)

    @fun
    def sorted_pairs(n: i64) -> List[tuple[str, i64]]:
        xs: List[tuple[str, i64]] = []
        for p in [("b", n), ("a", 2), ("b", 1), ("a", -n), ("", 5)]:
            xs = insert(xs, p)
        return xs

    @fun
    def lists(a: i64, b: i64, c: i64, d: i64) -> tuple[bool, bool, bool, bool, List[i64]]:
        u: List[i64] = [a, b]
        v: List[i64] = [c, d, 0]
        return u < v, u <= v, [a, b] > [c], [[a], [b]] >= [[c], [d]], min(u, v)

    @fun
    def trees(n: i64) -> tuple[bool, bool, bool, bool]:
        small, large = Node(Red, Leaf, n, Leaf), Node(Black, Leaf, 0, Leaf)
        return small < large, Leaf >= small, Red < Black, Node(Red, small, 0, Leaf) > Node(Red, small, 0, Leaf)
"""
_made: dict[str, object] = {}


def made():
    if not _made:
        _made["program"] = program(SORTED)
    return _made["program"]


def test_a_generic_function_orders_by_the_order_of_its_type():
    pairs = [("b", 3), ("a", 2), ("b", 1), ("a", -3), ("", 5)]
    assert run(made(), "sorted_pairs", 3) == sorted(pairs)


@given(*[st.integers(0, 2)] * 4)
def test_lists_and_arrays_are_ordered_as_python_orders_lists(a, b, c, d):
    u, v = [a, b], [c, d, 0]
    assert run(made(), "lists", a, b, c, d) == (u < v, u <= v, u > [c], [[a], [b]] >= [[c], [d]], min(u, v))


def test_constructors_are_ordered_as_they_are_declared():
    assert run(made(), "trees", 5) == (True, False, True, False)


@fun
def compiled(n: i64) -> tuple[bool, bool, array[str]]:
    a, b = [("x", n), ("y", 2)], [("x", n), ("y", 3)]
    return a < b, ("b", [n]) <= ("b", [n, 0]), max(["b", "a"], ["a", "c"])


def test_compiled_comparisons_of_data():
    before = live_blocks()
    first, second, largest = compiled(4)
    assert (first, second, list(largest)) == (True, True, ["b", "a"])
    del largest
    assert live_blocks() == before


def test_functions_have_no_order():
    text = "@fun\ndef f(g: Callable[[i64], i64]) -> bool:\n    return (1, g) < (2, g)\n"
    with pytest.raises(PerceusError, match="< compares numbers, strings, bools, and data") as caught:
        lower([parse_program(text)["f"]])
    assert caught.value.code == "E723"
