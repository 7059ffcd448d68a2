"""Mistakes in what is borrowed and owned. `test_perceus_front_errors.py` looks at the messages."""

from __future__ import annotations

from perceus_mistakes import Mistake

MISTAKES = (
    Mistake(
        "foreign_owner",
        """
            @foreign("count")
            def count(xs: List[i64]) -> i64: ...

            @fun
            def g(a: List[i64]) -> i64:
                return count(a)
        """,
        "E718",
        """
            2:11: parameter xs of a foreign function must say who owns it
                def count(xs: List[i64]) -> i64: ...
                          ^^^^^^^^^^^^^
              hint: borrowed[List[i64]], or owned[...] if the C function releases it
        """,
    ),
    Mistake(
        "borrowed_returned",
        """
            @fun
            def f(t: Tree, k: borrowed[Tree]) -> Tree:
                match t:
                    case Leaf():
                        return k
                    case _:
                        return t
        """,
        "E719",
        """
            5:20: k is borrowed: it cannot be returned
                return k
                       ^
              line 2 borrows it
              hint: leave out borrowed[...], and the function owns the parameter
        """,
    ),
    Mistake(
        "borrowed_stored",
        """
            @fun
            def f(t: borrowed[Tree]) -> Tree:
                match t:
                    case Node(c, l, _, _) as whole:
                        return Node(c, l, 1, whole)
                    case _:
                        return Leaf
        """,
        "E719",
        """
            5:34: whole is borrowed: it cannot be stored in Node
                return Node(c, l, 1, whole)
                                     ^^^^^
              line 2 borrows it
              hint: leave out borrowed[...], and the function owns the parameter
        """,
    ),
    Mistake(
        "borrowed_owned_argument",
        """
            @fun
            def g(t: Tree) -> i64:
                return 1

            @fun
            def f(t: borrowed[Tree]) -> i64:
                same = t
                return g(same)
        """,
        "E719",
        """
            8:14: same is borrowed: it cannot be passed to g, which owns this argument
                return g(same)
                         ^^^^
              line 6 borrows it
              hint: leave out borrowed[...], and the function owns the parameter
        """,
    ),
    Mistake(
        "borrowed_captured",
        """
            @fun
            def g(t: borrowed[Tree]) -> i64:
                return 1

            @fun
            def f(t: borrowed[Tree]) -> Callable[[], i64]:
                return lambda: g(t)
        """,
        "E719",
        """
            7:22: t is borrowed: it cannot be captured by a function
                return lambda: g(t)
                                 ^
              line 6 borrows it
              hint: leave out borrowed[...], and the function owns the parameter
        """,
    ),
)
