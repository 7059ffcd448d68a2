"""Configuration in C: the context of readable fields, what instructions leave there, and what jit makes of it."""

from __future__ import annotations

import re
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import c11_kernels as kernels
import numpy as np
import pytest

from usl_c11.batch import jit_all
from usl_c11.emit import library
from usl_c11.jit import jit
from usl_core.errors import BackendError, JitError
from usl_core.interp import run
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.nodes import InstrTemplate, Proc
from usl_core.ir.traverse import update
from usl_core.ir.types import BOOL, F32, I8, INDEX, SIZE

FIELDS = {"stride": INDEX, "scale": F32, "count": SIZE, "on": BOOL, "default": I8}
CFG = Config(
    "Cfg",
    {name: ConfigField(name, typ) for name, typ in FIELDS.items()} | {"hidden": ConfigField("hidden", INDEX, readable=False)},
)
STRIDE, SCALE, COUNT, ON, DEFAULT, HIDDEN = ((CFG, name) for name in CFG.fields)


def parse(text: str, **scope: Any) -> Proc:
    return kernels.parse(text, Cfg=CFG, **scope)


def instruction(text: str, template: str, **options: Any) -> Proc:
    return update(parse(text), instr=InstrTemplate(template, **options))


SET = instruction(
    "def set(v: index, s: f32):\n    Cfg.stride = v\n    Cfg.scale = s\n    Cfg.hidden = v\n",
    "device({v}, {s});",
    c_global="#define device(v, s)",
)


def c_body(proc: Proc) -> str:
    source = library([proc], "lib").files["lib.c"]
    start = source.index(f"{proc.name}_body(")
    return source[start : source.index("\n}\n", start)]


# ---- jit


SCALED = parse("""
def scaled(n: size, x: f32[n]):
    for i in seq(0, n):
        if i < Cfg.count:
            x[i] = x[i] * Cfg.scale
    Cfg.on = n > 3
    Cfg.default = 5
""")


def test_fields_come_from_the_callers_dict_and_go_back_there() -> None:
    x, configs = np.arange(4, dtype=np.float32), {COUNT: 3, SCALE: 2.5}
    jit(SCALED)(4, x, configs=configs)
    assert x.tolist() == [0.0, 2.5, 5.0, 3.0]
    assert configs == {STRIDE: 0, COUNT: 3, SCALE: 2.5, ON: True, DEFAULT: 5}


def test_a_field_is_the_scalar_argument_of_a_procedure_that_reads_it() -> None:
    add = parse("def add(n: size, by: f32, x: f32[n]):\n    for i in seq(0, n):\n        x[i] += by\n")
    p = parse("def f(n: size, x: f32[n]):\n    add(n, Cfg.scale, x)\n    Cfg.scale = 3.0\n    add(n, Cfg.scale, x)\n", add=add)
    x = np.zeros(4, np.float32)
    jit(p)(4, x, configs={SCALE: 2.5})
    assert x.tolist() == [5.5] * 4


def test_one_dict_serves_the_interpreter_and_the_compiled_procedure() -> None:
    configs: dict[Any, Any] = {COUNT: 2, SCALE: 0.5, HIDDEN: 7}
    x = np.full(4, 8, np.float32)
    y = x.copy()
    result = run(SCALED, [4, y], configs=configs)
    jit(SCALED)(4, x, configs=configs)
    assert np.array_equal(x, y)
    assert all(configs[key] == value for key, value in result.configs.items())


def test_each_call_has_a_context_of_its_own() -> None:
    """What one call leaves in a field the next does not find; calls at the same time do not see each other."""
    text = """
def sums(n: size, out: f32[n]):
    Cfg.stride = n
    for t in seq(0, 20000):
        for i in seq(0, n):
            if Cfg.stride == n:
                out[i] += 1.0
            else:
                out[i] += 100.0
        Cfg.stride = Cfg.stride
"""
    compiled = jit(parse(text), flags=["-O1"])

    def call(n: int) -> bool:
        out = np.zeros(n, np.float32)
        compiled(n, out)
        return bool((out == 20000).all())

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(call, [1, 2, 3, 4] * 4))


