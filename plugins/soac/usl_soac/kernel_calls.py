"""Calls of kernels in outer code: the form for sizes of at least 1, the general form otherwise; results are new arrays."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import nullcontext

from usl_core import Procedure
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64, U32
from usl_perceus import not_empty
from usl_soac import core, failures
from usl_soac.constants import zero
from usl_soac.core import Const, Param, Statement
from usl_soac.kernel_formals import Argument
from usl_soac.lowering import known
from usl_soac.outer_frame import Frame, Value
from usl_soac.regions import Kernel
from usl_soac.scalars import BOOL
from usl_soac.sizes import KERNEL_SIZE_LIMIT, Term
from usl_soac.views import View, times

Outer = Callable[[Statement, Frame], Sequence[Value]]
"""Writes a statement as outer code; gives its values."""


def called(
    kernel: Kernel, statement: Statement, frame: Frame, failing: Callable[[Statement, Frame], None], outer: Outer
) -> Sequence[Value]:
    """The call; the values of the statement."""
    for each in (*kernel.arguments, *kernel.general_arguments):
        if each.kind == "array" and isinstance(each.of, Sym):  # what has to be made is, before the two forms part
            frame.values[each.of] = frame.whole(frame.view(each.of))
    names = [frame.fresh(param.name.name) for param in statement.pattern]
    bad = [frame.fresh("bad") for each in kernel.arguments if each.kind == "bad"]
    sizes = [frame.term(each.of) for each in kernel.arguments if each.kind == "size" and isinstance(each.of, Term)]
    _test_sizes(kernel, sizes, statement, frame)
    for param, name, (dims, _) in zip(statement.pattern, names, _results(kernel), strict=True):
        if param.name not in frame.spares and (base := frame.before_loops(param, name, dims)) is not None:
            frame.spares[param.name] = base
    at_least_one = " and ".join(f"{size} > 0" for size in dict.fromkeys(sizes) if not size.isdigit())
    _test_rounds(kernel, at_least_one, statement, frame)
    bounds = [frame.scalar(sym) for sym, ends in kernel.bounds.items() if ends and frame.types[sym].scalar in (I64, U32)]
    if bounds:
        with frame.block(f"if {' or '.join(f'i64({text}) > {KERNEL_SIZE_LIMIT}' for text in bounds)}"), frame.scope():
            flags = [_argument(each, frame, general=False) for each in kernel.arguments if each.kind == "bad"]
            _by_outer_code(statement, [*names, *bad], flags, frame, outer)
    with frame.block("else") if bounds else nullcontext():
        if kernel.general is None:
            _call(kernel.procedure, kernel.arguments, [*names, *bad], frame, general=kernel.is_general)
        else:
            with frame.block(f"if {at_least_one or 'True'}"):
                _call(kernel.procedure, kernel.arguments, [*names, *bad], frame, general=False)
            with frame.block("else"):
                _call(kernel.general, kernel.general_arguments, [*names, *bad], frame, general=True)
    if bad:
        with frame.block(f"if {bad[0]}[0] != 0"), frame.scope():
            failing(statement, frame)
    if isinstance(statement.value, core.Filter):
        return _front_parts(kernel, statement, names, frame)
    values: list[Value] = []
    for param, name in zip(statement.pattern, names, strict=True):
        typ = param.type
        values.append(frame.received(name, typ) if typ.dims else _only(name, param, frame))
    return values


def _test_sizes(kernel: Kernel, sizes: Sequence[str], statement: Statement, frame: Frame) -> None:
    """What is larger than a procedure takes is a failure of the program, and not of the call."""
    if not frame.module.checked:
        return
    for size in dict.fromkeys(each for each in sizes if not each.isdigit()):
        with frame.block(f"if {size} > {KERNEL_SIZE_LIMIT}"):
            site = failures.kernel_size(kernel.procedure.name(), size.rpartition("_")[0] or size, statement.span)
            frame.raises(frame.module.site(site), [size])


def _test_rounds(kernel: Kernel, at_least_one: str, statement: Statement, frame: Frame) -> None:
    """Loops of a kernel count to 2^31 - 1; those that end by data may have a larger limit, and no more rounds."""
    if not frame.module.checked:
        return
    for sym, ends_by_data in kernel.bounds.items():
        if not ends_by_data and frame.types[sym].scalar in (I64, U32):
            limit = f"i64({frame.scalar(sym)})"
            with frame.block(f"if {' and '.join(filter(None, [f'{limit} > {KERNEL_SIZE_LIMIT}', at_least_one]))}"):
                frame.raises(frame.module.site(failures.kernel_rounds(kernel.procedure.name(), statement.span)), [limit])


def _by_outer_code(statement: Statement, names: Sequence[str], flags: Sequence[str], frame: Frame, outer: Outer) -> None:
    """What kernels cannot do, as loops in them have at most 2^31 - 1 rounds, in the form of their results; no test has failed
    where it ends."""
    values = [each if isinstance(each, str) else frame.whole(each).base for each in outer(statement, frame)]
    for param, name, value in zip(statement.pattern, names, values, strict=False):
        number = f"u8({value})" if param.type.scalar is BOOL else value
        frame.line(f"{name} = {value if param.type.dims else f'array(1, {number})'}")
    for name, flag in zip(names[len(statement.pattern) :], flags, strict=True):
        frame.line(f"{name} = {flag}")


def _results(kernel: Kernel) -> list[tuple[Sequence[Term], Param]]:
    return [(each.dims, each.of) for each in kernel.arguments if each.kind == "result" and isinstance(each.of, Param)]


def _only(name: str, param: Param, frame: Frame) -> str:
    """A scalar result, which is an array of one element."""
    return frame.element(View(name, param.type.scalar, ("1",), ("1",)), ["0"])


def _front_parts(kernel: Kernel, statement: Statement, names: Sequence[str], frame: Frame) -> Sequence[Value]:
    """The results of a filter: the rows that were written, of the arrays that have room for all."""
    count, *arrays = statement.pattern
    kept = frame.let("kept", _only(names[0], count, frame))
    values: list[Value] = [kept]
    for param, name in zip(arrays, names[1:], strict=True):
        dims = (kept, *(frame.term(dim) for dim in known(param.type)[1:]))
        room = View(name, param.type.scalar, dims, frame.row_strides(dims), whole=False)
        values.append(frame.whole(room) if param.name in frame.spares else frame.front(room))
    return values


def _call(procedure: Procedure, arguments: Sequence[Argument], names: Sequence[str], frame: Frame, general: bool) -> None:
    args = [_argument(each, frame, general) for each in arguments]
    text = f"{frame.module.uses(procedure.name(), not_empty(procedure))}({', '.join(args)})"
    frame.line(f"({', '.join(names)}) = {text}" if len(names) > 1 else f"{names[0]} = {text}")
    if not general:
        return
    results = [each for each in arguments if each.kind == "result"]
    for name, result in zip(names, results, strict=False):
        assert isinstance(result.of, Param)
        if result.dims:
            count = frame.let("count", times(*map(frame.term, result.dims)))
            empty = f"array(0, {zero(result.of.type.scalar)})"
            frame.line(f"{name} = {name} if {count} > 0 else {empty}")


def _argument(argument: Argument, frame: Frame, general: bool) -> str:
    match argument:
        case Argument(kind="size", of=Term() as term):
            return frame.term(term)
        case Argument(kind="narrow", of=Term() as term):
            return f"i32({frame.term(term)})"
        case Argument(kind="room", of=Term() as term):
            return _room(term, frame)
        case Argument(kind="index", of=Sym() as sym):
            text = frame.scalar(sym)
            return f"max(min({text}, 2147483647), 0 - 2147483647)" if frame.types[sym].scalar == I64 else f"i64({text})"
        case Argument(kind="scalar", of=Sym() as sym):
            text = frame.scalar(sym)
            return f"u8({text})" if frame.types[sym].scalar is BOOL else text
        case Argument(kind="scalar", of=Const() as const):
            return frame.scalar(const)
        case Argument(kind="array", of=Sym() as sym, dims=dims):
            array = frame.whole(frame.view(sym))
            if not general:
                return array.base
            count = frame.let("count", times(*array.dims))
            room = times(*(_room(dim, frame) for dim in dims))
            return frame.let("given", f"{array.base} if {count} > 0 else array({room}, {zero(array.scalar)})")
        case Argument(kind="result", of=Param() as param, dims=dims):
            count = times(*(_room(dim, frame) if general else frame.term(dim) for dim in dims))
            if not general and param.name in frame.spares:
                return frame.spares[param.name]
            if not general:
                if len(dims) > 2 or not all(dim.name is not None for dim in dims):
                    frame.countable([frame.term(dim) for dim in dims])
                frame.allocates(param.name.name, " * ".join(f"({dim})" for dim in dims) or "1", param.type.scalar)
                return frame.blank(count, param.type.scalar)
            return f"array({count}, {'0.0' if param.type.scalar.is_real else '0'})"
        case Argument(kind="bad", of=Param() as param):
            return f"array(1, {zero(param.type.scalar)})"
        case _:
            raise AssertionError(argument)


def _room(term: Term, frame: Frame) -> str:
    text = frame.term(term)
    return text if text.isdigit() and text != "0" else frame.let("room", f"max({text}, 1)")
