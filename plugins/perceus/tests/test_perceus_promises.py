"""Promises of the source: kept ones compile, broken ones are one located message with the reason."""

from __future__ import annotations

import random
from contextlib import suppress

import pytest
from perceus_front import FIRST, program
from perceus_rebuilding import INCREASED, Rebuilding
from perceus_semantics.heap.machine import Machine
from perceus_semantics.heap.values import Addr, Value, addresses
from perceus_semantics.standard import OutOfFuel

from usl_perceus.allocation import Takes, takes_memory
from usl_perceus.errors import PerceusError
from usl_perceus.explain import allocations, by_function
from usl_perceus.ir import Program
from usl_perceus.passes import compile_program
from usl_perceus.promises import check_promises, reached_from
from usl_perceus.traverse import walk


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


@pytest.mark.parametrize(
    ("body", "part", "why"),
    [
        (
            "def f(a: array[i64]) -> i64:\n    b = a.set(0, 1)\n    return b[0] + a[0]",
            "b = a.set",
            "array_set takes new memory: the array is copied: `a` is needed again afterwards",
        ),
        (
            "def f(a: array[i64], i: i64) -> array[i64]:\n    b = a.set(i, 1)\n    return b if b[0] > 1 else a",
            "b = a.set",
            "array_set takes new memory: the array is copied: `a` is needed again afterwards",
        ),
        (
            "def f(xs: List[i64]) -> i64:\n    ys = increased(xs)\n    return total(ys) + total(xs)",
            "ys = increased",
            "call of increased takes new memory: it builds in the memory of its arguments, "
            "and here `xs` is needed again afterwards",
        ),
        (
            "def f(xs: List[i64]) -> List[i64]:\n    return increased(pairs(xs, xs))\n\n"
            "@fun\ndef pairs(xs: List[i64], ys: List[i64]) -> List[i64]:\n    match xs:\n"
            "        case Cons(x, rest):\n            return Cons(x, pairs(rest, ys))\n"
            "        case Nil():\n            return ys",
            "return increased(pairs",
            "is needed again afterwards",
        ),
        (
            "def f(xs: List[i64]) -> i64:\n    match xs:\n        case Cons(x, rest):\n"
            "            return total(increased(rest)) + total(xs)\n        case Nil():\n            return 0",
            "return total(increased",
            "here `rest` is still a part of `xs`, which is needed afterwards",
        ),
        (
            "def f(xs: List[i64]) -> i64:\n    try:\n        return looked(xs)\n"
            "    except Found(ys):\n        return total(increased(xs)) + total(ys)\n\n"
            "@fun\ndef looked(xs: List[i64]) -> i64:\n    match xs:\n        case Cons(0, rest):\n"
            "            return looked(rest)\n        case _:\n            raise Found(xs)\n\n"
            "@exception\nclass Found:\n    list: List[i64]",
            "return total(increased",
            "call of increased takes new memory",
        ),
        (
            "def f(c: ref[List[i64]]) -> List[i64]:\n    return increased(c.value)",
            "return increased",
            "it is the content of a cell, which keeps it",
        ),
    ],
)
def test_a_promise_is_refused_where_an_argument_is_shared_by_the_program_itself(body: str, part: str, why: str):
    text = f"{INCREASED}\n@no_alloc\n@fun\n{body}\n"
    error = refused(text)
    assert error.code == "E731"
    assert why in error.message
    assert error.span.line == line_of(text, part)


@pytest.mark.parametrize(
    "body",
    [
        "def f(a: array[i64]) -> array[i64]:\n    b = a.set(0, a[1])\n    return b.set(1, b[0])",
        "def f(xs: List[i64]) -> List[i64]:\n    n = total(xs)\n    return increased(increased(xs)) if n > 0 else xs",
        "def f(a: array[i64], i: i64) -> i64:\n    try:\n        return a.set(i, 1)[0]\n"
        "    except IndexError():\n        return 0",
    ],
)
def test_a_promise_holds_where_each_value_is_used_up_before_it_is_updated(body: str):
    compile_program(program(f"{INCREASED}\n@no_alloc\n@fun\n{body}\n").program)


