"""The state of the heap semantics: what is in the heap, and what each variable owns."""

from __future__ import annotations

from typing import assert_never

from perceus_semantics.heap.values import (
    Activation,
    Addr,
    Cell,
    Fault,
    Frame,
    Head,
    Imm,
    Static,
    Stats,
    Token,
    Value,
    addresses,
)
from usl_perceus.ir import UNIT, Atom, Con, Expr, FunRef, Lambda, Lit, Nullary, Program, Ret, Type, Var
from usl_perceus.layout import is_counted
from usl_perceus.traverse import FreeVars


class State:
    """A configuration `H | e`: the heap with its counts, the current expression, and the frames around it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.heap: dict[Addr, Cell] = {}
        self.tokens: set[Token] = set()
        self.stats = Stats()
        self.stack: list[Frame] = []
        self.expr: Expr = Ret(Lit(None, UNIT))
        self.act = Activation({})
        self.free = FreeVars(erased=True)
        self._next = 0

    # ---- the heap

    def cell(self, addr: Value) -> Cell:
        """The cell at an address.

        Raises:
            Fault: it was freed.
        """
        if not isinstance(addr, Addr) or addr not in self.heap:
            raise Fault(f"use of {addr!r}, which is not in the heap")
        return self.heap[addr]

    def allocate(self, head: Head, fields: list[Value]) -> Addr:
        """A new cell with one reference; it takes over the references in its fields."""
        self._next += 1
        addr = Addr(self._next)
        self.heap[addr] = Cell(1, head, fields)
        self.stats.allocated += 1
        self.stats.peak = max(self.stats.peak, len(self.heap))
        return addr

    def dup(self, value: Value) -> None:
        """Rule dup, for every address that the value holds."""
        for addr in addresses(value):
            self.cell(addr).count += 1

    def drop(self, value: Value) -> None:
        """Rules drop and free; children are dropped without recursion."""
        todo = list(addresses(value))
        while todo:
            cell = self.cell(addr := todo.pop())
            cell.count -= 1
            if cell.count == 0:
                todo.extend(child for item in cell.fields for child in addresses(item))
                self.remove(addr)

    def remove(self, addr: Value) -> Cell:
        """Take a cell out of the heap; its fields are not dropped."""
        assert isinstance(addr, Addr)
        self.stats.freed += 1
        return self.heap.pop(addr)

    def describe(self) -> str:
        """The heap in one line, for the message of a fault."""
        cells = "; ".join(f"{addr.number} ->{cell.count} {_head(cell.head)}" for addr, cell in self.heap.items())
        return f"heap: {cells or 'empty'}; {len(self.tokens)} tokens"

    # ---- ownership of the variables

    def consume(self, atom: Atom) -> Value:
        """The value of an atom; a counted variable gives up one reference that it owns."""
        value = self.read(atom)
        if isinstance(atom, Var) and self.counted(atom.type):
            self.act.owned[atom] -= 1
            if self.act.owned[atom] < 0 and any(addresses(value)):
                raise Fault(f"{atom!r} gives up a reference that it does not own")
        return value

    def read(self, atom: Atom) -> Value:
        """The value of an atom, which keeps its references."""
        match atom:
            case Var():
                value = self.act.env[atom]
                for addr in addresses(value):
                    self.cell(addr)
                return value
            case Lit(value=literal):
                return literal
            case Nullary(con=con):
                return Imm(con)
            case FunRef(fun=fun):
                return Static(fun)
            case _:
                assert_never(atom)

    def bind(self, var: Var, value: Value, *, owned: bool = True) -> None:
        """Gives var a value in the current activation, with one reference if it is owned."""
        self.act.env[var] = value
        self.act.owned[var] = int(owned)

    def counted(self, type: Type) -> bool:
        """Whether values of the type hold references (`layout.is_counted`)."""
        return is_counted(type, self.program.datas)


def _head(head: Head) -> str:
    match head:
        case Con(name=name):
            return name
        case Lambda():
            return "fun"
        case _:
            return repr(head)
