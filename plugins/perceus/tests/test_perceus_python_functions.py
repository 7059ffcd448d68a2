"""Functions of Python that a program calls, where it says `foreign`."""

from __future__ import annotations

import gc

import numpy as np
import pytest
from perceus_front import program

from usl_perceus import PerceusError, data, fun, record
from usl_perceus.python import live_blocks

# ruff: noqa: F821


@data
class List:
    Nil: ()
    Cons: (i64, List)


@fun
def mapped(xs: List, f: foreign[Callable[[i64], i64]]) -> List:
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(f(x), mapped(rest, f))


@fun
def upto(n: i64) -> List:
    made: List = []
    for i in range(n):
        made = Cons(n - 1 - i, made)
    return made


@fun
def guarded(f: foreign[Callable[[i64], i64]], x: i64) -> str:
    try:
        return f"{f(x)} {f(x + 1)}"
    except ValueError:
        return "mine"
    except:  # noqa: E722
        return "caught"


@fun
def all_kinds(f: foreign[Callable[[f64, bool, str, array[f64], List, None], str]], xs: array[f64]) -> str:
    return f(xs[0], True, "text", xs, Cons(1, Nil), None) + "!"


@fun
def adder(f: foreign[Callable[[i64], i64]], n: i64) -> Callable[[i64], i64]:
    return lambda x: f(x) + n


@fun
def noted(f: foreign[Callable[[str], None]], n: i64) -> i64:
    for i in range(n):
        f(f"round {i}")
    return n


CALLS = [
    lambda: mapped(List.Nil(), abs),
    lambda: guarded(abs, 0),
    lambda: noted(print, 0),
    lambda: all_kinds(lambda *_: "", [1.0]),
    lambda: adder(abs, 0),
    lambda: moved(lambda place, by: place, 0),
    lambda: first_or(lambda n: ("", n)),
]
"""Each program keeps the function of its last call until the next one."""


@pytest.fixture(autouse=True)
def _empty_heap():
    for call in CALLS:
        call()
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()  # what was raised refers to the functions
    for call in CALLS:
        call()
    gc.collect()
    assert live_blocks() == before


def items(xs: object) -> list[int]:
    found = []
    while isinstance(xs, List.Cons):
        found.append(xs._0)
        xs = xs._1
    return found


def test_a_function_of_python_is_called_for_each_element():
    offset = 10
    assert items(mapped(upto(5), lambda x: x * x + offset)) == [10, 11, 14, 19, 26]
    seen = []
    assert noted(seen.append, 3) == 3
    assert seen == ["round 0", "round 1", "round 2"]


def test_it_gets_values_of_all_kinds_and_gives_one_back():
    given = []

    def f(x, flag, text, xs, one, nothing):
        given.extend([x, flag, text, xs.tolist(), one.value(), nothing])
        return text + f" {x}"

    big = np.arange(2000.0) + 1
    assert all_kinds(f, big) == "text 1.0!"
    assert given == [1.0, True, "text", big.tolist(), List.Cons(1, List.Nil()), None]


def test_what_it_raises_goes_through_the_program():
    def failing(x):
        if x == 3:
            raise KeyError("three")
        return x

    with pytest.raises(KeyError, match="three"):
        mapped(upto(5), failing)
    assert guarded(failing, 2) == "caught"
    assert guarded(failing, 1) == "1 2"


def test_a_result_of_the_wrong_type_is_named():
    def wrong(x):
        return "no number"

    with pytest.raises(PerceusError, match="the result of wrong: expected an integer, got 'no number'"):
        mapped(upto(1), wrong)


def test_it_may_call_programs_itself():
    assert items(mapped(upto(3), lambda x: len(items(mapped(upto(x), lambda y: y + 1))))) == [0, 1, 2]
    assert guarded(lambda x: noted(lambda text: None, x), 4) == "4 5"


def test_a_closure_of_the_program_may_keep_it():
    add = adder(lambda x: 2 * x, 5)
    gc.collect()
    assert [add(1), add(2)] == [7, 9]
    assert items(mapped(upto(2), add)) == [5, 7]


def test_deep_recursion_has_a_large_stack():
    xs = mapped(upto(200_000), lambda x: 1)
    assert xs._0 == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("def f(x: foreign[i64]) -> i64:\n    return x", "foreign[...] is a function that Python may give"),
        (
            "def f(g: foreign[Callable[[i64], i64]]) -> i64:\n    return join(spawn(lambda x: x, 1)) + g(1)",
            "a program that Python gives functions to has no threads",
        ),
    ],
)
def test_where_a_function_of_python_cannot_be(text, message):
    with pytest.raises(PerceusError) as caught:
        program(f"@fun\n{text}\n")
    assert message in caught.value.message


@record
class Place:
    x: f64
    name: str
    near: tuple[i8, bool]


@fun
def moved(f: foreign[Callable[[Place, tuple[f32, None]], Place]], n: i64) -> Place:
    place = Place(1.5, "a", (3, True))
    for i in range(n):
        place = f(place, (f32(i), None))
    return place


@fun
def first_or(f: foreign[Callable[[i64], tuple[str, i64]]]) -> i64:
    try:
        name, n = f(1)
        return n + len(name)
    except Exception:
        return -1


def test_tuples_and_records_go_both_ways():
    def step(place, by):
        assert by[1] is None
        return Place(place.x + by[0], place.name + "b", (place.near[0] + 1, not place.near[1]))

    assert moved(step, 4) == Place(7.5, "abbbb", (7, True))
    assert (first_or(lambda n: ("ab", n)), first_or(lambda n: (n // 0, 1))) == (3, -1)
    with pytest.raises(PerceusError, match=r"the result of .*: expected a Place"):
        moved(lambda place, by: place.x, 1)


def test_without_foreign_it_is_refused():
    @fun
    def plain(f: Callable[[i64], i64]) -> i64:
        return f(1)

    with pytest.raises(PerceusError, match="expected a function"):
        plain(lambda x: x)
