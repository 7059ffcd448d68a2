"""Functions and data types that use themselves at ever larger types: finger trees, nested data types."""

from __future__ import annotations

import gc
from typing import Generic, TypeVar

import pytest
from perceus_front import program, run
from perceus_native import outcomes
from perceus_runs import heap_outcome, outcome, with_main
from programs_fingers import FINGERS

from usl_perceus import PerceusError, data, fun, live_blocks
from usl_perceus.passes import OPTIONAL, compile_program

# ruff: noqa: F821

T = TypeVar("T")
N = 40
CALLS = ["numbers", "concatenated", "hashed", "texts"]
_made: dict[str, object] = {}


def fingers():
    if not _made:
        _made["program"] = program(FINGERS)
    return _made["program"]


def test_a_finger_tree_keeps_its_elements_in_order():
    assert run(fingers(), "numbers", N).split() == list(map(str, range(N)))
    assert run(fingers(), "concatenated", N).split() == list(map(str, range(2 * N)))
    folded = 7
    for x in range(N):
        folded = 31 * folded + x
    assert run(fingers(), "hashed", N) == (folded + (1 << 63)) % (1 << 64) - (1 << 63)
    expected = [f"number {i} {float(i)}" for i in reversed(range(N))] + ["end 0.5"] * N
    assert run(fingers(), "texts", N) == "".join(f"{each} " for each in expected)


def test_there_is_one_copy_of_each_function_that_uses_itself_so():
    names = fingers().program.funs
    assert {name for name in names if name.startswith(("push[", "front[", "joined["))} == {
        "push[any]",
        "front[any]",
        "joined[any]",
    }


@pytest.mark.parametrize("call", CALLS)
def test_counts_are_exact(call):
    made = compile_program(with_main(fingers().program, call, 12))
    assert heap_outcome(made) == outcome(with_main(fingers().program, call, 12))


@pytest.mark.parametrize(
    ("flags", "off"),
    [(("-O0", "-DUSL_DEBUG"), ()), (("-O1", "-fsanitize=address,undefined"), tuple(sorted(OPTIONAL)))],
    ids=["debug", "asan-ubsan"],
)
def test_c_gives_what_the_interpreter_does(flags, off, tmp_path):
    programs = [with_main(fingers().program, call, 30) for call in CALLS]
    expected = [outcome(each, fuel=1_000_000) for each in programs]
    compiled = [compile_program(each, off=off) for each in programs]
    found = outcomes(compiled, tmp_path, (*flags, "-Wall", "-Wextra", "-Werror", "-Wno-unused-function"))
    assert [value for value, _ in found] == [value for value, _ in expected]


# -- from Python


@data
class Nested(Generic[T]):
    Nil: ()
    Cons: (T, Nested[tuple[T, T]])


@fun
def repeated(depth: i64, x: T) -> Nested[T]:
    return Nil if depth == 0 else Cons(x, repeated(depth - 1, (x, x)))


@fun
def size(xs: Nested[T]) -> i64:
    match xs:
        case Nil():
            return 0
        case Cons(_, rest):
            return 1 + 2 * size(rest)


@fun
def numbers(n: i64) -> Nested[i64]:
    return repeated(n, n)


@fun
def words(n: i64) -> tuple[i64, Nested[str]]:
    return (n, repeated(n, "a"))


@fun
def first(xs: Nested[i64]) -> i64:
    match xs:
        case Nil():
            return 0
        case Cons(x, Cons((y, z), rest)):
            return 100 * x + 10 * y + z + 1000 * size(rest)
        case Cons(x, _):
            return x


def test_python_keeps_such_values_and_gives_them_back_but_cannot_look_into_them():
    before = live_blocks()
    three = numbers(3)
    assert first(three) == 100 * 3 + 10 * 3 + 3 + 1000
    assert first(three) == first(numbers(3))
    assert first(numbers(0)) == 0
    assert repr(three) == "<Nested[i64] in the heap>"
    with pytest.raises(PerceusError, match=r"only a program knows what is in a Nested\[i64\]"):
        _ = three._0
    with pytest.raises(PerceusError, match="expected"):
        first(Nested.Cons(1, Nested.Nil()))
    del three
    gc.collect()
    assert live_blocks() == before


