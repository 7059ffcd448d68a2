"""Records that one instruction sets as a whole, constants among them; strides of parts of buffers; implicit registers."""

from __future__ import annotations

import pytest

pytest.importorskip("numpy")

from usl_conformance.configs import find_setup
from usl_conformance.controls import admissible
from usl_conformance.layouts import layouts, stored_shape
from usl_conformance.names import check_names
from usl_core import Config, make_instr, proc_from_source
from usl_core.ir.config import ConfigField
from usl_core.ir.memory import Memory
from usl_core.ir.printer import show_expr
from usl_core.ir.types import BOOL, F32, INDEX


class TILES(Memory):
    """Not addressable."""

    name = "TILES"
    addressable = False


REC = Config(
    "Rec",
    {
        "step": ConfigField("step", INDEX, readable=False),
        "words": ConfigField("words", INDEX, readable=False),
        "plain": ConfigField("plain", BOOL, readable=False),
        "scale": ConfigField("scale", F32, readable=False),
    },
)
SCOPE = {"Rec": REC, "TILES": TILES}


def instruction(text, template="run();", **options):
    return make_instr(proc_from_source(text, SCOPE), template, **options).ir


SCALED = instruction("""
def set_scaled(step: index, words: index, scale: f32):
    assert words >= 1
    Rec.step = step
    Rec.words = words
    Rec.scale = scale
    Rec.plain = False
""")
PLAIN = instruction("""
def set_plain(step: index, words: index):
    assert words >= 1
    Rec.step = step
    Rec.words = words
    Rec.scale = 1.0
    Rec.plain = True
""")


def test_the_setter_is_taken_whose_constants_the_assertions_admit():
    load = instruction("""
def load(n: size, x: [f32][n, 4]):
    assert Rec.plain
    assert 4 * Rec.step == stride(x, 0)
    x[0, 0] = Rec.scale
""")
    found = find_setup(load, [load, SCALED, PLAIN])
    assert [setter.name for setter in found.setters] == ["set_plain"]
    shown = {name: show_expr(value) for (_, name), value in found.values.items()}
    assert shown == {"plain": "True", "step": "stride(x, 0) / 4", "scale": "1.0"}
    assert not found.data and not found.free
    (call,) = found.calls(lambda expr: expr, {})
    assert show_expr(call.args[0]) == "stride(x, 0) / 4"
    assert not any("Rec" in show_expr(pred) for pred in found.preds(load))


def test_fields_of_one_record_come_from_one_setter():
    load = instruction("def load(x: [f32][4]):\n    assert not Rec.plain\n    x[0] = Rec.scale\n")
    found = find_setup(load, [PLAIN, SCALED])
    assert [setter.name for setter in found.setters] == ["set_scaled"]
    assert [(name, arg.type) for (_, name), arg in found.data.items()] == [("scale", F32)]


def test_constants_that_no_setter_writes_are_a_reason():
    load = instruction("def load(x: [f32][4]):\n    assert Rec.plain\n    x[0] = 0.0\n")
    assert find_setup(load, [SCALED]) == "no instruction of the plugin only sets Rec.plain"


def test_a_part_of_a_larger_buffer_has_the_strides_that_assertions_fix():
    move = instruction("""
def move(n: size, m: size, x: [f32][m, n, 4] @ TILES):
    assert n <= 8
    assert m <= 2
    assert m <= 1 or stride(x, 0) == 8 * 4
    assert stride(x, 1) == 4
    for i in seq(0, n):
        x[0, i, 0] = 0.0
""")
    (arg,) = [arg for arg in move.args if arg.mem is TILES]
    for controls in admissible(move):
        m, n = (controls[each.name] for each in (move.args[1], move.args[0]))
        rows = 8 if m > 1 else n
        assert stored_shape(move, arg, controls) == (m, rows, 4) and n <= 8
        assert [layout[arg.name] for layout in layouts(move, controls, [])] == [(4 * rows, 4, 1)]


def test_a_register_that_the_template_cannot_mention_is_said_to_be_implicit():
    text = "def multiply(w: [f32][4] @ TILES):\n    for i in seq(0, 4):\n        w[i] = 0.0\n"
    (finding,) = check_names(instruction(text))
    assert "the body writes w, but the template never mentions it" in finding.problem and "implicit=('w',)" in finding.likely
    implicit = instruction(text, implicit=("w",))
    assert not list(check_names(implicit)) and "implicit=('w',)" in str(
        make_instr(proc_from_source(text, SCOPE), "run();", implicit=("w",))
    )
