"""`@soac` in Python files: where names come from, what is shown, several threads."""

# ruff: noqa: F821, C417

from __future__ import annotations

import copy
import pickle
import threading
from types import SimpleNamespace

import numpy as np
import pytest

import usl_soac
from usl_core.errors import UsageError
from usl_soac import SoacError, parse_program, sliced, soac, static_sizes

FACTOR = 3


@soac
def above(x: i64[n]) -> i64[n]:
    return below(x) * FACTOR


@soac
def below(x: i64[n]) -> i64[n]:
    return map(lambda v: v + 1, x)


def test_a_function_may_use_what_is_defined_below_it():
    np.testing.assert_array_equal(above.interpret([1, 2]), [6, 9])
    assert repr(above) == "<soac above>" and above.name() == "above"


def test_a_function_within_a_function_sees_its_names():
    offset = 5

    @soac
    def inner(n: i64) -> i64:
        return n + offset if n > 0 else inner(1)

    assert inner.interpret(0) == 6


def test_functions_of_modules_are_called_with_their_names():
    module = type(usl_soac)("module")
    module.below = below
    module.half = 0.5
    text = "@soac\ndef f(x: i64[n]) -> f64[n]:\n    return f64(module.below(x)) * module.half\n"
    f = parse_program(text, scope={"module": module})["f"]
    np.testing.assert_array_equal(f.interpret([1, 2]), [1.0, 1.5])
    other = parse_program(text, scope={"module": SimpleNamespace(below=below)})["f"]
    with pytest.raises(SoacError, match="there is no attribute below"):
        other.core()


def test_two_functions_of_one_name_are_told_apart():
    first = parse_program("@soac\ndef g(x: i64) -> i64:\n    return x + 1\n")["g"]
    second = parse_program("@soac\ndef g(x: i64) -> i64:\n    return first(x) * 2\n", scope={"first": first})["g"]
    assert second.interpret(1) == 4
    assert [function.name for function in second.core().functions] == ["g_2", "g"]


def test_promises_stand_above_soac():
    @static_sizes
    @sliced
    @soac
    def f(x: f64[n]) -> f64[_]:
        return concat(x, x)

    assert f.core().functions[-1].promises == {"sliced", "static_sizes"}
    with pytest.raises(SoacError, match="@sliced stands above @soac\n  hint: @sliced on the line before @soac"):
        sliced(len)


def test_a_function_without_text_is_refused():
    scope = {"soac": soac}
    with pytest.raises(SoacError, match="the source text of f is not available\n  hint: define it in a file"):
        exec("@soac\ndef f(x):\n    return x\n", scope)
    with pytest.raises(SoacError, match="a function of arrays is a plain def"):

        @soac
        async def g(x: i64) -> i64:
            return x


def test_a_program_in_a_text_has_functions_only():
    with pytest.raises(SoacError, match="<program>:2:1: a program consists of functions with @soac above them"):
        parse_program("import math\nx = 3\n")
    with pytest.raises(SoacError, match="<program>:1:1: a program consists of functions with @soac above them"):
        parse_program("def f(x):\n    return x\n")
    with pytest.raises(SoacError, match="not Python syntax"):
        parse_program("def f(:\n")


def test_names_of_the_text_are_those_of_the_core():
    text = "@soac\ndef f(n: i64, t: i64[m]) -> i64[m]:\n    k = n\n    s = t\n    t = s + k\n    u = t\n    return u\n"
    assert parse_program(text)["f"].show() == (
        "fun f : ∀ m. (n: i64, t: i64[m]) → i64[m]\n"
        "    t_2: i64[?] = map(t) \\x: i64 →\n"
        "        t_3: i64 = x + n\n"
        "        t_3\n"
        "    t_2\n"
    )


def test_several_threads_may_use_a_function_first():
    f = parse_program("@soac\ndef f(x: i64[n]) -> i64[_]:\n    return concat(x, map(lambda v: v + 1, x))\n")["f"]
    results = []
    threads = [threading.Thread(target=lambda: results.append(f.interpret([1, 2]).tolist())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [[1, 2, 2, 3]] * 8


def test_a_copy_is_the_function_itself_and_pickle_finds_it_by_its_name():
    assert copy.copy(above) is above and copy.deepcopy({"f": above})["f"] is above
    assert pickle.loads(pickle.dumps(above)) is above
    f = parse_program("@soac\ndef f(x: i64) -> i64:\n    return x\n")["f"]
    with pytest.raises(UsageError, match="f cannot be pickled: no module has it under a name"):
        pickle.dumps(f)


@soac
def unchanged(x: f64[n], y: f64[n], k: i64) -> tuple[f64[n], f64[n], f64[n]]:
    for _ in range(k):
        x, y = y, x
    return x, y, x.set(0, 7.0)


@pytest.mark.parametrize(
    "array",
    [
        np.arange(6.0)[::2],
        np.arange(3.0)[::-1],
        np.arange(3.0).astype(">f8"),
        np.frombuffer(b"\0" * 25, "f8", offset=1),
        np.broadcast_to(np.float64(2), (3,)),
        np.arange(3, dtype="f2"),
        np.arange(3, dtype="u8"),
        np.array([1.5, 2, 3], object),
        memoryview(np.arange(3.0)),
        range(3),
        (np.float32(1), 2, 3.0),
    ],
    ids=lambda each: type(each).__name__,
)  # fmt: skip
def test_arrays_of_every_layout_are_taken_and_results_share_nothing_with_them(array):
    expected = np.array(array, "f8")
    if isinstance(array, np.ndarray):
        array.flags.writeable = False
    for k in (0, 1):
        results = unchanged(array, array, k)
        for each in results[:2]:
            np.testing.assert_array_equal(each, expected)
        np.testing.assert_array_equal(results[2], [7, *expected[1:]])
        for each in results:
            each[:] = -1
        np.testing.assert_array_equal(np.array(array, "f8"), expected)
        assert not np.shares_memory(results[0], results[1])


@pytest.mark.parametrize(
    ("args", "message"),
    [
        ((np.array(1.0), [], 0), "x is f64.n., an array of 1 dimensions, not of 0"),
        (([10**400], [1], 0), "x is f64.n.; some elements are larger than every f64"),
        ((np.array(["a", 1.0], object), [1, 2], 0), "x is f64.n., and 'a' is no number"),
        ((np.array([1j]), [1], 0), "x is f64.n., not an array of complex128"),
        (([1], [1], 1.0), "k is an i64, not 1.0"),
        (([1], [1], np.array([1])), "k is an i64, not an array of 1 dimensions"),
        (([1], [1], 2**63), "k is 9223372036854775808, which is no i64"),
    ],
)
def test_arguments_that_are_none_are_one_message(args, message):
    for run in (unchanged, unchanged.interpret):
        with pytest.raises(SoacError, match=message):
            run(*args)


@soac
def half(x: f32) -> f32:
    return x * 0.5


def test_numbers_beyond_all_floats_are_one_message():
    for run in (half, half.interpret):
        with pytest.raises(SoacError, match="half: x is larger than every f32"):
            run(10**400)
