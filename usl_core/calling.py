"""What a backend's callables are called with: NumPy arrays and numbers, checked against a procedure's formals.

Every mistake is one JitError that names the argument, what was expected and what came. A backend calls its compiled code with
the values of an `Arguments`, and need not look at what users pass.
"""

from __future__ import annotations

import itertools
import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from usl_core.errors import JitError
from usl_core.ir import externs
from usl_core.ir.nodes import (
    Arg,
    BinaryOp,
    Cast,
    Expr,
    ExternCall,
    Literal,
    Proc,
    Read,
    ReadConfig,
    StrideExpr,
    UnaryMinus,
    WindowExpr,
)
from usl_core.ir.printer import show_expr
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_kinds
from usl_core.ir.types import B8, BOOL, SIZE, ControlType, ScalarType, TensorType
from usl_core.ir.types import numpy_name as numpy_name
from usl_core.ir.written import written_formals
from usl_core.ranges import SIZE_MAX
from usl_core.records import dataclass

MAX_OVERLAP_WORK = 100_000
"""Effort for the exact test whether two arrays overlap; beyond it they count as overlapping."""

Control = Mapping[Sym, int]
Strides = Mapping[tuple[Sym, int], int]


def bind(proc: Proc, args: Sequence[Any], kwargs: Mapping[str, Any]) -> list[Any]:
    """The arguments in the order of the formals."""
    names = [arg.name.name for arg in proc.args]
    if len(args) > len(names):
        raise JitError(f"{proc.name} takes {len(names)} arguments ({', '.join(names)}), {len(args)} were given")
    given = dict(zip(names, args, strict=False))
    for name, value in kwargs.items():
        if name not in names:
            raise JitError(f"{proc.name} has no argument {name}", notes=(f"it takes: {', '.join(names)}",))
        if name in given:
            raise JitError(f"{proc.name} got {name} twice, by position and by name")
        given[name] = value
    missing = [name for name in names if name not in given]
    if missing:
        raise JitError(f"{proc.name} lacks its argument {', '.join(missing)}", notes=(f"it takes: {', '.join(names)}",))
    return [given[name] for name in names]


@dataclass(frozen=True, slots=True)
class Formal:
    """What jit needs to know of a formal."""

    arg: Arg
    proc: str
    written: bool

    @property
    def name(self) -> str:
        """How the procedure calls it."""
        return self.arg.name.name

    def refuse(self, expected: str, came: str, note: str | None = None) -> JitError:
        """The error that another argument is wanted for it."""
        notes = (note,) if note else ()
        return JitError(f"{self.proc}: argument {self.name} must be {expected}, not {came}", span=self.arg.span, notes=notes)


def formals(proc: Proc) -> list[Formal]:
    """What a compiled procedure takes."""
    written = written_formals(proc)
    return [Formal(arg, proc.name, arg.name in written) for arg in proc.args]


# ---- control values


def control_value(formal: Formal, value: Any) -> int:
    """A size, index or bool as C takes it."""
    if formal.arg.type is BOOL:
        if _is_numpy_bool(value) or isinstance(value, bool):
            return int(value)
        raise formal.refuse("a bool", _describe(value))
    if isinstance(value, bool) or _is_numpy_bool(value):
        raise formal.refuse("an integer", _describe(value))
    try:
        number = operator.index(value)
    except TypeError:
        raise formal.refuse("an integer", _describe(value)) from None
    least, greatest = control_limits(formal.arg.type)
    if not least <= number <= greatest:
        raise formal.refuse(f"between {least} and {greatest}", str(number))
    return number


def control_limits(typ: Any) -> tuple[int, int]:
    """The least and the greatest value of a size or an index."""
    return 1 if typ is SIZE else -SIZE_MAX, SIZE_MAX


def _is_numpy_bool(value: Any) -> bool:
    return type(value).__module__ == "numpy" and type(value).__name__ in ("bool_", "bool")


def _describe(value: Any) -> str:
    """A value in an error message: arrays by dtype and shape, others by type."""
    if hasattr(value, "dtype") and hasattr(value, "shape"):
        return f"an array of {value.dtype} with shape {value.shape}" if value.shape else f"a {value.dtype}"
    text = repr(value)
    return f"{text} ({type(value).__name__})" if len(text) <= 40 else f"a {type(value).__name__}"


_OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.floordiv,
    "%": operator.mod,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "==": operator.eq,
    "!=": operator.ne,
    "and": operator.and_,
    "or": operator.or_,
}


def evaluate(expr: Expr, values: Control, strides: Strides | None = None) -> int:
    """An extent, or with strides an assertion, for given control arguments; truth values are 0 and 1."""
    match expr:
        case Literal(value=value):
            return int(value)
        case Read(name=name):
            return values[name]
        case UnaryMinus(arg=arg):
            return -evaluate(arg, values, strides)
        case BinaryOp(op=op, lhs=lhs, rhs=rhs):
            return int(_OPERATIONS[op](evaluate(lhs, values, strides), evaluate(rhs, values, strides)))
        case ExternCall(fn=fn, args=args):
            pick = min if fn is externs.MIN else max
            return pick(evaluate(arg, values, strides) for arg in args)
        case StrideExpr(name=name, dim=dim) if strides is not None:
            return strides[name, dim]
        case Cast() | WindowExpr() | StrideExpr() | ReadConfig():
            raise AssertionError(f"not an extent: {expr}")


