"""Every way in which two blocks can differ is seen by `same_meaning`, which `replace` relies on."""

from __future__ import annotations

from textwrap import dedent, indent

import pytest

from tests.primitives.equivalence import parse
from usl_core.analysis.context import Context
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.memory import DRAM
from usl_core.ir.nodes import Call, If, Interval, Read, ReadConfig, index_literal
from usl_core.ir.types import F32, INDEX
from usl_core.primitives.calls.agreement import held, same_meaning
from usl_core.primitives.calls.inlining import inlined


class REG(DRAM):
    name = "REG"


CFG = Config("Cfg", {"a": ConfigField("a", F32), "b": ConfigField("b", F32), "n": ConfigField("n", INDEX)})
OTHER = Config("Other", {"a": ConfigField("a", F32)})
COPY = parse("def copy(d: [f32][4], s: [f32][4]):\n    for i in seq(0, 4):\n        d[i] = s[i]")
MOVE = parse("def move(d: [f32][4], s: [f32][4]):\n    for i in seq(0, 4):\n        d[i] = s[i]")
HEAD = "def foo(n: size, m: index, c: bool, which: bool, x: f32[16], y: f32[16], z: f64[4, 16], k: i32, l: i32):"
SCOPE = {"REG": REG, "Cfg": CFG, "Other": OTHER, "copy": COPY, "move": MOVE}


def agree(new: str, old: str) -> bool:
    """Whether two blocks over the same formals are found to be the same; they are the branches of one `if`."""
    branches = f"if which:\n{indent(dedent(new).strip(), '    ')}\nelse:\n{indent(dedent(old).strip(), '    ')}"
    program = parse(f"{HEAD}\n    assert m >= 0 and m < 12 and n > 5\n{indent(branches, '    ')}", **SCOPE)
    (choice,) = program.ir.body
    assert isinstance(choice, If)
    return same_meaning(Context.of_proc(program.ir), choice.body, choice.orelse)


