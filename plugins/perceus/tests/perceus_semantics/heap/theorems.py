"""The two theorems about the heap semantics, for one state."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import assert_never

from perceus_semantics.heap.state import State
from perceus_semantics.heap.values import Activation, Addr, Fault, addresses
from usl_perceus.ir import Expr, Let, NewHole, Prim, TryLet, Var


def check_counts(state: State) -> None:
    """Each count is the number of references: from other cells, from slots, and owned by variables."""
    counts: Counter[Addr] = Counter()
    for cell in state.heap.values():
        counts.update(addr for item in cell.fields for addr in addresses(item))
    for frame in state.stack:
        counts.update(addr for item in frame.slot for addr in addresses(item))
    for act in activations(state):
        for var, owned in act.owned.items():
            for addr in addresses(act.env[var]) if owned else ():
                counts[addr] += owned
    for addr, cell in state.heap.items():
        if counts[addr] != cell.count:
            raise Fault(f"{addr} has count {cell.count} and {counts[addr]} references; {state.describe()}")
    if any(addr not in state.heap and count for addr, count in counts.items()):
        raise Fault("a dead cell is referred to")


def check_garbage_free(state: State) -> None:
    """Every cell is reachable from the erased expression (Reinking 2022, theorem 4.4)."""
    todo: list[Addr] = []
    for expr, bound, act in _pending(state):
        for var in state.free.of(expr) - bound:
            todo.extend(addresses(act.env[var]))
    for frame in state.stack:
        todo.extend(addr for item in frame.slot for addr in addresses(item))
    seen: set[Addr] = set()
    while todo:
        addr = todo.pop()
        if addr not in seen:
            seen.add(addr)
            todo.extend(child for item in state.cell(addr).fields for child in addresses(item))
    if len(seen) != len(state.heap):
        lost = [addr for addr in state.heap if addr not in seen]
        raise Fault(f"{lost} are garbage; {state.describe()}")


def activations(state: State) -> list[Activation]:
    """The activations that may still use the heap, each once, the current one first."""
    found = [state.act, *(frame.act for frame in state.stack)]
    return list(dict.fromkeys(found))


def _pending(state: State) -> Iterator[tuple[Expr, frozenset[Var], Activation]]:
    """The expressions still to be evaluated, the variables that will be bound before, and where the others are."""
    yield state.expr, frozenset(), state.act
    for frame in state.stack:
        match frame.node:
            case Let(var=var, body=body):
                yield body, frozenset({var}), frame.act
            case TryLet(var=var, body=body, exn=exn, handler=handler):
                yield body, frozenset({var}), frame.act
                yield handler, frozenset({exn}), frame.act
            case NewHole() | Prim():
                pass
            case _:
                assert_never(frame.node)
