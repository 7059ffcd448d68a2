"""Recursion beyond Python's usual limit: passes walk trees, and a sum of a thousand terms is a tree a thousand levels deep.

Python's limit of a thousand calls is meant for mistakes; a procedure with a long sum is none. What runs out of it runs again in
a thread with a large stack, which is right for functions that change nothing before they are done. Others pay nothing.
"""

from __future__ import annotations

import contextvars
import functools
import sys
import threading
from collections.abc import Callable
from typing import ParamSpec, TypeVar

from usl_core.errors import UsageError, threads

P = ParamSpec("P")
T = TypeVar("T")

LIMIT = 200_000
"""Calls of Python."""
STACK = 512 << 20
"""Bytes of the stack of the thread in which they run; memory is only used as far as it is needed."""

_lock = threading.Lock()
_running = 0
_usual_limit = 0


def deeply(function: Callable[P, T]) -> Callable[P, T]:
    """Decorator: a function without effects that may recurse deeply; it is called again where Python's usual limit is too low.

    Raises:
        UsageError: it is nested more deeply than Python's larger limits allow (3.12 has some that cannot be raised).
    """

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            if is_deep():
                raise
        try:
            return deep(lambda: function(*args, **kwargs))
        except RecursionError as error:
            raise UsageError(
                f"{function.__name__}: the program is nested too deeply for Python: {error}",
                notes=["hint: make several statements of a long expression, and procedures of a deep nest"],
            ) from None

    return call


def is_deep() -> bool:
    """Whether this is a thread with a large stack."""
    return hasattr(threads, "caller")


def deep(work: Callable[[], T]) -> T:
    """The result of work, which may recurse deeply. Within another `deep` it is simply called."""
    if is_deep():
        return work()
    result: list[T] = []
    failure: list[BaseException] = []
    caller, context = sys._getframe(1), contextvars.copy_context()

    def run() -> None:
        threads.caller = caller
        try:
            result.append(context.run(work))
        except BaseException as error:  # handed on to the thread that waits
            failure.append(error)

    _raise_limit()
    try:
        thread = started(run)
        thread.join()
    finally:
        _restore_limit()
    if failure:
        raise failure[0]
    return result[0]


def started(run: Callable[[], None]) -> threading.Thread:
    """A thread with a large stack, or with half of it where there is not so much."""
    size = STACK
    with _lock:
        usual = threading.stack_size()
        while True:
            try:
                threading.stack_size(size)
                thread = threading.Thread(target=run, daemon=True)
                thread.start()
                return thread
            except (RuntimeError, ValueError):
                if size <= 1 << 20:
                    raise
                size //= 2
            finally:
                threading.stack_size(usual)


def _raise_limit() -> None:
    """The limit belongs to the whole process; it is restored when the last thread that needs it is done."""
    global _running, _usual_limit
    with _lock:
        if _running == 0:
            _usual_limit = sys.getrecursionlimit()
            sys.setrecursionlimit(max(LIMIT, _usual_limit))
        _running += 1


def _restore_limit() -> None:
    global _running
    with _lock:
        _running -= 1
        if _running == 0:
            sys.setrecursionlimit(_usual_limit)
