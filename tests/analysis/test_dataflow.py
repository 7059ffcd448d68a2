"""What code does to configuration fields, and what becomes of a value that one holds: by hand, and against the interpreter."""

from __future__ import annotations

import random
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.analysis.evaluation import truth, value_of
from tests.fuzz.configured import REGISTERS, configured_program
from tests.fuzz.inputs import Inputs, control_vectors, random_inputs
from tests.fuzz.sites import sites
from tests.primitives.equivalence import parse
from usl_core.analysis.context import Context
from usl_core.analysis.dataflow import LIMIT, Case, Cases, Datum, before_iteration, of_proc, of_stmt, settle
from usl_core.analysis.formula import free_syms
from usl_core.analysis.holding import Held
from usl_core.analysis.reaching import Reach, reach
from usl_core.analysis.solver import Proved, consistent
from usl_core.cursors.edit import Edit
from usl_core.cursors.path import Path, before
from usl_core.errors import InterpError, UslError
from usl_core.interp import POISON, Buffer, Result, run
from usl_core.ir.config import Config, ConfigField, FieldSym
from usl_core.ir.nodes import AssignConfig, For, Literal, Proc, ReadConfig, index_literal
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import update
from usl_core.ir.types import BOOL, F32, INDEX, SIZE
from usl_core.procedure import Procedure

CFG = Config(
    "Cfg",
    {
        "a": ConfigField("a", INDEX),
        "b": ConfigField("b", INDEX),
        "on": ConfigField("on", BOOL),
        "len": ConfigField("len", SIZE),
        "scale": ConfigField("scale", F32),
    },
)
A, B, ON, LEN, SCALE = (CFG.sym(name) for name in CFG.fields)
FORMALS = "n: size, m: index, q: bool, s: f32, x: f32[n + 1]"


def program(body: str, formals: str = FORMALS, **scope: object) -> Procedure:
    lines = "\n".join("    " + line for line in ["assert m >= 0", *body.splitlines()])
    return parse(f"def f({formals}):\n{lines}\n", Cfg=CFG, **scope)


def after(body: str, field: FieldSym, n: int = 3, m: int = 2, q: bool = True, **entry: object) -> Any:
    """What the transformer of body says that field holds afterwards, "unknown" if it does not say."""
    p = program(body)
    env: dict[Sym, object] = {CFG.sym(name): value for name, value in entry.items()}
    for arg, value in zip(p.ir.args, (n, m, q, "s"), strict=False):
        env[arg.name] = value
    cases = of_proc(p.ir).get(field)
    return env[field] if cases is None else described(cases, env)


def described(cases: Cases, env: Mapping[Sym, Any]) -> Any:
    found = {value_of(case.value, env) for case in cases if truth(case.guard, env)}
    assert len(found) <= 1, "the cases contradict each other"
    return found.pop() if found else "unknown"


# ---- statements


def test_a_write_and_what_is_left_alone() -> None:
    assert after("Cfg.a = n + 1", A) == 4
    assert after("Cfg.a = n + 1", B, b=7) == 7
    assert after("Cfg.a = Cfg.b\nCfg.b = 5\nCfg.a = Cfg.a + Cfg.b", A, b=7) == 12
    assert after("Cfg.on = q and n > 5", ON) is False
    assert after("Cfg.len = max(m, 1)", LEN, m=0) == 1
    assert of_stmt(program("x[0] = 1.0").ir.body[0]) == {}


def test_branches() -> None:
    body = "if n > 3:\n    Cfg.a = 1\nelse:\n    Cfg.a = Cfg.b"
    assert after(body, A, n=4, b=7) == 1
    assert after(body, A, n=3, b=7) == 7
    assert after("if Cfg.on:\n    Cfg.a = 1", A, on=False, a=9) == 9
    assert after("if Cfg.on:\n    Cfg.a = 1", A, on=True, a=9) == 1


def test_branches_on_data_are_known_where_both_ways_agree() -> None:
    assert after("if x[0] > 0.0:\n    Cfg.a = 1", A, a=1) == "unknown"
    assert after("if x[0] > 0.0:\n    Cfg.a = n\nelse:\n    Cfg.b = 1\n    Cfg.a = n", A) == 3
    assert after("if x[0] > 0.0:\n    Cfg.a = n\nelse:\n    Cfg.b = 1\n    Cfg.a = n", B, b=1) == "unknown"


