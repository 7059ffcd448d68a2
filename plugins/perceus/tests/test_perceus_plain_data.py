"""`==`, `!=` and `str` of data: by structure, as Python's values do it; what has neither equality nor text says so."""

from __future__ import annotations

from typing import Generic, TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from perceus_front import program, run
from perceus_runs import heap_outcome, with_main
from perceus_semantics import heap

from usl_perceus import data, fun
from usl_perceus.errors import PerceusError
from usl_perceus.passes import compile_program
from usl_perceus.python import live_blocks

T = TypeVar("T")


@data
class Color:
    Red: ()
    Black: ()


@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, List[T])


@data
class Point:
    At: (f64, f64)  # noqa: F821


@data
class Thing:
    Empty: ()
    Named: (str, i64, Color)  # noqa: F821
    Pair: (Thing, tuple[bool, Point], Thing)
    Row: array[Thing]  # noqa: F821
    Colors: List[Color]


@fun
def same(a: Thing, b: Thing) -> bool:
    return a == b


@fun
def different(a: borrowed[Thing], b: borrowed[Thing]) -> bool:  # noqa: F821
    return a != b


@fun
def text(a: Thing) -> str:
    return str(a)


@fun
def line(a: Thing, s: str) -> str:
    return f"{s}: {(s, a, None)}"


@fun
def same_arrays(a: array[tuple[i64, str]], b: array[tuple[i64, str]]) -> bool:  # noqa: F821
    return a == b


@fun
def member(x: borrowed[T], xs: borrowed[List[T]]) -> bool:  # noqa: F821
    match xs:
        case Nil():  # noqa: F821
            return False
        case Cons(y, rest):  # noqa: F821
            return x == y or member(x, rest)


@fun
def has_point(p: Point, ps: List[Point]) -> bool:
    return member(p, ps)


@fun
def upto(n: i64, xs: List[i64]) -> List[i64]:  # noqa: F821
    return xs if n == 0 else upto(n - 1, Cons(n, xs))  # noqa: F821


@fun
def long_text(n: i64) -> str:  # noqa: F821
    return str(ones(n, Nil))  # noqa: F821


@fun
def ones(n: i64, xs: List[i64]) -> List[i64]:  # noqa: F821
    return xs if n == 0 else ones(n - 1, Cons(1, xs))  # noqa: F821


@fun
def same_lists(n: i64, m: i64) -> bool:  # noqa: F821
    return upto(n, Nil) == upto(m, Nil)  # noqa: F821


def colors(items):
    made = List.Nil()
    for item in items:
        made = List.Cons(item, made)
    return Thing.Colors(made)


COLOR = st.sampled_from([Color.Red(), Color.Black()])
NUMBER = st.sampled_from([0.0, -0.0, 1.5, float("inf")])
TEXT = st.one_of(st.sampled_from(["", "a"]), st.text("b'\"\\\n\x7f\x01é", max_size=3))
LEAF = st.one_of(
    st.just(Thing.Empty()),
    st.builds(Thing.Named, TEXT, st.integers(0, 1), COLOR),
    st.lists(COLOR, max_size=2).map(colors),
)
THING = st.recursive(
    LEAF,
    lambda inner: st.one_of(
        st.builds(Thing.Pair, inner, st.tuples(st.booleans(), st.builds(Point.At, NUMBER, NUMBER)), inner),
        st.lists(inner, max_size=2).map(Thing.Row),
    ),
    max_leaves=4,
)


@settings(max_examples=150)
@given(THING, THING)
def test_data_is_compared_as_python_compares_it(a, b):
    before = live_blocks()
    for left, right in ((a, b), (a, a), (Thing.Row([a, b]), Thing.Row([a, a]))):
        assert same(left, right) is (left == right)
        assert different(left, right) is (left != right)
    assert live_blocks() == before


@settings(max_examples=100)
@given(THING)
def test_data_is_shown_as_python_shows_it(a):
    before = live_blocks()
    assert text(a) == str(a)
    assert line(a, "it's") == "it's: " + str(("it's", a, None))
    assert live_blocks() == before


def test_the_text_of_a_long_list_is_made_in_linear_time():
    assert len(long_text(300_000)) == len("Cons(1, ") * 300_000 + len("Nil") + len(")") * 300_000


