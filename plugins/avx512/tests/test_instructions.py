"""Each template computes what its body says, for the interpreter is the judge of what a body means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from usl_avx512 import isa, kernels_int
from usl_avx512.cpu import cpu_features
from usl_core import Procedure
from usl_core.interp.run import run
from usl_core.ir.types import ControlType, TensorType, scalar_of

INSTRUCTIONS = (*isa.instructions("basics"), *kernels_int.INSTRUCTIONS)
EDGES = {
    "f32": np.array([0.0, -0.0, 1.0, -1.0, 2.0**-149, 3.4028235e38, np.inf, np.nan], np.float32),
    "f64": np.array([0.0, -0.0, 1.0, -1.0, 2.0**-1074, 1.7976931348623157e308, np.inf, np.nan], np.float64),
    "u32": np.array([0, 1, 8, 9, 10, 2**31 - 1, 2**31, 2**32 - 1], np.uint32),
    "u16": np.array([0, 1, 9, 255, 256, 2**15, 2**16 - 2, 2**16 - 1], np.uint16),
}
DTYPES: dict[str, type[np.generic]] = {"f32": np.float32, "f64": np.float64, "u32": np.uint32, "u16": np.uint16}
SPARE = 8
"""Elements behind each buffer that no instruction may touch."""


def extent(typ: TensorType, lanes: int) -> int:
    return int(getattr(typ.shape[0], "value", lanes))


def arguments(instruction: Procedure, lanes: int, random: np.random.Generator, edges: bool) -> list[int | np.ndarray]:
    """One value per formal: lanes for the control one, random or edge-case arrays with SPARE elements behind for data."""
    values: list[int | np.ndarray] = []
    for arg in instruction.ir.args:
        if isinstance(arg.type, ControlType):
            values.append(lanes)
            continue
        name = scalar_of(arg.type).name
        count = (extent(arg.type, lanes) if isinstance(arg.type, TensorType) else 1) + SPARE
        if edges:
            values.append(random.choice(EDGES[name], count))
        elif name in ("f32", "f64"):
            values.append(random.uniform(-1, 1, count).astype(DTYPES[name]))
        else:
            values.append(random.integers(0, np.iinfo(DTYPES[name]).max, count, DTYPES[name], endpoint=True))
    return values


def interpret(instruction: Procedure, values: Sequence[int | np.ndarray]) -> list[int | np.ndarray]:
    """Copies of values after the body ran on them."""
    after = [v if isinstance(v, int) else v.copy() for v in values]
    inputs = [
        v if isinstance(v, int) else v[:-SPARE].reshape(() if not isinstance(arg.type, TensorType) else (-1,))
        for arg, v in zip(instruction.ir.args, after, strict=True)
    ]
    run(instruction.ir, inputs, mode="machine")
    return after


@pytest.mark.parametrize("instruction", INSTRUCTIONS, ids=lambda i: i.name())
def test_a_template_computes_what_its_body_says(library: Any, instruction: Procedure) -> None:
    random = np.random.default_rng(2024)
    template = instruction.ir.instr
    masked = any(isinstance(arg.type, ControlType) for arg in instruction.ir.args)
    for lanes in (1, 5, 15, 16, 17, 40) if masked else (16,):
        for edges in (False, True) if template.special == "ieee" else (False,):
            for _ in range(8):
                values = arguments(instruction, lanes, random, edges)
                want = interpret(instruction, values)
                library.call(instruction, values)
                for got, expected in zip(values, want, strict=True):
                    if template.roundings is None:
                        np.testing.assert_array_equal(got, expected)
                    else:  # inputs are below 1: one rounding, against two of the body
                        np.testing.assert_allclose(got, expected, rtol=0, atol=2.0**-22)


def test_division_by_nine_is_exact_around_every_multiple_of_nine_near_the_ends(library: Any) -> None:
    top = 2**32 - 1
    inputs = np.concatenate([np.arange(4096), np.arange(2**31 - 2048, 2**31 + 2048), np.arange(top - 4095, top + 1)])
    for chunk in inputs.astype(np.uint32).reshape(-1, 16):
        result = np.zeros(16, np.uint32)
        library.call(kernels_int.mm512_div9_epu32, [result, chunk.copy()])
        np.testing.assert_array_equal(result, chunk // 9)


def test_every_instruction_names_the_features_and_the_header_it_needs() -> None:
    for instruction in INSTRUCTIONS:
        template = instruction.ir.instr
        assert template is not None and template.includes == ("immintrin.h",), instruction.name()
        if "_mm512" in template.template:
            assert "avx512f" in template.features, instruction.name()
        if "epi16(" in template.template and "_mm256_maskz" in template.template:
            assert {"avx512bw", "avx512vl"} <= set(template.features), instruction.name()


def test_no_instruction_needs_more_than_has_avx512_asks_for() -> None:
    needed = {feature for instruction in INSTRUCTIONS for feature in instruction.ir.instr.features}
    assert needed == {"avx", "avx512f", "avx512bw", "avx512vl"}


def test_cpu_features_are_lower_case_words() -> None:
    assert all(feature == feature.lower() and " " not in feature for feature in cpu_features())
