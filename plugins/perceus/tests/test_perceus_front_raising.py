"""What raises, what handles it, and what is known of that beforehand."""

from __future__ import annotations

from perceus_front import program, run


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
