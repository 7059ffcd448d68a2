"""Shared blocks are copied where they are matched; matches lose the branches that results never take; one function inserts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from perceus_front import program
from perceus_runs import heap_outcome, outcome, with_main
from perceus_semantics import heap

from bench.perceus import programs as bench
from usl_perceus.ir import Con, DecRef, Do, Expr, IfUnique, Match, NullToken, Program
from usl_perceus.passes import compile_program, trace
from usl_perceus.show import show_function
from usl_perceus.traverse import map_children, walk
from usl_perceus.verify import Malformed, verify


def stats(source: Program, *off: str) -> heap.Stats:
    found = heap.Stats()
    assert heap_outcome(compile_program(source, off=off), stats=found) == outcome(source, fuel=10**6)
    return found


def shown(text: str, name: str, *off: str) -> str:
    return show_function(compile_program(program(text).program, off=off).funs[name])


FILTER = """
    @fun
    def positive(xs: List[i64]) -> List[i64]:
        match xs:
            case Nil():
                return Nil
            case Cons(x, rest):
                if x > 0:
                    return Cons(x, positive(rest))
                return positive(rest)
"""

RECOLOURED = """
    @fun
    def black(t: Tree) -> Tree:
        match t:
            case Node(_, l, k, r):
                return Node(Black, l, k, r)
            case Leaf():
                return Leaf

    @fun
    def pruned(t: Tree) -> Tree:
        match t:
            case Node(c, l, k, _):
                return Node(c, l, k, Leaf)
            case Leaf():
                return Leaf

    @fun
    def keys(t: Tree) -> i64:
        match t:
            case Node(_, l, k, r):
                return keys(l) + k + keys(r)
            case Leaf():
                return 0

    @fun
    def both(times: i64) -> i64:
        t = Node(Red, Node(Red, Leaf, 1, Leaf), 2, Node(Red, Leaf, 4, Leaf))
        if times == 0:
            return keys(black(pruned(t)))
        return keys(black(t)) + 100 * keys(pruned(t)) + 10000 * keys(t)
"""


def test_a_token_that_every_path_uses_is_memory_for_certain():
    assert "val ru = copy t; decref t" in shown(RECOLOURED, "black")
    assert "NULL" not in shown(RECOLOURED, "black")
    assert "val ru = NULL" in shown(RECOLOURED, "black", "copying")


def test_no_block_is_copied_in_vain_where_elements_are_left_out():
    text = show_function(compile_program(program(FILTER).program).funs["positive@hole"])
    assert "copy" not in text


def test_fields_that_are_not_needed_are_dropped_with_a_unique_block_only():
    text = shown(RECOLOURED, "pruned")
    assert "{ drop _; val ru = &t } else { dup l; val ru = copy t; decref t }" in text.replace("_'1", "_")


@pytest.mark.parametrize(("times", "result"), [(0, 3), (1, 7 + 300 + 70000)])
def test_unique_and_shared_trees_give_the_same(times, result):
    called = with_main(program(RECOLOURED).program, "both", times)
    assert outcome(called)[0] == result
    stats(called)
    assert stats(called, "copying").allocated == stats(called).allocated


def test_a_tree_of_which_copies_are_kept_takes_no_more_blocks_than_without_copying():
    source = with_main(bench.rbtree_ck.core().program, "rbtree_ck", 40)
    assert stats(source).allocated == stats(source, "copying").allocated


def test_a_token_that_may_be_null_is_not_said_to_be_certain():
    compiled = compile_program(program(RECOLOURED).program)

    def spoilt(expr: Expr) -> Expr:
        match expr:
            case Do(op=IfUnique(unique=(*_, take), shared=(*dups, _, DecRef() as decref)) as op):
                shared = (*dups, decref, NullToken(take.token))
                return replace(expr, op=replace(op, shared=shared))
            case _:
                return map_children(expr, spoilt)

    black = compiled.funs["black"]
    broken = replace(compiled, funs={**compiled.funs, "black": replace(black, body=spoilt(black.body))})
    with pytest.raises(Malformed, match="may be NULL"):
        verify(broken)


GROWN = """
    @fun
    def put(t: Tree, k: i64) -> Tree:
        match t:
            case Leaf():
                return Node(Red, Leaf, k, Leaf)
            case Node(c, l, x, r):
                if k < x:
                    return Node(c, put(l, k), x, r)
                return Node(c, l, x, put(r, k))

    @fun
    def cut(t: Tree, k: i64) -> Tree:
        match t:
            case Leaf():
                return Leaf
            case Node(c, l, x, r):
                return Node(c, cut(l, k), x, cut(r, k)) if x < k else Leaf

    @fun
    def root(t: Tree, k: i64, grow: bool) -> i64:
        match put(t, k) if grow else put(t, k + 1):
            case Leaf():
                return 0
            case Node(_, _, x, _):
                match cut(t, k):
                    case Leaf():
                        return x
                    case Node(_, _, y, _):
                        return x + y

    @fun
    def run(k: i64) -> i64:
        return root(put(put(Leaf, 3), 5), k, k % 2 == 0)
"""


def matched(found: Program, name: str) -> list[tuple[list[str], list[str]]]:
    """For each match in a function its branches, and the constructors that it never meets."""
    cons: tuple[Con, ...] = found.datas["Tree"].cons
    matches = [expr for expr in walk(found.funs[name].body) if isinstance(expr, Match) and expr.var.type.name == "Tree"]
    return [([branch.con.name for branch in expr.branches], [cons[i].name for i in expr.never]) for expr in matches]


def test_a_match_on_a_result_has_no_branch_for_what_never_comes():
    found = compile_program(program(GROWN).program)
    assert matched(found, "root") == [(["Node"], ["Leaf"]), (["Leaf", "Node"], [])]
    assert matched(compile_program(program(GROWN).program, off=["results"]), "root")[0] == (["Leaf", "Node"], [])
    for k in (2, 3, 9):
        stats(with_main(program(GROWN).program, "run", k))


def test_results_that_a_function_passes_on_from_itself_say_nothing():
    """Its set is the least one: nothing but what the branches that return give."""
    text = """
        @fun
        def found(t: Tree, k: i64) -> Tree:
            match t:
                case Leaf():
                    raise NotFound(k)
                case Node(_, l, x, r):
                    if k < x:
                        return found(l, k)
                    return t if k == x else found(r, k)

        @fun
        def run(k: i64) -> i64:
            try:
                match found(Node(Red, Node(Black, Leaf, 1, Leaf), 2, Leaf), k):
                    case Node(Black(), _, x, _):
                        return x
                    case Node(Red(), _, x, _):
                        return 10 * x
                    case Leaf():
                        return -1
            except NotFound(key):
                return 100 * key
    """
    source = program(text).program
    assert matched(compile_program(source), "run")[0] == (["Node"], ["Leaf"])
    assert [outcome(with_main(source, "run", k))[0] for k in (1, 2, 3)] == [1, 20, 300]
    for k in (1, 2, 3):
        stats(with_main(source, "run", k))


def test_an_insertion_that_rebalances_is_one_function_and_a_map_over_a_tree_is_two():
    insertion = dict(trace(bench.rbtree.core().program))["trmc"]
    lines = show_function(insertion.funs["ins[i32]"]).splitlines()
    assert lines[1:3] == ["  val h = hole in {", "    ins[i32]@hole(t, k, v, h)"]
    mapping = dict(trace(bench.tmap_plain.core().program))["trmc"]
    (name,) = [name for name in mapping.funs if name.startswith("map_tree#") and "@" not in name]
    assert "= hole in" not in show_function(mapping.funs[name])
