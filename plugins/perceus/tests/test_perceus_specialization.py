"""Copies of functions for known closures: bounded; and calls in tail position, which need no stack."""

from __future__ import annotations

from dataclasses import replace

import pytest
from perceus_front import program
from perceus_native import outcomes

from usl_perceus.c import generate
from usl_perceus.ir import CallClosure, Program
from usl_perceus.opt.simplify import size
from usl_perceus.passes import compile_program, trace
from usl_perceus.traverse import walk

CONTINUATIONS = """
    @data
    class Bush:
        Tip: ()
        Fork: ("Bush", i64, "Bush")

    @fun
    def mapped(t: Bush, f: Callable[[i64], i64], k: Callable[[Bush], Bush]) -> Bush:
        match t:
            case Tip():
                return k(Tip)
            case Fork(l, x, r):
                return mapped(l, f, lambda a: mapped(r, f, lambda b: k(Fork(a, f(x), b))))

    @fun
    def total(t: Bush, k: Callable[[i64], i64]) -> i64:
        match t:
            case Tip():
                return k(0)
            case Fork(l, x, r):
                return total(l, lambda a: total(r, lambda b: k(a + x + b)))

    @fun
    def left(n: i64, t: Bush) -> Bush:
        return t if n == 0 else left(n - 1, Fork(t, n, Tip))

    @fun
    def right(n: i64, t: Bush) -> Bush:
        return t if n == 0 else right(n - 1, Fork(Tip, n, t))

    @fun
    def main() -> i64:
        both = Fork(left(DEPTH, Tip), 1, right(DEPTH, Tip))
        return total(mapped(both, lambda x: x + 1, lambda t: t), lambda s: s)
    """


def only_main(text: str) -> Program:
    """The program of `main` alone."""
    return replace(program(text).program, exports=("main",))


def lines(made: Program, *off: str) -> int:
    return generate(compile_program(made, off=off), "prog").files["prog.c"].count("\n")


def specialized(made: Program) -> Program:
    """The program after specialisation, before anything is inlined or left out."""
    return next(done for name, done in trace(made) if name == "function-specialization")


def expressions(made: Program) -> int:
    return sum(size(fun.body) for fun in made.funs.values())


def test_a_function_in_continuation_passing_style_becomes_small_c():
    made = only_main(CONTINUATIONS.replace("DEPTH", "5"))
    assert lines(made) < 500
    assert lines(made) <= 3 * lines(made, "function-specialization")


@pytest.mark.parametrize("flags", [("-O0",), ("-O1",), ("-O2",)], ids=" ".join)
def test_tail_calls_of_closures_need_no_stack_at_any_level_of_optimization(flags, tmp_path):
    made = only_main(CONTINUATIONS.replace("DEPTH", "600_000"))
    total = sum(range(2, 600_002))
    assert outcomes([compile_program(made)], tmp_path, flags) == [(2 * total + 2, [b""])]


def test_functions_that_call_each_other_in_tail_position_need_no_stack_without_optimization(tmp_path):
    made = only_main("""
        @fun
        def even(n: i64, f: Callable[[i64], bool]) -> bool:
            return f(n) if n < 2 else odd(n - 1, f)

        @fun
        def odd(n: i64, f: Callable[[i64], bool]) -> bool:
            return not f(n) if n < 2 else third(n - 1, f)

        @fun
        def third(n: i64, f: Callable[[i64], bool]) -> bool:
            return even(n, f)

        @fun
        def main() -> bool:
            return even(2_000_000, lambda n: n == 0)
        """)
    assert outcomes([compile_program(made)], tmp_path, ("-O0",)) == [(("True",), [b""])]


CHAIN = "".join(
    f"""
    WISH
    @fun
    def f{level}(n: i64, f: Callable[[i64], i64]) -> i64:
        if n > 100:
            return f(n) * f(n + 1) + f(n * 2) - f(n * 3)
        return f{level + 1}(n, lambda x: f(x) + {level}) + f{level + 1}(n + 1, lambda x: f(x) * 2)
    """
    for level in range(6)
)
CHAIN += """
    WISH
    @fun
    def f6(n: i64, f: Callable[[i64], i64]) -> i64:
        return f(n)

    @fun
    def main() -> i64:
        return f0(1, lambda x: x + 1)
    """


def test_copies_make_a_program_at_most_three_times_as_large_unless_it_asks_for_more():
    modest, asked = (only_main(CHAIN.replace("WISH", wish)) for wish in ("", "@specialize"))
    assert expressions(specialized(modest)) <= 3 * expressions(modest) + 8 * len(modest.funs)
    assert expressions(specialized(asked)) > 5 * expressions(asked)


def test_a_closure_that_recursion_passes_on_is_still_called_by_name():
    made = only_main("""
        @fun
        def walked(t: Tree, f: Callable[[i64], i64]) -> Tree:
            match t:
                case Leaf():
                    return Leaf
                case Node(c, l, x, r):
                    return Node(c, walked(l, f), f(x), walked(r, f))

        @fun
        def main(t: Tree, n: i64) -> Tree:
            return walked(walked(t, lambda x: x + n), lambda x: x * n)
        """)
    compiled = compile_program(made)
    assert not any(isinstance(expr, CallClosure) for fun in compiled.funs.values() for expr in walk(fun.body))


def test_closures_are_found_in_functions_that_a_recursion_calls():
    made = only_main("""
        @fun
        def each(xs: List[Tree], f: Callable[[Tree], i64]) -> i64:
            match xs:
                case Cons(x, rest):
                    return f(x) + each(rest, f)
                case Nil():
                    return 0

        @fun
        def count(t: Tree) -> i64:
            match t:
                case Leaf():
                    return 0
                case Node(_, l, x, r):
                    return x + each(Cons(l, Cons(r, Nil)), lambda inner: count(inner))

        @fun
        def main(t: Tree) -> i64:
            return count(t)
        """)
    compiled = compile_program(made)
    called = {name for name, fun in compiled.funs.items() for expr in walk(fun.body) if isinstance(expr, CallClosure)}
    assert called <= {"each"}
