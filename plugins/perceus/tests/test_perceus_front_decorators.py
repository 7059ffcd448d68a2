"""Programs as users write them: decorated classes and functions in a Python file, and what Python sees of them."""

from __future__ import annotations

import gc
import subprocess
import sys
from pathlib import Path
from textwrap import dedent
from typing import Generic, TypeVar

import programs_front as example
import pytest
from perceus_semantics import standard

from usl_perceus import PerceusError, data, fbip, fun, ir, live_blocks
from usl_perceus.decorators import Function
from usl_perceus.verify import verify

T = TypeVar("T")


def core(function: Function) -> ir.Program:
    program = function.core().program
    verify(program)
    return program


def test_a_module_that_only_declares_loads_no_compiler(tmp_path: Path):
    declares = """
        from __future__ import annotations
        from usl_perceus import data, exception, fun, record
        @data
        class List:
            Nil: ()
            Cons: (i64, "List")
        @fun
        def length(xs: List, n: i64 = 0) -> i64:
            match xs:
                case Nil():
                    return n
                case Cons(_, rest):
                    return length(rest, n + 1)
    """
    file = tmp_path / "declares.py"
    file.write_text(dedent(declares), encoding="utf-8")
    heavy = ("usl_perceus.front.check", "usl_perceus.ir", "usl_core.procedure", "usl_c11.emit", "numpy", "cffi")
    code = f"import runpy, sys; runpy.run_path(sys.argv[1]); print([name for name in {heavy} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code, str(file)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_functions_know_what_they_use_and_what_they_promise():
    assert set(core(example.native).funs) == {"native", "later"}
    swapped = core(example.swapped).funs["swapped"]
    assert (swapped.fbip, swapped.no_alloc, swapped.inline) == (True, True, False)


def test_foreign_functions_say_who_owns_their_arguments():
    (decl,) = core(example.native).foreigns.values()
    assert (decl.symbol, decl.header, decl.borrowed) == ("stack_depth", None, (True, False))
    assert [each.header for each in core(example.combined).foreigns.values()] == ["math.h"]


def test_kernels_take_arrays_and_give_back_those_they_write():
    (saxpy,) = core(example.combined).kernels.values()
    assert saxpy.written == (False, False, False, True)
    assert saxpy.params == (ir.I64, ir.F32, ir.ArrayType(ir.F32), ir.ArrayType(ir.F32))
    assert (saxpy.result, saxpy.proc) == (None, example.saxpy)
    (both,) = core(example.filled).kernels.values()
    assert both.result is not None
    assert [type_ for _, type_ in both.result.fields] == [ir.ArrayType(ir.F64)] * 2


def test_exceptions_are_classes_of_python():
    @fun
    def count(n: i64) -> i64:
        return example.depth(example.Stack.Empty, n)

    raised = standard.run(core(count), "count", (9,))
    assert standard.plain(raised) == ("raise", ("TooMany", 9, 3))
    (exception,) = count.core().exceptions.values()
    assert exception.python is example.TooMany
    assert issubclass(example.TooMany, Exception)


def test_values_are_made_compared_and_matched_in_python():
    stack = example.Stack
    value = stack.Push(1, stack.Push(2, stack.Empty()))
    assert repr(value) == "Push(1, Push(2, Empty))"
    assert value == stack.Push(1, stack.Push(2, stack.Empty()))
    assert value != stack.Push(1, stack.Empty())
    assert hash(value) == hash(stack.Push(1, stack.Push(2, stack.Empty())))
    match value:
        case example.Stack.Push(first, example.Stack.Push(second, example.Stack.Empty())):
            assert (first, second) == (1, 2)
        case _:
            pytest.fail("no match")
    with pytest.raises(TypeError, match=r"Push has 2 field\(s\), 1 given"):
        stack.Push(1)
    with pytest.raises(TypeError, match="is a data type"):
        stack()
    with pytest.raises(AttributeError, match="values do not change"):
        value.fields = ()


def test_deep_values_are_compared_shown_and_hashed_without_recursion():
    def deep(n: int) -> object:
        value = example.Stack.Empty()
        for i in range(n):
            value = example.Stack.Push(i, value)
        return value

    one, two = deep(20_000), deep(20_000)
    assert one == two
    assert hash(one) == hash(two)
    assert len(repr(one)) > 20_000


def test_definitions_inside_a_function_see_each_other():
    @data
    class Pair(Generic[T]):
        Pair: (T, T)

    @fun
    def swap(p: Pair[T]) -> Pair[T]:
        match p:
            case Pair(a, b):
                return Pair(b, a)

    @fun
    def main(n: i64) -> i64:
        match swap(Pair(n, bump(n))):
            case Pair(a, b):
                return a * 100 + b

    @fun
    def bump(n: i64) -> i64:
        return n + 1

    assert standard.run(core(main), "main", (4,)) == 504


def test_a_python_function_cannot_be_called():
    @fun
    def main(n: i64) -> i64:
        return example.helper(n)

    with pytest.raises(PerceusError, match=r"example\.helper is a Python function, not part of the program") as caught:
        main.core()
    assert caught.value.code == "E711"
    assert caught.value.notes == ("hint: decorate it with @fun",)


def test_a_kernel_without_a_counterpart_for_its_types_cannot_be_called():
    @fun
    def main(x: array[f64], y: array[f64]) -> array[f64]:
        return example.sums(x, y)

    with pytest.raises(
        PerceusError, match="argument x of sums has elements of type R, which functional programs do not have"
    ) as caught:
        main.core()
    assert caught.value.code == "E726"


def test_functions_are_called_from_python():
    @fun
    def swap(s: example.Stack[i64], n: i64) -> tuple[example.Stack[i64], bool]:
        return example.swapped(s), n > 1

    stack = example.Stack
    swapped, large = swap(stack.Push(1, stack.Push(2, stack.Empty())), 5)
    assert (swapped == stack.Push(2, stack.Push(1, stack.Empty())), large) == (True, True)
    with pytest.raises(example.TooMany) as caught:
        deeper(7)
    assert caught.value.args == (7, 3)
    with pytest.raises(PerceusError, match="depth is generic"):
        example.depth(stack.Empty(), 0)


@fun
def deeper(n: i64) -> i64:
    return example.depth(example.Stack.Empty, n)


def test_tuples_and_the_ends_of_numbers_pass_both_ways():
    assert example.regrouped((7, ("q", True)), -2.5) == ((True, 'q"-2.5 7\u00e9'), -2, 0)
    assert example.regrouped((7, ("", False)), 1e30) == ((False, '"1e+30 7\u00e9'), (1 << 63) - 1, 255)
    floats, integers = example.edges(0.0, 0)
    assert (repr(floats), integers) == ("(-inf, -0.0)", (-(1 << 63), (1 << 64) - 1, -128))


def test_kernels_get_copies_of_shared_arrays_and_only_arguments_that_they_allow():
    gc.collect()  # exceptions of earlier tests may hold handles
    before = live_blocks()
    assert example.doubled(3, 1, 6).tolist() == [3.0] * 6
    for n, m, length in ((3, 1, 5), (3, 1, 7), (1, 3, 4), (0, 0, 0), (3, -1, 0), (1 << 62, 1, 1), (3, 0, 3)):
        with pytest.raises(ValueError):
            example.doubled(n, m, length)
    assert example.filled(4) == 3.0
    assert live_blocks() == before


def test_a_promise_stands_above_fun():
    with pytest.raises(PerceusError, match="@fbip stands above @fun"):
        fbip(example.helper)
