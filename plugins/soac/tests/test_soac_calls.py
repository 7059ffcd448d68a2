"""Calls from Python: what is plainly right goes a short way, anything else the general one, and nobody can tell."""

from __future__ import annotations

import gc
import threading

import numpy as np
import pytest

from usl_perceus import live_blocks
from usl_soac import plain_calls
from usl_soac.decorators import parse_program
from usl_soac.errors import SoacError

TEXT = """
@soac
def changed(x: f64[n], y: f64[n], i: i64) -> tuple[f64[n], f64[n]]:
    a = x.set(i, y[0] + 1.0)
    return a, map(lambda u, v: u + v, a, y)

@soac
def sums(x: f64[n, m, k]) -> tuple[f64[n, m], f64[k, m, n]]:
    return map(lambda r: map(lambda c: reduce(add, 0.0, c), r), x), rearrange(x, (2, 1, 0))

@soac
def scaled(x: f32[n], a: f32, k: i64, p: bool, q: bool[n], w: f32[k, 2]) -> tuple[f32[n], bool[n], f32]:
    return map(lambda v: v * a if p else v, x), map(lambda t: not t, q), w[k - 1, 1]

@soac
def paired(x: tuple[f64[n], f64[n]], k: i64) -> tuple[f64, tuple[f64[n], i64]]:
    return reduce(add, 0.0, x[0]), (x[1], k)

@soac
def doubled(x: f64[n], y: f64[2 * n]) -> f64[n, 2]:
    return reshape(map(lambda v: v + 1.0, y), (n, 2))

@soac
def tripled(x: i32[n]) -> i32[n]:
    return map(lambda v: 3 * v, x)
"""
PROGRAMS = parse_program(TEXT, "calls.py")


def outcome(function, args):
    try:
        return function(*args)
    except (ValueError, IndexError, SoacError) as error:
        return type(error), str(error)


def agree(name, *args):
    """The call gives what the interpreter gives, and leaves its arguments as they are."""
    before = [np.array(each, copy=True) if isinstance(each, np.ndarray) else each for each in args]
    found, expected = (outcome(function, args) for function in (PROGRAMS[name], PROGRAMS[name].interpret))
    for a, b in zip(args, before, strict=True):
        assert not isinstance(a, np.ndarray) or np.array_equal(a, b)
    same(found, expected)
    return found


def same(found, expected):
    if isinstance(expected, tuple):
        assert isinstance(found, tuple) and len(found) == len(expected)
        for a, b in zip(found, expected, strict=True):
            same(a, b)
    elif isinstance(expected, np.ndarray):
        assert found.dtype == expected.dtype and found.shape == expected.shape and found.tobytes() == expected.tobytes()
    else:
        assert found == expected and isinstance(found, type(expected))


@pytest.mark.parametrize("n", [1, 3, 600])
def test_one_array_may_be_given_twice_in_parts_backwards_or_to_be_read_only(n):
    x = np.arange(2.0 * n)
    read_only = np.arange(float(n))
    read_only.flags.writeable = False
    for args in ((x[:n], x[:n]), (x[:n], x[n - 1 :: -1]), (x[::2], x[1::2]), (read_only, read_only), (x[:n], x[n:])):
        found = agree("changed", *args, n - 1)
        assert not np.shares_memory(found[0], x) and found[0].flags.writeable
    agree("changed", x[:n], x[:n], n)  # out of range


@pytest.mark.parametrize("shape", [(0, 2, 3), (2, 0, 3), (2, 3, 0), (0, 0, 0), (2, 1, 3), (9, 8, 70)])
def test_arrays_of_any_layout_and_type_that_fits_are_taken(shape):
    x = np.arange(float(np.prod(shape))).reshape(shape)
    for each in (
        x,
        np.asfortranarray(x),
        x[::-1],
        x[..., ::-1],
        x.astype(">f8"),
        x.astype(np.float32),
        x.astype(int),
        x.tolist(),
    ):
        agree("sums", each)


