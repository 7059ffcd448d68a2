"""Arrays of tuples and records between Python and programs: the same comes back, and nothing leaks if an element is wrong."""

from __future__ import annotations

import copy
import gc
import pickle
from collections import namedtuple

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from usl_perceus import PerceusError, data, fun, live_blocks, record

# ruff: noqa: F821


@data
class Color:
    Red: ()
    Green: ()


@data
class List:
    Nil: ()
    Cons: (i64, List)


@record
class Point:
    x: f64
    y: f32


@record
class Named:
    name: str
    at: Point
    pair: tuple[i8, str]


@fun
def plain(a: array[tuple[i64, tuple[u8, bool, Color], Point, None]]) -> array[tuple[i64, tuple[u8, bool, Color], Point, None]]:
    return a


@fun
def named(a: array[Named]) -> array[Named]:
    return a


@fun
def mixed(a: array[tuple[str, u64, List, array[array[i64]]]]) -> array[tuple[str, u64, List, array[array[i64]]]]:
    return a


@fun
def nothing(a: array[tuple[None, None]]) -> array[tuple[None, None]]:
    return a


@pytest.fixture(autouse=True)
def _empty_heap():
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


FLOATS = st.floats(width=32, allow_nan=False)
COLORS = st.sampled_from([Color.Red(), Color.Green()])
POINTS = st.builds(Point, FLOATS, FLOATS)
PLAIN = st.tuples(st.integers(-(2**63), 2**63 - 1), st.tuples(st.integers(0, 255), st.booleans(), COLORS), POINTS, st.none())
NAMED = st.builds(Named, st.text(st.characters(codec="utf-8")), POINTS, st.tuples(st.integers(-128, 127), st.text("añ😀\0")))
ROWS = st.lists(st.lists(st.integers(-5, 5), max_size=3), max_size=3)


def linked(values):
    made = List.Nil()
    for value in reversed(values):
        made = List.Cons(value, made)
    return made


MIXED = st.tuples(st.text(), st.integers(0, 2**64 - 1), st.lists(st.integers(-9, 9), max_size=3).map(linked), ROWS)


@settings(max_examples=60, deadline=None)
@given(st.lists(PLAIN, max_size=4), st.lists(NAMED, max_size=4), st.lists(MIXED, max_size=4))
def test_what_is_given_comes_back(some, others, more):
    assert plain(some) == some
    assert named(others) == others
    texts = [(text.encode("utf-8", "ignore").decode(), *rest) for text, *rest in more]
    found = [(text, number, xs.value(), [row.tolist() for row in rows]) for text, number, xs, rows in mixed(texts)]
    assert found == texts


def test_what_is_no_tuple_or_record_but_nearly_is_taken_as_before():
    pair = namedtuple("pair", "a b c d")
    given = (np.int64(3), (np.uint8(4), np.bool_(True), Color.Red()), Point(np.float32(1), 2), None)
    assert plain([pair(*given)]) == [(3, (4, True, Color.Red()), Point(1.0, 2.0), None)]
    assert nothing([(None, None)] * 3) == [(None, None)] * 3
    assert nothing([]) == plain([]) == named([]) == []


WRONG = [
    (plain, [(1, (2, True, Color.Red()), Point(1, 2), None), 5], "argument 1 of plain: expected a tuple of 4, got 5"),
    (plain, [(1, (2, True), Point(1, 2), None)], r"expected a tuple of 3, got \(2, True\)"),
    (plain, [(1, (256, True, Color.Red()), Point(1, 2), None)], "expected an integer from 0 to 255, got 256"),
    (plain, [(True, (2, True, Color.Red()), Point(1, 2), None)], "expected an integer, got True"),
    (plain, [(1, (2, 1, Color.Red()), Point(1, 2), None)], "expected a bool, got 1"),
    (plain, [(1, (2, True, Color.Red()), Point(1, "a"), None)], "expected a number, got 'a'"),
    (plain, [(1, (2, True, Color.Red()), (1, 2), None)], r"expected a Point, got \(1, 2\)"),
    (plain, [(1, (2, True, Color.Red()), Point(1, 2), 0)], "expected None, got 0"),
    (plain, [(2**63, (2, True, Color.Red()), Point(1, 2), None)], "expected an integer from -9223372036854775808 to"),
    (named, [Named("a", Point(1, 2), (1, "b")), Named("c", Point(1, 2), (1, 2))], "expected a str, got 2"),
    (named, [Named("a", Point(1, 2), (128, "b"))], "expected an integer from -128 to 127, got 128"),
    (named, [Named("\ud800", Point(1, 2), (1, "b"))], "without lone surrogates"),
    (mixed, [("a", 1, List.Nil(), [[1]]), ("b", 2, List.Cons(1, 7), [[1]])], "expected a List, got 7"),
    (mixed, [("a", 1, List.Nil(), [[1]]), ("b", -1, List.Cons(1, List.Nil()), [[1]])], "expected an integer from 0 to"),
    (mixed, [("a", 1, List.Cons(1, List.Nil()), [[1], 5])], "expected an array of int64, got 5"),
]


@pytest.mark.parametrize(("function", "given", "message"), WRONG)
def test_an_element_that_is_wrong_is_refused_and_nothing_leaks(function, given, message):
    with pytest.raises(PerceusError, match=message):
        function(given)


# ---- copies and pickles


@fun
def linked_to(n: i64) -> List:
    made: List = []
    for i in range(n):
        made = Cons(i, made)
    return made


@fun
def cell(n: i64) -> ref[i64]:
    return ref(n)


@fun
def adder(n: i64) -> Callable[[i64], i64]:
    return lambda x: x + n


COPIES = [copy.copy, copy.deepcopy, lambda value: pickle.loads(pickle.dumps(value))]


@pytest.mark.parametrize("again", COPIES, ids=["copy", "deepcopy", "pickle"])
def test_values_and_handles_are_copied_and_pickled(again):
    long, named = linked_to(20_000), Named("n", Point(1.0, 2.0), (1, "b"))
    for value in (long, long.value(), List.Nil(), named, Color.Red()):
        made = again(value)
        assert made == value
        del made
        gc.collect()
    assert mixed([("a", 1, again(long), [])])[0][2] == long
    pair = [named, named]
    one, other = again(pair)
    assert one is other


def test_what_stays_in_the_heap_is_copied_only_if_nothing_can_change_it():
    changes, adds = cell(3), adder(3)
    assert copy.copy(changes) is changes
    with pytest.raises(TypeError, match="a ref stays in the heap of its program: it cannot be copied"):
        copy.deepcopy(changes)
    assert copy.deepcopy(adds)(4) == 7
    for value in (changes, adds):
        with pytest.raises(TypeError, match="stays in the heap of its program: it cannot be pickled"):
            pickle.dumps(value)
