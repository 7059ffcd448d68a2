"""What programs mean: lowered and run by the standard interpreter, against Python."""

from __future__ import annotations

import sys

import pytest
from perceus_front import program, run


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