def test_values_of_other_elements_are_told_apart():
    count, text = words(2)
    assert count == 2
    with pytest.raises(PerceusError, match=r"expected a value of type Nested\[i64\]"):
        first(text)


def refused(body: str) -> str:
    with pytest.raises(PerceusError) as error:
        program(body)
    return str(error.value)


NESTED = """
    @data
    class Nest(Generic[T]):
        End: ()
        Two: (T, "Nest[tuple[T, T]]")
"""


def test_such_values_are_neither_compared_nor_shown_nor_in_arrays_of_variables():
    message = refused(
        NESTED
        + """
    @fun
    def f(n: Nest[i64]) -> str:
        return str(n)
    """
    )
    assert "can be printed, not Nest[i64]" in message
    assert "this is Nest[i64], which contains itself at ever larger types" in message
    assert "hint: write it as a function that takes one for the elements (equal: Callable[[T, T], bool])" in message
    message = refused(
        NESTED
        + """
    @fun
    def f(n: Nest[T]) -> i64:
        match n:
            case End():
                return 0
            case Two(x, rest):
                return len([x, x]) + f(rest)

    @fun
    def g(n: i64) -> i64:
        return f(Two(n, End))
    """
    )
    assert "array of a type variable of a function or type that uses itself at ever larger types" in message


def test_a_generic_function_that_grows_says_what_to_do_where_it_compares():
    message = refused("""
    @fun
    def f(n: i64, x: T, y: T) -> bool:
        return x == y if n == 0 else f(n - 1, (x, x), (y, y))

    @fun
    def g(n: i64) -> bool:
        return f(n, 1, 2)
    """)
    assert "not any" in message
    assert "hint: write it as a function that takes one for the elements" in message


def test_such_values_are_compared_by_a_function_that_is_given_one_for_the_elements():
    made = program(
        NESTED
        + """
    @fun
    def same(a: Nest[T], b: Nest[T], equal: Callable[[T, T], bool]) -> bool:
        def both(p: tuple[T, T], q: tuple[T, T]) -> bool:
            (left, right), (other, last) = p, q
            return equal(left, other) and equal(right, last)

        match a, b:
            case End(), End():
                return True
            case Two(x, xs), Two(y, ys):
                return equal(x, y) and same(xs, ys, both)
            case _:
                return False

    @fun
    def full(depth: i64, x: T) -> Nest[T]:
        return End if depth == 0 else Two(x, full(depth - 1, (x, x)))

    @fun
    def main(n: i64, m: i64, x: i64) -> bool:
        return same(full(n, 1), full(m, x), lambda a, b: a == b) and same(full(n, "a"), full(m, "a"), lambda a, b: a == b)
    """
    )
    for args, equal in (((4, 4, 1), True), ((4, 3, 1), False), ((4, 4, 2), False), ((0, 0, 2), True)):
        assert run(made, "main", *args) is equal


def test_such_values_leave_a_program_on_their_own_only():
    message = refused(
        NESTED
        + """
    @fun
    def f(n: i64) -> array[Nest[i64]]:
        return [Two(n, End)]
    """
    )
    assert "array[Nest[i64]] has parts whose form only the program knows" in message


def test_lists_of_such_values_work_inside_a_program():
    made = program(
        NESTED
        + """
    @fun
    def depth(n: Nest[T]) -> i64:
        match n:
            case End():
                return 0
            case Two(_, rest):
                return 1 + depth(rest)

    @fun
    def f(n: i64) -> i64:
        total = 0
        all: List[Nest[i64]] = [End, Two(n, End), Two(n, Two((n, n), End))]
        for each in all:
            total += depth(each)
        return total + len([all, all])
    """
    )
    assert run(made, "f", 3) == 5
