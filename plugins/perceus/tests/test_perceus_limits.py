"""Calls that are ended: by a time limit, by Ctrl-C; what they held is given up, whatever they were doing."""

from __future__ import annotations

import gc
import signal
import sys
import threading
import time
from typing import TypeVar

import pytest

from usl_core import proc
from usl_perceus import PerceusError, data, exception, fbip, foreign, fun
from usl_perceus.python import live_blocks
from usl_perceus.python.worker import Limit, Task

# ruff: noqa: F821

T = TypeVar("T")


@data
class List:
    Nil: ()
    Cons: (i64, List)


@exception
class Own:
    n: i64


@fun
def upto(n: i64) -> List:
    made: List = []
    for i in range(n):
        made = Cons(i, made)
    return made


@fbip
@fun
def turned(xs: List, ys: List) -> List:
    match xs:
        case Nil():
            return ys
        case Cons(x, rest):
            return turned(rest, Cons(x, ys))


@fun
def endless(n: i64) -> i64:
    xs = upto(n)
    words = ["a", "b"]
    while len(words) > 0:
        xs = turned(xs, Nil)
        words = words.set(0, f"{n}")
        n += 1
    return n


@fun
def deep(n: i64, xs: List) -> i64:
    return 1 + deep(n + 1, Cons(n, xs)) % 1000 if n >= 0 else 0


@fun
def by_closures(n: i64) -> i64:
    def step(m: i64, go_on: Callable[[i64], i64]) -> i64:
        return step(m + 1, lambda x: go_on(x + m)) if m >= 0 else go_on(0)

    return step(n, lambda x: x + len([n]))


@fun
def stubborn(n: i64) -> i64:
    total = 0
    while total >= 0:
        try:
            total += endless(n)
        except Own:
            total += 1
        except:  # noqa: E722
            total += 2
        finally:
            total += 3
    return total


@fun
def in_threads(n: i64) -> i64:
    other = spawn(endless, n)
    return endless(n + 1) + join(other)


@fun
def raising(n: i64) -> i64:
    if n > 3:
        raise Own(n)
    return n + len([upto(n)])


ENDLESS = [
    (endless, (5,)),
    (by_closures, (1,)),
    (stubborn, (3,)),
    (in_threads, (4,)),
]


@pytest.fixture(autouse=True)
def _empty_heap():
    gc.collect()
    before = live_blocks()
    yield
    gc.collect()
    assert live_blocks() == before


@pytest.mark.parametrize(("function", "args"), ENDLESS, ids=["loop", "closures", "handlers", "threads"])
def test_a_call_whose_time_is_up_ends_and_leaves_nothing(function, args):
    limited = function.with_limits(seconds=0.05)
    with pytest.raises(TimeoutError, match=rf"{function.name()} took longer than 0.05 seconds, and was ended at .*\.py:\d+"):
        limited(*args)
    assert raising(2) == 3


@proc
def slow(n: size, rounds: size, x: f64[n]):
    for _round in seq(0, rounds):
        for i in seq(0, n):
            x[i] = x[i] * 0.5 + 1.0


@fun
def once(x: array[f64], rounds: i64) -> array[f64]:
    return slow(len(x), rounds, x)


@foreign("usleep", header="unistd.h")
def usleep(microseconds: u32) -> i32: ...


@fun
def asleep(microseconds: u32) -> i32:
    return usleep(microseconds)


def test_a_call_whose_time_is_up_in_a_kernel_or_a_c_function_ends_behind_it():
    x = [0.5] * 1000
    with pytest.raises(TimeoutError, match=r"once took longer than 0\.001 seconds, and was ended at .*test_perceus_limits\.py"):
        once.with_limits(seconds=0.001)(x, 300_000)
    assert once.with_limits(seconds=60)(x, 3).tolist() == once(x, 3).tolist()
    with pytest.raises(TimeoutError, match=r"asleep took longer than 0\.001 seconds"):
        asleep.with_limits(seconds=0.001)(200_000)
    assert asleep.with_limits(seconds=60)(1) == 0


def test_ctrl_c_in_a_c_function_ends_the_call_behind_it():
    limited = asleep.with_limits()
    assert limited(1) == 0
    presses = pressing()
    with pytest.raises(KeyboardInterrupt):
        limited(900_000)  # that long whatever the machine does, as no kernel is
    presses.join()
    assert once([1.0], 1).tolist() == [1.5]


def test_what_python_holds_stays_as_it_is():
    held = upto(1000)
    words = held.value()
    limited = endless.with_limits(seconds=0.02)
    for _ in range(3):
        with pytest.raises(TimeoutError):
            limited(3)
        assert held.value() == words


def test_recursion_that_is_not_a_loop_ends():
    limited = deep.with_limits(seconds=0.02)
    with pytest.raises(TimeoutError):
        limited(0, List.Nil())


def test_in_time_a_call_gives_and_raises_what_it_does_without_limits():
    limited = raising.with_limits(seconds=60)
    assert limited(3) == raising(3)
    with pytest.raises(Own) as caught:
        limited(4)
    assert caught.value.args == (4,)
    assert turned.with_limits()(upto(3), List.Nil()).value() == turned(upto(3), List.Nil()).value()
    with pytest.raises(PerceusError, match=r"argument 1 of raising: expected an integer"):
        limited("a")


def pressing():
    """A thread that presses Ctrl-C as soon as the main thread waits for a call."""
    signal.signal(signal.SIGINT, signal.default_int_handler)  # what a shell starts with `&` ignores it
    main = threading.main_thread().ident

    def press():
        while sys._current_frames()[main].f_code is not Limit.wait.__code__:
            time.sleep(0.01)
        time.sleep(0.2)  # a signal just before a lock is waited for is seen after the wait
        signal.pthread_kill(main, signal.SIGINT)

    presses = threading.Thread(target=press)
    presses.start()
    return presses


def test_ctrl_c_ends_a_call_and_the_function_can_be_used_at_once():
    limited = endless.with_limits()
    for _ in range(2):
        presses = pressing()
        with pytest.raises(KeyboardInterrupt):
            limited(3)
        presses.join()
        assert raising(1) == 2


def test_a_limit_is_a_number_of_seconds():
    with pytest.raises(PerceusError, match="a time limit is a number of seconds above 0, not -1"):
        endless.with_limits(seconds=-1)

    @fun
    def generic(x: T) -> T:
        return x

    with pytest.raises(PerceusError, match="generic is generic"):
        generic.with_limits(seconds=1)(1)


@pytest.mark.parametrize("starts", [0, 1])
def test_ctrl_c_while_a_call_starts_ends_it_and_it_runs_once_at_most(starts):
    asked: list[bool] = []
    ran: list[int] = []
    task = Task(ran.append, (1,), lambda result: None)

    def start():
        if asked or starts:
            worker = threading.Thread(target=task.work)
            worker.start()
            worker.join()
        if not asked:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Limit(None, asked.append).wait(task, start)
    assert ran == [1]
    assert asked == [True, False]
