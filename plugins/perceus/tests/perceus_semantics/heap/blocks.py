"""Constructors: building them, in new memory or a token's, with a hole or without, and looking at them."""

from __future__ import annotations

from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import UNFILLED, Addr, Fault, Hole, Imm, Struct, Token, Value
from usl_perceus.ir import Con, MakeCon, MakeConHole, Var
from usl_perceus.layout import block_size
from usl_perceus.traverse import is_certain


def construct(state: State, expr: MakeCon | MakeConHole, values: list[Value]) -> Addr:
    """A block, in the token's memory if there is some; what the token is said to hold already is checked."""
    token = None if expr.token is None else state.act.env[expr.token]
    if not isinstance(token, Token):
        if is_certain(expr.token):
            raise Fault(f"{expr.token!r} is no memory")
        return state.allocate(expr.con, values)
    if token.size != block_size(expr.con, state.program.datas):
        raise Fault(f"a token of {token.size} bytes for {expr.con.name}")
    if expr.same_con and token.con != expr.con:
        raise Fault(f"the token was {token.con.name}, not {expr.con.name}")
    for i in expr.kept:
        if token.fields[i] != values[i]:
            raise Fault(f"field {i} of {expr.con.name} is said to be in place, and is not")
    state.tokens.remove(token)
    state.stats.allocated -= 1
    state.stats.reused += 1
    return state.allocate(expr.con, values)


def make_hole(state: State, expr: MakeConHole) -> None:
    """A block one of whose fields is still unwritten."""
    values: list[Value] = [UNFILLED if arg is None else state.consume(arg) for arg in expr.args]
    addr = construct(state, expr, values)
    state.bind(expr.var, addr)
    state.bind(expr.hole, Hole(values, expr.index), owned=False)
    state.expr = expr.body


def fill(state: State, hole: Var, value: Value) -> None:
    """Write value into the place that hole stands for, once."""
    target = state.act.env[hole]
    assert isinstance(target, Hole)
    if target.place[target.index] is not UNFILLED:
        raise Fault("a hole is filled twice")
    target.place[target.index] = value


def inspect(state: State, value: Value) -> tuple[Con, list[Value]]:
    """The constructor and the fields of a value of a data type."""
    match value:
        case Imm(con=con):
            return con, []
        case Struct(con=con, fields=fields):
            return con, list(fields)
    cell = state.cell(value)
    assert isinstance(cell.head, Con)
    if UNFILLED in cell.fields:
        raise Fault("a block with a hole is inspected")
    return cell.head, cell.fields
