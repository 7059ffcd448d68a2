"""Scalars in `par` loops: which of them OpenMP reduces, and which stay what they are."""

from __future__ import annotations

import re
from collections.abc import Mapping

import kernels_operations as operations
import numpy as np
import pytest

from usl_core import Procedure
from usl_core.errors import BackendError
from usl_core.interp import run
from usl_core.procedure import proc_from_source

HEAD = "def f(n: size, x: {typ}[n], s: {typ}):\n"


def program(body: str, typ: str = "f32") -> Procedure:
    lines = "".join(f"    {line}\n" for line in body.strip("\n").splitlines())
    return proc_from_source(HEAD.format(typ=typ) + lines, {})


def results(p: Procedure, n: int, dtype: type) -> tuple[list[float], list[float]]:
    """What C leaves in x and s, and what the interpreter does."""
    x, s = np.arange(3, 3 + n).astype(dtype), np.array(5, dtype)
    expected_x, expected_s = x.copy(), s.copy()
    run(p.ir, [n, expected_x, expected_s])
    p.jit()(n, x, s)
    return [*x.tolist(), s.item()], [*expected_x.tolist(), expected_s.item()]


ONE_ITERATION = {
    "reads it first": "for i in par(0, n):\n    if i == 0:\n        x[i] = s\n        s += 1.0",
    "reads it after": "for i in par(0, n):\n    if i == 0:\n        s += 1.0\n        x[i] = s",
    "sets it": "for i in par(0, n):\n    if i == 0:\n        s = 2.0\n        s += 1.0",
    "is the only one": "for i in par(0, 1):\n    s = s * 2.0\n    s += 1.0",
    "only adds": "for i in par(0, n):\n    if i == 1:\n        s += 1.0",
    "is parallel inside": "for i in par(0, 1):\n    for j in par(0, 1):\n        s += 1.0\n        x[0] = s",
}


@pytest.mark.parametrize("typ", ["f32", "i32", "u8"])
@pytest.mark.parametrize("body", ONE_ITERATION.values(), ids=ONE_ITERATION)
def test_a_scalar_that_one_iteration_reduces_and_uses_has_its_value(body: str, typ: str) -> None:
    body = body if typ == "f32" else re.sub(r"(\d)\.0", r"\1", body)
    p = program(body, typ)
    dtype = {"f32": np.float32, "i32": np.int32, "u8": np.uint8}[typ]
    assert "reduction" not in text(p)
    for n in (1, 2, 7):
        got, expected = results(p, n, dtype)
        assert got == expected


def text(p: Procedure) -> str:
    return "\n".join(line for line in p.c_code().splitlines() if line.startswith("#pragma omp"))


SHARED = {
    "plain": ("for i in par(0, n):\n    s += x[i]", ["s"]),
    "in two nested loops": ("for i in par(0, n):\n    for j in par(0, n):\n        s += x[j]", ["s", "s"]),
    "inside alone": ("for i in seq(0, n):\n    for j in par(0, n):\n        s += x[j]\n    x[i] = s", ["s"]),
    # The inner loop loads and stores s in every iteration of the outer one, so that loop must reduce it as well.
    "inside of one iteration": (
        "for i in par(0, n):\n    for j in par(0, n):\n        if i == 0:\n            s += x[j]",
        ["s", "s"],
    ),
    "beside a local": ("for i in par(0, n):\n    t: f32\n    t = x[i]\n    t += 1.0\n    s += t", ["s"]),
}


@pytest.mark.parametrize(("body", "reduced"), SHARED.values(), ids=SHARED)
def test_a_scalar_that_iterations_share_is_reduced(body: str, reduced: list[str]) -> None:
    p = program(body)
    assert re.findall(r"reduction\(\+ : (\w+?)_sum", text(p)) == reduced
    for n in (1, 2, 7):
        got, expected = results(p, n, np.float32)
        assert got == expected


@pytest.mark.parametrize("typ", ["f32", "f64", "i32", "u8", "i8"])
@pytest.mark.parametrize(
    ("stmt", "clause"), [("s *= x[i]", r"\*"), ("s @= min(x[i])", "s_min_of"), ("s @= max(x[i])", "s_max_of")]
)
def test_other_operations_are_shared_among_threads_too(stmt: str, clause: str, typ: str) -> None:
    p = program(f"for i in par(0, n):\n    {stmt}", typ)
    assert re.search(rf"parallel for reduction\({clause} : s_\w+\)", text(p))
    for n in (1, 2, 7, 40):
        dtype = {"f32": np.float32, "f64": np.float64, "i32": np.int32, "u8": np.uint8, "i8": np.int8}[typ]
        x = np.array([(7 * k) % 5 - 2 if typ[0] != "u" else (7 * k) % 5 for k in range(n)]).astype(dtype)
        s = np.array(1, dtype)
        expected = s.copy()
        run(p.ir, [n, x.copy(), expected])
        p.jit()(n, x, s)
        assert s == expected


