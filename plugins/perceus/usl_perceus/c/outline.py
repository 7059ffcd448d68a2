"""What follows the last recursive call of a function, as a function of its own.

The frame of an activation holds what any part of the function saves: a match behind the recursive calls, which needs many
registers, would cost stack at each level although it runs at one level at a time. As a function called last, it does not.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from usl_perceus.c.frame import Frame
from usl_perceus.c.late import Late
from usl_perceus.ir import (
    Call,
    CallClosure,
    Do,
    Drop,
    DropReuse,
    Expr,
    ForeignCall,
    FreeToken,
    If,
    IfUnique,
    Jump,
    KernelCall,
    Lambda,
    Let,
    LetJoin,
    MakeCon,
    Match,
    TryLet,
    Var,
)
from usl_perceus.opt.callgraph import tail_expressions
from usl_perceus.traverse import is_certain, walk

MOST_ARGUMENTS = 5
"""As many as come in registers on all common machines, besides the context (x86-64, System V)."""

WriteBody = Callable[[Expr, Frame], None]


def last_recursions(body: Expr, recursive: Collection[str]) -> frozenset[Let | TryLet]:
    """The bindings of a function's last recursive calls whose rest is worth a function of its own.

    recursive: the functions whose calls may come back to this one.
    """
    found = (expr for expr in tail_expressions(body) if isinstance(expr, Let | TryLet))
    last = (let for let in found if isinstance(let.value, Call) and let.value.fun in recursive)
    return frozenset(let for let in last if _is_separate(let.body, recursive) and _is_wide(let.body))


def _is_separate(rest: Expr, recursive: Collection[str]) -> bool:
    """Whether rest neither comes back to the function nor jumps into it."""
    nodes = list(walk(rest))
    own = {node.label for node in nodes if isinstance(node, LetJoin)}
    comes_back = any(isinstance(node, Call) and node.fun in recursive for node in nodes)
    return not comes_back and all(node.label in own for node in nodes if isinstance(node, Jump))


def _is_wide(rest: Expr) -> bool:
    """Whether rest has both branches and calls, those of the runtime included."""
    nodes = list(walk(rest))
    return any(isinstance(node, Match | If) for node in nodes) and any(_calls(node) for node in nodes)


def _calls(node: Expr) -> bool:
    match node:
        case Call() | CallClosure() | ForeignCall() | KernelCall() | Lambda():
            return True
        case MakeCon(token=token):
            return not is_certain(token)
        case Do(op=op):
            return isinstance(op, Drop | DropReuse | IfUnique | FreeToken)
        case _:
            return False


def emit_rest(rest: Expr, frame: Frame, write_body: WriteBody) -> bool:
    """Writes rest, where the function ends, as a function that is called last; False, and nothing done, if that would have too
    many parameters."""
    unit, types = frame.unit, frame.unit.types
    late = [var for one in frame.late for var in (one.token, *one.fields)]
    needed = [var for var in _in_order(frame.free.of(rest)) if var not in late and not types.is_void(var.type)]
    if len(needed) + len(frame.late) > MOST_ARGUMENTS or any(types.is_value(var.type) for var in needed):
        return False
    name = unit.global_name(f"{frame.name}_rest")
    inner = frame.inner()
    for var in frame.free.of(rest):
        inner.variables[var] = ""
    inner.late = [Late(inner.names.fresh("own"), one.con, one.token, dict(one.fields)) for one in frame.late]
    formals = [types.declaration(var.type, inner.bind(var)) for var in needed]
    formals += [f"usl_value {one.block}" for one in inner.late]
    arguments = [*(frame.variables[var] for var in needed), *(one.block for one in frame.late), "ctx"]
    write_body(rest, inner)
    declared = types.declaration(frame.result, name)
    head = f"static USL_NOINLINE {declared}({', '.join([*formals, 'usl_context *ctx'])})"
    unit.prototypes.append(f"{head};")
    names = [*(inner.variables[var] for var in needed), "ctx"]
    frame.rests.append("\n".join([head, "{", *inner.body(names), "}"]))
    frame.late.clear()
    call = f"{name}({', '.join(arguments)});"
    frame.extend([call, "return;"] if types.is_void(frame.result) else [f"return {call}"])
    return True


def _in_order(variables: Iterable[Var]) -> list[Var]:
    return sorted(variables, key=lambda var: var.number)
