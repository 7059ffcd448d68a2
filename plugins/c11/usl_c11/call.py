"""Calls: of generated functions, and of instructions, whose template's text takes the place of the call."""

from __future__ import annotations

from collections.abc import Mapping

from usl_c11.access import address, lvalue, region_of, scalar_pointer, window_value
from usl_c11.ctext import PRIMARY, C
from usl_c11.expr import condition, control, stored
from usl_c11.scope import Function
from usl_c11.usage import is_placed, known_strides
from usl_core.backend import written_formals
from usl_core.errors import BackendError
from usl_core.ir.nodes import Arg, Call, Expr, Literal, Proc, Read, ReadConfig
from usl_core.ir.sym import Sym
from usl_core.ir.template import check_template, fill, stride_dim
from usl_core.ir.types import BOOL, ControlType, ScalarType, TensorType
from usl_core.placement import PlacedMemory


def call_text(call: Call, fn: Function) -> str:
    """The C expression that calls a generated function."""
    written = written_formals(call.proc)
    actuals = [fn.context or ""] if call.proc in fn.unit.contexts else []
    known = known_strides(call.proc.preds)
    for formal, actual in zip(call.proc.args, call.args, strict=True):
        if is_placed(formal):
            actuals += _rows(formal, actual, known, fn)
        else:
            actuals.append(_actual(formal, actual, formal.name in written, fn).text)
    return f"{fn.unit.functions[call.proc]}({', '.join(actuals)})"


def _actual(formal: Arg, actual: Expr, written: bool, fn: Function) -> C:
    match formal.type:
        case ControlType() as typ:
            return _control(typ, actual, fn)
        case ScalarType() as scalar:
            return _scalar(scalar, actual, fn)
        case TensorType(window=True):
            return window_value(actual, not written, fn)
        case TensorType():
            return _dense(actual, fn)


def _rows(formal: Arg, actual: Expr, known: Mapping[tuple[Sym, int], int], fn: Function) -> list[str]:
    """The number of the first row of an argument, and the strides of a window that the callee does not know."""
    at = region_of(actual, fn)
    mem = at.base.mem
    if not issubclass(mem, PlacedMemory):
        raise BackendError(f"{at.base.name} is in memory {mem.name}, which has no rows", span=actual.span)
    indices, strides = [i.text for i in at.start], [s.text for s in at.base.strides]
    row = mem.row(at.base.name, indices, strides, actual.span)
    texts = [row if row == at.base.name else f"(uint32_t){row}"]
    if isinstance(formal.type, TensorType) and formal.type.window:
        texts += [stride.text for dim, stride in enumerate(at.strides) if (formal.name, dim) not in known]
    return texts


def _control(typ: ControlType, actual: Expr, fn: Function) -> C:
    return condition(actual, fn) if typ is BOOL else control(actual, fn)


def _scalar(scalar: ScalarType, actual: Expr, fn: Function) -> C:
    if isinstance(actual, Literal | ReadConfig):
        ctype = fn.unit.ctype(scalar, actual.span)
        return C(f"&(const {ctype}){{{stored(actual, fn)}}}")
    assert isinstance(actual, Read)
    return scalar_pointer(actual, fn)


def _dense(actual: Expr, fn: Function) -> C:
    at = region_of(actual, fn)
    if not at.base.mem.addressable:
        raise BackendError(f"memory {at.base.mem.name} has no addresses: {at.base.name} cannot be passed", span=actual.span)
    return address(at, fn, actual.span)


def instruction_text(call: Call, fn: Function) -> str:
    """The instruction's template with the arguments of the call, as C statements."""
    proc = call.proc
    assert proc.instr is not None
    check_template(proc.args, proc.instr.template, proc.span)
    fn.unit.instruction(proc.instr)
    formals = {formal.name.name: (formal, actual) for formal, actual in zip(proc.args, call.args, strict=True)}

    def value(name: str, attribute: str | None, delimited: bool) -> str:
        formal, actual = formals[name]
        text = operand(proc, formal, actual, attribute, fn)
        return text.text if delimited else text.at(PRIMARY)

    text = fill(proc.instr.template, value).strip()
    return text if not text or text.endswith((";", "}")) else f"{text};"


def operand(proc: Proc, formal: Arg, actual: Expr, attribute: str | None, fn: Function) -> C:
    """What a placeholder stands for.

    Of memory that C cannot address, `{x}` is the lvalue that the memory's `window` gives, a register variable say, and
    `{x.ptr}` its address.
    """
    match formal.type:
        case ControlType() as typ:
            return _control(typ, actual, fn)
        case ScalarType() as scalar:
            if attribute == "ptr":
                return _scalar(scalar, actual, fn)
            return stored(actual, fn)
        case TensorType(window=window):
            return _tensor_operand(actual, attribute, window, formal.name in written_formals(proc), fn)


def _tensor_operand(actual: Expr, attribute: str | None, window: bool, written: bool, fn: Function) -> C:
    at = region_of(actual, fn)
    dim = stride_dim(attribute) if attribute is not None else None
    if dim is not None:
        return at.strides[dim]
    if not at.base.mem.addressable:
        place = lvalue(at, fn, actual.span)
        return C(f"&{place.at(PRIMARY)}", PRIMARY - 1) if attribute == "ptr" else place
    if attribute == "ptr" or not window:
        return address(at, fn, actual.span)
    return window_value(actual, not written, fn)
