"""Statements of the core as statements of outer code.

Every form of the core has a way here that computes it on the spot, with loops over elements; what is worth it becomes a kernel
(`regions.py`). Tests are what the program says; a dimension is a term where sizes are known, else what is found at run time.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, assert_never

from usl_core.backend import written_formals
from usl_core.ir.sym import Sym
from usl_core.ir.types import I64, ControlType, TensorType
from usl_soac import core
from usl_soac.core import Atom, Body, Const, Expr, Param, Statement, Type
from usl_soac.kernel_calls import called
from usl_soac.kernel_values import NotAKernel
from usl_soac.loop_buffers import Buffers, buffers, swap
from usl_soac.outer_arrays import ARRAY_FORMS
from usl_soac.outer_frame import Frame, Value
from usl_soac.outer_scalars import operation
from usl_soac.outer_soacs import SOACS
from usl_soac.regions import KERNELS, is_deferred, kernel, region
from usl_soac.scalars import BOOL
from usl_soac.size_terms import defined
from usl_soac.traverse import names_in_types
from usl_soac.views import View


def write_body(body: Body, frame: Frame) -> list[Value]:
    """The statements of a body; what its results are."""
    for statement in body.statements:
        write_statement(statement, frame)
    return [value_of(atom, frame) for atom in body.results]


def value_of(atom: Atom, frame: Frame) -> Value:
    """What an atom stands for."""
    return frame.scalar(atom) if isinstance(atom, Const) else frame.value(atom)


def write_statement(statement: Statement, frame: Frame) -> None:
    """One statement. Its tests stand before it."""
    for param in statement.pattern:
        frame.types[param.name] = param.type
    if len(statement.pattern) == 1 and statement.pattern[0].type == Type(I64):
        size = defined(statement.value, frame.terms)
        if size is not None:
            frame.terms[statement.pattern[0].name] = size
    if isinstance(statement.value, core.Op) and statement.pattern[0].type.scalar is BOOL:
        frame.truths[statement.pattern[0].name] = statement.value
    if frame.uses is not None and is_deferred(statement, frame.uses):
        frame.deferred.update((param.name, statement) for param in statement.pattern)
        return
    write_now(statement, frame)


def write_now(statement: Statement, frame: Frame) -> None:
    """One statement, as a kernel if it can be one."""
    if isinstance(statement.value, core.Count) and statement.pattern[0].name in frame.deferred:
        frame.view(statement.value.flags)  # whoever else reads these flags does not compute them again
    around, frame.span = frame.span, statement.span
    values = as_kernel(statement, frame) or write(statement.value, statement.pattern, frame)
    for param, value in zip(statement.pattern, values, strict=True):
        frame.bind(param, value)
    frame.span = around


def as_kernel(statement: Statement, frame: Frame) -> Sequence[Value] | None:
    """The values of a statement that is a kernel."""
    if frame.uses is None or not isinstance(statement.value, KERNELS):
        return None
    for sym in names_in_types(statement.pattern):
        if sym in frame.deferred:
            frame.scalar(sym)
    module = frame.module
    name = f"{frame.name}_k{sum(1 for each in module.kernels if each.startswith(f'{frame.name}_k'))}"
    found = region(statement, frame)
    for statements in [found] if len(found) == 1 else [found, [statement]]:
        try:
            made = kernel(statements, frame, name)
        except NotAKernel as why:
            module.not_kernels.setdefault(frame.name, []).append(str(why))
        else:
            module.kernels[name] = made
            return called(made, statement, frame, _failing, _outer)
    return None


def _outer(statement: Statement, frame: Frame) -> Sequence[Value]:
    """The statement in outer code."""
    uses, frame.uses = frame.uses, None
    values = write(statement.value, statement.pattern, frame)
    frame.uses = uses
    return values


def _failing(statement: Statement, frame: Frame) -> None:
    """The statement in outer code, of which a test fails: the first that does says so."""
    _outer(statement, frame)
    text = "a test has failed in a kernel, but not in its statement"
    frame.raises(frame.module.site(core.Site(statement.span, core.Failure.ASSERTION, text)), [])


def write(expr: Expr, pattern: Sequence[Param], frame: Frame) -> Sequence[Value]:
    """The values of an expression."""
    match expr:
        case core.Copy(atom=atom):
            return [value_of(atom, frame)]
        case core.Op():
            return [operation(expr, frame)]
        case core.Foreign(function=function, args=args):
            name = frame.module.uses(getattr(function, "__name__", "foreign"), function)
            return [f"{name}({', '.join(map(frame.scalar, args))})"]
        case core.Size(array=array, dim=dim):
            return [frame.view(array).dims[dim]]
        case core.Assert():
            return _assert(expr, frame)
        case core.Coerce(array=array, dims=dims):
            view = frame.view(array)
            named = [old if dim is None else frame.term(dim) for dim, old in zip(dims, view.dims, strict=True)]
            frame.expects(array.name, view.dims, named)
            return [replace(view, dims=tuple(named))]
        case core.If():
            return _if(expr, pattern, frame)
        case core.Loop():
            return _loop(expr, pattern, frame)
        case core.Call():
            return _call(expr, pattern, frame)
        case core.Kernel():
            return _kernel(expr, pattern, frame)
        case core.Map() | core.Reduce() | core.Scan() | core.Filter() | core.Hist() | core.Count() | core.Compress():
            return SOACS[type(expr)](expr, pattern, frame, write_body)
        case (
            core.Index()
            | core.Slice()
            | core.Iota()
            | core.Replicate()
            | core.Concat()
            | core.Split()
            | core.Rearrange()
            | core.Reshape()
            | core.Rotate()
            | core.Update()
            | core.Scatter()
        ):
            return ARRAY_FORMS[type(expr)](expr, frame)
        case _:
            assert_never(expr)


def _assert(test: core.Assert, frame: Frame) -> Sequence[Value]:
    if not frame.module.checked:
        frame.know(test.condition)
        return ["True"]
    number = frame.module.site(test.site)
    values = [_as_i64(value, frame) for value in test.values]
    with frame.block(f"if not {_bracketed(frame.scalar(test.condition))}"):
        frame.raises(number, values)
    frame.know(test.condition)
    return ["True"]


def _bracketed(text: str) -> str:
    return text if text.isidentifier() else f"({text})"


def _as_i64(atom: Atom, frame: Frame) -> str:
    return f"i64({frame.scalar(atom)})"


def _if(expr: core.If, pattern: Sequence[Param], frame: Frame) -> Sequence[Value]:
    targets: list[Value] = []
    branches = ((f"if {frame.scalar(expr.condition)}", expr.then), ("else", expr.orelse))
    for param in pattern:
        name = frame.fresh(param.name.name)
        dims = tuple(frame.fresh("d") for _ in param.type.dims)
        targets.append(View(name, param.type.scalar, dims, dims) if dims else name)
    for head, body in branches:
        with frame.block(head), frame.scope():
            values = write_body(body, frame)
            frame.assign(targets, values)
    return [frame.current(target) for target in targets]


def _loop(expr: core.Loop, pattern: Sequence[Param], frame: Frame) -> Sequence[Value]:
    targets = [
        frame.named(param.name.name, value_of(atom, frame)) for param, atom in zip(expr.params, expr.initial, strict=True)
    ]
    beside = buffers(expr, pattern, targets, frame)
    index = frame.fresh(expr.index.name.name if expr.index else "round")
    if expr.bound is not None and expr.condition is None:
        with frame.loop(f"for {index} in range({frame.scalar(expr.bound)})"):
            _round(expr, targets, beside, index, f"{index} == 0", frame)
    else:
        scalar = expr.index.type.scalar.name if expr.index else "i64"
        frame.line(f"{index} = {scalar}(0)")
        head = f"while {f'{index} < {frame.scalar(expr.bound)}' if expr.bound is not None else 'True'}"
        with frame.loop(head):
            _round(expr, targets, beside, index, f"{index} == {scalar}(0)", frame)
            frame.line(f"{index} = {index} + {scalar}(1)")
    return [frame.current(target) for target in targets]


def _round(
    expr: core.Loop, targets: Sequence[Value], beside: Mapping[str, Buffers], index: str, is_first: str, frame: Frame
) -> None:
    for param, target in zip(expr.params, targets, strict=True):
        frame.bind(param, frame.current(target))
    if expr.condition is not None:
        (goes_on,) = write_body(expr.condition, frame)
        with frame.block(f"if not {_bracketed(str(goes_on))}"):
            frame.line("break")
    if expr.index is not None:
        frame.bind(expr.index, index)
    frame.kept |= {atom for atom in expr.body.results if isinstance(atom, Sym)}
    swap(targets, write_body(expr.body, frame), beside, is_first, frame)


# ---- calls


def function_name(name: str, part: core.Part) -> str:
    """The name of a function in the outer code."""
    return f"{name}_{part.value or 'whole'}"


def passed(value: Value, frame: Frame) -> str:
    """A value as an argument or result: of an array its elements, since whoever gets it knows its sizes."""
    return value if isinstance(value, str) else frame.whole(value).base


def received(params: Sequence[Param], names: Sequence[str], frame: Frame) -> None:
    """Binds values that arrive under some names: the scalars first, as sizes are among them."""
    for param, name in sorted(zip(params, names, strict=True), key=lambda pair: len(pair[0].type.dims) > 0):
        frame.bind(param, frame.received(name, param.type) if param.type.dims else name)


def _call(call: core.Call, pattern: Sequence[Param], frame: Frame) -> Sequence[Value]:
    args = [passed(value_of(arg, frame), frame) for arg in call.args]
    names = [frame.fresh(param.name.name) for param in pattern]
    frame.module.calls.append((call.function, call.part))
    text = f"{function_name(call.function, call.part)}({', '.join(args)})"
    if not names:
        frame.line(text)
    else:
        frame.line(f"({', '.join(names)}) = {text}" if len(names) > 1 else f"{names[0]} = {text}")
    received(pattern, names, frame)
    return [frame.value(param.name) for param in pattern]


def _kernel(call: core.Kernel, pattern: Sequence[Param], frame: Frame) -> Sequence[Value]:
    """A call of a `@proc`. What it writes and is not given is made here, with the sizes that the pattern says."""
    procedure: Any = call.procedure
    written = written_formals(procedure.ir)
    made = iter(pattern)
    args = list[str]()
    results = list[Value]()
    for formal, arg in zip(procedure.ir.args, call.args, strict=True):
        param = next(made) if formal.name in written and isinstance(formal.type, TensorType) else None
        if arg is None:
            assert param is not None
            array = frame.made(formal.name.name, param.type.scalar, [frame.term(dim) for dim in param.type.dims if dim])
        elif isinstance(value := value_of(arg, frame), str):
            args.append(f"i64({value})" if isinstance(formal.type, ControlType) else value)
            continue
        else:
            array = frame.whole(value)
        args.append(array.base)
        if param is not None:
            results.append(replace(array, base=frame.fresh(formal.name.name)))
    names = ", ".join(each.base for each in results if isinstance(each, View))
    text = f"{frame.module.uses(procedure.name(), procedure)}({', '.join(args)})"
    frame.line(f"({names}) = {text}" if len(results) > 1 else f"{names} = {text}")
    return results