def test_arrays_are_equal_if_their_lengths_and_elements_are():
    assert same_arrays([(1, "a"), (2, "b")], [(1, "a"), (2, "b")])
    assert not same_arrays([(1, "a"), (2, "b")], [(1, "a"), (2, "c")])
    assert not same_arrays([(1, "a")], [(1, "a"), (2, "b")])
    assert same_arrays([], [])


def test_a_value_that_contains_no_number_is_not_equal_to_itself():
    nan = Point.At(float("nan"), 0.0)
    assert not has_point(nan, List.Cons(nan, List.Nil()))
    assert has_point(Point.At(1.0, -0.0), List.Cons(nan, List.Cons(Point.At(1.0, 0.0), List.Nil())))


def test_long_lists_are_compared_by_a_loop():
    assert same_lists(1_000_000, 1_000_000)
    assert not same_lists(1_000_000, 999_999)


def test_comparing_counts_nothing_and_allocates_nothing():
    made = program("""
        @fun
        def grown(n: i64) -> Tree:
            return Leaf if n == 0 else Node(Red, grown(n - 1), n, Leaf)

        @fun
        def f(n: i64) -> bool:
            a, b = grown(n), grown(n)
            return a == b and not a != b and b == a
    """)
    stats = heap.Stats()
    result, _ = heap_outcome(compile_program(with_main(made.program, "f", 5)), stats=stats)
    assert result == ("True",)
    assert (stats.allocated, stats.dups) == (10, 0)


def test_nothing_and_constants_are_compared_too():
    made = program("""
        @fun
        def f(t: Tree, n: i64) -> bool:
            return t == Leaf and (None, n) == (None, 3)

        @fun
        def g(n: i64, nested: bool) -> bool:
            return f(Node(Black, Leaf, n, Leaf) if nested else Leaf, n)
    """)
    assert run(made, "g", 3, False) is True
    assert run(made, "g", 4, False) is False
    assert run(made, "g", 3, True) is False


HOLDERS = """
    @data
    class Task:
        Idle: ()
        Run: (i64, Callable[[i64], i64])

    @data
    class Shared(Generic[T]):
        Of: (T, ref[T])

"""


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (
            "def f(a: Task, b: Task) -> bool:\n        return a == b",
            "== compares numbers, strings, bools, and data and arrays made of these, not Task\n"
            "    return a == b\n"
            "           ^^^^^^\n"
            "  field 1 of Run is Callable[[i64], i64]\n  functions, cells and threads have neither an equality nor a text",
        ),
        (
            "def f(a: List[Shared[i64]]) -> bool:\n        return Nil != a",
            "!= compares numbers, strings, bools, and data and arrays made of these, not List[Shared[i64]]\n"
            "    return Nil != a\n"
            "           ^^^^^^^^\n"
            "  field 1 of Of is ref[i64]\n",
        ),
        (
            "def f(a: ref[i64], b: ref[i64]) -> bool:\n        return a == b",
            "== compares numbers, strings, bools, and data and arrays made of these, not ref[i64]\n"
            "    return a == b\n"
            "           ^^^^^^\n"
            "  this is ref[i64]\n",
        ),
        (
            'def f(a: tuple[i64, Task]) -> str:\n        return f"so {a}"',
            "numbers, strings, bools, and data and arrays made of these can be printed, not tuple[i64, Task]\n",
        ),
        (
            "def f(a: ref[Tree]) -> None:\n        print(a)",
            "numbers, strings, bools, and data and arrays made of these can be printed, not ref[Tree]\n"
            "    print(a)\n"
            "          ^\n",
        ),
    ],
)
def test_what_holds_a_function_or_a_cell_has_neither_equality_nor_text(text, why):
    with pytest.raises(PerceusError) as error:
        program(HOLDERS + "    @fun\n    " + text + "\n")
    assert error.value.code == "E723"
    assert why in str(error.value)


def test_a_generic_function_that_compares_cannot_be_used_with_functions():
    with pytest.raises(PerceusError) as error:
        program("""
            @fun
            def equal(a: T, b: T) -> bool:
                return a == b

            @fun
            def f(n: i64) -> bool:
                return equal(n, 2) and equal(lambda x: x + n, lambda x: x)
        """)
    assert error.value.code == "E723"
    assert "in equal[Callable[[i64], i64]]" in str(error.value)
    assert "return a == b" in str(error.value)
