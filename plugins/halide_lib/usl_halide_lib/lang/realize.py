"""Running a pipeline: NumPy in, the whole buffer that the output needs out, with its place (halide.md §5.4).

Everything that a procedure takes for granted is tested here, in Python, before it is called.
"""

from __future__ import annotations

import platform
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from usl_c11.compiler import find_compiler
from usl_core import Procedure
from usl_core.ir.nodes import Assign, Reduce
from usl_core.ir.traverse import depends_on_data
from usl_core.ir.traverse import walk as walk_nodes
from usl_core.ir.types import ScalarType, TensorType
from usl_halide_lib.lang.accesses import accesses_beyond
from usl_halide_lib.lang.emit import Emitted, Formal
from usl_halide_lib.lang.errors import refuse
from usl_halide_lib.lang.images import Buffer, first_of
from usl_halide_lib.lang.interp import Interval, Oracle, parameters
from usl_halide_lib.lang.limits import check_limits
from usl_halide_lib.lang.linear import number_of
from usl_halide_lib.lang.query import Family
from usl_halide_lib.lang.target import window
from usl_halide_lib.lang.types import BOOL, I32, Type
from usl_halide_lib.streaming import aligned_empty
from usl_stdlib import walk

_GCC = (
    "-fno-loop-interchange",
    *("--param", "max-completely-peeled-insns=2000", "--param", "max-completely-peel-times=64"),
)


def flags(procedure: Procedure) -> tuple[str, ...]:
    """What the C compiler needs to know to make vectors of selects, and of all lanes; no value depends on it.

    gcc is also told to write out sums over small domains, and to leave loops nested as the schedule says; clang does. Its costs
    for processors in general are off by a quarter for rows of numbers of 32 and 64 bits, and right for narrower ones; in rows
    of the former it must not move anything into branches that it would make for that, which costs a fifth. Loops that write
    where data says, as those of histograms, are unrolled, which makes them faster by a third.
    """
    is_x86, is_clang = platform.machine().lower() in ("x86_64", "amd64"), "clang" in find_compiler().version
    wide = ("-mprefer-vector-width=512",) if is_x86 else ()
    if is_clang:
        return ("-fno-math-errno", "-fno-trapping-math", *wide)
    is_narrow = _has_narrow_numbers(procedure)
    costs = () if is_narrow else ("-fno-tree-pre", "-mtune=icelake-server") if is_x86 else ("-fno-tree-pre",)
    unrolled = ("-funroll-loops",) if _scatters(procedure) else ()
    return ("-fno-math-errno", "-fno-trapping-math", *wide, *costs, *unrolled, *_GCC)


def _has_narrow_numbers(procedure: Procedure) -> bool:
    allocated = (each.node.type for each in walk(procedure, "allocations"))
    types = [each.type for each in procedure.ir.args] + list(allocated)
    scalars = [each.scalar if isinstance(each, TensorType) else each for each in types]
    return any(isinstance(each, ScalarType) and each.is_int and each.bits < 32 for each in scalars)


def _scatters(procedure: Procedure) -> bool:
    """Whether a statement writes to places that data says."""
    writes = (each for stmt in procedure.ir.body for each in walk_nodes(stmt) if isinstance(each, Assign | Reduce))
    return any(depends_on_data(index) for each in writes for index in each.idx)


_jitted: WeakKeyDictionary[Procedure, Callable[..., object]] = WeakKeyDictionary()


def jitted(procedure: Procedure) -> Callable[..., object]:
    """The compiled procedure, found once: what the C compiler is and was given is not looked up in each call."""
    found = _jitted.get(procedure)
    if found is None:
        found = _jitted[procedure] = procedure.jit(march="native", flags=flags(procedure))
    return found


@dataclass(frozen=True)
class Realization:
    """What a run gave: the whole buffer, dimensions in NumPy's order, and which place is its first one, x first.

    `np.asarray` of it is the part that was asked for; window says which that is.
    """

    array: np.ndarray[Any, Any]
    mins: tuple[int, ...]
    window: tuple[Interval, ...]

    def asked(self) -> np.ndarray[Any, Any]:
        """The part that was asked for."""
        places = [slice(low - first, low - first + extent) for (low, extent), first in zip(self.window, self.mins, strict=True)]
        return self.array[(..., *reversed(places))]

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        asked = self.asked()
        return asked.copy() if dtype is None else asked.astype(dtype)

    def __getitem__(self, index: Any) -> Any:
        return self.asked()[index]

    @property
    def shape(self) -> tuple[int, ...]:
        """The extents of the part that was asked for, in NumPy's order."""
        return tuple(extent for _, extent in reversed(self.window))


