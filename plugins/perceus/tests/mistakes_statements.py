"""Mistakes in statements, and in what paths assign and return. `test_perceus_front_errors.py` looks at the messages."""

from __future__ import annotations

from perceus_mistakes import Mistake

MISTAKES = (
    Mistake(
        "noreturn",
        """
            @fun
            def f(x: i64) -> i64:
                if x > 0:
                    return 1
        """,
        "E721",
        """
            3:5: a path ends here without returning a value of type i64
                if x > 0:
                ^^^^^^^^^
              hint: every path must end with return or raise
        """,
    ),
    Mistake(
        "maybe",
        """
            @fun
            def f(x: i64) -> i64:
                if x > 0:
                    y = 1
                return y
        """,
        "E722",
        """
            5:12: y may not be assigned here
                return y
                       ^
              line 3 assigns it on some paths only
              hint: assign it before, or on every path
        """,
    ),
    Mistake(
        "with",
        """
            @fun
            def f(x: i64) -> i64:
                with x:
                    print(x)
                return x
        """,
        "E710",
        """
            3:5: with is not in the functional language
                with x:
                ^^^^^^^
        """,
    ),
    Mistake(
        "noannot",
        """
            @fun
            def f(x) -> i64:
                return 1
        """,
        "E710",
        """
            2:7: parameter x needs a type
                def f(x) -> i64:
                      ^
              hint: x: i64
        """,
    ),
    Mistake(
        "subscript_assign",
        """
            @fun
            def f(a: array[i64]) -> array[i64]:
                a[0] = 1
                return a
        """,
        "E710",
        """
            3:5: arrays are values: an element cannot be assigned
                a[0] = 1
                ^^^^
              hint: a = a.set(0, ...) gives the array with one element changed
        """,
    ),
    Mistake(
        "twice",
        """
            @fun
            def f(x: Tree) -> i64:
                match x:
                    case Node(_, l, l, _):
                        return 1
                    case _:
                        return 0
        """,
        "E725",
        """
            4:25: the pattern binds l twice
                case Node(_, l, l, _):
                                ^
        """,
    ),
    Mistake(
        "or_bind",
        """
            @fun
            def f(x: Tree) -> i64:
                match x:
                    case Leaf() | Node(_, _, k, _):
                        return k
                    case _:
                        return 0
        """,
        "E725",
        """
            4:23: only some alternatives bind k
                case Leaf() | Node(_, _, k, _):
                              ^^^^^^^^^^^^^^^^
        """,
    ),
    Mistake(
        "unreach",
        """
            @fun
            def f(x: i64) -> i64:
                return x
                print(x)
        """,
        "E710",
        """
            4:5: this statement is never reached
                print(x)
                ^^^^^^^^
        """,
    ),
    Mistake(
        "raise_from",
        """
            @fun
            def f(n: i64) -> i64:
                raise NotFound(n) from None
        """,
        "E710",
        """
            3:5: this form of raise is not in the functional language
                raise NotFound(n) from None
                ^^^^^^^^^^^^^^^^^^^^^^^^^^^
        """,
    ),
    Mistake(
        "assigned_in_try",
        """
            @fun
            def f(x: i64) -> i64:
                try:
                    y = 1 // x
                except ZeroDivisionError:
                    return y
                return y
        """,
        "E722",
        """
            6:16: y may not be assigned here
                return y
                       ^
              line 3 assigns it on some paths only
              hint: assign it before, or on every path
        """,
    ),
    Mistake(
        "import_inside",
        """
            @fun
            def f(x: i64) -> i64:
                import math
                return x
        """,
        "E710",
        """
            3:5: import is not in the functional language
                import math
                ^^^^^^^^^^^
        """,
    ),
)