@pytest.mark.parametrize("typ", ["i64", "u64", "i32", "u8", "i8"])
@pytest.mark.parametrize("op", ["&", "|", "^"])
def test_operations_on_bits_are_shared_among_threads(op: str, typ: str) -> None:
    p = program(f"for i in par(0, n):\n    s {op}= x[i]", typ)
    assert re.search(rf"parallel for reduction\({re.escape(op)} : s_\w+\)", text(p))
    dtype = np.dtype(f"{typ[0]}{int(typ[1:]) // 8}").type
    for n in (1, 2, 7, 40):
        x = np.frombuffer(np.random.default_rng(n).bytes(n * np.dtype(dtype).itemsize), dtype).copy()
        if op != "^":
            x = x & 0x55 if op == "|" else x | 0x2A
        s = np.array(0x35, dtype)
        expected = s.copy()
        run(p.ir, [n, x.copy(), expected])
        p.jit()(n, x, s)
        assert s == expected


def test_a_greatest_value_in_two_nested_parallel_loops() -> None:
    p = program("for i in par(0, n):\n    for j in par(0, n):\n        s @= max(x[j] - x[i])", "i16")
    for n in (1, 2, 7):
        got, expected = results(p, n, np.int16)
        assert got == expected


def test_the_greatest_of_nothing_finite_is_kept() -> None:
    p = program("for i in par(0, n):\n    s @= max(x[i])")
    s = np.array(-np.inf, np.float32)
    p.jit()(64, np.full(64, -np.inf, np.float32), s)
    assert s == -np.inf


def test_an_operation_of_a_users_own_is_shared_among_threads() -> None:
    ops = {"adds": operations.adds, "greater": operations.greater, "kept": operations.kept}
    head = "def f(n: size, x: u8[n], y: f32[n], s: u8, m: f32):"
    p = proc_from_source(f"{head}\n    for i in par(0, n):\n        s @= adds(x[i])\n        m @= greater(y[i])\n", ops)
    assert len(re.findall(r"omp declare reduction\(\w+_of : (?:uint8_t|float) : omp_out = .*\) initializer", text(p))) == 2
    for n in (1, 7, 60):
        x, y = np.arange(n, dtype=np.uint8) % 9, np.sin(np.arange(n)).astype(np.float32)
        s, m = np.array(4, np.uint8), np.array(-3, np.float32)
        expected = [s.copy(), m.copy()]
        run(p.ir, [n, x.copy(), y.copy(), *expected])
        p.jit()(n, x, y, s, m)
        assert [s, m] == expected
    p = proc_from_source("def f(n: size, x: u8[n], s: u8):\n    for i in par(0, n):\n        s @= kept(x[i])\n", ops)
    with pytest.raises(BackendError, match="a parallel loop cannot reduce by kept, which has no value to start at"):
        p.c_code()


FIRST_ALONE = """
for i in par(0, n):
    if i == 0:
        x[i] = s
    for j in par(0, n):
        if i == 0:
            s += 1.0
"""

TWO_OPERATIONS = """
for i in par(0, n):
    for j in par(0, n):
        if i == 0:
            s += x[j]
    for k in par(0, n):
        if i == 0:
            s @= max(x[k])
"""


def test_two_operations_on_one_scalar_in_a_parallel_loop_are_refused() -> None:
    with pytest.raises(BackendError, match=r"reduced by `\+=` and by `@= max` in a parallel loop"):
        program(TWO_OPERATIONS).c_code()


REFUSED = {
    # One iteration alone is free of races, and the C would still have to hold for two.
    "if there is one": "for i in par(0, n):\n    if n == 1:\n        x[i] = s\n    s += 1.0",
    "around a loop inside": FIRST_ALONE.strip(),
    "in a callee": "for i in par(0, n):\n    s += 1.0\n    add(s)",
}


@pytest.mark.parametrize("body", REFUSED.values(), ids=REFUSED)
def test_a_scalar_that_is_reduced_and_used_otherwise_is_refused(body: str) -> None:
    scope: Mapping[str, object] = {"add": proc_from_source("def add(s: f32):\n    s += 1.0\n", {})}
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    p = proc_from_source(HEAD.format(typ="f32") + lines, scope)
    with pytest.raises(BackendError, match="reduce into the scalar s"):
        p.c_code()
