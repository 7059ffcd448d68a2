"""What every operator refuses before it looks at its arguments: what is no procedure, arguments of another number or name,
configuration state, formals that may overlap, and less than the C text of an instruction does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import InstrTemplate
from usl_core.ir.traverse import update
from usl_core.ir.types import BOOL, F32, INDEX
from usl_core.primitives.buffers.autolift_alloc import autolift_alloc
from usl_core.primitives.buffers.set_window import set_window
from usl_core.primitives.calls.extract_subproc import extract_subproc
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
SCOPE = {"Cfg": CFG, "reads": CALLEE, "writes": WRITER, "plain": PLAIN, "scalar": SCALAR}


def program(body: str) -> Procedure:
    return parse("def foo(x: f32[4], y: f32[4]):\n    " + body.replace("\n", "\n    "), **SCOPE)


@pytest.mark.parametrize("operator", [rename, autolift_alloc, lambda proc, block: extract_subproc(proc, block, "bar")])
def test_the_first_argument_must_be_a_procedure(operator: Callable[..., object]) -> None:
    with pytest.raises(SchedulingError, match="the first argument must be a procedure, got str") as caught:
        operator("foo", "bar")
    assert caught.value.code == "E404"


@pytest.mark.parametrize(
    ("step", "message"),
    [
        (lambda p: rename(p), "rename: missing a required argument: 'name'"),
        (lambda p: rename(p, "a", "b"), "rename: too many positional arguments"),
        (lambda p: rename(p, "a", to="b"), "rename: got an unexpected keyword argument 'to'"),
        (lambda p: rename(), "rename: the first argument must be a procedure"),
    ],
)
def test_arguments_of_another_number_or_name_are_refused(step: Callable[[Any], Any], message: str) -> None:
    with pytest.raises(SchedulingError, match=message) as caught:
        step(PLAIN)
    assert caught.value.code == "E404"
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
        "x[0] += Cfg.a * 2.0",
        "Cfg.a = 1.0",
        "Cfg.a = Cfg.a * 2.0",
        "check(Cfg.on)",
        "if Cfg.on: x[0] = 1.0",
        "for i in seq(0, max(0, Cfg.n)): x[0] = 1.0",
        "for i in seq(min(0, Cfg.n), 0): pass",
        "t: f32[max(1, Cfg.n)]\npass",
        "w = x[max(0, min(2, Cfg.n)):4]\nw[0] = 1.0",
        "plain(Cfg.n, x)",
        "scalar(x[max(0, min(3, Cfg.n))])",
        "reads(x)",
        "writes(x)",
    ],
)
def test_procedures_that_touch_configuration_are_refused(body: str) -> None:
    p = program(body)
    with pytest.raises(SchedulingError, match="reads, writes or asserts on a configuration field") as caught:
        insert_pass(p, p.body()[0].before())
    assert caught.value.code == "E420"
    assert rename(p, "bar").name() == "bar"


def test_an_assertion_on_configuration_is_refused_too() -> None:
    with pytest.raises(SchedulingError, match="configuration field"):
        insert_pass(ASSERTS, ASSERTS.body()[0].before())


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
