"""partial_eval: a procedure for fixed values of some control formals."""

from __future__ import annotations

from usl_core.cursors.edit import Edit
from usl_core.cursors.path import NodeLoc
from usl_core.equivalence import Relation
from usl_core.ir.nodes import Arg, Expr, bool_literal, index_literal
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import substitute
from usl_core.ir.types import BOOL, SIZE, ControlType
from usl_core.primitives.base import edit_of, primitive, refuse, require
from usl_core.procedure import Procedure


@primitive(Relation.INTERFACE)
def partial_eval(proc: Procedure, /, *args: int | bool, **values: int | bool) -> Edit:
    """A procedure without some control formals, which have fixed values in it: `p.partial_eval(n=128)`.

        def f(n: size, x: f32[n]): s   ~>   def f(x: f32[128]): s[n -> 128]

    The result has another interface, so that `call_eqv` never puts it in place of the original, nor of one with other values.
    It may put it in place of another version of the original for the same values: one schedule for any n serves many.
    Positional values are for the control formals in order. `simplify` then folds what became constant.

    Raises:
        SchedulingError: a name is not that of a control formal, a value has the wrong type or is below 1 for a size, the
        values contradict an assertion, or the procedure is an instruction, whose C text is written for all of its formals.
    Forwarding: cursors stay; those to a formal that is gone, and to occurrences of it, become invalid.
    Also known as: specialisation to constants.
    """
    chosen = _chosen(proc, args, values)
    env: dict[Sym, Expr] = {arg.name: _literal(arg, value) for arg, value in chosen}

    kept = tuple(substitute(arg, env) for arg in proc.ir.args if arg.name not in env)
    edit = edit_of(proc).substitute(NodeLoc(()), env)
    return edit.set_args(kept).fixing({arg.name: value for arg, value in chosen})


def _chosen(proc: Procedure, args: tuple[int | bool, ...], values: dict[str, int | bool]) -> list[tuple[Arg, int | bool]]:
    controls = [arg for arg in proc.ir.args if isinstance(arg.type, ControlType)]
    if len(args) > len(controls):
        refuse(f"{len(args)} values for {len(controls)} control formals", proc.ir.span, code="E404")
    chosen = list(zip(controls, args, strict=False))
    by_name = {arg.name.name: arg for arg in controls}
    for name, value in values.items():
        if name not in by_name:
            known = ", ".join(by_name) or "none"
            refuse(f"{name} is not a control formal of {proc.name()}; these are: {known}", proc.ir.span, code="E404")
        if any(arg is by_name[name] for arg, _ in chosen):
            refuse(f"two values for {name}", proc.ir.span, code="E404")
        chosen.append((by_name[name], value))
    require(bool(chosen), "no value is given")
    return chosen


def _literal(arg: Arg, value: int | bool) -> Expr:
    name = arg.name.name
    if arg.type is BOOL:
        require(isinstance(value, bool), f"{name} is a bool, got {value!r}", arg.span)
        return bool_literal(bool(value), arg.span)
    require(not isinstance(value, bool), f"{name} is a {arg.type}, got {value!r}", arg.span)
    require(arg.type is not SIZE or value >= 1, f"size {name} must be at least 1, got {value}", arg.span)
    return index_literal(int(value), arg.span)
