"""Sizes at the end of what an i64 counts: what would wrap around fails, whether the array is ever made or not."""

from __future__ import annotations

import numpy as np
import pytest
from soac_agree import compare

from usl_soac.decorators import parse_program
from usl_soac.errors import ShapeError, TooLargeError

TWICE = """def f(k: i64, y: i64[n]) -> i64:
    xs = [1]
    for i in range(k):
        xs = concat(xs, xs)
    return y[min(len(xs), n - 1)]"""
SQUARE = "def f(n: i64) -> i64:\n    return len(flatten(replicate(n, replicate(n, 1.0))))"
CUBE = "def f(n: i64) -> f64[_, _, _]:\n    return map(lambda i: map(lambda j: map(lambda k: 1.0, iota(n)), iota(n)), iota(n))"
PAIRS = "def f(ns: i64[K]) -> i64[_, _]:\n    return map(lambda n: concat(iota(n), iota(n)), ns)"
EMPTY = """def f(n: i64, A: i64[m]) -> i64:
    x = transpose(map(lambda r: replicate(n, r), A))
    y = concat(x, x)
    return len(concat(y, y, y, y))"""
COUNTED = "def f(n: i64) -> i64:\n    return reduce(add, 0, map(lambda v: v & 1, iota(n)))"
CALLED = "def g(x: i64[n]) -> i64[_]:\n    return concat(x, x)\n\n@soac\ndef f(n: i64) -> i64:\n    return len(g(iota(n)))"
SUMS = "def f(x: i64[n], y: i64[m]) -> i64[_]:\n    return concat(concat(x, y), x)"


def function(text: str):
    return parse_program(f"@soac\n{text}\n", "example.py", {})["f"]


@pytest.mark.parametrize(
    ("text", "args", "error", "message"),
    [
        (TWICE, (63, [1, 2]), MemoryError, "5:14: MemoryError: concat: the array would be too large"),
        (TWICE, (64, [1, 2]), MemoryError, "concat: the array would be too large"),
        (SQUARE, (2**32,), MemoryError, "reshape: the array would be too large"),
        (CUBE, (2**22,), MemoryError, "3:12: MemoryError: an array would be too large"),
        (PAIRS, ([2**62, 2**62],), ShapeError, "map: -9223372036854775808 is no size of a result of its function"),
        (PAIRS, ([-1, -1],), ShapeError, "map: -2 is no size of a result of its function"),
        (EMPTY, (2**59, []), MemoryError, "concat: the array would be too large"),
        (COUNTED, (2**31 + 6,), ShapeError, "n is 2147483654, which no size of a kernel can be"),
        (COUNTED, (2**31 + 6,), MemoryError, "n is 2147483654, which no size of a kernel can be"),
        (CALLED, (2**60,), MemoryError, "7:18: MemoryError: iota: the array would be too large"),
        (SUMS, (np.zeros((2**50, 0)), [1]), Exception, "array of 1 dimension"),
    ],
)
def test_what_would_wrap_around_fails(text, args, error, message):
    with pytest.raises(error, match=message.replace("(", r"\(")):
        function(text)(*args)


@pytest.mark.parametrize(("text", "args", "result"), [(TWICE, (3, [1, 2]), 2), (SQUARE, (3,), 9), (EMPTY, (2**50, []), 2**53)])
def test_what_does_not_wrap_is_counted(text, args, result):
    assert function(text)(*args) == result


def test_an_argument_of_more_elements_than_any_memory_has_is_refused():
    rows = function("def f(x: i64[n, m]) -> i64:\n    return n")
    for call in (rows, rows.interpret):
        with pytest.raises(MemoryError, match="f: the array would be too large"):
            call(np.zeros((2**50, 0), "i8"))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("len(flatten(replicate(0, replicate(n, 1.0))))", "replicate: the array would be too large"),
        ("len(replicate(n, replicate(0, 1.0)))", "replicate: the array would be too large"),
        ("iota(n)[5]", "iota: the array would be too large"),
    ],
)
def test_more_elements_than_any_memory_has_are_a_failure_also_where_no_array_is_made(text, message):
    main = function(f"def f(n: i64) -> i64:\n    return {text}")
    for call in (main, main.interpret):
        with pytest.raises(TooLargeError, match=message):
            call(2**62)
    assert issubclass(TooLargeError, MemoryError) and issubclass(TooLargeError, ShapeError)


def test_more_rounds_than_a_kernel_counts_are_a_failure_and_not_fewer():
    text = "def f(x: i64[n], k: i64) -> i64[n]:\n    def g(v):\n        for i in range(k):\n            v = (v ^ i) + 1\n"
    main = function(text + "        return v\n    return map(g, x)")
    assert list(main(np.arange(3), 2)) == list(main.interpret(np.arange(3), 2))
    assert len(main(np.arange(0), 2**31)) == 0
    with pytest.raises(TooLargeError, match="2147483648 rounds of a loop"):
        main(np.arange(3), 2**31)


@pytest.mark.parametrize("args", [([2, 2],), ([-1, -1],), ([-1, 2],), ([],)])
def test_rows_of_a_negative_size_fail_in_all_passes(args):
    main = function(PAIRS)
    assert compare(main.core(), [np.array(each, "i8") for each in args]).differences == []


def test_a_sum_of_sizes_of_arguments_is_not_tested():
    assert "assert" not in function(SUMS).show("sizes")
