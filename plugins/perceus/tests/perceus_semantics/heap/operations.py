"""What a resource operation does to a state."""

from __future__ import annotations

from typing import assert_never

from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import Cell, Fault, Struct, Token, Value
from usl_perceus.ir import (
    Con,
    CopyToken,
    DecRef,
    Drop,
    DropReuse,
    Dup,
    Free,
    FreeToken,
    IfUnique,
    NullToken,
    Op,
    TakeToken,
    TokenType,
    Var,
)
from usl_perceus.layout import block_size


def operate(state: State, op: Op) -> None:
    """Does one resource operation.

    Raises:
        Fault: it gives up what is not owned, or touches what is not in the heap.
    """
    match op:
        case Dup(var=var):
            state.stats.dups += 1
            state.dup(state.read(var))
            state.act.owned[var] += 1
        case Drop(var=var):
            state.stats.drops += 1
            state.drop(_give_up(state, var))
        case Free(var=var) if isinstance(state.act.env[var], Struct):
            _give_up(state, var)
            _endow(state, var)
        case Free(var=var):
            _release(state, var)
        case DecRef(var=var):
            state.stats.drops += 1
            cell = state.cell(_give_up(state, var))
            if cell.count < 2:
                raise Fault(f"decref of the unique {var!r}")
            cell.count -= 1
        case DropReuse(token=token, var=var):
            state.stats.drops += 1
            _drop_reuse(state, token, var)
        case TakeToken(token=token, var=var):
            _take(state, token, _release(state, var))
        case NullToken(token=token):
            state.bind(token, None, owned=False)
        case CopyToken(token=token, var=var):
            cell = state.cell(state.read(var))
            state.stats.allocated += 1
            state.stats.freed += 1
            _take(state, token, Cell(0, cell.head, list(cell.fields)))
        case FreeToken(token=token):
            memory = state.act.env[token]
            if isinstance(memory, Token):
                state.tokens.remove(memory)
        case IfUnique(var=var, unique=unique, shared=shared):
            for inner in unique if state.cell(state.read(var)).count == 1 else shared:
                operate(state, inner)
        case _:
            assert_never(op)


def _give_up(state: State, var: Var) -> Value:
    """The value of a variable that gives up one reference. Within an IfUnique a binder may owe one until Free."""
    state.act.owned[var] -= 1
    return state.act.env[var]


def _release(state: State, var: Var) -> Cell:
    """The unique block of var leaves the heap; its references become those of the binders of the match on var."""
    addr = _give_up(state, var)
    cell = state.cell(addr)
    if cell.count != 1:
        raise Fault(f"free of the shared {var!r}")
    _endow(state, var)
    return state.remove(addr)


def _endow(state: State, var: Var) -> None:
    """The binders of the match on var own what its fields held."""
    for binder in state.act.binders[var]:
        state.act.owned[binder] += 1


def _take(state: State, token: Var, cell: Cell) -> None:
    assert isinstance(cell.head, Con) and isinstance(token.type, TokenType)
    memory = Token(block_size(cell.head, state.program.datas), cell.head, cell.fields)
    if memory.size != token.type.size:
        raise Fault(f"a block of {memory.size} bytes as a token of {token.type.size}")
    state.tokens.add(memory)
    state.bind(token, memory, owned=False)


def _drop_reuse(state: State, token: Var, var: Var) -> None:
    addr = _give_up(state, var)
    cell = state.cell(addr)
    if cell.count > 1:
        cell.count -= 1
        state.bind(token, None, owned=False)
        return
    state.remove(addr)
    for item in cell.fields:
        state.drop(item)
    _take(state, token, cell)
