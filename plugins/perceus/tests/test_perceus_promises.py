"""Promises of the source: kept ones compile, broken ones are one located message with the reason."""

from __future__ import annotations

import pytest
from perceus_front import FIRST, program

from usl_perceus.errors import PerceusError
from usl_perceus.explain import allocations
from usl_perceus.passes import compile_program
from usl_perceus.promises import check_promises


def refused(text: str) -> PerceusError:
    with pytest.raises(PerceusError) as caught:
        compile_program(program(text).program)
    return caught.value


def line_of(text: str, part: str) -> int:
    """The line of the first occurrence of part."""
    return FIRST + text[: text.index(part)].count("\n")


def test_a_constructor_that_must_reuse_and_can_is_accepted():
    compile_program(
        program("""
            @fun
            def increased(xs: List[i64]) -> List[i64]:
                match xs:
                    case Cons(x, rest):
                        return must_reuse(Cons(x + 1, increased(rest)))
                    case Nil():
                        return Nil
        """).program
    )


def test_a_block_that_is_still_needed_cannot_be_reused():
    text = """
@fun
def twice(xs: List[i64]) -> List[List[i64]]:
    match xs:
        case Cons(x, rest):
            return Cons(must_reuse(Cons(x, Nil)), Cons(xs, Nil))
        case Nil():
            return Nil
"""
    error = refused(text)
    assert error.code == "E730"
    assert error.message == (
        f"must_reuse: Cons takes new memory: the Cons matched in line {line_of(text, 'match xs')} has the right size, "
        "but it is still needed here"
    )
    assert error.span.line == line_of(text, "must_reuse")


def test_a_borrowed_block_cannot_be_reused():
    text = """
@fun
def front(xs: borrowed[List[i64]]) -> List[i64]:
    match xs:
        case Cons(x, rest):
            return must_reuse(Cons(x, Nil))
        case Nil():
            return Nil
"""
    with pytest.raises(PerceusError, match="it is borrowed: the caller keeps it"):
        check_promises(compile_program(program(text).program, off=("inline",)))


def test_a_block_of_another_size_cannot_be_reused():
    text = """
@fun
def leaf(xs: List[i64]) -> Tree:
    match xs:
        case Cons(x, rest):
            return must_reuse(Node(Red, Leaf, x, Leaf))
        case Nil():
            return Leaf
"""
    assert "no block of 40 bytes was taken apart before; the Cons matched" in refused(text).message


def test_fbip_refuses_an_allocation_in_a_function_that_it_calls():
    text = """
@fun
def build(n: i64, xs: List[i64]) -> List[i64]:
    if n <= 0:
        return xs
    return build(n - 1, Cons(n, xs))

@fbip
@fun
def start(n: i64) -> List[i64]:
    return build(n, Nil)
"""
    error = refused(text)
    assert error.code == "E731"
    assert error.span.line == line_of(text, "return build(n - 1")
    assert error.message.startswith("@fbip start: Cons takes new memory")
    assert "start calls build" in error.notes


def test_fbip_refuses_recursion_that_is_not_in_tail_position():
    text = """
@fbip
@fun
def total(t: Tree) -> i64:
    match t:
        case Node(_, l, k, r):
            return total(l) + k + total(r)
        case Leaf():
            return 0
"""
    error = refused(text)
    assert error.code == "E732"
    assert error.span.line == line_of(text, "return total")
    assert "is not in tail position, so the stack grows" in error.message


def test_fbip_names_the_call_that_is_not_in_tail_position_beside_one_that_is_but_for_constructors():
    text = """
@fbip
@fun
def mixed(xs: List[i64]) -> List[i64]:
    match xs:
        case Cons(0, rest):
            return mixed(mixed(rest))
        case Cons(x, rest):
            return Cons(x, mixed(rest))
        case Nil():
            return Nil
"""
    error = refused(text)
    assert (error.code, error.span.line) == ("E732", line_of(text, "return mixed(mixed"))


def test_no_alloc_allows_the_stack_to_grow():
    compile_program(
        program("""
            @no_alloc
            @fun
            def total(t: Tree) -> i64:
                match t:
                    case Node(_, l, k, r):
                        return total(l) + k + total(r)
                    case Leaf():
                        return 0
        """).program
    )


def test_no_alloc_refuses_a_new_string():
    text = """
@no_alloc
@fun
def text(n: i64) -> str:
    return str(n)
"""
    error = refused(text)
    assert (error.code, error.message) == ("E731", "@no_alloc text: show takes new memory: show always makes a new block")


def test_explain_lists_each_allocation_with_its_reason():
    text = """
@fun
def swapped(xs: List[i64]) -> List[i64]:
    match xs:
        case Cons(a, Cons(b, rest)):
            return Cons(b, Cons(a, Cons(b, rest)))
        case _:
            return xs
"""
    found = allocations(compile_program(program(text).program))
    match_line = line_of(text, "match xs")
    assert {(item.what, item.size) for item in found} == {("Cons", 24)}
    assert [item.reused for item in found] == [False, True, True]
    assert found[0].why == f"the memory of the Cons matched in line {match_line} goes to Cons in line {match_line + 2}"
    assert found[1].why == f"it is built in the memory of the Cons matched in line {match_line}, if that is not shared"
    assert found[2].kept == ("0", "1")
