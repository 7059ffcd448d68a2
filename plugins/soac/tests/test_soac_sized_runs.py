"""The sized core does what the interpreter says, values and failures, and no size slice doubles the work."""

from __future__ import annotations

import itertools
from textwrap import dedent

import numpy as np
import pytest
from soac_agree import compare
from soac_corners import corner_programs
from soac_sizes_fuzz import check

from usl_core.ir.types import I64
from usl_soac.core import Const
from usl_soac.decorators import parse_program
from usl_soac.running import Compiled

REPLICATES = "def f(ns: i64[K]) -> f64[_, _]:\n    return map(lambda n: replicate(n, 1.0), ns)"
RECURSIVE = "def f(n: i64, x: f64[N]) -> f64[_]:\n    return x if n == 0 else map(lambda y: f(n - 1, y), replicate(1, x))[0]"
GROWING = "def f(n: i64, x: f64[N]) -> f64[_]:\n    return x if n == 0 else concat(x, f(n - 1, x))"
FILTERS = "def f(A: f64[n, m]) -> f64[_, _]:\n    return map(lambda r: filter(lambda x: x > 0.0, r), A)"
DOUBLING = "def f(k: i64, xs: i64[n]) -> i64[_]:\n    for i in range(k):\n        xs = concat(xs, xs)\n    return xs"
ADDING = "def f(k: i64, xs: i64[n]) -> i64[_]:\n    for i in range(k):\n        xs = concat(xs, [i])\n    return xs"
BRANCH = """\
def g(p: i64) -> i64:
    s = 0
    for i in range(p):
        s = s + i
    return s

@soac
def f(p: i64, c: bool) -> i64[_]:
    return iota(p) if c else iota(g(p))"""


def ints(*values: int) -> np.ndarray:
    return np.array(values, dtype=np.int64)


def compared(text: str, *args: object):
    program = parse_program("@soac\n" + dedent(text), "example.py")["f"].core()
    result = compare(program, args)
    assert result.differences == [], result
    return result


@pytest.mark.parametrize(
    ("text", "args", "shape"),
    [
        (REPLICATES, (ints(2, 2, 2),), (3, 2)),
        (REPLICATES, (ints(),), (0, 0)),
        (RECURSIVE, (0, np.ones(2)), (2,)),
        (RECURSIVE, (5, np.ones(2)), (2,)),
        (GROWING, (3, np.ones(2)), (8,)),
        (FILTERS, (np.eye(3),), (3, 1)),
        (FILTERS, (np.zeros((0, 3)),), (0, 0)),
        (DOUBLING, (3, ints(1, 2)), (16,)),
        (DOUBLING, (-3, ints(1, 2)), (2,)),
        (ADDING, (3, ints(1, 2)), (5,)),
        (ADDING, (-3, ints(1, 2)), (2,)),
        (BRANCH, (4, True), (4,)),
        (BRANCH, (4, False), (6,)),
        ("def f(n: i64) -> i64[_, _]:\n    return map(lambda r: concat(r, r), replicate(n, iota(3)))", (0,), (0, 6)),
        ("def f(ns: i64[K]) -> i64[_, _]:\n    return map(lambda n: iota(n), ns)", (ints(),), (0, 0)),
        # The function of the map would fail for any element, but there is none.
        ("def f(xs: i64[n], ys: i64[m]) -> i64[_, _]:\n    return map(lambda x: ys[1:], xs)", (ints(), ints()), (0, 0)),
    ],
)
def test_programs_end_with_the_same_result(text, args, shape):
    assert compared(text, *args).expected.results[0].shape == shape


@pytest.mark.parametrize(
    ("text", "args", "message"),
    [
        (REPLICATES, (ints(2, 3, 2),), "element 1 gives f64[3], element 0 gave f64[2]"),
        (REPLICATES, (ints(-1),), "replicate: the size -1 is negative"),
        (FILTERS, (np.array([[1.0, 2.0], [0.0, 1.0]]),), "element 1 gives f64[1], element 0 gave f64[2]"),
        (BRANCH, (-1, True), "iota: the size -1 is negative"),
    ],
)
def test_programs_fail_at_the_same_place_with_the_same_text(text, args, message):
    result = compared(text, *args)
    assert message in result.expected.text
    assert all(each.text == result.expected.text for each in result.others.values())


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_random_programs_do_the_same_after_each_pass(first):
    for seed in range(first, first + 10):
        _, _, wrong = check(seed)
        assert wrong == []


@pytest.mark.parametrize("first", range(0, 30, 10))
def test_random_programs_whose_sizes_depend_on_much_do_the_same_after_each_pass(first):
    for seed in range(first, first + 10):
        _, _, wrong = check(seed, kind="hard")
        assert wrong == []


def test_programs_at_the_corners_do_the_same_after_each_pass():
    for number in range(len(corner_programs())):
        _, _, wrong = check(number, kind="corners")
        assert wrong == []


def test_random_programs_of_rarer_forms_do_the_same_after_each_pass():
    for seed in range(1000, 1040):
        _, _, wrong = check(seed, kind="forms")
        assert wrong == []


def test_random_programs_do_the_same_in_exact_arithmetic():
    for seed in range(100, 110):
        _, _, wrong = check(seed, exact=True)
        assert wrong == []


def test_the_work_of_a_recursive_map_grows_linearly():
    work = [compared(RECURSIVE, n, np.ones(1)).others["ext"].work for n in range(17)]
    steps = {b - a for a, b in itertools.pairwise(work[1:])}
    assert len(steps) == 1


def test_a_mistake_of_the_interpreter_is_not_taken_for_a_size_that_is_not_known(monkeypatch):
    text = "@soac\ndef g(k: i64) -> i64[_]:\n    return iota(reduce(add, 0, replicate(2, k)))\n\n"
    text += "@soac\ndef f(x: i64[n], k: i64) -> i64[_, _]:\n    return map(lambda v: g(k), x)"
    f = parse_program(text)["f"]
    assert f.interpret([], 2).shape == (0, 4)

    def mistaken(*_):
        raise KeyError("a mistake")

    monkeypatch.setattr("usl_soac.interp.Interpreter.folded", mistaken)
    with pytest.raises(KeyError, match="a mistake"):
        f.interpret([], 2)


@pytest.mark.parametrize("simplify", [False, True])
def test_debug_code_finds_a_slice_that_computes_other_sizes_than_its_function(monkeypatch, simplify):
    text = """
@soac
def f(k: i64) -> i64[_]:
    y = iota(k if k > 3 else 3)
    for i in range(k):
        y = y.set(0, y[0] + len(y))
    return y

@soac
def main(k: i64) -> tuple[i64[_], i64]:
    y = f(k)
    return y, len(y)
"""
    core = parse_program(text)["main"].core()
    right = Compiled(core, debug=True, simplify=simplify)
    assert [each.tolist() if hasattr(each, "tolist") else each for each in right([2])] == [[6, 1, 2], 3]
    monkeypatch.setattr("usl_soac.calls.inline", lambda *_: (Const(4, I64),))
    wrong = Compiled(core, debug=True, simplify=simplify)
    assert len(wrong([4])[0]) == 4
    with pytest.raises(AssertionError, match=r"a mistake of the compiler: .* has computed other sizes than its result has"):
        wrong([2])