def test_data() -> None:
    assert after("Cfg.scale = s", SCALE) == "s"
    assert after("Cfg.scale = 2.0", SCALE) == 2
    assert after("Cfg.scale = s\ns = 1.0", SCALE) == "unknown"
    assert after("Cfg.scale = s\nx[0] = 1.0", SCALE) == "s"
    assert after("Cfg.scale = s * 2.0", SCALE) == "unknown"
    assert after("Cfg.scale = x[0]", SCALE) == "unknown"
    assert after("t: f32\nt = 1.0\nCfg.scale = t", SCALE) == "unknown"
    assert after("Cfg.scale = Cfg.scale", SCALE, scale=5) == 5
    assert after("if q:\n    s = 1.0\n    Cfg.scale = s\nelse:\n    Cfg.scale = s", SCALE) == "unknown"


# ---- loops


@pytest.mark.parametrize(
    ("body", "field", "entry", "expected"),
    [
        ("for i in seq(0, n):\n    Cfg.a = 5", A, {"a": 1}, 5),
        ("for i in seq(0, m):\n    Cfg.a = 5", A, {"a": 1}, 5),
        ("for i in seq(0, 0):\n    Cfg.a = 5", A, {"a": 1}, 1),
        ("for i in seq(0, n):\n    Cfg.a = i", A, {"a": 1}, "unknown"),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.a", A, {"a": 1}, 1),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.b", A, {"a": 1, "b": 3}, 3),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.a + 1", A, {"a": 1}, "unknown"),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.b\n    Cfg.b = 1", A, {"a": 0, "b": 0}, "unknown"),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.b\n    Cfg.b = 1", A, {"a": 1, "b": 1}, 1),
        ("for i in seq(0, n):\n    Cfg.a = Cfg.b\n    Cfg.b = 1", B, {"a": 0, "b": 0}, 1),
        ("for i in seq(0, n):\n    if i > 5:\n        Cfg.a = 0", A, {"a": 4}, 4),
        ("for i in seq(0, n):\n    if i > 1:\n        Cfg.a = 0", A, {"a": 4}, "unknown"),
        ("for i in seq(0, n):\n    if i > 1:\n        Cfg.a = 0", A, {"a": 0}, 0),
        ("for i in seq(0, n):\n    if q:\n        Cfg.a = n", A, {"a": 3}, 3),
        ("for i in seq(0, n):\n    for j in seq(0, i):\n        Cfg.a = 2", A, {"a": 2}, 2),
        ("for i in seq(0, n):\n    for j in seq(0, i):\n        Cfg.a = 2", A, {"a": 1}, "unknown"),
        ("for i in seq(0, n):\n    Cfg.scale = s", SCALE, {}, "s"),
        ("for i in seq(0, n):\n    Cfg.scale = s\n    s = 1.0", SCALE, {}, "unknown"),
        ("for i in seq(0, n):\n    s = x[i]\n    Cfg.scale = s", SCALE, {}, "unknown"),
        ("for i in seq(0, n):\n    if x[i] > 0.0:\n        Cfg.a = 1", A, {"a": 1}, "unknown"),
        ("for i in seq(0, n):\n    Cfg.on = Cfg.a == Cfg.b", ON, {"a": 2, "b": 2}, True),
    ],
)
def test_loops(body: str, field: FieldSym, entry: dict[str, object], expected: object) -> None:
    assert after(body, field, **entry) == expected


def test_a_chain_of_fields_takes_as_many_rounds_as_it_is_long() -> None:
    body = "for i in seq(0, n):\n    Cfg.a = Cfg.b\n    Cfg.b = Cfg.len\n    Cfg.len = 2"
    assert after(body, A, a=2, b=2, len=2) == 2
    for entry in ({"a": 1, "b": 2, "len": 2}, {"a": 2, "b": 1, "len": 2}, {"a": 2, "b": 2, "len": 1}):
        assert after(body, A, **entry) == "unknown"


def test_what_earlier_iterations_do_speaks_of_none_of_them() -> None:
    p = program("for i in seq(0, n):\n    if q:\n        Cfg.a = 1\n    else:\n        Cfg.b = Cfg.a")
    (loop,) = p.ir.body
    assert isinstance(loop, For)
    for cases in before_iteration(loop).values():
        assert cases
        assert all("Exists" not in repr(case.guard) and "Forall" not in repr(case.guard) for case in cases)


# ---- calls


