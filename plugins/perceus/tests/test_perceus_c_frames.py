"""Small frames: fields that are loaded after calls, and what follows the last recursive call as a function of its own."""

from __future__ import annotations

import re
import subprocess
from textwrap import dedent

import pytest
from perceus_native import build, outcomes
from perceus_semantics import standard
from test_perceus_c_random import require_flag

from usl_perceus.c import generate
from usl_perceus.front.lower import lower
from usl_perceus.front.module import parse_program
from usl_perceus.ir import Program
from usl_perceus.passes import OPTIONAL, compile_program
from usl_perceus.std import hashmaps

EXPRESSIONS = dedent("""
    @data
    class Exp:
        Num: i64
        Named: (str, "Exp", tuple[bool, str])
        Sum: ("Exp", f64, "Exp", str)
        Neg: (i64, "Exp")

    @exception
    class Bad:
        what: str

    @fun
    def folded(e: Exp) -> Exp:
        match e:
            case Sum(a, weight, b, note):
                match folded(a), folded(b):
                    case Num(13), _:
                        raise Bad(note)
                    case Num(x), Num(y):
                        return Num(x + y)
                    case left, Neg(k, right) if k > 1:
                        return Sum(right, weight * 2.0, left, note + "!")
                    case left, right:
                        return Sum(left, weight, right, note)
            case Neg(k, inner):
                match folded(inner):
                    case Num(x):
                        return Num(k - x)
                    case other:
                        return Neg(k + 1, other)
            case Named(name, inner, pair):
                match folded(inner):
                    case Named(_, deeper, _):
                        return Named(name, deeper, pair)
                    case other:
                        return Named(name + "'", other, pair)
            case Num(_):
                return e

    @fun
    def many(a: Exp, x: f64, s: str, t: str, u: str, n: i64) -> Exp:
        match a:
            case Sum(l, y, r, v):
                left = many(l, x, s, t, u, n)
                match many(r, y, t, u, v, n + 1):
                    case Num(k):
                        return Sum(left, x + y, Num(k + n), s + t + u + v)
                    case right:
                        return Sum(right, x - y, left, s)
            case _:
                return a

    @fun
    def grown(n: i64, least: i64) -> Exp:
        if n <= least:
            return Num(n)
        if n % 4 == 0:
            return Neg(n % 3, grown(n - 1, least))
        if n % 4 == 1:
            return Named(f"n{n}", grown(n - 2, least), (n % 2 == 0, "p"))
        return Sum(grown(n - 1, least), f64(n), grown(n // 2, least), f"s{n}")

    @fun
    def again(n: i64, least: i64) -> Exp:
        e = grown(n, least)
        return Sum(folded(e), 1.0, many(e, 0.5, "a", "b", "c", n), "both")
""")


def expressions() -> Program:
    sizes = [(3, 0), (6, 0), (8, 1), (9, 0), (11, 1), (12, 0), (14, 13), (15, 13), (17, 13)]
    calls = [f"again({n}, {least})" for n, least in sizes]
    entries = "\n".join(f"@fun\ndef entry{i}() -> Exp:\n    return {call}\n" for i, call in enumerate(calls))
    definitions = parse_program(EXPRESSIONS + entries, "<program>")
    return lower([definitions[f"entry{i}"] for i in range(len(calls))]).program


@pytest.mark.parametrize(
    "flags",
    [("-O2",), ("-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"), ("-O0", "-DUSL_DEBUG")],
    ids=["O2", "asan-ubsan", "debug"],
)
def test_recursive_functions_with_matches_behind_their_calls(flags, tmp_path):
    require_flag(tmp_path, *flags)
    made = expressions()
    expected = [standard.plain(standard.run(made, name)) for name in made.exports]
    assert any(isinstance(value, tuple) and value[0] == "raise" for value in expected)
    compiled = compile_program(made)
    assert "usl_folded_rest" in generate(compiled, "prog").files["prog.c"]
    for program in (compiled, compile_program(made, off=OPTIONAL)):
        assert [value for value, _ in outcomes([program], tmp_path, flags)] == expected


DEPTH = """\
#include "prog.h"
#include <stdio.h>

int main(void)
{
    usl_context *ctx = usl_context_acquire();
    printf("%d", (int)run(ctx));
    return 0;
}
"""


def test_a_level_of_constant_folding_takes_little_stack(tmp_path):
    """Where compilers say how much: a function that saved registers for all its branches would need twice as much."""
    text = dedent("""
        @data
        class Exp:
            Num: i64
            Plus: ("Exp", "Exp")

        @fun
        def deep(n: i64) -> Exp:
            return Num(0) if n == 0 else Plus(Num(n), Plus(Num(n), deep(n - 1)))

        @fun
        def folded(e: Exp) -> Exp:
            match e:
                case Plus(a, b):
                    match folded(a), folded(b):
                        case Num(m), Num(n):
                            return Num(m + n)
                        case Num(m), Plus(Num(n), f):
                            return Plus(Num(m + n), f)
                        case f, g:
                            return Plus(f, g)
                case _:
                    return e

        @fun
        def run() -> i64:
            match folded(deep(100)):
                case Num(n):
                    return n
                case _:
                    return -1
    """)
    made = compile_program(lower([parse_program(text, "<program>")["run"]]).program)
    require_flag(tmp_path, "-fstack-usage")
    program = build(made, tmp_path, ("-O2", "-fstack-usage"), DEPTH)
    assert subprocess.run([str(program)], capture_output=True, text=True, check=True).stdout == "10100"
    usage = "\n".join(path.read_text() for path in tmp_path.glob("*.su"))
    frames = [int(size) for size in re.findall(r":folded\t(\d+)\t", usage)]
    assert frames == [] or max(frames) <= 6 * 8


def test_a_variable_that_only_a_text_mentions_is_no_warning(tmp_path):
    text = dedent("""
        @data
        class Box:
            Box: {x: tuple[bool, bool], y: Box}
            End: ()

        @fun
        def made(n: i64) -> Box:
            return made(n - 1) if n > 5 else Box((n > 1, n > 2), made(n - 1)) if n > 0 else End

        @fun
        def main() -> i64:
            match made(3):
                case Box(x, rest):
                    a, b = x
                    return [1, 2].modify(4, lambda x: x + 1)[0]
                case End():
                    return 0
    """)
    made = lower([parse_program(text, "<program>")["main"]]).program
    (got,) = outcomes([compile_program(made)], tmp_path, ("-O0", "-Wall", "-Wextra", "-Werror"))
    assert got[0] == standard.plain(standard.run(made, "main"))


@pytest.mark.parametrize("off", [(), ("inline",), ("reuse-token-specialization", "inline", "trmc")])
def test_results_that_nothing_uses_and_functions_that_nothing_calls_are_no_warnings(off, tmp_path):
    text = dedent("""
        @fun
        def chosen(x: i64, n: i64) -> i64:
            return n if n % 2 == 0 else x

        @fun
        def main() -> i64:
            m = hashmaps.empty()
            for i in range(3):
                m = m.set(i, i)
            if 1 in m:
                m = m.set(1, chosen(m[1], 4))
            return m.fold(len(m), lambda sum, k, x: 3 * sum + k + x)
    """)
    made = lower([parse_program(text, "<program>", {"hashmaps": hashmaps})["main"]]).program
    (got,) = outcomes([compile_program(made, off=off)], tmp_path, ("-O0", "-Wall", "-Wextra", "-Werror"))
    assert got[0] == standard.plain(standard.run(made, "main"))
