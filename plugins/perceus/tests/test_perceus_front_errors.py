"""One located message for each mistake: code, place, source line, caret, what to do.

Lines count from the start of each program here; the prelude (`perceus_front.py`) stands before it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from textwrap import dedent

import pytest
from perceus_front import FIRST, program

from usl_perceus.errors import PerceusError


@dataclass(frozen=True, slots=True)
class Mistake:
    name: str
    source: str
    code: str
    message: str


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
        "empty_array",
        """
            @fun
            def f(n: i64) -> array[i64]:
                return []
        """,
        "E710",
        """
            3:12: an array literal has elements
                return []
                       ^^
              hint: array(0, x) has none
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


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda mistake: mistake.name)
def test_a_mistake_gives_one_located_message(mistake: Mistake):
    with pytest.raises(PerceusError) as caught:
        program(dedent(mistake.source).removeprefix("\n"))
    error = caught.value
    assert error.span is not None
    shown = str(error).replace(f"<program>:{error.span.line}:", f"{error.span.line - FIRST + 1}:", 1)
    shown = re.sub(r"(?m)^  line (\d+) ", lambda found: f"  line {int(found[1]) - FIRST + 1} ", shown)
    assert (error.code, shown) == (mistake.code, dedent(mistake.message).strip("\n"))


def test_every_code_of_the_front_end_is_among_the_mistakes():
    assert {mistake.code for mistake in MISTAKES} >= {f"E7{number}" for number in (*range(10, 17), 18, 19, *range(21, 26), 27)}
