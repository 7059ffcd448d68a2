"""Provenance: how one version of a procedure relates to the version it was made from, and what may stand for what.

Reference: Reinking 2022, §3.4.3 and §3.6.2; docs/semantics.md, "refinement".
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from weakref import WeakKeyDictionary

from usl_core.ir.nodes import Proc


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
    arguments: str = ""
    relation: Relation = Relation.EQUAL
    seconds: float = 0.0
    proofs: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, eq=False)
class Provenance:
    """A version's place in the tree of versions: what it was made from, and what it is to that."""

    parent: Provenance | None = None
    relation: Relation = Relation.EQUAL
    operator: str = ""

    def ancestors(self) -> list[tuple[Provenance, frozenset[Relation]]]:
        """This version and those it was made from, each with the relations of the steps from there to here."""
        result: list[tuple[Provenance, frozenset[Relation]]] = []
        version: Provenance | None = self
        relations: frozenset[Relation] = frozenset()
        while version is not None:
            result.append((version, relations))
            relations |= {version.relation}
            version = version.parent
        return result


_PROVENANCE: WeakKeyDictionary[Proc, Provenance] = WeakKeyDictionary()


def record(ir: Proc, parent: Proc | None, relation: Relation, operator: str = "") -> None:
    """Remember how a procedure's IR came to be."""
    _PROVENANCE.setdefault(ir, Provenance(_PROVENANCE.get(parent) if parent is not None else None, relation, operator))


def steps_from_source(ir: Proc) -> list[tuple[str, Relation]] | None:
    """The operators that made ir from a procedure as a user wrote it, the oldest first, and what the result of each is to its
    input; None if it is not known how ir was made."""
    if ir not in _PROVENANCE:
        return None
    versions = [version for version, _ in _of(ir).ancestors()]
    return [(version.operator, version.relation) for version in versions[-2::-1]]


def assurance(ir: Proc) -> str:
    """What stands behind ir: every step is proved, as no operator applies without its proof. Steps that made the procedure
    narrower, or changed its precision or interface, are named, for what they gave is not equivalent to the source."""
    steps = steps_from_source(ir)
    if steps is None:
        return "how it was made is not recorded"
    named = [f"{operator} ({relation.value})" for operator, relation in steps if relation not in _PLAIN]
    return f"every step proved, up to: {', '.join(named)}" if named else "every step proved"


_PLAIN = frozenset({Relation.EQUAL, Relation.REFINES})


_SAME = frozenset({Relation.EQUAL, Relation.NARROWER})
_DOWN = frozenset({Relation.EQUAL, Relation.REFINES, Relation.NARROWER})


def why_not_exchangeable(old: Proc, new: Proc) -> str | None:
    """None if a legal call of old may become a call of new (whose assertions are then proved at the call), else the reason.

    Both must come from one version; from there to old no step may have given poison a value, for new might not; and no
    step on either path may have changed precision or interface.
    """
    if old is new:
        return None
    from_new = dict(_of(new).ancestors())
    for version, relations in _of(old).ancestors():
        if version in from_new:
            if not relations <= _SAME:
                return f"{old.name} is only a refinement (or of another precision or interface) of what both come from"
            if not from_new[version] <= _DOWN:
                return f"{new.name} has another precision or interface than what both come from"
            return None
    return f"{new.name} was not made from {old.name}, nor from what {old.name} was made from"


def _of(ir: Proc) -> Provenance:
    found = _PROVENANCE.get(ir)
    return found if found is not None else Provenance()
