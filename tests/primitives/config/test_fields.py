"""What every operator holds to where configuration fields are read by control expressions."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis.context import Context
from usl_core.analysis.exposed import exposed_read
from usl_core.errors import SchedulingError, UslError
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import Alloc
from usl_core.ir.types import INDEX
from usl_core.primitives.calls.inline import inline
from usl_core.primitives.config.write_config import write_config
from usl_core.primitives.loops.join_loops import join_loops
from usl_core.procedure import Procedure

REGS = Config("Regs", {"a": ConfigField("a", INDEX)})
WITH_BUFFER = parse("def with_buffer(k: index, y: f32[4]):\n    assert k >= 1\n    t: f32[k]\n    t[0] = 1.0\n    y[0] = t[0]")
WITH_WINDOW = parse("def with_window(k: index, y: f32[4]):\n    assert k >= 0 and k < 4\n    w = y[k:4]\n    w[0] = 1.0")
PLAIN = parse("def plain(k: index, y: f32[4]):\n    y[0] = 1.0")
SCALAR = parse("def scalar(s: f32):\n    s = 1.0")
FILL = parse("def fill(t: f32[4]):\n    for i in seq(0, min(4, max(0, Regs.a))):\n        t[i] = 1.0", Regs=REGS)
FILL_TO = parse("def fill_to(k: index, t: f32[4]):\n    assert 0 <= k and k <= 4\n    for i in seq(0, k):\n        t[i] = 1.0")
CALLEES = {p.ir.name: p for p in (WITH_BUFFER, WITH_WINDOW, PLAIN, SCALAR, FILL, FILL_TO)}


def program(body: str) -> Procedure:
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return parse(f"def foo(n: size, y: f32[4]):\n    assert 1 <= Regs.a and Regs.a < 4\n{lines}", Regs=REGS, **CALLEES)


@pytest.mark.parametrize(
    "body",
    [
        "for i in seq(Regs.a, 4):\n    y[i] = 1.0",
        "for i in seq(0, Regs.a):\n    y[i] = 1.0",
        "plain(Regs.a, y)",
        "scalar(y[Regs.a])",
        "y[Regs.a] = 1.0",
        "if Regs.a == 2:\n    y[0] = 1.0",
    ],
)
def test_a_field_that_decides_what_runs_is_read_there(body: str) -> None:
    p = program(f"pass\n{body}")
    with pytest.raises(SchedulingError, match=r"Regs\.a may be read before it is written again") as caught:
        write_config(p, p.find("pass").after(), REGS, "a", 3)
    assert caught.value.code == "E440"


@pytest.mark.parametrize("call", ["with_buffer(max(1, Regs.a), y)", "with_window(max(0, min(3, Regs.a)), y)"])
def test_no_shape_comes_to_read_a_field(call: str) -> None:
    """Also where nothing else in the procedure uses the field."""
    p = parse(f"def foo(y: f32[4]):\n    {call}", Regs=REGS, **CALLEES)
    with pytest.raises(SchedulingError, match=r"would read Regs\.a") as caught:
        inline(p, p.body()[0])
    assert caught.value.code == "E420"


def test_a_bound_that_one_loop_changes_for_the_next_is_not_taken_for_the_same() -> None:
    p = program(
        "Regs.a = 2\nfor i in seq(0, Regs.a):\n    y[i] += 1.0\n    Regs.a = 3\n"
        "for i in seq(Regs.a, 4):\n    y[i] += 1.0\n    Regs.a = 3"
    )
    with pytest.raises(SchedulingError, match=r"reads Regs\.a, which foo writes") as caught:
        join_loops(p, "i", "i #1")
    assert caught.value.code == "E420"


@pytest.mark.parametrize("call", ["fill(t)", "fill_to(Regs.a, t)"])
def test_what_is_written_as_far_as_a_field_says_is_not_written_for_certain(call: str) -> None:
    """The field may say that only some elements are written, so that the last one is still what it was before."""
    p = program(f"t: f32[4]\n{call}\ny[0] = t[3]")
    alloc = p.ir.body[0]
    assert isinstance(alloc, Alloc)
    ctx = Context.of_proc(p.ir).after(alloc)
    assert exposed_read(ctx, p.ir.body[1:], alloc.name) is not None


def test_a_branch_that_a_changing_field_chooses_writes_nothing_for_certain() -> None:
    p = program("t: f32[4]\nif n > 2:\n    Regs.a = 2\nif Regs.a == 2:\n    t[0] = 1.0\ny[0] = t[0]")
    alloc = p.ir.body[0]
    assert isinstance(alloc, Alloc)
    ctx = Context.of_proc(p.ir).after(alloc)
    assert exposed_read(ctx, p.ir.body[1:], alloc.name) is not None


@pytest.mark.parametrize(("comparisons", "known"), [(3, True), (12, True), (40, False)])
def test_a_value_is_known_under_a_condition_of_some_comparisons_but_not_of_very_many(comparisons: int, known: bool) -> None:
    sizes = [f"n{k}" for k in range(comparisons)]
    condition = " and ".join(f"{name} > 5" for name in sizes)
    text = f"""
def foo({", ".join(f"{name}: size" for name in sizes)}, y: f32[4]):
    if {condition}:
        Regs.a = 3
    if {condition}:
        needs_three(y)
"""
    needs_three = parse("def needs_three(y: f32[4]):\n    assert Regs.a == 3\n    y[0] = 1.0", Regs=REGS)
    if known:
        parse(text, Regs=REGS, needs_three=needs_three)
    else:
        with pytest.raises(UslError):
            parse(text, Regs=REGS, needs_three=needs_three)