APPLIED = """
@no_alloc
@fun
def applied(xs: List[i64], f: Callable[[i64, List[i64]], List[i64]], ys: List[i64]) -> List[i64]:
    match xs:
        case Nil():
            return ys
        case Cons(x, rest):
            return applied(rest, f, f(x, ys))

@fun
def twice(x: i64, ys: List[i64]) -> List[i64]:
    return Cons(x, Cons(x, ys))
"""


@pytest.mark.parametrize("given", ["lambda x, ys: Cons(x, Cons(x, ys))", "twice"])
def test_a_promise_does_not_cover_the_closure_that_is_given(given: str):
    text = f"{APPLIED}\n@fun\ndef f(xs: List[i64]) -> List[i64]:\n    return applied(xs, {given}, Nil)\n"
    compile_program(program(text).program)


def test_a_promise_covers_a_function_that_is_given_if_it_is_called_by_name_too():
    text = APPLIED.replace("return ys", "return twice(1, ys)")
    error = refused(f"{text}\n@fun\ndef f(xs: List[i64]) -> List[i64]:\n    return applied(xs, twice, Nil)\n")
    assert error.code == "E731"
    assert "Cons takes new memory" in error.message


def test_explain_tells_each_copy_that_the_program_brings_about():
    head = "@fun\ndef f(xs: List[i64], a: array[i64]) -> i64:"
    text = f"{INCREASED}\n{head}\n    b = a.set(0, total(increased(xs)))\n    return b[0] + a[0] + total(xs)\n"
    found = [item for item in allocations(compile_program(program(text).program)) if item.function == "f"]
    assert [(item.what, item.reused) for item in found] == [("array_set", False), ("call of increased", False)]


class Counting(Machine):
    """A machine that notes what is allocated between call and return of functions that are entered with unique arguments."""

    def __init__(self, program: Program, promising: set[str]) -> None:
        super().__init__(program, None, {}, [], fuel=400_000)
        self.promising = promising
        self.guards: list[tuple[int, str, int, int]] = []
        self.calls = self.reuses = 0
        self.broken: list[str] = []

    def enter(self, fun: str, values: list[Value], kept: tuple[bool, ...]) -> None:
        super().enter(fun, values, kept)
        if fun in self.promising and self.unique(values):
            self.guards.append((len(self.stack), fun, self.stats.allocated, self.stats.reused))

    def unique(self, values: list[Value]) -> bool:
        seen: set[Addr] = set()
        todo = [addr for value in values for addr in addresses(value)]
        while todo:
            addr = todo.pop()
            cell = self.cell(addr)
            if addr in seen or cell.count != 1:
                return False
            seen.add(addr)
            todo.extend(child for field in cell.fields for child in addresses(field))
        return bool(seen)

    def settle(self) -> None:
        """The functions that are back keep their promise."""
        while self.guards and self.guards[-1][0] > len(self.stack):
            _, fun, allocated, reused = self.guards.pop()
            self.calls += 1
            self.reuses += self.stats.reused > reused
            if self.stats.allocated != allocated:
                self.broken.append(fun)

    def returning(self, value: Value) -> tuple[Value, bool] | None:
        outcome = super().returning(value)
        self.settle()
        return outcome

    def unwind(self, exception: Value) -> tuple[Value, bool] | None:
        outcome = super().unwind(exception)
        self.settle()
        return outcome


def promising(compiled: Program) -> set[str]:
    """The functions for which @no_alloc would be accepted and that call no closure."""
    made = by_function(compiled)
    loud = {
        name
        for name, fun in compiled.funs.items()
        if any(not item.reused for item in made[name])
        or any(takes_memory(expr, compiled) is Takes.UNKNOWN for expr in walk(fun.body))
    }
    return {name for name in compiled.funs if not any(reached in loud for reached, _ in reached_from(compiled, name))}


def test_what_a_promise_would_be_accepted_for_never_allocates_on_unique_arguments():
    calls = reuses = 0
    for seed in range(24):
        source = program(Rebuilding(random.Random(seed)).program()).program
        compiled = compile_program(source, off=("inline",) if seed % 2 else ())
        machine = Counting(compiled, promising(compiled))
        with suppress(OutOfFuel):
            machine.run("main")
            assert not machine.broken, (seed, machine.broken)
        calls, reuses = calls + machine.calls, reuses + machine.reuses
    assert calls > 300, calls
    assert reuses > 200, reuses
