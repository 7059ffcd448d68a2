"""What configuration fields hold at a place: followed from statement to statement, and worked out when it is asked for."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

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
    from usl_core.analysis.facts import Facts


LONGEST = 24
"""Comparisons in a condition under which a value is known: each later question would take minutes with longer ones."""


class Held(Sym):
    """A variable for what a field holds at one place of one iteration, after so many changes of fields."""

    __slots__ = ("field", "position")

    def __init__(self, field: FieldSym, position: int) -> None:
        super().__init__(field.name)
        self.field, self.position = field, position


def is_of_held(formula: Formula) -> bool:
    """Whether a formula is about what a field holds at some place."""
    return any(isinstance(name, Held) for name in fml.free_syms(formula))


def held_in(formulas: Iterable[Formula]) -> frozenset[Held]:
    """What formulas say something of that fields hold."""
    return frozenset(name for f in formulas for name in fml.free_syms(f) if isinstance(name, Held))


class Known:
    """What a field holds at a place: a value, facts about variables in it, and what is known of others that these mention."""

    __slots__ = ("__weakref__", "based", "facts", "value")

    def __init__(self, value: Value, facts: tuple[Formula, ...] = (), based: tuple[Known, ...] = ()) -> None:
        self.value, self.facts, self.based = value, facts, based


def _facts_of(known: Iterable[Known]) -> tuple[Formula, ...]:
    """The facts of all, and of what they are based on, the latter first."""
    found: dict[Formula, None] = {}
    seen: set[Known] = set()
    pending = [(each, False) for each in reversed(list(known))]
    while pending:
        each, is_based = pending.pop()
        if is_based:
            found.update(dict.fromkeys(each.facts))
        elif each not in seen:
            seen.add(each)
            pending.append((each, True))
            pending += [(other, False) for other in reversed(each.based)]
    return tuple(found)


_AT_START: WeakKeyDictionary[FieldSym, Known] = WeakKeyDictionary()


def _at_start(name: FieldSym) -> Known:
    """What a field held at the start of the procedure is known by its name."""
    known = _AT_START.get(name)
    if known is None:
        known = _AT_START[name] = Known(dataflow.identity(name))
    return known


class Changed:
    """What fields hold after a statement (inside: in its body, after earlier iterations), each worked out when it is asked for.

    position counts the changes on the way here, written has the fields that they may have set.
    """

    __slots__ = ("_known", "before", "inside", "position", "stmt", "written")

    def __init__(self, before: Context, stmt: Stmt, inside: bool) -> None:
        self.before, self.stmt, self.inside = before, stmt, inside
        earlier, here = before.fields.changed, field_use(stmt).written
        self.position: int = 1 if earlier is None else earlier.position + 1
        self.written: frozenset[FieldSym] = (
            here if earlier is None else earlier.written if here <= earlier.written else earlier.written | here
        )
        self._known: dict[FieldSym, Known] = {}

    def known(self, name: FieldSym) -> Known:
        """What a field holds after the change. Not by recursion: blocks are long."""
        pending: list[tuple[Changed, FieldSym]] = [(self, name)]
        while pending:
            step, field = pending[-1]
            earlier = step.before.fields.changed
            needs = () if field in step._known or earlier is None else _needs(step, field)
            missing = [(earlier, other) for other in needs if earlier is not None and other not in earlier._known]
            if missing:
                pending += missing
                continue
            if field not in step._known:
                step._known[field] = _known_after(step, field)
            pending.pop()
        return self._known[name]

    def at(self, position: int) -> Changed | None:
        """The change of that number on the way here."""
        step: Changed | None = self
        while step is not None and step.position > position:
            step = step.before.fields.changed
        return step


@dataclass(frozen=True)
class Fields:
    """What configuration fields hold at a place."""

    tracked: bool = True
    """Whether the procedure uses configuration at all."""
    changed: Changed | None = None
    """What may have changed fields since the start of the procedure, worked out as far as obligations are about fields."""
    assumed: tuple[Formula, ...] = ()
    """What conditions around or before this place say of what fields hold."""
    holds_data: bool = False
    """Whether some field may be known to hold what a scalar holds."""

    @property
    def asserted(self) -> bool:
        """Whether conditions around or before this place are about what fields hold."""
        return bool(self.assumed)

    @property
    def written(self) -> frozenset[FieldSym]:
        """The fields that may have been written since the start of the procedure."""
        return frozenset() if self.changed is None else self.changed.written

    @property
    def values(self) -> Mapping[FieldSym, Value]:
        """What these hold here."""
        return {name: self.value(name) for name in sorted(self.written)}

    @property
    def facts(self) -> tuple[Formula, ...]:
        """Facts about what fields hold just here (`Held`). They are apart, since they say nothing of another instance of the
        same code, whose iterators are others: only `prove` uses them."""
        known = [*map(self.known, sorted(self.written)), *self._known_of(held_in(self.assumed))]
        return (*_facts_of(known), *self.assumed)

    def about(self, names: Iterable[Held]) -> tuple[Formula, ...]:
        """The facts about what these stand for."""
        return _facts_of(self._known_of(names))

    def _known_of(self, names: Iterable[Held]) -> list[Known]:
        if self.changed is None:
            return []
        found = [(self.changed.at(name.position), name.field) for name in sorted(names)]
        return [step.known(field) for step, field in found if step is not None]

    @property
    def may_have_changed(self) -> bool:
        """Whether fields may have been changed on the way here."""
        return self.changed is not None

    def known(self, name: FieldSym) -> Known:
        """What a field holds here, and what is known of that."""
        return _at_start(name) if self.changed is None or name not in self.changed.written else self.changed.known(name)

    def value(self, name: FieldSym) -> Value:
        """What a field holds here, in terms of what fields held at the start of the procedure."""
        return self.known(name).value

    def assume(self, facts: Iterable[Formula]) -> Fields:
        """With more facts about what fields hold here."""
        return replace(self, assumed=(*self.assumed, *facts))

    def changed_by(self, before: Context, stmt: Stmt, *, inside: bool = False) -> Fields:
        """After stmt, which stands where before is (inside: in its body, after earlier iterations): it may have changed fields,
        or scalars that they hold."""
        written = field_use(stmt).written
        if not written and not self.holds_data:
            return self
        data = self.holds_data or any(not isinstance(f.declared.type, ControlType) for f in written)
        return replace(self, changed=Changed(before, stmt, inside), holds_data=data)


def _step(stmt: Stmt, inside: bool) -> Transformer:
    return dataflow.before_iteration(stmt) if inside and isinstance(stmt, For) else dataflow.of_stmt(stmt)


def _needs(step: Changed, name: FieldSym) -> tuple[FieldSym, ...]:
    """The fields whose values before a change decide what it leaves in a field."""
    found: dict[object, tuple[FieldSym, ...]] = memo_of(step.stmt).setdefault(_needs, {})
    key = name, step.inside
    if key not in found:
        cases = _step(step.stmt, step.inside).get(name)
        found[key] = (name,) if cases is None else dataflow.fields_in(cases)
    return found[key]


def _known_after(step: Changed, name: FieldSym) -> Known:
    """What a field holds after a change, worked out once for a statement where the same is known before it."""
    before, stmt = step.before, step.stmt
    cases = _step(stmt, step.inside).get(name)
    based = tuple(map(before.fields.known, _needs(step, name)))
    if cases is None and not _is_of(based[0].value, summary(stmt).modified):
        return based[0]
    atoms = (a for case in cases or () for a in _atoms(case))
    strides = frozenset((a, before.scope.stride(a.buffer, a.dim)) for a in atoms if isinstance(a, Stride))
    key = (name, step.inside, step.position, _Same(before.known), before.fields.assumed, based, strides)
    known: dict[object, Known] = memo_of(stmt).setdefault(Known, {})
    if key not in known:
        known[key] = _worked_out(step, name, cases or (), based)
    return known[key]


class _Same:
    """Facts as a key: these very ones."""

    __slots__ = ("facts",)

    def __init__(self, facts: Facts) -> None:
        self.facts = facts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Same) and self.facts is other.facts

    def __hash__(self) -> int:
        return id(self.facts)


def _atoms(case: dataflow.Case) -> Iterator[affine.Atom]:
    """The atoms of a case's condition and value."""
    lins = [*fml.lins(case.guard)]
    if isinstance(case.value, Lin):
        lins.append(case.value)
    elif not isinstance(case.value, Datum):
        lins += fml.lins(case.value)
    return (atom for lin in lins for atom in affine.atoms(lin))