# ---- data


def dtype_of(formal: Formal, scalar: ScalarType) -> Any:
    """The NumPy dtype of the formal's elements, or of the bits of numbers that NumPy lacks."""
    import numpy as np

    if not numpy_name(scalar):
        raise _no_dtype(formal, scalar)
    return np.dtype(numpy_name(scalar))


def require_dtypes(formals: Iterable[Formal]) -> None:
    """Refuses what NumPy has no array for.

    Raises:
        JitError: a formal's type is not one of NumPy's.
    """
    for formal in formals:
        if not is_control(formal.arg):
            typ = formal.arg.type
            scalar = typ.scalar if isinstance(typ, TensorType) else typ
            assert isinstance(scalar, ScalarType)
            if not numpy_name(scalar):  # NumPy itself is not asked: importing it takes longer than all the rest
                raise _no_dtype(formal, scalar)


def _no_dtype(formal: Formal, scalar: ScalarType) -> JitError:
    return JitError(
        f"{formal.proc}: argument {formal.name} is {scalar}, which NumPy does not have",
        span=formal.arg.span,
        notes=("what the backend writes can be called from another language",),
    )


def scalar_array(formal: Formal, scalar: ScalarType, value: Any) -> Any:
    """The one-element array that a scalar formal refers to; a scalar that is only read may be a plain number."""
    import numpy as np

    dtype = dtype_of(formal, scalar)
    if scalar.is_encoded:
        value = _encoded(scalar, value, dtype)
    if isinstance(value, np.ndarray):
        if value.dtype != dtype or value.size != 1:
            raise formal.refuse(f"an array of one {dtype}", _describe(value))
        return _usable(formal, value)
    if formal.written:
        note = f"the procedure writes it: pass np.zeros((), np.{dtype}) and read the result from it"
        raise formal.refuse(f"an array of one {dtype}", _describe(value), note)
    if isinstance(value, np.float64):
        value = float(value)  # it is one: what computes with Python's floats and NumPy's gives the one or the other
    if isinstance(value, np.generic) and value.dtype != dtype:
        raise formal.refuse(f"a number of type {dtype}", _describe(value))
    if scalar == B8:
        if not isinstance(value, bool | np.bool_):
            raise formal.refuse("True or False", _describe(value))
    elif isinstance(value, bool) or not isinstance(value, int | float | np.generic):
        raise formal.refuse(f"a number of type {dtype}", _describe(value))
    elif scalar.is_int:
        lo, hi = scalar.int_range()
        if not isinstance(value, int | np.integer) or not lo <= int(value) <= hi:
            raise formal.refuse(f"an integer from {lo} to {hi}", _describe(value))
    return np.array(value, dtype=dtype)


def _encoded(scalar: ScalarType, value: Any, dtype: Any) -> Any:
    """A value of ml_dtypes as its bits, and those of the number next to a Python number; other values as they are."""
    import numpy as np

    if isinstance(value, np.ndarray | np.generic):
        return value.view(dtype) if value.dtype.name == scalar.dtype else value
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    from usl_core.interp.encoding import bits_of  # the interpreter is loaded when it is needed
    from usl_core.interp.machine import MachineArithmetic

    return bits_of(np.array(MachineArithmetic().number(value, scalar)), scalar).astype(dtype)[()]


def tensor_array(formal: Formal, typ: TensorType, value: Any, values: Control) -> Any:
    """The array for a tensor formal, of exactly the dtype and shape; dense ones are C-contiguous."""
    import numpy as np

    dtype = dtype_of(formal, typ.scalar)
    if not isinstance(value, np.ndarray):
        raise formal.refuse(f"a NumPy array of {dtype}", _describe(value))
    if typ.scalar.is_encoded and value.dtype.name == typ.scalar.dtype:
        value = value.view(dtype)  # of the package ml_dtypes
    if value.dtype != dtype:
        note = f"convert it with .astype(np.{dtype})" if not formal.written else None
        raise formal.refuse(f"an array of {dtype}", f"of {value.dtype}", note)
    shape = tuple(evaluate(extent, values) for extent in typ.shape)
    if value.shape != shape:
        raise formal.refuse(f"an array of shape {shape}", f"of shape {value.shape}")
    if not typ.window and not value.flags.c_contiguous:
        note = "use np.ascontiguousarray, or make the formal a window with set_window"
        raise formal.refuse("C-contiguous", f"an array with strides {value.strides}", note)
    if typ.window:
        _check_strides(formal, value)
    return _usable(formal, value)