def test_calls() -> None:
    g = parse("def g(v: index, r: bool):\n    if r:\n        Cfg.a = v\n    else:\n        Cfg.b = v", Cfg=CFG)
    p = program("g(n + Cfg.b, n > 2)\ng(1, q)", g=g)
    env = {arg.name: value for arg, value in zip(p.ir.args, (3, 0, False), strict=False)} | {A: 0, B: 5}
    assert described(of_proc(p.ir)[A], env) == 8
    assert described(of_proc(p.ir)[B], env) == 1


def test_scalars_as_arguments() -> None:
    g = parse("def g(v: f32):\n    Cfg.scale = v", Cfg=CFG)
    late = parse("def late(v: f32):\n    Cfg.scale = v\n    v = 1.0", Cfg=CFG)
    for body, expected in (
        ("g(s)", "s"),
        ("g(2.0)", 2),
        ("g(x[0])", "unknown"),
        ("late(s)", "unknown"),
        ("g(s)\ns = 1.0", "unknown"),
    ):
        p = program(body, g=g, late=late)
        assert described(of_proc(p.ir)[SCALE], {arg.name: "s" for arg in p.ir.args}) == expected


def test_scalars_that_may_be_one() -> None:
    g = parse("def g(v: f32, w: f32):\n    Cfg.scale = v\n    w = 2.0", Cfg=CFG).ir
    env = {g.args[0].name: "v"}
    assert described(of_proc(g)[SCALE], env) == "v"
    assert described(of_proc(update(g, aliasable=("v", "w")))[SCALE], env) == "unknown"


def test_more_cases_than_the_limit_are_unknown() -> None:
    body = "".join(f"if n == {k}:\n    Cfg.a = {k}\n" for k in range(LIMIT + 4))
    assert after(body, A, n=LIMIT + 3, a=1) in ("unknown", LIMIT + 3)
    two = tuple(Case(f, v) for f, v in ((A_IS_1, _lin(1)), (A_IS_2, _lin(2))))
    assert settle({A: two * LIMIT, B: two * LIMIT}, (Case(_same(A, B), _lin(0)),)) == ()


def _lin(value: int) -> Any:
    return of_stmt(program(f"Cfg.a = {value}").ir.body[0])[A][0].value


def _condition(text: str) -> Any:
    (case, *_) = of_stmt(program(f"if {text}:\n    Cfg.on = True").ir.body[0])[ON]
    return case.guard


A_IS_1, A_IS_2 = _condition("Cfg.a == 1"), _condition("Cfg.a == 2")


def _same(a: FieldSym, b: FieldSym) -> Any:
    return _condition(f"Cfg.{a.field} == Cfg.{b.field}")


# ---- contexts


def context(body: str, *path: tuple[str, int]) -> Context:
    return Context.at(program(body).ir, tuple(path))


def proves(ctx: Context, text: str) -> bool:
    """Whether a condition on the fields holds there."""
    return isinstance(ctx.prove(ctx.settle_truth(_condition(text))), Proved)


def test_what_a_field_holds_where_a_statement_stands() -> None:
    body = (
        "Cfg.a = 3\nif q:\n    Cfg.b = 1\nelse:\n    Cfg.b = 2\nfor i in seq(0, m):\n    Cfg.b = 4\n    Cfg.a = 3\nx[0] = 1.0"
    )
    assert proves(context(body, ("body", 1)), "Cfg.a == 3")
    assert proves(context(body, ("body", 2)), "Cfg.b == 1 or Cfg.b == 2")
    assert not proves(context(body, ("body", 2)), "Cfg.b == 1")
    inside = context(body, ("body", 2), ("body", 0))
    assert proves(inside, "Cfg.a == 3")
    assert proves(inside, "Cfg.b == 1 or Cfg.b == 2 or Cfg.b == 4")
    assert not proves(inside, "Cfg.b != 4")
    assert proves(context(body, ("body", 3)), "Cfg.a == 3")
    assert not proves(context(body, ("body", 3)), "Cfg.b == 4")


def test_sizes_are_at_least_one_whatever_happened() -> None:
    assert proves(context("Cfg.b = Cfg.len\nx[0] = 1.0", ("body", 1)), "Cfg.len >= 1")
    assert proves(context("for i in seq(0, n):\n    Cfg.len = i + 1\nx[0] = 1.0", ("body", 1)), "Cfg.len >= 1")


def test_two_ways_of_data_do_not_make_everything_provable() -> None:
    ctx = context("if q:\n    Cfg.scale = 1.0\nelse:\n    Cfg.scale = 2.0\nx[0] = 1.0", ("body", 1))
    assert isinstance(consistent(ctx.facts), Proved)
    assert isinstance(ctx.fields.value(SCALE), Datum)


