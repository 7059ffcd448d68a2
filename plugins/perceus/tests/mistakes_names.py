"""Mistakes in names, arguments and declarations. `test_perceus_front_errors.py` looks at the messages."""

from __future__ import annotations

from perceus_mistakes import Mistake

MISTAKES = (
    Mistake(
        "unbound",
        """
            @fun
            def f(count: i64) -> i64:
                return coumt + 1
        """,
        "E711",
        """
            3:12: unknown name coumt; did you mean count?
                return coumt + 1
                       ^^^^^
        """,
    ),
    Mistake(
        "of_python",
        """
            @fun
            def f(a: array[i64]) -> i64:
                return sum(a)
        """,
        "E711",
        """
            3:12: unknown name sum
                return sum(a)
                       ^^^
              hint: for x in a: total += x
        """,
    ),
    Mistake(
        "unbound_con",
        """
            @fun
            def f(c: Color) -> i64:
                match c:
                    case Rad():
                        return 0
                    case _:
                        return 1
        """,
        "E711",
        """
            4:14: unknown constructor Rad; did you mean Red?
                case Rad():
                     ^^^^^
        """,
    ),
    Mistake(
        "arity",
        """
            @fun
            def f(x: i64) -> Tree:
                return Node(Red, Leaf, x)
        """,
        "E713",
        """
            3:12: Node takes 4 arguments, 3 given
                return Node(Red, Leaf, x)
                       ^^^^^^^^^^^^^^^^^^
        """,
    ),
    Mistake(
        "arity_pat",
        """
            @fun
            def f(x: Tree) -> i64:
                match x:
                    case Node(_, x):
                        return 1
                    case _:
                        return 0
        """,
        "E713",
        """
            4:14: Node has 4 fields, the pattern has 2
                case Node(_, x):
                     ^^^^^^^^^^
        """,
    ),
    Mistake(
        "nullary_call",
        """
            @fun
            def f(x: i64) -> Tree:
                return Leaf()
        """,
        "E713",
        """
            3:12: Leaf has no fields
                return Leaf()
                       ^^^^^^
              hint: in expressions it is written without parentheses: Leaf
        """,
    ),
    Mistake(
        "type_unknown",
        """
            @fun
            def f(x: Treee) -> i64:
                return 1
        """,
        "E711",
        """
            2:7: unknown type Treee; did you mean Tree?
                def f(x: Treee) -> i64:
                      ^^^^^^^^
        """,
    ),
    Mistake(
        "type_args",
        """
            @fun
            def f(x: List) -> i64:
                return 1
        """,
        "E718",
        """
            2:7: List takes 1 type argument, 0 given
                def f(x: List) -> i64:
                      ^^^^^^^
        """,
    ),
    Mistake(
        "raise_bad",
        """
            @fun
            def f(x: i64) -> i64:
                raise NotFoun(x)
        """,
        "E711",
        """
            3:11: unknown exception NotFoun; did you mean NotFound?
                raise NotFoun(x)
                      ^^^^^^^
        """,
    ),
    Mistake(
        "raise_arity",
        """
            @fun
            def f(x: i64) -> i64:
                raise NotFound
        """,
        "E713",
        """
            3:11: NotFound takes 1 argument, 0 given
                raise NotFound
                      ^^^^^^^^
        """,
    ),
    Mistake(
        "method",
        """
            @fun
            def f(a: array[i64]) -> i64:
                return a.push(1)
        """,
        "E711",
        """
            3:12: a value of type array[i64] has no method push
                return a.push(1)
                       ^^^^^^
              hint: its methods are append, modify, pop, set, swap, take, truncate
        """,
    ),
    Mistake(
        "field",
        """
            @fun
            def f(a: Tree) -> i64:
                return a.key
        """,
        "E711",
        """
            3:12: a value of type Tree has no attribute key
                return a.key
                       ^^^^^
              hint: fields are taken out by match
        """,
    ),
    Mistake(
        "unknown_module",
        """
            @fun
            def f(n: i64) -> i64:
                return undefined.thing(n)
        """,
        "E711",
        """
            3:12: unknown name undefined.thing
                return undefined.thing(n)
                       ^^^^^^^^^^^^^^^
        """,
    ),
    Mistake(
        "ambiguous_constructor",
        """
            @data
            class Light:
                Red: ()
                Green: ()

            @fun
            def f(x: i64) -> Color:
                y = Red
                return y
        """,
        "E711",
        """
            8:9: Red is a constructor of several data types
                y = Red
                    ^^^
              hint: write Color.Red
        """,
    ),
)