def _check_strides(formal: Formal, value: Any) -> None:
    if any(stride % value.itemsize for stride in value.strides):
        raise formal.refuse("an array whose strides are multiples of its item size", f"one with strides {value.strides}")
    if formal.written and not _distinct(value):
        raise formal.refuse("an array whose elements are distinct, as it is written", "one whose elements overlap")


def _distinct(value: Any) -> bool:
    """Whether the elements lie in different places: each stride steps over all that the smaller ones reach."""
    dims = sorted((abs(stride), extent) for stride, extent in zip(value.strides, value.shape, strict=True) if extent > 1)
    reach = 0
    for stride, extent in dims:
        if stride <= reach:
            return False
        reach += stride * (extent - 1)
    return True


def _usable(formal: Formal, value: Any) -> Any:
    if formal.written and not value.flags.writeable:
        raise formal.refuse("writeable", "a read-only array")
    if not value.flags.aligned:
        raise formal.refuse("aligned to its item size", "an unaligned array")
    return value


class Arguments:
    """The arguments of a call, checked: by kind, type, shape, place and overlap.

    controls has the control values in the order of their formals (bool as 0 or 1), arrays the NumPy arrays of the data in the
    order of theirs (a scalar is an array of one element; numbers that NumPy lacks are their bits), strides those of the
    windows, in elements.

    Raises:
        JitError: an argument is wrong, or two overlap that must not.
    """

    __slots__ = ("_arrays", "_sizes", "arrays", "controls", "strides")

    def __init__(self, proc: Proc, formals: Sequence[Formal], args: Sequence[Any], kwargs: Mapping[str, Any]) -> None:
        given = args if len(args) == len(formals) and not kwargs else bind(proc, args, kwargs)
        pairs = list(zip(formals, given, strict=True))
        sizes = {formal.arg.name: control_value(formal, value) for formal, value in pairs if is_control(formal.arg)}
        arrays: dict[Arg, Any] = {}
        strides: list[int] = []
        for formal, value in pairs:
            match formal.arg.type:
                case ScalarType() as scalar:
                    arrays[formal.arg] = scalar_array(formal, scalar, value)
                case TensorType(window=window) as typ:
                    array = arrays[formal.arg] = tensor_array(formal, typ, value, sizes)
                    strides += (step // array.itemsize for step in array.strides) if window else ()
                case ControlType():
                    pass
        check_overlap(proc, arrays)
        self.controls, self.arrays, self.strides = list(sizes.values()), list(arrays.values()), strides
        self._sizes, self._arrays = sizes, arrays

    def require_assertions(self, proc: Proc) -> None:
        """The assertions of proc hold of these arguments. For code that does not test them itself.

        Raises:
            JitError: one does not hold, or reads configuration, which a call does not give.
        """
        strides = {(arg.name, dim): step for arg, array in self._arrays.items() for dim, step in enumerate(_steps(arg, array))}
        for pred in proc.preds:
            if any(walk_kinds(pred, ReadConfig)):
                raise JitError(
                    f"{proc.name}: `{show_expr(pred)}` reads configuration, which a call does not give", span=pred.span
                )
            if not evaluate(pred, self._sizes, strides):
                raise JitError(f"{proc.name}: the assertion `{show_expr(pred)}` does not hold", span=pred.span)


def _steps(arg: Arg, array: Any) -> tuple[int, ...]:
    """The strides of an argument in elements; NumPy gives any number as the stride of an extent of 1."""
    if isinstance(arg.type, TensorType) and arg.type.window:
        return tuple(step // array.itemsize for step in array.strides)
    from usl_core.interp.buffers import dense_strides  # the interpreter is loaded when it is needed

    return dense_strides(array.shape)


def must_be_disjoint(proc: Proc) -> list[tuple[Arg, Arg]]:
    """Pairs of data formals that may not overlap: one of them is written, and not both are declared aliasable."""
    written = written_formals(proc)
    return [
        (a, b)
        for a, b in itertools.combinations([arg for arg in proc.args if not is_control(arg)], 2)
        if {a.name, b.name} & written and not {a.name.name, b.name.name} <= set(proc.aliasable)
    ]


def check_overlap(proc: Proc, arrays: Mapping[Arg, Any]) -> None:
    """Raises JitError if two arrays that must be disjoint share an element."""
    for a, b in must_be_disjoint(proc):
        if overlap(arrays[a], arrays[b]):
            raise JitError(
                f"{proc.name}: arguments {a.name.name} and {b.name.name} must not overlap",
                span=b.span,
                notes=("the procedure writes one of them: pass a copy of the other",),
            )


def overlap(a: Any, b: Any) -> bool:
    """Whether two arrays share memory."""
    import numpy as np

    if not np.may_share_memory(a, b):
        return False
    try:
        return bool(np.shares_memory(a, b, max_work=MAX_OVERLAP_WORK))  # type: ignore[arg-type]  # any count is allowed
    except RuntimeError:  # numpy.exceptions.TooHardError
        return True


def is_control(arg: Arg) -> bool:
    """Whether a formal takes a control value."""
    return isinstance(arg.type, ControlType)
