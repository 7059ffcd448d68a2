"""Which updates in the body of a loop can be done in place, in a kernel, where the loop has its arrays for itself.

An update is, if nothing reads the old array after it: neither by its name nor through what is computed from it where it is
needed. Numbers that were read before and are needed later are to be kept.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from usl_core.ir.sym import Sym
from usl_soac import core
from usl_soac.core import Body, Param, Statement
from usl_soac.traverse import used_by_statement


@dataclass(frozen=True, slots=True)
class InPlace:
    """Updates that overwrite, names of numbers to be kept when they are found, and params whose arrays are replaced so only."""

    updates: set[Statement] = field(default_factory=set)
    kept: set[Sym] = field(default_factory=set)
    params: set[Sym] = field(default_factory=set)


def in_place(params: Sequence[Param], body: Body) -> InPlace:
    """The updates in a body that is run again and again on its own results."""
    found = InPlace()
    for position, param in enumerate(params):
        if param.type.dims:
            _follow(param.name, position, body, found)
    return found


def _follow(array: Sym, position: int, body: Body, found: InPlace) -> None:
    """The updates of one array, each of the result of the one before, if the last one is what the next round gets."""
    name, updates, kept = array, list[Statement](), set[Sym]()
    derived = {array}
    for at, statement in enumerate(body.statements):
        if isinstance(statement.value, core.Update) and statement.value.array == name:
            later = {sym for each in body.statements[at + 1 :] for sym in used_by_statement(each)}
            later.update(atom for atom in body.results if isinstance(atom, Sym))
            before = (param for each in body.statements[:at] for param in each.pattern)
            numbers = {param.name for param in before if not param.type.dims} & derived
            if (derived - numbers) & later or (statement.value.value in derived - numbers):
                return
            updates.append(statement)
            kept |= numbers & later
            name = statement.pattern[0].name
            derived = {name}
        elif derived.intersection(used_by_statement(statement)):
            derived.update(param.name for param in statement.pattern)
    if body.results[position] != name or body.results.count(name) > 1 or (name == array):
        return
    found.updates.update(updates)
    found.kept.update(kept)
    found.params.add(array)
