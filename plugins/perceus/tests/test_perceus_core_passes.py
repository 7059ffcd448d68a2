"""The transformations of the core one by one, on small programs."""

from __future__ import annotations

from dataclasses import replace
from textwrap import dedent

import pytest
from hypothesis import given
from hypothesis import strategies as st
from perceus_front import program
from perceus_programs import programs
from perceus_runs import heap_outcome, outcome, with_main

from bench.perceus import programs as bench
from usl_perceus.chains import split_ops
from usl_perceus.fuse import cancel
from usl_perceus.ir import I64, STR, Drop, Dup, Program, Var
from usl_perceus.opt import trmc
from usl_perceus.opt.callgraph import components
from usl_perceus.passes import compile_program, trace
from usl_perceus.show import show_function


def after(name: str, text: str, *off: str) -> Program:
    """The program of text after the pass of that name, those in off left out."""
    return dict(trace(program(text).program, off=off))[name]


def test_a_match_on_a_constructor_in_sight_takes_its_branch():
    text = """
        @fun
        def second(a: i64, b: i64) -> i64:
            match Cons(a, Cons(b, Nil)):
                case Cons(_, Cons(x, _)):
                    return x + 0
                case _:
                    return 0
    """
    assert show_function(after("simplify", text).funs["second"]) == dedent("""\
        fun second(a: i64, b: i64) -> i64 {
          add(b, 0)
        }""")


def test_an_unused_pure_binding_goes_and_one_with_an_effect_stays():
    text = """
        @fun
        def f(a: i64) -> i64:
            unused = Cons(a, Nil)
            print("here")
            return a
    """
    assert show_function(after("simplify", text).funs["f"]) == dedent("""\
        fun f(a: i64) -> i64 {
          val value = print("here\\n")
          a
        }""")


def test_what_follows_a_test_that_raises_moves_into_the_branch_that_does_not():
    text = """
        @fun
        def f(a: i64, b: i64) -> i64:
            return a // b + 1
    """
    assert show_function(after("simplify", text).funs["f"]) == dedent("""\
        fun f(a: i64, b: i64) -> throws i64 {
          val zero = eq(b, 0)
          if zero {
            raise ZeroDivisionError
          } else {
            val value = div(a, b)
            add(value, 1)
          }
        }""")


def test_constants_are_computed_as_the_program_would():
    text = """
        @fun
        def f() -> u8:
            x = u8(200)
            y = x + u8(100)
            if y == u8(44) and i64(y) * 3 < 200:
                return y
            return u8(0)
    """
    assert show_function(after("simplify", text).funs["f"]) == dedent("""\
        fun f() -> u8 {
          44
        }""")


def test_a_lambda_with_captures_becomes_arguments_of_the_copy():
    text = """
        @fun
        def count(xs: List[i64], f: Callable[[i64], bool], n: i64) -> i64:
            match xs:
                case Cons(x, rest):
                    if f(x):
                        return count(rest, f, n + 1)
                    return count(rest, f, n)
                case Nil():
                    return n

        @fun
        def above(xs: List[i64], low: i64) -> i64:
            return count(xs, lambda x: x > low, 0)
    """
    funs = after("inline", text).funs
    assert show_function(funs["above"]) == dedent("""\
        fun above(xs: List[i64], low: i64) -> i64 {
          count#1(xs, 0, low)
        }""")
    assert show_function(funs["count#1"]).count("count#1(rest, ") == 2
    assert ".(" not in show_function(funs["count#1"])


WALKS = """
    @fun
    def has(xs: List[i64], x: i64) -> bool:
        match xs:
            case Cons(y, rest):
                if x == y:
                    return True
                return has(rest, x)
            case Nil():
                return False

    @fun
    def twice(xs: List[i64]) -> bool:
        return has(xs, 1) and has(xs, 2)

    @fun
    def once(xs: List[i64]) -> bool:
        return has(xs, 1)
"""


def borrowed(found: Program, name: str) -> list[bool]:
    return [param.borrowed for param in found.funs[name].params]


def exporting(text: str, *exports: str) -> Program:
    return replace(program(text).program, exports=exports)


def test_a_walk_over_data_that_is_used_again_borrows_it():
    steps = dict(trace(exporting(WALKS, "twice")))
    assert borrowed(steps["borrow"], "has") == [True, False]


def test_a_walk_over_data_that_nobody_needs_later_frees_it_on_the_way():
    steps = dict(trace(exporting(WALKS, "once")))
    assert borrowed(steps["borrow"], "has") == [False, False]


