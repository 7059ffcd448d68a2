"""Calls whose arguments are converted in C: the same values and the same refusals as those that are converted in Python."""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from textwrap import dedent
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from programs_entry import (
    Chain,
    Color,
    Odd,
    Point,
    adder,
    arrays,
    counted,
    halved,
    halved_at_last,
    integers,
    length,
    others,
    parts,
    shouted,
    turns,
)

from usl_perceus import PerceusError, live_blocks
from usl_perceus.decorators import Function
from usl_perceus.python import call


def outcome(function: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
    """The result, or the exception, as something to compare; arrays as their type and elements."""
    try:
        return ("gives", plain(function(*args)))
    except Exception as error:
        return ("raises", type(error), str(error))


def plain(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        return (value.dtype, value.tolist())
    if isinstance(value, tuple):
        return tuple(plain(each) for each in value)
    return (type(value), repr(value))


def same(function: Function, *args: Any) -> None:
    assert function.entry is not None
    assert outcome(function, args) == outcome(function.slowly, args)


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """Every function has been called, so that calls go through the extension."""
    numbers = [np.zeros(1, kind) for kind in ("i1", "u2", "f4", "f8", "?")]
    integers(*[0] * 8), others(0.0, 0.0, True, "", None, Color.Red())
    parts((1, Point(0.0, Color.Red(), "")), Chain.End()), arrays(*numbers)
    halved(2), length(Chain.End()), counted(0, Chain.End()), halved_at_last(2, 1), shouted("", 0), adder(1), turns(1, 1)
    if halved.entry is None:
        pytest.skip("Python.h is not installed")


NEAR = [sign * 2**bits + by for bits in (0, 7, 8, 15, 16, 31, 32, 63, 64, 70) for sign in (1, -1) for by in (-1, 0, 1)]
numbers = st.sampled_from([*NEAR, True, 1.0, None, "1", np.int8(3), np.uint64(2**64 - 1), np.float32(2.5), np.bool_(1)])


@given(st.lists(numbers, min_size=8, max_size=8))
def test_integers_are_those_that_the_type_has(values):
    same(integers, *values)
    same(integers, *[value if isinstance(value, int) and 0 <= value < 128 else 5 for value in values])


anything = st.one_of(
    st.floats(),
    numbers,
    st.booleans(),
    st.text(st.characters(), max_size=9),
    st.sampled_from([Color.Red(), Color.Green(), Chain.End(), b"x", "\udc80", "\ud800", 10**400]),
)


@given(st.tuples(anything, anything, anything, anything, st.none() | anything, anything))
def test_numbers_texts_and_constants_are_taken_as_in_python(values):
    same(others, *values)
    usual = (0.5, 2, True, "é\0", None, Color.Green())
    for i, value in enumerate(values):
        same(others, *usual[:i], value, *usual[i + 1 :])


def test_tuples_records_and_structures_go_through():
    same(parts, (2, Point(1.5, Color.Green(), "pä")), Chain.End())
    same(parts, (2, Point(1.5, Color.Green(), "p")), Chain.Link(3, Chain.End()))
    same(parts, (2, Point(1.5, Color.Green(), "p")), counted(3, Chain.End()))
    same(parts, [2, Point(1.5, Color.Green(), "p")], Chain.End())
    same(parts, (2, Point(1.5, Chain.End(), "p")), Chain.End())
    same(parts, (2, Point(1.5, Color.Red(), "p")), Color.Red())
    same(parts, (2, Point(1.5, Color.Red(), "p")), adder(1))
    same(parts, (2,), Chain.End())
    same(parts, (2, Point(1.5, Color.Red(), "p")))


@pytest.mark.parametrize("count", [0, 1, 3000])
def test_arrays_are_copied_or_lent(count):
    given_arrays = [np.arange(count).astype(kind) for kind in ("i1", "u2", "f4", "f8", "?")]
    same(arrays, *given_arrays)
    same(arrays, *(each[::2] for each in given_arrays))
    same(arrays, *(each.astype(each.dtype.newbyteorder()) for each in given_arrays))
    same(arrays, *(each.reshape(1, -1, 1) for each in given_arrays))
    same(arrays, *(each.tolist() for each in given_arrays))
    same(arrays, *reversed(given_arrays))
    same(arrays, *given_arrays[:-1], np.float64(1.0))
    kept = arrays(*given_arrays)[3]
    given_arrays[3][:] = 7
    assert kept.tolist() == list(range(count))


def test_handles_of_other_programs_are_taken_and_kept():
    chain = counted(4, Chain.End())
    assert [length(chain), length(chain), length(counted(2, chain)), length(chain)] == [4, 4, 6, 4]
    with pytest.raises(PerceusError, match="expected a value of type Chain"):
        length(adder(3))


def test_names_and_defaults_are_as_before():
    assert length(chain=Chain.End()) == 0
    assert length(Chain.End(), n=3) == 3
    with pytest.raises(PerceusError, match="length has no parameter m left"):
        length(Chain.End(), m=3)
    with pytest.raises(PerceusError, match=r"takes 2 argument\(s\), 3 given"):
        length(Chain.End(), 1, 2)


def test_exceptions_come_with_their_fields():
    for function, args in ((halved, (3,)), (halved_at_last, (3, 5))):
        with pytest.raises(Odd) as caught:
            function(*args)
        assert caught.value.args == (3,)
        assert "raised at" in caught.value.__notes__[0]
    assert halved(4) == halved_at_last(4, 9) == 2


def test_output_of_the_other_thread_is_pythons(capsys):
    shouted("x", 3)
    assert capsys.readouterr().out == "x\n" * 3


def test_threads_call_and_drop_at_once():
    failures: list[str] = []

    def work(first: int) -> None:
        for n in range(first, first + 50):
            chain = counted(n % 5, Chain.End())
            if length(chain) != n % 5 or halved(2 * n) != n or others(0.5, 1.0, True, str(n), None, Color.Red())[3] != str(n):
                failures.append(str(n))

    threads = [threading.Thread(target=work, args=(1000 * i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []


def test_nothing_is_left_in_the_heap():
    gc.collect()
    before = live_blocks()
    for _ in range(3):
        kept = [counted(5, Chain.End()), others(1.0, 2.0, False, "text", None, Color.Red()), adder(2)]
        outcome(others, (1.0, 1.0, True, "made", None, "refused"))
        outcome(parts, ((1, Point(1.0, Color.Red(), "made")), Color.Red()))
        outcome(arrays, (np.zeros(9, "i1"), np.zeros(5000, "u2"), np.zeros(9, "f8"), None, None))
        outcome(halved_at_last, (3, 3))
        kept.clear()
    gc.collect()
    assert live_blocks() == before


def test_a_handler_of_a_signal_runs_meanwhile_and_cannot_use_the_heap():
    seen: list[str] = []

    def handler(*_: object) -> None:
        for function in (halved, halved.slowly):
            try:
                function(2)
            except RuntimeError as error:
                seen.append(str(error))

    turns(1, 1)  # compiled, whatever ran before
    before = signal.signal(signal.SIGALRM, handler)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.02)
        assert 0 <= turns(30_000_000, 1) < 1013
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert len(seen) == 2
    assert all("still runs" in text for text in seen)
    assert halved(6) == 3


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_the_child_of_a_fork_calls_too(tmp_path):
    script = tmp_path / "forks.py"
    script.write_text(
        dedent("""
            from __future__ import annotations
            import os, sys
            from usl_perceus import fun

            @fun
            def sum(n: i64, total: i64) -> i64:
                return total if n == 0 else sum(n - 1, total + n)

            sum(1, 0), sum(1, 0)
            child = os.fork()
            result = sum(10, 0)
            if child == 0:
                os._exit(result)
            print(result, os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        """)
    )
    done = subprocess.run([sys.executable, str(script)], capture_output=True, text=True, check=False, timeout=100)
    assert (done.stdout, done.returncode) == ("55 55\n", 0), done.stderr


def test_a_call_without_the_extension_does_the_same():
    assert call(halved, (8,)) == halved(8) == 4
