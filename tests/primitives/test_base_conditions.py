"""What every operator refuses before it looks at its arguments: what is no procedure, arguments of another number or name,
control that reads fields which are written, formals that may overlap, and less than the C text of an instruction does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, UsageError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import InstrTemplate, Pass
from usl_core.ir.traverse import update
from usl_core.ir.types import BOOL, F32, INDEX
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.calls.extract_subproc import extract_subproc
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.composed.autolift_alloc import autolift_alloc
from usl_core.primitives.config.write_config import write_config
from usl_core.primitives.loops.remove_loop import remove_loop
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.primitives.procs.rename import rename
from usl_core.primitives.stmts.insert_pass import insert_pass
from usl_core.procedure import Procedure, from_ir

CFG = Config("Cfg", {"a": ConfigField("a", F32), "n": ConfigField("n", INDEX), "on": ConfigField("on", BOOL)})
CALLEE = parse("def reads(x: f32[4]):\n    x[0] = Cfg.a", Cfg=CFG)
WRITER = parse("def writes(x: f32[4]):\n    Cfg.a = 1.0\n    x[0] = 1.0", Cfg=CFG)
ASSERTS = parse("def asserts(x: f32[4]):\n    assert Cfg.n > 0\n    x[0] = 1.0", Cfg=CFG)
PLAIN = parse("def plain(n: index, x: f32[4]):\n    x[0] = 1.0")
SCALAR = parse("def scalar(x: f32):\n    x = 1.0")
PICKS = parse("def picks(n: index, x: f32[4]):\n    if n > 0: x[0] = 1.0")
SCOPE = {"picks": PICKS, "asserts": ASSERTS, "Cfg": CFG, "reads": CALLEE, "writes": WRITER, "plain": PLAIN, "scalar": SCALAR}


def program(body: str) -> Procedure:
    return parse("def foo(x: f32[4], y: f32[4]):\n    " + body.replace("\n", "\n    "), **SCOPE)


@pytest.mark.parametrize("operator", [rename, autolift_alloc, lambda proc, block: extract_subproc(proc, block, "bar")])
def test_the_first_argument_must_be_a_procedure(operator: Callable[..., object]) -> None:
    with pytest.raises(UsageError, match="the first argument must be a procedure, got str") as caught:
        operator("foo", "bar")
    assert caught.value.code == "E405"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda p: rename(p), "rename: missing a required argument: 'name'"),
        (lambda p: rename(p, "a", "b"), "rename: too many positional arguments"),
        (lambda p: rename(p, "a", to="b"), "rename: got an unexpected keyword argument 'to'"),
        (lambda p: rename(p, "a", name="b"), "rename: multiple values for argument 'name'"),
        (lambda p: rename(), "rename: the first argument must be a procedure"),
    ],
)
def test_arguments_of_another_number_or_name_are_refused(step: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(UsageError, match=message) as caught:
        step(PLAIN)
    assert caught.value.code == "E405"
    assert "first argument" in message or list(caught.value.notes) == ["it takes: proc: Procedure, name: str"]


def test_only_cursors_are_forwarded() -> None:
    with pytest.raises(SchedulingError, match="forward takes a cursor, got 'x = _'") as caught:
        PLAIN.forward("x = _")  # type: ignore[type-var]
    assert caught.value.code == "E404"


def test_a_procedure_is_made_of_well_formed_code_only() -> None:
    fill = parse("def f(x: f32[4]):\n    for i in seq(0, 4): x[i] = 1.0").ir
    with pytest.raises(AssertionError, match=r"ill-formed(.|\n)*bound twice"):
        from_ir(update(fill, body=fill.body * 2))


@pytest.mark.parametrize(
    "body",
    [
        "x[0] = Cfg.a",
        "Cfg.a = Cfg.a * 2.0\nx[0] = Cfg.a",
        "Cfg.on = True\ncheck(Cfg.on)",
        "if Cfg.on: x[0] = 1.0",
        "for i in seq(0, max(0, Cfg.n)): x[0] = 1.0",
        "Cfg.n = 3\nplain(Cfg.n, x)",
        "reads(x)",
        "writes(x)",
        "Cfg.n = 3\nasserts(x)",
    ],
)
def test_procedures_that_touch_configuration_are_like_any_other(body: str) -> None:
    p = program(body)
    assert isinstance(insert_pass(p, p.body()[0].before()).body()[0].node, Pass)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        ("Cfg.on = False\nif Cfg.on: x[0] = 1.0", "Cfg.on"),
        ("for i in seq(0, max(0, Cfg.n)):\n    Cfg.n = 1", "Cfg.n"),
        ("Cfg.n = 0\nfor i in seq(min(0, Cfg.n), 0): pass", "Cfg.n"),
        ("Cfg.n = 1\nx[Cfg.n] = 1.0", "Cfg.n"),
        ("Cfg.n = 1\nx[Cfg.n] += 1.0", "Cfg.n"),
        ("Cfg.n = 1\nx[0] = x[Cfg.n]", "Cfg.n"),
        ("Cfg.n = 1\nscalar(x[Cfg.n])", "Cfg.n"),
        ("writes(x)\nif Cfg.a > 0.0: x[0] = 1.0", "Cfg.a"),
    ],
)
def test_control_that_reads_a_field_that_is_written_is_refused(body: str, field: str) -> None:
    p = program(body)
    with pytest.raises(SchedulingError, match=rf"a loop bound, condition or index reads {field}, which foo writes") as caught:
        insert_pass(p, p.body()[0].before())
    assert caught.value.code == "E420"
    assert rename(p, "bar").name() == "bar"
    steps = [c for c in p.body() if not str(c).startswith("Cfg")]
    assert write_config(p, steps[-1].after(), CFG, "n", 2).history()[-1].modulo == {CFG.sym("n")}


def test_an_operator_does_not_make_such_control() -> None:
    p = program("Cfg.on = True\npicks(Cfg.n, x)\nCfg.n = 2")
    with pytest.raises(SchedulingError, match=r"reads Cfg\.n, which foo writes") as caught:
        inline(p, "picks(_)")
    assert caught.value.code == "E420"


def test_formals_that_may_overlap_are_refused_but_for_a_new_name() -> None:
    p = parse("def foo(x: f32[4], y: f32[4]):\n    for i in seq(0, 4): x[0] = y[0]")
    overlapping = from_ir(update(p.ir, aliasable=("x", "y")))
    with pytest.raises(SchedulingError, match="may overlap") as caught:
        remove_loop(overlapping, "i")
    assert caught.value.code == "E421"
    assert rename(overlapping, "bar").name() == "bar"
    remove_loop(p, "i")


def test_an_instruction_keeps_what_its_text_does() -> None:
    p = parse("def foo(n: size, x: f32[n]):\n    x[0] = 1.0")
    instruction = from_ir(update(p.ir, instr=InstrTemplate("foo({x});")))
    with pytest.raises(SchedulingError, match="an instruction, whose C text does not change along") as caught:
        set_window(instruction, "x", True)
    assert caught.value.code == "E422"
    assert add_assertion(instruction, "n > 4").history()[-1].relation is Relation.NARROWER
