"""Recursion beyond Python's usual limit."""

from __future__ import annotations

import sys
import threading

import pytest

from usl_core.deep import deep


def depth(n: int) -> int:
    return 0 if n == 0 else 1 + depth(n - 1)


def test_deep_recursion_works_inside_only_and_the_limit_is_restored():
    limit = sys.getrecursionlimit()
    assert deep(lambda: depth(20_000)) == 20_000
    assert sys.getrecursionlimit() == limit
    with pytest.raises(RecursionError):
        depth(2 * limit)


def test_errors_come_through_and_inner_calls_use_the_same_thread():
    with pytest.raises(ZeroDivisionError):
        deep(lambda: 1 // 0)
    outer, inner = deep(lambda: (threading.get_ident(), deep(threading.get_ident)))
    assert outer == inner != threading.get_ident()


def test_several_threads_may_recurse_at_once():
    results: list[int] = []
    threads = [threading.Thread(target=lambda: results.append(deep(lambda: depth(5_000)))) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [5_000] * 4
