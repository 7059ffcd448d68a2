"""Single conditions of the operators on calls that their own tests do not single out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation, why_not_exchangeable
from usl_core.errors import SchedulingError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Alloc, For
from usl_core.ir.traverse import walk
from usl_core.ir.types import F32
from usl_core.ir.verify import verify
from usl_core.primitives.buffers.lift_alloc import lift_alloc
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.calls.call_eqv import call_eqv, interface_difference
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.calls.replace import replace


class REG(DRAM):
    name = "REG"


CFG = Config("Cfg", {"a": ConfigField("a", F32)})
CONFIGURED = parse("def configured(d: [f32][4]):\n    for i in seq(0, 4): d[i] = Cfg.a", Cfg=CFG)
F = parse("def f(d: f32[4]):\n    for i in seq(0, 4):\n        t: f32\n        t = 1.0\n        d[i] = t")
WIDE = parse("def wide(d: [f64][4]):\n    for i in seq(0, 4): d[i] = 1.0")
P = parse("def foo(x: f32[4]):\n    f(x)\n    for i in seq(0, 4): x[i] = 1.0\n    for j in seq(0, 4): x[j] = 2.0", f=F)
REFINED = lift_alloc(F, "t")

CASES: list[tuple[Callable[[], Any], str, str]] = [
    (lambda: call_eqv(P, "f(_)", CONFIGURED), "E431", "was not made from"),
    (lambda: call_eqv(P, "f(_)", WIDE), "E431", "was not made from"),
    (lambda: call_eqv(P, "f(_)", set_memory(F, "d", REG)), "E431", "another precision or interface"),
    (lambda: call_eqv(P, "f(_)", set_precision(F, "t", "f64")), "E431", "another precision or interface"),
    (lambda: call_eqv(call_eqv(P, "f(_)", REFINED), "f(_)", F), "E431", "is only a refinement"),
    (lambda: replace(P, P.find_loop("i"), CONFIGURED), "E430", "the expressions differ"),
    (lambda: replace(P, P.find_loop("i"), WIDE), "E430", "does not match"),
]


@pytest.mark.parametrize(
    ("step", "code", "message"), CASES, ids=[f"{n}-{message[:20]}" for n, (*_, message) in enumerate(CASES)]
)
def test_each_condition_by_itself_is_refused(step: Callable[[], Any], code: str, message: str) -> None:
    with pytest.raises(SchedulingError, match=message) as caught:
        step()
    assert caught.value.code == code


def test_a_call_of_a_refinement_makes_the_caller_a_refinement() -> None:
    called = call_eqv(P, "f(_)", REFINED)
    assert called.history()[-1].relation is Relation.REFINES
    assert why_not_exchangeable(called.ir, P.ir) is not None
    assert why_not_exchangeable(P.ir, called.ir) is None


def test_two_inlined_calls_of_one_procedure_share_no_names() -> None:
    twice = parse("def foo(x: f32[4]):\n    f(x)\n    f(x)", f=F)
    both = inline(inline(twice, "f(_)"), "f(_)")
    verify(both.ir)
    bound = [n.iter if isinstance(n, For) else n.name for n in walk(both.ir) if isinstance(n, For | Alloc)]
    assert len(bound) == len(set(bound)) == 4
    assert not {n.name for n in walk(F.ir) if isinstance(n, Alloc)} & set(bound)


def test_interfaces_differ_in_number_type_memory_and_aliasing() -> None:
    assert interface_difference(F.ir, F.ir) is None
    assert interface_difference(F.ir, parse("def g(d: f32[4], e: f32): d[0] = 1.0").ir) == "1 arguments against 2"
    for head in ("d: f64[4]", "d: f32[4, 4]", "d: [f32][4]", "d: f32", "d: f32[4] @ REG"):
        index = {"d: f32[4, 4]": "[0, 0]", "d: f32": ""}.get(head, "[0]")
        assert interface_difference(F.ir, parse(f"def g({head}): d{index} = 1.0", REG=REG).ir) == "argument d"
