"""What programs mean: lowered and run by the standard interpreter, against Python."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import printed, program, run

I64 = st.integers(-(1 << 63), (1 << 63) - 1)


def wrapped(value: int, bits: int = 64, signed: bool = True) -> int:
    value %= 1 << bits
    return value - (1 << bits) if signed and value >> (bits - 1) else value


def test_a_match_takes_the_first_case_that_matches():
    made = program("""
        @fun
        def f(t: Tree, n: i64) -> i64:
            match t:
                case Leaf():
                    return 0
                case Node(Red(), _, k, _) if k > n:
                    return 1
                case Node(c, Node(_, _, k, _), _, _) | Node(c, _, k, Leaf()):
                    return k + 10
                case _:
                    return -1

        @fun
        def g(n: i64, k: i64, nested: bool) -> i64:
            inner = Node(Black, Leaf, k, Leaf) if nested else Leaf
            return f(Node(Red, inner, k + 1, inner), n)
    """)
    assert run(made, "g", 0, 5, True) == 1
    assert run(made, "g", 10, 5, True) == 15
    assert run(made, "g", 10, 5, False) == 16


def test_generic_functions_are_copied_for_each_type_they_are_used_with():
    made = program("""
        @fun
        def map(xs: List[T], f: Callable[[T], U]) -> List[U]:
            match xs:
                case Nil():
                    return Nil
                case Cons(x, rest):
                    return Cons(f(x), map(rest, f))

        @fun
        def main(n: i64) -> List[str]:
            numbers = Cons(n, Cons(2, Nil))
            return map(map(numbers, lambda x: x % 2 == 0), lambda even: "even" if even else "odd")
    """)
    assert run(made, "main", 3) == ["odd", "even"]
    assert {name for name in made.program.funs if name.startswith("map")} == {"map[i64, bool]", "map[bool, str]"}
    assert set(made.program.exports) == {"main"}


def test_functions_call_each_other_whatever_their_order():
    made = program("""
        @fun
        def even(n: i64) -> bool:
            return True if n == 0 else odd(n - 1)

        @fun
        def odd(n: i64) -> bool:
            return False if n == 0 else even(n - 1)
    """)
    assert [run(made, "even", n) for n in range(4)] == [True, False, True, False]


def test_nested_functions_and_lambdas_see_the_variables_around_them():
    made = program("""
        @fun
        def twice(f: Callable[[i64], i64]) -> Callable[[i64], i64]:
            return lambda x: f(f(x))

        @fun
        def main(n: i64) -> i64:
            step = n * 10

            def climb(height: i64, left: i64) -> i64:
                if left == 0:
                    return height
                return descend(height + step, left - 1)

            def descend(height: i64, left: i64) -> i64:
                def by_one(x: i64) -> i64:
                    return x - 1 + step - step

                return climb(by_one(height), left)

            up = lambda x: climb(x, 1)
            add = twice(twice(up))
            rest = climb
            return add(n) + rest(1, 2)
    """)

    def climb(height: int, left: int, step: int) -> int:
        return height if left == 0 else climb(height + step - 1, left - 1, step)

    assert run(made, "main", 4) == climb(4, 4, 40) + climb(1, 2, 40)


def test_variables_assigned_in_branches_are_there_behind_them():
    made = program("""
        @fun
        def f(n: i64) -> i64:
            x = 1
            if n > 10:
                x = 2
                y = n
            elif n > 5:
                y = 0
            else:
                return -n
            if n == 12:
                x += 100
            match n:
                case 20:
                    z = 5
                case other if other % 2 == 0:
                    return other
                case other:
                    z = other
            return x * 1000 + y * 10 + z
    """)

    def reference(n: int) -> int:
        x = 1
        if n > 10:
            x, y = 2, n
        elif n > 5:
            y = 0
        else:
            return -n
        if n == 12:
            x += 100
        if n == 20:
            z = 5
        elif n % 2 == 0:
            return n
        else:
            z = n
        return x * 1000 + y * 10 + z

    assert [run(made, "f", n) for n in range(25)] == [reference(n) for n in range(25)]


@given(I64, I64)
def test_integers_wrap_around_and_division_rounds_down(a, b):
    for op, reference in (("+", lambda: a + b), ("-", lambda: a - b), ("*", lambda: a * b), ("^", lambda: a ^ b)):
        assert run(_arithmetic(), f"op{ord(op)}", a, b) == wrapped(reference())
    for name, reference in (("div", lambda: a // b), ("mod", lambda: a % b)):
        expected = wrapped(reference()) if b else ("raise", ("ZeroDivisionError",))
        assert run(_arithmetic(), name, a, b) == expected
    assert run(_arithmetic(), "narrow", a) == (wrapped(a, 8), wrapped(a, 16, signed=False))


_ARITHMETIC: list = []


def _arithmetic():
    if not _ARITHMETIC:
        ops = "".join(f"@fun\ndef op{ord(op)}(a: i64, b: i64) -> i64:\n    return a {op} b\n" for op in "+-*^")
        rest = (
            "@fun\ndef div(a: i64, b: i64) -> i64:\n    return a // b\n"
            "@fun\ndef mod(a: i64, b: i64) -> i64:\n    return a % b\n"
            "@fun\ndef narrow(a: i64) -> tuple[i8, u16]:\n    return i8(a), u16(a)\n"
        )
        _ARITHMETIC.append(program(ops + rest))
    return _ARITHMETIC[0]


def test_operators_and_conversions_of_all_kinds():
    made = program("""
        SCALE = 3

        @fun
        def floats(x: f64) -> tuple[f64, i64, bool]:
            return (x * SCALE - 1) / 2, i64(x), 0 <= x < 10

        @fun
        def bits(a: u8, b: u8) -> tuple[u8, u8, u8]:
            return a << 1 | b, ~a & b, (a ^ b) >> 2

        @fun
        def strings(a: str, n: i64) -> str:
            if a < "m" and a != "b":
                return f"{a}: {n} {n > 2} {f64(n)}"
            return a + str(len(a))

        @fun
        def both(a: bool, b: bool) -> i64:
            return i64(a or not b) * 10 + i64(a and b)
    """)
    assert run(made, "floats", 2.5) == ((2.5 * 3 - 1) / 2, 2, True)
    assert run(made, "bits", 200, 7) == (wrapped(400 | 7, 8, signed=False), ~200 & 7, (200 ^ 7) >> 2)
    assert [run(made, "strings", text, 3) for text in ("a", "b", "z")] == ["a: 3 True 3.0", "b1", "z1"]
    assert [run(made, "both", a, b) for a in (False, True) for b in (False, True)] == [10, 0, 10, 11]


def test_comparisons_in_a_chain_evaluate_their_middle_once():
    made = program("""
        @fun
        def loud(x: i64) -> i64:
            print("saw", x)
            return x

        @fun
        def f(x: i64) -> bool:
            return 0 < loud(x) < 10
    """)
    assert printed(made, "f", 5) == "saw 5\n"
    assert [run(made, "f", x) for x in (0, 5, 10)] == [False, True, False]


def test_exceptions_carry_values_to_the_innermost_handler_that_names_them():
    made = program("""
        @exception
        class Negative:
            pass

        @fun
        def find(xs: List[i64], key: i64) -> i64:
            if key < 0:
                raise Negative
            match xs:
                case Nil():
                    raise NotFound(key)
                case Cons(x, rest):
                    return 0 if x == key else 1 + find(rest, key)

        @fun
        def f(key: i64) -> i64:
            xs = Cons(3, Cons(4, Nil))
            try:
                found = find(xs, key)
                if found > 0:
                    found = 100 // (4 - key)
            except NotFound(k):
                found = k * 2
            except ZeroDivisionError:
                found = -1
            return found
    """)
    assert [run(made, "f", key) for key in (3, 4, 8)] == [0, -1, 16]
    assert run(made, "f", -1) == ("raise", ("Negative",))
    throwing = {name for name, fun in made.program.funs.items() if fun.throws}
    assert throwing == {"find", "f"}


def test_only_what_may_raise_is_marked_and_closures_by_their_type():
    made = program("""
        @fun
        def apply(f: Callable[[i64], i64], x: i64) -> i64:
            return f(x)

        @fun
        def test(f: Callable[[i64], bool], x: i64) -> bool:
            return f(x)

        @fun
        def quiet(x: i64) -> bool:
            return test(lambda y: y > 0, x)

        @fun
        def caught(x: i64) -> i64:
            try:
                return apply(lambda y: 10 // y, x)
            except:
                return 0

        @fun
        def harmless(x: i64) -> i64:
            return x

        @fun
        def loud(x: i64) -> i64:
            return apply(harmless, x)
    """)
    throwing = {name for name, fun in made.program.funs.items() if fun.throws}
    assert throwing == {"apply", "loud"}
    assert [run(made, "caught", x) for x in (0, 5)] == [0, 2]
    assert run(made, "loud", 7) == 7


def test_arrays_are_values_and_their_indices_are_checked():
    made = program("""
        @fun
        def f(n: i64, i: i64) -> tuple[i64, i64, array[i64]]:
            a = array(n, 7)
            b = a.set(i, 9)
            return a[i], b[i], b

        @fun
        def literal(i: i64) -> i64:
            return [10, 20, 30][i] + len([1, 2])
    """)
    assert run(made, "f", 3, 1) == (7, 9, [7, 9, 7])
    for n, i in ((3, 3), (3, -1), (-1, 0)):
        assert run(made, "f", n, i) == ("raise", ("IndexError",))
    assert [run(made, "literal", i) for i in range(3)] == [12, 22, 32]


def test_references_are_changed_in_place_and_threads_give_results_or_exceptions():
    made = program("""
        @fun
        def counted(n: i64) -> i64:
            cell = ref(n)
            bump = lambda by: add(cell, by)
            bump(5)
            cell.value = cell.value * 2
            return cell.value

        @fun
        def add(cell: ref[i64], by: i64) -> None:
            cell.value = cell.value + by

        @fun
        def inverse(n: i64) -> i64:
            return 100 // n

        @fun
        def parallel(n: i64) -> i64:
            t = spawn(inverse, n)
            u = spawn(lambda: n + 1)
            return join(t) + join(u)
    """)
    assert run(made, "counted", 3) == 16
    assert run(made, "parallel", 5) == 26
    assert run(made, "parallel", 0) == ("raise", ("ZeroDivisionError",))


def test_a_thread_that_never_raises_has_a_plain_result():
    made = program("""
        @fun
        def f(n: i64) -> i64:
            t = spawn(lambda x: x + 1, n)
            return join(t)
    """)
    assert not made.program.funs["f"].throws
    assert not any(name.startswith("outcome") for name in made.program.datas)
    assert run(made, "f", 1) == 2


def test_tuples_are_matched_and_taken_apart():
    made = program("""
        @fun
        def f(a: tuple[i64, bool], c: Color) -> i64:
            x, flag = a
            match a, c:
                case (0, _), Red():
                    return 0
                case (n, True), _ if n > 5:
                    return n
                case whole, Black():
                    _, other = whole
                    return 100 + x + i64(other)
                case _:
                    return -1

        @fun
        def g(n: i64, flag: bool, red: bool) -> i64:
            return f((n, flag), Red if red else Black)
    """)

    def reference(n: int, flag: bool, red: bool) -> int:
        if n == 0 and red:
            return 0
        if flag and n > 5:
            return n
        return -1 if red else 100 + n + flag

    for n in (0, 3, 6):
        for flag in (False, True):
            for red in (False, True):
                assert run(made, "g", n, flag, red) == reference(n, flag, red)


def test_a_case_that_names_the_matched_tuple_gets_it():
    made = program("""
        @fun
        def f(n: i64, m: i64) -> tuple[i64, i64]:
            match n, m:
                case (0, x) | (x, 0):
                    return x, x
                case (_, _) as both:
                    return both
    """)
    assert [run(made, "f", *pair) for pair in ((0, 3), (4, 0), (5, 6))] == [(3, 3), (4, 4), (5, 6)]


def test_literals_and_strings_in_patterns():
    made = program("""
        @fun
        def f(s: str, n: u8) -> i64:
            match s, n:
                case "one", 1:
                    return 1
                case "one" | "two", _:
                    return 2
                case text, -0 | 255:
                    return len(text)
                case _:
                    return 0
    """)
    cases = [("one", 1), ("one", 2), ("two", 1), ("four", 255), ("four", 0), ("x", 9)]
    assert [run(made, "f", *case) for case in cases] == [1, 2, 2, 4, 4, 0]


def test_large_cases_reached_on_several_paths_are_joined_and_not_copied():
    body = " + ".join(["x"] * 30)
    made = program(f"""
        @fun
        def f(a: Color, b: Color, x: i64) -> i64:
            match a, b:
                case Red(), Red():
                    return 0
                case _:
                    return {body}
    """)
    from usl_perceus import ir
    from usl_perceus.traverse import walk

    nodes = list(walk(made.program.funs["f"].body))
    assert sum(isinstance(node, ir.LetJoin) for node in nodes) == 1
    assert sum(isinstance(node, ir.Prim) for node in nodes) == 29


def test_layouts_follow_the_shape_of_the_type():
    made = program("""
        @data
        class Point:
            Point: (f64, f64)

        @data
        class Chain:
            Link: (i64, "Chain2")

        @data
        class Chain2:
            End: ()
            More: Chain

        @data
        class Wide:
            Wide: (Point, Point, i64)

        @fun
        def f(p: Point, c: Chain, w: Wide, t: Tree, k: Color) -> i64:
            return 0
    """)
    layouts = {name: decl.layout.value for name, decl in made.program.datas.items()}
    expected = {"Point": "value", "Chain": "boxed", "Chain2": "boxed", "Wide": "boxed", "Tree": "boxed", "Color": "enum"}
    assert {name: layouts[name] for name in expected} == expected


def test_constructors_and_functions_are_values():
    made = program("""
        @data
        class Box(Generic[T]):
            Full: T

        @fun
        def apply(f: Callable[[T], U], x: T) -> U:
            return f(x)

        @fun
        def unboxed(b: Box[T]) -> T:
            match b:
                case Full(x):
                    return x

        @fun
        def main(n: i64) -> i64:
            make = Full if n > 0 else (lambda x: Full(x + 1))
            return unboxed(apply(make, n)) + apply(unboxed, Full(n))
    """)
    assert [run(made, "main", n) for n in (3, -3)] == [6, -5]


@pytest.mark.parametrize("name", ["T", "A"])
def test_type_variables_belong_to_the_function_that_mentions_them(name):
    made = program(f"""
        A = TypeVar("A")

        @fun
        def first(a: {name}, b: U) -> {name}:
            def same(x: {name}) -> {name}:
                return x

            return same(a)

        @fun
        def main() -> i64:
            return first(1, "x") + first(2, 3.5)
    """)
    assert run(made, "main") == 3


def test_what_follows_a_try_is_not_part_of_it():
    made = program("""
        @fun
        def quotient(a: i64, b: i64) -> i64:
            return a // b

        @fun
        def f(a: i64, b: i64, c: i64) -> i64:
            try:
                x = quotient(a, b)
                y = x + 1
            except ZeroDivisionError:
                if a > 5:
                    return -1
                x, y = 0, 0
            return quotient(x * 10 + y, c)

        @fun
        def g(a: i64, b: i64) -> i64:
            try:
                return quotient(a, b)
            except ZeroDivisionError:
                z = a
            return z * 100

        @fun
        def h(a: i64, b: i64, c: i64) -> i64:
            try:
                return f(a, b, c)
            except:
                return -2
    """)
    zero = ("raise", ("ZeroDivisionError",))
    assert [run(made, "f", *args) for args in ((6, 3, 1), (3, 0, 1), (6, 0, 1), (6, 3, 0))] == [23, 0, -1, zero]
    assert [run(made, "g", *args) for args in ((6, 3), (6, 0))] == [2, 600]
    assert run(made, "h", 6, 3, 0) == -2


def test_the_type_variables_of_python_3_12_are_understood():
    if sys.version_info < (3, 12):
        pytest.skip("the syntax is that of Python 3.12")
    made = program("""
        @data
        class Box[A]:
            Full: A

        @fun
        def content[A](b: Box[A]) -> A:
            match b:
                case Full(x):
                    return x

        @fun
        def main(n: i64) -> i64:
            return content(Full(n))
    """)
    assert run(made, "main", 3) == 3


def test_functions_of_a_thousand_statements_are_no_problem():
    body = "".join(f"    x{i + 1} = x{i} + {i}\n" for i in range(1000))
    made = program(f"@fun\ndef f(x0: i64) -> i64:\n{body}    return x1000\n")
    assert run(made, "f", 1) == 1 + sum(range(1000))


def test_the_body_of_a_try_may_return_on_some_paths():
    made = program("""
        @fun
        def quotient(a: i64, b: i64) -> i64:
            return a // b

        @fun
        def f(a: i64, b: i64, c: i64) -> tuple[i64, str]:
            try:
                x = quotient(a, b)
                if x > 2:
                    return x, "early"
                try:
                    if x == 2:
                        return quotient(1, c), "inner"
                    y = quotient(x, c)
                except NotFound(_):
                    return 0, "never"
                z = y
            except ZeroDivisionError:
                x, z = -1, -1
            return quotient(x + z, c), "end"
    """)

    def reference(a: int, b: int, c: int) -> object:
        try:
            x = a // b
            if x > 2:
                return x, "early"
            if x == 2:
                return 1 // c, "inner"
            z = x // c
        except ZeroDivisionError:
            x = z = -1
        return (x + z) // c, "end"

    for a, b, c in ((6, 2, 1), (4, 2, 1), (4, 2, 3), (1, 1, 1), (5, 0, 2)):
        assert run(made, "f", a, b, c) == reference(a, b, c)
    for args in ((4, 2, 0), (1, 1, 0), (1, 0, 0)):
        assert run(made, "f", *args) == ("raise", ("ZeroDivisionError",))
