"""Recursion over long programs: the passes walk trees, and the rest of a block is a part of its first statement.

Python's limit of a thousand calls is meant for mistakes; a function of a few hundred statements is none.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

LIMIT = 200_000
"""Calls of Python."""
STACK = 512 << 20
"""Bytes of the stack of the thread in which they run; memory is only used as far as it is needed."""

_lock = threading.Lock()
_running = 0
_usual_limit = 0
_here = threading.local()


def deep(work: Callable[[], T]) -> T:
    """The result of work, which may recurse deeply. Within another `deep` it is simply called."""
    if getattr(_here, "deep", False):
        return work()
    result: list[T] = []
    failure: list[BaseException] = []

    def run() -> None:
        _here.deep = True
        try:
            result.append(work())
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
