"""Long sums and deep nests, beyond what Python's own limits on recursion, indentation and nested blocks allow."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import pytest

from usl_core import (
    Procedure,
    UslError,
    bind_expr,
    build,
    commute_expr,
    cut_loop,
    divide_loop,
    extract_subproc,
    fission,
    inline_assign,
    parallelize_loop,
    proc_from_source,
    rename,
    replace,
    rewrite_expr,
    simplify,
    specialize,
    split_write,
    stage_mem,
    unroll_loop,
)
from usl_core.analysis import formula
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import STATISTICS
from usl_core.deep import deep
from usl_core.interp.run import run
from usl_core.ir.types import F32

TERMS = 3000
DEPTH = 200


def long_sum(terms: int = TERMS) -> Procedure:
    total = " + ".join(f"x[{k % 8}]" for k in range(terms))
    return proc_from_source(
        "def f(n: size, x: f32[8], y: f32[8]):\n    for i in seq(0, 8):\n        t: f32\n        t = 0.0\n"
        f"        y[i] = {total}\n        y[i] += t\n"
    )


SUM = long_sum()
RIGHT = SUM.find("y[_] = _").rhs()


@pytest.mark.parametrize("op", ["and", "or"])
def test_the_parts_of_a_long_condition_are_joined_once(op: str, monkeypatch: pytest.MonkeyPatch) -> None:
    joined: list[int] = []

    def counted(join: Callable[[Iterable[Formula]], Formula]) -> Callable[[Iterable[Formula]], Formula]:
        def call(parts: Iterable[Formula]) -> Formula:
            together = list(parts)
            joined.append(len(together))
            return join(together)

        return call

    cond = f" {op} ".join(f"m + {k} < n + {2 * k + 1}" for k in range(300))
    p = proc_from_source(f"def f(n: size, m: size, x: f32[n]):\n    if {cond}:\n        x[0] = 1.0\n")
    for name in ("and_", "or_"):
        monkeypatch.setattr(formula, name, counted(getattr(formula, name)))
    assert p.c_code().count("&&" if op == "and" else "||") >= 299
    assert sum(joined) < 20 * 300


@pytest.mark.parametrize("terms", [330, TERMS])
def test_a_long_sum_is_read_printed_and_written_as_c(terms: int) -> None:
    p = long_sum(terms)
    assert str(proc_from_source(str(p))) == str(p)
    assert p.c_code().count("x[") >= terms
    assert str(p.find("y[_] = _").rhs()).count("x[") == terms


def test_a_long_sum_is_interpreted() -> None:
    y = np.zeros(8, np.float32)
    run(SUM.ir, [1, np.ones(8, np.float32), y])
    assert y[0] == TERMS


@pytest.mark.parametrize(
    "step",
    [
        simplify,
        lambda p: divide_loop(p, "i", 4, ["io", "ii"], tail="cut"),
        lambda p: unroll_loop(p, "i"),
        lambda p: cut_loop(p, "i", 3),
        lambda p: stage_mem(p, "i", "x[0:8]", "xs"),
        lambda p: bind_expr(p, [p.find("x[3]")], "w"),
        lambda p: commute_expr(p, RIGHT),
        lambda p: rewrite_expr(p, RIGHT, RIGHT),
        lambda p: inline_assign(p, "t = _"),
        lambda p: parallelize_loop(p, "i"),
        lambda p: specialize(p, "i", "n > 3"),
        lambda p: split_write(p, "y[_] = _"),
        lambda p: extract_subproc(p, "i", "inner")[1],
        lambda p: fission(p, p.find("y[_] = _").before()),
        lambda p: replace(p, "i", rename(p, "g")),
    ],
)
def test_operators_take_a_long_sum_or_say_why_not(step: Callable[[Procedure], Any]) -> None:
    try:
        changed = step(SUM)
    except UslError as error:
        assert error.message
    else:
        assert ("[7]" in str(changed) or "g(" in str(changed)) and changed.history()[-1].arguments is not None


def nest(
    head: str, depth: int = DEPTH, body: str = "x[0] += 1.0", formals: str = "n: size, x: f32[8]", last: str = "x[1] = 2.0"
) -> str:
    lines = [f"{'  ' * (k + 1)}{head.format(k)}:" for k in range(depth)]
    return "\n".join([f"def f({formals}):", *lines, "  " * (depth + 1) + body, f"  {last}"])


@pytest.mark.parametrize(
    ("head", "depth"), [("for i{0} in seq(0, 1)", DEPTH), ("if n < {0} + 7", DEPTH), ("for i{0} in par(0, 1)", DEPTH)]
)
def test_a_deep_nest_is_read_scheduled_printed_interpreted_and_written_as_c(head: str, depth: int) -> None:
    p = proc_from_source(nest(head, depth, body="x[0] = 1.0"))
    assert str(proc_from_source(str(p))) == str(p)
    assert p.c_code()
    changed = rename(p, "g") if "if" in head else unroll_loop(p, f"i{depth - 1}")
    x = np.zeros(8, np.float32)
    run(changed.ir, [1, x])
    assert list(x[:2]) == [1, 2]


DIMS = [f"i{k}" for k in range(60)]


@pytest.mark.parametrize(
    ("extent", "shape", "index"),
    [
        ("2", ["2"] * 60, DIMS),
        ("n", ["n"] * 60, DIMS),
        ("4", ["16"] * 30, [f"4 * i{k} + i{k + 1}" for k in range(0, 60, 2)]),
        ("2", [str(2**40)], [" + ".join(f"{2 ** (39 - k)} * i{k}" for k in range(40))]),
        ("1", ["8"], [" + ".join(DIMS)]),
    ],
)
def test_each_loop_of_a_deep_parallel_nest_is_proved_without_z3(extent: str, shape: list[str], index: list[str]) -> None:
    depth = len(re.findall(r"i\d+", " ".join(index)))
    formals = f"n: size, x: f32[{', '.join(shape)}]"
    text = nest(f"for i{{0}} in par(0, {extent})", depth, f"x[{', '.join(index)}] = 1.0", formals, last="pass")
    before = STATISTICS.settled.get("z3", 0)
    c = proc_from_source(text).c_code()
    assert c.count("omp parallel for") + c.count("collapse(2)") == depth  # threads share the iterations of two loops at once
    assert STATISTICS.settled.get("z3", 0) == before


def test_a_race_in_a_deep_nest_is_shown_by_a_few_values() -> None:
    p = proc_from_source(nest("for i{0} in par(0, n)", 60, body="x[0] = 1.0"))
    with pytest.raises(UslError, match="iterations of parallel loop i0 may interfere") as caught:
        p.c_code()
    assert caught.value.counterexample["i0"] < caught.value.counterexample["i0'"]
    assert len(caught.value.counterexample) > 100
    assert re.search(r"counter-example: n = \d+, i0 = 0, i0' = 1, .* and \d+ more", str(caught.value))


def test_places_in_a_deep_nest_are_those_of_the_text() -> None:
    with pytest.raises(UslError, match="unknown name z") as caught:
        proc_from_source(nest("for i{0} in seq(0, 1)", body="x[0] = z"))
    assert caught.value.span is not None
    assert (caught.value.span.line, caught.value.span.column) == (DEPTH + 2, 2 * (DEPTH + 1) + 8)
    with pytest.raises(UslError, match="not Python syntax") as caught:
        proc_from_source(nest("for i{0} in seq(0, 1)", body="x[0] = = 1.0"))
    assert caught.value.span is not None and caught.value.span.line == DEPTH + 2


def test_an_else_in_a_deep_nest_stays_with_its_if() -> None:
    inner = "\n".join(
        ["if n < 5:", *["  " * (DEPTH + 2) + "x[0] = 1.0"], "  " * (DEPTH + 1) + "else:", "  " * (DEPTH + 2) + "x[0] = 3.0"]
    )
    p = proc_from_source(nest("for i{0} in seq(0, 1)", body=inner))
    x = np.zeros(8, np.float32)
    run(p.ir, [9, x])
    assert list(x[:2]) == [3, 2]


def test_builders_nest_to_the_right_as_deeply() -> None:
    b = build.ProcBuilder("g")
    n, x = b.size("n"), b.tensor("x", F32, [8])
    total, bound, cond = build.read(x, 0), n, build.gt(n, 0)
    for _ in range(400):
        total, bound, cond = build.add(build.read(x, 1), total), build.add(1, bound), build.and_(build.lt(0, n), cond)
    with b.for_("i", 0, bound), b.if_(cond):
        b.assign(x, [2], total)
    p = b.finish()
    assert "x[1] + (x[1]" in str(p) and p.c_code()
    values = np.ones(8, np.float32)
    run(p.ir, [1, values])
    assert values[2] == 401


def test_what_is_too_deep_for_python_is_one_message() -> None:
    def endless(depth: int) -> int:
        return endless(depth + 1)

    from usl_core.deep import deeply

    with pytest.raises(UslError, match="is nested too deeply for Python"):
        deeply(endless)(0)
    assert deep(lambda: 1) == 1