def realized(
    emitted: Emitted,
    procedure: Procedure,
    inputs: Mapping[str, Any],
    asked: Mapping[str, Sequence[Interval]],
    given: Mapping[str, Sequence[Buffer]],
) -> dict[str, tuple[Realization, ...]]:
    """The values of a procedure that came from P0, in a window per output: one realisation per element of the output's tuple.

    given has buffers to write to, whose places are the window.

    Raises:
        AlgorithmError: E775, a buffer is too small for what has to be computed; E786, an input is too small; E787, a window
            or an extent is none; E772, an input has no value.
    """
    call = _call(emitted, inputs, asked, given)
    if call.arguments is not None:
        jitted(procedure)(*call.arguments)
        for target, array in call.copies:
            target[...] = array
    results: dict[str, tuple[Realization, ...]] = {}
    for name, arrays in call.arrays.items():
        mins, types = tuple(low for low, _ in call.boxes[name]), emitted.bounds.target.algorithm.func(name).types
        views = [each.view(np.bool_) if typ == BOOL else each for each, typ in zip(arrays, types, strict=True)]
        results[name] = tuple(Realization(each, mins, tuple(asked[name])) for each in views)
    return results


def prepared(
    emitted: Emitted, procedure: Procedure, inputs: Mapping[str, Any], asked: Mapping[str, Sequence[Interval]]
) -> Callable[[], object]:
    """The compiled call of `realized` alone: everything is tested once, and each run writes to the same buffers."""
    arguments = _call(emitted, inputs, asked, {}).arguments
    if arguments is None:
        raise refuse("there is nothing to compute in an empty window", code="E787")
    return partial(jitted(procedure), *arguments)


@dataclass(frozen=True, slots=True)
class _Call:
    """What a procedure is called with, None if nothing is to be computed; the outputs' arrays and places.

    copies are pairs of a buffer with gaps and the dense array that is computed in its stead.
    """

    arguments: list[Any] | None
    arrays: dict[str, list[np.ndarray[Any, Any]]]
    boxes: dict[str, list[Interval]]
    copies: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]]


def _call(
    emitted: Emitted, inputs: Mapping[str, Any], asked: Mapping[str, Sequence[Interval]], given: Mapping[str, Sequence[Buffer]]
) -> _Call:
    """Test everything that the procedure takes for granted, and find its arguments."""
    algorithm = emitted.bounds.target.algorithm
    outputs = [algorithm.func(name) for name in algorithm.outputs]
    env = parameters(algorithm, inputs, exact=False)
    Oracle(algorithm, inputs, exact=False).check_domains()
    is_empty = any(extent == 0 for name in algorithm.outputs for _, extent in asked[name])
    for output in outputs:
        for dim, (low, extent) in enumerate(asked[output.name]):
            env[window(output.name, dim)[0].name], env[window(output.name, dim)[1].name] = low, extent
    boxes = {output.name: list(asked[output.name]) for output in outputs}
    if not is_empty:
        for each in emitted.bounds.named:
            env[each.name] = number_of(each.value, env)
        check_limits(emitted.limits, emitted.bounds, env)
        boxes = {output.name: _box(emitted, Family("mem", output.name), env, output.name) for output in outputs}
        _check_images(emitted, env)
    arrays: dict[str, list[np.ndarray[Any, Any]]] = {}
    copies: list[tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]] = []
    for output in outputs:
        box = boxes[output.name]
        if output.name in given and not is_empty:
            _check_output(output.name, asked[output.name], box)
            stored = [_stored(each.array()) for each in given[output.name]]
            arrays[output.name] = [np.ascontiguousarray(each) for each in stored]
            pairs = zip(stored, arrays[output.name], strict=True)
            copies += [(target, array) for target, array in pairs if not np.shares_memory(target, array)]
        else:
            shape = [n for _, n in reversed(box)]
            arrays[output.name] = [aligned_empty(shape, dtype_of(typ), zeros=True) for typ in output.types]
    arguments = None if is_empty else [_argument(emitted, each, env, inputs, arrays) for each in emitted.formals]
    return _Call(arguments, arrays, boxes, copies)