DIFFERENT = [
    ("x[0] = 1.0\nx[1] = 1.0", "x[0] = 1.0"),
    ("x[0] = 1.0", "x[0] = 1.0\nx[1] = 1.0"),
    ("x[0] = 1.0", "x[0] += 1.0"),
    ("x[0] = 1.0", "pass"),
    ("for i in seq(0, 4): x[i] = 1.0", "for i in seq(0, 5): x[i] = 1.0"),
    ("for i in seq(1, 4): x[0] = 1.0", "for i in seq(0, 4): x[0] = 1.0"),
    ("for i in par(0, 4): x[i] = 1.0", "for i in seq(0, 4): x[i] = 1.0"),
    ("for i in seq(0, 1): x[0] = 1.0", "x[0] = 1.0"),
    ("if n > 0: x[0] = 1.0", "x[0] = 1.0"),
    ("x[0] = 1.0", "if n > 0: x[0] = 1.0"),
    ("for i in seq(0, 4): x[i] = 1.0", "for i in seq(0, 4): x[i] = 2.0"),
    ("for i in seq(1, 5): x[i] = 1.0", "for i in seq(0, 4): x[i] = 1.0"),
    ("for i in seq(0, 4): x[i] = 1.0", "pass"),
    ("for i in seq(0, 4): x[i] = 1.0", "if c: x[0] = 1.0"),
    ("if c: x[0] = 1.0", "for i in seq(0, 4): x[i] = 1.0"),
    ("if c: x[0] = 1.0", "pass"),
    ("if n > 6: x[0] = 1.0", "if n > 7: x[0] = 1.0"),
    ("if x[0] < 1.0: x[0] = 1.0", "if x[1] < 1.0: x[0] = 1.0"),
    ("if x[0] < 1.0: x[0] = 1.0", "if n > 6: x[0] = 1.0"),
    ("if c: x[0] = 1.0", "if c: x[0] = 2.0"),
    ("if c: x[0] = 1.0\nelse: x[0] = 2.0", "if c: x[0] = 1.0\nelse: x[0] = 3.0"),
    ("if c: x[0] = 1.0\nelse: x[0] = 2.0", "if c: x[0] = 1.0"),
    ("t: f32[4]\npass", "t: f64[4]\npass"),
    ("t: f32[4]\npass", "t: f32[5]\npass"),
    ("t: f32[4]\npass", "t: f32[4, 1]\npass"),
    ("t: f32\npass", "t: f64\npass"),
    ("t: f32\npass", "t: f32[4]\npass"),
    ("t: f32[4] @ REG\npass", "t: f32[4]\npass"),
    ("t: f32\nu: f32\nt = 1.0", "t: f32\nu: f32\nu = 1.0"),
    ("w = x[0:4]\nw[0] = 1.0", "w = x[0:5]\nw[0] = 1.0"),
    ("w = x[0:5]\nw[0] = 1.0", "w = x[1:5]\nw[0] = 1.0"),
    ("w = x[0:4]\nw[0] = 1.0", "w = y[0:4]\nw[0] = 1.0"),
    ("w = z[0, 0:4]\nw[0] = 1.0", "w = z[1, 0:4]\nw[0] = 1.0"),
    ("w = z[0:4, 0]\nw[0] = 1.0", "w = z[0, 0:4]\nw[0] = 1.0"),
    ("w = x[0:4]\nv = x[4:8]\nw[0] = 1.0", "w = x[0:4]\nv = x[4:8]\nv[0] = 1.0"),
    ("x[0] = 1.0", "y[0] = 1.0"),
    ("x[0] = 1.0", "x[1] = 1.0"),
    ("x[m] = 1.0", "x[m + 1] = 1.0"),
    ("x[0] = 1.0", "x[0] = 2.0"),
    ("x[0] += 1.0", "x[0] += 2.0"),
    ("x[0] = y[0]", "x[0] = 1.0"),
    ("x[0] = y[0]", "x[0] = x[0]"),
    ("x[0] = y[0]", "x[0] = y[1]"),
    ("copy(x[0:4], y[0:4])", "move(x[0:4], y[0:4])"),
    ("copy(x[0:4], y[0:4])", "copy(x[0:4], y[1:5])"),
    ("copy(x[0:4], y[0:4])", "copy(y[0:4], x[0:4])"),
    ("Cfg.a = 1.0", "Other.a = 1.0"),
    ("Cfg.a = 1.0", "Cfg.b = 1.0"),
    ("Cfg.a = 1.0", "Cfg.a = 2.0"),
    ("x[0] = Cfg.a", "x[0] = Cfg.b"),
    ("x[0] = Cfg.a", "x[0] = Other.a"),
    ("Cfg.a = Cfg.b\nCfg.b = 2.0\nx[0] = Cfg.a", "Cfg.a = Cfg.b\nCfg.b = 2.0\nx[0] = Cfg.b"),
    ("Cfg.a = 2.0\nx[0] = Cfg.a", "Cfg.a = 2.0\nx[0] = 3.0"),
    ("check(n > 6)", "check(n > 7)"),
    ("x[0] = y[0] + y[1]", "x[0] = y[0] * y[1]"),
    ("x[0] = y[0] + y[1]", "x[0] = y[0] + y[2]"),
    ("x[0] = y[0] + y[1]", "x[0] = y[2] + y[1]"),
    ("x[0] = -y[0]", "x[0] = -y[1]"),
    ("x[0] = -y[0]", "x[0] = y[0]"),
    ("x[0] = sqrt(y[0])", "x[0] = sin(y[0])"),
    ("x[0] = sqrt(y[0])", "x[0] = sqrt(y[1])"),
    ("x[0] = f32(f64(y[0]))", "x[0] = f32(R(y[0]))"),
    ("z[0, 0] = f64(y[0])", "z[0, 0] = f64(y[1])"),
    ("x[0] = f32(n)", "x[0] = f32(n + 1)"),
    ("x[idx(k, 0, 4)] = 1.0", "x[idx(l, 0, 4)] = 1.0"),
    ("x[idx(k, 0, 4)] = 1.0", "x[idx(k, 0, 5)] = 1.0"),
    ("x[idx(k, 0, 4)] = 1.0", "x[idx(k, 1, 4)] = 1.0"),
    ("x[idx(k, 0, 4) + 1] = 1.0", "x[idx(k, 0, 4) - 0] = 1.0"),
    ("x[idx(k, 0, 4) + 1] = 1.0", "x[idx(k, 0, 4) + 2] = 1.0"),
    ("x[idx(k, 0, 4)] = 1.0", "x[2] = 1.0"),
    ("x[2 * idx(k, 0, 2) + idx(l, 0, 2)] = 1.0", "x[2 * idx(l, 0, 2) + idx(k, 0, 2)] = 1.0"),
    ("x[2 * idx(k, 0, 2) + idx(l, 0, 2)] = 1.0", "x[idx(k, 0, 2) + 2 * idx(l, 0, 2)] = 1.0"),
    ("x[idx(k, 0, 4)] = 1.0", "x[idx(k, 0, 4) - idx(k, 0, 4) + 4] = 1.0"),
    ("x[min(idx(k, 0, 4), m)] = 1.0", "x[max(idx(k, 0, 4), m)] = 1.0"),
]


