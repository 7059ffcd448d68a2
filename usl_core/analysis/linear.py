"""Refutation of conjunctions of linear constraints without a solver: Fourier-Motzkin elimination over the integers.

`unsat(formulas)` answers True only if no integers satisfy all formulas; False means "don't know". Equalities with a unit
coefficient are substituted; quotients and minima get their defining inequalities; disjunctions are split while few. Limits keep
it far below what a solver call costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import gcd

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Atom, Lin, Min, Quot
from usl_core.analysis.formula import And, Bool, Eq, Exists, Forall, Formula, Ge, Or
from usl_core.profiling import profiled

MAX_ROWS = 120
MAX_SPLITS = 24

Row = tuple[int, ...]
"""The factor of each atom, in one order; 0 where an atom is missing."""


class _Budget:
    def __init__(self) -> None:
        self.splits = MAX_SPLITS


@profiled("solver", "affine")
def unsat(formulas: Iterable[Formula]) -> bool:
    """Whether the conjunction is certainly false for all integers."""
    literals: list[Ge | Eq] = []
    choices: list[Or] = []
    bools: dict[object, bool] = {}
    for f in _flatten(formulas):
        match f:
            case fml.Const(value=value):
                if not value:
                    return True
            case Ge() | Eq():
                literals.append(f)
            case Bool(name=name, positive=positive):
                if bools.setdefault(name, positive) != positive:
                    return True
            case Or():
                choices.append(f)
            case Exists(names=names, body=body):
                fresh = {name: affine.var(name.copy()) for name in names}  # one formula may stand in several places
                literals_of_body = _flatten([fml.subst(body, fresh)])
                literals += [x for x in literals_of_body if isinstance(x, Ge | Eq)]
                choices += [x for x in literals_of_body if isinstance(x, Or)]
            case Forall() | And():
                pass  # dropping a constraint is sound here
    return _unsat(literals, choices, _Budget())


def _flatten(formulas: Iterable[Formula]) -> list[Formula]:
    result: list[Formula] = []
    for f in formulas:
        if isinstance(f, And):
            result.extend(_flatten(f.args))
        else:
            result.append(f)
    return result


def _unsat(literals: list[Ge | Eq], choices: list[Or], budget: _Budget) -> bool:
    extra_literals, extra_choices = _definitions(literals)
    all_literals = literals + extra_literals
    if _rows_unsat(all_literals):
        return True
    pending = choices + extra_choices
    if not pending:
        return False
    pending.sort(key=lambda c: len(c.args))
    first, rest = pending[0], pending[1:]
    for option in first.args:
        budget.splits -= 1
        if budget.splits < 0:
            return False
        new_literals, new_choices, closed = list(all_literals), list(rest), False
        for f in _flatten([option]):
            match f:
                case Ge() | Eq():
                    new_literals.append(f)
                case Or():
                    new_choices.append(f)
                case fml.Const(value=False):
                    closed = True
                case _:
                    pass
        if not closed and not _unsat(new_literals, new_choices, budget):
            return False
    return True


def _definitions(literals: list[Ge | Eq]) -> tuple[list[Ge | Eq], list[Or]]:
    """What quotients and minima in the literals satisfy by definition, in literals not yet among them."""
    seen: set[Atom] = set()
    out: list[Ge | Eq] = []
    choices: list[Or] = []
    known = set(literals)
    for literal in literals:
        for atom in affine.atoms(literal.lin):
            if atom in seen:
                continue
            seen.add(atom)
            if isinstance(atom, Quot):
                rest = atom.num - affine.of_atom(atom).scale(atom.den)
                new = [fml.ge(rest), fml.ge(-rest, 1 - atom.den)]
                out += [f for f in new if isinstance(f, Ge) and f not in known]
            elif isinstance(atom, Min):
                value = affine.of_atom(atom)
                first = [fml.ge(arg - value) for arg in atom.args]
                new_here = [f for f in first if isinstance(f, Ge) and f not in known]
                out += new_here
                if new_here:
                    choice = fml.or_([fml.eq(value - arg) for arg in atom.args])
                    if isinstance(choice, Or):
                        choices.append(choice)
    return out, choices


def _rows_unsat(literals: list[Ge | Eq]) -> bool:
    """rows are at least 0, equalities are 0."""
    rows = [literal.lin for literal in literals if isinstance(literal, Ge)]
    equalities = [literal.lin for literal in literals if isinstance(literal, Eq)]
    while equalities:
        row = equalities.pop()
        if not row.terms:
            if row.const:
                return True
            continue
        if row.const % gcd(*row.terms.values()):
            return True
        row = affine.lowest(row)
        pivot = next((a for a, c in row.terms.items() if abs(c) == 1), None)
        if pivot is None:  # no unit coefficient: keep it as two inequalities
            rows += [row, -row]
            continue
        rows = [_eliminated(r, pivot, row) for r in rows]
        equalities = [_eliminated(r, pivot, row) for r in equalities]
    # Rows over quotients alone are rounded, which may be what decides; so, failing all else, the others are eliminated first.
    return _eliminate(rows) or (
        any(isinstance(a, Quot) for r in rows for a in r.terms) and _eliminate(rows, quotients_last=True)
    )


def _eliminated(row: Lin, pivot: Atom, equation: Lin) -> Lin:
    """row without pivot, whose coefficient in equation, which is 0, is 1 or -1."""
    factor = row.terms.get(pivot)
    return row if factor is None else affine.combine(row, 1, equation, -factor * equation.terms[pivot])


def _eliminate(rows: list[Lin], *, quotients_last: bool = False) -> bool:
    atoms = list(dict.fromkeys(atom for row in rows for atom in row.terms))
    current: dict[Row, int] = {}
    for row in rows:
        if _add(current, [row.terms.get(atom, 0) for atom in atoms], row.const):
            return True
    late = {place for place, atom in enumerate(atoms) if quotients_last and isinstance(atom, Quot)}
    while current:
        pivot = _pivot(current, late)
        lower = [(row, constant) for row, constant in current.items() if row[pivot] > 0]
        upper = [(row, constant) for row, constant in current.items() if row[pivot] < 0]
        if len(current) - len(lower) - len(upper) + len(lower) * len(upper) > MAX_ROWS:
            return False
        current = {row: constant for row, constant in current.items() if not row[pivot]}
        for low, low_constant in lower:
            for up, up_constant in upper:
                a, b = -up[pivot], low[pivot]
                both = [a * x + b * y for x, y in zip(low, up, strict=True)]
                if _add(current, both, a * low_constant + b * up_constant):
                    return True
    return False


def _pivot(rows: Iterable[Row], late: set[int]) -> int:
    """The place of the atom whose elimination leaves the fewest rows; one of late only if there is no other."""
    costs = []
    for place, column in enumerate(zip(*rows, strict=True)):
        if used := len(column) - column.count(0):
            ups = len([c for c in column if c > 0])
            costs.append((place in late, ups * (used - ups) - used, place))
    return min(costs)[2]


def _add(current: dict[Row, int], row: Sequence[int], constant: int) -> bool:
    """Adds a row, keeping the tightest per left side; True on a contradiction."""
    common = gcd(*row)
    if not common:
        return constant < 0
    if common > 1:  # the constant is rounded down: of the same sign for all integers
        row, constant = [c // common for c in row], constant // common
    key = tuple(row)
    if constant < current.get(key, constant + 1):
        current[key] = constant
    opposite = current.get(tuple([-c for c in row]))
    return opposite is not None and opposite + current[key] < 0
