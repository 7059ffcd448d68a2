"""Calls of @fun from Python: values both ways, handles, exceptions, and a heap that is empty when Python holds nothing."""

from __future__ import annotations

import gc
import re
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from usl_core import proc
from usl_perceus import PerceusError, data, exception, fun
from usl_perceus.python import Handle, call, live_blocks


@data
class Color:
    Red: ()
    Black: ()


@data
class Tree:
    Leaf: ()
    Node: (Color, Tree, i64, bool, Tree)  # noqa: F821


@data
class Everything:
    Nothing: ()
    Numbers: (i8, u8, i16, u16, i32, u32, i64, u64)  # noqa: F821
    Floats: (f32, f64)  # noqa: F821
    Texts: (str, tuple[str, bool], Everything)
    Arrays: (array[i64], array[Everything], array[Color], array[tuple[str, i64]])  # noqa: F821


@exception
class Refused:
    why: str
    tree: Tree


@fun
def same(x: Everything) -> Everything:
    return x


@fun
def same_tree(t: Tree) -> Tree:
    return t


@fun
def left_spine(n: i64, t: Tree) -> Tree:  # noqa: F821
    if n == 0:
        return t
    return left_spine(n - 1, Node(Red, t, n, n % 2 == 0, Leaf))  # noqa: F821


@fun
def depth(t: Tree, n: i64) -> i64:  # noqa: F821
    match t:
        case Leaf():  # noqa: F821
            return n
        case Node(_, l, _, _, _):  # noqa: F821
            return depth(l, n + 1)


@fun
def plain_depth(t: Tree) -> i64:  # noqa: F821
    match t:
        case Leaf():  # noqa: F821
            return 0
        case Node(_, l, _, _, r):  # noqa: F821
            below = plain_depth(l)
            right = plain_depth(r)
            return (below if below > right else right) + 1


@fun
def checked(n: i64, t: Tree) -> Tree:  # noqa: F821
    if n < 0:
        raise Refused("negative", t)
    return t


@fun
def divided(a: i64, b: i64) -> i64:  # noqa: F821
    return a // b


@fun
def adder(n: i64) -> Callable[[i64], i64]:  # noqa: F821
    return lambda x: x + n


@fun
def greet(name: str) -> None:
    print("hello " + name)


@fun
def doubled(xs: array[f32]) -> array[f32]:  # noqa: F821
    return xs.set(0, xs[0] + xs[0])


@pytest.fixture(autouse=True)
def _empty_heap():
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


def everything():
    leaf = st.just(Everything.Nothing())
    limits = [(-(2 ** (b - 1)), 2 ** (b - 1) - 1) if s else (0, 2**b - 1) for b in (8, 16, 32, 64) for s in (True, False)]
    numbers = st.tuples(*(st.integers(low, high) for low, high in limits)).map(lambda ns: Everything.Numbers(*ns))
    floats = st.tuples(st.floats(width=32, allow_nan=False), st.floats(allow_nan=False)).map(lambda fs: Everything.Floats(*fs))
    return st.recursive(
        leaf | numbers | floats,
        lambda inner: st.tuples(st.text(), st.tuples(st.text(), st.booleans()), inner).map(lambda fs: Everything.Texts(*fs)),
        max_leaves=5,
    )


@given(everything())
def test_values_survive_the_way_there_and_back(value):
    result = call(same, [value])
    assert (result.value() if type(result) is Handle else result) == value
    assert result == value


def test_arrays_of_all_kinds_survive():
    pairs = [("a", 1), ("b", 2)]
    inner = [Everything.Nothing(), Everything.Texts("t", ("u", True), Everything.Nothing())]
    result = call(same, [Everything.Arrays(np.arange(5), inner, [Color.Red(), Color.Black()], pairs)])
    numbers, others, colors, back = result.fields
    assert numbers.tolist() == [0, 1, 2, 3, 4]
    assert others == inner
    assert colors == [Color.Red(), Color.Black()]
    assert back == pairs


def test_a_handle_is_matched_like_a_value_one_level_at_a_time():
    tree = call(left_spine, [3, Tree.Leaf()])
    assert type(tree) is Handle
    assert isinstance(tree, Tree.Node)
    match tree:
        case Tree.Node(Color.Red(), Tree.Node(), key, even, Tree.Leaf()):
            assert (key, even) == (1, False)
        case _:
            pytest.fail("not matched")


