"""Halide's names: `from usl_halide_lib import hl` stands where a Halide program has `import halide as hl`."""

from __future__ import annotations

from typing import Any

from usl_halide_lib.directives import LoopAlignStrategy, TailStrategy
from usl_halide_lib.lang.api import Func, lambda_func
from usl_halide_lib.lang.boundary import BoundaryConditions
from usl_halide_lib.lang.expr import Expr
from usl_halide_lib.lang.functions import (
    UNSUPPORTED,
    abs,
    absd,
    atan2,
    cast,
    ceil,
    clamp,
    cos,
    exp,
    f16,
    f32,
    f64,
    floor,
    halving_add,
    halving_sub,
    i8,
    i8_sat,
    i16,
    i16_sat,
    i32,
    i32_sat,
    i64,
    lerp,
    likely,
    log,
    logical_not,
    max,
    min,
    mux,
    pow,
    round,
    rounding_halving_add,
    rounding_shift_right,
    saturating_add,
    saturating_cast,
    saturating_sub,
    select,
    sin,
    sqrt,
    tan,
    tanh,
    trunc,
    u8,
    u8_sat,
    u16,
    u16_sat,
    u32,
    u32_sat,
    undef,
    unsafe_promise_clamped,
    unsupported,
    widening_add,
    widening_mul,
    widening_sub,
)
from usl_halide_lib.lang.images import Buffer, ImageParam
from usl_halide_lib.lang.inline_reductions import argmax, argmin, maximum, minimum, product, sum
from usl_halide_lib.lang.pipeline import Pipeline
from usl_halide_lib.lang.syntax import Tuple
from usl_halide_lib.lang.types import Bool, Float, Int, Type, UInt
from usl_halide_lib.lang.variables import Param, RDom, RVar, Var

__all__ = [
    "Bool",
    "BoundaryConditions",
    "Buffer",
    "Expr",
    "Float",
    "Func",
    "ImageParam",
    "Int",
    "LoopAlignStrategy",
    "Param",
    "Pipeline",
    "RDom",
    "RVar",
    "TailStrategy",
    "Tuple",
    "Type",
    "UInt",
    "Var",
    "abs",
    "absd",
    "argmax",
    "argmin",
    "atan2",
    "cast",
    "ceil",
    "clamp",
    "cos",
    "exp",
    "f16",
    "f32",
    "f64",
    "floor",
    "halving_add",
    "halving_sub",
    "i8",
    "i8_sat",
    "i16",
    "i16_sat",
    "i32",
    "i32_sat",
    "i64",
    "lambda_func",
    "lerp",
    "likely",
    "log",
    "logical_not",
    "max",
    "maximum",
    "min",
    "minimum",
    "mux",
    "pow",
    "product",
    "round",
    "rounding_halving_add",
    "rounding_shift_right",
    "saturating_add",
    "saturating_cast",
    "saturating_sub",
    "select",
    "sin",
    "sqrt",
    "sum",
    "tan",
    "tanh",
    "trunc",
    "u8",
    "u8_sat",
    "u16",
    "u16_sat",
    "u32",
    "u32_sat",
    "undef",
    "unsafe_promise_clamped",
    "vars",
    "widening_add",
    "widening_mul",
    "widening_sub",
]


def vars(names: str) -> list[Var]:
    """Variables by their names: `x, y = hl.vars("x y")`."""
    return [Var(name) for name in names.replace(",", " ").split()]


def __getattr__(name: str) -> Any:
    if name in UNSUPPORTED:
        return unsupported(name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
