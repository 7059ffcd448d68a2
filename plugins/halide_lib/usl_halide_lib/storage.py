"""Where and in which form a func is stored: store_at, hoist_storage, store_in, and the extents of its buffer."""

from __future__ import annotations

from functools import partial
from typing import Any

from usl_core.cursors import AllocCursor, ForCursor
from usl_core.inspect import bounds as greatest
from usl_core.ir.memory import DRAM, Memory
from usl_core.scheduling import lift_alloc, rearrange_dim, resize_dim, set_memory, sink_alloc
from usl_halide_lib.compute import Placed, companions, narrow, target
from usl_halide_lib.directives import Directive
from usl_halide_lib.infer import bounds
from usl_halide_lib.places import Func, around, text_of
from usl_halide_lib.working import Working


def store_loop(working: Working, placed: Placed, compute: Directive, store: Directive | None, number: int | None) -> Any:
    """The loop in each iteration of which a func has a buffer, None for one buffer outside of all.

    Raises:
        DirectiveError: it does not enclose the place where the func is computed.
    """
    if store is None:
        return placed.loops[-1]
    if store.name == "store_root":
        return None
    _, loop = target(working, store, number if store.args[0] == compute.args[0] else None)
    for each in placed.loops:
        if working.at(each) == loop:
            return each
    raise store.refuse(f"the loop is inside of {compute}, or elsewhere; the storage must enclose it", "E781")


def sink(working: Working, placed: Placed, store: Any) -> None:
    """Move the allocation into the loops down to store, and let it be as large as what its scope touches."""
    if store is None:
        return
    for loop in placed.loops:
        working.do(sink_alloc, working.at(placed.func.buffer))
        if working.at(loop) == working.at(store):
            break
    if working.at(store) == working.at(placed.loops[-1]):
        narrow(working, placed)
    fit(working, placed.func, working.at(store).body())
    for other in companions(working, placed.func):
        if working.attempt(partial(_sink_other, working, placed, store, other)) is None:
            fit(working, other, working.at(store).body())


def _sink_other(working: Working, placed: Placed, store: Any, other: Func) -> None:
    for loop in placed.loops:
        working.do(sink_alloc, working.at(other.buffer))
        if working.at(loop) == working.at(store):
            break


def fit(working: Working, func: Func, code: Any) -> None:
    """Let a buffer be as large as what code touches of it."""
    box = bounds(working.p, working.at(func.buffer), code)
    for dim, (lo, extent) in enumerate(zip(box.lo, box.extent, strict=True)):
        old = text_of(working.at(func.buffer).shape()[dim])
        if str(lo) == "0" and str(extent) == old:
            continue
        error = working.attempt(lambda: working.do(resize_dim, working.at(func.buffer), dim, str(extent), str(lo)))  # noqa: B023
        if error is not None:
            working.log.remark(func.name, f"dimension {dim} keeps its extent: {error.message}")
            continue
        most = box.most[dim]
        if most is not None and str(most) != str(extent):
            working.attempt(lambda: working.do(resize_dim, working.at(func.buffer), dim, most, 0))  # noqa: B023


def hoist(working: Working, func: Func, directive: Directive) -> None:
    """Allocate the same buffer further out."""
    outer = None if directive.name == "hoist_storage_root" else target(working, directive)[1]
    if not func.local:
        raise directive.refuse(f"{func.name} is an argument", "E781")
    if outer is not None and working.at(outer) not in around(working.at(func.buffer)):
        raise directive.refuse("the loop is not around the storage", "E781")
    while (loop := _loop_around(working.at(func.buffer))) and loop != (None if outer is None else working.at(outer)):
        if working.root is not None and loop.is_ancestor_of(working.at(working.root)):
            break
        working.do(lift_alloc, working.at(func.buffer))


def _loop_around(cursor: Any) -> Any:
    parent = cursor.parent()
    return parent if isinstance(parent, ForCursor) else None


def memory_of(directive: Directive) -> type[Memory]:
    """The memory that a store_in names."""
    given = directive.args[0]
    if isinstance(given, type) and issubclass(given, Memory):
        return given
    if given in ("Stack", "Register"):
        from usl_c11.memory import Stack

        return Stack
    if given in ("Heap", "Auto"):
        return DRAM
    raise directive.refuse('memories are "Stack", "Heap", "Register", and classes of memories', "E775")


def store_in(working: Working, directive: Directive) -> None:
    """Put a func into a memory."""
    func = working.func(directive.func, directive)
    memory = memory_of(directive)
    if memory is not DRAM and directive.args[0] in ("Stack", "Register"):
        for dim, extent in enumerate(working.at(func.buffer).shape()):
            if not text_of(extent).isdecimal() and greatest(extent)[1] is None:
                raise directive.refuse(
                    f"dimension {dim} of {func.name} has the extent {text_of(extent)}, which is no number", "E775"
                )
    working.do(set_memory, working.at(func.buffer), memory)


def dimension(working: Working, func: Func, directive: Directive) -> int:
    """The number of the dimension that a directive names."""
    name = directive.args[0]
    if name not in func.dims:
        known = ", ".join(each for each in func.dims if each is not None)
        raise directive.refuse(f"{func.name} has no dimension {name}; those with a name are {known or 'none'}", "E775")
    return func.dims.index(name)


def align_storage(working: Working, directive: Directive) -> None:
    """Let a dimension have a multiple of alignment places."""
    func = local(working, directive)
    dim, alignment = dimension(working, func, directive), directive.args[1]
    if not isinstance(alignment, int) or alignment < 1:
        raise directive.refuse(f"the alignment must be a positive number, got {alignment}", "E775")
    extent = text_of(working.at(func.buffer).shape()[dim])
    size: str | int = f"({extent} + {alignment - 1}) / {alignment} * {alignment}"
    if extent.isdecimal():
        size = -(-int(extent) // alignment) * alignment
    working.do(resize_dim, working.at(func.buffer), dim, size, 0)


def bound_storage(working: Working, directive: Directive) -> None:
    """Let a dimension have so many places; fewer than needed are refused."""
    func = local(working, directive)
    dim = dimension(working, func, directive)
    working.do(resize_dim, working.at(func.buffer), dim, directive.args[1], 0)


def reorder_storage(working: Working, directive: Directive) -> None:
    """Permute the dimensions of a buffer, given the innermost first."""
    func = local(working, directive)
    names = list(reversed(directive.args))
    if sorted(names) != sorted(name for name in func.dims if name is not None) or None in func.dims:
        raise directive.refuse(f"the dimensions of {func.name} are {', '.join(str(each) for each in func.dims)}", "E775")
    order = [func.dims.index(name) for name in names]
    working.do(rearrange_dim, working.at(func.buffer), order)
    func.dims = names


def local(working: Working, directive: Directive) -> Func:
    """The func of a directive about its buffer, which must be local."""
    func = working.func(directive.func, directive)
    if not func.local or not isinstance(working.at(func.buffer), AllocCursor):
        raise directive.refuse(f"{func.name} is an argument, whose storage is the caller's", "E775")
    return func
