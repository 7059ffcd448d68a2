"""Mistakes in types and in what operations take. `test_perceus_front_errors.py` looks at the messages."""

from __future__ import annotations

from perceus_mistakes import Mistake

MISTAKES = (
    Mistake(
        "mismatch",
        """
            @fun
            def f(c: Color) -> i64:
                return c
        """,
        "E712",
        """
            3:12: expected i64, found Color
                return c
                       ^
        """,
    ),
    Mistake(
        "mismatch_str",
        """
            @fun
            def f(x: i64) -> i64:
                return x + "a"
        """,
        "E712",
        """
            3:16: expected i64, found str
                return x + "a"
                           ^^^
        """,
    ),
    Mistake(
        "cond",
        """
            @fun
            def f(x: i64) -> i64:
                if x:
                    return 1
                return 2
        """,
        "E712",
        """
            3:8: expected bool, found i64
                if x:
                   ^
        """,
    ),
    Mistake(
        "operator",
        """
            @fun
            def f(x: Tree) -> Tree:
                return x + x
        """,
        "E723",
        """
            3:12: + works on numbers and strings, not Tree
                return x + x
                       ^^^^^
        """,
    ),
    Mistake(
        "literal",
        """
            @fun
            def f(x: u8) -> u8:
                return x + 256
        """,
        "E724",
        """
            3:16: 256 is no u8, which goes from 0 to 255
                return x + 256
                           ^^^
        """,
    ),
    Mistake(
        "eq",
        """
            @fun
            def f(x: ref[i64]) -> bool:
                return x == x
        """,
        "E723",
        """
            3:12: == compares numbers, strings, bools, and data and arrays made of these, not ref[i64]
                return x == x
                       ^^^^^^
              this is ref[i64]
              functions, cells and threads have neither an equality nor a text
        """,
    ),
    Mistake(
        "div",
        """
            @fun
            def f(x: i64) -> i64:
                return x / 2
        """,
        "E723",
        """
            3:12: / works on floats, not i64; // divides integers
                return x / 2
                       ^^^^^
        """,
    ),
    Mistake(
        "call_nonfun",
        """
            @fun
            def f(x: i64) -> i64:
                return x(1)
        """,
        "E712",
        """
            3:12: a value of type i64 cannot be called
                return x(1)
                       ^
        """,
    ),
    Mistake(
        "as_exc",
        """
            @fun
            def f(x: i64) -> i64:
                try:
                    return x // 0
                except ZeroDivisionError as e:
                    return e
        """,
        "E712",
        """
            6:16: expected i64, found exception
                return e
                       ^
        """,
    ),
    Mistake(
        "infinite",
        """
            @data
            class Nest(Generic[T]):
                Zero: T
                Succ: "Nest[tuple[T, T]]"

            @fun
            def f(x: Nest[T]) -> i64:
                match x:
                    case Zero(a):
                        return len([a, a])
                    case Succ(n):
                        return f(n) + 1

            @fun
            def g(n: i64) -> i64:
                return f(Zero(n))
        """,
        "E727",
        """
            7:1: array of a type variable of a function or type that uses itself at ever larger types
                def f(x: Nest[T]) -> i64:
                ^^^^^^^^^^^^^^^^^^^^^^^^^
              there would be no end of copies for each type, so that such variables are kept in a form that arrays, cells and
              threads do not have
              hint: use a list
        """,
    ),
    Mistake(
        "index_type",
        """
            @fun
            def f(a: array[i64], i: i32) -> i64:
                return a[i]
        """,
        "E712",
        """
            3:14: expected i64, found i32
                return a[i]
                         ^
        """,
    ),
    Mistake(
        "lambda_arity",
        """
            @fun
            def g(f: Callable[[i64], i64]) -> i64:
                return f(1)

            @fun
            def h() -> i64:
                return g(lambda x, y: x)
        """,
        "E712",
        """
            7:14: expected Callable[[i64], i64], found Callable[[?, ?], ?]
                return g(lambda x, y: x)
                         ^^^^^^^^^^^^^^
        """,
    ),
    Mistake(
        "generic_misuse",
        """
            @fun
            def g(a: T) -> i64:
                return a
        """,
        "E712",
        """
            3:12: expected i64, found T
                return a
                       ^
        """,
    ),
    Mistake(
        "let_refutable",
        """
            @fun
            def g(a: tuple[i64, i64]) -> i64:
                x, y, z = a
                return x
        """,
        "E712",
        """
            3:5: expected tuple[i64, i64], found tuple[?, ?, ?]
                x, y, z = a
                ^^^^^^^
        """,
    ),
    Mistake(
        "exception_value",
        """
            @fun
            def f(x: i64) -> i64:
                y = NotFound(x)
                return x
        """,
        "E712",
        """
            3:9: NotFound is an exception; it stands behind raise or except
                y = NotFound(x)
                    ^^^^^^^^
        """,
    ),
    Mistake(
        "wrong_return_in_try",
        """
            @fun
            def f(x: i64) -> i64:
                try:
                    if x > 0:
                        return "none"
                    y = 2
                except ZeroDivisionError:
                    y = 3
                return y
        """,
        "E712",
        """
            5:20: expected i64, found str
                return "none"
                       ^^^^^^
        """,
    ),
)
