"""set_memory, set_precision and set_window."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import pytest

from tests.primitives.equivalence import assert_body, assert_equivalent, parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.externs import Extern
from usl_core.ir.memory import DRAM, Memory
from usl_core.ir.types import F64, Type
from usl_core.ir.verify import verify
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.buffers.set_window import set_window


class REG(Memory):
    name = "REG"
    addressable = False


def test_set_memory_of_an_allocation_is_an_equality_and_of_a_formal_another_interface():
    p = parse("def f(x: R[4]):\n    t: R\n    t = x[0]\n    x[1] = t")
    q = set_memory(p, "t", REG)
    assert_body(q, "t: R @ REG\nt = x[0]\nx[1] = t")
    assert q.history()[-1].relation is Relation.EQUAL and q.history()[-1].operator == "set_memory"
    r = set_memory(q, q.args()[0], REG)
    assert "x: R[4] @ REG" in str(r) and r.history()[-1].relation is Relation.INTERFACE
    assert r.forward(p.find("t: _")).mem() is REG and r.forward(p.args()[0]).mem() is REG
    assert "@ REG" not in str(set_memory(q, "t", DRAM))
    assert_equivalent(p, q)


def test_set_memory_refuses_what_is_no_memory_or_no_buffer():
    p = parse("def f(n: size, x: R[4]):\n    x[1] = 0.0")
    with pytest.raises(UsageError, match="mem must be a subclass of Memory, got 'DRAM'"):
        set_memory(p, "x", "DRAM")
    with pytest.raises(SchedulingError, match="n is a control value"):
        set_memory(p, "n", DRAM)


MIXED = """
    def f(n: size, a: R[n], c: R[n]):
        for i in seq(0, n):
            t: R
            t = select(a[i], 0.0, -a[i], sqrt(a[i])) * 2.0
            if t < 1.0:
                c[i] += t * (a[i] + c[i]) / 3.0
"""


def test_set_precision_of_all_buffers_in_any_order_ends_without_conversions():
    p = parse(MIXED)
    results = set()
    for order in itertools.permutations("act"):
        q = p
        for name in order:
            q = set_precision(q, name, "f32")
            verify(q.ir)
            assert_equivalent(p, q, vectors=2)
        results.add(str(q))
    assert len(results) == 1
    assert "t * (a[i] + c[i]) / 3.0" in str(q) and "R" not in str(q).replace("DRAM", "") and "f32(" not in str(q)


def test_set_precision_converts_where_types_meet():
    p = set_precision(parse(MIXED), "a", "f32")
    q = set_precision(set_precision(p, "c", "f32"), "t", F64)
    assert_body(
        q,
        """
        for i in seq(0, n):
            t: f64
            t = f64(select(a[i], 0.0, -a[i], sqrt(a[i])) * 2.0)
            if t < 1.0:
                c[i] += f32(t * f64(a[i] + c[i]) / 3.0)
        """,
    )
    assert q.history()[-1].relation is Relation.PRECISION
    assert q.assurance() == "every step proved, up to: " + ", ".join(["set_precision (precision)"] * 3)


def test_set_precision_reaches_windows_and_keeps_conversions_that_the_algorithm_has():
    p = parse("""
        def f(x: f64[8], y: f16[4]):
            w = x[2:6]
            for i in seq(0, 4):
                y[i] = f16(f32(w[i]) * 2.0)
    """)
    q = set_precision(p, "y", "f32")
    assert "y[i] = f32(w[i]) * 2.0" in str(set_precision(p, "y", "f32")) or "f16(" in str(q)
    r = set_precision(p, "x", "f32")
    verify(r.ir)
    assert "y[i] = f16(w[i] * 2.0)" in str(r)


def test_set_precision_refuses_a_type_that_a_function_does_not_take():
    def result(types: Sequence[Type]) -> Type:
        if types[0] == F64:
            raise ValueError("the argument must not be f64")
        return types[0]

    p = parse("def f(x: R):\n    x = narrow(x)", narrow=Extern("narrow", 1, result))
    assert "x: f32" in str(set_precision(p, "x", "f32"))
    with pytest.raises(
        SchedulingError, match="an operation does not take the new types: the argument must not be f64"
    ) as caught:
        set_precision(p, "x", "f64")
    assert caught.value.code == "E458"


def test_set_precision_refuses_integers_arguments_of_calls_and_nonsense():
    g = parse("def g(x: [R][4]):\n    x[0] = 1.0")
    p = parse("def f(x: R[8], i: i8[4], n: size):\n    g(x[0:4])\n    i[0] = 1", g=g)
    with pytest.raises(SchedulingError, match="i cannot change from i8 to i16: integers wrap"):
        set_precision(p, "i", "i16")
    with pytest.raises(SchedulingError, match="x cannot change from R to u8"):
        set_precision(p, "x", "u8")
    with pytest.raises(SchedulingError, match="x is the argument x of g, which has type R"):
        set_precision(p, "x", "f32")
    with pytest.raises(SchedulingError, match="one of f16, bf16, f32, f64, got 'f33'"):
        set_precision(p, "x", "f33")
    with pytest.raises(SchedulingError, match="n is a control value"):
        set_precision(p, "n", "f32")
    with pytest.raises(SchedulingError, match="cannot go back to R"):
        set_precision(parse("def f(x: f32[8]):\n    x[0] = 1.0"), "x", "R")


def test_set_precision_keeps_cursors():
    p = parse(MIXED)
    q = set_precision(p, "a", "f32")
    assert q.forward(p.find("t = _")) == q.find("t = _")
    assert q.forward(p.find("a[_]")) == q.find("a[_]")
    assert q.forward(p.args()[1]) == q.args()[1]


def test_set_window_changes_the_formal_and_its_uses_as_an_argument():
    g = parse("def g(x: [f32][8]):\n    x[0] = 1.0")
    p = parse("def f(x: f32[8]):\n    g(x)", g=g)
    q = set_window(p, "x", True)
    verify(q.ir)
    assert "x: [f32][8]" in str(q) and q.history()[-1].relation is Relation.INTERFACE
    assert str(set_window(q, "x", False)) == str(p)
    assert q.forward(p.find("g(_)")) == q.find("g(_)")
    assert_equivalent(p, q)


def test_set_window_refuses_where_a_dense_buffer_or_a_stride_is_needed():
    g = parse("def g(x: f32[8]):\n    x[0] = 1.0")
    with pytest.raises(SchedulingError, match="argument x of g is dense"):
        set_window(parse("def f(x: f32[8]):\n    g(x)", g=g), "x", True)
    h = parse("def h(x: [f32][8]):\n    assert stride(x, 0) == 1\n    x[0] = 1.0")
    with pytest.raises(SchedulingError, match="may break its assertion"):
        set_window(parse("def f(x: f32[8]):\n    h(x)", h=h), "x", True)
    p = parse("def f(x: f32):\n    t: f32[4]\n    t[0] = x")
    for name in ("x", "t"):
        with pytest.raises(SchedulingError, match="no formal with dimensions"):
            set_window(p, name, True)
