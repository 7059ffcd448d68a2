"""The order of tuples, data, lists, arrays and strings: that of Python, constructors as they are declared."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program, run
from perceus_native import outcomes
from perceus_runs import outcome, with_main

from usl_perceus import PerceusError, fun, live_blocks
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.passes import compile_program

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


OWN = """
    K = TypeVar("K", bound=Ord)

    @data
    class Level(Generic[T]):
        Low: T
        High: T

    @order
    @fun
    def by_level(a: borrowed[Level[T]], b: borrowed[Level[T]]) -> i64:
        match a, b:
            case Low(_), High(_):
                return 1
            case High(_), Low(_):
                return -1
            case _:
                return 0

    @record
    class Task:
        urgency: i64
        work: Callable[[i64], i64]

    @order
    @fun
    def by_urgency(a: Task, b: Task) -> i64:
        return b.urgency - a.urgency

    @fun
    def insert(xs: List[K], x: K) -> List[K]:
        match xs:
            case Cons(y, rest) if y <= x:
                return Cons(y, insert(rest, x))
            case _:
                return Cons(x, xs)

    @fun
    def sorted(xs: List[K]) -> List[K]:
        made: List[K] = []
        for x in xs:
            made = insert(made, x)
        return made

    @fun
    def levels(a: i64, b: i64) -> List[Level[i64]]:
        return sorted([Low(a), High(b), Low(b), High(a)])

    @fun
    def inside(a: i64) -> List[tuple[i64, Level[str]]]:
        return sorted([(a, Low("")), (a, High("a")), (0, Low("z"))])

    @fun
    def most_urgent(a: i64, b: i64) -> i64:
        first = min(Task(a, lambda x: x + 1), Task(b, lambda x: x + 2))
        f = first.work
        return f(first.urgency)
"""


def test_an_order_of_its_own_is_that_of_a_type_wherever_it_occurs():
    own = program(OWN)
    assert run(own, "levels", 1, 2) == [("High", 2), ("High", 1), ("Low", 1), ("Low", 2)]
    assert run(own, "inside", 7) == [(0, ("Low", "z")), (7, ("High", "a")), (7, ("Low", ""))]
    assert run(own, "most_urgent", 3, 2) == 3 + 1
    assert run(own, "most_urgent", 2, 3) == 3 + 2


def test_c_orders_as_the_interpreter_does(tmp_path):
    programs = [with_main(program(OWN).program, name, *args) for name, *args in [("levels", 4, 9), ("inside", 3)]]
    compiled = [compile_program(each) for each in programs]
    assert [value for value, _ in outcomes(compiled, tmp_path, ("-O0", "-DUSL_DEBUG"))] == [
        outcome(each)[0] for each in programs
    ]


def message_of(text):
    with pytest.raises(PerceusError) as caught:
        program(OWN + text)
    return str(caught.value)


def test_a_bound_is_asked_for_at_the_call():
    message = message_of("""
    @fun
    def f(n: i64) -> List[Callable[[i64], i64]]:
        return sorted([lambda x: x + n])
    """)
    assert "sorted needs an order of its K, which Callable[[i64], i64] does not have" in message
    assert "return sorted(" in message
    assert "can only be Ord" in message_of("""
    N = TypeVar("N", bound=int)

    @fun
    def f(n: N) -> N:
        return n
    """)


def test_an_order_compares_two_values_of_one_data_type_once():
    message = message_of("""
    @order
    @fun
    def wrong(a: List[i64], b: List[i64]) -> i64:
        return 0
    """)
    assert "an order compares two values of one data type" in message
    message = message_of("""
    @order
    @fun
    def again(a: Task, b: Task) -> i64:
        return 0
    """)
    assert "Task has an order already" in message
