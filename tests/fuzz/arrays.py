"""Data for runs in machine arithmetic: views that are dense, strided, reversed or interleaved with another in one storage."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from tests.fuzz.inputs import Controls, evaluate, formals_env, random_fields
from usl_core.interp import Buffer, ConfigKey
from usl_core.interp.buffers import dense_strides
from usl_core.interp.machine import format_of, round_rational
from usl_core.ir.nodes import Arg, Proc, StrideExpr
from usl_core.ir.traverse import walk
from usl_core.ir.types import ControlType, ScalarType, TensorType, scalar_of


def machine_value(typ: ScalarType, rng: random.Random, special: bool = False) -> int | float:
    """Small numbers mostly, zeros among them; for integers also the ends of the range, and with special what is not finite."""
    if typ.is_int:
        lo, hi = typ.int_range()
        small = rng.randint(max(lo, -5), min(hi, 9))
        return rng.choice((small, small, 0, rng.randint(lo, hi), lo, hi))
    if special and rng.random() < 0.2:
        chosen = rng.choice((math.inf, -math.inf, math.nan, -0.0, _least(typ), -_least(typ)))
        return math.nan if math.isinf(chosen) and format_of(typ).finite else chosen
    small_value = rng.choice(
        (rng.randint(-4, 9), rng.randint(-4, 9), 0, Fraction(rng.randint(-9, 9), rng.choice((2, 3, 4, 8))))
    )
    return round_rational(small_value, format_of(typ))


def _least(typ: ScalarType) -> float:
    """The smallest positive number of a floating type, a subnormal one."""
    return math.ldexp(1.0, format_of(typ).least)


def machine_inputs(
    proc: Proc, controls: Controls, rng: random.Random
) -> tuple[dict[str, int | bool | Buffer], dict[ConfigKey, Any]]:
    """Arguments by name and the configuration fields that C may read, all of them initialised."""
    special = rng.random() < 0.25
    env = formals_env(proc, [controls[arg.name.name] for arg in proc.args if isinstance(arg.type, ControlType)])
    values: dict[str, int | bool | Buffer] = dict(controls)
    dense = any(isinstance(node, StrideExpr) for pred in proc.preds for node in walk(pred))
    partners: list[tuple[Arg, Buffer]] = []
    for arg in proc.args:
        if isinstance(arg.type, ControlType):
            continue
        scalar = scalar_of(arg.type)
        shape = tuple(int(evaluate(e, env)) for e in arg.type.shape) if isinstance(arg.type, TensorType) else ()
        if not isinstance(arg.type, TensorType) or not arg.type.window or dense:
            view = Buffer(scalar, shape)
        else:
            view = _window(scalar, shape, rng, partners)
            partners.append((arg, view))
        values[arg.name.name] = view
    for data, typ in {id(v.data): (v.data, v.scalar) for v in values.values() if isinstance(v, Buffer)}.values():
        data[:] = [machine_value(typ, rng, special) for _ in data]
    fields = random_fields(proc, env, rng) or {}
    readable = {name: value for name, value in fields.items() if name.declared.readable}
    configs = {(name.config, name.field): _field(name.declared.type, value) for name, value in readable.items()}
    return values, configs


def _field(typ: Any, value: Any) -> Any:
    """A field's value as machine mode takes it."""
    real = isinstance(typ, ScalarType) and typ.is_real
    return round_rational(value, format_of(typ)) if real else value


def _window(scalar: ScalarType, shape: tuple[int, ...], rng: random.Random, others: Sequence[tuple[Arg, Buffer]]) -> Buffer:
    """A part of a larger storage, perhaps from its end to its start, or the gaps that another window of this shape leaves."""
    if rng.random() < 0.3:
        for _, other in others:
            if other.scalar == scalar and other.shape == shape and other.offset == 0 and _gap(other):
                return Buffer(scalar, shape, other.data, 1, other.strides)
    step = rng.choice((1, 1, 1, 2, 2, 3))
    outer = tuple(n + rng.randint(0, 2) for n in shape) if rng.random() < 0.6 else shape
    strides = [stride * step for stride in dense_strides(outer)]
    offset = sum(rng.randint(0, o - n) * s for n, o, s in zip(shape, outer, strides, strict=True))
    data = Buffer(scalar, (*outer, step)).data
    for dim, extent in enumerate(shape):
        if rng.random() < 0.12:
            offset += (extent - 1) * strides[dim]
            strides[dim] = -strides[dim]
    return Buffer(scalar, shape, data, offset, strides)


def _gap(view: Buffer) -> bool:
    """Whether the element after each of the view's is none of its own."""
    return min(view.strides) >= 2 and len(view.data) % 2 == 0 and all(stride % 2 == 0 for stride in view.strides)


def copied(values: dict[str, int | bool | Buffer]) -> dict[str, int | bool | Buffer]:
    """Views of copies of the storages; those that shared one still do."""
    lists = {id(v.data): list(v.data) for v in values.values() if isinstance(v, Buffer)}
    return {
        name: Buffer(v.scalar, v.shape, lists[id(v.data)], v.offset, v.strides) if isinstance(v, Buffer) else v
        for name, v in values.items()
    }