def test_a_procedure_with_write_only_fields_takes_no_configuration() -> None:
    p = parse("def f(n: size, x: f32[n]):\n    Cfg.hidden = n\n    x[0] = 1.0\n")
    x = np.zeros(2, np.float32)
    jit(p)(2, x)
    assert x.tolist() == [1.0, 0.0]
    with pytest.raises(JitError, match="f has no argument configs"):
        jit(p)(2, x, configs={})


@pytest.mark.parametrize(
    ("configs", "message"),
    [
        ({COUNT: 0}, "Cfg.count must be an integer from 1 to 2147483647, not 0"),
        ({STRIDE: 2**31}, "Cfg.stride must be an integer from -2147483647 to 2147483647, not 2147483648"),
        ({STRIDE: True}, "not True"),
        ({DEFAULT: 200}, "Cfg.default must be an integer from -128 to 127, not 200"),
        ({ON: 1}, "Cfg.on must be a bool, not 1"),
        ({SCALE: "2"}, "Cfg.scale must be a number, not '2'"),
        ({(CFG, "nothing"): 1}, "scaled uses no configuration field (Cfg, 'nothing')"),
        ({"count": 1}, "scaled uses no configuration field 'count'"),
        (3, "configs must be a dict from (configuration, field) to a value, not int"),
        ({}, "Cfg.count must be between 1 and 2147483647"),
    ],
)
def test_configuration_that_does_not_fit_is_refused(configs: Any, message: str) -> None:
    with pytest.raises(JitError, match=re.escape(message)):
        jit(SCALED)(4, np.zeros(4, np.float32), configs=configs)


def test_procedures_of_one_library_take_a_context_where_they_need_one() -> None:
    plain = parse("def plain(n: size, x: f32[n]):\n    x[0] = 7.0\n")
    compiled = jit_all([SCALED, plain], "both")
    x, configs = np.ones(2, np.float32), {COUNT: 2, SCALE: 3.0}
    compiled["scaled"](2, x, configs=configs)
    assert x.tolist() == [3.0, 3.0] and configs[DEFAULT] == 5
    compiled["plain"](2, x)
    assert x.tolist() == [7.0, 3.0]


# ---- the context


def test_what_an_instruction_writes_is_in_the_context_too() -> None:
    """The text sets the hardware; C reads the field back from the context."""
    text = """
def f(n: size, x: f32[n]):
    set(n - 1, x[0])
    for i in seq(0, n):
        if i < Cfg.stride:
            x[i] = Cfg.scale
"""
    p = parse(text, set=SET)
    assert "device(n - 1, x[0]);" in c_body(p) and "ctx->Cfg.stride = n - 1;" in c_body(p)
    assert "hidden" not in c_body(p)
    x = np.array([5, 6, 7], np.float32)
    y = x.copy()
    jit(p)(3, x)
    run(p, [3, y])
    assert x.tolist() == y.tolist() == [5, 5, 7]


def test_a_caller_of_what_calls_such_an_instruction_passes_the_context_on() -> None:
    inner = parse("def inner(n: size):\n    set(n, 2.0)\n", set=SET)
    outer = parse("def outer(n: size, x: f32[1]):\n    inner(n)\n    x[0] = Cfg.scale\n", inner=inner)
    assert "inner(ctx, n);" in c_body(outer)
    x = np.zeros(1, np.float32)
    jit(outer)(3, x)
    assert x[0] == 2.0


@pytest.mark.parametrize(
    ("body", "call", "reason"),
    [
        ("if v > 2:\n        Cfg.stride = v", "g(n)", "more than a plain value of its arguments"),
        ("Cfg.stride = Cfg.count", "g(n)", "more than a plain value of its arguments"),
        ("Cfg.stride = v\n    Cfg.count = 3", "g(Cfg.stride)", "an argument reads a field that it writes"),
    ],
)
def test_an_instruction_whose_writes_cannot_be_told_is_refused(body: str, call: str, reason: str) -> None:
    g = instruction(f"def g(v: index):\n    {body}\n", "g({v});")
    with pytest.raises(BackendError, match=reason) as caught:
        library([parse(f"def f(n: size, x: f32[n]):\n    {call}\n    x[0] = 1.0\n", g=g)], "lib")
    assert "write_only" in caught.value.notes[0]


