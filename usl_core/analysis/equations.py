"""Numbers that names are compared with, and equations: what at a place determines what a name is."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from usl_core.analysis import affine
from usl_core.analysis.affine import Atom, Lin
from usl_core.analysis.formula import TRUE, Eq, Formula, Ge, free_syms
from usl_core.analysis.holding import Held
from usl_core.ir.config import FieldSym
from usl_core.ir.sym import Sym


def solved(facts: Iterable[Formula], known: Mapping[Atom, Lin]) -> Mapping[Atom, Lin]:
    """known, and more atoms that facts determine, with forms equal to them in which none of these atoms occurs.

    Quotients and minima are expressed by variables, and later variables by earlier ones. Equations about fields are left out:
    a form with the value of a field at entry has no text where the field may have been written.
    """
    found = dict(known)
    for fact in facts:
        if not isinstance(fact, Eq) or any(isinstance(name, FieldSym | Held) for name in free_syms(fact)):
            continue
        lin = affine.subst(fact.lin, found)
        for atom in sorted((a for a, c in lin.terms.items() if abs(c) == 1), key=_age, reverse=True):
            value = Lin(lin.const, {a: c for a, c in lin.terms.items() if a is not atom}).scale(-lin.terms[atom])
            if atom not in affine.atoms(value):
                found = {**{a: affine.subst(v, {atom: value}) for a, v in found.items()}, atom: value}
                break
    return found


def limits(facts: Iterable[Formula]) -> Iterator[tuple[Atom, int, Formula]]:
    """Each atom that a fact compares with a number, that number rounded to what the atom may be, and what is to be shown for
    the atom to be this number: that it does not lie beyond it. Nothing, for an equation."""
    for fact in dict.fromkeys(facts):
        if isinstance(fact, Ge | Eq) and len(fact.lin.terms) == 1:
            ((atom, coefficient),) = fact.lin.terms.items()
            end = -(fact.lin.const // coefficient) if coefficient > 0 else fact.lin.const // -coefficient
            beyond = affine.combine(Lin(end), 1, affine.of_atom(atom), -1).scale(1 if coefficient > 0 else -1)
            yield atom, end, TRUE if isinstance(fact, Eq) and not fact.lin.const % coefficient else Ge(beyond)


def _age(atom: Atom) -> tuple[bool, int]:
    """What is expressed by what: the least last."""
    return not isinstance(atom, Sym), max((name.number for name in affine.syms(affine.of_atom(atom))), default=0)
