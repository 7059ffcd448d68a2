"""Which functions may raise: the least solution over the whole program.

A closure may raise if any closure of its type that the program makes may: types of closures that differ in nothing else are
one. A thread may raise if any thread of its type may. Reference: Reinking 2022, §4.2.7, non-linear control flow.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from usl_perceus import ir
from usl_perceus.traverse import atoms, walk


@dataclass(frozen=True, slots=True)
class Effects:
    """What may raise: functions by name, closures and threads by their types."""

    functions: frozenset[str] = frozenset()
    closures: frozenset[ir.FunType] = frozenset()
    threads: frozenset[ir.ThreadType] = frozenset()


NOTHING = Effects()


def infer(program: ir.Program, outcomes: Collection[str], of_python: Collection[ir.FunType] = ()) -> Effects:
    """The effects of a program in which no closure is marked as throwing and every thread ends with an outcome.

    outcomes: the names of the data types of outcomes. of_python: the types of functions that Python may give, which may raise.
    """
    state = _State(frozenset(outcomes), closures=set(of_python))
    while state.grow(program.funs):
        pass
    threads = frozenset(ir.ThreadType(ir.DataType(name)) for name in state.raised)
    return Effects(frozenset(state.functions), frozenset(state.closures), threads)


@dataclass(slots=True)
class _State:
    outcomes: frozenset[str]
    functions: set[str] = field(default_factory=set)
    closures: set[ir.FunType] = field(default_factory=set)
    raised: set[str] = field(default_factory=set)
    """The outcomes that may be exceptions."""

    def grow(self, funs: Mapping[str, ir.FunDef]) -> bool:
        """One round over all functions; whether anything was found."""
        before = len(self.functions), len(self.closures), len(self.raised)
        for name, fun in funs.items():
            if name not in self.functions and self.throws(fun.body):
                self.functions.add(name)
            for node in walk(fun.body):
                self._values(node)
        return before != (len(self.functions), len(self.closures), len(self.raised))

    def _values(self, node: ir.Expr) -> None:
        """The closures that node makes, and the outcome of the thread that it starts."""
        for atom in atoms(node):
            if isinstance(atom, ir.FunRef) and atom.fun in self.functions:
                self.closures.add(atom.type)
        match node:
            case ir.Lambda(body=body) if self.throws(body):
                self.closures.add(ir.FunType(tuple(param.type for param in node.params), node.result))
            case ir.TryLet(value=value, handler=ir.MakeCon(con=con)) if con.data in self.outcomes and self.throws(value):
                self.raised.add(con.data)

    def throws(self, expr: ir.Expr) -> bool:
        """Whether evaluating expr may end with an exception, as far as is known."""
        while isinstance(expr, ir.Let):
            if self.throws(expr.value):
                return True
            expr = expr.body
        match expr:
            case ir.Raise():
                return True
            case ir.Call(fun=fun):
                return fun in self.functions
            case ir.CallClosure(fun=callee):
                return callee.type in self.closures
            case ir.TryLet(value=value, body=body, handler=handler):
                return self.throws(body) or (self.throws(value) and self.throws(handler))
            case ir.Match(branches=branches, default=default):
                live = [branch.body for branch in branches if not self._impossible(branch.con)]
                return any(map(self.throws, live)) or (default is not None and self.throws(default))
            case ir.If(then=then, orelse=orelse):
                return self.throws(then) or self.throws(orelse)
            case ir.LetJoin(join_body=join_body, body=body):
                return self.throws(join_body) or self.throws(body)
            case ir.Ret() | ir.Prim() | ir.ForeignCall() | ir.KernelCall() | ir.MakeCon() | ir.Lambda() | ir.Jump():
                return False
            case ir.NewHole() | ir.MakeConHole() | ir.Fill() | ir.Do():
                raise AssertionError("not in the core")
            case _:
                assert_never(expr)

    def _impossible(self, con: ir.Con) -> bool:
        """A thread ends so only if it may raise."""
        return con.data in self.outcomes and con.tag == 1 and con.data not in self.raised