def test_an_entry_tests_the_fields_that_it_may_read_and_no_others() -> None:
    written = parse("def f(n: size, x: f32[n]):\n    Cfg.count = n\n    if Cfg.count > 2:\n        x[0] = 1.0\n")
    read = parse("def f(n: size, x: f32[n]):\n    if Cfg.count > 2:\n        x[0] = 1.0\n    Cfg.count = n\n")
    test = "ctx->Cfg.count < 1 || ctx->Cfg.count > 2147483647"
    assert test in library([read], "lib").files["lib.c"]
    assert test not in library([written], "lib").files["lib.c"]


def test_a_stride_that_a_readable_field_cannot_hold_is_reported_when_it_is_written() -> None:
    p = parse("def f(n: size, x: [f32][n, n]):\n    Cfg.stride = stride(x, 0)\n    x[0, 0] = 1.0\n")
    configs: dict[Any, Any] = {}
    x = np.zeros((2, 6), np.float32)[:, ::3]
    jit(p)(2, x, configs=configs)
    assert configs[STRIDE] == 6
    far = np.lib.stride_tricks.as_strided(np.zeros(4, np.float32), (1, 1), (2**31 * 4, 4))
    with pytest.raises(JitError, match=r"Cfg\.stride must be between -2147483647 and 2147483647"):
        jit(p)(1, far)


def test_assertions_of_procedures_that_are_not_exported_need_no_context() -> None:
    inner = parse("def inner(n: size, x: f32[n]):\n    assert Cfg.stride == 4\n    x[0] = 1.0\n")
    hidden = instruction("def hidden():\n    Cfg.hidden = 4\n", "")
    outer = parse(
        "def outer(n: size, x: f32[n]):\n    assert Cfg.stride == 4\n    hidden()\n    inner(n, x)\n",
        inner=inner,
        hidden=hidden,
    )
    files = library([outer], "lib").files
    assert "static void inner(int64_t n, float *restrict x)" in files["lib.c"]
    assert "int outer(struct lib_ctx *ctx, int64_t n, float *x);" in files["lib.h"]


def test_an_exported_procedure_cannot_assert_what_no_c_can_establish() -> None:
    with pytest.raises(BackendError, match=r"asserts on the write-only field Cfg\.hidden"):
        jit(parse("def f(n: size, x: f32[n]):\n    assert Cfg.hidden == n\n    x[0] = 1.0\n"))


@pytest.mark.parametrize("body", ["if Cfg.hidden == 4:\n        x = 1.0", "assert Cfg.hidden == 4\n    x = 1.0"])
def test_what_an_instruction_depends_on_is_set_by_an_instruction(body: str) -> None:
    """C has no statement that sets a register: without this the instruction would run with whatever was there before."""
    hidden = instruction("def hidden():\n    Cfg.hidden = 4\n", "set_hidden();")
    depends = instruction(f"def depends(x: f32):\n    {body}\n", "depends({x});")
    set_by = "def f(x: f32[2]):\n    {}\n    depends(x[0])\n"
    with pytest.raises(BackendError, match=r"f sets the write-only field Cfg\.hidden, on which .* depends depends"):
        library([parse(set_by.format("Cfg.hidden = 4"), depends=depends)], "lib")
    assert "set_hidden();" in c_body(parse(set_by.format("hidden()"), depends=depends, hidden=hidden))


def test_members_of_the_context_have_different_names() -> None:
    twin = Config("Cfg", {"stride": ConfigField("stride", INDEX)})
    with pytest.raises(BackendError, match="two configurations would be called Cfg in C"):
        library([parse("def f(n: size):\n    Cfg.stride = n\n    Twin.stride = n\n", Twin=twin)], "lib")
    close = Config("Close", {name: ConfigField(name, INDEX) for name in ("default", "default_")})
    with pytest.raises(BackendError, match="two fields of Close would be called default_ in C"):
        library([parse("def f(n: size):\n    Close.default = n\n", Close=close)], "lib")
