"""Closures: a block that holds the captures, and the function that takes them out and runs the body."""

from __future__ import annotations

from collections.abc import Callable

from usl_perceus.c import counts
from usl_perceus.c.frame import Frame
from usl_perceus.c.types import Record
from usl_perceus.c.unit import CLOSURE_TAIL, INDENT, free_block, static_closure_object
from usl_perceus.ir import Con, Expr, Lambda

WriteBody = Callable[[Expr, Frame], None]


def emit_lambda(fun: Lambda, frame: Frame, write_body: WriteBody) -> str:
    """Statements that build the closure; its value, a name."""
    unit, types = frame.unit, frame.unit.types
    name = unit.global_name("lambda")
    if not fun.captures:
        _write_code(fun, name, None, frame, write_body)
        unit.lambdas.append(static_closure_object(name))
        return f"USL_STATIC({name})"
    captures = Con("", "closure", 0, tuple((var.name, var.type) for var in fun.captures))
    record = types.closure(captures, name)
    _write_code(fun, name, record, frame, write_body)
    closure = frame.names.fresh("closure")
    frame.line(f"usl_value {closure} = {unit.new_block(record, fun.span)};")
    frame.line(unit.init_block(record, closure))
    frame.line(f"USL_AS({record.struct}, {closure})->code = (usl_code){name}_call;")
    for i, var in enumerate(fun.captures):
        frame.extend(types.stores(record, closure, i, var.type, frame.variables[var]))
    return closure


def _write_code(fun: Lambda, name: str, record: Record | None, outer: Frame, write_body: WriteBody) -> None:
    """The function `NAME_call`: the captures become variables, each an owned reference, and the closure is consumed."""
    unit, types = outer.unit, outer.unit.types
    inner = Frame(unit, unit.local_names(), fun.result, outer.free)
    formals = [types.declaration(var.type, inner.bind(var)) for var in fun.params if not types.is_void(var.type)]
    for var in fun.params:
        inner.variables.setdefault(var, "")
    params = [inner.variables[var] or None for var in fun.params]
    head = f"static {types.declaration(fun.result, f'{name}_call')}({', '.join([*formals, CLOSURE_TAIL])})"
    if record is not None:
        for i, var in enumerate(fun.captures):
            if types.is_void(var.type):
                inner.variables[var] = ""
            else:
                inner.declare(var, types.load(record, "self", i, var.type))
        inner.line("if (usl_is_unique(self)) {")
        inner.line(INDENT + free_block(record, "self"))
        inner.line("} else {")
        for var in fun.captures:
            inner.extend([INDENT + line for line in counts.dup(types, var.type, inner.variables[var])])
        inner.line(INDENT + "usl_decref(self, ctx);")
        inner.line("}")
    write_body(fun.body, inner)
    unit.prototypes.append(f"{head};")
    unit.lambdas.append("\n".join([head, "{", *inner.body([*params, "self", "ctx"]), "}"]))