def test_data_is_forgotten_when_its_scalar_is_modified() -> None:
    ctx = context("Cfg.scale = s\nif n > 5:\n    Cfg.scale = 1.0\nelse:\n    s = 2.0\nx[0] = 1.0", ("body", 2))
    held = ctx.fields.value(SCALE)
    assert isinstance(held, Datum)
    assert isinstance(held.key, Held)


def test_facts_about_what_fields_hold_do_not_last_into_another_iteration() -> None:
    body = "for i in seq(0, n):\n    if q:\n        Cfg.a = i\n    check(Cfg.a == i)\n    x[i] = 1.0"
    ctx = context(body, ("body", 0), ("body", 2))
    assert not any(isinstance(name, Held) for fact in ctx.facts for name in free_syms(fact))
    assert any(isinstance(name, Held) for fact in ctx.fields.facts for name in free_syms(fact))
    plain = context("for i in seq(0, n):\n    x[i] = 1.0", ("body", 0), ("body", 0))
    assert not plain.fields.facts


# ---- against the interpreter


def _generated(seed: int) -> tuple[Proc, random.Random]:
    rng = random.Random(seed)
    try:
        ir, _ = configured_program(rng)
    except UslError:
        assume(False)
        raise AssertionError from None
    return ir, rng


def _run(proc: Proc, inputs: Inputs) -> Result | None:
    """None where control depends on uninitialised data, or a precondition does not hold."""
    try:
        return run(proc, inputs.fresh(), mode="exact", configs=inputs.configs(), max_bits=3000)
    except InterpError:
        return None


@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_known_values_are_those_that_the_interpreter_finds(seed: int) -> None:
    ir, rng = _generated(seed)
    transformer = of_proc(ir)
    for controls in control_vectors(ir, rng, 3, 3):
        inputs = random_inputs(ir, controls, rng)
        result = _run(ir, inputs)
        if result is None:
            continue
        env: dict[Sym, Any] = dict(inputs.fields)
        for arg in ir.args:
            value = result.buffers.get(arg.name.name, inputs.values[arg.name.name])
            env[arg.name] = value.data[value.offset] if isinstance(value, Buffer) and not value.shape else value
        for field in inputs.fields:
            cases = transformer.get(field)
            known = inputs.fields[field] if cases is None else described(cases, env)
            if not isinstance(known, str):
                assert result.configs[field.config, field.field] == known, (field, controls)


@settings(max_examples=25)
@given(st.integers(0, 10**9))
def test_a_value_that_does_not_reach_a_read_makes_no_difference(seed: int) -> None:
    ir, rng = _generated(seed)
    for _ in range(3):
        path = rng.choice(sites(ir)).path
        field = REGISTERS.sym(rng.choice(("a", "b", "on", "len")))
        versions = [_with_write(ir, path, field, value) for value in ((False, True) if field.declared.type is BOOL else (1, 2))]
        found = [reach(version, _next(path), field) for version in versions]
        if any(one.read is not None for one in found):
            continue
        for controls in control_vectors(ir, rng, 3, 3):
            inputs = random_inputs(ir, controls, rng, 0.0, [field])
            if _run(ir, inputs) is None:
                continue
            first, second = (_run(version, inputs) for version in versions)
            assert first is not None and second is not None, "only a read can stop the program"
            outlives = all(one.outlives for one in found)
            assert _state(first, field if outlives else None) == _state(second, field if outlives else None)


def _with_write(ir: Proc, path: Path, field: FieldSym, value: int | bool) -> Proc:
    rhs = Literal(value, type=BOOL) if isinstance(value, bool) else index_literal(value)
    return Edit.of(ir).insert(before(path), (AssignConfig(field.config, field.field, rhs),)).proc


def _next(path: Path) -> Path:
    (branch, position) = path[-1]
    assert position is not None
    return (*path[:-1], (branch, position + 1))


def _state(result: Result, but: FieldSym | None) -> object:
    fields = {key: value for key, value in result.configs.items() if but is None or key[0].sym(key[1]) is not but}
    return {name: [v if v is not POISON else None for v in b.data] for name, b in result.buffers.items()}, fields


