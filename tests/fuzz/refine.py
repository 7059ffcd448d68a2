"""Does one procedure refine another? Asked of the exact interpreter at concrete sizes and data."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

from tests.fuzz.inputs import Controls, Inputs, control_vectors, random_inputs
from usl_core.analysis.effects import proc_summary
from usl_core.analysis.parallel import separate_last
from usl_core.errors import InterpError
from usl_core.interp import POISON, Buffer, ConfigKey, PoisonBranch, Result, ValueTooLarge, run
from usl_core.ir.config import FieldSym
from usl_core.ir.nodes import Call, Node, Proc
from usl_core.ir.traverse import rewrite, update
from usl_core.ir.types import TensorType, scalar_of
from usl_core.procedure import Procedure

Configs = Mapping[ConfigKey, Any]

MAX_BITS = 3000
"""Runs whose rationals outgrow this prove nothing in a reasonable time, and are passed over."""
CHECK_FAILED = "check failed"
"""What the interpreter says of a `check` that does not hold."""


_APART: WeakKeyDictionary[Proc, Proc] = WeakKeyDictionary()


def last_iterations_apart(proc: Proc) -> Proc:
    """proc as a backend executes it: the last iteration of a `par` loop, in callees too, follows the others where it must."""
    found = _APART.get(proc)
    if found is None:

        def rule(node: Node) -> Node | None:
            return update(node, proc=last_iterations_apart(node.proc)) if isinstance(node, Call) else None

        found = _APART[proc] = rewrite(separate_last(proc), rule)
    return found


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
    modulo: frozenset[FieldSym] = frozenset(),
) -> Difference | None:
    """The first difference found at `vectors` sizes that are legal for rewritten, None if there is none.

    fixed has values of the formals that rewritten lacks, after partial evaluation. With permute, `par` loops of rewritten
    run in a random order, which is right only if their iterations are independent. The configuration fields in modulo may
    hold anything at the end.
    """
    for controls in control_vectors(rewritten, rng, factor, vectors):
        for _ in range(data):
            poison = rng.choice((0.0, 0.0, 0.1, 0.4))
            inputs = random_inputs(rewritten, controls, rng, poison, proc_summary(original).fields)
            what = compare_at(original, rewritten, inputs, fixed, permute, modulo)
            if what is not None:
                return Difference(controls, inputs, what)
    return None


def compare_at(
    original: Proc,
    rewritten: Proc,
    inputs: Inputs,
    fixed: Controls | None = None,
    permute: random.Random | None = None,
    modulo: frozenset[FieldSym] = frozenset(),
) -> str | None:
    """How rewritten differs from original on inputs (fixed: further arguments of original), None if it refines it."""
    before = inputs.outcomes.get(original) or _left(original, inputs, MAX_BITS, fixed or {})
    inputs.outcomes[original] = before
    if isinstance(before, PoisonBranch | ValueTooLarge):
        return None
    if isinstance(before, InterpError):
        if CHECK_FAILED not in str(before):
            return f"the original program fails: {before}"
        return _stops_too(_left(rewritten, inputs, 4 * MAX_BITS))
    after = _left(rewritten if permute is None else last_iterations_apart(rewritten), inputs, 4 * MAX_BITS, permute=permute)
    if permute is None:
        inputs.outcomes[rewritten] = after
    if isinstance(after, ValueTooLarge):
        return None
    if isinstance(after, InterpError):
        return f"the rewritten program fails: {after}"
    for name, buffer in before.buffers.items():
        difference = first_difference(name, buffer, after.buffers[name])
        if difference is not None:
            return difference
    return _field_difference(before.configs, after.configs, modulo)


def _left(
    proc: Proc, inputs: Inputs, max_bits: int, fixed: Controls | None = None, permute: random.Random | None = None
) -> Result | InterpError:
    """What proc leaves of inputs, or the error that stops it; fixed has arguments that are not among the inputs."""
    values = inputs.fresh() if fixed is None else {**_adapted(inputs.fresh(), proc), **fixed}
    try:
        return run(proc, values, mode="exact", configs=inputs.configs(), permute=permute, max_bits=max_bits)
    except (InterpError, ValueTooLarge) as error:
        return error.with_traceback(None)


def _stops_too(after: Result | InterpError) -> str | None:
    """How a procedure goes on where a check must fail, None if it stops."""
    if isinstance(after, PoisonBranch | ValueTooLarge):
        return None
    if isinstance(after, InterpError):
        return None if CHECK_FAILED in str(after) else f"the rewritten program fails: {after}"
    return "a check fails in the original program only"


def _field_difference(before: Configs, after: Configs, modulo: frozenset[FieldSym]) -> str | None:
    """The first field, but for those in modulo, that does not refine what it must hold."""
    for (config, field), value in before.items():
        found = after.get((config, field), POISON)
        if config.sym(field) not in modulo and value is not POISON and (found is POISON or found != value):
            return f"{config.name}.{field} is {found} at the end, and must be {value}"
    return None


def steps_modulo(before: Procedure, after: Procedure) -> frozenset[FieldSym]:
    """The fields that the steps from before to after may leave different."""
    return frozenset[FieldSym]().union(*(step.modulo for step in after.history()[len(before.history()) :]))


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
