"""Legal programs whose C would be odd: compilers have nothing to say about it all the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from c11_compile import compiles, require, write

from usl_c11.emit import library
from usl_core import Procedure
from usl_core.interp import run
from usl_core.ir.config import Config, ConfigField
from usl_core.ir.types import F32, INDEX
from usl_core.procedure import proc_from_source

CFG = Config("Cfg", {"a": ConfigField("a", INDEX), "scale": ConfigField("scale", F32)})
COPY = proc_from_source("def copy(a: f32[4], b: f32[4]):\n    for i in seq(0, 4):\n        b[i] = a[i]\n", {})

BODIES = {
    "an unused formal with the name of a field": "Cfg.scale = 1.0\nx[0] = Cfg.scale",
    "an unused formal with the name of a part of a window": "w = x[0:2]\nfor i in seq(0, n):\n    takes(w)",
    "an array that is only written": "t: f32[4]\nt[0] = x[1]\nx[0] = 1.0",
    "an array in a parallel loop that is only written": "for i in par(0, 4):\n    t: f32[4]\n    t[0] = x[i]\n    x[i] = 1.0",
    "an array that is only read": "t: f32[4]\nx[0] = t[0]",
    "an array that is only added to": "t: f32[4]\nt[0] += 1.0\nx[0] = t[0]",
    "an array that is read first": "t: f32[4]\nx[0] = t[0]\nt[0] = 1.0\nx[1] = t[0]",
    "an array that is read where it is first set": "t: f32[4]\nt[1] = t[0] - 2.0\nx[0] = t[1]",
    "an array that is read where a loop first sets it": "t: f32[4]\nfor i in seq(0, 3):\n    t[i + 1] = t[i]\nx[0] = t[1]",
    "an array that is read where a branch first sets it": "t: f32[4]\nif n < 5:\n    t[1] = t[0] - 2.0\nx[0] = t[1]",
    "an array that a callee reads first": "t: f32[4]\ncopy(t, x)",
    "an array that a window reads first": "t: f32[4]\nw = t[1:3]\nx[0] = w[0]",
    "an array in dead code": "t: f32[4]\nif 1 < 0:\n    t[0] = x[0]\n    x[1] = t[0]",
    "an array without elements in dead code": "if n < 0:\n    t: f32[0]\n    u: f32[4 - 7, 3]\n    x[1] = t[0] + u[0, 1]",
    "an array after a check that fails": "t: f32[4]\ncheck(1 < 0)\nt[3] = 1.0",
    "a loop that never runs": "t: f32[4]\nfor i in seq(0, 0):\n    t[i + 90] = x[i + 90]",
    "two parallel loops in which storage may be missing": "".join(
        f"for {i} in par(0, 4):\n    for k in seq(0, n):\n        t: f32[n, n]\n        t[0, 0] = x[{i}]\n"
        f"        x[{i}] = t[0, 0] + 1.0\n"
        for i in "ij"
    ),
    "a parallel loop that never runs": "t: f32[4]\nfor i in par(0, 0):\n    t[i + 90] = x[i + 90]",
    "a loop that never runs and calls": "for i in seq(3, 3):\n    t: f32[4]\n    copy(t, x)",
    "a window of which only an unused window is made": "w = x[0:3]\nv = w[0:2]\nx[0] = 1.0",
    "a window of which only a window in a loop is made": "w = x[0:3]\nfor i in seq(0, n):\n    v = w[0:2]\n    u = v[0:1]\n",
    "a window that a loop uses which never runs": "w = x[0:3]\nfor i in seq(0, 0):\n    w[i] = 1.0",
    "an unused array with the name of a part of a window": "data: f32[4]\nw = x[0:2]\nw[0] = w[1] + 1.0",
    "a branch that is never taken": "t: f32[4]\nt[1] = x[1]\nif n < 1:\n    t[90] = x[90]\n    x[0] = t[1]",
} | {
    f"comparisons of {typ} that bits decide: {term}": f"t: {typ}[2]\nfor i in seq(0, 2):\n    t[i] = {typ}(n)\n"
    f"if {typ}({term}) == 65 or {typ}({term}) < 65:\n    x[0] = 1.0"
    for typ in ("i8", "i16", "i32", "i64", "u8", "u16", "u32", "u64")
    for term in ("t[0] % 64", "t[0] & 6", "t[0] | 2", "u32(t[0] & 6)", "u32(t[0]) | 2", "u32(t[0]) % 64")
}
REMAINDERS = {
    "{} % 4 == 0 and {} % 2 != 0": False,
    "scale < 1.0 and {} % 4 == 0 and {} % 2 != 0": False,
    "{} % 2 != 0 and scale < 1.0 and {} % 8 == 2": False,
    "{} % 4 == 1 and {} % 8 == 2": False,
    "{} % 4 != 0 or {} % 2 == 0": True,
    "{} % 4 == 4": False,
    "{} % 2 != 5": True,
    "{} % 4 == 0 and {} % 2 == 0": None,
    "{} % 4 == 2 or {} % 2 != 0": None,
    "{} % 4 == 0 and {} % 3 != 0": None,
}
"""Conditions, and what they always are."""
BODIES |= {
    f"tests of remainders of {typ} {term}": f"t: {typ}[4]\nfor i in seq(0, 4):\n    t[i] = {typ}(n)\nfor j in seq(0, n):\n"
    + "".join(f"    if {each.replace('{}', term)}:\n        x[0] = 1.0\n    else:\n        x[1] = 1.0\n" for each in REMAINDERS)
    for typ, term in (("i32", "j"), ("i64", "(j - n)"), ("i32", "t[1]"), ("u8", "t[1]"))
}


def program(body: str) -> Procedure:
    takes = proc_from_source("def takes(w: [f32][2]):\n    w[0] = 1.0\n", {})
    head = "def f(n: size, scale: f32, data: f32, x: f32[4]):\n"
    lines = "".join(f"    {line}\n" for line in body.splitlines())
    return proc_from_source(head + lines, {"Cfg": CFG, "copy": COPY, "takes": takes})


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize("body", BODIES.values(), ids=BODIES)
def test_compilers_do_not_warn(body: str, compiler: str, tmp_path: Path) -> None:
    require(compiler)
    write(library([program(body).ir], "lib").files, tmp_path)
    assert compiles(compiler, tmp_path / "lib.c", ["-O3", "-fopenmp"]) == ""


@pytest.mark.parametrize(("condition", "always"), REMAINDERS.items())
def test_tests_of_remainders_that_decide_each_other_are_decided_in_c(condition: str, always: bool | None) -> None:
    p = proc_from_source(
        "def f(n: size, scale: f32, a: i32[n], of_index: i32[n], of_data: i32[n], flags: b8[n]):\n"
        "    for j in seq(0, n):\n"
        f"        if {condition.replace('{}', '(j - n)')}:\n            of_index[j] = 1\n"
        f"        if {condition.replace('{}', 'a[j]')}:\n            of_data[j] = 1\n"
        f"        flags[j] = {condition.replace('{}', 'a[j]')}\n"
    )
    assert ("if (true)" in p.c_code() or "if (false)" in p.c_code()) is (always is not None)
    a, found, expected = np.arange(-9, 9, dtype=np.int32), np.zeros((2, 18), np.int32), np.zeros((2, 18), np.int32)
    flags, wanted = np.zeros((2, 18), np.bool_)
    p.jit()(18, 0.5, a, *found, flags)
    run(p.ir, [18, 0.5, a, *expected, wanted], mode="machine")
    assert np.array_equal(found, expected) and np.array_equal(flags, wanted)
    if always is not None:
        assert (found == always).all() and (flags == always).all()


@pytest.mark.parametrize(("made", "bits"), [("u8", 8), ("u16", 16), ("u64", 64)])
def test_unsigned_numbers_made_of_signed_ones_are_compared_with_what_lies_between_without_a_warning(
    made: str, bits: int, tmp_path: Path
) -> None:
    """gcc warns where a comparison always comes out the same: those are decided, and no others."""
    require("gcc")
    values = sorted({0, 127, 128, min(497, 2**bits - 129), 2**bits - 129, 2**bits - 128, 2**bits - 1})
    tests = [(op, value) for value in values for op in ("==", "!=")]
    text = f"def f(n: size, a: i8[n], found: i32[{len(tests)}, n]):\n    for j in seq(0, n):\n" + "".join(
        f"        if {made}(a[j]) {op} {value}:\n            found[{number}, j] = 1\n"
        for number, (op, value) in enumerate(tests)
    )
    p = proc_from_source(text)
    write(library([p.ir], "lib").files, tmp_path)
    assert compiles("gcc", tmp_path / "lib.c", ["-O2"]) == ""
    a = np.array([-128, -127, -2, -1, 0, 1, 126, 127], np.int8)
    found, expected = (np.zeros((len(tests), 8), np.int32) for _ in range(2))
    p.jit()(8, a, found)
    run(p.ir, [8, a, expected], mode="machine")
    assert np.array_equal(found, expected)
    assert found.any(axis=1).sum() < len(tests) or bits == 8


def test_what_is_left_out_is_what_never_runs() -> None:
    p = program("for i in seq(4, 4):\n    x[0] = 2.0\nfor i in seq(0, n):\n    x[1] = 3.0")
    x = np.zeros(4, np.float32)
    p.jit()(2, 1.0, 1.0, x)
    assert x.tolist() == [0, 3, 0, 0]


def test_a_callee_that_only_dead_code_calls_is_left_out_beside_another_of_its_name(tmp_path: Path) -> None:
    require("gcc")
    text = "def twice(a: f32[4]):\n    for i in seq(0, 4):\n        a[i] = {} * a[i]\n"
    callees = {"first": proc_from_source(text.format("2.0"), {}), "second": proc_from_source(text.format("4.0"), {})}
    body = "    for i in seq(0, 0):\n        {}(x)\n    {}(x)\n"
    for dead, live in (("first", "second"), ("second", "first")):
        p = proc_from_source("def f(x: f32[4]):\n" + body.format(dead, live), callees)
        write(library([p.ir], "lib").files, tmp_path)
        assert compiles("gcc", tmp_path / "lib.c", ["-O1"]) == ""
