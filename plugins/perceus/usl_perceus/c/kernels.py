"""Calls of scheduled procedures (@proc) on arrays: the C that usl_c11 makes of a procedure, called with its checks."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from usl_c11.names import is_of_the_library
from usl_c11.types import window_struct
from usl_core import Procedure
from usl_core.backend import written_formals
from usl_core.errors import Span
from usl_core.ir.nodes import BinaryOp, Expr, Literal, Proc, Read, UnaryMinus
from usl_core.ir.sym import Sym
from usl_core.ir.types import ControlType, ScalarType, TensorType
from usl_core.scheduling import rename
from usl_perceus.c.frame import Frame
from usl_perceus.c.unit import c_string
from usl_perceus.errors import PerceusError
from usl_perceus.ir import ArrayType, DataType, KernelCall, KernelDecl, Type

_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div", "%": "mod"}


def kernel_proc(kernel: KernelDecl) -> Proc:
    """The procedure of a kernel, in the array language, under a name that C can give it."""
    proc = kernel.proc
    assert isinstance(proc, Procedure)
    name = proc.name()
    while is_of_the_library(name) or is_of_the_library(f"{name}_error"):
        name += "_"  # a program that links it goes on calling its C library's functions
    return proc.ir if name == proc.name() else rename(proc, name).ir


def kernel_procs(kernels: Iterable[KernelDecl]) -> list[Proc]:
    """The procedures of all kernels, each once."""
    found: dict[Proc, Proc] = {}
    for kernel in kernels:
        assert isinstance(kernel.proc, Procedure)
        if kernel.proc.ir not in found:
            found[kernel.proc.ir] = kernel_proc(kernel)
    return list(found.values())


def emit_call(call: KernelCall, frame: Frame) -> str:
    """Statements that make the written arrays unique, test the lengths, and run the procedure; the C of the result.

    If the procedure fails, the result is what it has left in the arrays, and `kernel_failed` says so; if it cannot, a failure
    would be a fault of the tests before the call, and ends the process.
    """
    unit = frame.unit
    kernel = unit.program.kernels[call.kernel]
    proc = kernel_proc(kernel)
    shown = kernel.proc.name() if isinstance(kernel.proc, Procedure) else proc.name
    texts = [unit.atom(arg, frame.variables) for arg in call.args]
    places = {part: texts[len(proc.args) + 2 * i :][:2] for i, part in enumerate(kernel.parts)}
    texts = texts[: len(proc.args)]
    written: list[str] = []
    for i, (type, is_written) in enumerate(zip(kernel.params[: len(proc.args)], kernel.written, strict=False)):
        if is_written and not isinstance(type, ArrayType):
            texts[i] = frame.names.fresh(proc.args[i].name.name)
            frame.line(f"{unit.types.declaration(type, texts[i])} = {unit.atom(call.args[i], frame.variables)};")
            written.append(texts[i])
        elif is_written:
            assert isinstance(type, ArrayType)
            own = frame.names.fresh(proc.args[i].name.name)
            site = f"USL_SITE({unit.site(call.span)})"
            frame.line(
                f"usl_value {own} = usl_raw_array_own({texts[i]}, sizeof({unit.types.spelling(type.elem)}), {site}, ctx);"
            )
            texts[i] = own
            written.append(own)
    controls = {arg.name: text for arg, text in zip(proc.args, texts, strict=True) if isinstance(arg.type, ControlType)}
    changed = written_formals(proc)
    arguments = []
    for i, (arg, text) in enumerate(zip(proc.args, texts, strict=True)):
        match arg.type:
            case ControlType():
                arguments.append(text)
            case ScalarType() if kernel.written[i]:
                arguments.append(f"&{text}")
            case ScalarType():
                arguments.append(f"&({unit.types.spelling(kernel.params[i])}){{{text}}}")
            case TensorType(scalar=scalar, shape=shape, window=window):
                extents = [_control(extent, controls, call.span) for extent in shape]
                message = f"{shown}: the length of {arg.name.name} is not the product of its extents"
                frame.line(_length_test(text, places.get(i), extents, message))
                elements = f"usl_raw_elements({text})"
                if i in places:
                    elements = f"({unit.types.spelling(_elem(kernel.params[i]))} *){elements} + {places[i][0]}"
                if window:
                    strides = [" * ".join(["(ptrdiff_t)1", *extents[dim + 1 :]]) for dim in range(len(extents))]
                    struct = window_struct(scalar, len(shape), arg.name not in changed)
                    arguments.append(f"(struct {struct}){{{elements}, {{{', '.join(strides)}}}}}")
                else:
                    arguments.append(elements)
    status = frame.names.fresh("status")
    frame.line(f"int {status} = {proc.name}({', '.join(arguments)});")
    frame.line(f"if (USL_UNLIKELY({status} != 0))")
    with frame.nested():
        failed = f"usl_fail({unit.place(call.span, shown)}, {proc.name}_error({status}), ctx);"
        frame.line(failed if kernel.fails else f"usl_fatal({proc.name}_error({status}));")
    if len(written) == 1:
        return written[0]
    assert isinstance(call.type, DataType)
    return unit.types.value(call.type, written)


def _elem(type: Type) -> Type:
    assert isinstance(type, ArrayType)
    return type.elem


def _length_test(array: str, part: Sequence[str] | None, extents: Sequence[str], message: str) -> str:
    literal, text = f"(const int64_t[]){{{', '.join(extents)}}}", c_string(message.encode())
    if part is not None:
        return f"usl_require_part({array}, {', '.join(part)}, {len(extents)}, {literal}, {text});"
    return f"usl_require_length({array}, {len(extents)}, {literal}, {text});"


def _control(expr: Expr, controls: Mapping[Sym, str], span: Span) -> str:
    """A size or extent of the array language, computed with wrap-around: the procedure's own checks limit the sizes."""
    match expr:
        case Read(name=name, idx=()) if name in controls:
            return controls[name]
        case Literal(value=int() as value):
            return f"INT64_C({value})"
        case UnaryMinus(arg=arg):
            return f"usl_neg_i64({_control(arg, controls, span)})"
        case BinaryOp(op=op, lhs=lhs, rhs=rhs) if op in _ARITHMETIC:
            return f"usl_{_ARITHMETIC[op]}_i64({_control(lhs, controls, span)}, {_control(rhs, controls, span)})"
        case _:
            raise PerceusError(
                "this extent of the procedure's array cannot be computed from its arguments", span=span, code="E742"
            )
