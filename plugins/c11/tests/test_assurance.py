"""The comment above each exported function: what stands behind the procedure."""

from __future__ import annotations

from textwrap import dedent

import c11_kernels as kernels
import pytest
from c11_compile import compiles, require, write

from usl_c11.emit import library
from usl_core.primitives.buffers.set_precision import set_precision
from usl_core.primitives.loops.divide_loop import divide_loop
from usl_core.primitives.procs.add_assertion import add_assertion
from usl_core.procedure import Procedure, proc_from_source

SCALE = proc_from_source(
    dedent("""
    def scale(n: size, x: f32[n]):
        t: R
        t = 2.0
        for i in seq(0, n):
            x[i] = 3.0
    """)
)


def scheduled() -> Procedure:
    p = add_assertion(set_precision(SCALE, "t", "f32"), "n % 4 == 0")
    return divide_loop(p, "i", 4, ["io", "ii"], perfect=True)


def comment(p: Procedure) -> str:
    source = library([p.ir], "lib").files["lib.c"]
    lines = source.splitlines()
    return lines[lines.index(next(line for line in lines if line.startswith(f"int {p.name()}("))) - 1]


def test_a_procedure_whose_steps_keep_its_meaning_is_proved_without_reservation() -> None:
    p = divide_loop(set_precision(SCALE, "t", "f32"), "i", 4, ["io", "ii"], tail="cut")
    assert comment(p) == f"/* scale: {p.assurance()} */"
    plain = proc_from_source("def one(n: size, x: f32[n]):\n    for i in seq(0, n):\n        x[i] = 3.0\n")
    assert comment(divide_loop(plain, "i", 4, ["io", "ii"], tail="cut")) == "/* one: every step proved */"


def test_steps_that_narrow_or_change_precision_are_named() -> None:
    p = scheduled()
    assert comment(p) == "/* scale: every step proved, up to: set_precision (precision), add_assertion (narrower) */"
    assert p.assurance() in comment(p)


def test_code_from_elsewhere_claims_nothing() -> None:
    source = library([kernels.TILES], "tiles").files["tiles.c"]
    assert f"/* {kernels.TILES.name}: how it was made is not recorded */\nint {kernels.TILES.name}(" in source


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
def test_the_comment_compiles_without_a_warning(compiler: str, tmp_path) -> None:
    require(compiler)
    write(library([scheduled().ir], "lib").files, tmp_path)
    assert compiles(compiler, tmp_path / "lib.c") == ""
