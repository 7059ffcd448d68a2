"""Programs with random mistakes: each is accepted and well-formed, or gets one message with a place. Nothing else happens."""

from __future__ import annotations

import keyword
import re

from hypothesis import given, settings
from hypothesis import strategies as st

from usl_core.deep import deep
from usl_perceus.errors import PerceusError
from usl_perceus.front.definitions import FunDef
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.verify import verify

PROGRAM = """\
T = TypeVar("T")
U = TypeVar("U")
LIMIT = 10

@data
class Color:
    Red: ()
    Black: ()

@data
class List(Generic[T]):
    Nil: ()
    Cons: (T, "List[T]")

@data
class Tree:
    Leaf: ()
    Node: (Color, "Tree", i32, bool, "Tree")

@exception
class Missing:
    key: i64

@foreign("count_list", header="lists.h")
def count(xs: borrowed[List[i64]], extra: i64) -> i64: ...

@fun
def map(xs: List[T], f: Callable[[T], U]) -> List[U]:
    match xs:
        case Nil():
            return Nil
        case Cons(x, rest):
            return Cons(f(x), map(rest, f))

@fun
def find(t: borrowed[Tree], k: i32) -> bool:
    match t:
        case Leaf():
            raise Missing(i64(k))
        case Node(_, l, x, v, r) if k != x:
            return find(l if k < x else r, k)
        case Node(Red() | Black(), Leaf() as l, _, True, _) as whole:
            return True
        case Node(c, _, _, v, _):
            return v and c == Red

@fun
def sum(a: array[i64], i: i64, n: i64) -> i64:
    return n if i == len(a) else sum(a.set(i, 0), i + 1, n + a[i] * LIMIT)

@fun
def main(n: i64, s: str) -> tuple[i64, List[str]]:
    def inner(x: i64, y: i64) -> i64:
        if x > y:
            return n // x
        z = ref(x)
        z.value = z.value + y
        return other(z.value)

    def other(x: i64) -> i64:
        return inner(x + 1, x)

    total, flag = 0, n == 3
    try:
        total = inner(n, -2) + count(Cons(1, Nil), 2)
    except Missing(k):
        total = k
    except ZeroDivisionError:
        return 0, Nil
    match n % 4, flag:
        case 0, _:
            text = "none"
        case (1 | 2), True:
            text = f"{n}, {flag} and {s}"
        case rest, other_flag:
            if other_flag:
                return rest, Cons(s, Nil)
            text = str(rest) + s
    t = spawn(lambda m: m + total, n)
    print(text, sum([1, 2, n], 0, 0) << 2)
    return join(t), map(Cons(1.5, Cons(2, Nil)), lambda x: f"{sqrt(x)}")
"""

_TOKEN = re.compile(r"[A-Za-z_][A-Za-z_0-9]*|\d+(?:\.\d+)?|\"[^\"\n]*\"|==|!=|<<|//|[^\s\w]")
TOKENS = list(_TOKEN.finditer(PROGRAM))
WORDS = sorted({token.group() for token in TOKENS})
NAMES = [word for word in WORDS if word.isidentifier() and not keyword.iskeyword(word)]
LINES = PROGRAM.splitlines(keepends=True)


@st.composite
def mutants(draw: st.DrawFn) -> str:
    kind = draw(st.sampled_from(["replace", "replace", "replace", "delete", "line", "swap"]))
    if kind == "line":
        number = draw(st.integers(0, len(LINES) - 1))
        return "".join(LINES[:number] + LINES[number + 1 :])
    if kind == "swap":
        first, second = (draw(st.sampled_from(TOKENS)) for _ in range(2))
        if first.start() > second.start():
            first, second = second, first
        if first.end() > second.start():
            return PROGRAM
        between = PROGRAM[first.end() : second.start()]
        return PROGRAM[: first.start()] + second.group() + between + first.group() + PROGRAM[second.end() :]
    token = draw(st.sampled_from(TOKENS))
    # Another name in place of a name is seldom a mistake of syntax.
    word = "" if kind == "delete" else draw(st.sampled_from(NAMES if token.group() in NAMES else WORDS))
    return PROGRAM[: token.start()] + word + PROGRAM[token.end() :]


def check(text: str) -> None:
    try:
        definitions = parse_program(text, "<mutant>")
        lowered = lower([each for each in definitions.values() if isinstance(each, FunDef)])
    except PerceusError as error:
        assert error.span is not None, error
        assert 1 <= error.span.line <= text.count("\n") + 1
        assert "^" in str(error)
        return
    deep(lambda: verify(lowered.program))


def test_the_program_itself_is_well_formed():
    definitions = parse_program(PROGRAM, "<mutant>")
    deep(lambda: verify(lower([definitions["main"], definitions["find"]]).program))


@settings(max_examples=300)
@given(mutants())
def test_a_mistake_gives_a_message_and_nothing_else(text):
    check(text)
