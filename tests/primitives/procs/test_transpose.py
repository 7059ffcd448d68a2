"""transpose: a matrix formal given the other way round."""

from __future__ import annotations

import random

import pytest

from tests.fuzz.inputs import control_vectors, random_inputs
from tests.fuzz.refine import first_difference
from tests.primitives.equivalence import assert_equivalent, parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError
from usl_core.interp import Buffer, run
from usl_core.ir.verify import verify
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.procs.transpose import transpose
from usl_core.procedure import Procedure

UNIT = parse("def unit(x: [R][2]):\n    assert stride(x, 0) == 1\n    x[0] += 1.0")
STRIDED = parse("def strided(x: [R][2], y: R):\n    if stride(x, 0) == 1:\n        y = 1.0")

MATRIX = """
    def f(n: size, m: size, x: R[n, m + 1], y: R[m + 1]):
        for i in seq(0, n):
            for j in seq(0, m + 1):
                x[i, j] += 1.0
                y[j] = x[i, j] * x[i, 0]
            w = x[i, 0:m]
            w[0] = y[0]
"""


def turned(buffer: Buffer) -> Buffer:
    """The same storage, seen with the dimensions exchanged."""
    return Buffer(buffer.scalar, buffer.shape[::-1], buffer.data, buffer.offset, buffer.strides[::-1])


def assert_transposed(p: Procedure, q: Procedure, name: str) -> None:
    """q does to the transposed matrix what p does to the matrix."""
    verify(q.ir)
    rng = random.Random(0)
    for controls in control_vectors(p.ir, rng, 4, 6):
        inputs = random_inputs(p.ir, controls, rng, 0.2)
        before = run(p.ir, inputs.fresh(), mode="exact")
        other = inputs.fresh()
        matrix = other[name]
        assert isinstance(matrix, Buffer)
        dense = not p.ir.args[[a.name.name for a in p.ir.args].index(name)].type.window  # type: ignore[union-attr]
        other[name] = turned(matrix).copy() if dense else turned(matrix)
        after = run(q.ir, other, mode="exact")
        for key, buffer in before.buffers.items():
            found = after.buffers[key]
            assert first_difference(key, buffer.copy(), turned(found).copy() if key == name else found.copy()) is None


def test_transpose_exchanges_shape_and_indices():
    p = parse(MATRIX)
    q = transpose(p, "x")
    text = str(q)
    assert "x: R[m + 1, n]" in text and "x[j, i] += 1.0" in text and "x[j, i] * x[0, i]" in text and "w = x[0:m, i]" in text
    assert q.forward(p.find("x[_] += _")) == q.find("x[_] += _")
    assert q.forward(p.args()[2]).name() == "x"
    assert q.history()[-1].relation is Relation.INTERFACE
    assert_transposed(p, q, "x")
    assert_equivalent(p, transpose(q, "x"))


def test_transpose_is_a_method_too():
    import usl_core.connect  # noqa: F401  # fills the table of methods that later layers do

    p = parse(MATRIX)
    assert str(p.transpose("x")) == str(transpose(p, "x"))


def test_transpose_starts_a_new_interface():
    p = parse("def f(x: R[2, 2]):\n    x[0, 1] = 1.0")
    caller = parse("def main(x: R[2, 2]):\n    f(x)", f=p)
    with pytest.raises(SchedulingError):
        call_eqv(caller, "f(_)", transpose(p, "x"))


def test_transpose_of_a_window_takes_its_strides_along():
    p = parse(
        """
        def f(n: size, x: [R][n, 2], y: R):
            assert stride(x, 1) == 1
            unit(x[0, 0:2])
            strided(x[0, 0:2], y)
            if stride(x, 0) == 2:
                x[0, 1] += 1.0
        """,
        unit=UNIT,
        strided=STRIDED,
    )
    q = transpose(p, "x")
    assert "assert stride(x, 0) == 1" in str(q) and "unit(x[0:2, 0])" in str(q) and "if stride(x, 1) == 2:" in str(q)
    assert_transposed(p, q, "x")


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("unit(x[1, 0:2])", "may break its assertion stride"),
        ("strided(x[1, 0:2], y)", "depends on strides of x"),
        ("if stride(x, 0) == 2:\n        y = 1.0", "depends on strides of x"),
        ("assert stride(x, 0) == 2\n    y = x[0, 0]", "depends on strides of x"),
        ("square(x)", "passed whole"),
        ("w = x[0:2, 0:1]\n    w[0, 0] = 1.0", "would change places"),
    ],
)
def test_transpose_refuses_what_depends_on_the_layout(body: str, message: str):
    square = parse("def square(x: R[2, 2]):\n    x[0, 1] = 1.0")
    p = parse(f"def f(x: R[2, 2], y: R):\n    {body}", unit=UNIT, strided=STRIDED, square=square)
    with pytest.raises(SchedulingError, match=message):
        transpose(p, "x")


def test_transpose_refuses_other_formals():
    p = parse("def f(n: size, x: R[n], y: R):\n    t: R[2, 2]\n    y = x[0]")
    for name, message in (
        ("x", "has 1 dimensions"),
        ("y", "no formal with dimensions"),
        ("t", "no formal"),
        ("n", "no formal"),
    ):
        with pytest.raises(SchedulingError, match=message):
            transpose(p, name)