def test_numbers_truths_and_sizes_that_are_parameters():
    x, q, w = np.arange(1, 4, dtype=np.float32), np.array([True, False, True]), np.ones((2, 2), np.float32)
    for args in (
        (x, 0.1, 2, True, q, w),
        (x, 1, 2, False, q, w),
        (x, np.float32(2), np.int64(2), True, q, w),
        (x, float("inf"), 2, True, q, w),
        (x, 0.5, 3, True, q, w),  # w has two rows
        (x, 0.5, 2, True, q[:2], w),
        (x, 0.5, 2, 1, q, w),
        (x, 0.5, 2.0, True, q, w),
        (x, 0.5, 1 << 63, True, q, w),
        (x, 0.5, 2, True, q.view(np.uint8), w),
        (x, 0.5, 2, True, q, w[:, :1]),
        (x, 0.5, 2, True, q, w[0]),
        (x, 0.5, 2, True, q),
    ):
        agree("scaled", *args)
    agree("tripled", np.arange(5))  # i64, which fit
    agree("tripled", np.array([1 << 40]))


def test_tuples_and_sizes_that_are_terms_go_the_general_way():
    x = np.arange(4.0)
    agree("paired", (x, x), 3)
    agree("paired", (x, x[:2]), 3)
    agree("doubled", x, np.arange(8.0))
    agree("doubled", x, np.arange(7.0))
    for name, is_plain in (("doubled", False), ("paired", False), ("sums", True), ("scaled", True)):
        compiled, signature = PROGRAMS[name].compiled(), PROGRAMS[name].__usl_soac__.signature
        made = plain_calls.plain(compiled.source, signature, None, in_general=None, failed=None, too_large=None)
        assert (made is not None) == is_plain


def test_memory_of_results_lives_as_long_as_arrays_of_it_and_no_longer():
    before = live_blocks()
    made = PROGRAMS["sums"](np.ones((30, 40, 50)))[1]
    part = made[10:, 3]
    del made
    gc.collect()
    assert live_blocks() == before + 1 and part.sum() == part.size
    part[:] = 2.0  # it is the caller's
    del part
    gc.collect()
    assert live_blocks() == before


def test_threads_may_call_and_give_back_at_once():
    x = np.arange(5000.0)
    expected = PROGRAMS["changed"](x, x, 7)
    wrong = []

    def work():
        for _ in range(50):
            found = PROGRAMS["changed"](x, x, 7)
            if not all(map(np.array_equal, found, expected)):
                wrong.append(found)

    before = live_blocks()
    threads = [threading.Thread(target=work) for _ in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert not wrong and live_blocks() == before


def test_arguments_are_given_by_name_too():
    x = np.arange(3.0)
    for call in (PROGRAMS["changed"], PROGRAMS["changed"].interpret):
        for found in (call(i=1, y=x, x=x), call(x, i=1, y=x), call(x, x, i=1)):
            same(found, call(x, x, 1))


@pytest.mark.parametrize(
    ("args", "named", "message"),
    [
        ((), {"x": [1], "z": 2}, "tripled has no parameter z; its parameters: x"),
        (([1],), {"x": [1]}, "tripled: x is given twice, by position and by name"),
        (([1], [2]), {"x": [1]}, "tripled takes 1 arguments, 3 given; its parameters: x"),
    ],
)
def test_names_that_do_not_fit_are_refused(args, named, message):
    for call in (PROGRAMS["tripled"], PROGRAMS["tripled"].interpret):
        with pytest.raises(SoacError, match=message):
            call(*args, **named)
    with pytest.raises(SoacError, match="changed: y and i are not given"):
        PROGRAMS["changed"](x=[1.0])


@pytest.mark.parametrize("arg", [np.ma.masked_array([1.0, 2.0]), [np.ma.masked_array([1.0, 2.0])], [1.0, np.ma.masked]])
def test_masks_are_not_lost(arg):
    for call in (PROGRAMS["changed"], PROGRAMS["changed"].interpret):
        with pytest.raises(TypeError, match=r"changed: x must not be a masked array; fill it with numpy\.ma\.filled"):
            call(arg, [1.0, 2.0], 0)
    with pytest.raises(TypeError, match="changed: i must not be a masked array"):
        PROGRAMS["changed"]([1.0], [2.0], np.ma.masked)


def test_a_number_as_a_size_is_said_once():
    main = parse_program("@soac\ndef f(x: u8[3]) -> i64:\n    return 1\n")["f"]
    for call in (main, main.interpret):
        with pytest.raises(ValueError, match="f: x has 2 elements, but 3 are declared"):
            call([1, 2])
