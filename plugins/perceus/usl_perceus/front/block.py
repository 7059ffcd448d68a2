"""A sequence of named values, from which the `Let`s of A-normal form are made."""

from __future__ import annotations

from usl_core.errors import Span
from usl_perceus import ir


class Block:
    """Values in the order of their evaluation, before a last expression."""

    def __init__(self) -> None:
        self._steps: list[tuple[ir.Var, ir.Expr | ir.Con, tuple[ir.Var, ...], Span]] = []

    def bind(self, var: ir.Var, value: ir.Expr, span: Span) -> None:
        """var is the value of an expression, evaluated after those before."""
        self._steps.append((var, value, (), span))

    def open(self, var: ir.Var, con: ir.Con, binders: tuple[ir.Var, ...], span: Span) -> None:
        """What follows may use the fields of var, which is made by con, the only constructor of its type."""
        self._steps.append((var, con, binders, span))

    def atom(self, value: ir.Expr, type_: ir.Type, name: str, span: Span) -> ir.Atom:
        """The value of an expression as an atom; a new variable called name unless it is one already."""
        if isinstance(value, ir.Ret):
            return value.atom
        var = ir.Var(name, type_)
        self.bind(var, value, span)
        return var

    def variable(self, atom: ir.Atom, span: Span) -> ir.Var:
        """The atom as a variable, as `Match` needs it."""
        if isinstance(atom, ir.Var):
            return atom
        var = ir.Var("value", atom.type)
        self.bind(var, ir.Ret(atom, span=span), span)
        return var

    def wrap(self, last: ir.Expr) -> ir.Expr:
        """last, after all values."""
        for var, step, binders, span in reversed(self._steps):
            if isinstance(step, ir.Con):
                last = ir.Match(var, (ir.Branch(step, binders, last, span=span),), span=span)
            else:
                last = ir.Let(var, step, last, span=span)
        return last
