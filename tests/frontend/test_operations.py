"""`@assoc`: what is proved of a user's operation, and reductions by it."""

from __future__ import annotations

import itertools
import pickle
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from tests.frontend import kernels_operations
from tests.frontend.kernels_operations import SCOPE, adds, greater, hypot, later
from tests.primitives.equivalence import assert_refines, parse
from usl_core import assoc
from usl_core.analysis.laws import counterexample
from usl_core.errors import ParseError, SchedulingError, TypeError_, Undecided
from usl_core.frontend.parser import parse_source
from usl_core.interp import POISON, Buffer, run
from usl_core.ir.operation import Operation
from usl_core.ir.printer import show_with_scope
from usl_core.ir.traverse import same
from usl_core.ir.types import B8, I8, U8, U16, R
from usl_core.procedure import proc_from_source
from usl_core.scheduling import (
    fission,
    fuse,
    if_to_select,
    merge_writes,
    reorder_loops,
    reorder_stmts,
    set_precision,
    stage_mem,
)
from usl_stdlib import parallelize_reduction

ARITHMETIC = ("a + b", "a - b", "a * b", "a / b", "a % b", "a & b", "a | b", "a ^ b", "a << b", "a >> b", "-a", "~a")
CALLS = (
    "min(a, b)",
    "max(a, b)",
    "abs(a)",
    "relu(a)",
    "clamp(a, b, 9)",
    "select(a, b, b, 3)",
    "{t}({w}(a) * {w}(b))",
    "{t}({n}(a))",
    "{t}(a < b)",
    "{t}(a <= b) * b",
    "select(a != b, a, b)",
    "select(a == 7 or b == 7, {t}(7), a & b)",
    "select(a < b and not a == 0, b, a)",
)
TRUTHS = ("a & b", "a | b", "a ^ b", "a == b", "a != b", "not a", "a and not b", "select(a, b, a)", "select(a == b, a, not b)")


def declared(text: str, typ: Any, **options: Any) -> Operation:
    """An operation that is not proved, with the meaning of an expression over a and b."""
    from usl_core.frontend import operators
    from usl_core.frontend.parse_expr import ExprParser
    from usl_core.frontend.python_scope import PythonScope
    from usl_core.frontend.scope import Binding
    from usl_core.frontend.source import parse_text
    from usl_core.ir.memory import DRAM
    from usl_core.ir.sym import Sym

    source, tree = parse_text(text, "<operation>")
    formals = (Sym("a"), Sym("b"))
    env = {formal.name: Binding(formal, typ, DRAM) for formal in formals}
    body = operators.adopt(ExprParser(source, PythonScope({}, source), env).expr(tree.body[0].value), typ, "it")  # type: ignore[attr-defined]
    return Operation("op", typ, formals, body, text, None, options.get("idempotent", False), proved=False)


def value(op: Operation, a: Any, b: Any) -> Any:
    """op(a, b) by the interpreter."""
    ir = parse_source(f"def f(x: {op.type}, y: {op.type}):\n    x @= op(y)", {"op": op})
    x = Buffer.of(op.type, a)
    run(ir, {"x": x, "y": Buffer.of(op.type, b)}, mode="exact")
    return x.data[0]


@pytest.mark.parametrize("text", [*ARITHMETIC, *CALLS])
@pytest.mark.parametrize("typ", [I8, U8], ids=str)
def test_what_refutes_a_law_does_so_in_the_interpreter_and_what_is_proved_holds_there(text: str, typ: Any) -> None:
    wide, narrow = ("i16", "i8") if typ is I8 else ("u16", "u8")
    op = declared(text.format(t=typ, w=wide, n=narrow), typ)
    rng = random.Random(text)
    low, high = typ.int_range()
    samples = [[rng.choice((low, -1, 0, 1, 7, 8, high, rng.randint(low, high))) for _ in "abc"] for _ in range(25)]
    assert_laws_are_judged_right(op, [[max(x, low) for x in sample] for sample in samples])


@pytest.mark.parametrize("text", TRUTHS)
def test_laws_of_truth_values_are_judged_as_a_table_of_all_of_them_does(text: str) -> None:
    assert_laws_are_judged_right(declared(text, B8), list(itertools.product((0, 1), repeat=3)))


def assert_laws_are_judged_right(op: Operation, cases: Sequence[Sequence[int]]) -> None:
    """What refutes a law does so in the interpreter, and what is proved holds there in the cases."""
    for law in ("commutative", "associative", "idempotent"):
        values, samples = counterexample(op, law), cases
        if values is not None:
            samples = [[int(values.get(name, 0)) for name in "abc"]]
        holds = []
        for a, b, c in samples:
            match law:
                case "commutative":
                    holds.append(value(op, a, b) == value(op, b, a))
                case "associative":
                    holds.append(value(op, value(op, a, b), c) == value(op, a, value(op, b, c)))
                case _:
                    holds.append(value(op, a, a) == a)
        assert all(holds) if values is None else not any(holds)


def test_laws_are_proved_or_the_declaration_is_refused() -> None:
    assert adds.proved and greater.proved and later.proved and not hypot.proved
    with pytest.raises(SchedulingError, match="sums is not associative") as refused:
        assoc(identity=0)(kernels_operations.sums)
    assert "counter-example: a = " in refused.value.notes[0]
    with pytest.raises(SchedulingError, match="least is not the identity on the left of 0"):
        assoc(identity=0)(kernels_operations.least)
    with pytest.raises(SchedulingError, match="total is not idempotent"):
        assoc(idempotent=True, trust=True)(kernels_operations.total)
    with pytest.raises(Undecided, match="root is not proved to be commutative: the function sqrt"):
        assoc()(kernels_operations.root)
    with pytest.raises(Undecided, match="quotient is not proved to be commutative: a division by what may be 0"):
        assoc()(kernels_operations.quotient)