def test_a_handle_can_be_used_again_and_by_other_programs():
    tree = call(left_spine, [10, Tree.Leaf()])
    assert [call(depth, [tree, 0]) for _ in range(3)] == [10, 10, 10]
    assert call(depth, [call(left_spine, [5, tree]), 0]) == 15
    assert call(depth, [tree.fields[1], 0]) == 9


def test_deep_structures_convert_and_are_freed():
    tree = call(left_spine, [20_000, Tree.Leaf()])
    value = tree.value()
    assert call(depth, [value, 0]) == 20_000
    while value.fields:  # Python frees nested objects recursively
        value = value.fields[1]


def test_recursion_over_a_deep_structure_has_stack_enough():
    assert call(plain_depth, [call(left_spine, [1_000_000, Tree.Leaf()])]) == 1_000_000


def test_what_is_shared_stays_shared():
    tree = Tree.Leaf()
    for n in range(60):
        tree = Tree.Node(Color.Black(), tree, n, True, tree)
    before = live_blocks()
    held = call(same_tree, [tree])
    assert live_blocks() - before == 60
    value = held.value()
    assert value.fields[1] is value.fields[4]


def test_exceptions_are_raised_as_pythons():
    with pytest.raises(Refused) as caught:
        call(checked, [-1, call(left_spine, [2, Tree.Leaf()])])
    assert caught.value.args[0] == "negative"
    assert call(depth, [caught.value.args[1], 0]) == 2
    assert re.fullmatch(r"raised at test_perceus_c_python.py:\d+", caught.value.__notes__[0])
    with pytest.raises(ZeroDivisionError):
        call(divided, [1, 0])
    assert call(divided, [-7, 2]) == -4
    del caught


@proc
def cleared(n: size, x: f32[n, 4], m: size):  # noqa: F821
    assert m % 4 == 0
    for i in seq(0, n):  # noqa: F821
        x[i, 0] = 0.0


@fun
def clear(n: i64, x: array[f32], m: i64) -> array[f32]:  # noqa: F821
    return cleared(n, x, m)


@fun
def tenth(n: i64) -> i64:  # noqa: F821
    try:
        if n == 3:
            raise ValueError
        return 10 // n
    except IndexError:
        return 0


@fun
def filled(n: i64, t: Tree) -> Tree:  # noqa: F821
    if n == 10 // n:
        raise ValueError
    return Node(Red, filled(n - 1, t), n, True, Leaf)  # noqa: F821


@fun
def in_thread(n: i64) -> i64:  # noqa: F821
    before = 0
    try:
        before = 1 // (n - n)
    except ZeroDivisionError:
        before = 1
    other = spawn(divided, before, n)  # noqa: F821
    return join(other)  # noqa: F821


@pytest.mark.parametrize(
    ("function", "args", "kind", "text"),
    [
        (divided, [1, 0], ZeroDivisionError, "division by zero: a // b"),
        (in_thread, [0], ZeroDivisionError, "division by zero: a // b"),
        (filled, [0, Tree.Leaf()], ZeroDivisionError, "division by zero: 10 // n"),
        (filled, [5, Tree.Leaf()], ValueError, ""),
        (tenth, [0], ZeroDivisionError, "division by zero: 10 // n"),
        (tenth, [3], ValueError, ""),
        (doubled, [[]], IndexError, "the index is out of range: xs[0]"),
        (clear, [-1, [1.0], 4], ValueError, "cleared: n is not from 0 to 2147483647: cleared(n, x, m)"),
        (clear, [1, [1.0] * 4, 0], ValueError, "cleared: m is not from 1 to 2147483647: cleared(n, x, m)"),
        (clear, [0, [1.0], 4], ValueError, "cleared: the length of x is not 0, although n is: cleared(n, x, m)"),
        (clear, [1, [1.0], 4], ValueError, "cleared: the length of x is not n * 4: cleared(n, x, m)"),
        (clear, [1, [1.0] * 4, 3], ValueError, "cleared: its assertion m % 4 == 0 does not hold: cleared(n, x, m)"),
    ],
)
def test_exceptions_tell_where_and_what(function, args, kind, text):
    with pytest.raises(kind) as caught:
        call(function, args)
    place, _, told = str(caught.value).partition(": ")
    assert told == text
    file, _, line = place.partition(":")
    source = Path(__file__).read_text().splitlines()[int(line) - 1]
    assert file == Path(__file__).name
    assert (text.rpartition(": ")[2] or "raise ValueError") in source


