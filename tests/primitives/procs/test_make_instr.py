"""make_instr: a procedure becomes an instruction."""

from __future__ import annotations

import pytest

from tests.primitives.equivalence import parse
from usl_core.equivalence import Relation
from usl_core.errors import ParseError, SchedulingError, UsageError
from usl_core.ir.memory import DRAM
from usl_core.primitives.buffers.set_memory import set_memory
from usl_core.primitives.calls.call_eqv import call_eqv
from usl_core.primitives.calls.replace import replace
from usl_core.primitives.procs.make_instr import make_instr
from usl_core.procedure import proc_from_source

FILL = parse("def fill(n: size, dst: [f32][n], value: f32):\n    for i in seq(0, n):\n        dst[i] = value")


def test_make_instr_declares_a_template():
    q = make_instr(FILL, "fill({n}, &{dst.ptr}, {value});", includes=["fill.h"], features=["avx512f"], roundings=0)
    assert q.is_instr() and not FILL.is_instr()
    info = q.ir.instr
    assert (
        info is not None
        and info.template.startswith("fill(")
        and info.includes == ("fill.h",)
        and info.features == ("avx512f",)
    )
    assert q.forward(FILL.find("i")).node is q.find("i").node
    assert q.history()[-1].relation is Relation.EQUAL


def test_an_instruction_made_so_can_be_selected_and_exchanged():
    q = make_instr(FILL, "fill({n}, &{dst.ptr}, {value});")
    p = parse("def f(x: f32[8], a: f32):\n    for i in seq(0, 8):\n        x[i] = a")
    assert "fill(8, x[0:8], a)" in str(replace(p, "for i in _: _", q))
    caller = parse("def f(x: f32[8], a: f32):\n    fill(8, x[0:8], a)", fill=FILL)
    assert call_eqv(caller, "fill(_)", q).find("fill(_)").subproc().is_instr()
    with pytest.raises(SchedulingError, match="is an instruction"):
        set_memory(q, "dst", DRAM)


@pytest.mark.parametrize(
    ("template", "options", "message"),
    [
        ("f({m});", {}, "m is not a formal"),
        ("f({n.ptr});", {}, "n has no ptr"),
        ("f({dst.stride1});", {}, "dst has no stride1"),
        ("f({0});", {}, "is not the name of a formal"),
        (3, {}, "template must be a text, got 3"),
        ("f();", {"includes": "fill.h"}, "includes must be a list of which each is a text"),
        ("f();", {"features": [1]}, "features must be a list of which each is a text"),
        ("f();", {"roundings": -1}, "roundings is None"),
    ],
)
def test_make_instr_refuses(template: object, options: dict[str, object], message: str):
    with pytest.raises(UsageError if "must be" in message else SchedulingError, match=message):
        make_instr(FILL, template, **options)  # type: ignore[arg-type]


def test_make_instr_refuses_an_instruction():
    with pytest.raises(SchedulingError, match="is an instruction already") as caught:
        make_instr(make_instr(FILL, "f();"), "g();")
    assert caught.value.code == "E422"


def test_whether_subnormal_numbers_are_kept_is_declared_printed_and_read_back():
    q = make_instr(FILL, "fill({n}, &{dst.ptr}, {value});", subnormals="flushed")
    assert "subnormals='flushed'" in str(q)
    assert proc_from_source(str(q)).ir.instr == q.ir.instr
    with pytest.raises(UsageError, match="subnormals must be 'kept' or 'flushed', got 'gone'"):
        make_instr(FILL, "fill({n}, &{dst.ptr}, {value});", subnormals="gone")
    with pytest.raises(ParseError, match="subnormals must be 'kept' or 'flushed', got 'gone'"):
        proc_from_source(str(q).replace("flushed", "gone"))


def test_the_assurance_names_the_instructions_that_flush_subnormal_numbers_also_below_what_is_called():
    flushing = make_instr(FILL, "fill({n}, &{dst.ptr}, {value});", subnormals="flushed")
    keeping = make_instr(FILL, "fill({n}, &{dst.ptr}, {value});")
    text = "def {name}(x: f32[8], v: f32):\n    {callee}(8, x[0:8], v)\n"

    def calls(callee, inner, name):
        return proc_from_source(text.format(name=name, callee=inner), {inner: callee})

    assert calls(keeping, "fill", "f").assurance() == "every step proved"
    outer = proc_from_source("def g(x: f32[8], v: f32):\n    f(x, v)\n", {"f": calls(flushing, "fill", "f")})
    assert outer.assurance() == "every step proved, up to: subnormal numbers, which fill may take for zeros"
