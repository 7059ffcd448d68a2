"""What Python passes to a function of arrays, and what it gets: numbers, NumPy arrays, tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from usl_core.ir.types import ScalarType
from usl_soac.core import Type
from usl_soac.interp import as_fraction, dtype_of
from usl_soac.scalars import BOOL
from usl_soac.show import show_type
from usl_soac.signatures import Declared, Leaf, Signature
from usl_soac.text import ill_typed


def converted(signature: Signature, args: Sequence[Any], exact: bool, *, lent: bool = False) -> list[Any]:
    """One value for each scalar and array that a function takes. Arrays are copied, or lent where they are as they must be.

    Raises:
        SoacError: there are too many or too few, or one is not of its type.
        TypeError: one has a mask.
    """
    if len(args) != len(signature.params):
        names = ", ".join(each.name for each in signature.params)
        raise ill_typed(f"{signature.name} takes {len(signature.params)} arguments ({names}), {len(args)} given", None)
    return [
        leaf
        for formal, arg in zip(signature.params, args, strict=True)
        for leaf in _leaves(formal.declared, arg, f"{signature.name}: {formal.name}", exact, lent)
    ]


def in_order(signature: Signature, args: Sequence[Any], named: Mapping[str, Any]) -> tuple[Any, ...]:
    """The arguments in the order of the parameters, of which some are given by name.

    Raises:
        SoacError: there is no such parameter, or one is given twice, or not at all.
    """
    names = [each.name for each in signature.params]
    known = f"its parameters: {', '.join(names)}"
    if len(args) > len(names):
        raise ill_typed(f"{signature.name} takes {len(names)} arguments, {len(args) + len(named)} given; {known}", None)
    for name in named:
        if name not in names:
            raise ill_typed(f"{signature.name} has no parameter {name}; {known}", None)
        if name in names[: len(args)]:
            raise ill_typed(f"{signature.name}: {name} is given twice, by position and by name", None)
    missing = [name for name in names[len(args) :] if name not in named]
    if missing:
        raise ill_typed(f"{signature.name}: {' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not given", None)
    return (*args, *(named[name] for name in names[len(args) :]))


def given_back(declared: Declared, results: Iterator[Any], *, copied: bool = True) -> Any:
    """The results as Python sees them."""
    if isinstance(declared, Leaf):
        result = next(results)
        return result.copy() if copied and isinstance(result, np.ndarray) else result
    return tuple(given_back(item, results, copied=copied) for item in declared.items)


def _leaves(declared: Declared, arg: Any, what: str, exact: bool, lent: bool) -> Iterator[Any]:
    if isinstance(declared, Leaf):
        if _is_masked(arg):
            raise TypeError(f"{what} must not be a masked array; fill it with numpy.ma.filled")
        typ = declared.type
        yield _array(typ, arg, what, exact, lent) if typ.rank else _scalar(typ.scalar, arg, what, exact)
        return
    if not isinstance(arg, tuple | list) or len(arg) != len(declared.items):
        raise ill_typed(f"{what} is a tuple of {len(declared.items)}, not {_shown(arg)}", None)
    for item, part in zip(declared.items, arg, strict=True):
        yield from _leaves(item, part, what, exact, lent)


def _is_masked(arg: Any) -> bool:
    """Whether it is, or lists of it hold, an array of NumPy with a mask, which would be lost."""
    return isinstance(arg, np.ma.MaskedArray) or (isinstance(arg, list | tuple) and any(map(_is_masked, arg)))


def _scalar(scalar: ScalarType, arg: Any, what: str, exact: bool) -> Any:
    if isinstance(arg, np.ndarray) and arg.ndim == 0:
        arg = arg.item()
    if isinstance(arg, np.generic):
        arg = arg.item()
    if scalar is BOOL:
        if isinstance(arg, bool):
            return arg
    elif scalar.is_real:
        if isinstance(arg, int | float | Fraction) and not isinstance(arg, bool):
            try:
                return as_fraction(arg) if exact else float(np.float32(arg)) if scalar.bits == 32 else float(arg)
            except OverflowError:  # a number of Python that is larger than every f64
                raise ill_typed(f"{what} is larger than every {scalar}", None) from None
    elif isinstance(arg, int) and not isinstance(arg, bool):
        low, high = scalar.int_range()
        if low <= arg <= high:
            return arg
        raise ill_typed(f"{what} is {arg}, which is no {scalar}", None)
    raise ill_typed(f"{what} is {_article(str(scalar))}, not {_shown(arg)}", None)


def _array(typ: Type, arg: Any, what: str, exact: bool, lent: bool) -> Any:
    if lent and type(arg) is np.ndarray and arg.ndim == typ.rank and arg.dtype == dtype_of(typ.scalar):
        flags = arg.flags
        if flags.c_contiguous and flags.aligned:
            return arg
    shown = show_type(typ)
    try:
        array = np.asarray(arg)
    except ValueError:
        raise ill_typed(f"{what} is {shown}; its rows have different lengths", None) from None
    if array.ndim != typ.rank:
        if array.size or array.ndim > typ.rank:
            message = f"{what} is {shown}, an array of {typ.rank} dimensions, not of {array.ndim}"
            raise ill_typed(message, None)
        array = array.reshape(array.shape + (0,) * (typ.rank - array.ndim))
    wanted = dtype_of(typ.scalar)
    kinds = {"b": "b", "i": "biu" if not array.size else "iu", "u": "iu", "f": "fiuO"}[wanted.kind]
    if array.size and array.dtype != wanted and array.dtype.kind not in kinds:
        raise ill_typed(f"{what} is {shown}, not an array of {array.dtype}", None)
    if wanted.kind in "iu" and array.size and array.dtype != wanted:
        low, high = typ.scalar.int_range()
        if int(array.min()) < low or int(array.max()) > high:
            raise ill_typed(f"{what} is {shown}; some elements are no {typ.scalar}", None)
    if array.dtype.kind == "O":
        array = _numbers(array, shown, what)
    if not (exact and typ.scalar.is_real):
        return np.require(array, wanted, ["C", "A"]) if lent else np.array(array, wanted)
    made = np.empty(array.size, object)
    for i, each in enumerate(array.reshape(-1).tolist()):
        made[i] = as_fraction(each)
    return made.reshape(array.shape)


def _numbers(array: Any, shown: str, what: str) -> Any:
    """An array of Python's objects, which must be numbers that fit an f64."""
    for each in array.reshape(-1).tolist():
        if not isinstance(each, int | float | Fraction):
            raise ill_typed(f"{what} is {shown}, and {_shown(each)} is no number", None)
        try:
            float(each)
        except OverflowError:
            raise ill_typed(f"{what} is {shown}; some elements are larger than every f64", None) from None
    return array


def _shown(arg: Any) -> str:
    if isinstance(arg, np.ndarray):
        return f"an array of {arg.ndim} dimensions"
    text = repr(arg)
    return text if len(text) < 40 else _article(type(arg).__name__)


def _article(noun: str) -> str:
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"
