"""Filters and calls in two stages: when, what it saves, that results and failures stay as they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from soac_agree import Passes
from soac_compiled_fuzz import checked
from soac_stage_programs import random_stage_program

from usl_perceus import live_blocks
from usl_soac import core, pipeline, schedules, staging
from usl_soac.core import Part
from usl_soac.decorators import Function, parse_program
from usl_soac.traverse import walk

LONG = "\n".join(f"    a{i} = a{i - 1} * 3 % 1001 if a{i - 1} > {i} else a{i - 1} + {i}" for i in range(1, 40))
TEXT = f"""
@soac
def folded(x: i64[n], c: i64) -> i64:
    return reduce(add, 0, map(lambda v: v * v, filter(lambda v: v > c, x)))

@soac
def counted(x: i64[n], c: i64) -> i64:
    return len(filter(lambda v: v > c, x))

@soac
def of_each_row(A: i64[n, m], c: i64) -> tuple[i64[n], i64[n], i64[n]]:
    def g(r):
        y = filter(lambda v: 12 // v > c, r)
        s = reduce(add, 0, y)
        return s, len(y), reduce(max, -99, map(lambda v: v - s, y))
    return map(g, A)

@soac
def rows(A: i64[n, m], c: i64) -> tuple[i64[k], i64[k, m]]:
    y = filter(lambda r: reduce(add, 0, r) > c, A)
    return map(lambda r: reduce(max, -99, r), y), map(lambda r: map(lambda v: v * 2, r), y)

@soac
def divided(A: i64[n, m], c: i64) -> i64[_]:
    return map(lambda r: 7 // r[0], filter(lambda r: r[1] > c, A))

@soac
def written(A: i64[n, m], c: i64) -> tuple[i64[n, m], i64]:
    y = filter(lambda r: r[0] > c, A)
    if n > 0 and m > 0:
        A = A.set((0, 0), 99)
    return A, reduce(add, 0, map(lambda r: reduce(add, 0, r), y))

@soac
def mapped(x: i64[n], c: i64) -> i64[_]:
    return map(lambda v: v + c, filter(lambda v: v > c, x))

@soac
def averaged(x: f64[n], c: f64) -> f64:
    y = filter(lambda v: v > c, x)
    return reduce(add, 0.0, y) / f64(len(y))

@soac
def exponentials(x: f64[n], c: f64) -> f64:
    return reduce(add, 0.0, map(exp, filter(lambda v: v > c, x)))

@soac
def largest(x: f64[n], c: f64) -> f64:
    return reduce(max, -inf, filter(lambda v: v > c, x))

@soac
def kept(A: i64[n, m], c: i64) -> i64[_, m]:
    return filter(lambda r: r[0] > c, A)

@soac
def terms(x: i64[n], c: i64) -> i64[_]:
    a0 = reduce(add, c, x)
{LONG}
    assert a39 != 13, "no such number"
    return map(lambda i: i * a39, iota(a39 % 5))

@soac
def chosen(A: i64[n, m], c: i64) -> i64[_, m]:
    a0 = c
{LONG}
    return filter(lambda r: r[0] * a39 > c, A)

@soac
def down(n: i64, x: i64[m]) -> i64[_]:
    a0 = n
{LONG}
    return x if n <= 0 else concat(down(n - 1, x), iota(a39 % 3))

@soac
def sums(x: i64[n], c: i64) -> i64:
    s = reduce(add, 0, terms(x, c))
    s += reduce(add, 0, map(lambda v: v * v, terms(x, c + 1)))
    for i in range(3):
        s = (s + reduce(max, -9, terms(terms(x, s), i))) % 100
    return s + reduce(add, 0, terms(x, 5)) if s > 3 else s

@soac
def row_sums(A: i64[n, m], c: i64) -> i64:
    s = reduce(add, 0, map(lambda r: reduce(add, 0, r), chosen(A, c)))
    for i in range(3):
        s = (s + reduce(add, 0, map(lambda r: reduce(max, -9, r), chosen(A, s + i)))) % 100
    return s + reduce(add, 0, map(lambda r: r[0], chosen(A, 2)))

@soac
def tails(x: i64[n]) -> i64:
    return reduce(add, 0, down(2, x)) + reduce(add, 0, down(3, x)) + reduce(add, 0, down(4, x))
"""
FUNCTIONS = parse_program(TEXT, "example.py")
VECTORS = [np.arange(n) * 5 % 11 - 3 for n in (0, 1, 4, 17)]
MATRICES = [np.arange(n * m).reshape(n, m) * 5 % 11 - 3 for n, m in ((0, 3), (3, 0), (1, 1), (5, 3), (17, 16))]


def stages(name: str) -> tuple[int, int]:
    """How many filters and calls of a function are in two stages."""
    values = [each.value for function in FUNCTIONS[name].compiled().program.functions for each in walk(function.body)]
    heads = (isinstance(each, core.Call) and each.part is Part.HEAD for each in values)
    return sum(isinstance(each, core.Count) for each in values), sum(heads)


def agree(function: Function, args: Sequence[Any]) -> None:
    """Compiled code gives what the interpreter gives, or fails as it does, and leaves nothing on the heap."""
    outcomes = []
    for run in (function.interpret, function):
        before = live_blocks()
        try:
            found = run(*args)
        except Exception as error:
            outcomes.append((type(error), str(error)))
        else:
            outcomes.append([np.asarray(each).tolist() for each in (found if isinstance(found, tuple) else (found,))])
            del found
        assert live_blocks() == before
    assert outcomes[0] == outcomes[1]


@pytest.mark.parametrize(
    "name", ["folded", "counted", "of_each_row", "rows", "divided", "written", "mapped", "sums", "row_sums", "tails"]
)
def test_results_and_failures_are_those_of_the_interpreter(name: str) -> None:
    for array in MATRICES if FUNCTIONS[name].core().functions[-1].params[0].type.rank == 2 else VECTORS:
        for c in (-4, 0, 3, 99):
            agree(FUNCTIONS[name], (array,) if name == "tails" else (array, c))


@pytest.mark.parametrize(
    ("name", "filters", "calls"),
    [
        ("folded", 1, 0),
        ("counted", 1, 0),
        ("of_each_row", 1, 0),
        ("rows", 1, 0),
        ("mapped", 0, 0),  # copying numbers and computing them in vectors is faster
        ("averaged", 0, 0),
        ("exponentials", 0, 0),
        ("largest", 0, 0),
        ("kept", 0, 0),  # the rows themselves are wanted
        ("sums", 0, 4),  # not the one that is the argument of another, which has to be an array
        ("row_sums", 1, 3),
        ("tails", 0, 0),  # recursion
    ],
)
def test_stages_are_chosen_where_they_are_measured_to_pay(name: str, filters: int, calls: int) -> None:
    assert stages(name) == (filters, calls)


def test_what_is_read_at_once_is_never_an_array() -> None:
    for name in ("folded", "counted"):
        assert [each.bytes for each in FUNCTIONS[name].allocations()] == ["8 * 1"]
    for name in ("folded", "counted", "of_each_row"):
        assert len(FUNCTIONS[name].kernels) == 1
    assert all(
        each.bytes == "8 * 1" for each in FUNCTIONS["sums"].allocations() if each.function == "sums" and each.array != "t"
    )


def test_explain_and_show_say_what_is_in_two_stages() -> None:
    assert "example.py:4:48: filter, in two stages: flags first, the rows where they are read" in FUNCTIONS["folded"].explain()
    assert "terms, in two stages: its sizes first, its result where that is read" in FUNCTIONS["sums"].explain()
    assert "in two stages" not in FUNCTIONS["mapped"].explain()
    assert "count(flags)" in FUNCTIONS["folded"].show("staged")
    assert "compress(flags, x)" in FUNCTIONS["folded"].show("staged")


def test_a_predicate_that_is_always_the_same_needs_no_flags() -> None:
    text = """
@soac
def f(A: i64[n, m]) -> tuple[i64, i64]:
    none, all_ = filter(lambda r: 1 > 2, A), filter(lambda r: 1 < 2, A)
    return (reduce(add, 7, map(lambda r: reduce(add, 0, r), none)), reduce(add, 0, map(lambda r: reduce(add, 0, r), all_)))
"""
    function = parse_program(text)["f"]
    assert "if " not in function.show("kernels")
    for schedule in (function, function.schedule(schedules.soac_default)):
        assert schedule(MATRICES[4]) == (7, MATRICES[4].sum())


def test_interleaved_functions_are_called_whole() -> None:
    text = TEXT.replace("@soac\ndef terms(", "@interleaved\n@soac\ndef terms(")
    program = parse_program(text, "example.py")["sums"]
    assert "in two stages" not in program.explain()
    agree(program, (VECTORS[2], 1))


def test_the_first_test_that_fails_is_the_same() -> None:
    matrix = np.array([[0, 5], [1, -5], [2, 7]])
    with pytest.raises(ZeroDivisionError, match=r"example\.py:25:26"):
        FUNCTIONS["divided"](matrix, 1)
    assert FUNCTIONS["divided"](matrix[1:], 1).tolist() == [3]


def test_zeros_keep_their_signs_and_nan_counts_where_it_is_kept() -> None:
    text = """
@soac
def f(A: f64[n, m], z: f64, B: bool[n, m]) -> tuple[f64[n], f64[n], f64[n], i64[n]]:
    def g(r, b):
        low = filter(lambda v: v <= 0.0, r)
        some = filter(lambda v: not v > 2.0, r)
        return reduce(add, z, low), reduce(max, -inf, some), reduce(min, inf, some), len(filter(lambda v: v, b))
    return map(g, A, B)
"""
    function = parse_program(text)["f"]
    numbers = np.array([[-0.0, 1.0, -0.0], [1.0, 2.0, 3.0], [np.nan, 1, 5], [1, np.nan, 9], [1, 5, np.nan]])
    for zero in (0.0, -0.0):
        expected = function.interpret(numbers, zero, numbers > 1)
        for run in (function, function.schedule(schedules.soac_default)):
            for a, b in zip(expected, run(numbers, zero, numbers > 1), strict=True):
                assert np.array_equal(a, b, equal_nan=a.dtype.kind == "f")
                assert np.array_equal(np.signbit(a * 1.0), np.signbit(b * 1.0))


def test_predicates_are_evaluated_once() -> None:
    # Twice would be nearly twice the work.
    text = """
@soac
def f(A: i64[n, m], c: i64) -> tuple[i64[n], i64[_]]:
    def dear(v):
        return reduce(add, 0, map(lambda i: (i * v) % 7 - 3, iota(50))) > c
    def g(r):
        y = filter(dear, r)
        s = reduce(add, 0, y)
        return s + reduce(max, -99, map(lambda v: v - s, y)) + len(y)
    return map(g, A), map(lambda r: reduce(add, 0, r), filter(lambda r: dear(r[0]), A))
"""
    function = parse_program(text)["f"]
    found = Passes(function.core()).runs((MATRICES[4], -2))
    assert not found.differences
    assert found.others["stages"].work <= 1.1 * found.others["hoisted"].work
    program = function.compiled().program
    assert sum(isinstance(each.value, core.Count) for each in walk(program.functions[-1].body)) == 2
    agree(function, (MATRICES[4], -2))


def test_random_programs_do_the_same_in_two_stages(monkeypatch: pytest.MonkeyPatch) -> None:
    for most, seeds in ((128, range(3)), (4, range(3, 6))):
        monkeypatch.setattr(pipeline, "MOST_COPIED", most)
        counts, wrong = checked([random_stage_program(seed) for seed in seeds])
        assert not wrong
        assert counts["filters in two stages"]


def test_rows_that_are_wanted_elsewhere_would_be_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    # Were every filter taken apart, one whose rows are returned would stay whole: nothing reads them one by one.
    monkeypatch.setattr(staging, "_pays", lambda *_: True)
    program = parse_program(TEXT, "example.py")["kept"]
    assert not any(isinstance(each.value, core.Count) for each in walk(program.compiled().program.functions[-1].body))
