"""The arguments of a run: what users pass, checked against the formals and turned into what compiled procedures take."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction
from typing import Any

from usl_core.errors import InterpError
from usl_core.interp.arith import Arithmetic
from usl_core.interp.buffers import Buffer, require_rank
from usl_core.interp.values import POISON
from usl_core.ir.nodes import Arg, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.types import B8, BOOL, ControlType, ScalarType, scalar_of
from usl_core.ir.written import written_formals


def bind(
    proc: Proc, args: Mapping[str, object] | Sequence[object], arith: Arithmetic
) -> tuple[list[Any], list[Callable[[], None]]]:
    """The arguments in order, data as Buffers, and what brings results back into arrays after the run."""
    written = written_formals(proc)
    values: list[Any] = []
    arrays: list[tuple[Arg, Any]] = []
    for formal, arg in zip(proc.args, _in_order(proc, args), strict=True):
        if isinstance(formal.type, ControlType):
            values.append(_control(formal, arg))
        elif isinstance(arg, Buffer):
            values.append(_buffer(formal, arg, arith))
        elif arith.mode == "machine" and _is_array(arg):
            values.append(None)
            arrays.append((formal, arg))
        else:
            values.append(_number(formal, arg, arith, formal.name in written))
    if not arrays:
        _require_distinct(proc, values, written)
        return values, []
    from usl_core.interp.arrays import import_arrays  # NumPy is loaded only where there is an array

    imported = import_arrays(arrays)
    buffers = iter(buffer for buffer, _ in imported)
    stores = [store for (formal, _), (_, store) in zip(arrays, imported, strict=True) if formal.name in written]
    bound = [next(buffers) if value is None else value for value in values]
    _require_distinct(proc, bound, written)
    return bound, stores


def _require_distinct(proc: Proc, values: Sequence[Any], written: Collection[Sym]) -> None:
    """A written window does not show one element twice: its elements are different locations."""
    for formal, value in zip(proc.args, values, strict=True):
        if isinstance(value, Buffer) and formal.name in written and not value.has_distinct_elements():
            name = formal.name.name
            raise InterpError(f"the elements of argument {name}, which is written, overlap each other", span=formal.span)


def _in_order(proc: Proc, args: Mapping[str, object] | Sequence[object]) -> Sequence[object]:
    names = [arg.name.name for arg in proc.args]
    if not isinstance(args, Mapping):
        if len(args) != len(names):
            raise InterpError(f"{proc.name} takes {len(names)} arguments ({', '.join(names)}), got {len(args)}", span=proc.span)
        return args
    problems = [f"{name} is missing" for name in names if name not in args]
    problems += [f"there is no formal {name}" for name in args if name not in names]
    if problems:
        raise InterpError(f"arguments of {proc.name}: {', '.join(problems)}", span=proc.span)
    return [args[name] for name in names]


def _control(formal: Arg, arg: Any) -> int | bool:
    if formal.type is BOOL:
        if isinstance(arg, bool):
            return arg
    elif hasattr(arg, "__index__") and not isinstance(arg, bool):
        return int(arg.__index__())
    wanted = "bool" if formal.type is BOOL else "int"
    raise InterpError(f"argument {formal.name.name}: {formal.type} needs a Python {wanted}, got {arg!r}", span=formal.span)


def _buffer(formal: Arg, buffer: Buffer, arith: Arithmetic) -> Buffer:
    scalar = scalar_of(formal.type)
    require_rank(formal, buffer.shape)
    if buffer.scalar != scalar:
        raise InterpError(
            f"argument {formal.name.name} must have elements of type {scalar}, got {buffer.scalar}", span=formal.span
        )
    wanted = (int,) if scalar.is_int else arith.real_types
    for value in buffer.data:
        if value is not POISON and type(value) not in wanted:
            expected = " or ".join(typ.__name__ for typ in wanted)
            raise InterpError(
                f"argument {formal.name.name}: {value!r} is no {arith.mode} value of {scalar}, which is {expected}",
                span=formal.span,
            )
    return buffer


def _is_array(arg: object) -> bool:
    """Whether arg is a NumPy array (not one of NumPy's numbers, which cannot be written), without loading NumPy."""
    return hasattr(arg, "__array_interface__") and hasattr(arg, "setflags") and hasattr(arg, "sort") and hasattr(arg, "ctypes")


def _number(formal: Arg, arg: Any, arith: Arithmetic, written: bool) -> Buffer:
    """A scalar formal's argument given by value."""
    what = "a Buffer or a NumPy array" if arith.mode == "machine" else "a Buffer"
    if not isinstance(formal.type, ScalarType):
        raise InterpError(f"argument {formal.name.name} must be {what}, got {type(arg).__name__}", span=formal.span)
    if written:
        raise InterpError(f"argument {formal.name.name} is written, so it must be {what}, not {arg!r}", span=formal.span)
    number = arg.item() if hasattr(arg, "item") else arg
    allowed: tuple[type, ...] = (bool,) if formal.type == B8 else (int,) if formal.type.is_int else (int, float, Fraction)
    if type(number) not in allowed or (formal.type.is_int and not _in_range(formal.type, number)):
        raise InterpError(f"argument {formal.name.name}: {arg!r} is not a value of {formal.type}", span=formal.span)
    return Buffer(formal.type, (), [arith.number(number, formal.type)])


def _in_range(typ: ScalarType, value: int) -> bool:
    lo, hi = typ.int_range()
    return lo <= value <= hi
