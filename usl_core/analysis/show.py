"""Linear forms as users write them."""

from __future__ import annotations

from usl_core.analysis.affine import Atom, Lin, Min, Product, Quot, Stride
from usl_core.ir.sym import Sym


def show_lin(lin: Lin) -> str:
    parts = [(f"{c} * " if c != 1 else "") + show_atom(a) for a, c in lin.terms.items()]
    if lin.const or not parts:
        parts.append(str(lin.const))
    return " + ".join(parts).replace("+ -", "- ")


def show_atom(atom: Atom) -> str:
    match atom:
        case Sym(name=name):
            return name
        case Stride(buffer=buffer, dim=dim):
            return f"stride({buffer.name}, {dim})"
        case Quot(num=num, den=den):
            return f"({show_lin(num)}) / {den}"
        case Min(args=args):
            return f"min({', '.join(show_lin(a) for a in args)})"
        case Product(args=args):
            return " * ".join(f"({show_lin(a)})" for a in args)