def test_an_exported_function_owns_its_parameters():
    steps = dict(trace(exporting(WALKS, "twice", "has")))
    assert borrowed(steps["borrow"], "has") == [False, False]


def test_a_function_that_borrows_gets_a_wrapper_for_its_use_as_a_closure():
    text = """
    @fun
    def kept() -> List[Callable[[List[i64], i64], bool]]:
        return Cons(has, Nil)
    """
    steps = dict(trace(exporting(WALKS + text, "twice", "kept")))
    assert borrowed(steps["wrappers"], "has@borrowed") == [True, False]
    assert show_function(steps["tail-calls"].funs["has"]) == dedent("""\
        fun has(xs: List[i64], x: i64) -> bool {
          val r = has@borrowed(xs, x)
          drop xs
          r
        }""")


def test_functions_that_call_each_other_in_tail_position_are_one_loop():
    text = """
        @fun
        def even(n: i64) -> bool:
            if n == 0:
                return True
            return odd(n - 1)

        @fun
        def odd(n: i64) -> bool:
            if n == 0:
                return False
            return even(n - 1)

        @fun
        def start(n: i64) -> bool:
            return even(n)
    """
    funs = after("tail-calls", text, "inline").funs
    assert funs["even"].loop is not None
    assert funs["even"].loop == funs["odd"].loop
    assert funs["start"].loop is None


def test_a_function_whose_closure_turns_out_not_to_raise_does_not_raise():
    text = """
        @fun
        def apply(f: Callable[[i64], i64], x: i64) -> i64:
            return f(x)

        @fun
        def bad(x: i64) -> i64:
            raise NotFound(x)

        @fun
        def good(x: i64) -> i64:
            return apply(lambda y: y + 1, x)

        @fun
        def other(x: i64) -> i64:
            return apply(bad, x)
    """
    before, found = after("core", text).funs, after("throws", text).funs
    assert before["good"].throws
    assert not found["good"].throws
    assert found["other"].throws


def test_dups_move_to_the_branch_that_needs_them():
    text = """
        @fun
        def middle(t: Tree) -> Tree:
            match t:
                case Node(_, Node(Red(), l, k, r), _, _):
                    return Node(Black, l, k, r)
                case _:
                    return t
    """
    early, late = (show_function(after(name, text, "reuse").funs["middle"]) for name in ("perceus", "fusion"))
    assert early.index("dup _'1") < early.index("match _'1") < early.index("drop _'1")
    assert "_'1" in late
    assert "dup _'1" not in late  # it cancels in both branches
    assert late.index("match _'1") < late.index("dup l")


def test_a_dup_and_a_later_drop_of_the_same_variable_cancel():
    x, y = Var("x", STR), Var("y", STR)
    left = cancel((Dup(x), Dup(y), Drop(y), Dup(x), Drop(x)))
    assert [(type(op), op.var) for op in left if isinstance(op, Dup | Drop)] == [(Dup, x)]


@given(programs(full=True))
def test_large_functions_are_not_kept_twice_and_mean_the_same(program):
    expected = outcome(program)
    if expected is None:
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(trmc, "LARGE", 0)
        assert heap_outcome(compile_program(program)) == expected


def test_a_large_function_makes_a_slot_for_its_result(monkeypatch):
    monkeypatch.setattr(trmc, "LARGE", 0)
    source = with_main(bench.list_map.core().program, "list_map", 20, 2)
    compiled = compile_program(source)
    assert any("= hole in" in show_function(fun) for fun in compiled.funs.values())
    assert heap_outcome(compiled) == outcome(source)


GRAPHS = st.dictionaries(st.sampled_from("abcdef"), st.sets(st.sampled_from("abcdef")), min_size=6, max_size=6)


@given(GRAPHS)
def test_components_are_the_classes_of_mutual_reachability_callees_first(graph):
    reach = {node: {node} for node in graph}
    for _ in graph:
        for node in graph:
            reach[node] |= {far for near in graph[node] for far in reach[near]}
    found = components(graph)
    assert sorted(node for group in found for node in group) == sorted(graph)
    for at, group in enumerate(found):
        assert all(set(group) == {other for other in graph if other in reach[node] and node in reach[other]} for node in group)
        later = {node for other in found[at + 1 :] for node in other}
        assert not any(reach[node] & later for node in group)


def test_the_operations_at_the_start_of_an_expression_are_split_off():
    text = """
        @fun
        def f(xs: List[i64]) -> i64:
            return 1
    """
    ops, rest = split_ops(compile_program(program(text).program).funs["f"].body)
    assert len(ops) == 1
    assert rest.atom.type == I64