def test_what_is_no_operation_is_refused_at_its_place() -> None:
    with pytest.raises(ParseError, match="an operation is written def op"):
        assoc()(kernels_operations.one)
    with pytest.raises(TypeError_, match="both arguments of an operation have one type, got u8 and i8"):
        assoc()(kernels_operations.mixed)
    with pytest.raises(TypeError_, match="argument a of an operation is one element of data"):
        assoc()(kernels_operations.array)
    with pytest.raises(ParseError, match="an operation depends on its arguments only, not on configuration"):
        assoc(trust=True)(kernels_operations.scaled)
    with pytest.raises(TypeError_, match="the result of wide must be u8 data, not u16 data"):
        assoc()(kernels_operations.wide)
    with pytest.raises(TypeError_, match="`@= adds` is defined on u8 data only, not on u16"):
        parse_source("def f(x: u16):\n    x @= adds(x)", SCOPE)


def test_reductions_by_an_operation_print_and_parse_back_and_travel_under_its_name() -> None:
    p = proc_from_source("def f(n: size, x: u8[n], s: u8):\n    for i in seq(0, n):\n        s @= adds(x[i])", SCOPE)
    assert "        s @= adds(x[i])" in str(p)
    assert [each.op() for each in p.find_all("_ @= _")] == ["adds"] and p.find("s @= adds(_)")
    text, scope = show_with_scope(p.ir)
    assert same(parse_source(text, scope), p.ir)
    assert pickle.loads(pickle.dumps(adds)) is adds
    assert p.assurance() == "every step proved"
    q = proc_from_source("def f(x: f32, y: f32):\n    x @= hypot(y)", SCOPE)
    assert q.assurance() == "every step proved, up to: the laws of hypot, which are not proved"
    with pytest.raises(SchedulingError, match="`@= hypot` does not reduce f64 data"):
        set_precision(q, "x", "f64")


def test_an_operand_without_a_value_leaves_none() -> None:
    """Whatever the body makes of it: so reductions may change places."""
    first = declared("select(a, 5, a, b)", U16)
    assert value(first, POISON, 3) is POISON and value(first, 3, POISON) is POISON


PROGRAM = """
def f(n: size, m: size, x: {typ}[n, m], y: {typ}[n], s: {typ}):
    for i in seq(0, n):
        for j in seq(0, m):
            s @= {op}(x[i, j])
        s @= {op}(y[i])
"""


@pytest.mark.parametrize("op", [adds, greater, later], ids=str)
def test_reductions_by_an_operation_have_what_sums_have(op: Operation) -> None:
    p = parse(PROGRAM.format(typ=op.type, op=op), **SCOPE)
    q = fission(p, p.find_loop("j").after())
    assert_refines(p, q)
    q = reorder_loops(q, "i j")
    assert_refines(p, q)
    q = fuse(fission(p, p.find_loop("j").after()), "for i in _: _", "for i in _: _ #1")
    r, _ = parallelize_reduction(p, "j", 3)
    assert_refines(p, r)
    staged = stage_mem(p, p.find_loop("j"), "s", "t", accum=True)
    start = {"adds": "t = 0", "later": "t = -128", "greater": "t = s"}[op.name]
    assert start in str(staged)
    assert_refines(p, staged)


def test_partial_results_need_a_value_to_start_at() -> None:
    p = parse("def f(n: size, x: u8[n], s: u8):\n    for i in seq(0, n):\n        s @= kept(x[i])", **SCOPE)
    with pytest.raises(SchedulingError, match="a reduction by `@= kept` has no value to start at"):
        stage_mem(p, p.find_loop("i"), "s", "t", accum=True)
    p = parse("def f(a: u8, b: u8, x: u8):\n    if a < b:\n        x @= kept(b)", **SCOPE)
    with pytest.raises(SchedulingError, match="a reduction by `@= kept` has no identity"):
        if_to_select(p, "if _: _")


def test_two_operations_do_not_change_places_and_steps_on_statements_know_them() -> None:
    p = parse("def f(a: i8, b: i8, x: i8):\n    x @= later(a)\n    x @= max(b)", **SCOPE)
    with pytest.raises(SchedulingError, match="do not commute"):
        reorder_stmts(p, p.body()[0:2])
    p = parse("def f(a: i8, b: i8, x: i8):\n    x @= later(a)\n    x @= later(b)", **SCOPE)
    assert_refines(p, reorder_stmts(p, p.body()[0:2]))
    q = merge_writes(p, p.body()[0:2])
    assert "x @= later(max(a, b))" in str(q)
    assert_refines(p, q)
    p = parse("def f(a: i8, b: i8, x: i8):\n    if a < b:\n        x @= later(b)", **SCOPE)
    q = if_to_select(p, "if _: _")
    assert "x @= later(select(a, b, b, -128))" in str(q)
    assert_refines(p, q)


def test_the_interpreter_knows_rationals() -> None:
    assert value(greater, Fraction(1, 3), Fraction(1, 2)) == Fraction(1, 2) and greater.type == R