def _stored(array: Any) -> np.ndarray[Any, Any]:
    """An array as a procedure writes it: truth values are bytes."""
    if not array.flags.writeable:
        raise refuse("the buffer to write to is read-only", code="E775")
    stored: np.ndarray[Any, Any] = array.view(np.uint8) if array.dtype == np.bool_ else array
    return stored


def _check_output(name: str, has: Sequence[Interval], needs: Sequence[Interval]) -> None:
    """Refuse a buffer that does not have exactly the places that are computed."""
    for dim, ((low, extent), (first, count)) in enumerate(zip(has, needs, strict=True)):
        if (low, extent) != (first, count):
            raise refuse(
                f"the buffer for {name} has the places {low}:{low + extent} in dimension {dim}, and {first}:{first + count} "
                "are computed",
                code="E775",
                notes=("hint: give a buffer of these places (set_min says where it begins), or take what realize returns",),
            )


def required(emitted: Emitted, env: Mapping[str, Any]) -> dict[str, list[Interval]]:
    """For each image the box that is read, as (min, extent) per dimension, x first."""
    algorithm = emitted.bounds.target.algorithm
    return {name: _box(emitted, Family("image", name), env, name) for name, _, _ in algorithm.images}


def dtype_of(typ: Type) -> np.dtype[Any]:
    """The NumPy type that a procedure stores a type in."""
    return np.dtype(np.uint8) if typ == BOOL else np.dtype(str(typ))


def _box(emitted: Emitted, family: Family, env: Mapping[str, Any], name: str) -> list[Interval]:
    box: list[Interval] = []
    for low, high in emitted.bounds.boxes.get(family, ()):
        first, last = number_of(low, env), number_of(high, env)
        if not (first >= -(2**31) and last < 2**31 - 1):
            raise refuse(f"{name} would need the places {first} to {last}, which are no 32-bit integers", code="E787")
        box.append((first, max(last - first + 1, 1)))
    return box


def _check_images(emitted: Emitted, env: Mapping[str, Any]) -> None:
    for name, box in required(emitted, env).items():
        extents = [env[f"{name}.extent.{dim}"] for dim in range(len(box))]
        if any(low < 0 or low + extent > have for (low, extent), have in zip(box, extents, strict=True)):
            firsts = [env[first_of(name, dim)] for dim in range(len(box))]
            has = ", ".join(f"{first}:{first + have}" for first, have in zip(firsts, extents, strict=True))
            reads = ", ".join(f"{first + low}:{first + low + extent}" for first, (low, extent) in zip(firsts, box, strict=True))
            raise refuse(
                f"{name} has the places {has}, and {reads} is read",
                code="E786",
                notes=(
                    *accesses_beyond(emitted.bounds, env, name, extents),
                    "hint: a larger image, a smaller window, or hl.clamp around the index",
                ),
            )


def _argument(
    emitted: Emitted, formal: Formal, env: Mapping[str, Any], inputs: Mapping[str, Any], arrays: Mapping[str, list[Any]]
) -> Any:
    """The value of one formal of P0."""
    algorithm = emitted.bounds.target.algorithm
    of, dim = formal.of, formal.dim
    match formal.kind:
        case "min" | "len":
            return env[window(of, dim)[formal.kind == "len"].name]
        case "bound":
            return env[of]
        case "extent":
            return env[f"{of}.extent.{dim}"]
        case "image":
            array = np.asarray(inputs[of])
            array = array.view(np.uint8) if array.dtype == np.bool_ else array
            is_dense = not array.ndim or array.strides[-1] == array.itemsize or array.shape[-1] == 1
            return array if is_dense else np.ascontiguousarray(array)
        case "output":
            return arrays[of][dim]
        case "param":
            typ = dict(algorithm.params)[of]
            return int(env[of]) if typ == I32 else np.asarray(env[of], dtype_of(typ))
        case _:
            raise AssertionError(formal)
