"""Instructions as subjects of operators: while its C text stays, what an instruction's body means stays as well."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace

import pytest

from tests.corpus import legal
from tests.corpus.case import Legal, cases_in
from tests.primitives.config.programs import CFG, program
from usl_core.equivalence import Relation
from usl_core.errors import SchedulingError, Undecided
from usl_core.ir.nodes import InstrTemplate
from usl_core.ir.traverse import update
from usl_core.procedure import Procedure, from_ir, proc_from_source
from usl_core.scheduling import bind_config, call_eqv, delete_config, make_instr, write_config

Operator = Callable[[Procedure], Procedure]


def instruction(body: str) -> Procedure:
    return as_instruction(program(body))


def as_instruction(p: Procedure) -> Procedure:
    return from_ir(update(p.ir, instr=InstrTemplate("text();")), "instruction")


@pytest.mark.parametrize(
    ("body", "step"),
    [
        ("x[0] = 1.0", lambda p: write_config(p, p.body()[0].after(), CFG, "a", 3)),
        ("Cfg.a = 3", lambda p: delete_config(p, "Cfg.a = _")),
        ("Cfg.a = 3\nx[0] = 1.0", lambda p: delete_config(p, "Cfg.a = _")),
        ("takes(n, x[0:1])", lambda p: bind_config(p, p.find("takes(_)").args()[0], CFG, "a")),
        ("set_both(n)", lambda p: delete_config(p, "set_both(_)")),
    ],
    ids=["write_config", "delete_config", "delete_config-beside", "bind_config", "delete_config-call"],
)
def test_an_instruction_sets_the_registers_that_its_text_sets(body: str, step: Operator) -> None:
    assert step(program(body)).history()[-1].modulo
    with pytest.raises(SchedulingError, match="is an instruction, whose C text does not change along") as caught:
        step(instruction(body))
    assert caught.value.code == "E422"


def test_a_write_that_makes_no_difference_may_come_and_go() -> None:
    twice = instruction("Cfg.a = 3\nCfg.a = 3")
    assert delete_config(twice, "Cfg.a = _ #1").is_instr()
    assert delete_config(twice, "Cfg.a = _").is_instr()
    assert write_config(twice, twice.body()[0].after(), CFG, "a", 7).is_instr()


def test_a_procedure_is_changed_first_and_made_an_instruction_then() -> None:
    plain = program("x[0] = 1.0")
    setting = make_instr(write_config(plain, plain.body()[0].after(), CFG, "a", 3), "set_a_and_x({x.ptr});")
    calling = proc_from_source("def top(n: size, q: bool, s: f32, x: f32[n + 1]):\n    f(n, q, s, x)\n", {"f": plain})
    assert call_eqv(calling, "f(_)", setting).history()[-1].modulo == frozenset({CFG.sym("a")})


CASES: dict[str, Legal] = {case.operator: case for case in cases_in(legal)}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES)
def test_every_step_on_an_instruction_is_exact_or_refused(case: Legal) -> None:
    names = case.program.names()
    subject = as_instruction(case.program.procedure(names))
    try:
        after = case.step(subject, SimpleNamespace(**names)) if case.callees else case.step(subject)
    except (SchedulingError, Undecided):
        return
    for step in after.history()[1:]:
        assert step.relation in (Relation.EQUAL, Relation.NARROWER) and not step.modulo
