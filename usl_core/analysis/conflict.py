"""When two accesses may touch the same location, and how to show it. Reference: Reinking 2022, §3.5.7, definition 3.8."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from usl_core.analysis import affine
from usl_core.analysis import formula as fml
from usl_core.analysis.affine import Lin
from usl_core.analysis.effects import Access, Kind
from usl_core.analysis.formula import Formula
from usl_core.analysis.solver import Proved, Refuted, Unknown, prove
from usl_core.errors import Undecided
from usl_core.ir.nodes import Node
from usl_core.ir.sym import Sym

Values = Mapping[str, int | bool]
"""A counter-example: values by the names that a user sees."""


def conflicting_kinds(a: Kind, b: Kind) -> bool:
    """Whether accesses of these kinds to one location may not change places."""
    return not (a is b and a is not Kind.WRITE)


def conflicting(a: Access, b: Access) -> bool:
    """Whether these accesses, at one location, may not change places.

    Reductions of one buffer by one operation commute (usl_core.ir.combining); a buffer has one type under all its names.
    """
    return conflicting_kinds(a.kind, b.kind) or a.op != b.op


def overlap_formula(a: Access, b: Access) -> list[Formula]:
    """What holds when both accesses happen at one location. Their bound names must differ."""
    return [*a.guard, *b.guard, *[fml.eq(x - y) for x, y in zip(a.point, b.point, strict=True)]]


def overlap(facts: Sequence[Formula], a: Access, b: Access) -> Values | None:
    """None if the accesses certainly touch different locations under facts; otherwise values that make them meet.

    Raises:
        Undecided: the solver could not tell.
    """
    if a.buffer is not b.buffer:
        return None
    meet = overlap_formula(a, b)
    if any(f == fml.FALSE for f in meet):
        return None
    model = refuting_model([*facts, *meet], fml.FALSE, f"whether two accesses to {a.buffer.name} may meet", a.node)
    return None if model is None else describe_model(model, [*facts, *meet], [*a.point, *b.point])


def refuting_model(facts: Sequence[Formula], goal: Formula, question: str, node: Node) -> Mapping[Sym, int | bool] | None:
    """None if facts imply goal; otherwise values under which they hold and it does not.

    Raises:
        Undecided: the solver could not tell; the message says that it could not decide the question about node.
    """
    match prove(facts, goal):
        case Proved():
            return None
        case Refuted(model=model):
            return model
        case Unknown(reason=reason):
            raise Undecided(f"could not decide {question}", span=node.span, notes=[f"solver: {reason}"])


def describe_model(model: Mapping[Sym, int | bool], formulas: Iterable[Formula], values: Iterable[Lin] = ()) -> Values:
    """What a model gives the variables that the formulas and values mention; names bound twice get a prime."""
    names: dict[Sym, None] = {}
    for lin in values:
        names.update(dict.fromkeys(affine.syms(lin)))
    for f in formulas:
        names.update(dict.fromkeys(fml.free_syms(f)))
    shown: dict[str, int | bool] = {}
    for name in names:
        if name in model:
            label = name.name
            while label in shown:
                label += "'"
            shown[label] = model[name]
    return shown