# ---- what becomes of a value


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("Cfg.a = 1\npass", Reach(None, True)),
        ("Cfg.a = 1\nCfg.a = 2", Reach(None, False)),
        ("Cfg.a = 1\nif q:\n    Cfg.a = 2", Reach(None, True)),
        ("Cfg.a = 1\nif q:\n    Cfg.a = 2\nelse:\n    Cfg.a = 3", Reach(None, False)),
        ("Cfg.a = 1\nif n >= 1:\n    Cfg.a = 2", Reach(None, False)),
        ("Cfg.a = 1\nif n < 1:\n    pass\nelse:\n    Cfg.a = 2", Reach(None, False)),
        ("Cfg.a = 1\nif x[0] > 0.0:\n    Cfg.a = 2\nelse:\n    Cfg.a = 3", Reach(None, False)),
        ("Cfg.a = 1\nfor i in seq(0, n):\n    Cfg.a = 2", Reach(None, False)),
        ("Cfg.a = 1\nfor i in seq(0, m):\n    Cfg.a = 2", Reach(None, True)),
        ("Cfg.a = 1\nfor i in seq(0, n):\n    if q:\n        Cfg.a = 2", Reach(None, True)),
        ("Cfg.a = 1\ncheck(n > 0)\nCfg.a = 2", Reach(None, False, True)),
        ("Cfg.a = 1\nCfg.a = 2\ncheck(n > 0)", Reach(None, False)),
        ("Cfg.a = 1\nfor i in seq(0, n):\n    check(n > 0)\n    Cfg.a = 2", Reach(None, False, True)),
        ("Cfg.a = 1\nif q:\n    check(n > 0)\n    Cfg.a = 2\nelse:\n    Cfg.a = 2", Reach(None, False, True)),
        ("Cfg.a = 1\ng(n)\nCfg.b = 2", Reach(None, False)),
        ("Cfg.a = 1\nstops(n)\nCfg.a = 2", Reach(None, False, True)),
    ],
)
def test_values_that_nobody_reads(body: str, expected: Reach) -> None:
    g = parse("def g(v: index):\n    Cfg.a = v", Cfg=CFG)
    stops = parse("def stops(v: index):\n    check(v > 0)", Cfg=CFG)
    p = program(body, g=g, stops=stops)
    assert reach(p.ir, (("body", 1),), A) == expected
    assert expected.outlives is (expected.passes or expected.stops)


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = f32(Cfg.a)",
        "Cfg.a = Cfg.a",
        "if Cfg.a > 0: pass",
        "for i in seq(0, max(0, Cfg.a)): Cfg.a = 1",
        "for i in seq(min(0, Cfg.a), 0): Cfg.a = 1",
        "for i in seq(0, m): x[0] = f32(Cfg.a)",
        "if q: x[0] = f32(Cfg.a)",
        "if q:\n    Cfg.a = 2\nelse:\n    x[0] = f32(Cfg.a)",
        "check(Cfg.a == 1)",
        "takes(Cfg.a)",
        "asserts()",
        "reads(x[0:1])",
        "calls(x[0:1])",
        "x[max(0, min(n, Cfg.a))] = 1.0",
    ],
)
def test_reads(body: str) -> None:
    scope = {
        "takes": parse("def takes(v: index):\n    Cfg.a = v", Cfg=CFG),
        "asserts": parse("def asserts():\n    assert Cfg.a == 1\n    Cfg.a = 1", Cfg=CFG),
        "reads": parse("def reads(d: [f32][1]):\n    d[0] = f32(Cfg.a)", Cfg=CFG),
    }
    scope["calls"] = parse("def calls(d: [f32][1]):\n    reads(d)", reads=scope["reads"])
    p = program("Cfg.a = 1\n" + body, **scope)
    found = reach(p.ir, (("body", 1),), A)
    assert found.read is not None
    assert reach(p.ir, (("body", 1),), B) == Reach(None, True, body.startswith("check"))
    shadowed = program("Cfg.b = 1\nCfg.a = 1\n" + body, **scope)
    assert reach(shadowed.ir, (("body", 1),), A) == Reach(None, False)


def test_the_next_iteration_reads() -> None:
    p = program("for i in seq(0, n):\n    x[i] = f32(Cfg.a)\n    Cfg.a = i")
    found = reach(p.ir, (("body", 0), ("body", 2)), A)
    assert isinstance(found.read, ReadConfig)
    first = program("for i in seq(0, n):\n    Cfg.a = i\n    x[i] = f32(Cfg.a)")
    assert reach(first.ir, (("body", 0), ("body", 2)), A) == Reach(None, True)
    stopping = program("for i in seq(0, n):\n    check(n > 0)\n    Cfg.a = i\n    x[i] = f32(Cfg.a)\nCfg.a = 0")
    assert reach(stopping.ir, (("body", 0), ("body", 3)), A) == Reach(None, False, True)
