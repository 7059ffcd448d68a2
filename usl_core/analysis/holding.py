"""What configuration fields hold at a place: followed from statement to statement, and worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from usl_core.analysis import affine, dataflow
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin, Stride
from usl_core.analysis.dataflow import Datum, Transformer, Value
from usl_core.analysis.effects import summary
from usl_core.analysis.fields_used import field_use
from usl_core.analysis.formula import Formula
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import memo_of
from usl_core.ir.nodes import For, Stmt
from usl_core.ir.sym import Sym
from usl_core.ir.types import SIZE, ControlType

if TYPE_CHECKING:
    from usl_core.analysis.context import Context


LONGEST = 24
"""Comparisons in a condition under which a value is known: each later question would take minutes with longer ones."""


class Held(Sym):
    """A variable for what a field holds at one place of one iteration."""

    __slots__ = ()


def is_of_held(formula: Formula) -> bool:
    """Whether a formula is about what a field holds at some place."""
    return any(isinstance(name, Held) for name in fml.free_syms(formula))


@dataclass(frozen=True)
class Holding:
    """What fields hold at a place: values of those that may have been written since the start, facts about these, and how many
    statements have changed fields on the way here."""

    values: Mapping[FieldSym, Value] = field(default_factory=dict)
    facts: tuple[Formula, ...] = ()
    writes: int = 0


class Changed:
    """What fields hold after a statement (inside: in its body, after earlier iterations), worked out when it is asked for."""

    __slots__ = ("_found", "before", "inside", "stmt")

    def __init__(self, before: Context, stmt: Stmt, inside: bool) -> None:
        self.before, self.stmt, self.inside = before, stmt, inside
        self._found: Holding | None = None

    @property
    def holding(self) -> Holding:
        """What fields hold after the change."""
        open_steps: list[Changed] = []
        step: Changed | None = self
        while step is not None and step._found is None:  # not by recursion: blocks are long
            open_steps.append(step)
            step = step.before.fields.changed
        for each in reversed(open_steps):
            each._found = _remembered(each.before, each.stmt, each.inside)
        assert self._found is not None
        return self._found


@dataclass(frozen=True)
class Fields:
    """What configuration fields hold at a place."""

    tracked: bool = True
    """Whether the procedure uses configuration at all."""
    base: Holding = field(default_factory=Holding)
    """What fields held at the last place where that had to be known."""
    changed: Changed | None = None
    """What may have changed fields since; worked out only when an obligation is about fields."""
    asserted: bool = False
    """Whether conditions around or before this place are about what fields hold."""
    holds_data: bool = False
    """Whether some field may be known to hold what a scalar holds."""

    @property
    def holding(self) -> Holding:
        """What fields hold here, and what is known of that."""
        return self.base if self.changed is None else self.changed.holding

    @property
    def values(self) -> Mapping[FieldSym, Value]:
        """What fields hold here that may have been written since the start of the procedure."""
        return self.holding.values

    @property
    def facts(self) -> tuple[Formula, ...]:
        """Facts about what fields hold just here (`Held`). They are apart, since they say nothing of another instance of the
        same code, whose iterators are others: only `prove` uses them."""
        return self.holding.facts

    @property
    def may_have_changed(self) -> bool:
        """Whether fields may have been changed on the way here."""
        return self.changed is not None or bool(self.base.values)

    def value(self, name: FieldSym) -> Value:
        """What a field holds here, in terms of what fields held at the start of the procedure."""
        return self.values.get(name, dataflow.identity(name))

    def assume(self, facts: Iterable[Formula]) -> Fields:
        """With more facts about what fields hold here."""
        base = replace(self.holding, facts=(*self.facts, *facts))
        return replace(self, base=base, changed=None, asserted=True)

    def changed_by(self, before: Context, stmt: Stmt, *, inside: bool = False) -> Fields:
        """After stmt, which stands where before is (inside: in its body, after earlier iterations): it may have changed fields,
        or scalars that they hold."""
        written = field_use(stmt).written
        if not written and not self.holds_data:
            return self
        data = self.holds_data or any(not isinstance(f.declared.type, ControlType) for f in written)
        return replace(self, changed=Changed(before, stmt, inside), holds_data=data)


def _remembered(before: Context, stmt: Stmt, inside: bool) -> Holding:
    """`_holding_after`, worked out once for a statement where the same is known before it."""
    step = _step(stmt, inside)
    atoms = (a for cases in step.values() for case in cases for a in _atoms(case))
    strides = frozenset((a, before.scope.stride(a.buffer, a.dim)) for a in atoms if isinstance(a, Stride))
    held = before.fields.holding
    key = (inside, before.facts, held.facts, frozenset(held.values.items()), held.writes, strides)
    known: dict[object, Holding] = memo_of(stmt).setdefault(Holding, {})
    if key not in known:
        known[key] = _holding_after(before, stmt, inside)
    return known[key]


def _step(stmt: Stmt, inside: bool) -> Transformer:
    return dataflow.before_iteration(stmt) if inside and isinstance(stmt, For) else dataflow.of_stmt(stmt)


def _atoms(case: dataflow.Case) -> Iterator[affine.Atom]:
    """The atoms of a case's condition and value."""
    lins = [*fml.lins(case.guard)]
    if isinstance(case.value, Lin):
        lins.append(case.value)
    elif not isinstance(case.value, Datum):
        lins += fml.lins(case.value)
    return (atom for lin in lins for atom in affine.atoms(lin))


def _holding_after(before: Context, stmt: Stmt, inside: bool) -> Holding:
    """A value of several cases becomes a new variable, with facts that say what it is."""
    step = _step(stmt, inside)
    modified = summary(stmt).modified
    lost = {f for f, value in before.fields.values.items() if _is_of(value, modified)}
    if not step and not lost:
        return before.fields.holding
    here = before.env
    values, facts = dict(before.fields.values), list(before.fields.facts)
    writes = before.fields.holding.writes
    for name in sorted({*step, *lost}):
        cases = [(here.formula(c.guard), here.value(c.value)) for c in step.get(name, ())]
        cases = [(guard, value) for guard, value in cases if not _is_of(value, modified) and _is_short(guard)]
        certain = [value for guard, value in cases if guard == fml.TRUE or before.holds(guard)]
        if certain:
            values[name] = certain[0]
            continue
        new = _unknown(stmt, name, inside, writes)
        values[name] = dataflow.of_sym(name, new)
        if not isinstance(values[name], Datum):  # equality of data is known or not, but no formula
            facts += [fml.implies(guard, dataflow.equal(value, values[name])) for guard, value in cases]
        if name.declared.type is SIZE:
            facts.append(fml.ge(affine.var(new), 1))
    return Holding(values, tuple(p for f in facts for p in fml.conjuncts(f) if p is not fml.TRUE), writes + 1)


def _is_short(guard: Formula) -> bool:
    return sum(1 for _ in fml.lins(guard)) <= LONGEST


def _unknown(stmt: Stmt, field: FieldSym, inside: bool, position: int) -> Held:
    """The variable for what a field holds in (inside) or after stmt, the same each time that a context is built.

    position tells apart the places of one statement that occurs more than once in a procedure.
    """
    names: dict[tuple[FieldSym, bool, int], Held] = memo_of(stmt).setdefault(Held, {})
    return names.setdefault((field, inside, position), Held(field.name))


def _is_of(value: Value, modified: Container[Sym]) -> bool:
    """Whether value is what one of the modified scalars holds, or held."""
    return isinstance(value, Datum) and value.key in modified
