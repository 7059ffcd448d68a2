"""Compiled integer programs give exactly the interpreter's bits."""

from __future__ import annotations

import os

import numpy as np
from c11_compile import WARNINGS
from c11_programs import FLOATS, INTEGERS, LENGTH, Program, floats, programs, values
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from usl_c11.build import compile_flags
from usl_c11.cache import compiled
from usl_c11.compiler import find_compiler
from usl_c11.emit import library
from usl_c11.jit import JitProcedure
from usl_c11.trampoline import with_trampolines
from usl_core.calling import numpy_name
from usl_core.interp.run import run
from usl_core.ir.types import SCALARS

EXTRA_FLAGS = os.environ.get("C11_TEST_FLAGS", "").split()
EXAMPLES = int(os.environ.get("C11_TEST_EXAMPLES", "6"))
"""Set by test_sanitizers."""

BATCH = 12
"""Programs in one C file: starting the compiler costs more than compiling one of them."""


@st.composite
def batches(draw: st.DrawFn) -> list[Program]:
    return [draw(programs(f"p{number}")) for number in range(BATCH)]


@st.composite
def inputs(draw: st.DrawFn) -> dict[str, object]:
    arrays: dict[str, object] = {"n": LENGTH}
    for typ in INTEGERS:
        column = draw(st.lists(values(typ), min_size=LENGTH, max_size=LENGTH))
        arrays[f"{typ}_in"] = np.array(column, numpy_name(SCALARS[typ]))
        arrays[f"s_{typ}"] = np.array(draw(values(typ)), numpy_name(SCALARS[typ]))
        arrays[f"{typ}_out"] = np.array(draw(st.lists(values(typ), min_size=LENGTH, max_size=LENGTH)), numpy_name(SCALARS[typ]))
    for typ in FLOATS:
        arrays[f"{typ}_in"] = np.array(draw(st.lists(floats(typ), min_size=LENGTH, max_size=LENGTH)), numpy_name(SCALARS[typ]))
    return arrays


def copied(arguments: dict[str, object]) -> dict[str, object]:
    return {name: value.copy() if isinstance(value, np.ndarray) else value for name, value in arguments.items()}


# no shrinking: each attempt would start the compiler, and the failing program is short enough to read
@settings(
    max_examples=EXAMPLES, deadline=None, phases=[Phase.explicit, Phase.generate], suppress_health_check=list(HealthCheck)
)
@given(batches(), inputs())
def test_compiled_integer_programs_equal_the_interpreter_bit_for_bit(
    batch: list[Program], arguments: dict[str, object]
) -> None:
    lib = library([program.proc for program in batch], "batch")
    compiler = find_compiler()
    sources = with_trampolines(lib, [program.proc for program in batch])
    path = compiled(sources, compiler, compile_flags(lib, compiler, ["-O1", *WARNINGS, *EXTRA_FLAGS]))
    for program in batch:
        expected, actual = copied(arguments), copied(arguments)
        run(program.proc, expected, mode="machine")
        JitProcedure(program.proc, "", str(path), lib)(**actual)
        for name in expected:
            if name.endswith("_out"):
                note(program.text)
                np.testing.assert_array_equal(actual[name], expected[name], err_msg=f"{name} after\n{program.text}")
