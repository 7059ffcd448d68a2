"""Provenance: how one version of a procedure relates to the version it was made from, and what may stand for what.

Reference: Reinking 2022, §3.4.3 and §3.6.2; docs/semantics.md, "refinement".
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from enum import Enum
from weakref import WeakKeyDictionary

from usl_core.deep import deeply
from usl_core.ir.config import FieldSym
from usl_core.ir.memo import per_node
from usl_core.ir.nodes import Call, Proc, Reduce
from usl_core.ir.operation import Operation
from usl_core.ir.sym import Sym
from usl_core.ir.traverse import walk_kinds
from usl_core.records import dataclass


class Relation(Enum):
    """What a step's result is to its input."""

    EQUAL = "="
    """The same stores for all inputs."""
    REFINES = "refines"
    """The same wherever the input yields a value; poison may have become anything."""
    NARROWER = "narrower"
    """Equal on the inputs that the new assertions admit."""
    PRECISION = "precision"
    """Equal over exact numbers, at another precision: a new class."""
    INTERFACE = "interface"
    """Other argument types, memories or layout: a new class."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a procedure's history. seconds is the time the operator took; proofs counts obligations by how they were
    settled (syntactic, affine, cache, model, z3)."""

    operator: str
    shown: tuple[str | Callable[[], str], ...] = ()
    """The arguments as texts; those that take long to print only when somebody looks."""
    relation: Relation = Relation.EQUAL
    seconds: float = 0.0
    proofs: Mapping[str, int] = field(default_factory=dict)
    modulo: frozenset[FieldSym] = frozenset()
    """Configuration fields that may hold something else at the end than the input leaves there."""
    fixed: frozenset[tuple[Sym, int | bool]] = frozenset()
    """Control formals that are gone, with the values that stand for them: else the interface is that of the input."""

    def __str__(self) -> str:
        return f"{self.operator}({self.arguments})"

    @property
    @deeply
    def arguments(self) -> str:
        """The operator's arguments in one line."""
        return ", ".join(part if isinstance(part, str) else part() for part in self.shown)


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """A version's place in the tree of versions: what it was made from, and what it is to that."""

    parent: Provenance | None = None
    relation: Relation = Relation.EQUAL
    operator: str = ""
    modulo: frozenset[FieldSym] = frozenset()
    fixed: frozenset[tuple[Sym, int | bool]] = frozenset()

    def versions(self) -> list[Provenance]:
        """This version and those it was made from, the latest first."""
        result: list[Provenance] = []
        version: Provenance | None = self
        while version is not None:
            result.append(version)
            version = version.parent
        return result

    def way_from(self, ancestor: Provenance) -> Way:
        """The way from a version that this one was made from."""
        steps = self.versions()
        steps = steps[: steps.index(ancestor)]
        only_fixing = [step for step in steps if step.relation is Relation.INTERFACE and step.fixed]
        return Way(
            frozenset(step.relation for step in steps if step not in only_fixing),
            frozenset[FieldSym]().union(*(step.modulo for step in steps)),
            frozenset[tuple[Sym, int | bool]]().union(*(step.fixed for step in steps)),
        )


@dataclass(frozen=True, slots=True)
class Way:
    """What the steps from one version to another were, the configuration fields modulo which they are equivalent, and the
    values of the formals that are gone: where the first version is called with these, the other may be called without."""

    relations: frozenset[Relation] = frozenset()
    modulo: frozenset[FieldSym] = frozenset()
    fixed: frozenset[tuple[Sym, int | bool]] = frozenset()


_PROVENANCE: WeakKeyDictionary[Proc, Provenance] = WeakKeyDictionary()


def record(ir: Proc, parent: Proc | None, step: Step) -> None:
    """Remember how a procedure's IR came to be."""
    origin = _PROVENANCE.get(parent) if parent is not None else None
    _PROVENANCE.setdefault(ir, Provenance(origin, step.relation, step.operator, step.modulo, step.fixed))


def record_copy(copy: Proc, original: Proc) -> None:
    """Remember that copy is the very version that original is."""
    if original in _PROVENANCE:
        _PROVENANCE[copy] = _PROVENANCE[original]


