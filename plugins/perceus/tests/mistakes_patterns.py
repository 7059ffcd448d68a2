"""Mistakes in patterns and matches. `test_perceus_front_errors.py` looks at the messages."""

from __future__ import annotations

from perceus_mistakes import Mistake

MISTAKES = (
    Mistake(
        "nonexhaustive",
        """
            @fun
            def f(t: Tree) -> i64:
                match t:
                    case Leaf():
                        return 0
                    case Node(Red(), _, x, _):
                        return x
        """,
        "E714",
        """
            3:5: the match is not exhaustive
                match t:
                ^^^^^^^^
              not matched: Node(Black(), _, _, _)
              hint: add a case for it, or case _:
        """,
    ),
    Mistake(
        "nonexh2",
        """
            @fun
            def f(a: List[bool], n: i64) -> i64:
                match a, n:
                    case Nil(), 0:
                        return 0
                    case Cons(True, _), _:
                        return 1
                    case _, 1:
                        return 2
        """,
        "E714",
        """
            3:5: the match is not exhaustive
                match a, n:
                ^^^^^^^^^^^
              not matched: (Nil(), 2)
              hint: add a case for it, or case _:
        """,
    ),
    Mistake(
        "redundant",
        """
            @fun
            def f(t: Tree) -> i64:
                match t:
                    case Leaf():
                        return 0
                    case Node(_, _, x, _):
                        return x
                    case Node(Red(), _, _, _):
                        return 1
        """,
        "E715",
        """
            8:14: this case is never reached
                case Node(Red(), _, _, _):
                     ^^^^^^^^^^^^^^^^^^^^
              the cases above match all that it matches
        """,
    ),
    Mistake(
        "redundant_alt",
        """
            @fun
            def f(t: Color) -> i64:
                match t:
                    case Red() | Red():
                        return 0
                    case Black():
                        return 1
        """,
        "E715",
        """
            4:22: this alternative is never reached
                case Red() | Red():
                             ^^^^^
              the cases and alternatives before it match all that it matches
        """,
    ),
    Mistake(
        "bare",
        """
            @fun
            def f(c: Color) -> i64:
                match c:
                    case Red:
                        return 0
                    case Black():
                        return 1
        """,
        "E716",
        """
            4:14: a bare name in a pattern binds a variable; the constructor Red is written Red()
                case Red:
                     ^^^
        """,
    ),
    Mistake(
        "bare2",
        """
            @fun
            def f(c: Color) -> i64:
                match c:
                    case Color.Red:
                        return 0
                    case Black():
                        return 1
        """,
        "E716",
        """
            4:14: a bare name in a pattern binds a variable; the constructor Color.Red is written Color.Red()
                case Color.Red:
                     ^^^^^^^^^
        """,
    ),
    Mistake(
        "handler_twice",
        """
            @fun
            def f(x: i64) -> i64:
                try:
                    return 10 // x
                except ZeroDivisionError:
                    return 0
                except ZeroDivisionError:
                    return 1
        """,
        "E715",
        """
            7:12: this handler is never reached
                except ZeroDivisionError:
                       ^^^^^^^^^^^^^^^^^
        """,
    ),
)
