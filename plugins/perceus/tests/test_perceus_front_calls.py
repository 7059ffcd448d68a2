"""What may stand in calls: arguments by name, defaults, fields, the built-in functions of numbers, lists as literals."""

from __future__ import annotations

import math
import sys
from textwrap import dedent
from typing import TypeAlias, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program, run

from usl_perceus import PerceusError, fun, live_blocks, no_alloc, record
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program

# ruff: noqa: F821

T = TypeVar("T")
Pair: TypeAlias = "tuple[T, T]"


@record
class Account:
    owner: str
    balance: i64
    limit: i64
    kind: i64
    place: Pair[i64]


@no_alloc
@fun
def paid(a: Account, amount: i64 = 5, place: Pair[i64] = (1, 2)) -> Account:
    return a.set(balance=a.balance + amount, place=place)


@fun
def opened(owner: str, balance: i64) -> Account:
    return paid(paid(Account(owner, place=(0, 0), balance=balance, kind=1, limit=100), place=(7, 8)), 10)


def test_a_record_is_made_by_name_read_by_name_and_updated_in_place():
    before = live_blocks()
    account = opened("me", balance=1)
    assert (account.owner, account.balance, account.place) == ("me", 16, (1, 2))
    match account:
        case Account(balance=balance, kind=kind):
            assert (balance, kind) == (16, 1)
    assert account == Account("me", 16, limit=100, kind=1, place=(1, 2))
    assert paid(account, place=(3, 4)).balance == 21, "a default that Python's call leaves out"
    assert account.balance == 16, "a shared record is copied"
    del account
    assert live_blocks() == before


def test_a_call_from_python_says_which_arguments_are_missing():
    with pytest.raises(PerceusError, match=r"opened needs balance; 1 given"):
        opened("me")
    with pytest.raises(PerceusError, match=r"paid has no parameter much left; 2 given"):
        paid(opened("me", 0), much=3)


def test_fields_that_every_constructor_has_are_read_and_matched_by_name():
    made = program("""
        @data
        class Shape:
            Circle: {name: i64, radius: i64}
            Box: {width: i64, name: i64, height: i64}

        @fun
        def name(big: bool, n: i64) -> tuple[i64, i64, i64]:
            s = Box(n, height=n + 1, name=7).set(name=8) if big else Circle(radius=n, name=9)
            return s.name, area(s), area(s.set(name=0))

        @fun
        def area(s: Shape) -> i64:
            match s:
                case Circle(radius=r):
                    return 3 * r * r
                case Box(w, height=h):
                    return w * h
    """)
    assert run(made, "name", True, 2) == (8, 6, 6)
    assert run(made, "name", False, 2) == (9, 12, 12)


def test_arguments_are_evaluated_in_the_order_of_the_source():
    made = program("""
        @fun
        def told(n: i64, r: ref[i64]) -> i64:
            r.value = r.value * 10 + n
            return n

        @fun
        def minus(a: i64, b: i64, c: i64 = 100) -> i64:
            return a - b - c

        @fun
        def f(n: i64) -> tuple[i64, i64]:
            r = ref(0)
            d = minus(c=told(1, r), b=told(2, r), a=told(n, r))
            return d, r.value

        @fun
        def g(n: i64) -> i64:
            return minus(b=n, a=0)
    """)
    assert run(made, "f", 9) == (6, 129)
    assert run(made, "g", 1) == -101


def test_a_list_literal_is_a_list_where_one_is_expected_and_an_array_elsewhere():
    made = program("""
        @fun
        def sum(xs: List[i64]) -> i64:
            s = 0
            for x in xs:
                s = s * 10 + x
            return s

        @fun
        def f(n: i64) -> tuple[i64, i64, List[List[i64]]]:
            a = [n, 5]
            return sum([n, 2, 3]), len(a), [[], [n]]
    """)
    assert run(made, "f", 1) == (123, 2, [[], [1]])


@given(st.integers(-20, 20), st.integers(0, 70), st.integers(-(1 << 63), (1 << 63) - 1))
def test_powers_and_extremes_of_integers_are_those_of_python_modulo_the_width(base, exponent, other):
    made = numbers()
    wrapped = ((base**exponent + (1 << 63)) % (1 << 64)) - (1 << 63)
    assert run(made, "ints", base, exponent, other) == (wrapped, base**3, min(base, exponent, other), max(base, exponent))
    assert run(made, "power", base, -1) == ("raise", ("ValueError",))
    if other > -(1 << 63):
        assert run(made, "magnitude", other) == abs(other)


@given(st.floats(allow_nan=False), st.floats(allow_nan=False))
def test_functions_of_floats_never_raise(x, y):
    results = run(numbers(), "floats", x, y)
    expected = (
        math.sqrt(x) if x >= 0 else math.nan,
        math.log(x) if x > 0 else -math.inf if x == 0 else math.nan,
        math.atan2(x, y),
        float(round(x)) if math.isfinite(x) else x,
        min(x, y),
    )
    assert repr([r + 0.0 for r in results]) == repr([e + 0.0 for e in expected])


