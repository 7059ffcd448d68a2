"""Does one procedure refine another? Asked of the exact interpreter at concrete sizes and data."""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.fuzz.inputs import Controls, Inputs, control_vectors, random_inputs
from usl_core.errors import InterpError
from usl_core.interp import POISON, Buffer, PoisonBranch, ValueTooLarge, run
from usl_core.ir.nodes import Proc
from usl_core.ir.types import TensorType, scalar_of

MAX_BITS = 3000
"""Runs whose rationals outgrow this prove nothing in a reasonable time, and are passed over."""


@dataclass(frozen=True)
class Difference:
    """Where a rewritten procedure fails to refine the original."""

    controls: Controls
    inputs: Inputs
    what: str


def refinement_failure(
    original: Proc,
    rewritten: Proc,
    rng: random.Random,
    factor: int = 4,
    vectors: int = 8,
    data: int = 1,
    fixed: Controls | None = None,
    permute: random.Random | None = None,
) -> Difference | None:
    """The first difference found at `vectors` sizes that are legal for rewritten, None if there is none.

    fixed has values of the formals that rewritten lacks, after partial evaluation. With permute, `par` loops of rewritten
    run in a random order, which is right only if their iterations are independent.
    """
    for controls in control_vectors(rewritten, rng, factor, vectors):
        for _ in range(data):
            inputs = random_inputs(rewritten, controls, rng, rng.choice((0.0, 0.0, 0.1, 0.4)))
            what = compare_at(original, rewritten, inputs, fixed, permute)
            if what is not None:
                return Difference(controls, inputs, what)
    return None


def compare_at(
    original: Proc,
    rewritten: Proc,
    inputs: Inputs,
    fixed: Controls | None = None,
    permute: random.Random | None = None,
) -> str | None:
    """How rewritten differs from original on inputs (fixed: further arguments of original), None if it refines it."""
    expected, found = {**_adapted(inputs.fresh(), original), **(fixed or {})}, inputs.fresh()
    try:
        before = run(original, expected, mode="exact", max_bits=MAX_BITS)
    except (PoisonBranch, ValueTooLarge):
        return None
    except InterpError as error:
        return f"the original program fails: {error}"
    try:
        after = run(rewritten, found, mode="exact", permute=permute, max_bits=4 * MAX_BITS)
    except ValueTooLarge:
        return None
    except InterpError as error:
        return f"the rewritten program fails: {error}"
    for name, buffer in before.buffers.items():
        difference = first_difference(name, buffer, after.buffers[name])
        if difference is not None:
            return difference
    return None


def _adapted(values: dict[str, int | bool | Buffer], proc: Proc) -> dict[str, int | bool | Buffer]:
    """The values as proc's formals take them: of their scalar types, as precision does not change exact values, and dense."""
    for arg in proc.args:
        value = values.get(arg.name.name)
        if isinstance(value, Buffer):
            dense = value.copy() if isinstance(arg.type, TensorType) and not arg.type.window else value
            dense.scalar = scalar_of(arg.type)
            values[arg.name.name] = dense
    return values


def first_difference(name: str, expected: Buffer, found: Buffer) -> str | None:
    """The first place where found does not refine expected: in the whole storage, around windows too, if laid out alike."""
    if (expected.offset, expected.strides, len(expected.data)) != (found.offset, found.strides, len(found.data)):
        expected, found = expected.copy(), found.copy()
    for place, (a, b) in enumerate(zip(expected.data, found.data, strict=True)):
        if a is not POISON and (b is POISON or a != b):
            element = _element(expected, place)
            return f"{name}{element} is {b}, and must be {a}"
    return None


def _element(buffer: Buffer, place: int) -> str:
    """The index of a place in the storage, as text."""
    for position, offset in enumerate(buffer.offsets()):
        if offset == place:
            index = []
            for size in reversed(buffer.shape):
                index.append(position % size)
                position //= size
            return f"[{', '.join(map(str, reversed(index)))}]" if index else ""
    return f" (outside of the window, at {place})"