def _worked_out(step: Changed, name: FieldSym, possible: dataflow.Cases, based: tuple[Known, ...]) -> Known:
    """A value of several cases becomes a new variable, with facts that say what it is."""
    before, modified = step.before, summary(step.stmt).modified
    here = before.env_of(_needs(step, name))
    settled = dataflow.joined(tuple(dataflow.Case(here.formula(c.guard), here.value(c.value)) for c in possible))
    cases = [(c.guard, c.value) for c in settled]
    cases = [(guard, value) for guard, value in cases if not _is_of(value, modified) and _is_short(guard)]
    certain = [value for guard, value in cases if guard == fml.TRUE or before.holds(guard)]
    if certain:
        return Known(certain[0], (), based if _mentions_held(certain[0]) else ())
    new = _unknown(step.stmt, name, step.inside, step.position)
    value = dataflow.of_sym(name, new)
    facts: list[Formula] = []
    if not isinstance(value, Datum):  # equality of data is known or not, but no formula
        facts += [fml.implies(guard, dataflow.equal(other, value)) for guard, other in cases]
    if name.declared.type is SIZE:
        facts.append(fml.ge(affine.var(new), 1))
    return Known(value, tuple(p for f in facts for p in fml.conjuncts(f) if p is not fml.TRUE), based)


def _mentions_held(value: Value) -> bool:
    return any(isinstance(name, Held) for name in dataflow.mentioned(value))


def _is_short(guard: Formula) -> bool:
    return sum(1 for _ in fml.lins(guard)) <= LONGEST


def _unknown(stmt: Stmt, field: FieldSym, inside: bool, position: int) -> Held:
    """The variable for what a field holds in (inside) or after stmt, the same each time that a context is built.

    position tells apart the places of one statement that occurs more than once in a procedure.
    """
    names: dict[tuple[FieldSym, bool, int], Held] = memo_of(stmt).setdefault(Held, {})
    return names.setdefault((field, inside, position), Held(field, position))


def _is_of(value: Value, modified: Container[Sym]) -> bool:
    """Whether value is what one of the modified scalars holds, or held."""
    return isinstance(value, Datum) and value.key in modified