@pytest.mark.parametrize(("new", "old"), DIFFERENT)
def test_blocks_that_differ_are_told_apart(new: str, old: str) -> None:
    assert not agree(new, old)
    assert agree(new, new)
    assert agree(old, old)


@pytest.mark.parametrize(
    ("new", "old"),
    [
        ("for i in seq(1, 5): x[i - 1] = 1.0", "for j in seq(0, 4): x[j] = 1.0"),
        ("if n > 6: x[0] = 1.0", "if not_(n <= 6): x[0] = 1.0".replace("not_(n <= 6)", "n >= 7")),
        ("t: f32[4]\nt[0] = 1.0\nx[0] = t[0]", "u: f32[4]\nu[0] = 1.0\nx[0] = u[0]"),
        ("x[(2 * m + 1) / 2] = 1.0", "x[m] = 1.0"),
        ("x[idx(k, 0, 4) + 1] = 1.0", "x[idx(k, 0, 4) + 1] = 1.0"),
        ("x[idx(k, 0, 4) + 1] = 1.0", "x[2 + idx(k, 0, 2 * 2) - 1] = 1.0"),
        ("Cfg.a = 2.0\nx[0] = Cfg.a", "Cfg.a = 2.0\nx[0] = 2.0"),
    ],
)
def test_control_values_are_compared_by_value_and_bound_names_by_place(new: str, old: str) -> None:
    assert agree(new, old)


def test_a_field_may_stand_for_a_scalar_or_a_constant_that_it_holds_and_for_no_interval() -> None:
    assert agree("Cfg.a = 3.0\nx[0] = Cfg.a", "Cfg.a = 3.0\nx[0] = 3.0")
    program = parse(f"{HEAD}\n    Cfg.n = 0\n    x[0] = 1.0", **SCOPE).ir
    ctx, field, zero = Context.of_proc(program).after(program.body[0]), ReadConfig(CFG, "n", type=INDEX), index_literal(0)
    assert held(ctx, field, zero)
    assert not held(ctx, field, Interval(zero, zero))


@pytest.mark.parametrize("value", ["1.0", "d[i + 1]"])
def test_data_of_another_type_is_told_apart(value: str) -> None:
    wide, narrow = [parse(f"def g(d: [{scalar}][5]):\n    for i in seq(0, 4): d[i] = {value}").ir for scalar in ("f64", "f32")]
    (buffer,) = narrow.args
    whole = Read(buffer.name, (), type=buffer.type)
    ctx = Context.of_proc(narrow)
    assert same_meaning(ctx, inlined(Call(narrow, (whole,))), narrow.body)
    assert not same_meaning(ctx, inlined(Call(wide, (whole,))), narrow.body)
