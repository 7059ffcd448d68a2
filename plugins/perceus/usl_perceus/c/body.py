"""The bodies of functions: statements from expressions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import assert_never

from usl_perceus.c import kernels
from usl_perceus.c.closures import emit_lambda
from usl_perceus.c.construct import emit_block, emit_hole
from usl_perceus.c.frame import Dest, Frame, Handler, Into, Join, Result
from usl_perceus.c.late import load_for
from usl_perceus.c.matches import emit_match
from usl_perceus.c.outline import emit_rest
from usl_perceus.c.prims import primitive
from usl_perceus.c.resources import emit_op
from usl_perceus.ir import (
    Atom,
    Call,
    CallClosure,
    Do,
    Expr,
    Fill,
    ForeignCall,
    FunType,
    If,
    Jump,
    KernelCall,
    Lambda,
    Let,
    LetJoin,
    MakeCon,
    MakeConHole,
    Match,
    NewHole,
    Prim,
    Raise,
    Ret,
    TryLet,
    Type,
    UnitType,
    Var,
)
from usl_perceus.traverse import hole_elem


def emit(expr: Expr, dest: Dest, frame: Frame) -> bool:
    """Writes the statements of an expression; whether control may go on behind them (never if dest is Result)."""
    while True:
        load_for(expr, frame)
        match expr:
            case Let(var=var, value=Prim() as value, body=If(cond=cond) as body) if cond is var and _is_only_tested(
                body, frame
            ):
                return _if(_simple(value, frame), body, dest, frame)
            case Let(var=var, value=value, body=body):
                if not _let(var, value, body, frame):
                    return False
                if _ends(expr, dest, frame):
                    return False
                expr = body
            case Do(op=op, body=body):
                emit_op(op, frame)
                expr = body
            case MakeConHole(body=body):
                emit_hole(expr, frame)
                expr = body
            case _:
                return _emit_last(expr, dest, frame)


def _ends(expr: Let | TryLet, dest: Dest, frame: Frame) -> bool:
    """Whether the function ends behind the value of expr: the body is written as another one."""
    return expr in frame.ends and isinstance(dest, Result) and emit_rest(expr.body, frame, write_body)


def _is_only_tested(choice: If, frame: Frame) -> bool:
    """Whether nothing but the test uses the condition."""
    return choice.cond not in frame.free.of(choice.then) and choice.cond not in frame.free.of(choice.orelse)


def _emit_last(expr: Expr, dest: Dest, frame: Frame) -> bool:
    match expr:
        case Ret() | Prim() | ForeignCall() | Call() | CallClosure():
            if isinstance(expr, Call) and expr.tail and isinstance(dest, Result) and expr.fun in frame.loops:
                return _loop_back(expr, frame)
            return _deliver(_simple(expr, frame), _type(expr), _throws(expr, frame), dest, frame)
        case MakeCon(con=con) if frame.unit.types.is_value(con.type):
            return _deliver(_simple(expr, frame), con.type, False, dest, frame)
        case MakeCon(con=con):
            if isinstance(dest, Into) and dest.name is not None:
                emit_block(expr, dest.name, frame, declare=False)
                return True
            name = frame.names.fresh(con.name.lower())
            emit_block(expr, name, frame, declare=True)
            return _deliver(name, con.type, False, dest, frame)
        case KernelCall(type=type):
            return _deliver(kernels.emit_call(expr, frame), type, False, dest, frame)
        case Lambda():
            text = emit_lambda(expr, frame, write_body)
            return _deliver(text, FunType((), expr.result), False, dest, frame)
        case Raise(atom=atom):
            frame.line(f"ctx->exception.boxed = {_atom(atom, frame)};")
            frame.line("ctx->thrown = 1;")
            if expr.reason is not None:
                frame.line(f"ctx->raised = {frame.unit.place(expr.span, expr.reason)};")
            frame.line(_exit(frame))
            return False
        case If():
            return _if(_atom(expr.cond, frame), expr, dest, frame)
        case Match():
            return emit_match(expr, frame, lambda body: emit(body, dest, frame))
        case LetJoin():
            return _join(expr, dest, frame)
        case Jump(label=label, args=args):
            target = frame.joins[label]
            target.used = True
            _assign(target.params, [_atom(arg, frame) for arg in args], [arg.type for arg in args], frame)
            frame.line(f"goto {target.label};")
            return False
        case TryLet():
            return _try(expr, dest, frame)
        case NewHole(hole=hole, body=body):
            slot = frame.names.fresh("result")
            frame.line(f"usl_value {slot};")
            frame.declare(hole, f"&{slot}")
            falls = emit(body, Into(None), frame)
            return _deliver(slot, hole_elem(hole), False, dest, frame) if falls else False
        case Fill(hole=hole, atom=atom):
            frame.line(f"*{frame.variables[hole]} = {_atom(atom, frame)};")
            return _deliver("", UnitType(), False, dest, frame)
        case Let() | Do() | MakeConHole():
            raise AssertionError("walked by emit")
        case _:
            assert_never(expr)


# ---- values


def _atom(atom: Atom, frame: Frame) -> str:
    return frame.unit.atom(atom, frame.variables)


def _type(expr: Ret | Prim | ForeignCall | Call | CallClosure) -> Type:
    return expr.atom.type if isinstance(expr, Ret) else expr.type


def _throws(expr: Expr, frame: Frame) -> bool:
    match expr:
        case Call(fun=fun):
            return frame.unit.program.funs[fun].throws
        case CallClosure(fun=fun):
            return isinstance(fun.type, FunType) and fun.type.throws
        case _:
            return False


def _is_simple(expr: Expr, frame: Frame) -> bool:
    """Whether the expression is one C expression."""
    match expr:
        case Ret() | Prim() | ForeignCall() | Call() | CallClosure():
            return True
        case MakeCon(con=con):
            return frame.unit.types.is_value(con.type)
        case _:
            return False


def _arguments(args: Sequence[Atom], frame: Frame) -> list[str]:
    return [_atom(arg, frame) for arg in args if not frame.unit.types.is_void(arg.type)]


def _simple(expr: Expr, frame: Frame) -> str:
    """The C expression; empty for one that is void and does nothing."""
    unit = frame.unit
    match expr:
        case Ret(atom=atom):
            return "" if unit.types.is_void(atom.type) else _atom(atom, frame)
        case Prim(args=args):
            texts = ["" if unit.types.is_void(arg.type) else _atom(arg, frame) for arg in args]
            return primitive(expr, texts, unit)
        case Call(fun=fun, args=args):
            return f"{unit.functions[fun]}({', '.join([*_arguments(args, frame), 'ctx'])})"
        case ForeignCall(fun=fun, args=args):
            foreign = unit.program.foreigns[fun]
            boxed = any(unit.types.is_counted(type) for type in (*foreign.params, foreign.result))
            return f"{foreign.symbol}({', '.join([*_arguments(args, frame), *(['ctx'] if boxed else [])])})"
        case CallClosure(fun=fun, args=args):
            types, closure = unit.types, _atom(fun, frame)
            kinds = [types.spelling(arg.type) for arg in args if not types.is_void(arg.type)]
            signature = f"({', '.join([*kinds, 'usl_value', 'usl_context *'])})"
            call = f"USL_CALL({types.spelling(expr.type)}, {signature}, {closure})"
            return f"{call}({', '.join([*_arguments(args, frame), closure, 'ctx'])})"
        case MakeCon(con=con, args=args):
            texts = ["" if unit.types.is_void(arg.type) else _atom(arg, frame) for arg in args]
            return "" if unit.types.is_void(con.type) else unit.types.value(con.type, texts)
        case _:
            raise AssertionError(f"{type(expr).__name__} is not one C expression")


# ---- where values go


def _exit(frame: Frame) -> str:
    """The statement with which an exception leaves."""
    if frame.handler is not None:
        frame.handler.used = True
        return f"goto {frame.handler.label};"
    if frame.unit.types.is_void(frame.result):
        return "return;"
    return f"return {frame.unit.types.zero(frame.result)};"


def _check_thrown(frame: Frame) -> None:
    frame.line("if (USL_UNLIKELY(ctx->thrown))")
    with frame.nested():
        frame.line(_exit(frame))


def _deliver(text: str, type: Type, throws: bool, dest: Dest, frame: Frame) -> bool:
    """Sends the value of a C expression where it is wanted."""
    void = frame.unit.types.is_void(type)
    if isinstance(dest, Result):
        if void and text:
            frame.line(f"{text};")
        frame.line("return;" if void else f"return {text};")
        return False
    if text and dest.name is not None and not void:
        if text != dest.name:
            frame.line(f"{dest.name} = {text};")
    elif text.endswith(")"):
        frame.line(f"{text};" if void else f"(void){text};")
    if throws:
        _check_thrown(frame)
    return True


def _let(var: Var, value: Expr, body: Expr, frame: Frame) -> bool:
    """Writes `val var = value;` whether control goes on with body, which follows."""
    unused = var not in frame.free.of(body) or frame.unit.types.is_void(var.type)
    if unused:
        frame.variables[var] = ""
        return emit(value, Into(None), frame)
    if _is_simple(value, frame):
        frame.declare(var, _simple(value, frame))
        if _throws(value, frame):
            _check_thrown(frame)
        return True
    if isinstance(value, Lambda):
        frame.declare(var, emit_lambda(value, frame, write_body))
        return True
    if isinstance(value, MakeCon):
        emit_block(value, frame.bind(var), frame, declare=True)
        return True
    name = frame.declare(var)
    return emit(value, Into(name), frame)


def _assign(targets: Sequence[str | None], texts: Sequence[str], types: Sequence[Type], frame: Frame) -> None:
    """Assigns all at once: what another assignment still needs is kept in a temporary."""
    pending = [(t, text, type) for t, text, type in zip(targets, texts, types, strict=True) if t is not None and t != text]
    while pending:
        needed = [text for _, text, _ in pending]
        ready = next((item for item in pending if needed.count(item[0]) == 0), None)
        if ready is not None:
            frame.line(f"{ready[0]} = {ready[1]};")
            pending.remove(ready)
            continue
        target, _, type = pending[0]
        old = frame.names.fresh(f"old_{target}")
        frame.line(f"{frame.unit.types.declaration(type, old)} = {target};")
        pending = [(t, old if text == target else text, kind) for t, text, kind in pending]


def _loop_back(call: Call, frame: Frame) -> bool:
    loop = frame.loops[call.fun]
    _assign(loop.params, [_atom(arg, frame) for arg in call.args], [arg.type for arg in call.args], frame)
    frame.line("continue;" if loop.label is None else f"goto {loop.label};")
    return False


# ---- control


def _if(condition: str, expr: If, dest: Dest, frame: Frame) -> bool:
    frame.line(f"if ({condition}) {{")
    with frame.nested():
        falls = emit(expr.then, dest, frame)
    frame.line("} else {")
    with frame.nested():
        falls |= emit(expr.orelse, dest, frame)
    frame.line("}")
    return falls


def _join(expr: LetJoin, dest: Dest, frame: Frame) -> bool:
    types = frame.unit.types
    params = tuple(None if types.is_void(param.type) else frame.declare(param) for param in expr.params)
    for param in expr.params:
        frame.variables.setdefault(param, "")
    join = frame.joins[expr.label] = Join(frame.names.fresh(expr.label.name), params)
    falls = emit(expr.body, dest, frame)
    if not join.used:
        return falls
    end = frame.names.fresh("done") if falls else None
    if end is not None:
        frame.line(f"goto {end};")
    frame.label(join.label)
    join_falls = emit(expr.join_body, dest, frame)
    if end is not None:
        frame.label(end)
    return falls or join_falls


def _try(expr: TryLet, dest: Dest, frame: Frame) -> bool:
    outer = frame.handler
    handler = Handler(frame.names.fresh("caught"))
    ignored = isinstance(dest, Into) and dest.name is None and isinstance(expr.body, Ret)
    used = expr.var in frame.free.of(expr.body) and not ignored and not frame.unit.types.is_void(expr.var.type)
    name = frame.declare(expr.var) if used else None
    if name is None:
        frame.variables[expr.var] = ""
    frame.handler = handler
    falls = emit(expr.value, Into(name), frame)
    frame.handler = outer
    falls = falls and not _ends(expr, dest, frame) and emit(expr.body, dest, frame)
    if not handler.used:
        return falls
    end = frame.names.fresh("done") if falls else None
    if end is not None:
        frame.line(f"goto {end};")
    frame.label(handler.label)
    if expr.exn in frame.free.of(expr.handler):
        frame.declare(expr.exn, "ctx->exception.boxed")
    else:
        frame.variables[expr.exn] = ""
    frame.line("ctx->thrown = 0;")
    handler_falls = emit(expr.handler, dest, frame)
    if end is not None:
        frame.label(end)
    return falls or handler_falls


def write_body(expr: Expr, frame: Frame) -> None:
    """The body of a function whose frame is ready."""
    frame.free.of(expr)
    emit(expr, Result(), frame)
