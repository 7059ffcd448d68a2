"""Calls whose arguments are as they must be: NumPy arrays of the right types and ranks, Python's own numbers.

What Python does around a call takes longer than a small kernel, most of all where a large one has filled the caches. So a
function of Python is written for each signature, which looks at the arguments and calls the outer code. Of any other argument,
and of a size that does not agree, `arguments` and `running` say what is wrong, or convert it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count
from typing import Any

import numpy as np

from usl_core.ir.sym import Sym
from usl_core.ir.types import I64, ScalarType
from usl_soac.core import Function, Param, Type
from usl_soac.interp import dtype_of
from usl_soac.scalars import BOOL
from usl_soac.signatures import Leaf, Signature
from usl_soac.sizes import SIZE_LIMIT

Call = Callable[[Sequence[Any]], Any]
LARGEST_F32 = float(np.finfo(np.float32).max)


@dataclass(slots=True)
class _Text:
    """The text so far, and what it calls by name."""

    names: dict[str, Any]
    lines: list[str] = field(default_factory=list)
    numbers: Iterator[int] = field(default_factory=count)
    spelled: dict[Sym, str] = field(default_factory=dict)
    """The sizes that are known."""

    def kept(self, value: Any) -> str:
        """A name for a value."""
        name = f"kept_{next(self.numbers)}"
        self.names[name] = value
        return name

    def unless(self, test: str) -> None:
        """All else is left to the general way."""
        self.lines += [f"    if not ({test}):", "        return in_general(args)"]


def plain(
    function: Function,
    signature: Signature,
    outer: Any,
    *,
    in_general: Call,
    failed: Callable[[Exception], Any],
    too_large: Callable[[Exception], Any],
) -> Call | None:
    """A call by the outer code; None for a function with tuples or sizes that are terms in its parameters, or tuples in tuples
    as its result. in_general makes all calls that are not plainly right, failed gets what the outer code raises, too_large what
    NumPy raises of an array without elements whose other dimensions are beyond all memory."""
    if not all(isinstance(each.declared, Leaf) for each in signature.params):
        return None
    if not isinstance(signature.result, Leaf) and not all(isinstance(each, Leaf) for each in signature.result.items):
        return None
    text = _Text({"ndarray": np.ndarray, "uint8": np.uint8, "outer": outer, "in_general": in_general})
    text.names.update(failed=failed, too_large=too_large)
    args = [f"arg_{i}" for i in range(len(function.params))]
    text.unless(f"len(args) == {len(args)}")
    text.lines += [f"    {arg} = args[{i}]" for i, arg in enumerate(args)]
    for param, arg in zip(function.params, args, strict=True):
        if not param.type.dims:
            _expect_scalar(param.type.scalar, arg, text)
            if param.type.scalar == I64:
                text.spelled[param.name] = arg
    if not all(_expect_array(param, arg, function, text) for param, arg in zip(function.params, args, strict=True)):
        return None
    given = [text.spelled[each] for each in function.sizes]
    given += [f"{arg}.view(uint8)" if _is_truths(param.type) else arg for param, arg in zip(function.params, args, strict=True)]
    call = f"(outer.entry or outer)({', '.join(given)})"
    text.lines += ["    try:", f"        found = {call}", "    except Exception as error:", "        return failed(error)"]
    result = _result(function.results, isinstance(signature.result, Leaf))
    text.lines += ["    try:", f"        return {result}", "    except ValueError as error:", "        return too_large(error)"]
    exec("\n".join(["def call(args):", *text.lines]), text.names)
    made: Call = text.names["call"]
    return made


def _expect_scalar(scalar: ScalarType, arg: str, text: _Text) -> None:
    if scalar is BOOL:
        text.unless(f"type({arg}) is bool")
    elif not scalar.is_real:
        low, high = scalar.int_range()
        text.unless(f"type({arg}) is int and {low} <= {arg} <= {high}")
    elif scalar.bits == 64:
        text.unless(f"type({arg}) is float")
    else:
        text.unless(f"type({arg}) is float and {-LARGEST_F32!r} <= {arg} <= {LARGEST_F32!r}")


def _expect_array(param: Param, arg: str, function: Function, text: _Text) -> bool:
    """Whether its sizes are names and numbers. The first array of a size binds it."""
    if not param.type.dims:
        return True
    dtype = text.kept(np.dtype(dtype_of(param.type.scalar)))
    text.unless(f"type({arg}) is ndarray and {arg}.dtype is {dtype} and {arg}.ndim == {param.type.rank}")
    found = [f"size_{next(text.numbers)}" for _ in param.type.dims]
    text.lines.append(f"    {', '.join(found)}, = {arg}.shape")
    for dim, size in zip(param.type.dims, found, strict=True):
        assert dim is not None
        if dim.name is not None and dim.name not in text.spelled:
            if dim.name not in function.sizes:
                return False
            text.spelled[dim.name] = size
            text.unless(f"{size} <= {SIZE_LIMIT}")
        elif dim.name is not None or dim.constant is not None:
            text.unless(f"{size} == {text.spelled[dim.name] if dim.name is not None else dim.constant}")
        else:
            return False
    return True


def _is_truths(type_: Type) -> bool:
    return bool(type_.dims) and type_.scalar is BOOL


def _result(types: Sequence[Type], is_alone: bool) -> str:
    """Of what the outer code gives: the sizes of all arrays, then the values."""
    total = sum(each.rank for each in types) + len(types)
    at, values = 0, []
    for i, each in enumerate(types, start=total - len(types)):
        value = f"found[{i}]" if total > 1 else "found"
        if each.dims:
            sizes = ", ".join(f"found[{at + i}]" for i in range(each.rank))
            value += f".reshape({sizes})" if each.rank > 1 else ""
            value += ".view('bool')" if each.scalar is BOOL else ""
            at += each.rank
        values.append(value)
    return values[0] if is_alone else f"({', '.join(values)},)"
