"""Loops: what they mean, what they keep in memory, what is said of wrong ones. Random ones: `test_perceus_front_random.py`."""

from __future__ import annotations

from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program, run
from perceus_semantics import heap

from usl_perceus import fun
from usl_perceus.errors import PerceusError
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.ir import FunDef
from usl_perceus.passes import compile_program

SEARCH = """
    @fun
    def first(a: array[i64], b: array[i64], sum: i64) -> tuple[i64, i64]:
        for x in a:
            for y in b:
                if x + y == sum:
                    return x, y
                if y < 0:
                    break
            else:
                continue
            if x == 0:
                break
        else:
            return -1, -1
        return -2, -2

    @fun
    def search(sum: i64) -> tuple[i64, i64]:
        return first([4, 2, 0, 9], [1, sum, -1, 7], sum)
"""


def test_loops_are_left_by_return_break_and_their_end():
    def expected(sum_: int) -> tuple[int, int]:
        for x in (4, 2, 0, 9):
            for y in (1, sum_, -1, 7):
                if x + y == sum_:
                    return x, y
                if y < 0:
                    break
            else:
                continue
            if x == 0:
                break
        else:
            return -1, -1
        return -2, -2

    made = program(SEARCH)
    for sum_ in (5, 3, 100, 10):
        assert run(made, "search", sum_) == expected(sum_)


@given(*[st.integers(-128, 127)] * 3)
def test_range_counts_as_in_python_and_never_beyond_the_type(first, limit, step):
    text = """
        @fun
        def count(a: i8, b: i8, s: i8) -> tuple[i64, i64]:
            rounds = 0
            sum = 0
            for i in range(a, b, s):
                rounds += 1
                sum += i64(i)
            return rounds, sum
    """
    made = counting.setdefault("count", program(text))
    expected = range(first, limit, step) if step else None
    result = run(made, "count", first, limit, step)
    assert result == (("raise", ("ValueError",)) if expected is None else (len(expected), sum(expected)))


counting: dict[str, object] = {}


def test_lists_are_freed_as_a_loop_goes_through_them():
    text = """
        @data
        class List:
            Nil: ()
            Cons: (i64, "List")

        @fun
        def upto(n: i64) -> List:
            xs = Nil
            for i in range(n, 0, -1):
                xs = Cons(i, xs)
            return xs

        @fun
        def main() -> i64:
            s = 0
            for x in upto(50):
                s = s * 3 % 1000 + x
            return s
    """
    stats = heap.Stats()
    made = lower([parse_program(dedent(text))["main"]]).program
    expected = 0
    for x in range(1, 51):
        expected = expected * 3 % 1000 + x
    assert heap.run(compile_program(made), "main", stats=stats) == expected
    assert stats.dups == 0


@fun
def sieve(a: array[bool]) -> array[bool]:  # noqa: F821
    for i in range(2, len(a)):
        if a[i]:
            for j in range(2 * i, len(a), i):
                a = a.set(j, False)
    return a


def test_arrays_are_set_in_place_in_a_loop():
    assert "memory is allocated" not in sieve.explain()
    assert "copied" not in sieve.explain()
    c = sieve.show("c")
    assert "usl_dup" not in c[c.index("/* sieve.loop") :]


def test_a_variable_that_is_assigned_before_each_break_may_be_used_behind_an_endless_loop():
    made = program("""
        @fun
        def root(n: i64) -> i64:
            x = n
            while True:
                next = (x + n // x) // 2
                if next >= x:
                    found = x
                    break
                x = next
            return found
    """)
    assert run(made, "root", 1_000_000) == 1000


def test_functions_made_in_a_loop_keep_the_values_of_their_round():
    made = program("""
        @fun
        def f(n: i64) -> i64:
            sum = 0
            add = lambda x: x
            for i in range(n):
                before = add
                add = lambda x: before(x) + i
            for i in range(3):
                sum += add(i)
            return sum
    """)
    assert run(made, "f", 5) == 10 + 11 + 12


def test_a_loop_may_stand_in_a_try_and_a_try_in_a_loop():
    made = program("""
        @fun
        def f(n: i64) -> i64:
            found = 0
            for i in range(n):
                sum = 0
                try:
                    for j in range(3):
                        sum += 12 // (i - j)
                    more = sum + 100
                except ZeroDivisionError():
                    more = 1000
                    if i == 2:
                        continue
                found += more
            return found

        @fun
        def g(n: i64) -> i64:
            try:
                for i in range(n, -3, -1):
                    if 12 // i == 4:
                        return i
            except ZeroDivisionError():
                return -1
            return -2
    """)

    def expected(n: int) -> int:
        return sum(100 + sum(12 // (i - j) for j in range(3)) if i > 2 else 1000 for i in range(n) if i != 2)

    assert run(made, "f", 5) == expected(5)
    assert [run(made, "g", n) for n in (9, 2, -1)] == [3, -1, -2]


WRONG = {
    "break in try": (
        """
        @fun
        def f(n: i64) -> i64:
            while n > 0:
                try:
                    n = 12 // n
                    break
                except ZeroDivisionError():
                    n = 0
            return n
        """,
        "E710",
        "7:13: the body of a try cannot be left by break",
    ),
    "break outside": (
        """
        @fun
        def f(n: i64) -> i64:
            if n > 0:
                continue
            return n
        """,
        "E710",
        "5:9: continue stands outside of a loop",
    ),
    "perhaps": (
        """
        @fun
        def f(n: i64) -> i64:
            for i in range(n):
                last = i
            return last
        """,
        "E722",
        "6:12: last may not be assigned here",
    ),
    "no list": (
        """
        @fun
        def f(n: i64) -> i64:
            for i in n:
                print(i)
            return n
        """,
        "E712",
        "4:14: for goes through arrays, lists, strings and range(...), not a value of type i64",
    ),
    "other type": (
        """
        @fun
        def f(n: i64) -> i64:
            for i in range(10):
                n = 1.5
            return n
        """,
        "E712",
        "4:5: n is a float at the end of a round, and i64 at its beginning",
    ),
    "float range": (
        """
        @fun
        def f(x: f64) -> f64:
            for i in range(x):
                x = i
            return x
        """,
        "E723",
        "4:14: range counts integers, not f64",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_of_a_wrong_loop(name):
    source, code, message = WRONG[name]
    with pytest.raises(PerceusError) as caught:
        lower(list(parse_program(dedent(source)).values()))
    assert caught.value.code == code
    assert f"{caught.value.span.line}:{caught.value.span.column}: {caught.value.message}" == message


def test_a_loop_of_an_array_does_not_recurse():
    made = compile_program(lower([parse_program(dedent(SEARCH))["first"]]).program)
    loops = [each for each in made.funs.values() if isinstance(each, FunDef) and each.loop is not None]
    assert loops
