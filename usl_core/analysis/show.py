"""Linear forms as users write them."""

from __future__ import annotations

from usl_core.analysis import affine
from usl_core.analysis.affine import Atom, Lin, Product
from usl_core.analysis.raise_ import from_lin
from usl_core.ir.printer import show_expr


def show_lin(lin: Lin) -> str:
    """The text of a linear form; products of sizes, which no control expression has, are written out."""
    if not any(isinstance(atom, Product) for atom in affine.atoms(lin)):
        return show_expr(from_lin(lin))
    parts = [_term(atom, c) for atom, c in lin.terms.items()]
    if lin.const:
        parts.append(str(lin.const))
    return " + ".join(parts).replace("+ -", "- ")


def _term(atom: Atom, coefficient: int) -> str:
    if isinstance(atom, Product):
        text = " * ".join(f"({show_lin(arg)})" if len(arg.terms) + bool(arg.const) > 1 else show_lin(arg) for arg in atom.args)
    else:
        text = show_lin(affine.of_atom(atom))
    return text if coefficient == 1 else f"{coefficient} * {text}"