def numbers():
    if "made" not in _made:
        _made["made"] = program("""
            @fun
            def ints(x: i64, n: i64, y: i64) -> tuple[i64, i64, i64, i64]:
                return x ** n, x ** 3, min(x, n, y), max(x, n)

            @fun
            def power(x: i64, n: i64) -> i64:
                return pow(x, n)

            @fun
            def magnitude(x: i64) -> i64:
                return abs(x)

            @fun
            def floats(x: f64, y: f64) -> tuple[f64, f64, f64, f64, f64]:
                return sqrt(x), log(x), atan2(x, y), round(x), min(x, y)
        """)
    return _made["made"]


_made: dict[str, object] = {}


@fun
def compiled(x: f64, y: f64, z: f32, n: i64) -> tuple[f64, f64, f64, f64, f32, f32, i64]:
    return x**y, exp(x) + sin(y) - log2(abs(x)), ceil(x) + trunc(y), hypot(x, y), exp(z) ** 2, round(z), n ** (n % 7)


@pytest.mark.parametrize(
    "arguments", [(1.5, -2.5, 0.25, 9), (-0.0, -3.0, 2.5, -5), (-8.0, 0.5, -3.5, 3), (1e300, 3.0, 100.0, 6)]
)
def test_compiled_functions_of_numbers_give_what_the_reference_gives(arguments):
    made = lower([compiled.__usl_definition__]).program
    assert repr(compiled(*arguments)) == repr(run_raw(made, arguments))


def run_raw(made, arguments):
    from perceus_semantics import standard

    return tuple(standard.plain(standard.run(made, "compiled", arguments))[1:])


WRONG = {
    "unknown": ("return f(z=1)", "E713", "f has no parameter z"),
    "twice": ("return f(1, x=1)", "E713", "x is given twice"),
    "missing": ("return f(y=1)", "E713", "f needs x"),
    "many": ("return f(1, 2, 3)", "E713", "f takes 1 to 2 arguments, 3 given"),
    "builtin": ("return len(x=1)", "E713", "len takes its arguments by position, not x="),
    "field": ("return Point(1, 2).z", "E711", "a value of type Point has no attribute z"),
    "update": ("return Point(1, 2).set(z=2).x", "E711", "a value of type Point has no attribute z"),
    "positional": ("return Point(1, 2).set(2).x", "E713", "set says which fields it changes"),
    "pattern": ("match Point(1, 2):\n        case Point(z=a):\n            return a", "E713", "Point has no field z"),
    "alias": ("a: Round = 3\n    return a", "E718", "the type Round stands for itself"),
    "exponent": ('return len("a" ** 2)', "E712", "expected str, found a number"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_said_of_a_wrong_call(name):
    body, code, message = WRONG[name]
    text = """
        Round: TypeAlias = "Round"

        @record
        class Point:
            x: i64
            y: i64

        @fun
        def f(x: i64, y: i64 = 3) -> i64:
            return x + y

        @fun
        def g() -> i64:
    """
    with pytest.raises(PerceusError) as caught:
        lower([parse_program(dedent(text) + "    " + body + "\n")["g"]])
    assert (caught.value.code, caught.value.message) == (code, message)


def test_a_python_function_is_no_builtin_of_the_same_name():
    def sqrt(x: float) -> float:
        return -x

    definitions = parse_program("@fun\ndef f(x: f64) -> f64:\n    return sqrt(x)\n", scope={"sqrt": sqrt})
    with pytest.raises(PerceusError, match="sqrt is a Python function, not part of the program"):
        lower([definitions["f"]])


def test_the_parts_of_an_imported_name_for_a_type_are_those_of_its_module(tmp_path, monkeypatch):
    (tmp_path / "forests.py").write_text(
        dedent("""
            from __future__ import annotations
            from typing import Generic, TypeAlias, TypeVar
            from usl_perceus import data

            T = TypeVar("T")

            @data
            class Tree(Generic[T]):
                Leaf: ()
                Node: ("Tree[T]", T, "Tree[T]")

            Forest: TypeAlias = "array[Tree[T]]"
            Woods: TypeAlias = "Forest[i64]"
        """)
    )
    (tmp_path / "walks.py").write_text(
        dedent("""
            from __future__ import annotations
            import forests
            from forests import Forest as Trees, Woods
            from usl_perceus import fun

            Tree = 3

            @fun
            def both(few: Trees[str], woods: Woods, others: forests.Forest[bool]) -> i64:
                return len(few) + len(woods) + len(others)
        """)
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    from walks import both

    leaf = sys.modules["forests"].Tree.Leaf()
    assert both([leaf], [leaf, leaf], []) == 3
