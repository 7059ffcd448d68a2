"""What the loops of a procedure say about their iterators, wherever these occur."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.formula import Formula
from usl_core.analysis.lower import index_lin
from usl_core.analysis.raise_ import from_lin, reduce_lin
from usl_core.analysis.solver import Proved, prove
from usl_core.errors import NOWHERE, Span
from usl_core.ir.nodes import Arg, Expr, For, Proc
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import loop_of
from usl_core.ir.types import SIZE


class IteratorRanges:
    """Facts about names, from the loops (and size formals) that bind them.

    Iterators are bound once, so that where one occurs its loop, and those whose iterators its limits mention, are around.
    """

    def __init__(self, proc: Proc) -> None:
        self._proc = proc
        self._binders: dict[Sym, For | Arg | None] = {}

    def _binder(self, name: Sym) -> For | Arg | None:
        """The loop or size formal that binds name."""
        if name not in self._binders:
            size = next((arg for arg in self._proc.args if arg.name is name and arg.type is SIZE), None)
            self._binders[name] = size or loop_of(self._proc.body, name)
        return self._binders[name]

    def facts(self, formula: Formula) -> list[Formula]:
        """What holds of the names in formula, and of those that the ranges of these mention."""
        found: dict[Sym, list[Formula]] = {}
        open_names = list(fml.free_syms(formula))
        while open_names:
            name = open_names.pop()
            binder = self._binder(name)
            if binder is not None and name not in found:
                found[name] = _facts(name, binder)
                open_names += [s for f in found[name] for s in fml.free_syms(f)]
        return [f for facts in found.values() for f in facts]

    def holds(self, formula: Formula) -> bool:
        """Whether formula is proved wherever its names are bound."""
        return isinstance(prove(self.facts(formula), formula), Proved)

    def expression(self, lin: Lin, span: Span = NOWHERE) -> Expr:
        """The expression for lin, with the quotients settled that the ranges decide."""
        return from_lin(reduce_lin(lin, self.holds), span)


def _facts(name: Sym, binder: For | Arg) -> list[Formula]:
    value = affine.var(name)
    match binder:
        case For(lo=lo, hi=hi):
            return [fml.le(index_lin(lo), value), fml.lt(value, index_lin(hi))]
        case Arg():
            return [fml.ge(value, 1)]