@fun
def length(n: i64) -> i64:  # noqa: F821
    return len(array(n, 0))  # noqa: F821


@pytest.mark.parametrize("count", [10**15, 2**62])
def test_too_much_memory_is_refused_and_the_heap_stays_usable(count):
    with pytest.raises(MemoryError, match="length ran out of memory"):
        call(length, [count])
    assert call(length, [10]) == 10
    with pytest.raises(IndexError, match="the length is negative"):
        call(length, [-1])


def test_functions_come_as_handles_that_are_called():
    add = call(adder, [5])
    assert [add(1), add(2)] == [6, 7]
    with pytest.raises(PerceusError, match="expected an integer, got 'x'"):
        add("x")


def test_prints_go_to_pythons_output(capsys):
    assert call(greet, ["wörld"]) is None
    assert capsys.readouterr().out == "hello wörld\n"


def test_the_callers_array_is_not_changed():
    given_array = np.array([1.5, 2.5], np.float32)
    assert call(doubled, [given_array]).tolist() == [3.0, 2.5]
    assert given_array.tolist() == [1.5, 2.5]


@pytest.mark.parametrize(
    ("function", "args", "message"),
    [
        (depth, [Tree.Leaf()], "depth takes 2 argument(s), 1 given"),
        (depth, [Color.Red(), 0], "argument 1 of depth: expected a Tree, got Red"),
        (
            depth,
            [Tree.Leaf(), 2**63],
            "argument 2 of depth: expected an integer from -9223372036854775808 to 9223372036854775807",
        ),
        (depth, [Tree.Leaf(), True], "argument 2 of depth: expected an integer, got True"),
        (depth, [Tree.Node(Color.Red(), Tree.Leaf(), 1, 2, Tree.Leaf()), 0], "argument 1 of depth: expected a bool, got 2"),
        (greet, [b"x"], "argument 1 of greet: expected a str, got b'x'"),
        (doubled, [np.zeros(2, complex)], "argument 1 of doubled: expected an array of float32, got"),
        (adder, [1.0], "argument 1 of adder: expected an integer, got 1.0"),
    ],
)
def test_wrong_arguments_are_refused(function, args, message):
    with pytest.raises(PerceusError) as caught:
        call(function, args)
    assert message in str(caught.value)
    assert caught.value.code == "E743"


def test_many_threads_may_call_and_drop():
    failures = []

    def work():
        for n in range(50):
            tree = call(left_spine, [n, Tree.Leaf()])
            if call(depth, [tree, 0]) != n:
                failures.append(n)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


INTERRUPTED = """
from __future__ import annotations
import os, signal, threading, time
from usl_perceus import data, fun

@fun
def turns(n: i64, i: i64) -> i64:
    return i if n == 0 else turns(n - 1, (i * 5 + n) % 1013)

turns(1, 1)
signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts with `&` ignores it
threading.Timer(0.2, os.kill, [os.getpid(), signal.SIGINT]).start()
try:
    turns(300_000_000, 1)
    print("it ended")
except KeyboardInterrupt:
    print("interrupted")
try:
    turns(1, 1)
    print("it ran")
except RuntimeError as error:
    print(error)
while True:
    time.sleep(0.05)
    try:
        print(turns(1, 1))
        break
    except RuntimeError:
        pass
"""


def test_an_interrupted_call_keeps_the_heap_until_it_ends(tmp_path):
    script = tmp_path / "interrupted.py"
    script.write_text(INTERRUPTED)
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=100)
    assert done.returncode == 0, done.stderr
    refused = "the call of a @fun that was interrupted still runs, and uses the heap; no other can, until it ends"
    assert done.stdout.splitlines() == ["interrupted", refused, "6"]