def steps_from_source(ir: Proc) -> list[tuple[str, Relation]] | None:
    """The operators that made ir from a procedure as a user wrote it, the oldest first, and what the result of each is to its
    input; None if it is not known how ir was made."""
    if ir not in _PROVENANCE:
        return None
    versions = _of(ir).versions()
    return [(version.operator, version.relation) for version in versions[-2::-1]]


def assurance(ir: Proc) -> str:
    """What stands behind ir: every step is proved, as no operator applies without its proof. Steps that made the procedure
    narrower, or changed its precision or interface, are named, for what they gave is not equivalent to the source, and so are
    instructions that flush subnormal numbers and operations whose laws are somebody's word."""
    steps = steps_from_source(ir)
    if steps is None:
        return "how it was made is not recorded"
    named = [f"{operator} ({relation.value})" for operator, relation in steps if relation not in _PLAIN]
    fields = sorted(frozenset[FieldSym]().union(*(version.modulo for version in _of(ir).versions())))
    named += [f"the values at the end of {', '.join(field.name for field in fields)}"] if fields else []
    named += [f"subnormal numbers, which {name} may take for zeros" for name in sorted(_flushing(ir))]
    named += [f"the laws of {name}, which are not proved" for name in sorted(_trusted(ir))]
    return f"every step proved, up to: {', '.join(named)}" if named else "every step proved"


@per_node
def _trusted(ir: Proc) -> frozenset[str]:
    """The operations by which ir, or what it calls, reduces, and whose laws are not proved."""
    found = frozenset(node.op.name for node in walk_kinds(ir, Reduce) if isinstance(node.op, Operation) and not node.op.proved)
    return found.union(*(_trusted(callee) for callee in {node.proc for node in walk_kinds(ir, Call)}))


@per_node
def _flushing(ir: Proc) -> frozenset[str]:
    """The instructions that ir calls, or is, which may flush subnormal numbers."""
    if ir.instr is not None:
        return frozenset({ir.name} if ir.instr.subnormals == "flushed" else ())
    return frozenset[str]().union(*(_flushing(callee) for callee in {node.proc for node in walk_kinds(ir, Call)}))


_PLAIN = frozenset({Relation.EQUAL, Relation.REFINES})


_SAME = frozenset({Relation.EQUAL, Relation.NARROWER})
_DOWN = frozenset({Relation.EQUAL, Relation.REFINES, Relation.NARROWER})


def why_not_exchangeable(old: Proc, new: Proc) -> str | None:
    """None if a legal call of old may become a call of new (whose assertions are then proved at the call), else the reason.

    Both must come from one version; from there to old no step may have given poison a value, for new might not; and no
    step on either path may have changed precision or interface, except that both may be for the same values of some formals.
    They are then equivalent modulo `fields_between`: each does what that version does, called with these values.
    """
    if old is new:
        return None
    found = _paths(old, new)
    if found is None:
        return f"{new.name} was not made from {old.name}, nor from what {old.name} was made from"
    to_old, to_new = found
    if not to_old.relations <= _SAME:
        return f"{old.name} is only a refinement (or of another precision or interface) of what both come from"
    if not to_new.relations <= _DOWN:
        return f"{new.name} has another precision or interface than what both come from"
    if to_old.fixed != to_new.fixed:
        return f"{new.name} has another interface than {old.name}: other formals have values, or the same have others"
    return None


def fields_between(old: Proc, new: Proc) -> frozenset[FieldSym]:
    """The configuration fields that old and new, two versions of one procedure, may leave different."""
    found = _paths(old, new)
    assert found is not None, "not versions of one procedure"
    return found[0].modulo | found[1].modulo


def _paths(old: Proc, new: Proc) -> tuple[Way, Way] | None:
    """The ways from the latest version that both come from, to each of them; None if there is none."""
    to_old, to_new = _of(old), _of(new)
    of_new = set(to_new.versions())
    shared = next((version for version in to_old.versions() if version in of_new), None)
    return None if shared is None else (to_old.way_from(shared), to_new.way_from(shared))


def _of(ir: Proc) -> Provenance:
    found = _PROVENANCE.get(ir)
    return found if found is not None else Provenance()
